"""torch.compile with fullgraph=True takes the kernels for CUDA as operators. Here the interpreter runs them."""

import math
import os
import subprocess
import sys

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("triton")

from test_triton import as_if_cuda, crowd, rows  # noqa: E402
from vesica import giou, iou, losses, nms_padded, tversky  # noqa: E402
from vesica._kernels import pick_arrays  # noqa: E402
from vesica._kernels.triton import operators as operators  # noqa: E402

pytestmark = pytest.mark.compile


def seen(call, *arrays):
    """The answer, and which of our operators the compiler saw."""
    names = []

    def backend(graph, _):
        names.extend(str(node.target) for node in graph.graph.nodes if "vesica" in str(node.target))
        return graph.forward

    with as_if_cuda(), np.errstate(all="ignore"):
        return torch.compile(call, backend=backend, fullgraph=True)(*arrays), names


GRAPH = """
import torch, triton
from torch._functorch.aot_autograd import aot_function, make_boxed_func
from torch._subclasses import FakeTensorMode
from triton.backends.compiler import GPUTarget
from vesica._kernels.triton import operators

class Device:  # as torch asks for it, which looks at the code of the kernel
    def get_current_target(self):
        return GPUTarget("cuda", 90, 32)

triton.runtime.driver.set_active(Device())

def forward(graph, examples):
    print(*(node.target for node in graph.graph.nodes if "getitem" not in str(node.target) and "call" in node.op))
    return make_boxed_func(graph.forward)

for count in (5000, 700):
    with FakeTensorMode():
        a, b = (torch.empty(count, 4, device="cuda") for _ in range(2))
        aot_function(lambda a, b: torch.ops.vesica.box_loss(a, b, "ciou", "mean", True, False)[0], forward)(a, b)
"""


# First, as long as this process has loaded little itself.
def test_a_loss_is_its_kernel_in_the_graph():
    """So the compiler launches it by itself; nothing is copied on the way, and few rows are not added up again."""
    environment = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    done = subprocess.run([sys.executable, "-c", GRAPH], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    many, few = (line.split() for line in done.stdout.splitlines())
    assert few == ["aten.new_empty.default", "aten.new_empty.default", "triton_kernel_wrapper_functional"]
    assert many == [*few, "aten.sum.default"]


def test_measures():
    a, b = rows(5, 1), rows(7, 2)
    got, names = seen(lambda x, y: tversky(x, y, alpha=0.3, beta=0.6, empty=0.25), a, b)
    assert torch.equal(got, tversky(a, b, alpha=0.3, beta=0.6, empty=0.25)) and names == ["vesica.box_measure"]
    got, names = seen(lambda x, y: giou(x, y, aligned=True), a, b[:5])
    assert torch.equal(got, giou(a, b[:5], aligned=True)) and names == ["vesica.box_measure"]
    got, names = seen(lambda x, y: iou(x, y), a.half()[None], b.half())
    assert torch.equal(got, iou(a.half()[None], b.half())) and names == ["vesica.box_measure"]


def test_rows_with_rows_that_learn_are_left_to_the_compiler():
    a, b = rows(5, 1).requires_grad_(), rows(7, 2)
    got, names = seen(lambda x, y: giou(x, y, aligned=True), a, b[:5])
    assert got.requires_grad and not names
    got, names = seen(lambda x, y: giou(x, y), a, b)
    assert got.requires_grad and names == ["vesica.box_measure"]
    got, names = seen(torch.no_grad()(lambda x, y: giou(x, y)), a, b)
    assert not got.requires_grad and names == ["vesica.box_measure"]


@pytest.mark.parametrize(
    ("shapes", "dtype", "learners"),
    [
        (((5, 4), (7, 4)), torch.float32, "a"),
        (((5, 4), (7, 4)), torch.float64, "b"),
        (((5, 4), (7, 4)), torch.float16, "ab"),
        (((2, 5, 4), (7, 4)), torch.float32, "b"),
        (((2, 5, 4), (7, 4)), torch.float64, "ab"),
        (((5, 4), (3, 1, 0, 4)), torch.float32, "ab"),
    ],
)
def test_every_pair_learns(shapes, dtype, learners):
    sides = [torch.from_numpy(crowd(math.prod(s[:-1]), k)).reshape(s).to(dtype) for k, s in enumerate(shapes)]

    def way(a, b):
        return tversky(a, b, alpha=0.3, beta=0.6) + giou(a, b)

    found = []
    torch.compiler.reset()
    with as_if_cuda(), np.errstate(all="ignore"):
        compiled = torch.compile(way, backend="aot_eager", fullgraph=True, dynamic=False)
        for call in (way, compiled):
            given = [side.clone().requires_grad_(name in learners) for side, name in zip(sides, "ab", strict=True)]
            value = call(*given)
            value.backward(torch.linspace(0.5, 2, value.numel(), dtype=value.dtype).reshape(value.shape))
            found.append((value.detach(), *(side.grad for side in given)))
    for got, want in zip(*found, strict=True):
        assert (got is want is None) or (got.dtype == want.dtype and torch.equal(got, want))


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_losses_learn(reduction):
    guess, truth = torch.from_numpy(crowd(9, 1)), torch.from_numpy(crowd(9, 2))
    weights = torch.linspace(0.5, 2, 9)

    def way(a, b):
        return (losses.ciou(a, b, reduction=reduction) * (weights if reduction == "none" else 2)).sum()

    found = []
    with as_if_cuda(), np.errstate(all="ignore"):
        compiled = torch.compile(way, backend="aot_eager", fullgraph=True)
        for call in (way, compiled):
            a, b = guess.clone().requires_grad_(), truth.clone().requires_grad_()
            value = call(a, b)
            value.backward()
            found.append((value.detach(), a.grad, b.grad))
    for got, want in zip(*found, strict=True):
        assert torch.allclose(got, want, rtol=1e-5, atol=1e-8)
    _, names = seen(lambda a, b: losses.ciou(a, b), guess, truth)
    assert names == ["vesica.box_loss"]


def test_what_losses_leave_to_array_code():
    guess, truth = torch.from_numpy(crowd(4, 1)), torch.from_numpy(crowd(4, 2))
    got, names = seen(lambda x, y: losses.giou(x, y), guess, truth.double())
    assert torch.allclose(got, losses.giou(guess, truth.double())) and not names
    got, names = seen(lambda x, y: losses.giou(x, y), guess.half(), truth.half())
    assert got.dtype == torch.float32 and torch.allclose(got, losses.giou(guess.half(), truth.half())) and names
    got, names = seen(lambda x, y: losses.ciou(x, y), guess[:0], truth[:0])
    assert got.item() == 0


def test_no_second_derivative_of_a_measure_in_silence():
    a = torch.from_numpy(crowd(4, 1)).requires_grad_()
    with np.errstate(all="ignore"):
        value = torch.ops.vesica.box_measure(
            a, torch.from_numpy(crowd(3, 2)), "giou", [0.0] * 3, False, False, torch.float32
        )  # fmt: skip
        (slope,) = torch.autograd.grad(value.sum(), a, create_graph=True)
    with pytest.raises(RuntimeError, match="has no second derivative"):
        slope.sum().backward()


def test_no_second_derivative_in_silence():
    a = torch.from_numpy(crowd(4, 1)).requires_grad_()
    with np.errstate(all="ignore"):
        loss, *_ = torch.ops.vesica.box_loss(a, torch.from_numpy(crowd(4, 2)), "giou", "none", True, False)
    (slope,) = torch.autograd.grad(loss.sum(), a, create_graph=True)
    with pytest.raises(RuntimeError, match="has no second derivative"):
        slope.sum().backward()


@pytest.mark.parametrize("name", ["loss", "measure"])
def test_the_compiler_has_no_second_derivatives(name):
    way = (lambda a, b: losses.ciou(a, b)) if name == "loss" else lambda a, b: giou(a, b).sum()
    a, b = torch.from_numpy(crowd(4, 1)).requires_grad_(), torch.from_numpy(crowd(4, 2))
    with as_if_cuda(), np.errstate(all="ignore"):
        value = torch.compile(way, backend="aot_eager", fullgraph=True)(a, b)
        (slope,) = torch.autograd.grad(value, a, create_graph=True)
        with pytest.raises(RuntimeError, match="does not currently support double backward"):
            (slope * slope).sum().backward()


@pytest.mark.parametrize("name", ["loss", "measure"])
def test_the_backward_graph_has_the_side_that_learns(name):
    """So every torch sees that its gradient is no constant, however the graph is cut in two."""
    from torch._dynamo.backends.common import aot_autograd
    from torch._functorch.aot_autograd import make_boxed_func
    from torch._functorch.partitioners import min_cut_rematerialization_partition as cut

    way = (lambda a, b: losses.ciou(a, b)) if name == "loss" else lambda a, b: giou(a, b).sum()
    inputs = []

    def forward(graph, examples):
        return make_boxed_func(graph.forward)

    def backward(graph, examples):
        inputs.extend(node.name for node in graph.graph.nodes if node.op == "placeholder")
        return make_boxed_func(graph.forward)

    backend = aot_autograd(fw_compiler=forward, bw_compiler=backward, partition_fn=cut)
    a, b = torch.from_numpy(crowd(4, 1)).requires_grad_(), torch.from_numpy(crowd(4, 2))
    torch.compiler.reset()
    with as_if_cuda(), np.errstate(all="ignore"):
        torch.compile(way, backend=backend, fullgraph=True)(a, b).backward()
    assert "primals_1" in inputs and a.grad.abs().max() > 0


def test_choices_of_a_fixed_shape():
    table = torch.from_numpy(np.stack([crowd(40, k) for k in range(2)]))
    scores = torch.from_numpy(np.random.default_rng(0).random((2, 40), np.float32))
    got, names = seen(lambda x, s: tuple(nms_padded(x, s, limit=9, above=0.3)), table, scores)
    want = nms_padded(table, scores, limit=9, above=0.3)
    assert all(torch.equal(x, y) for x, y in zip(got, want, strict=True)) and names == ["vesica.nms_padded"]


def test_counts_of_labels():
    rng = np.random.default_rng(0)
    truth, guess = (torch.from_numpy(rng.integers(0, 5, (2, 6, 7)).astype("uint8")) for _ in range(2))
    labels = (0, 1, 2, 3)
    got, names = seen(lambda x, y: pick_arrays("contingency", "labels", x, y).call(x, y, labels, None), truth, guess)
    want = pick_arrays("contingency", "labels", truth, guess).call(truth, guess, np.array(labels), None)
    assert all(torch.equal(x, y) for x, y in zip(got, want, strict=True)) and names == ["vesica.label_counts"]


def test_other_transformations_see_array_code():
    a, b = rows(5, 1), rows(5, 2)
    got, names = seen(torch.vmap(lambda x, y: iou(x[None], y[None])), a, b)
    assert torch.allclose(got[:, 0, 0], iou(a, b, aligned=True)) and not names
    module = type("Itself", (torch.nn.Module,), {"forward": lambda _, x, y: iou(x, y)})()
    for strict in (False, True):
        with as_if_cuda():
            exported = torch.export.export(module, (a, b), strict=strict)
        assert not [node for node in exported.graph.nodes if "vesica" in str(node.target)]


def test_operators_keep_torch_s_rules():
    a, b = rows(5, 1), rows(7, 2)
    call, basic = torch.ops.vesica, ("test_schema", "test_autograd_registration", "test_faketensor")
    order = torch.arange(5)[None]
    maps = torch.zeros((2, 3, 4), dtype=torch.uint8)
    with np.errstate(all="ignore"):
        torch.library.opcheck(call.box_measure.default, (a, b, "giou", [0.0] * 3, False, False, torch.float32))
        told = ("giou", [0.0] * 3, False, False)
        torch.library.opcheck(call.box_measure.default, (a.requires_grad_(), b, *told, torch.float32), test_utils=basic)
        grad = torch.ones((5, 7))
        torch.library.opcheck(
            call.box_measure_slopes.default, (a.detach(), b, grad, *told, True, False), test_utils=basic
        )
        a = a.detach()
        torch.library.opcheck(call.label_counts.default, (maps, maps + 1, [0, 1]), test_utils=basic)
        torch.library.opcheck(
            call.nms_padded.default, (a[None], None, order, order >= 0, 3, [1, 2, 0], True), test_utils=basic
        )
        learnt = a.clone().requires_grad_()
        torch.library.opcheck(call.box_loss.default, (learnt, b[:5], "ciou", "mean", True, False), test_utils=basic)
