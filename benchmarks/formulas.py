"""The measures as their definitions read: what one writes without a library."""

from __future__ import annotations

from typing import Any

import numpy as np

Table = np.ndarray


def numpy_iou(a: Table, b: Table) -> Table:
    inter, union = _inter_and_union(a, b)
    return inter / union


def numpy_diou(a: Table, b: Table) -> Table:
    return numpy_iou(a, b) - _apart(a, b)


def numpy_ciou(a: Table, b: Table) -> Table:
    iou = numpy_iou(a, b)
    slope_a, slope_b = (np.arctan((t[:, 2] - t[:, 0]) / (t[:, 3] - t[:, 1])) for t in (a, b))
    v = 4 / np.pi**2 * (slope_a[:, None] - slope_b) ** 2
    with np.errstate(invalid="ignore"):  # 0 / 0: equal boxes
        weight = np.nan_to_num(v / (1 - iou + v))
    return iou - _apart(a, b) - weight * v


def _inter_and_union(a: Table, b: Table) -> tuple[Table, Table]:
    top_left = np.maximum(a[:, None, :2], b[:, :2])
    bottom_right = np.minimum(a[:, None, 2:], b[:, 2:])
    sides = np.clip(bottom_right - top_left, 0, None)
    inter = sides[..., 0] * sides[..., 1]
    return inter, areas(a)[:, None] + areas(b) - inter


def _apart(a: Table, b: Table) -> Table:
    """Squared distance of the centres over the squared diagonal of the hull."""
    hull = np.maximum(a[:, None, 2:], b[:, 2:]) - np.minimum(a[:, None, :2], b[:, :2])
    centres_a, centres_b = ((t[:, :2] + t[:, 2:]) / 2 for t in (a, b))
    return ((centres_a[:, None] - centres_b) ** 2).sum(axis=-1) / (hull**2).sum(axis=-1)


def areas(boxes: Table) -> Table:
    return (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])


def torch_iou(a: Any, b: Any) -> Any:
    """The formula of torchvision's box_iou, step by step."""
    import torch

    area_a = (a[:, 2] - a[:, 0]) * (a[:, 3] - a[:, 1])
    area_b = (b[:, 2] - b[:, 0]) * (b[:, 3] - b[:, 1])
    top_left = torch.max(a[:, None, :2], b[:, :2])
    bottom_right = torch.min(a[:, None, 2:], b[:, 2:])
    sides = (bottom_right - top_left).clamp(min=0)
    inter = sides[:, :, 0] * sides[:, :, 1]
    return inter / (area_a[:, None] + area_b - inter)
