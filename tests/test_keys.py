"""Keys as small numbers: equal where the keys are equal, and nowhere else."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from vesica.overlaps.keys import numbered

some = st.one_of(st.integers(0, 3), st.integers(-(2**40), 2**40), st.sampled_from([2**16, 2**31, 2**32 - 1, 2**32]))


def same_partition(keys):
    numbers = numbered(keys)
    assert numbers.dtype == np.uint32 and numbers.shape == (len(keys),)
    rows = keys.reshape(len(keys), -1).tolist()
    assert [[a == b for b in rows] for a in rows] == [[a == b for b in numbers] for a in numbers]


@given(st.lists(some, min_size=1, max_size=8))
def test_one_column(values):
    same_partition(np.array(values, np.int64))


@given(st.integers(1, 3).flatmap(lambda width: st.lists(st.lists(some, min_size=width, max_size=width), min_size=1)))
@example([[65535, 65535], [65535, 65534], [0, 0]])  # exactly 2^32 digits
@example([[65536, 65535], [0, 0], [65536, 0]])  # one too many
def test_several_columns(rows):
    same_partition(np.array(rows, np.int64))


@pytest.mark.parametrize("dtype", ["uint8", "int32", "uint64", "float64"])
def test_dtypes(dtype):
    same_partition(np.array([[250, 1], [1, 250], [250, 1], [0, 0]], dtype))


def test_strings():
    same_partition(np.array([["a", "b"], ["b", "a"], ["a", "b"]]))
