"""An answer as SARIF 2.1.0: findings, and gates that did not pass, each of them at the file that is judged."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from vesica.cli.outputs import RULES, Answer, Remark
from vesica.results.markdown import printable

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_HOME = "https://github.com/vesica/vesica"


def written(answer: Answer) -> str:
    """One run, which worked, whatever it found."""
    rules = sorted({one.rule for one in answer.remarks})
    results = [_result(one, rules.index(one.rule), one.file or answer.file) for one in answer.remarks]
    return _text(rules, results, {"executionSuccessful": True, "exitCode": answer.exit_code})


def error(verb: str, message: str, code: int) -> str:
    """One run, which did not come to an answer."""
    told = {"level": "error", "message": {"text": printable(message)}}
    return _text([], [], {"executionSuccessful": False, "exitCode": code, "toolExecutionNotifications": [told]})


def _text(rules: list[str], results: list[dict[str, Any]], invocation: dict[str, Any]) -> str:
    from vesica import __version__

    listed = [{"id": rule, **_described(rule)} for rule in rules]
    driver = {"name": "vesica", "version": __version__, "informationUri": _HOME, "rules": listed}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [invocation],
        "results": results,
    }
    whole = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(whole, sort_keys=True, indent=2) + "\n"


def _described(rule: str) -> dict[str, Any]:
    """What a rule is about, in the words of `vesica explain`."""
    from vesica import glossary

    title = next((term.title for term in glossary.find(rule)), rule)
    told = {"shortDescription": {"text": RULES.get(rule, f"{title[:1].upper()}{title[1:]}.")}}
    text = glossary.words(rule)
    return told | ({"fullDescription": {"text": text}} if text else {})


def _result(remark: Remark, index: int, file: str | None) -> dict[str, Any]:
    told = {
        "ruleId": remark.rule,
        "ruleIndex": index,
        "level": remark.severity,
        "message": {"text": printable(remark.text)},
        "partialFingerprints": {"vesica/v1": _fingerprint(remark)},
    }
    if file is not None:
        place = {"artifactLocation": {"uri": _uri(file)}, "region": {"startLine": 1}}
        told["locations"] = [{"physicalLocation": place}]
    return told


def _fingerprint(remark: Remark) -> str:
    """The same from run to run: numbers change, and what is asked for stays."""
    what = remark.text.partition(": got ")[0] if remark.rule in RULES else remark.title
    return hashlib.sha256(f"{remark.rule}\n{what}".encode("utf-8", "backslashreplace")).hexdigest()[:32]


def _uri(file: str) -> str:
    """Relative to the folder of the command; of a file elsewhere its name alone."""
    path = os.path.relpath(file)
    inside = path if not path.startswith(os.pardir) else os.path.basename(file)
    return quote(PurePath(inside).as_posix())
