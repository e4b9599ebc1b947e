"""Pairing: all image pairs at once, against a matrix of each and SciPy's assignment."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vesica
from crowds import CROWD, data_of, pedestrians
from vesica import Dataset
from vesica.agreement.annotations import annotations_of
from vesica.agreement.image_pairs import image_pairs_of
from vesica.agreement.pairing import contacts_of, pair
from vesica.agreement.policy import AgreementPolicy


def paired(data, **policy):
    """The annotations of a data set, their scenes and the pairing."""
    drawn = annotations_of(data)
    scenes = image_pairs_of(drawn)
    return drawn, scenes, pair(drawn, scenes, contacts_of(drawn, scenes), policy=AgreementPolicy(**policy))


boxes = st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(1, 5), st.integers(1, 5))
rows = st.lists(st.tuples(st.integers(0, 2), st.sampled_from("abc"), boxes), max_size=24)


class TestPair:
    @given(rows, st.sampled_from([0.25, 0.5, 0.75]))
    def test_equals_an_assignment_of_each_matrix(self, drawn, match_at):
        annotations, scenes, pairing = paired(data_of(drawn), match_at=match_at, contact=0.05)
        assert len(scenes) == 9
        from scipy.optimize import linear_sum_assignment  # late: a worker that does without is smaller

        for scene in range(len(scenes)):
            left, right = (side.row[side.scene == scene] for side in (scenes.left, scenes.right))
            values = np.asarray(vesica.iou(annotations.box[left], annotations.box[right])).reshape(
                len(left), len(right)
            )
            allowed = np.where(values >= match_at, values, 0)
            chosen = linear_sum_assignment(allowed, maximize=True)
            own = pairing.scene == scene
            assert pairing.iou[own].sum() == pytest.approx(allowed[chosen].sum(), abs=1e-12)
            assert pairing.objective[scene] == pytest.approx(allowed[chosen].sum(), abs=1e-12)
            assert (pairing.iou[own] >= match_at).all()
            a, b = np.searchsorted(left, pairing.a[own]), np.searchsorted(right, pairing.b[own])
            assert values[a, b].tolist() == pairing.iou[own].tolist()
            assert len(set(a)) == len(a) and len(set(b)) == len(b)

    @given(rows, st.randoms())
    def test_order_of_rows_changes_nothing(self, drawn, random):
        order = list(range(len(drawn)))
        random.shuffle(order)
        found = [paired(data_of(drawn, way)) for way in (None, order)]
        (one, _, first), (other, _, second) = found
        assert one.id.tolist() == other.id.tolist()
        for name in ("scene", "a", "b", "iou", "objective"):
            assert np.array_equal(getattr(first, name), getattr(second, name)), name
        for side in ("left", "right"):
            for name in ("partner", "alternative", "margin"):
                assert np.array_equal(getattr(getattr(first, side), name), getattr(getattr(second, side), name)), name

    @given(rows, st.permutations("abc"))
    def test_order_of_annotators_changes_no_pair(self, drawn, people):
        told = []
        for names in ("abc", people):
            drawn_by, _, pairing = paired(data_of(drawn, people=names))
            pairs = zip(
                drawn_by.id[pairing.a].tolist(), drawn_by.id[pairing.b].tolist(), pairing.iou.tolist(), strict=True
            )
            told.append(sorted((min(a, b), max(a, b), iou) for a, b, iou in pairs))
        assert told[0] == told[1]

    def test_margin_and_alternative(self):
        """a1 would rather have b1, and b1 has another: the sum decides."""
        drawn = [(0, "a", (0, 0, 10, 10)), (0, "a", (3, 0, 10, 10)), (0, "b", (1, 0, 10, 10)), (0, "b", (0, 0, 8, 10))]
        annotations, scenes, pairing = paired(data_of(drawn), contact=0.1)
        is_scene = (scenes.image == 0) & (scenes.a == 0) & (scenes.b == 1)
        (scene,) = np.flatnonzero(is_scene)
        own = scenes.left.scene == scene
        told = {
            int(annotations.id[row]): (
                int(annotations.id[partner]), round(iou, 6), int(annotations.id[other]), round(margin, 6)
            )
            for row, partner, iou, other, margin in zip(
                scenes.left.row[own], pairing.left.partner[own], pairing.left.iou[own],
                pairing.left.alternative[own], pairing.left.margin[own], strict=True,
            )
        }  # fmt: skip
        assert told == {0: (3, 0.8, 2, round(0.8 - 9 / 11, 6)), 1: (2, 0.666667, 3, round(8 / 12 - 5 / 13, 6))}

    def test_unmatched(self):
        drawn = [(0, "a", (0, 0, 10, 10)), (0, "b", (0, 0, 10, 4)), (1, "a", (0, 0, 5, 5))]
        annotations, scenes, pairing = paired(data_of(drawn))
        assert len(pairing) == 0
        near = scenes.left.row == np.flatnonzero(annotations.id == 0)[0]
        assert pairing.left.partner[near].tolist() == [-1, -1]
        assert sorted(pairing.left.margin[near].tolist()) == [-0.4, 0.0]
        assert sorted(pairing.left.alternative[near].tolist())[0] == -1

    @pytest.mark.parametrize("strict, matched", [(False, 1), (True, 0)])
    def test_at_the_threshold(self, strict, matched):
        """3/10 is reached by 3/10, whatever the nearest float is."""
        drawn = [(0, "a", (0, 0, 10, 1)), (0, "b", (0, 0, 3, 1))]
        assert len(paired(data_of(drawn), match_at=0.3, match_strict=strict)[2]) == matched


class TestImagePairs:
    def test_who_was_not_asked_is_not_compared(self):
        asked = [(1, "ann"), (1, "ben"), (2, "ann"), (2, "cyd"), (3, "ben")]
        data = Dataset.from_arrays([[0, 0, 4, 4]], image=[1], annotator=["ann"], assignments=asked)
        scenes = image_pairs_of(annotations_of(data))
        assert list(zip(scenes.image, scenes.a, scenes.b, strict=True)) == [(0, 0, 1), (1, 0, 2)]

    def test_rounds(self):
        """Others in the same round, oneself in two."""
        asked = [(1, "ann", 1), (1, "ann", 2), (1, "ben", 1), (1, "cyd", 2)]
        data = Dataset.from_arrays([[0, 0, 4, 4]], image=[1], annotator=["ann"], round=[2], assignments=asked)
        scenes = image_pairs_of(annotations_of(data))
        told = zip(scenes.a.tolist(), scenes.round_a.tolist(), scenes.b.tolist(), scenes.round_b.tolist(), strict=True)
        assert sorted(told) == [(0, 1, 0, 2), (0, 1, 1, 1), (0, 2, 2, 2)]
        assert scenes.is_self.sum() == 1
        assert len(scenes.left.row) == 1 and len(scenes.right.row) == 1


@pytest.mark.skipif(not CROWD.exists(), reason="the crowd's boxes are not there")
class TestPedestrians:
    def test_to_the_digit(self):
        _, scenes, pairing = paired(pedestrians())
        sizes = [np.bincount(side.scene, minlength=len(scenes)) for side in (scenes.left, scenes.right)]
        units, matched, total = float(sum(size.sum() for size in sizes)) / 2, len(pairing), pairing.iou.sum()
        assert (len(scenes), int(((sizes[0] + sizes[1]) == 0).sum())) == (30408, 4974)
        assert (units, matched, round(total, 6)) == (35202, 29830, 22314.943047)
        assert (round(total / units, 6), round(matched / units, 6)) == (0.633911, 0.847395)
        assert round(total / matched, 6) == 0.748071
        assert (sizes[0].sum() - matched, sizes[1].sum() - matched) == (5153, 5591)
