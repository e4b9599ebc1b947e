"""Optional packages: a module of one, or the line that installs it."""

from __future__ import annotations

import importlib
from typing import Any

from vesica.errors import MissingExtra


def installed(module: str, what: str, package: str, /) -> Any:
    """A module that `what` needs, which `pip install package` brings."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtra(f'{what} needs {module.partition(".")[0]}: pip install "{package}".') from error
