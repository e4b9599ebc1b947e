"""Checks of label maps and class scores that are to be scored, of policies, and their wording."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from vesica import _check as check
from vesica._array import (
    FLOATS,
    INTEGERS,
    Array,
    as_array,
    dtype_name,
    has_visible_values,
    namespace,
    to_numpy,
)
from vesica._check import labels as check_labels
from vesica._check import one_of
from vesica.errors import InputError, SizeValueError

__all__ = ["label", "labels", "one_of"]

label = check_labels.label


def labels(value: Any, name: str) -> tuple[int, ...]:
    """Labels as a rising tuple: one of them, or several."""
    if value is None:
        return ()
    listed = [value] if isinstance(value, (int, np.integer)) or not isinstance(value, Iterable) else list(value)
    found = [label(one, name) for one in listed]
    if None in found:
        raise TypeError(f"`{name}` must be labels, integers; got {check.brief(value)}.")
    return tuple(sorted({one for one in found if one is not None}))


def spacing(value: Any) -> tuple[float, ...] | None:
    """The sides of a pixel or voxel."""
    if value is None:
        return None
    sides = tuple(check.finite(side, "spacing") for side in np.atleast_1d(value))
    if len(sides) not in (2, 3) or min(sides) <= 0:
        raise ValueError(f"`spacing` must be (sy, sx) or (sz, sy, sx), all above 0; got {value!r}.")
    return sides


def tau(value: Any) -> float | None:
    return None if value is None else check.weight(value, "tau")


def background_is_not_ignored(background: int | None, ignored: Collection[int]) -> None:
    if background in ignored:
        raise ValueError(
            f"`background` must not be ignored; got {background} for both. Its pixels must count, or what the guess "
            "says there costs nothing and IoU becomes recall: `background` alone keeps the class out of means."
        )


def decided_once(policy: Any, defaults: Any, decides: Iterable[str]) -> None:
    """A preset decides some fields, and they are left as they are."""
    for name in sorted(decides):
        if getattr(policy, name) != getattr(defaults, name):
            raise ValueError(
                f"`{name}` is decided by like={policy.like!r}; got {getattr(policy, name)!r} as well. Leave one of the "
                "two out."
            )


def known_score(score: str, preset: Any) -> None:
    if score not in preset.scores:
        raise ValueError(
            f"{preset.library} has no {score} whose conventions are known; it has {', '.join(preset.scores)}."
        )


def no_unknown(unknown: Mapping[str, Mapping[int, int]], labels: np.ndarray) -> None:
    """Every label is a category or ignored."""
    for side, found in unknown.items():
        if found:
            one, pixels = next(iter(found.items()))
            others = f", and {len(found) - 1} other labels" if len(found) > 1 else ""
            raise InputError(
                f"The {side} has the label {one} ({_pixels(pixels)}){others}, which is no category: they are "
                f"{_some(labels.tolist())}. Add it to the categories; or `ignore={one}` lets such pixels of the truth "
                'not count. In Python: SegmentationPolicy(unknown_label="drop" or "add") says what becomes of them.'
            )


def nothing_learned_is_ignored(
    ignored: Collection[int],
    where: str,
    truth: np.ndarray,
    guess: np.ndarray,
    categories: Any,
) -> None:
    """A class that the guess knows, and that the truth alone ignores, makes a recall of an IoU."""
    if where != "truth":
        return
    said = set() if categories is None else set(categories.ids.tolist())
    for one in ignored:
        if one in said:
            raise ValueError(
                f"`categories` names {one}, and `ignore` too. A class of the guess whose pixels do not count makes a "
                f"recall of an IoU: background={one} keeps it out of means, and counts its pixels."
            )
        if one == 0 and (guess == 0).any() and (truth == 0).any():
            raise ValueError(
                "`ignore` has 0, and the guess uses it: a background that the guess knows must count, or what is said "
                "there costs nothing and IoU becomes recall. background=0 keeps it out of means and counts its pixels; "
                'SegmentationPolicy(ignore=0, ignore_where="both") leaves out what both sides call 0.'
            )


def has_confusion(is_overlapping: bool) -> None:
    if is_overlapping:
        raise ValueError(
            "Masks of each class may overlap, so which class was taken for which other is not known. Label maps have a "
            "confusion matrix."
        )


def _pixels(count: int) -> str:
    return "1 pixel" if count == 1 else f"{count:,} pixels"


def _some(values: Sequence[Any]) -> str:
    return str(list(values) if len(values) <= 8 else [*values[:7], "…"]).replace("'", "")


# ---- what is given


def categories(value: Any) -> tuple[list[int], list[Any] | None]:
    """Labels and their names: a dict, a list of names or of labels, or how many there are."""
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        return list(range(check.positive(value, "categories"))), None
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise TypeError(
            "`categories` must be a list of labels, a dict of label → name, a list of names for the labels 0, 1, 2, …, "
            f"or how many there are; got {value!r}."
        )
    listed = list(value)
    names = list(value.values()) if isinstance(value, Mapping) else None
    if names is None and listed and all(isinstance(one, str) for one in listed):
        listed, names = list(range(len(listed))), listed
    found = [label(one, "categories") for one in listed]
    twice = [one for one in found if found.count(one) > 1]
    if not found or None in found or twice:
        fault = f"{twice[0]} twice" if twice else check.brief(value)
        raise ValueError(f"`categories` must name labels, each once; got {fault}.")
    same = [] if names is None else [one for one in names if names.count(one) > 1]
    if same:
        raise ValueError(f"`categories` must have different names; got {same[0]!r} twice.")
    return [one for one in found if one is not None], names


def from_scores(value: Any) -> str | float | None:
    if value is None or value == "argmax":
        return None if value is None else "argmax"
    if isinstance(value, (str, bool)):
        raise ValueError(f'`from_scores` must be "argmax" or a number, above which a pixel belongs; got {value!r}.')
    return check.finite(value, "from_scores")


def flag(value: Any, name: str) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"`{name}` must be True or False; got {value!r}.")
    return bool(value)


def policy(value: Any, kind: type) -> Any:
    if value is None:
        return kind()
    if not isinstance(value, kind):
        raise TypeError(
            f"`policy` must be a {kind.__name__}; got {check.brief(value)}. Names of libraries go to `like`."
        )
    return value


def said_once(policy: Any, defaults: Any, given: Mapping[str, Any]) -> None:
    """Nothing in the policy and beside it."""
    for name in given:
        if getattr(policy, name) != getattr(defaults, name):
            raise ValueError(f"`{name}` is in the policy already, {getattr(policy, name)!r}; say it once.")


def array(value: Any, name: str) -> Array:
    check.not_masked(value, name, "fill it first")
    try:
        found = as_array(value)
    except ValueError:
        raise SizeValueError(f"`{name}` must have rows of one length; got lists of several lengths.") from None
    if dtype_name(found) not in INTEGERS | FLOATS | {"bool"}:
        raise TypeError(f"`{name}` must be labels, integers, one for each pixel; got {check.brief(value)}.")
    return found


def integers(truth: Array, guess: Array, from_scores: Any) -> None:
    """Labels are whole numbers; a guess may be scores, if it is said how they are meant."""
    if dtype_name(truth) in FLOATS:
        swapped = " Are they swapped? The truth comes first." if dtype_name(guess) not in FLOATS else ""
        way = "Whole numbers that a file stored as floats: round and cast them."
        if truth.ndim == guess.ndim > 3:
            way = "Masks of each class, (B, C, H, W), are of booleans: truth > 0.5, guess > 0.5."
        raise TypeError(f"`truth` must be integers, one label for each pixel; got {dtype_name(truth)}. {way}{swapped}")
    if dtype_name(guess) in FLOATS and from_scores is None:
        raise TypeError(
            f'`guess` is {dtype_name(guess)}; say how scores become labels: from_scores="argmax" for an axis of '
            "classes, (B, C, H, W); from_scores=0.5 for pixels that belong above 0.5. Labels must be integers."
        )
    if dtype_name(guess) not in FLOATS and from_scores is not None:
        raise TypeError(
            f"`from_scores` goes with floats; `guess` is {dtype_name(guess)}, labels already. Leave it out."
        )


def no_colours(array: Array, name: str, axes: int) -> None:
    """A colour picture is no stack of images three pixels wide."""
    shape = tuple(int(side) for side in array.shape)
    if axes == 2 and len(shape) in (3, 4) and shape[-1] in (3, 4) and shape[-2] >= 16:
        raise ValueError(
            f"`{name}` of shape {shape} looks like a colour picture, (H, W, {shape[-1]}), and a label map has one "
            "number a pixel, (H, W). Map its colours to labels first; of a grey picture take one channel, a[..., 0]."
        )


def same_shape(truth: tuple[int, ...], guess: tuple[int, ...], axes: int) -> None:
    ours, theirs = (tuple(int(side) for side in shape) for shape in (truth, guess))
    form = "(D, H, W), or (B, D, H, W)" if axes == 3 else "(H, W), or (B, H, W)"
    for name, shape in (("truth", ours), ("guess", theirs)):
        if len(shape) not in (axes, axes + 1, axes + 2):
            more = "" if axes == 3 or len(shape) < 4 else " Volumes: volume=True."
            more = f" A map that was flattened is an image of one row: {name}[None]." if len(shape) == 1 else more
            raise ValueError(f"`{name}` must have shape {form} for a batch; got {shape}.{more}")
    if ours != theirs:
        way = "Resize the guess to the truth, labels by the nearest pixel."
        if len(theirs) == len(ours) + 1:
            way = "Scores of each class are floats, with from_scores="
        raise SizeValueError(f"`truth` and `guess` must be of one size; got {ours} and {theirs}. {way}")


def no_one_hot(shape: tuple[int, ...]) -> None:
    """Masks of the classes of one image, which would be scored as so many images."""
    count, size = shape[0], "×".join(map(str, shape[1:]))
    raise ValueError(
        f"`truth` is {count} maps of {size} pixels with 0 and 1 alone, and each pixel is 1 in one of them: these look "
        f"like masks of {count} classes of one image, (C, H, W). truth[None], guess[None] scores them so. If they are "
        f"{count} images, give them one by one: list(truth), list(guess)."
    )


def one_axis_more(truth: tuple[int, ...], scores: tuple[int, ...], axis: int, axes: int) -> None:
    ours, theirs = (tuple(int(side) for side in shape) for shape in (truth, scores))
    if axis not in (0, 1) or theirs[:axis] + theirs[axis + 1 :] != ours:
        form = "(B, C, D, H, W) of a truth (B, D, H, W)" if axes == 3 else "(B, C, H, W) of a truth (B, H, W)"
        raise SizeValueError(
            f"Scores must have an axis of classes beside the truth's, {form}; got {theirs} of a truth {ours}."
        )


def as_many_scores(count: int, categories: Any) -> None:
    if categories is not None and count != len(categories):
        raise SizeValueError(f"Scores must be of each of the {len(categories)} categories; got {count} of them.")


def no_nan(scores: Array) -> Array | None:
    """NaN has no place in an order. Where values cannot be seen without waiting, how many there are comes back."""
    xp = namespace(scores)
    if not has_visible_values(scores):
        return xp.sum(xp.isnan(scores), dtype=xp.int64)
    values = to_numpy(scores)
    rows = (
        values if values.ndim < 4 else (plane for batch in values for plane in batch)
    )  # a plane of one class at a time
    nan_scores(sum(int(np.count_nonzero(np.isnan(row))) for row in rows))
    return None


def nan_scores(count: int) -> None:
    if count:
        raise ValueError(f"`guess` must be numbers; {count:,} of its scores are NaN, which is no score of any class.")


def no_unknown_on_device(counts: tuple[int, int], extremes: Sequence[int], labels: np.ndarray) -> None:
    """The same as `no_unknown` where only the lowest and the highest of such labels are known."""
    for side, count, (low, high) in zip(("truth", "guess"), counts, (extremes[:2], extremes[2:]), strict=True):
        if count:
            named = f"the label {low}" if low == high else f"labels from {low} to {high}"
            raise InputError(
                f"The {side} has {named} ({_pixels(count)}), which are no categories: they are {_some(labels.tolist())}"
                ", ignored ones among them. Add them to `categories`, or to `ignore`."
            )


def masks_have_classes(truth: int, guess: int, axes: int, categories: Any) -> None:
    if truth != guess and categories is None:
        raise ValueError(
            "One side is masks of each class, the other a label map: `categories` must say which label each mask is of."
        )


def as_many_masks(truth: int, guess: int, categories: Any) -> None:
    if truth != guess:
        raise SizeValueError(
            f"Each class has one mask on each side; got {truth} masks of the truth and {guess} of the guess."
        )
    if categories is not None and truth != len(categories):
        raise SizeValueError(f"There must be a mask for each of the {len(categories)} categories; got {truth}.")


def same_classes(count: int | None, categories: Any, place: int) -> None:
    """Scores and masks of as many classes in all images."""
    if count is not None and count != len(categories):
        raise SizeValueError(
            f"Each image must have as many classes as those before it, or as `categories` says, {len(categories)}; "
            f"image {place} has {count}."
        )


def both_are_masks(truth: bool, guess: bool) -> None:
    if not (truth and guess):
        raise TypeError(
            "Masks of each class meet masks of each class: give both sides as Masks or RleMasks, or both as label maps."
        )


def both_are_many(truth: bool, guess: bool) -> None:
    if truth != guess:
        one = "truth" if truth else "guess"
        raise TypeError(f"`truth` and `guess` must both be lists of images, or both arrays; the {one} alone is a list.")


def ends_together(truth: bool, guess: bool, number: int) -> None:
    if truth != guess:
        short, long = ("truth", "guess") if truth else ("guess", "truth")
        raise SizeValueError(
            f"Guess n is of the image of truth n: the {short} ends after {number}, and the {long} goes on."
        )


def no_path(value: Any) -> None:
    import os

    if isinstance(value, (str, os.PathLike)):
        raise TypeError(f"`truth` and `guess` must be arrays or lists of them; got the path {str(value)!r}.")


def same_device(a: Any, b: Any) -> None:
    if a != b:
        raise ValueError(f"`truth` and `guess` must be on one device; got {a} and {b}. Move one of them.")


def fits_int64(column: np.ndarray) -> None:
    if column.size and int(column.min()) < 0:
        raise ValueError(f"Labels must fit int64; got {int(column.view(np.uint64).max())}.")


def of_each(value: Any, count: int, name: str) -> list[Any] | None:
    """An id or a group for each image."""
    if value is None:
        return None
    listed = list(value) if hasattr(value, "__len__") and not isinstance(value, (str, bytes)) else [value]
    if len(listed) != count:
        raise SizeValueError(f"`{name}` must be one for each of the {count} images; got {check.brief(value)}.")
    return [_plain(one) for one in listed]


def _plain(value: Any) -> Any:
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        raise TypeError(f"Ids and groups must be whole numbers or texts; got {check.brief(value)}.")
    return value


def one_kind_of_input(now: bool, before: bool | None) -> None:
    if before is not None and now != before:
        raise InputError("Label maps and masks of each class do not belong together: make two evaluators.")


def all_or_none(given: list[Any] | None, before: list[Any], count: int, name: str) -> None:
    if count and (given is None) != (not before):
        there = "Earlier images have one and these do not" if before else "These have one and earlier images do not"
        raise InputError(f"`{name}` must be given for all images or for none. {there}.")


def new_images(ids: Sequence[Any], seen: Collection[Any]) -> None:
    """Each image comes once."""
    twice = next((one for k, one in enumerate(ids) if one in seen or one in ids[:k]), None)
    if twice is not None:
        raise InputError(f"Image {twice!r} was there already: each comes once. reset() starts anew.")


def known_labels(rows: Any, known: np.ndarray, no_class: int) -> None:
    """Every label of an image is among the known ones, which rise."""
    for side in ("truth", "guess"):
        column = getattr(rows, side)
        near = known[np.minimum(np.searchsorted(known, column), len(known) - 1)]
        strange = (near != column) & (column != no_class)
        if strange.any():
            labels, at = np.unique(column[strange], return_inverse=True)
            sums = np.zeros(len(labels), np.int64)
            np.add.at(sums, at.reshape(-1), rows.count[strange])
            no_unknown({side: dict(zip(labels.tolist(), sums.tolist(), strict=True))}, known)


def same_policy(a: Any, b: Any) -> None:
    difference = a.difference(b)
    if difference:
        raise InputError(f"Results of different policies do not belong together: {difference}.")


def some_images(count: int) -> None:
    if not count:
        raise InputError("There is nothing to score: no image was given.")


def beta(value: Any) -> float:
    number = check.finite(value, "beta")
    if number <= 0:
        raise ValueError(f"`beta` must be above 0; got {value!r}. Above 1 it weighs recall more, below 1 precision.")
    return number


def has_accuracy(is_overlapping: bool) -> None:
    if is_overlapping:
        raise ValueError("Masks of each class may overlap, so a pixel has no one class: there is no pixel accuracy.")


def has_groups(groups: Any) -> Any:
    if groups is None:
        raise ValueError("The images have no groups: give `groups`, one for each image, such as its patient or scene.")
    return groups


def one_of_both(policy: Any, like: Any) -> None:
    if (policy is None) == (like is None):
        raise TypeError('`under` takes a policy or `like`, one of the two: under(like="monai").')


def digest(found: str, own: str) -> None:
    if found != own:
        raise InputError("These segmentation results are damaged: the policy does not fit its checksum.")


def none_left(values: Any, name: str, count: int) -> None:
    """One for each image, and no more."""
    if values is not None and next(values, None) is not None:
        raise SizeValueError(f"`{name}` must be one for each of the {count} images; got more.")
