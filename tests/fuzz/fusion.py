"""Box fusion: any boxes, any scores, any models."""

from __future__ import annotations

from typing import Any

import numpy as np

import vesica
from vesica import _native

from . import sound
from .numbers import STRANGE, Rng, chance, isa_level, pick
from .soft import NAMES, proposals


def trial(rng: Rng) -> None:
    _native.limit_isa(isa_level(rng))
    boxes, scores, keys = proposals(rng)
    if boxes is None:
        return
    options: dict[str, Any] = {"keys": keys, "above": pick(rng, (0, 0.55, 1, 1e-300))}
    options["score"] = pick(rng, ("box_and_model_avg", "absent_model_aware_avg", "avg", "max"))
    if chance(rng, 0.6):
        options["models"] = rng.integers(0, 3, len(boxes))
        options["weights"] = [pick(rng, (1, 0.5, 1e100, 1e-300)) for _ in range(3)]
    if chance(rng, 0.1):
        options[pick(rng, ("models", "weights"))] = pick(rng, (*STRANGE, [0.0], [-1], np.full(len(boxes), 7)))
    fused = sound.attempt(lambda: vesica.fuse(boxes, scores, threads=1, **options), *NAMES, "`models`", "`weights`")
    if fused is None:
        return

    assert sorted(set(fused.members.tolist())) == list(range(len(fused)))
    assert np.array_equal(fused.members[fused.first], np.arange(len(fused)))
    assert np.all(np.diff(fused.scores) <= 0)
    if options["score"] != "avg":
        assert np.all(fused.scores <= np.max(np.asarray(scores, float), initial=0) * (1 + 1e-12))
    again = vesica.fuse(boxes, scores, threads=3, **options)
    assert np.array_equal(again.members, fused.members) and np.array_equal(again.scores, fused.scores)
    assert np.array_equal(again.boxes.array, fused.boxes.array, equal_nan=True)
