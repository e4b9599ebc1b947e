"""Whole scripts, real files and another library, with the stand-in for pycocotools."""

import importlib
import json
import re
import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pycocotools")
from beside import TOOLS, case, load, look_the_same, quiet, same

# What pycocotools itself does with NumPy 2.
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
real = pytest.mark.skipif(not DATA.is_dir(), reason="the folder shared/data lies not beside the repository")


SCRIPT = """
import json, sys
{imports}
truth = COCO(sys.argv[1])
guess = truth.loadRes(sys.argv[2])
for kind in ("bbox", "segm"):
    scores = COCOeval(truth, guess, kind)
    scores.params.imgIds = sorted(truth.getImgIds())[:60]
    scores.params.areaRng[1][1] = 40 ** 2
    scores.evaluate()
    scores.accumulate()
    scores.summarize()
    print(scores.stats.tolist(), scores.eval["precision"].sum(), [e and e["dtIds"] for e in scores.evalImgs][:50])
print(mask.area([truth.annToRLE(a) for a in truth.loadAnns(truth.getAnnIds()[:9])]).tolist())
"""


class TestScripts:
    """A script that changes one import line."""

    THEIRS = (
        "from pycocotools.coco import COCO\nfrom pycocotools.cocoeval import COCOeval\nfrom pycocotools import mask"
    )
    OURS = [
        "from vesica.compat.coco import COCO, COCOeval, mask",
        THEIRS.replace("pycocotools", "vesica.compat"),
        "from vesica.compat import coco, cocoeval, mask\nCOCO, COCOeval = coco.COCO, cocoeval.COCOeval",
    ]

    @staticmethod
    def run(imports, *paths):
        code = SCRIPT.format(imports=imports)
        done = subprocess.run([sys.executable, "-c", code, *map(str, paths)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return re.sub(r"t=\d+\.\d\ds", "t=s", done.stdout)

    def test_generated(self, tmp_path):
        dataset, guesses = case(30, masks=True)
        for row in [*dataset["annotations"], *guesses]:
            if isinstance(row["segmentation"], dict) and isinstance(row["segmentation"]["counts"], bytes):
                row["segmentation"]["counts"] = row["segmentation"]["counts"].decode()
        paths = tmp_path / "truth.json", tmp_path / "guess.json"
        for path, value in zip(paths, (dataset, guesses), strict=True):
            path.write_text(json.dumps(value))
        assert len({self.run(imports, *paths) for imports in (self.THEIRS, *self.OURS)}) == 1

    @real
    def test_real(self):
        paths = (
            DATA / "coco100/instances_val2014_100.json",
            DATA / "coco100/instances_val2014_fakesegm100_results.json",
        )
        assert self.run(self.OURS[0], *paths) == self.run(self.THEIRS, *paths)


@real
class TestReal:
    """Files that nobody here wrote."""

    @pytest.mark.parametrize("kind, ap", [("bbox", 0.5045806987249628), ("segm", 0.3195452758576433)])
    def test_coco100(self, kind, ap):
        dataset = json.loads((DATA / "coco100/instances_val2014_100.json").read_text())
        name = f"coco100/instances_val2014_fake{kind}100_results.json"
        scores = look_the_same(dataset, json.loads((DATA / name).read_text()), kind)
        assert scores.stats[0] == ap

    def test_without_categories(self):
        dataset = json.loads((DATA / "coco100/instances_val2014_100.json").read_text())
        guesses = json.loads((DATA / "coco100/instances_val2014_fakesegm100_results.json").read_text())
        look_the_same(dataset, guesses, "segm", {"useCats": 0})

    def test_masks_of_truths(self):
        dataset = json.loads((DATA / "coco_mini/instances_val2017.json").read_text())
        ours, theirs = (quiet(load, tool, dataset)[0] for tool in TOOLS)
        for number, row in ours.anns.items():
            same(ours.annToRLE(row), theirs.annToRLE(theirs.anns[number]))


class TestTorchmetrics:
    """The mean average precision of torchmetrics, with this module where it expects pycocotools."""

    @staticmethod
    def batches(rng, torch):
        for _ in range(4):
            guesses, truths = [], []
            for _ in range(2):
                corners = rng.integers(0, 40, (12, 2, 2)).astype(np.float32)
                boxes = torch.from_numpy(np.concatenate([corners[:, 0], corners[:, 0] + corners[:, 1] + 1], axis=1))
                masks = torch.from_numpy(rng.random((12, 20, 16)) < 0.5)
                labels = torch.from_numpy(rng.integers(0, 3, 12))
                n = int(rng.integers(0, 9))
                truths.append({"boxes": boxes[:n], "labels": labels[:n], "masks": masks[:n]})
                truths[-1]["iscrowd"] = torch.from_numpy((rng.random(n) < 0.2).astype(np.int64))
                scores = torch.from_numpy(rng.choice([0.1, 0.5, 0.5, 0.9], 12).astype(np.float32))
                shifted = boxes + torch.from_numpy(rng.integers(0, 3, (12, 4)).astype(np.float32))
                guesses.append({"boxes": shifted, "labels": labels, "scores": scores, "masks": masks})
            yield guesses, truths

    @pytest.fixture
    def mean_ap(self, monkeypatch):
        """The metric. Of torchvision it needs one function, which stands here for those who do not have the rest."""
        torch = pytest.importorskip("torch")
        module = pytest.importorskip("torchmetrics.detection.mean_ap")

        def box_convert(boxes, in_fmt, out_fmt):
            assert (in_fmt, out_fmt) == ("xyxy", "xywh")
            return torch.cat([boxes[:, :2], boxes[:, 2:] - boxes[:, :2]], dim=1)

        if not module._TORCHVISION_AVAILABLE:
            monkeypatch.setattr(module, "_TORCHVISION_AVAILABLE", True)
            ops = types.ModuleType("torchvision.ops")
            ops.box_convert = box_convert
            monkeypatch.setitem(sys.modules, "torchvision", types.ModuleType("torchvision"))
            monkeypatch.setitem(sys.modules, "torchvision.ops", ops)
        return module

    @pytest.mark.filterwarnings("ignore::UserWarning")
    @pytest.mark.parametrize("kind", ["bbox", "segm", ("bbox", "segm")], ids=str)
    @pytest.mark.parametrize(
        "options",
        [
            {},
            {"class_metrics": True, "extended_summary": True, "max_detection_thresholds": [1, 2, 5]},
            {"average": "micro", "iou_thresholds": [0.5, 0.6]},
        ],
        ids=["plain", "classes", "micro"],
    )
    def test_same(self, mean_ap, kind, options, monkeypatch):
        import torch

        answers = []
        for package in ("pycocotools", "vesica.compat"):
            with monkeypatch.context() as patch:
                for name in ("", ".coco", ".cocoeval", ".mask"):
                    patch.setitem(sys.modules, f"pycocotools{name}", importlib.import_module(package + name))
                metric = mean_ap.MeanAveragePrecision(iou_type=kind, **options)
                assert metric._coco_backend.cocoeval is importlib.import_module(f"{package}.cocoeval").COCOeval
                for guesses, truths in self.batches(np.random.default_rng(7), torch):
                    metric.update(guesses, truths)
                answers.append(quiet(metric.compute)[0])
        theirs, ours = answers
        assert list(ours) == list(theirs)
        for key, value in theirs.items():
            pairs = value.items() if isinstance(value, dict) else [(None, value)]
            for place, one in pairs:
                other = ours[key] if place is None else ours[key][place]
                assert np.array_equal(np.asarray(one), np.asarray(other), equal_nan=True), (key, place)
        assert any(0 < float(value) < 1 for key, value in theirs.items() if key.endswith(("map", "map_50")))
