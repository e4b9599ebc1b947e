"""Comparisons of label maps, outlines, panoptic maps and annotators, from what they are made of."""

import json
from pathlib import Path

import numpy as np
import pytest

import vesica
from vesica.cli import main
from vesica.comparison.tasks import task_of
from vesica.io import atomic

IMAGES = 16


def maps(share, seed=1):
    truth = np.random.default_rng(0).integers(0, 3, (IMAGES, 8, 8)).astype(np.uint8)
    return np.where(np.random.default_rng(seed).random(truth.shape) < share, truth, 0).astype(np.uint8)


TRUTH, OLD, NEW = maps(1.0), maps(0.7), maps(0.85, seed=2)


def boxes(blur, missed, seed=0):
    """What somebody marked of the same objects."""
    rng, own = np.random.default_rng(7), np.random.default_rng(seed)
    corner = rng.integers(0, 200, (3 * IMAGES, 2))
    every = np.concatenate([corner, corner + rng.integers(20, 90, (3 * IMAGES, 2))], axis=1).astype(float)
    image, kinds = np.repeat(np.arange(IMAGES), 3), rng.choice(["cat", "dog"], 3 * IMAGES)
    found = own.random(len(every)) >= missed
    near = every + own.uniform(-blur, blur, (len(every), 1)) if blur else every
    return vesica.Dataset.from_arrays(near[found], image=image[found], category=kinds[found], images=range(IMAGES))


class TestTask:
    @pytest.mark.parametrize(
        "truth, task",
        [
            (TRUTH, "segmentation"),
            (list(TRUTH), "segmentation"),
            ([[0, 1], [1, 0]], "segmentation"),
            (vesica.LabelMap(TRUTH[0]), "segmentation"),
            ("maps/*.png", "segmentation"),
            ("volume.nii.gz", "segmentation"),
            (Path("truth.json"), "detection"),
            ("truth.npz", "detection"),
            ([{"boxes": [], "labels": []}], "detection"),
            ([], "detection"),
            (boxes(0, 0), "detection"),
        ],
        ids=repr,
    )
    def test_what_a_truth_is_for(self, truth, task):
        assert task_of(truth) == task

    def test_folders_of_maps(self, tmp_path):
        assert task_of(tmp_path) == "detection"
        np.save(tmp_path / "a.npy", TRUTH[0])
        assert task_of(tmp_path) == "segmentation"
        (tmp_path / "labels.txt").write_text("0 0.5 0.5 0.1 0.1")
        assert task_of(tmp_path) == "detection"


class TestSegmentation:
    def test_is_that_of_results(self):
        results = [vesica.evaluate_segmentation(TRUTH, one) for one in (OLD, NEW)]
        want = vesica.compare(*results, names=["old", "new"])
        found = vesica.compare(TRUTH, {"old": OLD, "new": NEW})
        assert found.to_json() == want.to_json() and found.table()["lo"][0] > 0

    def test_generators_are_read_once(self):
        want = vesica.compare(TRUTH, OLD, NEW)
        assert vesica.compare(iter(TRUTH), iter(OLD), iter(NEW)).to_json() == want.to_json()

    def test_a_label_that_one_model_alone_has(self):
        """It is a class of all, and counts where it was made up alone."""
        strange = NEW.copy()
        strange[0, 0, 0] = 9
        found = vesica.compare(TRUTH, OLD, strange)
        before, after = (vesica.evaluate_segmentation(TRUTH, one) for one in (OLD, strange))
        assert found["mIoU"] == after["mIoU"] - before["mIoU"]
        rows = {row["category"]: row for row in found.classes()}
        assert [*vesica.compare(TRUTH, OLD, strange, ignore=7)] == [*found]
        assert rows["9"]["base"] is None and rows["9"]["value"] == 0 and rows["9"]["difference"] is None

    def test_groups(self):
        groups = [image // 4 for image in range(IMAGES)]
        told = vesica.compare(TRUTH, OLD, NEW, groups=groups, by="group", replicates=100).table()
        same = vesica.compare(TRUTH, OLD, NEW, by=dict(enumerate(groups)), replicates=100).table()
        assert [*told] == [*same] != [*vesica.compare(TRUTH, OLD, NEW, replicates=100).table()]

    @pytest.mark.parametrize(
        "options, text",
        [
            ({"ignroe": 1}, "compare has no option `ignroe`. Did you mean `ignore`"),
            ({"iou": 0.5}, "compare has no option `iou`; it takes `task`, .*`like`"),
            ({"num_classes": 3}, "categories=3"),
            ({"by": "group"}, '`by` must be one of "image", or a dict'),
            ({"task": "semantic"}, "`task` must be one of"),
            ({"task": "agreement"}, "takes data sets or paths.* got ndarray"),
        ],
        ids=str,
    )
    def test_wrong_calls(self, options, text):
        with pytest.raises((TypeError, ValueError), match=text):
            vesica.compare(TRUTH, OLD, NEW, **options)

    def test_results_have_their_task(self):
        one = vesica.evaluate_segmentation(TRUTH, OLD)
        with pytest.raises(TypeError, match="`task` is of scoring"):
            vesica.compare(one, one, task="segmentation")


class TestOtherTasks:
    def test_surfaces(self):
        found = vesica.compare(TRUTH, OLD, NEW, task="surfaces", categories=[1, 2])
        before, after = (vesica.evaluate_surfaces(TRUTH, one, categories=[1, 2]) for one in (OLD, NEW))
        assert found["HD"] == after["HD"] - before["HD"] < 0 and found.table()["hi"][0] < 0

    def test_panoptic(self):
        def side(share):
            blocks = np.kron(maps(share) + 1, np.ones((1, 2, 2), np.uint8))
            return [(one, {int(label): int(label) * 10 for label in np.unique(one)}) for one in blocks]

        options = {"categories": [10, 20, 30]}
        found = vesica.compare(side(1.0), side(0.6), side(0.9), task="panoptic", **options)
        before, after = (vesica.evaluate_panoptic(side(1.0), side(share), **options) for share in (0.6, 0.9))
        assert found["PQ"] == after["PQ"] - before["PQ"] > 0

    def test_agreement(self):
        expert, ann, ben = boxes(0, 0), boxes(8, 0.2, 1), boxes(2, 0.05, 2)
        found = vesica.compare(expert, {"ann": ann, "ben": ben}, task="agreement")
        before, after = (vesica.evaluate_agreement(expert, one) for one in (ann, ben))
        assert found["agreement"] == after["agreement"] - before["agreement"] > 0 and found.table()["lo"][0] > 0
        same = vesica.compare(expert, ann, ann, task="agreement").table()
        assert not same["difference"].any() and (same["p"] == 1).all()

    def test_agreement_where_one_has_a_class_of_his_own(self):
        expert, ann, ben = boxes(0, 0), boxes(3, 0.2, 1), boxes(3, 0.1, 2)
        kinds = np.where(np.arange(len(ben)) % 5, ben.categories.ids[ben.category], "bird")
        image = ben.images.ids[ben.image]
        other = vesica.Dataset.from_arrays(ben.boxes, image=image, category=kinds, images=range(IMAGES))
        found = vesica.compare(expert, ann, other, task="agreement")
        want = (
            vesica.evaluate_agreement(expert, other)["agreement"] - vesica.evaluate_agreement(expert, ann)["agreement"]
        )
        assert found["agreement"] == pytest.approx(want, abs=1e-15)


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, side in (("truth", TRUTH), ("old", OLD), ("new", NEW)):
        Path(name).mkdir()
        for image, one in enumerate(side):
            np.save(f"{name}/{image:02}.npy", one)
    for name, data in (("expert", boxes(0, 0)), ("ann", boxes(8, 0.2, 1)), ("ben", boxes(2, 0.05, 2))):
        vesica.write(f"{name}.npz", data)
    return tmp_path


def run(capsys, *words):
    try:
        code = main(list(words))
    except SystemExit as leaving:
        code = leaving.code
    out, err = capsys.readouterr()
    return code, out, err


class TestVerb:
    MAPS, PEOPLE = ("truth", "old", "new"), ("expert.npz", "ann.npz", "ben.npz")
    FEW = ("--replicates", "100", "--quiet")

    def test_label_maps(self, files, capsys):
        code, out, err = run(capsys, "compare", *self.MAPS, "--json", *self.FEW)
        facts = json.loads(vesica.compare(*self.MAPS, replicates=100).to_json())
        assert (code, err) == (0, "") and json.loads(out) == facts | {"gates": []}
        assert facts["of"] == "segmentation" and facts["models"] == ["old", "new"]

    def test_options_of_label_maps(self, files, capsys):
        groups = {f"{image:02}": image // 4 for image in range(IMAGES)}
        with atomic.file("groups.json") as file:
            file.write(json.dumps(groups).encode())
        words = ("--background", "2", "--classes", "road,sky,car", "--groups", "groups.json", "--by", "group")
        code, out, _ = run(capsys, "compare", *self.MAPS, "--json", *self.FEW, *words)
        want = vesica.compare(
            *self.MAPS, background=2, categories=["road", "sky", "car"], groups=groups, by="group", replicates=100
        )
        assert code == 0 and json.loads(out)["numbers"] == list(want.table())

    def test_gates(self, files, capsys):
        gates = ("--gate", "mIoU drop<=0.01 @95%", "--gate", "IoU[1]>=0.99")
        code, out, _ = run(capsys, "compare", *self.MAPS, *self.FEW, *gates)
        assert code == 1 and "passed  mIoU drop<=0.01 @95%" in out and "FAILED  IoU[1]>=0.99" in out

    def test_agreement(self, files, capsys):
        code, out, _ = run(capsys, "compare", *self.PEOPLE, "--task", "agreement", "--json", *self.FEW)
        want = vesica.compare(*self.PEOPLE, task="agreement", replicates=100)
        assert code == 0 and json.loads(out)["numbers"] == list(want.table())

    @pytest.mark.parametrize(
        "words, code, message",
        [
            ((*MAPS, "--iou", "0.5"), 2, "--iou says nothing of segmentation"),
            ((*MAPS, "--sizes", "9,9"), 2, "--sizes says nothing of segmentation"),
            ((*PEOPLE, "--map", "cityscapes", "--task", "agreement"), 2, "--map says nothing of agreement"),
            ((*PEOPLE, "--ignore", "0"), 2, "--ignore says nothing of detection"),
            ((*MAPS, "--like", "sklearn", "--average", "images"), 2, "--like decides the order"),
            ((*MAPS, "--by", "patient"), 2, "`--by` must be one of"),
            ((*MAPS[:2], "nowhere"), 3, "nowhere cannot be read"),
            ((*MAPS[:2], "expert.npz"), 3, "expert.npz"),
            (PEOPLE, 3, "Guesses must have scores"),
            (MAPS[:2], 2, "compare needs two models or more"),
        ],
        ids=str,
    )
    def test_errors(self, files, capsys, words, code, message):
        found, _, err = run(capsys, "compare", *words)
        assert found == code and message in err
