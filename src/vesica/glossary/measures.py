"""Measures: formulas on the areas of two regions, as `vesica iou --measure` takes them."""

from __future__ import annotations

from vesica.glossary.term import Term

_PAGE = "measures.md"
_BOXES = "Boxes [0, 0, 4, 4] and [2, 2, 6, 6]: areas 16 and 16, shared 4, union 28."

TERMS = (
    Term(
        "IoU",
        "intersection over union",
        "The shared area as a share of all that either covers: 1 for equal regions, 0 for those that do not meet, "
        "near or far. Of a class of pixels it is the same, counted: TP / (TP + FP + FN). A pixel's shift costs small "
        "boxes most.",
        "I / U, U = A + B − I",
        f"{_BOXES} 4 / 28 = 0.143.",
        _PAGE,
        ("iou", "Jaccard", "jaccard index", "intersection over union"),
    ),
    Term(
        "Dice",
        "twice the shared area over both areas",
        "Never below IoU, and in the same order: Dice = 2 IoU / (1 + IoU). Of a class of pixels it is F1.",
        "2 I / (A + B)",
        f"{_BOXES} 8 / 32 = 0.25.",
        _PAGE,
        ("dice", "DSC", "Sørensen", "F1 of pixels"),
    ),
    Term(
        "distance",
        "1 − IoU",
        "It falls as the overlap grows: 0 for equal regions, 1 for those that do not meet.",
        "1 − I / U",
        f"{_BOXES} 24 / 28 = 0.857.",
        _PAGE,
        ("Jaccard distance",),
    ),
    Term(
        "coverage",
        "the share of one region that the other covers",
        "One-sided: a partner as large as the image covers everything. `--of b` for the other side.",
        "I / A",
        f"{_BOXES} 4 / 16 = 0.25.",
        _PAGE,
        ("IoF", "intersection over foreground"),
    ),
    Term(
        "overlap",
        "the shared area over the smaller region",
        "It is 1 as soon as one region lies inside the other, whatever their sizes.",
        "I / min(A, B)",
        f"{_BOXES} 4 / 16 = 0.25.",
        _PAGE,
        ("IoS", "IoMin", "overlap coefficient"),
    ),
    Term(
        "tversky",
        "IoU with two kinds of misses weighed",
        "α weighs what only A has, β what only B has. 1 and 1 is IoU, ½ and ½ is Dice.",
        "I / (I + α (A − I) + β (B − I))",
        f"{_BOXES} With α 0.3 and β 0.7: 4 / (4 + 0.3 · 12 + 0.7 · 12) = 0.25.",
        _PAGE,
    ),
    Term(
        "giou",
        "generalised IoU",
        "IoU less the share of the box around both that neither covers; so boxes that do not meet still differ.",
        "IoU − (C − U) / C, C = area of the box around both",
        f"{_BOXES} The box around both has 36: 0.143 − 8 / 36 = −0.079.",
        _PAGE,
        ("GIoU",),
    ),
    Term(
        "diou",
        "distance IoU",
        "IoU less the squared distance of the centres, as a share of the squared diagonal of the box around both.",
        "IoU − d² / c²",
        f"{_BOXES} Centres 8 apart squared, diagonal 72: 0.143 − 8 / 72 = 0.032.",
        _PAGE,
        ("DIoU",),
    ),
    Term(
        "ciou",
        "complete IoU",
        "diou, less a penalty for another aspect ratio.",
        "diou − k v, v = (4/π²)(atan2(w_a, h_a) − atan2(w_b, h_b))², k = v / (1 − IoU + v)",
        f"{_BOXES} Both are square, so v = 0: 0.032.",
        _PAGE,
        ("CIoU",),
    ),
    Term(
        "eiou",
        "efficient IoU",
        "diou, less the squared differences of widths and heights, as shares of the box around both.",
        "diou − (Δw / W)² − (Δh / H)²",
        f"{_BOXES} Widths and heights are equal: 0.032.",
        _PAGE,
        ("EIoU",),
    ),
)
