"""Results: what all of them are, on one that scores nothing but its own two numbers."""

import json
from collections.abc import Mapping

import numpy as np
import pytest

from vesica.results.result import Note, Result
from vesica.results.tables import rows_of


class Toy(Result):
    summary = {"mIoU": 0.25, "<dice>": float("nan"), "bias": -0.5}
    headline = "toy: 2 images & more"
    notes = (Note("T1", 3, "pixels without a label"),)

    def to_dict(self):
        return {"summary": self.numbers, "é": 1}


class TestMapping:
    def test_reads_like_its_summary(self):
        toy = Toy()
        assert isinstance(toy, Mapping) and len(toy) == 3 and list(toy) == ["mIoU", "<dice>", "bias"]
        assert toy["bias"] == -0.5 and toy.get("bias") == -0.5 and dict(toy) == {**toy}
        assert "mIoU" in toy and list(toy.keys()) == list(toy.summary) and (("bias", -0.5) in toy.items())

    def test_flat(self):
        """For loggers: what is not defined draws no curve, and negative numbers are numbers."""
        assert Toy().flat(prefix="val/") == {"val/mIoU": 0.25, "val/bias": -0.5}

    def test_unknown_name(self):
        toy = Toy()
        assert "miou" not in toy and toy.get("miou") is None and toy.get("miou", 7) == 7
        for kind in (KeyError, ValueError):
            with pytest.raises(kind) as error:
                toy["miou"]
            assert str(error.value).startswith('`name` must be one of "mIoU", ')

    def test_is_read_only(self):
        with pytest.raises(TypeError):
            Toy()["mIoU"] = 1.0

    def test_equals_itself_alone(self):
        """Equal numbers may come of different data."""
        a, b = Toy(), Toy()
        assert a == a and a != b and len({a, b}) == 2


class TestText:
    def test_table(self):
        assert str(Toy()).splitlines() == [
            "toy: 2 images & more",
            "mIoU    0.250",
            "<dice>  -",
            "bias    -0.500",
            "note: 3 pixels without a label",
        ]
        assert repr(Toy()) == "Toy(mIoU 0.250, toy: 2 images & more)"

    def test_html(self):
        html = Toy()._repr_html_()
        assert "<p>toy: 2 images &amp; more</p>" in html and "<th>&lt;dice&gt;</th>" in html and "<td>–</td>" in html

    def test_json(self):
        assert Toy().to_json() == '{"summary": {"<dice>": null, "bias": -0.5, "mIoU": 0.25}, "é": 1}'


class TestRows:
    def test_plain_values(self):
        """JSON takes them, NaN has become null, and the types are Python's own."""
        rows = rows_of({"n": np.array([1, 2]), "x": np.array([0.5, np.nan], np.float32), "name": ["a", None]})
        assert json.loads(json.dumps(rows, allow_nan=False)) == rows
        assert rows == [{"n": 1, "x": 0.5, "name": "a"}, {"n": 2, "x": None, "name": None}]
        assert [type(value) for value in rows[0].values()] == [int, float, str]

    def test_empty_and_uneven(self):
        assert rows_of({"n": [], "x": np.empty(0)}) == []
        with pytest.raises(ValueError, match="shorter"):
            rows_of({"n": [1, 2], "x": [1]})
