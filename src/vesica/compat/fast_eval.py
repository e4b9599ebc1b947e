"""The way past the dicts: all cells matched by the kernels of `vesica.evaluate`, in all thresholds and areas at once.

It is taken where its answer is known to be pycocotools' to the last bit, and where no step was overridden. Elsewhere
the steps do the work, one cell at a time.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vesica._kernels.native.match_cells import Found
from vesica.compat.dict_columns import (
    Images,
    NoColumns,
    Row,
    by_category,
    has_all,
    has_masks,
    has_regions,
    inputs_of_dicts,
    protocol_of_params,
)
from vesica.compat.reference_eval import Cell, Curves
from vesica.detection.curves import arrays_of
from vesica.detection.inputs import Inputs, inputs_of
from vesica.detection.records import Records, found_of, match_inputs
from vesica.errors import InputError


@dataclass(frozen=True, eq=False)
class Shortcut:
    """Truths and guesses that were matched at once. Cells are made only when they are read."""

    rows: tuple[Any, Any]
    """Truths and guesses; or the two COCOs that have them, if all take part."""
    inputs: Inputs
    records: Records
    params: Any
    """As they were at the time."""

    def answers(self, params: Any) -> bool:
        """Are these still its parameters? Recalls may change."""
        mine, theirs = vars(self.params), vars(params)
        return mine.keys() == theirs.keys() and all(
            key == "recThrs" or np.array_equal(mine[key], theirs[key]) for key in mine
        )

    def curves(self, recall_points: Any) -> Curves:
        """Curves of all cells."""
        protocol = replace(self.records.protocol, recalls=tuple(map(float, recall_points)))
        found = arrays_of(replace(self.records, protocol=protocol))
        assert found.scores is not None
        return Curves(found.precision, found.recall, found.scores)

    def cells(self) -> list[Cell | None]:
        """Every cell, by category, area range, image; None where there is neither truth nor guess."""
        p = self.params
        found = found_of(self.inputs, self.records.protocol, partners=True, threads=None)
        rows = self._dicts()
        categories = p.catIds if p.useCats else [-1]
        category = np.repeat(np.arange(len(categories)), np.diff(found.starts))
        truths = self._truths_of(category, found.image)
        ends = np.cumsum(found.guesses).tolist()
        made: list[Cell | None] = [None] * (len(categories) * len(p.areaRng) * len(p.imgIds))
        for c, (k, image) in enumerate(zip(category.tolist(), found.image.tolist(), strict=True)):
            guesses = slice(ends[c - 1] if c else 0, ends[c])
            for a in range(len(p.areaRng)):
                place = (k * len(p.areaRng) + a) * len(p.imgIds) + image
                cell = self._cell(found, rows, guesses, truths[c], a)
                made[place] = {"image_id": p.imgIds[image], "category_id": categories[k], **cell}
        return made

    def _truths_of(self, category: np.ndarray, image: np.ndarray) -> list[np.ndarray]:
        """The rows of the truths of each cell, in order."""
        images, side = len(self.params.imgIds), self.inputs.truths
        key = np.where((side.category < 0) | (side.image < 0), -1, side.category.astype(np.int64) * images + side.image)
        order = np.argsort(key, kind="stable")
        bounds = (np.searchsorted(key[order], category * images + image, side=end) for end in ("left", "right"))
        return [order[first:last] for first, last in zip(*(bound.tolist() for bound in bounds), strict=True)]

    def _dicts(self) -> tuple[list[Row], list[Row]]:
        """Truths and guesses as the inputs have them."""
        if isinstance(self.rows[0], list):
            return self.rows
        truths, guesses = (side.dataset["annotations"] for side in self.rows)
        for_truths, for_guesses = self.inputs.truth_rows, self.inputs.guess_rows
        return (
            truths if for_truths is None else [truths[k] for k in for_truths.tolist()],
            guesses if for_guesses is None else [guesses[k] for k in for_guesses.tolist()],
        )

    def _cell(
        self, found: Found, dicts: tuple[list[Row], list[Row]], guesses: slice, truths: np.ndarray, a: int
    ) -> Cell:
        """One cell in one range of areas."""
        p = self.params
        lanes, all_lanes = a * len(p.iouThrs) + np.arange(len(p.iouThrs)), len(p.areaRng) * len(p.iouThrs)
        off = self._ignored(truths, *p.areaRng[a])
        order = np.argsort(off, kind="stable")
        truths, off = truths[order], off[order]
        truth_ids = [dicts[0][k]["id"] for k in truths.tolist()]
        rows = [dicts[1][k] for k in found.row[guesses].tolist()]
        guess_ids = [row["id"] for row in rows]

        partner = found.partner.reshape(-1, all_lanes)[guesses, lanes].T
        of_guess, of_truth = np.zeros(partner.shape), np.zeros((len(lanes), len(truths)))
        t, d = np.nonzero(partner >= 0)
        if t.size:
            sorter = np.argsort(truths)
            at = sorter[np.searchsorted(truths, partner[t, d], sorter=sorter)]
            of_guess[t, d] = np.array(truth_ids, np.float64)[at]
            of_truth[t, at] = np.array(guess_ids, np.float64)[d]  # with a crowd the last guess stays
        words = found.ignored.reshape(-1, -(-all_lanes // 64))[guesses, lanes // 64].T
        return {
            "aRng": p.areaRng[a],
            "maxDet": p.maxDets[-1],
            "dtIds": guess_ids,
            "gtIds": truth_ids,
            "dtMatches": of_guess,
            "gtMatches": of_truth,
            "dtScores": [row["score"] for row in rows],
            "gtIgnore": off if len(off) else np.array([]),
            "dtIgnore": np.ascontiguousarray((words >> (lanes % 64).astype(np.uint64)[:, None]) & np.uint64(1)) != 0,
        }

    def _ignored(self, truths: np.ndarray, low: float, high: float) -> np.ndarray:
        area, ignore = self.inputs.truths.area[truths], self.inputs.truths.ignore
        outside = (area < low) | (area > high)
        flags: np.ndarray = (outside if ignore is None else outside | ignore[truths]).astype(np.int64)
        return flags


def shortcut_of(truths: list[Row], guesses: list[Row], images: tuple[Images, Images], params: Any) -> Shortcut | None:
    """The shortcut for these rows; None where only the long way is exact, or has the words for what is wrong."""
    params = copy.deepcopy(params)
    try:
        truths, guesses = (by_category(rows, params) for rows in (truths, guesses))
        inputs = inputs_of_dicts(truths, guesses, images, params)
        return Shortcut((truths, guesses), inputs, match_inputs(inputs, protocol_of_params(params)), params)
    except (NoColumns, InputError):
        return None


def shortcut_of_files(truth: Any, guess: Any, params: Any) -> Shortcut | None:
    """The shortcut for files of which no row has been read, if all their images and categories are asked for."""
    truths, guesses = (getattr(side, "columns", None) for side in (truth, guess))
    if truths is None or guesses is None or not has_all(truths, params):
        return None
    if not has_regions(truths, params) or not has_regions(guesses, params):
        return None
    if params.iouType == "segm" and not has_masks(guesses) and guess.may_have_null:
        return None
    params = copy.deepcopy(params)
    try:
        protocol = protocol_of_params(params)
        inputs = inputs_of(truths, guesses, protocol)
        if min(protocol.bars) <= 0:
            inputs = replace(inputs, plain=True)
        return Shortcut((truth, guess), inputs, match_inputs(inputs, protocol), params)
    except (NoColumns, InputError):
        return None
