"""Standard input without an end, standard output without room: the exit code says which it was."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import vesica
from processes import PATIENCE
from vesica.cli import main

FULL, ENDLESS = Path("/dev/full"), Path("/dev/zero")
pytestmark = pytest.mark.skipif(not (FULL.is_char_device() and ENDLESS.is_char_device()), reason="no such devices here")

BOX = {"image_id": 1, "category_id": 1, "bbox": [0, 0, 4, 4]}
TRUTH = {
    "images": [{"id": 1, "width": 10, "height": 10}],
    "categories": [{"id": 1, "name": "cat"}],
    "annotations": [{**BOX, "id": 1, "area": 16, "iscrowd": 0}],
}


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text("0,0,4,4\n")
    Path("t.json").write_text(json.dumps(TRUTH))
    Path("g.json").write_text(json.dumps([{**BOX, "score": 0.5}]))
    Path("one.records").write_bytes(vesica.evaluate("t.json", "g.json").records.to_bytes())
    Path("labels").mkdir()
    Path("labels/a.txt").write_text("0 0.5 0.5 0.1 0.1\n")
    return tmp_path


# Without its report, whose charts take seconds.
DEMO = f"""
import sys
sys.path.insert(0, "{Path(__file__).parents[1]}")
import cli_world
from vesica.cli import demo, main
demo._report = cli_world.page
sys.exit(main())
"""


def ended(*words, shell="", unbuffered=False, **more):
    """The exit code and the words of one command, its streams as the shell has them."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"} | more
    if unbuffered:
        environment["PYTHONUNBUFFERED"] = "1"
    how = "-m vesica" if words[0] != "demo" else f"-c '{DEMO}'"
    line = f'exec "{sys.executable}" {how} "$@" {shell}'
    done = subprocess.run(
        ["sh", "-c", line, "sh", *words], capture_output=True, text=True, timeout=PATIENCE, env=environment, check=False
    )
    return done.returncode, done.stdout, done.stderr


ANSWERS = [
    ("iou", "a.csv", "a.csv"),
    ("nms", "g.json"),
    ("eval", "t.json", "g.json", "--quiet"),
    ("eval", "t.json", "g.json", "--quiet", "--gate", "AP>=1", "--gate", "AP>=2"),
    ("merge", "one.records", "--quiet"),
    ("convert", "g.json", "-", "--to", "csv"),
    ("info",),
    ("demo", "-o", "demo", "--images", "2"),
    ("--help",),
    ("iou", "--help"),
    ("--version",),
]


class TestFull:
    """A full disk is bad input: neither a failed gate (1) nor our fault (4), and never a traceback."""

    @pytest.mark.parametrize("words", ANSWERS, ids=" ".join)
    def test_output(self, files, words):
        code, _, err = ended(*words, shell=f"> {FULL}")
        assert code == 3 and err.endswith("vesica: The answer cannot be written: No space left on device.\n")
        assert "Traceback" not in err and "ignored" not in err and "Wrote" not in err

    @pytest.mark.parametrize("words", [("iou", "a.csv", "a.csv"), ("eval", "t.json", "g.json", "--quiet"), ("info",)])
    def test_json(self, files, words):
        want = (3, "", "vesica: The answer cannot be written: No space left on device.\n")
        assert ended(*words, "--json", shell=f"> {FULL}") == want
        assert ended(*words, "--json", shell=f"> {FULL}", unbuffered=True) == want

    def test_an_error_in_json(self, files):
        code, _, err = ended("iou", "nowhere.csv", "a.csv", "--json", shell=f"> {FULL}")
        assert code == 3 and err == "vesica: nowhere.csv cannot be read: No such file or directory.\n"

    def test_words(self, files):
        """Words beside the answer are lost, and the answer is not."""
        code, out, _ = ended("eval", "t.json", "g.json", "--json", shell=f"2> {FULL}")
        assert code == 0 and json.loads(out)["summary"]["AP"] == pytest.approx(1)
        assert ended("iou", "nowhere.csv", "a.csv", shell=f"2> {FULL}")[0] == 3
        assert ended("iou", shell=f"2> {FULL}")[0] == 2


class TestClosed:
    def test_output(self, files):
        code, _, err = ended("iou", "a.csv", "a.csv", shell=">&-")
        assert code == 3 and err.startswith("vesica: The answer cannot be written")

    def test_words_do_not_go_to_the_answer(self, files):
        code, out, _ = ended("eval", "t.json", "g.json", "--json", shell="2>&-")
        assert code == 0 and json.loads(out)["summary"]["AP"] == pytest.approx(1)

    def test_input(self, files):
        assert ended("iou", "-", "a.csv", shell="<&-") == (3, "", "vesica: standard input is closed.\n")

    @pytest.mark.parametrize("more", [(), ("--json",)])
    @pytest.mark.parametrize("bound, code", [("AP>=0.5", 0), ("AP>=2", 1)])
    def test_a_gate_behind_a_pipe(self, files, bound, code, more):
        """Whoever reads has closed the pipe: what the gate says stays."""
        reading, writing = os.pipe()
        os.close(reading)
        command = [sys.executable, "-m", "vesica", "eval", "t.json", "g.json", "--quiet", "--gate", bound, *more]
        done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, timeout=PATIENCE, check=False)
        os.close(writing)
        assert (done.returncode, done.stderr) == (code, b"")


PLACES = [
    ("iou", "{}", "a.csv"),
    ("iou", "a.csv", "{}"),
    ("nms", "{}"),
    ("eval", "{}", "g.json"),
    ("eval", "t.json", "{}"),
    ("eval", "t.json", "g.json", "--categories", "{}"),
    ("eval", "t.json", "g.json", "--images", "{}"),
    ("merge", "{}"),
    ("convert", "{}", "out.json"),
    ("convert", "labels", "out.json", "--sizes", "9,9", "--names", "{}"),
]


class TestLetters:
    """Names of files may be no text, and a terminal may lack letters."""

    @pytest.mark.parametrize("verb", [("iou", "{}", "a.csv"), ("eval", "{}", "g.json"), ("merge", "{}")])
    def test_a_name_that_is_no_text(self, files, verb):
        name = os.fsdecode(b"caf\xe9.json")
        code, out, err = ended(*(word.format(name) for word in verb), "--json")
        assert code == 3 and err == "" and name in json.loads(out)["error"]
        code, out, err = ended(*(word.format(name) for word in verb))
        assert code == 3 and out == "" and "caf\\udce9.json cannot be read" in err

    def test_a_terminal_without_letters(self, files):
        truth = {**TRUTH, "categories": [{"id": 1, "name": "Kätzchen"}]}
        Path("t.json").write_text(json.dumps(truth))
        code, out, _ = ended("eval", "t.json", "g.json", "--json", shell="", PYTHONIOENCODING="ascii")
        assert code == 0 and out.isascii() and json.loads(out)["classes"][0]["category"] == "Kätzchen"


class TestWithoutEnd:
    @pytest.mark.parametrize("words", PLACES, ids=" ".join)
    def test_a_device(self, files, capsys, words):
        assert main([word.format(ENDLESS) for word in words]) == 3
        assert f"{ENDLESS} is a device, which has no end, and no file." in capsys.readouterr().err

    def test_a_yaml_of_it(self, files, capsys):
        os.symlink(ENDLESS, "data.yaml")
        assert main(["convert", "labels", "out.json", "--sizes", "9,9", "--names", "data.yaml"]) == 3
        assert "is larger than 1 MiB" in capsys.readouterr().err

    def test_a_label_file_of_it(self, files, capsys):
        os.symlink(ENDLESS, "labels/b.txt")
        assert main(["convert", "labels", "out.json", "--sizes", "9,9"]) == 3
        assert "is a link that leads out of labels" in capsys.readouterr().err

    def test_standard_input(self, files):
        want = "vesica: standard input is a device, which has no end, and no file.\n"
        assert ended("iou", "-", "a.csv", shell=f"< {ENDLESS}") == (3, "", want)

    def test_a_pipe(self, files, monkeypatch, capsys):
        """It has a limit, where a file has none."""
        monkeypatch.setattr("vesica.io.files.MOST_OF_A_STREAM", 3 << 20)
        reading, writing = os.pipe()
        command = [sys.executable, "-c", "while True: print('0,0,4,4')"]
        with subprocess.Popen(command, stdout=writing, stderr=subprocess.DEVNULL) as other:
            os.close(writing)
            try:
                assert main(["iou", f"/dev/fd/{reading}", "a.csv"]) == 3
            finally:
                os.close(reading)
                other.kill()
        assert "Write it into a file, and read that." in capsys.readouterr().err

    def test_nothing(self, files, capsys):
        """The null device has an end, at once."""
        assert main(["iou", os.devnull, "a.csv"]) == 0 and capsys.readouterr().out == ""
        assert main(["eval", "t.json", os.devnull]) == 3 and "/dev/null is empty." in capsys.readouterr().err

    @pytest.mark.parametrize(
        "name, start, why",
        [
            ("hole.csv", b"", f"has {1 << 40:,} bytes, more than there is memory for."),
            ("hole.json", b"[", f"has {1 << 40:,} bytes, more than there is memory for."),
            ("hole.json", b"", "is of no format that is known"),  # which its first bytes tell
        ],
    )
    def test_a_file_larger_than_the_memory(self, files, name, start, why):
        """A hole of a terabyte, and room for four gigabytes."""
        with open(name, "wb") as file:
            file.write(start)
            file.truncate(1 << 40)
        limited = f"ulimit -v {4 << 20}; "
        done = subprocess.run(
            ["sh", "-c", f'{limited} exec "{sys.executable}" -m vesica eval {name} g.json'],
            capture_output=True, text=True, timeout=PATIENCE, check=False,
        )  # fmt: skip
        assert (done.returncode, done.stdout) == (3, "") and done.stderr.startswith(f"vesica: {name} {why}")


class TestExitCodes:
    def test_verbose(self, files, capsys):
        """Where an error came from is shown, and the code stays."""
        assert main(["iou", "nowhere.csv", "a.csv", "-v"]) == 3
        err = capsys.readouterr().err
        assert "Traceback" in err and err.endswith("vesica: nowhere.csv cannot be read: No such file or directory.\n")

    def test_memory(self, files, capsys, monkeypatch):
        def greedy(*_, **__):
            raise MemoryError("Unable to allocate 7 TiB")

        monkeypatch.setattr("vesica.io.files.load", greedy)
        assert main(["iou", "a.csv", "a.csv"]) == 3
        assert capsys.readouterr().err == "vesica: There is not enough memory for this: Unable to allocate 7 TiB.\n"

    def test_a_file_of_the_system(self, files, capsys, monkeypatch):
        def denied(*_, **__):
            raise PermissionError(13, "Permission denied", "/proc/facts")

        monkeypatch.setattr("vesica.cli.info._facts", denied)
        assert main(["info"]) == 3
        assert capsys.readouterr().err == "vesica: /proc/facts: Permission denied.\n"

    def test_a_folder_that_is_not_there(self, files, capsys):
        assert main(["eval", "nowhere/data.yaml", "g.json"]) == 3
        assert "nowhere/data.yaml cannot be read: there is no folder nowhere." in capsys.readouterr().err


class TestDigits:
    """Numbers longer than anyone writes are read as any other tool reads them, or refused as input."""

    MANY = "9" * 5000

    @pytest.mark.parametrize(
        "name, text",
        [
            ("a.csv", f"0,0,4,{MANY}\n"),
            ("a.json", f"[[0, 0, 4, {MANY}]]"),
            ("a.json", f'[{{"image_id": 1, "category_id": 1, "bbox": [0, 0, 4, {MANY}], "score": 0.5}}]'),
            ("a.json", f'[{{"image_id": {MANY}, "category_id": 1, "bbox": [0, 0, 4, 4], "score": 0.5}}]'),
            ("a.json", f'[{{"size": [5, {MANY}], "counts": [1]}}]'),
            ("a.json", "[" * 900 + "]" * 900),
            ("a.json", '{"annotations": ' + "[" * 900 + "]" * 900 + "}"),
            ("a.json", '{"boxes": ' + "[" * 200_000),
        ],
        ids=lambda text: text[:30],
    )
    @pytest.mark.parametrize(
        "verb", [("iou", "{0}", "{0}"), ("nms", "{}"), ("eval", "t.json", "{}"), ("convert", "{}", "o.csv")]
    )
    def test_files(self, files, capsys, verb, name, text):
        Path(name).write_text(text)
        assert main([word.format(name) for word in verb]) == 3
        err = capsys.readouterr().err
        assert f"vesica: {name}" in err and "sys." not in err and "Exceeds" not in err

    @pytest.mark.parametrize("option", ["--categories"])
    def test_options(self, files, capsys, option):
        assert main(["eval", "t.json", "g.json", option, f'{{"cat": {self.MANY}}}', "--quiet"]) == 3
        err = capsys.readouterr().err
        assert "--categories" in err and "4,300 digits" in err

    def test_an_id_of_a_table(self, files):
        Path("a.csv").write_text(f"image,class,x1,y1,x2,y2,score\n{self.MANY},cat,0,0,4,4,0.5\n")
        assert vesica.read("a.csv").images.ids.tolist() == [self.MANY]

    @pytest.mark.parametrize("word, want", [("1e-99999999999999999999999", 0.0), ("1.5e-400", 0.0), ("2.5", 2.5)])
    def test_exponents(self, files, word, want):
        """As a float has them, in every format of text."""
        Path("voc").mkdir(), Path("labelTxt").mkdir()
        sides = f"<xmin>{word}</xmin><ymin>1</ymin><xmax>50</xmax><ymax>50</ymax>"
        Path("voc/a.xml").write_text(
            f"<annotation><object><name>c</name><bndbox>{sides}</bndbox></object></annotation>"
        )
        assert vesica.read("voc", boxes="as_written").xywh[0].tolist() == [want, 1, 50 - want, 49]
        assert vesica.read("voc").xywh[0, 0] == want - 1
        Path("labelTxt/a.txt").write_text(f"{word} 0 9 0 9 5 {word} 5 plane 0\n")
        assert vesica.read("labelTxt").xywh[0].tolist() == [want, 0, 9 - want, 5]
        Path("labels/a.txt").write_text(f"0 {word} 3 4 5\n")
        assert vesica.read("labels", boxes="xywh").xywh[0].tolist() == [want, 3, 4, 5]
        Path("a.csv").write_text(f"image,x,y,w,h\n1,{word},3,4,5\n")
        assert vesica.read("a.csv").xywh[0].tolist() == [want, 3, 4, 5]
        Path("a.json").write_text(f'[{{"image_id": 1, "category_id": 1, "bbox": [{word}, 3, 4, 5], "score": 1}}]')
        assert vesica.read("a.json").xywh[0].tolist() == [want, 3, 4, 5]

    def test_difficult(self, files):
        Path("labelTxt").mkdir()
        Path("labelTxt/a.txt").write_text("".join(f"0 0 9 0 9 5 0 5 plane {word}\n" for word in ("0", "2", self.MANY)))
        assert np.array_equal(vesica.read("labelTxt").ignore, [False, True, True])
