"""The page of the demo: numbers, curves and pictures of one result, in one file without a script."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from string import Template
from typing import Any, NamedTuple

import numpy as np

from vesica.dataset import Dataset
from vesica.detection import Curve, DetectionResult

IOU = 0.5
"""Where guesses of pictures and curves are right."""
_THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.9)
_PICTURES, _LOOKED_AT = 6, 200
_CAPTIONS = {
    "AP": "average precision, mean over IoU 0.50 to 0.95",
    "AP50": "at IoU 0.50",
    "AP75": "at IoU 0.75",
    "APs": "small, up to 32²",
    "APm": "medium",
    "APl": "large, from 96²",
    "AR1": "recall, 1 guess an image",
    "AR10": "10 guesses",
    "AR100": "100 guesses",
    "ARs": "recall of small",
    "ARm": "of medium",
    "ARl": "of large",
}


def page_of(result: DetectionResult, truth: Dataset, guess: Dataset, maps: Mapping[str, str], /) -> str:
    """The whole page; `maps` are the parts about label maps."""
    pooled = result.curve(iou=IOU)
    best, crowds = pooled.best_f1, int(_crowds(truth).sum())
    cut = 0.0 if best is None else best.score
    at = "" if best is None else f"F1 is highest, {best.f1:.3f}, if guesses from a score of {best.score:g} on are kept."
    objects = f"{len(truth) - crowds:,} truths and {crowds:,} crowds"
    template = Path(__file__).with_suffix(".html").read_text(encoding="utf-8")
    return Template(template).substitute(
        summary=f"{len(truth.images):,} images, {objects}, {len(guess):,} guesses, {len(truth.categories)} categories.",
        tiles="".join(_tile(name, value) for name, value in result.numbers.items()),
        classes=_classes(result, cut),
        cut=f"{cut:g}",
        by_threshold=_by_threshold(result),
        by_score=_by_score(pooled),
        best=escape(at),
        curves="".join(_small(name, result, place) for place, name in enumerate(result.categories)),
        pictures="".join(_pictures(result, truth, guess, cut)),
        **maps,
    )


def _tile(name: str, value: float | None) -> str:
    shown = "–" if value is None else f"{value:.3f}"
    return f'<div class="tile"><b>{shown}</b><span>{name}</span><small>{_CAPTIONS.get(name, "")}</small></div>'


def _classes(result: DetectionResult, cut: float) -> str:
    """A row for each category, best first, with its AP as a bar."""
    counts = result.counts(iou=IOU, min_score=cut)
    rows = [row | {"tp": tp, "fp": fp, "fn": fn} for row, tp, fp, fn in zip(result.per_class(), *counts, strict=True)]
    return "".join(_class(row) for row in sorted(rows, key=lambda row: -(row["AP"] or 0)))


def _class(row: dict[str, Any]) -> str:
    values = "".join(f"<td>{'–' if row[name] is None else f'{row[name]:.3f}'}</td>" for name in ("AP", "AP50", "AP75"))
    counts = "".join(f"<td>{row[name]:,}</td>" for name in ("truths", "tp", "fp", "fn"))
    widths = (100 * (row[name] or 0) for name in ("AP50", "AP"))
    bar = '<i style="width:{:.1f}%"></i><b style="width:{:.1f}%"></b>'.format(*widths)
    return f'<tr><th>{escape(str(row["category"]))}</th><td class="bar">{bar}</td>{values}{counts}</tr>'


class Chart(NamedTuple):
    """A square of 0 to 1 in both directions, drawn in pixels of its own."""

    width: float
    height: float
    left: float = 50
    low: float = 34

    def x(self, value: float) -> float:
        return self.left + value * (self.width - self.left - 14)

    def y(self, value: float) -> float:
        return 10 + (1 - value) * (self.height - 10 - self.low)

    def line(self, xs: Iterable[float], ys: Iterable[float], kind: str) -> str:
        points = " ".join(f"{self.x(x):.1f},{self.y(y):.1f}" for x, y in zip(xs, ys, strict=True))
        return f'<polyline class="{kind}" points="{points}"/>'

    def text(self, x: float, y: float, words: str, kind: str = "", *, dx: float = 0, dy: float = 0) -> str:
        return f'<text class="{kind}" x="{self.x(x) + dx:.1f}" y="{self.y(y) + dy:.1f}">{escape(words)}</text>'

    def frame(self, across: str, up: str) -> str:
        """The grid and its numbers."""
        marks = (0, 0.25, 0.5, 0.75, 1)
        across_all, up_all = (f"H{self.x(1):.1f}", f"V{self.y(1):.1f}")
        lines = (f"M{self.x(0):.1f} {self.y(m):.1f}{across_all}M{self.x(m):.1f} {self.y(0):.1f}{up_all}" for m in marks)
        parts = [f'<path class="grid" d="{"".join(lines)}"/>']
        parts += [self.text(m, 0, f"{m:g}", "middle", dy=16) for m in marks]
        parts += [self.text(0, m, f"{m:g}", "end", dx=-6, dy=4) for m in marks[1:]]
        parts += [self.text(0.5, 0, across, "middle", dy=31)]
        if up:
            x, y = 10, self.y(0.5)
            parts.append(
                f'<text class="middle" x="{x}" y="{y:.1f}" transform="rotate(-90 {x} {y:.1f})">{escape(up)}</text>'
            )
        return "".join(parts)

    def draw(self, label: str, *parts: str) -> str:
        inside = "".join(parts)
        return f'<svg viewBox="0 0 {self.width} {self.height}" role="img" aria-label="{escape(label)}">{inside}</svg>'


_LARGE, _SMALL = Chart(460, 330), Chart(220, 150, left=10, low=10)


def _by_threshold(result: DetectionResult) -> str:
    """The mean precision of all categories at each recall: the area below is AP at that threshold."""
    recalls = result.protocol.recalls
    lines = []
    for place, threshold in enumerate(_THRESHOLDS):
        at = [abs(t - threshold) < 1e-9 for t in result.protocol.iou].index(True)
        there = result.precision[at, :, :, 0, -1]
        there = there[:, there[0] > -1]
        mean = there.mean(axis=1) if there.size else np.zeros(len(recalls))
        lines.append(_LARGE.line(recalls, mean.tolist(), f"pr t{place}"))
        words = f"{threshold:.2f}   {mean.mean():.3f}"
        lines.append(_LARGE.text(1, 1, words, f"key t{place}", dx=-10, dy=34 + 16 * place))
    head = _LARGE.text(1, 1, "IoU      AP", "key", dx=-10, dy=17)
    return _LARGE.draw("Precision against recall at five thresholds", _LARGE.frame("recall", "precision"), *lines, head)


_WORDS = {"precision": (0.62, 0, 22), "recall": (0.6, -26, 14), "f1": (0.72, 18, -4)}
"""Where the name of a line stands: at which score, and how far from it."""


def _by_score(curve: Curve) -> str:
    """Precision, recall and F1 of all guesses from a score on."""
    grid = np.linspace(0, 1, 101)
    last = np.searchsorted(-curve.score, -grid, side="right") - 1
    xs, places = grid[last >= 0], last[last >= 0]
    parts = []
    for name in ("precision", "recall", "f1"):
        ys = np.nan_to_num(getattr(curve, name)[places])
        parts.append(_LARGE.line(xs.tolist(), ys.tolist(), name))
        if len(xs):
            at, dx, dy = _WORDS[name]
            k = int(np.argmin(np.abs(xs - at)))
            parts.append(_LARGE.text(float(xs[k]), float(ys[k]), name.replace("f", "F"), f"{name} word", dx=dx, dy=dy))
    best = curve.best_f1
    if best is not None:
        x, y = _LARGE.x(best.score), _LARGE.y(best.f1)
        parts.append(f'<path class="drop" d="M{x:.1f} {y:.1f}V{_LARGE.y(0):.1f}"/>')
        parts.append(f'<circle class="best" cx="{x:.1f}" cy="{y:.1f}" r="5"/>')
        parts.append(_LARGE.text(best.score, 0, f"best F1 {best.f1:.3f} at {best.score:g}", "best word", dx=8, dy=-10))
    return _LARGE.draw("Precision, recall and F1 against the score", _LARGE.frame("score", ""), *parts)


def _small(name: Any, result: DetectionResult, place: int) -> str:
    """The curves of one category at two thresholds."""
    recalls, lines = result.protocol.recalls, []
    for kind, at in (("t0", 0), ("t2 dashed", 5)):
        values = np.maximum(result.precision[at, :, place, 0, -1], 0)
        lines.append(_SMALL.line(recalls, values.tolist(), f"pr {kind}"))
    box = f'<path class="grid" d="M{_SMALL.x(0)} {_SMALL.y(1)}V{_SMALL.y(0)}H{_SMALL.x(1)}"/>'
    chart = _SMALL.draw(f"Precision against recall of {name}", box, *lines)
    return f'<div class="small"><p>{escape(str(name))}</p>{chart}</div>'


def _pictures(result: DetectionResult, truth: Dataset, guess: Dataset, cut: float) -> Iterable[str]:
    """Images in which much of different kinds happens come first."""
    assert guess.score is not None
    pairs = result.pairs(iou=IOU)
    shown = guess.score >= cut
    kept = shown[pairs.guess]
    of_truth = np.where(_crowds(truth), "crowd", "missed")
    of_truth[pairs.truth[kept & pairs.counts]] = "truth"
    of_guess = np.full(len(guess), "wrong")
    of_guess[pairs.guess] = np.where(pairs.counts, "right", "crowd")
    drawings = []
    for place in range(min(len(truth.images), _LOOKED_AT)):
        mine = guess.images.ids[guess.image] == truth.images.ids[place]
        rows = [_Drawn(truth, row, str(of_truth[row])) for row in np.flatnonzero(truth.image == place).tolist()]
        rows += [_Drawn(guess, row, str(of_guess[row])) for row in np.flatnonzero(mine & shown).tolist()]
        kinds = [row.kind for row in rows]
        drawings.append(((-len(set(kinds)), len(kinds), place), rows))
    names = dict(zip(truth.categories.ids.tolist(), result.categories, strict=True))
    chosen = sorted(drawings, key=lambda drawing: drawing[0])[:_PICTURES]
    return (_picture(key[2], rows, truth, names) for key, rows in chosen)


def _crowds(truth: Dataset) -> np.ndarray:
    return np.zeros(len(truth), bool) if truth.crowd is None else truth.crowd


class _Drawn(NamedTuple):
    """A row of a data set, and what became of it."""

    data: Dataset
    row: int
    kind: str

    def label(self, names: dict[Any, Any]) -> str:
        name = names[self.data.categories.ids[self.data.category[self.row]]]
        if self.data.score is not None:
            return f"{name} {self.data.score[self.row]:.2f}"
        return str(name) if self.kind == "missed" else ""


def _picture(place: int, rows: Sequence[_Drawn], truth: Dataset, names: dict[Any, Any]) -> str:
    images = truth.images
    assert images.width is not None
    assert images.height is not None
    width, height = int(images.width[place]), int(images.height[place])
    boxes = "".join(_box(row) for row in rows)
    words = "".join(_words(row, row.label(names), width) for row in rows)
    kinds = [row.kind for row in rows]
    told = ", ".join(f"{kinds.count(kind)} {kind}" for kind in ("right", "wrong", "missed") if kind in kinds)
    caption = f"<figcaption>image {escape(str(images.ids[place]))}: {told or 'nothing'}</figcaption>"
    return f'<figure><svg viewBox="0 0 {width} {height}">{boxes}{words}</svg>{caption}</figure>'


def _box(drawn: _Drawn) -> str:
    assert drawn.data.xywh is not None
    x, y, width, height = drawn.data.xywh[drawn.row].tolist()
    return f'<rect class="{drawn.kind}" x="{x}" y="{y}" width="{width}" height="{height}"/>'


def _words(drawn: _Drawn, label: str, width: int) -> str:
    """The label above its box, and inside the picture."""
    assert drawn.data.xywh is not None
    x, y, *_ = drawn.data.xywh[drawn.row].tolist()
    at = min(x + 2, width - 9.5 * len(label))
    return f'<text class="{drawn.kind}" x="{at:.1f}" y="{max(y - 5, 16):.1f}">{escape(label)}</text>' if label else ""
