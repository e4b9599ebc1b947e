"""Protocols: the conventions of a score, and what is said of those that cannot be meant."""

import dataclasses

import numpy as np
import pytest

import vesica
from vesica.detection import Protocol
from vesica.detection.protocol import protocol_of


class TestGrids:
    def test_thresholds(self):
        """As np.linspace has them: the ninth is not quite 0.9."""
        assert protocol_of("coco").iou == tuple(np.linspace(0.5, 0.95, 10).tolist())
        assert protocol_of("coco").iou[8] == 0.8999999999999999

    def test_recalls(self):
        """i × 0.01, which is not i / 100."""
        recalls = protocol_of("coco").recalls
        assert recalls == tuple(np.linspace(0, 1, 101).tolist())
        differ = [k for k, recall in enumerate(recalls) if recall != k / 100]
        assert differ == [35, 41, 47, 57, 69, 70, 82, 83, 94, 95]

    def test_areas_and_limits(self):
        made = protocol_of("coco")
        assert made.areas == (("all", 0, 1e10), ("small", 0, 1024), ("medium", 1024, 9216), ("large", 9216, 1e10))
        assert made.max_dets == (1, 10, 100)
        assert protocol_of("lvis").areas == made.areas and len(protocol_of("lvis").max_dets) == 1
        assert [name for name, _, _ in protocol_of("voc").areas] == ["all"] and protocol_of("voc").iou == (0.5,)

    def test_bars(self):
        """A threshold of 1 is just reached; a strict one is the next number."""
        assert protocol_of("coco", iou=[0.5, 1.0]).bars == (0.5, 1 - 1e-10)
        assert protocol_of("coco", iou=0.5, strict=True).bars == (np.nextafter(0.5, 1),)
        assert protocol_of("voc").bars == (np.nextafter(0.5, 1),)
        assert protocol_of("voc-devkit").bars == (0.5,)
        assert protocol_of("voc-devkit", iou=1.0).bars == (1.0,)


class TestValue:
    def test_equal_and_different(self):
        a, b = protocol_of("coco"), protocol_of("coco", max_dets=[100, 10, 1])
        assert a == b and a.digest == b.digest and a.difference(b) is None
        for field in dataclasses.fields(Protocol):
            other = dataclasses.replace(a, **{field.name: "other"})
            assert a.difference(other).startswith(f"{field.name} is ")
            assert a.digest != other.digest

    def test_frozen(self):
        with pytest.raises(dataclasses.FrozenInstanceError):
            protocol_of("coco").iou = (0.5,)


@pytest.mark.parametrize(
    "options, told",
    [
        ({"protocol": "COCO"}, "`protocol` must be"),
        ({"regions": "bbox"}, "`regions` must be"),
        ({"quirks": "coco"}, "`quirks` must be"),
        (
            {"quirks": "pycocotools", "protocol": "voc"},
            "`quirks` are faults of pycocotools, which knows protocol='coco' alone",
        ),
        ({"iou": []}, "`iou` must have at least one threshold; got none"),
        ({"iou": [0.5, 50]}, "`iou` must be thresholds from 0 to 1; got 50.0"),
        ({"iou": [-0.1]}, "`iou` must be thresholds from 0 to 1; got -0.1"),
        ({"iou": [np.nan]}, "`iou` must be thresholds from 0 to 1; got nan"),
        ({"iou": [0.5, 0.75, 0.5]}, "`iou` has a threshold twice: 0.5"),
        ({"areas": [(0, 100)]}, "`areas` must be a dict of names and ranges"),
        ({"areas": {}}, "`areas` must be a dict of names and ranges"),
        ({"areas": {"small": (10, 1)}}, r"`areas` of 'small' must rise; got \(10.0, 1.0\)"),
        ({"areas": {"": (0, 1)}}, "`areas` must have names"),
        ({"iou": {"a": 1}}, "`iou` must be one threshold, or a list of them; got .'a': 1."),
        ({"iou": "half"}, "`iou` must be one threshold, or a list of them; got 'half'"),
        ({"iou": 10**400}, "`iou` must be one threshold, or a list of them; got an integer of 1329 bits"),
        ({"areas": {"a": 3}}, "`areas` of 'a' must be two numbers, .low, high.; got 3"),
        ({"areas": {"a": (1, 2, 3)}}, "`areas` of 'a' must be two numbers, .low, high.; got .1, 2, 3."),
        ({"areas": {"a": (None, 1)}}, "`areas` of 'a' must be two numbers, .low, high.; got .None, 1."),
        ({"max_dets": []}, "`max_dets` must be whole numbers from 1 to 2147483647; got"),
        ({"max_dets": 0}, "`max_dets` must be whole numbers from 1 to 2147483647; got 0"),
        ({"max_dets": [1, -5]}, "`max_dets` must be whole numbers from 1 to 2147483647"),
        ({"max_dets": [1, 2.5]}, "`max_dets` must be whole numbers from 1 to 2147483647; got .1, 2.5."),
        ({"max_dets": [1, np.inf]}, "`max_dets` must be whole numbers from 1 to 2147483647; got .1, inf."),
        ({"max_dets": np.nan}, "`max_dets` must be whole numbers from 1 to 2147483647; got nan"),
        ({"max_dets": "100"}, "`max_dets` must be whole numbers from 1 to 2147483647; got '100'"),
    ],
)
def test_errors(options, told):
    data = vesica.Dataset.from_arrays([[0, 0, 4, 4]], image=[1], score=[0.5])
    with pytest.raises(ValueError, match=told):
        vesica.evaluate(data, data, **options)


def test_limits_in_any_order():
    for given in ([100, 1, 10], (10, 100, 1), np.array([1, 10, 100])):
        assert protocol_of("coco", max_dets=given).max_dets == (1, 10, 100)
    assert protocol_of("coco", max_dets=7).max_dets == (7,)
