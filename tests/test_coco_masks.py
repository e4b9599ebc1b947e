"""Masks as files write them: every form against pycocotools, every fault named, pruning without a trace."""

import json
from collections import defaultdict
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pycocotools import mask as peer

from vesica import InputError, RleMasks, _native
from vesica._check.coco_masks import bad_segment
from vesica._kernels.native import coco_masks as native
from vesica.dataset import CocoMasks

CROSS = {"size": [5, 5], "counts": "71320N4"}


def column(values, size=(0, 0), xywh=None):
    """Segmentations, or bytes of their text, as one column of JSON."""
    texts = [one if isinstance(one, bytes) else json.dumps(one).encode() for one in values]
    ends = np.cumsum([0, *map(len, texts)])
    sizes = np.broadcast_to(np.asarray(size, np.int64), (len(texts), 2))
    forms = np.full(len(texts), CocoMasks.JSON, np.uint8)
    return native.column(np.frombuffer(b"".join(texts), np.uint8), ends[:-1], ends[1:], forms, sizes, xywh)


def decoded(values, size=(0, 0), **options):
    found = column(values, size)
    return native.decode(found, np.arange(len(values)), **options)


def counts_of(found):
    return [found.counts[begin:end].tolist() for begin, end in pairwise(found.offsets)]


def iou(guesses, truths, crowd=None, size=(0, 0), **options):
    found, fault = native.iou(column(guesses, size), column(truths, size), crowd, **options)
    assert fault is None, fault
    return found


def drawn(segmentation, height, width):
    """By COCO's own tool."""
    parts = peer.frPyObjects(segmentation, height, width)
    return peer.merge(parts) if isinstance(parts, list) else parts


def theirs(guesses, truths, crowd, size):
    a, b = ([drawn(one, *size) if _is_raw(one) else one for one in side] for side in (guesses, truths))
    return np.asarray(peer.iou(a, b, [int(flag) for flag in crowd])).reshape(len(a), len(b))


def _is_raw(segmentation):
    return isinstance(segmentation, list) or isinstance(segmentation["counts"], list)


@st.composite
def polygons(draw, height, width):
    """One to three parts, also outside the image, on halves and tenths."""
    step = draw(st.sampled_from([0.01, 0.1, 0.5, 1]))
    far = max(height, width) / step

    def part():
        numbers = st.lists(st.integers(int(-0.5 * far) - 3, int(1.5 * far) + 3), min_size=6, max_size=24)
        flat = draw(numbers.filter(lambda one: len(one) % 2 == 0))
        return [round(number * step, 2) for number in flat]

    return [part() for _ in range(draw(st.integers(1, 3)))]


@st.composite
def run_lengths(draw, height, width, zeros=False):
    """Counts that fill the image, as a list or a string; with runs of nothing if asked for."""
    pixels = height * width
    cuts = sorted(draw(st.lists(st.integers(0, pixels), max_size=20, unique=not zeros)))
    counts = np.diff([0, *cuts, pixels]).tolist()
    if not zeros:
        counts = counts[:1] + [count for count in counts[1:] if count]
    if draw(st.booleans()):
        return {"size": [height, width], "counts": counts}
    return {"size": [height, width], "counts": string(counts)}


def string(counts):
    """The compressed form of any counts, by COCO's own tool."""
    return peer.frPyObjects({"size": [sum(counts), 1], "counts": counts}, 1, 1)["counts"].decode()


@st.composite
def cells(draw, zeros=False):
    """Guesses, truths, crowd flags and the size of the image."""
    height, width = draw(st.integers(1, 70)), draw(st.integers(1, 40))
    one = run_lengths(height, width, zeros)
    one = one if zeros else st.one_of(one, polygons(height, width))
    guesses, truths = (draw(st.lists(one, min_size=1, max_size=5)) for _ in range(2))
    return guesses, truths, [draw(st.booleans()) for _ in truths], (height, width)


class TestForms:
    WANT = [7, 1, 3, 3, 3, 1, 7]

    @pytest.mark.parametrize(
        "text",
        [
            b'{"size": [5, 5], "counts": "71320N4"}',
            b'{"counts":"71320N4","size":[5,5]}',
            b' {\n"counts" :\t[7,1, 3,3,3, 1 ,7 ] , "size": [ 5 , 5 ] }\r\n',
            b'{"size": [5.0, 5e0], "counts": [7.0, 1, 3, 3, 3, 1, 7]}',
            b'{"a": [{"counts": "}"}, "]\\""], "size": [5, 5], "b": -1.5e3, "counts": "71320N4", "c": null}',
            b'{"size": [5, 5], "counts": "7\\u0031320N4"}',
            b'{"size": [1, 2], "counts": [1], "counts": "71320N4", "size": [5, 5]}',
            b'{"size": [5, 5], "counts": [7, 1, 3, 3, 3, 1]}',
            b'{"size": [5, 5], "counts": [7, 1, 3, 1, 0, 2, 3, 1, 7, 0]}',
        ],
    )
    def test_objects(self, text):
        found = decoded([text])
        assert counts_of(found) == [self.WANT] and found.measured.area.tolist() == [5]
        assert found.boxes.tolist() == [[1, 1, 4, 4]] and found.sizes.tolist() == [[5, 5]]
        assert not found.measured.kind.any()

    def test_escapes(self):
        """The backslash is a character of the strings, and JSON doubles it."""
        counts = [12, 44, 1, 76, 3, 1000, 2, 12]
        text = string(counts)
        assert "\\" in text
        found = decoded([{"size": [sum(counts), 1], "counts": text}])
        assert counts_of(found) == [counts]

    @pytest.mark.parametrize(
        "value",
        [
            [[0, 0, 9, 0, 9, 9, 0, 9]],
            [0, 0, 9, 0, 9, 9, 0, 9],
            [[[0, 0], [9, 0], [9, 9], [0, 9]]],
            [[0, 0, 5, 0, 5, 9, 0, 9], [4, 0, 9, 0, 9, 9, 4, 9]],
            [[0, 0, 9, 0, 9, 9, 0, 9], [20, 20, 30, 20, 30, 30]],
            [[0, 0, 9, 0, 9, 9, 0, 9], [1, 2, 3, 4]],
            b"[[0.0,0e0,9,-0.0,90E-1,9 , 0,9]\n]",
        ],
    )
    def test_polygons(self, value):
        found = decoded([value], (12, 10))
        assert found.measured.area.tolist() == [81] and found.boxes.tolist() == [[0, 0, 9, 9]]

    @pytest.mark.parametrize("value", [[], [[]], [[1, 2, 3, 4]], [[1, 2], []], None])
    def test_no_area(self, value):
        """Q20: an empty mask, and a finding."""
        found = decoded([value], (12, 10))
        assert counts_of(found) == [[120]] and found.measured.finding.tolist() == [2]
        assert found.boxes.tolist() == [[0, 0, 0, 0]] and not found.measured.kind.any()

    def test_boxes(self):
        """C6: a row without a mask is the polygon of its box."""
        xywh = np.array([[1.2, 2.5, 7.25, 4.0], [-3, -3, 50, 50], [4, 4, 0, 3]])
        found = native.column(
            np.empty(0, np.uint8), *np.zeros((2, 3), np.int64), np.zeros(3, np.uint8), np.tile([12, 10], (3, 1)), xywh
        )
        got = native.decode(found, np.arange(3))
        for (x, y, w, h), one in zip(xywh, counts_of(got), strict=True):
            want = peer.frPyObjects([[x, y, x, y + h, x + w, y + h, x + w, y]], 12, 10)[0]
            assert RleMasks([one], size=(12, 10)).to_strings() == [want["counts"]]

    def test_counts_alone(self):
        masks = RleMasks([[3, 4, 18], [0, 25], [25]], size=(5, 5))
        segments = CocoMasks.from_rle(masks)
        assert segments.to_rle().to_counts() == masks.to_counts()
        assert segments.to_rle([2, 0]).to_counts() == [[25], [3, 4, 18]] and len(segments.to_rle(1)) == 1
        assert segments[1:].to_rle().area.tolist() == [25, 0] and list(segments.written()) == masks.to_strings()

    def test_sizes_that_differ(self):
        segments = CocoMasks(*column([CROSS, {"size": [5, 6], "counts": [30]}])[:5])
        with pytest.raises(InputError, match=r"one image size; row 0 has \[5, 5\] and row 1 \[5, 6\]"):
            segments.to_rle()
        with pytest.raises(InputError, match="no image size is known"):
            segments.to_rle([])
        assert len(segments.to_rle([1])) == 1

    def test_columns_are_checked(self):
        good = column([CROSS, CROSS])
        for place, bad in (
            (1, good[1] - 1),
            (2, good[2] + 1),
            (2, good[1][::-1] - 0),
            (3, good[3][:1]),
            (4, good[4].T[:1]),
        ):
            with pytest.raises(ValueError, match=r"inside the text|a row for each"):
                native.column(*(bad if k == place else one for k, one in enumerate(good)))
        with pytest.raises(ValueError, match="`xywh` must be of shape"):
            native.column(*good[:5], np.zeros((1, 4)))

    def test_threads(self):
        values = [{"size": [40, 40], "counts": [k % 900, 1 + k % 7]} for k in range(1500)]
        one, many = (decoded(values, threads=threads) for threads in (1, 5))
        for a, b in zip(one[:4], many[:4], strict=True):
            assert np.array_equal(a, b)
        assert np.array_equal(one.measured.area, many.measured.area)


FAULTS = [
    (b"", "json", 0),
    (b"7", "json", 0),
    (b"nul", "json", 3),
    (b'"71320N4"', "json", 0),
    (b"{}", "json", 1),
    (b'{"size": [5, 5]}', "json", 16),
    (b'{"size": [5, 5], "iscrowd":', "json", 27),
    (b'{"size": [5, 5], "iscrowd": ', "json", 28),
    (b'{"size": [5, 5], "counts": 7}', "json", 27),
    (b'{"size": [5, 5], "counts": [7, "a"]}', "json", 31),
    (b'{"size": [5, 5], "counts": [7, 1.5]}', "json", 31),
    (b'{"size": [5, 5], "counts": [7, 01]}', "json", 32),
    (b'{"size": [5, 5], "counts": "713', "json", 31),
    (b'{"size": [5, 5], "counts": "71\\x"}', "json", 32),
    (b'{"size": [5, 5], "counts": "71\\u00g1"}', "json", 34),
    (b'{"size": [5, 5], "counts": "71320N4"', "json", 36),
    (b'{"size": [5, 5], "counts": "71320N4"} x', "json", 38),
    (b'{"size": [5, 5], "counts": "71320N4"}\x00', "json", 37),
    (b'{"size": [5, 5] "counts": "71320N4"}', "json", 16),
    (b'{"size": [5, 5], "counts": "7132 N4"}', "character", 32),
    (b'{"size": [5, 5], "counts": "713\xc3\xa9"}', "character", 31),
    (b'{"size": [5, 5], "counts": "713\\u4e00"}', "character", 31),
    (b'{"size": [5, 5], "counts": "713\\n"}', "character", 31),
    (b'{"size": [5, 5], "counts": "71320N4P"}', "cut", 36),
    (b'{"size": [5, 5], "counts": "' + b"o" * 40 + b'"}', "large_number", 41),
    (b'{"size": [5, 5], "counts": [1e99]}', "large_number", 28),
    (b'{"size": [5, 5], "counts": [NaN]}', "large_number", 28),
    (b'{"size": [5, 5], "counts": "O"}', "negative", 28),
    (b'{"size": [5, 5], "counts": "0140K"}', "negative", 32),
    (b'{"size": [5, 5], "counts": [5, -1]}', "negative", 31),
    (b'{"size": [5, 5], "counts": [20, 6]}', "too_long", 32),
    (b'{"size": [5, 5], "counts": "d06"}', "too_long", 30),
    (b'{"counts": "71320N4"}', "bad_size", 0),
    (b'{"size": [5], "counts": "71320N4"}', "bad_size", 9),
    (b'{"size": 5, "counts": "71320N4"}', "bad_size", 9),
    (b'{"size": [5, 5, 5], "counts": "71320N4"}', "bad_size", 9),
    (b'{"size": [5, -5], "counts": "71320N4"}', "bad_size", 9),
    (b'{"size": [5, 5.5], "counts": "71320N4"}', "bad_size", 9),
    (b'{"size": [NaN, 5], "counts": "71320N4"}', "bad_size", 9),
    (b'{"size": [65536, 65536], "counts": [1]}', "large_image", 9),
    (b'{"size": [4294967296, 1], "counts": [1]}', "large_image", 9),
    (b'{"size": [1, 4294967296], "counts": [1]}', "large_image", 9),
    (b'{"size": [1e300, 1], "counts": [1]}', "large_image", 9),
    (b"[[0, 0, 1, 1, 2, 2", "json", 18),
    (b"[[0, 0, 1, 1, 2, 2]", "json", 19),
    (b"[[0, 0, 1, 1, 2, true]]", "json", 17),
    (b"[[0, 0, 1, 1, 2, 2], 7]", "json", 21),
    (b"[[[0, 0, 1], [1, 2], [2, 2]]]", "json", 7),
    (b"[[0, 0, 1, 1, 2,, 2]]", "json", 16),
    (b"[[0, 0, 1, 1, 2,, 2, 3, 4, 5, 6, 7, 8, 9, 10]]", "json", 16),
    (b"[[0, 0, 1, 1, 2, 2,]]", "json", 19),
    (b"[[0, 0, 1, 1, 2, .5]]", "json", 17),
    (b"[[0, 0, 1, 1, 2, 5.]]", "json", 17),
    (b"[[0, 0, 1, 1, 2, +5]]", "json", 17),
    (b"[[0, 0, 1, 1, 2, 5e]]", "json", 17),
    (b"[[0, 0, 1, 1, 2, NaN]]", "coordinate", 17),
    (b"[[0, 0, 1, 1, 2, -Infinity]]", "coordinate", 17),
    (b"[[0, 0, 1, 1, 2, 1e400]]", "coordinate", 17),
    (b"[[0, 0, 1, 1, 2, 2e12]]", "coordinate", 17),
    (b"[[0, 0, 1, 1, 2, 2, 3]]", "odd", 1),
]


class TestPolygons:
    @pytest.mark.parametrize("comma", [", ", ",", " , ", ",  ", ",\n"])
    def test_spellings_of_polygons(self, comma):
        """Numbers are read four at a time while they are short and stand alike: others among them change nothing."""
        rng = np.random.default_rng(4)
        odd = ["1e1", "2.5E+1", "-3", "-0", "0", "0.0", "12345678", "12345.75", "7.123456789012345", "100.0e0", "63"]
        rings = []
        for length in (6, 8, 30, 32, 34, 80):
            for _ in range(30):
                words = [f"{number:.{rng.integers(0, 4)}f}" for number in rng.uniform(0, 99, length)]
                for place in rng.integers(0, length, rng.integers(0, 4)):
                    words[place] = str(rng.choice(odd))
                rings.append(words)
        found = decoded([f"[[{comma.join(words)}]]".encode() for words in rings], (60, 70))
        assert not found.measured.kind.any()
        assert counts_of(found) == counts_of(decoded([[[float(word) for word in words]] for words in rings], (60, 70)))
        want = [drawn([[float(word) for word in words]], 60, 70) for words in rings if "12345678" not in words]
        kept = [counts for counts, words in zip(counts_of(found), rings, strict=True) if "12345678" not in words]
        assert kept == RleMasks([one["counts"] for one in want], size=(60, 70)).to_counts()

    @pytest.mark.parametrize("bad", ["", "x", "1.", ".5", "01", "1.5.2", "+1", "1e", "null"])
    def test_faults_stand_where_they_are(self, bad):
        words = ["10.5"] * 60
        for place in (0, 1, 3, 4, 17, 58, 59):
            text = ", ".join([*words[:place], bad, *words[place + 1 :]])
            fault = decoded([f"[[{text}]]".encode()], (60, 70)).measured.fault(np.arange(1))
            begin = len("[[") + len(", ".join([*words[:place], ""]))
            assert fault.kind == "json" and begin <= fault.position <= begin + len(bad) + 1


class TestFaults:
    @pytest.mark.parametrize("text, kind, position", FAULTS)
    def test_place(self, text, kind, position):
        found = decoded([CROSS, text, CROSS], (5, 5))
        fault = found.measured.fault(np.arange(3))
        assert (fault.kind, fault.row, fault.position) == (kind, 1, position)
        assert found.measured.area.tolist() == [5, 0, 5] and counts_of(found)[2] == TestForms.WANT
        with pytest.raises(InputError, match="`segments`, row 1: "):
            CocoMasks(*column([CROSS, text], (5, 5))[:5]).to_rle()

    def test_long_numbers(self):
        short, long = b"[[1, 1, 4, 1, 4, 4, 1, 4]]", b"[[1.00000000000000000, 1, 4, 1, 4, 4, 1.000000000000000, 4]]"
        one, other = counts_of(decoded([short, long], (5, 5)))
        assert one == other != []

    @pytest.mark.parametrize("size", [[2**32 - 1, 1], [1, 2**32 - 1]])
    def test_largest_image(self, size):
        assert decoded([{"size": size, "counts": [0, 2**32 - 1]}]).measured.area.tolist() == [2**32 - 1]

    @pytest.mark.parametrize(
        "size, kind", [((-1, 5), "bad_size"), ((5, -1), "bad_size"), ((2**16, 2**16), "large_image")]
    )
    def test_size_of_the_image(self, size, kind):
        """Where the row itself says none: the fault is at its beginning."""
        fault = decoded([[[0, 0, 4, 0, 4, 4]]], size).measured.fault(np.arange(1))
        assert (fault.kind, fault.row, fault.position) == (kind, 0, 0)

    def test_box_beyond_31_bits(self):
        """The last run alone ends behind pixel 2^31."""
        side = 60_000
        row = {"size": [side, side], "counts": [10, 5, side * side - 100, 7, 78]}
        assert decoded([row]).boxes.tolist() == [[0, 10, side, side - 78]]

    @pytest.mark.parametrize("value", [[[0, 0, 1, 1, 2, 2]], [0, 0, 1, 1, 2, 2]])
    def test_unknown_size(self, value):
        assert decoded([value]).measured.fault(np.arange(1)).kind == "no_size"
        assert decoded([value], (5, 0)).measured.fault(np.arange(1)).kind == "no_size"
        assert decoded([value], (-5, 5)).measured.fault(np.arange(1)).kind == "bad_size"

    def test_every_kind_has_words(self):
        for kind in native.FAULTS[1:]:
            assert "row 7: " in str(bad_segment(native.Fault(kind, 7, 3), "guess.json"))

    def test_sizes_differ(self):
        """Q5: an error that names both rows and sizes."""
        truth = [CROSS, {"size": [6, 5], "counts": [0, 30]}]
        _, fault = native.iou(column([CROSS]), column(truth))
        assert fault == native.Fault("sizes_differ", 0, 0, "guess", 1, ((5, 5), (6, 5)))
        assert "5×5, and row 1 of the truths of 6×5" in str(bad_segment(fault, "guess.json"))

    def test_the_lowest_row_is_told(self):
        """Truths before guesses, whatever comes first."""
        bad = {"size": [5, 5], "counts": [26]}
        assert native.iou(column([CROSS, bad, bad]), column([CROSS]))[1][:2] == ("too_long", 1)
        found, fault = native.iou(column([bad, CROSS]), column([CROSS, bad]))
        assert fault == native.Fault("too_long", 1, 28, "truth") and found.tolist() == [[0, 0], [1, 0]]

    def test_short_counts(self):
        """Q8: the rest is background, and a finding."""
        found = decoded([{"size": [5, 5], "counts": [7, 1]}, {"size": [5, 5], "counts": "71"}, CROSS])
        assert found.measured.finding.tolist() == [1, 1, 0] and counts_of(found)[:2] == [[7, 1, 17]] * 2


class TestFindings:
    @pytest.mark.parametrize("boundary", [False, True])
    def test_each_row_counts_once(self, boundary):
        short = {"size": [5, 5], "counts": [7, 1]}
        guesses, truths = column([short, CROSS, [], short], (5, 5)), column([CROSS, short, [[1, 2]]], (5, 5))
        _, found = _native.coco_masks_iou(guesses, truths, None, 0.5, boundary, False, np.empty((4, 3)))
        assert found == (3, 2)


@pytest.fixture(params=["baseline", "avx2", "avx512"])
def isa(request):
    _native.limit_isa(request.param)
    yield request.param
    _native.limit_isa("avx512")


@pytest.mark.usefixtures("isa")
class TestStrings:
    """Strings are read by vectors where the processor has them: the same counts with every instruction set."""

    @pytest.mark.parametrize("size", [(480, 640), (1, 5000), (5000, 1), (12_000, 12_000), (40_000, 40_000)])
    @pytest.mark.parametrize("step", [1, 20, 600, 40_000])
    def test_counts(self, size, step):
        """Numbers of one to five characters, in strings of any length."""
        rng = np.random.default_rng(step)
        pixels, lists = size[0] * size[1], []
        for length in (*range(1, 70), 500, 4000):
            counts = 1 + rng.integers(0, step, length) * rng.integers(0, 2, length)
            counts[0] -= rng.integers(0, 2)
            counts = counts[np.cumsum(counts) <= pixels]
            lists.append([*counts.tolist(), pixels - int(counts.sum())] if counts.sum() < pixels else counts.tolist())
        masks = RleMasks(lists, size=size)
        texts = [text.decode() for text in masks.to_strings()]
        found = decoded([{"size": list(size), "counts": text} for text in texts])
        assert counts_of(found) == masks.to_counts() and np.array_equal(found.measured.area, masks.area)
        assert np.array_equal(found.boxes, masks.boxes.xyxy) and not found.measured.finding.any()

    @given(st.lists(st.integers(-40, 600), min_size=1, max_size=40), st.integers(1, 60), st.integers(1, 60))
    def test_any_numbers(self, numbers, height, width):
        """Strings that say anything: right, short, or refused as RleMasks refuses them."""
        text = string_of_numbers(numbers)
        found = decoded([{"size": [height, width], "counts": text}])
        refusal = refused(text, (height, width))
        if refusal:
            assert WORDS[found.measured.fault(np.arange(1)).kind] in refusal
        else:
            assert counts_of(found) == RleMasks([text], size=(height, width)).to_counts()
            assert not found.measured.kind.any()

    @pytest.mark.parametrize("bad", ["P", " ", "~", "p", "/", "ooooo0"])
    def test_broken_anywhere(self, bad):
        """As RleMasks refuses them."""
        lengths = [1, 5, 15, 16, 17, 63, 64, 65, 200]
        for length, place in [(size, at) for size in lengths for at in {0, size // 2, size - 1, size}]:
            text = "1" * 3 + "0" * length
            text = text[:place] + bad + text[place:]
            fault = decoded([{"size": [900, 900], "counts": text}]).measured.fault(np.arange(1))
            assert refused(text, (900, 900)) == "" if fault is None else WORDS[fault.kind] in refused(text, (900, 900))


WORDS = {
    "character": "must be characters",
    "cut": "end inside",
    "negative": "must not be negative",
    "too_long": "must not exceed",
    "large_number": "more than 60 bits",
}


def refused(text, size):
    """What RleMasks says to the string; nothing if it takes it."""
    try:
        RleMasks([text], size=size)
    except ValueError as error:
        return str(error)
    return ""


def string_of_numbers(numbers):
    """Five bits a character: the numbers themselves, no differences taken."""
    text = ""
    for number in numbers:
        while True:
            code, number = number & 31, number >> 5
            if (number == 0 and not code & 16) or (number == -1 and code & 16):
                text += chr(code + 48)
                break
            text += chr(code + 48 + 32)
    return text


class TestLiteral:
    """As pycocotools reads them, whatever sense it makes."""

    def test_runs_of_nothing_beside_others(self):
        rng, size = np.random.default_rng(0), (5, 6)
        for _ in range(100):
            sides = [rng.integers(least, 6, 6).tolist() for least in (0, 1)]
            cell = [[{"size": [*size], "counts": [*counts, 30 - sum(counts)]}] for counts in sides]
            for guesses, truths in (cell, cell[::-1]):
                assert np.array_equal(iou(guesses, truths, [0], size, literal=True), theirs(guesses, truths, [0], size))

    @pytest.mark.parametrize("value", [[[0, 0, 9, 0, 9]], [[0, 0, 9, 0, 9, 9, 4]]])
    def test_odd_numbers(self, value):
        found = decoded([value], (12, 10), literal=True)
        assert string(counts_of(found)[0]) == drawn(value, 12, 10)["counts"].decode()

    def test_four_numbers(self):
        assert decoded([[[0, 0, 9, 0]]], (12, 10), literal=True).measured.fault(np.arange(1)).kind == "few"


class TestAgainstPycocotools:
    @given(st.data(), st.integers(1, 70), st.integers(1, 40))
    def test_decoding(self, data, height, width):
        values = data.draw(
            st.lists(st.one_of(polygons(height, width), run_lengths(height, width)), min_size=1, max_size=4)
        )
        found = decoded(values, (height, width))
        want = [drawn(one, height, width) if _is_raw(one) else one for one in values]
        assert [string(counts) for counts in counts_of(found)] == [
            one["counts"] if isinstance(one["counts"], str) else one["counts"].decode() for one in want
        ]
        assert found.measured.area.tolist() == [int(peer.area(one)) for one in want]
        x, y, w, h = np.array([peer.toBbox(one) for one in want]).T
        assert np.array_equal(found.boxes, np.stack([x, y, x + w, y + h], axis=1))
        measured = native.areas(column(values, (height, width)), np.arange(len(values)))
        assert np.array_equal(measured.area, found.measured.area)

    @given(cells())
    def test_iou(self, cell):
        guesses, truths, crowd, size = cell
        want = theirs(*cell)
        for literal in (False, True):
            assert np.array_equal(iou(guesses, truths, crowd, size, literal=literal), want)

    @given(cells(), st.sampled_from([1e-9, 0.1, 0.5, 0.75, 1.0]))
    def test_pruning(self, cell, floor):
        """What is left out is below the floor, and nothing else changes."""
        every = iou(*cell)
        assert np.array_equal(iou(*cell, floor=floor), np.where(every >= floor, every, 0))

    @given(cells())
    def test_pruning_at_the_bar(self, cell):
        every = iou(*cell)
        for floor in every[every > 0]:
            assert np.array_equal(iou(*cell, floor=floor), np.where(every >= floor, every, 0))

    @given(cells(zeros=True))
    def test_runs_of_nothing(self, cell):
        """Q10: as pycocotools walks them, and as they are."""
        guesses, truths, crowd, size = cell
        assert np.array_equal(iou(guesses, truths, crowd, size, literal=True), theirs(*cell))
        canonical = [[RleMasks.from_coco([one]).to_coco()[0] for one in side] for side in (guesses, truths)]
        assert np.array_equal(iou(guesses, truths, crowd, size), theirs(*canonical, crowd, size))

    def test_the_known_case(self):
        a, b = {"size": [2, 5], "counts": [2, 3, 0, 4, 1]}, {"size": [2, 5], "counts": [2, 3, 0, 2, 3]}
        assert iou([a], [b], literal=True).tolist() == [[1.0]] and iou([a], [b]).tolist() == [[5 / 7]]

    def test_sizes_differ(self):
        """Q5, literally: -1 where tight boxes overlap."""
        truths = [{"size": [6, 5], "counts": [0, 30]}, {"size": [6, 7], "counts": [41, 1]}]
        assert iou([CROSS], truths, literal=True).tolist() == theirs([CROSS], truths, [0, 0], (5, 5)).tolist()

    def test_endless(self):
        """Q8, literally: what never ends is a fault."""
        short, whole = {"size": [5, 5], "counts": [0, 9]}, {"size": [5, 5], "counts": [3, 22]}
        _, fault = native.iou(column([short]), column([CROSS, whole]), literal=True)
        assert fault == native.Fault("endless", 0, 0, "guess", 0)
        assert iou([short], [short], literal=True).tolist() == [[1.0]]

    @pytest.mark.parametrize("value", [[], [[]], [[1, 2, 3, 4]], [[1, 2], [0, 0, 9, 0, 9, 9]]])
    def test_refused(self, value):
        """Q20 and C41, literally."""
        with pytest.raises((TypeError, IndexError, Exception)):
            drawn(value, 12, 10)
        assert decoded([value], (12, 10), literal=True).measured.fault(np.arange(1)).kind == "few"

    @pytest.mark.parametrize("value", [[[0, 0, 9, 0, 9, 9, 4]], [[0, 0, 9, 0, 9]], [[0, 0, 9, 0, 9, 9], [1, 2, 3, 4]]])
    def test_taken(self, value):
        found = decoded([value], (12, 10), literal=True)
        assert string(counts_of(found)[0]) == drawn(value, 12, 10)["counts"].decode()

    def test_large_images(self):
        """Beyond 2^31 pixels counts are still exact."""
        side = 60_000
        rows = [{"size": [side, side], "counts": [k, side * side - 2 * k]} for k in (0, 3, 10**9)]
        found = decoded(rows)
        assert found.measured.area.tolist() == [side * side, side * side - 6, side * side - 2 * 10**9]
        assert found.boxes[0].tolist() == [0, 0, side, side] and found.boxes[2, 0] == 10**9 // side
        assert iou(rows[:1], rows[1:])[0, 0] == (side * side - 6) / side**2
        text = RleMasks([[10**9, 5, side * side - 10**9 - 5]], size=(side, side)).to_strings()[0].decode()
        assert decoded([{"size": [side, side], "counts": text}]).measured.area.tolist() == [5]


DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.mark.skipif(not DATA.is_dir(), reason="the folder shared/data lies not beside the repository")
class TestRealFiles:
    @pytest.mark.parametrize(
        "path, pairs, total",
        [
            ("coco100/instances_val2014_100.json", 14_463, 863.294070197),
            ("coco_mini/instances_val2017.json", 8_156, 649.323414384),
            ("lvis100/lvis_val_100.json", 29_927, 1022.897185172),
        ],
    )
    def test_annotations(self, path, pairs, total):
        """Sums of IoU of all pairs of an image that COCO's own tool found."""
        file = json.loads((DATA / path).read_text())
        sizes = {image["id"]: (image["height"], image["width"]) for image in file["images"]}
        images = defaultdict(list)
        for row in file["annotations"]:
            images[row["image_id"]].append(row["segmentation"])
        found = [iou(rows, rows, size=sizes[image]) for image, rows in images.items()]
        assert sum(one.size for one in found) == pairs
        assert sum(float(one.sum()) for one in found) == pytest.approx(total, abs=1e-8)
        for image, rows in list(images.items())[:25]:
            size = sizes[image]
            flat = np.zeros(len(rows), bool)
            flat[::2] = True
            assert np.array_equal(iou(rows, rows, flat, size), theirs(rows, rows, flat, size))
            every = iou(rows, rows, size=size)
            assert np.array_equal(iou(rows, rows, size=size, floor=0.5), np.where(every >= 0.5, every, 0))

    def test_results(self):
        rows = json.loads((DATA / "coco100/instances_val2014_fakesegm100_results.json").read_text())
        want = [row["segmentation"] for row in rows]
        found = decoded(want)
        assert found.measured.area.tolist() == [int(peer.area(one)) for one in want]
        x, y, w, h = np.array(peer.toBbox(want)).T
        assert np.array_equal(found.boxes, np.stack([x, y, x + w, y + h], axis=1))
        assert [string(counts) for counts in counts_of(found)] == [one["counts"] for one in want]

    def test_nuclei(self):
        """Dense cells: up to 375 masks in an image."""
        total = above = 0
        for image in json.loads((DATA / "nuclei/stage1_train_rle.json").read_text())["images"]:
            rows = [{"size": image["size"], "counts": one} for one in image["rle"]]
            found = iou(rows, rows)
            total, above = total + float(found.sum()), above + int((found > 0).sum())
        assert total == pytest.approx(28986.026500723, abs=1e-7) and above == 28_998

    def test_two_detectors(self):
        sides = [
            {
                image["image_id"]: [one["mask"] for one in image["dets"]]
                for image in json.loads(file.read_text())["images"]
            }
            for file in (DATA / "yolact/yolact_base.json", DATA / "yolact/yolact_resnet50.json")
        ]
        found = [iou(sides[0][k], sides[1][k]) for k in sides[0].keys() & sides[1].keys()]
        assert sum(one.size for one in found) == 232_177 and sum(int((one >= 0.5).sum()) for one in found) == 2_325
        assert sum(float(one.sum()) for one in found) == pytest.approx(3000.248566907, abs=1e-8)
