"""Annotations and files of the stand-in for pycocotools, beside pycocotools itself."""

import contextlib
import copy
import json
import pickle

import numpy as np
import pytest

from vesica.compat import coco as our_coco

pytest.importorskip("pycocotools")
from beside import CHANGES, TOOLS, case, compare, load, quiet, same

# What pycocotools itself does with NumPy 2.
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")


def as_written(value):
    """Bytes as JSON has them."""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, dict):
        return {key: as_written(one) for key, one in value.items()}
    return [as_written(one) for one in value] if isinstance(value, list) else value


class TestFiles:
    """Files go past the dicts, as long as nobody looks at one."""

    @staticmethod
    def steps(tool, folder, kind, change=None, look=None):
        coco, cocoeval = TOOLS[tool]
        truth = coco.COCO(str(folder / "truth.json"))
        guess = truth.loadRes(str(folder / "guess.json"))
        if look is not None:
            look(truth, guess)
        scores = cocoeval.COCOeval(truth, guess, kind)
        for key, value in (change or {}).items():
            setattr(scores.params, key, copy.deepcopy(value))
        scores.evaluate()
        scores.accumulate()
        with contextlib.suppress(IndexError):
            scores.summarize()
        return scores

    @staticmethod
    def write(folder, dataset, guesses):
        (folder / "truth.json").write_text(json.dumps(as_written(dataset)))
        (folder / "guess.json").write_text(json.dumps(as_written(guesses)))

    @staticmethod
    def sound(seed, **options):
        dataset, guesses = case(seed, **options)
        rows = {row["id"]: row for row in dataset["annotations"]}
        for guess in guesses:
            guess["score"] = 0.5 if guess["score"] != guess["score"] else guess["score"]
        return {**dataset, "annotations": list(rows.values())}, guesses

    @pytest.mark.parametrize("kind", ["bbox", "segm"])
    @pytest.mark.parametrize("seed", range(28))
    def test_same(self, seed, kind, tmp_path):
        self.write(tmp_path, *self.sound(seed, masks=kind == "segm"))
        change = CHANGES[seed % len(CHANGES)]
        ours, theirs = (quiet(self.steps, tool, tmp_path, kind, change) for tool in TOOLS)
        compare(ours, theirs)
        for side in ("cocoGt", "cocoDt"):
            found, wanted = (getattr(tool, side) for tool in (ours[0], theirs[0]))
            assert found.getImgIds() == wanted.getImgIds() and found.getCatIds() == wanted.getCatIds()

    @pytest.mark.parametrize("seed", range(6))
    def test_odd_files(self, seed, tmp_path):
        """Ids twice, scores that are no numbers: whatever the reader refuses, the dicts decide."""
        dataset, guesses = case(seed)
        dataset["annotations"].append({**dataset["annotations"][0], "bbox": [0, 0, 3, 3]})
        guesses[0]["score"] = float("nan")
        self.write(tmp_path, dataset, guesses)
        compare(*(quiet(self.steps, tool, tmp_path, "bbox") for tool in TOOLS))

    def test_unknown_images_and_categories(self, tmp_path):
        """Annotations of what is not listed are passed over."""
        dataset, guesses = self.sound(21)
        dataset["annotations"][0]["image_id"] = 77
        dataset["annotations"][1]["category_id"] = 77
        self.write(tmp_path, dataset, guesses)
        compare(*(quiet(self.steps, tool, tmp_path, "bbox") for tool in TOOLS))

    @pytest.mark.parametrize("side, key", [(0, "area"), (0, "iscrowd"), (0, "bbox"), (1, "score"), (1, "bbox")])
    @pytest.mark.parametrize("tool", TOOLS)
    def test_missing_values(self, tool, side, key, tmp_path):
        dataset, guesses = self.sound(30)
        dataset["annotations"][-1]["iscrowd"] = 0
        del (guesses if side else dataset["annotations"])[-1][key]
        self.write(tmp_path, dataset, guesses)
        with pytest.raises(KeyError, match=key):
            quiet(self.steps, tool, tmp_path, "bbox")

    @pytest.mark.parametrize("kind", ["bbox", "segm"])
    def test_nobody_looks(self, kind, tmp_path):
        """No dict is made, and the files may be gone by the time that somebody looks."""
        dataset, guesses = self.sound(21, masks=True)
        self.write(tmp_path, dataset, guesses)
        scores, _ = quiet(self.steps, "ours", tmp_path, kind)
        assert scores.cocoGt.columns is not None and scores.cocoDt.columns is not None and scores.stats.max() > 0
        assert scores.cocoGt.getImgIds() == [image["id"] for image in dataset["images"]]
        assert scores.cocoGt.getCatIds() == [category["id"] for category in dataset["categories"]]
        assert scores.cocoGt.columns is not None
        for path in tmp_path.iterdir():
            path.unlink()
        same(scores.cocoGt.dataset, as_written(dataset))
        assert scores.cocoGt.columns is None and scores.cocoGt.imgs.keys() == {row["id"] for row in dataset["images"]}
        assert [row["score"] for row in scores.cocoDt.anns.values()] == [row["score"] for row in guesses]
        assert scores.cocoDt.dataset["images"][0] is scores.cocoGt.dataset["images"][0]

    def test_changes_count(self, tmp_path):
        """Whoever looks may change what is there."""
        self.write(tmp_path, *self.sound(21))

        def look(truth, guess):
            for row in truth.dataset["annotations"]:
                row["iscrowd"] = 1
            for row in guess.loadAnns(guess.getAnnIds()):
                row["score"] = 1 - row["score"]

        compare(*(quiet(self.steps, tool, tmp_path, "bbox", None, look) for tool in TOOLS))

    def test_another_data_set(self, tmp_path):
        """A data set that is set in place of that of the file."""
        self.write(tmp_path, *self.sound(21))
        truth, _ = quiet(our_coco.COCO, tmp_path / "truth.json")
        truth.dataset = {"images": [{"id": 5}], "categories": [], "annotations": []}
        assert quiet(truth.createIndex)[1] == "creating index...\nindex created!\n"
        assert truth.columns is None and truth.getImgIds() == [5] and truth.anns == {}

    def test_copies(self, tmp_path):
        self.write(tmp_path, *self.sound(21))
        truth, _ = quiet(our_coco.COCO, tmp_path / "truth.json")
        for other in (copy.copy(truth), copy.deepcopy(truth), pickle.loads(pickle.dumps(truth))):
            assert other.columns is not None
            same(other.anns, copy.copy(truth).anns)
        assert not hasattr(truth, "nothing") and truth.columns is not None

    @pytest.mark.parametrize("rows", [[], [{"image_id": 77, "category_id": 1, "bbox": [0, 0, 1, 1], "score": 1}]])
    def test_results_that_do_not_belong(self, rows, tmp_path):
        self.write(tmp_path, self.sound(21)[0], rows)
        truth, _ = quiet(our_coco.COCO, tmp_path / "truth.json")
        with pytest.raises((IndexError, AssertionError), match="Results"):
            quiet(truth.loadRes, str(tmp_path / "guess.json"))

    def test_no_json(self, tmp_path):
        (tmp_path / "truth.json").write_text('{"images": [')
        with pytest.raises(json.JSONDecodeError):
            quiet(our_coco.COCO, tmp_path / "truth.json")
        with pytest.raises(FileNotFoundError):
            quiet(our_coco.COCO, tmp_path / "nothing.json")


class TestCoco:
    DATASET, GUESSES = case(21, masks=True)
    CALLS = [
        lambda c: c.getAnnIds(),
        lambda c: c.getAnnIds(c.getImgIds()[0]),
        lambda c: c.getAnnIds(imgIds=c.getImgIds()[:2], catIds=c.getCatIds()[0]),
        lambda c: c.getAnnIds(imgIds=[77]),
        lambda c: c.getAnnIds(areaRng=[25, 9216]),
        lambda c: c.getAnnIds(catIds=c.getCatIds()[:1], iscrowd=False),
        lambda c: c.getAnnIds(iscrowd=1),
        lambda c: c.getCatIds(),
        lambda c: c.getCatIds(catNms=["c1", "c2", "c3"]),
        lambda c: c.getCatIds("c1c2c3"),
        lambda c: c.getCatIds(catIds=c.getCatIds()[1]),
        lambda c: c.getImgIds(),
        lambda c: sorted(c.getImgIds([0, 1, 2, 99])),
        lambda c: sorted(c.getImgIds(catIds=c.getCatIds())),
        lambda c: sorted(c.getImgIds(imgIds=c.getImgIds()[1:], catIds=c.getCatIds()[0])),
        lambda c: c.loadAnns(c.getAnnIds()),
        lambda c: c.loadAnns(c.getAnnIds()[0]),
        lambda c: c.loadAnns(),
        lambda c: c.loadCats(c.getCatIds()),
        lambda c: c.loadImgs(c.getImgIds()[0]),
        lambda c: c.info(),
        lambda c: [c.annToRLE(row) for row in c.loadAnns(c.getAnnIds())],
        lambda c: [c.annToMask(row) for row in c.loadAnns(c.getAnnIds())],
        lambda c: [dict(c.anns), dict(c.imgs), dict(c.cats), dict(c.imgToAnns), dict(c.catToImgs)],
        lambda c: c.showAnns([]),
    ]

    @pytest.mark.parametrize("number", range(len(CALLS)))
    def test_call(self, number):
        ours, theirs = (quiet(self.CALLS[number], quiet(load, tool, self.DATASET)[0]) for tool in TOOLS)
        same(ours, theirs)

    RESULTS = [
        GUESSES,
        [{key: value for key, value in row.items() if key != "bbox"} for row in GUESSES],
        [{key: value for key, value in row.items() if key != "segmentation"} for row in GUESSES],
        [{**GUESSES[0], "bbox": [], "area": 3, "id": 9, "iscrowd": 1}],
        [{"image_id": GUESSES[0]["image_id"], "caption": "a cat"}],
        [{"image_id": GUESSES[0]["image_id"], "category_id": 1, "keypoints": [1, 2, 2, 5, 9, 0, 3, 3, 1], "score": 1}],
        np.array([[row["image_id"], 1, 2, 3, 4.5, 0.5, 1] for row in GUESSES]),
        np.array([[row["image_id"], 1, 2, 3, 4.5, 0.5, 1] for row in GUESSES], np.float32),
    ]

    @pytest.mark.parametrize("number", range(len(RESULTS)))
    def test_results(self, number):
        answers = []
        for tool in TOOLS:
            truth, _ = quiet(load, tool, self.DATASET)
            given = copy.deepcopy(self.RESULTS[number])
            found, text = quiet(truth.loadRes, given)
            rows = [dict(sorted(row.items())) for row in found.dataset["annotations"]]  # whatever order keys came in
            answers.append([{**found.dataset, "annotations": rows}, text])
            assert isinstance(given, np.ndarray) or found.dataset["annotations"] is given
            assert found.dataset["images"][0] is truth.imgs[found.dataset["images"][0]["id"]]
        ours, theirs = answers
        assert ours[0].keys() == theirs[0].keys()
        same(dict(sorted(ours[0].items())), dict(sorted(theirs[0].items())))
        assert ours[1] == theirs[1]

    def test_show(self):
        plt = pytest.importorskip("matplotlib.pyplot")
        truth, _ = quiet(load, "ours", self.DATASET)
        figure, axes = plt.subplots()
        assert truth.showAnns(truth.loadAnns(truth.getAnnIds()), draw_bbox=True) is None
        polygons = sum(len(row["segmentation"]) for row in truth.anns.values() if type(row["segmentation"]) is list)
        masks = sum(type(row["segmentation"]) is dict for row in truth.anns.values())
        assert len(axes.patches) == polygons + len(truth.anns) and len(axes.images) == masks
        plt.close(figure)
        assert quiet(truth.showAnns, [{"caption": "a cat"}]) == (None, "a cat\n")
