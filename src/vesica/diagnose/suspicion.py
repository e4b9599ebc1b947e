"""Suspicion: is it worth a look? Whatever is asked here costs next to nothing, so that every score can ask it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from vesica.detection.records import is_tally

if TYPE_CHECKING:
    from vesica.detection.result import DetectionResult
    from vesica.diagnose.inputs import Side

READ_WRONGLY = frozenset(
    (
        *("boxes-layout", "axes-swapped", "boxes-normalised", "boxes-percent", "frame-letterbox", "negative-size"),
        *("categories-shifted", "categories-permuted", "categories-unknown", "images-shifted", "images-unknown"),
    )
)
"""Codes of findings for which a score is refused: numbers and ids that do not mean what they were read as."""
LITTLE = 0.5
"""Of truths, those that a detector has found at IoU 0.5, if nothing is wrong with its file as a rule."""


def is_low(result: DetectionResult, /) -> bool:
    """Were few truths found, at the lowest threshold? So a weak model does, and every file that is read wrongly."""
    records = result.records
    area = records.protocol.whole or 0
    if is_tally(records):
        enough = LITTLE * int(records.positives[:, area].sum())
        return int(records.found.sum()) < enough
    enough = LITTLE * int(records.counted[:, area].sum())
    return records.found_in(0, area, enough=enough) < enough


def looks_odd(side: Side, /) -> bool:
    """Do many boxes leave their image, or end where none should? Told without another file, if sizes are known."""
    from vesica.diagnose import edges, leaving  # late: `is_low` needs neither

    rows = side.looked_at
    sizes = side.sizes_at(rows)
    if not (sizes > 0).all(axis=1).any():
        return False
    with np.errstate(all="ignore"):
        return leaving.leave_share(side.corners_at(rows), sizes) >= leaving.OFTEN or any(edges.findings(side))


def look_at_files(guess: Any, truth: Any, /, *, by_class: bool = True) -> None:
    """Raise for two files of which one seems to be read wrongly."""
    from vesica._check import diagnose as check
    from vesica.diagnose.examination import examined
    from vesica.diagnose.files import Said, checked
    from vesica.errors import InputError

    try:
        ours = checked(truth, Said()).side
        theirs = checked(guess, Said(), ours).side
    except InputError:  # of a format that is to be read with more than its path
        return
    found = examined(theirs, ours, by_class=by_class).findings
    check.read_rightly([one for one in found if one.severity == "error" and one.code in READ_WRONGLY], guess, truth)
