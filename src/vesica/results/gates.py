"""Gates: what a result must reach, `AP>=0.5`, and whether it does."""

from __future__ import annotations

import difflib
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

Numbers = Mapping[str, float | None]
"""Numbers by their names; None for one that is not defined."""

TOLERANCE = 1e-9
"""A number this near its bound is at it: sums of floats put COCO's AP of a perfect detector 2e-16 below 1."""

_SIGNS = {">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt}
_GATE = re.compile(r"([^\[\]<>=]*)(?:\[([^<>]*)\])?\s*([<>]=?)([^<>=]*)")
_LATER = re.compile(r"\s(?:drop|rise)\b|\svs\s|@")
_FORM = 'A gate is the name of a number, one of >= > <= <, and a bound: "AP>=0.5", "AP50[cat,dog]>=0.8"'


class Gate(NamedTuple):
    """A number, a sign and a bound. With categories, each of them must pass."""

    metric: str
    categories: tuple[str, ...]
    sign: str
    bound: str
    """As it was written."""


class Verdict(NamedTuple):
    """What a gate says of one number."""

    gate: str
    value: float | None
    bound: float
    passed: bool
    reason: str | None
    """Why the number is None."""

    @property
    def digits(self) -> str:
        """The number with as many decimals as show on which side of the bound it is, at least three."""
        if self.value is None:
            return "–"
        side = _side(self.value, self.bound)
        texts = (f"{self.value:.{decimals}f}" for decimals in range(3, 18))
        return next((text for text in texts if _side(float(text), self.bound) == side), repr(self.value))


def _side(value: float, bound: float) -> int:
    """Above the bound 1, below −1, at it 0."""
    return 0 if abs(value - bound) <= TOLERANCE else (value > bound) - (value < bound)


def parse(text: str, /) -> Gate:
    """The gate that a text means; ValueError for a text that is not a gate."""
    found = _GATE.fullmatch(text.strip())
    if _LATER.search(text):
        raise ValueError(f"The gate {text!r} compares with another result (drop, rise, vs, @), which is not there yet.")
    if found is None or not found[1].strip():
        raise ValueError(f"{text!r} is no gate. {_FORM}.")
    metric, inside, sign, bound = found[1].strip(), found[2], found[3], found[4].strip()
    categories = () if inside is None else tuple(name.strip() for name in inside.split(","))
    if inside is not None and not all(categories):
        raise ValueError(f"The gate {text!r} names no category between [ and ]. {_FORM}.")
    try:
        number = float(bound)
    except ValueError:
        raise ValueError(f"The bound of the gate {text!r} must be a number; got {bound!r}. {_FORM}.") from None
    if number != number:
        raise ValueError(f"The bound of the gate {text!r} must be a number; got NaN, which nothing reaches.")
    return Gate(metric, categories, sign, bound)


class Scores(NamedTuple):
    """What a result lets gates ask for."""

    overall: Numbers
    by_category: Mapping[str, Numbers]
    why_undefined: Callable[[str], str]
    """For the name of a number that is None: why it is."""


def judge(gates: Iterable[Gate], scores: Scores, /) -> list[Verdict]:
    """A verdict for each gate and each of its categories. An unknown name is a ValueError."""
    return [verdict for gate in gates for verdict in _verdicts(gate, scores)]


def _verdicts(gate: Gate, scores: Scores) -> Iterator[Verdict]:
    if not gate.categories:
        yield _verdict(gate, "", scores.overall, scores.why_undefined)
    for name in gate.categories:
        if name not in scores.by_category:
            raise ValueError(f"The truth has no category {name!r}.{_near(name, list(scores.by_category))}")
        yield _verdict(gate, f"[{name}]", scores.by_category[name], scores.why_undefined)


def _verdict(gate: Gate, place: str, numbers: Numbers, why_undefined: Callable[[str], str]) -> Verdict:
    if gate.metric not in numbers:
        whose = "A category" if place else "The result"
        raise ValueError(f"{whose} has no number {gate.metric!r}.{_near(gate.metric, list(numbers))}")
    value, bound = numbers[gate.metric], float(gate.bound)
    passed = value is not None and _SIGNS[gate.sign](_side(value, bound), 0)
    reason = why_undefined(gate.metric) if value is None else None
    return Verdict(f"{gate.metric}{place}{gate.sign}{gate.bound}", value, bound, passed, reason)


def _near(name: str, known: Sequence[str]) -> str:
    near = " or ".join(map(repr, difflib.get_close_matches(name, known, n=2)))
    listed = ", ".join(known[:20]) + (", …" if len(known) > 20 else "")
    return f" Did you mean {near}?" if near else f" There are {listed}."
