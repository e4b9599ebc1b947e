"""The machine and the versions: a ratio without them says nothing."""

from __future__ import annotations

import importlib.metadata
import os
import platform
from pathlib import Path

PACKAGES = (
    "vesica",
    "numpy",
    "pyarrow",
    "ray",
    "powerboxes",
    "torch",
    "torchvision",
    "cython_bbox",
    "shapely",
    "pycocotools",
    "hotcoco",
    "ultrafast-pycocotools",
    "faster-coco-eval",
    "vernier",
    "torchmetrics",
    "supervision",
    "tidecv",
    "ensemble-boxes",
    "scikit-learn",
    "opencv-python-headless",
    "pytorch-sparse-special",
    "SimpleITK",
    "crowd-kit",
    "krippendorff",
    "edt",
    "medpy",
    "monai",
    "surface-distance-based-measures",
)


def cores() -> int:
    """The processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def describe() -> dict[str, str]:
    facts = {
        "processor": f"{_processor()}, {cores()} cores in use, instruction set of our kernels: {_isa()}",
        "memory": _memory(),
        "system": platform.platform(),
        "Python": platform.python_version(),
    }
    facts |= {package: _version(package) for package in PACKAGES}
    if hasattr(os, "getloadavg"):
        facts["load before"] = f"{os.getloadavg()[0]:.2f}"
    return facts


def busy_seconds() -> float | None:
    """Seconds that the processors have worked since the start, for whomever; None where the system does not say."""
    told = Path("/proc/stat")
    if not told.exists():
        return None
    user, nice, system, _idle, _waiting, *interrupts_and_stolen = map(int, told.read_text().split()[1:9])
    return (user + nice + system + sum(interrupts_and_stolen)) / os.sysconf("SC_CLK_TCK")


def _processor() -> str:
    listed = Path("/proc/cpuinfo")
    if listed.exists():
        for line in listed.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _memory() -> str:
    try:
        return f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.1f} GiB"
    except (AttributeError, ValueError, OSError):
        return "unknown"


def _isa() -> str:
    from vesica._kernels import native

    return native.isa()


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"
