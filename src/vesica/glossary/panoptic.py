"""Numbers of panoptic segmentation: what `vesica eval --protocol panoptic` tells."""

from __future__ import annotations

from vesica.glossary.term import Term

_PAGE = "panoptic.md"
_EXAMPLE = "Two matches with IoU 0.8 and 0.6, one segment made up, one missed:"

_BASE = (
    Term(
        "PQ",
        "panoptic quality",
        "How many segments are found, and how well, in one number from 0 to 1. Segments of one category match where "
        "they share more than half of their union, so no segment has two partners. The mean is over the categories "
        "that occur.",
        "Σ IoU of matches / (TP + ½ FP + ½ FN) = SQ · RQ",
        f"{_EXAMPLE} 1.4 / (2 + ½ + ½) = 0.467.",
        _PAGE,
        ("panoptic quality",),
    ),
    Term(
        "SQ",
        "segmentation quality",
        "How well those segments fit that were found: the mean IoU of matches. It is above 0.5 by construction, and 0"
        " where nothing matches.",
        "Σ IoU of matches / TP",
        f"{_EXAMPLE} 1.4 / 2 = 0.7.",
        _PAGE,
        ("segmentation quality",),
    ),
    Term(
        "RQ",
        "recognition quality",
        "How many segments were found: the F1 of matches.",
        "TP / (TP + ½ FP + ½ FN)",
        f"{_EXAMPLE} 2 / 3 = 0.667.",
        _PAGE,
        ("recognition quality",),
    ),
)


def _of_kind(term: Term, kind: str, what: str) -> Term:
    return term._replace(
        name=f"{term.name}_{kind}",
        title=f"{term.title} of {kind}",
        text=f"{term.name}, averaged over the categories of {kind} alone: {what}.",
        aliases=(f"{term.name}_{kind[:2].title()}",),
    )


TERMS = (
    *_BASE,
    *(_of_kind(term, "things", "what can be counted, such as cats and cars") for term in _BASE),
    *(_of_kind(term, "stuff", "what cannot be counted, such as grass and sky") for term in _BASE),
)
