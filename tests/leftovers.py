"""What a file of tests must leave as it found it: the next file in the same process would depend on it.

Warning filters are not among them: pytest puts them back after each test.
"""

from __future__ import annotations

import decimal
import locale
import os
import signal
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest


class Setting(NamedTuple):
    """Something that a whole process shares: how it is (None where nobody has it yet), and how it is put back."""

    read: Callable[[], Any]
    write: Callable[[Any], Any]


def _style() -> dict[str, Any] | None:
    """All but the backend, which matplotlib chooses when it is first needed."""
    matplotlib = sys.modules.get("matplotlib")
    return None if matplotlib is None else _without_backend(matplotlib.rcParams)


def _without_backend(style: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in dict.items(style) if not name.startswith("backend")}


def _restyle(style: dict[str, Any]) -> None:
    sys.modules["matplotlib"].rcParams.update(style)


def _of_torch(name: str) -> Setting:
    """What `torch.get_…` says and `torch.set_…` puts back; nothing as long as nobody has imported it."""
    return Setting(
        lambda: getattr(sys.modules["torch"], f"get_{name}")() if "torch" in sys.modules else None,
        lambda value: getattr(sys.modules["torch"], f"set_{name}")(value),
    )


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"}


def _restore_environment(values: dict[str, str]) -> None:
    for name in _environment().keys() - values.keys():
        del os.environ[name]
    os.environ.update(values)


def _handlers() -> list[Any]:
    return [signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)]


def _restore_handlers(handlers: list[Any]) -> None:
    for one, handler in zip((signal.SIGINT, signal.SIGTERM), handlers, strict=True):
        signal.signal(one, handler)


SETTINGS = {
    "matplotlib's style": Setting(_style, _restyle),
    "how NumPy prints": Setting(np.get_printoptions, lambda value: np.set_printoptions(**value)),
    "what NumPy does on errors": Setting(np.geterr, lambda value: np.seterr(**value)),
    "torch's dtype": _of_torch("default_dtype"),
    "the precision of decimals": Setting(
        lambda: decimal.getcontext().prec, lambda value: setattr(decimal.getcontext(), "prec", value)
    ),
    "the folder": Setting(os.getcwd, os.chdir),
    "the locale": Setting(
        lambda: locale.setlocale(locale.LC_ALL), lambda value: locale.setlocale(locale.LC_ALL, value)
    ),
}
CHANGED_BY_IMPORTS = {
    "torch's threads": _of_torch("num_threads"),
    "the environment": Setting(_environment, _restore_environment),
    "the path of modules": Setting(lambda: [*sys.path], lambda value: sys.path.__setitem__(slice(None), value)),
    "what signals do": Setting(_handlers, _restore_handlers),
}
"""What other libraries change as well, which is no fault of a test: put back without a word."""

BY_ITSELF = {
    "matplotlib's style": lambda: _without_backend(sys.modules["matplotlib"].rcParamsOrig),
    "torch's dtype": lambda: sys.modules["torch"].float32,
}
"""How a library is that was imported in the meantime, if nobody changes it."""


def found() -> dict[str, Any]:
    """Each setting as it is now."""
    return {name: setting.read() for name, setting in (SETTINGS | CHANGED_BY_IMPORTS).items()}


def restored(before: dict[str, Any]) -> list[str]:
    """Put back what is otherwise than before; what was no library's doing is told."""
    left = []
    for name, setting in (SETTINGS | CHANGED_BY_IMPORTS).items():
        now, was = setting.read(), before[name]
        if was is None and name in BY_ITSELF and now is not None:
            was = BY_ITSELF[name]()
        if was is None or now == was:
            continue
        setting.write(was)
        if name in SETTINGS:
            left.append(f"{name}: {_difference(was, now)}")
    return left


def _difference(was: Any, now: Any) -> str:
    if isinstance(was, dict):
        names = sorted(name for name in was.keys() | now.keys() if was.get(name) != now.get(name))
        return ", ".join(f"{name} was {was.get(name)!r} and is {now.get(name)!r}" for name in names[:5])
    return f"was {was!r} and is {now!r}"


class Guard:
    """Compares at the end of each file, whichever folder it is in: what one has changed is put back, and it fails."""

    before: dict[str, Any] | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self) -> None:
        if self.before is None:
            self.before = found()

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_teardown(self, item: pytest.Item, nextitem: pytest.Item | None) -> None:
        if self.before is None or (nextitem is not None and nextitem.path == item.path):
            return
        before, self.before = self.before, None
        left = restored(before)
        if item.path.suffix == ".md":  # a page may go to a folder of its own: its reader stays there
            left = [one for one in left if not one.startswith("the folder")]
        if left:
            pytest.fail(f"{item.path.name} leaves the process changed.\n" + "\n".join(left), pytrace=False)
