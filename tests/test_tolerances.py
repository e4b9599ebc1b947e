"""Tolerances that people suggest: where observed and exchanged overlaps cross, and how far outlines are apart."""

import numpy as np
import pytest

import vesica
from crowds import CROWD, pedestrians
from vesica import AgreementPolicy, Dataset, RleMasks
from vesica.agreement.tolerances import STEPS, _crossing, _quantile

POLICY = AgreementPolicy(replicates=200)


def drawn(offset, count=60, spread=200):
    """One box in each image; ben's lies `offset` further right."""
    rng = np.random.default_rng(0)
    low = rng.uniform(0, spread, (count, 2)).round()
    one = np.hstack([low, low + 40])
    boxes = np.vstack([one, one + [offset, 0, offset, 0]])
    people = ["ann"] * count + ["ben"] * count
    return Dataset.from_arrays(
        boxes, image=list(range(count)) * 2, annotator=people, assignments="all", sizes=(300, 300)
    )


class TestCrossing:
    @pytest.mark.parametrize(
        "observed, by_chance, want",
        [
            pytest.param({0.8: 10}, {0.1: 10}, 0.11, id="apart: behind the last by chance"),
            pytest.param({0.3: 5, 0.8: 5}, {0.1: 5, 0.5: 5}, 0.31, id="half and half"),
            pytest.param({}, {0.1: 5}, None, id="nothing observed"),
            pytest.param({0.8: 5}, {}, None, id="nothing by chance"),
        ],
    )
    def test_value(self, observed, by_chance, want):
        sums = np.zeros((1, 2 * STEPS))
        for place, side in enumerate((observed, by_chance)):
            for iou, count in side.items():
                sums[0, place * STEPS + round(iou * STEPS)] = count
        found = _crossing(sums)[0]
        assert np.isnan(found) if want is None else found == pytest.approx(want)

    def test_quantile(self):
        sums = np.zeros((1, 257))
        sums[0, 4], sums[0, 40] = 96, 4  # 1 pixel and 10
        assert _quantile(sums)[0] == 1.0
        sums[0, 40] = 10
        assert _quantile(sums)[0] == 10.0


class TestTolerances:
    def test_edges(self):
        """Two edges of four are 3 pixels apart."""
        table = vesica.evaluate_agreement(drawn(3), policy=POLICY).tolerances()
        assert table["category"].tolist() == [None, 1]
        assert table["tau"].tolist() == table["tau_lo"].tolist() == table["tau_hi"].tolist() == [3.0, 3.0]
        observed = 37 * 40 / (43 * 40)
        assert (table["match_at"] <= observed).all() and (table["match_at"] > 0.1).all()
        assert (table["match_lo"] <= table["match_at"]).all() and (table["match_at"] <= table["match_hi"]).all()

    def test_same_seed_same_numbers(self):
        found = [list(vesica.evaluate_agreement(drawn(3), policy=POLICY).tolerances()) for _ in range(2)]
        assert found[0] == found[1]

    def test_masks(self):
        """Outlines of squares, one 2 pixels larger all around: 2 pixels apart, corners a little more."""
        masks = np.zeros((2, 12, 30, 30), bool)
        for image in range(12):
            masks[0, image, 8 : 18 + image % 3, 8:18] = masks[1, image, 6 : 20 + image % 3, 6:20] = True
        sides = {
            who: Dataset.from_arrays(masks=RleMasks.from_masks(own), image=np.arange(12), sizes=(30, 30))
            for who, own in zip("ab", masks, strict=True)
        }
        policy = AgreementPolicy(replicates=50, match_at=0.3)
        tau = vesica.evaluate_agreement(sides, policy=policy).tolerances()["tau"]
        assert ((tau >= 2) & (tau <= 3)).all()

    def test_one_image(self):
        """Nothing to exchange: no threshold, and still a distance."""
        (row, _) = vesica.evaluate_agreement([[0, 0, 10, 10]], [[1, 0, 11, 10]], policy=POLICY).tolerances()
        assert row["match_at"] is None and row["tau"] == 1.0

    @pytest.mark.skipif(not CROWD.exists(), reason="the crowd's boxes are not there")
    def test_pedestrians(self):
        """The convention of 0.5 is near what the crowd suggests."""
        (row, _) = vesica.evaluate_agreement(pedestrians(), policy=POLICY).tolerances()
        assert 0.3 < row["match_at"] < 0.6 and row["match_lo"] <= row["match_at"] <= row["match_hi"]
