"""Images for metrics of other libraries: what a detector says of them, and what is there."""

import torch

CATEGORIES = [1, 2, 3]
# Which process has which image. A sampler that fills up has image 0 twice.
SHARES = {
    "even": (range(0, 12, 2), range(1, 12, 2)),
    "uneven": (range(0, 9), range(9, 12)),
    "one is empty": (range(0), range(12)),
    "the other is empty": (range(12), range(0)),
    "both are empty": (range(0), range(0)),
    "filled up": ([*range(0, 12, 2), 0], [*range(1, 12, 2)]),
    "on both": ([*range(0, 7)], [*range(6, 12)]),
}


def images(count=12, *, named=True, dtype=torch.float32):
    """Guesses and truths in the order of torchmetrics; some images have neither."""
    generator = torch.Generator().manual_seed(3)
    guesses, truths = [], []
    for number in range(count):
        many = number % 5
        corner = torch.randint(0, 60, (many, 2), generator=generator)
        side = torch.randint(4, 90, (many, 2), generator=generator)
        boxes = torch.cat([corner, corner + side], 1).to(dtype)
        labels = torch.randint(1, 4, (many,), generator=generator)
        moved = boxes + torch.randint(0, 6, (many, 1), generator=generator).to(dtype)
        scores = torch.randint(1, 50, (many,), generator=generator) / 64
        guesses.append({"boxes": moved, "labels": labels, "scores": scores})
        truths.append({"boxes": boxes, "labels": labels} | ({"image_id": torch.tensor([number])} if named else {}))
    return guesses, truths
