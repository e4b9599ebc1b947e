"""Settings of files: found by walking up, overruled by the command line, never misread in silence."""

import json
from pathlib import Path

import pytest

from command import run
from vesica.cli import VERBS, settings_file
from vesica.cli.parsers import parser_of

TRUTH = "image,class,x1,y1,x2,y2\n1,cat,0,0,10,10\n1,dog,20,0,30,10\n"
GUESS = "image,class,score,x1,y1,x2,y2\n1,cat,0.95,0,0,10,9\n1,dog,0.5,20,0,30,7\n"


@pytest.fixture
def inside(tmp_path, monkeypatch):
    """A folder two levels below where settings are written."""
    monkeypatch.delenv("VESICA_CONFIG", raising=False)
    here = tmp_path / "project" / "runs" / "today"
    here.mkdir(parents=True)
    monkeypatch.chdir(here)
    Path("truth.csv").write_text(TRUTH)
    Path("guess.csv").write_text(GUESS)
    return tmp_path / "project"


def evaluated(capsys, *words):
    code, out, err = run(capsys, "eval", "truth.csv", "guess.csv", "--json", *words)
    return code, json.loads(out), err


def holding(capsys, verb, *words):
    """What --print-config says of each option: its value, and where it comes from."""
    code, out, err = run(capsys, verb, "--print-config", "--json", *words)
    assert code == 0, err
    return {name: (row["value"], row["from"]) for name, row in json.loads(out)["settings"].items()}


class TestFound:
    def test_vesica_toml(self, inside, capsys):
        (inside / "vesica.toml").write_text('quiet = true\n[eval]\ngate = ["AP>=0.99"]\n')
        code, facts, err = evaluated(capsys)
        assert code == 1 and [one["gate"] for one in facts["gates"]] == ["AP>=0.99"] and err == ""

    def test_pyproject(self, inside, capsys):
        (inside / "pyproject.toml").write_text(
            '[project]\nname = "x"\n[tool.vesica.eval]\niou = [0.5]\ncounts = true\n'
        )
        _, facts, err = evaluated(capsys)
        assert facts["conventions"]["iou"] == [0.5] and facts["counts"]["tp"] == 2
        assert err.startswith("Settings of ../../pyproject.toml: iou, counts.\nRead ")  # never in silence

    def test_the_nearest_holds_alone(self, inside, capsys):
        (inside / "vesica.toml").write_text("[eval]\ncounts = true\n")
        Path("vesica.toml").write_text("[eval]\nstrict = true\n")
        found = holding(capsys, "eval")
        assert found["strict"] == (True, "vesica.toml [eval]") and found["counts"] == (False, "default")

    def test_vesica_toml_before_pyproject(self, inside, capsys):
        (inside / "vesica.toml").write_text("threads = 1\n")
        (inside / "pyproject.toml").write_text("[tool.vesica]\nthreads = 2\n")
        assert holding(capsys, "eval")["threads"] == (1, "../../vesica.toml")

    def test_a_pyproject_without_a_table_is_passed_over(self, inside, capsys):
        Path("pyproject.toml").write_text('[project]\nname = "vesica-tools"\n')
        (inside / "vesica.toml").write_text("threads = 1\n")
        assert holding(capsys, "eval")["threads"][0] == 1

    def test_another_pyproject_may_be_broken(self, inside, capsys):
        Path("pyproject.toml").write_text("[tool.other\n")
        assert evaluated(capsys)[0] == 0

    def test_no_config(self, inside, capsys):
        (inside / "vesica.toml").write_text("nonsense =")
        assert evaluated(capsys, "--no-config")[0] == 0
        assert evaluated(capsys)[0] == 2

    def test_variable(self, inside, capsys, monkeypatch):
        (inside / "vesica.toml").write_text("threads = 1\n")
        Path("ci.toml").write_text("threads = 2\n")
        monkeypatch.setenv("VESICA_CONFIG", "ci.toml")
        assert holding(capsys, "eval")["threads"] == (2, "ci.toml")
        monkeypatch.setenv("VESICA_CONFIG", "")
        assert holding(capsys, "eval")["threads"] == (None, "default")
        monkeypatch.setenv("VESICA_CONFIG", "gone.toml")
        code, out, err = run(capsys, "info")
        assert code == 2 and out == "" and "VESICA_CONFIG names 'gone.toml', which is no file" in err

    def test_help_needs_no_settings(self, inside, capsys):
        (inside / "vesica.toml").write_text("nonsense =")
        assert run(capsys, "eval", "--help")[0] == 0


class TestCommandLineWins:
    def test_values_and_lists(self, inside, capsys):
        (inside / "vesica.toml").write_text('[eval]\niou = "0.5,0.75"\ngate = ["AP>=0.1", "AP50>=0.1"]\n')
        _, facts, _ = evaluated(capsys, "--iou", "0.6", "--gate", "AP>=0.2")
        assert facts["conventions"]["iou"] == [0.6] and [one["gate"] for one in facts["gates"]] == ["AP>=0.2"]

    def test_the_verb_before_all_verbs(self, inside, capsys):
        (inside / "vesica.toml").write_text("threads = 2\nquiet = true\n[eval]\nthreads = 1\n")
        found = holding(capsys, "eval")
        assert found["threads"] == (1, "../../vesica.toml [eval]") and found["quiet"] == (True, "../../vesica.toml")
        assert holding(capsys, "seg")["threads"][0] == 2

    def test_forms_are_one_choice(self, inside, capsys):
        (inside / "vesica.toml").write_text('[eval]\noutput = "markdown"\n')
        assert run(capsys, "eval", "truth.csv", "guess.csv", "-q")[1].startswith("### vesica eval")
        assert evaluated(capsys)[0] == 0  # --json, and no word of --output

    def test_what_excludes_each_other(self, inside, capsys):
        (inside / "vesica.toml").write_text("[iou]\naligned = true\n")
        Path("a.csv").write_text("0,0,4,4\n")
        assert run(capsys, "iou", "a.csv", "a.csv")[1] == "1.0\n"
        assert run(capsys, "iou", "a.csv", "a.csv", "--best", "1")[1] == "i,j,value\n0,0,1.0\n"

    def test_an_option_without_its_value(self, inside, capsys):
        (inside / "vesica.toml").write_text("[agree]\nby-annotator = true\n")
        assert holding(capsys, "agree")["by-annotator"][0] is True
        (inside / "vesica.toml").write_text('[agree]\nby-annotator = "who"\n')
        assert holding(capsys, "agree")["by-annotator"][0] == "who"

    def test_options_that_are_kept_under_another_name(self, inside, capsys):
        (inside / "vesica.toml").write_text(
            '[convert]\nfrom = "yolo"\n[seg]\nmap = "cityscapes"\n[iou]\nbest = 1\naligned = true\n'
        )
        assert holding(capsys, "convert")["from"] == ("yolo", "../../vesica.toml [convert]")
        assert holding(capsys, "seg")["map"] == ("cityscapes", "../../vesica.toml [seg]")
        code, _, err = run(capsys, "iou", "a", "b")
        assert code == 2 and "aligned and best exclude each other" in err.replace(
            "best and aligned", "aligned and best"
        )
        code, _, err = run(capsys, "convert", "truth.csv", "x.json")
        assert code == 3 and err.startswith("Settings of ../../vesica.toml: from.\n")

    def test_where_it_has_no_meaning(self, inside, capsys):
        (inside / "vesica.toml").write_text("threads = 2\nseed = 3\n")
        assert run(capsys, "explain", "AP")[0] == 0  # which has neither
        assert holding(capsys, "compare")["seed"] == (3, "../../vesica.toml")


WRONG = [
    (
        "[eval]\nper-clas = true",
        "vesica.toml [eval]: `per-clas` is no setting of `vesica eval`. Did you mean per-class?",
    ),
    ("[evaluate]\niou = 0.5", "`evaluate` is no verb of vesica. Did you mean eval?"),
    ("thread = 2", "`thread` is no setting of all verbs. Did you mean threads?"),
    ("gate = 'AP>=0.5'", "`gate` is no setting of all verbs. Those of one verb stand in a table of their own: [eval]"),
    ("[eval]\nper-class = 1", "`per-class` must be true or false; got 1"),
    ("[eval]\niou = true", "`iou` must be a text or a number, or a list of them; got true"),
    ("[eval]\nprotocol = 'cocoo'", "argument --protocol: invalid choice: 'cocoo'"),
    ("[eval]\nprotocol = ['coco']", '`protocol` must be a text or a number; got ["coco"]'),
    ("[eval]\nlevel = 'high'", "argument --level: invalid float value: 'high'"),
    ("[eval]\ngate = []", "`gate` must be a text or a number, or a list of them; got []"),
    ("[eval]\niou = [[0.5]]", "`iou` must be"),
    ("[eval.iou]\nx = 1", "`iou` must be a text or a number"),
    ("[eval]\ntruth = 'a.json'", "`truth` is no setting: TRUTH is said on the command line"),
    ("[eval]\nrecords = '/etc/passwd'", "`records` is no setting: it is said on the command line"),
    ("[eval]\nno-config = true", "`no-config` is no setting"),
    ("[eval]\nhelp = true", "`help` is no setting"),
    ("eval = 3", "`eval` is no setting of all verbs"),
    ("[eval]\nlevel = 0.5", "--level goes with --interval. `vesica eval --help` shows examples. (level is set in"),
    ("[eval]\niou = 1.5", "(iou is set in ../../vesica.toml [eval])"),
    ("threads = 0", "(threads is set in ../../vesica.toml)"),
    ("[eval\n", "is no TOML"),
    ("x = \xff", "is no TOML"),
]


@pytest.mark.parametrize("text, message", WRONG, ids=[text for text, _ in WRONG])
def test_wrong(inside, capsys, text, message):
    (inside / "vesica.toml").write_bytes(text.encode("latin-1"))
    code, out, err = run(capsys, "eval", "truth.csv", "guess.csv")
    assert code == 2 and out == "" and message in err, err
    code, out, _ = run(capsys, "eval", "truth.csv", "guess.csv", "--json")
    assert code == 2 and json.loads(out)["exit"] == 2 and message in json.loads(out)["error"]


@pytest.mark.parametrize("verb", VERBS)
def test_what_writes_files_is_said_by_hand(verb):
    """A file in a folder above, perhaps somebody else's, cannot make a command write where it wants."""
    from vesica.cli import settings

    _, parsers = parser_of(VERBS, verb)
    parser = parsers[verb]
    writing = {"output", "records", "fix", "consensus", "queue", "report"}
    for action in parser._actions:
        takes_file = action.metavar == "OUT" or action.dest in writing
        if action.option_strings and takes_file and action.choices is None:
            assert not settings._may_be_set(parser, action.dest), action.dest


class TestPrinted:
    def test_text_is_toml(self, inside, capsys):
        (inside / "vesica.toml").write_text('[eval]\ngate = ["AP[a, b]>=0.5"]\nper-class = true\n')
        code, out, _ = run(capsys, "eval", "--print-config", "--iou", "0.5")
        assert code == 0 and 'gate = ["AP[a, b]>=0.5"]' in out and "# ../../vesica.toml [eval]" in out
        assert 'iou = "0.5"' in out and "# command line" in out
        table = settings_file._parsed(out.encode(), "out")["eval"]
        assert table["gate"] == ["AP[a, b]>=0.5"] and table["per-class"] is True and table["protocol"] == "coco"

    @pytest.mark.parametrize("verb", VERBS)
    def test_of_every_verb(self, inside, capsys, verb):
        found = holding(capsys, verb)
        assert {"json", "quiet", "color", "progress"} <= set(found)
        assert found["json"] == (True, "command line")
        assert run(capsys, verb, "--print-config")[0] == 0

    def test_it_does_nothing(self, inside, capsys):
        before = sorted(inside.rglob("*"))
        run(capsys, "demo", "--print-config")
        run(capsys, "eval", "truth.csv", "guess.csv", "--records", "x.records", "--print-config")
        assert sorted(inside.rglob("*")) == before


class TestHostile:
    def test_a_huge_file(self, inside, capsys):
        (inside / "vesica.toml").write_bytes(b"# " + b"x" * (1 << 21))
        code, _, err = run(capsys, "info")
        assert code == 2 and "which no file of settings has" in err

    def test_deep_nesting(self, inside, capsys):
        (inside / "vesica.toml").write_text("[eval]\niou = " + "[" * 100_000)
        assert run(capsys, "eval", "a", "b")[0] == 2

    def test_a_folder_of_that_name(self, inside, capsys):
        (inside / "vesica.toml").mkdir()
        assert evaluated(capsys)[0] == 0

    def test_without_tomllib(self, inside, capsys, monkeypatch):
        import sys

        monkeypatch.setitem(sys.modules, "tomllib", None)
        monkeypatch.setitem(sys.modules, "tomli", None)
        assert evaluated(capsys)[0] == 0  # no file, no need
        (inside / "vesica.toml").write_text("threads = 1\n")
        code, facts, _ = evaluated(capsys)
        assert code == 2 and "needs tomli on Python 3.10: pip install tomli" in facts["error"]

    def test_names_from_the_file_are_printable(self, inside, capsys):
        (inside / "vesica.toml").write_text('[eval]\n"\\u001b[31mx" = 1\n')
        code, _, err = run(capsys, "eval", "a", "b")
        assert code == 2 and "\x1b" not in err
