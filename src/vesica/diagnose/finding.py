"""A finding: what was seen, in numbers, and what to do about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from vesica.results.tables import plain

PITFALLS = "Reinke et al., Understanding metric-related pitfalls"

ERROR, WARNING, NOTE = "error", "warning", "note"
SEVERITIES = (ERROR, WARNING, NOTE)
"""The worst first."""
CERTAIN, LIKELY, UNSURE = "certain", "likely", "unsure"


@dataclass(frozen=True)
class Finding:
    """One thing that was found: in a file, or about a score.

    Attributes
    ----------
    code : by which it is silenced, and looked up
    severity : "error", "warning" or "note"
    text : what was seen, and what to do
    evidence : the numbers behind it
    suggested : names of scores that would tell more
    reference : where the advice comes from, or ""
    confidence : of a file: "certain", "likely" or "unsure"; "" of advice
    repairs : of a file: what may be assumed to repair it, such as "boxes=xyxy". One is the repair; of several the
        reader has to choose.
    file : whose finding it is; "" of advice, and of data that no file has
    """

    code: str
    severity: str
    text: str
    evidence: Mapping[str, Any]
    suggested: tuple[str, ...] = ()
    reference: str = ""
    confidence: str = ""
    repairs: tuple[str, ...] = ()
    file: str = ""

    def __str__(self) -> str:
        if not self.confidence:
            return f"{self.code} {self.severity}: {self.text}"
        return f"{self.code} ({self.severity}, {self.confidence}): {self.text}"

    @property
    def repair(self) -> str | None:
        """What is to be assumed, if that is known."""
        sure = self.confidence in (CERTAIN, LIKELY)
        return self.repairs[0] if sure and len(self.repairs) == 1 else None

    def to_dict(self) -> dict[str, Any]:
        """All that is known of a finding in a file, as plain values."""
        return {
            "code": self.code,
            "file": self.file,
            "severity": self.severity,
            "confidence": self.confidence,
            "text": self.text,
            "evidence": {name: plain(value) for name, value in self.evidence.items()},
            "repairs": list(self.repairs),
        }
