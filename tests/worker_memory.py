"""What a worker of the tests holds: given back before the next file; and nothing that its part does without."""

from __future__ import annotations

import ctypes
import gc
import mmap
import sys
from pathlib import Path
from types import ModuleType

import pytest

GROWTH = 100 << 20
"""Bytes that a worker may take before it forgets what was compiled; between two files a fifth of them."""

SHELF = 256 << 20
"""Bytes of freed answers that the core keeps unless told otherwise."""


class Frugal:
    """Forgets what JAX and torch have compiled and gives freed memory back: over all files it would be gigabytes."""

    kept = 0  # bytes that were still held when it last forgot
    before = 0  # the same when the file began: what its fixtures hold later is given back when it ends
    file: Path | None = None
    module: ModuleType | None = None

    def __init__(self, config: pytest.Config) -> None:
        self._absent = libraries_left_out(config.option.markexpr)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """What the fixtures of a file made is there until its last test has ended: it is given back after that."""
        if item.path == self.file:
            return
        _clear_caches(self.module)
        self.file, self.module = item.path, getattr(item, "module", None)
        if "vesica._native" in sys.modules:
            _empty_shelf()
        if self.before == 0 or resident() > self.before + GROWTH // 5:
            _forget()
            self.before = self.kept = resident()

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> None:
        if "matplotlib.pyplot" in sys.modules:
            sys.modules["matplotlib.pyplot"].close("all")
        if resident() > self.kept + GROWTH:
            _forget()
            self.kept = resident()
        loaded = [name for name in self._absent if name in sys.modules]
        if loaded:
            self._absent = []  # said once
            pytest.fail(
                f"{item.nodeid} loads {', '.join(loaded)}, which this part of `make test` does without: "
                "mark it (tests/conftest.py).",
                pytrace=False,
            )


def libraries_left_out(marks: str) -> list[str]:
    """Which large libraries the tests chosen by such marks never need."""
    return [library for library in ("jax", "torch") if f"not {library}" in marks]


def resident() -> int:
    """Bytes of memory that this process holds; 0 where the system does not say."""
    told = Path("/proc/self/statm")
    return int(told.read_text().split()[1]) * mmap.PAGESIZE if told.exists() else 0


def _empty_shelf() -> None:
    """Freed answers, which the core keeps for later ones."""
    native = sys.modules["vesica._native"]
    native.keep_at_most(0)
    native.keep_at_most(SHELF)


def _clear_caches(module: ModuleType | None) -> None:
    """What the functions of a file of tests have cached: another file has functions of its own."""
    for function in vars(module).values() if module else ():
        if hasattr(function, "cache_clear") and function.__module__ == module.__name__:
            function.cache_clear()


def _forget() -> None:
    if "jax" in sys.modules:
        sys.modules["jax"].clear_caches()
    if "torch._dynamo" in sys.modules:
        sys.modules["torch._dynamo"].reset()
    gc.collect()
    gc.freeze()  # mostly libraries that were loaded: the next collection need not look through them
    if "pyarrow" in sys.modules:
        sys.modules["pyarrow"].default_memory_pool().release_unused()
    if sys.platform == "linux" and hasattr(ctypes.CDLL(None), "malloc_trim"):  # glibc
        ctypes.CDLL(None).malloc_trim(0)
