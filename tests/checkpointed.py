"""Runs with a checkpoint, in processes that may be killed. A line of JSON on standard input begins each of them:
folder, checkpoint, engine, memory or "-", task.

Everything is imported once, and each run is a fork that leads a group of its own: it tells its number first, then how
many parts are done. When it has ended, whoever forked it says so.
"""

import json
import multiprocessing
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor

import pyarrow.parquet  # noqa: F401

from vesica import scale
from vesica.scale import agreement, detection, engines, kept, segmentation  # noqa: F401


def main():
    # A line in one go, also with PYTHONUNBUFFERED: who is killed before its end would spoil the line after it.
    sys.stdout.reconfigure(write_through=False)
    for line in sys.stdin:
        child = os.fork()
        if not child:
            os.setsid()
            print(os.getpid(), flush=True)
            run(*json.loads(line))
            os._exit(0)
        os.waitpid(child, 0)
        print("ended", flush=True)


def run(folder, checkpoint, engine, memory, task):
    kept.SECONDS = 0.0  # every part is written at once
    engines.Processes._opened = forked
    options = {"engine": engine, "workers": 2, "checkpoint": checkpoint}
    if memory != "-":
        options["memory"] = memory

    def slowly(done, *_):
        print(done, flush=True)
        time.sleep(0.03)

    paths = (f"{folder}/truth", f"{folder}/guess") if task == "evaluate_segmentation" else (folder,)
    getattr(scale, task)(*paths, progress=slowly, **options)
    print("finished", flush=True)


def forked(_, workers):
    """Workers with all that is imported here; no thread runs yet that could hold a lock."""
    return ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("fork"))


if __name__ == "__main__":
    main()
