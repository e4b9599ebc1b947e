"""A short run of the fuzzer with a fixed seed. `make fuzz` runs longer, and under the sanitisers."""

import subprocess
import sys
from pathlib import Path

import pytest

import fuzz
from vesica import _native

SEED = 2024


@pytest.fixture(autouse=True)
def _all_instructions_again():
    yield
    _native.limit_isa("avx512")


@pytest.mark.parametrize("noun", fuzz.TRIALS)
def test_a_moment_of_trials(noun):
    for number in range(75):
        fuzz.run(SEED, number, [noun])


def test_a_fault_is_named_and_can_be_repeated(tmp_path):
    """A trial that fails prints the line that repeats it."""
    code = (
        "import sys, tests.fuzz, tests.fuzz.__main__ as main\n"
        "def trial(rng): assert rng.integers(10) < 9\n"
        "tests.fuzz.TRIALS.update(rle=trial)\n"
        "sys.argv = ['fuzz', '--noun', 'rle', '--seed', '5', '--seconds', '5']\n"
        "sys.exit(main.main())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[1], capture_output=True, text=True)
    assert done.returncode == 1
    assert "AssertionError" in done.stderr
    assert "python -m tests.fuzz --noun rle --seed 5 --trial " in done.stderr
