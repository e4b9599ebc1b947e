"""A cluster of Ray, of several worker processes of this machine: the bytes of one run, whatever dies meanwhile."""

import contextlib
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

import pytest

import killed
import vesica
from shards import KINDS, UNEVEN, parts, scored, table_of, world
from vesica import scale
from vesica.errors import InputError
from vesica.scale import detection, run
from vesica.scale.ray import Ray

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
ray = pytest.importorskip("ray")

pytestmark = pytest.mark.slow
HERE = Path(__file__).parent


@pytest.fixture
def folder(tmp_path):
    return parts(tmp_path / "parts", table_of(*world()), UNEVEN, shuffled=False)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("workers", [1, 2, 4])
def test_equal_to_the_byte(ray_cluster, kind, workers):
    call, facts, whole = scored(kind)
    assert facts(call(engine="ray", workers=workers)) == whole


@pytest.mark.parametrize("workers", [1, 2])
def test_so_many_workers_at_once(ray_cluster, workers):
    """Also on a cluster that has room for more."""
    engine = Ray(workers)
    for _ in range(5):
        engine.submit(killed.timed, "a part", b"")
    spans = []
    while len(spans) < 5:
        spans += [json.loads(head) for _, head, _ in engine.wait()]
    engine.close()
    assert all(sum(a <= begin < b for a, b in spans) <= workers for begin, _ in spans)


class TestWhatBreaks:
    def test_a_bad_row(self, folder, ray_cluster):
        path = folder / "part-00002.parquet"
        table = pq.read_table(path)
        rows = table.column("truth").to_pylist()
        rows[3][0]["box"][2] = -1.0
        kind = table.schema.field("truth").type
        pq.write_table(table.set_column(table.column_names.index("truth"), "truth", pa.array(rows, kind)), path)
        wanted = r"part-00002\.parquet: `boxes` row 17 must not have a negative side.* in `truth` of image 'im034'"
        with pytest.raises(InputError, match=wanted):
            scale.evaluate(folder, engine="ray")

    def test_a_damaged_file(self, folder, ray_cluster):
        (folder / "part-00004.parquet").write_bytes(b"PAR1")
        with pytest.raises(InputError, match=r"part-00004\.parquet cannot be read as Parquet"):
            scale.evaluate(folder, engine="ray")

    def test_the_same_part_twice(self, folder, ray_cluster):
        (folder / "part-99999.parquet").write_bytes((folder / "part-00001.parquet").read_bytes())
        with pytest.raises(InputError, match=r"part-\d+\.parquet and .*part-\d+\.parquet both have image 'im0\d\d'"):
            scale.evaluate(folder, engine="ray")
        found = scale.evaluate(folder, engine="ray", duplicates="same")
        assert dict(found) == dict(vesica.evaluate(*world()))


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no SIGKILL here")
class TestKilled:
    def test_a_worker_once(self, folder, tmp_path, ray_cluster, monkeypatch):
        monkeypatch.setattr(run, "mapped", killed.killed_first)
        monkeypatch.setattr(detection, "_check_options", lambda options: None)  # some are for the worker
        options = {"folder": str(tmp_path), "victim": "part-00001.parquet"}
        found = scale.evaluate(folder, engine="ray", **options)
        assert found.to_json() == vesica.evaluate(*world()).to_json()
        assert (tmp_path / "killed").exists()

    def test_a_worker_always(self, ray_cluster):
        engine = Ray(2)
        engine.submit(killed.killed_always, "the poisonous part")
        with pytest.raises(InputError, match="the poisonous part cannot be worked on: .* 4 times"):
            engine.wait()
        engine.close()

    def test_workers_at_twenty_moments(self, tmp_path, ray_cluster, monkeypatch):
        """No part is lost, and none counts twice, however often a worker is killed in the middle of one."""
        monkeypatch.setattr(run, "mapped", killed.awaited)
        monkeypatch.setattr(detection, "_check_options", lambda options: None)  # some are for the worker
        folder = parts(tmp_path / "parts", table_of(*world()), [4] * 15)
        working, spared = tmp_path / "working", tmp_path / "spared"
        working.mkdir()
        spared.mkdir()
        chance, stop, kills = random.Random(5), threading.Event(), Counter()

        def kill():
            while kills.total() < 20 and not stop.wait(chance.uniform(0.01, 0.1)):
                marks = sorted(one for one in working.iterdir() if kills[one.stem] < 2)
                if marks:
                    mark = chance.choice(marks)
                    mark.unlink()
                    kills[mark.stem] += _killed(int(mark.suffix[1:]))
                    if kills[mark.stem] == 2:  # a part that ends its process more often is given up
                        (spared / mark.stem).touch()
            (spared / "all").touch()

        killer = threading.Thread(target=kill)
        killer.start()
        try:
            found = scale.evaluate(folder, engine="ray", folder=str(tmp_path))
        finally:
            stop.set()
            killer.join()
        assert found.to_json() == vesica.evaluate(*world()).to_json()
        assert kills.total() == 20


HEAD = "--head --block --node-ip-address=127.0.0.1 --num-cpus=2 --include-dashboard=false --disable-usage-stats".split()
ALONE = {"RAY_AUTH_MODE": "disabled"}
"""Nobody else reaches a cluster of the loopback device; without it a driver must know a token."""


class Cluster:
    """A cluster with a head of its own, which can be killed and started anew at the same place."""

    def __init__(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.place = tempfile.mkdtemp(prefix="ray")  # names of sockets must be short
        self.drivers = []
        self.start()

    def start(self):
        command = [sys.executable, "-m", "ray.scripts.scripts", "start", *HEAD]
        command += [f"--port={self.port}", f"--temp-dir={self.place}", "--object-store-memory=100000000"]
        self.head = subprocess.Popen(
            command, env={**os.environ, **ALONE}, start_new_session=True, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def kill(self):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.head.pid, signal.SIGKILL)
        self.head.wait()

    def driver(self, *arguments):
        """A process that scores parts on the ray_cluster."""
        paths = os.pathsep.join([str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])])
        environment = {**os.environ, **ALONE, "RAY_ADDRESS": f"127.0.0.1:{self.port}", "PYTHONPATH": paths}
        command = [sys.executable, str(HERE / "ray_driver.py"), *map(str, arguments)]
        self.drivers.append(
            subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        )
        return self.drivers[-1]

    def end(self):
        for driver in self.drivers:
            driver.kill()
            driver.communicate()
        self.kill()
        shutil.rmtree(self.place, ignore_errors=True)


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="processes are not in groups here")
def test_the_head_is_started_anew(folder, tmp_path):
    """What a lost cluster had is done again, and counts once; a connection of somebody else is told to be lost."""
    working, spared = tmp_path / "working", tmp_path / "spared"
    working.mkdir()
    spared.mkdir()
    for k in range(3):
        (spared / f"part-{k:05d}").touch()
    own = Cluster()
    try:
        driver = own.driver("ours", folder, tmp_path)
        assert [driver.stdout.readline().split() for _ in range(3)] == [["done", str(k)] for k in (1, 2, 3)]
        own.kill()
        own.start()
        (spared / "all").touch()
        told, errors = driver.communicate(timeout=300)
        assert driver.returncode == 0, errors
        assert told.splitlines()[:-1] == [f"done {k}" for k in range(4, 11)]
        assert told.splitlines()[-1] == vesica.evaluate(*world()).to_json().replace("\n", "")

        for one in [*spared.iterdir(), *working.iterdir()]:
            one.unlink()
        driver = own.driver("theirs", folder, tmp_path)
        while driver.poll() is None and not any(working.iterdir()):
            time.sleep(0.05)
        own.kill()
        told, errors = driver.communicate(timeout=300)
        assert driver.returncode == 3
        assert "The cluster of Ray is gone" in told and "ray.init" in told
    finally:
        own.end()


def _killed(pid):
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
        return 1
    return 0
