"""Advice on agreement: what triggers it, what it says, and that it changes nothing."""

import numpy as np
import pytest

import vesica
from vesica import AgreementPolicy, Dataset, advise, evaluate_agreement

POLICY = AgreementPolicy(replicates=200)


def found(result, **options):
    return {one.code: one for one in advise(result, **options)}


def people(shift=0.0, missed=0.0, images=40, seed=0, category=None):
    """Two annotators, one box of two classes in each image; ben's lies `shift` pixels away, and he misses some."""
    rng = np.random.default_rng(seed)
    low = rng.integers(0, 100, (images, 2)).astype(float)
    ann = np.hstack([low, low + 20])
    sees = rng.random(images) >= missed
    ben = (ann + [shift, 0, shift, 0])[sees]
    image = np.concatenate([np.arange(images), np.flatnonzero(sees)])
    own = np.arange(images) % 2 if category is None else np.asarray(category)
    return Dataset.from_arrays(
        np.vstack([ann, ben]), image=image, annotator=["ann"] * images + ["ben"] * len(ben),
        category=np.concatenate([own, own[sees]]), assignments="all", sizes=(150, 150), images=np.arange(images),
    )  # fmt: skip


def test_nothing_special():
    assert advise(evaluate_agreement(people(1), policy=POLICY)) == []


def test_low_agreement():
    one = found(evaluate_agreement(people(1, missed=0.6), policy=POLICY))["MR06"]
    assert one.severity == "warning" and one.evidence["alpha"] < 2 / 3 and "mean nothing" in one.text


def test_one_annotator_only():
    data = Dataset.from_arrays(
        [[0, 0, 4, 4], [0, 0, 4, 4], [9, 9, 20, 20]], image=[1, 1, 2], annotator=["a", "b", "a"],
        category=[1, 1, 2], assignments=[(1, "a"), (1, "b"), (2, "a")],
    )  # fmt: skip
    one = found(evaluate_agreement(data, policy=POLICY))["MR06"]
    assert one.evidence == {"images": 1} and "1 of 2 images were shown to one annotator alone" in one.text


def test_class_mixes():
    """Ann and ben looked at cats, cleo and dan at dogs."""
    cats, dogs = (people(1, category=[kind] * 40, seed=kind) for kind in (0, 1))
    names = {0: "cat", 1: "dog"}
    rows = []
    for place, data in enumerate((cats, dogs)):
        who = np.array([["ann", "ben"], ["cleo", "dan"]][place])[data.annotator]
        rows += [
            (*box, 100 * place + image, one, place)
            for box, image, one in zip(vesica.Boxes(data.xywh, "xywh").xyxy, data.image, who, strict=True)
        ]
    box, image, who, kind = np.array([row[:4] for row in rows]), *zip(*(row[4:] for row in rows), strict=True)
    asked = sorted({(one, name) for one, name in zip(image, who, strict=True)})
    both = Dataset.from_arrays(box, image=image, annotator=who, category=kind, categories=names, assignments=asked)
    one = found(evaluate_agreement(both, policy=POLICY))["MR15"]
    assert one.evidence["difference"] == 0.5 and "raw agreement" in one.text


def test_groups():
    from dataclasses import replace

    data = people(1)
    images = replace(data.images, group=np.array([f"patient {k // 4}" for k in range(40)], object))
    one = found(evaluate_agreement(replace(data, images=images), policy=POLICY))["MR17"]
    assert one.evidence == {"images": 40, "groups": 10}
    by_group = AgreementPolicy(replicates=200, resample_by="group")
    assert "MR17" not in found(evaluate_agreement(replace(data, images=images), policy=by_group))


def test_steep():
    """A shift of 6 pixels of 20: IoU 14 / 26 = 0.538 for all, so that everything hangs on the threshold."""
    one = found(evaluate_agreement(people(6), policy=POLICY))["MR22"]
    assert one.evidence == {"f1 at 0.4": 1.0, "f1 at 0.6": 0.0} and "tolerances" in one.text


def test_kinds():
    mask = np.zeros((20, 20), bool)
    mask[2:12, 2:12] = True
    sides = {
        "ann": Dataset.from_arrays(masks=mask[None], image=[1]),
        "ben": Dataset.from_arrays([[2, 2, 12, 12]], image=[1], sizes=(20, 20)),
    }
    one = found(evaluate_agreement(sides, regions="box"))["MR23"]
    assert one.evidence == {"pairs": 1} and 'regions="box"' in one.text


class TestHalfWidth:
    def test_more_images(self):
        """As many as make the interval of the same people narrow enough, within what chance does to it."""
        data = people(1, missed=0.3, images=100)
        result = evaluate_agreement(data, policy=POLICY)
        ends = result.interval("agreement")
        half = (ends.hi - ends.lo) / 2
        one = found(result, half_width=half / 2)["MR24"]
        assert one.evidence["more images"] == 300
        wide = evaluate_agreement(people(1, missed=0.3, images=400, seed=1), policy=POLICY).interval("agreement")
        assert (wide.hi - wide.lo) / 2 == pytest.approx(half / 2, rel=0.25)
        assert "MR24" not in found(result, half_width=half * 1.01)

    @pytest.mark.parametrize("value, error", [(0, ValueError), (2, ValueError), ("x", TypeError)])
    def test_bad(self, value, error):
        with pytest.raises(error, match="half_width"):
            advise(evaluate_agreement(people(1), policy=POLICY), half_width=value)

    def test_of_outlines(self):
        with pytest.raises(ValueError, match="numbers of outlines have none yet"):
            advise(vesica.evaluate_surfaces([[1]], [[1]], categories=[1]), half_width=0.1)

    def test_of_label_maps(self):
        """Of a model and of people."""
        rng = np.random.default_rng(0)
        truth = rng.integers(0, 3, (30, 8, 9))
        guess = np.where(rng.random(truth.shape) < 0.8, truth, 0)
        score, crowd = vesica.evaluate_segmentation(truth, guess), evaluate_agreement(truth, guess)
        for result in (score, crowd):
            ends = result.interval("mIoU")
            half = (ends.hi - ends.lo) / 2
            assert found(result, half_width=half / 3)["MR24"].evidence["more images"] == 30 * 8
            assert "MR24" not in found(result, half_width=half * 1.01)


class TestBesidePeople:
    """Scores of models whose truth is of people."""

    def test_low(self):
        crowd = evaluate_agreement(people(1, missed=0.6), policy=POLICY)
        for score in (
            vesica.evaluate_segmentation([[1, 0]], [[1, 1]]),
            vesica.evaluate_surfaces([[1]], [[1]], categories=[1]),
        ):
            assert found(score, people=crowd)["MR06"].evidence == {"agreement": round(crowd["agreement"], 6)}
            assert "MR06" not in found(score)

    def test_tau(self):
        crowd = evaluate_agreement(people(3), policy=POLICY)
        score = vesica.evaluate_surfaces([[1]], [[1]], categories=[1])
        assert found(score, people=crowd)["MR05"].evidence == {"tau": 3.0}
        assert found(score)["MR05"].evidence == {}
        assert "MR05" not in found(vesica.evaluate_surfaces([[1]], [[1]], categories=[1], tau=1), people=crowd)

    def test_label_maps(self):
        one, other = np.tile([1, 1, 1, 0, 0, 2], (5, 3)), np.tile([1, 0, 1, 2, 0, 2], (5, 3))
        crowd = evaluate_agreement(one, other)
        assert crowd["mIoU"] < 2 / 3 and set(found(crowd)) == {"MR06"}
        assert found(vesica.evaluate_segmentation(one, other), people=crowd)["MR06"].evidence == {
            "mIoU": round(crowd["mIoU"], 6)
        }
        assert advise(evaluate_agreement(one, one)) == []

    def test_bad(self):
        with pytest.raises(TypeError, match="`people` must be what vesica.evaluate_agreement answers"):
            advise(vesica.evaluate_segmentation([[1]], [[1]]), people=0.7)


def test_silence():
    result = evaluate_agreement(people(6, missed=0.6), policy=POLICY)
    assert {"MR06", "MR22"} <= set(found(result)) and advise(result, silence=["MR06", "MR22"]) == []
