"""Small faults in C++ text: which there could be, a choice of them, and the text with all of them behind switches."""

from __future__ import annotations

import dataclasses
import random
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

# Operators with a space on both sides, as clang-format writes them: a template's brackets and a reference have none.
# Each with its name in switch.hpp, what it becomes, and the two operators that a mark goes between.
OPERATORS = {
    "<": ("less", "<=", "<", ">"),
    "<=": ("less_equal", "<", "<", ">"),
    ">": ("greater", ">=", "<", ">"),
    ">=": ("greater_equal", ">", "<", ">"),
    "==": ("equal", "!=", "==", "=="),
    "!=": ("unequal", "==", "==", "=="),
    "+": ("plus", "-", "+", "+"),
    "-": ("minus", "+", "+", "+"),
    "*": ("times", "+", "*", "*"),
    "/": ("over", "*", "*", "*"),
    "%": ("rest", "/", "*", "*"),
    "<<": ("left", ">>", "<<", "<<"),
    ">>": ("right", "<<", "<<", "<<"),
    "&": ("both", "|", "&", "&"),
    "|": ("either", "&", "|", "|"),
}
_OPERATOR = re.compile(r"(?<= )(<<|>>|<=|>=|==|!=|[-<>+*/%&|])(?= )")
_ADDED = re.compile(r"(?<= )\+=(?= )")
_JOINED = re.compile(r"(?<= )(&&|\|\|)(?= )|(?<= )(&&|\|\|)(?=\n)")
_EXTREME = re.compile(r"\bstd::(min|max)(?=\()")
_NUMBER = re.compile(r"(?<![\w.'<])(\d+(?:\.\d+)?)([uUlLfz]*)(?![\w.'>])")

# What the compiler decides, or what is never compiled: no switch can stand there.
_FIXED = re.compile(
    r"//[^\n]*|/\*.*?\*/"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|(?<![\w])'(?:[^'\\\n]|\\.)+'"
    r"|^[ \t]*#(?:[^\n\\]|\\.)*(?:\\\n[^\n]*)*"
    r"|\bstatic_assert\b[^;]*;"
    r"|\bif constexpr\b[^\n]*"
    r"|\bconstexpr\b[^;{]*"
    r"|\bcase\b[^:\n]*:"
    r"|\boperator[^\w\s(]+",
    re.S | re.M,
)
# Lines that decide how fast an answer comes, never which: shares of threads, chunks, room made ahead.
_SPEED = re.compile(r"prefetch|worth|threads::|threads\b.*\bthreads|grain|chunk|\breserve\(|madvise|relaxed")

_AVX512 = re.compile(r"avx512|_mm512", re.I)


@dataclasses.dataclass(frozen=True)
class Fault:
    """One change of one place. `edits` are (begin, end, text), with N where the number of the fault goes."""

    file: str
    line: int
    change: str
    context: str
    edits: tuple[tuple[int, int, str], ...]
    needs_avx512: bool = False
    """Is it in code that other processors never run?"""

    @property
    def key(self) -> tuple[str, str, str]:
        """What stays when lines move: equivalent.py names faults by it."""
        return self.file, self.context, self.change

    def __str__(self) -> str:
        return f"csrc/{self.file}:{self.line}: {self.change}\n    {self.context}"


def code_of(text: str) -> str:
    """The text with blanks over comments, strings, directives and whatever is decided when it is compiled."""
    return _FIXED.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def possible(file: str, text: str) -> list[Fault]:
    """Every fault that a file could have."""
    code, lines = code_of(text), text.splitlines()
    starts = [0] + [found.end() for found in re.finditer("\n", text)]
    found = sorted(_edits(code, text), key=lambda one: one[1][0])
    heads = _heads(lines)
    faults, said = [], set()
    line = 0
    for change, edits in found:
        while line < len(starts) and starts[line] <= edits[0][0]:
            line += 1
        context = re.sub(r"\s*// .*", "", lines[line - 1]).strip()
        if _SPEED.search(context):
            continue
        count = 1
        while (line, change, count) in said:
            count += 1
        said.add((line, change, count))
        wide = bool(_AVX512.search(heads[line - 1] + context))
        faults.append(Fault(file, line, change if count == 1 else f"{change} ({count})", context, edits, wide))
    return faults


def _heads(lines: list[str]) -> list[str]:
    """Of each line, the last one that begins at the margin: the head of its function."""
    heads, head = [], ""
    for line in lines:
        head = line if re.match(r"\w", line) else head
        heads.append(head)
    return heads


def _edits(code: str, text: str) -> Iterator[tuple[str, tuple[tuple[int, int, str], ...]]]:
    for found in _OPERATOR.finditer(code):
        name, wrong, first, second = OPERATORS[found[1]]
        mark = f"{first} vesica_mutants::Mark<N, vesica_mutants::{name}>{{}} {second}"
        yield f"{found[1]} → {wrong}", ((found.start(), found.end(), mark),)
    for found in _ADDED.finditer(code):
        yield "+= → -=", ((found.start(), found.end(), "+= vesica_mutants::Negated<N>{} ="),)
    for found in _EXTREME.finditer(code):
        other = {"min": "max", "max": "min"}[found[1]]
        name = {"min": "lesser", "max": "greatest"}[found[1]]
        yield f"{found[1]} → {other}", ((found.start(), found.end(), f"vesica_mutants::{name}<N>"),)
    for found in _NUMBER.finditer(code):
        digits, suffix = found.groups()
        wrong = f"{float(digits) + 1}" if "." in digits else f"{int(digits) + 1}"
        either = f"(vesica_mutants::on<N>() ? {wrong}{suffix} : {found[0]})"
        yield f"{found[0]} → {wrong}{suffix}", ((found.start(), found.end(), either),)
    for found in _JOINED.finditer(code):
        sign = found[1] or found[2]
        end = _operand_end(code, found.end(), sign)
        if end is not None:
            left = "(vesica_mutants::on<N>() || (" if sign == "&&" else "(!vesica_mutants::on<N>() && ("
            dropped = " ".join(text[found.end() : end].split())
            yield f"{sign} {dropped} → nothing", ((found.end(), found.end(), left), (end, end, "))"))


def _operand_end(code: str, begin: int, sign: str) -> int | None:
    """Where the right operand of && or || ends."""
    depth, at = 0, begin
    while at < len(code):
        two, one = code[at : at + 2], code[at]
        if one in "([{":
            depth += 1
        elif one in ")]}" and depth:
            depth -= 1
        elif not depth and (
            one in ")]},;?" or two == "||" or (two == "&&" and sign == "&&") or (one == ":" and two != "::")
        ):
            return at
        elif two == "::":
            at += 1
        at += 1
    return None


def _texts(root: Path) -> dict[str, str]:
    """The C++ files below `root`, by their path from there."""
    files = sorted(file for file in root.rglob("*") if file.suffix in (".cpp", ".hpp"))
    return {file.relative_to(root).as_posix(): file.read_text(encoding="utf-8") for file in files}


def every(root: Path) -> list[Fault]:
    """All faults that the files could have."""
    return [fault for name, text in _texts(root).items() for fault in possible(name, text)]


def chosen(root: Path, count: int, seed: int, wanted: Iterable[str] = ()) -> list[Fault]:
    """About `count` faults over the files below `root`, to each file as many as its lines of code are worth."""
    texts = {name: text for name, text in _texts(root).items() if not wanted or any(part in name for part in wanted)}
    sizes = {name: sum(bool(line.strip()) for line in code_of(text).splitlines()) for name, text in texts.items()}
    total, due, faults = sum(sizes.values()), 0.0, []
    for name, text in texts.items():
        due += count * sizes[name] / total
        every = possible(name, text)
        share = min(round(due), len(every))
        due -= share
        faults += sorted(random.Random(f"{seed} {name}").sample(every, share), key=lambda fault: fault.line)
    return faults


def with_faults(text: str, faults: Iterable[tuple[int, Fault]]) -> str:
    """The text with these numbered faults behind their switches; its lines keep their numbers."""
    edits = sorted(
        (begin, end, new.replace("<N", f"<{number}")) for number, fault in faults for begin, end, new in fault.edits
    )
    parts, at = ['#include "switch.hpp"\n#line 1\n'], 0
    for begin, end, new in edits:
        parts += [text[at:begin], new]
        at = end
    return "".join([*parts, text[at:]])
