"""Detection scores as pycocotools 2.0.11 has them on x86-64: equal to the last bit.

VESICA_PARITY_JOBS=5000 tries so many random jobs instead of a hundred.
"""

import os
from collections import Counter

import numpy as np
import pytest

import pycoco
import vesica
from scenes import awkward, datasets

pytest.importorskip("pycocotools")

JOBS = int(os.environ.get("VESICA_PARITY_JOBS", "100"))
CHUNK = 50
REGIONS = ("box", "mask")

# Thresholds and ranges in any order, of 1, 40, 64, 65 and 130 lanes; a limit below all, beyond all, twice.
ODD = [
    {"iou": [0.5]},
    {"iou": [0.75, 0.5, 0.6]},
    {"iou": [0.0, 0.5, 1.0]},
    {"iou": np.linspace(0.05, 1, 16)},
    {"iou": np.linspace(0.3, 0.9, 13), "areas": {f"a{k}": (k * 200.0, k * 900.0 + 124) for k in range(5)}},
    {"iou": np.linspace(0.02, 1, 26), "areas": {f"a{k}": (0.0, 1024.0 * k) for k in range(1, 6)}},
    {"areas": {"all": (0, 1e10)}, "max_dets": [7]},
    {"max_dets": [2, 1]},
    {"max_dets": [100]},
    {"max_dets": [3, 10, 30]},
    {"max_dets": [100, 1, 300, 10]},
    {"max_dets": [5, 5, 100]},
]


def equal(ours, theirs, where):
    """Every byte of the arrays; of the twelve numbers those that ours has."""
    for name in ("precision", "recall", "scores"):
        a, b = getattr(ours, name), getattr(theirs, name)
        assert a.shape == b.shape, f"{where}: {name} has the shape {a.shape}, not {b.shape}"
        differ = int((a.view(np.int64) != b.view(np.int64)).sum())  # bits: −0 is not 0, and NaN is itself
        assert not differ, f"{where}: {name} differs in {differ} of {a.size} values"


def equal_numbers(ours, theirs, where):
    assert list(ours.summary) == list(pycoco.NAMES)
    assert ours.stats.tolist() == theirs.stats.tolist(), where


def chunks(count):
    return [pytest.param(range(k, min(k + CHUNK, count)), id=str(k)) for k in range(0, count, CHUNK)]


@pytest.mark.parametrize("regions", REGIONS)
@pytest.mark.parametrize("seeds", chunks(JOBS))
class TestJobs:
    def test_by_class(self, seeds, regions):
        """Quirks always; the default wherever there is nothing to correct; one thread and two."""
        for seed in seeds:
            job = awkward(seed, masks=regions == "mask")
            truth, guess = datasets(job.truth, job.results)
            theirs = pycoco.answer(job.truth, job.results, regions=regions)
            for quirks in ("pycocotools", None) if job.is_sound else ("pycocotools",):
                for threads in (1, 2):
                    ours = vesica.evaluate(truth, guess, regions=regions, quirks=quirks, threads=threads)
                    equal(ours, theirs, f"job {seed}, {quirks}, {threads} threads")
                    equal_numbers(ours, theirs, f"job {seed}, {quirks}, {threads} threads")

    def test_odd_options(self, seeds, regions):
        """Other thresholds, ranges and limits, and classes that do not matter."""
        for seed in seeds:
            job = awkward(seed, masks=regions == "mask")
            truth, guess = datasets(job.truth, job.results)
            options = {**ODD[seed % len(ODD)], "by_class": seed % 5 == 0, "regions": regions}
            theirs = pycoco.answer(job.truth, job.results, **options)
            for quirks in ("pycocotools", None) if job.is_sound else ("pycocotools",):
                ours = vesica.evaluate(truth, guess, **options, quirks=quirks)
                equal(ours, theirs, f"job {seed}, {quirks}, {options}")


class TestQuirks:
    def test_limits_of_any_number(self):
        """Q3: AP asks for 100 by value and has no number without it; the others ask by place."""
        job = awkward(1)
        truth, guess = datasets(job.truth, job.results)
        for limits in ([1, 10, 100, 300], [3, 10, 30], [100, 200, 300], [1, 2, 3, 4, 100]):
            theirs = pycoco.answer(job.truth, job.results, max_dets=limits).stats
            ours = vesica.evaluate(truth, guess, max_dets=limits, quirks="pycocotools")
            assert ours.stats.tolist() == theirs.tolist(), limits
            # The default has AP at the last limit.
            default = vesica.evaluate(truth, guess, max_dets=limits)
            assert default["AP"] == float(np.mean(default.precision[..., 0, -1][default.precision[..., 0, -1] > -1]))
        for limits in ([100], [1, 100]):
            with pytest.raises(ValueError, match="three"):
                vesica.evaluate(truth, guess, max_dets=limits, quirks="pycocotools").stats
            assert vesica.evaluate(truth, guess, max_dets=limits)["AP"] > 0

    def test_explicit_ignore(self):
        """Q4: pycocotools overwrites it, the default honours it."""
        seeds = [seed for seed in range(100) if awkward(seed).traits.ignores]
        differ = 0
        for seed in seeds:
            job = awkward(seed)
            truth, guess = datasets(job.truth, job.results)
            if job.traits.twice or job.traits.wild:
                continue
            result = vesica.evaluate(truth, guess)
            told = [note.count for note in result.notes if note.rule == "Q4"]
            assert sum(told) == sum(row.get("ignore", 0) and not row["iscrowd"] for row in job.truth["annotations"])
            differ += result["AP"] != vesica.evaluate(truth, guess, quirks="pycocotools")["AP"]
        assert differ

    def test_boxes_of_masks(self):
        """C6: results that are masks alone have the boxes around them."""
        seeds = [seed for seed in range(60) if not awkward(seed, masks=True).traits.boxes]
        for seed in seeds:
            job = awkward(seed, masks=True)
            theirs = pycoco.answer(job.truth, job.results)
            ours = vesica.evaluate(*datasets(job.truth, job.results), quirks="pycocotools")
            equal(ours, theirs, seed)
        assert len(seeds) > 10

    def test_no_results(self):
        """Q14: legal, and nothing is found."""
        job = awkward(1)
        truth, guess = datasets(job.truth, [])
        result = vesica.evaluate(truth, guess)
        with_truths = {row["category_id"] for row in job.truth["annotations"] if not row["iscrowd"]}
        assert with_truths and result["AP"] == 0 and result["AR100"] == 0
        assert (result.precision[:, :, :, 0] == -1).sum() == 10 * 101 * 3 * (len(truth.categories) - len(with_truths))
        with pytest.raises(IndexError):
            pycoco.answer(job.truth, [])

    def test_no_truths(self):
        job = awkward(1)
        job.truth["annotations"].clear()
        truth, guess = datasets(job.truth, job.results)
        theirs = pycoco.answer(job.truth, job.results)
        for quirks in ("pycocotools", None):
            ours = vesica.evaluate(truth, guess, quirks=quirks)
            equal(ours, theirs, quirks)
            equal_numbers(ours, theirs, quirks)
            assert (ours.stats == -1).all()

    @pytest.mark.parametrize("size", [1e80, 1e154, 1e200, 1e300])
    def test_boxes_beyond_all_bounds(self, size):
        """Finite sides whose product is not: iou is no number, and matches."""
        rng = np.random.default_rng(0)
        job = awkward(1)
        for row in (*job.truth["annotations"], *job.results):
            if rng.random() < 0.5:
                row["bbox"] = [0.0, 0.0, size, size * float(rng.integers(1, 3))]
        truth, guess = datasets(job.truth, job.results)
        theirs = pycoco.answer(job.truth, job.results)
        for quirks in ("pycocotools", None):
            equal(vesica.evaluate(truth, guess, quirks=quirks), theirs, quirks)


@pytest.mark.parametrize("regions", REGIONS)
def test_threads_change_no_byte(regions):
    for seed in (0, 7, 14, 21):
        job = awkward(seed, masks=regions == "mask")
        truth, guess = datasets(job.truth, job.results)
        made = [
            vesica.evaluate(truth, guess, regions=regions, quirks="pycocotools", threads=threads)
            for threads in (1, 2, 3, 8, 16)
        ]
        assert len({one.records.to_bytes() for one in made}) == 1
        assert len({one.precision.tobytes() + one.scores.tobytes() + one.stats.tobytes() for one in made}) == 1


@pytest.fixture(scope="module")
def met():
    """How often the first jobs have which awkward thing."""
    found = Counter()
    for seed in range(100):
        found.update(_met(awkward(seed)))
    return found


class TestCoverage:
    """The jobs have what they are there for: each of these things is met, and more than once."""

    @pytest.mark.parametrize(
        "what",
        [
            "crowd found twice",
            "equal scores in a cell",
            "equal scores across images",
            "equal ious of one guess",
            "iou on a threshold",
            "iou between 1 - 1e-10 and 1",
            "truth on the edge of a range",
            "guess on the edge of a range",
            "zeros of both signs in a cell",
            "cell without guesses",
            "cell without truths",
            "image with neither",
            "category without truths",
            "category without guesses",
            "category with ignored truths alone",
            "over 100 guesses in a cell",
            "images not in order",
            "categories not in order",
            "id 0",
            "id 0 found",
            "id twice",
            "box of no area",
            "NaN score",
            "infinite score",
            "NaN in a box",
            "infinity in a box",
            "unknown category",
            "explicit ignore",
            "recall on a point",
        ],
    )
    def test_is_met(self, met, what):
        assert met[what] > 1

    def test_masks(self):
        found = Counter()
        for seed in range(60):
            job = awkward(seed, masks=True)
            for row in job.truth["annotations"]:
                drawn = row["segmentation"]
                found["polygons of several parts" if len(drawn) > 1 else "one polygon"] += isinstance(drawn, list)
                found["uncompressed counts"] += isinstance(drawn, dict)
                found["zero first run"] += isinstance(drawn, dict) and drawn["counts"][0] == 0
                found["zero run"] += isinstance(drawn, dict) and 0 in drawn["counts"][1:]
            found["results without boxes"] += "bbox" not in job.results[0]
            found["results with boxes"] += "bbox" in job.results[0]
        assert all(count > 1 for count in found.values()) and len(found) == 7, found


def test_area_of_boxes_matters():
    """C6: results with both have the area of the box. Without boxes the same masks have other scores."""
    differ = 0
    for seed in range(60):
        job = awkward(seed, masks=True)
        if "bbox" in job.results[0]:
            masks = [{key: value for key, value in row.items() if key != "bbox"} for row in job.results]
            both = [pycoco.answer(job.truth, rows, regions="mask") for rows in (job.results, masks)]
            differ += both[0].precision.tobytes() != both[1].precision.tobytes()
    assert differ > 5


def _met(job):
    """Which awkward things a job has. A thing that concerns the order of scores is looked for in numbers alone."""
    met = Counter()
    truths, results = job.truth["annotations"], job.results
    evaluator = pycoco.answer(job.truth, results).evaluator
    params = evaluator.params
    cells = {key: (evaluator._gts[key], evaluator._dts[key]) for key in evaluator.ious}
    for (gts, dts), ious in ((cells[key], np.asarray(ious)) for key, ious in evaluator.ious.items()):
        scores = sorted(row["score"] for row in dts)
        met["equal scores in a cell"] += len(set(scores)) < len(scores)
        signs = {np.signbit(score) for score in scores if score == 0}
        met["zeros of both signs in a cell"] += len(signs) == 2
        met["cell without guesses"] += bool(gts) and not dts
        met["cell without truths"] += bool(dts) and not gts
        met["over 100 guesses in a cell"] += len(dts) > 100
        if ious.size:
            met["iou on a threshold"] += bool(np.isin(ious, params.iouThrs).any())
            met["iou between 1 - 1e-10 and 1"] += bool(((ious >= 1 - 1e-10) & (ious < 1)).any())
            met["equal ious of one guess"] += any(len(set(row[row >= 0.5])) < (row >= 0.5).sum() for row in ious)
    for cell in filter(None, evaluator.evalImgs):
        crowds = {row["id"] for row in cells[cell["image_id"], cell["category_id"]][0] if row["iscrowd"]}
        for matches in cell["dtMatches"]:
            met["crowd found twice"] += any((matches == one).sum() > 1 for one in crowds - {0})
        pairs = zip(cell["gtIds"], cell["gtMatches"].T, strict=True)
        met["id 0 found"] += any(one == 0 and row.any() for one, row in pairs)
    by_class = {one: [row for row in truths if row["category_id"] == one] for one in params.catIds}
    guessed = Counter(row["category_id"] for row in results)
    for one, rows in by_class.items():
        met["category without truths"] += not rows and guessed[one] > 0
        met["category without guesses"] += bool(rows) and not guessed[one]
        met["category with ignored truths alone"] += bool(rows) and all(row["iscrowd"] for row in rows)
        met["recall on a point"] += sum(not row["iscrowd"] for row in rows) in (2, 4, 5, 10, 20, 25)
        of_images = [
            {row["score"] for row in results if (row["image_id"], row["category_id"]) == (image, one)}
            for image in params.imgIds
        ]
        met["equal scores across images"] += sum(map(len, of_images)) > len(set().union(*of_images))
    for row in truths:
        met["truth on the edge of a range"] += row["area"] in (1024, 9216)
        met["explicit ignore"] += row.get("ignore", 0)
        met["id 0"] += row["id"] == 0
    for row in results:
        met["guess on the edge of a range"] += row["bbox"][2] * row["bbox"][3] in (1024, 9216)
        met["box of no area"] += 0 in row["bbox"][2:]
        met["NaN score"] += np.isnan(row["score"])
        met["infinite score"] += np.isinf(row["score"])
        met["NaN in a box"] += bool(np.isnan(row["bbox"]).any())
        met["infinity in a box"] += bool(np.isinf(row["bbox"]).any())
        met["unknown category"] += row["category_id"] not in by_class
    met["id twice"] += len({row["id"] for row in truths}) < len(truths)
    seen = {row["image_id"] for row in (*truths, *results)}
    met["image with neither"] += len(seen) < len(params.imgIds)
    for what, table in (("images", "images"), ("categories", "categories")):
        ids = [row["id"] for row in job.truth[table]]
        met[f"{what} not in order"] += ids != sorted(ids)
    return met
