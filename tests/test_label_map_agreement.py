"""Agreement of label maps and masks: equal to scikit-learn for one pair, sums for many."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import vesica
from vesica import AgreementPolicy, LabelMap
from vesica.errors import InputError
from vesica.statistics.coefficients import fleiss

A = [[0, 0, 1, 1], [0, 0, 1, 1], [2, 2, 2, 2]]
B = [[0, 0, 0, 1], [0, 3, 1, 1], [2, 2, 2, 0]]

# Integers in four columns are boxes, so these are wider.
WIDE_A, WIDE_B = np.hstack([A, A]), np.hstack([B, B])

maps = hnp.arrays(np.int64, st.tuples(st.integers(1, 6), st.integers(1, 6)), elements=st.integers(0, 4))


class TestTwo:
    def test_fixture(self):
        result = vesica.evaluate_agreement(LabelMap(A), LabelMap(B))
        table = result.classes()
        assert table["iou"].tolist() == [0.5, 0.75, 0.75, 0] and result["mIoU"] == 0.5
        assert np.round(table["dice"], 6).tolist() == [0.666667, 0.857143, 0.857143, 0]
        assert round(result["mDice"], 6) == 0.595238 and result["pixel_agreement"] == 0.75

    @given(st.data())
    def test_equals_sklearn_to_the_bit(self, data):
        metrics = pytest.importorskip("sklearn.metrics")
        one = data.draw(maps)
        other = data.draw(hnp.arrays(np.int64, one.shape, elements=st.integers(0, 4)))
        result = vesica.evaluate_agreement(LabelMap(one), LabelMap(other))
        flat = one.flatten(), other.flatten()
        assert result["mIoU"] == metrics.jaccard_score(*flat, average="macro", zero_division=0)
        assert result["mDice"] == metrics.f1_score(*flat, average="macro", zero_division=0)

    @given(st.data())
    def test_swapped(self, data):
        one = data.draw(maps)
        other = data.draw(hnp.arrays(np.int64, one.shape, elements=st.integers(0, 4)))
        there, back = (vesica.evaluate_agreement(LabelMap(x), LabelMap(y)) for x, y in ((one, other), (other, one)))
        assert there.numbers == back.numbers

    def test_bare_arrays(self):
        assert vesica.evaluate_agreement(WIDE_A, WIDE_B)["mIoU"] == 0.5

    def test_two_masks_are_one_class(self):
        one, other = np.array([[1, 1, 0]], bool), np.array([[1, 0, 0]], bool)
        result = vesica.evaluate_agreement(one, other)
        assert (result["mIoU"], round(result["mDice"], 6)) == (0.5, 0.666667)
        assert result.classes()["category"].tolist() == ["mask"]

    def test_background_and_ignore(self):
        policy = AgreementPolicy(background=0, ignore=3)
        result = vesica.evaluate_agreement(LabelMap(A), LabelMap(B), policy=policy)
        assert result["mIoU"] == 0.75 and result.classes()["in_mean"].tolist() == [False, True, True]
        assert result.pairs_of_images.pixels.tolist() == [11]

    def test_seed_steps(self, capsys):
        vesica.evaluate_agreement(LabelMap(A), LabelMap(B), explain=True)
        told = capsys.readouterr().out
        for words in ("4 + 5 − 3 = 6", "IoU           3 / 6 = 0.5", "2 · 3 / (4 + 5) = 0.666667",
                      "mean IoU = (0.5 + 0.75 + 0.75 + 0) / 4 = 0.5"):  # fmt: skip
            assert words in told

    def test_gates_and_print(self):
        result = vesica.evaluate_agreement(LabelMap(A), LabelMap(B))
        assert [verdict.passed for verdict in result.gates("mIoU>=0.5", "iou[3]>=0.1")] == [True, False]
        assert "mIoU             0.500" in str(result) and '"mIoU": 0.5' in result.to_json()


class TestMany:
    def test_three_annotators(self):
        """Two images; cyd saw one of them."""
        a, b = WIDE_A, WIDE_B
        maps = {"ann": [a, b], "ben": [b, b], "cyd": [None, a]}
        result = vesica.evaluate_agreement(maps)
        rows = {(row["annotator_a"], row["annotator_b"], row["category"]): row for row in result.pairs()}
        assert rows["ann", "ben", 1]["inter"] == 6 + 6 and rows["ann", "ben", 1]["union"] == 8 + 6
        assert rows["ben", "cyd", 1]["inter"] == 6
        assert result.per_image()["image"].tolist().count(0) == 4
        total = result.classes()
        for name in ("inter", "area_a", "area_b"):
            assert total[name].sum() == result.pairs()[name].sum() == result.per_image()[name].sum()

    def test_forms(self):
        """Stacks, lists, dicts by image and LabelMaps are the same."""
        a, b = np.array([WIDE_A, WIDE_B]), np.array([WIDE_B, WIDE_B])
        want = vesica.evaluate_agreement({"a": a, "b": b}).numbers
        for form in (list, lambda stack: dict(enumerate(stack)), lambda stack: [LabelMap(one) for one in stack]):
            assert vesica.evaluate_agreement({"a": form(a), "b": form(b)}).numbers == want
        assert vesica.evaluate_agreement(a, b).numbers == want

    def test_each_map_is_read_once(self):
        """Of a mapping that reads files nothing is held or read again."""
        reads = []

        class Files(dict):
            def __getitem__(self, name):
                reads.append(name)
                return super().__getitem__(name)

        sides = {who: Files(x=WIDE_A, y=WIDE_B) for who in "abc"}
        vesica.evaluate_agreement(sides)
        assert sorted(reads) == ["x"] * 3 + ["y"] * 3

    @pytest.mark.parametrize(
        "given, error, words",
        [
            ({"ann": [WIDE_A], "ben": [None]}, InputError, "No image has maps of two annotators"),
            ({"ann": WIDE_A, "ben": WIDE_A[:2]}, ValueError, "image 0 is 3×8 and 2×8 pixels"),
            ({"ann": WIDE_A}, TypeError, "between two annotators or more"),
        ],
    )
    def test_refused(self, given, error, words):
        with pytest.raises(error, match=words):
            vesica.evaluate_agreement(given)


class TestLedger:
    """What 1 − mIoU is made of."""

    @given(st.data(), st.sampled_from([None, 0]))
    def test_adds_up_to_the_gap(self, data, background):
        one = data.draw(maps)
        other = data.draw(hnp.arrays(np.int64, one.shape, elements=st.integers(0, 4)))
        result = vesica.evaluate_agreement(
            LabelMap(one), LabelMap(other), policy=AgreementPolicy(background=background)
        )
        for by in ((), "category"):
            amounts = result.ledger(by=by)["amount"]
            gap = 0 if np.isnan(result["mIoU"]) else 1 - result["mIoU"]
            assert sum(amounts) == pytest.approx(gap, abs=1e-12)

    def test_of_many(self):
        """Pixels are added over images and annotators; two annotators have a mean of their own."""
        generator = np.random.default_rng(2)
        drawn = {who: {k: generator.integers(0, 3, (9, 9)) for k in range(4)} for who in "abc"}
        result = vesica.evaluate_agreement(drawn)
        assert result.ledger()["amount"].sum() == pytest.approx(1 - result["mIoU"])
        table = result.ledger(by="annotators")
        own = vesica.evaluate_agreement({who: drawn[who] for who in "bc"})
        rows = (table["annotator_a"] == "b") & (table["annotator_b"] == "c")
        assert table["amount"][rows].sum() == pytest.approx(1 - own["mIoU"])

    def test_masks(self):
        one, other = np.zeros((2, 9, 9), bool)
        one[2:7, 2:7] = True
        table = vesica.evaluate_agreement(one, other).ledger(by="category", within=1)
        assert table["category"].tolist() == ["mask"] * 2
        assert table["type"].tolist() == ["loose edge", "missing"] and table["count"].tolist() == [24, 1]

    def test_equal_maps(self):
        assert len(vesica.evaluate_agreement(LabelMap(A), LabelMap(A)).ledger()) == 0


class TestChance:
    def test_fixture(self):
        """12 pixels; class 0 has 4 and 5 of them: 20/12 shared by chance."""
        table = vesica.evaluate_agreement(LabelMap(A), LabelMap(B)).chance()
        shared = 4 * 5 / 12
        chance = shared / (4 + 5 - shared)
        assert table["chance"][0] == pytest.approx(chance)
        assert table["corrected"][0] == pytest.approx((0.5 - chance) / (1 - chance))
        assert table["status"].tolist() == ["ok"] * 4

    def test_one_class_everywhere(self):
        table = vesica.evaluate_agreement(LabelMap([[1, 1]]), LabelMap([[1, 1]])).chance()
        assert next(iter(table)) | {"category": 1} == {
            **{"category": 1, "iou": 1.0, "chance": 1.0, "corrected": None, "status": "certain"},
        }


class TestAlpha:
    """Of pixels, by any number of people who were shown an image."""

    @staticmethod
    def theirs(reliability):
        """What the package called krippendorff says of (annotators, pixels), NaN where there is no rating."""
        alpha = pytest.importorskip("krippendorff").alpha
        return alpha(reliability_data=reliability, level_of_measurement="nominal")

    @given(st.integers(3, 5), st.integers(0, 2**32 - 1))
    def test_equals_krippendorff(self, people, seed):
        rng = np.random.default_rng(seed)
        truth = rng.integers(0, 4, (2, 5, 7))
        given_maps = {
            k: np.where(rng.random(truth.shape) < 0.8, truth, rng.integers(0, 4, truth.shape)) for k in range(people)
        }
        shown = {
            k: {image: one[image] for image in range(2) if k < 2 or rng.random() < 0.7} for k, one in given_maps.items()
        }
        result = vesica.evaluate_agreement(shown, policy=AgreementPolicy(ignore=3))
        table = np.full((people, truth.size), np.nan)
        for k, own in shown.items():
            for image, one in own.items():
                table[k, image * 35 : image * 35 + 35] = np.where(one == 3, np.nan, one).reshape(-1)
        found = result.alpha()
        assert found.value == pytest.approx(self.theirs(table), abs=1e-12)
        assert found.units == int((np.isfinite(table).sum(axis=0) > 1).sum())

    def test_three_ways_are_one(self):
        """From pairs of counts, from patterns, and as a third who was shown nothing."""
        two = {"a": LabelMap(A), "b": LabelMap(B)}
        want = vesica.evaluate_agreement(two).alpha()
        assert vesica.evaluate_agreement({**two, "c": [None]}).alpha() == want

    def test_masks(self):
        votes = np.array([[1, 1, 0, 0, 0, 1], [1, 0, 0, 0, 1, 1], [1, 1, 0, 0, 0, 0]], bool)
        result = vesica.evaluate_agreement({k: votes[k][None] for k in range(3)})
        assert result.alpha().value == pytest.approx(self.theirs(votes.astype(float)))

    def test_order(self):
        rng = np.random.default_rng(0)
        images = {name: rng.integers(0, 3, (3, 6, 6)) for name in "abcdefg"}
        sides = [
            {k: {name: images[name][k] for name in order} for k in people}
            for order, people in (("abcdefg", (0, 1, 2)), ("gfedcba", (2, 0, 1)))
        ]
        one, other = (vesica.evaluate_agreement(side).alpha() for side in sides)
        assert one == other

    def test_gate_and_facts(self):
        people = {k: np.roll(WIDE_A, k, axis=1) for k in range(3)}
        result = vesica.evaluate_agreement(people)
        assert result.to_dict()["alpha"]["value"] == result.alpha().value < 1
        (verdict,) = result.gates("alpha>=0.99")
        assert verdict.value == result.alpha().value and not verdict.passed

    def test_one_label(self):
        people = {k: np.ones((3, 9), int) for k in range(3)}
        assert vesica.evaluate_agreement(people).alpha() == (None, "no_variation", 1.0, 27)


def labelled(people, images, seed=1):
    """Maps of blocks of two pixels, of which everybody gets some pixels wrong."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, (images, 9, 11)).repeat(2, axis=1).repeat(2, axis=2)
    return {k: np.where(rng.random(truth.shape) < 0.9, truth, rng.integers(0, 3, truth.shape)) for k in range(people)}


class TestImages:
    PEOPLE = labelled(3, 6)

    def test_each_is_as_if_alone(self):
        result = vesica.evaluate_agreement(self.PEOPLE)
        rows = list(result.by_image())
        for image, row in enumerate(rows):
            alone = vesica.evaluate_agreement({k: one[image] for k, one in self.PEOPLE.items()})
            assert {name: row[name] for name in alone} == pytest.approx(alone.numbers)
            counts = {one["type"]: one["count"] for one in alone.ledger()}
            assert row["edge_share"] == counts.get("loose edge", 0) / sum(counts.values())
        order = sorted(range(6), key=lambda image: rows[image]["mIoU"])
        assert [rows[image]["rank"] for image in order] == [1, 2, 3, 4, 5, 6]

    def test_one_annotator_alone(self):
        rows = list(vesica.evaluate_agreement({"a": {1: A, 2: A}, "b": {1: B}}).by_image())
        assert [(row["n_annotators"], row["mIoU"]) for row in rows] == [(2, 0.5), (1, None)]

    @pytest.mark.parametrize("name", ["mIoU", "mDice", "pixel_agreement"])
    def test_intervals(self, name):
        result = vesica.evaluate_agreement(self.PEOPLE, policy=AgreementPolicy(replicates=200))
        ends = result.interval(name)
        assert ends.lo < result[name] < ends.hi
        same = {k: {f"{image}": one[image] for image in range(6)} for k, one in self.PEOPLE.items()}
        turned = {k: dict(reversed(own.items())) for k, own in same.items()}
        made = [vesica.evaluate_agreement(side, policy=result.policy).interval(name) for side in (same, turned)]
        assert made[0] == made[1]  # the order of images changes no bit

    def test_one_image_has_no_interval(self):
        assert vesica.evaluate_agreement(LabelMap(A), LabelMap(A)).interval("mIoU").lo is None

    def test_groups(self):
        result = vesica.evaluate_agreement(self.PEOPLE, policy=AgreementPolicy(resample_by="group"))
        with pytest.raises(InputError, match="label maps do not say which group"):
            result.interval("mIoU")


class TestVolumes:
    """Slices count together, and edges reach from slice to slice."""

    @staticmethod
    def people(seed=0):
        rng = np.random.default_rng(seed)
        truth = rng.integers(0, 3, (4, 5, 6)).repeat(2, axis=1)
        return {k: {"v": np.where(rng.random(truth.shape) < 0.8, truth, 0)} for k in range(3)}

    def test_equal_to_slices(self):
        volumes = self.people()
        slices = {k: {z: own["v"][z] for z in range(4)} for k, own in volumes.items()}
        one, other = vesica.evaluate_agreement(volumes), vesica.evaluate_agreement(slices)
        assert one.numbers == other.numbers and one.alpha() == other.alpha() and one.fleiss() == other.fleiss()
        assert len(one.by_image()) == 1 and len(other.by_image()) == 4

    def test_ledger_adds_up(self):
        result = vesica.evaluate_agreement(self.people())
        assert result.ledger()["amount"].sum() == pytest.approx(1 - result["mIoU"])

    def test_other_shapes(self):
        with pytest.raises(ValueError, match="image 0 is 2×6×5 and 4×3×5 pixels"):
            vesica.evaluate_agreement({"a": [np.ones((2, 6, 5), int)], "b": [np.ones((4, 3, 5), int)]})


def test_labels_beyond_int64():
    maps = {k: np.full((3, 9), 2**63 + k, np.uint64) for k in range(2)}
    with pytest.raises(InputError, match="Labels must fit int64; got 9223372036854775808"):
        vesica.evaluate_agreement(maps)


class TestKappas:
    def test_fixture(self):
        assert vesica.evaluate_agreement(LabelMap(A), LabelMap(B)).cohen().value == pytest.approx(0.64)

    @given(st.data())
    def test_cohen_equals_sklearn(self, data):
        metrics = pytest.importorskip("sklearn.metrics")
        one = data.draw(maps)
        other = data.draw(hnp.arrays(np.int64, one.shape, elements=st.integers(0, 4)))
        found = vesica.evaluate_agreement(LabelMap(one), LabelMap(other)).cohen()
        if found.value is None:
            assert found.status == "no_variation" and len(np.unique([one, other])) == 1
        else:
            want = metrics.cohen_kappa_score(one.flatten(), other.flatten())
            assert found.value == pytest.approx(want, abs=1e-12)

    def test_cohen_of_masks_and_of_three(self):
        one, other = np.array([[1, 1, 0, 0, 0]], bool), np.array([[1, 0, 0, 0, 1]], bool)
        metrics = pytest.importorskip("sklearn.metrics")
        want = metrics.cohen_kappa_score(one[0], other[0])
        assert vesica.evaluate_agreement(one, other).cohen().value == pytest.approx(want)
        with pytest.raises(ValueError, match="of two annotators; there are 3"):
            vesica.evaluate_agreement(labelled(3, 1)).cohen()

    def test_fleiss(self):
        people = labelled(4, 2)
        ratings = np.stack([one.reshape(-1) for one in people.values()], axis=1)
        counts = np.stack([(ratings == label).sum(axis=1) for label in range(3)], axis=1)
        want = fleiss(counts)
        found = vesica.evaluate_agreement(people).fleiss()
        assert found.value == pytest.approx(want.value, abs=1e-12) and found.units == want.units
        ignoring = vesica.evaluate_agreement(
            {k: np.ones((3, 9), int) * 9 for k in range(3)}, policy=AgreementPolicy(ignore=9)
        )
        assert ignoring.fleiss().status == "no_overlap"

    def test_fleiss_needs_everybody(self):
        shown = {
            k: {image: one[image] for image in range(2) if image < 1 or k < 2} for k, one in labelled(3, 2).items()
        }
        with pytest.raises(ValueError, match="Krippendorff's α takes any"):
            vesica.evaluate_agreement(shown).fleiss()
