"""Habits of others: what they write works, or the error shows the line to write. One table serves errors and page."""

import inspect
import operator
import os
import re
import subprocess
import sys

import numpy as np
import pytest

import coming_from
import vesica
from vesica._check.habits import HABITS

both_ways = pytest.mark.usefixtures("both_ways")

RNG = np.random.default_rng(0)


def some(count):
    corner = RNG.uniform(0, 20, (count, 2))
    return np.concatenate([corner, corner + RNG.uniform(4, 9, (count, 2))], axis=1)


TRUTH = [{"boxes": [[0, 0, 10, 10], [20, 20, 40, 40]], "labels": [1, 2]}]
GUESS = [{"boxes": [[0, 0, 10, 10], [20, 20, 40, 30]], "labels": [1, 2], "scores": [0.9, 0.8]}]


def words():
    """What the lines of the table speak of."""
    boxes = some(3)
    return {
        "vesica": vesica,
        "np": np,
        "boxes": boxes,
        "others": some(4),
        "guess_boxes": boxes,
        "truth_boxes": boxes + 1,
        "scores": np.array([0.9, 0.8, 0.7]),
        "mask_scores": np.array([0.9, 0.8]),
        "labels": np.array([0, 1, 0]),
        "other_labels": np.array([0, 1, 0, 1]),
        "models": np.array([0, 1, 1]),
        "masks": RNG.random((2, 9, 9)) < 0.5,
        "soft": RNG.random((2, 9, 9)),
        "a": RNG.integers(0, 3, (9, 9)),
        "b": RNG.integers(0, 3, (9, 9)),
        "turned": np.concatenate([some(2), np.zeros((2, 1))], axis=1),
        "cost": RNG.random((3, 4)),
        "truth": TRUTH,
        "guess": GUESS,
    }


def verbs(habit):
    """The functions that take the options of a habit."""
    group = {
        "": [""],
        "nms": ["nms", "nms_padded", "soft_nms", "nmm", "fuse", "nms_ragged"],
        "measure": ["iou", "dice", "giou"],
        "join": ["join", "match", "best"],
        "assign": ["assign"],
        "evaluate": ["evaluate", "Evaluator"],
        "segmentation": ["evaluate_segmentation", "SegmentationEvaluator"],
        "agreement": ["evaluate_agreement"],
        "Boxes": ["Boxes"],
        "box loss": ["losses.iou", "losses.giou", "losses.siou", "losses.alpha_iou"],
        "mask loss": ["losses.dice", "losses.jaccard", "losses.tversky", "losses.focal_tversky"],
    }
    return group.get(habit.of, [habit.of])


LINES = sorted({habit.line(coming_from.VERBS[habit.of]) for habit in HABITS})


class TestTable:
    @both_ways
    def test_lines_run(self):
        for line in LINES:
            try:
                exec(line, words())
            except Exception as error:
                pytest.fail(f"{line}\n{error!r}")

    def test_a_name_means_one_thing(self):
        seen = [(habit.of, name) for habit in HABITS for name in habit.names]
        assert len(seen) == len(set(seen))

    def test_no_habit_is_a_name_of_ours(self):
        assert not [name for habit in HABITS if not habit.of for name in habit.names if name in vesica.__all__]

    def test_page_has_the_table(self):
        """`python tests/coming_from.py` writes it."""
        page = coming_from.PAGE.read_text()
        assert coming_from.written(page) == page
        tools = {tool for habit in HABITS for tool in habit.tools}
        assert set(re.findall(r"<!-- table of (.+?) -->", page)) == tools


CALLS = {
    "nms": lambda **option: vesica.nms(some(3), [0.9, 0.8, 0.7], **option),
    "nms_padded": lambda **option: vesica.nms_padded(some(3)[None], [[0.9, 0.8, 0.7]], limit=3, **option),
    "nms_ragged": lambda **option: vesica.nms_ragged(some(3), [0.9, 0.8, 0.7], [0, 3], **option),
    "soft_nms": lambda **option: vesica.soft_nms(some(3), [0.9, 0.8, 0.7], **option),
    "nmm": lambda **option: vesica.nmm(some(3), [0.9, 0.8, 0.7], **option),
    "fuse": lambda **option: vesica.fuse(some(3), [0.9, 0.8, 0.7], **option),
    "iou": lambda **option: vesica.iou(some(3), some(3), **option),
    "dice": lambda **option: vesica.dice(some(3), some(3), **option),
    "giou": lambda **option: vesica.giou(some(3), some(3), **option),
    "join": lambda **option: vesica.join(some(3), some(3), **option),
    "match": lambda **option: vesica.match(some(3), some(3), **option),
    "best": lambda **option: vesica.best(some(3), some(3), **option),
    "assign": lambda **option: vesica.assign(np.eye(3), maximise=True, **option),
    "evaluate": lambda **option: vesica.evaluate(TRUTH, GUESS, **option),
    "Evaluator": lambda **option: vesica.Evaluator(**option),
    "evaluate_segmentation": lambda **option: vesica.evaluate_segmentation([[0]], [[0]], **option),
    "evaluate_agreement": lambda **option: vesica.evaluate_agreement(some(3), some(3), **option),
    "SegmentationEvaluator": lambda **option: vesica.SegmentationEvaluator(**option),
    "Boxes": lambda **option: vesica.Boxes(some(3), **option),
    "losses.iou": lambda **option: vesica.losses.iou(some(3), some(3), **option),
    "losses.giou": lambda **option: vesica.losses.giou(some(3), some(3), **option),
    "losses.siou": lambda **option: vesica.losses.siou(some(3), some(3), **option),
    "losses.alpha_iou": lambda **option: vesica.losses.alpha_iou(some(3), some(3), **option),
    "losses.dice": lambda **option: vesica.losses.dice(some(3), some(3), **option),
    "losses.jaccard": lambda **option: vesica.losses.jaccard(some(3), some(3), **option),
    "losses.tversky": lambda **option: vesica.losses.tversky(some(3), some(3), **option),
    "losses.focal_tversky": lambda **option: vesica.losses.focal_tversky(some(3), some(3), **option),
    "RotatedBoxes": lambda **option: vesica.RotatedBoxes([[0, 0, 1, 1, 0]], unit="deg", direction="cw", **option),
    "Masks": lambda **option: vesica.Masks(np.ones((1, 3, 3), bool), **option),
    "RleMasks": lambda **option: vesica.RleMasks([[0, 4, 5]], **({"size": (3, 3)} | option)),
    "LabelMap": lambda **option: vesica.LabelMap(np.ones((3, 3), int), **option),
    "Polygons": lambda **option: vesica.Polygons([[0, 0, 4, 0, 4, 4]], **option),
    "Dataset.from_dicts": lambda **option: vesica.Dataset.from_dicts(TRUTH, **option),
    "Dataset.from_arrays": lambda **option: vesica.Dataset.from_arrays(some(3), **({"image": [1, 1, 2]} | option)),
}
EXPLAINED = [
    *(f"losses.{name}" for name in vesica.losses.__all__),
    *(
        "anchors.assign",
        "anchors.cluster",
        "anchors.shape_iou",
        "detection.merge",
        "detection.summarise",
        "grid.detect",
    ),
    *("grid.Grid", "parts", "read", "write", "assign", "best", "match", "nmm", "soft_nms", "fuse", "evaluate"),
    *("Boxes", "Evaluator", "LabelMap", "Masks", "Polygons", "RleMasks", "RotatedBoxes", "Sets", "SparseMasks"),
    *("LabelMap.from_masks", "Parts.from_counts", "Polygons.from_arrays", "Polygons.from_boxes"),
    *("Polygons.from_rotated", "RleMasks.from_arrays", "RleMasks.from_coco", "RleMasks.from_masks"),
    *("RotatedBoxes.from_boxes", "RotatedBoxes.from_corners", "SparseMasks.from_masks"),
    *("Dataset.from_arrays", "Dataset.from_dicts", "Dataset.from_objects", "Dataset.joined"),
]
OPTIONS = [
    (verb, name, habit.line(verb)) for habit in HABITS if habit.of for verb in verbs(habit) for name in habit.names
]


class TestErrors:
    @pytest.mark.parametrize("verb", sorted({verb for verb, _, _ in OPTIONS}))
    def test_option(self, verb):
        """An option that it has is meant; what others call it is told with the line to write."""
        known = inspect.signature(operator.attrgetter(verb)(vesica)).parameters
        others = {name: line for of, name, line in OPTIONS if of == verb and name not in (*known, "by position")}
        for name, line in others.items():
            with pytest.raises(TypeError) as caught:
                CALLS[verb](**{name: 1})
            said = str(caught.value)
            assert said.startswith(f"{verb} has no option `{name}`. Write {line}"), said

    @pytest.mark.parametrize("name, line", [(n, h.line()) for h in HABITS if not h.of for n in h.names])
    def test_attribute(self, name, line):
        with pytest.raises(AttributeError) as caught:
            getattr(vesica, name)
        assert str(caught.value).startswith(f"module 'vesica' has no attribute {name!r}. Write {line}")
        assert not hasattr(vesica, name)

    @pytest.mark.parametrize("name", ["agreement", "detection", "segmentation", "scale"])
    def test_a_module_that_is_called(self, name):
        with pytest.raises(TypeError, match=rf"^vesica\.{name} is a module and cannot be called\. Write") as caught:
            getattr(vesica, name)([], threads=1)
        line = str(caught.value).partition("Write ")[2].removesuffix(".")
        eval(line.replace("(paths)", ""), words())

    @both_ways
    @pytest.mark.parametrize("call, line", [
        (lambda: vesica.nms(some(3), [0.9, 0.8, 0.7], 0.5), "vesica.nms(boxes, scores, above=0.5)"),
        (lambda: vesica.soft_nms(some(3), [0.9, 0.8, 0.7], 0.5), "vesica.soft_nms(boxes, scores, above=0.5)"),
        (lambda: vesica.iou(some(3), some(3), True), "vesica.iou(boxes, boxes, aligned=True)"),
        (lambda: vesica.join(some(3), some(3), 0.5), "vesica.join(boxes, others, at_least=0.5)"),
        (lambda: vesica.match(some(3), some(3), 0.5), "vesica.match(boxes, others, at_least=0.5)"),
        (lambda: vesica.assign(np.eye(3), 0.8), "vesica.assign(cost, minimise=True, count_first=True, at_most=0.8)"),
        (lambda: vesica.evaluate(TRUTH, GUESS, "bbox"), 'vesica.evaluate(truth, guess, regions="box")'),
    ])  # fmt: skip
    def test_by_position(self, call, line):
        with pytest.raises(TypeError) as caught:
            call()
        said = str(caught.value)
        assert said.endswith(f"takes arrays by position and the rest by name; got one more by position. Write {line}.")

    @both_ways
    @pytest.mark.parametrize("call, said", [
        (lambda: vesica.iou(some(3), some(3), alligned=True), "iou has no option `alligned`. Did you mean `aligned`?"),
        (lambda: vesica.nms(some(3), [1, 1, 1], abov=1), "nms has no option `abov`. Did you mean `above`?"),
        (lambda: vesica.evaluate(TRUTH, GUESS, protcol="coco"), "evaluate has no option `protcol`. Did you mean"),
        (lambda: vesica.Evaluator(region="box"), "Evaluator has no option `region`. Did you mean `regions`?"),
        (lambda: vesica.detection.records_of(TRUTH, GUESS, iouThrs=[0.5]), "records_of has no option `iouThrs`. Write"),
        (lambda: vesica.iou(some(3), some(3), nothing=1), "iou has no option `nothing`; it takes `aligned`, `threads`"),
        (lambda: vesica.join(some(3), some(3), threshold=0.5), "join has no option `threshold`. Write"),
        (lambda: vesica.iuo, "module 'vesica' has no attribute 'iuo'. Did you mean vesica.iou?"),
    ])  # fmt: skip
    def test_near(self, call, said):
        with pytest.raises((TypeError, AttributeError)) as caught:
            call()
        assert str(caught.value).startswith(said)

    @pytest.mark.parametrize("verb", EXPLAINED)
    def test_every_public_call_says_what_it_takes(self, verb):
        """Whatever takes options: an unknown one is told in our words, before anything is looked at."""
        call = operator.attrgetter(verb)(vesica)
        known = inspect.signature(call).parameters.values()
        arrays = [None for one in known if one.kind <= one.POSITIONAL_OR_KEYWORD and one.default is one.empty]
        needed = {one.name: None for one in known if one.kind is one.KEYWORD_ONLY and one.default is one.empty}
        with pytest.raises(TypeError) as caught:
            call(*arrays, **needed, nonsense=1)
        said = str(caught.value)
        assert said.startswith(f"{verb} has no option `nonsense`; it takes "), said
        options = [one.name for one in known if one.kind is one.KEYWORD_ONLY]
        assert all(f"`{name}`" in said for name in options) and "`self`" not in said and "`cls`" not in said

    def test_a_class_without_options(self):
        with pytest.raises(TypeError, match=r"^Sets has no option `size`; it takes none\.$"):
            vesica.Sets([{1}], size=1)

    def test_other_type_errors_are_as_they_were(self):
        with pytest.raises(TypeError, match="`k` must be|must be a whole number"):
            try:
                vesica.best(some(3), some(3), k="two")
            except ValueError as error:
                raise TypeError(str(error)) from None
        with pytest.raises(TypeError, match="missing 1 required keyword-only argument: 'at_least'"):
            vesica.join(some(3), some(3))


RAGGED = [[1, 2, 3, 4], [1, 2]]
UNEVEN = {
    "iou": lambda: vesica.iou(RAGGED, RAGGED),
    "nms scores": lambda: vesica.nms([[0, 0, 1, 1]], RAGGED),
    "nms keys": lambda: vesica.nms([[0, 0, 1, 1]], [1], keys=RAGGED),
    "labels": lambda: vesica.LabelMap(RAGGED),
    "masks": lambda: vesica.Masks(RAGGED),
    "rotated": lambda: vesica.RotatedBoxes(RAGGED, unit="deg", direction="cw"),
    "polygons": lambda: vesica.Polygons([[RAGGED]]),
    "assign": lambda: vesica.assign(RAGGED, maximise=True),
    "match": lambda: vesica.match([[0, 0, 1, 1]], [[0, 0, 1, 1]], scores=RAGGED),
    "fuse": lambda: vesica.fuse([[0, 0, 1, 1]], RAGGED),
    "losses": lambda: vesica.losses.dice([[1.0], [2.0, 3.0]], [[1]]),
    "counts": lambda: vesica.Parts.from_counts(RAGGED, 1, 1),
    "data set": lambda: vesica.Dataset.from_arrays(RAGGED, image=[1, 2]),
    "ids": lambda: vesica.Dataset.from_arrays([[1, 2, 3, 4]], image=RAGGED),
    "dicts": lambda: vesica.evaluate([{"boxes": RAGGED, "labels": [1, 2]}], GUESS),
    "anchors": lambda: vesica.anchors.cluster(RAGGED, k=2),
    "a deep one": lambda: vesica.iou([[[1, 2], 3, 4, 5]], [[1, 2, 3, 4]]),
}


@both_ways
@pytest.mark.parametrize("name", UNEVEN)
def test_numpy_does_not_speak_of_uneven_lists(name):
    with pytest.raises((ValueError, TypeError)) as caught:
        UNEVEN[name]()
    assert "inhomogeneous" not in str(caught.value) and "sequence" not in str(caught.value)


class TestPackage:
    def test_dir_is_what_is_public(self):
        named = [name for name in dir(vesica) if not name.startswith("__")]
        modules = {"anchors", "detection", "grid", "losses"}
        assert set(vesica.__all__) | modules <= set(named)
        import types

        assert not [name for name in named if name.startswith("_") or name in ("importlib", "annotations", "Any")]
        others = set(named) - set(vesica.__all__)
        assert all(isinstance(getattr(vesica, name), types.ModuleType) for name in others)

    def test_private_names_stay_quick(self):
        with pytest.raises(AttributeError, match="no attribute '_box_iou'$"):
            vesica._box_iou

    def test_help(self):
        import pydoc

        for name in ("iou", "tversky", "coverage"):
            told = pydoc.plain(pydoc.render_doc(getattr(vesica, name)))
            assert f"{name}(a, b=None, /, *, aligned=False, threads=None" in told
            for section in ("Parameters", "Returns", "Examples", "aligned : bool", ">>> "):
                assert section in told, (name, section)
        assert "*more" not in pydoc.plain(pydoc.render_doc(vesica.nms))


class TestCommandLine:
    def run(self, *words, blocked=()):
        code = (
            f"import sys\nfor name in {tuple(blocked)!r}: sys.modules[name] = None\n"
            f"from vesica.cli import main\nraise SystemExit(main({list(words)!r}))"
        )
        environment = {**os.environ, "COLUMNS": "200"}
        return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)

    def test_options_are_those_of_the_line(self, tmp_path):
        (tmp_path / "labels").mkdir()
        (tmp_path / "labels" / "one.txt").write_text("0 0.5 0.5 0.2 0.2\n")
        run = self.run("convert", str(tmp_path / "labels"), str(tmp_path / "out.json"))
        assert run.returncode == 3 and "--images FOLDER" in run.stderr and "images=" not in run.stderr
        assert "--sizes HEIGHT,WIDTH" in run.stderr and "sizes=" not in run.stderr

    @pytest.mark.parametrize("name", ["numpy", "rich"])
    def test_a_missing_core_dependency_is_told(self, name, tmp_path):
        files = [tmp_path / "truth.csv", tmp_path / "guess.csv"]
        for file, score in zip(files, ("", ",score"), strict=True):
            file.write_text(f"image,category,x1,y1,x2,y2{score}\n1,1,0,0,4,4{',0.5' if score else ''}\n")
        run = self.run("eval", *map(str, files), blocked=[name])
        assert run.returncode == 2 and f"needs {name}" in run.stderr and "pip install vesica" in run.stderr
        assert "report" not in run.stderr

    def test_a_missing_core_says_how_to_build(self):
        run = self.run("iou", "a.npy", "b.npy", blocked=["vesica._native"])
        assert run.returncode == 2 and "Build it with `pip install .`" in run.stderr and "report" not in run.stderr

    @pytest.mark.parametrize("name, files", [
        ("yaml", {"data.yaml": "names: [cat]\n", "labels/one.txt": "0 0.5 0.5 0.2 0.2\n"}),
        ("defusedxml", {"one.xml": "<annotation></annotation>"}),
    ])  # fmt: skip
    def test_a_missing_extra_says_all(self, name, files, tmp_path):
        for path, text in files.items():
            (tmp_path / path).parent.mkdir(exist_ok=True)
            (tmp_path / path).write_text(text)
        run = self.run("convert", str(tmp_path), str(tmp_path / "out.json"), blocked=[name])
        assert run.returncode == 2 and 'pip install "vesica[all]"' in run.stderr, run.stderr


def told(code):
    """What a line does when it is written for vesica: its value, or the line that the error shows."""
    try:
        return eval(code, words())
    except (AttributeError, TypeError, ValueError) as error:
        found = re.search(r"Write (vesica\..*?)(?:\. [A-Z\"]|\.$)", str(error))
        return found[1] if found else str(error)


# What they write, and what we answer: a line to write, or a value.
WRITTEN = [
    # torchvision
    ("vesica.box_iou(boxes, others)", "vesica.iou(boxes, others)"),
    ("vesica.generalized_box_iou(boxes, others)", "vesica.giou(boxes, others)"),
    ("vesica.nms(boxes, scores, 0.5)", "vesica.nms(boxes, scores, above=0.5)"),
    ("vesica.nms(boxes, scores, iou_threshold=0.5)", "vesica.nms(boxes, scores, above=0.5)"),
    ("vesica.batched_nms(boxes, scores, labels, 0.5)", "vesica.nms(boxes, scores, keys=labels, above=0.5)"),
    ('vesica.box_convert(boxes, "cxcywh", "xyxy")', 'vesica.Boxes(boxes, "cxcywh").to("xyxy")'),
    ("vesica.masks_to_boxes(masks)", "vesica.Masks(masks).boxes.xyxy"),
    ("vesica.clip_boxes_to_image(boxes, (480, 640))", "vesica.Boxes(boxes).clip(640, 480).xyxy"),
    ("vesica.complete_box_iou_loss(boxes, boxes)", "vesica.losses.ciou(guess_boxes, truth_boxes)"),
    ("vesica.iou(boxes.tolist(), boxes)[0, 0].item()", 1.0),
    ("vesica.iou([0, 0, 4, 4], [0, 0, 4, 2]).item()", 0.5),
    # supervision
    ("vesica.box_iou_batch(boxes, others)", "vesica.iou(boxes, others)"),
    ("vesica.nms(boxes, scores, threshold=0.5)", "vesica.nms(boxes, scores, above=0.5)"),
    ("vesica.nms(boxes, scores, class_agnostic=True)", "vesica.nms(boxes, scores)"),
    ("vesica.box_non_max_merge(boxes)", "vesica.nmm(boxes, scores, keys=labels, above=0.5)"),
    ("vesica.mask_to_xyxy(masks)", "vesica.Masks(masks).boxes.xyxy"),
    ("vesica.xywh_to_xyxy(boxes)", 'vesica.Boxes(boxes, "xywh").xyxy'),
    ("vesica.evaluate(truth, guess, class_agnostic=True)", "vesica.evaluate(truth, guess, by_class=False)"),
    ('round(vesica.evaluate(truth, guess)["AP"], 6)', 0.55),
    # detectron2
    ("vesica.pairwise_iou(boxes, others)", "vesica.iou(boxes, others)"),
    ("vesica.pairwise_ioa(boxes, others)", 'vesica.coverage(boxes, others, of="b")'),
    ("vesica.matched_pairwise_iou(boxes, boxes)", "vesica.iou(boxes, boxes, aligned=True)"),
    ("vesica.BoxMode.convert(boxes, 1, 0)", 'vesica.Boxes(boxes, "xywh").to("xyxy")'),
    ("vesica.COCOEvaluator('set')", "vesica.Evaluator()"),
    ("vesica.Evaluator(iou_type='segm')", 'vesica.Evaluator(regions="box")'),
    # SciPy, scikit-learn
    ("vesica.linear_sum_assignment(cost)", "vesica.assign(cost, minimise=True, complete=True)"),
    ("vesica.assign(cost, maximize=True)", "vesica.assign(cost, maximise=True)"),
    ("vesica.iou(boxes, others, average='macro')", "vesica.iou(boxes, boxes, aligned=True).mean()"),
]


@both_ways
@pytest.mark.parametrize("code, answer", WRITTEN)
def test_what_they_write(code, answer):
    assert told(code) == answer


class TestPeers:
    """The line to write gives the number that the other tool gives."""

    def test_supervision(self):
        sv = pytest.importorskip("supervision")
        w = words()
        boxes, others = w["boxes"], w["others"]
        assert np.allclose(vesica.iou(boxes, others), sv.box_iou_batch(boxes, others))
        many = some(40)
        score, label = RNG.random(40), RNG.integers(0, 3, 40)
        rows = np.column_stack([many, score, label])
        for options, extra in (({"keys": label}, rows), ({}, rows[:, :5])):
            kept = vesica.nms(many, score, above=0.4, **options)
            assert sorted(kept.tolist()) == np.flatnonzero(sv.box_non_max_suppression(extra, 0.4)).tolist()
        masks = w["masks"]
        assert np.allclose(vesica.iou(vesica.Masks(masks), vesica.Masks(masks)), sv.mask_iou_batch(masks, masks))
        assert np.allclose(vesica.Boxes(boxes, "xywh").xyxy, sv.xywh_to_xyxy(boxes))
        assert np.array_equal(vesica.Masks(masks).boxes.xyxy - [0, 0, 1, 1], sv.mask_to_xyxy(masks))

    def test_torchmetrics_classes(self):
        metrics = pytest.importorskip("torchmetrics.functional.classification")
        torch = pytest.importorskip("torch")
        w = words()
        maps = [vesica.LabelMap(w[name], ids=range(3), background=None) for name in "ab"]
        a, b = torch.tensor(w["a"]), torch.tensor(w["b"])
        want = metrics.multiclass_jaccard_index(b, a, num_classes=3, average="none")
        assert np.allclose(vesica.iou(*maps, aligned=True), want)

    def test_scikit_learn_and_scipy(self):
        metrics = pytest.importorskip("sklearn.metrics")
        optimize = pytest.importorskip("scipy.optimize")
        w = words()
        flat, maps = (
            (w["a"].ravel(), w["b"].ravel()),
            [vesica.LabelMap(w[n], ids=range(3), background=None) for n in "ab"],
        )
        assert np.allclose(vesica.iou(*maps, aligned=True), metrics.jaccard_score(*flat, average=None))
        assert np.allclose(vesica.dice(*maps, aligned=True), metrics.f1_score(*flat, average=None))
        assert np.array_equal(maps[0].contingency(maps[1]).counts, metrics.confusion_matrix(*flat))
        rows, columns = optimize.linear_sum_assignment(w["cost"])
        found = vesica.assign(w["cost"], minimise=True, complete=True)
        assert found.truth.tolist() == rows.tolist() and found.guess.tolist() == columns.tolist()

    def test_the_tutorial(self):
        """The function that everybody copies: whole pixels, both ends included, one number."""

        def tutorial(a, b):
            x = max(0, min(a[2], b[2]) - max(a[0], b[0]) + 1)
            y = max(0, min(a[3], b[3]) - max(a[1], b[1]) + 1)
            areas = [(box[2] - box[0] + 1) * (box[3] - box[1] + 1) for box in (a, b)]
            return x * y / float(sum(areas) - x * y)

        for _ in range(50):
            a, b = (np.sort(RNG.integers(0, 30, (2, 2)), axis=0).ravel().tolist() for _ in range(2))
            inclusive = [vesica.Boxes([box], "xyxy_inclusive") for box in (a, b)]
            assert vesica.iou(*inclusive)[0, 0] == tutorial(a, b)
            found = vesica.iou([a[0], a[1], a[2] + 1, a[3] + 1], [b[0], b[1], b[2] + 1, b[3] + 1])
            assert found == tutorial(a, b) and np.ndim(found) == 0


@both_ways
class TestOneBox:
    @pytest.mark.parametrize("measure", ["iou", "dice", "giou", "ciou", "tversky", "distance"])
    def test_a_number(self, xp, measure):
        a, b = [0.0, 0, 4, 4], [2.0, 2, 6, 6]
        call = getattr(vesica, measure)
        found = call(xp(a), xp(b))
        assert tuple(found.shape) == ()
        want = float(xp.back(call(xp([a]), xp([b])))[0, 0])
        assert float(xp.back(found)) == float(call(a, b, aligned=True)) == float(call(np.array(a), b)) == want

    def test_what_is_no_box_is_an_error(self):
        for a, b in (([0, 0, 4], [0, 0, 4]), ([0, 0, 4, 4], [[0, 0, 4, 4]]), ([4, 0, 0, 4], [0, 0, 4, 4])):
            with pytest.raises(ValueError):
                vesica.iou(a, b)


@both_ways
class TestLists:
    ROWS = [[0, 0, 4, 2], [1, 1, 3, 3]]

    def test_take_the_other_library(self, xp):
        array = xp([[0, 0, 4, 4]])
        for call in (
            lambda a, b: vesica.iou(a, b),
            lambda a, b: vesica.join(a, b, at_least=0.1).value,
            lambda a, b: vesica.best(a, b).value,
            lambda a, b: vesica.match(a, b, at_least=0.1).value,
            lambda a, b: vesica.parts(a, b).inter,
        ):
            want = call([[0, 0, 4, 4]], self.ROWS)
            for found in (call(array, self.ROWS), call(vesica.Boxes(array), self.ROWS), call(array, tuple(self.ROWS))):
                assert type(found) is type(array) and np.allclose(xp.back(found), want)
            assert type(call(self.ROWS, array)) is type(array)

    def test_losses(self, xp):
        found = vesica.losses.giou(xp([[0.0, 0, 4, 4]]), [[0, 0, 4, 2]])
        assert isinstance(found, (type(xp([0.0])), np.floating)) and float(xp.back(found)) == 0.5

    def test_errors_are_those_of_the_list(self):
        torch = pytest.importorskip("torch")
        with pytest.raises(ValueError, match="`b` row 0 is inverted"):
            vesica.iou(torch.zeros(1, 4), [[3, 0, 1, 1]])
        with pytest.raises(ValueError, match="`b` must have rows of one length|nested evenly"):
            vesica.iou(torch.zeros(1, 4), [[3, 0, 1, 1], [1]])


class Frame:
    """A frame of pandas with nullable columns, as far as NumPy sees it: an array of objects."""

    def __init__(self, rows, kind, missing=False):
        self.rows, self.missing = np.array(rows), missing
        self.ndim, self.shape = self.rows.ndim, self.rows.shape
        self.dtypes = [type("Int64Dtype", (), {"kind": kind})()] * self.rows.shape[-1]
        self.dtype = self.dtypes[0]

    def __array__(self, dtype=None, copy=None):
        return self.rows.astype(object)

    def isna(self):
        return np.full(self.shape, self.missing)

    def to_numpy(self, dtype=None, na_value=None):
        return np.where(self.isna(), na_value, self.rows).astype(dtype) if self.missing else self.rows.astype(dtype)


class TestFrames:
    ROWS = [[0, 0, 4, 4], [2, 2, 6, 6]]

    def test_nullable_integers(self):
        boxes = vesica.Boxes(Frame(self.ROWS, "i"))
        assert boxes.array.dtype == np.int64 and boxes.area.tolist() == [16, 16]
        assert vesica.iou(Frame(self.ROWS, "i"), Frame(self.ROWS, "f")).shape == (2, 2)
        assert vesica.nms(self.ROWS, Frame([0.5, 0.9], "f"), above=0.1).tolist() == [1]
        big = Frame([2**60 + 1, 2**60], "i")
        assert vesica.nms([[0, 0, 1, 1]] * 2, [1, 2], keys=big).tolist() == [1, 0]

    def test_missing_is_told(self):
        with pytest.raises(ValueError, match="row 0 must be finite; got x1 = nan"):
            vesica.Boxes(Frame(self.ROWS, "i", missing=True))

    def test_words_are_refused(self):
        with pytest.raises(TypeError, match="must hold integers or floats"):
            vesica.Boxes(Frame(self.ROWS, "O"))

    def test_pandas(self):
        pandas = pytest.importorskip("pandas")
        frame = pandas.DataFrame(self.ROWS, columns=["x1", "y1", "x2", "y2"], dtype="Int64")
        assert vesica.iou(frame, frame).tolist() == vesica.iou(self.ROWS, self.ROWS).tolist()


class TestEmptyIsNan:
    NOTHING = [[1.0, 1, 1, 1]]

    def test_measures(self, xp):
        for measure in ("iou", "dice", "coverage", "overlap", "tversky", "giou", "distance"):
            found = xp.back(getattr(vesica, measure)(xp(self.NOTHING), xp([*self.NOTHING, [0, 0, 4, 4]]), empty=np.nan))
            assert np.isnan(found[0, 0])
            assert np.isnan(found[0, 1]) == (measure in ("coverage", "overlap"))  # whose whole is the point alone

    def test_infinity_is_refused(self):
        with pytest.raises(ValueError, match="`empty` must be finite; got inf"):
            vesica.iou(self.NOTHING, self.NOTHING, empty=np.inf)
