"""Scores of detection on the command line: one answer, as a table or as JSON, and the gates that judge it."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from vesica.cli import interval_options, streams
from vesica.results import gates
from vesica.results.tables import plain

if TYPE_CHECKING:
    from vesica.detection import DetectionResult, Records


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
    parser.add_argument(
        "--gate",
        action="append",
        default=[],
        metavar="GATE",
        help='what must be reached within 1e-9, else exit code 1: "AP>=0.5", "AP50[cat,dog]>=0.8"; may be repeated',
    )
    parser.add_argument("--records", metavar="FILE", help="write what was matched, for `vesica merge`")
    parser.add_argument("--threads", type=int, metavar="N", help="at most this many")
    parser.add_argument("--quiet", action="store_true", help="no words on stderr but errors")


def check_usage(arguments: argparse.Namespace) -> None:
    """Raise for options that no file could make right."""
    from vesica import _check as check

    if arguments.threads is not None:
        check.positive(arguments.threads, "--threads")
    if arguments.min_score is not None:
        check.finite(arguments.min_score, "--min-score")
        if not (arguments.counts or arguments.confusion or arguments.interval):
            raise ValueError("--min-score goes with --counts, --confusion or --interval")
    interval_options.check_usage(arguments)
    for text in arguments.gate:
        gates.parse(text)


def say(text: str, arguments: argparse.Namespace) -> None:
    """Words beside the answer."""
    if not arguments.quiet:
        streams.say(text)


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
    try:
        verdicts = gates.judge(map(gates.parse, arguments.gate), _scores(facts, result))
    except ValueError as error:
        arguments.usage_error(str(error))
    return facts | {"gates": [verdict._asdict() for verdict in verdicts]}


def tell(facts: dict[str, Any], result: DetectionResult, arguments: argparse.Namespace) -> int:
    """Print them in the form that was asked for; the exit code is 1 if a gate failed."""

    def show() -> None:
        from vesica.cli import eval_tables

        eval_tables.show(facts, result.protocol, per_class=arguments.per_class)

    return streams.tell(facts, show, as_json=arguments.json)


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


def _scores(facts: dict[str, Any], result: DetectionResult) -> gates.Scores:
    """What gates can name: numbers of the whole, and of each category by its name or else its id."""
    counts = facts.get("counts")
    overall = facts["summary"] | ({} if counts is None else {name: counts[name] for name in _COUNTED})
    rows = facts["classes"] if counts is None else list(map(dict.__or__, counts["classes"], facts["classes"]))
    numbers = [{name: value for name, value in row.items() if name not in _NO_NUMBERS} for row in rows]
    by_category = {str(row["category"]): one for row, one in zip(rows, numbers, strict=True)}
    by_id = {str(one): row for one, row in zip(result.records.categories.ids.tolist(), numbers, strict=True)}
    by_category |= {name: row for name, row in by_id.items() if name not in by_category}
    return gates.Scores(overall, by_category, _why_undefined)


def _why_undefined(name: str) -> str:
    """A precision is a share of guesses, every other number one of truths."""
    return f"there are no {'guesses' if name == 'precision' else 'truths'} that it could count"


_COUNTED = ("tp", "fp", "fn", "precision", "recall", "f1")
_NO_NUMBERS = ("category", "truths", "guesses")
