"""Pictures of regions: every outline is one of the regions, and stands where it belongs."""

import itertools

import numpy as np
import pytest

import vesica
from vesica import Boxes, LabelMap, Masks, Polygons, RleMasks, RotatedBoxes, Sets, SparseMasks, plot
from vesica.regions.outlines import outlines

pytest.importorskip("matplotlib")
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure

from vesica.plot.theme import DARK, LIGHT

TRUTH = np.array([[0, 0, 40, 40], [60, 60, 90, 90], [10, 70, 30, 90]], float)
GUESS = np.array([[2, 2, 40, 40], [60, 10, 80, 30], [62, 58, 90, 90]], float)
ROW, COLUMN = np.indices((30, 40))
RING = ((COLUMN - 15) ** 2 + (ROW - 15) ** 2 < 100) & ((COLUMN - 15) ** 2 + (ROW - 15) ** 2 > 20)


def new_axes(width=6):
    return Figure((width, 5)).subplots()


def outlines_by_colour(ax):
    """Corners of the box around each outline, by the colour of its edge."""
    found = {}
    for patch in ax.patches:
        box = patch.get_path().get_extents()
        found.setdefault(tuple(patch.get_edgecolor()), []).append([box.x0, box.y0, box.x1, box.y1])
    return found


def as_kind(boxes, kind):
    """The same boxes as another kind of region."""
    if kind == "rotated":
        return RotatedBoxes.from_boxes(Boxes(boxes))
    if kind == "polygons":
        return Polygons.from_boxes(boxes)
    masks = np.zeros((len(boxes), 100, 100), bool)
    for mask, (x1, y1, x2, y2) in zip(masks, boxes.astype(int), strict=True):
        mask[y1:y2, x1:x2] = True
    return {"boxes": Boxes(boxes), "masks": Masks(masks), "rle": RleMasks.from_masks(masks),
            "sparse": SparseMasks.from_masks(masks)}[kind]  # fmt: skip


KINDS = ["boxes", "rotated", "polygons", "masks", "rle", "sparse"]


class TestOutlines:
    @pytest.mark.parametrize("kind", KINDS)
    def test_the_same_box_has_the_same_outline(self, kind):
        for rings, box in zip(outlines(as_kind(TRUTH, kind)), TRUTH, strict=True):
            (ring,) = rings
            assert np.array_equal(ring[0], ring[-1]) and len(ring) == 5
            assert np.allclose([*ring.min(axis=0), *ring.max(axis=0)], box)

    def test_holes_and_parts(self):
        masks = np.stack([RING, np.zeros_like(RING)])
        (ring, hole), nothing = outlines(Masks(masks))
        assert nothing == [] and np.all(hole.min(axis=0) > ring.min(axis=0))
        two = Polygons([[[0, 0, 4, 0, 4, 4], [6, 0, 9, 0, 9, 4]], [1, 1, 2, 1, 2, 2]])
        assert [len(rings) for rings in outlines(two)] == [2, 1]

    def test_labels(self):
        found = outlines(LabelMap([[1, 1, 0], [0, 2, 2]]))
        assert [[ring.tolist() for ring in rings] for rings in found] == [
            [[[0, 0], [2, 0], [2, 1], [0, 1], [0, 0]]],
            [[[1, 1], [3, 1], [3, 2], [1, 2], [1, 1]]],
        ]

    @pytest.mark.parametrize("kind", KINDS)
    def test_none(self, kind):
        assert outlines(as_kind(TRUTH, kind)[:0]) == []


class TestRegions:
    @pytest.mark.parametrize("kind", KINDS)
    def test_found_wrong_and_missed(self, kind):
        """By hand: the first two truths are found by the first and third guess."""
        ax = plot.regions(None, as_kind(TRUTH, kind), as_kind(GUESS, kind), ax=new_axes())
        assert ax.get_title(loc="left") == "2 found, 1 wrong, 1 missed"
        drawn = outlines_by_colour(ax)
        wanted = {LIGHT.ink: TRUTH[:2], LIGHT.missed: TRUTH[2:], LIGHT.right: GUESS[[0, 2]], LIGHT.wrong: GUESS[1:2]}
        for colour, boxes in wanted.items():
            assert np.allclose(drawn[to_rgba(colour)], boxes), colour
        assert len(drawn) == 4

    def test_looks_differ_without_colour(self):
        ax = plot.regions(None, TRUTH, GUESS, ax=new_axes())
        looks = {(str(p.get_linestyle()), p.get_linewidth(), p.get_facecolor()[3] > 0) for p in ax.patches}
        assert len(looks) == 4

    def test_classes_must_be_one(self):
        labels = (["cat", 7, "$dog$"], ["cat", "kite", "8"])
        ax = plot.regions(None, TRUTH, GUESS, labels=labels, scores=[0.9, 0.5, 0.25], ax=new_axes())
        assert ax.get_title(loc="left") == "1 found, 2 wrong, 2 missed"
        assert {t.get_text() for t in ax.texts[:-1]} == {"cat 0.90", "kite 0.50", "8 0.25", "7", "$dog$"}
        assert not any(text.get_parse_math() for text in ax.texts)

    def test_the_better_score_finds(self):
        ax = plot.regions(
            None, TRUTH[:1], GUESS[[0, 0]] + [[0, 0, 0, 0], [0, 0, 0, 1]], scores=[0.2, 0.8], ax=new_axes()
        )
        assert np.allclose(outlines_by_colour(ax)[to_rgba(LIGHT.right)], GUESS[:1] + [0, 0, 0, 1])

    def test_a_photograph_is_shown_whole(self):
        image = np.zeros((100, 120, 3), np.uint8)
        ax = plot.regions(image, TRUTH, GUESS, theme="dark", ax=new_axes())
        assert ax.get_xlim() == (0, 120) and ax.get_ylim() == (100, 0) and ax.images[0].get_array().shape == image.shape
        assert to_rgba(DARK.missed) in outlines_by_colour(ax)

    def test_grey_stays_grey(self):
        image = np.full((100, 120), 100, np.uint8)
        image[50:] = 120
        for ax in (
            plot.regions(image, TRUTH, GUESS, ax=new_axes()),
            plot.overlap(TRUTH[0], GUESS[0], image=image, ax=new_axes()),
        ):
            assert ax.images[0].get_clim() == (0, 255)

    def test_nothing(self):
        ax = plot.regions(None, np.empty((0, 4)), np.empty((0, 4)), ax=new_axes())
        assert ax.get_title(loc="left") == "0 found, 0 wrong, 0 missed" and not ax.patches

    @pytest.mark.parametrize(
        ("truth", "guess", "options", "words"),
        [
            (Sets([[1]]), Sets([[1]]), {}, "`truth` must be regions of the plane; got Sets"),
            (TRUTH, GUESS, {"scores": [0.5]}, "`scores` must have one number for each of the 3 guesses; got shape"),
            (TRUTH, GUESS, {"scores": ["a", "b", "c"]}, "`scores` must be numbers"),
            (TRUTH, GUESS, {"labels": "cat"}, "`labels` must be (of the truths, of the guesses); got str"),
            (TRUTH, GUESS, {"labels": ([1], [1])}, "`labels` must have one for each of 3 truths and 3 guesses"),
            (TRUTH, GUESS, {"theme": "pink"}, "`theme` must be 'light' or 'dark'"),
        ],
    )
    def test_bad_input(self, truth, guess, options, words):
        with pytest.raises((ValueError, TypeError)) as raised:
            plot.regions(None, truth, guess, **options, ax=new_axes())
        assert words in str(raised.value)


class TestWords:
    @pytest.mark.parametrize("seed", range(5))
    def test_words_do_not_hide_each_other(self, seed):
        """Eight boxes at random, with room for words beside most of them."""
        rng = np.random.default_rng(seed)
        corner = rng.uniform(0, 500, (8, 2))
        boxes = np.hstack([corner, corner + rng.uniform(30, 150, (8, 2))])
        labels = ["person", "car", "dog", "kite"] * 2
        ax = plot.regions(None, boxes[:6], boxes[2:] + 3, scores=rng.random(6), labels=(labels[:6], labels[2:]))
        ax.figure.draw_without_rendering()
        words = [text.get_window_extent() for text in ax.texts[:-1]]
        assert len(words) == 8
        assert not [1 for a, b in itertools.combinations(words, 2) if a.padded(-2).overlaps(b.padded(-2))]

    def test_words_stay_in_the_picture(self):
        image = np.zeros((100, 100), np.uint8)
        ax = plot.regions(image, [[0, 0, 10, 10], [90, 0, 100, 10], [0, 90, 10, 100], [90, 90, 100, 100]],
                          np.empty((0, 4)), labels=(["upper left"] * 4, []))  # fmt: skip
        ax.figure.draw_without_rendering()
        frame = ax.get_window_extent()
        for text in ax.texts[:-1]:
            box = text.get_window_extent()
            assert (
                frame.x0 - 3 <= box.x0 and box.x1 <= frame.x1 + 3 and frame.y0 - 3 <= box.y0 and box.y1 <= frame.y1 + 3
            )


class TestNms:
    BOXES = np.array([[0, 0, 40, 40], [0, 0, 40, 38], [60, 60, 90, 90], [2, 2, 40, 40]], float)
    SCORES = np.array([0.9, 0.95, 0.3, 0.2])

    def test_what_stays_is_what_nms_keeps(self):
        kept = vesica.nms(self.BOXES, self.SCORES)
        ax = plot.nms(self.BOXES, self.SCORES, ax=new_axes())
        drawn = outlines_by_colour(ax)
        assert np.allclose(drawn[to_rgba(LIGHT.right)], self.BOXES[kept])
        assert len(drawn[to_rgba(LIGHT.wrong)]) == 4 - len(kept)
        assert ax.get_title(loc="left") == "2 of 4 stay"
        assert [text.get_text() for text in ax.texts[:-1]] == ["0.95", "0.30"]

    def test_options(self):
        assert plot.nms(self.BOXES, self.SCORES, above=0.99, ax=new_axes()).get_title(loc="left") == "4 of 4 stay"
        apart = plot.nms(self.BOXES, self.SCORES, keys=[1, 2, 1, 1], ax=new_axes())
        assert apart.get_title(loc="left") == "3 of 4 stay"

    def test_wrong_scores(self):
        with pytest.raises(ValueError, match="`scores` must have one number for each of the 4 regions"):
            plot.nms(self.BOXES, [1], ax=new_axes())


class TestAnchors:
    def test_every_shape_is_with_its_nearest_anchor(self):
        rng = np.random.default_rng(0)
        shapes, sizes = rng.uniform(5, 90, (200, 2)), np.array([[10, 20], [60, 40], [80, 80]], float)
        ax = plot.anchors(sizes, shapes, ax=new_axes())
        overlap = vesica.anchors.shape_iou(shapes, sizes)
        for number, line in enumerate(ax.lines[:3]):
            assert np.array_equal(line.get_xydata(), shapes[overlap.argmax(axis=1) == number])
        assert [tuple(line.get_xydata()[0]) for line in ax.lines[3:]] == list(map(tuple, sizes))
        assert f"{overlap.max(axis=1).mean():.3f}" in ax.texts[-1].get_text()

    def test_clusters(self):
        shapes = np.random.default_rng(0).uniform(5, 90, (200, 2))
        found = vesica.anchors.cluster(shapes, k=4)
        ax = plot.anchors(found, shapes, ax=new_axes())
        assert f"{found.mean_iou:.3f}" in ax.texts[-1].get_text() and [t.get_text() for t in ax.texts[:-1]] == list(
            "1234"
        )

    def test_none(self):
        assert plot.anchors([[4, 4]], np.empty((0, 2)), ax=new_axes()).texts[-1].get_text() == "there are no shapes"
        with pytest.raises(ValueError, match="`anchors` must have at least one row"):
            plot.anchors(np.empty((0, 2)), [[4, 4]], ax=new_axes())
