"""LVIS scores as lvis-api 0.5.3 has them: arrays and numbers equal to the last bit."""

import copy
import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import vesica
from scenes import Traits, datasets, job
from vesica.dataset import Categories, Dataset, Images, Ragged

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "lvis100"
NAMES = ["AP", "AP50", "AP75", "APs", "APm", "APl", "APr", "APc", "APf", "AR", "ARs", "ARm", "ARl"]
LISTS = {"absent": "neg_category_ids", "partial": "not_exhaustive_category_ids"}


@pytest.fixture(autouse=True)
def numpy_1(monkeypatch):
    """It has not heard of NumPy 2."""
    monkeypatch.setattr(np, "float", float, raising=False)


def answer(folder, truth, results, kind="bbox"):
    """Its own way, by files. It brings OpenCV and matplotlib, which other tests need not hold in memory."""
    lvis = pytest.importorskip("lvis")
    paths = [folder / "truth.json", folder / "results.json"]
    for path, value in zip(paths, (truth, results), strict=True):
        path.write_text(json.dumps(value))
    evaluator = lvis.LVISEval(lvis.LVIS(str(paths[0])), str(paths[1]), kind)
    evaluator.run()
    return evaluator


def federated(seed, **traits):
    """A job in which not every category was looked for in every image."""
    rng = np.random.default_rng(seed)
    truth, results = job(rng, Traits(images=int(rng.integers(1, 7)), categories=7, crowds=0.3, ignores=True, **traits))
    ids = [row["id"] for row in truth["categories"]]
    for row in truth["categories"]:
        row["frequency"] = str(rng.choice(["r", "c", "f"] if seed % 3 else ["c", "f"]))
    for row in truth["images"]:
        for key, share in (("neg_category_ids", 0.3), ("not_exhaustive_category_ids", 0.25)):
            row[key] = [one for one in ids if rng.random() < share]
    for row in truth["annotations"]:
        row["area"] = 0.0 if rng.random() < 0.05 else max(row["area"], 1.0)
    for row in rng.choice(results, 3):
        row["bbox"] = [*row["bbox"][:3], 0.0]
    return truth, results


def columns(truth, results):
    """Data sets that also have what LVIS adds."""
    known, guess = datasets(truth, results)
    lists = {name: ragged([row[key] for row in truth["images"]]) for name, key in LISTS.items()}
    images = Images(known.images.ids, known.images.height, known.images.width, **lists)
    frequency = np.array([row["frequency"] for row in truth["categories"]], object)
    categories = Categories(known.categories.ids, known.categories.names, frequency=frequency)
    rows = ("image", "category", "xywh", "segments", "area", "crowd", "ignore", "id")
    return Dataset(images, categories, **{name: getattr(known, name) for name in rows}), guess


def ragged(rows):
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    return Ragged(np.array([one for row in rows for one in row], np.int64), offsets)


def equal(ours, theirs, where):
    for name in ("precision", "recall"):
        a, b = getattr(ours, name)[..., 0], theirs.eval[name]
        assert a.shape == b.shape, where
        assert not (a != b).sum(), f"{where}: {name} differs in {(a != b).sum()} of {a.size} values"
    assert list(ours.summary) == NAMES
    assert ours.stats.tolist() == [float(value) for value in theirs.results.values()], where


class TestJobs:
    @pytest.mark.parametrize("kind", ["bbox", "segm"])
    def test_random(self, tmp_path, kind):
        for seed in range(40):
            truth, results = federated(seed, masks=kind == "segm")
            theirs = answer(tmp_path, truth, results, kind)
            regions = "box" if kind == "bbox" else "mask"
            for threads in (1, 2):
                ours = vesica.evaluate(*columns(truth, results), protocol="lvis", regions=regions, threads=threads)
                equal(ours, theirs, seed)

    def test_over_300_guesses(self, tmp_path):
        """The limit is of an image, over all categories; equal scores at the limit stay as they come."""
        for seed in range(100, 106):
            truth, results = federated(seed, guesses=330.0)
            assert max(Counter(row["image_id"] for row in results).values()) > 300
            equal(vesica.evaluate(*columns(truth, results), protocol="lvis"), answer(tmp_path, truth, results), seed)

    def test_the_rules_matter(self, tmp_path):
        """Each list, flag and zero area changes some answer: a rule left out would be seen."""
        changes = {
            "absent": lambda truth: [row.update(neg_category_ids=[]) for row in truth["images"]],
            "partial": lambda truth: [row.update(not_exhaustive_category_ids=[]) for row in truth["images"]],
            "ignore": lambda truth: [row.pop("ignore", None) for row in truth["annotations"]],
            "area": lambda truth: [row.update(area=row["area"] or 1.0) for row in truth["annotations"]],
            "frequency": lambda truth: [row.update(frequency="f") for row in truth["categories"]],
        }
        seen = set()
        for seed in range(12):
            truth, results = federated(seed)
            before = list(answer(tmp_path, truth, results).results.values())
            for name, change in changes.items():
                other = copy.deepcopy(truth)
                change(other)
                if list(answer(tmp_path, other, results).results.values()) != before:
                    seen.add(name)
        assert seen == set(changes)

    def test_crowds_are_like_others(self):
        truth, results = federated(3)
        other = copy.deepcopy(truth)
        for row in other["annotations"]:
            row["iscrowd"] = 0
        both = [vesica.evaluate(*columns(one, results), protocol="lvis") for one in (truth, other)]
        assert both[0].stats.tolist() == both[1].stats.tolist()
        assert any(row["iscrowd"] for row in truth["annotations"])


@pytest.mark.skipif(not DATA.is_dir(), reason="the folder shared/data lies not beside the repository")
@pytest.mark.parametrize("kind", ["bbox", "segm"])
def test_real_truths(tmp_path, kind):
    """The truths of 100 images, and guesses made of them: some shifted, some of other categories, some twice."""
    truth = json.loads((DATA / "lvis_val_100.json").read_text())
    rng = np.random.default_rng(0)
    results = []
    for row in truth["annotations"]:
        x, y, w, h = row["bbox"]
        for _ in range(int(rng.integers(0, 4))):
            shift = rng.normal(0, 0.1, 4) * [w, h, w, h]
            box = [x + shift[0], y + shift[1], max(1.0, w + shift[2]), max(1.0, h + shift[3])]
            other = truth["categories"][int(rng.integers(len(truth["categories"])))]["id"]
            category = row["category_id"] if rng.random() < 0.8 else other
            score = float(np.round(rng.random(), 2))
            results.append(
                {"image_id": row["image_id"], "category_id": category, "bbox": [float(v) for v in box], "score": score}
            )
    if kind == "segm":
        for row in results:
            x, y, w, h = row["bbox"]
            row["segmentation"] = [[x, y, x, y + h, x + w, y + h, x + w, y]]
    theirs = answer(tmp_path, truth, results, kind)
    regions = "box" if kind == "bbox" else "mask"
    equal(vesica.evaluate(*columns(truth, results), protocol="lvis", regions=regions), theirs, kind)
    files = tmp_path / "truth.json", tmp_path / "results.json"
    equal(vesica.evaluate(*files, protocol="lvis", regions=regions), theirs, f"{kind} by files")
