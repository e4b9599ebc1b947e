"""What an evaluation goes by: a bag of attributes that callers change in place."""

from __future__ import annotations

from typing import Any

import numpy as np

from vesica._check import compat as check
from vesica.compat import keypoints


class Params:
    """Thresholds, area ranges and caps, and the images and categories to look at.

    Every attribute may be set between the steps of an evaluation, to lists or arrays alike.

    >>> Params("bbox").maxDets
    [1, 10, 100]
    """

    imgIds: Any
    catIds: Any
    iouThrs: Any
    recThrs: Any
    maxDets: Any
    areaRng: Any
    areaRngLbl: Any
    useCats: Any

    def __new__(cls, iouType: str = "segm") -> Any:
        """Of keypoints, those of pycocotools itself."""
        return keypoints.params() if iouType == "keypoints" and cls is Params else super().__new__(cls)

    def __init__(self, iouType: str = "segm") -> None:
        self.iouType = check.iou_type(iouType)
        self.setDetParams()
        self.useSegm: Any = None

    def setDetParams(self) -> None:
        """COCO's own values, for boxes and for masks."""
        small, medium, most = 32**2, 96**2, 1e5**2
        self.imgIds = []
        self.catIds = []
        self.iouThrs = np.linspace(0.5, 0.95, 10)
        self.recThrs = np.linspace(0.0, 1.0, 101)
        self.maxDets = [1, 10, 100]
        self.areaRng = [[0, most], [0, small], [small, medium], [medium, most]]
        self.areaRngLbl = ["all", "small", "medium", "large"]
        self.useCats = 1

    def setKpParams(self) -> None:
        raise check.no_keypoints()
