"""Data sets: what is in many images, as columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from vesica._check import dataset as check
from vesica._check.names import explained, explained_class
from vesica.dataset.assignments import Assignments
from vesica.dataset.coco_masks import CocoMasks
from vesica.dataset.source_file import SourceFile
from vesica.dataset.tables import Categories, Images, Ragged

__all__ = ["Assignments", "Categories", "CocoMasks", "Dataset", "Images", "Ragged", "SourceFile"]

if TYPE_CHECKING:
    from vesica.regions import Boxes


@explained_class("Dataset", "Dataset")
@dataclass(frozen=True, eq=False)
class Dataset:
    """Annotations of many images: truths, guesses of a model, or what several people marked.

    One row is one object. Columns are NumPy arrays of one length, never written to; a column that was not given is
    None. Rows keep the order they came in.

    Attributes
    ----------
    images : Images
    categories : Categories
    image, category : (N,) int64: the place of each row's image and category in those tables
    xywh : (N, 4) float64: x, y, width, height as they were written, or None
    segments : CocoMasks, or None
    corners : (N, 4, 2) float64: the corners of rotated boxes, in order around them; then `xywh` are the upright boxes
        around those. None if the boxes are upright.
    score : (N,) float64: of guesses, or None
    area : (N,) float64 as it was written, NaN where it was not; or None. Scores by size go by it.
    crowd : (N,) bool: the region is a group; None if no row is
    ignore : (N,) bool: neither to be found nor wrong to find ("difficult" of VOC); None if no row is
    id : (N,) int64, or objects where some id is a string; None if none were given
    annotator : (N,) int64: places in `annotators`, or None
    annotators : (P,) objects: names or ids
    notes : what the reader had to assume, each with its count
    source : SourceFile: the COCO file that it was read from, or None. Written as COCO again, a data set takes from
        there what it has no column for.
    record : (N,) int64: which record of that file each row is; None if they are all, in their order
    attributes : (N,) objects: dicts of what else is said of a row, or None for a row of which nothing is; None if
        that is so of all. COCO has them as "attributes".
    round : (N,) int64: which time the annotator was asked for the image, or None: all in round 0
    assignments : Assignments: who was asked for which image, or None. With them, every row was asked for, and no
        annotator has an id twice.

    Examples
    --------
    >>> import vesica
    >>> truth = vesica.Dataset.from_arrays([[10, 20, 40, 60]], image=[7], category=["cat"])
    >>> truth
    Dataset(1 object in 1 image, 1 category)
    >>> truth.boxes.xyxy
    array([[10., 20., 40., 60.]])
    """

    images: Images
    categories: Categories
    image: np.ndarray
    category: np.ndarray
    xywh: np.ndarray | None = None
    segments: CocoMasks | None = None
    score: np.ndarray | None = None
    area: np.ndarray | None = None
    crowd: np.ndarray | None = None
    ignore: np.ndarray | None = None
    id: np.ndarray | None = None
    annotator: np.ndarray | None = None
    annotators: np.ndarray = field(default_factory=lambda: np.empty(0, object))
    notes: tuple[str, ...] = ()
    corners: np.ndarray | None = None
    source: SourceFile | None = None
    record: np.ndarray | None = None
    round: np.ndarray | None = None
    assignments: Assignments | None = None
    attributes: np.ndarray | None = None

    def __post_init__(self) -> None:
        check.columns(self)
        for column in fields(self):
            value = getattr(self, column.name)
            if isinstance(value, np.ndarray):
                value.setflags(write=False)

    def __len__(self) -> int:
        return len(self.image)

    def __repr__(self) -> str:
        kind = "object" if self.score is None else "guess"
        counts = ((len(self), kind), (len(self.images), "image"), (len(self.categories), "category"))
        objects, images, categories = (_counted(number, noun) for number, noun in counts)
        return f"Dataset({objects} in {images}, {categories})"

    def _repr_html_(self) -> str:
        from vesica.dataset.picture import html_of  # late: only notebooks ask for it

        return html_of(self)

    @property
    def boxes(self) -> Boxes:
        """The boxes, as regions that every measure takes."""
        from vesica.regions import Boxes

        return Boxes(check.some_boxes(self.xywh), "xywh", check=False)

    @classmethod
    @explained("Dataset.joined", "Dataset.joined")
    def joined(cls, parts: Sequence[Dataset], /, *, categories: Categories | None = None) -> Dataset:
        """Several data sets of different images as one, one after the other; categories meet by their ids."""
        from vesica.dataset.concat import columns_of_parts

        if not parts:
            nothing = np.empty(0, np.int64)
            kinds = Categories(nothing) if categories is None else categories
            return cls(Images(nothing), kinds, nothing, nothing, xywh=np.empty((0, 4)), score=np.empty(0))
        return cls(**columns_of_parts(parts, categories))

    def rows(self, rows: Any, /) -> Dataset:
        """Some of the rows, by number or by a mask, over the same images and categories."""
        chosen: dict[str, Any] = {
            name: None if getattr(self, name) is None else getattr(self, name)[rows] for name in _COLUMNS
        }
        if self.source is not None:
            chosen["record"] = (np.arange(len(self)) if self.record is None else self.record)[rows]
        return replace(self, **chosen)

    def numbered(self) -> Dataset:
        """The same with integers for ids: where some are strings, 1, 2, … in the order of the table. Names keep them.

        >>> truth = Dataset.from_arrays([[0, 0, 4, 4]], image=["a.jpg"], category=["cat"]).numbered()
        >>> truth.images.ids, truth.images.names, truth.categories.ids, truth.categories.names
        (array([1]), array(['a.jpg'], dtype=object), array([1]), array(['cat'], dtype=object))
        """
        images, categories = _numbered(self.images), _numbered(self.categories)
        source = self.source and replace(self.source, image_ids=images.ids, category_ids=categories.ids)
        return replace(self, images=images, categories=categories, source=source)

    @classmethod
    @explained("Dataset.from_arrays", "Dataset.from_arrays")
    def from_arrays(
        cls,
        boxes: Any = None,
        /,
        *,
        image: Any,
        category: Any = None,
        form: str = "xyxy",
        normalised: bool = False,
        score: Any = None,
        masks: Any = None,
        area: Any = None,
        crowd: Any = None,
        ignore: Any = None,
        id: Any = None,
        annotator: Any = None,
        round: Any = None,
        images: Any = None,
        categories: Any = None,
        annotators: Any = None,
        assignments: Any = None,
        sizes: Any = None,
        check: bool = True,
    ) -> Dataset:
        """A data set from columns, of NumPy or of any array library.

        Columns that are float64 already are not copied. Ids are integers or strings: 7 and "7" are different.

        Parameters
        ----------
        boxes : (N, 4) array, or Boxes. RotatedBoxes, or an (N, 4, 2) array of four corners each in any order, are
            rotated boxes.
        image, category : (N,) integers or strings: the id of each row's image and category. Without `category` all rows
            are of one, whose id is 1.
        form : what the four columns of `boxes` mean
        normalised : whether they are shares of the image, whose size `sizes` tells
        score, area, crowd, ignore, id, annotator, round : (N,) arrays, optional. An `area` of NaN is missing.
        masks : RleMasks, Masks or SparseMasks of N rows, or an (N, height, width) array, all of one image size; or a
            list of N "segmentation"s of COCO: dicts of "size" and "counts", lists of polygons, or None
        images, categories : ids of all images and categories, also of those without a row; a dict of their names; or
            the table of another data set. By default those that occur, in rising order.
        annotators : ids of all annotators, also of those without a row
        assignments : who was asked for which image, also where nothing was marked: a dict of columns of ids, "image",
            "annotator" and where there are any "round" and "date"; a list of (image, annotator); or "all"
        sizes : (height, width) of all images; an (I, 2) array in the order of `images`; or a dict by id
        check : look for numbers that are not finite, negative sides and broken run lengths

        Examples
        --------
        >>> guess = Dataset.from_arrays([[1, 2, 3, 4], [5, 5, 2, 2]], form="xywh", image=[12, 7], score=[0.5, 0.25])
        >>> guess.images.ids, guess.image
        (array([ 7, 12]), array([1, 0]))

        The first bad row is named:

        >>> Dataset.from_arrays([[0, 0, 4, 4]], image=[7], score=[float("nan")])
        Traceback (most recent call last):
        ...
        ValueError: `score` must be finite; got nan in row 0.

        No rows, and still two images that were looked at:

        >>> Dataset.from_arrays([], image=[], images=["a", "b"])
        Dataset(0 objects in 2 images, 1 category)

        Ben was asked for image 7 as well, and saw nothing there:

        >>> asked = {"image": [7, 7], "annotator": ["ann", "ben"]}
        >>> data = Dataset.from_arrays([[0, 0, 4, 4]], image=[7], annotator=["ann"], assignments=asked)
        >>> data.annotators, data.assignments.annotator
        (array(['ann', 'ben'], dtype=object), array([0, 1]))
        """
        from vesica.dataset.arrays import columns_of

        plain = {"score": score, "area": area, "crowd": crowd, "ignore": ignore, "id": id}
        plain |= {"annotator": annotator, "round": round, "annotators": annotators, "assignments": assignments}
        options = {"form": form, "normalised": normalised, "sizes": sizes, "look": check}
        ids = {"image": image, "category": category, "images": images, "categories": categories}
        return cls(**columns_of(boxes, masks, **options, **ids, **plain))

    @classmethod
    @explained("Dataset.of_annotators", "Dataset.of_annotators")
    def of_annotators(cls, parts: Mapping[Any, Dataset], /) -> Dataset:
        """One data set of what several people marked, from one data set for each of them.

        Whoever has an image in their data set was asked for it, unless their own `assignments` say otherwise: nothing
        marked there means that nothing was seen. Categories meet by name, where they have names; images by name where
        all have names, else by id. What was joined otherwise than by equal ids is in the notes.

        Parameters
        ----------
        parts : dict of annotator → Dataset

        Examples
        --------
        >>> ann = Dataset.from_arrays([[0, 0, 4, 4]], image=[1], category=["cat"], images=[1, 2])
        >>> ben = Dataset.from_arrays([[0, 0, 4, 3]], image=[2], category=["cat"], images=[2, 3])
        >>> both = Dataset.of_annotators({"ann": ann, "ben": ben})
        >>> both, both.annotators[both.annotator]
        (Dataset(2 objects in 3 images, 1 category), array(['ann', 'ben'], dtype=object))
        >>> both.images.ids[both.assignments.image], both.annotators[both.assignments.annotator]
        (array([1, 2, 2, 3]), array(['ann', 'ann', 'ben', 'ben'], dtype=object))
        """
        from vesica.dataset.annotators import columns_of_annotators

        return cls(**columns_of_annotators(parts))

    @classmethod
    @explained("Dataset.from_dicts", "Dataset.from_dicts")
    def from_dicts(
        cls,
        dicts: Any,
        /,
        *,
        form: str = "xyxy",
        normalised: bool = False,
        sizes: Any = None,
        images: Any = None,
        categories: Any = None,
        above: float | None = None,
        check: bool = True,
    ) -> Dataset:
        """A data set from one dict for each image, as torchvision, torchmetrics and transformers have them.

        Parameters
        ----------
        dicts : list of dicts of "boxes" (or "masks"), "labels", and where there are any "scores", "iscrowd", "area";
            "bboxes", "class_labels", "cls", "conf" and "mask_labels" are read as what they are elsewhere
        form : what the four columns of "boxes" mean
        normalised : whether they are shares of the image, whose size `sizes` tells. Then "area" is not read, and that
            of the box counts.
        sizes : the key of (height, width) in each dict, such as "orig_size"; one pair of all images, one for each, or
            a dict by id
        images : the id of each image, in the same order; by default its "image_id", or else its number from 0
        categories : as for `from_arrays`
        above : of masks of floats, (N, 1, height, width) or (N, height, width): pixels with a larger value belong
        check : as for `from_arrays`

        Examples
        --------
        >>> found = {"boxes": [[0, 0, 4, 4], [2, 2, 6, 6]], "scores": [0.9, 0.8], "labels": [1, 3]}
        >>> nothing = {"boxes": [], "scores": [], "labels": []}
        >>> Dataset.from_dicts([found, nothing])
        Dataset(2 guesses in 2 images, 2 categories)
        """
        from vesica.dataset.adapters import columns_of_images, fields_of_dicts

        options = {"form": form, "normalised": normalised, "sizes": sizes, "above": above, "look": check}
        return cls(**columns_of_images(fields_of_dicts(dicts), images=images, categories=categories, **options))

    @classmethod
    @explained("Dataset.from_arrow", "Dataset.from_arrow")
    def from_arrow(
        cls,
        table: Any,
        /,
        *,
        side: str | None = None,
        form: str | None = None,
        categories: Any = None,
        check: bool = True,
    ) -> Dataset:
        """A data set from a table of Arrow, polars, DuckDB or pandas; it needs pyarrow.

        Either a row is an image, with `image_id` and its objects in a list under `truth`, `guess` or `objects`, as
        `to_arrow` and Hugging Face have them; or a row is an object, with columns as a CSV file has them: image_id,
        category, x1, y1, x2, y2, score. Columns of numbers are not copied where they are float64 already.

        Parameters
        ----------
        table : pyarrow.Table, or anything with `__arrow_c_stream__`
        side : "truth", "guess" or "objects", where the table has several
        form : what the four numbers of a box mean, where the table does not say it
        categories, check : as for `from_arrays`

        Examples
        --------
        >>> import pyarrow
        >>> columns = {"image_id": [7, 7], "category": ["cat", "dog"]}
        >>> columns |= {"x1": [0, 2], "y1": [0, 2], "x2": [4, 6], "y2": [4, 6]}
        >>> Dataset.from_arrow(pyarrow.table(columns))
        Dataset(2 objects in 1 image, 2 categories)
        """
        from vesica._check.arrow import table as table_of
        from vesica.dataset.arrow import dataset_of

        return dataset_of(table_of(table), side=side, form=form, categories=categories, look=check)[0]

    def to_arrow(self) -> Any:
        """A pyarrow.Table with a row for each image: all that the data set has, as `vesica.write` puts it into Parquet.

        >>> truth = Dataset.from_arrays([[10, 20, 40, 60]], image=[7], category=["cat"])
        >>> truth.to_arrow().column("truth").to_pylist()
        [[{'category': 'cat', 'box': [10.0, 20.0, 30.0, 40.0]}]]
        """
        from vesica.dataset.arrow_table import table_of

        return table_of(self)

    @classmethod
    @explained("Dataset.from_objects", "Dataset.from_objects")
    def from_objects(
        cls, objects: Any, /, *, images: Any = None, categories: Any = None, check: bool = True
    ) -> Dataset:
        """A data set from one object for each image: `Detections` of supervision, `Results` of Ultralytics, `Instances`
        of detectron2, `InstanceData` of mmdet. They are known by their attributes; no library is imported.

        Parameters
        ----------
        objects : list of such objects
        images : the id of each image, in the same order; by default the name of its picture, where all have one of
            their own, or else its number from 0
        categories : as for `from_arrays`. By default with the names that the objects bring.
        check : as for `from_arrays`
        """
        from vesica.dataset.adapters import columns_of_images, fields_of_objects, pictures_of

        found = fields_of_objects(objects)
        images = pictures_of(found) if images is None else images
        return cls(**columns_of_images(found, images=images, categories=categories, look=check))


_COLUMNS = (
    *("image", "category", "xywh", "corners", "segments", "score", "area", "crowd", "ignore", "id"),
    *("annotator", "round", "attributes"),
)


def _numbered(table: Any) -> Any:
    if table.ids.dtype != object:
        return table
    names = np.array([str(id) for id in table.ids], object) if table.names is None else table.names
    return replace(table, ids=np.arange(1, len(table) + 1), names=names)


def _counted(number: int, noun: str) -> str:
    plural = {"category": "categories", "guess": "guesses"}.get(noun, noun + "s")
    return f"{number} {noun if number == 1 else plural}"
