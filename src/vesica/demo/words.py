"""What the demo says: what came out, and what to try next, on its files and on other ones."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path

from vesica.demo.annotators import ANNOTATORS
from vesica.demo.files import EXPORT, EXPORT_FIXED, FIRST_LINE
from vesica.demo.kinds import VOID
from vesica.demo.tour import Tour

_CONTENT = """
images/            {images} pictures, drawn from the seed {seed}
truth.json         what is there: boxes and masks of six categories, as COCO has them
a.json, b.json     what two detectors say
{export}      b.json once more, by a script with a mistake; {fixed} is its repair
annotators/        what ann, ben and cleo marked; assignments.csv says who was asked for which picture, and when
maps/              label maps: the truth, and those of two segmenters; classes.txt names the labels, 255 is void
meta.csv           camera and daylight of each picture
report.html        all of it scored, on one page
"""


def lines_of(tour: Tour, /) -> list[str]:
    """One line a verb."""
    rows = [("eval", _eval(tour)), ("compare", _compare(tour)), ("seg", _seg(tour)), ("agree", _agree(tour))]
    rows.append(("check", _check(tour)))
    return [f"{verb:<8} {words}" for verb, words in rows if words]


def _eval(tour: Tour) -> str:
    result = tour.detection
    worst = min(result.per_class(), key=lambda row: _number(row["AP"], 2.0))
    known = result.interval()["AP"]
    span = _span(known.lo, known.hi, "")
    return f"b.json: AP {_shown(result['AP'])}{span}, lowest for {worst['category']}: {_shown(worst['AP'])}"


def _compare(tour: Tour) -> str:
    table = tour.comparison.table()
    row = table["number"].tolist().index("AP")
    difference, low, high = (table[name].tolist()[row] for name in ("difference", "lo", "hi"))
    classes = tour.comparison.classes()
    fell = [str(name) for name, one in zip(classes["category"], classes["difference"].tolist(), strict=True) if one < 0]
    told = f"; lower for {', '.join(fell)}" if fell else ""
    return f"b against a: AP {difference:+.3f}{_span(low, high, '+')}{told}"


def _seg(tour: Tour) -> str:
    result = tour.segmentation
    if result is None:
        return ""
    worst = min(result.per_class(), key=lambda row: _number(row["IoU"], 2.0))
    return f"maps/b: mIoU {_shown(result['mIoU'])}, lowest for {worst['category']}: {_shown(worst['IoU'])}"


def _agree(tour: Tour) -> str:
    result = tour.agreement
    ledger = result.ledger()
    costs = dict(zip(ledger["type"].tolist(), ledger["share"].tolist(), strict=True))
    most = max(costs, key=lambda name: costs[name], default=None)
    told = f"; most is lost by {most}: {costs[most]:.3f}" if most is not None else ""
    names = ", ".join(one.name for one in ANNOTATORS)
    return f"{names}: agreement {_shown(result['agreement'])}{told}"


def _check(tour: Tour) -> str:
    if not tour.diagnosis.findings:
        return f"{EXPORT}: nothing was found; so few pictures show too little"
    first = tour.diagnosis.findings[0]
    if tour.repaired is None:
        return f"{EXPORT}: {first.code} ({first.confidence})"
    rows = max(change.rows for change in tour.repaired.changes)
    return f"{EXPORT}: {first.code}, {' '.join(first.repairs)}; {EXPORT_FIXED} has {rows:,} rows repaired"


def program() -> str:
    """How vesica is called here: by its name where the shell finds it, else as it was called."""
    if shutil.which("vesica") is not None:
        return "vesica"
    called = Path(sys.argv[0])
    return shlex.quote(str(called)) if called.stem == "vesica" else f"{shlex.quote(sys.executable)} -m vesica"


def commands(folder: Path, program: str = "vesica", /) -> list[str]:
    """What to try: lines for a shell, which work on the files of a demo."""
    at = {name: shlex.quote(str(folder / name)) for name in _USED}
    people = " ".join(at[f"annotators/{one.name}.json"] for one in ANNOTATORS)
    lines = [
        f"eval {at['truth.json']} {at['b.json']} --causes --slices {at['meta.csv']}",
        f"eval {at['truth.json']} {at['b.json']} --report {at['b.html']} --images {at['images']}",
        f'compare {at["truth.json"]} {at["a.json"]} {at["b.json"]} --gate "AP drop<=0.01 @95%"',
        f"seg {at['maps/truth']} {at['maps/b']} --classes {at['classes.txt']} --ignore {VOID} --per-class",
        f"agree {people} --assignments {at['assignments.csv']} --consensus {at['consensus.json']}",
        f"check {at[EXPORT]} --against {at['truth.json']}",
    ]
    return [f"{program} {line}" for line in lines]


_USED = (
    "truth.json", "a.json", "b.json", EXPORT, "meta.csv", "assignments.csv", "classes.txt", "images",
    "maps/truth", "maps/b", "b.html", "consensus.json", *(f"annotators/{one.name}.json" for one in ANNOTATORS),
)  # fmt: skip


def readme(images: int, seed: int, /) -> str:
    """What lies in the folder of a demo."""
    content = _CONTENT.format(images=images, seed=seed, export=EXPORT, fixed=EXPORT_FIXED)
    tries = (f"  {command}" for command in commands(Path()))
    return "\n".join([FIRST_LINE, content, "Try in this folder:", *tries, ""])


def _span(low: float | None, high: float | None, sign: str) -> str:
    """Of an interval; nothing where there are too few images for one."""
    if low is None or high is None or low != low or high != high:
        return ""
    return f" ({low:{sign}.3f} to {high:{sign}.3f})"


def _shown(value: float | None) -> str:
    return "–" if value is None or value != value else f"{value:.3f}"


def _number(value: float | None, otherwise: float) -> float:
    return otherwise if value is None or value != value else value
