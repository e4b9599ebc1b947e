"""Meeting: how the images and categories of two data sets are the same ones. The one place that decides it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from vesica.dataset.ids import places, rising
from vesica.dataset.tables import Categories, Images

LEFT_OUT = "guesses of categories that the truth does not have are left out"


class Remark(NamedTuple):
    """What was joined otherwise than by equal ids, or left out: how often, and for example."""

    rule: str
    times: int
    text: str
    """The same for every part of a data set, so that counts of parts add up."""
    example: str


class Meeting(NamedTuple):
    """Where the images and categories of both sides are in one rising order of the truth's ids.

    Attributes
    ----------
    images, categories : ids of the truth, rising
    truth_image, truth_category, guess_image, guess_category : the place there of each entry of the four tables; −1 for
        what the truth does not have
    images_by : "id", "name", "file name", "stem", "id as text" or "number"
    categories_by : "id", "name", "mapping", or how ids without names are numbered: "counted from 1", "COCO's"
    remarks : what was joined otherwise than by equal ids, and what was left out
    """

    images: np.ndarray
    categories: np.ndarray
    truth_image: np.ndarray
    truth_category: np.ndarray
    guess_image: np.ndarray
    guess_category: np.ndarray
    images_by: str = "id"
    categories_by: str = "id"
    remarks: tuple[Remark, ...] = ()


class Found(NamedTuple):
    """Where the entries of a guess's table are in the table of the truth, and by what."""

    places: np.ndarray
    by: str = "id"
    remarks: tuple[Remark, ...] = ()


def meet(truth: Any, guess: Any, /, *, categories: Any = None, by_class: bool = True, by_id: bool = False) -> Meeting:
    """Find the images of the guess in the truth, then its categories.

    Images meet by id; by name, file name, stem or number where ids cannot meet, or where both sides have names that
    contradict the ids. Categories meet by name where both sides have names, else by id.

    Parameters
    ----------
    truth, guess : Dataset
    categories : "name", "id", or a mapping of the guess's categories to the truth's, by id or name; None: as above
    by_class : without, categories do not matter, and meet by id
    by_id : as a tool does that looks at ids alone, and takes whatever it finds
    """
    image_ids, image_rank = rising(truth.images.ids)
    category_ids, category_rank = rising(truth.categories.ids)
    images = meet_images(truth.images, guess, by_id)
    asked = "id" if categories is None and (by_id or not by_class) else categories
    kinds = _categories(truth, guess, asked, images.places, any_at_all=by_id)
    return Meeting(
        image_ids,
        category_ids,
        image_rank,
        category_rank,
        _ranked(images.places, image_rank),
        _ranked(kinds.places, category_rank),
        images.by,
        kinds.by,
        (*images.remarks, *kinds.remarks),
    )


def _ranked(found: np.ndarray, rank: np.ndarray) -> np.ndarray:
    """Places in a table as places in rising order."""
    ranked: np.ndarray = np.append(rank, np.int32(-1))[found]
    return ranked


def meet_images(truth: Images, guess: Any, by_id: bool, /) -> Found:
    """Find the images of the guess among those of the truth, as `meet` does; an error if some are not there."""
    found = Found(places(guess.images.ids, truth.ids))
    unknown = found.places < 0
    if not by_id and (_have_texts(truth, guess.images) or unknown.any()):
        from vesica.dataset import picture_names  # late: ids that meet need none

        found = picture_names.meet(truth, guess, found)
        unknown = found.places < 0
        lost = unknown & picture_names.nowhere(truth, guess.images) if unknown[guess.image].any() else unknown
        unknown = lost if lost.any() else unknown
    if unknown.any():
        from vesica._check import meeting as check

        check.known_images(truth, guess, unknown)
    return found


def _have_texts(a: Images, b: Images) -> bool:
    """Could names contradict ids? Ids that are strings are names themselves."""
    return a.names is not None and b.names is not None and a.ids.dtype != object and b.ids.dtype != object


def _categories(truth: Any, guess: Any, asked: Any, images: np.ndarray, any_at_all: bool) -> Found:
    ours, theirs = truth.categories, guess.categories
    found = Found(places(theirs.ids, ours.ids))
    is_by_id = isinstance(asked, str) and asked == "id"
    if not is_by_id and (asked is not None or not _need_no_names(ours, theirs, found.places)):
        from vesica.dataset import category_names  # late: most files of guesses have none

        found = category_names.meet(truth, guess, found, asked, images)
    strange = found.places < 0
    left_out = int(strange[guess.category].sum()) if strange.any() else 0
    if not left_out:
        return found
    from vesica._check import meeting as check

    if not any_at_all:
        check.some_category(truth, guess, left_out)
    lost = check.called(theirs)[np.unique(guess.category[strange[guess.category]])]
    return found._replace(remarks=(*found.remarks, Remark("Q13", left_out, LEFT_OUT, check.listed(lost))))


def _need_no_names(truth: Categories, guess: Categories, found: np.ndarray) -> bool:
    """Are ids all there is to compare? Also where the truth alone has names, if all ids meet and none counts from 0."""
    has_names, other_has = (table.names is not None or table.ids.dtype == object for table in (truth, guess))
    if other_has or not has_names:
        return not other_has
    return truth.ids.dtype != object and bool((found >= 0).all()) and int(truth.ids.min(initial=1)) > 0
