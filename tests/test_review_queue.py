"""Review queues: the images in their order, with what everybody marked and why, as tasks of three tools."""

import json

import pytest

import vesica
from samples import asked, drawn
from vesica.io.review_queue import of_images, write_queue

QUEUE = [
    {"image": 3, "rank": 1, "lost": 2.5, "reasons": "missing 1.5 by ann -- twice; <label> 1.0"},
    {"image": 1, "rank": 2, "lost": 0.5, "reasons": "loose edge 0.5"},
]


@pytest.fixture
def data():
    return drawn(0, people=("ann", "ben"), kinds=("box", "polygon"), rows=30)


def rows_of(data, image, who):
    is_hers = data.annotators[data.annotator] == who
    return int((is_hers & (data.images.ids[data.image] == image)).sum())


class TestOfImages:
    def test_value(self, data):
        found = of_images(data, [2, 0])
        assert found.images.ids.tolist() == [3, 1] and found.images.sizes.tolist() == data.images.sizes[[2, 0]].tolist()
        assert [rows_of(found, k, "ann") for k in (1, 2, 3)] == [rows_of(data, 1, "ann"), 0, rows_of(data, 3, "ann")]
        assert asked(found) == [one for one in asked(data) if one[0] != "folder/1.jpg"]

    def test_none(self, data):
        found = of_images(data, [])
        assert len(found) == len(found.images) == len(found.assignments) == 0


class TestWriteQueue:
    def test_labelstudio(self, tmp_path, data):
        path = tmp_path / "queue.json"
        write_queue(path, data, QUEUE)
        tasks = json.loads(path.read_text())
        assert [task["id"] for task in tasks] == [3, 1]
        assert tasks[0]["data"] == {
            "image": "folder/2.jpg", "rank": 1, "lost": 2.5, "reasons": QUEUE[0]["reasons"],
        }  # fmt: skip
        guesses = vesica.read(path, predictions=True)
        assert [rows_of(guesses, 3, who) for who in ("ann", "ben")] == [rows_of(data, 3, who) for who in ("ann", "ben")]
        assert len(vesica.read(path)) == 0  # nobody has looked yet

    def test_cvat(self, tmp_path, data):
        path = tmp_path / "queue.xml"
        notes = write_queue(path, data, QUEUE)
        text = path.read_text()
        assert "<!-- rank 1, lost 2.5, reasons missing 1.5 by ann - - twice; &lt;label&gt; 1.0 -->" in text
        back = vesica.read(path)
        assert back.images.ids.tolist() == [3, 1]
        assert len(back) == sum(rows_of(data, image, who) for image in (1, 3) for who in ("ann", "ben"))
        assert text.count('<attribute name="annotator">ann<') == rows_of(data, 1, "ann") + rows_of(data, 3, "ann")
        assert "CVAT has no place for annotators" not in notes

    def test_coco(self, tmp_path, data):
        path = tmp_path / "queue.json"
        write_queue(path, data, QUEUE, format="coco")
        value = json.loads(path.read_text())
        assert [image["review"]["rank"] for image in value["images"]] == [1, 2]
        back = vesica.read(path, annotator=True)
        assert asked(back) == [one for one in asked(data) if one[0] != "folder/1.jpg"]

    def test_of_a_result(self, tmp_path, data):
        queue = vesica.evaluate_agreement(data, regions="box").worst(2)
        vesica.write_queue(tmp_path / "q.json", data, queue)
        tasks = json.loads((tmp_path / "q.json").read_text())
        assert [task["data"]["rank"] for task in tasks] == [1, 2]
        assert [task["data"]["reasons"] for task in tasks] == [one.text for one in queue]

    def test_unknown_images(self, tmp_path, data):
        with pytest.raises(ValueError, match="`image` of row 0 of `queue` must be one of `images`; got 99"):
            vesica.write_queue(tmp_path / "q.json", data, [{"image": 99}])

    def test_formats(self, tmp_path, data):
        with pytest.raises(ValueError, match="`format` must be one of"):
            write_queue(tmp_path / "q.json", data, QUEUE, format="voc")
