"""What the pages of both kinds of agreement, of objects and of label maps, show alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from vesica import plot
from vesica.plot.per_class import without_middle
from vesica.report import leads
from vesica.report.charts import chart
from vesica.report.leads import facts_of
from vesica.report.views import Chart, Grid, Mark, Table

if TYPE_CHECKING:
    from vesica.agreement.label_maps import PixelAgreementResult
    from vesica.agreement.result import AgreementResult

MOST_BARS = 40


def matrix(
    result: AgreementResult | PixelAgreementResult,
    key: str,
    /,
    *,
    people: tuple[str, ...],
    shared: Sequence[Sequence[int]],
    table: Table,
) -> Chart:
    """19: every two annotators; `shared` are the numbers of images that both were asked for."""
    grid = Grid(("annotator", "differs from"), people, people, tuple(map(tuple, shared)))
    size = leads.square(len(people))
    return chart(f"{key}-annotators", lambda ax: plot.annotators(result, ax=ax), table=table, grid=grid, **size)


def coefficients(
    result: AgreementResult | PixelAgreementResult, key: str, /, *, title: str, score: str, word: str
) -> Chart:
    """20: coefficients of each category with their intervals, the largest `score` first."""
    found = result.coefficients()
    rows = list(found)
    table = Table(
        f"{key}-{title.lower()}",
        title,
        tuple(name.replace("_", " ") for name in found.columns),
        tuple(tuple(cell(value) for value in row.values()) for row in rows),
        tuple(facts_of(category=row["category"]) for row in rows),
    )
    known = sorted((row for row in rows if row[score] is not None), key=lambda row: -row[score])
    shown = without_middle(known, MOST_BARS)
    marks = [Mark(f"{row['category']}: {word} {row[score]:.3f}", facts_of(category=row["category"])) for row in shown]
    return chart(
        f"{key}-coefficients",
        lambda ax: plot.coefficients(result, most=MOST_BARS, ax=ax),
        table=table,
        marks=leads.rows(marks),
        height=1.5 + 0.3 * max(4, len(shown)),
    )


def cell(value: Any) -> Any:
    """A value as a table of a page has it."""
    return value if value is None or isinstance(value, (int, float)) else str(value)
