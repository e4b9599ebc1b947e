"""The layout of csrc: includes point one way, and the README names every file."""

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

CSRC = Path(__file__).parents[1] / "csrc"
SOURCES = [file for file in CSRC.rglob("*") if file.suffix in (".cpp", ".hpp")]


def check(root):
    return subprocess.run([sys.executable, CSRC / "includes.py", root], capture_output=True, text=True)


class TestIncludes:
    def test_this_tree(self):
        assert runpy.run_path(str(CSRC / "includes.py"))["faults"](CSRC) == []

    @pytest.mark.parametrize(
        ("path", "line", "reason"),
        [
            ("base/a.hpp", '#include "regions/boxes.hpp"', 'base may not include "regions/boxes.hpp"'),
            ("regions/masks/a.cpp", '#include "overlaps/join.hpp"', 'regions may not include "overlaps/join.hpp"'),
            ("matching/a.cpp", '#include "selection/nms.hpp"', 'matching may not include "selection/nms.hpp"'),
            ("io/json/a.cpp", '  #  include "io/coco/ids.hpp"', 'io/json may not include "io/coco/ids.hpp"'),
            ("detection/a.cpp", '#include "bind/arrays.hpp"', 'detection may not include "bind/arrays.hpp"'),
            ("overlaps/a.cpp", "#include <nanobind/ndarray.h>", "overlaps may not include <nanobind/ndarray.h>"),
            ("base/a.cpp", "#include <Python.h>", "base may not include <Python.h>"),
            ("base/a.cpp", '#include "b.hpp"', '"b.hpp" is in no folder'),
            ("base/a.cpp", '#include "misc/b.hpp"', '"misc/b.hpp" is in no folder'),
        ],
    )
    def test_a_forbidden_include(self, tmp_path, path, line, reason):
        file = tmp_path / path
        file.parent.mkdir(parents=True)
        file.write_text(f"// a.\n#include <vector>\n{line}\n")
        found = check(tmp_path)
        assert found.returncode == 1
        assert f"{tmp_path.name}/{path}:3: {reason}" in found.stdout

    @pytest.mark.parametrize("path", ["a.cpp", "misc/a.hpp", "io/a.cpp"])
    def test_an_unknown_folder(self, tmp_path, path):
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("")
        found = check(tmp_path)
        assert found.returncode == 1
        assert f"{path}:1: this file is in no folder" in found.stdout

    def test_allowed_ones(self, tmp_path):
        (tmp_path / "bind").mkdir()
        (tmp_path / "bind" / "a.cpp").write_text('#include <nanobind/nanobind.h>\n#include "io/coco/ids.hpp"\n')
        assert check(tmp_path).returncode == 0


class TestReadme:
    def test_names_every_file_and_no_other(self):
        """A heading is a folder and its role; a line below it is a file without its ending."""
        named, folder = [], ""
        for line in (CSRC / "README.md").read_text(encoding="utf-8").splitlines():
            if heading := re.match(r"##+ ([\w/]+)", line):
                folder = heading[1]
            elif file := re.match(r"- `(\w+)`: .+\.$", line):
                named.append(f"{folder}/{file[1]}")
        there = {file.relative_to(CSRC).with_suffix("").as_posix() for file in SOURCES}
        assert sorted(named) == sorted(there)

    def test_a_file_says_what_it_is(self):
        """By its name and a sentence, unless its header does."""
        for file in SOURCES:
            own_header = f'#include "{file.relative_to(CSRC).with_suffix(".hpp").as_posix()}"'
            first = file.read_text(encoding="utf-8").splitlines()[0]
            says_it = re.match(rf"// {file.name}\. \S", first) or (file.suffix == ".cpp" and first == own_header)
            assert says_it, file
