"""Boxes of narrow floats far from the origin: forms that name a size keep it, in every library and every verb."""

import copy
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
import vesica
from vesica import Boxes

both_ways = pytest.mark.usefixtures("both_ways")

FAR = [[1e7, 1e7, 0.7, 0.7], [1e7, 1e7 + 1, 0.9, 2.5], [3e4, -2e6, 0.01, 40.0]]
SIZED = ("xywh", "cxcywh")


def exact(row, form):
    """x1, y1, x2, y2 as fractions."""
    x, y, w, h = (Fraction(float(value)) for value in row)
    return (x, y, x + w, y + h) if form == "xywh" else (x - w / 2, y - h / 2, x + w / 2, y + h / 2)


def sized_rows(dtype):
    where = st.floats(-60000, 60000, width=16) if dtype == "float16" else st.floats(-1e8, 1e8, width=32)
    side = st.floats(2**-10, 100, width=16 if dtype == "float16" else 32)
    return st.lists(st.tuples(where, where, side, side), min_size=1, max_size=4).map(lambda rows: np.array(rows, dtype))


@pytest.mark.parametrize("form", SIZED)
class TestAnyLibrary:
    def test_a_box_is_itself(self, xp, form):
        boxes = Boxes(xp(FAR, "float32"), form)
        found = vesica.iou(boxes, boxes, aligned=True)
        assert xp.back(found).tolist() == [1, 1, 1] and "float32" in str(found.dtype)

    def test_area(self, xp, form):
        area = Boxes(xp(FAR, "float32"), form).area
        want = [np.float32(float(Fraction(float(w)) * Fraction(float(h)))) for w, h in np.float32(FAR)[:, 2:]]
        assert np.allclose(xp.back(area), want, rtol=3e-7 if form == "xywh" else 1e-6, atol=0)
        assert "float32" in str(area.dtype)


@pytest.mark.parametrize("form", SIZED)
@pytest.mark.parametrize("dtype", ["float32", "float16"])
class TestOracle:
    @given(data=st.data())
    def test_pairs(self, form, dtype, data):
        rows = data.draw(sized_rows(dtype))
        shift = np.array([[0.25, 0.25, 0, 0]], dtype)
        boxes, others = Boxes(rows, form), Boxes(rows + shift, form)
        corners = [[exact(row, form) for row in side.array] for side in (boxes, others)]
        want = [[float(oracles.iou(a, b)) for b in corners[1]] for a in corners[0]]
        found = vesica.iou(boxes, others)
        assert found.dtype == dtype
        # Corners in float64 are off by its spacing there, which a side of 2^-10 must bear.
        assert np.allclose(found, want, atol=1e-4 if dtype == "float32" else 1e-3)


@both_ways
class TestVerbs:
    """Every verb that takes boxes sees their size."""

    A = Boxes(np.float32(FAR), "cxcywh")

    def test_choose(self):
        assert vesica.nms(self.A, [0.9, 0.8, 0.7], above=0.5).tolist() == [0, 1, 2]
        twice = Boxes(np.float32([FAR[0], FAR[0]]), "cxcywh")
        assert vesica.nms(twice, [0.9, 0.8]).tolist() == [0]
        assert len(vesica.nmm(twice, [0.9, 0.8]).regions) == 1
        assert np.allclose(vesica.nmm(twice, [0.9, 0.8]).regions.area, 0.49)

    def test_what_comes_back_keeps_dtype_and_size(self):
        twice = Boxes(np.float32([FAR[0], FAR[0]]), "cxcywh")
        for boxes in (
            vesica.nmm(twice, [0.9, 0.8]).regions,
            vesica.fuse(twice, [0.9, 0.8]).boxes,
            twice[:1].clip(2e7, 2e7),
        ):
            assert boxes.array.dtype == boxes.xyxy.dtype == boxes.area.dtype == np.float32
            assert np.allclose(boxes.area, 0.49, rtol=1e-3) and boxes.form == "cxcywh"
            assert np.allclose(vesica.iou(boxes, twice), 1, atol=1e-3)

    def test_join_and_best(self):
        pairs = vesica.join(self.A, self.A, at_least=0.9)
        assert pairs.i.tolist() == pairs.j.tolist() == [0, 1, 2] and pairs.value.dtype == np.float32
        found = vesica.best(self.A, self.A)
        assert found.index[:, 0].tolist() == [0, 1, 2] and found.value.dtype == np.float32

    @pytest.mark.parametrize("measure", ["iou", "dice", "giou", "diou", "ciou", "eiou", "overlap"])
    def test_measures(self, measure):
        found = getattr(vesica, measure)(self.A, self.A)
        assert np.allclose(np.diag(found), 1) and found.dtype == np.float32

    def test_batches_and_blocks(self):
        batch = Boxes(np.float32([FAR, FAR]), "cxcywh")
        assert np.diagonal(vesica.iou(batch, batch), axis1=1, axis2=2).tolist() == [[1, 1, 1]] * 2
        many = Boxes(np.repeat(np.float32(FAR), 500, axis=0), "cxcywh")
        assert np.array_equal(np.diag(vesica.iou(many, many)), np.ones(1500, np.float32))

    def test_other_kinds(self):
        turned = vesica.RotatedBoxes(np.float32([[*FAR[0], 0]]), unit="deg", direction="cw")
        assert np.allclose(vesica.iou(self.A[:1], turned), 1)
        assert np.allclose(vesica.iou(self.A[:1], vesica.Polygons.from_boxes(self.A[:1])), 1)

    def test_data_sets(self):
        data = vesica.Dataset.from_arrays(self.A, image=[1, 1, 1])
        assert np.allclose(np.sort(data.boxes.area), np.sort(self.A.area))

    @pytest.mark.parametrize("form, rows", [
        ("xywh", [[1e7, 1e7, 0.7, 0.7]]),
        ("xyxy_inclusive", [[2.0**24, 0, 2.0**24, 3]]),
        ("xyxy", [[0.5, 0.5, 0.50000006, 0.50000006]]),
    ], ids=["a size", "one pixel at 2^24", "shares"])  # fmt: skip
    def test_relatives(self, form, rows):
        boxes = Boxes(np.float32(rows), form, normalised=(640, 480) if form == "xyxy" else None)
        assert boxes.area[0] > 0 and vesica.iou(boxes, boxes)[0, 0] == 1

    def test_copies_and_rows_keep_it(self):
        for boxes in (copy.deepcopy(self.A), self.A[[0, 1, 2]], self.A.clip(2e7, 2e7)):
            assert vesica.iou(boxes, boxes)[0, 0] == 1

    def test_what_is_exact_in_float32_stays_there(self):
        """And keeps its fast kernels."""
        assert Boxes(np.float32([[8, 8, 4, 2]]), "cxcywh").math.dtype == np.float32
        assert self.A.math.dtype == np.float64
        assert Boxes(np.float32(FAR)[:, [0, 1, 0, 1]]).math.dtype == np.float32

    def test_limits_are_those_of_float32(self):
        with pytest.raises(ValueError, match=r"within ±2\^60"):
            Boxes(np.float32([[2.0**61, 0, 0.7, 0.7]]), "cxcywh")


class TestGradients:
    def test_torch(self):
        torch = pytest.importorskip("torch")
        rows = torch.tensor(FAR, requires_grad=True)
        wide = torch.tensor(np.float32(FAR).astype(float), requires_grad=True)
        other = torch.tensor(FAR) * torch.tensor([1, 1, 1.1, 0.9])
        for form in SIZED:
            for loss in ("iou", "giou", "ciou", "siou"):
                call = getattr(vesica.losses, loss)
                narrow = call(Boxes(rows, form, check=False), Boxes(other, form, check=False))
                assert narrow.dtype == torch.float32
                want = call(Boxes(wide, form, check=False), Boxes(other.double(), form, check=False))
                assert torch.allclose(narrow.double(), want, atol=1e-6)
                a, b = torch.autograd.grad(narrow, rows)[0], torch.autograd.grad(want, wide)[0]
                assert a.dtype == torch.float32 and torch.allclose(a.double(), b, rtol=1e-4, atol=1e-5)

    @pytest.mark.compile
    def test_traced(self):
        torch = pytest.importorskip("torch")
        rows = torch.tensor(FAR)

        def itself(rows):
            boxes = Boxes(rows, "cxcywh")
            return vesica.iou(boxes, boxes, aligned=True)

        assert torch.compile(itself, fullgraph=True, backend="aot_eager")(rows).tolist() == [1, 1, 1]
        jax = pytest.importorskip("jax")
        assert jax.jit(itself)(np.float32(FAR)).tolist() == [1, 1, 1]

    @pytest.mark.compile
    def test_jax_without_64_bits_says_so(self):
        pytest.importorskip("jax")
        code = (
            "import jax; jax.config.update('jax_enable_x64', False)\n"
            "import jax.numpy as jnp; from vesica import Boxes\n"
            "Boxes(jnp.asarray([[50., 50, 4, 2.7]]), 'cxcywh')\n"
            "try: Boxes(jnp.asarray([[1e7, 1e7, .7, .7]]), 'cxcywh')\n"
            "except TypeError as error: print(error)\n"
        )
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert "row 0 is too small for float32 corners" in run.stdout and "jax_enable_x64" in run.stdout, run.stderr
