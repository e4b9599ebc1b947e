"""Advice of `vesica.advise`: what a score hides."""

from __future__ import annotations

from vesica.glossary.term import Term

_PAGE = "segmentation.md"


def _advice(name: str, title: str, text: str, see: str = "") -> Term:
    formula = f"look at: {see}" if see else ""
    return Term(name, title, text, formula, page=_PAGE)


TERMS = (
    _advice(
        "MR01",
        "objects are counted as pixels",
        "There are objects, or a class has several parts in the middle image. Pixels of large ones outweigh small "
        "ones: match them one by one.",
        "AP, PQ, RQ",
    ),
    _advice(
        "MR02",
        "many small parts",
        "More than 20 % of the parts are under 16 × 16 pixels, or have a side under 8: a pixel's shift costs them "
        "much.",
        "per_image",
    ),
    _advice(
        "MR03",
        "sizes differ much",
        "Areas of the truth are more than 100 times apart: sums over images favour the large ones.",
        "per_class, per_image",
    ),
    _advice("MR04", "no score of outlines", "Overlap hardly sees the edge of a large object.", "NSD, HD95, MASD"),
    _advice("MR05", "no tolerance yet", "NSD needs a tolerance τ; how far people differ suggests one.", "NSD"),
    _advice(
        "MR06",
        "people agree little",
        "α is below ⅔, or one annotator alone saw an image. A model cannot be better than its truth.",
        "alpha",
    ),
    _advice("MR07", "few pixels decide", "HD is more than five times HD95: it hangs on a few pixels.", "HD95, MASD"),
    _advice("MR08", "thin shapes", "Parts are more than ten times as long as wide: overlap asks for width.", "clDice"),
    _advice("MR09", "size matters to you", "The area difference of each class.", "area_difference"),
    _advice("MR10", "costs differ", "Misses and false alarms cost differently: F0.5 and F2.", "F-beta"),
    _advice(
        "MR11",
        "empty cells",
        "Classes are empty on one side or both in some images, and what they are worth is a convention: its range.",
        "spread",
    ),
    _advice(
        "MR12", "misses among distances", "Cells that one side alone has, and what a distance to nothing is worth."
    ),
    _advice("MR13", "IoU and Dice together", "One follows from the other: they are not two pieces of evidence.", "NSD"),
    _advice(
        "MR14",
        "one class has nearly all pixels",
        "More than 90 % of the pixels are of one class, and accuracy is asked for.",
        "mIoU, mPA_recall",
    ),
    _advice(
        "MR15",
        "pairs saw different mixtures",
        "α moves with how frequent labels are, and pairs of annotators looked at other mixtures of classes.",
        "agreement, f1",
    ),
    _advice(
        "MR16",
        "totals and images differ",
        "mIoU of all pixels and the mean of images are more than 0.05 apart: which images are the lowest.",
        "per_image",
    ),
    _advice("MR17", "images are not independent", "Several images are of one group: draw groups again.", "per_group"),
    _advice("MR18", "rare classes", "Classes are in no image, or in fewer than five: their score hangs on those."),
    _advice("MR19", "objects overlap", "Pixels that objects of several classes claim have one of them.", "AP, PQ"),
    _advice("MR20", "distances are in pixels", "Say the spacing, and they are in millimetres."),
    _advice("MR21", "which HD95", "Tools define percentiles differently; this names the definition that was used."),
    _advice(
        "MR22",
        "F1 hangs on the threshold",
        "F1 falls by more than 0.1 between `match_at` 0.4 and 0.6.",
        "tolerances",
    ),
    _advice("MR23", "boxes with masks", "Boxes were matched with masks, which fill their boxes only in part."),
    _advice("MR24", "too few images", "The interval is wider than you asked for: about how many more images it takes."),
)
