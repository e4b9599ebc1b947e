"""Signals at random moments of long calls: the call ends soon, and what comes after it is sound."""

import os
import signal
import subprocess
import sys

import pytest

from processes import PATIENCE, script

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers that send signals")

# Every call would take from seconds to hours, and is interrupted in its first fifth of a second. A timer sends the
# signal, at moments that the seed chooses. Each is made in a fork of its own, for to import all of it takes longer.
LONG = """
import json, os, random, signal, sys, tempfile, time, traceback
from pathlib import Path
import numpy as np
import vesica
from vesica import Boxes, Masks, Polygons, RotatedBoxes, Sets
from vesica.detection import summarise
from vesica.matching import anchors, kmeans

rng = np.random.default_rng(0)

def near(n):
    "Boxes that all overlap, and of which hardly two reach an IoU of 0.9999."
    corners = rng.random((n, 2))
    return np.concatenate([corners, corners + 1 + rng.random((n, 2))], axis=1)

def turned(n):
    return RotatedBoxes(np.concatenate([rng.random((n, 2)), 1 + rng.random((n, 3))], 1), unit="rad", direction="cw")

def tangles(n, vertices):
    return [rng.random((vertices, 2)) for _ in range(n)]

def repeated(regions, n):
    return regions[np.arange(n) % len(regions)]

def masks(n):
    return repeated(Masks(rng.random((50, 32, 32)) < 0.5), n)

def polygons(n):
    return repeated(Polygons(tangles(50, 60)), n)

def sets(n):
    return repeated(Sets([rng.integers(0, 5000, 1000).tolist() for _ in range(50)]), n)

folder = tempfile.TemporaryDirectory()

def pictures(n):
    "Files of truths and guesses whose outlines are eroded, in large images."
    ring = [100, 100, 7900, 200, 7800, 7900, 200, 7800]
    images = [{"id": k, "height": 8000, "width": 8000} for k in range(n)]
    truth = [{"id": k + 1, "image_id": k, "category_id": 1, "iscrowd": 0, "area": 1, "bbox": [0, 0, 1, 1],
              "segmentation": [ring]} for k in range(n)]
    guess = [{"image_id": k, "category_id": 1, "score": 0.5, "segmentation": [[x + j for x in ring]]}
             for k in range(n) for j in range(50 if n > 1 else 2)]
    for name, table in (("truth", {"images": images, "annotations": truth, "categories": [{"id": 1, "name": "a"}]}),
                        ("guess", guess)):
        Path(folder.name, f"{name}{n}.json").write_text(json.dumps(table))
    return Path(folder.name, f"truth{n}.json"), Path(folder.name, f"guess{n}.json")

def scored(n):
    "Records of so many categories, and in how many replicates they are drawn again."
    truth = vesica.Dataset.from_arrays(near(n), image=range(n), category=range(n))
    guess = vesica.Dataset.from_arrays(near(n), image=range(n), category=range(n), score=[0.5] * n)
    return vesica.evaluate(truth, guess).records, 16 if n == 20 else 20_000

CALLS = {
    "best": (lambda n: (near(n), near(n)), 400_000, lambda a, t: vesica.best(*a, threads=t)),
    "join": (near, 400_000, lambda a, t: vesica.join(a, at_least=0.999999, measure="coverage", threads=t)),
    "join with many pairs": (near, 60_000, lambda a, t: vesica.join(a, at_least=0.01, threads=t)),
    "nms": (near, 400_000, lambda a, t: vesica.nms(a, a[:, 0], above=0.9999, measure="coverage", threads=t)),
    "nms, the best": (near, 400_000,
                      lambda a, t: vesica.nms(a, a[:, 0], above=0.999, limit=10**6, measure="coverage", threads=t)),
    "nms of rotated boxes": (turned, 100_000, lambda a, t: vesica.nms(a, a.array[:, 0], above=0.9999, threads=t)),
    "soft-nms": (near, 400_000, lambda a, t: vesica.soft_nms(a, a[:, 0], above=0.9, threads=t)),
    "fusion": (near, 400_000, lambda a, t: vesica.fuse(a, a[:, 0] / 2, above=0.999, threads=t)),
    "assignment": (lambda n: np.outer(np.arange(n), np.arange(n)) * 1.0, 4_000,
                   lambda a, t: vesica.assign(a, minimise=True, complete=True, threads=t)),
    "anchors": (lambda n: (near(n), near(n)), 300_000,
                lambda a, t: anchors.assign(*a, positive=0.7, negative=0.3, threads=t)),
    "k-means": (lambda n: 1 + 99 * rng.random((n, 2)), 600_000,
                lambda a, t: kmeans.cluster(a, k=2 + len(a) // 120, threads=t)),
    "masks": (masks, 40_000, lambda a, t: vesica.best(a, a, threads=t)),
    "nms of masks": (masks, 200_000, lambda a, t: vesica.nms(a, np.arange(len(a)), above=0.99, threads=t)),
    "sets": (sets, 6_000, lambda a, t: vesica.join(a, at_least=0.999, threads=t)),
    "polygons": (polygons, 40_000, lambda a, t: vesica.best(a, a, threads=t)),
    "join of polygons": (polygons, 40_000, lambda a, t: vesica.join(a, at_least=0.999, threads=t)),
    "area of polygons": (lambda n: tangles(1 + n // 100, n), 3_000, lambda a, t: Polygons(a)),
    "drawing": (lambda n: repeated(Polygons([60 * ring for ring in tangles(20, 300)]), n), 10_000,
                lambda a, t: a.to_rle((64, 64), rule="coco", threads=t)),
    "drawing large": (lambda n: Polygons([rng.random((n, 2)) * [60_000, 1]]), 2_000,
                      lambda a, t: a.to_rle((30_000, 60_000), rule="centre", threads=t)),
    "intervals": (scored, 300, lambda a, t: summarise(a[0], threads=t).interval(replicates=a[1])),
    "evaluate": (pictures, 400, lambda a, t: vesica.evaluate(*a, regions="boundary", threads=t)),
}

def flat(value):
    "An answer as text that can be compared."
    if hasattr(value, "to_counts"):
        return repr(value.to_counts())
    if hasattr(value, "area"):
        return repr(value.area.tolist())
    return repr(value.to_dict()) if hasattr(value, "to_dict") else repr(value)

def tried(name, seed):
    make, size, call = CALLS[name]
    moments = random.Random(seed)
    small = make(20 if name != "evaluate" else 1)
    large = make(size)
    np.set_printoptions(threshold=10**9)
    want = flat(call(small, 2))
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    for threads, first, last in ((1, 0.1, 0.2), (2, 0.05, 0.1), (3, 0.01, 0.05)):  # early and late in every call
        delay = moments.uniform(first, last)
        signal.setitimer(signal.ITIMER_REAL, delay)
        began = time.monotonic()
        try:
            call(large, threads)
        except KeyboardInterrupt:
            late = time.monotonic() - began - delay
            yield "late" if late > 10 else "soon"
        else:
            yield "not interrupted"
        signal.setitimer(signal.ITIMER_REAL, 0)
        assert flat(call(small, threads)) == want
    yield "sound"

for seed, name in enumerate(CALLS):
    child = os.fork()
    if not child:
        try:
            for word in tried(name, seed):
                print(name, word, sep=": ", flush=True)
        except BaseException:
            traceback.print_exc()
        os._exit(0)
    began = time.monotonic()
    while os.waitpid(child, os.WNOHANG)[0] == 0:
        if time.monotonic() - began > int(sys.argv[1]):
            os.kill(child, signal.SIGKILL)
        time.sleep(0.005)
"""
NAMES = [line.split('"')[1] for line in LONG.split("CALLS = {")[1].split("\n}")[0].splitlines() if line[:5] == '    "']


@pytest.fixture(scope="module")
def tried():
    """What was said of each long call, line by line, and of what went wrong."""
    command = [sys.executable, "-c", LONG, str(PATIENCE)]  # each hangs at most so long
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    return ended.stdout.splitlines(), ended.stderr


@pytest.mark.parametrize("name", NAMES)
def test_long_call_ends(tried, name):
    lines, errors = tried
    found = [line.removeprefix(f"{name}: ") for line in lines if line.startswith(f"{name}: ")]
    assert found == ["soon"] * 3 + ["sound"], errors


def test_nothing_else_is_said(tried):
    assert len(tried[0]) == 4 * len(NAMES) and tried[1] == ""


SETUP = """
import os, signal, sys, threading, time
import numpy as np
import vesica
rng = np.random.default_rng(0)
corners = rng.random((400_000, 2))
many = np.concatenate([corners, corners + 1 + rng.random((400_000, 2))], axis=1)
some = many[:20_000]
def long():
    return vesica.best(many, many, threads=2)
"""


def test_what_the_handler_raises_comes_through():
    ended = script(
        SETUP
        + """
def handler(*_):
    raise TimeoutError("enough")
signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.2)
try:
    long()
except TimeoutError as error:
    print(error, error.__traceback__.tb_next.tb_frame.f_code.co_name)
"""
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "enough long\n", "")


def test_handler_that_raises_nothing_changes_nothing():
    """It runs while the call does, may call the library itself, and the call goes on to its end."""
    ended = script(
        SETUP
        + """
want, inner, seen = vesica.best(some, some, threads=2), vesica.nms(some[:5000], some[:5000, 0]), []
def handler(*_):
    seen.append(np.array_equal(vesica.nms(some[:5000], some[:5000, 0], threads=4), inner))
signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)
while len(seen) < 5:
    found = vesica.best(some, some, threads=2)
    assert np.array_equal(found.index, want.index) and np.array_equal(found.value, want.value)
signal.setitimer(signal.ITIMER_REAL, 0)
print(all(seen))
"""
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "True\n", "")


def test_only_the_main_thread_is_interrupted():
    ended = script(
        SETUP
        + """
want, found, begun = vesica.best(some, some), [], threading.Event()
def work():
    begun.set()
    for _ in range(3):
        found.append(vesica.best(some, some, threads=2))
thread = threading.Thread(target=work)
thread.start()
begun.wait()
signal.signal(signal.SIGALRM, signal.default_int_handler)
signal.setitimer(signal.ITIMER_REAL, 0.05)
try:
    long()
except KeyboardInterrupt:
    print("interrupted")
thread.join()
print(len(found), all(np.array_equal(f.index, want.index) for f in found))
"""
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "interrupted\n3 True\n", "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_child_of_another_thread():
    """After a fork the thread that forked is the main one."""
    ended = script(
        SETUP
        + """
import warnings
warnings.simplefilter("ignore")
codes = []
def work():
    child = os.fork()
    if child:
        codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        return
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        long()
    except KeyboardInterrupt:
        os._exit(7)
    os._exit(8)
thread = threading.Thread(target=work)
thread.start()
thread.join()
print(codes)
"""
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "[7]\n", "")


def test_ctrl_c():
    """SIGINT from outside, as a terminal sends it."""
    # A shell that starts us in the background has told all below it not to heed the signal.
    heed = "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    code = SETUP + heed + "print('begin', flush=True)\nlong()\n"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"begin\n"
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.3)
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=PATIENCE)
        assert process.returncode == -signal.SIGINT and stderr.rstrip().endswith(b"KeyboardInterrupt")
