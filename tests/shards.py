"""A small data set in uneven shards of whole images, whose order says nothing; and all that is scored of shards."""

import functools
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import vesica
from vesica import AgreementPolicy, Dataset, scale

IMAGES, CLASSES = 60, 4


def world(seed=0, *, shift=3.0, masks=False):
    """Truths and guesses of many images: ties, crowds, empty images, classes without guesses."""
    rng = np.random.default_rng(seed)
    rows = 6 * IMAGES
    image = rng.integers(0, IMAGES - 3, rows)
    boxes = np.concatenate([rng.uniform(0, 60, (rows, 2)), rng.uniform(4, 30, (rows, 2))], 1).round(1)
    category = rng.integers(0, CLASSES, rows)
    tables = {"images": [f"im{k:03d}" for k in range(IMAGES)], "categories": {k: f"c{k}" for k in range(CLASSES)}}
    ids = np.array(tables["images"], object)
    moved = boxes + rng.normal(0, shift, boxes.shape) * [1, 1, 0, 0]
    drawn = {"masks": None}, {"masks": None}
    if masks:
        drawn = tuple({"masks": [_outline(box) for box in side]} for side in (boxes, moved))
    truth = Dataset.from_arrays(
        boxes, form="xywh", image=ids[image], category=category, crowd=rng.random(rows) < 0.05, sizes=(120, 120),
        id=np.arange(rows), **tables, **drawn[0],
    )  # fmt: skip
    guess = Dataset.from_arrays(
        moved, form="xywh", image=ids[image], category=np.where(rng.random(rows) < 0.1, 0, category),
        score=rng.random(rows).round(1), sizes=(120, 120), **tables, **drawn[1],
    )  # fmt: skip
    return truth, guess


def _outline(box):
    x, y, w, h = box.tolist()
    return [[x, y, x + w, y, x + w, y + h, x, y + h]]


def table_of(truth, guess):
    return truth.to_arrow().append_column("guess", guess.to_arrow().column("guess"))


def parts(folder, table, sizes, *, shuffled=True):
    """The rows of a table in uneven files, whose order says nothing."""
    import pyarrow.parquet as pq

    order = np.random.default_rng(7).permutation(len(table)) if shuffled else np.arange(len(table))
    ends = np.cumsum([0, *sizes])
    assert ends[-1] == len(table)
    folder.mkdir(exist_ok=True)
    for k, (begin, end) in enumerate(zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)):
        pq.write_table(table.take(order[begin:end]), folder / f"part-{k:05d}.parquet")
    return folder


UNEVEN = (1, 30, 7, 2, 1, 1, 5, 3, 2, 8)


def without_score(data):
    return Dataset.from_arrays(
        data.xywh, form="xywh", image=data.images.ids[data.image], category=data.categories.ids[data.category],
        images=data.images, categories=data.categories,
    )  # fmt: skip


class Scored(NamedTuple):
    """Shards, and what one run says of all of them."""

    call: Callable[..., Any]
    """Takes `engine` and `workers`."""
    facts: Callable[[Any], Any]
    """All of a result that must be the same: bytes, numbers, intervals, causes."""
    whole: Any
    """The facts of one run."""


def _detection(regions, folder):
    truth, guess = world(masks=regions != "box")
    parts(folder, table_of(truth, guess), UNEVEN)
    whole = vesica.evaluate(truth, guess, regions=regions, details=True)
    assert whole["AP"] > 0.005

    def facts(result):
        intervals = [repr(result.interval(name, replicates=100)) for name in ("AP", "AR100")]
        return result.records.to_bytes(), result.to_json(), intervals, result.causes().table.text()

    return Scored(functools.partial(scale.evaluate, folder, regions=regions, details=True), facts, facts(whole))


def _segmentation(folder):
    rng = np.random.default_rng(0)
    for side in ("truth", "guess"):
        (folder / side).mkdir(parents=True)
        for k in range(11):
            np.save(folder / side / f"{k}.npy", rng.integers(0, 4, (9 + k, 12)).astype(np.uint8))
    paths, options = (folder / "truth", folder / "guess"), {"categories": 3, "ignore": 3}

    def facts(result):
        return result.counts.to_bytes(), result.to_json(), repr(result.interval("mIoU", replicates=100))

    call = functools.partial(scale.evaluate_segmentation, *paths, **options)
    return Scored(call, facts, facts(vesica.evaluate_segmentation(*paths, **options)))


def _agreement(folder):
    truth, guess = world()
    both = Dataset.of_annotators({"ann": truth, "ben": without_score(guess)})
    parts(folder, both.to_arrow(), UNEVEN)
    policy = AgreementPolicy(replicates=100)

    def facts(result):
        interval = repr(result.interval("agreement"))
        return result.records.to_bytes(), repr(dict(result)), interval, result.ledger().text()

    call = functools.partial(scale.evaluate_agreement, folder, policy=policy)
    return Scored(call, facts, facts(vesica.evaluate_agreement(both, policy=policy)))


def _comparison(folder):
    truth, a = world()
    _, b = world(shift=1.0)
    folder.mkdir()
    files = [parts(folder / name, data.to_arrow(), UNEVEN) for name, data in (("truth", truth), ("a", a), ("b", b))]
    whole = vesica.compare(vesica.evaluate(truth, a), vesica.evaluate(truth, b))
    return Scored(functools.partial(scale.compare, *files), lambda result: result.to_json(), whole.to_json())


def _bounds(folder):
    truth, guess = world()
    parts(folder, table_of(truth, guess), UNEVEN)
    records = vesica.evaluate(truth, guess).records
    whole = vesica.detection.counts_by_score(records, bins=8).bounds()
    return Scored(functools.partial(scale.bounds, folder, bins=8), lambda result: dict(result), dict(whole))


KINDS = {
    "boxes": functools.partial(_detection, "box"),
    "masks": functools.partial(_detection, "mask"),
    "boundary": functools.partial(_detection, "boundary"),
    "bounds": _bounds,
    "segmentation": _segmentation,
    "agreement": _agreement,
    "comparison": _comparison,
}
_KEPT = tempfile.TemporaryDirectory()


@functools.cache
def scored(kind):
    """Made once for all engines."""
    return KINDS[kind](Path(_KEPT.name, kind))
