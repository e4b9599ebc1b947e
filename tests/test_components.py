"""Connected components: against SciPy, the twin, and as segments of panoptic quality."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import ndimage

import vesica
from backends import absent, forbidden
from vesica.segmentation import components


def reference(labels, background, diagonal):
    """SciPy's components of each label, numbered in the order of their first pixels."""
    structure = ndimage.generate_binary_structure(labels.ndim, labels.ndim if diagonal else 1)
    found, names = np.zeros(labels.shape, int), []
    for label in np.unique(labels):
        if label != background:
            own, count = ndimage.label(labels == label, structure)
            found[own > 0] = own[own > 0] + len(names)
            names += [label] * count
    order = [one for one in dict.fromkeys(found.ravel().tolist()) if one]
    table = np.zeros(len(names) + 1, int)
    table[order] = np.arange(1, len(order) + 1)
    return table[found], {k: int(names[one - 1]) for k, one in enumerate(order, start=1)}


def maps(axes):
    return hnp.array_shapes(min_dims=axes, max_dims=axes, min_side=1, max_side=8).flatmap(
        lambda shape: hnp.arrays(np.int16, shape, elements=st.integers(-1, 2))
    )


@pytest.mark.parametrize("diagonal", [False, True])
@pytest.mark.parametrize("axes", [2, 3])
class TestAgainstScipy:
    @given(data=st.data())
    def test_any_maps(self, axes, diagonal, data):
        labels, background = data.draw(maps(axes)), data.draw(st.integers(-1, 3))
        ids, segments = components(labels, background=background, diagonal=diagonal)
        expected_ids, expected = reference(labels, background, diagonal)
        assert np.array_equal(ids, expected_ids)
        assert segments == expected

    @given(data=st.data())
    def test_twin(self, axes, diagonal, data):
        labels = data.draw(maps(axes))
        found = components(labels, diagonal=diagonal)
        with absent("native", "components"):
            twin = components(labels, diagonal=diagonal)
        assert np.array_equal(found[0], twin[0])
        assert found[1] == twin[1]

    def test_a_winding_path(self, axes, diagonal):
        shape = (41, 41) if axes == 2 else (3, 41, 41)
        labels = np.zeros(shape, bool)
        labels[..., ::2, :] = True
        labels[..., 1::4, -1] = labels[..., 3::4, 0] = True
        assert set(components(labels, diagonal=diagonal)[1]) == {1}


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int8", "uint16", "int16", "uint32", "int32", "int64"])
def test_dtypes(dtype):
    labels = (np.random.default_rng(0).random((20, 30)) < 0.5).astype(dtype)
    assert np.array_equal(components(labels)[0], reference(labels, 0, False)[0])


def test_native_serves_arrays_and_tensors():
    torch = pytest.importorskip("torch")
    labels = np.eye(4, dtype=np.int64)
    with forbidden("generic"):
        assert isinstance(components(torch.tensor(labels))[0], torch.Tensor)
        assert len(components(labels)[1]) == 4
        assert len(components(labels, diagonal=True)[1]) == 1


def test_views_and_nothing():
    labels = np.zeros((8, 8), int)
    labels[::2, ::2] = 1
    assert components(labels[::2, ::2])[1] == {1: 1}
    assert components(np.zeros((0, 4), int))[1] == {}


def test_lesion_by_lesion():
    truth, guess = np.zeros((2, 5, 20, 20), np.uint8)
    truth[1:3, 1:5, 1:5] = truth[1:4, 10:15, 10:15] = truth[0, 18, 1] = 1
    guess[1:3, 1:5, 1:4] = guess[1:4, 10:15, 10:15] = guess[4, 1, 18] = 1
    row = vesica.evaluate_panoptic([components(truth)], [components(guess)], void=False).per_class()[0]
    assert (row["tp"], row["fp"], row["fn"]) == (2, 1, 1)
    assert row["RQ"] == 2 / 3
    assert row["SQ"] == (0.75 + 1) / 2


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: components(np.zeros((2, 2))), TypeError, "threshold"),
        (lambda: components([1, 0]), ValueError, "picture"),
        (lambda: components([[1]], diagonal=8), TypeError, "diagonal"),
        (lambda: components([[1]], background="sky"), TypeError, "background"),
    ],
)
def test_wrong_calls(call, error, words):
    with pytest.raises(error, match=words):
        call()
