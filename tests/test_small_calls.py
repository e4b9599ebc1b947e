"""The table of small calls: every public function is in it, and can be called as it says."""

import sys
from pathlib import Path

import pytest

import vesica

ROOT = Path(__file__).parent.parent
pytestmark = pytest.mark.skipif(not (ROOT / "benchmarks").is_dir(), reason="a source distribution has no benchmarks")

VALUES = {
    "Best",
    "Fused",
    "Kept",
    "Matches",
    "Merged",
    "Pairs",
    "Parts",
    "Dataset",
    "SegmentationPolicy",
    "advise",
    "check",
    "compare",
    "AgreementPolicy",
    "write_panoptic",
    "write_queue",
}
"""What calls answer with or are told; N does not matter to them."""


@pytest.fixture(scope="module")
def calls():
    sys.path.insert(0, str(ROOT))
    try:
        from benchmarks.small_calls import Small
        from benchmarks.small_calls import calls as all_calls
    finally:
        sys.path.remove(str(ROOT))
    return all_calls(Small(3))


def _kind(name):
    value = getattr(vesica, name)
    return value if isinstance(value, type) else type(value)


def test_every_public_name(calls):
    named = {name.partition(",")[0] for name in calls}
    errors = {name for name in vesica.__all__ if issubclass(_kind(name), Exception)}
    assert {name for name in named if "." not in name} == set(vesica.__all__) - VALUES - errors


def test_all_answer(calls):
    for call in calls.values():
        call()
