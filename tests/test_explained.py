"""Objects, images, sizes, reliability and cuts: tables that a result of detection scores tells beside its numbers."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import tide
import vesica
from scenes import Traits, datasets, job
from test_causes import TWO, A, B, of
from vesica import Dataset
from vesica.detection import Records, summarise
from vesica.detection.reliability import reliability_of
from vesica.errors import InputError, MissingExtra

DATA = Path(__file__).parents[2] / "shared/data"


@pytest.fixture(scope="module")
def mixed():
    return vesica.evaluate(*datasets(*tide.mixed(0)))


class TestObjects:
    def test_by_hand(self):
        """A row for each guess in the order in which they came, then the truths that nobody found."""
        truths = [*TWO, ([600, 0, 700, 100], "cat")]
        table = of(truths, [(B, "cat", 0.9), (A, "cat", 0.8)]).objects()
        assert list(table) == [
            {
                **{"image": 1, "category": "cat", "guess": 0, "score": 0.9, "x1": 300, "y1": 0, "x2": 400, "y2": 100},
                **{"cause": "classification", "iou": 1.0, "truth": 1, "truth_category": "dog", "right_at": 0},
            },
            {
                **{"image": 1, "category": "cat", "guess": 1, "score": 0.8, "x1": 0, "y1": 0, "x2": 100, "y2": 100},
                **{"cause": "right", "iou": 1.0, "truth": 0, "truth_category": "cat", "right_at": 10},
            },
            {
                **{
                    "image": 1,
                    "category": "dog",
                    "guess": None,
                    "score": None,
                    "x1": 300,
                    "y1": 0,
                    "x2": 400,
                    "y2": 100,
                },
                **{"cause": "classification", "iou": None, "truth": 1, "truth_category": "dog", "right_at": 0},
            },
            {
                **{
                    "image": 1,
                    "category": "cat",
                    "guess": None,
                    "score": None,
                    "x1": 600,
                    "y1": 0,
                    "x2": 700,
                    "y2": 100,
                },
                **{"cause": "missed", "iou": None, "truth": 2, "truth_category": "cat", "right_at": 0},
            },
        ]

    def test_ids(self):
        """Truths are named by their ids, where they have some."""
        truth = Dataset.from_arrays([A, B], image=[1, 1], category=["cat", "cat"], id=[70, 80])
        guess = Dataset.from_arrays([A], image=[1], category=["cat"], score=[0.9])
        assert vesica.evaluate(truth, guess).objects()["truth"].tolist() == [70, 80]

    @pytest.mark.parametrize("least", [None, 0.5])
    @pytest.mark.parametrize("iou", [0.5, 0.75])
    def test_adds_up(self, mixed, iou, least):
        """Its causes are those of `causes` and `counts`, and every truth is in it once as found or not found."""
        table, counts = mixed.objects(iou=iou, min_score=least), mixed.counts(iou=iou, min_score=least).total()
        cause, is_guess = table["cause"], np.array([one is not None for one in table["guess"]])
        assert (cause[is_guess] == "right").sum() == counts.tp
        assert (cause[is_guess] != "right").sum() == counts.fp and (~is_guess).sum() == counts.fn
        told = [(image, truth) for image, truth in zip(table["image"], table["truth"], strict=True)]
        found = [key for key, one, mine in zip(told, cause, is_guess, strict=True) if one == "right" or not mine]
        assert len(found) == len(set(found)) == len(mixed.details.truth_image)
        if least is None:
            by_name = {name: int((cause[is_guess] == name).sum()) for name in set(cause) - {"right", "missed"}}
            causes = mixed.causes(iou=iou)
            assert by_name == {name: causes[name]["count"] for name in by_name}
            assert (cause == "missed").sum() == causes["missed"]["count"]

    def test_number_is_a_row_of_the_image(self):
        """`guess` finds the row again, whatever the order of the file."""
        truth, results = tide.mixed(2)
        results = [results[k] for k in np.random.default_rng(0).permutation(len(results))]
        table = vesica.evaluate(*datasets(truth, results)).objects()
        for row in table:
            if row["guess"] is not None:
                own = [one for one in results if one["image_id"] == row["image"]][row["guess"]]
                assert own["score"] == row["score"] and own["bbox"][0] == row["x1"]


class TestExports:
    def test_pandas(self, mixed):
        pandas = pytest.importorskip("pandas")
        frame = mixed.objects().to_pandas()
        assert isinstance(frame, pandas.DataFrame) and list(frame) == list(mixed.objects().columns)
        assert str(frame["guess"].dtype) == "Int64" and frame["guess"].isna().sum() == (frame["score"].isna()).sum() > 0
        assert frame["truth"].dropna().map(type).eq(int).all()

    def test_arrow(self, mixed, tmp_path):
        parquet = pytest.importorskip("pyarrow.parquet")
        table = mixed.objects()
        arrow = table.to_arrow()
        assert arrow.num_rows == len(table) and str(arrow.schema.field("guess").type) == "int64"
        path = tmp_path / "objects.parquet"
        table.to_parquet(path)
        assert parquet.read_table(path).to_pylist() == list(table) == arrow.to_pylist()
        assert [one.name for one in tmp_path.iterdir()] == ["objects.parquet"]
        with pytest.raises(InputError, match="cannot be written"):
            table.to_parquet(tmp_path / "nowhere" / "objects.parquet")

    def test_parquet_leaves_its_neighbours_alone(self, mixed, tmp_path):
        pytest.importorskip("pyarrow.parquet")
        neighbour, behind, link = (tmp_path / name for name in ("a.parquet.unfinished", "kept.parquet", "a.parquet"))
        neighbour.write_text("mine")
        behind.write_text("old")
        link.symlink_to(behind)
        mixed.objects().to_parquet(link)
        assert neighbour.read_text() == "mine" and link.is_symlink() and behind.read_bytes()[:4] == b"PAR1"

    @pytest.mark.parametrize(
        "method, module, package",
        [("to_pandas", "pandas", "pandas"), ("to_arrow", "pyarrow", r"vesica\[arrow\]")],
    )
    def test_not_installed(self, mixed, monkeypatch, method, module, package):
        monkeypatch.setitem(sys.modules, module, None)
        with pytest.raises(MissingExtra, match=f'`{method}` needs {module}: pip install "{package}"'):
            getattr(mixed.objects(), method)()


class TestPerImage:
    def test_by_hand(self):
        kinds = {"images": [1, 2, 3, 4], "categories": {0: "cat"}}
        truth = Dataset.from_arrays([A, A, B], image=[1, 2, 2], category=[0, 0, 0], **kinds)
        guess = Dataset.from_arrays([A, A, A], image=[1, 2, 3], category=[0, 0, 0], score=[0.9, 0.8, 0.7], **kinds)
        table = vesica.evaluate(truth, guess).per_image()
        assert [list(row.values()) for row in table] == [
            [3, 0, 0, 1, 0, 0.0],
            [2, 2, 1, 0, 1, 2 / 3],
            [1, 1, 1, 0, 0, 1.0],
            [4, 0, 0, 0, 0, None],
        ]

    @pytest.mark.parametrize("options", [{}, {"iou": 0.75}, {"min_score": 0.5}, {"area": "small"}])
    def test_adds_up(self, options):
        """All images together are the counts of all classes, and the worst come first."""
        result = vesica.evaluate(*datasets(*job(np.random.default_rng(4), Traits(guesses=12, ignores=True))))
        table, want = result.per_image(**options), result.counts(**options).total()
        assert tuple(int(table[name].sum()) for name in ("tp", "fp", "fn")) == (want.tp, want.fp, want.fn)
        f1 = table["f1"][~np.isnan(table["f1"])]
        assert (np.diff(f1) >= 0).all()


class TestBySize:
    def test_coco_ranges(self, mixed):
        """Between COCO's sides it has COCO's numbers."""
        table = mixed.by_size(sides=[32, 96])
        names = [("APs", "ARs"), ("APm", "ARm"), ("APl", "ARl")]
        for row, (precision, recall) in zip(table, names, strict=True):
            assert row["AP"] == pytest.approx(mixed[precision], abs=1e-12, nan_ok=True), precision
            assert row["AR"] == pytest.approx(mixed[recall], abs=1e-12, nan_ok=True)
        assert table["side_below"].tolist() == [32, 96, np.inf]

    @pytest.mark.parametrize("protocol", ["voc", "coco"])
    def test_one_range(self, protocol):
        result = vesica.evaluate(*datasets(*tide.mixed(1)), protocol=protocol)
        (row,) = result.by_size(bins=1)
        assert row["AP"] == pytest.approx(next(iter(result.values())))
        counts = result.counts().total()
        assert row["found"] == counts.tp and row["truths"] == counts.tp + counts.fn

    def test_bins(self, mixed):
        """About as many truths in each."""
        table = mixed.by_size(bins=4)
        truths = table["truths"]
        assert len(table) == 4 and truths.sum() == mixed.counts().total().tp + mixed.counts().total().fn
        assert truths.max() - truths.min() <= 1
        assert (table["side_from"][1:] == table["side_below"][:-1]).all()

    @pytest.mark.parametrize(
        "options, words",
        [
            ({"bins": 0}, "`bins` must be a whole number from 1 to 1000; got 0"),
            ({"sides": [96, 32]}, "`sides` must be lengths above 0 that rise"),
            ({"sides": [0, 32]}, "`sides` must be lengths above 0 that rise"),
        ],
    )
    def test_refusals(self, mixed, options, words):
        with pytest.raises(ValueError, match=words):
            mixed.by_size(**options)


class TestReliability:
    def test_by_hand(self):
        found = of(TWO, [(A, "cat", 0.95), (B, "dog", 0.85), ([600, 0, 700, 9], "cat", 0.15)]).reliability()
        assert found.ece == pytest.approx((0.05 + 0.15 + 0.15) / 3) and found.mce == pytest.approx(0.15)
        assert found.bins["guesses"].tolist() == [0, 1, 0, 0, 0, 0, 0, 0, 1, 1]
        assert found.per_class["ece"].tolist() == pytest.approx([0.1, 0.15])
        assert json.loads(json.dumps(found.to_dict()))["bins"][0]["gap"] is None
        assert repr(found) == "Reliability(ECE 0.117, MCE 0.150, 10 bins)"

    @pytest.mark.parametrize("score, place", [(0.0, 0), (0.1, 1), (0.3, 3), (0.7, 7), (0.999, 9), (1.0, 9)])
    def test_edges(self, score, place):
        """A score at an edge belongs to the upper bin, and 1 to the last."""
        assert np.argmax(of(TWO, [(A, "cat", score)]).reliability().bins["guesses"]) == place

    def test_equals_netcal(self):
        """200 cases that another library wrote down."""
        path = DATA / "oracles" / "calibration_netcal.json"
        if not path.exists():
            pytest.skip("needs shared data")
        for case in json.loads(path.read_text()):
            score, right = np.array(case["scores"]), np.array(case["matched"], bool)
            kinds = np.zeros(len(score), np.int64), np.array(["cat"], object)
            assert reliability_of(score, right, *kinds, case["n_bins"]).ece == pytest.approx(case["ece"], abs=1e-9)

    def test_equals_torchmetrics(self, mixed):
        torch, metrics = pytest.importorskip("torch"), pytest.importorskip("torchmetrics.functional.classification")
        matched, ignored = mixed.records.lane(0, 0)
        score, right = (torch.tensor(column[~ignored]) for column in (mixed.records.score, matched))
        found = mixed.reliability(bins=15)
        for norm, ours in (("l1", found.ece), ("max", found.mce)):
            want = metrics.binary_calibration_error(score, right.int(), n_bins=15, norm=norm)
            assert ours == pytest.approx(float(want), abs=1e-6)

    def test_scores_that_are_no_shares(self):
        with pytest.raises(ValueError, match="Scores must lie between 0 and 1 to be compared with shares; got 90"):
            of(TWO, [(A, "cat", 90)]).reliability()

    def test_nothing(self):
        truth = Dataset.from_arrays([A], image=[1], category=["cat"])
        found = vesica.evaluate(truth, Dataset.from_arrays([], image=[], category=[], score=[])).reliability()
        assert np.isnan(found.ece) and np.isnan(found.mce)


class TestThresholds:
    def test_best_f1(self, mixed):
        """The same cut as the curve's, and the counts there are what it says."""
        for row in mixed.thresholds():
            curve = mixed.curve(None if row["category"] == "all" else row["category"])
            assert row["f1"] == curve.best_f1.f1 and row["score"] == curve.best_f1.score
        row = list(mixed.thresholds())[1]
        counts = mixed.counts(min_score=row["score"]).of(row["category"])
        assert (row["precision"], row["recall"]) == (counts.precision, counts.recall)

    def test_precision(self, mixed):
        """The lowest score that keeps the promise; one guess more breaks it, down to the end."""
        for row in mixed.thresholds(precision=0.8):
            curve = mixed.curve(None if row["category"] == "all" else row["category"])
            reached = curve.precision >= 0.8
            if row["score"] is None:
                assert not reached.any()
                continue
            assert row["precision"] >= 0.8 and not reached[curve.score < row["score"]].any()

    def test_equal_scores(self):
        """No cut parts guesses of equal scores."""
        result = of(TWO, [(A, "cat", 0.5), ([600, 0, 700, 9], "cat", 0.5)])
        assert [row["score"] for row in result.thresholds(precision=0.9)] == [None, None, None]

    def test_refusal(self, mixed):
        with pytest.raises(ValueError, match=r"`precision` must lie in \(0, 1\]; got 90. Divide a percentage by 100"):
            mixed.thresholds(precision=90)


def test_from_records_alone(mixed):
    """Images, reliability and cuts need no details."""
    again = summarise(Records.from_bytes(mixed.records.to_bytes()))
    assert list(again.per_image()) == list(mixed.per_image())
    assert list(again.thresholds()) == list(mixed.thresholds())
    assert again.reliability().ece == mixed.reliability().ece
