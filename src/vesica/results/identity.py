"""Identity: what two results must have in common to be compared, and the first thing in which they differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

DIGITS = 16


def image_set(ids: Sequence[Any], /) -> str:
    """A name for a set of images, by their ids: equal sets have equal names, in whichever order.

    >>> image_set([7, 12]) == image_set([12, 7]), image_set([7]) == image_set(["7"])
    (True, False)
    """
    import hashlib  # late: most results are never compared
    import json

    text = json.dumps(sorted(ids, key=lambda one: (isinstance(one, str), one)), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


class Identity(NamedTuple):
    """Conventions, categories, images and truths of a result.

    >>> one = Identity("detection", {"iou": [0.5]}, ("cat", "dog"), 2, image_set([1, 2]), (1, 2), (3, 4))
    >>> one.difference(one._replace(policy={"iou": [0.75]}))
    'iou is [0.5] here and [0.75] there'
    >>> one.difference(one._replace(image_set=image_set([1, 3]), ids=(1, 3)))
    'image 2 is here and not there'
    >>> one.difference(one._replace(truths=(3, 5)))
    "'dog' has 4 truths here and 5 there"
    """

    task: str
    policy: Mapping[str, Any]
    categories: tuple[Any, ...]
    images: int
    image_set: str
    """As `image_set` names it."""
    ids: tuple[Any, ...] | None = None
    """Of the images, where they are at hand."""
    truths: tuple[int, ...] | None = None
    """How many truths, or pixels of them, each category has; None: the results have none."""

    def difference(self, other: Identity, /) -> str | None:
        """The first thing in which two differ, in words; None if they may be compared."""
        if self.task != other.task:
            return f"it is of {other.task}, and this one of {self.task}"
        for name in (*self.policy, *(name for name in other.policy if name not in self.policy)):
            mine, theirs = self.policy.get(name), other.policy.get(name)
            if mine != theirs:
                return f"{name} is {_short(mine)} here and {_short(theirs)} there"
        return self._of_categories(other) or self._of_images(other) or self._of_truths(other)

    def _of_categories(self, other: Identity) -> str | None:
        for name in self.categories:
            if name not in other.categories:
                return f"category {name!r} is here and not there"
        for name in other.categories:
            if name not in self.categories:
                return f"category {name!r} is there and not here"
        return None

    def _of_images(self, other: Identity) -> str | None:
        if self.image_set == other.image_set:
            return None
        if self.ids is not None and other.ids is not None:
            ours, theirs = set(self.ids), set(other.ids)
            only = next((one for one in self.ids if one not in theirs), None)
            if only is not None:
                return f"image {only!r} is here and not there"
            only = next((one for one in other.ids if one not in ours), None)
            if only is not None:
                return f"image {only!r} is there and not here"
        if self.images != other.images:
            return f"there are {self.images:,} images here and {other.images:,} there"
        return f"the {self.images:,} images here are not those there, by their ids"

    def _of_truths(self, other: Identity) -> str | None:
        if self.truths is None or other.truths is None:
            return None
        theirs = dict(zip(other.categories, other.truths, strict=True))
        for name, count in zip(self.categories, self.truths, strict=True):
            if count != theirs[name]:
                return f"{name!r} has {count:,} truths here and {theirs[name]:,} there"
        return None


def identity_of(facts: Mapping[str, Any], /, *, ids: Sequence[Any] | None = None) -> Identity | None:
    """That of what `to_dict` of a result gave, also by way of JSON; None if it does not say of which images it is."""
    if "task" not in facts or "image_set" not in facts:
        return None
    rows = facts["classes"]
    conventions = facts["policy"] if "policy" in facts else facts["conventions"]
    named = {name: facts[name] for name in ("protocol", "regions") if name in facts}
    return Identity(
        facts["task"],
        {**named, **{name: _listed(value) for name, value in conventions.items()}},
        tuple(row["category"] for row in rows),
        facts["images"],
        facts["image_set"],
        None if ids is None else tuple(ids),
        _truths(rows),
    )


def _truths(rows: Sequence[Mapping[str, Any]]) -> tuple[int, ...] | None:
    """Of each category, as its row has them: objects, or the pixels of right and missed ones."""
    if rows and "truths" in rows[0]:
        return tuple(row["truths"] for row in rows)
    if rows and {"tp", "fn"} <= set(rows[0]):
        return tuple(row["tp"] + row["fn"] for row in rows)
    return None


def _listed(value: Any) -> Any:
    """As JSON has it."""
    return list(map(_listed, value)) if isinstance(value, (list, tuple)) else value


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}…"
