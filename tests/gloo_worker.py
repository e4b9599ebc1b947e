"""Two processes that score together: gloo_worker.py FOLDER, as test_torchmetrics starts it; each writes RANK.json."""

import json
import os
import sys
from pathlib import Path

import torch

from metric_images import CATEGORIES, SHARES, images
from vesica.integrations.torchmetrics import DetectionMetric


def score(rank: int, folder: Path) -> None:
    torch.distributed.init_process_group("gloo", init_method=f"file://{folder / 'meeting'}", rank=rank, world_size=2)
    guesses, truths = images()
    answers = {}
    for name, shares in SHARES.items():
        metric = DetectionMetric(categories=CATEGORIES)
        for place in shares[rank]:
            metric.update([guesses[place]], [truths[place]])
        answers[name] = {key: value.item() for key, value in metric.compute().items()}
        answers[f"{name}, images"] = len(metric.result().records.images)
    torch.distributed.destroy_process_group()
    (folder / f"{rank}.json").write_text(json.dumps(answers))


if __name__ == "__main__":
    # A fork, so that torch is loaded once; nothing has used it yet, so it has no threads.
    child = os.fork()
    score(0 if child else 1, Path(sys.argv[1]))
    if child:
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
