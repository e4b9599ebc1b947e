"""Annotations of COCO, under the names of `pycocotools.coco`.

>>> from vesica.compat.coco import COCO, COCOeval, mask
"""

from __future__ import annotations

import copy
import itertools
import json
import time
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from vesica._check import compat as check
from vesica.compat import lazy_file, mask
from vesica.compat.cocoeval import COCOeval
from vesica.compat.drawing import draw
from vesica.compat.lazy_file import Unread
from vesica.dataset import Dataset

__all__ = ["COCO", "COCOeval", "mask"]

Row = dict[str, Any]
_DICTS = ("dataset", "anns", "cats", "imgs", "imgToAnns", "catToImgs")


class COCO:
    """The annotations of a file as dicts, and indices into them.

    `dataset` is what the file holds. `anns`, `cats` and `imgs` find its rows by id, `imgToAnns` the annotations of an
    image, `catToImgs` the images of a category (one for each annotation). Whoever sets `dataset` calls `createIndex`.
    Of a file they are made at the first look at one of them.

    Examples
    --------
    >>> truth = COCO()
    >>> truth.dataset = {"images": [{"id": 7}], "categories": [{"id": 1, "name": "cat"}], "annotations": []}
    >>> truth.createIndex()
    creating index...
    index created!
    >>> truth.getImgIds(), truth.loadCats(truth.getCatIds("cat"))
    ([7], [{'id': 1, 'name': 'cat'}])
    """

    dataset: dict[str, Any]
    anns: dict[Any, Row]
    cats: dict[Any, Row]
    imgs: dict[Any, Row]
    imgToAnns: defaultdict[Any, list[Row]]
    catToImgs: defaultdict[Any, list[Any]]

    def __init__(self, annotation_file: Any = None) -> None:
        self._unread: Unread | None = None
        self._truth: COCO | None = None  # of results
        if annotation_file is None:
            self.dataset = {}
            self._index()
            return
        start = time.time()
        print("loading annotations into memory...")
        text = Path(annotation_file).read_bytes()
        if type(self).createIndex is COCO.createIndex:
            self._unread = lazy_file.truths(text, str(annotation_file))
        if self._unread is None:
            self.dataset = check.annotation_file(json.loads(text), str(annotation_file))
        print(f"Done (t={time.time() - start:0.2f}s)")
        self.createIndex()

    def createIndex(self) -> None:
        """Index what is in `dataset`. Of rows with one id the last counts."""
        print("creating index...")
        if self.columns is None:
            self._index()
        print("index created!")

    @property
    def columns(self) -> Dataset | None:
        """What a file holds, as columns; None once its dicts were handed out, and might have been changed."""
        if self._unread is None or any(name in vars(self) for name in _DICTS):
            return None
        return self._unread.columns

    @property
    def may_have_null(self) -> bool:
        """Of a file that is held as columns: may a value be null that they take for one that is not there?"""
        return self._unread is None or self._unread.may_have_null

    def __getattr__(self, name: str) -> Any:
        """The dicts of a file, made when they are first read."""
        if name not in _DICTS or vars(self).get("_unread") is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        assert self._unread is not None
        found = self._unread.value()
        self._unread = None
        self.dataset = found if self._truth is None else self._truth._with_results(_completed(found))
        self._index()
        return vars(self)[name]

    def _index(self) -> None:
        rows = self.dataset.get("annotations", [])
        self.anns = {row["id"]: row for row in rows}
        self.imgs = {row["id"]: row for row in self.dataset.get("images", [])}
        self.cats = {row["id"]: row for row in self.dataset.get("categories", [])}
        self.imgToAnns, self.catToImgs = defaultdict(list), defaultdict(list)
        for row in rows:
            self.imgToAnns[row["image_id"]].append(row)
        for row in rows if "categories" in self.dataset else ():
            self.catToImgs[row["category_id"]].append(row["image_id"])

    def info(self) -> None:
        """Print what the file says about itself."""
        for key, value in self.dataset["info"].items():
            print(f"{key}: {value}")

    def getAnnIds(self, imgIds: Any = (), catIds: Any = (), areaRng: Any = (), iscrowd: Any = None) -> list[Any]:
        """Ids of annotations: of these images, of these categories, with an area strictly inside a range, of crowds.

        A condition that is not given is no condition.
        """
        images, categories = _several(imgIds), set(_several(catIds))
        rows: Iterable[Row]
        if len(images):
            rows = itertools.chain.from_iterable(self.imgToAnns[image] for image in images if image in self.imgToAnns)
        else:
            rows = self.dataset["annotations"]
        if categories:
            rows = (row for row in rows if row["category_id"] in categories)
        if len(areaRng):
            rows = (row for row in rows if areaRng[0] < row["area"] < areaRng[1])
        if iscrowd is not None:
            rows = (row for row in rows if row["iscrowd"] == iscrowd)
        return [row["id"] for row in rows]

    def getCatIds(self, catNms: Any = (), supNms: Any = (), catIds: Any = ()) -> list[Any]:
        """Ids of categories: of these names, of these supercategories, of these ids.

        A list is safest. One string takes every name that is a part of it, as in pycocotools: "hot dog" is also a dog.
        """
        if (
            self.columns is not None
            and self._truth is None
            and not any(map(len, map(_several, (catNms, supNms, catIds))))
        ):
            ids: list[Any] = self.columns.categories.ids.tolist()
            return ids
        rows = self.dataset["categories"]
        for key, given in (("name", catNms), ("supercategory", supNms), ("id", catIds)):
            wanted = given if isinstance(given, str) else _several(given)
            if len(wanted):
                rows = [row for row in rows if row[key] in wanted]
        return [row["id"] for row in rows]

    def getImgIds(self, imgIds: Any = (), catIds: Any = ()) -> list[Any]:
        """Ids of images: of these, and of those that have all of these categories."""
        images, categories = _several(imgIds), _several(catIds)
        if not len(images) and not len(categories):
            known = self.columns if self._truth is None else None
            return list(self.imgs) if known is None else known.images.ids.tolist()
        sets = ([set(images)] if len(images) else []) + [set(self.catToImgs[category]) for category in categories]
        return list(set.intersection(*sets))

    def loadAnns(self, ids: Any = ()) -> list[Row]:
        """Annotations by id, or the one of one id."""
        return [self.anns[one] for one in _several(ids)]

    def loadCats(self, ids: Any = ()) -> list[Row]:
        """Categories by id, or the one of one id."""
        return [self.cats[one] for one in _several(ids)]

    def loadImgs(self, ids: Any = ()) -> list[Row]:
        """Images by id, or the one of one id."""
        return [self.imgs[one] for one in _several(ids)]

    def loadRes(self, resFile: Any) -> COCO:
        """Results of a model, as annotations of the same images.

        The first result says what all of them are: boxes, masks, keypoints or captions. As in pycocotools the given
        dicts themselves become the annotations: they get an "id" (1, 2, …), an "area" and what else is missing.

        Parameters
        ----------
        resFile : path of a JSON file; list of dicts; or (N, 7) array of image, x, y, w, h, score, category
        """
        found = COCO()
        print("Loading and preparing results...")
        start = time.time()
        if isinstance(resFile, np.ndarray):
            resFile = self.loadNumpyAnnotations(resFile)
        text = Path(resFile).read_bytes() if isinstance(resFile, (str, Path)) else None
        if text is not None and self.columns is not None:
            found._unread = lazy_file.results(text, str(resFile), self.columns.images.ids)
        if found._unread is None:
            rows = check.results(resFile if text is None else json.loads(text), self.getImgIds())
            found.dataset = self._with_results(_completed(rows))
        else:
            found._truth = self
            for name in _DICTS:
                del vars(found)[name]
        print(f"DONE (t={time.time() - start:0.2f}s)")
        found.createIndex()
        return found

    def _with_results(self, rows: list[Row]) -> dict[str, Any]:
        """A data set of the same images, with results for annotations."""
        images = list(self.dataset["images"])
        found = {"info": copy.deepcopy(self.dataset.get("info", {})), "images": images}
        if "caption" in rows[0]:
            known = {row["image_id"] for row in rows}
            found["images"] = [row for row in images if row["id"] in known]
        else:
            found["categories"] = copy.deepcopy(self.dataset["categories"])
        return {**found, "annotations": rows}

    def loadNumpyAnnotations(self, data: np.ndarray) -> list[Row]:
        """Results of an (N, 7) array of image, x, y, w, h, score, category."""
        print("Converting ndarray to lists...")
        print(data.shape)
        rows = []
        for k, (image, x, y, w, h, score, category) in enumerate(check.result_table(data)):
            if k % 1_000_000 == 0:
                print(f"{k}/{len(data)}")
            rows.append({"image_id": int(image), "bbox": [x, y, w, h], "score": score, "category_id": int(category)})
        return rows

    def annToRLE(self, ann: Row) -> Any:
        """The mask of an annotation as run lengths. Polygons are drawn, and parts united."""
        region = ann["segmentation"]
        if isinstance(region, list):
            image = self.imgs[ann["image_id"]]
            parts = mask.frPyObjects(region, image["height"], image["width"])
            return parts[0] if len(parts) == 1 else mask.merge(parts)
        return mask.frPyObjects(region, *region["size"]) if isinstance(region["counts"], list) else region

    def annToMask(self, ann: Row) -> np.ndarray:
        """The mask of an annotation: (height, width) uint8."""
        return mask.decode(self.annToRLE(ann))

    def showAnns(self, anns: list[Row], draw_bbox: bool = False) -> int | None:
        """Draw annotations into the current axes of matplotlib, or print captions."""
        if not len(anns):
            return 0
        draw(self, anns, draw_bbox=draw_bbox)
        return None

    def download(self, tarDir: Any = None, imgIds: Any = ()) -> None:
        raise check.no_download()


def _several(value: Any) -> Any:
    """A list of values, also of one; a string is one."""
    is_list = hasattr(value, "__iter__") and hasattr(value, "__len__") and not isinstance(value, str)
    return value if is_list else [value]


def _completed(rows: list[Row]) -> list[Row]:
    """Give results what annotations have. The first one says what they are."""
    first = rows[0]
    if "caption" in first:
        pass
    elif "bbox" in first and first["bbox"] != []:
        for row in rows:
            _add_to_box(row)
    elif "segmentation" in first:
        _add_to_masks(rows)
    elif "keypoints" in first:
        for row in rows:
            _add_to_keypoints(row)
    else:
        raise check.kind_of_result(first)
    for number, row in enumerate(rows, start=1):
        row["id"] = number
    return rows


def _add_to_box(row: Row) -> None:
    x, y, w, h = (row["bbox"][side] for side in range(4))
    row.setdefault("segmentation", [[x, y, x, y + h, x + w, y + h, x + w, y]])
    row.update(area=w * h, iscrowd=0)


def _add_to_masks(rows: list[Row]) -> None:
    masks = [row["segmentation"] for row in rows]
    for row, area, box in zip(rows, mask.area(masks), mask.toBbox(masks), strict=True):
        row["area"] = area
        row.setdefault("bbox", box)
        row["iscrowd"] = 0


def _add_to_keypoints(row: Row) -> None:
    x, y = (np.asarray(row["keypoints"][axis::3]) for axis in (0, 1))
    width, height = x.max() - x.min(), y.max() - y.min()
    row.update(area=width * height, bbox=[x.min(), y.min(), width, height])
