"""Training: the example in short, and boxes that learn from whatever start."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from vesica import iou, losses

torch = pytest.importorskip("torch")

EXAMPLE = Path(__file__).parents[1] / "examples" / "train_boxes.py"
BOXES = ["iou", "alpha_iou", "giou", "diou", "ciou", "eiou", "siou"]


@pytest.fixture(scope="module")
def example():
    found = importlib.util.spec_from_file_location("train_boxes", EXAMPLE)
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


@pytest.fixture(autouse=True)
def one_thread():
    """Tensors this small are slower on several, and sums must not depend on the machine."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def _remembered(shapes):
    """Shapes that are drawn once for each state of a generator, which goes on as if it had drawn them."""
    known = {}

    def drawn(count, generator):
        key = count, generator.get_state().numpy().tobytes()
        if key not in known:
            known[key] = shapes(count, generator), generator.get_state()
        found, state = known[key]
        generator.set_state(state)
        return found

    return drawn


class TestExample:
    def test_every_loss_reaches_the_same_minimum(self, example, monkeypatch):
        assert set(example.LOSSES) == set(BOXES)
        monkeypatch.setattr(example, "shapes", _remembered(example.shapes))  # the same for every loss
        curves = {name: example.train(name, 250, every=250) for name in example.LOSSES}
        start, ends = {curve[0] for curve in curves.values()}, {name: curve[-1] for name, curve in curves.items()}
        assert len(start) == 1 and start.pop() > 0.9
        assert max(ends.values()) < 0.1, ends
        assert max(ends.values()) - min(ends.values()) < 0.04, ends

    def test_draws_when_asked(self, example, tmp_path, monkeypatch, capsys):
        pytest.importorskip("matplotlib")
        picture = tmp_path / "curves.png"
        monkeypatch.setattr("sys.argv", ["train_boxes.py", "--steps", "25", "--draw", str(picture)])
        example.main()
        assert capsys.readouterr().out.count("mean IoU") == len(BOXES)
        assert picture.read_bytes().startswith(b"\x89PNG")


# A truth, and starts that are hardly boxes: points, lines, inverted, far away, far too large, far too small.
TRUTHS = [[0.2, 0.3, 0.6, 0.7], [0, 0, 0, 0], [0.5, 0.5, 0.5, 0.5], [0.5, 0.1, 0.5, 0.9], [0, 0, 1, 1]]
STARTS = [
    [0, 0, 0, 0],
    [0.4, 0.5, 0.4, 0.5],
    [0.4, 0.3, 0.4, 0.7],
    [0.2, 0.5, 0.6, 0.5],
    [0.6, 0.7, 0.2, 0.3],
    [0.6, 0.3, 0.2, 0.7],
    [0.2, 0.3, 0.6, 0.7],
    [0.6, 0.3, 0.9, 0.7],
    [5, 5, 5, 5],
    [9, 9, 7, 7],
    [-1e6, -1e6, 1e6, 1e6],
    [1e20, 1e20, -1e20, 1e20],
    [1e-20, 1e-20, 2e-20, 2e-20],
    [-1e-30, 0, 1e-38, 1e-45],
]


class TestAnyStart:
    @pytest.mark.parametrize("name", BOXES)
    def test_no_nan_in_10_000_steps(self, name):
        """All starts side by side, half of them pushed at random in each step: 200 steps of 140 boxes are 28 000."""
        generator = torch.Generator().manual_seed(0)
        truth = torch.tensor(TRUTHS).repeat_interleave(len(STARTS), dim=0).repeat(2, 1)
        boxes = torch.tensor(STARTS).repeat(2 * len(TRUTHS), 1).requires_grad_()
        optimiser = torch.optim.Adam([boxes], lr=0.02)
        for step in range(200):
            optimiser.zero_grad()
            each = getattr(losses, name)(boxes, truth, reduction="none")
            each.sum().backward()
            assert torch.isfinite(each).all() and torch.isfinite(boxes.grad).all(), step
            optimiser.step()
            with torch.no_grad():
                boxes[: len(boxes) // 2] += 0.05 * torch.randn((len(boxes) // 2, 4), generator=generator)

    @pytest.mark.parametrize(
        "name, steps", [("giou", 1000), ("diou", 400), ("ciou", 400), ("eiou", 400), ("siou", 400)]
    )
    def test_boxes_from_afar_arrive(self, name, steps):
        """giou takes longer, since it first widens a box until it meets the truth."""
        truth = torch.tensor([[0.2, 0.3, 0.6, 0.7]]).repeat(64, 1)
        low = torch.from_numpy(np.random.default_rng(0).uniform(-1, 1, (64, 2))).float()
        boxes = torch.cat([low, low + 0.3], dim=1).requires_grad_()
        optimiser = torch.optim.Adam([boxes], lr=0.02)
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps)
        for _ in range(steps):
            optimiser.zero_grad()
            getattr(losses, name)(boxes, truth, reduction="sum").backward()
            optimiser.step()
            schedule.step()
        assert iou(boxes, truth, aligned=True).min().item() > 0.99

    def test_plain_iou_does_not_move_boxes_that_do_not_meet(self):
        boxes = torch.tensor([[2.0, 2, 3, 3]], requires_grad=True)
        losses.iou(boxes, torch.tensor([[0.0, 0, 1, 1]])).backward()
        assert torch.all(boxes.grad == 0)
