"""Keypoints, which are not scored here: pycocotools itself serves them, if it is installed."""

from __future__ import annotations

import functools
import importlib
import sys
from types import ModuleType
from typing import Any

from vesica._check import compat as check

_NAME = "pycocotools"


def evaluation(*arguments: Any) -> Any:
    """pycocotools' own COCOeval."""
    return _cocoeval().COCOeval(*arguments)


def params() -> Any:
    """pycocotools' own Params, with its values for keypoints."""
    return _cocoeval().Params("keypoints")


@functools.cache
def _cocoeval() -> ModuleType:
    """Its module, whatever stands in for it under its name."""
    aside = {name: module for name, module in sys.modules.items() if name.split(".")[0] == _NAME}
    is_replaced = aside.get(_NAME) is sys.modules["vesica.compat"]
    for name in aside if is_replaced else ():
        del sys.modules[name]
    try:
        return importlib.import_module(f"{_NAME}.cocoeval")
    except ImportError as error:
        raise check.no_keypoints() from error
    finally:
        if is_replaced:
            for name in [name for name in sys.modules if name.split(".")[0] == _NAME]:
                del sys.modules[name]
            sys.modules.update(aside)
