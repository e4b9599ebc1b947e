"""Records of agreement: merged in any order they are those of one run, to the byte; damage is told."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import vesica
from crowds import CROWD, annotated, marks, pedestrians
from vesica import AgreementPolicy, Dataset
from vesica.agreement import AgreementRecords, AgreementResult, merge
from vesica.agreement.records import KIND
from vesica.errors import InputError
from vesica.results import container


def part_of(data, images):
    """Some images of a data set of annotators, with whoever was asked for them."""
    rows, asked = np.isin(data.image, images), np.isin(data.assignments.image, images)
    ids, people = data.images.ids, data.annotators
    return Dataset.from_arrays(
        data.xywh[rows],
        form="xywh",
        image=ids[data.image[rows]],
        category=data.categories.ids[data.category[rows]],
        annotator=people[data.annotator[rows]],
        id=None if data.id is None else data.id[rows],
        images=ids[images],
        categories=data.categories,
        annotators=people,
        assignments={
            "image": ids[data.assignments.image[asked]],
            "annotator": people[data.assignments.annotator[asked]],
        },
    )


def records(data, **policy):
    return vesica.evaluate_agreement(data, policy=AgreementPolicy(**policy)).records


class TestMerge:
    @given(marks, st.permutations([0, 1, 2, 3]), st.integers(1, 3))
    @settings(max_examples=40)
    def test_any_order_is_one_run(self, rows, order, cut):
        data = annotated(rows)
        shards = [records(part_of(data, np.sort(part))) for part in (order[:cut], order[cut:])]
        whole = records(data).to_bytes()
        assert merge(*shards).to_bytes() == merge(*shards[::-1]).to_bytes() == whole

    @pytest.mark.skipif(not CROWD.exists(), reason="the crowd's boxes are not there")
    def test_pedestrians(self):
        data = pedestrians()
        order = np.random.default_rng(0).permutation(len(data.images))
        shards = [records(part_of(data, np.sort(part))) for part in np.array_split(order, 3)]
        one, two, three = shards
        whole = records(data)
        assert merge(three, merge(one, two)).to_bytes() == merge(one, two, three).to_bytes() == whole.to_bytes()
        parts = [AgreementResult(one) for one in shards]
        assert parts[0].merged(*parts[1:]).numbers == AgreementResult(whole).numbers

    def test_annotators_meet_by_name(self):
        """One who is in one shard only, and another order of the tables."""
        shards = [
            Dataset.from_arrays([[0, 0, 4, 4]] * 2, image=[image] * 2, annotator=people, assignments="all")
            for image, people in ((1, ["cyd", "ben"]), (2, ["ann", "cyd"]))
        ]
        whole = merge(*map(records, shards))
        assert whole.annotators.tolist() == ["ann", "ben", "cyd"]
        told = AgreementResult(whole).pairs(intervals=False)
        assert list(zip(told["annotator_a"], told["annotator_b"], strict=True)) == [("ann", "cyd"), ("ben", "cyd")]

    @pytest.mark.parametrize(
        "change, words",
        [
            pytest.param({"match_at": 0.3}, "different policies.*match_at is 0.5 here and 0.3 there", id="policy"),
            pytest.param({}, "image 1 is in two of them", id="the same image"),
        ],
    )
    def test_refused(self, change, words):
        data = Dataset.from_arrays([[0, 0, 4, 4]] * 2, image=[1, 1], annotator=["a", "b"], assignments="all")
        with pytest.raises(InputError, match=words):
            merge(records(data), records(data, **change))

    def test_other_names_of_one_category(self):
        def of(image, name):
            return Dataset.from_arrays(
                [[0, 0, 4, 4]] * 2,
                image=[image] * 2,
                category=[1, 1],
                categories={1: name},
                annotator=["a", "b"],
                assignments="all",
            )

        with pytest.raises(InputError, match="names of 1 is 'cat' here and 'dog' there"):
            merge(records(of(1, "cat")), records(of(2, "dog")))

    def test_nothing(self):
        with pytest.raises(ValueError, match="`merge` needs records"):
            merge()


class TestBytes:
    @given(marks)
    @settings(max_examples=40)
    def test_round_trip(self, rows):
        result = vesica.evaluate_agreement(annotated(rows))
        back = AgreementResult.from_bytes(result.to_bytes())
        assert back.to_bytes() == result.to_bytes()
        for name in ("matches", "objects", "images", "confusion", "ledger"):
            assert list(getattr(back, name)()) == list(getattr(result, name)()), name

    def test_words_for_ids(self):
        data = annotated([(0, "a", (0, 0, 4, 4), "cat"), (0, "b", (0, 0, 4, 4), "cat")], id=["x", "y"])
        back = AgreementResult.from_bytes(vesica.evaluate_agreement(data).to_bytes())
        assert back.objects()["annotation"].tolist() == ["x", "y"]

    def test_damage(self):
        data = records(annotated([(0, "a", (0, 0, 4, 4), "cat"), (0, "b", (0, 0, 4, 4), "cat")])).to_bytes()
        for broken in (data[:40], data[:-3], data[:-1] + bytes([data[-1] ^ 1]), b"VESICA records\n" + data[17:]):
            with pytest.raises(InputError):
                AgreementRecords.from_bytes(broken)

    @pytest.mark.parametrize(
        "name, change",
        [
            ("image", lambda column: column + 9),
            ("image", lambda column: column[:1]),
            ("cluster", lambda column: column - 1),
            ("cluster_alternative", lambda column: column + 5),
            ("box", lambda column: column[:, :2]),
            ("area", lambda column: column.astype(int)),
            ("asked_annotator", lambda column: column[::-1].copy()),
            ("left_partner", lambda column: column + 7),
            ("right_type", lambda column: column + 9),
            ("lines_amount", lambda column: np.zeros(3)),
            ("lines_scene", lambda column: column - 1),
        ],
    )
    def test_columns_that_do_not_fit(self, name, change):
        """Checksums are right, and still nothing is read beyond its table."""
        rows = [(0, "a", (0, 0, 4, 4), "cat"), (0, "b", (0, 0, 4, 3), "cat"), (1, "c", (0, 0, 4, 4), "dog")]
        header, columns = container.from_bytes(KIND, records(annotated(rows)).to_bytes())
        changed = {key: change(column) if key == name else column for key, column in columns.items()}
        told = {key: value for key, value in header.items() if key not in ("version", "columns")}
        with pytest.raises(InputError, match="cannot be read"):
            AgreementRecords.from_bytes(container.to_bytes(KIND, told, changed))
