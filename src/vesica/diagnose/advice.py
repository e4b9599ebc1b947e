"""Advice on scores, by what kind of result they are of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from vesica._check import diagnose as check
from vesica.agreement.label_maps import PixelAgreementResult
from vesica.agreement.result import AgreementResult
from vesica.diagnose import agreement, segmentation, shapes, surfaces
from vesica.diagnose.finding import Finding
from vesica.segmentation.result import SegmentationResult
from vesica.segmentation.surface_result import SurfaceResult


def advise(
    result: SegmentationResult | SurfaceResult | AgreementResult | PixelAgreementResult,
    /,
    *,
    truth: Any = None,
    people: AgreementResult | PixelAgreementResult | None = None,
    half_width: float | None = None,
    concerns: Iterable[str] = (),
    silence: Iterable[str] = (),
) -> list[Finding]:
    """What a score hides, and which number would show it. Scores stay as they are.

    Parameters
    ----------
    result : what `evaluate_segmentation`, `evaluate_surfaces` or `evaluate_agreement` answers
    truth : label maps of the truth, as `evaluate_segmentation` takes arrays; optional
        Then what their shapes say is among the findings: many parts, small parts, thin ones.
    people : what `evaluate_agreement` answers of those who drew the truth; optional
        Then a score is looked at beside how far they agree, and they suggest a tolerance of outlines.
    half_width : float, optional
        How wide the interval of the first number may be to either side, such as mIoU or agreement. Where it is wider,
        how many more images are needed. Not of outlines.
    concerns : "size", "costs" or both, optional
        What matters to you: how large things are; or that misses cost more, or less, than false alarms.
    silence : codes that are not wanted, optional

    Examples
    --------
    >>> import vesica
    >>> truth, guess = [[[1] * 90 + [0] * 10], [[0] * 99 + [1]]], [[[1] * 90 + [0] * 10], [[0] * 100]]
    >>> result = vesica.evaluate_segmentation(truth, guess, background=0)
    >>> for finding in vesica.advise(result, silence=["MR04", "MR18"]):
    ...     print(finding.code, finding.evidence)
    MR11 {'both_empty': 0, 'guess_only': 0, 'truth_only': 1, 'lowest': 0.5, 'highest': 0.989011}
    MR13 {'mIoU': 0.989011, 'mDice': 0.994475}
    MR16 {'totals': 0.989011, 'images': 0.5, 'lowest images': [1]}
    """
    check.is_result(result, (SegmentationResult, SurfaceResult, AgreementResult, PixelAgreementResult))
    wanted, width = check.concerns(concerns), check.half_width(half_width, not isinstance(result, SurfaceResult))
    check.people(people, (AgreementResult, PixelAgreementResult))
    rules = {*segmentation.RULES, *surfaces.RULES, *shapes.RULES, *agreement.RULES}
    left_out = check.codes(silence, {*rules, "MR05", "MR24"})

    found: list[Finding] = []
    if isinstance(result, AgreementResult):
        found += [one for rule in agreement.RULES.values() for one in rule(result)]
    elif isinstance(result, PixelAgreementResult):
        found += agreement.beside_people(result)
    else:
        found += _of_scores(result, wanted, people)
        if truth is not None:
            background = result.policy.background if isinstance(result, SegmentationResult) else 0
            seen = shapes.shapes_of(truth, background or 0, result.policy.ignore)
            found += [one for rule in shapes.RULES.values() for one in rule(seen)]
    if width is not None and not isinstance(result, SurfaceResult):
        found += _too_wide(result, width)
    return sorted((one for one in found if one.code not in left_out), key=lambda one: one.code)


def _too_wide(result: SegmentationResult | AgreementResult | PixelAgreementResult, width: float) -> Iterator[Finding]:
    """Of the number that stands first."""
    if isinstance(result, SegmentationResult):
        name, images = next(iter(result)), len(result.counts)
    else:
        name = "agreement" if isinstance(result, AgreementResult) else "mIoU"
        images = len(result.records.images if isinstance(result, AgreementResult) else result.images)
    return agreement.too_wide(name, result.interval(name), images, width)


def _of_scores(
    result: SegmentationResult | SurfaceResult,
    concerns: set[str],
    people: AgreementResult | PixelAgreementResult | None,
) -> list[Finding]:
    """Of a model's score, and of the people behind its truth."""
    found = [] if people is None else list(agreement.beside_people(people))
    if isinstance(result, SegmentationResult):
        return [*found, *(one for rule in segmentation.RULES.values() for one in rule(result, concerns))]
    if not result.tau:
        found += surfaces.no_tau(agreement.suggested_tau(people))
    return [*found, *(one for rule in surfaces.RULES.values() for one in rule(result))]
