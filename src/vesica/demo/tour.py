"""A tour of the world: its files scored, compared and checked by the functions that everybody has."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import vesica
from vesica.demo.annotators import ANNOTATORS
from vesica.demo.files import EXPORT, EXPORT_FIXED
from vesica.demo.kinds import CLASSES, VOID
from vesica.errors import MissingExtra
from vesica.io.assignments import assigned

if TYPE_CHECKING:
    from vesica.agreement.result import AgreementResult
    from vesica.comparison import Comparison
    from vesica.detection.result import DetectionResult
    from vesica.diagnose.diagnosis import Diagnosis
    from vesica.diagnose.repair import Repaired
    from vesica.segmentation.result import SegmentationResult

STEPS = ("eval", "compare", "seg", "agree", "check")


@dataclass(frozen=True)
class Tour:
    """What was found; None for what needs a package that is not installed, which `missing` tells."""

    detection: DetectionResult
    comparison: Comparison
    segmentation: SegmentationResult | None
    agreement: AgreementResult
    diagnosis: Diagnosis
    repaired: Repaired | None
    missing: tuple[str, ...]

    @property
    def results(self) -> list[Any]:
        """In the order of the pages of a report."""
        found = (self.detection, self.comparison, self.segmentation, self.agreement)
        return [result for result in found if result is not None]


def tour(folder: Path, done: Callable[[], None], /) -> Tour:
    """Each step on the files of a folder; `done` is called after each."""
    truth, a, b = (folder / name for name in ("truth.json", "a.json", "b.json"))
    missing: list[str] = []
    slices = _columns(folder / "meta.csv")
    detection = vesica.evaluate(truth, b, slices=slices, details=True)
    done()
    comparison = vesica.compare(truth, {"a": a, "b": b}, slices=slices)
    done()
    segmentation = _segmentation(folder / "maps", missing)
    done()
    people = {one.name: vesica.read(folder / "annotators" / f"{one.name}.json") for one in ANNOTATORS}
    marked = assigned(vesica.Dataset.of_annotators(people), folder / "assignments.csv")
    agreement = vesica.evaluate_agreement(marked)
    done()
    diagnosis = vesica.check(folder / EXPORT, against=truth)
    is_sure = any(one.repair is not None for one in diagnosis)
    repaired = diagnosis.fix(folder / EXPORT_FIXED) if is_sure else None
    findings = tuple(replace(one, file=EXPORT) for one in diagnosis)  # wherever the folder is
    done()
    return Tour(
        detection,
        comparison,
        segmentation,
        agreement,
        replace(diagnosis, findings=findings),
        repaired,
        tuple(missing),
    )


def _segmentation(maps: Path, missing: list[str]) -> SegmentationResult | None:
    try:
        return vesica.evaluate_segmentation(maps / "truth", maps / "b", categories=list(CLASSES), ignore=VOID)
    except MissingExtra as error:
        missing.append(str(error))
        return None


def _columns(path: Path) -> dict[str, dict[str, str]]:
    """For each column but the first a dict of image → value, as `slices=` takes it."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    return {name: {row[0]: row[k] for row in rows[1:]} for k, name in enumerate(rows[0]) if k}
