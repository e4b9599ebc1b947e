"""Pictures of scores: what is drawn is what the result says."""

import numpy as np
import pytest

import vesica
from vesica import Dataset, plot

pytest.importorskip("matplotlib")
from matplotlib.figure import Figure

NAMES = ["cat", "$dog$", "_bird", "<b>"]


@pytest.fixture(scope="module")
def result():
    """Forty images, four categories with hostile names, of which the last has no truths."""
    rng = np.random.default_rng(0)

    def side(image, category, boxes, **more):
        names = dict(enumerate(NAMES))
        return Dataset.from_arrays(boxes, image=image, category=category, images=range(40), categories=names, **more)

    image = np.repeat(np.arange(40), 4)
    category = rng.integers(0, 3, len(image))
    corner, sides = rng.uniform(0, 80, (len(image), 2)), rng.uniform(10, 30, (len(image), 2))
    boxes = np.hstack([corner, corner + sides])
    kept = rng.random(len(image)) < 0.8
    moved = boxes[kept] + rng.normal(0, 1.5, (kept.sum(), 1))
    guessed = np.where(rng.random(kept.sum()) < 0.9, category[kept], 3)
    guess = side(image[kept], guessed, moved, score=rng.random(kept.sum()).round(2))
    return vesica.evaluate(side(image, category, boxes), guess)


def new_axes():
    return Figure((6, 5)).subplots()


def legend(ax):
    return [text.get_text().strip() for text in ax.get_legend().get_texts()]


class TestPrecisionRecall:
    TRUTH = [{"boxes": [[0, 0, 4, 4], [6, 6, 9, 9]], "labels": [1, 1]}]

    def test_the_area_under_a_curve_is_the_ap_of_all_points(self, result):
        for name in NAMES[:3]:
            ax = plot.precision_recall(result, category=name, iou=0.5, ax=new_axes())
            x, y = ax.lines[0].get_data()
            area = float(np.sum(np.diff(x) * y[1:]))
            assert area == pytest.approx(result.curve(name, iou=0.5).average_precision, abs=1e-12)

    def test_labels_have_the_ap_of_the_protocol(self, result):
        ax = plot.precision_recall(result, iou=[0.5, 0.75], ax=new_axes())
        wanted = [f"IoU {t:g}   AP {result[name]:.3f}" for t, name in ((0.5, "AP50"), (0.75, "AP75"))]
        assert legend(ax) == wanted

    def test_labels_have_the_ap_of_a_category(self, result):
        ax = plot.precision_recall(result, category=NAMES[:3], iou=0.5, ax=new_axes())
        rows = {row["category"]: row["AP50"] for row in result.per_class()}
        assert legend(ax) == [f"{name}   AP {rows[name]:.3f}" for name in NAMES[:3]]

    def test_at_most_five_thresholds_unless_named(self, result):
        assert len(plot.precision_recall(result, ax=new_axes()).lines) == 5
        every = plot.precision_recall(result, iou=result.protocol.iou, ax=new_axes())
        assert len(every.lines) == len(result.protocol.iou)

    def test_a_category_without_truths_is_a_line_at_nothing(self, result):
        ax = plot.precision_recall(result, category="<b>", iou=0.5, ax=new_axes())
        assert legend(ax) == ["IoU 0.5   AP nan"] and not ax.lines[0].get_ydata().any()

    @pytest.mark.parametrize("protocol", ["voc", "voc07"])
    def test_other_protocols(self, protocol):
        guess = [{"boxes": [[0, 0, 4, 4], [5, 5, 9, 9]], "labels": [1, 1], "scores": [0.9, 0.6]}]
        found = vesica.evaluate(self.TRUTH, guess, protocol=protocol)
        assert legend(plot.precision_recall(found, ax=new_axes())) == [f"IoU 0.5   AP {found['mAP']:.3f}"]


class TestByScore:
    def test_the_best_f1_is_marked(self, result):
        ax = plot.by_score(result, iou=0.75, ax=new_axes())
        best = result.curve(iou=0.75).best_f1
        (x,), (y,) = ax.lines[-1].get_data()
        assert (x, y) == (best.score, best.f1)
        assert f"best F1 {best.f1:.3f} from score {best.score:.3f}" in ax.texts[0].get_text()

    def test_lines_are_counts_at_their_scores(self, result):
        ax = plot.by_score(result, iou=0.5, ax=new_axes())
        scores, recall = ax.lines[1].get_data()
        for score, share in list(zip(scores, recall, strict=True))[::17]:
            total = result.counts(iou=0.5, min_score=score).total()
            assert share == pytest.approx(total.recall, abs=1e-12)

    def test_without_guesses(self):
        guess = [{"boxes": [], "labels": [], "scores": []}]
        found = vesica.evaluate([{"boxes": [[0, 0, 4, 4]], "labels": [1]}], guess)
        assert plot.by_score(found, ax=new_axes()).texts[0].get_text() == "no guess counts here"


class TestPerClass:
    def test_bars_are_the_table(self, result):
        ax = plot.per_class(result, metric="AP50", ax=new_axes())
        rows = {row["category"]: row["AP50"] for row in result.per_class() if row["AP50"] is not None}
        labels = [text.get_text() for text in ax.get_yticklabels()]
        assert dict(zip(labels, (bar.get_width() for bar in ax.patches), strict=True)) == rows
        assert list(rows) != labels or sorted(rows.values(), reverse=True) == list(rows.values())
        assert [bar.get_width() for bar in ax.patches] == sorted(rows.values(), reverse=True)
        assert ax.texts[-1].get_text() == f"mean {result['AP50']:.3f} (line), 1 without a number"

    def test_many_categories_leave_out_the_middle(self, result):
        ax = plot.per_class(result, most=2, ax=new_axes())
        assert len(ax.patches) == 2 and ax.texts[-1].get_text().endswith("1 in the middle are left out")
        values = [row["AP"] for row in result.per_class() if row["AP"] is not None]
        assert [bar.get_width() for bar in ax.patches] == [max(values), min(values)]

    def test_segmentation(self):
        found = vesica.evaluate_segmentation([[0, 0, 1, 1]], [[0, 0, 1, 0]])
        rows = found.per_class()
        ax = plot.per_class(found, metric="Dice", ax=new_axes())
        assert sorted(bar.get_width() for bar in ax.patches) == sorted(row["Dice"] for row in rows)


@pytest.mark.parametrize("draw", [plot.precision_recall, plot.by_score, plot.per_class])
class TestAll:
    @pytest.mark.parametrize("theme", ["light", "dark"])
    def test_names_are_text_in_both_themes(self, result, draw, theme):
        ax = draw(result, theme=theme, ax=new_axes())
        ax.figure.draw_without_rendering()  # `$dog$` as mathematics would be italic, `$\\bad$` an error
        texts = [*ax.texts, *ax.get_yticklabels(), *(ax.get_legend().get_texts() if ax.get_legend() else [])]
        assert not any(text.get_parse_math() for text in texts if "$" in text.get_text())

    def test_needs_a_result(self, draw):
        with pytest.raises(TypeError, match=r"vesica.evaluate\(truth, guess\)"):
            draw({"AP": 1.0}, ax=new_axes())

    def test_an_unknown_theme(self, result, draw):
        with pytest.raises(ValueError, match="`theme` must be 'light' or 'dark'; got 'sepia'"):
            draw(result, theme="sepia", ax=new_axes())


@pytest.mark.parametrize(
    ("draw", "options", "words"),
    [
        (plot.precision_recall, {"iou": 0.51}, "`iou` must be one of the thresholds that were scored"),
        (plot.precision_recall, {"iou": []}, "`iou` must have at least one threshold"),
        (plot.precision_recall, {"category": "horse"}, "`category` must be an id or a name of the truth; got 'horse'"),
        (plot.by_score, {"iou": 0.51}, "`iou` must be one of the thresholds that were scored"),
        (plot.per_class, {"metric": "AP51"}, "`metric` must be one of"),
        (plot.per_class, {"most": 0}, "`most` must be a whole number above 0"),
    ],
)
def test_options_that_are_none(result, draw, options, words):
    with pytest.raises(ValueError, match=words):
        draw(result, **options, ax=new_axes())
