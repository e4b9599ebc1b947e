"""Scores of detection on the command line: one answer, as a table or as JSON, and the gates that judge it."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from vesica.cli import gate_options, interval_options, outputs, streams
from vesica.results.tables import plain

if TYPE_CHECKING:
    from vesica.detection import DetectionResult, Records
    from vesica.results.gates import Scores
    from vesica.results.resampling import Resampling


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options that say what is told of a result, and what it must reach."""
    parser.add_argument("--per-class", action="store_true", help="a table of the categories too, best AP first")
    parser.add_argument(
        "--counts", action="store_true", help="TP, FP, FN, precision, recall and F1 too, at the first threshold"
    )
    parser.add_argument("--causes", action="store_true", help="why guesses are wrong, and the AP that each cause costs")
    parser.add_argument("--confusion", action="store_true", help="which classes are taken for which, at an IoU of 0.5")
    parser.add_argument(
        "--min-score",
        type=float,
        metavar="S",
        help="with --counts, --confusion or --interval: of guesses from this score on",
    )
    interval_options.add_arguments(parser)
    gate_options.add_arguments(parser, '"AP>=0.5", "AP50[cat,dog]>=0.8", "AP drop<=0.01 vs base.records @95%%"')
    outputs.add_arguments(parser)
    parser.add_argument("--records", metavar="FILE", help="write what was matched, for `vesica merge`")


def check_usage(arguments: argparse.Namespace) -> None:
    """Raise for options that no file could make right."""
    from vesica import _check as check

    if arguments.min_score is not None:
        check.finite(arguments.min_score, "--min-score")
        if not (arguments.counts or arguments.confusion or arguments.interval):
            raise ValueError("--min-score goes with --counts, --confusion or --interval")
    outputs.check_usage(arguments)
    gate_options.check_usage(arguments)
    interval_options.check_usage(arguments)


def say(text: str, arguments: argparse.Namespace) -> None:
    """Words beside the answer."""
    streams.note(text, arguments)


def write_records(path: str, records: Records) -> None:
    from vesica.io import atomic

    with atomic.file(path) as file:
        file.write(records.to_bytes())


def facts_of(result: DetectionResult, arguments: argparse.Namespace) -> dict[str, Any]:
    """All that can be told of a result, and what its gates say; exit code 2 for a gate that names what is not there."""
    facts = result.to_dict()
    if arguments.counts:
        facts["counts"] = counts_of(result, arguments.min_score)
    if arguments.causes:
        facts["causes"] = result.causes().to_dict()
    if arguments.confusion:
        facts["confusion"] = result.confusion(min_score=arguments.min_score).to_dict()
    facts |= interval_options.facts_of(result, arguments)
    verdicts = []
    if arguments.gate:
        how = interval_options.resampling_of(result, arguments)
        verdicts = gate_options.verdicts(arguments, _scores(result, how, arguments), resampling=how)
    return facts | {"gates": gate_options.told(verdicts)}


def tell(facts: dict[str, Any], result: DetectionResult, arguments: argparse.Namespace) -> int:
    """Print them in the form that was asked for; the exit code is 1 if a gate failed."""

    def show() -> None:
        from vesica.cli import eval_tables

        eval_tables.show(facts, result.protocol, per_class=arguments.per_class)

    is_merge = hasattr(arguments, "files")
    verb, file = ("merge", arguments.files[0]) if is_merge else ("eval", arguments.guess)
    return outputs.tell(outputs.Answer(verb, result.headline, facts, show, tables_of(facts), file), arguments)


def tables_of(facts: dict[str, Any]) -> list[outputs.Shown]:
    """What a form with tables shows: the numbers, and of each class what it has truths or guesses for."""
    numbers = [{"score": name, "value": value} for name, value in facts["summary"].items()]
    rows = [row for row in facts["classes"] if row["truths"] or row["guesses"]]
    shown = [outputs.Shown("Scores", numbers, ("score", "value"), is_folded=False)]
    if "counts" in facts:
        of_all = {"category": "all", **{name: facts["counts"][name] for name in _COUNTED}}
        counted = [of_all, *facts["counts"]["classes"]]
        shown.append(outputs.Shown("Right, wrong and missed", counted, ("category", *_COUNTED)))
    return [*shown, outputs.Shown(f"{len(rows):,} classes", rows, list(rows[0]) if rows else ())]


def counts_of(result: DetectionResult, min_score: float | None) -> dict[str, Any]:
    """Right, wrong and missed at the first threshold, over all sizes or else the first range of areas."""
    area = result.protocol.areas[result.protocol.whole or 0][0]
    found = result.counts(min_score=min_score, area=area)
    total = found.total()
    best = result.curve(area=area).best_f1
    return {
        "iou": result.protocol.iou[0],
        "min_score": min_score,
        "area": area,
        **{name: plain(getattr(total, name)) for name in _COUNTED},
        "best_f1": None if best is None else best._asdict(),
        "classes": found.rows(),
    }


def _scores(result: DetectionResult, how: Resampling, arguments: argparse.Namespace) -> Scores:
    """What gates can name: those of the result, and with --counts what was counted."""
    from vesica.detection.bootstrap import Cut

    cut = Cut(0, result.protocol.whole or 0, arguments.min_score) if arguments.counts else None
    return result.gate_scores(how, cut=cut)


_COUNTED = ("tp", "fp", "fn", "precision", "recall", "f1")
