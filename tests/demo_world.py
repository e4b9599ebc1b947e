"""The files of `vesica demo`, drawn once in a run: test_demo.py makes and tests them, who comes later takes a copy."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from vesica.cli.demo import IMAGES
from vesica.demo import files


def _known(factory: pytest.TempPathFactory) -> Path:
    """Where it is written down which folder has them, for all workers of a run."""
    own = factory.getbasetemp()
    return (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "demo_world.txt"


def tell(factory: pytest.TempPathFactory, folder: Path) -> None:
    """This folder has all of them, and keeps them to the end of the run."""
    told = _known(factory).with_suffix(f".{os.getpid()}")
    told.write_text(str(folder), encoding="utf-8")
    told.rename(_known(factory))


def copied(factory: pytest.TempPathFactory, folder: Path) -> None:
    """What `files.write` draws, in a folder of one's own; by itself where nobody has made them yet."""
    if not _known(factory).exists():
        files.write(folder, range(IMAGES), IMAGES, 0)
        return
    made = Path(_known(factory).read_text(encoding="utf-8"))
    of_the_tour = shutil.ignore_patterns(files.MARK, files.REPORT, files.EXPORT_FIXED)
    shutil.copytree(made, folder, dirs_exist_ok=True, ignore=of_the_tour)
