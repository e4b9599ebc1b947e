"""Objects drawn into label maps: against pycocotools' masks painted by a loop, and what cannot be drawn."""

import gzip
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vesica
from vesica.cli import main
from vesica.errors import InputError
from vesica.segmentation.painted import paint

pycoco = pytest.importorskip("pycocotools.mask")

SIZE = (23, 31)
CATEGORIES = [{"id": 3, "name": "cat"}, {"id": 7, "name": "dog"}, {"id": 9, "name": "owl"}]


def rle(mask):
    found = pycoco.encode(np.asfortranarray(mask.astype(np.uint8)))
    return {"size": [int(side) for side in found["size"]], "counts": found["counts"].decode()}


def objects(seed, count, *, images=(5, 2), scores=False, crowds=False):
    """Random boxes, blobs and polygons as annotations, and their dense masks."""
    rng = np.random.default_rng(seed)
    rows, masks = [], []
    for k in range(count):
        y, x = rng.integers(0, SIZE[0] - 4), rng.integers(0, SIZE[1] - 4)
        mask = np.zeros(SIZE, bool)
        mask[y : y + rng.integers(1, 14), x : x + rng.integers(1, 18)] = True
        mask &= rng.random(SIZE) < 0.9
        row = {"id": k + 1, "image_id": int(rng.choice(images)), "category_id": int(rng.choice([3, 7, 9]))}
        row |= {"segmentation": rle(mask), "bbox": [0, 0, 1, 1], "area": 1.0, "iscrowd": int(crowds and k % 3 == 0)}
        if scores:
            row = {key: row[key] for key in ("image_id", "category_id", "segmentation")} | {
                "score": round(float(rng.random()), 1)
            }
        rows.append(row)
        masks.append(mask)
    return rows, masks


def truth_file(rows, images=(5, 2)):
    sizes = [{"id": image, "file_name": f"{image}.jpg", "height": SIZE[0], "width": SIZE[1]} for image in images]
    return {"images": sizes, "annotations": rows, "categories": CATEGORIES}


def painted(rows, masks, image, order, *, void=()):
    """A loop over the objects of one image, the last on top."""
    picture = np.zeros(SIZE, int)
    chosen = [k for k, row in enumerate(rows) if row["image_id"] == image]
    for k in sorted(chosen, key=lambda k: (k not in void, *order(k), -k)):
        picture[masks[k]] = 255 if k in void else rows[k]["category_id"]
    return picture


@pytest.fixture
def files(tmp_path):
    def write(truth, guess):
        for name, content in (("truth.json", truth), ("guess.json", guess)):
            (tmp_path / name).write_text(json.dumps(content))
        return str(tmp_path / "truth.json"), str(tmp_path / "guess.json")

    return write


@given(seed=st.integers(0, 10**6), crowds=st.booleans())
def test_equals_a_loop(seed, crowds, tmp_path_factory):
    ours, our_masks = objects(seed, 9, crowds=crowds)
    theirs, their_masks = objects(seed + 1, 12, scores=True)
    folder = tmp_path_factory.mktemp("painted")
    (folder / "truth.json").write_text(json.dumps(truth_file(ours)))
    (folder / "guess.json").write_text(json.dumps(theirs))
    found = vesica.evaluate_segmentation(folder / "truth.json", folder / "guess.json")
    void = {k for k, row in enumerate(ours) if row["iscrowd"]}
    truth = [painted(ours, our_masks, image, lambda k: (-our_masks[k].sum(),), void=void) for image in (2, 5)]
    guess = [painted(theirs, their_masks, image, lambda k: (theirs[k]["score"],)) for image in (2, 5)]
    want = vesica.evaluate_segmentation(
        truth, guess, categories={3: "cat", 7: "dog", 9: "owl", 0: "background"}, background=0, ignore=255
    )
    assert found.numbers == want.numbers
    assert [row["tp"] for row in found.per_cell()] == [row["tp"] for row in want.per_cell()]
    assert found.counts.ids.tolist() == [2, 5]
    assert found.categories == ["cat", "dog", "owl", "background"]


class TestRules:
    def sides(self, rows):
        masks = np.stack([mask for _, mask in rows])
        return vesica.Dataset.from_arrays(
            image=[1] * len(rows),
            category=[row[0] for row in rows],
            masks=masks,
            images=[1],
            categories=[1, 2],
            sizes=(2, 4),
        )

    def test_the_smaller_truth_is_on_top(self):
        wide, small = np.ones((2, 4), bool), np.eye(2, 4, dtype=bool)
        for rows in ([(1, wide), (2, small)], [(2, small), (1, wide)]):
            data = self.sides(rows)
            ((_, truth, _, claimed),) = paint(data, data).pairs()
            assert truth.tolist() == [[2, 1, 1, 1], [1, 2, 1, 1]]
            assert claimed == 4  # two pixels, on both sides

    def test_the_first_of_equals_is_on_top(self):
        one = np.ones((2, 4), bool)
        data = self.sides([(2, one), (1, one)])
        ((_, truth, _, _),) = paint(data, data).pairs()
        assert (truth == 2).all()

    def test_overlaps_within_a_class_are_no_claims(self):
        one = np.ones((2, 4), bool)
        data = self.sides([(2, one), (2, one)])
        ((_, _, _, claimed),) = paint(data, data).pairs()
        assert claimed == 0

    @pytest.mark.parametrize("ids", [[0, 1], [0, 255], [-4, 300], [255, 254]])
    def test_background_and_void_have_labels_of_their_own(self, ids):
        half = np.zeros((2, 4), bool)
        half[0] = True
        data = vesica.Dataset.from_arrays(
            image=[1, 1],
            category=ids,
            masks=np.stack([half, ~half & (np.arange(4) > 1)]),
            sizes=(2, 4),
            crowd=[False, True],
        )
        found = paint(data, data)
        assert found.background not in ids and found.void not in ids and found.background != found.void
        ((_, truth, guess, _),) = found.pairs()
        assert set(truth.ravel().tolist()) == {ids[0], found.void, found.background}
        assert set(guess.ravel().tolist()) == {*ids, found.background}

    def test_names_for_ids(self):
        one = np.ones((1, 2, 4), bool)
        data = vesica.Dataset.from_arrays(image=["a.jpg"], category=["cat"], masks=one, sizes=(2, 4))
        result = vesica.evaluate_segmentation(data, data)
        assert result.categories == ["cat", "background"] and result["mIoU"] == 1
        assert result.counts.ids.tolist() == ["a.jpg"]


class TestCrowds:
    def data(self):
        whole, part = np.ones((4, 4), bool), np.zeros((4, 4), bool)
        part[:2] = True
        return vesica.Dataset.from_arrays(
            image=[1, 1], category=[1, 1], masks=np.stack([whole, part]), sizes=(4, 4), crowd=[True, False]
        )

    def test_pixels_of_a_crowd_do_not_count(self):
        guess = vesica.Dataset.from_arrays(
            image=[1], category=[1], masks=np.ones((1, 4, 4), bool), sizes=(4, 4), score=[0.5]
        )
        assert vesica.evaluate_segmentation(self.data(), guess)["mIoU"] == 1
        result = vesica.evaluate_segmentation(self.data(), guess)
        assert result.cells.pixels.sum() == 8  # what another truth has counts, although it lies in a crowd

    def test_or_they_do(self):
        nothing = vesica.Dataset.from_arrays(
            image=[1], category=[1], masks=np.zeros((1, 4, 4), bool), sizes=(4, 4), score=[0.5]
        )
        result = vesica.evaluate_segmentation(self.data(), nothing, crowd="count")
        assert result.per_class()[0]["fn"] == 16


class TestNotes:
    def test_overlaps_and_objects_are_told(self, files):
        rows, _ = objects(1, 12)
        truth, guess = files(truth_file(rows), objects(2, 9, scores=True)[0])
        result = vesica.evaluate_segmentation(truth, guess)
        told = {note.rule: note.count for note in result.notes}
        assert told["objects"] == 12 and told["overlaps"] > 0
        again = type(result).from_bytes(result.to_bytes())
        assert again.remarks == result.remarks and again.numbers == result.numbers
        assert result.under(like="mmseg").remarks == result.remarks

    def test_they_add_up(self, files):
        parts = []
        for image in (1, 2):
            rows = objects(image, 8, images=(image,))[0]
            truth, guess = files(truth_file(rows, (image,)), objects(9, 5, images=(image,), scores=True)[0])
            parts.append(vesica.evaluate_segmentation(truth, guess))
        first, second = ({note.rule: note.count for note in part.remarks} for part in parts)
        whole = {note.rule: note.count for note in parts[1].merge(parts[0]).remarks}
        assert whole == {rule: first.get(rule, 0) + second.get(rule, 0) for rule in {*first, *second}}


def test_surfaces(files):
    ours, our_masks = objects(3, 6)
    truth, guess = files(truth_file(ours), objects(4, 6, scores=True)[0])
    found = vesica.evaluate_surfaces(truth, guess, tau=1)
    assert found.categories == ("cat", "dog", "owl") and found.images == (2, 5)
    theirs, their_masks = objects(4, 6, scores=True)
    maps = [painted(ours, our_masks, image, lambda k: (-our_masks[k].sum(),)) for image in (2, 5)]
    others = [painted(theirs, their_masks, image, lambda k: (theirs[k]["score"],)) for image in (2, 5)]
    want = vesica.evaluate_surfaces(maps, others, categories=[3, 7, 9], tau=1)
    assert found.numbers == want.numbers


class TestCommandLine:
    def test_two_files(self, files, capsys):
        truth, guess = files(truth_file(objects(5, 9)[0]), objects(6, 9, scores=True)[0])
        assert main(["seg", truth, guess, "--json", "--surface", "--boundary", "2%,3", "--cldice", "--tau", "1"]) == 0
        said = capsys.readouterr()
        facts = json.loads(said.out)
        want = vesica.evaluate_segmentation(truth, guess)
        assert facts["summary"] == want.numbers
        assert "2 images of objects" in said.err
        surfaces = vesica.evaluate_surfaces(truth, guess, tau=1, boundary=["2%", 3], centrelines=True)
        assert facts["surfaces"]["summary"] == surfaces.numbers
        assert {"boundary_IoU(2%)", "boundary_IoU(3)", "clDice", "boundary_F(1)"} <= facts["surfaces"]["summary"].keys()

    def test_groups_and_crowds(self, files, tmp_path, capsys):
        truth, guess = files(truth_file(objects(5, 9, crowds=True)[0]), objects(6, 9, scores=True)[0])
        (tmp_path / "groups.json").write_text('{"2": "a", "5": "a"}')
        words = ["seg", truth, guess, "--json", "--quiet", "--groups", str(tmp_path / "groups.json"), "--surface"]
        assert main([*words, "--crowd", "count"]) == 0
        facts = json.loads(capsys.readouterr().out)
        assert (
            [row["group"] for row in facts["by_groups"]]
            == ["a"]
            == [r["group"] for r in facts["surfaces"]["by_groups"]]
        )
        want = vesica.evaluate_segmentation(truth, guess, crowd="count", groups={2: "a", 5: "a"})
        assert facts["summary"] == want.numbers and facts["by_groups"] == want.per_group()

    def test_packed(self, files, tmp_path):
        truth, guess = files(truth_file(objects(5, 9)[0]), objects(6, 9, scores=True)[0])
        packed = []
        for name in (truth, guess):
            packed.append(f"{name}.gz")
            with open(name, "rb") as plain, gzip.open(packed[-1], "wb") as file:
                file.write(plain.read())
        assert vesica.evaluate_segmentation(*packed).numbers == vesica.evaluate_segmentation(truth, guess).numbers

    @pytest.mark.parametrize("more", [["--classes", "3"], ["--background", "0"], ["--map", "cityscapes"], ["."]])
    def test_what_is_not_for_objects(self, files, capsys, more):
        """Options of label maps, and a folder of these beside a file."""
        truth, guess = files(truth_file(objects(5, 9)[0]), objects(6, 9, scores=True)[0])
        words = ["seg", truth, more[0]] if more == ["."] else ["seg", truth, guess, *more]
        try:
            code = main(words)
        except SystemExit as leaving:
            code = leaving.code
        said = capsys.readouterr().err
        assert code in (2, 3) and ("label maps" in said)


class TestWrong:
    def test_no_masks(self):
        boxes = vesica.Dataset.from_arrays([[0, 0, 2, 2]], image=[1])
        with pytest.raises(InputError, match="1 of 1 objects of the truth have no mask"):
            vesica.evaluate_segmentation(boxes, boxes)

    def test_no_size(self):
        with pytest.raises(InputError, match="Image 7 has no height and width"):
            data = vesica.Dataset.from_arrays(image=[], category=[], images=[7], masks=[])
            list(paint(data, data).pairs())

    def test_masks_of_another_size(self, files):
        rows, _ = objects(1, 3)
        content = truth_file(rows)
        content["images"][0]["height"] = content["images"][1]["height"] = 50
        truth, guess = files(content, [])
        with pytest.raises((InputError, ValueError), match="size"):
            vesica.evaluate_segmentation(truth, guess)

    @pytest.mark.parametrize(
        "options, words",
        [
            ({"categories": 3}, "`categories` is for label maps"),
            ({"background": 0}, "`background` is for label maps"),
            ({"relabel": {1: 2}}, "`relabel` is for label maps"),
            ({"crowd": "sometimes"}, "ignore"),
            ({"images": [1, 2]}, "`images` is for arrays"),
            ({"groups": [1, 2]}, "dict of name"),
            ({"groups": {2: "a"}}, "none for 5"),
        ],
    )
    def test_options(self, files, options, words):
        truth, guess = files(truth_file(objects(1, 3)[0]), objects(2, 3, scores=True)[0])
        with pytest.raises((TypeError, ValueError, InputError), match=words):
            vesica.evaluate_segmentation(truth, guess, **options)

    def test_crowds_of_label_maps(self):
        with pytest.raises(TypeError, match="`crowd` is for objects"):
            vesica.evaluate_segmentation([[1]], [[1]], crowd="count")

    def test_one_of_each(self, files, tmp_path):
        truth, _ = files(truth_file([]), [])
        with pytest.raises(TypeError, match="one of each"):
            vesica.evaluate_segmentation(truth, str(tmp_path))
