"""By their first bytes: which JSON files are of Label Studio and of LabelMe, and not of COCO, which begins alike.

Every JSON file is asked, so nothing is imported here that only readers need.
"""

from __future__ import annotations

import re

_BLANK = "\ufeff \t\r\n"
_OF_TASKS = (
    r'"(?:annotations|completions|predictions|completed_by|was_cancelled|annotation_id|original_width|lead_time'
    r'|rectanglelabels|polygonlabels|brushlabels)"\s*:'
)
_OF_LABELME = r'"(?:shapes|imageData)"\s*:'


def looks_like_tasks(text: str, /) -> bool:
    """Is this the beginning of a list of Label Studio's tasks, and not of COCO's results?"""
    return text.lstrip(_BLANK).startswith("[") and '"category_id"' not in text and bool(re.search(_OF_TASKS, text))


def looks_like_labelme(text: str, /) -> bool:
    """Is this the beginning of an object with `shapes`, or with the picture itself?"""
    return text.lstrip(_BLANK).startswith("{") and '"images"' not in text and bool(re.search(_OF_LABELME, text))
