"""Scores under a budget of memory: the same bytes, from disk; what is left behind, and what is refused."""

import errno
import os

import numpy as np
import pytest

import processes
import vesica
from vesica import scale
from vesica._check import scale as check
from vesica.errors import InputError
from vesica.io import atomic
from vesica.scale import detection, kept

pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
from shards import UNEVEN, parts, table_of, world  # noqa: E402


@pytest.fixture
def folder(tmp_path):
    return parts(tmp_path / "parts", table_of(*world()), UNEVEN)


class TestSameBytes:
    @pytest.mark.parametrize("engine", ["threads", "processes"])
    @pytest.mark.parametrize("protocol", ["coco", "voc12"])
    def test_detection(self, folder, engine, protocol, monkeypatch):
        processes.warm_pools(monkeypatch)
        found = scale.evaluate(folder, engine=engine, workers=2, memory="100MB", protocol=protocol)
        whole = vesica.evaluate(*world(), protocol=protocol)
        assert whole[next(iter(whole))] > 0.005
        assert found.to_json() == whole.to_json() and str(found) == str(whole)

    @pytest.mark.parametrize("together", [1, 1 << 30])
    def test_many_files_or_one(self, folder, together, monkeypatch):
        monkeypatch.setattr(kept, "TOGETHER", together)
        assert scale.evaluate(folder, memory="100MB").to_json() == vesica.evaluate(*world()).to_json()

    def test_a_table_in_pieces(self, tmp_path, monkeypatch):
        """A part that is too large for a worker is gone through some images at a time."""
        truth, guess = world()
        pq.write_table(table_of(truth, guess), tmp_path / "all.parquet")
        pieces, own = [], detection._records_of_table
        monkeypatch.setattr(
            detection, "_records_of_table", lambda table, *how: pieces.append(len(table)) or own(table, *how)
        )
        monkeypatch.setattr(detection, "_OF_A_VALUE", 100_000)
        found = scale.evaluate(tmp_path / "all.parquet", memory="10MB")
        assert len(pieces) > 3 and sum(pieces) == 60
        assert found.to_json() == vesica.evaluate(truth, guess).to_json()

    def test_pairs_of_files(self, tmp_path):
        truth, guess = world()
        vesica.write(tmp_path / "truth.parquet", truth)
        vesica.write(tmp_path / "guess.parquet", guess)
        paths = tmp_path / "truth.parquet", tmp_path / "guess.parquet"
        assert scale.evaluate(*paths, memory="100MB").to_json() == scale.evaluate(*paths).to_json()

    def test_expected_images(self, folder):
        ids = [*(f"im{k:03d}" for k in range(60)), "more"]
        with pytest.raises(InputError, match="1 of 61 expected images were in no part: 'more'"):
            scale.evaluate(folder, memory="100MB", expected=ids)
        found = scale.evaluate(folder, memory="100MB", expected=ids, partial=True)
        assert "1 expected images were in no part" in str(found)


class TestBudget:
    @pytest.mark.parametrize(
        "value, size",
        [
            ("2GB", 2 * 10**9),
            ("2 gb", 2 * 10**9),
            ("1.5G", 1_500_000_000),
            ("64MiB", 64 << 20),
            ("512m", 512 * 10**6),
            ("20000000", 20_000_000),
            ("1e8", None),
            (10**8, 10**8),
            (None, "none"),
            ("0.000000001TB", "small"),
            (0, "small"),
            (-5, "small"),
            ("2 PB", None),
            ("", None),
            ("GB", None),
            ("-1GB", None),
            ("2GB2", None),
            ("٢GB", None),
            (2.5e9, None),
            (True, None),
            ([1], None),
        ],
    )
    def test_sizes(self, value, size):
        if size == "none":
            assert check.memory(value) is None
        elif size == "small":
            with pytest.raises(ValueError, match="`memory` must be at least"):
                check.memory(value)
        elif size is None:
            with pytest.raises(ValueError, match='`memory` must be a number of bytes, or a text such as "2GB"; got'):
                check.memory(value)
        else:
            assert check.memory(value) == size

    @pytest.mark.parametrize(
        "call, message",
        [
            ({"memory": "much"}, "`memory` must be"),
            ({"memory": "1GB", "details": True}, "`details` keeps every guess"),
            ({"memory": "1GB", "duplicates": "same"}, "`duplicates` that are 'same' are compared"),
            ({"scratch": "."}, "`memory` was not given"),
            ({"memory": "1GB", "scratch": ".", "checkpoint": "here"}, "leave out `scratch`"),
        ],
    )
    def test_bad_calls(self, folder, call, message):
        with pytest.raises(ValueError, match=message):
            scale.evaluate(folder, **call)


class TestScratch:
    def test_nothing_stays(self, folder, tmp_path):
        place = tmp_path / "scratch"
        place.mkdir()
        seen = []
        scale.evaluate(
            folder, memory="100MB", scratch=place, progress=lambda *_: seen.append(len(list(place.iterdir())))
        )
        assert seen and set(seen) == {1} and list(place.iterdir()) == []

    @pytest.mark.parametrize("error", [KeyboardInterrupt, InputError, RuntimeError])
    def test_nothing_stays_after_an_error(self, folder, tmp_path, error):
        def stop(done, *_):
            if done == 4:
                raise error("stop")

        place = tmp_path / "scratch"
        place.mkdir()
        with pytest.raises(error):
            scale.evaluate(folder, memory="100MB", scratch=place, progress=stop)
        assert list(place.iterdir()) == []

    def test_it_must_be_there(self, folder, tmp_path):
        with pytest.raises(InputError, match="`scratch` must be a folder that is there"):
            scale.evaluate(folder, memory="100MB", scratch=tmp_path / "nowhere")

    def test_a_full_disk(self, folder, tmp_path, monkeypatch):
        class Full:
            def __init__(self, out):
                self.out = out

            def write(self, piece):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

            def __getattr__(self, name):
                return getattr(self.out, name)

        own = atomic._beside

        class Opened:
            def __init__(self, *given):
                self.out = own(*given)

            def __enter__(self):
                return Full(self.out.__enter__())

            def __exit__(self, *error):
                return self.out.__exit__(*error)

        monkeypatch.setattr(atomic, "_beside", Opened)
        with pytest.raises(InputError, match=r"\.parts cannot be written: No space left on device"):
            scale.evaluate(folder, memory="100MB", scratch=tmp_path)
        assert [path.name for path in tmp_path.iterdir()] == ["parts"]

    @pytest.mark.parametrize("at", [0, 30, 0.5, 0.9])
    def test_a_damaged_file(self, folder, tmp_path, at, monkeypatch):
        """Whichever byte of what was put on disk is wrong, the file is named."""
        own = kept.Kept.write

        def write(self, merge):
            own(self, merge)
            for path in self.files:
                data = bytearray(path.read_bytes())
                data[int(at * len(data)) if at < 1 else at] ^= 64
                path.write_bytes(data)

        monkeypatch.setattr(kept.Kept, "write", write)
        with pytest.raises(InputError, match=r"000001\.parts"):
            scale.evaluate(folder, memory="100MB", scratch=tmp_path)


def test_seen_images():
    rng = np.random.default_rng(0)
    ids = rng.permutation(3000).tolist()
    seen = scale_seen()
    for k in range(100):
        assert seen.add(ids[30 * k : 30 * k + 30], k) is None
    assert len(seen._levels) < 9
    for k in (0, 37, 99):
        clash, part = seen.add([5000 + k, ids[30 * k + 3]], 200)
        assert (clash, part) == (ids[30 * k + 3], k)
    assert seen.lacking([1, 2999, 3000, "x", 1 << 70]) == [3000, "x", 1 << 70]
    assert seen.add([1 << 70, "x"], 300) is None and seen.add(["x"], 301) == ("x", 300)


def scale_seen():
    from vesica.scale.seen_images import SeenImages

    return SeenImages()
