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
    by: tuple[str, ...] = ()
    """What --by may be."""


_SCORES = ("detection", "segmentation", "agreement")
PICTURES = {
    "precision-recall": Picture("precision against recall", ("detection",), ("iou", "category")),
    "by-score": Picture("precision, recall and F1 by score", ("detection",), ("iou", "category")),
    "by-iou": Picture("AP by the overlap that is asked for", ("detection",), ("category",)),
    "scores": Picture("scores of right guesses and of wrong ones", ("detection",), ("iou", "category")),
    "per-class": Picture("one number of each category, or several", ("detection", "segmentation"), ("metric", "most")),
    "intervals": Picture("the same with intervals", (*_SCORES, "surfaces"), ("metric", "most"), "interval", ("seed",)),
    "confusion": Picture(
        "which classes are taken for which",
        _SCORES,
        ("by",),
        "confusion",
        ("iou", "min_score"),
        ("row", "column", "counts"),
    ),
    "top-confusions": Picture(
        "the classes that are confused most", _SCORES, ("most",), "confusion", ("iou", "min_score")
    ),
    "causes": Picture("what costs AP", ("detection",), (), "causes", ("iou",)),
    "reliability": Picture("are scores the chance of being right?", ("detection",), (), "reliability", ("iou", "bins")),
    "by-size": Picture("AP by size of objects", ("detection",), (), "by_size", ("bins",)),
    "slices": Picture("one number of each slice of images", ("detection", "comparison"), ("metric", "model")),
    "ious": Picture("how well matched pairs overlap", ("detection", "agreement")),
    "per-image": Picture("one number of each image", _SCORES, (), "per_image", ("iou", "min_score")),
    "ranked": Picture("images from the best to the worst", _SCORES, (), "per_image", ("iou", "min_score")),
    "over-images": Picture("one number of each class over images", ("segmentation", "agreement"), ("metric", "most")),
    "policies": Picture("mIoU under the conventions of every library", ("segmentation",)),
    "distances": Picture("how far outlines are apart", ("surfaces",)),
    "annotators": Picture("who agrees with whom", ("agreement",)),
    "coefficients": Picture("agreement and α of each category, with intervals", ("agreement",), ("most",)),
    "bias": Picture("who draws further out than whom", ("agreement",), ("most",)),
    "ledger": Picture("what keeps annotators apart", ("agreement",)),
    "disputed": Picture("the images that annotators agree on least", ("agreement",), ("most",)),
    "trend": Picture("agreement over time", ("agreement",), ("by", "category"), by=("batch", "date", "round")),
    "comparison": Picture("what models differ by, and how sure that is", ("comparison",), ("metric", "most")),
    "fixed-and-broken": Picture(
        "objects that one model finds and another does not",
        ("comparison",),
        ("by", "model", "most"),
        by=("category", "cause"),
    ),
    "counts": Picture("how many objects each category has", ("dataset",), ("most",)),
    "sizes": Picture("how large objects are", ("dataset",)),
    "anchors": Picture("anchors over the shapes of the objects of a file", ("dataset",), ("anchors",)),
    "overlap": Picture("two regions: TP, FP, FN and TN in their areas", ("pair",), ("row", "form")),
    "regions": Picture("one image: what is found, wrong and missed", ("image",), ("iou", "min_score", "image")),
    "nms": Picture(
        "which detections of an image stay", ("detections",), ("iou", "min_score", "image", "form", "per_class")
    ),
}
FILES = {
    "detection": "TRUTH GUESS, or one file of `vesica eval --details --records FILE`",
    "segmentation": "TRUTH GUESS",
    "surfaces": "TRUTH GUESS",
    "agreement": "[NAME=]A [NAME=]B …, or one file of several annotators",
    "comparison": "TRUTH A B …, or records of `vesica eval --records FILE`",
    "image": "TRUTH GUESS, of which one image is drawn (--image)",
    "detections": "FILE, as `vesica nms` reads it",
    "dataset": "FILE",
    "pair": "A B, tables of boxes or stacks of masks, of which one row is drawn",
}
"""The files of each."""


def listed() -> str:
    """A line for each picture, for `--help`."""
    return "\n".join(f"  {name:<17} {one.words} ({', '.join(one.of)})" for name, one in PICTURES.items())
