"""Input that nobody means: whatever comes, the answer is sound or the refusal names the argument.

`make fuzz` runs it under the sanitisers; `python -m tests.fuzz --seed 7 --trial 1234` repeats one trial. A noun is a
file with one function, trial(rng), which makes one input and holds the answer against the rules of `sound`; of forks,
threads and signals, which disturb sound calls. The folder targets has what libFuzzer drives.
"""

from __future__ import annotations

import os
import signal

import numpy as np

from . import (
    anchors,
    check,
    clusters,
    coco_file,
    coco_masks,
    detection,
    forks,
    formats,
    fusion,
    labels,
    masks,
    matching,
    nms,
    polygons,
    records,
    rle,
    rotated,
    sets,
    signals,
    soft,
    sparse,
    threads,
    votes,
)

TRIALS = {
    "masks": masks.trial,
    "rle": rle.trial,
    "coco_masks": coco_masks.trial,
    "sparse": sparse.trial,
    "polygons": polygons.trial,
    "rotated": rotated.trial,
    "labels": labels.trial,
    "sets": sets.trial,
    "matching": matching.trial,
    "nms": nms.trial,
    "anchors": anchors.trial,
    "clusters": clusters.trial,
    "soft": soft.trial,
    "fusion": fusion.trial,
    "votes": votes.trial,
    "formats": formats.trial,
    "coco_file": coco_file.trial,
    "detection": detection.trial,
    "check": check.trial,
    "records": records.trial,
    "threads": threads.trial,
}
if hasattr(signal, "setitimer"):
    TRIALS["signals"] = signals.trial
if hasattr(os, "fork"):
    TRIALS["forks"] = forks.trial


def run(seed: int, number: int, nouns: list[str]) -> None:
    """One trial; the same numbers make the same input."""
    trial = TRIALS[nouns[number % len(nouns)]]
    trial(np.random.default_rng([seed, number]))
