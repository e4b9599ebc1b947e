"""The images that annotators agree on least."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from vesica._check import plot as check
from vesica.agreement.ledger import TYPES
from vesica.plot.marks import mark
from vesica.plot.theme import NAME, THEMES, Theme, axes_of, named, plain_frame, rows_named, titled, told

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HATCHES = ("", "////", "....", "\\\\\\\\", "xx", "--", "oo", "++")


class _Image(NamedTuple):
    image: Any
    parts: dict[str, float]
    """What was lost, by type."""

    @property
    def lost(self) -> float:
        return sum(self.parts.values())


class _Found(NamedTuple):
    images: list[_Image]
    of: str
    """What the amounts are."""


def disputed(
    result: Any, /, *, most: int = 20, theme: Literal["light", "dark"] = "light", ax: Axes | None = None
) -> Axes:
    """Draw what annotators lost in each image, by type of disagreement, the most first.

    Amounts are those of the ledger: an object that only one of two drew is half a unit, and a matched pair loses what
    its credit lacks of 1. Of label maps there is one amount, what the mIoU of an image lacks.

    Parameters
    ----------
    result : of `evaluate_agreement`
    most : int
        Images that are drawn.
    theme : {"light", "dark"}
    ax : matplotlib Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> import vesica
    >>> sides = [[[0, 0, 4, 4], [0, 0, 4, 4]], [[0, 0, 4, 4], [0, 0, 4, 3]]]
    >>> ann, ben = (vesica.Dataset.from_arrays(own, image=["a", "b"], category=["cat"] * 2) for own in sides)
    >>> ax = vesica.plot.disputed(vesica.evaluate_agreement({"ann": ann, "ben": ben}))
    >>> [text.get_text() for text in ax.get_yticklabels()], float(ax.patches[0].get_width())
    (['b'], 0.25)
    """
    found: _Found = check.one_kind(result, _READERS)(result)
    colours = THEMES[check.theme(theme)]
    most = check.at_most(most, "most")

    shown = found.images[:most]
    ax = axes_of(ax, colours, size=(6.4, 1.9 + 0.26 * max(3, len(shown))))
    plain_frame(ax, colours, grid="x")
    types = [name for name in (*TYPES, found.of) if any(one.parts.get(name) for one in shown)]
    starts = np.zeros(len(shown))
    for number, name in enumerate(types):
        widths = np.array([one.parts.get(name, 0.0) for one in shown])
        look = _look(colours, number)
        bars = ax.barh(np.arange(len(shown)), widths, left=starts, height=0.7, label=name, **look)
        for bar, one in zip(bars, shown, strict=True):
            if bar.get_width():
                mark(ax, bar, image=one.image, **({} if name == found.of else {"type": name}))
        starts = starts + widths
    for place, one in enumerate(shown):
        ax.annotate(f"{one.lost:.2f}", (one.lost, place), xytext=(4, 0), textcoords="offset points", va="center",
                    fontsize=NAME, color=colours.ink)  # fmt: skip
    rows_named(ax, colours, np.arange(len(shown)), [one.image for one in shown])
    ax.set_ylim(max(len(shown), 1) - 0.5, -0.5)
    ax.set_xlim(0, max([0.01, *(one.lost for one in shown)]) * (1.16 if len(types) < 2 else 1.5))
    if len(types) > 1:
        told(ax, colours, loc="lower right")
    named(ax, colours, found.of, "")
    titled(ax, colours, "Most disputed images", _sentence(found, len(shown)))
    return ax


def _look(colours: Theme, number: int) -> dict[str, Any]:
    """Colour and hatching of a type."""
    look: dict[str, Any] = {"color": (colours.wrong, colours.missed, *colours.kinds[3:], colours.soft)[number % 6]}
    return look | ({"hatch": HATCHES[number % 8], "edgecolor": colours.page, "linewidth": 0} if number else {})


def _sentence(found: _Found, shown: int) -> str:
    if not found.images:
        return "in no image does anybody differ"
    total, seen = (sum(one.lost for one in some) for some in (found.images, found.images[:shown]))
    images = "this image has" if shown == 1 else f"these {shown:,} have"
    return f"{images} {100 * seen / total:.0f} % of what {len(found.images):,} images lose"


def _of_objects(result: Any) -> _Found:
    lines, scenes = result.records.lines, result.records.scenes
    rows = np.flatnonzero(~scenes.is_self[lines.scene] & (lines.amount > 0))
    parts: dict[int, dict[str, float]] = {}
    for image, kind, amount in zip(
        scenes.image[lines.scene[rows]].tolist(), lines.type[rows].tolist(), lines.amount[rows].tolist(), strict=True
    ):
        own = parts.setdefault(image, {})
        own[TYPES[kind]] = own.get(TYPES[kind], 0.0) + amount
    ids = result.records.images.tolist()
    images = [_Image(ids[place], own) for place, own in sorted(parts.items())]
    return _Found(sorted(images, key=lambda one: -one.lost), "units lost, over all pairs of annotators")


def _of_maps(result: Any) -> _Found:
    of = "what mIoU lacks"
    rows = [row for row in result.by_image() if row["mIoU"] is not None and row["mIoU"] < 1]
    images = [_Image(row["image"], {of: 1 - row["mIoU"]}) for row in rows]
    return _Found(sorted(images, key=lambda one: -one.lost), of)


_READERS = {"AgreementResult": _of_objects, "PixelAgreementResult": _of_maps}
