"""Annotations of several people: some that are drawn by chance, and the crowd's boxes around pedestrians."""

import csv
from pathlib import Path

import numpy as np

from vesica import Dataset

CROWD = Path(__file__).parents[2] / "shared/data/crowd/pedestrian_boxes_multi_annotator.csv"


def pedestrians():
    """The crowd's boxes: seven of 43 people marked each image; boxes without area are left out."""
    rows = [row for row in csv.DictReader(CROWD.read_text().splitlines()) if row["source"] == "179_wh.json"]
    asked = {"image": [int(row["image_id"]) for row in rows], "annotator": [row["annotator"] for row in rows]}
    drawn = [row for row in rows if row["box_index"] != "-1"]
    boxes = np.array([[float(row[key]) for key in ("x1", "y1", "x2", "y2")] for row in drawn])
    kept = (boxes[:, 2:] > boxes[:, :2]).all(axis=1)
    image, who = ([row[key] for row in drawn] for key in ("image_id", "annotator"))
    return Dataset.from_arrays(
        boxes[kept], image=np.int64(image)[kept], annotator=np.array(who)[kept], assignments=asked
    )  # fmt: skip


def data_of(drawn, order=None, people="abc"):
    """Boxes of three people in three images, all asked for all; rows in some order, people under other names."""
    order = range(len(drawn)) if order is None else order
    chosen = [drawn[k] for k in order]
    name = dict(zip("abc", people, strict=True))
    return Dataset.from_arrays(
        np.array([box for *_, box in chosen], float).reshape(-1, 4),
        form="xywh",
        image=[image for image, *_ in chosen],
        annotator=[name[who] for _, who, _ in chosen],
        id=list(order),
        images=[0, 1, 2],
        annotators=sorted(people),
        assignments="all",
    )
