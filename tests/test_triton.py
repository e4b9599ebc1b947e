"""Kernels for CUDA tensors, run step by step by Triton's interpreter, against their twins."""

import contextlib
import json

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("triton")

from backends import absent, careful  # noqa: E402
from vesica import Boxes, iou  # noqa: E402
from vesica._kernels import pick, registry  # noqa: E402
from vesica._kernels.generic import contingency as generic_contingency  # noqa: E402
from vesica._kernels.triton import contingency, launch, measure  # noqa: E402
from vesica.cli import main  # noqa: E402
from vesica.overlaps.measures import MEASURES  # noqa: E402
from vesica.overlaps.parts import twin_parts  # noqa: E402
from vesica.regions import comparable  # noqa: E402


@contextlib.contextmanager
def as_if_cuda():
    """Tensors on the CPU go where those of a CUDA device would."""
    registry.STANDS_FOR["cpu"] = "cuda"
    try:
        with careful():
            yield
    finally:
        registry.STANDS_FOR.clear()


def rows(n, seed=0, dtype="float32", scale=1.0):
    rng = np.random.default_rng(seed)
    corner = rng.uniform(0, 80, (n, 2))
    table = np.concatenate([corner, corner + rng.uniform(0, 40, (n, 2))], axis=1) * scale
    if n > 3:
        table[1] = table[0]
        table[2, 2:] = table[2, :2]  # a point
        table[3, 2] = table[3, 0]  # a line
    return torch.from_numpy(table.astype(dtype))


def both(name, a, b, aligned=False, **options):
    """What the kernel gives, and what its twin gives."""
    formula = MEASURES[name].chosen(options)
    tables = comparable(a, b, aligned=aligned)
    twin = formula.of_parts(twin_parts(tables, aligned))
    with np.errstate(all="ignore"):  # the interpreter is NumPy
        return measure.measure(tables, formula, aligned=aligned, threads=None), twin


def assert_equal(got, want, name):
    """Bit for bit, but for the arc tangents of ciou."""
    assert got.dtype == want.dtype and got.shape == want.shape
    tolerance = 8 * torch.finfo(want.dtype).eps if name == "ciou" else 0
    same = (got == want) | (got.isnan() & want.isnan()) | ((got - want).abs() <= tolerance)
    assert same.all(), (name, got[~same][:4], want[~same][:4])


class TestMeasure:
    @pytest.mark.parametrize("name", sorted(MEASURES))
    @pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "float16"])
    def test_is_its_twin(self, name, dtype):
        a, b = rows(9, 1, dtype), rows(21, 2, dtype)
        assert_equal(*both(name, a, b), name)
        assert_equal(*both(name, a, b[:9], aligned=True), name)

    @pytest.mark.parametrize("name", ["iou", "ciou"])
    def test_more_than_one_tile(self, name):
        assert_equal(*both(name, rows(67, 1), rows(1030, 2)), name)
        assert_equal(*both(name, rows(300, 1), rows(300, 2), aligned=True), name)

    @pytest.mark.parametrize("name", sorted(MEASURES))
    def test_strange_rows(self, name):
        """NaN stays NaN, inverted boxes are empty, and what is infinite or tiny goes as in array code."""
        odd = rows(9, 3)
        odd[0, 0], odd[1, 3], odd[2] = torch.nan, torch.inf, torch.tensor([5.0, 5, 3, 9])
        odd[3:5] *= 1e-20
        odd[5:7] *= 1e17
        a = Boxes(odd, check=False)
        assert_equal(*both(name, a, a), name)
        assert_equal(*both(name, a, a, aligned=True), name)

    @pytest.mark.parametrize("name", sorted(set(MEASURES) - {"tversky"}))
    def test_tame_boxes_go_the_fast_way_to_the_same_bits(self, name):
        a, b = rows(30, 1)[4:], rows(40, 2)[4:]
        assert_equal(*both(name, a, b), name)
        assert_equal(*both(name, a / 128, b / 128), name)
        touching = torch.tensor([[0.0, 0, 4, 4], [4, 0, 8, 4], [0, 0, 4, 4.0000005], [1, 1, 2, 2]])
        assert_equal(*both(name, touching, touching), name)

    def test_the_entry_for_small_calls(self):
        a, b = rows(6, 1), rows(7, 2)
        for name in ("iou", "ciou"):
            entry = measure.lane(MEASURES[name].plain)
            assert_equal(entry(a, b, False), both(name, a, b)[1], name)
            assert_equal(entry(a.double(), b[:6].double(), True), both(name, a.double(), b[:6].double(), True)[1], name)
        handed_back = [(a, b, True), (a.long(), b.long(), False), (a[:0], b, False), (a[None], b, False)]
        handed_back += [(a[:, :3], b, False), (a, b.double(), False), (a.T.contiguous().T, b, False), (a[0], b, False)]
        handed_back += [(rows(9).flatten()[1:25].reshape(6, 4), b, False), (a.half(), b.half(), False)]
        for case in handed_back:
            assert entry(*case) is None

    def test_options(self):
        a, b = rows(5, 1), rows(6, 2)
        for name, options in (
            ("iou", {"empty": 1.0}),
            ("giou", {"empty": float("nan")}),
            ("coverage", {"of": "b"}),
            ("tversky", {"alpha": 0.3, "beta": 0.7, "empty": 0.25}),
            ("tversky", {"alpha": 1e30, "beta": 0.0}),
        ):
            assert_equal(*both(name, a, b, **options), name)
            assert_equal(*both(name, a.double(), b.double(), **options), name)

    @pytest.mark.parametrize("n,m", [(1, 1), (1, 300), (70, 1), (3, 0), (0, 3), (0, 0)])
    def test_shapes(self, n, m):
        assert_equal(*both("giou", rows(n), rows(m, 1)), "giou")

    def test_batches(self):
        a = torch.stack([rows(4, k) for k in range(6)]).reshape(2, 3, 4, 4)
        b = torch.stack([rows(5, 9 + k) for k in range(3)])
        for left, right in ((a, b), (b, a), (a, b[0]), (b[0], a), (a[:, :1], b)):
            assert_equal(*both("giou", left, right), "giou")
        assert_equal(*both("ciou", a[:, 0], b[0]), "ciou")
        assert_equal(*both("diou", a, b[..., :4, :], aligned=True), "diou")

    def test_rows_that_are_not_in_order(self):
        wide = torch.zeros((20, 8))
        wide[:, ::2] = rows(20)
        for a in (wide[:, ::2], rows(21)[1:], rows(40).flatten()[4:][:80].reshape(20, 4), rows(20).T.contiguous().T):
            assert_equal(*both("iou", a, rows(3, 1)), "iou")

    def test_an_answer_of_half_precision(self):
        a = rows(9).half()  # of bfloat16 the interpreter has no rounding
        got, want = both("iou", a, a)
        assert got.dtype == torch.float16 and torch.equal(got, want)

    def test_nothing_is_written_to(self):
        a = rows(9)
        before = a.clone()
        both("ciou", a, a)
        assert torch.equal(a, before)

    def test_where_memory_may_be_read(self):
        table = rows(6).flatten()
        assert launch.in_rows(table[4:8]).data_ptr() == table[4:8].data_ptr()
        assert launch.in_rows(table[1:5]).data_ptr() % 16 == 0
        assert launch.bits(-0.0) == -(2**63) and launch.bits(1.0) == 0x3FF << 52


class TestContingency:
    @pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "int32", "int64", "bool"])
    @pytest.mark.parametrize("labels", [[0], [0, 1, 2, 3], [0, 1, 2, 100], [-7, 1], [0, 10**9]])
    def test_is_its_twin(self, dtype, labels):
        rng = np.random.default_rng(len(labels))
        for shape in ((3, 7, 11), (1, 1, 1), (2, 61, 97)):
            truth, guess = (torch.from_numpy(rng.integers(0, 5, shape).astype(dtype)) for _ in range(2))
            got = contingency.contingency(truth, guess, np.array(labels), None)
            want = generic_contingency.contingency(truth, guess, np.array(labels), None)
            for x, y in zip(got, want, strict=True):
                assert x.dtype == y.dtype and torch.equal(x, y)

    def test_more_than_one_block(self):
        rng = np.random.default_rng(0)
        truth, guess = (torch.from_numpy(rng.integers(0, 21, (2, 190, 191)).astype("uint8")) for _ in range(2))
        got, ends = contingency.contingency(truth, guess, np.arange(19), None)
        want, other_ends = generic_contingency.contingency(truth, guess, np.arange(19), None)
        assert torch.equal(got, want) and ends.tolist() == other_ends.tolist() == [19, 20, 19, 20]

    def test_many_classes_go_to_the_twin(self):
        truth = torch.arange(200).reshape(1, 10, 20)
        got, _ = contingency.contingency(truth, truth, np.arange(200), None)
        assert got.shape == (1, 201, 201) and torch.equal(got[0].diagonal()[:-1], torch.ones(200, dtype=torch.int64))

    def test_dtypes_that_triton_has_not(self):
        truth = torch.tensor([[[1, 2, 60000]]]).to(torch.uint16)
        got, ends = contingency.contingency(truth, truth, np.array([1, 2]), None)
        assert got[0].diagonal().tolist() == [1, 1, 1] and ends.tolist() == [60000] * 4


class TestDoor:
    def test_cuda_tensors_are_sent_there(self):
        a = rows(3)
        with as_if_cuda():
            kernel = pick("measure", comparable(a, a, aligned=False), iou.plain)
            assert (kernel.backend, kernel.why) == (
                "triton",
                "Triton kernels work on the device, without intermediates",
            )
            assert torch.equal(iou(a, a), both("iou", a, a)[1])
            with absent("triton"):
                assert pick("measure", comparable(a, a, aligned=False), iou.plain).backend == "generic"
        assert pick("measure", comparable(a, a, aligned=False), iou.plain).backend == "native"

    def test_gradients_stay_with_torch(self):
        a = rows(3).requires_grad_()
        with as_if_cuda():
            assert pick("measure", comparable(a, a, aligned=False), iou.plain).backend == "generic"
            with torch.no_grad():
                assert pick("measure", comparable(a, a, aligned=False), iou.plain).backend == "triton"

    def test_info_says_so(self, capsys):
        assert main(["info", "--json"]) == 0
        listed = json.loads(capsys.readouterr().out)["backends"]
        mine = [case for case in listed if case["backend"] == "triton"]
        assert mine and all(case["arrays"] == "torch on a CUDA device, no gradient needed" for case in mine)
        assert {"measure", "contingency"} <= {verb for case in mine for verb in case["verbs"]}
