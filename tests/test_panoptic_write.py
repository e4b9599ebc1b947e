"""COCO's panoptic form, written: what is read back, by vesica and by Pillow, is what was given."""

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vesica
from vesica.errors import InputError
from vesica.io.panoptic import read_panoptic
from vesica.io.png_write import png_of

Image = pytest.importorskip("PIL.Image")
CATEGORIES = {1: "cat", 2: "dog", 5: "sky"}


@st.composite
def image(draw):
    """A map of any ids that three bytes hold, and what they are."""
    shape = draw(st.tuples(st.integers(1, 5), st.integers(1, 6)))
    ids = draw(st.lists(st.integers(1, 2**24 - 1), min_size=1, max_size=4, unique=True))
    pixels = draw(st.lists(st.sampled_from([0, *ids]), min_size=math.prod(shape), max_size=math.prod(shape)))
    told = [
        {"id": id, "category_id": draw(st.sampled_from(list(CATEGORIES))), "iscrowd": draw(st.integers(0, 1))}
        for id in sorted(set(pixels) - {0})
    ]
    return np.array(pixels, draw(st.sampled_from(["int32", "int64", "uint32"]))).reshape(shape), told


@given(st.dictionaries(st.integers(0, 10**13) | st.sampled_from(["a", "Bild 2", "é.x"]), image(), max_size=3))
def test_round_trip(tmp_path_factory, images):
    path = tmp_path_factory.mktemp("panoptic") / "val.json"
    vesica.write_panoptic(path, images, categories=CATEGORIES, things=[1, 2])
    file = read_panoptic(path)
    assert list(file.images) == list(images)
    assert file.categories == [{"id": id, "name": name, "isthing": int(id != 5)} for id, name in CATEGORIES.items()]
    for one, (ids, told) in images.items():
        assert np.array_equal(file.ids(one), ids)
        colours = np.asarray(Image.open(file.folder / file.images[one]["file_name"])).astype(int)
        assert np.array_equal(colours @ [1, 256, 65536], ids)
        rows = file.images[one]["segments_info"]
        assert [{name: row[name] for name in ("id", "category_id", "iscrowd")} for row in rows] == told
        for row in rows:
            y, x = np.nonzero(ids == row["id"])
            assert row["area"] == len(x)
            assert row["bbox"] == [x.min(), y.min(), np.ptp(x) + 1, np.ptp(y) + 1]
    sizes = json.loads(path.read_text(encoding="utf-8"))["images"]
    assert [(one["height"], one["width"]) for one in sizes] == [ids.shape for ids, _ in images.values()]


def test_scores_are_those_of_the_maps(tmp_path):
    random = np.random.default_rng(3)
    sides = []
    for name in ("truth", "guess"):
        maps = random.integers(0, 5, (4, 9, 11))
        sides.append([(ids, {id: 1 + id % 2 for id in np.unique(ids).tolist() if id}) for ids in maps])
        vesica.write_panoptic(tmp_path / f"{name}.json", iter(sides[-1]), categories=CATEGORIES)
    found = vesica.evaluate_panoptic(tmp_path / "truth.json", tmp_path / "guess.json")
    assert found.to_bytes() == vesica.evaluate_panoptic(*sides, categories=CATEGORIES).to_bytes()


def test_torch(tmp_path):
    torch = pytest.importorskip("torch")
    ids = [[1, 1, 70000]]
    for name, one in (("a", ids), ("b", torch.tensor(ids))):
        vesica.write_panoptic(tmp_path / f"{name}.json", [(one, {1: 1, 70000: 2})], categories=CATEGORIES)
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


GOOD = ([[1, 2]], {1: 1, 2: 2})


@pytest.mark.parametrize(
    "images, error, told",
    [
        ([([[1, 3]], {1: 1})], InputError, "image 0 has pixels of segment 3"),
        ([([[1, 1]], {1: 1, 4: 1})], InputError, "lists segment 4, which has no pixels"),
        ([([[1, 1]], {1: 9})], InputError, "segment of category 9"),
        ([([[1, 2**24]], {1: 1, 2**24: 1})], InputError, "from 0 to 16777215, the colours; got 16777216"),
        ([([[1, -1]], {1: 1})], InputError, "got -1"),
        ([(np.zeros((0, 4), int), {})], ValueError, "with pixels; got shape"),
        ([(np.ones((2, 3, 5), int), {1: 1})], ValueError, "must be (H, W)"),
        ([([[1.0]], {1: 1})], TypeError, "map of integers"),
        ({"a/b": GOOD}, InputError, "becomes the name of its PNG file"),
        ({"..": GOOD}, InputError, "becomes the name of its PNG file"),
        ({True: GOOD}, InputError, "whole number"),
        ({1.5: GOOD}, InputError, "whole number"),
        ({5: GOOD, "000000000005": GOOD}, InputError, "cannot be written"),
        ("val.json", TypeError, "`images` must be a list"),
        (7, TypeError, "`images` must be a list"),
    ],
)
def test_bad_images_leave_nothing(tmp_path, images, error, told):
    many = {99: GOOD, **images} if isinstance(images, dict) else images
    with pytest.raises(error, match=re.escape(told)):
        vesica.write_panoptic(tmp_path / "val.json", many, categories=CATEGORIES)
    assert list(tmp_path.iterdir()) == []


def test_a_name_without_json(tmp_path):
    with pytest.raises(ValueError, match=r"must end with \.json"):
        vesica.write_panoptic(tmp_path / "val", [GOOD], categories=CATEGORIES)


class TestEarlierFiles:
    @pytest.fixture
    def earlier(self, tmp_path):
        vesica.write_panoptic(tmp_path / "val.json", {1: GOOD, 2: GOOD}, categories=CATEGORIES)
        (tmp_path / "other.txt").write_text("stays")
        return tmp_path

    def content(self, folder):
        files = sorted(path for path in Path(folder).rglob("*") if path.is_file())
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}

    def test_are_an_error(self, earlier):
        before = self.content(earlier)
        with pytest.raises(InputError, match="overwrite=True"):
            vesica.write_panoptic(earlier / "val.json", {3: GOOD}, categories=CATEGORIES)
        assert self.content(earlier) == before

    def test_go_with_overwrite(self, earlier):
        vesica.write_panoptic(earlier / "val.json", {3: GOOD}, categories=CATEGORIES, overwrite=True)
        assert {*self.content(earlier)} == {"other.txt", "val.json", "val/000000000003.png"}
        assert list(read_panoptic(earlier / "val.json").images) == [3]

    def test_stay_when_an_image_is_bad(self, earlier):
        before = self.content(earlier)
        with pytest.raises(InputError):
            images = {1: ([[2, 2]], {2: 1}), 2: ([[7]], {})}
            vesica.write_panoptic(earlier / "val.json", images, categories=CATEGORIES, overwrite=True)
        assert self.content(earlier) == before

    def test_half_of_a_set_is_not_read(self, earlier):
        """What a process leaves that is killed while files move: those to come are still under a name of their own."""
        coming = earlier / ".vesica-0.unfinished" / "new" / "val"
        coming.mkdir(parents=True)
        (earlier / "val" / "000000000002.png").rename(coming / "000000000002.png")
        with pytest.raises(InputError, match="was not written to its end: 1 files are missing"):
            read_panoptic(earlier / "val.json")
        vesica.write_panoptic(earlier / "val.json", {1: GOOD}, categories=CATEGORIES, overwrite=True)
        assert list(read_panoptic(earlier / "val.json").images) == [1]


@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (2, 7, 3), (300, 2)])
def test_png(tmp_path, shape):
    """Pillow reads the pixels that were given."""
    pixels = np.random.default_rng(0).integers(0, 256, shape).astype(np.uint8)
    (tmp_path / "a.png").write_bytes(png_of(pixels))
    image = Image.open(tmp_path / "a.png")
    assert image.mode == ("RGB" if len(shape) == 3 else "L") and np.array_equal(np.asarray(image), pixels)


def test_png_with_a_palette(tmp_path):
    pixels = np.array([[0, 1], [2, 1]], np.uint8)
    (tmp_path / "a.png").write_bytes(png_of(pixels, palette=[(9, 8, 7), (0, 255, 0), (1, 2, 3)]))
    image = Image.open(tmp_path / "a.png")
    assert image.mode == "P" and np.array_equal(np.asarray(image), pixels)
    assert np.asarray(image.convert("RGB"))[1, 0].tolist() == [1, 2, 3]
