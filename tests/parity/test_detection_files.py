"""Detection scores of files: from the file to the same bytes as from arrays, and the recorded numbers of real data."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

import pycoco
import vesica
from scenes import awkward, datasets
from vesica import Dataset

pytest.importorskip("pycocotools")

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
real = pytest.mark.skipif(not DATA.is_dir(), reason="the folder shared/data lies not beside the repository")


def bits(result):
    return [getattr(result, name).tobytes() for name in ("precision", "recall", "scores", "stats")]


@pytest.mark.parametrize("regions", ["box", "mask"])
def test_file_and_array(tmp_path, regions):
    """Both doors, any number of threads: equal records, arrays and numbers."""
    paths = tmp_path / "truth.json", tmp_path / "results.json"
    for seed in range(24):
        job = awkward(seed, masks=regions == "mask")
        for path, value in zip(paths, (job.truth, job.results), strict=True):
            path.write_text(json.dumps(value))
        options = {"regions": regions, "quirks": "pycocotools"}
        made = vesica.evaluate(*datasets(job.truth, job.results), **options)
        for threads in (1, 2, 3, 8, 16):
            read = vesica.evaluate(*paths, **options, threads=threads)
            assert bits(read) == bits(made), (seed, threads)


# All twelve of pycocotools 2.0.11 are asked for live; these are the ones that are written down with the data.
COCO100 = {
    "box": (0.5045806987249628, 0.6969727247299577, 0.5729816669904824),
    "mask": (0.3195452758576433, 0.5622883972521636, 0.29892653412086784),
}
AREA_IS_BOX = (
    *(0.503647, 0.696973, 0.571667, 0.593252, 0.557991, 0.489363),
    *(0.386813, 0.593680, 0.595353, 0.654764, 0.603130, 0.553744),
)


@real
@pytest.mark.parametrize("regions, name", [("box", "bbox"), ("mask", "segm")])
def test_coco100(regions, name):
    paths = [DATA / "coco100" / "instances_val2014_100.json"]
    paths.append(DATA / "coco100" / f"instances_val2014_fake{name}100_results.json")
    theirs = pycoco.answer(*(json.loads(path.read_text()) for path in paths), regions=regions)
    for quirks in (None, "pycocotools"):
        for threads in (1, 2):
            ours = vesica.evaluate(*paths, regions=regions, quirks=quirks, threads=threads)
            assert bits(ours) == [one.tobytes() for one in theirs[:4]]
            assert ours.stats[:3].tolist() == list(COCO100[regions])


@real
def test_area_is_box():
    folder = DATA / "coco100" / "area_is_box"
    paths = folder / "gts" / "sampled_gts_bbox_area.json", folder / "cocoapi_results.json"
    ours = vesica.evaluate(*paths)
    assert ours.stats == pytest.approx(AREA_IS_BOX, abs=6e-7)
    assert bits(ours) == [one.tobytes() for one in pycoco.answer(*(json.loads(p.read_text()) for p in paths))[:4]]


def rows_of(name):
    with (DATA / "val2017_boxes" / name).open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def val2017():
    """All truth boxes of 5,000 images, recorded numbers, and how the classes are called by others."""
    reference = json.loads((DATA / "val2017_boxes" / "reference_pycocotools.json").read_text())
    return rows_of("gt.csv"), [int(row["image_id"]) for row in rows_of("images.csv")], reference


def data_of(rows, names, images, **columns):
    boxes = np.array([[float(row[key]) for key in ("x1", "y1", "x2", "y2")] for row in rows])
    # Inputs as the reference has them: x2 − x1.
    return Dataset.from_arrays(
        np.concatenate([boxes[:, :2], boxes[:, 2:] - boxes[:, :2]], axis=1),
        form="xywh",
        image=[int(row["image_id"]) for row in rows],
        category=[names.get(row["class"], row["class"].replace("-", " ")) for row in rows],
        images=images,
        **columns,
    )


@real
def test_val2017(val2017):
    rows, images, reference = val2017
    found = rows_of("dets_image_space.csv")
    names = reference["class_synonyms"]
    truth = data_of(rows, names, images)
    guess = data_of(found, names, images, score=[float(row["score"]) for row in found])
    recorded = next(value for name, value in reference["results"].items() if "dets_image_space" in name)
    for threads in (1, 2):
        assert vesica.evaluate(truth, guess, threads=threads).stats == pytest.approx(recorded, abs=6e-10)


@real
@pytest.mark.parametrize("model", ["yolact_base", "yolact_resnet50"])
def test_yolact(val2017, model):
    """Boxes of two real models on 100 of the images."""
    rows, _, reference = val2017
    found = json.loads((DATA / "yolact" / f"{model}.json").read_text())["images"]
    images = sorted(image["image_id"] for image in found)
    names = reference["class_synonyms"]
    truth = data_of([row for row in rows if int(row["image_id"]) in set(images)], names, images)
    flat = [(image["image_id"], row) for image in found for row in image["dets"]]
    guess = Dataset.from_arrays(
        [row["bbox"] for _, row in flat],
        form="xywh",
        image=[image for image, _ in flat],
        category=[row["category"] for _, row in flat],
        score=[row["score"] for _, row in flat],
        images=images,
    )
    recorded = reference["results"][f"yolact_dets/{model}.json"]
    assert vesica.evaluate(truth, guess).stats == pytest.approx(recorded, abs=6e-10)


@real
def test_yolact_masks():
    """The masks of one model against those of the other, as if they were truths: equal bytes, crowds and all."""
    base, resnet = (
        json.loads((DATA / "yolact" / f"{model}.json").read_text())["images"]
        for model in ("yolact_base", "yolact_resnet50")
    )
    flat = [(image["image_id"], row) for image in base for row in image["dets"] if row["score"] > 0.15]
    names = sorted({row["category"] for image in (*base, *resnet) for row in image["dets"]})
    truth = {
        "images": [
            {"id": image["image_id"], "height": size[0], "width": size[1]}
            for image in base
            for size in [next((row["mask"]["size"] for row in image["dets"]), [1, 1])]
        ],
        "categories": [{"id": k, "name": name} for k, name in enumerate(names, 1)],
        "annotations": [
            {
                "id": k,
                "image_id": image,
                "category_id": 1 + names.index(row["category"]),
                "bbox": row["bbox"],
                "segmentation": row["mask"],
                "area": row["bbox"][2] * row["bbox"][3] * 0.6,
                "iscrowd": int(k % 20 == 0),
            }
            for k, (image, row) in enumerate(flat, 1)
        ],
    }
    known = {row["id"] for row in truth["images"]}
    results = [
        {
            "image_id": image["image_id"],
            "category_id": 1 + names.index(row["category"]),
            "segmentation": row["mask"],
            "score": row["score"],
        }
        for image in resnet
        if image["image_id"] in known
        for row in image["dets"]
    ]
    theirs = pycoco.answer(truth, results, regions="mask")
    for threads in (1, 2):
        ours = vesica.evaluate(*datasets(truth, results), regions="mask", threads=threads)
        assert bits(ours) == [one.tobytes() for one in theirs[:4]]
