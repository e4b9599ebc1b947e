"""Run the benchmarks: `python -m benchmarks [name …] [--quick] [--isa NAME …] [--json FILE] [--history]`.

A missed bar is a result, not a failure: the exit code is 1 only where an answer differs from a peer's.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import replace
from pathlib import Path

from benchmarks import (
    bench_agreement,
    bench_anchors,
    bench_boxes,
    bench_causes,
    bench_check,
    bench_detection,
    bench_fusion,
    bench_import,
    bench_intervals,
    bench_join,
    bench_labels,
    bench_masks,
    bench_matching,
    bench_nms,
    bench_report,
    bench_rotated,
    bench_segmentation,
    bench_small,
    bench_soft,
    bench_sparse,
    bench_surfaces,
    bench_threads,
    history,
    machine,
)
from benchmarks.clock import FULL, QUICK, Pace
from benchmarks.report import Report, print_bars, print_facts, print_faults, write_rows
from vesica._kernels.native import ISAS

BENCHES = {
    "boxes": bench_boxes.bench,
    "rotated": bench_rotated.bench,
    "masks": bench_masks.bench,
    "sparse": bench_sparse.bench,
    "labels": bench_labels.bench,
    "segmentation": bench_segmentation.bench,
    "agreement": bench_agreement.bench,
    "surfaces": bench_surfaces.bench,
    "join": bench_join.bench,
    "matching": bench_matching.bench,
    "nms": bench_nms.bench,
    "anchors": bench_anchors.bench,
    "soft": bench_soft.bench,
    "fusion": bench_fusion.bench,
    "detection": bench_detection.bench,
    "causes": bench_causes.bench,
    "check": bench_check.bench,
    "intervals": bench_intervals.bench,
    "report": bench_report.bench,
    "small": bench_small.bench,
    "threads": bench_threads.bench,
    "import": bench_import.bench,
}


def main() -> int:
    options = _options()
    pace = QUICK if options.quick else FULL
    facts = machine.describe()
    print_facts(facts)

    reports = []
    for name in options.names or BENCHES:
        for isa in options.isa or [None]:
            report = _under(isa, name, pace)
            title = f"{name}, {isa}" if isa else name
            print(f"\n== {title} ==", *report.tables, sep="\n\n", flush=True)
            reports.append(report)
            if options.json:  # after each: a long run that is stopped keeps what it has
                write_rows(options.json, facts, reports)
    print_bars(reports)

    if options.history:
        print(f"\nkept in {history.keep(history.FOLDER, facts, reports)}; `python -m benchmarks.history` shows all")
    return print_faults(reports)


def _under(isa: str | None, name: str, pace: Pace) -> Report:
    """One benchmark, our side with at most this instruction set: every cell is timed in a process of its own."""
    if isa is None:
        return BENCHES[name](pace)
    before = os.environ.get("VESICA_ISA")
    os.environ["VESICA_ISA"] = isa
    try:
        report = BENCHES[name](pace)
    finally:
        del os.environ["VESICA_ISA"]
        if before is not None:
            os.environ["VESICA_ISA"] = before
    report.bars = [replace(bar, text=f"{bar.text} [{isa}]") for bar in report.bars]
    report.rows = [{**row, "isa": isa} for row in report.rows]
    return report


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Time vesica against its peers.")
    parser.add_argument("names", nargs="*", metavar="name", help=f"{', '.join(BENCHES)}; all of them by default")
    parser.add_argument("--quick", action="store_true", help="one process a cell instead of three")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write machine, rows and bars to a file")
    parser.add_argument("--history", action="store_true", help="keep bars and medians in benchmarks/history")
    parser.add_argument(
        "--isa",
        nargs="+",
        choices=ISAS,
        help="time our side once under each of these: a new processor shows what an older one does",
    )
    options = parser.parse_args()
    if unknown := [name for name in options.names if name not in BENCHES]:
        parser.error(f"no benchmark is called {unknown[0]!r}: choose from {', '.join(BENCHES)}")
    return options


if __name__ == "__main__":
    sys.exit(main())
