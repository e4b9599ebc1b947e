"""From results to the text of a file: parts, headline, pages, gallery, and what fits."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from vesica.report import gallery, headline, provenance
from vesica.report.document import Document, html_of
from vesica.report.views import Page, Part

PARTS = {
    "DetectionResult": ("detection", "detection"),
    "SegmentationResult": ("segmentation", "segmentation"),
    "PanopticResult": ("segmentation", "panoptic"),
    "SurfaceResult": ("segmentation", "surfaces"),
    "AgreementResult": ("agreement", "agreement"),
    "PixelAgreementResult": ("agreement", "agreement"),
    "Comparison": ("comparison", "comparison"),
}
"""By the class of a result the module whose `part_of(result, key)` makes its part, and the key of its page.

Of a result that is not named here `plain.part_of` shows numbers and tables.
"""


def assembled(
    results: Sequence[Any],
    /,
    *,
    images: Any,
    title: str | None,
    most: int,
    embed: str,
    gates: Sequence[Any],
    findings: Sequence[Any],
    files: Sequence[Any],
    maps: Any = None,
) -> tuple[str, gallery.LeftOut]:
    """The text of a file of at most so many bytes, and what was left out of it."""
    parts = _parts(results, maps, images if embed == "embed" else None)
    first = headline.page_of(parts, gates=gates, findings=findings)
    pages: list[Page] = [first, *(part.page for part in parts), *(part.data for part in parts if part.data)]
    pages.append(provenance.page_of(parts, files=files))
    document = Document(
        title=title or f"Report: {', '.join(part.page.title.lower() for part in parts)}",
        sentence="",
        pages=tuple(page for page in pages if page.blocks),
        items={part.page.key: part.items for part in parts},
        rows={part.page.key: part.rows for part in parts},
        left_out=tuple(line for part in parts for line in part.left_out),
        footer=provenance.footer(),
        legend={part.page.key: part.legend for part in parts},
        swatches=tuple(dict.fromkeys(one for part in parts for one in part.swatches)),
    )
    return gallery.fitted(document, html_of, images=images, embed=embed, most=most)


def _parts(results: Sequence[Any], maps: Any, images: Any) -> list[Part]:
    """Each result by the module that knows its kind; two of a kind have keys of their own."""
    found: list[Part] = []
    used: dict[str, int] = {}
    for result in results:
        module, key = PARTS.get(type(result).__name__, ("plain", "result"))
        used[key] = used.get(key, 0) + 1
        own = key if used[key] == 1 else f"{key}-{used[key]}"
        more = {"segmentation": {"maps": maps, "images": images}, "comparison": {"images": images}}.get(module, {})
        part = importlib.import_module(f"vesica.report.{module}").part_of(result, own, **more)
        if used[key] > 1:
            part = replace(part, page=replace(part.page, title=f"{part.page.title} {used[key]}"))
        found.append(part)
    return _sharing(results, found)


def _sharing(results: Sequence[Any], parts: list[Part]) -> list[Part]:
    """Outlines of images whose label maps are shown on another page lead to these."""
    shown = {
        tuple(map(str, result.counts.ids.tolist())): part.page.key
        for result, part in zip(results, parts, strict=True)
        if type(result).__name__ == "SegmentationResult" and part.items
    }
    found = []
    for result, part in zip(results, parts, strict=True):
        page = type(result).__name__ == "SurfaceResult" and shown.get(tuple(map(str, result.images)))
        found.append(replace(part, page=replace(part.page, asks=page), rows=()) if page else part)
    return found
