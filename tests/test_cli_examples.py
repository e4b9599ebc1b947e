"""The examples at the end of every `--help` run as they stand."""

import glob
import re
import shlex
from pathlib import Path

import pytest

import cli_world
import processes
from installed import has
from vesica.cli import _EPILOG, VERBS, demo, main
from vesica.cli.parsers import parser_of

pytest.importorskip("PIL")
_, PARSERS = parser_of(VERBS, None, loaded=tuple(VERBS))
FAILED_GATES = (0, 1)


def examples_of(text):
    """The lines under "examples:", to the end."""
    return [line.strip() for line in text.partition("examples:\n")[2].splitlines() if line.strip()]


EXAMPLES = [(verb, line) for verb, parser in PARSERS.items() for line in examples_of(parser.epilog)]
EXAMPLES += [("", line) for line in examples_of(_EPILOG)]


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("world")
    cli_world.build(folder)
    with cli_world.unchanged(folder):
        yield folder


def words_of(line):
    """What a shell would make of a line: without comments, redirections and pipes, patterns resolved."""
    words = shlex.split(re.split(r" [|>] ", line)[0], comments=True)
    quoted = set(re.findall(r'"([^"]*)"', line))
    return [
        found
        for word in words[1:]
        for found in (sorted(glob.glob(word)) if "*" in word and word not in quoted else [word])
    ]


@pytest.mark.parametrize("verb, line", EXAMPLES, ids=[line for _, line in EXAMPLES])
def test_runs(world, tmp_path, monkeypatch, capsys, undrawn, verb, line):
    needs = {"ct/": "nibabel", "vesica plot": "matplotlib", ".parquet": "pyarrow"}
    needs |= dict.fromkeys(("vesica report run.records", "--report"), "matplotlib")  # a page without charts needs none
    for part, package in needs.items():
        if part in line and not has(package):
            pytest.skip(f"{package} is not installed")
    here = tmp_path / "here"
    cli_world.linked(world, here)
    monkeypatch.chdir(here)
    line = line.replace("/tmp/", f"{tmp_path}/")
    monkeypatch.setattr(demo, "_report", cli_world.page)  # test_demo.py has a whole one,
    processes.warm_pools(monkeypatch)
    monkeypatch.setattr(demo, "IMAGES", 4)  # of as many pictures as there are by default
    code = main(words_of(line))
    err = capsys.readouterr().err
    assert code in FAILED_GATES if "--gate" in line else code == 0, err
    assert "Traceback" not in err and line.startswith(f"vesica {verb}")
    written = re.search(r"(?:-o|--fix|--consensus|--queue|--records|--report) (\S+)", line)
    assert written is None or Path(written[1]).exists()


@pytest.mark.parametrize("verb", VERBS)
def test_every_help_ends_with_two_of_them(verb):
    """One style: what there is to say first, then exit codes, then examples, then nothing."""
    epilog = PARSERS[verb].epilog
    assert len(examples_of(epilog)) >= 2
    assert epilog.index("exit codes: 0") < epilog.index("examples:\n")
    assert all(line.startswith("  vesica ") for line in epilog.partition("examples:\n")[2].splitlines() if line)
