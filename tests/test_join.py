"""Joins: the thresholded matrix, without the matrix, decided exactly."""

import subprocess
import sys
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles
import strategies
from vesica import Boxes, Masks, Pairs, RotatedBoxes, SizeValueError, join
from vesica._check import threshold
from vesica.overlaps.measures import MEASURES

both_ways = pytest.mark.usefixtures("both_ways")

DEG = {"unit": "deg", "direction": "cw"}
SIMILARITIES = sorted(set(MEASURES) - {"distance"})


def as_set(pairs: Pairs) -> list[tuple[int, int]]:
    return list(zip(pairs.i.tolist(), pairs.j.tolist(), strict=True))


def crowd(n, seed, dtype="float64", side=40):
    rng = np.random.default_rng(seed)
    corner = rng.uniform(0, side, (n, 2))
    return np.concatenate([corner, corner + np.exp(rng.normal(1.5, 1, (n, 2)))], axis=1).astype(dtype)


def assert_thresholded(pairs, matrix, t, slack=1e-12):
    """The pairs are those of the matrix; at the threshold itself, where rounding decides, either way."""
    found = np.zeros(matrix.shape, bool)
    found[pairs.i, pairs.j] = True
    assert np.all(found[matrix > t + slack]) and not np.any(found[matrix < t - slack])


def wanted(a, b, t, strict):
    """By exact fractions of the very numbers given."""
    share = threshold(t, "t", strict=strict)
    t = Fraction(share.p, share.q << share.shift)
    return [
        (i, j)
        for i, x in enumerate(a)
        for j, y in enumerate(b)
        if (shared := oracles.inter(x, y)) > 0
        and (shared > t * oracles.union(x, y) if strict else shared >= t * oracles.union(x, y))
    ]


@both_ways
class TestDecision:
    @given(strategies.tables(dtype="int64"), strategies.tables(dtype="int64"), strategies.thresholds, st.booleans())
    def test_integers_are_exact(self, a, b, t, strict):
        assert as_set(join(a, b, at_least=t, strict=strict)) == wanted(a.tolist(), b.tolist(), t, strict)

    @pytest.mark.parametrize("twentieths", range(1, 20))
    def test_every_tie(self, xp, twentieths):
        """[0, 0, 20, 1] covered up to k: iou is exactly k / 20, which floats cannot say."""
        t = twentieths / 20
        rows = [[0, 0, k, 1] for k in range(1, 21)]
        found = join(xp([[0, 0, 20, 1]]), xp(rows), at_least=t)
        assert xp.back(found.j).tolist() == list(range(twentieths - 1, 20))
        strict = join(xp([[0, 0, 20, 1]]), xp(rows), at_least=t, strict=True)
        assert xp.back(strict.j).tolist() == list(range(twentieths, 20))

    def test_all_small_ties(self):
        """The table of the specification: every I ≤ U < 100 that is exactly at t, for t = .05 … .95."""
        for twentieths in range(1, 20):
            ties = [(i, u) for u in range(1, 100) for i in range(1, u + 1) if 20 * i == twentieths * u]
            a = np.array([[0, 0, u, 1] for _, u in ties], float)
            b = np.array([[0, 0, i, 1] for i, _ in ties], float)
            number = np.arange(len(ties))
            for rows in (lambda x: x, lambda x: x.astype("float32"), lambda x: x.astype("int64")):
                reached = join(rows(a), rows(b), at_least=twentieths / 20, keys=(number, number))
                assert reached.i.tolist() == number.tolist()
                assert len(join(rows(a), rows(b), at_least=twentieths / 20, strict=True, keys=(number, number))) == 0

    def test_vision_7165(self):
        a, b = [[1.0, 1, 2, 3]], [[0.0, 0, 2, 2]]
        assert len(join(a, b, at_least=0.2)) == 1 and len(join(a, b, at_least=0.2, strict=True)) == 0

    def test_huge_integers_need_128_bits(self):
        side = 2**30 - 1
        a, b = np.array([[0, 0, side, side]]), np.array([[0, 0, side, side - 1]])
        exact = Fraction(side - 1, side)
        assert float(exact) == 0.9999999990686774
        assert len(join(a, b, at_least=0.999999)) == 1
        below = np.nextafter(float(exact), 0)
        above = np.nextafter(float(exact), 1)
        assert len(join(a, b, at_least=below)) == 1 and len(join(a, b, at_least=above)) == 0

    @pytest.mark.parametrize(
        "given_t, want",
        [
            (0.3, (3, 10, 0)),
            (0.5, (1, 2, 0)),
            (1, (1, 1, 0)),
            (np.float32(0.3), (3, 10, 0)),
            (Fraction(5, 7), (5, 7, 0)),
            (Decimal("0.1234567"), (1234567, 10**7, 0)),
            (0.000001, (1, 10**6, 0)),
            (1 / 3, (3333333333333333, 10**16, 0)),
            (1e-7, (1, 10**7, 0)),
        ],
    )
    def test_the_decimal_you_wrote(self, given_t, want):
        assert threshold(given_t, "t", strict=False)[:3] == want

    def test_float32_tensor_means_its_decimal(self):
        torch = pytest.importorskip("torch")
        assert threshold(torch.tensor(0.3), "t", strict=False)[:3] == (3, 10, 0)

    @pytest.mark.parametrize("dtype", ["float64", "float32", "int64"])
    @pytest.mark.parametrize("name", ["giou", "diou", "ciou", "eiou"])
    def test_ties_of_differences(self, name, dtype):
        """A box with itself is 1 by every measure: at least 1, and not above it."""
        rows = np.array([[0, 0, 4, 4], [8, 8, 9, 11]], dtype)
        assert as_set(join(rows, rows, at_least=1, measure=MEASURES[name])) == [(0, 0), (1, 1)]
        assert len(join(rows, rows, at_least=1, strict=True, measure=MEASURES[name])) == 0

    def test_sevenths(self):
        a, b = np.array([[0, 0, 7, 1]]), np.array([[0, 0, 5, 1]])
        for rows in (lambda x: x, lambda x: x.astype("float32")):
            assert len(join(rows(a), rows(b), at_least=Fraction(5, 7))) == 1
            assert len(join(rows(a), rows(b), at_least=Fraction(5, 7), strict=True)) == 0


class TestMatrix:
    @given(strategies.tables(), strategies.tables(), strategies.thresholds, st.sampled_from(SIMILARITIES))
    def test_is_the_thresholded_matrix(self, a, b, t, name):
        """Away from the threshold, where rounding cannot matter; and no pair but those."""
        matrix = MEASURES[name](a, b)
        pairs = join(a, b, at_least=t, measure=name)
        assert np.array_equal(pairs.value, matrix[pairs.i, pairs.j])
        assert_thresholded(pairs, matrix, t)

    @given(
        strategies.rotated(),
        strategies.rotated(),
        strategies.thresholds,
        st.sampled_from(["iou", "dice", "coverage", "overlap"]),
    )
    def test_rotated(self, a, b, t, name):
        a, b = RotatedBoxes(a, **DEG), RotatedBoxes(b, **DEG)
        matrix = MEASURES[name](a, b)
        pairs = join(a, b, at_least=t, measure=name)
        assert np.array_equal(pairs.value, matrix[pairs.i, pairs.j])
        assert_thresholded(pairs, matrix, t)

    @settings(max_examples=30)
    @given(st.integers(0, 10**6), st.sampled_from(["float32", "float64", "int64"]), strategies.thresholds)
    def test_crowds(self, seed, dtype, t):
        a, b = crowd(150, seed, dtype), crowd(130, seed + 1, dtype)
        matrix = MEASURES["iou"](a.astype(float), b.astype(float))
        pairs = join(a, b, at_least=t)
        assert_thresholded(pairs, matrix, t, 1e-9)

    @pytest.mark.parametrize("name", SIMILARITIES)
    @pytest.mark.parametrize("dtype", ["float32", "int64"])
    def test_large_crowd(self, name, dtype):
        """Thousands of boxes of all sizes, so that several groups and many cells are in use."""
        rng = np.random.default_rng(5)
        corner = rng.uniform(0, 300, (3000, 2))
        rows = np.concatenate([corner, corner + np.exp(rng.normal(2, 1.5, (3000, 2)))], axis=1).astype(dtype)
        a, b = rows[:1400], rows[1400:]
        matrix = MEASURES[name](a.astype(float), b.astype(float))
        pairs = join(a, b, at_least=0.35, measure=name)
        assert len(pairs) > 15
        assert_thresholded(pairs, matrix, 0.35, 1e-9)

    def test_sizes_from_specks_to_the_whole_scene(self):
        rng = np.random.default_rng(6)
        size = 10.0 ** rng.uniform(-4, 4, (900, 2))
        corner = rng.uniform(0, 100, (900, 2))
        rows = np.concatenate([corner, corner + size], axis=1)
        for t in (0.01, 0.2, 0.9):
            matrix = np.triu(MEASURES["iou"](rows, rows), 1)
            assert as_set(join(rows, at_least=t)) == list(
                zip(*(k.tolist() for k in np.nonzero(matrix >= t)), strict=True)
            )

    def test_far_from_the_origin(self):
        rows = crowd(300, 8) + 1e9
        matrix = np.triu(MEASURES["iou"](rows, rows), 1)
        assert as_set(join(rows, at_least=0.4)) == list(
            zip(*(k.tolist() for k in np.nonzero(matrix >= 0.4)), strict=True)
        )

    def test_equal_boxes(self):
        rows = np.tile([[0.0, 0, 3, 3]], (40, 1))
        assert len(join(rows, rows, at_least=1.0)) == 1600 and len(join(rows, at_least=1)) == 780


@both_ways
class TestSelf:
    @given(strategies.tables(), strategies.thresholds, st.sampled_from(SIMILARITIES))
    def test_is_the_upper_half(self, rows, t, name):
        both, half = join(rows, rows, at_least=t, measure=name), join(rows, at_least=t, measure=name)
        assert as_set(half) == [(i, j) for i, j in as_set(both) if i < j]

    @given(strategies.rotated(), strategies.thresholds)
    def test_rotated(self, rows, t):
        boxes = RotatedBoxes(rows, **DEG)
        assert as_set(join(boxes, at_least=t)) == [(i, j) for i, j in as_set(join(boxes, boxes, at_least=t)) if i < j]

    @pytest.mark.parametrize("measure", ["iou", "coverage"])
    def test_a_crowd_of_rotated(self, measure):
        """Rows that lie in the grid in another order than they came in."""
        rng = np.random.default_rng(11)
        sides = np.hstack([rng.uniform(0, 40, (80, 2)), rng.uniform(5, 20, (80, 2)), rng.uniform(0, 180, (80, 1))])
        boxes = RotatedBoxes(sides, **DEG)
        half, both = join(boxes, at_least=0.2, measure=measure), join(boxes, boxes, at_least=0.2, measure=measure)
        upper = both.i < both.j
        assert upper.sum() > 50 and np.array_equal(half.i, both.i[upper]) and np.array_equal(half.j, both.j[upper])
        assert np.array_equal(half.value, both.value[upper])


class TestKeys:
    @given(strategies.tables(), strategies.tables(), st.data())
    def test_only_equal_keys(self, a, b, data):
        keys = [np.array(data.draw(st.lists(st.integers(0, 2), min_size=len(x), max_size=len(x))), int) for x in (a, b)]
        every = as_set(join(a, b, at_least=0.1))
        assert as_set(join(a, b, at_least=0.1, keys=keys)) == [(i, j) for i, j in every if keys[0][i] == keys[1][j]]

    @pytest.mark.parametrize(
        "keys",
        [["cat", "dog", "cat"], [-5, 7, -5], [2**40, 1, 2**40], [[1, 0], [1, 1], [1, 0]], [0.5, 1.5, 0.5]],
        ids=["names", "negative", "large", "two columns", "floats"],
    )
    def test_any_kind(self, keys):
        rows = np.tile([[0.0, 0, 1, 1]], (3, 1))
        assert as_set(join(rows, at_least=0.5, keys=keys)) == [(0, 2)]
        assert as_set(join(rows, rows[:1], at_least=0.5, keys=(keys, keys[:1]))) == [(0, 0), (2, 0)]

    def test_many_keys(self):
        rows = np.tile([[0.0, 0, 1, 1]], (5000, 1))
        assert len(join(rows, at_least=0.5, keys=np.arange(5000) // 2)) == 2500

    @pytest.mark.parametrize(
        "keys, kind, message",
        [
            ([1, 2], SizeValueError, r"`keys` must have one key for each of the 3 rows; got shape \(2,\)"),
            ([1.0, np.nan, 2.0], ValueError, "`keys` must be finite; got nan"),
        ],
    )
    def test_refused(self, keys, kind, message):
        with pytest.raises(kind, match=message):
            join(np.zeros((3, 4)), at_least=0.5, keys=keys)

    def test_signed_and_unsigned_keys(self):
        rows = np.array([[0.0, 0, 1, 1]])
        one, other = np.array([2**60]), np.array([2**60 + 1], "uint64")
        assert len(join(rows, rows, at_least=0.5, keys=(one, other))) == 0
        assert len(join(rows, rows, at_least=0.5, keys=(one, other - np.uint64(1)))) == 1

    def test_no_rows_have_no_keys(self):
        assert len(join(np.zeros((1, 4)), np.zeros((0, 4)), at_least=0.5, keys=([[1, 2]], []))) == 0

    @pytest.mark.parametrize(
        "keys, message",
        [
            (([1], ["1"]), "`keys` must be of one kind on both sides; got int64 and <U1"),
            ((["a"], [None]), r"`keys\[1\]` must be numbers or strings"),
            ((np.array([-1]), np.array([2**63], "uint64")), "of one kind on both sides; got int64 and uint64"),
        ],
    )
    def test_kinds(self, keys, message):
        with pytest.raises(TypeError, match=message):
            join(np.zeros((1, 4)), np.zeros((1, 4)), at_least=0.5, keys=keys)

    def test_two_sides_need_two_keys(self):
        with pytest.raises(TypeError, match="`keys` must be \\(keys of a, keys of b\\)"):
            join(np.zeros((3, 4)), np.zeros((3, 4)), at_least=0.5, keys=np.zeros(3))
        with pytest.raises(SizeValueError, match="same columns"):
            join(np.zeros((1, 4)), np.zeros((1, 4)), at_least=0.5, keys=([[1, 2]], [1]))


@both_ways
class TestAnswer:
    def test_same_in_every_library(self, xp):
        a, b = crowd(60, 1), crowd(50, 2)
        plain, here = join(a, b, at_least=0.3), join(xp(a), xp(b), at_least=0.3)
        assert [xp.back(column).tolist() for column in here] == [column.tolist() for column in plain]
        assert len(plain) >= 5

    def test_integers_in_every_library(self, xp):
        a, b = crowd(60, 1, "int64"), crowd(50, 2, "int64")
        plain = join(a, b, at_least=0.3, keys=(np.arange(60) % 2, np.arange(50) % 2))
        here = join(xp(a, "int64"), xp(b, "int64"), at_least=0.3, keys=(np.arange(60) % 2, np.arange(50) % 2))
        assert [xp.back(column).tolist() for column in here] == [column.tolist() for column in plain]

    def test_self_join_in_every_library(self, xp):
        rows = crowd(60, 3)
        assert [xp.back(k).tolist() for k in join(xp(rows), at_least=0.3)] == [
            k.tolist() for k in join(rows, at_least=0.3)
        ]

    def test_touching_is_in_no_join(self):
        assert len(join([[0, 0, 2, 2]], [[2, 0, 4, 2]], at_least=0, strict=True)) == 0

    def test_zero_strict_is_all_that_meet(self):
        assert as_set(join([[0, 0, 2, 2]], [[1, 1, 9, 9], [5, 5, 6, 6]], at_least=0, strict=True)) == [(0, 0)]

    @pytest.mark.parametrize("a, b", [([], []), ([], [[0, 0, 1, 1]]), ([[0, 0, 1, 1]], [])])
    def test_no_rows(self, a, b):
        pairs = join(Boxes(a), Boxes(b), at_least=0.5)
        assert len(pairs) == 0 and pairs.i.dtype == np.int64 and pairs.value.dtype == np.float64

    def test_no_rows_in_every_library(self, xp):
        pairs = join(xp(np.zeros((0, 4))), xp([[0, 0, 1, 1]]), at_least=0.5)
        assert len(pairs) == 0 and len(join(xp(np.zeros((0, 4))), at_least=0.5)) == 0

    def test_gradient_flows_through_values(self):
        torch = pytest.importorskip("torch")
        x = torch.tensor(crowd(20, 4), requires_grad=True)
        join(x, torch.tensor(crowd(20, 5)), at_least=0.1).value.sum().backward()
        assert torch.isfinite(x.grad).all() and (x.grad != 0).any()

    def test_unchecked_rows_do_no_harm(self):
        strange = [[np.nan, 0, 1, 1], [0, 0, np.inf, 1], [3, 3, 1, 1], [0, 0, 1e300, 1e300], [0, 0, 1, 1]]
        assert as_set(join(Boxes(strange, check=False), [[0.0, 0, 1, 1]], at_least=0.5)) == [(4, 0)]
        assert as_set(join(Boxes(strange, check=False), Masks(np.ones((1, 1, 1), bool)), at_least=0.5)) == [(4, 0)]


@both_ways
class TestRefused:
    @pytest.mark.parametrize(
        "options, message",
        [
            ({"at_least": 50}, r"`at_least` must lie in \(0, 1\]; got 50\. Divide a percentage by 100\."),
            ({"at_least": 0}, r"`at_least` must lie in \(0, 1\]; got 0, which every pair reaches"),
            ({"at_least": -0.1}, r"`at_least` must lie in"),
            ({"at_least": float("nan")}, r"`at_least` must be finite; got nan"),
            ({"at_least": 0.5, "measure": "distance"}, "`measure` must grow with the overlap; got distance"),
            ({"at_least": 0.5, "measure": "gious"}, "`measure` must be one of .*; got 'gious'. Did you mean \"giou\""),
        ],
    )
    def test_message(self, options, message):
        with pytest.raises(ValueError, match=message):
            join([[0, 0, 1, 1]], **options)

    def test_threshold_of_another_kind(self):
        with pytest.raises(TypeError, match="`at_least` must be a number; got 'half'"):
            join([[0, 0, 1, 1]], at_least="half")

    def test_batches(self):
        with pytest.raises(ValueError, match=r"`a` must be one table of shape \(N, 4\) for a join.*`keys`"):
            join(np.zeros((2, 3, 4)), at_least=0.5)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads the peak from /proc")
@pytest.mark.parametrize(
    "call, count",
    [
        ("vesica.join(rows, rows, at_least=0.5).i", 200_000),
        ("vesica.join(rows, at_least=0.5, measure='giou').i", 200_000),
        ("vesica.best(rows, rows, k=3).index", 20_000),
    ],
    ids=["join", "self-join", "best"],
)
def test_memory_does_not_grow_with_the_matrix(call, count):
    """The matrix would be 3 GB and more; the peak stays below 250 MB, the interpreter and NumPy included."""
    code = (
        "import numpy as np, vesica\n"
        "rng = np.random.default_rng(0)\n"
        f"corner = rng.uniform(0, 30_000, ({count}, 2))\n"
        f"rows = np.concatenate([corner, corner + rng.uniform(5, 80, ({count}, 2))], axis=1)\n"
        f"assert len({call}) > 0\n"
        "print(open('/proc/self/status').read().partition('VmHWM:')[2].split()[0])\n"
    )
    peak = int(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)
    assert peak / 1024 < 250
