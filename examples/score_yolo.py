"""AP by class of a YOLO folder: python score_yolo.py labels runs/detect/val/labels data.yaml

The pictures stand beside the labels, in `images`: their sizes turn shares into pixels.
"""

import sys

import vesica

labels, predictions, names = sys.argv[1:4]

truth = vesica.read(labels, names=names)
guess = vesica.read(predictions, names=names, images=truth)
result = vesica.evaluate(truth, guess)

print(f"{'class':<16} truths guesses    AP  AP50")
for row in result.per_class():
    values = (f"{row[name]:.3f}" if row["truths"] else "    –" for name in ("AP", "AP50"))
    print(f"{row['category']:<16} {row['truths']:>6} {row['guesses']:>7}", *values)
print(f"{'all':<16} {len(truth):>6} {len(guess):>7}", *(f"{result[name]:.3f}" for name in ("AP", "AP50")))
