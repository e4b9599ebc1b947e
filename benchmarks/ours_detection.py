"""Our scripts for detection scores: from files, and from columns without a file."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from benchmarks.peers_detection import CURVES, Answer, Job, Script

FILES, COLUMNS = "vesica", "vesica from arrays"


def _files(job: Job) -> Generator[str, None, Answer]:
    import vesica

    evaluate = vesica.evaluate  # which is loaded when it is asked for
    yield "import"

    result = evaluate(job.truth, job.guess, regions=job.regions)
    numbers = result.stats
    yield "evaluate"

    return lambda: _answer(result, numbers)


def _columns(job: Job) -> Generator[str, None, Answer]:
    """Arrays of ids, boxes and scores, as a program has them that never wrote a file."""
    import numpy as np

    import vesica

    evaluate, from_arrays = vesica.evaluate, vesica.Dataset.from_arrays
    yield "import"

    truth, guess = ({name: table[name] for name in table.files} for table in map(np.load, (job.truth, job.guess)))
    yield "prepare"

    known = {"images": truth["image_ids"], "categories": truth["category_ids"]}
    truths = from_arrays(
        truth["bbox"],
        form="xywh",
        image=truth["image_id"],
        category=truth["category_id"],
        area=truth["area"],
        crowd=truth["iscrowd"].astype(bool),
        id=truth["id"],
        **known,
    )
    ids = {"image": guess["image_id"], "category": guess["category_id"]}
    guesses = from_arrays(guess["bbox"], form="xywh", score=guess["score"], **ids, **known)
    yield "load"

    result = evaluate(truths, guesses, regions=job.regions)
    numbers = result.stats
    yield "evaluate"

    return lambda: _answer(result, numbers)


def _answer(result: Any, numbers: Any) -> dict[str, Any]:
    return {"stats": numbers, **{name: getattr(result, name) for name in CURVES}}


OUR_SCRIPTS: dict[str, Script] = {FILES: _files, COLUMNS: _columns}
