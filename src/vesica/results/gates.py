"""Gates: what a result must reach, `AP>=0.5` or `AP drop<=0.01 vs base.records @95%`, and whether it does."""

from __future__ import annotations

import difflib
import functools
import math
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np

    from vesica.results.identity import Identity
    from vesica.statistics.intervals import Interval

Numbers = Mapping[str, float | None]
"""Numbers by their names; None for one that is not defined."""

TOLERANCE = 1e-9
"""A number this near its bound is at it: sums of floats put COCO's AP of a perfect detector 2e-16 below 1."""
LEAST_LEVEL = 50.0
"""Percent. `@0.95%` is a typing mistake for `@95%`."""
UNDECIDED = ("pass", "fail")
"""What becomes of a gate that the interval does not decide."""

_SIGNS = {">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt}
_GATE = re.compile(r"([^\[\]<>=]*?)(?:\[([^<>]*)\])?(?:\s+(drop|rise))?\s*([<>]=?)(.*)", re.DOTALL)
_SURE = re.compile(r"(.*?)\s*@\s*([^\s@%]*)\s*%", re.DOTALL)
_HALF_SURE = re.compile(r".*\s@\s*[0-9.]*", re.DOTALL)
_FORM = (
    'A gate is the name of a number, one of >= > <= <, and a bound: "AP>=0.5", "AP50[cat,dog]>=0.8"; '
    'or a change: "AP drop<=0.01 vs base.records @95%"'
)


class Gate(NamedTuple):
    """A number, a sign and a bound. With categories, each of them must pass."""

    metric: str
    categories: tuple[str, ...]
    sign: str
    bound: str
    """As it was written."""
    change: str | None = None
    """ "drop" or "rise" since the base: the bound is of the difference."""
    base: str | None = None
    """The file of the base, as it was written; None of a change: the first of the results that are compared."""
    level: str | None = None
    """In percent, as it was written: the interval of this level decides."""

    @property
    def share(self) -> float:
        """The level as a share."""
        return float(self.level or "nan") / 100

    def told(self, place: str) -> str:
        """The gate in words, of one place."""
        change = "" if self.change is None else f" {self.change}"
        base = "" if self.base is None else f" vs {self.base}"
        sure = "" if self.level is None else f" @{self.level}%"
        return f"{self.metric}{place}{change}{self.sign}{self.bound}{base}{sure}"


class Verdict(NamedTuple):
    """What a gate says of one number."""

    gate: str
    value: float | None
    bound: float
    passed: bool
    reason: str | None
    """Why the number is None, or what would decide."""
    interval: tuple[float, float] | None = None
    """Both ends, where a level was asked for."""
    undecided: bool = False
    """Does the interval reach across the bound?"""
    images: int | None = None
    """About how many images would decide; None also where no number of them would."""

    @property
    def digits(self) -> str:
        """The number with as many decimals as show on which side of the bound it is, at least three."""
        return "–" if self.value is None else _digits(self.value, self.bound)

    @property
    def ends(self) -> str | None:
        """Both ends of the interval, in the same way."""
        return None if self.interval is None else " to ".join(_digits(end, self.bound) for end in self.interval)

    @property
    def word(self) -> str:
        """The decision."""
        return "FAILED" if not self.passed else "undecided" if self.undecided else "passed"

    @property
    def told(self) -> str:
        """What there is to say beside the decision; "" for nothing."""
        parts = ["undecided" if self.undecided and not self.passed else None, self.ends, self.reason]
        return "; ".join(part for part in parts if part)


def _digits(value: float, bound: float) -> str:
    side = _side(value, bound)
    texts = (f"{value:.{decimals}f}" for decimals in range(3, 18))
    return next((text for text in texts if _side(float(text), bound) == side), repr(value))


def _side(value: float, bound: float) -> int:
    """Above the bound 1, below −1, at it 0."""
    return 0 if abs(value - bound) <= TOLERANCE else (value > bound) - (value < bound)


def parse(text: str, /, *, compared: bool = False) -> Gate:
    """The gate that a text means; ValueError for a text that is not a gate.

    Where results are `compared`, a change needs no base: it is the first of them.
    """
    found = _GATE.fullmatch(text.strip())
    if found is None or found[1].strip() in ("", "drop", "rise"):
        raise ValueError(f"{text!r} is no gate. {_FORM}.")
    metric, inside, change, sign, rest = found[1].strip(), found[2], found[3], found[4], found[5]
    categories = () if inside is None else tuple(name.strip() for name in inside.split(","))
    if inside is not None and not all(categories):
        raise ValueError(f"The gate {text!r} names no category between [ and ]. {_FORM}.")
    rest, level = _level(text, rest)
    bound, vs, base = (part.strip() for part in f" {rest} ".partition(" vs "))
    if re.search("[<>=]", bound):
        raise ValueError(f"{text!r} is no gate. {_FORM}.")
    _check_bound(text, bound)
    if vs and not base:
        raise ValueError(f"The gate {text!r} names no file after vs. {_FORM}.")
    if vs and change is None:
        raise ValueError(
            f"The gate {text!r} names a base, and so must say drop or rise: {metric} drop<=0.01 vs {base}."
        )
    if change is not None and not vs and not compared:
        raise ValueError(f"The gate {text!r} must say since what: {metric} {change}{sign}{bound} vs base.records.")
    return Gate(metric, categories, sign, bound, change, base or None, level)


def _level(text: str, rest: str) -> tuple[str, str | None]:
    """What stands before the level, and the level."""
    sure = _SURE.fullmatch(rest.rstrip())
    if sure is None:
        if _HALF_SURE.fullmatch(rest.rstrip()):
            raise ValueError(f"The level of the gate {text!r} must be a percentage: @95%.")
        return rest, None
    try:
        level = float(sure[2])
    except ValueError:
        level = math.nan
    if not LEAST_LEVEL <= level < 100:
        raise ValueError(
            f"The level of the gate {text!r} must lie in [50, 100) percent, such as @95%; got {sure[2]!r}."
        )
    return sure[1], sure[2]


def _check_bound(text: str, bound: str) -> None:
    try:
        number = float(bound)
    except ValueError:
        raise ValueError(f"The bound of the gate {text!r} must be a number; got {bound!r}. {_FORM}.") from None
    if number != number:
        raise ValueError(f"The bound of the gate {text!r} must be a number; got NaN, which nothing reaches.")


class LazyNumbers(Mapping[str, "float | None"]):
    """Numbers that are known, and some that take long, which are made when they are asked for."""

    def __init__(self, known: Numbers, later: Mapping[str, Callable[[], float | None]], /) -> None:
        self._known, self._later = known, later

    def __getitem__(self, name: str) -> float | None:
        return self._later[name]() if name in self._later else self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter([*self._known, *self._later])

    def __len__(self) -> int:
        return len(self._known) + len(self._later)


class Scores(NamedTuple):
    """What a result lets gates ask for."""

    overall: Numbers
    by_category: Mapping[str, Numbers]
    why_undefined: Callable[[str], str]
    """For the name of a number that is None: why it is."""
    aliases: Mapping[str, str] = {}
    """Other names of categories, such as their ids."""
    identity: Identity | None = None
    """What a base must have in common with it; None: it cannot be compared."""
    replicates: Callable[[str, str | None], np.ndarray | None] | None = None
    """(R,) what a number of the whole, or of a category, is where images are drawn again; None: there is no such."""
    is_corrected: bool = False
    """Are intervals of its numbers corrected for bias, as those of `interval` are? That of a change is not: the biases
    of both sides cancel but for a little."""


Base = Callable[[str | None], Scores]
"""The base by the name of its file; by None the first of the results that are compared."""


def judge(
    gates: Iterable[Gate], scores: Scores, /, *, base: Base | None = None, undecided: str = "pass"
) -> list[Verdict]:
    """A verdict for each gate and each of its categories. An unknown name is a ValueError.

    A base that is not of the same conventions, categories and images is an InputError.
    """
    known = None if base is None else functools.cache(functools.partial(_compared, scores, base))
    return [verdict for gate in gates for verdict in _verdicts(gate, scores, known, undecided)]


def _compared(scores: Scores, base: Base, name: str | None) -> Scores:
    """The base, if the two may be compared."""
    from vesica._check import gates as check  # late: most gates compare with a number

    found = base(name)
    check.same_identity(scores.identity, found.identity, name)
    return found


def _verdicts(gate: Gate, scores: Scores, base: Base | None, undecided: str) -> Iterator[Verdict]:
    if not gate.categories:
        yield _verdict(_Asked(gate, None, ""), scores, base, undecided)
    for name in gate.categories:
        own = name if name in scores.by_category else scores.aliases.get(name)
        if own is None:
            raise ValueError(f"The truth has no category {name!r}.{_near(name, list(scores.by_category))}")
        yield _verdict(_Asked(gate, own, f"[{name}]"), scores, base, undecided)


class _Asked(NamedTuple):
    """A gate of one number."""

    gate: Gate
    category: str | None
    place: str

    def value(self, scores: Scores) -> float | None:
        numbers = scores.overall if self.category is None else scores.by_category[self.category]
        if self.gate.metric not in numbers:
            whose = "A category" if self.place else "The result"
            raise ValueError(f"{whose} has no number {self.gate.metric!r}.{_near(self.gate.metric, list(numbers))}")
        return numbers[self.gate.metric]

    def replicates(self, scores: Scores) -> np.ndarray:
        from vesica._check import gates as check

        draw = check.can_be_drawn(scores.replicates, self.gate.told(self.place), self.gate.base)
        values: np.ndarray = check.is_drawn(draw(self.gate.metric, self.category), self.gate.metric, self.place)
        return values


def _verdict(asked: _Asked, scores: Scores, base: Base | None, undecided: str) -> Verdict:
    gate = asked.gate
    value, bound = asked.value(scores), float(gate.bound)
    blank = Verdict(gate.told(asked.place), value, bound, False, None)
    if value is None:
        return blank._replace(reason=scores.why_undefined(gate.metric))
    earlier = None
    if gate.change is not None:
        if base is None:
            raise ValueError(f"The gate {blank.gate!r} must say since what: … vs base.records.")
        earlier = base(gate.base)
        before = asked.value(earlier)
        if before is None:
            return blank._replace(value=None, reason=f"in the base {earlier.why_undefined(gate.metric)}")
        value = _changed(gate, before, value)
    if gate.level is None:
        return blank._replace(value=value, passed=bool(_SIGNS[gate.sign](_side(value, bound), 0)))
    found = _interval(asked, scores, earlier)
    return _decided(blank._replace(value=value), found, gate.sign, _images(scores), undecided)


def _changed(gate: Gate, before: Any, now: Any) -> Any:
    return before - now if gate.change == "drop" else now - before


def _interval(asked: _Asked, scores: Scores, earlier: Scores | None) -> Interval:
    """That of the number, or of its change: both sides draw the same images, so that replicates are paired."""
    import numpy as np  # late: the command line parses gates without it

    from vesica.statistics.intervals import percentile_intervals

    values, around = asked.replicates(scores), None
    if earlier is not None:
        values = _changed(asked.gate, asked.replicates(earlier), values)
    elif scores.is_corrected:
        around = np.array([asked.value(scores)], np.float64)
    return percentile_intervals(values[:, None], level=asked.gate.share, around=around).one(0)


def _decided(verdict: Verdict, found: Interval, sign: str, images: int, undecided: str) -> Verdict:
    """The interval decides: wholly on the right side, wholly on the wrong side, or across."""
    value, bound = verdict.value, verdict.bound
    assert value is not None
    if found.lo is None or found.hi is None:
        why = f"in {found.undefined:,} of the replicates there is no such number: too few images have it"
        return verdict._replace(passed=undecided == "pass", undecided=True, reason=why)
    ends = found.lo, found.hi
    holds = [bool(_SIGNS[sign](_side(end, bound), 0)) for end in ends]
    if holds[0] == holds[1]:
        return verdict._replace(passed=holds[0], interval=ends)
    needed = images_needed(value, bound, ends, images)
    if needed is None:
        why = "the number is at the bound: no number of images would decide"
    else:
        why = f"about {needed:,} images would decide"
    return verdict._replace(passed=undecided == "pass", undecided=True, reason=why, interval=ends, images=needed)


def images_needed(value: float, bound: float, ends: tuple[float, float], images: int, /) -> int | None:
    """About how many images would decide, n · (half-width / distance)²: two digits, rounded up; None for never.

    The half-width is that of the side on which the bound lies.

    >>> images_needed(0.52, 0.50, (0.47, 0.57), 500)
    3200
    """
    if not _side(value, bound):
        return None
    half = value - ends[0] if value > bound else ends[1] - value
    exact = images * (half / (value - bound)) ** 2
    step = 10.0 ** max(0, math.floor(math.log10(max(exact, 1.0))) - 1)
    return int(math.ceil(round(exact / step, 9)) * step)


def _images(scores: Scores) -> int:
    return 0 if scores.identity is None else scores.identity.images


def _near(name: str, known: Sequence[str]) -> str:
    near = " or ".join(map(repr, difflib.get_close_matches(name, known, n=2)))
    listed = ", ".join(known[:20]) + (", …" if len(known) > 20 else "")
    return f" Did you mean {near}?" if near else f" There are {listed}."
