"""Numbers of annotators, and how they differ: what `vesica agree` tells."""

from __future__ import annotations

from vesica.glossary.term import Term

_PAGE = "agreement.md"
_PAIRS = "Ann drew 3 objects, Ben 2; two pairs match, with IoU 0.9 and 1.0, and the second has different labels."

TERMS = (
    Term(
        "agreement",
        "what annotators agree on, as a share of all they drew",
        "Objects of two people are matched by their outlines; a matched pair with one label earns its IoU (`--credit "
        "match`: 1). An object without a partner costs as much as a pair that shares nothing. 1 is full agreement, "
        "and what is lacking is split up by the ledger.",
        "Σ credit of matched pairs / (½ · objects of both)",
        f"{_PAIRS} 0.9 / 2.5 = 0.36.",
        _PAGE,
    ),
    Term(
        "mean_iou",
        "mean IoU of matched pairs",
        "How well people outline what both of them found, whatever they call it. What only one of them drew does not "
        "count.",
        "Σ IoU of matched pairs / matched pairs",
        f"{_PAIRS} (0.9 + 1.0) / 2 = 0.95.",
        _PAGE,
    ),
    Term(
        "mean_dice",
        "mean Dice of matched pairs",
        "The same as mean_iou, in Dice; of each category.",
        "Σ Dice of matched pairs / matched pairs",
        "IoU 0.9 and 1.0 are Dice 0.947 and 1: 0.974.",
        _PAGE,
    ),
    Term(
        "label_agreement",
        "the share of matched pairs with one label",
        "Whether people call what both of them found by the same name. What only one of them drew does not count.",
        "matched pairs with one label / matched pairs",
        f"{_PAIRS} 1 / 2 = 0.5.",
        _PAGE,
    ),
    Term(
        "pixel_agreement",
        "the share of pixels that two people call the same",
        "Of label maps, over all pairs of annotators. Where most of a picture is background, the background decides "
        "it.",
        "pixels with one label / pixels",
        "9 of 12 pixels have one label: 0.75.",
        _PAGE,
    ),
    Term(
        "alpha",
        "Krippendorff's α: agreement beyond chance",
        "1 is full agreement, 0 is what chance would give, below 0 is worse than chance. Of objects a rating is a "
        "label, or that nothing was drawn; of label maps it is the label of a pixel. It works for any number of "
        "people, also where not everybody was asked. Often 0.8 is asked for, and 0.667 is the least from which "
        "conclusions are drawn. It moves with how frequent labels are: do not compare sets of different mixture. "
        "Without variation it is not defined.",
        "1 − observed disagreement / disagreement expected by chance",
        "Two people, three objects: cat cat, cat cat, dog cat. Observed 1/3; by chance, of 5 cats and 1 dog, 2 · 5 · "
        "1 / (6 · 5) = 1/3: α = 0.",
        _PAGE,
        ("krippendorff", "Krippendorff's alpha", "α"),
    ),
    Term(
        "alpha_labels",
        "Krippendorff's α of labels alone",
        "The same as alpha, of objects that two or more drew: how far they call them by one name, beyond chance.",
        "1 − observed disagreement / disagreement expected by chance, of labels of matched objects",
        "All labels equal, and at least two different ones among them: 1.",
        _PAGE,
    ),
    Term(
        "kappa",
        "Cohen's κ and Fleiss' κ: agreement beyond chance",
        "Cohen's is for two people, `result.cohen()`; Fleiss' for as many in every image, `result.fleiss()`. Both ask"
        " how far observed agreement exceeds that of chance. Where people are missing somewhere, alpha is the one to "
        "use.",
        "(observed − expected) / (1 − expected)",
        "They agree on 80 %; by chance it would be 50 %: (0.8 − 0.5) / (1 − 0.5) = 0.6.",
        _PAGE,
        ("cohen", "fleiss", "Cohen's kappa", "Fleiss' kappa", "κ"),
    ),
    Term(
        "loose edge",
        "the outlines differ",
        "Of the ledger: a matched pair loses 1 − IoU by it; two that touch and do not match lose 1.",
        "1 − IoU",
        "A matched pair with IoU 0.8 loses 0.2.",
        "ledger.md",
        ("loose_edge",),
    ),
    Term(
        "label",
        "the labels differ",
        "Of the ledger: a matched pair with different labels loses what its overlap would have earned.",
        "the credit of the pair",
        "A pair with IoU 0.9, cat and dog: label 0.9, loose edge 0.1.",
        "ledger.md",
    ),
    Term(
        "split",
        "one drew a whole, the other its parts",
        "Of the ledger: a, the reference, drew the whole, and b drew two or more parts of it.",
        "(k + 1) / 2 units of a whole and k parts, less what the matched part earns and what loose edges and labels "
        "take",
        "One whole and its two parts, of which one matches with 0.6: 3/2 − 0.6 = 0.9.",
        "ledger.md",
    ),
    Term(
        "merge",
        "one drew parts, the other a whole",
        "Of the ledger: b drew the whole, and a, the reference, drew two or more parts of it.",
        "as split",
        "Two parts and their whole, of which one matches with 0.6: 3/2 − 0.6 = 0.9.",
        "ledger.md",
    ),
    Term(
        "missing",
        "only a has it",
        "Of the ledger: an object of a, the reference, without a partner.",
        "½",
        "Of 2.5 units one object alone: 0.5 / 2.5 = 0.2 of the gap.",
        "ledger.md",
    ),
    Term(
        "extra",
        "only b has it",
        "Of the ledger: an object of b without a partner.",
        "½",
        "Of 2.5 units one object alone: 0.5 / 2.5 = 0.2 of the gap.",
        "ledger.md",
    ),
    Term(
        "duplicate",
        "the same object twice",
        "Of the ledger: an object without a partner that repeats another one of the same annotator, with an IoU of "
        "0.8 or more.",
        "½",
        "One car drawn twice, of 6 units: 0.5 / 6 = 0.083 of the gap.",
        "ledger.md",
    ),
    Term(
        "attribute",
        "matched, and what else is said differs",
        "Counted beside the ledger: attributes of a matched pair, such as occluded, differ. It costs nothing.",
        page="ledger.md",
    ),
    Term(
        "kind",
        "matched, a box with a mask",
        "Counted beside the ledger: one drew a box, the other a mask or an outline. It costs nothing.",
        page="ledger.md",
    ),
    Term(
        "crowd_flag",
        "matched, and one of them is a group",
        "Counted beside the ledger: one marked the object as a crowd, the other did not. It costs nothing.",
        page="ledger.md",
    ),
)
