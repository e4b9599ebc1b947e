"""Checks of annotations that are to be compared, of policies, and their wording."""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from vesica import _check as check
from vesica._check import labels as check_labels
from vesica._check import one_of
from vesica._check.statistics import seed
from vesica.errors import InputError, SizeValueError

__all__ = ["label", "one_of", "seed"]

label = check_labels.label


def share(value: Any, name: str) -> float:
    """A threshold of IoU or of area, above 0."""
    check.threshold(value, name, strict=False)
    return float(value)


def contact_is_lower(contact: float, match_at: float) -> None:
    if contact > match_at:
        raise ValueError(
            f"`contact` must not be above `match_at`; got {contact} and {match_at}. It says from which IoU on two "
            "objects have to do with each other, whether they match or not."
        )


def flag(value: Any, name: str) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"`{name}` must be True or False; got {value!r}.")
    return bool(value)


def quorum(value: Any) -> str | int:
    if isinstance(value, str):
        return one_of(value, ("majority",), "quorum")
    return check.positive(value, "quorum")


def size_edges(value: Any) -> tuple[float, ...]:
    """Areas between size bins."""
    listed = [value] if isinstance(value, (int, float)) else list(value)
    edges = tuple(check.finite(edge, "sizes") for edge in listed)
    if any(edge <= 0 for edge in edges) or any(high <= low for low, high in itertools.pairwise(edges)):
        raise ValueError(f"`sizes` must be areas above 0, rising: sizes=(32**2, 96**2); got {value!r}.")
    return edges


def labels(value: Any) -> tuple[int, ...]:
    """Labels that are ignored, rising."""
    listed = [value] if isinstance(value, (int, np.integer)) else list(value)
    found = [label(one, "ignore") for one in listed]
    if None in found:
        raise TypeError(f"`ignore` must be labels, integers; got {check.brief(value)}.")
    return tuple(sorted({one for one in found if one is not None}))


def replicates(value: Any) -> int:
    return check.positive(value, "replicates")


def level(value: Any) -> float:
    number = check.finite(value, "level")
    if not 0 < number < 1:
        hint = " Divide a percentage by 100." if 1 < number < 100 else ""
        raise ValueError(f"`level` must lie between 0 and 1; got {value!r}.{hint}")
    return float(number)


def assigned(data: Any, /) -> Any:
    """The assignments of a data set of annotators."""
    if data.annotator is None and data.assignments is None:
        raise InputError(
            "Agreement is between annotators, and this data set does not say who drew what. One data set for each: "
            'Dataset.of_annotators({"ann": first, "ben": second}). Or one for all: Dataset.from_arrays(…, annotator=…, '
            "assignments=…)."
        )
    if data.assignments is None:
        raise InputError(
            "This data set does not say who was asked for which image, so an image without objects of an annotator may "
            "be one that nobody showed to them. Dataset.from_arrays(…, assignments=[(image, annotator), …]) says it; "
            'assignments="all": everyone was asked for every image.'
        )
    return data.assignments


def kind_of_regions(data: Any, regions: str | None, missing: str | None) -> str:
    """What is compared: masks where all objects have one, else rotated boxes, else boxes; or what was asked for."""
    if missing is not None:
        one_of(missing, ("box",), "missing")
    has_mask = np.zeros(len(data), bool) if data.segments is None else data.segments.form != data.segments.NONE
    there = {"mask": data.segments is not None, "rotated": data.corners is not None, "box": data.xywh is not None}
    if regions is None:
        if has_mask.any() and not has_mask.all() and missing is None:
            row = int(np.argmin(has_mask))
            raise InputError(
                f'Row {row} has a box and no mask, and other rows have masks. regions="box" compares the boxes of all; '
                'missing="box" takes boxes as masks where there are none.'
            )
        kinds = [
            kind for kind, is_there in there.items() if is_there and (kind != "mask" or has_mask.any() or not len(data))
        ]
        return kinds[0]
    kind = one_of(regions, ("mask", "rotated", "box"), "regions")
    if not there[kind]:
        nouns = {"mask": "masks", "rotated": "rotated boxes", "box": "boxes"}
        raise InputError(f'regions="{kind}", and this data set has no {nouns[kind]}.')
    if kind == "mask" and not has_mask.all() and (missing is None or data.xywh is None):
        raise InputError(f'Row {int(np.argmin(has_mask))} has no mask. missing="box" takes its box instead.')
    return kind


def drawn_by(column: np.ndarray | None, by: str) -> np.ndarray:
    """The column that images are drawn again by."""
    if column is None or any(one is None for one in column.tolist()):
        raise InputError(
            f'resample_by="{by}", and {"no" if column is None else "not every"} image has a {by}. '
            f"Images(ids, {by}=…) says it."
        )
    return column


def some_scenes(records: Any) -> None:
    """Two annotators who saw one image."""
    if not len(records.scenes):
        people = len(records.annotators)
        raise InputError(
            f"No image was shown to two annotators: there are {people}, {len(records.images)} images and "
            f"{len(records.asked_image)} assignments. If images should have met, look at their ids and names."
        )


def columns_by(value: Any, allowed: tuple[str, ...]) -> tuple[str, ...]:
    """What a table is divided by."""
    listed = (value,) if isinstance(value, str) else tuple(value)
    for one in listed:
        one_of(one, allowed, "by")
    return tuple(name for name in allowed if name in listed)


def images_alone(resample_by: str) -> None:
    """Label maps have no groups."""
    if resample_by != "image":
        raise InputError(f'resample_by="{resample_by}", and label maps do not say which {resample_by} an image is of.')


def annotations_at_hand(found: Any) -> Any:
    """Regions, which records do not keep."""
    if found is None:
        raise InputError(
            "Matching again needs the regions, which records do not keep. vesica.evaluate_agreement(data, policy=…) "
            "begins with them."
        )
    return found


def agreement_policy(value: Any, kind: type) -> Any:
    if value is None:
        return kind()
    if not isinstance(value, kind):
        raise TypeError(
            "`policy` must be an AgreementPolicy: policy=vesica.AgreementPolicy(match_at=0.5); got "
            f"{type(value).__name__}."
        )
    return value


def queue(count: Any, per_group: Any) -> None:
    check.positive(count, "n")
    if per_group is not None:
        check.positive(per_group, "per_group")


def listed_in(value: Any, known: list[Any], name: str) -> int:
    """The place of a value among those that occur."""
    if value not in known:
        raise ValueError(f"`by` has no {name} {value!r}; there are {check.brief(known)}.")
    return known.index(value)


def no_class_in_a_fifth_column(array: Any, who: Any) -> None:
    """Five columns of integers are boxes with a class in each row, or a very narrow label map: nobody can tell."""
    if array is not None and array.ndim == 2 and array.dtype.kind in "iu" and array.shape[1] == 5:
        raise TypeError(
            f"{who} must be boxes (N, 4) or a label map; integers of shape {array.shape} may be either. Boxes with a "
            'class in the last column are {"boxes": a[:, :4], "labels": a[:, 4]}; vesica.LabelMap(a) says that '
            "integers are labels."
        )


def all_maps_or_none(sides: Mapping[Any, Any], are_maps: Mapping[Any, bool]) -> None:
    """Sides that are compared like with like."""
    if len(set(are_maps.values())) > 1:
        kinds = [
            f"{who} is {type(sides[who]).__name__} of shape {getattr(sides[who], 'shape', '?')}"
            for kind in (True, False)
            for who in [next(who for who in sides if are_maps[who] is kind)]
        ]
        raise TypeError(
            f"All must be of one kind: tables of boxes, masks or label maps; {', '.join(kinds)}. vesica.LabelMap(a) "
            "says that integers are labels."
        )


def one_kind(regions: Mapping[Any, Any]) -> None:
    """Regions of several people that are compared like with like."""
    kinds = {who: _kind_of(one) for who, one in regions.items()}
    if len(set(kinds.values())) > 1:
        told = ", ".join(sorted({type(one).__name__ for one in regions.values()}))
        raise TypeError(
            f"All must be regions of one kind; got {told}. Part of a gap between kinds is only the kind of shape: "
            "convert some of them, masks.boxes or Polygons.from_boxes(boxes)."
        )
    if next(iter(kinds.values())) == "Sets":
        raise TypeError("Annotations must be boxes, polygons, masks or label maps; got Sets.")


def _kind_of(region: Any) -> str:
    """Masks of any form are one kind."""
    names = [base.__name__ for base in type(region).__mro__]
    return "PixelRegions" if "PixelRegions" in names else names[0]


def one_size(a: tuple[int, ...], b: tuple[int, ...], image: Any) -> None:
    if tuple(a) != tuple(b):
        first, second = ("×".join(map(str, shape)) for shape in (a, b))
        raise SizeValueError(f"Maps of one image must be of one size; image {image!r} is {first} and {second} pixels.")


def fits_int64(dtype: str, ids: np.ndarray) -> None:
    """Labels that a column of int64 can hold."""
    if dtype == "uint64" and ids.size and (int(ids.min()) < 0 or int(ids.max()) >= 2**63):
        raise InputError(f"Labels must fit int64; got {int(ids.astype(np.uint64).max())}.")


def some_maps(rows: int, people: int, images: int) -> None:
    if not rows:
        raise InputError(f"No image has maps of two annotators: there are {people} annotators and {images} images.")


def two_people(sides: Any) -> None:
    if len(sides) < 2:
        raise TypeError(
            'Agreement is between two annotators or more: evaluate_agreement({"ann": first, "ben": second}); got '
            f"{len(sides)}."
        )


def of_data_sets(regions: Any, missing: Any) -> None:
    if regions is not None or missing is not None:
        name = "regions" if regions is not None else "missing"
        raise TypeError(f"`{name}` chooses between columns of a data set; these are regions of one kind already.")


def path_or_data(value: Any) -> Any:
    if not isinstance(value, (str, os.PathLike)):
        raise TypeError(
            "Annotations must be a Dataset of several annotators, a dict of annotator → Dataset or path, or two of a "
            f"kind: evaluate_agreement(a, b); got {type(value).__name__}."
        )
    return value


def as_many_images(counts: dict[Any, int], /) -> None:
    """Lists that do not say of which images they are have the same."""
    if len(set(counts.values())) > 1:
        told = ", ".join(f"{who!r} has {count}" for who, count in counts.items())
        raise ValueError(
            f"The nth dict of each annotator is of one image, so there must be as many; {told}. Or give each its "
            '"image_id".'
        )


def two_annotators(count: int) -> None:
    if count != 2:
        raise ValueError(f"This coefficient is of two annotators; there are {count}.")


def periods(values: list[Any] | None, by: str) -> list[Any]:
    """What agreement is followed over; None is left out."""
    if values is None:
        ways = {
            "batch": "Images(ids, batch=…)",
            "date": 'assignments={…, "date": …}',
            "round": 'assignments={…, "round": …}',
        }
        raise InputError(f'by="{by}", and these annotations have no {by}. {ways[by]} says it.')
    kinds = {type(one).__name__ for one in values if one is not None}
    if len(kinds) > 1:
        raise InputError(
            f"{by.capitalize()}s must be of one kind, so that they have an order; got {', '.join(sorted(kinds))}."
        )
    return values


def not_polygons(kind: str) -> str:
    """Regions of which a consensus can be made."""
    if kind == "polygon":
        raise TypeError("Outlines have no mean. Draw them first: Polygons(…).to_rle(size), and compare the masks.")
    return kind
