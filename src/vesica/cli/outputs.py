"""Forms of an answer: text, JSON, and those that services of continuous integration read. One writer each."""

from __future__ import annotations

import argparse
import contextlib
import io
import itertools
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from vesica.cli import streams

if TYPE_CHECKING:
    from vesica.results.gates import Verdict

OUTPUTS = ("text", "json", "markdown", "github", "junit", "sarif")
VERBS = ("eval", "seg", "agree", "merge", "compare", "check", "stats")
"""Those whose answer has other forms than text and JSON."""


class Shown(NamedTuple):
    """A table of an answer, for a form that shows tables."""

    title: str
    rows: Sequence[dict[str, Any]]
    columns: Sequence[str]
    """In their order; those that the rows lack are left out."""
    is_folded: bool = True


class Remark(NamedTuple):
    """What an answer says beside its numbers: a gate that did not pass, a finding about a file."""

    rule: str
    """Such as `gate` or `boxes-layout`."""
    severity: str
    """One of SEVERITIES."""
    title: str
    text: str
    weight: float = 0.0
    """Of two of one severity the heavier is told first."""
    file: str | None = None
    """If it is not about the file of the answer."""


SEVERITIES = ("error", "warning", "note")
RULES = {
    "gate": "A number does not reach what was asked for.",
    "gate-undecided": "An interval reaches across the bound: more images would decide.",
}


class Answer(NamedTuple):
    """What a verb answers, whatever the form."""

    verb: str
    headline: str
    facts: dict[str, Any]
    """For JSON; `gates` are among them."""
    show: Callable[[], None]
    """Prints it as text."""
    tables: Sequence[Shown] = ()
    file: str | None = None
    """What is judged, for forms that point at a file."""
    findings: Sequence[Remark] = ()
    parts: Callable[[], Sequence[str]] | None = None
    """Of answers that write Markdown themselves: its parts, the headline first. Gates are put behind it."""
    code: int = 0
    """The exit code where all gates pass."""

    @property
    def exit_code(self) -> int:
        """1 if one of its gates failed."""
        return self.code if all(one.passed for one in self.verdicts) else 1

    @property
    def verdicts(self) -> list[Verdict]:
        """What its gates say."""
        from vesica.results.gates import Verdict  # late: `vesica --help` has none

        return [Verdict(**one) for one in self.facts.get("gates", ())]

    @property
    def remarks(self) -> list[Remark]:
        """All that is not as it should be, the worst first: errors, warnings, notes."""
        found = [*self.findings, *(_remark(one) for one in self.verdicts if one.word != "passed")]
        return sorted(found, key=lambda one: (SEVERITIES.index(one.severity), -one.weight))

    @property
    def notes(self) -> list[str]:
        """What was corrected, left out or assumed, with its count."""
        told = self.facts.get("notes", ())
        return [f"{note['count']:,} {note['text']}" for note in told if note["rule"] != "read"]


def _remark(verdict: Verdict) -> Remark:
    rule, severity = ("gate", "error") if not verdict.passed else ("gate-undecided", "warning")
    more = f": {verdict.told}" if verdict.told else ""
    missed = float("inf") if verdict.value is None else abs(verdict.value - verdict.bound)
    word = "failed" if not verdict.passed else "undecided"
    return Remark(rule, severity, f"gate {word}", f"{verdict.gate}: got {verdict.digits}{more}", missed)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--output",
        choices=OUTPUTS,
        help="the form of the answer (default: text): markdown for a pull request; github: annotations, and a summary "
        "of the step; junit: a case for each gate; sarif: findings",
    )


def chosen(words: Sequence[str]) -> str:
    """The form that a command line asks for, before it is known to be a sound one."""
    if "--json" in words:
        return "json"
    verb = next((word for word in words if not word.startswith("-")), None)
    if verb not in VERBS:
        return "text"
    asked = [word.partition("=")[2] for word in words if word.startswith("--output=")]
    asked += [after for word, after in itertools.pairwise(words) if word == "--output"]
    return asked[-1] if asked and asked[-1] in OUTPUTS else "text"


def chosen_by(arguments: argparse.Namespace, verb: str) -> str:
    """The same, once all that is said is known."""
    if arguments.json:
        return "json"
    return (arguments.output or "text") if verb in VERBS else "text"


def check_usage(arguments: argparse.Namespace) -> None:
    """Raise for two forms at once."""
    if arguments.json and arguments.output not in (None, "json"):
        raise ValueError(f"--json is short for --output json: say it, or --output {arguments.output}")


def tell(answer: Answer, arguments: argparse.Namespace) -> int:
    """Tell the whole answer in the form that was asked for, and give its exit code."""
    form = form_of(arguments)
    try:
        if form == "json":
            streams.answer(answer.facts)
        elif form == "text":
            answer.show()
            sys.stdout.flush()
        else:
            streams.write(_writer(form).written(answer))
    except BrokenPipeError:  # the reader has seen enough; what the gates say stays
        streams.silence(sys.stdout)
    return answer.exit_code


def form_of(arguments: argparse.Namespace) -> str:
    """The form that was asked for."""
    return "json" if arguments.json else arguments.output or "text"


def tell_error(form: str, verb: str, message: str, code: int) -> None:
    """An error in a form that a program reads; text is for people, and goes elsewhere."""
    if form == "json":
        streams.answer({"error": message, "exit": code})
    elif form != "text":
        streams.write(_writer(form).error(verb, message, code))


def _writer(form: str) -> Any:
    import importlib

    return importlib.import_module(f"vesica.cli.output_{form}")


def text_of(answer: Answer) -> str:
    """What it prints as text."""
    into = io.StringIO()
    with contextlib.redirect_stdout(into):
        answer.show()
    return into.getvalue()
