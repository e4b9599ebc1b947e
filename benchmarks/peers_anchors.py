"""Peers for anchors: NumPy, as somebody who knows it well would write them."""

from __future__ import annotations

import random

import numpy as np

from benchmarks.cases_anchors import CLUSTERS, TRUTHS
from benchmarks.contender import Call, Contender

ROUNDS, POSITIVE, NEGATIVE = 300, 0.7, 0.3
BLOCK = 500
"""Truths whose columns exist at one time."""


def _kmeans(shapes: np.ndarray, _: np.ndarray) -> Call:
    w, h = np.ascontiguousarray(shapes.T)

    def call() -> np.ndarray:
        area = w * h
        room = [np.empty_like(w) for _ in range(2)]
        centres = _start(w, h, area, room)
        best, before = (-1.0, centres), None
        for _ in range(ROUNDS):
            label, iou = _nearest(w, h, area, centres, room)
            best = max(best, (float(iou.sum()), centres), key=lambda pair: pair[0])
            if before is not None and np.array_equal(label, before):
                break
            before, count = label, np.bincount(label, minlength=CLUSTERS)
            sums = [np.bincount(label, side, minlength=CLUSTERS) for side in (w, h)]
            centres = np.stack(sums, axis=1) / count[:, None]
        return best[1][np.argsort(best[1].prod(axis=1))]

    return call


def _start(w: np.ndarray, h: np.ndarray, area: np.ndarray, room: list[np.ndarray]) -> np.ndarray:
    """The start that ours has, with the same draws: other centres would lead to another answer."""
    draw = random.Random(0).random
    rows, far = [int(draw() * len(w))], np.ones_like(w)
    while len(rows) < CLUSTERS:
        np.minimum(far, 1 - _iou(w, h, area, w[rows[-1]], h[rows[-1]], room), out=far)
        reach = np.cumsum(far)
        rows.append(int(np.searchsorted(reach, draw() * reach[-1], side="right")))
    return np.stack([w[rows], h[rows]], axis=1)


def _nearest(
    w: np.ndarray, h: np.ndarray, area: np.ndarray, centres: np.ndarray, room: list[np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """A column at a time, in memory that stays: faster than all columns at once, which leave the cache."""
    best, label = np.full_like(w, -1), np.zeros(len(w), np.intp)
    for number, (cw, ch) in enumerate(centres):
        iou = _iou(w, h, area, cw, ch, room)
        nearer = iou > best
        np.copyto(best, iou, where=nearer)
        np.copyto(label, number, where=nearer)
    return label, best


def _iou(w: np.ndarray, h: np.ndarray, area: np.ndarray, cw: float, ch: float, room: list[np.ndarray]) -> np.ndarray:
    inter, other = room
    np.minimum(w, cw, out=inter)
    np.minimum(h, ch, out=other)
    inter *= other
    np.add(area, cw * ch, out=other)
    other -= inter
    inter /= other
    return inter


def _assign(anchors: np.ndarray, truths: np.ndarray) -> Call:
    def call() -> np.ndarray:
        images = range(0, len(truths), TRUTHS)
        return np.stack([_assign_one(anchors, truths[top : top + TRUTHS], top) for top in images])

    return call


def _assign_one(anchors: np.ndarray, truths: np.ndarray, first: int) -> np.ndarray:
    area = (anchors[:, 2] - anchors[:, 0]) * (anchors[:, 3] - anchors[:, 1])
    highest, best = np.zeros(len(anchors)), np.full(len(anchors), -1)
    attains = np.zeros(len(anchors), bool)
    for top in range(0, len(truths), BLOCK):
        block = truths[top : top + BLOCK]
        low, high = np.maximum(anchors[:, None, :2], block[:, :2]), np.minimum(anchors[:, None, 2:], block[:, 2:])
        inter = np.clip(high - low, 0, None).prod(axis=2)
        iou = inter / (area[:, None] + (block[:, 2:] - block[:, :2]).prod(axis=1) - inter)
        attains |= ((iou == iou.max(axis=0)) & (iou > 0)).any(axis=1)
        at = iou.argmax(axis=1)
        value = np.take_along_axis(iou, at[:, None], axis=1)[:, 0]
        best, highest = np.where(value > highest, at + top + first, best), np.maximum(highest, value)
    return np.where((highest >= POSITIVE) | attains, best, np.where(highest < NEGATIVE, -1, -2))


ANCHOR_PEERS = (
    Contender("numpy k-means", "numpy", _kmeans),
    Contender("numpy max-iou, in blocks", "numpy", _assign),
)
