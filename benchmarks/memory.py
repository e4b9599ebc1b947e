"""Memory of this process: what it holds, and the most it ever held."""

from __future__ import annotations

import ctypes
import gc
import resource
import sys
from pathlib import Path

STATUS, RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def peak() -> int:
    """The most bytes that the process held since its start, or since `settle`.

    A process is born with the peak of its parent: whoever spawns cells must stay small, and hold no data.
    """
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def settle() -> int | None:
    """Give back what is free, and let the peak begin anew; the bytes held now. None where the system cannot do so.

    Without the first, a call could use what the making of its input left behind, and seem to need nothing.
    """
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc alone has it
    if trim:
        trim(0)
    try:
        RESET.write_text("5")
    except OSError:
        return None
    return _status("VmRSS")


def above(base: int | None) -> int | None:
    """Bytes that were held on top of `base`, at the worst moment since."""
    return None if base is None else max(0, _status("VmHWM") - base)


def _status(field: str) -> int:
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith(field))
    return int(line.split()[1]) * 1024
