"""Comparisons: paired differences, how sure they are, and the words for them."""

import json

import numpy as np
import pytest

import vesica
from vesica.comparison import Comparison
from vesica.errors import InputError
from vesica.results.gates import Scores
from vesica.results.result import Result

IMAGES = 30


def maps(share, seed, images=IMAGES, size=8):
    """A truth that is always the same, and a guess that has so much of it."""
    truth = np.random.default_rng(9).integers(0, 4, (images, size, size))
    return truth, np.where(np.random.default_rng(seed).random(truth.shape) < share, truth, 0)


def segmented(share, seed=1, images=IMAGES, **options):
    return vesica.evaluate_segmentation(*maps(share, seed, images), images=range(images), categories=5, **options)


@pytest.fixture(scope="module")
def three():
    return [segmented(share, seed) for seed, share in enumerate((0.7, 0.72, 0.9))]


class Drawn(Result):
    """A result of given numbers and replicates."""

    notes = ()
    headline = "drawn"

    def __init__(self, summary, replicates, classes=None):
        self._summary, self._replicates, self._classes = summary, replicates, classes or {}

    @property
    def summary(self):
        return self._summary

    def to_dict(self):
        return {"summary": self.numbers}

    def gate_scores(self, resampling=None, /):
        from vesica.results.identity import Identity

        identity = Identity("drawn", {}, (), 10, "x", tuple(range(10)))
        return Scores(
            self.numbers, self._classes, str, identity=identity, replicates=lambda *one: self._replicates[one]
        )


class TestTable:
    def test_numbers(self, three):
        a, b, _ = three
        table = vesica.compare(a, b).table()
        assert table["number"].tolist() == list(a)
        assert table["base"].tolist() == list(a.values()) and table["value"].tolist() == list(b.values())
        assert table["difference"].tolist() == [b[name] - a[name] for name in a]
        assert (table["lo"] < table["difference"]).all() and (table["difference"] < table["hi"]).all()

    def test_mapping(self, three):
        a, b, c = three
        assert vesica.compare(a, b)["mIoU"] == b["mIoU"] - a["mIoU"]
        found = vesica.compare(a, b, c, names=["x", "y", "z"])
        assert found["mIoU of z"] == c["mIoU"] - a["mIoU"] and len(found) == 2 * len(a)

    def test_a_planted_difference_is_found(self, three):
        found = vesica.compare(three[0], three[2]).table()
        assert (found["lo"] > 0).all() and (found["p"] < 0.01).all()

    def test_pairing_narrows(self):
        """Where both find the same images hard, the difference is surer than either number."""
        rng = np.random.default_rng(0)
        truth = np.ones((IMAGES, 10, 10), int)
        hard = rng.random((IMAGES, 1, 1))
        noise = rng.random(truth.shape)
        ours, theirs = (np.where(noise < hard * share, 1, 0) for share in (0.9, 1.0))
        a, b = (
            vesica.evaluate_segmentation(truth, side, images=range(IMAGES), background=0) for side in (ours, theirs)
        )
        row = next(iter(vesica.compare(a, b).table()))
        alone = b.gates("mIoU>=0 @95%")[0].interval
        assert row["hi"] - row["lo"] < (alone[1] - alone[0]) / 3

    def test_swapped_models_swap_everything(self, three):
        one, other = (list(vesica.compare(*pair).table()) for pair in (three[:2], three[1::-1]))
        for here, there in zip(one, other, strict=True):
            assert here["difference"] == -there["difference"] and here["p"] == there["p"]
            assert here["lo"] == pytest.approx(-there["hi"]) and here["hi"] == pytest.approx(-there["lo"])

    def test_equal_models_differ_by_exactly_nothing(self, three):
        found = vesica.compare(three[0], segmented(0.7, 0), three[0])
        for table in (found.table(), found.classes()):
            assert not table["difference"].any() and not table["lo"].any() and not table["hi"].any()
            assert (table["p"] == 1).all()
        assert (found.classes()["q"] == 1).all() and len(found.changed()) == 0

    def test_seed_and_replicates(self, three):
        one, same, other = (vesica.compare(*three[:2], seed=seed, replicates=200).table() for seed in (1, 1, 2))
        assert one["lo"].tolist() == same["lo"].tolist() != other["lo"].tolist()

    def test_level(self, three):
        narrow, wide = (vesica.compare(*three[:2], level=level).table() for level in (0.5, 0.99))
        assert (narrow["lo"] > wide["lo"]).all() and (narrow["hi"] < wide["hi"]).all()

    def test_groups(self, three):
        """A patient with many images is one draw."""
        by = {image: image // 10 for image in range(IMAGES)}
        alone, grouped = vesica.compare(*three[:2]).table(), vesica.compare(*three[:2], by=by).table()
        assert alone["difference"].tolist() == grouped["difference"].tolist()
        assert alone["lo"].tolist() != grouped["lo"].tolist()


class TestPValues:
    def test_agree_with_the_interval(self):
        """p is below 5 % exactly where the interval of 95 % leaves 0 out, but for the rounding of a replicate."""
        rng = np.random.default_rng(1)
        shifts = rng.normal(0, 2, 200)
        names = [f"n{k}" for k in range(200)]
        numbers = dict(zip(names, shifts.tolist(), strict=True))
        spread = {(name, None): shift + rng.normal(0, 1, 2000) for name, shift in numbers.items()}
        base = Drawn(dict.fromkeys(names, 0.0), {(name, None): np.zeros(2000) for name in names})
        table = vesica.compare(base, Drawn(numbers, spread)).table()
        outside = (table["lo"] > 0) | (table["hi"] < 0)
        near = abs(table["p"] - 0.05) < 0.003
        assert ((table["p"] < 0.05) == outside)[~near].all() and 20 < outside.sum() < 180

    def test_equal_to_the_normal_test_where_replicates_are_normal(self, stats):
        quantiles = stats.norm.ppf((np.arange(4000) + 0.5) / 4000)
        shifts = {"a": 0.5, "b": 1.0, "c": -2.0}
        base = Drawn(dict.fromkeys(shifts, 0.0), {(name, None): np.zeros(4000) for name in shifts})
        other = Drawn(shifts, {(name, None): shift + quantiles for name, shift in shifts.items()})
        wanted = [2 * stats.norm.sf(abs(shift)) for shift in shifts.values()]
        assert vesica.compare(base, other).table()["p"] == pytest.approx(wanted, abs=2e-3)

    @staticmethod
    def null(count, images, replicates):
        """p-values of two models that are equally good."""
        found = []
        for seed in range(count):
            a, b = (segmented(0.8, 1000 + 2 * seed + k, images) for k in range(2))
            found.append(vesica.compare(a, b, replicates=replicates).table()["p"][0])
        return np.array(found)

    def test_uniform_without_a_difference(self, stats):
        assert stats.kstest(self.null(40, 25, 200), "uniform").pvalue > 0.01

    @pytest.mark.slow
    def test_uniform_without_a_difference_of_many(self, stats):
        found = self.null(400, 60, 200)
        assert stats.kstest(found, "uniform").pvalue > 0.01
        assert 0.02 < (found < 0.05).mean() < 0.08

    def test_many_categories_have_few_false_discoveries(self):
        """Of 200 categories that did not change p alone would name ten, and q as good as none."""
        rng = np.random.default_rng(5)
        names = [f"c{k}" for k in range(200)]
        shift = np.where(np.arange(200) < 20, 6.0, rng.normal(0, 1, 200))
        spread = {("AP", name): one + rng.normal(0, 1, 2000) for name, one in zip(names, shift, strict=True)}
        of_base = {("AP", name): np.zeros(2000) for name in names}
        rows = [{name: {"AP": value} for name, value in zip(names, side, strict=True)} for side in (0 * shift, shift)]
        found = vesica.compare(
            *(
                Drawn({"AP": 0.0}, {("AP", None): np.zeros(2000)} | drawn, classes)
                for drawn, classes in zip((of_base, spread), rows, strict=True)
            )
        )
        changed = {row["category"] for row in found.changed()}
        assert set(names[:20]) <= changed and len(changed) <= 23
        assert (found.classes()["p"] < 0.05).sum() > 25


class TestClasses:
    def test_rows(self, three):
        found = vesica.compare(three[0], three[2])
        table = found.classes()
        rows = {row["category"]: row for row in table}
        of_a, of_c = ({str(row["category"]): row for row in one.per_class()} for one in (three[0], three[2]))
        assert set(rows) == {"0", "1", "2", "3"}  # nobody has the last class
        for name, row in rows.items():
            assert row["base"] == of_a[name]["IoU"] and row["value"] == of_c[name]["IoU"]
        assert found.classes("Dice")["base"].tolist() != table["base"].tolist()
        assert table["q"].tolist() == sorted(table["q"].tolist())

    def test_a_number_that_they_do_not_have(self, three):
        with pytest.raises(ValueError, match="`number` must be one of"):
            vesica.compare(*three[:2]).classes("AP")

    def test_a_class_that_one_model_alone_lacks(self):
        truth = np.zeros((4, 2, 2), int)
        guess = truth.copy()
        guess[0] = 1
        a, b = (vesica.evaluate_segmentation(truth, side, images=range(4), categories=2) for side in (truth, guess))
        row = next(row for row in vesica.compare(a, b).classes() if row["category"] == "1")
        assert row["base"] is None and row["value"] == 0 and row["difference"] is None and row["p"] is None


class TestSame:
    @pytest.mark.parametrize(
        "other, words",
        [
            (lambda: segmented(0.7, images=29), "image 29 is here and not there"),
            (lambda: segmented(0.7, ignore=9), r"ignore is \[\] here and \[9\] there"),
            (
                lambda: vesica.evaluate_segmentation(*maps(0.7, 1), images=range(IMAGES), categories=4),
                "category 4 is here and not there",
            ),
            (
                lambda: vesica.evaluate_segmentation(*maps(0.7, 1)[::-1], images=range(IMAGES), categories=5),
                "truths here and",
            ),
        ],
    )
    def test_what_is_not_the_same_is_named(self, three, other, words):
        with pytest.raises(InputError, match=f"old and new cannot be compared: .*{words}"):
            vesica.compare(three[0], other(), names=["old", "new"])

    @pytest.mark.parametrize(
        "call, words",
        [
            (lambda a: vesica.compare(a), "needs two models or more; got 1"),
            (lambda a: vesica.compare(a, "b.json"), "takes a truth and guesses, or results alone; got results and str"),
            (lambda a: vesica.compare(a, a, regions="mask"), "`regions` is of scoring"),
            (lambda a: vesica.compare(a, a, names=["x"]), "`names` must have one for each model; got 1 for 2"),
            (lambda a: vesica.compare(a, a, names=["x", "x"]), "'x' is there twice"),
            (lambda a: vesica.compare(a, a, level=95), "Divide a percentage by 100"),
            (lambda a: vesica.compare(a, a, replicates=0), "replicates"),
            (lambda a: vesica.compare("truth.json", "a.json"), "needs two models or more; got 1"),
            (lambda a: vesica.compare(a, a).sizes(), "Sizes are of detection"),
            (lambda a: vesica.compare(a, Drawn({"mIoU": 1.0}, {})), "must be of one kind; a is SegmentationResult"),
        ],
    )
    def test_wrong_calls(self, three, call, words):
        with pytest.raises((ValueError, TypeError), match=words):
            call(three[0])


class TestGates:
    def test_since_the_first(self, three):
        found = vesica.compare(three[0], three[2]).gates("mIoU rise>=0.01 @95%", "mIoU>=0.5", "IoU[1] drop<=0")
        assert [one.word for one in found] == ["passed"] * 3 and found[0].interval[0] > 0.01

    def test_each_model_is_judged(self, three):
        found = vesica.compare(*three, names=["x", "y", "z"]).gates("mIoU rise>=0.1")
        assert [(one.gate, one.passed) for one in found] == [("y: mIoU rise>=0.1", False), ("z: mIoU rise>=0.1", True)]

    def test_another_base_is_no_base(self, three):
        with pytest.raises(ValueError, match=r"The base is the first of the models: leave 'base.json' out"):
            vesica.compare(*three[:2]).gates("mIoU drop<=0 vs base.json")


class TestWords:
    def test_text(self, three):
        told = str(vesica.compare(three[0], three[2], names=["old", "new"]))
        assert told.startswith("new against old: 30 images, 2,000 replicates, level 95 %\n\nnumber ")
        assert "IoU of 4 categories: 4 higher, 0 lower, q at most 0.05, the surest first\ncategory" in told
        assert told.count("▲") == len(three[0]) + 4

    def test_no_difference(self, three):
        told = vesica.compare(three[0], three[0]).markdown()
        assert "no difference at all" in told and "+" not in told.replace("--:", "")

    def test_markdown(self, three):
        told = vesica.compare(three[0], three[2], names=["a|b", "@c"]).markdown()
        assert told.startswith("### &#64;c against a&#124;b: 30 images")
        assert "- mIoU of &#64;c: 0." in told and ": higher\n" in told
        assert told.count("<details>") == told.count("</details>") == 1

    def test_json(self, three):
        facts = json.loads(vesica.compare(*three[:2]).to_json())
        assert facts["models"] == ["a", "b"] and facts["of"] == "segmentation" and facts["images"] == IMAGES
        assert [row["number"] for row in facts["numbers"]] == list(three[0])

    def test_repr(self, three):
        assert repr(vesica.compare(*three[:2])).startswith("Comparison(mIoU ")
        assert isinstance(vesica.compare(*three[:2]), Comparison)

    def test_names_of_files(self, tmp_path):
        from vesica.comparison.compare import named

        assert named(["runs/a/out.json", "runs/b/out.json"]) == ["a", "b"]
        assert named(["a.json", "a.json"]) == ["a", "b"] and named([1, 2, 3]) == ["a", "b", "c"]


class TestAgreement:
    @staticmethod
    def drawn(off, seed=0, images=12):
        """Two people who drew the same boxes, the second one some pixels off."""
        rng = np.random.default_rng(seed)
        corner = rng.integers(0, 60, (2 * images, 2)).astype(float)
        boxes = np.concatenate([corner, corner + 20], axis=1)
        where = {"image": np.repeat(np.arange(images), 2), "category": ["cat", "dog"] * images, "images": range(images)}
        sides = {
            who: vesica.Dataset.from_arrays(boxes + by, categories=["cat", "dog"], **where)
            for who, by in (("ann", 0.0), ("ben", off * rng.random((2 * images, 1))))
        }
        return vesica.evaluate_agreement(sides)

    def test_rounds(self):
        before, after = self.drawn(8.0), self.drawn(2.0)
        found = vesica.compare(before, after, replicates=500)
        row = next(iter(found.table()))
        assert (
            row["number"] == "agreement"
            and row["lo"] > 0
            and found["agreement"] == after["agreement"] - before["agreement"]
        )
        assert {row["category"] for row in found.classes()} == {"cat", "dog"}
        assert (found.classes()["lo"] > 0).all()
        same = vesica.compare(before, self.drawn(8.0))
        assert not same.table()["difference"].any() and (same.table()["p"] == 1).all()

    def test_is_that_of_since(self):
        """The same difference by another way."""
        before, after = self.drawn(8.0), self.drawn(2.0)
        row = next(iter(vesica.compare(before, after).table()))
        change = after.since(before)
        assert row["difference"] == pytest.approx(change["change"])
        assert (row["lo"], row["hi"]) == pytest.approx((change["lo"], change["hi"]))

    def test_groups(self):
        by = {image: image % 3 for image in range(12)}
        found = vesica.compare(self.drawn(8.0), self.drawn(2.0), by=by, replicates=100).table()
        assert (
            found["difference"][0] > 0
            and found["lo"][0] != vesica.compare(self.drawn(8.0), self.drawn(2.0)).table()["lo"][0]
        )
