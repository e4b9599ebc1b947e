"""Numbers of a segmentation: what `vesica seg` tells of pixels."""

from __future__ import annotations

from vesica.glossary.term import Term

_PAGE = "segmentation.md"

TERMS = (
    Term(
        "mIoU",
        "mean IoU over classes",
        "The IoU of each class, averaged. By default pixels are first added over all images (`--average totals`); "
        "other tools average images first, and get another number. A class that neither side has is left out and "
        "listed. `--spread` shows the number under every convention.",
        "mean over classes of TP / (TP + FP + FN)",
        "Road 3/6, sky 3/4, car 3/4: (0.5 + 0.75 + 0.75) / 3 = 0.667.",
        _PAGE,
        ("mean IoU", "mean Jaccard", "JaccardIndex", "meanIoU"),
    ),
    Term(
        "mDice",
        "mean Dice over classes",
        "The Dice of each class, averaged. It ranks single masks as IoU does and is never below it, so it is no "
        "second piece of evidence.",
        "mean over classes of 2 TP / (2 TP + FP + FN)",
        "Road 6/9, sky 6/7, car 6/7: (0.667 + 0.857 + 0.857) / 3 = 0.794.",
        _PAGE,
        ("mean Dice", "DSC", "mean F1"),
    ),
    Term(
        "pixel_accuracy",
        "the share of pixels with the right class",
        "Where most of a picture is background, the background decides it: read it beside mIoU.",
        "Σ TP / pixels",
        "9 of 12 pixels have the right class: 0.75.",
        _PAGE,
        ("PA", "aAcc", "accuracy", "pixel accuracy"),
    ),
    Term(
        "mPA_precision",
        "mean pixel accuracy, as the mean precision of classes",
        "One of the two numbers that are called mPA: of the pixels that the guess gives a class, the share that have "
        "it, averaged over classes. The other one is mPA_recall.",
        "mean over classes of TP / (TP + FP)",
        "3/5, 3/3, 3/3: (0.6 + 1 + 1) / 3 = 0.867.",
        _PAGE,
        ("mPA", "mean pixel accuracy"),
    ),
    Term(
        "mPA_recall",
        "mean pixel accuracy, as the mean recall of classes",
        "The other of the two numbers that are called mPA: of the pixels of a class, the share that the guess gives "
        "it, averaged over classes. mmsegmentation's mAcc is this one.",
        "mean over classes of TP / (TP + FN)",
        "3/4, 3/4, 3/4: 0.75.",
        _PAGE,
        ("mAcc", "mPA", "mean class accuracy", "balanced accuracy"),
    ),
    Term(
        "fwIoU",
        "IoU weighted by how frequent classes are",
        "The IoU of each class, weighted by its pixels in the truth: large classes decide.",
        "Σ (TP + FN) · IoU / Σ (TP + FN)",
        "Road, 4 pixels, 0.5; sky, 4 pixels, 0.75; car, 4 pixels, 0.75: 8 / 12 = 0.667.",
        _PAGE,
        ("FWIoU", "frequency weighted IoU"),
    ),
    Term(
        "generalised_dice",
        "Dice of all classes, small classes weighted up",
        "One Dice over all classes, in which a class of T pixels in the truth has the weight 1 / T²: the smallest "
        "class decides.",
        "2 Σ w TP / Σ w (2 TP + FP + FN), w = 1 / T²",
        "Two classes with T = 1 (TP 1, no errors) and T = 2 (TP 1, FN 1): 2 (1 + ¼) / (2 + ¼ · 3) = 0.909.",
        _PAGE,
        ("GDSC", "generalized_dice", "generalized dice score"),
    ),
    Term(
        "F-beta",
        "precision and recall, weighed",
        "With β = 2 a miss costs four times a false alarm, with β = ½ a quarter of it; β = 1 is Dice.",
        "(1 + β²) TP / ((1 + β²) TP + β² FN + FP)",
        "TP 3, FP 2, FN 1, β = 2: 15 / (15 + 4 + 2) = 0.714.",
        _PAGE,
        ("F2", "F0.5"),
    ),
    Term(
        "area_difference",
        "how much larger the guess is than the truth",
        "As a share of the truth's area; of volumes the relative volume difference. It says nothing about where the "
        "areas are.",
        "(FP − FN) / (TP + FN)",
        "Truth 100 pixels, guess 120: 0.2. Truth 100, guess 80: −0.2.",
        _PAGE,
        ("volume difference", "RVD"),
    ),
)
