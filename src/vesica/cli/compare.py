"""`vesica compare TRUTH A B [C …]`: what models differ by, how sure that is, and where it comes from."""

from __future__ import annotations

import argparse
import functools
from typing import TYPE_CHECKING, Any

from vesica.cli import (
    compare_tasks,
    eval_parts,
    gate_options,
    image_options,
    interval_options,
    outputs,
    own_files,
    refusal,
    report_options,
    scale_options,
)
from vesica.cli import eval as evaluation
from vesica.cli.category_options import categories_of
from vesica.cli.epilogs import CODES, epilog
from vesica.detection.rules import PROTOCOLS

if TYPE_CHECKING:
    from vesica.comparison import Comparison
    from vesica.results.gates import Verdict
    from vesica.results.result import Result

_EPILOG = epilog(
    """
  vesica compare truth.json yesterday.json today.json
  vesica compare truth.json base.json small.json large.json --per-class
  vesica compare truth.json base.json new.json --gate "AP drop<=0.01 @95%" --markdown > comment.md
  vesica compare truth.json base.json new.json --report out.html --images photographs
  vesica compare truth/ old_maps/ new_maps/ --classes names.txt --ignore 255  # label maps, as of `seg`
  vesica compare expert.json ann.json ben.json --task agreement  # annotators, without scores
  vesica compare "parts/*_truth.json" "parts/*_base.json" "parts/*_new.json" --engine threads --workers 2
  vesica compare base.records new.records --json  # of `eval --records`, `seg --records`, `agree --records`
""",
    codes=CODES,
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("truth", metavar="TRUTH", help="the objects that are there; or the first of saved results")
    parser.add_argument(
        "models", metavar="MODEL", nargs="+", help="guesses; the first is what others are compared with"
    )
    parser.add_argument("--model-names", metavar="A,B,…", help="what the models are called (default: by their files)")
    parser.add_argument("--level", type=float, default=0.95, metavar="L", help="of the intervals: share inside (0.95)")
    parser.add_argument("--replicates", type=int, default=2000, metavar="N", help="how often images are drawn (2000)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the draws (0)")
    parser.add_argument(
        "--by", default="image", metavar="COLUMN", help="what is drawn again: a column of --slices, or group or batch"
    )
    interval_options.add_slices(parser)
    parser.add_argument("--per-class", action="store_true", help="all categories, and not only the surest ten")
    parser.add_argument("--markdown", action="store_true", help="short for --output markdown")
    gate_options.add_arguments(parser, '"AP drop<=0.01 @95%%" since the first model, "AP50[cat]>=0.8"')
    outputs.add_arguments(parser)
    evaluation.add_scoring(parser, list(PROTOCOLS))
    compare_tasks.add_arguments(parser)
    report_options.add_arguments(parser)
    scale_options.add_arguments(parser, "compare")


def run(arguments: argparse.Namespace) -> int:
    from vesica.cli.progress import steps

    options = _options(arguments)
    with steps("read and match", "draw again", "summarise") as done:
        comparison = _compared(arguments, options)
        done()
        verdicts = _gates(comparison, arguments)  # first: a wrong name is told at once
        done()
        facts = comparison.to_dict() | {"gates": gate_options.told(verdicts)}
    if arguments.report is not None:
        files = tuple(path for path in (arguments.truth, *arguments.models) if path != "-")
        report_options.write((comparison,), arguments, arguments.report, gates=verdicts, files=files)
    answer = outputs.Answer(
        "compare",
        comparison.headline,
        facts,
        lambda: _show(comparison, facts, arguments),
        file=arguments.models[-1],
        parts=comparison.markdown_parts,
    )
    return outputs.tell(answer, arguments)


def _options(arguments: argparse.Namespace) -> tuple[dict[str, Any], Any]:
    """What the options mean; exit code 2 for those that no file could make right."""
    from vesica import _check as check
    from vesica._check import statistics as check_statistics

    found: tuple[dict[str, Any], Any] = ({}, None)
    try:
        if arguments.markdown:
            if arguments.output not in (None, "markdown"):
                raise ValueError(f"--markdown is short for --output markdown: say it, or --output {arguments.output}")
            arguments.output = "markdown"
        outputs.check_usage(arguments)
        gate_options.check_usage(arguments, compared=True)
        own_files.check_usage(arguments)
        report_options.check_usage(arguments)
        scale_options.check_usage(arguments, eval_parts.OF_READING)
        check.positive(arguments.replicates, "--replicates")
        check_statistics.level(arguments.level)
        if [arguments.truth, *arguments.models].count("-") > 1:
            raise ValueError("standard input can be read only once")
        found = evaluation.scoring_options(arguments)
    except ValueError as error:
        arguments.usage_error(str(error))
    return found


def _compared(arguments: argparse.Namespace, options: tuple[dict[str, Any], Any]) -> Comparison:
    from vesica.comparison.compare import groups_of, named
    from vesica.comparison.comparison import compare_results
    from vesica.comparison.saved import is_saved, saved_result
    from vesica.results.resampling import Resampling

    files = [arguments.truth, *arguments.models]
    if all(map(is_saved, files)):
        if scale_options.is_asked(arguments):
            arguments.usage_error("--engine works on files of truths and guesses, and these results are saved")
        results: list[Result] = [saved_result(path) for path in files]
        results = [_sliced(one, arguments) for one in results]
    else:
        files = arguments.models
        if len(files) < 2:
            arguments.usage_error("compare needs two models or more: vesica compare truth.json a.json b.json")
        try:
            task = compare_tasks.task_of(arguments)
        except ValueError as error:
            arguments.usage_error(str(error))
        if scale_options.is_asked(arguments):
            if task != "detection":
                arguments.usage_error(f"--engine compares detectors, and this is {task}")
            results = _scored_in_parts(arguments, *options)
        else:
            results = _scored(arguments, *options) if task == "detection" else compare_tasks.scored(task, arguments)
    given = arguments.model_names
    names = named(files) if given is None else [name.strip() for name in given.split(",")]
    try:
        groups = groups_of(results[0], arguments.by)
    except (ValueError, TypeError) as error:  # a column that is not there
        arguments.usage_error(str(error))
    how = Resampling(arguments.replicates, arguments.seed, groups)
    return compare_results(results, names=names, level=arguments.level, resampling=how)


def _sliced(result: Result, arguments: argparse.Namespace) -> Result:
    from vesica.detection import DetectionResult

    if arguments.slices is not None and not isinstance(result, DetectionResult):
        arguments.usage_error("--slices is of detection, and these results are of another kind")
    return interval_options.sliced(result, arguments) if isinstance(result, DetectionResult) else result


def _scored(arguments: argparse.Namespace, options: dict[str, Any], protocol: Any) -> list[Result]:
    """The result of each model. The truth is read once."""
    from vesica.scoring import evaluate

    said = image_options.given(arguments)
    categories = None if arguments.categories is None else categories_of(arguments.categories)
    options = options | {"categories": categories, "threads": arguments.threads}
    by_class = not arguments.class_agnostic and categories is None
    truth = evaluation.read(arguments.truth, arguments.truth_format, arguments, protocol, said)
    known = truth.data.images if said["images"] is None else said["images"]
    results: list[Result] = []
    for path in arguments.models:
        of_guess = {**said, "images": known, "predictions": True}
        guess = evaluation.read(path, arguments.guess_format, arguments, protocol, of_guess)
        evaluation.check_said({**said, "images": None} if arguments.report is not None else said, truth, guess)
        score = functools.partial(evaluate, truth.data, guess.data, **options)
        result = refusal.scored(score, truth, guess, arguments, by_class=by_class)
        results.append(interval_options.sliced(result, arguments))
    return results


def _scored_in_parts(arguments: argparse.Namespace, options: dict[str, Any], protocol: Any) -> list[Result]:
    """The result of each model, whose files are worked on at once."""
    from vesica import scale
    from vesica.scale.images import with_images
    from vesica.scale.parts import parts_of_pairs

    options["categories"] = None if arguments.categories is None else categories_of(arguments.categories)
    by_class = not arguments.class_agnostic and options["categories"] is None
    given = {**options, **scale_options.given(arguments), "details": True}  # for objects that are fixed and broken
    results: list[Result] = []
    for model in arguments.models:
        with scale_options.bar("guesses") as progress:
            result = scale.evaluate(arguments.truth, model, progress=progress, **given)
        eval_parts.tell(result, arguments)
        eval_parts.look(result, (arguments.truth, model), arguments, protocol, by_class=by_class)
        result = with_images(result, parts_of_pairs(arguments.truth, model))
        results.append(interval_options.sliced(result, arguments))
    return results


def _gates(comparison: Comparison, arguments: argparse.Namespace) -> list[Verdict]:
    try:
        return comparison.gates(*arguments.gate, undecided=arguments.undecided)
    except ValueError as error:
        arguments.usage_error(str(error))
        raise


def _show(comparison: Comparison, facts: dict[str, Any], arguments: argparse.Namespace) -> None:
    from vesica.cli.plain_tables import judged
    from vesica.comparison.words import text_of

    parts = [text_of(comparison, most=None if arguments.per_class else 10)]
    if facts["gates"]:
        parts.append(judged(facts["gates"]))
    print("\n\n".join(parts))
