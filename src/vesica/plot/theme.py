"""One look for all pictures: colours that differ in hue, in lightness and, where areas are filled, in hatching."""

from __future__ import annotations

import contextlib
import contextvars
import sys
import textwrap
from collections.abc import Iterator
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
SENTENCE, NAME = 9.0, 8.0
"""Points of the letters below a title, and of those that name a row."""
_LETTER, _AROUND = 0.49, 34.0
"""How wide a letter is on average, in its own points; and the points left and right of axes that are no names."""
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


def titled(ax: Axes, theme: Theme, title: str, sentence: str, /, *, width: float = 1.0) -> None:
    """What the picture shows, and below what that means, in as many lines as the width of the axes needs.

    Axes whose layout will leave them a share of that say so by `width`. Names come from data: no text is mathematics.
    """
    lines = textwrap.wrap(sentence, letters_across(ax, SENTENCE / width)) or [""]
    bold: dict[str, Any] = {"color": theme.ink, "fontsize": 13, "fontweight": "bold", "pad": 10 + 12 * len(lines)}
    ax.set_title("\n".join(textwrap.wrap(title, letters_across(ax, 15 / width))), loc="left", parse_math=False, **bold)
    ax.annotate(
        "\n".join(lines),
        (0, 1),
        xytext=(0, 7),
        xycoords="axes fraction",
        textcoords="offset points",
        color=theme.soft,
        fontsize=SENTENCE,
        linespacing=1.1,
        parse_math=False,
    )


def letters_across(ax: Axes, points: float, /) -> int:
    """How many letters of this size fit the axes from side to side, as far as can be told before the layout."""
    return max(14, int((_points_across(ax) - _points_of_names(ax) - _AROUND) / (points * _LETTER)))


def _points_across(ax: Axes) -> float:
    """The width that a figure has for the axes and their names: all of it, or the part of a column of axes."""
    figure = ax.get_figure(root=True)
    columns = 1 if ax.get_subplotspec() is None else ax.get_subplotspec().get_gridspec().ncols  # type: ignore[union-attr]
    return 400.0 if figure is None else float(figure.get_size_inches()[0]) * 72 / columns


def _points_of_names(ax: Axes) -> float:
    """The width of the names of rows, where they are set; else that of numbers."""
    from matplotlib.ticker import FixedLocator

    if not isinstance(ax.yaxis.get_major_locator(), FixedLocator):
        return 14.0
    return max((len(text.get_text()) for text in ax.get_yticklabels()), default=0) * NAME * _LETTER


def label(name: Any, /, *, most: int = 32) -> str:
    """A name from data as a label: no letters that cannot be seen, and not too many."""
    text = "".join(one if one.isprintable() else "\ufffd" for one in str(name))
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def plain_frame(ax: Axes, theme: Theme, /, *, grid: str = "both") -> None:
    """Two lines to read from, and a faint grid."""
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    ax.set_axisbelow(True)
    ax.grid(visible=True, axis=grid, color=theme.line, linewidth=0.8)  # type: ignore[arg-type]


def named(ax: Axes, theme: Theme, x: str, y: str, /) -> None:
    """What the axes measure."""
    ax.set_xlabel("\n".join(textwrap.wrap(x, letters_across(ax, SENTENCE))), color=theme.soft, fontsize=SENTENCE)
    ax.set_ylabel(y, color=theme.soft, fontsize=SENTENCE)


def rows_named(ax: Axes, theme: Theme, places: Any, names: Any, /, *, axis: str = "y", **look: Any) -> None:
    """What each row is called; or each column. Names come from data: no text is mathematics."""
    write = ax.set_yticks if axis == "y" else ax.set_xticks
    most = min(32, int(0.3 * _points_across(ax) / (NAME * _LETTER)))
    write(places, [label(name, most=most) for name in names], parse_math=False, color=theme.ink, fontsize=NAME, **look)
    ax.tick_params(axis=axis, length=0)  # type: ignore[arg-type]


def share_ticks(ax: Axes, /) -> None:
    """Shares end at 1, though the axis goes on for the numbers behind bars."""
    if 1 < ax.get_xlim()[1] < 1.3 and ax.get_xlim()[0] == 0:
        ax.set_xticks([0.0, 0.2, 0.4, 0.6, 0.8, 1.0])


def behind(theme: Theme, /) -> dict[str, Any]:
    """What stands behind a number, so that no line runs through it."""
    return {"facecolor": theme.page, "edgecolor": "none", "pad": 0.6}


def ink_on(theme: Theme, colour: Any, /) -> str:
    """The colour of letters on another: that of ink or that of the page, whichever is easier to read."""
    from matplotlib.colors import to_rgb

    def light(one: Any) -> float:
        channels = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in to_rgb(one)]
        return 0.05 + 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2]

    here = light(colour)
    contrast = {ink: max(light(ink), here) / min(light(ink), here) for ink in (theme.ink, theme.page)}
    return max(contrast, key=lambda ink: contrast[ink])


def shades(theme: Theme, colour: str, /) -> Any:
    """From the page to a colour, for values from none to all; what is not a number is not drawn."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("shades", [theme.page, colour]).with_extremes(bad="none")


def told(ax: Axes, theme: Theme, /, *, loc: str = "best", ncols: int = 1) -> None:
    """Which line is which, where it covers least. Names come from data: no text is mathematics."""
    legend = ax.legend(loc=loc, ncols=ncols, facecolor=theme.page, edgecolor=theme.line, framealpha=0.85, fontsize=9)
    for text in legend.get_texts():
        text.set_color(theme.ink)
        text.set_parse_math(False)


_IS_ALONE: contextvars.ContextVar[bool] = contextvars.ContextVar("_IS_ALONE", default=False)


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """In here every picture has a figure that pyplot knows nothing of: it is written, and gone."""
    token = _IS_ALONE.set(True)
    try:
        yield
    finally:
        _IS_ALONE.reset(token)


@contextlib.contextmanager
def unstyled() -> Iterator[None]:
    """In here pictures look the same, whatever seaborn or a matplotlibrc has set."""
    _figure_class()
    from matplotlib import style

    with style.context("default"):
        yield


def _figure_class() -> Any:
    """The first that anything asks of matplotlib."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtra('Pictures need matplotlib: pip install "vesica[plot]".') from error
    return Figure


def _figure(size: tuple[float, float], theme: Theme) -> Any:
    """By pyplot where it is in use, so that notebooks and plt.savefig have it; a figure of its own elsewhere."""
    own = _figure_class()
    pyplot = None if _IS_ALONE.get() else sys.modules.get("matplotlib.pyplot")
    options: dict[str, Any] = {"figsize": size, "facecolor": theme.page, "layout": "constrained"}
    figure: Any = pyplot.figure(**options) if pyplot else own(**options)
    figure.get_layout_engine().set(w_pad=0.12, h_pad=0.12)  # inches around all of it
    return figure
