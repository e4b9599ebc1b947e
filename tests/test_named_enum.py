"""Enums of the kernels reach Python by name: no order of names is written twice."""

from __future__ import annotations

import importlib.util
from types import ModuleType

import pytest

from vesica import _native
from vesica._check import coco_masks as check_coco_masks
from vesica._check import masks as check_masks
from vesica._check import polygons as check_polygons
from vesica._kernels import native
from vesica._kernels.generic import anchors as generic_anchors
from vesica._kernels.native import assign, coco_file, coco_masks, match_cells, pixels, polygons, soft, staple
from vesica.dataset.coco_masks import CocoMasks
from vesica.io import coco_errors
from vesica.selection.decays import DECAYS

TABLES = [
    (native, "_BOX_FAULTS", "box_fault_names"),
    (pixels, "COUNT_FAULTS", "count_fault_names"),
    (polygons, "RULES", "raster_rule_names"),
    (soft, "_DECAYS", "decay_names"),
    (assign, "GOALS", "goal_names"),
    (coco_file, "FAULTS", "json_fault_names"),
    (coco_file, "LISTS", "record_list_names"),
    (coco_file, "FIELDS", "record_field_names"),
    (coco_masks, "FORMS", "mask_form_names"),
    (coco_masks, "FAULTS", "mask_fault_names"),
    (coco_masks, "SIDES", "mask_side_names"),
    (match_cells, "RULES", "match_rule_names"),
    (staple, "STATUSES", "staple_status_names"),
]


def anew(module: ModuleType) -> ModuleType:
    """A second copy of a module; the first stays as it is."""
    spec = importlib.util.spec_from_file_location(f"{module.__name__}_anew", module.__file__)
    assert spec is not None
    assert spec.loader is not None
    copy = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(copy)
    return copy


@pytest.mark.parametrize(("module", "table", "names"), TABLES, ids=[names for *_, names in TABLES])
def test_another_order_moves_the_table(module, table, names, monkeypatch):
    given = getattr(_native, names)()
    assert len(set(given)) == len(given) > 1
    monkeypatch.setattr(_native, names, lambda: given[::-1])
    assert getattr(anew(module), table) == tuple(given[::-1])


def test_every_list_of_names_has_its_table():
    lists = {name for name in dir(_native) if name.endswith("_names")}
    assert lists == {names for *_, names in TABLES} | {"measure_names", "anchor_mark_names"}


class TestWords:
    """Names that C++ tells are names that Python has words for."""

    def test_counts(self):
        for name in _native.count_fault_names()[1:]:
            assert "`counts` of mask 3" in str(check_masks.bad_counts((name, 3, 7), 25, is_text=True))

    def test_masks(self):
        assert set(check_coco_masks._TEXTS) == set(_native.mask_fault_names()) - {"none"}

    def test_rules(self):
        assert set(check_polygons.RULES) == set(_native.raster_rule_names())

    def test_decays(self):
        assert set(DECAYS) == set(_native.decay_names())

    def test_fields(self):
        """Each key that an error may name, by itself in a file that lacks it or spoils it."""
        spoilt = {"images": "height", "annotations": "iscrowd"}
        for where, field in spoilt.items():
            text = f'{{"images": [], "annotations": [], "categories": [], "{where}": [{{"id": 1, "{field}": []}}]}}'
            found = coco_file.read(_bytes(text))
            assert (found.list, found.field, found.record) == (where, field, 0)

    def test_forms(self):
        assert (coco_masks.FORMS[CocoMasks.NONE], coco_masks.FORMS[CocoMasks.COUNTS]) == ("none", "counts")

    def test_json(self):
        """Every fault of a text alone, by a text that has it."""
        texts = {"[": "end", "[}": "character", "[-]": "number", '["\n"]': "control", '["\\x"]': "escape",
                 "[" * 70: "depth", "[] 1": "extra"}  # fmt: skip
        for text, name in texts.items():
            assert coco_file.json_fault(text.encode())[0] == name
        assert coco_file.json_fault(b'["\xff"]')[0] == "utf8"
        assert set(coco_errors._RULES) <= set(_native.json_fault_names())


def test_marks_are_the_bits_of_the_twin():
    bits = {name: 1 << place for place, name in enumerate(_native.anchor_mark_names())}
    twin = (generic_anchors.NOT_BACKGROUND, generic_anchors.POSITIVE, generic_anchors.ATTAINS)
    assert (bits["not_background"], bits["positive"], bits["attains"]) == twin


def _bytes(text: str):
    import numpy as np

    return np.frombuffer(text.encode(), np.uint8)
