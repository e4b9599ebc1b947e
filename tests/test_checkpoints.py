"""Checkpoints: a run that was killed goes on where it was; one that is not the same is refused, with the reason."""

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import processes
import vesica
from vesica import Dataset, scale
from vesica.errors import InputError
from vesica.scale import kept, run

pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
from shards import UNEVEN, parts, table_of, without_score, world  # noqa: E402


@pytest.fixture
def folder(tmp_path):
    return parts(tmp_path / "parts", table_of(*world()), UNEVEN)


@pytest.fixture
def worked(monkeypatch):
    """Names of parts that were worked on, in threads of this process."""
    names, own = [], run.mapped
    monkeypatch.setattr(
        run, "mapped", lambda kind, part, options: names.append(part["name"]) or own(kind, part, options)
    )
    monkeypatch.setattr(kept, "SECONDS", 0.0)
    return names


def stop_after(count):
    def progress(done, *_):
        if done == count:
            raise KeyboardInterrupt

    return progress


class TestGoesOn:
    @pytest.mark.parametrize("memory", [None, "100MB"])
    @pytest.mark.parametrize("count", [1, 4, 9])
    def test_where_it_was(self, folder, tmp_path, worked, memory, count):
        options = {"checkpoint": tmp_path / "kept", "workers": 1, "memory": memory}
        with pytest.raises(KeyboardInterrupt):
            scale.evaluate(folder, progress=stop_after(count), **options)
        worked.clear()
        told = []
        found = scale.evaluate(folder, progress=lambda *now: told.append(now), **options)
        assert found.to_json() == vesica.evaluate(*world()).to_json()
        assert len(worked) <= len(UNEVEN) - (count - 1) and len(told) == len(UNEVEN) and told[-1][0] == len(UNEVEN)
        worked.clear()
        again = scale.evaluate(folder, **options)
        assert worked == [] and again.to_json() == found.to_json()

    @pytest.mark.parametrize("seconds", [0.0, 1e9])
    @pytest.mark.parametrize("together", [1, 1 << 30])
    def test_however_parts_are_put_together(self, folder, tmp_path, seconds, together, monkeypatch):
        monkeypatch.setattr(kept, "SECONDS", seconds)
        monkeypatch.setattr(kept, "TOGETHER", together)
        found = scale.evaluate(folder, checkpoint=tmp_path / "kept", details=True)
        files = list((tmp_path / "kept").glob("*.parts"))
        assert len(files) == (1 if seconds and together > 1 else len(UNEVEN))
        whole = vesica.evaluate(*world(), details=True)
        assert found.records.to_bytes() == whole.records.to_bytes()
        again = scale.evaluate(folder, checkpoint=tmp_path / "kept", details=True)
        assert again.records.to_bytes() == whole.records.to_bytes()

    def test_with_other_workers(self, folder, tmp_path, monkeypatch):
        monkeypatch.setattr(kept, "SECONDS", 0.0)
        processes.warm_pools(monkeypatch)
        with pytest.raises(KeyboardInterrupt):
            scale.evaluate(folder, checkpoint=tmp_path / "kept", workers=1, progress=stop_after(5))
        found = scale.evaluate(folder, checkpoint=tmp_path / "kept", workers=2, engine="processes", threads=2)
        assert found.to_json() == vesica.evaluate(*world()).to_json()

    def test_after_a_bad_part_was_mended(self, folder, tmp_path, worked):
        """What was finished stays; only the file of a part that was not may change."""
        path = folder / "part-00009.parquet"
        good = path.read_bytes()
        table = pq.read_table(path)
        rows = table.column("guess").to_pylist()
        next(row for row in rows if row)[0]["score"] = float("nan")
        kind, place = table.schema.field("guess").type, table.column_names.index("guess")
        pq.write_table(table.set_column(place, "guess", __import__("pyarrow").array(rows, kind)), path)
        with pytest.raises(InputError, match=r"part-00009\.parquet: .*`score` must be finite"):
            scale.evaluate(folder, checkpoint=tmp_path / "kept", workers=1)
        path.write_bytes(good)
        worked.clear()
        found = scale.evaluate(folder, checkpoint=tmp_path / "kept", workers=1)
        assert found.to_json() == vesica.evaluate(*world()).to_json()
        assert worked == [str(path)]

    def test_bounds(self, folder, tmp_path, worked):
        with pytest.raises(KeyboardInterrupt):
            scale.bounds(folder, checkpoint=tmp_path / "kept", progress=stop_after(5), workers=1)
        worked.clear()
        found = scale.bounds(folder, checkpoint=tmp_path / "kept", workers=1)
        assert dict(found) == dict(scale.bounds(folder)) and len(worked) > 0
        assert len(worked) < 2 * len(UNEVEN)


def label_maps(place, count=24):
    rng = np.random.default_rng(0)
    for side in ("truth", "guess"):
        (place / side).mkdir(parents=True)
        for k in range(count):
            np.save(place / side / f"{k:02d}.npy", rng.integers(0, 4, (9, 12)).astype(np.uint8))
    return place


def many_parts(place):
    return parts(place, table_of(*world()), (3,) * 20)


def of_annotators(place):
    truth, guess = world()
    both = Dataset.of_annotators({"ann": truth, "ben": without_score(guess)})
    return parts(place, both.to_arrow(), (3,) * 20)


TASKS = [
    ("evaluate", "threads", "-", many_parts),
    ("evaluate", "processes", "-", many_parts),
    ("evaluate", "threads", "50MB", many_parts),
    ("evaluate", "processes", "50MB", many_parts),
    ("evaluate_segmentation", "threads", "-", label_maps),
    ("evaluate_agreement", "threads", "-", of_annotators),
]


@pytest.fixture(scope="module")
def runs():
    """A process that begins runs: see `checkpointed.py`."""
    paths = [str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    command = [sys.executable, str(Path(__file__).with_name("checkpointed.py"))]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True
    ) as process:
        yield process
        process.stdin.close()


@pytest.mark.skipif(not (hasattr(signal, "SIGKILL") and hasattr(os, "fork")), reason="no SIGKILL or no fork here")
class TestKilled:
    @pytest.mark.slow
    @pytest.mark.parametrize("task, engine, memory, made", TASKS)
    def test_at_any_moment(self, tmp_path, runs, task, engine, memory, made):
        """Killed again and again, at moments that chance has chosen: nothing is lost, nothing counts twice."""
        folder, checkpoint = made(tmp_path / "data"), tmp_path / "kept"
        chance = random.Random(f"{task} {engine} {memory}")
        told = []
        for _ in range(60):
            print(json.dumps([str(folder), str(checkpoint), engine, memory, task]), file=runs.stdin, flush=True)
            number = int(runs.stdout.readline())
            told = [runs.stdout.readline().strip()]
            if told != ["ended"] and chance.random() < 0.7:
                time.sleep(chance.uniform(0, 0.25))
                with contextlib.suppress(ProcessLookupError):  # it was faster
                    os.killpg(number, signal.SIGKILL)
            while told[-1] != "ended":
                told.append(runs.stdout.readline().strip())
            if "finished" in told:
                break
        else:
            pytest.fail("it never came to its end")
        arguments = (folder / "truth", folder / "guess") if task == "evaluate_segmentation" else (folder,)
        options = {} if memory == "-" else {"memory": memory}
        found = getattr(scale, task)(*arguments, checkpoint=checkpoint, **options)
        assert found.to_json() == getattr(scale, task)(*arguments).to_json()
        files = sorted(checkpoint.iterdir())
        assert all(path.name == "plan.vesica" or path.suffix == ".parts" for path in files)


class TestRefused:
    @pytest.fixture
    def place(self, folder, tmp_path, monkeypatch):
        monkeypatch.setattr(kept, "SECONDS", 0.0)
        scale.evaluate(folder, checkpoint=tmp_path / "kept", iou=[0.5, 0.75], workers=1)
        return tmp_path / "kept"

    @pytest.mark.parametrize(
        "options, reason",
        [
            ({"iou": [0.5]}, r"`iou` was \[0.5, 0.75\] and is \[0.5\]"),
            ({}, r"`iou` was \[0.5, 0.75\] and is None"),
            ({"iou": [0.5, 0.75], "regions": "mask"}, "`regions` was None and is 'mask'"),
            ({"iou": [0.5, 0.75], "details": True}, "`details` was False and is True"),
            ({"iou": [0.5, 0.75], "duplicates": "same"}, "`duplicates` was 'error' and is 'same'"),
            ({"iou": [0.5, 0.75], "memory": "1GB"}, "it was begun without `memory`, and is asked for with"),
        ],
    )
    def test_other_options(self, folder, place, options, reason):
        before = {path: path.read_bytes() for path in place.iterdir()}
        with pytest.raises(InputError, match=f"kept is the checkpoint of another run: {reason}. Name another folder"):
            scale.evaluate(folder, checkpoint=place, **options)
        assert {path: path.read_bytes() for path in place.iterdir()} == before

    def test_the_same_in_other_words(self, folder, place, worked):
        scale.evaluate(folder, checkpoint=place, iou=np.array([0.5, 0.75]))
        scale.evaluate([str(path) for path in sorted(folder.iterdir())], checkpoint=str(place), iou=(0.5, 0.75))
        assert worked == []

    def test_other_files(self, folder, place):
        (folder / "part-00004.parquet").rename(folder / "part-00004b.parquet")
        with pytest.raises(InputError, match=r"it has .*part-00004\.parquet where .*part-00004b\.parquet is asked for"):
            scale.evaluate(folder, checkpoint=place, iou=[0.5, 0.75])

    def test_fewer_files(self, folder, place):
        (folder / "part-00009.parquet").unlink()
        with pytest.raises(InputError, match="it was of 10 parts, and 9 are asked for"):
            scale.evaluate(folder, checkpoint=place, iou=[0.5, 0.75])

    @pytest.mark.parametrize("how", ["time", "size", "gone"])
    def test_changed_files(self, folder, place, how):
        path = folder / "part-00003.parquet"
        if how == "time":
            os.utime(path, ns=(1, 1))
        elif how == "size":
            told = os.stat(path)
            pq.write_table(pq.read_table(path), path, compression="none")
            os.utime(path, ns=(told.st_atime_ns, told.st_mtime_ns))
        else:
            pq.write_table(pq.read_table(folder / "part-00002.parquet"), path)
        with pytest.raises(InputError, match=r"part-00003\.parquet was changed since it was worked on"):
            scale.evaluate(folder, checkpoint=place, iou=[0.5, 0.75])

    def test_another_version(self, folder, place, monkeypatch):
        monkeypatch.setattr(vesica, "__version__", "99.0")
        with pytest.raises(InputError, match=r"vesica \S+ began it, and this is 99\.0"):
            scale.evaluate(folder, checkpoint=place, iou=[0.5, 0.75])

    def test_another_task(self, folder, place):
        with pytest.raises(InputError, match="it was begun for detection, and is asked for bounds"):
            scale.bounds(folder, checkpoint=place, iou=[0.5, 0.75])

    def test_other_files_in_the_folder(self, folder, tmp_path):
        (tmp_path / "full").mkdir()
        (tmp_path / "full" / "notes.txt").write_text("mine")
        with pytest.raises(InputError, match=r"full cannot be a checkpoint: it has other files, such as notes\.txt"):
            scale.evaluate(folder, checkpoint=tmp_path / "full")
        assert [path.name for path in (tmp_path / "full").iterdir()] == ["notes.txt"]

    def test_no_folder(self, folder, tmp_path):
        (tmp_path / "file").write_text("")
        with pytest.raises(InputError, match="`checkpoint` must be a folder"):
            scale.evaluate(folder, checkpoint=tmp_path / "file")

    def test_an_option_that_cannot_be_written_down(self, folder, tmp_path):
        with pytest.raises(TypeError, match="`checkpoint` needs options that can be written down: .*; `categories` is"):
            scale.evaluate(folder, checkpoint=tmp_path / "kept", categories=object())

    @pytest.mark.parametrize("damage", ["cut", "bit", "empty", "other"])
    @pytest.mark.parametrize("name", ["000002.parts", "plan.vesica"])
    def test_damage(self, folder, place, name, damage, tmp_path, worked):
        path = place / name
        data = path.read_bytes()
        broken = {"cut": data[:-3], "empty": b"", "other": b"\x89PNG" + data[4:]}
        path.write_bytes(broken.get(damage, data[:-3] + bytes([data[-3] ^ 1]) + data[-2:]))
        with pytest.raises(InputError, match=name):
            scale.evaluate(folder, checkpoint=place, iou=[0.5, 0.75])
        if name != "plan.vesica":
            path.unlink()
            found = scale.evaluate(folder, checkpoint=place, iou=[0.5, 0.75])
            assert len(worked) == 1
            assert found.to_json() == vesica.evaluate(*world(), iou=[0.5, 0.75]).to_json()

    def test_parts_of_another_checkpoint(self, folder, place, tmp_path):
        scale.evaluate(folder, checkpoint=tmp_path / "second", iou=[0.5])
        theirs = next((tmp_path / "second").glob("*.parts"))
        (place / "000077.parts").write_bytes(theirs.read_bytes())
        with pytest.raises(InputError, match=r"000077\.parts cannot be used: It belongs to another checkpoint"):
            scale.evaluate(folder, checkpoint=place, iou=[0.5, 0.75])

    def test_parts_twice(self, folder, place):
        (place / "000077.parts").write_bytes((place / "000003.parts").read_bytes())
        with pytest.raises(InputError, match=r"000077\.parts has parts that another file of its folder has too"):
            scale.evaluate(folder, checkpoint=place, iou=[0.5, 0.75])

    @pytest.mark.skipif(os.name == "nt", reason="there are no such locks")
    def test_two_at_once(self, folder, place):
        from vesica.io import atomic

        with atomic.alone(place), pytest.raises(InputError, match="kept cannot be used: another process works there"):
            scale.evaluate(folder, checkpoint=place, iou=[0.5, 0.75])

    def test_what_a_killed_process_left(self, folder, place):
        (place / ".vesica-0123456789abcdef.part").write_bytes(b"half")
        scale.evaluate(folder, checkpoint=place, iou=[0.5, 0.75])
        assert not list(place.glob(".vesica-*"))

    def test_a_full_disk(self, folder, tmp_path, monkeypatch):
        own = kept.container.pieces

        def pieces(kind, *rest):
            yield from own(kind, *rest)
            if kind == kept.PARTS:
                raise OSError(28, "No space left on device")

        monkeypatch.setattr(kept.container, "pieces", pieces)
        with pytest.raises(InputError, match=r"\.parts cannot be written: No space left on device"):
            scale.evaluate(folder, checkpoint=tmp_path / "kept")
        monkeypatch.undo()
        assert scale.evaluate(folder, checkpoint=tmp_path / "kept")["AP"] == vesica.evaluate(*world())["AP"]
