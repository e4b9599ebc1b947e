"""Pictures: each takes regions or a result and an optional `ax`, and returns the Axes. Needs matplotlib."""

from vesica.plot.overlap import overlap

__all__ = ["overlap"]
