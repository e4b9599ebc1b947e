"""NMS: a walk from the best to the worst, however it is done."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
import strategies
from vesica import (
    Boxes,
    LabelMap,
    Masks,
    Polygons,
    RleMasks,
    RotatedBoxes,
    Sets,
    SizeValueError,
    SparseMasks,
    coverage,
    iou,
    join,
    nms,
)
from vesica._check import threshold
from vesica.overlaps.measures import MEASURES

both_ways = pytest.mark.usefixtures("both_ways")

DEG = {"unit": "deg", "direction": "cw"}
CHAIN = [[0, 0, 10, 10], [4, 0, 14, 10], [8, 0, 18, 10]]
few_scores = st.sampled_from([0.0, -0.0, 0.25, 0.5, 0.75, 1.0, np.inf, -np.inf, -3.0])


def fraction(t):
    share = threshold(t, "t", strict=True)
    return Fraction(share.p, share.q << share.shift)


def plain(boxes, scores, t, strict=True, keys=None, measure=oracles.iou, **rest):
    """By exact fractions, one pair at a time."""
    t = fraction(t)

    def suppresses(a, b):
        value = measure(boxes[a], boxes[b])
        return oracles.inter(boxes[a], boxes[b]) > 0 and (value > t if strict else value >= t)

    return oracles.nms(suppresses, scores, keys, **rest)


def crowd(n, seed, dtype="float32", side=400, spread=6.0):
    """Proposals around objects: most overlap several others."""
    rng = np.random.default_rng(seed)
    objects = max(1, n // 12)
    centre, sides = rng.uniform(0, side, (objects, 2)), rng.uniform(10, 60, (objects, 2))
    which = rng.integers(0, objects, n)
    middle, half = centre[which] + rng.normal(0, spread, (n, 2)), sides[which] * rng.uniform(0.8, 1.2, (n, 2)) / 2
    return np.concatenate([middle - half, middle + half], axis=1).astype(dtype), rng.random(n).round(3)


def looped(boxes, scores, t, keys=None):
    """One kept box against all others at a time, in whole numbers: exact."""
    boxes, (p, q, shift, _) = boxes.astype(np.int64), threshold(t, "t", strict=True)
    assert not shift
    order = np.lexsort((np.arange(len(scores)), -scores))
    x1, y1, x2, y2 = np.ascontiguousarray(boxes[order].T)
    area, by, kept = (x2 - x1) * (y2 - y1), np.full(len(boxes), -1), []
    for k, i in enumerate(order):
        if by[i] >= 0:
            continue
        kept.append(i)
        w = np.minimum(x2[k], x2[k + 1 :]) - np.maximum(x1[k], x1[k + 1 :])
        near = k + 1 + np.flatnonzero(w > 0)  # the others share nothing
        h = np.minimum(y2[k], y2[near]) - np.maximum(y1[k], y1[near])
        inter = w[near - k - 1] * np.clip(h, 0, None)
        hit = order[near[q * inter > p * (area[k] + area[near] - inter)]]
        by[hit[(by[hit] < 0) & (True if keys is None else keys[hit] == keys[i])]] = i
    return np.array(kept), by


class TestWalk:
    @given(
        strategies.tables(0, 14, dtype="int64"),
        st.data(),
        strategies.thresholds,
        st.booleans(),
        st.sampled_from([None, 1, 3]),
    )
    def test_integers_are_exact(self, boxes, data, t, strict, classes):
        n = len(boxes)
        scores = data.draw(st.lists(few_scores, min_size=n, max_size=n))
        keys = None if classes is None else data.draw(st.lists(st.integers(0, classes), min_size=n, max_size=n))
        kept, by = nms(boxes, scores, above=t, strict=strict, keys=keys, suppressed_by=True)
        wanted = plain(boxes.tolist(), scores, t, strict, keys)
        assert (kept.tolist(), by.tolist()) == wanted

    @given(strategies.tables(0, 12, dtype="float32"), st.data(), st.sampled_from(["float32", "float64"]))
    def test_floats(self, boxes, data, dtype):
        scores = data.draw(st.lists(few_scores, min_size=len(boxes), max_size=len(boxes)))
        kept, by = nms(boxes.astype(dtype), scores, above=0.4, suppressed_by=True)
        matrix = oracles.matrix(oracles.iou, boxes.tolist(), boxes.tolist())
        if np.any(np.abs(matrix - 0.4) < 1e-12):
            return  # products of such floats are rounded: either answer is right
        assert (kept.tolist(), by.tolist()) == plain(boxes.tolist(), scores, 0.4)

    @pytest.mark.parametrize("measure", sorted(set(MEASURES) - {"distance"}))
    def test_every_measure(self, measure):
        """Where it is not symmetric, the kept one is the first."""
        boxes, scores = crowd(60, 3, side=150)
        matrix = np.asarray(MEASURES[measure](boxes.astype(float), boxes.astype(float)))
        kept, by = nms(boxes, scores, above=0.37, measure=measure, suppressed_by=True)
        assert (kept.tolist(), by.tolist()) == oracles.nms(lambda a, b: matrix[a, b] > 0.37, scores.tolist())
        assert 5 < len(kept) < 60

    def test_options_of_the_measure(self):
        inside = [[2, 2, 4, 4], [0, 0, 10, 10]]
        assert nms(inside, [0.9, 0.8], measure=coverage, above=0.9).tolist() == [0]
        assert nms(inside, [0.9, 0.8], measure=coverage, of="b", above=0.9).tolist() == [0, 1]
        assert nms(inside, [0.9, 0.8], measure="tversky", alpha=0, beta=0.01, above=0.5).tolist() == [0]

    @both_ways
    @pytest.mark.parametrize("twentieths", range(1, 20))
    @pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "uint8"])
    def test_every_tie(self, twentieths, dtype):
        """[0, 0, 20, 1] covered up to k: iou is exactly k / 20, which floats cannot say."""
        boxes = np.array([[0, 0, 20, 1], [0, 0, twentieths, 1]], dtype)
        assert nms(boxes, [0.9, 0.8], above=twentieths / 20).tolist() == [0, 1]
        assert nms(boxes, [0.9, 0.8], above=twentieths / 20, strict=False).tolist() == [0]

    def test_keys_keep_classes_apart_wherever_they_are(self):
        """1203 classes of boxes at the same places, some of them negative: as if each class were alone."""
        base, scores = crowd(6, 5, dtype="int32", side=30)
        base -= 7680
        boxes, keys = np.tile(base, (1203, 1)), np.repeat(np.arange(1203), 6)
        alone = nms(base, scores, above=0.3)
        kept = nms(boxes, np.tile(scores, 1203), above=0.3, keys=keys)
        assert sorted(kept.tolist()) == sorted(6 * k + int(i) for k in range(1203) for i in alone)

    @pytest.mark.parametrize("n", [8000, 8193, 20_000])
    @pytest.mark.parametrize("spread", [1.0, 8.0])
    def test_many(self, n, spread):
        """Few are looked at one by one, many through a grid."""
        boxes, scores = crowd(n, n, dtype="int32", side=3 * n**0.5, spread=spread)
        wanted = looped(boxes, scores, 0.5)
        for dtype in ("int32", "float32", "float64"):
            kept, by = nms(boxes.astype(dtype), scores, above=0.5, suppressed_by=True)
            assert np.array_equal(kept, wanted[0]) and np.array_equal(by, wanted[1])

    def test_sizes_of_all_orders(self):
        rng = np.random.default_rng(8)
        corner, sides = rng.integers(0, 5000, (9000, 2)), np.exp(rng.uniform(0, 8, (9000, 2))).astype(int)
        boxes, scores = np.concatenate([corner, corner + sides], axis=1), rng.random(9000)
        for above in (0.05, 0.6):
            assert np.array_equal(nms(boxes, scores, above=above), looped(boxes, scores, above)[0])

    def test_centres_almost_on_a_line(self):
        """So near to each other along x that the inverse of the distance is infinite: along y they are as ever."""
        rng = np.random.default_rng(9)
        top, side = rng.integers(0, 5000, 9000), rng.integers(5, 40, 9000)
        wide = np.column_stack([np.zeros(9000, int), top, np.ones(9000, int), top + side])
        thin = wide.astype(float)
        thin[:, 0], thin[:, 2] = -1e-295, np.where(top % 2, 1e-295, np.nextafter(1e-295, 1))
        scores = rng.random(9000)
        assert np.array_equal(nms(thin, scores, above=0.5), looped(wide, scores, 0.5)[0])

    @pytest.mark.parametrize("n", [1000, 30_000])
    def test_threads_do_not_matter(self, n):
        boxes, scores = crowd(n, 2, side=4 * n**0.5)
        keys = np.random.default_rng(0).integers(0, 9, (n, 2))
        for chosen in (None, keys[:, 0], keys):
            answers = [
                nms(boxes, scores, above=0.3, keys=chosen, limit=40, suppressed_by=True, threads=t) for t in (1, 2, 3)
            ]
            assert all(np.array_equal(a, b) for other in answers[1:] for a, b in zip(answers[0], other, strict=True))

    def test_all_instruction_sets_agree(self):
        from vesica import _native

        boxes, scores = crowd(3000, 7)
        answers = []
        for name in ("baseline", "avx2", "avx512"):
            _native.limit_isa(name)
            answers.append([nms(boxes.astype(dtype), scores).tolist() for dtype in ("float32", "float64", "int64")])
        assert answers[0] == answers[1] == answers[2]


@both_ways
class TestEdges:
    def test_the_chain(self):
        kept, by = nms(CHAIN, [0.9, 0.8, 0.7], above=0.3, suppressed_by=True)
        assert kept.tolist() == [0, 2] and by.tolist() == [-1, 0, -1]

    def test_nothing(self, xp):
        kept, by = nms(xp(np.zeros((0, 4))), xp(np.zeros(0)), suppressed_by=True)
        assert kept.shape == by.shape == (0,) and "int64" in str(kept.dtype) and type(kept) is type(xp([0.0]))

    @pytest.mark.parametrize(
        ("boxes", "scores", "options", "kept"),
        [
            ([[0, 0, 2, 2]] * 5, [1, 1, 1, 1, 1], {}, [0]),
            ([[0, 0, 2, 2]] * 5, [1, 2, 3, 2, 1], {"above": 1}, [2, 1, 3, 0, 4]),
            ([[0, 0, 2, 2]] * 3, [1, 2, 3], {"above": 1, "strict": False}, [2]),
            ([[0, 0, 2, 2], [1, 1, 3, 3]], [1, 2], {"above": 0}, [1]),
            ([[0, 0, 2, 2], [2, 0, 4, 2]], [1, 2], {"above": 0}, [1, 0]),
            ([[1, 1, 1, 1]] * 3, [1, 3, 2], {"above": 0}, [1, 2, 0]),
            (CHAIN, [0.7, 0.7, 0.7], {"above": 0.3}, [0, 2]),
            (CHAIN, [-np.inf, np.inf, 0.0], {"above": 0.3}, [1]),
            (CHAIN, [0.9, 0.8, 0.7], {"above": 0.3, "min_score": 0.75}, [0]),
            (CHAIN, [0.9, 0.8, 0.7], {"above": 0.3, "min_score": 0.7}, [0, 2]),
            (CHAIN, [0.9, 0.8, 0.7], {"above": 0.3, "min_score": 2}, []),
            (CHAIN, [True, False, False], {"above": 0.3}, None),
            ([[1, 1, 2, 3], [0, 0, 2, 2]], [1, 1], {"above": 0.2}, [0, 1]),
        ],
    )
    def test_table(self, boxes, scores, options, kept):
        if kept is None:
            with pytest.raises(TypeError, match="`scores` must be numbers; got bool"):
                nms(boxes, scores, **options)
            return
        assert nms(boxes, scores, **options).tolist() == kept

    def test_public_reports(self):
        boxes = [[2748, 618, 2830, 659], [2690, 642, 2749, 681], [2690, 639, 2746, 681]]
        assert nms(boxes, [1, 1, 0.5], above=0).tolist() == [0, 2]
        assert nms(boxes, [1, 1, 0.5], above=0.1).tolist() == [0, 1]
        rows = [
            (233.25, 276, 160, 50.625, -3.0371),
            (233.625, 276.75, 160.875, 52.6562, -2.998),
            (261, 326.25, 146.625, 46.4062, -2.9844),
            (261, 326.75, 147.375, 47.9062, -2.9648),
        ]
        rotated = RotatedBoxes(np.array(rows, np.float16), unit="rad", direction="cw")
        assert nms(rotated, [0.9, 0.8, 0.7, 0.6], above=0.5).tolist() == [0, 2]

    @pytest.mark.parametrize("count", [50, 9000, 40_000])
    @pytest.mark.parametrize("dtype", ["float32", "float64"])
    def test_scores_that_differ_in_their_last_bits(self, count, dtype):
        """Boxes apart from each other come in the order of their scores, and equal ones in the order of their rows."""
        rng = np.random.default_rng(count)
        boxes = np.arange(count)[:, None] * 3 + np.array([0, 0, 1, 1])
        whole = {"float32": np.int32, "float64": np.int64}[dtype]
        for large in (1, 1e30, 0.5):  # beside it, scores that are close to each other
            scores = rng.choice(np.array([1e-30, large], dtype), count).view(whole) + rng.integers(0, 9, count, whole)
            scores = scores.view(dtype)
            assert nms(boxes, scores, above=0.5).tolist() == np.argsort(-scores, kind="stable").tolist()

    def test_half_precision_boxes_and_large_integers(self):
        assert nms(np.array([[0, 0, 300, 300], [0, 0, 300, 290]], np.float16), [1, 2]).tolist() == [1]
        far = np.array([[0, 0, 60_000, 60_000], [30_000, 0, 90_000, 60_000]], np.int32)
        assert nms(far, [1, 2], above=0.34).tolist() == [1, 0] and nms(far, [1, 2], above=0.33).tolist() == [1]

    def test_tiny_and_huge_boxes(self):
        """Areas that vanish in float32, or nearly overflow: the filter lets them pass, the exact test decides."""
        for scale in (2.0**-60, 2.0**-72, 2.0**58):
            boxes = np.array([[0, 0, 2, 2], [0, 0, 2, 1.5], [0, 0, 1, 1]], np.float32) * np.float32(scale)
            assert nms(boxes, [3, 2, 1], above=0.5).tolist() == [0, 2], scale

    def test_min_score_is_of_the_scores_dtype(self):
        scores = np.array([0.7, 0.3], np.float32)
        assert nms([[0, 0, 1, 1], [5, 5, 6, 6]], scores, min_score=0.7).tolist() == [0]


class TestLimit:
    def test_of_one_image(self):
        boxes = [[k, 0, k + 1, 1] for k in range(6)]
        assert nms(boxes, [1, 6, 2, 5, 3, 4], limit=3).tolist() == [1, 3, 5]
        assert nms(boxes, [1, 6, 2, 5, 3, 4], limit=3, keys=[0, 0, 1, 1, 2, 2]).tolist() == [1, 3, 5]

    def test_of_each_image_over_all_classes(self):
        boxes = [[k, 0, k + 1, 1] for k in range(6)]
        images, classes = [7, 7, 7, 9, 9, 9], ["a", "b", "a", "b", "a", "b"]
        for keys in ((images, classes), np.array([[7, 0], [7, 1], [7, 0], [9, 1], [9, 0], [9, 1]])):
            assert nms(boxes, [1, 6, 2, 5, 3, 4], limit=2, keys=keys).tolist() == [1, 3, 5, 2]

    def test_beyond_the_limit_nothing_suppresses(self):
        kept, by = nms([*CHAIN, [8, 0, 18, 9]], [0.9, 0.8, 0.7, 0.6], above=0.3, limit=1, suppressed_by=True)
        assert kept.tolist() == [0] and by.tolist() == [-1, 0, -1, -1]

    @pytest.mark.parametrize("count", [300, 6000])
    @pytest.mark.parametrize("limit", [1, 40, 10**6])
    def test_is_the_front_of_many(self, count, limit):
        """Of few boxes all are looked at, of many the cells of a grid."""
        rng = np.random.default_rng(count)
        corners = rng.random((count, 2)) * 100
        boxes, scores = np.concatenate([corners, corners + 4], axis=1), rng.random(count)
        everything = nms(boxes, scores, above=0.3)
        kept, by = nms(boxes, scores, above=0.3, limit=limit, suppressed_by=True)
        assert kept.tolist() == everything[:limit].tolist()
        overlaps = join(boxes, boxes, at_least=0.3, strict=True)
        near = set(zip(overlaps.i.tolist(), overlaps.j.tolist(), strict=True))
        assert all((row, other) in near for row, other in enumerate(by.tolist()) if other >= 0)
        assert set(by.tolist()) <= {-1, *kept.tolist()}

    @given(strategies.tables(0, 12, dtype="int64"), st.data(), st.integers(1, 4))
    def test_is_the_front_of_each_image(self, boxes, data, limit):
        columns = [
            data.draw(st.lists(values, min_size=len(boxes), max_size=len(boxes)))
            for values in (few_scores, st.integers(0, 2), st.integers(0, 1))
        ]
        scores, images, classes = columns
        keys = (np.array(images, int), np.array(classes, int))
        everything = nms(boxes, scores, above=0.2, keys=keys).tolist()
        wanted, counts = [], dict.fromkeys(range(3), 0)
        for row in everything:
            counts[images[row]] += 1
            if counts[images[row]] <= limit:
                wanted.append(row)
        kept, by = nms(boxes, scores, above=0.2, keys=keys, limit=limit, suppressed_by=True)
        assert kept.tolist() == wanted
        assert set(by.tolist()) <= {-1, *wanted}


class TestKinds:
    """The same graph from other parts. The matrix of the measure is the oracle: it has its own tests."""

    def held(self, regions, above=0.3, seed=1):
        matrix = np.asarray(iou(regions, regions))
        scores = np.random.default_rng(seed).integers(0, 6, len(regions)) / 5
        keys = np.random.default_rng(seed + 1).integers(0, 2, len(regions))
        for chosen in (None, keys):
            kept, by = nms(regions, scores, above=above, keys=chosen, suppressed_by=True)
            wanted = oracles.nms(lambda a, b: matrix[a, b] > above, scores.tolist(), chosen)
            assert (kept.tolist(), by.tolist()) == wanted
        assert 1 < len(kept) < len(regions)

    def test_rotated(self):
        rng = np.random.default_rng(4)
        rows = np.concatenate(
            [rng.uniform(0, 60, (150, 2)), rng.uniform(1, 30, (150, 2)), rng.uniform(0, 360, (150, 1))], 1
        )
        self.held(RotatedBoxes(rows, **DEG))

    def test_thin_crossed_rotated_boxes_are_both_kept(self):
        """Equal upright boxes around them say nothing."""
        cross = RotatedBoxes([[0, 0, 100, 1, 45], [0, 0, 100, 1, -45]], **DEG)
        assert nms(cross, [0.9, 0.8], above=0.1).tolist() == [0, 1]

    def test_polygons(self):
        rng = np.random.default_rng(5)
        triangles = [(rng.uniform(0, 20, 2) + rng.uniform(-8, 8, (3, 2))).ravel().tolist() for _ in range(40)]
        self.held(Polygons(triangles), above=0.1)

    @pytest.mark.parametrize("form", ["dense", "rle", "sparse", "coco"])
    def test_masks(self, form):
        rng = np.random.default_rng(6)
        stack = np.zeros((30, 50, 70), bool)
        for mask in stack:
            y, x = rng.integers(0, 40), rng.integers(0, 55)
            mask[y : y + rng.integers(3, 20), x : x + rng.integers(3, 20)] = True
        stack[4] = False
        regions = {
            "dense": lambda: Masks(stack),
            "rle": lambda: RleMasks.from_masks(stack),
            "sparse": lambda: SparseMasks(np.array(np.nonzero(stack)), size=stack.shape),
            "coco": lambda: Masks(stack),
        }[form]()
        self.held(regions, above=0.2)
        if form == "coco":
            assert np.array_equal(nms(RleMasks.from_masks(stack).to_coco(), np.arange(30)), nms(stack, np.arange(30)))

    def test_sets(self):
        rng = np.random.default_rng(7)
        self.held(Sets([rng.integers(0, 12, rng.integers(1, 9)).tolist() for _ in range(40)]))

    def test_label_maps_have_nothing_to_choose(self):
        with pytest.raises(TypeError, match="Labels of one map never overlap"):
            nms(LabelMap([[1, 2]]), [1, 2])


@both_ways
class TestLibraries:
    def test_same_rows_in_the_callers_library(self, xp):
        boxes, scores = crowd(200, 1)
        kept, by = nms(xp(boxes, "float32"), xp(scores), above=0.4, suppressed_by=True)
        wanted = nms(boxes, scores, above=0.4, suppressed_by=True)
        assert type(kept) is type(xp([0.0])) and "int64" in str(kept.dtype)
        assert np.array_equal(xp.back(kept), wanted[0]) and np.array_equal(xp.back(by), wanted[1])

    def test_dense_masks_of_torch(self):
        torch = pytest.importorskip("torch")
        stack = torch.zeros((3, 8, 8), dtype=torch.bool)
        stack[:2, 2:6, 2:6] = True
        stack[2, 6:, 6:] = True
        assert nms(stack, torch.tensor([0.5, 0.6, 0.1])).tolist() == [1, 2]

    def test_input_is_left_alone(self):
        boxes, scores = crowd(50, 2)
        before = boxes.copy(), scores.copy()
        nms(boxes, scores, min_score=0.2, limit=3)
        assert np.array_equal(before[0], boxes) and np.array_equal(before[1], scores)

    @pytest.mark.compile
    def test_traced(self):
        jax = pytest.importorskip("jax")
        with pytest.raises(TypeError, match="nms_padded can"):
            jax.jit(lambda b, s: nms(b, s))(np.zeros((1, 4), np.float32), np.zeros(1, np.float32))

    def test_other_forms_of_boxes(self):
        assert nms(Boxes([[0, 0, 10, 10], [4, 0, 10, 10]], "xywh"), [0.9, 0.8], above=0.3).tolist() == [0]


@both_ways
class TestErrors:
    @pytest.mark.parametrize(
        ("call", "error", "words"),
        [
            (lambda: nms(CHAIN, [0.1, np.nan, 0.2]), ValueError, "`scores` must not be NaN; got NaN in row 1"),
            (lambda: nms(CHAIN, [0.1]), SizeValueError, "one score for each of the 3 regions"),
            (lambda: nms(CHAIN, np.ones((3, 2))), SizeValueError, "the class as `keys`"),
            (lambda: nms(CHAIN, ["a", "b", "c"]), TypeError, "`scores` must be numbers"),
            (lambda: nms(CHAIN, np.ma.array([1, 2, 3], mask=[0, 1, 0])), TypeError, "masked array"),
            (lambda: nms(CHAIN, [1, 2, 3], above=50), ValueError, "Divide a percentage by 100"),
            (lambda: nms(CHAIN, [1, 2, 3], above=0, strict=False), ValueError, "which every pair reaches"),
            (lambda: nms(CHAIN, [1, 2, 3], measure="distance"), ValueError, "must grow with the overlap"),
            (lambda: nms(CHAIN, [1, 2, 3], alpha=1), TypeError, "iou has no option `alpha`"),
            (lambda: nms(CHAIN, [1, 2, 3], limit=0), ValueError, "`limit` must be a whole number above 0"),
            (lambda: nms(CHAIN, [1, 2, 3], min_score="high"), TypeError, "`min_score` must be a number"),
            (lambda: nms(CHAIN, [1, 2, 3], min_score=np.nan), ValueError, "`min_score` must not be NaN"),
            (lambda: nms(CHAIN, [1, 2, 3], keys=[1, 2]), SizeValueError, "one key for each of the 3 rows"),
            (lambda: nms(CHAIN, [1, 2, 3], keys=([1, 2, 3], [[1]] * 3)), SizeValueError, r"`keys\[1\]` must be one"),
            (lambda: nms(CHAIN, [1, 2, 3], threads=0), ValueError, "`threads` must be a whole number above 0"),
            (lambda: nms([[0, 0, 1, 1], [5, 0, 1, 1]], [1, 2]), ValueError, "`regions` row 1 is inverted"),
            (lambda: nms(np.zeros((2, 3, 4)), np.zeros(2)), ValueError, "one table"),
            (lambda: nms(RotatedBoxes([[0, 0, 1, 1, 0]], **DEG), [1], measure="giou"), TypeError, "giou is not"),
            (lambda: nms(CHAIN, [1, 2, 3], 0.5), TypeError, "by position"),
        ],
    )  # fmt: skip
    def test_table(self, call, error, words):
        with pytest.raises(error, match=words):
            call()


def test_the_native_kernel_ran(no_twin):
    assert nms(CHAIN, [1, 2, 3]).tolist() == [2, 1, 0]
