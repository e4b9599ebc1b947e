"""Consensus of label maps: a label for each pixel, and which of them nobody should trust."""

import collections

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from vesica.agreement.consensus_maps import consensus_map

maps = st.tuples(st.integers(1, 5), st.integers(0, 4), st.integers(0, 6)).flatmap(
    lambda shape: arrays.arrays(np.int64, shape, elements=st.sampled_from([0, 1, 5, -3, 10**10]))
)


class TestMajority:
    @given(maps)
    def test_oracle(self, stack):
        found = consensus_map(stack)
        assert found.labels.shape == stack.shape[1:] and found.status == "ok"
        for place in np.ndindex(stack.shape[1:]):
            votes = collections.Counter(stack[(slice(None), *place)].tolist())
            most = max(votes.values())
            best = sorted(label for label, count in votes.items() if count == most)
            assert found.labels[place] == best[0] and found.is_tied[place] == (len(best) > 1)
            assert found.support[place] == most / len(stack)

    def test_volumes(self):
        stack = np.random.default_rng(0).integers(0, 4, (3, 4, 5, 6))
        flat = consensus_map(stack.reshape(3, 4, 30))
        assert np.array_equal(consensus_map(stack).labels.reshape(4, 30), flat.labels)

    @pytest.mark.parametrize("dtype", ["uint8", "int16", "int32", "uint64"])
    def test_keeps_the_dtype(self, dtype):
        found = consensus_map(np.array([[[1, 2]], [[1, 3]], [[1, 3]]], dtype))
        assert found.labels.dtype == dtype and found.labels.tolist() == [[1, 3]]

    def test_masks(self):
        a, b = np.array([[True, True, False]]), np.array([[True, False, False]])
        found = consensus_map([a, b])
        assert found.labels.dtype == bool and found.labels.tolist() == [[True, False, False]] and found.ties == 1
        assert consensus_map([a, b], tie=255).labels.tolist() == [[1, 255, 0]]

    def test_the_label_of_ties(self):
        found = consensus_map([[[4, 4, 9]], [[4, 9, 9]]], tie=0)
        assert found.labels.tolist() == [[4, 0, 9]] and found.is_tied.tolist() == [[False, True, False]]

    def test_many_annotators_and_labels(self):
        """12^30 patterns: no code of 64 bits has room for them."""
        stack = np.random.default_rng(1).integers(0, 12, (30, 20, 21))
        found = consensus_map(stack)
        votes = np.stack([(stack == label).sum(axis=0) for label in range(12)])
        assert np.array_equal(found.labels, votes.argmax(axis=0))

    def test_in_words(self):
        assert repr(consensus_map([[[4, 4]], [[4, 9]]])) == "ConsensusMap(1×2, 1 pixels tied, ok)"


class TestDawidSkene:
    def test_is_better_than_a_majority_of_the_careless(self):
        rng = np.random.default_rng(2)
        truth = rng.integers(0, 3, (80, 80))
        quality = [0.97, 0.95, 0.45, 0.45, 0.45]
        stack = np.array(
            [np.where(rng.random(truth.shape) < q, truth, rng.integers(0, 3, truth.shape)) for q in quality]
        )
        share = {
            method: (consensus_map(stack, method=method).labels == truth).mean()
            for method in ("majority", "dawid_skene")
        }
        assert share["dawid_skene"] > share["majority"] + 0.02 and share["dawid_skene"] > 0.97

    def test_support_is_a_probability(self):
        stack = np.random.default_rng(3).integers(0, 3, (3, 30, 30))
        found = consensus_map(stack, method="dawid_skene")
        assert ((found.support >= 1 / 3) & (found.support <= 1)).all()

    @pytest.mark.parametrize("value, status", [(0, "one_label"), (1, "one_label")])
    def test_one_label(self, value, status):
        found = consensus_map(np.full((3, 4, 4), value), method="dawid_skene")
        assert found.status == status and (found.labels == value).all()

    def test_one_annotator(self):
        found = consensus_map(np.array([[[0, 1, 2]]]), method="dawid_skene")
        assert found.status == "no_overlap" and found.labels.tolist() == [[0, 1, 2]]


class TestRefusals:
    @pytest.mark.parametrize(
        "change, message",
        [
            ({"method": "mean"}, "`method` must be one of"),
            ({"tie": 256}, "`tie` must be a label that uint8 can hold; got 256"),
            ({"tie": 0.5}, "`tie` must be"),
            ({"maps": np.zeros((2, 2))}, "`maps` must be one of each annotator"),
        ],
    )
    def test_wrong_calls(self, change, message):
        given = {"maps": np.zeros((2, 2, 2), np.uint8)} | change
        with pytest.raises((ValueError, TypeError), match=message):
            consensus_map(given.pop("maps"), **given)
