"""Many files, whoever works on them: the bytes of one run; and what happens when something breaks."""

import contextlib
import os
import random
import signal
import threading
import time
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool

import numpy as np
import pytest

import killed
import processes
import vesica
from shards import CLASSES, IMAGES, KINDS, UNEVEN, parts, scored, table_of, world
from vesica import Dataset, scale
from vesica.errors import InputError, MissingExtra
from vesica.scale import detection, engines, kept, run, work

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


@pytest.fixture
def warmed(monkeypatch):
    """Processes that need not import anything: `test_spawned_processes` has those of everybody."""
    processes.warm_pools(monkeypatch)


class TestWhatLiesSideBySide:
    """Counts add up: however many parts there are, few of them are held at a time."""

    PARTS = 60

    @pytest.fixture
    def folder(self, tmp_path):
        return parts(tmp_path / "parts", table_of(*world()), [1] * self.PARTS)

    @pytest.fixture
    def held(self, monkeypatch):
        """How many bodies there were after each step that made one."""
        alive, lock, seen = [0], threading.Lock(), []

        def told(function, count):
            def call(*arguments):
                answer = function(*arguments)
                with lock:
                    alive[0] += count(arguments)
                    seen.append(alive[0])
                return answer

            return call

        monkeypatch.setattr(run, "mapped", told(work.mapped, lambda _: 1))
        monkeypatch.setattr(run, "merged", told(work.merged, lambda given: 3 - len(given)))  # those after two make one
        return seen

    def test_counts(self, folder, held):
        found = scale.bounds(folder, bins=8, workers=2)
        whole = vesica.detection.counts_by_score(vesica.evaluate(*world()).records, bins=8)
        assert dict(found) == dict(whole.bounds())
        # Of each number of mergings seven may wait, and those that are under way are there too.
        assert len(held) == self.PARTS + self.PARTS // 8 and max(held) <= 2 * 7 + 3 + 8

    def test_counts_of_a_checkpoint(self, folder, held, tmp_path, monkeypatch):
        monkeypatch.setattr(kept, "TOGETHER", 1)  # each part in a file of its own
        found = scale.bounds(folder, bins=8, workers=2, checkpoint=tmp_path / "kept")
        assert len(list((tmp_path / "kept").glob("*.parts"))) == self.PARTS
        assert dict(found) == dict(scale.bounds(folder, bins=8))

    def test_records(self, folder, held):
        scale.evaluate(folder, workers=2)
        assert len(held) == self.PARTS  # merged at once, by whoever asked


class TestEqualToTheByte:
    @pytest.mark.parametrize("kind", KINDS)
    @pytest.mark.parametrize("workers", [1, 2, 4])
    def test_threads(self, kind, workers):
        call, facts, whole = scored(kind)
        assert facts(call(engine="threads", workers=workers)) == whole

    @pytest.mark.parametrize("kind, workers", [*((kind, 2) for kind in KINDS), ("boxes", 1), ("boxes", 4)])
    def test_processes(self, kind, workers, warmed):
        call, facts, whole = scored(kind)
        assert facts(call(engine="processes", workers=workers)) == whole

    def test_spawned_processes(self):
        """As everybody has them: with nothing but what they import themselves."""
        call, facts, whole = scored("boxes")
        assert facts(call(engine="processes", workers=2)) == whole

    def test_spawned_processes_are_light(self, tmp_path):
        """Of what Arrow would load, above all pandas, a worker needs nothing."""
        pq.write_table(table_of(*world()), tmp_path / "all.parquet")
        code = (
            "import sys\nfrom vesica.scale import work\n"
            "head, body = work.mapped('detection', {'table': sys.argv[1], 'group': 0, 'name': 'a part'}, {})\n"
            "assert body, head\n"
            "print(*{'pandas', 'torch', 'rich', 'matplotlib'} & {*sys.modules})"
        )
        ended = processes.script(code, tmp_path / "all.parquet")
        assert (ended.returncode, ended.stdout, ended.stderr) == (0, "\n", "")

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
    def test_labels_that_are_no_category(self, tmp_path, engine, warmed):
        for side in ("truth", "guess"):
            (tmp_path / side).mkdir()
            np.save(tmp_path / side / "0.npy", np.full((4, 4), 3, np.uint8))
        with pytest.raises(InputError, match="label"):
            scale.evaluate_segmentation(tmp_path / "truth", tmp_path / "guess", categories=2, engine=engine, workers=2)


@pytest.fixture
def folder(tmp_path):
    return parts(tmp_path / "parts", table_of(*world()), UNEVEN, shuffled=False)


class TestWhatBreaks:
    """Nothing is lost, nothing counts twice, and the error says which part, image and row."""

    @pytest.mark.parametrize("engine", ["threads", "processes"])
    def test_a_bad_row(self, folder, engine, warmed):
        path = folder / "part-00002.parquet"
        table = pq.read_table(path)
        rows = table.column("guess").to_pylist()
        rows[3][0]["score"] = float("nan")
        kind = table.schema.field("guess").type
        pq.write_table(table.set_column(table.column_names.index("guess"), "guess", pa.array(rows, kind)), path)
        wanted = r"part-00002\.parquet: .*`score` must be finite; got nan in row 17. It is in `guess` of image 'im034'"
        with pytest.raises(InputError, match=wanted):
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

    def test_categories_that_contradict(self, folder):
        truth, guess = world(3)
        names = {k: f"other{k}" for k in range(CLASSES)}
        data = [
            Dataset.from_arrays(side.xywh, form="xywh", image=side.image + 1000, category=side.category,
                                categories=names, score=side.score) for side in (truth, guess)
        ]  # fmt: skip
        pq.write_table(table_of(*data), folder / "part-99999.parquet")
        said = r"part-99999.parquet calls category 0 'other0', and .*part-00000.parquet 'c0': .* \{0: 'c0', …"
        with pytest.raises(InputError, match=said):
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
            ({"protocol": "cocoa"}, ValueError, "^`protocol` .*cocoa"),
            ({"iou_type": "segm"}, TypeError, "^evaluate has no option `iou_type`. Write "),
            ({"max_dets": []}, ValueError, "^`max_dets` "),
        ],
    )
    def test_bad_calls(self, folder, call, error, message):
        with pytest.raises(error, match=message):
            scale.evaluate(folder, **call)

    def test_bad_bins(self, folder):
        with pytest.raises(ValueError, match="^`bins` "):
            scale.bounds(folder, bins=0)

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
    def test_a_process_once(self, folder, tmp_path, monkeypatch, warmed):
        monkeypatch.setattr(run, "mapped", killed.killed_first)
        monkeypatch.setattr(detection, "_check_options", lambda options: None)  # some are for the worker
        whole = vesica.evaluate(*world())
        options = {"folder": str(tmp_path), "victim": "part-00001.parquet"}
        found = scale.evaluate(folder, engine="processes", workers=2, **options)
        assert found.to_json() == whole.to_json()

    def test_a_process_always(self, warmed):
        engine = engines.Processes(2)
        try:
            engine.submit(killed.killed_always, "the poisonous part")
            with pytest.raises(InputError, match="the poisonous part cannot be worked on: .* 6 times"):
                while engine.wait() is not None:
                    pass
        finally:
            engine.close()

    def test_what_nobody_tells_that_the_pool_broke(self, monkeypatch, warmed):
        """As happens to what is submitted at the very moment: it is done by the next pool."""
        monkeypatch.setattr(engines, "PATIENCE", 0.05)
        engine = engines.Processes(1)
        try:
            assert isinstance(engine._pool.submit(killed.killed_always).exception(), BrokenProcessPool)
            engine._running[Future()] = (7, killed.slowly, "a part", (b"value",))
            assert [(ticket, body) for ticket, _, body in engine.wait()] == [(7, b"value")]
        finally:
            engine.close()

    @pytest.mark.slow
    def test_processes_at_twenty_moments(self, warmed):
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


def _kill(pid):
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
