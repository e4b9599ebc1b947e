"""Findings of `vesica check`: what seems to be wrong with a file."""

from __future__ import annotations

from vesica.glossary.term import Term

_PAGE = "check.md"
_FIX = "`vesica check FILE --against TRUTH --fix OUT` writes the file without it."


def _finding(name: str, title: str, text: str, example: str = "", repair: str = "") -> Term:
    formula = f"repair: --assume {repair}" if repair else ""
    return Term(name, title, f"{text} {_FIX}" if repair else text, formula, example, _PAGE)


TERMS = (
    _finding(
        "boxes-layout",
        "the four numbers of a box mean something else",
        "xyxy, xywh or cxcywh, and another one is declared. As given, boxes leave their image or miss every truth; "
        "under the other reading they do not. A score of 0.000 mostly is this.",
        "`bbox` [100, 50, 180, 90] as two corners is 80 × 40; read as x, y, width, height it is 180 × 90.",
        "boxes=xyxy",
    ),
    _finding(
        "axes-swapped",
        "y comes before x",
        "Boxes are yxyx or yxhw. In images that are not square they leave their image as given.",
        "[50, 100, 90, 180] is y1, x1, y2, x2.",
        "boxes=yxyx",
    ),
    _finding(
        "boxes-normalised",
        "shares where pixels are declared, or the reverse",
        "Nearly all numbers lie between 0 and 1, and the format has pixels; or the numbers are far above 1 where "
        "shares are declared.",
        "0.25 in an image of 640 pixels is 160.",
        "boxes=xywh-shares",
    ),
    _finding(
        "boxes-percent",
        "percent where pixels are declared",
        "All numbers lie between 0 and 100, images are larger, and so read the guesses lie on truths.",
        "25 in an image of 640 pixels is 160.",
        "boxes=xywh-percent",
    ),
    _finding(
        "boxes-inclusive",
        "the last pixel belongs to the box",
        "`area` is (w + 1)(h + 1), or ten boxes end at size − 1 and none at the size: widths are one too small.",
        "Pixels 3 to 7 are five; 7 − 3 = 4.",
        "boxes=inclusive",
    ),
    _finding(
        "pixels-one-based",
        "pixels are counted from 1",
        "Whole numbers, no box begins at 0, ten begin at 1 and ten end at the size.",
        "The first pixel is 1 in VOC and 0 in COCO.",
        "boxes=one-based",
    ),
    _finding(
        "pixels-zero-based",
        "a VOC file that counts from 0",
        "VOC counts pixels from 1, and ten boxes begin at 0. Read it with `--boxes as_written`.",
        "xmin 0 in a VOC file.",
    ),
    _finding(
        "frame-letterbox",
        "boxes in the frame that the network saw",
        "The picture was shrunk into a square, in its middle, at its corner or drawn out, and the boxes were not "
        "brought back.",
        "A picture of 640 × 480 in a frame of 416: scaled by 0.65, and 52 pixels lower.",
        "frame=letterbox:416",
    ),
    _finding(
        "negative-size",
        "a negative width or height",
        "Corners in the wrong order, or corners that are read as sizes.",
        "[10, 10, -5, 4]",
        "boxes=ordered",
    ),
    _finding(
        "outside-image",
        "boxes that leave their image",
        "A note: some boxes reach beyond the picture. Scores take them as they are.",
        "x from 600 to 700 in an image of 640 pixels.",
    ),
    _finding(
        "empty-region",
        "regions without area",
        "A note: a width or height of 0, or a mask without pixels. Such a region overlaps nothing.",
        "[10, 10, 0, 5]",
    ),
    _finding(
        "categories-shifted",
        "ids of categories are numbered otherwise",
        "Ids lie outside the truth's table as given and inside under one numbering; or guesses meet truths only so. A"
        " common reason: a network counts classes from 0, and the file from 1.",
        "0 to 79 in the guess, 1 to 80 in the truth.",
        "categories=+1",
    ),
    _finding(
        "categories-permuted",
        "the list of categories is in another order",
        "Guesses lie on truths, and those of each category on one other category. The evidence says which is which; "
        "`--categories` takes a mapping.",
        'The guess\'s "cat" lies on dogs, and its "dog" on cats.',
    ),
    _finding(
        "categories-unknown",
        "categories that the truth does not have",
        "Listed with their counts. An error if all of them are unknown.",
        'The guess has "bicycle", the truth "bike".',
    ),
    _finding(
        "images-unknown",
        "images that the truth does not have",
        "A warning; an error if they are more than half. Names, stems or numbers may meet where ids do not.",
        '"000139.jpg" in the guess, 139 in the truth.',
        "images=named",
    ),
    _finding(
        "images-shifted",
        "ids of images are one more or one less",
        "Guesses lie on the truths of the image before, or after.",
        "Image 8 of the guess is image 7 of the truth.",
        "images=-1",
    ),
    _finding(
        "images-wrong-set",
        "another set of images, or an untrained model",
        "A note: of at least 200 guesses, fewer than 2 % lie on a truth, however the boxes are read. Nobody can tell "
        "which of the two it is.",
    ),
    _finding(
        "score-missing",
        "guesses without a score",
        "An error: without scores guesses have no order, and average precision has no meaning. It is never taken as 1.",
        '{"image_id": 1, "category_id": 3, "bbox": [0, 0, 9, 9]}',
    ),
    _finding(
        "scores-equal",
        "one score for all guesses",
        "A note: guesses have no order then, so AP depends on the order of rows.",
        "Every score is 1.",
    ),
    _finding(
        "scores-above-1",
        "scores above 1",
        "A note: percent or logits. AP asks for the order alone, and stays the same.",
        "A score of 87.5.",
    ),
    _finding(
        "ids-duplicate",
        "an id twice",
        "Two annotations, images or categories with one id; a warning if the rows are equal.",
        "Two annotations with the id 17.",
        "ids=renumber",
    ),
    _finding(
        "area-mismatch",
        "`area` does not fit the region",
        "An area above that of its box, or off that of its mask. Scores by size go by it.",
        "`bbox` 10 × 10 with `area` 400.",
        "area=box",
    ),
    _finding(
        "region-missing",
        "rows with neither box nor mask",
        "An error that names the rows: nothing can be compared.",
        '{"image_id": 1, "category_id": 3, "score": 0.9}',
    ),
    _finding(
        "not-finite",
        "NaN or infinity",
        "An error that names the row: of a box, a score or an area.",
        "`bbox` [inf, inf, -inf, -inf]",
    ),
    _finding(
        "labels-shifted",
        "labels of maps are one more or one less",
        "Of `vesica seg`: a tenth of the pixels agree as given, and half with all labels one more or less.",
        "0 to 18 in the guess, 1 to 19 in the truth.",
    ),
)
