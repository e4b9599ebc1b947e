"""Formats: the facts of each, and that one record is all that a new format needs."""

from pathlib import Path

import pytest

import vesica
from vesica import Dataset, InputError
from vesica.cli import main
from vesica.io.formats import FORMATS, Format, readable, writable
from vesica.io.read import describe, find
from vesica.io.source import Reading

BOXES = [[0.0, 0.0, 4.0, 4.0], [1.0, 2.0, 3.0, 5.0]]

FOUND = "coco,voc,yolo,dota,cvat,labelstudio,labelme,csv,npz,npy,parquet,arrow"


def read_lines(source, options):
    """Lines of image and corners, after a line that says LINES."""
    rows = [line.split() for line in source.file.data.decode().splitlines()[1:]]
    boxes = [[float(word) for word in row[1:]] for row in rows]
    return Reading(Dataset.from_arrays(boxes, image=[row[0] for row in rows]), "corners", "lines")


def lines_of(data):
    rows = zip(data.images.ids[data.image].tolist(), data.xywh.tolist(), strict=True)
    text = "".join(f"{image} {x:g} {y:g} {x + w:g} {y + h:g}\n" for image, (x, y, w, h) in rows)
    return f"LINES\n{text}".encode(), ("lines have no categories",)


@pytest.fixture
def lines(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    record = Format(
        "lines",
        about="a box a line",
        known_as="LINES (.lines)",
        read=read_lines,
        content=lines_of,
        starts=(b"LINES",),
        endings=(".lines",),
    )
    monkeypatch.setitem(FORMATS, "lines", record)


@pytest.mark.usefixtures("lines")
class TestOneRecord:
    """A format that is registered, and nothing else."""

    def test_there_and_back(self):
        assert vesica.write("a.lines", Dataset.from_arrays(BOXES, image=["p", "q"])) == ("lines have no categories",)
        found = find("a.lines")
        assert (found.format, found.data.xywh.tolist()) == ("lines", [[0, 0, 4, 4], [1, 2, 2, 3]])
        assert describe(found) == "Read a.lines as lines: 2 boxes, corners, 2 images."

    def test_folder_and_pattern(self):
        Path("only").mkdir()
        vesica.write("only/a.lines", Dataset.from_arrays(BOXES, image=["p", "q"]))
        for path in ("only", "only/*.lines", "only/*"):
            assert find(path).format == "lines"

    def test_options_that_say_nothing(self):
        vesica.write("a.lines", Dataset.from_arrays(BOXES, image=["p", "q"]))
        with pytest.raises(ValueError, match="`boxes` says nothing about a file of the format 'lines'"):
            vesica.read("a.lines", boxes="xywh")

    def test_messages(self):
        Path("a.txt").write_text("what is this\n")
        with pytest.raises(InputError, match=r"\.npz, \.npy, Parquet, Arrow and LINES \(\.lines\)\. If"):
            vesica.read("a.txt")
        with pytest.raises(
            InputError,
            match=r"one of \.json, \.csv, \.npz, \.npy, \.parquet, \.arrow, \.lines; or say .* arrow, lines\.",
        ):
            vesica.write("a.xyz", Dataset.from_arrays(BOXES, image=["p", "q"]))

    def test_command_line(self, capsys):
        vesica.write("a.lines", Dataset.from_arrays(BOXES, image=["p", "q"]))
        assert main(["convert", "a.lines", "b.csv"]) == 0 and main(["convert", "b.csv", "c", "--to", "lines"]) == 0
        assert Path("c").read_bytes() == Path("a.lines").read_bytes()
        capsys.readouterr()
        for verb, told in (("convert", "  lines        a box a line\n"), ("eval", f"{{{FOUND},lines}}")):
            with pytest.raises(SystemExit):
                main([verb, "--help"])
            assert told in capsys.readouterr().out


class TestRegistry:
    def test_names(self):
        assert all(name == format.name for name, format in FORMATS.items())
        assert set(readable()) | set(writable()) == set(FORMATS)

    @pytest.mark.parametrize("function, names", [(vesica.read, readable()), (vesica.write, writable())])
    def test_are_documented(self, function, names):
        assert "format : {" + ", ".join(f'"{name}"' for name in names) + "}" in " ".join(function.__doc__.split())

    def test_endings_are_of_one_format(self):
        endings = [ending for format in FORMATS.values() for ending in format.endings]
        assert len(set(endings)) == len(endings)

    @pytest.mark.parametrize("name", readable())
    def test_folders_are_found_again(self, name):
        """What is written into a folder is found there again."""
        assert (FORMATS[name].write_into is None) == (FORMATS[name].files_in is None)
