"""Gradients of measures by the kernels for CUDA, run by Triton's interpreter, against those of array code."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("triton")

from test_triton import as_if_cuda, crowd, rows  # noqa: E402
from vesica import Boxes, ciou, giou, iou  # noqa: E402
from vesica._kernels.generic import measure as generic  # noqa: E402
from vesica._kernels.triton import gradients  # noqa: E402
from vesica.overlaps.measures import MEASURES  # noqa: E402
from vesica.regions import comparable  # noqa: E402

HULLS = ("giou", "diou", "ciou", "eiou")


def scene(n, m, dtype="float32"):
    """Boxes that overlap; equal ones, some that touch, lie inside, points, lines and inverted ones."""
    a, b = crowd(n, 1, dtype=dtype), crowd(m, 2, dtype=dtype)
    b[0] = a[0]
    a[1], b[1], b[2] = [0, 0, 4, 4], [4, 0, 8, 4], [1, 1, 2, 2]
    a[2], a[3], a[4] = [5, 5, 5, 5], [5, 5, 5, 9], [5, 5, 3, 9]
    b[3], b[4] = [5, 5, 5, 5], [0, 0, 4, 8]
    return torch.from_numpy(a), torch.from_numpy(b)


def weights(shape, dtype):
    return torch.from_numpy(np.random.default_rng(5).normal(size=shape)).to(dtype)


def learnt(way, name, a, b, aligned=False, **options):
    """The measure, and what both sides learn from it."""
    a, b = a.clone().requires_grad_(), b.clone().requires_grad_()
    tables = comparable(Boxes(a, check=False), Boxes(b, check=False), aligned=aligned)
    with np.errstate(all="ignore"):
        value = way(tables, MEASURES[name].chosen(options), aligned=aligned, threads=None)
        (value * weights(value.shape, value.dtype)).sum().backward()
    return value.detach(), a.grad, b.grad


def compare(name, a, b, aligned=False, **options):
    value, *got = learnt(gradients.measure, name, a, b, aligned, **options)
    twin, *want = learnt(generic.measure, name, a, b, aligned, **options)
    eps = torch.finfo(value.dtype).eps
    assert value.dtype == twin.dtype and torch.allclose(value, twin, rtol=0, atol=8 * eps)
    for x, y in zip(got, want, strict=True):
        assert x.dtype == y.dtype and x.shape == y.shape
        # They are sums of slopes that are one over a length, which is a half here or more.
        assert ((x - y).abs() <= 64 * eps * (1 + y.abs().amax())).all(), (name, (x - y).abs().max(), y.abs().max())


@pytest.mark.parametrize("name", sorted(MEASURES))
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_they_are_those_of_array_code(name, dtype):
    a, b = scene(11, 13, dtype)
    compare(name, a, b)
    compare(name, a, b[:11], aligned=True)


@pytest.mark.parametrize("name", sorted(MEASURES))
def test_degenerate_boxes_one_pair_at_a_time(name):
    """No sum hides what a single pair has to say."""
    odd = torch.tensor(
        [
            [0.0, 0, 4, 4],
            [4, 0, 8, 4],
            [0, 0, 4, 2],
            [1, 1, 2, 2],
            [2, 2, 2, 2],
            [2, 0, 2, 4],
            [3, 3, 1, 5],
            [9, 9, 8, 8],
        ],
        dtype=torch.float64,
    )
    i, j = (side.flatten() for side in torch.meshgrid(torch.arange(8), torch.arange(8), indexing="ij"))
    value, *got = learnt(gradients.measure, name, odd[i], odd[j], aligned=True)
    twin, *want = learnt(generic.measure, name, odd[i], odd[j], aligned=True)
    assert torch.allclose(value, twin, atol=1e-14)
    for x, y in zip(got, want, strict=True):
        assert torch.allclose(x, y, rtol=1e-12, atol=1e-13, equal_nan=True)


@pytest.mark.parametrize("name", [name for name in sorted(MEASURES) if name != "ciou"])
@pytest.mark.parametrize("aligned", [False, True])
def test_they_are_those_of_differences(name, aligned):
    """Where nothing is at a kink. (That of ciou leaves out the slope of its weight, as its authors do.)"""
    a, b = (torch.from_numpy(crowd(3, seed, dtype="float64")).requires_grad_() for seed in (1, 2))
    formula = MEASURES[name].plain

    def way(x, y):
        return gradients.measure(comparable(x, y, aligned=aligned), formula, aligned=aligned, threads=None)

    # All rows with each of their numbers a step to either side are measured at once: the kernels run step by step here.
    step = 1e-6
    moves = step * torch.stack([torch.eye(4), -torch.eye(4)]).double()[:, :, None]  # (to either side, number, row, 4)
    with np.errstate(all="ignore"):
        values = way(a, b)
        slopes = [torch.autograd.grad(one, (a, b), retain_graph=True) for one in values.flatten()]
        with torch.no_grad():
            moved = way((a + moves).reshape(-1, 4), b.repeat(8, 1) if aligned else b)
            up, down = moved.reshape(2, 4, *values.shape)
            of_a = (up - down) / (2 * step)
            moved = way(a.repeat(8, 1) if aligned else a, (b + moves).reshape(-1, 4))
            up, down = moved.reshape(2, 4, 3) if aligned else moved.T.reshape(2, 4, 3, 3).mT
            of_b = (up - down) / (2 * step)
    assert of_a.any() and of_b.any()
    # What a value learns from is its own row of either side, and no other.
    for k, place in enumerate(np.ndindex(*values.shape)):
        for got, differences, row in zip(slopes[k], (of_a, of_b), (place[0], place[-1]), strict=True):
            want = torch.zeros_like(got)
            want[row] = differences[(slice(None), *place)]
            assert torch.allclose(got, want, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("aligned", [False, True])
def test_as_torch_checks_functions(aligned):
    a, b = (torch.from_numpy(crowd(2, seed, dtype="float64")).requires_grad_() for seed in (1, 2))

    def way(x, y):
        return gradients.measure(comparable(x, y, aligned=aligned), giou.plain, aligned=aligned, threads=None)

    with np.errstate(all="ignore"):
        assert torch.autograd.gradcheck(way, (a, b))


@pytest.mark.parametrize("enough", [1, 8])
def test_more_than_one_tile_and_share(enough, monkeypatch):
    monkeypatch.setattr(gradients, "ENOUGH", enough)
    a, b = scene(9, 130)
    compare("giou", a, b)
    compare("ciou", b, a)


def test_the_same_bits_every_time():
    a, b = scene(9, 130)
    first, second = (learnt(gradients.measure, "diou", a, b) for _ in range(2))
    assert all(torch.equal(x, y) for x, y in zip(first, second, strict=True))


def test_options():
    a, b = scene(9, 12)
    for name, options in (
        ("iou", {"empty": 1.0}),
        ("coverage", {"of": "b"}),
        ("tversky", {"alpha": 0.3, "beta": 0.9, "empty": 0.25}),
        ("ciou", {"empty": 1.0}),
    ):
        compare(name, a, b, **options)
        compare(name, a, b[:9], aligned=True, **options)


def test_leading_axes():
    a = torch.stack([scene(6, 7)[0], scene(7, 6)[0][:6]])
    b = torch.stack([scene(6, 7)[1], scene(6, 8)[1][:7]])
    for left, right in ((a, b), (a, b[0]), (a[0], b), (a[:1], b), (a[:, None], b[None])):
        compare("giou", left, right)
    compare("diou", a, b[:, :6], aligned=True)
    compare("ciou", a, b[0, :6], aligned=True)


def test_nothing():
    for n, m in ((0, 3), (3, 0), (0, 0)):
        a, b = rows(n), rows(m, 1)
        got = learnt(gradients.measure, "giou", a, b)
        assert [tuple(part.shape) for part in got] == [(n, m), (n, 4), (m, 4)] and not any(g.any() for g in got[1:])


def test_half_precision_learns_in_float32():
    a, b = (side.half() for side in scene(8, 9))
    value, *got = learnt(gradients.measure, "giou", a, b)
    twin, *want = learnt(generic.measure, "giou", a, b)
    assert value.dtype == torch.float16 and torch.equal(value, twin)
    for x, y in zip(got, want, strict=True):
        assert x.dtype == torch.float16 and torch.allclose(x, y, rtol=2e-3, atol=2e-3)


class TestVerbs:
    """As they are called."""

    def test_one_side_learns(self):
        a, b = scene(8, 9)
        for learner in (0, 1):
            found = []
            for device in (False, True):
                sides = [side.clone().requires_grad_(k == learner) for k, side in enumerate((a, b))]
                with np.errstate(all="ignore"):
                    if device:
                        with as_if_cuda():
                            giou(*(Boxes(side, check=False) for side in sides)).sum().backward()
                    else:
                        giou(*(Boxes(side, check=False) for side in sides)).sum().backward()
                assert sides[1 - learner].grad is None
                found.append(sides[learner].grad)
            assert torch.allclose(*found, atol=1e-5)

    def test_a_box_with_itself(self):
        found = []
        for device in (False, True):
            a = scene(8, 9)[0].double().requires_grad_()
            boxes = Boxes(a, check=False)
            with np.errstate(all="ignore"):
                if device:
                    with as_if_cuda():
                        (iou(boxes, boxes) ** 2).sum().backward()
                else:
                    (iou(boxes, boxes) ** 2).sum().backward()
            found.append(a.grad)
        assert torch.allclose(*found, atol=1e-12)

    def test_second_derivatives_are_those_of_array_code(self):
        found = []
        for device in (False, True):
            a = torch.from_numpy(crowd(5, 1, dtype="float64")).requires_grad_()
            b = torch.from_numpy(crowd(6, 2, dtype="float64"))

            def way(a=a, b=b):
                (slope,) = torch.autograd.grad(ciou(a, b).sum(), a, create_graph=True)
                return torch.autograd.grad((slope * slope).sum(), a)[0]

            with np.errstate(all="ignore"):
                if device:
                    with as_if_cuda():
                        found.append(way())
                else:
                    found.append(way())
        assert torch.allclose(*found, rtol=1e-10)

    def test_many_gradients_at_once_are_array_code(self):
        a, b = (torch.from_numpy(crowd(3, seed, dtype="float64")) for seed in (1, 2))
        for aligned in (False, True):
            want = torch.autograd.functional.jacobian(lambda x, k=aligned: giou(x, b, aligned=k), a)
            with as_if_cuda(), np.errstate(all="ignore"):
                way = torch.autograd.functional.jacobian
                got = way(lambda x, k=aligned: giou(x, b, aligned=k), a, vectorize=True)
                one_by_one = way(lambda x, k=aligned: giou(x, b, aligned=k), a)
            assert torch.allclose(got, want, rtol=1e-12) and torch.allclose(one_by_one, want, rtol=1e-12, atol=1e-15)

    def test_forward_mode_is_array_code(self):
        a, b = scene(5, 6, "float64")
        with as_if_cuda(), torch.autograd.forward_ad.dual_level():
            dual = torch.autograd.forward_ad.make_dual(a, torch.ones_like(a))
            tangent = torch.autograd.forward_ad.unpack_dual(iou(Boxes(dual, check=False), b)).tangent
        assert tangent.shape == (5, 6)
