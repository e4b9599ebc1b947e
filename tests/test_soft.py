"""Soft-NMS: a plain loop, on the graph of overlaps."""

import math
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
import strategies
from vesica import Boxes, Kept, LabelMap, Masks, Polygons, RleMasks, RotatedBoxes, Sets, SizeValueError, soft_nms
from vesica._check.selection import host_scores

FOUR = [[0, 0, 10, 10], [1, 0, 11, 10], [20, 0, 30, 10], [0, 0, 10, 9]]
SCORES = [0.9, 0.8, 0.7, 0.6]
WHOLE = [[0, 0, 4, 4], [0, 0, 4, 3], [1, 1, 5, 5], [2, 0, 6, 4], [0, 0, 4, 4], [7, 7, 9, 9], [3, 3, 3, 9]]

some_scores = st.one_of(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9, 1.0]), st.floats(0, 1))


def lists_of(values, length):
    return st.lists(values, min_size=length, max_size=length)


def crowd(n, seed, side=60):
    rng = np.random.default_rng(seed)
    corner = rng.uniform(0, side, (n, 2))
    return np.concatenate([corner, corner + np.exp(rng.normal(1.5, 0.7, (n, 2)))], axis=1), rng.random(n)


def linear(t):
    return lambda m: 1.0 - float(m) if m > Fraction(str(t)) else 1.0


def looped(boxes, scores, least, left):
    """Picks by a loop over all boxes: left(iou) is what is left of their scores."""
    x1, y1, x2, y2 = boxes.T.copy()
    area, scores, picks = (x2 - x1) * (y2 - y1), scores.copy(), []
    while len(scores) and scores[best := int(np.argmax(scores))] >= least:
        picks.append((best, scores[best]))
        w = np.minimum(x2, x2[best]) - np.maximum(x1, x1[best])
        h = np.minimum(y2, y2[best]) - np.maximum(y1, y1[best])
        shared = np.maximum(w, 0) * np.maximum(h, 0)
        union = area + area[best] - shared
        scores *= left(np.divide(shared, union, out=np.zeros(len(boxes)), where=union > 0))
        scores[best], area[best], x2[best] = -np.inf, 0, x1[best]  # without area it meets nothing any more
    return picks


def faded(boxes, scores, sigma, least):
    return looped(boxes, scores, least, lambda m: np.exp(-(m**2) / sigma))


def lessened(boxes, scores, t, least):
    return looped(boxes, scores, least, lambda m: np.where(m > t, 1 - m, 1))


def gaussian(sigma):
    return lambda m: math.exp(-float(m) * float(m) / sigma) if m > 0 else 1.0


def listed(kept):
    return list(zip(kept.index.tolist(), kept.scores.tolist(), strict=True))


class TestValue:
    @pytest.mark.parametrize(
        "decay, left", [("linear", [0.9, 0.7, 0.1454545, 0.0154128]), ("gaussian", [0.9, 0.7, 0.2097190, 0.0393493])]
    )
    def test_worked_example(self, xp, decay, left):
        index, scores = soft_nms(xp(FOUR), xp(SCORES), decay=decay)
        assert xp.back(index).tolist() == [0, 2, 1, 3]
        assert xp.back(scores) == pytest.approx(left, abs=1e-7)

    @given(strategies.tables(dtype="int64"), st.data())
    def test_linear_is_the_plain_loop(self, rows, data):
        scores = data.draw(lists_of(some_scores, len(rows)))
        keys = data.draw(st.one_of(st.none(), lists_of(st.integers(0, 2), len(rows))))
        t = data.draw(st.sampled_from([0, 0.1, 0.3, 0.5, 0.55, 1]))
        least = data.draw(st.sampled_from([0.0, 0.001, 0.2]))
        dtype = data.draw(st.sampled_from(["int64", "float32", "float64"]))
        boxes = rows.tolist()
        want = oracles.soft_picks(scores, lambda i, j: oracles.iou(boxes[i], boxes[j]), linear(t), least, keys)
        assert listed(soft_nms(rows.astype(dtype), scores, above=t, min_score=least, keys=keys)) == want

    @given(strategies.tables(dtype="int64"), st.data())
    def test_gaussian_is_the_plain_loop(self, rows, data):
        scores = data.draw(lists_of(some_scores, len(rows)))
        sigma = data.draw(st.sampled_from([0.1, 0.5, 2.0]))
        boxes = rows.tolist()
        want = oracles.soft_picks(scores, lambda i, j: oracles.iou(boxes[i], boxes[j]), gaussian(sigma), 0.001)
        kept = soft_nms(rows, scores, decay="gaussian", sigma=sigma)
        assert kept.index.tolist() == [row for row, _ in want]
        assert kept.scores == pytest.approx([score for _, score in want], rel=1e-12)

    @pytest.mark.parametrize("sigma", [2.0, 0.5, 0.01, 0.0014])
    @pytest.mark.parametrize("make", [np.asarray, Polygons.from_boxes], ids=["boxes", "pairs"])
    def test_gaussian_to_the_last_digit(self, make, sigma):
        """Pairs with iou k / 1000, each of its own key: what is left of a score of 1 is e^(−m² / sigma)."""
        rows = np.array([row for k in range(1, 1001) for row in ([0, 0, 1000, 1], [0, 0, k, 1])])
        kept = soft_nms(make(rows), np.tile([2.0, 1.0], 1000), decay="gaussian", sigma=sigma, min_score=0,
                        keys=np.arange(2000) // 2)  # fmt: skip
        left = np.empty(2000)
        left[kept.index] = kept.scores
        want = [math.exp(-(k / 1000) * (k / 1000) / sigma) for k in range(1, 1001)]
        assert left[1::2] == pytest.approx(want, rel=5e-16 + 1e-13 * (sigma < 0.1), abs=1e-300)

    @pytest.mark.parametrize("sigma", [0.5, 0.3])
    @pytest.mark.parametrize("dtype", ["float32", "float64"])
    @pytest.mark.parametrize("scores", ["all different", "few values"])
    def test_many_boxes_under_every_instruction_set(self, each_isa, scores, dtype, sigma):
        """A loop over all boxes, by NumPy; so many that they are cleared away now and then, and several blocks tie."""
        rows, given = crowd(3000, 11, side=90)
        rows = rows.astype(dtype)
        given = given if scores == "all different" else np.round(given, 1)
        want = faded(rows.astype(float), given, sigma, 0.01)
        answers = each_isa(lambda: soft_nms(rows, given, decay="gaussian", sigma=sigma, min_score=0.01))
        for kept in answers.values():
            assert kept.index.tolist() == [row for row, _ in want]
            assert kept.scores == pytest.approx([score for _, score in want], rel=1e-12)
        assert len({(kept.index.tobytes(), kept.scores.tobytes()) for kept in answers.values()}) == 1
        lines = each_isa(lambda: soft_nms(rows, given, above=0.2).scores.tobytes())
        assert len(set(lines.values())) == 1

    @pytest.mark.parametrize("name", ["dice", "coverage", "overlap", "giou", "ciou"])
    def test_other_measures(self, name):
        rows, scores = crowd(40, 3, side=15)
        rows = np.round(rows)
        formula = getattr(oracles, name)
        want = oracles.soft_picks(scores, lambda i, j: formula(rows[i], rows[j]), linear(0.3), 0.001)
        kept = soft_nms(rows, scores, measure=name)
        assert kept.index.tolist() == [row for row, _ in want]
        assert kept.scores == pytest.approx([score for _, score in want], rel=1e-9)

    def test_the_taken_one_comes_first(self):
        """The small box covers 1/16 of the large one, which covers all of it."""
        rows, scores = [[0, 0, 8, 8], [0, 0, 2, 2]], [0.8, 0.4]
        assert soft_nms(rows, scores, measure="coverage", of="a").scores.tolist() == [0.8, 0.4]
        assert soft_nms(rows, scores, measure="coverage", of="b").index.tolist() == [0]
        polygons = Polygons.from_boxes(rows)
        assert soft_nms(polygons, scores, measure="coverage", of="a").scores.tolist() == [0.8, 0.4]
        assert soft_nms(polygons, scores, measure="coverage", of="b").index.tolist() == [0]

    @pytest.mark.parametrize("twentieths", range(1, 20))
    def test_every_tie(self, twentieths):
        """An iou of exactly t does not decay."""
        rows, t = [[0, 0, 20, 1], [0, 0, twentieths, 1]], twentieths / 20
        assert soft_nms(rows, [1, 0.5], above=t).scores.tolist() == [1.0, 0.5]
        assert soft_nms(rows, [1, 0.5], above=t - 0.01).scores.tolist() == [1.0, 0.5 * (1 - t)]

    def test_equal_scores_lower_row_first(self):
        assert soft_nms([[k, 0, k + 1, 1] for k in range(9)], [0.5] * 9).index.tolist() == list(range(9))

    def test_a_full_overlap_is_out_only_below_the_least_score(self):
        assert listed(soft_nms([[0, 0, 1, 1]] * 3, [0.5] * 3)) == [(0, 0.5)]
        assert listed(soft_nms([[0, 0, 1, 1]] * 3, [0.5] * 3, min_score=0)) == [(0, 0.5), (1, 0.0), (2, 0.0)]

    def test_least_score_is_tested_before_and_after(self):
        assert listed(soft_nms(FOUR, SCORES, min_score=0.75)) == [(0, 0.9)]
        assert len(soft_nms(FOUR, SCORES, min_score=1)) == 0


def unaligned(array):
    """The same numbers, one number behind where memory begins: no vector of them lies where vectors like to be."""
    beside = np.empty(array.size + 1, array.dtype)[1:].reshape(array.shape)
    beside[...] = array
    return beside


class TestSizes:
    """Boxes fade in blocks of 8 and lessen in blocks of 16, 16 blocks are a lot, and 16 lots are asked at a time."""

    SIZES = sorted(
        {at + by for at in (8, 16, 128, 256, 2048, 4096) for by in (-1, 0, 1)} | {0, 1, 2, 3, 31, 33, 63, 65}
    )

    @pytest.mark.parametrize("count", SIZES)
    @pytest.mark.parametrize("decay", ["gaussian", "linear"])
    def test_around_whole_blocks(self, each_isa, decay, count):
        """As many as overlap about ten others each, so that every size below `count` is met when they are cleared."""
        rows, scores = crowd(count, count, side=2.5 * math.sqrt(count))
        rows = rows.astype("float32").astype(float)
        loop = faded(rows, scores, 0.3, 0.05) if decay == "gaussian" else lessened(rows, scores, 0, 0.05)
        answers = each_isa(
            lambda: [
                soft_nms(
                    unaligned(rows.astype(dtype)), unaligned(scores), decay=decay, sigma=0.3, above=0, min_score=0.05
                )
                for dtype in ("float32", "float64")
            ]
        )
        for kept in [kept for both in answers.values() for kept in both]:
            assert kept.index.tolist() == [row for row, _ in loop]
            assert kept.scores == pytest.approx([score for _, score in loop], rel=1e-12)
        assert len({kept.scores.tobytes() for both in answers.values() for kept in both}) == 1

    @pytest.mark.parametrize("decay", ["gaussian", "linear"])
    def test_numbers_that_begin_at_any_byte(self, decay):
        """As NumPy has them in packed records: kernels get a copy."""
        rows, scores = crowd(20, 4, side=5)
        packed = [np.frombuffer(b"." + a.tobytes(), offset=1).reshape(a.shape) for a in (rows, scores)]
        assert not packed[1].flags.aligned and host_scores(packed[1]).flags.aligned
        assert listed(soft_nms(*packed, decay=decay)) == listed(soft_nms(rows, scores, decay=decay))

    @pytest.mark.parametrize("count", [1, 7, 8, 9, 16, 17, 127, 128, 129, 1025])
    @pytest.mark.parametrize("decay", ["gaussian", "linear"])
    def test_equal_scores(self, each_isa, decay, count):
        """Far apart all are taken, by row. On top of each other all but the first fall alike, and are still by row."""
        apart = np.arange(count)[::-1, None] * 10.0 + [0, 0, 4, 4]
        for kept in each_isa(lambda: soft_nms(apart, np.full(count, 0.5), decay=decay)).values():
            assert listed(kept) == [(row, 0.5) for row in range(count)]
        same = np.tile([[0.0, 0, 4, 4]], (min(count, 129), 1))
        for kept in each_isa(lambda: soft_nms(same, np.full(len(same), 0.5), decay=decay, min_score=0)).values():
            assert kept.index.tolist() == list(range(len(same)))
            left = [0.5 * math.exp(-2 * k) if decay == "gaussian" else 0.5 * (k == 0) for k in range(len(same))]
            assert kept.scores == pytest.approx(left, rel=1e-12)

    @pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 129])
    @pytest.mark.parametrize("decay", ["gaussian", "linear"])
    def test_all_below_the_least_score(self, each_isa, decay, count):
        rows, scores = crowd(count, 3)
        for kept in each_isa(lambda: soft_nms(rows, scores / 4, decay=decay, min_score=0.3)).values():
            assert len(kept) == 0

    @pytest.mark.parametrize("count", [1, 8, 9, 129, 700])
    def test_boxes_without_area_are_taken_once(self, each_isa, count):
        """They meet nothing, not even themselves; among them are boxes that do."""
        rows, scores = crowd(count, 8, side=10)
        rows[::2, 2] = rows[::2, 0]
        want = [row for row, _ in faded(rows, scores, 0.5, 0.001)]
        for kept in each_isa(lambda: soft_nms(rows, scores, decay="gaussian")).values():
            assert kept.index.tolist() == want and set(range(0, count, 2)) <= set(want)

    @pytest.mark.parametrize("count", [1, 8, 9, 300])
    @pytest.mark.parametrize("decay", ["gaussian", "linear"])
    @pytest.mark.parametrize("thin", [5e-324, 1e-310, 1e-300])
    def test_thin_boxes_far_from_zero(self, each_isa, thin, decay, count):
        """So thin that their place, counted in sides, is infinite: they have a place in the line all the same."""
        rows = np.tile([[0.0, 1.0, thin, 1.0]], (count, 1))
        rows[1::2, [1, 3]] = 1e150
        scores = np.linspace(0.2, 1, count)
        for kept in each_isa(lambda: soft_nms(rows, scores, decay=decay)).values():
            assert kept.index.tolist() == list(range(count))[::-1] and kept.scores.tolist() == scores[::-1].tolist()

    def test_nan_in_one_box_leaves_the_others_alone(self, each_isa):
        """Boxes of one block, of which any may be the one that nobody checked."""
        rows, scores = crowd(24, 6, side=5)
        for row, side in [(row, side) for row in range(24) for side in range(4)]:
            strange = rows.copy()
            strange[row, side] = np.nan
            others = np.delete(np.arange(24), row)
            want = soft_nms(rows[others], scores[others], decay="gaussian")
            for kept in each_isa(lambda: soft_nms(Boxes(strange, check=False), scores, decay="gaussian")).values():
                here = kept.index != row
                assert kept.index[here].tolist() == others[want.index].tolist()
                assert kept.scores[here].tolist() == want.scores.tolist()


class TestKinds:
    """Boxes with whole corners as regions of every other kind."""

    @pytest.mark.parametrize("decay", ["linear", "gaussian"])
    @pytest.mark.parametrize("kind", ["masks", "bare masks", "rle", "sparse", "polygons", "rotated", "sets"])
    def test_same_picks(self, kind, decay):
        stack = np.zeros((len(WHOLE), 10, 10), bool)
        for mask, (x1, y1, x2, y2) in zip(stack, WHOLE, strict=True):
            mask[y1:y2, x1:x2] = True
        regions = {
            "masks": lambda: Masks(stack),
            "bare masks": lambda: stack,
            "rle": lambda: RleMasks.from_masks(stack),
            "sparse": lambda: _sparse(stack),
            "polygons": lambda: Polygons.from_boxes(WHOLE),
            "rotated": lambda: RotatedBoxes(
                [[(x1 + x2) / 2, (y1 + y2) / 2, x2 - x1, y2 - y1, 0] for x1, y1, x2, y2 in WHOLE],
                unit="deg",
                direction="cw",
            ),
            "sets": lambda: Sets([np.flatnonzero(mask) for mask in stack]),
        }[kind]()
        scores = np.linspace(0.9, 0.5, len(WHOLE))[[3, 1, 0, 4, 2, 5, 6]]
        want, kept = soft_nms(WHOLE, scores, decay=decay), soft_nms(regions, scores, decay=decay)
        assert kept.index.tolist() == want.index.tolist() and kept.scores == pytest.approx(want.scores, rel=1e-12)

    @pytest.mark.parametrize("decay", ["linear", "gaussian"])
    @pytest.mark.parametrize("count, side", [(1500, 60), (20_000, 1500)], ids=["few", "more than are looked at"])
    def test_boxes_and_pairs_agree_on_many(self, count, side, decay):
        rows, scores = crowd(count, 7, side)
        keys = np.where(np.arange(count) < 200, 1, 0)
        boxes = soft_nms(rows, scores, decay=decay, keys=keys)
        others = soft_nms(Polygons.from_boxes(rows), scores, decay=decay, keys=keys)
        assert boxes.index.tolist() == others.index.tolist() and len(boxes) > 300
        assert boxes.scores == pytest.approx(others.scores, rel=1e-9)

    @pytest.mark.parametrize("decay", ["linear", "gaussian"])
    def test_boxes_and_rotated_agree_where_hundreds_overlap(self, decay):
        """More than are weakened in one go (csrc/selection/soft_walk.hpp)."""
        rng = np.random.default_rng(12)
        corner = rng.integers(0, 8, (600, 2)) * 1.0
        rows, scores = np.hstack([corner, corner + 40]), rng.random(600)
        boxes = soft_nms(rows, scores, decay=decay, min_score=0.01)
        others = soft_nms(RotatedBoxes.from_boxes(Boxes(rows)), scores, decay=decay, min_score=0.01)
        assert boxes.index.tolist() == others.index.tolist() and len(boxes) > 3
        assert boxes.scores == pytest.approx(others.scores, rel=1e-9)

    def test_half_precision_decays_in_full(self):
        """The measure is not rounded to float16 before it multiplies."""
        kept = soft_nms(np.array(FOUR, np.float16), SCORES)
        assert kept.scores.tolist() == soft_nms(FOUR, SCORES).scores.tolist()

    def test_labels_never_overlap(self):
        with pytest.raises(TypeError, match="never overlap"):
            soft_nms(LabelMap(np.eye(3, dtype=int)), [0.5])


def _sparse(stack):
    from vesica import SparseMasks

    return SparseMasks.from_masks(stack)


class TestKeys:
    @given(strategies.tables(1, dtype="int64"), st.data())
    def test_as_if_each_were_alone(self, rows, data):
        scores = np.array(data.draw(lists_of(some_scores, len(rows))))
        keys = np.array(data.draw(lists_of(st.integers(0, 3), len(rows))))
        alone = []
        for key in set(keys.tolist()):
            of_key = np.flatnonzero(keys == key)
            index, left = soft_nms(rows[of_key], scores[of_key])
            alone += zip(of_key[index].tolist(), left.tolist(), strict=True)
        assert listed(soft_nms(rows, scores, keys=keys)) == sorted(alone, key=lambda pick: (-pick[1], pick[0]))

    def test_many_classes_far_and_negative(self):
        rows, scores = crowd(2400, 1)
        rows, keys = np.round(rows) - 7680, np.arange(2400) % 1203
        kept = soft_nms(rows, scores, keys=keys)
        for key in range(0, 1203, 100):
            of_key = np.flatnonzero(keys == key)
            index, left = soft_nms(rows[of_key], scores[of_key])
            here = np.isin(kept.index, of_key)
            assert of_key[index].tolist() == kept.index[here].tolist() and left.tolist() == kept.scores[here].tolist()

    def test_limit_of_one_image(self):
        assert soft_nms(FOUR, SCORES, limit=2).index.tolist() == [0, 2]
        assert soft_nms(FOUR, SCORES, limit=2, keys=[0, 1, 2, 3]).index.tolist() == [0, 1]

    def test_limit_of_each_image(self):
        images, classes = [5, 7, 5, 7], [0, 0, 1, 1]
        every = soft_nms(FOUR, SCORES, keys=(images, classes))
        assert every.index.tolist() == [0, 1, 2, 3]
        assert soft_nms(FOUR, SCORES, keys=(images, classes), limit=1).index.tolist() == [0, 1]


class TestAnswer:
    def test_same_in_every_library(self, xp):
        rows, scores = crowd(60, 2, side=20)
        plain = soft_nms(rows, scores)
        index, left = soft_nms(xp(rows), xp(scores))
        assert xp.back(index).tolist() == plain.index.tolist() and xp.back(left).tolist() == plain.scores.tolist()
        assert type(index) is type(xp(scores)) and type(left) is type(xp(scores))

    @pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
    def test_scores_keep_their_floats(self, dtype):
        kept = soft_nms(FOUR, np.array(SCORES, dtype))
        assert kept.scores.dtype == dtype and kept.index.dtype == np.int64
        assert soft_nms(FOUR, [1, 0, 1, 0]).scores.dtype == np.float64

    @pytest.mark.parametrize("decay", ["linear", "gaussian"])
    def test_threads_do_not_matter(self, decay):
        rows, scores = crowd(5000, 4)
        keys = np.arange(5000) % 17
        one, two = (soft_nms(rows, scores, decay=decay, keys=keys, threads=n) for n in (1, 2))
        assert listed(one) == listed(two)
        pairs = [soft_nms(Polygons.from_boxes(rows), scores, keys=keys, threads=n) for n in (1, 2)]
        assert listed(pairs[0]) == listed(pairs[1])

    def test_nothing_is_written(self):
        rows, scores = crowd(30, 5)
        before = rows.copy(), scores.copy()
        soft_nms(rows, scores)
        assert np.array_equal(rows, before[0]) and np.array_equal(scores, before[1])

    def test_empty(self, xp):
        kept = soft_nms(xp(np.zeros((0, 4))), xp([]))
        assert isinstance(kept, Kept) and len(kept) == 0 and kept.scores.shape == (0,)
        assert len(soft_nms([], [])) == 0

    def test_unchecked_rows_do_no_harm(self):
        strange = [[np.nan, 0, 1, 1], [0, 0, np.inf, 1], [3, 3, 1, 1], [0, 0, 1e300, 1e300], [0, 0, 1, 1]]
        assert sorted(soft_nms(Boxes(strange, check=False), [0.5] * 5).index.tolist()) == [0, 1, 2, 3, 4]


class TestRefused:
    @pytest.mark.parametrize(
        "options, kind, message",
        [
            ({"decay": "gauss"}, ValueError, '`decay` must be one of .*Did you mean "gaussian"'),
            ({"above": 30}, ValueError, r"`above` must lie in \(0, 1\]; got 30"),
            ({"decay": "gaussian", "sigma": 0}, ValueError, "`sigma` must be above 0; got 0"),
            ({"min_score": -1}, ValueError, "`min_score` must not be negative; got -1"),
            ({"min_score": math.nan}, ValueError, "`min_score` must be finite"),
            ({"limit": 0}, ValueError, "`limit` must be a whole number above 0"),
            ({"keys": [1]}, SizeValueError, "`keys` must have one key for each of the 4 rows"),
            ({"measure": "distance"}, ValueError, "got distance, which falls"),
            ({"alpha": 1}, TypeError, "iou has no option `alpha`"),
        ],
    )
    def test_options(self, options, kind, message):
        with pytest.raises(kind, match=message):
            soft_nms(FOUR, SCORES, **options)

    @pytest.mark.parametrize(
        "scores, kind, message",
        [
            ([0.9, 0.8, math.nan, 0.6], ValueError, "`scores` must be finite; got nan in row 2"),
            ([0.9, math.inf, 0.7, 0.6], ValueError, "`scores` must be finite; got inf in row 1"),
            ([0.9], SizeValueError, r"`scores` must have one score for each of the 4 regions; got shape \(1,\)"),
            (["a"] * 4, TypeError, "`scores` must be numbers"),
        ],
    )
    def test_scores(self, scores, kind, message):
        with pytest.raises(kind, match=message):
            soft_nms(FOUR, scores)

    def test_hull_of_polygons(self):
        with pytest.raises(TypeError, match="giou is not defined for polygons"):
            soft_nms(Polygons.from_boxes(FOUR), SCORES, measure="giou")

    @pytest.mark.compile
    def test_traced(self):
        jax = pytest.importorskip("jax")
        with pytest.raises(TypeError, match="`scores` has no values yet"):
            jax.jit(lambda scores: soft_nms(FOUR, scores).index)(jax.numpy.asarray(SCORES))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads the peak from /proc")
def test_memory_does_not_grow_with_the_overlaps():
    """100 000 equal boxes have five thousand million pairs, which would be 80 GB."""
    code = (
        "import numpy as np, vesica\n"
        "rows, scores = np.tile([[0.0, 0, 9, 9]], (100_000, 1)), np.linspace(0, 1, 100_000)\n"
        "assert vesica.soft_nms(rows, scores).index.tolist() == [99_999]\n"
        "assert len(vesica.soft_nms(rows, scores, decay='gaussian')) == 4\n"
        "print(open('/proc/self/status').read().partition('VmHWM:')[2].split()[0])\n"
    )
    peak = int(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)
    assert peak / 1024 < 250
