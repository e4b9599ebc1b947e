"""Curves of precision against recall, beside those of scikit-learn and by hand."""

import numpy as np
import pytest

import vesica
from scenes import awkward, datasets
from vesica import Dataset
from vesica._kernels.native import precision_recall
from vesica.detection import Curve
from vesica.detection.curves import EPSILON


def curve(score, right, positives):
    right = np.array(right, bool)
    return Curve(np.array(score, float), np.cumsum(right), np.cumsum(~right), positives)


def random_curve(seed, ties):
    """Guesses best first, and as many truths as are found: then scikit-learn means the same."""
    rng = np.random.default_rng(seed)
    score = np.sort(rng.choice([0.1, 0.4, 0.5, 0.8], 40) if ties else rng.random(40))[::-1]
    right = rng.random(40) < 0.6
    right[0] = True
    return curve(score, right, int(right.sum())), score, right


@pytest.fixture(scope="module")
def metrics():
    return pytest.importorskip("sklearn.metrics")


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("seed", range(10))
class TestEqualsScikitLearn:
    def test_points(self, metrics, seed, ties):
        """At the last guess of each score."""
        ours, score, right = random_curve(seed, ties)
        precision, recall, threshold = metrics.precision_recall_curve(right, score)
        ends = np.append(score[1:] != score[:-1], True)
        assert np.array_equal(ours.score[ends][::-1], threshold)
        assert ours.precision[ends][::-1] == pytest.approx(precision[:-1], abs=1e-15)
        assert ours.recall[ends][::-1] == pytest.approx(recall[:-1], abs=1e-15)

    def test_area_without_envelope(self, metrics, seed, ties):
        """Theirs is the sum of steps; ours the same over the envelope, which is never lower."""
        ours, score, right = random_curve(seed, ties)
        steps, theirs = np.diff(np.concatenate([[0], ours.recall])), metrics.average_precision_score(right, score)
        if not ties:
            assert np.sum(steps * ours.precision) == pytest.approx(theirs, abs=1e-12)
        assert ours.average_precision == pytest.approx(np.sum(steps * ours.envelope), abs=1e-15)
        assert ours.average_precision >= theirs - 1e-12

    def test_best_f1(self, metrics, seed, ties):
        ours, score, right = random_curve(seed, ties)
        precision, recall, threshold = metrics.precision_recall_curve(right, score)
        f1 = 2 * precision * recall / np.maximum(precision + recall, 1e-300)
        best = ours.best_f1
        assert best.f1 == pytest.approx(f1.max(), abs=1e-12)
        at = int(np.flatnonzero(threshold == best.score)[0])
        assert (best.precision, best.recall) == pytest.approx((precision[at], recall[at]), abs=1e-15)


class TestByHand:
    def test_values(self):
        made = curve([0.9, 0.8, 0.7, 0.4], [True, False, True, False], 4)
        assert made.precision.tolist() == [1, 1 / 2, 2 / 3, 2 / 4]
        assert made.recall.tolist() == [1 / 4, 1 / 4, 2 / 4, 2 / 4]
        assert made.f1 == pytest.approx([2 / 5, 2 / 6, 4 / 7, 4 / 8])
        assert made.envelope.tolist() == [1, 2 / 3, 2 / 3, 2 / 4]
        assert made.average_precision == pytest.approx(1 / 4 + 1 / 4 * 2 / 3)
        assert made.eleven_point_precision == pytest.approx((3 * 1 + 3 * 2 / 3) / 11)
        assert made.best_f1 == pytest.approx((4 / 7, 0.7, 2 / 3, 1 / 2))

    def test_no_cut_parts_equals(self):
        """The first of three equal scores alone would be better, but nobody can ask for it."""
        made = curve([0.5, 0.5, 0.5], [True, False, False], 1)
        assert made.f1[0] == 1 and made.best_f1 == pytest.approx((0.5, 0.5, 1 / 3, 1))

    def test_earlier_of_two_best(self):
        made = curve([0.9, 0.8, 0.7], [True, False, False], 1)
        assert made.best_f1.score == 0.9

    def test_empty(self):
        made = curve([], [], 3)
        assert made.best_f1 is None and made.average_precision == 0 and made.eleven_point_precision == 0
        nothing = curve([0.5], [False], 0)
        assert np.isnan(nothing.average_precision) and np.isnan(nothing.eleven_point_precision)
        assert np.isnan(nothing.recall).all() and nothing.f1.tolist() == [0]

    def test_recall_of_eleven_points(self):
        """3 of 10 is not quite the third of them: 0.1 + 0.2 is more."""
        right = [True] * 3
        assert curve([0.9, 0.8, 0.7], right, 10).eleven_point_precision == pytest.approx(3 / 11)


class TestOfResults:
    def test_all_together(self):
        """Without a category, the guesses of all of them by score."""
        boxes = [[0, 0, 10, 10]] * 3
        truth = Dataset.from_arrays(boxes, image=[1, 2, 3], category=["a", "b", "b"])
        guess = Dataset.from_arrays(boxes, image=[1, 2, 1], category=["a", "b", "b"], score=[0.5, 0.9, 0.7])
        made = vesica.evaluate(truth, guess).curve()
        assert made.score.tolist() == [0.9, 0.7, 0.5]
        assert made.right.tolist() == [1, 1, 2] and made.wrong.tolist() == [0, 1, 1] and made.positives == 3

    def test_what_does_not_count_is_left_out(self):
        boxes = [[0, 0, 10, 10], [50, 50, 60, 60]]
        truth = Dataset.from_arrays(boxes, image=[1, 1], crowd=[True, False])
        guess = Dataset.from_arrays(boxes, image=[1, 1], score=[0.9, 0.8])
        made = vesica.evaluate(truth, guess).curve()
        assert made.score.tolist() == [0.8] and made.right.tolist() == [1] and made.positives == 1

    @pytest.mark.parametrize("seed", [1, 2, 8, 11, 13])
    def test_stands_behind_the_arrays(self, seed):
        """Precision at a recall is the envelope at the first guess that reaches it, but for COCO's 2^−52."""
        job = awkward(seed)
        result = vesica.evaluate(*datasets(job.truth, job.results))
        recalls = np.array(result.protocol.recalls)
        for k, one in enumerate(result.records.categories.ids.tolist()):
            for t, iou in ((0, 0.5), (5, 0.75)):
                made = result.curve(one, iou=iou)
                if not made.positives:
                    assert (result.precision[t, :, k, 0, 2] == -1).all()
                    continue
                at = np.searchsorted(made.recall, recalls[1:])
                envelope = np.append(made.envelope, 0.0)
                assert result.precision[t, 1:, k, 0, 2] == pytest.approx(envelope[at], abs=1e-15)
                last = made.recall[-1] if len(made.recall) else 0
                assert result.recall[t, k, 0, 2] == last


class TestMeans:
    """Of precision and recall: the values above −1, added up as NumPy does."""

    @staticmethod
    def expected(values, line):
        rows = slice(None) if line.thresholds is None else line.thresholds
        kinds = slice(None) if line.categories is None else line.categories
        found = values[..., kinds, :, :][..., line.area, line.limit][rows]
        there = found[found > -1]
        return float(np.mean(there)) if len(there) else -1.0

    @pytest.mark.parametrize("threads", [1, 3])
    @pytest.mark.parametrize("recalls", [None, 1, 13, 101])
    @pytest.mark.parametrize("categories", [1, 7, 80])
    def test_equals_numpy(self, threads, recalls, categories):
        rng = np.random.default_rng(categories)
        shape = (10, categories, 4, 3) if recalls is None else (10, recalls, categories, 4, 3)
        values = rng.random(shape)
        values[..., rng.random((categories, 4)) < 0.3, :] = -1
        lines = [
            precision_recall.Line(thresholds, kinds, area, limit)
            for thresholds in (None, [0], [2, 5])
            for kinds in (None, [categories - 1], [])
            for area in (0, 3)
            for limit in (0, 2)
        ]
        found = precision_recall.means(values, lines, threads=threads)
        assert found == [self.expected(values, line) for line in lines]

    def test_nothing_there(self):
        line = precision_recall.Line(None, None, 0, 0)
        assert precision_recall.means(np.full((10, 101, 2, 1, 1), -1.0), [line], threads=1) == [-1.0]
        assert precision_recall.means(np.empty((10, 101, 0, 1, 1)), [line], threads=1) == [-1.0]

    def test_places_that_are_not_there(self):
        for line in ((None, None, 1, 0), (None, None, 0, 1), ([2], None, 0, 0), (None, [3], 0, 0)):
            with pytest.raises(ValueError, match="must be below"):
                precision_recall.means(np.zeros((2, 5, 3, 1, 1)), [precision_recall.Line(*line)], threads=1)


class TestThreads:
    """A category that holds most guesses is walked over by all threads: each a part, put together to the same bytes."""

    @pytest.mark.parametrize("thresholds, areas", [(1, 1), (3, 2), (35, 2)], ids=["a lane", "a word", "two words"])
    @pytest.mark.parametrize("guesses", [4095, 4096, 9000, 30_001])
    @pytest.mark.parametrize("first_limit, with_scores", [(0, True), (2, False), (1, True), (3, False)])
    def test_same_bytes(self, thresholds, areas, guesses, first_limit, with_scores):
        columns = _columns(thresholds, areas, guesses)
        alone, *others = (
            precision_recall.accumulate(
                columns, (thresholds, areas), np.array([0, 0.01, 0.5, 0.5, 0.3, 0.9, 1]), np.array([1, 7, 20]),
                first_limit=first_limit, epsilon=EPSILON, with_scores=with_scores, threads=threads,
            )
            for threads in (1, 2, 3, 16)
        )  # fmt: skip
        assert (alone[1] > 0).any() and (first_limit == 3 or (alone[0] > 0).any())
        for found in others:
            for one, other in zip(alone, found, strict=True):
                assert one is other is None or one.tobytes() == other.tobytes()

    def test_several_categories(self):
        """Some sorted by one thread and walked over by several, one sorted by all, and small ones beside them."""
        sizes = (90, 5000, 40_000, 300, 9000, 4500, 20)
        columns = _joined([_columns(3, 2, guesses) for guesses in sizes])
        alone, *others = (
            precision_recall.accumulate(
                columns, (3, 2), np.linspace(0, 1, 11), np.array([1, 20]),
                first_limit=0, epsilon=EPSILON, with_scores=True, threads=threads,
            )
            for threads in (1, 2, 5, 16)
        )  # fmt: skip
        for found in others:
            for one, other in zip(alone, found, strict=True):
                assert one.tobytes() == other.tobytes()


def _joined(parts):
    """The categories of several, one behind the other."""
    cells = np.cumsum([0, *(len(part.guesses) for part in parts)])
    starts = [part.starts[:-1] + first for part, first in zip(parts, cells[:-1], strict=True)]
    rest = (np.concatenate(columns) for columns in list(zip(*parts, strict=True))[1:])
    return precision_recall.Columns(np.concatenate([*starts, cells[-1:]]), *rest)


def _columns(thresholds, areas, guesses):
    """A large category and a small one, 20 guesses a cell, best first; equal, negative and zero scores."""
    rng, lanes = np.random.default_rng(guesses), thresholds * areas
    cells = -(-guesses // 20) + 3
    each = np.full(cells, 20)
    each[-4:] = guesses - 20 * (cells - 4), 0, 2, 3
    total = int(each.sum())
    cell = np.repeat(np.arange(cells), each)
    score = rng.integers(-40, 200, total) / 64
    score = score[np.lexsort((-score, cell))]
    bits = rng.random((2, total, lanes)) < np.array([0.3, 0.1])[:, None, None]
    bits[0] &= rng.random((total, 1)) < (score[:, None] + 1) / 4  # the better, the more often right
    packed = np.packbits(bits, axis=2, bitorder="little")
    words = np.zeros((2, total, -(-lanes // 64) * 8), np.uint8)
    words[..., : packed.shape[2]] = packed
    matched, ignored = words.view("<u8").astype(np.uint64)
    found = np.add.reduceat(bits[0] & ~bits[1], np.cumsum(each) - each, axis=0).reshape(cells, areas, thresholds)
    counted = found.max(axis=2) + rng.integers(0, 2, (cells, areas))
    counted[:, -1] *= areas == 1 or thresholds != 3  # a range without truths
    starts = np.array([0, cells - 2, cells])
    return precision_recall.Columns(
        starts, each.astype(np.int32), counted.astype(np.int32).ravel(), score, matched.ravel(), ignored.ravel()
    )
