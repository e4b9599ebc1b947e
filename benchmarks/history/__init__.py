"""What earlier runs found: one small file a run, `<date>-<commit>.json`, and a table of the bars by commit.

`make bench HISTORY=1` keeps a run, `python -m benchmarks.history` shows them all.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from benchmarks.report import Report

FOLDER = Path(__file__).parent
COLUMNS = 8
"""Runs side by side in a table: the last ones."""
FACTS = ("processor", "Python", "numpy")
"""What is kept of the machine: without the same ones, two runs do not compare."""

Run = dict[str, Any]


def keep(folder: Path, facts: dict[str, str], reports: Sequence[Report]) -> Path:
    """Write a run: its bars, and the medians of its rows."""
    now, commit = datetime.now(timezone.utc), _commit()
    run = {
        "time": now.isoformat(timespec="seconds"),
        "commit": commit,
        "machine": {name: facts[name] for name in FACTS if name in facts},
        "bars": [{**vars(bar), "outcome": bar.outcome} for report in reports for bar in report.bars],
        "rows": [_medians(row) for report in reports for row in report.rows],
    }
    path = folder / f"{now:%Y-%m-%d}-{commit}.json"
    path.write_text(json.dumps(run, indent=1, ensure_ascii=False) + "\n")
    return path


def read(folder: Path) -> list[Run]:
    """All runs, the oldest first."""
    runs: list[Run] = [json.loads(path.read_text()) for path in folder.glob("*.json")]
    return sorted(runs, key=lambda run: run["time"])


def page(runs: Sequence[Run]) -> str:
    """Markdown: the bars of the last runs side by side, and the machine of each."""
    head = "# History of the benchmarks\n\n"
    if not runs:
        return head + "No run is kept yet: `make bench HISTORY=1` keeps one.\n"
    shown = runs[-COLUMNS:]
    return (
        f"{head}Written by `python -m benchmarks.history`. **Bold**: the bar was missed; `~`: others used the machine; "
        "−: not measured. *Change* compares the last two figures of one machine.\n\n"
        f"{_table(shown)}\n\n{_machines(shown)}\n"
    )


def _table(runs: Sequence[Run]) -> str:
    texts = list(dict.fromkeys(bar["text"] for run in reversed(runs) for bar in run["bars"]))
    lines = [("bar", "limit", *(f"{run['time'][:10]} {run['commit']}" for run in runs), "change")]
    lines.append(("---", *["---:"] * (len(runs) + 2)))
    for text in texts:
        bars = [_find(run, text) for run in runs]
        last = next(bar for bar in reversed(bars) if bar)
        limit = f"{'≥' if last['more_is_better'] else '≤'} {last['limit']:g}{last['unit']}"
        lines.append((text.replace("|", "\\|"), limit, *map(_cell, bars), _change(runs, bars)))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _find(run: Run, text: str) -> dict[str, Any] | None:
    return next((bar for bar in run["bars"] if bar["text"] == text), None)


def _cell(bar: dict[str, Any] | None) -> str:
    if bar is None or bar["value"] is None:
        return "−"
    figure = f"{'~' if bar['is_disturbed'] else ''}{bar['value']:.3g}{bar['unit']}"
    return f"**{figure}**" if bar["outcome"] == "MISS" else figure


def _change(runs: Sequence[Run], bars: Sequence[dict[str, Any] | None]) -> str:
    """The last figure over the one before it, on the same machine."""
    measured = [(run["machine"], bar["value"]) for run, bar in zip(runs, bars, strict=True) if bar and bar["value"]]
    if not measured:
        return ""
    machine, last = measured[-1]
    earlier = [value for where, value in measured[:-1] if where == machine]
    return f"{(last / earlier[-1] - 1) * 100:+.0f} %" if earlier else ""


def _machines(runs: Sequence[Run]) -> str:
    lines = [f"- {run['commit']}: {', '.join(f'{k} {v}' for k, v in run['machine'].items())}" for run in runs]
    return "\n".join(lines)


def _medians(row: dict[str, Any]) -> dict[str, Any]:
    """A row without its quartiles, peaks and notes: what was timed, and how long it took."""
    short: dict[str, Any] = {}
    for name, value in row.items():
        if name in ("bench", "case", "ours", "peer"):
            short[name] = value
        elif isinstance(value, dict) and "median" in value:
            short[name] = float(f"{value['median']:.4g}")
    return short


def _commit() -> str:
    """Seven digits of the commit, and a plus where files differ from it."""
    digits = _git("rev-parse", "--short=7", "HEAD")
    return digits + ("+" if _git("status", "--porcelain", "--untracked-files=no") else "")


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=FOLDER, capture_output=True, text=True, check=True)
    return done.stdout.strip()
