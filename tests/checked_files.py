"""Sound files and damaged ones on disk, and what `check` says of them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import vesica
from damages import DAMAGES, Style, sound, write
from vesica.cli import main

SMALL = Style(images=24)
WHOLE = replace(SMALL, digits=0, images=45)
STYLES = {
    "plain": SMALL,
    "whole": WHOLE,
    "few kinds": replace(SMALL, categories=(1, 2, 3)),
    "contiguous": replace(SMALL, categories=tuple(range(1, 31)), first_image=1, step=1),
    "from 0": replace(SMALL, categories=tuple(range(12)), first_image=0, step=1),
    "all digits": replace(SMALL, digits=None),
    "not clipped": replace(SMALL, unclipped=True, images=36),
    "poor": replace(SMALL, recall=0.4, jitter=0.12, images=40),
    "one size": replace(SMALL, sizes=((480, 640),)),
    "large": replace(SMALL, sizes=((1080, 1920),)),
}
CORNERS = next(one for one in DAMAGES if one.name == "corners")


@cache
def made(style="plain", seed=0):
    return sound(seed, STYLES[style] if isinstance(style, str) else style)


def files(results=None, truth=None, style="plain", seed=0):
    """A truth and results on disk, sound ones unless given."""
    own_truth, own = made(style, seed)
    return write(Path("guess.json"), own if results is None else results), write(
        Path("truth.json"), own_truth if truth is None else truth
    )


def checked(results=None, truth=None, **options):
    guess, against = files(results, truth, **options)
    return vesica.check(guess, against=against)


def wrong(diagnosis):
    """What is no note."""
    return [one.code for one in diagnosis if one.severity != "note"]


def run(capsys, *words):
    try:
        code = main(list(words))
    except SystemExit as leaving:
        code = leaving.code
    out, err = capsys.readouterr()
    return code, out, err
