"""Dense masks, the kinds that compare with them, and the twin that serves other libraries."""

import copy
import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
import strategies
from vesica import (
    Boxes,
    Masks,
    Polygons,
    RleMasks,
    RotatedBoxes,
    SizeValueError,
    SparseMasks,
    _native,
    best,
    coverage,
    dice,
    distance,
    iou,
    join,
    nms,
    parts,
)
from vesica._kernels import pick
from vesica._kernels.generic import masks as generic
from vesica._kernels.native import pixels as native_pixels
from vesica.overlaps.measures import MEASURES
from vesica.regions import comparable

REGION_MEASURES = sorted(name for name, measure in MEASURES.items() if not measure.needs_hull)
KINDS = {
    "dense": Masks,
    "bytes": lambda stack: Masks(stack.astype(np.uint8) * 200),
    "wide": lambda stack: Masks(stack.astype(np.int64) * -3),
    "bits": RleMasks.from_masks,
    "runs": lambda stack: RleMasks(RleMasks.from_masks(stack).to_counts(), size=stack.shape[1:]),
    "sparse": SparseMasks.from_masks,
    "indices": lambda stack: SparseMasks(np.stack(np.nonzero(stack)), size=stack.shape),
}


def noise(n=5, height=70, width=66, seed=0, density=0.3):
    stack = np.random.default_rng(seed).random((n, height, width)) < density
    stack[0] = False
    stack[1, : height // 2] = True
    return stack


class TestValue:
    """Spec 8.3: 16 pixels, 4 and 6 of them, 3 shared."""

    A = np.array([[1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]]).reshape(1, 4, 4)
    B = np.array([[0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]]).reshape(1, 4, 4)

    def test_iou_and_dice(self):
        assert iou(Masks(self.A), Masks(self.B)).tolist() == [[3 / 7]]
        assert dice(Masks(self.A), Masks(self.B)).tolist() == [[6 / 10]]

    def test_macro_with_background(self):
        """The seed's call of scikit-learn: the mean over both classes."""
        metrics = pytest.importorskip("sklearn.metrics")
        pair = [np.concatenate([1 - x, x]) for x in (self.A, self.B)]
        for measure, theirs, want in (
            (iou, metrics.jaccard_score, (3 / 7 + 9 / 13) / 2),
            (dice, metrics.f1_score, (3 / 5 + 9 / 11) / 2),
        ):
            mean = measure(*map(Masks, pair), aligned=True).mean()
            assert mean == pytest.approx(want, rel=1e-15)
            assert mean == pytest.approx(theirs(self.A.ravel(), self.B.ravel(), average="macro"), rel=1e-15)

    def test_any_value_but_zero_counts(self):
        assert Masks(np.array([[[0, 1, 2, 255]]], np.uint8)).area.tolist() == [3]
        assert Masks(np.array([[[0, -1, 256, 2**40]]])).area.tolist() == [3]

    def test_floats_need_a_threshold(self):
        scores = np.array([[[0.1, 0.5, 0.7]]])
        assert Masks(scores, above=0.5).area.tolist() == [1]
        with pytest.raises(TypeError, match="booleans or integers; got float64.*above=0.5"):
            Masks(scores)
        with pytest.raises(TypeError, match="`above` goes with floats"):
            Masks(scores > 0.5, above=0.5)
        with pytest.raises(ValueError, match="`above` must be finite"):
            Masks(scores, above=float("nan"))

    def test_boxes(self):
        stack = np.zeros((3, 9, 8), bool)
        stack[0, 3, 2] = stack[0, 3, 4] = True
        stack[1] = True
        assert Masks(stack).boxes.xyxy.tolist() == [[2, 3, 5, 4], [0, 0, 8, 9], [0, 0, 0, 0]]

    def test_bare_booleans_are_masks(self):
        stack = noise()
        assert np.array_equal(iou(stack, stack), iou(Masks(stack), Masks(stack)))

    @pytest.mark.parametrize("shape", [(0, 5, 6), (3, 0, 6), (3, 5, 0), (0, 0, 0)])
    def test_no_pixels(self, shape):
        masks = Masks(np.zeros(shape, bool))
        assert iou(masks, masks).shape == (shape[0], shape[0]) and not iou(masks, masks).any()
        assert masks.area.tolist() == [0] * shape[0] and masks.boxes.xyxy.shape == (shape[0], 4)
        assert masks.to_rle().to_masks().array.shape == shape
        assert iou(masks, [[0, 0, 1, 1]]).shape == (shape[0], 1)

    @pytest.mark.parametrize(
        "array, error, message",
        [
            (np.zeros((4, 6), bool), ValueError, r"got \(4, 6\). One mask is a stack of one: mask\[None\]"),
            (np.zeros((1, 1, 4, 6), bool), ValueError, r"got \(1, 1, 4, 6\)"),
            ([], ValueError, r"No masks: np.empty\(\(0, height, width\), bool\)"),
            (np.zeros((1, 2, 2), complex), TypeError, "booleans or integers; got complex128"),
            ([[[0]], [[0, 1]]], SizeValueError, "one image size"),
            (np.ma.zeros((1, 2, 2), bool), TypeError, "masked array"),
            (np.array([["a"]]), TypeError, "booleans or integers; got str"),
        ],
    )
    def test_errors(self, array, error, message):
        with pytest.raises(error, match=message):
            Masks(array)

    def test_numpy_takes_the_stack(self):
        stack = noise()
        assert np.asarray(Masks(stack)) is stack and np.array(Masks(stack)) is not stack
        assert np.asarray(Masks(stack), np.uint8).dtype == np.uint8
        with pytest.raises(TypeError, match=r"RleMasks objects are no arrays: to_masks\(\)"):
            Masks(RleMasks.from_masks(stack))

    def test_not_in_order(self):
        """Stacks in another order of axes, every other mask, flipped."""
        stack = noise(6)
        for view in (
            stack[::2],
            stack[:, ::-1],
            np.asfortranarray(stack),
            np.moveaxis(np.moveaxis(stack, 0, 2).copy(), 2, 0),
        ):
            assert np.array_equal(
                iou(Masks(view), Masks(view)), iou(Masks(view.copy(order="C")), Masks(view.copy(order="C")))
            )

    def test_chunks(self, monkeypatch):
        """Masks that are not bytes are copied some at a time."""
        stack = noise(7).astype(np.int32)
        want = iou(Masks(stack), Masks(stack))
        monkeypatch.setattr(native_pixels, "_CHUNK", 2 * 70 * 66)
        assert np.array_equal(iou(Masks(stack), Masks(stack)), want)
        assert np.array_equal(Masks(stack).to_rle().to_masks().array, stack != 0)

    def test_items_pickle_repr(self):
        masks = Masks(noise())
        assert len(masks[1]) == 1 and len(masks[1:4]) == 3 and np.array_equal(masks[[2, 0]].area, masks.area[[2, 0]])
        assert np.array_equal(pickle.loads(pickle.dumps(masks)).array, masks.array)
        assert np.array_equal(copy.copy(masks).array, masks.array)
        assert repr(masks) == "Masks(5, 70×66, numpy bool)"
        with pytest.raises(AttributeError, match="Masks objects are frozen"):
            masks.array = None


class TestKinds:
    """Every form of masks gives the same numbers, with every other."""

    @given(strategies.stacks(4), st.integers(0, 2**32 - 1))
    def test_all_pairs_of_kinds(self, stack, seed):
        other = stack[np.random.default_rng(seed).permutation(len(stack))][:, ::-1].copy()
        shared = oracles.shared_pixels(stack, other)
        for left, right in itertools.product(KINDS.values(), repeat=2):
            a, b = left(stack), right(other)
            p = parts(a, b)
            assert np.array_equal(p.inter, shared) and p.inter.dtype == np.int64
            assert np.array_equal(p.area_a[:, 0], stack.sum(axis=(1, 2))) and p.kind == "masks"
            assert np.array_equal(parts(a, b, aligned=True).inter, np.diagonal(shared))

    @pytest.mark.parametrize("name", REGION_MEASURES)
    @pytest.mark.parametrize("kind", KINDS)
    def test_measures(self, kind, name):
        a, b = noise(), noise(4, seed=1)
        measure = MEASURES[name]
        want = measure(parts(Masks(a), Masks(b)))
        assert np.array_equal(measure(KINDS[kind](a), Masks(b)), want)
        assert np.array_equal(measure(KINDS[kind](a[:4]), KINDS[kind](b), aligned=True), np.diagonal(want))
        boxes = np.array([[3, 4, 30, 50], [0.5, 0.5, 20.25, 70], [-9, -9, 99, 99], [5, 5, 5, 9]])
        assert np.array_equal(measure(KINDS[kind](a), boxes), measure(parts(Masks(a), boxes)))
        assert np.array_equal(measure(boxes, KINDS[kind](a)), measure(parts(boxes, Masks(a))))
        assert np.array_equal(measure(boxes, KINDS[kind](b), aligned=True), np.diagonal(measure(boxes, KINDS[kind](b))))

    @pytest.mark.parametrize("name", sorted(set(MEASURES) - set(REGION_MEASURES)))
    def test_no_hull(self, name):
        for a, b in ((Masks(noise()), Masks(noise())), (Masks(noise()), Boxes([[0, 0, 1, 1]]))):
            with pytest.raises(TypeError, match=f"{name} is not defined for masks"):
                MEASURES[name](a, b)

    @pytest.mark.parametrize("kind", KINDS)
    def test_nothing(self, kind):
        """A box without area, and a mask without pixels: 0/0 is what `empty` says."""
        masks, flat = KINDS[kind](np.stack([np.ones((4, 6), bool), np.zeros((4, 6), bool)])), [[1, 1, 1, 3]]
        assert iou(masks, flat).tolist() == [[0], [0]] and iou(masks, flat, empty=1.0).tolist() == [[0], [1]]
        assert coverage(flat, masks, empty=0.25).tolist() == [[0.25, 0.25]]
        assert coverage(masks, flat, empty=0.25).tolist() == [[0], [0.25]]
        assert distance(masks, flat).tolist() == [[1], [1]] and distance(masks, flat, empty=1.0).tolist() == [[1], [0]]

    def test_sides_are_told_apart(self):
        masks, boxes = Masks(noise()), [[3, 4, 30, 50]]
        for options in ({"of": "a"}, {"of": "b"}):
            assert np.array_equal(
                MEASURES["coverage"](boxes, masks, **options), MEASURES["coverage"](parts(boxes, masks), **options)
            )
        turned = MEASURES["tversky"](boxes, masks, alpha=0.2, beta=0.9)
        assert np.array_equal(turned, MEASURES["tversky"](masks, boxes, alpha=0.9, beta=0.2).T)

    @pytest.mark.parametrize("left", KINDS)
    @pytest.mark.parametrize("right", KINDS)
    def test_join_and_best(self, left, right):
        a, b = KINDS[left](noise(12, seed=2)), KINDS[right](noise(9, seed=3, density=0.4))
        matrix = iou(a, b)
        for t in (0.05, 0.2, 0.3):
            i, j, value = join(a, b, at_least=t)
            want = np.argwhere(matrix >= t)
            assert np.array_equal(np.stack([i, j], axis=1), want) and np.array_equal(value, matrix[i, j])
        found = best(a, b, k=3)
        order = np.argsort(-matrix, axis=1, kind="stable")[:, :3]
        assert np.array_equal(found.index, order) and np.array_equal(found.value, np.take_along_axis(matrix, order, 1))

    @pytest.mark.parametrize("kind", KINDS)
    def test_join_of_one(self, kind):
        masks = KINDS[kind](noise(12, seed=2))
        matrix = iou(masks, masks)
        i, j, value = join(masks, at_least=0.15, keys=np.arange(12) % 2)
        same = (np.arange(12)[:, None] - np.arange(12)) % 2 == 0
        want = np.argwhere(np.triu((matrix >= 0.15) & same, 1))
        assert np.array_equal(np.stack([i, j], axis=1), want) and np.array_equal(value, matrix[i, j])

    @given(strategies.stacks(6, 30), st.data())
    def test_join_with_boxes(self, stack, data):
        boxes = data.draw(strategies.boxes_near(stack.shape[2], stack.shape[1]))
        for measure in ("iou", "coverage", "overlap", "dice"):
            matrix = MEASURES[measure](Masks(stack), boxes)
            for a, b, values in (
                (Masks(stack), boxes, matrix),
                (boxes, Masks(stack), MEASURES[measure](boxes, Masks(stack))),
            ):
                i, j, value = join(a, b, at_least=0.25, measure=measure)
                assert np.array_equal(value, values[i, j])
                near = np.abs(values - 0.25) < 1e-12  # halves of pixels make exact quarters, which division may round
                missed = values >= 0.25
                missed[i, j] = False
                assert not (missed & ~near).any() and (value >= 0.25 - 1e-12).all()
        found = best(boxes, Masks(stack), k=2)
        assert np.array_equal(found.value[:, : len(stack)], -np.sort(-iou(boxes, Masks(stack)), axis=1)[:, :2])

    def test_exact_threshold(self):
        """63 of 180 pixels at 0.35, 55 of 100 at 0.55: ties that floats decide wrongly."""
        for shared, union, t in ((63, 180, 0.35), (55, 100, 0.55), (1, 5, 0.2)):
            a, b = np.zeros((1, 1, 200), bool), np.zeros((1, 1, 200), bool)
            a[0, 0, :union], b[0, 0, :shared] = True, True
            assert len(join(Masks(a), Masks(b), at_least=t)) == 1
            assert len(join(Masks(a), Masks(b), at_least=t, strict=True)) == 0

    def test_sizes_differ(self):
        """Also where the number of pixels agrees."""
        for left, right in itertools.product(KINDS.values(), repeat=2):
            with pytest.raises(SizeValueError, match=r"images of one size; got 4×6 and 6×4 \(height × width\)"):
                iou(left(np.ones((1, 4, 6), bool)), right(np.ones((1, 6, 4), bool)))

    def test_rotated_boxes_need_a_rule(self):
        rotated = RotatedBoxes([[2, 2, 2, 1, 30]], unit="deg", direction="cw")
        for a, b in ((rotated, Masks(noise())), (RleMasks.from_masks(noise()), rotated)):
            with pytest.raises(TypeError, match=r"no exact overlap as they are.*Polygons.from_rotated\(r, rule="):
                iou(a, b)

    @pytest.mark.parametrize("rule", ["coco", "centre", "border"])
    def test_polygons_are_drawn_by_their_rule(self, rule):
        triangle = [[3, 4], [40, 10.5], [20, 60]]
        polygons, masks = Polygons([triangle, triangle], rule=rule), noise()
        drawn = polygons.to_rle((70, 66), rule=rule)
        for kind in KINDS.values():
            assert np.array_equal(iou(polygons, kind(masks)), iou(drawn, Masks(masks)))
            assert np.array_equal(iou(kind(masks), polygons), iou(Masks(masks), drawn))
        assert parts(polygons, Masks(masks)).rule == rule and parts(drawn, Masks(masks)).rule is None
        assert len(join(polygons, drawn, at_least=1.0)) == 4 and best(polygons, drawn).value.tolist() == [[1], [1]]

    def test_polygons_need_a_rule(self):
        polygons = Polygons([[[3, 4], [40, 10.5], [20, 60]]])
        for a, b in ((polygons, Masks(noise())), (RleMasks.from_masks(noise()), polygons)):
            with pytest.raises(
                TypeError, match=r'Polygons and \w+Masks .*Say by which rule.*rule="coco"|Polygons and Masks'
            ):
                iou(a, b)

    def test_aligned_lengths(self):
        with pytest.raises(SizeValueError, match="5 and 4"):
            iou(Masks(noise()), Masks(noise(4)), aligned=True)

    def test_batches_of_boxes(self):
        with pytest.raises(ValueError, match="must be one table"):
            iou(Masks(noise()), np.zeros((2, 3, 4)))

    @pytest.mark.parametrize("dtype, answer", [("float16", "float16"), ("float32", "float32"), ("int32", "float64")])
    def test_dtype_of_boxes(self, dtype, answer):
        boxes = np.array([[3, 4, 30, 50]], dtype)
        assert iou(Masks(noise()), boxes).dtype == answer == iou(boxes, Masks(noise())).dtype
        assert best(boxes, Masks(noise())).value.dtype == answer
        assert join(boxes, Masks(noise()), at_least=0.01).value.dtype == answer

    def test_large_masks_of_few_pixels(self):
        """Bits would be mostly zeros: runs are kept, and compared with bits of others."""
        stack = np.zeros((3, 300, 400), bool)
        stack[0, ::97, ::131] = True
        stack[1, :194, :262] = True
        stack[2, 97, 131] = True
        few, rest = SparseMasks.from_masks(stack[:1]), Masks(stack)
        table = SparseMasks(np.stack(np.nonzero(stack)), size=stack.shape).pixels().table
        assert table[0, 5] == -1 and table[1, 5] >= 0  # the first has runs, the second bits
        assert np.array_equal(iou(few, rest), iou(Masks(stack[:1]), rest))
        boxes = [[0, 0, 200, 150], [50.5, 20.25, 300.5, 290]]
        sparse = SparseMasks(np.stack(np.nonzero(stack)), size=stack.shape)
        assert np.array_equal(iou(sparse, boxes), iou(rest, boxes))


class TestPlaces:
    def test_below_the_first_rows(self):
        """Runs of masks that begin further down than a word has bits."""
        stack = np.zeros((3, 300, 4), bool)
        stack[0, 70:75, 1], stack[1, 130:250, 1:3], stack[2, 299, 3] = True, True, True
        masks = Masks(stack)
        assert np.array_equal(masks.to_rle().to_masks().array, stack)
        assert np.array_equal(Masks(np.asfortranarray(stack)).to_rle().to_masks().array, stack)

    def test_more_than_are_looked_at_together(self):
        stack = np.zeros((700, 20, 35), bool)
        stack.reshape(700, 700)[np.arange(700), np.arange(700)] = True
        masks = Masks(stack)
        assert np.array_equal(iou(masks, masks), np.eye(700))
        pairs = join(masks, masks, at_least=0.5)
        assert pairs.i.tolist() == pairs.j.tolist() == list(range(700))


class TestThreads:
    def test_same_bits(self):
        a, b = noise(40, seed=4), noise(30, seed=5)
        boxes = np.random.default_rng(0).uniform(0, 30, (50, 2))
        boxes = np.concatenate([boxes, boxes + 20], axis=1)
        for kind in KINDS.values():
            x, y = kind(a), kind(b)
            assert np.array_equal(iou(x, y, threads=1), iou(x, y, threads=4))
            assert np.array_equal(iou(x, boxes, threads=1), iou(x, boxes, threads=4))
            assert np.array_equal(join(x, y, at_least=0.1, threads=1).value, join(x, y, at_least=0.1, threads=3).value)

    @pytest.mark.parametrize("level", ["avx512", "avx2", "baseline"])
    def test_instruction_sets(self, level):
        """One answer on every processor."""
        stack = noise(9, 131, 77)
        want = iou(Masks(stack), Masks(stack)), RleMasks.from_masks(stack).to_strings(), iou(stack, [[2, 3, 70, 99.5]])
        before = _native.isa()
        _native.limit_isa(level)
        try:
            rle = RleMasks.from_masks(stack)
            assert np.array_equal(iou(Masks(stack), Masks(stack)), want[0]) and rle.to_strings() == want[1]
            assert np.array_equal(rle.to_masks().array, stack)
            assert np.array_equal(iou(stack, [[2, 3, 70, 99.5]]), want[2])
        finally:
            _native.limit_isa(before)


class TestTwin:
    """Dense masks of other libraries: the same numbers, in their own arrays."""

    def test_native_is_used(self, no_twin, monkeypatch):
        def broken(*_, **__):
            raise AssertionError("the generic twin was called")

        for name in ("inter", "inter_boxes"):  # for parts without a kernel
            monkeypatch.setattr(generic, name, broken)
        torch = pytest.importorskip("torch")
        for stack in (noise(), torch.from_numpy(noise())):
            masks = Masks(stack)
            (
                iou(masks, masks),
                join(masks, at_least=0.2),
                best(masks, masks),
                masks.area,
                masks.boxes,
                parts(masks, masks),
            )

    def test_twin_is_used(self, no_native):
        strict = pytest.importorskip("array_api_strict")
        masks = Masks(strict.asarray(noise()))
        iou(masks, masks), join(masks, at_least=0.2), best(masks, masks), masks.area, masks.boxes

    def test_equals_native(self, xp):
        # JAX compiles for each shape: with as many masks on both sides there are few.
        a, b = noise(4) if xp.name == "jax" else noise(), noise(4, seed=1)
        boxes = np.array([[3, 4, 30, 50], [0.5, 0.5, 20.25, 70], [-9, -9, 99, 99], [5, 5, 5, 9]])
        x, y, z = Masks(xp(a, "bool")), Masks(xp(b, "bool")), xp(boxes)
        ulp = 4e-16 if xp.name == "jax" else 0  # its compiler divides by multiplying
        for name in REGION_MEASURES:
            measure = MEASURES[name]
            got = measure(x, y)
            assert type(got) is type(xp(a, "bool")) or xp.name == "read-only numpy"
            assert np.allclose(xp.back(got), measure(Masks(a), Masks(b)), rtol=ulp, atol=0)
            rows = measure(Masks(a[:4]), Masks(b), aligned=True)
            assert np.allclose(xp.back(measure(x[:4], y, aligned=True)), rows, rtol=ulp, atol=0)
            for got, want in (
                (measure(x, z), measure(Masks(a), boxes)),
                (measure(z, x), measure(boxes, Masks(a))),
                (measure(z, y, aligned=True), measure(boxes, Masks(b), aligned=True)),
            ):
                assert np.allclose(xp.back(got), want, rtol=1e-12, atol=1e-15)
        assert np.array_equal(xp.back(x.area), a.sum(axis=(1, 2)))
        assert np.array_equal(xp.back(x.boxes.xyxy), Masks(a).boxes.xyxy)
        p, q = parts(x, y), parts(Masks(a), Masks(b))
        assert np.array_equal(xp.back(p.inter), q.inter) and np.array_equal(xp.back(p.union), q.union)

    def test_join_and_best(self, xp):
        a, b = noise(8), noise(7, seed=1)
        x, y = Masks(xp(a, "bool")), Masks(xp(b, "bool"))
        for got, want in zip(join(x, y, at_least=0.2), join(Masks(a), Masks(b), at_least=0.2), strict=True):
            assert np.allclose(xp.back(got), want, rtol=4e-16, atol=0)
        for got, want in zip(best(x, y, k=3), best(Masks(a), Masks(b), k=3), strict=True):
            assert np.allclose(xp.back(got), want, rtol=4e-16, atol=0)

    @given(strategies.stacks(4))
    def test_random(self, stack):
        other = stack[:, ::-1]
        assert np.array_equal(generic.inter(stack, other, aligned=False), oracles.shared_pixels(stack, other))
        assert np.array_equal(generic.area(stack), stack.sum(axis=(1, 2)))
        assert np.array_equal(generic.boxes(stack), Masks(stack).boxes.xyxy)

    def test_gradient_of_boxes(self):
        """Dense masks let the gradient of boxes through: moving an edge by d changes the area by d times its pixels."""
        torch = pytest.importorskip("torch")
        stack = np.zeros((1, 6, 8), bool)
        stack[0, 2:5, 1:7] = True
        boxes = torch.tensor([[2.25, 0.0, 5.5, 6.0]], dtype=torch.float64, requires_grad=True)
        parts(Masks(torch.from_numpy(stack)), boxes).inter.sum().backward()
        assert boxes.grad.tolist() == [[-3, 0, 3, 0]]
        assert torch.autograd.gradcheck(lambda b: iou(Masks(torch.from_numpy(stack)), b), (boxes,))

    def test_rle_with_tensors(self):
        """Run lengths belong to no library: the tensor decides."""
        torch = pytest.importorskip("torch")
        stack = noise()
        rle, dense = RleMasks.from_masks(stack), Masks(torch.from_numpy(stack))
        for answer in (iou(rle, dense), iou(dense, rle)):
            assert isinstance(answer, torch.Tensor) and answer.dtype == torch.float64
            assert np.array_equal(answer.numpy(), iou(stack, stack))
        assert isinstance(iou(rle, torch.tensor([[1.0, 2, 30, 40]])), torch.Tensor)

    def test_rle_with_narrow_jax(self):
        """Without 64 bits JAX has boxes in float32; runs are measured in full width all the same."""
        jax = pytest.importorskip("jax")
        was = jax.config.jax_enable_x64
        jax.config.update("jax_enable_x64", False)
        try:
            boxes, stack = np.array([[1, 1, 4, 4.5], [0, 0.25, 2, 2]], "float32"), noise()
            for masks in (RleMasks.from_masks(stack), SparseMasks.from_masks(stack)):
                for got, want in (
                    (iou(masks, jax.numpy.asarray(boxes)), iou(stack, boxes)),
                    (iou(jax.numpy.asarray(boxes), masks), iou(boxes, stack)),
                ):
                    assert isinstance(got, jax.Array) and got.dtype == "float32" and np.array_equal(got, want)
        finally:
            jax.config.update("jax_enable_x64", was)

    def test_libraries_do_not_mix(self):
        torch = pytest.importorskip("torch")
        with pytest.raises(TypeError, match="one library; got numpy and torch"):
            iou(Masks(noise()), Masks(torch.from_numpy(noise())))
        with pytest.raises(TypeError, match="one library"):
            iou(Masks(torch.from_numpy(noise())), np.array([[0, 0, 1, 1]]))

    @pytest.mark.parametrize("form", [RleMasks, SparseMasks])
    @pytest.mark.parametrize("aligned", [False, True])
    def test_dense_masks_elsewhere(self, form, aligned):
        """Other forms go to where the dense ones are, and so does the answer."""
        strict = pytest.importorskip("array_api_strict")
        a, b = noise(), noise()[::-1].copy()
        for got in (
            iou(Masks(strict.asarray(a)), form.from_masks(b), aligned=aligned),
            iou(form.from_masks(a), strict.asarray(b), aligned=aligned),
        ):
            assert type(got) is type(strict.asarray(a)) and np.array_equal(np.asarray(got), iou(a, b, aligned=aligned))

    def test_polygons_with_dense_masks_elsewhere(self):
        strict = pytest.importorskip("array_api_strict")
        stack = noise()
        drawn = Polygons([[[0, 0, 3, 0, 3, 2, 0, 2]]], rule="centre")
        assert np.array_equal(np.asarray(iou(drawn, strict.asarray(stack))), iou(drawn, stack))

    def test_the_picker_says_so(self):
        torch = pytest.importorskip("torch")
        strict = pytest.importorskip("array_api_strict")
        for stack, backend in (
            (noise(), "native"),
            (torch.from_numpy(noise()), "native"),
            (strict.asarray(noise()), "generic"),
        ):
            tables = comparable(Masks(stack), Masks(stack), aligned=False)
            assert pick("measure", tables, iou.chosen({})).backend == backend


class TestMasksOrBoxes:
    """Whole numbers of three axes, the last of length 4, could be either: neither is guessed."""

    STACK = np.zeros((2, 4, 4), np.uint8)
    STACK[:, 1:3, 1:3] = 1

    @pytest.mark.parametrize("dtype", ["uint8", "int32", "int64"])
    @pytest.mark.parametrize("shape", [(2, 4, 4), (2, 7, 4), (3, 0, 4), (2, 5, 6, 4)])
    def test_refused(self, xp, dtype, shape):
        for call in (
            lambda a: iou(a, a),
            lambda a: parts(a, a),
            lambda a: join(a, a, at_least=0.5),
            lambda a: nms(a, []),
        ):
            with pytest.raises(TypeError, match=r"could be boxes of a batch or images.*Boxes\(a\)"):
                call(xp(np.zeros(shape), dtype))

    def test_lists(self):
        with pytest.raises(TypeError, match=r"boxes go to Boxes\(a\), a stack of masks goes to Masks\(a\)"):
            iou(self.STACK.tolist(), self.STACK.tolist())

    def test_both_ways(self):
        assert iou(Masks(self.STACK), Masks(self.STACK)).tolist() == [[1, 1], [1, 1]]
        batch = Boxes([[[0, 0, 4, 4]], [[0, 0, 2, 2]]])
        assert iou(batch, batch).shape == (2, 1, 1)

    def test_what_is_not_in_doubt(self):
        assert iou(self.STACK.astype(bool), self.STACK.astype(bool)).tolist() == [[1, 1], [1, 1]]
        batch = np.array([[[0, 0, 4, 4]], [[0, 0, 2, 2]]], float)
        assert iou(batch, batch).shape == (2, 1, 1)
        with pytest.raises(ValueError, match=r"A stack of masks goes to Masks\(a\)"):
            iou(np.zeros((2, 5, 5), np.uint8), np.zeros((2, 5, 5), np.uint8))
