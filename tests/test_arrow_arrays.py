"""Arrays of Arrow as NumPy has them: what Arrow's own way says, which loads pandas."""

import numpy as np
import pytest

from vesica import Dataset
from vesica.dataset import arrow_arrays

pa = pytest.importorskip("pyarrow")

KINDS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64"]
SLICES = [slice(None), slice(3, None), slice(2, 7), slice(4, 4)]


def by_arrow(array):
    return array.to_numpy(zero_copy_only=False)


def same(found, want):
    assert found.dtype == want.dtype
    np.testing.assert_array_equal(found, want)


@pytest.mark.parametrize("rows", SLICES, ids=str)
class TestSlices:
    @pytest.mark.parametrize("kind", [*KINDS, "bool"])
    def test_values(self, kind, rows):
        array = pa.array(np.arange(10).astype(kind))[rows]
        same(arrow_arrays._values(array), by_arrow(array))
        same(arrow_arrays.numbers(array, "x"), by_arrow(array).astype(np.float64))
        if kind != "bool":
            same(arrow_arrays.ids(array, "x"), by_arrow(array))

    @pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "float16"])
    def test_missing(self, kind, rows):
        array = pa.array([1, None, 3, 4, None, None, 7, 8, 9, 10], kind.replace("float64", "double"))[rows]
        same(arrow_arrays.is_null(array), by_arrow(array.is_null()).astype(bool))
        same(arrow_arrays.floats(array, "x"), by_arrow(array.cast(pa.float64())))

    def test_nothing_but_missing(self, rows):
        assert np.isnan(arrow_arrays.floats(pa.nulls(10)[rows], "x")).all()

    @pytest.mark.parametrize("kind", [pa.list_, pa.large_list])
    def test_lengths(self, kind, rows):
        lists = [[1.0] * k if k % 3 else None for k in range(10)]
        found = arrow_arrays.lengths_of(pa.array(lists, kind(pa.float64()))[rows])
        same(found, np.array([len(one or ()) for one in lists[rows]], np.int64))

    def test_rows_of_numbers(self, rows):
        table = np.arange(40.0).reshape(10, 4)
        for kind in (pa.list_(pa.float64()), pa.list_(pa.float64(), 4)):
            same(arrow_arrays.rows_of_numbers(pa.array(table.tolist(), kind)[rows], 4, "x"), table[rows])


def test_some_images_of_a_table():
    """A slice of a table is a data set of these images, as it is when it was written anew."""
    boxes = np.arange(24.0).reshape(6, 4) + [0, 0, 30, 30]
    table = Dataset.from_arrays(boxes, image=list("aabccc"), category=[1, 2, 1, 1, 2, 2], sizes=(90, 90)).to_arrow()
    part = Dataset.from_arrow(table.slice(1))
    assert part.images.ids.tolist() == ["b", "c"]
    assert part.xywh.tolist() == (boxes[2:] - np.tile(boxes[2:, :2], 2) * [0, 0, 1, 1]).tolist()
