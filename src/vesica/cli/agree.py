"""`vesica agree A B [C …]`: what several annotators marked in, who differs from whom, where and how out."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Any

from vesica.cli import agree_output, eval_output, image_options, streams
from vesica.cli.option_words import as_options
from vesica.results import gates

if TYPE_CHECKING:
    from collections.abc import Callable

    from vesica.agreement.policy import AgreementPolicy
    from vesica.dataset import Dataset
    from vesica.io.annotators import Annotations
    from vesica.io.options import Options

_EPILOG = """\
examples:
  vesica agree ann.json ben.json cleo.json --per-class
  vesica agree export.json --queue monday.json --worst 50                   Label Studio: all annotators in one file
  vesica agree truth.json --by-annotator created_by --assignments asked.csv COCO: the key that says who
  vesica agree ann=round1/labels ben=round2/labels --sizes 480,640 --gate "agreement>=0.6" --gate "alpha>=0.67"
  vesica agree ann.xml ben.xml --consensus agreed.json --model guess.json

A file or folder for each annotator, who is called by it or by NAME=FILE; its images are those that were asked for.
exit codes: 0 done, 1 a gate failed, 2 usage, 3 bad input, 4 our fault
"""


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
    parser.add_argument("--records", metavar="FILE", help="write what was matched, for --before")
    parser.add_argument("--before", metavar="FILE", help="records of an earlier run: what became of their images")
    parser.add_argument("--gate", action="append", default=[], metavar="GATE", help=agree_output.GATE)
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the intervals")
    image_options.add_arguments(parser)
    parser.add_argument("--threads", type=int, metavar="N", help="at most this many; the answer does not depend on it")
    parser.add_argument("--quiet", action="store_true", help="no words on stderr but errors")


def run(arguments: argparse.Namespace) -> int:
    policy = _policy(arguments)
    from vesica.cli.progress import steps
    from vesica.scoring import evaluate_agreement

    maps = _maps(arguments)
    with steps("read", "compare", "tables") as done:
        data = None if maps is not None else _chosen(_read(arguments).data, arguments)
        done()
        given: Any = data if maps is None else maps
        options = {"regions": arguments.regions, "missing": arguments.missing, "threads": arguments.threads}
        result = evaluate_agreement(given, policy=policy, **options)
        done()
        facts = agree_output.facts_of(result, data, arguments)
        if data is not None and arguments.model is not None:
            facts["ceiling"] = _ceiling(result, data, arguments)
        if maps is None:
            facts |= agree_output.compared(result, arguments)
        done()
    try:
        facts["gates"] = [one._asdict() for one in result.gate(*arguments.gate)]
    except ValueError as error:
        arguments.usage_error(str(error))
    return streams.tell(facts, lambda: agree_output.show(result, facts, arguments), as_json=arguments.json)


def _maps(arguments: argparse.Namespace) -> dict[str, Any] | None:
    """Label maps by the names of annotators, if all that was given are folders of them."""
    from vesica.io.label_files import LabelMaps, has_maps_alone

    named = _named(arguments.files)
    if arguments.files_format is not None or not all(map(has_maps_alone, named.values())):
        return None
    for option in (
        "assignments",
        "classes",
        "regions",
        "consensus",
        "queue",
        "model",
        "per_image",
        "by_annotator",
        "records",
        "before",
    ):
        if getattr(arguments, option):
            arguments.usage_error(f"--{option.replace('_', '-')} is of objects, and these are label maps")
    maps = {who: LabelMaps(path) for who, path in named.items()}
    for who, own in maps.items():
        eval_output.say(f"Read {named[who]} as label maps of {who}: {len(own):,} images.", arguments)
    return maps


def _read(arguments: argparse.Namespace) -> Annotations:
    """What the files hold, and a word about each."""
    from vesica.io.annotators import of_files
    from vesica.io.read import describe

    told = of_files(_named(arguments.files), _options(arguments), format=arguments.files_format)
    for found in told.found:
        eval_output.say(describe(found), arguments)
    for note in told.data.notes:
        eval_output.say(as_options(f"  note: {note}.", vars(arguments)), arguments)
    return told


def _ceiling(result: Any, data: Dataset, arguments: argparse.Namespace) -> dict[str, Any]:
    """How near a model is to people, beside how near they are to each other."""
    from vesica.io.formats import FORMATS
    from vesica.io.options import Options
    from vesica.io.read import describe, find

    said = {**image_options.given(arguments), "predictions": True}

    def options(format: str) -> Options:
        known = {name: value for name, value in said.items() if name in FORMATS[format].options and value is not None}
        if FORMATS[format].is_by_image:
            known.setdefault("images", data.images)
        return Options(threads=arguments.threads, **known)

    found = find(arguments.model, options)
    eval_output.say(describe(found), arguments)
    facts: dict[str, Any] = result.ceiling(found.data, min_score=arguments.min_score).to_dict()
    return facts


def _named(words: list[str]) -> dict[str, str]:
    """Files by the names of annotators: as NAME=FILE says, or else by what tells the files apart."""
    from vesica.errors import InputError
    from vesica.io.annotators import names_of

    told = {word: word.partition("=") for word in words}
    given = {word: (name, path) for word, (name, sep, path) in told.items() if sep and "/" not in name}
    given = {word: pair for word, pair in given.items() if not os.path.exists(word)}
    names = {path: name for name, path in names_of([word for word in words if word not in given]).items()}
    pairs = [given.get(word) or (names[word], word) for word in words]
    if len(dict(pairs)) != len(pairs):
        twice = next(name for name, _ in pairs if [one for one, _ in pairs].count(name) > 1)
        raise InputError(f"Two annotators are called {twice!r}. Give them names: NAME=FILE.")
    return dict(pairs)


def _options(arguments: argparse.Namespace) -> Callable[[str], Options]:
    """What is said of the files, as far as a format knows what to do with it."""
    from vesica.io.formats import FORMATS
    from vesica.io.options import Options

    said = {**image_options.given(arguments), "annotator": arguments.by_annotator}

    def options(format: str) -> Options:
        known = {name: value for name, value in said.items() if name in FORMATS[format].options and value is not None}
        if format == "coco" and len(arguments.files) == 1:
            known.setdefault("annotator", True)
        return Options(threads=arguments.threads, **known)

    return options


def _chosen(data: Dataset, arguments: argparse.Namespace) -> Dataset:
    """With the assignments and the classes that were asked for."""
    import numpy as np

    from vesica.errors import InputError
    from vesica.io.assignments import assigned

    if arguments.assignments is not None:
        data = assigned(data, arguments.assignments)
    if data.assignments is None:
        raise InputError(
            "The file does not say who was asked for which image: where an annotator has no object, nothing may have "
            "been seen, or nobody have asked. Say who was: --assignments FILE, with a row `image,annotator` for each; "
            "or --assignments all."
        )
    if arguments.classes is None:
        return data
    names = data.categories.ids if data.categories.names is None else data.categories.names
    wanted = [name.strip() for name in arguments.classes.split(",")]
    known = [str(name) for name in names.tolist()]
    strange = next((name for name in wanted if name not in known), None)
    if strange is not None:
        raise InputError(f"--classes: there is no class {strange!r}; there are {', '.join(known[:20])}.")
    return data.rows(np.isin(data.category, [known.index(name) for name in wanted]))


def _policy(arguments: argparse.Namespace) -> AgreementPolicy:
    """What the options mean; exit code 2 for those that no file could make right."""
    from vesica import _check as check
    from vesica.agreement.policy import AgreementPolicy

    said = {name: getattr(arguments, name) for name in ("match_at", "credit", "quorum")}
    try:
        for name in ("threads", "worst", "quorum"):
            if getattr(arguments, name) is not None:
                check.positive(getattr(arguments, name), f"--{name}")
        image_options.check_usage(arguments)
        for text in arguments.gate:
            gates.parse(text)
        if arguments.min_score is not None:
            check.finite(arguments.min_score, "--min-score")
            if arguments.model is None:
                raise ValueError("--min-score goes with --model")
        if len(set(arguments.files)) != len(arguments.files):
            raise ValueError("each file may be given once")
        policy = AgreementPolicy(
            seed=arguments.seed, **{name: value for name, value in said.items() if value is not None}
        )
    except (ValueError, TypeError) as error:
        arguments.usage_error(str(error))
    return policy
