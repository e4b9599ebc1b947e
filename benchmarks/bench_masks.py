"""Masks: iou of runs and of pixels, and the way from one to the other."""

from __future__ import annotations

from benchmarks.cases_recorded import RECORDED_CASES, RECORDED_NAMES
from benchmarks.clock import Pace
from benchmarks.contest import Contest, bandwidths, hold, memories, table, tell
from benchmarks.peers_masks import RUNS
from benchmarks.report import Bar, Report, aligned

READ, DICTS, PIXELS = "vesica.iou of RleMasks", "vesica.iou of dicts", "vesica.iou of Masks"
ENCODE, ENCODE_TO_DICTS, DECODE = "RleMasks.from_masks", "RleMasks.from_masks, to_coco", "RleMasks.to_masks"

RUN_PEERS = tuple(f"{name}.iou" for name in RUNS)
ENCODE_PEERS = tuple(f"{name}.encode" for name in RUNS)
DECODE_PEERS = tuple(f"{name}.decode" for name in RUNS)
COMPACT = "supervision.CompactMask"
PIXEL_PEERS = (
    *(f"{name}.encode and iou" for name in RUNS),
    "numpy float32 matmul",
    "numpy packbits and popcount",
    "supervision.mask_iou_batch",
)

HUGE = "rle 747x747 3000x4000"
RUN_CASES = ("rle 200x200 1080x1920", *(case.name for case in RECORDED_CASES))
SIZES = ("50 480x640", "200 1080x1920")
GIGABYTE = 1e9


def bench(pace: Pace) -> Report:
    report = Report("masks")
    both = {READ: RUN_PEERS, DICTS: RUN_PEERS}
    of_runs = [hold(case, both, pace) for case in RUN_CASES]
    # Here the memory is asked for; one peer's answer is enough.
    huge = hold(HUGE, {READ: RUN_PEERS[:1]}, pace, untimed=RUN_PEERS)
    of_pixels = hold("masks 200x200 1080x1920", {PIXELS: (*PIXEL_PEERS, COMPACT)}, pace)
    encoded = [hold(f"encode {size}", {ENCODE: ENCODE_PEERS, ENCODE_TO_DICTS: ENCODE_PEERS}, pace) for size in SIZES]
    decoded = [hold(f"decode {size}", {DECODE: DECODE_PEERS}, pace) for size in SIZES]

    contests = [*of_runs, huge, of_pixels, *encoded, *decoded]
    for contest in contests:
        tell(contest, report)
    report.tables += [table(report.rows), _records(of_runs), memories(of_pixels), bandwidths(contests)]
    report.bars = [
        *(_best(contest, ours, RUN_PEERS, 2) for contest in of_runs for ours in (READ, DICTS)),
        _best(of_pixels, PIXELS, PIXEL_PEERS, 5),
        of_pixels.faster(PIXELS, COMPACT, 5),
        of_pixels.extra_memory(PIXELS, 150),
        *(_best(contest, ours, ENCODE_PEERS, 4) for contest in encoded for ours in (ENCODE, ENCODE_TO_DICTS)),
        *(_best(contest, DECODE, DECODE_PEERS, 1) for contest in decoded),
        _peak(huge),
    ]
    return report


def _best(contest: Contest, ours: str, peers: tuple[str, ...], limit: float) -> Bar:
    return contest.faster(ours, contest.fastest(*peers), limit)


def _peak(contest: Contest) -> Bar:
    text = f"{contest.case}, all pairs, peak memory of the process"
    return Bar(text, contest.peaks[READ] / GIGABYTE, 1, more_is_better=False, unit=" GB")


def _records(contests: list[Contest]) -> str:
    """The sums of all iou of a data set, beside those that pycocotools 2.0.11 found."""
    told = {contest.case: contest.records[0] for contest in contests if contest.records}
    rows = [(name, str(told[name]) if name in told else "not here: no shared/data") for name in RECORDED_NAMES]
    return aligned(("real masks", "sum of all iou"), rows)
