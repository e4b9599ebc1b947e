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
    line: str
    right: str
    wrong: str
    missed: str
    steps: tuple[str, ...]
    """From strong to faint, for things in an order."""
    kinds: tuple[str, ...]
    """For things without an order; a dash or a letter tells them apart as well."""


LIGHT = Theme(
    *("#1c2530", "#5d6976", "#ffffff", "#dfe4ea", "#0b7285", "#e8890c", "#9c1458"),
    steps=("#063d48", "#0b6374", "#15869c", "#3ba4b8", "#6cb6c6"),
    kinds=("#0b7285", "#e8890c", "#9c1458", "#3b5bdb", "#5c940d", "#5f3dc4"),
)
DARK = Theme(
    *("#e6edf3", "#9aa7b4", "#11151a", "#2c333b", "#43b4ca", "#ffb454", "#ff7ab0"),
    steps=("#d6f4fa", "#97dcea", "#5cbdd0", "#3c97a9", "#327786"),
    kinds=("#43b4ca", "#ffb454", "#ff7ab0", "#8ea6ff", "#a9d15a", "#b197fc"),
)
DASHES: tuple[Any, ...] = ("-", (0, (6, 2)), (0, (3, 2)), (0, (6, 2, 1, 2)), (0, (1, 1.5)), (0, (9, 2, 1, 2, 1, 2)))
THEMES = {"light": LIGHT, "dark": DARK}


def axes_of(ax: Axes | None, theme: Theme, /, *, size: tuple[float, float]) -> Axes:
    """The axes that were given, or those of a new figure of this size, in inches; in the colours of the theme."""
    made: Axes = _figure(size, theme).add_subplot() if ax is None else ax
    made.set_facecolor(theme.page)
    for spine in made.spines.values():
        spine.set_color(theme.soft)
    made.tick_params(colors=theme.soft, labelsize=8)
    return made


def titled(ax: Axes, theme: Theme, title: str, sentence: str, /) -> None:
    """What the picture shows, and below in a line what that means. Names come from data: no text is mathematics."""
    ax.set_title(title, loc="left", color=theme.ink, fontsize=13, fontweight="bold", pad=22, parse_math=False)
    ax.annotate(
        sentence,
        (0, 1),
        xytext=(0, 7),
        xycoords="axes fraction",
        textcoords="offset points",
        color=theme.soft,
        fontsize=9,
        parse_math=False,
    )


def plain_frame(ax: Axes, theme: Theme, /, *, grid: str = "both") -> None:
    """Two lines to read from, and a faint grid."""
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    ax.set_axisbelow(True)
    ax.grid(visible=True, axis=grid, color=theme.line, linewidth=0.8)  # type: ignore[arg-type]


def named(ax: Axes, theme: Theme, x: str, y: str, /) -> None:
    """What the axes measure."""
    ax.set_xlabel(x, color=theme.soft, fontsize=9)
    ax.set_ylabel(y, color=theme.soft, fontsize=9)


def told(ax: Axes, theme: Theme, /) -> None:
    """Which line is which, where it covers least. Names come from data: no text is mathematics."""
    legend = ax.legend(loc="best", facecolor=theme.page, edgecolor=theme.line, framealpha=0.85, fontsize=9)
    for text in legend.get_texts():
        text.set_color(theme.ink)
        text.set_parse_math(False)


def _figure(size: tuple[float, float], theme: Theme) -> Any:
    """By pyplot where it is in use, so that notebooks show it; a figure of its own elsewhere: a server keeps none."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtra('Pictures need matplotlib: pip install "vesica[plot]".') from error
    pyplot = sys.modules.get("matplotlib.pyplot")
    options: dict[str, Any] = {"figsize": size, "facecolor": theme.page, "layout": "constrained"}
    return pyplot.figure(**options) if pyplot else Figure(**options)
