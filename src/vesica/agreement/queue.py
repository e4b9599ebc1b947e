"""The review queue: the images that lost most, with reasons, and not all of one kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from vesica._check import agreement as check
from vesica.agreement.image_table import Reason, reasons_of
from vesica.agreement.ledger import TYPES
from vesica.agreement.tables import labels_of

if TYPE_CHECKING:
    from vesica.agreement.records import AgreementRecords
    from vesica.agreement.result import AgreementResult


class Queued(NamedTuple):
    """An image that is worth a look."""

    image: Any
    lost: float
    """What its annotators lost, or what they lost to that which was asked for."""
    reasons: tuple[Reason, ...]
    batch: Any = None

    @property
    def text(self) -> str:
        """The reasons in words."""
        return "; ".join(map(str, self.reasons))


def queue_of(result: AgreementResult, count: int, /, *, by: Mapping[str, Any], per_group: int | None) -> list[Queued]:
    """At most `count` images, by falling loss, then by id."""
    records = result.records
    check.queue(count, per_group)
    lost = _lost(records, by)
    order = [place for place in np.lexsort((np.arange(len(lost)), -lost)).tolist() if lost[place] > 0]
    batches = [None] * len(lost) if records.batch is None else records.batch.tolist()
    ids, taken, found = records.images.tolist(), Counter[tuple[Any, ...]](), list[Queued]()
    for place, reasons in zip(order, reasons_of(records, np.array(order, np.int64)), strict=True):
        kind = (batches[place], reasons[0].type, reasons[0].annotator)
        taken[kind] += 1
        if per_group is None or taken[kind] <= per_group:
            found.append(Queued(ids[place], float(lost[place]), tuple(reasons), batches[place]))
            if len(found) == count:
                break
    return found


def _lost(records: AgreementRecords, by: Mapping[str, Any]) -> np.ndarray:
    """What each image lost to what was asked for; of an annotator, in the pairs that they are in."""
    lines, scenes = records.lines, records.scenes
    kept = ~scenes.is_self[lines.scene]
    known = {
        "type": list(TYPES),
        "category": labels_of(records).tolist(),
        "annotator": records.annotators.tolist(),
    }
    for name, value in by.items():
        check.one_of(name, known, "by")
        place = check.listed_in(value, known[name], name)
        if name == "annotator":
            kept &= (scenes.a[lines.scene] == place) | (scenes.b[lines.scene] == place)
        else:
            kept &= getattr(lines, name) == place
    rows = np.flatnonzero(kept)
    image = scenes.image[lines.scene[rows]]
    return np.bincount(image, weights=lines.amount[rows], minlength=len(records.images))
