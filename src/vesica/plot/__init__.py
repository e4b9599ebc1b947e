"""Pictures: each takes regions or a result and an optional `ax`, and returns the Axes. Needs matplotlib."""

from vesica.plot.anchors import anchors
from vesica.plot.annotators import annotators
from vesica.plot.bias import bias
from vesica.plot.by_iou import by_iou
from vesica.plot.by_score import by_score
from vesica.plot.by_size import by_size
from vesica.plot.causes import causes
from vesica.plot.coefficients import coefficients
from vesica.plot.comparison import comparison
from vesica.plot.confusion import confusion
from vesica.plot.counts import counts
from vesica.plot.disputed import disputed
from vesica.plot.distances import distances
from vesica.plot.files import save
from vesica.plot.fixed_and_broken import fixed_and_broken
from vesica.plot.intervals import intervals
from vesica.plot.ious import ious
from vesica.plot.ledger import ledger
from vesica.plot.marks import marks
from vesica.plot.nms import nms
from vesica.plot.over_images import over_images
from vesica.plot.overlap import overlap
from vesica.plot.per_class import per_class
from vesica.plot.per_image import per_image
from vesica.plot.policies import policies
from vesica.plot.precision_recall import precision_recall
from vesica.plot.ranked import ranked
from vesica.plot.regions import regions
from vesica.plot.reliability import reliability
from vesica.plot.scores import scores
from vesica.plot.sizes import sizes
from vesica.plot.slices import slices
from vesica.plot.top_confusions import top_confusions
from vesica.plot.trend import trend

__all__ = [
    "anchors",
    "annotators",
    "bias",
    "by_iou",
    "by_score",
    "by_size",
    "causes",
    "coefficients",
    "comparison",
    "confusion",
    "counts",
    "disputed",
    "distances",
    "fixed_and_broken",
    "intervals",
    "ious",
    "ledger",
    "marks",
    "nms",
    "over_images",
    "overlap",
    "per_class",
    "per_image",
    "policies",
    "precision_recall",
    "ranked",
    "regions",
    "reliability",
    "save",
    "scores",
    "sizes",
    "slices",
    "top_confusions",
    "trend",
]
