"""Saved results: records of detection and agreement, results of segmentation, or the JSON of any of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from vesica.errors import InputError

if TYPE_CHECKING:
    from vesica.results.gates import Scores
    from vesica.results.resampling import Resampling
    from vesica.results.result import Result

MAGIC = b"VESICA "
"""What every file of bytes begins with."""


def is_saved(path: str | os.PathLike[str], /) -> bool:
    """Does a file hold the bytes of a result? What is no file does not."""
    if not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def saved_result(path: str | os.PathLike[str], /) -> Result:
    """The result that was saved as bytes."""
    from vesica.io.files import bytes_at

    found: Result = _named(path, lambda: result_of(bytes_at(os.fspath(path))))
    return found


def saved_scores(
    path: str | os.PathLike[str], /, *, part: str | None = None, resampling: Resampling | None = None
) -> Scores:
    """What gates can ask of a saved result; of JSON without intervals, and of its `part` where one is named."""
    if is_saved(path):
        return saved_result(path).gate_scores(resampling)
    from vesica.io.files import load

    def scores() -> Scores:
        facts = load(os.fspath(path)).json()
        return scores_of(facts if part is None or not isinstance(facts, Mapping) else facts.get(part))

    found: Scores = _named(path, scores)
    return found


def scores_of(facts: Any, /) -> Scores:
    """The scores in what `to_json` of a result, or `--json`, wrote."""
    from vesica.results.gates import Scores
    from vesica.results.identity import identity_of

    if not isinstance(facts, Mapping) or "summary" not in facts or "task" not in facts:
        raise InputError(
            "It is no saved result: records of `vesica eval --records`, or what `vesica eval --json` prints; or the "
            "same of `vesica seg` or `vesica agree`."
        )
    try:
        overall = dict(facts["summary"]) | _numbers(facts.get("counts", {}))
        by_category = {str(row["category"]): _numbers(row) for row in facts["classes"]}
        for row in facts.get("counts", {}).get("classes", ()):
            by_category[str(row["category"])] = _numbers(row) | by_category[str(row["category"])]
        identity = identity_of(facts)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"It is no sound result: {error!r}.") from error
    return Scores(overall, by_category, lambda name: "it is not defined", identity=identity)


def _numbers(row: Mapping[str, Any]) -> dict[str, float | None]:
    kinds = (int, float, type(None))
    return {name: value for name, value in row.items() if isinstance(value, kinds) and not isinstance(value, bool)}


def result_of(data: bytes, /) -> Result:
    """The result that bytes hold, of whichever kind."""
    from vesica.agreement.records import KIND as AGREEMENT
    from vesica.segmentation.panoptic import KIND as PANOPTIC
    from vesica.segmentation.result import KIND as SEGMENTATION

    if data.startswith(AGREEMENT.magic):
        from vesica.agreement.result import AgreementResult

        return AgreementResult.from_bytes(data)
    if data.startswith(SEGMENTATION.magic):
        from vesica.segmentation.result import SegmentationResult

        return SegmentationResult.from_bytes(data)
    if data.startswith(PANOPTIC.magic):
        from vesica.segmentation.panoptic import PanopticResult

        return PanopticResult.from_bytes(data)
    from vesica.detection import Records, summarise

    return summarise(Records.from_bytes(data))


def _named(path: str | os.PathLike[str], read: Callable[[], Any]) -> Any:
    """What is wrong with a file, with its name."""
    try:
        return read()
    except InputError as error:
        text = str(error)
        raise error if os.fspath(path) in text else InputError(f"{os.fspath(path)}: {text}") from error
