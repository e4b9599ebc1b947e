"""COCO with annotators: under which key, by which names, and who was asked."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vesica
from samples import asked, described, drawn
from vesica import InputError
from vesica.io.coco_annotators import KEYS

IMAGES = [{"id": k, "width": 40, "height": 30, "file_name": f"{k}.jpg"} for k in (1, 2)]


def row(id=1, image=1, **more):
    return {"id": id, "image_id": image, "category_id": 5, "bbox": [1, 2, 3, 4], "area": 12, "iscrowd": 0, **more}


def file(*rows, **more):
    return {"images": IMAGES, "annotations": list(rows), "categories": [{"id": 5, "name": "cat"}], **more}


@pytest.fixture
def read(tmp_path):
    def of(value, annotator=True):
        (tmp_path / "t.json").write_text(json.dumps(value))
        return vesica.read(tmp_path / "t.json", annotator=annotator)

    return of


class TestRead:
    @pytest.mark.parametrize("key", KEYS)
    def test_usual_keys(self, read, key):
        data = read(file(row(1, **{key: "ann"}), row(2, **{key: "ben"})))
        assert data.annotators[data.annotator].tolist() == ["ann", "ben"] and data.assignments is None

    def test_other_keys(self, read):
        data = read(file(row(1, who="ann"), row(2, who=7)), "who")
        assert data.annotators.tolist() == [7, "ann"]

    def test_in_attributes_and_as_objects(self, read):
        data = read(file(row(1, attributes={"annotator": "ann"}), row(2, annotator={"id": 3, "email": "b@c.d"})))
        assert data.annotators.tolist() == [3, "ann"]

    def test_without_the_option_nothing_is_looked_for(self, tmp_path):
        (tmp_path / "t.json").write_text(json.dumps(file(row(annotator="ann"))))
        assert vesica.read(tmp_path / "t.json").annotator is None

    def test_names(self, read):
        people = [{"id": 1, "name": "ann"}, {"id": 2, "name": "ben"}, {"id": 3, "name": "cleo"}]
        data = read(file(row(1, annotator_id=2), row(2, annotator_id=1), annotators=people))
        assert data.annotators.tolist() == ["ann", "ben", "cleo"] and data.annotator.tolist() == [1, 0]
        alike = [{"id": 1, "name": "ann"}, {"id": 2, "name": "ann"}]
        assert read(file(row(1, annotator_id=2), annotators=alike)).annotators.tolist() == [1, 2]

    def test_assignments(self, read):
        told = [{"image_id": 1, "annotator": "ann"}, {"image_id": 2, "annotator": "ben", "round": 1, "date": "Monday"}]
        data = read(file(row(annotator="ann"), assignments=told))
        assert asked(data) == [("1.jpg", "ann", 0), ("2.jpg", "ben", 1)]
        assert data.assignments.date.tolist() == [None, "Monday"]

    def test_nobody_saw_anything(self, read):
        data = read(file(assignments=[{"image_id": 1, "annotator": "ann"}]))
        assert len(data) == 0 and asked(data) == [("1.jpg", "ann", 0)]

    @pytest.mark.parametrize(
        "value, key, words",
        [
            (file(row()), True, r"no annotation says who made it, under annotator, .*annotator=KEY"),
            (file(row(1, annotator="a"), row(2)), True, r'annotation 1: "annotator" must say who made it'),
            (file(row(annotator=[1])), True, "must be a whole number or a text; got"),
            (file(row(annotator=9), annotators=[{"id": 1}]), True, "annotation 0.* one of the 1 annotators; got 9"),
            (file(row(annotator=1), annotators=[1, 1]), True, "annotator 1: 1 is there twice"),
            (file(row(annotator=1, round=-1)), True, '"round" must be a whole number from 0; got -1'),
            (file(row(annotator=1), assignments=7), True, '"assignments" must be a list'),
            (file(row(annotator=1), assignments=[{"annotator": 1}]), True, 'assignment 0: "image_id" must be'),
            (file(row(annotator=1), assignments=[{"image_id": 9, "annotator": 1}]), True, "t.json: .*one of `images`"),
            (file(row(annotator=1), assignments=[{"image_id": 2, "annotator": 1}]), True, "who was not asked for it"),
            ([row(score=0.5, annotator=1)], True, "is a list of results, which nobody annotated"),
        ],
    )
    def test_refused(self, read, value, key, words):
        with pytest.raises(InputError, match=words):
            read(value, key)


class TestWrite:
    @given(st.integers(0, 10_000))
    def test_round_trip(self, tmp_path_factory, seed):
        data = drawn(seed, kinds=("box", "polygon", "mask"), people=("ann", "ben", 7))
        path = tmp_path_factory.mktemp("coco") / "t.json"
        vesica.write(path, data.numbered())
        back = vesica.read(path, annotator=True)
        assert described(back) == described(data) and asked(back) == asked(data)
        assert back.annotators.tolist() == data.annotators.tolist()

    def test_again_and_again(self, tmp_path, read):
        """Keys that are columns are written once, and others stay."""
        told = [{"image_id": 1, "annotator": "ann"}]
        data = read(file(row(annotator="ann", mood="good"), assignments=told, info={"year": 2026}))
        vesica.write(tmp_path / "u.json", data)
        text = (tmp_path / "u.json").read_text()
        assert text.count('"assignments"') == 1 and text.count('"annotator"') == 2
        assert '"mood": "good"' in text and '"year": 2026' in text
        again = vesica.read(tmp_path / "u.json", annotator=True)
        assert described(again) == described(data) and asked(again) == asked(data)

    def test_ids_that_annotators_share(self, tmp_path):
        one = vesica.Dataset.from_arrays([[0, 0, 4, 4]], image=[1], category=["cat"], id=[1])
        both = vesica.Dataset.of_annotators({"ann": one, "ben": one}).numbered()
        told = "objects were numbered from 1, because annotators have the same ids"
        assert told in vesica.write(tmp_path / "t.json", both)
        assert vesica.read(tmp_path / "t.json", annotator=True).id.tolist() == [1, 2]

    def test_unread_annotators_stay(self, tmp_path):
        (tmp_path / "t.json").write_text(json.dumps(file(row(annotator="ann"), assignments=[])))
        vesica.write(tmp_path / "u.json", vesica.read(tmp_path / "t.json"))
        assert '"annotator": "ann"' in (tmp_path / "u.json").read_text()
        assert '"assignments": []' in (tmp_path / "u.json").read_text()


class TestCsv:
    def test_rows_without_a_box_tell_who_was_asked(self, tmp_path):
        text = "image,annotator,round,x1,y1,x2,y2\na,ann,0,1,1,2,2\na,ben,0,,,,\nb,ann,1,1,1,2,2\nc,,,,,,\n"
        (tmp_path / "t.csv").write_text(text)
        data = vesica.read(tmp_path / "t.csv")
        assert asked(data) == [("a", "ann", 0), ("a", "ben", 0), ("b", "ann", 1)]
        assert data.images.ids.tolist() == ["a", "b", "c"] and data.round.tolist() == [0, 1]

    def test_without_such_rows_nobody_knows(self, tmp_path):
        (tmp_path / "t.csv").write_text("image,annotator,x1,y1,x2,y2\na,ann,1,1,2,2\n")
        data = vesica.read(tmp_path / "t.csv")
        assert data.assignments is None and data.annotators.tolist() == ["ann"]

    def test_an_annotator_is_missing(self, tmp_path):
        (tmp_path / "t.csv").write_text("image,annotator,x1,y1,x2,y2\na,ann,1,1,2,2\na,,1,1,2,2\n")
        with pytest.raises(InputError, match="row 2: `annotator` is empty, and elsewhere it is not"):
            vesica.read(tmp_path / "t.csv")

    @given(st.integers(0, 10_000))
    def test_round_trip(self, tmp_path_factory, seed):
        data = drawn(seed, kinds=("box",), people=("ann", "ben", "cleo"))
        path = tmp_path_factory.mktemp("csv") / "t.csv"
        notes = vesica.write(path, data)
        back = vesica.read(path)
        assert described(back) == described(data)
        if "who was asked is not written, because everyone who was asked marked something" in notes:
            assert back.assignments is None
        else:
            assert asked(back) == asked(data)

    def test_numbers_as_names(self, tmp_path):
        data = vesica.Dataset.from_arrays(
            np.array([[0, 0, 3, 4.0]]), image=[1], annotator=[5], assignments={"image": [1, 1], "annotator": [5, 6]}
        )
        vesica.write(tmp_path / "t.csv", data)
        assert vesica.read(tmp_path / "t.csv").annotators.tolist() == [5, 6]
