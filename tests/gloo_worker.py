"""One of two processes that score together: gloo_worker.py RANK MEETING OUTPUT, as test_torchmetrics starts it."""

import json
import sys

import torch

from metric_images import CATEGORIES, SHARES, images
from vesica.integrations.torchmetrics import DetectionMetric


def main(rank: int, meeting: str, output: str) -> None:
    torch.distributed.init_process_group("gloo", init_method=f"file://{meeting}", rank=rank, world_size=2)
    guesses, truths = images()
    answers = {}
    for name, shares in SHARES.items():
        metric = DetectionMetric(categories=CATEGORIES)
        for place in shares[rank]:
            metric.update([guesses[place]], [truths[place]])
        answers[name] = {key: value.item() for key, value in metric.compute().items()}
        answers[f"{name}, images"] = len(metric.result().records.images)
    torch.distributed.destroy_process_group()
    with open(output, "w") as file:
        json.dump(answers, file)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], sys.argv[3])
