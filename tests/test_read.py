"""Which format a file has, and that everything comes back."""

import gzip
import io
import json
from pathlib import Path

import numpy as np
import pytest

import vesica
from installed import has
from samples import made, same
from vesica import Dataset, InputError, RleMasks
from vesica.io.formats import readable
from vesica.io.read import describe, find

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
real = pytest.mark.skipif(not DATA.is_dir(), reason="the folder shared/data lies not beside the repository")

ROW = {"image_id": 7, "category_id": 1, "bbox": [10, 20, 30, 40], "score": 0.5}
SIDES = "<xmin>1</xmin><ymin>1</ymin><xmax>3</xmax><ymax>4</ymax>"
PAGE = f"<annotation><object><name>cat</name><bndbox>{SIDES}</bndbox></object></annotation>"
CSV = "image,class,score,x1,y1,x2,y2\n7,cat,0.5,10,20,40,60\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


class TestFormat:
    def test_results(self):
        Path("guess.json").write_text(json.dumps([ROW] * 3 + [{**ROW, "image_id": 8}]))
        found = find("guess.json")
        assert describe(found) == "Read guess.json as COCO results: 4 boxes, xywh pixels, 2 images."
        assert found.data.xywh.tolist() == [[10, 20, 30, 40]] * 4

    def test_truth(self):
        row = {key: value for key, value in ROW.items() if key != "score"} | {"id": 1}
        truth = {"images": [{"id": 7}], "annotations": [row], "categories": [{"id": 1, "name": "cat"}]}
        Path("truth").write_text(json.dumps(truth))  # no ending: the content tells
        assert describe(find("truth")) == "Read truth as COCO truth: 1 box, xywh pixels, 1 image."
        truth["images"][0] |= {"neg_category_ids": [1], "not_exhaustive_category_ids": []}
        Path("lvis.json").write_text(json.dumps(truth))
        assert describe(find("lvis.json")) == "Read lvis.json as LVIS: 1 box, xywh pixels, 1 image."

    @pytest.mark.parametrize(
        "name, content, format",
        [
            ("a", json.dumps([ROW]), "coco"),
            ("a.txt", CSV, "csv"),
            ("a.dat", CSV.replace(",", "\t"), "csv"),
            ("a", PAGE, "voc"),
            ("a.txt", "0 0.5 0.5 0.1 0.1\n", "yolo"),
            ("a.txt", "", "yolo"),
            ("comp3_det_val_cat.txt", "a 0.5 1 1 2 2\n", "voc"),
        ],
    )
    def test_by_content(self, name, content, format):
        Path(name).write_text(content)
        options = vesica.io.options.Options(sizes=(5, 5)) if format == "yolo" else None
        assert find(name, options).format == format

    def test_arrays(self):
        np.save("a.npy", np.float64([[7, 10, 20, 30, 40, 0.5, 1]]))
        Path("b").write_bytes(Path("a.npy").read_bytes())
        assert describe(find("b")) == "Read b as COCO's array: 1 box, xywh pixels, 1 image."

    def test_packed(self):
        Path("a.json.gz").write_bytes(gzip.compress(json.dumps([ROW]).encode()))
        Path("a.csv.gz").write_bytes(gzip.compress(CSV.encode()))
        assert vesica.read("a.json.gz").xywh.tolist() == vesica.read("a.csv.gz").xywh.tolist() == [[10, 20, 30, 40]]

    @pytest.mark.parametrize(
        "content, format",
        [(json.dumps([ROW]), "coco"), (CSV, "csv"), (PAGE, "voc"), (gzip.compress(CSV.encode(), mtime=0), "csv")],
    )
    def test_standard_input(self, monkeypatch, content, format):
        data = content if isinstance(content, bytes) else content.encode()
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
        found = find("-")
        assert found.format == format and describe(found).startswith("Read standard input as")

    def test_labels_need_names(self, monkeypatch):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"0 0.5 0.5 0.1 0.1\n")))
        with pytest.raises(InputError, match="standard input: label files of YOLO are known by their names"):
            vesica.read("-")

    def test_folders(self):
        for name, content in (("coco/t.json", json.dumps([ROW])), ("voc/a.xml", PAGE), ("csv/a.csv", CSV)):
            Path(name).parent.mkdir()
            Path(name).write_text(content)
            assert len(vesica.read(Path(name).parent)) == 1
        assert describe(find("voc")) == "Read voc as Pascal VOC: 1 box, pixels from 1, 1 image."

    def test_two_formats_in_a_folder(self):
        Path("a.xml").write_text(PAGE)
        Path("a.txt").write_text("0 0.5 0.5 0.1 0.1\n")
        with pytest.raises(
            InputError, match="files of several formats: 1 of voc and 1 of yolo. Say which: format='voc'"
        ):
            vesica.read(".")
        assert len(vesica.read(".", format="voc")) == len(vesica.read(".", format="yolo", sizes=(5, 5))) == 1
        with pytest.raises(InputError, match="several formats: voc, yolo. Say `format=`"):
            vesica.read("a.*")

    def test_patterns(self):
        for name in ("a.csv", "b.csv"):
            Path(name).write_text(CSV)
        assert len(vesica.read("a*.csv")) == 1
        with pytest.raises(InputError, match="stands for 2 files of this format; read them one by one"):
            vesica.read("*.csv")
        with pytest.raises(InputError, match="no file has such a name"):
            vesica.read("*.xml")

    @pytest.mark.parametrize(
        "name, content, words",
        [
            ("a", b"hello\n", "a is of no format that is known: COCO"),
            ("a", b"", "a is empty"),
            ("a", b"\x89PNG\r\n", "is not text"),
            ("a.json", b"", "a.json is empty"),
            ("a.csv.gz", gzip.compress(b"x" * 40_000_000, mtime=0), "expands more than 200:1"),
            ("a.csv.gz", gzip.compress(CSV.encode(), mtime=0)[:-9], "is packed by gzip, and broken"),
        ],
    )
    def test_unknown(self, name, content, words):
        Path(name).write_bytes(content)
        with pytest.raises(InputError, match=words):
            vesica.read(name)

    def test_no_file(self):
        with pytest.raises(InputError, match="nowhere.json cannot be read: No such file"):
            vesica.read("nowhere.json")
        Path("empty").mkdir()
        with pytest.raises(InputError, match="empty is a folder without XML files of VOC"):
            vesica.read("empty")
        with pytest.raises(InputError, match="empty is a folder without files of csv"):
            vesica.read("empty", format="csv")
        Path("empty/000.png").touch()
        with pytest.raises(InputError, match=r"label maps are scored by `evaluate_segmentation` \(vesica seg\)"):
            vesica.read("empty")

    def test_options(self):
        Path("a.csv").write_text(CSV)
        with pytest.raises(ValueError, match='`format` must be one of "coco"'):
            vesica.read("a.csv", format="cocoo")
        with pytest.raises(ValueError, match="`kind` says nothing about a file of the format 'csv'"):
            vesica.read("a.csv", kind="pose")


class TestCoco:
    @pytest.mark.parametrize("strings", [False, True])
    def test_truth_comes_back(self, strings):
        data = made(strings=strings)
        rich = Dataset.from_arrays(
            data.xywh,
            form="xywh",
            image=data.images.ids[data.image],
            category=data.categories.ids[data.category],
            images=data.images,
            categories=data.categories,
            area=np.arange(len(data)) / 3,
            crowd=np.arange(len(data)) % 5 == 0,
            ignore=np.arange(len(data)) % 7 == 0,
            id=np.arange(len(data))[::-1],
        )
        assert vesica.write("t.json", rich) == ()
        back = vesica.read("t.json")
        same(back, rich, but=("image", "category", "images.names"))
        assert back.image.tolist() == rich.image.tolist() and back.category.tolist() == rich.category.tolist()

    @pytest.mark.parametrize("strings", [False, True])
    def test_results_come_back(self, strings):
        data = made(strings=strings, scores=True, sizes=False)
        notes = vesica.write("t.json", data)
        assert "images without a guess left no trace" in notes
        back = vesica.read("t.json")
        assert np.array_equal(back.xywh, data.xywh) and np.array_equal(back.score, data.score)
        assert back.images.ids[back.image].tolist() == data.images.ids[data.image].tolist()
        assert back.categories.ids[back.category].tolist() == data.categories.ids[data.category].tolist()

    def test_every_float_comes_back(self):
        rng = np.random.default_rng(1)
        numbers = np.abs(rng.integers(0, 2**62, (500, 4)).view(np.float64)) % 1e9
        numbers[:3] = [[-0.0, 0.1, 5e-324, 1e22], [2.0**53, 2.0**53 + 2, 1, 0], [-3.5, -7, 1e-7, 123456789.123]]
        data = Dataset.from_arrays(numbers, form="xywh", image=np.arange(500), score=rng.random(500))
        vesica.write("t.json", data)
        assert vesica.read("t.json").xywh.tobytes() == numbers.tobytes()
        assert np.array([row["bbox"] for row in json.loads(Path("t.json").read_text())]).tobytes() == numbers.tobytes()

    def test_short_numbers(self):
        data = Dataset.from_arrays(
            [[10, 20, 40, 60.5]], image=[7], category=[1], score=[1], masks=[[[0, 0, 1, 0, 1, 1]]]
        )
        vesica.write("t.json", data)
        assert Path("t.json").read_text() == (
            '[{"image_id": 7, "category_id": 1, "bbox": [10, 20, 30, 40.5], "segmentation": [[0, 0, 1, 0, 1, 1]], '
            '"score": 1.0}]\n'
        )

    def test_masks_byte_for_byte(self):
        rng = np.random.default_rng(0)
        counts = RleMasks.from_masks(np.sort(rng.random((30, 400, 50)), axis=1) < 0.5).to_coco()
        assert any(b"\\" in mask["counts"] for mask in counts)  # which JSON must escape
        masks = [*counts, {"size": [2, 2], "counts": [1, 3]}, [[0.1, 0, 1, 0, 1e-7, 1]], None]
        data = Dataset.from_arrays(np.zeros((33, 4)), masks=masks, image=[0] * 30 + [1, 2, 3], score=rng.random(33))
        vesica.write("t.json", data)
        rows = json.loads(Path("t.json").read_text())
        assert [row["segmentation"]["counts"] for row in rows[:30]] == [mask["counts"].decode() for mask in counts]
        assert [row.get("segmentation") for row in rows[30:]] == masks[30:]
        again = vesica.read("t.json")
        vesica.write("u.json", again)
        assert Path("u.json").read_text() == Path("t.json").read_text()

    def test_other_tools_read_it(self):
        from pycocotools.coco import COCO

        truth, guess = made(), made(scores=True)
        assert "areas are those of the boxes, because nobody gave any" in vesica.write("t.json", truth)
        vesica.write("g.json", guess)
        coco = COCO("t.json")
        results = coco.loadRes("g.json")
        assert len(coco.anns) == len(results.anns) == len(truth)
        assert [row["bbox"] for row in results.dataset["annotations"]] == guess.xywh.tolist()

    def test_what_cannot_be_written(self):
        with pytest.raises(InputError, match="Results of COCO need scores"):
            vesica.write("t.json", made(), format="coco_results")
        with pytest.raises(
            InputError, match="the ending must be one of .json, .csv, .npz, .npy, .parquet, .arrow; or say the format"
        ):
            vesica.write("t.xyz", made())
        with pytest.raises(InputError, match="cannot be written: No such file"):
            vesica.write("nowhere/t.json", made())
        with pytest.raises(ValueError, match="`format` must be one of"):
            vesica.write("t.json", made(), format="cocoa")

    def test_nothing(self):
        for data in (Dataset.from_arrays([], image=[]), Dataset.from_arrays([], image=[], score=[])):
            vesica.write("t.json", data)
            assert len(vesica.read("t.json")) == 0

    def test_a_hundred_thousand_rows(self):
        rng = np.random.default_rng(0)
        boxes, score = rng.random((100_000, 4)), rng.random(100_000)
        data = Dataset.from_arrays(boxes, form="xywh", image=np.arange(100_000) % 5000, score=score)
        vesica.write("t.json", data)
        assert np.array_equal(vesica.read("t.json").xywh, data.xywh)


class TestPaths:
    """What comes in one way goes out another, and back."""

    def test_all_formats_hold_the_same_boxes(self):
        data = made(strings=True, whole=True)
        targets = {"coco": "t.json", "csv": "t.csv", "npz": "t.npz", "voc": "voc", "yolo": "yolo", "dota": "dota"}
        targets |= {
            "parquet": "t.parquet",
            "arrow": "t.arrow",
            "cvat": "t.xml",
            "labelstudio": "tasks.json",
            "labelme": "labelme",
        }
        sizes = dict(zip(data.images.ids.tolist(), data.images.sizes.tolist(), strict=True))
        for format, target in targets.items():
            if format in ("parquet", "arrow") and not has("pyarrow"):
                continue
            vesica.write(target, data, format=format)
            back = vesica.read(target, sizes=sizes if format == "yolo" else None)
            ids = back.images.names if format in ("cvat", "labelstudio") else back.images.ids
            mine = sorted(zip(ids[back.image].tolist(), back.xywh.round(6).tolist(), strict=True))
            assert mine == sorted(zip(data.images.ids[data.image].tolist(), data.xywh.tolist(), strict=True)), format
            names = back.categories.names if back.categories.names is not None else back.categories.ids
            wanted = data.categories.ids[data.category].tolist()
            assert sorted(names[back.category].tolist()) == sorted(wanted), format
        assert set(targets) | {"npy"} == set(readable())

    def test_numbered(self):
        data = made(strings=True).numbered()
        assert data.images.ids.tolist() == list(range(1, 10)) and data.images.names[0] == "im 0"
        assert data.categories.ids.tolist() == [1, 2, 3, 4] and data.categories.names[0] == "c0"
        same(made().numbered(), made())


@real
class TestReal:
    def test_the_same_objects_in_three_formats(self):
        """Converters copied the numbers of VOC, which counts pixels from 1: boxes agree but for that one pixel."""
        folder = DATA / "voc/formats/truth"
        voc = vesica.read(folder / "pascalvoc_format")
        for name in ("coco_format_v1", "coco_format_v2"):
            coco = vesica.read(folder / name)
            assert len(coco) == len(voc) and len(coco.images) == len(voc.images)
            boxes = []
            for data in (coco, voc):
                stems = [Path(file).stem for file in data.images.names]
                kinds = data.categories.names
                rows = zip(data.image.tolist(), data.category.tolist(), data.xywh.tolist(), strict=True)
                boxes.append(sorted((stems[i], kinds[k], *box) for i, k, box in rows))
            assert [row[:2] for row in boxes[0]] == [row[:2] for row in boxes[1]]
            apart = np.abs(np.array([row[2:] for row in boxes[0]]) - np.array([row[2:] for row in boxes[1]]))
            assert np.median(apart) <= 1 and (apart <= 1.01).mean() > 0.98  # ties in the order of rows apart

    @pytest.mark.parametrize(
        "path", ["coco100/instances_val2014_100.json", "lvis100/lvis_val_100.json", "coco_mini/instances_val2017.json"]
    )
    def test_files_of_coco_come_back(self, path):
        data = vesica.read(DATA / path)
        vesica.write("t.json", data)
        same(vesica.read("t.json"), data)
        assert list(vesica.read("t.json").segments.written()) == list(data.segments.written())

    def test_results_come_back(self):
        for name in ("instances_val2014_fakebbox100_results.json", "instances_val2014_fakesegm100_results.json"):
            data = vesica.read(DATA / "coco100" / name)
            vesica.write("t.json", data)
            same(vesica.read("t.json"), data)
