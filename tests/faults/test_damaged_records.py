"""Records whose checksums are right and whose content is not: what cannot be is refused when they are read."""

import copy
import dataclasses
import functools
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from record_bytes import MAGIC, blocks_of, bytes_of
from scenes import Traits, datasets, job
from vesica.detection import Records, merge, records_of, summarise
from vesica.detection.protocol import Protocol
from vesica.errors import InputError


@functools.cache
def sound(**options):
    """Header and columns of records that are right."""
    truth, results = job(np.random.default_rng(0), Traits(images=6, strangers=True, ignores=True))
    data = records_of(*datasets(truth, results), **options).to_bytes()
    blocks = blocks_of(data)
    header = json.loads(blocks[0])
    listed = zip(header.pop("columns"), blocks[1:], strict=True)
    return header, {name: np.frombuffer(block, kind).reshape(shape) for (name, kind, shape), block in listed}


def written(header, columns):
    """Bytes with checksums that are right."""
    listed = [[name, column.dtype.str, list(column.shape)] for name, column in columns.items()]
    text = json.dumps({**header, "columns": listed}).encode()
    blocks = [text, *(np.ascontiguousarray(column).tobytes() for column in columns.values())]
    return bytes_of(blocks)


def signed(header):
    """The header with the digest that fits its protocol."""
    fields = header["protocol"]
    try:
        return {**header, "digest": Protocol.from_dict(fields).digest}
    except (TypeError, AttributeError):
        return header


def put(column, place, value):
    changed = column.copy()
    changed[place] = value
    return changed


def swapped(column, i, j):
    return put(column, [i, j], column[[j, i]])


def test_written_as_read():
    """What is not changed is not refused."""
    for options in ({}, {"iou": (0.5, 0.75)}, {"max_dets": 3}, {"by_class": False}, {"quirks": "pycocotools"}):
        header, columns = sound(**options)
        records = Records.from_bytes(written(signed(header), columns))
        assert summarise(records).summary.keys()


def test_more_numbers_than_there_is_memory_for():
    """A header may multiply its lists: the room is told before it is made."""
    header, columns = sound()
    many = [k / 3000 for k in range(3001)]
    protocol = {**header["protocol"], "recalls": many, "iou": many[1:], "max_dets": list(range(1, 101))}
    lanes = len(many[1:]) * len(protocol["areas"])
    empty = {name: column[:0] for name, column in columns.items()}
    empty |= {"starts": np.zeros_like(columns["starts"]), "counted": columns["counted"][:0]}
    empty |= {name: np.zeros((0, -(-lanes // 8)), np.uint8) for name in ("matched", "ignored")}
    data = written(signed({**header, "protocol": protocol}), empty)
    assert len(data) < 200_000
    with pytest.raises(
        InputError, match=r"3000 thresholds, .*, 3001 recalls, .* make [0-9,]+ precisions; at most 268,435,456"
    ):
        Records.from_bytes(data)


def test_a_header_larger_than_any(monkeypatch):
    header, columns = sound()
    data = written(header, columns)
    monkeypatch.setattr("vesica._check.container.MOST_OF_A_HEADER", len(blocks_of(data)[0]) - 1)
    with pytest.raises(InputError, match="These records have a header of [0-9,]+ bytes; at most [0-9,]+ are read"):
        Records.from_bytes(data)


def test_nothing_behind_the_magic():
    with pytest.raises(InputError, match="These records end in the middle"):
        Records.from_bytes(MAGIC)


def long_cell(columns):
    """The first row of a cell with two guesses of different scores."""
    ends = np.cumsum(columns["guesses"])
    starts = ends - columns["guesses"]
    score = columns["score"]
    return next(int(s) for s, e in zip(starts, ends, strict=True) if e - s > 1 and score[s] > score[s + 1])


@pytest.mark.parametrize(
    "column, change, rule",
    [
        ("score", lambda c: put(c["score"], 0, np.nan), "`score` must be finite"),
        ("score", lambda c: put(c["score"], 0, np.inf), "`score` must be finite"),
        ("score", lambda c: c["score"].astype(np.float16), "`score` must be of kind"),
        ("score", lambda c: c["score"].astype(">f8"), "`score` must be of kind"),
        ("score", lambda c: swapped(c["score"], long_cell(c), long_cell(c) + 1), "must not rise within a cell"),
        ("image", lambda c: swapped(c["image"], 0, 1), "`image` must rise within a category"),
        ("image", lambda c: put(c["image"], 1, c["image"][0]), "`image` must rise within a category"),
        ("image", lambda c: put(c["image"], -1, 6), "`image` must be below 6"),
        ("image", lambda c: c["image"].astype(">i4"), "`image` must be of kind"),
        ("starts", lambda c: c["starts"].astype(">i8"), "`starts` must be of kind"),
        ("guesses", lambda c: put(c["guesses"], 0, -1), "`guesses` must be from 0"),
        ("guesses", lambda c: put(c["guesses"], 0, 101), "`guesses` must be from 0 to 100"),
        ("guesses", lambda c: put(c["guesses"], 0, c["guesses"][0] + 1), "must add up to"),
        ("counted", lambda c: np.full_like(c["counted"], 2**31 - 1), "must add up to"),
        ("counted", lambda c: np.zeros_like(c["counted"]), "must not find more truths"),
        ("matched", lambda c: np.full_like(c["matched"], 255), "must not find more truths"),
        ("matched", lambda c: c["matched"].view(np.int8), "`matched` must be of kind"),
    ],
)
def test_columns(column, change, rule):
    header, columns = sound()
    with pytest.raises(InputError, match=rule):
        Records.from_bytes(written(header, {**columns, column: change(columns)}))


def test_more_found_than_there_are_with_quirks():
    """pycocotools' quirks find fewer truths, and none twice: no recall is above 1."""
    header, columns = sound(quirks="pycocotools")
    with pytest.raises(InputError, match="must not find more truths"):
        Records.from_bytes(written(header, {**columns, "matched": np.full_like(columns["matched"], 255)}))


@pytest.mark.parametrize("name", ["matched", "ignored"])
def test_lanes_that_are_not_there(name):
    header, columns = sound(iou=(0.5,))
    with pytest.raises(InputError, match=f"`{name}` must have 4 lanes"):
        Records.from_bytes(written(header, {**columns, name: columns[name] | np.uint8(16)}))


@pytest.mark.parametrize(
    "field, value",
    [
        *(("iou", value) for value in ([], [2.0], ["0.5"], [None], [0.5, 0.5], 0.5, {}, [[0.5]], [float("nan")])),
        *(("areas", value) for value in ([], [["all"]], [["all", 0]], [["all", 9, 1]], [["a", 0, 1], ["a", 0, 1]], 3)),
        *(("max_dets", value) for value in ([], [0], [1.5], [100, 1], ["1"], [2**31], [2**70], [None], 100)),
        *(("recalls", value) for value in ([], [2.0], [1.0, 0.5], ["0"], [float("nan")], 0.5, None)),
        *(("by_class", value) for value in (1, None, "yes")),
        *(("strict", value) for value in (0, None, [])),
        *(("regions", value) for value in ("circle", None, 1, ["box"])),
        *(("quirks", value) for value in ("lvis", 1, [], {})),
        *(("name", value) for value in ("voc12", None, 3, [], {})),
        ("colour", "red"),
    ],
)
def test_protocol(field, value):
    header, columns = sound()
    header = signed({**header, "protocol": {**header["protocol"], field: value}})
    with pytest.raises(InputError, match=r"^These records "):
        Records.from_bytes(written(header, columns))


@pytest.mark.parametrize(
    "key, change",
    [
        ("images", lambda ids: ids[::-1]),
        ("images", lambda ids: [*ids[:-1], ids[0]]),
        ("images", lambda ids: [*ids[:-1], 1.5]),
        ("images", lambda ids: [*ids[:-1], None]),
        ("images", lambda ids: [*ids[:-1], True]),
        ("images", lambda ids: [*ids[:-1], [1]]),
        ("images", lambda ids: ids[:-1]),
        ("images", lambda ids: dict.fromkeys(map(str, ids))),
        ("images", lambda ids: "abcdef"),
        ("images", lambda ids: 6),
        ("categories", lambda table: {**table, "ids": table["ids"][::-1]}),
        ("categories", lambda table: {**table, "ids": [table["ids"][0]] * len(table["ids"])}),
        ("categories", lambda table: {**table, "ids": None}),
        ("categories", lambda table: {**table, "names": ["one"]}),
        ("categories", lambda table: {**table, "names": [[]] * len(table["ids"])}),
        ("categories", lambda table: {**table, "frequency": ["f"]}),
        ("categories", lambda table: {**table, "parents": 3}),
        ("categories", lambda table: {**table, "colours": None}),
        ("categories", lambda table: []),
        ("notes", lambda notes: [{"rule": 1, "count": 1, "text": "?"}]),
        ("notes", lambda notes: [{"rule": "Q1", "count": -1, "text": "?"}]),
        ("notes", lambda notes: [{"rule": "Q1", "count": "many", "text": "?"}]),
        ("notes", lambda notes: [{"rule": "Q1", "count": 1}]),
        ("notes", lambda notes: [3]),
        ("notes", lambda notes: 3),
        ("version", lambda version: True),
        ("version", lambda version: 1.0),
        ("digest", lambda digest: None),
    ],
)
def test_header(key, change):
    header, columns = sound()
    with pytest.raises(InputError, match=r"^These records "):
        Records.from_bytes(written({**header, key: change(header[key])}, columns))


def test_header_of_another_kind():
    for text in (b"", b"[]", b"3", b"null", b'"text"', b"[" * 100_000, b"\xff", b'{"version": 1, "columns": {"a": 1}}'):
        with pytest.raises(InputError, match=r"^These records "):
            Records.from_bytes(bytes_of([text]))


def test_a_column_twice():
    header, columns = sound()
    data = written(header, columns)
    score = columns["score"].tobytes()
    text = json.loads(data[len(MAGIC) + 12 : data.index(b"]}", len(MAGIC)) + 2])
    text["columns"].append(next(entry for entry in text["columns"] if entry[0] == "score"))
    blocks = [
        json.dumps(text).encode(),
        *(np.ascontiguousarray(column).tobytes() for column in columns.values()),
        score,
    ]
    twice = bytes_of(blocks)
    with pytest.raises(InputError, match=r"^These records "):
        Records.from_bytes(twice)


def test_large_ids_come_back():
    """Beyond 64 bits an id is an object, as texts are."""
    header, columns = sound()
    ids = [*header["images"][:-1], 2**63, "a"][-6:]
    records = Records.from_bytes(written({**header, "images": ids}, columns))
    assert records.images.tolist() == ids
    assert Records.from_bytes(records.to_bytes()).to_bytes() == records.to_bytes()


def leaves(value, path=()):
    """Where the values of a header stand."""
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(leaf for key, child in children for leaf in leaves(child, (*path, key)))]


ANYTHING = st.one_of(
    st.none(),
    st.booleans(),
    st.sampled_from([0, 1, -1, 5, 100, 2**31, 2**63, 2**70, 0.5, -0.0, 1e300, float("nan"), float("inf")]),
    st.sampled_from(["", "box", "mask", "coco", "voc", "all", "pycocotools", "\0"]),
    st.sampled_from([[], {}, [0], [[]], [0.5, 0.6], {"ids": []}]),
)


@given(data=st.data(), options=st.sampled_from([{}, {"iou": (0.5, 0.75)}, {"quirks": "pycocotools"}]))
def test_any_damage(data, options):
    """Whatever stands in the bytes: it is refused at the door, or all that records can do can be done."""
    header, columns = sound(**options)
    header, columns = copy.deepcopy(header), dict(columns)
    if data.draw(st.booleans(), "damage the header"):
        *way, last = data.draw(st.sampled_from(leaves(header)[1:]), "place")
        functools.reduce(lambda value, key: value[key], way, header)[last] = data.draw(ANYTHING, "value")
        header = signed(header) if isinstance(header.get("protocol"), dict) else header
    else:
        name = data.draw(st.sampled_from(sorted(columns)), "column")
        flat = columns[name].copy().reshape(-1)
        at = data.draw(st.integers(0, flat.size - 1), "row")
        if flat.dtype.kind == "f":
            flat[at] = data.draw(st.floats(width=32), "value")
        else:
            low, high = np.iinfo(flat.dtype).min, np.iinfo(flat.dtype).max
            near = st.integers(int(flat[at]) - 2, int(flat[at]) + 2).map(lambda n: min(max(n, int(low)), int(high)))
            flat[at] = data.draw(st.one_of(near, st.integers(int(low), int(high))), "value")
        columns[name] = flat.reshape(columns[name].shape)
    try:
        records = Records.from_bytes(written(header, columns))
    except InputError:
        return
    result = summarise(records)
    result.to_json(), str(result), result.precision, result.scores, result.per_class()
    lanes = {"area": records.protocol.areas[0][0]}
    result.curve(**lanes), result.counts(**lanes)
    assert Records.from_bytes(records.to_bytes()).to_bytes() == records.to_bytes()
    assert len(merge(records, dataclasses.replace(records, images=records.images[:0], **nothing(records)))) == len(
        records
    )


def nothing(records):
    """Columns of records without images."""
    empty = {
        name: getattr(records, name)[:0] for name in ("image", "guesses", "counted", "score", "matched", "ignored")
    }
    return {**empty, "starts": np.zeros_like(records.starts)}
