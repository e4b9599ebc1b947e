"""Write fusion.json: what ensemble-boxes 1.0.9 (MIT) makes of random boxes. Run it where that is installed."""

from __future__ import annotations

import json
from importlib.metadata import version
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from ensemble_boxes import weighted_boxes_fusion

WAYS = ("avg", "max", "box_and_model_avg", "absent_model_aware_avg")
WEIGHTS = ([1, 1, 1], [2, 1, 0.5], [1, 3, 1])
SEEDS = range(4)


def case(weights: list[float], seed: int) -> dict[str, Any]:
    """Objects that each model finds up to twice, in two classes; the third model finds nothing if the seed is odd."""
    rng = np.random.default_rng(seed)
    corner, side = rng.uniform(0.05, 0.6, (6, 2)), rng.uniform(0.1, 0.25, (6, 2))
    rows, models = [], []
    for model in range(2 if seed % 2 else 3):
        for thing in np.repeat(np.arange(6), rng.integers(0, 3, 6)):
            box = np.concatenate([corner[thing], corner[thing] + side[thing]]) + rng.normal(0, 0.012, 4)
            rows.append(box.round(4).tolist())
            models.append(model)
    scores = rng.permutation(len(rows)) / len(rows) * 0.9 + 0.05
    found = {"boxes": rows, "scores": scores.round(4).tolist(), "models": models, "weights": weights}
    found["keys"] = [int(thing) for thing in rng.integers(0, 2, len(rows))]
    found["above"] = [0.55, 0.3, 0.7, 0.55][seed]
    return found | {"answers": {way: answer(found, way) for way in WAYS}}


def answer(given: dict[str, Any], way: str) -> dict[str, Any]:
    """Boxes, scores and classes, sorted by class and corner, for equal scores may come in any order."""
    each = range(len(given["weights"]))
    columns = [
        [[v for v, m in zip(given[c], given["models"], strict=True) if m == k] for k in each]
        for c in ("boxes", "scores", "keys")
    ]
    boxes, scores, labels = weighted_boxes_fusion(
        *columns, weights=given["weights"], iou_thr=given["above"], skip_box_thr=0.0, conf_type=way
    )
    order = np.lexsort((*boxes.T[::-1], labels))
    return {"boxes": boxes[order].round(7).tolist(), "scores": scores[order].round(9).tolist()}


if __name__ == "__main__":
    cases = [case(weights, seed) for weights, seed in product(WEIGHTS, SEEDS)]
    path = Path(__file__).with_suffix(".json")
    path.write_text(json.dumps({"version": version("ensemble-boxes"), "cases": cases}, separators=(",", ":")) + "\n")
