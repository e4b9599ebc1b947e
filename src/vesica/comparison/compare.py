"""compare: the models of one truth, or results of the same images, against the first of them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from vesica._check import comparison as check
from vesica._check import names as check_names
from vesica._check import statistics as check_statistics
from vesica.comparison.comparison import Comparison, compare_results
from vesica.detection.protocol import protocol_of
from vesica.detection.result import DetectionResult
from vesica.results.resampling import Resampling
from vesica.results.result import Result
from vesica.scoring import evaluate, read_truth

_OF_PROTOCOL = ("regions", "iou", "areas", "max_dets", "by_class", "strict", "quirks")


@check_names.explained("evaluate", also=evaluate)
def compare(
    truth: Any,
    /,
    *models: Any,
    names: Any = None,
    level: float = 0.95,
    replicates: int = 2000,
    seed: int = 0,
    by: Any = "image",
    **options: Any,
) -> Comparison:
    """Compare models in the same images: paired differences with intervals and p-values, and where they come from.

    Images are drawn again, the same for all models, so that a difference is told from chance even where each number
    alone is uncertain. Two equal models differ by exactly 0, with a p-value of 1.

    Parameters
    ----------
    truth : as `evaluate` takes it
        Or a result: then all that is given are results, of one kind and of the same images, made by `evaluate`,
        `evaluate_segmentation` or `evaluate_agreement`.
    models : guesses of two models or more, as `evaluate` takes them; or one dict of name → guesses
        The first is what the others are compared with.
    names : one for each model, optional
        By default the names of files, or a, b, c.
    level : float, default 0.95
        Of the intervals.
    replicates, seed : int
        How often images are drawn again, and by which numbers.
    by : "image", or dict of image → group; of detectors also the name of a column, as in `interval` of a result
        What is drawn again: images of one patient or one video are not independent.
    **options
        Those of `evaluate`.

    Examples
    --------
    >>> import vesica
    >>> boxes, image = [[0, 0, 10, 10], [20, 20, 40, 40], [5, 5, 9, 9]], [1, 2, 3]
    >>> truth = vesica.Dataset.from_arrays(boxes, image=image, category=["cat"] * 3)
    >>> guess = vesica.Dataset.from_arrays(boxes, image=image, category=["cat"] * 3, score=[0.9, 0.8, 0.7])
    >>> comparison = vesica.compare(truth, guess, guess, names=["yesterday", "today"])
    >>> comparison["AP"], comparison.table()["p"].tolist()[0]
    (0.0, 1.0)
    """
    count = check_statistics.replicates(replicates)
    if check.all_results((truth, *models), Result):
        check.no_options(options)
        results = [truth, *models]
        how = Resampling(count, check_statistics.seed(seed), groups_of(results[0], by))
        return compare_results(results, names=names or named(results), level=level, resampling=how)
    if len(models) == 1 and isinstance(models[0], Mapping):
        names, models = names or list(models[0]), tuple(models[0].values())
    check.some_models(models)
    protocol = protocol_of(
        options.get("protocol", "coco"), **{name: options[name] for name in _OF_PROTOCOL if name in options}
    )
    truth = read_truth(truth, protocol, options.get("threads"))

    results = [evaluate(truth, guess, **options) for guess in models]

    how = Resampling(count, check_statistics.seed(seed), groups_of(results[0], by))
    return compare_results(results, names=names or named(models), level=level, resampling=how)


def groups_of(result: Any, by: Any, /) -> Mapping[Any, Any] | None:
    """What images are drawn with."""
    if isinstance(result, DetectionResult):
        return result.groups_by(by)
    return None if by == "image" else check.groups(by)


def named(models: Sequence[Any], /) -> list[str]:
    """What models are called: by what tells their files apart, else a, b, c."""
    paths = [os.fspath(one) for one in models if isinstance(one, (str, os.PathLike))]
    if len(paths) == len(models) == len(set(paths)):
        from vesica.io.annotators import names_of

        return list(names_of(paths))
    return [chr(ord("a") + place) if place < 26 else f"model {place + 1}" for place in range(len(models))]
