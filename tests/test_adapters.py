"""Data sets from dicts, and from what other libraries call a result."""

from types import SimpleNamespace

import numpy as np
import pytest

from samples import same
from vesica import Boxes, Dataset, RleMasks, RotatedBoxes

torch = pytest.importorskip("torch")

CROSS = np.zeros((2, 5, 6), bool)
CROSS[0, 1:4, 2] = CROSS[0, 2, 1:4] = CROSS[1, 0, 0] = True


def found(boxes=((0, 0, 4, 4), (2, 2, 6, 6)), scores=(0.9, 0.8), labels=(1, 3), **more):
    tensors = {"boxes": torch.tensor(boxes).reshape(-1, 4) * 1.0, "labels": torch.tensor(labels, dtype=torch.int64)}
    return tensors | ({} if scores is None else {"scores": torch.tensor(scores, dtype=torch.float64)}) | more


class TestDicts:
    def test_guesses(self):
        data = Dataset.from_dicts([found(), found((), (), ()), found(((1, 1, 2, 3),), (0.5,), (1,))])
        same(
            data,
            Dataset.from_arrays(
                [[0, 0, 4, 4], [2, 2, 6, 6], [1, 1, 2, 3]],
                image=[0, 0, 2],
                category=[1, 3, 1],
                score=[0.9, 0.8, 0.5],
                images=[0, 1, 2],
            ),
        )

    def test_truths_with_everything(self):
        crowd, area = torch.tensor([0, 1]), torch.tensor([12.0, 16.0])
        data = Dataset.from_dicts([found(scores=None, iscrowd=crowd, area=area, image_id=torch.tensor([17]))])
        assert data.images.ids.tolist() == [17] and data.crowd.tolist() == [False, True]
        assert data.area.tolist() == [12, 16] and data.score is None

    def test_none_reads_as_absent(self):
        data = Dataset.from_dicts([found(scores=None, area=None, masks=None, iscrowd=None)])
        assert data.score is None and data.area is None and data.segments is None

    def test_ids(self):
        assert Dataset.from_dicts([found(), found()], images=["b", "a"]).images.ids.tolist() == ["b", "a"]
        with pytest.raises(ValueError, match="`images` must have one for each of the 1 rows; got 2"):
            Dataset.from_dicts([found()], images=[1, 2])
        with pytest.raises(ValueError, match="5 comes twice"):
            Dataset.from_dicts([found(image_id=5), found(image_id=5)])

    def test_form(self):
        assert Dataset.from_dicts([found()], form="xywh").xywh.tolist() == [[0, 0, 4, 4], [2, 2, 6, 6]]

    def test_names_as_labels(self):
        data = Dataset.from_dicts([{"boxes": [[0, 0, 1, 1]], "labels": ["cat"]}])
        assert data.categories.ids.tolist() == ["cat"]

    def test_no_labels_are_one_category(self):
        data = Dataset.from_dicts([{"boxes": [[0, 0, 1, 1]]}])
        assert data.categories.ids.tolist() == [1]

    @pytest.mark.parametrize(
        "masks, above",
        [
            (torch.from_numpy(CROSS), None),
            (torch.from_numpy(CROSS).to(torch.uint8), None),
            (torch.from_numpy(CROSS)[:, None] * 0.75, 0.5),
            (CROSS * np.float32(0.75), 0.5),
            (RleMasks.from_masks(CROSS).to_coco(), None),
        ],
    )
    def test_masks(self, masks, above):
        other = np.ones((1, 3, 3), bool)
        last = found(((0, 0, 3, 3),), (0.5,), (1,), masks=other)
        data = Dataset.from_dicts([found(masks=masks), last], above=above)
        wanted = RleMasks.from_masks(CROSS).to_strings() + RleMasks.from_masks(other).to_strings()
        assert list(data.segments.written()) == wanted
        assert data.images.height.tolist() == [5, 3] and data.images.width.tolist() == [6, 3]

    def test_masks_alone(self):
        data = Dataset.from_dicts([{"masks": CROSS, "labels": [1, 2]}])
        assert data.xywh is None and len(data.segments) == 2

    def test_gradient(self):
        boxes = torch.tensor([[0.0, 0, 1, 1]], requires_grad=True)
        assert Dataset.from_dicts([{"boxes": boxes, "labels": [1]}]).xywh.tolist() == [[0, 0, 1, 1]]

    @pytest.mark.parametrize(
        "dicts, error, words",
        [
            ({"boxes": []}, TypeError, "a list with one dict for each image; got dict"),
            ([3], TypeError, "Image 0 must be a dict; got int"),
            ([{"labels": [1]}], TypeError, r'Image 0 has neither "boxes" nor "masks"; it has \[.labels.\]'),
            ([found(), found(scores=None)], ValueError, "`scores` must be given for all images or for none; image 1"),
            ([found(scores=(0.5,))], ValueError, "`scores` of image 0 must have one for each of its 2 objects"),
            ([found(masks=CROSS[:1])], ValueError, "Image 0 must have as many `masks` as `boxes`; got 1 and 2"),
            ([found(masks=CROSS * 0.5)], TypeError, "`masks` of image 0 are float64: say which values belong"),
            ([{"boxes": [[1, 2, 3]]}], ValueError, r"`boxes` of image 0 must have shape \(N, 4\); got \(1, 3\)"),
            ([{"boxes": [[5, 2, 3, 4]]}], ValueError, "`boxes` row 0 is inverted"),
        ],
    )
    def test_refused(self, dicts, error, words):
        with pytest.raises(error, match=words):
            Dataset.from_dicts(dicts)

    def test_no_images(self):
        assert len(Dataset.from_dicts([]).images) == 0


class TestFields:
    def test_other_names(self):
        """transformers, mmdet, Ultralytics."""
        plain = Dataset.from_dicts([found()])
        one = {"bboxes": plain.boxes.xyxy, "cls": [1, 3], "conf": plain.score}
        other = Dataset.from_dicts([one])
        assert other.categories.ids.tolist() == [1, 3] and other.score.tolist() == plain.score.tolist()
        assert Dataset.from_dicts([{"boxes": [[0, 0, 1, 1]], "class_labels": [4]}]).categories.ids.tolist() == [4]
        assert Dataset.from_dicts([{"mask_labels": CROSS, "class_labels": [4, 5]}]).segments is not None

    @pytest.mark.parametrize(
        "extra, words",
        [
            ({"class_labels": [1, 3]}, 'Image 0 has "class_labels" and "labels", which both mean its labels'),
            ({"labels": None, "cls": [1, 3], "class_labels": [1, 3]}, "which both mean its labels: leave one out"),
            ({"labels": None, "category_id": [1, 3]}, 'has "category_id" and no "labels": write {"labels": one'),
            ({"scores": None, "confidence": [1, 3]}, 'has "confidence" and no "scores"'),
            ({"boxes": None, "bbox": [[0, 0, 1, 1]]}, 'has "bbox" and no "boxes"'),
        ],
    )
    def test_names_that_are_not_read(self, extra, words):
        with pytest.raises(TypeError, match=words):
            Dataset.from_dicts([dict(found()) | extra])

    def test_what_else_is_there_does_not_matter(self):
        data = Dataset.from_dicts([dict(found()) | {"category": "street", "names": ["x"], "keypoints": object()}])
        assert len(data) == 2 and data.categories.names is None

    @pytest.mark.parametrize(
        "sizes", ["orig_size", (50, 200), [(50, 200), (50, 200)], {0: (50, 200), 1: (50, 200)}], ids=str
    )
    def test_shares(self, sizes):
        one = {"boxes": [[0.25, 0.5, 0.75, 1.0]], "orig_size": np.array([50, 200]), "size": (9, 9)}
        data = Dataset.from_dicts([one, one], normalised=True, sizes=sizes)
        assert data.boxes.xyxy.tolist() == [[50, 25, 150, 50]] * 2 and data.images.height.tolist() == [50, 50]

    def test_area_beside_shares_is_not_read(self):
        """Of the image as it was, or as it was scaled? transformers scales it."""
        one = {"boxes": [[0.25, 0.5, 0.75, 1.0]], "area": [7.0]}
        assert Dataset.from_dicts([one], normalised=True, sizes=(50, 200)).area is None
        assert Dataset.from_dicts([one]).area.tolist() == [7]

    @pytest.mark.parametrize(
        "sizes, error, words",
        [
            (None, TypeError, '`normalised` boxes need `sizes`: the key of .height, width. .*"orig_size"'),
            ("area", TypeError, '`sizes` must be a key of each image; image 0 has no "area", but ..boxes'),
            ([(5, 5)] * 3, ValueError, "`sizes` must be one for each of the 2 images; got 3"),
            ({0: (5, 5)}, ValueError, "nobody said how large image 1 is"),
        ],
        ids=str,
    )
    def test_shares_of_what(self, sizes, error, words):
        with pytest.raises(error, match=words):
            Dataset.from_dicts([{"boxes": [[0.25, 0.5, 0.75, 1.0]]}] * 2, normalised=True, sizes=sizes)


class Compact:
    """Runs inside crops, as supervision keeps them: one mask at a time is dense."""

    def __init__(self, stack):
        self.stack = stack
        self.shape, self.dtype = stack.shape, stack.dtype

    def __len__(self):
        return len(self.stack)

    def __getitem__(self, k):
        return self.stack[k]

    def to_dense(self):
        raise AssertionError("the whole stack was made")


def detections(mask=None, confidence=(0.9, 0.8), class_id=(1, 3), names=None):
    return SimpleNamespace(
        xyxy=np.float32([[0, 0, 4, 4], [2, 2, 6, 6]]),
        confidence=None if confidence is None else np.float32(confidence),
        class_id=None if class_id is None else np.array(class_id),
        mask=mask,
        tracker_id=None,
        data={} if names is None else {"class_name": np.array(names)},
    )


class TestSupervision:
    def test_boxes(self):
        data = Dataset.from_objects([detections(), detections(names=["cat", "dog"])], images=["a", "b"])
        assert data.score.tolist() == np.float32([0.9, 0.8, 0.9, 0.8]).tolist()
        assert data.categories.ids[data.category].tolist() == [1, 3, 1, 3]
        assert data.categories.names.tolist() == ["cat", "dog"] and data.images.ids.tolist() == ["a", "b"]

    def test_none_is_a_missing_score_or_class(self):
        data = Dataset.from_objects([detections(confidence=None, class_id=None)])
        assert data.score is None and data.categories.ids.tolist() == [1]

    @pytest.mark.parametrize("kind", [np.asarray, Compact])
    def test_masks(self, kind):
        data = Dataset.from_objects([detections(mask=kind(CROSS))])
        assert list(data.segments.written()) == RleMasks.from_masks(CROSS).to_strings()

    def test_itself(self):
        supervision = pytest.importorskip("supervision")
        one = supervision.Detections(np.float32([[0, 0, 4, 4]]), confidence=np.float32([0.5]), class_id=np.array([2]))
        data = Dataset.from_objects([one, supervision.Detections.empty()])
        assert len(data) == 1 and len(data.images) == 2


def results(masks=None, obb=None, path="folder/one.jpg", classes=(0.0, 2.0)):
    boxes = SimpleNamespace(
        xyxy=torch.tensor([[0.0, 0, 4, 4], [2, 2, 6, 6]])[: len(classes)],
        conf=torch.tensor([0.9, 0.8])[: len(classes)],
        cls=torch.tensor(classes),
    )
    names = {0: "person", 1: "bicycle", 2: "car"}
    return SimpleNamespace(boxes=boxes, masks=masks, obb=obb, orig_shape=(480, 640), names=names, path=path, probs=None)


class TestForms:
    def test_boxes_bring_their_form(self):
        """Not the columns of xywh read as corners."""
        one = {"boxes": Boxes([[10, 20, 30, 40]], "xywh"), "labels": [1]}
        assert Dataset.from_dicts([one]).xywh.tolist() == [[10, 20, 30, 40]]

    def test_upright_and_rotated(self):
        turned = {"boxes": RotatedBoxes([[5, 5, 4, 2, 30]], unit="deg", direction="cw"), "labels": [1]}
        upright = {"boxes": [[0, 0, 4, 4]], "labels": [1]}
        with pytest.raises(ValueError, match="upright in all images or rotated in all"):
            Dataset.from_dicts([turned, upright])
        assert Dataset.from_dicts([turned, {"boxes": [], "labels": []}]).corners.shape == (1, 4, 2)


class TestUltralytics:
    def test_boxes(self):
        data = Dataset.from_objects([results(), results(classes=())])
        assert data.categories.ids.tolist() == [0, 1, 2] and data.category.tolist() == [0, 2]
        assert data.categories.names.tolist() == ["person", "bicycle", "car"]
        assert data.images.height.tolist() == [480, 480] and data.images.width.tolist() == [640, 640]
        assert data.images.names.tolist() == ["one.jpg", "one.jpg"]

    def test_outlines(self):
        xy = [np.float32([[1, 2], [5, 2], [5, 6.5]]), np.empty((0, 2), np.float32)]
        masks = SimpleNamespace(data=torch.zeros(2, 160, 160), xy=xy)
        data = Dataset.from_objects([results(masks)])
        empty = RleMasks([[]], size=(480, 640)).to_strings()[0]
        assert list(data.segments.written()) == [b"[[1, 2, 5, 2, 5, 6.5]]", empty]
        assert data.segments.size.tolist() == [[480, 640]] * 2

    def test_masks_of_the_network_are_refused(self):
        masks = SimpleNamespace(data=torch.zeros(2, 160, 160), xy=None)
        with pytest.raises(TypeError, match="in the frame of the network; `masks.xy`"):
            Dataset.from_objects([results(masks)])

    def test_rotated_boxes(self):
        corners = torch.tensor([[[1.0, 0], [5, 4], [4, 5], [0, 1]], [[2, 2], [6, 2], [6, 6], [2, 6]]])
        turned = SimpleNamespace(xyxyxyxy=corners, conf=torch.tensor([0.9, 0.8]), cls=torch.tensor([2.0, 0.0]))
        none = SimpleNamespace(xyxyxyxy=corners[:0], conf=torch.empty(0), cls=torch.empty(0))
        data = Dataset.from_objects([results(obb=turned), results(obb=none)])
        assert data.corners.tolist() == corners.tolist() and data.category.tolist() == [2, 0]
        assert data.xywh.tolist() == [[0, 0, 5, 5], [2, 2, 4, 4]] and len(data.images) == 2


class Instances(SimpleNamespace):
    def __getattr__(self, name):
        raise AttributeError(f"Cannot find field '{name}' in the given Instances!")


class TestDetectron2:
    boxes = SimpleNamespace(tensor=torch.tensor([[0.0, 0, 4, 4], [2, 2, 6, 6]]))

    def test_guesses(self):
        one = Instances(
            pred_boxes=self.boxes,
            scores=torch.tensor([0.9, 0.8]),
            pred_classes=torch.tensor([3, 1]),
            image_size=(5, 6),
            pred_masks=torch.from_numpy(CROSS),
        )
        data = Dataset.from_objects([one])
        assert data.categories.ids[data.category].tolist() == [3, 1] and data.images.width.tolist() == [6]
        assert list(data.segments.written()) == RleMasks.from_masks(CROSS).to_strings()

    def test_truths(self):
        masks = SimpleNamespace(polygons=[[np.float64([0, 0, 4, 0, 4, 4])], [np.float64([0, 0, 1, 0, 1, 1])]])
        one = Instances(gt_boxes=self.boxes, gt_classes=torch.tensor([3, 1]), image_size=(5, 6), gt_masks=masks)
        data = Dataset.from_objects([one])
        assert data.score is None and next(data.segments.written()) == b"[[0, 0, 4, 0, 4, 4]]"
        one = Instances(
            gt_boxes=self.boxes, image_size=(5, 6), gt_masks=SimpleNamespace(tensor=torch.from_numpy(CROSS))
        )
        assert list(Dataset.from_objects([one]).segments.written()) == RleMasks.from_masks(CROSS).to_strings()


class TestMmdet:
    def test_boxes(self):
        boxes = torch.tensor([[0.0, 0, 4, 4], [2, 2, 6, 6]])
        one = SimpleNamespace(bboxes=boxes, labels=torch.tensor([3, 1]), scores=torch.tensor([0.9, 0.8]))
        truth = SimpleNamespace(bboxes=SimpleNamespace(tensor=boxes), labels=torch.tensor([3, 1]))
        data, other = Dataset.from_objects([one]), Dataset.from_objects([truth])
        assert data.categories.ids[data.category].tolist() == [3, 1] and data.score is not None
        assert other.boxes.xyxy.tolist() == boxes.tolist() and other.score is None
        bitmap = SimpleNamespace(bboxes=boxes, labels=[3, 1], masks=SimpleNamespace(masks=CROSS.astype(np.uint8)))
        assert list(Dataset.from_objects([bitmap]).segments.written()) == RleMasks.from_masks(CROSS).to_strings()


class TestObjects:
    def test_mixed_with_dicts(self):
        data = Dataset.from_objects([detections(), dict(found())])
        assert len(data) == 4

    def test_unknown(self):
        with pytest.raises(
            TypeError, match="Object 1 must have the attributes of supervision's Detections .*; got int"
        ):
            Dataset.from_objects([detections(), 3])
