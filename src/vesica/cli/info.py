"""`vesica info`: which backend serves what, and why not a faster one."""

from __future__ import annotations

import argparse
from importlib import metadata
from typing import Any

from vesica.cli import streams
from vesica.cli.epilogs import epilog

_EPILOG = epilog(
    """
  vesica info
  vesica info --json
""",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG


def run(arguments: argparse.Namespace) -> int:
    facts = _facts()
    if arguments.json:
        streams.answer(facts)
    else:
        _show(facts)
    return 0


def _facts() -> dict[str, Any]:
    import platform

    from vesica import __version__
    from vesica._kernels import native
    from vesica._kernels.registry import cases

    libraries = {name: _version(name) for name in ("numpy", "array-api-compat", "torch", "triton", "jax", "cupy")}
    return {
        "vesica": __version__,
        "python": platform.python_version(),
        "machine": f"{platform.machine()} {platform.system()}",
        "instructions": native.isa(),
        "threads": native.default_threads(),
        "libraries": libraries,
        "devices": (devices := _devices(libraries["torch"])),
        "cuda": _cuda(libraries, devices),
        "backends": [case._asdict() for case in cases()],
    }


def _devices(torch_version: str | None) -> list[str]:
    """The CUDA devices that torch sees. None where it cannot be loaded: others say so when they need it."""
    if torch_version is None or torch_version.endswith("+cpu"):  # built without CUDA, and seconds to import
        return []
    try:
        import torch

        return [torch.cuda.get_device_name(number) for number in range(torch.cuda.device_count())]
    except (ImportError, OSError, RuntimeError):
        return []


def _cuda(libraries: dict[str, str | None], devices: list[str]) -> str:
    """Which kernels serve CUDA tensors, and where there are none, why."""
    from vesica._kernels.registry import registered

    verbs = sorted({kernel.verb for kernel in registered() if kernel.backend == "triton"})
    if not libraries["torch"]:
        return "none, because torch is not installed"
    if not verbs:
        return "none, because triton is not installed: torch does the arithmetic"
    ready = "" if devices else "; not in use, because torch sees no CUDA device"
    return f"Triton, for {', '.join(verbs)}{ready}"


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _show(facts: dict[str, Any]) -> None:
    from rich.table import Table

    from vesica.cli import look

    console = look.console()
    console.print(f"vesica {facts['vesica']} on Python {facts['python']}, {facts['machine']}")
    console.print(
        f"native kernels: {facts['instructions']} instructions (VESICA_ISA), "
        f"{facts['threads']} threads (VESICA_NUM_THREADS)"
    )
    there = (f"{name} {version or 'not installed'}" for name, version in facts["libraries"].items())
    console.print("libraries: " + ", ".join(there), soft_wrap=True)
    console.print("CUDA devices: " + (", ".join(facts["devices"]) or "none that torch sees"), soft_wrap=True)
    console.print("kernels for CUDA: " + facts["cuda"], soft_wrap=True)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("input", "for", "served by", "why"):
        table.add_column(column, overflow="fold")
    for case in facts["backends"]:
        table.add_row(case["arrays"], ", ".join(case["verbs"]), case["backend"], case["why"])
    console.print()
    console.print(table)
