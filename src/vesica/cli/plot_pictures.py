"""The pictures that `vesica plot` draws: what each is of, and which options it takes."""

from __future__ import annotations

from typing import NamedTuple


class Picture(NamedTuple):
    """One of them."""

    words: str
    of: tuple[str, ...]
    """What it may be of, the usual first: a key of `FILES`."""
    options: tuple[str, ...] = ()
    """Of the picture itself."""
    value: str | None = None
    """The method of a detection result whose answer is drawn, for its options."""
    value_options: tuple[str, ...] = ()


PICTURES = {
    "precision-recall": Picture("precision against recall", ("detection",), ("iou", "category")),
    "by-score": Picture("precision, recall and F1 by score", ("detection",), ("iou", "category")),
    "by-iou": Picture("AP by the overlap that is asked for", ("detection",), ("category",)),
    "scores": Picture("scores of right guesses and of wrong ones", ("detection",), ("iou", "category")),
    "per-class": Picture("one number of each category", ("detection", "segmentation"), ("metric", "most")),
    "intervals": Picture(
        "the same with intervals", ("detection", "segmentation", "agreement"), ("metric", "most"), "interval", ("seed",)
    ),
    "confusion": Picture(
        "which classes are taken for which",
        ("detection", "segmentation", "agreement"),
        ("by",),
        "confusion",
        ("iou", "min_score"),
    ),
    "causes": Picture("what costs AP", ("detection",), (), "causes", ("iou",)),
    "reliability": Picture("are scores the chance of being right?", ("detection",), (), "reliability", ("iou", "bins")),
    "by-size": Picture("AP by size of objects", ("detection",), (), "by_size", ("bins",)),
    "ious": Picture("how well matched pairs overlap", ("detection", "agreement")),
    "per-image": Picture(
        "one number of each image",
        ("detection", "segmentation", "agreement"),
        (),
        "per_image",
        ("iou", "min_score"),
    ),
    "policies": Picture("mIoU under the conventions of every library", ("segmentation",)),
    "distances": Picture("how far outlines are apart", ("surfaces",)),
    "annotators": Picture("who agrees with whom", ("agreement",)),
    "bias": Picture("who draws further out than whom", ("agreement",), ("most",)),
    "ledger": Picture("what keeps annotators apart", ("agreement",)),
    "comparison": Picture("what models differ by, and how sure that is", ("comparison",), ("metric", "most")),
    "overlap": Picture("two regions: TP, FP, FN and TN in their areas", ("regions",), ("row", "form")),
    "anchors": Picture("anchors over the shapes of the objects of a file", ("shapes",), ("anchors",)),
}
FILES = {
    "detection": "TRUTH GUESS, or one file of `vesica eval --details --records FILE`",
    "segmentation": "TRUTH GUESS",
    "surfaces": "TRUTH GUESS",
    "agreement": "A B [C …]",
    "comparison": "TRUTH A B [C …], or records of `vesica eval --records FILE`",
    "regions": "A B, tables of boxes or stacks of masks",
    "shapes": "FILE",
}
"""The files of each."""


def listed() -> str:
    """A line for each picture, for `--help`."""
    return "\n".join(f"  {name:<17} {one.words} ({', '.join(one.of)})" for name, one in PICTURES.items())
