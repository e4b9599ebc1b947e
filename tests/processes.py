"""Scripts in a process of their own, for what would end or stop the one that tests."""

import os
import subprocess
import sys

PATIENCE = 120
"""Seconds after which a process counts as hung: far more than it needs on a busy machine."""


def script(code, *arguments, **environment):
    """Run Python code, or a file of it, to its end: what it wrote, how it ended. One that hangs fails the test."""
    how = ["-c", code] if isinstance(code, str) else [os.fspath(code)]
    command = [sys.executable, *how, *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=PATIENCE, env={**os.environ, **environment}, check=False
    )
