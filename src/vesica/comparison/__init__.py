"""Comparison of models: paired differences with intervals and p-values, and the objects that changed."""

from __future__ import annotations

from vesica.comparison.compare import compare
from vesica.comparison.comparison import Comparison, compare_results

__all__ = ["Comparison", "compare", "compare_results"]
