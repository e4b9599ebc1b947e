"""Several CUDA devices: kernels are launched on that of their tensors, and tensors of two devices are refused."""

import contextlib
import importlib
from types import SimpleNamespace

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("triton")

import vesica  # noqa: E402
from test_triton import as_if_cuda, crowd  # noqa: E402
from vesica import losses  # noqa: E402
from vesica._check import threshold  # noqa: E402
from vesica._kernels.tables import Contest  # noqa: E402
from vesica._kernels.triton import contingency, few, launch, nms  # noqa: E402
from vesica._kernels.triton import losses as triton_losses  # noqa: E402

MODULES = (
    *("anchors", "best", "contingency", "few", "gradients", "join", "losses", "mask_bits", "masks", "match", "measure"),
    *("nms", "overlaps", "rotated", "tiles"),
)


def test_the_device_of_the_tensor_is_made_the_current_one(monkeypatch):
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 0)
    there = launch.on_device_of(SimpleNamespace(is_cuda=True, device=torch.device("cuda:1")))
    assert isinstance(there, torch.cuda.device) and there.idx == 1
    here = launch.on_device_of(SimpleNamespace(is_cuda=True, device=torch.device("cuda:0")))
    assert not isinstance(here, torch.cuda.device)


class Unspecialised:
    """What a launch asks of a kernel: its arguments, and which of them the compiler does not look at."""

    __name__ = "kernel"

    def __init__(self, *known):
        self.arg_names = ["table", "rows"]
        self.do_not_specialize = known
        self.kwargs = {"do_not_specialize": known or None}


def test_an_integer_that_the_compiler_would_look_at():
    """Of a 1 it makes a constant, and the next call has a 2."""
    with pytest.raises(AssertionError, match="kernel lacks do_not_specialize of rows"):
        launch.launch(Unspecialised(), 1, (torch.empty(4), 4), ())


def test_what_was_compiled_for_one_device_is_not_run_on_another(monkeypatch):
    """The same kernel with tensors of another device is looked up anew."""

    class Kernel(Unspecialised):
        compiled = 0

        def __getitem__(self, _):
            def call(*_, **__):
                self.compiled += 1
                return {(1, 1, 1): lambda *_: None}

            return call

    monkeypatch.setattr(launch, "_COMPILED", {})
    kernel = Kernel("rows")
    for device, count in (("cpu", 1), ("cpu", 1), ("meta", 2), ("cpu", 2)):
        launch.launch(kernel, 1, (torch.empty(4, device=device), 4), ())
        assert kernel.compiled == count


def boxes(n, seed, learns=False):
    return torch.from_numpy(crowd(n, seed)).requires_grad_(learns)


def rotated(seed):
    table = np.random.default_rng(seed).uniform(1, 40, (5, 5))
    return vesica.RotatedBoxes(torch.from_numpy(table), unit="deg", direction="cw")


def masks(seed):
    return torch.from_numpy(np.random.default_rng(seed).random((3, 9, 40)) < 0.4)


def label_maps():
    contingency.contingency(*(masks(seed).to(torch.uint8) for seed in (1, 2)), np.arange(4), None)


def padded():
    table, order = boxes(40, 1)[None], torch.arange(40)[None]
    contest = Contest(table, None, vesica.iou.plain, threshold(0.3, "above", strict=True))
    nms.nms_padded(contest, order, torch.ones((1, 40), dtype=torch.bool), 5)


def many():
    """As if they were more than suppression among few has room for."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(few, "MOST", 0)
        vesica.nms(boxes(80, 1), torch.linspace(0, 1, 80), above=0.5)


CALLS = {
    "measure": lambda: vesica.ciou(boxes(5, 1), boxes(6, 2)),
    "aligned": lambda: vesica.giou(boxes(5, 1), boxes(5, 2), aligned=True),
    "gradient": lambda: vesica.ciou(boxes(5, 1, True), boxes(6, 2, True)).sum().backward(),
    "aligned gradient": lambda: vesica.iou(boxes(5, 1, True), boxes(5, 2), aligned=True).sum().backward(),
    "best": lambda: vesica.best(boxes(5, 1), boxes(6, 2), measure="ciou"),
    "join": lambda: vesica.join(boxes(40, 1), boxes(50, 2), at_least=0.3),
    "nms": lambda: vesica.nms(boxes(40, 1), torch.linspace(0, 1, 40)),
    "many nms": many,
    "nms_padded": padded,
    "match": lambda: vesica.match(boxes(20, 1), boxes(30, 2), at_least=0.2),
    "anchors": lambda: vesica.anchors.assign(boxes(20, 1), boxes(6, 2), offsets=[0, 2, 6]),
    "rotated": lambda: vesica.iou(rotated(1), rotated(2)),
    "masks": lambda: vesica.iou(masks(1), masks(2)),
    "aligned masks": lambda: vesica.dice(masks(1), masks(2), aligned=True),
    "label maps": label_maps,
}


@pytest.mark.parametrize("name", CALLS)
def test_every_launch_is_guarded(name, monkeypatch):
    guarded, launched = [], []

    @contextlib.contextmanager
    def guard(array):
        guarded.append(array.device)
        yield
        guarded.pop()

    def watched(kernel, programs, arrays, constants, **options):
        assert guarded and guarded[-1] == arrays[0].device
        launched.append(kernel)
        launch.launch(kernel, programs, arrays, constants, **options)

    for module in (importlib.import_module(f"vesica._kernels.triton.{name}") for name in MODULES):
        for word, other in (("on_device_of", guard), ("launch", watched)):
            if hasattr(module, word):
                monkeypatch.setattr(module, word, other)
    with as_if_cuda(), np.errstate(all="ignore"):
        CALLS[name]()
    assert launched


def test_losses_are_guarded(monkeypatch):
    guarded = []

    @contextlib.contextmanager
    def guard(array):
        guarded.append(array.device)
        yield

    monkeypatch.setattr(triton_losses, "on_device_of", guard)
    with np.errstate(all="ignore"):
        triton_losses.loss(boxes(5, 1, True), boxes(5, 2), "ciou", "mean", losses.ciou).backward()
    assert guarded == [torch.device("cpu")]


AWAY = torch.device("meta")  # it stands for another CUDA device: nothing can be read there

REFUSED = {
    "iou": (lambda a, b: vesica.iou(a, b), "`a` and `b`"),
    "iou with a gradient": (lambda a, b: vesica.iou(a.requires_grad_(), b), "`a` and `b`"),
    "iou of a batch": (lambda a, b: vesica.iou(a[None], b), "`a` and `b`"),
    "best": (lambda a, b: vesica.best(a, b), "`a` and `b`"),
    "join": (lambda a, b: vesica.join(a, b, at_least=0.5), "`a` and `b`"),
    "match": (lambda a, b: vesica.match(a, b, at_least=0.5), "`truth` and `guess`"),
    "loss": (lambda a, b: losses.ciou(a, b), "`guess` and `truth`"),
    "weights": (lambda a, b: losses.ciou(a, a, weights=b[:, 0]), "`guess` and `weights`"),
    "nms_padded": (lambda a, b: vesica.nms_padded(a[None], b[None, :, 0], limit=2), "`boxes` and `scores`"),
    "anchors": (lambda a, b: vesica.anchors.assign(a, b, offsets=[0, 5]), "`anchors` and `truths`"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_two_devices_are_refused(name):
    call, sides = REFUSED[name]
    with as_if_cuda(), pytest.raises(ValueError, match=f"{sides} must be on one device; got cpu and meta. Move one"):
        call(boxes(5, 1), boxes(5, 2).to(AWAY))


@pytest.mark.compile
@pytest.mark.parametrize("name", ["iou", "loss"])
def test_two_devices_are_refused_inside_torch_compile(name):
    call, sides = REFUSED[name]
    with as_if_cuda(), pytest.raises(ValueError, match=f"{sides} must be on one device; got cpu and meta. Move one"):
        torch.compile(call, backend="eager")(boxes(5, 1), boxes(5, 2).to(AWAY))
