"""`vesica nms DETECTIONS`: of many detections of one thing, the best stays."""

from __future__ import annotations

import argparse
import sys

from vesica.cli import streams
from vesica.cli.epilogs import epilog
from vesica.cli.region_files import FORMS, rotation
from vesica.selection.decays import DECAYS

_EPILOG = epilog(
    """
  vesica nms results.json --iou 0.5 --per-class -o kept.json    # each class for itself, as most evaluations want it
  vesica nms results.json --per-class --limit 100 --min-score 0.05 -o kept.json
  vesica nms detections.csv --iou 0.45                          # the rows that stay, as CSV
  vesica nms detections.npy --form xywh --soft gaussian -o kept.npy  # scores fall instead of rows
  vesica nms mask_results.json --masks --measure overlap --iou 0.7 --json
""",
    notes="""
files; `-` is standard input:
  COCO results  .json: a list of objects with image_id, category_id, score, and bbox (x, y, w, h) or run lengths
  tables        .npy, .npz, .csv or .json: x1, y1, x2, y2, score, and then perhaps class and image
""",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from vesica.overlaps.measures import MEASURES

    similarities = tuple(name for name, one in MEASURES.items() if one.is_similarity and not one.is_weighted)
    parser.epilog = _EPILOG
    parser.add_argument("detections", metavar="DETECTIONS", help="the file")
    parser.add_argument(
        "--iou", type=float, metavar="T", help="drop what overlaps a better one above T (default: 0.5; with --soft 0.3)"
    )
    parser.add_argument("--measure", choices=similarities, default="iou", help="what --iou is about (default: iou)")
    parser.add_argument("--per-class", action="store_true", help="only detections of one class compete")
    parser.add_argument(
        "--soft", choices=tuple(DECAYS), help="soft-NMS: scores of what overlaps fall; linear from --iou on"
    )
    parser.add_argument(
        "--sigma", type=float, metavar="S", help="with --soft gaussian: how slowly they fall (default: 0.5)"
    )
    parser.add_argument(
        "--min-score", type=float, metavar="S", help="leave out lower scores (with --soft default: 0.001)"
    )
    parser.add_argument("--limit", type=int, metavar="N", help="keep at most N in each image")
    parser.add_argument(
        "--form", choices=FORMS, default=None, help="what the four columns of a table mean (default: xyxy)"
    )
    parser.add_argument(
        "--rotated", metavar="UNIT,DIRECTION", help="tables of cx, cy, w, h, angle, score; e.g. deg,ccw"
    )
    parser.add_argument(
        "--masks", action="store_true", help="of COCO results take the masks, even where there are boxes"
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="write the rows that stay instead of printing them")


def run(arguments: argparse.Namespace) -> int:
    _check_usage(arguments)
    from vesica.cli.nms_rows import chosen
    from vesica.cli.progress import steps
    from vesica.io.detections import detections_of, rows_of, text_of, write
    from vesica.io.files import load

    with steps("read"):
        file = load(arguments.detections)
        found = detections_of(file, columns=4 if arguments.rotated is None else 5, masks=arguments.masks)
    kept, scores = chosen(found, arguments, file.name)
    if arguments.output is not None:
        write(arguments.output, found, kept, scores)
        _say(f"kept {len(kept)} of {len(found)} detections: {arguments.output}", arguments)
    elif arguments.json:
        rows = rows_of(found, kept, scores)
        streams.answer({"detections": len(found), "kept": kept.tolist(), "rows": rows})
    else:
        sys.stdout.write(text_of(found, kept, scores))
    return 0


def _say(text: str, arguments: argparse.Namespace) -> None:
    if arguments.json:
        streams.answer({"output": arguments.output, "note": text})
    else:
        streams.note(text, arguments)


def _check_usage(arguments: argparse.Namespace) -> None:
    """Leave with exit code 2 for options that no file could make right."""
    from vesica import _check as check

    wrong = arguments.usage_error
    with_sigma = [name for name, decay in DECAYS.items() if decay.has_sigma]
    if arguments.sigma is not None and arguments.soft not in with_sigma:
        wrong(f"--sigma goes with --soft {' or '.join(with_sigma)}")
    if arguments.rotated is not None and arguments.form:
        wrong("--form is for upright boxes; --rotated has its own columns")
    try:
        if arguments.iou is not None:
            check.threshold(arguments.iou, "--iou", strict=True)
        if arguments.limit is not None:
            check.positive(arguments.limit, "--limit")
        if arguments.rotated is not None:
            rotation(arguments.rotated)
    except (ValueError, TypeError) as error:
        wrong(str(error))
