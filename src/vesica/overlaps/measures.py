"""Measures: formulas on Parts, 1–6 lines each, with all that others need to know of them.

Those whose names stand in csrc/base/measures.hpp as well are compiled: there the kernels take the formulas as template
parameters. A measure that is written here alone serves the same verbs, by array code.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypedDict, TypeVar, overload

if TYPE_CHECKING:
    import numpy as np
    from typing_extensions import Unpack

from vesica import _check as check
from vesica._array import Array, SomeArray, cast, namespace, real, stop_gradient
from vesica._check import names
from vesica._kernels import Tables, lane, pick
from vesica.overlaps.parts import BoxParts, Parts, parts_of
from vesica.regions import comparable

__all__ = ["ciou", "coverage", "dice", "diou", "distance", "eiou", "giou", "iou", "overlap", "tversky"]


def ratio(num: Array, den: Array, *, empty: float = 0.0) -> Array:
    """num / den, and `empty` where den is 0. The only division of measures: no epsilon, no NaN, finite gradients."""
    xp = namespace(num, den)
    num, den = real(num), real(den)
    nothing = den == 0
    quotient = num / xp.where(nothing, xp.ones_like(den), den)
    return xp.where(nothing, xp.full_like(quotient, empty), quotient)


MeasureName = Literal["iou", "distance", "dice", "coverage", "overlap", "tversky", "giou", "diou", "ciou", "eiou"]
"""The measures that are here; one that was registered elsewhere is passed as itself."""
Similarity = Literal["iou", "dice", "coverage", "overlap", "tversky", "giou", "diou", "ciou", "eiou"]
"""Those that grow with the overlap."""


class Options(TypedDict, total=False):
    """The options of measures."""

    empty: float
    alpha: float
    beta: float
    of: Literal["a", "b"]


A = TypeVar("A", bound=SomeArray)

Check = Callable[[Any, str], Any]
"""Takes the value of an option and its name; returns the value to use, or raises."""
Turn = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""Takes the options for (a, b); returns those for (b, a)."""


class Measure:
    """A formula on `Parts` that also takes two collections of regions.

    `measure(parts)` applies the formula; `measure(a, b)` is the same for every pair of regions, and
    `measure(a, b, aligned=True)` for a[i] with b[i], by a fused kernel where there is one.

    Parameters
    ----------
    formula : function of parts; its keyword arguments are the options of the measure
    is_fraction : does the formula give (numerator, denominator)? If not, it gives the value
    needs_hull : does it need the box around both, which only upright boxes have?
    is_symmetric : is it the same either way round? Where that depends on options, `turned` says so
    turned : the options for (b, a) that stand for those for (a, b), where options tell the sides apart
    one_minus : the name of the similarity that this is 1 minus of; None for a similarity
    checks : how to check options, by name; others are finite numbers
    """

    def __init__(
        self,
        formula: Callable[..., Any],
        *,
        is_fraction: bool,
        needs_hull: bool = False,
        is_symmetric: bool = True,
        turned: Turn | None = None,
        one_minus: str | None = None,
        checks: Mapping[str, Check] | None = None,
    ) -> None:
        self.name = formula.__name__
        self.is_fraction, self.needs_hull, self.one_minus = is_fraction, needs_hull, one_minus
        self.is_similarity = one_minus is None
        self.__name__ = self.__qualname__ = self.name
        self.__module__ = formula.__module__
        self.defaults: dict[str, Any] = {} if not is_fraction else {"empty": 0.0}
        for option in inspect.signature(formula).parameters.values():
            if option.kind is inspect.Parameter.KEYWORD_ONLY:
                self.defaults[option.name] = option.default
        self.checks: dict[str, Check] = {**dict.fromkeys(self.defaults, check.finite), **(checks or {})}
        self.checks["empty"] = check.number
        self._formula, self._is_symmetric, self._turned = formula, is_symmetric, turned
        self.plain = Chosen(self.name, self.defaults, self)
        self.__signature__ = _signature(self.defaults)
        self.__doc__ = _told(self.name, self.__signature__, formula.__doc__ or "")

    def __repr__(self) -> str:
        return f"<measure {self.name}>"

    def __reduce__(self) -> str:
        return self.name  # a copy of a measure is the measure

    @overload
    def __call__(self, parts: Parts, /, **options: Unpack[Options]) -> Array: ...
    @overload
    def __call__(
        self,
        a: np.ndarray[Any, Any],
        b: np.ndarray[Any, Any] | Sequence[Any],
        /,
        *,
        aligned: bool = False,
        threads: int | None = None,
        **options: Unpack[Options],
    ) -> np.ndarray[Any, np.dtype[np.floating[Any]]]: ...
    @overload
    def __call__(
        self,
        a: A,
        b: A | Sequence[Any],
        /,
        *,
        aligned: bool = False,
        threads: int | None = None,
        **options: Unpack[Options],
    ) -> A: ...
    @overload
    def __call__(
        self,
        a: Any,
        b: Any,
        /,
        *,
        aligned: bool = False,
        threads: int | None = None,
        **options: Unpack[Options],
    ) -> Array: ...
    def __call__(
        self, a: Any, b: Any = None, /, *more: Any, aligned: bool = False, threads: int | None = None, **options: Any
    ) -> Array:
        if threads is None and not (options or more) and isinstance(aligned, bool):
            answer = lane.serve("measure", self.plain, a, b, aligned)
            if answer is not None:
                return answer
        if more:
            raise names.by_position(self.name, "measure", len(more))
        formula = self.chosen(options)
        check.parts_or_pair(self.name, isinstance(a, Parts), b)
        if isinstance(a, Parts):
            return formula.of_parts(a)
        check.threads(threads)
        try:
            tables = comparable(a, b, aligned=aligned, threads=threads)
        except ValueError:
            if not (_is_one_box(a) and _is_one_box(b)):
                raise
            return self(_table_of(a), _table_of(b), aligned=True, threads=threads, **options)[0]
        self.check_kind(tables.kind)

        return pick("measure", tables, formula).call(tables, formula, aligned=aligned, threads=threads)

    def chosen(self, given: Mapping[str, Any]) -> Chosen:
        """The measure with these options, as kernels take it."""
        return Chosen(self.name, self.options(given), self) if given else self.plain

    def options(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The options of the formula, checked, with their defaults."""
        if not given:
            return self.defaults
        for name in given:
            if name not in self.defaults:
                takes = ("aligned", "threads", *self.defaults)
                others = [other.name for other in MEASURES.values() if name in other.defaults]
                if others:
                    raise names.option_of_others(self.name, name, takes, others)
                raise names.unknown_option(self.name, name, takes, "measure")
        options = {**self.defaults, **given}
        return {name: self.checks[name](value, name) for name, value in options.items()}

    def turned(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """The options with which (b, a) has the value that (a, b) has with these."""
        if self._turned is not None:
            return dict(self._turned(options))
        if self._is_symmetric:
            return dict(options)
        raise TypeError(f"{self.name} has no options that stand for the other order.")

    def is_symmetric(self, options: Mapping[str, Any]) -> bool:
        """Is the measure the same either way round?"""
        return self._is_symmetric if self._turned is None else self._turned(options) == options

    @property
    def is_weighted(self) -> bool:
        """Does it take weights, without which it is another measure?"""
        return check.weight in self.checks.values()

    def check_kind(self, kind: str) -> None:
        """Raise for regions that lack the parts of this measure."""
        if self.needs_hull and kind != "boxes":
            check.measurable(self.name, kind, [name for name, other in MEASURES.items() if not other.needs_hull])

    def of_parts(self, p: Parts, options: Mapping[str, Any]) -> Array:
        """The value, in the floating dtype of the regions."""
        self.check_kind(p.kind)
        if not self.is_fraction:
            return cast(self._formula(p, **options), p.dtype)
        num, den = self.fraction(p, options)
        return cast(ratio(num, den, empty=options["empty"]), p.dtype)

    def fraction(self, p: Parts, options: Mapping[str, Any]) -> tuple[Array, Array]:
        """Numerator and denominator, of a measure that is one fraction."""
        num, den = self._formula(p, **{name: value for name, value in options.items() if name != "empty"})
        return num, den


def _is_one_box(value: Any) -> bool:
    """Four numbers, and not a table of them?"""
    if hasattr(value, "ndim"):
        return bool(value.ndim == 1) and int(value.shape[0]) == 4
    return isinstance(value, (list, tuple)) and len(value) == 4 and not any(hasattr(side, "__len__") for side in value)


def _table_of(box: Any) -> Any:
    """One box as a table of one row."""
    return box[None, ...] if hasattr(box, "ndim") else [box]


def _signature(defaults: Mapping[str, Any]) -> inspect.Signature:
    kinds = inspect.Parameter
    arrays = [kinds("a", kinds.POSITIONAL_ONLY), kinds("b", kinds.POSITIONAL_ONLY, default=None)]
    shared = {"aligned": False, "threads": None, **defaults}
    return inspect.Signature(
        arrays + [kinds(name, kinds.KEYWORD_ONLY, default=value) for name, value in shared.items()]
    )


_OPTIONS = {
    "aligned": "bool, default False\n    Take a[i] with b[i] instead of every pair.",
    "threads": "int, optional\n    At most this many; by default VESICA_NUM_THREADS, or all processors.",
    "empty": "float, default 0.0\n    The answer for nothing with nothing; NaN may be said.",
    "of": """{"a", "b"}, default "a"\n    Whose area is the whole.""",
    "alpha": "float, default 0.5\n    The weight of what only a has.",
    "beta": "float, default 0.5\n    The weight of what only b has.",
}


def _told(name: str, signature: inspect.Signature, doc: str) -> str:
    """The docstring of a measure: its own words, and what all measures take and give."""
    prose, mark, examples = inspect.cleandoc(doc).partition(">>> ")
    named = [option for option in signature.parameters if option not in ("a", "b")]
    options = "\n".join(f"{option} : {_OPTIONS.get(option, 'number')}" for option in named)
    return f"""{name}{signature}

{prose.strip()}

Parameters
----------
a, b : regions
    N and M regions. A bare (…, N, 4) array is boxes, x1, y1, x2, y2; a stack of booleans is masks. One box with one
    box, four numbers each, is answered with a number. `Parts` alone, instead of both, have been made already.
{options}

Returns
-------
array
    (…, N, M), or (…, N) when aligned, in the library, on the device and in the floating dtype of the regions.

Examples
--------
{mark}{examples}"""


class Chosen(NamedTuple):
    """A measure with its options: the `Formula` of the kernels."""

    name: str
    options: Mapping[str, Any]
    measure: Measure

    @property
    def is_fraction(self) -> bool:
        return self.measure.is_fraction

    @property
    def is_symmetric(self) -> bool:
        return self.measure.is_symmetric(self.options)

    def turned(self) -> Chosen:
        return self._replace(options=self.measure.turned(self.options))

    def parts(self, tables: Tables, aligned: bool, threads: int | None = None) -> Parts:
        return parts_of(tables, aligned, threads)

    def of_parts(self, parts: Parts) -> Array:
        return self.measure.of_parts(parts, self.options)

    def fraction(self, parts: Parts) -> tuple[Array, Array]:
        return self.measure.fraction(parts, self.options)


MEASURES: dict[str, Measure] = {}


def register(**facts: Any) -> Callable[[Callable[..., Any]], Measure]:
    """Make a measure of a formula, known by its name from now on. `facts` are those of `Measure`."""

    def known(formula: Callable[..., Any]) -> Measure:
        measure = MEASURES[formula.__name__] = Measure(formula, **facts)
        return measure

    return known


def _of_other_side(options: Mapping[str, Any]) -> dict[str, Any]:
    return {**options, "of": "a" if options["of"] == "b" else "b"}


def _with_swapped_weights(options: Mapping[str, Any]) -> dict[str, Any]:
    return {**options, "alpha": options["beta"], "beta": options["alpha"]}


def _side(value: Any, name: str) -> str:
    return check.one_of(value, ("a", "b"), name)


@register(is_fraction=True)
def iou(p: Parts, /) -> tuple[Array, Array]:
    """Intersection over union, the Jaccard index: the shared area as a share of all that either covers.

    In [0, 1]; 1 for equal regions, 0 for regions that only touch, `empty` for nothing with nothing.

    >>> iou([[0, 0, 4, 4]], [[2, 2, 6, 6], [4, 0, 8, 4]])
    array([[0.14285714, 0.        ]])
    >>> iou([[1, 1, 1, 1]], [[1, 1, 1, 1]], empty=1.0)
    array([[1.]])
    """
    return p.inter, p.union


@register(is_fraction=False, one_minus="iou")
def distance(p: Parts, /, *, empty: float = 0.0) -> Array:
    """1 − iou. A metric when `empty=1`: then nothing is at no distance from nothing.

    >>> distance([[0, 0, 4, 4]], [[0, 0, 4, 2]])
    array([[0.5]])
    """
    return 1 - ratio(p.inter, p.union, empty=empty)


@register(is_fraction=True)
def dice(p: Parts, /) -> tuple[Array, Array]:
    """Twice the shared area over the sum of the areas: 2·iou / (1 + iou), the F1 score of areas.

    >>> dice([[0, 0, 4, 4]], [[2, 2, 6, 6]])
    array([[0.25]])
    """
    return p.inter + p.inter, p.area_a + p.area_b


@register(is_fraction=True, turned=_of_other_side, checks={"of": _side})
def coverage(p: Parts, /, *, of: str = "a") -> tuple[Array, Array]:
    """The share of the first region that the second covers (IoF); `of="b"` for the share of the second.

    >>> coverage([[2, 2, 4, 4]], [[0, 0, 10, 10]]), coverage([[2, 2, 4, 4]], [[0, 0, 10, 10]], of="b")
    (array([[1.]]), array([[0.04]]))
    """
    return p.inter, p.area_a if of == "a" else p.area_b


@register(is_fraction=True)
def overlap(p: Parts, /) -> tuple[Array, Array]:
    """The overlap coefficient (IoS): the shared area as a share of the smaller region.

    1 as soon as one region lies inside the other, whatever their sizes.

    >>> overlap([[0, 0, 10, 10]], [[2, 2, 4, 4]])
    array([[1.]])
    """
    xp = namespace(p.inter)
    return p.inter, xp.minimum(p.area_a, p.area_b)


@register(is_fraction=True, turned=_with_swapped_weights, checks={"alpha": check.weight, "beta": check.weight})
def tversky(p: Parts, /, *, alpha: float = 0.5, beta: float = 0.5) -> tuple[Array, Array]:
    """Weigh the two kinds of miss: `alpha` for what only a has, `beta` for what only b has.

    With a the guess, `alpha` weighs false positives. Both 1: iou. Both ½: dice.

    >>> tversky([[0, 0, 10, 10]], [[2, 2, 4, 4]], alpha=0.3, beta=0.7)
    array([[0.12195122]])
    """
    only_a, only_b = real(p.area_a - p.inter), real(p.area_b - p.inter)
    return real(p.inter), real(p.inter) + alpha * only_a + beta * only_b


@register(is_fraction=False, needs_hull=True)
def giou(p: BoxParts, /, *, empty: float = 0.0) -> Array:
    """Generalised iou: less the share of the hull that neither covers. In [−1, 1]; boxes only.

    >>> giou([[0, 0, 4, 4]], [[2, 2, 6, 6]])
    array([[-0.07936508]])
    """
    xp = namespace(p.inter)
    # By rounding alone the hull can be smaller than the union, and giou would exceed iou.
    hull, union = p.hull, p.union
    unused = xp.clip(hull - union, 0, None)
    return ratio(p.inter, union, empty=empty) - ratio(unused, hull)


@register(is_fraction=False, needs_hull=True)
def diou(p: BoxParts, /, *, empty: float = 0.0) -> Array:
    """Distance iou: less the squared distance of the centres over that of the hull's corners. In [−1, 1]; boxes only.

    >>> diou([[0, 0, 2, 2]], [[4, 0, 6, 2]])
    array([[-0.4]])
    """
    return ratio(p.inter, p.union, empty=empty) - ratio(p.centre2, p.diagonal2)


@register(is_fraction=False, needs_hull=True)
def ciou(p: BoxParts, /, *, empty: float = 0.0) -> Array:
    """Complete iou: diou less a penalty for another shape. In (−2, 1]; boxes only.

    The weight of the penalty is a constant in the backward pass, as its authors have it.

    >>> ciou([[0, 0, 4, 2]], [[1, 0, 3, 4]])
    array([[0.26833166]])
    """
    turn = p.slope_a - p.slope_b
    v = (4 / math.pi**2) * (turn * turn)
    shared = ratio(p.inter, p.union, empty=empty)
    k = stop_gradient(ratio(v, 1 - shared + v))
    return shared - ratio(p.centre2, p.diagonal2) - k * v


@register(is_fraction=False, needs_hull=True)
def eiou(p: BoxParts, /, *, empty: float = 0.0) -> Array:
    """Efficient iou: diou less the squared differences of the sides, each over the hull's. In [−3, 1]; boxes only.

    >>> eiou([[0, 0, 10, 10]], [[2, 2, 4, 4]])
    array([[-1.28]])
    """
    (w_a, h_a), (w_b, h_b) = p.sides_a, p.sides_b
    w, h, hull_w, hull_h = (real(side) for side in (w_a - w_b, h_a - h_b, *p.hull_sides))
    apart = ratio(p.centre2, p.diagonal2)
    return ratio(p.inter, p.union, empty=empty) - apart - ratio(w * w, hull_w * hull_w) - ratio(h * h, hull_h * hull_h)


def as_similarity(measure: Any) -> Measure:
    """A measure by itself or by name, where the largest value is looked for."""
    found = measure if isinstance(measure, Measure) else MEASURES[check.one_of(measure, MEASURES, "measure")]
    if not found.is_similarity:
        name, other = found.name, found.one_minus
        raise ValueError(
            f"`measure` must grow with the overlap; got {name}, which falls. Use {other}: {name} is 1 − {other}."
        )
    return found
