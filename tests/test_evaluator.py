"""Images as they come: the same answer as all of them at once."""

from types import SimpleNamespace

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


BOX = [[0.0, 0, 10, 10]]
TRUTH = {"boxes": BOX, "labels": [1]}
GUESS = {"boxes": BOX, "labels": [1], "scores": [0.5]}
NOTHING = {"boxes": [], "labels": []}


class TestAtOnce:
    """A fault is told by the update that has it, and leaves nothing behind."""

    @pytest.mark.parametrize(
        "truth, guess, options, words",
        [
            pytest.param(GUESS, TRUTH, {}, r"are they swapped\? update\(truth, guess\)", id="swapped"),
            pytest.param([GUESS], [NOTHING], {}, "are they swapped", id="swapped, nothing in the image"),
            pytest.param(NOTHING | {"scores": []}, NOTHING, {}, "are they swapped", id="swapped, and nothing found"),
            pytest.param(TRUTH, TRUTH, {}, 'Guesses must have "scores"; these 1 have none', id="no scores"),
            pytest.param(TRUTH, GUESS, {"image": 7}, "Image 7 was there already", id="image twice"),
            pytest.param([TRUTH] * 2, [GUESS] * 2, {"image": [8, 8]}, "8 comes twice", id="twice in a batch"),
            pytest.param(TRUTH | {"image_id": 7}, GUESS, {}, "Image 7 was there already", id="twice by image_id"),
            pytest.param([TRUTH] * 2, [GUESS], {}, "got 2 truths and 1 guesses", id="uneven batch"),
            pytest.param([TRUTH], [GUESS], {"image": [1, 2]}, "each of the 1 images of the batch; got 2", id="ids"),
            pytest.param(
                [TRUTH], [GUESS], {"image": "ab"}, "each of the 1 images .*; got 'ab'", id="one id of a batch"
            ),
            pytest.param(
                [TRUTH | {"image_id": k} for k in (1, 2)],
                [GUESS | {"image_id": k} for k in (2, 1)],
                {},
                "number 0 says 2 and the truth 1",
                id="another order",
            ),
            pytest.param(
                [TRUTH | {"image_id": 1}, TRUTH],
                [GUESS] * 2,
                {},
                '"image_id" must be .* image 1 has none',
                id="some ids",
            ),
            pytest.param(
                TRUTH, {"boxes": BOX, "scores": [0.5]}, {}, '"labels" of the guess .* \\(they', id="no labels"
            ),
            pytest.param(
                {"boxes": BOX}, GUESS, {}, '"labels" of the truth must be given for all', id="truth unlabelled"
            ),
            pytest.param(
                TRUTH | {"labels": [4]}, GUESS, {}, "`categories` must name all of the truth; 4", id="unknown"
            ),
            pytest.param(
                TRUTH, GUESS | {"classes": [1], "labels": None}, {}, 'has "classes" and no "labels"', id="named"
            ),
            pytest.param(TRUTH, GUESS | {"cls": [1]}, {}, '"cls" and "labels", which both mean its labels', id="both"),
            pytest.param(TRUTH, GUESS, {"form": ("xyxy",)}, "`form` must be one for both, or a pair", id="forms"),
            pytest.param(TRUTH, GUESS, {"sizes": (4, 4)}, "say normalised=True, or a pair", id="sizes alone"),
            pytest.param(TRUTH, GUESS, {"normalised": True}, "`normalised` boxes need `sizes`", id="no sizes"),
            pytest.param(
                *(TRUTH, GUESS, {"normalised": True, "sizes": "orig_size"}, 'image 0 has no "orig_size"'),
                id="no such key",
            ),
            pytest.param(
                Dataset.from_dicts([TRUTH]), GUESS, {}, "both be data sets, .* got Dataset and dict", id="mixed"
            ),
            pytest.param(TRUTH, GUESS | {"boxes": [[9, 9, 1, 1]]}, {}, "is inverted", id="inverted"),
        ],
    )
    def test_refused(self, truth, guess, options, words):
        evaluator = Evaluator(categories=[1, 2, 3])
        evaluator.update(TRUTH, GUESS, image=7)
        with pytest.raises((ValueError, TypeError, InputError), match=words):
            evaluator.update(truth, guess, **options)
        evaluator.update(TRUTH, GUESS, image=9)
        assert len(evaluator) == 2 and evaluator.compute()["AP"] == pytest.approx(1)

    def test_labels_on_one_side_from_the_first_image_on(self):
        """All guesses would be of class 1, and AP 0.5 without a word."""
        for truth, guess in ((TRUTH, GUESS | {"labels": None}), ({"boxes": BOX}, GUESS)):
            with pytest.raises(InputError, match='has no "labels", and the other side has them'):
                Evaluator().update([truth, truth], [guess, guess])

    def test_of_lists_and_data_sets_too(self):
        """`evaluate` does not take class 1 for granted either."""
        unlabelled = [GUESS | {"labels": None}] * 2
        labelled = [TRUTH, TRUTH | {"labels": [2]}]
        for truth in (labelled, Dataset.from_dicts(labelled)):
            with pytest.raises(InputError, match='The guess has no "labels", and the other side has them'):
                vesica.evaluate(truth, unlabelled)
        with pytest.raises(InputError, match='The truth has no "labels"'):
            vesica.evaluate([{"boxes": BOX}], [GUESS])
        assert vesica.evaluate([{"boxes": BOX}] * 2, unlabelled)["AP"] == pytest.approx(1)
        one_class = Dataset.from_arrays(BOX * 2, image=[0, 1], category=[1, 1], categories={1: "cat"})
        for guess in (unlabelled, [GUESS | {"class_labels": [1], "labels": None}] * 2):
            assert vesica.evaluate(one_class, guess)["AP"] == pytest.approx(1)

    def test_labels_that_come_later(self):
        """Empty images say nothing; the first objects do."""
        evaluator = Evaluator()
        evaluator.update(NOTHING, {"boxes": [], "scores": []})
        evaluator.update(TRUTH, {"boxes": [], "scores": []})
        with pytest.raises(InputError, match="labels"):
            evaluator.update(TRUTH, {"boxes": BOX, "scores": [0.5]})
        evaluator.update(TRUTH, GUESS)
        assert len(evaluator) == 3

    def test_no_labels_at_all(self):
        evaluator = Evaluator()
        evaluator.update({"boxes": BOX}, {"boxes": BOX, "scores": [0.5]})
        assert evaluator.compute()["AP"] == pytest.approx(1)

    def test_masks_that_stop(self):
        """Boxes instead would be scored as masks."""
        evaluator = Evaluator(regions="mask")
        masks = np.zeros((1, 12, 12), bool)
        masks[0, 2:5, 2:8] = True
        evaluator.update(TRUTH | {"masks": masks}, GUESS | {"masks": masks})
        with pytest.raises(InputError, match='"masks" of the truth must be given for all images or for none'):
            evaluator.update(TRUTH, GUESS | {"masks": masks})
        boxes = Evaluator()
        boxes.update(TRUTH | {"masks": masks}, GUESS)
        boxes.update(TRUTH, GUESS)
        assert len(boxes) == 2

    def test_data_sets(self):
        truth = Dataset.from_dicts([TRUTH], images=["a"])
        evaluator = Evaluator()
        with pytest.raises(
            InputError, match=r"1 guesses are of images that the truth does not have: .b.\. The truth has .a."
        ):
            evaluator.update(truth, Dataset.from_dicts([GUESS], images=["b"]))
        with pytest.raises(InputError, match="swapped"):
            evaluator.update(Dataset.from_dicts([GUESS], images=["a"]), truth)
        evaluator.update(truth, Dataset.from_dicts([GUESS], images=["a"]))
        with pytest.raises(InputError, match="Image 'a' was there already"):
            evaluator.update(truth, Dataset.from_dicts([GUESS], images=["a"]))

    def test_nothing_found_anywhere(self):
        evaluator = Evaluator()
        evaluator.update([TRUTH, NOTHING], [NOTHING, NOTHING])
        assert evaluator.compute()["AP"] == 0


class TestHabits:
    """What other libraries hand over, as they do."""

    def test_guess_n_is_of_the_image_of_truth_n(self, images):
        """torchvision: "image_id" in targets, none in outputs."""
        torch = pytest.importorskip("torch")
        truths, guesses = images
        ids = np.random.default_rng(0).permutation(40) * 3
        evaluator = Evaluator()
        for first in range(0, 40, 7):
            batch = slice(first, first + 7)
            pairs = zip(truths[batch], ids[batch], strict=True)
            evaluator.update([one | {"image_id": torch.tensor([id])} for one, id in pairs], guesses[batch])
        assert evaluator.compute().records.images.tolist() == sorted(ids.tolist())
        order = np.argsort(ids)
        want = vesica.evaluate([truths[k] for k in order], [guesses[k] for k in order])
        same(evaluator.compute(), want)

    def test_ids_of_guesses_serve_truths(self):
        evaluator = Evaluator()
        evaluator.update(TRUTH, GUESS | {"image_id": "a"})
        evaluator.update([TRUTH], [GUESS], image=np.array([5]))
        assert evaluator.records().images.tolist() == [5, "a"]

    @pytest.mark.parametrize(
        "rename",
        [
            pytest.param({"labels": "class_labels"}, id="transformers"),
            pytest.param({"boxes": "bboxes"}, id="mmdet"),
            pytest.param({"scores": "conf", "labels": "cls", "boxes": "bboxes"}, id="Ultralytics"),
        ],
    )
    def test_names_of_fields(self, images, rename):
        truths, guesses = images
        evaluator = Evaluator()
        renamed = [{rename.get(name, name): column for name, column in one.items()} for one in guesses]
        evaluator.update(truths, renamed)
        same(evaluator.compute(), vesica.evaluate(truths, guesses))

    def test_masks_of_floats(self):
        """torchvision's Mask R-CNN: targets are (N, H, W) of uint8, outputs (N, 1, H, W) of shares."""
        torch = pytest.importorskip("torch")
        pixels = torch.zeros(2, 9, 12)
        pixels[0, 1:5, 2:8], pixels[1, 3:9, 0:4] = 0.75, 0.5625
        target = {"masks": (pixels > 0.5).to(torch.uint8), "labels": torch.tensor([1, 2]), "image_id": torch.tensor(4)}
        output = {"masks": pixels[:, None], "labels": torch.tensor([1, 2]), "scores": torch.tensor([0.5, 0.25])}
        evaluator = Evaluator(regions="mask")
        with pytest.raises(TypeError, match="say which values belong, such as above=0.5"):
            evaluator.update([target], [output])
        evaluator.update([target], [output], above=0.5)
        assert evaluator.compute()["AP"] == pytest.approx(1)
        stricter = Evaluator(regions="mask")
        stricter.update([target], [output], above=0.6)
        assert stricter.compute().counts().tp.tolist() == [1, 0]

    @pytest.mark.parametrize("sizes", ["orig_size", "pairs", "one"])
    def test_shares_against_pixels(self, images, sizes):
        """transformers: targets are cx, cy, w, h in 0–1; its post-processing gives corners in pixels."""
        torch = pytest.importorskip("torch")
        truths, guesses = images
        high, wide = 64, 128  # powers of two: shares are exact
        evaluator = Evaluator()
        for truth, guess in zip(truths, guesses, strict=True):
            x1, y1, x2, y2 = truth["boxes"].T
            shares = np.stack([(x1 + x2) / 2 / wide, (y1 + y2) / 2 / high, (x2 - x1) / wide, (y2 - y1) / high], 1)
            target = {
                "boxes": torch.tensor(shares),
                "class_labels": torch.from_numpy(truth["labels"]),
                "orig_size": torch.tensor([high, wide]),
                "size": torch.tensor([800, 1333]),
            }
            given = {"orig_size": "orig_size", "pairs": [(high, wide)], "one": (high, wide)}[sizes]
            options = {"form": ("cxcywh", "xyxy"), "normalised": (True, False), "sizes": given}
            evaluator.update([target], [guess], **options)
        same(evaluator.compute(), vesica.evaluate(truths, guesses))

    def test_objects_have_their_own_form(self):
        """`form` is of dicts: results of other libraries are corners in pixels."""

        class Detections:
            xyxy, confidence, class_id = np.array(BOX), np.array([0.5]), np.array([1])

        evaluator = Evaluator()
        evaluator.update({"boxes": [[5, 5, 10, 10]], "labels": [1]}, Detections(), form="cxcywh")
        assert evaluator.compute()["AP"] == pytest.approx(1)
        with pytest.raises(TypeError, match="these images are dicts and objects"):
            evaluator.update([TRUTH, TRUTH], [Detections(), GUESS], form="xywh")


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

    @pytest.mark.parametrize("categories", [[1, 2], {1: "cat", 2: "dog"}], ids=str)
    def test_guesses_of_other_categories(self, categories):
        """Left out and counted, also in an image where there is nothing else: a training does not end by it."""
        evaluator = Evaluator(categories=categories)
        evaluator.update(TRUTH, {"boxes": BOX, "labels": [3], "scores": [0.9]})
        evaluator.update(TRUTH, {"boxes": BOX * 3, "labels": [3, 1, 12], "scores": [0.9, 0.5, 0.4]})
        result = evaluator.compute()
        assert {note.rule: note.count for note in result.notes}["Q13"] == 3
        assert result.counts().rows()[0]["tp"] == 1 and len(result.records) == 1
        assert evaluator.records().notes == result.records.notes
        evaluator.reset()
        evaluator.update(TRUTH, GUESS)
        assert "Q13" not in {note.rule for note in evaluator.compute().notes}

    def test_names_that_guesses_bring(self):
        """Results of Ultralytics have names: they meet those that were given, whatever their numbers."""
        boxes = SimpleNamespace(xyxy=np.array(BOX), conf=np.array([0.5]), cls=np.array([0.0]))
        guess = SimpleNamespace(boxes=boxes, orig_shape=(20, 20), names={0: "cat", 1: "dog"}, path="a.jpg")
        evaluator = Evaluator(categories={1: "cat", 2: "dog"})
        evaluator.update(TRUTH, guess)
        assert evaluator.compute().counts().of("cat") == (1, 0, 0)

    @pytest.mark.parametrize("labels", [[7], ["dog"]])
    def test_no_category_meets(self, labels):
        """The way out that is an option of `evaluate` is said to be one."""
        evaluator = Evaluator()
        truth = {"boxes": BOX, "labels": [1] if labels == [7] else ["cat"]}
        evaluator.update(truth, {"boxes": BOX, "labels": labels, "scores": [0.5]})
        words = (
            r"No category of the guesses .* options of vesica\.evaluate\(truth, guess\); for an Evaluator, give guesses"
        )
        with pytest.raises(InputError, match=words):
            evaluator.compute()
        with pytest.raises(InputError, match=words):
            evaluator.records()

    def test_other_errors_say_nothing_of_it(self):
        evaluator = Evaluator(regions="mask")
        evaluator.update(TRUTH, GUESS)
        with pytest.raises(InputError) as error:
            evaluator.compute()
        assert "vesica.evaluate" not in str(error.value)

    def test_how_categories_meet_is_no_option(self):
        with pytest.raises(TypeError, match="ids of all categories, .* got 'id'"):
            Evaluator(categories="id")

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
        a, b = (Evaluator(categories={1: one, 2: "dog", 3: "cow"}) for one in ("cat", "lynx"))
        a.update(truths[0], guesses[0], image=0)
        b.update(truths[1], guesses[1], image=1)
        with pytest.raises(InputError, match="different categories"):
            merge(a.records(), b.records())
