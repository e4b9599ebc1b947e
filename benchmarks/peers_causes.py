"""Peers that tell causes of error: tidecv, which they come from."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.contender import Call, Contender

MAIN, SPECIAL = ("Cls", "Loc", "Both", "Dupe", "Bkg", "Miss"), ("FalsePos", "FalseNeg")


def _tidecv(truth: np.ndarray, guess: np.ndarray) -> Call:
    from tidecv import TIDE, Data

    truths, guesses = Data("truth"), Data("guess")
    for image, category, x, y, w, h, crowd in truth.tolist():
        add = truths.add_ignore_region if crowd else truths.add_ground_truth
        add(int(image), int(category), [x, y, w, h])
    for image, category, x, y, w, h, score in guess.tolist():
        guesses.add_detection(int(image), int(category), score, [x, y, w, h])

    def call() -> Any:
        tide = TIDE()
        run = tide.evaluate(truths, guesses, mode=TIDE.BOX)
        return run.ap, tide.get_all_errors()

    return call


def _numbers(found: Any) -> np.ndarray:
    """AP, and what each cause costs, as shares of 1."""
    ap, errors = found
    costs = [errors["main"]["guess"][name] for name in MAIN] + [errors["special"]["guess"][name] for name in SPECIAL]
    return np.array([ap, *costs]) / 100


CAUSES_PEERS = (Contender("tidecv", "tidecv", _tidecv, _numbers),)
