"""Atomic writing: where the bytes go, what stays as it was, and that nothing else writes files."""

import ast
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import vesica
from vesica import Dataset, InputError
from vesica.cli import main
from vesica.io import arrays, atomic
from writers import SIZE, WRITERS, content_of, each, parts_beside

SOURCE = Path(vesica.__file__).parent
posix = pytest.mark.skipif(os.name != "posix", reason="permissions, pipes, links and error texts of POSIX")


def write(path, data):
    with atomic.file(path) as out:
        out.write(data)


def one_box(image, category="cat"):
    return Dataset.from_arrays([[0, 0, 4, 4]], image=[image], category=[category], sizes=SIZE)


class TestFile:
    def test_new_and_anew(self, tmp_path):
        for data in (b"one", b"", b"other"):
            write(tmp_path / "a.bin", data)
            assert (tmp_path / "a.bin").read_bytes() == data and os.listdir(tmp_path) == ["a.bin"]

    @pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
    @pytest.mark.parametrize("old", [None, b"old"])
    def test_what_fails_leaves_all(self, tmp_path, error, old):
        path = tmp_path / "a.bin"
        if old is not None:
            path.write_bytes(old)
        with pytest.raises(error), atomic.file(path) as out:
            out.write(b"new")
            raise error
        assert content_of(path) == old and not parts_beside(path)

    @posix
    @pytest.mark.parametrize("path", ["no/such/a.bin", "there", "there/below.bin/"])
    def test_errors(self, tmp_path, path):
        (tmp_path / "there").mkdir()
        (tmp_path / "there" / "below.bin").mkdir()
        with pytest.raises(InputError, match=r"cannot be written: (No such file or directory|Is a directory)\.$"):
            write(f"{tmp_path}/{path}", b"new")
        assert not list(tmp_path.rglob(".vesica-*"))

    @posix
    def test_longest_name(self, tmp_path):
        path = tmp_path / ("a" * 251 + ".bin")
        write(path, b"new")
        assert path.read_bytes() == b"new"

    @posix
    def test_reader_keeps_what_it_opened(self, tmp_path):
        path = tmp_path / "a.bin"
        path.write_bytes(b"old")
        with path.open("rb") as file:
            write(path, b"new")
            assert (file.read(), path.read_bytes()) == (b"old", b"new")

    @posix
    @pytest.mark.parametrize("mode", [0o600, 0o644, 0o664, 0o666, 0o750])
    def test_keeps_mode(self, tmp_path, mode):
        path = tmp_path / "a.bin"
        path.write_bytes(b"old")
        path.chmod(mode)
        write(path, b"new")
        assert (stat.S_IMODE(path.stat().st_mode), path.read_bytes()) == (mode, b"new")

    @posix
    @pytest.mark.parametrize("mask", [0o022, 0o027, 0o077])
    def test_new_file_obeys_umask(self, tmp_path, mask):
        before = os.umask(mask)
        try:
            write(tmp_path / "a.bin", b"new")
            vesica.write(tmp_path / "voc", one_box("7"), format="voc")
        finally:
            os.umask(before)
        modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("a.bin", "voc", "voc/7.xml")]
        assert modes == [0o666 & ~mask, 0o777 & ~mask, 0o666 & ~mask]

    @posix
    @pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() != 0, reason="only root gives files away")
    def test_keeps_owner(self, tmp_path):
        path = tmp_path / "a.bin"
        path.write_bytes(b"old")
        os.chown(path, 12345, 23456)
        write(path, b"new")
        assert (path.stat().st_uid, path.stat().st_gid, path.read_bytes()) == (12345, 23456, b"new")

    @posix
    @pytest.mark.parametrize(
        "of_file, of_folder, told",
        [
            (0o444, 0o777, "Permission denied."),  # renaming would not ask the file
            (0o666, 0o555, "Permission denied in ., where the new file is made first."),
        ],
    )
    def test_read_only_is_refused(self, tmp_path, of_file, of_folder, told):
        """Also below a folder into which only another user may look."""
        path = tmp_path / "a.bin"
        path.write_bytes(b"old")
        path.chmod(of_file)
        tmp_path.chmod(of_folder)
        code = """
import os, sys
from vesica.io import atomic
if os.geteuid() == 0:
    os.setuid(65534)
try:
    with atomic.file("a.bin") as out:
        out.write(b"new")
except Exception as error:
    print(type(error).__name__, error, os.listdir())
"""
        ended = subprocess.run(
            [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120
        )
        assert (ended.stdout, ended.stderr) == (
            f"InputError a.bin cannot be written: {told} ['a.bin']\n",
            "",
        )
        assert path.read_bytes() == b"old"


@posix
class TestLinks:
    @pytest.mark.parametrize("links", [1, 3])
    @pytest.mark.parametrize("old", [None, b"old"])
    def test_link_stays(self, tmp_path, links, old):
        """Its file is written, in the folder where that is; one that is not there yet too."""
        (tmp_path / "far").mkdir()
        target = tmp_path / "far" / "a.bin"
        if old is not None:
            target.write_bytes(old)
            target.chmod(0o640)
        names = [tmp_path / f"{k}.bin" for k in range(links)]
        for name, to in zip(names, ["far/a.bin", *names], strict=False):
            name.symlink_to(to)
        write(names[-1], b"new")
        assert all(name.is_symlink() for name in names) and not target.is_symlink()
        assert target.read_bytes() == b"new" and os.listdir(target.parent) == ["a.bin"]
        assert old is None or stat.S_IMODE(target.stat().st_mode) == 0o640

    def test_loop(self, tmp_path):
        (tmp_path / "a.bin").symlink_to("b.bin")
        (tmp_path / "b.bin").symlink_to("a.bin")
        with pytest.raises(InputError, match="cannot be written: Too many levels of symbolic links"):
            write(tmp_path / "a.bin", b"new")
        assert sorted(os.listdir(tmp_path)) == ["a.bin", "b.bin"]

    def test_folder(self, tmp_path):
        (tmp_path / "real").mkdir()
        (tmp_path / "link").symlink_to("real")
        vesica.write(tmp_path / "link", one_box("7"), format="voc")
        vesica.write(tmp_path / "link", one_box("8"), format="voc", overwrite=True)
        assert (tmp_path / "link").is_symlink() and os.listdir(tmp_path / "real") == ["8.xml"]


@posix
class TestSpecialFiles:
    @pytest.mark.parametrize("name", ["a.bin", "table.npy", "table.csv"])
    def test_pipe(self, tmp_path, name):
        path, found = tmp_path / name, []
        os.mkfifo(path)
        reader = threading.Thread(target=lambda: found.append(path.read_bytes()), daemon=True)
        reader.start()
        table = np.arange(6.0).reshape(2, 3)
        write(path, b"new") if name == "a.bin" else arrays.write(str(path), table)
        reader.join(60)
        assert stat.S_ISFIFO(path.stat().st_mode) and os.listdir(tmp_path) == [name]
        path.unlink()
        path.write_bytes(found[0])
        assert found[0] == b"new" or np.array_equal(arrays.read(str(path)), table)

    def test_device(self, tmp_path):
        (tmp_path / "null.npy").symlink_to(os.devnull)
        arrays.write(str(tmp_path / "null.npy"), np.ones((2, 2)))
        assert stat.S_ISCHR(os.stat(os.devnull).st_mode) and os.listdir(tmp_path) == ["null.npy"]

    @pytest.mark.parametrize("path", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link.bin"])
    @pytest.mark.parametrize("how", ["file", "appended", "pipe"])
    def test_stdout(self, tmp_path, path, how):
        """Nothing that the process prints before or after is lost, whatever stdout is."""
        if not os.path.exists("/proc/self/fd/1"):
            pytest.skip("no /proc")
        (tmp_path / "link.bin").symlink_to("/dev/stdout")
        code = """
import sys
from vesica.io import atomic
print("before")
with atomic.file(sys.argv[1]) as out:
    out.write(b"written\\n")
print("after")
"""
        target = tmp_path / "out.txt"
        target.write_text("first\n")
        asked = {"file": "wb", "appended": "ab"}.get(how)
        with open(target, asked) if asked else open(os.devnull, "wb") as file:
            ended = subprocess.run(
                [sys.executable, "-c", code, path], cwd=tmp_path, stdout=file if asked else subprocess.PIPE,
                stderr=subprocess.PIPE, check=False, timeout=120, env={**os.environ, "PYTHONUNBUFFERED": ""},
            )  # fmt: skip
        assert (ended.returncode, ended.stderr) == (0, b"")
        printed = target.read_bytes() if asked else ended.stdout
        assert printed == (b"first\n" if how == "appended" else b"") + b"before\nwritten\nafter\n"
        assert sorted(os.listdir(tmp_path)) == ["link.bin", "out.txt"]


class TestFolder:
    @pytest.mark.parametrize("format", ["voc", "yolo", "dota"])
    def test_new_folder_fails(self, tmp_path, format):
        """Not even an empty folder is left, nor the parts of one."""
        bad = Dataset.from_arrays([[0, 0, 1, 1]] * 2, image=["a", "../x"], sizes=SIZE)
        with pytest.raises(InputError, match="cannot be the name of a file"):
            vesica.write(tmp_path / "out", bad, format=format)
        assert not list(tmp_path.iterdir())

    def test_file_in_the_way(self, tmp_path):
        """One that is not known as a label is not lost without a word."""
        path = tmp_path / "labels" / "train.txt"
        path.parent.mkdir()
        path.write_text("a list of pictures\n")
        with pytest.raises(InputError, match=r"1 files of an earlier data set, such as labels.train.txt.*overwrite"):
            vesica.write(tmp_path, one_box("train"), format="yolo")
        assert path.read_text() == "a list of pictures\n" and not list(tmp_path.rglob(".vesica-*"))
        vesica.write(tmp_path, one_box("train"), format="yolo", overwrite=True)
        assert path.read_text().startswith("0 ")

    @posix
    @pytest.mark.parametrize("name, message", [("voc", "File exists|Not a directory"), ("voc/7.xml", "it is a folder")])
    def test_other_kind_in_the_way(self, tmp_path, name, message):
        if name == "voc":
            (tmp_path / name).write_text("kept")
        else:
            (tmp_path / name).mkdir(parents=True)
            (tmp_path / name / "kept").write_text("kept")
        with pytest.raises(InputError, match=f"cannot be written: ({message})"):
            vesica.write(tmp_path / "voc", one_box("7"), format="voc", overwrite=True)
        assert [path.read_text() for path in tmp_path.rglob("*") if path.is_file()] == ["kept"]

    @posix
    def test_keeps_mode(self, tmp_path):
        vesica.write(tmp_path, one_box("7"), format="voc")
        (tmp_path / "7.xml").chmod(0o640)
        vesica.write(tmp_path, one_box("7", "dog"), format="voc", overwrite=True)
        assert stat.S_IMODE((tmp_path / "7.xml").stat().st_mode) == 0o640 and "dog" in (tmp_path / "7.xml").read_text()

    @posix
    def test_written_while_it_is_written(self, tmp_path):
        """Two processes make one folder: the later one is told, and the folder is the earlier one's."""
        with (
            pytest.raises(InputError, match="cannot be written: Directory not empty"),
            atomic.folder(tmp_path / "out", lambda place: [], overwrite=False) as staged,
        ):
            atomic.put(staged / "a.txt", "later")
            (tmp_path / "out").mkdir()
            (tmp_path / "out" / "b.txt").write_text("earlier")
        assert content_of(tmp_path / "out") == {"b.txt": b"earlier"} and os.listdir(tmp_path) == ["out"]

    @posix
    def test_another_process_moves_files(self, tmp_path):
        """Who comes while files are moved is told; as soon as that process has ended, its remains are taken over."""
        vesica.write(tmp_path, one_box("old"), format="voc")
        work = tmp_path / ".vesica-0123456789abcdef.unfinished"
        (work / "new").mkdir(parents=True)
        (work / "new" / "other.xml").write_text("other")
        with atomic._held(work):
            for overwrite in (False, True):
                with pytest.raises(InputError, match="cannot be written: another process is writing it"):
                    vesica.write(tmp_path, one_box("new"), format="voc", overwrite=overwrite)
            assert sorted(os.listdir(tmp_path)) == [work.name, "old.xml"]
        vesica.write(tmp_path, one_box("new"), format="voc", overwrite=True)
        assert os.listdir(tmp_path) == ["new.xml"]

    @posix
    def test_two_that_meet(self, tmp_path):
        """One looks around when the other has begun: it sees that, and the other goes on."""
        (tmp_path / "a.txt").write_text("old")
        looks = []

        def stale(place):
            looks.append(place)
            if len(looks) == 2:
                with pytest.raises(InputError, match="another process is writing it"):
                    vesica.write(tmp_path, one_box("7"), format="voc")
            return [place / "a.txt"]

        with atomic.folder(tmp_path, stale, overwrite=True) as staged:
            atomic.put(staged / "b.txt", "new")
        assert len(looks) == 2 and content_of(tmp_path) == {"b.txt": b"new"} and os.listdir(tmp_path) == ["b.txt"]

    def test_came_meanwhile(self, tmp_path):
        """A file that appears between the first look and the last is not lost."""
        with (
            pytest.raises(InputError, match=r"has 1 files of an earlier data set, such as a.txt"),
            atomic.folder(tmp_path, lambda place: sorted(place.glob("*.txt")), overwrite=False) as staged,
        ):
            atomic.put(staged / "a.txt", "new")
            (tmp_path / "a.txt").write_text("other")
        assert content_of(tmp_path) == {"a.txt": b"other"} and os.listdir(tmp_path) == ["a.txt"]

    def test_same_name_twice(self, tmp_path):
        """On a disk that takes A.txt for a.txt too."""
        with (
            pytest.raises(InputError, match="cannot be written: File exists"),
            atomic.folder(tmp_path / "out", lambda place: [], overwrite=False) as staged,
        ):
            atomic.put(staged / "a.txt", "a")
            atomic.put(staged / "a.txt", "A")
        assert not os.listdir(tmp_path)


class TestUnfinished:
    """A folder to which a killed process had moved some of the files."""

    @pytest.fixture
    def place(self, tmp_path):
        vesica.write(tmp_path / "yolo", one_box("a"), format="yolo")
        work = tmp_path / "yolo" / ".vesica-0123456789abcdef.unfinished"
        (work / "new" / "labels").mkdir(parents=True)
        (work / "new" / "labels" / "b.txt").write_text("0 0.5 0.5 0.5 0.5\n")
        (work / "old" / "labels").mkdir(parents=True)
        (work / "old" / "labels" / "c.txt").write_text("0 0.5 0.5 0.5 0.5\n")
        return tmp_path / "yolo"

    @pytest.mark.parametrize("what", ["", "labels", "labels/*.txt", "data.yaml"])
    def test_is_not_read(self, place, what):
        with pytest.raises(InputError) as error:
            vesica.read(place / what, sizes=SIZE)
        assert str(error.value) == (
            f"{place} was not written to its end: 1 files are missing, such as {Path('labels/b.txt')}. Write it again "
            "with `overwrite=True` (vesica convert --overwrite); .vesica-0123456789abcdef.unfinished in it has what is "
            "missing, and what was there before."
        )

    def test_command_line(self, place, capsys):
        assert main(["convert", str(place), f"{place}.json", "--sizes", "480,640"]) == 3
        assert "was not written to its end: 1 files are missing" in capsys.readouterr().err
        assert not Path(f"{place}.json").exists()

    def test_is_not_written_by_chance(self, place):
        before = content_of(place)
        with pytest.raises(InputError, match="was not written to its end"):
            vesica.write(place, one_box("d"), format="yolo")
        assert content_of(place) == before and len(parts_beside(place)) == 1

    def test_is_written_again(self, place):
        vesica.write(place, one_box("d"), format="yolo", overwrite=True)
        assert vesica.read(place, sizes=SIZE).images.ids.tolist() == ["d"] and not parts_beside(place)

    def test_with_all_files_it_is_read(self, place):
        """Killed between the last file and the mark."""
        (place / ".vesica-0123456789abcdef.unfinished" / "new" / "labels" / "b.txt").unlink()
        assert vesica.read(place, sizes=SIZE).images.ids.tolist() == ["a"]


class TestSameFile:
    """Input and output are one."""

    @pytest.mark.parametrize("name", each(folders=False)[:6])
    def test_dataset(self, tmp_path, name):
        path = tmp_path / WRITERS[name].place
        WRITERS[name].write(path, 0)
        before = content_of(path)
        vesica.write(path, vesica.read(path), format=name if name in ("coco_results", "csv", "npy") else None)
        again = vesica.read(path)
        WRITERS[name].write(path, 0)
        assert content_of(path) == before and len(again) == len(vesica.read(path))
        assert np.array_equal(again.xywh, vesica.read(path).xywh)

    @pytest.mark.parametrize("format", ["voc", "yolo", "dota"])
    def test_folder(self, tmp_path, format):
        place = tmp_path / format
        WRITERS[format].write(place, 0)
        before = content_of(place)
        with pytest.raises(InputError, match="files of an earlier data set"):
            vesica.write(place, vesica.read(place, **sizes_for(format)), format=format)
        assert content_of(place) == before
        read = vesica.read(place, **sizes_for(format))
        vesica.write(place, read, format=format, overwrite=True)
        assert np.allclose(vesica.read(place, **sizes_for(format)).xywh, read.xywh, rtol=0, atol=1e-9)

    def test_nms(self, tmp_path, capsys):
        path = tmp_path / "boxes.csv"
        path.write_text("0,0,4,4,0.5\n0,0,4,4,0.9\n9,9,12,12,0.1\n")
        assert main(["nms", str(path), "-o", str(path)]) == 0
        assert path.read_text() == "0.0,0.0,4.0,4.0,0.9\n9.0,9.0,12.0,12.0,0.1\n"

    def test_records(self, tmp_path, capsys):
        path = tmp_path / "all.records"
        WRITERS["records"].write(path, 0)
        before = path.read_bytes()
        assert main(["merge", str(path), "--records", str(path), "--quiet"]) == 0
        assert path.read_bytes() == before


def sizes_for(format):
    return {"sizes": SIZE} if format == "yolo" else {}


# Calls that write into a file, or may.
WRITING = {"write_text", "write_bytes", "tofile", "savetxt", "dump", "symlink_to", "touch"}
TABLES = {"write_table", "to_csv", "to_parquet"}
OPENING = {"open", "fdopen", "FileIO"}
ARRAYS = {"save", "savez", "savez_compressed"}
INTO_MEMORY = ("out", "SimpleNamespace(")


def bare_writes(text):
    """Lines of Python that write into a file by a path, or open one in order to."""
    found = []
    for call in (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)):
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        of = ast.unparse(call.func.value) if isinstance(call.func, ast.Attribute) else ""
        first = ast.unparse(call.args[0]) if call.args else ""
        opens = name in OPENING and of != "Image" and first != "os.devnull" and not _only_reads(call, of)
        saves = (name in ARRAYS and of == "np") or name == "savefig"
        into = ast.unparse(call.args[1]) if name in TABLES and len(call.args) > 1 else first
        saves |= name in TABLES and of != "file"
        saves &= not into.startswith(INTO_MEMORY)
        moves = of == "os" and name in {"replace", "rename"}
        if opens or saves or moves or name in WRITING:
            found.append(f"{call.lineno}: {ast.unparse(call)}")
    return found


def _only_reads(call, of):
    """Is the mode said, and one of reading?"""
    is_fdopen = ast.unparse(call.func) == "os.fdopen"
    if of == "os" and not is_fdopen:
        return "O_RDONLY" in ast.unparse(call)
    modes = [
        *call.args[(0 if of and of != "io" and not is_fdopen else 1) :][:1],
        *(k.value for k in call.keywords if k.arg == "mode"),
    ]
    return all(isinstance(mode, ast.Constant) and not set(str(mode.value)) & set("wax+") for mode in modes)


class TestOnePlace:
    def test_nothing_else_writes(self):
        found = {
            path.relative_to(SOURCE): bare_writes(path.read_text(encoding="utf-8")) for path in SOURCE.rglob("*.py")
        }
        assert {path: lines for path, lines in found.items() if lines}.keys() == {Path("io", "atomic.py")}, found

    @pytest.mark.parametrize(
        "line, is_writing",
        [
            ('open(path, "w")', True),
            ('open(path, mode="ab")', True),
            ("open(path, mode)", True),
            ('open(path, "r+b")', True),
            ('open(path, "rb")', False),
            ("open(path)", False),
            ('open(os.devnull, "w")', False),
            ('path.open("w")', True),
            ("path.open()", False),
            ('io.open(path, "x")', True),
            ("os.open(path, os.O_WRONLY)", True),
            ("os.fdopen(number, 'wb')", True),
            ("os.fdopen(number, mode='wb')", True),
            ("os.fdopen(number, 'rb')", False),
            ("path.write_text(text)", True),
            ("Path(path).write_bytes(data)", True),
            ("np.save(path, table)", True),
            ("np.savez_compressed(path, **arrays)", True),
            ("np.save(out, table)", False),
            ("table.tofile(path)", True),
            ("json.dump(value, file)", True),
            ("json.dumps(value)", False),
            ("figure.savefig(path)", True),
            ("parquet.write_table(table, path)", True),
            ("parquet.write_table(table, out)", False),
            ("os.replace(part, path)", True),
            ('text.replace("a", "b")', False),
        ],
    )
    def test_it_would_be_found(self, line, is_writing):
        assert bool(bare_writes(line)) is is_writing
