"""The best partners, anchors and greedy matching by kernels for CUDA, in Triton's interpreter: choices of the CPU."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("triton")

from backends import forbidden  # noqa: E402
from test_triton import crowd, on_device  # noqa: E402
from vesica import Boxes, anchors, best, match, nms_padded  # noqa: E402
from vesica._kernels.triton import best as triton_best  # noqa: E402
from vesica._kernels.triton import few  # noqa: E402
from vesica._kernels.triton import nms as triton_nms  # noqa: E402


def on_host(*tables):
    return [Boxes(table, check=False) for table in tables]


class TestBest:
    @pytest.mark.parametrize("name", ["iou", "dice", "coverage", "overlap", "tversky", "giou", "diou", "ciou", "eiou"])
    def test_same_partners(self, name):
        for whole in (False, True):
            a, b = crowd(4, 1, whole=whole), crowd(45, 2, whole=whole)
            got, want = on_device(best, a, b, k=3, measure=name), best(*on_host(a, b), k=3, measure=name)
            assert np.array_equal(got.index.numpy(), want.index)
            tolerance = 1e-6 if name == "ciou" else 0
            assert np.allclose(got.value.numpy(), want.value, rtol=0, atol=tolerance)

    def test_strange_rows_and_more_partners_than_there_are(self):
        a, b = crowd(3), crowd(6, 2)
        a[0, 0], b[3, 1], b[4], b[5, 2] = np.nan, np.inf, [5, 5, 3, 9], np.nan
        got, want = on_device(best, a, b, k=8), best(*on_host(a, b), k=8)
        assert np.array_equal(got.index.numpy(), want.index)
        assert np.array_equal(got.value.numpy(), want.value, equal_nan=True)
        assert on_device(best, a, b[:0]).index.tolist() == [[-1]] * 3

    @pytest.mark.parametrize("dtype", ["float64", "int64", "float16"])
    def test_dtypes(self, dtype):
        a, b = (crowd(3, seed, whole=True).astype(dtype) for seed in (1, 2))
        got, want = on_device(best, a, b, k=2), best(*on_host(a, b), k=2)
        assert np.array_equal(got.index.numpy(), want.index) and np.array_equal(got.value.numpy(), want.value)

    def test_rows_side_by_side_and_many_partners(self, monkeypatch):
        monkeypatch.setattr(triton_best, "ENOUGH", 1)
        a, b = crowd(11, 1), crowd(150, 2)
        for k in (1, triton_best.MOST + 1):
            got, want = on_device(best, a, b, k=k), best(*on_host(a, b), k=k)
            assert np.array_equal(got.index.numpy(), want.index) and np.array_equal(got.value.numpy(), want.value)


class TestAnchors:
    @pytest.mark.parametrize("whole", [False, True])
    @pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
    def test_same_choices(self, whole, dtype):
        table, truths = (crowd(n, n, whole=whole or dtype == "int64").astype(dtype) for n in (60, 9))
        for offsets in (None, [0, 3, 3, 9]):
            with forbidden("native", "anchors"):
                got = on_device(anchors.assign, table, truths, offsets=offsets)
            want = anchors.assign(*on_host(table, truths), offsets=offsets)
            assert np.array_equal(got.truth.numpy(), want.truth) and np.array_equal(got.value.numpy(), want.value)
            assert (want.truth >= 0).sum() > 5

    def test_nothing(self):
        assert on_device(anchors.assign, crowd(3), crowd(0)).truth.tolist() == [-1] * 3
        assert on_device(anchors.assign, crowd(0), crowd(3)).truth.tolist() == []


class TestMatch:
    @pytest.mark.parametrize("whole", [False, True])
    @pytest.mark.parametrize("shape", [(20, 30), (30, 1), (1, 30), (3, 90)])
    def test_same_pairs(self, whole, shape):
        truth, guess = crowd(shape[0], 1, whole=whole), crowd(shape[1], 2, whole=whole)
        for scores in (None, np.random.default_rng(0).integers(0, 5, shape[1]).astype("float32")):
            told = None if scores is None else torch.from_numpy(scores)
            with forbidden("native", "greedy"):
                got = on_device(match, truth, guess, scores=told, at_least=0.1)
            want = match(*on_host(truth, guess), scores=scores, at_least=0.1)
            for column in ("truth", "guess", "value", "guess_of", "truth_of", "unmatched_truth", "unmatched_guess"):
                assert np.array_equal(getattr(got, column).numpy(), getattr(want, column)), column

    def test_who_is_displaced_asks_again(self):
        """Guesses are asked in the order of their rows: those with higher scores come last, and take what is held."""
        truth = np.array([[k, 0, k + 10, 10] for k in range(0, 40, 5)], np.float32)
        guess = np.repeat(truth[:1], 8, axis=0) + np.float32(1)
        scores = np.arange(8, dtype=np.float32)
        got = on_device(match, truth, guess, scores=scores, at_least=0.01)
        assert got.truth_of.tolist() == match(truth, guess, scores=scores, at_least=0.01).truth_of.tolist()
        assert len(got) > 2

    def test_nothing(self):
        for n, m in ((0, 3), (3, 0), (0, 0)):
            found = on_device(match, crowd(n), crowd(m, 1), scores=np.zeros(m, np.float32))
            assert len(found) == 0 and found.guess_of.tolist() == [-1] * n and found.truth_of.tolist() == [-1] * m

    def test_scores_that_are_not_numbers(self):
        for count in (5, 0):
            with pytest.raises(ValueError, match="got NaN in row 1"):
                on_device(match, crowd(count), crowd(3, 1), scores=np.array([1, np.nan, np.nan], np.float32))

    def test_the_best_choice_is_the_host_s(self):
        truth, guess = crowd(10, 1), crowd(12, 2)
        got = on_device(match, truth, guess, at_least=0.1, how="optimal")
        assert got.guess_of.tolist() == match(truth, guess, at_least=0.1, how="optimal").guess_of.tolist()


class TestFewAndMany:
    """Suppression among few boxes and among many are two ways to one answer."""

    def test_padded_batches(self, monkeypatch):
        table = torch.from_numpy(np.stack([crowd(70, k, whole=k == 1) for k in range(3)]))
        scores = torch.from_numpy(np.random.default_rng(1).integers(0, 30, (3, 70)).astype("float32"))
        keys = torch.arange(70).expand(3, 70) % 2
        counts = torch.tensor([70, 0, 33])
        for options in ({}, {"keys": keys, "counts": counts, "min_score": 4}):
            want = nms_padded(table, scores, limit=20, above=0.3, **options)
            for most in (few.MOST, 0):
                monkeypatch.setattr(few, "MOST", most)
                got = self.on_device(table, scores, options)
                assert all(torch.equal(x, y) for x, y in zip(got, want, strict=True))

    def on_device(self, table, scores, options):
        from vesica._check import threshold
        from vesica._kernels.generic.nms import in_order
        from vesica._kernels.tables import Contest
        from vesica.overlaps.measures import iou

        order = torch.argsort(-scores, dim=1, stable=True)
        alive = in_order(scores, order) >= options.get("min_score", -1)
        if "counts" in options:
            alive = alive & (order < options["counts"][:, None])
        keys = in_order(options["keys"], order) if "keys" in options else None
        contest = Contest(in_order(table, order), keys, iou.plain, threshold(0.3, "above", strict=True))
        with np.errstate(all="ignore"):
            return triton_nms.nms_padded(contest, order, alive, 20)


class TestOtherLibraries:
    """CuPy's arrays go through DLPack; here NumPy's stand for them, which have it as well."""

    def test_lent_to_the_kernels_and_back(self):
        from vesica._kernels.triton import dlpack, measure
        from vesica.overlaps.measures import giou, iou
        from vesica.regions import comparable

        a, b = crowd(5, 1), crowd(7, 2)
        tables = comparable(*on_host(a, b), aligned=False)
        with np.errstate(all="ignore"):
            got = dlpack.through_torch(measure.measure, tables, giou.plain, aligned=False, threads=None)
            index, value = dlpack.through_torch(triton_best.best, tables, iou.plain, k=2, threads=None)
        assert type(got) is type(index) is np.ndarray and np.array_equal(got, giou(*on_host(a, b)))
        want = best(*on_host(a, b), k=2)
        assert np.array_equal(index, want.index) and np.array_equal(value, want.value)
