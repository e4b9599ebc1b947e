"""Scores of a detector, under the names of `pycocotools.cocoeval`."""

from __future__ import annotations

import contextlib
import copy
import datetime
import functools
import itertools
import time
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np

from vesica._check import compat as check
from vesica.compat import keypoints, mask, reference_eval, summary
from vesica.compat.fast_eval import Shortcut, shortcut_of, shortcut_of_files
from vesica.compat.params import Params

__all__ = ["COCOeval", "Params"]


class COCOeval:
    """Average precision and recall of guesses, in the steps, the printed lines and the numbers of pycocotools.

    The steps are `evaluate`, `accumulate` and `summarize`. Between them `params` may be changed, and `evalImgs` may be
    replaced or joined with those of other workers; `computeIoU` and `evaluateImg` may be overridden. Annotations are
    not written to: what pycocotools adds to them ("ignore", "_ignore", masks of polygons) goes into copies. `evalImgs`
    and `ious` are filled when they are first read.

    Keypoints are not scored here: with "keypoints" the answer is pycocotools' own COCOeval, if that is installed.
    Numbers follow pycocotools where that is odd: a truth with the id 0 is never found, an
    "ignore" in the file counts for nothing, and without 100 in `params.maxDets` the first number is −1.

    Parameters
    ----------
    cocoGt, cocoDt : COCO
        Truths and guesses.
    iouType : {"segm", "bbox"}, or "keypoints"

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

    def __new__(cls, cocoGt: Any = None, cocoDt: Any = None, iouType: str = "segm") -> Any:
        """Of keypoints, an evaluation of pycocotools itself."""
        is_served = iouType == "keypoints" and cls is COCOeval
        return keypoints.evaluation(cocoGt, cocoDt, iouType) if is_served else super().__new__(cls)

    def __init__(self, cocoGt: Any = None, cocoDt: Any = None, iouType: str = "segm") -> None:
        self.cocoGt, self.cocoDt = cocoGt, cocoDt
        self.params = Params(check.iou_type(iouType))
        self._paramsEval: Any = {}
        self._shortcut: Shortcut | None = None
        self._gts, self._dts = defaultdict(list), defaultdict(list)
        self.ious, self.evalImgs = {}, []
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

        self._paramsEval = copy.deepcopy(p)
        self.eval = {}
        for name in ("_gts", "_dts", "ious", "evalImgs"):
            vars(self).pop(name, None)
        self._shortcut = None
        if not self._is_overridden():
            self._shortcut = shortcut_of_files(self.cocoGt, self.cocoDt, p) or self._shortcut_of_dicts()
        if self._shortcut is None:
            self._prepare()
            self.ious = self._overlaps()
            self.evalImgs = self._matches()
        print(f"DONE (t={time.time() - start:0.2f}s).")

    def _prepare(self) -> None:
        """Sort truths and guesses into cells: `_gts` and `_dts`, by image and category."""
        truths, guesses = self._rows()
        self._gts = self._cells(self.cocoGt, truths)
        self._dts = self._cells(self.cocoDt, guesses)
        for truth in itertools.chain.from_iterable(self._gts.values()):
            truth["ignore"] = int(bool(truth.get("iscrowd")))

    def _cells(self, coco: Any, rows: list[Any]) -> defaultdict[Any, list[Any]]:
        """Copies of the rows, by image and category."""
        cells: defaultdict[Any, list[Any]] = defaultdict(list)
        for row in rows:
            drawn = {"segmentation": coco.annToRLE(row)} if self.params.iouType == "segm" else {}
            cells[row["image_id"], row["category_id"]].append({**row, **drawn})
        return cells

    def _rows(self) -> tuple[list[Any], list[Any]]:
        """Truths and guesses of the images and categories that are asked for."""
        p = self.params
        asked = {"imgIds": p.imgIds, "catIds": p.catIds} if p.useCats else {"imgIds": p.imgIds}
        truths, guesses = (side.loadAnns(side.getAnnIds(**asked)) for side in (self.cocoGt, self.cocoDt))
        return truths, guesses

    def _shortcut_of_dicts(self) -> Shortcut | None:
        return shortcut_of(*self._rows(), (self.cocoGt.imgs, self.cocoDt.imgs), self.params)

    def _is_overridden(self) -> bool:
        """Is a step overridden, in a subclass or on this object?"""
        steps = ("_prepare", "computeIoU", "evaluateImg")
        return any(step in vars(self) or getattr(type(self), step) is not getattr(COCOeval, step) for step in steps)

    # Attributes not set since `evaluate` are computed when first read, with the parameters of that evaluation.

    @functools.cached_property
    def _gts(self) -> Any:
        return self._prepared("_gts")

    @functools.cached_property
    def _dts(self) -> Any:
        return self._prepared("_dts")

    @functools.cached_property
    def ious(self) -> Any:
        """Overlaps of every cell, by image and category."""
        with self._as_evaluated():
            return self._overlaps()

    @functools.cached_property
    def evalImgs(self) -> Any:
        """Matches of every cell, by category, area range and image."""
        assert self._shortcut is not None
        return self._shortcut.cells()

    def _overlaps(self) -> dict[Any, Any]:
        p = self.params
        cells = itertools.product(p.imgIds, p.catIds if p.useCats else [-1])
        return {cell: self.computeIoU(*cell) for cell in cells}

    def _matches(self) -> list[Any]:
        p = self.params
        cells = itertools.product(p.catIds if p.useCats else [-1], p.areaRng, p.imgIds)
        return [self.evaluateImg(image, category, area, p.maxDets[-1]) for category, area, image in cells]

    def _prepared(self, name: str) -> Any:
        with self._as_evaluated():
            self._prepare()
        return vars(self)[name]

    @contextlib.contextmanager
    def _as_evaluated(self) -> Iterator[None]:
        """With the parameters of the last evaluation."""
        params, self.params = self.params, self._paramsEval
        try:
            yield
        finally:
            self.params = params

    def _cell(self, imgId: Any, catId: Any) -> tuple[list[Any], list[Any]]:
        """Truths and guesses, best score first. Without categories, those of all categories one behind the other."""
        categories = [catId] if self.params.useCats else self.params.catIds
        truths, guesses = (
            [row for category in categories for row in cells.get((imgId, category), ())]
            for cells in (self._gts, self._dts)
        )
        if len(guesses) > 1:
            guesses = [guesses[k] for k in np.argsort([-guess["score"] for guess in guesses], kind="stable")]
        return truths, guesses

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

        found = reference_eval.match_cell(overlaps, guess_ids, truth_ids, ignored, crowd, self.params.iouThrs)

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
        p = self.params if p is None else p
        check.evaluated(self._paramsEval)
        is_untouched = self._shortcut is not None and "evalImgs" not in vars(self) and self._shortcut.answers(p)
        p.catIds = p.catIds if p.useCats == 1 else [-1]

        if self._shortcut is not None and is_untouched:
            found = self._shortcut.curves(p.recThrs)
        else:
            found = reference_eval.accumulate(self.evalImgs, p, self._paramsEval)

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
        for line in summary.lines(self.params.maxDets):
            values.append(summary.mean(line, self.eval, self.params))
            print(summary.text(line, values[-1], self.params))
        self.stats = np.array(values)

    def __str__(self) -> str:
        self.summarize()
        return ""
