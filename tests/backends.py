"""Kernels that are swapped for a while: to forbid a backend, or to watch it."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import importlib
import importlib.metadata
import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from vesica._kernels import lane, registry

Call = Callable[..., Any]

# Before JAX is imported, which compiles each operation for each shape: with its earlier way to write code that takes a
# quarter less. A version that does not know the word would not start at all, so others go without.
with contextlib.suppress(importlib.metadata.PackageNotFoundError):
    if importlib.metadata.version("jaxlib").startswith("0.10."):
        os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} --xla_cpu_use_fusion_emitters=false".strip()


@contextlib.contextmanager
def swapped(
    wrap: Callable[[Call], Call], backend: str, verb: str | None = None, *, with_lane: bool = False
) -> Iterator[None]:
    """Put `wrap(call)` in the place of each kernel of a backend, or of those for one verb. Their lanes are closed."""
    kernels = _of(backend, verb)
    others = [
        dataclasses.replace(kernel, call=wrap(kernel.call), lane=kernel.lane if with_lane else None)
        for kernel in kernels
    ]
    with absent(backend, verb), present(*others):
        yield


@contextlib.contextmanager
def absent(backend: str, verb: str | None = None) -> Iterator[None]:
    """Take the kernels of a backend away, or those for one verb."""
    kernels = _of(backend, verb)
    registry.unregister(*kernels)
    try:
        yield
    finally:
        registry.register(*kernels)


@contextlib.contextmanager
def present(*kernels: registry.Kernel) -> Iterator[None]:
    """Add kernels."""
    registry.register(*kernels)
    try:
        yield
    finally:
        registry.unregister(*kernels)


def forbidden(
    backend: str, verb: str | None = None, *, with_lane: bool = False
) -> contextlib.AbstractContextManager[None]:
    """Break the kernels of a backend: a call that still answers was served by another one, or by their lanes."""

    def broken(*_: Any, **__: Any) -> None:
        raise AssertionError(f"a {backend} kernel was called")

    return swapped(lambda _: broken, backend, verb, with_lane=with_lane)


@contextlib.contextmanager
def careful() -> Iterator[None]:
    """Close the fast lane: every call takes the careful path."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("serve", "serve_assign", "dtype_of_sound_boxes"):
            patch.setattr(lane, name, lambda *_: None)
        yield


@contextlib.contextmanager
def as_if_cuda() -> Iterator[None]:
    """Tensors on the CPU go where those of a CUDA device would."""
    registry.STANDS_FOR["cpu"] = "cuda"
    try:
        swap_once()
        with careful():
            yield
    finally:
        registry.STANDS_FOR.clear()


def swap_once() -> None:
    """From now on Triton's interpreter swaps the functions of its language when a kernel begins, and only then.

    By itself it looks for them again whenever the kernel calls another function: all are swapped then, so to look
    changes nothing, and takes half of the time."""
    interpreter = importlib.import_module("triton.runtime.interpreter")
    if hasattr(interpreter, "swap_once") or not hasattr(interpreter, "_LangPatchScope"):  # done; another version
        return
    swap, names = interpreter._patch_lang, (interpreter.tl, interpreter.tl.core)

    @functools.cache
    def seen_by(function: Any) -> list[Any]:
        return [one for one in function.__globals__.values() if any(one is name for name in names)]

    def swap_once(function: Any) -> Any:
        is_swapped = not any(interpreter.tl.core.is_builtin(name.load) for name in seen_by(function))
        return interpreter._LangPatchScope() if is_swapped else swap(function)

    interpreter._patch_lang = interpreter.swap_once = swap_once


def _of(backend: str, verb: str | None) -> list[registry.Kernel]:
    found = [kernel for kernel in registry.registered() if kernel.backend == backend and verb in (None, kernel.verb)]
    assert found
    return found
