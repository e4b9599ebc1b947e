"""Clusters: average linkage against a loop that anybody can read, and the best partition by trying all."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vesica
from crowds import data_of
from vesica.agreement import clusters
from vesica.agreement.annotations import annotations_of
from vesica.agreement.clusters import clusters_of
from vesica.agreement.image_pairs import image_pairs_of
from vesica.agreement.pairing import contacts_of
from vesica.agreement.policy import AgreementPolicy

boxes = st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(1, 4), st.integers(1, 4))
rows = st.lists(st.tuples(st.integers(0, 1), st.sampled_from("abc"), boxes), max_size=14)


def clustered(data, **policy):
    drawn = annotations_of(data)
    scenes = image_pairs_of(drawn)
    return drawn, clusters_of(drawn, scenes, contacts_of(drawn, scenes), policy=AgreementPolicy(**policy))


def sets_of(drawn, clusters):
    """The clusters as sets of ids."""
    found = {}
    for id, first in zip(drawn.id.tolist(), clusters.first.tolist(), strict=True):
        found.setdefault(first, set()).add(id)
    return sorted(map(sorted, found.values()))


def linkage(drawn, match_at):
    """Average linkage, slowly: all pairs of clusters are looked at before each step."""
    table = np.asarray(vesica.iou(drawn.box, drawn.box)).reshape(len(drawn), len(drawn))
    clusters = [[k] for k in np.argsort(drawn.objects.rank).tolist()]

    def may(one, other):
        who = [(drawn.image[k], drawn.annotator[k]) for k in one + other]
        return len({image for image, _ in who}) == 1 and len(set(who)) == len(who)

    def mean(one, other):
        pairs = sorted(tuple(sorted((drawn.objects.rank[i], drawn.objects.rank[j]))) for i in one for j in other)
        by_rank = np.argsort(drawn.objects.rank)
        total = 0.0
        for i, j in pairs:
            total += table[by_rank[i], by_rank[j]]
        return total / len(pairs)

    while True:
        pairs = [(i, j) for i, j in itertools.combinations(range(len(clusters)), 2) if may(clusters[i], clusters[j])]
        best = max(pairs, key=lambda pair: mean(clusters[pair[0]], clusters[pair[1]]), default=None)
        if best is None or mean(clusters[best[0]], clusters[best[1]]) < match_at:
            return clusters
        clusters[best[0]] += clusters.pop(best[1])


class TestAverage:
    @given(rows, st.sampled_from([0.2, 0.5]))
    def test_equals_a_loop(self, rows, match_at):
        drawn, found = clustered(data_of(rows), match_at=match_at, contact=0.1)
        want = sorted(sorted(drawn.id[members].tolist()) for members in linkage(drawn, match_at))
        assert sets_of(drawn, found) == want

    @pytest.mark.parametrize("seed", range(3))
    def test_a_crowd(self, seed):
        """One component of many overlapping objects, with ties: the same as one step at a time."""
        rng = np.random.default_rng(seed)
        places, sides = rng.integers(0, 12, (40, 2)), rng.integers(3, 8, (40, 2))
        crowd = [(0, "abc"[k % 3], (*places[k].tolist(), *sides[k].tolist())) for k in range(40)]
        drawn, found = clustered(data_of(crowd), match_at=0.3, contact=0.1)
        want = sorted(sorted(drawn.id[members].tolist()) for members in linkage(drawn, 0.3))
        assert sets_of(drawn, found) == want

    def test_few_rounds(self, monkeypatch):
        """Pairs that are the best for each other become one at once, and not one after the other."""
        rounds = []
        numbered = clusters._numbered
        monkeypatch.setattr(clusters, "_numbered", lambda codes: rounds.append(1) or numbered(codes))
        rng = np.random.default_rng(0)
        low = rng.uniform(0, 60, (300, 2))
        one = np.hstack([low, low + 20])
        vesica.evaluate_agreement(one, one + rng.normal(0, 1, one.shape))
        assert len(rounds) < 15

    @given(rows, st.randoms(), st.permutations("abc"))
    def test_invariant(self, rows, random, people):
        order = list(range(len(rows)))
        random.shuffle(order)
        found = [sets_of(*clustered(data_of(rows, way, names))) for way, names in ((None, "abc"), (order, people))]
        assert found[0] == found[1]

    def test_labels_do_not_matter(self):
        """car, car, truck at one place: one cluster."""
        data = vesica.Dataset.from_arrays(
            [[0, 0, 10, 10], [0, 0, 10, 9], [0, 0, 9, 10]],
            image=[1, 1, 1],
            category=["car", "car", "truck"],
            annotator=["ann", "ben", "cyd"],
            assignments="all",
        )
        _, found = clustered(data)
        assert found.votes.tolist() == [3, 3, 3]

    def test_nobody_twice(self):
        rows = [(0, "a", (0, 0, 10, 10)), (0, "a", (0, 0, 10, 10)), (0, "b", (0, 0, 10, 10))]
        _, found = clustered(data_of(rows))
        assert sorted(found.votes.tolist()) == [1, 2, 2]

    def test_mean_margin_alternative(self):
        rows = [(0, "a", (0, 0, 10, 10)), (0, "b", (0, 0, 10, 8)), (0, "c", (0, 0, 10, 9)), (0, "a", (0, 0, 10, 2))]
        drawn, found = clustered(data_of(rows))
        at = {id: place for place, id in enumerate(drawn.id.tolist())}
        assert found.mean_iou[at[0]] == pytest.approx((0.8 + 0.9) / 2)
        assert np.isnan(found.mean_iou[at[3]]) and found.votes[at[3]] == 1
        # The strip touches b's box by 0.25 and c's by 2/9; of a it has nothing, who drew it.
        assert found.alternative[at[3]] == found.first[at[0]]
        assert found.margin[at[3]] == pytest.approx(-(0.25 + 2 / 9) / 3)
        assert found.objective[at[0]] == pytest.approx(0.8 + 0.9 + 8 / 9)

    def test_many_annotators(self):
        """More than 64 in one image."""
        people = [f"w{k:03d}" for k in range(70)]
        data = vesica.Dataset.from_arrays(
            np.tile([0.0, 0, 10, 10], (140, 1)) + np.repeat([0, 20], 70)[:, None],
            image=np.ones(140, int),
            annotator=people * 2,
            assignments="all",
        )
        _, found = clustered(data)
        assert set(found.votes.tolist()) == {70}

    def test_nothing(self):
        drawn, found = clustered(data_of([]))
        assert len(found.first) == len(drawn) == 0


def partitions(items):
    """All partitions of a list."""
    if not items:
        yield []
        return
    first, *rest = items
    for parts in partitions(rest):
        yield [[first], *parts]
        for k, part in enumerate(parts):
            yield [*parts[:k], [first, *part], *parts[k + 1 :]]


class TestExact:
    @given(st.lists(st.tuples(st.just(0), st.sampled_from("abc"), boxes), max_size=7), st.sampled_from([0.2, 0.5]))
    def test_largest_sum_of_all_partitions(self, rows, match_at):
        drawn, found = clustered(data_of(rows), match_at=match_at, cluster="exact")
        table = np.asarray(vesica.iou(drawn.box, drawn.box)).reshape(len(drawn), len(drawn))

        def worth(part):
            pairs = [table[i, j] for i, j in itertools.combinations(part, 2)]
            may = len({int(drawn.annotator[k]) for k in part}) == len(part)
            return sum(pairs) if may and (not pairs or sum(pairs) / len(pairs) >= match_at) else -np.inf

        best = max(sum(map(worth, parts)) for parts in partitions(list(range(len(drawn)))))
        clusters = [np.flatnonzero(found.first == first).tolist() for first in np.unique(found.first)]
        assert sum(map(worth, clusters)) == pytest.approx(best, abs=1e-9) and found.is_exact.all()

    @given(rows, st.randoms(), st.permutations("abc"))
    def test_sum_is_invariant(self, rows, random, people):
        order = list(range(len(rows)))
        random.shuffle(order)
        sums = []
        for way, names in ((None, "abc"), (order, people)):
            _, found = clustered(data_of(rows, way, names), cluster="exact")
            sums.append(sum(found.objective[first] for first in np.unique(found.first)))
        assert sums[0] == pytest.approx(sums[1], abs=1e-9)

    def test_says_where_it_is_not(self):
        """A chain of 14 boxes is searched by small steps, and the other component by trying all."""
        rows = [(0, "ab"[k % 2], (k, 0, 4, 4)) for k in range(14)]
        rows += [(1, who, (0, 0, 4, 4)) for who in "aab"]
        drawn, found = clustered(data_of(rows), cluster="exact", match_at=0.3, contact=0.1)
        _, average = clustered(data_of(rows), match_at=0.3, contact=0.1)
        assert not found.is_exact[drawn.image == 0].any() and found.is_exact[drawn.image == 1].all()
        first = [np.unique(one.first) for one in (found, average)]
        assert found.objective[first[0]].sum() >= average.objective[first[1]].sum()
