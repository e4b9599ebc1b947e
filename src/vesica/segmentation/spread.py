"""The spread: the same counts under every preset, and how far apart the answers are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from vesica.results.tables import Row, plain
from vesica.segmentation.presets import PRESETS

if TYPE_CHECKING:
    from vesica.segmentation.result import SegmentationResult

OWN = "vesica"
"""The first row: the policy of the result itself."""


@dataclass(frozen=True, eq=False, repr=False)
class Spread:
    """A row for each preset, and the range that the answers span. It prints as a table.

    Attributes
    ----------
    rows : list of dicts: "like", "average", "mIoU" and "mDice"; None for a number that is not there
    empties : the cells that are empty on one side or both, which make most of the difference
    """

    rows: tuple[Row, ...]
    empties: dict[str, int]

    def range(self, name: str = "mIoU", /) -> tuple[float, float]:
        """The lowest and the highest answer, NaN without any."""
        found = [row[name] for row in self.rows if row[name] is not None]
        return (min(found), max(found)) if found else (float("nan"), float("nan"))

    def __repr__(self) -> str:
        low, high = self.range()
        return f"Spread(mIoU {low:.6f}–{high:.6f})"

    def _repr_html_(self) -> str:
        from vesica import _html  # late: only notebooks ask for it

        names = ["like", "average", "mIoU", "mDice"]
        table = _html.table(names, [[row[name] for name in names] for row in self.rows], total=len(self.rows))
        return _html.page(_html.words(repr(self)), table)

    def __str__(self) -> str:
        from vesica.segmentation.print import aligned  # late: most are not printed

        table = [["", "order", "mIoU", "mDice"]]
        table += [[row["like"], row["average"], _digits(row["mIoU"]), _digits(row["mDice"])] for row in self.rows]
        ends = [f"{name} {self.range(name)[0]:.6f}–{self.range(name)[1]:.6f}" for name in ("mIoU", "mDice")]
        told = self.empties
        cells = (
            f"cells: {told['both_empty']} both empty, {told['guess_only']} guess only, {told['truth_only']} truth only"
            f"; {told['absent']} classes absent"
        )
        return "\n".join([*aligned(table), ", ".join(ends), cells])


def spread_of(result: SegmentationResult, /) -> Spread:
    """The means of IoU and Dice under the policy of the result, and like every library whose conventions are known."""
    rows = [_row(OWN, result)]
    for name in PRESETS:
        rows.append(_row(name, result.under(like=name)))
        if "average" not in PRESETS[name].decides:
            rows.append(_row(f"{name}, images", result.under(like=name), average="images"))
    return Spread(tuple(rows), result.empties)


def _row(name: str, result: SegmentationResult, average: str | None = None) -> Row:
    numbers: Row = {}
    orders: list[str] = []
    for number, score in (("mIoU", "IoU"), ("mDice", "Dice")):
        numbers[number] = None
        if result.policy.knows(score):
            classes = "macro" if result.policy.classes == "each" else None
            numbers[number] = plain(result.score(score, average=average, classes=classes).value)
            orders.append(average or result.policy.of(score).average)
    return {"like": name, "average": ", ".join(dict.fromkeys(orders)), **numbers}


def _digits(value: Any) -> str:
    return "-" if value is None else f"{value:.6f}"
