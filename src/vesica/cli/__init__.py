"""The command line: one file per verb, results on stdout, words on stderr, an exit code that means something."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Sequence
from typing import Any

from vesica.cli import common_options, look, outputs, settings, streams
from vesica.cli.epilogs import CODES, epilog
from vesica.cli.option_words import as_options
from vesica.cli.parsers import Parser, parser_of

VERBS = {
    "iou": "overlap of the regions of two files: the matrix, aligned rows, or the pairs that reach a threshold",
    "nms": "of many detections of one thing, keep the best: hard or soft, class by class, image by image",
    "eval": "score a detector: two files in, average precision and recall out, an exit code for CI",
    "seg": "score a segmentation: two folders of label maps in, mIoU, Dice and their relatives out, gates for CI",
    "agree": "compare annotators: what several people marked in, who differs from whom, where and how out",
    "check": "what seems wrong with a file: corners read as sizes, shares as pixels, shifted ids; and its repair",
    "compare": "compare models in the same images: paired differences with intervals, and the categories that changed",
    "plot": "draw a score, a comparison or regions: PNG, SVG or PDF, as the ending says",
    "report": "a page to look at, from results that were saved: one HTML file, every number leads to its objects",
    "records": "what was matched in a shard of the images, as a file, for a scheduler of your own and `vesica merge`",
    "merge": "the scores of records that were made apart, as if all images had been scored at once",
    "convert": "a data set from one format into another: COCO, VOC, YOLO, CVAT, Label Studio, LabelMe, CSV, arrays",
    "stats": "what files hold: images, objects, categories, sizes, aspect ratios; several files side by side",
    "explain": "a number, a finding, a cause or an exit code in plain words, with its formula and an example",
    "info": "which backend serves what, and why not a faster one",
    "demo": "a small world of pictures, two models and three annotators as files; all of it scored, and one report",
    "completions": "a script that completes verbs, options and their values in bash, zsh or fish",
}

DONE, USAGE, BAD_INPUT, OUR_FAULT = 0, 2, 3, 4
CORE = ("numpy", "array_api_compat", "rich")
"""What pip installs with vesica; a folder that was only copied may lack it."""
_EPILOG = epilog(
    """
  vesica check guess.json --against truth.json
  vesica eval truth.json guess.json --per-class --gate "AP>=0.5"
  vesica compare truth.json yesterday.json today.json
  vesica seg truth/ guess/ --classes names.txt --ignore 255
  vesica agree ann.json ben.json cleo.json --queue monday.json --worst 50
  vesica stats truth.json guess.json
  vesica explain AP50
""",
    notes="""
`vesica VERB --help` tells the options of a verb, and shows examples.
""",
    codes=CODES,
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    _leave_cores_free()
    words = list(sys.argv[1:] if argv is None else argv)
    if words[:1] == ["help"]:  # as git and pip have it
        words = [*words[1:], "--help"]
    if words[:1] in (["summarise"], ["summarize"]):  # as Python has it; of several files they are merged first
        words[0] = "merge"
    Parser.form = outputs.chosen(words)
    Parser.verb = next((word for word in words if word in VERBS), "")
    Parser.say = lambda message: _say(settings.with_origin(message), USAGE)
    settings.forget()
    look.hold()
    streams.open_closed()
    try:
        code = _code_of(words)
    except SystemExit as leaving:  # --help, or an error of usage
        raise SystemExit(_all_told(leaving.code)) from None
    return int(_all_told(code))


def _leave_cores_free() -> None:
    """When NumPy is imported, threads of OpenBLAS keep every core busy for some 40 ms, looking for work; no command has
    any for them. The number is the logarithm of the cycles for which they look."""
    if "numpy" not in sys.modules:
        os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")


def _code_of(words: Sequence[str]) -> int:
    arguments = argparse.Namespace()
    try:
        arguments = _arguments(words)
        if arguments.print_config:
            return settings.tell(arguments)
        common_options.hold(arguments)
        return int(arguments.run(arguments))
    except BrokenPipeError:  # the reader of the pipe, such as `head`, has closed it
        streams.silence(sys.stdout)
        return DONE
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        return _failed(error, arguments)


def _arguments(words: Sequence[str]) -> argparse.Namespace:
    """What the command line says, and where it is silent what the file of settings says."""
    chosen = next((word for word in words if not word.startswith("-")), None)

    def build() -> tuple[Parser, Parser | None]:
        parser, verbs = parser_of(VERBS, chosen, epilog=_EPILOG)
        return parser, None if chosen is None else verbs[chosen]

    arguments = settings.parsed(build, chosen, words)
    Parser.form = outputs.chosen_by(arguments, Parser.verb)
    return arguments


def _all_told(code: Any) -> Any:
    """The exit code, once all that was printed is where it belongs: a full disk shows itself here at the latest."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        streams.silence(sys.stdout)
    except OSError as error:
        code = _unwritten(error)
    return code


def _failed(error: Exception, arguments: argparse.Namespace) -> int:
    if getattr(arguments, "verbose", False):
        import traceback

        with contextlib.suppress(OSError):
            traceback.print_exc()
    is_of_answer = isinstance(error, OSError) and error.filename is None
    return _unwritten(error) if is_of_answer else _say(*_told(error, arguments))


def _unwritten(error: Exception) -> int:
    """The answer did not reach whom it was for: a full disk is neither a failed gate nor our fault."""
    streams.silence(sys.stdout)
    streams.say(f"vesica: The answer cannot be written: {getattr(error, 'strerror', None) or error}.")
    return BAD_INPUT


def _told(error: Exception, arguments: argparse.Namespace) -> tuple[str, int]:
    """What is said of an error, and the exit code."""
    from vesica.errors import InputError, MissingExtra

    if isinstance(error, MissingExtra):
        return as_options(str(error), vars(arguments)), USAGE
    missing = (error.name or "").partition(".")[0] if isinstance(error, ModuleNotFoundError) else ""
    if missing in CORE:
        return f"vesica needs {missing}, which is not installed here: `pip install vesica` brings it.", USAGE
    if type(error) is ImportError and "compiled core" in str(error):  # it says how to build it
        return str(error), USAGE
    if isinstance(error, OSError):
        return f"{error.filename}: {error.strerror}.", BAD_INPUT
    if isinstance(error, MemoryError):
        told = as_options(str(error), vars(arguments)).rstrip(".")
        return f"There is not enough memory for this{f': {told}' if told else ''}.", BAD_INPUT
    if isinstance(error, (InputError, ValueError, TypeError)):
        return settings.with_origin(as_options(str(error), vars(arguments))), BAD_INPUT
    from vesica import __version__

    what = f"{type(error).__name__}: {error}"
    return (
        f"vesica {__version__} failed, and it should not have: {what}. Please report it; `-v` shows where.",
        OUR_FAULT,
    )


def _say(message: str, code: int) -> int:
    """An error, where the caller looks for it; elsewhere if nothing can be written there."""
    try:
        outputs.tell_error(Parser.form, Parser.verb, message, code)
    except OSError:
        streams.silence(sys.stdout)
    else:
        if Parser.form == "json":
            return code
    streams.say(f"vesica: {message}")
    return code
