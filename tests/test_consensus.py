"""Consensus: one object for each cluster, with its votes; and what is left to somebody who looks."""

import csv
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowds import CROWD, pedestrians
from vesica import Dataset, InputError, Polygons, RleMasks, evaluate_agreement, iou, match, read, write
from vesica.agreement.consensus import consensus
from vesica.agreement.staple import staple
from vesica.agreement.vote_patterns import vote_patterns

PEOPLE = ["ann", "ben", "cleo", "dan"]


def boxes(rows, *, category=None, people=None, image=None, **options):
    count = len(rows)
    return Dataset.from_arrays(
        rows,
        image=[1] * count if image is None else image,
        category=category or ["car"] * count,
        annotator=people or PEOPLE[:count],
        **{"assignments": "all", "annotators": PEOPLE[: max(3, count)] if people is None else None} | options,
    )


def masks(stack, *, people=None, image=None, **options):
    count = len(stack)
    return Dataset.from_arrays(
        masks=stack,
        image=[1] * count if image is None else image,
        category=["cell"] * count,
        annotator=people or PEOPLE[:count],
        annotators=PEOPLE[:count] if people is None else sorted(set(people)),
        assignments="all",
        **{"sizes": stack.shape[1:] if isinstance(stack, np.ndarray) else None} | options,
    )


class TestVotes:
    def test_labels_differ_and_it_is_one_object(self):
        """Two cars and a truck at one place are a car with two votes of three, not two objects."""
        found = consensus(boxes([[0, 0, 10, 10]] * 3, category=["car", "car", "truck"]), [5, 5, 5])
        assert len(found.data) == 1 and found.score.tolist() == [1.0] and found.cluster.tolist() == [5]
        said = found.data.attributes[0]
        assert said["label_votes"] == {"car": 2, "truck": 1} and not said["needs_review"]
        assert found.data.categories.ids[found.data.category].tolist() == ["car"]

    def test_score_is_votes_over_assigned(self):
        found = consensus(boxes([[0, 0, 10, 10], [0, 0, 10, 9]]), [0, 0])
        assert found.score.tolist() == [2 / 3] and found.votes.tolist() == [2] and found.assigned.tolist() == [3]
        assert found.data.attributes[0]["sources"] == [["ann", 0], ["ben", 1]]

    @given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=12, unique=True))
    def test_sources_are_votes(self, rows):
        """A member of each cluster, once; a score never above 1."""
        cluster, annotator = np.array(rows).T
        data = boxes([[c * 50, 0, c * 50 + 9, 9] for c in cluster], people=[PEOPLE[a] for a in annotator])
        found = consensus(data, cluster)
        assert (found.score <= 1).all() and found.cluster.tolist() == sorted(set(cluster.tolist()))
        for votes, said in zip(found.votes.tolist(), found.objects.attributes, strict=True):
            assert len(said["sources"]) == votes == said["votes"]
        assert len(found.data) + len(found.rejected) == len(found) == len(found.table)
        every = sorted(id for said in found.objects.attributes for _, id in said["sources"])
        assert every == list(range(len(rows)))

    @pytest.mark.parametrize(
        "votes, asked, quorum, vote_tie, kept, review",
        [
            (2, 3, "majority", "review", True, False),
            (1, 3, "majority", "review", False, False),
            (1, 2, "majority", "review", False, True),
            (1, 2, "majority", "foreground", True, False),
            (1, 2, "majority", "background", False, False),
            (2, 4, "majority", "review", False, True),
            (1, 4, 1, "review", True, False),
            (3, 4, 4, "review", False, False),
        ],
    )
    def test_quorum(self, votes, asked, quorum, vote_tie, kept, review):
        data = boxes([[0, 0, 9, 9]] * votes)
        found = consensus(data, [0] * votes, assigned=[asked] * votes, quorum=quorum, vote_tie=vote_tie)
        assert found.is_kept.tolist() == [kept] and found.needs_review.tolist() == [review]
        assert len(found.review) == review and (found.reason[0] != "") == review
        assert len(found.data) == kept and len(found.rejected) == (not kept)

    def test_tied_labels_go_to_review(self):
        found = consensus(boxes([[0, 0, 9, 9]] * 2, category=["truck", "car"]), [0, 0])
        assert found.reason.tolist() == ["labels are tied: car 1, truck 1"] and found.is_kept.tolist() == [True]

    def test_only_who_was_asked_counts(self):
        """Image 2 was shown to two of three."""
        asked = [(1, "ann"), (1, "ben"), (1, "cleo"), (2, "ann"), (2, "ben")]
        data = boxes([[0, 0, 9, 9]] * 3, people=["ann", "ben", "ann"], image=[1, 1, 2], assignments=asked)
        found = consensus(data, [0, 0, 1])
        assert found.assigned.tolist() == [3, 2] and found.is_kept.tolist() == [True, False]

    def test_rounds_are_counted_apart(self):
        asked = {"image": [1] * 4, "annotator": ["ann", "ben", "ann", "ben"], "round": [0, 0, 1, 1]}
        data = boxes(
            [[0, 0, 9, 9]] * 4,
            people=["ann", "ben", "ann", "ben"],
            assignments=asked,
            round=[0, 0, 1, 1],
            id=[1, 2, 3, 4],
        )
        found = consensus(data, [0, 0, 1, 1])
        assert found.assigned.tolist() == [2, 2] and found.score.tolist() == [1.0, 1.0]

    def test_a_row_without_a_cluster(self):
        found = consensus(boxes([[0, 0, 9, 9]] * 3), [0, -1, 0])
        assert found.votes.tolist() == [2]

    def test_results_at_one_place_go_to_review(self):
        """Two clusters of one object: neither is right."""
        rows = [[0, 0, 10, 10], [0, 0, 10, 9], [0, 0, 9, 10], [1, 0, 10, 10]]
        found = consensus(boxes(rows, people=["ann", "ben", "ann", "ben"]), [0, 0, 1, 1])
        assert found.needs_review.all() and found.reason[0].startswith("overlaps cluster 1 by 0.8")

    def test_nothing(self):
        found = consensus(boxes(np.empty((0, 4)), category=[], people=[], image=[], categories=["car"]), [])
        assert len(found) == 0 and len(found.data) == 0 and found.table == []


class TestBoxes:
    def test_median_of_three(self):
        found = consensus(boxes([[0, 0, 10, 10], [2, 1, 11, 30], [1, 9, 50, 12]]), [0] * 3)
        assert found.data.boxes.xyxy.tolist() == [[1, 1, 11, 12]] and found.method.tolist() == ["median"]

    def test_median_of_two_is_the_mean(self):
        data = boxes([[0, 0, 10, 10], [2, 4, 11, 30]])
        for geometry in ("median", "mean"):
            found = consensus(data, [0, 0], geometry=geometry)
            assert found.data.boxes.xyxy.tolist() == [[1, 2, 10.5, 20]]

    @given(
        st.lists(
            st.tuples(*[st.floats(-1e6, 1e6)] * 2, *[st.floats(1e-3, 1e6)] * 2).map(
                lambda r: [r[0], r[1], r[0] + r[2], r[1] + r[3]]
            ),
            min_size=1,
            max_size=4,
        ),
        st.sampled_from(["median", "mean"]),
        st.randoms(),
    )
    def test_never_inverts_and_no_order_matters(self, rows, geometry, random):
        data = boxes(rows)
        found = consensus(data, [0] * len(rows), geometry=geometry).objects
        assert (found.xywh[:, 2:] >= 0).all()
        order = random.sample(range(len(rows)), len(rows))
        other = consensus(data.rows(order), [0] * len(rows), geometry=geometry).objects
        assert np.array_equal(found.xywh, other.xywh)

    def test_against_numpy(self):
        rng = np.random.default_rng(0)
        corner = rng.uniform(0, 50, (400, 2))
        rows = np.concatenate([corner, corner + rng.uniform(1, 30, (400, 2))], axis=1)
        cluster = np.repeat(np.arange(100), 4)
        found = consensus(boxes(rows, people=PEOPLE * 100), cluster, match_at=1)
        want = np.median(rows.reshape(100, 4, 4), axis=1)
        assert np.allclose(found.objects.boxes.xyxy, want, rtol=1e-13)
        for group, value in zip(rows.reshape(100, 4, 4), found.mean_iou, strict=True):
            pairs = np.asarray(iou(group, group))[np.triu_indices(4, 1)]
            assert np.isclose(value, pairs.mean(), rtol=1e-12)

    def test_one_annotation_is_called_so(self):
        """Never one annotator's shape in disguise."""
        found = consensus(boxes([[0, 0, 3, 7]]), [0], quorum=1)
        assert found.method.tolist() == ["single"] and found.data.attributes[0]["mean_iou"] is None
        assert found.data.boxes.xyxy.tolist() == [[0, 0, 3, 7]]

    @pytest.mark.parametrize("geometry", ["majority", "staple"])
    def test_pixels_need_masks(self, geometry):
        with pytest.raises(ValueError, match=f'geometry="{geometry}" goes by pixels, and these are boxes'):
            consensus(boxes([[0, 0, 3, 7]]), [0], geometry=geometry)

    def test_input_stays(self):
        data = boxes([[0, 0, 10, 10], [2, 4, 11, 30]])
        before = data.xywh.copy()
        consensus(data, np.array([0, 0]))
        assert np.array_equal(data.xywh, before) and data.attributes is None


def turned(cx, cy, w, h, degrees):
    along = np.array([np.cos(np.deg2rad(degrees)), np.sin(np.deg2rad(degrees))])
    across = np.array([-along[1], along[0]])
    return np.array(
        [[cx, cy] + i * w / 2 * along + j * h / 2 * across for i, j in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    )


class TestRotated:
    def test_around_the_end_of_angles(self):
        """89° and 1° with sides exchanged are two degrees apart, and their middle is upright."""
        corners = np.array([turned(50, 50, 40, 10, 1), turned(50, 50, 10, 40, 89), turned(50, 50, 40, 10, 0)])
        found = consensus(boxes(corners), [0] * 3)
        want = turned(50, 50, 40, 10, 0)
        assert np.allclose(np.sort(found.data.corners[0], axis=0), np.sort(want, axis=0), atol=1e-9)
        assert np.allclose(found.data.area, 400)

    @given(st.lists(st.floats(0, 360), min_size=2, max_size=4), st.floats(0, 360))
    def test_turned_together(self, angles, by):
        """Turning all of them turns the answer."""
        close = [angle % 20 for angle in angles]
        one, other = (
            consensus(
                boxes(np.array([turned(0, 0, 30, 12, angle + turn) for angle in close])), [0] * len(close), quorum=1
            )
            for turn in (0, by)
        )
        a = Polygons(one.objects.corners)
        spin = np.deg2rad(-by)
        matrix = np.array([[np.cos(spin), np.sin(spin)], [-np.sin(spin), np.cos(spin)]])
        assert float(np.asarray(iou(a, Polygons(other.objects.corners @ matrix)))[0, 0]) > 0.999

    def test_all_ways_go_to_review(self):
        corners = np.array([turned(50, 50, 40, 10, 0), turned(50, 50, 40, 10, 45)])
        assert "point all ways" in consensus(boxes(corners), [0, 0]).reason[0]


class TestMasks:
    STACK = np.zeros((3, 12, 14), bool)
    STACK[0, 2:8, 2:8] = STACK[1, 3:9, 2:9] = STACK[2, 2:9, 4:9] = True

    def test_majority(self):
        found = consensus(masks(self.STACK), [0, 0, 0])
        got = found.data.segments.to_rle().to_masks().array[0]
        assert np.array_equal(got, self.STACK.sum(axis=0) >= 2) and found.method.tolist() == ["majority"]
        assert found.data.area.tolist() == [got.sum()]
        y, x = np.nonzero(got)
        assert found.data.boxes.xyxy.tolist() == [[x.min(), y.min(), x.max() + 1, y.max() + 1]]
        pairs = np.asarray(iou(self.STACK, self.STACK))[np.triu_indices(3, 1)]
        assert np.isclose(found.mean_iou[0], pairs.mean(), rtol=1e-14)

    @pytest.mark.parametrize("field", ["image", "union_box"])
    def test_staple(self, field):
        found = consensus(masks(self.STACK), [0, 0, 0], geometry="staple", field=field)
        fit = staple(vote_patterns(self.STACK, field=field))
        codes = sum(mask.astype(int) << k for k, mask in enumerate(self.STACK))
        want = np.isin(codes, fit.code[fit.belongs].astype(int))
        assert np.array_equal(found.data.segments.to_rle().to_masks().array[0], want)
        assert found.method.tolist() == [f"staple, field {field}"]

    def test_ties_are_no_foreground_and_go_to_review(self):
        """Two annotators: half of the votes is no majority. Elsewhere the union would be the answer."""
        found = consensus(masks(self.STACK[:2]), [0, 0])
        both, either = self.STACK[:2].all(axis=0), self.STACK[:2].any(axis=0)
        tied = int(either.sum() - both.sum())
        assert np.array_equal(found.data.segments.to_rle().to_masks().array[0], both)
        assert found.needs_review.tolist() == [True] and found.reason.tolist() == [f"{tied} pixels are tied"]
        union = consensus(masks(self.STACK[:2]), [0, 0], vote_tie="foreground")
        assert np.array_equal(union.data.segments.to_rle().to_masks().array[0], either) and not union.needs_review.any()

    def test_nothing_in_common(self):
        """No pixel has a majority: no mask is made up, and somebody is told."""
        stack = np.zeros((3, 4, 9), bool)
        stack[0, :, :2] = stack[1, :, 3:5] = stack[2, :, 6:8] = True
        found = consensus(masks(stack), [0, 0, 0])
        assert found.is_kept.tolist() == [False] and found.reason.tolist() == ["no pixel belongs"]

    def test_all_empty(self):
        found = consensus(masks(np.zeros((3, 4, 4), bool)), [0] * 3, geometry="staple")
        assert found.is_kept.tolist() == [False] and "no pixel belongs" in found.reason[0]

    def test_images_of_different_size(self):
        rng = np.random.default_rng(2)
        stacks = [rng.random((3, 5 + k, 9 - k)) < 0.6 for k in range(4)]
        rle = [one for stack in stacks for one in RleMasks.from_masks(stack).to_coco()]
        image = np.repeat(np.arange(4), 3)
        data = masks(rle, people=PEOPLE[:3] * 4, image=image)
        found = consensus(data, image)
        for k, stack in enumerate(stacks):
            got = found.objects.segments.to_rle([k]).to_masks().array[0]
            assert np.array_equal(got, stack.sum(axis=0) >= 2)

    def test_polygons_are_drawn(self):
        square = [[2.0, 2, 8, 2, 8, 8, 2, 8]]
        data = masks([square] * 3, sizes=(12, 14))
        found = consensus(data, [0] * 3)
        assert np.array_equal(found.data.segments.to_rle().counts, data.segments.to_rle([0]).counts)

    def test_overlaps_are_those_of_masks(self):
        """Boxes of two diagonals are equal, the masks share nothing."""
        stack = np.zeros((4, 9, 9), bool)
        stack[:2], stack[2:] = np.eye(9, dtype=bool), np.eye(9, dtype=bool)[::-1] & ~np.eye(9, dtype=bool)
        data = masks(stack, people=["ann", "ben"] * 2)
        assert not consensus(data, [0, 0, 1, 1]).needs_review.any()
        stack[2:] = np.eye(9, dtype=bool)
        stack[2:, 0, 8] = True  # a box of another shape, the same pixels but one
        found = consensus(masks(stack, people=["ann", "ben"] * 2), [0, 0, 1, 1])
        assert found.reason[0] == "overlaps cluster 1 by 0.90"

    def test_volume_of_work(self):
        """As many clusters as go to several threads, each as if alone."""
        rng = np.random.default_rng(5)
        stack = rng.random((300, 8, 9)) < 0.5
        data = masks(stack, people=PEOPLE[:3] * 100, image=np.repeat(np.arange(100), 3))
        want = stack.reshape(100, 3, 8, 9).sum(axis=1) >= 2
        for threads in (1, 2):
            found = consensus(data, np.repeat(np.arange(100), 3), threads=threads)
            assert np.array_equal(found.objects.segments.to_rle().to_masks().array, want)

    def test_a_broken_mask_is_named(self):
        data = masks([{"size": [2, 2], "counts": [1, 9]}] * 2, check=False)
        with pytest.raises(InputError, match="`segments`, row 0: `counts` must not exceed"):
            consensus(data, [0, 0])


class TestFiles:
    @pytest.mark.parametrize("kind", ["boxes", "masks"])
    def test_written_as_coco_and_read_back(self, tmp_path, kind):
        if kind == "boxes":
            data, cluster = boxes([[0, 0, 10, 10], [0, 0, 10, 9], [50, 5, 60, 9.5]]), [0, 0, 1]
        else:
            data, cluster = masks(TestMasks.STACK), [0, 0, 0]
        made = consensus(data, cluster).data.numbered()
        notes = write(tmp_path / "consensus.json", made)
        again = read(tmp_path / "consensus.json")
        assert len(again) == len(made) == 1 and again.images.ids.tolist() == made.images.ids.tolist()
        assert np.array_equal(again.xywh, made.xywh) and again.id.tolist() == made.id.tolist()
        assert again.categories.names.tolist() == made.categories.names.tolist()
        if kind == "masks":
            assert np.array_equal(again.segments.to_rle().counts, made.segments.to_rle().counts)
        written = json.loads((tmp_path / "consensus.json").read_text())["annotations"][0]["attributes"]
        assert written == made.attributes[0] and written["votes"] == len(written["sources"])
        assert not any("attributes" in note for note in notes)

    def test_written_again_the_provenance_stays(self, tmp_path):
        made = consensus(boxes([[0, 0, 10, 10], [0, 0, 10, 9]]), [0, 0]).data.numbered()
        write(tmp_path / "a.json", made)
        write(tmp_path / "b.json", read(tmp_path / "a.json"))
        one, other = (json.loads((tmp_path / name).read_text())["annotations"] for name in ("a.json", "b.json"))
        assert one[0]["attributes"] == other[0]["attributes"]

    def test_joined_and_chosen_rows_keep_it(self):
        made = consensus(boxes([[0, 0, 10, 10], [0, 0, 10, 9]]), [0, 0]).data
        bare = Dataset.from_arrays([[0, 0, 1, 1]], image=[2], category=["car"], id=[9])
        both = Dataset.joined([made, bare])
        assert both.attributes.tolist() == [made.attributes[0], None]
        assert both.rows([1]).attributes.tolist() == [None]

    @pytest.mark.parametrize("name", ["a.csv", "a.npz"])
    def test_what_a_format_cannot_keep_is_told(self, tmp_path, name):
        made = consensus(boxes([[0, 0, 10, 10], [0, 0, 10, 9]]), [0, 0]).data
        assert any("attributes" in note for note in write(tmp_path / name, made))


@pytest.mark.skipif(not CROWD.is_file(), reason="the folder shared/data lies not beside the repository")
class TestPedestrians:
    """Boxes of seven people each against those that experts drew in the same images."""

    def experts(self):
        rows = [row for row in csv.DictReader(CROWD.read_text().splitlines()) if row["source"] == "177_3__wh.json"]
        drawn = [row for row in rows if row["box_index"] != "-1"]
        corners = np.array([[float(row[key]) for key in ("x1", "y1", "x2", "y2")] for row in drawn])
        images = sorted({int(row["image_id"]) for row in rows})
        return Dataset.from_arrays(corners, image=[int(row["image_id"]) for row in drawn], images=images)

    def test_is_nearer_to_experts_than_people_are_to_each_other(self):
        truth, result = self.experts(), evaluate_agreement(pedestrians())
        mean_iou = {}
        for geometry in ("median", "mean"):
            made = result.consensus(geometry=geometry).data
            ids = made.images.ids[made.image]
            seen = np.isin(ids, truth.images.ids)
            found = match(
                truth.boxes,
                made.boxes.xyxy[seen],
                keys=(truth.images.ids[truth.image], ids[seen]),
                at_least=0.5,
                how="optimal",
            )
            assert 2 * len(found.value) / (len(truth) + seen.sum()) > 0.91  # F1; of two people 0.847
            mean_iou[geometry] = found.value.mean()
        assert mean_iou["median"] > mean_iou["mean"] > 0.82  # of two people 0.748


class TestRefusals:
    @pytest.mark.parametrize(
        "change, message",
        [
            ({"cluster": [0, 0]}, "`cluster` must have a whole number for each of the 3 rows"),
            ({"cluster": [0.5, 0, 0]}, "`cluster` must have a whole number"),
            ({"assigned": [0, 3, 3]}, "`assigned` must have a number above 0"),
            ({"assigned": [1, 1, 1]}, "Cluster 0 has 3 votes, and 1 annotators were asked"),
            ({"geometry": "middle"}, "`geometry` must be one of"),
            ({"quorum": 0}, "`quorum` must be a whole number above 0"),
            ({"quorum": "all"}, "`quorum` must be"),
            ({"vote_tie": "coin"}, "`vote_tie` must be one of"),
            ({"regions": "mask"}, "must have a mask in every row"),
        ],
    )
    def test_wrong_calls(self, change, message):
        given = {"cluster": [0, 0, 0]} | change
        with pytest.raises((ValueError, InputError), match=message):
            consensus(boxes([[0, 0, 9, 9]] * 3), given.pop("cluster"), **given)

    def test_an_annotator_twice(self):
        data = boxes([[0, 0, 9, 9]] * 2, people=["ann", "ann"])
        with pytest.raises(ValueError, match="rows 0 and 1 of cluster 3 are both of 'ann'"):
            consensus(data, [3, 3])

    def test_two_images(self):
        data = boxes([[0, 0, 9, 9]] * 2, image=[1, 2])
        with pytest.raises(ValueError, match="rows 0 and 1 have one number in `cluster` and are of two images"):
            consensus(data, [0, 0])

    def test_nobody_says_who(self):
        data = Dataset.from_arrays([[0, 0, 9, 9]], image=[1])
        with pytest.raises(InputError, match="does not say who drew what"):
            consensus(data, [0])

    def test_nobody_says_who_was_asked(self):
        data = Dataset.from_arrays([[0, 0, 9, 9]], image=[1], annotator=["ann"])
        with pytest.raises(InputError, match="depends on who was asked"):
            consensus(data, [0])
