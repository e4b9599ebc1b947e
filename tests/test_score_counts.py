"""AP in bounds: they hold the exact value, whatever the data; and merge like records."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vesica
from vesica import Dataset
from vesica.detection import Records, ScoreCounts, counts_by_score, merge_counts, tie_bounds
from vesica.detection.curves import arrays_of
from vesica.detection.score_counts import _needed
from vesica.errors import InputError


def scene(seed, *, images=6, classes=3, first=0, **options):
    """Crowded boxes with ties, crowds, empty images, classes without truths or guesses."""
    rng = np.random.default_rng(seed)
    rows, guesses = int(rng.integers(0, 60)), int(rng.integers(0, 120))
    corner = rng.integers(0, 20, (rows, 2))
    boxes = np.concatenate([corner, corner + rng.integers(2, 9, (rows, 2))], 1).astype(float)
    image, category = rng.integers(first, first + images, rows), rng.integers(0, classes, rows)
    tables = {"images": range(first, first + images), "categories": range(classes)}
    truth = Dataset.from_arrays(boxes, image=image, category=category, crowd=rng.random(rows) < 0.1, **tables)
    which = rng.integers(0, max(rows, 1), guesses if rows else 0)
    moved = boxes[which] + rng.choice([0, 0, 0, 1], (len(which), 4)) * [0, 0, 1, 1]
    guess = Dataset.from_arrays(
        moved, image=image[which], category=np.where(rng.random(len(which)) < 0.8, category[which], 0),
        score=rng.random(len(which)).round(int(rng.integers(1, 4))), **tables,
    )  # fmt: skip
    return vesica.evaluate(truth, guess, **options)


def holds(bounds, result):
    for name, value in result.items():
        low, high = bounds[name]
        if value != value:
            assert low != low and high != high
        elif name.startswith("AR"):
            assert low == value == high
        else:
            assert low <= value <= high, (name, low, value, high)


class TestBounds:
    @given(st.integers(0, 10**6), st.integers(1, 50))
    def test_hold_the_exact_value(self, seed, bins):
        result = scene(seed)
        holds(counts_by_score(result.records, bins=bins).bounds(), result)
        holds(tie_bounds(result.records), result)

    @pytest.mark.slow
    def test_hold_it_in_ten_thousand_trials(self):
        """Of records alone, which are made at random: matched and ignored in any lanes, scores in any order.

        Trials are categories, a hundred at a time, and each has an AP of its own.
        """
        rng, tight = np.random.default_rng(0), 0
        one = scene(1, classes=1, iou=0.5, areas={"all": (0, 1e10)}).records
        base = _repeated(one, scene(1, classes=100).records.categories)
        for _ in range(100):
            records = _shaken(base, rng)
            counts = counts_by_score(records, bins=int(rng.integers(1, 64)))
            exact, low, high = (
                arrays.precision[0, :, :, 0, -1].mean(axis=0)
                for arrays in (arrays_of(records), counts._arrays("wrong"), counts._arrays("right"))
            )
            assert (low <= exact).all() and (exact <= high).all() and len(exact) == 100 and exact.min() >= 0
            tight += np.count_nonzero(high - low < 0.05)
        assert 100 < tight < 9_900
        holds(counts.bounds(), vesica.detection.summarise(records))  # which are means of the same arrays

    def test_every_order_of_ties_is_inside_and_both_ends_are_reached(self):
        truth = [{"boxes": [[0, 0, 4, 4], [6, 6, 9, 9]], "labels": [1, 1]}]
        boxes = np.array([[0, 0, 4, 4], [20, 20, 24, 24], [6, 6, 9, 9]])
        found = []
        for order in ([0, 1, 2], [1, 0, 2], [0, 2, 1], [1, 2, 0], [2, 0, 1], [2, 1, 0]):
            guess = [{"boxes": boxes[order], "labels": [1] * 3, "scores": [0.5] * 3}]
            result = vesica.evaluate(truth, guess)
            found.append(result["AP"])
            bounds = tie_bounds(result.records)["AP"]
        assert bounds == (min(found), max(found)) and min(found) < max(found)

    def test_without_ties_nothing_is_open(self):
        rng = np.random.default_rng(0)
        boxes = np.concatenate([rng.integers(0, 9, (40, 2)), rng.integers(10, 20, (40, 2))], 1)
        result = vesica.evaluate(
            [{"boxes": boxes[:20], "labels": [1] * 20}],
            [{"boxes": boxes[10:], "labels": [1] * 30, "scores": rng.permutation(30) / 30}],
        )
        bounds = tie_bounds(result.records)
        assert bounds.widest == 0 and bounds["AP"] == (result["AP"],) * 2 and 0 < result["AP"] < 1

    def test_more_bins_are_closer(self):
        result = scene(1)
        widths = [counts_by_score(result.records, bins=bins).bounds().widest for bins in (1, 8, 64, 1024)]
        assert widths == sorted(widths, reverse=True) and widths[-1] < widths[0]

    def test_other_protocols(self):
        result = scene(3)
        one = {"boxes": [[0, 0, 1, 1]], "labels": [0]}
        records = vesica.evaluate([one], [one | {"scores": [1]}], protocol="voc").records
        with pytest.raises(ValueError, match="Bounds are of AP at given recalls"):
            counts_by_score(records).bounds()
        assert len(counts_by_score(result.records, bins=1)) <= 3

    @pytest.mark.parametrize("bins", [0, -1, 2.5, True, 2**24 + 1, "8"])
    def test_bad_bins(self, bins):
        with pytest.raises(ValueError, match="`bins` must be a whole number from 1 to"):
            counts_by_score(scene(0).records, bins=bins)

    @pytest.mark.parametrize("positives", [1, 3, 7, 49, 100, 123, 1000, 9999, 30011])
    def test_recalls_are_reached_as_doubles(self, positives):
        recalls = np.linspace(0, 1, 101)
        assert (_needed(recalls, positives) == np.searchsorted(np.arange(positives + 1) / positives, recalls)).all()


WIDTHS = {1000: 1.4e-3, 4096: 3.2e-4, 16384: 8.1e-5, 65536: 2.0e-5}
"""How far apart the bounds of three million guesses are, by bins: what docs/scale.md says."""


@pytest.mark.slow
def test_widths():
    """A third is right, with scores that thin out downwards; those of the others thin out upwards."""
    rng, guesses, right = np.random.default_rng(0), 3_000_000, 1_000_000
    score = np.concatenate([rng.beta(2, 1, right), rng.beta(1, 2, guesses - right)])
    records = _alone(score, np.arange(guesses) < right, rng)
    exact = vesica.detection.summarise(records)["AP"]
    for bins, width in WIDTHS.items():
        low, high = counts_by_score(records, bins=bins).bounds()["AP"]
        assert low <= exact <= high
        assert high - low == pytest.approx(width, rel=0.1)


def _alone(score, right, rng, *, each=100):
    """Records of one category, one lane, and so many guesses an image."""
    one = {"boxes": [[0, 0, 1, 1]], "labels": [0]}
    base = vesica.evaluate([one], [one | {"scores": [1]}], iou=0.5, areas={"all": (0, 1e10)}).records
    mixed = rng.permutation(len(score)).reshape(-1, each)
    order = np.take_along_axis(mixed, np.argsort(-score[mixed], axis=1), axis=1).ravel()
    images = len(mixed)
    return replace(
        base, images=np.arange(images), image=np.arange(images, dtype=np.int32), starts=np.array([0, images]),
        guesses=np.full(images, each, np.int32), counted=right[mixed].sum(1, keepdims=True).astype(np.int32),
        score=score[order], matched=right[order].astype(np.uint64)[:, None],
        ignored=np.zeros((len(score), 1), np.uint64), row=None,
    )  # fmt: skip


def _repeated(records, categories):
    """Records of one category as those of each of many."""
    count, cells = len(categories), len(records.guesses)
    columns = {
        name: np.concatenate([getattr(records, name)] * count)
        for name in ("image", "guesses", "counted", "score", "matched", "ignored")
    }
    return replace(records, categories=categories, starts=np.arange(count + 1) * cells, row=None, **columns)


def _shaken(records, rng):
    """Records of the same size, of as many guesses in each category, with other bits and scores."""
    count = len(records.categories)
    chance = rng.random((2, count, len(records) // count))
    order = (np.argsort(chance[0]) + np.arange(count)[:, None] * chance.shape[2]).ravel()
    unit = 10.0 ** rng.integers(1, 5, (count, 1))
    score = (np.round(chance[1] * unit) / unit).ravel()
    cell = np.repeat(np.arange(len(records.guesses)), records.guesses)
    score = score[np.lexsort((-score, cell))]  # best first in each cell
    return replace(records, score=score, matched=records.matched[order], ignored=records.ignored[order])


class TestMerge:
    def test_as_of_all_at_once(self):
        parts = [scene(k, first=10 * k) for k in range(5)]
        whole = vesica.detection.merge(*(part.records for part in parts))
        counts = [counts_by_score(part.records, bins=100) for part in parts]
        wanted = counts_by_score(whole, bins=100)
        for order in ([0, 1, 2, 3, 4], [4, 2, 0, 3, 1]):
            assert merge_counts(*(counts[k] for k in order)).to_bytes() == wanted.to_bytes()
        tree = merge_counts(merge_counts(*counts[:2]), counts[2], merge_counts(*counts[3:]))
        assert tree.to_bytes() == wanted.to_bytes()

    def test_counts_are_as_narrow_as_they_can_be(self):
        """A thousand guesses of one score, in parts of up to a hundred: from one byte a count to two."""
        rng = np.random.default_rng(0)
        whole = _alone(np.full(1000, 0.5), np.ones(1000, bool), rng)
        counts = [counts_by_score(whole.of_images(np.arange(10) == k), bins=4) for k in range(10)]
        assert {one.right.dtype for one in counts} == {np.dtype(np.int8)}
        for some, wanted in (((0,), "int8"), ((0, 1), "int16"), (range(10), "int16")):
            found = merge_counts(*(counts[k] for k in some))
            assert found.right.dtype == wanted and found.right.tolist() == [[100 * len(some)]]
            assert found.wrong.dtype == np.int8

    def test_wide_counts_of_earlier_versions_merge(self):
        parts = [counts_by_score(scene(k, first=10 * k).records, bins=9) for k in range(3)]
        wide = [replace(one, right=one.right.astype(np.int64), wrong=one.wrong.astype(np.int64)) for one in parts]
        again = [ScoreCounts.from_bytes(one.to_bytes()) for one in wide]
        assert merge_counts(*again).to_bytes() == merge_counts(*parts).to_bytes()

    def test_bytes(self):
        counts = counts_by_score(scene(2).records, bins=30)
        again = ScoreCounts.from_bytes(counts.to_bytes())
        assert again.to_bytes() == counts.to_bytes() and again.bounds().numbers == counts.bounds().numbers

    def test_what_does_not_go_together(self):
        one, two = (scene(k, first=10 * k) for k in range(2))
        with pytest.raises(InputError, match="in 8 and in 9 bins"):
            merge_counts(counts_by_score(one.records, bins=8), counts_by_score(two.records, bins=9))
        with pytest.raises(InputError, match="Two counts have image"):
            merge_counts(counts_by_score(one.records), counts_by_score(one.records))
        with pytest.raises(InputError, match="different tables of categories"):
            merge_counts(counts_by_score(one.records), counts_by_score(scene(1, first=10, classes=2).records))
        with pytest.raises(ValueError, match="no counts"):
            merge_counts()

    @pytest.mark.parametrize("place", range(20, 4000, 97))
    def test_damaged(self, place):
        data = bytearray(counts_by_score(scene(2).records, bins=30).to_bytes())
        data[place % len(data)] ^= 4
        with pytest.raises(InputError):
            ScoreCounts.from_bytes(bytes(data))

    def test_records_are_no_counts(self):
        with pytest.raises(InputError):
            ScoreCounts.from_bytes(scene(2).records.to_bytes())
        with pytest.raises(InputError):
            Records.from_bytes(counts_by_score(scene(2).records).to_bytes())

    @pytest.mark.parametrize(
        "name, change",
        [
            ("bin", lambda column: column + 30),
            ("bin", lambda column: column[::-1]),
            ("right", lambda column: -column - 1),
            ("right", lambda column: column.astype(np.int64) + 2**60),
            ("found", lambda column: column + 10**6),
            ("guesses", lambda column: column[:-1]),
            ("wrong", lambda column: column.astype(float)),
        ],
    )
    def test_contradictions(self, name, change):
        counts = counts_by_score(scene(2).records, bins=30)
        damaged = replace(counts, **{name: np.ascontiguousarray(change(getattr(counts, name)))})
        with pytest.raises(InputError, match="cannot be read"):
            ScoreCounts.from_bytes(damaged.to_bytes())
