"""Reports without the drawing of their charts, which takes seconds: for tests of all else."""

import pytest


def leave_undrawn(patch: pytest.MonkeyPatch) -> None:
    """Each chart is an empty picture with its key."""
    patch.setattr("vesica.report.charts.svg_of", lambda ax, key, **_: f'<svg id="{key}" viewBox="0 0 1 1"></svg>')
