"""Would the jobs notice a fault? A plain twin equals pycocotools and vesica; with any single fault it does not.

The fixed set below is a part of the jobs on which vesica is compared with pycocotools, so each of these faults, were it
in vesica, would fail a test.
"""

import functools

import numpy as np
import pytest

import pycoco
import twin
import vesica
from scenes import Job, awkward, datasets
from vesica._kernels.native import match_cells
from vesica.detection.inputs import inputs_of
from vesica.detection.protocol import protocol_of
from vesica.detection.records import found_of

pytest.importorskip("pycocotools")

SEEDS = range(0, 60)
ODD = {"iou": [0.3, 0.5, 1.0], "areas": {"all": (0, 1e10), "tiny": (64, 320)}, "max_dets": [1, 5, 100]}


@functools.cache
def cases():
    """Jobs with COCO's options, and every fifth with others."""
    jobs = [(seed, awkward(seed)) for seed in SEEDS]
    some = [(seed, job, options) for seed, job in jobs for options in ({}, ODD) if not options or seed % 5 == 0]
    return [*some, ("union", union(), {})]


def union():
    """Boxes whose iou lies so near a threshold that the last bit of the union decides."""
    rng = np.random.default_rng(0)
    truth = {"images": [], "annotations": [], "categories": [{"id": 1, "name": "c"}]}
    results = []
    for image in range(1, 400):
        x, y, w, h = (rng.random(4) * 50 + 10).tolist()
        share = float(rng.choice(twin.THRESHOLDS))
        truth["images"].append({"id": image, "height": 128, "width": 128})
        row = {"id": image, "image_id": image, "category_id": 1, "bbox": [x, y, w, h], "area": w * h, "iscrowd": 0}
        truth["annotations"].append(row)
        results.append({"image_id": image, "category_id": 1, "bbox": [x, y, w * share, h], "score": 1 - image / 1000})
    return Job(truth, results)


def differs(one, other, *, numbers=True):
    """Is there any bit that differs?"""
    names = ("precision", "recall", "scores") + ("stats",) * numbers
    pairs = [(getattr(one, name), getattr(other, name)) for name in names]
    return any(a.shape != b.shape or a.tobytes() != b.tobytes() for a, b in pairs)


@pytest.fixture(scope="module")
def answers():
    """What pycocotools says, asked once."""
    return [pycoco.answer(job.truth, job.results, **options) for _, job, options in cases()]


@pytest.fixture(scope="module")
def made():
    """What the twin says, asked once."""
    return [twin.answer(job.truth, job.results, **options) for _, job, options in cases()]


def test_twin_equals_pycocotools(made, answers):
    for (name, _, _), ours, theirs in zip(cases(), made, answers, strict=True):
        assert not differs(ours, theirs), name


def test_twin_equals_vesica(made):
    for (name, job, options), ours in zip(cases(), made, strict=True):
        result = vesica.evaluate(*datasets(job.truth, job.results), **options, quirks="pycocotools")
        assert not differs(result, ours, numbers=False), name


@pytest.mark.parametrize("fault", twin.FAULTS)
def test_fault_is_seen(answers, fault):
    found = (
        name
        for (name, job, options), theirs in zip(cases(), answers, strict=True)
        if differs(twin.answer(job.truth, job.results, fault, **options), theirs)
    )
    assert next(found, None) is not None


LANES = {
    40: {},
    64: {"iou": np.linspace(0.05, 1, 16)},
    65: {"iou": np.linspace(0.3, 0.9, 13), "areas": {f"a{k}": (k * 200.0, k * 900.0 + 124) for k in range(5)}},
    130: {"iou": np.linspace(0.02, 1, 26), "areas": {f"a{k}": (0.0, 1024.0 * k) for k in range(1, 6)}},
}


@pytest.mark.parametrize("lanes", LANES)
class TestLanes:
    """All lanes at once, and one at a time."""

    def test_plain(self, lanes):
        protocol = protocol_of("coco", **LANES[lanes], quirks="pycocotools")
        assert len(protocol.iou) * len(protocol.areas) == lanes
        for seed in range(0, 40):
            job = awkward(seed)
            sides = inputs_of(*datasets(job.truth, job.results), protocol)
            if sides.plain:
                continue
            fast, plain = (
                found_of(sides, protocol, plain=way, partners=True, threads=threads)
                for way, threads in ((False, 2), (True, 1))
            )
            for name, a, b in zip(match_cells.Found._fields, fast, plain, strict=True):
                assert np.array_equal(a, b), (seed, name)

    def test_twin(self, lanes):
        for seed in (1, 2, 3, 8):
            job, options = awkward(seed), LANES[lanes]
            result = vesica.evaluate(*datasets(job.truth, job.results), **options, quirks="pycocotools")
            made = twin.answer(job.truth, job.results, **options)
            assert not differs(result, made, numbers=False), seed


class TestDelegation:
    """Which way was taken."""

    @pytest.fixture
    def asked(self, monkeypatch):
        """The `plain` of every request."""
        seen, match_boxes = [], match_cells.match_boxes

        def spy(request, *sides, **options):
            seen.append(request.plain)
            return match_boxes(request, *sides, **options)

        monkeypatch.setattr(match_cells, "match_boxes", spy)
        return seen

    def test_native(self, monkeypatch):
        """Nobody else knows the answer."""

        def broken(*_, **__):
            raise AssertionError("the kernel was called")

        job = awkward(1)
        for name in ("match_cells_boxes", "precision_recall"):
            with monkeypatch.context() as patch:
                patch.setattr(f"vesica._native.{name}", broken)
                with pytest.raises(AssertionError, match="the kernel was called"):
                    vesica.evaluate(*datasets(job.truth, job.results)).stats

    def test_all_lanes_at_once(self, asked):
        job = awkward(1)
        for quirks in (None, "pycocotools"):
            vesica.evaluate(*datasets(job.truth, job.results), quirks=quirks)
        assert asked == [False, False]

    def test_plain_where_numbers_are_none(self, asked):
        wild = awkward(next(seed for seed in range(100) if awkward(seed).traits.wild))
        vesica.evaluate(*datasets(wild.truth, wild.results), quirks="pycocotools")
        assert asked == [True]
