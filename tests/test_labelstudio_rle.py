"""Brush masks of Label Studio: its own bit stream, held against what its own converter wrote."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from vesica import InputError
from vesica.io.labelstudio_rle import mask_of, packed

MASK = np.array([[0, 1, 1, 0, 0], [0, 1, 0, 0, 1], [0, 0, 0, 0, 1]], bool)
# Written by label-studio-converter 0.0.59 (Apache-2.0): mask2rle of MASK, and encode_rle of a picture of the colour
# 11, 200, 3 with opacity 40 and 255 where MASK is, whose blocks have several values.
PLAIN = [0, 0, 0, 60, 57, 27, 252, 96, 19, 255, 219, 0, 143, 254, 112, 8, 255, 239, 128, 71, 254]
COLOURED = [
    *(0, 0, 0, 60, 57, 27, 252, 96, 0, 5, 129, 144, 0, 24, 5, 0, 5, 129, 144, 0, 24, 31, 246, 192, 0, 11, 3, 32, 0),
    *(48, 63, 231, 0, 0, 44, 12, 128, 0, 192, 255, 190, 0, 0, 88, 25, 0, 1, 129, 254),
]


class TestMaskOf:
    @pytest.mark.parametrize("written", [PLAIN, COLOURED], ids=["plain", "coloured"])
    def test_of_their_converter(self, written):
        assert np.array_equal(mask_of(written, (3, 5), "here"), MASK)

    @given(hnp.arrays(bool, st.tuples(st.integers(1, 40), st.integers(1, 40))))
    def test_there_and_back(self, mask):
        assert np.array_equal(mask_of(packed(mask), mask.shape, "here"), mask)

    def test_runs_longer_than_a_block(self):
        mask = np.ones((300, 301), bool)
        mask[150, 7] = False
        assert np.array_equal(mask_of(packed(mask), mask.shape, "here"), mask)

    @given(st.lists(st.integers(0, 255), max_size=40), st.integers(1, 4), st.integers(1, 4))
    def test_any_bytes_are_a_mask_or_an_error(self, data, height, width):
        told = "here: "
        try:
            assert mask_of(data, (height, width), "here").shape == (height, width)
        except InputError as error:
            told = str(error)
        assert told.startswith("here: ")

    @pytest.mark.parametrize(
        "written, size, words",
        [
            (PLAIN[:-3], (3, 5), "ends before the mask does"),
            ([], (3, 5), "ends before the mask does"),
            (PLAIN, (3, 4), r"has 60 values; an image of 3×4 pixels has 4 for each"),
            ([*PLAIN[:-1], 256], (3, 5), "numbers from 0 to 255"),
            ("abc", (3, 5), "numbers from 0 to 255"),
            (7.5, (3, 5), "numbers from 0 to 255"),
            (10**15, (3, 5), "numbers from 0 to 255"),
            (PLAIN, (1 << 15, 1 << 14), r"may have 268,435,456 pixels; the image has 536,870,912"),
            # 4 values, and a block of five of them
            ([0, 0, 0, 4, 56, 0, 0, 128 + 127, 255, 255], (1, 1), "ends behind the last pixel|before the mask"),
        ],
    )
    def test_refused(self, written, size, words):
        with pytest.raises(InputError, match=words):
            mask_of(written, size, "here")
