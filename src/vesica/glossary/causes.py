"""Causes: why a guess of a detector is wrong, and why a truth was not found."""

from __future__ import annotations

from vesica.glossary.term import Term

_PAGE = "causes.md"
_COST = "Its cost is the AP that would be gained if this cause alone were put right; costs do not add up."

TERMS = (
    Term(
        "classification",
        "in the right place, with another class",
        f"The guess reaches the threshold of IoU with a truth of another class. {_COST}",
        "IoU with a truth of another class ≥ threshold",
        "A dog guessed as cat, with an IoU of 0.8.",
        _PAGE,
        ("class error", "Cls"),
    ),
    Term(
        "localisation",
        "of the right class, and too far off",
        f"The guess overlaps a truth of its class, and not enough: from 0.1 up to the threshold. {_COST}",
        "0.1 ≤ IoU with a truth of its class < threshold",
        "A cat that is found with an IoU of 0.4, where 0.5 is asked for.",
        _PAGE,
        ("localization", "Loc"),
    ),
    Term(
        "both",
        "near a truth of another class, and too far off as well",
        f"Wrong class and wrong place at once. {_COST}",
        "0.1 ≤ IoU with a truth of another class < threshold",
        "A dog guessed as cat, with an IoU of 0.3.",
        _PAGE,
    ),
    Term(
        "duplicate",
        "of a truth that a better guess has found",
        "The guess reaches the threshold, but the truth is taken by one with a higher score: NMS was too mild. "
        f"{_COST}",
        "IoU with a truth of its class ≥ threshold, and the truth is found already",
        "Two guesses of one cat, 0.9 and 0.8: the second is a duplicate.",
        _PAGE,
        ("Dupe",),
    ),
    Term(
        "background",
        "where no truth is near",
        f"The guess overlaps no truth as far as 0.1. {_COST}",
        "IoU with every truth < 0.1",
        "A cat guessed on an empty sofa.",
        _PAGE,
        ("Bkg",),
    ),
    Term(
        "missed",
        "a truth that no guess came near enough to",
        f"Not found, and no guess of the first two kinds would find it if it were put right. {_COST}",
        "",
        "A small cat that nothing was guessed for.",
        _PAGE,
        ("Miss",),
    ),
    Term(
        "wrong",
        "all wrong guesses together",
        "What better precision alone could bring: AP if every wrong guess were gone or right.",
        page=_PAGE,
    ),
    Term(
        "not found",
        "all truths that were not found",
        "What better recall alone could bring: AP if every missed truth were gone, also those that a guess nearly "
        "found.",
        page=_PAGE,
        aliases=("not_found",),
    ),
    Term("right", "found its truth", "Of a guess: it takes a truth; of a truth: a guess takes it.", page=_PAGE),
    Term(
        "ignored",
        "does not count",
        "Neither right nor wrong: a guess in a crowd or on an ignored truth, or a truth that is not asked for. Of "
        "label maps, a note of this name counts pixels of the guess that have an ignored label where the truth has a "
        "class: they are misses.",
        page=_PAGE,
    ),
)
