"""One registry of kernels: which function serves a verb for a kind of pair, for arrays of which place, and why.

A backend is a folder beside this file, whose `kernels.py` registers what it has; `BACKENDS` names the folders.
`pick` finds the kernel for a call.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, NoReturn

import numpy as np

from vesica._array import Array, device_type, is_compiled, is_traced, library, needs_gradient
from vesica._kernels.tables import Counted, Formula, Tables

BACKENDS = ("generic", "native", "triton")
NO_FORMULA = "no compiled formula of this name"


class Place(NamedTuple):
    """Where arrays are, and whether derivatives are wanted of them. For a kernel, None means any."""

    library: str | None = None
    """numpy, torch, jax, …; "flat" for flat arrays on the host, "counted" for the counts of label maps."""
    device: str | None = None
    """cpu, cuda, …, as the library calls it."""
    state: str | None = None
    """"plain"; "gradient" where a derivative is wanted; "traced" where a transformation watches; "compiled" where it is
    torch.compile alone, which is served like any other where nothing else is said."""

    def covers(self, other: Place) -> bool:
        states = (None, other.state, "traced" if other.state == "compiled" else None)
        return self.library in (None, other.library) and self.device in (None, other.device) and self.state in states


STANDS_FOR: dict[str, str] = {}
"""Kinds of devices that are taken for others. Tests alone say so: an interpreter runs kernels for CUDA on the CPU."""

NUMPY = Place("numpy", "cpu", "plain")
FLAT = Place("flat", "cpu", "plain")
COUNTED = Place("counted", "cpu", "plain")


Entry = Callable[..., Any]
"""Takes what the caller gave, as it is, and answers; or hands it back untouched: None."""


@dataclass(frozen=True, eq=False)
class Kernel:
    """A function that serves a verb, what it takes, and why it is the one to take."""

    verb: str
    kind: str
    """The kind of pair: boxes, rotated, masks, masks_boxes, boxes_masks, polygons, sets, labels; or what else it is."""
    backend: str
    call: Callable[..., Any]
    place: Place
    why: str
    formulas: frozenset[str] | None = None
    """The names of the formulas it knows; None for any."""
    lane: Callable[[Any], Entry] | None = None
    """Makes its entry for small calls of boxes, or of a matrix, with a formula: where it has one."""

    @property
    def rank(self) -> int:
        """The more it says about what it takes, the sooner it is asked."""
        return sum(part is not None for part in (*self.place, self.formulas))


_KERNELS: dict[tuple[str, str], list[Kernel]] = {}
# Choices that were made before; False where there is no kernel. Not those of tracers: compilers watch for such changes.
_CHOSEN: dict[tuple[str, str, Place, str | None], Kernel | Literal[False]] = {}


def _handed_back(*_: Any) -> None:
    return None


LANES: dict[tuple[str, str | None, str], Entry] = {}
"""By verb, name of the formula, which has its default options, and library (or "cuda", for tensors of torch there;
"masks", for run lengths): the entries that were asked for before."""


# Kind of pair and place of what is not boxes of a library on the CPU.
_OTHER_LANES = {"cuda": ("boxes", Place("torch", "cuda", "plain")), "masks": ("masks", FLAT)}
# What the lane of a verb stands on, where that is not its own kernel of boxes. The last one makes the entry.
_STEPS = {
    "match": (("join", "boxes"), ("optimal", "pairs"), ("greedy", "pairs")),
    "assign": (("optimal", "matrix"),),
}


def lane(verb: str, formula: Formula | None, library: str) -> Entry:
    """The entry of the kernel that serves arrays of this library; or one that hands everything back."""
    name = None if formula is None else formula.name
    own, place = _OTHER_LANES.get(library) or ("boxes", Place(library, "cpu", "plain"))
    chosen = [_chosen(step, kind, place, name) for step, kind in _STEPS.get(verb, ((verb, own),))]
    makers = [kernel.lane if kernel else None for kernel in chosen]
    entry = makers[-1](formula) if makers[-1] and all(makers) else _handed_back
    LANES[verb, name, library] = entry
    return entry


def register(*kernels: Kernel) -> None:
    """Add kernels: from now on `pick` knows them."""
    for kernel in kernels:
        known = _KERNELS.setdefault((kernel.verb, kernel.kind), [])
        known.append(kernel)
        known.sort(key=lambda one: -one.rank)
    _forget()


def unregister(*kernels: Kernel) -> None:
    """Take kernels away again."""
    for kernel in kernels:
        _KERNELS[kernel.verb, kernel.kind].remove(kernel)
    _forget()


def _forget() -> None:
    _CHOSEN.clear()
    LANES.clear()


def registered() -> list[Kernel]:
    """All kernels, by verb and kind."""
    load()
    return [kernel for known in _KERNELS.values() for kernel in known]


def kernels(
    backend: str,
    call: Callable[..., Any],
    verb: str,
    kinds: Iterable[str],
    places: Mapping[Place, str],
    *,
    formulas: frozenset[str] | None = None,
    lane: Callable[[Any], Entry] | None = None,
) -> list[Kernel]:
    """One function for several kinds of pairs and places, each place with its reason."""
    return [
        Kernel(verb, kind, backend, call, place, why, formulas, lane) for kind in kinds for place, why in places.items()
    ]


def late(path: str, /) -> Callable[..., Any]:
    """The function of that path, whose module the first call loads: for kernels that most programs never call."""
    module, _, name = path.rpartition(".")

    def call(*arrays: Any, **options: Any) -> Any:
        return getattr(importlib.import_module(f"vesica._kernels.{module}"), name)(*arrays, **options)

    return call


def load() -> None:
    """Let every backend register what it has."""
    for backend in BACKENDS:
        importlib.import_module(f"vesica._kernels.{backend}.kernels")


def pick(verb: str, tables: Tables, formula: Formula | None = None) -> Kernel:
    """The kernel for these tables: `.call` is the function, `.backend` and `.why` say whose it is and why it."""
    found = _chosen(verb, tables.kind, place_of_tables(tables), None if formula is None else formula.name)
    return found or _missing(verb, tables.kind, place_of_tables(tables))


def seek(verb: str, tables: Tables) -> Kernel | None:
    """The same for what need not have a kernel."""
    return _chosen(verb, tables.kind, place_of_tables(tables), None) or None


def pick_arrays(verb: str, kind: str, *arrays: Array) -> Kernel:
    """The kernel for bare arrays of one library."""
    return _chosen(verb, kind, place_of(*arrays), None) or _missing(verb, kind, place_of(*arrays))


def has_kernel(verb: str, kind: str, *arrays: Array) -> bool:
    """Is there a kernel for these arrays?"""
    return bool(_chosen(verb, kind, place_of(*arrays), None))


def _chosen(verb: str, kind: str, place: Place, name: str | None) -> Kernel | Literal[False]:
    known = _CHOSEN.get((verb, kind, place, name))
    if known is not None:
        return known
    found: Kernel | Literal[False] = find(verb, kind, place, name) or False
    if place.state not in ("traced", "compiled"):
        _CHOSEN[verb, kind, place, name] = found
    return found


def _missing(verb: str, kind: str, place: Place) -> NoReturn:
    raise LookupError(f"No backend has a kernel `{verb}` for {kind} of {place}.")


def find(verb: str, kind: str, place: Place, name: str | None = None) -> Kernel | None:
    """The first kernel that takes arrays of this place, and the formula of this name if there is one."""
    lacks_formula = False
    for kernel in _KERNELS.get((verb, kind), ()):
        if not kernel.place.covers(place):
            continue
        if name is None or kernel.formulas is None or name in kernel.formulas:
            return replace(kernel, why=NO_FORMULA) if lacks_formula else kernel
        lacks_formula = True
    return None


class Case(NamedTuple):
    """What serves arrays of a place, as `vesica info` lists it."""

    arrays: str
    verbs: tuple[str, ...]
    kinds: tuple[str, ...]
    backend: str
    why: str


_WORDS = {
    NUMPY: "lists, NumPy, anything with DLPack on the CPU",
    FLAT: "run-length and sparse masks, polygons, sets",
    COUNTED: "label maps, once they are counted",
    Place("torch", "cpu", "plain"): "torch on the CPU, no gradient needed",
    Place("torch", "cuda", "plain"): "torch on a CUDA device, no gradient needed",
    Place("torch", "cuda"): "torch on a CUDA device",
    Place("cupy", state="plain"): "CuPy, where torch is installed",
    Place("torch", "cuda", "gradient"): "torch on a CUDA device, with a gradient",
    Place("torch", "cuda", "compiled"): "torch on a CUDA device, inside torch.compile",
    Place("torch", state="plain"): "torch on another device",
    Place(state="gradient"): "torch with a gradient",
    Place(state="traced"): "torch or JAX under a transformation",
    Place("jax", "cpu", "plain"): "JAX on the CPU, outside a trace",
    Place(): "any arrays",
}


def cases() -> list[Case]:
    """What is registered, one line for each place and reason. Of those that fit a call, the first serves it."""
    served: dict[tuple[Place, str, str], list[Kernel]] = {}
    for kernel in registered():
        served.setdefault((kernel.place, kernel.backend, kernel.why), []).append(kernel)
    order = sorted(served, key=lambda key: sum(part is None for part in key[0]))
    return [
        Case(
            _words(place),
            tuple(dict.fromkeys(kernel.verb for kernel in served[place, backend, why])),
            tuple(dict.fromkeys(kernel.kind for kernel in served[place, backend, why])),
            backend,
            why,
        )
        for place, backend, why in order
    ]


def _words(place: Place) -> str:
    named = _WORDS.get(place)
    return named or " ".join(part for part in ("arrays of", *place) if part is not None)


def place_of_tables(tables: Tables) -> Place:
    """Where the two sides are, which are of one library."""
    a, b = tables.a, tables.b
    if type(a) is np.ndarray and type(b) is np.ndarray:
        return NUMPY
    if isinstance(a, Counted):
        return COUNTED
    return FLAT if tables.is_flat else place_of(a, b)


def place_of(*arrays: Array) -> Place:
    """Where arrays of one library are."""
    name = library(arrays[0])
    if name == "numpy":
        return NUMPY
    state = "plain"
    if any(is_traced(array) for array in arrays):
        state = "compiled" if all(is_compiled(array) for array in arrays) else "traced"
    elif any(needs_gradient(array) for array in arrays):
        state = "gradient"
    devices = [STANDS_FOR.get(kind, kind) for kind in map(device_type, arrays)]
    away = [device for device in devices if device != "cpu"]
    return Place(name, away[0] if away else "cpu", state)
