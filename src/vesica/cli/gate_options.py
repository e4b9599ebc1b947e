"""Gates on the command line: what must be reached, and the saved results that they compare with."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from vesica.results import gates

if TYPE_CHECKING:
    from vesica.results.gates import Scores, Verdict
    from vesica.results.resampling import Resampling


def add_arguments(parser: argparse.ArgumentParser, examples: str) -> None:
    parser.add_argument(
        "--gate",
        action="append",
        default=[],
        metavar="GATE",
        help=f"what must be reached within 1e-9, else exit code 1: {examples}; may be repeated",
    )
    parser.add_argument(
        "--undecided",
        choices=gates.UNDECIDED,
        default="pass",
        help="what becomes of a gate with a level (@95%%) that the interval does not decide (default: pass)",
    )


def check_usage(arguments: argparse.Namespace, *, compared: bool = False) -> None:
    """Raise for gates that no file could make right."""
    for text in arguments.gate:
        gates.parse(text, compared=compared)


def verdicts(
    arguments: argparse.Namespace,
    scores: Scores,
    texts: list[str] | None = None,
    *,
    part: str | None = None,
    resampling: Resampling | None = None,
) -> list[Verdict]:
    """What each gate says; exit code 2 for a gate that names what is not there.

    `part` is the part of a saved result's JSON that gates compare with, if not the whole; `resampling` is that of the
    scores, which a base must share.
    """

    def base(path: str | None) -> Scores:
        from vesica.comparison.saved import saved_scores

        assert path is not None
        return saved_scores(path, part=part, resampling=resampling)

    wanted = [gates.parse(text) for text in (arguments.gate if texts is None else texts)]
    found: list[Verdict] = []
    try:
        found = gates.judge(wanted, scores, base=base, undecided=arguments.undecided)
    except ValueError as error:
        arguments.usage_error(str(error))
    return found


def has_level(arguments: argparse.Namespace) -> bool:
    """Does an interval decide one of the gates?"""
    return any(gates.parse(text, compared=True).level is not None for text in arguments.gate)


def told(found: list[Verdict]) -> list[dict[str, Any]]:
    """As JSON has them."""
    return [verdict._asdict() for verdict in found]
