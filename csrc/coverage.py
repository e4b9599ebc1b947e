"""Which lines of csrc the tests run: `python csrc/coverage.py build/coverage`. A part of `make coverage`.

Reads what gcov wrote beside the objects of that folder. A line of a template or of an inlined function is compiled many
times; it counts as run if any of them ran. Prints a row for each file, its lines that never ran, and the share of all.
Left out are functions written for AVX-512 where the processor has none, and lines of closing brackets: what is compiled
there cleans up after an exception.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent
Lines = dict[int, int]
"""How often each line with code ran."""
CPU = Path("/proc/cpuinfo")
HAS_AVX512 = not CPU.exists() or "avx512vl" in CPU.read_text()


def closing(path: Path) -> set[int]:
    """The lines that only close brackets."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return {number for number, line in enumerate(lines, start=1) if not line.strip(" })];,")}


def counted(objects: Path) -> dict[str, Lines]:
    """Lines of each file below csrc, over all objects that include it."""
    files: dict[str, Lines] = {}
    for notes in sorted(objects.rglob("*.gcno")):
        done = subprocess.run(["gcov", "--json-format", "--stdout", notes.resolve()], capture_output=True, check=True)
        for document in done.stdout.splitlines():
            for file in json.loads(document)["files"]:
                path = (Path(file["file"]) if Path(file["file"]).is_absolute() else objects / file["file"]).resolve()
                if not path.is_relative_to(ROOT.resolve()):
                    continue
                lines = files.setdefault(path.relative_to(ROOT.resolve()).as_posix(), {})
                for line in file["lines"]:
                    if "avx512" in line.get("function_name", "") and not HAS_AVX512:
                        continue
                    number = line["line_number"]
                    lines[number] = lines.get(number, 0) + line["count"]
    return files


def spans(numbers: list[int]) -> str:
    """1-3, 7"""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


def report(files: dict[str, Lines]) -> str:
    """A row for each file, those with the most to do first."""
    rows = []
    for path, every_line in files.items():
        lines = {number: every_line[number] for number in every_line.keys() - closing(ROOT / path)}
        missed = sorted(number for number, count in lines.items() if not count)
        rows.append((len(missed), path, len(lines), missed))
    rows.sort(key=lambda row: (-row[0], row[1]))
    text = [f"{'file':<44}{'lines':>7}{'run':>8}  never run"]
    for count, path, lines, missed in rows:
        text.append(f"{path:<44}{lines:>7}{100 * (lines - count) / max(1, lines):>7.1f}%  {spans(missed)}".rstrip())
    every, never = sum(row[2] for row in rows), sum(row[0] for row in rows)
    text.append(f"{'all':<44}{every:>7}{100 * (every - never) / max(1, every):>7.2f}%")
    return "\n".join(text)


if __name__ == "__main__":
    found = counted(Path(sys.argv[1]))
    if not found:
        sys.exit(f"{sys.argv[1]} has no objects that count lines: `make coverage` makes them.")
    print(report(found))
