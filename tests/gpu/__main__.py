"""The device suite, for a machine with a CUDA device: `make test-gpu`, or `python tests/gpu measures` for one part.

It needs torch, triton and vesica alone.
"""

from __future__ import annotations

import importlib
import inspect
import sys
import time
import traceback

PARTS = (
    "division",
    "measures",
    "gradients",
    "contingency",
    "selection",
    "matching",
    "losses",
    "rotated",
    "masks",
    "calls",
    "compile",
)


def main() -> int:
    import torch

    print(torch.cuda.get_device_name(), "torch", torch.__version__, flush=True)
    failed = passed = 0
    for part in sys.argv[1:] or PARTS:
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
