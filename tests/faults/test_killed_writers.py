"""`kill -9` while something is written: the old is left, or the new, and never half of it."""

import collections
import os
import shutil
import tempfile
from pathlib import Path

import pytest

from processes import script
from vesica.io.formats import writable
from writers import ALL, WRITERS

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")

MEMORY = "/dev/shm"


@pytest.fixture
def folder():
    """In memory where that can be: what is killed does not wait for a disk."""
    folder = tempfile.mkdtemp(dir=MEMORY if os.access(MEMORY, os.W_OK) else None)
    yield Path(folder)
    shutil.rmtree(folder)


def killed(how, folder):
    """Lines of `kill_writers.py`: writer, beginning, number, exit code, what is left."""
    ended = script(Path(__file__).with_name("kill_writers.py"), how, folder, VESICA_NUM_THREADS="1")
    assert (ended.returncode, ended.stderr) == (0, "")
    return [line.split("\t") for line in ended.stdout.splitlines()]


def left(lines):
    """What was left, over all kills, by what was there before: a file, no folder, a folder."""
    found = collections.defaultdict(set)
    for _, begin, _, _, verdict in lines:
        found[begin].add(verdict)
    return found


def test_every_format_is_written():
    assert set(writable()) <= set(ALL)


def test_at_every_step(folder):
    """Before each thing that a writer asks of the file system."""
    lines = killed("steps", folder)
    assert left(lines) == {"file": {"old", "new"}, "new": {"old", "new"}, "folder": {"old", "new", "unfinished"}}
    last = {tuple(line[:2]): line[3:] for line in lines}
    assert all(end == ["0", "new"] for end in last.values())
    assert {line[3] for line in lines} == {"-9", "0"} and {line[0] for line in lines} == set(WRITERS)


def test_at_any_moment(folder):
    """Two hundred times, from outside."""
    lines = killed("moments", folder)
    assert len(lines) >= 200 and {line[3] for line in lines} == {"-9"}
    found = left(lines)
    assert found["file"] | found["new"] <= {"old", "new"} and found["folder"] <= {"old", "new", "unfinished"}


def test_at_a_byte(folder):
    """In the middle of a file: nothing has been renamed."""
    lines = killed("bytes", folder)
    assert left(lines) == {"file": {"old"}, "new": {"old"}, "folder": {"old"}}
    assert {line[3] for line in lines} == {"-25"}
