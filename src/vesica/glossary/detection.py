"""Numbers of a detector: what `vesica eval`, `merge` and `compare` tell."""

from __future__ import annotations

from vesica.glossary.term import Term

_PAGE = "scores.md"
_SIZES = (
    ("s", "small", "below 32² pixels"),
    ("m", "medium", "from 32² to 96² pixels"),
    ("l", "large", "from 96² pixels on"),
)
_FREQUENCIES = (("r", "rare", "1 to 10"), ("c", "common", "11 to 100"), ("f", "frequent", "more than 100"))
_AP_EXAMPLE = (
    "Two truths; guesses, best first: right, wrong, right. Precision is 1 up to a recall of 0.5, and 2/3 up to 1. "
    "Of the 101 recalls 51 have precision 1 and 50 have 2/3: AP = (51 + 50 · 2/3) / 101 = 0.835."
)


def at_threshold(percent: str) -> Term:
    """AP at one threshold: AP50, AP75, AP60, …"""
    share = f"{int(percent) / 100:g}"
    return Term(
        f"AP{percent}",
        f"average precision at an IoU of {share}",
        f"The same as AP, with one threshold instead of ten: a guess is right if it shares at least {share} of the "
        "union with a truth of its class that no better guess has found. "
        + (
            "It asks whether things are found, and little about how well they are outlined. VOC's number is a relative "
            "of it."
            if int(percent) <= 50
            else "It asks for boxes that fit well."
        ),
        f"AP with the IoU threshold {share}",
        _AP_EXAMPLE,
        _PAGE,
    )


def at_limit(limit: str) -> Term:
    """AR with a limit of guesses: AR1, AR10, AR100, …"""
    noun = "the best guess" if limit == "1" else f"the {limit} best guesses"
    return Term(
        f"AR{limit}",
        f"average recall with {noun} of each image and class",
        f"The share of truths that are found, where only {noun} of each image and class take part: the mean over ten "
        "thresholds of IoU, 0.50 to 0.95, and over classes. Wrong guesses cost nothing here.",
        "mean over thresholds and classes of: truths found / truths",
        "Four truths; at the ten thresholds 3, 3, 3, 3, 2, 2, 2, 1, 1, 0 of them are found: AR = 20 / (10 · 4) = 0.5.",
        _PAGE,
    )


def _of_sizes() -> list[Term]:
    found = []
    for kind, title in (("AP", "average precision"), ("AR", "average recall")):
        for letter, word, range_ in _SIZES:
            found.append(
                Term(
                    f"{kind}{letter}",
                    f"{title} of {word} objects",
                    f"{kind} of truths whose area is {range_}; other truths neither count nor are wrong to find. The "
                    "area is that of the file (of COCO the mask's), not of the box. Without such truths there is no "
                    "number: –.",
                    f"{kind} of the area range {word!r}",
                    {
                        "s": "A box of 20 × 30 has an area of 600, below 1,024: small.",
                        "m": "A box of 40 × 60 has an area of 2,400, between 1,024 and 9,216: medium.",
                        "l": "A box of 120 × 90 has an area of 10,800, above 9,216: large.",
                    }[letter],
                    _PAGE,
                    (f"{kind}_{word}", f"{kind}{word}"),
                )
            )
    return found


def _of_frequencies() -> list[Term]:
    return [
        Term(
            f"AP{letter}",
            f"average precision of {word} categories",
            f"Of LVIS: the mean AP of the categories that are {word} in its training set, in {count} images of it.",
            f"mean AP of categories whose frequency is {letter!r}",
            "Three such categories with 0.2, 0.4 and 0.6: 0.4.",
            _PAGE,
        )
        for letter, word, count in _FREQUENCIES
    ]


TERMS = (
    Term(
        "AP",
        "average precision",
        "How well a detector finds and ranks objects, from 0 to 1. Guesses are taken by falling score; each takes the"
        " truth of its class that it overlaps best, if that reaches the threshold and is free. The precision at 101 "
        "recalls is averaged, then the ten thresholds of IoU from 0.50 to 0.95, then the classes. A class without "
        "truths is left out. With `--areas` and `--max-dets` the names follow the ranges and limits that you gave.",
        "mean over classes, thresholds 0.50:0.05:0.95 and recalls 0:0.01:1 of the best precision at that recall or "
        "above",
        _AP_EXAMPLE,
        _PAGE,
        ("mAP50-95", "mAP@[.5:.95]", "AP50:95", "map5095", "mAP50:95"),
    ),
    at_threshold("50"),
    at_threshold("75"),
    *_of_sizes(),
    *_of_frequencies(),
    at_limit("1"),
    at_limit("10"),
    at_limit("100"),
    Term(
        "AR",
        "average recall",
        "The share of truths that are found, as the mean over ten thresholds of IoU and over classes. Of LVIS one "
        "number, with up to 300 guesses an image; of COCO there is one for each limit of guesses: AR1, AR10, AR100.",
        "mean over thresholds and classes of: truths found / truths",
        "Four truths; at the ten thresholds 3, 3, 3, 3, 2, 2, 2, 1, 1, 0 of them are found: AR = 20 / (10 · 4) = 0.5.",
        _PAGE,
        ("mAR",),
    ),
    Term(
        "mAP",
        "mean average precision, as VOC has it",
        "The mean over classes of the area under the curve of precision and recall, at one threshold of IoU, 0.5. By "
        "all points of the curve (voc, voc12), or by eleven recalls (voc07). What other tools print as mAP may be "
        "this or COCO's AP: compare like with like.",
        "mean over classes of ∫ best precision at recall ≥ r dr",
        "Two truths; guesses, best first: right, wrong, right. 0.5 · 1 + 0.5 · 2/3 = 0.833.",
        _PAGE,
        ("mean average precision",),
    ),
    Term(
        "TP",
        "true positives",
        "What the guess says and the truth has: of detectors, guesses that found a truth; of segmentations, pixels "
        "that both sides give the class.",
        "",
        "Guesses: 5, of which 3 found a truth: TP 3, FP 2. Truths: 4, so one was missed: FN 1.",
        _PAGE,
        ("hits",),
    ),
    Term(
        "FP",
        "false positives",
        "What the guess says and the truth does not have: wrong guesses, or pixels that the guess alone gives the "
        "class.",
        "guesses − TP",
        "5 guesses, 3 of them right: FP 2.",
        _PAGE,
        ("false alarms",),
    ),
    Term(
        "FN",
        "false negatives",
        "What the truth has and the guess does not say: truths that were missed, or pixels that the truth alone gives"
        " the class.",
        "truths − TP",
        "4 truths, 3 of them found: FN 1.",
        _PAGE,
        ("misses",),
    ),
    Term(
        "TN",
        "true negatives",
        "What neither side has. Pixels have them: all that neither side gives the class. Boxes have none, since "
        "nobody can count the boxes that were rightly not drawn; so detectors have no accuracy.",
        "pixels − TP − FP − FN",
        "100 pixels, TP 30, FP 10, FN 5: TN 55.",
        "segmentation.md",
    ),
    Term(
        "precision",
        "the share of what is said that is right",
        "Of guesses, those that found a truth; of pixels that the guess gives a class, those that have it. High "
        "precision is easily bought by saying little.",
        "TP / (TP + FP)",
        "3 of 5 guesses are right: 0.6.",
        _PAGE,
        ("positive predictive value", "PPV"),
    ),
    Term(
        "recall",
        "the share of what is there that is found",
        "Of truths, those that were found; of pixels of a class, those that the guess gives it. High recall is easily"
        " bought by saying much.",
        "TP / (TP + FN)",
        "3 of 4 truths are found: 0.75.",
        _PAGE,
        ("sensitivity", "TPR"),
    ),
    Term(
        "f1",
        "precision and recall as one number",
        "Their harmonic mean, which is near the smaller of the two. Of pixels it is the same as Dice. Of detectors it"
        " depends on the score from which on guesses count (`--min-score`), and on the IoU. Of annotators: matched "
        "pairs of one label, counted whole, as a share of all that was drawn.",
        "2 TP / (2 TP + FP + FN)",
        "TP 3, FP 2, FN 1: 6 / 9 = 0.667.",
        _PAGE,
        ("F-score", "F-measure", "F1"),
    ),
)
