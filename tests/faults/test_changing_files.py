"""Files that another process writes while they are read."""

import json
import os

import numpy as np
import pytest

import vesica
from processes import script
from vesica import InputError, _native
from vesica.io import arrays, coco, files
from writers import WRITERS, each

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
        assert _native.file_bytes_read(file.fileno(), size + 3_000_000, threads) == path.read_bytes()


def changed_meanwhile(monkeypatch, change):
    """Let `change` happen after a file was opened, and before its bytes are read."""
    opened = files._opened

    def later(path):
        file = opened(path)
        change()
        return file

    monkeypatch.setattr(files, "_opened", later)


@pytest.mark.parametrize("share", np.linspace(0, 0.99, 14).tolist())
@pytest.mark.parametrize("name", each(without=("records", "demo", "panoptic")))
def test_every_format_is_cut(monkeypatch, tmp_path, name, share):
    """Any file of a folder too."""
    writer = WRITERS[name]
    place = tmp_path / writer.place
    writer.write(place, 0)
    opened = files._opened

    def cut(path):
        file = opened(path)
        os.truncate(path, int(share * file.size))
        return file

    monkeypatch.setattr(files, "_opened", cut)
    with pytest.raises(InputError, match=r"changed while it was read: it had \d+ bytes, and then \d+\."):
        arrays.read(str(place)) if name.startswith("table") else vesica.read(place)


@pytest.mark.parametrize("size", [0, 1, 4096, len(TEXT) // 2, len(TEXT) - 1])
@pytest.mark.parametrize("name", ["guess.json", "guess.csv", "guess.npy"])
@pytest.mark.parametrize("in_pieces", [False, True])
def test_shorter(monkeypatch, tmp_path, size, name, in_pieces):
    path = tmp_path / name
    path.write_bytes(TEXT)
    changed_meanwhile(monkeypatch, lambda: os.truncate(path, size))
    with pytest.raises(InputError, match=rf"{name} changed while it was read: it had {len(TEXT)} bytes, .* {size}\."):
        files.load(path, in_pieces=in_pieces)


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


BOX = "<xmin>1</xmin><ymin>1</ymin><xmax>9</xmax><ymax>9</ymax>"
FOLDERS = {
    "labels": (".txt", "0 0.5 0.5 0.1 0.1\n"),
    "Annotations": (".xml", f"<annotation><object><name>cat</name><bndbox>{BOX}</bndbox></object></annotation>"),
    "labelTxt": (".txt", "0 0 9 0 9 5 0 5 plane 0\n"),
}


@pytest.fixture(params=FOLDERS)
def folder(request, tmp_path):
    """A folder of label files, the ending of these, and the text of one."""
    place = tmp_path / request.param
    place.mkdir()
    ending, text = FOLDERS[request.param]
    for stem in "abc":
        (place / f"{stem}{ending}").write_text(text)
    return place, ending, text


class TestFolders:
    """Label files, one for each image: each as it is at one moment, and none that comes or goes meanwhile."""

    def read(self, place):
        return vesica.read(place, **({"sizes": (100, 100)} if place.name == "labels" else {}))

    def test_unchanged(self, folder):
        assert len(self.read(folder[0])) == 3

    def test_a_file_that_is_cut(self, monkeypatch, folder):
        place, ending, text = folder
        changed_meanwhile(monkeypatch, lambda: os.truncate(place / f"a{ending}", 3))
        with pytest.raises(InputError, match=rf"a{ending} changed while it was read: it had {len(text)} bytes, .* 3\."):
            self.read(place)

    def test_a_file_that_comes(self, monkeypatch, folder):
        place, ending, text = folder
        changed_meanwhile(monkeypatch, lambda: (place / f"d{ending}").write_text(text))
        with pytest.raises(
            InputError, match=rf"{place.name} changed while it was read: 1 files came, such as .*d{ending}"
        ):
            self.read(place)

    def test_a_file_that_goes(self, monkeypatch, folder):
        """One that was read already; one that was not cannot be read."""
        place, ending, _ = folder
        gone = place / f"a{ending}"
        seen = []

        def remove():
            seen.append(None)
            if len(seen) == 3:
                gone.unlink()

        changed_meanwhile(monkeypatch, remove)
        with pytest.raises(
            InputError, match=rf"{place.name} changed while it was read: 1 files went, such as .*a{ending}"
        ):
            self.read(place)

    def test_a_pattern(self, monkeypatch, folder):
        place, ending, text = folder
        changed_meanwhile(monkeypatch, lambda: (place / f"d{ending}").write_text(text))
        formats = {"labels": "yolo", "labelTxt": "dota", "Annotations": "voc"}
        options = {"format": formats[place.name], **({"sizes": (100, 100)} if place.name == "labels" else {})}
        with pytest.raises(InputError, match="changed while it was read: 1 files came"):
            vesica.read(f"{place}/*{ending}", **options)

    def test_other_files_may_come(self, monkeypatch, folder):
        changed_meanwhile(monkeypatch, lambda: (folder[0] / "train.cache").write_text("x"))
        assert len(self.read(folder[0])) == 3


class TestInPieces:
    """A file that is open, and of which no row was read yet."""

    @pytest.mark.parametrize(
        "change",
        [
            pytest.param(lambda path: os.truncate(path, len(TEXT) - 1), id="shorter"),
            pytest.param(lambda path: os.truncate(path, 0), id="empty"),
            pytest.param(lambda path: path.write_bytes(TEXT + b"\n"), id="longer"),
            pytest.param(lambda path: os.utime(path, ns=(0, 0)), id="written again"),
        ],
    )
    @pytest.mark.parametrize("read", [coco.dataset_of, lambda file: file.data, lambda file: file.head(10)])
    def test_changed(self, path, change, read):
        file = files.load(path, in_pieces=True)
        change(path)
        with pytest.raises(InputError, match="guess.json changed while it was read: it had"):
            read(file)

    def test_renamed(self, path):
        file = files.load(path, in_pieces=True)
        other = path.with_suffix(".new")
        other.write_bytes(b"[]")
        os.replace(other, path)
        assert coco.dataset_of(file).score.tobytes() == SCORES.tobytes()
        assert file.data == TEXT

    def test_no_bytes_are_kept(self, monkeypatch, path):
        """A file without faults is never in memory as a whole."""
        monkeypatch.delattr(files.OpenFile, "data")
        assert vesica.read(path).score.tobytes() == SCORES.tobytes()

    def test_closed(self, path):
        """Open as long as it lives, and no longer."""
        file = files.load(path, in_pieces=True)
        with file.content.reading() as descriptor:
            os.fstat(descriptor)
        del file
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(descriptor)


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
