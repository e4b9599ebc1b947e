"""What may be scored, in which forms, and what is said of the rest."""

import itertools

import numpy as np
import pytest

import vesica
from vesica import Masks, RleMasks, SegmentationEvaluator, SegmentationPolicy, evaluate_segmentation
from vesica.errors import InputError, SizeValueError

RNG = np.random.default_rng(5)
TRUTH, GUESS = RNG.integers(0, 4, (2, 3, 6, 8))
WANT = evaluate_segmentation(TRUTH, GUESS).to_json()


def one_hot(maps, classes=4):
    return np.stack([maps == k for k in range(classes)], axis=1)


class TestForms:
    """The same pixels, the same bytes."""

    @pytest.mark.parametrize(
        "dtype", ["uint8", "int8", "uint16", "int16", "uint32", "int32", "int64", "uint64", ">i4", "<u2"]
    )
    def test_dtypes(self, dtype):
        assert evaluate_segmentation(TRUTH.astype(dtype), GUESS.astype(dtype)).to_json() == WANT
        assert evaluate_segmentation(TRUTH, GUESS.astype(dtype)).to_json() == WANT

    def test_lists_and_generators(self):
        assert evaluate_segmentation(list(TRUTH), list(GUESS)).to_json() == WANT
        assert evaluate_segmentation(TRUTH.tolist(), GUESS.tolist()).to_json() == WANT
        assert evaluate_segmentation((one for one in TRUTH), (one for one in GUESS)).to_json() == WANT
        assert evaluate_segmentation([TRUTH[:2], TRUTH[2]], [GUESS[:2], GUESS[2]]).to_json() == WANT

    def test_label_maps(self):
        maps = [[vesica.LabelMap(one) for one in side] for side in (TRUTH, GUESS)]
        assert evaluate_segmentation(*maps).to_json() == WANT

    def test_sizes_may_differ_between_images(self):
        truth, guess = [TRUTH[0], TRUTH[1, :3], TRUTH[2, :, :5]], [GUESS[0], GUESS[1, :3], GUESS[2, :, :5]]
        result = evaluate_segmentation(truth, guess)
        assert [row["pixels"] for row in result.per_image()] == [48, 24, 30]
        # Lists of lists of several lengths are images of several sizes.
        listed = [[one.tolist() for one in side] for side in (truth, guess)]
        assert evaluate_segmentation(*listed).to_json() == result.to_json()

    def test_read_only_and_strided(self):
        truth = np.asfortranarray(TRUTH)
        truth.flags.writeable = False
        assert evaluate_segmentation(truth, GUESS[:, ::-1, ::-1][:, ::-1, ::-1]).to_json() == WANT

    def test_other_libraries(self, xp):
        assert evaluate_segmentation(xp(TRUTH, "int64"), xp(GUESS, "int64")).to_json() == WANT
        assert evaluate_segmentation(TRUTH, xp(GUESS, "int64")).to_json() == WANT

    def test_bool(self):
        result = evaluate_segmentation(TRUTH > 1, GUESS > 1)
        assert result.to_json() == evaluate_segmentation((TRUTH > 1).astype(int), (GUESS > 1).astype(int)).to_json()

    def test_one_image(self):
        assert (
            evaluate_segmentation(TRUTH[0], GUESS[0]).to_json() == evaluate_segmentation(TRUTH[:1], GUESS[:1]).to_json()
        )


class TestVolumes:
    def test_totals_are_those_of_a_stack(self):
        stack, volume = evaluate_segmentation(TRUTH, GUESS), evaluate_segmentation(TRUTH, GUESS, volume=True)
        assert stack["mIoU"] == volume["mIoU"]
        assert len(stack.per_image()) == 3 and len(volume.per_image()) == 1
        assert "3 images" in stack.headline and "1 volumes" in volume.headline

    def test_many(self):
        batch = np.stack([TRUTH, GUESS]), np.stack([GUESS, GUESS])
        result = evaluate_segmentation(*batch, volume=True)
        assert [row["mIoU"] for row in result.per_image()][1] == 1
        assert result.to_json() == evaluate_segmentation(list(batch[0]), list(batch[1]), volume=True).to_json()

    def test_scores(self):
        scores = np.moveaxis(np.eye(4)[GUESS], -1, 0)[None]
        result = evaluate_segmentation(TRUTH[None], scores, volume=True, from_scores="argmax")
        assert result.to_json() == evaluate_segmentation(TRUTH, GUESS, volume=True).to_json()


class TestScores:
    @pytest.mark.parametrize("dtype", ["float32", "float64"])
    def test_argmax(self, xp, dtype):
        scores = xp(np.moveaxis(np.eye(4)[GUESS], -1, 1), dtype)
        assert evaluate_segmentation(TRUTH, scores, from_scores="argmax").to_json() == WANT

    def test_half_precision(self):
        torch = pytest.importorskip("torch")
        scores = np.moveaxis(np.eye(4)[GUESS], -1, 1).astype(np.float16)
        for narrow in (scores, torch.from_numpy(scores), torch.from_numpy(scores).bfloat16()):
            assert evaluate_segmentation(TRUTH, narrow, from_scores="argmax").to_json() == WANT

    def test_of_one_image(self):
        scores = np.moveaxis(np.eye(4)[GUESS[0]], -1, 0)
        assert (
            evaluate_segmentation(TRUTH[0], scores, from_scores="argmax")["mIoU"]
            == (evaluate_segmentation(TRUTH[0], GUESS[0])["mIoU"])
        )

    def test_channels_are_the_categories(self):
        ids = np.array([7, 24, 11, 40])
        scores = np.moveaxis(np.eye(4)[GUESS], -1, 1)
        result = evaluate_segmentation(ids[TRUTH], scores, categories=ids.tolist(), from_scores="argmax")
        assert result["mIoU"] == evaluate_segmentation(ids[TRUTH], ids[GUESS], categories=ids.tolist())["mIoU"]

    def test_ties_take_the_first(self):
        assert evaluate_segmentation([[0]], np.zeros((3, 1, 1)), from_scores="argmax", categories=3)["mIoU"] == 1

    @pytest.mark.parametrize("shape", [(3, 6, 8), (3, 1, 6, 8)])
    def test_threshold(self, shape):
        truth, scores = TRUTH > 1, RNG.random((3, 6, 8))
        result = evaluate_segmentation(truth, scores.reshape(shape), from_scores=0.5)
        assert result.to_json() == evaluate_segmentation(truth, scores > 0.5).to_json()

    def test_threshold_of_each_class(self):
        """Classes that may overlap."""
        truth, scores = RNG.random((2, 3, 4, 6, 8))
        truth = truth > 0.5
        result = evaluate_segmentation(truth, scores, from_scores=0.5)
        both = (truth & (scores > 0.5)).sum(axis=(0, 2, 3))
        either = (truth | (scores > 0.5)).sum(axis=(0, 2, 3))
        assert [row["IoU"] for row in result.per_class()] == (both / either).tolist()

    def test_categories_are_the_channels_where_none_are_said(self):
        """Class 3 is in no map, and one that could have been said."""
        scores = np.moveaxis(np.eye(4)[np.minimum(GUESS, 2)], -1, 1)
        result = evaluate_segmentation(np.minimum(TRUTH, 2), scores, from_scores="argmax")
        assert result.categories == [0, 1, 2, 3] and result.empties["absent"] == 1


class TestMasks:
    """A mask for each class, which may overlap: no confusion between classes."""

    MASKS = RNG.random((2, 3, 4, 6, 8)) > 0.6

    def test_of_label_maps(self):
        result = evaluate_segmentation(one_hot(TRUTH), one_hot(GUESS))
        maps = evaluate_segmentation(TRUTH, GUESS)
        assert [row["IoU"] for row in result.per_class()] == [row["IoU"] for row in maps.per_class()]
        assert result["mDice"] == maps["mDice"] and "pixel_accuracy" not in result
        assert all(a["tn"] == b["tn"] for a, b in zip(result.per_cell(), maps.per_cell(), strict=True))

    def test_collections(self):
        truth, guess = self.MASKS
        want = evaluate_segmentation(truth, guess).to_json()
        for first, second in itertools.product((Masks, lambda a: Masks(a).to_rle()), repeat=2):
            found = evaluate_segmentation([first(one) for one in truth], [second(one) for one in guess])
            assert found.to_json() == want

    def test_one_image(self):
        truth, guess = (RleMasks([[0, 2, 2], [2, 2]], size=(2, 2)), RleMasks([[0, 1, 3], [2, 2]], size=(2, 2)))
        assert [row["IoU"] for row in evaluate_segmentation(truth, guess).per_class()] == [0.5, 1]

    def test_against_a_label_map(self):
        result = evaluate_segmentation(TRUTH, one_hot(GUESS), categories=4)
        assert result["mIoU"] == evaluate_segmentation(TRUTH, GUESS)["mIoU"]

    def test_no_confusion(self):
        result = evaluate_segmentation(*self.MASKS)
        with pytest.raises(ValueError, match="which class was taken for which other is not known"):
            result.confusion()
        with pytest.raises(ValueError, match="no pixel accuracy"):
            result.score("pixel_accuracy")

    def test_kinds_do_not_mix(self):
        evaluator = SegmentationEvaluator()
        evaluator.update(TRUTH, GUESS)
        with pytest.raises(InputError, match="make two evaluators"):
            evaluator.update(*self.MASKS)


RGB = np.zeros((20, 30, 3), np.uint8)

BAD = {
    "sizes": (TRUTH, GUESS[:, :5], {}, SizeValueError, r"one size; got \(3, 6, 8\) and \(3, 5, 8\). Resize the guess"),
    "swapped axes": (TRUTH, GUESS.swapaxes(1, 2), {}, SizeValueError, r"got \(3, 6, 8\) and \(3, 8, 6\)"),
    "float truth": (TRUTH * 1.0, GUESS, {}, TypeError, "`truth` must be integers.*Are they swapped"),
    "float guess": (TRUTH, GUESS * 1.0, {}, TypeError, 'from_scores="argmax" for an axis of classes'),
    "scores of labels": (TRUTH, GUESS, {"from_scores": "argmax"}, TypeError, "labels already"),
    "colours": (RGB, RGB, {}, ValueError, "looks like a colour picture"),
    "colours in a list": ([RGB], [RGB], {}, ValueError, "looks like a colour picture"),
    "NaN": (TRUTH[0], np.full((4, 6, 8), np.nan), {"from_scores": "argmax"}, ValueError, "192 of its scores are NaN"),
    "NaN of a class": (TRUTH[0] > 1, np.full((6, 8), np.nan), {"from_scores": 0.5}, ValueError, "48 of its scores"),
    "other sizes of scores": (
        TRUTH,
        np.zeros((3, 4, 6, 9)),
        {"from_scores": "argmax"},
        SizeValueError,
        "axis of classes",
    ),
    "scores without classes": (
        TRUTH,
        np.zeros((3, 6, 8)),
        {"from_scores": "argmax"},
        SizeValueError,
        "axis of classes",
    ),
    "too many scores": (
        TRUTH,
        np.zeros((3, 5, 6, 8)),
        {"from_scores": "argmax", "categories": 4},
        SizeValueError,
        "each of the 4 categories; got 5",
    ),
    "a word": (TRUTH, GUESS, {"from_scores": "softmax"}, ValueError, '`from_scores` must be "argmax" or a number'),
    "unknown label": (TRUTH, GUESS, {"categories": 3}, InputError, r"The truth has the label 3 \(\d+ pixels\)"),
    "unknown guess": (TRUTH % 3, GUESS, {"categories": 3}, InputError, r"The guess has the label 3 \(\d+ pixels\)"),
    "nothing": ([], [], {}, InputError, "nothing to score"),
    "one side a list": ([TRUTH], GUESS, {}, TypeError, "the truth alone is a list"),
    "lists of two lengths": ([TRUTH[0]], [GUESS[0]] * 2, {}, SizeValueError, "the truth ends after 1"),
    "a path and an array": ("truth.png", GUESS, {}, (TypeError, InputError), "both be paths, or both be arrays"),
    "texts": (np.array([["a"]]), np.array([["a"]]), {}, TypeError, "must be labels"),
    "one axis": ([1, 2], [1, 2], {}, (TypeError, ValueError), "must"),
    "five axes": (np.zeros((1, 1, 1, 2, 2), int), np.zeros((1, 1, 1, 2, 2), int), {}, ValueError, "volume=True"),
    "masked": (np.ma.array(TRUTH, mask=True), GUESS, {}, TypeError, "masked array"),
    "beyond int64": (
        np.full((2, 2), 2**63, np.uint64),
        np.zeros((2, 2), np.uint64),
        {},
        ValueError,
        "Labels must fit int64; got 9223372036854775808",
    ),
    "ids": (TRUTH, GUESS, {"images": ["a", "b"]}, SizeValueError, "one for each"),
    "more ids": (TRUTH, GUESS, {"images": "abcd"}, SizeValueError, "one for each"),
    "an id twice": (TRUTH, GUESS, {"images": ["a", "b", "a"]}, InputError, "'a' was there already"),
    "categories": (TRUTH, GUESS, {"categories": [0, 1, 1]}, ValueError, "each once; got 1 twice"),
    "names": (TRUTH, GUESS, {"categories": {0: "a", 1: "a"}}, ValueError, "different names; got 'a' twice"),
    "a name": (TRUTH, GUESS, {"categories": "road"}, TypeError, "a list of names"),
    "masks of other numbers": (
        np.zeros((1, 2, 4, 4), bool),
        np.zeros((1, 3, 4, 4), bool),
        {},
        SizeValueError,
        "one size; got|Each class has one mask",
    ),
    "masks and a map": (TRUTH, one_hot(GUESS), {}, ValueError, "`categories` must say which label each mask is of"),
    "collections and a map": (Masks(one_hot(GUESS)[0]), GUESS[0], {}, TypeError, "both as label maps"),
    "policy": (TRUTH, GUESS, {"policy": "monai"}, TypeError, "Names of libraries go to `like`"),
    "ignored twice": (
        TRUTH,
        GUESS,
        {"policy": SegmentationPolicy(ignore=1), "ignore": 2},
        ValueError,
        "in the policy already",
    ),
    "an option of others": (TRUTH, GUESS, {"num_classes": 4}, TypeError, "has no option `num_classes`"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input(name):
    truth, guess, options, error, match = BAD[name]
    with pytest.raises(error, match=match):
        evaluate_segmentation(truth, guess, **options)


def test_nothing_is_scored_by_half():
    """A bad image leaves an evaluator as it was."""
    evaluator = SegmentationEvaluator(categories=4)
    evaluator.update(TRUTH, GUESS)
    before = evaluator.to_bytes()
    for truth, guess in ((TRUTH, GUESS[:, :2]), (TRUTH + 1, GUESS), (TRUTH, GUESS * 0.5)):
        with pytest.raises((ValueError, TypeError, InputError)):
            evaluator.update(truth, guess)
        assert evaluator.to_bytes() == before and len(evaluator) == 3


class TestOneHot:
    """Masks of the classes of one image, as MONAI has them, are no stack of images."""

    LABELS = np.random.default_rng(0).integers(0, 3, (9, 11))
    MASKS = (np.arange(3)[:, None, None] == LABELS).astype(np.uint8)
    GUESS = np.roll(MASKS, 1, axis=2)

    def test_refused(self):
        for sides in ((self.MASKS, self.GUESS), (self.MASKS.astype(bool), self.GUESS.astype(bool))):
            with pytest.raises(ValueError, match=r"masks of 3 classes of one image.*truth\[None\].*list\(truth\)"):
                evaluate_segmentation(*sides)
            with pytest.raises(ValueError, match="masks of 3 classes of one image"):
                vesica.evaluate_surfaces(*sides, categories=[1])
        with pytest.raises(ValueError, match="masks of 3 classes of one image"):
            SegmentationEvaluator().update(self.MASKS, self.GUESS)

    def test_ways_out(self):
        one = evaluate_segmentation(self.MASKS[None], self.GUESS[None])
        labels = evaluate_segmentation(self.LABELS, np.roll(self.LABELS, 1, axis=1))
        assert one["mIoU"] == labels["mIoU"]
        assert len(evaluate_segmentation(list(self.MASKS), list(self.GUESS)).per_image()) == 3

    @pytest.mark.parametrize(
        "change",
        [
            pytest.param(lambda masks: masks[:2], id="a class is missing"),
            pytest.param(lambda masks: masks * 2, id="other labels"),
            pytest.param(lambda masks: np.where(masks, masks, 255), id="ignored ones"),
            pytest.param(lambda masks: masks[:, :3, :4], id="a toy"),
        ],
    )
    def test_other_stacks(self, change):
        truth, guess = change(self.MASKS), change(self.GUESS)
        assert len(evaluate_segmentation(truth, guess).per_image()) == len(truth)


class TestFlattened:
    """Maps as scikit-learn wants them."""

    @pytest.mark.parametrize("flat", [[0, 1, 1, 0], np.array([0, 1, 1, 0])])
    def test_one_axis(self, flat):
        with pytest.raises(
            ValueError, match=r"got \(4,\)\. A map that was flattened is an image of one row: truth\[None\]"
        ):
            evaluate_segmentation(flat, flat)

    def test_masks_of_floats(self):
        masks = np.zeros((1, 2, 4, 4), np.float32)
        with pytest.raises(TypeError, match="of booleans: truth > 0.5, guess > 0.5"):
            evaluate_segmentation(masks, masks)
