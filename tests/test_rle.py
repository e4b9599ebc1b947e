"""Run lengths: canonical form, strings, set operations, and every broken input."""

import pickle
import types

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
import strategies
from trials import trials
from vesica import Masks, RleMasks, SizeValueError, _native, coverage, iou, join
from vesica._kernels.native import coco_masks
from vesica._kernels.native import pixels as native_pixels
from vesica.dataset.coco_masks import CocoMasks

CROSS = [7, 1, 3, 3, 3, 1, 7]
T = [0, 1, 4, 1, 4, 6, 4, 1, 4]


def canonical(stack):
    """Run lengths of dense masks, the slow way."""
    found = []
    for mask in stack:
        counts, colour = [0], False
        for pixel in mask.T.ravel():
            if bool(pixel) != colour:
                counts.append(0)
                colour = not colour
            counts[-1] += 1
        found.append(counts)
    return found


class TestCounts:
    @pytest.mark.parametrize("counts, text", [(CROSS, b"71320N4"), (T, b"0140050K0")])
    def test_strings_of_the_seeds(self, counts, text):
        masks = RleMasks([counts], size=(5, 5))
        assert masks.to_strings() == [text] and RleMasks([text], size=(5, 5)).to_counts() == [counts]
        assert RleMasks([text.decode()], size=(5, 5)).to_counts() == [counts]

    @pytest.mark.parametrize(
        "given_, want",
        [
            ([2, 3], [2, 3, 5]),  # short: background follows
            ([2, 3, 0, 4, 1], [2, 7, 1]),  # a run of nothing
            ([2, 3, 0, 2, 3], [2, 5, 3]),
            ([0, 0, 0, 10], [0, 10]),
            ([0, 0, 10], [10]),
            ([], [10]),
            ([0], [10]),
            ([10, 0], [10]),
            ([5, 0, 5], [10]),
            ([0, 10, 0], [0, 10]),
            ([3.0, 7.0], [3, 7]),
        ],
    )
    def test_canonical(self, given_, want):
        assert RleMasks([given_], size=(2, 5)).to_counts() == [want]

    def test_zero_runs_count(self):
        """Where a run of nothing ends the merge of others."""
        masks = RleMasks([[2, 3, 0, 4, 1], [2, 3, 0, 2, 3]], size=(2, 5))
        assert masks.area.tolist() == [7, 5] and iou(masks, masks)[0, 1] == 5 / 7

    @given(strategies.stacks())
    def test_from_masks(self, stack):
        masks = RleMasks.from_masks(stack)
        assert masks.to_counts() == canonical(stack) or not stack[0].size
        assert np.array_equal(masks.to_masks().array, stack)
        assert masks.area.tolist() == [int(mask.sum()) for mask in stack]

    @given(strategies.stacks())
    def test_round_trips(self, stack):
        masks = RleMasks.from_masks(stack)
        again = [
            RleMasks(masks.to_counts(), size=masks.size),
            RleMasks(masks.to_strings(), size=masks.size),
            RleMasks.from_arrays(masks.counts, masks.offsets, size=masks.size),
            pickle.loads(pickle.dumps(masks)),
        ]
        if len(masks):
            again += [RleMasks.from_coco(masks.to_coco()), RleMasks.from_coco(masks.to_coco(compressed=False))]
        for other in again:
            assert np.array_equal(other.counts, masks.counts) and np.array_equal(other.offsets, masks.offsets)
            assert np.array_equal(other.to_masks().array, stack) and np.array_equal(other.boxes.xyxy, masks.boxes.xyxy)

    @given(st.integers(1, 40), st.integers(1, 40), st.lists(st.integers(0, 60), max_size=30))
    def test_any_counts(self, height, width, counts):
        if sum(counts) > height * width:
            with pytest.raises(ValueError, match=r"`counts` of mask 0 must not exceed"):
                RleMasks([counts], size=(height, width))
            return
        flat = np.repeat(np.arange(len(counts)) % 2, counts)
        pixels = np.zeros(height * width, bool)
        pixels[: len(flat)] = flat
        want = pixels.reshape(width, height).T
        assert np.array_equal(RleMasks([counts], size=(height, width)).to_masks().array[0], want)

    def test_lists_among_strings(self):
        assert RleMasks([CROSS, "0140050K0", b"71320N4"], size=(5, 5)).area.tolist() == [5, 9, 5]

    def test_huge_image(self):
        side = 70_000
        masks = RleMasks([[side * side], [0, side * side], [side * side - 3, 3]], size=(side, side))
        assert masks.area.tolist() == [0, side * side, 3]
        assert masks.boxes.xyxy.tolist() == [[0, 0, 0, 0], [0, 0, side, side], [side - 1, side - 3, side, side]]
        assert iou(masks, masks)[1, 2] == 3 / side**2
        assert RleMasks(masks.to_strings(), size=masks.size).to_counts() == masks.to_counts()

    def test_many(self):
        masks = RleMasks([[k, 1] for k in range(300)], size=(30, 10))
        assert masks.area.tolist() == [1] * 300 and len(join(masks, at_least=1.0)) == 0


def plain_counts(text: bytes) -> list[int]:
    """The counts of a sound string: five bits a character, the sixth says that the number goes on."""
    counts: list[int] = []
    at = 0
    while at < len(text):
        value = shift = 0
        while True:
            code = text[at] - 48
            value |= (code & 31) << shift
            shift, at = shift + 5, at + 1
            if not code & 32:
                break
        value -= (code >> 4 & 1) << shift
        counts.append(value + (counts[-2] if len(counts) > 2 else 0))
    return counts


@pytest.fixture(params=["baseline", "avx2", "avx512"])
def isa(request):
    _native.limit_isa(request.param)
    yield request.param
    _native.limit_isa("avx512")


class TestStrings:
    """One decoder for dicts and files, the same in every instruction set."""

    @staticmethod
    def lists(rng, masks):
        """Counts of one character, of several, and of more than twenty bits; with zeros, cut short."""
        return [rng.integers(0, 2 ** rng.integers(1, 24), rng.integers(0, 90)).tolist() for _ in range(masks)]

    def test_value(self, isa):
        rng = np.random.default_rng(3)
        for size in ((1 << 14, 1 << 14), (1 << 12, 1 << 14), (1 << 17, 1 << 16)):
            pixels = size[0] * size[1]
            given_ = [one for one in self.lists(rng, 60) if sum(one) <= pixels]
            want = RleMasks(given_, size=size)
            texts = [want.to_strings(), [one.decode() for one in want.to_strings()]]
            for text in (*texts, [*texts[0][:5], *texts[1][5:]]):
                found = RleMasks(text, size=size)
                assert found.to_counts() == want.to_counts()
                assert np.array_equal(found.boxes.xyxy, want.boxes.xyxy)
                assert np.array_equal(found.area, want.area)
            assert [plain_counts(one) for one in texts[0]] == want.to_counts()

    def test_files_and_dicts_agree(self, isa):
        rng = np.random.default_rng(4)
        kinds = set()
        for _ in trials(1500):
            text = rng.integers(47 if rng.random() < 0.3 else 48, rng.choice([64, 80, 112]), rng.integers(1, 40))
            text = text.astype(np.uint8)
            height, width = (int(side) for side in rng.integers(1, 2 ** rng.integers(1, 16), 2))
            found = native_pixels.pack_strings([text.tobytes()], (height, width))
            ends, form = np.array([0, len(text)]), np.array([CocoMasks.COUNTS], np.uint8)
            column = coco_masks.column(text, ends[:1], ends[1:], form, np.array([[height, width]]))
            decoded = coco_masks.decode(column, np.zeros(1, np.int64))
            kind = coco_masks.FAULTS[decoded.measured.kind[0]]
            kinds.add(kind)
            if kind == "none":
                counts, _ = native_pixels.counts_of_pixels(found, threads=1)
                assert counts.tolist() == decoded.counts.tolist()
                assert found.table[0, :5].tolist() == [decoded.measured.area[0], *decoded.boxes[0]]
            else:
                said = kind.replace("large_number", "too_large")
                assert found == (said, 0, decoded.measured.position[0])
        assert kinds >= {"none", "character", "cut", "negative", "too_long"}

    def test_positions_from_2_to_the_31st_on(self, isa):
        """They fit into 32 bits without a sign."""
        size = (60_000, 70_000)
        counts = [[2**31 + 7, 5, 60_000, 9], [1, 2**31 + 1], [2**32 - 94_967_297, 1]]
        want = RleMasks(counts, size=size)
        found = RleMasks(want.to_strings(), size=size)
        assert found.to_counts() == want.to_counts()
        assert found.boxes.xyxy.tolist() == want.boxes.xyxy.tolist() and found.area.tolist() == want.area.tolist()
        assert found.boxes.xyxy.tolist()[2] == [69_999, 59_999, 70_000, 60_000]
        text = np.frombuffer(b"".join(want.to_strings()), np.uint8)
        ends = np.cumsum([0, *map(len, want.to_strings())])
        forms, sizes = np.full(3, CocoMasks.COUNTS, np.uint8), np.array([size] * 3)
        decoded = coco_masks.decode(coco_masks.column(text, ends[:-1], ends[1:], forms, sizes), np.arange(3))
        assert decoded.boxes.tolist() == want.boxes.xyxy.tolist()
        assert decoded.measured.area.tolist() == want.area.tolist()

    def test_room_at_both_ends(self, isa):
        """Strings so short that what lies beside them is another string, or the end of the text."""
        texts = ["0", "11", "5", "P1P1", ""]
        for k in range(len(texts)):
            order = texts[k:] + texts[:k]
            alone = [RleMasks([one], size=(40, 40)).to_counts()[0] for one in order]
            assert RleMasks(order, size=(40, 40)).to_counts() == alone


class TestDicts:
    """Sound dicts are read in one native pass; others one by one, with the same answer or an error."""

    SIZE = [7, 9]
    TEXTS = ["71320N4", "0", "", "o1"]

    def test_the_quick_way_is_the_careful_one(self):
        dicts = [{"size": list(self.SIZE), "counts": text} for text in self.TEXTS]
        for given_ in (dicts, [{**one, "counts": one["counts"].encode()} for one in dicts]):
            assert native_pixels.pack_coco(given_, 1 << 30) is not None
            assert RleMasks.from_coco(given_).to_counts() == RleMasks(self.TEXTS, size=(7, 9)).to_counts()

    @pytest.mark.parametrize(
        "last",
        [
            {"size": (7, 9), "counts": "0"},
            {"size": np.array([7, 9]), "counts": "0"},
            {"size": [7, 9], "counts": [63]},
            {"size": [7, 9], "counts": bytearray(b"0")},
            types.MappingProxyType({"size": [7, 9], "counts": "0"}),
        ],
    )
    def test_read_one_by_one(self, last):
        dicts = [{"size": [7, 9], "counts": "71320N4"}, last]
        assert native_pixels.pack_coco(dicts, 1 << 30) is None
        assert RleMasks.from_coco(dicts).area.tolist() == [5, 0]

    @pytest.mark.parametrize(
        "last, said",
        [
            ({"size": [7, 8], "counts": "0"}, "mask 0 has .7, 9. and mask 1 .7, 8."),
            ({"size": [7, 9, 3], "counts": "0"}, '`"size" of mask 1` must be'),
            ({"size": [7, True], "counts": "0"}, '`"size" of mask 1` must be'),
            ({"size": [7, 2**70], "counts": "0"}, '`"size" of mask 1` must be of sides below'),
            ({"size": [7, 9], "counts": "\udc80"}, "`counts` of mask 1 must be characters 0 to o; the one at 0"),
            ({"size": [7, 9], "counts": "11é"}, "`counts` of mask 1 must be characters 0 to o; the one at 2"),
            ({"size": [7, 9], "counts": "0P"}, "`counts` of mask 1 end inside a number"),
            ({"counts": "0"}, "Mask 1 must be a dict"),
            (None, "Mask 1 must be a dict"),
        ],
    )
    def test_refused(self, last, said):
        with pytest.raises((ValueError, TypeError), match=said):
            RleMasks.from_coco([{"size": [7, 9], "counts": "71320N4"}, last])


class TestBroken:
    """Every broken input is an error that names the place."""

    TABLE = [
        ([[20, 6]], "`counts` of mask 0 must not exceed the 25 pixels of the image; number 1"),
        ([[1], [26]], "`counts` of mask 1 must not exceed the 25 pixels of the image; number 0"),
        ([[1, 2**62, 2**62, 2**62]], "must not exceed the 25 pixels.*number 1"),
        ([[5, -1]], "`counts` of mask 0 must not be negative; number 1"),
        ([[2.5]], r"must be whole numbers; number 0 is 2.5"),
        ([[float("nan")]], "must be whole numbers; number 0 is nan"),
        ([b"7132 N4"], "`counts` of mask 0 must be characters 0 to o; the one at 4 is not"),
        (["71320N4", "713é"], "`counts` of mask 1 must be characters 0 to o; the one at 3"),
        (["7132\u4e00"], "must be characters 0 to o; the one at 4"),
        ([b"71320N4P"], "`counts` of mask 0 end inside a number, after character 7. The string was cut"),
        ([b"o" * 40], "has more than 60 bits"),
        ([b"O"], "must not be negative; the number at character 0 is"),
        ([b"0140050K0", b"0140K"], "`counts` of mask 1 must not be negative; the number at character 4"),
        (["0140050K0", [5, -1]], "`counts` of mask 1 must not be negative; number 1 is"),
    ]

    @pytest.mark.parametrize("counts, message", TABLE)
    def test_value(self, counts, message):
        with pytest.raises(ValueError, match=message):
            RleMasks(counts, size=(5, 5))

    @pytest.mark.parametrize(
        "counts, message",
        [
            ("71320N4", "`counts` must be a list with the counts of each mask; got str"),
            ({"counts": "71320N4"}, "Dicts of COCO go to RleMasks.from_coco"),
            ([["7"]], "must be a flat list of whole numbers, or a string"),
            ([[[1, 2], [3, 4]]], "must be a flat list of whole numbers"),
            ([[[1, 2], [3]]], "lists of several lengths"),
            ([{"counts": 1}], "Dicts of COCO go to RleMasks.from_coco"),
            ([None], "must be a flat list"),
            ([7, 18], r"got 7\. One mask is a list of one"),
            (Masks(np.ones((1, 5, 5), bool)), r"got Masks\. Masks of any kind have to_rle"),
        ],
    )
    def test_kind(self, counts, message):
        with pytest.raises(TypeError, match=message):
            RleMasks(counts, size=(5, 5))

    @pytest.mark.parametrize("size", [(5,), (5, 5, 5), (-1, 5), (5.0, 5), "55", 5, (True, 5), (2**31, 2**31), None])
    def test_size(self, size):
        with pytest.raises(SizeValueError, match="`size` must be"):
            RleMasks([], size=size)

    @pytest.mark.parametrize("size", [[0, 2**30], [2**30, 0]])
    def test_size_of_coco(self, size):
        with pytest.raises(SizeValueError, match=r"must be of sides below 2\^30"):
            RleMasks.from_coco([{"size": size, "counts": ""}])
        assert RleMasks.from_coco([{"size": [min(side, 2**30 - 1) for side in size], "counts": ""}]).area == [0]

    def test_coco(self):
        good = {"size": [5, 5], "counts": "71320N4"}
        with pytest.raises(SizeValueError, match=r"mask 0 has \[5, 5\] and mask 1 \[5, 6\]"):
            RleMasks.from_coco([good, {"size": [5, 6], "counts": "71320N4"}])
        with pytest.raises(TypeError, match='Mask 1 must be a dict of "size" and "counts".*polygons'):
            RleMasks.from_coco([good, [[0, 0, 1, 1, 2, 2]]])
        with pytest.raises(TypeError, match='Mask 0 must be a dict of "size" and "counts"'):
            RleMasks.from_coco([{"counts": "71320N4"}])
        with pytest.raises(SizeValueError, match="no image size is known"):
            RleMasks.from_coco([])

    @pytest.mark.parametrize("offsets", [[], [1, 3], [0, 2], [0, 3, 1, 4], [0, 5]])
    def test_offsets(self, offsets):
        with pytest.raises(ValueError, match="`offsets` must rise from 0 to the 4 counts"):
            RleMasks.from_arrays([1, 2, 3, 4], offsets, size=(5, 5))

    def test_sizes_differ(self):
        a, b = RleMasks([[0, 4]], size=(4, 6)), RleMasks([[0, 4]], size=(6, 4))
        for call in (lambda: iou(a, b), lambda: iou(b, a.to_masks()), lambda: a.union(b)):
            with pytest.raises(SizeValueError, match="images of one size; got"):
                call()


class TestSetOperations:
    @given(strategies.stacks(5), st.data())
    def test_all(self, stack, data):
        masks = RleMasks.from_masks(stack)
        assert np.array_equal(masks.union().to_masks().array[0], stack.any(axis=0))
        if len(stack):
            assert np.array_equal(masks.intersection().to_masks().array[0], stack.all(axis=0))
        other = data.draw(st.permutations(range(len(stack)))) if len(stack) else []
        partner = RleMasks.from_masks(stack[other])
        assert np.array_equal(masks.union(partner).to_masks().array, stack | stack[other])
        assert np.array_equal(masks.intersection(partner).to_masks().array, stack & stack[other])
        height, width = masks.size
        x1, x2 = sorted(data.draw(st.tuples(st.integers(0, width), st.integers(0, width))))
        y1, y2 = sorted(data.draw(st.tuples(st.integers(0, height), st.integers(0, height))))
        cropped = masks.crop(x1, y1, x2, y2)
        assert cropped.size == (y2 - y1, x2 - x1)
        assert np.array_equal(cropped.to_masks().array, stack[:, y1:y2, x1:x2])

    def test_of_nothing(self):
        nothing = RleMasks([], size=(2, 3))
        assert nothing.union().area.tolist() == [0]
        with pytest.raises(ValueError, match="intersection of no masks is not defined"):
            nothing.intersection()

    def test_other_length(self):
        masks = RleMasks([[1], [2]], size=(2, 3))
        with pytest.raises(SizeValueError, match="2 and 1"):
            masks.union(masks[0])

    @pytest.mark.parametrize("window", [(-1, 0, 2, 2), (0, 0, 4, 2), (2, 0, 1, 2), (0, 0, 1.5, 2)])
    def test_window(self, window):
        with pytest.raises(ValueError, match="The window must be whole numbers"):
            RleMasks([[1]], size=(2, 3)).crop(*window)


class TestPaste:
    @given(strategies.stacks(5), st.integers(0, 7), st.integers(0, 7), st.integers(0, 7), st.integers(0, 7))
    def test_is_the_dense_one(self, stack, left, top, right, bottom):
        want = np.pad(stack, [(0, 0), (top, bottom), (left, right)])
        pasted = RleMasks.from_masks(stack).paste((left, top), size=want.shape[1:])
        assert pasted.size == want.shape[1:] and np.array_equal(pasted.to_masks().array, want)
        assert pasted.to_counts() == RleMasks.from_masks(want).to_counts()

    @given(strategies.stacks(5), st.data())
    def test_undoes_crop(self, stack, data):
        """What is put back is what the window has, whatever runs over the ends of columns."""
        height, width = stack.shape[1:]
        x1, x2 = sorted(data.draw(st.tuples(st.integers(0, width), st.integers(0, width))))
        y1, y2 = sorted(data.draw(st.tuples(st.integers(0, height), st.integers(0, height))))
        inside = np.zeros_like(stack)
        inside[:, y1:y2, x1:x2] = stack[:, y1:y2, x1:x2]
        masks = RleMasks.from_masks(stack)
        pasted = masks.crop(x1, y1, x2, y2).paste((x1, y1), (height, width))
        assert np.array_equal(pasted.to_masks().array, inside)
        assert pasted.paste((0, 0), (height, width)).to_counts() == pasted.to_counts()

    def test_tiles_of_an_image(self):
        """Four tiles of 5×7, the last ones beyond the image of 8×11, unite to the mask they were cut from."""
        stack = np.random.default_rng(0).random((3, 8, 11)) < 0.6
        tiles = [(0, 0), (7, 0), (0, 5), (7, 5)]
        padded = RleMasks.from_masks(np.pad(stack, [(0, 0), (0, 2), (0, 3)]))
        parts = [padded.crop(x, y, x + 7, y + 5).paste((x, y), (8, 11)) for x, y in tiles]
        whole = parts[0].union(parts[1]).union(parts[2]).union(parts[3])
        assert np.array_equal(whole.to_masks().array, stack)

    @given(strategies.stacks(3), st.integers(-6, 6), st.integers(-6, 6), st.integers(0, 8), st.integers(0, 8))
    def test_nothing_is_lost(self, stack, x, y, height, width):
        """Background beyond the image is cut; a pixel of a mask there is an error, never a smaller mask."""
        masks = RleMasks.from_masks(stack)
        _, rows, columns = np.nonzero(stack)
        fits = all(0 <= c + x < width for c in columns) and all(0 <= r + y < height for r in rows)
        if fits:
            assert masks.paste((x, y), (height, width)).area.tolist() == masks.area.tolist()
        else:
            with pytest.raises(ValueError, match=f"at x = {x}, y = {y} reaches beyond the image"):
                masks.paste((x, y), (height, width))

    @pytest.mark.parametrize("offset", [3, (1, 2, 3), (0.5, 1), (True, 0), None])
    def test_offset(self, offset):
        with pytest.raises(ValueError, match=r"`offset` must be \(x, y\), two whole numbers"):
            RleMasks([[1]], size=(2, 3)).paste(offset, (9, 9))


class TestValue:
    def test_items(self):
        masks = RleMasks([[0, k] for k in range(5)], size=(4, 5))
        assert masks[3].area.tolist() == [3] and masks[-1].area.tolist() == [4] and masks[1:3].area.tolist() == [1, 2]
        assert masks[[4, 0]].area.tolist() == [4, 0] and masks[np.arange(5) > 2].area.tolist() == [3, 4]
        assert len(masks[:0]) == 0 and masks[:0].to_counts() == []
        with pytest.raises(IndexError):
            masks[9]

    def test_frozen(self):
        with pytest.raises(AttributeError, match="RleMasks objects are frozen"):
            RleMasks([], size=(1, 1)).size = (2, 2)

    def test_repr(self):
        assert repr(RleMasks([[1]], size=(4, 5))) == "RleMasks(1, 4×5)"

    def test_crowd_is_coverage(self):
        """COCO's iou with a crowd is the share of the guess that the crowd covers."""
        guess, crowd = RleMasks([[0, 4]], size=(4, 5)), RleMasks([[2, 10]], size=(4, 5))
        assert coverage(guess, crowd)[0, 0] == 0.5

    @given(strategies.stacks(5), strategies.stacks(5))
    def test_iou_of_many_forms(self, a, b):
        b = b if b.shape[1:] == a.shape[1:] else ~a
        shared = oracles.shared_pixels(a, b)
        union = a.sum(axis=(1, 2))[:, None] + b.sum(axis=(1, 2))[None] - shared
        want = np.divide(shared, union, out=np.zeros(shared.shape), where=union > 0)
        runs = RleMasks(RleMasks.from_masks(a).to_counts(), size=a.shape[1:])
        assert np.array_equal(iou(runs, RleMasks.from_masks(b)), want)
        assert np.array_equal(iou(runs, Masks(b)), want)
        assert np.array_equal(iou(runs, RleMasks(RleMasks.from_masks(b).to_counts(), size=a.shape[1:])), want)
