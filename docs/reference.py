"""Writes docs/reference.md: every public name with its signature and what its docstring says, without the examples.

`python docs/reference.py` prints the page; `make reference` keeps it, and `make check` compares it with what is kept.
"""

from __future__ import annotations

import importlib
import inspect
import re
import textwrap
from collections.abc import Iterator
from typing import Any

import vesica

MODULES = (
    *(
        "anchors",
        "grid",
        "losses",
        "plot",
        "report",
        "detection",
        "segmentation",
        "testing",
        "integrations.torchmetrics",
        "integrations.transformers",
    ),
    *("compat.coco", "compat.cocoeval", "compat.mask"),
)
"""Public modules beside the package itself."""
GROUPS = {
    "Regions": "Boxes RotatedBoxes Polygons Masks RleMasks SparseMasks LabelMap Sets",
    "Measures": "iou dice coverage overlap tversky distance giou diou ciou eiou parts Parts",
    "Pairs": "join Pairs best Best",
    "Choosing": "nms nms_ragged nms_padded soft_nms Kept fuse Fused nmm Merged",
    "Matching": "match assign Matches",
    "Scores": "evaluate Evaluator Dataset check read write",
    "Scores of segmentations": "evaluate_segmentation SegmentationEvaluator SegmentationPolicy advise "
    "evaluate_surfaces surface_distances evaluate_panoptic",
}
"""The names of the package by what they are for; the others follow."""
SECTIONS = ("Parameters", "Returns", "Attributes", "Raises")
_UNDERLINED = re.compile(r"^(\w[\w ]*)\n-{3,}$", re.MULTILINE)


def page() -> str:
    lines = [
        "# Reference",
        "",
        "Every public name, made from the docstrings by `make reference`; `help(vesica.iou)` shows the same with",
        "examples. Arrays are positional, options are named.",
        "",
    ]
    for title, names in _groups().items():
        lines += [f"## {title}", ""]
        for name in names:
            lines += _entry(name, getattr(vesica, name))
    for name in MODULES:
        module = importlib.import_module(f"vesica.{name}") if "." in name else getattr(vesica, name)
        lines += [f"## vesica.{name}", "", *_prose(inspect.getdoc(module) or ""), ""]
        for inner in _public(module):
            lines += _entry(inner, getattr(module, inner))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).rstrip() + "\n"


def _groups() -> dict[str, list[str]]:
    groups = {title: names.split() for title, names in GROUPS.items()}
    placed = {name for names in groups.values() for name in names}
    rest = [name for name in vesica.__all__ if name not in placed]
    if missing := placed - set(vesica.__all__):
        raise SystemExit(f"docs/reference.py names what is not public: {', '.join(sorted(missing))}")
    return {**groups, "Others": rest} if rest else groups


def _public(module: Any) -> list[str]:
    names = getattr(module, "__all__", None)
    return list(names) if names else [name for name in vars(module) if _is_own(module, name)]


def _is_own(module: Any, name: str) -> bool:
    value = getattr(module, name)
    is_code = inspect.isclass(value) or inspect.isfunction(value)
    return is_code and not name.startswith("_") and value.__module__.startswith(module.__name__)


def _entry(name: str, value: Any) -> Iterator[str]:
    yield f"### {name}"
    yield ""
    shown = _signature(name, value)
    if shown:
        yield from ("```text", *shown, "```", "")
    doc = inspect.getdoc(value) or ""
    yield from _told(doc.partition("\n\n")[2] if doc.startswith(f"{name}(") else doc)  # measures say their call as well
    if inspect.isclass(value):
        yield from _members(value)


def _signature(name: str, value: Any) -> list[str]:
    """The call as it is written, folded where it is long."""
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return []
    parameters = [one.replace(annotation=inspect.Parameter.empty) for one in signature.parameters.values()]
    plain = str(signature.replace(parameters=parameters, return_annotation=inspect.Signature.empty))
    line = name + plain
    return [line] if len(line) <= 110 else textwrap.wrap(line, 110, subsequent_indent="    ", break_on_hyphens=False)


def _members(kind: type) -> Iterator[str]:
    """Methods and properties, a line each."""
    rows = []
    for name in sorted(_own_members(kind)):
        member = inspect.getattr_static(kind, name)
        first = " ".join((inspect.getdoc(getattr(kind, name)) or "").split("\n\n")[0].split())
        call = name if isinstance(member, property) else "".join(_signature(name, getattr(kind, name)))
        call = re.sub(r"\((self|cls)(?:, /)?(?:, )?", "(", call)
        rows.append(f"- `{call or name}`: {first}" if first else f"- `{call or name}`")
    if rows:
        yield from (*rows, "")


def _own_members(kind: type) -> set[str]:
    """Public ones that the library itself defines."""
    return {
        name
        for base in kind.__mro__
        if base.__module__.startswith("vesica")
        for name, member in vars(base).items()
        if not name.startswith("_")
        and (isinstance(member, (property, classmethod, staticmethod)) or inspect.isfunction(member))
    }


def _told(doc: str) -> Iterator[str]:
    """The text of a docstring, then its parameters and what else it lists."""
    pieces = _UNDERLINED.split(doc)
    yield from _prose(pieces[0])
    yield ""
    for title, body in zip(pieces[1::2], pieces[2::2], strict=True):
        if title in SECTIONS:
            yield from (f"{title}:", "", *_items(body), "")


def _prose(text: str) -> Iterator[str]:
    """Paragraphs up to the first example."""
    for paragraph in text.strip().split("\n\n"):
        if paragraph.lstrip().startswith(">>>") or _UNDERLINED.match(paragraph):
            return
        yield from (*paragraph.splitlines(), "") if paragraph.strip() else ()


def _items(body: str) -> Iterator[str]:
    """Lines of `name : what` with what is indented below them, as a list."""
    in_list = False
    for line in body.strip("\n").splitlines():
        name, colon, what = line.partition(" : ")
        if not line.strip():
            yield ""
        elif line.startswith(">>>"):
            return
        elif line.startswith(" "):
            yield f"  {line.strip()}"
        elif colon:
            in_list = True
            yield f"- `{name.strip()}`: {what}"
        else:
            yield line if in_list else f"- {line}"


if __name__ == "__main__":
    print(page(), end="")
