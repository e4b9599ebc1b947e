"""Faults that `make mutants` seeds: where they may stand, which are chosen, and that the text around them stays."""

import re
from pathlib import Path

import pytest

from mutants.equivalent import EQUIVALENT
from mutants.faults import OPERATORS, chosen, code_of, possible, with_faults

CSRC = Path(__file__).parents[1] / "csrc"


def changes(text):
    return [fault.change for fault in possible("a.cpp", text)]


class TestPossible:
    @pytest.mark.parametrize("sign", OPERATORS)
    def test_every_operator(self, sign):
        assert changes(f"x = a {sign} b;\n") == [f"{sign} → {OPERATORS[sign][1]}"]

    @pytest.mark.parametrize(
        ("text", "found"),
        [
            ("for (int i = 0; i < n; ++i) {}", ["0 → 1", "< → <="]),
            ("a += 2 * b;", ["+= → -=", "2 → 3", "* → +"]),
            ("return std::min(a, std::max(b, c));", ["min → max", "max → min"]),
            ("x = 0.5f, y = 3u;", ["0.5f → 1.5f", "3u → 4u"]),
            ("return a + b + c;", ["+ → -", "+ → - (2)"]),
            ("if (a && f(b, c) && d) return;", ["&& f(b, c) → nothing", "&& d → nothing"]),
            ("return a || b && c;", ["|| b && c → nothing", "&& c → nothing"]),
            ("x = a && b::c ? d : e;", ["&& b::c → nothing"]),
        ],
    )
    def test_what_is_found(self, text, found):
        assert changes(text) == found

    @pytest.mark.parametrize(
        "text",
        [
            "// a < b",
            "/* a < b\n + 1 */",
            'print("a < 1");',
            "c = '1';",
            "#if N < 2",
            "#define F(a) a + \\\n    1",
            "static_assert(a < 2);",
            "constexpr int few = 12, many = 1 << 4;",
            "if constexpr (n < 2) return;",
            "case 3: return;",
            "bool operator<(const A& a, B&& b);",
            "std::array<int, 4> a;",
            "x1 = y2;",
            "x = 0x10, y = 1e9;",
            "lines.reserve(n + 1);",
        ],
    )
    def test_what_is_let_be(self, text):
        assert [change for change in changes(text) if change != "4 → 5"] == []

    def test_line_and_context(self):
        (fault,) = possible("a.cpp", "int f() {\n    return a <\n        b / c;\n}\n")
        assert (fault.line, fault.context, fault.change) == (3, "b / c;", "/ → *")


class TestCode:
    def test_places_stay(self):
        """Each character of code stands where it stood; everything else is a blank."""
        for file in CSRC.rglob("*.?pp"):
            text = file.read_text(encoding="utf-8")
            code = code_of(text)
            assert len(code) == len(text)
            assert {a for a, b in zip(code, text, strict=True) if a != b} <= {" "}


class TestChosen:
    def test_same_seed_same_faults(self):
        one, same, other = (chosen(CSRC, 50, seed, ["selection/"]) for seed in (3, 3, 4))
        assert one == same != other

    def test_in_proportion(self):
        faults = chosen(CSRC, 400, 1)
        assert abs(len(faults) - 400) <= 2
        files = {fault.file for fault in faults}
        assert {file.partition("/")[0] for file in files} == {
            folder.name for folder in CSRC.iterdir() if folder.is_dir()
        }
        largest = max(CSRC.rglob("*.cpp"), key=lambda file: len(file.read_text(encoding="utf-8")))
        of_largest = sum(fault.file == largest.relative_to(CSRC).as_posix() for fault in faults)
        assert of_largest >= 400 / 100

    def test_only_the_files_asked_for(self):
        assert {fault.file for fault in chosen(CSRC, 10, 1, ["nms.cpp"])} == {"selection/nms.cpp"}


class TestWithFaults:
    def test_every_fault_at_once(self):
        """Take the switches out again, and the text is as it was."""
        text = "if (a < b && f(1, 2) || c == 3u) x += std::max(y, 0.5);\n"
        faults = possible("a.cpp", text)
        seeded = with_faults(text, enumerate(faults, start=1))
        assert sorted(map(int, re.findall(r"<(\d+)[,>]", seeded))) == list(range(1, len(faults) + 1))
        plain = seeded.removeprefix('#include "switch.hpp"\n#line 1\n')
        plain = re.sub(r"< vesica_mutants::Mark<\d+, \w+::less>{} >", "<", plain)
        plain = re.sub(r"== vesica_mutants::Mark<\d+, \w+::equal>{} ==", "==", plain)
        plain = re.sub(r"\+= vesica_mutants::Negated<\d+>{} =", "+=", plain)
        plain = re.sub(r"vesica_mutants::greatest<\d+>", "std::max", plain)
        plain = re.sub(r"\(vesica_mutants::on<\d+>\(\) \? [\w.]+ : ([\w.]+)\)", r"\1", plain)
        plain = re.sub(r"\(!?vesica_mutants::on<\d+>\(\) (?:&&|\|\|) \((.*?)\)\) ?(?=\|\||\) x)", r"\1", plain)
        assert re.sub(r"\s", "", plain) == re.sub(r"\s", "", text)


def test_each_equivalent_fault_says_why():
    assert all(len(why) > 20 for why in EQUIVALENT.values())
