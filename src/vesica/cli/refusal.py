"""Refusals: files that seem to be read wrongly are told of, and not scored."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

from vesica.cli import eval_output
from vesica.cli.check import fixed_name

if TYPE_CHECKING:
    from vesica.agreement.ceiling import Ceiling
    from vesica.detection.result import DetectionResult
    from vesica.diagnose.finding import Finding
    from vesica.io.read import Found
    from vesica.segmentation.counts import PixelCounts


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--as-is", action="store_true", help="score the files as they are, whatever `vesica check` would say of them"
    )


def scored(
    score: Callable[[], DetectionResult],
    truth: Found,
    guess: Found,
    arguments: argparse.Namespace,
    /,
    *,
    by_class: bool = True,
) -> DetectionResult:
    """The score of a detector. Files that cannot be scored, or that score little, are looked at for a mistake."""
    from vesica.diagnose.suspicion import is_low
    from vesica.errors import InputError

    if arguments.as_is:
        return score()
    try:
        result = score()
    except InputError as error:
        look(truth, guess, arguments, by_class=by_class, error=error)
        raise
    if is_low(result) or (result.protocol.regions == "box" and are_odd(truth, guess)):
        look(truth, guess, arguments, by_class=by_class)
    return result


def of_model(score: Callable[[], Ceiling], people: Found, guess: Found, arguments: argparse.Namespace, /) -> Ceiling:
    """A model beside annotators: looked at as a detector is, beside what one of them drew."""
    from vesica.diagnose.suspicion import LITTLE
    from vesica.errors import InputError

    if arguments.as_is:
        return score()
    try:
        found = score()
    except InputError as error:
        look(people, guess, arguments, error=error)
        raise
    if not found["model"] >= LITTLE or are_odd(people, guess):
        look(people, guess, arguments)
    return found


def are_odd(truth: Found, guess: Found, /) -> bool:
    """Do boxes of either file lie where none should?"""
    from vesica.diagnose.inputs import of_found
    from vesica.diagnose.suspicion import looks_odd

    ours = of_found(truth)
    return looks_odd(ours) or looks_odd(of_found(guess, ours))


def look(
    truth: Found,
    guess: Found,
    arguments: argparse.Namespace,
    /,
    *,
    by_class: bool = True,
    error: Exception | None = None,
) -> None:
    """Raise for a mistake that is found in a file of guesses or in its truth; tell what is only worth a word."""
    found = findings_of(truth, guess, by_class=by_class)
    _refuse(found, [truth.name, guess.name], error)
    for one in found:
        if one.severity == "warning" or one.code == "images-wrong-set":
            eval_output.say(f"  {one}", arguments)


def findings_of(truth: Found, guess: Found, /, *, by_class: bool = True) -> Sequence[Finding]:
    """What `vesica check` finds in a file of guesses beside its truth."""
    from vesica.diagnose.examination import examined
    from vesica.diagnose.inputs import of_found

    ours = of_found(truth)
    return examined(of_found(guess, ours), ours, by_class=by_class).findings


def look_at_each(files: Sequence[Found], arguments: argparse.Namespace, /) -> None:
    """Raise for the first mistake that one of these files shows by itself."""
    from vesica.diagnose.examination import examined
    from vesica.diagnose.inputs import of_found

    for one in () if arguments.as_is else files:
        _refuse(examined(of_found(one)).findings, [one.name])


def look_at_labels(counts: PixelCounts, ignore: Collection[int], arguments: argparse.Namespace, /) -> None:
    """Raise for label maps whose labels seem to be others than those of the truth."""
    from vesica.diagnose.labels import findings
    from vesica.errors import InputError

    for one in () if arguments.as_is else findings(counts, ignore):
        raise InputError(f"{one}\nOr --as-is scores the maps as they are.")


def _refuse(found: Sequence[Finding], names: list[str], error: Exception | None = None) -> None:
    """Raise for what is read wrongly, with the command that says more and may repair it."""
    from vesica.diagnose.suspicion import READ_WRONGLY
    from vesica.errors import InputError

    wrong = [one for one in found if one.severity == "error" and one.code in READ_WRONGLY]
    if error is not None:  # which says it well already, where nothing more is known
        wrong = [one for one in wrong if one.repairs]
    if not wrong:
        return
    path = next((name for name in names if name == wrong[0].file), names[-1])
    others = [name for name in names if name != path][:1]
    words = ["vesica", "check", path, *(part for name in others for part in ("--against", name))]
    words += ["--fix", fixed_name(path)] if wrong[0].repair is not None and path.endswith((".json", ".json.gz")) else []
    listed = "\n".join(map(str, wrong))
    raise InputError(f"{listed}\n    {shlex.join(words)}\nOr --as-is scores the files as they are.") from error
