"""Anchor-free heads: a plain loop over boxes does what the documentation of such heads says."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
from vesica import SizeValueError, grid, iou

WAYS = [
    pytest.param({}, id="by class"),
    pytest.param({"per_class": False}, id="agnostic"),
    pytest.param({"multi_label": True}, id="many labels"),
    pytest.param({"multi_label": True, "per_class": False}, id="many labels, agnostic"),
    pytest.param({"limit": 3}, id="limit"),
    pytest.param({"candidates": 5}, id="candidates"),
    pytest.param({"multi_label": True, "candidates": 9, "limit": 4}, id="all"),
    pytest.param({"above": 0.7, "min_score": 0.001, "multi_label": True}, id="as in validation"),
]


def head(batch=2, classes=4, boxes=40, seed=0, dtype="float64"):
    """Boxes that crowd around a few places, so that many overlap; most chances are small."""
    rng = np.random.default_rng(seed)
    place = rng.uniform(20, 180, (batch, 2, 6))[:, :, rng.integers(0, 6, boxes)]
    rows = [place + rng.normal(0, 4, (batch, 2, boxes)), rng.uniform(20, 50, (batch, 2, boxes))]
    return np.concatenate([*rows, rng.random((batch, classes, boxes)) ** 3], axis=1).astype(dtype)


def by_hand(output, *, min_score=0.25, above=0.45, per_class=True, multi_label=False, candidates=None, limit=None):
    """For each image (box, class) of what stays: filter, sort, greedy suppression, limit; one box after the other."""
    images = []
    for one in output.tolist():
        columns = list(zip(*one, strict=True))
        rows = []
        for k, (x, y, w, h, *chances) in enumerate(columns):
            labels = range(len(chances)) if multi_label else [chances.index(max(chances))]
            corners = (x - w / 2, y - h / 2, x + w / 2, y + h / 2)
            rows += [(chances[c], k, c, corners) for c in labels if chances[c] >= min_score]
        rows.sort(key=lambda row: -row[0])
        kept = []
        for row in rows[:candidates]:
            rivals = [other for other in kept if not per_class or other[2] == row[2]]
            if all(oracles.iou(other[3], row[3]) <= above for other in rivals):
                kept.append(row)
        images.append([row[1:3] for row in kept[:limit]])
    return images


def pairs(found, back=np.asarray):
    """(box, class) of what stays, for each image."""
    index, labels, ends = (back(column).tolist() for column in (found.index, found.labels, found.offsets))
    rows = list(zip(index, labels, strict=True))
    return [rows[a:b] for a, b in itertools.pairwise(ends)]


class TestIsThePlainLoop:
    @pytest.mark.parametrize("options", WAYS)
    @pytest.mark.parametrize("seed", range(3))
    def test_random(self, options, seed):
        output = head(seed=seed)
        found = grid.detect(output, **options)
        assert pairs(found) == by_hand(output, **options)
        image = np.repeat(np.arange(2), np.diff(found.offsets))
        x, y, w, h = output[image, :4, found.index].T
        assert found.boxes == pytest.approx(np.stack([x - w / 2, y - h / 2, x + w / 2, y + h / 2], axis=1))
        assert np.array_equal(found.scores, output[image, 4 + found.labels, found.index])

    def test_options_tell_the_answers_apart(self):
        """All but one: agnostic, a box suppresses itself under its second label."""
        answers = {way.id: pairs(grid.detect(head(), **way.values[0])) for way in WAYS}
        assert answers.pop("many labels, agnostic") == answers["agnostic"]
        assert all(a != b for a, b in itertools.combinations(answers.values(), 2))

    @given(st.integers(0, 2**32), st.integers(1, 5), st.integers(0, 30), st.booleans(), st.booleans())
    def test_any_shape(self, seed, classes, boxes, per_class, multi_label):
        output = head(1, classes, boxes, seed)
        options = {"per_class": per_class, "multi_label": multi_label}
        assert pairs(grid.detect(output, classes=classes, **options)) == by_hand(output, **options)

    def test_class_offsets_give_the_same(self):
        """The usual trick, classes moved apart by more than the image is wide, without class-aware NMS."""
        output = head(1, 5, 200, seed=9)
        label = output[:, 4:].argmax(axis=1)
        moved = output.copy()
        moved[:, :2] += 7680 * label[:, None]
        assert pairs(grid.detect(output)) == pairs(grid.detect(moved, per_class=False))


class TestAnswer:
    def test_in_every_library(self, xp):
        output = head(dtype="float32")
        for options in ({}, {"multi_label": True, "candidates": 30}):
            found, here = grid.detect(output, **options), grid.detect(xp(output), **options)
            assert type(here.boxes) is type(xp(output)) and pairs(found) == pairs(here, xp.back)

    def test_halves_are_widened(self):
        assert grid.detect(head(dtype="float16")).boxes.dtype == np.float32

    def test_rows_that_are_no_classes(self):
        output = head(1, 3)
        weights = np.full((1, 32, 40), 7.5)
        with_masks = grid.detect(np.concatenate([output, weights], axis=1), classes=3)
        assert pairs(with_masks) == pairs(grid.detect(output))

    def test_a_score_at_the_bar_stays(self):
        output = np.array([[[5], [5], [2], [2], [0.3]]], "float32")
        assert len(grid.detect(output, min_score=0.3)) == 1 and len(grid.detect(output, min_score=0.31)) == 0

    def test_other_forms(self):
        output = head()
        corners = output.copy()
        corners[:, :2], corners[:, 2:4] = output[:, :2] - output[:, 2:4] / 2, output[:, :2] + output[:, 2:4] / 2
        assert pairs(grid.detect(corners, form="xyxy")) == pairs(grid.detect(output))

    def test_other_measures(self):
        assert len(grid.detect(head(), measure="overlap")) < len(grid.detect(head()))
        assert len(grid.detect(head(), measure=iou)) == len(grid.detect(head()))

    def test_empty(self):
        nothing = grid.detect(np.zeros((3, 84, 8400), "float32"))
        assert len(nothing) == 0 and nothing.offsets.tolist() == [0, 0, 0, 0] and nothing.boxes.shape == (0, 4)
        assert len(grid.detect(np.zeros((0, 84, 8400)))) == len(grid.detect(np.zeros((1, 84, 0)))) == 0


class TestRefused:
    @pytest.mark.parametrize(
        "output, options, message",
        [
            (
                np.broadcast_to(0.0, (1, 8400, 84)),
                {},
                r"got \(1, 8400, 84\), more rows than boxes.*exchange the last two axes",
            ),
            (np.broadcast_to(0.0, (84, 8400)), {}, r"got \(84, 8400\). One image is a batch of one: output\[None\]"),
            (np.zeros((1, 4, 9)), {}, r"must have shape \(B, 4 \+ classes, N\)"),
            (np.zeros((1, 6, 9)), {"classes": 3}, "`classes` must be at most the 2 rows after the fourth; got 3"),
            (head() * [[[1]]] * 3 - 1, {}, "must have chances from 0 to 1.*Logits become chances by a sigmoid"),
            (np.full((1, 6, 9), np.nan), {}, "chances from 0 to 1.*got nan as the largest of box 0 of image 0"),
            (np.array([[[5], [5], [-2], [2], [0.9]]]), {}, "sides are not negative; box 0 of image 0 has corners"),
            (np.array([[[np.inf], [5], [2], [2], [0.9]]]), {}, "must have finite boxes"),
            (head(), {"candidates": 0}, "`candidates`"),
            (head(), {"min_score": np.nan}, "`min_score`"),
        ],
    )
    def test_value(self, output, options, message):
        with pytest.raises((ValueError, SizeValueError), match=message):
            grid.detect(output, **options)

    def test_many_classes_may_be_said(self):
        assert len(grid.detect(np.zeros((1, 84, 20)), classes=80)) == 0
