"""Weighted box fusion: a plain loop over clusters that move."""

import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
import strategies
from vesica import Boxes, Fused, Polygons, SizeValueError, fuse

some_scores = st.one_of(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), st.floats(0, 1))


def lists_of(values, length):
    return st.lists(values, min_size=length, max_size=length)


def proposals(objects, each, seed, side=200.0):
    rng = np.random.default_rng(seed)
    corner, size = rng.uniform(0, side, (objects, 2)), np.exp(rng.normal(2.5, 0.5, (objects, 2)))
    which = np.repeat(np.arange(objects), each)
    jitter = rng.normal(0, 0.08, (len(which), 4)) * np.concatenate([size, size], axis=1)[which]
    rows = np.concatenate([corner, corner + size], axis=1)[which] + jitter
    return np.concatenate([np.minimum(rows[:, :2], rows[:, 2:]), np.maximum(rows[:, :2], rows[:, 2:])], axis=1), which


class TestValue:
    def test_reported_input(self):
        """Weighted-Boxes-Fusion#40, whose first score was 1.333: both boxes of one model, which has 2 of 3 votes."""
        boxes = [[0.1, 0.1, 0.2, 0.2], [0.1, 0.1, 0.2, 0.2], [0.3, 0.3, 0.4, 0.4]]
        fused = fuse(boxes, [1, 1, 0.5], models=[0, 0, 1], weights=[2, 1])
        assert fused.scores.tolist() == [pytest.approx(2 / 3), pytest.approx(1 / 6)]
        assert fused.boxes.xyxy == pytest.approx(np.array(boxes)[[0, 2]])
        assert fused.members.tolist() == [0, 0, 1] and fused.first.tolist() == [0, 2]

    @given(strategies.tables(dtype="int64"), st.data())
    def test_is_the_plain_loop(self, rows, data):
        scores = data.draw(lists_of(some_scores, len(rows)))
        weights = data.draw(st.lists(st.sampled_from([0.5, 1.0, 2.0, 0.3]), min_size=1, max_size=3))
        models = data.draw(lists_of(st.integers(0, len(weights) - 1), len(rows)))
        keys = data.draw(lists_of(st.integers(0, 1), len(rows)))
        t = data.draw(st.sampled_from([0, 0.1, 0.3, 0.55, 0.9, 1]))
        fused = fuse(rows, scores, above=t, models=models, weights=weights, keys=keys)
        found = oracles.fused_clusters(rows.astype(float).tolist(), scores, models, weights, Fraction(str(t)), keys)
        found.sort(key=lambda cluster: (-cluster[2], cluster[0][0]))
        assert [np.flatnonzero(fused.members == k).tolist() for k in range(len(fused))] == [
            sorted(members) for members, _, _ in found
        ]
        assert fused.first.tolist() == [members[0] for members, _, _ in found]
        assert fused.scores.tolist() == [score for _, _, score in found]
        assert fused.boxes.xyxy == pytest.approx(np.array([box for _, box, _ in found]).reshape(-1, 4), abs=1e-9)

    def test_many_are_the_plain_loop(self):
        rows, _ = proposals(50, 6, seed=1)
        rng = np.random.default_rng(2)
        scores, models, keys = rng.random(300), rng.integers(0, 3, 300), rng.integers(0, 2, 300)
        fused = fuse(rows, scores, models=models, weights=[1, 2, 0.5], keys=keys)
        found = oracles.fused_clusters(
            rows.tolist(), scores.tolist(), models.tolist(), [1.0, 2.0, 0.5], Fraction("0.55"), keys.tolist()
        )
        assert sorted(sorted(members) for members, _, _ in found) == sorted(
            np.flatnonzero(fused.members == k).tolist() for k in range(len(fused))
        )
        assert 60 < len(fused) < 250

    @pytest.mark.parametrize(
        "across, down", [(-500, -500), (-140, -140), (-75, -75), (100, 100), (480, 480), (-400, 400), (400, -410)]
    )
    def test_sides_of_any_size(self, across, down):
        """Float32, in which partners are looked for, has neither such sides nor such areas."""
        rows, _ = proposals(50, 6, seed=1)
        scores, powers = np.random.default_rng(2).random(300), [across, down, across, down]
        want, fused = fuse(rows, scores), fuse(np.ldexp(rows, powers), scores)
        assert fused.members.tolist() == want.members.tolist() and 40 < len(fused) < 100
        assert np.array_equal(fused.boxes.xyxy, np.ldexp(want.boxes.xyxy, powers))

    def test_far_from_the_origin(self):
        """In float32 all of them have the same corners."""
        rows = np.round(64 * proposals(50, 6, seed=1)[0]) / 64 + 2.0**33
        assert len(np.unique(rows.astype("float32"))) == 1
        scores = np.random.default_rng(2).random(300)
        fused = fuse(rows, scores)
        found = oracles.fused_clusters(rows.tolist(), scores.tolist(), [0] * 300, [1.0], Fraction("0.55"), [0] * 300)
        assert sorted(sorted(members) for members, _, _ in found) == sorted(
            np.flatnonzero(fused.members == k).tolist() for k in range(len(fused))
        )

    @pytest.mark.parametrize("level", ["avx512", "avx2", "baseline"])
    def test_every_instruction_set(self, level):
        from vesica import _native

        rows, _ = proposals(150, 5, seed=3)
        scores = np.random.default_rng(4).random(len(rows))
        want = fuse(rows, scores)
        try:
            _native.limit_isa(level)
            fused = fuse(rows, scores)
        finally:
            _native.limit_isa("avx512")
        assert fused.members.tolist() == want.members.tolist()
        assert np.array_equal(fused.boxes.xyxy, want.boxes.xyxy)

    def test_the_oldest_of_equals(self):
        """The last box has iou 1/5 with both of the others."""
        fused = fuse([[0, 0, 2, 1], [4, 0, 6, 1], [1, 0, 5, 1]], [0.9, 0.9, 0.9], above=0.1)
        assert fused.members.tolist() == [0, 1, 0]

    def test_exactly_at_the_threshold_opens_its_own(self):
        rows = [[0, 0, 20, 20], [0, 0, 20, 11]]
        assert len(fuse(rows, [1, 1], above=0.55)) == 2 and len(fuse(rows, [1, 1], above=0.549)) == 1

    def test_order_is_score_model_row(self):
        rows = [[0, 0, 1, 1]] * 4
        assert fuse(rows, [0.5] * 4, models=[2, 1, 0, 0]).first.tolist() == [2]
        assert fuse(rows, [0.5, 0.5, 0.5, 1], models=[2, 1, 0, 0], weights=[1, 1, 4]).first.tolist() == [0]

    def test_zero_scores_are_a_plain_mean(self):
        fused = fuse([[0, 0, 10, 10], [2, 0, 12, 10]], [0, 0])
        assert fused.boxes.xyxy.tolist() == [[1, 0, 11, 10]] and fused.scores.tolist() == [0]

    @pytest.mark.parametrize("scale", [5e-324, 1e-300, 1e-12, 1e100])
    def test_scores_of_any_size(self, scale):
        fused = fuse([[0.3, 0.3, 0.9, 0.9], [0.3, 0.3, 0.9, 0.8]], [scale, scale])
        assert fused.boxes.xyxy == pytest.approx(np.array([[0.3, 0.3, 0.9, 0.85]]))

    def test_a_missing_model_lowers_the_score(self):
        one = [[0, 0, 1, 1]]
        assert fuse(one, [0.8], models=[1]).scores.tolist() == [0.4]
        assert fuse(one, [0.8], models=[0], weights=[1, 1, 2]).scores.tolist() == [0.2]

    def test_areas_of_nothing_stay_alone(self):
        assert len(fuse([[1, 1, 1, 1]] * 3, [0.5] * 3, above=0)) == 3

    @given(strategies.tables(1), st.data())
    def test_never_above_the_best_score(self, rows, data):
        scores = data.draw(lists_of(some_scores, len(rows)))
        models = data.draw(lists_of(st.integers(0, 2), len(rows)))
        fused = fuse(rows, scores, models=models, weights=[2, 1, 0.1])
        assert fused.scores.max() <= max(scores)
        low, high = rows[:, :2].min(axis=0), rows[:, 2:].max(axis=0)
        corners = fused.boxes.xyxy
        assert np.all(corners[:, :2] <= corners[:, 2:])
        assert np.all(corners[:, :2] >= low - 1e-9 * np.abs(low)) and np.all(corners[:, 2:] <= high + 1e-9 * abs(high))


ENSEMBLE = json.loads((Path(__file__).parent / "data" / "fusion.json").read_text())["cases"]
WAYS = ["box_and_model_avg", "absent_model_aware_avg", "avg", "max"]


@pytest.mark.parametrize("case", range(len(ENSEMBLE)))
@pytest.mark.parametrize("way", WAYS)
def test_is_ensemble_boxes(case, way):
    """The answers of ensemble-boxes 1.0.9, which sums corners in float32; tests/data/fusion.py wrote them."""
    given = ENSEMBLE[case]
    want = given["answers"][way]
    options = {name: given[name] for name in ("models", "weights", "keys", "above")}
    fused = fuse(given["boxes"], given["scores"], score=way, **options)
    label = np.array(given["keys"])[fused.first]
    order = np.lexsort((*fused.boxes.xyxy.T[::-1], label))
    assert fused.boxes.xyxy[order] == pytest.approx(np.array(want["boxes"]), abs=1e-6)
    assert fused.scores[order] == pytest.approx(np.array(want["scores"]), rel=1e-6)
    assert fused.scores.tolist() == sorted(fused.scores, reverse=True)


def test_ensemble_cases_tell_the_ways_apart():
    """Some cluster has two boxes of one model, and some model is absent; else the ways would agree."""
    for k, way in enumerate(WAYS):
        for other in WAYS[k + 1 :]:
            assert any(c["answers"][way]["scores"] != c["answers"][other]["scores"] for c in ENSEMBLE)


class TestWays:
    @pytest.mark.parametrize(
        "way, once, twice",
        [
            ("box_and_model_avg", 0.8 * 2 / 3, 0.7 * 2 / 3),
            ("absent_model_aware_avg", 0.8 * 2 / 3, (0.8 + 0.6) * 2 / 5),
            ("avg", 0.8 * 2 / 3, (0.8 + 0.6) * 2 / 3),
            ("max", 0.8, 0.8),
        ],
    )
    def test_a_model_votes_once(self, way, once, twice):
        """Of models that weigh 2 and 1, the first has one box, then two; "avg" takes the second for another model."""
        box, weights = [0, 0, 10, 10], [2, 1]
        alone = fuse([box], [0.8], models=[0], weights=weights, score=way).scores
        both = fuse([box, box], [0.8, 0.6], models=[0, 0], weights=weights, score=way).scores
        assert alone.tolist() == [pytest.approx(once)] and both.tolist() == [pytest.approx(twice)]

    def test_ways_that_never_exceed_the_best(self):
        """Three times 0.1 is above 0.3, and a third of that above 0.1."""
        for way in WAYS[:2]:
            assert fuse([[0, 0, 1, 1]] * 3, [0.1] * 3, score=way).scores.tolist() == [0.1]
        assert fuse([[0, 0, 1, 1]] * 3, [0.1] * 3, models=[0, 0, 1], weights=[3, 1], score="avg").scores[0] > 0.11

    def test_zero_scores(self):
        for way in WAYS:
            assert fuse([[0, 0, 1, 1]] * 2, [0, 0], models=[0, 1], score=way).scores.tolist() == [0]
            assert len(fuse([], [], weights=[1, 2], score=way)) == 0

    def test_by_name(self):
        with pytest.raises(ValueError, match="`score` must be one of \"box_and_model_avg\".*got 'mean'"):
            fuse([[0, 0, 1, 1]], [0.5], score="mean")


class TestScale:
    def test_pixels_and_shares_agree(self):
        rows, _ = proposals(40, 5, seed=5)
        scores = np.random.default_rng(6).random(len(rows))
        pixels, shares = fuse(rows * 1024, scores), fuse(rows, scores)
        assert pixels.members.tolist() == shares.members.tolist()
        assert np.array_equal(pixels.boxes.xyxy, shares.boxes.xyxy * 1024)

    def test_nothing_is_clamped(self):
        assert fuse([[-5.5, -3, 2000, 7]], [0.5]).boxes.xyxy.tolist() == [[-5.5, -3, 2000, 7]]

    def test_other_forms(self):
        rows = np.array([[5.0, 5, 10, 10], [6, 5, 10, 10]])
        fused = fuse(Boxes(rows, "cxcywh"), [0.5, 0.5])
        assert fused.boxes.xyxy.tolist() == [[0.5, 0, 10.5, 10]]


class TestAnswer:
    def test_same_in_every_library(self, xp):
        rows, _ = proposals(20, 4, seed=7)
        scores = np.random.default_rng(8).random(len(rows))
        plain, here = fuse(rows, scores), fuse(xp(rows), xp(scores))
        for name in ("scores", "first", "members"):
            assert xp.back(getattr(here, name)).tolist() == getattr(plain, name).tolist()
        assert xp.back(here.boxes.array).tolist() == plain.boxes.array.tolist()
        assert type(here.boxes.array) is type(xp(rows)) and type(here.scores) is type(xp(rows))

    @pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32"])
    def test_floats_stay(self, dtype):
        fused = fuse(np.array([[0, 0, 4, 4]], dtype), np.array([1], dtype))
        want = dtype if dtype.startswith("float") else "float64"
        assert fused.boxes.array.dtype == want and fused.scores.dtype == want
        assert fused.first.dtype == fused.members.dtype == np.int64

    def test_threads_do_not_matter(self):
        rows, which = proposals(400, 5, seed=9)
        scores, keys = np.random.default_rng(10).random(len(rows)), which % 13
        one, two = (fuse(rows, scores, keys=keys, threads=n) for n in (1, 2))
        assert one.members.tolist() == two.members.tolist()
        assert np.array_equal(one.boxes.xyxy, two.boxes.xyxy) and np.array_equal(one.scores, two.scores)

    def test_keys_are_apart(self):
        rows = np.tile([[0.0, 0, 1, 1]], (4, 1))
        fused = fuse(rows, [0.9, 0.8, 0.7, 0.6], keys=(["a", "a", "b", "b"], [0, 1, 0, 0]))
        assert fused.members.tolist() == [0, 1, 2, 2] and len(fused) == 3

    def test_least_score(self):
        fused = fuse([[0, 0, 1, 1]] * 3, [0.9, 0.1, 0.8], min_score=0.5)
        assert fused.members.tolist() == [0, -1, 0] and fused.scores.tolist() == [pytest.approx(0.85)]

    def test_empty(self, xp):
        fused = fuse(xp(np.zeros((0, 4))), xp([]))
        assert isinstance(fused, Fused) and len(fused) == 0 and tuple(fused.boxes.array.shape) == (0, 4)
        assert len(fuse([], [], models=[], weights=[1, 2])) == 0

    def test_unchecked_rows_do_no_harm(self):
        strange = [[np.nan, 0, 1, 1], [0, 0, np.inf, 1], [3, 3, 1, 1], [0, 0, 1e300, 1e300], [0, 0, 1, 1]]
        assert len(fuse(Boxes(strange, check=False), [0.5] * 5)) == 5


class TestRefused:
    @pytest.mark.parametrize(
        "options, kind, message",
        [
            ({"above": 55}, ValueError, r"`above` must lie in \(0, 1\]; got 55"),
            ({"models": [0]}, SizeValueError, "`models` must name one model for each of the 2 boxes"),
            ({"models": [0.0, 1.0]}, TypeError, "`models` must be integers"),
            ({"models": [0, -1]}, ValueError, "`models` must count from 0; got -1 in row 1"),
            ({"models": [0, 10**9]}, ValueError, "`models` must be small numbers"),
            ({"models": [0, 2], "weights": [1, 1]}, SizeValueError, "got 2, and `models` names model 2"),
            ({"weights": [0.0]}, ValueError, "`weights` must be finite and above 0; got 0.0 for model 0"),
            ({"weights": [math.inf]}, ValueError, "`weights` must be finite and above 0; got inf"),
            ({"weights": "2"}, TypeError, "`weights` must be numbers, one for each model"),
            ({"keys": [1]}, SizeValueError, "`keys` must have one key for each of the 2 rows"),
        ],
    )
    def test_options(self, options, kind, message):
        with pytest.raises(kind, match=message):
            fuse([[0, 0, 1, 1]] * 2, [0.5, 0.5], **options)

    @pytest.mark.parametrize(
        "scores, message",
        [
            ([0.5, -0.1], "`scores` must not be negative, for they weigh the coordinates; got -0.1 in row 1"),
            ([0.5, math.nan], "`scores` must be finite; got nan in row 1"),
            ([0.5, 1e300], "`scores` times `weights` must stay below 2.480; got 1e.300 in row 1"),
        ],
    )
    def test_scores(self, scores, message):
        with pytest.raises(ValueError, match=message):
            fuse([[0, 0, 1, 1]] * 2, scores)

    def test_other_kinds(self):
        with pytest.raises(TypeError, match="`boxes` must be upright boxes.*got Polygons.*nmm"):
            fuse(Polygons.from_boxes([[0, 0, 1, 1]]), [0.5])

    def test_batches(self):
        with pytest.raises(ValueError, match="`boxes` must be one table"):
            fuse(np.zeros((2, 3, 4)), np.zeros((2, 3)))
