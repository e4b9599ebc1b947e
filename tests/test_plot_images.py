"""Every picture looks as it did when it was last looked at, but for fonts: `python tests/gold_pictures.py --accept`."""

import itertools

import pytest

from gold_pictures import FOLDER, TOLERANCE, difference, drawn, gallery, path_of, png_of
from vesica import plot

pytest.importorskip("matplotlib")
pytest.importorskip("PIL")

GALLERY = gallery()
NO_PICTURES = {"save", "marks"}


@pytest.mark.parametrize("name", GALLERY.GALLERY)
def test_as_it_was(name):
    assert difference(png_of(drawn(GALLERY, name)), path_of(name).read_bytes()) <= TOLERANCE


def test_every_function_has_one():
    called = {example.line.partition("plot.")[2].partition("(")[0] for example in GALLERY.GALLERY.values()}
    assert called == {*plot.__all__} - NO_PICTURES


def test_files_are_small_and_none_is_left_over():
    files = sorted(FOLDER.glob("*.png"))
    assert [file.stem for file in files] == sorted(GALLERY.GALLERY)
    assert max(file.stat().st_size for file in files) <= 15_000


def test_no_two_are_alike():
    """The tolerance tells every two pictures apart."""
    kept = {name: path_of(name).read_bytes() for name in GALLERY.GALLERY}
    assert min(difference(a, b) for a, b in itertools.combinations(kept.values(), 2)) > TOLERANCE


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("by_score", lambda ax: ax.lines[:2]),
        ("confusion", lambda ax: ax.images[:1]),
        ("causes", lambda ax: ax.patches[:1]),
        ("ledger", lambda ax: ax.patches[:1]),
        ("ious", lambda ax: ax.patches[10:14]),
        ("overlap_boxes", lambda ax: ax.images[:1]),
    ],
)
def test_what_is_not_there_is_noticed(name, parts):
    ax = drawn(GALLERY, name)
    for part in list(parts(ax)):
        part.remove()
    assert difference(png_of(ax), path_of(name).read_bytes()) > TOLERANCE
