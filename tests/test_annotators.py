"""Files of several annotators: what each is called, and who was asked for what."""

from dataclasses import replace

import numpy as np
import pytest

import vesica
from samples import asked
from vesica import InputError
from vesica.io.annotators import names_of, of_files
from vesica.io.assignments import assigned


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def boxes(images, *, of=("cat",), annotator=None):
    rows = [[k, 0, k + 4, 4] for k in range(len(images))]
    category = [of[k % len(of)] for k in range(len(images))]
    return vesica.Dataset.from_arrays(rows, image=images, category=category, sizes=(40, 40), annotator=annotator)


class TestNames:
    @pytest.mark.parametrize(
        "paths, names",
        [
            (["ann.json", "ben.json"], ["ann", "ben"]),
            (["day/ann.json.gz", "day/ben.json.gz"], ["ann", "ben"]),
            (["ann/labels/", "ben/labels/"], ["ann", "ben"]),
            (["x/ann/instances.json", "x/ben/instances.json"], ["ann", "ben"]),
            (["a/x/1.json", "b/x/1.json", "b/x/2.json"], ["a/x/1", "b/x/1", "b/x/2"]),
            (["a.json", "a.xml"], ["a.json", "a.xml"]),
        ],
    )
    def test_value(self, paths, names):
        assert list(names_of(paths)) == names and list(names_of(paths).values()) == paths

    def test_twice(self):
        with pytest.raises(InputError, match=r"a\.json is given twice"):
            names_of(["a.json", "b.json", "a.json"])


class TestOfFiles:
    @pytest.mark.parametrize("format", ["coco", "voc", "yolo", "cvat", "labelstudio", "labelme"])
    def test_one_for_each(self, format):
        ending = {"coco": ".json", "labelstudio": ".json", "cvat": ".xml"}.get(format, "")
        names = [f"ann{ending}", f"ben{ending}"]
        for name, images in zip(names, (["a", "b"], ["b", "c"]), strict=True):
            vesica.write(name, boxes(images).numbered() if format == "coco" else boxes(images), format=format)
        options = vesica.io.options.Options(sizes=(40, 40)) if format == "yolo" else None
        found = of_files(names, None if options is None else lambda _: options)
        data = found.data
        assert data.annotators.tolist() == ["ann", "ben"] and len(found.found) == 2
        stems = sorted((str(image).partition(".")[0], who) for image, who, _ in asked(data))
        assert stems == [("a", "ann"), ("b", "ann"), ("b", "ben"), ("c", "ben")]

    def test_one_of_all(self):
        vesica.write("all.json", boxes([1, 2], annotator=["x", "y"]).numbered())
        with pytest.raises(InputError, match=r"all\.json does not say who marked what.*`annotator=KEY`"):
            of_files(["all.json"])
        options = vesica.io.options.Options(annotator=True)
        assert of_files(["all.json"], lambda _: options).data.annotators.tolist() == ["x", "y"]

    def test_named(self):
        for name in ("1.csv", "2.csv"):
            vesica.write(name, boxes([1, 2]))
        assert of_files({"ann": "1.csv", "ben": "2.csv"}).data.annotators.tolist() == ["ann", "ben"]


class TestPartsThatDiffer:
    """What one annotator's data has and another's has not."""

    def test_scores(self):
        scored = vesica.Dataset.from_arrays([[0, 0, 4, 4]], image=[1], score=[0.5])
        plain = vesica.Dataset.from_arrays([[0, 0, 4, 4]], image=[1])
        with pytest.raises(
            InputError, match=r"of 'ben' have scores, and those of 'ann' have none.*--model FILE.*score="
        ):
            vesica.Dataset.of_annotators({"ann": plain, "ben": scored})
        both = vesica.Dataset.of_annotators({"ann": replace(scored, score=None), "ben": plain})
        assert both.score is None and len(both) == 2
        with pytest.raises(ValueError, match="`score` must be given.*Part 1 has objects without"):
            vesica.Dataset.joined([scored, replace(plain, images=replace(plain.images, ids=np.array([2])))])

    def test_scores_of_nothing(self):
        """A data set without objects has no scores that could be missing."""
        nothing = vesica.Dataset.from_arrays([], image=[], images=[1])
        scored = vesica.Dataset.from_arrays([[0, 0, 4, 4]], image=[1], score=[0.5])
        assert vesica.Dataset.of_annotators({"ann": nothing, "ben": scored}).score.tolist() == [0.5]

    def test_rotated_and_upright(self):
        turned = vesica.Dataset.from_arrays(np.array([[[2, 0], [4, 2], [2, 4], [0, 2]]], float), image=[1])
        upright = vesica.Dataset.from_arrays([[0, 0, 4, 4]], image=[1])
        for sides in ({"ann": turned, "ben": upright}, {"ann": upright, "ben": turned}):
            result = vesica.evaluate_agreement(sides)
            assert result.records.kind == "rotated" and result["mean_iou"] == 0.5  # a square in a square

    def test_masks_without_boxes(self):
        mask = np.zeros((1, 8, 8), bool)
        mask[0, 2:6, 1:5] = True
        masks = vesica.Dataset.from_arrays(masks=mask, image=[1])
        boxes = vesica.Dataset.from_arrays([[1, 2, 5, 6]], image=[1], sizes=(8, 8))
        both = vesica.Dataset.of_annotators({"ann": replace(masks, xywh=None), "ben": boxes})
        assert both.xywh.tolist() == [[1, 2, 4, 4]] * 2


class TestAssigned:
    DATA = boxes([1, 2], annotator=["ann", 7])

    @pytest.mark.parametrize(
        "text",
        [
            "image,annotator\n1,ann\n2,7\n1,cleo\n",
            "Image_ID, Worker, date\n1,ann,Monday\n2,7,\n1,cleo,\n",
            '[{"image_id": 1, "annotator": "ann"}, {"image": "2", "user": 7}, {"image": 1, "annotator": "cleo"}]',
            '{"assignments": [{"image": 1, "annotator": "ann"}, {"image": 2, "annotator": "7"}, '
            '{"image": 1, "annotator": "cleo"}]}',
        ],
    )
    def test_value(self, folder, text):
        (folder / "who").write_text(text)
        found = assigned(self.DATA, folder / "who")
        assert found.annotators.tolist() == [7, "ann", "cleo"]
        assert asked(found) == [(1, "ann", 0), (1, "cleo", 0), (2, "7", 0)]

    def test_images_by_name(self, folder):
        (folder / "who").write_text("file,annotator,round\nx/b.jpg,ann,1\na,ann,0\n")
        data = vesica.Dataset.from_arrays([[0, 0, 4, 4]], image=["a.png"], images=["a.png", "b.png"], annotator=["ann"])
        assert asked(assigned(data, folder / "who")) == [("a.png", "ann", 0), ("b.png", "ann", 1)]

    @pytest.mark.parametrize(
        "text, words",
        [
            ("image,annotator\n1,ann\n9,7\n", r"who, row 2: the image '9' is none of those of the annotations"),
            ("image,person\n1,ann\n", "row 1: must have an image and an annotator, as in the header"),
            ("image,annotator,round\n1,ann,x\n", "row 1: `round` must be a whole number from 0; got 'x'"),
            ("image,annotator\n1,ann\n", "who: Row 1 is of image 2 by 7, who was not asked for it"),
            ("[1]", "row 1 must be an object"),
            ("[", "is no JSON"),
        ],
    )
    def test_refused(self, folder, text, words):
        (folder / "who").write_text(text)
        with pytest.raises(InputError, match=words):
            assigned(self.DATA, folder / "who")
