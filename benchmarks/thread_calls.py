"""The inside of a process with a given number of threads: large calls, timed, and what they answered."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

import vesica
from benchmarks.cases import CASES
from benchmarks.cases_detection import folder
from benchmarks.clock import QUICK, watch

Call = Callable[[], Iterable[np.ndarray]]


def _of_case(case: str, call: Callable[[np.ndarray, np.ndarray], Iterable[np.ndarray]]) -> Callable[[], Call]:
    def prepare() -> Call:
        a, b = CASES[case].tables()
        return lambda: call(a, b)

    return prepare


def _nms(boxes: np.ndarray, ranks: np.ndarray) -> Iterable[np.ndarray]:
    return (vesica.nms(boxes, np.ascontiguousarray(ranks[:, 0])),)


def _labels(a: np.ndarray, b: np.ndarray) -> Iterable[np.ndarray]:
    table = vesica.LabelMap(a).contingency(vesica.LabelMap(b))
    return table.ids_a, table.ids_b, table.counts


def _scores(guess: str, regions: Any) -> Callable[[], Call]:
    def prepare() -> Call:
        files = folder()
        paths = files / "truth.json", files / guess
        return lambda: (vesica.evaluate(*paths, regions=regions).stats,)

    return prepare


CALLS: dict[str, Callable[[], Call]] = {
    "iou 5000²": _of_case("5000x5000 float32", lambda a, b: (vesica.iou(a, b),)),
    "label maps, noise": _of_case("labels noise", _labels),
    "nms 1M scattered": _of_case("nms 1M scattered", _nms),
    "join 1M × 1M": _of_case("join 1M dense", lambda a, b: vesica.join(a, b, at_least=0.5)),
    "evaluate 180k boxes": _scores("boxes_180k.json", "box"),
    "evaluate 500k boxes": _scores("boxes_500k.json", "box"),
    "evaluate 180k masks": _scores("masks_180k.json", "mask"),
    "evaluate 180k boundaries": _scores("masks_180k.json", "boundary"),
}


def timed(call: Call) -> dict[str, Any]:
    answer = hashlib.sha256(b"".join(np.ascontiguousarray(part).tobytes() for part in call())).hexdigest()
    return {"seconds": watch(call, QUICK), "answer": answer}


if __name__ == "__main__":
    print(json.dumps(timed(CALLS[sys.argv[1]]())))
