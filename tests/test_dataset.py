"""Data sets from columns."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vesica
from samples import same
from vesica import Boxes, Dataset, LabelMap, Masks, Polygons, RleMasks, SparseMasks
from vesica._check import FORMS
from vesica.dataset.coco_masks import CocoMasks
from vesica.dataset.ids import places, table_of

BOX = [[10.0, 20.0, 40.0, 60.0]]
CROSS = np.zeros((2, 5, 5), bool)
CROSS[0, 1:4, 2] = CROSS[0, 2, 1:4] = True

some_ids = st.one_of(
    st.lists(st.integers(-5, 5)),
    st.lists(st.integers(-(2**63), 2**63 - 1)),
    st.lists(st.one_of(st.integers(-3, 3), st.sampled_from(["-3", "0", "3", "a", ""]))),
)


class TestIds:
    @given(some_ids)
    def test_places_lead_back(self, ids):
        data = Dataset.from_arrays(np.zeros((len(ids), 4)), image=ids)
        back = data.images.ids[data.image].tolist()
        assert back == ids and list(map(type, back)) == list(map(type, ids))
        assert len(set(data.images.ids.tolist())) == len(data.images)

    @given(some_ids, some_ids)
    def test_places_in_a_table(self, ids, others):
        column = Dataset.from_arrays(np.zeros((len(ids), 4)), image=ids).images.ids
        table, _ = table_of(column)
        other, _ = table_of(Dataset.from_arrays(np.zeros((len(others), 4)), image=others).images.ids)
        found = places(other, table).tolist()
        assert found == [table.tolist().index(id) if id in table.tolist() else -1 for id in other.tolist()]

    def test_7_and_its_name_differ(self):
        data = Dataset.from_arrays(BOX * 3, image=[7, "7", 7])
        assert data.images.ids.tolist() == [7, "7"] and data.image.tolist() == [0, 1, 0]

    @pytest.mark.parametrize(
        "ids, want",
        [
            pytest.param(np.float64([139.0, 7.0]), [7, 139], id="whole floats, from pandas"),
            pytest.param(np.array(["b", "a"]), ["a", "b"], id="NumPy's strings"),
            pytest.param(np.uint8([3, 1]), [1, 3], id="small integers"),
            pytest.param(np.array([3, 1], object), [1, 3], id="objects that are integers"),
            pytest.param(np.array([np.str_("x"), 2.0], object), [2, "x"], id="objects of two kinds"),
            pytest.param([10**17, -(10**17)], [-(10**17), 10**17], id="far apart"),
            pytest.param(np.uint64([2**64 - 1, 2**63]), [2**63, 2**64 - 1], id="beyond int64"),
            pytest.param([2**70, -1], [-1, 2**70], id="beyond 64 bits"),
            pytest.param([2**70, "x"], [2**70, "x"], id="beyond 64 bits, and a string"),
        ],
    )
    def test_kinds(self, ids, want):
        data = Dataset.from_arrays(BOX * 2, image=ids)
        assert data.images.ids.tolist() == want and data.images.ids[data.image].tolist() == list(ids)

    @pytest.mark.parametrize(
        "ids, error, words",
        [
            ([1.5], ValueError, "must be integers or strings; got 1.5 in row 0"),
            ([float("nan")], ValueError, "got nan in row 0"),
            ([True], TypeError, "must be integers or strings; got bool"),
            ([None], TypeError, "got None in row 0"),
            ([[1]], ValueError, r"shape \(N,\)"),
        ],
    )
    def test_refused(self, ids, error, words):
        with pytest.raises(error, match=words):
            Dataset.from_arrays(BOX, image=ids)

    def test_beyond_int64_meet(self, tmp_path):
        """In files and in scores they are ids like any other."""
        ids = [2**63, 2**64 - 1, 5]
        truth = Dataset.from_arrays(BOX * 3, image=ids, category=np.uint64(ids), area=[16.0] * 3, id=[1, 2, 3])
        guess = Dataset.from_arrays(BOX * 3, image=ids[::-1], category=ids[::-1], score=[0.5, 0.6, 0.7])
        assert vesica.evaluate(truth, guess)["AP"] == pytest.approx(1)
        for name in ("truth.json", "truth.npz"):
            vesica.write(tmp_path / name, truth)
            assert sorted(vesica.read(tmp_path / name).images.ids.tolist()) == sorted(ids)


class TestBoxes:
    @pytest.mark.parametrize("form", FORMS)
    def test_forms(self, xp, form):
        boxes = Boxes(np.float64([[10, 20, 40, 60], [0, 0, 0, 0]]))
        data = Dataset.from_arrays(xp(boxes.to(form)), form=form, image=[1, 2])
        assert data.xywh.tolist() == [[10, 20, 30, 40], [0, 0, 0, 0]]

    @given(st.lists(st.tuples(*[st.floats(-1e300, 1e300), st.floats(0, 1e150)] * 2)))
    def test_xywh_stays_bit_for_bit(self, rows):
        array = np.array(rows, np.float64).reshape(-1, 4)[:, [0, 2, 1, 3]]
        array[:, :2] = np.clip(array[:, :2], -1e150, 1e150)
        data = Dataset.from_arrays(array, form="xywh", image=np.arange(len(array)))
        assert data.xywh.tobytes() == array.tobytes()

    def test_narrow_floats_are_widened_before_subtracting(self):
        corners = np.float32([[0.1, 0.1, 1000.3, 0.7]])
        data = Dataset.from_arrays(corners, image=[0])
        assert data.xywh[0, 2] == np.float64(corners[0, 2]) - np.float64(corners[0, 0])

    def test_a_collection_brings_its_form(self):
        boxes = Boxes([[0.25, 0.5, 0.5, 1.0]], "cxcywh", normalised=(640, 480))
        assert Dataset.from_arrays(boxes, image=[0]).xywh.tolist() == [[0, 0, 320, 480]]

    def test_shares_of_each_image(self):
        data = Dataset.from_arrays(
            [[0.5, 0.5, 1, 1], [0.5, 0.5, 0.5, 0.5]],
            form="cxcywh",
            normalised=True,
            image=["a", "b"],
            sizes={"a": (100, 200), "b": (40, 80)},
        )
        assert data.xywh.tolist() == [[0, 0, 200, 100], [20, 10, 40, 20]]

    def test_shares_with_y_first(self):
        data = Dataset.from_arrays([[0, 0, 0.5, 1]], form="yxyx", normalised=True, image=[0], sizes=(100, 200))
        assert data.xywh.tolist() == [[0, 0, 200, 50]]

    def test_the_callers_array_stays_writeable_and_is_not_copied(self):
        array, score = np.float64(BOX), np.float64([0.5])
        data = Dataset.from_arrays(array, form="xywh", image=[0], score=score)
        assert array.flags.writeable and score.flags.writeable and not data.xywh.flags.writeable
        assert np.shares_memory(array, data.xywh)

    @pytest.mark.parametrize(
        "options, error, words",
        [
            ({"image": [0, 1]}, ValueError, "`boxes` must have one for each of the 2 rows; got 1"),
            ({"image": [0], "score": [1, 2]}, ValueError, "`score` must have one for each of the 1 rows; got 2"),
            ({"image": [0], "score": [np.inf]}, ValueError, "`score` must be finite; got inf in row 0"),
            ({"image": [0], "score": ["a"]}, TypeError, "`score` must be numbers"),
            ({"image": [0], "area": [-1]}, ValueError, "`area` must not be negative; got -1.0 in row 0"),
            ({"image": [0], "crowd": [2]}, ValueError, "`crowd` must be booleans, or 0 and 1; got 2"),
            ({"image": [0], "category": [1, 2]}, ValueError, "`category` must have one for each"),
            ({"image": [0], "images": [1, 2]}, ValueError, "`image` of row 0 must be one of `images`; got 0"),
            ({"image": [0], "images": [0, 0]}, ValueError, "each only once; 0 comes twice"),
            ({"image": [0], "categories": [1, 2]}, TypeError, "`category` must be given where there are 2"),
            ({"image": [0], "sizes": [[1, 2], [3, 4]]}, TypeError, "need `images`"),
            ({"image": [0], "images": [0], "sizes": [[1, 2], [3, 4]]}, ValueError, "one for each of the 1 images"),
            ({"image": [0], "sizes": (1, 2, 3)}, ValueError, r"must be \(height, width\)"),
            ({"image": [0], "sizes": (-1, 2)}, ValueError, "from 0 to 2"),
            ({"image": [0], "normalised": True}, ValueError, "nobody said how large image 0 is"),
            ({"image": [0], "form": "xyxy_inclusive", "normalised": True, "sizes": (9, 9)}, ValueError, "whole image"),
            ({"image": [0], "form": "xywh2"}, ValueError, "Did you mean"),
            ({"image": [0], "id": [1, 2]}, ValueError, "`id` must have one for each"),
        ],
    )  # fmt: skip
    def test_refused(self, options, error, words):
        with pytest.raises(error, match=words):
            Dataset.from_arrays(BOX, **options)

    def test_bad_rows_are_named_and_may_be_let_through(self):
        with pytest.raises(ValueError, match="`boxes` row 0 must not have a negative side; got w = -1"):
            Dataset.from_arrays([[0.0, 0, -1, 2]], form="xywh", image=[0])
        data = Dataset.from_arrays([[0.0, 0, -1, np.nan]], form="xywh", image=[0], score=[np.nan], check=False)
        assert np.isnan(data.xywh[0, 3]) and np.isnan(data.score[0])

    def test_nothing_is_no_data_set(self):
        with pytest.raises(TypeError, match="needs regions: give `boxes`, `masks`, or both"):
            Dataset.from_arrays(image=[])

    @pytest.mark.parametrize("regions", [Polygons([[[0, 0], [1, 0], [1, 1]]]), LabelMap([[0, 1]])])
    def test_outlines_are_refused_with_the_way_out(self, regions):
        with pytest.raises(TypeError, match="holds boxes, upright or rotated, and masks.*The way there"):
            Dataset.from_arrays(regions, image=[0])
        with pytest.raises(TypeError, match="The way there"):
            Dataset.from_arrays(masks=regions, image=[0])


class TestColumns:
    def test_flags_that_nobody_sets_are_none(self):
        data = Dataset.from_arrays(BOX, image=[0], crowd=[0], ignore=[True])
        assert data.crowd is None and data.ignore.tolist() == [True]

    def test_missing_areas(self):
        data = Dataset.from_arrays(BOX * 2, image=[0, 0], area=[np.nan, 3])
        assert np.isnan(data.area[0]) and data.area[1] == 3

    def test_annotators(self):
        data = Dataset.from_arrays(BOX * 3, image=[0, 0, 1], annotator=["eve", "ann", "eve"])
        assert data.annotators.tolist() == ["ann", "eve"] and data.annotator.tolist() == [1, 0, 1]

    def test_tables_of_another(self):
        truth = Dataset.from_arrays(
            BOX, image=[7], category=["cat"], images=[9, 7, 5], categories={"dog": "Dog", "cat": None}
        )
        guess = Dataset.from_arrays(BOX, image=[5], category=["dog"], images=truth.images, categories=truth.categories)
        assert guess.images is truth.images and guess.image.tolist() == [2] and guess.category.tolist() == [0]
        assert truth.categories.names.tolist() == ["Dog", None]

    def test_rows_of_libraries(self, xp):
        data = Dataset.from_arrays(xp(BOX), image=xp([3], "int64"), category=xp([2], "int64"), score=xp([0.5]))
        assert data.images.ids.tolist() == [3] and data.categories.ids.tolist() == [2] and data.score.tolist() == [0.5]

    def test_no_rows(self):
        data = Dataset.from_arrays([], image=[], category=[], score=[], area=[], crowd=[], id=[], annotator=[])
        assert len(data) == 0 and len(data.categories) == 0 and data.boxes.xyxy.shape == (0, 4)

    def test_some_rows(self):
        data = Dataset.from_arrays(BOX * 3, image=[1, 2, 3], score=[1, 2, 3], masks=[None] * 3)
        part = data.rows([2, 0])
        assert part.score.tolist() == [3, 1] and len(part.images) == 3 and len(part.segments) == 2


class TestMasks:
    @pytest.mark.parametrize("kind", [np.asarray, Masks, RleMasks.from_masks, SparseMasks.from_masks, np.uint8])
    def test_kinds(self, kind):
        data = Dataset.from_arrays(masks=kind(CROSS), image=[1, 2])
        assert list(data.segments.written()) == RleMasks.from_masks(CROSS).to_strings()
        assert data.segments.form.tolist() == [CocoMasks.COUNTS] * 2 and data.segments.size.tolist() == [[5, 5]] * 2
        assert data.images.height.tolist() == [5, 5]

    def test_torch(self):
        torch = pytest.importorskip("torch")
        for tensor in (torch.from_numpy(CROSS), torch.from_numpy(CROSS).to_sparse()):
            data = Dataset.from_arrays(masks=tensor, image=[1, 2])
            assert list(data.segments.written()) == RleMasks.from_masks(CROSS).to_strings()

    def test_coco(self):
        text = RleMasks.from_masks(CROSS).to_strings()[0]
        masks = [
            {"size": [5, 5], "counts": text},
            {"size": [5, 5], "counts": text.decode()},
            {"size": (2, 3), "counts": [2, 4]},
            [[0, 0, 4.5, 0, 4, 4]],
            None,
        ]
        data = Dataset.from_arrays(masks=masks, image=[1, 1, 2, 3, 3], sizes={3: (7, 8)})
        assert list(data.segments.written()) == [
            text, text, b'{"size": [2, 3], "counts": [2, 4]}', b"[[0, 0, 4.5, 0, 4, 4]]", b"",
        ]  # fmt: skip
        assert data.segments.form.tolist() == [2, 2, 1, 1, 0]
        assert data.segments.size.tolist() == [[5, 5], [5, 5], [2, 3], [7, 8], [7, 8]]
        assert np.stack([data.images.height, data.images.width]).tolist() == [[5, 2, 7], [5, 3, 8]]

    @pytest.mark.parametrize(
        "mask, words",
        [
            ({"size": [5, 5]}, '`masks` row 1 must be a dict of "size" and "counts"'),
            ({"size": [5], "counts": [25]}, '"size" of mask 1'),
            ({"size": [5, 5], "counts": [20, 9]}, "row 1: `counts` of mask 0 must not exceed the 25 pixels"),
            ({"size": [5, 5], "counts": "~"}, "row 1: `counts` of mask 0 must be characters 0 to o"),
            ([[0, 0, 1]], "`masks` row 1 must be"),
            ([[0, 0, 1, np.nan]], "`masks` row 1 must be"),
            ([["a", 0]], "`masks` row 1 must be"),
            (3, "`masks` row 1 must be"),
        ],
    )
    def test_refused(self, mask, words):
        with pytest.raises((ValueError, TypeError), match=words):
            Dataset.from_arrays(masks=[None, mask], image=[1, 1])

    def test_sizes_must_agree(self):
        with pytest.raises(ValueError, match="row 0 is of 5×5 pixels .* but image 1 of 4×5"):
            Dataset.from_arrays(masks=CROSS, image=[1, 2], sizes=(4, 5))
        masks = [{"size": [2, 2], "counts": [4]}, {"size": [2, 3], "counts": [6]}]
        with pytest.raises(ValueError, match="row 1 is of 2×3 pixels"):
            Dataset.from_arrays(masks=masks, image=[1, 1])

    def test_label_maps_and_counts(self):
        with pytest.raises(TypeError, match=r"labels.to_rle\(\)"):
            Dataset.from_arrays(masks=LabelMap([[0, 1]]), image=[0])
        with pytest.raises(ValueError, match="`masks` must have one for each of the 1 rows; got 2"):
            Dataset.from_arrays(masks=CROSS, image=[0])

    def test_boxes_and_masks_together(self):
        a = Dataset.from_arrays(BOX * 2, masks=CROSS, image=[0, 1])
        same(a, Dataset.from_arrays(BOX * 2, masks=a.segments, image=[0, 1]))
