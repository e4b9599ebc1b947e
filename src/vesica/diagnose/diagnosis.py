"""Diagnoses: what is wrong with a file, and the same file without it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from vesica._check import diagnose as check_arguments
from vesica._check import names
from vesica.diagnose.examination import Examination, examined
from vesica.diagnose.files import Checked, Said, checked
from vesica.diagnose.finding import ERROR, WARNING, Finding

if TYPE_CHECKING:
    from vesica.diagnose.repair import Repaired


@dataclass(frozen=True, eq=False)
class Diagnosis:
    """What was found in a file. A walk over it gives the findings, the worst first; it is false if there are none.

    Attributes
    ----------
    name, against : what the file and its truth are called; `against` is None without one
    findings : tuple of findings, each with `code`, `severity`, `confidence`, `text`, `evidence` and `repairs`
    looked_at : how many guesses were compared with truths
    hits : of these, the share that lies on a truth of its category; None where nothing was compared
    """

    name: str
    against: str | None
    findings: tuple[Finding, ...]
    looked_at: int
    hits: float | None
    file: Checked
    truth: Checked | None

    def __len__(self) -> int:
        return len(self.findings)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __str__(self) -> str:
        return "\n".join(map(str, self.findings)) or f"{self.name}: nothing was found."

    def __repr__(self) -> str:
        return f"Diagnosis({self.name}: {', '.join(one.code for one in self) or 'nothing was found'})"

    def _repr_html_(self) -> str:
        from vesica import _html  # late: only notebooks ask for it

        findings = [_html.words(str(one)) for one in self.findings[: _html.ROWS]]
        left = len(self.findings) - len(findings)
        return _html.page(_html.words(repr(self)), *findings, _html.words(f"… {left} more") if left else "")

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes of the findings, each once."""
        return tuple(dict.fromkeys(one.code for one in self.findings))

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings for which a score is refused."""
        return tuple(one for one in self.findings if one.severity == ERROR)

    @property
    def warnings(self) -> tuple[Finding, ...]:
        return tuple(one for one in self.findings if one.severity == WARNING)

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        return {
            "file": self.name,
            "against": self.against,
            "findings": [one.to_dict() for one in self.findings],
            "looked_at": self.looked_at,
            "hits": self.hits,
        }

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), sort_keys=True, ensure_ascii=False, allow_nan=False)

    def fix(self, path: str | os.PathLike[str], /, *, assume: str | Iterable[str] = ()) -> Repaired:
        """Write the file without what was found, and leave all else byte for byte as it is. Of COCO's JSON alone.

        Findings that are certain or likely are repaired, and what `assume` says, such as "boxes=xyxy". The input is
        never written over; the new file is there whole or not at all, and only if what was repaired is not found again.
        """
        from vesica.diagnose.repair import write

        return write(self, os.fspath(path), check_arguments.assumptions(assume))


@names.explained("check")
def check(
    file: Any,
    /,
    *,
    against: Any = None,
    format: str | None = None,
    sizes: Any = None,
    images: Any = None,
    threads: int | None = None,
) -> Diagnosis:
    """What seems to be wrong with a file of truths or guesses: corners read as sizes, shares as pixels, shifted ids.

    A mistake in a file moves all boxes alike, a weak model does not: without a reading under which far more guesses lie
    on truths, nothing is said. Nothing is changed either; `fix` of the answer writes the repaired file.

    Parameters
    ----------
    file : path or Dataset
    against : path or Dataset, optional
        The truth of the same images. Without it, only what one file shows is found.
    format : str, optional
        As `read` takes it, of `file`.
    sizes, images : optional
        How large images are, where neither file says so; as `read` takes them.
    threads : int, optional

    Returns
    -------
    Diagnosis
        The findings, the worst first.

    Examples
    --------
    >>> import numpy as np, vesica
    >>> rng = np.random.default_rng(0)
    >>> boxes = np.hstack([rng.uniform(0, 400, (200, 2)), rng.uniform(20, 200, (200, 2))])
    >>> image, sizes = np.arange(200) // 4, (600, 600)
    >>> truth = vesica.Dataset.from_arrays(boxes, form="xywh", image=image, sizes=sizes)
    >>> corners = np.hstack([boxes[:, :2], boxes[:, :2] + boxes[:, 2:]])
    >>> guess = vesica.Dataset.from_arrays(corners, form="xywh", image=image, score=rng.random(200))
    >>> vesica.check(guess, against=truth).codes
    ('boxes-layout',)

    The same boxes, read as what they are:

    >>> guess = vesica.Dataset.from_arrays(corners, form="xyxy", image=image, score=rng.random(200))
    >>> vesica.check(guess, against=truth).codes
    ()
    """
    check_arguments.path_or_data(file, "file")
    if against is not None:
        check_arguments.path_or_data(against, "against")
    options = {"sizes": sizes, "images": images}
    truth = None if against is None else checked(against, Said(None, options, threads))
    given = checked(file, Said(format, options, threads), None if truth is None else truth.side, masks=True)
    return diagnosed(given, truth)


def diagnosed(file: Checked, truth: Checked | None = None, /) -> Diagnosis:
    """What is wrong with a file that was read."""
    found: Examination = examined(file.side, None if truth is None else truth.side)
    against = None if truth is None else truth.side.name
    return Diagnosis(file.side.name, against, *found, file, truth)
