"""Draws the pictures of docs/pictures.md: python docs/pictures.py."""

from pathlib import Path

import numpy as np

from vesica import Boxes, plot

HERE = Path(__file__).parent


def main() -> None:
    actual = Boxes([[2.76772099, 3.82412258, 9.20284061, 10.90716819]], form="cxcywh").clip(12, 12)
    guess = Boxes([[6.27252577, 6.24175572, 11.23818034, 8.57538178]], form="cxcywh").clip(12, 12)
    ax = plot.overlap(actual, guess, names=("actual", "predicted"))
    ax.figure.savefig(HERE / "overlap_of_boxes.png", dpi=80)

    row, column = np.indices((60, 80))
    ring = ((column - 30) ** 2 + (row - 30) ** 2 < 400) & ((column - 30) ** 2 + (row - 30) ** 2 >= 60)
    ellipse = (column - 42) ** 2 / 2 + (row - 28) ** 2 < 220
    ax = plot.overlap(ring, ellipse, theme="dark")
    ax.figure.savefig(HERE / "overlap_of_masks.png", dpi=80)


if __name__ == "__main__":
    main()
