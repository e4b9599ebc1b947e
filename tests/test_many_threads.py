"""The same bytes with one thread and with many, where work is large enough to be shared."""

from __future__ import annotations

import json

import numpy as np
import pytest

import vesica
from vesica import LabelMap
from vesica._kernels.native import coco_file

THREADS = (1, 2, 4, 16)


def boxes(count: int, side: float) -> np.ndarray:
    rng = np.random.default_rng(count)
    corners = rng.uniform(0, side, (count, 2))
    sizes = rng.uniform(0, 20, (count, 2)) * (rng.random((count, 1)) < 0.95)  # some have no area
    return np.hstack([corners, corners + sizes]).astype(np.float32)


@pytest.mark.parametrize(
    ("count", "side"),
    [(8_000, 100), (8_000, 5_000), (40_000, 600)],
    ids=["crowded", "scattered, looked at for a while", "by cells"],
)
def test_nms(count: int, side: float) -> None:
    rows, scores = boxes(count, side), np.arange(count) % 977
    want = vesica.nms(rows, scores, suppressed_by=True, threads=1)
    by_class = [vesica.nms(rows[k::2], scores[k::2], threads=1) for k in (0, 1)]
    for threads in THREADS:
        kept, by = vesica.nms(rows, scores, suppressed_by=True, threads=threads)
        assert kept.tobytes() == want[0].tobytes()
        assert by.tobytes() == want[1].tobytes()
        both = vesica.nms(rows, scores, keys=np.arange(count) % 2, threads=threads)
        assert [both[both % 2 == k].tolist() for k in (0, 1)] == [
            (2 * some + k).tolist() for k, some in enumerate(by_class)
        ]


def test_nms_looks_or_asks_cells() -> None:
    """Of 8,000 boxes each kept one looks at all others; with twice as many, boxes are asked by cells at once."""
    count = 8_000
    rows, scores = boxes(count, 300), np.random.default_rng(0).random(count)
    far = boxes(count, 300)[:, [0, 1, 0, 1]] + np.float32(1e6)  # without area, far away: kept, all of them
    alone = vesica.nms(rows, scores, threads=1)
    among = vesica.nms(np.concatenate([rows, far]), np.concatenate([scores, np.zeros(count)]), threads=1)
    assert alone.tolist() == among[among < count].tolist()
    assert len(among) == len(alone) + count


def test_join() -> None:
    a, b = boxes(30_000, 2_000), boxes(31_000, 2_000)
    keys = (np.arange(len(a)) % 5, np.arange(len(b)) % 5)
    for options in ({}, {"keys": keys}):
        want = [column.tobytes() for column in vesica.join(a, b, at_least=0.2, threads=1, **options)]
        for threads in THREADS:
            got = vesica.join(a, b, at_least=0.2, threads=threads, **options)
            assert [column.tobytes() for column in got] == want


def test_join_of_many_keys() -> None:
    """Each key has two rows, which different threads may count: more keys than the table of one began with."""
    count = 40_000
    keys = np.random.default_rng(2).permutation(count) // 2
    want = np.argsort(keys, kind="stable").reshape(-1, 2)
    want = want[np.argsort(want[:, 0])]
    table = np.tile(np.float32([[0, 0, 1, 1]]), (count, 1))
    for threads in THREADS:
        pairs = vesica.join(table, at_least=0.5, keys=keys, threads=threads)
        assert pairs.i.tolist() == want[:, 0].tolist()
        assert pairs.j.tolist() == want[:, 1].tolist()


def test_scores_that_differ_late() -> None:
    """Thousands are equal in the bits that are sorted by first, across the shares of threads."""
    count = 40_000
    rng = np.random.default_rng(4)
    scores = rng.integers(1, 4, count) + rng.integers(0, count, count) * 2.0**-50
    apart = np.arange(count, dtype=np.float32)[:, None] * 2 + np.float32([0, 0, 1, 1])
    want = np.argsort(-scores, kind="stable").tolist()
    for threads in THREADS:
        assert vesica.nms(apart, scores, above=0.5, threads=threads).tolist() == want


@pytest.mark.parametrize("dtype", ["uint8", "int16", "int64"])
def test_label_maps(dtype: str) -> None:
    """Noise, then plains, then both: every way of counting, and tables of threads that saw other labels."""
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 19, (2, 600, 1000)).astype(dtype)
    a[200:], b[150:400] = 7, 3
    a[500:, ::50] = 100
    pairs = np.unique(np.stack([a.ravel(), b.ravel()]).astype(np.int64), axis=1, return_counts=True)
    for threads in THREADS:
        table = LabelMap(a).contingency(LabelMap(b), threads=threads)
        i, j = np.nonzero(table.counts)
        assert np.array_equal(np.stack([table.ids_a[i], table.ids_b[j]]), pairs[0])
        assert np.array_equal(table.counts[i, j], pairs[1])


def test_columns_move_while_others_write() -> None:
    """The first records are long, so that far more follow than were expected, and columns have to move."""
    rows = [{"image_id": k, "category_id": 1, "bbox": [k, 0, 1, 1], "score": 0.5} for k in range(20_000)]
    for row in rows[:100]:
        row["note"] = "x" * 3000
    for row in rows[15_000:]:
        row["area"] = 1.5  # a column that begins late
    data = np.frombuffer(json.dumps(rows).encode(), np.uint8)
    for threads in THREADS:
        for block in (2_000, 20_000, 1 << 20):
            found = coco_file.read(data, block=block, threads=threads)
            assert isinstance(found, coco_file.Columns)
            got = found.annotations
            assert got.xywh is not None
            assert got.area is not None
            assert got.xywh[:, 0].tolist() == list(range(20_000))
            assert np.array_equal(found.image_ids[got.image], np.arange(20_000))
            assert np.array_equal(got.area[15_000:], np.full(5_000, 1.5))
            assert np.isnan(got.area[:15_000]).all()


@pytest.mark.parametrize("images", [400, 30_000], ids=["large cells", "many cells"])
def test_one_large_category(images: int) -> None:
    """A category with most guesses is shared by all threads, and so is its sort; one has no truths at all."""
    rng = np.random.default_rng(5)
    guesses, truths = 40_000, 4_000 + images // 4
    where, what = rng.integers(0, images, truths), (rng.random(truths) < 0.05).astype(int)
    spots = rng.uniform(0, 400, (truths, 2))
    known = {"images": np.arange(images), "categories": np.arange(3)}
    truth = vesica.Dataset.from_arrays(
        np.hstack([spots, np.full((truths, 2), 30.0)]), form="xywh", image=where, category=what, **known
    )
    of = rng.integers(0, truths, guesses)
    moved = spots[of] + rng.normal(0, 6, (guesses, 2))
    guess = vesica.Dataset.from_arrays(
        np.hstack([moved, np.full((guesses, 2), 30.0)]),
        form="xywh",
        image=where[of],
        category=np.where(rng.random(guesses) < 0.01, 2, what[of]),
        score=np.round(rng.random(guesses), 3),
        **known,
    )
    want = vesica.evaluate(truth, guess, threads=1)
    assert (want.precision[:, :, 2] == -1).all()
    assert (want.precision[:, :, :2, 0] >= 0).all()
    columns = ("starts", "image", "guesses", "counted", "row", "score", "matched", "ignored")
    for threads in (*THREADS[1:], 5):
        got = vesica.evaluate(truth, guess, threads=threads)
        assert got.stats.tobytes() == want.stats.tobytes()
        for name in ("precision", "recall", "scores"):
            assert getattr(got, name).tobytes() == getattr(want, name).tobytes()
        for name in columns:
            assert getattr(got.records, name).tobytes() == getattr(want.records, name).tobytes()
