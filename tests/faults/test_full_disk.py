"""Disks that are full, and files that may not grow: an honest error, and what was there before."""

import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import vesica
from processes import PATIENCE, script
from vesica import InputError
from vesica.io import arrays
from writers import WRITERS, content_of, each, parts_beside

pytestmark = pytest.mark.skipif(os.name != "posix", reason="limits and devices of POSIX")

TESTS = str(Path(__file__).parents[1])

# Files may be so long, and what goes on is told: Python ignores the signal.
LIMIT = """
import resource, sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from writers import WRITERS, content_of, parts_beside
from vesica import InputError

for name, writer in WRITERS.items():
    place = Path(sys.argv[2], str(list(WRITERS).index(name)), writer.place)
    place.parent.mkdir()
    writer.write(place, 1)
    new = content_of(place)
    largest = max(map(len, new.values() if writer.is_folder else [new]))
    writer.write(place, 0)
    old = content_of(place)
    verdicts = set()
    for most in (0, 1, largest // 2, largest - 1):
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))
        try:
            writer.write(place, 1)
        except InputError as error:
            verdicts.add("told" if "cannot be written" in str(error) else str(error))
        else:
            verdicts.add("written")
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        verdicts.add("old" if content_of(place) == old and not parts_beside(place) else "changed")
    writer.write(place, 1)
    print(name, *sorted(verdicts), content_of(place) == new, sep=": ")
"""

# A disk in memory that has no page left, or so many inodes.
FULL = """
import os, shutil, sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from writers import WRITERS, content_of, parts_beside
from vesica import InputError

disk = Path(sys.argv[2])
fillers = disk / "fillers"
fillers.mkdir()

def fill(room):
    if room is not None:
        for k in range(os.statvfs(disk).f_ffree - room):
            (fillers / str(k)).touch()
        return
    with open(fillers / "pages", "wb", buffering=0) as file:
        try:
            while file.write(b"\\0" * 4096):
                pass
        except OSError:
            return

def tried(writer, place, old, new, room):
    writer.write(place, 0)
    fill(room)
    try:
        writer.write(place, 1)
    except InputError as error:
        told = "No space left on device" in str(error) or "exit code 3" in str(error)
        verdict, want = "full" if told else str(error), old
    else:
        verdict, want = "written", new
    sound = content_of(place) == want and not parts_beside(place)
    for path in fillers.iterdir():
        path.unlink()
    return verdict if sound else f"{verdict}, and {parts_beside(place)}"

for name, writer in WRITERS.items():
    place = disk / str(list(WRITERS).index(name)) / writer.place
    place.parent.mkdir()
    contents = []
    for which in (0, 1):
        writer.write(place, which)
        contents.append(content_of(place))
    print(name, *(tried(writer, place, *contents, room) for room in (None, *range(11), 20, 40)), sep=": ")
    shutil.rmtree(place.parent)
"""


def test_files_that_may_not_grow(tmp_path):
    ended = script(LIMIT, TESTS, tmp_path)
    assert (ended.returncode, ended.stdout.splitlines()) == (0, [f"{name}: old: told: True" for name in WRITERS])


def mounted(disk, options, *command):
    """Run a command that alone sees a disk in memory there."""
    mount = f'mount -t tmpfs -o {options} none "$0" && exec "$@"'
    return subprocess.run(
        ["unshare", "-rm", "sh", "-c", mount, str(disk), *map(str, command)],
        capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip


@pytest.fixture
def disk(tmp_path):
    if shutil.which("unshare") is None or mounted(tmp_path, "size=4096", "true").returncode:
        pytest.skip("nobody may mount a disk here")
    return tmp_path


def test_disk_is_full(disk):
    """Without a page nothing is written. Of inodes a file needs one, and a folder one for each file and some more."""
    ended = mounted(disk, "size=2m,nr_inodes=120", sys.executable, "-c", FULL, TESTS, disk)
    assert ended.returncode == 0, ended.stderr
    for (name, writer), line in zip(WRITERS.items(), ended.stdout.splitlines(), strict=True):
        named, pages, *inodes = line.rsplit(": ", 14)
        assert (named, pages) == (name, "full")
        needed = inodes.index("written")
        assert inodes == ["full"] * needed + ["written"] * (13 - needed), name
        assert needed >= 5 if writer.is_folder else needed == 1, name


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
class TestDevice:
    @pytest.mark.parametrize("name", each(folders=False))
    def test_error(self, tmp_path, name):
        path = tmp_path / WRITERS[name].place
        path.symlink_to("/dev/full")
        with pytest.raises(InputError, match="cannot be written: (No space left on device|exit code 3)"):
            WRITERS[name].write(path, 0)
        assert path.is_symlink() and not parts_beside(path)

    def test_large_table(self, tmp_path):
        """The error of the system, also where NumPy would write by itself."""
        path = tmp_path / "table.npy"
        path.symlink_to("/dev/full")
        with pytest.raises(InputError, match="No space left on device") as error:
            arrays.write(str(path), np.zeros((1000, 1000)))
        assert error.value.__cause__.errno == errno.ENOSPC


# No file may have a byte. Verbs that write end with the code for files that cannot be used, whatever their gates say.
VERBS = """
import contextlib, io, json, os, resource, sys
from pathlib import Path
import vesica
from vesica.cli import main

os.chdir(sys.argv[1])
Path("four.csv").write_text("0,0,4,4\\n")
Path("boxes.csv").write_text("0,0,4,4,0.5\\n0,0,4,4,0.9\\n")
image, box = {"id": 1, "height": 9, "width": 9}, {"image_id": 1, "category_id": 1, "bbox": [0, 0, 4, 4]}
truth = {"images": [image], "annotations": [{**box, "id": 1, "area": 16, "iscrowd": 0}],
         "categories": [{"id": 1, "name": "cat"}]}
Path("truth.json").write_text(json.dumps(truth))
Path("guess.json").write_text(json.dumps([{**box, "score": 0.5}]))
assert main(["eval", "truth.json", "guess.json", "--records", "part.records", "--quiet", "--json"]) == 0
verbs = [
    "iou four.csv four.csv -o out.npy", "iou four.csv four.csv -o out.csv", "iou four.csv four.csv -o out.json",
    "nms boxes.csv -o out.csv", "nms guess.json -o out.json",
    "convert truth.json out.csv", "convert truth.json out.json.gz", "convert truth.json out.npz",
    "convert truth.json out --to voc", "convert truth.json out --to yolo", "convert truth.json out --to dota",
    "eval truth.json guess.json --records out.records", "merge part.records --records out.records",
    "eval truth.json guess.json --records out.records --gate AP>=2",
    "eval truth.json guess.json --records out.records --gate AP>=0.5", "demo --images 2 -o out",
]
before = sorted(os.listdir())
for verb in verbs:
    for options in ([], ["--json"]):
        out, err = io.StringIO(), io.StringIO()
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main([*verb.split(), *options])
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        text = json.loads(out.getvalue())["error"] if options else err.getvalue()
        is_told = text.rstrip().endswith("cannot be written: File too large.")
        print(code, is_told or text, sorted(os.listdir()) == before, verb)
"""


def test_exit_codes(tmp_path):
    ended = script(VERBS, tmp_path)
    assert ended.returncode == 0, ended.stderr
    lines = ended.stdout.splitlines()[1:]  # after the scores of what was prepared
    assert len(lines) == 32 and {line[:11] for line in lines} == {"3 True True"}, lines


def test_what_was_written_before_can_be_read(tmp_path):
    """The smallest promise of all: a file that could not be replaced is read as before."""
    path = tmp_path / "truth.json"
    WRITERS["coco"].write(path, 0)
    before = vesica.read(path)
    os.symlink("/nowhere/at/all.json", tmp_path / "link.json")
    with pytest.raises(InputError, match="cannot be written: No such file"):
        vesica.write(tmp_path / "link.json", before)
    assert content_of(tmp_path / "link.json") is None and np.array_equal(vesica.read(path).xywh, before.xywh)
