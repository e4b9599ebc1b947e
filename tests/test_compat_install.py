"""The stand-in under pycocotools' own name, and keypoints, which that tool still scores."""

import copy
import json
import re
import subprocess
import sys

import numpy as np
import pytest

from vesica.compat import cocoeval as our_eval

pytest.importorskip("pycocotools")
from beside import TOOLS, quiet, same

SCRIPT = """
import json, sys
{first}
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval, Params
import pycocotools.mask as masks, pycocotools
from pycocotools import mask
assert masks is mask is pycocotools.mask
truth = COCO(sys.argv[1])
for path, kind in ((sys.argv[2], "bbox"), (sys.argv[3], "keypoints"), (sys.argv[2], "bbox")):
    guess = truth.loadRes(path)
    scores = COCOeval(truth, guess, kind)
    scores.evaluate()
    scores.accumulate()
    scores.summarize()
    print(kind, scores.stats.tolist(), Params(kind).maxDets, scores.eval["precision"].sum())
print({module}, file=sys.stderr)
"""
INSTALL = "import vesica.compat; vesica.compat.install()"


def job(seed=0):
    """People with 17 key points each: truths, boxes and poses that were found."""
    rng = np.random.default_rng(seed)
    truth = {"images": [], "annotations": [], "categories": [{"id": 1, "name": "person"}]}
    boxes, poses = [], []
    for image in range(1, 9):
        truth["images"].append({"id": image, "height": 200, "width": 200})
        for _ in range(3):
            x, y, w, h = rng.uniform(10, 60, 4).round(2).tolist()
            seen = rng.integers(0, 3, 17)
            points = np.stack([x + w * rng.random(17), y + h * rng.random(17), seen], axis=1).round(2)
            row = {"image_id": image, "category_id": 1, "bbox": [x, y, w, h], "area": w * h, "iscrowd": 0}
            row |= {"keypoints": points.reshape(-1).tolist(), "num_keypoints": int((seen > 0).sum())}
            truth["annotations"].append({"id": len(truth["annotations"]) + 1, **row})
            points[:, :2] += rng.normal(0, 3, (17, 2))
            found = {"image_id": image, "category_id": 1, "score": float(rng.random())}
            boxes.append({**found, "bbox": [x + 1, y, w, h]})
            poses.append({**found, "keypoints": points.reshape(-1).tolist()})
    return truth, boxes, poses


class TestInstall:
    def run(self, tmp_path, first, module="COCO.__module__"):
        paths = [tmp_path / name for name in ("truth.json", "boxes.json", "poses.json")]
        for path, value in zip(paths, job(), strict=True):
            path.write_text(json.dumps(value))
        code = SCRIPT.format(first=first, module=module)
        done = subprocess.run([sys.executable, "-c", code, *map(str, paths)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return re.sub(r"t=\d+\.\d\ds", "t=s", done.stdout), done.stderr.strip().splitlines()[-1]

    def test_a_script_that_also_scores_keypoints(self, tmp_path):
        """The same printed lines and numbers, with one line more at its top."""
        theirs, whose = self.run(tmp_path, "")
        ours, mine = self.run(tmp_path, INSTALL)
        assert (whose, mine) == ("pycocotools.coco", "vesica.compat.coco")
        assert ours == theirs and "keypoints [0." in ours

    def test_twice(self, tmp_path):
        assert self.run(tmp_path, f"{INSTALL}; vesica.compat.install()")[1] == "vesica.compat.coco"

    def test_too_late(self):
        with pytest.raises(
            RuntimeError, match=r"pycocotools.* is already loaded.* Call vesica.compat.install\(\) first"
        ):
            sys.modules["vesica.compat"].install()
        assert sys.modules["pycocotools"] is not sys.modules["vesica.compat"]

    def test_nothing_is_loaded_before(self):
        code = "import sys, vesica.compat; print([n for n in sys.modules if n in ('numpy', 'pycocotools')])"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert done.stdout.strip() == "[]"


class TestKeypoints:
    """By one import line."""

    @pytest.mark.parametrize("seed", range(3))
    def test_same_numbers(self, seed):
        def answer(tool):
            truth = TOOLS[tool][0].COCO()
            truth.dataset = copy.deepcopy(job(seed)[0])
            truth.createIndex()
            scores = TOOLS[tool][1].COCOeval(truth, truth.loadRes(copy.deepcopy(job(seed)[2])), "keypoints")
            scores.params.maxDets = [10]
            scores.evaluate()
            scores.accumulate()
            return scores.eval["precision"], scores.eval["recall"]

        same(quiet(answer, "ours")[0], quiet(answer, "theirs")[0])

    def test_whose_they_are(self):
        from pycocotools.cocoeval import COCOeval, Params

        assert type(our_eval.COCOeval(iouType="keypoints")) is COCOeval
        assert type(our_eval.Params("keypoints")) is Params
        assert type(our_eval.COCOeval(iouType="bbox")) is our_eval.COCOeval
