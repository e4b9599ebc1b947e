"""Notes: what a result had to assume, to correct or to leave out, each with its count."""

from __future__ import annotations

from vesica.glossary.term import Term

_PAGE = "scores.md"


def _note(name: str, title: str, text: str, page: str = _PAGE) -> Term:
    return Term(name, title, text, page=page)


TERMS = (
    _note(
        "Q1",
        "truths with the id 0",
        "pycocotools takes the id 0 for “not matched”, so whoever finds such a truth is wrong there. Here it is a "
        "truth like any other. `--quirks pycocotools` repeats the fault.",
    ),
    _note(
        "Q4",
        'truths with an explicit "ignore"',
        "They neither count nor are wrong to find. pycocotools overwrites the flag by `iscrowd`.",
    ),
    _note(
        "Q8",
        "run lengths that end early",
        "The counts of a mask do not reach its last pixel: the rest is background.",
    ),
    _note(
        "Q13",
        "categories that the truth does not have",
        "Guesses of them are left out, and counted here. Other tools leave them out in silence.",
    ),
    _note("Q19", 'truths without "area"', "Their area is that of their region: the mask's, or else the box's."),
    _note("Q20", "masks without area", "No polygon, or one of fewer than three points: they overlap nothing."),
    _note(
        "Q22",
        "classes without truths",
        "Guesses of classes that have no truth at all count nowhere, since recall is not defined there.",
    ),
    _note("Q24", 'rows without "bbox"', "Boxes are compared, and these rows have the box of their mask."),
    _note(
        "Q25", "truths without a mask", "Masks are compared, and with `--missing box` these take part as their boxes."
    ),
    _note("Q26", "guesses without a mask", "Masks are compared, and these guesses take part as their boxes."),
    _note(
        "M1", "images that came again", "Of records that were merged: equal content counts once (`--duplicates same`)."
    ),
    _note(
        "J1",
        "how images met",
        "Images were joined by name, stem or number and not by id; or by id, though names differ.",
    ),
    _note(
        "J2", "how categories met", "Categories were joined by name, or by how they are numbered, and not by equal ids."
    ),
    _note(
        "both_empty",
        "neither side has the class in an image",
        "There is nothing to score: left out and counted, or scored as the policy says.",
        "segmentation.md",
    ),
    _note(
        "one_empty",
        "one side alone has the class in an image",
        "A miss or a false alarm: the worst score, unless the policy says otherwise. Of distances, the image's "
        "diagonal.",
        "segmentation.md",
    ),
    _note(
        "guess_only",
        "the guess alone has the class in an image",
        "Nothing was there, and something was said: scored 0, unless the policy says otherwise.",
        "segmentation.md",
    ),
    _note(
        "truth_only",
        "the truth alone has the class in an image",
        "Something was there, and nothing was said: scored 0, unless the policy says otherwise.",
        "segmentation.md",
    ),
    _note("absent", "a class that neither side has in any image", "Left out of means, and listed.", "segmentation.md"),
    _note(
        "void",
        "pixels of the truth have the label 255",
        "Most data sets mean by it that a pixel has no class, and no guess has it. If so, say `--ignore 255`: as it "
        "is, these pixels are misses.",
        "segmentation.md",
    ),
    _note(
        "partial",
        "images that no part has",
        "Some of the images that were expected are missing, so the score is of the rest alone.",
        "scale.md",
    ),
    _note("objects", "objects were drawn into label maps", "COCO files were scored as pixels.", "segmentation.md"),
    _note(
        "overlaps",
        "pixels that several objects claim",
        "Of truths the smallest object has them, of guesses the one with the highest score.",
        "segmentation.md",
    ),
    _note(
        "read", "what the reader said", "A word of the reader about a file, such as what it left out.", "datasets.md"
    ),
    _note("area", "objects without area", "They overlap nothing, so nobody can agree with them.", "agreement.md"),
    _note(
        "images",
        "images of one round alone",
        "With `--before`: they cannot be compared, and are left out.",
        "agreement.md",
    ),
    _note("score", "guesses below --min-score", "With `--model`: they are left out.", "agreement.md"),
    _note(
        "category", "categories that people do not have", "With `--model`: such guesses are left out.", "agreement.md"
    ),
    _note("ok", "there is a value", "A status of tables and intervals: nothing is missing.", "segmentation.md"),
    _note("undefined", "there is no value", "A status: the formula would divide by nothing.", "intervals.md"),
    _note(
        "too_few", "too few values", "A status of intervals: fewer than two, so nothing can be said.", "intervals.md"
    ),
    _note(
        "no_overlap",
        "nobody rated what another rated",
        "A status of coefficients: there is nothing to compare.",
        "agreement.md",
    ),
    _note(
        "no_variation",
        "all ratings are one",
        "A status of coefficients: chance cannot be told from agreement.",
        "agreement.md",
    ),
)
