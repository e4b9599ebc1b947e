"""Intervals of panoptic quality, of outlines and of label maps of annotators: one shape for all."""

import numpy as np
import pytest

import vesica
from vesica import AgreementPolicy, SegmentationPolicy
from vesica.results.intervals import IntervalTable
from vesica.results.resampling import Resampling
from vesica.statistics.resampling import keys_of, weights

IMAGES = 24


def maps(seed=0, share=0.8):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, (IMAGES, 8, 8))
    return truth, np.where(rng.random(truth.shape) < share, truth, 0)


def panoptic(**options):
    rng = np.random.default_rng(1)
    truth = [(np.kron(rng.integers(1, 3, (4, 4)), np.ones((4, 4), int)), {1: 17, 2: 3}) for _ in range(IMAGES)]
    guess = [(np.roll(ids, rng.integers(0, 3)), told) for ids, told in truth]
    return vesica.evaluate_panoptic(truth, guess, categories={17: "cat", 3: "grass"}, **options)


def surfaces(**options):
    return vesica.evaluate_surfaces(*maps(), categories={1: "liver", 2: "spleen"}, tau=1, **options)


def annotators(**options):
    return vesica.evaluate_agreement(dict(zip(("ann", "ben"), maps(), strict=True)), **options)


KINDS = {"panoptic": (panoptic, "PQ"), "surfaces": (surfaces, "HD"), "annotators": (annotators, "mIoU")}


@pytest.fixture(params=KINDS)
def kind(request):
    made, name = KINDS[request.param]
    return made(), name


class TestTable:
    def test_has_every_number_and_class(self, kind):
        result, name = kind
        table = result.interval(replicates=200)
        assert isinstance(table, IntervalTable) and list(table) == list(result)
        assert table[name] == result.interval(name, replicates=200)
        assert table[name].lo < result[name] < table[name].hi
        scores = result.gate_scores()
        rows = {(str(row["category"]), row["number"]): row["value"] for row in table.per_class()}
        assert rows == {(one, key): value for one, own in scores.by_category.items() for key, value in own.items()}
        assert all(row["lo"] <= row["value"] <= row["hi"] for row in table.per_class() if row["lo"] is not None)

    def test_is_the_percentile_of_replicates(self, kind):
        result, name = kind
        drawn = result.gate_scores(Resampling(300, seed=4)).replicates(name, None)
        ends = result.interval(name, replicates=300, seed=4, level=0.8, method="percentile")
        assert (ends.lo, ends.hi) == pytest.approx(tuple(np.percentile(drawn, [10, 90])))

    def test_groups_are_wider_where_they_are_alike(self, kind):
        result, name = kind
        pairs = [image // 2 for image in range(IMAGES)]
        by_list, by_dict = (result.interval(name, by=by) for by in (pairs, dict(enumerate(pairs))))
        assert by_list == by_dict != result.interval(name)

    def test_does_not_hang_on_other_options(self, kind):
        result, name = kind
        assert result.interval(name, seed=1) != result.interval(name, seed=2)
        wide, narrow = (result.interval(name, level=level) for level in (0.99, 0.5))
        assert wide.lo < narrow.lo < narrow.hi < wide.hi

    @pytest.mark.parametrize(
        "options, text",
        [
            ({"by": "patient"}, '`by` must be one of "image"'),
            ({"by": ["a"]}, f"must have one value for each of {IMAGES} images"),
            ({"level": 95}, "Divide a percentage by 100"),
            ({"method": "student"}, "`method` must be one of"),
        ],
        ids=str,
    )
    def test_faults(self, kind, options, text):
        with pytest.raises(ValueError, match=text):
            kind[0].interval(**options)

    def test_unknown_name(self, kind):
        result, name = kind
        with pytest.raises(ValueError, match=f'Did you mean "{name}"'):
            result.interval(name.lower() if name != "HD" else "Hd")


class TestSurfaces:
    def test_groups_that_were_given(self):
        groups = [f"patient {image // 3}" for image in range(IMAGES)]
        result = surfaces(groups=groups)
        assert result.interval("HD", by="group") == result.interval("HD", by=groups)

    def test_infinite_distances_have_none(self):
        truth, guess = maps()
        guess[0] = 0
        policy = SegmentationPolicy(distance_worst="inf")
        result = vesica.evaluate_surfaces(truth, guess, categories=[1, 2], tau=1, policy=policy)
        table = result.interval(replicates=100)
        assert table["HD"].lo is None and table["NSD(1)"].lo is not None
        assert "HD: no interval" in str(table)


class TestAnnotators:
    def test_equals_repeated_images(self):
        ann, ben = maps(3)
        result = vesica.evaluate_agreement({"ann": ann, "ben": ben}, policy=AgreementPolicy(background=0))
        how = Resampling(5, seed=1)
        draw = result.gate_scores(how).replicates
        every = weights(keys_of(np.arange(IMAGES).astype(object)), seed=1, count=5).astype(int)
        for place, weight in enumerate(every):
            rows = np.repeat(np.arange(IMAGES), weight)
            want = vesica.evaluate_agreement({"ann": ann[rows], "ben": ben[rows]}, policy=result.policy)
            for name, value in want.items():
                assert draw(name, None)[place] == pytest.approx(value)
            for row in want.classes():
                for name in ("iou", "dice"):
                    assert draw(name, str(row["category"]))[place] == pytest.approx(row[name])
        assert draw("alpha", None) is None

    def test_gates_and_comparisons_have_them(self):
        before = annotators()
        ann, _ = maps()
        after = vesica.evaluate_agreement({"ann": ann, "ben": maps(share=0.95)[1]})
        (verdict,) = before.gates("mIoU>=0.1 @95%")
        assert verdict.interval == before.interval("mIoU")[:2]
        found = vesica.compare(before, after, replicates=200)
        assert found.table()["lo"][0] > 0 and (found.classes()["lo"] > 0).all()
        same = vesica.compare(before, annotators()).table()
        assert not same["difference"].any() and (same["p"] == 1).all()

    def test_the_policy_decides_what_is_not_said(self):
        result = annotators(policy=AgreementPolicy(replicates=70, seed=5, level=0.6))
        table = result.interval()
        assert (table.drawing.replicates, table.drawing.seed, table.drawing.level) == (70, 5, 0.6)
        assert table["mIoU"] == annotators().interval("mIoU", replicates=70, seed=5, level=0.6)
