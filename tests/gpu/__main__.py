"""The device suite, for a machine with a CUDA device: `make test-gpu`, or `python tests/gpu measures` for one part.

It needs torch, triton and vesica alone. Most of its time goes into compiling kernels, so each part is a process, and as
many of them run side by side as the host has processors and the device has memory for.
"""

from __future__ import annotations

import importlib
import inspect
import os
import subprocess
import sys
import time
import traceback
from concurrent.futures import ThreadPoolExecutor

PARTS = (
    "compile",
    "division",
    "measures",
    "gradients",
    "losses",
    "selection",
    "contingency",
    "matching",
    "rotated",
    "masks",
    "calls",
)
"""Those that take longest begin first."""
GIGABYTES = 8
"""What a part may take of the device."""


def main() -> int:
    import torch

    parts = sys.argv[1:] or PARTS
    print(torch.cuda.get_device_name(), "torch", torch.__version__, flush=True)
    if len(parts) == 1:
        return checked(parts[0])
    free, _ = torch.cuda.mem_get_info()
    workers = max(1, min(len(parts), (os.cpu_count() or 1) // 2, (free >> 30) // GIGABYTES))
    with ThreadPoolExecutor(workers) as pool:
        failed = [part for part, rc in zip(parts, pool.map(in_a_process, parts), strict=True) if rc]
    print(f"{len(parts) - len(failed)} parts passed, {len(failed)} failed", *failed)
    return 1 if failed else 0


def in_a_process(part: str) -> int:
    done = subprocess.run([sys.executable, __file__, part], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(f"-- {part}", done.stdout, sep="\n", end="", flush=True)
    return done.returncode


def checked(part: str) -> int:
    import torch

    failed = passed = 0
    module = importlib.import_module(f"{part}_checks")
    for name, check in inspect.getmembers(module, inspect.isfunction):
        if not name.startswith("check_"):
            continue
        begin = time.perf_counter()
        try:
            check()
            torch.cuda.synchronize()
            word, passed = "ok", passed + 1
        except Exception:
            traceback.print_exc(file=sys.stdout)
            word, failed = "FAILED", failed + 1
        print(f"{word} {part} {name.removeprefix('check_')} {time.perf_counter() - begin:.1f} s", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
