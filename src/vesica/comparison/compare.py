"""compare: the models of one truth, or results of the same images, against the first of them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from vesica import _check as check_arguments
from vesica._array import objects
from vesica._check import comparison as check
from vesica._check import names as check_names
from vesica._check import statistics as check_statistics
from vesica.comparison.comparison import Comparison, compare_results
from vesica.comparison.tasks import TASKS, Task, task_of
from vesica.detection.result import DetectionResult
from vesica.results.resampling import Resampling
from vesica.results.result import Result


def compare(
    truth: Any,
    /,
    *models: Any,
    task: str | None = None,
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
    truth : as `evaluate` takes it, or label maps as `evaluate_segmentation` takes them
        Or a result: then all that is given are results, of one kind and of the same images, made by `evaluate`,
        `evaluate_segmentation`, `evaluate_agreement` or their like.
    models : guesses of two models or more, as that function takes them; or one dict of name → guesses
        The first is what the others are compared with.
    task : {"detection", "segmentation", "surfaces", "panoptic", "agreement"}, optional
        What they are scored by. By default label maps by `evaluate_segmentation`, and all else by `evaluate`.
        "surfaces" is `evaluate_surfaces`, "panoptic" `evaluate_panoptic`. "agreement" is of data sets or files without
        scores: how far each agrees with the truth, as two annotators do.
    names : one for each model, optional
        By default the names of files, or a, b, c.
    level : float, default 0.95
        Of the intervals.
    replicates, seed : int
        How often images are drawn again, and by which numbers.
    by : "image", the name of a column, as in `interval` of a result, or dict of image → group
        What is drawn again: images of one patient or one video are not independent.
    **options
        Those of `evaluate`, or of the function of the task.

    Examples
    --------
    >>> import numpy as np, vesica
    >>> boxes, image = [[0, 0, 10, 10], [20, 20, 40, 40], [5, 5, 9, 9]], [1, 2, 3]
    >>> truth = vesica.Dataset.from_arrays(boxes, image=image, category=["cat"] * 3)
    >>> guess = vesica.Dataset.from_arrays(boxes, image=image, category=["cat"] * 3, score=[0.9, 0.8, 0.7])
    >>> comparison = vesica.compare(truth, guess, guess, names=["yesterday", "today"])
    >>> comparison["AP"], comparison.table()["p"].tolist()[0]
    (0.0, 1.0)

    Label maps, of which the second model has more right:

    >>> maps = np.random.default_rng(0).integers(0, 3, (20, 8, 8))
    >>> worse, better = (np.where(np.random.default_rng(1).random(maps.shape) < share, maps, 0) for share in (0.7, 0.8))
    >>> print(vesica.compare(maps, {"old": worse, "new": better}).table().head(1))
    number   base  value  difference     lo     hi      p
    mIoU    0.649  0.747       0.098  0.085  0.110  0.001
    """
    count = check_statistics.replicates(replicates)
    if check.all_results((truth, *models), Result):
        check.no_options(options if task is None else {"task": task})
        results = [truth, *models]
        how = Resampling(count, check_statistics.seed(seed), groups_of(results[0], by))
        return compare_results(results, names=names or named(results), level=level, resampling=how)
    if len(models) == 1 and isinstance(models[0], Mapping):
        names, models = names or list(models[0]), tuple(models[0].values())
    check.some_models(models)
    truth = list(truth) if isinstance(truth, Iterator) else truth  # which every model is scored against
    asked = TASKS[task_of(truth) if task is None else check_arguments.one_of(task, TASKS, "task")]

    results = _scored(asked, truth, models, options)

    how = Resampling(count, check_statistics.seed(seed), groups_of(results[0], by))
    return compare_results(results, names=names or named(models), level=level, resampling=how)


def _scored(task: Task, truth: Any, models: Sequence[Any], options: Mapping[str, Any]) -> list[Result]:
    """The results of all; an option that is not there is told of with those that are."""
    try:
        return task.score(truth, models, **options)
    except TypeError as error:
        told = check_names.retold(error, compare, task.habits, "compare", options, task.function)
        if told is None:
            raise
        raise told from None


def groups_of(result: Any, by: Any, /) -> Mapping[Any, Any] | None:
    """What images are drawn with."""
    if isinstance(result, DetectionResult):
        return result.groups_by(by)
    if isinstance(by, str):
        return None if by == "image" else check.column(by, _columns_of(result))
    return check.groups(by)


def _columns_of(result: Any) -> dict[str, dict[Any, Any]]:
    """What is known of images beside their ids: by the name of a column, the value of each image."""
    from vesica.agreement.result import AgreementResult
    from vesica.segmentation.result import SegmentationResult
    from vesica.segmentation.surface_result import SurfaceResult

    ids, columns = np.empty(0), dict[str, Any]()
    if isinstance(result, SegmentationResult):
        ids, columns = result.counts.ids, {"group": result.counts.groups}
    elif isinstance(result, SurfaceResult):
        ids, columns = objects(result.images), {"group": None if result.groups is None else objects(result.groups)}
    elif isinstance(result, AgreementResult):
        ids, columns = result.records.images, {"group": result.records.group, "batch": result.records.batch}
    known = {name: column.tolist() for name, column in columns.items() if column is not None}
    return {name: dict(zip(ids.tolist(), column, strict=True)) for name, column in known.items()}


def named(models: Sequence[Any], /) -> list[str]:
    """What models are called: by what tells their files apart, else a, b, c."""
    paths = [os.fspath(one) for one in models if isinstance(one, (str, os.PathLike))]
    if len(paths) == len(models) == len(set(paths)):
        from vesica.io.annotators import names_of

        return list(names_of(paths))
    return [chr(ord("a") + place) if place < 26 else f"model {place + 1}" for place in range(len(models))]
