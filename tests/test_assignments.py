"""Who was asked for which image; and data sets of several annotators as one."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vesica
from vesica import Dataset
from vesica.dataset import Assignments, Images
from vesica.errors import InputError

BOX = [[0.0, 0.0, 4.0, 4.0]]
ASKED = {"image": [7, 7, 8], "annotator": ["ann", "ben", "ben"]}


def marked(count=1, **others):
    return Dataset.from_arrays(BOX * count, **{"image": [7] * count, "annotator": ["ann"] * count, **others})


class TestAssignments:
    @pytest.mark.parametrize(
        "told",
        [
            pytest.param(ASKED, id="columns"),
            pytest.param([(7, "ann"), (7, "ben"), (8, "ben")], id="tuples"),
            pytest.param({**ASKED, "date": None}, id="a column that is not there"),
            pytest.param([(7, "ann"), (7, "ben"), (7, "ann"), (8, "ben"), (7, "ann")], id="told again"),
            pytest.param({name: np.array(column) for name, column in ASKED.items()}, id="arrays"),
        ],
    )
    def test_given(self, told):
        data = marked(assignments=told)
        asked = data.assignments
        assert data.images.ids[asked.image].tolist() == [7, 7, 8]
        assert data.annotators[asked.annotator].tolist() == ["ann", "ben", "ben"]
        assert data.annotators.tolist() == ["ann", "ben"] and data.images.ids.tolist() == [7, 8]

    def test_all(self):
        data = marked(images=[7, 8, 9], annotators=["ann", "ben"], assignments="all")
        places = [(image, who) for image in range(3) for who in range(2)]
        assert list(zip(data.assignments.image.tolist(), data.assignments.annotator.tolist(), strict=True)) == places

    def test_no_rows_and_still_asked(self):
        data = Dataset.from_arrays([], image=[], annotator=[], assignments=[(1, "ann"), (2, 5)])
        assert len(data) == 0 and data.annotators.tolist() == [5, "ann"] and data.images.ids.tolist() == [1, 2]

    def test_rounds_and_dates(self):
        told = {"image": [7, 7], "annotator": ["ann", "ann"], "round": [1, 2], "date": ["2026-01-01", None]}
        data = marked(2, round=[2, 1], assignments=told)
        assert data.assignments.round.tolist() == [1, 2] and data.round.tolist() == [2, 1]
        assert data.assignments.date.tolist() == ["2026-01-01", None]
        assert data.assignments[[1]].rounds.tolist() == [2]

    @pytest.mark.parametrize(
        "others, error, words",
        [
            pytest.param({"image": [7, 8], "assignments": [(7, "ann"), (8, "ben")]}, ValueError,
                         r"Row 1 is of image 8 by 'ann', who was not asked for it\. Add that", id="was not asked"),
            pytest.param({"round": [0, 1], "assignments": [(7, "ann")]}, ValueError,
                         "Row 1 is of image 7 by 'ann', who was not asked for it in round 1", id="in another round"),
            pytest.param({"annotators": ["ben"]}, ValueError,
                         "`annotator` of row 0 must be one of `annotators`; got 'ann'", id="unknown annotator"),
            pytest.param({"annotators": ["ann"], "assignments": [(7, "ann"), (7, "ben")]}, ValueError,
                         "`annotator` of row 1 of `assignments` must be one of `annotators`", id="unknown, asked"),
            pytest.param({"images": [7], "assignments": [(7, "ann"), (9, "ann")]}, ValueError,
                         "`image` of row 1 of `assignments` must be one of `images`; got 9", id="unknown image"),
            pytest.param({"id": [4, 4], "assignments": [(7, "ann")]}, ValueError,
                         "Row 1 has the id 4, which 'ann' has given to another row", id="repeated id"),
            pytest.param({"id": ["x", "x"], "assignments": [(7, "ann")]}, ValueError,
                         "Row 1 has the id 'x', which 'ann' has given", id="repeated string"),
            pytest.param({"assignments": {"image": [7, 7], "annotator": ["ann"] * 2, "date": ["a", "b"]}}, ValueError,
                         "Rows 0 and 1 of assignments are one, and have two dates: 'a' and 'b'", id="two dates"),
            pytest.param({"assignments": {"image": [7]}}, TypeError, '"image" and "annotator"', id="no annotators"),
            pytest.param({"assignments": {**ASKED, "day": [1]}}, TypeError, "may have", id="a strange column"),
            pytest.param({"assignments": {"image": [7], "annotator": ["ann", "ben"]}}, ValueError,
                         "`annotator of assignments` must have one for each of the 1 rows; got 2", id="lengths"),
            pytest.param({"assignments": [(7, "ann"), (7,)]}, TypeError, r"list of \(image, annotator\)", id="short"),
            pytest.param({"assignments": "every"}, ValueError, "\"all\", a dict of columns.*got 'every'", id="a word"),
            pytest.param({"annotator": None, "round": [0, 0]}, TypeError, "`annotator` must say who", id="nobody's"),
            pytest.param({"annotator": None, "assignments": [(7, "ann")]}, ValueError,
                         "`annotator` must say who marked each row", id="whose rows"),
            pytest.param({"round": ["a", "b"]}, TypeError, "`round` must be integers", id="rounds in words"),
        ],
    )  # fmt: skip
    def test_refused(self, others, error, words):
        with pytest.raises(error, match=words):
            marked(2, **others)

    @pytest.mark.parametrize(
        "columns, words",
        [
            pytest.param((np.array([0, 0]), np.array([0, 0])), "Row 1 of assignments is there twice", id="twice"),
            pytest.param((np.array([0]), np.array([0.0])), "`annotator` of assignments must be a NumPy", id="floats"),
            pytest.param((np.array([0]), np.array([0, 1])), r"of shape \(1,\)", id="lengths"),
        ],
    )
    def test_columns_refused(self, columns, words):
        with pytest.raises(ValueError, match=words):
            Assignments(*columns)

    def test_places_refused(self):
        data = marked(assignments=ASKED)
        with pytest.raises(
            ValueError, match="`annotator of assignments` of row 0 must be a place in a table of 2; got 2"
        ):
            replace(data, assignments=Assignments(np.array([0]), np.array([2])))
        with pytest.raises(ValueError, match="`annotator` of row 0 must be a place in a table of 2; got -1"):
            replace(data, assignments=None, annotator=np.array([-1]))

    def test_same_id_of_two_annotators(self):
        data = marked(2, annotator=["ann", "ben"], id=[4, 4], assignments=ASKED)
        assert data.id.tolist() == [4, 4]


class TestKept:
    def data(self):
        table = Images(np.array([7, 8]), group=np.array(["p1", None], object), batch=np.array(["monday", 2], object))
        told = {**ASKED, "round": [1, 1, 2], "date": ["2026-01-01", None, "2026-01-02"]}
        return marked(images=table, round=[1], assignments=told)

    def test_rows(self):
        none = self.data().rows([False])
        assert len(none.assignments) == 3 and none.round.tolist() == [] and none.annotator.tolist() == []

    def test_numbered(self):
        data = Dataset.from_arrays(BOX, image=["a"], annotator=["ann"], assignments=[("a", "ann"), ("b", "ann")])
        assert data.numbered().images.ids.tolist() == [1, 2] and data.numbered().assignments == data.assignments

    def test_joined(self):
        first = self.data()
        second = Dataset.from_arrays(BOX, image=[9], annotator=["abe"], assignments=[(9, "abe"), (9, "ben")])
        both = Dataset.joined([first, second])
        assert both.annotators.tolist() == ["abe", "ann", "ben"]
        assert both.annotators[both.annotator].tolist() == ["ann", "abe"] and both.round.tolist() == [1, 0]
        asked = both.assignments
        assert both.images.ids[asked.image].tolist() == [7, 7, 8, 9, 9]
        assert both.annotators[asked.annotator].tolist() == ["ann", "ben", "ben", "abe", "ben"]
        assert asked.round.tolist() == [1, 1, 2, 0, 0]
        assert asked.date.tolist() == ["2026-01-01", None, "2026-01-02", None, None]
        assert both.images.group.tolist() == ["p1", None, None] and both.images.batch.tolist() == ["monday", 2, None]

    def test_joined_with_nobody(self):
        with pytest.raises(ValueError, match="`annotator` must be given for all images or for none"):
            Dataset.joined([self.data(), Dataset.from_arrays(BOX, image=[9])])
        someone = Dataset.from_arrays(BOX, image=[9], annotator=["ann"])
        with pytest.raises(ValueError, match="`assignments` must be given for all images or for none"):
            Dataset.joined([self.data(), someone])

    def test_archive(self, tmp_path):
        data = self.data()
        data = replace(data, images=replace(data.images, batch=np.array(["monday", "tuesday"], object)))
        vesica.write(tmp_path / "a.npz", data)
        back = vesica.read(tmp_path / "a.npz")
        for name in ("annotator", "annotators", "round"):
            assert np.array_equal(getattr(back, name), getattr(data, name)), name
        assert back.assignments == data.assignments
        assert back.images.group.tolist() == ["p1", None] and back.images.batch.tolist() == ["monday", "tuesday"]

    def test_archive_of_one_who_saw_nothing(self, tmp_path):
        vesica.write(tmp_path / "a.npz", Dataset.from_arrays([], image=[], annotator=[], assignments=[(1, "ann")]))
        back = vesica.read(tmp_path / "a.npz")
        assert back.annotators.tolist() == ["ann"] and len(back.assignments) == 1


def of(ids, names=None, kinds=("cat",), sizes=None, rows=(), **others):
    """Whoever has these images, with one box in each of `rows`: (image, kind)."""
    table = Images(np.array(ids, object if any(isinstance(id, str) for id in ids) else np.int64),
                   names=None if names is None else np.array(names, object))  # fmt: skip
    boxes = np.tile(BOX, (len(rows), 1)).reshape(-1, 4)
    image, kind = [row[0] for row in rows], [row[1] for row in rows]
    return Dataset.from_arrays(boxes, image=image, category=kind, images=table, categories=kinds, sizes=sizes, **others)


def told(data):
    """Who was asked for what, and who marked what, in words."""
    ids, people = data.images.ids, data.annotators
    names = data.categories.ids if data.categories.names is None else data.categories.names
    asked = zip(ids[data.assignments.image].tolist(), people[data.assignments.annotator].tolist(), strict=True)
    rows = zip(ids[data.image].tolist(), names[data.category].tolist(), people[data.annotator].tolist(), strict=True)
    return sorted(asked, key=str), sorted(rows, key=str)


class TestOfAnnotators:
    def test_categories_meet_by_name(self):
        ann = of([1, 2], kinds={1: "cat", 2: "dog"}, rows=[(1, 1), (2, 2)])
        ben = of([1, 2], kinds={1: "dog", 2: "cat"}, rows=[(1, 2), (2, 1)])
        both = Dataset.of_annotators({"ann": ann, "ben": ben})
        asked, rows = told(both)
        assert asked == [(1, "ann"), (1, "ben"), (2, "ann"), (2, "ben")]
        assert rows == [(1, "cat", "ann"), (1, "cat", "ben"), (2, "dog", "ann"), (2, "dog", "ben")]
        assert both.categories.ids.tolist() == [1, 2] and both.categories.names.tolist() == ["cat", "dog"]

    def test_new_category_with_a_taken_id(self):
        ann, ben = of([1], kinds={1: "cat"}), of([1], kinds={1: "dog"}, rows=[(1, 1)])
        both = Dataset.of_annotators({"ann": ann, "ben": ben})
        assert both.categories.names.tolist() == ["cat", "dog"] and both.categories.ids.tolist() == ["cat", "dog"]

    def test_without_names_by_id(self):
        both = Dataset.of_annotators(
            {"ann": of([1], kinds=[1, 3], rows=[(1, 3)]), "ben": of([1], kinds=[2, 3], rows=[(1, 3)])}
        )
        assert both.categories.ids.tolist() == [1, 2, 3] and both.category.tolist() == [2, 2]

    @pytest.mark.parametrize(
        "names, shared, by",
        [
            pytest.param((["a.jpg", "b.jpg"], ["b.jpg", "a.jpg"]), 2, "name", id="numbered otherwise"),
            pytest.param((["x/a.jpg", "x/b.jpg"], ["y/b.jpg", "y/c.jpg"]), 1, "file name", id="other folders"),
            pytest.param((["a.jpg", "b.jpg"], ["b.png", "c.png"]), 1, "stem", id="other endings"),
            pytest.param((["a.jpg", "b.jpg"], ["c.jpg", "d.jpg"]), 0, "name", id="nothing shared"),
            pytest.param((["a.jpg", "b.jpg"], ["a.jpg", "b.jpg"]), 2, None, id="ids say the same"),
        ],
    )
    def test_images_meet_by_name(self, names, shared, by):
        both = Dataset.of_annotators({"ann": of([1, 2], names[0]), "ben": of([1, 2], names[1])})
        assert len(both.images) == 4 - shared and len(set(both.images.ids.tolist())) == len(both.images)
        assert np.bincount(both.assignments.image).tolist().count(2) == shared
        assert any(f"joined by {by}" in note for note in both.notes) == (by is not None)

    def test_names_are_ids(self):
        both = Dataset.of_annotators({"ann": of(["a", "b"]), "ben": of(["b", "c"])})
        assert told(both)[0] == [("a", "ann"), ("b", "ann"), ("b", "ben"), ("c", "ben")] and both.notes == ()

    def test_own_assignments_count(self):
        asked = [(1, "whoever")]
        ann = of([1, 2], rows=[(1, "cat")], annotator=["whoever"], assignments=asked)
        both = Dataset.of_annotators({"ann": ann, "ben": of([1, 2])})
        assert told(both)[0] == [(1, "ann"), (1, "ben"), (2, "ben")]

    def test_sizes(self):
        both = Dataset.of_annotators({"ann": of([1, 2]), "ben": of([2, 3], sizes=[(4, 5), (6, 7)])})
        assert both.images.sizes.tolist() == [[0, 0], [4, 5], [6, 7]]

    @pytest.mark.parametrize(
        "parts, error, words",
        [
            pytest.param({}, TypeError, "come in a dict.*got an empty dict", id="nobody"),
            pytest.param([of([1])], TypeError, "come in a dict.*got list", id="a list"),
            pytest.param({"ann": "a.json"}, TypeError, "of 'ann' must be a Dataset; got str. vesica.read", id="a path"),
            pytest.param({"ann": of([1], kinds={1: "cat"}, rows=[(1, 1)]), "ben": of([1], kinds=[1], rows=[(1, 1)])},
                         InputError, "The categories of 'ben' have no names", id="some names"),
            pytest.param({"ann": of([1], kinds={1: "cat", 2: "cat"})}, InputError, "two categories called 'cat'",
                         id="a name twice"),
            pytest.param({"ann": of([1, 2], ["a", "a"])}, InputError, "two images called 'a'", id="two images"),
            pytest.param({"ann": of([1], sizes=(4, 5)), "ben": of([1], sizes=(5, 4))}, ValueError,
                         "Image 1 is of 5×4 pixels .* of 'ben', and of 4×5", id="two sizes"),
            pytest.param({"ann": marked(2, annotator=["a", "b"])}, ValueError, "has 2 annotators already", id="two"),
            pytest.param({"ann": marked(round=[1])}, ValueError, "has rounds, and no `assignments`", id="rounds"),
            pytest.param({"ann": of([1], rows=[(1, "cat")] * 2, id=[3, 3])}, ValueError, "Row 1 has the id 3", id="id"),
        ],
    )  # fmt: skip
    def test_refused(self, parts, error, words):
        with pytest.raises(error, match=words):
            Dataset.of_annotators(parts)

    @pytest.mark.parametrize("column", ["group", "batch"])
    def test_groups_and_batches_meet_or_are_refused(self, column):
        def told(images, words):
            part = of(images)
            return replace(part, images=replace(part.images, **{column: np.array(words, object)}))

        both = Dataset.of_annotators({"ann": told([1, 2], ["day", None]), "ben": told([2, 1], ["night", "day"])})
        assert getattr(both.images, column).tolist() == ["day", "night"]
        with pytest.raises(
            InputError, match=f"`{column}` of image 1 is 'day' in one data set and 'night' in that of 'ben'"
        ):
            Dataset.of_annotators({"ann": told([1], ["day"]), "ben": told([1], ["night"])})

    @given(
        st.lists(
            st.lists(st.tuples(st.integers(0, 5), st.sampled_from(["cat", "dog", "cow"])), max_size=8),
            min_size=1,
            max_size=4,
        )
    )
    def test_nothing_vanishes(self, drawn):
        """Whatever each has, all of it is there once, under the same image and the same name."""
        parts = {}
        for who, rows in enumerate(drawn):
            ids = sorted({image for image, _ in rows}) or [0]
            parts[who] = of(ids, kinds=["cat", "dog", "cow"], rows=rows)
        both = Dataset.of_annotators(parts)
        want = [(image, kind, who) for who, rows in enumerate(drawn) for image, kind in rows]
        assert told(both)[1] == sorted(want, key=str)
        assert len(both.assignments) == sum(len(part.images) for part in parts.values())
