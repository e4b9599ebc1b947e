"""What other tools for annotators get wrong in silence, and what hurts their users: right here, by the codes of the
specification."""

from dataclasses import replace

import numpy as np
import pytest

import vesica
from vesica import AgreementPolicy, Dataset, RleMasks, evaluate_agreement
from vesica.agreement.staple import staple
from vesica.agreement.vote_patterns import vote_patterns
from vesica.statistics.coefficients import krippendorff

POLICY = AgreementPolicy(replicates=50)


def drawn(*rows, asked="all", **more):
    """Rows of (annotator, category, box) in one image."""
    return Dataset.from_arrays(
        np.array([row[2] for row in rows], float).reshape(-1, 4), image=[row[3] if len(row) > 3 else 1 for row in rows],
        annotator=[row[0] for row in rows], category=[row[1] for row in rows], assignments=asked, **more,
    )  # fmt: skip


BOX = [0, 0, 10, 10]
THREE = drawn(("ann", "car", BOX), ("ben", "car", BOX), ("cleo", "truck", BOX))


class TestClusters:
    def test_labels_are_voted_on(self):
        """B03: car, car, truck are one object."""
        table = evaluate_agreement(THREE, policy=POLICY).objects()
        assert len(set(table["cluster"])) == 1 and set(table["label_votes"]) == {"car 2, truck 1"}

    def test_score_is_a_share_of_votes(self):
        """B04: two of three; one object a cluster; as many sources as votes. Masks too."""
        masks = np.zeros((2, 12, 12), bool)
        masks[0, 2:8, 2:8] = masks[1, 2:8, 2:7] = True
        of_masks = Dataset.from_arrays(
            masks=masks, image=[1, 1], annotator=["ann", "ben"],
            assignments={"image": [1, 1, 1], "annotator": ["ann", "ben", "cleo"]},
        )  # fmt: skip
        two = drawn(*[("ann", "car", BOX), ("ben", "car", BOX)], asked=[(1, who) for who in ("ann", "ben", "cleo")])
        for data in (two, of_masks):
            found = evaluate_agreement(data, policy=POLICY).consensus(
                geometry="majority" if data is of_masks else "median"
            )
            (told,) = found.data.attributes
            assert told["score"] == 2 / 3 and found.votes.tolist() == [len(told["sources"])] == [2]

    def test_copies_raise_no_score(self):
        """B20: an annotator who draws an object ten times votes once."""
        many = drawn(*[("ann", "car", BOX)] * 10, ("ben", "car", BOX))
        found = evaluate_agreement(many, policy=POLICY).consensus()
        assert max(one["score"] for one in found.objects.attributes) == 1 and found.votes.max() == 2

    def test_no_foreground_is_a_status(self):
        """B20: a fit of nothing is no black mask."""
        assert staple(vote_patterns(np.zeros((3, 5, 5), bool))).status == "no_foreground"


class TestPairs:
    def test_copies_are_no_matches(self):
        """B05: one box against ten copies of it."""
        result = evaluate_agreement(np.array([BOX], float), np.array([BOX] * 10, float))
        (row,) = result.pairs(intervals=False)
        assert row["units"] == 5.5 and round(result["agreement"], 6) == 0.181818
        assert {row["type"]: row["amount"] for row in result.ledger()} == {"duplicate": 4.5}

    def test_both_sides_have_their_own_number(self):
        """B06: of a lopsided pair, what a finds of b is not what b finds of a."""
        data = drawn(
            ("ann", "car", BOX), ("ben", "car", BOX), ("ben", "car", [20, 20, 30, 30]), ("ben", "car", [40, 0, 50, 9])
        )
        (row,) = evaluate_agreement(data, policy=POLICY).pairs(by="category", intervals=False)
        assert (row["n_matched"] / row["n_a"], row["n_matched"] / row["n_b"]) == (1, 1 / 3)

    def test_crossed_polygons_are_repeatable(self):
        """B06: no random repair of an outline that crosses itself."""
        bow = vesica.Polygons([[[0, 0], [10, 10], [10, 0], [0, 10]]])
        other = vesica.Polygons([[[0, 0], [10, 0], [10, 10], [0, 10]]])
        found = [evaluate_agreement(bow, other, policy=AgreementPolicy(match_at=0.3)).numbers for _ in range(3)]
        assert found[0] == found[1] == found[2] and found[0]["mean_iou"] == 0.5

    def test_nothing_is_smoothed(self):
        """B16: a perfect object of one pixel agrees by 1, what does not touch by 0, one of three by a third."""
        pixel = np.array([[3, 3, 4, 4]], float)
        assert evaluate_agreement(pixel, pixel)["agreement"] == 1
        assert evaluate_agreement(pixel, pixel + 1)["agreement"] == 0
        assert (
            evaluate_agreement(pixel, pixel + [0, 0, 2, 0], policy=AgreementPolicy(match_at=1 / 4))["mean_iou"] == 1 / 3
        )

    def test_run_lengths_equal_dense_masks(self):
        """B18: the same numbers, and for one seed the same tolerances."""
        rng = np.random.default_rng(0)
        one = np.zeros((4, 30, 30), bool)
        for k in range(4):
            one[k, 7 * k : 7 * k + 6, 3:25] = True
        other = one & (rng.random(one.shape) < 0.95)
        results = [
            evaluate_agreement(kind(one), kind(other), policy=POLICY) for kind in (vesica.Masks, RleMasks.from_masks)
        ]
        assert results[0].numbers == results[1].numbers
        assert [list(result.tolerances()) for result in results[:1]] == [
            list(result.tolerances()) for result in results[1:]
        ]

    def test_empty_images_are_left_out_and_counted(self):
        """B19: an image that both saw empty is no unit of agreement."""
        data = drawn(("ann", "car", BOX), ("ben", "car", [0, 0, 10, 8]), images=[1, 2, 3])
        (row,) = evaluate_agreement(data, policy=POLICY).pairs(intervals=False)
        assert (row["n_images"], row["both_empty"], row["agreement"]) == (3, 2, 0.8)

    def test_ties_go_to_review(self):
        """B17: of two masks neither the union nor the intersection is the truth."""
        masks = np.zeros((2, 12, 12), bool)
        masks[0, 2:8, 2:8] = masks[1, 2:8, 2:7] = True
        data = Dataset.from_arrays(masks=masks, image=[1, 1], annotator=["ann", "ben"], assignments="all")
        found = evaluate_agreement(data, policy=POLICY).consensus(geometry="majority")
        assert found.needs_review.all() and "6" in found.reason[0]


class TestUsers:
    def test_objects_name_partner_margin_and_alternative(self):
        """P06."""
        data = drawn(("ann", "car", BOX), ("ben", "car", [0, 0, 10, 9]), ("ben", "car", [5, 0, 15, 10]), id=[7, 8, 9])
        rows = {row["annotation"]: row for row in evaluate_agreement(data, policy=POLICY).objects()}
        assert rows[7]["partners"] == (("ben", 8),) and rows[7]["alternative"] == rows[9]["cluster"]
        assert rows[7]["margin"] == pytest.approx(0.9 - 1 / 3)

    def test_two_coco_files(self, tmp_path):
        """P07: in, and `pairs` out."""
        for who, box in (("ann", BOX), ("ben", [0, 0, 10, 8])):
            vesica.write(tmp_path / f"{who}.json", Dataset.from_arrays([box], image=[1], category=[1], sizes=(20, 20)))
        (row,) = evaluate_agreement(tmp_path / "ann.json", tmp_path / "ben.json").pairs(intervals=False)
        assert row["agreement"] == 0.8

    def test_coefficients_do_not_break(self):
        """P08: nobody rated twice; one value alone; and whoever was not asked is no rating."""
        assert krippendorff([1, 2], [0, 1]).status == "no_overlap"
        assert krippendorff([1, 1], [0, 0])[:3] == (None, "no_variation", 1.0)
        asked = [(1, "ann"), (1, "ben"), (2, "ben"), (2, "cleo")]
        data = drawn(
            ("ann", "car", BOX, 1), ("ben", "car", BOX, 1), ("ben", "car", BOX, 2), ("cleo", "bus", BOX, 2), asked=asked
        )
        result = evaluate_agreement(data, policy=POLICY)
        assert result.alpha() == krippendorff([1, 1, 2, 2], [0, 0, 0, 1])
        assert result.interval("alpha").undefined > 0  # two images: some replicates have none of both

    def test_headlines_come_from_tables(self):
        """P09: agreement, F1 and mean IoU from pairs, from classes, from images and from single matches."""
        rng = np.random.default_rng(0)
        rows = [
            (who, "ab"[k % 2], [x, x, x + 10 + rng.integers(0, 4), x + 10], k // 3)
            for k in range(30) for who in ("ann", "ben", "cleo") if rng.random() < 0.9 for x in [15 * (k % 3)]
        ]  # fmt: skip
        result = evaluate_agreement(drawn(*rows), policy=POLICY)
        for table in (result.pairs(intervals=False), result.classes(intervals=False)):
            assert result["agreement"] == pytest.approx(table["credit"].sum() / table["units"].sum())
            assert result["mean_iou"] == pytest.approx(table["sum_iou"].sum() / table["n_matched"].sum())
            right = table["n_matched"].sum() - table["n_label_differs"].sum()
            assert result["f1"] == pytest.approx(right / table["units"].sum())
        images, matches = result.images(), result.matches()
        assert result["agreement"] == pytest.approx(1 - images["lost"].sum() / images["units"].sum())
        assert result["mean_iou"] == pytest.approx(np.nanmean(matches["iou"]))

    def test_was_not_asked_is_not_saw_nothing(self):
        """P10: without an assignment there is an image less; with one and nothing drawn something is missing."""
        everyone = [(image, who) for image in (1, 2) for who in ("ann", "ben")]
        rows = [("ann", "car", BOX, 1), ("ben", "car", BOX, 1), ("ann", "car", BOX, 2)]
        asked = evaluate_agreement(drawn(*rows, asked=everyone), policy=POLICY)
        not_asked = evaluate_agreement(drawn(*rows, asked=everyone[:3]), policy=POLICY)
        assert asked.pairs(intervals=False)["n_images"].tolist() == [2]
        assert [row["type"] for row in asked.ledger()] == ["missing"]
        assert not_asked.pairs(intervals=False)["n_images"].tolist() == [1] and not_asked["agreement"] == 1


class TestProperties:
    DATA = drawn(
        *[
            (who, "abc"[(k + j) % 3], [12 * k + j, j, 12 * k + 10, 10 - j], k % 4)
            for k in range(8)
            for j, who in enumerate("xyz")
        ]
    )

    def test_relabelled(self):
        """Other names of classes, which sort otherwise, change no number."""
        names = {"a": "z", "b": "y", "c": "x"}
        kinds = [names[one] for one in self.DATA.categories.ids.tolist()]
        other = replace(self.DATA, categories=replace(self.DATA.categories, ids=np.array(kinds, object)))
        one, two = (evaluate_agreement(data, policy=POLICY) for data in (self.DATA, other))
        assert one.numbers == pytest.approx(two.numbers, abs=1e-12)

    def test_under_is_scoring_afresh(self):
        strict = replace(POLICY, match_at=0.8, credit="match")
        once, again = (
            evaluate_agreement(self.DATA, policy=strict),
            evaluate_agreement(self.DATA, policy=POLICY).under(strict),
        )
        assert once.to_bytes() == again.to_bytes()


class TestFiveColumns:
    """Boxes with a class in the last column: integers of two axes are label maps otherwise, and would be scored so."""

    ROWS = np.array([[0, 0, 4, 4, 1], [5, 5, 9, 9, 2]])

    @pytest.mark.parametrize("make", [np.array, lambda rows: rows.tolist(), lambda rows: [rows, rows], np.uint8])
    def test_are_refused(self, make):
        with pytest.raises(TypeError, match=r"^ann must be boxes \(N, 4\) or a label map; integers of shape \(2, 5\)"):
            evaluate_agreement({"ann": make(self.ROWS), "ben": make(self.ROWS)})

    def test_ways_out(self):
        boxes = {"boxes": self.ROWS[:, :4], "labels": self.ROWS[:, 4]}
        assert evaluate_agreement(boxes, boxes)["agreement"] == 1 and "mIoU" not in evaluate_agreement(boxes, boxes)
        maps = vesica.LabelMap(self.ROWS)
        assert evaluate_agreement(maps, maps)["mIoU"] == 1

    @pytest.mark.parametrize("map", [ROWS[:, :3], np.eye(6, dtype=int), ROWS > 2])
    def test_other_maps_are_maps(self, map):
        assert evaluate_agreement(map, map)["mIoU"] == 1
