"""Every value has a line that shows it, and is equal to another that holds the same."""

import copy
import dataclasses

import numpy as np
import pytest

import vesica
from vesica import Boxes, LabelMap, Masks, Parts, Polygons, RleMasks, RotatedBoxes, Sets, SparseMasks

BOXES = [[0, 0, 4, 4], [1, 1, 3, 3], [9, 9, 12, 12]]
OTHERS = [[0, 0, 4, 4], [1, 1, 3, 2], [9, 9, 12, 12]]
SCORES = [0.9, 0.8, 0.7]
DOTS = np.eye(5, dtype=bool)[None]
DEG = {"unit": "deg", "direction": "cw"}

VALUES = {
    "Boxes": (lambda rows: Boxes(rows)),
    "RotatedBoxes": (lambda rows: RotatedBoxes([[*row, 30] for row in rows], **DEG)),
    "Polygons": (lambda rows: Polygons.from_boxes(rows)),
    "Masks": (lambda rows: Masks(np.array(rows, bool)[None])),
    "RleMasks": (lambda rows: RleMasks.from_masks(np.array(rows, bool)[None])),
    "SparseMasks": (lambda rows: SparseMasks.from_masks(np.array(rows, bool)[None])),
    "LabelMap": (lambda rows: LabelMap(rows)),
    "Sets": (lambda rows: Sets(rows)),
    "Parts": (lambda rows: vesica.parts(rows, BOXES)),
    "Pairs": (lambda rows: vesica.join(rows, BOXES, at_least=0.1)),
    "Best": (lambda rows: vesica.best(rows, BOXES)),
    "Matches": (lambda rows: vesica.match(rows, BOXES, at_least=0.1)),
    "Kept": (lambda rows: vesica.soft_nms(rows, SCORES, above=0.1)),
    "Fused": (lambda rows: vesica.fuse(rows, SCORES)),
    "Merged": (lambda rows: vesica.nmm(rows, SCORES, above=0.1)),
    "Contingency": (lambda rows: LabelMap(rows).contingency(LabelMap(BOXES))),
    "Assigned": (lambda rows: vesica.anchors.assign(rows, BOXES)),
}


@pytest.mark.parametrize("name", VALUES)
class TestEvery:
    def test_equal(self, name):
        make = VALUES[name]
        value = make(BOXES)
        assert type(value).__name__.endswith(name)
        assert value == make(BOXES) == copy.deepcopy(value) and hash(value) == hash(make(BOXES))
        assert value != make([[0, 0, 0, 1], [0, 0, 1, 1], [0, 1, 2, 3]]) and value != BOXES and value != "text"

    def test_one_line(self, name):
        text = repr(VALUES[name](np.repeat(np.array(BOXES), 1, axis=0).tolist()))
        assert "\n" not in text and len(text) < 250 and name in text
        assert " at 0x" not in text

    def test_fields_are_shown(self, name):
        value = VALUES[name](BOXES)
        if dataclasses.is_dataclass(value) and name not in ("Matches", "Contingency"):
            assert all(f"{field.name}=" in repr(value) for field in dataclasses.fields(value))


class TestShown:
    def test_parts(self):
        text = "Parts(inter=[[4, 0]], area_a=[[16]], area_b=[[16, 0]], union=[[28, 16]], kind='boxes', dtype='float64')"
        assert repr(vesica.parts([[0, 0, 4, 4]], [[2, 2, 6, 6], [9, 9, 9, 9]])) == text

    def test_large_arrays_by_shape(self):
        assert repr(vesica.best(BOXES, BOXES, k=3)) == "Best(index=3×3 int64, value=3×3 float64)"

    def test_other_libraries(self, xp):
        found = vesica.best(xp([[0, 0, 4, 4]]), xp([[0, 0, 4, 2]]))
        assert repr(found) == "Best(index=[[0]], value=[[0.5]])"
        assert found == vesica.best(xp([[0, 0, 4, 4]]), xp([[0, 0, 4, 2]]))

    @pytest.mark.compile
    def test_traced(self):
        jax = pytest.importorskip("jax")
        seen = []

        def call(rows):
            seen.append(repr(vesica.parts(rows, rows)))
            return rows

        jax.jit(call)(np.array(BOXES, float))
        assert seen[0].startswith("Parts(inter=3×3 float64")


class TestMeaning:
    def test_nan_is_itself(self):
        nothing = [[1.0, 1, 1, 1]]
        assert vesica.best(nothing, nothing, empty=np.nan) == vesica.best(nothing, nothing, empty=np.nan)

    def test_forms_differ(self):
        assert Boxes(BOXES) != Boxes(BOXES, "yxyx")
        assert LabelMap([[1, 2]]) != LabelMap([[1, 2]], ignore=2)

    def test_sets_by_members(self):
        assert Sets([["a"], ["b"]])[1] == Sets([["b"]]) != Sets([["a"]])

    def test_counts(self):
        assert Parts.from_counts(1, 2, 3) == Parts.from_counts(1, 2, 3) != Parts.from_counts(1, 2, 4)
