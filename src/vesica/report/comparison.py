"""The page of comparison."""

from __future__ import annotations

from vesica.report.plain import part_of as part_of
