"""What a result must say: near enough, not defined, or a failure that tells all."""

import math
import subprocess
import sys

import pytest

import vesica
from vesica.testing import assert_scores

BOX = [[0, 0, 10, 10]]


def result():
    truth = vesica.Dataset.from_arrays(BOX, image=[1])
    return vesica.evaluate(truth, vesica.Dataset.from_arrays(BOX, image=[1], score=[0.5]))


class TestAssertScores:
    def test_of_a_result(self):
        assert_scores(result(), AP=1, AP50=1.0, APs=1, APl=math.nan, ARm=None)
        assert_scores(result(), {"AP": 1}, AR100=1)

    @pytest.mark.parametrize(
        "value, wanted, within, fits",
        [
            (0.5, 0.5, 0, True),
            (0.5 + 9e-10, 0.5, 1e-9, True),
            (0.5 - 9e-10, 0.5, 1e-9, True),
            (0.5 + 2e-9, 0.5, 1e-9, False),
            (0.4996, 0.5, 0.0005, True),
            (0.4994, 0.5, 0.0005, False),
            (math.nan, math.nan, 0, True),
            (math.nan, None, 0, True),
            (math.nan, 0.0, 1, False),
            (0.0, math.nan, 1, False),
            (-1.0, math.nan, 1, False),
            (math.inf, math.inf, 0, True),
            (math.inf, 1.0, 1e9, False),
        ],
    )
    def test_near(self, value, wanted, within, fits):
        if fits:
            assert_scores({"AP": value}, AP=wanted, within=within)
        else:
            with pytest.raises(AssertionError, match="^AP is "):
                assert_scores({"AP": value}, AP=wanted, within=within)

    def test_all_that_differ_are_told(self):
        numbers = {"AP": 0.25, "AP50": 0.5, "APl": math.nan, "APs": 0.125}
        with pytest.raises(AssertionError) as error:
            assert_scores(numbers, AP=0.5, AP50=0.5, APl=0.75, APs=None)
        assert str(error.value).splitlines() == [
            "AP is 0.25, not 0.5: off by 0.25 (within 1e-09)",
            "APl is not defined, and 0.75 was expected",
            "APs is 0.125, and was expected not to be defined",
        ]

    def test_a_name_that_nobody_knows_is_no_failed_test(self):
        with pytest.raises(KeyError, match="`name` must be one of"):
            assert_scores(result(), mAP=0.5)

    def test_wrong_calls(self):
        with pytest.raises(TypeError, match="needs numbers to expect"):
            assert_scores(result())
        for within in (-1, math.nan):
            with pytest.raises(ValueError, match="within"):
                assert_scores(result(), AP=1, within=within)

    def test_needs_no_framework(self):
        """And is a name of the package."""
        code = "import sys, vesica; vesica.testing.assert_scores({'AP': 1.0}, AP=1); print('pytest' in sys.modules)"
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert run.stdout == "False\n"
