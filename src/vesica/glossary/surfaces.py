"""Numbers of outlines: what `vesica seg --surface` tells."""

from __future__ import annotations

from vesica.glossary.term import Term

_PAGE = "surfaces.md"
_DISTANCES = "Distances from the guess's outline 0, 0, 1, 5, and from the truth's 0, 0, 0, 2."

TERMS = (
    Term(
        "HD",
        "Hausdorff distance",
        "The largest distance from one outline to the other, in pixels or in the unit of the spacing: 0 is best. One "
        "stray pixel decides it. Where one side alone has the class it is the diagonal of the image.",
        "max over outline pixels of both sides of the distance to the other outline",
        f"{_DISTANCES} HD = 5.",
        _PAGE,
        ("Hausdorff", "hausdorff_distance"),
    ),
    Term(
        "HD95",
        "Hausdorff distance without the largest twentieth",
        "The 95th percentile of the distances in each direction, of which the larger one counts; 0 is best. MedPy "
        "takes the percentile of both directions together, which is another number.",
        "max(95th percentile of guess → truth, 95th percentile of truth → guess)",
        f"{_DISTANCES} Percentiles 4.4 and 1.7: HD95 = 4.4.",
        _PAGE,
        ("95HD", "robust Hausdorff"),
    ),
    Term(
        "ASSD",
        "average symmetric surface distance",
        "The mean of all distances of both directions together; 0 is best.",
        "Σ all distances / number of outline pixels of both sides",
        f"{_DISTANCES} (6 + 2) / 8 = 1.",
        _PAGE,
    ),
    Term(
        "MASD",
        "mean of the two average surface distances",
        "As ASSD, but each direction counts one half, however long its outline is; 0 is best.",
        "½ (mean of guess → truth + mean of truth → guess)",
        f"{_DISTANCES} ½ (1.5 + 0.5) = 1.",
        _PAGE,
    ),
    Term(
        "ASD",
        "average distance from the guess's outline to the truth's",
        "One direction alone: an outline that the guess lacks costs nothing; 0 is best.",
        "mean of guess → truth",
        f"{_DISTANCES} 6 / 4 = 1.5.",
        _PAGE,
    ),
    Term(
        "NSD",
        "normalised surface distance, or surface Dice",
        "The share of both outlines that lies within a tolerance τ of the other; 1 is best. A gate names it with its "
        "tolerance: `NSD(1)`. There is no default for τ: how far people differ is a good one.",
        "outline pixels of both sides within τ / outline pixels of both sides",
        f"{_DISTANCES} Within τ = 1: 3 + 3 of 8, 0.75.",
        _PAGE,
        ("surface dice", "normalized surface distance"),
    ),
    Term(
        "boundary_F",
        "F-measure of outlines",
        "Precision is the share of the guess's outline within τ of the truth's, recall the reverse; their harmonic "
        "mean. A gate names it with its tolerance: `boundary_F(1)`.",
        "2 P R / (P + R)",
        f"{_DISTANCES} Within τ = 2: P = 3/4, R = 4/4, 0.857.",
        _PAGE,
        ("BF score", "boundary F1"),
    ),
    Term(
        "boundary_IoU",
        "IoU of what lies near the edges",
        "The IoU of the inner bands of both masks, of a width in pixels or in percent of the image's diagonal. Large "
        "objects cannot hide a bad edge. A gate names it with its width: `boundary_IoU(2%)`.",
        "IoU of the pixels of each mask that are at most d from its outside",
        "Two bands of 40 pixels that share 20: 20 / 60 = 0.333.",
        _PAGE,
        ("boundary IoU",),
    ),
    Term(
        "clDice",
        "Dice of centrelines, for thin shapes",
        "How much of each side's skeleton lies inside the other mask. It notices a vessel that is broken, and not how"
        " wide it was drawn.",
        "2 P S / (P + S): P = share of the guess's skeleton inside the truth, S = share of the truth's inside the "
        "guess",
        "P = 1, S = 0.722: 0.839.",
        _PAGE,
        ("centreline dice", "centerline dice"),
    ),
)
