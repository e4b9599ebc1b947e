"""Records: what comparing annotators leaves behind, enough for every table, and mergeable."""

from __future__ import annotations

import functools
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from vesica._check import agreement_records as check
from vesica.agreement.annotations import Annotations
from vesica.agreement.clusters import clusters_of
from vesica.agreement.image_pairs import ImagePairs, image_pairs_of
from vesica.agreement.ledger import Losses, ledger
from vesica.agreement.pairing import Partners, contacts_of, pair
from vesica.agreement.policy import AgreementPolicy
from vesica.dataset import Categories
from vesica.results import container

KIND = container.Kind("records of agreement", b"VESICA agreement\n", version=2)


@dataclass(frozen=True, eq=False)
class Outcomes:
    """What became of each object of one side of all scenes, in the order of the side.

    Attributes
    ----------
    partner, alternative : (n,) int64: objects, −1 where there is none
    iou, margin : (n,) float64, as `Partners` has them
    type : (n,) int64: how it differs most, a place in `ledger.TYPES`; −1 where nothing is lost
    amount : (n,) float64: what that costs
    """

    partner: np.ndarray
    iou: np.ndarray
    alternative: np.ndarray
    margin: np.ndarray
    type: np.ndarray
    amount: np.ndarray


@dataclass(frozen=True, eq=False)
class Lines:
    """The lines of the ledger, by scene, then type: `scene`, `type`, `category` (int64), and `amount`."""

    scene: np.ndarray
    type: np.ndarray
    category: np.ndarray
    amount: np.ndarray


@dataclass(frozen=True, eq=False)
class AgreementRecords:
    """Every object, whom it was matched with by each other annotator, and what was lost.

    Nothing in it is a sum over images, so records of different images merge into what one run over all of them would
    give, to the byte. Tables are in rising order of ids; places point into them.

    Attributes
    ----------
    policy : AgreementPolicy
    kind : "box", "rotated", "polygon" or "mask"
    images : (I,) ids; `group`, `batch` : (I,) objects or None
    categories : Categories
    annotators : (P,) ids
    asked_image, asked_annotator, asked_round : (A,) int64, by image, round, annotator; `asked_date` objects or None
    image, annotator, round, category : (N,) int64 columns of the objects, by image, annotator, round and geometry
    box : (N, 4) float64; area : (N,) float64
    id : (N,) ids; of an object without one its number in the image
    crowd, has_mask : (N,) bool; attributes : (N,) int64: as `Annotations` has them
    cluster : (N,) int64: the first object of its cluster
    mean_iou, cluster_margin : (N,) float64; cluster_alternative : (N,) int64; is_exact : (N,) bool: as `Clusters` has
        them
    left, right : Outcomes of the objects of side a and of side b
    lines : Lines
    """

    policy: AgreementPolicy
    kind: str
    images: np.ndarray
    group: np.ndarray | None
    batch: np.ndarray | None
    categories: Categories
    annotators: np.ndarray
    asked_image: np.ndarray
    asked_annotator: np.ndarray
    asked_round: np.ndarray
    asked_date: np.ndarray | None
    image: np.ndarray
    annotator: np.ndarray
    round: np.ndarray
    category: np.ndarray
    box: np.ndarray
    area: np.ndarray
    id: np.ndarray
    crowd: np.ndarray
    has_mask: np.ndarray
    attributes: np.ndarray
    cluster: np.ndarray
    mean_iou: np.ndarray
    cluster_margin: np.ndarray
    cluster_alternative: np.ndarray
    is_exact: np.ndarray
    left: Outcomes
    right: Outcomes
    lines: Lines

    def __len__(self) -> int:
        """How many objects there are."""
        return len(self.image)

    def __repr__(self) -> str:
        return f"AgreementRecords({len(self)} objects, {len(self.images)} images, {len(self.annotators)} annotators)"

    @functools.cached_property
    def scenes(self) -> ImagePairs:
        """The image pairs that were compared."""
        return image_pairs_of(self)

    @property
    def names(self) -> np.ndarray:
        """What the categories are called."""
        return self.categories.ids if self.categories.names is None else self.categories.names

    def to_bytes(self) -> bytes:
        """All of it as bytes that every later version of the same format reads."""
        columns = {name: getattr(self, name) for name in (*_ASKED, *_OBJECTS)}
        for part in ("left", "right", "lines"):
            columns |= {f"{part}_{name}": column for name, column in vars(getattr(self, part)).items()}
        has_words = self.id.dtype == object
        if not has_words:
            columns["id"] = self.id
        header = {
            "policy": asdict(self.policy),
            "digest": self.policy.digest,
            "kind": self.kind,
            "categories": {name: container.listed(column) for name, column in vars(self.categories).items()},
            **{name: container.listed(getattr(self, name)) for name in _TABLES},
            "id": container.listed(self.id) if has_words else None,
        }
        return container.to_bytes(KIND, header, columns)

    @classmethod
    def from_bytes(cls, data: bytes, /) -> AgreementRecords:
        """What `to_bytes` gave. Damage, other formats and other versions are errors."""
        header, held = container.from_bytes(KIND, data)
        columns: dict[str, Any] = dict(held)
        with container.readable(KIND):
            policy = AgreementPolicy.from_dict(header["policy"])
            check.digest(header["digest"], policy.digest)
            tables: dict[str, Any] = {name: container.column_of(header[name]) for name in _TABLES}
            kinds: dict[str, Any] = {name: container.column_of(one) for name, one in header["categories"].items()}
            parts: dict[str, Any] = {
                name: kind(**{field.name: columns.pop(f"{name}_{field.name}") for field in fields(kind)})
                for name, kind in (("left", Outcomes), ("right", Outcomes), ("lines", Lines))
            }
            if header["id"] is not None:
                columns["id"] = container.column_of(header["id"])
            found = cls(
                policy=policy, kind=header["kind"], categories=Categories(**kinds), **tables, **columns, **parts
            )
            check.sound(found)
        return found


_TABLES = ("images", "group", "batch", "annotators", "asked_date")
_ASKED = ("asked_image", "asked_annotator", "asked_round")
_OBJECTS = (
    *("image", "annotator", "round", "category", "box", "area", "cluster", "mean_iou"),
    *("cluster_margin", "cluster_alternative", "is_exact", "crowd", "has_mask", "attributes"),
)


def records_of(drawn: Annotations, policy: AgreementPolicy, /, *, threads: int | None = None) -> AgreementRecords:
    """Compare all annotators with each other in all images that two of them were asked for."""
    scenes = image_pairs_of(drawn)
    contacts = contacts_of(drawn, scenes, threads=threads)
    pairing = pair(drawn, scenes, contacts, policy=policy, threads=threads)
    clusters = clusters_of(drawn, scenes, contacts, policy=policy)
    losses = ledger(
        pairing,
        drawn.objects,
        scenes.left,
        scenes.right,
        scenes=len(scenes),
        policy=policy,
        contacts=contacts,
        threads=threads,
    )
    return AgreementRecords(
        policy,
        drawn.kind,
        drawn.images,
        drawn.group,
        drawn.batch,
        drawn.categories,
        drawn.annotators,
        drawn.asked_image,
        drawn.asked_annotator,
        drawn.asked_round,
        drawn.asked_date,
        drawn.image,
        drawn.annotator,
        drawn.round,
        drawn.objects.label,
        drawn.box,
        drawn.area,
        drawn.id,
        drawn.crowd,
        drawn.has_mask,
        drawn.attributes,
        clusters.first,
        clusters.mean_iou,
        clusters.margin,
        clusters.alternative,
        clusters.is_exact,
        _outcomes(pairing.left, losses.a),
        _outcomes(pairing.right, losses.b),
        Lines(losses.scene, losses.type, losses.category, losses.amount),
    )


def _outcomes(partners: Partners, losses: Losses) -> Outcomes:
    return Outcomes(partners.partner, partners.iou, partners.alternative, partners.margin, losses.type, losses.amount)
