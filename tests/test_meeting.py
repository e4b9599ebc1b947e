"""How two data sets meet: images by id, name or stem, categories by name, id or mapping; and what is said of it."""

import itertools
import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vesica
from pycoco import answer as peer
from scenes import Traits, datasets, job
from vesica import Dataset, InputError
from vesica._array import objects
from vesica.cli import main
from vesica.dataset import Categories, Images
from vesica.dataset.coco_classes import COCO_CLASSES
from vesica.dataset.picture_names import file_of, stem_of
from vesica.detection import merge, records_of, summarise

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
NAMES = ("person", "cat", "dog")
NAMED = dict(enumerate(NAMES))
BOXES = np.array([[0, 0, 10, 10], [20, 0, 40, 20], [50, 50, 80, 90]], np.float64)


def truths(categories=NAMED, images=(1,), names=None, **more):
    """In each image one object of each of three categories: ids, or a dict of their names."""
    return Dataset.from_arrays(
        np.tile(BOXES, (len(images), 1)),
        image=[one for one in images for _ in BOXES],
        category=list(categories)[:3] * len(images),
        categories=categories,
        images=Images(_column(images), names=None if names is None else objects(names)),
        **more,
    )


def guesses(categories=NAMED, images=(1,), names=None):
    return truths(categories, images, names, score=[0.9, 0.8, 0.7] * len(images))


def _column(ids):
    return objects(ids) if any(isinstance(one, str) for one in ids) else np.array(ids, np.int64)


def said(result):
    return {note.rule: note.count for note in result.notes if note.rule[0] == "J" or note.rule == "Q13"}


def is_perfect(result):
    return result["AP"] == pytest.approx(1)


def equal(a, b):
    return all(np.array_equal(getattr(a, name), getattr(b, name)) for name in ("precision", "recall", "scores"))


@cache
def answered(seed, traits):
    """A job as data sets, and what pycocotools says of it."""
    truth, results = job(np.random.default_rng(seed), traits)
    theirs = peer(truth, results)
    return *datasets(truth, results), SimpleNamespace(precision=theirs.precision, recall=theirs.recall)


class TestCategories:
    @pytest.mark.parametrize(
        "ours, theirs, by, notes",
        [
            pytest.param(NAMED, NAMED, "name", {}, id="the same"),
            pytest.param(NAMED, {5: "person", 7: "cat", 9: "dog"}, "name", {"J2": 3}, id="other ids"),
            pytest.param(NAMED, {1: "person", 2: "cat", 0: "dog"}, "name", {"J2": 3}, id="turned ids"),
            pytest.param(NAMED, {0: "person", 1: "cat", 7: "dog"}, "name", {"J2": 1}, id="one other id"),
            pytest.param(NAMED, list(NAMES), "name", {"J2": 3}, id="ids that are names"),
            pytest.param(list(NAMES), {7: "person", 8: "cat", 9: "dog"}, "name", {"J2": 3}, id="the other way round"),
            pytest.param(list(NAMES), list(NAMES), "name", {}, id="names on both sides"),
            pytest.param({1: "person", 2: "cat", 3: "dog"}, [1, 2, 3], "id", {}, id="names of the truth alone"),
            pytest.param([1, 2, 3], {1: "person", 2: "cat", 3: "dog"}, "id", {}, id="names of the guess alone"),
            pytest.param([1, 2, 3], [1, 2, 3], "id", {}, id="no names"),
            pytest.param({0: "cat", 1: "cat", 2: "dog"}, {0: "cat", 1: "cat", 2: "dog"}, "name", {}, id="a name twice"),
            pytest.param(NAMED, [1, 2, 3], "counted from 1", {"J2": 3}, id="counted from 1"),
            pytest.param(
                dict(enumerate(COCO_CLASSES.values())), [1, 2, 90], "COCO's", {"J2": 3}, id="ids of COCO, by its names"
            ),
        ],
    )
    def test_meet(self, ours, theirs, by, notes):
        known, found = truths(ours), guesses(theirs)
        if by == "COCO's":
            known = replace(known, category=np.array([0, 1, 79]))
        result = vesica.evaluate(known, found)
        assert is_perfect(result) and said(result) == notes and result.inputs.meeting.categories_by == by

    def test_what_is_not_in_the_truth_is_left_out_and_named(self):
        result = vesica.evaluate(truths(), guesses({0: "person", 1: "cat", 2: "cow"}))
        assert said(result) == {"Q13": 1} and result.inputs.meeting.remarks[0].example == "'cow'"

    def test_names_nobody_uses_do_not_matter(self):
        many = guesses({5: "person", 6: "cat", 7: "dog", 0: "cow", 1: "person"})
        with pytest.raises(InputError, match="2 categories of the guess are called 'person'"):
            vesica.evaluate(truths(), many)
        assert is_perfect(vesica.evaluate(truths(), guesses({5: "person", 6: "cat", 7: "dog", 0: "cow"})))

    @pytest.mark.parametrize(
        "ours, theirs, words",
        [
            pytest.param(
                NAMED,
                {0: "aeroplane", 1: "bicycle", 2: "bird"},
                "No category of the guesses is one of the truth's: 'aeroplane', 'bicycle', 'bird' against 'person', "
                "'cat', 'dog'. "
                'Say which is which, categories={"aeroplane": "person", …}; or let ids meet, categories="id".',
                id="other names",
            ),
            pytest.param(
                {1: "person", 2: "cat", 3: "dog"},
                [0, 1, 2],
                "The guess has no names of categories, and 0 is not among the ids of the truth: 1 ('person'), "
                "2 ('cat'), 3 ('dog'). Give both sides names; or say which is which, guess first, "
                'categories={0: "person", …}; or leave out what does not meet, categories="id".',
                id="an id outside",
            ),
            pytest.param(
                [1, 2, 4],
                {1: "person", 2: "cat", 3: "dog"},
                "The truth has no names of categories, and 4 is not among the ids of the guess: 1 ('person')",
                id="a truth outside",
            ),
            pytest.param(
                list(NAMES), [0, 1, 2], "and 0, 1, 2 are not among the ids of the truth: 'person', 'cat'", id="ids"
            ),
            pytest.param(
                [1, 2, 3], [4, 5, 6], "No category of the guesses is one of the truth's: 4, 5, 6 ag", id="nobody"
            ),
            pytest.param(["1", "2", "3"], [1, 2, 3], "1, 2, 3 are not among the ids of the truth: '1', '2'", id="text"),
            pytest.param(
                {1: "cat", 2: "cat", 3: "dog"},
                {5: "cat", 6: "bird", 3: "dog"},
                "2 categories of the truth are called 'cat', so names do not tell them apart.",
                id="two of one name",
            ),
        ],
    )
    def test_refused(self, ours, theirs, words):
        with pytest.raises(InputError) as error:
            vesica.evaluate(truths(ours), guesses(theirs))
        assert words in str(error.value)

    def test_two_numberings_fit(self):
        """80 is the last but one counted from 1, and COCO's toaster: nobody knows."""
        known = truths(dict(enumerate(COCO_CLASSES.values())))
        with pytest.raises(InputError, match="They may be counted from 1 or COCO's"):
            vesica.evaluate(known, guesses([1, 2, 80]))

    def test_boxes_tell_that_ids_count_from_1(self):
        """All ids are of the truth, and nearly all guesses lie on objects of the class before."""
        ours = truths(dict(enumerate("abcd")), range(8))
        known = replace(ours, category=np.tile([0, 1, 2], 8))
        with pytest.raises(InputError, match=r"seem to be counted from 1.* 0 have its category .* 24 if 1 is 'a'"):
            vesica.evaluate(known, guesses([1, 2, 3], range(8)))
        assert vesica.evaluate(known, guesses([1, 2, 3], range(8)), categories="id")["AP"] < 0.1
        few = vesica.evaluate(truths(dict(enumerate("abcd"))), guesses([1, 2, 3]))
        assert few["AP"] < 0.1  # three boxes say nothing

    def test_all_classes_as_one(self):
        """Where classes do not matter, neither do their names."""
        known, found = truths({1: "person", 2: "cat", 3: "dog"}), guesses({1: "a", 2: "b", 3: "c"})
        assert is_perfect(vesica.evaluate(known, found, by_class=False))

    def test_nothing_was_found(self):
        nothing = guesses({0: "aeroplane", 1: "bicycle", 2: "bird"}).rows([])
        assert vesica.evaluate(truths(), nothing)["AP"] == 0

    @given(seed=st.integers(0, 30), order=st.permutations(range(6)))
    def test_ids_of_named_categories_do_not_matter(self, seed, order):
        """Numbered in any other way, the guesses have the numbers that pycocotools gives them with the truth's ids."""
        pytest.importorskip("pycocotools")
        known, found, theirs = answered(seed, Traits(categories=6, crowds=0.0))
        ids = np.array([7, 0, 3, 1, 9, 2])[list(order)][: len(found.categories)]
        moved = replace(found, categories=Categories(ids, found.categories.names))
        ours = vesica.evaluate(known, moved)
        assert all(np.array_equal(getattr(ours, name), getattr(theirs, name)) for name in ("precision", "recall"))


class TestAsked:
    """categories="name" | "id" | mapping."""

    SWAPPED = {1: "person", 2: "cat", 0: "dog"}

    def test_id(self):
        result = vesica.evaluate(truths(), guesses(self.SWAPPED), categories="id")
        assert result["AP"] == 0 and said(result) == {} and result.inputs.meeting.categories_by == "id"

    def test_id_leaves_out_what_is_outside(self):
        result = vesica.evaluate(truths({1: "person", 2: "cat", 3: "dog"}), guesses([0, 1, 2]), categories="id")
        assert said(result) == {"Q13": 1}

    def test_name(self):
        assert is_perfect(vesica.evaluate(truths(), guesses(self.SWAPPED), categories="name"))
        with pytest.raises(InputError, match="needs names on both sides; the guess has categories without"):
            vesica.evaluate(truths(), guesses([0, 1, 2]), categories="name")

    @pytest.mark.parametrize(
        "theirs, mapping",
        [
            pytest.param([7, 8, 9], {7: "person", 8: "cat", 9: "dog"}, id="ids to names"),
            pytest.param([7, 8, 9], {7: 0, 8: 1, 9: 2}, id="ids to ids"),
            pytest.param([7, 8, 9], {"7": "person", "8": "1", "9": 2}, id="ids in digits, as JSON has them"),
            pytest.param([7, 8, 9], {np.int64(7): np.int64(0), 8: 1, 9: 2, 55: "dog"}, id="more than there are"),
            pytest.param(["man", "cat", "dog"], {"man": "person"}, id="the others by name"),
            pytest.param({1: "man", 2: "cat", 3: "dog"}, {"man": "person"}, id="by name, with other ids"),
            pytest.param({1: "cat", 2: "person", 3: "dog"}, {"cat": "person", "person": "cat"}, id="against the names"),
        ],
    )
    def test_mapping(self, theirs, mapping):
        result = vesica.evaluate(truths(), guesses(theirs), categories=mapping)
        assert is_perfect(result) and said(result) == {} and result.inputs.meeting.categories_by == "mapping"

    def test_many_to_one(self):
        known = truths({1: "animal", 2: "x", 3: "y"})
        known = replace(known, category=np.zeros(3, np.int64))
        result = vesica.evaluate(
            known, guesses(["cat", "dog", "cow"]), categories=dict.fromkeys(["cat", "dog", "cow"], 1)
        )
        assert is_perfect(result)

    def test_left_out(self):
        """What leads to None, and ids that the mapping does not name."""
        assert said(vesica.evaluate(truths(), guesses(), categories={"dog": None})) == {"Q13": 1}
        assert said(vesica.evaluate(truths(), guesses([0, 1, 2]), categories={0: 0})) == {"Q13": 2}

    @pytest.mark.parametrize(
        "categories, error, words",
        [
            ("names", ValueError, '`categories` must be one of "name", "id"; got \'names\'. Did you mean "name"?'),
            (np.array(["name", "id"]), TypeError, "or a dict .* got ndarray"),
            (3, TypeError, '`categories` must be "name", "id", or a dict .* got int'),
            (
                {0: "prson"},
                ValueError,
                "leads to 'prson', which is no category of the truth; there are 'person', 'cat'",
            ),
            ({0: 7}, ValueError, "leads to 7, which"),
            ({"man": "person"}, ValueError, "names no category of the guess: 'man' against 0, 1, 2"),
            ({}, ValueError, "names no category of the guess"),
            ({True: 0}, ValueError, "names no category of the guess"),
        ],
    )
    def test_refused(self, categories, error, words):
        with pytest.raises(error, match=words):
            vesica.evaluate(truths(), guesses([0, 1, 2]), categories=categories)

    def test_records_take_it_too(self):
        known, found = truths(), guesses(self.SWAPPED)
        both = [summarise(records_of(known, found, categories=way))["AP"] for way in ("name", "id")]
        assert both == [pytest.approx(1), 0]


class TestImages:
    @pytest.mark.parametrize(
        "ours, names, theirs, others, by",
        [
            pytest.param([1, 2], None, [1, 2], None, "id", id="ids"),
            pytest.param(["a", "b"], None, ["b", "a"], ["x.jpg", "y.jpg"], "id", id="ids that are strings"),
            pytest.param([1, 2], ["a.jpg", "b.jpg"], ["a.jpg", "b.jpg"], None, "name", id="file names for ids"),
            pytest.param([1, 2], ["a.jpg", "b.jpg"], [0, 1], ["a.jpg", "b.jpg"], "name", id="names, and other ids"),
            pytest.param([1, 2], ["a.jpg", "b.jpg"], [2, 1], ["a.jpg", "b.jpg"], "name", id="ids the wrong way round"),
            pytest.param([1, 2], ["v/a.jpg", "v/b.jpg"], ["a.jpg", "b.jpg"], None, "file name", id="folders"),
            pytest.param(["a", "b"], None, ["C:\\x\\a.png", "C:\\x\\b.png"], None, "stem", id="folders of Windows"),
            pytest.param([1, 2], ["a.jpg", "b.jpg"], ["a", "b"], None, "stem", id="stems"),
            pytest.param([1, 2], ["a.1.jpg", "a.2.jpg"], ["a.1", "a.2"], None, "stem", id="stems with dots"),
            pytest.param([1, 2], ["a.jpg", "b.jpg"], ["a.txt", "b.txt"], None, "stem", id="label files"),
            pytest.param([7, 9], None, ["7", "9"], None, "id as text", id="numbers as text"),
            pytest.param([7, 9], ["a.jpg", "b.jpg"], ["7", "9"], None, "id as text", id="numbers as text, with names"),
            pytest.param(["000139", "000285"], None, [139, 285], None, "number", id="leading zeros"),
            pytest.param([1, 2], ["000139.jpg", "000285.jpg"], [139, 285], None, "number", id="numbers in names"),
        ],
    )
    def test_meet(self, ours, names, theirs, others, by):
        known, found = truths(NAMED, ours, names), guesses(NAMED, theirs, others)
        order = [1, 0] if theirs == ["b", "a"] else [0, 1]
        # The second image's boxes lie elsewhere, so that images that are not the same do not fit.
        known = replace(known, xywh=known.xywh + 100 * known.image[:, None] * [1, 1, 0, 0])
        found = replace(found, xywh=found.xywh + 100 * np.array(order)[found.image][:, None] * [1, 1, 0, 0])
        result = vesica.evaluate(known, found)
        assert is_perfect(result) and result.inputs.meeting.images_by == by
        assert said(result) == ({} if by == "id" else {"J1": 2})

    @pytest.mark.parametrize(
        "ours, names, theirs, others, words",
        [
            pytest.param(
                [1, 2],
                ["a.jpg", "b.jpg"],
                ["a.jpg", "c.jpg"],
                None,
                "3 guesses are of images that the truth does not have: 'c.jpg'. The truth has 1, 2, called 'a.jpg', "
                "'b.jpg'. Neither ids nor names meet",
                id="a name too many",
            ),
            pytest.param(
                [1, 2],
                None,
                [1, "x2"],
                None,
                "3 guesses are of images that the truth does not have: 'x2'. The truth has 1, 2.",
                id="quotes",
            ),
            pytest.param([1, 2], ["x/a.jpg", "y/a.jpg"], ["a.jpg"], None, "does not have: 'a.jpg'", id="two of a name"),
            pytest.param([1, 2], ["a.jpg", "a.png"], ["a"], None, "does not have: 'a'", id="two of a stem"),
            pytest.param(
                ["07", "007"], None, [7], None, "does not have: 7. The truth has '07', '007'", id="two of a number"
            ),
            pytest.param([1], ["a.jpg"], ["x/a.jpg", "y/a.jpg"], None, "'x/a.jpg', 'y/a.jpg'", id="two would be one"),
            pytest.param(["a.1"], None, ["a.2"], None, "does not have: 'a.2'", id="an ending that is none"),
            pytest.param(
                [1, 2, 3],
                ["a.jpg", "b.jpg", "c.jpg"],
                [1, 2],
                ["b.jpg", "z.jpg"],
                "Images of one id have different names, and some of these are names of other images: guess 1 ('b.jpg') "
                "against truth 1 ('a.jpg')",
                id="names against ids",
            ),
        ],
    )
    def test_refused(self, ours, names, theirs, others, words):
        with pytest.raises(InputError) as error:
            vesica.evaluate(truths(NAMED, ours, names), guesses(NAMED, theirs, others))
        assert words in str(error.value)

    def test_other_names_for_all(self):
        """Ids meet, and names are of another convention: ids count, and it is said."""
        result = vesica.evaluate(
            truths(NAMED, [1, 2], ["COCO_val2014_01.jpg", "COCO_val2014_02.jpg"]), guesses(NAMED, [1, 2], ["01", "02"])
        )
        assert is_perfect(result) and said(result) == {"J1": 2} and result.inputs.meeting.images_by == "id"
        assert result.inputs.meeting.remarks[0].text == "images were joined by id, though their names differ"

    def test_images_without_guesses_need_no_truth(self):
        found = replace(guesses(NAMED, ["a.jpg"]), images=Images(objects(["a.jpg", "elsewhere.jpg"])))
        assert is_perfect(vesica.evaluate(truths(NAMED, [1], ["a.jpg"]), found))

    @given(seed=st.integers(0, 30), way=st.sampled_from(["{}.jpg", "val/{}.png", "{}", "{:09}", "{:012}.jpg"]))
    def test_names_give_the_numbers_of_ids(self, seed, way):
        pytest.importorskip("pycocotools")
        known, found, theirs = answered(seed, Traits(crowds=0.0))
        called = objects(way.format(id) for id in found.images.ids.tolist())
        moved = replace(found, images=replace(found.images, ids=called))
        for side in (known, replace(known, images=replace(known.images, names=called))):
            ours = vesica.evaluate(side, moved)
            assert all(np.array_equal(getattr(ours, name), getattr(theirs, name)) for name in ("precision", "recall"))

    def test_stems(self):
        known = ["a.jpg", "x/a.JPEG", "x\\a.png", "a.txt", "a", "x/a"]
        assert {stem_of(name) for name in known} == {"a"} and {file_of(name) for name in known[1:3]} == {
            "a.JPEG",
            "a.png",
        }
        assert [stem_of(name) for name in ("a.b", "a.001", ".jpg", "a.b.jpg")] == ["a.b", "a.001", ".jpg", "a.b"]


class TestNotes:
    def test_of_parts_add_up(self):
        """What is said of the parts of a data set is, merged, what is said of the whole."""
        names = ["a.jpg", "b.jpg", "c.jpg"]
        known, found = truths(NAMED, [5, 6, 7], names), guesses({4: "person", 5: "cat", 6: "cow"}, names)
        whole = records_of(known, found)
        parts = [records_of(_of_image(known, k), _of_image(found, k)) for k in range(3)]
        assert merge(*parts).notes == whole.notes and len(whole.notes) == 4

    def test_quirks_look_at_ids_alone(self):
        """pycocotools knows no names: nor do its quirks, whatever they say."""
        known, found = truths(NAMED, [1, 2], ["a.jpg", "b.jpg"]), guesses({1: "person", 2: "cat", 0: "dog"}, [1, 2])
        other = replace(found, images=replace(found.images, names=objects(["b.jpg", "a.jpg"])))
        for side in (found, other):
            result = vesica.evaluate(known, side, quirks="pycocotools")
            assert result["AP"] == 0 and said(result) == {}
        left = vesica.evaluate(known, guesses([7, 8, 9], [1, 2]), quirks="pycocotools")
        assert left["AP"] == 0 and said(left) == {"Q13": 6}
        assert is_perfect(vesica.evaluate(known, found, quirks="pycocotools", categories="name"))


def _of_image(data, place):
    one = data.rows(data.image == place)
    names = None if data.images.names is None else data.images.names[place : place + 1]
    return replace(one, image=one.image * 0, images=Images(data.images.ids[place : place + 1], names=names))


class TestLists:
    """Two lists are of the same images, one after the other, unless they say otherwise."""

    OBJECTS = {"boxes": BOXES, "labels": np.array([1, 2, 3])}
    ELSEWHERE = {"boxes": BOXES + 100, "labels": np.array([1, 2, 3])}
    FOUND = {**OBJECTS, "scores": np.array([0.9, 0.8, 0.7])}
    AWAY = {**ELSEWHERE, "scores": np.array([0.9, 0.8, 0.7])}

    @staticmethod
    def detections(boxes, scores=None):
        return SimpleNamespace(xyxy=boxes, confidence=scores, class_id=np.array([1, 2, 3]), mask=None, data={})

    @staticmethod
    def results(boxes, path, scores=(0.9, 0.8, 0.7)):
        found = SimpleNamespace(xyxy=boxes, conf=np.array(scores), cls=np.array([0, 1, 2]))
        return SimpleNamespace(boxes=found, masks=None, orig_shape=(200, 200), names=NAMED, path=path)

    def test_dicts(self):
        assert is_perfect(vesica.evaluate([self.OBJECTS, self.ELSEWHERE], [self.FOUND, self.AWAY]))
        assert vesica.evaluate([self.OBJECTS, self.ELSEWHERE], [self.AWAY, self.FOUND])["AP"] == 0

    def test_ids_of_the_truth_alone(self):
        """As torchvision's loops have it: the nth guess takes the id of the nth truth."""
        torch = pytest.importorskip("torch")
        known = [{**one, "image_id": torch.tensor([id])} for one, id in ((self.OBJECTS, 139), (self.ELSEWHERE, 7))]
        result = vesica.evaluate(known, [self.FOUND, self.AWAY])
        assert is_perfect(result) and result.records.images.tolist() == [7, 139]
        plain = [{**one, "image_id": int(one["image_id"])} for one in known]
        assert is_perfect(vesica.evaluate(plain, iter([self.FOUND, self.AWAY])))

    def test_ids_of_the_guess_alone(self):
        found = [{**self.FOUND, "image_id": "b"}, {**self.AWAY, "image_id": "a"}]
        assert is_perfect(vesica.evaluate([self.OBJECTS, self.ELSEWHERE], found))

    def test_ids_of_both(self):
        known = [{**self.OBJECTS, "image_id": 4}, {**self.ELSEWHERE, "image_id": 2}]
        assert is_perfect(vesica.evaluate(known, [{**self.AWAY, "image_id": 2}, {**self.FOUND, "image_id": 4}]))

    def test_supervision(self):
        known = [self.detections(BOXES), self.detections(BOXES + 100)]
        scores = np.array([0.9, 0.8, 0.7])
        assert is_perfect(
            vesica.evaluate(known, [self.detections(BOXES, scores), self.detections(BOXES + 100, scores)])
        )
        assert is_perfect(vesica.evaluate(known, [self.FOUND, self.AWAY]))

    def test_ultralytics(self):
        found = [self.results(BOXES, "x/a.jpg"), self.results(BOXES + 100, "x/b.jpg")]
        assert is_perfect(vesica.evaluate(found, found))
        assert is_perfect(
            vesica.evaluate([{**one, "labels": [0, 1, 2]} for one in (self.OBJECTS, self.ELSEWHERE)], found)
        )

    @pytest.mark.parametrize("names", [["b.jpg", "a.jpg"], ["val/b.jpg", "val/a.jpg"], ["b.png", "a.png"]])
    def test_ultralytics_find_their_images_by_name(self, names):
        """Whatever the order; ids of the truth that look like numbers of the list are not taken for them."""
        known = truths({1: "person", 2: "cat", 3: "dog"}, [0, 1], names)
        known = replace(known, xywh=known.xywh + 100 * (1 - known.image[:, None]) * [1, 1, 0, 0])
        found = [self.results(BOXES, "runs/a.jpg"), self.results(BOXES + 100, "runs/b.jpg")]
        for side in (found, Dataset.from_objects(found)):
            result = vesica.evaluate(known, side)
            assert is_perfect(result) and said(result) == {"J1": 2, "J2": 6}

    def test_frames_of_a_film_are_numbered(self):
        found = Dataset.from_objects([self.results(BOXES, "film.mp4"), self.results(BOXES, "film.mp4")])
        assert found.images.ids.tolist() == [0, 1]

    @pytest.mark.parametrize(
        "known, found, words",
        [
            ("lists", "one", "there must be as many; got 1 and 2"),
            ("ids", "one", "there must be as many; got 1 and 2"),
            ("data", "two", "The guess is a list of 2 images that does not say which; the other side has 1, 2."),
        ],
    )
    def test_refused(self, known, found, words):
        both = [self.OBJECTS, self.ELSEWHERE]
        known = {
            "lists": both,
            "ids": [{**one, "image_id": k + 5} for k, one in enumerate(both)],
            "data": truths([1, 2, 3], [1, 2]),
        }[known]
        with pytest.raises(InputError, match=words):
            vesica.evaluate(known, [self.FOUND, self.AWAY][: 1 if found == "one" else 2])

    def test_data_that_is_numbered_so(self):
        assert is_perfect(vesica.evaluate(truths([1, 2, 3], [1, 0]), [self.FOUND, self.FOUND]))


class TestParts:
    """Parts of one data set, which say the same of its categories or are refused."""

    def test_a_category_has_one_name(self):
        parts = [truths({0: "cat", 1: "dog", 2: "cow"}, [1]), truths({0: "dog", 1: "cat", 2: "cow"}, [2])]
        with pytest.raises(
            ValueError, match="Category [01] is called '(cat|dog)' in one part and '(cat|dog)' in another"
        ):
            Dataset.joined(parts)
        with pytest.raises(ValueError, match="Category 1 is called 'dog' in one part and 'cat' in another"):
            Dataset.joined(parts[1:], categories=Categories(np.arange(3), objects([None, "dog", "cow"])))

    def test_names_that_some_parts_lack(self):
        whole = Dataset.joined([truths([0, 1, 2], [1]), truths({0: "cat", 1: "dog", 2: "cow"}, [2])])
        assert whole.categories.names.tolist() == ["cat", "dog", "cow"]

    def test_objects_of_one_list(self):
        found = [SimpleNamespace(**vars(TestLists.results(BOXES, path))) for path in ("a.jpg", "b.jpg")]
        found[1].names = {0: "dog", 1: "cat", 2: "person"}
        with pytest.raises(ValueError, match="Category [02] is called"):
            Dataset.from_objects(found)

    def test_ids_of_some_images(self):
        with pytest.raises(ValueError, match='"image_id" must be given for all images or for none; image 1 has none'):
            Dataset.from_dicts([{**TestLists.OBJECTS, "image_id": 1}, TestLists.ELSEWHERE])


# Files.


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A truth and the same guesses in several formats, of two images that are 100 × 80 pixels."""
    pytest.importorskip("PIL")
    pytest.importorskip("yaml")
    pytest.importorskip("defusedxml")
    monkeypatch.chdir(tmp_path)
    from PIL import Image

    rows = [("0139", 0, [10, 20, 40, 60]), ("0139", 1, [50, 8, 60, 16]), ("0285", 2, [0, 0, 25, 40])]
    folders = ("yolo/labels/train", "yolo/images/train", "runs/labels", "guess/labels")
    for folder in folders:
        Path(folder).mkdir(parents=True)
    for stem in ("0139", "0285"):
        Image.new("RGB", (100, 80)).save(f"yolo/images/train/{stem}.png")
        lines = [(kind, _shares(box)) for image, kind, box in rows if image == stem]
        Path(f"yolo/labels/train/{stem}.txt").write_text("".join(f"{kind} {box}\n" for kind, box in lines))
        Path(f"runs/labels/{stem}.txt").write_text("".join(f"{kind} {box} 0.9\n" for kind, box in lines))
        Path(f"guess/labels/{stem}.txt").write_text("".join(f"{2 - kind} {box} 0.9\n" for kind, box in lines))
    Path("yolo/data.yaml").write_text(f"names: {json.dumps(NAMES)}")
    Path("guess/data.yaml").write_text(f"names: {json.dumps(NAMES[::-1])}")
    known = vesica.read("yolo/labels/train")
    vesica.write("voc", known, format="voc")
    vesica.write("truth.json", known.numbered())
    table = "file_name,class,score,x1,y1,x2,y2\n"
    table += "".join(f"{stem}.png,{NAMES[kind]},0.9,{','.join(map(str, box))}\n" for stem, kind, box in rows)
    Path("guess.csv").write_text(table)
    results = [
        {"image_id": int(stem), "category_id": kind + 1, "bbox": _xywh(box), "score": 0.9} for stem, kind, box in rows
    ]
    Path("predictions.json").write_text(json.dumps(results))
    return tmp_path


def _shares(box):
    x1, y1, x2, y2 = box
    return f"{(x1 + x2) / 200} {(y1 + y2) / 160} {(x2 - x1) / 100} {(y2 - y1) / 80}"


def _xywh(box):
    x1, y1, x2, y2 = box
    return [x1, y1, x2 - x1, y2 - y1]


TRUTHS = ("yolo/labels/train", "yolo/labels", "yolo", "voc", "truth.json")
GUESSES = ("guess/labels", "guess.csv", "predictions.json", "runs/labels")


def command(capsys, *words):
    code = main(["eval", *words, "--json"])
    out, _ = capsys.readouterr()
    return code, json.loads(out)


class TestFiles:
    @pytest.mark.parametrize("truth, guess", list(itertools.product(TRUTHS, GUESSES[:2])))
    def test_formats_mix(self, home, truth, guess):
        """Guesses with names meet every truth: by name, and by stem where ids are others."""
        result = vesica.evaluate(truth, guess)
        assert is_perfect(result) and len(result.records.images) == 2

    @pytest.mark.parametrize("truth", ["yolo/labels/train", "yolo/labels", "yolo"])
    def test_labels_against_predictions(self, home, truth):
        """Of Ultralytics: images by the number that is their stem, classes counted from 1, and both are said."""
        result = vesica.evaluate(truth, "predictions.json")
        assert is_perfect(result) and said(result) == {"J1": 2, "J2": 3}
        assert {note.text for note in result.notes if note.rule[0] == "J"} == {
            "images were joined by number, not by id",
            "guesses met the categories of the truth by number: their ids have no names, and are counted from 1",
        }

    @pytest.mark.parametrize("truth, guess", list(itertools.product(TRUTHS, GUESSES)))
    def test_python_is_the_command_line(self, home, capsys, truth, guess):
        """The same answer, or the same refusal."""
        code, told = command(capsys, truth, guess)
        if code:
            with pytest.raises(InputError) as error:
                vesica.evaluate(truth, guess)
            assert told["error"].partition(". Give both")[0] == str(error.value).partition(". Give both")[0]
        else:
            result = vesica.evaluate(truth, guess)
            assert told["summary"] == result.numbers and told["notes"] == json.loads(result.to_json())["notes"]

    def test_names_for_guesses_without(self, home, capsys):
        assert command(capsys, "voc", "runs/labels")[0] == 3
        code, told = command(capsys, "voc", "runs/labels", "--names", "yolo/data.yaml")
        assert code == 0 and told["summary"]["AP"] == pytest.approx(1)

    @pytest.mark.parametrize("images", ["voc", "yolo/images", "yolo/images/train", "yolo", "truth.json"])
    def test_images_from_anywhere(self, home, capsys, images):
        """--images: a folder of pictures, a folder of such folders, or any data set of the images."""
        words = ("voc", "runs/labels", "--names", "yolo/data.yaml", "--images", images)
        code, told = command(capsys, *words)
        assert code == 0 and told["summary"]["AP"] == pytest.approx(1)

    def test_several_folders_of_pictures(self, home):
        picture = Path("yolo/images/train/0139.png").read_bytes()
        for folder in ("more/a", "more/b"):
            Path(folder).mkdir(parents=True)
            Path(folder, "0139.png").write_bytes(picture)
        with pytest.raises(InputError, match="none lie in it: there are a, b. Name one of them"):
            vesica.read("yolo/labels/train", images="more")

    def test_a_label_file_is_called_like_its_picture_not_like_another_id(self, tmp_path):
        """Pictures are called 1, 2, …, and have the ids 0, 1, …: names count."""
        (tmp_path / "labels").mkdir()
        (tmp_path / "labels/1.txt").write_text("0 0.5 0.5 1 1 0.9\n")
        images = Images(np.array([0, 1]), np.array([10, 10]), np.array([20, 20]), objects(["1.jpg", "2.jpg"]))
        found = vesica.read(tmp_path / "labels", images=images, names=["cat"])
        assert found.images.names[found.image].tolist() == ["1.jpg"]


class TestCommandLine:
    def test_examples_are_told(self, home, capsys):
        assert main(["eval", "truth.json", "guess.csv"]) == 0
        out, err = capsys.readouterr()
        assert (
            "Images were joined by name, not by id: '0139.png' is 1 ('0139.png'), '0285.png' is 2 ('0285.png')" in err
        )
        assert "note: 2 images were joined by name, not by id" in out
        assert main(["eval", "truth.json", "guess.csv", "--quiet"]) == 0
        assert capsys.readouterr().err == ""

    @pytest.mark.parametrize(
        "categories, code",
        [
            pytest.param("name", 0, id="name"),
            pytest.param('{"person": "person", "cat": "cat", "dog": "dog"}', 0, id="JSON"),
            pytest.param("map.json", 0, id="a file of JSON"),
            pytest.param("map.csv", 0, id="a file of CSV"),
            pytest.param("turned.csv", 0, id="columns in any order"),
            pytest.param("id", 0, id="id"),
            pytest.param("nowhere.json", 3, id="no file"),
            pytest.param("{7: 8}", 3, id="no JSON"),
            pytest.param('{"dog": [1]}', 3, id="no category"),
            pytest.param("guess.csv", 3, id="another table"),
            pytest.param('{"dog": "dgo"}', 3, id="no such category"),
        ],
    )
    def test_categories(self, home, capsys, categories, code):
        same = {name: name for name in NAMES}
        Path("map.json").write_text(json.dumps(same))
        Path("map.csv").write_text("guess,truth\n" + "".join(f"{name},{name}\n" for name in NAMES))
        Path("turned.csv").write_text("\ufefftruth,guess\r\n" + "".join(f"{name}, {name}\r\n" for name in NAMES))
        found, told = command(capsys, "yolo", "guess/labels", "--categories", categories)
        assert found == code
        if code == 0:
            assert (told["summary"]["AP"] == pytest.approx(1)) == (categories != "id")

    def test_a_table_may_leave_out(self, home, capsys):
        Path("map.csv").write_text("guess,truth\n1,person\n2,\n")
        _, told = command(capsys, "yolo", "predictions.json", "--categories", "map.csv")
        assert [note["count"] for note in told["notes"] if note["rule"] == "Q13"] == [2]

    @pytest.mark.parametrize("written", ["guess,truth\ndog,dog\ndog,cat\n", '{"dog": "dog", "dog": "cat"}'])
    def test_a_category_is_not_two(self, home, capsys, written):
        Path("map").write_text(written)
        code, told = command(capsys, "yolo", "guess/labels", "--categories", "map")
        assert code == 3 and "map says that 'dog' is 'dog', and that it is 'cat'" in told["error"]

    def test_a_category_may_be_said_twice(self, home, capsys):
        Path("map.csv").write_text("guess,truth\n" + "".join(f"{name},{name}\n" for name in (*NAMES, *NAMES)))
        assert command(capsys, "yolo", "guess/labels", "--categories", "map.csv")[0] == 0

    def test_errors_speak_of_options(self, home, capsys):
        code, told = command(capsys, "voc", "runs/labels")
        assert code == 3 and '--categories \'{"0": "cat", …}\'' in told["error"]
        assert "--categories id" in told["error"] and "categories=" not in told["error"]


@pytest.mark.skipif(not (DATA / "voc").is_dir(), reason="the shared data is not there")
class TestReal:
    """100 pictures of Pascal VOC in several formats, that converters wrote: one set of guesses, the same score."""

    FOLDER = DATA / "voc/formats"

    def test_every_truth(self):
        voc = vesica.read(self.FOLDER / "truth/pascalvoc_format", boxes="as_written")
        voc = replace(voc, ignore=None)
        yolo = vesica.read(self.FOLDER / "truth/yolo_format", images=voc)
        coco = vesica.read(self.FOLDER / "truth/coco_format_v1/instances_default.json")
        names = sorted(voc.categories.names.tolist())
        assert yolo.categories.names.tolist() != names  # each side has its own order
        options = {"boxes": "xywh", "columns": "class score box", "names": names}
        found = vesica.read(self.FOLDER / "guess/abs_xywh", **options)
        other = vesica.read(self.FOLDER / "guess/coco_format/coco_dets.json")
        for truth, guess in itertools.product((voc, yolo, coco), (found, other)):
            result = vesica.evaluate(truth, guess)
            assert result["AP"] == pytest.approx(0.347, abs=6e-4) and len(result.records.images) == 100
        by_id = vesica.evaluate(yolo, found, categories="id")
        assert by_id["AP"] < 0.01
