"""Names of a package that are loaded on first use (PEP 562)."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any


class _Package(ModuleType):
    """A package that has the name of what it is about: who calls it means a function."""

    _call: str

    def __call__(self, *arrays: Any, **options: Any) -> Any:
        raise TypeError(f"{self.__name__} is a module and cannot be called. Write {self._call}.")


def lazy(package: str, homes: Mapping[str, str], /, *, call: str) -> Callable[[str], Any]:
    """The `__getattr__` of a package whose names have these modules of it as homes.

    `call` is the line to write instead of a call of the package itself.
    """
    module = sys.modules[package]
    module.__class__ = _Package
    vars(module)["_call"] = call

    def load(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = getattr(importlib.import_module(f"{package}.{homes[name]}"), name)
        setattr(sys.modules[package], name, found)
        return found

    return load
