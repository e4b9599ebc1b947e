"""Agreement between annotators: who differs from whom, where and how."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vesica.agreement.annotations import annotations_of
    from vesica.agreement.label_maps import PixelAgreementResult
    from vesica.agreement.merging import merge
    from vesica.agreement.records import AgreementRecords, records_of
    from vesica.agreement.result import AgreementResult

__all__ = ["AgreementRecords", "AgreementResult", "PixelAgreementResult", "annotations_of", "merge", "records_of"]

# Loaded on first use: the command line reads `policy` and does not wait for the rest.
_HOMES = {
    "AgreementRecords": "records",
    "AgreementResult": "result",
    "PixelAgreementResult": "label_maps",
    "annotations_of": "annotations",
    "merge": "merging",
    "records_of": "records",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'vesica.agreement' has no attribute {name!r}")
    globals()[name] = getattr(importlib.import_module(f"vesica.agreement.{_HOMES[name]}"), name)
    return globals()[name]
