"""`vesica agree A B [C …]`: what several annotators marked in, who differs from whom, where and how out."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from vesica.cli import (
    agree_files,
    agree_output,
    agree_parts,
    gate_options,
    image_options,
    outputs,
    own_files,
    refusal,
    report_options,
    scale_options,
)
from vesica.cli.category_options import categories_of
from vesica.cli.epilogs import CODES, epilog

if TYPE_CHECKING:
    from vesica.agreement.ceiling import Ceiling
    from vesica.agreement.policy import AgreementPolicy
    from vesica.dataset import Dataset
    from vesica.io.read import Found

_EPILOG = epilog(
    """
  vesica agree ann.json ben.json cleo.json --per-class
  vesica agree export.json --queue monday.json --worst 50                    # Label Studio: all annotators in one file
  vesica agree signed.json --by-annotator created_by --assignments asked.csv # COCO: the key that says who
  vesica agree ann=round1/labels ben=round2/labels --sizes 480,640 --gate "agreement>=0.6" --gate "alpha>=0.67"
  vesica agree ann.json ben.json --report out.html --images photographs
  vesica agree rounds/*.parquet --engine threads --workers 2  # what all annotators marked, of other images in each
  vesica agree ann.xml ben.xml --consensus agreed.json --model model.csv
""",
    notes="""
A file or folder for each annotator, who is called by it or by NAME=FILE; its images are those that were asked for.
""",
    codes=CODES,
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("files", metavar="[NAME=]FILE", nargs="+", help="one for each annotator, or one of them all")
    parser.add_argument(
        "--format", dest="files_format", metavar="FORMAT", help="the format of the files, where two fit"
    )
    parser.add_argument(
        "--by-annotator",
        nargs="?",
        const=True,
        metavar="KEY",
        help="of one COCO file: the key of annotations that says who made each (default: one of the usual)",
    )
    parser.add_argument(
        "--assignments", metavar="FILE|all", help="who was asked for what: CSV of image,annotator; JSON; or everybody"
    )
    parser.add_argument("--classes", metavar="A,B,…", help="objects of these classes alone")
    parser.add_argument("--regions", choices=("box", "mask", "rotated"), help="what is compared, if objects have both")
    parser.add_argument("--missing", choices=("box",), help="masks: objects without one are compared as their boxes")
    parser.add_argument("--match-at", type=float, metavar="T", help="the IoU from which on two objects are one (0.5)")
    parser.add_argument("--credit", choices=("iou", "match"), help="what a matched pair earns: its IoU (default), or 1")
    parser.add_argument("--per-class", action="store_true", help="a row for each class too")
    parser.add_argument("--per-image", action="store_true", help="a row for each image too, the worst first")
    parser.add_argument("--consensus", metavar="OUT", help="write what they agree on: COCO, or as the ending says")
    parser.add_argument("--quorum", type=int, metavar="N", help="votes that an object needs (default: over half)")
    parser.add_argument("--queue", metavar="OUT", help="write the images to look at again, with reasons")
    parser.add_argument("--queue-format", choices=("labelstudio", "cvat", "coco"), help="(default: by the ending)")
    parser.add_argument("--worst", type=int, default=50, metavar="N", help="how many of them (50)")
    parser.add_argument("--model", metavar="GUESS", help="guesses of a model: is it as near to people as they are?")
    parser.add_argument("--min-score", type=float, metavar="S", help="with --model: its guesses from this score on")
    parser.add_argument(
        "--against",
        choices=("annotators", "consensus"),
        help="with --model: compare with each annotator (default), or with what the others agree on",
    )
    parser.add_argument(
        "--categories",
        metavar="name|id|FILE",
        help="with --model: how its categories meet those of people: name, id, a mapping in JSON, or a file with one",
    )
    parser.add_argument("--records", metavar="FILE", help="write what was matched, for --before")
    parser.add_argument("--before", metavar="FILE", help="records of an earlier run: what became of their images")
    gate_options.add_arguments(parser, '"agreement>=0.6", "alpha[cat]>=0.67", "agreement>=0.6 @95%%"')
    outputs.add_arguments(parser)
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the intervals")
    image_options.add_arguments(parser, has_report=True)
    report_options.add_arguments(parser)
    refusal.add_arguments(parser)
    scale_options.add_arguments(parser, "agree")


def run(arguments: argparse.Namespace) -> int:
    policy = _policy(arguments)
    if scale_options.is_asked(arguments):
        found = agree_parts.scored(arguments, policy)
        drawn = None if found.annotations is None else found.annotations.data
        return _told(found, drawn, _ceiling(found, drawn, arguments), arguments)
    from vesica.cli.progress import steps
    from vesica.scoring import evaluate_agreement

    maps = agree_files.maps_of(arguments)
    with steps("read", "compare", "tables") as done:
        told = None if maps is not None else agree_files.read(arguments)
        data = None if told is None else agree_files.chosen(told.data, arguments)
        done()
        given: Any = data if maps is None else maps
        options = {"regions": arguments.regions, "missing": arguments.missing, "threads": arguments.threads}
        result = evaluate_agreement(given, policy=policy, **options)
        done()
        more = _ceiling(result, data, arguments, people=None if told is None else told.found[0])
        done()
    return _told(result, data, more, arguments)


def _ceiling(
    result: Any, data: Dataset | None, arguments: argparse.Namespace, *, people: Found | None = None
) -> dict[str, Any]:
    """How near the model of --model is to people, if one was given; beside the file of one of them it is looked at."""
    if data is None or arguments.model is None:
        return {}
    guess = agree_files.guesses(data, arguments)

    def score() -> Ceiling:
        found: Ceiling = result.ceiling(
            guess.data,
            min_score=arguments.min_score,
            against=arguments.against or "annotators",
            categories=None if arguments.categories is None else categories_of(arguments.categories),
        )
        return found

    found = score() if people is None else refusal.of_model(score, people, guess, arguments)
    return {"ceiling": found.to_dict()}


def _told(result: Any, data: Dataset | None, more: dict[str, Any], arguments: argparse.Namespace) -> int:
    """Everything that was asked for, in the form that was asked for."""
    facts = agree_output.facts_of(result, data, arguments) | more
    if agree_output.is_of_objects(result):
        facts |= agree_output.compared(result, arguments)
    verdicts = gate_options.verdicts(arguments, result.gate_scores()) if arguments.gate else []
    facts["gates"] = gate_options.told(verdicts)
    if arguments.report is not None:
        is_parts = data is None or scale_options.is_asked(arguments)
        files = tuple(arguments.files if is_parts else agree_files.named_files(arguments.files).values())
        report_options.write((result,), arguments, arguments.report, gates=verdicts, files=files)
    answer = outputs.Answer(
        "agree",
        result.headline,
        facts,
        lambda: agree_output.show(result, facts, arguments),
        agree_output.tables_of(facts),
        arguments.files[0].rpartition("=")[2],
    )
    return outputs.tell(answer, arguments)


def _policy(arguments: argparse.Namespace) -> AgreementPolicy:
    """What the options mean; exit code 2 for those that no file could make right."""
    from vesica import _check as check
    from vesica.agreement.policy import AgreementPolicy

    said = {name: getattr(arguments, name) for name in ("match_at", "credit", "quorum")}
    try:
        for name in ("worst", "quorum"):
            if getattr(arguments, name) is not None:
                check.positive(getattr(arguments, name), f"--{name}")
        image_options.check_usage(arguments)
        outputs.check_usage(arguments)
        gate_options.check_usage(arguments)
        if arguments.min_score is not None:
            check.finite(arguments.min_score, "--min-score")
            if arguments.model is None:
                raise ValueError("--min-score goes with --model")
        for option in ("against", "categories"):
            if getattr(arguments, option) is not None and arguments.model is None:
                raise ValueError(f"--{option} goes with --model")
        if len(set(arguments.files)) != len(arguments.files):
            raise ValueError("each file may be given once")
        own_files.check_usage(arguments)
        report_options.check_usage(arguments)
        scale_options.check_usage(arguments, agree_parts.WITHOUT)
        policy = AgreementPolicy(
            seed=arguments.seed, **{name: value for name, value in said.items() if value is not None}
        )
    except (ValueError, TypeError) as error:
        arguments.usage_error(str(error))
    return policy
