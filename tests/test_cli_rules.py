"""Rules that hold for every verb: what goes where, in which form, and that it is the same each time."""

import importlib.util
import json
import os
import re
import subprocess
import sys

import pytest

import cli_world
from command import run
from vesica.cli import VERBS, demo
from vesica.cli.common_options import WITHOUT_THREADS

pytest.importorskip("PIL")

# A command of each verb that works, and the words that make it one of bad input (exit code 3).
GOOD = {
    "iou": ["a.csv", "b.csv", "--rotated", "deg,ccw"],
    "nms": ["results.json"],
    "eval": ["truth.json", "guess.json", "--per-class", "--counts", "--gate", "AP>=0.01"],
    "seg": ["truth", "guess", "--ignore", "255", "--per-class"],
    "agree": ["ann.json", "ben.json", "--per-class"],
    "check": ["guess.json", "--against", "truth.json"],
    "compare": ["truth.json", "base.json", "new.json"],
    "plot": ["by-iou", "truth.json", "guess.json", "-o", "out.svg"],
    "report": ["run.records", "-o", "out.html"],
    "records": ["part1_truth.json", "part1_guess.json", "-o", "out.records"],
    "merge": ["part1.records", "part2.records"],
    "convert": ["truth.json", "out.csv"],
    "stats": ["truth.json", "guess.json"],
    "explain": ["AP50"],
    "info": [],
    "demo": ["-o", "demo", "--images", "3"],
    "completions": ["bash"],
}
BAD_INPUT = {
    "iou": ["gone.csv", "b.csv"],
    "nms": ["gone.json"],
    "eval": ["truth.json", "gone.json"],
    "seg": ["truth", "gone"],
    "agree": ["ann.json", "gone.json"],
    "check": ["gone.json"],
    "compare": ["truth.json", "base.json", "gone.json"],
    "plot": ["by-iou", "truth.json", "gone.json", "-o", "out.svg"],
    "report": ["gone.records", "-o", "out.html"],
    "records": ["part1_truth.json", "gone.json", "-o", "out.records"],
    "merge": ["gone.records"],
    "convert": ["gone.json", "out.csv"],
    "stats": ["gone.json"],
}
SAYS_NOTHING = ("convert",)
"""Verbs whose answer is a file: what was written is told beside it."""
FORMS = ("eval", "seg", "agree", "merge", "compare", "check", "stats")
OPTIONAL = {"plot": "matplotlib", "report": "matplotlib", "demo": "matplotlib"}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    cli_world.build(folder)
    with cli_world.unchanged(folder):
        yield folder


@pytest.fixture
def world(made, tmp_path, monkeypatch, undrawn):
    for name in ("NO_COLOR", "FORCE_COLOR", "VESICA_CONFIG", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(demo, "_report", cli_world.page)
    here = tmp_path / "here"
    cli_world.linked(made, here)
    monkeypatch.chdir(here)
    return here


@pytest.fixture(params=GOOD)
def verb(request):
    if request.param in OPTIONAL:
        pytest.importorskip(OPTIONAL[request.param])
    return request.param


def one_object(text):
    """The object that a text is, to the byte as this library writes it."""
    found = json.loads(text)
    assert isinstance(found, dict) and text == json.dumps(found, sort_keys=True, ensure_ascii=False) + "\n"
    return found


def test_the_table_is_complete():
    """A verb that comes later is judged by the same rules."""
    assert set(GOOD) == set(VERBS)


def good(verb):
    return [verb, *GOOD[verb]]


_said = {}


def said(capsys, verb, *more):
    """The folder, and what a verb says there by itself, run once; it needs the world."""
    if (verb, more) not in _said:
        _said[verb, more] = os.getcwd(), run(capsys, *good(verb), *more)
    return _said[verb, more]


def loud(capsys, verb):
    return said(capsys, verb)[1]


class TestStreams:
    def test_the_answer_alone_is_on_stdout(self, world, capsys, verb):
        code, out, err = loud(capsys, verb)
        assert code == 0 and (verb in SAYS_NOTHING) == (out == ""), err
        assert "\x1b" not in out + err and "Read " not in out

    def test_quiet_says_nothing_else(self, world, capsys, verb):
        code, out, err = run(capsys, *good(verb), "--quiet")
        assert code == 0 and err == "" and out == loud(capsys, verb)[1]

    def test_json_is_one_object(self, world, capsys, verb):
        code, out, _ = said(capsys, verb, "--json")[1]
        assert code == 0
        one_object(out)

    @pytest.mark.parametrize("verb", BAD_INPUT)
    def test_an_error_is_one_object_too(self, world, capsys, verb):
        code, out, err = run(capsys, verb, *BAD_INPUT[verb], "--json", "--quiet")
        found = one_object(out)
        assert code == 3 and found["exit"] == 3 and "gone" in found["error"] and err == ""
        code, out, err = run(capsys, verb, *BAD_INPUT[verb], "--quiet")
        assert code == 3 and out == "" and err.startswith("vesica: ") and "gone" in err

    def test_usage_is_one_object_too(self, world, capsys, verb):
        code, out, err = run(capsys, *good(verb), "--jsonn", "--json")
        found = one_object(out)
        assert code == 2 and found["exit"] == 2 and "Did you mean --json?" in found["error"] and err == ""
        code, out, err = run(capsys, *good(verb), "--quite")
        assert code == 2 and out == "" and "`--quite` is no option of `vesica" in err and "--quiet?" in err
        assert len(err.splitlines()) == 2  # how it is used, and what is wrong

    @pytest.mark.parametrize("form", ["markdown", "github", "junit", "sarif"])
    @pytest.mark.parametrize("verb", FORMS)
    def test_other_forms_of_errors(self, world, capsys, verb, form):
        code, out, err = run(capsys, verb, *BAD_INPUT[verb], "--output", form)
        assert code == 3 and "gone" in out.replace("&#46;", ".") and "gone" in err


# Each command in words, twice: as it is and with --json. What it says, and where, as JSON.
SPOKEN = """
import contextlib, io, json, sys
sys.path.insert(0, sys.argv[1])
import cli_world
from vesica.cli import demo, main
from vesica.report import charts

# As undrawn.py has it: drawing takes seconds, and is not what is said.
charts.svg_of = lambda ax, key, **_: f'<svg id="{key}" viewBox="0 0 1 1"></svg>'
demo._report = cli_world.page
told = {}
for verb, words in json.loads(sys.argv[2]).items():
    for more in ([], ["--json"]):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main([*words, *more])
        told.setdefault(verb, []).append((code, out.getvalue(), err.getvalue()))
print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def spoken(made, tmp_path_factory):
    """A folder, and what each verb says there in another process: with other hashes, and more threads."""
    here = tmp_path_factory.mktemp("stable") / "deep" / "er"
    here.parent.mkdir()
    cli_world.linked(made, here)
    verbs = [verb for verb in GOOD if verb not in OPTIONAL or importlib.util.find_spec(OPTIONAL[verb])]
    threads = ["--threads", str((os.cpu_count() or 1) + 1)]
    words = {verb: good(verb) + (threads if _takes(verb, "--threads") else []) for verb in verbs}
    hashes = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    done = subprocess.run(
        [sys.executable, "-c", SPOKEN, os.path.dirname(__file__), json.dumps(words)],
        capture_output=True,
        cwd=here,
        env=os.environ | {"PYTHONHASHSEED": hashes, "LC_ALL": "C.UTF-8"},
        check=True,
    )
    return str(here), json.loads(done.stdout)


@pytest.mark.slow
class TestStable:
    def test_to_the_byte(self, world, capsys, spoken, verb):
        """Another folder, other hashes, other threads: the same bytes."""
        there, told = spoken
        assert len(told[verb]) == 2
        for (code, out, err), (here, own) in zip(
            told[verb], (said(capsys, verb), said(capsys, verb, "--json")), strict=True
        ):
            assert code == own[0] == 0 and out == own[1]
            assert not any(folder in text for folder in (there, here) for text in (out, err, *own[1:]))
            assert not re.search(r"20\d\d-\d\d-\d\d", out)


def _takes(verb, option):
    from vesica.cli.parsers import parser_of

    return option in parser_of(VERBS, verb)[1][verb]._option_string_actions


class TestOptionsOfAll:
    def test_are_the_same(self, verb):
        for option in ("--json", "--quiet", "-v", "--color", "--progress", "--print-config", "--no-config"):
            assert _takes(verb, option), option
        assert _takes(verb, "--threads") == (verb not in WITHOUT_THREADS)

    @pytest.mark.parametrize("verb", sorted(set(GOOD) - set(WITHOUT_THREADS)))
    def test_threads_are_checked(self, world, capsys, verb):
        code, _, err = run(capsys, *good(verb), "--threads", "0")
        assert code == 2 and "--threads" in err

    @pytest.mark.parametrize(
        "words, meant",
        [
            (["--conf", "0.5"], "--min-score"),
            (["--iou-thres", "0.5"], "--iou"),
            (["--gt", "x"], "TRUTH, by its place"),
            (["--iouType", "segm"], "--regions"),
            (["--iou_type=segm"], "--regions"),
            (["--jobs", "4"], "--threads"),
            (["--Per_Class"], "--per-class"),
            (["--colour", "never"], "--color"),
            (["--no-progress"], "--progress never"),
        ],
    )
    def test_habits(self, world, capsys, words, meant):
        code, _, err = run(capsys, "eval", "truth.json", "guess.json", *words)
        assert code == 2 and f"Did you mean {meant}?" in err

    @pytest.mark.parametrize(
        "words, told",
        [
            (["evl", "a", "b"], "`evl` is no verb of vesica. Did you mean `vesica eval`?"),
            (["val", "data=x"], "Did you mean `vesica eval`?"),
            (["kappa", "a", "b"], "Did you mean `vesica agree`?"),
            (["miou", "a", "b"], "Did you mean `vesica seg`?"),
            (["eval", "a", "b", "c"], "'c' is one too many: `vesica eval` takes TRUTH GUESS, or with --engine"),
            (["eval", "a", "b", "--protocol", "cocoa"], "Did you mean coco?"),
            (["eval", "a", "b", "--regions", "segm"], "Did you mean mask?"),
            (["eval", "a", "b", "--iou-thresholds", "0.5"], "Did you mean --iou?"),
            (["plot", "confusion_matrix", "a", "b", "-o", "x.png"], "Did you mean confusion?"),
            (["agree", "a", "b", "--iou", "0.5"], "Did you mean --match-at?"),
            (["info", "x"], "'x' is one too many: `vesica info` takes no files."),
            (["eval", "a", "b", "--xyz"], "`--xyz` is no option of `vesica eval`. `vesica eval --help`"),
            (["eval", "a", "b", "--per"], "`--per` is no option of `vesica eval`. Did you mean --per-class?"),
            (["eval", "a", "b", "--guess"], "Did you mean --guess-format or --guess-folder?"),
        ],
    )
    def test_near_misses(self, world, capsys, words, told):
        code, _, err = run(capsys, *words)
        assert code == 2 and told in err, err


def test_help_as_others_have_it(capsys):
    assert run(capsys, "help", "eval") == run(capsys, "eval", "--help")
    assert run(capsys, "help") == run(capsys, "--help")


class TestColours:
    def test_asked_for(self, world, capsys):
        assert "\x1b[" in run(capsys, *good("eval"), "--color", "always")[1]
        assert "\x1b[" not in run(capsys, *good("eval"), "--color", "never")[1]

    def test_the_environment_colours_no_pipe(self, world, capsys, monkeypatch):
        monkeypatch.setenv("FORCE_COLOR", "1")
        assert "\x1b" not in run(capsys, *good("eval"))[1]

    @pytest.mark.parametrize(
        "environment, words, colored",
        [
            ({}, [], True),
            ({"NO_COLOR": "1"}, [], False),
            ({"NO_COLOR": ""}, [], True),
            ({"TERM": "dumb"}, [], False),
            ({}, ["--color", "never"], False),
            ({"NO_COLOR": "1"}, ["--color", "always"], True),
        ],
    )
    def test_on_a_terminal(self, world, environment, words, colored):
        shown = on_terminal([*good("eval"), "--quiet", *words], environment)
        assert ("\x1b[1m" in shown) == colored and "AP50" in shown


def on_terminal(words, environment):
    """What a command shows where standard output and standard error are a terminal."""
    pty = pytest.importorskip("pty", exc_type=ImportError)
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "vesica", *words],
        stdout=theirs,
        stderr=theirs,
        env={name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
        | {"TERM": "xterm-256color", "COLUMNS": "120"}
        | environment,
    )
    os.close(theirs)
    shown = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        shown += part
    os.close(ours)
    process.wait()
    return shown.decode("utf-8", "replace")


class TestProgress:
    # Verbs that show a bar once their work has taken longer than patience.
    SLOW = ("nms", "eval", "seg", "agree", "check", "compare", "records", "merge", "convert", "stats")

    @pytest.mark.parametrize("verb", SLOW)
    def test_always(self, world, capsys, monkeypatch, verb):
        """Without any patience every one of them draws on standard error, and the answer is the same."""
        from vesica.cli import progress

        plain = run(capsys, *good(verb), "--progress", "never")
        monkeypatch.setattr(progress, "PATIENCE", 0.0)
        slow_down(monkeypatch)
        code, out, err = run(capsys, *good(verb), "--progress", "always", "--quiet")
        assert code == plain[0] and out == plain[1] and "\x1b[" in err

    @pytest.mark.parametrize("words", [["--progress", "never"], ["--quiet"]])
    def test_never(self, world, words):
        code = f"from vesica.cli import main, progress; progress.PATIENCE = 0; main({[*good('eval'), *words]!r})"
        pty = pytest.importorskip("pty", exc_type=ImportError)
        ours, theirs = pty.openpty()
        done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=theirs, check=True)
        os.close(theirs)
        os.set_blocking(ours, False)
        try:
            shown = os.read(ours, 65536)
        except (OSError, BlockingIOError):
            shown = b""
        os.close(ours)
        assert b"\x1b" not in shown and b"AP50" in done.stdout


def slow_down(monkeypatch):
    """Let each step wait for the thread that draws the bar, as long work would."""
    from vesica.cli import progress

    show = progress._Steps.show
    inits = progress._Steps.__init__

    def begin(self, names):
        inits(self, names)
        show(self)  # as if the second had passed

    monkeypatch.setattr(progress._Steps, "__init__", begin)
    monkeypatch.setattr(progress._Steps, "show", lambda self: None)


def test_help_is_light():
    """`vesica --help` loads no verb, no NumPy and no TOML."""
    code = (
        "import sys\nfrom vesica.cli import main\n"
        "try: main(['--help'])\nexcept SystemExit: pass\n"
        "heavy = {'numpy', 'rich', 'tomllib', 'tomli', 'vesica.glossary', 'vesica.cli.eval', 'importlib.metadata'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert all(f"\n    {verb}" in done.stdout for verb in VERBS)


def test_info_is_light():
    """A torch that was built without CUDA sees no device: it need not be asked, which takes seconds."""
    code = (
        "import sys\nfrom importlib import metadata\nfrom vesica.cli import main\n"
        "metadata.version = lambda name: '2.13.0+cpu'\n"
        "main(['info'])\nassert 'torch' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "CUDA devices: none that torch sees" in done.stdout


@pytest.mark.parametrize(
    "before, words, want", [("", {}, "4"), ("", {"OPENBLAS_THREAD_TIMEOUT": "9"}, "9"), ("import numpy", {}, "None")]
)
def test_cores_are_left_free(before, words, want):
    """Threads of OpenBLAS do not look for work, unless somebody asked for it, or has NumPy already."""
    code = f"{before}\nimport os; from vesica.cli import main\nmain(['explain', 'AP50'])\n"
    code += "print(os.environ.get('OPENBLAS_THREAD_TIMEOUT'))"
    others = {name: value for name, value in os.environ.items() if name != "OPENBLAS_THREAD_TIMEOUT"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=others | words)
    assert done.stdout.splitlines()[-1] == want
