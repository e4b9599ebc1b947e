"""Fixtures: every array library that is there, and what a fast path must not touch."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import settings

from backends import forbidden

# Machines differ in speed: a slow example is no fault of the code. CI always tries the same examples, everybody else
# new ones each time; VESICA_EXAMPLES=5000 looks harder.
settings.register_profile(
    "vesica",
    deadline=None,
    max_examples=int(os.environ.get("VESICA_EXAMPLES", "150")),
    derandomize="CI" in os.environ,
)
settings.load_profile("vesica")


class Library:
    """An array library behind one way to make arrays of it and one way back."""

    def __init__(self, name: str, module: str, make: Callable[[np.ndarray, Any], Any]) -> None:
        self.name, self._module, self._make = name, module, make

    @property
    def module(self) -> Any:
        return importlib.import_module(self._module)

    def __call__(self, values: Any, dtype: str = "float64") -> Any:
        return self._make(np.asarray(values, dtype), self.module)

    def __repr__(self) -> str:
        return self.name

    @staticmethod
    def back(array: Any) -> np.ndarray:
        return np.asarray(array.detach() if hasattr(array, "detach") else array)


def _read_only(values: np.ndarray, _: Any) -> np.ndarray:
    values = values.copy()
    values.setflags(write=False)
    return values


LIBRARIES = {
    "numpy": Library("numpy", "numpy", lambda values, _: values),
    "read-only numpy": Library("read-only numpy", "numpy", _read_only),
    "array-api-strict": Library("array-api-strict", "array_api_strict", lambda values, xp: xp.asarray(values)),
    "torch": Library("torch", "torch", lambda values, xp: xp.from_numpy(values.copy())),
    "torch with gradient": Library(
        "torch with gradient",
        "torch",
        lambda values, xp: xp.from_numpy(values.copy()).requires_grad_(values.dtype.kind == "f"),
    ),
    "jax": Library("jax", "jax.numpy", lambda values, xp: xp.asarray(values)),
}


@pytest.fixture(params=list(LIBRARIES))
def xp(request: pytest.FixtureRequest) -> Library:
    """Each array library in turn; those that are not installed are skipped."""
    library = LIBRARIES[request.param]
    pytest.importorskip(library._module.partition(".")[0])
    if library.name == "jax":
        import jax

        jax.config.update("jax_enable_x64", True)
    return library


@pytest.fixture
def no_twin() -> Iterator[None]:
    """Break the generic kernels: whoever still answers took the fast path."""
    with forbidden("generic"):
        yield


@pytest.fixture
def no_native() -> Iterator[None]:
    """Break the native kernels: whoever still answers took the generic path."""
    with forbidden("native"):
        yield
