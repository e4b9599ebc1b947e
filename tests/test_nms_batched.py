"""NMS of batches: ragged and padded answers are those of each image alone."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vesica import SizeValueError, nms, nms_padded, nms_ragged


def batch(seed, images=3, rows=15):
    """Boxes on a coarse grid: ties, equal boxes, boxes without area."""
    rng = np.random.default_rng(seed)
    corner = rng.integers(0, 8, (images, rows, 2))
    boxes = np.concatenate([corner, corner + rng.integers(0, 5, (images, rows, 2))], axis=2)
    return boxes.astype(float), rng.integers(0, 6, (images, rows)) / 5, rng.integers(0, 3, (images, rows))


def one_by_one(boxes, scores, keys, counts, limit, **options):
    """Each image by `nms`, filled up with −1."""
    index, count = np.full((len(boxes), limit), -1), []
    for b, n in enumerate(counts):
        kept = nms(boxes[b, :n], scores[b, :n], keys=None if keys is None else keys[b, :n], limit=limit, **options)
        index[b, : len(kept)] = kept
        count.append(len(kept))
    return index, np.array(count, int)


SETTINGS = [
    {"above": 0.3},
    {"above": 0.25, "strict": False, "min_score": 0.3},
    {"above": 0.2, "measure": "giou"},
    {"above": 0.5, "measure": "coverage", "of": "b"},
    {"above": 0.0},
]


class TestRagged:
    @given(st.integers(0, 1000), st.lists(st.integers(0, 9), max_size=5), st.sampled_from([None, 1, 3]))
    def test_each_image_alone(self, seed, counts, limit):
        boxes, scores, keys = (array[0] for array in batch(seed, 1, sum(counts)))
        offsets = np.concatenate([[0], np.cumsum(counts, dtype=int)])
        index, ends = nms_ragged(boxes, scores, offsets, above=0.3, keys=keys, limit=limit)
        for k, (begin, end) in enumerate(pairwise(offsets)):
            alone = nms(boxes[begin:end], scores[begin:end], above=0.3, keys=keys[begin:end], limit=limit)
            assert np.array_equal(index[ends[k] : ends[k + 1]], begin + alone)
        assert len(ends) == len(counts) + 1

    def test_no_image(self):
        index, ends = nms_ragged(np.zeros((0, 4)), [], [0])
        assert index.tolist() == [] and ends.tolist() == [0]

    def test_torch(self):
        torch = pytest.importorskip("torch")
        found = nms_ragged(torch.tensor([[0.0, 0, 1, 1]] * 3), torch.tensor([0.1, 0.2, 0.3]), torch.tensor([0, 2, 3]))
        assert found.index.tolist() == [1, 2] and isinstance(found.offsets, torch.Tensor)

    @pytest.mark.parametrize(
        ("offsets", "error", "words"),
        [
            ([0.0, 1.0], TypeError, "`offsets` must be whole numbers"),
            ([], TypeError, "`offsets` must be whole numbers"),
            ([1, 3], SizeValueError, "must rise from 0 to the 3 rows"),
            ([0, 3, 2], SizeValueError, "must rise from 0 to the 3 rows"),
            ([0, 2], SizeValueError, "must rise from 0 to the 3 rows"),
        ],
    )
    def test_errors(self, offsets, error, words):
        with pytest.raises(error, match=words):
            nms_ragged([[0, 0, 1, 1]] * 3, [1, 2, 3], offsets)


class TestPadded:
    @given(st.integers(0, 1000), st.sampled_from(SETTINGS), st.integers(1, 20), st.booleans())
    def test_on_the_host(self, seed, settings, limit, with_keys):
        boxes, scores, keys = batch(seed)
        keys, counts = keys if with_keys else None, np.random.default_rng(seed).integers(0, 16, 3)
        index, count = nms_padded(boxes, scores, limit=limit, keys=keys, counts=counts, **settings)
        wanted = one_by_one(boxes, scores, keys, counts, limit, **settings)
        assert np.array_equal(index, wanted[0]) and np.array_equal(count, wanted[1])

    @pytest.mark.parametrize("settings", SETTINGS)
    @pytest.mark.parametrize("dtype", ["float64", "float32", "int64"])
    @pytest.mark.compile
    def test_jax(self, settings, dtype):
        jax = pytest.importorskip("jax")
        call = jax.jit(lambda b, s, k, c: tuple(nms_padded(b, s, limit=7, keys=k, counts=c, **settings)))
        for seed in range(8):
            boxes, scores, keys = batch(seed)
            counts = np.array([15, 0, 8])
            index, count = call(boxes.astype(dtype), scores, keys, counts)
            wanted = one_by_one(boxes, scores, keys, counts, 7, **settings)
            assert np.array_equal(index, wanted[0]) and np.array_equal(count, wanted[1])

    @pytest.mark.filterwarnings("ignore:Dynamo detected")
    @pytest.mark.compile
    def test_torch_compile(self):
        torch = pytest.importorskip("torch")

        def choose(boxes, scores, keys):
            return tuple(nms_padded(boxes, scores, limit=5, above=0.3, keys=keys))

        compiled = torch.compile(choose, fullgraph=True, backend="aot_eager")
        for seed in range(4):
            boxes, scores, keys = (torch.from_numpy(array) for array in batch(seed))
            index, count = compiled(boxes, scores, keys)
            wanted = one_by_one(*batch(seed), [15] * 3, 5, above=0.3)
            assert np.array_equal(index, wanted[0]) and np.array_equal(count, wanted[1])

    def test_a_device_without_values(self):
        """A tensor that has a shape alone: nothing was looked at."""
        torch = pytest.importorskip("torch")
        boxes, scores = torch.zeros((2, 9, 4), device="meta"), torch.zeros((2, 9), device="meta")
        index, count = nms_padded(boxes, scores, limit=3)
        assert index.shape == (2, 3) and count.shape == (2,) and index.device.type == "meta"

    def test_strict_array_api(self):
        xp = pytest.importorskip("array_api_strict")
        boxes, scores, keys = batch(3)
        index, _ = nms_padded(xp.asarray(boxes), xp.asarray(scores), limit=6, keys=xp.asarray(keys), above=0.3)
        assert np.array_equal(np.asarray(index), one_by_one(boxes, scores, keys, [15] * 3, 6, above=0.3)[0])

    def test_a_gradient_is_no_hindrance(self):
        torch = pytest.importorskip("torch")
        boxes = torch.tensor([[[0.0, 0, 1, 1], [0, 0, 1, 1]]], requires_grad=True)
        assert nms_padded(boxes, torch.tensor([[0.1, 0.2]]), limit=2).index.tolist() == [[1, -1]]

    @pytest.mark.parametrize("shape", [(0, 5), (2, 0)])
    def test_nothing(self, shape):
        index, count = nms_padded(np.zeros((*shape, 4)), np.zeros(shape), limit=2)
        assert index.tolist() == [[-1, -1]] * shape[0] and count.tolist() == [0] * shape[0]

    @pytest.mark.parametrize(
        ("call", "error", "words"),
        [
            (lambda b, s: nms_padded(b[0], s[0], limit=2), SizeValueError, r"`boxes` must have shape \(B, N, 4\)"),
            (lambda b, s: nms_padded(b, s[:, :2], limit=2), SizeValueError, r"`scores` \(B, N\)"),
            (lambda b, s: nms_padded(b, s, limit=2, keys=s), TypeError, "`keys` must be whole numbers"),
            (lambda b, s: nms_padded(b, s, limit=2, counts=[1]), SizeValueError, "`counts` must be one whole number"),
            (lambda b, s: nms_padded(b, s, limit=0), ValueError, "`limit`"),
            (lambda b, s: nms_padded(b, s * np.nan, limit=2), ValueError, "NaN in image 0, row 0"),
        ],
    )
    def test_errors(self, call, error, words):
        boxes, scores, _ = batch(0)
        with pytest.raises(error, match=words):
            call(boxes, scores)
