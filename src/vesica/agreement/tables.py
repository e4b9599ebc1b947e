"""Tables: what records say of annotators, classes, images and objects, as tidy columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from vesica._array import objects
from vesica.agreement.tallies import Tallies
from vesica.results.tables import Table

if TYPE_CHECKING:
    from vesica.agreement.records import AgreementRecords

COUNTS = ("n_a", "n_b", "n_matched", "n_label_differs")
NONE = "none"
"""What stands for the label of an object that one side did not draw."""

Resample = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray, int], tuple[np.ndarray, np.ndarray]]
"""Cells, images, numerators and denominators of rows, and how many cells there are: both ends of their intervals."""


class Cells(NamedTuple):
    """Which cell of a table each row belongs to, and what each cell is."""

    of: np.ndarray
    number: int
    columns: dict[str, np.ndarray]


def pairs_table(
    records: AgreementRecords, tallies: Tallies, by: Sequence[str], alpha: np.ndarray | None, resample: Resample | None
) -> Table:
    """One row for two annotators, and each category and size bin where `by` asks for them."""
    scenes = records.scenes
    others = ~scenes.is_self[tallies.scene]
    rows = np.flatnonzero(others)
    people, pair_of = annotator_pairs(records)
    cells = _cells(records, tallies, rows, pair_of, len(people), by)
    sums = _sums(tallies, rows, cells)
    of_pair = cells.columns.pop("pair")
    empty, asked = _empty_scenes(records, pair_of, len(people))
    images = asked[of_pair] if not by else _different(cells, scenes.image[tallies.scene[rows]], len(records.images))
    columns: dict[str, np.ndarray] = {
        "annotator_a": records.annotators[people[of_pair, 0]],
        "annotator_b": records.annotators[people[of_pair, 1]],
        **cells.columns,
        "n_images": images,
        **({} if by else {"both_empty": empty[of_pair]}),
        **_rates(sums),
    }
    if alpha is not None and not by:
        columns["alpha"] = alpha
    return Table(_with_ends(columns, records, tallies, rows, cells, resample))


def classes_table(
    records: AgreementRecords, tallies: Tallies, alpha: np.ndarray | None, resample: Resample | None
) -> Table:
    """One row for a category, over all pairs of annotators."""
    scenes = records.scenes
    rows = np.flatnonzero(~scenes.is_self[tallies.scene])
    cells = Cells(tallies.category[rows], len(records.categories), {})
    sums = _sums(tallies, rows, cells)
    columns = {
        "category": labels_of(records),
        "n_images": _different(cells, scenes.image[tallies.scene[rows]], len(records.images)),
        **_rates(sums),
        "mean_dice": rate(sums["sum_dice"], sums["n_matched"]),
        "most_confused_with": _most_confused(records, tallies, rows),
        "status": np.where(sums["units"] > 0, "ok", "absent").astype(object),
    }
    if alpha is not None:
        columns["alpha"] = alpha
    return Table(_with_ends(columns, records, tallies, rows, cells, resample))


def confusion_table(records: AgreementRecords, tallies: Tallies, symmetric: bool) -> Table:
    """How often each label of a met each of b, for two annotators; "none" where one of them drew nothing."""
    people, pair_of = annotator_pairs(records)
    kinds = len(records.categories)
    scene, a, b = _both_labels(records, tallies)
    pair = pair_of[scene]
    if symmetric:
        a, b, pair = np.concatenate([a, b]), np.concatenate([b, a]), np.concatenate([pair, pair])
    codes, count = np.unique((pair * (kinds + 1) + a) * (kinds + 1) + b, return_counts=True)
    rest, label_b = np.divmod(codes, kinds + 1)
    which, label_a = np.divmod(rest, kinds + 1)
    names = objects([*labels_of(records).tolist(), NONE])
    return Table(
        {
            "annotator_a": records.annotators[people[which, 0]],
            "annotator_b": records.annotators[people[which, 1]],
            "category_a": names[label_a],
            "category_b": names[label_b],
            "count": count,
        }
    )


def confusion_matrix(records: AgreementRecords, tallies: Tallies) -> np.ndarray:
    """(K + 1, K + 1) int64 over all pairs of annotators, each counted both ways; the last ones are `NONE`."""
    _, a, b = _both_labels(records, tallies)
    counts = np.zeros((len(records.categories) + 1,) * 2, np.int64)
    np.add.at(counts, (a, b), 1)
    both: np.ndarray = counts + counts.T
    return both


def _both_labels(records: AgreementRecords, tallies: Tallies) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of objects of two annotators the scene, and the label that each gave; K for one who drew nothing."""
    rows = np.flatnonzero(~records.scenes.is_self[tallies.scene])
    a, b = (
        np.where(side[rows] >= 0, records.category[side[rows]] if len(records) else 0, len(records.categories))
        for side in (tallies.a, tallies.b)
    )
    return tallies.scene[rows], a, b


def matches_table(records: AgreementRecords, tallies: Tallies) -> Table:
    """One row for a matched pair, or for an object that only one of two annotators drew: partner, margin and
    alternative of both."""
    scenes = records.scenes
    order = np.lexsort((tallies.b, tallies.a, tallies.scene))
    scene = tallies.scene[order]
    columns: dict[str, np.ndarray] = {
        "image": records.images[scenes.image[scene]],
        "annotator_a": records.annotators[scenes.a[scene]],
        "annotator_b": records.annotators[scenes.b[scene]],
    }
    if len(np.unique(records.asked_round)) > 1:
        columns |= {"round_a": scenes.round_a[scene], "round_b": scenes.round_b[scene]}
    names = labels_of(records)
    for side, rows in (("a", tallies.a[order]), ("b", tallies.b[order])):
        outcomes, own = (records.left, scenes.left) if side == "a" else (records.right, scenes.right)
        place = _place_in_side(own.scene, own.row, scene, rows, len(records))
        columns[f"annotation_{side}"] = taken_or_none(records.id, rows)
        columns[f"category_{side}"] = taken_or_none(names, np.where(rows >= 0, _at(records.category, rows), -1))
        columns[f"alternative_{side}"] = taken_or_none(
            records.id, np.where(place >= 0, _at(outcomes.alternative, place), -1)
        )
        columns[f"margin_{side}"] = np.where(place >= 0, _at(outcomes.margin, place), np.nan)
    columns["iou"] = np.where((tallies.a[order] >= 0) & (tallies.b[order] >= 0), tallies.iou[order], np.nan)
    return Table(columns)


def _place_in_side(scenes: np.ndarray, rows: np.ndarray, scene: np.ndarray, row: np.ndarray, count: int) -> np.ndarray:
    """Where each object stands in a side, −1 for none; both go by scene, then row."""
    place = np.searchsorted(scenes * (count + 1) + rows, scene * (count + 1) + row)
    return np.where(row >= 0, place, -1)


# Sums and rates.


def annotator_pairs(records: AgreementRecords) -> tuple[np.ndarray, np.ndarray]:
    """(Q, 2) all pairs of annotators who were asked for one image, rising; and which each scene is of, −1 if of one."""
    scenes, people = records.scenes, len(records.annotators)
    code = np.where(scenes.is_self, -1, scenes.a * max(people, 1) + scenes.b)
    codes = np.unique(code[code >= 0])
    pair_of = np.where(code >= 0, np.searchsorted(codes, code), -1)
    return np.stack(np.divmod(codes, max(people, 1)), axis=1), pair_of


def _cells(
    records: AgreementRecords, tallies: Tallies, rows: np.ndarray, pair_of: np.ndarray, pairs: int, by: Sequence[str]
) -> Cells:
    """The cells of a table of pairs: all pairs; with `by`, those that something is in."""
    pair = pair_of[tallies.scene[rows]]
    if not by:
        return Cells(pair, pairs, {"pair": np.arange(pairs)})
    bins = records.policy.size_bins
    columns = {
        "category": (tallies.category[rows], len(records.categories)),
        "size_bin": (tallies.size[rows], len(bins)),
    }
    code = pair
    for name in by:
        code = code * columns[name][1] + columns[name][0]
    codes, of = np.unique(code, return_inverse=True)
    named: dict[str, np.ndarray] = {}
    labels = {"category": labels_of(records), "size_bin": objects(bins)}
    for name in reversed(by):
        codes, place = np.divmod(codes, columns[name][1])
        named[name] = labels[name][place]
    return Cells(of.reshape(-1), len(codes), {"pair": codes, **{name: named[name] for name in by}})


def _sums(tallies: Tallies, rows: np.ndarray, cells: Cells) -> dict[str, np.ndarray]:
    found = {
        name: np.bincount(cells.of, weights=column[rows], minlength=cells.number)
        for name, column in tallies.sums.items()
    }
    return found | {name: found[name].astype(np.int64) for name in COUNTS}


def _rates(sums: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Counts and sums of cells, and what is made of them."""
    shown = {name: sums[name] for name in (*COUNTS, "sum_iou", "credit", "units")}
    return {
        **shown,
        "agreement": rate(sums["credit"], sums["units"]),
        "f1": rate(sums["n_matched"] - sums["n_label_differs"], sums["units"]),
        "mean_iou": rate(sums["sum_iou"], sums["n_matched"]),
    }


def _with_ends(
    columns: dict[str, np.ndarray],
    records: AgreementRecords,
    tallies: Tallies,
    rows: np.ndarray,
    cells: Cells,
    resample: Resample | None,
) -> dict[str, np.ndarray]:
    """The columns with both ends of the interval of agreement behind it."""
    if resample is None:
        return columns
    image, sums = records.scenes.image[tallies.scene[rows]], tallies.sums
    lo, hi = resample(cells.of, image, sums["credit"][rows], sums["units"][rows], cells.number)
    found: dict[str, np.ndarray] = {}
    for name, column in columns.items():
        found[name] = column
        if name == "agreement":
            found |= {"lo": lo, "hi": hi}
    return found


def rate(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """NaN where there is nothing to divide by: a rate of nothing is not defined."""
    out = np.full(np.shape(whole), np.nan)
    found: np.ndarray = np.divide(part, whole, out=out, where=np.asarray(whole) != 0)
    return found


def _empty_scenes(records: AgreementRecords, pair_of: np.ndarray, pairs: int) -> tuple[np.ndarray, np.ndarray]:
    """Of two annotators how many image pairs both left empty, and how many there are."""
    scenes = records.scenes
    drawn = np.zeros(len(scenes), bool)
    drawn[scenes.left.scene] = drawn[scenes.right.scene] = True
    others = pair_of >= 0
    return (
        np.bincount(pair_of[others & ~drawn], minlength=pairs),
        np.bincount(pair_of[others], minlength=pairs),
    )


def _different(cells: Cells, image: np.ndarray, images: int) -> np.ndarray:
    """In how many images each cell has something."""
    codes = np.unique(cells.of * max(images, 1) + image)
    return np.bincount(codes // max(images, 1), minlength=cells.number)


def _most_confused(records: AgreementRecords, tallies: Tallies, rows: np.ndarray) -> np.ndarray:
    """The other label that each category was most often taken for, by either side; among equals the first."""
    kinds = len(records.categories)
    pairs = rows[tallies.differs[rows]]
    a, b = records.category[tallies.a[pairs]], records.category[tallies.b[pairs]]
    codes, count = np.unique(np.concatenate([a * kinds + b, b * kinds + a]), return_counts=True)
    one, other = np.divmod(codes, max(kinds, 1))
    order = np.lexsort((other, -count, one))
    first = order[np.flatnonzero(np.diff(one[order], prepend=-1))]
    found = np.full(kinds, None, object)
    found[one[first]] = labels_of(records)[other[first]]
    return found


def labels_of(records: AgreementRecords) -> np.ndarray:
    """What categories are called, as objects; the id of one without a name."""
    ids, names = records.categories.ids.tolist(), records.categories.names
    told = (
        ids if names is None else [id if name is None else name for id, name in zip(ids, names.tolist(), strict=True)]
    )
    return objects(told)


def _at(column: np.ndarray, places: np.ndarray) -> np.ndarray:
    """A column at places, of which those below 0 stand for nothing; any value comes there."""
    return column[places] if len(column) else np.zeros(len(places), column.dtype)


def taken_or_none(column: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Values as objects, None at places below 0."""
    found: np.ndarray = objects([*column.tolist(), None])[places]
    return found
