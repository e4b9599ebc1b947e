"""Train a tiny box regressor on synthetic shapes with each loss, and draw how far the guesses stay from the truth.

python examples/train_boxes.py --steps 1000 --draw curves.png
"""

from __future__ import annotations

import argparse

import torch

from vesica import Boxes, iou, losses

SIDE = 32  # of an image, in pixels
LOSSES = ("iou", "alpha_iou", "giou", "diou", "ciou", "eiou", "siou")


def shapes(count: int, generator: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """Noisy images of a rectangle or an ellipse, as their columns and rows add up, and the boxes around the shapes."""
    sides = torch.empty(count, 2).uniform_(6, 20, generator=generator)
    low = torch.rand(count, 2, generator=generator) * (SIDE - sides)
    pixel = torch.arange(SIDE) + 0.5
    x, y = ((2 * (pixel - low[:, k, None]) / sides[:, k, None] - 1).abs() for k in (0, 1))  # 1 at the edges of the box
    x, y = x[:, None, :], y[:, :, None]
    reach = torch.where(torch.rand(count, 1, 1, generator=generator) < 0.5, torch.hypot(x, y), torch.maximum(x, y))
    images = ((1 - reach) * sides.mean(dim=1)[:, None, None] / 2 + 0.5).clamp(0, 1)
    images += 0.02 * torch.randn(images.shape, generator=generator)
    return torch.cat([images.amax(dim=1), images.amax(dim=2)], dim=1), torch.cat([low, low + sides], dim=1)


def train(name: str, steps: int, every: int = 25) -> list[float]:
    """1 − mean iou on shapes never trained on, at the start and after every so many steps."""
    torch.manual_seed(0)
    generator = torch.Generator().manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(2 * SIDE, 128), torch.nn.ReLU(), torch.nn.Linear(128, 4))
    model[-1].bias.data = torch.tensor([0, 0, -2.2, -2.2])  # small boxes in the middle, which many shapes do not meet
    optimiser = torch.optim.Adam(model.parameters())
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, max_lr=0.01, total_steps=steps, pct_start=0.1)
    test, truth = shapes(512, generator)

    curve = []
    for step in range(steps + 1):
        if step % every == 0:
            with torch.no_grad():
                guess = Boxes(SIDE * model(test).sigmoid(), "cxcywh")
                curve.append(1 - iou(guess, truth, aligned=True).mean().item())
        if step < steps:
            seen, boxes = shapes(128, generator)
            guess = Boxes(SIDE * model(seen).sigmoid(), "cxcywh", check=False)
            optimiser.zero_grad()
            getattr(losses, name)(guess, boxes).backward()
            optimiser.step()
            schedule.step()
    return curve


def draw(curves: dict[str, list[float]], steps: int, path: str) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
    for name, curve in curves.items():
        at = [steps * k / (len(curve) - 1) for k in range(len(curve))]
        axes.plot(at, curve, label=f"{name}  {curve[-1]:.3f}", linewidth=1.6)
    axes.set(yscale="log", xlim=(0, steps), xlabel="step", ylabel="1 − mean IoU on unseen shapes")
    axes.set_title("The same box regressor, trained with each loss", loc="left")
    axes.set_yticks([1, 0.5, 0.2, 0.1, 0.05, 0.03], ["1", "0.5", "0.2", "0.1", "0.05", "0.03"])
    axes.yaxis.set_minor_locator(matplotlib.ticker.NullLocator())
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(title="loss, and where it ends", framealpha=1, edgecolor="white")
    figure.savefig(path, dpi=150)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--draw", metavar="PNG", help="needs matplotlib: pip install 'vesica[plot]'")
    arguments = parser.parse_args()

    curves = {}
    for name in LOSSES:
        curves[name] = train(name, arguments.steps)
        print(f"{name:10} mean IoU {1 - curves[name][0]:.3f} before, {1 - curves[name][-1]:.3f} after", flush=True)
    if arguments.draw:
        draw(curves, arguments.steps, arguments.draw)


if __name__ == "__main__":
    main()
