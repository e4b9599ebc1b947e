"""Agreement of annotators over many files."""

from __future__ import annotations

import os
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from vesica.scale.parts import Part, files_of
from vesica.scale.run import Progress, lasting_run
from vesica.scoring import evaluate_agreement as evaluate_one
from vesica.scoring import notes_of_areas

if TYPE_CHECKING:
    from vesica.agreement.annotations import Annotations
    from vesica.agreement.policy import AgreementPolicy
    from vesica.agreement.records import AgreementRecords
    from vesica.agreement.result import AgreementResult


def evaluate_agreement(
    annotations: Any,
    /,
    *,
    engine: str = "threads",
    workers: int | None = None,
    expected: Any = None,
    partial: bool = False,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    drawn: bool = False,
    policy: AgreementPolicy | None = None,
    threads: int | None = None,
    **options: Any,
) -> AgreementResult:
    """Compare annotators over many files, the same to the byte as `vesica.evaluate_agreement` of all of them at once.

    Parameters
    ----------
    annotations : path, pattern, folder, or list of such
        Files that say who marked each object, of different images.
    engine, workers, expected, partial, checkpoint, progress, threads : as of `vesica.scale.evaluate`
    drawn : bool, default False
        Read what was drawn too, all of it on this machine: consensus, queues and the place of a model among people need
        it, and records have none of it.
    policy : AgreementPolicy, optional
    **options : as of `vesica.evaluate_agreement`
    """
    from vesica.agreement.policy import AgreementPolicy
    from vesica.agreement.result import AgreementResult

    chosen = AgreementPolicy() if policy is None else policy
    parts: list[Part] = [{"name": path, "file": path} for path in files_of(annotations)]
    given = {**options, "policy": asdict(chosen), "threads": threads or 1}
    total = lasting_run(
        "agreement",
        parts,
        given,
        checkpoint=checkpoint,
        engine=engine,
        workers=workers,
        expected=expected,
        partial=partial,
        progress=progress,
    )
    records = total.records
    notes = (*notes_of_areas(records.area), *total.notes)
    return AgreementResult(records, _annotations(parts, options, threads) if drawn else None, notes, threads)


def _annotations(parts: list[Part], options: dict[str, Any], threads: int | None) -> Annotations:
    """What was drawn, in all parts: in an order that depends on nothing else, as that of records."""
    from vesica.agreement.annotations import annotations_of
    from vesica.dataset import Dataset
    from vesica.io.read import read

    data = Dataset.joined([read(part["file"]) for part in parts])
    how = {name: options[name] for name in ("regions", "missing") if name in options}
    return annotations_of(data, threads=threads, **how)


def records_of_part(part: Part, options: dict[str, Any], /) -> AgreementRecords:
    """The records of one part: what a worker does."""
    from vesica.agreement.policy import AgreementPolicy

    given = {**options, "policy": AgreementPolicy.from_dict(options["policy"])}
    found: AgreementRecords = evaluate_one(part["file"], **given).records
    return found
