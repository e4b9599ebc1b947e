"""Measures: formulas on Parts, 1–6 lines each.

The same names stand in csrc/base/measures.hpp, where the native kernels take the formulas as template parameters.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from typing import Any

from vesica import _check as check
from vesica._array import Array, cast, namespace, real, stop_gradient
from vesica._kernels import native, pick
from vesica.overlaps.parts import BoxParts, Parts, twin_parts
from vesica.regions import comparable

__all__ = ["ciou", "coverage", "dice", "diou", "distance", "eiou", "giou", "iou", "overlap", "tversky"]


def ratio(num: Array, den: Array, *, empty: float = 0.0) -> Array:
    """num / den, and `empty` where den is 0. The only division of measures: no epsilon, no NaN, finite gradients."""
    xp = namespace(num, den)
    num, den = real(num), real(den)
    nothing = den == 0
    quotient = num / xp.where(nothing, xp.ones_like(den), den)
    return xp.where(nothing, xp.full_like(quotient, empty), quotient)


class Measure:
    """A formula on `Parts` that also takes two collections of regions.

    `measure(parts)` applies the formula; `measure(a, b)` is the same for every pair of regions, and
    `measure(a, b, aligned=True)` for a[i] with b[i], by a fused kernel where there is one.
    """

    def __init__(self, formula: Callable[..., Any], *, is_fraction: bool, needs_hull: bool = False) -> None:
        self.name = formula.__name__
        self.is_fraction, self.needs_hull = is_fraction, needs_hull
        self.is_similarity = self.name != "distance"
        self.__doc__ = formula.__doc__
        self.__name__ = self.__qualname__ = self.name
        self.__module__ = formula.__module__
        self.defaults: dict[str, Any] = {} if not is_fraction else {"empty": 0.0}
        for option in inspect.signature(formula).parameters.values():
            if option.kind is inspect.Parameter.KEYWORD_ONLY:
                self.defaults[option.name] = option.default
        self._formula = formula
        self.__signature__ = _signature(self.defaults)

    def __repr__(self) -> str:
        return f"<measure {self.name}>"

    def __reduce__(self) -> str:
        return self.name  # a copy of a measure is the measure

    def __call__(
        self, a: Any, b: Any = None, /, *, aligned: bool = False, threads: int | None = None, **options: Any
    ) -> Array:
        options = self.options(options)
        check.parts_or_pair(self.name, isinstance(a, Parts), b)
        if isinstance(a, Parts):
            return self.of_parts(a, options)
        check.threads(threads)
        tables = comparable(a, b, aligned=aligned, threads=threads)
        self.check_kind(tables.kind)

        if pick(tables).backend == "native":
            return native.measure(tables, self.name, options, aligned=aligned, threads=threads)
        return self.of_parts(twin_parts(tables, aligned), options)

    def options(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The options of the formula, checked, with their defaults."""
        if not given:
            return self.defaults
        for name in given:
            if name not in self.defaults:
                raise check.unknown_option(self.name, name, self.defaults)
        options = {**self.defaults, **given}
        options["empty"] = check.finite(options["empty"], "empty")
        for name in ("alpha", "beta"):
            if name in options:
                options[name] = check.weight(options[name], name)
        if "of" in options:
            check.one_of(options["of"], ("a", "b"), "of")
        return options

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


def _signature(defaults: Mapping[str, Any]) -> inspect.Signature:
    kinds = inspect.Parameter
    arrays = [kinds("a", kinds.POSITIONAL_ONLY), kinds("b", kinds.POSITIONAL_ONLY, default=None)]
    shared = {"aligned": False, "threads": None, **defaults}
    return inspect.Signature(
        arrays + [kinds(name, kinds.KEYWORD_ONLY, default=value) for name, value in shared.items()]
    )


def _fraction(formula: Callable[..., Any]) -> Measure:
    """A measure given by its numerator and its denominator."""
    return Measure(formula, is_fraction=True)


def _formula(formula: Callable[..., Any]) -> Measure:
    """A measure given by its value."""
    return Measure(formula, is_fraction=False)


def _box_formula(formula: Callable[..., Any]) -> Measure:
    """A measure given by its value, that needs the box around both."""
    return Measure(formula, is_fraction=False, needs_hull=True)


@_fraction
def iou(p: Parts, /) -> tuple[Array, Array]:
    """Intersection over union, the Jaccard index: the shared area as a share of all that either covers.

    In [0, 1]; 1 for equal regions, 0 for regions that only touch, `empty` for nothing with nothing.

    >>> iou([[0, 0, 4, 4]], [[2, 2, 6, 6], [4, 0, 8, 4]])
    array([[0.14285714, 0.        ]])
    >>> iou([[1, 1, 1, 1]], [[1, 1, 1, 1]], empty=1.0)
    array([[1.]])
    """
    return p.inter, p.union


@_formula
def distance(p: Parts, /, *, empty: float = 0.0) -> Array:
    """1 − iou. A metric when `empty=1`: then nothing is at no distance from nothing.

    >>> distance([[0, 0, 4, 4]], [[0, 0, 4, 2]])
    array([[0.5]])
    """
    return 1 - ratio(p.inter, p.union, empty=empty)


@_fraction
def dice(p: Parts, /) -> tuple[Array, Array]:
    """Twice the shared area over the sum of the areas: 2·iou / (1 + iou), the F1 score of areas.

    >>> dice([[0, 0, 4, 4]], [[2, 2, 6, 6]])
    array([[0.25]])
    """
    return p.inter + p.inter, p.area_a + p.area_b


@_fraction
def coverage(p: Parts, /, *, of: str = "a") -> tuple[Array, Array]:
    """The share of the first region that the second covers (IoF); `of="b"` for the share of the second.

    >>> coverage([[2, 2, 4, 4]], [[0, 0, 10, 10]]), coverage([[2, 2, 4, 4]], [[0, 0, 10, 10]], of="b")
    (array([[1.]]), array([[0.04]]))
    """
    return p.inter, p.area_a if of == "a" else p.area_b


@_fraction
def overlap(p: Parts, /) -> tuple[Array, Array]:
    """The overlap coefficient (IoS): the shared area as a share of the smaller region.

    1 as soon as one region lies inside the other, whatever their sizes.

    >>> overlap([[0, 0, 10, 10]], [[2, 2, 4, 4]])
    array([[1.]])
    """
    xp = namespace(p.inter)
    return p.inter, xp.minimum(p.area_a, p.area_b)


@_fraction
def tversky(p: Parts, /, *, alpha: float = 0.5, beta: float = 0.5) -> tuple[Array, Array]:
    """Weigh the two kinds of miss: `alpha` for what only a has, `beta` for what only b has.

    With a the guess, `alpha` weighs false positives. Both 1: iou. Both ½: dice.

    >>> tversky([[0, 0, 10, 10]], [[2, 2, 4, 4]], alpha=0.3, beta=0.7)
    array([[0.12195122]])
    """
    only_a, only_b = real(p.area_a - p.inter), real(p.area_b - p.inter)
    return real(p.inter), real(p.inter) + alpha * only_a + beta * only_b


@_box_formula
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


@_box_formula
def diou(p: BoxParts, /, *, empty: float = 0.0) -> Array:
    """Distance iou: less the squared distance of the centres over that of the hull's corners. In [−1, 1]; boxes only.

    >>> diou([[0, 0, 2, 2]], [[4, 0, 6, 2]])
    array([[-0.4]])
    """
    return ratio(p.inter, p.union, empty=empty) - ratio(p.centre2, p.diagonal2)


@_box_formula
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


@_box_formula
def eiou(p: BoxParts, /, *, empty: float = 0.0) -> Array:
    """Efficient iou: diou less the squared differences of the sides, each over the hull's. In [−3, 1]; boxes only.

    >>> eiou([[0, 0, 10, 10]], [[2, 2, 4, 4]])
    array([[-1.28]])
    """
    (w_a, h_a), (w_b, h_b) = p.sides_a, p.sides_b
    w, h, hull_w, hull_h = (real(side) for side in (w_a - w_b, h_a - h_b, *p.hull_sides))
    apart = ratio(p.centre2, p.diagonal2)
    return ratio(p.inter, p.union, empty=empty) - apart - ratio(w * w, hull_w * hull_w) - ratio(h * h, hull_h * hull_h)


MEASURES: dict[str, Measure] = {
    measure.name: measure for measure in (iou, distance, dice, coverage, overlap, tversky, giou, diou, ciou, eiou)
}


def as_similarity(measure: Any) -> Measure:
    """A measure by itself or by name, for those who look for the largest."""
    found = measure if isinstance(measure, Measure) else MEASURES[check.one_of(measure, MEASURES, "measure")]
    if not found.is_similarity:
        raise ValueError(
            "`measure` must grow with the overlap; got distance, which falls. Use iou: distance is 1 − iou."
        )
    return found
