"""The history of the benchmarks, from made-up runs."""

import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.skipif(not (ROOT / "benchmarks").is_dir(), reason="a source distribution has no benchmarks")


@pytest.fixture(autouse=True)
def _root_on_the_path(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks import history

    monkeypatch.setattr(history, "_commit", lambda: "abc1234+")  # whether or not this is a clone


def bar(text="iou, ours faster than theirs", value=2.0, limit=1.5, **more):
    from benchmarks.report import Bar

    return Bar(text, value, limit, more_is_better=more.pop("more_is_better", True), **more)


def report(*bars, rows=()):
    from benchmarks.report import Report

    return Report("boxes", bars=list(bars), rows=list(rows))


def kept(folder, commit, time, *bars, machine="Zen 4"):
    """A run as `keep` writes it, at a commit and time of ours."""
    from benchmarks import history

    path = history.keep(folder, {"processor": machine, "Python": "3.11.7", "jax": "0.1"}, [report(*bars)])
    run = json.loads(path.read_text())
    path.unlink()
    (folder / f"{time[:10]}-{commit}.json").write_text(json.dumps(run | {"commit": commit, "time": time}))
    return run


def lines(folder):
    """The table's rows as lists of cells."""
    from benchmarks import history

    table = [line for line in history.page(history.read(folder)).splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table]


class TestKeep:
    def test_name_is_date_and_commit(self, tmp_path):
        from benchmarks import history

        path = history.keep(tmp_path, {}, [])
        run = json.loads(path.read_text())
        assert path.name == f"{run['time'][:10]}-abc1234+.json" and run["commit"] == "abc1234+"

    def test_rows_are_medians(self, tmp_path):
        spread = {"median": 0.00123456, "low": 0.001, "high": 0.002, "count": 27}
        row = {"bench": "boxes", "case": "one image", "ours": "iou", "peer": "theirs", "ours_time": spread}
        more = {"peer_time": None, "bound": spread, "answer": {"status": "same"}, "ours_peak_bytes": 7, "ratio": 2.5}
        from benchmarks import history

        run = json.loads(history.keep(tmp_path, {}, [report(rows=[row | more])]).read_text())
        assert run["rows"] == [row | {"ours_time": 0.001235, "bound": 0.001235}]

    def test_bars_and_machine(self, tmp_path):
        run = kept(tmp_path, "a", "2026-01-01T00:00:00", bar(value=None, why="not installed"), bar(value=1.0))
        assert [b["outcome"] for b in run["bars"]] == ["NONE", "MISS"] and run["bars"][0]["why"] == "not installed"
        assert run["machine"] == {"processor": "Zen 4", "Python": "3.11.7"}


class TestPage:
    def test_oldest_first_within_a_day(self, tmp_path):
        kept(tmp_path, "bbbbbbb", "2026-01-02T08:00:00", bar(value=2.0))
        kept(tmp_path, "aaaaaaa", "2026-01-02T09:00:00", bar(value=3.0))
        kept(tmp_path, "ccccccc", "2025-12-31T09:00:00", bar(value=4.0))
        head, _, row = lines(tmp_path)
        assert head == ["bar", "limit", "2025-12-31 ccccccc", "2026-01-02 bbbbbbb", "2026-01-02 aaaaaaa", "change"]
        assert row == ["iou, ours faster than theirs", "≥ 1.5x", "4x", "2x", "3x", "+50 %"]

    def test_missed_disturbed_absent(self, tmp_path):
        kept(tmp_path, "a", "2026-01-01", bar("speed", 1.0), bar("memory", 80, 100, more_is_better=False, unit=" MB"))
        kept(tmp_path, "b", "2026-01-02", bar("speed", 1.8, is_disturbed=True), bar("new", None))
        _, _, *rows = lines(tmp_path)
        assert rows == [
            ["speed", "≥ 1.5x", "**1x**", "~1.8x", "+80 %"],
            ["new", "≥ 1.5x", "−", "−", ""],
            ["memory", "≤ 100 MB", "80 MB", "−", ""],
        ]

    def test_machines_are_not_compared(self, tmp_path):
        kept(tmp_path, "a", "2026-01-01", bar(value=2.0))
        kept(tmp_path, "b", "2026-01-02", bar(value=9.0), machine="another")
        kept(tmp_path, "c", "2026-01-03", bar(value=1.8))
        assert lines(tmp_path)[2][-1] == "-10 %"

    def test_last_runs_only(self, tmp_path):
        for day in range(1, 13):
            kept(tmp_path, f"c{day}", f"2026-01-{day:02}", bar())
        assert lines(tmp_path)[0][2:-1] == [f"2026-01-{day:02} c{day}" for day in range(5, 13)]

    def test_none(self, tmp_path):
        from benchmarks import history

        assert "No run is kept yet" in history.page(history.read(tmp_path))

    def test_written_and_printed(self, tmp_path, monkeypatch, capsys):
        from benchmarks.history.__main__ import main

        kept(tmp_path, "a", "2026-01-01", bar())
        monkeypatch.setattr(sys, "argv", ["history", str(tmp_path)])
        assert main() == 0
        assert capsys.readouterr().out == (tmp_path / "README.md").read_text()


def test_the_page_is_that_of_the_runs():
    """`python -m benchmarks.history` writes it anew."""
    from benchmarks import history

    assert (history.FOLDER / "README.md").read_text() == history.page(history.read(history.FOLDER))
