"""Agreement between annotators: who differs from whom, where and how."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vesica._lazy import lazy

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

__getattr__ = lazy(__name__, _HOMES, call="vesica.evaluate_agreement(a, b)")
