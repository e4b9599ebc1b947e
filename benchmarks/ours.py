"""Our own calls, written as a user writes them: whole arrays in, every check included."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import vesica
from benchmarks.cases_agreement import CORNERS, IMAGE_SIDE, REPLICATES, ellipse_polygons
from benchmarks.cases_anchors import CLUSTERS, IMAGES, TRUTHS
from benchmarks.cases_intervals import REPLICATES as INTERVAL_REPLICATES
from benchmarks.cases_labels import CLASSES
from benchmarks.cases_masks import Coo, Images, Rle
from benchmarks.cases_matching import Scene
from benchmarks.cases_surfaces import ORGANS, TAU, Volume
from benchmarks.contender import FUSE_AT, JOIN_AT, MODELS, SOFT_AT, SOFT_LEAST, SOFT_SIGMA, Call, Contender
from benchmarks.formulas import Table
from benchmarks.machine import cores
from benchmarks.peers_agreement import interval_ends
from benchmarks.peers_fusion import uneven
from benchmarks.peers_labels import spread
from benchmarks.peers_masks import flat, runs
from benchmarks.peers_matching import total
from benchmarks.peers_nms import unit
from vesica.agreement.annotations import annotations_of
from vesica.agreement.dawid_skene import dawid_skene
from vesica.agreement.image_pairs import image_pairs_of
from vesica.agreement.pairing import contacts_of, pair
from vesica.agreement.staple import staple
from vesica.agreement.vote_patterns import vote_patterns
from vesica.detection.bootstrap import replicates_of
from vesica.io.label_files import pair_files, read_pairs
from vesica.segmentation import SegmentationResult
from vesica.segmentation.rules import FIELDS
from vesica.statistics.coefficients import krippendorff
from vesica.statistics.resampling import bootstrap


def _measure(name: str) -> Callable[[Table, Table], Call]:
    return lambda a, b: lambda: getattr(vesica, name)(a, b)


def _inclusive(a: Table, b: Table) -> Call:
    return lambda: vesica.iou(vesica.Boxes(a, "xyxy_inclusive"), vesica.Boxes(b, "xyxy_inclusive"))


def _rotated(a: Table, b: Table) -> Call:
    def turned(table: Table) -> vesica.RotatedBoxes:
        return vesica.RotatedBoxes(table, unit="deg", direction="cw")

    return lambda: vesica.iou(turned(a), turned(b))


def _join(a: Table, b: Table) -> Call:
    return lambda: vesica.join(a, b, at_least=JOIN_AT)


def _nms(boxes: Table, ranks: Table) -> Call:
    scores = np.ascontiguousarray(ranks[:, 0])
    return lambda: vesica.nms(boxes, scores, above=JOIN_AT)


def _nms_by_class(boxes: Table, ranks: Table) -> Call:
    scores, classes = np.ascontiguousarray(ranks[:, 0]), ranks[:, 1].astype(np.int64)
    return lambda: vesica.nms(boxes, scores, above=JOIN_AT, keys=classes)


def _masks(a: Table, b: Table) -> Call:
    return lambda: vesica.iou(vesica.Masks(a), vesica.Masks(b))


def _rle(a: Images, b: Images) -> Call:
    """The runs are read already, as they are after a file was."""
    pairs = [(_read(left), _read(right)) for left, right in zip(a, b, strict=True)]
    return lambda: [vesica.iou(*pair) for pair in pairs]


def _rle_from_dicts(a: Images, b: Images) -> Call:
    """Both sides are read anew in each call, as the peers read them."""
    return lambda: [vesica.iou(_read(left), _read(right)) for left, right in zip(a, b, strict=True)]


def _read(rles: list[Rle]) -> vesica.RleMasks:
    return vesica.RleMasks.from_coco(rles)


def _encode(a: Table, _: Table) -> Call:
    return lambda: vesica.RleMasks.from_masks(a)


def _encode_to_dicts(a: Table, _: Table) -> Call:
    return lambda: vesica.RleMasks.from_masks(a).to_coco()


def _decode(a: Images, _: Images) -> Call:
    masks = _read(a[0])
    return lambda: masks.to_masks()


def _sparse(coo: Coo, boxes: Table) -> Call:
    return lambda: vesica.iou(vesica.SparseMasks(coo.indices, size=coo.size), boxes)


def _contingency(a: Table, b: Table) -> Call:
    return lambda: vesica.LabelMap(a).contingency(vesica.LabelMap(b))


def _contingency_spread(a: Table, b: Table) -> Call:
    return _contingency(spread(a), spread(b))


def _segmentation(a: Table, b: Table) -> Call:
    def call() -> Any:
        result = vesica.evaluate_segmentation(a, b, categories=CLASSES)
        assert all(result.values())  # every number of it
        return result

    return call


def _streamed(images: int) -> Callable[[Table, Table], Call]:
    def prepare(a: Table, b: Table) -> Call:
        def call() -> Any:
            truths, guesses = ((side[k % len(side)] for k in range(images)) for side in (a, b))
            return vesica.evaluate_segmentation(truths, guesses, categories=CLASSES)

        return call

    return prepare


def _png(a: Path, b: Path) -> Call:
    return lambda: vesica.evaluate_segmentation(a, b, categories=CLASSES)


def _png_alone(a: Path, b: Path) -> Call:
    """The same files, decoded by as many threads, and not looked at."""

    def call() -> np.ndarray:
        pairs = read_pairs(pair_files(a, b), threads=cores())
        return np.array([truth.array.size + guess.array.size for truth, guess in pairs])

    return call


def _policies(counts: Any, _: None) -> Call:
    """A number under policies that were not asked for before."""
    fields = {name: FIELDS[name] for name in ("both_empty", "one_empty", "absent", "average")}

    def fresh() -> Iterator[tuple[SegmentationResult, vesica.SegmentationPolicy]]:
        while True:  # what was asked for before is known, so all begins anew with counts of their own
            result = SegmentationResult(replace(counts), vesica.SegmentationPolicy()).checked()
            for words in itertools.product(*fields.values()):
                yield result, vesica.SegmentationPolicy(**dict(zip(fields, words, strict=True)))

    pairs = fresh()

    def call() -> np.ndarray:
        result, policy = next(pairs)
        return np.array([result.under(policy)["mIoU"]])

    return call


def _surfaces(a: Volume, b: Volume) -> Call:
    labels = list(range(1, ORGANS + 1))
    return lambda: vesica.surface_distances(a.labels, b.labels, labels=labels)


def _distances(found: dict[int, Any]) -> np.ndarray:
    return np.array([[one.hd95, one.assd, one.nsd(TAU)] for one in found.values()]).T


def _pooled(found: dict[int, Any]) -> np.ndarray:
    return np.array([[one.hd(95, percentile_of="pooled"), one.assd] for one in found.values()]).T


def _transform(a: Volume, _: Volume) -> Call:
    mask = a.labels > 0
    return lambda: vesica.segmentation.distance_transform(mask)


def _cells(result: Any) -> np.ndarray:
    """The IoU of each class, a column for each image."""
    cells = result.cells
    return (cells.both / np.maximum(cells.truth + cells.guess - cells.both, 1)).T


def _labels(a: Table, b: Table) -> Call:
    return lambda: vesica.iou(vesica.LabelMap(a, background=None), vesica.LabelMap(b, background=None))


def _cluster(shapes: Table, _: Table) -> Call:
    return lambda: vesica.anchors.cluster(shapes, k=CLUSTERS)


def _assign_anchors(anchors: Table, truths: Table) -> Call:
    offsets = np.arange(IMAGES + 1) * TRUTHS
    return lambda: vesica.anchors.assign(anchors, truths, offsets=offsets)


def _assign(**options: Any) -> Callable[[Table, Table], Call]:
    return lambda a, _: lambda: vesica.assign(a, maximise=True, **options).value.sum()


def _match_optimal(a: Scene, b: Scene) -> Call:
    keys = a.image, b.image
    return lambda: vesica.match(a.boxes, b.boxes, keys=keys, at_least=JOIN_AT, how="optimal").value.sum()


def _match_greedy(a: Scene, b: Scene) -> Call:
    return lambda: vesica.match(a.boxes, b.boxes, scores=b.scores, keys=(a.image, b.image), at_least=JOIN_AT).guess_of


def _soft_nms(decay: str) -> Callable[[Table, Table], Call]:
    def prepare(boxes: Table, ranks: Table) -> Call:
        scaled, scores = unit(boxes), np.ascontiguousarray(ranks[:, 0])
        options = {"above": SOFT_AT, "sigma": SOFT_SIGMA, "min_score": SOFT_LEAST}
        return lambda: vesica.soft_nms(scaled, scores, decay=decay, **options)

    return prepare


def _fuse(boxes: Table, ranks: Table) -> Call:
    scaled, scores = unit(boxes), uneven(ranks)
    models = np.repeat(np.arange(MODELS), [len(part) for part in np.array_split(scores, MODELS)])
    return lambda: vesica.fuse(scaled, scores, above=FUSE_AT, models=models, score="avg")


def _fused(found: vesica.Fused) -> Table:
    return np.column_stack([found.boxes.xyxy, found.scores])


def _votes(stack: Table, _: Table) -> Call:
    return lambda: vote_patterns(stack)


def _votes_of_runs(stack: Table, _: Table) -> Call:
    masks = vesica.RleMasks.from_masks(stack)
    assert len(masks.counts)  # the runs are there before the clock starts
    return lambda: vote_patterns(masks)


def _staple(stack: Table, _: Table) -> Call:
    """From the masks of each object to its fit."""
    return lambda: [staple(vote_patterns(masks)) for masks in stack]


def _rates(fits: Any) -> Table:
    return np.stack([np.concatenate([fit.sensitivity, fit.specificity]) for fit in fits], axis=1)


def _dawid_skene(rows: Table, _: Table) -> Call:
    unit, annotator, label = np.ascontiguousarray(rows.T)
    return lambda: dawid_skene(unit, annotator, label, tolerance=1e-8)


def _krippendorff(rows: Table, _: Table) -> Call:
    unit, _, label = np.ascontiguousarray(rows.T)
    return lambda: krippendorff(unit, label)


def _bootstrap(sums: Table, _: Table) -> Call:
    return lambda: bootstrap(sums, lambda sums: sums, replicates=REPLICATES)


def _replicates(count: int = INTERVAL_REPLICATES, *, per_class: bool = False) -> Callable[[Any, Any], Call]:
    """From records to every number of every replicate, of each detector."""

    def prepare(paths: Any, _: Any) -> Call:
        results = [vesica.evaluate(str(paths[0]), str(guess)) for guess in paths[1:]]

        def call() -> Any:
            drawn = [replicates_of(one.records, replicates=count, per_class=per_class) for one in results]
            return [one.stats for one in results], drawn

        return call

    return prepare


def _deltas(found: Any) -> Table:
    """The scores, of two detectors their difference."""
    (first, *others), _ = found
    return np.array([others[0] - first if others else first])


def _annotations(rows: Table, asked: Table, *, are_masks: bool = False) -> vesica.Dataset:
    image, annotator, category = rows[:, :3].astype(np.int64).T
    people = {"image": asked[:, 0], "annotator": asked[:, 1]}
    told = {"image": image, "annotator": annotator, "category": category, "assignments": people}
    if not are_masks:
        return vesica.Dataset.from_arrays(np.ascontiguousarray(rows[:, 3:]), **told)
    points, each = ellipse_polygons(rows[:, 3:]), np.arange(len(rows) + 1)
    drawn = vesica.Polygons.from_arrays(points.reshape(-1, 2), each * CORNERS, each, each)
    size = (IMAGE_SIDE, IMAGE_SIDE)
    return vesica.Dataset.from_arrays(masks=drawn.to_rle(size, rule="centre"), sizes=size, **told)


def _pairing(rows: Table, asked: Table) -> Call:
    """All image pairs of all people, from a data set to matched pairs."""
    data, policy = _annotations(rows, asked), vesica.AgreementPolicy()

    def call() -> Any:
        drawn = annotations_of(data)
        scenes = image_pairs_of(drawn)
        return pair(drawn, scenes, contacts_of(drawn, scenes), policy=policy)

    return call


def _agreement(*, are_masks: bool = False) -> Callable[[Table, Table], Call]:
    """From a data set to all tables, with 2,000 replicates."""

    def prepare(rows: Table, asked: Table) -> Call:
        data = _annotations(rows, asked, are_masks=are_masks)

        def call() -> vesica.agreement.AgreementResult:
            result = vesica.evaluate_agreement(data)
            for table in (result.pairs, result.classes, result.annotators, result.images, result.objects):
                table()
            result.matches(), result.confusion(), result.ledger(), result.interval("alpha")
            return result

        return call

    return prepare


def _causes(like: str | None) -> Callable[[Table, Table], Call]:
    """From data sets to AP and what each cause costs it."""

    def prepare(truth: Table, guess: Table) -> Call:
        kinds = {"form": "xywh", "images": np.unique(truth[:, 0]).astype(int), "categories": list(range(80))}
        crowd = truth[:, 6].astype(bool)
        truths, guesses = (
            vesica.Dataset.from_arrays(
                rows[:, 2:6].copy(), image=rows[:, 0].astype(int), category=rows[:, 1].astype(int), **kinds, **more
            )
            for rows, more in ((truth, {"crowd": crowd}), (guess, {"score": guess[:, 6].copy()}))
        )
        return lambda: vesica.evaluate(truths, guesses, threads=1).causes(like=like)

    return prepare


def _costs(found: Any) -> Table:
    return np.array([found.ap, *found.table["cost"]])


def _matched(found: Any) -> Table:
    """How many pairs there are, and the sum of their IoU."""
    if isinstance(found, vesica.agreement.AgreementResult):
        pairs = found.pairs(intervals=False)
        return np.array([pairs["n_matched"].sum(), pairs["sum_iou"].sum()])
    return np.array([len(found), found.iou.sum()])


def _counts(found: Any) -> Table:
    return np.asarray(found.counts)


OURS = {
    call.name: call
    for call in (
        Contender("vesica.iou", "vesica", _measure("iou")),
        Contender("vesica.giou", "vesica", _measure("giou")),
        Contender("vesica.diou", "vesica", _measure("diou")),
        Contender("vesica.ciou", "vesica", _measure("ciou")),
        Contender("vesica.iou inclusive", "vesica", _inclusive),
        Contender("vesica.iou rotated", "vesica", _rotated),
        Contender("vesica.join", "vesica", _join, answer=tuple),
        Contender("vesica.nms", "vesica", _nms, np.sort),
        Contender("vesica.nms, 80 classes", "vesica", _nms_by_class, np.sort),
        Contender("vesica.iou of Masks", "vesica", _masks),
        Contender("vesica.iou of RleMasks", "vesica", _rle, flat),
        Contender("vesica.iou of dicts", "vesica", _rle_from_dicts, flat),
        Contender("RleMasks.from_masks", "vesica", _encode, lambda masks: runs(masks.to_coco())),
        Contender("RleMasks.from_masks, to_coco", "vesica", _encode_to_dicts, runs),
        Contender("RleMasks.to_masks", "vesica", _decode),
        Contender("vesica.iou of SparseMasks and boxes", "vesica", _sparse),
        Contender("LabelMap.contingency", "vesica", _contingency, _counts),
        Contender("LabelMap.contingency, ids to 1e12", "vesica", _contingency_spread, _counts),
        Contender("vesica.assign", "vesica", _assign(), total),
        Contender("vesica.assign, complete", "vesica", _assign(complete=True), total),
        Contender("vesica.match, optimal", "vesica", _match_optimal, total),
        Contender("vesica.match, greedy", "vesica", _match_greedy),
        Contender("vesica.soft_nms, linear", "vesica", _soft_nms("linear"), lambda kept: kept.index),
        Contender("vesica.soft_nms, gaussian", "vesica", _soft_nms("gaussian"), lambda kept: kept.index),
        Contender("vesica.fuse", "vesica", _fuse, _fused),
        # One class with itself: what a jaccard index is.
        Contender("vesica.iou of LabelMaps", "vesica", _labels, np.diagonal),
        Contender("vesica.evaluate_segmentation", "vesica", _segmentation, _cells),
        *(Contender(f"{n} images from a generator", "vesica", _streamed(n), _cells) for n in (10, 100, 1000)),
        Contender("vesica.evaluate_segmentation, PNG folders", "vesica", _png, _cells),
        Contender("PNG folders decoded", "vesica", _png_alone),
        Contender("SegmentationResult.under, mIoU", "vesica", _policies),
        Contender("vesica.surface_distances", "vesica", _surfaces, _distances),
        Contender("vesica.surface_distances, pooled HD95 and ASSD", "vesica", _surfaces, _pooled),
        Contender("vesica.segmentation.distance_transform", "vesica", _transform),
        Contender("anchors.cluster", "vesica", _cluster, lambda found: found.sizes),
        Contender("vote_patterns", "vesica", _votes, lambda found: found.table),
        Contender("vote_patterns of runs", "vesica", _votes_of_runs, lambda found: found.table),
        Contender("staple", "vesica", _staple, _rates),
        Contender("dawid_skene", "vesica", _dawid_skene, lambda found: found.belief),
        Contender("krippendorff", "vesica", _krippendorff, lambda found: np.atleast_1d(found.value)),
        Contender("bootstrap", "vesica", _bootstrap, interval_ends),
        Contender("2000 replicates", "vesica", _replicates(), _deltas),
        Contender("500 replicates", "vesica", _replicates(500), _deltas),
        Contender("2000 replicates, each class", "vesica", _replicates(per_class=True), _deltas),
        Contender("2000 of both", "vesica", _replicates(), _deltas),
        Contender("pairing", "vesica", _pairing, _matched),
        Contender("vesica.evaluate_agreement, all tables", "vesica", _agreement(), _matched),
        Contender("evaluate_agreement of masks, all tables", "vesica", _agreement(are_masks=True), _matched),
        Contender("evaluate and causes, like tidecv", "vesica", _causes("tidecv"), _costs),
        Contender("evaluate and causes", "vesica", _causes(None), _costs),
        Contender("anchors.assign", "vesica", _assign_anchors, lambda found: found.truth),
    )
}
