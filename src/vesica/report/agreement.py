"""The page of agreement."""

from __future__ import annotations

from vesica.report.plain import part_of as part_of
