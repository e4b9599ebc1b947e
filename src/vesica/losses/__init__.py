"""Losses: 1 − measure, of boxes and of soft masks, reduced to one number that can be differentiated.

>>> from vesica import losses
>>> losses.giou([[0.0, 0, 4, 4]], [[2.0, 2, 6, 6]]).item()
1.0793650793650793
"""

from __future__ import annotations

from vesica.losses.boxes import alpha_iou, ciou, diou, eiou, giou, iou, siou
from vesica.losses.lovasz import lovasz
from vesica.losses.masks import dice, focal_tversky, jaccard, tversky

__all__ = [
    "alpha_iou",
    "ciou",
    "dice",
    "diou",
    "eiou",
    "focal_tversky",
    "giou",
    "iou",
    "jaccard",
    "lovasz",
    "siou",
    "tversky",
]
