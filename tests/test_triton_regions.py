"""Rotated boxes and dense masks on CUDA: the kernels, run step by step by Triton's interpreter, against their twins."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("triton")

from backends import absent, as_if_cuda, forbidden  # noqa: E402
from vesica import Boxes, Masks, RleMasks, RotatedBoxes, SparseMasks, best, iou, join, parts  # noqa: E402
from vesica._kernels import pick, pick_arrays  # noqa: E402
from vesica._kernels.generic import masks as generic_masks  # noqa: E402
from vesica._kernels.triton import mask_bits, mask_runs, masks, rotated  # noqa: E402
from vesica.overlaps.measures import MEASURES  # noqa: E402
from vesica.overlaps.parts import twin_parts  # noqa: E402
from vesica.regions import comparable  # noqa: E402

NAMES = sorted(name for name, measure in MEASURES.items() if not measure.needs_hull)


def both(kernels, name, a, b, aligned=False, **options):
    """What the kernel gives, and what its twin gives."""
    formula = MEASURES[name].chosen(options)
    with as_if_cuda(), np.errstate(all="ignore"):  # the interpreter is NumPy
        tables = comparable(a, b, aligned=aligned)
        got = kernels.measure(tables, formula, aligned=aligned, threads=None)
        return got, formula.of_parts(twin_parts(tables, aligned))


def assert_same(got, want):
    """Bit for bit, NaN where NaN is."""
    assert got.dtype == want.dtype and got.shape == want.shape
    same = (got == want) | (got.isnan() & want.isnan())
    assert same.all(), (got[~same][:4], want[~same][:4])


def turned(rows, dtype="float64", unit="deg"):
    return RotatedBoxes(torch.from_numpy(np.array(rows, dtype)), unit=unit, direction="cw", check=False)


def some(n, seed, dtype="float64", scale=1.0):
    rng = np.random.default_rng(seed)
    table = rng.uniform(0, 1, (n, 5)) * [40, 40, 30, 20, 360]
    table[:, :4] *= scale
    return turned(table, dtype)


EDGES = [
    [0, 0, 4, 2, 0],
    [0, 0, 4, 2, 0],  # itself
    [0, 0, 4, 2, 180],
    [0, 0, 2, 4, 90],
    [4, 0, 4, 2, 0],  # touches along an edge
    [4, 2, 4, 2, 0],  # touches in a corner
    [0, 1, 4, 2, 0],  # shares two sides' lines
    [0, 0, 1, 1, 45],  # inside
    [0, 0, 40, 40, 45],  # around
    [0, 0, 0, 2, 30],  # without width
    [0, 0, 0, 0, 0],
    [1, 1, 1e-9, 50, 37],  # thin
    [1, 1, 1e9, 1e9, 12],  # huge
    [1e8, 1e8, 4, 2, 33],  # far away
    [1e8, 1e8, 4, 2, 34],
    [1, 1, 3, 3, 0.5],
    [1, 1, 3, 3, -719.5],
]


class TestRotated:
    @pytest.mark.parametrize("name", NAMES)
    @pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
    def test_is_its_twin(self, name, dtype):
        a, b = some(9, 1, dtype), some(21, 2, dtype)
        assert_same(*both(rotated, name, a, b))
        assert_same(*both(rotated, name, a, b[:9], aligned=True))

    def test_edges(self):
        a = turned(EDGES)
        for name in NAMES:
            assert_same(*both(rotated, name, a, a, aligned=True))
        got, want = both(rotated, "iou", a, a)
        assert_same(got, want)
        assert torch.equal(got, got.T)
        assert got.diagonal().tolist() == [1.0] * 9 + [0.0] * 2 + [1.0] * 6
        assert got[0, 4] == got[0, 5] == 0 and got[0, 2] == got[0, 3] == 1

    @pytest.mark.parametrize("scale", [2.0**-40, 2.0**30])
    def test_any_scale(self, scale):
        assert_same(*both(rotated, "iou", some(9, 1, scale=scale), some(9, 2, scale=scale)))

    def test_what_is_no_number(self):
        odd = np.array(EDGES)
        odd[0, 0], odd[1, 2], odd[2, 4], odd[3, 3], odd[4, 1] = np.nan, np.nan, np.nan, np.inf, np.inf
        a = turned(odd)
        assert_same(*both(rotated, "iou", a, a))
        assert_same(*both(rotated, "dice", a, a, aligned=True))

    def test_more_than_one_tile(self):
        assert_same(*both(rotated, "iou", some(10, 1), some(130, 2)))
        assert_same(*both(rotated, "iou", some(130, 1), some(130, 2), aligned=True))

    def test_options_and_radians(self):
        a, b = some(5, 1), turned(EDGES, unit="rad")
        assert_same(*both(rotated, "iou", a, b, empty=1.0))
        assert_same(*both(rotated, "coverage", a, b, of="b"))
        assert_same(*both(rotated, "tversky", a, b, alpha=0.3, beta=0.7, empty=float("nan")))

    def test_among_boxes(self):
        boxes = Boxes(torch.tensor([[0, 0, 4, 4], [2, 2, 2, 9]]))
        assert_same(*both(rotated, "iou", boxes, some(5, 1)))
        assert_same(*both(rotated, "iou", some(5, 1), boxes))

    @pytest.mark.parametrize("n,m", [(1, 1), (0, 3), (3, 0), (0, 0)])
    def test_shapes(self, n, m):
        assert_same(*both(rotated, "iou", some(n, 1), some(m, 2)))

    def test_the_door(self):
        """Measures, parts and the best partners go there; a gradient stays with torch."""
        a, b = some(4, 1), some(6, 2)
        with as_if_cuda(), np.errstate(all="ignore"):
            tables = comparable(a, b, aligned=False)
            assert pick("measure", tables, iou.plain).backend == "triton"
            with forbidden("native"), forbidden("generic", "measure"):
                assert torch.equal(iou(a, b), iou.plain.of_parts(twin_parts(tables, False)))
                assert torch.equal(parts(a, b).inter, twin_parts(tables, False).inter)
                assert torch.equal(parts(a, b[:4], aligned=True).inter, twin_parts(tables, False).inter.diagonal())
                found = best(a, b, k=2)
            learnt = RotatedBoxes(a.array.clone().requires_grad_(), unit="deg", direction="cw")
            assert pick("measure", comparable(learnt, b, aligned=False), iou.plain).backend == "generic"
            iou(learnt, b).sum().backward()
            assert learnt.array.grad.isfinite().all()
            with absent("triton"):
                assert pick("measure", tables, iou.plain).backend == "generic"
        want = best(a, b, k=2)
        assert torch.equal(found.index, want.index)


SIZES = [(1, 1), (7, 11), (5, 32), (4, 36), (35, 20), (20, 1), (1, 1056)]


def stacks(n, m, size, seed=0):
    """Noise, blobs, one mask without pixels and one with all."""
    rng = np.random.default_rng(seed)
    a, b = rng.random((n, *size)) < 0.4, rng.random((m, *size)) < 0.4
    a[0], b[-1] = False, True
    b[: m // 2, size[0] // 3 :] = False
    b[: m // 2, :, : size[1] // 2] = False
    return torch.from_numpy(a), torch.from_numpy(b)


@pytest.fixture(params=["in boxes", "as a product"])
def way(request, monkeypatch):
    """How pairs are counted, whatever they weigh. Small tiles, because the interpreter is slow."""
    monkeypatch.setattr(masks, "DOWN", 16)
    monkeypatch.setattr(masks, "ACROSS", 16)
    monkeypatch.setattr(masks, "PRODUCT", 10**9 if request.param == "in boxes" else -1)
    return request.param


class TestMasks:
    @pytest.mark.parametrize("size", SIZES)
    def test_is_its_twin(self, size, way):
        a, b = stacks(3, 5, size)
        assert_same(*both(masks, "iou", a, b))
        assert_same(*both(masks, "iou", b, b))

    @pytest.mark.parametrize("name", NAMES)
    def test_measures(self, name, way):
        a, b = stacks(3, 4, (9, 20))
        assert_same(*both(masks, name, a, b))
        assert_same(*both(masks, name, a, a))
        assert_same(*both(masks, name, a, b[:3], aligned=True))

    def test_options(self, way):
        a, b = stacks(2, 3, (4, 7))
        for name, options in (
            ("iou", {"empty": float("nan")}),
            ("coverage", {"of": "b", "empty": 1.0}),
            ("tversky", {"alpha": 0.3, "beta": 0.7}),
        ):
            assert_same(*both(masks, name, a, b, **options))

    def test_more_than_one_tile(self, way):
        a, b = stacks(3, 34, (3, 40))
        assert_same(*both(masks, "iou", a, b))
        assert_same(*both(masks, "iou", b[:18], b[:18]))

    @pytest.mark.parametrize("size", SIZES)
    def test_aligned(self, size):
        a, b = stacks(3, 3, size)
        assert_same(*both(masks, "iou", a, b, aligned=True))

    def test_the_device_weighs(self):
        """Whichever way it takes, the other one adds nothing."""
        a, b = stacks(3, 5, (7, 40))
        for limit in (0.0, 0.5, 10**6):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(masks, "PRODUCT", limit)
                patch.setattr(masks, "DOWN", 16)
                patch.setattr(masks, "ACROSS", 16)
                assert_same(*both(masks, "iou", a, b))

    @pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "int64"])
    def test_any_value_but_0_belongs(self, dtype, way):
        rng = np.random.default_rng(1)
        table = rng.integers(-128, 128, (3, 6, 16)) * (rng.random((3, 6, 16)) < 0.5)
        a = Masks(torch.from_numpy(table.astype(dtype)))
        assert_same(*both(masks, "iou", a, a))
        assert_same(*both(masks, "dice", a, a, aligned=True))

    def test_booleans_of_other_bytes(self, way):
        """torch takes every byte but 0 for True."""
        a = torch.tensor([[[255, 128, 0, 1] * 4], [[2, 0, 255, 1] * 4]], dtype=torch.uint8).view(torch.bool)
        assert both(masks, "iou", a, a)[0].tolist() == [[1.0, 0.5], [0.5, 1.0]]
        assert both(masks, "iou", a, a.flip(0), aligned=True)[0].tolist() == [0.5, 0.5]

    def test_stacks_that_are_not_in_order(self, way):
        a, _ = stacks(4, 4, (12, 9))
        for view in (a.permute(0, 2, 1), a[:, ::2, 1:], a[1:], a.flip(2)):
            assert_same(*both(masks, "iou", view, view))
            assert_same(*both(masks, "iou", view, view, aligned=True))

    @pytest.mark.parametrize("shapes", [((0, 3, 4), (2, 3, 4)), ((2, 0, 4), (3, 0, 4)), ((2, 3, 0), (2, 3, 0))])
    def test_nothing(self, shapes):
        a, b = (torch.zeros(shape, dtype=torch.bool) for shape in shapes)
        assert_same(*both(masks, "iou", a, b))
        if len(a) == len(b):
            assert_same(*both(masks, "iou", a, b, aligned=True))

    @pytest.mark.parametrize("size", SIZES)
    def test_areas_and_boxes(self, size):
        for stack in (*stacks(3, 5, size), torch.zeros((0, *size), dtype=torch.bool)):
            with np.errstate(all="ignore"):
                assert torch.equal(mask_bits.area(stack), generic_masks.area(stack))
                assert torch.equal(mask_bits.boxes(stack), generic_masks.boxes(stack))

    def test_images_whose_counts_do_not_fit(self, monkeypatch):
        monkeypatch.setattr(mask_bits, "MOST_PIXELS", 1500)
        a, b = stacks(3, 3, (20, 30))
        monkeypatch.setattr(masks, "_counted", None)
        monkeypatch.setattr(mask_bits, "packed", None)
        with np.errstate(all="ignore"):
            assert_same(*both(masks, "iou", a, b))
            assert_same(*both(masks, "iou", a, b, aligned=True))
            assert torch.equal(mask_bits.area(a), generic_masks.area(a))
            assert torch.equal(mask_bits.boxes(b), generic_masks.boxes(b))

    def test_the_door(self, way):
        a, b = stacks(3, 5, (7, 40))
        with as_if_cuda(), np.errstate(all="ignore"):
            tables = comparable(a, b, aligned=False)
            kernel = pick("measure", tables, iou.plain)
            assert (kernel.backend, pick_arrays("area", "masks", a).backend) == ("triton", "triton")
            with forbidden("native"), forbidden("generic", "measure"), forbidden("generic", "area"):
                got, shared, pairs = iou(a, b), parts(a, b), join(a, b, at_least=0.25)
                area, boxes = Masks(a).area, Masks(a).boxes
            with absent("triton"):
                assert pick("measure", tables, iou.plain).backend == "generic"
        assert torch.equal(got, iou(a, b)) and shared == parts(a, b)
        assert all(torch.equal(x, y) for x, y in zip(pairs, join(a, b, at_least=0.25), strict=True)) and len(pairs)
        assert torch.equal(area, Masks(a).area) and torch.equal(boxes.array, Masks(a).boxes.array)


def runs_of(stack):
    masks = RleMasks.from_masks(stack)
    return masks.counts, masks.offsets, masks.size


class TestRuns:
    """Run lengths that meet dense masks on a device are decoded there."""

    def stacks(self, height, width, seed=0):
        rng = np.random.default_rng(seed)
        full, none = np.ones((1, height, width), bool), np.zeros((1, height, width), bool)
        noise = rng.random((2, height, width)) < 0.4
        tall = none.copy()
        tall[:, :, : (width + 1) // 2] = True  # a run over whole columns, that ends with one
        bent = np.zeros((1, width, height), bool)
        bent.reshape(-1)[height // 2 : height * width - 1] = True  # from the middle of a column on
        return np.concatenate([full, none, noise, tall, bent.transpose(0, 2, 1), none, full])

    @pytest.mark.parametrize("size", [(1, 1), (1, 40), (17, 1), (5, 33), (35, 64), (16, 130), (3, 4)])
    def test_are_the_pixels(self, size):
        stack = self.stacks(*size)
        like = torch.zeros(1)
        with np.errstate(all="ignore"):
            got = mask_runs.decode(*runs_of(stack), like)
        assert got.dtype == torch.bool and np.array_equal(got.numpy(), stack)
        assert torch.equal(got, generic_masks.decode(*runs_of(stack), like))

    @pytest.mark.parametrize("size", [(0, 3), (3, 0)])
    def test_nothing(self, size):
        none = RleMasks.from_masks(np.zeros((2, *size), bool))
        assert mask_runs.decode(none.counts, none.offsets, none.size, torch.zeros(1)).shape == (2, *size)
        assert mask_runs.decode(np.zeros(0, int), np.zeros(1, int), (3, 4), torch.zeros(1)).shape == (0, 3, 4)

    def test_are_decoded_on_the_device(self):
        a, b = self.stacks(6, 40, 1), self.stacks(6, 40, 2)
        for form in (RleMasks, SparseMasks):
            with as_if_cuda(), absent("native"), np.errstate(all="ignore"):
                got = iou(Masks(torch.from_numpy(a)), form.from_masks(b))
            assert np.array_equal(got.numpy(), iou(a, b))
        with as_if_cuda():
            assert pick_arrays("decode", "masks", torch.from_numpy(a)).backend == "triton"
