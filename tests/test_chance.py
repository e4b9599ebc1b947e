"""Agreement by chance: independent areas, and images that are exchanged."""

from __future__ import annotations

import collections
import itertools
import random
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vesica
from vesica import Boxes, Polygons, RleMasks, RotatedBoxes
from vesica.agreement.chance import (
    corrected,
    derangement,
    independent_iou,
    relative,
    repaired,
    separation,
)
from vesica.agreement.policy import AgreementPolicy
from vesica.agreement.scenes import Objects, Side


class TestIndependent:
    def test_is_the_mean_over_all_shifts(self):
        """Moved around the image in every way, a mask meets the other by area · area / pixels on average."""
        generator = np.random.default_rng(3)
        a, b = generator.random((2, 6, 7)) < 0.4
        shared = np.mean([(a & np.roll(b, at, axis=(0, 1))).sum() for at in itertools.product(range(6), range(7))])
        want = shared / (a.sum() + b.sum() - shared)
        assert independent_iou(a.sum(), b.sum(), a.size) == pytest.approx(want)

    @pytest.mark.parametrize("a, b, want", [(0, 0, 0), (0, 9, 0), (100, 100, 1), (100, 50, 0.5)])
    def test_edges(self, a, b, want):
        assert independent_iou(a, b, 100) == want


class TestCorrected:
    @pytest.mark.parametrize("observed, chance, want", [(1, 0.5, 1), (0.5, 0.5, 0), (0.25, 0.5, -0.5), (0.7, 0, 0.7)])
    def test_value(self, observed, chance, want):
        assert corrected(observed, chance) == (want, "ok")

    def test_chance_alone(self):
        assert corrected(1.0, 1.0) == (None, "certain")


class TestDerangement:
    @given(st.lists(st.integers(0, 4), max_size=20), st.integers(0, 99))
    def test_leaves_blocks_and_no_place(self, blocks, seed):
        block = np.array(blocks, np.int64)
        found = derangement(block, np.random.default_rng(seed))
        assert sorted(found.tolist()) == list(range(len(blocks)))
        assert (block[found] == block).all()
        alone = np.bincount(block)[block] == 1 if len(block) else np.empty(0, bool)
        assert ((found == np.arange(len(block))) == alone).all()

    def test_all_are_as_likely(self):
        generator = np.random.default_rng(0)
        seen = collections.Counter(tuple(derangement(np.zeros(4, np.int64), generator)) for _ in range(4500))
        assert len(seen) == 9
        assert max(abs(count - 500) for count in seen.values()) < 100


def scenes(count, groups, seed):
    """Boxes in shares of their image, some objects in each scene."""
    generator = np.random.default_rng(seed)
    corner, side = generator.uniform(0, 0.3, (count * 6, 2)), generator.uniform(0.4, 0.7, (count * 6, 2))
    objects = Objects(
        Boxes(np.concatenate([corner, corner + side], axis=1)),
        generator.integers(0, 2, count * 6),
        np.arange(count * 6),
    )
    rows = np.arange(count * 6).reshape(2, count, 3)
    sides = [Side(np.repeat(np.arange(count), 3), one.reshape(-1)) for one in rows]
    return objects, *sides, np.arange(count) % groups


def slow(objects, a, b, group, others, policy):
    """The credit of each group, scene by scene, for permutations of the scenes."""
    earned = collections.defaultdict(float)
    for other in others:
        for scene in range(len(group)):
            left, right = a.row[a.scene == scene], b.row[other[b.scene] == scene]
            found = vesica.match(objects.regions[left], objects.regions[right], at_least=policy.match_at, how="optimal")
            for i, j, value in zip(found.truth, found.guess, found.value, strict=True):
                if objects.label[left[i]] == objects.label[right[j]]:
                    earned[int(group[scene])] += value if policy.credit == "iou" else 1
    return earned


def slow_distances(objects, a, b, wanted, other):
    """1 − the best IoU of each object of a, in the wanted scenes."""
    return np.array(
        [
            1 - vesica.iou(objects.regions[[row]], objects.regions[b.row[other[b.scene] == scene]]).max()
            for scene, row in zip(a.scene, a.row, strict=True)
            if wanted[scene]
        ]
    )


class TestRepaired:
    @pytest.mark.parametrize("credit", ["iou", "match"])
    def test_equals_oracle(self, credit):
        policy = AgreementPolicy(credit=credit)
        objects, a, b, group = scenes(9, 2, 5)
        found = repaired(objects, a, b, group, groups=2, policy=policy, count=4, seed=8)
        others = [derangement(group, np.random.Generator(np.random.Philox(key=[8, k]))) for k in range(4)]
        earned = slow(objects, a, b, group, others, policy)
        units = np.bincount(group, minlength=2) * 3
        assert found.agreement == pytest.approx([earned[g] / 4 / units[g] for g in range(2)])
        assert found.agreement.min() > 0
        assert found.scenes.tolist() == [5, 4]
        for g, told in enumerate(found.separation):
            near = slow_distances(objects, a, b, group == g, np.arange(9))
            far = np.concatenate([slow_distances(objects, a, b, group == g, other) for other in others])
            assert told == pytest.approx(separation(near, far))
            assert 0 < told.ks < 1

    def test_seeded(self):
        given_ = scenes(8, 1, 2)
        one, same, other = (
            repaired(*given_, groups=1, policy=AgreementPolicy(), seed=seed).agreement[0] for seed in (0, 0, 1)
        )
        assert one == same != other

    def test_blocks(self):
        """Images of one size only; one that is alone takes no part, and is not counted."""
        objects, a, b, group = scenes(5, 1, 4)
        size = np.array([0, 0, 1, 0, 1])
        found = repaired(objects, a, b, group, groups=2, policy=AgreementPolicy(), blocks=size)
        assert found.scenes.tolist() == [5, 0]
        assert np.isnan(found.agreement[1])
        alone = repaired(objects, a, b, group, groups=1, policy=AgreementPolicy(), blocks=np.arange(5))
        assert alone.scenes.tolist() == [0] and np.isnan(alone.agreement[0])

    def test_masks_are_boxes(self):
        corners = np.array([[0, 0, 4, 4], [1, 1, 5, 5], [0, 0, 5, 4], [2, 2, 6, 6]])
        stack = np.zeros((4, 6, 6), bool)
        for mask, (x1, y1, x2, y2) in zip(stack, corners, strict=True):
            mask[y1:y2, x1:x2] = True
        sides = [Side(np.array([0, 1]), rows) for rows in (np.array([0, 1]), np.array([2, 3]))]
        zero = np.zeros(2, np.int64)
        values = [
            repaired(
                Objects(regions, np.zeros(4), np.arange(4)),
                *sides,
                zero,
                groups=1,
                policy=AgreementPolicy(match_at=0.2),
            )
            for regions in (Boxes(corners), RleMasks.from_masks(stack))
        ]
        assert values[0].agreement == values[1].agreement > 0


class TestRelative:
    WIDTH, HEIGHT = np.array([10, 100]), np.array([20, 50])

    def test_polygons(self):
        boxes = Boxes([[0, 0, 5, 10], [10, 10, 60, 20]])
        want = relative(boxes, self.WIDTH, self.HEIGHT)
        polygons = [[[0, 0, 5, 0, 5, 10, 0, 10]], [[10, 10, 60, 10, 60, 20, 10, 20], [10, 10, 20, 10, 20, 20]]]
        for regions in (Polygons.from_boxes(boxes), Polygons(polygons)):
            found = relative(regions, self.WIDTH, self.HEIGHT)
            assert found.boxes.xyxy == pytest.approx(want.xyxy)

    def test_rotated(self):
        rotated = RotatedBoxes([[5, 10, 4, 8, 0], [50, 25, 20, 10, 90]], unit="deg", direction="cw")
        found = relative(rotated, self.WIDTH, self.HEIGHT)
        assert found.boxes.xyxy == pytest.approx(np.array([[0.3, 0.3, 0.7, 0.7], [0.45, 0.3, 0.55, 0.7]]))


class TestSeparation:
    @given(*[st.lists(st.integers(0, 5).map(float), min_size=1, max_size=12)] * 2)
    def test_equals_scipy(self, near, far):
        from scipy import stats

        found = separation(np.array(near), np.array(far))
        with warnings.catch_warnings():  # it also looks for a p-value, and does not always find one
            warnings.simplefilter("ignore", RuntimeWarning)
            want = stats.ks_2samp(near, far, method="asymp").statistic
        assert found.ks == pytest.approx(want)
        assert found.share == pytest.approx(np.mean([x < y for x in near for y in far]))

    def test_empty(self):
        assert np.isnan(separation(np.empty(0), np.ones(3))).all()


def crowd(random, people="abc", sizes=True):
    """Three people in six images of two sizes; rows in any order."""
    generator = np.random.default_rng(11)
    rows = []
    for image in range(6):
        scale = 1 + image % 2
        for who in "abc":
            for _ in range(3):
                x, y = generator.uniform(0, 40, 2)
                w, h = generator.uniform(40, 60, 2)
                rows.append((len(rows), image, who, [x * scale, y * scale, (x + w) * scale, (y + h) * scale]))
    random.shuffle(rows)
    return vesica.Dataset.from_arrays(
        [box for *_, box in rows],
        image=[image for _, image, *_ in rows],
        annotator=[who for *_, who, _ in rows],
        id=[id for id, *_ in rows],
        assignments="all",
        sizes={image: (100 * (1 + image % 2),) * 2 for image in range(6)} if sizes else None,
    )


class TestTable:
    """What a result says of chance."""

    def test_value(self):
        result = vesica.evaluate_agreement(crowd(random.Random(0)))
        table = result.chance()
        assert table["annotator_a"].tolist() == ["a", "a", "b"] and table["annotator_b"].tolist() == ["b", "c", "c"]
        assert table["n_images"].tolist() == table["n_exchanged"].tolist() == [6, 6, 6]
        assert table["agreement"].tolist() == pytest.approx(result.pairs(intervals=False)["agreement"].tolist())
        beyond = (table["agreement"] - table["chance"]) / (1 - table["chance"])
        assert table["corrected"] == pytest.approx(beyond)
        assert table["unit"].tolist() == ["image"] * 3 and (table["chance"] > 0).all()

    def test_order_of_rows(self):
        one, other = (vesica.evaluate_agreement(crowd(random.Random(k))).chance() for k in (1, 2))
        assert one["chance"].tobytes() == other["chance"].tobytes()

    def test_sizes_of_images_matter(self):
        """Without them boxes are compared in pixels, and it says so."""
        relative, absolute = (
            vesica.evaluate_agreement(crowd(random.Random(0), sizes=sizes)).chance() for sizes in (True, False)
        )
        assert absolute["unit"].tolist() == ["pixels"] * 3
        assert (relative["chance"] != absolute["chance"]).all()

    def test_one_image(self):
        table = vesica.evaluate_agreement([[0, 0, 4, 4]], [[0, 0, 4, 4]]).chance()
        assert next(iter(table)) | {"unit": ""} == {
            **{"annotator_a": "a", "annotator_b": "b", "n_images": 1, "n_exchanged": 0, "unit": ""},
            **{"agreement": 1.0, "chance": None, "corrected": None, "status": "undefined", "sigma": None, "ks": None},
        }

    def test_masks_of_one_size(self):
        """Images of another size are left out, and counted."""
        stacks = [np.zeros((1, *shape), bool) for shape in ((8, 8), (8, 8), (6, 9))]
        for k, stack in enumerate(stacks):
            stack[0, k : k + 4, 1:5] = True
        data = {
            who: vesica.Dataset.joined(
                [
                    vesica.Dataset.from_arrays(masks=stack, image=[k], sizes=stack.shape[1:], id=[k])
                    for k, stack in enumerate(stacks)
                ]
            )
            for who in "ab"
        }
        table = vesica.evaluate_agreement(data).chance()
        assert table["n_images"].tolist() == [3] and table["n_exchanged"].tolist() == [2]
        assert table["chance"].tolist() == pytest.approx([12 / 20])

    def test_no_image_meets_itself(self):
        """Two rounds of two images: what is exchanged is another image, never another round."""
        boxes = [[0, 0, 4, 4], [90, 90, 99, 99]]
        rows = list(itertools.product(range(2), range(2), "ab"))
        data = vesica.Dataset.from_arrays(
            [boxes[image] for image, *_ in rows],
            image=[image for image, *_ in rows],
            annotator=[who for *_, who in rows],
            round=[number for _, number, _ in rows],
            assignments={
                "image": [image for image, *_ in rows],
                "annotator": [who for *_, who in rows],
                "round": [number for _, number, _ in rows],
            },
        )
        table = vesica.evaluate_agreement(data).chance()
        assert table["agreement"].tolist() == [1] and table["chance"].tolist() == [0]
        assert table["n_exchanged"].tolist() == [2]
