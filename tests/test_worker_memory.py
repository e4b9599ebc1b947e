"""Workers forget between two files, and a test that loads what its part does without is told."""

import functools
import sys
from types import ModuleType, SimpleNamespace

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
    worker.pytest_runtest_teardown(TWO)
    monkeypatch.setitem(sys.modules, "jax", SimpleNamespace(clear_caches=lambda: None))
    with pytest.raises(pytest.fail.Exception, match=r"two\.py::test loads jax, which this part"):
        worker.pytest_runtest_teardown(TWO)
    worker.pytest_runtest_teardown(TWO)  # said once


def test_freed_answers_go_before_the_next_file():
    worker = frugal()
    rows = np.tile(np.float32([[0, 0, 1, 1]]), (2100, 1))
    worker.pytest_runtest_setup(TWO)
    for following, is_kept in ((SAME, True), (OTHER, False)):
        vesica.iou(rows, rows)
        worker.pytest_runtest_teardown(TWO)
        worker.pytest_runtest_setup(following)
        assert (_native.kept() > 0) is is_kept


def test_what_a_file_cached_goes_with_it():
    worker = frugal()
    modules = [ModuleType(name) for name in ("two", "other")]
    for module in modules:
        module.squared = functools.cache(lambda number: number * number)
        module.squared.__module__ = "two"  # the other file imports it
    for module, item, left in zip((*modules, None), (TWO, OTHER, TWO), (0, 0, 1), strict=True):
        worker.pytest_runtest_setup(SimpleNamespace(**vars(item), module=module))
        assert modules[0].squared.cache_info().currsize == 0
        assert modules[1].squared.cache_info().currsize == left
        if module:
            assert module.squared(3) == 9


def test_forgets_between_files_and_where_one_takes_much(monkeypatch):
    worker, held, forgotten = frugal(), 300 << 20, []
    monkeypatch.setattr(worker_memory, "resident", lambda: held)
    monkeypatch.setattr(worker_memory, "_forget", lambda: forgotten.append(held >> 20))
    for item, more in ((TWO, 0), (SAME, 90 << 20), (OTHER, 0), (OTHER, 110 << 20), (TWO, 10 << 20)):
        worker.pytest_runtest_setup(item)
        held += more
        worker.pytest_runtest_teardown(item)
    assert forgotten == [300, 390, 500, 500]
