"""Advice on scores, by what kind of result they are of."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from vesica._check import diagnose as check
from vesica.diagnose import segmentation, shapes, surfaces
from vesica.diagnose.finding import Finding
from vesica.segmentation.result import SegmentationResult
from vesica.segmentation.surface_result import SurfaceResult


def advise(
    result: SegmentationResult | SurfaceResult,
    /,
    *,
    truth: Any = None,
    concerns: Iterable[str] = (),
    silence: Iterable[str] = (),
) -> list[Finding]:
    """What a segmentation score hides, and which number would show it. Scores stay as they are.

    Parameters
    ----------
    result : what `evaluate_segmentation` or `evaluate_surfaces` answers
    truth : label maps of the truth, as `evaluate_segmentation` takes arrays; optional
        Then what their shapes say is among the findings: many parts, small parts, thin ones.
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
    check.is_result(result, (SegmentationResult, SurfaceResult))
    wanted = check.concerns(concerns)
    left_out = check.codes(silence, {*segmentation.RULES, *surfaces.RULES, *shapes.RULES})

    found: list[Finding] = []
    if isinstance(result, SegmentationResult):
        found += [one for rule in segmentation.RULES.values() for one in rule(result, wanted)]
        background = 0 if result.policy.background is None else result.policy.background
    else:
        found += [one for rule in surfaces.RULES.values() for one in rule(result)]
        background = 0
    if truth is not None:
        seen = shapes.shapes_of(truth, background, result.policy.ignore)
        found += [one for rule in shapes.RULES.values() for one in rule(seen)]
    return sorted((one for one in found if one.code not in left_out), key=lambda one: one.code)
