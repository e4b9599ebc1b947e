"""Boundary IoU: seams against erosions that nobody here wrote, the smaller of two, crowds by their mask alone."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pycocotools import mask as peer
from scipy import ndimage

from test_coco_masks import column
from vesica import RleMasks
from vesica._kernels.native import coco_masks as native


def reach(height, width):
    return max(1, round(0.02 * float(np.sqrt(height**2 + width**2))))


def seam(mask):
    """What an erosion by a square takes away, the outside of the image being background."""
    side = 2 * reach(*mask.shape) + 1
    return mask & ~ndimage.binary_erosion(mask, np.ones((side, side), bool), border_value=0)


def overlap(a, b):
    both = np.count_nonzero(a & b)
    return both / np.count_nonzero(a | b) if both else 0.0


def expected(guesses, truths, crowd):
    found = np.zeros((len(guesses), len(truths)))
    for i, guess in enumerate(guesses):
        for j, truth in enumerate(truths):
            if crowd[j]:
                found[i, j] = np.count_nonzero(guess & truth) / max(1, np.count_nonzero(guess))
            else:
                found[i, j] = min(overlap(guess, truth), overlap(seam(guess), seam(truth)))
    return found


def scores(guesses, truths, crowd, **options):
    sides = [column([{**one, "counts": one["counts"].decode()} for one in RleMasks.from_masks(masks).to_coco()])
             for masks in (guesses, truths)]  # fmt: skip
    found, fault = native.iou(*sides, np.asarray(crowd, bool), boundary=True, **options)
    assert fault is None
    return found


def blobs(rng, n, height, width):
    """Discs with rough edges and a hole here and there, some over the edge of the image."""
    y, x = np.mgrid[:height, :width]
    masks = []
    for _ in range(n):
        cy, cx, r = rng.uniform(0, height), rng.uniform(0, width), rng.uniform(0.05, 0.6) * max(height, width)
        mask = np.hypot(y - cy, x - cx) < r + rng.normal(0, 1)
        mask &= ndimage.uniform_filter(rng.random((height, width)), 3) > rng.choice([0, 0.35])
        masks.append(mask)
    return np.array(masks)


class TestWideSeams:
    @pytest.mark.parametrize("wide", [0, 1])
    @pytest.mark.parametrize("length, width", [(3150, 63), (3200, 64), (3250, 65), (6400, 128), (6450, 129)])
    def test_rectangles(self, length, width, wide):
        """Of a rectangle the seam is what lies near its sides. Words hold 64 pixels."""
        size = (300, length) if wide else (length, 300)
        assert reach(*size) == width

        def rectangle(y1, x1, y2, x2):
            mask = np.zeros(size, bool)
            mask[y1:y2, x1:x2] = True
            return mask

        def edge(y1, x1, y2, x2):
            return rectangle(y1, x1, y2, x2) & ~rectangle(y1 + width, x1 + width, y2 - width, x2 - width)

        sides = [(5, 7, size[0] - 2, size[1] - 3), (0, 0, size[0] - 9, size[1] - 20)]
        if width > 120:  # as much as leaves something inside
            sides = [(0, 0, size[0], size[1]), (3, 2, size[0], size[1] - 1)]
        both = np.array([rectangle(*one) for one in sides])
        found = scores(both[:1], both[1:], [False])[0, 0]
        assert found == min(overlap(*both), overlap(*(edge(*one) for one in sides)))


class TestSeams:
    @pytest.mark.parametrize(
        "size", [(1, 1), (5, 5), (64, 64), (63, 65), (130, 257), (175, 600), (600, 175), (300, 40)]
    )
    def test_equals_an_erosion(self, size):
        rng = np.random.default_rng(sum(size))
        guesses, truths = blobs(rng, 5, *size), blobs(rng, 6, *size)
        truths[:2] = guesses[:2] ^ (rng.random((2, *size)) < 0.01)  # close, as matches are
        crowd = np.arange(6) == 3
        assert np.array_equal(scores(guesses, truths, crowd), expected(guesses, truths, crowd))

    def test_instruction_sets(self, each_isa):
        rng = np.random.default_rng(11)
        guesses, truths = blobs(rng, 4, 140, 333), blobs(rng, 5, 140, 333)
        want = expected(guesses, truths, np.zeros(5))
        assert all(np.array_equal(one, want) for one in each_isa(lambda: scores(guesses, truths, np.zeros(5))).values())

    def test_columns_joined_by_a_run(self):
        """A run that goes on at the top of the next column is two: the edge of the image is background."""
        truth = np.zeros((1, 100, 120), bool)
        truth[0, 30:, 20:60], truth[0, :90, 60:110] = True, True
        guess = np.roll(truth, 3, axis=2)
        assert scores(guess, truth, [False]) == expected(guess, truth, [False])

    def test_halves_go_to_even(self):
        """B1: 12.5 is 12."""
        assert reach(600, 175) == 12
        full = np.ones((1, 600, 175), bool)
        inner = np.zeros_like(full)
        inner[:, 12:-12, 12:-12] = True
        ring = full & ~inner  # the seam of the full mask, whose own seam is all of it
        want = ring.sum() / full.sum()
        assert scores(full, ring, [False])[0, 0] == want == expected(full, ring, [False])[0, 0]

    @pytest.mark.parametrize("size", [(1100, 1100), (2400, 2300), (2262, 2263), (3300, 100)])
    def test_wide_seams(self, size):
        """Seams of 31 … 66 pixels: a step over a whole word and more."""
        rng = np.random.default_rng(7)
        guesses = np.zeros((2, *size), bool)
        guesses[0, 10:-3, 5:-30] = True
        guesses[1, 70:-64, 1:] = True
        guesses[:, rng.integers(0, size[0], 3), rng.integers(0, size[1], 3)] = False
        truths = guesses[::-1]
        got = scores(guesses, truths, [False, False])
        cv2 = pytest.importorskip("cv2")
        d = reach(*size)
        kernel = np.ones((2 * d + 1, 2 * d + 1), np.uint8)
        eroded = [cv2.erode(np.pad(one.astype(np.uint8), d), kernel)[d:-d, d:-d].astype(bool) for one in guesses]
        seams = [one & ~inner for one, inner in zip(guesses, eroded, strict=True)]
        want = [[min(overlap(a, b), overlap(p, q)) for b, q in zip(truths, seams[::-1], strict=True)]
                for a, p in zip(guesses, seams, strict=True)]  # fmt: skip
        assert np.array_equal(got, want)

    @given(st.integers(1, 90), st.integers(1, 40), st.integers(0, 2**32 - 1), st.floats(0, 1))
    def test_noise(self, height, width, seed, share):
        rng = np.random.default_rng(seed)
        masks = rng.random((4, height, width)) < np.array([share, 1, 0.97, 0.999])[:, None, None]
        crowd = rng.random(4) < 0.3
        got = scores(masks, masks[::-1], crowd)
        assert np.array_equal(got, expected(masks, masks[::-1], crowd))

    @pytest.mark.parametrize("floor", [1e-9, 0.3, 0.5, 0.9])
    def test_floor(self, floor):
        rng = np.random.default_rng(3)
        masks = blobs(rng, 12, 90, 120)
        every = scores(masks, masks[::-1], np.zeros(12))
        assert np.array_equal(scores(masks, masks[::-1], np.zeros(12), floor=floor), np.where(every >= floor, every, 0))

    def test_no_masks(self):
        assert scores(np.zeros((0, 5, 5), bool), np.ones((1, 5, 5), bool), [False]).shape == (0, 1)
        empty = np.zeros((1, 5, 5), bool)
        assert scores(empty, empty, [False]).tolist() == [[0.0]]

    def test_never_above_the_mask(self):
        rng = np.random.default_rng(9)
        masks = blobs(rng, 8, 70, 60)
        rle = [peer.encode(np.asfortranarray(mask, np.uint8)) for mask in masks]
        assert np.all(scores(masks, masks, np.zeros(8)) <= np.asarray(peer.iou(rle, rle, [0] * 8)))
