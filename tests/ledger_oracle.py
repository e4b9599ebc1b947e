"""The ledger of one scene of boxes in exact fractions: slow loops along the definition."""

from __future__ import annotations

import itertools
from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction

import oracles

HALF = Fraction(1, 2)


@dataclass(frozen=True)
class Policy:
    """What the definition depends on."""

    match_at: Fraction = Fraction(1, 2)
    contact: Fraction = Fraction(1, 10)
    part: Fraction = Fraction(3, 4)
    duplicate: Fraction = Fraction(4, 5)
    credit: str = "iou"

    def q(self, x):
        if x < self.match_at:
            return Fraction(0)
        return x if self.credit == "iou" else Fraction(1)


@dataclass(frozen=True)
class Thing:
    """An object: its key for ties is its box, its area, its id."""

    side: str
    box: tuple
    label: str
    id: int

    @property
    def key(self):
        return (*self.box, oracles.area(self.box), self.id)


def iou(one, other):
    return oracles.iou(one.box, other.box)


def best_pairs(values):
    """All one-to-one choices of keys (i, j) with the largest sum of values."""
    rows = sorted({i for i, _ in values})

    def choices(left, used):
        if not left:
            yield ()
            return
        yield from choices(left[1:], used)
        for i, j in values:
            if i == left[0] and j not in used:
                for rest in choices(left[1:], used | {j}):
                    yield ((i, j), *rest)

    sums = defaultdict(list)
    for choice in choices(rows, frozenset()):
        sums[sum((values[pair] for pair in choice), Fraction(0))].append(choice)
    return sums[max(sums)]


def union_iou(whole, parts):
    """IoU of a box with the union of boxes, by the cells that all edges cut the plane into."""
    boxes = [[Fraction(v) for v in one.box] for one in (whole, *parts)]
    xs, ys = (sorted({box[k] for box in boxes for k in (axis, axis + 2)}) for axis in (0, 1))
    shared = covered = Fraction(0)
    for (x1, x2), (y1, y2) in itertools.product(itertools.pairwise(xs), itertools.pairwise(ys)):
        own, *others = (box[0] <= x1 and x2 <= box[2] and box[1] <= y1 and y2 <= box[3] for box in boxes)
        shared += (x2 - x1) * (y2 - y1) * (own and any(others))
        covered += (x2 - x1) * (y2 - y1) * (own or any(others))
    return shared / covered


def stars(free, partner, others, policy):
    """Every star that can be formed now: (gain, whole, parts, u)."""
    found = []
    for whole in others:
        mate = partner.get(whole)
        if mate is None and whole not in free:
            continue
        if oracles.area(whole.box) == 0:
            continue
        parts = [one for one in free if one.side != whole.side] + ([mate] if mate else [])
        parts = [
            one
            for one in parts
            if oracles.ratio(oracles.inter(one.box, whole.box), oracles.area(one.box)) >= policy.part
        ]
        if len(parts) < 2 or (mate and mate not in parts):
            continue
        u = union_iou(whole, parts)
        best = max(iou(whole, one) for one in parts)
        if u > best:
            found.append((u - best, whole, parts, u))
    return found


@dataclass
class Answer:
    units: Fraction
    credit: Fraction
    amounts: dict  # by type
    classes: dict  # by (label, type)
    objects: dict  # of each thing: what it loses
    is_unique: bool = True  # has step 3 one answer only?


def ledger(a, b, pairs, policy):
    """`pairs` are the matched (thing of a, thing of b)."""
    things = a + b
    partner = {one: other for pair in pairs for one, other in (pair, pair[::-1])}
    classes = defaultdict(Fraction)
    q = {one: policy.q(iou(one, other)) for one, other in partner.items()}
    earned = {one: q[one] * (one.label == other.label) for one, other in partner.items()}
    credit = sum((earned[one] for one, _ in pairs), Fraction(0))

    # 1
    free = {one for one in things if one not in partner}
    copies = {
        one
        for one in free
        for other in things
        if other is not one
        and other.side == one.side
        and iou(one, other) >= policy.duplicate
        and (other in partner or other.key < one.key)
    }
    free -= copies
    for one in copies:
        classes[one.label, "duplicate"] += HALF

    # 2
    taken = set()
    while True:
        others = [one for one in things if one not in taken]
        found = stars(free, partner, others, policy)
        if not found:
            break
        _, whole, parts, u = min(found, key=lambda star: (-star[0], star[1].key))
        taken |= {whole, *parts}
        free -= taken
        mate = partner.get(whole)
        speaker = mate or min(parts, key=lambda one: (-oracles.area(one.box), one.key))
        category = whole.label if whole.side == "a" else speaker.label
        e = 1 - policy.q(u)
        l = policy.q(u) * (whole.label != speaker.label)  # noqa: E741
        c = earned.get(whole, 0)
        classes[category, "loose edge"] += e
        classes[category, "label"] += l
        classes[category, "split" if whole.side == "a" else "merge"] += Fraction(len(parts) + 1, 2) - c - e - l

    # 3
    values = {
        (one, other): iou(one, other)
        for one in sorted(free, key=lambda one: one.key)
        for other in free
        if (one.side, other.side) == ("a", "b") and policy.contact <= iou(one, other) < policy.match_at
    }
    keyed = {((one.key, one), (other.key, other)): value for (one, other), value in values.items()}
    choices = best_pairs({(i[0], j[0]): value for (i, j), value in keyed.items()})
    by_key = {(thing.side, thing.key): thing for thing in free}
    for i, j in choices[0]:
        one, other = by_key["a", i], by_key["b", j]
        classes[one.label, "loose edge"] += 1
        free -= {one, other}

    # 4
    for one, other in pairs:
        if one not in taken:
            classes[one.label, "loose edge"] += 1 - q[one]
            classes[one.label, "label"] += q[one] * (one.label != other.label)

    # 5
    for one in free:
        classes[one.label, "missing" if one.side == "a" else "extra"] += HALF

    amounts = defaultdict(Fraction)
    for (_, kind), amount in classes.items():
        amounts[kind] += amount
    objects = {one: (1 - earned.get(one, Fraction(0))) / 2 for one in things}
    return Answer(Fraction(len(things), 2), credit, amounts, classes, objects, len(choices) == 1)
