"""Pictures of tables: what is drawn is what the table says, and marks lead to the rows."""

import numpy as np
import pytest

import vesica
from vesica import Dataset, plot
from vesica.dataset import Images
from vesica.errors import InputError

pytest.importorskip("matplotlib")
from matplotlib.figure import Figure

NAMES = ["cat", "$dog$", "_bird", "<b>"]


def new_axes(width=6):
    return Figure((width, 5)).subplots()


def rows(ax):
    return [text.get_text() for text in ax.get_yticklabels()]


def sentence(ax):
    return " ".join(ax.texts[-1].get_text().split())


def marked(ax, **facts):
    """The artists that stand for this, by their ids."""
    wanted = [name for name, own in plot.marks(ax).items() if own == facts]
    return [one for one in ax.findobj() if one.get_gid() in wanted]


@pytest.fixture(scope="module")
def data():
    """Thirty images, four categories; two models, the second of which finds more."""
    rng = np.random.default_rng(0)
    image = np.repeat(np.arange(30), 5)
    category = rng.integers(0, 3, len(image))
    corner, sides = rng.uniform(0, 200, (len(image), 2)), rng.uniform(4, 90, (len(image), 2))
    boxes = np.hstack([corner, corner + sides])
    names = {"images": range(30), "categories": dict(enumerate(NAMES))}
    truth = Dataset.from_arrays(boxes, image=image, category=category, **names)
    models = []
    for share in (0.6, 0.9):
        kept = rng.random(len(image)) < share
        guessed = np.where(rng.random(kept.sum()) < 0.8, category[kept], rng.integers(0, 4, kept.sum()))
        given = {"image": image[kept], "category": guessed, "score": rng.random(kept.sum())}
        models.append(Dataset.from_arrays(boxes[kept], **given, **names))
    return truth, *models


@pytest.fixture(scope="module")
def result(data):
    return vesica.evaluate(data[0], data[1], slices={"$light$": ["day", "night", "dusk"] * 10})


@pytest.fixture(scope="module")
def compared(data):
    slices = {"light": ["day", "night", "dusk"] * 10}
    return vesica.compare(*data, names=["old", "new"], slices=slices, replicates=50)


@pytest.fixture(scope="module")
def agreed():
    """Three people and four batches, in the first two of which one of them misses more."""
    rng = np.random.default_rng(0)
    image, category = np.repeat(np.arange(40), 4), rng.choice(NAMES[:3], 160)
    corner, sides = rng.uniform(0, 80, (160, 2)), rng.uniform(15, 30, (160, 2))
    boxes, parts = np.hstack([corner, corner + sides]), []
    for who, seen in (("ann", np.full(160, 0.95)), ("ben", np.full(160, 0.9)), ("cleo", 0.3 + 0.2 * (image // 10))):
        kept = rng.random(160) < seen
        drawn = boxes[kept] + rng.normal(0, 1, (kept.sum(), 4))
        label = np.where(rng.random(kept.sum()) < 0.85, category[kept], NAMES[0])
        parts.append((drawn, image[kept], label, np.full(kept.sum(), who)))
    drawn, image, label, who = (np.concatenate(column) for column in zip(*parts, strict=True))
    table = Images(np.arange(40), batch=np.repeat(["a", "b", "c", "d"], 10).astype(object))
    given = {"image": image, "category": label.tolist(), "annotator": who.tolist()}
    return vesica.evaluate_agreement(Dataset.from_arrays(drawn, **given, images=table, assignments="all"))


@pytest.fixture(scope="module")
def maps():
    first, second = np.random.default_rng(0).integers(0, 3, (2, 4, 30, 30))
    changed = np.where(second == 0, second, first)
    return vesica.evaluate_agreement({"ann": dict(enumerate(first)), "ben": dict(enumerate(changed))})


@pytest.fixture(scope="module")
def segmented():
    truth, guess = np.random.default_rng(1).integers(0, 3, (2, 12, 10, 10))
    return vesica.evaluate_segmentation(truth, np.where(guess == 0, guess, truth), categories=NAMES[:3])


@pytest.fixture(scope="module")
def blank():
    empty = Dataset.from_arrays(np.empty((0, 4)), image=[], category=[], images=[0, 1])
    return vesica.evaluate_agreement({"ann": empty, "ben": empty})


class TestCoefficients:
    def test_dots_and_ends_are_the_table(self, agreed):
        ax = plot.coefficients(agreed, ax=new_axes())
        table = sorted(agreed.coefficients(), key=lambda row: -row["agreement"])
        assert rows(ax) == [row["category"] for row in table]
        ends = [tuple(line.get_xdata()) for line in ax.lines if line.get_marker() == "|"]
        assert ends == [(row[f"{name}_lo"], row[f"{name}_hi"]) for name in ("agreement", "alpha") for row in table]
        for row in table:
            dots = marked(ax, category=row["category"])
            assert [dot.get_xdata()[0] for dot in dots] == [row["agreement"], row["alpha"]]

    def test_the_whole_is_a_line(self, agreed):
        ax = plot.coefficients(agreed, ax=new_axes(12))
        across = [
            line.get_xdata()[0] for line in ax.lines if len({*line.get_xdata()}) == 1 and len(line.get_xdata()) == 2
        ]
        assert {0, agreed["agreement"], agreed["alpha"]} <= {*across}
        assert sentence(ax).startswith(f"agreement of all {agreed['agreement']:.3f}, Krippendorff's α of all")

    def test_label_maps(self, maps):
        ax = plot.coefficients(maps, ax=new_axes())
        for row in maps.coefficients():
            assert [dot.get_xdata()[0] for dot in marked(ax, category=row["category"])] == [
                row["iou"],
                row["corrected"],
            ]

    def test_the_middle_is_left_out(self, agreed):
        ax = plot.coefficients(agreed, most=2, ax=new_axes(12))
        assert len(rows(ax)) == 2 and sentence(ax).endswith("1 in the middle are left out")

    def test_nothing(self, blank):
        assert sentence(plot.coefficients(blank, ax=new_axes())) == "no category has a number"


class TestTrend:
    def test_points_are_the_table(self, agreed):
        ax = plot.trend(agreed, ax=new_axes())
        table = list(agreed.trend())
        for row in table:
            (dot,) = marked(ax, batch=row["batch"])
            assert dot.get_ydata()[0] == row["agreement"]
        start = table[0]["agreement"]
        ends = [tuple(line.get_ydata()) for line in ax.lines if line.get_marker() == "_"]
        assert ends == [(start + row["lo"], start + row["hi"]) for row in table[1:]]
        assert [text.get_text() for text in ax.get_xticklabels()] == ["a", "b", "c", "d"]

    def test_filled_where_it_is_no_chance(self, agreed):
        ax = plot.trend(agreed, ax=new_axes())
        for row in list(agreed.trend())[1:]:
            (dot,) = marked(ax, batch=row["batch"])
            assert (dot.get_markerfacecolor() != "#ffffff") == (row["lo"] > 0 or row["hi"] < 0)
        assert "more than chance" in sentence(ax) and sentence(ax).startswith("from ")

    def test_of_a_category(self, agreed):
        ax = plot.trend(agreed, category="$dog$", ax=new_axes())
        own = [row for row in agreed.trend(category=True) if row["category"] == "$dog$"]
        assert [marked(ax, batch=row["batch"])[0].get_ydata()[0] for row in own] == [row["agreement"] for row in own]
        assert ax.get_title(loc="left") == "Agreement by batch, $dog$"

    def test_many_periods_have_some_names(self):
        days = [f"2026-{1 + k // 28:02}-{1 + k % 28:02}" for k in range(120)]
        given = {"image": [*range(120)] * 2, "annotator": ["ann"] * 120 + ["ben"] * 120}
        asked = {**given, "date": days * 2}
        data = Dataset.from_arrays([[0, 0, 4, 4]] * 240, **given, images=range(120), assignments=asked)
        ax = plot.trend(vesica.evaluate_agreement(data), by="date", ax=new_axes(3.6))
        assert 3 <= len(ax.get_xticklabels()) <= 30 and len(plot.marks(ax)) == 120

    @pytest.mark.parametrize(
        ("options", "words"),
        [({"by": "hour"}, "`by` must be one of"), ({"category": "cow"}, "`category` must be one of"),
         ({"by": "date"}, "have no date")],
    )  # fmt: skip
    def test_what_is_not_there(self, agreed, options, words):
        with pytest.raises((ValueError, InputError), match=words):
            plot.trend(agreed, **options, ax=new_axes())


class TestConfusions:
    def test_bars_are_the_top_of_the_table(self, result):
        ax = plot.top_confusions(result, most=4, ax=new_axes())
        table = list(result.confusion().top(4))
        assert [bar.get_width() for bar in ax.patches] == [row["count"] for row in table]
        assert [*plot.marks(ax).values()] == [{"truth": row["truth"], "guess": row["guess"]} for row in table]
        assert rows(ax)[0] == f"{table[0]['truth']} → {table[0]['guess']}"

    def test_annotators_count_two_labels_once(self, agreed):
        ax = plot.top_confusions(agreed, ax=new_axes())
        pairs = [frozenset(own.values()) for own in plot.marks(ax).values()]
        assert len({*pairs}) == len(pairs)
        differ = sum(row["count"] for row in agreed.confusion() if "none" not in (row["category_a"], row["category_b"])
                     and row["category_a"] != row["category_b"])  # fmt: skip
        assert sum(bar.get_width() for bar in ax.patches) == differ

    def test_nothing(self):
        found = vesica.evaluate_segmentation([[0, 1]], [[0, 1]])
        assert sentence(plot.top_confusions(found, ax=new_axes())) == "no class is taken for another"


class TestImages:
    def test_ranks(self, segmented):
        ax = plot.ranked(segmented, ax=new_axes())
        values = sorted((row["mIoU"] for row in segmented.per_image()), reverse=True)
        assert ax.lines[0].get_ydata().tolist() == values
        told = [text.get_text().partition(":")[0] for text in ax.texts[:3]]
        assert told == ["best", "median", "worst"]
        images = [own["image"] for own in plot.marks(ax).values()]
        by_value = sorted(segmented.per_image(), key=lambda row: -row["mIoU"])
        assert [by_value[0]["image"], by_value[-1]["image"]] == [images[0], images[-1]]

    @pytest.mark.parametrize("kind", ["result", "agreed", "maps"])
    def test_ranks_of_others(self, request, kind):
        ax = plot.ranked(request.getfixturevalue(kind), ax=new_axes())
        values = ax.lines[0].get_ydata()
        assert len(values) > 2 and (np.diff(values) <= 0).all()

    def test_one_image_is_named_once(self):
        ax = plot.ranked(vesica.evaluate_segmentation([[0, 1]], [[0, 1]]), ax=new_axes())
        assert [*plot.marks(ax).values()] == [{"image": 0}] and ax.texts[0].get_text() == "best: 0 1.000"

    def test_over_images(self, segmented):
        ax = plot.over_images(segmented, metric="Dice", ax=new_axes())
        for name in NAMES[:3]:
            own = [row["Dice"] for row in segmented.per_cell() if row["category"] == name and row["Dice"] is not None]
            (dot,) = marked(ax, category=name)
            assert dot.get_xdata()[0] == pytest.approx(np.median(own))
        thick = [tuple(line.get_xdata()) for line in ax.lines if line.get_linewidth() == 7]
        assert len(thick) == 3 and all(low <= high for low, high in thick)

    def test_over_images_of_maps(self, maps):
        ax = plot.over_images(maps, ax=new_axes())
        values = [row["iou"] for row in maps.per_image() if row["category"] == 1]
        assert marked(ax, category=1)[0].get_xdata()[0] == pytest.approx(np.median(values))

    def test_disputed_bars_add_up_to_what_was_lost(self, agreed):
        ax = plot.disputed(agreed, most=5, ax=new_axes())
        table = sorted(agreed.images(), key=lambda row: -row["lost"])[:5]
        for row in table:
            own = [name for name, facts in plot.marks(ax).items() if facts["image"] == row["image"]]
            width = sum(one.get_width() for one in ax.findobj() if one.get_gid() in own)
            assert width == pytest.approx(row["lost"])
        assert rows(ax) == [str(row["image"]) for row in table]

    def test_disputed_maps(self, maps):
        ax = plot.disputed(maps, ax=new_axes())
        assert [bar.get_width() for bar in ax.patches] == sorted(
            (1 - row["mIoU"] for row in maps.by_image()), reverse=True
        )

    def test_nothing_is_disputed(self, blank):
        assert sentence(plot.disputed(blank, ax=new_axes())) == "in no image does anybody differ"


class TestComparison:
    @pytest.mark.parametrize("by", ["category", "cause"])
    def test_fixed_and_broken_are_the_objects(self, compared, by):
        ax = plot.fixed_and_broken(compared, by=by, ax=new_axes(12))
        table = list(compared.objects())
        counted = {}
        for row in table:
            counted[row["change"], row[by]] = counted.get((row["change"], row[by]), 0) + 1
        drawn = {
            (facts["change"], facts[by]): abs(bar.get_width())
            for name, facts in plot.marks(ax).items()
            for bar in ax.patches
            if bar.get_gid() == name
        }
        assert drawn == counted
        fixed, broken = (sum(row["change"] == change for row in table) for change in ("fixed", "broken"))
        assert sentence(ax) == f"new finds {fixed} objects that old misses, and misses {broken} that old finds"

    def test_slices(self, compared):
        ax = plot.slices(compared, metric="AP50", ax=new_axes())
        for row in compared.slices("AP50"):
            (dot,) = marked(ax, light=row["slice"])
            assert dot.get_xdata()[0] == row["difference"]
            assert (dot.get_markerfacecolor() != "#ffffff") == (row["lo"] > 0 or row["hi"] < 0)

    def test_slices_of_a_detector(self, result):
        ax = plot.slices(result, ax=new_axes())
        table = list(result.slices.table())
        assert [bar.get_width() for bar in ax.patches] == [row["AP"] for row in table]
        assert rows(ax) == [f"$light$: {row['slice']}" for row in table]

    def test_without_slices(self, data):
        with pytest.raises(ValueError, match=r"say `slices=…`. In Python: vesica.evaluate\(truth, guess, slices=…\)"):
            plot.slices(vesica.evaluate(data[0], data[1]), ax=new_axes())

    @pytest.mark.parametrize(
        ("draw", "options", "words"),
        [
            (plot.fixed_and_broken, {"by": "size"}, "`by` must be one of"),
            (plot.fixed_and_broken, {"model": "older"}, "older"),
            (plot.slices, {"model": "older"}, "`model` must be one of"),
            (plot.slices, {"metric": "AP51"}, "`metric` must be one of"),
        ],
    )
    def test_options_that_are_none(self, compared, draw, options, words):
        with pytest.raises(ValueError, match=words):
            draw(compared, **options, ax=new_axes())


class TestData:
    def test_counts(self, data):
        ax = plot.counts(data[0], ax=new_axes())
        numbers = {NAMES[k]: int((data[0].category == k).sum()) for k in range(4)}
        assert dict(zip(rows(ax), (bar.get_width() for bar in ax.patches), strict=True)) == numbers
        assert sentence(ax) == "150 objects of 4 categories in 30 images; 1 have none"

    def test_sizes(self, data):
        ax = plot.sizes(data[0], ax=new_axes())
        side = np.sqrt(data[0].xywh[:, 2] * data[0].xywh[:, 3])
        assert sum(bar.get_height() for bar in ax.patches) == len(side)
        assert sentence(ax).startswith(f"{(side < 32).sum()} small, {((side >= 32) & (side < 96)).sum()} medium")
        for name, facts in plot.marks(ax).items():
            (bar,) = [one for one in ax.patches if one.get_gid() == name]
            low, high = facts["side"]
            assert bar.get_height() == ((side >= low) & (side < high + 1e-9)).sum()

    def test_empty(self):
        empty = Dataset.from_arrays(np.empty((0, 4)), image=[], category=[])
        assert sentence(plot.sizes(empty, ax=new_axes())) == "no object has a size"
        assert sentence(plot.counts(empty, ax=new_axes())) == "0 objects of 0 categories in 0 images"

    @pytest.mark.parametrize("draw", [plot.counts, plot.sizes])
    def test_needs_a_data_set(self, draw):
        with pytest.raises(TypeError, match=r"vesica.read\(path\)"):
            draw([[0, 0, 4, 4]], ax=new_axes())


class TestSeveralNumbers:
    def test_bars_of_each(self, segmented):
        ax = plot.per_class(segmented, metric=["IoU", "Dice"], ax=new_axes())
        table = {row["category"]: row for row in segmented.per_class()}
        for name, row in table.items():
            assert sorted(bar.get_width() for bar in marked(ax, category=name)) == sorted([row["IoU"], row["Dice"]])
        assert {bar.get_hatch() for bar in ax.patches} == {None, "////"}

    @pytest.mark.parametrize("metric", [[], ["IoU", "Dice", "precision", "recall"], ["IoU", "AP"]])
    def test_not_so_many(self, segmented, metric):
        with pytest.raises(ValueError, match="`metric` must be one"):
            plot.per_class(segmented, metric=metric, ax=new_axes())


PICTURES = [
    (plot.coefficients, "agreed"),
    (plot.trend, "agreed"),
    (plot.disputed, "agreed"),
    (plot.top_confusions, "result"),
    (plot.ranked, "result"),
    (plot.slices, "result"),
    (plot.over_images, "segmented"),
    (plot.fixed_and_broken, "compared"),
]


@pytest.mark.parametrize(("draw", "kind"), PICTURES, ids=lambda one: getattr(one, "__name__", one))
class TestAll:
    @pytest.mark.parametrize("theme", ["light", "dark"])
    def test_names_are_text_in_both_themes(self, request, draw, kind, theme):
        ax = draw(request.getfixturevalue(kind), theme=theme, ax=new_axes(3.6))
        ax.figure.draw_without_rendering()
        texts = [*ax.texts, *ax.get_yticklabels(), *ax.get_xticklabels()]
        assert not any(text.get_parse_math() for text in texts if "$" in text.get_text())

    def test_marks_are_in_the_file(self, request, draw, kind, tmp_path):
        ax = draw(request.getfixturevalue(kind), ax=new_axes())
        plot.save(ax, tmp_path / "a.svg")
        written = (tmp_path / "a.svg").read_text()
        assert plot.marks(ax) and all(written.count(f'id="{name}"') == 1 for name in plot.marks(ax))

    def test_needs_a_result(self, draw, kind):
        with pytest.raises(TypeError, match=r"Write vesica\."):
            draw([1], ax=new_axes())


def test_marks_of_other_axes_are_none():
    assert plot.marks(new_axes()) == {}
