"""Who agrees with whom: python compare_annotators.py boxes.csv

A row is image_id, annotator, x1, y1, x2, y2; without numbers, the annotator looked at the image and saw nothing.
"""

import sys

import vesica

result = vesica.evaluate_agreement(sys.argv[1])
for row in result.pairs():
    f1, fit = ("–" if row[name] is None else f"{row[name]:.3f}" for name in ("f1", "mean_iou"))
    found = f"{row['n_matched']} of {row['n_a']} and {row['n_b']} boxes"
    print(f"{row['annotator_a']} {row['annotator_b']}: F1 {f1}, mean IoU {fit}, {found}")
for queued in result.worst(3):
    print(f"look at image {queued.image} again: {', '.join(reason.type for reason in queued.reasons)}")
