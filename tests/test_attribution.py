"""Who of three or more is off, by the majority of each cluster."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vesica.agreement.attribution import Attribution, Ratings, attribution
from vesica.agreement.policy import AgreementPolicy

NAMES = list(Attribution.__dataclass_fields__)


def run(clusters, assigned, quorum="majority"):
    """`clusters`: (image, {annotator: (label, mean IoU)}); `assigned`: (image, annotator)."""
    rows = [
        (k, image, annotator, label, fit)
        for k, (image, members) in enumerate(clusters)
        for annotator, (label, fit) in members.items()
    ]
    columns = [np.array([row[k] for row in rows], np.int64) for k in range(4)]
    ratings = Ratings(*columns, np.array([row[4] for row in rows], float))
    image, annotator = np.array(assigned, np.int64).reshape(-1, 2).T
    return attribution(ratings, image, annotator, policy=AgreementPolicy(quorum=quorum))


def slow(clusters, assigned, quorum):
    """Loops along the definition."""
    answer = []
    for image, k in assigned:
        asked = [j for i, j in assigned if i == image]
        counts = dict.fromkeys(NAMES, 0)
        enough = len(asked) // 2 + 1 if quorum == "majority" else quorum
        for where, members in clusters:
            if where != image or len(asked) < 3:
                continue
            labels = [label for label, _ in members.values()]
            most = max(map(labels.count, labels))
            tied = len({label for label in labels if labels.count(label) == most}) > 1
            if len(members) >= enough:
                counts["expected"] += 1
                counts["missing"] += k not in members
            if k not in members:
                continue
            label, fit = members[k]
            counts["objects"] += 1
            counts["extra"] += len(members) < enough
            if len(members) > 1:
                counts["paired"] += 1
                counts["loose_edge"] += 1 - fit
                counts["disputed"] += tied
                counts["judged"] += not tied
                counts["label"] += not tied and labels.count(label) < most
        answer.append(counts)
    return answer


THREE = [(0, 0), (0, 1), (0, 2)]


class TestAttribution:
    def test_each_type(self):
        clusters = [
            (0, {0: (1, 0.8), 1: (1, 0.9)}),  # 2 misses it
            (0, {0: (1, 0.8), 1: (1, 0.9), 2: (7, 0.5)}),  # 2 says something else
            (0, {1: (1, np.nan)}),  # 1 alone
            (0, {0: (1, 0.6), 2: (2, 0.6)}),  # nobody knows
        ]
        found = run(clusters, THREE)
        assert found.expected.tolist() == [3, 3, 3]
        assert found.missing.tolist() == [0, 1, 1]
        assert found.extra.tolist() == [0, 1, 0]
        assert found.label.tolist() == [0, 0, 1]
        assert found.disputed.tolist() == [1, 0, 1]
        assert found.judged.tolist() == [2, 2, 1]
        assert found.loose_edge == pytest.approx([0.8, 0.2, 0.9])

    def test_two_attribute_nothing(self):
        found = run([(0, {0: (1, 0.8), 1: (2, 0.8)}), (0, {1: (1, np.nan)})], [(0, 0), (0, 1)])
        assert not any(getattr(found, name).any() for name in NAMES)

    def test_saw_nothing_is_asked(self):
        """The third was asked and drew nothing; not asked, nobody misses anything."""
        clusters = [(0, {0: (1, 0.8), 1: (1, 0.8)})]
        assert run(clusters, THREE).missing.tolist() == [0, 0, 1]
        assert run(clusters, [(0, 0), (0, 1), (1, 2)]).missing.tolist() == [0, 0, 0]

    def test_not_asked(self):
        with pytest.raises(ValueError, match="row 1 was drawn by annotator 3 in image 0, who was not asked"):
            run([(0, {0: (1, 0.8), 3: (1, 0.8)})], THREE)

    def test_nothing(self):
        assert run([], THREE).expected.tolist() == [0, 0, 0]

    @given(st.data(), st.sampled_from(["majority", 1, 2, 4]))
    def test_equals_oracle(self, data, quorum):
        assigned = data.draw(st.permutations([(i, k) for i in range(3) for k in range(5) if data.draw(st.booleans())]))
        clusters = []
        for image in range(3):
            asked = [k for i, k in assigned if i == image]
            for _ in range(data.draw(st.integers(0, 3)) if asked else 0):
                members = data.draw(st.lists(st.sampled_from(asked), min_size=1, unique=True))
                fit = st.integers(0, 8).map(lambda eighths: eighths / 8)
                clusters.append((image, {k: (data.draw(st.integers(4, 6)), data.draw(fit)) for k in members}))
        clusters = data.draw(st.permutations(clusters))
        found = run(clusters, assigned, quorum)
        for name in NAMES:
            want = [counts[name] for counts in slow(clusters, assigned, quorum)]
            assert getattr(found, name).tolist() == pytest.approx(want)
