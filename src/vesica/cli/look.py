"""How the command line looks: with colours or without, with a bar or without. Held for one run."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from rich.console import Console

WHEN = ("auto", "always", "never")


class Look(NamedTuple):
    """What was asked for."""

    color: str = "auto"
    progress: str = "auto"
    quiet: bool = False


_held = Look()


def hold(*, color: str | None = None, progress: str | None = None, quiet: bool = False) -> None:
    """Let this be the look from now on."""
    global _held
    _held = Look(color or "auto", progress or "auto", quiet)


def has_color(*, stderr: bool = False) -> bool:
    """Are there colours? With auto on a terminal alone, unless NO_COLOR is set or the terminal is a dumb one."""
    if _held.color != "auto":
        return _held.color == "always"
    stream = sys.stderr if stderr else sys.stdout
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def has_progress() -> bool:
    """Is there a bar? With auto on a terminal alone, and not with --quiet."""
    return _held.progress == "always" or (_held.progress == "auto" and not _held.quiet and sys.stderr.isatty())


def console(*, width: int | None = None) -> Console:
    """Where tables are drawn. What is no terminal gets plain text, whatever the environment says."""
    from rich.console import Console

    is_terminal = sys.stdout.isatty()
    system: Literal["auto", "standard"] | None = ("auto" if is_terminal else "standard") if has_color() else None
    return Console(
        width=width, highlight=False, color_system=system, no_color=system is None, force_terminal=bool(system)
    )


def bar_console() -> Console:
    """Where bars are drawn: as on a terminal, for it was asked whether there is one."""
    from rich.console import Console

    return Console(stderr=True, no_color=not has_color(stderr=True), force_terminal=True)
