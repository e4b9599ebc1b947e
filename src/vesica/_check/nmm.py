"""Checks of what merging is given."""

from __future__ import annotations

from typing import Literal, get_args

Way = Literal["greedy", "transitive"]
Score = Literal["max", "mean"]
WAYS: tuple[str, ...] = get_args(Way)
SCORES: tuple[str, ...] = get_args(Score)


def uniting(kind: str) -> None:
    if kind == "Sets":
        raise TypeError(
            "`regions` must be regions of an image, whose union is one too; got Sets. "
            "Which of them belong together: join(sets, at_least=…); their unions are Python's own."
        )
