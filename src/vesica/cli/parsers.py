"""The tree of argparse: a parser for each verb, errors in the form that was asked for, and what may have been meant."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import re
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, ClassVar, NoReturn

from vesica.cli import common_options
from vesica.cli.epilogs import in_one_style
from vesica.cli.option_words import as_options

HABITS = {
    "--ann": "TRUTH, by its place",
    "--annotations": "TRUTH, by its place",
    "--colour": "--color",
    "--conf": "--min-score",
    "--conf-thres": "--min-score",
    "--config": "the variable VESICA_CONFIG=FILE",
    "--classwise": "--per-class",
    "--dt": "GUESS, by its place",
    "--gt": "TRUTH, by its place",
    "--input": "the file, by its place",
    "--iou-thr": "--iou",
    "--iou-thres": "--iou",
    "--iou-thrs": "--iou",
    "--iou-threshold": "--iou",
    "--iou-thresholds": "--iou",
    "--iou-type": "--regions",
    "--iou": "--match-at",
    "--jobs": "--threads",
    "--metric": "--gate",
    "--no-color": "--color never",
    "--no-progress": "--progress never",
    "--num-workers": "--threads",
    "--out": "--output",
    "--pred": "GUESS, by its place",
    "--predictions": "GUESS, by its place",
    "--save": "--output",
    "--silent": "--quiet",
    "--workers": "--threads",
    "-j": "--threads",
    "-n": "--threads",
}
"""What people write who come from other tools, and what is meant; it is told where a verb has that option or place."""
_OUTPUTS = ("-o", "--out", "--output", "--save")
_OF_OUT = "OUT, by its place"
"""What they mean where the file that is written has a place of its own."""
VERBS = {
    **dict.fromkeys(("ap", "coco", "evaluate", "map", "metrics", "score", "val", "validate"), "eval"),
    **dict.fromkeys(("dice", "jaccard", "miou", "panoptic", "segment", "segmentation"), "seg"),
    **dict.fromkeys(("agreement", "alpha", "consensus", "iaa", "kappa"), "agree"),
    **dict.fromkeys(("draw", "show", "view", "visualise", "visualize"), "plot"),
    **dict.fromkeys(("diff", "versus", "vs"), "compare"),
    **dict.fromkeys(("export", "import", "write"), "convert"),
    **dict.fromkeys(("lint", "verify"), "check"),
    **dict.fromkeys(("describe", "summary"), "stats"),
    **dict.fromkeys(("doctor", "env", "version"), "info"),
}
"""What others call a verb."""
_CHOICE = re.compile(r"(invalid choice: '(.*)') \(choose from (.*)\)", re.DOTALL)


CHOICES = {
    "bbox": "box",
    "boxes": "box",
    "segm": "mask",
    "masks": "mask",
    "obb": "rotated",
    "pr": "precision-recall",
    "pr-curve": "precision-recall",
    "confusion-matrix": "confusion",
    "calibration": "reliability",
}
"""What others call a choice, and what it is here, where it is one."""


class Parser(argparse.ArgumentParser):
    """Argparse, whose errors go where the caller looks for them."""

    say: ClassVar[Callable[[str], object]] = print
    """Tells an error of usage; set where a command is run."""
    form = "text"
    """One of `outputs.OUTPUTS`."""
    verb = ""

    def error(self, message: str) -> NoReturn:
        if Parser.form != "json":
            with contextlib.suppress(OSError):  # a full disk: the code is told all the same
                self.print_usage(sys.stderr)
        message = _with_choice(message)
        stop = "" if message.endswith((".", "?")) else "."
        message = as_options(message, {action.dest for action in self._actions})
        Parser.say(f"{message}{stop} `{self.prog} --help` shows examples.")
        raise SystemExit(2)

    def parse_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> Any:  # type: ignore[override]
        found, left = self.parse_known_args(args, namespace)
        verb: Parser = getattr(found, "parser", self)
        left = _placed(left, found, verb)
        if left:
            verb.error(unknown(left[0], verb))
        return found


def _placed(left: list[str], found: argparse.Namespace, parser: argparse.ArgumentParser) -> list[str]:
    """Words after an option belong to the last place, if that takes any number; argparse leaves them over."""
    last = places_of(parser)[-1:]
    if not last or last[0].nargs not in ("*", "+") or any(word.startswith("-") and word != "-" for word in left):
        return left
    setattr(found, last[0].dest, [*(getattr(found, last[0].dest, None) or ()), *left])
    return []


def unknown(word: str, parser: argparse.ArgumentParser) -> str:
    """What is said of a word that a parser does not know."""
    flag = word.partition("=")[0]
    if not flag.startswith("-") or flag == "-":
        shown = " ".join(map(_place, places_of(parser)))
        takes = f"takes {shown}" if shown else "takes no files"
        return f"{word!r} is one too many: `{parser.prog}` {takes}"
    known = [one for one in parser._option_string_actions if one.startswith("--")]
    there = [str(one.metavar or one.dest) for one in places_of(parser)]
    return f"`{flag}` is no option of `{parser.prog}`.{meant(flag, known, there)}"


def places_of(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    """What is said by its place, and not by an option."""
    return [action for action in parser._actions if not action.option_strings]


def _place(action: argparse.Action) -> str:
    name = str(action.metavar or action.dest)
    return {"?": f"[{name}]", "*": f"[{name} …]", "+": f"{name} [{name} …]"}.get(str(action.nargs), name)


def meant(flag: str, known: Iterable[str], places: Collection[str]) -> str:
    """The option, or the place, that was meant, as a question; "" if none is near."""
    known = list(known)
    # --iouType and --iou_type are --iou-type
    spelled = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", flag).replace("_", "-").lower() if flag.startswith("--") else flag
    habit = _OF_OUT if spelled in _OUTPUTS and "OUT" in places else HABITS.get(spelled, "")
    if habit and _is_there(habit, known, places):
        return f" Did you mean {habit}?"
    from difflib import get_close_matches  # late: most command lines are right

    name = spelled.lstrip("-").lower()
    names = [one.removeprefix("--") for one in known]
    near = [one for one in names if name and one.startswith(name)] or get_close_matches(name, names, n=1)
    return f" Did you mean {' or '.join(f'--{one}' for one in near[:3])}?" if near else ""


def _is_there(habit: str, known: Collection[str], places: Collection[str]) -> bool:
    """Has the verb what the habit stands for? A variable is there for all."""
    if habit.startswith("-"):
        return habit.split()[0] in known
    place, comma, _ = habit.partition(", by its place")
    return not comma or place in places or (place == "the file" and bool(places))


def _with_choice(message: str) -> str:
    """What was meant by a word that is no choice."""
    found = _CHOICE.search(message)
    if found is None:
        return message
    from difflib import get_close_matches

    choices = [word.strip(" '") for word in found[3].split(",")]
    habit = CHOICES.get(found[2].lower().replace("_", "-"))
    near = [habit] if habit in choices else get_close_matches(found[2], choices, n=1)
    return f"{message}. Did you mean {near[0]}?" if near else message


def parser_of(
    verbs: Mapping[str, str], chosen: str | None, /, *, epilog: str = "", loaded: Sequence[str] = ()
) -> tuple[Parser, dict[str, Parser]]:
    """The parser of all verbs, and those of the chosen one and of those that are `loaded`; others have their name."""
    from vesica import __version__

    parser = Parser(
        prog="vesica",
        description="Measure overlap between regions.",
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"vesica {__version__}")

    def of_verb(*, is_loaded: bool, **how: Any) -> Parser:
        """A verb that is only listed needs no parser: sixteen would take longer than the one that is chosen."""
        return Parser(**how) if is_loaded else parser

    own: Any = of_verb  # argparse calls it as it calls a class
    places: Any = parser.add_subparsers(metavar="VERB", required=True, parser_class=own)
    if chosen is not None and chosen not in verbs:
        from difflib import get_close_matches

        near = [VERBS[chosen]] if chosen in VERBS else get_close_matches(chosen, verbs, n=1)
        hint = f" Did you mean `vesica {near[0]}`?" if near else f" There are {', '.join(verbs)}."
        parser.error(f"`{chosen}` is no verb of vesica.{hint}")
    found: dict[str, Parser] = {}
    for name, summary in verbs.items():
        is_loaded = name == chosen or name in loaded
        verb: Parser = places.add_parser(
            name,
            help=summary,
            description=summary[:1].upper() + summary[1:] + ".",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,  # what is short today may mean two options tomorrow
            is_loaded=is_loaded,
        )
        if is_loaded:
            module: Any = importlib.import_module(f"vesica.cli.{name}")
            module.add_arguments(verb)
            common_options.add_arguments(verb, name)
            verb.epilog = in_one_style(verb.epilog or "")
            verb.usage = " ".join(["%(prog)s [options]", *map(_place, places_of(verb))])
            verb.set_defaults(run=module.run, usage_error=verb.error, parser=verb)
            found[name] = verb
    return parser, found
