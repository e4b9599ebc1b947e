"""Forms of an answer: what services of continuous integration read."""

import json
import xml.etree.ElementTree as xml
from pathlib import Path

import pytest

from vesica.cli import output_github, output_junit, output_markdown, output_sarif, outputs
from vesica.cli.outputs import Answer, Remark, Shown
from vesica.results.gates import Verdict
from vesica.results.markdown import escaped, printable

HOSTILE = "::error::x\n</testcase><b>|`@all`\x07\udc80 [a](http://b.c) *d* _e_ %0A"


def verdicts(*given):
    return [one._asdict() for one in given]


PASSED = Verdict("AP>=0.5", 0.75, 0.5, True, None)
FAILED = Verdict("AP[cat]>=0.8", 0.7, 0.8, False, None)
GONE = Verdict("AP[dog]>=0.8", None, 0.8, False, "there are no truths that it could count")
UNDECIDED = Verdict(
    "AP drop<=0.01 vs base.records @95%",
    0.012,
    0.01,
    True,
    "about 3,100 images would decide",
    (-0.004, 0.028),
    True,
    3100,
)


def answer(*given, rows=(), findings=(), file="guess.json", headline="COCO, boxes: 2 images", text="the text\n"):
    notes = [{"rule": "Q22", "count": 3, "text": "guesses count nowhere"}]
    tables = [
        Shown("Scores", [{"score": "AP", "value": 0.75}, {"score": "APs", "value": None}], ("score", "value"), False),
        Shown("Classes", rows, ("category", "AP", "truths")),
    ]
    facts = {"gates": verdicts(*given), "notes": notes}
    return Answer("eval", headline, facts, lambda: print(text, end=""), tables, file, findings)


class TestMarkdown:
    def test_looks_like_this(self):
        rows = [{"category": "cat", "AP": 0.7, "truths": 1200}, {"category": "dog|cow", "AP": None, "truths": 0}]
        told = output_markdown.written(answer(PASSED, FAILED, GONE, UNDECIDED, rows=rows))
        assert told == Path(__file__).with_name("data").joinpath("outputs", "answer.md").read_text("utf-8")

    def test_names_mean_nothing(self):
        rows = [{"category": HOSTILE, "AP": 0.5, "truths": 1}]
        told = output_markdown.written(answer(FAILED._replace(gate=f"AP[{HOSTILE}]>=0.8"), rows=rows))
        cells = [line.split(" | ") for line in told.splitlines() if line.startswith("|")]
        assert {len(line) for line in cells} == {2, 3}  # no name makes a column
        for mark in ("@all", "[a]", "*d*", "http:", "</", "`", "\x07"):
            assert mark not in told.replace("</code>", "").replace("</details>", "").replace("</summary>", "")

    def test_long_tables_are_cut(self):
        rows = [{"category": f"c{k}", "AP": 0.5, "truths": 1} for k in range(130)]
        told = output_markdown.written(answer(rows=rows))
        assert "c99" in told and "c100" not in told and "… 30 more rows; `--json` has them all" in told

    @pytest.mark.parametrize(
        "text, shown",
        [
            ("hair drier", "hair drier"),
            ("pixel_accuracy", "pixel_accuracy"),
            ("_a_", "&#95;a&#95;"),
            ("0.5 to 0.75: yes.", "0.5 to 0.75: yes."),
            ("a.b", "a&#46;b"),
            ("a|b", "a&#124;b"),
            ("<&>", "&#60;&#38;&#62;"),
            ("a\nb", "a&#92;nb"),
            ("猫", "猫"),
        ],
    )
    def test_escaped(self, text, shown):
        assert escaped(text) == shown

    def test_error(self):
        assert (
            output_markdown.error("eval", "no `file`", 3)
            == "### vesica eval: ❌ error\n\nno &#96;file&#96; (exit code 3)\n"
        )


class TestGithub:
    @pytest.fixture
    def summary(self, tmp_path, monkeypatch):
        monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
        return tmp_path / "summary.md"

    def test_annotations(self, monkeypatch):
        monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
        told = output_github.written(answer(PASSED, FAILED, GONE, UNDECIDED))
        assert told.splitlines() == [
            "the text",
            "::error file=guess.json,title=gate failed::AP[dog]>=0.8: got –: there are no truths that it could count",
            "::error file=guess.json,title=gate failed::AP[cat]>=0.8: got 0.700",
            "::warning file=guess.json,title=gate undecided::AP drop<=0.01 vs base.records @95%25: got 0.012: "
            "-0.004 to 0.028; about 3,100 images would decide",
        ]

    def test_the_ten_worst_of_a_kind(self, monkeypatch):
        monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
        failed = [FAILED._replace(gate=f"AP[c{k}]>=0.8", value=k / 100) for k in range(25)]
        undecided = [UNDECIDED._replace(gate=f"AP[u{k}]>=0.5 @95%") for k in range(12)]
        lines = output_github.written(answer(*failed, *undecided)).splitlines()
        errors = [line for line in lines if line.startswith("::error")]
        assert [line.partition("AP[c")[2].partition("]")[0] for line in errors] == [str(k) for k in range(10)]
        assert len([line for line in lines if line.startswith("::warning")]) == 10
        assert "15 more of this kind (error) are left out: GitHub shows 10." in lines
        assert "2 more of this kind (warning) are left out: GitHub shows 10." in lines

    def test_names_are_no_commands(self, monkeypatch):
        monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
        text = "category  AP\n::error::x  0.5\n##[command]y\n"
        told = output_github.written(answer(FAILED._replace(gate=f"AP[{HOSTILE}]>=0.8"), text=text, file="a,b:c"))
        first, *lines = told.splitlines()
        token = first.removeprefix("::stop-commands::")
        assert first != token and lines[3] == f"::{token}::" and token not in text
        (command,) = lines[4:]
        assert command.startswith("::error file=a%2Cb%3Ac,title=gate failed::AP[::error::x\\n</testcase>")
        assert "%250A" in command

    def test_summary_is_added(self, summary):
        summary.write_text("before\n")
        output_github.written(answer(PASSED, FAILED))
        told = summary.read_text("utf-8")
        assert told.startswith("before\n### vesica eval: COCO, boxes: 2 images\n") and "❌ **failed**" in told

    def test_summary_stops_at_900_kilobytes(self, summary):
        summary.write_text("x" * 899_000)
        gates = [FAILED._replace(gate=f"AP[class number {k}]>=0.8") for k in range(200)]
        output_github.written(answer(*gates))
        data = summary.read_bytes()
        assert len(data) <= 900_000 and b"the summary ends at 900,000 bytes" in data
        summary.write_bytes(b"x" * 1_000_000)
        output_github.written(answer(*gates))
        assert summary.stat().st_size == 1_000_000

    def test_error(self, summary):
        assert output_github.error("eval", "50% of\nit", 3) == "::error title=vesica eval::50%25 of\\nit\n"
        assert "❌ error" in summary.read_text("utf-8")


class TestJunit:
    def test_cases(self):
        root = xml.fromstring(output_junit.written(answer(PASSED, FAILED, GONE, UNDECIDED)))
        assert root.tag == "testsuites" and root.attrib == {"tests": "4", "failures": "2", "errors": "0"}
        (suite,) = root
        assert suite.attrib == {"name": "vesica eval", "tests": "4", "failures": "2", "errors": "0", "skipped": "1"}
        cases = {case.get("name"): case for case in suite}
        assert list(cases) == [one.gate for one in (PASSED, FAILED, GONE, UNDECIDED)]
        assert {case.get("classname") for case in suite} == {"vesica.eval"}
        assert cases["AP>=0.5"].find("failure") is None and cases["AP>=0.5"].findtext("system-out") == "got 0.750"
        assert cases[FAILED.gate].find("failure").attrib == {"message": "got 0.700", "type": "gate"}
        assert "about 3,100 images would decide" in cases[UNDECIDED.gate].find("skipped").get("message")

    def test_hostile_names(self):
        """Neither a tag, nor a byte that XML does not know, nor a letter outside ASCII reaches the parser."""
        name = f"AP[{HOSTILE}é猫]>=0.8"
        told = output_junit.written(answer(FAILED._replace(gate=name), headline=HOSTILE))
        assert told.isascii()
        (case,) = xml.fromstring(told).iter("testcase")
        assert case.get("name") == printable(name) and "é猫" in case.get("name")

    def test_without_gates_one_case_passes(self):
        (case,) = xml.fromstring(output_junit.written(answer())).iter("testcase")
        assert case.get("name") == "done" and case.findtext("system-out") == "COCO, boxes: 2 images"

    def test_findings(self):
        found = [Remark("boxes-layout", "error", "guess.json", "reads as xyxy"), Remark("x", "note", "t", "n")]
        cases = list(xml.fromstring(output_junit.written(answer(findings=found))).iter("testcase"))
        assert [case[0].tag for case in cases] == ["failure", "skipped"]

    def test_error(self):
        root = xml.fromstring(output_junit.error("seg", HOSTILE, 3))
        assert root.get("errors") == "1" and root.find(".//error").get("type") == "exit code 3"


class TestSarif:
    def test_required_fields(self):
        """Section 3.13 on of the standard, and what GitHub asks for beyond it: a place for each result."""
        log = json.loads(output_sarif.written(answer(PASSED, FAILED, GONE, UNDECIDED, file="run 1/guess.json")))
        assert log["version"] == "2.1.0" and log["$schema"].endswith("sarif-2.1.0.json")
        (run,) = log["runs"]
        driver = run["tool"]["driver"]
        assert driver["name"] == "vesica" and [rule["id"] for rule in driver["rules"]] == ["gate", "gate-undecided"]
        assert [one["level"] for one in run["results"]] == ["error", "error", "warning"]
        for one in run["results"]:
            assert driver["rules"][one["ruleIndex"]]["id"] == one["ruleId"] and one["message"]["text"]
            (place,) = one["locations"]
            assert place["physicalLocation"]["artifactLocation"]["uri"] == "run%201/guess.json"
            assert place["physicalLocation"]["region"]["startLine"] == 1
        assert run["invocations"] == [{"executionSuccessful": True, "exitCode": 1}]

    def test_results_keep_their_fingerprint(self):
        one, other = (
            json.loads(output_sarif.written(answer(FAILED._replace(value=value))))["runs"][0]["results"][0]
            for value in (0.7, 0.71)
        )
        assert one["partialFingerprints"] == other["partialFingerprints"] and one["message"] != other["message"]

    @pytest.mark.parametrize(
        "file, uri", [("/elsewhere/a.json", "a.json"), ("./b.json", "b.json"), ("../c.json", "c.json")]
    )
    def test_no_absolute_path(self, file, uri):
        log = json.loads(output_sarif.written(answer(FAILED, file=file)))
        place = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"] == uri

    def test_findings_come_with_their_rule(self):
        found = [Remark("boxes-layout", "error", "boxes", "reads as xyxy"), Remark("area", "note", "area", "missing")]
        run = json.loads(output_sarif.written(answer(findings=found)))["runs"][0]
        assert [(one["ruleId"], one["level"]) for one in run["results"]] == [
            ("boxes-layout", "error"),
            ("area", "note"),
        ]

    def test_error(self):
        run = json.loads(output_sarif.error("eval", "no such file", 3))["runs"][0]
        (invocation,) = run["invocations"]
        assert invocation["executionSuccessful"] is False and invocation["exitCode"] == 3 and run["results"] == []
        assert invocation["toolExecutionNotifications"][0]["message"]["text"] == "no such file"


class TestChosen:
    @pytest.mark.parametrize(
        "words, form",
        [
            (["eval", "a", "b"], "text"),
            (["eval", "a", "b", "--json"], "json"),
            (["eval", "a", "b", "--output", "junit"], "junit"),
            (["eval", "a", "b", "--output=sarif"], "sarif"),
            (["eval", "a", "b", "--output", "nonsense"], "text"),
            (["demo", "--output", "json"], "text"),  # the name of a folder
            (["nms", "a", "--output", "json"], "text"),
            ([], "text"),
        ],
    )
    def test_before_anything_is_parsed(self, words, form):
        assert outputs.chosen(words) == form
