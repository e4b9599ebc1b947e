"""Scripts in a process of their own, for what would end or stop the one that tests."""

import multiprocessing
import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor

PATIENCE = 120
"""Seconds after which a process counts as hung: far more than it needs on a busy machine."""


def script(code, *arguments, **environment):
    """Run Python code, or a file of it, to its end: what it wrote, how it ended. One that hangs fails the test."""
    how = ["-c", code] if isinstance(code, str) else [os.fspath(code)]
    command = [sys.executable, *how, *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=PATIENCE, env={**os.environ, **environment}, check=False
    )


PRELOADED = """
    numpy.random pyarrow.compute pyarrow.parquet vesica.agreement vesica.dataset.arrays vesica.io.parquet
    vesica.scale.work vesica.scale.agreement vesica.scale.detection vesica.scale.segmentation
""".split()


def warm_pools(patch):
    """Let the engine of processes fork them from one that has imported what they need, which takes far longer than what
    they do in a test. test_scale.py has spawned ones too, as everybody has them."""
    patch.setattr("vesica.scale.engines.Processes._opened", lambda _, workers: _warm_pool(workers))


def _warm_pool(workers):
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"))
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOADED)
    return ProcessPoolExecutor(workers, mp_context=context)
