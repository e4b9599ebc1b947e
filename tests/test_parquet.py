"""Parquet and Arrow: everything a data set has comes back, and tables of other tools are read as they are."""

import contextlib
import decimal
import functools
import json
import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vesica
from samples import drawn, made, same
from vesica import Dataset
from vesica.dataset.ids import rising
from vesica.errors import InputError
from vesica.io.ipc_sizes import unpacked

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def in_order(data):
    """The same with images by rising id, and rows by image: as files have them."""
    ids, rank = rising(data.images.ids)
    order = np.argsort(rank)
    columns = {
        name: None if getattr(data.images, name) is None else getattr(data.images, name)[order]
        for name in ("height", "width", "names", "group", "batch")
    }
    rows = np.argsort(rank[data.image], kind="stable")
    chosen = data.rows(rows)
    images = replace(data.images, ids=ids, **columns)
    asked = data.assignments
    if asked is not None:
        by_image = np.argsort(rank[asked.image], kind="stable")
        asked = replace(
            asked,
            image=rank[asked.image][by_image].astype(np.int64),
            annotator=asked.annotator[by_image],
            round=None if asked.round is None else asked.round[by_image],
            date=None if asked.date is None else asked.date[by_image],
        )
    image = rank[chosen.image].astype(np.int64)
    return replace(chosen, images=images, image=image, assignments=asked, source=None, record=None)


def plain(data):
    """The same with places as int64, whatever width they were found in."""
    return replace(data, image=data.image.astype(np.int64), category=data.category.astype(np.int64))


def whole(strings):
    data = made(strings=strings, scores=True)
    rng = np.random.default_rng(1)
    rows, count = len(data), len(data.images)
    images = replace(
        data.images,
        names=np.array([f"a/{k}.jpg" if k % 2 else None for k in range(count)], object),
        group=np.array([f"g{k % 3}" for k in range(count)], object),
    )
    return replace(
        data,
        images=images,
        area=np.where(rng.random(rows) < 0.3, np.nan, rng.random(rows)),
        crowd=rng.random(rows) < 0.2,
        ignore=rng.random(rows) < 0.2,
        id=np.arange(rows)[::-1].copy(),
        attributes=np.array([{"seen": k} if k % 2 else None for k in range(rows)], object),
    )


class TestRoundTrip:
    @pytest.mark.parametrize("ending", ["parquet", "arrow", "parquet.gz"])
    @pytest.mark.parametrize(
        "data",
        [
            made(),
            made(strings=True),
            made(rows=0),
            made(sizes=False),
            whole(False),
            whole(True),
            replace(made(), id=np.array([*range(39), "x"], object)),
            drawn(3, kinds=("box", "turned")),
            drawn(4, kinds=("polygon", "mask")),
            drawn(5, kinds=("mask",), scores=True),
            drawn(6, people=("ann", "ben", 7)),
        ],
        ids=["plain", "strings", "no rows", "no sizes", "whole", "whole, strings", "mixed ids", "rotated", "masks",
             "masks of guesses", "people"],
    )  # fmt: skip
    def test_everything_comes_back(self, data, ending):
        assert vesica.write(f"t.{ending}", data) == ()
        same(plain(vesica.read(f"t.{ending}")), plain(in_order(data)))

    def test_equal_bytes(self):
        vesica.write("a.parquet", whole(True))
        vesica.write("b.parquet", whole(True))
        assert Path("a.parquet").read_bytes() == Path("b.parquet").read_bytes()

    def test_of_lvis(self):
        data = made()
        lists = vesica.dataset.Ragged(np.array([1, 7, 3]), np.array([0, 1, 1, 1, 1, 3, 3, 3, 3, 3]))
        data = replace(data, images=replace(data.images, absent=lists))
        vesica.write("t.parquet", data)
        back = vesica.read("t.parquet")
        found = {
            one: back.images.absent.values[slice(*back.images.absent.offsets[k : k + 2])].tolist()
            for k, one in enumerate(back.images.ids.tolist())
        }
        assert {key: value for key, value in found.items() if value} == {3: [1], 9_000_000_001: [7, 3]}

    def test_without_masks(self):
        vesica.write("t.parquet", drawn(4, kinds=("box", "mask")))
        assert vesica.read("t.parquet", masks=False).segments is None

    def test_boxes_are_not_copied(self):
        table = made().to_arrow()
        column = table.column("truth").chunk(0).values.field("box").values
        found = Dataset.from_arrow(table)
        assert found.xywh.base is not None and not found.xywh.flags.writeable
        assert np.shares_memory(found.xywh, column.to_numpy())

    def test_scores_are_those_of_json(self):
        truth, guess = made(), made(scores=True)
        truth = replace(truth, area=truth.xywh[:, 2] * truth.xywh[:, 3])
        for name, data in (("truth", truth), ("guess", guess)):
            vesica.write(f"{name}.json", data)
            vesica.write(f"{name}.parquet", data)
        wanted = vesica.evaluate("truth.json", "guess.json")
        assert wanted["AP"] > 0.5
        assert vesica.evaluate("truth.parquet", "guess.parquet").to_json() == wanted.to_json()


class TestParts:
    def parts(self):
        data = made(scores=True, strings=True)
        for k, keep in enumerate((data.image < 3, data.image >= 3)):
            rows = data.rows(keep)
            some = np.arange(3) if k == 0 else np.arange(3, len(data.images))
            columns = {name: getattr(data.images, name)[some] for name in ("height", "width")}
            images = vesica.dataset.Images(data.images.ids[some], **columns)
            vesica.write(f"part-{k}.parquet", replace(rows, images=images, image=rows.image - int(some[0])))
        return data

    @pytest.mark.parametrize("path", ["part-*.parquet", "."])
    def test_as_one(self, path):
        data = self.parts()
        back = in_order(vesica.read(path))
        same(plain(back), plain(in_order(data)))

    def test_frequency_of_categories_stays(self):
        count = len(self.parts().categories)
        for k in range(2):
            part = vesica.read(f"part-{k}.parquet")
            frequency = np.array(["r", *"c" * (count - 1)], object)
            parents = np.array([f"p{one}" for one in range(count)], object)
            kinds = replace(part.categories, frequency=frequency, parents=parents)
            vesica.write(f"part-{k}.parquet", replace(part, categories=kinds))
        found = vesica.read("part-*.parquet").categories
        assert found.frequency.tolist() == ["r", *"c" * (count - 1)] and found.parents.tolist()[:2] == ["p0", "p1"]
        kinds = replace(vesica.read("part-1.parquet").categories, frequency=np.array(["f"] * count, object))
        vesica.write("part-1.parquet", replace(vesica.read("part-1.parquet"), categories=kinds))
        with pytest.raises(InputError, match="has the frequency"):
            vesica.read("part-*.parquet")

    def test_an_image_in_two_parts(self):
        self.parts()
        Path("part-2.parquet").write_bytes(Path("part-0.parquet").read_bytes())
        with pytest.raises(InputError, match=r"part-0\.parquet and part-2\.parquet both have image"):
            vesica.read("part-*.parquet")

    def test_other_categories_under_one_id(self):
        self.parts()
        other = made(scores=True, strings=True, seed=5)
        other = replace(other, images=vesica.dataset.Images(np.arange(100, 109)))
        names = other.categories.names.copy()
        names[0] = "horse"
        vesica.write("part-3.parquet", replace(other, categories=replace(other.categories, names=names)))
        with pytest.raises(InputError, match=r"c0.*horse|horse.*c0"):
            vesica.read("part-*.parquet")


def both():
    """One file with truths and guesses."""
    truth, guess = made().to_arrow(), made(scores=True, seed=1).to_arrow()
    return truth.append_column("guess", guess.column("guess"))


class TestTwoSides:
    def test_evaluate(self):
        pq.write_table(both(), "both.parquet")
        wanted = vesica.evaluate(made(), made(scores=True, seed=1))
        found = vesica.evaluate("both.parquet", "both.parquet", check=False)
        assert found.to_json() == wanted.to_json()

    def test_read(self):
        pq.write_table(both(), "both.parquet")
        assert vesica.read("both.parquet").score is None
        assert vesica.read("both.parquet", predictions=True).score is not None

    def test_from_arrow_asks_which(self):
        with pytest.raises(ValueError, match=r"The table has truth and guess\. Say which: side='truth'"):
            Dataset.from_arrow(both())
        assert Dataset.from_arrow(both(), side="guess").score is not None
        with pytest.raises(ValueError, match="`side` must be a column of the table; got 'objects'"):
            Dataset.from_arrow(both(), side="objects")


HUGGING = {
    "image_id": [15, 4],
    "width": [943, 964],
    "height": [663, 640],
    "objects": [
        {"id": [114, 115], "area": [3796, 1596], "bbox": [[302.0, 109.0, 73.0, 52.0], [810.0, 100.0, 57.0, 28.0]],
         "category": [1, 0]},
        {"id": [], "area": [], "bbox": [], "category": []},
    ],
}  # fmt: skip
FEATURES = {
    "objects": {
        "feature": {"bbox": {}, "category": {"names": ["Coverall", "Gloves"], "_type": "ClassLabel"}},
        "_type": "Sequence",
    }
}


class TestHuggingFace:
    def table(self, facts=None):
        facts = {"info": {"features": FEATURES}} if facts is None else facts
        return pa.table(HUGGING).replace_schema_metadata({"huggingface": json.dumps(facts)})

    def test_objects(self):
        pq.write_table(self.table(), "train.parquet")
        data = vesica.read("train.parquet", boxes="xywh")
        assert data.xywh.tolist() == HUGGING["objects"][0]["bbox"] and data.images.ids.tolist() == [15, 4]
        assert data.categories.names[data.category].tolist() == ["Gloves", "Coverall"]
        assert data.images.sizes.tolist() == [[663, 943], [640, 964]] and data.area.tolist() == [3796, 1596]

    def test_list_of_structs(self):
        rows = [[{"bbox": [0.0, 0.0, 4.0, 4.0], "category": 1}], []]
        data = Dataset.from_arrow(pa.table({"image_id": ["a", "b"], "objects": rows}), form="xyxy")
        assert data.boxes.xyxy.tolist() == [[0, 0, 4, 4]] and len(data.images) == 2

    def test_the_form_must_be_said(self):
        pq.write_table(self.table(), "train.parquet")
        with pytest.raises(InputError, match=r"train\.parquet: Nothing says what the four numbers of `bbox` mean"):
            vesica.read("train.parquet")

    def test_lists_of_other_lengths(self):
        broken = json.loads(json.dumps(HUGGING))
        broken["objects"][0]["category"] = [1]
        with pytest.raises(ValueError, match=r"row 0 \(image 15\) `category` has 1, and others 2"):
            Dataset.from_arrow(pa.table(broken), form="xywh")

    @pytest.mark.parametrize(
        "segmentation",
        [
            [[[0.0, 0, 4, 0, 4, 4, 0, 4]], [[1.0, 1, 3, 1, 3, 3]]],
            ["[[0, 0, 4, 0, 4, 4, 0, 4]]", "[[1, 1, 3, 1, 3, 3]]"],
            [{"size": [9, 9], "counts": [0, 4, 77]}, {"size": [9, 9], "counts": [9, 2, 70]}],
            [{"size": [9, 9], "counts": b"04]2"}, {"size": [9, 9], "counts": b"92V2"}],
        ],
        ids=["polygons", "json", "counts", "compressed"],
    )
    def test_segmentation(self, segmentation):
        rows = [{"segmentation": one, "category": 1} for one in segmentation]
        table = pa.table({"image_id": [1], "height": [9], "width": [9], "objects": pa.array([rows])})
        data = Dataset.from_arrow(table)
        found = data.segments.sized(data.images.sizes[data.image]).to_rle()
        wanted = [json.loads(one) if isinstance(one, str) else one for one in segmentation]
        if isinstance(wanted[0], dict):
            assert found.to_coco() == vesica.RleMasks.from_coco(wanted).to_coco()
        else:
            assert found.to_strings() == vesica.Polygons(wanted, rule="coco").to_rle((9, 9)).to_strings()

    @pytest.mark.parametrize("facts", [{}, {"info": 3}, {"info": {"features": {"objects": []}}}])
    def test_without_class_labels(self, facts):
        assert Dataset.from_arrow(self.table(facts), form="xywh").categories.names is None


FLAT = {
    "image_id": [7, 7, 9], "category": ["cat", "dog", "cat"], "score": [0.5, 0.25, 1.0],
    "x1": [0.0, 1, 2], "y1": [0.0, 1, 2], "x2": [4.0, 5, 6], "y2": [4.0, 5, 6],
}  # fmt: skip


class Stream:
    """Something that is a table by its protocol alone, as frames of polars and relations of DuckDB are."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


class TestRowsOfObjects:
    @pytest.mark.parametrize("wrap", [lambda table: table, Stream, lambda table: table.to_pandas()],
                             ids=["arrow", "stream", "pandas"])  # fmt: skip
    def test_columns_as_of_csv(self, wrap):
        data = Dataset.from_arrow(wrap(pa.table(FLAT)))
        assert data.boxes.xyxy.tolist() == [[0, 0, 4, 4], [1, 1, 5, 5], [2, 2, 6, 6]]
        assert data.images.ids.tolist() == [7, 9] and data.categories.names.tolist() == ["cat", "dog"]
        assert data.score.tolist() == [0.5, 0.25, 1.0]

    def test_same_as_csv(self):
        pq.write_table(pa.table(FLAT), "t.parquet")
        lines = [",".join(FLAT), *(",".join(map(str, row)) for row in zip(*FLAT.values(), strict=True))]
        Path("t.csv").write_text("\n".join(lines))
        same(plain(vesica.read("t.parquet")), plain(vesica.read("t.csv")))

    def test_decimals_and_dictionaries(self):
        tenths = pa.array([decimal.Decimal("0.5"), decimal.Decimal("0.2"), decimal.Decimal("1.0")])
        ids = pa.array([7, 7, 9], pa.decimal128(38, 0))  # as a sum in DuckDB
        table = pa.table(FLAT | {"score": tenths.dictionary_encode(), "image_id": ids})
        data = Dataset.from_arrow(table)
        assert data.score.tolist() == [0.5, 0.2, 1.0] and data.images.ids.tolist() == [7, 9]

    def test_two_columns_of_one_name(self):
        table = pa.table([*FLAT.values(), [1, 2, 3]], names=[*FLAT, "category"])
        with pytest.raises(ValueError, match="Two columns are called the same: 'category' and 'category'"):
            Dataset.from_arrow(table)

    def test_a_list_of_four(self):
        table = pa.table({"image_id": [7], "bbox": [[0.0, 0, 2, 3]], "label": [1]})
        assert Dataset.from_arrow(table, form="xywh").xywh.tolist() == [[0, 0, 2, 3]]

    @pytest.mark.parametrize(
        "change, message",
        [
            ({"x1": None}, "x1, y1, x2, y2, or x, y, w, h"),
            ({"image_id": None}, "must have a row for each image, with image_id"),
            ({"score": [0.5, None, 1.0]}, r"`score` must not be null; it is in row 1 \(image 7\)"),
            ({"score": ["a", "b", "c"]}, "`score` must be numbers; got a column of string"),
            ({"category": [1.5, 2, 3]}, "`category`"),
            ({"x1": [float("nan"), 1, 2]}, "finite"),
            ({"x1": [9.0, 1, 2]}, "row 0"),
            ({"image_id": [[1], [2], [3]]}, "must be integers or strings; got a column of list"),
            ({"image_id": [None, 1, 2]}, "`image_id` must not be null; it is in row 0"),
            ({"Category": ["a", "b", "c"]}, "Two columns are called the same: 'category' and 'Category'"),
            ({"iscrowd": [0.5, 0, 0]}, "`crowd` must be booleans, or 0 and 1; got 0.5"),
        ],
    )
    def test_bad(self, change, message):
        columns = {name: column for name, column in (FLAT | change).items() if column is not None}
        with pytest.raises((ValueError, TypeError), match=message):
            Dataset.from_arrow(pa.table(columns))

    def test_no_table(self):
        with pytest.raises(TypeError, match="`table` must be a pyarrow.Table, or something with __arrow_c_stream__"):
            Dataset.from_arrow([[0, 0, 4, 4]])


class TestBroken:
    @pytest.mark.parametrize(
        "change, message",
        [
            (lambda row: row | {"box": None}, r"`box` must not be null; it is in row 0 \(image 7\)"),
            (lambda row: row | {"box": [0.0, 0.0, -1.0, 4.0]}, "row 0"),
            (lambda row: row | {"category": None}, "`category` must not be null"),
            (lambda row: row | {"category": "cow"}, "cow"),
            (lambda row: row | {"flags": 9}, "`flags` must be 0 to 3.*got 9 in row 0"),
            (lambda row: row | {"attributes": "[1]"}, "`attributes` must be a JSON object; got .* in row 0"),
            (lambda row: None, "`truth` must not be null; it is in row 0"),
            (lambda row: row | {"flags": 1.5}, r"`flags` must be whole numbers; got 1.5 in row 0 \(image 7\)"),
            (lambda row: row | {"rle": [1, 2]}, "`rle` must be masks as COCO has them.* Got a column of list"),
            (
                lambda row: row | {"rle": "04", "size": [-4, 4]},
                r"`size` must be the height.*got \[-4.0, 4.0\]",
            ),
            (
                lambda row: row | {"rle": "04", "size": [4.5, 4]},
                r"`size` must be the height.*got \[4.5, 4.0\]",
            ),
        ],
    )
    def test_objects(self, change, message):
        row = {"category": "cat", "box": [0.0, 0.0, 4.0, 4.0], "flags": 0, "attributes": "{}"}
        facts = {"version": 1, "boxes": "xywh", "categories": {"ids": ["cat"]}}
        rows = pa.array([[change(row), row]])
        table = pa.table({"image_id": [7], "truth": rows}).replace_schema_metadata({"vesica": json.dumps(facts)})
        pq.write_table(table, "t.parquet")
        with pytest.raises(InputError, match=rf"t\.parquet: .*{message}"):
            vesica.read("t.parquet")

    @pytest.mark.parametrize(
        "facts, message",
        [
            (b"{", "is no JSON"),
            (b"[]", "must be of version 1; got"),
            (b'{"version": 2}', "must be of version 1; got 2"),
            (b'{"version": 1, "categories": 3}', "must have a table `categories`"),
            (b'{"version": 1, "categories": {"ids": [1, 1]}}', "twice|repeat|categories"),
            (b'{"version": 1, "categories": {"ids": [1], "names": []}}', "must have a table `categories`"),
            (b'{"version": 1, "categories": {"ids": [1], "names": 5}}', "must have a table `categories`"),
            (b'{"version": 1, "categories": {"ids": [1], "names": [[1]]}}', "must have a table `categories`"),
            (b"[" * 100_000, "is no JSON"),
            (b'{"version": 1, "boxes": "xxyy", "categories": {"ids": ["cat"]}}', "xxyy"),
        ],
    )
    def test_metadata(self, facts, message):
        table = pa.table({"image_id": [7], "truth": [[{"category": "cat", "box": [0.0, 0, 4, 4]}]]})
        pq.write_table(table.replace_schema_metadata({b"vesica": facts}), "t.parquet")
        with pytest.raises(InputError, match=message):
            vesica.read("t.parquet")

    @pytest.mark.parametrize(
        "change, message",
        [
            ({"width": [640.5]}, r"`width` must be whole numbers; got 640.5 in row 0 \(image 7\)"),
            ({"width": [float("inf")]}, "`width` must be whole numbers; got inf"),
            ({"asked": [[{"who": "ann"}]]}, "`asked` must have `annotator`; it has"),
        ],
    )
    def test_images(self, change, message):
        row = {"category": "cat", "box": [0.0, 0.0, 4.0, 4.0], "annotator": "ann"}
        columns = {"image_id": [7], "truth": pa.array([[row]]), "width": [640], "height": [480]}
        with pytest.raises(ValueError, match=message):
            Dataset.from_arrow(pa.table(columns | change), form="xywh")

    def test_an_image_twice(self):
        table = made().to_arrow()
        pq.write_table(pa.concat_tables([table, table]), "t.parquet")
        with pytest.raises(InputError, match=r"t\.parquet: .*image_id"):
            vesica.read("t.parquet")

    @pytest.mark.parametrize("form", ["parquet", "arrow"])
    @given(st.integers(0, 10**9), st.integers(0, 255), st.booleans())
    def test_damaged_bytes(self, form, place, value, is_cut):
        """Lengths and offsets of Arrow's own forms are believed by its reader, and so they are looked at."""
        content = bytearray(_content() if form == "parquet" else _arrow_content())
        if is_cut:
            content = content[: place % len(content)]
        else:
            content[place % len(content)] = value
        Path(f"damaged.{form}").write_bytes(content)
        with contextlib.suppress(InputError):
            vesica.read(f"damaged.{form}", format=form)

    def test_the_form_contradicts(self):
        vesica.write("t.parquet", made())
        with pytest.raises(InputError, match="says that its boxes are xywh; got form='xyxy'"):
            vesica.read("t.parquet", boxes="xyxy")


def _content(cached=[]):  # noqa: B006
    if not cached:
        vesica.write("sound.parquet", whole(True))
        cached.append(Path("sound.parquet").read_bytes())
    return cached[0]


class TestProjection:
    """Where masks are not compared, their columns are not even read: here they are broken, and nobody notices."""

    @pytest.fixture
    def broken(self, tmp_path):
        rng = np.random.default_rng(0)
        boxes = np.concatenate([rng.uniform(0, 60, (30, 2)), rng.uniform(4, 30, (30, 2))], 1).round(1)
        drawn = [[[x, y, x + w, y, x + w, y + h, x, y + h]] for x, y, w, h in boxes.tolist()]
        tables = {"form": "xywh", "image": np.arange(30) // 3, "category": [1] * 30, "sizes": (100, 100)}
        truth = Dataset.from_arrays(boxes, masks=drawn, **tables)
        guess = Dataset.from_arrays(boxes + 1, masks=drawn, score=rng.random(30), **tables)
        table = truth.to_arrow().append_column("guess", guess.to_arrow().column("guess"))
        table = table.append_column("image", pa.array([{"bytes": b"\xff" * 999, "path": "x"}] * 10))
        path = tmp_path / "part.parquet"
        pq.write_table(table, path, compression="zstd")
        data, spoilt = bytearray(path.read_bytes()), []
        group = pq.ParquetFile(path).metadata.row_group(0)
        for k in range(group.num_columns):
            column = group.column(k)
            if {"polygons", "rle", "size", "bytes"} & {*column.path_in_schema.split(".")}:
                begin = column.dictionary_page_offset or column.data_page_offset
                data[begin : begin + column.total_compressed_size] = b"\x00" * column.total_compressed_size
                spoilt.append(column.path_in_schema.split(".")[0])
        assert {*spoilt} == {"truth", "guess", "image"}
        path.write_bytes(data)
        return path, truth, guess

    def test_scores(self, broken):
        path, truth, guess = broken
        want = vesica.evaluate(truth, guess).to_json()
        assert vesica.evaluate(path, path).to_json() == want
        assert vesica.scale.evaluate(path).to_json() == want
        assert vesica.scale.evaluate(path, path).to_json() == want

    def test_reading(self, broken):
        path, truth, _ = broken
        found = vesica.read(path, masks=False)
        assert found.segments is None and np.array_equal(found.xywh, truth.xywh)

    def test_masks_that_are_asked_for(self, broken):
        path = broken[0]
        for call in (
            lambda: vesica.read(path),
            lambda: vesica.evaluate(path, path, regions="mask"),
            lambda: vesica.scale.evaluate(path, regions="mask"),
        ):
            with pytest.raises(InputError, match="part.parquet"):
                call()

    def test_images_alone(self, broken):
        from vesica.io.parquet import images_of

        assert not {"truth", "guess"} & {*images_of(str(broken[0])).column_names}

    def test_masks_without_boxes_are_told_of(self, tmp_path):
        """What has masks alone keeps them: the error is that of a data set without boxes."""
        data = Dataset.from_arrays(
            None, masks=[[[0, 0, 4, 0, 4, 4, 0, 4]]], image=[1], category=[1], sizes=(10, 10), form="xywh"
        )
        pq.write_table(data.to_arrow(), tmp_path / "x.parquet")
        assert "polygons" in str(pq.read_schema(tmp_path / "x.parquet"))
        assert len(vesica.read(tmp_path / "x.parquet")) == 1


@functools.cache
def _arrow_content():
    return _ipc(made().to_arrow(), pa.ipc.new_file, "zstd")


def _ipc(table, new, compression=None):
    sink = pa.BufferOutputStream()
    with new(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as out:
        out.write_table(table)
    return sink.getvalue().to_pybytes()


def _ints(*values):
    return struct.pack(f"<{len(values)}i", *values)


def _three_images():
    """Made when it is asked for: an array of a list makes pyarrow load pandas."""
    truth = pa.array([[{"box": [1.0, 2.0, 3.0, 4.0], "category": 7}]] * 3)
    table = pa.table({"image_id": [1, 2, 3], "truth": truth})
    return table.replace_schema_metadata({"vesica": '{"version": 1, "boxes": "xywh"}'})


class TestLies:
    """Files of Arrow whose offsets and indices lead elsewhere: read as they are, they lead out of the file's memory."""

    IMAGES, BOXES = (0, 1, 2, 3), (0, 4, 8, 12)

    @pytest.mark.parametrize("new", [pa.ipc.new_file, pa.ipc.new_stream])
    @pytest.mark.parametrize(
        "offsets, lie",
        [
            (IMAGES, (0, 1, 2, 30_000_000)),
            (IMAGES, (0, -5, 2, 3)),
            (IMAGES, (3, 2, 1, 0)),
            (BOXES, (0, 4, 8, 2_000_000_000)),
            (BOXES, (-1_000_000, 4, 8, 12)),
        ],
    )
    def test_offsets(self, new, offsets, lie):
        content = _ipc(_three_images(), new)
        Path("t.arrow").write_bytes(content)
        assert len(vesica.read("t.arrow")) == 3
        assert content.count(_ints(*offsets)) == 1
        Path("t.arrow").write_bytes(content.replace(_ints(*offsets), _ints(*lie)))
        with pytest.raises(InputError, match=r"t\.arrow is no file .* that can be read: column `truth` is broken"):
            vesica.read("t.arrow")

    def test_words_of_a_dictionary(self):
        kinds = pa.DictionaryArray.from_arrays(pa.array([0, 1, 99], pa.int8()), pa.array(["a", "b"]), safe=False)
        table = pa.table(FLAT | {"category": kinds})
        Path("t.arrow").write_bytes(_ipc(table, pa.ipc.new_file))
        with pytest.raises(InputError, match="column `category` is broken: .*out of bounds: 99"):
            vesica.read("t.arrow")
        with pytest.raises(ValueError, match="`table` cannot be taken .*: column `category` is broken"):
            Dataset.from_arrow(Stream(table))

    @pytest.mark.parametrize("name", ["t.parquet", "t.arrow"])
    def test_texts_that_are_none(self, name):
        texts = pa.StringArray.from_buffers(3, pa.py_buffer(_ints(0, 2, 3, 4)), pa.py_buffer(b"\xff\xfeab"))
        table = pa.table(FLAT | {"category": texts})
        pq.write_table(table, name) if name == "t.parquet" else Path(name).write_bytes(_ipc(table, pa.ipc.new_file))
        with pytest.raises(InputError, match="column `category` is broken: .*UTF8"):
            vesica.read(name)

    @pytest.mark.parametrize("answer", [None, 7, b"garbage", "capsule"])
    def test_streams_that_are_none(self, answer):
        class Garbage:
            def __arrow_c_stream__(self, requested_schema=None):
                return answer

        with pytest.raises(ValueError, match="`table` cannot be taken as an Arrow table"):
            Dataset.from_arrow(Garbage())

    def test_a_stream_that_raises(self):
        class Raising:
            def __arrow_c_stream__(self, requested_schema=None):
                raise ValueError("the connection is closed")

        with pytest.raises(ValueError, match="`table` cannot be taken as an Arrow table: the connection is closed"):
            Dataset.from_arrow(Raising())


@functools.cache
def _zeros():
    return pa.table({name: np.zeros(1_000_000, np.int64 if name == "image_id" else float) for name in FLAT})


class TestBombs:
    """Few bytes that become many: of a value that is the same in all rows little is written, packed or not."""

    @pytest.mark.parametrize("compression", ["zstd", "lz4", None])
    @pytest.mark.parametrize("name", ["t.parquet", "t.arrow", "t.arrows"])
    def test_refused(self, name, compression):
        if name == "t.parquet":
            pq.write_table(_zeros(), name, compression=compression)
        else:
            new = pa.ipc.new_file if name == "t.arrow" else pa.ipc.new_stream
            Path(name).write_bytes(_ipc(_zeros(), new, compression))
        if name != "t.parquet" and compression is None:
            return  # as large as it says
        with pytest.raises(InputError, match=rf"{name} expands more than 200:1 above 16 MiB.* to 56,.*"):
            vesica.read(name)

    @pytest.mark.parametrize("compression", ["zstd", "lz4", None])
    @pytest.mark.parametrize("new", [pa.ipc.new_file, pa.ipc.new_stream])
    def test_sizes(self, new, compression):
        """Bytes of all buffers, each at a place that eight divides; words of dictionaries too."""
        kinds = pa.array(["a", "b", "a"] * 500).dictionary_encode()
        table = pa.table({"number": np.arange(1500.0), "kind": kinds, "text": ["abc"] * 1500})
        start = 8 if new is pa.ipc.new_file else 0
        told = unpacked(_ipc(table, new, compression), start)
        assert table.nbytes <= told <= table.nbytes + 64
