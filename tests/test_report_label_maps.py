"""Label maps of a report: those that were scored and no others, from arrays, files and objects."""

from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vesica
from vesica.io.png_write import png_of
from vesica.regions import RleMasks
from vesica.report.label_maps import LabelMapPair, Scored, pairs_of
from vesica.report.map_pictures import (
    BACKGROUND,
    BETWEEN,
    DIFFERENT,
    GAP,
    MOST,
    NO_CLASS,
    SAME,
    SIDE,
    colours_of,
    picture_of,
)

Image = pytest.importorskip("PIL.Image")


def some_maps(shape: tuple[int, ...] = (5, 12, 16), classes: int = 4) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(7)
    truth = rng.integers(0, classes, shape).astype(np.uint8)
    return truth, np.where(rng.random(shape) < 0.8, truth, rng.integers(0, classes, shape)).astype(np.uint8)


def written(folder: Path, maps: np.ndarray) -> Path:
    folder.mkdir()
    for place, one in enumerate(maps):
        (folder / f"map{place}.png").write_bytes(png_of(one))
    return folder


def test_of_arrays() -> None:
    truth, guess = some_maps()
    result = vesica.evaluate_segmentation(truth, guess, ignore=3)
    found = pairs_of((truth, guess), result, [3, 1])
    assert list(found) == [3, 1]
    for place, pair in found.items():
        counts = truth[place] != 3
        assert (pair.counts == counts).all()
        assert (pair.differs == (counts & (truth[place] != guess[place]))).all()
        assert (pair.truth == np.where(counts, truth[place].astype(int), -1)).all()


def test_of_folders_only_what_is_wanted_is_read(tmp_path: Path) -> None:
    truth, guess = some_maps()
    folders = written(tmp_path / "truth", truth), written(tmp_path / "guess", guess)
    result = vesica.evaluate_segmentation(*folders)
    (folders[0] / "map0.png").write_bytes(b"no longer a picture")
    found = pairs_of(folders, result, ["map4", "map2"])
    assert list(found) == ["map4", "map2"]
    assert (found["map4"].truth == truth[4]).all()
    assert (found["map4"].guess == guess[4]).all()


def test_of_files_with_other_labels(tmp_path: Path) -> None:
    truth, guess = some_maps()
    folders = written(tmp_path / "truth", truth + 10), written(tmp_path / "guess", guess + 10)
    relabel = {10 + label: label for label in range(4)}
    result = vesica.evaluate_segmentation(*folders, relabel=relabel)
    found = pairs_of(Scored(*folders, relabel=relabel), result, ["map1"])
    assert (found["map1"].truth == truth[1]).all()
    assert pairs_of(folders, result, []) == {}


def test_of_a_stack_in_one_file(tmp_path: Path) -> None:
    truth, guess = some_maps()
    for name, maps in (("truth", truth), ("guess", guess)):
        np.save(tmp_path / f"{name}.npy", maps)
    paths = tmp_path / "truth.npy", tmp_path / "guess.npy"
    result = vesica.evaluate_segmentation(*paths)
    found = pairs_of(paths, result, ["truth[3]"])
    assert (found["truth[3]"].guess == guess[3]).all()


def test_of_objects() -> None:
    masks = np.zeros((3, 6, 8), bool)
    masks[0, :3], masks[1, 3:], masks[2, :, :4] = True, True, True
    options: dict[str, Any] = {"image": [1, 1, 2], "category": ["cat", "dog", "cat"], "sizes": (6, 8)}
    truth = vesica.Dataset.from_arrays(masks=masks, **options)
    guess = vesica.Dataset.from_arrays(masks=np.roll(masks, 1, axis=1), score=[0.9, 0.8, 0.7], **options)
    result = vesica.evaluate_segmentation(truth, guess)
    found = pairs_of((truth, guess), result, [2])
    cat = result.categories.index("cat")
    assert (found[2].truth == np.where(masks[2], cat, result.categories.index("background"))).all()


def test_of_a_dict_and_of_a_function() -> None:
    truth, guess = some_maps()
    result = vesica.evaluate_segmentation(truth, guess, images=["b", "a", "d", "c", "e"])
    pairs = {name: (truth[place], guess[place]) for place, name in enumerate("badce")}
    for maps in (pairs, pairs.get, {"a": pairs["a"]}):
        found = pairs_of(maps, result, ["a"])
        assert (found["a"].truth == truth[1]).all()
    assert pairs_of({}, result, ["a"]) == {}
    with pytest.raises(ValueError, match="say which image each array is of"):
        pairs_of((truth, guess), result, ["a"])


@pytest.mark.parametrize("shape", [(4, 6, 8), (2, 4, 6, 8)])
def test_of_a_volume_the_slice_that_differs_most(shape: tuple[int, ...]) -> None:
    truth = some_maps(shape)[0]
    guess = truth.copy()
    guess[..., 2, :, :] = (truth[..., 2, :, :] + 1) % 4
    result = vesica.evaluate_segmentation(truth, guess, volume=True)
    (pair,) = pairs_of((truth, guess), result, [0]).values()
    assert pair.note == "slice 3 of 4"
    assert pair.differs.all()


def test_of_masks_that_overlap() -> None:
    truth, guess = (maps[:, None] == np.arange(3)[:, None, None] for maps in some_maps())
    guess[:, 0, :2] = True
    result = vesica.evaluate_segmentation(truth, guess)
    pair = pairs_of((truth, guess), result, [2])[2]
    assert (pair.differs == (truth[2] != guess[2]).any(axis=0)).all()


def test_other_maps_are_an_error() -> None:
    truth, guess = some_maps()
    result = vesica.evaluate_segmentation(truth, guess)
    with pytest.raises(ValueError, match="must be the label maps that were scored; those of image 0 are others"):
        pairs_of((guess, truth), result, [0])
    with pytest.raises(TypeError, match="must be \\(truth, guess\\) as they were scored"):
        pairs_of("truth/", result, [0])
    with pytest.raises(TypeError, match="must hold labels; its guess is float32"):
        pairs_of((truth, guess.astype(np.float32)), result, [0])
    with pytest.raises(TypeError, match="must give \\(truth, guess\\) of an image"):
        pairs_of({0: truth[0]}, result, [0])


def pixels_of(source: str) -> np.ndarray:
    """What another reader makes of the picture."""
    head, _, data = source.partition(",")
    assert head == "data:image/png;base64"
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB"))


def pair_of(truth: np.ndarray, guess: np.ndarray) -> LabelMapPair:
    return LabelMapPair(truth, guess, truth >= 0, (truth >= 0) & (truth != guess))


def test_pictures_have_the_colours_of_classes() -> None:
    truth = np.array([[0, 1, 2], [2, -1, 0], [0, 0, 0]])
    guess = np.array([[0, 2, 2], [2, 1, -1], [0, 0, 0]])
    shown = picture_of(pair_of(truth, guess), colours_of(3))
    whole = pixels_of(shown.source)
    assert whole.shape == (shown.height, shown.width, 3)
    colours, side = np.array([*colours_of(3), NO_CLASS]), 3 * shown.zoom
    assert (whole[side : side + GAP] == BETWEEN).all()
    first, second, third, last = (
        whole[y : y + side : shown.zoom, x : x + side : shown.zoom] for y in (0, side + GAP) for x in (0, side + GAP)
    )
    assert (first == colours[truth]).all()
    assert (second == colours[guess]).all()
    same, other, none = (list(colour) for colour in (SAME, DIFFERENT, NO_CLASS))
    assert third.tolist() == [[same, other, same], [same, none, other], [same, same, same]]
    assert last[0, 1].tolist() == list(colours_of(3)[2])
    assert last[1, 2].tolist() == none


def test_a_mask_lies_over_what_differs() -> None:
    truth = np.arange(12).reshape(3, 4) % 3
    guess = np.where(np.arange(12).reshape(3, 4) % 4 == 1, 0, truth)
    pair = pair_of(truth, guess)
    shown = picture_of(pair, colours_of(3))
    height, width, counts = shown.runs_of(pair.differs)
    # As another reader of runs sees them.
    mask = RleMasks.from_coco([{"size": [height, width], "counts": list(counts)}]).to_masks().array[0]
    assert (mask == (pixels_of(shown.source) == DIFFERENT).all(axis=2)).all()


@pytest.mark.parametrize("size", [(701, 1003), (1003, 701), (400, 2000), (2000, 3)])
def test_a_large_map_is_made_small_and_no_difference_gets_lost(size: tuple[int, int]) -> None:
    truth = np.zeros(size, int)
    guess = truth.copy()
    guess[333, 2] = 1
    shown = picture_of(pair_of(truth, guess), colours_of(2))
    assert max(shown.width, shown.height) <= 3 * SIDE + 2 * GAP
    assert (pixels_of(shown.source) == DIFFERENT).all(axis=2).sum() == 1


def test_colours_are_many_and_differ() -> None:
    assert len(set(colours_of(80))) == 80
    assert len(colours_of(1000)) == MOST
    assert colours_of(3, 2) == [*colours_of(2), BACKGROUND]
    picture_of(pair_of(np.array([[999, 3]]), np.array([[999, 3]])), colours_of(1000))
    picture_of(pair_of(np.array([[-1]]), np.array([[-1]])), [])
