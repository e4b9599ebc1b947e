"""The page of a detector."""

from __future__ import annotations

from vesica.report.plain import part_of as part_of
