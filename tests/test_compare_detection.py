"""Comparisons of detectors: objects fixed and broken, slices, sizes, shards, and the verb."""

import json
from pathlib import Path

import numpy as np
import pytest

import vesica
from vesica.cli import main
from vesica.comparison.saved import is_saved, saved_result
from vesica.errors import InputError

KINDS = ["cat", "dog", "cow"]
IMAGES = 40
DATA = Path(__file__).with_name("data") / "outputs"


def world(images=IMAGES, seed=0, objects=3):
    """Boxes of all sizes, their images and their classes."""
    rng = np.random.default_rng(seed)
    count = images * objects
    corner, size = rng.integers(0, 200, (count, 2)), rng.integers(8, 120, (count, 2))
    boxes = np.concatenate([corner, corner + size], axis=1).astype(float)
    return boxes, np.repeat(np.arange(images), objects), rng.integers(0, len(KINDS), count)


def data(boxes, image, category, images=IMAGES, score=None):
    kinds = np.array(KINDS)[category]
    return vesica.Dataset.from_arrays(
        boxes, image=image, category=kinds, images=range(images), categories=KINDS, score=score
    )


def model(found, seed, sigma=0.08, miss=0.1, images=IMAGES):
    """Guesses that are off, some truths that are missed, and false alarms."""
    boxes, image, category = found
    rng = np.random.default_rng(seed)
    side = (boxes[:, 2:] - boxes[:, :2]).mean(axis=1, keepdims=True)
    near = boxes + rng.normal(0, sigma, boxes.shape) * side
    near[:, 2:] = np.maximum(near[:, 2:], near[:, :2] + 1)
    kept, alarms = rng.random(len(boxes)) > miss, rng.random(len(boxes)) < 0.3
    rows = [np.flatnonzero(kept), np.flatnonzero(alarms)]
    far = boxes[rows[1]] + 300
    score = np.concatenate([rng.beta(5, 2, len(rows[0])), rng.beta(2, 4, len(rows[1]))])
    every = np.concatenate(rows)
    return data(np.concatenate([near[rows[0]], far]), image[every], category[every], images, score)


WORLD = world()
TRUTH = data(*WORLD)
LOOSE, TIGHT = model(WORLD, 1, sigma=0.15), model(WORLD, 2, sigma=0.05)


class TestNumbers:
    def test_are_those_of_evaluate(self):
        found = vesica.compare(TRUTH, LOOSE, TIGHT, replicates=200)
        a, b = vesica.evaluate(TRUTH, LOOSE), vesica.evaluate(TRUTH, TIGHT)
        table = found.table()
        assert table["base"].tolist() == list(a.values()) and table["value"].tolist() == list(b.values())
        assert found["AP"] == b["AP"] - a["AP"] > 0 and table["lo"][0] > 0

    def test_equal_models_differ_by_exactly_nothing(self):
        found = vesica.compare(TRUTH, {"old": LOOSE, "new": LOOSE}, replicates=100)
        assert found.names == ("old", "new")
        for table in (found.table(), found.classes(), found.sizes()):
            assert not table["difference"].any() and not table["lo"].any() and not table["hi"].any()
            assert (table["p"] == 1).all()
        assert len(found.objects()) == 0

    @pytest.mark.parametrize("options", [{"protocol": "voc"}, {"iou": 0.5, "by_class": False}, {"protocol": "lvis"}])
    def test_of_other_protocols(self, options):
        found = vesica.compare(TRUTH, LOOSE, TIGHT, replicates=20, **options)
        first = next(iter(found.table()))
        assert first["difference"] > 0 and first["lo"] is not None

    def test_sizes(self):
        table = vesica.compare(TRUTH, LOOSE, TIGHT, replicates=20).sizes()
        assert table["number"].tolist() == ["APs", "APm", "APl", "ARs", "ARm", "ARl"]
        assert table["area"].tolist() == ["small", "medium", "large"] * 2

    def test_options_are_those_of_evaluate(self):
        with pytest.raises(TypeError, match="has no option `regoins`"):
            vesica.compare(TRUTH, LOOSE, TIGHT, regoins="box")


class TestPValues:
    @staticmethod
    def null(count, images, replicates):
        """p-values of AP of two models that are equally good."""
        found = []
        for seed in range(count):
            own = world(images, seed)
            a, b = (model(own, 2 * seed + k + 7, images=images) for k in range(2))
            table = vesica.compare(data(*own, images), a, b, replicates=replicates).table()
            found.append(table["p"][0])
        return np.array(found)

    def test_uniform_without_a_difference(self, stats):
        assert stats.kstest(self.null(30, 25, 100), "uniform").pvalue > 0.01

    @pytest.mark.slow
    def test_uniform_without_a_difference_of_many(self, stats):
        found = self.null(300, 60, 200)
        assert stats.kstest(found, "uniform").pvalue > 0.01
        assert 0.015 < (found < 0.05).mean() < 0.085


class TestSlices:
    LIGHT = {image: "day" if image % 2 else "night" for image in range(IMAGES)}

    def test_are_comparisons_of_their_images(self):
        found = vesica.compare(TRUTH, LOOSE, TIGHT, slices={"light": self.LIGHT}, replicates=100)
        table = found.slices("AP50")
        assert table["column"].tolist() == ["light"] * 2 and table["slice"].tolist() == ["day", "night"]
        assert table["images"].tolist() == [20, 20]
        of_day = [one.slices["light"]["day"] for one in found.results]
        alone = vesica.compare(*of_day, replicates=100).table()
        row = next(row for row in alone if row["number"] == "AP50")
        assert [table[name][0] for name in ("base", "value", "lo", "hi", "p")] == [
            row[name] for name in ("base", "value", "lo", "hi", "p")
        ]

    def test_without_any(self):
        with pytest.raises(ValueError, match="There are no slices"):
            vesica.compare(TRUTH, LOOSE, TIGHT).slices()

    def test_of_three_models(self):
        found = vesica.compare(TRUTH, LOOSE, TIGHT, LOOSE, slices=self.LIGHT, replicates=20)
        table = found.slices()
        assert table["model"].tolist() == ["b", "b", "c", "c"] and table["difference"][2:].tolist() == [0, 0]


class TestObjects:
    def test_by_hand(self):
        """Four truths: both find the first, a alone the second, b alone the third, nobody the last."""
        boxes = np.array([[0, 0, 10, 10], [20, 0, 30, 10], [40, 0, 50, 10], [60, 0, 70, 10.0]])
        where = {"image": [1, 1, 2, 2], "category": ["cat", "dog", "cat", "dog"]}
        truth = vesica.Dataset.from_arrays(boxes, **where)
        a = vesica.Dataset.from_arrays(boxes[:2], image=[1, 1], category=["cat", "dog"], score=[0.9, 0.8])
        # b calls the second a cat, and finds the third.
        b = vesica.Dataset.from_arrays(
            boxes[:3], image=[1, 1, 2], category=["cat", "cat", "cat"], score=[0.9, 0.8, 0.7]
        )
        found = vesica.compare(truth, a, b, categories="name", replicates=20)
        rows = list(found.objects(min_score=None))
        assert [(row["change"], row["image"], row["category"], row["cause"], row["score"]) for row in rows] == [
            ("fixed", 2, "cat", "missed", 0.7),
            ("broken", 1, "dog", "classification", 0.8),
        ]
        assert [rows[0][name] for name in ("x1", "y1", "x2", "y2")] == boxes[2].tolist()
        causes = {row["cause"]: row for row in found.causes()}
        assert causes["classification"]["count_base"] == 0 and causes["classification"]["count_value"] == 1

    @pytest.mark.parametrize("min_score", [None, 0.5, "best_f1"])
    def test_are_those_of_the_pairs(self, min_score):
        """By another way: rows of truths that each model's pairs have."""
        found = vesica.compare(TRUTH, LOOSE, TIGHT, replicates=2)
        sides = []
        for result, guess in zip(found.results, (LOOSE, TIGHT), strict=True):
            cut = result.curve().best_f1.score if min_score == "best_f1" else min_score
            pairs = result.pairs(iou=0.5)
            kept = pairs.counts & (guess.score[pairs.guess] >= (-1 if cut is None else cut))
            sides.append(set(pairs.truth[kept].tolist()))
        changes = found.objects(iou=0.5, min_score=min_score)["change"].tolist()
        assert changes.count("fixed") == len(sides[1] - sides[0]) > 0
        assert changes.count("broken") == len(sides[0] - sides[1])

    def test_swapped_models_swap_them(self):
        one = vesica.compare(TRUTH, LOOSE, TIGHT, replicates=2).objects(min_score=None)
        other = vesica.compare(TRUTH, TIGHT, LOOSE, replicates=2).objects(min_score=None)
        keys = ("image", "truth", "cause", "score")
        fixed = {tuple(row[key] for key in keys) for row in one if row["change"] == "fixed"}
        assert fixed == {tuple(row[key] for key in keys) for row in other if row["change"] == "broken"} != set()

    def test_wrong_calls(self):
        found = vesica.compare(TRUTH, LOOSE, TIGHT, replicates=2)
        for call, words in (
            (lambda: found.objects("c"), "`model` must be one of"),
            (lambda: found.objects("a"), "`model` must be one of"),
            (lambda: found.objects(min_score="best"), "`min_score` must be one of"),
        ):
            with pytest.raises(ValueError, match=words):
                call()

    def test_records_need_their_details(self):
        bare = [vesica.detection.summarise(vesica.evaluate(TRUTH, one).records) for one in (LOOSE, TIGHT)]
        found = vesica.compare(*bare, replicates=5)
        assert not found.has_objects and "fixed" not in str(found)
        with pytest.raises(InputError, match="details"):
            found.objects()
        full = [vesica.detection.summarise(vesica.evaluate(TRUTH, one, details=True).records) for one in (LOOSE, TIGHT)]
        other = vesica.compare(TRUTH, LOOSE, TIGHT, replicates=5)
        assert vesica.compare(*full, replicates=5).to_json() == other.to_json()


class TestShards:
    def test_merged_records_compare_as_one_run(self):
        """Four shards, merged in another order, give the bytes of one run."""
        merged = []
        for guess in (LOOSE, TIGHT):
            parts = []
            for shard in range(4):
                images = [image for image in range(IMAGES) if image % 4 == shard]
                sides = []
                for side in (TRUTH, guess):
                    rows = np.isin(side.images.ids[side.image], images)
                    own = side.rows(rows)
                    sides.append(
                        vesica.Dataset.from_arrays(
                            own.boxes.xyxy,
                            image=side.images.ids[own.image],
                            category=np.array(KINDS)[own.category],
                            images=images,
                            categories=KINDS,
                            score=own.score,
                        )
                    )
                parts.append(vesica.detection.records_of(*sides))
            merged.append(vesica.detection.summarise(vesica.detection.merge(*parts[::-1])))
        whole = [vesica.detection.summarise(vesica.evaluate(TRUTH, one).records) for one in (LOOSE, TIGHT)]
        one, other = (vesica.compare(*pair, replicates=50).to_json() for pair in (merged, whole))
        assert one == other

    def test_threads_change_nothing(self):
        one, other = (vesica.compare(TRUTH, LOOSE, TIGHT, replicates=50, threads=n).to_json() for n in (1, 3))
        assert one == other


def run(capsys, *words):
    try:
        code = main(list(words))
    except SystemExit as leaving:
        code = leaving.code
    out, err = capsys.readouterr()
    return code, out, err


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    vesica.write("truth.npz", TRUTH)
    vesica.write("old.npz", LOOSE)
    vesica.write("new.npz", TIGHT)
    for name in ("old", "new"):
        records = vesica.evaluate("truth.npz", f"{name}.npz").records
        Path(f"{name}.records").write_bytes(records.to_bytes())
    return tmp_path


class TestVerb:
    FILES = ("truth.npz", "old.npz", "new.npz")
    FEW = ("--replicates", "100")

    @pytest.mark.parametrize("form", ["text", "markdown"])
    def test_looks_like_this(self, files, capsys, form):
        gates = ("--gate", "AP drop<=0.01 @95%", "--gate", "AP50>=0.95 @95%", "--gate", "AP[cat]>=0.999")
        code, out, err = run(capsys, "compare", *self.FILES, "--quiet", "--output", form, *gates, *self.FEW)
        gold = DATA / f"compare.{'md' if form == 'markdown' else 'txt'}"
        assert code == 1 and err == "" and out == gold.read_text("utf-8")

    def test_markdown_is_short_for_the_output(self, files, capsys):
        words = ("compare", *self.FILES, "--quiet", *self.FEW)
        one = run(capsys, *words, "--markdown")
        assert one == run(capsys, *words, "--output", "markdown") and one[0] == 0
        assert one[1] == vesica.compare(*self.FILES, replicates=100).markdown()

    def test_json(self, files, capsys):
        code, out, _ = run(capsys, "compare", *self.FILES, "--json", *self.FEW)
        facts = json.loads(vesica.compare(*self.FILES, replicates=100).to_json())
        assert code == 0 and json.loads(out) == facts | {"gates": []}

    def test_saved_results(self, files, capsys):
        code, out, _ = run(capsys, "compare", "old.records", "new.records", "--json", *self.FEW)
        facts = json.loads(out)
        assert code == 0 and facts["models"] == ["old", "new"] and "objects" not in facts
        assert facts["numbers"] == json.loads(run(capsys, "compare", *self.FILES, "--json", *self.FEW)[1])["numbers"]

    def test_options(self, files, capsys):
        words = ("--level", "0.9", "--replicates", "100", "--seed", "7", "--model-names", "x, y", "--iou", "0.5")
        facts = json.loads(run(capsys, "compare", *self.FILES, "--json", *words)[1])
        assert (facts["level"], facts["replicates"], facts["seed"], facts["models"]) == (0.9, 100, 7, ["x", "y"])
        assert facts["numbers"] == list(vesica.compare(*self.FILES, level=0.9, replicates=100, seed=7, iou=0.5).table())

    def test_slices_and_groups(self, files, capsys):
        rows = [f"{image},{'day' if image % 2 else 'night'},{image // 8}" for image in range(IMAGES)]
        Path("meta.csv").write_text("\n".join(["image,light,site", *rows]))
        words = ("compare", *self.FILES, "--quiet", *self.FEW, "--slices", "meta.csv")
        code, out, _ = run(capsys, *words)
        assert code == 0 and "AP of slices\ncolumn  slice  images" in out and "light   night      20" in out
        alone, grouped = (json.loads(run(capsys, *words, "--json", *more)[1]) for more in ((), ("--by", "site")))
        assert {row["column"] for row in alone["slices"]} == {"light", "site"}
        assert alone["numbers"][0]["difference"] == grouped["numbers"][0]["difference"]
        assert alone["numbers"][0]["lo"] != grouped["numbers"][0]["lo"]
        code, _, err = run(capsys, *words, "--by", "nothing")
        assert code == 2 and "nothing" in err

    def test_three_models(self, files, capsys):
        code, out, _ = run(capsys, "compare", *self.FILES, "old.records", "--quiet")
        assert code == 3  # records are no guesses
        vesica.write("same.npz", LOOSE)
        code, out, _ = run(capsys, "compare", *self.FILES, "same.npz", "--quiet", "--gate", "AP rise>0", *self.FEW)
        assert code == 1 and "new, same against old: 40 images" in out
        assert "passed  new: AP rise>0  got 0." in out and "FAILED  same: AP rise>0  got 0.000" in out

    @pytest.mark.parametrize(
        "words, code, message",
        [
            (("truth.npz", "old.npz"), 2, "compare needs two models or more"),
            ((*FILES, "--level", "0.95x"), 2, "invalid float"),
            ((*FILES, "--level", "95"), 2, "must lie between 0 and 1; got 95"),
            ((*FILES, "--replicates", "0"), 2, "--replicates"),
            ((*FILES, "--gate", "AP drop<=0 vs old.records"), 2, "The base is the first of the models"),
            ((*FILES, "--gate", "APX drop<=0"), 2, "The result has no number 'APX'"),
            ((*FILES, "--markdown", "--output", "junit"), 2, "--markdown is short for --output markdown"),
            ((*FILES, "--model-names", "a"), 3, "`names` must have one for each model"),
            (("old.records", "other.records"), 3, "cannot be compared: iou is"),
            (("truth.npz", "no.npz", "new.npz"), 3, "no.npz"),
        ],
    )
    def test_errors(self, files, capsys, words, code, message):
        other = vesica.evaluate("truth.npz", "old.npz", iou=0.5).records
        Path("other.records").write_bytes(other.to_bytes())
        got, out, err = run(capsys, "compare", *words, "--quiet")
        assert got == code and message in err and (out == "" or "--output" in words)
        got, out, err = run(capsys, "compare", *words, "--quiet", "--json")
        assert got == code and json.loads(out)["exit"] == code and message in json.loads(out)["error"]

    def test_gates_with_a_level_in_eval(self, files, capsys):
        gate = "AP rise>=0.1 vs old.records @95%"
        code, out, _ = run(capsys, "eval", "truth.npz", "new.npz", "--json", "--quiet", "--gate", gate)
        (verdict,) = json.loads(out)["gates"]
        row = next(iter(vesica.compare(*self.FILES).table()))
        assert code == 0 and verdict["value"] == row["difference"]
        assert verdict["interval"] == pytest.approx([row["lo"], row["hi"]])
        code, out, _ = run(capsys, "eval", "truth.npz", "new.npz", "--json", "--quiet", "--gate", "AP>=0.1 @90%")
        ends = vesica.evaluate("truth.npz", "new.npz").interval("AP", level=0.9)
        assert json.loads(out)["gates"][0]["interval"] == [ends.lo, ends.hi]  # that of --interval
        counted = ("--counts", "--min-score", "0.5", "--gate", "f1[cat]>=0.1 @95%", "--gate", "recall>=0.1 @95%")
        code, out, _ = run(capsys, "eval", "truth.npz", "new.npz", "--json", "--quiet", *counted)
        assert code == 0 and all(one["interval"] for one in json.loads(out)["gates"])


class TestSaved:
    def test_every_kind(self, tmp_path):
        maps = np.zeros((2, 3, 3), int), np.ones((2, 3, 3), int)
        segmented = vesica.evaluate_segmentation(*maps)
        agreed = vesica.evaluate_agreement({"ann": TRUTH, "ben": TRUTH})
        panoptic = vesica.evaluate_panoptic([([[1]], {1: 5})], [([[1]], {1: 5})])
        detected = vesica.evaluate(TRUTH, LOOSE)
        for name, result, content in (
            ("segmentation", segmented, segmented.to_bytes()),
            ("agreement", agreed, agreed.to_bytes()),
            ("panoptic", panoptic, panoptic.to_bytes()),
            ("detection", detected, detected.records.to_bytes()),
        ):
            path = tmp_path / name
            path.write_bytes(content)
            found = saved_result(path)
            assert is_saved(path) and type(found) is type(result)
            assert dict(found) == pytest.approx(dict(result), nan_ok=True)
        assert not is_saved(tmp_path) and not is_saved(tmp_path / "nothing")
