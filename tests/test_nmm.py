"""Merging: groups by plain loops, and regions that cover them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
import strategies
from vesica import Boxes, LabelMap, Masks, Merged, Polygons, RleMasks, RotatedBoxes, Sets, SparseMasks, nmm

CHAIN = [[0, 0, 10, 10], [4, 0, 14, 10], [8, 0, 18, 10]]
SCORES = [0.9, 0.8, 0.7]
WAYS = ["greedy", "transitive"]

some_scores = st.one_of(st.sampled_from([-1.0, 0.0, 0.5, 0.9]), st.floats(-10, 10))


def lists_of(values, length):
    return st.lists(values, min_size=length, max_size=length)


def by_hand(count, scores, linked, how):
    """[(best row, rows)], the best score first."""
    if how == "greedy":
        leaders = [row if by < 0 else by for row, by in enumerate(oracles.nms(linked, scores)[1])]
    else:
        leaders = oracles.connected_groups(count, linked)
    groups = [[row for row in range(count) if leaders[row] == leader] for leader in sorted(set(leaders))]
    best = [(min(rows, key=lambda k: (-scores[k], k)), rows) for rows in groups]
    return sorted(best, key=lambda group: (-scores[group[0]], group[0]))


class TestGroups:
    @pytest.mark.parametrize(
        "how, hulls, group",
        [("greedy", [[0, 0, 14, 10], [8, 0, 18, 10]], [0, 0, 1]), ("transitive", [[0, 0, 18, 10]], [0, 0, 0])],
    )
    def test_chain(self, xp, how, hulls, group):
        merged = nmm(xp(CHAIN), xp(SCORES), above=0.3, how=how)
        assert xp.back(merged.regions.array).tolist() == hulls and xp.back(merged.group).tolist() == group
        assert xp.back(merged.index).tolist() == [0, 2][: len(hulls)]
        assert xp.back(merged.scores).tolist() == [0.9, 0.7][: len(hulls)]

    @given(strategies.tables(dtype="int64"), st.data())
    def test_are_the_plain_loops(self, rows, data):
        scores = data.draw(lists_of(some_scores, len(rows)))
        keys = data.draw(lists_of(st.integers(0, 1), len(rows)))
        how, strict = data.draw(st.sampled_from(WAYS)), data.draw(st.booleans())
        boxes = rows.tolist()

        def linked(i, j):
            shared, union = oracles.inter(boxes[i], boxes[j]), oracles.union(boxes[i], boxes[j])
            reaches = 10 * shared > 3 * union if strict else 10 * shared >= 3 * union
            return keys[i] == keys[j] and shared > 0 and reaches

        merged = nmm(rows, scores, above=0.3, how=how, strict=strict, keys=keys)
        want = by_hand(len(rows), scores, linked, how)
        assert merged.index.tolist() == [best for best, _ in want]
        assert [np.flatnonzero(merged.group == k).tolist() for k in range(len(merged))] == [group for _, group in want]
        assert merged.scores.tolist() == [scores[best] for best, _ in want]
        for hull, (_, group) in zip(merged.regions.xyxy.tolist(), want, strict=True):
            assert hull == [*rows[group, :2].min(axis=0).tolist(), *rows[group, 2:].max(axis=0).tolist()]

    def test_long_chains(self):
        """Every box meets its neighbours alone; rows are shuffled, so that trees must be joined."""
        order = np.random.default_rng(0).permutation(3000)
        left = 6.0 * order
        rows = np.stack([left, np.zeros(3000), left + 10, np.ones(3000)], axis=1)
        merged = nmm(rows, np.zeros(3000), above=0.2, how="transitive")
        assert merged.regions.xyxy.tolist() == [[0, 0, 6 * 2999 + 10, 1]] and merged.index.tolist() == [0]
        halves = nmm(rows, np.zeros(3000), above=0.2, how="transitive", keys=order < 1500)
        assert len(halves) == 2

    def test_mean_decides_the_order(self):
        rows = [[0, 0, 4, 4], [0, 0, 4, 4], [9, 9, 12, 12]]
        merged = nmm(rows, [0.9, 0.1, 0.6], score="mean")
        assert merged.scores.tolist() == [0.6, 0.5] and merged.index.tolist() == [2, 0]
        assert merged.group.tolist() == [1, 1, 0]

    def test_equal_scores_lower_row_first(self):
        rows = [[0, 0, 1, 1], [9, 9, 10, 10], [0, 0, 1, 1]]
        merged = nmm(rows, [0.5] * 3)
        assert merged.index.tolist() == [0, 1] and merged.group.tolist() == [0, 1, 0]

    def test_either_order_links(self):
        """The small box is covered by the large one; the large one is not covered by the small one."""
        for rows in ([[0, 0, 2, 2], [0, 0, 8, 8]], [[0, 0, 8, 8], [0, 0, 2, 2]]):
            for of in ("a", "b"):
                assert len(nmm(rows, [0.5, 0.5], how="transitive", measure="coverage", of=of)) == 1

    @pytest.mark.parametrize("how", WAYS)
    def test_threads_do_not_matter(self, how):
        rng = np.random.default_rng(1)
        corner = rng.uniform(0, 400, (4000, 2))
        rows, scores = np.concatenate([corner, corner + rng.uniform(5, 30, (4000, 2))], axis=1), rng.random(4000)
        one, two = (nmm(rows, scores, above=0.4, how=how, threads=n) for n in (1, 2))
        assert one.group.tolist() == two.group.tolist() and one.index.tolist() == two.index.tolist()


class TestUnion:
    def stack(self, seed=0):
        rng = np.random.default_rng(seed)
        stack = np.zeros((40, 64, 50), bool)
        for mask in stack:
            y, x = rng.integers(0, 50, 2)
            mask[y : y + rng.integers(1, 20), x : x + rng.integers(1, 20)] = True
            mask &= rng.random(mask.shape) < 0.9
        return stack, rng.random(40)

    @pytest.mark.parametrize("how", WAYS)
    @pytest.mark.parametrize("make", [Masks, RleMasks.from_masks, SparseMasks.from_masks, np.asarray])
    def test_masks(self, make, how):
        stack, scores = self.stack()
        merged = nmm(make(stack), scores, above=0.15, how=how)
        assert isinstance(merged.regions, RleMasks) and 5 < len(merged) < 38
        united = merged.regions.to_masks().array
        for k in range(len(merged)):
            assert np.array_equal(united[k], stack[merged.group == k].any(axis=0))

    def test_masks_of_torch(self):
        torch = pytest.importorskip("torch")
        stack, scores = self.stack()
        merged = nmm(torch.from_numpy(stack), torch.from_numpy(scores), above=0.15)
        assert merged.group.tolist() == nmm(stack, scores, above=0.15).group.tolist()
        assert isinstance(merged.scores, torch.Tensor)

    def test_polygons(self):
        """Two parts that overlap count once, and a hole is filled by the other."""
        hollow = [[[[0, 0], [4, 0], [4, 4], [0, 4]], [[1, 1], [3, 1], [3, 3], [1, 3]]]]
        merged = nmm(Polygons([hollow, [[0, 0, 4, 0, 4, 2, 0, 2]], [9, 9, 10, 9, 10, 10]]), [0.5, 0.9, 0.1], above=0.3)
        assert merged.regions.area.tolist() == [14.0, 0.5] and merged.group.tolist() == [0, 0, 1]

    def test_polygons_by_shapely(self):
        pytest.importorskip("shapely")
        rng = np.random.default_rng(3)
        rings = [np.cumsum(rng.normal(0, 2, (5, 2)), axis=0) + rng.uniform(0, 9, 2) for _ in range(20)]
        merged = nmm(Polygons(rings), rng.random(20), above=0.05, how="transitive")
        for k in range(len(merged)):
            whole = oracles.polygon([[rings[row]] for row in np.flatnonzero(merged.group == k)])
            assert float(merged.regions.area[k]) == pytest.approx(whole.area, rel=1e-9)
        assert len(merged) < 18

    def test_rotated_boxes_become_polygons(self):
        rows = RotatedBoxes([[0, 0, 2, 2, 0], [0, 0, 2, 2, 45]], unit="deg", direction="cw")
        merged = nmm(rows, [0.5, 0.9])
        assert isinstance(merged.regions, Polygons)
        assert float(merged.regions.area[0]) == pytest.approx(4 + 4 * (np.sqrt(2) - 1) ** 2)

    @pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int64"])
    def test_corners_keep_their_dtype(self, dtype):
        merged = nmm(np.array(CHAIN, dtype), SCORES, above=0.3)
        assert merged.regions.array.dtype == dtype and merged.scores.dtype == np.float64

    def test_other_forms(self):
        rows = [[0, 0, 10, 10], [4, 0, 10, 10]]
        assert nmm(Boxes(rows, "xywh"), [0.5, 0.6], above=0.3).regions.xyxy.tolist() == [[0, 0, 14, 10]]

    def test_empty(self, xp):
        merged = nmm(xp(np.zeros((0, 4))), xp([]))
        assert isinstance(merged, Merged) and len(merged) == 0 and tuple(merged.regions.array.shape) == (0, 4)
        assert len(nmm(RleMasks([], size=(5, 5)), [], how="transitive")) == 0
        assert len(nmm(Polygons([]), [])) == 0


class TestRefused:
    @pytest.mark.parametrize(
        "options, message",
        [
            ({"how": "all"}, '`how` must be one of "greedy", "transitive"'),
            ({"score": "sum"}, '`score` must be one of "max", "mean"'),
            ({"above": 0, "strict": False}, r"`above` must lie in \(0, 1\]"),
            ({"measure": "distance"}, "got distance, which falls"),
        ],
    )
    def test_options(self, options, message):
        with pytest.raises(ValueError, match=message):
            nmm(CHAIN, SCORES, **options)

    def test_scores(self):
        with pytest.raises(ValueError, match="`scores` must be finite; got nan in row 1"):
            nmm(CHAIN, [0.9, np.nan, 0.7])

    def test_kinds(self):
        with pytest.raises(TypeError, match="whose union is one too; got Sets"):
            nmm(Sets([{1}]), [0.5])
        with pytest.raises(TypeError, match="never overlap"):
            nmm(LabelMap(np.ones((2, 2), int)), [0.5])
