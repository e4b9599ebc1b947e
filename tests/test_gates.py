"""Gates: what a text means, and what it says of numbers."""

import math

import pytest

from vesica.results.gates import Gate, Scores, Verdict, judge, parse

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
            ("AP drop<=0.01 vs base.json", "compares with another result (drop, rise, vs, @), which is not there yet"),
            ("AP>=0.5 @95%", "which is not there yet"),
            ("AP rise>=0", "which is not there yet"),
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
