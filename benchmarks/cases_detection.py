"""Cases for detection scores: pairs of files like val2017, and who reads them."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from benchmarks import val_like
from benchmarks.cell import ROOT
from benchmarks.peers_detection import Job

SHELF = ROOT / "build" / "bench-data"
"""Data, and answers that took long. Not in the repository; `make clean` takes it away."""

FAST = ("ultrafast", "hotcoco", "vernier")
SLOW = ("faster_coco_eval", "pycocotools")


@dataclass(frozen=True)
class FileCase:
    """Guesses to be scored against truths, by whom, and by whose answer."""

    name: str
    regions: str
    guess: str
    peers: tuple[str, ...]
    threads: tuple[int, ...] = (2,)
    truth: str = "truth"
    judge: str = "pycocotools"

    def job(self, threads: int) -> Job:
        truth, guess = map(str, self.paths())
        return Job(self.regions, truth, guess, threads)

    def paths(self) -> tuple[Path, Path]:
        return folder() / val_like.FILES[self.truth], folder() / val_like.FILES[self.guess]

    def columns(self, threads: int) -> Job:
        """The same values, without files of text."""
        truth, guess = (str(folder() / val_like.COLUMNS[name]) for name in (self.truth, self.guess))
        return Job(self.regions, truth, guess, threads)

    def count(self) -> int:
        """Guesses in the file."""
        return self.paths()[1].read_bytes().count(b'"score"')


@cache
def folder() -> Path:
    """Where the files are; they are made when they are asked for first, and anew when their maker changes."""
    source = Path(val_like.__file__).read_bytes()
    place = SHELF / f"val_like-{hashlib.sha256(source).hexdigest()[:12]}"
    if not place.exists():
        SHELF.mkdir(parents=True, exist_ok=True)
        unfinished = Path(tempfile.mkdtemp(dir=SHELF))
        try:
            val_like.write(unfinished)
            unfinished.rename(place)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
    return place


BOXES = (
    FileCase("boxes 50k", "box", "boxes 50k", FAST, threads=(1,)),
    FileCase("boxes 180k", "box", "boxes 180k", (*FAST, *SLOW, "torchmetrics"), threads=(1, 2)),
    FileCase("boxes 180k, full digits", "box", "boxes 180k, full digits", FAST, threads=(1, 2)),
    FileCase("boxes 500k", "box", "boxes 500k", (*FAST, *SLOW), threads=(1, 2)),
)
MASKS = (
    FileCase("masks 180k", "mask", "masks 180k", (*FAST, *SLOW)),
    FileCase("masks 180k, no bbox", "mask", "masks 180k, no bbox", (*FAST, *SLOW)),
)
# pycocotools has no boundaries. vernier says that it has the bytes of those who invented them. The small set asks the
# others, who need minutes for the large one.
BOUNDARIES = (
    FileCase("boundaries 180k", "boundary", "masks 180k", ("vernier",), judge="vernier"),
    FileCase(
        "boundaries 18k",
        "boundary",
        "masks 18k",
        ("vernier", "ultrafast", "faster_coco_eval"),
        truth="truth, few",
        judge="vernier",
    ),
)
