"""Workers forget at the end of a file, and a test that loads what its part does without is told."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

import vesica
import worker_memory
from vesica import _native

TWO, SAME, OTHER = (SimpleNamespace(nodeid=f"{path}::test", path=path) for path in ("two.py", "two.py", "other.py"))


def frugal(marks=""):
    return worker_memory.Frugal(SimpleNamespace(option=SimpleNamespace(markexpr=marks)))


@pytest.mark.parametrize(
    "marks, want",
    [
        ("", []),
        ("jax", []),
        ("torch and not jax", ["jax"]),
        ("not processes and not jax and not torch", ["jax", "torch"]),
        ("not slow", []),
    ],
)
def test_left_out(marks, want):
    assert worker_memory.libraries_left_out(marks) == want


def test_a_library_of_another_part(monkeypatch):
    worker = frugal("not processes and not jax and not torch")
    monkeypatch.delitem(sys.modules, "jax", raising=False)
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    worker.pytest_runtest_teardown(TWO, SAME)
    monkeypatch.setitem(sys.modules, "jax", SimpleNamespace(clear_caches=lambda: None))
    with pytest.raises(pytest.fail.Exception, match=r"two\.py::test loads jax, which this part"):
        worker.pytest_runtest_teardown(TWO, SAME)
    worker.pytest_runtest_teardown(TWO, SAME)  # said once


def test_freed_answers_go_with_the_file():
    worker = frugal()
    rows = np.tile(np.float32([[0, 0, 1, 1]]), (2100, 1))
    for following, is_kept in ((SAME, True), (OTHER, False), (None, False)):
        vesica.iou(rows, rows)
        worker.pytest_runtest_teardown(TWO, following)
        assert (_native.kept() > 0) is is_kept
