"""Intervals of agreement: by image or by group, from what adds up."""

import numpy as np
import pytest

import vesica
from crowds import annotated
from vesica import AgreementPolicy, Dataset
from vesica.dataset import Images
from vesica.errors import InputError


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
