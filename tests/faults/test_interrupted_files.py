"""Ctrl-C while files are read or written: all is as it was, or done, and the process goes on."""

import os
import signal
import sys
from pathlib import Path

import pytest

from processes import script
from vesica.io import atomic
from writers import WRITERS, content_of, parts_beside

TESTS = str(Path(__file__).parents[1])


def interrupted(line, call):
    """Is a call of ours interrupted before the n-th line that runs in `io/atomic.py`, or did it not get that far?"""
    left = line

    def trace(frame, event, argument):
        nonlocal left
        if frame.f_code.co_filename != atomic.__file__:
            return None
        if event == "line":
            left -= 1
            if not left:
                raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


# A file that was opened and not yet entered is closed when it is forgotten.
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("is_new", [True, False], ids=["new", "again"])
@pytest.mark.parametrize("name", ["csv", "voc", "yolo"])
def test_before_every_line(tmp_path, name, is_new):
    writer = WRITERS[name]
    place = tmp_path / writer.place
    writer.write(place, 1)
    new = content_of(place)
    found, line = set(), 0
    while True:
        line += 1
        place = tmp_path / f"at{line}" / writer.place
        place.parent.mkdir()
        old = None
        if not is_new:
            writer.write(place, 0)
            old = content_of(place)
        stopped = interrupted(line, lambda place=place: writer.write(place, 1))
        content = content_of(place)
        assert content in (old, new) and not parts_beside(place), line
        found.add((stopped, "new" if content == new else "old"))
        if not stopped:
            break
    assert found >= {(True, "old"), (False, "new")} and line > 20


# A timer sends the signal at moments that are shares of the time that the call takes.
MOMENTS = """
import os, signal, sys, time
sys.path.insert(0, sys.argv[1])
from pathlib import Path
import vesica
from vesica.detection import Records
from vesica.io import arrays
import writers
from writers import SIZE, WRITERS, content_of, parts_beside

signal.signal(signal.SIGALRM, signal.default_int_handler)

def stopped(call, after):
    try:
        signal.setitimer(signal.ITIMER_REAL, after)
        call()
        signal.setitimer(signal.ITIMER_REAL, 0)
        time.sleep(0)
    except KeyboardInterrupt:
        return True
    return False

def seconds(call):
    began = time.perf_counter()
    call()
    return time.perf_counter() - began

def moments(call):
    took = seconds(call)
    return [max(1e-6, share * took) for share in (0, 0.2, 0.4, 0.6, 0.8, 1.0)]

def reader(name, place):
    if name.startswith("table"):
        return lambda: arrays.read(str(place)).tobytes()
    if name == "records":
        return lambda: Records.from_bytes(place.read_bytes()).to_bytes()
    if name == "panoptic":
        return lambda: vesica.evaluate_panoptic(place / "val.json", place / "val.json").to_bytes()
    options = {"sizes": SIZE} if name == "yolo" else {}
    path = place / "truth.json" if name == "demo" else place
    return lambda: vesica.read(path, **options).xywh.tobytes()

def descriptors():
    return len(os.listdir("/proc/self/fd")) if os.path.exists("/proc/self/fd") else 0

for name, writer in WRITERS.items():
    place = Path(sys.argv[2], str(list(WRITERS).index(name)), writer.place)
    place.parent.mkdir()
    contents = []
    for which in (0, 1):
        writer.write(place, which)
        contents.append(content_of(place))
    verdicts = set()
    for after in moments(lambda: writer.write(place, 1)):
        writer.write(place, 0)
        stopped(lambda: writer.write(place, 1), after)
        sound = content_of(place) in contents and not parts_beside(place)
        verdicts.add("written" if sound else f"broken: {parts_beside(place)}")
    writer.write(place, 1)
    read = reader(name, place)
    want, opened = read(), descriptors()
    for after in moments(read):
        stopped(read, after)
        verdicts.add("read" if (read(), descriptors()) == (want, opened) else "read wrong")
    print(name, *sorted(verdicts), sep=": ")
"""


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers that send signals")
def test_at_any_moment(tmp_path):
    ended = script(MOMENTS, TESTS, tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.splitlines() == [f"{name}: read: written" for name in WRITERS]


def test_a_signal_while_a_folder_is_closed(tmp_path, monkeypatch):
    """shutil.rmtree closes it again then, and raises what that gives: the signal would be lost."""
    import shutil

    from vesica.io import atomic

    (tmp_path / "work").mkdir()

    def closed_twice(*_, **__):
        try:
            raise KeyboardInterrupt
        finally:
            os.close(-1)

    monkeypatch.setattr(shutil, "rmtree", closed_twice)
    with pytest.raises(KeyboardInterrupt):
        atomic._remove(tmp_path / "work")


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_command_line(tmp_path):
    """Exit code 130, the old file, and no part of a new one."""
    code = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
from vesica.cli import main
from vesica.io import atomic
signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell turns off for what runs behind it
path, sync = sys.argv[2], os.fsync
def interrupted(number):
    signal.raise_signal(signal.SIGINT)
    sync(number)
os.fsync = interrupted
print(main(["nms", path, "-o", path]), sorted(os.listdir(os.path.dirname(path))))
"""
    path = tmp_path / "boxes.csv"
    path.write_text("0,0,4,4,0.5\n0,0,4,4,0.9\n")
    ended = script(code, TESTS, path)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "130 ['boxes.csv']\n", "")
    assert path.read_text() == "0,0,4,4,0.5\n0,0,4,4,0.9\n"
