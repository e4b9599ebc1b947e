"""Gates: what a text means, and what it says of numbers."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vesica.errors import InputError
from vesica.results.gates import Gate, Scores, Verdict, images_needed, judge, parse
from vesica.results.identity import Identity, image_set

OVERALL = {"AP": 0.5, "AP50": 0.79996, "APs": None, "mAP62.5": 0.25}
CATEGORIES = {"cat": {"AP": 0.75, "APs": None}, "hair drier": {"AP": None}, "7": {"AP": 0.125}}


class TestParse:
    @pytest.mark.parametrize(
        "text, gate",
        [
            ("AP>=0.5", Gate("AP", (), ">=", "0.5")),
            ("  AP50 < .25 ", Gate("AP50", (), "<", ".25")),
            ("mAP62.5<=1e-3", Gate("mAP62.5", (), "<=", "1e-3")),
            ("AP[cat]>0", Gate("AP", ("cat",), ">", "0")),
            ("AP [ hair drier , 7 ] >= 1", Gate("AP", ("hair drier", "7"), ">=", "1")),
            ("AP>-1", Gate("AP", (), ">", "-1")),
            ("AP>=0.5 @95%", Gate("AP", (), ">=", "0.5", level="95")),
            ("AP>=0.5@ 99.5 %", Gate("AP", (), ">=", "0.5", level="99.5")),
            ("AP drop<=0.01 vs base.json", Gate("AP", (), "<=", "0.01", "drop", "base.json")),
            ("AP drop <= 0.01  vs  base.json @95%", Gate("AP", (), "<=", "0.01", "drop", "base.json", "95")),
            ("AP[cat, 7] rise>-.5 vs a b.json @90%", Gate("AP", ("cat", "7"), ">", "-.5", "rise", "a b.json", "90")),
            ("AP drop<0 vs run@2.json", Gate("AP", (), "<", "0", "drop", "run@2.json")),
            ("AP drop<0 vs run@2%.json @95%", Gate("AP", (), "<", "0", "drop", "run@2%.json", "95")),
            ("AP drop<0 vs AP>=1 vs 2.json", Gate("AP", (), "<", "0", "drop", "AP>=1 vs 2.json")),
            ("boundary_IoU(2%)>=0.5", Gate("boundary_IoU(2%)", (), ">=", "0.5")),
            ("NSD(0.5)[liver] drop<=0 vs b @95%", Gate("NSD(0.5)", ("liver",), "<=", "0", "drop", "b", "95")),
        ],
    )
    def test_meaning(self, text, gate):
        assert parse(text) == gate

    @pytest.mark.parametrize(
        "text, message",
        [
            ("", "'' is no gate. A gate is the name of a number, one of >= > <= <, and a bound"),
            ("AP", "'AP' is no gate"),
            ("AP=0.5", "'AP=0.5' is no gate"),
            ("AP==0.5", "is no gate"),
            (">=0.5", "is no gate"),
            ("0.4<AP<0.5", "is no gate"),
            ("AP>=", "must be a number; got ''"),
            ("AP>=half", "must be a number; got 'half'"),
            ("AP>=nan", "must be a number; got NaN, which nothing reaches"),
            ("AP[]>=0.5", "names no category between [ and ]"),
            ("AP[cat,]>=0.5", "names no category between [ and ]"),
            ("AP rise>=0", "must say since what: AP rise>=0 vs base.records"),
            ("AP drop<=0.01 @95%", "must say since what"),
            ("AP>=0.5 vs base.json", "names a base, and so must say drop or rise: AP drop<=0.01 vs base.json"),
            ("AP drop<=0.01 vs", "names no file after vs"),
            ("AP drop<=0.01 vs @95%", "names no file after vs"),
            ("AP>=0.5 @95", "must be a percentage: @95%"),
            ("AP drop<=0 vs base.json @95", "must be a percentage: @95%"),
            ("AP>=0.5 @0.95%", "must lie in [50, 100) percent, such as @95%; got '0.95'"),
            ("AP>=0.5 @100%", "must lie in [50, 100) percent"),
            ("AP>=0.5 @x%", "must lie in [50, 100) percent, such as @95%; got 'x'"),
            ("AP>=0.5 @%", "must lie in [50, 100) percent"),
            ("drop<=0.1 vs base.json", "is no gate"),
        ],
    )
    def test_what_is_none(self, text, message):
        with pytest.raises(ValueError) as error:
            parse(text)
        assert message in str(error.value)


def verdicts(*texts):
    return judge(map(parse, texts), Scores(OVERALL, CATEGORIES, lambda name: f"{name} is a share of nothing"))


class TestJudge:
    @pytest.mark.parametrize(
        "sign, below, at, above",
        [(">=", False, True, True), (">", False, False, True), ("<=", True, True, False), ("<", True, False, False)],
    )
    def test_signs(self, sign, below, at, above):
        bounds = {"0.6": below, "0.5": at, "0.4": above}
        assert {bound: verdicts(f"AP{sign}{bound}")[0].passed for bound in bounds} == bounds

    def test_is_not_rounded(self):
        assert not verdicts("AP50>=0.8")[0].passed
        (verdict,) = judge([parse("AP>=0.5")], Scores({"AP": 0.5 - 1e-8}, {}, str))
        assert not verdict.passed and float(verdict.digits) < 0.5

    @pytest.mark.parametrize("value", [math.nextafter(0.5, 0), 0.5, math.nextafter(0.5, 1), 0.5 - 9e-10, 0.5 + 9e-10])
    def test_within_a_billionth_it_is_at_the_bound(self, value):
        """Reaching is enough for >= and <=, and not for > and <."""
        gates = map(parse, ("AP>=0.5", "AP<=0.5", "AP>0.5", "AP<0.5"))
        found = judge(gates, Scores({"AP": value}, {}, str))
        assert [one.passed for one in found] == [True, True, False, False]
        assert {one.digits for one in found} == {"0.500"}

    @pytest.mark.parametrize("value", [0.5 - 1.1e-9, 0.5 + 1.1e-9])
    def test_further_away_it_is_on_its_side(self, value):
        found = judge(map(parse, ("AP>=0.5", "AP<0.5")), Scores({"AP": value}, {}, str))
        assert [one.passed for one in found] == [value > 0.5, value < 0.5]
        assert float(found[0].digits) != 0.5

    def test_infinite_bounds(self):
        assert [one.passed for one in verdicts("AP>=-inf", "AP<=inf", "AP>=inf")] == [True, True, False]

    def test_each_category_must_pass(self):
        found = verdicts("AP[cat,7]>=0.5")
        assert [(one.gate, one.passed) for one in found] == [("AP[cat]>=0.5", True), ("AP[7]>=0.5", False)]

    def test_all_are_told(self):
        assert [one.passed for one in verdicts("AP>=0.9", "AP>=0.1", "AP<0.1")] == [False, True, False]

    @pytest.mark.parametrize("text", ["APs>=0", "APs<1", "AP[hair drier]>=0"])
    def test_a_number_that_does_not_exist_fails(self, text):
        (verdict,) = verdicts(text)
        assert not verdict.passed and verdict.value is None and verdict.digits == "–"
        assert verdict.reason == f"{text[: text.find('[')] if '[' in text else text[:3]} is a share of nothing"

    @pytest.mark.parametrize(
        "text, message",
        [
            ("AP5>=0", "The result has no number 'AP5'. Did you mean 'AP50' or 'AP'?"),
            ("mIoU>=0", "The result has no number 'mIoU'. There are AP, AP50, APs, mAP62.5."),
            ("AP50[cat]>=0", "A category has no number 'AP50'. Did you mean 'AP'?"),
            ("AP[hair dryer]>=0", "The truth has no category 'hair dryer'. Did you mean 'hair drier'?"),
            ("AP[zebra]>=0", "The truth has no category 'zebra'. There are cat, hair drier, 7."),
        ],
    )
    def test_a_name_that_nobody_knows(self, text, message):
        with pytest.raises(ValueError) as error:
            verdicts(text)
        assert str(error.value) == message


class TestDigits:
    @pytest.mark.parametrize(
        "value, bound, digits",
        [
            (0.75, 0.5, "0.750"),
            (0.5, 0.5, "0.500"),
            (0.79996, 0.8, "0.79996"),
            (0.4999, 0.5, "0.4999"),
            (0.57298, 0.573, "0.57298"),
            (12.0, 9.0, "12.000"),
            (0.3 + 2e-9, 0.3, "0.300000002"),
            (math.nextafter(0.3, 1), 0.3, "0.300"),
            (1e-30, 0.0, "0.000"),
        ],
    )
    def test_show_the_decision(self, value, bound, digits):
        assert Verdict("", value, bound, True, None).digits == digits


def spread(value, half, count=2001):
    """Replicates whose interval of 95 % ends just so far from the value: they are evenly spaced."""
    return value + np.linspace(-half / 0.95, half / 0.95, count)


def of_images(number=400, **changes):
    ids = tuple(range(number))
    return Identity("detection", {"iou": [0.5]}, ("cat",), number, image_set(ids), ids, (9,))._replace(**changes)


def drawn(value, half, *, identity=None, number=400):
    """Scores of one number, AP, of the whole and of a cat."""
    return Scores(
        {"AP": value},
        {"cat": {"AP": value, "tp": 3}},
        str,
        aliases={"1": "cat"},
        identity=of_images(number) if identity is None else identity,
        replicates=lambda name, category: spread(value, half) if name == "AP" else None,
    )


class TestSure:
    @pytest.mark.parametrize(
        "gate, word",
        [
            ("AP>=0.40 @95%", "passed"),
            ("AP>0.40 @95%", "passed"),
            ("AP>=0.45 @95%", "passed"),  # the end of the interval reaches it
            ("AP>0.45 @95%", "undecided"),
            ("AP>=0.46 @95%", "undecided"),
            ("AP>=0.54 @95%", "undecided"),
            ("AP>=0.55 @95%", "undecided"),
            ("AP>0.55 @95%", "FAILED"),
            ("AP>=0.56 @95%", "FAILED"),
            ("AP<=0.44 @95%", "FAILED"),
            ("AP<=0.45 @95%", "undecided"),
            ("AP<0.45 @95%", "FAILED"),
            ("AP<=0.55 @95%", "passed"),
            ("AP<0.55 @95%", "undecided"),
            ("AP>=0.46 @50%", "passed"),  # a narrower interval
            ("AP>=0.4499 @99.9%", "undecided"),
            ("AP[cat]>=0.46 @95%", "undecided"),
            ("AP[1]>=0.40 @95%", "passed"),
        ],
    )
    def test_the_interval_decides(self, gate, word):
        (verdict,) = judge([parse(gate)], drawn(0.5, 0.05))
        assert verdict.word == word and verdict.undecided == (word == "undecided")
        assert verdict.passed == (word != "FAILED") and verdict.interval is not None

    def test_undecided_may_fail(self):
        found = judge(map(parse, ("AP>=0.46 @95%", "AP>=0.4 @95%")), drawn(0.5, 0.05), undecided="fail")
        assert [one.word for one in found] == ["FAILED", "passed"]
        assert found[0].undecided and found[0].told.startswith("undecided; 0.450 to 0.550; about ")

    def test_says_how_many_images_would_decide(self):
        """n · (half-width / distance)², 400 · (0.05 / 0.02)²."""
        (verdict,) = judge([parse("AP>=0.48 @95%")], drawn(0.5, 0.05))
        assert verdict.images == 2500 and verdict.reason == "about 2,500 images would decide"

    def test_at_the_bound_no_number_would(self):
        (verdict,) = judge([parse("AP>=0.5 @95%")], drawn(0.5, 0.05))
        assert verdict.undecided and verdict.images is None and "no number of images would decide" in verdict.reason

    def test_without_an_interval_nothing_is_decided(self):
        gone = drawn(0.5, 0.05)._replace(replicates=lambda *_: np.where(np.arange(100) < 6, np.nan, 0.5))
        (verdict,) = judge([parse("AP>=0.1 @95%")], gone)
        assert verdict.undecided and verdict.interval is None and verdict.passed
        assert "in 6 of the replicates there is no such number" in verdict.reason
        assert not judge([parse("AP>=0.1 @95%")], gone, undecided="fail")[0].passed

    def test_a_number_without_replicates_is_said(self):
        with pytest.raises(ValueError, match=r"tp\[cat\] has no interval: leave the level"):
            judge([parse("tp[cat]>=1 @95%")], drawn(0.5, 0.05))

    def test_numbers_alone_are_said(self):
        with pytest.raises(InputError, match="holds numbers alone.*--records base.records"):
            judge([parse("AP>=0.1 @95%")], drawn(0.5, 0.05)._replace(replicates=None))

    @given(
        value=st.floats(0, 1),
        bound=st.floats(0, 1),
        below=st.floats(0, 1),
        above=st.floats(0, 1),
        n=st.integers(1, 10**6),
    )
    def test_never_fewer_images_than_there_are(self, value, bound, below, above, n):
        ends = value - below, value + above
        if ends[0] < bound < ends[1] and abs(value - bound) > 1e-6:
            needed = images_needed(value, bound, ends, n)
            half = below if value > bound else above
            exact = n * (half / (value - bound)) ** 2
            assert needed is not None and needed >= n * (1 - 1e-6)
            assert exact * (1 - 1e-6) <= needed <= max(exact * 1.1, exact + 1) * (1 + 1e-6)


class TestChange:
    BASE = drawn(0.52, 0.05)

    def change(self, gate, now=0.5, half=0.05, base=None):
        (verdict,) = judge([parse(gate)], drawn(now, half), base=lambda name: base or self.BASE)
        return verdict

    @pytest.mark.parametrize(
        "gate, value, passed",
        [
            ("AP drop<=0.02 vs base.records", 0.02, True),
            ("AP drop<0.02 vs base.records", 0.02, False),
            ("AP drop<=0.01 vs base.records", 0.02, False),
            ("AP rise>=0 vs base.records", -0.02, False),
            ("AP rise>=-0.02 vs base.records", -0.02, True),
            ("AP[cat] drop<=0.05 vs base.records", 0.02, True),
        ],
    )
    def test_value(self, gate, value, passed):
        found = self.change(gate)
        assert found.value == pytest.approx(value) and found.passed == passed and found.gate == gate

    def test_replicates_are_paired(self):
        """Each alone is uncertain by 0.05, and their difference by nothing."""
        found = self.change("AP drop<=0.01 vs base.records @95%")
        assert found.interval == pytest.approx((0.02, 0.02)) and found.word == "FAILED"
        assert self.change("AP drop<=0.03 vs base.records @95%").word == "passed"
        wide = self.change("AP drop<=0.03 vs base.records @95%", half=0.1)
        assert wide.interval == pytest.approx((-0.03, 0.07)) and wide.word == "undecided"

    def test_equal_results_are_exactly_equal(self):
        found = self.change("AP drop<=0 vs base.records @95%", now=0.52)
        assert found.value == 0 and found.interval == (0, 0) and found.word == "passed"

    def test_what_the_base_does_not_have_fails(self):
        gone = self.BASE._replace(overall={"AP": None}, why_undefined=lambda name: f"no {name}")
        found = self.change("AP drop<=1 vs base.records", base=gone)
        assert not found.passed and found.value is None and found.reason == "in the base no AP"

    def test_each_base_is_read_once(self):
        read = []

        def base(name):
            read.append(name)
            return self.BASE

        gates = [parse(f"AP drop<=1 vs {name}") for name in ("a", "b", "a")]
        judge(gates, drawn(0.5, 0.05), base=base)
        assert read == ["a", "b"]

    @pytest.mark.parametrize(
        "changes, words",
        [
            ({"task": "segmentation"}, "it is of segmentation, and this one of detection"),
            ({"policy": {"iou": [0.75]}}, r"iou is \[0.5\] here and \[0.75\] there"),
            ({"policy": {"iou": [0.5], "strict": True}}, "strict is None here and True there"),
            ({"categories": ("dog",)}, "category 'cat' is here and not there"),
            ({"categories": ("cat", "dog"), "truths": (9, 1)}, "category 'dog' is there and not here"),
            ({"image_set": "x", "ids": (0, 1)}, "image 2 is here and not there"),
            ({"image_set": "x", "ids": (*range(400), 400)}, "image 400 is there and not here"),
            ({"image_set": "x", "ids": None, "images": 7}, "there are 400 images here and 7 there"),
            ({"image_set": "x", "ids": None}, "the 400 images here are not those there, by their ids"),
            ({"truths": (8,)}, "'cat' has 9 truths here and 8 there"),
        ],
    )
    def test_another_base_is_an_error_that_names_the_difference(self, changes, words):
        other = drawn(0.52, 0.05, identity=of_images()._replace(**changes))
        with pytest.raises(InputError, match=f"base.records cannot be compared with this result: {words}"):
            self.change("AP drop<=1 vs base.records", base=other)

    def test_a_base_that_does_not_say_what_it_is(self):
        other = self.BASE._replace(identity=None)
        with pytest.raises(InputError, match="does not say of which images it is"):
            self.change("AP drop<=1 vs base.records", base=other)


class TestWords:
    @pytest.mark.parametrize(
        "verdict, word, told",
        [
            (Verdict("g", 0.5, 0.4, True, None), "passed", ""),
            (Verdict("g", 0.5, 0.6, False, None), "FAILED", ""),
            (Verdict("g", None, 0.6, False, "no truths"), "FAILED", "no truths"),
            (Verdict("g", 0.5, 0.4, True, None, (0.45, 0.55)), "passed", "0.450 to 0.550"),
            (
                Verdict("g", 0.5, 0.55, True, "about 9", (0.45, 0.55004), True, 9),
                "undecided",
                "0.450 to 0.55004; about 9",
            ),
            (Verdict("g", 0.5, 0.4, False, "why", None, True), "FAILED", "undecided; why"),
        ],
    )
    def test_told(self, verdict, word, told):
        assert (verdict.word, verdict.told) == (word, told)
