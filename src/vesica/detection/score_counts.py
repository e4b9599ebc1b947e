"""Score counts: right and wrong guesses by bins of their score, instead of guesses; and AP from them, in bounds.

In a bin the order of guesses is unknown. With all wrong ones first precision is the lowest that it can be at every
recall, with all right ones first the highest; so the exact AP lies between, whatever the order was.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from vesica._check import score_counts as check
from vesica.dataset import Categories
from vesica.dataset.ids import rising, together
from vesica.detection.curves import EPSILON, Arrays, arrays_of
from vesica.detection.protocol import Protocol
from vesica.detection.records import Records
from vesica.detection.summary import lines_of, value_of
from vesica.results import container

_KIND = container.Kind("score counts", b"VESICA score counts\n", version=1)


@dataclass(frozen=True, eq=False)
class Bounds(Mapping[str, "tuple[float, float]"]):
    """The numbers of a protocol, each with the lowest and the highest value that it can have; NaN where it has none.

    Examples
    --------
    >>> bounds = Bounds({"AP": (0.25, 0.5)})
    >>> bounds["AP"], bounds.widest
    ((0.25, 0.5), 0.25)
    """

    numbers: Mapping[str, tuple[float, float]]

    def __getitem__(self, name: str) -> tuple[float, float]:
        return self.numbers[name]

    def __iter__(self) -> Any:
        return iter(self.numbers)

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def widest(self) -> float:
        """The largest distance between two bounds."""
        return max((high - low for low, high in self.numbers.values() if low == low), default=0.0)

    def __str__(self) -> str:
        return "\n".join(f"{name:<6} {low:.6f} to {high:.6f}" for name, (low, high) in self.numbers.items())


@dataclass(frozen=True, eq=False)
class ScoreCounts:
    """How many guesses of each category and bin are right and wrong, in every lane of `Records`.

    Attributes
    ----------
    protocol, categories, images : as of `Records`
    bins : how many bins there are between the scores 0 and 1; what is beyond counts to the first or last
    category, bin : (N,) int32: of each row, rising by category, and falling by bin
    right, wrong : (N, L): guesses that count, by lane, as the smallest signed integers that hold them
    guesses : (K,) int64: of each category
    positives : (K, A) int64: truths to be found
    found : (T, K, A, M) int64: truths that are found within each limit of guesses; so recalls are exact
    """

    protocol: Protocol
    categories: Categories
    images: np.ndarray
    bins: int
    category: np.ndarray
    bin: np.ndarray
    right: np.ndarray
    wrong: np.ndarray
    guesses: np.ndarray
    positives: np.ndarray
    found: np.ndarray

    def __len__(self) -> int:
        return len(self.bin)

    def __repr__(self) -> str:
        return f"ScoreCounts({int(self.guesses.sum())} guesses in {self.bins} bins, {len(self.images)} images)"

    def bounds(self) -> Bounds:
        """The numbers of the protocol: AP in bounds that hold the exact one, AR exactly.

        >>> import vesica
        >>> truth = [{"boxes": [[0, 0, 4, 4], [6, 6, 9, 9]], "labels": [1, 1]}]
        >>> boxes = [[0, 0, 4, 4], [20, 20, 24, 24], [6, 6, 9, 9]]
        >>> guess = [{"boxes": boxes, "labels": [1, 1, 1], "scores": [0.9, 0.62, 0.61]}]
        >>> result = vesica.evaluate(truth, guess)
        >>> low, high = counts_by_score(result.records, bins=4).bounds()["AP"]
        >>> low <= result["AP"] <= high, round(low, 3), round(result["AP"], 3), round(high, 3)
        (True, 0.835, 0.835, 1.0)
        """
        check.recall_points(self.protocol.rules.average_precision, self.protocol.name)
        ends = [_summary(self, self._arrays(first)) for first in ("wrong", "right")]
        return Bounds({name: (ends[0][name], ends[1][name]) for name in ends[0]})

    def _arrays(self, first: str) -> Arrays:
        """Precision as it is where in each bin all wrong guesses, or all right ones, come first."""
        thresholds, areas = len(self.protocol.iou), len(self.protocol.areas)
        recalls, count = np.array(self.protocol.recalls), len(self.categories)
        precision = np.full((thresholds, len(recalls), count, areas, 1), -1.0)
        begins = np.searchsorted(self.category, np.arange(count + 1))
        for k in range(count):
            rows = slice(begins[k], begins[k + 1])
            right = np.cumsum(self.right[rows], axis=0)
            before = np.cumsum(self.wrong[rows], axis=0) - (self.wrong[rows] if first == "right" else 0)
            # Within a bin precision rises from one right guess to the next: its best is at the last one.
            share = right / ((before + right) + EPSILON)
            best = np.where(self.right[rows] > 0, share, 0.0)
            best = np.maximum.accumulate(best[::-1], axis=0)[::-1]
            for area in range(areas):
                positives = int(self.positives[k, area])
                if positives:
                    need = _needed(recalls, positives)
                    for threshold in range(thresholds):
                        lane = area * thresholds + threshold
                        at = _at(right[:, lane], best[:, lane], need, bool(self.guesses[k]))
                        precision[threshold, :, k, area, 0] = at
        with np.errstate(invalid="ignore", divide="ignore"):
            recall = np.where(self.positives[:, :, None] > 0, self.found / self.positives[:, :, None], -1.0)
        return Arrays(precision, recall, None)

    def to_bytes(self) -> bytes:
        """All of it as bytes that every later version of the same format reads."""
        header = {
            "protocol": asdict(self.protocol),
            "digest": self.protocol.digest,
            "categories": {name: container.listed(column) for name, column in vars(self.categories).items()},
            "images": self.images.tolist(),
            "bins": self.bins,
        }
        return container.to_bytes(_KIND, header, {name: getattr(self, name) for name in _COLUMNS})

    @classmethod
    def from_bytes(cls, data: bytes, /) -> ScoreCounts:
        """What `to_bytes` gave. Damage, other formats and other versions are errors."""
        from vesica.detection.records import protocol_in

        header, columns = container.from_bytes(_KIND, data)
        with container.readable(_KIND):
            protocol = protocol_in(header)
            tables: dict[str, Any] = {key: container.column_of(one) for key, one in header["categories"].items()}
            categories = Categories(**tables)
            images = np.asarray(container.column_of(header["images"]))
            bins = check.bins(header["bins"])
            check.columns(columns, protocol, len(categories), bins)
        return cls(protocol, categories, images, bins, **columns)


_COLUMNS = ("category", "bin", "right", "wrong", "guesses", "positives", "found")


def counts_by_score(records: Records, /, *, bins: int = 4096) -> ScoreCounts:
    """What records count, by bins of the score: a few bytes for each bin that occurs, however many guesses there are.

    Parameters
    ----------
    records : Records
    bins : int, default 4096
        Between the scores 0 and 1. Bounds are about as far apart as a bin is wide.
    """
    width = check.bins(bins)
    bin = np.clip(np.floor(records.score * width), 0, width - 1).astype(np.int64)
    return _counted(records, bin, width)


def tie_bounds(records: Records, /) -> Bounds:
    """How far AP depends on the order of guesses with equal scores: a bin for each score that occurs."""
    known = np.unique(records.score)
    return _counted(records, np.searchsorted(known, records.score), max(len(known), 1)).bounds()


def _counted(records: Records, bin: np.ndarray, bins: int) -> ScoreCounts:
    protocol = records.protocol
    key = records.guess_category * bins + (bins - 1 - bin)  # rising by category, falling by score
    known, row = _numbered(key, len(records.categories) * bins)
    lanes = len(protocol.iou) * len(protocol.areas)
    room = _room(np.bincount(row, minlength=1).max())  # of a row no lane counts more than its guesses
    right, wrong = (np.zeros((len(known), lanes), room) for _ in range(2))
    for lane in range(lanes):
        area, threshold = divmod(lane, len(protocol.iou))
        matched, ignored = records.lane(threshold, area)
        right[:, lane] = np.bincount(row[matched & ~ignored], minlength=len(known))
        wrong[:, lane] = np.bincount(row[~matched & ~ignored], minlength=len(known))
    positives = records.positives
    recall = arrays_of(records, full=False).recall
    found = np.rint(np.maximum(recall, 0) * positives[:, :, None]).astype(np.int64)
    return ScoreCounts(
        protocol,
        records.categories,
        records.images,
        bins,
        (known // bins).astype(np.int32),
        (bins - 1 - known % bins).astype(np.int32),
        _narrow(right),
        _narrow(wrong),
        np.diff(records.bounds),
        positives,
        found,
    )


def _numbered(keys: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray]:
    """The keys that occur, rising, and the place of each among them: like `np.unique`, mostly without sorting."""
    if most > 8 * len(keys) + 1024:
        known, place = np.unique(keys, return_inverse=True)
        return known, place.reshape(-1)
    occurs = np.zeros(most, bool)
    occurs[keys] = True
    return np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[keys]


def merge_counts(*counts: ScoreCounts) -> ScoreCounts:
    """Counts of disjoint sets of images as one, the same whatever the order."""
    check.some(counts)
    first = counts[0]
    for other in counts[1:]:
        check.alike(first, other)
    ids, _ = rising(together([one.images for one in counts]))
    check.disjoint(ids)
    keys = [one.category.astype(np.int64) * first.bins + (first.bins - 1 - one.bin) for one in counts]
    known = np.unique(np.concatenate(keys))
    rows = [np.searchsorted(known, key) for key in keys]
    return ScoreCounts(
        first.protocol,
        first.categories,
        ids,
        first.bins,
        (known // first.bins).astype(np.int32),
        (first.bins - 1 - known % first.bins).astype(np.int32),
        _added([one.right for one in counts], rows, len(known)),
        _added([one.wrong for one in counts], rows, len(known)),
        *(sum(getattr(one, name) for one in counts[1:]) + getattr(first, name) for name in _COLUMNS[4:]),
    )


def _added(tables: Sequence[np.ndarray], rows: Sequence[np.ndarray], count: int) -> np.ndarray:
    """The sums of tables whose rows are these of so many."""
    total = np.zeros((count, tables[0].shape[1]), _room(sum(int(table.max(initial=0)) for table in tables)))
    for table, row in zip(tables, rows, strict=True):
        total[row] += table.astype(total.dtype, copy=False)  # no row twice in one table
    return _narrow(total)


def _room(most: int) -> np.dtype[Any]:
    """The smallest signed integers that hold a number: with millions of rows it is eight bytes or one."""
    return np.dtype(next((kind for kind in ("i1", "i2", "i4") if most <= np.iinfo(kind).max), "i8"))


def _narrow(table: np.ndarray) -> np.ndarray:
    """In the smallest integers, so that equal counts have equal bytes."""
    return table.astype(_room(int(table.max(initial=0))), copy=False)


def _needed(recalls: np.ndarray, positives: int) -> np.ndarray:
    """(R,) how many right guesses reach each recall: the first whose share, as a double, is not below it."""
    near = np.maximum(np.ceil(recalls * positives)[:, None] + [-1, 0, 1], 0)  # rounding may be off by one
    first = np.argmax(near / positives >= recalls[:, None], axis=1)
    found: np.ndarray = near[np.arange(len(near)), first].astype(np.int64)
    return found


def _at(right: np.ndarray, best: np.ndarray, need: np.ndarray, has_guesses: bool) -> np.ndarray:
    """Precision at each recall: the best from the guess on that reaches it; 0 from the first that is out of reach."""
    if not len(right):
        return np.zeros(len(need))
    where = np.searchsorted(right, np.maximum(need, 1))
    in_reach = np.logical_and.accumulate((need <= right[-1]) & has_guesses)
    found: np.ndarray = np.where(in_reach, best[np.minimum(np.where(need > 0, where, 0), len(best) - 1)], 0.0)
    return found


def _summary(counts: ScoreCounts, arrays: Arrays) -> dict[str, float]:
    made: Callable[[], Arrays] = lambda: arrays  # noqa: E731
    # A line asks what is counted for its protocol and its categories alone.
    return {line.name: value_of(line, counts, made) for line in lines_of(counts.protocol)}  # type: ignore[arg-type]
