"""The human ceiling: a model beside annotators, held against plain loops over pairs."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vesica
from samples import drawn
from vesica.agreement.ceiling import ceiling, with_model
from vesica.io.review_queue import of_images

PEOPLE = ("ann", "ben", "cleo")


def part(data, who, images):
    """What one annotator drew in some images, as a data set of its own."""
    place = data.annotators.tolist().index(who)
    rows = data.rows(data.annotator == place) if len(data) else data
    rows = replace(rows, annotator=None, annotators=np.empty(0, object), assignments=None, round=None)
    return of_images(rows, np.array(images, np.int64))


def asked_for(data, who):
    place = data.annotators.tolist().index(who)
    return set(data.assignments.image[data.assignments.annotator == place].tolist())


def agreement(data, a, b, images):
    if not images:
        return np.nan
    found = vesica.evaluate_agreement(part(data, a, sorted(images)), part(data, b, sorted(images)))
    return found["agreement"]


def mean(values):
    there = [value for value in values if value == value]
    return float(np.mean(there)) if there else np.nan


class TestCeiling:
    @given(st.integers(0, 10_000))
    def test_equals_loops(self, seed):
        data = drawn(seed, kinds=("box",), people=PEOPLE, rows=25)
        first = data.round == 0
        asked = data.assignments
        data = replace(data.rows(first), assignments=asked[asked.rounds == 0])
        guess = drawn(seed + 1, kinds=("box",), scores=True)
        found = ceiling(data, guess)
        both, _ = with_model(data, guess)
        for row in found.annotators:
            others = [who for who in PEOPLE if who != row["annotator"]]
            shared = {who: asked_for(data, row["annotator"]) & asked_for(data, who) for who in others}
            human = mean(agreement(data, row["annotator"], who, shared[who]) for who in others)
            model = agreement(both, row["annotator"], "model", set().union(*shared.values()))
            for name, value in (("human", human), ("model", model)):
                assert (row[name] is None and value != value) or row[name] == pytest.approx(value)

    @pytest.mark.parametrize("seed", range(4))
    def test_consensus_equals_loops(self, seed):
        """k and the model against what the others agree on."""
        data = drawn(seed, kinds=("box",), people=("ann", "ben", "cleo", "dan"), rows=30)
        asked = data.assignments
        data = replace(data.rows(data.round == 0), assignments=asked[asked.rounds == 0], round=None)
        guess = drawn(seed + 1, kinds=("box",), scores=True)
        policy = vesica.AgreementPolicy(replicates=10)
        found = ceiling(data, guess, against="consensus", policy=policy)
        both, _ = with_model(data, guess)
        for row in found.annotators:
            who, others = row["annotator"], [one for one in data.annotators.tolist() if one != row["annotator"]]
            counts = {image: sum(image in asked_for(data, one) for one in others) for image in asked_for(data, who)}
            images = sorted(image for image, count in counts.items() if count > 1)
            assert row["n_images"] == len(images)
            if not images:
                assert row["human"] is row["model"] is None
                continue
            shown = {one: sorted(asked_for(data, one) & set(images)) for one in others}
            agreed = vesica.evaluate_agreement(
                {one: part(data, one, own) for one, own in shown.items() if own}, policy=policy
            ).consensus()
            every = agreed.data.images.ids.tolist()
            truth = replace(agreed.data, attributes=None, id=None)
            for name, other in (("human", part(data, who, images)), ("model", part(both, "model", images))):
                ids = set(other.images.ids.tolist())
                assert ids == set(every)
                value = vesica.evaluate_agreement(truth, other, policy=policy)["agreement"]
                assert (row[name] is None and value != value) or row[name] == pytest.approx(value)

    def test_consensus_by_hand(self):
        """Of two the median is their mean: 8.5 without ann, 9.5 without ben, 9 without cleo."""
        people = vesica.Dataset.from_arrays(
            [[0, 0, 10, 10], [0, 0, 10, 8], [0, 0, 10, 9]], image=[1] * 3, annotator=PEOPLE, assignments="all"
        )
        model = vesica.Dataset.from_arrays([[0, 0, 10, 6]], image=[1], score=[0.9])
        found = vesica.evaluate_agreement(people).ceiling(model, against="consensus")
        assert found.annotators["human"].tolist() == pytest.approx([8.5 / 10, 8 / 9.5, 1])
        assert found.annotators["model"].tolist() == pytest.approx([6 / 8.5, 6 / 9.5, 6 / 9])
        assert found["human"] == pytest.approx(np.mean([8.5 / 10, 8 / 9.5, 1]))
        assert found.classes["model"].tolist() == pytest.approx([np.mean([6 / 8.5, 6 / 9.5, 6 / 9])])

    def test_consensus_of_masks(self):
        masks = np.zeros((3, 20, 20), bool)
        for k, height in enumerate((10, 8, 9)):
            masks[k, :height, :10] = True
        people = vesica.Dataset.from_arrays(masks=masks, image=[1] * 3, annotator=PEOPLE, assignments="all")
        guess = np.zeros((1, 20, 20), bool)
        guess[0, :6, :10] = True
        model = vesica.Dataset.from_arrays(masks=guess, image=[1], score=[0.9])
        found = vesica.evaluate_agreement(people).ceiling(model, against="consensus")
        # Of two masks a pixel that one alone has is a tie, and not in the consensus: 8, 9 and 8 rows are.
        assert found.annotators["human"].tolist() == pytest.approx([8 / 10, 8 / 9, 8 / 9])
        assert found.annotators["model"].tolist() == pytest.approx([6 / 8, 6 / 9, 6 / 8])

    def test_consensus_needs_three(self):
        people = vesica.Dataset.from_arrays(
            [BOX := [0, 0, 9, 9], BOX], image=[1, 1], annotator=["a", "b"], assignments="all"
        )
        with pytest.raises(ValueError, match='against="consensus" needs three annotators'):
            ceiling(people, vesica.Dataset.from_arrays([BOX], image=[1]), against="consensus")
        with pytest.raises(ValueError, match="`against` must be one of"):
            ceiling(people, vesica.Dataset.from_arrays([BOX], image=[1]), against="truth")

    def test_by_hand(self):
        people = vesica.Dataset.from_arrays(
            [[0, 0, 10, 10], [0, 0, 10, 8], [0, 0, 10, 9]], image=[1] * 3, annotator=PEOPLE, assignments="all"
        )
        model = vesica.Dataset.from_arrays([[0, 0, 10, 6]], image=[1], score=[0.9])
        found = ceiling(people, model)
        ious = {frozenset(pair): min(pair) / max(pair) for pair in itertools.combinations((10, 8, 9), 2)}
        assert found["human"] == pytest.approx(np.mean(list(ious.values())))
        assert found["model"] == pytest.approx(np.mean([6 / 10, 6 / 8, 6 / 9]))

    def test_a_model_that_copies_people(self):
        """Whoever draws what an annotator drew is as near to the others, and nearer to that one than anybody."""
        data = drawn(5, kinds=("box",), people=("ann", "ben"), rows=60, images=12)
        asked = data.assignments
        data = replace(data.rows(data.round == 0), assignments=asked[asked.rounds == 0], round=None)
        copy = data.rows(data.annotators[data.annotator] == "ann")
        copy = replace(copy, score=np.ones(len(copy)), annotator=None, annotators=np.empty(0, object), assignments=None)
        rows = {row["annotator"]: row for row in ceiling(data, copy).annotators}
        assert rows["ann"]["model"] == pytest.approx(1) and rows["ben"]["difference"] == pytest.approx(0)
        assert rows["ben"]["lo"] == pytest.approx(0) and rows["ben"]["hi"] == pytest.approx(0)

    def test_classes(self):
        boxes = [[0, 0, 10, 10], [20, 0, 30, 10]] * 40
        image = np.repeat(np.arange(40), 2)
        cat, dog = {"category": ["cat", "dog"] * 40}, {"category": ["cat", "cat"] * 40}
        one = vesica.Dataset.from_arrays(boxes, image=image, **cat)
        people = vesica.Dataset.of_annotators({"ann": one, "ben": one})
        model = vesica.Dataset.from_arrays(boxes, image=image, score=np.ones(80), **dog)
        rows = {row["category"]: row for row in ceiling(people, model).classes}
        assert rows["cat"]["inside"] is True and rows["dog"]["inside"] is False and rows["dog"]["model"] == 0

    def test_guesses_that_are_left_out(self):
        people = vesica.Dataset.from_arrays(
            [[0, 0, 9, 9]] * 2, image=[1, 1], category=["a"] * 2, annotator=PEOPLE[:2], assignments="all"
        )
        model = vesica.Dataset.from_arrays(
            [[0, 0, 9, 9]] * 3, image=[1] * 3, category=["a", "a", "x"], score=[0.9, 0.1, 0.9]
        )
        found = ceiling(people, model, min_score=0.5)
        assert found.guesses == 1 and [note.count for note in found.notes] == [1, 1] and found["model"] == 1

    def test_refused(self):
        one = vesica.Dataset.from_arrays([[0, 0, 9, 9]], image=[1], annotator=["ann"], assignments="all")
        with pytest.raises(ValueError, match="needs two annotators; got 1"):
            ceiling(one, one)
        two = vesica.Dataset.from_arrays([[0, 0, 9, 9]] * 2, image=[1, 1], annotator=PEOPLE[:2], assignments="all")
        bare = vesica.Dataset.from_arrays([[0, 0, 9, 9]], image=[1])
        with pytest.raises(ValueError, match="`min_score` leaves guesses out by their score"):
            ceiling(two, bare, min_score=0.5)
        scored = vesica.Dataset.from_arrays([[0, 0, 9, 9]], image=[1], score=[0.5])
        with pytest.raises(ValueError, match="`min_score` must be finite; got nan"):
            ceiling(two, scored, min_score=float("nan"))
        with pytest.raises(TypeError, match=r"`guess` must be a Dataset.*got str.*vesica\.read"):
            ceiling(two, "guess.json")

    def test_categories_without_names(self):
        people = vesica.Dataset.from_arrays(
            [[0, 0, 9, 9]] * 2, image=[1, 1], category=[7, 7], categories={7: "cat", 8: "dog"}, annotator=PEOPLE[:2],
            assignments="all",
        )  # fmt: skip
        model = vesica.Dataset.from_arrays([[0, 0, 9, 9]], image=[1], category=[0], score=[0.5])
        with pytest.raises(vesica.InputError, match="categories="):
            ceiling(people, model)
        assert vesica.evaluate_agreement(people).ceiling(model, categories={0: "cat"})["model"] == 1

    def test_an_annotator_called_model(self):
        data = vesica.Dataset.from_arrays(
            [[0, 0, 9, 9]] * 2, image=[1, 1], annotator=["model", "zoe"], assignments="all"
        )
        found = ceiling(data, vesica.Dataset.from_arrays([[0, 0, 9, 9]], image=[1]))
        assert found.annotators["annotator"].tolist() == ["model", "zoe"] and found["model"] == 1
