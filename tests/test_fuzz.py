"""A short run of the fuzzer with a fixed seed. `make fuzz` runs longer, and under the sanitisers."""

import json
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import fuzz
from trials import trials
from vesica import _native

SEED = 2024
HERE = Path(fuzz.__file__).parent
CORPUS = sorted(path for path in (HERE / "corpus").rglob("*") if path.is_file())


@pytest.fixture(autouse=True)
def _all_instructions_again():
    yield
    _native.limit_isa("avx512")


COUNT = {"forks": 20, "labels": 40}
"""Trials of nouns that take longer than the others: a fork copies the tables of all memory that tests hold."""


@pytest.mark.parametrize("noun", fuzz.TRIALS)
def test_a_moment_of_trials(noun):
    for number in trials(COUNT.get(noun, 75)):
        fuzz.run(SEED, number, [noun])


@pytest.mark.parametrize(
    ("fault", "patience", "seen"),
    [("assert rng.integers(10) < 9", 60, "AssertionError"), ("while True: time.sleep(0.1)", 1, "")],
)
def test_a_fault_is_named_and_can_be_repeated(fault, patience, seen):
    """A trial that fails, or does not end, prints the line that repeats it."""
    code = (
        "import sys, time, tests.fuzz, tests.fuzz.__main__ as main\n"
        f"def trial(rng):\n    {fault}\n"
        "tests.fuzz.TRIALS.update(rle=trial)\n"
        f"main.PATIENCE = {patience}\n"
        "sys.argv = ['fuzz', '--noun', 'rle', '--seed', '5', '--seconds', '1000']\n"
        "sys.exit(main.main())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[1], capture_output=True, text=True)
    assert done.returncode == 1
    assert seen in done.stderr
    assert "python -m tests.fuzz --noun rle --seed 5 --trial " in done.stderr


class TestCorpus:
    """The first inputs of libFuzzer's targets: sound ones that reach far, and those that once broke something."""

    def test_every_target_has_inputs(self):
        assert {path.parent.name for path in CORPUS} == {path.stem for path in (HERE / "targets").glob("*.cpp")}
        assert all(path.stat().st_size < 1000 for path in CORPUS)

    @pytest.mark.parametrize("path", [path for path in CORPUS if path.parent.name == "json"], ids=lambda p: p.name)
    def test_json(self, path):
        """Sound, as Python says too."""
        data = path.read_bytes().strip()
        assert _native.json_fault(np.frombuffer(data, np.uint8))[0] == 0
        json.loads(data)

    @pytest.mark.parametrize("path", [path for path in CORPUS if path.parent.name == "decimals"], ids=lambda p: p.name)
    def test_decimals(self, path):
        text = path.read_bytes()
        want = json.loads(text)
        got = _native.decimal(np.frombuffer(text, np.uint8))
        assert struct.pack("<d", got) == struct.pack("<d", float(want))

    def test_a_list_that_ends_at_its_bracket(self):
        """An error at its end, and not the 0 / 0 rows that it was taken to have."""
        data = (HERE / "corpus" / "records" / "empty").read_bytes()[1:]
        fault, at, *_ = _native.coco_file_read(np.frombuffer(data, np.uint8), True, True, 64, 2)
        assert data == b"[" and _native.json_fault_names()[fault] == "end" and at == 1
