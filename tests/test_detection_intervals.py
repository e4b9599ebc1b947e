"""Intervals and slices of detection results."""

import math

import numpy as np
import pytest

import vesica
from scenes import Traits, datasets, job
from vesica.dataset import Images
from vesica.detection import bootstrap, summarise
from vesica.detection.bootstrap import replicates_of
from vesica.results.resampling import Resampling
from vesica.statistics.intervals import percentile_interval


def scored(seed=1, images=24, **options):
    return vesica.evaluate(*datasets(*job(np.random.default_rng(seed), Traits(images=images, categories=3))), **options)


class TestInterval:
    def test_is_that_of_the_replicates(self):
        result = scored()
        found = replicates_of(result.records, replicates=120, seed=4)
        for place, name in enumerate(found.names):
            plain = result.interval(name, replicates=120, seed=4, method="percentile")
            assert plain == percentile_interval(found.values[:, place])

    def test_table_has_all_numbers(self):
        result = scored()
        table = result.interval(replicates=60)
        assert list(table) == [*result, "precision", "recall", "f1"]
        counts = result.counts().total()
        rows = {row["number"]: row for row in table.table()}
        assert rows["AP50"]["value"] == result["AP50"] and rows["f1"]["value"] == counts.f1
        assert rows["AP50"]["lo"] <= rows["AP50"]["value"] <= rows["AP50"]["hi"]

    def test_classes(self):
        result = scored()
        rows = list(result.interval(replicates=60, iou=0.75).per_class())
        assert [row["category"] for row in rows[::15]] == result.categories
        last = {row["number"]: row for row in rows[-15:]}
        assert last["AP"]["value"] == result.per_class()[-1]["AP"]
        assert last["recall"]["value"] == result.counts(iou=0.75).recall[-1]
        assert last["AP"]["lo"] <= last["AP"]["hi"]

    @pytest.mark.parametrize("protocol", ["coco", "voc", "voc07"])
    @pytest.mark.parametrize("numbers", [0, 16 * 24, 2 * 16 * 40])
    def test_some_categories_at_a_time(self, monkeypatch, protocol, numbers):
        """Memory does not grow with the number of categories, and no bit changes."""
        traits = Traits(images=24, categories=5)
        truth, guess = datasets(*job(np.random.default_rng(5), traits))
        result = vesica.evaluate(truth, guess, protocol=protocol)
        groups = {one: place % 7 for place, one in enumerate(result.records.images.tolist())}
        resampling = Resampling(40, 3, groups)
        asked = [(None, name) for name in result] + [(str(one), name) for one in result.categories for name in result]

        def answers():
            table = result.interval(replicates=40, seed=3, by=groups)
            scores = result.gate_scores(resampling).replicates
            return table, [scores(name, category) for category, name in asked]

        (whole, drawn), chunks = answers(), []
        monkeypatch.setattr(bootstrap, "_CLASS_NUMBERS", numbers)
        once = bootstrap.drawn
        monkeypatch.setattr(bootstrap, "drawn", lambda *a, **k: chunks.append(a[1]) or once(*a, **k))
        (parts, again) = answers()
        assert len(chunks) > 4
        for one, other in ((whole.ends, parts.ends), (whole.class_ends, parts.class_ends)):
            for name in ("lo", "hi", "status", "undefined"):
                assert getattr(one, name).tobytes() == getattr(other, name).tobytes()
        assert str(whole) == str(parts) and whole.to_dict() == parts.to_dict()
        for one, other in zip(drawn, again, strict=True):
            assert one is other is None or one.tobytes() == other.tobytes()

    def test_higher_level_is_wider(self):
        result = scored()
        narrow, wide = (result.interval("AP", level=level, replicates=200) for level in (0.5, 0.99))
        assert wide.lo < narrow.lo < narrow.hi < wide.hi

    def test_from_records_alone(self):
        result = scored()
        again = summarise(vesica.detection.Records.from_bytes(result.records.to_bytes()))
        one, other = (each.interval(replicates=60) for each in (result, again))
        assert one.to_dict() == other.to_dict() and str(one) == str(other)

    def test_undefined_numbers_have_none(self):
        truth = vesica.Dataset.from_arrays([[0, 0, 4, 4]] * 30, image=range(30), category=[0] * 30)
        guess = vesica.Dataset.from_arrays([[0, 0, 4, 4]], image=[0], category=[0], score=[0.5])
        table = vesica.evaluate(truth, guess).interval(replicates=60)
        assert table["APl"] == (None, None, "undefined", 60)
        assert "APl: no interval" not in str(table)  # there is no number either

    def test_group_of_the_truth(self):
        """Images of one scene are alike: fewer scenes, a wider interval."""
        rng = np.random.default_rng(0)
        side = np.repeat(rng.integers(4, 9, 20), 4)
        image = list(range(80))
        truth = vesica.Dataset.from_arrays(
            [[0, 0, 8, 8]] * 80,
            image=image,
            category=[0] * 80,
            images=Images(np.arange(80), group=np.repeat(np.arange(20), 4).astype(object)),
        )
        boxes = [[0, 0, 8, high] for high in side]
        guess = vesica.Dataset.from_arrays(boxes, image=image, category=[0] * 80, score=[0.5] * 80)
        result = vesica.evaluate(truth, guess)
        alone, together = (result.interval("AR100", by=by, replicates=300) for by in ("image", "group"))
        assert together.hi - together.lo > 1.5 * (alone.hi - alone.lo)
        dicts = result.interval("AR100", by={k: k // 4 for k in range(80)}, replicates=300)
        listed = result.interval("AR100", by=[k // 4 for k in range(80)], replicates=300)
        assert dicts == listed == together

    @pytest.mark.parametrize(
        "options, error, text",
        [
            ({"by": "camera"}, ValueError, '`by` must be one of "image", a dict of image → group'),
            ({"by": ["a", "b"]}, ValueError, "must have one value for each of 24 images; got 2"),
            ({"by": {1: "a"}}, ValueError, "must have a value for each of 24 images; it has none for"),
            ({"by": [None] * 24}, ValueError, "`by` must have a group for every image"),
            ({"by": 3}, TypeError, "must be a dict of image → value, or one value each"),
            ({"level": 95}, ValueError, "Divide a percentage by 100"),
            ({"replicates": 1.5}, ValueError, "`replicates` must be a whole number"),
            ({"method": "bca"}, ValueError, '`method` must be one of "corrected", "percentile"'),
            ({"seed": -3}, ValueError, "`seed` must be a whole number from 0"),
        ],
        ids=str,
    )
    def test_faults(self, options, error, text):
        with pytest.raises(error, match=text):
            scored().interval(**options)

    def test_unknown_number(self):
        with pytest.raises(ValueError, match='Did you mean "AP50"'):
            scored().interval("ap50")
        with pytest.raises(KeyError, match='Did you mean "AP50"'):
            scored().interval(replicates=2)["Ap50"]


class TestSlices:
    def test_have_the_numbers_of_their_images_alone(self):
        truth, guess = datasets(*job(np.random.default_rng(1), Traits(images=24, categories=3)))
        camera = {one: "left" if place % 3 else "right" for place, one in enumerate(truth.images.ids.tolist())}
        result = vesica.evaluate(truth, guess, slices=camera)
        assert list(result.slices) == ["slice"] and list(result.slices["slice"]) == ["left", "right"]
        for value, one in result.slices["slice"].items():
            ids = np.array([image for image in camera if camera[image] == value])
            sides = [_of_images(side, ids) for side in (truth, guess)]
            alone = vesica.evaluate(*sides)
            np.testing.assert_array_equal(list(one.summary.values()), list(alone.summary.values()))
            assert one.records.to_bytes() == vesica.detection.records.replace(alone.records, notes=()).to_bytes()
            assert one.interval("AP", replicates=50) == alone.interval("AP", replicates=50)

    @pytest.mark.parametrize("key", [str, "{:012d}.jpg".format, "folder/{:012d}.jpg".format, "{:012d}".format])
    def test_images_by_name(self, key):
        ids = list(range(3))
        truth = vesica.Dataset.from_arrays(
            [[0, 0, 4, 4]] * 3,
            image=ids,
            category=[0] * 3,
            images=Images(np.arange(3), names=np.array([f"folder/{one:012d}.jpg" for one in ids], object)),
        )
        guess = vesica.Dataset.from_arrays([[0, 0, 4, 4]], image=[1], category=[0], score=[0.5])
        result = vesica.evaluate(truth, guess, slices={"light": {key(one): "day" if one else None for one in ids}})
        assert len(result.slices["light"]["day"].records.images) == 2

    def test_columns_of_the_truth_and_several(self):
        table = Images(np.arange(4), group=np.array(["a", "a", "b", "b"], object))
        truth = vesica.Dataset.from_arrays([[0, 0, 4, 4]] * 4, image=range(4), category=[0] * 4, images=table)
        guess = vesica.Dataset.from_arrays([[0, 0, 4, 4]] * 2, image=[0, 1], category=[0] * 2, score=[0.5] * 2)
        result = vesica.evaluate(truth, guess, slices="group")
        assert result.slices["group"]["a"]["AR100"] == 1 and result.slices["group"]["b"]["AR100"] == 0
        both = vesica.evaluate(truth, guess, slices={"speed": [1, 2, 2, 1], "lens": {k: k % 2 for k in range(4)}})
        assert [len(one.records.images) for one in both.slices["speed"].values()] == [2, 2]
        rows = list(both.slices.table())
        assert [(row["column"], row["slice"]) for row in rows] == [("speed", 1), ("speed", 2), ("lens", 0), ("lens", 1)]
        assert both.interval("AR100", by="lens", replicates=4).lo is not None

    def test_without(self):
        assert dict(scored().slices) == {}

    def test_merged_records(self):
        result = scored()
        camera = {one: one % 2 for one in result.records.images.tolist()}
        one, other = (each.sliced(camera).slices["slice"][1] for each in (result, summarise(result.records)))
        np.testing.assert_array_equal(list(one.summary.values()), list(other.summary.values()))
        assert not all(math.isnan(value) for value in one.summary.values())

    @pytest.mark.parametrize(
        "slices, error, text",
        [
            ("camera", ValueError, "`slices` names the column 'camera', but of the images nothing is known"),
            (3, TypeError, "`slices` must be names of columns, a dict"),
            ({1: {2: "a"}}, TypeError, "`slices` must have texts for names of columns; got 1"),
            ({"camera": ["a"]}, ValueError, "must have one value for each of 24 images; got 1"),
            ({"camera": {}}, ValueError, "must have a value for each of 24 images; it has none for"),
            ({"camera": [{}] * 24}, TypeError, "must have texts and numbers, or None; got"),
            ({"camera": [math.nan] * 24}, TypeError, "must have texts and numbers, or None; got nan"),
        ],
        ids=str,
    )
    def test_faults(self, slices, error, text):
        with pytest.raises(error, match=text):
            scored(slices=slices)

    def test_unknown_column(self):
        with pytest.raises(KeyError, match="no slices by 'light'; there are those by slice"):
            scored(slices=dict.fromkeys(scored().records.images.tolist(), "a")).slices["light"]


def _of_images(data, ids):
    from dataclasses import replace

    part = data.rows(np.isin(data.images.ids[data.image], ids))
    place = {one: k for k, one in enumerate(ids.tolist())}
    image = np.array([place[one] for one in part.images.ids[part.image].tolist()], np.int64)
    return replace(part, images=Images(ids), image=image)
