"""Intervals of agreement: by image or by group, from what adds up."""

import numpy as np
import pytest

import vesica
from crowds import annotated
from vesica import AgreementPolicy, Dataset
from vesica.agreement.alphas import label_counts
from vesica.dataset import Images
from vesica.errors import InputError
from vesica.statistics.coefficients import nominal_of, nominal_sums_of_counts
from vesica.statistics.intervals import percentile_interval
from vesica.statistics.resampling import keys_of, weights


class TestIntervals:
    @pytest.mark.parametrize("name", ["pairs", "classes", "annotators"])
    def test_intervals_hold_the_rate(self, name):
        rng = np.random.default_rng(0)
        rows = [
            (image % 4, who, (0, 10 * (image // 4), 8, int(rng.integers(4, 9))), "cat")
            for image in range(40)
            for who in "abc"
        ]
        result = vesica.evaluate_agreement(annotated(rows), policy=AgreementPolicy(replicates=200))
        table = getattr(result, name)()
        there = ~np.isnan(table["lo"])
        assert there.any() and (table["lo"][there] <= table["hi"][there]).all()
        found = result.interval("agreement")
        assert found.lo <= result["agreement"] <= found.hi
        assert result.interval("agreement") == found

    def test_table_of_all_numbers(self):
        high = np.random.default_rng(0).integers(5, 9, 20)
        boxes = [[0, 0, 8, 8]] * 20 + [[0, 0, 8, side] for side in high] + [[50, 0, 58, 8]] * 7
        data = Dataset.from_arrays(
            boxes, image=[*range(20), *range(20), *range(7)], annotator=["a"] * 20 + ["b"] * 27, assignments="all"
        )
        result = vesica.evaluate_agreement(data, policy=AgreementPolicy(replicates=100, seed=2))
        table = result.interval()
        assert list(table) == list(result) and table["f1"] == result.interval("f1")
        assert table.drawing.replicates == 100 and table.drawing.seed == 2
        wide = result.interval("f1", level=0.99, replicates=300)
        assert wide.lo <= table["f1"].lo and wide.hi >= table["f1"].hi
        assert result.interval("f1", by=[k // 2 for k in range(20)]) != table["f1"]
        assert result.interval("f1", by="image") == table["f1"]

    def test_resampling_by_what_is_not_there(self):
        result = vesica.evaluate_agreement(
            annotated([(0, "a", (0, 0, 4, 4), "cat")]), policy=AgreementPolicy(resample_by="group")
        )
        with pytest.raises(InputError, match='resample_by="group", and no image has a group'):
            result.interval("agreement")

    def test_groups_are_drawn_together(self):
        """Images of one patient are alike: as many images, fewer patients, a wider interval."""
        rng = np.random.default_rng(0)
        side = np.repeat(rng.integers(5, 9, 20), 4)  # of 80 images
        boxes = [[0, 0, 8, high] for high in side] + [[0, 0, 8, 8]] * 80
        table = Images(np.arange(80), group=np.repeat(np.arange(20), 4).astype(object))
        data = Dataset.from_arrays(
            boxes, image=list(range(80)) * 2, annotator=["a"] * 80 + ["b"] * 80, images=table, assignments="all"
        )
        alone, together = (
            vesica.evaluate_agreement(data, policy=AgreementPolicy(resample_by=by)).interval("agreement")
            for by in ("image", "group")
        )
        assert together.hi - together.lo > 1.5 * (alone.hi - alone.lo)


class TestCoefficients:
    def result(self):
        """Three people, two classes, of which one is often taken for the other."""
        rng = np.random.default_rng(3)
        rows = [
            (image, who, (0, 30 * k, 20, 20), "dog" if (image + k) % 3 and rng.random() < 0.8 else "cat")
            for image in range(15)
            for k in range(3)
            for who in "abc"
            if rng.random() < 0.85
        ]
        return vesica.evaluate_agreement(annotated(rows, images=range(15)), policy=AgreementPolicy(replicates=40))

    def test_agreement_is_that_of_the_classes(self):
        result = self.result()
        table, classes = result.coefficients(), result.classes()
        for name, own in (("agreement", "agreement"), ("agreement_lo", "lo"), ("agreement_hi", "hi"), ("alpha",) * 2):
            assert np.array_equal(table[name], classes[own], equal_nan=True)

    def test_alpha_against_another_library(self):
        """Each replicate as the krippendorff package has it: units of an image as often as it was drawn."""
        krippendorff = pytest.importorskip("krippendorff")
        result = self.result()
        drawn = weights(keys_of(result.records.images), seed=result.policy.seed, count=40)
        table = result.objects()
        for place, category in enumerate(result.coefficients()["category"].tolist()):
            units = []
            for cluster in dict.fromkeys(table["cluster"].tolist()):
                rows = np.flatnonzero(table["cluster"] == cluster)
                said = dict(zip(table["annotator"][rows].tolist(), table["category"][rows].tolist(), strict=True))
                units.append((table["image"][rows[0]], [float(said.get(who) == category) for who in "abc"]))
            order = result.records.images.tolist()
            found = []
            for times in drawn:
                columns = [one for image, one in units for _ in range(int(times[order.index(image)]))]
                data = np.array(columns).T
                varies = len(columns) and len(np.unique(data)) > 1
                found.append(krippendorff.alpha(data, level_of_measurement="nominal") if varies else np.nan)
            ends = percentile_interval(np.array(found), level=result.policy.level)
            row = list(result.coefficients())[place]
            assert (row["alpha_lo"], row["alpha_hi"]) == pytest.approx(ends[:2])

    def test_alpha_of_all_is_a_mean_of_those_of_each(self):
        """Weighted with the disagreement by chance, that of "nothing drawn" among them."""
        result = self.result()
        counts = label_counts(result.records).astype(np.float64)
        share = counts.sum(axis=0) / counts.sum()
        two = np.stack([counts[:, :-1].sum(axis=1), counts[:, -1]], axis=1)
        nothing = nominal_of(nominal_sums_of_counts(two, np.ones(len(two))))
        values = [*result.coefficients()["alpha"].tolist(), float(nothing.value)]
        weights = share * (1 - share)
        assert np.nansum(values * weights) / weights.sum() == pytest.approx(result["alpha"], abs=1e-12)
        assert np.nanmin(values[:-1]) > 0.5  # of all objects: of those alone that somebody gave it, it would be near 0

    def test_label_maps(self):
        first, second = np.random.default_rng(0).integers(0, 3, (2, 5, 12, 12))
        given = {"ann": dict(enumerate(first)), "ben": dict(enumerate(np.where(second == 0, second, first)))}
        result = vesica.evaluate_agreement(given)
        table = result.coefficients()
        assert table["iou"].tolist() == result.classes()["iou"].tolist()
        assert table["corrected"] == pytest.approx(result.chance()["corrected"])
        assert (table["iou_lo"] < table["iou"]).all() and (table["iou"] < table["iou_hi"]).all()
        assert (table["corrected_lo"] < table["corrected"]).all() and (table["corrected"] < table["corrected_hi"]).all()


class TestInfluence:
    def test_interval(self):
        """Cleo draws otherwise, everywhere: agreement would surely rise without her."""
        rng = np.random.default_rng(0)
        rows = [(image, who, (0, 0, 8, int(high))) for image in range(60) for who, high in
                (("ann", 8), ("ben", 8), ("cleo", rng.integers(4, 6)))]  # fmt: skip
        data = Dataset.from_arrays(
            np.array([box for *_, box in rows], float),
            form="xywh",
            image=[image for image, *_ in rows],
            annotator=[who for _, who, _ in rows],
            assignments="all",
        )
        table = vesica.evaluate_agreement(data).annotators()
        assert (table["influence_lo"] <= table["influence"]).all() and (
            table["influence"] <= table["influence_hi"]
        ).all()
        assert table["influence_hi"][2] < 0 < table["influence_lo"][0]

    def test_of_two(self):
        """Without one of two there is nothing left."""
        table = vesica.evaluate_agreement([[0, 0, 4, 4]], [[0, 0, 4, 4]]).annotators()
        assert np.isnan(table["influence"]).all() and np.isnan(table["influence_lo"]).all()


class TestTrend:
    def data(self, **others):
        """Ann learns: in later batches her boxes are as high as Ben's."""
        high = np.repeat([4, 6, 8], 30)
        boxes = [[0, 0, 8, side] for side in high] + [[0, 0, 8, 8]] * 90
        table = Images(np.arange(90), batch=np.repeat(["a", "b", "c"], 30).astype(object))
        options = {"images": table, "assignments": "all", **others}
        return Dataset.from_arrays(boxes, image=list(range(90)) * 2, annotator=["ann"] * 90 + ["ben"] * 90, **options)

    def test_batches(self):
        table = vesica.evaluate_agreement(self.data()).trend()
        assert table["batch"].tolist() == ["a", "b", "c"]
        assert table["agreement"].tolist() == [0.5, 0.75, 1.0] and table["n_images"].tolist() == [30, 30, 30]
        assert np.isnan(table["change"][0]) and table["change"][1:].tolist() == [0.25, 0.5]
        assert (table["q"][1:] < 0.01).all() and table["lo"][1:].tolist() == table["hi"][1:].tolist() == [0.25, 0.5]

    def test_categories(self):
        table = vesica.evaluate_agreement(self.data(category=["cat", "dog"] * 90)).trend(category=True)
        assert table["category"].tolist() == ["cat"] * 3 + ["dog"] * 3 and len(table) == 6
        assert table["agreement"].tolist() == [0.5, 0.75, 1.0] * 2

    def test_dates_and_rounds(self):
        days = ["2026-01-01"] * 45 + ["2026-01-02"] * 45
        asked = {"image": list(range(90)) * 2, "annotator": ["ann"] * 90 + ["ben"] * 90}
        by_date = vesica.evaluate_agreement(self.data(assignments={**asked, "date": days * 2})).trend(by="date")
        assert by_date["date"].tolist() == ["2026-01-01", "2026-01-02"]
        assert by_date["agreement"][0] < by_date["agreement"][1]
        rounds = np.repeat([1, 2, 1, 2], 45)
        data = self.data(round=rounds, assignments={**asked, "round": rounds})
        assert vesica.evaluate_agreement(data).trend(by="round")["round"].tolist() == [1, 2]

    @pytest.mark.parametrize("by", ["date", "round"])
    def test_not_there(self, by):
        with pytest.raises(InputError, match=f'by="{by}", and these annotations have no {by}'):
            vesica.evaluate_agreement(self.data()).trend(by=by)
