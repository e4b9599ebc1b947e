"""Files that another process writes while they are read."""

import json
import os

import numpy as np
import pytest

import vesica
from processes import script
from vesica import InputError, _native
from vesica.io import files

ROWS = [{"image_id": k % 500, "category_id": 1, "bbox": [1, 2, 3, 4], "score": k / 60_000} for k in range(60_000)]
TEXT = json.dumps(ROWS).encode()
BLOCK = 1 << 20  # bytes that one thread reads in a go
SCORES = np.array([row["score"] for row in ROWS])


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "guess.json"
    path.write_bytes(TEXT)
    return path


@pytest.mark.parametrize("size", [1, 2, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK + 1])
@pytest.mark.parametrize("threads", [1, 3])
def test_every_byte(tmp_path, size, threads):
    path = tmp_path / "bytes"
    path.write_bytes(np.random.default_rng(size).bytes(size))
    with path.open("rb") as file:
        assert _native.file_bytes_read(file.fileno(), size, threads) == path.read_bytes()


def changed_meanwhile(monkeypatch, change):
    """Let `change` happen after a file was opened, and before its bytes are read."""
    read = files._all_bytes

    def later(file, size):
        change()
        return read(file, size)

    monkeypatch.setattr(files, "_all_bytes", later)


@pytest.mark.parametrize("size", [0, 1, 4096, len(TEXT) // 2, len(TEXT) - 1])
@pytest.mark.parametrize("name", ["guess.json", "guess.csv", "guess.npy"])
def test_shorter(monkeypatch, tmp_path, size, name):
    path = tmp_path / name
    path.write_bytes(TEXT)
    changed_meanwhile(monkeypatch, lambda: os.truncate(path, size))
    with pytest.raises(InputError, match=rf"{name} changed while it was read: it had {len(TEXT)} bytes, .* {size}\."):
        files.load(path)


def test_longer(monkeypatch, path):
    def append():
        with path.open("ab") as file:
            file.write(b"\n")

    changed_meanwhile(monkeypatch, append)
    with pytest.raises(InputError, match="changed while it was read"):
        vesica.read(path)


def test_small(monkeypatch, path):
    path.write_bytes(b"[]")
    changed_meanwhile(monkeypatch, lambda: os.truncate(path, 1))
    with pytest.raises(InputError, match="changed while it was read: it had 2 bytes, and then 1"):
        vesica.read(path)


def test_renamed(monkeypatch, path):
    """Who writes beside and renames disturbs nobody: the file that was opened is read to its end."""
    other = path.with_suffix(".new")
    other.write_bytes(b"[]")
    changed_meanwhile(monkeypatch, lambda: os.replace(other, path))
    assert vesica.read(path).score.tobytes() == SCORES.tobytes()


def test_after_it_was_read(path):
    """What was read stays as it was."""
    code = """
import os, sys, vesica
from vesica.io import coco, files
path = sys.argv[1]
file = files.load(path)
os.truncate(path, 0)
print(coco.dataset_of(file).score.sum())
"""
    ended = script(code, path)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, f"{SCORES.sum()}\n", "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_truncations_at_any_moment(path):
    """Two hundred reads, while another process writes the file again and again."""
    code = """
import collections, json, os, sys, vesica
path, text, parent = sys.argv[1], open(sys.argv[1], "rb").read(), os.getpid()
if not (child := os.fork()):
    while os.getppid() == parent:
        with open(path, "wb") as file:
            for begin in range(0, len(text), 1 << 20):
                file.write(text[begin : begin + (1 << 20)])
    os._exit(0)
ends = collections.Counter()
for _ in range(200):
    try:
        ends[f"{len(vesica.read(path))} rows"] += 1
    except vesica.InputError as error:
        ends["changed" if "changed while it was read" in str(error) else "incomplete"] += 1
os.kill(child, 9)
os.waitpid(child, 0)
print(json.dumps(ends))
"""
    ended = script(code, path)
    assert (ended.returncode, ended.stderr) == (0, "")
    ends = json.loads(ended.stdout)
    assert ends.keys() <= {"changed", "incomplete", f"{len(ROWS)} rows"} and sum(ends.values()) == 200
