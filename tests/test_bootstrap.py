"""Replicates of detection scores: from records alone, with the bytes that copies of images would give."""

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pycoco
import vesica
from scenes import Traits, awkward, datasets, job
from vesica._kernels.native.detection_bootstrap import Draws
from vesica.detection import merge, records_of
from vesica.detection.bootstrap import Cut, drawn, replicates_of
from vesica.detection.curves import EPSILON, Arrays
from vesica.detection.summary import lines_of, summary_of, value_of
from vesica.statistics.resampling import keys_of, weights


def given_draws(times):
    """Draws that are told, and not made of keys."""
    times = np.atleast_2d(np.asarray(times, np.uint8))
    return Draws(np.zeros(times.shape[1], np.uint64), 0, len(times), times)


def copied_arrays(records, times):
    """Precision and recall of images that are drawn so often: whole curves, point by point, each copy a point."""
    protocol = records.protocol
    shape = (
        len(protocol.iou),
        len(protocol.recalls),
        len(records.categories),
        len(protocol.areas),
        len(protocol.max_dets),
    )
    precision, recall = np.full(shape, -1.0), np.full((shape[0], *shape[2:]), -1.0)
    rank = np.concatenate([np.arange(count) for count in records.guesses]) if len(records.guesses) else np.empty(0)
    image = np.repeat(records.image, records.guesses)
    for k in range(shape[2]):
        rows = np.arange(*records.bounds[k : k + 2])
        rows = rows[np.argsort(-records.score[rows], kind="stable")]
        cells = slice(*records.starts[k : k + 2])
        positives = (times[records.image[cells], None].astype(np.int64) * records.counted[cells]).sum(axis=0)
        for a in np.flatnonzero(positives):
            for m, limit in enumerate(protocol.max_dets):
                under = rows[rank[rows] < limit]
                own = np.repeat(under, times[image[under]])
                for t in range(shape[0]):
                    matched, ignored = (column[own] for column in records.lane(t, a))
                    tp, fp = np.cumsum(matched & ~ignored), np.cumsum(~matched & ~ignored)
                    reached = tp / positives[a]
                    share = np.maximum.accumulate((tp / ((fp + tp) + EPSILON))[::-1])[::-1]
                    recall[t, k, a, m] = reached[-1] if len(own) else 0
                    precision[t, :, k, a, m] = 0
                    for r, point in enumerate(np.searchsorted(reached, protocol.recalls, side="left")):
                        if point == len(own):
                            break
                        precision[t, r, k, a, m] = share[point]
    return Arrays(precision, recall, None)


def expected(records, times):
    """The numbers of all categories, and of each."""
    arrays = copied_arrays(records, times)
    lines = [line for line in lines_of(records.protocol) if line.group is None]
    kinds = range(len(records.categories))
    classes = [[value_of(line, records, lambda: arrays, category=k) for line in lines] for k in kinds]
    return list(summary_of(records, lambda: arrays).values()), np.reshape(classes, (len(kinds), len(lines)))


def own_numbers(result, names):
    """(K, numbers) those of each category."""
    rows = [[math.nan if row[name] is None else row[name] for name in names] for row in result.per_class()]
    return np.reshape(np.array(rows, float), (len(rows), len(names)))


def matched(seed, **options):
    return records_of(*datasets(*job(np.random.default_rng(seed), Traits(**options))))


class TestWeightOne:
    @pytest.mark.parametrize("quirks", [None, "pycocotools"])
    @pytest.mark.parametrize("seed", [1, 2, 7, 8, 10, 14])
    def test_has_the_bytes_of_the_plain_numbers(self, seed, quirks):
        found = awkward(seed)
        result = vesica.evaluate(*datasets(found.truth, found.results), quirks=quirks)
        once = drawn(result.records, given_draws(np.ones(len(result.records.images))))
        assert once.names == tuple(result.summary)
        assert once.values[0].tobytes() == np.array(list(result.summary.values())).tobytes()
        rows = [
            [math.nan if row[name] is None else row[name] for name in once.class_names] for row in result.per_class()
        ]
        np.testing.assert_array_equal(once.classes[0], np.reshape(rows, once.classes[0].shape))

    @pytest.mark.parametrize("kinds", [1, 7, 8, 9, 65, 130])
    def test_sums_in_numpys_order(self, kinds):
        """Halves of sums are at multiples of 8 and of at most 128: numbers of categories around those."""
        records = matched(kinds, images=40, categories=kinds, truths=12.0, guesses=24.0)
        result = vesica.detection.summarise(records)
        once = drawn(records, given_draws(np.ones(len(records.images))), per_class=False)
        assert once.values[0].tobytes() == np.array(list(result.summary.values())).tobytes()

    @pytest.mark.parametrize(
        "options",
        [
            {"iou": 0.5},
            {"iou": np.linspace(0.05, 0.95, 37)},
            {"iou": np.linspace(0.05, 0.95, 16)},  # 64 with the areas: a whole word of bits
            {"max_dets": 3},
            {"max_dets": (1, 2, 5, 100)},
            {"areas": {"thin": (0, 500), "rest": (500, 1e10)}},
            {"by_class": False},
            {"protocol": "lvis"},
            {"protocol": "voc"},
            {"protocol": "voc07", "iou": (0.3, 0.5)},
        ],
        ids=str,
    )
    def test_options(self, options):
        truth, guess = datasets(*job(np.random.default_rng(3), Traits(images=12, truths=6.0, guesses=12.0)))
        result = vesica.evaluate(truth, guess, **options)
        once = drawn(result.records, given_draws(np.ones(len(result.records.images))))
        np.testing.assert_array_equal(once.values[0], list(result.summary.values()))
        rows = [
            [math.nan if row[name] is None else row[name] for name in once.class_names] for row in result.per_class()
        ]
        np.testing.assert_array_equal(once.classes[0], rows)

    @pytest.mark.parametrize(
        "recalls",
        [np.linspace(0, 1, 300), np.linspace(0, 1, 256), [0.5, 0.1, 0.9, 0.0, 0.3], np.linspace(0, 1, 8), []],
        ids=len,
    )
    def test_other_recalls(self, recalls):
        """Many, few, none, and in no order: then the first out of reach ends it."""
        records = matched(5, images=12, truths=6.0, guesses=12.0)
        records = replace(records, protocol=replace(records.protocol, recalls=tuple(map(float, recalls))))
        rng = np.random.default_rng(0)
        times = rng.integers(0, 4, (9, len(records.images)), dtype=np.uint8)
        found = drawn(records, given_draws(times))
        for row, own in enumerate(times):
            overall, classes = expected(records, own)
            np.testing.assert_array_equal(found.values[row], overall)
            np.testing.assert_array_equal(found.classes[row], classes)

    @pytest.mark.parametrize("images", [1, 700, 6000])
    def test_many_truths_of_a_category(self, images):
        """Hits are read one by one, and of many truths or hits by halves."""
        truth = [[x, 0, x + 8, 8] for x in (0, 20)]
        boxes, image = np.tile(truth, (images, 1)), np.repeat(np.arange(images), 2)
        rng = np.random.default_rng(images)
        found = rng.random(len(boxes)) < 0.8
        near = np.where(rng.random((len(boxes), 1)) < 0.9, boxes, boxes + 30)[found]
        truths = vesica.Dataset.from_arrays(boxes, image=image, category=["cat"] * len(boxes))
        guess = vesica.Dataset.from_arrays(
            near, image=image[found], category=["cat"] * len(near), score=rng.random(len(near)), images=range(images)
        )
        result = vesica.evaluate(truths, guess)
        once = drawn(result.records, given_draws(np.ones(images)))
        assert once.values[0].tobytes() == np.array(list(result.summary.values())).tobytes()

    def test_numbers_that_a_tool_has_not(self):
        """pycocotools has no AP without a limit of 100."""
        truth, guess = datasets(*job(np.random.default_rng(3)))
        result = vesica.evaluate(truth, guess, max_dets=(1, 2, 3), quirks="pycocotools")
        once = drawn(result.records, given_draws(np.ones(len(result.records.images))))
        np.testing.assert_array_equal(once.values[0], list(result.summary.values()))
        assert np.isnan(once.values[0, 0]) and np.isnan(once.classes[0, :, 0]).all()


class TestCopies:
    @given(st.integers(0, 10_000))
    def test_equals_curves_of_copies(self, seed):
        rng = np.random.default_rng(seed)
        traits = Traits(
            images=int(rng.integers(1, 12)),
            categories=int(rng.integers(1, 4)),
            crowds=0.3,
            truths=float(rng.choice([0.5, 4.0])),
            one_score=seed % 5 == 0,
        )
        records = records_of(*datasets(*job(rng, traits)), iou=(0.5, 0.75), max_dets=(2, 5))
        times = rng.poisson(1, (3, len(records.images))).astype(np.uint8)
        times[-1] *= 20  # more than are written at once
        found = drawn(records, given_draws(times))
        for row, own in enumerate(times):
            values, classes = expected(records, own)
            np.testing.assert_array_equal(found.values[row], values)
            np.testing.assert_array_equal(found.classes[row], classes)

    @pytest.mark.parametrize("seed", range(5))
    def test_equals_pycocotools_of_copies(self, seed):
        """Images as often as they are drawn, under ids of their own, beside each other."""
        rng = np.random.default_rng(seed)
        truth, results = job(rng, Traits(images=10, truths=5.0, guesses=9.0))
        for row, score in zip(results, rng.permutation(len(results)), strict=True):
            row["score"] = float(score) / len(results)  # in an image, copies of equal scores would alternate
        records = records_of(*datasets(truth, results))
        times = rng.poisson(1, len(records.images))
        often = dict(zip(records.images.tolist(), times.tolist(), strict=True))
        names = {one: [100 * one + copy for copy in range(often[one])] for one in often}

        def copies(rows):
            return [{**row, "image_id": name} for row in rows for name in names[row["image_id"]]]

        annotations = [{**row, "id": place} for place, row in enumerate(copies(truth["annotations"]), 1)]
        images = [{**row, "id": name} for row in truth["images"] for name in names[row["id"]]]
        want = pycoco.answer({**truth, "images": images, "annotations": annotations}, copies(results)).stats
        found = drawn(records, given_draws(times)).values[0]
        assert np.where(np.isnan(found), -1.0, found).tobytes() == want.tobytes()

    def test_category_without_a_truth_is_left_out(self):
        boxes, image, category = [[0, 0, 9, 9], [0, 0, 9, 9]], [1, 2], ["cat", "dog"]
        truth = vesica.Dataset.from_arrays(boxes, image=image, category=category)
        guess = vesica.Dataset.from_arrays(boxes[:1], image=[1], category=["cat"], score=[0.5])
        found = drawn(vesica.evaluate(truth, guess).records, given_draws([[1, 1], [2, 0], [0, 3], [0, 0]]))
        none = math.nan
        recall = found.values[:, found.names.index("AR100")]
        np.testing.assert_array_equal(recall, [0.5, 1, 0, none])
        recall = found.classes[:, :, found.class_names.index("AR100")]
        np.testing.assert_array_equal(recall, [[1, 0], [1, none], [none, 0], [none, none]])

    @pytest.mark.parametrize("min_score", [None, 0.5])
    def test_counts(self, min_score):
        """Precision, recall and F1 of all guesses, and of each category."""
        records = matched(4, images=9)
        times = np.random.default_rng(0).poisson(1, (9, 9))
        found = drawn(records, given_draws(times), cut=Cut(0, 0, min_score))
        kept = np.repeat(records.image, records.guesses)
        right, ignored = records.lane(0, 0)
        counts = ~ignored if min_score is None else ~ignored & (records.score >= min_score)
        kind = np.repeat(np.arange(len(records.categories)), np.diff(records.bounds))
        of_cells = np.repeat(np.arange(len(records.categories)), np.diff(records.starts))
        for row, own in enumerate(times):
            tp, fp = (np.bincount(kind, own[kept] * (counts & side), minlength=4) for side in (right, ~right))
            truths = np.bincount(of_cells, own[records.image] * records.counted[:, 0], minlength=4)
            f1 = 2 * tp.sum() / (tp.sum() + fp.sum() + truths.sum())
            assert found.values[row, -1] == f1
            with np.errstate(invalid="ignore"):
                np.testing.assert_array_equal(found.classes[row, :, -2], tp / truths)
                np.testing.assert_array_equal(found.classes[row, :, -3], tp / (tp + fp))


@pytest.mark.parametrize("protocol", ["coco", "voc"])
class TestSameForAll:
    def test_threads(self, protocol):
        records = records_of(*datasets(*job(np.random.default_rng(1), Traits(images=20))), protocol=protocol)
        one, *others = (replicates_of(records, replicates=50, cut=Cut(0, 0), threads=count) for count in (1, 2, 3))
        for other in others:
            assert one.values.tobytes() == other.values.tobytes()
            assert one.classes.tobytes() == other.classes.tobytes()

    def test_shards(self, protocol):
        truth, guess = datasets(*job(np.random.default_rng(2), Traits(images=16)))
        whole = records_of(truth, guess, protocol=protocol)
        parts = []
        for shard in np.random.default_rng(0).permutation(truth.images.ids).reshape(4, 4):
            sides = []
            for data in (truth, guess):
                rows = np.isin(data.images.ids[data.image], shard)
                sides.append(_of_images(data.rows(rows), shard))
            parts.append(records_of(*sides, protocol=protocol))
        merged = merge(*parts)
        one, other = (replicates_of(records, replicates=40) for records in (whole, merged))
        assert one.values.tobytes() == other.values.tobytes()
        assert one.classes.tobytes() == other.classes.tobytes()

    def test_first_replicates_stay(self, protocol):
        records = records_of(*datasets(*job(np.random.default_rng(1), Traits(images=20))), protocol=protocol)
        few, many = (replicates_of(records, replicates=count, seed=5) for count in (3, 29))
        assert few.values.tobytes() == many.values[:3].tobytes()

    def test_weights_are_those_of_resampling(self, protocol):
        records = records_of(*datasets(*job(np.random.default_rng(1), Traits(images=20))), protocol=protocol)
        times = weights(keys_of(records.images), seed=7, count=10)
        want = drawn(records, given_draws(times))
        assert replicates_of(records, replicates=10, seed=7).values.tobytes() == want.values.tobytes()

    def test_groups_are_drawn_together(self, protocol):
        records = records_of(*datasets(*job(np.random.default_rng(1), Traits(images=20))), protocol=protocol)
        groups = [f"video {k % 3}" for k in range(20)]
        times = weights(keys_of(groups), count=10)
        assert (times[:, 0] == times[:, 3]).all()
        found = replicates_of(records, replicates=10, groups=groups)
        assert found.values.tobytes() == drawn(records, given_draws(times)).values.tobytes()


def _of_images(data, ids):
    """The same rows, over these images alone."""
    from dataclasses import replace

    from vesica.dataset import Images

    place = {one: k for k, one in enumerate(ids.tolist())}
    image = np.array([place[one] for one in data.images.ids[data.image].tolist()], np.int64)
    return replace(data, images=Images(ids), image=image)


class TestPaired:
    def test_identical_models_do_not_differ(self):
        records = matched(1, images=20)
        one, other = (replicates_of(records, replicates=64, seed=3) for _ in range(2))
        difference = (one.values - other.values)[~np.isnan(one.values)]
        assert len(difference) and (difference == 0).all()

    def test_drawn_as_poisson(self):
        """With one truth in each image, found or not, AR is the drawn share of those found."""
        count = 400
        boxes = np.tile([0.0, 0, 9, 9], (count, 1))
        truth = vesica.Dataset.from_arrays(boxes, image=range(count), category=[0] * count)
        half = count // 2
        guess = vesica.Dataset.from_arrays(boxes[:half], image=range(half), category=[0] * half, score=[0.5] * half)
        found = replicates_of(vesica.evaluate(truth, guess).records, replicates=500)
        recall = found.values[:, found.names.index("AR100")]
        assert abs(recall.mean() - 0.5) < 0.01 and abs(recall.std() - 0.5 / math.sqrt(count)) < 0.003
        assert len(Counter(recall.tolist())) > 100


class TestEmpty:
    @pytest.mark.parametrize("protocol", ["coco", "voc", "lvis"])
    @pytest.mark.parametrize("images", [0, 2])
    def test_nothing(self, protocol, images):
        truth = vesica.Dataset.from_arrays(np.empty((0, 4)), image=[], category=[], images=list(range(images)))
        guess = vesica.Dataset.from_arrays(np.empty((0, 4)), image=[], category=[], score=[])
        found = replicates_of(records_of(truth, guess, protocol=protocol), replicates=3, cut=Cut(0, 0))
        assert found.values.shape == (3, len(found.names)) and np.isnan(found.values).all()

    def test_no_guesses(self):
        truth = vesica.Dataset.from_arrays([[0, 0, 4, 4]], image=[1], category=[0])
        guess = vesica.Dataset.from_arrays(np.empty((0, 4)), image=[], category=[], score=[])
        found = drawn(records_of(truth, guess), given_draws([[1], [0]]))
        assert found.values[0, 0] == 0 and np.isnan(found.values[1, 0])


class TestFaults:
    @pytest.mark.parametrize(
        "options, text",
        [
            ({"replicates": 0}, "`replicates`"),
            ({"seed": -1}, "`seed` must be a whole number from 0"),
            ({"groups": ["a"]}, "`groups` must be one for each of"),
        ],
        ids=str,
    )
    def test_words(self, options, text):
        with pytest.raises(ValueError, match=text):
            replicates_of(matched(1), **options)
