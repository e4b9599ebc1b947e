"""Data sets: what is in many images, as columns."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from vesica._check import dataset as check
from vesica.dataset.segments import Segments
from vesica.dataset.tables import Categories, Images, Ragged

__all__ = ["Categories", "Dataset", "Images", "Ragged", "Segments"]

if TYPE_CHECKING:
    from vesica.regions import Boxes


@dataclass(frozen=True, eq=False)
class Dataset:
    """Annotations of many images: truths, guesses of a model, or what several people marked.

    One row is one object. Columns are NumPy arrays of one length that nobody writes to; a column that nobody gave is
    None. Rows keep the order they came in.

    Attributes
    ----------
    images : Images
    categories : Categories
    image, category : (N,) int64: the place of each row's image and category in those tables
    xywh : (N, 4) float64: x, y, width, height as they were written, or None
    segments : Segments, or None
    score : (N,) float64: of guesses, or None
    area : (N,) float64 as it was written, NaN where it was not; or None. Scores by size go by it.
    crowd : (N,) bool: the region is a group; None if no row is
    ignore : (N,) bool: neither to be found nor wrong to find ("difficult" of VOC); None if no row is
    id : (N,) int64, or objects where some id is a string; None if nobody gave any
    annotator : (N,) int64: places in `annotators`, or None
    annotators : (P,) objects: who marked
    notes : what the reader had to assume, each with its count

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
    segments: Segments | None = None
    score: np.ndarray | None = None
    area: np.ndarray | None = None
    crowd: np.ndarray | None = None
    ignore: np.ndarray | None = None
    id: np.ndarray | None = None
    annotator: np.ndarray | None = None
    annotators: np.ndarray = field(default_factory=lambda: np.empty(0, object))
    notes: tuple[str, ...] = ()

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

    @property
    def boxes(self) -> Boxes:
        """The boxes, as regions that every measure takes."""
        from vesica.regions import Boxes

        return Boxes(check.some_boxes(self.xywh), "xywh", check=False)

    def rows(self, rows: Any, /) -> Dataset:
        """Some of the rows, by number or by a mask, over the same images and categories."""
        chosen: dict[str, Any] = {
            name: None if getattr(self, name) is None else getattr(self, name)[rows] for name in _COLUMNS
        }
        return replace(self, **chosen)

    @classmethod
    def from_arrays(
        cls,
        boxes: Any = None,
        /,
        *,
        image: Any,
        category: Any = None,
        form: str = "xyxy",
        score: Any = None,
        masks: Any = None,
        area: Any = None,
        crowd: Any = None,
        ignore: Any = None,
        id: Any = None,
        images: Any = None,
        categories: Any = None,
        sizes: Any = None,
    ) -> Dataset:
        """A data set from columns, of NumPy or of any array library.

        Parameters
        ----------
        boxes : (N, 4) array, or Boxes
        image, category : (N,) integers or strings: the id of each row's image and category. Without `category` all rows
            are of one.
        form : what the four columns of `boxes` mean
        score, area, crowd, ignore, id : (N,) arrays, optional
        masks : RleMasks, Masks or SparseMasks of N rows, all of one image size; or a list of N dicts of COCO's
            "segmentation"s
        images, categories : ids of all images and categories, also of those without a row. By default those that occur.
        sizes : (height, width) of every image, or one for each
        """
        from vesica.dataset.arrays import columns_of

        return cls(
            **columns_of(
                boxes,
                form,
                image,
                category,
                images,
                categories,
                sizes,
                masks,
                {"score": score, "area": area, "crowd": crowd, "ignore": ignore, "id": id},
            )
        )


_COLUMNS = ("image", "category", "xywh", "segments", "score", "area", "crowd", "ignore", "id", "annotator")


def _counted(number: int, noun: str) -> str:
    plural = {"category": "categories", "guess": "guesses"}.get(noun, noun + "s")
    return f"{number} {noun if number == 1 else plural}"
