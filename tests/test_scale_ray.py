"""A cluster of Ray, of several worker processes of this machine: the bytes of one run, whatever dies meanwhile."""

import contextlib
import importlib
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
from command import run as command
from installed import has
from shards import KINDS, UNEVEN, parts, scored, table_of, world
from vesica import scale
from vesica.errors import InputError
from vesica.scale import detection, kept, run
from vesica.scale import ray as engine_of_ray
from vesica.scale.ray import AHEAD, Ray

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
if not has("ray"):
    pytest.skip("Ray is not installed", allow_module_level=True)

pytestmark = pytest.mark.slow
HERE = Path(__file__).parent
ALONE = {"RAY_AUTH_MODE": "disabled"}
"""Nobody else reaches a cluster of the loopback device; without it a driver must know a token."""


class Cluster:
    """A cluster with a head of its own, which can be killed and started anew at the same place."""

    def __init__(self, ray):
        self.ray = ray
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.place = tempfile.mkdtemp(prefix="ray")  # names of sockets must be short
        self.drivers = []
        paths = os.pathsep.join([str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])])
        self.environment = {**os.environ, **ALONE, "PYTHONPATH": paths}  # workers know the modules of the tests
        self.start()

    def start(self, processors=4):
        command = [sys.executable, str(HERE / "ray_head.py"), str(self.port), self.place, str(processors)]
        self.head = subprocess.Popen(
            command, env=self.environment, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    def connect(self):
        """Let this process be one of its drivers."""
        if self.ray.is_initialized():
            return
        if self.head.poll() is not None:
            self.start()
        while not self.answers():
            assert self.head.poll() is None, "the head has ended"
            time.sleep(0.05)
        self.ray.init(f"127.0.0.1:{self.port}", log_to_driver=False, logging_level="error")

    def answers(self):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
            return True
        return False

    def kill(self):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.head.pid, signal.SIGKILL)
        self.head.wait()

    def driver(self, *arguments):
        """A process that scores parts on the cluster."""
        environment = {**self.environment, "RAY_ADDRESS": f"127.0.0.1:{self.port}"}
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
        for _ in range(20):  # whoever outlives the head may write meanwhile
            shutil.rmtree(self.place, ignore_errors=True)
            if not os.path.exists(self.place):
                break
            time.sleep(0.1)


@pytest.fixture(scope="module")
def ray():
    """Loaded by the worker that has these tests, and not when all tests are collected."""
    return importlib.import_module("ray")


@pytest.fixture(scope="module")
def own_cluster(ray):
    """One for all tests: to start one takes seconds."""
    own = Cluster(ray)
    with pytest.MonkeyPatch.context() as patched:
        for name, value in ALONE.items():
            patched.setenv(name, value)
        yield own
        ray.shutdown()
    own.end()


@pytest.fixture
def ray_cluster(own_cluster):
    """A cluster of this machine, with room for four workers, which know the modules of the tests."""
    own_cluster.connect()


@pytest.fixture
def folder(tmp_path):
    return parts(tmp_path / "parts", table_of(*world()), UNEVEN, shuffled=False)


def test_one_is_started_where_there_is_none(tmp_path, monkeypatch, capsys, ray):
    """By the command line, and ended by it; without what nobody looks at, which takes longer to begin."""
    ray.shutdown()
    for name in ("start_monitor", "start_log_monitor", "start_api_server"):
        monkeypatch.setattr(f"ray._private.node.Node.{name}", lambda *_, **__: None, raising=False)
    table = table_of(*world())
    parts(tmp_path / "parts", table, UNEVEN)
    pq.write_table(table, tmp_path / "all.parquet")
    monkeypatch.chdir(tmp_path)
    want = command(capsys, "eval", "all.parquet", "all.parquet", "--json", "--quiet")
    assert command(capsys, "eval", "parts", "--engine", "ray", "--workers", "2", "--json", "--quiet") == want
    assert want[0] == 0 and not ray.is_initialized()


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


@pytest.mark.parametrize("workers, room", [(2, 2), (None, AHEAD)])
def test_who_stops_leaves_little_behind(ray_cluster, tmp_path, monkeypatch, workers, room, ray):
    """On somebody else's cluster what waits is never begun, nothing is cancelled: Ray may end this process for it."""
    monkeypatch.setattr(ray, "cancel", lambda *_, **__: pytest.fail("a task was cancelled"))
    engine = Ray(workers)
    for number in range(100):
        engine.submit(killed.noted, "a part", str(tmp_path), number)
    done = len(engine.wait())
    engine.close()
    ray.get(ray.remote(num_cpus=4)(killed.slowly).options(num_returns=2).remote(b""))  # once nobody else is at work
    assert len(list(tmp_path.iterdir())) <= done + room and ray.is_initialized()


def test_a_cluster_that_grew(ray_cluster, monkeypatch, ray):
    """A worker is asked, and never the head by this process: Ray would end it while the head is replaced."""
    engine = Ray(None)
    monkeypatch.setattr(ray, "cluster_resources", lambda: pytest.fail("the head was asked"))
    monkeypatch.setattr(engine_of_ray, "PATIENCE", 0.01)
    monkeypatch.setattr(engine_of_ray, "GROWTH", 0.0)
    assert engine.workers == 4
    engine.workers = 1
    begin = time.monotonic()
    while engine.workers == 1 and time.monotonic() - begin < 60:
        engine.submit(killed.slowly, "a part", b"")
        engine.wait()
    engine.close()
    assert engine.workers == 4


def test_under_a_budget_of_memory(folder, ray_cluster):
    found = scale.evaluate(folder, engine="ray", workers=2, memory="100MB")
    assert found.to_json() == vesica.evaluate(*world()).to_json()


@pytest.mark.parametrize("memory", [None, "100MB"])
def test_goes_on_where_it_was(folder, tmp_path, ray_cluster, monkeypatch, memory):
    def stop(done, *_):
        if done == 5:
            raise KeyboardInterrupt

    monkeypatch.setattr(kept, "SECONDS", 0.0)
    options = {"checkpoint": tmp_path / "kept", "engine": "ray", "workers": 2, "memory": memory}
    with pytest.raises(KeyboardInterrupt):
        scale.evaluate(folder, progress=stop, **options)
    assert list(options["checkpoint"].glob("*.parts"))
    assert scale.evaluate(folder, **options).to_json() == vesica.evaluate(*world()).to_json()


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
    def test_a_worker_always(self, ray_cluster):
        engine = Ray(2)
        engine.submit(killed.killed_always, "the poisonous part")
        with pytest.raises(InputError, match="the poisonous part cannot be worked on: .* 4 times"):
            engine.wait()
        engine.close()

    def test_workers_at_eight_moments(self, tmp_path, ray_cluster, monkeypatch):
        """No part is lost, and none counts twice, however often a worker is killed in the middle of one.

        Each takes a new process its time to begin; test_scale.py kills twenty of those that begin at once.
        """
        monkeypatch.setattr(run, "mapped", killed.awaited)
        monkeypatch.setattr(detection, "_check_options", lambda options: None)  # some are for the worker
        folder = parts(tmp_path / "parts", table_of(*world()), [4] * 15)
        _signs(tmp_path)
        working, spared = tmp_path / "working", tmp_path / "spared"
        chance, stop, kills = random.Random(5), threading.Event(), Counter()

        def kill():
            while kills.total() < 8 and not stop.wait(chance.uniform(0.01, 0.1)):
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
        assert kills.total() == 8


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="processes are not in groups here")
def test_the_head_is_started_anew(folder, tmp_path, own_cluster, ray):
    """What a lost cluster had is done again, and counts once; a connection of somebody else is told to be lost."""
    mine, other = (_signs(tmp_path / name) for name in ("mine", "other"))
    two = tmp_path / "two"  # so many that there is room for both
    two.mkdir()
    for k in range(3):
        (mine / "spared" / f"part-{k:05d}").touch()
        if k < 2:
            shutil.copy(folder / f"part-{k:05d}.parquet", two)
    ray.shutdown()  # this process is none of those that lose it
    theirs = own_cluster.driver("theirs", two, other)
    while theirs.poll() is None and len(list((other / "working").iterdir())) < 2:
        time.sleep(0.05)
    ours = own_cluster.driver("ours", folder, mine)
    assert [ours.stdout.readline().split() for _ in range(3)] == [["done", str(k)] for k in (1, 2, 3)]
    own_cluster.kill()
    own_cluster.start(2)
    (mine / "spared" / "all").touch()
    told, errors = ours.communicate(timeout=300)
    assert ours.returncode == 0, errors
    assert told.splitlines()[:-1] == [f"done {k}" for k in range(4, 11)]
    assert told.splitlines()[-1] == vesica.evaluate(*world()).to_json().replace("\n", "")
    told, errors = theirs.communicate(timeout=300)
    assert theirs.returncode == 3, errors
    assert "The cluster of Ray is gone" in told and "ray.init" in told


def _signs(folder):
    """Where `killed.awaited` says what is worked on, and is told to go on."""
    for name in ("working", "spared"):
        (folder / name).mkdir(parents=True)
    return folder


def _killed(pid):
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
        return 1
    return 0
