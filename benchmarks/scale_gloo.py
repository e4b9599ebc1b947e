"""The same gathering with a network: two processes and gloo, on this machine.

`python -m benchmarks.scale_gloo WAY RANK MEETING IMAGES`; rank 0 prints what it took, and its numbers.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.cell import ROOT, environment
from benchmarks.lap import Failure

WORLD = 2


def ask(way: str, images: int) -> dict[str, Any]:
    """Both processes, and what the first found."""
    with tempfile.TemporaryDirectory() as place:
        command = [sys.executable, "-m", "benchmarks.scale_gloo", way]
        both = [
            subprocess.Popen(
                [*command, str(rank), str(Path(place, "meeting")), str(images)],
                cwd=ROOT, env=environment(1), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            )
            for rank in range(WORLD)
        ]  # fmt: skip
        told = [one.communicate() for one in both]
    if any(one.returncode for one in both):
        raise Failure(next(error for _, error in told if error).strip().splitlines()[-1])
    found: dict[str, Any] = json.loads(told[0][0].splitlines()[-1])
    return found


def main(way: str, rank: int, meeting: str, images: int) -> None:
    import torch.distributed as dist

    from benchmarks.scale_data import sides
    from benchmarks.scale_ranks import MEAN, WAYS

    chosen = WAYS[way]
    known = chosen.known([sides(k, MEAN, images=images) for k in range(WORLD)]) if rank == 0 else None
    sent = chosen.send(chosen.given(sides(rank, MEAN, images=images)))
    dist.init_process_group("gloo", init_method=f"file://{meeting}", rank=rank, world_size=WORLD)
    dist.barrier()

    start = time.perf_counter()
    if way == "torchmetrics":
        sent.sync()
        gathered = time.perf_counter()
        found = sent.compute()
    else:
        received: list[Any] | None = [None] * WORLD if rank == 0 else None
        dist.gather_object(sent, received)
        gathered = time.perf_counter()
        found = chosen.score(received, known) if received else None
    scored = time.perf_counter()
    dist.barrier()
    dist.destroy_process_group()
    if rank == 0:
        if way == "torchmetrics":
            from benchmarks.peers_detection import TORCHMETRICS_NAMES

            found = [float(found[name]) for name in TORCHMETRICS_NAMES]
        print(json.dumps({"gather": gathered - start, "score": scored - gathered, "numbers": found}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4]))
