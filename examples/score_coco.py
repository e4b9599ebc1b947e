"""AP of COCO results, and the classes that cost most: python score_coco.py truth.json results.json"""

import sys

import vesica
from vesica.compat.coco import COCO, COCOeval  # instead of pycocotools; the rest of the script stays

truth, guess = sys.argv[1:3]

annotations = COCO(truth)
evaluation = COCOeval(annotations, annotations.loadRes(guess), "bbox")
evaluation.evaluate()
evaluation.accumulate()
evaluation.summarize()

# The same numbers without the script, and what stands behind them.
result = vesica.evaluate(truth, guess)
rows = [row for row in result.per_class() if row["truths"]]
for row in sorted(rows, key=lambda row: row["AP"])[:5]:
    print(f"{row['category']:<16} AP {row['AP']:.3f} of {row['truths']} truths")
best = result.curve(iou=0.5).best_f1
if best is not None:
    print(f"F1 is highest, {best.f1:.3f}, if guesses from a score of {best.score:.3f} on are kept")
