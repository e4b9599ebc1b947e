"""The table of chance: agreement of every two annotators beside that of images which do not belong together."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from vesica._array import objects as objects_column
from vesica.agreement.chance import corrected, relative, repaired
from vesica.agreement.scenes import Objects, Side
from vesica.agreement.tables import annotator_pairs, rate
from vesica.regions import Boxes, Polygons
from vesica.results.tables import Table

if TYPE_CHECKING:
    from vesica.agreement.annotations import Annotations
    from vesica.agreement.records import AgreementRecords
    from vesica.agreement.tallies import Tallies


def chance_table(
    records: AgreementRecords, tallies: Tallies, drawn: Annotations, /, *, threads: int | None = None
) -> Table:
    """One row for every two annotators: agreement, that of exchanged images, and agreement beyond it."""
    people, pair_of = annotator_pairs(records)
    scenes = records.scenes
    others = ~scenes.is_self
    given = exchange_of(records, drawn)
    found = repaired(
        given.objects,
        given.a,
        given.b,
        given.pair,
        groups=len(people),
        policy=records.policy,
        blocks=given.blocks,
        seed=records.policy.seed,
        threads=threads,
    )

    group = pair_of[tallies.scene]
    kept = np.flatnonzero(others[tallies.scene])
    credit, units = (
        np.bincount(group[kept], weights=tallies.sums[name][kept], minlength=len(people))
        for name in ("credit", "units")
    )
    agreement = rate(credit, units)
    beyond = [corrected(*pair) for pair in zip(agreement.tolist(), found.agreement.tolist(), strict=True)]
    return Table(
        {
            "annotator_a": records.annotators[people[:, 0]],
            "annotator_b": records.annotators[people[:, 1]],
            "n_images": np.bincount(pair_of[others], minlength=len(people)),
            "n_exchanged": found.scenes,
            "unit": objects_column([given.unit] * len(people)),
            "agreement": agreement,
            "chance": found.agreement,
            "corrected": np.array([np.nan if one.value is None else one.value for one in beyond], np.float64),
            "status": objects_column(one.status for one in beyond),
            "sigma": np.array([one.share for one in found.separation], np.float64),
            "ks": np.array([one.ks for one in found.separation], np.float64),
        }
    )


class Exchange(NamedTuple):
    """What is compared across images.

    Attributes
    ----------
    objects : in shares of their images where those have sizes
    a, b : which objects each side has in each scene
    pair : (S,) int64: the two annotators of each scene
    image : (S,) int64: its image
    blocks : (S,) int64 or None: images are exchanged within a block only
    unit : of coordinates, "image" or "pixels"
    """

    objects: Objects
    a: Side
    b: Side
    pair: np.ndarray
    image: np.ndarray
    blocks: np.ndarray | None
    unit: str


def exchange_of(records: AgreementRecords, drawn: Annotations, /) -> Exchange:
    """One scene for every two annotators and image, and the objects in coordinates that images share."""
    scenes, (_, pair_of) = records.scenes, annotator_pairs(records)
    once = _once(pair_of, scenes.image)
    number = np.full(len(scenes), -1)
    number[once] = np.arange(len(once))
    a, b = (
        Side(number[side.scene[keep]], side.row[keep])
        for side in (scenes.left, scenes.right)
        for keep in [number[side.scene] >= 0]
    )
    objects, blocks, unit = _exchanged(drawn, scenes.image[once])
    return Exchange(objects, a, b, pair_of[once], scenes.image[once], blocks, unit)


def _once(pair_of: np.ndarray, image: np.ndarray) -> np.ndarray:
    """One scene for every two annotators and image: of several rounds the first, so that no image meets itself."""
    order = np.lexsort((image, pair_of))
    is_new = np.ones(len(order), bool)
    is_new[1:] = (np.diff(pair_of[order]) != 0) | (np.diff(image[order]) != 0)
    first: np.ndarray = np.sort(order[is_new & (pair_of[order] >= 0)])
    return first


def _exchanged(drawn: Annotations, image: np.ndarray) -> tuple[Objects, np.ndarray | None, str]:
    """The objects as they are compared across images, the blocks of scenes within which images are exchanged, and the
    unit of coordinates."""
    regions, size = drawn.objects.regions, drawn.size
    if not isinstance(regions, (Boxes, Polygons)):
        _, block = np.unique(size, axis=0, return_inverse=True)
        return drawn.objects, block.reshape(-1)[image].astype(np.int64), "pixels"
    if not (size[drawn.image] > 0).all():
        return drawn.objects, None, "pixels"
    height, width = size[drawn.image].T
    return replace(drawn.objects, regions=relative(regions, width, height)), None, "image"
