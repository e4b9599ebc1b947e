"""Outlines of matched pairs: the distances of objects, and the share of differing pixels that lies at an edge."""

import numpy as np
import pytest
from scipy import ndimage

import vesica
from vesica import Dataset, RleMasks
from vesica._kernels.generic import outline_offsets as twin
from vesica._kernels.native import outline_offsets as native
from vesica.agreement.outlines import edge_pixels, outline_histograms


def blobs(count, seed=0, size=(23, 31)):
    """Smooth masks; the last is empty, and the one before fills the image."""
    rng = np.random.default_rng(seed)
    fields = ndimage.gaussian_filter(rng.normal(size=(count, *size)), (0, 2, 2))
    masks = fields > np.quantile(fields, 0.6)
    masks[-1], masks[-2] = False, True
    return masks


def near_outline(one, other, within):
    """By scipy: differing pixels, and those within so many pixels of either outline."""
    edges = [mask & ~ndimage.binary_erosion(mask) for mask in (one, other)]
    either = edges[0] | edges[1]
    differ = one ^ other
    if not either.any():
        return 0, 0
    away = ndimage.distance_transform_edt(~either)
    return int(differ.sum()), int((differ & (away <= within)).sum())


PAIRS = np.array([[0, 1], [1, 2], [2, 2], [3, 6], [5, 0], [6, 4], [6, 6], [4, 5]])


class TestKernels:
    MASKS = blobs(7)

    @pytest.mark.parametrize("within", [0, 1, 1.5, 2, 5])
    def test_edge_pixels_by_scipy(self, within):
        found = edge_pixels(RleMasks.from_masks(self.MASKS), *PAIRS.T, within=within)
        want = [near_outline(self.MASKS[a], self.MASKS[b], within) for a, b in PAIRS]
        assert list(zip(*(column.tolist() for column in found), strict=True)) == want

    def test_alone(self):
        """Beside nothing."""
        rows = np.arange(7)
        found = edge_pixels(RleMasks.from_masks(self.MASKS), rows, None, within=2)
        want = [near_outline(mask, np.zeros_like(mask), 2) for mask in self.MASKS]
        assert list(zip(*(column.tolist() for column in found), strict=True)) == want

    @pytest.mark.parametrize("step, bins", [(0.25, 257), (1.0, 4)])
    def test_histograms_by_scipy(self, step, bins):
        found = outline_histograms(RleMasks.from_masks(self.MASKS), *PAIRS.T, step=step, bins=bins)
        for row, (a, b) in zip(found, PAIRS, strict=True):
            edges = [mask & ~ndimage.binary_erosion(mask) for mask in (self.MASKS[a], self.MASKS[b])]
            want = np.zeros(bins, int)
            if edges[0].any() and edges[1].any():
                there, back = (ndimage.distance_transform_edt(~edge) for edge in edges)
                away = np.concatenate([back[edges[0]], there[edges[1]]])
                np.add.at(want, np.minimum(np.ceil(away / step), bins - 1).astype(int), 1)
            assert row.tolist() == want.tolist()

    def test_twins(self):
        runs = RleMasks.from_masks(self.MASKS)
        sides = (runs.counts, runs.offsets), PAIRS[:, 0], (runs.counts, runs.offsets), PAIRS[:, 1], runs.size[0]
        for name, options in (("edge_pixels", {"within": 2}), ("outline_histograms", {"step": 0.5, "bins": 9})):
            for threads in (1, 3):
                one = getattr(native, name)(*sides, **options, threads=threads)
                assert np.array_equal(one, getattr(twin, name)(*sides, **options))


def drawn(**sides):
    """One image; masks of each annotator."""
    return Dataset.of_annotators(
        {
            who: Dataset.from_arrays(masks=np.array(masks), image=[1] * len(masks), images=[1])
            for who, masks in sides.items()
        }
    )


class TestTables:
    def test_edge_share(self):
        """Ann's square is two pixels narrower, and she has one that ben has not."""
        one, other, alone = np.zeros((3, 40, 40), bool)
        one[4:20, 4:18] = other[4:20, 4:20] = alone[25:40, 25:40] = True
        (row,) = vesica.evaluate_agreement(drawn(ann=[one, alone], ben=[other])).images()
        differ, near = np.sum([near_outline(one, other, 2), near_outline(alone, np.zeros_like(alone), 2)], axis=0)
        assert row["edge_share"] == near / differ

    def test_edge_share_of_nothing(self):
        mask = np.zeros((9, 9), bool)
        mask[2:5, 2:5] = True
        (row,) = vesica.evaluate_agreement(drawn(ann=[mask], ben=[mask])).images()
        assert row["edge_share"] is None
        (row,) = vesica.evaluate_agreement([[0, 0, 4, 4]], [[0, 0, 4, 3]]).images()
        assert row["edge_share"] is None  # boxes have no pixels

    def test_boundary_distance_of_masks(self):
        """That of an object matched with two is the mean of both."""
        masks = np.zeros((3, 40, 40), bool)
        for k in range(3):
            masks[k, 4 : 20 + k, 4:20] = True
        result = vesica.evaluate_agreement(drawn(ann=masks[:1], ben=masks[1:2], cleo=masks[2:]))
        away = {(a, b): vesica.surface_distances(masks[a], masks[b]).assd for a, b in ((0, 1), (0, 2), (1, 2))}
        want = [(away[0, 1] + away[0, 2]) / 2, (away[0, 1] + away[1, 2]) / 2, (away[0, 2] + away[1, 2]) / 2]
        assert result.objects()["boundary_distance"].tolist() == pytest.approx(want)

    def test_boundary_distance_of_boxes(self):
        table = vesica.evaluate_agreement([[0, 0, 10, 10], [50, 50, 60, 60]], [[1, 0, 10, 13]]).objects()
        assert table["boundary_distance"][0] == table["boundary_distance"][2] == 1.0  # (1 + 0 + 0 + 3) / 4
        assert np.isnan(table["boundary_distance"][1])  # of nobody else

    def test_records_keep_no_masks(self):
        mask = np.zeros((9, 9), bool)
        mask[2:5, 2:5] = True
        result = vesica.evaluate_agreement(drawn(ann=[mask], ben=[np.roll(mask, 1, axis=0)]))
        read = type(result).from_bytes(result.to_bytes())
        assert np.isnan(read.objects()["boundary_distance"]).all() and np.isnan(read.images()["edge_share"]).all()
