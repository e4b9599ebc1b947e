"""Pictures of why a score is what it is: what is drawn is what the tables say."""

import numpy as np
import pytest

import vesica
from vesica import Dataset, plot
from vesica.detection.causes import CAUSES

pytest.importorskip("matplotlib")
from matplotlib.figure import Figure

NAMES = ["cat", "$dog$", "_bird", "<b>", "a name \x00\nof many letters that no edge of a picture has room for at all"]


def side(image, category, boxes, **more):
    names = dict(enumerate(NAMES))
    return Dataset.from_arrays(boxes, image=image, category=category, images=range(30), categories=names, **more)


@pytest.fixture(scope="module")
def result():
    """Thirty images, five categories with hostile names, of which the fourth has no truths."""
    rng = np.random.default_rng(0)
    image = np.repeat(np.arange(30), 5)
    category = rng.choice([0, 1, 2, 4], len(image))
    corner, sides = rng.uniform(0, 200, (len(image), 2)), rng.uniform(10, 60, (len(image), 2))
    boxes = np.hstack([corner, corner + sides])
    kept = rng.random(len(image)) < 0.8
    moved = boxes[kept] + rng.normal(0, 3, (kept.sum(), 1))
    guessed = np.where(rng.random(kept.sum()) < 0.8, category[kept], rng.integers(0, 5, kept.sum()))
    guess = side(image[kept], guessed, moved, score=rng.random(kept.sum()).round(2))
    return vesica.evaluate(side(image, category, boxes), guess)


@pytest.fixture(scope="module")
def nothing():
    """No truth, no guess."""
    return vesica.evaluate([{"boxes": [], "labels": []}], [{"boxes": [], "labels": [], "scores": []}])


@pytest.fixture(scope="module")
def intervals(result):
    return result.interval(replicates=50)


def new_axes(width=6):
    return Figure((width, 5)).subplots()


def rows(ax):
    return [text.get_text() for text in ax.get_yticklabels()]


def sentence(ax):
    return " ".join(ax.texts[-1].get_text().split())


class TestConfusion:
    @pytest.mark.parametrize("by", ["row", "column"])
    def test_colours_are_the_shares(self, result, by):
        found = result.confusion()
        ax = plot.confusion(result, by=by, ax=new_axes())
        right, wrong = (image.get_array() for image in ax.images)
        shares = np.nan_to_num(found.shares(by=by))
        shares[-1, -1] = 0
        assert np.array_equal(right.filled(0) + wrong.filled(0), shares)
        assert not right.mask.diagonal()[:3].any() and wrong.mask.diagonal().all()

    def test_counts(self, result):
        found = result.confusion(min_score=0.5)
        ax = plot.confusion(found, by=None, ax=new_axes())
        total = sum(image.get_array().filled(0) for image in ax.images)
        assert np.array_equal(total, found.counts)
        written = [int(text.get_text().replace(",", "")) for text in ax.texts[:-1]]
        assert sorted(written) == sorted(found.counts[found.counts > 0].tolist())

    def test_the_sentence_names_the_worst(self, result):
        row = next(iter(result.confusion().top(1)))
        shown = sentence(plot.confusion(result, ax=new_axes(12)))
        assert f"({row['count']})" in shown and "is taken for" in shown

    def test_background_is_last_and_apart(self, result):
        ax = plot.confusion(result, ax=new_axes())
        assert rows(ax)[-1] == "background" and len(rows(ax)) == len(NAMES) + 1
        count = len(NAMES) + 1
        assert any(line.get_xdata()[0] == count - 1.5 and line.get_linewidth() == 6 for line in ax.lines)

    def test_segmentation(self):
        truth, guess = np.random.default_rng(0).integers(0, 3, (2, 20, 20))
        found = vesica.evaluate_segmentation(truth, guess)
        ax = plot.confusion(found, by=None, ax=new_axes())
        assert np.array_equal(sum(image.get_array().filled(0) for image in ax.images), found.confusion())
        assert rows(ax) == ["0", "1", "2"]

    def test_many_classes_have_fewer_names(self):
        truth, guess = np.random.default_rng(0).integers(0, 90, (2, 80, 80))
        ax = plot.confusion(vesica.evaluate_segmentation(truth, guess), ax=Figure((9, 9)).subplots())
        assert 20 <= len(rows(ax)) <= 30 and len(ax.texts) == 1
        narrow = plot.confusion(vesica.evaluate_segmentation(truth, guess), ax=Figure((3.6, 3.6)).subplots())
        assert len(rows(narrow)) < len(rows(ax))

    def test_nothing(self, nothing):
        assert "no class is taken for another" in sentence(plot.confusion(nothing, ax=new_axes()))


class TestCauses:
    def test_bars_are_the_costs(self, result):
        ax = plot.causes(result, ax=new_axes())
        costs = {row["cause"]: row["cost"] for row in result.causes().table}
        drawn = [bar.get_width() for bar in ax.patches]
        single = sorted((costs[name] for name in CAUSES), reverse=True)
        assert drawn == [*single, *(cost for name, cost in costs.items() if name not in CAUSES)]

    def test_words_are_beside(self, result):
        found = result.causes(iou=0.75)
        ax = plot.causes(found, ax=new_axes(12))
        texts = [text.get_text() for text in ax.texts]
        for row in found.table:
            assert f"{row['cause']}: {row['meaning']}" in texts
            assert f"{row['cost']:+.3f}   {row['count']:,}" in texts
        assert "IoU 0.75" in ax.get_xlabel() and f"AP is {found.ap:.3f}" in texts[-1]

    def test_nothing(self, nothing):
        assert sentence(plot.causes(nothing, ax=new_axes())) == "there are no truths, so there is no AP"


class TestReliability:
    def test_points_and_bars_are_the_bins(self, result):
        found = result.reliability()
        ax = plot.reliability(result, ax=new_axes())
        x, y = ax.lines[-1].get_data()
        some = found.bins["guesses"] > 0
        assert np.array_equal(x, found.bins["score"][some]) and np.array_equal(y, found.bins["precision"][some])
        heights = [bar.get_height() for bar in ax.patches]
        assert np.allclose(heights, found.bins["guesses"] / found.bins["guesses"].sum())
        assert f"ECE {found.ece:.3f}" in sentence(ax)

    def test_gaps_reach_the_diagonal(self, result):
        (gaps,) = plot.reliability(result.reliability(bins=5), ax=new_axes()).collections
        for (x, low), (_, high) in gaps.get_segments():
            assert x == pytest.approx(low) or x == pytest.approx(high)

    def test_nothing(self, nothing):
        assert sentence(plot.reliability(nothing, ax=new_axes())) == "no guess counts here"


class TestBySize:
    def test_lines_are_the_table(self, result):
        found = result.by_size(bins=5)
        ax = plot.by_size(found, ax=new_axes())
        for line, name in zip(ax.lines, ("AP", "AR"), strict=True):
            assert np.array_equal(line.get_ydata(), found[name], equal_nan=True)
        assert [text.get_text() for text in ax.texts[:-1]] == [f"{count:,}" for count in found["truths"]]

    def test_ranges(self, result):
        ax = plot.by_size(result.by_size(sides=[32, 50]), ax=new_axes())
        assert [text.get_text() for text in ax.get_xticklabels()] == ["under 32", "32–50", "50 and more"]

    def test_another_table(self, result):
        with pytest.raises(ValueError, match=r"table of result.by_size\(\); the one given has no column 'side_from'"):
            plot.by_size(result.per_image(), ax=new_axes())


class TestDistributions:
    def test_ious_are_those_of_right_guesses(self, result):
        table = result.objects(iou=0.5)
        values = table["iou"][table["cause"] == "right"]
        ax = plot.ious(result, ax=new_axes())
        assert sum(bar.get_height() for bar in ax.patches) == len(values)
        assert [line.get_xdata()[0] for line in ax.lines] == [values.mean(), np.median(values)]

    def test_images(self, result):
        table = result.per_image(min_score=0.3)
        values = [row["f1"] for row in table if row["f1"] is not None]
        ax = plot.per_image(table, ax=new_axes())
        counts, _ = np.histogram(values, 20, (0, 1))
        assert [bar.get_height() for bar in ax.patches] == counts.tolist()
        assert f"the worst is {table['image'][0]} ({min(values):.3f})" in sentence(ax)

    def test_nothing(self, nothing):
        assert sentence(plot.ious(nothing, ax=new_axes())) == "no pair reaches IoU 0.5"
        assert sentence(plot.per_image(nothing, ax=new_axes())) == "no image has a number"


class TestScores:
    def test_bars_are_the_guesses(self, result):
        ax = plot.scores(result, iou=0.75, ax=new_axes())
        counts = result.counts(iou=0.75).total()
        heights = [bar.get_height() for bar in ax.patches]
        assert (sum(heights[:20]), sum(heights[20:])) == (counts.tp, counts.fp)
        assert [bar.get_y() for bar in ax.patches[20:]] == heights[:20]
        assert f"{counts.tp} right" in sentence(ax) and {bar.get_hatch() for bar in ax.patches} == {"", "////"}

    def test_one_category(self, result):
        ax = plot.scores(result, category="cat", ax=new_axes())
        counts = result.counts().of("cat")
        assert sum(bar.get_height() for bar in ax.patches) == counts.tp + counts.fp

    def test_nothing(self, nothing):
        assert sentence(plot.scores(nothing, ax=new_axes())) == "no guess counts here"


class TestByIou:
    def test_points_are_the_ap_of_each_threshold(self, result):
        x, y = plot.by_iou(result, ax=new_axes()).lines[0].get_data()
        assert tuple(x) == result.protocol.iou
        assert y[0] == result["AP50"] and y[5] == result["AP75"] and np.mean(y) == pytest.approx(result["AP"])

    def test_categories(self, result):
        ax = plot.by_iou(result, category=["cat", "$dog$"], ax=new_axes())
        table = {row["category"]: row for row in result.per_class()}
        for line, name in zip(ax.lines, ("cat", "$dog$"), strict=True):
            assert line.get_ydata()[0] == pytest.approx(table[name]["AP50"])


class TestWidth:
    def test_narrow_axes_wrap_more(self, result):
        wide, narrow = (plot.reliability(result, ax=new_axes(width)) for width in (9, 3.6))
        several = plot.reliability(result, ax=Figure((9, 4)).subplots(1, 3)[1])
        lines = [ax.texts[-1].get_text().count("\n") for ax in (wide, narrow, several)]
        assert lines[0] == 0 and lines[1] > 0 and lines[2] > 0


class TestIntervals:
    def test_lines_are_the_ends(self, result, intervals):
        ax = plot.intervals(intervals, metric="AP50", ax=new_axes())
        table = [row for row in intervals.per_class() if row["number"] == "AP50" and row["value"] is not None]
        table.sort(key=lambda row: -row["value"])
        dots = next(line for line in ax.lines if line.get_marker() == "o")
        assert dots.get_xdata().tolist() == [row["value"] for row in table]
        ends = [tuple(line.get_xdata()) for line in ax.lines if line.get_marker() == "|"]
        assert ends == [(row["lo"], row["hi"]) for row in table if row["lo"] is not None]
        lo, hi, *_ = intervals["AP50"]
        assert f"{result['AP50']:.3f} ({lo:.3f} to {hi:.3f})" in sentence(ax)

    def test_the_middle_is_left_out(self, intervals):
        ax = plot.intervals(intervals, most=2, ax=new_axes())
        assert len(rows(ax)) == 2 and "2 in the middle are left out" in sentence(ax)

    def test_an_unknown_number(self, intervals):
        with pytest.raises(ValueError, match="`metric` must be one of"):
            plot.intervals(intervals, metric="AP51", ax=new_axes())


@pytest.fixture(scope="module")
def compared():
    """One that finds more than the first, and one that finds less."""
    rng = np.random.default_rng(0)
    image, category = np.repeat(np.arange(30), 4), np.tile([0, 1], 60)
    corner = rng.uniform(0, 200, (120, 2))
    boxes = np.hstack([corner, corner + 30])

    def guess(share):
        kept = rng.random(120) < share
        return side(image[kept], category[kept], boxes[kept], score=rng.random(kept.sum()))

    models = {"$old$": guess(0.6), "_new": guess(0.95), "worse": guess(0.2)}
    truth = side(image, category, boxes)
    return [vesica.compare(truth, {name: models[name] for name in some}, replicates=60)
            for some in (("$old$", "_new"), tuple(models))]  # fmt: skip


class TestComparison:
    def test_marks_and_lines_are_the_table(self, compared):
        table = list(compared[0].table())
        ax = plot.comparison(compared[0], ax=new_axes())
        marks = [line for line in ax.lines if line.get_marker() == "o" and len(line.get_xdata())]
        known = [row for row in table if row["difference"] is not None]
        assert [line.get_xdata()[0] for line in marks] == [row["difference"] for row in known]
        lines = [
            tuple(line.get_xdata()) for line in ax.lines if len(line.get_xdata()) == 2 and line.get_linewidth() == 2
        ]
        assert lines == [(row["lo"], row["hi"]) for row in known if row["lo"] is not None]
        sure = sum(row["lo"] is not None and (row["lo"] > 0 or row["hi"] < 0) for row in known)
        assert f"{sure} of {len(known)} differ by more than chance" in sentence(ax) and "$old$" in sentence(ax)
        filled = [line for line in marks if line.get_markerfacecolor() == line.get_color()]
        assert len(filled) == sure

    def test_categories_and_several_models(self, compared):
        ax = plot.comparison(compared[1], metric="AP50", ax=new_axes())
        rows_of = list(compared[1].classes("AP50"))
        assert {label.replace("…", "") for label in rows(ax)} == {row["category"] for row in rows_of}
        legend = [text.get_text().strip() for text in ax.get_legend().get_texts()]
        assert legend == ["_new", "worse"] and ax.get_title(loc="left") == "2 models against $old$"
        for mark, model in (("o", "_new"), ("s", "worse")):
            drawn = [line.get_xdata()[0] for line in ax.lines if line.get_marker() == mark and len(line.get_xdata())]
            assert sorted(drawn) == sorted(row["difference"] for row in rows_of if row["model"] == model)

    def test_unknown_number(self, compared):
        with pytest.raises(ValueError, match="AP51"):
            plot.comparison(compared[0], metric="AP51", ax=new_axes())


DRAWINGS = {
    "confusion": plot.confusion,
    "causes": plot.causes,
    "reliability": plot.reliability,
    "by_size": plot.by_size,
    "ious": plot.ious,
    "per_image": plot.per_image,
    "scores": plot.scores,
    "by_iou": plot.by_iou,
}


@pytest.mark.parametrize("name", [*DRAWINGS, "intervals"])
class TestAll:
    def drawn(self, name, result, intervals, **options):
        of = {"intervals": lambda **more: plot.intervals(intervals, **more)}
        return (of.get(name) or (lambda **more: DRAWINGS[name](result, **more)))(**options)

    @pytest.mark.parametrize("theme", ["light", "dark"])
    def test_names_are_text_in_both_themes(self, result, intervals, name, theme):
        ax = self.drawn(name, result, intervals, theme=theme, ax=new_axes(3.6))
        ax.figure.draw_without_rendering()
        texts = [ax.title, *ax.texts, *ax.get_yticklabels(), *ax.get_xticklabels()]
        for text in texts:
            assert "$dog" not in text.get_text() or not text.get_parse_math()
            assert "\x00" not in text.get_text()

    def test_axes_that_are_given_come_back(self, result, intervals, name):
        ax = new_axes()
        assert self.drawn(name, result, intervals, ax=ax) is ax

    def test_needs_a_result(self, name):
        with pytest.raises(TypeError, match=r"got dict. In Python: Write vesica.evaluate\(truth, guess\)"):
            getattr(plot, name)({"AP": 1.0}, ax=new_axes())

    def test_an_unknown_theme(self, result, intervals, name):
        with pytest.raises(ValueError, match="`theme` must be 'light' or 'dark'; got 'sepia'"):
            self.drawn(name, result, intervals, theme="sepia", ax=new_axes())
