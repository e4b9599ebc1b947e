"""What notebooks show: a table and a drawing, escaped, small, and without a script."""

import json
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser

import numpy as np
import pytest

import vesica
from vesica import Boxes, Dataset, LabelMap, Masks, Polygons, RleMasks, RotatedBoxes, Sets, SparseMasks, _html
from vesica.agreement.consensus_maps import consensus_map
from vesica.results.tables import Table

HOSTILE = [
    "</script><img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "' style='x",
    "&amp;",
    "\x00\ud800 cut\n",
    "x" * 5000,
]
TAGS = {"div", "p", "table", "tr", "th", "td", "svg", "rect", "text", "path"}
ATTRIBUTES = {
    "style",
    "xmlns",
    "viewbox",
    "width",
    "height",
    "role",
    "aria-label",
    "x",
    "y",
    "d",
    "opacity",
    "font-size",
}
ATTRIBUTES |= {"fill", "fill-opacity", "fill-rule", "stroke", "stroke-width"}


class Reader(HTMLParser):
    """Tags that are open, and everything that a browser would make of a text."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.words = [], [], []

    def handle_starttag(self, tag, attributes):
        assert tag in TAGS, tag
        assert {name for name, _ in attributes} <= ATTRIBUTES, attributes
        self.tags.append(tag)
        if not self.get_starttag_text().endswith("/>"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def read(html):
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert reader.open == [] and len(html.encode()) <= 100_000
    for part in html.split("<svg")[1:]:
        ElementTree.fromstring("<svg" + part.partition("</svg>")[0] + "</svg>")
    return reader


def detection(names):
    boxes = np.tile([10.0, 10, 50, 50], (len(names), 1)) + np.arange(len(names))[:, None] * 60
    given = {"image": [0] * len(names), "category": range(len(names)), "categories": dict(enumerate(names))}
    return vesica.evaluate(
        Dataset.from_arrays(boxes, **given), Dataset.from_arrays(boxes + 3, score=[0.5] * len(names), **given)
    )


class TestResults:
    def test_hostile_names_are_text(self):
        result = detection(HOSTILE)
        reader = read(result._repr_html_())
        words = " ".join(reader.words)
        assert "</script><im" in words and '"><svg onload' in words and "\x00" not in words and "svg" in reader.tags
        for value in (result.confusion(), result.causes(), result.reliability(), result.objects()):
            read(value._repr_html_())

    def test_numbers_are_those_of_the_result(self):
        result = detection(["cat", "dog"])
        words = read(result._repr_html_()).words
        for name, value in result.numbers.items():
            assert name in words and (value is None or f"{value:.3f}" in words)
        assert "AP by category" in words

    def test_bars_are_as_long_as_their_numbers(self):
        drawn = _html.bars("t", [("a", 0.25), ("b", 1.0), ("c", None)])
        widths = [float(bar.get("width")) for bar in ElementTree.fromstring(drawn).iter() if bar.tag.endswith("rect")]
        assert widths == [220, 220, 220, 55]

    def test_many_categories_stay_small(self):
        result = detection([f"{'long name ' * 30}{k}" for k in range(200)])
        reader = read(result._repr_html_())
        assert any("176 in the middle left out" in words for words in reader.words)

    def test_segmentation_and_agreement(self):
        found = vesica.evaluate_segmentation([[0, 1]], [[0, 1]], categories=HOSTILE[:2])
        assert "IoU by class" in read(found._repr_html_()).words
        people = {who: Dataset.from_arrays([[0, 0, 4, 4]], image=[1], category=HOSTILE[:1]) for who in HOSTILE[:3]}
        agreed = vesica.evaluate_agreement(people)
        assert "agreement by category" in read(agreed._repr_html_()).words
        read(agreed.pairs()._repr_html_())

    def test_distances_are_no_shares(self):
        truth, guess = np.zeros((2, 1, 9, 9), int)
        truth[0, 2:5, 2:5] = guess[0, 4:8, 4:8] = 1
        found = vesica.evaluate_surfaces(truth, guess, categories=[1], tau=2)
        reader = read(found._repr_html_())
        assert reader.words.count("HD95") == 1 and reader.words.count("NSD(2)") == 2

    def test_intervals_and_slices(self):
        result = detection(["cat", "dog"])
        assert "AP50" in read(result.interval(replicates=20)._repr_html_()).words
        boxes = Dataset.from_arrays([[0, 0, 4, 4]] * 2, image=[0, 1], category=["cat"] * 2)
        guess = Dataset.from_arrays([[0, 0, 4, 4]] * 2, image=[0, 1], category=["cat"] * 2, score=[0.5] * 2)
        sliced = vesica.evaluate(boxes, guess, slices={"<camera>": [HOSTILE[0], "b"]})
        assert "<camera>" in read(sliced.slices._repr_html_()).words

    def test_without_numbers(self):
        nothing = vesica.evaluate([{"boxes": [], "labels": []}], [{"boxes": [], "labels": [], "scores": []}])
        assert "–" in read(nothing._repr_html_()).words

    def test_a_long_table_says_what_is_left_out(self):
        words = read(Table({"<a>": np.arange(50), "b": np.arange(50) / 3})._repr_html_()).words
        assert "… 30 more rows" in words and "<a>" in words and "0.333" in words


ROW, COLUMN = np.ogrid[:600, :900]
MASK = ((COLUMN - 400) ** 2 + (ROW - 300) ** 2 < 200**2) & ((COLUMN - 400) ** 2 + (ROW - 300) ** 2 > 80**2)


class TestRegions:
    @pytest.mark.parametrize(
        "regions",
        [
            Boxes([[0, 0, 4, 4], [2, 2, 6.5, 6]]),
            RotatedBoxes([[5, 5, 4, 2, 30]], unit="deg", direction="cw"),
            Polygons([[0, 0, 10, 0, 10, 10], [[[0, 0, 8, 0, 8, 8, 0, 8], [2, 2, 4, 2, 4, 4]]]]),
            Masks(MASK[None]),
            RleMasks.from_masks(MASK[None]),
            SparseMasks.from_masks(MASK[None]),
            LabelMap(MASK.astype("uint8")),
            Boxes(np.zeros((2, 3, 4))),
        ],
    )
    def test_a_table_and_a_drawing(self, regions):
        reader = read(regions._repr_html_())
        assert reader.tags.count("table") == 1 and reader.tags.count("svg") == 1 and "path" in reader.tags
        count = int(np.prod(regions.shape))
        assert reader.tags.count("path") == count and reader.tags.count("tr") == 1 + count

    def test_corners_of_a_path_are_those_of_the_box(self):
        html = Boxes([[0, 0, 100, 50]])._repr_html_()
        (path,) = html.split('d="')[1:]
        points = [tuple(map(float, one.split())) for one in path.partition('Z"')[0].removeprefix("M").split("L")]
        width, height = points[2][0] - points[0][0], points[2][1] - points[0][1]
        assert width == pytest.approx(2 * height, abs=0.2)

    @pytest.mark.parametrize("regions", [Boxes(np.empty((0, 4))), Masks(np.zeros((1, 5, 5), bool)), LabelMap([[0]])])
    def test_nothing_to_draw(self, regions):
        assert "svg" not in read(regions._repr_html_()).tags

    def test_sets_have_a_table(self):
        reader = read(Sets([HOSTILE[:2], HOSTILE[:1]])._repr_html_())
        assert reader.tags.count("tr") == 3 and "svg" not in reader.tags

    def test_thousands_stay_small(self):
        rng = np.random.default_rng(0)
        corner = rng.uniform(0, 500, (5000, 2))
        words = read(Boxes(np.hstack([corner, corner + 20]))._repr_html_()).words
        assert "60 of 5,000 are drawn" in words and "… 4,980 more rows" in words

    def test_ragged_masks_stay_small(self):
        rng = np.random.default_rng(0)
        html = Masks(rng.random((20, 60, 60)) < 0.5)._repr_html_()
        read(html)
        assert "of 20 are drawn" in html

    def test_large_masks_are_not_all_drawn(self):
        """Six of 3000 × 4000 pixels: four are fifty million."""
        runs = [[0, 12_000_000]] * 6
        html = RleMasks(runs, size=(3000, 4000))._repr_html_()
        read(html)
        assert "4 of 6 are drawn" in html

    def test_not_finite(self):
        read(Boxes(np.array([[0, 0, np.nan, 4], [0, 0, 4, 4]]), check=False)._repr_html_())


def shown():
    """A value of each class that answers or holds something, with hostile names in it where it has any."""
    rng = np.random.default_rng(0)
    boxes = [[0, 0, 4, 4], [0, 0, 4, 3], [6, 6, 9, 9]]
    masks = MASK[None, ::10, ::10]
    result = detection(HOSTILE[:4])
    truth = Dataset.from_arrays(boxes, image=[0, 1, 2], category=HOSTILE[:3])
    guess = Dataset.from_arrays(boxes, image=[0, 1, 2], category=HOSTILE[:3], score=[0.9, 0.8, 0.7])
    people = dict.fromkeys(HOSTILE[:3], truth)
    agreed = vesica.evaluate_agreement(people)
    segmented = vesica.evaluate_segmentation([[0, 1]], [[0, 1]], categories=HOSTILE[:2])
    maps = vesica.evaluate_agreement({HOSTILE[0]: np.eye(9, dtype=int), HOSTILE[1]: np.ones((9, 9), int)})
    yield from [Boxes(boxes), RotatedBoxes([[5, 5, 4, 2, 30]], unit="deg", direction="cw"), Masks(masks)]
    yield from [RleMasks.from_masks(masks), SparseMasks.from_masks(masks), LabelMap(masks[0].astype(int))]
    yield from [Polygons([[0, 0, 10, 0, 10, 10]]), Sets([HOSTILE[:2], HOSTILE[:1]]), truth, guess]
    yield from [vesica.join(boxes, boxes, at_least=0.5), vesica.match(boxes, boxes), vesica.best(boxes, boxes, k=2)]
    yield vesica.soft_nms(boxes, [0.9, 0.8, 0.7])
    yield from [vesica.nmm(boxes, [0.9, 0.8, 0.7]), vesica.nmm(RleMasks.from_masks(masks), [0.9])]
    yield vesica.fuse(np.array(boxes, float), [0.9, 0.8, 0.7])
    yield vesica.anchors.cluster(rng.uniform(5, 50, (40, 2)), k=3)
    yield from [result, result.interval(replicates=20), result.causes(), result.confusion(), result.reliability()]
    yield from [result.objects(), result.counts(), result.counts().total(), result.curve()]
    yield result.sliced({"<a>": ["<b>"]}).slices
    yield from [vesica.compare(truth, guess, guess, names=HOSTILE[:2], replicates=20)]
    yield from [segmented, segmented.spread(), vesica.evaluate_surfaces([[0, 1]], [[0, 1]], categories=[1])]
    yield vesica.surface_distances(masks[0], masks[0])
    drawn = (np.ones((4, 4), int), {1: 7})
    yield vesica.evaluate_panoptic([drawn], [drawn])
    yield from [agreed, maps, agreed.consensus(), agreed.since(agreed), agreed.ceiling(guess)]
    yield consensus_map([np.eye(9, dtype=int)] * 3)


@pytest.fixture(scope="module")
def values():
    from vesica.report.saved_facts import SavedFacts

    found = list(shown())
    result = next(value for value in found if type(value).__name__ == "DetectionResult")
    return [*found, SavedFacts(result.to_dict(), HOSTILE[0])]


class TestEverything:
    def test_shows_itself(self, values):
        for value in values:
            reader = read(value._repr_html_())
            assert "script" not in reader.tags and reader.words, type(value)

    def test_findings(self, tmp_path):
        rows = [{"image_id": 1, "category_id": 1, "bbox": [0, 0, -4, 4], "score": 0.5, "name": HOSTILE[0]}]
        (tmp_path / "<i>.json").write_text(json.dumps(rows))
        found = vesica.check(tmp_path / "<i>.json")
        assert found and found.findings[0].code in " ".join(read(found._repr_html_()).words)

    def test_no_class_is_forgotten(self, values):
        """All results and collections that the package knows of."""
        from vesica._answer import Answer
        from vesica.regions import Collection
        from vesica.results.result import Result

        def kinds(base):
            return {base, *(deeper for one in base.__subclasses__() for deeper in kinds(one))}

        public = {kind for kind in {*kinds(Result), *kinds(Collection)} if kind.__module__.startswith("vesica.")}
        abstract = {"Result", "Explained", "Collection", "PixelRegions"}
        names = {kind.__name__ for kind in public} - abstract
        assert names <= {type(value).__name__ for value in values}, names - {type(value).__name__ for value in values}
        answers = {getattr(vesica, name) for name in vesica.__all__ if isinstance(getattr(vesica, name), type)}
        lacking = [kind.__name__ for kind in answers if issubclass(kind, Answer) and kind not in map(type, values)]
        assert not lacking
