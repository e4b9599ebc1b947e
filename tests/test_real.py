"""Real files that nobody here wrote. They are not part of the repository: these tests look for them beside it."""

import json
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

import vesica
from vesica import Masks, RleMasks

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the folder shared/data lies not beside the repository")


def read(path):
    return json.loads((DATA / path).read_text())


def drawn(segmentation, height, width):
    """COCO's polygons or counts as one compressed dict, by COCO's own tool."""
    from pycocotools import mask

    parts = mask.frPyObjects(segmentation, height, width)
    return mask.merge(parts) if isinstance(parts, list) else parts


def annotated(path):
    """The masks of each image of a COCO file."""
    file = read(path)
    sizes = {image["id"]: (image["height"], image["width"]) for image in file["images"]}
    found = defaultdict(list)
    for row in file["annotations"]:
        found[row["image_id"]].append(drawn(row["segmentation"], *sizes[row["image_id"]]))
    return [RleMasks.from_coco(masks) for masks in found.values()]


def detected(path):
    """The masks of each image of a detector, by image."""
    images = read(path)["images"]
    return {image["image_id"]: [found["mask"] for found in image["dets"]] for image in images if image["dets"]}


def summed(pairs):
    """Pairs, the sum of their iou, how many meet, how many reach a half; the last two by join as well."""
    matrices = [vesica.iou(a, b) for a, b in pairs]
    joined = [vesica.join(a, b, at_least=0.5) for a, b in pairs]
    meeting = sum(len(vesica.join(a, b, at_least=0, strict=True)) for a, b in pairs)
    total = float(np.sum([matrix.sum() for matrix in matrices]))
    above, half = (sum(int((matrix >= least).sum()) for matrix in matrices) for least in (5e-324, 0.5))
    assert sum(map(len, joined)) == half and meeting == above
    return sum(matrix.size for matrix in matrices), total, above, half


@pytest.mark.parametrize(
    "path, pairs, total",
    [
        ("coco100/instances_val2014_100.json", 14_463, 863.294070197),
        ("coco_mini/instances_val2017.json", 8_156, 649.323414384),
        ("lvis100/lvis_val_100.json", 29_927, 1022.897185172),
    ],
    ids=["coco100", "coco_mini", "lvis100"],
)
def test_annotations_with_themselves(path, pairs, total):
    pytest.importorskip("pycocotools")
    images = annotated(path)
    found = summed([(masks, masks) for masks in images])
    assert found[0] == pairs
    assert found[1] == pytest.approx(total, abs=2e-9)
    if "lvis" in path:
        assert found[2] == 1_973


def test_two_detectors():
    base, resnet = detected("yolact/yolact_base.json"), detected("yolact/yolact_resnet50.json")
    both = [tuple(RleMasks.from_coco(side[k]) for side in (base, resnet)) for k in base.keys() & resnet.keys()]
    pairs, total, above, half = summed(both)
    assert (pairs, above, half) == (232_177, 15_768, 2_325)
    assert total == pytest.approx(3000.248566907, abs=2e-9)


def test_a_detector_with_itself():
    base = [RleMasks.from_coco(masks) for masks in detected("yolact/yolact_base.json").values()]
    assert summed([(masks, masks) for masks in base])[1] == pytest.approx(5079.415521249, abs=2e-9)


def test_nuclei():
    images = [RleMasks(image["rle"], size=image["size"]) for image in read("nuclei/stage1_train_rle.json")["images"]]
    assert (len(images), sum(map(len, images)), max(map(len, images))) == (664, 28_986, 375)
    pairs, total, above, _ = summed([(masks, masks) for masks in images])
    assert (pairs, above) == (2_749_322, 28_998)
    assert total == pytest.approx(28986.026500723, abs=2e-9)


def test_boxes_of_masks():
    """torchvision's picture: one mask a frame. Its boxes include the last pixel, ours end behind it."""
    image = pytest.importorskip("PIL.Image")
    with image.open(DATA / "torchvision" / "masks.tiff") as file:
        frames = []
        for frame in range(file.n_frames):
            file.seek(frame)
            frames.append(np.array(file))
    inclusive = [
        [127, 2, 165, 40], [2, 50, 44, 92], [56, 63, 98, 100], [139, 68, 175, 104],
        [160, 112, 198, 145], [49, 138, 99, 182], [108, 148, 152, 213],
    ]  # fmt: skip
    masks = Masks(np.stack(frames))
    for form in (masks, masks.to_rle(), vesica.SparseMasks.from_masks(masks)):
        assert np.array_equal(form.boxes.xyxy, np.array(inclusive) + [0, 0, 1, 1])


class TestCoco:
    """The native reader has what Python's json has."""

    @pytest.mark.parametrize(
        "path",
        [
            "coco100/instances_val2014_100.json",
            "coco100/instances_val2014_fakebbox100_results.json",
            "coco100/instances_val2014_fakesegm100_results.json",
            "coco_mini/instances_val2017.json",
            "lvis100/lvis_val_100.json",
        ],
    )
    def test_columns(self, path):
        from vesica.io.coco import dataset_of

        file, data = read(path), dataset_of(DATA / path)
        rows = file if isinstance(file, list) else file["annotations"]
        assert data.images.ids[data.image].tolist() == [row["image_id"] for row in rows]
        assert data.categories.ids[data.category].tolist() == [row["category_id"] for row in rows]
        for key, column in (("bbox", data.xywh), ("score", data.score), ("area", data.area), ("id", data.id)):
            if column is not None:
                assert column.tolist() == [row[key] for row in rows]
        if data.segments is not None:
            assert [json.loads(text) for text in data.segments.written()] == [row["segmentation"] for row in rows]
        if data.images.absent is not None:
            lists = np.split(data.images.absent.values, data.images.absent.offsets[1:-1])
            assert [one.tolist() for one in lists] == [image["neg_category_ids"] for image in file["images"]]
