"""A cluster of Ray, of several worker processes of this machine: the bytes of one run, whatever dies meanwhile."""

import contextlib
import json
import os
import random
import signal
import threading
from collections import Counter
from pathlib import Path

import pytest

import killed
import vesica
from shards import KINDS, UNEVEN, parts, scored, table_of, world
from vesica import scale
from vesica.errors import InputError
from vesica.scale import engines, run

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
ray = pytest.importorskip("ray")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def cluster():
    """Started once for all tests."""
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


@pytest.fixture
def folder(tmp_path):
    return parts(tmp_path / "parts", table_of(*world()), UNEVEN, shuffled=False)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("workers", [1, 2, 4])
def test_equal_to_the_byte(cluster, kind, workers):
    call, facts, whole = scored(kind)
    assert facts(call(engine="ray", workers=workers)) == whole


@pytest.mark.parametrize("workers", [1, 2])
def test_so_many_workers_at_once(cluster, workers):
    """Also on a cluster that has room for more."""
    engine = engines.Ray(workers)
    for _ in range(5):
        engine.submit(killed.timed, "a part", b"")
    spans = []
    while len(spans) < 5:
        spans += [json.loads(head) for _, head, _ in engine.wait()]
    engine.close()
    assert all(sum(a <= begin < b for a, b in spans) <= workers for begin, _ in spans)


class TestWhatBreaks:
    def test_a_bad_row(self, folder, cluster):
        path = folder / "part-00002.parquet"
        table = pq.read_table(path)
        rows = table.column("truth").to_pylist()
        rows[3][0]["box"][2] = -1.0
        kind = table.schema.field("truth").type
        pq.write_table(table.set_column(table.column_names.index("truth"), "truth", pa.array(rows, kind)), path)
        wanted = r"part-00002\.parquet: `boxes` row 17 must not have a negative side.* in `truth` of image 'im034'"
        with pytest.raises(InputError, match=wanted):
            scale.evaluate(folder, engine="ray")

    def test_a_damaged_file(self, folder, cluster):
        (folder / "part-00004.parquet").write_bytes(b"PAR1")
        with pytest.raises(InputError, match=r"part-00004\.parquet cannot be read as Parquet"):
            scale.evaluate(folder, engine="ray")

    def test_the_same_part_twice(self, folder, cluster):
        (folder / "part-99999.parquet").write_bytes((folder / "part-00001.parquet").read_bytes())
        with pytest.raises(InputError, match=r"part-\d+\.parquet and .*part-\d+\.parquet both have image 'im0\d\d'"):
            scale.evaluate(folder, engine="ray")
        found = scale.evaluate(folder, engine="ray", duplicates="same")
        assert dict(found) == dict(vesica.evaluate(*world()))


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no SIGKILL here")
class TestKilled:
    def test_a_worker_once(self, folder, tmp_path, cluster, monkeypatch):
        monkeypatch.setattr(run, "mapped", killed.killed_first)
        options = {"folder": str(tmp_path), "victim": "part-00001.parquet"}
        found = scale.evaluate(folder, engine="ray", **options)
        assert found.to_json() == vesica.evaluate(*world()).to_json()
        assert (tmp_path / "killed").exists()

    def test_a_worker_always(self, cluster):
        engine = engines.Ray(2)
        engine.submit(killed.killed_always, "the poisonous part")
        with pytest.raises(InputError, match="the poisonous part cannot be worked on: .* 4 times"):
            engine.wait()
        engine.close()

    def test_workers_at_twenty_moments(self, tmp_path, cluster, monkeypatch):
        """No part is lost, and none counts twice, however often a worker is killed in the middle of one."""
        monkeypatch.setattr(run, "mapped", killed.awaited)
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


def _killed(pid):
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
        return 1
    return 0
