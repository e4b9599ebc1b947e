"""Real photographs, annotated by people and by detectors, with sums that pycocotools 2.0.11 found.

The files lie beside the repository, in shared/data. Where they do not, these cases do not exist.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.case import Case, Traffic
from benchmarks.cases_masks import Images, Rle, size_of_runs

DATA = Path(__file__).resolve().parent.parent.parent / "shared" / "data"


@dataclass(frozen=True)
class RecordedCase(Case):
    """Masks against masks, photograph by photograph; without `other` against themselves."""

    read: Callable[[Path], dict[Any, list[Rle]]]
    file: str
    sum: float
    other: str | None = None

    @property
    def is_present(self) -> bool:
        return all((DATA / file).exists() for file in (self.file, self.other) if file)

    @property
    def recorded(self) -> float:
        return self.sum

    def tables(self) -> tuple[Images, Images]:
        a = self.read(DATA / self.file)
        b = self.read(DATA / self.other) if self.other else a
        images = [key for key in a if a[key] and b.get(key)]
        return [a[key] for key in images], [b[key] for key in images]

    def traffic(self, a: Images, b: Images, answer: int) -> Traffic:
        return Traffic(size_of_runs(a, b), answer)


def _annotated(path: Path) -> dict[int, list[Rle]]:
    """Polygons, and the runs of crowds, made equal runs for everyone."""
    from pycocotools.mask import frPyObjects, merge

    told = json.loads(path.read_text())
    sizes = {image["id"]: (image["height"], image["width"]) for image in told["images"]}
    masks: dict[int, list[Rle]] = {image: [] for image in sizes}
    for annotation in told["annotations"]:
        image, shape = annotation["image_id"], annotation["segmentation"]
        made = frPyObjects(shape, *sizes[image])
        masks[image].append(merge(made) if isinstance(shape, list) else made)
    return masks


def _detected(path: Path) -> dict[int, list[Rle]]:
    told = json.loads(path.read_text())
    return {image["image_id"]: [_bytes(**guess["mask"]) for guess in image["dets"]] for image in told["images"]}


def _nuclei(path: Path) -> dict[str, list[Rle]]:
    told = json.loads(path.read_text())
    return {image["id"]: [_bytes(image["size"], counts) for counts in image["rle"]] for image in told["images"]}


def _bytes(size: list[int], counts: str) -> Rle:
    return {"size": size, "counts": counts.encode()}


RECORDED_SETS = (
    RecordedCase("coco100", _annotated, "coco100/instances_val2014_100.json", 863.294070197),
    RecordedCase("coco_mini", _annotated, "coco_mini/instances_val2017.json", 649.323414384),
    RecordedCase("lvis100", _annotated, "lvis100/lvis_val_100.json", 1022.897185172),
    RecordedCase("yolact", _detected, "yolact/yolact_base.json", 3000.248566907, other="yolact/yolact_resnet50.json"),
    RecordedCase("nuclei", _nuclei, "nuclei/stage1_train_rle.json", 28986.026500723),
)
RECORDED_NAMES = tuple(case.name for case in RECORDED_SETS)
RECORDED_CASES = tuple(case for case in RECORDED_SETS if case.is_present)
