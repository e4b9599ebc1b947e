"""Thresholds: what a number means, and decisions about boxes of any dtype, which rounding does not make."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import oracles
import vesica
from backends import absent
from vesica import _check as check
from vesica._check import threshold

MEASURES = {
    "iou": lambda a, b: (oracles.inter(a, b), oracles.union(a, b)),
    "dice": lambda a, b: (2 * oracles.inter(a, b), oracles.area(a) + oracles.area(b)),
    "coverage": lambda a, b: (oracles.inter(a, b), oracles.area(a)),
    "overlap": lambda a, b: (oracles.inter(a, b), min(oracles.area(a), oracles.area(b))),
}
MOST = 2**63 - 1


def meaning(value):
    found = threshold(value, "t", strict=True)
    return Fraction(found.p, found.q << found.shift)


class TestMeaning:
    @pytest.mark.parametrize(
        "value, want",
        [
            (0.3, Fraction(3, 10)),
            (1, Fraction(1)),
            (1 / 3, Fraction("0.3333333333333333")),
            (1 / 7, Fraction("0.14285714285714285")),
            (1 / 300, Fraction("0.0033333333333333335")),
            (2 / 3e7, Fraction("6.666666666666667e-08")),
            (1e-10 / 3, Fraction("3.3333333333333335e-11")),
            (1e-27, Fraction(1, 10**27)),
            (1e-28, Fraction(1e-28)),  # beyond 27 places: the double itself
            (5e-324, Fraction(5e-324)),
            (np.float64(1 / 7), Fraction("0.14285714285714285")),
            (np.float32(1 / 3), Fraction("0.33333334")),
            (np.float16(0.3), Fraction(3, 10)),
            (Fraction(1, 7), Fraction(1, 7)),
            (Fraction(MOST - 1, MOST), Fraction(MOST - 1, MOST)),
            (Fraction(3, 2**70), Fraction(3, 2**70)),
            (Decimal("0.1234567890123456789"), Fraction("0.1234567890123456789")),
        ],
    )
    def test_value(self, value, want):
        assert meaning(value) == want

    @given(st.floats(1e-9, 1.0))
    def test_a_float_is_its_shortest_decimal(self, value):
        assert meaning(value) == Fraction(repr(value))

    @given(st.floats(0, 1, exclude_min=True))
    def test_near_its_value(self, value):
        found = threshold(value, "t", strict=False)
        assert found.value == value and 0 < found.p <= MOST and 0 < found.q <= MOST

    @pytest.mark.parametrize(
        "value, message",
        [
            (Fraction(1, 2**63 + 1), r"numbers below 2\^63; got Fraction\(1, 9223372036854775809\)"),
            (Fraction(2**63 + 1, 2**64), r"numbers below 2\^63"),
            (Fraction(1, 2**1075), r"numbers below 2\^63"),
            (Fraction(10**20 + 1, 10**20), r"must lie in \(0, 1\]; got Fraction\(1000"),  # as a float it is 1
            (Fraction(3, 2), r"must lie in \(0, 1\]; got Fraction\(3, 2\)"),
            (Decimal("NaN"), "must be finite"),
            ("1/3", "`above` must be a number; got '1/3'"),
        ],
    )
    def test_refused(self, value, message):
        with pytest.raises((ValueError, TypeError), match=message):
            vesica.nms([[0, 0, 1, 1]], [1.0], above=value)


STEPS = st.sampled_from([1.0, 0.5, 2.0**-20, 2.0**-550, 2.0**480, 0.1, 1 / 3])
"""What a coarse grid is multiplied by; areas of 2.0**-550 are 0 in floats, and only unchecked boxes may be so small."""


@st.composite
def scenes(draw):
    """Two tables of floats, near each other; the rows of whole numbers are often multiplied."""
    coordinate = draw(st.sampled_from([st.integers(-9, 9), st.integers(-(2**30) + 1, 2**30 - 1), st.floats(-99, 99)]))
    count = draw(st.integers(1, 4))
    rows = draw(st.lists(st.tuples(*[coordinate] * 4), min_size=count, max_size=2 * count))
    step = draw(STEPS)
    table = np.array(rows, float) * (step if np.abs(rows).max() < 100 else 1)
    table = np.concatenate([np.minimum(table[:, :2], table[:, 2:]), np.maximum(table[:, :2], table[:, 2:])], axis=1)
    return table[:count], table[count:]


def wanted(a, b, measure, t, strict):
    pairs = []
    for i, x in enumerate(a.tolist()):
        for j, y in enumerate(b.tolist()):
            num, den = MEASURES[measure](x, y)
            if num > 0 and (num > t * den if strict else num >= t * den):
                pairs.append((i, j))
    return pairs


def pairs_of(found):
    return list(zip(found.i.tolist(), found.j.tolist(), strict=True))


def ties(a, b, measure):
    """Thresholds that a pair is exactly at, or that no float is nearer to."""
    for x in a.tolist():
        for y in b.tolist():
            num, den = MEASURES[measure](x, y)
            value = num / den if den else Fraction(0)
            if 0 < value <= 1 and float(value) > 0:
                yield from (t for t in (float(value), float(np.nextafter(float(value), 0))) if t > 0)
                if value.denominator <= MOST:
                    yield value


class TestDecision:
    """Against fractions of the very numbers given."""

    @given(scenes(), st.sampled_from(sorted(MEASURES)), st.booleans())
    def test_join(self, tables, measure, strict):
        a, b = tables
        boxes = [vesica.Boxes(side, check=False) for side in tables]
        for t in [*ties(a, b, measure), 0.5, 1 / 3]:
            found = vesica.join(*boxes, at_least=t, measure=measure, strict=strict)
            assert pairs_of(found) == wanted(a, b, measure, meaning(t), strict), t

    @given(scenes(), st.booleans())
    def test_nms(self, tables, strict):
        """Of the first box and each other: that one stays unless it reaches the threshold."""
        a, b = tables
        for t in ties(a[:1], b, "iou"):
            for row in b:
                two = vesica.Boxes(np.array([a[0], row]), check=False)
                kept = vesica.nms(two, [0.9, 0.1], above=t, strict=strict)
                assert len(kept) == 2 - len(wanted(a[:1], row[None], "iou", meaning(t), strict))

    @given(scenes())
    def test_any_overlap_at_all(self, tables):
        a, b = tables
        found = vesica.join(*(vesica.Boxes(side, check=False) for side in tables), at_least=0, strict=True)
        assert pairs_of(found) == wanted(a, b, "iou", 0, True)

    @given(scenes())
    def test_anchors(self, tables):
        """Each anchor alone with each truth, so that there is no choice between truths."""
        for anchor in tables[0]:
            for truth in tables[1]:
                if any((row[2:] > row[:2]).all() and np.prod(row[2:] - row[:2]) == 0 for row in (anchor, truth)):
                    continue  # the best truth is chosen by its value, which such areas do not have
                one, other = (vesica.Boxes(row[None], check=False) for row in (anchor, truth))
                for t in ties(anchor[None], truth[None], "iou"):
                    found = vesica.anchors.assign(one, other, positive=t, negative=t, low_quality=False)
                    reached = wanted(anchor[None], truth[None], "iou", meaning(t), False)
                    assert found.truth.tolist() == [0 if reached else -1]


WHOLE = st.lists(st.tuples(*[st.integers(-12, 12)] * 4), min_size=2, max_size=9)
SHARES = st.one_of(
    st.builds(Fraction, st.integers(1, 9), st.integers(9, 24)),
    st.builds(lambda p, q: p / q, st.integers(1, 9), st.integers(9, 24)),
)


def ordered(rows):
    rows = np.array(rows, np.int64)
    return np.concatenate([np.minimum(rows[:, :2], rows[:, 2:]), np.maximum(rows[:, :2], rows[:, 2:])], axis=1)


SEVENTHS = [(0, 0, 1, 1), (0, 0, 7, 1), (0, 0, 3, 1), (0, 0, 7, 3)]


class TestWholeNumbersAreAlike:
    """Integers, and floats that are whole numbers."""

    @given(WHOLE, SHARES, st.booleans(), st.sampled_from(["float64", "float32"]))
    @example(SEVENTHS, 1 / 7, True, "float64")
    @example(SEVENTHS, 1 / 7, False, "float32")
    @example(SEVENTHS, Fraction(1, 7), True, "float64")
    def test_choosing(self, rows, t, strict, dtype):
        whole, scores = ordered(rows), np.linspace(1, 0.5, len(rows))
        floats = whole.astype(dtype)
        options = {"above": t, "strict": strict}
        assert vesica.nms(whole, scores, **options).tolist() == vesica.nms(floats, scores, **options).tolist()
        groups = [vesica.nmm(side, scores, **options).group.tolist() for side in (whole, floats)]
        assert groups[0] == groups[1]
        members = [vesica.fuse(side, scores, above=t).members.tolist() for side in (whole, floats)]
        assert members[0] == members[1]
        soft = [vesica.soft_nms(side, scores, decay="linear", above=t).index.tolist() for side in (whole, floats)]
        assert soft[0] == soft[1]
        padded = [
            vesica.nms_padded(side[None], scores[None], limit=9, **options).index.tolist() for side in (whole, floats)
        ]
        assert padded[0] == padded[1]

    @given(WHOLE, WHOLE, SHARES, st.booleans(), st.sampled_from(["float64", "float32"]))
    @example(SEVENTHS, SEVENTHS, 1 / 7, True, "float64")
    def test_pairing(self, rows, others, t, strict, dtype):
        a, b = ordered(rows), ordered(others)
        found = [vesica.join(x, y, at_least=t, strict=strict) for x, y in ((a, b), (a.astype(dtype), b.astype(dtype)))]
        assert pairs_of(found[0]) == pairs_of(found[1])
        marks = [
            vesica.anchors.assign(x, y, positive=t, negative=t).truth.tolist()
            for x, y in ((a, b), (a.astype(dtype), b.astype(dtype)))
        ]
        assert marks[0] == marks[1]

    @given(WHOLE, WHOLE, SHARES)
    @example(SEVENTHS, SEVENTHS, 1 / 7)
    def test_matching(self, rows, others, t):
        a, b = ordered(rows), ordered(others)
        scores = np.linspace(1, 0.5, len(b))
        for how in ("greedy", "optimal"):
            given = {"scores": scores} if how == "greedy" else {}
            found = [
                vesica.match(x, y, at_least=t, how=how, **given)
                for x, y in ((a, b), (a.astype(float), b.astype(float)))
            ]
            assert found[0].guess_of.tolist() == found[1].guess_of.tolist()

    @pytest.mark.parametrize("t", [1 / 7, Fraction(1, 7), Decimal("0.125"), 5 / 9, Fraction(5, 9)])
    @pytest.mark.parametrize("strict", [False, True])
    def test_in_every_library(self, xp, t, strict):
        rows = [[0, 0, k, 1] for k in range(1, 10)]
        want = vesica.join(np.array(rows), np.array(rows), at_least=t, strict=strict)
        found = vesica.join(xp(rows), xp(rows), at_least=t, strict=strict)
        assert xp.back(found.i).tolist() == want.i.tolist() and xp.back(found.j).tolist() == want.j.tolist()

    @pytest.mark.parametrize("dtype", ["int64", "float64", "float32"])
    def test_in_array_code(self, dtype):
        """The twin: a pair is exactly at the threshold, one bit above it, and one below."""
        for n in range(2, 24):
            rows = np.array([[0, 0, k, 1] for k in range(1, n + 1)], dtype)
            all_of_it = np.array([[0, 0, n, 1]], dtype)
            for k in range(1, n):
                for t in (Fraction(k, n), k / n):
                    want = [j for j in range(n) if Fraction(j + 1, n) > meaning(t)]
                    assert twin_join(all_of_it, rows, t) == want


def twin_join(a, b, t):
    """The join in array-API code, whatever else there is."""
    with absent("native", "join"):
        return vesica.join(a, b, at_least=t, strict=True).j.tolist()


def test_huge_whole_floats():
    """Areas of 60 bits, where doubles have 53."""
    side = 2**30 - 1
    a, b = np.array([[0, 0, side, side]]), np.array([[0, 0, side, side - 1]])
    exact = Fraction(side - 1, side)
    for rows in (lambda x: x, lambda x: x.astype(float)):
        assert len(vesica.join(rows(a), rows(b), at_least=exact)) == 1
        assert len(vesica.join(rows(a), rows(b), at_least=exact, strict=True)) == 0
        assert len(vesica.join(rows(a), rows(b), at_least=exact + Fraction(1, 2**32 * side))) == 0


def test_limits_of_thresholds_are_those_of_the_kernels():
    assert check.threshold(Fraction(1, MOST), "t", strict=False).q == MOST
    assert len(vesica.join([[0, 0, 1, 1]], [[0, 0, 1, 1]], at_least=Fraction(MOST - 1, MOST))) == 1


class TestScores:
    """evaluate compares float64 quotients with float64 thresholds, as COCO does; equal fractions have equal ones."""

    @pytest.mark.parametrize("share", [Fraction(1, 3), 1 / 3, Fraction(5, 9), Decimal("0.55")])
    @pytest.mark.parametrize("dtype", ["int64", "float32", "float64"])
    def test_a_fraction_is_its_nearest_float(self, share, dtype):
        whole = Fraction(share).limit_denominator(100)
        truth = [{"boxes": np.array([[0, 0, whole.denominator, 1]], dtype), "labels": [1]}]
        guess = [{"boxes": np.array([[0, 0, whole.numerator, 1]], dtype), "labels": [1], "scores": [0.9]}]
        found = [vesica.evaluate(truth, guess, iou=share, strict=strict).counts().tp for strict in (False, True)]
        assert [one.tolist() for one in found] == [[1], [0]]
        assert vesica.evaluate(truth, guess, iou=[share, 0.99]).curve(iou=share).right.tolist() == [1]
