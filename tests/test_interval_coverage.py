"""How often intervals of detection scores hold the truth: worlds whose scores are known from many more images."""

import functools

import numpy as np
import pytest

import vesica

NAMES = ("AP", "AP50", "AP75", "AR1", "AR100", "f1")


def world(seed, images, kinds=2):
    """Objects of images that are easy or hard: found or not, with boxes that are more or less off; and made-up ones."""
    rng = np.random.default_rng(seed)
    image = np.repeat(np.arange(images), rng.poisson(3, images))
    ease = rng.beta(4, 2, images)[image]
    category = rng.integers(0, kinds, len(image))
    low, size = rng.uniform(0, 400, (len(image), 2)), rng.uniform(20, 120, (len(image), 2))
    boxes = np.hstack([low, low + size])
    moved = boxes + rng.normal(0, 0.22, boxes.shape) * (1.1 - ease)[:, None] * np.tile(size, 2)
    moved[:, 2:] = np.maximum(moved[:, 2:], moved[:, :2] + 1)
    score = np.clip(0.6 * ease + rng.normal(0.2, 0.15, len(image)), 0.01, 0.99)
    found = rng.random(len(image)) < 0.4 + 0.5 * ease
    nowhere = np.repeat(np.arange(images), rng.poisson(2, images))
    corner = rng.uniform(0, 400, (len(nowhere), 2))
    made_up = np.hstack([corner, corner + rng.uniform(20, 120, corner.shape)])
    truth = vesica.Dataset.from_arrays(boxes, image=image, category=category, images=list(range(images)))
    guess = vesica.Dataset.from_arrays(
        np.concatenate([moved[found], made_up]),
        image=np.concatenate([image[found], nowhere]),
        category=np.concatenate([category[found], rng.integers(0, kinds, len(nowhere))]),
        score=np.concatenate([score[found], np.clip(rng.beta(2, 4, len(nowhere)), 0.01, 0.99)]),
    )
    return vesica.evaluate(truth, guess)


@functools.cache
def truths(kinds=2):
    """What the scores are of very many images."""
    result = world(1 << 30, 40_000, kinds)
    return dict(result.summary) | {"f1": float(result.counts().total().f1)}


def coverage(runs, images, *methods, kinds=2, replicates=200):
    """For each method, by number the share of worlds whose interval holds the truth."""
    want, held = truths(kinds), [dict.fromkeys(NAMES, 0) for _ in methods]
    for seed in range(runs):
        result = world(seed, images, kinds)
        for method, counts in zip(methods, held, strict=True):
            found = result.interval(replicates=replicates, seed=seed, method=method)
            for name in NAMES:
                counts[name] += found[name].lo <= want[name] <= found[name].hi
    return [{name: count / runs for name, count in counts.items()} for counts in held]


class TestCoverage:
    def test_a_few(self):
        (found,) = coverage(30, 100, "corrected")
        assert min(found.values()) >= 0.8

    @pytest.mark.slow
    def test_many(self):
        """95 % intervals hold 93 to 97 % of the truths."""
        (found,) = coverage(400, 300, "corrected")
        assert all(0.93 <= share <= 0.97 for share in found.values()), found

    @pytest.mark.slow
    def test_many_categories(self):
        """Of few objects each, average precision is too high, and percentiles as they are too high twice."""
        plain, corrected = coverage(100, 200, "percentile", "corrected", kinds=20)
        assert corrected["AP"] > plain["AP"] + 0.05 and corrected["AP"] > 0.85, (plain, corrected)
