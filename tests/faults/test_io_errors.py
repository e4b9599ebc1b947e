"""Disks that fail (EIO) at any step of writing, and files that cannot be read to their end."""

import builtins
import errno
import os
import sys
from pathlib import Path

import numpy as np
import pytest

import vesica
from processes import script
from vesica import InputError
from vesica.io import arrays, atomic, files
from writers import SIZE, WRITERS, content_of, each, parts_beside

TESTS = str(Path(__file__).parents[1])


def failing(*_, **__):
    """A new error each time: an old one holds on to the frames in which it was raised, and to their arrays."""
    raise OSError(errno.EIO, os.strerror(errno.EIO))


class Faulty:
    """A file whose n-th call of a method fails."""

    def __init__(self, file, method, at=1):
        self.file, self.method, self.left = file, method, at

    def __getattr__(self, name):
        found = getattr(self.file, name)
        if name != self.method:
            return found

        def call(*arguments):
            self.left -= 1
            if not self.left:
                failing()
            return found(*arguments)

        return call

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()
        if self.method == "close":
            failing()


def fails(monkeypatch, method, name=".part", at=1):
    """Let a method of files with this in their name fail."""
    real = open

    def opened(path, *arguments, **options):
        file = real(path, *arguments, **options)
        return Faulty(file, method, at) if not isinstance(path, int) and name in str(path) else file

    monkeypatch.setattr(builtins, "open", opened)


class TestWriting:
    @pytest.mark.parametrize("method", ["write", "flush", "close", "fsync", "replace"])
    @pytest.mark.parametrize("name", each(folders=False))
    def test_file(self, tmp_path, monkeypatch, name, method):
        writer = WRITERS[name]
        place = tmp_path / writer.place
        writer.write(place, 0)
        old = content_of(place)
        with monkeypatch.context() as patched:
            if hasattr(os, method) and method in ("fsync", "replace"):
                patched.setattr(os, method, failing)
            else:
                fails(patched, method)
            with pytest.raises(InputError, match="cannot be written: (Input/output error|exit code 3)"):
                writer.write(place, 1)
        assert content_of(place) == old and not parts_beside(place)

    @pytest.mark.parametrize("name", each(folders=True))
    def test_folder(self, tmp_path, monkeypatch, name):
        """Each write of each file, one after the other, until none fails."""
        writer = WRITERS[name]
        place = tmp_path / writer.place
        writer.write(place, 0)
        old = content_of(place)
        for method in ("write", "close"):
            with monkeypatch.context() as patched:
                fails(patched, method)
                with pytest.raises(InputError, match="cannot be written: (Input/output error|exit code 3)"):
                    writer.write(place, 1)
            assert content_of(place) == old and not parts_beside(place)

    def test_table_by_parts(self, tmp_path, monkeypatch):
        """A large table goes out in several writes, of which a later one fails."""
        path, table = tmp_path / "table.npy", np.zeros((3000, 1000))
        arrays.write(str(path), table)
        for at in (1, 2, 3):
            with monkeypatch.context() as patched:
                fails(patched, "write", at=at)
                with pytest.raises(InputError, match="table.npy cannot be written: Input/output error"):
                    arrays.write(str(path), table + 1)
            assert not np.load(path).any() and os.listdir(tmp_path) == ["table.npy"]


# The n-th thing that is asked of the file system fails, for every n. What is written is old or new; parts are left only
# where taking them away is what failed.
STEPS = """
import errno, os, sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from vesica import InputError
from writers import WRITERS, content_of, parts_beside

CHANGING = {"os.rename", "os.mkdir", "os.chmod", "os.chown", "os.remove", "os.rmdir"}
left, home = 0, None

def hook(event, arguments):
    global left
    opens = event == "open" and isinstance(arguments[0], str) and ".vesica-" in arguments[0]
    if left and (event in CHANGING or opens):
        left -= 1
        if not left:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

sys.addaudithook(hook)
for name, writer in WRITERS.items():
    place = Path(sys.argv[2], str(list(WRITERS).index(name)), writer.place)
    place.parent.mkdir()
    contents = []
    for which in (0, 1):
        writer.write(place, which)
        contents.append(content_of(place))
    at, verdicts = 0, set()
    while not verdicts or left == 0:
        if content_of(place) != contents[0]:
            writer.write(place, 0)
        before = parts_beside(place)
        at += 1
        left = at
        try:
            writer.write(place, 1)
        except InputError as error:
            told = "Input/output error" in str(error) or "exit code 3" in str(error)
            verdict = "told" if told else str(error)
        else:
            verdict = "written"
        ended, left = left, 0
        if content_of(place) != contents[verdict == "written"]:
            verdict += ", wrong"
        if verdict != "written" and parts_beside(place) != before:
            verdict += ", parts"
        verdicts.add(verdict)
        if ended:
            break
    print(name, *sorted(verdicts), sep=": ")
"""


def test_at_every_step(tmp_path):
    ended = script(STEPS, TESTS, tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.splitlines() == [f"{name}: told: written" for name in WRITERS]


class TestReading:
    @pytest.mark.skipif(not os.path.exists("/proc/self/mem"), reason="no file that cannot be read")
    @pytest.mark.parametrize("name", ["truth.json", "guess.csv", "guess.npy", "all.npz", "a.xml", "a.txt", "a.json.gz"])
    def test_real_fault(self, tmp_path, name):
        """The first byte of this process' memory is nobody's."""
        (tmp_path / name).symlink_to("/proc/self/mem")
        with pytest.raises(InputError, match=f"{name} cannot be read: Input/output error"):
            vesica.read(tmp_path / name)

    @pytest.mark.parametrize("name", each(without=("records", "demo", "detections", "panoptic")))
    def test_every_reader(self, tmp_path, monkeypatch, name):
        writer = WRITERS[name]
        place = tmp_path / writer.place
        writer.write(place, 0)
        options = {"sizes": SIZE} if name == "yolo" else {}
        read = (lambda: arrays.read(str(place))) if name.startswith("table") else lambda: vesica.read(place, **options)
        before = read()
        with monkeypatch.context() as patched:
            patched.setattr(files.OpenFile, "_all_bytes", failing)
            with pytest.raises(InputError, match="cannot be read: Input/output error"):
                read()
        after = read()
        assert np.array_equal(before, after) if name.startswith("table") else np.array_equal(before.xywh, after.xywh)


def test_put_back_fails(tmp_path, monkeypatch):
    """Where even going back fails, the folder says that it is unfinished, and nothing is lost."""
    writer = WRITERS["voc"]
    writer.write(tmp_path / "voc", 0)
    real, calls = os.replace, []

    def replace(*paths):
        calls.append(paths)
        if len(calls) > 2:
            failing()
        real(*paths)

    monkeypatch.setattr(atomic.os, "replace", replace)
    with pytest.raises(InputError, match="Input/output error"):
        writer.write(tmp_path / "voc", 1)
    monkeypatch.undo()
    with pytest.raises(InputError, match="was not written to its end: 3 files are missing"):
        vesica.read(tmp_path / "voc")
    (work,) = (tmp_path / "voc").glob(".vesica-*.unfinished")
    assert len(content_of(work / "old")) == 2 and len(content_of(work / "new")) == 3 and sys.exc_info() == (None,) * 3
    writer.write(tmp_path / "voc", 1)
    assert len(vesica.read(tmp_path / "voc").images) == 3 and not parts_beside(tmp_path / "voc")
