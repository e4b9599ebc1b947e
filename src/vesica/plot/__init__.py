"""Pictures: each takes regions or a result and an optional `ax`, and returns the Axes. Needs matplotlib."""

from vesica.plot.by_score import by_score
from vesica.plot.overlap import overlap
from vesica.plot.per_class import per_class
from vesica.plot.precision_recall import precision_recall

__all__ = ["by_score", "overlap", "per_class", "precision_recall"]
