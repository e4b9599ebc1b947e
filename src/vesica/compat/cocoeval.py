"""Scores of a detector, under the names of `pycocotools.cocoeval`."""

from __future__ import annotations

import copy
import datetime
import itertools
import time
from collections import defaultdict
from typing import Any

import numpy as np

from vesica._check import compat as check
from vesica.compat import engine, mask, summary
from vesica.compat.params import Params

__all__ = ["COCOeval", "Params"]


class COCOeval:
    """Average precision and recall of guesses, in the steps, the printed lines and the numbers of pycocotools.

    The steps are `evaluate`, `accumulate` and `summarize`. Between them `params` may be changed, and `evalImgs` may be
    replaced or joined with those of other workers; `computeIoU` and `evaluateImg` may be overridden. Annotations are
    not written to: what pycocotools adds to them ("ignore", "_ignore", masks of polygons) goes into copies.

    Keypoints are not scored. Numbers follow pycocotools where that is odd: a truth with the id 0 is never found, an
    "ignore" in the file counts for nothing, and without 100 in `params.maxDets` the first number is −1.

    Parameters
    ----------
    cocoGt, cocoDt : COCO
        Truths and guesses.
    iouType : {"segm", "bbox"}

    Examples
    --------
    >>> from vesica.compat.coco import COCO, COCOeval
    >>> truth = COCO()
    >>> box = {"image_id": 1, "category_id": 1, "bbox": [10, 10, 20, 20]}
    >>> truth.dataset = {
    ...     "images": [{"id": 1, "height": 60, "width": 60}],
    ...     "categories": [{"id": 1, "name": "cat"}],
    ...     "annotations": [{**box, "id": 1, "area": 400, "iscrowd": 0}],
    ... }
    >>> truth.createIndex()
    creating index...
    index created!
    >>> guess = truth.loadRes([{**box, "score": 0.9}])  # doctest: +ELLIPSIS
    Loading and preparing results...
    DONE (t=...s)
    creating index...
    index created!
    >>> scores = COCOeval(truth, guess, "bbox")
    >>> scores.evaluate()  # doctest: +ELLIPSIS
    Running per image evaluation...
    Evaluate annotation type *bbox*
    DONE (t=...s).
    >>> scores.accumulate()  # doctest: +ELLIPSIS
    Accumulating evaluation results...
    DONE (t=...s).
    >>> scores.eval["recall"].shape
    (10, 1, 4, 3)
    """

    def __init__(self, cocoGt: Any = None, cocoDt: Any = None, iouType: str = "segm") -> None:
        self.cocoGt, self.cocoDt = cocoGt, cocoDt
        self.params = Params(iouType)
        self._paramsEval: Any = {}
        self._gts: defaultdict[Any, list[Any]] = defaultdict(list)
        self._dts: defaultdict[Any, list[Any]] = defaultdict(list)
        self.ious: Any = {}
        self.evalImgs: Any = []
        self.eval: dict[str, Any] = {}
        self.stats: Any = []
        if cocoGt is not None:
            self.params.imgIds = sorted(cocoGt.getImgIds())
            self.params.catIds = sorted(cocoGt.getCatIds())

    def evaluate(self) -> None:
        """Match the guesses of every image and category: fills `ious` and `evalImgs`."""
        start = time.time()
        print("Running per image evaluation...")
        p = self.params
        if p.useSegm is not None:
            p.iouType = "segm" if p.useSegm == 1 else "bbox"
            print(f"useSegm (deprecated) is not None. Running {p.iouType} evaluation")
        print(f"Evaluate annotation type *{p.iouType}*")
        check.iou_type(p.iouType)
        p.imgIds = list(np.unique(p.imgIds))
        if p.useCats:
            p.catIds = list(np.unique(p.catIds))
        p.maxDets = sorted(p.maxDets)

        self._prepare()
        categories = p.catIds if p.useCats else [-1]
        self.ious = {cell: self.computeIoU(*cell) for cell in itertools.product(p.imgIds, categories)}
        self.evalImgs = [
            self.evaluateImg(image, category, area, p.maxDets[-1])
            for category, area, image in itertools.product(categories, p.areaRng, p.imgIds)
        ]
        self._paramsEval = copy.deepcopy(p)
        print(f"DONE (t={time.time() - start:0.2f}s).")

    def _prepare(self) -> None:
        """Sort truths and guesses into cells: `_gts` and `_dts`, by image and category."""
        p = self.params
        chosen = {"imgIds": p.imgIds, "catIds": p.catIds} if p.useCats else {"imgIds": p.imgIds}
        self._gts, self._dts = (self._cells(side, chosen) for side in (self.cocoGt, self.cocoDt))
        for truths in self._gts.values():
            for truth in truths:
                truth["ignore"] = int(bool(truth.get("iscrowd")))
        self.evalImgs, self.eval = [], {}

    def _cells(self, side: Any, chosen: dict[str, Any]) -> defaultdict[Any, list[Any]]:
        cells: defaultdict[Any, list[Any]] = defaultdict(list)
        for row in side.loadAnns(side.getAnnIds(**chosen)):
            own = dict(row)
            if self.params.iouType == "segm":
                own["segmentation"] = side.annToRLE(row)
            cells[row["image_id"], row["category_id"]].append(own)
        return cells

    def _cell(self, imgId: Any, catId: Any) -> tuple[list[Any], list[Any]]:
        """Truths and guesses, best score first. Without categories, those of all categories one behind the other."""
        categories = [catId] if self.params.useCats else self.params.catIds
        truths, guesses = (
            [row for category in categories for row in cells.get((imgId, category), ())]
            for cells in (self._gts, self._dts)
        )
        order = np.argsort([-guess["score"] for guess in guesses], kind="stable")
        return truths, [guesses[k] for k in order]

    def computeIoU(self, imgId: Any, catId: Any) -> Any:
        """Overlaps of one cell: guesses, best score first up to the largest cap, × truths; [] if either is empty."""
        p = self.params
        truths, guesses = self._cell(imgId, catId)
        key = {"segm": "segmentation", "bbox": "bbox"}[check.iou_type(p.iouType)]
        guesses = guesses[: p.maxDets[-1]]
        crowd = [int(truth["iscrowd"]) for truth in truths]
        return mask.iou([guess[key] for guess in guesses], [truth[key] for truth in truths], crowd)

    def computeOks(self, imgId: Any, catId: Any) -> Any:
        raise check.no_keypoints()

    def evaluateImg(self, imgId: Any, catId: Any, aRng: Any, maxDet: int) -> dict[str, Any] | None:
        """Matches of one cell in one area range, for all thresholds; None if it has neither truths nor guesses."""
        truths, guesses = self._cell(imgId, catId)
        if not truths and not guesses:
            return None
        low, high = aRng
        for truth in truths:
            truth["_ignore"] = int(bool(truth["ignore"]) or truth["area"] < low or truth["area"] > high)
        order = np.argsort([truth["_ignore"] for truth in truths], kind="stable")
        truths, guesses = [truths[k] for k in order], guesses[:maxDet]
        overlaps = self.ious[imgId, catId]
        overlaps = np.asarray(overlaps)[:, order].tolist() if len(overlaps) else []
        guess_ids, truth_ids = [guess["id"] for guess in guesses], [truth["id"] for truth in truths]
        ignored = [truth["_ignore"] for truth in truths]
        crowd = [int(truth["iscrowd"]) for truth in truths]

        found = engine.match(overlaps, guess_ids, truth_ids, ignored, crowd, self.params.iouThrs)

        outside = np.array([guess["area"] < low or guess["area"] > high for guess in guesses], bool)
        return {
            "image_id": imgId,
            "category_id": catId,
            "aRng": aRng,
            "maxDet": maxDet,
            "dtIds": guess_ids,
            "gtIds": truth_ids,
            "dtMatches": found.of_guess,
            "gtMatches": found.of_truth,
            "dtScores": [guess["score"] for guess in guesses],
            "gtIgnore": np.array(ignored),
            "dtIgnore": found.ignored | ((found.of_guess == 0) & outside),
        }

    def accumulate(self, p: Any = None) -> None:
        """Curves of all cells in `evalImgs`: fills `eval`."""
        print("Accumulating evaluation results...")
        start = time.time()
        check.evaluated(len(self.evalImgs) > 0)
        p = self.params if p is None else p
        p.catIds = p.catIds if p.useCats == 1 else [-1]

        found = engine.accumulate(self.evalImgs, p, self._paramsEval, p.catIds)

        self.eval = {
            "params": p,
            "counts": [*found.precision.shape],
            "date": datetime.datetime.now().strftime("%Y-%m-%d %H:%M:%S"),
            "precision": found.precision,
            "recall": found.recall,
            "scores": found.scores,
        }
        print(f"DONE (t={time.time() - start:0.2f}s).")

    def summarize(self) -> None:
        """Print the twelve numbers and keep them in `stats`."""
        check.accumulated(self.eval)
        values = []
        for row in summary.rows(self.params.maxDets):
            values.append(summary.mean(row, self.eval, self.params))
            print(summary.line(row, values[-1], self.params))
        self.stats = np.array(values)

    def __str__(self) -> str:
        self.summarize()
        return ""
