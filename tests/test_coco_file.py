"""Files of COCO as columns: what Python's json makes of them, whatever the blocks and threads."""

import functools
import json
import math
import operator
import random
import tempfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trials import trials
from vesica import _native
from vesica._kernels.native.coco_file import FIELDS, Columns, Problem, read, read_open

# Bytes in a block and threads: the answers may not differ. Every second one of them serves for open files.
WAYS = [(1 << 22, 1), (64, 1), (64, 2), (64, 3), (64, 8), (200, 2)]


# --- the oracle -------------------------------------------------------------------------------------------------------


class Refused(Exception):
    pass


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def number(value):
    if not is_number(value):
        raise Refused
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def integer(value, *, is_id=False):
    if not is_number(value):
        raise Refused
    if isinstance(value, float):
        if not math.isfinite(value) or value != int(value) or not -(2**63) <= value < 2**63:
            raise Refused
        return int(value)
    if not -(2**63) <= value < 2**63 and not is_id:
        raise Refused
    return value


def an_id(value):
    return value if isinstance(value, str) else integer(value, is_id=True)


def flag(value):
    if isinstance(value, bool):
        return int(value)
    value = integer(value)
    if value not in (0, 1):
        raise Refused
    return value


def box(value):
    if not isinstance(value, list) or len(value) not in (0, 4):
        raise Refused
    return tuple(map(number, value)) or None


def depth(text):
    most = now = 0
    in_string = escaped = False
    for c in text:
        if in_string:
            in_string = escaped or c != '"'
            escaped = c == "\\" and not escaped
        else:
            in_string = c == '"'
            now += (c in "[{") - (c in "]}")
            most = max(most, now)
    return most


ANNOTATION = {
    "image_id": an_id,
    "category_id": an_id,
    "id": an_id,
    "bbox": box,
    "score": number,
    "area": number,
    "iscrowd": flag,
    "ignore": flag,
    "segmentation": lambda value: value,
}


def text_of(value):
    if not isinstance(value, str):
        raise Refused
    return value


def integers(value):
    if not isinstance(value, list):
        raise Refused
    return [integer(one) for one in value]


IMAGE = {
    "id": an_id,
    "height": integer,
    "width": integer,
    "file_name": text_of,
    "neg_category_ids": integers,
    "not_exhaustive_category_ids": integers,
}


def rows_of(value, fields):
    if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
        raise Refused
    return [{key: read(row[key]) for key, read in fields.items() if row.get(key) is not None} for row in value]


def wanted(data):
    """Rows of images and annotations, or None where the file must be refused."""
    try:
        text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogatepass")
        value = json.loads(text)
        if depth(text) > 64 or not isinstance(value, (list, dict)):
            raise Refused
        if isinstance(value, list):
            return None, rows_of(value, ANNOTATION)
        images = rows_of(value["images"], IMAGE) if "images" in value else None
        rows = rows_of(value["annotations"], ANNOTATION) if "annotations" in value else []
        categories = rows_of(value["categories"], {"id": an_id}) if "categories" in value else []
        for table in (images or [], categories):
            ids = [row.get("id") for row in table]
            if None in ids or len(set(ids)) < len(ids):
                raise Refused
    except (ValueError, RecursionError, Refused):
        return None
    return images, rows


# --- what was found, as rows ------------------------------------------------------------------------------------------


def same(a, b):
    """Equal, and NaN is NaN."""
    return json.dumps(a) == json.dumps(b)


def annotations_of(found: Columns):
    rows = found.annotations
    has = {key: rows.has(key) for key in ANNOTATION}
    text = b"" if rows.text is None else rows.text.tobytes()
    texts = dict(rows.id_texts)

    def own_id(k):
        if k not in texts:
            return int(rows.id[k])
        value = texts[k][1:].decode("utf-8", "surrogatepass")
        return value if texts[k][:1] == b"s" else int(value)

    def python(value):
        return value.item() if isinstance(value, np.generic) else value

    take = {
        "image_id": lambda k: python(found.image_ids[rows.image[k]]) if rows.image[k] >= 0 else "unknown",
        "category_id": lambda k: python(found.category_ids[rows.category[k]]) if rows.category[k] >= 0 else "unknown",
        "id": own_id,
        "bbox": lambda k: tuple(rows.xywh[k].tolist()),
        "score": lambda k: float(rows.score[k]),
        "area": lambda k: float(rows.area[k]),
        "iscrowd": lambda k: int(rows.crowd[k]),
        "ignore": lambda k: int(rows.ignore[k]),
        "segmentation": lambda k: json.loads(text[rows.segment_begin[k] : rows.segment_end[k]]),
    }
    return [{key: take[key](k) for key in ANNOTATION if has[key][k]} for k in range(rows.rows)]


def facts(found):
    """All of an answer, comparable."""
    if isinstance(found, Problem):
        return found

    def plain(value):
        if isinstance(value, np.ndarray):
            return (str(value.dtype), value.shape, value.tobytes() if value.dtype != object else value.tolist())
        return tuple(map(plain, value)) if isinstance(value, tuple) else value

    return plain(tuple(found))


def one_answer(data):
    """The answer, which must be the same for all blocks and threads, in memory and from an open file."""
    array = np.frombuffer(data, np.uint8)
    with tempfile.TemporaryFile(buffering=0) as file:
        file.write(data)
        options = [{"masks": True, "spans": True, "block": block, "threads": threads} for block, threads in WAYS]
        answers = [read(array, **way) for way in options]
        answers += [read_open(file.fileno(), len(data), **way) for way in options[1::2]]
    assert all(facts(answer) == facts(answers[0]) for answer in answers[1:]), data
    return answers[0]


def is_odd(row):
    """A number that is not finite, a side below 0, an area without end."""
    x, y, w, h = row.get("bbox", (0, 0, 0, 0))
    finite = all(map(math.isfinite, (x, y, row.get("score", 0), row.get("area", 0))))
    return not (finite and w >= 0 and h >= 0 and w * h < math.inf)


def agrees(data):
    found, want = one_answer(data), wanted(data)
    if want is None:
        assert isinstance(found, Problem), data
        assert 0 <= found.at <= len(data)
        return
    assert isinstance(found, Columns), (data, found)
    images, rows = want
    known = None if images is None else {row["id"] for row in images}
    value = json.loads(data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogatepass"))
    categories = (
        {an_id(one["id"]) for one in value["categories"]} if isinstance(value, dict) and "categories" in value else None
    )
    for row in rows:
        if row.get("bbox", 0) is None:
            del row["bbox"]
        for key, table in (("image_id", known), ("category_id", categories)):
            if key in row and table is not None and row[key] not in table:
                row[key] = "unknown"
    got = annotations_of(found)
    assert len(got) == len(rows)
    for one, other in zip(got, rows, strict=True):
        assert same(one, other), data
    table = found.annotations
    given = [] if table.given is None else table.given.tolist()
    assert table.in_some == functools.reduce(operator.or_, given, 0), data
    assert table.in_all == functools.reduce(operator.and_, given, (1 << len(FIELDS)) - 1), data
    assert table.odd == next((k for k, row in enumerate(rows) if is_odd(row)), -1), data
    if images is not None:
        assert [row["id"] for row in images] == found.image_ids.tolist()
        assert (found.images.names is None) == all(row.get("file_name") is None for row in value["images"])
        for key, column in (("height", found.images.height), ("width", found.images.width)):
            assert [row.get(key, 0) for row in images] == ([0] * len(images) if column is None else column.tolist())


# --- documents --------------------------------------------------------------------------------------------------------

IDS = st.sampled_from(
    [0, 1, 2, 7, 139, 139.0, -5, 2**40, 2**70, -(2**64), "7", "a b", "é", "\ud83d\ude00", 'x"},{"y', "\\"]
)
NUMBERS = st.sampled_from([0, 1, -3, 2.5, 0.1, 1e-5, 123.456, 1e300, 0.30000001192092896, 12345678.9, 10**25, 640])
ODD = st.sampled_from([None, True, False, "x", [], {}, [1, 2], 1.5, math.nan, math.inf, {"a": [{}]}, -0.0, 2**64])
BOXES = st.lists(NUMBERS, min_size=4, max_size=4) | st.sampled_from(
    [None, [], [1, 2, 3], [1, 2, 3, 4, 5], "1234", [1, 2, 3, None]]
)
SEGMENTS = st.sampled_from(
    [
        [[0, 0, 4.5, 0, 4, 4]],
        {"size": [5, 5], "counts": "71320N4\\"},
        {"size": [5, 5], "counts": [25]},
        [],
        None,
        [[float(k) for k in range(60)], [1.25, -2]],
        '},{"image_id": 3',
    ]
)
FLAGS = st.sampled_from([0, 1, True, False, 0.0, None, 2, "0"])
EXTRA = st.sampled_from([None, 5, "},{", '"', "\\", [{}, {"image_id": 9}], {"id": [1, 2]}, "é", [1.5e-7, "a"]])


def annotations(odd):
    """Mostly sound ones; with `odd` anything anywhere."""
    fields = {
        "image_id": IDS,
        "category_id": IDS,
        "id": IDS,
        "bbox": BOXES,
        "score": NUMBERS,
        "area": NUMBERS,
        "iscrowd": FLAGS,
        "ignore": FLAGS,
        "segmentation": SEGMENTS,
        "note": EXTRA,
        "keypoints": EXTRA,
    }
    return st.fixed_dictionaries({}, optional={key: value | ODD if odd else value for key, value in fields.items()})


IMAGES = st.fixed_dictionaries(
    {},
    optional={
        "id": IDS,
        "height": st.sampled_from([480, 480.0, None, "480", 1.5]),
        "width": st.just(640),
        "file_name": st.text() | st.none(),
        "neg_category_ids": st.sampled_from([[], [1, 2], [3.0], None, ["a"]]),
        "not_exhaustive_category_ids": st.just([4]),
        "x": EXTRA,
    },
)
FORMS = st.sampled_from(
    [
        {},
        {"separators": (",", ":")},
        {"indent": 1},
        {"ensure_ascii": False},
        {"sort_keys": True},
        {"separators": (" ,\t", " : ")},
    ]
)


def dumped(value, form):
    return json.dumps(value, **form).encode("utf-8", "surrogatepass")


class TestColumns:
    @given(st.lists(annotations(odd=False), max_size=12), FORMS)
    def test_results(self, rows, form):
        agrees(dumped(rows, form))

    @given(st.lists(annotations(odd=True), max_size=5), FORMS)
    def test_odd_results(self, rows, form):
        agrees(dumped(rows, form))

    @given(
        st.lists(IMAGES, max_size=4, unique_by=lambda row: str(row.get("id"))),
        st.lists(annotations(odd=False), max_size=6),
        st.lists(
            st.fixed_dictionaries({"id": IDS, "name": st.text()}), max_size=3, unique_by=lambda row: str(row["id"])
        ),
        st.permutations(["images", "annotations", "categories", "info"]),
        FORMS,
    )
    def test_truths(self, images, rows, categories, order, form):
        value = {"images": images, "annotations": rows, "categories": categories, "info": {"images": [1]}}
        agrees(dumped({key: value[key] for key in order}, form))

    def test_templates(self):
        """Records that look alike, and now and then one that does not."""
        rng = random.Random(0)

        def side():
            value = rng.uniform(-5 if rng.random() < 0.1 else 0, 1000)
            widened = float(np.float32(value))  # written with all its digits
            return rng.choice([round(value, rng.randint(0, 6)), widened, int(value), value / 1e9])

        for _ in trials(200):
            keys = ["image_id", "category_id", "id", "bbox", "score", "area", "iscrowd", "note", "segmentation"]
            kinds = [rng.sample(keys, rng.randint(1, 9)) for _ in range(rng.randint(1, 6))]
            rows = []
            for k in range(rng.randint(1, 40)):
                sound = {
                    "image_id": k // 3 * rng.choice([1, 1, 1, 10**5, 10**12]),
                    "category_id": rng.choice([1, 2, 90, "x"]),
                    "id": k * rng.choice([1, 10**9]),
                    "bbox": [side() for _ in range(4)],
                    "score": rng.choice([rng.random(), float(np.float32(rng.random())), 1e-7 * rng.random(), 1]),
                    "area": rng.choice([1e-7, 5, 12.5, 1e22]),
                    "iscrowd": rng.choice([0, 1, False]),
                    "note": rng.choice([None, "a", "},{", [1], 2.5]),
                    "segmentation": rng.choice(
                        [
                            {"size": [480, rng.randint(1, 10**9)], "counts": "71320N4\\" * rng.randint(0, 20)},
                            {"counts": [k, 2, 3], "size": [480.0, 640]},
                            {"size": [1], "counts": []},
                            {"size": [1e3, 2], "deep": {"a": [1, "b"]}},
                            {},
                            [[side() for _ in range(2 * rng.randint(0, 40))] for _ in range(rng.randint(0, 3))],
                        ]
                    ),
                }
                rows.append({key: sound[key] for key in rng.choice(kinds)})
            agrees(json.dumps(rows, separators=rng.choice([(",", ":"), (", ", ": ")])).encode())

    @pytest.mark.parametrize("level", ["baseline", "avx2", "avx512"])
    def test_mutations(self, level):
        """Bytes changed, left out, doubled."""
        rng = random.Random(level)
        rows = [
            {"image_id": 139, "category_id": 51, "score": 0.8627, "bbox": [141.48, 280.42, 29.16, 44.54]},
            {"image_id": 139, "category_id": 1, "score": 0.78481, "bbox": [266.12, 354.76, 139.03, 78.66]},
            {
                "image_id": 285,
                "category_id": 1,
                "score": 0.5,
                "bbox": [1.0, 2.0, 3.0, 4.0],
                "segmentation": [[1, 2, 3, 4, 5, 6]],
            },
        ]
        truth = {
            "images": [{"id": 139, "width": 640, "height": 480, "file_name": "a.jpg"}, {"id": 285}],
            "annotations": [{**row, "id": k, "iscrowd": 0, "area": 5.5} for k, row in enumerate(rows)],
            "categories": [{"id": 1, "name": "é"}, {"id": 51, "name": "b"}],
        }
        seeds = [json.dumps(value, ensure_ascii=False).encode() for value in (rows, truth, rows * 3)]
        alphabet = b'0123456789.-+eE,:[]{}"\\ \n\tntfNIuid_/\x00\x7f\x80\xc3\xed\xf0'
        _native.limit_isa(level)
        try:
            for _ in trials(1500):
                data = bytearray(rng.choice(seeds))
                for _ in range(rng.randint(1, 3)):
                    at = rng.randrange(len(data) + 1)
                    how = rng.randrange(4)
                    if how < 2:
                        data[at : at + how] = bytes([rng.choice(alphabet)])
                    elif how == 2:
                        del data[at : at + rng.randint(1, 5)]
                    else:
                        other = rng.randrange(len(data) + 1)
                        data[at:at] = data[other : other + rng.randint(1, 120)]
                agrees(bytes(data))
        finally:
            _native.limit_isa("avx512")

    @pytest.mark.parametrize(
        "text",
        """0 7 -7 -0 12345678 123456789012 9223372036854775807 -9223372036854775808 9223372036854775808 1.0 1e3 1.5e1
        1e400 12. .5 01 +1 true false null "7" "a" [] [1] {} NaN 0.123456789012345678 1a""".split(),
    )
    def test_numbers_of_a_record(self, text):
        """In the third of records that look alike, and once more behind it: nothing is left from the record before."""
        values = [*"123", text, "4", text, *"56789"]
        for key in "image_id category_id id score area iscrowd ignore height width note segmentation".split():
            rest = {"image_id": 1, "category_id": 2, "score": 0.5} | {key: 0}
            rows = [json.dumps(rest | {key: "?"}).replace('"?"', value) for value in values]
            agrees(f"[{', '.join(rows)}]".encode())  # which tells the bytes

    @pytest.mark.parametrize(
        "text",
        """0 7 12 12. .5 . 1.5.2 1..5 01 00 0.0 00.5 -0 -1.5 +1 1e3 1.e3 1E-2 1234567 1234567. 12345678 0.123456
        0.1234567 1.23456789 123456.7 1234567.8 99999999 NaN Infinity null "1" 1a 1_0""".split(),
    )
    def test_numbers_of_a_box(self, text):
        """In the third of records that look alike: its four numbers are read at once, if they are short and sound."""
        row = '{"image_id": 1, "category_id": 2, "bbox": [%s], "score": 0.5}'
        for place in range(4):
            numbers = ["10.5", "20", "30.25", "100.0"]
            numbers[place] = text
            boxes = ["1, 2, 3, 4", "10.5, 2.5, 3.5, 4.5", ", ".join(numbers), *["5, 6, 7, 8"] * 5]
            agrees(f"[{', '.join(row % box for box in boxes)}]".encode())

    @pytest.mark.parametrize(
        "value",
        [
            [
                {"image_id": 1, "category_id": 2, "bbox": [1, 2.5, 3, 4], "score": 0.5},
                {"image_id": 'a"},{', "x": "é\\"},
            ],
            {"images": [{"id": 1}], "annotations": [{"image_id": 1, "iscrowd": 1}, {"image_id": 1}], "categories": []},
        ],
    )
    def test_cut_at_every_byte(self, value):
        data = json.dumps(value, ensure_ascii=False).encode()
        for length in range(len(data)):
            found = one_answer(data[:length])
            assert found.fault == "end" and found.at == length, length

    def test_long_numbers(self):
        """Of 16 characters and more, with the point at each place, in records that look alike."""
        digits = "9876543210123456789"
        texts = [f"{digits[:at]}.{digits[at:end]}" for end in range(14, 20) for at in range(1, end)]
        record = '{{"image_id": 1, "area": {}, "note": "what follows a number is read with it", "score": 1}}'
        agrees("[{}]".format(", ".join(map(record.format, texts))).encode())

    @pytest.mark.parametrize("digits", [4000, 4300, 4301, 5000, 9000])
    def test_a_number_where_a_record_should_be(self, digits):
        """It is too long, and its first part would not be."""
        found = one_answer(b"[" + b"9" * digits + b"]")
        fault = "number" if digits > 4300 else "not_an_object"
        assert (found.fault, found.at, found.list, found.record) == (fault, 1, "annotations", 0)

    @pytest.mark.parametrize("key", ["area", "score", "iscrowd", "category_id"])
    def test_a_key_unlike_those_before(self, key):
        """One letter of it is another, at each place."""
        record = '{{"image_id":1,"{}":{}}}'.format
        for at in range(len(key)):
            other = f"{key[:at]}x{key[at + 1 :]}"
            rows = [record(key, 1)] * 3 + [record(other, 0)] + [record(key, 1)] * 12
            agrees(f"[{','.join(rows)}]".encode())

    def test_a_field_where_others_have_blanks(self):
        """Records of one length, alike before and behind."""
        for width in range(16, 42):
            blank, field = " " * width, '"score":0.5,'.ljust(width)
            for key in ("area", "category_id"):
                rows = [f'{{"id":1,{between}"{key}":2}}' for between in (*[blank] * 3, field, *[blank] * 6)]
                agrees(f"[{','.join(rows)}]".encode())

    def test_blanks_behind_the_last_record(self):
        """Whole blocks of them, and more text before the list than one block has."""
        rows = json.dumps([{"image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 4]}] * 3)
        for blanks in range(0, 300, 7):
            agrees(f'{{"info": "{"x" * 300}", "annotations": {rows[:-1]}{" " * blanks}]}}'.encode())
            agrees(f'{{"info": "{"x" * 300}", "annotations": {rows[:-1]}{" " * blanks}'.encode())

    def test_seams_inside_strings(self):
        """What looks like the start of a record is none, wherever the blocks are cut."""
        trap = '}, {"image_id": 5, "score": 1, "bbox": [1, 2, 3, 4]}, {'
        rows = [
            {"image_id": k, "note": trap * (k % 4), "list": [{"a": 1}, {"b": 2}], "score": k / 7} for k in range(20)
        ]
        data = json.dumps(rows).encode()
        for block in range(1, 200):
            found = read(np.frombuffer(data, np.uint8), block=block, threads=1 + block % 3)
            assert found.image_ids[found.annotations.image].tolist() == list(range(20))
            assert found.annotations.score.tolist() == [k / 7 for k in range(20)]


class TestManyBlocks:
    """Blocks are read in any order; their rows and ids stand in that of the file."""

    ROWS = [{"image_id": f"i{k % 97}", "category_id": k % 7, "bbox": [k, 1, 2, 3], "id": k} for k in range(2000)]

    @pytest.mark.parametrize("threads", [2, 3, 16])
    def test_equals_one_thread(self, threads):
        late = [{**row, "score": 1 / (1 + k)} for k, row in enumerate(self.ROWS)]  # a column that begins later
        data = np.frombuffer(json.dumps(self.ROWS + late).encode(), np.uint8)
        alone = read(data, threads=1)
        for block in (50, 300, 4000):
            found = read(data, block=block, threads=threads)
            assert found.image_ids.tolist() == alone.image_ids.tolist()
            for name in ("image", "category", "xywh", "id", "score", "given"):
                np.testing.assert_array_equal(getattr(found.annotations, name), getattr(alone.annotations, name))

    def test_slow_first_block(self):
        """Its one record is longer than all the others, which wait for it."""
        first = {"image_id": "first", "category_id": 1, "note": "x" * 50_000}
        data = np.frombuffer(json.dumps([first, *self.ROWS]).encode(), np.uint8)
        for _ in range(20):
            found = read(data, block=500, threads=4)
            assert found.annotations.rows == 2001
            assert found.annotations.xywh[1:, 0].tolist() == list(range(2000))

    @pytest.mark.parametrize("threads", [1, 4, 16])
    def test_first_fault(self, threads):
        rows = [dict(row) for row in self.ROWS]
        rows[1200]["bbox"] = rows[400]["bbox"] = "none"
        found = read(np.frombuffer(json.dumps(rows).encode(), np.uint8), block=300, threads=threads)
        assert (found.record, found.field) == (400, "bbox")


class TestOpenFile:
    """Read through windows, whatever is longer than one."""

    LONG = "x" * 3000
    ROW = {"image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 4], "score": 0.5}

    @pytest.mark.parametrize(
        "value",
        [
            pytest.param([{**ROW, "note": LONG}] * 5, id="records"),
            pytest.param([ROW, {**ROW, "segmentation": [[0.5] * 600]}, ROW], id="a segmentation"),
            pytest.param({"info": [LONG, {"a": LONG}], LONG: 5, "annotations": [ROW] * 9}, id="other keys"),
            pytest.param({"annotations": [ROW], "categories": [{"id": 1, "name": LONG}]}, id="categories"),
            pytest.param({"images": [{"id": 1, "file_name": LONG}], "annotations": [ROW] * 9}, id="names"),
            pytest.param({"annotations": [ROW, {**ROW, "score": LONG}]}, id="a fault at the end"),
            pytest.param([{**ROW, "note": "}, {" * 700}] * 3, id="wrong guesses"),
        ],
    )
    @pytest.mark.parametrize("indent", [None, 700], ids=["dense", "wide"])
    def test_longer_than_a_window(self, value, indent):
        agrees(b" " * 900 + json.dumps(value, indent=indent).encode() + b"\n" * 900)

    @pytest.mark.parametrize("threads", [1, 2])
    def test_shorter_than_it_was_said_to_be(self, threads):
        data = json.dumps([self.ROW] * 50).encode()
        with tempfile.TemporaryFile(buffering=0) as file:
            file.write(data)
            with pytest.raises(EOFError):
                read_open(file.fileno(), len(data) + 1, block=200, threads=threads)

    def test_no_such_descriptor(self):
        with pytest.raises(OSError, match="Bad file descriptor"):
            read_open(1 << 20, 10)


REPEATED = [
    (b'[{"score": 1, "score": 2}]', 2.0),
    (b'[{"score": "x", "score": 2}]', 2.0),
    (b'[{"score": 2, "sc\\u006fre": 3}]', 3.0),
    (b'[{"score": 1, "score": null}]', None),
    (b'{"annotations": [{"score": 1}], "annotations": [{"score": 4}]}', 4.0),
    (b'{"annotations": 7, "annotations": [{"score": 4}]}', 4.0),
    (b'{"annotations": [{"score": "x"}], "annotations": [{"score": 4}]}', 4.0),
    (b'{"annotations": [{"score": 1}], "\\u0061nnotations": [{"score": 5}]}', 5.0),
]


@pytest.mark.parametrize("data, want", REPEATED)
def test_the_last_of_equal_keys_counts(data, want):
    agrees(data)
    score = one_answer(data).annotations.score
    assert (score is None) if want is None else score.tolist() == [want]


NULLS = {
    "image_id": "1", "category_id": "1", "id": '"a"', "bbox": "[1, 2, 3, 4]", "score": "1", "area": "2", "iscrowd": "1",
    "ignore": "1", "segmentation": "[]",
}  # fmt: skip
IMAGE_NULLS = {
    "height": "5", "width": "5", "file_name": '"a"', "neg_category_ids": "[1]", "not_exhaustive_category_ids": "[2]",
}  # fmt: skip


@pytest.mark.parametrize("key", [*NULLS, *IMAGE_NULLS])
def test_null_takes_back_what_was_given(key):
    """A field that is given and then null is as if it had never been there, for Python as well."""
    rows = "[{%s}, {%s}]"
    text = '{"images": [{"id": 1, %s}], "annotations": []}' if key in IMAGE_NULLS else "[{%s}]"
    value = {**NULLS, **IMAGE_NULLS}[key]
    for pair in (f'"{key}": {value}, "{key}": null', f'"{key}": null'):
        agrees((text % pair).encode())
    if key in NULLS:
        agrees((rows % (f'"{key}": {value}', f'"{key}": {value}, "{key}": null')).encode())


FAULTS = [
    (b"", Problem("end", 0, None, None, None, 0)),
    (b"5", Problem("no_table", 0, None, None, None, 0)),
    (b"[1]", Problem("not_an_object", 1, "annotations", 0, None, 0)),
    (b"[{}, 1]", Problem("not_an_object", 5, "annotations", 1, None, 0)),
    (b"[{}] x", Problem("extra", 5, None, None, None, 0)),
    (b"[{}, ]", Problem("character", 5, "annotations", 1, None, 0)),
    (b'[{"score": "x"}]', Problem("not_a_number", 11, "annotations", 0, "score", 0)),
    (b'[{"image_id": 1.5}]', Problem("not_an_id", 14, "annotations", 0, "image_id", 0)),
    (b'[{"image_id": 1e30}]', Problem("too_large", 14, "annotations", 0, "image_id", 0)),
    (b'[{"bbox": [1, 2, 3]}]', Problem("not_a_box", 10, "annotations", 0, "bbox", 3)),
    (b'[{"bbox": 5}]', Problem("not_a_box", 10, "annotations", 0, "bbox", -1)),
    (b'[{"iscrowd": 2}]', Problem("not_a_flag", 13, "annotations", 0, "iscrowd", 0)),
    (b'[{"score": 1}, {"score": 01}]', Problem("character", 26, "annotations", 1, None, 0)),
    (b'{"images": 5}', Problem("not_a_list", 11, "images", None, None, 0)),
    (b'{"images": [{"id": 1}, {"id": 1.0}]}', Problem("repeated", 23, "images", 1, "image_id", 0)),
    (b'{"images": [{"id": 1}, {}]}', Problem("missing", 23, "images", 1, "image_id", -1)),
    (b'{"images": [{"id": 1, "height": "a"}]}', Problem("not_an_integer", 32, "images", 0, "height", 0)),
    (b'{"images": [{"id": 1, "file_name": 5}]}', Problem("not_a_text", 35, "images", 0, "file_name", 0)),
    (
        b'{"images": [{"id": 1, "neg_category_ids": [1, "a"]}]}',
        Problem("not_numbers", 46, "images", 0, "neg_category_ids", 0),
    ),
    (
        b'{"images": [{"id": 1, "not_exhaustive_category_ids": [1, "a"]}]}',
        Problem("not_numbers", 57, "images", 0, "not_exhaustive_category_ids", 0),
    ),
    (b'{"categories": [{"id": "a"}, {"id": "a"}]}', Problem("repeated", 29, "categories", 1, "category_id", 0)),
    (b'[{"a": ' + b"[" * 70, Problem("depth", 69, "annotations", 0, None, 0)),
    (b'[{"a": "\xff"}]', Problem("utf8", 8, "annotations", 0, None, 0)),
]


@pytest.mark.parametrize("data, want", FAULTS)
def test_faults(data, want):
    assert one_answer(data) == want
