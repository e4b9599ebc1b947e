"""The tables of docs/coming_from.md, from the table that the errors read. `python tests/coming_from.py` writes them."""

from __future__ import annotations

import re
from pathlib import Path

from vesica._check.habits import HABITS, Habit

PAGE = Path(__file__).parents[1] / "docs" / "coming_from.md"
VERBS = {
    "": "",
    "nms": "nms",
    "measure": "iou",
    "join": "join",
    "assign": "assign",
    "evaluate": "evaluate",
    "segmentation": "evaluate_segmentation",
    "agreement": "evaluate_agreement",
    "Boxes": "Boxes",
    "box loss": "losses.giou",
    "mask loss": "losses.dice",
    "RotatedBoxes": "RotatedBoxes",
    "Masks": "Masks",
    "RleMasks": "RleMasks",
    "LabelMap": "LabelMap",
    "Polygons": "Polygons",
    "Dataset.from_dicts": "Dataset.from_dicts",
    "Dataset.from_arrays": "Dataset.from_arrays",
}
"""The function that stands for each group."""


def table(tool: str) -> str:
    """What users of a tool write, and the line to write here."""
    rows = [row(habit) for habit in HABITS if tool in habit.tools]
    return "\n".join(["| there | here |", "|---|---|", *rows])


def row(habit: Habit) -> str:
    verb = VERBS[habit.of]
    names = [name for name in habit.names if name != "by position"]
    there = ", ".join(f"`{name}=`" if habit.of else f"`{name}`" for name in names) or "an option by position"
    there += f" of `{verb}`" if habit.of else ""
    here = f"`{habit.line(verb)}`"
    return f"| {there} | {here}{' ' + habit.note if habit.note else ''} |"


def written(text: str) -> str:
    """The page with each table as it should be."""

    def told(found: re.Match[str]) -> str:
        return f"{found[1]}{table(found[2])}\n"

    return re.sub(r"(<!-- table of (.+?) -->\n)(?:\|.*\n)*", told, text)


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text()))
