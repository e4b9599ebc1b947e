"""What `vesica merge` does with records that are not of detection: segmentation, panoptic segments, agreement."""

from __future__ import annotations

import argparse
from typing import Any

from vesica.cli import eval_output, eval_panoptic, gate_options, outputs, report_options, scale_options
from vesica.errors import InputError

_OF_DETECTION = (
    *("counts", "causes", "confusion", "min_score", "interval", "level", "by", "replicates", "seed", "slices"),
    "duplicates",
)
_ASKED_ELSEWHERE = {"per_image": False, "groups": None, "spread": False, "queue": None, "consensus": None}
"""What `seg` and `agree` can be asked for, and `merge` cannot."""


def is_other(part: Any, /) -> bool:
    """Is it the result of something else than detection?"""
    return hasattr(part, "gate_scores")


def result_of(data: bytes, /) -> Any:
    """The result that bytes hold; None of those of detection, and of what is no result."""
    from vesica.agreement.records import KIND as AGREEMENT
    from vesica.comparison.saved import result_of
    from vesica.segmentation.panoptic import KIND as PANOPTIC
    from vesica.segmentation.result import KIND as SEGMENTATION

    others = tuple(kind.magic for kind in (AGREEMENT, PANOPTIC, SEGMENTATION))
    return result_of(data) if data.startswith(others) else None


def merged(*parts: Any) -> Any:
    """Results of one kind as one."""
    kinds = list(dict.fromkeys(_task(part) for part in parts))
    if len(kinds) > 1:
        raise InputError(f"Records of {kinds[0]} and of {kinds[1]} do not belong together.")
    first, *others = parts
    return first.merged(*others) if hasattr(first, "merged") else first.merge(*others)


def _task(part: Any) -> str:
    return str(part.to_dict()["task"]) if is_other(part) else "detection"


def run(result: Any, arguments: argparse.Namespace) -> int:
    """Tell it as `seg`, `agree` or `eval --protocol panoptic` would."""
    for name in _OF_DETECTION:
        if getattr(arguments, name) not in (None, False, "error"):
            arguments.usage_error(f"--{name.replace('_', '-')} is of detection, and these records are not")
    result = _noted(result, arguments)
    eval_output.say(f"Merged {len(arguments.files)} files: {result.headline}", arguments)
    if arguments.records is not None:
        from vesica.io import atomic

        with atomic.file(arguments.records) as file:
            file.write(result.to_bytes())
    how = argparse.Namespace(**{**_ASKED_ELSEWHERE, **vars(arguments), "guess": arguments.files[0]})
    verdicts = gate_options.verdicts(arguments, result.gate_scores()) if arguments.gate else []
    if arguments.report is not None:
        report_options.write((result,), arguments, arguments.report, gates=verdicts, files=tuple(arguments.files))
    return _answered(result, gate_options.told(verdicts), how)


def _answered(result: Any, gates: list[dict[str, Any]], arguments: argparse.Namespace) -> int:
    from vesica.agreement.result import AgreementResult
    from vesica.cli import agree_output, seg_output
    from vesica.segmentation.result import SegmentationResult

    if isinstance(result, AgreementResult):
        facts = agree_output.facts_of(result, None, arguments) | {"gates": gates}
        tables = agree_output.tables_of(facts)
        show = lambda: agree_output.show(result, facts, arguments)  # noqa: E731
    elif isinstance(result, SegmentationResult):
        facts = seg_output.facts_of(result, None, arguments) | {"gates": gates}
        tables = seg_output.tables_of(facts)
        show = lambda: seg_output.show(result, None, facts, arguments)  # noqa: E731
    else:
        facts = {"protocol": eval_panoptic.NAME} | result.to_dict() | {"gates": gates}
        return eval_panoptic.tell(facts, result, arguments, "merge")
    answer = outputs.Answer("merge", result.headline, facts, show, tables, arguments.guess)
    return outputs.tell(answer, arguments)


def _noted(result: Any, arguments: argparse.Namespace) -> Any:
    """The result, with a note where images are missing; an error unless --partial was said."""
    if arguments.expected is None:
        return result
    from dataclasses import replace

    from vesica.agreement.result import AgreementResult
    from vesica.segmentation.result import SegmentationResult

    if isinstance(result, AgreementResult):
        return replace(result, notes=(*result.notes, *scale_options.lacking(result.records.images.tolist(), arguments)))
    if isinstance(result, SegmentationResult):
        return result.with_remarks((*result.remarks, *scale_options.lacking(result.counts.ids.tolist(), arguments)))
    if scale_options.lacking(result.images.tolist(), arguments):  # which has no place for notes
        arguments.usage_error("--partial is not of panoptic segments: their result has no notes to say it in")
    return result
