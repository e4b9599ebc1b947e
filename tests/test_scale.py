"""Many files, whoever works on them: the bytes of one run; and what happens when something breaks."""

import contextlib
import os
import random
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import killed
import vesica
from vesica import Dataset, scale
from vesica.errors import InputError, MissingExtra
from vesica.scale import engines, run, work

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

IMAGES, CLASSES = 60, 4


@pytest.fixture(scope="module")
def ray_cluster():
    """A cluster of this machine, with several worker processes."""
    ray = pytest.importorskip("ray")
    here = str(Path(__file__).parent)
    paths = os.pathsep.join([here, *filter(None, [os.environ.get("PYTHONPATH")])])
    ray.init(
        num_cpus=4,
        include_dashboard=False,
        log_to_driver=False,
        logging_level="error",
        runtime_env={"env_vars": {"PYTHONPATH": paths}},
    )
    yield ray
    ray.shutdown()


def world(seed=0, *, shift=3.0, masks=False):
    """Truths and guesses of many images: ties, crowds, empty images, classes without guesses."""
    rng = np.random.default_rng(seed)
    rows = 6 * IMAGES
    image = rng.integers(0, IMAGES - 3, rows)
    boxes = np.concatenate([rng.uniform(0, 60, (rows, 2)), rng.uniform(4, 30, (rows, 2))], 1).round(1)
    category = rng.integers(0, CLASSES, rows)
    tables = {"images": [f"im{k:03d}" for k in range(IMAGES)], "categories": {k: f"c{k}" for k in range(CLASSES)}}
    ids = np.array(tables["images"], object)
    moved = boxes + rng.normal(0, shift, boxes.shape) * [1, 1, 0, 0]
    drawn = {"masks": None}, {"masks": None}
    if masks:
        drawn = tuple({"masks": [_outline(box) for box in side]} for side in (boxes, moved))
    truth = Dataset.from_arrays(
        boxes, form="xywh", image=ids[image], category=category, crowd=rng.random(rows) < 0.05, sizes=(120, 120),
        id=np.arange(rows), **tables, **drawn[0],
    )  # fmt: skip
    guess = Dataset.from_arrays(
        moved, form="xywh", image=ids[image], category=np.where(rng.random(rows) < 0.1, 0, category),
        score=rng.random(rows).round(1), sizes=(120, 120), **tables, **drawn[1],
    )  # fmt: skip
    return truth, guess


def _outline(box):
    x, y, w, h = box.tolist()
    return [[x, y, x + w, y, x + w, y + h, x, y + h]]


def table_of(truth, guess):
    return truth.to_arrow().append_column("guess", guess.to_arrow().column("guess"))


def parts(folder, table, sizes, *, shuffled=True):
    """The rows of a table in uneven files, whose order says nothing."""
    order = np.random.default_rng(7).permutation(len(table)) if shuffled else np.arange(len(table))
    ends = np.cumsum([0, *sizes])
    assert ends[-1] == len(table)
    folder.mkdir(exist_ok=True)
    for k, (begin, end) in enumerate(zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)):
        pq.write_table(table.take(order[begin:end]), folder / f"part-{k:05d}.parquet")
    return folder


UNEVEN = (1, 30, 7, 2, 1, 1, 5, 3, 2, 8)


class TestEqualToTheByte:
    @pytest.mark.parametrize("regions", ["box", "mask", "boundary"])
    @pytest.mark.parametrize("engine", ["threads", "processes"])
    def test_detection(self, tmp_path, engine, regions):
        truth, guess = world(masks=regions != "box")
        whole = vesica.evaluate(truth, guess, regions=regions, details=True)
        folder = parts(tmp_path / "parts", table_of(truth, guess), UNEVEN)
        found = scale.evaluate(folder, engine=engine, workers=2, regions=regions, details=True)
        self.same(found, whole)

    @staticmethod
    def same(found, whole):
        assert whole["AP"] > 0.005
        assert found.records.to_bytes() == whole.records.to_bytes()
        assert found.to_json() == whole.to_json()
        for name in ("AP", "AR100"):
            ends = [one.interval(name, replicates=200) for one in (found, whole)]
            assert repr(ends[0]) == repr(ends[1])
        assert found.causes().table.text() == whole.causes().table.text()

    @pytest.mark.slow
    @pytest.mark.parametrize("workers", [1, 2, 4])
    def test_ray(self, tmp_path, ray_cluster, workers):
        truth, guess = world()
        folder = parts(tmp_path / "parts", table_of(truth, guess), UNEVEN)
        found = scale.evaluate(folder, engine="ray", workers=workers, details=True)
        self.same(found, vesica.evaluate(truth, guess, details=True))

    def test_row_groups(self, tmp_path):
        truth, guess = world()
        pq.write_table(table_of(truth, guess), tmp_path / "all.parquet", row_group_size=11)
        told = []
        found = scale.evaluate(tmp_path / "all.parquet", workers=2, progress=lambda *now: told.append(now))
        assert found.to_json() == vesica.evaluate(truth, guess).to_json()
        assert [now[:2] for now in told] == [(k, 6) for k in range(1, 7)] and told[-1][2] == len(guess)

    def test_pairs_of_files(self, tmp_path):
        truth, guess = (data.numbered() for data in world())
        for k in range(3):
            for name, data in (("truth", truth), ("guess", guess)):
                keep = data.image % 3 == k
                ids = data.images.ids[np.arange(IMAGES) % 3 == k]
                part = Dataset.from_arrays(
                    data.xywh[keep], form="xywh", image=data.images.ids[data.image[keep]], images=ids,
                    category=data.categories.ids[data.category[keep]], categories=data.categories,
                    score=None if data.score is None else data.score[keep],
                    crowd=None if data.crowd is None else data.crowd[keep],
                )  # fmt: skip
                vesica.write(tmp_path / f"{name}-{k}.npz", part)
        found = scale.evaluate(tmp_path / "truth-*.npz", tmp_path / "guess-*.npz", workers=2)
        assert dict(found) == pytest.approx(dict(vesica.evaluate(truth, guess)), abs=0, rel=0, nan_ok=True)

    @pytest.mark.parametrize("engine", ["threads", "processes"])
    def test_segmentation(self, tmp_path, engine):
        rng = np.random.default_rng(0)
        for k in range(11):
            for side in ("truth", "guess"):
                (tmp_path / side).mkdir(exist_ok=True)
                np.save(tmp_path / side / f"{k}.npy", rng.integers(0, 4, (9 + k, 12)).astype(np.uint8))
        paths = tmp_path / "truth", tmp_path / "guess"
        options = {"categories": 3, "ignore": 3}
        with pytest.raises(InputError, match="label"):
            scale.evaluate_segmentation(*paths, categories=2, engine=engine, workers=2)
        found = scale.evaluate_segmentation(*paths, engine=engine, workers=2, **options)
        whole = vesica.evaluate_segmentation(*paths, **options)
        assert found.counts.to_bytes() == whole.counts.to_bytes() and found.to_json() == whole.to_json()

    @pytest.mark.parametrize("engine", ["threads", "processes"])
    def test_agreement(self, tmp_path, engine):
        truth, guess = world()
        both = Dataset.of_annotators({"ann": truth, "ben": _without_score(guess)})
        whole = vesica.evaluate_agreement(both)
        folder = parts(tmp_path / "parts", both.to_arrow(), UNEVEN)
        found = scale.evaluate_agreement(folder, engine=engine, workers=2)
        assert found.records.to_bytes() == whole.records.to_bytes() and dict(found) == dict(whole)

    def test_comparison(self, tmp_path):
        truth, a = world()
        _, b = world(shift=1.0)
        files = {}
        for name, data in (("truth", truth), ("a", a), ("b", b)):
            files[name] = parts(tmp_path / name, data.to_arrow(), UNEVEN)
        found = scale.compare(files["truth"], files["a"], files["b"], workers=2)
        whole = vesica.compare(vesica.evaluate(truth, a), vesica.evaluate(truth, b))
        assert found.to_json() == whole.to_json()


def _without_score(data):
    return Dataset.from_arrays(
        data.xywh, form="xywh", image=data.images.ids[data.image], category=data.categories.ids[data.category],
        images=data.images, categories=data.categories,
    )  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    return parts(tmp_path / "parts", table_of(*world()), UNEVEN, shuffled=False)


class TestWhatBreaks:
    """Nothing is lost, nothing counts twice, and the error says which part, image and row."""

    @pytest.mark.parametrize("engine", ["threads", "processes"])
    def test_a_bad_row(self, folder, engine):
        path = folder / "part-00002.parquet"
        table = pq.read_table(path)
        rows = table.column("guess").to_pylist()
        rows[3][0]["score"] = float("nan")
        kind = table.schema.field("guess").type
        pq.write_table(table.set_column(table.column_names.index("guess"), "guess", pa.array(rows, kind)), path)
        with pytest.raises(InputError, match=r"part-00002\.parquet: .*`score` must be finite; got nan in row"):
            scale.evaluate(folder, engine=engine, workers=2)

    def test_the_same_part_twice(self, folder):
        (folder / "part-99999.parquet").write_bytes((folder / "part-00001.parquet").read_bytes())
        with pytest.raises(InputError, match=r"part-\d+\.parquet and .*part-\d+\.parquet both have image 'im0\d\d'"):
            scale.evaluate(folder, workers=2)
        found = scale.evaluate(folder, workers=2, duplicates="same")
        assert dict(found) == dict(vesica.evaluate(*world()))

    def test_an_image_cut_in_two(self, folder):
        path = folder / "part-00001.parquet"
        table = pq.read_table(path)
        pq.write_table(pa.concat_tables([table, table.slice(0, 1)]), path)
        with pytest.raises(InputError, match=r"part-00001\.parquet: .*image_id"):
            scale.evaluate(folder, workers=2)

    def test_equal_images_with_other_content(self, folder):
        table = pq.read_table(folder / "part-00001.parquet")
        table = table.set_column(
            table.column_names.index("guess"), "guess", table.column("guess").take(pa.array(range(29, -1, -1)))
        )
        pq.write_table(table, folder / "part-99999.parquet")
        with pytest.raises(InputError, match="image"):
            scale.evaluate(folder, workers=2, duplicates="same")

    def test_a_part_is_missing(self, folder):
        (folder / "part-00001.parquet").unlink()
        expected = [f"im{k:03d}" for k in range(IMAGES)]
        with pytest.raises(InputError, match=r"30 of 60 expected images were in no part: 'im001', .* and 25 more"):
            scale.evaluate(folder, workers=2, expected=expected)
        found = scale.evaluate(folder, workers=2, expected=expected, partial=True)
        assert [note.count for note in found.notes if note.rule == "partial"] == [30]
        assert "30 expected images were in no part" in str(found)

    def test_another_category_table(self, folder):
        truth, guess = world(3)
        names = {k: f"other{k}" for k in range(CLASSES)}
        data = [
            Dataset.from_arrays(side.xywh, form="xywh", image=side.image + 1000, category=side.category,
                                categories=names, score=side.score) for side in (truth, guess)
        ]  # fmt: skip
        ids = sorted(set(data[0].images.ids.tolist()) & set(data[1].images.ids.tolist()))
        assert ids
        pq.write_table(table_of(*data), folder / "part-99999.parquet")
        with pytest.raises(InputError, match="categor"):
            scale.evaluate(folder, workers=2)

    @pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1" + b"x" * 100 + b"PAR1", b"{}"])
    def test_a_damaged_file(self, folder, content):
        (folder / "part-00003.parquet").write_bytes(content)
        with pytest.raises(InputError, match=r"part-00003\.parquet cannot be read as Parquet"):
            scale.evaluate(folder, workers=2)

    def test_damaged_records(self):
        truth, guess = world()
        data = bytearray(vesica.evaluate(truth, guess).records.to_bytes())
        data[-3] ^= 1
        head, body = work.merged("detection", {}, bytes(data), bytes(data))
        assert b"error" in head and body == b""

    @pytest.mark.parametrize(
        "call, error, message",
        [
            ({"engine": "dask"}, ValueError, "`engine` must be one of"),
            ({"workers": 0}, ValueError, "`workers` must be a whole number above 0; got 0"),
            ({"workers": 1.5}, ValueError, "`workers` must be a whole number above 0; got 1.5"),
            ({"expected": "im001"}, TypeError, "`expected` must be ids of images; got 'im001'"),
            ({"protocol": "cocoa"}, InputError, "cocoa"),
        ],
    )
    def test_bad_calls(self, folder, call, error, message):
        with pytest.raises(error, match=message):
            scale.evaluate(folder, **call)

    def test_one_side_alone(self, tmp_path):
        truth, guess = world()
        vesica.write(tmp_path / "truth.parquet", truth)
        vesica.write(tmp_path / "guess.parquet", guess)
        with pytest.raises(InputError, match=r"truth\.parquet must have `truth` and `guess`.*it has truth"):
            scale.evaluate(tmp_path / "truth.parquet")
        with pytest.raises(InputError, match="as many, the nth of the same images; got 1 and 2"):
            scale.evaluate(tmp_path / "truth.parquet", [tmp_path / "guess.parquet"] * 2)
        with pytest.raises(InputError, match="stands for no file"):
            scale.evaluate(tmp_path / "nothing-*.parquet")

    def test_without_ray(self, folder, monkeypatch):
        monkeypatch.setitem(__import__("sys").modules, "ray", None)
        with pytest.raises(MissingExtra, match=r"engine='ray' needs Ray: pip install 'vesica\[ray\]'"):
            scale.evaluate(folder, engine="ray")


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no SIGKILL here")
class TestKilled:
    def test_a_process_once(self, folder, tmp_path, monkeypatch):
        monkeypatch.setattr(run, "mapped", killed.killed_first)
        whole = vesica.evaluate(*world())
        options = {"folder": str(tmp_path), "victim": "part-00001.parquet"}
        found = scale.evaluate(folder, engine="processes", workers=2, **options)
        assert found.to_json() == whole.to_json()

    def test_a_process_always(self):
        engine = engines.Processes(2)
        try:
            engine.submit(killed.killed_always, "the poisonous part")
            with pytest.raises(InputError, match="the poisonous part cannot be worked on: .* 6 times"):
                while engine.wait() is not None:
                    pass
        finally:
            engine.close()

    @pytest.mark.slow
    def test_processes_at_twenty_moments(self):
        """Every value comes back, once, however often a worker is killed."""
        engine = engines.Processes(2)
        engine._breaks = -1000  # they are killed from outside, and not by what they work on
        chance, stop = random.Random(5), threading.Event()

        def kill():
            for _ in range(20):
                time.sleep(chance.uniform(0.02, 0.15))
                found = list(getattr(engine._pool, "_processes", None) or {})
                if found and not stop.is_set():
                    _kill(chance.choice(found))

        values = [b"%d" % k for k in range(120)]
        killer = threading.Thread(target=kill)
        try:
            tickets = {engine.submit(killed.slowly, "a part", value): value for value in values}
            killer.start()
            found = {}
            while len(found) < len(values):
                for ticket, _, body in engine.wait():
                    assert ticket not in found
                    found[ticket] = body
        finally:
            stop.set()
            killer.join()
            engine.close()
        assert found == tickets

    @pytest.mark.slow
    def test_a_worker_of_ray(self, folder, tmp_path, ray_cluster, monkeypatch):
        monkeypatch.setattr(run, "mapped", killed.killed_first)
        options = {"folder": str(tmp_path), "victim": "part-00001.parquet"}
        found = scale.evaluate(folder, engine="ray", workers=2, **options)
        assert found.to_json() == vesica.evaluate(*world()).to_json()

    @pytest.mark.slow
    def test_a_bad_row_on_ray(self, folder, ray_cluster):
        (folder / "part-00004.parquet").write_bytes(b"PAR1")
        with pytest.raises(InputError, match=r"part-00004\.parquet cannot be read as Parquet"):
            scale.evaluate(folder, engine="ray", workers=2)


def _kill(pid):
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
