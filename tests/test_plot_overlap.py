"""The picture of two regions: letters stand inside their areas, whatever the arrangement."""

import functools
import itertools

import numpy as np
import pytest

import vesica
from vesica import Boxes, Masks, Polygons, RleMasks, RotatedBoxes, Sets, SparseMasks
from vesica.plot.areas import cells_of, frame_of
from vesica.plot.label_places import largest, nearest
from vesica.regions.outlines import traced

pytest.importorskip("matplotlib")
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.textpath import TextPath

LETTERS = ("TP", "FP", "FN", "TN")


def disc(x, y, radius, size=(60, 80)):
    row, column = np.indices(size)
    return (column - x) ** 2 + (row - y) ** 2 < radius**2


def rotated(x, y, width, height, angle):
    return RotatedBoxes([[x, y, width, height, angle]], unit="deg", direction="cw")


def arrangements():
    """Pairs of regions: by hand, then at random."""
    ring = disc(30, 30, 20) & ~disc(30, 30, 8)
    yield "apart", ([0, 0, 4, 4], [10, 2, 12, 6])
    yield "touching", ([0, 0, 4, 4], [4, 0, 8, 4])
    yield "inside", ([0, 0, 10, 10], [3, 3, 6, 6])
    yield "around", ([3, 3, 6, 6], [0, 0, 10, 10])
    yield "equal", ([1, 2, 6, 6], [1, 2, 6, 6])
    yield "crossed", ([0, 4, 10, 6], [4, 0, 6, 10])
    yield "nearly equal", ([0, 0, 100, 100], [1, 1, 100, 100])
    yield "flat", ([0, 0, 50, 2], [10, 0, 60, 2])
    yield "tall", ([0, 0, 2, 50], [0, 10, 2, 60])
    yield "hair", ([0, 0, 100, 0.01], [0, 0, 100, 100])
    yield "hole", (ring, disc(45, 28, 16))
    yield "in a hole", (ring, disc(30, 30, 5))
    yield "empty mask", (ring, np.zeros_like(ring))
    yield "full mask", (ring, np.ones_like(ring))
    yield "polygon", (Polygons([[0, 0, 10, 0, 10, 10, 5, 4, 0, 10]]), Boxes([[2, 1, 12, 8]]))
    rng = np.random.default_rng(0)
    for number in range(10):
        a, b = rng.uniform(0, 10, (2, 2))
        w, h = rng.uniform(1, 8, (2, 2))
        yield f"boxes {number}", ([*a, *(a + w)], [*b, *(b + h)])
        yield f"rotated {number}", (rotated(*a, *w, rng.uniform(0, 90)), rotated(*b, *h, rng.uniform(0, 90)))
    for number in range(5):
        scattered = [disc(*rng.uniform(10, 50, 2), rng.uniform(4, 20)) for _ in range(4)]
        yield f"masks {number}", (scattered[0] | scattered[1], scattered[2] & ~scattered[3])


ARRANGEMENTS = dict(arrangements())


def boxes_of_letters(ax):
    """Where the ink of each text stands, in data: x1, y1, x2, y2; and the lines that lead from a text to its area."""
    found = {}
    for text in ax.texts:
        ink = TextPath((0, 0), text.get_text(), size=text.get_fontsize(), prop=text.get_fontproperties()).get_extents()
        width, up = ink.width * ax.figure.dpi / 72, ink.height * ax.figure.dpi / 72
        x, y = ax.transData.transform(text.get_position())
        turned = text.get_rotation() == 90
        low, high = (
            ((x - up, y - width / 2), (x, y + width / 2)) if turned else ((x - width / 2, y), (x + width / 2, y + up))
        )
        corners = ax.transData.inverted().transform([low, high])
        found[text.get_text()] = (*corners.min(axis=0), *corners.max(axis=0))
    leads = [line.get_xydata() for line in ax.lines if line.get_marker() == "o"]
    return found, leads


def areas_of(a, b):
    """By hand from the same grid: which cells are which."""
    first, second = vesica.regions.regions_of_pair(a, b)
    frame = frame_of(first, second, None)
    in_a, in_b = cells_of(first, frame), cells_of(second, frame)
    return frame, {"TP": in_a & in_b, "FP": in_b & ~in_a, "FN": in_a & ~in_b, "TN": ~in_a & ~in_b}


def stacked(region):
    return region if isinstance(region, vesica.regions.Collection) else np.asarray(region)[None]


@functools.cache
def drawn(name):
    """What a picture says of an arrangement: boxes and lines of its letters, and its title. Pictures are large."""
    ax = vesica.plot.overlap(*ARRANGEMENTS[name], ax=Figure((6, 6)).subplots())
    return *boxes_of_letters(ax), ax.get_title(loc="left")


@pytest.mark.parametrize("name", ARRANGEMENTS)
class TestLetters:
    def test_stand_in_their_areas_or_lead_there(self, name):
        frame, areas = areas_of(*map(stacked, ARRANGEMENTS[name]))
        boxes, leads, _ = drawn(name)
        ends = [tuple(((lead - (frame.x1, frame.y1)) / frame.cell).astype(int)[0][::-1]) for lead in leads]
        for letters, area in areas.items():
            if letters not in boxes:
                assert letters == "TN" or not area.any()
                continue
            x1, y1, x2, y2 = boxes[letters]
            middle = int(((y1 + y2) / 2 - frame.y1) / frame.cell), int(((x1 + x2) / 2 - frame.x1) / frame.cell)
            if area[middle]:
                covered = self.cells(area, frame, boxes[letters])
                assert covered.all(), letters
            else:
                assert any(area[end] for end in ends), letters
                assert self.cells(areas["TN"], frame, boxes[letters]).all()

    def cells(self, area, frame, box):
        x1, y1, x2, y2 = ((np.array(box) - (frame.x1, frame.y1) * 2) / frame.cell).round().astype(int)
        return area[max(y1, 0) : y2, max(x1, 0) : x2]

    def test_do_not_cover_each_other(self, name):
        boxes, _, _ = drawn(name)
        for (_, a), (_, b) in itertools.combinations(boxes.items(), 2):
            assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]

    def test_the_title_is_the_iou(self, name):
        a, b = map(stacked, ARRANGEMENTS[name])
        assert drawn(name)[2] == f"IoU {vesica.iou(a, b)[0, 0]:.3f}"


def random_arrangements():
    """Four at random of each kind."""
    rng = np.random.default_rng(7)
    for number in range(4):
        x, y = rng.uniform(0, 50, 2)
        w, h = rng.uniform(4, 40, 2)
        outer = [x, y, x + w, y + h]
        low, high = np.sort(rng.uniform(0.05, 0.95, (2, 2)), axis=0)
        yield f"inside {number}", (outer, [x + low[0] * w, y + low[1] * h, x + high[0] * w, y + high[1] * h])
        other = rng.uniform(4, 40, 2)
        yield f"touching {number}", (outer, [x + w, y + 0.3 * h, x + w + other[0], y + 0.3 * h + other[1]])
        gap = rng.uniform(1, 30)
        yield f"apart {number}", (outer, [x + w + gap, y, x + w + gap + other[0], y + other[1]])
        sides, turns = rng.uniform(3, 30, (2, 2)), rng.uniform(0, 90, 2)
        yield (
            f"rotated {number}",
            (
                rotated(20, 20, *sides[0], turns[0]),
                rotated(*(20 + rng.uniform(-12, 12, 2)), *sides[1], turns[1]),
            ),
        )
        masks = []
        for _ in range(2):
            cx, cy, radius = *rng.uniform(20, 45, 2), rng.uniform(9, 20)
            masks.append(disc(cx, cy, radius) & ~disc(*(np.array([cx, cy]) + rng.uniform(-4, 4, 2)), 0.45 * radius))
        yield f"holes {number}", tuple(masks)


RANDOM = dict(random_arrangements())


def inked(ax):
    """Of each text the pixels that are rendered, as points of the data; nothing else is drawn meanwhile."""
    figure = ax.figure
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    figure.set_layout_engine("none")
    figure.patch.set_facecolor("white")
    texts = list(ax.texts)
    for artist in ax.get_children():
        artist.set_visible(False)
    ax.set_axis_off()
    found = {}
    for text in texts:
        text.set(visible=True, path_effects=[], color="black")
        canvas.draw()
        dark = np.asarray(canvas.buffer_rgba())[..., 0] < 100
        row, column = np.nonzero(dark)
        points = np.stack([column + 0.5, dark.shape[0] - row - 0.5], axis=1)
        found[text.get_text()] = ax.transData.inverted().transform(points), points
        text.set_visible(False)
    return found


class TestTwentyAtRandom:
    def test_there_are_twenty(self):
        assert len(RANDOM) == 20

    @pytest.mark.parametrize("name", RANDOM)
    def test_no_ink_is_outside_its_area_or_on_another(self, name):
        a, b = RANDOM[name]
        ax = vesica.plot.overlap(a, b, ax=Figure((6, 6), dpi=100).subplots())
        frame, areas = areas_of(stacked(a), stacked(b))
        leads = [line.get_xydata() for line in ax.lines if line.get_marker() == "o"]
        ends = [tuple(((lead - (frame.x1, frame.y1)) / frame.cell).astype(int)[0][::-1]) for lead in leads]
        letters = inked(ax)
        assert "TN" in letters and {one for one, area in areas.items() if area.any()} == {*letters}
        for one, (points, _) in letters.items():
            assert len(points) > 10, one
            column, row = ((points - (frame.x1, frame.y1)) / frame.cell).astype(int).T
            inside = areas[one][row, column].mean()
            if inside < 0.5:  # it stands beside, and a line leads to where it belongs
                assert any(areas[one][end] for end in ends), one
                inside = areas["TN"][row, column].mean()
            assert inside == 1, (one, inside)
        for (_, first), (_, second) in itertools.combinations(letters.values(), 2):
            assert not {*map(tuple, first.tolist())} & {*map(tuple, second.tolist())}


class TestPicture:
    MASK = disc(10, 10, 6, (20, 24))

    @pytest.mark.parametrize(
        "region", [MASK, Masks(MASK[None]), RleMasks.from_masks(MASK[None]), SparseMasks.from_masks(MASK[None])]
    )
    def test_masks_of_every_form_are_one_picture(self, region):
        one = vesica.plot.overlap(self.MASK, disc(14, 10, 5, (20, 24)))
        other = vesica.plot.overlap(region, Masks(disc(14, 10, 5, (20, 24))[None]))
        assert np.array_equal(one.images[-1].get_array(), other.images[-1].get_array())
        assert [line.get_xydata().tolist() for line in one.lines] == [
            line.get_xydata().tolist() for line in other.lines
        ]

    def test_the_amounts_are_exact(self):
        ax = vesica.plot.overlap([0, 0, 4, 4], [2, 2, 6, 6])
        assert ax.get_xlabel().startswith("TP 4   FP 12   FN 12")

    def test_a_photograph_is_shown_whole(self):
        image = np.zeros((30, 40, 3), np.uint8)
        ax = vesica.plot.overlap([5, 5, 10, 10], [7, 7, 12, 12], image=image)
        assert ax.get_xlim() == (0, 40) and ax.get_ylim() == (30, 0) and ax.images[0].get_array().shape == image.shape

    def test_axes_that_are_given(self):
        ax = Figure().subplots()
        assert vesica.plot.overlap([0, 0, 4, 4], [2, 2, 6, 6], ax=ax) is ax

    def test_areas_differ_without_colour(self):
        ax = vesica.plot.overlap([0, 0, 4, 4], [2, 2, 6, 6])
        _, areas = areas_of([[0, 0, 4, 4]], [[2, 2, 6, 6]])
        alpha = ax.images[-1].get_array()[..., 3]
        patterns = [alpha[area] for area in (areas["TP"], areas["FP"], areas["FN"])]
        assert all(len(np.unique(pattern)) == 2 for pattern in patterns)
        assert not np.array_equal(patterns[1], patterns[2])

    def test_names_are_text(self):
        ax = vesica.plot.overlap([0, 0, 4, 4], [2, 2, 6, 6], names=("$\\bad$", "_hidden"))
        ax.figure.draw_without_rendering()
        assert [text.get_text().strip() for text in ax.get_legend().get_texts()] == ["$\\bad$", "_hidden"]

    def test_pyplot_keeps_no_figure(self):
        """A server that draws thousands of pictures must not collect them."""
        plt = pytest.importorskip("matplotlib.pyplot")
        before = plt.get_fignums()
        assert vesica.plot.overlap([0, 0, 4, 4], [2, 2, 6, 6], ax=Figure().subplots()) is not None
        assert plt.get_fignums() == before

    @pytest.mark.parametrize(
        ("a", "b", "options", "words"),
        [
            ([[0, 0, 4, 4]] * 2, [2, 2, 6, 6], {}, "`a` must be one region; got 2. Take one"),
            (Sets([[1, 2]]), Sets([[1]]), {}, "`a` must be regions of the plane; got Sets"),
            ([0, 0, 4, 4], [2, 2, 6, 6], {"theme": "pink"}, "`theme` must be 'light' or 'dark'; got 'pink'"),
            ([0, 0, 4, 4], [2, 2, 6, 6], {"names": "truth"}, "`names` must be two texts"),
            ([0, 0, 4, 4], [2, 2, 6, 6], {"image": np.zeros((3, 8, 8))}, "image.permute(1, 2, 0)"),
            ([0, 0, 4, 4], [2, 2, 6, 6], {"image": np.array([["a"]])}, "`image` must hold numbers"),
            (Masks(MASK[None]), rotated(4, 4, 2, 2, 30), {}, "have no exact overlap as they are"),
        ],
    )
    def test_bad_input(self, a, b, options, words):
        with pytest.raises((ValueError, TypeError)) as raised:
            vesica.plot.overlap(a, b, **options)
        assert words in str(raised.value)


class TestPlaces:
    def test_largest_against_all_rectangles(self):
        rng = np.random.default_rng(1)
        for _ in range(20):
            area = rng.random((9, 11)) < 0.8
            place = largest(area, 1, 1)
            sides = [
                s
                for s in range(1, 10)
                for y in range(10 - s)
                for x in range(12 - s)
                if area[y : y + s, x : x + s].all()
            ]
            assert int(np.ceil(place.scale)) == max(sides)
            half = np.ceil(place.scale) / 2
            assert area[int(place.y - half) : int(place.y + half), int(place.x - half) : int(place.x + half)].all()

    def test_nothing_free(self):
        assert largest(np.zeros((4, 4), bool), 1, 1) is None
        assert nearest(np.zeros((4, 4), bool), 1, 1, 0, 0) is None
        assert nearest(np.ones((4, 4), bool), 9, 1, 0, 0) is None

    def test_traced_rings_hold_the_area(self):
        """The shoelace formula over all rings, holes counted negative."""
        rng = np.random.default_rng(2)
        for _ in range(20):
            cells = rng.random((7, 9)) < 0.5
            total = 0.0
            for ring in traced(cells):
                x, y = ring.T
                assert np.array_equal(ring[0], ring[-1])
                total += (x[:-1] * y[1:] - x[1:] * y[:-1]).sum() / 2
            assert total == cells.sum()
