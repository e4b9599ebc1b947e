"""Grids: from the outputs of a network to boxes, from objects to slots, and back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vesica import Boxes, SizeValueError, anchors, grid, iou

Grid = grid.Grid
YOLO = [
    [(116, 90), (156, 198), (373, 326)],
    [(30, 61), (62, 45), (59, 119)],
    [(10, 13), (16, 30), (33, 23)],
]
# Seed numbers: centre, sides as fractions of the image, times 13.
ACTUAL = [[2.76772099, 3.82412258, 9.20284061, 10.90716819], [11.14633535, 10.19626615, 12.60589032, 4.39965071]]
GUESS = [[6.27252577, 6.24175572, 11.23818034, 8.57538178], [12.15843153, 3.54273941, 9.59581098, 0.71452057]]
# Two scales of an image that is wider than high, with different numbers of anchors.
SMALL = Grid((96, 64), strides=(32, 16), anchors=[[(40, 20), (30, 30)], [(10, 12)]])


def outputs(shapes=SMALL.shapes, classes=3, batch=2, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.normal(0, 2, (batch, *shape, 5 + classes)) for shape in shapes]


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def by_hand(heads, strides, sizes, activation):
    """One box after the other."""
    images = []
    for b in range(len(heads[0])):
        rows = []
        for head, stride, anchors_ in zip(heads, strides, sizes, strict=True):
            for a, j, i in np.ndindex(head.shape[1:4]):
                x, y, w, h, *chances = head[b, a, j, i]
                if activation == "v3":
                    x, y, w, h, chances = sigmoid(x), sigmoid(y), np.exp(w), np.exp(h), map(sigmoid, chances)
                elif activation == "v5":
                    x, y = 2 * sigmoid(x) - 0.5, 2 * sigmoid(y) - 0.5
                    w, h, chances = (2 * sigmoid(w)) ** 2, (2 * sigmoid(h)) ** 2, map(sigmoid, chances)
                cx, cy, w, h = (i + x) * stride, (j + y) * stride, w * anchors_[a][0], h * anchors_[a][1]
                rows.append([cx - w / 2, cy - h / 2, cx + w / 2, cy + h / 2, *chances])
        images.append(rows)
    return np.array(images)


class TestGrid:
    def test_counts(self):
        full = Grid((416, 416), anchors=YOLO)
        assert full.strides == (32, 16, 8) and full.cells == ((13, 13), (26, 26), (52, 52)) and full.count == 10_647
        assert SMALL.cells == ((2, 3), (4, 6)) and SMALL.shapes == ((2, 2, 3), (1, 4, 6)) and SMALL.count == 36

    def test_is_a_value(self):
        again = Grid([96, 64], strides=[32, 16], anchors=[np.array([[40, 20], [30, 30]]), [[10.0, 12.0]]])
        assert again == SMALL and hash(again) == hash(SMALL)
        with pytest.raises(AttributeError):
            SMALL.size = (1, 1)

    def test_anchors_are_dealt_out(self):
        shapes = np.random.default_rng(0).integers(5, 300, (200, 2))
        found = anchors.cluster(shapes, k=6)
        sizes = [tuple(size) for size in found.sizes.tolist()]
        assert Grid((64, 64), strides=(8, 32, 16), anchors=found).anchors == (
            tuple(sizes[:2]),
            tuple(sizes[4:]),
            tuple(sizes[2:4]),
        )
        with pytest.raises(SizeValueError, match="`anchors` must go evenly to the 4 strides; got 6"):
            Grid((64, 64), strides=(32, 16, 8, 4), anchors=found)

    @pytest.mark.parametrize(
        "size, options, message",
        [
            ((400, 416), {}, "multiple of every stride; got width 400 and stride 32. The next width that is one: 416"),
            ((416, 424), {}, "got height 424 and stride 32. The next height that is one: 448"),
            ((416,), {}, r"`size` must be \(width, height\)"),
            ((416, 416), {"strides": ()}, "`strides` must be whole numbers of pixels"),
            ((416, 416), {"strides": 32}, "`strides` must be whole numbers of pixels"),
            ((416, 416), {"strides": (32, 0, 8)}, "`strides` must be a whole number above 0; got 0"),
            ((416, 416), {"anchors": YOLO[:2]}, "one list of .* for each of the 3 strides; got 2"),
            ((416, 416), {"anchors": [*YOLO[0], *YOLO[1], *YOLO[2]]}, "for each of the 3 strides; got 9"),
            ((416, 416), {"anchors": [[(1, 2)], [(3, 0)], [(5, 6)]]}, r"`anchors\[1\]` row 0 must have a width"),
            ((416, 416), {"anchors": [[(1, 2)], [], [(5, 6)]]}, r"`anchors\[1\]` must be a list of"),
            ((416, 416), {"anchors": [[(1, 2)], [(1, 2, 3)], [(5, 6)]]}, r"`anchors\[1\]` must be a list of"),
        ],
    )
    def test_refused(self, size, options, message):
        with pytest.raises(ValueError, match=message):
            Grid(size, **{"anchors": YOLO, **options})


@pytest.mark.parametrize("activation", ["fraction", "v3", "v5"])
class TestDecode:
    def test_by_hand(self, xp, activation):
        heads = outputs()
        want = by_hand(heads, SMALL.strides, SMALL.anchors, activation)
        found = SMALL.decode([xp(head) for head in heads], activation=activation)
        assert np.allclose(xp.back(found.boxes), want[..., :4], rtol=1e-12, atol=1e-12)
        assert np.allclose(xp.back(found.objectness), want[..., 4], rtol=1e-12)
        assert np.allclose(xp.back(found.classes), want[..., 5:], rtol=1e-12)
        assert np.allclose(xp.back(found.scores), want[..., 4] * want[..., 5:].max(axis=-1), rtol=1e-12)
        assert xp.back(found.labels).tolist() == want[..., 5:].argmax(axis=-1).tolist()
        assert "int64" in str(found.labels.dtype)

    def test_no_classes(self, xp, activation):
        found = SMALL.decode([xp(head) for head in outputs(classes=0)], activation=activation)
        assert tuple(found.classes.shape) == (2, 36, 0) and not xp.back(found.labels).any()
        assert np.array_equal(xp.back(found.scores), xp.back(found.objectness))

    def test_gradient(self, activation):
        torch = pytest.importorskip("torch")
        grid = Grid((32, 32), strides=(32, 16), anchors=[[(40, 20), (30, 30)], [(10, 12)]])
        heads = [torch.tensor(head, requires_grad=True) for head in outputs(grid.shapes, classes=2, batch=1)]

        def call(*heads):
            found = grid.decode(list(heads), activation=activation)
            return found.boxes, found.objectness, found.classes, found.scores

        assert torch.autograd.gradcheck(call, heads)

    def test_gradient_at_zero(self, activation):
        """Where networks begin. The slope of a sigmoid is a quarter there."""
        torch = pytest.importorskip("torch")
        heads = [torch.zeros(1, *shape, 6, dtype=torch.float64, requires_grad=True) for shape in SMALL.shapes]
        SMALL.decode(heads, activation=activation).objectness.sum().backward()
        want = 1.0 if activation == "fraction" else 0.25
        assert all(torch.all(head.grad[..., 4] == want) for head in heads)

    def test_extremes(self, xp, activation):
        """No warning, no NaN; sizes may be infinite, as their exponents say."""
        heads = [xp(np.sign(head) * 1e4) for head in outputs()]
        found = SMALL.decode(heads, activation=activation)
        for array in (found.boxes, found.objectness, found.classes):
            assert not np.isnan(xp.back(array)).any()

    @pytest.mark.compile
    def test_jit(self, activation):
        jax = pytest.importorskip("jax")
        heads = [jax.numpy.asarray(head) for head in outputs()]

        def total(heads):
            boxes = SMALL.decode(heads, activation=activation).boxes
            return boxes.sum(), boxes

        slope, found = jax.jit(jax.grad(total, has_aux=True))(heads)
        assert np.allclose(found, SMALL.decode(outputs(), activation=activation).boxes, rtol=1e-12, atol=1e-11)
        assert all(np.isfinite(np.asarray(part)).all() for part in slope)

    @pytest.mark.compile
    def test_compile(self, activation):
        torch = pytest.importorskip("torch")
        heads = [torch.tensor(head) for head in outputs()]
        call = torch.compile(
            lambda *h: SMALL.decode(list(h), activation=activation).boxes, fullgraph=True, backend="eager"
        )
        assert torch.equal(call(*heads), SMALL.decode(heads, activation=activation).boxes)

    @pytest.mark.parametrize("given, want", [("float16", "float32"), ("float32", "float32"), ("int64", "float64")])
    def test_dtype(self, activation, given, want):
        heads = [head.astype(given) for head in outputs()]
        found = SMALL.decode(heads, activation=activation)
        assert found.boxes.dtype == found.objectness.dtype == found.classes.dtype == want

    def test_no_images(self, xp, activation):
        found = SMALL.decode([xp(head[:0]) for head in outputs()], activation=activation)
        assert tuple(found.boxes.shape) == (0, 36, 4) and tuple(found.labels.shape) == (0, 36)


class TestDecodeRefused:
    def test_activation_is_stated(self):
        with pytest.raises(TypeError, match="`activation` has no default, because networks differ"):
            SMALL.decode(outputs())
        with pytest.raises(ValueError, match='`activation` must be one of "fraction", "v3", "v5"; got \'v4\''):
            SMALL.decode(outputs(), activation="v4")

    @pytest.mark.parametrize(
        "change, message",
        [
            (lambda h: h[:1], "one array for each of the 2 strides; got 1"),
            (lambda h: [h[0].swapaxes(2, 3), h[1]], r"`outputs\[0\]` must have shape .*exchange axes 2 and 3"),
            (lambda h: [h[0], h[1][..., :4]], r"`outputs\[1\]` must have shape \(B, 1, 4, 6, 4 \+ 1 \+ classes\)"),
            (lambda h: [h[0], h[1][:1]], r"`outputs\[1\]` must have the batch and the classes of `outputs\[0\]`"),
            (lambda h: [h[0], h[1][..., :6]], r"must have the batch and the classes"),
            (lambda h: [np.zeros((2, 16, 2, 3)), h[1]], r"Reshape to \(B, 2, 8, 2, 3\), then move axis 2 to the end"),
        ],
    )
    def test_shapes(self, change, message):
        with pytest.raises(SizeValueError, match=message):
            SMALL.decode(change(outputs()), activation="v3")

    def test_kinds(self):
        with pytest.raises(TypeError, match=r"`outputs` must be a list of arrays, .*; got one of shape \(2, 3\)"):
            SMALL.decode(np.zeros((2, 3)), activation="v3")
        with pytest.raises(TypeError, match=r"`outputs\[0\]` must hold integers or floats"):
            SMALL.decode([head > 0 for head in outputs()], activation="v3")

    def test_one_stride_needs_no_list(self):
        single = Grid((64, 64), strides=(32,), anchors=[[(40, 20)]])
        assert single.decode(np.zeros((1, 1, 2, 2, 5)), activation="v3").boxes.shape == (1, 4, 4)


def objects(most=9):
    """cx, cy, w, h in SMALL: anywhere in the image, its edges included, of any size."""
    inside = st.tuples(
        st.one_of(st.sampled_from([0.0, 32.0, 96.0]), st.floats(0, 96)),
        st.one_of(st.sampled_from([0.0, 16.0, 64.0]), st.floats(0, 64)),
        st.floats(0.1, 300),
        st.floats(0.1, 300),
    )
    return st.lists(inside, max_size=most).map(lambda rows: np.array(rows, float).reshape(-1, 4))


class TestEncode:
    def test_worked_numbers(self, xp):
        full = Grid((416, 416), anchors=YOLO)
        truth = Boxes(xp([[208, 104, 100, 60]]), "cxcywh")
        slots = full.encode(truth)
        assert [int(part[0]) for part in (slots.scale, slots.anchor, slots.column, slots.row)] == [0, 0, 6, 3]
        assert xp.back(slots.offsets).tolist() == [[0.5, 0.25]]
        assert xp.back(slots.sizes).tolist() == [[100 / 116, 60 / 90]]
        assert round(float(slots.value[0]), 6) == 0.574713
        found = full.decode(slots.targets(), activation="fraction")
        index = int(slots.index[0])
        assert np.allclose(xp.back(found.boxes)[0, index], [158, 74, 258, 134], rtol=1e-15)
        assert float(found.objectness[0, index]) == 1 and float(xp.back(found.objectness).sum()) == 1

    @given(objects())
    def test_decode_leads_back(self, rows):
        slots = SMALL.encode(Boxes(rows, "cxcywh"))
        found = SMALL.decode(slots.targets(), activation="fraction")
        first = np.ones(len(rows), bool)
        first[slots.collisions[:, 1]] = False
        back = Boxes(found.boxes[0][slots.index[first]]).to("cxcywh")
        assert np.allclose(back, rows[first], rtol=1e-12, atol=1e-10)
        assert found.objectness.sum() == first.sum()

    @given(objects())
    def test_slot_is_the_rule(self, rows):
        slots = SMALL.encode(Boxes(rows, "cxcywh"))
        sizes = [(s, a, size) for s, scale in enumerate(SMALL.anchors) for a, size in enumerate(scale)]
        for m, (cx, cy, w, h) in enumerate(rows.tolist()):
            likeness = anchors.shape_iou([[w, h]], [size for *_, size in sizes])[0].tolist()
            scale, anchor, _ = sizes[likeness.index(max(likeness))]
            stride = SMALL.strides[scale]
            assert (slots.scale[m], slots.anchor[m], slots.value[m]) == (scale, anchor, max(likeness))
            j, i = slots.row[m], slots.column[m]
            assert i * stride <= cx <= (i + 1) * stride and j * stride <= cy <= (j + 1) * stride
            assert (cx < (i + 1) * stride or cx == 96) and (cy < (j + 1) * stride or cy == 64)
        assert np.all((slots.offsets >= 0) & (slots.offsets <= 1))

    def test_far_edge_belongs_to_the_last_cell(self, xp):
        slots = SMALL.encode(Boxes(xp([[96, 64, 30, 30]]), "cxcywh"))
        assert (int(slots.column[0]), int(slots.row[0])) == (2, 1) and xp.back(slots.offsets).tolist() == [[1, 1]]

    def test_rounding_to_the_far_edge(self):
        """The largest number below 72 is 3.0 strides of 24, in floating point."""
        third = Grid((72, 72), strides=(24,), anchors=[[(10, 10)]])
        slots = third.encode(Boxes([[np.nextafter(72, 0), 1, 5, 5]], "cxcywh"))
        assert slots.column.tolist() == [2] and 0.99 < slots.offsets[0, 0] <= 1

    def test_ties_go_to_the_lower_scale_and_anchor(self):
        twins = Grid((64, 64), strides=(32, 16), anchors=[[(9, 9), (20, 10), (10, 20)], [(10, 20), (20, 10)]])
        slots = twins.encode(Boxes([[10, 10, 15, 15], [10, 10, 10, 20]], "cxcywh"))
        assert slots.scale.tolist() == [0, 0] and slots.anchor.tolist() == [1, 2]

    def test_collisions(self, xp):
        rows = xp([[40, 40, 30, 30], [10, 10, 30, 30], [41, 41, 31, 30], [42, 42, 30, 30]])
        slots = SMALL.encode(Boxes(rows, "cxcywh"))
        assert xp.back(slots.collisions).tolist() == [[0, 2], [0, 3]] and len(slots) == 4
        target = xp.back(slots.targets()[0])
        place = tuple(int(part[0]) for part in (slots.anchor, slots.row, slots.column))
        assert target[0][place].tolist() == [0.25, 0.25, 1, 1, 1]
        assert target[..., 4].sum() == 2

    def test_batches(self, xp):
        rows = Boxes(xp([[40, 40, 30, 30], [41, 41, 31, 30], [40, 40, 30, 30]]), "cxcywh")
        slots = SMALL.encode(rows, offsets=[0, 2, 2, 3])
        assert xp.back(slots.image).tolist() == [0, 0, 2] and xp.back(slots.collisions).tolist() == [[0, 1]]
        coarse, fine = (xp.back(target) for target in slots.targets(labels=[2, 0, 1], classes=3))
        assert coarse.shape == (3, 2, 2, 3, 8) and fine.shape == (3, 1, 4, 6, 8)
        assert coarse[..., 4].sum(axis=(1, 2, 3)).tolist() == [1, 0, 1] and not fine.any()
        assert coarse[0].reshape(-1, 8)[:, 5:].sum(axis=0).tolist() == [0, 0, 1]
        assert coarse[2].reshape(-1, 8)[:, 5:].sum(axis=0).tolist() == [0, 1, 0]

    def test_nothing(self, xp):
        slots = SMALL.encode(xp(np.zeros((0, 4))))
        assert len(slots) == 0 and tuple(slots.offsets.shape) == (0, 2) and tuple(slots.collisions.shape) == (0, 2)
        assert not xp.back(slots.targets()[0]).any() and tuple(slots.targets()[1].shape) == (1, 1, 4, 6, 5)

    def test_dtype(self):
        whole = SMALL.encode(np.array([[10, 10, 20, 20]]))
        assert whole.offsets.dtype == "float64" and whole.scale.dtype == whole.index.dtype == "int64"
        assert SMALL.encode(np.float32([[10, 10, 20, 20]])).targets()[0].dtype == "float32"

    def test_loss_of_the_slot(self):
        """Only the box of the slot enters the loss, and its gradient reaches only that cell."""
        torch = pytest.importorskip("torch")
        heads = [torch.zeros(1, *shape, 5, dtype=torch.float64, requires_grad=True) for shape in SMALL.shapes]
        truths = torch.tensor([[20.0, 10, 60, 40]], dtype=torch.float64)
        slots = SMALL.encode(truths)
        predicted = SMALL.decode(heads, activation="v3").boxes[slots.image, slots.index]
        (1 - iou(predicted, truths, aligned=True)).sum().backward()
        hit = [int((head.grad[..., :4].abs().sum(dim=-1) > 0).sum()) for head in heads]
        assert hit == [1, 0]

    @pytest.mark.parametrize(
        "rows, message",
        [
            (
                [[0, 0, 9, 9], [90, 10, 110, 20]],
                r"`truths` row 1 must have its centre in the image of 96 × 64; got \(100, 15\)",
            ),
            ([[-9, 0, 4, 4]], r"got \(-2.5, 2\). Clip the boxes"),
            ([[0, 60, 4, 70]], r"row 0 must have its centre"),
            ([[9, 0, 4, 4]], "`truths` row 0 is inverted"),
        ],
    )
    def test_refused(self, rows, message):
        with pytest.raises(ValueError, match=message):
            SMALL.encode(rows)

    def test_unchecked_rows_are_refused_all_the_same(self):
        with pytest.raises(ValueError, match="`truths` row 0 must have finite sides"):
            SMALL.encode(Boxes([[10.0, 10, 5, np.nan]], check=False))

    def test_labels_and_classes(self):
        slots = SMALL.encode([[10, 10, 20, 20]])
        with pytest.raises(TypeError, match="`classes` must come with `labels`"):
            slots.targets(classes=3)
        with pytest.raises(ValueError, match="`classes` must say how many"):
            slots.targets(labels=[0])
        with pytest.raises(ValueError, match="`labels` row 0 must lie in 0 … 2; got 3"):
            slots.targets(labels=[3], classes=3)
        with pytest.raises(ValueError, match="one whole number for each of the 1 truths"):
            slots.targets(labels=[0, 1], classes=3)


class TestSeed:
    """Two objects of 13 × 13 cells, and what was predicted for them."""

    @pytest.mark.parametrize("edge", [12, 13])
    def test_clipped(self, edge):
        actual, guess = (Boxes(np.array(rows), "cxcywh").clip(edge, edge) for rows in (ACTUAL, GUESS))
        assert iou(actual, guess, aligned=True).round(8).tolist() == [0.42562048, 0]

    def test_corners(self):
        actual, guess = (Boxes(np.array(rows), "cxcywh").clip(12, 12) for rows in (ACTUAL, GUESS))
        assert actual.xyxy.round(8).tolist() == [[0, 0, 7.3691413, 9.27770668], [4.84339019, 7.9964408, 12, 12]]
        assert guess.xyxy.round(8).tolist()[0] == [0.6534356, 1.95406483, 11.89161594, 10.52944661]
        assert guess.xyxy.round(8).tolist()[1] == [7.36052604, 3.18547912, 12, 3.8999997]
        assert actual.area[0].round(8) == 68.36873138 and guess.area[0].round(8) == 96.37168693

    def test_not_clipped(self):
        found = iou(Boxes(np.array(ACTUAL), "cxcywh"), Boxes(np.array(GUESS), "cxcywh"), aligned=True)
        assert found.round(8).tolist() == [0.33329962, 0]

    def test_fractions_of_the_image(self):
        """Times (nx, ny) is the scale of the grid, times the stride is pixels: no overlap depends on it."""
        fractions = [np.array(rows) / 13 for rows in (ACTUAL, GUESS)]
        cells = [Boxes(rows, "cxcywh", normalised=(13, 13)) for rows in fractions]
        pixels = [Boxes(rows, "cxcywh", normalised=(416, 416)) for rows in fractions]
        assert np.allclose(cells[0].to("cxcywh"), ACTUAL) and np.allclose(cells[0].xyxy * 32, pixels[0].xyxy)
        assert np.allclose(iou(*cells, aligned=True), [0.33329962, 0], atol=1e-8)
        assert np.allclose(iou(*pixels, aligned=True), [0.33329962, 0], atol=1e-8)


class TestDetect:
    def heads(self):
        """Image 0: two boxes on each other of class 1, one of class 0 there too, and one alone. Image 1: nothing."""
        coarse, fine = np.zeros((2, 2, 2, 3, 7)), np.zeros((2, 1, 4, 6, 7))
        coarse[0, 1, 1, 1] = [0.5, 0.5, 1, 1, 0.9, 0.1, 1.0]  # [33, 33, 63, 63]
        coarse[0, 0, 1, 1] = [0.5, 0.5, 0.75, 1.5, 0.8, 0.1, 1.0]  # the same from the other anchor
        coarse[0, 1, 1, 2] = [-0.5, 0.5, 1, 1, 0.7, 1.0, 0.1]  # the same from the next cell
        fine[0, 0, 0, 0] = [0.5, 0.5, 1, 1, 0.6, 0.5, 0.2]
        fine[0, 0, 3, 5] = [0.5, 0.5, 1, 1, 0.5, 0.9, 0.2]  # not above 0.5
        return [coarse, fine]

    def test_one_line(self):
        found = SMALL.detect(self.heads(), activation="fraction", objectness=0.5, above=0.45)
        assert found.boxes.tolist() == [[33, 33, 63, 63], [33, 33, 63, 63], [3, 2, 13, 14]]
        assert found.scores.tolist() == [0.9, 0.7, 0.3] and found.labels.tolist() == [1, 0, 0]
        assert found.offsets.tolist() == [0, 3, 3] and len(found) == 3

    def test_whatever_the_class(self):
        found = SMALL.detect(self.heads(), activation="fraction", per_class=False)
        assert found.scores.tolist() == [0.9, 0.3]

    def test_objectness(self):
        found = SMALL.detect(self.heads(), activation="fraction", objectness=0.49)
        assert sorted(found.scores.tolist()) == [0.3, 0.45, 0.7, 0.9]
        narrow = [head.astype("float32") for head in self.heads()]
        assert len(SMALL.detect(narrow, activation="fraction", objectness=0.6)) == 2  # 0.6 is not above 0.6

    def test_limit_and_scores(self):
        assert SMALL.detect(self.heads(), activation="fraction", limit=1).scores.tolist() == [0.9]
        assert SMALL.detect(self.heads(), activation="fraction", min_score=0.5).scores.tolist() == [0.9, 0.7]

    def test_images_stay_apart(self):
        first, second = outputs(seed=3), outputs(seed=4)
        alone = [SMALL.detect([head[:1] for head in heads], activation="v3") for heads in (first, second)]
        both = [np.concatenate([a[:1], b[:1]]) for a, b in zip(first, second, strict=True)]
        found = SMALL.detect(both, activation="v3")
        assert found.offsets.tolist() == [0, len(alone[0]), len(alone[0]) + len(alone[1])]
        assert found.boxes.tolist() == [*alone[0].boxes.tolist(), *alone[1].boxes.tolist()]
        for k, one in enumerate(alone):
            begin, end = found.offsets[k : k + 2]
            assert found.scores[begin:end].tolist() == sorted(one.scores.tolist(), reverse=True)

    def test_nothing_is_found(self):
        found = SMALL.detect(self.heads(), activation="fraction", objectness=1)
        assert found.boxes.shape == (0, 4) and found.offsets.tolist() == [0, 0, 0]

    def test_refused(self):
        with pytest.raises(TypeError, match="`objectness` must be a number"):
            SMALL.detect(self.heads(), activation="fraction", objectness="high")


def test_detect_in_every_library(xp):
    heads = TestDetect().heads()
    found, plain = (
        SMALL.detect([xp(h) for h in heads], activation="fraction"),
        SMALL.detect(heads, activation="fraction"),
    )
    assert xp.back(found.boxes).tolist() == plain.boxes.tolist()
    assert xp.back(found.labels).tolist() == plain.labels.tolist()
    assert xp.back(found.offsets).tolist() == plain.offsets.tolist()


def test_module_is_reached_by_name():
    assert all(getattr(grid, name).__doc__ for name in grid.__all__)
