"""What type checkers find: misspelt options and words, and arrays of the wrong library. And what they let pass."""

import doctest
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

import vesica
from vesica._check import Form
from vesica.detection import rules
from vesica.overlaps.measures import MEASURES, MeasureName, Similarity
from vesica.selection.decays import DECAYS, DecayName

ROOT = Path(__file__).parents[1]
SOURCE = Path(vesica.__file__).parents[1]

CALLS = """
import numpy as np
import vesica
a = np.zeros((2, 4))
s = a[:, 0]
vesica.iou(a, a, alligned=True)  # wrong
vesica.iou(a, a, True)  # wrong
vesica.coverage(a, a, of="c")  # wrong
vesica.evaluate("a", "b", protocol="cocoo")  # wrong
vesica.evaluate("a", "b", iou_type="bbox")  # wrong
vesica.Boxes(a, "xyhw")  # wrong
vesica.Boxes(a, fmt="xywh")  # wrong
vesica.Boxes(a).to("xyxyxy")  # wrong
vesica.RotatedBoxes(a, unit="degree", direction="cw")  # wrong
vesica.Polygons([], rule="center")  # wrong
vesica.nms(a, s, iou_threshold=0.5)  # wrong
vesica.nms(a, s, 0.5)  # wrong
vesica.soft_nms(a, s, decay="gauss")  # wrong
vesica.nmm(a, s, score="sum")  # wrong
vesica.join(a, a)  # wrong
vesica.join(a, a, at_least=0.5, measure="giuo")  # wrong
vesica.best(a, a, measure="distance")  # wrong
vesica.match(a, a, how="optimum")  # wrong
vesica.assign(a, maximize=True)  # wrong
vesica.losses.giou(a, a, reduction="average")  # wrong
vesica.box_iou(a, a)  # wrong
text: str = vesica.iou(a, a)  # wrong
found: np.ndarray = vesica.iou(a, a, aligned=True, empty=1.0)
kept: np.ndarray = vesica.nms(a, s, above=0.5, keys=s, limit=3)
both: tuple = vesica.nms(a, s, suppressed_by=True)
vesica.iou(vesica.parts(a, a), empty=1.0)
vesica.iou(vesica.Boxes(a, "xywh"), [[0, 0, 1, 1]])
vesica.tversky(a, a, alpha=0.3)
vesica.join(a, a, at_least=0.5, measure="tversky", alpha=0.3)
vesica.assign(a, minimise=True, complete=True)
vesica.evaluate("a", "b", protocol="voc07", regions="mask", quirks=None)
print(vesica.iou([0, 0, 4, 4], [2, 2, 6, 6]) + 1, vesica.anchors.cluster, vesica.grid.Grid, vesica.detection.merge)
"""


def wrong_lines(text):
    return [number for number, line in enumerate(text.splitlines(), 1) if line.endswith("# wrong")]


class TestWords:
    """The words that a checker knows are those that the functions take."""

    def test_literals(self):
        assert set(get_args(MeasureName)) == {m.name for m in MEASURES.values() if m.__module__.startswith("vesica.")}
        assert set(get_args(Similarity)) == {name for name in get_args(MeasureName) if MEASURES[name].is_similarity}
        assert get_args(DecayName) == tuple(DECAYS)
        assert set(get_args(rules.ProtocolName)) <= set(rules.PROTOCOLS)
        assert set(get_args(rules.RegionName)) <= set(rules.REGIONS)
        assert set(get_args(rules.QuirksName)) == {tool for tool in rules.QUIRKS if tool is not None}
        assert all(vesica.Boxes([[1, 1, 3, 3]], form) for form in get_args(Form))


@pytest.mark.slow
class TestCheckers:
    def test_mypy(self, tmp_path):
        pytest.importorskip("mypy")
        (tmp_path / "calls.py").write_text(CALLS)
        # Without a cache, for nobody comes again.
        options = ["--config-file=", "--follow-imports=silent", "--no-incremental", "--cache-dir", str(tmp_path)]
        command = [sys.executable, "-m", "mypy", *options, "calls.py"]
        where = {} if SOURCE.name == "site-packages" else {"MYPYPATH": str(SOURCE)}  # installed, it is found
        run = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env={**where, "PATH": "/usr/bin"})
        found = {int(number) for number in re.findall(r"^calls\.py:(\d+): error:", run.stdout, re.M)}
        assert sorted(found) == wrong_lines(CALLS), run.stdout + run.stderr

    def test_pyright(self, pyright):
        assert sorted({line for name, line, _ in pyright if name == "calls.py"}) == wrong_lines(CALLS)

    def test_pages(self, pyright):
        """What docs and README show as working has no error."""
        assert [row for row in pyright if row[0] != "calls.py"] == []


# The reader of a page knows what is there.
KNOWN = "# pyright: reportOptionalMemberAccess=false, reportOptionalSubscript=false\n"


@pytest.fixture(scope="module")
def pyright(tmp_path_factory):
    """File, line and words of each error that pyright finds in the calls and in the examples of pages."""
    command = shutil.which("basedpyright", path=str(Path(sys.executable).parent)) or shutil.which("basedpyright")
    if command is None:
        pytest.skip("basedpyright is not installed")
    folder = tmp_path_factory.mktemp("pyright")
    (folder / "calls.py").write_text(CALLS)
    for page in sorted([*(ROOT / "docs").glob("*.md"), ROOT / "README.md"]):
        examples = doctest.DocTestParser().get_examples(page.read_text())
        lines = [line for one in examples if not one.exc_msg for line in one.source.splitlines()]
        (folder / f"page_{page.stem.lower()}.py").write_text(KNOWN + "\n".join(lines) + "\n")
    settings = {
        "typeCheckingMode": "basic",
        "extraPaths": [str(SOURCE)],
        "include": ["."],
        "pythonVersion": "3.11",
    }
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    run = subprocess.run(
        [command, "--outputjson", "-p", str(folder), "--pythonpath", sys.executable], capture_output=True, text=True
    )
    told = json.loads(run.stdout)
    assert told["summary"]["filesAnalyzed"] > 10
    rows = [row for row in told["generalDiagnostics"] if row["severity"] == "error"]
    return [(Path(row["file"]).name, row["range"]["start"]["line"] + 1, row["message"]) for row in rows]
