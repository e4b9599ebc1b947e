"""IoU and Dice by class of two folders of label maps: python score_segmentation.py truth guess 0,1,2

Maps are PNG files of the same names. Pixels are counted over all images, and 255 in the truth counts nowhere.
"""

import sys
from pathlib import Path

import numpy as np
from PIL import Image

from vesica import LabelMap, Parts, dice, iou, parts

classes = [int(word) for word in sys.argv[3].split(",")]
tp, fp, fn = np.zeros((3, len(classes)), np.int64)
for path in sorted(Path(sys.argv[1]).glob("*.png")):
    truth = LabelMap(np.asarray(Image.open(path)), ids=classes, background=None, ignore=255)
    guess = LabelMap(np.asarray(Image.open(Path(sys.argv[2]) / path.name)), ids=classes, background=None)
    p = parts(guess, truth, aligned=True)
    tp, fp, fn = tp + p.inter, fp + p.area_a - p.inter, fn + p.area_b - p.inter
counts = Parts.from_counts(tp, fp, fn)
for name, one, other in zip(classes, iou(counts), dice(counts), strict=True):
    print(f"class {name:<4} IoU {one:.4f}  Dice {other:.4f}")
there = tp + fp + fn > 0
print(f"mean of {there.sum()} classes: mIoU {iou(counts)[there].mean():.4f}")
