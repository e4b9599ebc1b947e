"""Parts that know different categories: the same bytes as one run over them, or an error that says what to do."""

import json

import numpy as np
import pytest

import processes
import vesica
from shards import table_of
from vesica import Dataset, scale
from vesica.errors import InputError

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

NAMES = ("ant", "bee", "cat", "dog", "elk")


def shard(number, truths, guesses, *, ids=True, images=4, rows=24):
    """Images of one part, with truths of some categories and guesses of others."""
    k = np.arange(rows)
    corner = np.stack([k * 37 % 90, k * 53 % 70], axis=1)
    boxes = np.concatenate([corner, corner + 12.0], axis=1)
    tables = [{NAMES.index(name) + 10: name for name in one} if ids else dict.fromkeys(one)
              for one in (truths, guesses)]  # fmt: skip
    shown = {
        "images": [f"im{number}{one}" for one in range(images)],
        "image": [f"im{number}{one % images}" for one in k],
    }
    sides = []
    for side, (table, step, more) in enumerate(zip(tables, (7, 7), ({}, {"score": 1 - k * 13 % 64 / 64}), strict=True)):
        kept = slice(None) if table else slice(0, 0)
        category = np.array(list(table), object)[k * step % len(table)].tolist() if table else []
        given = {name: column[kept] for name, column in more.items()}
        sides.append(Dataset.from_arrays(
            (boxes + side)[kept], image=shown["image"][kept], images=shown["images"], category=category,
            categories=table if ids else list(table), **given,
        ))  # fmt: skip
    return sides


def written(path, truth, guess, **options):
    """With one table of categories for both sides, as files of both have it."""
    both = Dataset.joined([side.rows(slice(0, 0)) for side in (truth,)]).categories
    table = table_of(truth, guess)
    facts = json.loads(table.schema.metadata[b"vesica"])
    known = {**dict(zip(both.ids.tolist(), _names(both), strict=True)),
             **dict(zip(guess.categories.ids.tolist(), _names(guess.categories), strict=True))}  # fmt: skip
    facts["categories"] = {"ids": list(known), "names": list(known.values())}
    pq.write_table(table.replace_schema_metadata({b"vesica": json.dumps(facts).encode()}), path, **options)


def bare(path, truth, guess, **options):
    """As polars and DuckDB write it: nothing beside the columns but what boxes are."""
    table = table_of(truth, guess)
    facts = json.loads(table.schema.metadata[b"vesica"])
    del facts["categories"]
    pq.write_table(table.replace_schema_metadata({b"vesica": json.dumps(facts).encode()}), path, **options)


def _names(table):
    return [None] * len(table) if table.names is None else table.names.tolist()


DIFFERENT = [
    (("ant", "bee"), ("ant", "bee")),
    (("ant", "bee", "dog"), ("ant", "dog")),
    (("cat",), ("bee", "cat")),
    (("elk",), ("elk",)),
]


def whole_of(folder):
    paths = f"{folder}/part-*.parquet"
    return vesica.evaluate(paths, paths, check=False)


class TestAsOfOneRun:
    @pytest.mark.parametrize("engine", ["threads", "processes"])
    def test_tables_beside_the_columns(self, tmp_path, engine, monkeypatch):
        processes.warm_pools(monkeypatch)
        for number, (truths, guesses) in enumerate(DIFFERENT):
            written(tmp_path / f"part-{number}.parquet", *shard(number, truths, guesses))
        whole, found = whole_of(tmp_path), scale.evaluate(tmp_path, engine=engine, workers=2)
        assert len(whole.categories) == len(NAMES)
        assert found.records.to_bytes() == whole.records.to_bytes()
        assert found.to_json() == whole.to_json()

    @pytest.mark.parametrize("ids", [True, False])
    @pytest.mark.parametrize("options", [{}, {"row_group_size": 1}, {"row_group_size": 3}])
    def test_nothing_beside_the_columns(self, tmp_path, ids, options):
        """A guess of a category that another part alone has is a wrong one: it is not left out in silence."""
        for number, (truths, guesses) in enumerate([*DIFFERENT, (("ant",), ("dog", "ant", "elk")), ((), ("bee",))]):
            bare(tmp_path / f"part-{number}.parquet", *shard(number, truths, guesses, ids=ids), **options)
        whole = whole_of(tmp_path)
        assert scale.evaluate(tmp_path).records.to_bytes() == whole.records.to_bytes()
        under = scale.evaluate(tmp_path, memory="10MB")
        assert under.to_json() == whole.to_json()
        low, high = scale.bounds(tmp_path, bins=64)["AP"]
        assert low <= whole["AP"] <= high

    def test_one_file_of_several_row_groups(self, tmp_path):
        bare(tmp_path / "part-0.parquet", *shard(0, NAMES, NAMES[::-1]), row_group_size=1)
        assert scale.evaluate(tmp_path).records.to_bytes() == whole_of(tmp_path).records.to_bytes()

    def test_details_and_objects(self, tmp_path):
        place = tmp_path / "parts"
        place.mkdir()
        for number, (truths, guesses) in enumerate(DIFFERENT):
            bare(place / f"part-{number}.parquet", *shard(number, truths, guesses))
        paths = f"{place}/part-*.parquet"
        whole = vesica.evaluate(paths, paths, check=False, details=True)
        assert scale.evaluate(place, details=True).records.to_bytes() == whole.records.to_bytes()
        assert scale.write_objects(tmp_path / "objects", place) == len(whole.objects())

    def test_a_checkpoint_goes_on(self, tmp_path):
        place, kept = tmp_path / "parts", tmp_path / "kept"
        place.mkdir()
        for number, (truths, guesses) in enumerate(DIFFERENT):
            bare(place / f"part-{number}.parquet", *shard(number, truths, guesses))
        first = scale.evaluate(place, checkpoint=kept).to_json()
        assert scale.evaluate(place, checkpoint=kept).to_json() == first == whole_of(place).to_json()


class TestContradictions:
    @pytest.mark.parametrize("verb", ["evaluate", "bounds", "write_objects"])
    def test_both_parts_and_both_names_are_told(self, tmp_path, verb):
        place = tmp_path / "parts"
        place.mkdir()
        written(place / "part-0.parquet", *shard(0, ("ant", "bee"), ("ant",)))
        one, other = shard(1, ("ant", "bee"), ("bee",))
        names = np.array(["ant", "wasp"], object)
        renamed = Dataset.from_arrays(
            one.xywh, form="xywh", image=one.images.ids[one.image], images=one.images.ids,
            category=one.categories.ids[one.category], categories=dict(zip((10, 11), names, strict=True)),
        )  # fmt: skip
        pq.write_table(table_of(renamed, other), place / "part-1.parquet")
        given = (tmp_path / "objects", place) if verb == "write_objects" else (place,)
        said = r"part-1.parquet calls category 11 'wasp', and .*part-0.parquet 'bee'.*\{11: 'bee', …: 'wasp'\}"
        with pytest.raises(InputError, match=said):
            getattr(scale, verb)(*given)
        assert not (tmp_path / "objects").exists()
