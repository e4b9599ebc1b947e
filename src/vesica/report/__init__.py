"""Reports: results as one self-contained HTML file, in which every number leads to the objects behind it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from vesica._check import report as check

if TYPE_CHECKING:
    from vesica.report.gallery import LeftOut
    from vesica.results.result import Result

__all__ = ["write"]


def write(
    path: str | os.PathLike[str],
    /,
    *results: Result,
    images: Any = None,
    maps: Any = None,
    title: str | None = None,
    max_mb: float = 10,
    embed: Literal["embed", "link", "none"] = "embed",
    gates: Sequence[Any] = (),
    findings: Sequence[Any] = (),
    files: Sequence[str | os.PathLike[str]] = (),
) -> LeftOut:
    """Write one or more results as one HTML file, and answer what was left out of it.

    The file needs no network and no other file. The same results give the same bytes. Charts need matplotlib,
    photographs Pillow.

    Parameters
    ----------
    path : name of the file
    *results : what `evaluate`, `evaluate_segmentation`, `evaluate_agreement`, `compare` and their like answer
    images : folder, dict of name → picture, or function of a name that answers one; optional
        Where the photographs are. A picture is the path of a file, a Pillow image, or an array of (H, W) or
        (H, W, 3) bytes.
    maps : (truth, guess) as they were scored, dict of image → (truth, guess), or function of an image; optional
        The label maps of a segmentation, which keeps counts and no pixels: arrays, folders, or objects. Those of the
        images that are shown are read again. Maps that are not those of the result are an error.
    title : str, optional
    max_mb : float, default 10
        The size of the file; photographs are left out until it fits.
    embed : {"embed", "link", "none"}
        Photographs inside the file, small; or as links to where they lie; or not at all.
    gates : what `result.gates` answers, shown in the headline
    findings : what `check` found, shown in the headline
    files : names of the files that were scored: their names and hashes are shown

    Examples
    --------
    >>> import vesica, tempfile, os
    >>> boxes = {"boxes": [[0, 0, 4, 4]], "labels": [1]}
    >>> result = vesica.evaluate([boxes], [{**boxes, "scores": [0.9]}])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     out = os.path.join(folder, "out.html")
    ...     left_out = write(out, result)
    ...     os.path.getsize(out) < 1_000_000
    True
    """
    check.results(results)
    check.html_name(path)
    check.one_of(embed, check.EMBED, "embed")
    most = check.megabytes(max_mb, "max_mb")
    from vesica.io import atomic
    from vesica.report.assembly import assembled

    text, left_out = assembled(
        results,
        images=images,
        title=title,
        most=most,
        embed=embed,
        gates=gates,
        findings=findings,
        files=files,
        maps=maps,
    )
    with atomic.file(path) as file:
        file.write(text.encode("utf-8", "replace"))
    return left_out
