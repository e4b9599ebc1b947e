"""Losses: worked numbers, degenerate and absurd boxes, gradients, reductions, tracing."""

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import oracles
import strategies
import vesica
from vesica import Boxes, Masks, losses
from vesica.errors import SizeValueError
from vesica.overlaps.measures import MEASURES

BOXES = ["iou", "giou", "diou", "ciou", "eiou", "siou", "alpha_iou"]
MEASURED = ["iou", "giou", "diou", "ciou", "eiou"]
MASKS = ["dice", "jaccard", "tversky", "focal_tversky", "lovasz"]


def of(name, guess, truth, **options):
    return getattr(losses, name)(guess, truth, **options)


def pairs(count, seed=0):
    """Two tables of boxes that meet at random."""
    rng = np.random.default_rng(seed)
    low = rng.uniform(0, 5, (2, count, 2))
    return np.concatenate([low, low + rng.uniform(1, 5, (2, count, 2))], axis=2)


# Spec 8.5: what is subtracted from 1.
CORNER, CROSS = ([0, 0, 4, 4], [2, 2, 6, 6]), ([0, 0, 4, 2], [1, 0, 3, 4])
APART, INSIDE = ([0, 0, 2, 2], [4, 0, 6, 2]), ([0, 0, 10, 10], [2, 2, 4, 4])
WORKED = {
    "iou": [1 / 7, 1 / 3, 0, 1 / 25],
    "giou": [-5 / 63, 1 / 12, -1 / 3, 1 / 25],
    "diou": [2 / 63, 29 / 96, -2 / 5, 0],
    "ciou": [2 / 63, 0.2683317, -2 / 5, 0],
    "eiou": [2 / 63, -19 / 96, -2 / 5, -32 / 25],
    "siou": [0.0376965, 0.2506131, -0.2944439, -0.0911642],
    "alpha_iou": [1 / 343, 1 / 27, 0, 1 / 15625],
}


class TestValue:
    @pytest.mark.parametrize("name", BOXES)
    def test_worked_numbers(self, xp, name):
        guess, truth = (xp([pair[k] for pair in (CORNER, CROSS, APART, INSIDE)]) for k in (0, 1))
        got = xp.back(of(name, guess, truth, reduction="none"))
        assert got == pytest.approx(1 - np.array(WORKED[name]), abs=1e-7)

    @given(strategies.same_length_pairs())
    def test_is_one_minus_the_measure(self, both):
        for name in MEASURED:
            want = 1 - MEASURES[name](*both, aligned=True)
            tolerance = 1e-12 if name == "ciou" else 0  # arctangents of two libraries
            assert of(name, *both, reduction="none") == pytest.approx(want, abs=tolerance, rel=0), name

    @given(strategies.same_length_pairs())
    def test_siou_equals_oracle(self, both):
        want = [1 - oracles.siou(a, b) for a, b in zip(*(table.tolist() for table in both), strict=True)]
        assert losses.siou(*both, reduction="none") == pytest.approx(want, abs=1e-9)

    @given(strategies.same_length_pairs(), st.floats(1, 9))
    def test_alpha(self, both, alpha):
        want = 1 - vesica.iou(*both, aligned=True) ** alpha
        assert losses.alpha_iou(*both, alpha=alpha, reduction="none") == pytest.approx(want, abs=1e-12)

    @pytest.mark.parametrize("name", BOXES)
    def test_identical_is_exactly_0(self, xp, name):
        rows = xp(pairs(9)[0], "float32")
        assert xp.back(of(name, rows, rows, reduction="none")).tolist() == [0.0] * 9

    def test_forms(self, xp):
        a, b = pairs(5)
        for form in ("cxcywh", "xywh", "yxyx"):
            guess = Boxes(xp(Boxes(a).to(form)), form, check=False)
            assert xp.back(losses.giou(guess, xp(b))) == pytest.approx(losses.giou(a, b), abs=1e-12)

    def test_leading_axes(self, xp):
        a, b = pairs(12)
        whole = losses.diou(a, b, reduction="none").reshape(3, 4)
        got = losses.diou(xp(a.reshape(3, 4, 4)), xp(b.reshape(3, 4, 4)), reduction="none")
        assert np.array_equal(xp.back(got), whole)
        assert losses.diou(a.reshape(3, 4, 4), b[:4], reduction="none").shape == (3, 4)

    def test_lists_and_integers(self):
        assert losses.iou([[0, 0, 4, 4]], [[0, 0, 4, 2]]).item() == 0.5
        assert losses.iou(np.array([[0, 0, 200, 200]], "uint8"), np.array([[0, 0, 200, 100]], "uint8")).item() == 0.5

    @pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
    def test_halves_are_widened(self, dtype):
        torch = pytest.importorskip("torch")
        guess = torch.tensor([[0.0, 0, 300, 300]], dtype=getattr(torch, dtype), requires_grad=True)
        loss = losses.giou(guess, torch.tensor([[0.0, 0, 300, 256]], dtype=guess.dtype))
        assert loss.dtype == torch.float32 and loss.item() == pytest.approx(1 - 256 / 300, abs=2e-3)
        (65536 * loss).backward()  # as loss scaling does: 65536 is beyond float16
        assert guess.grad.dtype == guess.dtype and torch.isfinite(guess.grad).all()


class TestDegenerate:
    """Spec 7: what a network may predict, and what it then learns."""

    EDGES = {
        "equal points": ([1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1, 1, 1, 1]),
        "equal lines": ([1, 1, 1, 5], [1, 1, 1, 5], [1, 1, 1, 1, 1, 1, 1]),
        "two points": ([1, 1, 1, 1], [3, 4, 3, 4], [1, 2, 2, 2, 2, 1.6594, 1]),
        "touching": ([0, 0, 2, 2], [2, 0, 4, 2], [1, 1, 1.2, 1.2, 1.2, 1.1967, 1]),
        "identical": ([0, 0, 2, 2], [0, 0, 2, 2], [0, 0, 0, 0, 0, 0, 0]),
        "inside": ([0, 0, 10, 10], [2, 2, 4, 4], [0.96, 0.96, 1, 1, 2.28, 1.0912, 0.9999]),
        "no width": ([2, 0, 2, 4], [0, 0, 4, 4], [1, 1, 1, 1.05, 2, 1.0798, 1]),
        "no height": ([0, 2, 4, 2], [0, 0, 4, 4], [1, 1, 1, 1.05, 2, 1.0798, 1]),
        "inverted inside": ([3, 0, 1, 4], [0, 0, 4, 4], [1, 1, 1, 1.05, 2, 1.0798, 1]),
        "inverted outside": ([9, 3, 7, 1], [0, 0, 4, 4], [1, 1.5, 1.45, 1.5, 2.7, 1.4973, 1]),
        "crossed lines": ([0, 2, 4, 2], [2, 0, 2, 4], [1, 2, 1, 1.5, 3, 1.1597, 1]),
        "truth a point": ([0, 0, 4, 4], [0, 0, 0, 0], [1, 1, 1.25, 1.3, 3.25, 1.3809, 1]),
    }
    ROWS = np.array([[guess, truth] for guess, truth, _ in EDGES.values()], float).swapaxes(0, 1)
    SCALES = [1.0, 1e18, 1e-18, 1e30, 1e-30]

    @pytest.mark.parametrize("name", BOXES)
    def test_value(self, xp, name):
        got = xp.back(of(name, xp(self.ROWS[0]), xp(self.ROWS[1]), reduction="none")).tolist()
        want = {edge: wants[BOXES.index(name)] for edge, (_, _, wants) in self.EDGES.items()}
        assert dict(zip(want, got, strict=True)) == pytest.approx(want, abs=5e-5)

    @pytest.mark.parametrize("scale", SCALES)
    @pytest.mark.parametrize("name", BOXES)
    def test_gradient_is_finite(self, name, scale):
        torch = pytest.importorskip("torch")
        x, y = (torch.from_numpy(np.float32(rows * scale)).requires_grad_() for rows in self.ROWS)
        loss = of(name, x, y, reduction="none")
        loss.sum().backward()
        assert all(torch.isfinite(t).all() for t in (loss, x.grad, y.grad))

    @pytest.mark.parametrize("name", BOXES)
    @pytest.mark.compile
    def test_gradient_is_finite_in_jax(self, name):
        jax = pytest.importorskip("jax")
        slopes = jax.jit(jax.grad(partial(getattr(losses, name), reduction="sum"), argnums=(0, 1)))
        for scale in self.SCALES:
            x, y = (jax.numpy.asarray(np.float32(rows * scale)) for rows in self.ROWS)
            assert all(np.isfinite(slope).all() for slope in slopes(x, y)), scale

    @given(hnp.arrays(np.float32, (7, 2, 4), elements=st.floats(width=32, allow_nan=False)))
    def test_any_numbers_at_all(self, rows):
        torch = pytest.importorskip("torch")
        for name in BOXES:
            guess = torch.from_numpy(rows[:, 0].copy()).requires_grad_()
            loss = of(name, guess, torch.from_numpy(np.sort(rows[:, 1].reshape(7, 2, 2), axis=1).reshape(7, 4)))
            loss.backward()
            assert 0 <= loss.item() <= 4 and torch.isfinite(guess.grad).all(), name

    def test_gradient_of_equal_points_is_0(self):
        torch = pytest.importorskip("torch")
        for name in BOXES:
            x = torch.ones((1, 4), requires_grad=True)
            of(name, x, torch.ones((1, 4))).backward()
            assert torch.all(x.grad == 0), name

    def test_saturated_sigmoids(self):
        """Corners that underflowed: sides of 1e-23, whose squares are 0."""
        torch = pytest.importorskip("torch")
        x = torch.full((1, 4), -55.0).sub(torch.arange(4)).flip(1).requires_grad_()
        for name in BOXES:
            (slope,) = torch.autograd.grad(of(name, x.sigmoid(), torch.tensor([[0.2, 0.3, 0.5, 0.9]])), x)
            assert torch.isfinite(slope).all(), name

    @pytest.mark.parametrize("name", BOXES)
    def test_inverted_counts_as_empty_at_its_centre(self, name):
        truth, point = np.array([[0.0, 0, 4, 4]]), np.array([[1.5, 2.5, 1.5, 2.5]])
        assert of(name, [[3.0, 4.0, 0.0, 1.0]], truth) == of(name, point, truth)

    @pytest.mark.parametrize("name", [name for name in BOXES if name != "alpha_iou"])
    def test_inverted_ends_part_again(self, name):
        torch = pytest.importorskip("torch")
        box = torch.tensor([[3.0, 1, 1, 3]], requires_grad=True)
        optimiser = torch.optim.SGD([box], lr=1.0)
        for _ in range(80):
            optimiser.zero_grad()
            of(name, box, torch.tensor([[0.0, 0, 4, 4]])).backward()
            optimiser.step()
        assert vesica.iou(box, torch.tensor([[0.0, 0, 4, 4]])).item() > 0.6

    def test_nan_stays_nan_in_its_row(self, xp):
        guess = xp([[0, 0, 2, 2], [0, math.nan, 2, 2], [0, 0, math.inf, 2]])
        for name in BOXES:
            got = xp.back(of(name, guess, xp([[0, 0, 2, 2]] * 3), reduction="none"))
            assert np.isnan(got).tolist() == [False, True, False], name


class TestGradients:
    @pytest.mark.parametrize("name", [name for name in BOXES if name != "ciou"])  # holds a weight constant on purpose
    def test_gradcheck(self, name):
        torch = pytest.importorskip("torch")
        a, b = (torch.from_numpy(table).requires_grad_() for table in pairs(6))
        weights = torch.linspace(0.1, 1, 6, dtype=torch.float64).requires_grad_()
        assert torch.autograd.gradcheck(lambda x, y, w: of(name, x, y, weights=w), (a, b, weights))

    def test_ciou_is_that_of_the_measure(self):
        torch = pytest.importorskip("torch")
        a, b = (torch.from_numpy(table).requires_grad_() for table in pairs(6))
        got = torch.autograd.grad(losses.ciou(a, b, reduction="sum"), (a, b))
        want = torch.autograd.grad(-vesica.ciou(a, b, aligned=True).sum(), (a, b))
        assert all(torch.allclose(x, y, rtol=1e-12) for x, y in zip(got, want, strict=True))

    @pytest.mark.parametrize("name", BOXES)
    @pytest.mark.compile
    def test_libraries_agree(self, name):
        torch, jax = pytest.importorskip("torch"), pytest.importorskip("jax")
        a, b = pairs(6)
        x = torch.from_numpy(a).requires_grad_()
        of(name, x, torch.from_numpy(b)).backward()
        slope = jax.jit(jax.grad(getattr(losses, name)))(jax.numpy.asarray(a), jax.numpy.asarray(b))
        assert np.asarray(slope) == pytest.approx(x.grad.numpy(), abs=1e-12)

    @pytest.mark.parametrize("name", BOXES)
    def test_transformations(self, name):
        torch, jax = pytest.importorskip("torch"), pytest.importorskip("jax")
        a, b = pairs(6)
        want = of(name, a, b, reduction="none")
        x, y = torch.from_numpy(a)[:, None], torch.from_numpy(b)[:, None]
        loss = getattr(losses, name)
        assert torch.func.vmap(loss)(x, y).numpy() == pytest.approx(want, abs=1e-12)
        rows = torch.func.vmap(torch.func.grad(loss))(x, y)
        whole = torch.func.grad(partial(loss, reduction="sum"))(x[:, 0], y[:, 0])
        assert torch.allclose(rows[:, 0], whole, rtol=1e-10)
        got = jax.vmap(loss)(jax.numpy.asarray(a)[:, None], jax.numpy.asarray(b)[:, None])
        assert np.asarray(got) == pytest.approx(want, abs=1e-12)


class TestReduction:
    ROWS = [[0, 0, 4, 4], [0, 0, 4, 4], [0, 0, 4, 4]], [[0, 0, 4, 4], [0, 0, 4, 2], [0, 0, 4, 1]]  # 0, 1/2, 3/4

    @pytest.mark.parametrize(
        "options, want",
        [
            ({}, 1.25 / 3),
            ({"reduction": "sum"}, 1.25),
            ({"reduction": "none"}, [0, 0.5, 0.75]),
            ({"weights": [1, 2, 1]}, 1.75 / 4),
            ({"weights": [1, 2, 1], "reduction": "sum"}, 1.75),
            ({"weights": [1, 2, 1], "reduction": "none"}, [0, 1, 0.75]),
            ({"weights": [False, False, True]}, 0.75),
            ({"weights": [0, 0, 0]}, 0),
            ({"weights": [2]}, 1.25 / 3),
        ],
    )
    def test_value(self, xp, options, want):
        if "weights" in options:
            dtype = "bool" if isinstance(options["weights"][0], bool) else "float64"
            options = {**options, "weights": xp(options["weights"], dtype)}
        got = losses.iou(xp(self.ROWS[0]), xp(self.ROWS[1]), **options)
        assert xp.back(got) == pytest.approx(np.asarray(want), abs=1e-15)

    def test_weights_of_a_batch(self):
        a, b = (table.reshape(2, 3, 4) for table in pairs(6))
        each = losses.iou(a, b, reduction="none")
        weights = np.array([1.0, 0.0, 3.0])
        assert losses.iou(a, b, weights=weights) == pytest.approx((each * weights).sum() / 8)
        assert losses.iou(a, b, weights=weights[None] * [[1], [0]]) == pytest.approx((each * weights)[0].sum() / 4)

    @pytest.mark.parametrize("name", BOXES + MASKS)
    @pytest.mark.parametrize("reduction", ["mean", "sum"])
    @pytest.mark.parametrize("weighted", [False, True])
    def test_empty_batch_is_0_with_a_gradient(self, name, reduction, weighted):
        torch = pytest.importorskip("torch")
        guess = torch.zeros((0, 4), requires_grad=True)
        truth = torch.zeros((0, 4), dtype=torch.int32 if name in MASKS else torch.float32)
        loss = of(name, guess, truth, reduction=reduction, weights=torch.ones(0) if weighted else None)
        assert loss.item() == 0 and loss.grad_fn is not None
        loss.backward()
        assert guess.grad.shape == (0, 4)

    @pytest.mark.parametrize("name", BOXES)
    def test_empty_batch_of_every_library(self, xp, name):
        none = xp(np.zeros((0, 4)))
        assert float(xp.back(of(name, none, none))) == 0
        assert of(name, none, none, reduction="none").shape == (0,)

    def test_weights_without_sum_have_a_gradient(self):
        torch = pytest.importorskip("torch")
        guess = torch.tensor([[0.0, 0, 2, 2]], requires_grad=True)
        losses.giou(guess, torch.tensor([[1.0, 0, 3, 2]]), weights=torch.zeros(1)).backward()
        assert torch.all(guess.grad == 0)


class TestTracing:
    """Nothing waits for a device, and compilers follow every step."""

    @staticmethod
    def inputs(name, count, device="cpu"):
        import torch

        if name in BOXES:
            a, b = (torch.from_numpy(table).float().to(device) for table in pairs(count))
            return a.requires_grad_(), b
        generator = torch.Generator().manual_seed(0)
        guess = torch.rand((count, 3, 5), generator=generator).to(device).requires_grad_()
        return guess, torch.randint(0, 2, (count, 3, 5), generator=generator).to(device)

    @pytest.mark.parametrize("name", BOXES + MASKS)
    def test_no_value_is_asked_for(self, name):
        torch = pytest.importorskip("torch")
        from torch._subclasses.fake_tensor import DataDependentOutputException, FakeTensorMode

        options = {} if name in BOXES else {"ignore": 255}
        with FakeTensorMode(allow_non_fake_inputs=True) as mode:
            guess, truth = (mode.from_tensor(table) for table in self.inputs(name, 6))
            loss = of(name, guess, truth, weights=mode.from_tensor(torch.ones(6)), **options)
            (slope,) = torch.autograd.grad(loss, guess)
            assert slope.shape == guess.shape
            with pytest.raises(DataDependentOutputException):  # so would a loss that looks
                loss.item()

    @pytest.mark.parametrize("name", BOXES + MASKS)
    def test_other_devices_keep_it(self, name):
        pytest.importorskip("torch")
        loss = of(name, *self.inputs(name, 6, "meta"))
        assert loss.device.type == "meta" and loss.shape == ()

    @pytest.mark.parametrize("name", BOXES + MASKS)
    @pytest.mark.compile
    def test_compiles_whole_for_any_batch(self, name):
        torch = pytest.importorskip("torch")
        torch._dynamo.reset()
        backend = "aot_eager" if name in ("ciou", "siou", "dice", "lovasz") else "eager"  # which takes longer
        compiled = torch.compile(getattr(losses, name), backend=backend, fullgraph=True)
        for count in (5, 2, 9):
            guess, truth = self.inputs(name, count)
            for table in (guess, truth):
                torch._dynamo.mark_dynamic(table, 0)  # a size that the code fixes would be an error
            got, want = compiled(guess, truth), of(name, guess, truth)
            slopes = [torch.autograd.grad(loss, guess)[0] for loss in (got, want)]
            assert torch.allclose(got, want, rtol=1e-6) and torch.allclose(*slopes, rtol=1e-5, atol=1e-7)

    @pytest.mark.compile
    def test_compiles_with_everything(self):
        torch = pytest.importorskip("torch")

        def loss(raw, truth, weights):
            guess = Boxes(raw.sigmoid(), "cxcywh", check=False, normalised=(64, 48))
            return losses.ciou(guess, truth, weights=weights, reduction="sum")

        torch._dynamo.reset()
        generator = torch.Generator().manual_seed(0)
        raw, truth = torch.randn(2, 5, 4, generator=generator), 40 * torch.from_numpy(pairs(5)[0]).float()
        positive = torch.tensor([True, False, True, True, False])
        compiled = torch.compile(loss, backend="eager", fullgraph=True)
        assert torch.allclose(compiled(raw, truth, positive), loss(raw, truth, positive))

    @pytest.mark.compile
    def test_compiles_without_a_warning(self, recwarn):
        torch = pytest.importorskip("torch")
        torch._dynamo.reset()
        torch.compile(losses.giou, backend="eager", fullgraph=True)(*self.inputs("giou", 3))
        assert not [w for w in recwarn.list if "lru_cache" in str(w.message)]


class TestSoftMasks:
    GUESS = [[0.5, 0.5, 0.0, 1.0], [0.25, 0.0, 0.0, 0.0]]
    TRUTH = [[1, 0, 0, 1], [0, 0, 0, 0]]

    @pytest.mark.parametrize(
        "name, want, smooth",
        [
            ("dice", [1 - 3 / 4, 1], [1 - 5 / 6, 1 - 2 / 2.25]),
            ("jaccard", [1 - 1.5 / 2.5, 1], [1 - 2.5 / 3.5, 1 - 1 / 1.25]),
            ("tversky", [0.25, 1], [1 - 2.5 / 3.0, 1 - 1 / 1.075]),
            ("focal_tversky", [0.25 ** (4 / 3), 1], [(1 / 6) ** (4 / 3), (0.075 / 1.075) ** (4 / 3)]),
        ],
    )
    def test_worked_numbers(self, xp, name, want, smooth):
        guess, truth = xp(self.GUESS), xp(self.TRUTH, "int64")
        assert xp.back(of(name, guess, truth, reduction="none")) == pytest.approx(want, abs=1e-15)
        assert xp.back(of(name, guess, truth, reduction="none", smooth=1)) == pytest.approx(smooth, abs=1e-15)
        assert float(xp.back(of(name, guess, truth, weights=xp([3, 1])))) == pytest.approx((3 * want[0] + 1) / 4)

    @given(strategies.stacks(sides=9), st.integers(0, 2**32 - 1))
    def test_hard_masks_are_measured(self, stack, seed):
        other = np.random.default_rng(seed).random(stack.shape) < 0.5
        a, b = stack.astype(float), other
        for name, measure, options in (
            ("dice", vesica.dice, {}),
            ("jaccard", vesica.iou, {}),
            ("tversky", vesica.tversky, {"alpha": 0.3, "beta": 0.7}),
        ):
            want = 1 - measure(Masks(stack), Masks(other), aligned=True, empty=1.0, **options)
            assert of(name, a, b, reduction="none") == pytest.approx(want, abs=1e-12)
        lovasz = losses.lovasz(a, b, reduction="none")
        assert lovasz == pytest.approx(1 - vesica.iou(stack, other, aligned=True, empty=1.0), abs=1e-12)

    def test_sklearn(self):
        metrics = pytest.importorskip("sklearn.metrics")
        rng = np.random.default_rng(3)
        a, b = rng.random((2, 1, 200)) < 0.4
        assert losses.jaccard(a.astype(float), b) == pytest.approx(1 - metrics.jaccard_score(b[0], a[0]))
        assert losses.lovasz(a.astype(float), b) == pytest.approx(1 - metrics.jaccard_score(b[0], a[0]))
        assert losses.dice(a.astype(float), b) == pytest.approx(1 - metrics.f1_score(b[0], a[0]))

    @pytest.mark.parametrize("name", MASKS)
    def test_axes(self, xp, name):
        rng = np.random.default_rng(4)
        guess, truth = rng.random((2, 3, 4, 5)), rng.integers(0, 2, (2, 3, 4, 5))
        a, b = xp(guess), xp(truth, "int64")
        each = xp.back(of(name, a, b, axes=(2, 3), reduction="none"))
        classes = xp.back(of(name, a, b, axes=(0, -2, -1), reduction="none"))
        for n in range(2):
            for k in range(3):
                assert each[n, k] == pytest.approx(of(name, guess[n, k][None], truth[n, k][None]), abs=1e-14)
        for k in range(3):
            assert classes[k] == pytest.approx(of(name, guess[:, k].reshape(1, -1), truth[:, k].reshape(1, -1)))
        assert float(xp.back(of(name, a, b))) == pytest.approx(of(name, guess.reshape(2, -1), truth.reshape(2, -1)))

    @pytest.mark.parametrize("name", MASKS)
    def test_ignored_pixels_are_not_there(self, xp, name):
        rng = np.random.default_rng(5)
        guess, truth = rng.random((1, 60)), rng.integers(0, 2, (1, 60))
        left = rng.random(60) < 0.7
        marked = np.where(left, truth, 255)
        got = of(name, xp(np.where(left, guess, 0.9)), xp(marked, "int64"), ignore=255)
        assert float(xp.back(got)) == pytest.approx(of(name, guess[:, left], truth[:, left]), abs=1e-14)
        assert float(xp.back(of(name, xp(guess), xp(marked * 0 + 255, "int64"), ignore=255))) == 0

    def test_any_value_but_0_is_set(self, xp):
        guess, truth = xp(self.GUESS), np.array(self.TRUTH)
        for name in MASKS:
            want = of(name, np.array(self.GUESS), truth.astype(bool))
            assert xp.back(of(name, guess, xp(255 * truth, "uint8"))) == pytest.approx(want, abs=1e-15), name

    def test_soft_truth(self):
        assert losses.dice([[0.5, 0.5]], [[0.5, 0.5]]).item() == 0.5
        assert losses.jaccard([[1.0, 0.5]], [[0.5, 1.0]]).item() == 0.5

    @pytest.mark.parametrize("name", MASKS)
    def test_nothing_guessed_where_nothing_is(self, name):
        torch = pytest.importorskip("torch")
        guess = torch.zeros((2, 5), requires_grad=True)
        loss = of(name, guess, torch.zeros((2, 5), dtype=torch.bool))
        loss.backward()
        assert loss.item() == 0 and torch.isfinite(guess.grad).all()
        if name != "lovasz":
            assert torch.all(guess.grad == 0)

    @pytest.mark.parametrize("name", MASKS)
    def test_perfect_guess_has_a_finite_gradient(self, name):
        torch = pytest.importorskip("torch")
        truth = torch.tensor([[True, False, True], [True, True, True]])
        guess = truth.double().requires_grad_()
        loss = of(name, guess, truth)
        loss.backward()
        assert loss.item() == pytest.approx(0, abs=1e-12) and torch.isfinite(guess.grad).all()

    def test_smooth_learns_from_an_empty_truth(self):
        torch = pytest.importorskip("torch")
        guess, truth = torch.full((1, 4), 0.5, requires_grad=True), torch.zeros((1, 4), dtype=torch.bool)
        for name in MASKS[:4]:
            (plain,) = torch.autograd.grad(of(name, guess, truth), guess)
            (smooth,) = torch.autograd.grad(of(name, guess, truth, smooth=1), guess)
            assert torch.all(plain == 0) and torch.all(smooth > 0), name

    @pytest.mark.parametrize("name", MASKS)
    def test_gradcheck(self, name):
        torch = pytest.importorskip("torch")
        generator = torch.Generator().manual_seed(0)
        guess = torch.rand((2, 3, 4), generator=generator, dtype=torch.float64, requires_grad=True)
        truth = torch.randint(0, 3, (2, 3, 4), generator=generator)
        assert torch.autograd.gradcheck(lambda x: of(name, x, truth, ignore=2), (guess,))
        if name == "lovasz":
            assert torch.autograd.gradcheck(lambda x: losses.lovasz(x, truth, hinge=True), (guess,))

    @pytest.mark.parametrize("name", MASKS)
    @pytest.mark.compile
    def test_transformations(self, name):
        torch, jax = pytest.importorskip("torch"), pytest.importorskip("jax")
        rng = np.random.default_rng(6)
        guess, truth = rng.random((4, 1, 30)), rng.random((4, 1, 30)) < 0.5
        loss = getattr(losses, name)
        want = loss(guess[:, 0], truth[:, 0], reduction="none")
        x, y = torch.from_numpy(guess), torch.from_numpy(truth)
        assert torch.func.vmap(loss)(x, y).numpy() == pytest.approx(want, abs=1e-12)
        slope = torch.func.grad(loss)(x[:, 0], y[:, 0]).numpy()
        u, v = jax.numpy.asarray(guess), jax.numpy.asarray(truth)
        assert np.asarray(jax.vmap(loss)(u, v)) == pytest.approx(want, abs=1e-12)
        assert np.asarray(jax.jit(jax.grad(loss))(u[:, 0], v[:, 0])) == pytest.approx(slope, abs=1e-12)

    def test_halves_are_summed_in_float32(self):
        guess = np.full((1, 70_000), 1.0, np.float16)  # their sum is beyond float16
        loss = losses.dice(guess, np.ones((1, 70_000), bool))
        assert loss == 0 and loss.dtype == np.float32


class TestLovasz:
    @given(hnp.arrays(float, (12,), elements=st.floats(0, 1)), hnp.arrays(bool, (12,)))
    def test_equals_oracle(self, guess, truth):
        want = oracles.lovasz(np.abs(truth - guess).tolist(), truth.tolist())
        assert losses.lovasz(guess[None], truth[None]) == pytest.approx(want, abs=1e-12)

    @given(hnp.arrays(float, (12,), elements=st.floats(-3, 3)), hnp.arrays(bool, (12,)))
    def test_hinge_equals_oracle(self, scores, truth):
        errors = np.maximum(1 - scores * np.where(truth, 1, -1), 0)
        want = oracles.lovasz(errors.tolist(), truth.tolist())
        assert losses.lovasz(scores[None], truth[None], hinge=True) == pytest.approx(want, abs=1e-12)

    @given(hnp.arrays(float, (2, 12), elements=st.floats(0, 1)), hnp.arrays(bool, (12,)), st.floats(0, 1))
    def test_convex(self, ends, truth, share):
        low, high = (losses.lovasz(end[None], truth[None]) for end in ends)
        between = losses.lovasz((share * ends[0] + (1 - share) * ends[1])[None], truth[None])
        assert between <= share * low + (1 - share) * high + 1e-12

    def test_steps_do_not_cancel_in_float32(self):
        rng = np.random.default_rng(7)
        guess, truth = rng.random((1, 1_000_000), np.float32), rng.random((1, 1_000_000)) < 0.1
        assert losses.lovasz(guess, truth) == pytest.approx(losses.lovasz(guess.astype(float), truth), rel=1e-6)


class TestErrors:
    BOX, MASK = np.zeros((3, 4)), np.zeros((3, 5, 5))

    @pytest.mark.parametrize(
        "call, error, message",
        [
            (lambda s: losses.iou(s.BOX, s.BOX[:2]), SizeValueError, "same number of boxes; got 3 and 2"),
            (
                lambda s: losses.iou(s.BOX[:, :3], s.BOX),
                ValueError,
                r"`guess` must have shape \(…, N, 4\); got \(3, 3\)",
            ),
            (lambda s: losses.iou(s.BOX, np.zeros((3, 5))), ValueError, r"`truth` must have shape \(…, N, 4\)"),
            (lambda s: losses.iou(np.zeros((2, 3, 4)), np.zeros((4, 3, 4))), SizeValueError, "leading axes"),
            (
                lambda s: losses.iou(s.BOX, s.BOX, reduction="avg"),
                ValueError,
                '`reduction` must be one of "mean", "sum"',
            ),
            (lambda s: losses.iou(s.BOX, s.BOX, weights=[1, 2]), SizeValueError, r"shape \(3,\); got \(2,\)"),
            (lambda s: losses.iou(s.BOX, s.BOX, weights=np.ones((2, 3))), SizeValueError, r"`weights` must have one"),
            (lambda s: losses.iou(s.BOX, s.BOX, weights=["a", "b", "c"]), TypeError, "`weights` must hold numbers"),
            (lambda s: losses.alpha_iou(s.BOX, s.BOX, alpha=0.5), ValueError, "`alpha` must be at least 1; got 0.5"),
            (lambda s: losses.dice(s.MASK, s.MASK[:2]), SizeValueError, r"one shape; got \(3, 5, 5\) and \(2, 5, 5\)"),
            (lambda s: losses.dice(s.MASK, s.MASK[0]), SizeValueError, "Give each class a mask of its own"),
            (lambda s: losses.dice(s.MASK > 0, s.MASK > 0), TypeError, "`guess` must be floats; got bool"),
            (lambda s: losses.dice(s.MASK, s.MASK.astype(str)), TypeError, "`truth` must be booleans, integers"),
            (lambda s: losses.dice(s.MASK[0, 0], s.MASK[0, 0]), ValueError, "Say which: axes=0"),
            (lambda s: losses.dice(s.MASK, s.MASK, axes=3), ValueError, "`axes` must name axes of the 3 there are"),
            (lambda s: losses.dice(s.MASK, s.MASK, axes=()), ValueError, "at least one"),
            (lambda s: losses.dice(s.MASK, s.MASK, axes=(1, -2)), ValueError, "each axis once"),
            (lambda s: losses.dice(s.MASK, s.MASK, smooth=-1), ValueError, "`smooth` must not be negative"),
            (lambda s: losses.dice(s.MASK, s.MASK, ignore=0.5), TypeError, "`ignore` must be a whole number"),
            (lambda s: losses.dice(s.MASK, s.MASK > 0, ignore=1), TypeError, "booleans have no value to spare"),
            (lambda s: losses.tversky(s.MASK, s.MASK, beta=-1), ValueError, "`beta` must not be negative"),
            (lambda s: losses.focal_tversky(s.MASK, s.MASK, gamma=0.75), ValueError, "`gamma` must be at least 1"),
            (lambda s: losses.lovasz(s.MASK, s.MASK), TypeError, "Say which pixels count: truth > 0.5"),
            (lambda s: losses.iou(s.BOX, s.BOX, "sum"), TypeError, "the rest by name; got one more by position"),
        ],
    )
    def test_wording(self, call, error, message):
        with pytest.raises(error, match=message):
            call(self)

    def test_libraries(self):
        torch = pytest.importorskip("torch")
        with pytest.raises(TypeError, match="`guess` and `truth` must be arrays of one library; got torch and numpy"):
            losses.iou(torch.zeros((3, 4)), self.BOX)
        with pytest.raises(TypeError, match="`guess` and `weights` must be arrays of one library"):
            losses.iou(torch.zeros((3, 4)), torch.zeros((3, 4)), weights=[1, 1, 1])

    @pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
    @pytest.mark.parametrize("dtype, want", [("float16", "float32"), ("float32", "float32"), ("float64", "float64")])
    @pytest.mark.parametrize("name", BOXES + MASKS)
    def test_dtype(self, name, dtype, want, reduction):
        """With every NumPy: of one region, NumPy 1 makes a float64 as soon as a Python number joins in."""
        guess, truth = pairs(3).astype(dtype)
        truth = truth > 3 if name == "lovasz" else truth
        assert of(name, guess, truth, reduction=reduction).dtype == want
        if name in MASKS:
            assert of(name, guess[0] / 10, truth[0] > 3, axes=0, reduction=reduction).dtype == want

    def test_public_names(self):
        assert vesica.losses is losses and set(losses.__all__) == {*BOXES, *MASKS}
