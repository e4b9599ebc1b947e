"""`vesica check FILE [--against TRUTH] [--fix OUT]`: what seems to be wrong with a file, and the file without it."""

from __future__ import annotations

import argparse
import os
import shlex
from typing import TYPE_CHECKING, Any

from vesica.cli import image_options, outputs, streams
from vesica.cli.epilogs import epilog
from vesica.io.formats import readable

if TYPE_CHECKING:
    from vesica.diagnose.diagnosis import Diagnosis
    from vesica.diagnose.files import Checked
    from vesica.diagnose.finding import Finding
    from vesica.diagnose.repair import Repaired

_EPILOG = epilog(
    """
  vesica check guess.json --against truth.json
  vesica check truth.json
  vesica check guess.json --against truth.json --strict --json
  vesica check corners.json --against truth.json --fix corners_fixed.json
  vesica check corners.json --against truth.json --fix corners_fixed.json --assume boxes=xyxy
""",
    notes="""
--assume NAME=VALUE, where it is not sure, or you know better:
  boxes=      xyxy, xywh, cxcywh, yxyx, yxhw (with -shares or -percent behind it: xyxy-shares);
              one-based, moved-by-one, inclusive, ordered
  frame=      letterbox:SIDE, corner:SIDE, stretch:SIDE
  categories= +1, -1, from0, from1, number, text
  images=     +1, -1, named
  area=       box, mask
  ids=        renumber
""",
    codes="exit codes: 0 nothing, notes or warnings; 2 usage; 3 an error was found, or a warning with --strict; "
    "4 our fault",
)
_BAD = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("file", metavar="FILE", help="truths or guesses: a file, a folder, a pattern")
    parser.add_argument("--against", metavar="TRUTH", help="the truth of the same images: shows far more")
    parser.add_argument("--fix", metavar="OUT", help="write FILE without what was found, as OUT; COCO (.json) alone")
    parser.add_argument(
        "--assume", action="append", default=[], metavar="NAME=VALUE", help="with --fix: what is so; see below"
    )
    parser.add_argument("--strict", action="store_true", help="exit code 3 for warnings too")
    parser.add_argument(
        "--format", dest="files_format", choices=readable(), help="of FILE, where the content does not show it"
    )
    parser.add_argument("--against-format", choices=readable(), metavar="NAME", help="of TRUTH")
    image_options.add_arguments(parser)
    outputs.add_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    assumed = _check_usage(arguments)
    from vesica.cli.progress import steps
    from vesica.diagnose.diagnosis import diagnosed

    with steps("read truth", "read", "look") as done:
        truth = None
        if arguments.against is not None:
            truth = _read(arguments.against, arguments.against_format, arguments, None)
        done()
        file = _read(arguments.file, arguments.files_format, arguments, truth, masks=True)
        done()
        found = diagnosed(file, truth)
    if arguments.fix is not None:
        return _fix(found, assumed, arguments)
    return _tell(found, None, arguments)


def _read(
    path: str, format: str | None, arguments: argparse.Namespace, truth: Checked | None, masks: bool = False
) -> Checked:
    from vesica.diagnose.files import Said, checked

    said = Said(format, image_options.given(arguments), arguments.threads)
    found = checked(path, said, None if truth is None else truth.side, masks=masks)
    streams.note(f"Read {path} as {found.title}: {len(found.side.data):,} rows, {found.form}.", arguments)
    return found


def _fix(found: Diagnosis, assumed: tuple[str, ...], arguments: argparse.Namespace) -> int:
    """Write the repaired file; without anything that is sure, the commands to choose from."""
    from vesica.errors import InputError

    try:
        written = found.fix(arguments.fix, assume=assumed)
    except InputError as error:
        if outputs.form_of(arguments) == "text":
            _show(found, arguments)
        raise InputError(f"{error} {_commands_in_words(found, arguments)}".strip()) from error
    return _tell(found, written, arguments)


def _tell(found: Diagnosis, written: Repaired | None, arguments: argparse.Namespace) -> int:
    """The whole answer. What was repaired is no fault of OUT any more."""
    left = found if written is None else written.left
    is_bad = bool(left.errors) or (arguments.strict and bool(left.warnings))

    def show() -> None:
        if written is None:
            _show(found, arguments)
        else:
            _show_changes(written, arguments)

    told = f"{found.name}{'' if found.against is None else f' against {found.against}'}"
    answer = outputs.Answer(
        "check",
        f"{told}: {len(left.findings):,} findings",
        _facts(found, written),
        show,
        file=arguments.file if written is None else written.path,
        findings=[_remark(one) for one in left.findings],
        code=_BAD if is_bad else 0,
    )
    return outputs.tell(answer, arguments)


def _remark(one: Finding) -> outputs.Remark:
    return outputs.Remark(one.code, one.severity, f"{one.code} ({one.confidence})", one.text, file=one.file or None)


def _facts(found: Diagnosis, written: Repaired | None) -> dict[str, Any]:
    if written is None:
        return found.to_dict()
    changes = [one._asdict() for one in written.changes]
    left = [one.to_dict() for one in written.left.findings]
    return found.to_dict() | {"fixed": {"path": written.path, "changes": changes, "left": left}}


def _show(found: Diagnosis, arguments: argparse.Namespace) -> None:
    if not found.findings:
        compared = "" if found.hits is None else f" Of {found.looked_at:,} guesses {found.hits:.0%} lie on a truth."
        print(f"{found.name}: nothing was found.{compared}")
    for one in found.findings:
        print(one)
        for command in commands(one, found, arguments):
            print(f"    {command}")


def _show_changes(written: Repaired, arguments: argparse.Namespace) -> None:
    for one in written.changes:
        known = one.before is not None and one.after is not None
        hits = f"; {one.before:.1%} of guesses lie on a truth before, {one.after:.1%} after" if known else ""
        print(f"{one.assumed}: {one.rows:,} rows changed{hits}")
    print(f"Wrote {written.path}.")
    for left in written.left.findings:
        print(left)


def commands(one: Finding, found: Diagnosis, arguments: argparse.Namespace) -> list[str]:
    """The commands that repair what was found: one, or those to choose from."""
    if not one.repairs or one.file != found.file.side.path or found.file.file is None:
        return []
    words = ["vesica", "check", arguments.file, *(["--against", arguments.against] if arguments.against else [])]
    out = arguments.fix or fixed_name(arguments.file)
    if one.repair is not None:
        return [shlex.join([*words, "--fix", out])]
    return [
        shlex.join([*words, "--fix", out, *(part for word in choice.split(" ") for part in ("--assume", word))])
        for choice in one.repairs
    ]


def fixed_name(path: str, /) -> str:
    """A name for the repaired file: guess.json as guess_fixed.json."""
    stem, ending = os.path.splitext(path.removesuffix(".gz"))
    return f"{stem}_fixed{ending or '.json'}"


def _commands_in_words(found: Diagnosis, arguments: argparse.Namespace) -> str:
    listed = [command for one in found.findings if one.repair is None for command in commands(one, found, arguments)]
    return "" if not listed else "Choose one:\n    " + "\n    ".join(dict.fromkeys(listed))


def _check_usage(arguments: argparse.Namespace) -> tuple[str, ...]:
    """What is assumed; exit code 2 for options that no file could make right."""
    from vesica._check import diagnose

    try:
        image_options.check_usage(arguments)
        outputs.check_usage(arguments)
        assumed = diagnose.assumptions(arguments.assume)
        if assumed and arguments.fix is None:
            raise ValueError("--assume goes with --fix OUT")
        if arguments.file == "-" == arguments.against:
            raise ValueError("standard input can be read only once")
        if arguments.fix == "-":
            raise ValueError("--fix writes a file, and words go to stdout: name one")
        taken = [os.path.realpath(path) for path in (arguments.file, arguments.against) if path not in (None, "-")]
        if arguments.fix is not None and os.path.realpath(arguments.fix) in taken:
            raise ValueError("OUT must not be FILE or TRUTH, which are read")
    except ValueError as error:
        arguments.usage_error(str(error))
    return assumed
