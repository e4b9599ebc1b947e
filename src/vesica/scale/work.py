"""What a worker does: plain values and bytes in, bytes out. Nothing of ours is pickled."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

from vesica.errors import InputError, VesicaError


class Kind(NamedTuple):
    """One kind of records."""

    records: Callable[[dict[str, Any], dict[str, Any]], Any]
    """A part and options in, records out."""
    merge: Callable[..., Any]
    read: Callable[[bytes], Any]
    images: Callable[[Any], list[Any]]
    rows: Callable[[Any], int] = len
    """What throughput is told of: guesses, images or objects."""
    adds_up: bool = False
    """Several as one take hardly more room than one: so they are merged as they come, and never lie side by side."""


def _detection() -> Kind:
    from vesica.detection import Records, merge
    from vesica.scale.detection import records_of_part

    return Kind(records_of_part, merge, Records.from_bytes, lambda found: found.images.tolist())


def _sorted_runs() -> Kind:
    from vesica.detection.sorted_runs import SortedRun, merge_runs
    from vesica.scale.detection import run_of_part

    return Kind(run_of_part, merge_runs, SortedRun.from_bytes, lambda found: found.images.tolist())


def _bounds() -> Kind:
    from vesica.detection.score_counts import ScoreCounts, merge_counts
    from vesica.scale.detection import counts_of_part

    return Kind(
        counts_of_part,
        merge_counts,
        ScoreCounts.from_bytes,
        lambda found: found.images.tolist(),
        lambda found: int(found.guesses.sum()),
        adds_up=True,
    )


def _objects() -> Kind:
    from vesica.scale.objects import ObjectFiles, objects_of_part

    def merge(*parts: ObjectFiles) -> ObjectFiles:
        raise NotImplementedError("each part has its own files")

    return Kind(objects_of_part, merge, ObjectFiles.from_bytes, lambda found: found.images.tolist())


def _segmentation() -> Kind:
    from vesica.scale.segmentation import result_of_part
    from vesica.segmentation.result import SegmentationResult

    return Kind(
        result_of_part,
        SegmentationResult.merge,
        SegmentationResult.from_bytes,
        lambda found: found.counts.ids.tolist(),
        lambda found: len(found.counts),
    )


def _agreement() -> Kind:
    from vesica.agreement.merging import merge
    from vesica.agreement.records import AgreementRecords
    from vesica.scale.agreement import records_of_part

    return Kind(records_of_part, merge, AgreementRecords.from_bytes, lambda found: found.images.tolist())


_KINDS: dict[str, Callable[[], Kind]] = {
    "detection": _detection,
    "sorted runs": _sorted_runs,
    "bounds": _bounds,
    "objects": _objects,
    "segmentation": _segmentation,
    "agreement": _agreement,
}


def adds_up(kind: str, /) -> bool:
    """Do records of several parts take hardly more room than those of one?"""
    return _KINDS[kind]().adds_up


def mapped(kind: str, part: dict[str, Any], options: dict[str, Any], /) -> tuple[bytes, bytes]:
    """What there is to know of a part's records at once, as JSON; and the records.

    An error of the input is an answer, so that the part is not tried again.
    """
    chosen = _KINDS[kind]()
    try:
        found = chosen.records(part, options)
    except (VesicaError, ValueError, TypeError) as error:
        return json.dumps({"error": _named(error, part)}).encode(), b""
    return json.dumps({"images": chosen.images(found), "rows": chosen.rows(found)}).encode(), found.to_bytes()


def _named(error: Exception, part: dict[str, Any]) -> str:
    """What went wrong, with the name of the part unless it is there already."""
    message = str(error)
    paths = [value for key, value in part.items() if key != "name" and isinstance(value, str)]
    return message if any(path in message for path in paths) else f"{part['name']}: {message}"


def merged(kind: str, options: dict[str, Any], /, *parts: bytes) -> tuple[bytes, bytes]:
    """Records of several parts as one."""
    chosen = _KINDS[kind]()
    try:
        found = chosen.merge(*(chosen.read(part) for part in parts), **options)
    except (VesicaError, ValueError, TypeError) as error:
        return json.dumps({"error": str(error)}).encode(), b""
    return b"{}", found.to_bytes()


def joined(kind: str, options: dict[str, Any], parts: Sequence[bytes], /, *, threads: int) -> Any:
    """Records of all parts as one, for the process that asked: they are not made bytes again."""
    chosen = _KINDS[kind]()
    try:
        with ThreadPoolExecutor(threads) as pool:
            found = list(pool.map(chosen.read, parts))
        return found[0] if len(found) == 1 else chosen.merge(*found, **options)
    except (VesicaError, ValueError, TypeError) as error:
        raise error if isinstance(error, InputError) else InputError(str(error)) from error
