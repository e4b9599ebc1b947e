"""Agreement between annotators: fixtures to the digit, and every table against loops over its rows."""

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import vesica
from crowds import CROWD, annotated, marks, pedestrians
from vesica import AgreementPolicy, Dataset, Masks, Polygons, RleMasks, RotatedBoxes, SparseMasks
from vesica.agreement import AgreementResult
from vesica.errors import InputError
from vesica.statistics.coefficients import cohen, fleiss, krippendorff

BOX = [0, 0, 4, 4]
# Two annotators, one image.
SIDE_A = "car [0,0,10,10], car [20,0,30,10], person [40,0,60,10], person [0,20,10,30], car [40,20,50,30]"
SIDE_B = (
    "car [0,0,10,8], truck [20,0,30,10], person [40,0,52,10], person [52,0,60,10], car [20,20,30,30], car [0,0,10,8], "
    "car [40,20,50,23]"
)


def written(text):
    """A data set of one image from labels and boxes."""
    found = re.findall(r"(\w+) \[([^]]*)\]", text)
    boxes = np.array([numbers.split(",") for _, numbers in found], float).reshape(-1, 4)
    return Dataset.from_arrays(boxes, image=[1] * len(found), category=[label for label, _ in found], images=[1])


def ledger_of(result):
    return {row["type"]: round(row["amount"], 9) for row in result.ledger()}


class TestFixtures:
    @pytest.mark.parametrize(
        "credit, total, agreement, amounts",
        [
            ("iou", 1.4, 0.233333, {"loose edge": 1.2, "label": 1, "split": 0.9}),
            ("match", 2, 1 / 3, {"loose edge": 1, "label": 1, "split": 0.5}),
        ],
    )
    def test_ledger(self, credit, total, agreement, amounts):
        result = vesica.evaluate_agreement(written(SIDE_A), written(SIDE_B), policy=AgreementPolicy(credit=credit))
        (row,) = result.pairs(intervals=False)
        assert (row["units"], round(row["credit"], 9)) == (6, total)
        assert result["agreement"] == pytest.approx(agreement, abs=1e-6)
        assert ledger_of(result) == {**amounts, "missing": 0.5, "extra": 0.5, "duplicate": 0.5}

    def test_swapped(self):
        one, other = written(SIDE_A), written(SIDE_B)
        there, back = (ledger_of(vesica.evaluate_agreement(*sides)) for sides in ((one, other), (other, one)))
        swapped = {"missing": "extra", "extra": "missing", "split": "merge", "merge": "split"}
        assert back == {swapped.get(name, name): amount for name, amount in there.items()}

    @pytest.mark.skipif(not CROWD.exists(), reason="the crowd's boxes are not there")
    def test_pedestrians(self):
        result = vesica.evaluate_agreement(pedestrians())
        found = {name: round(result[name], 6) for name in ("agreement", "f1", "mean_iou")}
        assert found == {"agreement": 0.633911, "f1": 0.847395, "mean_iou": 0.748071}
        pairs = result.pairs(intervals=False)
        assert (pairs["n_images"].sum(), pairs["both_empty"].sum(), pairs["units"].sum()) == (30408, 4974, 35202)
        assert (pairs["n_matched"].sum(), round(pairs["sum_iou"].sum(), 6)) == (29830, 22314.943047)
        only = [int((pairs[side] - pairs["n_matched"]).sum()) for side in ("n_a", "n_b")]
        assert only == [5153, 5591]
        assert result.ledger()["amount"].sum() == pytest.approx(35202 - 22314.943047, abs=1e-6)


class TestListsOfDicts:
    """As torchvision and torchmetrics have them, one for each image."""

    ONE = {"boxes": [[0, 0, 10, 10], [20, 20, 40, 40]], "labels": [0, 1]}
    OTHER = {"boxes": [[0, 0, 10, 9], [20, 20, 40, 44]], "labels": [0, 1]}

    def test_as_one_image(self):
        wanted = dict(vesica.evaluate_agreement(self.ONE, self.OTHER))
        assert dict(vesica.evaluate_agreement([self.ONE], [self.OTHER])) == wanted
        people = {"ann": [self.ONE, self.ONE], "ben": [self.OTHER, self.OTHER]}
        assert vesica.evaluate_agreement(people)["agreement"] == pytest.approx(wanted["agreement"])

    def test_of_which_images(self):
        with pytest.raises(ValueError, match="'a' has 2, 'b' has 1"):
            vesica.evaluate_agreement([self.ONE] * 2, [self.OTHER])
        ours, theirs = [self.ONE | {"image_id": 5}], [self.OTHER | {"image_id": k} for k in (6, 5)]
        assert vesica.evaluate_agreement(ours, theirs)["f1"] == 1


class TestFaultsElsewhere:
    def test_labels_do_not_split_an_object(self):
        """car, car, truck at one place are one object with two labels."""
        data = Dataset.from_arrays(
            [[0, 0, 10, 10], [0, 0, 10, 10], [0, 0, 10, 9]],
            image=[1, 1, 1],
            category=["car", "truck", "car"],
            annotator=["ann", "ben", "cyd"],
            assignments="all",
        )
        table = vesica.evaluate_agreement(data).objects()
        assert len(set(table["cluster"].tolist())) == 1
        assert table["label_votes"].tolist() == ["car 2, truck 1"] * 3
        assert table["votes"].tolist() == table["assigned"].tolist() == [3, 3, 3]

    def test_copies_cost(self):
        """One box against ten copies of it."""
        result = vesica.evaluate_agreement([[0, 0, 10, 10]], [[0, 0, 10, 10]] * 10)
        (row,) = result.pairs(intervals=False)
        assert row["units"] == 5.5 and round(result["agreement"], 6) == 0.181818
        assert ledger_of(result) == {"duplicate": 4.5}

    def test_denominators(self):
        """A lopsided pair: what a has of b is another share than what b has of a."""
        (row,) = vesica.evaluate_agreement([[0, 0, 10, 10]], [[0, 0, 10, 10], [20, 0, 30, 10]]).pairs(intervals=False)
        assert (row["n_a"], row["n_b"], row["n_matched"]) == (1, 2, 1)
        assert row["n_matched"] / row["n_a"] != row["n_matched"] / row["n_b"]

    def test_repeatable(self):
        polygons = Polygons([[[0, 0], [9, 0], [0, 9], [9, 9]]])  # crosses itself
        found = [vesica.evaluate_agreement(polygons, polygons).to_bytes() for _ in range(3)]
        assert len(set(found)) == 1

    def test_empty_on_both_sides(self):
        """Left out of the rate, and counted."""
        asked = [(image, who) for image in (1, 2) for who in ("ann", "ben")]
        data = Dataset.from_arrays(
            [[0, 0, 4, 4], [0, 0, 4, 4]], image=[1, 1], annotator=["ann", "ben"], assignments=asked
        )
        result = vesica.evaluate_agreement(data)
        (row,) = result.pairs(intervals=False)
        assert (row["n_images"], row["both_empty"], row["agreement"]) == (2, 1, 1.0)
        assert list(result.images()["status"]) == ["ok", "both_empty"]
        assert math.isnan(result.images()["agreement"][1])

    def test_saw_nothing_is_not_was_not_asked(self):
        boxes, image = [[0, 0, 4, 4], [0, 0, 4, 4], [0, 0, 4, 4]], [1, 1, 2]
        base = {"image": image, "annotator": ["ann", "ben", "ann"], "images": [1, 2]}
        asked = [(1, "ann"), (1, "ben"), (2, "ann")]
        not_asked = vesica.evaluate_agreement(Dataset.from_arrays(boxes, **base, assignments=asked))
        saw_nothing = vesica.evaluate_agreement(Dataset.from_arrays(boxes, **base, assignments=[*asked, (2, "ben")]))
        (one,), (other,) = (list(result.pairs(intervals=False)) for result in (not_asked, saw_nothing))
        assert (one["n_images"], other["n_images"]) == (1, 2)
        assert ledger_of(not_asked) == {} and ledger_of(saw_nothing) == {"missing": 0.5}
        assert list(not_asked.images()["status"]) == ["ok", "one_annotator"]

    def test_margins_are_told(self):
        result = vesica.evaluate_agreement([[0, 0, 10, 10], [3, 0, 13, 10]], [[1, 0, 11, 10], [0, 0, 8, 10]])
        rows = list(result.matches())
        told = {(row["annotation_a"], row["annotation_b"]): row for row in rows}
        assert set(told) == {(0, 1), (1, 0)}
        first = told[0, 1]
        assert first["alternative_a"] == 0 and first["margin_a"] == pytest.approx(0.8 - 9 / 11)
        assert first["alternative_b"] == 1 and first["margin_b"] == pytest.approx(0.8 - 5 / 13)


class TestTables:
    @given(marks)
    def test_headlines_are_sums_of_their_rows(self, rows):
        result = vesica.evaluate_agreement(annotated(rows))
        for table in (result.pairs(intervals=False), result.classes(intervals=False),
                      result.pairs(by=("category", "size_bin"), intervals=False)):  # fmt: skip
            units, credit = table["units"].sum(), table["credit"].sum()
            assert np.isnan(result["agreement"]) if units == 0 else result["agreement"] == pytest.approx(credit / units)
            assert units == result.images()["units"].sum()
            matched = table["n_matched"].sum()
            assert matched == int((~np.isnan(result.matches()["iou"])).sum())
        confusion = result.confusion()
        drawn = confusion["count"][(confusion["category_a"] != "none") & (confusion["category_b"] != "none")].sum()
        assert drawn == result.pairs(intervals=False)["n_matched"].sum()
        assert len(result.objects()) == len(rows)

    @given(marks)
    def test_ledger_adds_up(self, rows):
        result = vesica.evaluate_agreement(annotated(rows))
        sums = result.pairs(intervals=False)
        gap = sums["units"].sum() - sums["credit"].sum()
        for by in ((), "annotators", "category", ("annotators", "category")):
            table = result.ledger(by=by)
            assert table["amount"].sum() == pytest.approx(gap, abs=1e-12) and (table["amount"] > 0).all()
        assert result.images()["lost"].sum() == pytest.approx(gap, abs=1e-12)

    @given(marks, st.permutations("abc"), st.permutations(["cat", "dog", "cow"]), st.randoms())
    def test_names_and_orders_do_not_matter(self, rows, people, names, random):
        order = list(range(len(rows)))
        random.shuffle(order)
        data = annotated(rows)
        others = annotated(rows, people, tuple(names)).rows(order)
        one, other = vesica.evaluate_agreement(data), vesica.evaluate_agreement(others)
        for name in ("f1", "mean_iou", "label_agreement", "alpha", "alpha_labels", "agreement"):
            assert one[name] == pytest.approx(other[name], nan_ok=True, abs=1e-12), name
        lost = [np.round(result.images()["lost"], 9).tolist() for result in (one, other)]
        assert lost[0] == lost[1]
        renamed = {row["annotator"]: row for row in other.annotators(intervals=False)}
        for row in one.annotators(intervals=False):
            mine = renamed[dict(zip("abc", people, strict=True))[row["annotator"]]]
            for name in (
                "n_objects",
                "agreement",
                "missing_rate",
                "extra_rate",
                "label_rate",
                "loose_edge",
                "influence",
            ):
                assert row[name] == pytest.approx(mine[name], abs=1e-9), name

    @given(marks)
    def test_rows_in_another_order_give_the_same_bytes(self, rows):
        data = annotated(rows)
        back = data.rows(np.arange(len(rows))[::-1])
        assert vesica.evaluate_agreement(data).to_bytes() == vesica.evaluate_agreement(back).to_bytes()

    def test_influence_is_agreement_without_one(self):
        rows = [
            (image, who, (0, 0, 8, size), "cat") for image in range(4) for who, size in (("a", 8), ("b", 7), ("c", 5))
        ]
        whole = vesica.evaluate_agreement(annotated(rows))
        for row in whole.annotators(intervals=False):
            kept = [one for one in rows if one[1] != row["annotator"]]
            people = [who for who in "abc" if who != row["annotator"]]
            some = Dataset.from_arrays(
                np.array([box for _, _, box, _ in kept], float),
                form="xywh",
                image=[image for image, *_ in kept],
                annotator=[who for _, who, *_ in kept],
                annotators=people,
                assignments="all",
            )
            without = vesica.evaluate_agreement(some)["agreement"]
            assert row["influence"] == pytest.approx(whole["agreement"] - without, abs=1e-12)

    def test_self_agreement(self):
        asked = {"image": [1, 1, 1], "annotator": ["ann", "ann", "ben"], "round": [1, 2, 1]}
        data = Dataset.from_arrays(
            [[0, 0, 10, 10], [0, 0, 10, 8], [0, 0, 10, 10]],
            image=[1, 1, 1],
            annotator=["ann", "ann", "ben"],
            round=[1, 2, 1],
            assignments=asked,
        )
        result = vesica.evaluate_agreement(data)
        table = result.annotators(intervals=False)
        assert table["self_agreement"][0] == pytest.approx(0.8) and np.isnan(table["self_agreement"][1])
        assert result["agreement"] == 1.0  # between ann and ben, who share round 1

    def test_size_bins(self):
        data = written("car [0,0,10,10], car [0,100,50,150], car [0,200,200,400]")
        table = vesica.evaluate_agreement(data, data).pairs(by="size_bin", intervals=False)
        assert table["size_bin"].tolist() == ["small", "medium", "large"] and table["agreement"].tolist() == [1, 1, 1]

    def test_classes(self):
        result = vesica.evaluate_agreement(written(SIDE_A), written(SIDE_B))
        rows = {row["category"]: row for row in result.classes(intervals=False)}
        assert (rows["car"]["most_confused_with"], rows["truck"]["most_confused_with"]) == ("truck", "car")
        assert rows["person"]["most_confused_with"] is None
        # A pair goes by the label of a, so nothing is counted for the truck that only b saw in a car.
        assert rows["truck"]["status"] == "absent" and rows["truck"]["units"] == 0

    def test_confusion(self):
        table = vesica.evaluate_agreement(written(SIDE_A), written(SIDE_B)).confusion()
        told = {(row["category_a"], row["category_b"]): row["count"] for row in table}
        assert told == {
            ("car", "car"): 1, ("car", "truck"): 1, ("car", "none"): 1, ("person", "person"): 1, ("person", "none"): 1,
            ("none", "car"): 3, ("none", "person"): 1,
        }  # fmt: skip
        symmetric = vesica.evaluate_agreement(written(SIDE_A), written(SIDE_B)).confusion(symmetric=True)
        both = {(row["category_a"], row["category_b"]): row["count"] for row in symmetric}
        assert both["car", "truck"] == both["truck", "car"] == 1 and both["car", "none"] == both["none", "car"] == 4

    def test_policy(self):
        result = vesica.evaluate_agreement(written(SIDE_A), written(SIDE_B))
        rows = {row["field"]: row for row in result.policy_table()}
        assert rows["match_at"]["value"] == 0.5 and rows["match_at"]["hash"] == AgreementPolicy().hash


class TestUnder:
    @given(marks, st.sampled_from([AgreementPolicy(match_at=0.3), AgreementPolicy(credit="match")]))
    @settings(max_examples=20)
    def test_equals_another_run(self, rows, policy):
        data = annotated(rows)
        changed = vesica.evaluate_agreement(data).under(policy)
        assert changed.to_bytes() == vesica.evaluate_agreement(data, policy=policy).to_bytes()

    def test_needs_the_regions(self):
        result = AgreementResult.from_bytes(vesica.evaluate_agreement([[0, 0, 4, 4]], [[0, 0, 4, 4]]).to_bytes())
        with pytest.raises(InputError, match="Matching again needs the regions"):
            result.under(AgreementPolicy(match_at=0.3))


class TestKinds:
    def test_masks_of_any_form(self):
        """Run lengths, dense and sparse masks, and polygons drawn as pixels give the same bytes."""
        one, other = np.zeros((2, 12, 12), bool), np.zeros((2, 12, 12), bool)
        one[0, 1:7, 1:7] = one[1, 8:11, 2:11] = other[0, 2:8, 1:7] = other[1, 8:11, 2:9] = True
        dense = vesica.evaluate_agreement(one, other).to_bytes()
        for kind in (Masks, RleMasks.from_masks):
            assert vesica.evaluate_agreement(kind(one), kind(other)).to_bytes() == dense
        sparse = [SparseMasks(np.argwhere(side).T, size=side.shape) for side in (one, other)]
        assert vesica.evaluate_agreement(*sparse).to_bytes() == dense
        drawn = [
            [[[1, 1, 7, 1, 7, 7, 1, 7]], [[2, 8, 11, 8, 11, 11, 2, 11]]],
            [[[1, 2, 7, 2, 7, 8, 1, 8]], [[2, 8, 9, 8, 9, 11, 2, 11]]],
        ]
        data = {
            who: Dataset.from_arrays(masks=side, image=[0, 0], images=[0], sizes=(12, 12), id=[0, 1])
            for who, side in zip("ab", drawn, strict=True)
        }
        outlined = vesica.evaluate_agreement(data)
        rastered = [
            RleMasks.from_masks(np.stack([np.asarray(one.to_masks().array)[0] for one in side]))
            for side in ([part.segments.to_rle([k]) for k in range(2)] for part in data.values())
        ]
        assert outlined.to_bytes() == vesica.evaluate_agreement(*rastered).to_bytes()

    def test_masks_of_images_of_several_sizes(self):
        """Nothing depends on the canvas that they share."""
        rng = np.random.default_rng(1)
        parts, alone = {"a": [], "b": []}, []
        for size in ((9, 12), (15, 7), (9, 12)):
            masks = rng.random((2, 3, *size)) < 0.6
            alone.append(vesica.evaluate_agreement(masks[0], masks[1], policy=AgreementPolicy(match_at=0.2)))
            for who, own in zip("ab", masks, strict=True):
                parts[who].append(own)
        data = {}
        for who, stacks in parts.items():
            coded = [one for stack in stacks for one in RleMasks.from_masks(stack).to_coco()]
            sizes = [stack.shape[1:] for stack in stacks]
            data[who] = Dataset.from_arrays(masks=coded, image=np.repeat([0, 1, 2], 3), images=[0, 1, 2], sizes=sizes)
        result = vesica.evaluate_agreement(data, policy=AgreementPolicy(match_at=0.2))
        assert result.images()["agreement"].tolist() == [one["agreement"] for one in alone]
        assert np.allclose(result.images()["lost"], [one.images()["lost"][0] for one in alone], atol=1e-12)

    def test_rotated_are_polygons(self):
        one = RotatedBoxes([[10, 10, 8, 4, 30], [30, 10, 6, 6, 10]], unit="deg", direction="cw")
        other = RotatedBoxes([[10, 10, 8, 4, 35], [30, 11, 6, 6, 10]], unit="deg", direction="cw")
        turned = vesica.evaluate_agreement(one, other)
        outlined = vesica.evaluate_agreement(Polygons.from_rotated(one), Polygons.from_rotated(other))
        assert turned["agreement"] == outlined["agreement"]
        assert turned["mean_iou"] == pytest.approx(np.diag(np.asarray(vesica.iou(one, other))).mean(), abs=1e-12)

    def test_upright_as_polygons(self):
        one, other = vesica.Boxes([[0, 0, 10, 10], [20, 0, 30, 10]]), vesica.Boxes([[0, 0, 10, 8]])
        drawn = vesica.evaluate_agreement(Polygons.from_boxes(one), Polygons.from_boxes(other))
        assert drawn.numbers == vesica.evaluate_agreement(one, other).numbers

    def test_chosen_regions(self):
        square = np.zeros((1, 8, 8), bool)
        square[0, :4, :4] = True
        sides = {who: Dataset.from_arrays([[0, 0, 4, 4]], masks=square, image=[1]) for who in "ab"}
        assert vesica.evaluate_agreement(sides).records.kind == "mask"
        assert vesica.evaluate_agreement(sides, regions="box").records.kind == "box"


class TestPlain:
    def test_seed_steps(self, capsys):
        vesica.evaluate_agreement([[0, 0, 10, 10]], [[2, 2, 10, 12]], explain=True)
        told = capsys.readouterr().out
        for words in ("largest x0 2, y0 2; smallest x1 10, y1 10", "max(0, 10 − 2) · max(0, 10 − 2) = 64",
                      "100 + 80 − 64 = 116", "64 / 116 = 0.551724"):  # fmt: skip
            assert words in told

    def test_disjoint_boxes_score_0(self):
        """Without the clamp these would score 1."""
        result = vesica.evaluate_agreement([[0, 0, 1, 1]], [[2, 2, 3, 3]])
        assert result["agreement"] == 0 and np.isnan(result["mean_iou"])

    def test_nothing_drawn(self):
        result = vesica.evaluate_agreement(np.empty((0, 4)), np.empty((0, 4)))
        assert np.isnan(result["agreement"]) and result.pairs(intervals=False)["both_empty"].tolist() == [1]
        assert "not defined" in result.explain()

    def test_three_people(self):
        """Plain boxes of several, by name: integers in four columns are boxes, and no label maps."""
        sides = {"ann": [[0, 0, 10, 10]], "ben": [[0, 0, 10, 8]], "cleo": np.array([[0, 0, 10, 8]])}
        result = vesica.evaluate_agreement(sides)
        assert result.records.annotators.tolist() == ["ann", "ben", "cleo"]
        assert result["mean_iou"] == pytest.approx((0.8 + 0.8 + 1) / 3)
        outlines = {who: Polygons.from_boxes(vesica.Boxes(side)) for who, side in sides.items()}
        assert vesica.evaluate_agreement(outlines)["mean_iou"] == result["mean_iou"]

    def test_dicts_with_labels(self):
        one, other = {"boxes": [[0, 0, 4, 4]], "labels": [1]}, {"boxes": [[0, 0, 4, 4]], "labels": [2]}
        result = vesica.evaluate_agreement(one, other)
        assert result["label_agreement"] == 0 and ledger_of(result) == {"label": 1}

    @pytest.mark.parametrize(
        "a, b, options, error, words",
        [
            pytest.param([[0, 0, 4, 4]], np.zeros((3, 6), int), {}, TypeError, "must be of one kind", id="two kinds"),
            pytest.param(Masks(np.ones((1, 4, 4), bool)), vesica.Boxes([[0, 0, 4, 4]]), {}, TypeError,
                         "regions of one kind; got Boxes, Masks", id="mask and box"),
            pytest.param(vesica.Sets([[1]]), vesica.Sets([[1]]), {}, TypeError, "got Sets", id="sets"),
            pytest.param([[0, 0, 4, 4]], [[0, 0, 4, 4]], {"regions": "box"}, TypeError, "`regions` chooses",
                         id="regions"),
            pytest.param([[0, 0, 4, 4]], [[0, 0, 4, 4]], {"policy": 0.5}, TypeError, "must be an AgreementPolicy",
                         id="policy"),
            pytest.param([[0, 0, 4, 4]], None, {}, TypeError, "Annotations must be a Dataset", id="one list"),
        ],
    )  # fmt: skip
    def test_refused(self, a, b, options, error, words):
        with pytest.raises(error, match=words):
            vesica.evaluate_agreement(a, b, **options)


class TestDataSets:
    def test_paths(self, tmp_path):
        for who, text in (("a", SIDE_A), ("b", SIDE_B)):
            vesica.write(tmp_path / f"{who}.npz", written(text))
        paths = {who: tmp_path / f"{who}.npz" for who in "ab"}
        assert vesica.evaluate_agreement(paths).numbers == vesica.evaluate_agreement(*paths.values()).numbers
        assert round(vesica.evaluate_agreement(paths)["agreement"], 6) == 0.233333

    @pytest.mark.parametrize(
        "data, words",
        [
            pytest.param(Dataset.from_arrays([[0, 0, 4, 4]], image=[1]), "does not say who drew what", id="nobody"),
            pytest.param(Dataset.from_arrays([[0, 0, 4, 4]], image=[1], annotator=["a"]),
                         "does not say who was asked", id="no assignments"),
            pytest.param(Dataset.from_arrays([BOX], image=[1], annotator=["a"], assignments=[(1, "a"), (2, "b")]),
                         "No image was shown to two annotators: there are 2, 2 images", id="no image shared"),
        ],
    )  # fmt: skip
    def test_refused(self, data, words):
        with pytest.raises(InputError, match=words):
            vesica.evaluate_agreement(data)

    def test_some_rows_without_masks(self):
        whole = [[[0, 0, 4, 0, 4, 4, 0, 4]], None]
        data = Dataset.from_arrays(
            [[0, 0, 4, 4]] * 2, masks=whole, image=[1, 1], sizes=(8, 8), annotator=["a", "b"], assignments="all"
        )
        with pytest.raises(InputError, match=r'Row 1 has a box and no mask.*regions="box".*missing="box"'):
            vesica.evaluate_agreement(data)
        assert vesica.evaluate_agreement(data, regions="box")["agreement"] == 1
        assert vesica.evaluate_agreement(data, missing="box")["agreement"] == 1
        with pytest.raises(InputError, match="no rotated boxes"):
            vesica.evaluate_agreement(data, regions="rotated")


class TestWorst:
    def rows(self):
        """Image k lost k objects of ann's, whom the others do not follow."""
        rows = [(image, who, (0, 0, 8, 8), "cat") for image in range(4) for who in "abc"]
        return rows + [(image, "a", (20 * k + 20, 0, 8, 8), "dog") for image in range(4) for k in range(image)]

    def test_order_and_reasons(self):
        result = vesica.evaluate_agreement(annotated(self.rows()))
        found = result.worst(10, per_group=None)
        assert [one.image for one in found] == [3, 2, 1]
        assert [one.lost for one in found] == [3, 2, 1]
        assert found[0].text == "extra 3.0 by a"  # though a comes first, and what a has alone is missing in the others
        assert found[0].reasons[0] == ("extra", 3.0, "dog", "a")

    def test_names_do_not_decide_who_was_wrong(self):
        for people in ("abc", "cab"):
            data = annotated(self.rows(), people)
            (first, *_) = vesica.evaluate_agreement(data).worst(1)
            assert first.text == f"extra 3.0 by {people[0]}"

    def test_missed(self):
        rows = [(0, who, (0, 0, 8, 8), "cat") for who in "ab"]
        (first,) = vesica.evaluate_agreement(annotated(rows)).worst(1)
        assert first.text == "missing 1.0 by c"

    def test_not_all_of_one_kind(self):
        result = vesica.evaluate_agreement(annotated(self.rows()))
        assert [one.image for one in result.worst(10, per_group=1)] == [3]
        assert len(result.worst(2, per_group=None)) == 2

    def test_by(self):
        rows = [*self.rows(), (0, "b", (50, 50, 8, 8), "cow")]
        result = vesica.evaluate_agreement(annotated(rows))
        assert [one.image for one in result.worst(10, by={"category": "cow"}, per_group=None)] == [0]
        assert [one.image for one in result.worst(10, by={"annotator": "c"}, per_group=None)] == [3, 2, 0, 1]
        with pytest.raises(ValueError, match="`by` has no category 'horse'"):
            result.worst(10, by={"category": "horse"})

    def test_nothing_lost(self):
        assert vesica.evaluate_agreement([[0, 0, 4, 4]], [[0, 0, 4, 4]]).worst(5) == []


class TestResult:
    def test_mapping_and_print(self):
        result = vesica.evaluate_agreement(written(SIDE_A), written(SIDE_B))
        assert (
            str(result).splitlines()[0].startswith("agreement, boxes: 2 annotators, 1 image, 1 image pair, 12 objects")
        )
        assert "agreement        0.233" in str(result)
        assert result.to_json() == vesica.evaluate_agreement(written(SIDE_A), written(SIDE_B)).to_json()

    def test_what_matches_nothing_is_counted(self):
        flat = [[0, 0, 0, 4], [1, 1, 5, 5]]
        result = vesica.evaluate_agreement(flat, flat)
        assert result["agreement"] == 0.5 and "note: 2 objects have no area" in str(result)

    def test_notes_of_parts_add_up(self):
        parts = []
        for image in (1, 2):
            boxes = [[0, 0, 0, 4], [0, 0, 4, 4]]
            data = Dataset.from_arrays(boxes, image=[image] * 2, annotator=["a", "b"], assignments="all")
            parts.append(vesica.evaluate_agreement(data))
        (note,) = parts[0].merged(parts[1]).notes
        assert note.count == 2

    def test_gates(self):
        result = vesica.evaluate_agreement(written(SIDE_A), written(SIDE_B))
        passed = [verdict.passed for verdict in result.gates("agreement>=0.2", "alpha>=0.67", "agreement[person]>=0.5")]
        assert passed == [True, False, False]

    @pytest.mark.parametrize(
        "options, words",
        [
            ({"match_at": 50}, "Divide a percentage by 100"),
            ({"contact": 0.6}, "`contact` must not be above `match_at`"),
            ({"credit": "dice"}, '`credit` must be one of "iou", "match"'),
            ({"quorum": "half"}, '`quorum` must be one of "majority"'),
            ({"quorum": 0}, "`quorum`"),
            ({"sizes": (9, 4)}, "`sizes` must be areas above 0, rising"),
            ({"level": 95}, "Divide a percentage by 100"),
            ({"seed": -1}, "`seed` must be a whole number"),
            ({"resample_by": "patient"}, '`resample_by` must be one of "image", "group", "batch"'),
        ],
    )
    def test_policy_refused(self, options, words):
        with pytest.raises(ValueError, match=words):
            AgreementPolicy(**options)

    def test_quorum(self):
        assert [AgreementPolicy().needed(asked) for asked in (1, 2, 3, 4)] == [1, 2, 2, 3]
        assert AgreementPolicy(quorum=2).needed(7) == 2


def one_object_each(text):
    """An object at one place in each image: "0a cat" is image 0, annotator a."""
    return [(int(where[0]), where[1], (0, 0, 8, 8), label) for where, label in map(str.split, text.split(","))]


class TestCoefficients:
    def test_alpha_of_objects(self):
        """Against the same ratings written out: a label, or 9 for nothing, by those who were asked."""
        rows = one_object_each("0a cat, 0b dog, 1a cow, 1b cow, 1c cow, 2c cat")
        result = vesica.evaluate_agreement(annotated(rows))
        want = krippendorff([0, 0, 0, 1, 1, 1, 2, 2, 2], [0, 2, 9, 1, 1, 1, 9, 9, 0])
        assert result.alpha() == want and result["alpha"] == want.value
        assert result.alpha("labels") == krippendorff([0, 0, 1, 1, 1, 2], [0, 2, 1, 1, 1, 0])
        counts = krippendorff(np.repeat(range(4), 3), [1, 1, 0, 1, 1, 1, 0, 0, 1, 0, 0, 0], interval=True)
        assert result.alpha("counts").value == pytest.approx(counts.value, abs=1e-12)
        assert result.fleiss().value == pytest.approx(
            fleiss([[1, 0, 1, 1], [0, 3, 0, 0], [1, 0, 0, 2]]).value, abs=1e-12
        )  # fmt: skip

    def test_alpha_of_pairs_and_classes(self):
        rows = one_object_each("0a cat, 0b dog, 1c cat, 2a cat, 2b cat, 2c cat")
        result = vesica.evaluate_agreement(annotated(rows))
        pairs = {(row["annotator_a"], row["annotator_b"]): row["alpha"] for row in result.pairs(intervals=False)}
        assert pairs["a", "b"] == krippendorff([0, 0, 1, 1, 2, 2], [0, 2, 9, 9, 0, 0]).value
        assert pairs["a", "c"] == krippendorff([0, 0, 1, 1, 2, 2], [0, 9, 9, 0, 0, 0]).value
        classes = {row["category"]: row["alpha"] for row in result.classes(intervals=False)}
        assert classes["cat"] == krippendorff([0, 0, 0, 1, 1, 1, 2, 2, 2], [1, 0, 0, 0, 0, 1, 1, 1, 1]).value
        assert classes["dog"] == krippendorff([0, 0, 0, 1, 1, 1, 2, 2, 2], [0, 1, 0, 0, 0, 0, 0, 0, 0]).value
        assert classes["cow"] is None

    def test_cohen(self):
        result = vesica.evaluate_agreement(written(SIDE_A), written(SIDE_B))
        table = np.zeros((4, 4), int)  # car, person, truck, nothing; the stars of linkage are those of the pairing here
        table[0, 0], table[0, 2], table[1, 1], table[0, 3], table[1, 3], table[3, 0], table[3, 1] = 1, 1, 1, 1, 1, 3, 1
        assert result.cohen() == cohen(table)
        with pytest.raises(ValueError, match="of two annotators; there are 3"):
            vesica.evaluate_agreement(annotated([(0, "a", (0, 0, 4, 4), "cat")])).cohen()

    @pytest.mark.parametrize(
        "boxes, status",
        [([[0, 0, 4, 4]], "no_variation"), (np.empty((0, 4)), "no_overlap")],
    )
    def test_not_defined(self, boxes, status):
        result = vesica.evaluate_agreement(boxes, boxes)
        assert result.alpha().value is None and result.alpha().status == status and np.isnan(result["alpha"])


class TestConsensus:
    def test_votes(self):
        """Two of three: kept with 2/3, one result for each cluster, and its sources are its votes."""
        rows = [(0, "a", (0, 0, 10, 10), "cat"), (0, "b", (0, 0, 10, 9), "cat"), (0, "c", (50, 50, 8, 8), "dog")]
        found = vesica.evaluate_agreement(annotated(rows)).consensus()
        assert len(found) == 2 and len(found.data) == 1
        assert found.score.tolist() == pytest.approx([2 / 3, 1 / 3]) and found.votes.tolist() == [2, 1]

    def test_rows_in_any_order(self):
        rows = [(image, who, (0, 0, 10, 10 - k), "cat") for image in range(3) for k, who in enumerate("abc")]
        data = annotated(rows)
        one = vesica.evaluate_agreement(data).consensus()
        other = vesica.evaluate_agreement(data.rows(np.arange(len(rows))[::-1])).consensus()
        assert sorted(map(str, one.data.boxes.xyxy.tolist())) == sorted(map(str, other.data.boxes.xyxy.tolist()))
        assert one.data.boxes.xyxy.tolist() == [[0, 0, 10, 9]] * 3

    def test_polygons_have_none(self):
        outline = Polygons([[[0, 0], [4, 0], [4, 4]]])
        with pytest.raises(TypeError, match="Outlines have no mean"):
            vesica.evaluate_agreement(outline, outline).consensus()
