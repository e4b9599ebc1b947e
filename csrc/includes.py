"""Test the direction of the includes in csrc: `python csrc/includes.py`. A part of `make check`.

    base → regions → overlaps → selection
                              → matching
                   → segmentation
                   → agreement

    base → statistics
    base → io/json → io/coco
                   → dataset (with regions) → detection (with statistics)

    all of them → bind → Python

A file may include its own folder and those listed for it in `ALLOWED`. Only bind includes nanobind or Python.
"""

import re
import sys
from pathlib import Path

ALLOWED = {
    "base": (),
    "regions": ("base",),
    "overlaps": ("base", "regions"),
    "selection": ("base", "regions", "overlaps"),
    "matching": ("base", "regions", "overlaps"),
    "io/json": ("base",),
    "io/coco": ("base", "io/json"),
    "dataset": ("base", "regions", "io/json"),
    "detection": ("base", "regions", "dataset", "statistics"),
    "segmentation": ("base", "regions"),
    "statistics": ("base",),
    "agreement": ("base", "regions"),
    "bind": (
        "base",
        "regions",
        "overlaps",
        "selection",
        "matching",
        "io/json",
        "io/coco",
        "dataset",
        "detection",
        "segmentation",
        "statistics",
        "agreement",
    ),
}
PYTHON = ("nanobind/", "Python.h")  # for bind alone
INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)')


def folder(path: str) -> str | None:
    """The folder of the table in which a path lies; regions/masks and regions/labels are parts of regions."""
    return next((name for name in ALLOWED if path.startswith(f"{name}/")), None)


def fault(home: str, mark: str, included: str) -> str | None:
    """What is wrong with one include in a file of the folder `home`."""
    if mark == "<":
        is_wrong = home != "bind" and included.startswith(PYTHON)
        return f"{home} may not include <{included}>: only bind knows Python" if is_wrong else None
    aim = folder(included)
    if aim is None:
        return f'"{included}" is in no folder that csrc/includes.py lists'
    return None if aim == home or aim in ALLOWED[home] else f'{home} may not include "{included}"'


def faults(root: Path) -> list[str]:
    """Every fault below `root`, as "file:line: reason"."""
    found = []
    for file in sorted(file for file in root.rglob("*") if file.suffix in (".cpp", ".hpp")):
        path = file.relative_to(root).as_posix()
        home = folder(path)
        if home is None:
            found.append(f"{root.name}/{path}:1: this file is in no folder that csrc/includes.py lists")
            continue
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
            match = INCLUDE.match(line)
            reason = match and fault(home, match[1], match[2])
            if reason:
                found.append(f"{root.name}/{path}:{number}: {reason}")
    return found


if __name__ == "__main__":
    wrong = faults(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
    print("\n".join(wrong) or "Includes in csrc point one way.")
    sys.exit(1 if wrong else 0)
