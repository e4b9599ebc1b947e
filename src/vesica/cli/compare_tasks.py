"""What `vesica compare` scores beside detectors: label maps, and what annotators marked."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from vesica.cli import eval_output, image_options, refusal, seg_options

if TYPE_CHECKING:
    from vesica.io.options import Options
    from vesica.results.result import Result

TASKS = ("detection", "segmentation", "agreement")
_OF_DETECTION = {
    **{"protocol": "coco", "iou": None, "areas": None, "max_dets": None, "class_agnostic": False, "categories": None},
    **{"strict": False, "quirks": None, "slices": None},
}
_OF_OBJECTS = dict.fromkeys(
    [
        *("regions", "missing", "format", "truth_format", "guess_format"),
        *("boxes", "sizes", "images", "names", "kind", "columns"),
    ]
)
_OF_MAPS = {
    **{"classes": None, "ignore": None, "background": None, "relabel": None, "crowd": None, "like": None},
    **{"average": None, "volume": False, "groups": None},
}
"""Options with their values where nothing was said, by what they are for."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--task",
        choices=TASKS,
        help="what is scored: as `eval`, `seg` or `agree` do (default: folders and files of label maps as `seg`, all "
        "else as `eval`). agreement: how far each agrees with TRUTH, as two annotators do; no scores are needed",
    )
    seg_options.add_maps(parser.add_argument_group("options for label maps, as of `vesica seg`"))


def task_of(arguments: argparse.Namespace) -> str:
    """The task that was asked for, or that the files are for; ValueError for options of another one."""
    from vesica.comparison.tasks import task_of

    task = arguments.task or task_of(arguments.truth)
    others = {
        "detection": _OF_MAPS,
        "segmentation": _OF_DETECTION | _OF_OBJECTS,
        "agreement": _OF_DETECTION | _OF_MAPS,
    }
    for name, nothing in others[task].items():
        if getattr(arguments, name) != nothing:
            option = {"relabel": "--map"}.get(name, f"--{name.replace('_', '-')}")
            raise ValueError(f"{option} says nothing of {task}: leave it out, or say another --task")
    return task


def scored(task: str, arguments: argparse.Namespace) -> list[Result]:
    """The result of each model, of a task that is not detection."""
    return _segmented(arguments) if task == "segmentation" else _agreed(arguments)


def _segmented(arguments: argparse.Namespace) -> list[Result]:
    from vesica.comparison.tasks import of_all_labels
    from vesica.scoring import evaluate_segmentation

    try:
        policy = seg_options.policy_of(arguments)
    except ValueError as error:
        arguments.usage_error(str(error))
    options: dict[str, Any] = {**seg_options.source_of(arguments), "volume": arguments.volume}
    results = []
    for path in arguments.models:
        result = evaluate_segmentation(arguments.truth, path, policy=policy, threads=arguments.threads, **options)
        eval_output.say(f"{len(result.counts):,} pairs of label maps: {arguments.truth}, {path}", arguments)
        refusal.look_at_labels(result.counts, policy.ignore, arguments)
        results.append(result)
    return of_all_labels(results)


def _agreed(arguments: argparse.Namespace) -> list[Result]:
    from vesica.comparison.tasks import agreed
    from vesica.io.formats import FORMATS
    from vesica.io.options import Options
    from vesica.io.read import describe, find

    said = image_options.given(arguments)

    def options(format: str) -> Options:
        known = {name: value for name, value in said.items() if name in FORMATS[format].options and value is not None}
        return Options(threads=arguments.threads, **known)

    found = []
    for path, format in (
        (arguments.truth, arguments.truth_format),
        *((path, arguments.guess_format) for path in arguments.models),
    ):
        found.append(find(path, options, format=format or arguments.format))
        eval_output.say(describe(found[-1]), arguments)
    refusal.look_at_each(found, arguments)
    truth, *models = (one.data for one in found)
    asked = {"regions": arguments.regions, "missing": arguments.missing, "threads": arguments.threads}
    return agreed(truth, models, **asked)
