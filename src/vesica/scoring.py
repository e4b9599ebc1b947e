"""Scores of whatever people have: files, data sets, lists of dicts. The one place, beside the command line, that knows
both files and metrics."""

from __future__ import annotations

import functools
import itertools
import operator
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from vesica._check import names
from vesica.dataset import Dataset, Images
from vesica.detection.inputs import Inputs, inputs_of
from vesica.detection.protocol import Protocol, protocol_of
from vesica.detection.records import match_inputs
from vesica.detection.result import DetectionResult
from vesica.detection.rules import ProtocolName, QuirksName, RegionName
from vesica.results.result import Note

if TYPE_CHECKING:
    from vesica.agreement.annotations import Annotations
    from vesica.agreement.label_maps import PixelAgreementResult
    from vesica.agreement.policy import AgreementPolicy
    from vesica.agreement.result import AgreementResult
    from vesica.io.label_files import LabelFiles
    from vesica.io.options import Options
    from vesica.regions import Boxes, LabelMap, Masks, Polygons, RleMasks, RotatedBoxes, SparseMasks
    from vesica.segmentation.inputs import Batch, Reading
    from vesica.segmentation.panoptic import PanopticCategories, PanopticResult, Segments
    from vesica.segmentation.policy import SegmentationPolicy
    from vesica.segmentation.result import SegmentationResult
    from vesica.segmentation.surface_cells import Pair
    from vesica.segmentation.surface_result import SurfaceResult

    _Side = Dataset | str | os.PathLike[str]
    _Drawn = _Side | Mapping[Any, _Side] | Boxes | RotatedBoxes | Polygons | Masks | RleMasks | SparseMasks
    """What annotators drew, where its type says that it is no label map."""


@names.explained("evaluate")
def evaluate(
    truth: Any,
    guess: Any,
    /,
    *,
    protocol: ProtocolName = "coco",
    regions: RegionName = "box",
    iou: Any = None,
    areas: Any = None,
    max_dets: Any = None,
    by_class: bool = True,
    strict: bool | None = None,
    quirks: QuirksName | None = None,
    categories: Any = None,
    missing: str | None = None,
    details: bool = False,
    slices: Any = None,
    check: bool = True,
    threads: int | None = None,
) -> DetectionResult:
    """Score the guesses of a detector against truths.

    Parameters
    ----------
    truth, guess : Dataset, path, or list of one dict or object for each image
        A path is read in whichever format it has. Dicts have "boxes", "labels" and, of guesses, "scores"; objects are
        results of supervision, Ultralytics or detectron2. Of two lists, the nth are of one image where a side does not
        say which. Images of files and data sets meet by id; by name or stem where ids cannot meet, and a note says so.
    protocol : {"coco", "lvis", "voc", "voc07", "voc12", "voc-devkit"}
        Whose rules: of COCO (the default), LVIS, or Pascal VOC by all points ("voc", the same as "voc12") or by eleven
        ("voc07"). "voc" asks for an iou above the threshold, as the usual Python port does; "voc-devkit" for one that
        reaches it, as the original does.
    regions : {"box", "mask", "boundary", "rotated"}
        What is compared. "rotated" takes the corners of rotated boxes, from DOTA files, YOLO files of oriented boxes,
        or `Dataset.from_arrays(RotatedBoxes(…), …)`.
    iou : float or sequence, optional
        Thresholds instead of those of the protocol.
    areas : dict of name → (lowest, highest), optional
        Ranges of areas instead of all, small, medium, large.
    max_dets : int or sequence, optional
        How many guesses of an image and a class count, best first; by default 1, 10 and 100 for COCO.
    by_class : bool, default True
        Do only regions of one class meet?
    strict : bool, optional
        Must an iou exceed the threshold, and not only reach it? By default as the protocol has it.
    quirks : "pycocotools", optional
        Repeat that tool's faults to the byte. By default they are corrected, and the result says which mattered.
    categories : "name", "id", or dict of the guess's categories → the truth's, by name or id; optional
        How they meet. By default by name where both sides have names, and by id where not; then ids without a name must
        be among those that have one. What a dict does not name meets by name, where both sides have names. A value of
        None, and an id that does not meet with categories="id", is left out and counted.
    missing : "box", optional
        Where masks are compared, let truths that have none be compared as their boxes. By default they are an error.
    details : bool, default False
        Let `result.records` carry what causes, confusion and tables of objects need, for merging and for files. The
        result itself makes it when it is asked.
    slices : name of a column or several, dict of image → value, or dict of name → such a dict; optional
        What `result.slices` go by: camera, daylight, site. The columns are "group" and "batch" of the truth's images.
        A dict names images by id, file name or stem; None is the value of an image that is in no slice.
    check : bool, default True
        Of two files with a low score, look for a mistake as `vesica.check` does: corners read as sizes, shifted ids. A
        file that seems to be read wrongly is an error, which says how to repair it.
    threads : int, optional

    Examples
    --------
    >>> import vesica
    >>> truth = vesica.Dataset.from_arrays([[0, 0, 10, 10], [20, 20, 40, 40]], image=[1, 1], category=["cat", "dog"])
    >>> guess = vesica.Dataset.from_arrays(
    ...     [[1, 0, 10, 10], [20, 20, 40, 30]], image=[1, 1], category=["cat", "dog"], score=[0.9, 0.8]
    ... )
    >>> result = vesica.evaluate(truth, guess)
    >>> print(f"{result['AP']:.3f}")
    0.500
    >>> result.counts(iou=0.5).tp
    array([1, 1])

    The dog's iou is 0.5: it reaches the first threshold, and does not exceed it.

    >>> vesica.evaluate(truth, guess, iou=0.5, strict=True).counts().tp
    array([1, 0])
    """
    asked = protocol_of(
        protocol,
        regions=regions,
        iou=iou,
        areas=areas,
        max_dets=max_dets,
        by_class=by_class,
        strict=strict,
        quirks=quirks,
    )
    sides = data_sets_of(truth, guess, asked, threads)
    inputs = inputs_of(*sides, asked, categories=categories, missing=missing, threads=threads)
    records = match_inputs(inputs, asked, details=details, threads=threads)
    result = DetectionResult(records, inputs, threads, **_told_of_images(sides[0].images, inputs))
    if check and quirks is None and _is_file(truth) and _is_file(guess):
        _look(truth, guess, result, by_class and categories is None)
    return result if slices is None else result.sliced(slices)


def _told_of_images(images: Images, inputs: Inputs) -> dict[str, Any]:
    """What is known of the truth's images beside their ids, in the order of the records."""
    columns = {"group": images.group, "batch": images.batch}
    told = (images.names, images.width, *columns.values())
    if inputs.meeting is None or all(column is None for column in told):
        return {}
    place = inputs.meeting.truth_image
    is_rising = bool((place == np.arange(len(place))).all())  # as most files are
    order = slice(None) if is_rising else np.argsort(place)
    return {
        "image_sizes": None if images.width is None else images.sizes[order, ::-1],
        "image_names": None if images.names is None else images.names[order],
        "columns": {name: column[order] for name, column in columns.items() if column is not None},
    }


def _is_file(value: Any) -> bool:
    return isinstance(value, (str, os.PathLike)) and os.fspath(value) != "-"


def _look(truth: Any, guess: Any, result: DetectionResult, by_class: bool) -> None:
    """Raise where the score is low because a file seems to be read wrongly."""
    from vesica.diagnose.suspicion import is_low  # late: most scores ask nothing more

    if is_low(result):
        from vesica.diagnose.suspicion import look_at_files

        look_at_files(guess, truth, by_class=by_class)


@names.explained("segmentation")
def evaluate_segmentation(
    truth: Any,
    guess: Any,
    /,
    *,
    categories: Any = None,
    ignore: Any = None,
    background: int | None = None,
    policy: SegmentationPolicy | None = None,
    like: str | None = None,
    from_scores: str | float | None = None,
    volume: bool = False,
    images: Any = None,
    groups: Any = None,
    relabel: Any = None,
    crowd: str | None = None,
    threads: int | None = None,
) -> SegmentationResult:
    """Score segmentations against truths: pixels are counted once, and every convention can be asked for afterwards.

    Parameters
    ----------
    truth, guess : label maps (H, W), stacks (B, H, W), lists or generators of such, or paths
        Integers of any width or bool, of any library. A generator is read image by image, and nothing of it is kept but
        the counts. Or masks of each class, which may overlap: (B, C, H, W), or `Masks` and `RleMasks`, one collection
        for each image. Paths are folders, patterns or files of PNG, .npy, .npz or NIfTI, which meet by name. Or objects
        with masks: COCO files (.json), or `Dataset`s; they are drawn into label maps, over a background. Where objects
        of several classes lie on one pixel, the smallest truth has it, and the guess of the highest score.
    categories : labels of all classes, a dict of label → name, a list of names, or how many there are; optional
        By default all labels that occur on either side. With them, a label that is none of them is an error.
    ignore : label or labels, optional
        Pixels of the truth with such a label do not count. A guess of it is wrong where the truth has a class.
    background : label, optional
        A class that is kept out of means. Its pixels still count against the others.
    policy : SegmentationPolicy, optional
        All other conventions.
    like : str, optional
        The library whose conventions are taken, one of `vesica.segmentation.PRESETS`.
    from_scores : "argmax" or float, optional
        The guess is floats: scores of all classes, (B, C, H, W), of which the highest counts; or a pixel belongs above
        that value.
    volume : bool, default False
        The last three axes are one volume: (D, H, W), or (B, D, H, W). By default the last two are one image, so that
        three axes are a stack. Totals are the same; means over images are not.
    images, groups : one for each image, optional
        Ids, and what images belong to (a patient, a scene). Of files, the names are the ids, and `groups` is a dict of
        name → group.
    relabel : dict of label → label, or "cityscapes"; optional
        Other labels than those of the files, on both sides. A label that is not in the dict is an error.
    crowd : "ignore" or "count", optional
        Of objects: pixels of a crowd that no other truth has do not count, which is the default; or a crowd is an object
        like any other.
    threads : int, optional

    Examples
    --------
    >>> import vesica
    >>> truth = [[0, 0, 1, 1], [0, 0, 1, 1], [2, 2, 2, 2]]
    >>> guess = [[0, 0, 0, 1], [0, 3, 1, 1], [2, 2, 2, 0]]
    >>> result = vesica.evaluate_segmentation(truth, guess)
    >>> result["mIoU"], result["pixel_accuracy"]
    (0.5, 0.75)
    >>> [row["IoU"] for row in result.per_class()]
    [0.5, 0.75, 0.75, 0.0]

    With the classes said, a label that is none of them is found out:

    >>> vesica.evaluate_segmentation(truth, guess, categories=3)
    Traceback (most recent call last):
    ...
    vesica.errors.InputError: The guess has the label 3 (1 pixel), which is no category: they are [0, 1, 2]. Add it to the categories; or `ignore=3` lets such pixels of the truth not count. In Python: SegmentationPolicy(unknown_label="drop" or "add") says what becomes of them.
    """  # noqa: E501
    from vesica._check import label_files as check_label_files
    from vesica.segmentation.evaluator import SegmentationEvaluator, policy_of  # late: detection does not need it

    source = label_images(
        truth,
        guess,
        policy_of(policy, like=like, ignore=ignore, background=background),
        categories=categories,
        groups=groups,
        relabel=relabel,
        crowd=crowd,
        threads=threads,
    )
    evaluator = SegmentationEvaluator(
        categories=source.categories,
        policy=source.policy,
        from_scores=from_scores,
        volume=volume or source.is_volumes,
        threads=threads,
    )
    found = source.batches(evaluator.reading)
    if source.names is None:
        evaluator.add((one.batch for one in found), images=images, groups=groups)
        return evaluator.compute()
    check_label_files.named_by_files(images)
    for one in found:
        evaluator.add([one.batch], images=one.ids, groups=one.groups)
    return evaluator.compute().with_remarks(source.remarks or ())


@names.explained("segmentation")
def evaluate_surfaces(
    truth: Any,
    guess: Any,
    /,
    *,
    categories: Any = None,
    ignore: Any = None,
    policy: SegmentationPolicy | None = None,
    spacing: Any = None,
    tau: Any = (),
    percentile_of: str | None = None,
    boundary: Any = (),
    centrelines: bool = False,
    volume: bool = False,
    groups: Any = None,
    relabel: Any = None,
    crowd: str | None = None,
    threads: int | None = None,
) -> SurfaceResult:
    """Scores of outlines of many images: HD, HD95, ASSD, MASD, ASD, NSD and others of each class, and their means.

    The mean of a class is over the images that have it on either side: one that one side alone has takes the worst
    value, the diagonal of the image for distances and 0 for shares; one that neither has is left out, and counted.

    Parameters
    ----------
    truth, guess : label maps (H, W), stacks (B, H, W), volumes (D, H, W) with volume=True, lists of such, or paths
        As `evaluate_segmentation` takes them; objects too, and masks of each class, which may overlap.
    categories : labels, or a dict of label → name
        The classes that are compared; the background is not among them as a rule. Objects have their own. Of masks one
        for each, in their order; by default 0, 1, 2, …
    ignore : label or labels, optional
        Pixels of the truth with such a label are of no class on either side.
    policy : SegmentationPolicy, optional
        Its `percentile_of`, `distance_worst`, `spacing`, `tau` and `ignore`.
    spacing : float or one for each axis, optional
        As `surface_distances` takes it. Of NIfTI files the header says it.
    tau : float or several, optional
        Tolerances of NSD and of boundary F, in the unit of the spacing.
    percentile_of : "directed" or "pooled"
    boundary : width or widths of boundary IoU, optional
        In pixels, or as a share of the image's diagonal: "2%" is the one that was published.
    centrelines : bool, default False
        clDice too, for thin shapes.
    volume : bool, default False
        Are three axes a volume, and not a stack of images?
    groups : one for each image, or of files a dict of name → group; optional
    relabel : dict of label → label, or "cityscapes"; optional
    crowd : "ignore" or "count", optional
    threads : int, optional

    Examples
    --------
    >>> import vesica
    >>> truth, guess = [[1, 1, 0, 2, 2, 2]], [[1, 1, 1, 2, 2, 2]]
    >>> result = vesica.evaluate_surfaces(truth, guess, categories={1: "liver", 2: "spleen"}, tau=0.5, boundary="2%")
    >>> for name, value in result.items():
    ...     print(f"{name} {value:.3f}")
    HD 0.500
    HD95 0.450
    ASSD 0.100
    MASD 0.083
    ASD 0.167
    NSD(0.5) 0.900
    boundary_F(0.5) 0.900
    boundary_IoU(2%) 0.833
    """
    from vesica._check import label_files as check_label_files
    from vesica._check import segmentation as check_segmentation
    from vesica._check import surfaces as check_surfaces
    from vesica.segmentation.evaluator import policy_of  # late: detection does not need it
    from vesica.segmentation.inputs import Maps, Reading, categories_of, classes_of
    from vesica.segmentation.surface_cells import Wanted, measure
    from vesica.segmentation.surface_result import surface_result

    own = check_surfaces.no_preset(policy_of(policy, ignore=ignore, percentile_of=percentile_of))
    wanted = Wanted(check_surfaces.band_widths(boundary), check_segmentation.flag(centrelines, "centrelines"))
    source = label_images(
        truth, guess, own, categories=categories, groups=groups, relabel=relabel, crowd=crowd, threads=threads
    )
    batches = source.batches(Reading(source.categories, is_volumes=volume or source.is_volumes))
    first = next(batches, None)
    check_segmentation.some_images(first is not None)
    is_masks, known = first is not None and not isinstance(first.batch, Maps), source.categories
    if known is None and first is not None and is_masks:
        known = categories_of(classes_of(first.batch))  # of the classes 0, 1, 2, …
    labels = check_label_files.compared(known, source.policy.background)
    ids = known.ids if is_masks and known is not None else check_surfaces.labels(list(labels))

    every = batches if first is None else itertools.chain([first], batches)
    pairs = image_pairs(every, own.spacing if spacing is None else spacing)
    found = measure(pairs, ids, ignore=source.policy.ignore, wanted=wanted, threads=threads)
    own_groups = groups if source.names is None else None
    return surface_result(found, labels, source.policy, tau=tau, wanted=wanted, groups=own_groups)


class LabelBatch(NamedTuple):
    """Label maps that came together: a batch of arrays, a pair of files, or one image of objects."""

    batch: Batch
    ids: list[Any] | None = None
    """Of each image; None of arrays."""
    spacing: tuple[float, ...] | None = None
    group: Any = None

    @property
    def groups(self) -> list[Any] | None:
        """The same group for each image."""
        return None if self.group is None else [self.group] * len(self.batch)


class LabelImages(NamedTuple):
    """Label maps of truths and guesses, however they were given.

    Attributes
    ----------
    batches : lets them come, read in a certain way
    policy, categories : what was said, and what objects say by themselves
    is_volumes : are they files that hold volumes?
    names : of pairs of files, or of images of objects; None for arrays
    remarks : of objects, what there is to tell of how they met and were drawn: complete when all have come
    """

    batches: Callable[[Reading], Iterator[LabelBatch]]
    policy: SegmentationPolicy
    categories: Any
    is_volumes: bool = False
    names: Sequence[Any] | None = None
    remarks: list[Note] | None = None
    note: str | None = None
    """How the names of files meet, where they are not the same."""
    noun: str = "pairs of label maps"


def label_images(
    truth: Any,
    guess: Any,
    policy: SegmentationPolicy,
    /,
    *,
    categories: Any = None,
    groups: Any = None,
    relabel: Any = None,
    crowd: str | None = None,
    only: Collection[Any] | None = None,
    threads: int | None = None,
) -> LabelImages:
    """Where label maps come from: arrays, files that meet by name, or objects that are drawn.

    `only` are ids of images: of files and objects, no others are read and drawn. Files that have met already are given
    as LabelFiles, without a guess.
    """
    from vesica._check import label_files as check_label_files
    from vesica._check import painted as check_painted
    from vesica.io.label_files import LabelFiles, pair_files
    from vesica.segmentation.inputs import batches_of, categories_of

    if check_painted.are_objects(truth, guess):
        check_painted.own_categories(categories, policy.background, relabel)
        return _painted(truth, guess, policy, crowd or "ignore", groups, only, threads)
    check_painted.of_objects(crowd)
    known = categories_of(categories)
    if not isinstance(truth, LabelFiles) and not check_label_files.are_paths(truth, guess):
        check_label_files.of_files(relabel)
        return LabelImages(lambda how: map(LabelBatch, batches_of(truth, guess, how)), policy, known)
    files = truth if isinstance(truth, LabelFiles) else pair_files(truth, guess)
    files = files if only is None else files.only(only)
    kinds = check_label_files.groups_by_name(groups, files.names)
    return LabelImages(
        lambda how: _file_batches(files, how, relabel, kinds, threads),
        policy,
        known,
        files.is_volumes,
        files.names,
        note=files.note,
    )


def _file_batches(
    files: LabelFiles, how: Reading, relabel: Any, groups: Mapping[Any, Any] | None, threads: int | None
) -> Iterator[LabelBatch]:
    """A batch of each pair of files."""
    from vesica._kernels.native import thread_count
    from vesica.io.label_files import read_pairs, relabel_table
    from vesica.segmentation.inputs import batch_of

    pairs = read_pairs(files, relabel=relabel_table(relabel), threads=thread_count(threads))
    for name, (one, other) in zip(files.names, pairs, strict=True):
        batch = batch_of(one.array, other.array, how)
        ids = [name] if len(batch) == 1 else [f"{name}[{k}]" for k in range(len(batch))]
        yield LabelBatch(batch, ids, one.spacing, None if groups is None else groups[name])


def _painted(
    truth: Any,
    guess: Any,
    policy: SegmentationPolicy,
    crowd: str,
    groups: Any,
    only: Collection[Any] | None,
    threads: int | None,
) -> LabelImages:
    """Objects as label maps, over a background that is no class of its own, with a label for what does not count."""
    from vesica._check import label_files as check_label_files
    from vesica.segmentation.inputs import batch_of
    from vesica.segmentation.painted import paint

    ours, theirs = data_sets_of(truth, guess, protocol_of("coco", regions="mask"), threads)
    found = paint(ours, theirs, crowd=crowd)
    kinds = check_label_files.groups_by_name(groups, found.images.tolist())
    remarks = [Note(*one[:3]) for one in found.remarks]
    remarks.append(Note("objects", len(ours), "objects of the truth are drawn into label maps"))

    def batches(how: Reading) -> Iterator[LabelBatch]:
        claimed = 0
        for image, one, other, more in found.pairs(only):
            claimed += more
            yield LabelBatch(batch_of(one, other, how), [image], None, None if kinds is None else kinds[image])
        if claimed:
            remarks.append(Note("overlaps", claimed, "pixels that objects of several classes claim have one of them"))

    is_ignored = found.background in policy.ignore
    ignore = tuple(dict.fromkeys((*policy.ignore, found.void)))
    own = replace(policy, background=None if is_ignored else found.background, ignore=ignore)
    return LabelImages(
        batches, own, found.categories, names=found.images.tolist(), remarks=remarks, noun="images of objects"
    )


def image_pairs(found: Iterable[LabelBatch], spacing: Any, /) -> Iterator[Pair]:
    """Of batches each image alone: its id or else its number, both sides, its spacing and its group."""
    from vesica.segmentation.inputs import Maps, check_one_hot
    from vesica.segmentation.surface_cells import Pair

    number = itertools.count()
    for one in found:
        batch = one.batch
        if isinstance(batch, Maps) and len(batch) > 1:
            check_one_hot(batch)
        for k in range(len(batch)):
            place = next(number)
            image = place if one.ids is None else one.ids[k]
            sides = (batch.truth[k, ...], batch.guess[k, ...]) if isinstance(batch, Maps) else batch[k]
            yield Pair(image, sides, one.spacing if spacing is None else spacing, one.group)


@overload
def evaluate_agreement(
    annotations: _Drawn,
    other: _Drawn | None = None,
    /,
    *,
    policy: AgreementPolicy | None = None,
    regions: str | None = None,
    missing: str | None = None,
    explain: bool = False,
    threads: int | None = None,
) -> AgreementResult: ...
@overload
def evaluate_agreement(
    annotations: LabelMap,
    other: LabelMap,
    /,
    *,
    policy: AgreementPolicy | None = None,
    explain: bool = False,
    threads: int | None = None,
) -> PixelAgreementResult: ...
@overload
def evaluate_agreement(
    annotations: Any,
    other: Any = None,
    /,
    *,
    policy: AgreementPolicy | None = None,
    regions: str | None = None,
    missing: str | None = None,
    explain: bool = False,
    threads: int | None = None,
) -> AgreementResult | PixelAgreementResult: ...
@names.explained("agreement")
def evaluate_agreement(
    annotations: Any,
    other: Any = None,
    /,
    *,
    policy: AgreementPolicy | None = None,
    regions: str | None = None,
    missing: str | None = None,
    explain: bool = False,
    threads: int | None = None,
) -> AgreementResult | PixelAgreementResult:
    """Tell how far annotators agree: who differs from whom, where, and how.

    Objects of two annotators in one image are matched by geometry alone, one to one, with the largest sum of IoU;
    labels are compared afterwards. What keeps a pair from full credit, and what has no partner, is a loss with a type;
    all losses add up to 1 − agreement.

    Parameters
    ----------
    annotations : Dataset with `annotator` and `assignments`; or a dict of annotator → Dataset, path, list of dicts of
        "boxes" and "labels", one for each image, regions of one image, or label maps
        `Dataset.of_annotators` makes one data set of several. An image that an annotator was asked for and has no
        objects in was seen to be empty; one that they were not asked for does not count.
    other : optional
        With it, the two are what two annotators drew: data sets, paths, or lists of dicts; or in one image tables of
        boxes, rotated boxes, polygons, masks, dicts of "boxes" and "labels", two label maps, or two masks (H, W).
    policy : AgreementPolicy, optional
        When objects match, what a match is worth, what a quorum is; and how intervals are made.
    regions : {"mask", "rotated", "box"}, optional
        What is compared; by default masks where all objects have one, else rotated boxes, else boxes.
    missing : "box", optional
        Where masks are compared, let objects that have none be compared as their boxes. By default they are an error.
    explain : bool, default False
        Print the steps by which the numbers come about.
    threads : int, optional

    Returns
    -------
    AgreementResult, or PixelAgreementResult for label maps and masks (H, W)

    Examples
    --------
    >>> import vesica
    >>> result = vesica.evaluate_agreement([[0, 0, 10, 10], [20, 0, 30, 10]], [[0, 0, 10, 8]])
    >>> round(result["agreement"], 6), result["mean_iou"]
    (0.533333, 0.8)
    >>> print(result.ledger().text())
    type        count  amount  share
    loose edge      1   0.200  0.133
    missing         1   0.500  0.333

    Two label maps, class by class:

    >>> maps = vesica.evaluate_agreement([[0], [0], [1], [1], [1]], [[0], [1], [1], [1], [0]])
    >>> maps.classes()["iou"].tolist(), round(maps["mIoU"], 6)
    ([0.3333333333333333, 0.5], 0.416667)
    """
    from vesica._check import agreement as check_agreement
    from vesica.agreement.policy import AgreementPolicy

    asked = check_agreement.agreement_policy(policy, AgreementPolicy)
    result = _agreement_of(annotations, other, asked, regions, missing, threads)
    if explain:
        print(result.explain())
    return result


def _agreement_of(
    annotations: Any,
    other: Any,
    policy: AgreementPolicy,
    regions: str | None,
    missing: str | None,
    threads: int | None,
) -> AgreementResult | PixelAgreementResult:
    from vesica._check import agreement as check_agreement
    from vesica.agreement import plain
    from vesica.agreement.annotations import annotations_of
    from vesica.agreement.label_maps import compare_maps, maps_of
    from vesica.agreement.records import records_of
    from vesica.agreement.result import AgreementResult

    sides = annotations if other is None else dict(zip(plain.SIDES, (annotations, other), strict=True))
    if isinstance(sides, Mapping):
        check_agreement.two_people(sides)
        if all(isinstance(side, (Dataset, str, os.PathLike)) for side in sides.values()):
            sides = Dataset.of_annotators({who: _annotations_of(side, threads) for who, side in sides.items()})
        elif all(map(plain.is_list_of_dicts, sides.values())):
            sides = Dataset.of_annotators(plain.data_of_dicts(sides))
        elif plain.are_maps(sides):
            return compare_maps({who: maps_of(side) for who, side in sides.items()}, policy=policy, threads=threads)
        else:
            check_agreement.of_data_sets(regions, missing)
            drawn = plain.annotations_of_sides(sides, threads=threads)
            return AgreementResult(records_of(drawn, policy, threads=threads), drawn, _notes_of(drawn), threads)
    data = _annotations_of(sides, threads)
    drawn = annotations_of(data, regions=regions, missing=missing, threads=threads)
    records = records_of(drawn, policy, threads=threads)
    check_agreement.some_scenes(records)
    return AgreementResult(records, drawn, _notes_of(drawn), threads)


def _annotations_of(value: Any, threads: int | None) -> Dataset:
    """A data set, or the file that a path stands for."""
    from vesica._check import agreement as check_agreement

    if isinstance(value, Dataset):
        return value
    from vesica.io.read import read

    return read(check_agreement.path_or_data(value))


def _notes_of(drawn: Annotations) -> tuple[Note, ...]:
    """What the data set was read with, and what can match nothing."""
    return (*(Note("read", 1, text) for text in drawn.data.notes), *notes_of_areas(drawn.area))


def notes_of_areas(area: np.ndarray, /) -> tuple[Note, ...]:
    """What is told of objects that annotators drew without an area."""
    empty = int((area == 0).sum())
    return (Note("area", empty, "objects have no area, and so no overlap with anything"),) if empty else ()


@names.explained("panoptic")
def evaluate_panoptic(
    truth: Any,
    guess: Any,
    /,
    *,
    categories: Any = None,
    things: Any = None,
    truth_folder: str | os.PathLike[str] | None = None,
    guess_folder: str | os.PathLike[str] | None = None,
    quirks: str | None = None,
    void: bool = True,
    threads: int | None = None,
) -> PanopticResult:
    """Panoptic quality: segments of one category match where more than half of their union is shared.

    PQ = the sum of the IoUs of matches / (matches + ½ made up + ½ missed) = SQ · RQ, for each category; the numbers are
    means over the categories that occur. Pixels where the truth is void are in no union. A guess that lies for more
    than half in the void, or in crowds of its category, is not made up; a crowd is not missed.

    Parameters
    ----------
    truth, guess : paths of COCO's panoptic JSON, or lists of pairs (ids, segments)
        Beside val.json, the PNG files are in val/, or in `truth_folder` and `guess_folder`. `ids` are integers (H, W),
        or (D, H, W), 0 for no segment; `segments` says what each id is: {7: category}, or COCO's list of dicts with
        "id", "category_id" and "iscrowd". The nth pairs of two lists are of one image.
    categories : COCO's list of dicts, a dict of id → name, or ids; optional
        By default those of the truth's file, or all that occur.
    things : ids of categories, optional
        Those with single objects; by default as "isthing" of the categories says. The others are stuff.
    quirks : "panopticapi", optional
        Of several crowds of one category in an image let the last alone excuse guesses, as that tool does.
    void : bool, default True
        Are pixels of no segment void, where the truth does not know? False: they are background, and a guess there is
        made up; as of lesions, `vesica.segmentation.components`.
    threads : int, optional

    Examples
    --------
    >>> import vesica
    >>> truth = [([[1, 1, 1, 2], [1, 1, 1, 2]], {1: 17, 2: 3})]
    >>> guess = [([[5, 5, 5, 5], [5, 5, 6, 6]], {5: 17, 6: 3})]
    >>> result = vesica.evaluate_panoptic(truth, guess, categories={17: "cat", 3: "grass"}, things=[17])
    >>> print(result)
    panoptic quality: 1 images, 2 categories, 1 segments matched, 1 missed, 1 made up
    PQ         0.357
    SQ         0.357
    RQ         0.500
    PQ_things  0.714
    SQ_things  0.714
    RQ_things  1.000
    PQ_stuff   0.000
    SQ_stuff   0.000
    RQ_stuff   0.000
    """
    from vesica._check import one_of  # late: detection does not need them
    from vesica._check import panoptic as check_panoptic
    from vesica.segmentation.panoptic import score
    from vesica.segmentation.rules import PANOPTIC_QUIRKS

    if quirks is not None:
        one_of(quirks, PANOPTIC_QUIRKS, "quirks")
    found = panoptic_images(
        truth, guess, categories=categories, things=things, truth_folder=truth_folder, guess_folder=guess_folder
    )
    is_void = check_panoptic.void(void)
    return score(map(found.pair, found.ids), found.categories, quirks=quirks, void=is_void, threads=threads)


class PanopticImages(NamedTuple):
    """The images of two sides and their categories; `pair` reads the maps of one."""

    ids: Sequence[Any]
    categories: PanopticCategories
    pair: Callable[[Any], tuple[Any, Segments, Segments]]


def panoptic_images(
    truth: Any,
    guess: Any,
    /,
    *,
    categories: Any = None,
    things: Any = None,
    truth_folder: str | os.PathLike[str] | None = None,
    guess_folder: str | os.PathLike[str] | None = None,
) -> PanopticImages:
    """What `evaluate_panoptic` was given, read as far as it can be without a map."""
    from vesica._check import panoptic as check_panoptic
    from vesica.segmentation import panoptic_inputs

    sides = _panoptic_side(truth, "truth", truth_folder), _panoptic_side(guess, "guess", guess_folder)
    (ours, told_ours, own), (theirs, told_theirs, _) = sides
    check_panoptic.same_images(list(ours), list(theirs))
    listed = own if categories is None else categories
    if listed is None:
        known = panoptic_inputs.categories_in([*told_ours.values(), *told_theirs.values()], things)
    else:
        known = panoptic_inputs.categories_of(listed, things)

    def pair(image: Any) -> tuple[Any, Segments, Segments]:
        left = panoptic_inputs.segments_of(ours[image](), told_ours[image], known, "truth", image)
        right = panoptic_inputs.segments_of(theirs[image](), told_theirs[image], known, "guess", image)
        return image, left, right

    return PanopticImages(list(ours), known, pair)


def write_panoptic(
    path: str | os.PathLike[str],
    images: Any,
    /,
    *,
    categories: Any,
    things: Any = None,
    overwrite: bool = False,
) -> None:
    """Write COCO's panoptic form: a JSON file, and a folder of PNG files beside it whose colours are ids of segments.

    They are there whole or not at all: what fails or is interrupted leaves earlier ones as they were. Areas and boxes
    of segments are counted from the maps.

    Parameters
    ----------
    path : of the JSON file; beside val.json, the PNG files are in val/
    images : pairs (ids, segments) by the id of their image, or one after the other, which numbers them from 0
        As `evaluate_panoptic` takes them. Of an iterator nothing is held.
    categories : COCO's list of dicts, a dict of id → name, or ids
    things : ids of categories, optional
        Those with single objects; by default as "isthing" of the categories says.
    overwrite : bool, default False
        Replace a file and PNG files of that name.

    Examples
    --------
    >>> import tempfile, vesica
    >>> images = {7: ([[1, 1, 2]], {1: 17, 2: 3})}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     vesica.write_panoptic(f"{folder}/val.json", images, categories={17: "cat", 3: "grass"}, things=[17])
    ...     vesica.evaluate_panoptic(f"{folder}/val.json", f"{folder}/val.json")["PQ"]
    1.0
    """
    from vesica._check import panoptic as check_panoptic
    from vesica.io.panoptic_write import write_images
    from vesica.segmentation import panoptic_inputs

    known = panoptic_inputs.categories_of(categories, things)
    pairs = images.items() if isinstance(images, Mapping) else enumerate(check_panoptic.one_by_one(images))
    write_images(path, panoptic_inputs.maps_of(pairs, known), panoptic_inputs.rows_of(known), overwrite=overwrite)


def _panoptic_side(side: Any, name: str, folder: Any) -> tuple[dict[Any, Callable[[], Any]], dict[Any, Any], Any]:
    """By image: what reads the map, and the segments; and the categories of a file."""
    from vesica._check import panoptic as check_panoptic

    if isinstance(side, (str, os.PathLike)):
        from vesica.io.panoptic import read_panoptic

        file = read_panoptic(side, folder=folder)
        maps: dict[Any, Callable[[], Any]] = {image: functools.partial(file.ids, image) for image in file.images}
        return maps, {image: file.segments(image) for image in file.images}, file.categories
    check_panoptic.no_folder(folder, name)
    pairs = [check_panoptic.pair(one, name, place) for place, one in enumerate(check_panoptic.listed(side, name))]
    maps = {place: functools.partial(operator.itemgetter(0), pair) for place, pair in enumerate(pairs)}
    return maps, {place: told for place, (_, told) in enumerate(pairs)}, None


def data_sets_of(truth: Any, guess: Any, protocol: Protocol, threads: int | None, /) -> tuple[Dataset, Dataset]:
    """Data sets of what was given. Label files without sizes, and lists that do not say of which images they are, have
    the images of the other side."""
    truth, guess = (list(side) if isinstance(side, Iterator) else side for side in (truth, guess))
    ours = _data_of(truth, how_to_read(protocol, threads))
    theirs = _data_of(guess, how_to_read(protocol, threads, images=ours.images, predictions=True))
    _check_labels(truth, ours, guess, theirs)
    _check_authors(ours, theirs)
    ours_open, theirs_open = _is_open(truth, ours), _is_open(guess, theirs)
    if theirs_open:
        theirs = _placed(theirs, ours, "guess", is_list=_is_list(truth))
    elif ours_open:
        ours = _placed(ours, theirs, "truth", is_list=_is_list(guess))
    return ours, theirs


def read_truth(truth: Any, protocol: Protocol, threads: int | None, /) -> Any:
    """The data set of a file that is scored more than once; anything else as it is."""
    return _data_of(truth, how_to_read(protocol, threads)) if isinstance(truth, (str, os.PathLike)) else truth


def _check_authors(*sides: Dataset) -> None:
    for side, data in zip(("truth", "guess"), sides, strict=True):
        if data.annotator is not None:
            from vesica._check import meeting as check  # late: most data sets have one author

            check.one_author(data, side)


def _check_labels(truth: Any, ours: Dataset, guess: Any, theirs: Dataset) -> None:
    """Objects without labels are of one class: such a list meets neither labels nor data of many classes."""
    if not len(ours) or not len(theirs) or not (_is_list(truth) or _is_list(guess)):
        return
    from vesica._check import evaluator as check  # late: files have categories
    from vesica.dataset.adapters import has_labels

    for side, value, other, data in (("truth", truth, guess, theirs), ("guess", guess, truth, ours)):
        if _is_list(value) and not has_labels(value):
            check.no_classes(side, has_labels(other) if _is_list(other) else len(data.categories) > 1)


def _placed(data: Dataset, other: Dataset, side: str, is_list: bool) -> Dataset:
    """The nth image of a list is the nth of the other list; of other data it is the one with that number."""
    from vesica._check import meeting as check  # late: files say of which images they are

    if not is_list:
        check.numbered_images(data.images.ids, other.images.ids, side)
        return data
    check.as_many_images(len(data.images), len(other.images), side)
    return replace(data, images=replace(data.images, ids=other.images.ids))


def how_to_read(
    protocol: Protocol, threads: int | None, /, *, images: Any = None, sizes: Any = None, **said: Any
) -> Callable[[str], Options]:
    """The options of a file that is to be scored, by its format: masks only where they are compared, and what files
    leave open, by the names of options of `read`."""

    def options(format: str) -> Options:
        from vesica.io.formats import FORMATS  # late: a Dataset is not read
        from vesica.io.options import Options

        known = FORMATS[format].options
        every = {"images": images, "sizes": sizes, **said}
        if not FORMATS[format].is_by_image and isinstance(images, Images):
            every["images"] = None
            if sizes is None and "sizes" in known:  # names take longer to look through than a file may take to read
                every["sizes"] = _sizes_of(images)
        turned: dict[str, Any] = dict(FORMATS[format].of_rotated) if protocol.regions == "rotated" else {}
        told = turned | {name: value for name, value in every.items() if name in known and value is not None}
        look, masks = not protocol.repeats.any_number, protocol.compares_masks
        return Options(masks=masks, check=look, literal=protocol.literal, threads=threads, **told)

    return options


def _sizes_of(images: Images) -> dict[Any, Any] | None:
    """Height and width by id, and by the name of the picture with and without its ending; None if no size is known."""
    if images.height is None or images.width is None:
        return None
    sizes = images.sizes.tolist()
    names = [] if images.names is None else images.names.tolist()
    by_name = {name: size for name, size in zip(names, sizes, strict=False) if name is not None}
    by_stem = {os.path.splitext(os.path.basename(name))[0]: size for name, size in by_name.items()}
    return {**by_stem, **by_name, **dict(zip(images.ids.tolist(), sizes, strict=True))}


def _data_of(value: Any, options: Callable[[str], Options]) -> Dataset:
    if isinstance(value, Dataset):
        return value
    if isinstance(value, (str, os.PathLike)):
        from vesica.io.read import find

        return find(value, options).data
    if isinstance(value, Sequence) and value and isinstance(value[0], Mapping):
        return Dataset.from_dicts(value)
    return Dataset.from_objects(value)


def _is_open(value: Any, data: Dataset) -> bool:
    """Is it a list that does not say of which images it is?"""
    has_ids = _is_list(value) and any(isinstance(one, Mapping) and one.get("image_id") is not None for one in value)
    return _is_list(value) and not has_ids and data.images.ids.dtype != object


def _is_list(value: Any) -> bool:
    return not isinstance(value, (Dataset, str, os.PathLike))
