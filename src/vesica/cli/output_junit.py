"""An answer as JUnit's XML: a case for each gate and each finding."""

from __future__ import annotations

from xml.etree import ElementTree as xml

from vesica.cli.outputs import Answer
from vesica.results.gates import Verdict
from vesica.results.markdown import printable


def written(answer: Answer) -> str:
    """One suite. Without gates and findings it has one case that passes: services take no case for a failure."""
    suite = xml.Element("testsuite", name=f"vesica {answer.verb}")
    for verdict in answer.verdicts:
        _gate(_case(suite, answer.verb, verdict.gate), verdict)
    for finding in answer.findings:
        case = _case(suite, answer.verb, f"{finding.rule}: {finding.title}")
        kind = "failure" if finding.severity == "error" else "skipped"
        _outcome(case, kind, finding.rule, finding.text)
    if not len(suite):
        xml.SubElement(_case(suite, answer.verb, "done"), "system-out").text = printable(answer.headline)
    return _text(suite)


def error(verb: str, message: str, code: int) -> str:
    """A case that did not come to an answer."""
    suite = xml.Element("testsuite", name=f"vesica {verb}")
    _outcome(_case(suite, verb, "done"), "error", f"exit code {code}", message)
    return _text(suite)


def _gate(case: xml.Element, verdict: Verdict) -> None:
    told = f"got {verdict.digits}" + (f": {verdict.told}" if verdict.told else "")
    if not verdict.passed:
        _outcome(case, "failure", "gate", told)
    elif verdict.undecided:
        _outcome(case, "skipped", None, f"undecided: {told}")
    else:
        xml.SubElement(case, "system-out").text = printable(told)


def _case(suite: xml.Element, verb: str, name: str) -> xml.Element:
    return xml.SubElement(suite, "testcase", classname=f"vesica.{verb}", name=printable(name))


def _outcome(case: xml.Element, kind: str, type: str | None, message: str) -> None:
    told = {"message": printable(message)} | ({} if type is None else {"type": printable(type)})
    xml.SubElement(case, kind, told)


def _text(suite: xml.Element) -> str:
    """The document; both levels count their cases."""
    kinds = {"failures": "failure", "errors": "error", "skipped": "skipped"}
    counts = {"tests": str(len(suite))} | {
        name: str(len(suite.findall(f"testcase/{kind}"))) for name, kind in kinds.items()
    }
    suite.attrib |= counts
    root = xml.Element("testsuites", {name: count for name, count in counts.items() if name != "skipped"})
    root.append(suite)
    xml.indent(root)
    # Pure ASCII, other letters as references: the same bytes whatever the encoding of standard output.
    return f'<?xml version="1.0" encoding="utf-8"?>\n{xml.tostring(root, encoding="us-ascii").decode()}\n'
