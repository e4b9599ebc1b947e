"""VOC scores: published numbers of a small set, tables by hand, and the rules told once more in plain loops."""

from pathlib import Path

import numpy as np
import pytest

import vesica
from vesica.dataset import Categories, Dataset, Images

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "voc" / "case7"


def data(rows, images, names=("a",)):
    """Rows of image, category, x1, y1, x2, y2 (pixels, both ends included) and, by key, difficult or score."""
    boxes = np.array([row["box"] for row in rows], np.float64).reshape(-1, 4)
    xywh = np.concatenate([boxes[:, :2], boxes[:, 2:] - boxes[:, :2] + 1], axis=1)
    is_guess = bool(rows) and "score" in rows[0]
    ignore = None if is_guess else np.array([row.get("difficult", False) for row in rows], bool)
    return Dataset(
        Images(np.arange(images)),
        Categories(np.arange(len(names)), np.array(names, object)),
        np.array([row["image"] for row in rows], np.int64),
        np.array([row.get("category", 0) for row in rows], np.int64),
        xywh,
        score=np.array([row["score"] for row in rows], np.float64) if is_guess else None,
        ignore=ignore,
    )


# ---- The rules once more


def overlap(a, b):
    """Pixels that two boxes share, over those of either; an end belongs to its box."""
    width, height = (min(a[k + 2], b[k + 2]) - max(a[k], b[k]) + 1 for k in (0, 1))
    if width <= 0 or height <= 0:
        return 0.0
    area_a, area_b = ((box[2] - box[0] + 1) * (box[3] - box[1] + 1) for box in (a, b))
    return width * height / (area_a + area_b - width * height)


def points(truths, guesses, threshold, strict):
    """Is each guess, best first, right? None where it does not count. Equal ones come by image, as records do."""
    taken, found = set(), []
    for guess in sorted(guesses, key=lambda row: (-row["score"], row["image"])):
        here = [k for k, row in enumerate(truths) if row["image"] == guess["image"]]
        best, held = -1.0, None
        for k in here:  # of equals the first, taken or not
            value = overlap(guess["box"], truths[k]["box"])
            if value > best:
                best, held = value, k
        if held is None or best < threshold or (strict and best == threshold):
            found.append(False)
        elif truths[held].get("difficult"):
            found.append(None)
        else:
            found.append(held not in taken)
            taken.add(held)
    return found


def average_precision(truths, guesses, threshold, *, strict, eleven):
    positives = sum(not row.get("difficult") for row in truths)
    if not positives:
        return None
    right = np.cumsum([hit for hit in points(truths, guesses, threshold, strict) if hit is not None])
    precision, recall = right / np.arange(1, len(right) + 1), right / positives
    if eleven:
        best = [precision[recall >= t].max(initial=0.0) for t in np.arange(0.0, 1.1, 0.1)]
        return sum(best) / 11
    recall, precision = np.concatenate([[0.0], recall, [1.0]]), np.concatenate([[0.0], precision, [0.0]])
    for k in range(len(precision) - 1, 0, -1):
        precision[k - 1] = max(precision[k - 1], precision[k])
    steps = np.flatnonzero(recall[1:] != recall[:-1])
    return float(np.sum((recall[steps + 1] - recall[steps]) * precision[steps + 1]))


def scene(seed):
    """Small whole boxes, many of them equal; one class without truths, one with difficult ones alone."""
    rng = np.random.default_rng(seed)
    images = int(rng.integers(1, 6))

    def box():
        x, y, w, h = (int(v) for v in rng.integers(1, 9, 4))
        return [x, y, x + w, y + h]

    def rows(count):
        places = rng.integers((images, 4), size=(count, 2)).tolist()
        return [{"image": image, "category": category, "box": box()} for image, category in places]

    truths = [row for row in rows(int(rng.integers(0, 25))) if row["category"] != 2]
    for row in truths:
        row["difficult"] = bool(rng.random() < 0.3) or row["category"] == 3
    guesses = rows(int(rng.integers(1, 60)))
    for row in guesses:
        row["score"] = float(rng.choice([0.2, 0.5, 0.5, 0.9, rng.random()]))
        near = [one for one in truths if rng.random() < 0.2]
        if near and rng.random() < 0.7:
            row.update({key: near[0][key] for key in ("image", "category")})
            row["box"] = [v + int(rng.integers(-1, 2)) * (rng.random() < 0.3) for v in near[0]["box"]]
    return truths, guesses, images


PROTOCOLS = {
    "voc": {"strict": True, "eleven": False},
    "voc12": {"strict": True, "eleven": False},
    "voc07": {"strict": True, "eleven": True},
    "voc-devkit": {"strict": False, "eleven": False},
}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_twin(protocol):
    """Every class and the mean; on jobs in which each rule matters."""
    for seed in range(150):
        truths, guesses, images = scene(seed)
        names = ("a", "b", "c", "d")
        for threshold in (0.5, 0.3):
            want = [
                average_precision(
                    *([row for row in rows if row["category"] == k] for rows in (truths, guesses)),
                    threshold,
                    **PROTOCOLS[protocol],
                )
                for k in range(4)
            ]
            result = vesica.evaluate(
                data(truths, images, names), data(guesses, images, names), protocol=protocol, iou=threshold
            )
            have = [row["AP"] for row in result.per_class()]
            for ours, theirs in zip(have, want, strict=True):
                assert (ours is None) == (theirs is None)
                assert theirs is None or ours == pytest.approx(theirs, abs=1e-15)
            there = [value for value in want if value is not None]
            assert result["mAP"] == pytest.approx(np.mean(there) if there else np.nan, abs=1e-15, nan_ok=True)


def test_scenes_have_what_they_need():
    met = {"difficult": 0, "equal to the threshold": 0, "taken": 0, "ties": 0, "leading on difficult": 0}
    for seed in range(150):
        truths, guesses, _ = scene(seed)
        for k in range(4):
            mine, theirs = ([row for row in rows if row["category"] == k] for rows in (truths, guesses))
            loose, tight = (points(mine, theirs, 0.5, strict) for strict in (False, True))
            met["difficult"] += None in tight
            met["equal to the threshold"] += loose != tight
            met["taken"] += False in points(mine, theirs, 1e-9, False)
            met["ties"] += len({row["score"] for row in theirs}) < len(theirs)
            met["leading on difficult"] += bool(tight) and tight[0] is None and True in tight
    assert min(met.values()) > 5, met


# ---- By hand


TRUTH = {"image": 0, "box": [1, 1, 10, 10]}
DIFFICULT = {"image": 0, "box": [1, 1, 10, 10], "difficult": True}
EASY = {"image": 0, "box": [21, 21, 30, 30]}


def guess(box, score=0.9):
    return {"image": 0, "box": box, "score": score}


@pytest.mark.parametrize(
    "truths, guesses, protocol, want",
    [
        pytest.param([TRUTH], [guess([1, 1, 10, 10])], "voc", (1, 0, 0), id="found"),
        pytest.param([TRUTH], [guess([1, 1, 10, 5])], "voc", (0, 1, 1), id="half of it is not enough"),
        pytest.param([TRUTH], [guess([1, 1, 10, 5])], "voc-devkit", (1, 0, 0), id="half of it is enough"),
        pytest.param([TRUTH], [guess([1, 1, 10, 10]), guess([1, 1, 10, 10], 0.8)], "voc", (1, 1, 0), id="twice"),
        pytest.param([DIFFICULT, EASY], [guess([1, 1, 10, 10])], "voc", (0, 0, 1), id="difficult"),
        pytest.param(
            [DIFFICULT, EASY],
            [guess([1, 1, 10, 10]), guess([1, 1, 10, 10], 0.8)],
            "voc",
            (0, 0, 1),
            id="difficult twice",
        ),
        pytest.param(
            [{**TRUTH, "box": [1, 1, 10, 9]}, DIFFICULT],
            [guess([1, 1, 10, 10])],
            "voc",
            (0, 0, 1),
            id="the best is difficult, the second is not",
        ),
        pytest.param(
            [TRUTH, {**TRUTH, "box": [1, 1, 10, 9]}],
            [guess([1, 1, 10, 10]), guess([1, 1, 10, 10], 0.8)],
            "voc",
            (1, 1, 1),
            id="the best is taken, the second is free",
        ),
        pytest.param([TRUTH, DIFFICULT], [guess([1, 1, 10, 10])], "voc", (1, 0, 0), id="of equals the first counts"),
        pytest.param([DIFFICULT, TRUTH], [guess([1, 1, 10, 10])], "voc", (0, 0, 1), id="of equals the first does not"),
        pytest.param([DIFFICULT], [], "voc", (0, 0, 0), id="nothing to be found"),
    ],
)
def test_by_hand(truths, guesses, protocol, want):
    side = data(guesses, 1) if guesses else data([guess([1, 1, 2, 2])], 1).rows([])
    counts = vesica.evaluate(data(truths, 1), side, protocol=protocol).counts()
    assert tuple(int(column[0]) for column in counts) == want


def test_leading_guess_on_difficult():
    """0/0 is no precision: it is left out, where the usual port says NaN."""
    result = vesica.evaluate(
        data([DIFFICULT, EASY], 1), data([guess([1, 1, 10, 10]), guess(EASY["box"], 0.5)], 1), protocol="voc07"
    )
    assert result["mAP"] == pytest.approx(1.0)


def test_eleven_and_all_points():
    """Two of three found, one wrong between them: precisions 1, 1/2, 2/3 at recalls 1/3, 1/3, 2/3."""
    truths = [{"image": 0, "box": [k, 1, k + 9, 10]} for k in (1, 21, 41)]
    guesses = [guess(truths[0]["box"], 0.9), guess([61, 61, 70, 70], 0.8), guess(truths[1]["box"], 0.7)]
    sides = data(truths, 1), data(guesses, 1)
    assert vesica.evaluate(*sides, protocol="voc")["mAP"] == pytest.approx(1 / 3 + 2 / 9)
    assert vesica.evaluate(*sides, protocol="voc07")["mAP"] == pytest.approx((4 * 1 + 3 * 2 / 3) / 11)


# ---- Published


def case7(name):
    """Lines of class, score (of guesses), x, y, width, height; that tool includes the pixel at x + width."""
    rows = []
    for image, path in enumerate(sorted((DATA / name).glob("*.txt"))):
        for line in path.read_text().splitlines():
            *score, x, y, w, h = (float(word) for word in line.split()[1:])
            rows.append({"image": image, "box": [x, y, x + w, y + h], **({"score": score[0]} if score else {})})
    return data(rows, 7)


@pytest.mark.skipif(not DATA.is_dir(), reason="the folder shared/data lies not beside the repository")
@pytest.mark.parametrize(
    "protocol, want",
    [
        ("voc07", [0.3333333333, 0.2683982683, 0.0303030303, 0]),
        ("voc-devkit", [0.3371980676, 0.2456866804, 0.0222222222, 0]),
    ],
)
def test_published(protocol, want):
    """A tool of others, with numbers of its own authors, cut after ten digits. An iou that reaches the threshold is
    enough."""
    iou = [0.1, 0.3, 0.5, 0.75]
    result = vesica.evaluate(case7("gts"), case7("dets"), protocol=protocol, iou=iou, strict=False)
    assert list(result.summary) == ["mAP10", "mAP30", "mAP50", "mAP75"]
    assert result.stats == pytest.approx(want, abs=1e-10)
