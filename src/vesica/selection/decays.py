"""Decays: what an overlap leaves of a score.

The same names stand in csrc/selection/decay.hpp, with the formulas. A new one is its formula there, its record here,
and its line in the docs.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

DecayName = Literal["linear", "gaussian"]


class Decay(NamedTuple):
    """A decay by name, and the options that it has."""

    name: str
    has_threshold: bool = False
    """Do scores decay only from an overlap of `above` on? If not, from any overlap on."""
    has_sigma: bool = False


DECAYS = {decay.name: decay for decay in (Decay("linear", has_threshold=True), Decay("gaussian", has_sigma=True))}
