"""The ledger: its fixture, slow loops along the definition, and what must hold for any scene."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ledger_oracle as slow
import vesica
from crowds import CROWD, annotated, pedestrians
from trials import trials
from vesica import Boxes, Masks, Polygons, RleMasks, RotatedBoxes, SparseMasks
from vesica.agreement.ledger import TYPES, ledger
from vesica.agreement.pairing import Contacts
from vesica.agreement.policy import AgreementPolicy
from vesica.agreement.scenes import Objects, Side

SWAPPED = {"missing": "extra", "extra": "missing", "split": "merge", "merge": "split"}


def ranks(boxes, ids):
    """A place for each by geometry, then id; equal boxes have equal areas."""
    order = np.lexsort((ids, *np.asarray(boxes).reshape(-1, 4).T[::-1]))
    found = np.empty(len(order), np.int64)
    found[order] = np.arange(len(order))
    return found


def run(a, b, *, regions=Boxes, policy=None, ids=None, contacts=None):
    """The ledger of scenes: lists, for each side, of lists of (label, box)."""
    policy = policy or AgreementPolicy()
    sides = [[(scene, *one) for scene, objects in enumerate(side) for one in objects] for side in (a, b)]
    labels = np.array([ord(one[1][0]) for side in sides for one in side], np.int64)
    boxes = np.array([one[2] for side in sides for one in side]).reshape(-1, 4)
    ids = np.arange(len(labels)) if ids is None else np.asarray(ids)
    scene = np.array([one[0] for side in sides for one in side], np.int64)
    rows = np.arange(len(labels))
    count = len(sides[0])
    objects = Objects(regions(boxes), labels, ranks(boxes, ids))
    left, right = Side(scene[:count], rows[:count]), Side(scene[count:], rows[count:])
    pairing = matched(objects, left, right, policy)
    return ledger(pairing, objects, left, right, scenes=len(a), policy=policy, contacts=contacts)


def matched(objects, left, right, policy):
    """Optimal pairs; rows come by rank, so that ties do not depend on their order."""
    left, right = (
        Side(side.scene[order], side.row[order])
        for side in (left, right)
        for order in [np.argsort(objects.rank[side.row])]
    )
    found = vesica.match(
        objects.regions[left.row],
        objects.regions[right.row],
        at_least=policy.match_at,
        how="optimal",
        keys=(left.scene, right.scene),
    )
    scene = left.scene[found.truth]
    return SimpleNamespace(scene=scene, a=left.row[found.truth], b=right.row[found.guess], iou=found.value)


def amounts(found, scene=0):
    return {TYPES[k]: amount for k, amount in enumerate(found.by_type()[scene]) if amount}


A = [
    ("car", [0, 0, 10, 10]),
    ("car", [20, 0, 30, 10]),
    ("person", [40, 0, 60, 10]),
    ("person", [0, 20, 10, 30]),
    ("car", [40, 20, 50, 30]),
]
B = [
    ("car", [0, 0, 10, 8]),
    ("truck", [20, 0, 30, 10]),
    ("person", [40, 0, 52, 10]),
    ("person", [52, 0, 60, 10]),
    ("car", [20, 20, 30, 30]),
    ("car", [0, 0, 10, 8]),
    ("car", [40, 20, 50, 23]),
]
LOST = {
    "iou": {"loose edge": 1.2, "label": 1, "split": 0.9, "missing": 0.5, "extra": 0.5, "duplicate": 0.5},
    "match": {"loose edge": 1, "label": 1, "split": 0.5, "missing": 0.5, "extra": 0.5, "duplicate": 0.5},
}


def drawn(boxes):
    stack = np.zeros((len(boxes), 40, 70), bool)
    for mask, (x1, y1, x2, y2) in zip(stack, boxes, strict=True):
        mask[y1:y2, x1:x2] = True
    return stack


def turned(boxes):
    x1, y1, x2, y2 = boxes.T
    return RotatedBoxes(
        np.stack([(x1 + x2) / 2, (y1 + y2) / 2, y2 - y1, x2 - x1, np.full(len(boxes), 90.0)], axis=1),
        unit="deg",
        direction="cw",
    )


KINDS = {
    "boxes": Boxes,
    "float boxes": lambda boxes: Boxes(boxes.astype(float)),
    "rotated": turned,
    "polygons": Polygons.from_boxes,
    "masks": lambda boxes: Masks(drawn(boxes)),
    "rle": lambda boxes: RleMasks.from_masks(drawn(boxes)),
    "sparse": lambda boxes: SparseMasks.from_masks(drawn(boxes)),
}


@pytest.mark.parametrize("kind", KINDS)
class TestFixture:
    """Seven kinds of regions, one ledger."""

    @pytest.mark.parametrize("credit, earned, gap", [("iou", 1.4, 4.6), ("match", 2.0, 4.0)])
    def test_amounts(self, kind, credit, earned, gap):
        found = run([A], [B], regions=KINDS[kind], policy=AgreementPolicy(credit=credit))
        assert found.units.tolist() == [6]
        assert found.credit[0] == pytest.approx(earned, abs=1e-12)
        assert amounts(found) == pytest.approx(LOST[credit], abs=1e-12)
        assert found.amount.sum() == pytest.approx(gap, abs=1e-12)

    def test_swapped(self, kind):
        found = run([B], [A], regions=KINDS[kind])
        want = {SWAPPED.get(name, name): amount for name, amount in LOST["iou"].items()}
        assert amounts(found) == pytest.approx(want, abs=1e-12)

    def test_objects(self, kind):
        found = run([A], [B], regions=KINDS[kind])
        types = [[TYPES[k] for k in side.type] for side in (found.a, found.b)]
        assert types == [
            ["loose edge", "label", "split", "missing", "loose edge"],
            ["loose edge", "label", "split", "split", "extra", "duplicate", "loose edge"],
        ]
        assert found.a.amount.tolist() == pytest.approx([0.1, 0.5, 0.2, 0.5, 0.5], abs=1e-12)
        assert found.b.amount.tolist() == pytest.approx([0.1, 0.5, 0.2, 0.5, 0.5, 0.5, 0.5], abs=1e-12)


class TestCells:
    def test_fixture(self):
        cells = run([A], [B]).cells()
        rows = zip(
            cells.category.tolist(), cells.type.tolist(), cells.count.tolist(), cells.amount.tolist(), strict=True
        )
        assert [(chr(category), TYPES[kind], count, round(amount, 9)) for category, kind, count, amount in rows] == [
            ("c", "loose edge", 2, 1.2),
            ("c", "label", 1, 1.0),
            ("c", "extra", 1, 0.5),
            ("c", "duplicate", 1, 0.5),
            ("p", "split", 1, 0.9),
            ("p", "missing", 1, 0.5),
        ]

    def test_empty(self):
        cells = run([[], []], [[], []]).cells()
        assert len(cells.scene) == len(cells.amount) == 0


class TestCopies:
    def test_one_against_ten(self):
        found = run([[("car", [0, 0, 9, 9])]], [[("car", [0, 0, 9, 9])] * 10])
        assert found.units.tolist() == [5.5]
        assert found.credit / found.units == pytest.approx(0.181818, abs=5e-7)
        assert amounts(found) == {"duplicate": 4.5}

    def test_of_nothing(self):
        """The first copy of what the other side does not have is extra, and the others repeat it."""
        found = run([[]], [[("car", [0, 0, 9, 9])] * 3])
        assert amounts(found) == {"extra": 0.5, "duplicate": 1.0}
        assert [TYPES[k] for k in found.b.type] == ["extra", "duplicate", "duplicate"]

    def test_earlier_is_by_rank(self):
        """Not by row: the ids decide which of two equal boxes came first."""
        found = run([[]], [[("car", [0, 0, 9, 9])] * 2], ids=[8, 3])
        assert [TYPES[k] for k in found.b.type] == ["duplicate", "extra"]

    @pytest.mark.parametrize("height, kind", [(8, "duplicate"), (7, "extra")])
    def test_threshold_belongs(self, height, kind):
        twice = [("car", [0, 0, 10, 10]), ("car", [0, 0, 10, height])]
        found = run([[twice[0]]], [twice])
        assert amounts(found) == {kind: 0.5}

    def test_other_scenes_and_sides_do_not_count(self):
        one = [("car", [0, 0, 9, 9])]
        found = run([one, []], [[], one])
        assert amounts(found, 0) == {"missing": 0.5}
        assert amounts(found, 1) == {"extra": 0.5}


def strip(*cuts, label="car", height=10):
    """Boxes side by side."""
    return [(label, [x1, 0, x2, height]) for x1, x2 in itertools.pairwise(cuts)]


class TestStars:
    @pytest.mark.parametrize("parts", [2, 3, 5, 12])
    def test_one_in_many(self, parts):
        """However small the parts: together they are the whole."""
        whole, pieces = strip(0, 60), strip(*range(0, 61, 60 // parts))
        earned = 0.5 if parts == 2 else 0  # a half matches the whole
        lost = (parts + 1) / 2 - earned
        assert amounts(run([whole], [pieces])) == pytest.approx({"split": lost})
        assert amounts(run([pieces], [whole])) == pytest.approx({"merge": lost})

    def test_matched_part_keeps_its_credit(self):
        found = run([strip(0, 20)], [strip(0, 12, 20)])
        assert found.credit.tolist() == [0.6]
        assert amounts(found) == pytest.approx({"split": 0.9})

    def test_partner_must_be_a_part(self):
        """The partner reaches far beyond the whole, so that the other box is no second part but extra."""
        whole, partner, other = [0, 0, 10, 10], [0, -9, 10, 10], [0, 8, 10, 10]
        found = run([[("car", whole)]], [[("car", partner), ("car", other)]])
        assert set(amounts(found)) == {"loose edge", "extra"}

    def test_part_inside_another_adds_nothing(self):
        found = run([[("car", [0, 0, 20, 10])]], [[("car", [0, 0, 16, 10]), ("car", [2, 2, 6, 6])]])
        assert amounts(found) == pytest.approx({"loose edge": 0.2, "extra": 0.5})

    def test_part_inside_another_in_fractions(self):
        """As above, where areas are rounded: 0.1 is no binary fraction."""
        whole, large, small = [0.1, 0.1, 0.7, 0.4], [0.1, 0.1, 0.6, 0.4], [0.2, 0.2, 0.3, 0.3]
        for kind in (Boxes, Polygons.from_boxes):
            found = run([[("car", whole)]], [[("car", large), ("car", small)]], regions=kind)
            assert set(amounts(found)) == {"loose edge", "extra"}

    def test_labels_of_the_matched_part_count(self):
        found = run([strip(0, 20)], [strip(0, 12, label="truck") + strip(12, 20)])
        assert found.credit.tolist() == [0]
        assert amounts(found) == {"label": 1.0, "split": 0.5}

    def test_labels_of_the_largest_part_count(self):
        found = run([strip(0, 20)], [strip(0, 8, label="truck") + strip(8, 14) + strip(14, 20)])
        assert amounts(found) == {"label": 1.0, "split": 1.0}
        assert {chr(c) for c in found.category} == {"c"}
        turned_round = run([strip(0, 8, label="truck") + strip(8, 14) + strip(14, 20)], [strip(0, 20)])
        assert amounts(turned_round) == {"label": 1.0, "merge": 1.0}
        assert {chr(c) for c in turned_round.category} == {"t"}

    def test_union_that_does_not_reach(self):
        """Two parts that cover 0.4 of the whole: nothing of it is credited, and still it is a split."""
        found = run([strip(0, 100)], [strip(0, 20, 40)])
        assert amounts(found) == {"loose edge": 1.0, "split": 0.5}

    def test_taken_parts_serve_once(self):
        """Two wholes of one side share a part: the one that gains more has it."""
        wholes = [("car", [0, 0, 20, 10]), ("car", [10, 0, 40, 10])]
        parts = strip(0, 10, 20, 30, 40)
        found = run([wholes], [parts])
        assert amounts(found)["split"] > 0
        assert found.amount.sum() == pytest.approx((found.units - found.credit)[0], abs=1e-12)
        assert [TYPES[k] for k in found.b.type].count("split") >= 2


class TestPairsInContact:
    def test_is_loose_edge(self):
        assert amounts(run([[("car", [0, 0, 10, 10])]], [[("truck", [0, 0, 10, 3])]])) == {"loose edge": 1.0}

    @pytest.mark.parametrize("height, want", [(1, {"loose edge": 1.0}), (0.99, {"missing": 0.5, "extra": 0.5})])
    def test_contact_belongs(self, height, want):
        assert amounts(run([[("car", [0, 0, 10, 10])]], [[("car", [0, 0, 10, height])]])) == want

    def test_below_contact_is_two(self):
        found = run([[("car", [0, 0, 10, 10])]], [[("car", [9, 9, 19, 19])]])
        assert amounts(found) == {"missing": 0.5, "extra": 0.5}


_side = st.integers(0, 12)
_box = st.tuples(_side, _side, st.integers(0, 8), st.integers(0, 8)).map(
    lambda at: [at[0], at[1], at[0] + at[2], at[1] + at[3]]
)
_objects = st.lists(st.tuples(st.sampled_from("ct"), _box), max_size=5)


@st.composite
def scenes(draw):
    """Two sides on a coarse grid: what one drew, the other drew in pieces, twice, moved, or not at all."""
    a, b = draw(_objects), draw(_objects)
    for label, (x1, y1, x2, y2) in draw(st.lists(st.tuples(st.sampled_from("ct"), _box), max_size=2)):
        near, far = draw(st.permutations([a, b]))
        near.append((label, [x1, y1, x2, y2]))
        cut = draw(st.integers(x1, x2))
        far += [(label, [x1, y1, cut, y2]), (draw(st.sampled_from("ct")), [cut, y1, x2, y2])]
        far += [far[-1]] * draw(st.integers(0, 2))
    return a, b


class TestProperties:
    @given(st.lists(scenes(), max_size=6), st.sampled_from(["iou", "match"]))
    def test_adds_up(self, drawn, credit):
        found = run([a for a, _ in drawn], [b for _, b in drawn], policy=AgreementPolicy(credit=credit))
        gaps = found.units - found.credit
        assert np.abs(found.by_type().sum(axis=1) - gaps).max(initial=0) <= 1e-12
        assert (found.amount > 0).all()
        lost = sum(
            np.bincount([s for s, side in enumerate(sides) for _ in side], side_losses.amount, len(drawn))
            for sides, side_losses in (([a for a, _ in drawn], found.a), ([b for _, b in drawn], found.b))
        )
        assert np.abs(lost - gaps).max(initial=0) <= 1e-12

    @given(scenes(), st.sampled_from(["iou", "match"]))
    def test_swapped(self, scene, credit):
        """The same pairs with the sides exchanged."""
        policy = AgreementPolicy(credit=credit)
        there, back = both_ways(*scene, policy)
        want = {SWAPPED.get(name, name): amount for name, amount in amounts(there).items()}
        assert amounts(back) == pytest.approx(want, abs=1e-12)
        assert there.credit == pytest.approx(back.credit)
        for one, other in ((there.a, back.b), (there.b, back.a)):
            assert [SWAPPED.get(TYPES[k], TYPES[k]) if k >= 0 else k for k in one.type] == [
                TYPES[k] if k >= 0 else k for k in other.type
            ]

    @given(scenes(), st.randoms(use_true_random=False))
    def test_order_of_rows(self, scene, random):
        a, b = scene
        found = run([a], [b])
        orders = [random.sample(range(len(side)), len(side)) for side in scene]
        ids = np.concatenate([orders[0], [len(a) + k for k in orders[1]]]).astype(int)
        again = run([[a[k] for k in orders[0]]], [[b[k] for k in orders[1]]], ids=ids)
        for name in ("units", "credit", "scene", "type", "category", "amount"):
            assert getattr(found, name).tobytes() == getattr(again, name).tobytes()
        for one, other, order in ((found.a, again.a, orders[0]), (found.b, again.b, orders[1])):
            assert one.type[order].tolist() == other.type.tolist()

    @given(st.lists(scenes(), min_size=1, max_size=4))
    def test_scenes_do_not_meet(self, drawn):
        together = run([a for a, _ in drawn], [b for _, b in drawn])
        for k, (a, b) in enumerate(drawn):
            assert run([a], [b]).by_type()[0].tobytes() == together.by_type()[k].tobytes()

    @given(scenes())
    def test_masks_are_boxes(self, scene):
        a, b = scene
        boxes = run([a], [b])
        masks = run([a], [b], regions=lambda boxes: RleMasks.from_masks(drawn(boxes)))
        assert amounts(masks) == pytest.approx(amounts(boxes), abs=1e-12)


def both_ways(a, b, policy):
    """The ledger of two sides, and that of the same pairs with the sides exchanged."""
    count = len(a)
    labels = np.array([ord(label[0]) for label, _ in a + b], np.int64)
    boxes = np.array([box for _, box in a + b]).reshape(-1, 4)
    rows = np.arange(len(labels))
    objects = Objects(Boxes(boxes), labels, ranks(boxes, rows))
    left, right = (Side(np.zeros(len(some), np.int64), some) for some in (rows[:count], rows[count:]))
    pairing = matched(objects, left, right, policy)
    turned = SimpleNamespace(scene=pairing.scene, a=pairing.b, b=pairing.a, iou=pairing.iou)
    return (
        ledger(pairing, objects, left, right, scenes=1, policy=policy),
        ledger(turned, objects, right, left, scenes=1, policy=policy),
    )


def random_scene(generator):
    """Boxes of some pixels; some of them in two or three pieces, some twice, some moved."""
    sides = [[], []]
    for _ in range(generator.randint(1, 4)):
        x, y, w, h = (
            generator.randint(0, 60),
            generator.randint(0, 60),
            generator.randint(9, 31),
            generator.randint(9, 31),
        )
        label = generator.choice("ct")
        near, far = generator.sample(sides, 2)
        near.append((label, (x, y, x + w, y + h)))
        kind = generator.choice(["pieces", "moved", "moved", "copies", "nothing"])
        if kind == "pieces":
            cuts = sorted({x, x + w, *(generator.randint(x, x + w) for _ in range(generator.randint(1, 3)))})
            far += [
                (
                    generator.choice([label, label, "p"]),
                    (x1, y + generator.randint(0, 2), x2, y + h - generator.randint(0, 2)),
                )
                for x1, x2 in itertools.pairwise(cuts)
            ]
        if kind in ("moved", "copies"):
            for _ in range(1 if kind == "moved" else 3):
                dx, dy = generator.randint(-3, 3), generator.randint(-3, 3)
                far.append((generator.choice([label, label, "p"]), (x + dx, y + dy, x + w + dx, y + h + dy)))
    return sides


@pytest.mark.parametrize("credit", ["iou", "match"])
class TestEqualsOracle:
    """Thousands of scenes in one call, against exact loops scene by scene."""

    COUNT = len(trials(700))

    def test_thousands_add_up(self, credit):
        generator = random.Random(f"sums {credit}")
        drawn = [random_scene(generator) for _ in range(4000)]
        found = run([a for a, _ in drawn], [b for _, b in drawn], policy=AgreementPolicy(credit=credit))
        assert np.abs(found.by_type().sum(axis=1) - (found.units - found.credit)).max() <= 1e-12
        assert (found.amount > 0).all() and set(found.type.tolist()) == set(range(len(TYPES)))

    def test_amounts_of_classes(self, credit):
        generator = random.Random(f"ledger {credit}")
        drawn = [random_scene(generator) for _ in range(self.COUNT)]
        policy = AgreementPolicy(credit=credit)
        found = run([a for a, _ in drawn], [b for _, b in drawn], policy=policy)
        cells = found.cells()
        by_scene = [{} for _ in drawn]
        for scene, category, kind, amount in zip(
            *map(np.ndarray.tolist, (cells.scene, cells.category, cells.type, cells.amount)), strict=True
        ):
            by_scene[scene][chr(category), TYPES[kind]] = amount
        kinds = set()
        lost = [
            np.split(side.amount, np.cumsum([len(scene[k]) for scene in drawn])[:-1])
            for k, side in enumerate((found.a, found.b))
        ]
        unique = 0
        for k, (a, b) in enumerate(drawn):
            sides = [
                slow.Thing(name, box, label, i)
                for name, side in (("a", a), ("b", b))
                for i, (label, box) in enumerate(side)
            ]
            left, right = sides[: len(a)], sides[len(a) :]
            pairs, is_unique = slow_pairs(left, right)
            want = slow.ledger(left, right, pairs, slow.Policy(credit=credit))
            if not (is_unique and want.is_unique):
                continue
            unique += 1
            exact = {cell: float(amount) for cell, amount in want.classes.items() if amount}
            assert by_scene[k] == pytest.approx(exact, abs=1e-12), (a, b)
            assert (found.units[k], found.credit[k]) == pytest.approx((float(want.units), float(want.credit)))
            assert [*lost[0][k], *lost[1][k]] == pytest.approx([float(want.objects[one]) for one in sides])
            kinds |= {kind for _, kind in exact}
        assert unique > self.COUNT * 0.9
        assert kinds == set(TYPES)


def slow_pairs(left, right):
    values = {(i, j): slow.iou(one, other) for i, one in enumerate(left) for j, other in enumerate(right)}
    choices = slow.best_pairs({pair: value for pair, value in values.items() if value >= Fraction(1, 2)})
    return [(left[i], right[j]) for i, j in choices[0]], len(choices) == 1


class TestContacts:
    """Pairs that share area may be given, where they are known already."""

    def test_given_or_not(self):
        generator = random.Random("contacts")
        drawn = [random_scene(generator) for _ in range(200)]
        a, b = [a for a, _ in drawn], [b for _, b in drawn]
        sides = [[(scene, box) for scene, side in enumerate(sides) for _, box in side] for sides in (a, b)]
        found = vesica.join(
            *([box for _, box in side] for side in sides),
            at_least=0,
            strict=True,
            keys=tuple([scene for scene, _ in side] for side in sides),
        )
        one, other = run(a, b), run(a, b, contacts=Contacts(*found))
        for name in ("scene", "type", "category", "amount"):
            assert getattr(one, name).tobytes() == getattr(other, name).tobytes()


class TestPairing:
    def test_of_other_sides(self):
        objects = Objects(Boxes([[0, 0, 4, 4], [0, 0, 4, 4]]), np.array([0, 0]), np.array([0, 1]))
        zero = np.zeros(1, np.int64)
        pairing = SimpleNamespace(scene=zero + 7, a=zero, b=zero + 1, iou=np.ones(1))
        with pytest.raises(ValueError, match="matches row 0 in scene 7, where side a has no such object"):
            ledger(pairing, objects, Side(zero, zero), Side(zero, zero + 1), scenes=8, policy=AgreementPolicy())


class TestPolicy:
    """Each threshold decides where it should, and belongs to what reaches it."""

    @pytest.mark.parametrize(
        "change, a, b, usual, want",
        [
            pytest.param(
                {"match_at": 0.81},
                [0, 0, 10, 10],
                [[0, 0, 10, 8]],
                {"loose edge": 0.2},
                {"loose edge": 1.0},
                id="match_at",
            ),
            pytest.param(
                {"match_at": 0.8, "match_strict": True},
                [0, 0, 20, 10],
                [[0, 0, 8, 10], [8, 0, 16, 10]],
                {"loose edge": 0.2, "split": 1.3},
                {"loose edge": 1.0, "split": 0.5},
                id="match_strict",
            ),
            pytest.param(
                {"contact": 0.31},
                [0, 0, 10, 10],
                [[0, 0, 10, 3]],
                {"loose edge": 1.0},
                {"missing": 0.5, "extra": 0.5},
                id="contact",
            ),
            pytest.param(
                {"part": 0.76},
                [0, 0, 10, 10],
                [[0, 0, 10, 6], [0, 7, 10, 11]],
                {"loose edge": 1 - 9 / 11, "split": 0.5 + 9 / 11 - 0.6},
                {"loose edge": 0.4, "extra": 0.5},
                id="part",
            ),
            pytest.param(
                {"duplicate": 0.81},
                [0, 0, 10, 10],
                [[0, 0, 10, 10], [0, 0, 10, 8]],
                {"duplicate": 0.5},
                {"extra": 0.5},
                id="duplicate",
            ),
        ],
    )
    def test_threshold(self, change, a, b, usual, want):
        a, b = [[("car", a)]], [[("car", box) for box in b]]
        assert amounts(run(a, b)) == pytest.approx(usual)
        assert amounts(run(a, b, policy=AgreementPolicy(**change))) == pytest.approx(want)


@pytest.fixture(scope="module")
def crowd():
    if not CROWD.exists():
        pytest.skip("the crowd's boxes are not here")
    return vesica.evaluate_agreement(pedestrians())


class TestPedestrians:
    """Real boxes of a crowd: 30,408 image pairs."""

    def test_adds_up(self, crowd):
        lines, tallies, scenes = crowd.records.lines, crowd.tallies, len(crowd.records.scenes)
        lost = np.bincount(lines.scene, weights=lines.amount, minlength=scenes)
        gap = tallies.sums["units"] - tallies.sums["credit"]
        assert np.abs(lost - np.bincount(tallies.scene, weights=gap, minlength=scenes)).max() <= 1e-12
        assert crowd.ledger()["amount"].sum() == pytest.approx(35202 - 22314.943047, abs=1e-6)

    def test_equals_oracle(self, crowd):
        """The scenes that have most to tell apart, and every hundredth of the others."""
        records, lines = crowd.records, crowd.records.lines
        odd = np.unique(lines.scene[np.isin(lines.type, [TYPES.index(name) for name in ("split", "merge")])])
        rows = [
            {scene: side.row[side.scene == scene] for scene in (*odd[:60].tolist(), *range(0, 30408, 500))}
            for side in (records.scenes.left, records.scenes.right)
        ]
        for scene in rows[0]:
            left, right = (
                [slow.Thing(name, tuple(records.box[row].tolist()), "p", row) for row in side[scene].tolist()]
                for name, side in zip("ab", rows, strict=True)
            )
            pairs, is_unique = slow_pairs(left, right)
            want = slow.ledger(left, right, pairs, slow.Policy())
            if not (is_unique and want.is_unique):
                continue
            found = np.bincount(lines.type[lines.scene == scene], lines.amount[lines.scene == scene], len(TYPES))
            assert found == pytest.approx([float(want.amounts[name]) for name in TYPES], abs=1e-12)


class TestIntervals:
    def test_complement_of_agreement(self):
        """Where edges alone differ, their share is 1 − agreement, and so are the ends of its interval."""
        generator = np.random.default_rng(4)
        rows = [
            (image % 4, who, (0, 10 * (image // 4), 8, int(generator.integers(5, 9))), "cat")
            for image in range(40)
            for who in "abc"
        ]
        result = vesica.evaluate_agreement(annotated(rows), policy=AgreementPolicy(replicates=100))
        whole, agreement = result.ledger(intervals=True), result.interval("agreement")
        assert whole["type"].tolist() == ["loose edge"]
        assert whole["lo"] == pytest.approx(1 - agreement.hi) and whole["hi"] == pytest.approx(1 - agreement.lo)
        for by in ("annotators", ("annotators", "category")):
            divided, pairs = result.ledger(by=by, intervals=True), result.pairs()
            assert divided["annotator_a"].tolist() == pairs["annotator_a"].tolist()
            assert divided["lo"] == pytest.approx(1 - pairs["hi"])
            assert divided["hi"] == pytest.approx(1 - pairs["lo"])

    def test_types_that_some_images_do_not_have(self):
        rows = [(image, who, (0, 0, 8, 8), "cat") for image in range(4) for who in "abc"]
        del rows[0]
        result = vesica.evaluate_agreement(annotated(rows), policy=AgreementPolicy(replicates=100))
        table = result.ledger(intervals=True)
        assert table["type"].tolist() == ["extra"]
        assert table["lo"][0] == 0 < table["share"][0] < table["hi"][0]

    def test_nothing_lost(self):
        rows = [(image, who, (0, 0, 8, 8), "cat") for image in range(4) for who in "abc"]
        table = vesica.evaluate_agreement(annotated(rows)).ledger(intervals=True)
        assert len(table) == 0 and "lo" in table.columns
