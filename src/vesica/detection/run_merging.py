"""From sorted runs to numbers: the runs of a category are read side by side, a little of each at a time."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from vesica._check import records as check_records
from vesica._check import sorted_runs as check
from vesica._kernels.native import sorted_runs as kernel
from vesica.dataset import Categories
from vesica.detection.curves import EPSILON, Arrays, curve_of
from vesica.detection.records import Records, summed, united
from vesica.detection.sorted_runs import SortedRun, lane_count
from vesica.detection.summary import POINTS, limit_of, lines_of
from vesica.detection.tallies import Tally

LEAST_ROWS = 64
"""Of a run that are read at a time."""
_OF_A_CURVE = 120
"""Bytes that a guess takes where the whole curve of a category is needed."""


def tally_of(runs: Sequence[SortedRun], /, *, memory: int, workers: int = 1) -> Tally:
    """What all runs are worth: the same numbers, to the byte, as of the records that they were made of.

    Parameters
    ----------
    runs : SortedRun, of different images
    memory : int
        Bytes that may be taken for images, answers and rows of runs.
    workers : int, default 1
        Categories that are worked on at once; they share the memory.

    Examples
    --------
    >>> import vesica
    >>> from vesica.detection.sorted_runs import sorted_run_of
    >>> truth = [{"boxes": [[0, 0, 4, 4]], "labels": [1]}]
    >>> guess = [{"boxes": [[0, 0, 4, 4], [1, 0, 5, 4]], "labels": [1, 1], "scores": [0.5, 0.75]}]
    >>> whole = vesica.evaluate(truth, guess)
    >>> result = vesica.detection.summarise(tally_of([sorted_run_of(whole.records)], memory=10**8))
    >>> result["AP"] == whole["AP"]
    True
    """
    check_records.some(tuple(runs))
    first = runs[0]
    for other in runs[1:]:
        check_records.together(first, other)
    images, ranks = united([one.images for one in runs])
    guesses = np.sum([one.guesses for one in runs], axis=0)
    positives = np.sum([one.positives for one in runs], axis=0)
    for place, count in enumerate(guesses.tolist()):
        check.countable(count, _name(first, place))
    merging = _Merging(runs, ranks, positives, guesses, memory - _fixed(runs, len(images)), memory)
    at_recalls = first.protocol.rules.average_precision == "recalls"
    return Tally(
        first.protocol,
        first.categories,
        images,
        positives,
        np.concatenate([[0], np.cumsum(guesses)]),
        merging.arrays(workers) if at_recalls else None,
        {} if at_recalls else merging.points(),
        merging.is_full,
        merging.found,
        summed([note for one in runs for note in one.notes]),
    )


def _name(run: SortedRun, place: int) -> Any:
    names = run.categories.names
    named = None if names is None else names[place]
    return run.categories.ids[place] if named is None else named


def _fixed(runs: Sequence[SortedRun], images: int) -> int:
    """Bytes that are taken whatever the rows: ids and ranks of images, where rows begin, and the answers."""
    protocol, categories = runs[0].protocol, len(runs[0].categories)
    answers = lane_count(protocol) * (len(protocol.recalls) + len(protocol.max_dets)) * categories * 8
    return 24 * images + 32 * categories * len(runs) + 2 * answers


class _Merging:
    """Runs that are read side by side."""

    def __init__(
        self,
        runs: Sequence[SortedRun],
        ranks: Sequence[np.ndarray],
        positives: np.ndarray,
        guesses: np.ndarray,
        left: int,
        memory: int,
    ) -> None:
        self.runs, self.positives, self.guesses = runs, positives, guesses
        self.ranks = [np.ascontiguousarray(rank, np.int32) for rank in ranks]
        self.bounds = [one.bounds for one in runs]
        self.left, self.memory = left, memory
        self.protocol = runs[0].protocol
        self.rank_bytes = runs[0].rank_bytes
        last = len(self.protocol.max_dets) - 1
        wanted = (limit_of(line, self.protocol) for line in lines_of(self.protocol) if line.kind == "precision")
        self.found = np.zeros(len(guesses), np.int64)
        self.is_full = any(limit not in (last, None) for limit in wanted)

    def arrays(self, workers: int) -> Arrays:
        """Precision at given recalls, and recall."""
        protocol, count = self.protocol, len(self.guesses)
        limits = len(protocol.max_dets) if self.is_full else 1
        shape = len(protocol.iou), len(protocol.recalls), count, len(protocol.areas), limits
        precision = np.full(shape, -1.0)
        scores = np.full(shape, -1.0) if self.is_full else None
        recall = np.full((len(protocol.iou), count, len(protocol.areas), len(protocol.max_dets)), -1.0)
        # Those without truths have no precision: their guesses need not be read.
        work = np.flatnonzero(self.positives.any(axis=1))
        work = work[np.argsort(-self.guesses[work], kind="stable")]
        share = self._share(min(workers, max(len(work), 1)))

        def score(place: int) -> None:
            found = self._walked(place, share)
            for whole, part in zip((precision, recall, scores), found, strict=True):
                if whole is not None and part is not None:
                    whole[..., place, :, :] = part[..., 0, :, :]

        with ThreadPoolExecutor(workers) as pool:
            tasks = [pool.submit(score, place) for place in work.tolist()]
            try:
                for task in tasks:
                    task.result()
            finally:
                for task in tasks:
                    task.cancel()
        whole = protocol.whole or 0
        self.found[:] = np.rint(np.maximum(recall[0, :, whole, -1], 0) * self.positives[:, whole])
        return Arrays(precision, recall, scores)

    def _share(self, workers: int) -> int:
        """Bytes for the rows of a category."""
        share = self.left // workers
        least = LEAST_ROWS * sum(one.row_bytes for one in self.runs)
        check.enough(self.memory - self.left + least * workers, self.memory, f"reading {len(self.runs)} parts at once")
        return share

    def _walked(self, place: int, share: int) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        protocol = self.protocol
        limits = np.array(protocol.max_dets, np.int64)
        how = kernel.How(
            np.array(protocol.recalls, np.float64),
            limits,
            0 if self.is_full else len(limits) - 1,
            EPSILON,
            len(protocol.iou),
            np.ascontiguousarray(self.positives[place]),
        )
        seen = kernel.nothing_seen(how, with_scores=self.is_full)
        readers = list(self._readers(place, share))
        while readers:
            rows = [reader.filled() for reader in readers]
            taken, fault = kernel.walk(rows, how, seen, rank_bytes=self.rank_bytes)
            if fault >= 0:
                raise check.damaged(readers[fault].run.name)
            for reader, count in zip(readers, taken.tolist(), strict=True):
                reader.take(count)
            readers = [reader for reader in readers if not reader.is_done]
        return kernel.answer(how, seen)

    def _readers(self, place: int, share: int) -> Iterator[_Reader]:
        here = [k for k, one in enumerate(self.runs) if one.guesses[place]]
        for k in here:
            run, (begin, end) = self.runs[k], self.bounds[k][place : place + 2].tolist()
            rows = max(LEAST_ROWS, share // len(here) // run.row_bytes)
            yield _Reader(run, self.ranks[k], begin, end, rows, int(run.checksums[place]))

    def points(self) -> dict[tuple[str, int, int], np.ndarray]:
        """AP of whole curves, which are held: one category at a time."""
        protocol, names = self.protocol, [name for name, _, _ in self.protocol.areas]
        lanes = [(line.kind, protocol.iou.index(line.iou), names.index(line.area)) for line in lines_of(protocol)]
        found = {lane: np.full(len(self.guesses), np.nan) for lane in lanes}
        for place, count in enumerate(self.guesses.tolist()):
            size = max(one.row_bytes for one in self.runs) + 16 * -(-lane_count(protocol) // 64) + _OF_A_CURVE
            check.enough(
                self.memory - self.left + count * size,
                self.memory,
                f"category {_name(self.runs[0], place)!r} with {count:,} guesses",
            )
            records = self._records(place)
            matched, ignored = records.lane(0, protocol.whole or 0)
            self.found[place] = np.count_nonzero(matched & ~ignored)
            for kind, threshold, area in lanes:
                found[kind, threshold, area][place] = POINTS[kind](curve_of(records, 0, threshold, area))
        return found

    def _records(self, place: int) -> Records:
        """The guesses of one category, in their order, as if they were of one image."""
        readers = list(self._readers(place, 1 << 62))
        rows = [reader.filled() for reader in readers]
        count = int(self.guesses[place])
        columns, fault = kernel.joined(rows, count, lane_count(self.protocol), rank_bytes=self.rank_bytes)
        if fault >= 0:
            raise check.damaged(readers[fault].run.name)
        return Records(
            self.protocol,
            Categories(self.runs[0].categories.ids[[place]]),
            np.zeros(1, np.int64),
            np.array([0, 1], np.int64),
            np.zeros(1, np.int32),
            np.array([count]),
            self.positives[place][None],
            *columns,
        )


class _Reader:
    """Rows of one category of a run, some at a time; at the end their checksum must be right."""

    def __init__(self, run: SortedRun, ranks: np.ndarray, begin: int, end: int, rows: int, checksum: int) -> None:
        self.run, self.ranks, self.begin, self.end, self.rows, self.checksum = run, ranks, begin, end, rows, checksum
        self._content, self._at, self._sum = np.empty(0, np.uint8), 0, 0

    @property
    def is_done(self) -> bool:
        return self.begin == self.end and self._at == len(self._content)

    def filled(self) -> kernel.Rows:
        """What was not taken yet, or the next rows."""
        if self._at == len(self._content) and self.begin < self.end:
            self._content, self._at = np.empty(0, np.uint8), 0  # before others take its place
            until = min(self.end, self.begin + self.rows)
            self._content = self.run.rows(self.begin, until)
            self._sum, self.begin = zlib.crc32(self._content.data, self._sum), until
            if self.begin == self.end and self._sum != self.checksum:
                raise check.damaged(self.run.name)
        left = self._content[self._at :]
        return kernel.Rows(left, self.ranks, self.run.score_bytes, self.begin == self.end)

    def take(self, count: int) -> None:
        self._at += count * self.run.row_bytes
