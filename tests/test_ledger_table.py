"""The table of the ledger: what is counted beside the sum."""

from dataclasses import replace

import numpy as np
import pytest

from vesica import Dataset, evaluate_agreement


class TestBeside:
    """What matched pairs differ in that costs nothing, counted beside the sum."""

    @staticmethod
    def sides(**columns):
        """One pair that matches, and a box of ann's alone; columns of ann and of ben."""
        boxes = {"ann": [[0, 0, 10, 10], [50, 50, 60, 60]], "ben": [[0, 0, 10, 10]]}
        made = {}
        for who, own in boxes.items():
            data = Dataset.from_arrays(own, image=[1] * len(own), category=["cat"] * len(own), sizes=(80, 80))
            made[who] = replace(
                data, **{name: values[who] for name, values in columns.items() if values[who] is not None}
            )
        return evaluate_agreement(made)

    @pytest.mark.parametrize(
        "ann, ben, count",
        [
            ([{"occluded": "no"}, {"occluded": "no"}], [{"occluded": "yes"}], 1),
            ([{"a": 1, "b": 2}, None], [{"b": 2, "a": 1}], 0),
            ([{"a": 1}, None], [None], 1),
            ([None, None], None, 0),
            ([{}, None], None, 0),
            ([{"a": 1}, None], [{"a": True}], 1),
            ([{"a": [1, {"b": 2}]}, None], [{"a": [1, {"b": 2}]}], 0),
            ([{"a": [1, {"b": 2}]}, None], [{"a": [1, {"b": 3}]}], 1),
            ([{1: 2, "a": 3}, None], [{1: 2, "a": 3}], 0),  # no keys of JSON
            ([{1: 2, "a": 3}, None], [{1: 2, "a": 4}], 1),
        ],
    )
    def test_attribute(self, ann, ben, count):
        told = {
            "ann": np.array([*ann, None], object)[:-1],
            "ben": None if ben is None else np.array([*ben, None], object)[:-1],
        }
        table = self.sides(attributes=told).ledger()
        rows = {row["type"]: row for row in table}
        assert rows.get("attribute", {"count": 0})["count"] == count
        assert set(rows) - {"attribute"} == {"missing"} and table["amount"].sum() == 0.5

    def test_crowd_flag(self):
        result = self.sides(crowd={"ann": np.array([True, True]), "ben": np.array([False])})
        row = next(row for row in result.ledger(by=("annotators", "category")) if row["type"] == "crowd_flag")
        assert row == {
            "annotator_a": "ann", "annotator_b": "ben", "category": "cat", "type": "crowd_flag", "count": 1,
            "amount": 0.0, "share": 0.0,
        }  # fmt: skip

    def test_kind(self):
        mask = np.zeros((1, 80, 80), bool)
        mask[0, :10, :10] = True
        sides = {
            "ann": Dataset.from_arrays(masks=mask, image=[1]),
            "ben": Dataset.from_arrays([[0, 0, 10, 10]], image=[1], sizes=(80, 80)),
        }
        for options in ({"regions": "box"}, {"missing": "box"}):
            result = evaluate_agreement(sides, **options)
            assert result["agreement"] == 1 and [row["type"] for row in result.ledger()] == ["kind"]

    def test_merged_and_read(self):
        one = self.sides(crowd={"ann": np.array([True, True]), "ben": np.array([False])})
        data = [
            replace(one.annotations.data, images=replace(one.annotations.data.images, ids=np.array([id])))
            for id in (1, 2)
        ]
        parts = [evaluate_agreement(part) for part in data]
        whole = parts[0].merged(parts[1])
        rows = {row["type"]: row["count"] for row in whole.ledger()}
        assert rows == {"missing": 2, "crowd_flag": 2}
        assert list(type(whole).from_bytes(whole.to_bytes()).ledger()) == list(whole.ledger())
