"""Results and policies: the mapping, the tables, the words, and what is asked of them wrongly."""

import dataclasses
import itertools
import json
import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vesica import SegmentationPolicy, evaluate_segmentation
from vesica.errors import InputError
from vesica.results.result import UnknownNumber
from vesica.segmentation import PRESETS
from vesica.segmentation.averages import sum_in_any_order
from vesica.segmentation.rules import FIELDS, SUMMARY
from vesica.segmentation.scores import values_of

RNG = np.random.default_rng(2)
TRUTH, GUESS = RNG.integers(0, 5, (2, 7, 9, 8))
NAMES = ["road", "sky", "car", "tree", "person", "never"]
RESULT = evaluate_segmentation(
    TRUTH, GUESS, categories=NAMES, images=list("gfedcba"), groups=["p", "p", "q", "q", "q", "r", "r"]
)


def by_hand(truth, guess, label):
    a, b = truth == label, guess == label
    return int((a & b).sum()), int((~a & b).sum()), int((a & ~b).sum()), int((~a & ~b).sum())


class TestInterval:
    RNG = np.random.default_rng(3)
    TRUTH = RNG.integers(0, 3, (12, 6, 8))
    GUESS = np.where(RNG.random(TRUTH.shape) < 0.8, TRUTH, 0)

    @pytest.mark.parametrize("order", ["totals", "images", "classes", "cells"])
    @pytest.mark.parametrize("name", ["mIoU", "pixel_accuracy", "fwIoU"])
    def test_holds_the_number(self, name, order):
        policy = SegmentationPolicy(average=order)
        result = evaluate_segmentation(self.TRUTH, self.GUESS, policy=policy)
        ends = result.interval(name)
        assert ends.lo < result[name] < ends.hi

    def test_any_order(self):
        ids = [f"image {k}" for k in range(12)]
        order = np.arange(12)[::-1]
        one = evaluate_segmentation(self.TRUTH, self.GUESS, images=ids)
        other = evaluate_segmentation(self.TRUTH[order], self.GUESS[order], images=[ids[k] for k in order])
        assert one.interval("mIoU") == other.interval("mIoU") != one.interval("mIoU", seed=1)

    def test_groups_are_wider(self):
        """Images of one group that are the same are one image."""
        truth, guess = self.TRUTH[:4].repeat(3, axis=0), self.GUESS[:4].repeat(3, axis=0)
        result = evaluate_segmentation(truth, guess, groups=np.arange(4).repeat(3).tolist())
        wide, narrow = result.interval("mIoU", by="group"), result.interval("mIoU")
        assert wide.hi - wide.lo > narrow.hi - narrow.lo

    def test_bad(self):
        result = evaluate_segmentation(self.TRUTH, self.GUESS)
        with pytest.raises(ValueError, match="`name` must be one of"):
            result.interval("IoU")
        with pytest.raises(ValueError, match="`by` must be one of"):
            result.interval("mIoU", by="patient")
        with pytest.raises(ValueError, match="group"):
            result.interval("mIoU", by="group")


class TestTables:
    """Every headline can be recomputed from its table (P09)."""

    def test_cells(self):
        rows = RESULT.per_cell()
        assert len(rows) == 7 * 6
        for row in rows:
            k = "gfedcba".index(row["image"])
            counts = by_hand(TRUTH[k], GUESS[k], NAMES.index(row["category"]))
            assert tuple(row[name] for name in ("tp", "fp", "fn", "tn")) == counts
        values = [row["IoU"] for row in rows if row["IoU"] is not None]
        assert RESULT.average("mIoU", average="cells").value == pytest.approx(np.mean(values), abs=1e-15)
        assert RESULT.average("mIoU", average="cells")[1:] == (len(values), len(rows) - len(values))

    def test_classes(self):
        rows = RESULT.per_class()
        assert [row["category"] for row in rows] == NAMES and [row["label"] for row in rows] == list(range(6))
        for row in rows:
            assert (row["tp"], row["fp"], row["fn"]) == by_hand(TRUTH, GUESS, row["label"])[:3]
        defined = [row["IoU"] for row in rows if row["IoU"] is not None]
        assert RESULT["mIoU"] == pytest.approx(np.mean(defined), abs=1e-15) and len(defined) == 5
        assert rows[-1]["status"] == "absent" and rows[-1]["images"] == 0

    def test_classes_in_another_order(self):
        rows = RESULT.per_class(average="classes")
        want = [[cell["IoU"] for cell in RESULT.per_cell() if cell["category"] == name] for name in NAMES[:5]]
        for row, values in zip(rows, want, strict=False):
            assert row["IoU"] == pytest.approx(np.mean([v for v in values if v is not None]), abs=1e-15)

    def test_images(self):
        rows = RESULT.per_image()
        assert [row["image"] for row in rows] == list("gfedcba") and rows[0]["group"] == "p"
        assert RESULT.average("mDice", average="images").value == pytest.approx(np.mean([row["mDice"] for row in rows]))
        assert all(row["used"] + row["left_out"] == 6 for row in rows)

    def test_groups(self):
        rows = RESULT.per_group()
        assert [(row["group"], row["images"]) for row in rows] == [("p", 2), ("q", 3), ("r", 2)]
        for row, images in zip(rows, (slice(0, 2), slice(2, 5), slice(5, 7)), strict=True):
            assert row["mIoU"] == pytest.approx(evaluate_segmentation(TRUTH[images], GUESS[images])["mIoU"], abs=1e-15)

    def test_no_groups(self):
        with pytest.raises(ValueError, match="have no groups"):
            evaluate_segmentation(TRUTH, GUESS).per_group()

    def test_confusion(self):
        table = RESULT.confusion()
        assert table.shape == (6, 6) and table.sum() == TRUTH.size
        assert np.diag(table).tolist() == [row["tp"] for row in RESULT.per_class()]

    def test_all_pixels_ignored(self):
        result = evaluate_segmentation(np.full((2, 4, 4), 255), np.zeros((2, 4, 4), int), ignore=255, categories=[0, 1])
        assert all(value is None for value in result.numbers.values())
        assert [row["status"] for row in result.per_image()] == ["undefined", "undefined"]
        json.loads(result.to_json(), parse_constant=lambda word: pytest.fail(word))


class TestMapping:
    def test_names(self):
        assert tuple(RESULT) == SUMMARY and len(RESULT) == len(SUMMARY) and "mIoU" in RESULT
        assert dict(RESULT) == {name: RESULT.average(name).value for name in SUMMARY}

    def test_unknown_name(self):
        with pytest.raises(UnknownNumber, match='Did you mean "mIoU"'):
            RESULT["miou"]

    def test_each(self):
        result = RESULT.under(SegmentationPolicy(classes="each"))
        assert result["IoU[road]"] == RESULT.per_class()[0]["IoU"] and math.isnan(result["IoU[never]"])
        assert "IoU[sky]" in str(result)

    def test_json(self):
        told = json.loads(RESULT.to_json())
        assert told["summary"]["mIoU"] == RESULT["mIoU"] and told["policy_hash"] == RESULT.policy.hash
        assert told["classes"][5]["IoU"] is None and told["by_image"]["mIoU"]["left_out"] == 7

    def test_repr(self):
        assert repr(RESULT).startswith("SegmentationResult(mIoU 0.")
        assert "<table>" in RESULT._repr_html_()
        assert RESULT.policy.hash in str(RESULT)

    def test_immutable(self):
        with pytest.raises(dataclasses.FrozenInstanceError):
            RESULT.policy = None

    @pytest.mark.parametrize(
        "call, match",
        [
            (lambda r: r.score("iou"), 'Did you mean "IoU"'),
            (lambda r: r.score("IoU", average="total"), 'Did you mean "totals"'),
            (lambda r: r.score("IoU", classes="none"), "`classes` must be one of"),
            (lambda r: r.score("F-beta", beta=0), "`beta` must be above 0"),
            (lambda r: r.average("IoU"), 'Did you mean "mIoU"'),
            (lambda r: r.per_class(average="x"), "`average` must be one of"),
            (lambda r: r.gates("mIOU>=1"), "has no number 'mIOU'"),
            (lambda r: r.gates("IoU[rode]>=1"), "Did you mean 'road'"),
        ],
    )
    def test_wrong_names(self, call, match):
        with pytest.raises(ValueError, match=match):
            call(RESULT)


class TestGates:
    def test_gates(self):
        row = RESULT.per_class()[0]
        (verdict,) = RESULT.gates(f"IoU[road]>={row['IoU']}")
        assert verdict.passed and verdict.value == row["IoU"]
        assert RESULT.gates(f"IoU[0]>={row['IoU']}")[0].passed  # by its label
        assert [v.passed for v in RESULT.gates("mIoU>=0", "mIoU>0.99", "Dice[road,sky]<=1")] == [
            True,
            False,
            True,
            True,
        ]

    def test_undefined(self):
        (verdict,) = RESULT.gates("IoU[never]>=0.1")
        assert not verdict.passed and verdict.value is None and verdict.reason


class TestPolicy:
    def test_hash(self):
        hashes = {SegmentationPolicy(**{name: word}).hash for name, words in FIELDS.items() for word in words[1:]}
        assert len(hashes) == sum(len(words) - 1 for words in FIELDS.values())
        assert SegmentationPolicy(ignore=[2, 1, 2]) == SegmentationPolicy(ignore=(1, 2))
        assert SegmentationPolicy(ignore=np.int64(3)).hash == SegmentationPolicy(ignore=3).hash

    @pytest.mark.parametrize("name", FIELDS)
    def test_words(self, name):
        with pytest.raises(ValueError, match=f"`{name}` must be one of"):
            SegmentationPolicy(**{name: "nothing"})

    @pytest.mark.parametrize(
        "fields, match",
        [
            ({"ignore": 1.5}, "`ignore` must be a label"),
            ({"ignore": [None]}, "`ignore` must be labels"),
            ({"background": "sky"}, "`background` must be a label"),
            ({"background": 0, "ignore": (0, 255)}, "`background` must not be ignored"),
            ({"spacing": (1, 0)}, "`spacing` must be"),
            ({"spacing": 1}, "`spacing` must be"),
            ({"tau": -1}, "`tau` must not be negative"),
            ({"like": "monay"}, 'Did you mean "monai"'),
            ({"like": "monai", "both_empty": "one"}, "`both_empty` is decided by like='monai'"),
        ],
    )
    def test_bad(self, fields, match):
        with pytest.raises((ValueError, TypeError), match=match):
            SegmentationPolicy(**fields)

    def test_round_trip(self):
        policy = SegmentationPolicy(ignore=(3, 255), spacing=(1, 2), tau=1.5, background=0, average="cells")
        assert SegmentationPolicy.from_dict(json.loads(json.dumps(dataclasses.asdict(policy)))) == policy

    @pytest.mark.parametrize("like", PRESETS)
    def test_presets_are_policies(self, like):
        """Every field of every preset is one that a policy may have."""
        for score in PRESETS[like].scores:
            assert SegmentationPolicy(like=like).of(score).like is None

    def test_under_needs_one(self):
        for arguments in ({}, {"like": "monai"}):
            with pytest.raises(TypeError, match="one of the two"):
                RESULT.under(*([SegmentationPolicy()] if arguments else []), **arguments)

    def test_under_keeps_the_labels(self):
        result = evaluate_segmentation([[0, 1, 255]], [[0, 1, 1]], ignore=255, background=0)
        assert result.under(like="monai").policy.ignore == (255,)
        assert result.under(like="monai").policy.background == 0
        with pytest.raises(InputError, match="label 255"):
            evaluate_segmentation([[0, 1, 255]], [[0, 1, 1]], ignore=255, categories=2).under(SegmentationPolicy())


class TestSums:
    @given(st.lists(st.floats(0, 1), min_size=1, max_size=60), st.randoms())
    def test_any_order(self, values, random):
        shuffled = list(values)
        random.shuffle(shuffled)
        first, second = (float(sum_in_any_order(np.array(one))) for one in (values, shuffled))
        assert first == second and first == pytest.approx(math.fsum(values), rel=1e-15, abs=1e-14)

    @given(st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=30), st.randoms())
    def test_any_size(self, values, random):
        shuffled = list(values)
        random.shuffle(shuffled)
        assert float(sum_in_any_order(np.array(values))) == float(sum_in_any_order(np.array(shuffled)))

    @pytest.mark.parametrize("axis", [None, 0, 1])
    def test_axes(self, axis):
        values = RNG.random((50, 30))
        assert sum_in_any_order(values, axis=axis) == pytest.approx(values.sum(axis=axis), rel=1e-14)

    def test_empty(self):
        assert sum_in_any_order(np.empty(0)) == 0 and sum_in_any_order(np.zeros((0, 3)), axis=0).tolist() == [0, 0, 0]


maps = st.integers(0, 2**32).map(lambda seed: np.random.default_rng(seed).integers(0, 4, (2, 3, 4, 5)))


class TestProperties:
    @settings(deadline=None, max_examples=40)
    @given(maps)
    def test_swapped_sides(self, pair):
        one, other = evaluate_segmentation(*pair), evaluate_segmentation(*pair[::-1])
        for name in ("IoU", "Dice"):
            assert [row[name] for row in one.per_class()] == [row[name] for row in other.per_class()]
        assert one["mPA_precision"] == other["mPA_recall"] and one["pixel_accuracy"] == other["pixel_accuracy"]

    @settings(deadline=None, max_examples=40)
    @given(maps, st.permutations(range(4)))
    def test_relabelled_classes(self, pair, labels):
        renamed = np.array([100 + 7 * one for one in labels])[pair]
        one, other = evaluate_segmentation(*pair), evaluate_segmentation(*renamed)
        for name in SUMMARY:
            assert one[name] == pytest.approx(other[name], rel=1e-13)

    @settings(deadline=None, max_examples=40)
    @given(maps)
    def test_bounds_and_relations(self, pair):
        result = evaluate_segmentation(*pair)
        for row in result.per_cell():
            if row["status"] == "ok":
                assert 0 <= row["IoU"] <= row["Dice"] <= 1
                assert row["Dice"] == pytest.approx(2 * row["IoU"] / (1 + row["IoU"]))
                assert (
                    min(row["precision"], row["recall"]) - 1e-15
                    <= row["Dice"]
                    <= max(row["precision"], row["recall"]) + 1e-15
                )
        cells = result.cells
        assert cells.truth.sum() == cells.guess.sum() == pair[0].size  # ΣFP = ΣFN with nothing ignored
        assert result.score("F-beta", beta=1).value == result["mDice"]
        assert result.score("Dice", classes="micro").value == pytest.approx(result["pixel_accuracy"])

    @settings(deadline=None, max_examples=20)
    @given(maps, st.integers(1, 4))
    def test_threads(self, pair, threads):
        assert evaluate_segmentation(*pair, threads=threads).to_bytes() == evaluate_segmentation(*pair).to_bytes()


@pytest.mark.parametrize("score", ["IoU", "Dice", "precision", "recall", "F-beta"])
@pytest.mark.parametrize("order", ["images", "classes", "cells"])
def test_means_of_cells_under_every_policy(score, order):
    """What is kept of full cells, with the values of the others, against plain means of the cells one by one."""
    rng = np.random.default_rng(5)
    truth, guess = (rng.choice([0, 1, 2, 4], (6, 3, 4), p=[0.6, 0.2, 0.1, 0.1]) for _ in range(2))
    whole = evaluate_segmentation(truth, guess, categories=6)  # 3 and 5 are nowhere
    words = (FIELDS[name] for name in ("both_empty", "one_empty", "absent"))
    for both_empty, one_empty, absent in itertools.product(*words):
        policy = SegmentationPolicy(both_empty=both_empty, one_empty=one_empty, absent=absent)
        found = whole.under(policy)
        values = values_of(found.cells, score, policy, beta=2.0, absent=found.cells.is_absent)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # means of nothing
            want = {
                "images": np.nanmean(np.nanmean(values, axis=1)),
                "classes": np.nanmean(np.nanmean(values, axis=0)),
                "cells": np.nanmean(values),
            }[order]
        value, used, left_out = found.score(score, average=order, classes="macro", beta=2.0)
        assert value == pytest.approx(want, rel=1e-13, nan_ok=True)
        assert (used, left_out) == (int((~np.isnan(values)).sum()), int(np.isnan(values).sum()))


class TestVoid:
    """255 means "no class" in most data sets; who forgets to say so is told."""

    def test_is_told(self):
        (note,) = (one for one in evaluate_segmentation([[0, 1, 255]], [[0, 1, 1]]).notes if one.rule == "void")
        assert note.count == 1 and "`ignore` it (--ignore 255)" in note.text

    @pytest.mark.parametrize(
        "truth, guess, options",
        [
            ([[0, 1, 255]], [[0, 1, 1]], {"ignore": 255}),
            ([[0, 1, 255]], [[0, 1, 255]], {}),  # a class like any other
            ([[0, 1, 255]], [[0, 1, 1]], {"categories": {0: "road", 1: "car", 255: "sky"}}),
            ([[0, 1, 1]], [[0, 1, 255]], {}),
        ],
    )
    def test_is_not_told(self, truth, guess, options):
        assert not [one for one in evaluate_segmentation(truth, guess, **options).notes if one.rule == "void"]
