"""`vesica agree PART… --engine NAME`: files that say who marked each object, of different images, compared apart."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from vesica.cli import eval_output, scale_options

if TYPE_CHECKING:
    from vesica.agreement.policy import AgreementPolicy
    from vesica.agreement.result import AgreementResult

_AS_THEY_ARE = "parts are read as they are; `vesica convert` writes what a file leaves open"
_CLASSES = "parts are matched with all that is in them. Write parts of those classes alone, data.rows(…)"
WITHOUT = {
    **dict.fromkeys(
        ("files_format", "by_annotator", "assignments", "boxes", "sizes", "names", "kind", "columns"), _AS_THEY_ARE
    ),
    "classes": _CLASSES,
}
"""Options that say nothing where an engine works, and why."""


def scored(arguments: argparse.Namespace, policy: AgreementPolicy) -> AgreementResult:
    """How far annotators agree, of all parts."""
    from vesica import scale

    given = {"regions": arguments.regions, "missing": arguments.missing, **scale_options.given(arguments)}
    with scale_options.bar("objects") as progress:
        result = scale.evaluate_agreement(
            arguments.files, policy=policy, progress=progress, drawn=_needs_objects(arguments), **given
        )
    images, count = len(result.records.images), len(arguments.files)
    words = f"{count:,} files" if count > 1 else arguments.files[0]
    eval_output.say(f"Compared {images:,} images of {words} in parts, by {arguments.engine}.", arguments)
    return result


def _needs_objects(arguments: argparse.Namespace) -> bool:
    """Is something asked for that records of agreement do not tell?"""
    return any(getattr(arguments, name) is not None for name in ("consensus", "queue", "model"))
