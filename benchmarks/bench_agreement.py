"""Agreement: votes of pixels, truths behind them, coefficients, and intervals."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.cases_agreement import SIZES
from benchmarks.clock import Pace
from benchmarks.contest import Contest, bandwidths, hold, memories, table, tell
from benchmarks.report import Bar, Report

VOTES, RUNS, STAPLE = "vote_patterns", "vote_patterns of runs", "staple"
SKENE, ALPHA, BOOTSTRAP = "dawid_skene", "krippendorff", "bootstrap"
PAIRING, TABLES, LOOP = "pairing", "vesica.evaluate_agreement, all tables", "loop of SciPy's assignment"
CROWD, MANY = "pairs of 1448 images × 7 people", "3 people × 10 000 images × 7 boxes"
DRAWN_TABLES = "evaluate_agreement of masks, all tables"
MASKS = tuple(f"3 people × {images:,} images × 7 RLE masks".replace(",", " ") for images in SIZES)
"""From few images to many: time grows as they do."""
LINEAR, MEGABYTES = 1.2, 2**30 / 1e6
VOTED, DRAWN = "votes of 3 × 4 Mpx", "bootstrap, 10 000 × 10 000 × 60"
SECONDS = (
    (VOTED, VOTES, 0.0021),
    (DRAWN, BOOTSTRAP, 1.0),
    (CROWD, PAIRING, 0.2),
    (MANY, TABLES, 5.0),
    (MASKS[-1], DRAWN_TABLES, 10.0),
)
"""What a call may take: of votes half a nanosecond a pixel."""
LINEUPS = {
    VOTED: {VOTES: ("numpy.bincount of votes",), RUNS: ("numpy.bincount of votes",)},
    "votes of 3 × 4 Mpx, noise": {VOTES: ("numpy.bincount of votes",)},
    "STAPLE of 3 × 1000 masks": {STAPLE: ("SimpleITK.STAPLE",)},
    "labels of 20 000 units": {SKENE: ("crowdkit.DawidSkene",)},
    "ratings of 20 000 units": {ALPHA: ("krippendorff.alpha",)},
    DRAWN: {BOOTSTRAP: ("numpy draws and product",)},
    CROWD: {PAIRING: (LOOP,)},
    MANY: {PAIRING: (LOOP,), TABLES: (LOOP,)},
    **{case: {DRAWN_TABLES: ()} for case in MASKS},
}
LIMITS = {
    VOTED: {VOTES: 5},
    "STAPLE of 3 × 1000 masks": {STAPLE: 20},
    "labels of 20 000 units": {SKENE: 20},
    DRAWN: {BOOTSTRAP: 1.5},
    CROWD: {PAIRING: 25},
}


def bench(pace: Pace) -> Report:
    report = Report("agreement")
    contests = {case: hold(case, lineup, pace) for case, lineup in LINEUPS.items()}

    for contest in contests.values():
        tell(contest, report)
    every = list(contests.values())
    report.tables += [table(report.rows), bandwidths(every), memories(contests[DRAWN])]
    report.tables += [memories(contests[case]) for case in MASKS]
    report.bars = [
        contests[case].faster(ours, peer, limit)
        for case, limits in LIMITS.items()
        for ours, limit in limits.items()
        for peer in LINEUPS[case][ours]
    ]
    report.bars += [
        Bar(f"{case}, {ours}", contests[case].times[ours].median, most, more_is_better=False, unit=" s")
        for case, ours, most in SECONDS
    ]
    report.bars += [contests[MASKS[-1]].extra_memory(DRAWN_TABLES, MEGABYTES), _growth(contests)]
    return report


def _growth(contests: Mapping[str, Contest]) -> Bar:
    """Four times as many images take four times as long, and not more."""
    few, many = (contests[case].times[DRAWN_TABLES].median for case in (MASKS[0], MASKS[-1]))
    value = many / few / (SIZES[-1] / SIZES[0])
    text = f"{MASKS[-1]}, time of an image over that of {SIZES[0]} images"
    return Bar(text, value, LINEAR, more_is_better=False)
