"""Results of detection scores: counts, tables, curves and pairs that anybody can follow by hand."""

import json
import pickle

import numpy as np
import pytest

import pycoco
import vesica
from scenes import Traits, awkward, datasets, job
from vesica import Dataset
from vesica.dataset import Categories, Images
from vesica.detection import Counts, records_of, summarise
from vesica.detection.summary import lines_of
from vesica.errors import InputError

SQUARE = [0, 0, 10, 10]


def truths(boxes, **columns):
    return Dataset.from_arrays(boxes, **{"image": [1] * len(boxes), "category": ["cat"] * len(boxes), **columns})


def guesses(boxes, score, **columns):
    return truths(boxes, score=score, **columns)


class TestCounts:
    """A guess is right when its iou exceeds the threshold, and only the first one of a truth; all others are wrong."""

    @pytest.mark.parametrize(
        "boxes, strict, want",
        [
            pytest.param([SQUARE], True, (1, 0, 0), id="the same box"),
            pytest.param([[0, 0, 10, 5]], True, (0, 1, 1), id="half of it: not more than 0.5"),
            pytest.param([[0, 0, 10, 5]], False, (1, 0, 0), id="half of it: reaches 0.5"),
            pytest.param([[0, 0, 10, 5.001]], True, (1, 0, 0), id="a little more than half of it"),
            pytest.param([SQUARE, SQUARE, [0, 0, 9, 10]], True, (1, 2, 0), id="found three times"),
            pytest.param([[50, 50, 60, 60]], True, (0, 1, 1), id="elsewhere"),
        ],
    )
    def test_one_truth(self, boxes, strict, want):
        score = np.linspace(0.9, 0.5, len(boxes))
        counts = vesica.evaluate(truths([SQUARE]), guesses(boxes, score), iou=0.5, strict=strict).counts()
        assert tuple(int(column[0]) for column in counts) == want

    def test_of_classes(self):
        truth = truths([SQUARE, SQUARE, SQUARE], image=[1, 2, 2], category=["cat", "cat", "dog"])
        guess = guesses([SQUARE] * 4, [0.9, 0.8, 0.7, 0.6], image=[1, 1, 2, 2], category=["cat", "dog", "cat", "cow"])
        truth = Dataset.joined([truth, truths([], image=[], category=[])], categories=_table("cat", "dog", "cow"))
        result = vesica.evaluate(truth, guess)
        counts = result.counts(iou=0.5)
        by_name = {name: [int(column[k]) for column in counts] for k, name in enumerate(result.categories)}
        assert by_name == {"cat": [2, 0, 0], "dog": [0, 1, 1], "cow": [0, 1, 0]}
        order = [result.categories.index(name) for name in ("cat", "dog", "cow")]
        assert np.array_equal(counts.precision[order], [1, 0, 0], equal_nan=True)
        assert np.array_equal(counts.recall[order], [1, 0, np.nan], equal_nan=True)
        assert np.array_equal(counts.f1[order], [1, 0, 0], equal_nan=True)
        total = counts.total()
        assert (total.tp, total.fp, total.fn) == (2, 2, 1)
        assert (total.precision, total.recall, total.f1) == (0.5, 2 / 3, 4 / 7)

    def test_names(self):
        """Counts know whose they are, and still unpack as three columns."""
        truth = truths([SQUARE, SQUARE], image=[1, 2], category=["cat", "dog"])
        guess = guesses([SQUARE, [50, 50, 60, 60]], [0.9, 0.8], category=["cat", "cat"])
        counts = vesica.evaluate(truth, guess).counts()
        assert (
            counts.categories == ("cat", "dog")
            and repr(counts) == "Counts(cat: tp 1, fp 1, fn 0; dog: tp 0, fp 0, fn 1)"
        )
        tp, fp, fn = counts
        assert (tp.tolist(), fp.tolist(), fn.tolist()) == ([1, 0], [1, 0], [0, 1])
        assert counts.of("cat") == (1, 1, 0) and counts.of("dog").recall == 0 and np.isnan(counts.of("dog").precision)
        assert counts.rows() == [
            {"category": "cat", "tp": 1, "fp": 1, "fn": 0, "precision": 0.5, "recall": 1.0, "f1": 2 / 3},
            {"category": "dog", "tp": 0, "fp": 0, "fn": 1, "precision": None, "recall": 0.0, "f1": 0.0},
        ]
        assert repr(counts.total()) == "Counts(tp 1, fp 1, fn 1)" and counts.total().categories == ()
        with pytest.raises(ValueError, match="`category` must be one of 'cat', 'dog'; got 'cow'"):
            counts.of("cow")
        again = pickle.loads(pickle.dumps(counts))
        assert again.categories == counts.categories and again.tp.tolist() == [1, 0]

    def test_many_categories_are_one_line(self):
        counts = Counts(*np.zeros((3, 80), int), categories=range(80))
        assert repr(counts).endswith("4: tp 0, fp 0, fn 0; and 75 more)") and "\n" not in repr(counts)

    def test_min_score(self):
        """From that score on, itself included."""
        truth, guess = (
            truths([SQUARE, [20, 0, 30, 10]]),
            guesses([SQUARE, [20, 0, 30, 10], [50, 50, 60, 60]], [0.9, 0.5, 0.4]),
        )
        result = vesica.evaluate(truth, guess)
        for least, want in ((None, (2, 1, 0)), (0.4, (2, 1, 0)), (0.5, (2, 0, 0)), (0.6, (1, 0, 1)), (0.95, (0, 0, 2))):
            assert tuple(int(column[0]) for column in result.counts(min_score=least)) == want

    def test_areas(self):
        """Truths of other sizes are neither found nor missed, and guesses of other sizes not wrong."""
        truth = truths([SQUARE, [0, 0, 50, 50]])
        guess = guesses([SQUARE, [60, 60, 120, 120]], [0.9, 0.8])
        result = vesica.evaluate(truth, guess)
        for area, want in (("all", (1, 1, 1)), ("small", (1, 0, 0)), ("medium", (0, 1, 1)), ("large", (0, 0, 0))):
            assert tuple(int(column[0]) for column in result.counts(area=area)) == want

    @pytest.mark.parametrize("seed", range(20))
    def test_add_up(self, seed):
        """Of each category: what is found and what is missed are the truths, at any threshold and in any range."""
        job_ = awkward(seed)
        result = vesica.evaluate(*datasets(job_.truth, job_.results), quirks="pycocotools")
        for iou in (0.5, 0.75, 0.95):
            for place, area in enumerate(("all", "small", "medium", "large")):
                counts = result.counts(iou=iou, area=area)
                assert np.array_equal(counts.tp + counts.fn, result.records.positives[:, place])
                curves = [result.curve(int(one), iou=iou, area=area) for one in result.records.categories.ids]
                assert counts.tp.tolist() == [int(curve.right[-1]) if len(curve.right) else 0 for curve in curves]
                assert counts.fp.tolist() == [int(curve.wrong[-1]) if len(curve.wrong) else 0 for curve in curves]


def _table(*names):
    return Categories(np.array(names, object))


class TestPairs:
    @pytest.mark.parametrize("by_class", [True, False])
    def test_equals_pycocotools(self, by_class):
        """Which guess found which truth, and whether it counts, at every threshold and in every range."""
        seen = 0
        for seed in range(40):
            job_ = awkward(seed)
            if job_.traits.twice or job_.traits.zero_id or job_.traits.wild or job_.traits.ignores:
                continue
            result = vesica.evaluate(*datasets(job_.truth, job_.results), by_class=by_class)
            theirs = _found(job_, by_class)
            ids = [row["id"] for row in job_.truth["annotations"]]
            for iou in (0.5, 0.75, 0.95):
                for area in ("all", "small", "medium", "large"):
                    pairs = result.pairs(iou=iou, area=area)
                    ours = {
                        (guess + 1, ids[truth], bool(counts))
                        for guess, truth, counts in zip(*(column.tolist() for column in pairs), strict=True)
                    }
                    assert ours == theirs[round(iou, 2), area], (seed, iou, area)
                    seen += len(ours)
        assert seen > 1000

    def test_of_records_alone(self):
        result = summarise(records_of(truths([SQUARE]), guesses([SQUARE], [0.5])))
        with pytest.raises(ValueError, match="comes from records, which know no pairs"):
            result.pairs()

    def test_empty(self):
        pairs = vesica.evaluate(truths([SQUARE]), guesses([[50, 50, 60, 60]], [0.5])).pairs()
        assert [len(column) for column in pairs] == [0, 0, 0]


def _found(job_, by_class):
    """(guess id, truth id, does it count) of each threshold and range."""
    evaluator = pycoco.answer(job_.truth, job_.results, by_class=by_class).evaluator
    params = evaluator.params
    names = {tuple(ends): name for ends, name in zip(params.areaRng, params.areaRngLbl, strict=True)}
    found = {(round(float(t), 2), name): set() for t in params.iouThrs for name in names.values()}
    for cell in filter(None, evaluator.evalImgs):
        for t, threshold in enumerate(params.iouThrs):
            for d, guess in enumerate(cell["dtIds"]):
                if cell["dtMatches"][t, d]:
                    row = (guess, int(cell["dtMatches"][t, d]), not cell["dtIgnore"][t, d])
                    found[round(float(threshold), 2), names[tuple(cell["aRng"])]].add(row)
    return found


class TestTables:
    def result(self, seed=1):
        job_ = awkward(seed)
        return vesica.evaluate(*datasets(job_.truth, job_.results))

    def test_per_class(self):
        """Each number is the mean of the array where it is not −1."""
        for seed in (1, 2, 8, 11):
            result = self.result(seed)
            rows = result.per_class()
            assert [row["category"] for row in rows] == result.categories
            for k, row in enumerate(rows):
                for name, values in (
                    ("AP", result.precision[:, :, k, 0, 2]),
                    ("AP50", result.precision[0, :, k, 0, 2]),
                    ("AP75", result.precision[5, :, k, 0, 2]),
                    ("APs", result.precision[:, :, k, 1, 2]),
                    ("APl", result.precision[:, :, k, 3, 2]),
                    ("AR1", result.recall[:, k, 0, 0]),
                    ("AR100", result.recall[:, k, 0, 2]),
                    ("ARm", result.recall[:, k, 2, 2]),
                ):
                    assert row[name] == (None if (values == -1).all() else float(np.mean(values)))
                assert row["truths"] == result.records.positives[k, 0]
            assert sum(row["guesses"] for row in rows) == len(result.records)

    def test_mean_of_classes(self):
        result = self.result()
        values = [row["AP50"] for row in result.per_class() if row["AP50"] is not None]
        assert result["AP50"] == pytest.approx(np.mean(values), abs=1e-15)

    def test_json(self):
        result = self.result()
        made = json.loads(result.to_json())
        assert made == json.loads(json.dumps(result.to_dict()))
        assert made["summary"] == {name: None if value != value else value for name, value in result.summary.items()}
        assert made["conventions"]["iou"][8] == 0.8999999999999999
        assert made["conventions"]["areas"]["medium"] == [1024, 9216]
        assert (made["protocol"], made["regions"]) == ("coco", "box")
        assert made["guesses"] == len(result.records) and made["images"] == len(result.records.images)
        assert self.result().to_json() == result.to_json()

    def test_nothing_is_not_a_number(self):
        """No NaN, no −1: nothing is null."""
        result = vesica.evaluate(
            truths([], image=[], categories=["cat"], category=[]), guesses([], [], image=[], category=[])
        )
        made = json.loads(result.to_json(), parse_constant=lambda name: pytest.fail(name))
        assert set(made["summary"].values()) == {None}
        assert made["classes"][0]["AP"] is None

    def test_by_name(self):
        result = self.result()
        assert result["AP"] == result.summary["AP"] == result.stats[0]
        with pytest.raises(ValueError, match="`name` must be"):
            result["mAP"]

    def test_is_a_mapping(self):
        result = self.result()
        assert dict(result) == result.summary and list(result) == list(result.summary) and len(result) == 12
        assert "AP" in result and "mAP" not in result and result.get("mAP") is None
        assert result.flat() == {name: value for name, value in dict(result).items() if value == value}
        assert result.flat(prefix="val/") == {f"val/{name}": value for name, value in result.flat().items()}
        assert {type(value) for value in result.flat().values()} == {float}

    def test_text(self):
        result = self.result()
        assert f"AP     {result['AP']:.3f}" in str(result)
        assert repr(result).startswith(f"DetectionResult(AP {result['AP']:.3f}, coco, boxes: ")
        assert "<th>AP50</th>" in result._repr_html_()

    def test_arrays_agree_with_the_summary(self):
        """Whichever is asked for first."""
        a, b = self.result(), self.result()
        assert not (a.recall != (b.precision, b.recall)[1]).sum()
        assert a.stats.tolist() == b.stats.tolist()


class TestNotes:
    def notes(self, truth, guess, **options):
        return {note.rule: note.count for note in vesica.evaluate(truth, guess, **options).notes}

    def test_nothing_to_say(self):
        assert self.notes(truths([SQUARE], area=[100.0]), guesses([SQUARE], [0.5])) == {}

    def test_id_zero(self):
        truth = truths([SQUARE, SQUARE], id=[0, 1], area=[100.0, 100.0])
        assert self.notes(truth, guesses([SQUARE], [0.5])) == {"Q1": 1}
        assert vesica.evaluate(truth, guesses([SQUARE] * 2, [0.5, 0.4])).counts().tp[0] == 2
        quirks = vesica.evaluate(truth, guesses([SQUARE] * 2, [0.5, 0.4]), quirks="pycocotools")
        assert quirks.counts().tp[0] == 1

    def test_explicit_ignore(self):
        truth = truths([SQUARE, [20, 0, 30, 10]], ignore=[True, False], area=[100.0, 100.0])
        assert self.notes(truth, guesses([SQUARE], [0.5])) == {"Q4": 1}
        assert vesica.evaluate(truth, guesses([SQUARE], [0.5])).counts().total() == (0, 0, 1)

    def test_unknown_category(self):
        guess = guesses([SQUARE] * 3, [0.5, 0.4, 0.3], category=["cat", "cow", "cow"])
        assert self.notes(truths([SQUARE], area=[100.0]), guess) == {"Q13": 2}

    def test_no_area(self):
        assert self.notes(truths([SQUARE, SQUARE]), guesses([SQUARE], [0.5])) == {"Q19": 2}

    def test_category_without_truths(self):
        truth = truths([SQUARE], categories=["cat", "cow", "dog"], area=[100.0])
        guess = guesses([SQUARE] * 3, [0.5, 0.4, 0.3], category=["cat", "cow", "cow"])
        result = vesica.evaluate(truth, guess)
        assert [(note.rule, note.count) for note in result.notes] == [("Q22", 2)]
        assert "2 guesses of" in str(result)

    def test_they_are_written(self):
        result = vesica.evaluate(truths([SQUARE]), guesses([SQUARE], [0.5]))
        assert json.loads(result.to_json())["notes"][0]["rule"] == "Q19"
        assert f"note: 1 {result.notes[0].text}" in str(result)


class TestIds:
    def test_strings(self):
        """Names instead of numbers, of images and of categories: the same scores."""
        rng = np.random.default_rng(0)
        truth, results = job(rng, Traits(images=9, categories=5))
        numbers = datasets(truth, results)
        named = [_renamed(one, lambda ids: np.array([f"name {i:03}" for i in ids], object)) for one in numbers]
        a, b = vesica.evaluate(*numbers), vesica.evaluate(*named)
        for array in ("precision", "recall", "scores", "stats"):
            assert not (getattr(a, array) != getattr(b, array)).sum()

    def test_large(self):
        """Beyond 2^53 neighbours are no longer different floats."""
        base = 2**53
        ids = {"image": [base, base + 1], "category": [base + 5, base + 5]}
        truth = truths([SQUARE, [50, 0, 60, 10]], **ids, id=[base + 1, base + 2])
        guess = guesses([SQUARE, [50, 0, 60, 10]], [0.9, 0.8], **ids)
        result = vesica.evaluate(truth, guess)
        assert result["AP"] > 0.99 and len(result.records.images) == 2
        assert result.pairs().truth.tolist() == [0, 1]

    def test_numbers_are_no_strings(self):
        """They may mean the same, and then it is said."""
        result = vesica.evaluate(truths([SQUARE], image=[7]), guesses([SQUARE], [0.5], image=["7"]))
        assert result["AP"] > 0.99 and result.notes[0].text == "images were joined by id as text, not by id"
        with pytest.raises(InputError, match="that the truth does not have: '8'. The truth has 7."):
            vesica.evaluate(truths([SQUARE], image=[7]), guesses([SQUARE], [0.5], image=["8"]))


def _renamed(data, rename):
    images = Images(rename(data.images.ids), data.images.height, data.images.width)
    columns = {name: getattr(data, name) for name in ("image", "category", "xywh", "score", "area", "crowd", "id")}
    return Dataset(images, Categories(rename(data.categories.ids)), **columns)


class TestAreas:
    def test_names(self):
        """The first letter where it is enough, otherwise the whole name."""
        areas = {"all": (0, 1e10), "tiny": (0, 200), "tall": (200, 400), "big": (400, 1e10)}
        result = vesica.evaluate(truths([SQUARE]), guesses([SQUARE], [0.5]), areas=areas)
        assert list(result.summary) == [
            *("AP", "AP50", "AP75", "APtiny", "APtall", "APb"),
            *("AR1", "AR10", "AR100", "ARtiny", "ARtall", "ARb"),
        ]
        assert result["ARtiny"] == 1 and np.isnan([result["ARtall"], result["ARb"]]).all()

    @pytest.mark.parametrize("protocol", ["coco", "lvis", "voc"])
    def test_ap_is_of_all_areas_wherever_they_stand(self, protocol):
        job_ = awkward(8)
        both = datasets(job_.truth, job_.results)
        ranges = {"small": (0, 32**2), "everything": (0, 1e10), "large": (96**2, 1e10)}
        usual = vesica.evaluate(*both, protocol=protocol)
        other = vesica.evaluate(*both, protocol=protocol, areas=ranges)
        name = "mAP" if protocol == "voc" else "AP"
        assert other[name] == usual[name] and next(iter(other)) == name
        assert other.headline == usual.headline
        assert [row["truths"] for row in other.per_class()] == [row["truths"] for row in usual.per_class()]
        assert other.counts().tp.tolist() == usual.counts().tp.tolist()
        if protocol == "voc":
            assert list(other) == ["mAP", "mAPs", "mAPl"]
            alone = vesica.evaluate(*both, protocol=protocol, areas={"small": (0, 32**2)})
            assert list(alone) == ["mAPs"] and alone["mAPs"] == other["mAPs"] != other["mAP"]
            assert [row["APs"] for row in alone.per_class()] == [row["APs"] for row in other.per_class()]

    def test_no_range_covers_all(self):
        """Every name tells its range: there is no AP that could be read as that of all."""
        truth, guess = truths([SQUARE, [0, 0, 50, 50]]), guesses([SQUARE], [0.5])
        result = vesica.evaluate(truth, guess, areas={"tiny": (0, 200)})
        assert list(result) == ["APt", "AP50t", "AP75t", "AR1t", "AR10t", "AR100t"]
        assert result["AP50t"] == pytest.approx(1) and vesica.evaluate(truth, guess)["AP50"] < 0.6
        assert "AP" not in result and result.get("AP") is None and repr(result).startswith("DetectionResult(APt 1.000")
        with pytest.raises(ValueError, match='`area` must be said, .* covers all: area="tiny"'):
            result.counts()
        assert result.counts(area="tiny").total() == (1, 0, 0)
        two = vesica.evaluate(truth, guess, areas={"tiny": (0, 200), "big": (200, 1e10)})
        assert list(two) == ["APt", "AP50t", "AP75t", "APb", "AR1t", "AR10t", "AR100t", "ARb"]

    def test_a_range_that_is_called_all(self):
        """Whoever says that the areas of 640² images are all is believed; ends that cover all come first."""
        truth, guess = truths([SQUARE, [0, 0, 50, 50]]), guesses([SQUARE], [0.5])
        assert "AP" in vesica.evaluate(truth, guess, areas={"all": (0, 640**2)})
        two = vesica.evaluate(truth, guess, areas={"all": (0, 200), "any": (0, float("inf"))})
        assert two["AP"] == vesica.evaluate(truth, guess)["AP"] and "APa" in two

    @pytest.mark.parametrize("protocol, names", [("coco", ["50", "100", "5x"]), ("lvis", ["r", "rx"])])
    def test_names_never_meet(self, protocol, names):
        areas = {"all": (0, 1e10)} | dict.fromkeys(names, (0, 200))
        result = vesica.evaluate(truths([SQUARE]), guesses([SQUARE], [0.5]), areas=areas, protocol=protocol)
        lines = [line.name for line in lines_of(result.protocol)]
        assert len(set(lines)) == len(lines) == len(result)

    def test_both_ends_belong(self):
        truth, guess = truths([SQUARE], area=[100.0]), guesses([SQUARE], [0.5])
        for ends, found in (((0, 100), 1), ((100, 200), 1), ((100, 100), 1), ((0, 99.9), 0), ((100.1, 200), 0)):
            assert vesica.evaluate(truth, guess, areas={"all": ends}).counts().tp[0] == found


class TestEmpty:
    def test_no_guesses(self):
        result = vesica.evaluate(truths([SQUARE]), guesses([], [], image=[], category=[]))
        assert result["AP"] == 0 and result["AR100"] == 0 and np.isnan(result["APl"]) and result.stats[5] == -1
        assert result.counts().total() == (0, 0, 1)
        assert result.curve("cat").best_f1 is None

    def test_no_truths(self):
        truth = truths([], image=[], category=[], images=[1], categories=["cat"])
        result = vesica.evaluate(truth, guesses([SQUARE], [0.5]))
        assert (result.stats == -1).all() and np.isnan(list(result.values())).all() and result.flat() == {}
        assert repr(result).startswith("DetectionResult(AP -, coco")
        assert result.counts().total() == (0, 1, 0)
        assert np.isnan(result.curve("cat").average_precision)

    def test_neither(self):
        empty = truths([], image=[], category=[])
        result = vesica.evaluate(empty, guesses([], [], image=[], category=[]))
        assert (result.stats == -1).all() and result.categories == [] and result.per_class() == []


class TestMetamorphic:
    @pytest.mark.parametrize("seed", range(12))
    def test_scores_by_another_scale(self, seed):
        """Only their order matters."""
        job_ = awkward(seed)
        truth, guess = datasets(job_.truth, job_.results)
        if not job_.is_sound:
            return
        scaled = _with(guess, score=np.exp(3 * guess.score) - 7)
        a, b = vesica.evaluate(truth, guess), vesica.evaluate(truth, scaled)
        assert a.stats.tolist() == b.stats.tolist() and not (a.precision != b.precision).sum()

    @pytest.mark.parametrize("seed", range(12))
    def test_one_more_wrong_guess(self, seed):
        """The worst of all, and far away: nothing rises, and no recall changes."""
        job_ = awkward(seed)
        far = {"bbox": [1000.0, 1000.0, 40.0, 40.0], "score": -9.0}
        more = [{**row, **far} for row in job_.results[:3]]
        a, b = (
            vesica.evaluate(*datasets(job_.truth, rows), quirks="pycocotools", max_dets=[1, 10, 10**6])
            for rows in (job_.results, job_.results + more)
        )
        assert (b.precision <= a.precision).all() and not (a.recall != b.recall).sum()

    @pytest.mark.parametrize("seed", range(12))
    def test_order_of_images(self, seed):
        """Without equal scores it does not matter which image is which."""
        rng = np.random.default_rng(seed)
        truth, results = job(rng, Traits(images=7))
        for row, score in zip(results, rng.permutation(len(results)).tolist(), strict=True):
            row["score"] = score / len(results)
        known, guess = datasets(truth, results)
        order = rng.permutation(len(known.images))
        other = [_with(one, images=Images(one.images.ids[order])) for one in (known, guess)]
        a, b = vesica.evaluate(known, guess), vesica.evaluate(*other)
        for array in ("precision", "recall", "scores", "stats"):
            assert not (getattr(a, array) != getattr(b, array)).sum()


def _with(data, **changes):
    names = ("images", "categories", "image", "category", "xywh", "score", "area", "crowd", "ignore", "id")
    return Dataset(**{**{name: getattr(data, name) for name in names}, **changes})


class TestErrors:
    """Each names what is wrong, and where."""

    def test_unknown_image(self):
        with pytest.raises(InputError, match="2 guesses are of images that the truth does not have: 5, 6"):
            vesica.evaluate(truths([SQUARE]), guesses([SQUARE] * 3, [0.5] * 3, image=[1, 5, 6]))

    def test_no_category_meets(self):
        with pytest.raises(InputError, match="No category of the guesses is one of the truth's: 'cow' against 'cat'"):
            vesica.evaluate(truths([SQUARE]), guesses([SQUARE], [0.5], category=["cow"]))

    def test_no_scores(self):
        with pytest.raises(InputError, match="must have scores; these have none. Are truth and guess swapped"):
            vesica.evaluate(guesses([SQUARE], [0.5]), truths([SQUARE]))

    def test_ids_twice(self):
        with pytest.raises(InputError, match="truth rows 0 and 2 both have 7"):
            vesica.evaluate(truths([SQUARE] * 3, id=[7, 8, 7]), guesses([SQUARE], [0.5]))
        with pytest.raises(InputError, match="truth rows 1 and 2 both have 'b'"):
            vesica.evaluate(truths([SQUARE] * 3, id=["a", "b", "b"]), guesses([SQUARE], [0.5]))

    @pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
    def test_values(self, value):
        good, bad = [[0.0, 0, 10, 10]] * 2, [[0.0, 0, 10, 10], [0, 0, 10, value]]
        for truth, guess, named in (
            (bad, good, "truth row 1 .image 1.: `bbox` must be finite"),
            (good, bad, "guess row 1 .image 1.: `bbox` must be finite"),
        ):
            with pytest.raises(InputError, match=named):
                vesica.evaluate(_raw(truth), _raw(guess, score=np.array([0.5, 0.4])))
        with pytest.raises(InputError, match="guess row 1 .image 1.: `score` must be finite"):
            vesica.evaluate(_raw(good), _raw(good, score=np.array([0.5, value])))

    def test_negative_sides(self):
        with pytest.raises(InputError, match="truth row 0 .image 1.: width and height must not be negative"):
            vesica.evaluate(_raw([[40.0, 40, -10, 5]]), _raw([[0.0, 0, 4, 4]], score=np.array([0.5])))

    def test_no_boxes(self):
        nothing = Dataset(Images(np.array([1])), Categories(np.array([1])), np.zeros(1, int), np.zeros(1, int))
        scored = _with(nothing, score=np.array([0.5]))
        good = _raw([[0.0, 0, 4, 4]])
        for regions in ("box", "mask"):
            with pytest.raises(InputError, match="The truth has neither masks nor boxes"):
                vesica.evaluate(nothing, _with(good, score=np.array([0.5])), regions=regions)
            with pytest.raises(InputError, match="The guess has neither masks nor boxes"):
                vesica.evaluate(good, scored, regions=regions)

    def test_questions(self):
        result = vesica.evaluate(truths([SQUARE]), guesses([SQUARE], [0.5]))
        with pytest.raises(
            ValueError, match="`category` must be an id or a name of the truth; got 'cow'. There are cat"
        ):
            result.curve("cow")
        with pytest.raises(ValueError, match="`iou` must be one of the thresholds that were scored, 0.5, .*; got 0.42"):
            result.counts(iou=0.42)
        with pytest.raises(ValueError, match="`area` must be"):
            result.counts(area="huge")


def _raw(xywh, **columns):
    """A data set that nobody checked."""
    count = len(xywh)
    place = np.zeros(count, np.int64)
    return Dataset(Images(np.array([1])), Categories(np.array([1])), place, place, np.array(xywh), **columns)
