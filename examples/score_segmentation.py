"""IoU and Dice by class of two folders of label maps: python score_segmentation.py truth guess 0,1,2

Maps are PNG, NumPy or NIfTI files of the same names. Pixels are counted over all images, and 255 in the truth counts
nowhere. A label that is no class is an error; a class that no image has is left out of the mean.
"""

import sys

from vesica import evaluate_segmentation

truth, guess, classes = sys.argv[1:]
result = evaluate_segmentation(truth, guess, categories=[int(word) for word in classes.split(",")], ignore=255)
rows = result.per_class()
for row in rows:
    iou, dice = ("–" if row[name] is None else f"{row[name]:.4f}" for name in ("IoU", "Dice"))
    print(f"class {row['category']:<4} IoU {iou}  Dice {dice}")
there = sum(row["IoU"] is not None for row in rows)
print(f"mean of {there} classes: mIoU {result['mIoU']:.4f}")
print(f"mean over images instead: mIoU {result.score('IoU', average='images').value:.4f}")
