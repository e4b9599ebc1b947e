"""Run the benchmarks: `python -m benchmarks [name …] [--quick] [--isa NAME …] [--json FILE] [--history]`.

A missed bar is a result, not a failure: the exit code is 1 only where an answer differs from a peer's.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import replace

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
    session,
)
from benchmarks.clock import FULL, QUICK, Pace
from benchmarks.report import Report, print_faults
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
    benches = (
        (f"{name}, {isa}" if isa else name, _under(isa, name, pace))
        for name in options.names or BENCHES
        for isa in options.isa or [None]
    )
    reports = session.told(facts, benches, options.json)
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
    session.add_arguments(parser, BENCHES, "one process a cell instead of three")
    parser.add_argument("--history", action="store_true", help="keep bars and medians in benchmarks/history")
    parser.add_argument(
        "--isa",
        nargs="+",
        choices=ISAS,
        help="time our side once under each of these: a new processor shows what an older one does",
    )
    return session.parsed(parser, BENCHES)


if __name__ == "__main__":
    sys.exit(main())
