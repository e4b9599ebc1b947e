"""Rules: what a protocol is, and what it takes unless told otherwise. One entry of `PROTOCOLS` is one protocol.

Nothing here needs NumPy or dataclasses: the command line lists the names, and starts without them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

HIGHEST_BAR = 1 - 1e-10
"""COCO lowers a threshold of 1 to it, so that an iou of 1 reaches it even where rounding left it a little below."""
UNLIMITED = 2**31 - 1

WIDEST = 1e10
"""The area that COCO takes for infinite: a range from 0 to it covers all."""
AREAS = (("all", 0.0, WIDEST), ("small", 0.0, 32.0**2), ("medium", 32.0**2, 96.0**2), ("large", 96.0**2, WIDEST))
# i · s + 0.5, and the end as it is; 0.8999999999999999 is meant.
THRESHOLDS = (*(i * ((0.95 - 0.5) / 9) + 0.5 for i in range(9)), 0.95)
# i × 0.01, which is not i / 100.
RECALLS = tuple(i * 0.01 for i in range(101))


class Quirks(NamedTuple):
    """Faults of a tool that are repeated, each with its number in docs/scores.md; by default they are corrected."""

    tool: str | None = None
    unmatched_id_0: bool = False
    """Q1: a truth with the id 0 is taken by the guess that finds it, and the guess counts as wrong."""
    last_of_equal_ids: bool = False
    """Q2: of annotations with one id the last stands for all; otherwise they are an error."""
    limit_of_100: bool = False
    """Q3: AP asks for a limit of exactly 100 guesses, and is −1 without one; three limits must be given."""
    ignore_is_crowd: bool = False
    """Q4: an explicit "ignore" of a truth is overwritten by "iscrowd"."""
    literal_masks: bool = False
    """Q5, Q10: masks of different sizes, and with run lengths of 0, are compared as that tool compares them."""
    by_id: bool = False
    """Q13: images and categories meet by id alone, whatever their names; that no category meets is no error."""
    any_number: bool = False
    """Q15, Q16: coordinates that are not finite and negative sides are no errors."""
    needs_fields: bool = False
    """Q19: a row of a file without area, crowd flag, id, score or region is an error, and so is a file without rows of
    results; of images or categories with one id the last counts."""


PYCOCOTOOLS = Quirks("pycocotools", *[True] * 8)
QUIRKS: dict[str | None, Quirks] = {None: Quirks(), "pycocotools": PYCOCOTOOLS}


class Rules(NamedTuple):
    """The facts of a protocol. Those under "defaults" can be changed by the options of `evaluate`.

    Attributes
    ----------
    name : as records store it
    title : as tables print it
    matching : "coco": a guess takes the best truth that is free; "voc": the best truth, and is wrong if that is taken
    average_precision : "recalls": precision read at 101 recalls; "all points" or "eleven points" of the curve
    has_crowds : is "iscrowd" of a truth read?
    has_areas : are areas of truths expected in the file, so that missing ones are worth a note?
    lowers_one : is a threshold of 1 lowered by 1e-10?
    recall_by_limit : average recall at each limit of guesses (AR1, AR10, AR100), or one alone (AR)
    groups : groups of categories with an AP of their own: (value of `frequency`, word)
    most_per_image : guesses of an image that take part, of all categories together; None: all
    taking_part : rows of truths and guesses that take part; None: all. See `lvis.rows_of`
    tools : the tools whose quirks can be repeated

    iou, areas, max_dets, strict : defaults, as in `Protocol`
    """

    name: str
    title: str
    matching: str = "coco"
    average_precision: str = "recalls"
    has_crowds: bool = False
    has_areas: bool = True
    lowers_one: bool = True
    recall_by_limit: bool = False
    groups: tuple[tuple[str, str], ...] = ()
    most_per_image: int | None = None
    taking_part: Callable[..., Any] | None = None
    tools: tuple[str, ...] = ()

    iou: tuple[float, ...] = THRESHOLDS
    areas: tuple[tuple[str, float, float], ...] = AREAS
    max_dets: tuple[int, ...] = (UNLIMITED,)
    strict: bool = False

    @property
    def compares_nan(self) -> bool:
        """Does an iou of NaN match (Q15)? It is not below a threshold, but it is not the largest iou either."""
        return self.matching == "coco"


def _federated(*arguments: Any) -> Any:
    from vesica.detection.lvis import rows_of

    return rows_of(*arguments)


_COCO = Rules("coco", "COCO", has_crowds=True, recall_by_limit=True, tools=("pycocotools",), max_dets=(1, 10, 100))
_LVIS = Rules(
    "lvis",
    "LVIS",
    groups=(("r", "rare"), ("c", "common"), ("f", "frequent")),
    most_per_image=300,
    taking_part=_federated,
)
_VOC = Rules(
    "voc",
    "VOC",
    matching="voc",
    average_precision="all points",
    has_areas=False,
    lowers_one=False,
    iou=(0.5,),
    areas=AREAS[:1],
    strict=True,
)

ProtocolName = Literal["coco", "lvis", "voc", "voc07", "voc12", "voc-devkit"]
"""For type checkers; one that was registered elsewhere is known by `PROTOCOLS` alone."""
RegionName = Literal["box", "mask", "boundary", "rotated"]
QuirksName = Literal["pycocotools"]

PROTOCOLS: dict[str, Rules] = {
    "coco": _COCO,
    "lvis": _LVIS,
    "voc": _VOC,
    "voc07": _VOC._replace(name="voc07", title="VOC07", average_precision="eleven points"),
    "voc12": _VOC,
    "voc-devkit": _VOC._replace(name="voc-devkit", title="VOC-DEVKIT", strict=False),
}
"""By the names that `evaluate(…, protocol=)` takes; two names may stand for one protocol."""

REGIONS = {"box": "boxes", "mask": "masks", "boundary": "boundaries", "rotated": "rotated boxes"}
"""What can be compared, and its plural."""
OF_MASKS = ("mask", "boundary")
"""Those for which masks are needed."""
OF_TOOLS = ("box", "mask", "boundary")
"""Those that the tools compare whose quirks can be repeated."""
