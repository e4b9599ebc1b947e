"""Causes: every wrong guess and every missed truth has one, and costs what AP would gain without it."""

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tide
import vesica
from scenes import Traits, datasets, job
from vesica import Dataset
from vesica.detection import records_of, summarise
from vesica.detection.cause_names import CAUSES, TOTALS

REAL = Path(__file__).parents[2] / "shared/data/coco100"
A = [0, 0, 100, 100]
B = [300, 0, 400, 100]


def of(truths, guesses, **options):
    """A result of rows (box, category) and (box, category, score), in one image."""
    truth = Dataset.from_arrays(
        [box for box, _ in truths], image=[1] * len(truths), category=[kind for _, kind in truths]
    )
    guess = Dataset.from_arrays(
        [box for box, _, _ in guesses],
        image=[1] * len(guesses),
        category=[kind for _, kind, _ in guesses],
        score=[score for _, _, score in guesses],
    )
    return vesica.evaluate(truth, guess, **options)


TWO = [(A, "cat"), (B, "dog")]
FOUND = [(A, "cat", 0.9), (B, "dog", 0.8)]


class TestNames:
    """One guess more than the right ones, and why it is wrong."""

    @pytest.mark.parametrize(
        "box, category, cause",
        [
            pytest.param([0, 0, 100, 40], "cat", "localisation", id="the right class, IoU 0.4"),
            pytest.param([0, 0, 100, 10], "cat", "localisation", id="the right class, IoU 0.1"),
            pytest.param([0, 0, 100, 9.9], "cat", "background", id="the right class, IoU below 0.1"),
            pytest.param([0, 0, 100, 90], "dog", "classification", id="another class, IoU 0.9"),
            pytest.param([0, 0, 100, 50], "dog", "classification", id="another class, IoU 0.5"),
            pytest.param([0, 0, 100, 49], "dog", "both", id="another class, IoU 0.49"),
            pytest.param([0, 0, 100, 90], "cat", "duplicate", id="found already"),
            pytest.param([0, 0, 100, 50], "cat", "duplicate", id="found already, IoU 0.5"),
            pytest.param([500, 500, 600, 600], "cat", "background", id="nothing there"),
        ],
    )
    def test_one(self, box, category, cause):
        result = of(TWO, [*FOUND, (box, category, 0.95 if cause == "background" else 0.5)])
        causes = result.causes()
        assert {row["cause"]: row["count"] for row in causes.table if row["count"]} == {cause: 1, "wrong": 1}
        assert result.objects()["cause"].tolist().count(cause) == 1

    def test_of_image_without_truths(self):
        truth = Dataset.from_arrays([A], image=[1], category=["cat"], images=[1, 2])
        guess = Dataset.from_arrays([A, A], image=[1, 2], category=["cat", "cat"], score=[0.5, 0.9])
        row = vesica.evaluate(truth, guess).causes()["background"]
        assert row["count"] == 1 and row["cost"] == pytest.approx(0.5)

    def test_missed(self):
        """A truth that nobody found; one that a loose guess, or one of another class, would find is not among them."""
        result = of([*TWO, ([600, 0, 700, 100], "cat")], FOUND)
        assert result.causes()["missed"]["count"] == result.causes()["not found"]["count"] == 1
        near = of([*TWO, ([600, 0, 700, 100], "cat")], [*FOUND, ([600, 0, 700, 40], "cat", 0.3)]).causes()
        assert near["missed"]["count"] == 0 and near["not found"]["count"] == 1 and near["localisation"]["count"] == 1

    def test_ignored(self):
        """What lies in a crowd is not wrong, and has no cause."""
        truth = Dataset.from_arrays([A, B], image=[1, 1], category=["cat", "cat"], crowd=[False, True])
        guess = Dataset.from_arrays([A, B, B], image=[1] * 3, category=["cat"] * 3, score=[0.9, 0.8, 0.7])
        result = vesica.evaluate(truth, guess)
        assert result.causes()["wrong"]["count"] == 0
        assert sorted(result.objects()["cause"].tolist()) == ["ignored", "ignored", "right"]


class TestCosts:
    def test_by_hand(self):
        """A dog that is called a cat costs both classes: the cat its precision, the dog its only guess."""
        result = of(TWO, [(A, "cat", 0.8), (B, "cat", 0.9)])
        causes = result.causes()
        assert causes.ap == pytest.approx(0.25) and causes["classification"]["cost"] == pytest.approx(0.75)
        costs = {name: causes.of(name) for name in ("cat", "dog")}
        first = {name: table["cost"][0] for name, table in costs.items()}
        assert first == {"cat": pytest.approx(0.5), "dog": pytest.approx(1.0)}

    def test_best_claim(self):
        """Of two loose guesses of one truth the better one is put right, and the other goes."""
        causes = of(TWO, [(B, "dog", 0.8), ([0, 0, 100, 40], "cat", 0.6), ([0, 0, 100, 30], "cat", 0.7)]).causes()
        assert causes["localisation"]["count"] == 2 and causes["localisation"]["cost"] == pytest.approx(0.5)

    def test_class_of_which_all_are_missed(self):
        """Without its misses it has nothing left to find: as good as can be. tidecv counts 0, before and after."""
        result = of(TWO, [*FOUND[:1], ([600, 0, 700, 100], "dog", 0.5)])
        assert result.causes()["missed"]["cost"] == pytest.approx(0.5)
        assert result.causes(like="tidecv")["missed"]["cost"] == 0

    def test_perfect(self):
        causes = of(TWO, FOUND).causes()
        assert causes.ap == pytest.approx(1) and all(row["cost"] == 0 for row in causes.table)

    @pytest.mark.parametrize("options", [{}, {"protocol": "voc"}, {"protocol": "voc07"}, {"protocol": "lvis"}])
    @pytest.mark.parametrize("seed", range(3))
    def test_laws(self, seed, options):
        """AP is the score's own; costs are not negative, their mean over classes is the cost of all, and without every
        wrong guess and missed truth nothing is left to gain."""
        result = vesica.evaluate(*datasets(*job(np.random.default_rng(seed), Traits(truths=6))), **options)
        causes = result.causes()
        line = "AP50" if "protocol" not in options or options["protocol"] == "lvis" else "mAP"
        assert causes.ap == result[line]
        cost = {row["cause"]: row["cost"] for row in causes.table}
        assert all(value >= 0 for value in cost.values())
        for name in cost:
            rows = causes.per_class["cause"] == name
            assert np.nanmean(causes.per_class["cost"][rows]) == pytest.approx(cost[name], abs=1e-12)
        assert cost["wrong"] >= max(cost[name] for name in ("both", "duplicate", "background"))
        assert cost["not found"] >= cost["missed"]

    @given(seed=st.integers(0, 200))
    def test_counts(self, seed):
        """Wrong guesses by cause are the wrong guesses that `counts` has, class by class; missed ones too."""
        result = vesica.evaluate(*datasets(*tide.mixed(seed, images=3)))
        causes, counts = result.causes(), result.counts(iou=0.5)
        of_class = {name: causes.of(name) for name in result.categories}
        for place, name in enumerate(result.categories):
            rows = dict(zip(of_class[name]["cause"], of_class[name]["count"], strict=True))
            assert sum(rows[cause] for cause in list(CAUSES)[:5]) == rows["wrong"] == counts.fp[place]
            assert rows["not found"] == counts.fn[place] and rows["missed"] <= rows["not found"]


def equal(causes, want, *, but=()):
    assert causes.ap == pytest.approx(want["AP"], abs=1e-9)
    for row in causes.table:
        name = row["cause"]
        if name in but:
            continue
        assert row["cost"] == pytest.approx(want["cost"][name], abs=1e-9), name
        assert row["count"] == want["count"].get(name, row["count"]), name


class TestTidecv:
    """The tool that made these causes known. Where its definition is sound the numbers are the same."""

    @pytest.fixture(autouse=True)
    def _tool(self):
        pytest.importorskip("tidecv")

    @pytest.mark.parametrize("seed", range(6))
    @pytest.mark.parametrize("iou", [0.5, 0.75])
    def test_sound(self, seed, iou):
        """No crowds, each class has truths and a hit, no score twice, few guesses: ours are its numbers."""
        own = tide.mixed(seed)
        records = records_of(*datasets(*own), details=True)
        # COCO's recalls, i × 0.01, are not all i / 100.
        same = dataclasses.replace(records.protocol, recalls=tuple(i / 100 for i in range(101)))
        result = summarise(dataclasses.replace(records, protocol=same))
        want = tide.answer(*own, iou=iou)
        # Of a class that is missed whole ours differs, by intent.
        whole = bool((result.counts(iou=iou).tp == 0).any())
        equal(result.causes(iou=iou), want, but=("missed", "not found") if whole else ())
        equal(result.causes(iou=iou, like="tidecv"), want)

    @pytest.mark.parametrize("seed", range(6))
    def test_like(self, seed):
        """Crowds and more than 100 guesses an image: asked for, its numbers come out."""
        own = tide.mixed(seed, images=4, classes=3, crowds=0.3, guesses=[14, 130][seed % 2])
        equal(vesica.evaluate(*datasets(*own)).causes(like="tidecv"), tide.answer(*own))

    @pytest.mark.parametrize("seed", range(4))
    def test_ties(self, seed):
        """Equal scores, which it orders in another way in each repaired run (T8)."""
        truth, results = tide.mixed(seed)
        results = [{**row, "score": round(row["score"], 1)} for row in results]
        equal(vesica.evaluate(*datasets(truth, results)).causes(like="tidecv"), tide.answer(truth, results))

    @pytest.mark.parametrize("seed", range(6))
    def test_equal_overlaps(self, seed):
        """Truths that overlap a guess equally, and overlaps of just 0.5 and 0.1."""
        own = tide.mixed(seed, crowds=0.2, grid=[20.0, 40.0][seed % 2])
        result = vesica.evaluate(*datasets(*own))
        assert len(np.unique(result.details.overlap)) < len(result.details.overlap)
        equal(result.causes(like="tidecv"), tide.answer(*own))

    @pytest.mark.skipif(not REAL.exists(), reason="needs shared data")
    @pytest.mark.parametrize(
        "regions, results, ap", [("box", "bbox", 0.6969727247299577), ("mask", "segm", 0.5622883972521636)]
    )
    def test_real(self, regions, results, ap):
        """COCO's own 100 images: crowds, ties, classes without truths."""
        paths = [REAL / f"instances_val2014_{name}.json" for name in ("100", f"fake{results}100_results")]
        result, files = vesica.evaluate(*paths, regions=regions), (json.loads(path.read_text()) for path in paths)
        equal(result.causes(like="tidecv"), tide.answer(*files, masks=regions == "mask"))
        assert result.causes().ap == result["AP50"] == ap

    def test_ignored_guesses(self):
        """tidecv names a cause for guesses in a crowd, which do not count (T4). Ours does not."""
        own = next(one for one in (tide.mixed(seed, crowds=0.5) for seed in range(9)))
        result, want = vesica.evaluate(*datasets(*own)), tide.answer(*own)
        ours = result.causes()["wrong"]["count"]
        assert ours == int(result.counts(iou=0.5).fp.sum()) < sum(list(want["count"].values())[:5])

    def test_classes_without_truths(self):
        """tidecv takes a class that has guesses alone for one with an AP of 0 (T7). In COCO's mean it has no part."""
        truth, results = tide.mixed(1)
        truth["categories"].append({"id": 9, "name": "c9"})
        results += [{**results[0], "category_id": 9, "score": 0.123456}]
        result, want = vesica.evaluate(*datasets(truth, results)), tide.answer(truth, results)
        assert result.causes().ap == result["AP50"] and result.causes().ap > want["AP"] + 0.01
        equal(result.causes(like="tidecv"), want)


class TestSurface:
    def test_text(self):
        causes = of(TWO, [(A, "cat", 0.8), (B, "cat", 0.9)]).causes()
        assert str(causes).splitlines()[:3] == [
            "AP 0.250 at IoU 0.5, and what it would gain without each cause",
            "cause           count   cost  meaning",
            "classification      1  0.750  in the right place, with another class",
        ]
        assert repr(causes).startswith("Causes(AP 0.250 at IoU 0.5; classification 0.750, ")
        plain = json.loads(json.dumps(causes.to_dict()))
        assert [row["cause"] for row in plain["causes"]] == [*CAUSES, *TOTALS] and len(plain["classes"]) == 16

    def test_refusals(self):
        result = of(TWO, FOUND)
        with pytest.raises(ValueError, match='`like` must be one of "tidecv"; got .tide.'):
            result.causes(like="tide")
        with pytest.raises(ValueError, match="`background` must lie between 0.1"):
            result.causes(background=0.01)
        with pytest.raises(ValueError, match="`background` must not be above `iou`; got 0.6 and 0.5"):
            result.causes(background=0.6)
        with pytest.raises(ValueError, match='`cause` must be one of .*; got .miss.. Did you mean "missed"'):
            result.causes()["miss"]
        with pytest.raises(ValueError, match="`category` must be one of"):
            result.causes().of("cow")
