"""What there is in the world: six categories of things, and the classes of label maps."""

from __future__ import annotations

THINGS = ("person", "car", "van", "bicycle", "dog", "balloon")
PERSON, CAR, VAN, BICYCLE, DOG, BALLOON = THINGS
STUFF = ("road", "pavement", "grass", "building", "tree", "sky")
CLASSES = (*STUFF, *THINGS)
"""Of label maps, by label."""
VOID = 255
"""Pixels of the truth that count nowhere: the outlines of things, as Pascal VOC has them."""
VOID_COLOUR = (236, 232, 220)

_COLOURS = {
    "road": (110, 118, 130),
    "pavement": (190, 178, 164),
    "grass": (158, 190, 120),
    "building": (171, 130, 112),
    "sky": (188, 222, 235),
    "tree": (84, 136, 84),
    "person": (240, 190, 40),
    "car": (11, 99, 140),
    "van": (74, 80, 160),
    "bicycle": (190, 70, 40),
    "dog": (120, 70, 30),
    "balloon": (214, 84, 140),
}


def label_of(name: str, /) -> int:
    return CLASSES.index(name)


def category_of(name: str, /) -> int:
    """The id of a category in COCO files."""
    return THINGS.index(name) + 1


def palette() -> list[tuple[int, int, int]]:
    """The colour of each label from 0 to 255."""
    unused = [(0, 0, 0)] * (VOID - len(CLASSES))
    return [*(_COLOURS[name] for name in CLASSES), *unused, VOID_COLOUR]
