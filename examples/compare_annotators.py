"""Who agrees with whom: python compare_annotators.py boxes.csv

A row is image_id, annotator, x1, y1, x2, y2; without numbers, the annotator looked at the image and saw nothing.
"""

import csv
import itertools
import sys
from collections import defaultdict

import vesica

marks = defaultdict(lambda: defaultdict(list))  # annotator → image → boxes
with open(sys.argv[1], newline="") as file:
    for row in csv.DictReader(file):
        box = [float(row[name]) for name in ("x1", "y1", "x2", "y2") if row[name]]
        marks[row["annotator"]][row["image_id"]] += [box] if box else []
for a, b in itertools.combinations(sorted(marks), 2):
    images = marks[a].keys() & marks[b].keys()  # those that both were asked about
    rows = [[(box, image) for image in images for box in marks[who][image]] for who in (a, b)]
    boxes, keys = ([[row[k] for row in side] for side in rows] for k in (0, 1))
    found = vesica.match(*boxes, keys=keys, at_least=0.5, how="optimal")
    if any(boxes):
        f1, fit = 2 * len(found) / sum(map(len, boxes)), found.value.mean() if len(found) else float("nan")
        print(f"{a} {b}: F1 {f1:.3f}, mean IoU {fit:.3f}, {len(found)} of {len(boxes[0])} and {len(boxes[1])} boxes")
