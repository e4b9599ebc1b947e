"""`vesica seg TRUTH GUESS`: two folders of label maps in, or two COCO files; the scores of a segmentation out."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from vesica.cli import (
    eval_output,
    gate_options,
    outputs,
    refusal,
    report_options,
    scale_options,
    seg_options,
    seg_output,
)
from vesica.cli.epilogs import CODES, epilog

if TYPE_CHECKING:
    from vesica.results.gates import Verdict
    from vesica.segmentation.result import SegmentationResult
    from vesica.segmentation.surface_result import SurfaceResult

_EPILOG = epilog(
    """
  vesica seg truth/ guess/ --classes names.txt --ignore 255 --per-class
  vesica seg "gtFine/**/*_labelIds.png" results/ --map cityscapes --ignore 255
  vesica seg maps_a.npy maps_b.npy --background 0 --like monai --spread
  vesica seg truth.json guess.json --per-class                        # COCO: objects are drawn into label maps
  vesica seg ct/truth ct/guess --surface --tau 1 --per-class          # NIfTI: spacing from the header
  vesica seg vessels/truth vessels/guess --surface --cldice --boundary 2%
  vesica seg truth/ guess/ --report out.html --images photographs
  vesica seg truth/ guess/ --ignore 255 --engine processes --workers 2
  vesica seg truth/ guess/ --classes names.txt --ignore 255 --gate "mIoU>=0.7" --gate "IoU[road]>=0.9" --json
""",
    notes="""
Files are PNG (grey values or indices of a palette), .npy, .npz and NIfTI, which meet by name; or COCO's JSON.
""",
    codes=CODES,
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    seg_options.add_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    result, surfaces = _scored(arguments)
    facts = seg_output.facts_of(result, surfaces, arguments)
    verdicts = seg_output.verdicts(result, surfaces, arguments)
    facts["gates"] = gate_options.told(verdicts)
    if arguments.records is not None:
        from vesica.io import atomic

        with atomic.file(arguments.records) as file:
            file.write(result.to_bytes())
        eval_output.say(f"Wrote the counts of {len(result.counts):,} images: {arguments.records}", arguments)
    _report(result, surfaces, verdicts, arguments)
    answer = outputs.Answer(
        "seg",
        result.headline,
        facts,
        lambda: seg_output.show(result, surfaces, facts, arguments),
        seg_output.tables_of(facts),
        arguments.guess,
    )
    return outputs.tell(answer, arguments)


def _report(
    result: SegmentationResult, surfaces: SurfaceResult | None, verdicts: list[Verdict], arguments: argparse.Namespace
) -> None:
    """The page, if one was asked for: the files are where the label maps of its pictures are read again."""
    if arguments.report is None:
        return
    from vesica.report.label_maps import Scored

    relabel = seg_options.relabel_of(arguments.relabel)
    maps = Scored(arguments.truth, arguments.guess, relabel, arguments.crowd)
    results = (result,) if surfaces is None else (result, surfaces)
    files = [arguments.truth, arguments.guess]
    report_options.write(results, arguments, arguments.report, gates=verdicts, files=files, maps=maps)


def _scored(arguments: argparse.Namespace) -> tuple[SegmentationResult, SurfaceResult | None]:
    """The scores of pixels, and of outlines where they are asked for. Every file is read once."""
    options = seg_options.options_of(arguments)
    if scale_options.is_asked(arguments):
        return _scored_in_parts(arguments, options), None
    from vesica.cli.progress import track
    from vesica.scoring import image_pairs, label_images
    from vesica.segmentation.evaluator import SegmentationEvaluator
    from vesica.segmentation.surface_cells import Measured, measure
    from vesica.segmentation.surface_result import surface_result

    source = label_images(arguments.truth, arguments.guess, options.policy, threads=arguments.threads, **options.source)
    assert source.names is not None
    eval_output.say(f"{len(source.names):,} {source.noun}: {arguments.truth}, {arguments.guess}", arguments)
    if source.note:
        eval_output.say(f"  note: {source.note}.", arguments)
    policy = source.policy
    evaluator = SegmentationEvaluator(
        categories=source.categories,
        policy=policy,
        volume=arguments.volume or source.is_volumes,
        threads=arguments.threads,
    )
    batches = source.batches(evaluator.reading)
    found: list[Measured] = []
    for _ in track(range(len(source.names)), "count"):
        one = next(batches)
        evaluator.add([one.batch], images=one.ids, groups=one.groups)
        if arguments.surface:
            pairs = image_pairs([one], options.spacing)
            found += measure(pairs, None, ignore=policy.ignore, wanted=options.wanted, threads=arguments.threads)
    next(batches, None)  # to its end, where it tells what there is to tell of all
    result = evaluator.compute().with_remarks(source.remarks or ())
    refusal.look_at_labels(result.counts, policy.ignore, arguments)
    if not arguments.surface:
        return result, None
    labels = dict(zip(result.cells.labels.tolist(), result.categories, strict=True))
    labels.pop(policy.background, None)
    return result, surface_result(found, labels, policy, tau=options.tau, wanted=options.wanted, groups=None)


def _scored_in_parts(arguments: argparse.Namespace, options: seg_options.Options) -> SegmentationResult:
    """The scores of pixels, of files that are worked on at once."""
    from vesica import scale

    given = {**options.source, **scale_options.given(arguments), "volume": arguments.volume}
    with scale_options.bar("images") as progress:
        result = scale.evaluate_segmentation(
            arguments.truth, arguments.guess, policy=options.policy, progress=progress, **given
        )
    eval_output.say(
        f"Counted {len(result.counts):,} images in parts, by {arguments.engine}: {arguments.truth}, {arguments.guess}",
        arguments,
    )
    refusal.look_at_labels(result.counts, options.policy.ignore, arguments)
    return result
