"""Images as they come: batches, processes, devices and bytes."""

import copy
import json
import pickle

import numpy as np
import pytest

import vesica
from vesica import SegmentationEvaluator, SegmentationPolicy, evaluate_segmentation
from vesica.errors import InputError
from vesica.results import container
from vesica.segmentation import PixelCounts, SegmentationResult, merge
from vesica.segmentation.counts import _KIND as COUNTS
from vesica.segmentation.result import KIND as RESULT

RNG = np.random.default_rng(11)
TRUTH, GUESS = RNG.integers(0, 5, (2, 12, 6, 8))
TRUTH[RNG.random(TRUTH.shape) < 0.1] = 255


def made(rows, ids=None, **options):
    evaluator = SegmentationEvaluator(categories=5, ignore=255, **options)
    for k in rows:
        evaluator.update(TRUTH[k], GUESS[k], image=None if ids is None else ids[k])
    return evaluator


WHOLE = made(range(12)).compute()


class TestEvaluator:
    def test_equals_the_verb(self):
        assert evaluate_segmentation(TRUTH, GUESS, categories=5, ignore=255).to_json() == WHOLE.to_json()

    def test_reset(self):
        evaluator = made(range(12))
        evaluator.reset()
        assert len(evaluator) == 0
        evaluator.update(TRUTH, GUESS)
        assert evaluator.compute().to_json() == WHOLE.to_json()

    def test_compute_changes_nothing(self):
        evaluator = made(range(6))
        assert evaluator.compute().to_json() == evaluator.compute().to_json()
        evaluator.update(TRUTH[6:], GUESS[6:])
        assert evaluator.compute().to_json() == WHOLE.to_json()

    def test_nothing_was_added(self):
        result = SegmentationEvaluator(categories=3).compute()
        assert np.isnan(result["mIoU"]) and result.numbers["mIoU"] is None and len(result.per_image()) == 0
        assert "0 images" in str(result)

    def test_reset_forgets_how_many_scores_there_were(self):
        evaluator = SegmentationEvaluator(from_scores="argmax")
        evaluator.update(TRUTH[0] % 5, np.zeros((5, 6, 8)))
        evaluator.reset()
        evaluator.update(TRUTH[0] % 3, np.zeros((3, 6, 8)))
        assert evaluator.compute().categories == [0, 1, 2]

    def test_len_and_repr(self):
        assert len(made(range(3))) == 3
        assert repr(made(range(3))).startswith("SegmentationEvaluator(3 images, macro, totals, policy ")

    def test_ids(self):
        evaluator = SegmentationEvaluator()
        evaluator.update(TRUTH[:2], GUESS[:2], image=["a", "b"])
        with pytest.raises(InputError, match="'b' was there already"):
            evaluator.update(TRUTH[2], GUESS[2], image="b")
        with pytest.raises(InputError, match="for all images or for none"):
            evaluator.update(TRUTH[2], GUESS[2])
        assert len(evaluator) == 2

    @pytest.mark.parametrize("id", [1.5, None, True, ("a",)])
    def test_strange_ids(self, id):
        with pytest.raises((TypeError, ValueError)):
            SegmentationEvaluator().update(TRUTH[:1], GUESS[:1], image=[id])

    def test_truth_comes_first(self):
        with pytest.raises(TypeError, match="Are they swapped"):
            SegmentationEvaluator(from_scores="argmax").update(np.zeros((5, 6, 8)), TRUTH[0])

    def test_can_be_copied_and_sent(self):
        evaluator = made(range(12))
        for twin in (copy.deepcopy(evaluator), pickle.loads(pickle.dumps(evaluator))):
            assert twin.compute().to_json() == WHOLE.to_json()


class TestMerge:
    @pytest.mark.parametrize("cuts", [(1,), (3, 7), (1, 2, 3, 11)])
    def test_shards(self, cuts):
        ids = [f"image {k}" for k in range(12)]
        parts = np.split(RNG.permutation(12), cuts)
        whole = made(range(12), ids)
        total = made(parts[0], ids)
        for rows in parts[1:]:
            total.merge(made(rows, ids))
        assert total.to_bytes() == whole.to_bytes() and len(total) == 12
        results = [made(rows, ids).compute() for rows in parts]
        assert results[-1].merge(*results[:-1]).to_bytes() == whole.to_bytes()

    def test_without_ids(self):
        """All images are different; the order changes no number."""
        total = made(range(5))
        total.merge(made(range(5, 12)))
        assert total.compute().to_json() == WHOLE.to_json()
        other = made(range(5, 12))
        other.merge(made(range(5)))
        assert other.compute().to_json() == WHOLE.to_json()

    def test_goes_on(self):
        total = made(range(3))
        total.merge(made(range(3, 6)))
        total.update(TRUTH[6:], GUESS[6:])
        assert total.compute().to_json() == WHOLE.to_json()

    def test_empty(self):
        total = made([])
        total.merge(made(range(12)))
        total.merge(made([]))
        assert total.compute().to_json() == WHOLE.to_json()

    def test_policies_that_differ(self):
        with pytest.raises(InputError, match="different policies.*both_empty is 'skip' here and 'one' there"):
            made([0]).merge(made([1], policy=SegmentationPolicy(both_empty="one")))
        with pytest.raises(InputError, match="like is None here and 'monai' there"):
            made([0]).compute().merge(made([1], like="monai").compute())

    def test_categories_that_differ(self):
        one, other = (SegmentationEvaluator(categories=names) for names in (["a", "b"], ["a", "c"]))
        for evaluator in (one, other):
            evaluator.update([[0, 1]], [[0, 1]])
        with pytest.raises(InputError, match="names of their categories"):
            one.merge(other)

    def test_an_image_twice(self):
        ids = list(range(12))
        with pytest.raises(InputError, match="image 3 is there twice"):
            made([1, 3], ids).merge(made([3], ids))

    def test_of_counts(self):
        with pytest.raises(ValueError, match="needs counts; got none"):
            merge()
        both = merge(made(range(5)).counts(), made(range(5, 12)).counts())
        assert SegmentationResult(both, WHOLE.policy).to_json() == WHOLE.to_json()


class TestBytes:
    def test_round_trip(self):
        result = SegmentationResult.from_bytes(WHOLE.to_bytes())
        assert result.to_json() == WHOLE.to_json() and result.to_bytes() == WHOLE.to_bytes()
        counts = PixelCounts.from_bytes(WHOLE.counts.to_bytes())
        assert counts.to_bytes() == WHOLE.counts.to_bytes()

    def test_names_groups_masks_volumes(self):
        truth, guess = RNG.random((2, 2, 3, 4, 5, 6)) > 0.5
        options = {"categories": ["a", "b", "c"], "volume": True, "images": [3, "x"], "groups": ["p", "q"]}
        result = evaluate_segmentation(truth, guess, policy=SegmentationPolicy(tau=2, spacing=(1, 1, 2)), **options)
        again = SegmentationResult.from_bytes(result.to_bytes())
        assert again.to_json() == result.to_json() and again.per_group() == result.per_group()
        assert again.policy == result.policy and again.policy.spacing == (1.0, 1.0, 2.0)

    def test_evaluator_goes_on(self):
        evaluator = SegmentationEvaluator.from_bytes(made(range(5)).to_bytes())
        assert len(evaluator) == 5
        evaluator.update(TRUTH[5:], GUESS[5:])
        assert evaluator.compute().to_json() == WHOLE.to_json()

    @pytest.mark.parametrize("cut", [0, 5, 40, 200, -1])
    def test_cut_off(self, cut):
        with pytest.raises(InputError, match="segmentation results"):
            SegmentationResult.from_bytes(WHOLE.to_bytes()[:cut])

    def test_every_flipped_bit_is_found(self):
        data = bytearray(WHOLE.to_bytes())
        for at in range(0, len(data), 97):
            data[at] ^= 4
            with pytest.raises(InputError):
                SegmentationResult.from_bytes(bytes(data))
            data[at] ^= 4

    def test_another_version(self):
        newer = container.to_bytes(RESULT._replace(version=2), *container.from_bytes(RESULT, WHOLE.to_bytes()))
        with pytest.raises(InputError, match="have format 2; this version of vesica reads format 1"):
            SegmentationResult.from_bytes(newer)

    def test_a_policy_that_was_changed(self):
        header, columns = container.from_bytes(RESULT, WHOLE.to_bytes())
        header["policy"]["both_empty"] = "one"
        with pytest.raises(InputError, match="does not fit its checksum"):
            SegmentationResult.from_bytes(container.to_bytes(RESULT, header, columns))

    @pytest.mark.parametrize(
        "name, change, match",
        [
            ("count", lambda c: c * 0, "above 0"),
            ("count", lambda c: c + 1, "add up"),
            ("image", lambda c: c[::-1].copy(), "do not fall"),
            ("image", lambda c: c + 20, "do not fall"),
            ("truth", lambda c: c[:-1], "must be"),
            ("guess", lambda c: c.astype(np.int32), "int64"),
        ],
    )
    def test_columns_that_contradict(self, name, change, match):
        header, columns = container.from_bytes(COUNTS, WHOLE.counts.to_bytes())
        columns[name] = change(columns[name])
        with pytest.raises(InputError, match=match):
            PixelCounts.from_bytes(container.to_bytes(COUNTS, header, columns))


@pytest.mark.torch
class TestDevice:
    """Tables of a device are exact, and wait for it in the end. Tensors of the host take the same way here."""

    @pytest.fixture(autouse=True)
    def elsewhere(self, monkeypatch):
        torch = pytest.importorskip("torch")
        monkeypatch.setattr("vesica.segmentation.evaluator.is_elsewhere", lambda maps: True)
        self.tensor = torch.as_tensor

    @pytest.mark.parametrize("size", [1, 5, 12])
    def test_equals_the_host(self, size):
        evaluator = SegmentationEvaluator(categories=5, ignore=255)
        for at in range(0, 12, size):
            evaluator.update(self.tensor(TRUTH[at : at + size]), self.tensor(GUESS[at : at + size]))
        assert evaluator.compute().to_bytes() == WHOLE.to_bytes()

    def test_room(self, monkeypatch):
        monkeypatch.setattr("vesica.segmentation.evaluator.ROOM", 1000)
        self.test_equals_the_host(1)

    @pytest.mark.parametrize("labels", [[3], [3, 9], [-7, 300]])
    def test_unknown_labels(self, labels):
        guess = GUESS % 3
        guess[0, 0, : len(labels)] = labels
        evaluator = SegmentationEvaluator(categories=3, ignore=255)
        evaluator.update(self.tensor(TRUTH % 3), self.tensor(guess))
        named = f"the label {labels[0]}" if len(labels) == 1 else f"labels from {labels[0]} to {labels[1]}"
        with pytest.raises(InputError, match=rf"The guess has {named} \({len(labels)} pixels?\)"):
            evaluator.compute()

    def test_dropped_labels(self):
        evaluator = SegmentationEvaluator(categories=3, like="mmseg")
        evaluator.update(self.tensor(TRUTH), self.tensor(GUESS))
        want = evaluate_segmentation(TRUTH, GUESS, categories=3, like="mmseg")
        assert evaluator.compute()["mIoU"] == want["mIoU"]
        with pytest.raises(InputError, match="no category"):
            evaluator.compute().under(SegmentationPolicy(ignore=255))


class TestDistributed:
    def test_as_bytes_between_processes(self):
        """What a process sends is bytes; who adds them up, and in which order, changes nothing."""
        ids = list(range(12))
        sent = [made(rows, ids).to_bytes() for rows in (range(0, 5), range(5, 6), range(6, 12))]
        got = [SegmentationResult.from_bytes(one) for one in sent]
        assert got[2].merge(got[0], got[1]).to_bytes() == made(range(12), ids).to_bytes()
        assert json.loads(got[0].merge(*got[1:]).to_json())["images"] == 12


def test_public_names():
    assert vesica.segmentation.SegmentationResult is SegmentationResult
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        vesica.segmentation.nothing
