"""Tracks through the frames of large images that were detected in tiles: python track_tiles.py detections.csv

A row is frame, tile_x, tile_y, x1, y1, x2, y2, score: corners inside the tile, whose own corner is given.
"""

import itertools
import sys

import numpy as np

import vesica

rows = np.genfromtxt(sys.argv[1], delimiter=",", names=True)
corners = np.stack([rows["x1"], rows["y1"], rows["x2"], rows["y2"]], 1)
boxes = corners + np.stack([rows["tile_x"], rows["tile_y"]] * 2, 1)
fresh, names, before = itertools.count(1), [], np.empty((0, 4))
print("frame,track,x1,y1,x2,y2,score")
for frame in np.unique(rows["frame"]):
    here = rows["frame"] == frame
    whole = vesica.nmm(boxes[here], rows["score"][here], measure=vesica.overlap, above=0.5)  # what tiles cut apart
    now = whole.regions.xyxy
    linked = vesica.match(before, now, at_least=0.3, how="optimal").truth_of
    names, before = [names[k] if k >= 0 else next(fresh) for k in linked], now
    for name, box, score in zip(names, now, whole.scores, strict=True):
        print(f"{frame:g},{name},{','.join(f'{side:g}' for side in box)},{score:g}")
