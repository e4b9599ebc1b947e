"""Change: the same images before a review and after it, whose annotations may have been drawn again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from vesica._check import change as check
from vesica.agreement.tables import rate
from vesica.results.result import Note, Result
from vesica.results.tables import Table
from vesica.statistics.intervals import percentile_interval
from vesica.statistics.resampling import bootstrap, keys_of

if TYPE_CHECKING:
    from vesica.agreement.result import AgreementResult


@dataclass(frozen=True, eq=False, repr=False)
class Change(Result):
    """Agreement of two results in the images that both have, and what each of these gained.

    Numbers: `before`, `after`, `change`, and both ends of its interval, `lo` and `hi`: the same images are drawn again
    on both sides.

    Attributes
    ----------
    images : Table
        One row for an image, the largest gain first: `lost_before`, `lost_after`, `gained`, and both agreements.
    means : the numbers of the mapping
    """

    images: Table
    means: Mapping[str, float]
    notes: tuple[Note, ...] = ()

    @property
    def summary(self) -> Mapping[str, float]:
        """The numbers by their names; NaN for one that is not defined."""
        return self.means

    @property
    def headline(self) -> str:
        """How many images were compared."""
        return f"change: {len(self.images):,} images that both results have"

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        return {"summary": self.numbers, "images": list(self.images), "notes": [vars(note) for note in self.notes]}


def change_between(before: AgreementResult, after: AgreementResult, /) -> Change:
    """What became of the images of one result in another, such as after a review; they meet by id.

    Both must be of one policy: else the change would be that of the rules.
    """
    check.one_policy(before.policy, after.policy)
    ids, places = _shared(before, after)
    tables = [result.images() for result in (before, after)]
    lost = [table["lost"][where] for table, where in zip(tables, places, strict=True)]
    agreement = [table["agreement"][where] for table, where in zip(tables, places, strict=True)]
    gained = lost[0] - lost[1]
    order = np.lexsort((np.arange(len(ids)), -gained))
    columns = {
        "image": ids,
        "lost_before": lost[0],
        "lost_after": lost[1],
        "gained": gained,
        "agreement_before": agreement[0],
        "agreement_after": agreement[1],
    }
    left = [len(result.records.images) - len(ids) for result in (before, after)]
    texts = (
        "images of the result before are not in the one after",
        "images of the result after are not in the one before",
    )
    notes = tuple(Note("images", count, text) for count, text in zip(left, texts, strict=True) if count)
    return Change(
        Table({name: column[order] for name, column in columns.items()}), _means(before, after, places, ids), notes
    )


def _shared(before: AgreementResult, after: AgreementResult) -> tuple[np.ndarray, list[np.ndarray]]:
    """The ids of the images that both have, and where they are on each side."""
    where = {id: place for place, id in enumerate(after.records.images.tolist())}
    pairs = [(place, where[id]) for place, id in enumerate(before.records.images.tolist()) if id in where]
    check.some_images(len(pairs))
    first, second = (np.array(side, np.int64) for side in zip(*pairs, strict=True))
    return before.records.images[first], [first, second]


def _means(
    before: AgreementResult, after: AgreementResult, places: list[np.ndarray], ids: np.ndarray
) -> dict[str, float]:
    """Agreement of both in these images, and the change with its interval."""
    sums = [result.image_sums("agreement")[where] for result, where in zip((before, after), places, strict=True)]
    table = np.concatenate(sums, axis=1)
    policy = before.policy
    values = bootstrap(table, _changes, keys=keys_of(ids), seed=policy.seed, replicates=policy.replicates)
    ends = percentile_interval(values, level=policy.level)
    whole = table.sum(axis=0)[None]
    first, second = (float(rate(whole[:, k], whole[:, k + 1])[0]) for k in (0, 2))
    nan = float("nan")
    lo, hi = (nan if end is None else end for end in (ends.lo, ends.hi))
    return {"before": first, "after": second, "change": second - first, "lo": lo, "hi": hi}


def _changes(sums: np.ndarray) -> np.ndarray:
    return np.asarray(rate(sums[:, 2], sums[:, 3]) - rate(sums[:, 0], sums[:, 1]))
