"""Kernels for CUDA tensors, run step by step by Triton's interpreter, against their twins."""

import json
from fractions import Fraction
from functools import partial

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("triton")

from backends import absent, as_if_cuda, forbidden, swap_once  # noqa: E402
from vesica import Boxes, RotatedBoxes, iou, join, losses, nms  # noqa: E402
from vesica._check import threshold  # noqa: E402
from vesica._kernels import pick  # noqa: E402
from vesica._kernels.generic import contingency as generic_contingency  # noqa: E402
from vesica._kernels.generic import nms as generic_nms  # noqa: E402
from vesica._kernels.tables import Contest  # noqa: E402
from vesica._kernels.triton import contingency, launch, measure  # noqa: E402
from vesica._kernels.triton import losses as triton_losses  # noqa: E402
from vesica._kernels.triton import nms as triton_nms  # noqa: E402
from vesica._kernels.triton.losses import ALL  # noqa: E402
from vesica.cli import main  # noqa: E402
from vesica.overlaps.measures import MEASURES  # noqa: E402
from vesica.overlaps.parts import twin_parts  # noqa: E402
from vesica.regions import comparable  # noqa: E402

swap_once()


def rows(n, seed=0, dtype="float32", scale=1.0):
    rng = np.random.default_rng(seed)
    corner = rng.uniform(0, 80, (n, 2))
    table = np.concatenate([corner, corner + rng.uniform(0, 40, (n, 2))], axis=1) * scale
    if n > 3:
        table[1] = table[0]
        table[2, 2:] = table[2, :2]  # a point
        table[3, 2] = table[3, 0]  # a line
    return torch.from_numpy(table.astype(dtype))


def both(name, a, b, aligned=False, **options):
    """What the kernel gives, and what its twin gives."""
    formula = MEASURES[name].chosen(options)
    tables = comparable(a, b, aligned=aligned)
    twin = formula.of_parts(twin_parts(tables, aligned))
    with np.errstate(all="ignore"):  # the interpreter is NumPy
        return measure.measure(tables, formula, aligned=aligned, threads=None), twin


def assert_equal(got, want, name):
    """Bit for bit, but for the arc tangents of ciou and the distance of diou."""
    assert got.dtype == want.dtype and got.shape == want.shape
    tolerance = 8 * torch.finfo(want.dtype).eps if name in ("ciou", "diou") else 0
    same = (got == want) | (got.isnan() & want.isnan()) | ((got - want).abs() <= tolerance)
    assert same.all(), (name, got[~same][:4], want[~same][:4])


class TestMeasure:
    @pytest.mark.parametrize("name", sorted(MEASURES))
    @pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "float16"])
    def test_is_its_twin(self, name, dtype):
        a, b = rows(9, 1, dtype), rows(21, 2, dtype)
        assert_equal(*both(name, a, b), name)
        assert_equal(*both(name, a, b[:9], aligned=True), name)

    @pytest.mark.parametrize("name", ["iou", "ciou"])
    def test_more_than_one_tile(self, name):
        assert_equal(*both(name, rows(11, 1), rows(520, 2)), name)
        assert_equal(*both(name, rows(300, 1), rows(300, 2), aligned=True), name)

    @pytest.mark.parametrize("name", sorted(MEASURES))
    def test_strange_rows(self, name):
        """NaN stays NaN, inverted boxes are empty, and what is infinite or tiny goes as in array code."""
        odd = rows(9, 3)
        odd[0, 0], odd[1, 3], odd[2] = torch.nan, torch.inf, torch.tensor([5.0, 5, 3, 9])
        odd[3:5] *= 1e-20
        odd[5:7] *= 1e17
        a = Boxes(odd, check=False)
        assert_equal(*both(name, a, a), name)
        assert_equal(*both(name, a, a, aligned=True), name)

    @pytest.mark.parametrize("name", sorted(set(MEASURES) - {"tversky"}))
    def test_tame_boxes_go_the_fast_way_to_the_same_bits(self, name):
        a, b = rows(13, 1)[4:], rows(40, 2)[4:]  # more than one tile has rows
        assert_equal(*both(name, a, b), name)
        assert_equal(*both(name, a / 128, b / 128), name)
        touching = torch.tensor([[0.0, 0, 4, 4], [4, 0, 8, 4], [0, 0, 4, 4.0000005], [1, 1, 2, 2]])
        assert_equal(*both(name, touching, touching), name)

    @pytest.mark.parametrize("name", sorted(set(MEASURES) - {"tversky"}))
    def test_boxes_of_any_size_and_place(self, name):
        """Inside and outside of the range of the fast way, at its ends, left of 0 and at 0."""
        a, b, as_they_are = rows(13, 1)[4:], rows(40, 2)[4:], partial(Boxes, check=False)
        for power in (-30, -18, 20, 44, 60):
            assert_equal(*both(name, as_they_are(a * 2.0**power), as_they_are(b * 2.0**power)), name)
        assert_equal(*both(name, a - 60, b - 60), name)
        floor = b.floor()
        floor[:, 2:] += 1
        assert_equal(*both(name, floor[:9] - floor[0, 0], floor - floor[0, 0]), name)
        for small in (2.0**-20, 2.0**-22, 2.0**-38):  # beside a coordinate of 64
            odd = torch.tensor([[small, 0, 64, 64], [0, small, 1, 2], [0, 0, small, 1], [1, 1, 1 + 2.0**-23, 3]])
            assert_equal(*both(name, as_they_are(odd), as_they_are(odd)), name)

    @pytest.mark.parametrize("name", ["ciou", "diou"])
    def test_a_box_with_itself_has_one(self, name):
        a = rows(30, 1)[4:]
        assert (both(name, a, a)[0].diagonal() == 1).all()

    def test_the_entry_for_small_calls(self):
        a, b = rows(6, 1), rows(7, 2)
        for name in ("iou", "ciou"):
            entry = measure.lane(MEASURES[name].plain)
            assert_equal(entry(a, b, False), both(name, a, b)[1], name)
            assert_equal(entry(a.double(), b[:6].double(), True), both(name, a.double(), b[:6].double(), True)[1], name)
        handed_back = [(a, b, True), (a.long(), b.long(), False), (a[:0], b, False), (a[None], b, False)]
        handed_back += [(a[:, :3], b, False), (a, b.double(), False), (a.T.contiguous().T, b, False), (a[0], b, False)]
        handed_back += [(rows(9).flatten()[1:25].reshape(6, 4), b, False), (a.half(), b.half(), False)]
        for case in handed_back:
            assert entry(*case) is None

    def test_options(self):
        a, b = rows(5, 1), rows(6, 2)
        for name, options in (
            ("iou", {"empty": 1.0}),
            ("giou", {"empty": float("nan")}),
            ("coverage", {"of": "b"}),
            ("tversky", {"alpha": 0.3, "beta": 0.7, "empty": 0.25}),
            ("tversky", {"alpha": 1e30, "beta": 0.0}),
        ):
            assert_equal(*both(name, a, b, **options), name)
            assert_equal(*both(name, a.double(), b.double(), **options), name)

    @pytest.mark.parametrize("n,m", [(1, 1), (1, 300), (70, 1), (3, 0), (0, 3), (0, 0)])
    def test_shapes(self, n, m):
        assert_equal(*both("giou", rows(n), rows(m, 1)), "giou")

    def test_batches(self):
        a = torch.stack([rows(4, k) for k in range(6)]).reshape(2, 3, 4, 4)
        b = torch.stack([rows(5, 9 + k) for k in range(3)])
        for left, right in ((a[:, :2], b[:2]), (b[0], a[0])):
            assert_equal(*both("giou", left, right), "giou")
        assert_equal(*both("ciou", a[:, 0], b[0]), "ciou")
        assert_equal(*both("diou", a, b[..., :4, :], aligned=True), "diou")

    def test_rows_that_are_not_in_order(self):
        wide = torch.zeros((20, 8))
        wide[:, ::2] = rows(20)
        for a in (wide[:, ::2], rows(21)[1:], rows(40).flatten()[4:][:80].reshape(20, 4), rows(20).T.contiguous().T):
            assert_equal(*both("iou", a, rows(3, 1)), "iou")

    def test_an_answer_of_half_precision(self):
        a = rows(9).half()  # of bfloat16 the interpreter has no rounding
        got, want = both("iou", a, a)
        assert got.dtype == torch.float16 and torch.equal(got, want)

    def test_nothing_is_written_to(self):
        a = rows(9)
        before = a.clone()
        both("ciou", a, a)
        assert torch.equal(a, before)

    def test_where_memory_may_be_read(self):
        table = rows(6).flatten()
        assert launch.in_rows(table[4:8]).data_ptr() == table[4:8].data_ptr()
        assert launch.in_rows(table[1:5]).data_ptr() % 16 == 0
        assert launch.bits(-0.0) == -(2**63) and launch.bits(1.0) == 0x3FF << 52


class TestContingency:
    @pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "int32", "int64", "bool"])
    @pytest.mark.parametrize("labels", [[0], [0, 1, 2, 3], [0, 1, 2, 100], [-7, 1], [0, 10**9]])
    def test_is_its_twin(self, dtype, labels):
        rng = np.random.default_rng(len(labels))
        for shape in ((3, 7, 11), (1, 1, 1), (2, 61, 97)):
            truth, guess = (torch.from_numpy(rng.integers(0, 5, shape).astype(dtype)) for _ in range(2))
            got = contingency.contingency(truth, guess, np.array(labels), None)
            want = generic_contingency.contingency(truth, guess, np.array(labels), None)
            for x, y in zip(got, want, strict=True):
                assert x.dtype == y.dtype and torch.equal(x, y)

    def test_more_than_one_block(self):
        rng = np.random.default_rng(0)
        truth, guess = (torch.from_numpy(rng.integers(0, 21, (2, 190, 191)).astype("uint8")) for _ in range(2))
        got, ends = contingency.contingency(truth, guess, np.arange(19), None)
        want, other_ends = generic_contingency.contingency(truth, guess, np.arange(19), None)
        assert torch.equal(got, want) and ends.tolist() == other_ends.tolist() == [19, 20, 19, 20]

    def test_many_classes_go_to_the_twin(self):
        truth = torch.arange(200).reshape(1, 10, 20)
        got, _ = contingency.contingency(truth, truth, np.arange(200), None)
        assert got.shape == (1, 201, 201) and torch.equal(got[0].diagonal()[:-1], torch.ones(200, dtype=torch.int64))

    def test_dtypes_that_triton_has_not(self):
        truth = torch.tensor([[[1, 2, 60000]]]).to(torch.uint16)
        got, ends = contingency.contingency(truth, truth, np.array([1, 2]), None)
        assert got[0].diagonal().tolist() == [1, 1, 1] and ends.tolist() == [60000] * 4


def crowd(n, seed=0, *, whole=False, dtype="float32"):
    """Boxes that overlap, as NumPy rows; of whole numbers there are ties everywhere."""
    rng = np.random.default_rng(seed)
    corner = rng.uniform(0, 60, (n, 2))
    table = np.concatenate([corner, corner + rng.uniform(2, 40, (n, 2))], axis=1)
    return (np.round(table / 6) if whole else table).astype(dtype)


def on_device(call, *arrays, **options):
    """What a verb says of tensors that are sent to the kernels."""
    with as_if_cuda(), np.errstate(all="ignore"):
        return call(
            *(Boxes(torch.from_numpy(a), check=False) if a.ndim == 2 else torch.from_numpy(a) for a in arrays),
            **options,
        )


class TestNms:
    """The rows that the compiled kernel of the CPU keeps, in its order."""

    @pytest.mark.parametrize("dtype", ["float32", "float64"])
    @pytest.mark.parametrize("whole", [False, True])
    def test_same_rows(self, dtype, whole):
        table = crowd(75, 1, whole=whole, dtype=dtype)
        scores = np.random.default_rng(2).integers(0, 20, 75).astype(dtype)
        keys = np.arange(75) % 3
        for options in (
            {"above": 0.5},
            {"above": 0.25, "strict": False},
            {"above": Fraction(1, 3), "keys": keys, "limit": 9, "min_score": 3},
        ):
            got = on_device(nms, table, scores, **options)
            assert got.tolist() == nms(Boxes(table, check=False), scores, **options).tolist()

    def test_the_device_decides(self):
        """And the host where it cannot: other measures, long decimals, who suppressed whom."""
        table, scores = crowd(20), np.linspace(0, 1, 20, dtype=np.float32)
        with forbidden("native", "nms"):
            assert on_device(nms, table, scores).tolist() == on_device(nms, table, scores, threads=1).tolist()
        for options in ({"measure": "giou"}, {"above": 0.123456789}, {"suppressed_by": True}):
            got, want = on_device(nms, table, scores, **options), nms(table, scores, **options)
            for x, y in zip(np.atleast_2d(got), np.atleast_2d(want), strict=True):
                assert np.array_equal(x, y)

    def test_odd_rows(self):
        table = crowd(40)
        table[0, 0], table[1, 3], table[2] = np.nan, np.inf, [5, 5, 3, 9]
        table[3:5] *= 1e-20
        table[5:7] *= 1e16
        table[8:12] = table[7]
        scores = np.random.default_rng(1).random(40, np.float32)
        assert on_device(nms, table, scores).tolist() == nms(Boxes(table, check=False), scores).tolist()
        assert on_device(nms, table[:0], scores[:0]).tolist() == []
        scores[7] = np.nan
        with pytest.raises(ValueError, match="got NaN in row 7"):
            on_device(nms, table, scores)

    def test_pairs_next_to_the_threshold(self):
        """In float32 they look equal to it: a last place decides."""
        third = np.float32(1 / 3)
        sides = np.array([np.nextafter(third, np.float32(k)) for k in (0, 1)] + [third], np.float32)
        table = np.array([[0, 0, 1, 1], *([0, 0, 1, side] for side in sides)], np.float32)
        scores = np.array([4, 3, 2, 1], np.float32)
        for above in (Fraction(1, 3), 0.5, 0.3333):
            for strict in (True, False):
                got = on_device(nms, table, scores, above=above, strict=strict)
                assert got.tolist() == nms(table, scores, above=above, strict=strict).tolist()

    def test_no_room(self, monkeypatch):
        """More tiles meet than there is room for: the host decides."""
        monkeypatch.setattr(triton_nms, "MOST_PAIRS", 2)
        table, scores = crowd(100), np.linspace(0, 1, 100, dtype=np.float32)
        assert on_device(nms, table, scores).tolist() == nms(table, scores).tolist()

    def test_the_entry_for_small_calls(self):
        table, scores = torch.from_numpy(crowd(40)), torch.linspace(0, 1, 40)
        entry = triton_nms.lane(iou.plain)
        with np.errstate(all="ignore"):
            assert entry(table, scores, (0.5, True)).tolist() == nms(crowd(40), scores.numpy()).tolist()
            nan = scores.clone()
            nan[3] = torch.nan
            assert entry(table, nan, (0.5, True)) is None
        keys = torch.arange(40) % 3
        with np.errstate(all="ignore"):
            got = entry(table, scores, (0.3, True, keys.int(), 0.2, 9))
        want = nms(crowd(40), scores.numpy(), above=0.3, keys=keys.numpy(), min_score=0.2, limit=9)
        assert got.tolist() == want.tolist()
        for more in ((keys.float(), None, None), (keys[:-1], None, None), (keys.tolist(), None, None)):
            assert entry(table, scores, (0.5, True, *more)) is None
        for more in ((None, float("nan"), None), (None, "0.1", None), (None, None, 0), (None, None, True)):
            assert entry(table, scores, (0.5, True, *more)) is None
        for case in (
            (table, scores, (2.0, True)),
            (table, scores[:-1], (0.5, True)),
            (table.long(), scores, (0.5, True)),
            (table[:0], scores[:0], (0.5, True)),
            (table, scores > 0, (0.5, True)),
            (table[None], scores, (0.5, True)),
            (table, scores, (0.123456789, True)),
        ):
            assert entry(*case) is None

    @pytest.mark.parametrize("with_keys", [False, True])
    def test_padded_is_its_twin(self, with_keys):
        rng = np.random.default_rng(5)
        table = torch.from_numpy(np.stack([crowd(40, k, whole=k == 1) for k in range(3)]))
        order = torch.from_numpy(rng.permuted(np.tile(np.arange(40), (3, 1)), axis=1))
        keys = torch.from_numpy(rng.integers(-3, 1, (3, 40))) if with_keys else None
        alive = torch.from_numpy(rng.random((3, 40)) < 0.9)
        contest = Contest(generic_nms.in_order(table, order), keys, iou.plain, threshold(0.3, "above", strict=True))
        with np.errstate(all="ignore"):
            got = triton_nms.nms_padded(contest, order, alive, 12)
        want = generic_nms.nms_padded(contest, order, alive, 12)
        assert all(torch.equal(x, y) and x.dtype == y.dtype for x, y in zip(got, want, strict=True))


class TestJoin:
    @pytest.mark.parametrize("dtype", ["float32", "float64"])
    def test_same_pairs(self, dtype):
        for whole in (False, True):
            a, b = crowd(50, 1, whole=whole, dtype=dtype), crowd(70, 2, whole=whole, dtype=dtype)
            keys = (np.arange(50) % 2, np.arange(70) % 2)
            for arrays, options in (
                ((a, b), {"at_least": 0.25}),
                ((a,), {"at_least": 0.2, "strict": True}),
                ((a, b), {"at_least": 0.1, "keys": keys}),
            ):
                got, want = on_device(join, *arrays, **options), join(*arrays, **options)
                assert len(want) > 5
                for x, y in zip(got, want, strict=True):
                    assert np.array_equal(x.numpy(), y) and str(x.dtype).endswith(str(y.dtype))

    def test_the_host_serves_the_rest(self):
        a, b = crowd(20, 1), crowd(30, 2)
        for options in ({"measure": "giou"}, {"measure": "dice"}, {"at_least": 0.123456789}):
            options = {"at_least": 0.3, **options}
            got, want = on_device(join, a, b, **options), join(a, b, **options)
            assert all(np.array_equal(x.numpy(), y) for x, y in zip(got, want, strict=True))
        assert len(on_device(join, a, b[:0], at_least=0.5)) == 0

    def test_boxes_of_all_sizes_and_places(self):
        """However they are sorted into tiles, none is lost."""
        rng = np.random.default_rng(3)
        side = 2.0 ** rng.uniform(-18, 24, (90, 1))
        corner = rng.uniform(-3, 3, (90, 2)) * side
        table = np.concatenate([corner, corner + side * rng.uniform(0.5, 1, (90, 2))], axis=1).astype(np.float32)
        near = table + (side * rng.normal(0, 0.05, (90, 4))).astype(np.float32)
        got, want = (
            on_device(join, table, near, at_least=0.3),
            join(Boxes(table, check=False), Boxes(near, check=False), at_least=0.3),
        )
        assert len(want) > 60 and all(np.array_equal(x.numpy(), y) for x, y in zip(got, want, strict=True))


class TestLosses:
    def pairs(self, dtype):
        """Guesses near their truths, and what is odd: equal, touching, inside, inverted, points, tiny, huge."""
        rng = np.random.default_rng(4)
        a = np.concatenate([crowd(20, 1), crowd(20, 2)]).astype(dtype)
        b = np.concatenate([crowd(20, 3), a[20:] + rng.normal(0, 2, (20, 4))]).astype(dtype)
        b[0] = a[0]
        a[1], b[1] = [0, 0, 4, 4], [4, 0, 8, 4]
        a[2], b[2] = [0, 0, 4, 4], [1, 1, 2, 2]
        a[3], b[4] = [5, 5, 3, 9], [9, 9, 3, 1]
        a[5] = b[5] = [5, 5, 5, 5]
        a[6] = b[6] = 0
        a[7:9], b[7:9] = a[7:9] * 1e-25, b[7:9] * 1e-25
        a[9] *= 1e25
        a[10], b[10] = [0, 0, 4, 4], [0, 0, 4, 8]
        return torch.from_numpy(a), torch.from_numpy(b)

    def found(self, loss, a, b):
        a, b = a.clone().requires_grad_(), b.clone().requires_grad_()
        with np.errstate(all="ignore"):
            value = loss(a, b)
        (value * torch.linspace(0.5, 2, value.numel(), dtype=a.dtype).reshape(value.shape)).sum().backward()
        return value.detach(), a.grad, b.grad

    @pytest.mark.parametrize("name", ["iou", "giou", "diou", "ciou", "eiou"])
    @pytest.mark.parametrize("dtype", ["float32", "float64"])
    def test_value_and_gradient_are_those_of_array_code(self, name, dtype):
        a, b = self.pairs(dtype)
        for reduction in ("none", "sum", "mean"):
            twin = partial(getattr(losses, name), reduction=reduction)
            value, *grads = self.found(lambda x, y: triton_losses.loss(x, y, name, reduction, twin), a, b)
            want, *wants = self.found(twin, a, b)
            eps = torch.finfo(value.dtype).eps
            assert value.dtype == want.dtype and (value - want).abs().max() <= 4 * eps * want.abs().max()
            for x, y in zip(grads, wants, strict=True):
                assert x.isfinite().all()
                # Gradients are one over a length; those of equal boxes cancel.
                length = torch.maximum(a.abs(), b.abs()).amax(dim=1, keepdim=True)
                scale = y.abs().amax(dim=1, keepdim=True) + 1 / length
                assert ((x - y).abs() <= 32 * eps * scale).all()

    def test_second_derivatives_and_halves_of_the_gradient(self):
        a, b = (side[20:].clone() for side in self.pairs("float64"))
        twin = losses.giou
        found = []
        for way in (twin, lambda x, y: triton_losses.loss(x, y, "giou", "mean", twin)):
            x = a.clone().requires_grad_()
            with np.errstate(all="ignore"):
                (slope,) = torch.autograd.grad(way(x, b), x, create_graph=True)
            found.append(torch.autograd.grad((slope * slope).sum(), x)[0])
        assert torch.allclose(*found, rtol=1e-9) and b.grad is None

    def test_nothing(self):
        none = torch.zeros((0, 4), requires_grad=True)
        value = triton_losses.loss(none, torch.zeros((0, 4)), "ciou", "mean", losses.ciou)
        value.backward()
        assert value.item() == 0 and none.grad.shape == (0, 4)

    @pytest.mark.parametrize("count", [1, ALL - 1, ALL, ALL + 1])
    @pytest.mark.parametrize("reduction", ["sum", "mean"])
    def test_few_rows_are_added_up_where_they_are_made(self, count, reduction):
        a, b = (torch.from_numpy(crowd(count, seed)) for seed in (1, 2))
        twin = partial(losses.ciou, reduction=reduction)
        with np.errstate(all="ignore"):
            value, *_ = triton_losses.each(a, b, "ciou", reduction, True, False)
            found = self.found(lambda x, y: triton_losses.loss(x, y, "ciou", reduction, twin), a, b)
        want = self.found(twin, a.double(), b.double())
        assert value.shape == () and value == found[0]
        for x, y in zip(found, want, strict=True):
            assert torch.allclose(x.double(), y, rtol=1e-5, atol=1e-6)

    def test_the_entry(self):
        a, b = self.pairs("float32")
        entry, told = triton_losses.lane(MEASURES["iou"].plain), ("mean", losses.iou)
        with np.errstate(all="ignore"):
            assert entry(a, b, told).item() == pytest.approx(losses.iou(a, b).item(), rel=1e-6)
            assert entry(a.reshape(2, 20, 4), b.reshape(2, 20, 4), ("none", losses.iou)).shape == (2, 20)
        half = a[10:].half().requires_grad_(), b[10:].half()
        with np.errstate(all="ignore"):
            value = entry(*half, told)
        value.backward()
        assert value.item() == pytest.approx(losses.iou(*half).item(), rel=1e-6) and half[0].grad.dtype == torch.float16
        for x, y in ((a.half(), b), (a, b.double()), (a[:3], b), (a[0], b[0]), (a[:, :3], b[:, :3])):
            assert entry(x, y, told) is None


class TestDoor:
    def test_cuda_tensors_are_sent_there(self):
        a = rows(3)
        with as_if_cuda():
            kernel = pick("measure", comparable(a, a, aligned=False), iou.plain)
            assert (kernel.backend, kernel.why) == (
                "triton",
                "Triton kernels work on the device, without intermediates",
            )
            assert torch.equal(iou(a, a), both("iou", a, a)[1])
            with absent("triton"):
                assert pick("measure", comparable(a, a, aligned=False), iou.plain).backend == "generic"
        assert pick("measure", comparable(a, a, aligned=False), iou.plain).backend == "native"

    def test_gradients_have_their_kernels(self):
        a = rows(3).requires_grad_()
        with as_if_cuda():
            kernel = pick("measure", comparable(a, a, aligned=False), iou.plain)
            assert kernel.why == "Triton kernels make the measures, and their gradients without a matrix"
            with torch.no_grad():
                kernel = pick("measure", comparable(a, a, aligned=False), iou.plain)
                assert kernel.why == "Triton kernels work on the device, without intermediates"
            boxes = RotatedBoxes(torch.rand(3, 5).requires_grad_(), unit="deg", direction="cw", check=False)
            assert pick("measure", comparable(boxes, boxes, aligned=False), iou.plain).backend == "generic"

    def test_info_says_so(self, capsys):
        assert main(["info", "--json"]) == 0
        listed = json.loads(capsys.readouterr().out)["backends"]
        mine = [case for case in listed if case["backend"] == "triton"]
        assert {case["arrays"] for case in mine} == {
            "torch on a CUDA device, no gradient needed",
            "torch on a CUDA device",
            "torch on a CUDA device, with a gradient",
            "torch on a CUDA device, inside torch.compile",
            "CuPy, where torch is installed",
        }
        assert {"measure", "join", "nms", "nms_padded", "contingency"} <= {
            verb for case in mine for verb in case["verbs"]
        }
