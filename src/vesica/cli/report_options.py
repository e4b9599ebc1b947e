"""Options of a report, and what is said when it is written."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from typing import Any

from vesica.cli import streams

EMBED = ("embed", "link", "none")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Those of verbs that score, beside --images."""
    parser.add_argument("--report", metavar="FILE", help="write a page to look at: one HTML file (needs matplotlib)")
    add_look(parser)


def add_look(parser: argparse.ArgumentParser) -> None:
    """How a page is made, by any verb that makes one."""
    parser.add_argument("--max-mb", type=float, metavar="N", help="the page is no larger (default: 10)")
    parser.add_argument(
        "--pictures",
        choices=EMBED,
        help="photographs of --images inside the page, small; as links; or none (default: embed)",
    )


def check_usage(arguments: argparse.Namespace) -> None:
    """Raise for options that no file could make right."""
    if arguments.report is None and (arguments.max_mb is not None or arguments.pictures is not None):
        raise ValueError("--max-mb and --pictures go with --report")
    check_look(arguments)
    if arguments.report is not None:
        from vesica._check import report as check

        check.html_name(arguments.report)


def check_look(arguments: argparse.Namespace) -> None:
    """Raise for a size that no page has."""
    from vesica._check import report as check

    if arguments.max_mb is not None:
        check.megabytes(arguments.max_mb, "--max-mb")


def folder_of(arguments: argparse.Namespace) -> str | None:
    """Where photographs are: --images, if it is a folder."""
    images = getattr(arguments, "images", None)
    return images if isinstance(images, str) and os.path.isdir(images) else None


def write(results: Sequence[Any], arguments: argparse.Namespace, path: str, /, **more: Any) -> dict[str, Any]:
    """Write the page, and answer what there is to say of it; words go to stderr."""
    from vesica import report

    asked = {"max_mb": arguments.max_mb, "embed": arguments.pictures}
    options: dict[str, Any] = {name: value for name, value in asked.items() if value is not None}
    left_out = report.write(path, *results, images=folder_of(arguments), **options, **more)
    if not getattr(arguments, "quiet", False):
        streams.say(f"Wrote {path}: {left_out.bytes / 1e6:.1f} MB, {left_out.pictures:,} pictures.")
        for line in left_out.lines:
            streams.say(f"  {line}")
        if left_out.pictures and hasattr(arguments, "images") and folder_of(arguments) is None:
            streams.say("  note: it has no photographs; --images FOLDER shows them.")
    return {"report": path, "bytes": left_out.bytes, "pictures": left_out.pictures, "left_out": list(left_out.lines)}
