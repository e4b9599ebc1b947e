"""Decimals: the double that Python's float reads, to the last bit."""

import struct
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vesica._kernels.native.coco_file import decimal


def bits(value):
    return struct.pack("<d", value)


def agrees(text):
    want = 0.0 if text == "-0" else float(text)  # the integer -0 is 0
    assert bits(decimal(text.encode())) == bits(want), text


TEXTS = [
    "0",
    "-0",
    "-0.0",
    "1",
    "7.25",
    "0.1",
    "-0.3",
    "100",
    "1e0",
    "1E5",
    "1e+5",
    "1e-5",
    "0e999999999999999999999",
    "0.0000e-400",
    "1e22",
    "1e23",
    "8.5e22",
    "9007199254740993",
    "9007199254740993.0",
    "9223372036854775807",
    "-9223372036854775808",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "1e308",
    "1.7976931348623157e308",
    "1.7976931348623158e308",
    "1.7976931348623159e308",
    "179769313486231580793e289",
    "2.2250738585072014e-308",
    "2.2250738585072011e-308",
    "2.2250738585072012e-308",
    "4.9e-324",
    "5e-324",
    "2.4703282292062327e-324",
    "2.4703282292062328e-324",
    "1e-400",
    "123456789012345678901234567890",
    "0.000000000000000000000000000001",
    "1" + "0" * 300,
    "0." + "0" * 320 + "5",
    "1" * 800 + "e-790",
    "3.1415926535897932384626433832795028841971",
    "6.02214076e23",
    "1e99999999999999999999999",
    "-1e99999999999999999999999",
    "1e-99999999999999999999999",
]


@pytest.mark.filterwarnings("ignore")
class TestDecimal:
    @pytest.mark.parametrize("text", [text for text in TEXTS if "999999999" not in text or text[0] == "0"])
    def test_value(self, text):
        agrees(text)

    @pytest.mark.parametrize(
        "text, want",
        [
            ("Infinity", np.inf),
            ("-Infinity", -np.inf),
            ("1e400", np.inf),
            ("-1e400", -np.inf),
            ("1e99999999999999999999999", np.inf),
            ("1e-99999999999999999999999", 0.0),
            ("9" * 400, np.inf),
        ],
    )
    def test_infinite(self, text, want):
        assert decimal(text.encode()) == want

    def test_nan(self):
        assert np.isnan(decimal(b"NaN"))

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "-",
            "+1",
            ".5",
            "5.",
            "01",
            "-01",
            "00",
            "1e",
            "1e+",
            "1.e5",
            "--1",
            "0x10",
            "1_000",
            "1.5.2",
            "-NaN",
            "nan",
            "inf",
            "Infinit",
            "-Infinit",
            "NaNN",
            "1 ",
            " 1",
            "1,",
            "١",
            "1e5.5",
            "9" * 4301,
            "-" + "1" * 5000,
        ],
    )
    def test_refused(self, text):
        assert decimal(text.encode()) is None

    @given(st.floats(allow_nan=False, allow_infinity=False))
    def test_shortest(self, value):
        agrees(repr(value))

    @given(st.floats(width=32, allow_nan=False, allow_infinity=False), st.sampled_from(["{!r}", "{:.25e}", "{:.30f}"]))
    def test_widened(self, value, form):
        """A float of 32 bits with all its digits: exactly a double, or exactly between two."""
        agrees(form.format(value))
        agrees(form.format(value + np.spacing(np.float32(value), dtype=np.float64).item() / 2))

    @given(st.integers(0, 2**64 - 1), st.sampled_from(["{!r}", "{:.17g}", "{:.20e}", "{:.50e}", "{:.9g}"]))
    def test_every_bit_pattern(self, pattern, form):
        value = struct.unpack("<d", struct.pack("<Q", pattern))[0]
        if np.isfinite(value):
            agrees(form.format(value))

    @given(st.integers(0, 2**63 - 1), st.integers(-345, 320))
    def test_any_mantissa_and_exponent(self, mantissa, exponent):
        agrees(f"{mantissa}e{exponent}")

    @given(st.floats(0, allow_nan=False, allow_infinity=False), st.integers(0, 60))
    def test_halfway(self, value, digits):
        """Exactly between two doubles, a little above and a little below."""
        above = float(np.nextafter(value, np.inf))
        if not np.isfinite(above):
            return
        with localcontext() as context:
            context.prec = 1200
            middle = (Decimal(value) + Decimal(above)) / 2
            text = format(middle, "f")
            agrees(text)
            agrees(text + ("0" if "." in text else ".0") * (digits > 0) + "0" * digits + "1")
            agrees(format(middle * (1 - Decimal(10) ** -40), "e"))

    @given(st.text("0123456789", min_size=17, max_size=800), st.integers(0, 800), st.booleans())
    def test_many_digits(self, digits, point, is_negative):
        whole, fraction = digits[:point].lstrip("0") or "0", digits[point:]
        agrees("-" * is_negative + whole + ("." + fraction if fraction else ""))
