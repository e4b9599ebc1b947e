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

    from benchmarks.scale_ranks import WAYS, sides_of

    chosen = WAYS[way]
    known = chosen.known([sides_of(k, WORLD, images) for k in range(WORLD)]) if rank == 0 else None
    sent = chosen.send(chosen.given(sides_of(rank, WORLD, images)))
    dist.init_process_group("gloo", init_method=f"file://{meeting}", rank=rank, world_size=WORLD)
    dist.barrier()

    gather, score, numbers = (_synced if way == "torchmetrics" else _gathered)(sent, rank, chosen.score, known)
    dist.barrier()
    dist.destroy_process_group()
    if rank == 0:
        print(json.dumps({"gather": gather, "score": score, "numbers": numbers}))


def _gathered(sent: Any, rank: int, score: Any, known: Any) -> tuple[float, float, Any]:
    """Bytes to rank 0, which scores them."""
    import torch.distributed as dist

    start = time.perf_counter()
    received: list[Any] | None = [None] * WORLD if rank == 0 else None
    dist.gather_object(sent, received)
    gathered = time.perf_counter()
    numbers = score(received, known) if received else None
    return gathered - start, time.perf_counter() - gathered, numbers


def _synced(metric: Any, *_others: Any) -> tuple[float, float, Any]:
    """A metric gathers by itself, and computes on every rank; what it spends in gathering is told apart."""
    from torchmetrics.utilities.distributed import gather_all_tensors

    from benchmarks.peers_detection import TORCHMETRICS_NAMES

    spent = 0.0

    def gather(tensor: Any, group: Any = None) -> Any:
        nonlocal spent
        start = time.perf_counter()
        found = gather_all_tensors(tensor, group)
        spent += time.perf_counter() - start
        return found

    metric.dist_sync_fn = gather
    start = time.perf_counter()
    found = metric.compute()
    taken = time.perf_counter() - start
    return spent, taken - spent, [float(found[name]) for name in TORCHMETRICS_NAMES]


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4]))
