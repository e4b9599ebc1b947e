"""Open Images: known by its column names, and read as shares of the image."""

from pathlib import Path

import numpy as np
import pytest

import vesica
from vesica import Dataset, InputError
from vesica.cli import main
from vesica.io.read import find

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "voc" / "formats" / "truth"
real = pytest.mark.skipif(not DATA.is_dir(), reason="the folder shared/data lies not beside the repository")

HEAD = "ImageID,Source,LabelName,Confidence,XMin,XMax,YMin,YMax,IsOccluded,IsTruncated,IsGroupOf,IsDepiction,IsInside\n"
TRUTH = HEAD + "a,xclick,/m/01g317,1,0.25,0.5,0.1,0.9,0,0,1,0,0\nb,xclick,/m/0199g,1,0,1,0,1,-1,-1,-1,-1,-1\n"
GUESS = "ImageID,LabelName,Score,XMin,XMax,YMin,YMax\na,/m/01g317,0.75,0.25,0.5,0.1,0.9\n"
SIZES = {"a": (100, 200), "b": (50, 40)}


@pytest.fixture
def table(tmp_path):
    def path(text, name="t.csv"):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return path


class TestRead:
    def test_shares(self, table):
        found = find(table(TRUTH), vesica.io.options.Options(sizes=SIZES))
        assert found.form == "shares of the image"
        assert found.data.xywh.tolist() == [[50, 10, 50, 80], [0, 0, 40, 50]]
        assert found.data.images.sizes.tolist() == [[100, 200], [50, 40]]

    def test_truths_have_no_scores(self, table):
        """Their "Confidence" says that somebody looked."""
        data = vesica.read(table(TRUTH), sizes=SIZES)
        assert data.score is None and data.crowd.tolist() == [True, False]
        assert data.categories.names.tolist() == ["/m/0199g", "/m/01g317"]

    @pytest.mark.parametrize("name", ["Score", "Confidence"])
    def test_guesses_have(self, table, name):
        data = vesica.read(table(GUESS.replace("Score", name)), sizes=(100, 200))
        assert data.score.tolist() == [0.75] and data.xywh.tolist() == [[50, 10, 50, 80]]

    def test_sizes_of_pictures(self, table, tmp_path):
        Image = pytest.importorskip("PIL.Image")
        folder = tmp_path / "pictures"
        folder.mkdir()
        for name, (height, width) in SIZES.items():
            Image.new("L", (width, height)).save(folder / f"{name}.png")
        for text in (TRUTH, TRUTH.replace("\na,", "\na.jpg,")):
            assert vesica.read(table(text), images=folder).xywh.tolist() == [[50, 10, 50, 80], [0, 0, 40, 50]]

    def test_sizes_of_another_data_set(self, table):
        other = Dataset.from_arrays([], image=[], images=["b", "a"], sizes=SIZES)
        assert vesica.read(table(TRUTH), images=other).xywh.tolist() == [[50, 10, 50, 80], [0, 0, 40, 50]]

    def test_as_they_stand(self, table):
        data = vesica.read(table(TRUTH), boxes="xyxy")
        assert data.xywh == pytest.approx(np.array([[0.25, 0.1, 0.25, 0.8], [0, 0, 1, 1]]))

    @pytest.mark.parametrize(
        "head", ["image_id,label_name,xmin,xmax,ymin,ymax", "ImageId,LabelName,XMin,XMax,YMin,YMax"]
    )
    def test_other_names_are_pixels(self, table, head):
        assert vesica.read(table(f"{head}\n1,cat,10,30,20,60\n")).xywh.tolist() == [[10, 20, 20, 40]]


class TestErrors:
    def test_no_size(self, table):
        with pytest.raises(
            InputError, match=r"shares of the image, and nobody said how large image 'a' is.*boxes=\"xyxy\""
        ):
            vesica.read(table(TRUTH))
        with pytest.raises(InputError, match="how large image 'b' is"):
            vesica.read(table(TRUTH), sizes={"a": (100, 200)})

    def test_pixels(self, table):
        with pytest.raises(
            InputError, match=r"row 1: XMin.* are shares of the image, from 0 to 1; got 30.0.*boxes=\"xyxy\""
        ):
            vesica.read(table(GUESS.replace("0.5,", "30,")), sizes=(100, 200))

    def test_unknown_flag(self, table):
        """−1 is a word of Open Images alone."""
        with pytest.raises(InputError, match="`crowd` must be 0 or 1; got '-1'"):
            vesica.read(table("image,x1,y1,x2,y2,crowd\n1,0,0,4,4,-1\n"))


class TestScores:
    def test_command_line(self, table, capsys, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        table(TRUTH.replace(",1,0,0\nb", ",0,0,0\nb"), "truth.csv"), table(GUESS, "guess.csv")
        assert main(["eval", "truth.csv", "guess.csv", "--sizes", "100,200", "--iou", "0.5", "--json"]) == 0
        assert '"AR100": 0.5' in capsys.readouterr().out
        assert main(["convert", "truth.csv", "truth.json", "--sizes", "100,200"]) == 0
        assert main(["eval", "truth.json", "guess.csv", "--iou", "0.5", "--json"]) == 0  # sizes are those of the truth
        assert '"AR100": 0.5' in capsys.readouterr().out
        assert vesica.read("truth.json").xywh.tolist() == [[50, 10, 50, 80], [0, 0, 200, 100]]


@real
class TestRealFile:
    """The same pictures as VOC has them; whoever converted them copied corners without the pixel that VOC counts."""

    def test_boxes(self):
        voc = vesica.read(DATA / "pascalvoc_format", boxes="as_written")
        sizes = {f"{id}.jpg": size for id, size in zip(voc.images.ids, voc.images.sizes.tolist(), strict=True)}
        found = vesica.read(DATA / "openimages_format" / "all_bounding_boxes.csv", sizes=sizes)
        assert len(found) == len(voc) == 273
        names = found.images.ids[found.image], found.categories.names[found.category]
        theirs = voc.images.names[voc.image], voc.categories.names[voc.category]
        rows = [
            sorted(zip(*side, data.xywh.round(3).tolist(), strict=True))
            for side, data in ((names, found), (theirs, voc))
        ]
        assert [row[:2] for row in rows[0]] == [row[:2] for row in rows[1]]
        assert np.abs(np.array([row[2] for row in rows[0]]) - [row[2] for row in rows[1]]).max() <= 1.001
