"""Vote patterns: pixels by who marked them, and what follows from their number."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from vesica import Masks, RleMasks, SparseMasks, _native, iou
from vesica._kernels.generic import vote_patterns as twin
from vesica._kernels.native import vote_patterns as native
from vesica.agreement.vote_patterns import LabelPatterns, VotePatterns, label_patterns, vote_patterns
from vesica.statistics.coefficients import fleiss, krippendorff

VP = [800, 10, 15, 20, 5, 25, 30, 95]


def counted(masks):
    """Patterns of masks, pixel by pixel."""
    found = {}
    for votes in zip(*(np.ravel(mask).tolist() for mask in masks), strict=True):
        code = sum(1 << k for k, vote in enumerate(votes) if vote)
        found[code] = found.get(code, 0) + 1
    return sorted(found.items())


def listed(patterns):
    return list(zip(patterns.code.tolist(), patterns.count.tolist(), strict=True))


def blobs(masks, height, width, seed=0):
    """Overlapping rectangles and a few lone pixels: long runs and short ones."""
    rng = np.random.default_rng(seed)
    stack = np.zeros((masks, height, width), bool)
    for mask in stack:
        for _ in range(3):
            y, x = rng.integers(0, height), rng.integers(0, width)
            mask[y : y + rng.integers(1, height + 1), x : x + rng.integers(1, width + 1)] ^= True
        mask |= rng.random((height, width)) < 0.02
    return stack


stacks = st.tuples(st.integers(1, 9), st.integers(0, 9), st.integers(0, 20)).flatmap(
    lambda shape: arrays.arrays(np.bool_, shape)
)


class TestCounting:
    @given(stacks)
    def test_dense_runs_and_oracle(self, stack):
        want = counted(stack)
        assert listed(vote_patterns(stack)) == want
        if min(stack.shape[1:]):
            assert listed(vote_patterns(RleMasks.from_masks(stack))) == want
            assert listed(vote_patterns(Masks(stack))) == listed(vote_patterns(SparseMasks.from_masks(stack))) == want

    @pytest.mark.parametrize("masks", [*range(1, 13), 17, 33, 64])
    def test_any_number_of_annotators(self, masks):
        stack = blobs(masks, 67, 91, seed=masks)
        want = counted(stack)
        assert listed(vote_patterns(stack)) == listed(vote_patterns(RleMasks.from_masks(stack))) == want

    @pytest.mark.parametrize("masks", [3, 7])
    def test_large_ones(self, masks):
        """More than a thread takes at a time, and no multiple of a word."""
        stack = np.random.default_rng(masks).random((masks, 613, 1031)) < 0.3
        found = vote_patterns(stack)
        assert found.pixels == 613 * 1031 and np.array_equal(found.areas, stack.sum(axis=(1, 2)))
        for threads in (1, 2, 5):
            assert listed(vote_patterns(stack, threads=threads)) == listed(found)
        assert np.array_equal(found.table, np.bincount(_codes(stack), minlength=1 << masks))

    @pytest.mark.parametrize("masks", [1, 2, 3, 6, 7])
    @pytest.mark.parametrize("length", [1.2, 4, 30, 60, 70, 500])
    def test_runs_of_any_length(self, masks, length):
        """Short ones are drawn as bits and long ones followed: over many words and blocks, the last of them cut off."""
        rng = np.random.default_rng(int(length * 10) + masks)
        changes = rng.random((masks, 97 * 89)) < 1 / length
        stack = (np.cumsum(changes, axis=1) % 2 == 1).reshape(masks, 97, 89)
        stack[-1, -1, -1] = True  # the last run belongs
        found = vote_patterns(RleMasks.from_masks(stack.transpose(0, 2, 1)))
        assert np.array_equal(found.table, np.bincount(_codes(stack), minlength=1 << masks))

    @pytest.mark.parametrize("isa", ["baseline", "avx2", "avx512"])
    @pytest.mark.parametrize("masks", [3, 6, 8])
    def test_every_instruction_set(self, isa, masks):
        stack = blobs(masks, 100, 101)
        _native.limit_isa(isa)
        try:
            assert listed(vote_patterns(stack)) == counted(stack)
            assert listed(vote_patterns(RleMasks.from_masks(stack))) == counted(stack)
        finally:
            _native.limit_isa("avx512")

    @given(stacks)
    def test_native_is_its_twin(self, stack):
        flat = stack.reshape(len(stack), -1)
        for one, other in zip(native.dense(flat), twin.dense(flat), strict=True):
            assert np.array_equal(one, other) and one.dtype == other.dtype

    @given(st.lists(st.integers(1, 10), min_size=1, max_size=5), st.integers(0, 100))
    def test_groups_of_runs_are_their_twin(self, sizes, seed):
        """Groups of different sizes, in images of different sizes."""
        groups = np.cumsum([0, *sizes])
        parts = [RleMasks.from_masks(blobs(size, 3 + k, 11, seed + k)) for k, size in enumerate(sizes)]
        counts = np.concatenate([part.counts for part in parts])
        offsets = np.concatenate([[0], np.cumsum(np.concatenate([np.diff(part.offsets) for part in parts]))])
        pixels = np.array([11 * (3 + k) for k in range(len(sizes))])
        found = native.runs(counts, offsets, groups, pixels)
        for one, other in zip(found, twin.runs(counts, offsets, groups, pixels), strict=True):
            assert np.array_equal(one, other) and one.dtype == other.dtype

        rng = np.random.default_rng(seed)
        starts = np.concatenate([[0], np.cumsum(found[0])])
        keep = rng.random(len(found[1])) < 0.5
        chosen = np.concatenate([[0], np.cumsum(keep)])[starts]
        made = native.choose(counts, offsets, groups, pixels, found[1][keep], chosen)
        for one, other in zip(made, twin.choose(counts, offsets, groups, pixels, found[1][keep], chosen), strict=True):
            assert np.array_equal(one, other) and one.dtype == other.dtype
        for g, part in enumerate(parts):
            own = RleMasks.from_arrays(
                made[0][made[1][g] : made[1][g + 1]], [0, made[1][g + 1] - made[1][g]], size=part.size
            )
            codes = _codes(part.to_masks().array).reshape(part.size)
            wanted = np.isin(codes, found[1][starts[g] : starts[g + 1]][keep[starts[g] : starts[g + 1]]])
            assert np.array_equal(own.to_masks().array[0], wanted)

    def test_native_is_used(self, no_twin):
        stack = blobs(3, 20, 20)
        vote_patterns(stack), vote_patterns(RleMasks.from_masks(stack)), label_patterns(stack.astype(int))

    @pytest.mark.parametrize("dtype", ["bool", "uint8", "int16", "int64"])
    def test_what_is_not_0_belongs(self, dtype):
        stack = np.array([[[0, 255, 1, 2]], [[3, 0, 0, 7]]]).astype(dtype)
        assert vote_patterns(stack).table.tolist() == [0, 2, 1, 1]

    def test_strided_and_read_only(self):
        stack = np.asfortranarray(blobs(3, 30, 40))[:, ::2, ::-1]
        stack.setflags(write=False)
        assert listed(vote_patterns(stack)) == counted(stack)

    def test_volumes(self):
        stack = blobs(3, 6, 35).reshape(3, 5, 6, 7)
        assert listed(vote_patterns(stack)) == counted(stack)

    def test_other_libraries(self):
        torch = pytest.importorskip("torch")
        stack = blobs(3, 12, 13)
        assert listed(vote_patterns(torch.from_numpy(stack))) == counted(stack)

    @pytest.mark.parametrize(
        "masks, message",
        [
            ([], "`masks` must be one of each annotator; got none"),
            (np.zeros((2, 3), bool), r"`masks` must be one of each annotator, .* got shape \(2, 3\)"),
            (np.zeros((2, 3, 4)), "booleans or integers; got float64. Values of a network need a threshold"),
            (np.zeros((65, 1, 1), bool), "1 to 64 annotators; got 65"),
            (RleMasks([], size=(2, 2)), "1 to 64 annotators; got 0"),
            ([[[1]], [[1, 0]]], r"masks of one size; got \(1, 1\) and, at 1, \(1, 2\)"),
            (np.ma.masked_array(np.zeros((2, 1, 1), bool)), "`masks` must not be a masked array"),
        ],
    )
    def test_wrong_masks(self, masks, message):
        with pytest.raises((ValueError, TypeError), match=message):
            vote_patterns(masks)


def _codes(stack):
    return sum((mask.astype(np.int64) << k for k, mask in enumerate(stack))).ravel()


class TestField:
    @pytest.mark.parametrize("kind", [np.asarray, RleMasks.from_masks])
    def test_union_box(self, kind):
        stack = np.zeros((3, 20, 30), bool)
        stack[0, 5:9, 10:14], stack[1, 7:10, 12:20] = True, True
        found = vote_patterns(kind(stack), field="union_box")
        assert found.table.tolist() == [5 * 10 - 16 - 24 + 4, 12, 20, 4, 0, 0, 0, 0] and found.field == "union_box"

    @pytest.mark.parametrize("kind", [np.asarray, RleMasks.from_masks])
    def test_nothing_marked(self, kind):
        assert vote_patterns(kind(np.zeros((2, 4, 5), bool)), field="union_box").pixels == 0

    def test_a_full_box(self):
        assert vote_patterns(np.ones((2, 3, 3), bool), field="union_box").table.tolist() == [0, 0, 0, 9]

    def test_of_volumes(self):
        stack = np.zeros((2, 5, 6, 7), bool)
        stack[0, 1:3, 2:4, 3:5] = True
        assert vote_patterns(stack, field="union_box").table.tolist() == [0, 8, 0, 0]

    def test_unknown(self):
        with pytest.raises(ValueError, match='`field` must be one of "image", "union_box"'):
            vote_patterns([[[1]], [[0]]], field="box")


class TestNumbers:
    def test_fixture(self):
        votes = VotePatterns.from_table(VP)
        assert votes.areas.tolist() == [150, 160, 155] and votes.pixels == 1000
        want = {(0, 1): 115 / 195, (0, 2): 120 / 185, (1, 2): 125 / 190}
        for (j, k), value in want.items():
            assert votes.iou[j, k] == votes.iou[k, j] == value
            assert math.isclose(votes.dice[j, k], 2 * value / (1 + value), rel_tol=1e-15)
        assert votes.conformity == 360 / 570 and votes.majority == 170 and votes.ties == 0
        assert votes.vote_areas.tolist() == [800, 30, 75, 95]
        assert round(votes.alpha.value, 6) == 0.732863 and round(votes.fleiss.value, 6) == 0.732773

    @given(stacks.filter(lambda stack: stack.size > 0))
    def test_equals_pixels(self, stack):
        found = vote_patterns(stack)
        flat = stack.reshape(len(stack), -1)
        assert np.array_equal(found.intersections, flat.astype(int) @ flat.T.astype(int))
        marked = flat.sum(axis=0)
        assert found.majority == (2 * marked > len(flat)).sum() and found.ties == (2 * marked == len(flat)).sum()
        unit = np.tile(np.arange(flat.shape[1]), len(flat))
        assert found.alpha == krippendorff(unit, flat.ravel().astype(int))
        assert found.fleiss == fleiss(np.stack([len(flat) - marked, marked], axis=1))

    @given(stacks.filter(lambda stack: stack.size > 0))
    def test_iou_is_that_of_masks(self, stack):
        found, masks = vote_patterns(stack).iou, Masks(stack)
        want = np.asarray(iou(masks, masks, empty=math.nan))
        assert np.array_equal(found, want, equal_nan=True)

    def test_entropy(self):
        assert VotePatterns.from_table([4, 0, 0, 4]).entropy == 0.0
        assert VotePatterns.from_table([0, 3, 1, 0]).entropy == 1.0
        third = -(math.log2(1 / 3) + 2 * math.log2(2 / 3)) / 3
        assert math.isclose(VotePatterns.from_table([1, 1, 0, 0, 0, 0, 0, 0]).entropy, third / 2)

    @pytest.mark.parametrize(
        "table, alpha, conformity",
        [
            pytest.param([9, 0, 0, 0], "no_variation", None, id="nothing marked"),
            pytest.param([0, 0, 0, 9], "no_variation", 1.0, id="everything marked"),
            pytest.param([0, 0, 0, 0], "no_overlap", None, id="no pixels"),
            pytest.param([5, 4], "no_overlap", None, id="one annotator"),
        ],
    )
    def test_degenerate(self, table, alpha, conformity):
        votes = VotePatterns.from_table(table)
        assert votes.alpha.value is None and votes.alpha.status == votes.fleiss.status == alpha
        assert votes.conformity == conformity and votes.entropy == 0.0

    def test_images_add_up(self):
        parts = [blobs(4, 20, 30, seed) for seed in range(5)]
        whole = vote_patterns(np.concatenate(parts, axis=1))
        for order in ([0, 1, 2, 3, 4], [3, 0, 4, 2, 1]):
            assert listed(VotePatterns.joined(vote_patterns(parts[k]) for k in order)) == listed(whole)

    def test_of_other_annotators_do_not_add_up(self):
        with pytest.raises(ValueError, match="`parts` must have the same `annotators`; got 2 and 3"):
            VotePatterns.joined([VotePatterns.from_table([0] * 4), VotePatterns.from_table([0] * 8)])
        with pytest.raises(ValueError, match="at least one image"):
            VotePatterns.joined([])

    def test_annotators_in_another_order(self):
        stack = blobs(3, 40, 50)
        found = vote_patterns(stack)
        for order in itertools.permutations(range(3)):
            other = vote_patterns(stack[list(order)])
            assert (other.alpha, other.fleiss, other.conformity) == (found.alpha, found.fleiss, found.conformity)
            assert np.array_equal(other.areas, found.areas[list(order)])

    def test_no_table_of_many(self):
        with pytest.raises(ValueError, match="for up to 16 annotators; there are 20"):
            vote_patterns(np.ones((20, 1, 1), bool)).table

    @pytest.mark.parametrize("table", [[], [1], [1, 2, 3], [[1, 2]], [1, -1], [0.5, 1]])
    def test_wrong_table(self, table):
        with pytest.raises(ValueError, match="`table` must"):
            VotePatterns.from_table(table)


maps = st.tuples(st.integers(1, 4), st.integers(0, 5), st.integers(0, 40)).flatmap(
    lambda shape: arrays.arrays(np.int64, shape, elements=st.sampled_from([0, 1, 2, 255, -7, 10**12]))
)


class TestLabels:
    @given(maps)
    @example(np.zeros((9, 3, 3), np.int64))
    def test_oracle(self, stack):
        found = label_patterns(stack)
        want = {}
        for labels in zip(*(one.ravel().tolist() for one in stack), strict=True):
            want[labels] = want.get(labels, 0) + 1
        rows = [tuple(row) for row in found.labels.tolist()]
        assert dict(zip(rows, found.count.tolist(), strict=True)) == want and len(rows) == len(set(rows))

    @given(maps)
    def test_native_is_its_twin(self, stack):
        flat = stack.reshape(len(stack), -1)
        for one, other in zip(native.labels(flat), twin.labels(flat), strict=True):
            assert np.array_equal(one, other) and one.dtype == other.dtype

    @pytest.mark.parametrize("dtype", ["bool", "uint8", "int8", "uint16", "int32", "uint64"])
    def test_any_integers(self, dtype):
        stack = np.random.default_rng(0).integers(0, 2, (3, 50, 60)).astype(dtype)
        found = label_patterns(stack)
        assert (
            found.count.sum() == 3000
            and found.count[(found.labels == 1).all(axis=1)] == stack.astype(bool).all(axis=0).sum()
        )

    @pytest.mark.parametrize("labels", [255, 256, 257, 5000])
    def test_many_labels(self, labels):
        stack = np.random.default_rng(1).integers(0, labels, (2, 90, 100)) * 1000
        want, counts = np.unique(stack.reshape(2, -1), axis=1, return_counts=True)
        found = label_patterns(stack)
        order = np.lexsort(found.labels.T[::-1])
        assert np.array_equal(found.labels[order].T, want) and np.array_equal(found.count[order], counts)

    @pytest.mark.parametrize("threads", [1, 2, 7])
    def test_threads(self, threads):
        stack = np.repeat(np.random.default_rng(2).integers(0, 20, (3, 700, 50)), 20, axis=2).astype(np.uint8)
        one, other = label_patterns(stack), label_patterns(stack, threads=threads)
        assert np.array_equal(one.labels, other.labels) and np.array_equal(one.count, other.count)

    @given(maps.filter(lambda stack: stack.size > 0))
    def test_coefficients(self, stack):
        found = label_patterns(stack)
        flat = stack.reshape(len(stack), -1)
        _, number = np.unique(flat, return_inverse=True)
        unit = np.tile(np.arange(flat.shape[1]), len(flat))
        assert found.alpha == krippendorff(unit, number.reshape(-1))

    def test_two_classes_are_votes(self):
        stack = blobs(3, 30, 31)
        found = label_patterns(stack)
        assert found.alpha == vote_patterns(stack).alpha and found.fleiss == vote_patterns(stack).fleiss

    def test_is_a_value(self):
        found = LabelPatterns(np.array([[3, 3], [3, 5]]), np.array([4, 1]))
        assert found.classes.tolist() == [3, 5] and found.ratings.tolist() == [[2, 0], [1, 1]]
        assert found.annotators == 2

    def test_floats(self):
        with pytest.raises(TypeError, match="`maps` must be integers; got float64"):
            label_patterns(np.zeros((2, 2, 2)))
