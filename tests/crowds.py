"""Annotations of several people: some that are drawn by chance, and the crowd's boxes around pedestrians."""

import csv
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

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


boxes = st.tuples(st.integers(0, 8), st.integers(0, 8), st.integers(1, 8), st.integers(1, 8))
marks = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from("abc"), boxes, st.sampled_from(["cat", "dog", "cow"])), max_size=24
)


def annotated(rows, people="abc", names=("cat", "dog", "cow"), **others):
    """What three people marked in four images; each row keeps its id whoever is called what."""
    name, label = dict(zip("abc", people, strict=True)), dict(zip(("cat", "dog", "cow"), names, strict=True))
    return Dataset.from_arrays(
        np.array([box for _, _, box, _ in rows], float).reshape(-1, 4),
        **{
            "form": "xywh",
            "image": [image for image, *_ in rows],
            "annotator": [name[who] for _, who, *_ in rows],
            "category": [label[kind] for *_, kind in rows],
            "id": list(range(len(rows))),
            "images": [0, 1, 2, 3],
            "categories": sorted(names),
            "annotators": sorted(people),
            "assignments": "all",
            **others,
        },
    )
