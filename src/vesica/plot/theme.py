"""One look for all pictures: colours that differ in hue, in lightness and, where areas are filled, in hatching."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from vesica.errors import MissingExtra

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Theme(NamedTuple):
    """The colours of a picture."""

    ink: str
    soft: str
    page: str
    right: str
    wrong: str
    missed: str


LIGHT = Theme("#1c2530", "#5d6976", "#ffffff", "#0b7285", "#e8890c", "#9c1458")
DARK = Theme("#e6edf3", "#9aa7b4", "#11151a", "#43b4ca", "#ffb454", "#ff7ab0")


def axes_of(ax: Axes | None, theme: Theme, /, *, size: tuple[float, float]) -> Axes:
    """The axes that were given, or those of a new figure of this size, in inches; in the colours of the theme."""
    made: Axes = _figure(size, theme).add_subplot() if ax is None else ax
    made.set_facecolor(theme.page)
    for spine in made.spines.values():
        spine.set_color(theme.soft)
    made.tick_params(colors=theme.soft, labelsize=8)
    return made


def _figure(size: tuple[float, float], theme: Theme) -> Any:
    """By pyplot where it is in use, so that notebooks show it; a figure of its own elsewhere: a server keeps none."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtra('Pictures need matplotlib: pip install "vesica[plot]".') from error
    pyplot = sys.modules.get("matplotlib.pyplot")
    options: dict[str, Any] = {"figsize": size, "facecolor": theme.page, "layout": "constrained"}
    return pyplot.figure(**options) if pyplot else Figure(**options)
