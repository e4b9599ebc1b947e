"""The scores of a Trainer of transformers, which a stand-in plays: it hands over what that one does."""

from types import SimpleNamespace

import numpy as np
import pytest

import vesica

torch = pytest.importorskip("torch")

from vesica.integrations.transformers import compute_metrics  # noqa: E402

NAMES = {0: "cat", 1: "dog", 2: "cow"}


class Processor:
    """Post-processing as for DETR: the best class of each query but the last, which is none; corners in pixels."""

    def post_process_object_detection(self, outputs, threshold=0.5, target_sizes=None):
        shares = outputs.logits.softmax(-1)[..., :-1]
        scores, labels = shares.max(-1)
        centre, half = outputs.pred_boxes[..., :2], outputs.pred_boxes[..., 2:] / 2
        high, wide = target_sizes.unbind(1)
        boxes = torch.cat([centre - half, centre + half], -1) * torch.stack([wide, high, wide, high], 1)[:, None]
        rows = zip(scores, labels, boxes, strict=True)
        return [{"scores": s[s > threshold], "labels": k[s > threshold], "boxes": b[s > threshold]} for s, k, b in rows]


def prediction(batches=(3, 2), queries=6, losses=True):
    """What `compute_metrics` is called with, if batches are not joined: arrays by batch, and targets by batch."""
    rng = np.random.default_rng(4)
    outputs, targets, number = [], [], 0
    for many in batches:
        boxes = rng.uniform(0.25, 0.5, (many, queries, 4)).astype(np.float32)
        logits = rng.normal(0, 3, (many, queries, len(NAMES) + 1)).astype(np.float32)
        outputs.append((*([{"loss_ce": np.float32(1)}] if losses else []), logits, boxes, rng.normal(size=(many, 8))))
        rows = []
        for k in range(many):
            found = rng.choice(queries, k + 1, replace=False)
            rows.append(
                {
                    "boxes": boxes[k, found] * np.float32(0.98),
                    "class_labels": logits[k, found, :-1].argmax(-1),
                    "image_id": np.array([100 - number]),
                    "orig_size": np.array([480 + 16 * k, 640]),
                    "size": np.array([800, 1066]),
                    "area": np.full(k + 1, 7.0),  # of the image as it was scaled
                    "iscrowd": np.zeros(k + 1, int),
                }
            )
            number += 1
        targets.append(rows)
    return SimpleNamespace(predictions=outputs, label_ids=targets)


def by_hand(given, threshold=0.0):
    """The same in pixels, image by image."""
    truths, guesses = [], []
    for (_, logits, boxes, _), targets in zip(given.predictions, given.label_ids, strict=True):
        for k, target in enumerate(targets):
            high, wide = target["orig_size"]
            scale = np.array([wide, high, wide, high], float)
            shares = np.exp(logits[k]) / np.exp(logits[k]).sum(-1, keepdims=True)
            score, label = shares[:, :-1].max(-1), shares[:, :-1].argmax(-1)
            kept = score > threshold
            guess = {"boxes": corners(boxes[k] * scale)[kept], "labels": label[kept], "scores": score[kept]}
            truth = {"boxes": corners(target["boxes"] * scale), "labels": target["class_labels"]}
            guesses.append(guess)
            truths.append(truth | {"image_id": int(target["image_id"][0])})
    evaluator = vesica.Evaluator(categories=NAMES)
    evaluator.update(truths, guesses)
    return evaluator.compute()


def corners(boxes):
    return np.hstack([boxes[:, :2] - boxes[:, 2:] / 2, boxes[:, :2] + boxes[:, 2:] / 2])


class TestComputeMetrics:
    @pytest.mark.parametrize("threshold", [0.0, 0.6])
    def test_numbers(self, threshold):
        given = prediction()
        want = by_hand(given, threshold).flat()
        found = compute_metrics(Processor(), categories=NAMES, threshold=threshold)(given)
        assert found == pytest.approx(want, abs=1e-6) and 0.1 < found["AP"] < 1
        assert {type(value) for value in found.values()} == {float}
        assert "APs" not in found and "APl" in found  # not by the areas of the scaled image

    def test_tensors_and_options(self):
        given = prediction()
        given.predictions = [[one[0], *map(torch.from_numpy, one[1:])] for one in given.predictions]
        assert list(compute_metrics(Processor(), protocol="voc")(given)) == ["mAP"]

    def test_where_outputs_are(self):
        given = prediction(losses=False)
        assert compute_metrics(Processor(), outputs=(0, 1))(given)["AP"] == pytest.approx(by_hand(prediction())["AP"])
        with pytest.raises(
            ValueError, match=r"`outputs` must be the places .*; got \(1, 2\) of outputs with the shapes"
        ):
            compute_metrics(Processor())(given)

    def test_batches_stay_apart(self):
        given = prediction()
        joined = tuple(np.concatenate(parts) for parts in zip(*[one[1:] for one in given.predictions], strict=True))
        with pytest.raises(TypeError, match="eval_do_concat_batches=False"):
            compute_metrics(Processor())(SimpleNamespace(predictions=joined, label_ids=given.label_ids))

    def test_an_image_twice(self):
        given = prediction()
        given.label_ids[1][0]["image_id"] = given.label_ids[0][0]["image_id"]
        with pytest.raises(vesica.InputError, match="Image 100 was there already"):
            compute_metrics(Processor())(given)
