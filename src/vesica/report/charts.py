"""Pictures of `plot` as parts of a page: one drawing for light and dark, with ids that no other chart has."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from vesica.plot.theme import DARK, LIGHT, Theme, alone, axes_of, unstyled
from vesica.report import escape
from vesica.report.views import Chart, Grid, Mark, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH = 5.0
"""Inches of a chart that stands beside another: its letters are readable on a phone, and not large beside text."""
_LOOK = {"svg.fonttype": "none", "svg.hashsalt": "vesica"}
_CELLS_HERE = "cells-here"


def variables() -> Mapping[str, tuple[str, str]]:
    """By the name of a variable of the style sheet its colour on light pages and on dark ones."""
    names = [*Theme._fields[:7], *(f"step{n}" for n in range(5)), *(f"kind{n}" for n in range(6))]
    light, dark = ([*theme[:7], *theme.steps, *theme.kinds] for theme in (LIGHT, DARK))
    return {name: colours for name, *colours in zip(names, light, dark, strict=True)}  # type: ignore[misc]


def chart(
    key: str,
    draw: Callable[[Axes], Any],
    /,
    *,
    height: float = 3.6,
    width: float = WIDTH,
    table: Table | None = None,
    marks: Callable[[Axes], Mapping[str, Mark]] | Mapping[str, Mark] | None = None,
    grid: Grid | None = None,
    title: str | None = None,
    sentence: str | None = None,
    is_wide: bool = False,
) -> Chart:
    """The chart that `draw` makes on the axes that it is given, by a function of `plot` or by several.

    Title and sentence are those of the picture, unless others are given. `marks` are by the gid of their artist; a
    function may set gids on what was drawn and answer the marks. A picture that is an image of cells
    (`imshow` with `theme.shades`) becomes cells with the ids "cell-row-column"; `grid` says where they lead.

    >>> from vesica import plot, evaluate
    >>> boxes = {"boxes": [[0, 0, 4, 4]], "labels": [1]}
    >>> result = evaluate([boxes], [{**boxes, "scores": [0.9]}])
    >>> made = chart("detection-ious", lambda ax: plot.ious(result, ax=ax))
    >>> made.title
    'How well matched pairs overlap'
    """
    with alone(), unstyled():
        ax = axes_of(None, LIGHT, size=(width, height))
        draw(ax)
        told = marks(ax) if callable(marks) else marks or {}
        own_title, own_sentence = _words(ax)
        name = own_title if title is None else title
        said = own_sentence if sentence is None else sentence
        return Chart(key, name, said, svg_of(ax, key, name=name, marks=told), table, told, grid, is_wide)


def svg_of(ax: Axes, key: str, /, *, name: str = "", marks: Mapping[str, Mark] | None = None) -> str:
    """The figure of axes as the text of an inline drawing: the same bytes each time, without style or metadata."""
    from matplotlib import rc_context
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    figure = ax.get_figure(root=True)
    assert figure is not None
    figure.set_dpi(72)
    figure.patch.set_visible(False)
    images = [image for image in ax.images if image.get_cmap().name == "shades"]
    for image in images:
        image.remove()
    ax.patch.set(gid=_CELLS_HERE, facecolor="none", edgecolor="none")
    out = io.BytesIO()
    with rc_context(_LOOK):
        # `savefig` would draw twice, the first time for the layout alone, which comes before any drawing as it is.
        FigureCanvasSVG(figure).print_svg(out, metadata={"Date": None, "Creator": None})
    drawing = _inline(out.getvalue().decode("utf-8"))
    cells = "".join(_cells(ax, image, figure.get_size_inches()[1] * 72) for image in images)
    drawing = re.sub(rf'<g id="{_CELLS_HERE}">.*?</g>', lambda _: cells, drawing, count=1, flags=re.S)
    drawing = _prefixed(drawing, key)
    for mark, (label, _) in (marks or {}).items():
        known = f'id="{key}-{mark}"'
        drawing = drawing.replace(known, f'{known} class="mark" aria-label="{escape.svg(label)}"', 1)
    role = "group" if marks or images else "img"
    return drawing.replace("<svg ", f'<svg role="{role}" aria-label="{escape.svg(name)}" ', 1)


def _words(ax: Axes) -> tuple[str, str]:
    """Takes the title and the sentence off a picture: a page writes them itself."""
    title = ax.get_title(loc="left").replace("\n", " ")
    ax.set_title("", loc="left")
    sentence = ""
    if title and ax.texts:
        sentence = ax.texts[-1].get_text().replace("\n", " ")
        ax.texts[-1].remove()
    return title, sentence


_COLOURS = {light: f"var(--{name})" for name, (light, _) in reversed(list(variables().items()))}


def _inline(drawing: str) -> str:
    """What stands inside a page: no head, no metadata, no style sheet, colours as variables, few digits."""
    drawing = drawing[drawing.index("<svg") :].rstrip()
    for unwanted in (r"<metadata>.*?</metadata>", r"<style[^>]*>.*?</style>", r"<defs>\s*</defs>"):
        drawing = re.sub(unwanted, "", drawing, flags=re.S)
    drawing = re.sub(r'<svg [^>]*?viewBox="([^"]*)"[^>]*>', r'<svg viewBox="\1">', drawing, count=1)
    drawing = re.sub(r'(?<= style=")[^"]*', lambda found: _style(found[0]), drawing)
    drawing = re.sub(r' (fill|stroke)="(#[0-9a-f]{6})"', lambda found: _attribute(*found.groups()), drawing)
    drawing = re.sub(r'(?<= d=")[^"]*', lambda found: _path(found[0]), drawing)
    drawing = re.sub(
        r'(?<= transform=")[^"]*', lambda found: _rounded(found[0].replace("rotate(-0 ", "rotate(0 ")), drawing
    )
    drawing = re.sub(r'(?<= (?:x|y)=")[-\d.]+(?=")', lambda found: _rounded(found[0]), drawing)
    return re.sub(r">\s*\n\s*<", "><", drawing)


def _style(style: str) -> str:
    style = re.sub(r"font-family: [^;]*;? ?", "", style)
    return re.sub(r"#[0-9a-f]{6}", lambda found: _COLOURS.get(found[0], found[0]), style)


def _attribute(name: str, colour: str) -> str:
    """Of hatches; variables belong into styles."""
    return f' style="{name}: {_COLOURS[colour]}"' if colour in _COLOURS else f' {name}="{colour}"'


def _path(path: str) -> str:
    return _rounded(re.sub(r"\s*\n\s*", "", path).replace("M ", "M").replace("L ", "L").strip())


def _rounded(numbers: str) -> str:
    return re.sub(r"-?\d+\.\d+", lambda found: f"{round(float(found[0]), 2):g}", numbers)


def _prefixed(drawing: str, key: str) -> str:
    """Two charts have about fifty ids in common; here each has its own."""
    drawing = re.sub(r'(?<= )id="', f'id="{key}-', drawing)
    drawing = drawing.replace("url(#", f"url(#{key}-")
    return drawing.replace('href="#', f'href="#{key}-')


def _cells(ax: Axes, image: Any, height: float) -> str:
    """The cells of an image as squares of one colour, each as far to be seen as its value is high."""
    from matplotlib.colors import to_hex

    values = np.ma.filled(np.ma.asarray(image.norm(image.get_array())).astype(float), 0.0)
    (x0, y0), (x1, y1) = ax.transData.transform([(-0.5, -0.5), (0.5, 0.5)])
    strong = to_hex(image.get_cmap()(1.0))
    place = f"translate({x0:.2f} {height - y0:.2f}) scale({x1 - x0:.4f} {y0 - y1:.4f})"
    squares = [
        f'<path id="cell-{row}-{column}" class="mark" d="M{column} {row}h1v1h-1z" fill-opacity="{value:.2g}"/>'
        for (row, column), value in np.ndenumerate(values)
        if value > 0
    ]
    return f'<g transform="{place}" style="fill: {_COLOURS.get(strong, strong)}">{"".join(squares)}</g>'
