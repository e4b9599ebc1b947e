"""What users of other tools write, and the line to write here. The errors read it, and docs/coming_from.md shows it."""

from __future__ import annotations

import re
from typing import NamedTuple


class Habit(NamedTuple):
    """What users of other tools write, and the line to write here."""

    tools: tuple[str, ...]
    names: tuple[str, ...]
    """Attributes of a package; or, with `of`, options of a function."""
    write: str
    """A line that runs, with `{verb}` for the function that was called."""
    note: str = ""
    of: str = ""
    """The group of functions whose option it is; nothing for a function or class of its own."""

    def line(self, verb: str = "") -> str:
        """The line for the function that was called."""
        line = self.write.replace("{verb}", verb)
        if verb.endswith("Evaluator"):  # whose data come later
            line = re.sub(r"\((truth, guess|a, b)(, )?", "(", line)
        return line


TORCHVISION, TORCHMETRICS, SUPERVISION = "torchvision", "torchmetrics", "supervision"
ULTRALYTICS, SKLEARN, SCIPY, MONAI = "Ultralytics", "scikit-learn", "SciPy", "MONAI"
DETECTRON2, MMDET, COCO, OPENCV, FUSION = "detectron2", "mmdetection", "pycocotools", "OpenCV", "ensemble-boxes"
NOWHERE = "tutorials"

CLASSES = "*(vesica.LabelMap(x, ids=range(3), background=None) for x in (a, b))"
HALF_OPEN = "Boxes here are half-open: x2 and y2 are one more than the last pixel."
CENTRES = 'Its "xywh" are centres: "cxcywh" here.'

HABITS = (
    # Overlaps
    Habit((TORCHVISION, ULTRALYTICS, MONAI), ("box_iou",), "vesica.iou(boxes, others)"),
    Habit(
        (TORCHVISION, MONAI), ("generalized_box_iou", "box_giou", "generalised_box_iou"), "vesica.giou(boxes, others)"
    ),
    Habit((TORCHVISION,), ("distance_box_iou",), "vesica.diou(boxes, others)"),
    Habit((TORCHVISION,), ("complete_box_iou",), "vesica.ciou(boxes, others)"),
    Habit((MONAI,), ("box_pair_giou",), "vesica.giou(boxes, boxes, aligned=True)"),
    Habit((TORCHMETRICS,), ("intersection_over_union", "IntersectionOverUnion"), "vesica.iou(boxes, others)"),
    Habit(
        (TORCHMETRICS,),
        ("generalized_intersection_over_union", "GeneralizedIntersectionOverUnion"),
        "vesica.giou(boxes, others)",
    ),
    Habit(
        (TORCHMETRICS,),
        ("complete_intersection_over_union", "CompleteIntersectionOverUnion"),
        "vesica.ciou(boxes, others)",
    ),
    Habit(
        (TORCHMETRICS,),
        ("distance_intersection_over_union", "DistanceIntersectionOverUnion"),
        "vesica.diou(boxes, others)",
    ),
    Habit((SUPERVISION,), ("box_iou_batch",), "vesica.iou(boxes, others)"),
    Habit(
        (SUPERVISION, ULTRALYTICS),
        ("mask_iou_batch", "mask_iou"),
        "vesica.iou(vesica.Masks(masks), vesica.Masks(masks))",
    ),
    Habit(
        (SUPERVISION, ULTRALYTICS, DETECTRON2),
        ("oriented_box_iou_batch", "probiou", "batch_probiou", "pairwise_iou_rotated", "box_iou_rotated"),
        'vesica.iou(vesica.RotatedBoxes(turned, unit="rad", direction="cw"), boxes)',
        "The overlap is exact; probiou is a measure of Gaussians, and another number.",
    ),
    Habit((ULTRALYTICS, MMDET), ("bbox_iou", "bbox_overlaps"), "vesica.iou(boxes, others)", CENTRES),
    Habit((DETECTRON2,), ("pairwise_iou",), "vesica.iou(boxes, others)"),
    Habit((DETECTRON2,), ("pairwise_ioa",), 'vesica.coverage(boxes, others, of="b")'),
    Habit((DETECTRON2,), ("matched_pairwise_iou", "matched_boxlist_iou"), "vesica.iou(boxes, boxes, aligned=True)"),
    Habit(
        (NOWHERE,),
        ("bb_intersection_over_union", "calculate_iou", "compute_iou", "get_iou", "IoU", "iou_score"),
        "vesica.iou([0, 0, 4, 4], [2, 2, 6, 6])",
        'Where the sides are x2 − x1 + 1, both ends belong: vesica.Boxes(boxes, "xyxy_inclusive").',
    ),
    Habit((NOWHERE,), ("jaccard", "jaccard_index", "jaccard_similarity"), "vesica.iou(boxes, others)"),
    Habit((MMDET,), ("iof", "ioa"), "vesica.coverage(boxes, others)"),
    Habit((SUPERVISION,), ("ios",), "vesica.overlap(boxes, others)"),
    # Classes of label maps
    Habit((SKLEARN,), ("jaccard_score",), f"vesica.iou({CLASSES}, aligned=True)"),
    Habit(
        (SKLEARN, TORCHMETRICS), ("f1_score", "dice_score", "dice_coefficient"), f"vesica.dice({CLASSES}, aligned=True)"
    ),
    Habit(
        (SKLEARN, TORCHMETRICS, SUPERVISION),
        ("confusion_matrix", "ConfusionMatrix", "MulticlassConfusionMatrix"),
        "vesica.LabelMap(a, background=None).contingency(vesica.LabelMap(b, background=None)).counts",
        "Of a detector: vesica.evaluate(truth, guess).confusion().",
    ),
    Habit(
        (TORCHMETRICS,),
        ("mean_iou", "MeanIoU", "miou", "mIoU", "JaccardIndex", "MulticlassJaccardIndex", "BinaryJaccardIndex"),
        'vesica.evaluate_segmentation(a, b, categories=3)["mIoU"]',
        'like="torchmetrics" takes the mean as MeanIoU does; others are other numbers.',
    ),
    Habit(
        (MONAI,),
        ("DiceMetric", "compute_dice", "DiceScore"),
        'vesica.evaluate_segmentation(a, b, like="monai")["mDice"]',
        "Of one stack of masks: vesica.dice(vesica.Masks(masks), vesica.Masks(masks), aligned=True).",
    ),
    Habit(
        (MONAI,),
        ("compute_meandice", "compute_iou_mask"),
        "vesica.iou(vesica.Masks(masks), vesica.Masks(masks), aligned=True)",
    ),
    # Outlines, segments and people
    Habit(
        (MONAI, SCIPY),
        ("HausdorffDistanceMetric", "compute_hausdorff_distance", "hausdorff_distance", "directed_hausdorff"),
        'vesica.evaluate_surfaces(a, b, categories=[1, 2])["HD95"]',
        'The largest distance is "HD". Of two masks: vesica.surface_distances(a == 1, b == 1).hd().',
    ),
    Habit(
        (MONAI,),
        ("SurfaceDistanceMetric", "compute_average_surface_distance"),
        'vesica.evaluate_surfaces(a, b, categories=[1, 2])["ASSD"]',
    ),
    Habit(
        (MONAI,),
        ("SurfaceDiceMetric", "compute_surface_dice"),
        "vesica.evaluate_surfaces(a, b, categories=[1, 2], tau=1.0)",
    ),
    Habit(
        (TORCHMETRICS,),
        ("PanopticQuality", "panoptic_quality", "ModifiedPanopticQuality"),
        'vesica.evaluate_panoptic([(a, {1: 17, 2: 3})], [(b, {1: 17, 2: 3})], things=[17])["PQ"]',
        "Ids of segments, and the category of each.",
    ),
    Habit(
        (SKLEARN,),
        ("cohen_kappa_score", "cohen_kappa"),
        "vesica.evaluate_agreement(a, b).cohen()",
        'Of label maps. Of objects: vesica.evaluate_agreement(boxes, others)["alpha"].',
    ),
    Habit(
        (NOWHERE,),
        ("fleiss_kappa", "krippendorff_alpha", "krippendorff"),
        'vesica.evaluate_agreement({"ann": a, "ben": b, "cid": b}).alpha()',
        "And .fleiss().",
    ),
    # Choosing
    Habit((NOWHERE,), ("consensus",), 'vesica.evaluate_agreement({"ann": boxes, "ben": others}).consensus()'),
    Habit((NOWHERE,), ("staple", "STAPLE"), "from vesica.agreement.staple import staple"),
    Habit((NOWHERE,), ("dawid_skene", "DawidSkene"), "from vesica.agreement.dawid_skene import dawid_skene"),
    Habit(
        (TORCHVISION, DETECTRON2, MMDET),
        ("batched_nms", "multiclass_nms"),
        "vesica.nms(boxes, scores, keys=labels, above=0.5)",
    ),
    Habit((SUPERVISION,), ("box_non_max_suppression",), "vesica.nms(boxes, scores, keys=labels, above=0.5)"),
    Habit((SUPERVISION,), ("mask_non_max_suppression",), "vesica.nms(vesica.Masks(masks), mask_scores, above=0.5)"),
    Habit(
        (SUPERVISION,),
        ("box_non_max_merge", "mask_non_max_merge", "non_max_merge"),
        "vesica.nmm(boxes, scores, keys=labels, above=0.5)",
    ),
    Habit(
        (ULTRALYTICS, MONAI),
        ("non_max_suppression", "nms_rotated", "TorchNMS"),
        "vesica.nms(boxes, scores, keys=labels, above=0.45, min_score=0.25, limit=300)",
    ),
    Habit((OPENCV,), ("NMSBoxes",), 'vesica.nms(vesica.Boxes(boxes, "xywh"), scores, min_score=0.25, above=0.5)'),
    Habit((FUSION,), ("weighted_boxes_fusion", "wbf"), "vesica.fuse(boxes, scores, models=models, keys=labels)"),
    # Forms
    Habit((TORCHVISION, MONAI), ("box_convert", "convert_box_mode"), 'vesica.Boxes(boxes, "cxcywh").to("xyxy")'),
    Habit((SUPERVISION, ULTRALYTICS), ("xyxy_to_xywh", "xyxy2ltwh"), 'vesica.Boxes(boxes).to("xywh")'),
    Habit((SUPERVISION,), ("xywh_to_xyxy", "ltwh2xyxy"), 'vesica.Boxes(boxes, "xywh").xyxy'),
    Habit((SUPERVISION,), ("xcycwh_to_xyxy", "cxcywh_to_xyxy"), 'vesica.Boxes(boxes, "cxcywh").xyxy'),
    Habit((ULTRALYTICS,), ("xywh2xyxy",), 'vesica.Boxes(boxes, "cxcywh").xyxy', CENTRES),
    Habit((ULTRALYTICS,), ("xyxy2xywh",), 'vesica.Boxes(boxes).to("cxcywh")', CENTRES),
    Habit((ULTRALYTICS,), ("xywhn2xyxy",), 'vesica.Boxes(boxes / 640, "cxcywh", normalised=(640, 640)).xyxy', CENTRES),
    Habit((DETECTRON2,), ("BoxMode",), 'vesica.Boxes(boxes, "xywh").to("xyxy")'),
    Habit((TORCHVISION, MONAI), ("box_area",), "vesica.Boxes(boxes).area"),
    Habit((TORCHVISION, ULTRALYTICS), ("clip_boxes_to_image", "clip_boxes"), "vesica.Boxes(boxes).clip(640, 480).xyxy"),
    Habit((TORCHVISION, SUPERVISION), ("masks_to_boxes", "mask_to_xyxy"), "vesica.Masks(masks).boxes.xyxy", HALF_OPEN),
    Habit(
        (SUPERVISION,),
        ("polygon_to_mask",),
        'vesica.Polygons([[0, 0, 4, 0, 0, 4]]).to_rle((8, 8), rule="border").to_masks().array',
    ),
    # Matching
    Habit(
        (SCIPY, SUPERVISION),
        ("linear_sum_assignment", "linear_assignment"),
        "vesica.assign(cost, minimise=True, complete=True)",
    ),
    Habit((DETECTRON2, TORCHVISION), ("Matcher",), "vesica.anchors.assign(boxes, others)"),
    # Losses
    Habit((TORCHVISION,), ("generalized_box_iou_loss", "GIoULoss"), "vesica.losses.giou(guess_boxes, truth_boxes)"),
    Habit((TORCHVISION,), ("distance_box_iou_loss", "DIoULoss"), "vesica.losses.diou(guess_boxes, truth_boxes)"),
    Habit(
        (TORCHVISION, DETECTRON2),
        ("complete_box_iou_loss", "ciou_loss", "CIoULoss"),
        "vesica.losses.ciou(guess_boxes, truth_boxes)",
    ),
    Habit((DETECTRON2, MMDET), ("giou_loss", "iou_loss", "IoULoss"), "vesica.losses.giou(guess_boxes, truth_boxes)"),
    Habit((MONAI,), ("DiceLoss", "GeneralizedDiceLoss", "dice_loss"), "vesica.losses.dice(soft, masks)"),
    Habit((MONAI,), ("TverskyLoss", "tversky_loss"), "vesica.losses.tversky(soft, masks, alpha=0.3, beta=0.7)"),
    # Scores
    Habit(
        (TORCHMETRICS, SUPERVISION),
        ("MeanAveragePrecision", "mean_average_precision", "mAP", "average_precision", "ap_per_class"),
        'vesica.evaluate(truth, guess)["AP"]',
        "In a training loop: vesica.Evaluator().",
    ),
    Habit((DETECTRON2,), ("COCOEvaluator", "DetectionEvaluator"), "vesica.Evaluator()"),
    Habit(
        (COCO,),
        ("COCO", "COCOeval", "mask", "cocoeval", "maskUtils"),
        "from vesica.compat.coco import COCO, COCOeval, mask",
    ),
    Habit(
        (SUPERVISION,),
        ("Detections", "DetectionDataset"),
        "vesica.Dataset.from_dicts(truth)",
        "Its objects: Dataset.from_objects.",
    ),
    # Options of nms and its relatives
    Habit(
        (TORCHVISION, SUPERVISION, ULTRALYTICS, MMDET, FUSION),
        (
            "iou_threshold",
            "threshold",
            "iou_thres",
            "iou_thr",
            "iou",
            "nms_thresh",
            "nms_threshold",
            "overlap_threshold",
            "at_least",
        ),
        "vesica.{verb}(boxes, scores, above=0.5)",
        of="nms",
    ),
    Habit(
        (TORCHVISION, SUPERVISION, ULTRALYTICS),
        ("idxs", "labels", "classes", "class_ids", "category_idxs", "class_id"),
        "vesica.{verb}(boxes, scores, keys=labels)",
        of="nms",
    ),
    Habit(
        (SUPERVISION, ULTRALYTICS),
        ("class_agnostic", "agnostic", "agnostic_nms"),
        "vesica.{verb}(boxes, scores)",
        "Classes compete unless `keys` tells them apart.",
        of="nms",
    ),
    Habit(
        (ULTRALYTICS, MONAI, MMDET, FUSION),
        ("score_threshold", "conf_thres", "conf", "score_thr", "score_thresh", "confidence", "skip_box_thr"),
        "vesica.{verb}(boxes, scores, min_score=0.25)",
        of="nms",
    ),
    Habit(
        (ULTRALYTICS, MONAI, MMDET),
        ("max_det", "max_detections", "max_output_size", "max_num", "top_k", "topk", "max_per_image"),
        "vesica.{verb}(boxes, scores, limit=300)",
        of="nms",
    ),
    Habit(
        (SUPERVISION,), ("overlap_metric", "match_metric"), 'vesica.{verb}(boxes, scores, measure="overlap")', of="nms"
    ),
    Habit((TORCHVISION,), ("by position",), "vesica.{verb}(boxes, scores, above=0.5)", of="nms"),
    # Options of measures
    Habit(
        (TORCHVISION, TORCHMETRICS),
        ("fmt", "format", "box_format", "in_fmt", "form", "bbox_format"),
        'vesica.{verb}(vesica.Boxes(boxes, "xywh"), vesica.Boxes(others, "xywh"))',
        of="measure",
    ),
    Habit(
        (ULTRALYTICS,),
        ("xywh",),
        'vesica.{verb}(vesica.Boxes(boxes, "cxcywh"), vesica.Boxes(others, "cxcywh"))',
        CENTRES,
        "measure",
    ),
    Habit((ULTRALYTICS,), ("GIoU",), "vesica.giou(boxes, others)", of="measure"),
    Habit((ULTRALYTICS,), ("DIoU",), "vesica.diou(boxes, others)", of="measure"),
    Habit((ULTRALYTICS,), ("CIoU",), "vesica.ciou(boxes, others)", of="measure"),
    Habit(
        (TORCHVISION, SKLEARN, TORCHMETRICS),
        ("eps", "epsilon", "smooth", "zero_division", "absent_score", "ignore_empty"),
        "vesica.{verb}(boxes, others, empty=0.0)",
        "Nothing is added to a division; `empty` is the answer for nothing with nothing.",
        of="measure",
    ),
    Habit(
        (MMDET,),
        ("is_aligned", "elementwise", "paired", "pairwise", "by position"),
        "vesica.{verb}(boxes, boxes, aligned=True)",
        of="measure",
    ),
    Habit(
        (SKLEARN, TORCHMETRICS, MONAI),
        ("average", "reduction", "aggregate", "reduce"),
        "vesica.{verb}(boxes, boxes, aligned=True).mean()",
        of="measure",
    ),
    Habit(
        (TORCHMETRICS,),
        ("iou_threshold", "threshold", "thresh", "at_least"),
        "vesica.join(boxes, others, at_least=0.5)",
        of="measure",
    ),
    Habit(
        (SKLEARN, TORCHMETRICS, MONAI),
        ("labels", "num_classes", "ignore_index", "include_background", "task"),
        "vesica.{verb}(vesica.LabelMap(a, ids=[1, 2], ignore=255), vesica.LabelMap(b, ids=[1, 2]), aligned=True)",
        of="measure",
    ),
    # Options of join, match and best
    Habit(
        (TORCHMETRICS, DETECTRON2),
        ("iou_threshold", "threshold", "iou_thr", "iou_thres", "above", "min_iou", "by position"),
        "vesica.{verb}(boxes, others, at_least=0.5)",
        of="join",
    ),
    Habit(
        (TORCHVISION, TORCHMETRICS),
        ("labels", "idxs", "classes", "class_ids"),
        "vesica.{verb}(boxes, others, keys=(labels, other_labels), at_least=0.5)",
        of="join",
    ),
    Habit((NOWHERE,), ("top_k", "topk", "n"), "vesica.best(boxes, others, k=3)", of="join"),
    Habit(
        (NOWHERE,), ("metric", "similarity"), 'vesica.{verb}(boxes, others, measure="giou", at_least=0.5)', of="join"
    ),
    # Options of assign
    Habit((SCIPY,), ("maximize",), "vesica.assign(cost, maximise=True)", of="assign"),
    Habit((SCIPY,), ("minimize",), "vesica.assign(cost, minimise=True, complete=True)", of="assign"),
    Habit(
        (SUPERVISION,),
        ("thresh", "threshold", "cost_limit", "max_cost", "by position"),
        "vesica.assign(cost, minimise=True, count_first=True, at_most=0.8)",
        of="assign",
    ),
    # Options of evaluate_segmentation and SegmentationEvaluator
    Habit(
        (TORCHMETRICS, SKLEARN),
        ("num_classes", "class_names", "labels"),
        "vesica.{verb}(a, b, categories=3)",
        "Or the labels, or a dict of their names.",
        of="segmentation",
    ),
    Habit((TORCHMETRICS,), ("ignore_index",), "vesica.{verb}(a, b, ignore=255)", of="segmentation"),
    Habit(
        (TORCHMETRICS, MONAI),
        ("include_background",),
        "vesica.{verb}(a, b, background=0)",
        "It keeps the class out of means; its pixels still count against the others.",
        of="segmentation",
    ),
    Habit(
        (TORCHMETRICS, SKLEARN, MONAI),
        ("average", "reduction", "aggregation_level"),
        'vesica.{verb}(a, b, policy=vesica.SegmentationPolicy(average="totals", classes="macro"))',
        'These are the defaults, and what scikit-learn calls "macro". Means over images: average="images".',
        of="segmentation",
    ),
    Habit(
        (SKLEARN, MONAI),
        ("zero_division", "ignore_empty"),
        'vesica.{verb}(a, b, policy=vesica.SegmentationPolicy(both_empty="one"))',
        of="segmentation",
    ),
    Habit(
        (MONAI,),
        ("percentile",),
        'vesica.evaluate_surfaces(a, b, categories=[1])["HD95"]',
        "Other percentiles: vesica.surface_distances(a == 1, b == 1).hd(90).",
        of="segmentation",
    ),
    # Options of evaluate_agreement
    Habit(
        (NOWHERE,),
        ("match_at", "iou_threshold", "iou_thres", "threshold", "credit", "quorum"),
        "vesica.{verb}(a, b, policy=vesica.AgreementPolicy(match_at=0.7))",
        of="agreement",
    ),
    Habit((NOWHERE,), ("by position",), 'vesica.{verb}({"ann": a, "ben": b, "cid": b})', of="agreement"),
    # Options of evaluate and Evaluator
    Habit(
        (TORCHMETRICS, COCO),
        ("iou_type", "iouType", "metric_target", "kind", "by position"),
        'vesica.{verb}(truth, guess, regions="box")',
        '"bbox" is "box" here, and "segm" is "mask".',
        of="evaluate",
    ),
    Habit(
        (TORCHMETRICS, COCO, SUPERVISION),
        ("iou_thresholds", "iouThrs", "iou_threshold", "iou_thres", "threshold"),
        "vesica.{verb}(truth, guess, iou=[0.5, 0.75])",
        of="evaluate",
    ),
    Habit(
        (TORCHMETRICS, COCO),
        ("max_detection_thresholds", "maxDets", "max_det", "max_detections", "max_dets_per_image"),
        "vesica.{verb}(truth, guess, max_dets=(1, 10, 100))",
        of="evaluate",
    ),
    Habit(
        (TORCHMETRICS,),
        ("class_metrics", "extended_summary"),
        "vesica.evaluate(truth, guess).per_class()",
        of="evaluate",
    ),
    Habit(
        (SUPERVISION, COCO, ULTRALYTICS),
        ("class_agnostic", "useCats", "agnostic", "single_cls"),
        "vesica.{verb}(truth, guess, by_class=False)",
        of="evaluate",
    ),
    Habit(
        (COCO,),
        ("areaRng", "area_ranges", "areaRngLbl"),
        'vesica.{verb}(truth, guess, areas={"all": (0, 1e10)})',
        of="evaluate",
    ),
    Habit(
        (TORCHMETRICS,),
        ("box_format", "format", "fmt", "form"),
        'vesica.evaluate(truth, vesica.Dataset.from_dicts(guess, form="xywh"))',
        of="evaluate",
    ),
    Habit(
        (ULTRALYTICS, SUPERVISION),
        ("conf", "conf_threshold", "score_threshold", "min_score"),
        "vesica.{verb}(truth, guess)",
        "All scores count: leave out rows before, if you must.",
        of="evaluate",
    ),
    # Options of Boxes
    Habit(
        (TORCHVISION, DETECTRON2),
        ("fmt", "format", "mode", "in_fmt", "box_format", "box_mode"),
        'vesica.Boxes(boxes, "xywh")',
        of="Boxes",
    ),
    Habit(
        (TORCHVISION,),
        ("canvas_size", "image_size", "size", "normalized"),
        'vesica.Boxes(boxes / 640, "xyxy", normalised=(640, 640))',
        of="Boxes",
    ),
    # Options of losses
    Habit(
        (TORCHVISION, MMDET),
        ("eps", "epsilon"),
        "vesica.{verb}(guess_boxes, truth_boxes)",
        "Nothing is added to a division, and gradients are finite without.",
        of="box loss",
    ),
    Habit(
        (MMDET, TORCHVISION),
        ("weight", "loss_weight", "avg_factor"),
        "vesica.{verb}(guess_boxes, truth_boxes, weights=scores)",
        "A mean is divided by the sum of the weights.",
        of="box loss",
    ),
    Habit(
        (ULTRALYTICS, MMDET),
        ("xywh", "fmt", "format", "form", "pred_mode"),
        'vesica.{verb}(vesica.Boxes(guess_boxes, "cxcywh", check=False), vesica.Boxes(truth_boxes, "cxcywh"))',
        CENTRES,
        of="box loss",
    ),
    Habit(
        (MONAI,),
        ("smooth_nr", "smooth_dr", "eps", "epsilon"),
        "vesica.{verb}(soft, masks, smooth=1.0)",
        "So many pixels are added that both share; nothing else is added to a division.",
        of="mask loss",
    ),
    Habit(
        (MONAI,),
        ("sigmoid", "softmax", "other_act", "from_logits", "mode", "logits"),
        "vesica.{verb}(1 / (1 + np.exp(-soft)), masks)",
        "Probabilities go in, not logits.",
        of="mask loss",
    ),
    Habit(
        (TORCHMETRICS, MONAI),
        ("ignore_index", "ignore_value"),
        "vesica.{verb}(soft, masks.astype(int), ignore=255)",
        of="mask loss",
    ),
    Habit((MONAI,), ("dim", "axis", "batch"), "vesica.{verb}(soft, masks, axes=(1, 2))", of="mask loss"),
    Habit((MONAI,), ("weight", "class_weights"), "vesica.{verb}(soft, masks, weights=[1.0, 2.0])", of="mask loss"),
    # Options of other regions
    Habit(
        (MMDET, DETECTRON2),
        ("clockwise", "degrees", "angle_unit", "angle_version", "radians"),
        'vesica.RotatedBoxes(turned, unit="rad", direction="cw")',
        of="RotatedBoxes",
    ),
    Habit(
        (TORCHVISION, MMDET),
        ("threshold", "thresh", "mask_threshold", "mask_thr", "thr"),
        "vesica.Masks(soft, above=0.5)",
        of="Masks",
    ),
    Habit(
        (COCO,),
        ("height", "width", "h", "w", "shape", "image_size", "canvas_size"),
        "vesica.RleMasks([[0, 4, 5]], size=(3, 3))",
        "The height comes first.",
        of="RleMasks",
    ),
    Habit(
        (SKLEARN, TORCHMETRICS, MONAI),
        ("labels", "num_classes", "classes", "n_classes"),
        "vesica.LabelMap(a, ids=range(3), background=None)",
        of="LabelMap",
    ),
    Habit(
        (TORCHMETRICS, MMDET),
        ("ignore_index", "ignore_label", "void"),
        "vesica.LabelMap(a, ignore=255)",
        of="LabelMap",
    ),
    Habit((MONAI, TORCHMETRICS), ("include_background",), "vesica.LabelMap(a, background=None)", of="LabelMap"),
    Habit(
        (COCO, DETECTRON2),
        ("size", "height", "width", "h", "w", "image_size"),
        'vesica.Polygons([[0, 0, 4, 0, 4, 4]]).to_rle((9, 9), rule="coco")',
        "Polygons have no size until they are drawn.",
        of="Polygons",
    ),
    # Options of data sets
    Habit(
        (TORCHMETRICS,),
        ("box_format", "format", "fmt"),
        'vesica.Dataset.from_dicts(truth, form="xywh")',
        of="Dataset.from_dicts",
    ),
    Habit(
        (SUPERVISION, ULTRALYTICS),
        ("labels", "class_id", "classes", "category_id"),
        "vesica.Dataset.from_arrays(boxes, image=[1, 1, 2], category=labels)",
        of="Dataset.from_arrays",
    ),
    Habit(
        (SUPERVISION, ULTRALYTICS),
        ("scores", "confidence", "conf"),
        "vesica.Dataset.from_arrays(boxes, image=[1, 1, 2], score=scores)",
        of="Dataset.from_arrays",
    ),
    Habit(
        (COCO,),
        ("image_id", "image_ids", "img_id"),
        "vesica.Dataset.from_arrays(boxes, image=[1, 1, 2])",
        of="Dataset.from_arrays",
    ),
)
