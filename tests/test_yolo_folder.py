"""Folders of YOLO: which files are label files, whatever they are called."""

import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vesica
from vesica import Dataset, InputError
from vesica.dataset import Images
from vesica.io.yolo_folder import NO_LABELS

SIZE = (100, 200)


@pytest.fixture
def labels(tmp_path):
    """Write label files into a folder and return it."""

    def writing(beside=(), **files):
        folder = tmp_path / "labels"
        folder.mkdir(exist_ok=True)
        for path, text in {**dict(beside), **{f"labels/{name}.txt": text for name, text in files.items()}}.items():
            (tmp_path / path).write_text(text)
        return folder

    return writing


LINE = "0 0.5 0.5 0.1 0.1\n"
STEMS = sorted(NO_LABELS)


class TestNamesOfLabelFiles:
    """A label file may be called as other text files are."""

    @given(st.lists(st.sampled_from([*STEMS, "Test", "VAL", "a", "b.c"]), unique=True, min_size=1), st.data())
    def test_round_trip(self, tmp_path_factory, stems, data):
        """Whatever images are called, what is written is read; also of those in which nothing is."""
        folder = tmp_path_factory.mktemp("set")
        boxes = data.draw(st.lists(st.integers(0, 2), min_size=len(stems), max_size=len(stems)))
        image = [stem for stem, count in zip(stems, boxes, strict=True) for _ in range(count)]
        images = Images(np.array(stems, object), np.full(len(stems), 100), np.full(len(stems), 100))
        cats = np.array(["cat"] * len(image), object)
        boxes = np.full((len(image), 4), [1, 2, 30, 40])
        truth = Dataset.from_arrays(boxes, image=np.array(image, object), images=images, category=cats)
        vesica.write(folder, truth, format="yolo")
        for place in (folder, folder / "labels", folder / "data.yaml", folder / "labels/*.txt"):
            again = vesica.read(place, sizes=(100, 100))
            assert sorted(again.images.ids.tolist()) == sorted(stems) and len(again) == len(image), place
            assert not any("left out" in note for note in again.notes)

    @pytest.mark.parametrize("stem", STEMS)
    def test_beside_pictures(self, tmp_path, stem):
        """Outside `labels`, what looks like labels is taken, and what does not is named."""
        (tmp_path / "a.txt").write_text(LINE)
        (tmp_path / f"{stem}.txt").write_text("cat\n")
        data = vesica.read(tmp_path, sizes=SIZE)
        assert data.images.ids.tolist() == ["a"]
        assert f"left out, as no label files of YOLO: {stem}.txt" in data.notes
        (tmp_path / f"{stem}.txt").write_text(LINE)
        data = vesica.read(tmp_path, sizes=SIZE)
        assert sorted(data.images.ids.tolist()) == sorted(["a", stem]) and len(data) == 2
        assert not any("left out" in note for note in data.notes)

    def test_words_below_labels(self, labels):
        """There nothing is skipped by its name, so that what is no label file is an error."""
        with pytest.raises(InputError, match=r"notes\.txt, line 1: a class is followed by 4 numbers"):
            vesica.read(labels(a=LINE, notes="look at these again"), sizes=SIZE)

    def test_a_list_of_names_below_labels(self, labels):
        folder = labels(a=LINE, classes="cat\ndog\n")
        data = vesica.read(folder, sizes=SIZE)
        assert data.categories.names.tolist() == ["cat", "dog"] and data.images.ids.tolist() == ["a"]
        assert "left out, as no label files of YOLO: classes.txt" in data.notes

    def test_an_image_that_is_called_classes(self, labels):
        """Its labels are no list of names."""
        data = vesica.read(labels({"data.yaml": "names: [cat]"}, a=LINE, classes=LINE), sizes=SIZE)
        assert data.categories.names.tolist() == ["cat"] and len(data) == 2

    def test_folders_below(self, labels):
        """Label files below the folder that is read are named."""
        folder = labels(a=LINE)
        (folder / "train").mkdir()
        (folder / "train" / "b.txt").write_text(LINE)
        data = vesica.read(folder, sizes=SIZE)
        assert data.images.ids.tolist() == ["a"] and "left out, as no label files of YOLO: train/b.txt" in data.notes

    def test_patterns(self, tmp_path):
        for name, text in {"a": LINE, "train": "images/a.jpg\n"}.items():
            (tmp_path / f"{name}.txt").write_text(text)
        data = vesica.read(tmp_path / "*.txt", sizes=SIZE)
        assert data.images.ids.tolist() == ["a"] and "left out, as no label files of YOLO: train.txt" in data.notes
        with pytest.raises(InputError, match=r"stands for no label files of YOLO: .*train\.txt"):
            vesica.read(tmp_path / "t*.txt", sizes=SIZE, format="yolo")

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
    def test_a_pipe_is_no_label_file(self, labels, tmp_path):
        """Nobody may ever write to it."""
        os.mkfifo(labels(a=LINE) / "b.txt")
        with pytest.raises(InputError, match=r"b\.txt cannot be read: it is no file"):
            vesica.read(tmp_path, sizes=SIZE)
