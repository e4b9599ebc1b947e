"""Shell completion: scripts made of the parsers, tried in the shells themselves."""

import shutil
import subprocess
import sys

import pytest

from vesica.cli import VERBS, main
from vesica.cli.completion_tree import tree
from vesica.cli.parsers import parser_of

TREE = tree()
BASH = """
source "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
COMPREPLY=()
_vesica 2> /dev/null
printf '%s\\n' "${COMPREPLY[@]}"
"""
# zsh completes in its line editor alone: a terminal of its own (zpty) types the line and TAB. What is offered goes
# through compadd, which writes it down.
ZSH = """
zmodload zsh/zpty
zpty -b shell zsh -f -i
zpty -w shell 'stty -echo; autoload -U compinit; compinit -u -D; source '"$1"
zpty -w shell 'compadd() {
    if [[ " $* " == *" -"[OAD]" "* ]]; then builtin compadd "$@"; return; fi
    local -a hits
    builtin compadd -O hits "$@"
    print -rl -- $hits >> '"$3"'
    builtin compadd "$@"
}
print ready-$((1))'
until zpty -r -m shell line '*ready-1*'; do :; done
zpty -n -w shell "$2"$'\\t'
zpty -n -w shell $'\\x15print ready-$((2))\\n'
until zpty -r -m shell line '*ready-2*'; do :; done
"""


def script(tmp_path, capsys, shell):
    assert main(["completions", shell]) == 0
    path = tmp_path / f"vesica.{shell}"
    path.write_text(capsys.readouterr().out, "utf-8")
    return path


@pytest.fixture
def offered(tmp_path, capsys):
    """Completions of the last word of a command line, in one of the shells."""
    (tmp_path / "here").mkdir()
    for name in ("truth.json", "two words.json"):
        (tmp_path / "here" / name).write_text("")

    def of(shell, *words):
        path = script(tmp_path, capsys, shell)
        written = tmp_path / "offered"
        written.write_text("")
        commands = {
            "bash": ["bash", "--norc", "-c", BASH, "bash", str(path), *words],
            "fish": ["fish", "--no-config", "-c", f"source {path}; complete -C {_fish_quoted(' '.join(words))}"],
            "zsh": ["zsh", "-f", "-c", ZSH, "zsh", str(path), " ".join(words), str(written)],
        }
        _need(shell)
        run = subprocess.run(
            commands[shell], capture_output=True, text=True, check=True, cwd=tmp_path / "here", timeout=60
        )
        if shell == "zsh":
            return set(written.read_text("utf-8").splitlines())
        return {line.partition("\t")[0].replace("\\ ", " ") for line in run.stdout.splitlines() if line}

    return of


def _need(shell):
    if sys.platform == "win32" or shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")


def _fish_quoted(text):
    return "'" + text.replace("'", "\\'") + "'"


SHELLS = ("bash", "zsh", "fish")


@pytest.mark.parametrize("shell", SHELLS)
class TestInTheShell:
    def test_parses(self, tmp_path, capsys, shell):
        _need(shell)
        path = script(tmp_path, capsys, shell)
        subprocess.run([shell, "-n", str(path)], check=True, capture_output=True)

    def test_verbs(self, offered, shell):
        assert set(VERBS) <= offered(shell, "vesica", "")
        found = offered(shell, "vesica", "comp")
        assert {"compare", "completions"} <= found and "eval" not in found

    def test_options(self, offered, shell):
        found = offered(shell, "vesica", "eval", "--")
        options = {flag for verb in TREE if verb.name == "eval" for option in verb.options for flag in option.flags}
        assert {flag for flag in options if flag.startswith("--")} <= found

    def test_choices(self, offered, shell):
        assert {"coco", "lvis", "voc-devkit"} <= offered(shell, "vesica", "eval", "--protocol", "")
        assert "voc07" in offered(shell, "vesica", "eval", "truth.json", "--protocol", "voc0")

    def test_places(self, offered, shell):
        assert {"bash", "zsh", "fish"} <= offered(shell, "vesica", "completions", "")
        assert {"precision-recall", "causes"} <= offered(shell, "vesica", "plot", "")

    def test_files(self, offered, shell):
        found = offered(shell, "vesica", "eval", "--quiet", "")
        assert "truth.json" in found
        assert "truth.json" in offered(shell, "vesica", "check", "--against", "")


class TestBash:
    def test_after_the_sign(self, offered):
        assert offered("bash", "vesica", "eval", "--protocol", "=", "vo") == {"voc", "voc07", "voc12", "voc-devkit"}

    def test_names_with_blanks(self, offered):
        assert "two words.json" in offered("bash", "vesica", "eval", "tw")
        assert offered("bash", "vesica", "explain", "loose") == {"loose edge"}

    def test_values_of_options_are_no_places(self, offered):
        assert "causes" in offered("bash", "vesica", "plot", "--theme", "dark", "ca")

    def test_nothing_to_offer(self, offered):
        assert offered("bash", "vesica", "eval", "--gate", "") == set()
        assert offered("bash", "vesica", "nonsense", "") == set()


class TestTree:
    def test_is_that_of_the_parsers(self):
        _, parsers = parser_of(VERBS, None, loaded=tuple(VERBS))
        for verb in TREE:
            flags = {flag for option in verb.options for flag in option.flags}
            assert flags == set(parsers[verb.name]._option_string_actions), verb.name
        assert [verb.name for verb in TREE] == list(VERBS)

    def test_files_are_known_by_the_names_of_values(self):
        options = {(verb.name, flag): option.value for verb in TREE for option in verb.options for flag in option.flags}
        for key in (("eval", "--records"), ("check", "--fix"), ("agree", "--queue"), ("eval", "--guess-folder")):
            assert options[key].is_file, key
        for key in (("eval", "--iou"), ("iou", "--rotated"), ("eval", "--gate"), ("eval", "--threads")):
            assert not options[key].is_file and not options[key].choices, key
        assert options["eval", "--quiet"] is None

    def test_texts_hold_no_marks_of_shells(self):
        for verb in TREE:
            for option in verb.options:
                assert not set(option.text) & set("[]'\"`\\$:") and len(option.text) <= 71

    @pytest.mark.parametrize("shell", SHELLS)
    def test_no_tab_starts_python(self, tmp_path, capsys, shell):
        text = script(tmp_path, capsys, shell).read_text("utf-8")
        assert "python" not in text.lower().replace("in python", "") and "$(vesica" not in text and "`vesica" in text
