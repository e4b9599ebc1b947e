"""What the command line prints, kept in tests/data/gold: one file for each verb and form.

    python tests/gold.py            tells which files differ
    python tests/gold.py --accept   writes them anew; look at the difference before it is committed (`make gold`)

Versions and what depends on the machine are scrubbed.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import os
import re
import sys
import tempfile
from pathlib import Path

import cli_world

FOLDER = Path(__file__).with_name("data") / "gold"
_SCORED = ["truth.json", "guess.json", "--per-class", "--counts", "--gate", "AP>=0.9", "--gate", "AP50[dog]>=0.1"]
COMMANDS = {
    "iou": ["truth.csv", "guess.csv"],
    "nms": ["results.json", "--per-class", "--limit", "2"],
    "eval": _SCORED,
    "seg": ["truth", "guess", "--classes", "names.txt", "--ignore", "255", "--per-class", "--gate", "mIoU>=0.99"],
    "agree": ["ann.json", "ben.json", "cleo.json", "--per-class", "--gate", "agreement>=0.5"],
    "check": ["corners.json", "--against", "truth.json"],
    "compare": ["truth.json", "base.json", "new.json", "--gate", "AP drop<=0.01 @95%"],
    "records": ["part1_truth.json", "part1_guess.json", "-o", "out.records"],
    "merge": ["part1.records", "part2.records", "--per-class"],
    "convert": ["truth.json", "-", "--to", "csv"],
    "stats": ["truth.json", "guess.json"],
    "explain": ["AP50", "duplicate"],
    "plot": ["by-iou", "truth.json", "guess.json", "-o", "out.svg"],
}
FORMS = ("text", "json", "markdown", "github", "junit", "sarif")
WITH_FORMS = ("eval", "seg", "agree", "compare", "check", "merge", "stats")
MANY = ("", "eval", "records", "explain", "stats", "completions")
"""Verbs whose help is kept too; "" is that of all."""
SETTINGS = 'quiet = true\n[eval]\ngate = ["AP>=0.5"]\nper-class = true\n'


def wanted() -> dict[str, list[str]]:
    """The name of each file, and the command that prints it."""
    found: dict[str, list[str]] = {}
    for verb, words in COMMANDS.items():
        if verb == "plot" and importlib.util.find_spec("matplotlib") is None:
            continue
        if verb in WITH_FORMS:
            for form in FORMS:
                found[f"{verb}.{form}.txt"] = [verb, *words, "--output", form]
        else:
            found[f"{verb}.text.txt"] = [verb, *words]
            if verb != "convert":
                found[f"{verb}.json.txt"] = [verb, *words, "--json"]
    found |= {f"{verb or 'vesica'}.help.txt": [*([verb] if verb else []), "--help"] for verb in MANY}
    found["explain.list.txt"] = ["explain"]
    found["eval.print-config.txt"] = ["eval", "--print-config", "--iou", "0.5"]
    found["eval.error.txt"] = ["eval", "truth.json", "corners.json"]
    found["eval.error-json.txt"] = ["eval", "truth.json", "corners.json", "--json"]
    found["eval.usage.txt"] = ["eval", "truth.json", "guess.json", "--perclass"]
    return found


def printed(words: list[str]) -> str:
    """What a command prints, what it says beside it, and its exit code."""
    from vesica.cli import main

    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(words)
        except SystemExit as leaving:
            code = int(leaving.code or 0)
    told = f"$ vesica {' '.join(words)}\n{out.getvalue()}"
    if err.getvalue():
        told += f"--- stderr\n{err.getvalue()}"
    return scrubbed(f"{told}--- exit {code}\n")


def scrubbed(text: str) -> str:
    from vesica import __version__

    text = re.sub(rf'("version": "){re.escape(__version__)}"', r'\1VERSION"', text)
    return "\n".join(line.rstrip() for line in text.split("\n"))


@contextlib.contextmanager
def world():
    """A folder with all files, to stand in; as wide as any terminal is taken to be."""
    before, kept = os.getcwd(), dict(os.environ)
    with tempfile.TemporaryDirectory() as folder:
        cli_world.build(Path(folder))
        Path(folder, "vesica.toml").write_text(SETTINGS, "utf-8")
        os.chdir(folder)
        os.environ["COLUMNS"] = "100"
        for name in ("NO_COLOR", "FORCE_COLOR", "GITHUB_STEP_SUMMARY"):
            os.environ.pop(name, None)
        try:
            yield
        finally:
            os.chdir(before)
            os.environ.clear()
            os.environ.update(kept)


def found(name: str) -> str:
    """What stands in a gold file now."""
    words = wanted()[name]
    os.environ["VESICA_CONFIG"] = "vesica.toml" if "print-config" in name else ""
    return printed(words)


def main_(accept: bool) -> int:
    """Tell, or accept, what differs."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    changed = []
    with world():
        for name in wanted():
            path, text = FOLDER / name, found(name)
            if not path.exists() or path.read_text("utf-8") != text:
                changed.append(name)
                if accept:
                    path.write_text(text, "utf-8", newline="\n")
    left_over = {path.name for path in FOLDER.glob("*.txt")} - set(wanted())
    for name in sorted(left_over):
        changed.append(name)
        if accept:
            (FOLDER / name).unlink()
    word = "accepted" if accept else "differs"
    print("\n".join(f"{word}: {name}" for name in changed) or "Nothing differs.")
    return 0 if accept or not changed else 1


if __name__ == "__main__":
    sys.exit(main_("--accept" in sys.argv[1:]))
