"""A finding: what was seen, in numbers, and what to look at instead."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

PITFALLS = "Reinke et al., Understanding metric-related pitfalls"


@dataclass(frozen=True)
class Finding:
    """One piece of advice.

    Attributes
    ----------
    code : by which it is silenced
    severity : "note" or "warning"
    text : what was seen, and what to do
    evidence : the numbers behind it
    suggested : names of scores that would tell more
    reference : where the advice comes from, or ""
    """

    code: str
    severity: str
    text: str
    evidence: Mapping[str, Any]
    suggested: tuple[str, ...] = ()
    reference: str = ""

    def __str__(self) -> str:
        return f"{self.code} {self.severity}: {self.text}"
