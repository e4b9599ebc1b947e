"""Images as they come: the same answer as all of them at once."""

import numpy as np
import pytest

import vesica
from vesica import Dataset, Evaluator, InputError
from vesica.detection import merge, summarise

OPTIONS = ({}, {"protocol": "voc"}, {"iou": 0.5, "by_class": False}, {"max_dets": (1, 3, 100), "quirks": "pycocotools"})


def image(rng, *, scored):
    """One image as torchvision and torchmetrics have it; some are empty."""
    count = int(rng.integers(0, 6))
    corner, size = rng.integers(0, 40, (count, 2)), rng.integers(1, 20, (count, 2))
    found = {"boxes": np.hstack([corner, corner + size]).astype(float), "labels": rng.integers(1, 4, count)}
    return found | ({"scores": rng.random(count).round(1)} if scored else {})


@pytest.fixture(scope="module")
def images():
    rng = np.random.default_rng(5)
    return [image(rng, scored=False) for _ in range(40)], [image(rng, scored=True) for _ in range(40)]


def same(a, b):
    assert a.stats.tobytes() == b.stats.tobytes()
    if a.protocol.rules.average_precision == "recalls":
        assert a.precision.tobytes() == b.precision.tobytes() and a.scores.tobytes() == b.scores.tobytes()


class TestUpdate:
    @pytest.mark.parametrize("options", OPTIONS, ids=str)
    def test_one_by_one_is_all_at_once(self, images, options):
        truths, guesses = images
        evaluator = Evaluator(**options)
        for truth, guess in zip(truths, guesses, strict=True):
            evaluator.update(truth, guess)
        assert len(evaluator) == 40 and repr(evaluator) == f"Evaluator(40 images, {evaluator.compute().protocol.name})"
        same(evaluator.compute(), vesica.evaluate(truths, guesses, **options))

    def test_batches_of_tensors(self, images):
        torch = pytest.importorskip("torch")
        truths, guesses = images
        evaluator = Evaluator()
        for first in range(0, 40, 7):
            batch = [
                [{name: torch.from_numpy(column) for name, column in one.items()} for one in side[first : first + 7]]
                for side in (truths, guesses)
            ]
            evaluator.update(*batch)
        same(evaluator.compute(), vesica.evaluate(truths, guesses))

    def test_what_came_is_not_kept(self, images):
        """A loop may reuse its arrays."""
        truths, guesses = images
        evaluator = Evaluator()
        for truth, guess in zip(truths, guesses, strict=True):
            boxes = guess["boxes"].copy()
            evaluator.update(truth, guess | {"boxes": boxes})
            boxes[:] = 0
        same(evaluator.compute(), vesica.evaluate(truths, guesses))

    def test_ids_and_forms(self, images):
        truths, guesses = images
        evaluator = Evaluator()
        for number, (truth, guess) in enumerate(zip(truths, guesses, strict=True)):
            both = [dict(side) for side in (truth, guess)]
            for side in both:
                side["boxes"] = np.hstack([side["boxes"][:, :2], side["boxes"][:, 2:] - side["boxes"][:, :2]])
            evaluator.update(*both, image=f"image {number:02}", form="xywh")
        result = evaluator.compute()
        assert result.records.images[3] == "image 03"
        same(result, vesica.evaluate(truths, guesses))

    def test_an_image_twice(self):
        evaluator = Evaluator()
        for _ in range(2):
            evaluator.update({"boxes": [], "labels": []}, {"boxes": [], "labels": [], "scores": []}, image=7)
        with pytest.raises(ValueError, match="7"):
            evaluator.compute()

    def test_masks(self):
        masks = np.zeros((2, 12, 12), bool)
        masks[0, 2:8, 2:8], masks[1, 3:8, 2:8] = True, True
        evaluator = Evaluator(regions="mask")
        for k in range(3):
            guess = {"masks": masks[[1]], "labels": [1], "scores": [0.9 - k / 10]}
            evaluator.update({"masks": masks[[0]], "labels": [1]}, guess)
        result = evaluator.compute()
        assert result.counts(iou=0.8).tp.tolist() == [3] and result.counts(iou=0.85).tp.tolist() == [0]

    def test_data_sets(self, images):
        truths, guesses = images
        evaluator = Evaluator()
        for first in (0, 20):
            ids = list(range(first, first + 20))
            pieces = [Dataset.from_dicts(side[first : first + 20], images=ids) for side in (truths, guesses)]
            evaluator.update(*pieces)
        same(evaluator.compute(), vesica.evaluate(truths, guesses))


class TestCompute:
    def test_nothing(self):
        assert np.isnan(Evaluator().compute()["AP"])

    def test_again_and_anew(self, images):
        truths, guesses = images
        evaluator = Evaluator()
        evaluator.update(truths[:5], guesses[:5])
        first = evaluator.compute()
        evaluator.update(truths[5:], guesses[5:])
        same(evaluator.compute(), vesica.evaluate(truths, guesses))
        evaluator.reset()
        assert len(evaluator) == 0
        evaluator.update(truths[:5], guesses[:5])
        same(evaluator.compute(), first)

    def test_unknown_options(self):
        with pytest.raises(ValueError, match="protocol"):
            Evaluator(protocol="kitti")


class TestRecords:
    def test_processes_in_any_order(self, images):
        truths, guesses = images
        workers = []
        for rank in range(3):
            worker = Evaluator(categories=[1, 2, 3])
            for k in range(rank, 40, 3):
                worker.update(truths[k], guesses[k], image=k)
            workers.append(worker.records())
        whole = vesica.evaluate(truths, guesses)
        for order in ((0, 1, 2), (2, 0, 1)):
            same(summarise(merge(*(workers[k] for k in order))), whole)

    def test_different_categories(self, images):
        truths, guesses = images
        a, b = Evaluator(categories=[1, 2, 3]), Evaluator(categories={1: "cat", 2: "dog", 3: "cow"})
        a.update(truths[0], guesses[0], image=0)
        b.update(truths[1], guesses[1], image=1)
        with pytest.raises(InputError, match="different categories"):
            merge(a.records(), b.records())
