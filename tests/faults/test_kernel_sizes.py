"""The compiled kernels called directly, with arrays too short or too long for each other: an error, never a crash."""

import pytest

import vesica
from processes import script

# Each kernel with arguments that fit; then each array in turn without its last row, and with one more.
SIZES = """
import numpy as np
from vesica import _native

rng = np.random.default_rng(0)
flat = lambda count, kind=np.float64: np.zeros(count, kind)
table = lambda n, m=4, kind=np.float64: np.zeros((n, m), kind)
places = lambda count, step: np.arange(0, (count + 1) * step, step, dtype=np.int64)
iou, options, threshold = 0, (0.0, 0.5, 0.5, False), (1, 2, 0, False)
boxes = np.array([[0.0, 0, 4, 4], [1, 1, 5, 5], [2, 2, 6, 6]])
other = boxes[:2].copy()
turned = np.array([[2.0, 2, 4, 4, 1, 0, 16]] * 3)
written = turned[:, :5].copy()
keys, few_keys = flat(3, np.uint32), flat(2, np.uint32)
scores, rule = np.array([0.9, 0.8, 0.7]), (0, 0.5, 0.1, 0)
index, value = table(3, 1, np.int64), table(3, 1)
pixels = _native.masks_pack(np.ones((3, 5, 5), np.uint8), 1)
counts, offsets = np.array([0, 25, 25, 5, 20], np.int64), np.array([0, 2, 3, 5], np.int64)
points = np.array([[0.0, 0], [4, 0], [4, 4], [0, 4]] * 3)
rings, parts, regions = places(3, 4), places(3, 1), places(3, 1)
polygons = (points, rings, parts, regions, table(3), flat(3))
starts = places(3, 1)
sets = (np.array([0, 1, 2], np.int64), starts, 3)
text = np.frombuffer(b"[]" * 3, np.uint8)
segments = (text, flat(3, np.int64), flat(3, np.int64), flat(3, np.uint8), table(3, 2, np.int64), table(3))
request = ([0.5], [0.0], [1e10], 0, 1, 1, 100, False, False, 1)
truths = (flat(3, np.int32), flat(3, np.int32), flat(3), flat(3, np.uint8), flat(3, np.uint8), flat(3, np.uint8))
guesses = (flat(3, np.int32), flat(3, np.int32), flat(3), scores, flat(3, np.uint8))
curve = (np.array([0, 1]), np.array([3], np.int32), np.array([3], np.int32), scores,
         flat(3, np.uint64), flat(3, np.uint64), 1, 1)
run = (flat(45, np.uint8), np.arange(2, dtype=np.int32), 8, True)
walk = (np.linspace(0, 1, 3), np.array([1, 100]), 0, 0.0, 1, np.array([3]))
seen = (flat(2, np.uint32), flat(2, np.uint32), flat(6), flat(6), flat(4))
pairs = (flat(2, np.int64), np.arange(2, dtype=np.int64), np.ones(2))
groups, pattern_starts = np.array([0, 2, 3]), np.array([0, 1, 2])
votes = (np.array([0, 1, 3], np.uint64), np.full(3, 3, np.uint64), np.array([5, 1, 2]))
rates = (table(2, 2), table(2, 2), flat(3), flat(2))
paired = (counts, offsets, np.array([0, 2]))

CALLS = [
    ("boxes_pairwise", iou, options, boxes, other, table(3, 2), 1),
    ("boxes_aligned", iou, options, boxes, boxes, flat(3), 1),
    ("boxes_inter", boxes, other, table(3, 2), 1),
    ("boxes_best", iou, options, boxes, other, index, value, 1),
    ("boxes_join", iou, options, threshold, boxes, other, keys, few_keys, False, 1),
    ("boxes_join", iou, options, threshold, boxes, boxes, keys, keys, True, 1),
    ("rotated_take_quarters", written, False, flat(3)),
    ("rotated_turn", written, True, False, flat(3), flat(3), table(3, 7)),
    ("rotated_pairwise", iou, options, turned, turned[:2], table(3, 2), 1),
    ("rotated_aligned", iou, options, turned, turned, flat(3), 1),
    ("rotated_inter", turned, turned[:2], table(3, 2), 1),
    ("rotated_best", iou, options, turned, turned, index, value, 1),
    ("rotated_join", iou, options, threshold, turned, turned[:2], keys, few_keys, False, 1),
    *((f"{kind}_{verb}", *rest)
      for kind, a, b, number in (
          ("masks", pixels, pixels, np.int64), ("masks_boxes", pixels, boxes, np.float64),
          ("boxes_masks", boxes, pixels, np.float64), ("polygons", polygons, polygons, np.float64),
          ("sets", sets, sets, np.int64))
      for verb, *rest in (
          ("pairwise", iou, options, a, b, table(3, 3), 1), ("aligned", iou, options, a, b, flat(3), 1),
          ("inter", a, b, table(3, 3, number), 1), ("inter", a, b, flat(3, number), 1),
          ("best", iou, options, a, b, index, value, 1),
          ("join", iou, options, threshold, a, b, keys, keys, False, 1))),
    ("masks_unpack", pixels, flat(75, np.uint8), 1),
    ("rle_canonical", counts, offsets, 25),
    ("rle_to_strings", counts, offsets),
    ("rle_pack", counts, offsets, 5, 5, 1),
    ("rle_merge", counts, offsets, counts, offsets, 25, True),
    ("rle_crop", counts, offsets, 5, (0, 0, 2, 2)),
    ("sparse_pack", *(flat(3, np.int64) for _ in range(3)), (1, 5, 5), False, 1),
    ("polygons_area", polygons, flat(3), 1),
    ("polygons_counts", polygons, 0, 5, 5, 1),
    *((f"{kind}_nms", iou, options, threshold, rows, scores, keys, keys, 0.0, 0, False, 1)
      for kind, rows in (("boxes", boxes), ("rotated", turned), ("masks", pixels), ("polygons", polygons),
                         ("sets", sets))),
    ("boxes_soft", iou, options, threshold, boxes, scores, keys, rule, 1),
    ("edges_soft", *pairs, True, scores, keys, rule, 1),
    ("boxes_fuse", boxes, np.arange(3), scores, keys, threshold, 1),
    ("components", *pairs[:2], 3),
    ("anchors_assign", threshold, threshold, boxes, other, np.array([0, 2]), flat(3, np.int64), flat(3),
     flat(3, np.uint8), 1),
    ("kmeans_nearest", np.ones((2, 3)), np.ones((2, 2)), flat(3, np.int32), flat(3), 1),
    ("kmeans_medians", np.ones((2, 3)), flat(3, np.int32), np.ones((2, 2)), 1),
    ("assign_greedy", *pairs, 1, 2, flat(2)),
    ("assign_optimal", *pairs, 1, 2, 0, 1),
    ("assign_dense", np.ones((2, 3)), 0, flat(2, np.int64)),
    ("coco_masks_iou", segments, segments, flat(3, np.uint8), 0.0, False, False, table(3, 3)),
    ("match_cells_boxes", request, truths, boxes, guesses, boxes),
    ("match_cells_masks", request, truths, segments, guesses, segments, False, False),
    ("match_cells_pairs", request, truths, guesses, places(3, 1), np.arange(3), np.ones(3)),
    ("bootstrap_weights", flat(3, np.uint64), 0, 0, 2, np.array([9, 99], np.uint32), 1, table(2, 3)),
    ("outline_offsets", paired, paired, 5, 1, flat(2), flat(2)),
    ("outline_histograms", paired, paired, 5, 0.5, 4, 1, flat(8, np.uint32)),
    ("edge_pixels", paired, paired, 5, 2.0, 1, flat(2, np.int64), flat(2, np.int64)),
    ("vote_patterns_runs", counts, offsets, groups, np.array([25, 25]), 1),
    ("vote_patterns_choose", counts, offsets, groups, np.array([25, 25]), flat(2, np.uint64), pattern_starts, 1),
    ("dawid_skene", (flat(3, np.int64), np.array([0, 2, 3]), flat(2)), 1, (True, 1e-9, 5), np.full((1, 2, 2), 0.5),
     np.full(2, 0.5), table(2, 2)),
    ("staple", votes, groups, 2, (False, 0.9, 1e-9, 9), 1, rates, (flat(2, np.int64), flat(2, np.int64))),
    ("precision_recall", curve, np.linspace(0, 1, 3), np.array([1, 100]), 0, 0.0, flat(6), flat(2), flat(6), 1),
    ("sorted_run", curve, flat(1, np.int32), 8, 1, table(3, 15, np.uint8), 1),
    ("walk_runs", [run, run], 1, walk, seen, flat(2, np.int64)),
    ("walk_answer", walk, seen, flat(6), flat(2), flat(6)),
    ("joined_runs", [run, run], 1, 1, flat(6), flat(6, np.uint64), flat(6, np.uint64)),
]
# What may be of any length.
FREE = {("kmeans_medians", 2), ("kmeans_nearest", 1), ("boxes_fuse", 1), ("bootstrap_weights", 4)} | {
    (f"{kind}_best", 3) for kind in "boxes rotated masks masks_boxes boxes_masks polygons sets".split()}
FREE_COLUMNS = {("coco_masks_iou", 0, 0), ("coco_masks_iou", 1, 0), ("match_cells_masks", 2, 0),
                ("match_cells_masks", 4, 0), ("sorted_run", 0, 0),
                *((name, 0, q) for name in ("polygons_area", "polygons_counts")
                                               for q in (4, 5))}


def changed(value):
    if value is offsets or value is regions or value is starts:
        return [value[:-1].copy()]  # one more would be a group of nothing
    if isinstance(value, np.ndarray) and value.size:
        return [value[:-1].copy(), np.concatenate([value, value[-1:]])]
    return [pixels.rows(slice(0, 2))] if value is pixels else []


def variants(name, arguments):
    for k, argument in enumerate(arguments):
        inner = enumerate(argument) if isinstance(argument, tuple) else ()
        for q, part in inner:
            if (name, k, q) not in FREE_COLUMNS:
                for other in changed(part):
                    yield k, (*arguments[:k], (*argument[:q], other, *argument[q + 1:]), *arguments[k + 1:])
        if (name, k) not in FREE:
            for other in changed(argument):
                yield k, (*arguments[:k], other, *arguments[k + 1:])


tried = 0
for name, *arguments in CALLS:
    kernel = getattr(_native, name)
    kernel(*arguments)
    for k, call in variants(name, arguments):
        tried += 1
        try:
            kernel(*call)
        except (ValueError, TypeError):
            continue
        print(name, "takes another size of argument", k, flush=True)
names = {name for name, *_ in CALLS}
print(tried > 200, sorted(name for name in dir(_native)
      if name.split("_")[0] in ("boxes rotated masks polygons sets rle sparse kmeans assign match anchors vote staple "
                                "dawid bootstrap outline edge").split()
      and name not in names and not name.endswith("names")))
"""

# Kernels that take one array, and as much of it as there is; those that read texts; and those that check by themselves.
OF_ONE = [
    "assign_lane",
    "boxes_are_sides_sound",
    "boxes_first_fault",
    "masks_pack",
    "match_lane",
    "rle_from_coco",
    "rle_from_strings",
    "rle_of_columns",
    "rle_unpack",
    "rotated_are_sound",
    "vote_patterns_dense",
    "vote_patterns_labels",
]


def test_sizes():
    ended = script(SIZES)
    assert (ended.returncode, ended.stderr, ended.stdout) == (0, "", f"True {OF_ONE}\n")


@pytest.mark.parametrize(
    "call",
    [
        "_native.rle_from_strings([b'0'], -1, 5, 1)",
        "_native.rle_from_strings([3], 5, 5, 1)",
        "_native.sparse_pack(*[np.zeros(1, np.int64)] * 3, (1, -5, 5), False, 1)",
        "_native.rle_of_columns(np.zeros((5, 5, 2), np.uint8, order='F'), 0)",
        "_native.rle_of_columns(np.zeros((5, 5, 2), np.uint8, order='F'), 3)",
        "_native.Pixels.concat([])",
        "_native.Pixels.concat([masks(5), masks(6)])",
        "masks(5).take(np.array([3]))",
        "masks(5).take(np.array([-1]))",
        "_native.boxes_inter(np.zeros((2, 4)), np.zeros(4), np.zeros((2, 1)), 1)",
        "_native.boxes_inter(np.zeros(4), np.zeros((2, 4)), np.zeros((1, 2)), 1)",
        "_native.masks_inter(masks(5), masks(6), np.zeros((3, 3), np.int64), 1)",
        "_native.masks_inter(masks(5), masks(5, 6), np.zeros((3, 3), np.int64), 1)",
        "_native.masks_inter(masks(5), masks(6, 5), np.zeros((3, 3), np.int64), 1)",
        "_native.Pixels.concat([masks(5), masks(5, 6)])",
        "_native.Pixels.concat([masks(5), masks(6, 5)])",
        "_native.coco_file_read(np.zeros(2, np.uint8), False, False, 0, 1)",
        "_native.assign_dense(np.zeros((3, 2)), _native.goal_names().index('complete'), np.zeros(3, np.int64))",
        "set_state(lambda table: table.__setitem__((0, 5), 10**6))",
        "set_state(lambda table: table.__setitem__((0, 5), -2))",
        "set_state(lambda table: table.__setitem__((0, 7), 10**6))",
        "set_state(lambda table: table.__setitem__((0, 3), 10**6))",
        "set_state(lambda table: table.__setitem__((0, 1), -1))",
    ],
)
def test_values(call):
    code = f"""
import numpy as np
from vesica import _native
masks = lambda height, width=None: _native.masks_pack(np.ones((3, height, width or height), np.uint8), 1)
def set_state(change):
    table, *rest = masks(70).__getstate__()
    table = table.copy()
    change(table)
    _native.Pixels.__new__(_native.Pixels).__setstate__((table, *rest))
try:
    {call}
except (ValueError, TypeError, RuntimeError) as error:
    print("refused")
"""
    ended = script(code)
    assert (ended.returncode, ended.stdout) == (0, "refused\n"), ended.stderr


BOXES = [[0.0, 0, 4, 4], [1, 1, 5, 5]]


@pytest.mark.parametrize("threads", [2**63, 2**64, 2**70, 10**5000], ids="2**63 2**64 2**70 10**5000".split())
@pytest.mark.parametrize(
    "call",
    [
        lambda threads: vesica.iou(BOXES, BOXES, threads=threads),
        lambda threads: vesica.nms(BOXES, [1, 2], threads=threads),
        lambda threads: vesica.join(BOXES, BOXES, at_least=0.5, threads=threads),
        lambda threads: vesica.evaluate(*data_sets(), threads=threads).stats,
    ],
    ids=["iou", "nms", "join", "evaluate"],
)
def test_too_many_threads(call, threads):
    with pytest.raises(ValueError, match=r"`threads` must be at most 9223372036854775807; got"):
        call(threads)


def data_sets():
    columns = {"image": [1, 1], "category": [1, 1]}
    return [vesica.Dataset.from_arrays(BOXES, **columns, **more) for more in ({}, {"score": [0.5, 0.4]})]


@pytest.mark.parametrize("name", ["VESICA_NUM_THREADS", "VESICA_KEEP_MB"])
@pytest.mark.parametrize("text", ["9" * 13, "9" * 5000, "0" * 5000, "many" * 5000], ids="13 nines zeros many".split())
def test_long_environment(name, text):
    ended = script("import numpy as np, vesica; vesica.iou(*[np.ones((2100, 4))] * 2)", **{name: text})
    said = ended.stderr.splitlines()[-1]
    assert said.startswith(f"ValueError: {name} must be a whole number of at most 12 digits; got '{text[:10]}")
    assert len(said) < 300
