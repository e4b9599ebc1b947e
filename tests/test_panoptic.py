"""Panoptic quality: against the rule written out pixel by pixel, real files, and numbers found by hand."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vesica
from vesica.errors import InputError
from vesica.segmentation import PanopticResult

CATEGORIES = {1: "cat", 2: "dog", 5: "sky"}
DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


def reference(truth, guess, categories=CATEGORIES, last_crowd_alone=False, has_void=True):
    """tp, fp, fn and the sum of IoUs of each category: sets of pixels, one image after the other."""
    sums = {category: [0, 0, 0, 0.0] for category in categories}
    for (t_ids, t_told), (g_ids, g_told) in zip(truth, guess, strict=True):
        t_ids, g_ids = np.asarray(t_ids), np.asarray(g_ids)
        void, matched_t, matched_g = (t_ids == 0) & has_void, set(), set()
        for t in t_told:
            for g in g_told:
                if t["category_id"] != g["category_id"] or t.get("iscrowd"):
                    continue
                a, b = t_ids == t["id"], g_ids == g["id"]
                iou = (a & b).sum() / (a | b & ~void).sum()
                if iou > 0.5:
                    sums[t["category_id"]][0] += 1
                    sums[t["category_id"]][3] += iou
                    matched_t.add(t["id"])
                    matched_g.add(g["id"])
        for t in t_told:
            if t["id"] not in matched_t and not t.get("iscrowd"):
                sums[t["category_id"]][2] += 1
        for g in g_told:
            if g["id"] in matched_g:
                continue
            crowds = [t["id"] for t in t_told if t.get("iscrowd") and t["category_id"] == g["category_id"]]
            crowds = crowds[-1:] if last_crowd_alone else crowds
            own = g_ids == g["id"]
            if (own & (void | np.isin(t_ids, crowds))).sum() / own.sum() <= 0.5:
                sums[g["category_id"]][1] += 1
    return sums


@st.composite
def images(draw, crowds=True):
    """Maps of small ids; each id that occurs is a segment."""
    shape = draw(st.tuples(st.integers(1, 5), st.integers(1, 6)))
    pairs = []
    for _ in range(2):
        ids = np.array(draw(st.lists(st.integers(0, 4), min_size=math.prod(shape), max_size=math.prod(shape))))
        told = [
            {
                "id": id,
                "category_id": draw(st.sampled_from(list(CATEGORIES))),
                "iscrowd": int(crowds and draw(st.booleans())) if not pairs else 0,
            }
            for id in sorted(set(ids.tolist()) - {0})
        ]
        pairs.append((ids.reshape(shape), told))
    return tuple(pairs)


class TestRule:
    @given(st.lists(images(), min_size=1, max_size=4), st.sampled_from([None, "panopticapi"]), st.booleans())
    def test_any_maps(self, pairs, quirks, void):
        truth, guess = zip(*pairs, strict=True)
        result = vesica.evaluate_panoptic(truth, guess, categories=CATEGORIES, quirks=quirks, void=void)
        expected = reference(truth, guess, last_crowd_alone=quirks is not None, has_void=void)
        for row in result.per_class():
            tp, fp, fn, iou = expected[row["id"]]
            assert (row["tp"], row["fp"], row["fn"]) == (tp, fp, fn)
            if tp + fp + fn:
                assert row["PQ"] == pytest.approx(iou / (tp + fp / 2 + fn / 2), abs=1e-12)
                assert row["PQ"] == pytest.approx(row["SQ"] * row["RQ"], abs=1e-12)
            else:
                assert (row["PQ"], row["status"]) == (None, "absent")

    def test_crowds_of_one_category_excuse_together(self):
        truth = [([[1, 1, 2, 2, 3]], [{"id": i, "category_id": 1, "iscrowd": int(i < 3)} for i in (1, 2, 3)])]
        guess = [([[0, 9, 9, 9, 9]], {9: 1})]
        assert vesica.evaluate_panoptic(truth, guess).per_class()[0]["fp"] == 0
        assert vesica.evaluate_panoptic(truth, guess, quirks="panopticapi").per_class()[0]["fp"] == 1

    def test_half_is_no_match(self):
        truth, guess = [([[1, 1, 1, 1]], {1: 1})], [([[7, 7, 0, 0]], {7: 1})]
        row = vesica.evaluate_panoptic(truth, guess).per_class()[0]
        assert (row["tp"], row["fp"], row["fn"], row["PQ"], row["SQ"]) == (0, 1, 1, 0, 0)

    def test_void_is_in_no_union(self):
        truth, guess = [([[1, 1, 0, 0]], {1: 1})], [([[7, 7, 7, 7]], {7: 1})]
        assert vesica.evaluate_panoptic(truth, guess)["PQ"] == 1

    def test_an_image_without_segments(self):
        nothing = [([[0, 0]], {})]
        result = vesica.evaluate_panoptic(nothing, nothing, categories=CATEGORIES)
        assert math.isnan(result["PQ"])
        assert result.to_dict()["summary"]["PQ"] is None

    def test_swapped_sides_swap_what_is_missed(self):
        truth, guess = [([[1, 1, 2, 3]], {1: 1, 2: 1, 3: 1})], [([[1, 1, 5, 5]], {1: 1, 5: 1})]
        one, other = (vesica.evaluate_panoptic(*sides).per_class()[0] for sides in ((truth, guess), (guess, truth)))
        assert (one["fp"], one["fn"], one["PQ"]) == (other["fn"], other["fp"], other["PQ"])


@pytest.mark.skipif(not DATA.is_dir(), reason="the folder shared/data lies not beside the repository")
class TestRealFiles:
    SAMPLE = DATA / "panoptic" / "sample_data" / "panoptic_examples.json"

    def test_with_itself(self):
        result = vesica.evaluate_panoptic(self.SAMPLE, self.SAMPLE)
        assert (result["PQ"], result["SQ"], result["RQ"], result["PQ_things"], result["PQ_stuff"]) == (1, 1, 1, 1, 1)
        told = [one for image in json.loads(self.SAMPLE.read_text())["annotations"] for one in image["segments_info"]]
        assert sorted(result.inter.tolist()) == sorted(one["area"] for one in told if not one["iscrowd"])

    def test_moved_guesses_by_the_rule(self):
        from vesica.io.panoptic import read_panoptic

        file = read_panoptic(self.SAMPLE)
        pairs = []
        for image in file.images:
            ids, told = file.ids(image)[::4, ::4], file.images[image]["segments_info"]
            there = [one for one in told if (ids == one["id"]).any()]
            ids = np.where(np.isin(ids, [one["id"] for one in there]), ids, 0)
            moved = np.roll(ids, 3, axis=1)
            pairs.append(((ids, there), (moved, [{**one, "iscrowd": 0} for one in there])))
        truth, guess = zip(*pairs, strict=True)
        result = vesica.evaluate_panoptic(truth, guess, categories=file.categories)
        expected = reference(truth, guess, [one["id"] for one in file.categories])
        for row in result.per_class():
            tp, fp, fn, iou = expected[row["id"]]
            assert (row["tp"], row["fp"], row["fn"]) == (tp, fp, fn)
            if tp:
                assert row["SQ"] == pytest.approx(iou / tp, abs=1e-12)


def many(seed, count=6):
    random = np.random.default_rng(seed)
    sides = []
    for _ in range(2):
        maps = random.integers(0, 6, (count, 8, 9)) // random.integers(1, 3, (count, 1, 1))
        sides.append([(ids, {id: 1 + id % 2 for id in np.unique(ids).tolist() if id}) for ids in maps])
    return sides


class TestMerge:
    def test_shards_in_any_order_are_one_run(self):
        truth, guess = many(0)
        kinds = {1: "cat", 2: "dog"}
        whole = vesica.evaluate_panoptic(truth, guess, categories=kinds)
        parts = [vesica.evaluate_panoptic([t], [g], categories=kinds) for t, g in zip(truth, guess, strict=True)]
        named = [
            PanopticResult(p.categories, np.array([k]), p.image, p.category, p.inter, p.union)
            for k, p in enumerate(parts)
        ]
        for order in ([0, 1, 2, 3, 4, 5], [3, 1, 5, 0, 4, 2]):
            first, *others = (named[k] for k in order)
            assert first.merge(*others).to_bytes() == whole.to_bytes()

    @pytest.mark.parametrize("threads", [1, 2, 7])
    def test_threads_change_nothing(self, threads):
        sides = many(1)
        assert (
            vesica.evaluate_panoptic(*sides, threads=threads).to_bytes() == vesica.evaluate_panoptic(*sides).to_bytes()
        )

    def test_bytes(self):
        whole = vesica.evaluate_panoptic(*many(2), things=[1])
        again = PanopticResult.from_bytes(whole.to_bytes())
        assert again.to_dict() == whole.to_dict()
        assert again.to_bytes() == whole.to_bytes()

    def test_damaged_bytes(self):
        data = vesica.evaluate_panoptic(*many(3)).to_bytes()
        for cut in range(0, len(data), 7):
            with pytest.raises(InputError):
                PanopticResult.from_bytes(data[:cut])
        for place in range(0, len(data), 5):
            broken = data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]
            with pytest.raises(InputError):
                PanopticResult.from_bytes(broken)

    def test_the_same_image_twice(self):
        one = vesica.evaluate_panoptic(*many(4))
        with pytest.raises(InputError, match="twice"):
            one.merge(one)

    def test_other_categories(self):
        one, other = (vesica.evaluate_panoptic(*many(5), categories=kinds) for kinds in ([1, 2], [1, 2, 3]))
        with pytest.raises(ValueError, match="categories"):
            one.merge(other)


class TestTables:
    def test_per_image(self):
        truth, guess = many(6)
        rows = vesica.evaluate_panoptic(truth, guess).per_image()
        for row, t, g in zip(rows, truth, guess, strict=True):
            alone = vesica.evaluate_panoptic([t], [g])
            assert row["tp"] == sum(one["tp"] for one in alone.per_class())

    def test_gates(self):
        result = vesica.evaluate_panoptic(*many(7), categories={1: "cat", 2: "dog"})
        assert [one.passed for one in result.gates("PQ>=0", "RQ[cat]>=1.1", "SQ[2]>=0")] == [True, False, True]

    def test_things_and_stuff(self):
        result = vesica.evaluate_panoptic(*many(8), things=[2])
        rows = {row["id"]: row for row in result.per_class()}
        assert (result["PQ_things"], result["PQ_stuff"]) == (rows[2]["PQ"], rows[1]["PQ"])
        assert "PQ_things" not in vesica.evaluate_panoptic(*many(8))


@pytest.fixture
def folder(tmp_path):
    """Two images on disk."""
    image = pytest.importorskip("PIL.Image")
    (tmp_path / "val").mkdir()
    annotations = []
    for k in range(2):
        ids = np.array([[1, 300, 300], [1, 70000, 0]])
        colours = np.stack([ids % 256, ids // 256 % 256, ids // 65536], axis=-1).astype(np.uint8)
        image.fromarray(colours).save(tmp_path / "val" / f"{k}.png")
        told = [{"id": id, "category_id": 1 + (id == 300), "iscrowd": 0} for id in (1, 300, 70000)]
        annotations.append({"image_id": k, "file_name": f"{k}.png", "segments_info": told})
    kinds = [{"id": 1, "name": "cat", "isthing": 1}, {"id": 2, "name": "sky", "isthing": 0}]
    (tmp_path / "val.json").write_text(json.dumps({"annotations": annotations, "categories": kinds}))
    return tmp_path


def changed(folder, change):
    content = json.loads((folder / "val.json").read_text())
    change(content)
    (folder / "val.json").write_text(json.dumps(content))


class TestFiles:
    def test_read(self, folder):
        result = vesica.evaluate_panoptic(folder / "val.json", folder / "val.json")
        assert result["PQ"] == 1
        assert [(row["category"], row["tp"]) for row in result.per_class()] == [("cat", 4), ("sky", 2)]

    def test_another_folder(self, folder):
        (folder / "val").rename(folder / "maps")
        where = {"truth_folder": folder / "maps", "guess_folder": folder / "maps"}
        assert vesica.evaluate_panoptic(folder / "val.json", folder / "val.json", **where)["PQ"] == 1
        with pytest.raises(InputError, match="no such folder"):
            vesica.evaluate_panoptic(folder / "val.json", folder / "val.json")

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            (lambda c: c["annotations"][0]["segments_info"].pop(), "pixels of segment 70000"),
            (lambda c: c["annotations"][0]["segments_info"].append({"id": 9, "category_id": 1}), "lists segment 9"),
            (lambda c: c["annotations"][0]["segments_info"][0].update(category_id=77), "category 77"),
            (lambda c: c["annotations"][0]["segments_info"][0].pop("category_id"), "category_id"),
            (lambda c: c["annotations"][0]["segments_info"][0].update(id=0), "above 0"),
            (lambda c: c["annotations"][0]["segments_info"][0].update(id=300), "two segments"),
            (lambda c: c["annotations"][0]["segments_info"][0].update(iscrowd=2), "0 or 1"),
            (lambda c: c["annotations"][0].update(file_name="gone.png"), "no file 'gone.png'"),
            (lambda c: c["annotations"][0].update(file_name="../val/0.png"), "must be a PNG in"),
            (lambda c: c["annotations"][0].update(image_id=1), "two annotations of image 1"),
            (lambda c: c["annotations"][0].pop("segments_info"), "segments_info"),
            (lambda c: c.pop("annotations"), "annotations"),
            (lambda c: c.update(categories=3), "must be a list"),
            (lambda c: c["categories"].append({"id": 1}), "each id once"),
        ],
    )
    def test_faults(self, folder, change, words):
        changed(folder, change)
        with pytest.raises(InputError, match=words):
            vesica.evaluate_panoptic(folder / "val.json", folder / "val.json")

    def test_images_that_do_not_meet(self, folder):
        (folder / "guess.json").write_text((folder / "val.json").read_text().replace('"image_id": 1', '"image_id": 9'))
        (folder / "guess").symlink_to(folder / "val")
        with pytest.raises(InputError, match="Image 1 has no guess"):
            vesica.evaluate_panoptic(folder / "val.json", folder / "guess.json")

    def test_a_truncated_png(self, folder):
        whole = (folder / "val" / "0.png").read_bytes()
        (folder / "val" / "0.png").write_bytes(whole[: len(whole) // 2])
        with pytest.raises(InputError, match=r"0\.png is no PNG"):
            vesica.evaluate_panoptic(folder / "val.json", folder / "val.json")

    def test_a_grey_png(self, folder):
        from PIL import Image

        Image.fromarray(np.ones((2, 3), np.uint8)).save(folder / "val" / "0.png")
        with pytest.raises(InputError, match="three channels"):
            vesica.evaluate_panoptic(folder / "val.json", folder / "val.json")


ONE = [([[1]], {1: 1})]


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: vesica.evaluate_panoptic(ONE, ONE * 2), InputError, "guess alone"),
        (lambda: vesica.evaluate_panoptic(ONE, [([[1, 1]], {1: 1})]), ValueError, "one size"),
        (lambda: vesica.evaluate_panoptic(ONE, [[[1]]]), TypeError, "a pair"),
        (lambda: vesica.evaluate_panoptic(ONE, np.ones((1, 2, 2))), TypeError, "panoptic JSON file"),
        (lambda: vesica.evaluate_panoptic([([[1.5]], {1: 1})], ONE), TypeError, "float64"),
        (lambda: vesica.evaluate_panoptic([(np.ones((1, 1, 3), int), {1: 1})], ONE), TypeError, "65536"),
        (lambda: vesica.evaluate_panoptic(ONE, ONE, quirks="pycocotools"), ValueError, "panopticapi"),
        (lambda: vesica.evaluate_panoptic(ONE, ONE, things=[7]), ValueError, "got 7"),
        (lambda: vesica.evaluate_panoptic(ONE, ONE, truth_folder="here"), TypeError, "truth_folder"),
        (lambda: vesica.evaluate_panoptic([([[1]], {1: "cat"})], ONE), InputError, "whole number"),
        (lambda: vesica.evaluate_panoptic([([[1]], {})], ONE), InputError, "pixels of segment 1"),
    ],
)
def test_wrong_calls(call, error, words):
    with pytest.raises(error, match=words):
        call()
