"""Files of annotators on the command line: what they hold, who is who, and who was asked for what."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Any

from vesica.cli import eval_output, image_options, refusal
from vesica.cli.option_words import as_options

if TYPE_CHECKING:
    from collections.abc import Callable

    from vesica.dataset import Dataset
    from vesica.io.annotators import Annotations
    from vesica.io.options import Options
    from vesica.io.read import Found


def maps_of(arguments: argparse.Namespace) -> dict[str, Any] | None:
    """Label maps by the names of annotators, if all that was given are folders of them."""
    from vesica.io.label_files import LabelMaps, has_maps_alone

    named = named_files(arguments.files)
    if arguments.files_format is not None or not all(map(has_maps_alone, named.values())):
        return None
    for option in (
        "assignments",
        "classes",
        "regions",
        "consensus",
        "queue",
        "model",
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


def read(arguments: argparse.Namespace) -> Annotations:
    """What the files hold, and a word about each."""
    from vesica.io.annotators import of_files
    from vesica.io.read import describe

    told = of_files(named_files(arguments.files), _options(arguments), format=arguments.files_format)
    for found in told.found:
        eval_output.say(describe(found), arguments)
    for note in told.data.notes:
        eval_output.say(as_options(f"  note: {note}.", vars(arguments)), arguments)
    refusal.look_at_each(told.found, arguments)
    return told


def named_files(words: list[str]) -> dict[str, str]:
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


def chosen(data: Dataset, arguments: argparse.Namespace) -> Dataset:
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


def guesses(data: Dataset, arguments: argparse.Namespace) -> Found:
    """What the model of --model found."""
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
    return found
