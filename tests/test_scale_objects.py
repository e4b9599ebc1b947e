"""The match table of many parts as Parquet, in folders: read back by those who read such folders."""

import numpy as np
import pytest

import processes
import vesica
from vesica import Dataset, scale
from vesica.errors import InputError

pa = pytest.importorskip("pyarrow")
from shards import UNEVEN, parts, table_of, world  # noqa: E402

ORDER = ["image", "guess", "truth"]


@pytest.fixture
def folder(tmp_path):
    return parts(tmp_path / "parts", table_of(*world()), UNEVEN)


def by_pyarrow(place):
    dataset = pytest.importorskip("pyarrow.dataset")  # late: it loads pandas
    return dataset.dataset(place, partitioning="hive").to_table().to_pylist()


def by_duckdb(place):
    duckdb = pytest.importorskip("duckdb")
    found = duckdb.sql(f"SELECT * FROM read_parquet('{place}/*/*.parquet', hive_partitioning = true)")
    return found.to_arrow_table().to_pylist()


def by_polars(place):
    polars = pytest.importorskip("polars")
    return polars.scan_parquet(f"{place}/**/*.parquet", hive_partitioning=True).collect().to_dicts()


def in_order(rows):
    """Rows by image, guesses first; without the name of their folder."""
    kept = [{key: value for key, value in row.items() if "_number" not in key and "_bucket" not in key} for row in rows]
    return sorted(kept, key=lambda row: [(row[name] is None, str(row[name])) for name in ORDER])


class TestSameRows:
    @pytest.mark.parametrize("read", [by_pyarrow, by_duckdb, by_polars])
    @pytest.mark.parametrize("by, key", [("category", "category_number"), ("image", "image_bucket")])
    def test_of_parts(self, folder, tmp_path, read, by, key):
        place = tmp_path / "objects"
        count = scale.write_objects(place, folder, by=by, buckets=5, workers=2)
        whole = vesica.evaluate(*world(), details=True).objects()
        rows = read(place)
        assert count == len(rows) == len(whole)
        assert in_order(rows) == in_order(whole)
        numbers = {path.name for path in place.iterdir()}
        assert numbers == {f"{key}={row[key]}" for row in rows}
        if by == "category":
            assert {(row[key], row["category"]) for row in rows} == {(k, f"c{k}") for k in range(4)}
        else:
            assert len({(row["image"], row[key]) for row in rows}) == len({row["image"] for row in rows})

    def test_of_a_result(self, tmp_path):
        result = vesica.evaluate(*world())
        assert scale.write_objects(tmp_path / "objects", result, min_score=0.5) == len(result.objects(min_score=0.5))
        assert in_order(by_pyarrow(tmp_path / "objects")) == in_order(result.objects(min_score=0.5))

    def test_processes(self, folder, tmp_path, monkeypatch):
        processes.warm_pools(monkeypatch)
        scale.write_objects(tmp_path / "one", folder)
        scale.write_objects(tmp_path / "two", folder, engine="processes", workers=2)
        files = [{path.relative_to(place): path.read_bytes() for path in place.rglob("*.parquet")}
                 for place in (tmp_path / "one", tmp_path / "two")]  # fmt: skip
        assert files[0] == files[1] and len(files[0]) > 20

    def test_hostile_names(self, tmp_path):
        """Of categories: they are no names of folders."""
        names = ["../../x", "a/b", "007", "", "=", "x" * 300, "$\\bad$", "null"]
        boxes = np.tile([0.0, 0, 9, 9], (len(names), 1)) + 20 * np.arange(len(names))[:, None]
        truth = Dataset.from_arrays(boxes, image=[1] * len(names), category=names)
        guess = Dataset.from_arrays(boxes, image=[1] * len(names), category=names, score=[0.5] * len(names))
        scale.write_objects(tmp_path / "objects", vesica.evaluate(truth, guess))
        assert {row["category"] for row in by_pyarrow(tmp_path / "objects")} == set(names)
        assert [path.name for path in tmp_path.iterdir()] == ["objects"]


class TestTypes:
    """The types of columns are those of one run over all parts, whichever part comes first, and whatever it has."""

    @staticmethod
    def write(folder, number, image, truth_id, *, has_truths=True):
        boxes = np.array([[0.0, 0, 9, 9], [20, 0, 29, 9]])
        rows = slice(None) if has_truths else slice(0, 0)
        tables = {"images": [image], "categories": {0: "cat", 1: "dog"}}
        truth = Dataset.from_arrays(
            boxes[rows], image=[image, image][rows], category=[0, 1][rows], id=[truth_id, truth_id * 2][rows], **tables
        )
        guess = Dataset.from_arrays(boxes[:1], image=[image], category=[1], score=[0.5], **tables)
        pq = __import__("pyarrow.parquet").parquet
        pq.write_table(table_of(truth, guess), folder / f"part-{number}.parquet")

    @pytest.mark.parametrize("empty", [0, 1, 2])
    @pytest.mark.parametrize("ids, kind", [((7, 8, 9), "int64"), (("a", "b", "c"), "string"), ((7, "b", 9), "string")])
    @pytest.mark.parametrize("images", [(1, 2, 3), (1, "im2", 3)])
    def test_a_part_without_truths(self, tmp_path, empty, ids, kind, images):
        place = tmp_path / "parts"
        place.mkdir()
        for number, (image, one) in enumerate(zip(images, ids, strict=True)):
            self.write(place, number, image, one, has_truths=number != empty)
        scale.write_objects(tmp_path / "objects", place, workers=1)
        found = [pq_schema(path) for path in sorted((tmp_path / "objects").rglob("*.parquet"))]
        assert len(found) > 3 and all(one.equals(found[0]) for one in found)
        told = [one for number, one in enumerate(ids) if number != empty]
        assert str(found[0].field("truth").type) == ("string" if any(isinstance(one, str) for one in told) else "int64")
        assert str(found[0].field("image").type) == ("string" if "im2" in images else "int64")
        paths = f"{place}/part-*.parquet"
        scale.write_objects(tmp_path / "whole", vesica.evaluate(paths, paths, check=False, details=True))
        assert in_order(by_pyarrow(tmp_path / "objects")) == in_order(by_pyarrow(tmp_path / "whole"))


def pq_schema(path):
    return __import__("pyarrow.parquet").parquet.read_schema(path)


class TestRefused:
    def test_there_already(self, folder, tmp_path):
        place = tmp_path / "objects"
        scale.write_objects(place, folder)
        before = sorted(place.rglob("*"))
        with pytest.raises(InputError, match="overwrite=True"):
            scale.write_objects(place, folder)
        assert sorted(place.rglob("*")) == before
        scale.write_objects(place, folder, overwrite=True, min_score=0.95)
        assert len(by_pyarrow(place)) == len(vesica.evaluate(*world()).objects(min_score=0.95))

    def test_a_bad_part(self, folder, tmp_path):
        (folder / "part-00003.parquet").write_bytes(b"PAR1")
        with pytest.raises(InputError, match=r"part-00003\.parquet"):
            scale.write_objects(tmp_path / "objects", folder)
        assert not (tmp_path / "objects").exists() and not list(tmp_path.glob(".vesica*"))

    def test_one_image_twice(self, folder, tmp_path):
        (folder / "part-99999.parquet").write_bytes((folder / "part-00001.parquet").read_bytes())
        with pytest.raises(InputError, match="both have image"):
            scale.write_objects(tmp_path / "objects", folder)
        assert not (tmp_path / "objects").exists()

    @pytest.mark.parametrize(
        "options, message",
        [
            ({"by": "score"}, "`by` must be one of"),
            ({"buckets": 0}, "`buckets` must be"),
            ({"engine": "x"}, "`engine`"),
        ],
    )
    def test_bad_calls(self, folder, tmp_path, options, message):
        with pytest.raises(ValueError, match=message):
            scale.write_objects(tmp_path / "objects", folder, **options)
        assert not (tmp_path / "objects").exists()

    def test_without_details(self, tmp_path):
        bare = vesica.detection.summarise(vesica.evaluate(*world()).records)
        with pytest.raises((InputError, ValueError), match="details"):
            scale.write_objects(tmp_path / "objects", bare)
