"""Pictures of segmentations and of annotators: what is drawn is what the tables say."""

import itertools

import numpy as np
import pytest

import vesica
from vesica import Dataset, plot
from vesica.agreement.ledger import TYPES

pytest.importorskip("matplotlib")
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, Rectangle

PEOPLE = ["ann", "$ben$", "_cleo"]
CLASSES = ["cat", "$dog$", "none"]


@pytest.fixture(scope="module")
def agreed():
    """Three annotators of twelve images, one of whom draws further out than the others."""
    rng = np.random.default_rng(0)
    image = np.repeat(np.arange(12), 4)
    corner, sides = rng.uniform(0, 80, (len(image), 2)), rng.uniform(15, 30, (len(image), 2))
    boxes, category = np.hstack([corner, corner + sides]), rng.choice(CLASSES, len(image))
    data = {}
    for place, who in enumerate(PEOPLE):
        kept = rng.random(len(image)) < 0.85
        drawn = boxes[kept] + rng.normal(0, 0.5, (kept.sum(), 4)) + np.array([-1, -0.5, 1, 0.5]) * place
        label = np.where(rng.random(kept.sum()) < 0.85, category[kept], "none")
        data[who] = Dataset.from_arrays(drawn, image=image[kept], category=label, images=range(12))
    return vesica.evaluate_agreement(data)


@pytest.fixture(scope="module")
def maps():
    first, second = np.random.default_rng(0).integers(0, 3, (2, 30, 30))
    return vesica.evaluate_agreement({"ann": first, "ben": np.where(second == 0, second, first)})


@pytest.fixture(scope="module")
def blank():
    """Two who drew nothing in the one image that both were asked for."""
    empty = Dataset.from_arrays(np.empty((0, 4)), image=[], category=[], images=[0, 1])
    return vesica.evaluate_agreement({"ann": empty, "ben": empty})


def new_axes(width=6):
    return Figure((width, 5)).subplots()


def rows(ax):
    return [text.get_text() for text in ax.get_yticklabels()]


def sentence(ax):
    return " ".join(ax.texts[-1].get_text().split())


class TestConfusion:
    def test_counts_are_the_table_both_ways(self, agreed):
        ax = plot.confusion(agreed, by=None, ax=new_axes())
        drawn = sum(image.get_array().filled(0) for image in ax.images)
        total = sum(row["count"] for row in agreed.confusion(symmetric=True))
        assert drawn.sum() == total and np.array_equal(drawn, drawn.T)

    def test_a_class_that_is_called_none_is_not_nothing(self, agreed):
        ax = plot.confusion(agreed, by=None, ax=new_axes())
        assert rows(ax) == [*sorted(CLASSES), "none"]
        drawn = sum(image.get_array().filled(0) for image in ax.images)
        place = sorted(CLASSES).index("none")
        same = sum(
            row["category_a"] == row["category_b"] == "none" for row in agreed.matches() if row["iou"] is not None
        )
        assert drawn[place, place] == 2 * same and drawn[-1, -1] == 0


class TestAnnotators:
    def test_cells_are_the_pairs(self, agreed):
        values = plot.annotators(agreed, ax=new_axes()).images[0].get_array()
        people = agreed.records.annotators.tolist()
        for row in agreed.pairs(intervals=False):
            a, b = people.index(row["annotator_a"]), people.index(row["annotator_b"])
            assert values[a, b] == values[b, a] == row["agreement"]
        assert values.mask.diagonal().all()

    def test_the_sentence_names_who_is_furthest_blank(self, agreed):
        worst = min(agreed.pairs(intervals=False), key=lambda row: row["agreement"])
        shown = sentence(plot.annotators(agreed, ax=new_axes(12)))
        assert f"{worst['annotator_a']} and {worst['annotator_b']} are furthest apart" in shown

    def test_label_maps(self, maps):
        values = plot.annotators(maps, ax=new_axes()).images[0].get_array()
        assert values[0, 1] == pytest.approx(maps["mIoU"])

    def test_nobody_drew_anything(self, blank):
        ax = plot.annotators(blank, ax=new_axes())
        assert ax.images[0].get_array().mask.all() and sentence(ax) == "no two drew anything in one image"


class TestBias:
    def test_arrows_are_the_table(self, agreed):
        ax = plot.bias(agreed, ax=new_axes())
        table = sorted(
            agreed.bias(), key=lambda row: -max(abs(row[f"out_{e}"]) for e in ("left", "top", "right", "bottom"))
        )
        wanted = [row[f"out_{edge}"] for row in table for edge in ("left", "top", "right", "bottom")]
        arrows = [patch for patch in ax.patches if isinstance(patch, FancyArrowPatch)]
        drawn = []
        for arrow in arrows:
            (x1, y1), (x2, y2) = arrow._posA_posB
            drawn.append(abs(x2 - x1) + abs(y2 - y1))
        wanted = [abs(out) for out in wanted if round(out, 1)]
        assert np.allclose(np.array(drawn) / max(drawn), np.array(wanted) / max(wanted))
        assert sum(isinstance(patch, Rectangle) for patch in ax.patches) == len(table)

    def test_outwards_is_outwards(self, agreed):
        ax = plot.bias(agreed, most=1, ax=new_axes())
        row = max(agreed.bias(), key=lambda one: max(abs(one[f"out_{e}"]) for e in ("left", "top", "right", "bottom")))
        left = next(patch for patch in ax.patches if isinstance(patch, FancyArrowPatch))
        (x1, _), (x2, _) = left._posA_posB
        assert (x2 < x1) == (row["out_left"] > 0)
        assert "2 pairs of annotators are left out" in sentence(ax)

    def test_nobody_draws_further_out(self):
        """Two who drew the same have a box without arrows."""
        drawn = vesica.Dataset.from_arrays([[10, 10, 40, 40]], image=[1], category=["cat"])
        ax = plot.bias(vesica.evaluate_agreement({"ann": drawn, "ben": drawn}), ax=new_axes())
        assert [type(patch) for patch in ax.patches] == [Rectangle]

    def test_nothing_matched(self, blank):
        assert sentence(plot.bias(blank, ax=new_axes())) == "no two have a matched pair"


class TestLedger:
    def test_bars_add_up(self, agreed):
        ax = plot.ledger(agreed, ax=new_axes())
        bars = [(bar.get_x(), bar.get_width()) for bar in ax.patches]
        assert bars[0] == (0, agreed["agreement"])
        assert all(x == pytest.approx(before + width) for (before, width), (x, _) in itertools.pairwise(bars))
        assert sum(bars[-1]) == pytest.approx(1)
        shares = {row["type"]: row["share"] for row in agreed.ledger() if row["type"] in TYPES}
        assert dict(zip(rows(ax)[1:], (width for _, width in bars[1:]), strict=True)) == shares

    def test_label_maps(self, maps):
        ax = plot.ledger(maps, ax=new_axes())
        assert ax.patches[0].get_width() == maps["mIoU"]
        assert sum(bar.get_width() for bar in ax.patches) == pytest.approx(1)

    def test_nothing(self, blank):
        assert sentence(plot.ledger(blank, ax=new_axes())) == "nobody drew anything that two were asked for"


class TestOthers:
    def test_ious(self, agreed):
        values = [row["iou"] for row in agreed.matches() if row["iou"] is not None]
        ax = plot.ious(agreed, ax=new_axes())
        assert sum(bar.get_height() for bar in ax.patches) == len(values)
        assert f"mean {agreed['mean_iou']:.3f}" in sentence(ax)

    def test_images(self, agreed):
        ax = plot.per_image(agreed, ax=new_axes())
        assert sum(bar.get_height() for bar in ax.patches) == sum(
            row["agreement"] is not None for row in agreed.images()
        )

    def test_intervals(self, agreed):
        ax = plot.intervals(agreed, ax=new_axes())
        table = sorted(agreed.classes(), key=lambda row: -row["agreement"])
        ends = [tuple(line.get_xdata()) for line in ax.lines if line.get_marker() == "|"]
        assert ends == [(row["lo"], row["hi"]) for row in table] and rows(ax) == [row["category"] for row in table]


class TestSegmentation:
    def test_intervals(self):
        truth, guess = np.random.default_rng(1).integers(0, 3, (2, 12, 10, 10))
        found = vesica.evaluate_segmentation(truth, np.where(guess == 0, guess, truth))
        table = found.interval(replicates=50)
        ax = plot.intervals(table, metric="IoU", ax=new_axes())
        wanted = sorted((row for row in table.per_class() if row["number"] == "IoU"), key=lambda row: -row["value"])
        ends = [tuple(line.get_xdata()) for line in ax.lines if line.get_marker() == "|"]
        assert ends == [(row["lo"], row["hi"]) for row in wanted]
        lo, hi, *_ = table["mIoU"]
        assert f"all together {found['mIoU']:.3f} ({lo:.3f} to {hi:.3f})" in sentence(ax)

    def test_intervals_of_label_maps_of_annotators(self, maps):
        table = maps.interval()
        name = table.class_names[0]
        ax = plot.intervals(maps, ax=new_axes())
        wanted = sorted((row["value"] for row in table.per_class() if row["number"] == name), reverse=True)
        assert ax.lines[1].get_xdata().tolist() == wanted
        assert sentence(ax).startswith(f"all together {maps['mIoU']:.3f}")

    def test_intervals_of_outlines_and_segments(self):
        """Distances are no shares: the axis goes as far as they do."""
        truth = np.zeros((8, 20, 20), int)
        truth[:, 5:12, 5:12] = 1
        guess = np.stack([np.roll(one, place % 4, axis=1) for place, one in enumerate(truth)])
        outlines = vesica.evaluate_surfaces(truth, guess, categories={1: "cat"}).interval(replicates=50)
        ax = plot.intervals(outlines, metric="HD", ax=new_axes())
        (row,) = [row for row in outlines.per_class() if row["number"] == "HD"]
        assert ax.lines[1].get_xdata().tolist() == [row["value"]] and ax.get_xlim()[1] >= row["hi"] > 1
        segments = [(one, {1: 7}) for one in truth], [(one, {1: 7}) for one in guess]
        found = vesica.evaluate_panoptic(*segments)
        assert plot.intervals(found, ax=new_axes()).get_title(loc="left") == "PQ by category"


class TestPolicies:
    def test_dots_are_the_rows(self):
        truth, guess = np.random.default_rng(1).integers(0, 3, (2, 4, 12, 12))
        found = vesica.evaluate_segmentation(truth, guess)
        ax = plot.policies(found, ax=new_axes())
        spread = found.spread()
        for line, name in zip(ax.lines, ("mIoU", "mDice"), strict=True):
            known = [np.nan if row[name] is None else row[name] for row in spread.rows]
            assert np.array_equal(line.get_xdata(), known, equal_nan=True)
            assert line.get_label() == name
        low, high = spread.range()
        assert f"from {low:.3f} to {high:.3f}" in sentence(ax)
        left, right = ax.get_xlim()
        assert left <= low and right >= spread.range("mDice")[1]


class TestDistances:
    TRUTH = np.zeros((2, 20, 20), int)
    TRUTH[:, 4:12, 4:12] = 1
    TRUTH[:, 14:18, 2:6] = 2
    GUESS = np.roll(TRUTH, 2, axis=2)
    GUESS[1][GUESS[1] == 2] = 0

    def test_the_curve_is_nsd_of_one_pair(self):
        found = vesica.surface_distances(self.TRUTH[0] == 1, self.GUESS[0] == 1)
        x, y = plot.distances(found, ax=new_axes()).lines[0].get_data()
        for distance, share in zip(x[1:], y[1:], strict=True):
            assert share == pytest.approx(found.nsd(distance))

    def test_worst_class_first_and_all_last(self):
        found = vesica.evaluate_surfaces(self.TRUTH, self.GUESS, categories={1: "$large$", 2: "small"})
        ax = plot.distances(found, ax=new_axes())
        assert [line.get_label() for line in ax.lines] == ["small", "$large$", "all"]
        # One of two images has no guess of the small one: a third of all its outlines have nothing to be near to.
        assert ax.lines[0].get_ydata()[-1] == pytest.approx(2 / 3)
        total = [cell.distances for row in found.cells for cell in row]
        whole = sum(one.count_truth.sum() + one.count_guess.sum() for one in total)
        assert ax.lines[2].get_ydata()[-1] == pytest.approx(whole / sum(o.size_truth + o.size_guess for o in total))

    def test_nothing(self):
        found = vesica.surface_distances(np.zeros((4, 4), bool), np.zeros((4, 4), bool))
        assert sentence(plot.distances(found, ax=new_axes())) == "neither side has an outline, or one has none"


@pytest.mark.parametrize("draw", [plot.annotators, plot.bias, plot.ledger, plot.confusion, plot.per_image])
class TestAll:
    @pytest.mark.parametrize("theme", ["light", "dark"])
    def test_names_are_text_in_both_themes(self, agreed, draw, theme):
        ax = draw(agreed, theme=theme, ax=new_axes(3.6))
        ax.figure.draw_without_rendering()
        texts = [*ax.texts, *ax.get_yticklabels(), *ax.get_xticklabels()]
        assert not any(text.get_parse_math() for text in texts if "$" in text.get_text())

    def test_needs_a_result(self, draw):
        with pytest.raises(TypeError, match=r"vesica.evaluate_agreement\(a, b\)"):
            draw([1], ax=new_axes())
