"""The compiled core with every fault in it, each behind its number."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from .faults import Fault, with_faults

ROOT = Path(__file__).parents[2]
SANITISED = "VESICA_MUTANTS_SANITISED" in os.environ
BUILD = ROOT / "build" / ("mutants-sanitised" if SANITISED else "mutants")
REACHED = BUILD / "reached"
"""A byte for each fault: has control passed it?"""
FLAGS = "-O1 -DNDEBUG -Wno-narrowing -Werror=vla -ftemplate-backtrace-limit=0 -fmax-errors=0 -D_GLIBCXX_ASSERTIONS"


def built(faults: Sequence[Fault]) -> dict[int, Fault]:
    """Build the package into build/mutants/python, and say which faults are in it, by number.

    Some places allow no switch, as the size of an array does; the compiler names them, and they are left out.
    """
    known = (BUILD / "refused").read_text(encoding="utf-8").split("\0") if (BUILD / "refused").exists() else []
    numbered = {number: fault for number, fault in enumerate(faults, start=1) if str(fault) not in known}
    shutil.rmtree(BUILD / "python", ignore_errors=True)
    hidden = shutil.ignore_patterns("_native*.so", "__pycache__")
    shutil.copytree(ROOT / "src" / "vesica", BUILD / "python" / "vesica", ignore=hidden)
    BUILD.mkdir(parents=True, exist_ok=True)
    _write(BUILD / "tree" / "CMakeLists.txt", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))
    while True:
        _seed(numbered)
        wrong = _compile()
        if wrong is None:
            break
        refused = {number for number, fault in numbered.items() if number in wrong or (fault.file, fault.line) in wrong}
        if not refused:
            raise SystemExit(f"the seeded tree does not compile: see {BUILD / 'log'}")
        known += [str(numbered[number]) for number in refused]
        (BUILD / "refused").write_text("\0".join(known), encoding="utf-8")  # so that nobody compiles them again
        numbered = {number: fault for number, fault in numbered.items() if number not in refused}
    (library,) = (BUILD / "out").glob("_native*.so")
    last = BUILD / library.name
    if not last.exists() or last.read_bytes() != library.read_bytes():
        (BUILD / "known").unlink(missing_ok=True)  # what tests reach in another library
        shutil.copy(library, last)
    shutil.copy(library, BUILD / "python" / "vesica")
    there = _compiled()
    return {number: fault for number, fault in numbered.items() if number in there}


def _seed(numbered: dict[int, Fault]) -> None:
    _write(BUILD / "tree" / "csrc" / "switch.hpp", Path(__file__).with_name("switch.hpp").read_text(encoding="utf-8"))
    sources = [file for file in (ROOT / "csrc").rglob("*") if file.suffix in (".cpp", ".hpp")]
    for file in sources:
        name = file.relative_to(ROOT / "csrc").as_posix()
        own = [(number, fault) for number, fault in numbered.items() if fault.file == name]
        text = file.read_text(encoding="utf-8")
        _write(BUILD / "tree" / "csrc" / name, with_faults(text, own) if own else text)


def _write(file: Path, text: str) -> None:
    """What did not change keeps its time, and is not compiled again."""
    if not file.exists() or file.read_text(encoding="utf-8") != text:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def _compile() -> set[int | tuple[str, int]] | None:
    """None, or of each error the number of its fault, where the compiler tells it, or else file and line."""
    nanobind = subprocess.check_output([sys.executable, "-m", "nanobind", "--cmake_dir"], text=True).strip()
    arguments = ["-S", BUILD / "tree", "-B", BUILD / "out", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=None"]
    arguments += [f"-DCMAKE_CXX_FLAGS={FLAGS}", f"-Dnanobind_DIR={nanobind}", f"-DPython_EXECUTABLE={sys.executable}"]
    arguments += ["-DVESICA_SANITISE=address"] if SANITISED else []
    environment = dict(os.environ, LC_ALL="C", LD_PRELOAD="")
    subprocess.run(["cmake", *arguments], check=True, stdout=subprocess.DEVNULL, env=environment)
    command = ["ninja", "-C", BUILD / "out", "-k", "0", "-j", "2"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
    (BUILD / "log").write_text(done.stdout, encoding="utf-8")
    if done.returncode == 0:
        return None
    wrong: set[int | tuple[str, int]] = set()
    seen, number = None, None
    for line in done.stdout.splitlines():
        place = re.match(r".*?csrc/([\w/]+\.[ch]pp):(\d+):", line)
        if not place:
            continue
        if "In instantiation of" in line:
            number = None  # another message begins
        if told := re.search(r"vesica_mutants::\w+\(.*\[with int N = (\d+);", line):
            number = int(told[1])
        if place[1] != "switch.hpp":
            seen = (place[1], int(place[2]))
        if "error:" in line and place[1] == "switch.hpp" and number is not None:
            wrong.add(number)
        elif "error:" in line and seen:
            wrong.add(seen)  # of an error inside a switch, the place that it was used from
    return wrong


def preloaded() -> dict[str, str]:
    """The environment of a Python that can load the library with AddressSanitizer in it."""
    names = ["libasan.so", "libstdc++.so"]
    libraries = [subprocess.check_output(["gcc", f"-print-file-name={name}"], text=True).strip() for name in names]
    options = "detect_leaks=0:abort_on_error=1:allocator_may_return_null=1:max_allocation_size_mb=8192"
    return os.environ | {"LD_PRELOAD": " ".join(libraries), "ASAN_OPTIONS": options, "VESICA_MUTANTS_SANITISED": "1"}


def _compiled() -> set[int]:
    """The numbers in the section .mutants of the object files: a template that nobody uses leaves none."""
    numbers: set[int] = set()
    section = BUILD / "section"
    for file in (BUILD / "out" / "CMakeFiles").rglob("*.o"):
        section.unlink(missing_ok=True)
        subprocess.run(
            ["objcopy", f"--dump-section=.mutants={section}", file, BUILD / "copy"], stderr=subprocess.DEVNULL
        )
        if section.exists():
            numbers.update(memoryview(section.read_bytes()).cast("i"))
    return numbers
