"""Files of label maps: PNG, NumPy and NIfTI, which meet by name; and `vesica seg`."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import vesica
from vesica.cli import main
from vesica.errors import InputError
from vesica.io.label_files import RELABEL, pair_files, read_labels

Image = pytest.importorskip("PIL.Image")


def maps(seed, count=3, shape=(9, 11), labels=4):
    return np.random.default_rng(seed).integers(0, labels, (count, *shape)).astype(np.uint8)


def put(folder, arrays, name="{}.png"):
    for k, array in enumerate(arrays):
        path = folder / name.format(k)
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".png":
            Image.fromarray(array).save(path)
        elif path.suffix == ".npy":
            np.save(path, array)
        elif path.suffix == ".npz":
            np.savez(path, labels=array)
        else:
            import nibabel

            nibabel.save(nibabel.Nifti1Image(array, np.diag([0.7, 0.8, 5.0, 1.0])), path)
    return folder


@pytest.fixture
def sides(tmp_path):
    truth, guess = maps(0), maps(1)
    put(tmp_path / "truth", truth)
    put(tmp_path / "guess", guess)
    return tmp_path, truth, guess


class TestPairs:
    @pytest.mark.parametrize("name", ["{}.png", "{}.npy", "{}.npz", "town/{}.PNG.png"])
    def test_folders(self, tmp_path, name):
        truth, guess = maps(0), maps(1)
        put(tmp_path / "truth", truth, name)
        put(tmp_path / "guess", guess)
        if "PNG" in name:
            put(tmp_path / "guess", guess, name)
            for k in range(3):
                (tmp_path / "guess" / f"{k}.png").unlink()
        found = vesica.evaluate_segmentation(tmp_path / "truth", tmp_path / "guess", threads=2)
        expected = vesica.evaluate_segmentation(list(truth), list(guess))
        assert dict(found.numbers) == dict(expected.numbers)
        assert [row["mIoU"] for row in found.per_image()] == [row["mIoU"] for row in expected.per_image()]

    def test_patterns_and_single_files(self, sides):
        folder, truth, guess = sides
        whole = vesica.evaluate_segmentation(f"{folder}/truth/*.png", f"{folder}/guess/*.png")
        assert whole["mIoU"] == vesica.evaluate_segmentation(list(truth), list(guess))["mIoU"]
        one = vesica.evaluate_segmentation(folder / "truth" / "0.png", folder / "guess" / "1.png")
        assert one["mIoU"] == vesica.evaluate_segmentation(truth[0], guess[1])["mIoU"]

    def test_names_that_differ_in_their_ends(self, tmp_path):
        put(tmp_path / "truth", maps(0), "aachen_{}_gtFine_labelIds.png")
        put(tmp_path / "guess", maps(1), "aachen_{}_leftImg8bit.png")
        files = pair_files(tmp_path / "truth", tmp_path / "guess")
        assert files.names == ["aachen_0", "aachen_1", "aachen_2"]
        assert "'_gtFine_labelIds' and '_leftImg8bit'" in files.note

    def test_one_file_each_is_not_paired_by_force(self, tmp_path):
        put(tmp_path / "truth", maps(0, 1), "a_{}_x.png")
        put(tmp_path / "guess", maps(1, 1), "b_{}_y.png")
        with pytest.raises(InputError, match="no partner"):
            pair_files(tmp_path / "truth", tmp_path / "guess")

    def test_stacks(self, tmp_path):
        truth, guess = maps(0), maps(1)
        np.save(tmp_path / "truth.npy", truth)
        np.save(tmp_path / "guess.npy", guess)
        rows = vesica.evaluate_segmentation(tmp_path / "truth.npy", tmp_path / "guess.npy").per_image()
        assert [row["image"] for row in rows] == ["truth[0]", "truth[1]", "truth[2]"]
        rows = vesica.evaluate_segmentation(tmp_path / "truth.npy", tmp_path / "guess.npy", volume=True).per_image()
        assert [row["image"] for row in rows] == ["truth"]


class TestKinds:
    def test_palettes_and_bits(self, tmp_path):
        labels = maps(0, 1)[0]
        image = Image.fromarray(labels, mode="P")
        image.putpalette(list(range(256)) * 3)
        image.save(tmp_path / "palette.png")
        assert np.array_equal(read_labels(tmp_path / "palette.png").array, labels)
        Image.fromarray(labels.astype(np.uint16) * 300).save(tmp_path / "deep.png")
        assert np.array_equal(read_labels(tmp_path / "deep.png").array, labels.astype(int) * 300)

    def test_cityscapes(self, tmp_path):
        ids = np.array([[7, 8, 0, 33], [24, 26, -1, 6]], np.int16)
        np.save(tmp_path / "a.npy", ids)
        assert read_labels(tmp_path / "a.npy", relabel=RELABEL["cityscapes"]).array.tolist() == [
            [0, 1, 255, 18],
            [11, 13, 255, 255],
        ]

    def test_a_label_that_the_table_lacks(self, sides):
        folder, *_ = sides
        with pytest.raises(InputError, match=r"0\.png has the label 0"):
            vesica.evaluate_segmentation(folder / "truth", folder / "guess", relabel={1: 1})

    def test_volumes(self, tmp_path):
        pytest.importorskip("nibabel")
        truth, guess = maps(0, 2, (6, 7, 8)), maps(1, 2, (6, 7, 8))
        put(tmp_path / "truth", truth, "{}.nii.gz")
        put(tmp_path / "guess", guess, "{}.nii.gz")
        found = vesica.evaluate_segmentation(tmp_path / "truth", tmp_path / "guess")
        expected = vesica.evaluate_segmentation(list(truth), list(guess), volume=True)
        assert dict(found.numbers) == dict(expected.numbers)
        surfaces = vesica.evaluate_surfaces(tmp_path / "truth", tmp_path / "guess", categories=[1, 2], tau=1)
        for row, t, g in zip(surfaces.per_image(), truth, guess, strict=True):
            own = [vesica.surface_distances(t == k, g == k, spacing=(0.7, 0.8, 5.0)) for k in (1, 2)]
            assert row["ASSD"] == pytest.approx(np.mean([one.assd for one in own]), rel=1e-6)
        assert surfaces.unit == "the unit of the spacing"

    def test_volumes_of_another_spacing(self, tmp_path):
        nibabel = pytest.importorskip("nibabel")
        for side, step in (("truth", 1.0), ("guess", 2.0)):
            (tmp_path / side).mkdir()
            nibabel.save(nibabel.Nifti1Image(maps(0)[0][None], np.eye(4) * step), tmp_path / side / "a.nii")
        with pytest.raises(InputError, match="one spacing"):
            vesica.evaluate_segmentation(tmp_path / "truth", tmp_path / "guess")


class TestSurfaces:
    def test_of_arrays(self):
        truth, guess = maps(0), maps(1)
        result = vesica.evaluate_surfaces(truth, guess, categories={1: "a", 3: "c"}, tau=[1, 2], percentile_of="pooled")
        cells = [[vesica.surface_distances(t == k, g == k) for k in (1, 3)] for t, g in zip(truth, guess, strict=True)]
        by_class = np.array([[one.hd(95, percentile_of="pooled") for one in row] for row in cells]).mean(axis=0)
        assert [row["HD95"] for row in result.per_class()] == pytest.approx(by_class.tolist())
        assert result["HD95"] == pytest.approx(by_class.mean())
        more = [f"{name}({tau})" for name in ("NSD", "boundary_F") for tau in (1, 2)]
        assert list(result) == ["HD", "HD95", "ASSD", "MASD", "ASD", *more]
        assert [row["status"] for row in result.per_cell()] == ["ok"] * 6
        assert [one.passed for one in result.gates("HD>=0", "NSD(1)[c]>=1.5")] == [True, False]

    def test_a_miss_makes_it_worse(self):
        truth = np.zeros((2, 8, 8), int)
        truth[:, 2:5, 2:5] = 1
        guess = truth.copy()
        perfect = vesica.evaluate_surfaces(truth, guess, categories=[1], tau=1)
        guess[1] = 0
        missed = vesica.evaluate_surfaces(truth, guess, categories=[1], tau=1)
        assert (perfect["HD95"], missed["HD95"]) == (0, np.hypot(8, 8) / 2)
        assert (perfect["NSD(1)"], missed["NSD(1)"]) == (1, 0.5)
        assert missed.notes[0].rule == "one_empty"

    def test_ignored_pixels_are_of_no_class(self):
        truth = np.zeros((8, 8), int)
        truth[2:5, 2:5] = 1
        truth[:, 6:] = 255
        guess = np.where(truth == 255, 1, truth)
        assert vesica.evaluate_surfaces(truth, guess, categories=[1])["HD"] > 0
        assert vesica.evaluate_surfaces(truth, guess, categories=[1], ignore=255)["HD"] == 0

    def test_a_class_nobody_drew_is_left_out(self):
        result = vesica.evaluate_surfaces([[1, 0]], [[1, 0]], categories=[1, 2])
        assert (result["HD"], result.per_class()[1]["HD"], result.per_class()[1]["both_empty"]) == (0, None, 1)

    def test_masks_of_classes_are_their_label_map(self):
        maps = np.array([[1, 1, 0, 2, 2, 2]]), np.array([[1, 1, 1, 2, 2, 2]])
        masks = (np.stack([one == label for label in (1, 2)])[None] for one in maps)
        assert dict(vesica.evaluate_surfaces(*masks, categories=[1, 2])) == dict(
            vesica.evaluate_surfaces(*maps, categories=[1, 2])
        )

    def test_scores_have_no_surfaces(self):
        scores = np.full((1, 2, 3, 3), 0.5)
        with pytest.raises(TypeError, match="are of booleans: truth > 0.5, guess > 0.5"):
            vesica.evaluate_surfaces(scores, scores, categories=[1])


WRONG = {
    "no partner": (lambda f: (f / "guess" / "2.png").unlink(), "1 of 3 files have no partner in .*guess: 2.png"),
    "another size": (lambda f: put(f / "guess", maps(1, 1, (9, 12))), r"\(9, 11\) and \(9, 12\)"),
    "colours": (
        lambda f: Image.fromarray(np.zeros((9, 11, 3), np.uint8)).save(f / "guess" / "0.png"),
        "one channel, grey or a palette",
    ),
    "cut": (
        lambda f: (f / "guess" / "0.png").write_bytes((f / "guess" / "0.png").read_bytes()[:50]),
        r"0\.png is no PNG",
    ),
    "jpeg": (lambda f: Image.fromarray(maps(0)[0]).save(f / "guess" / "0.jpg"), "changes values"),
    "two of a name": (lambda f: np.save(f / "guess" / "0.npy", maps(0)[0]), "the same name, '0'"),
    "empty folder": (lambda f: [one.unlink() for one in (f / "guess").iterdir()], "has no label maps"),
    "floats": (
        lambda f: [(f / "guess" / "0.png").unlink(), np.save(f / "guess" / "0.npy", np.full((9, 11), 0.5))],
        "whole numbers",
    ),
}


@pytest.mark.parametrize("fault", WRONG)
def test_wrong_files(sides, fault, capsys):
    folder, *_ = sides
    make, words = WRONG[fault]
    make(folder)
    with pytest.raises(InputError, match=words):
        vesica.evaluate_segmentation(folder / "truth", folder / "guess")
    assert main(["seg", str(folder / "truth"), str(folder / "guess")]) == 3
    assert capsys.readouterr().out == ""


def test_a_place_that_is_not_there(sides):
    folder, *_ = sides
    with pytest.raises(InputError, match="no such file or folder"):
        vesica.evaluate_segmentation(folder / "truth", folder / "nothing")


def test_wrong_calls(sides):
    folder, truth, _ = sides
    with pytest.raises(TypeError, match="both be paths"):
        vesica.evaluate_segmentation(folder / "truth", truth)
    with pytest.raises(TypeError, match="relabel"):
        vesica.evaluate_segmentation(truth, truth, relabel="cityscapes")
    with pytest.raises(ValueError, match="cityscapes"):
        vesica.evaluate_segmentation(folder / "truth", folder / "guess", relabel="citiscapes")
    with pytest.raises(TypeError, match="images"):
        vesica.evaluate_segmentation(folder / "truth", folder / "guess", images=[1, 2, 3])


class TestCommandLine:
    def test_json(self, sides, capsys):
        folder, truth, guess = sides
        (folder / "names.txt").write_text("road\nsky\ncar\ntree\n")
        words = ["seg", str(folder / "truth"), str(folder / "guess"), "--json", "--quiet"]
        more = ["--classes", str(folder / "names.txt"), "--per-image", "--spread", "--surface", "--tau", "1,2"]
        assert main([*words, *more, "--background", "0", "--gate", "mIoU>=0.9"]) == 1
        facts = json.loads(capsys.readouterr().out)
        expected = vesica.evaluate_segmentation(truth, guess, categories=["road", "sky", "car", "tree"], background=0)
        assert facts["summary"] == expected.numbers
        assert [row["category"] for row in facts["classes"]] == ["road", "sky", "car", "tree"]
        assert sorted(row["image"] for row in facts["by_images"]) == ["0", "1", "2"]
        assert [row["category"] for row in facts["surfaces"]["classes"]] == ["sky", "car", "tree"]
        assert "NSD(2)" in facts["surfaces"]["summary"]
        assert facts["spread"][0]["like"] == "vesica"
        assert facts["gates"][0]["passed"] is False

    def test_tables(self, sides, capsys):
        folder, *_ = sides
        words = ["seg", f"{folder}/truth", f"{folder}/guess", "--per-class", "--per-image", "--surface", "--spread"]
        assert main([*words, "--gate", "mIoU>=0.01", "--gate", "IoU[2]>=0", "--gate", "HD95<=1000"]) == 0
        told = capsys.readouterr()
        for part in ("mIoU", "category", "HD95", "both empty", "passed  IoU[2]>=0", "image"):
            assert part in told.out
        assert "3 pairs of label maps" in told.err

    @pytest.mark.parametrize("more", [[], ["--json"]])
    def test_each_thing_is_done_once(self, sides, monkeypatch, capsys, more):
        """Files are decoded once, and the spread is asked for once, whatever is told of them."""
        from vesica.io import label_files
        from vesica.segmentation import spread

        folder, *_ = sides
        decoded, spreads = [], []
        read, made = label_files.read_labels, spread.spread_of
        monkeypatch.setattr(label_files, "read_labels", lambda path, **how: decoded.append(path) or read(path, **how))
        monkeypatch.setattr(spread, "spread_of", lambda result: spreads.append(1) or made(result))
        words = ["seg", f"{folder}/truth", f"{folder}/guess", "--surface", "--tau", "1", "--cldice", "--boundary", "2%"]
        assert main([*words, "--spread", "--per-class", *more]) == 0
        assert "clDice" in capsys.readouterr().out
        assert len(decoded) == len(set(decoded)) == 6 and len(spreads) == 1

    def test_surfaces_of_labels_that_images_lack(self, sides, capsys):
        """Which labels there are is known when all files are read: images without one have it on neither side."""
        folder, truth, guess = sides
        truth[0][truth[0] == 3], guess[0][guess[0] == 3] = 0, 0
        put(folder / "truth", truth)
        put(folder / "guess", guess)
        assert main(["seg", f"{folder}/truth", f"{folder}/guess", "--surface", "--json", "--boundary", "1"]) == 0
        facts = json.loads(capsys.readouterr().out)["surfaces"]
        want = vesica.evaluate_surfaces(list(truth), list(guess), categories=[0, 1, 2, 3], boundary=1)
        assert facts["summary"] == want.numbers and facts["classes"][3]["both_empty"] == 1

    def test_groups(self, sides, capsys):
        folder, truth, guess = sides
        (folder / "groups.json").write_text('{"0": "ann", "1": "ben", "2": "ann"}')
        words = ["seg", f"{folder}/truth", f"{folder}/guess", "--groups", f"{folder}/groups.json"]
        assert main([*words, "--surface"]) == 0
        assert "ann" in capsys.readouterr().out
        assert main([*words, "--json"]) == 0
        facts = json.loads(capsys.readouterr().out)
        want = vesica.evaluate_segmentation(truth, guess, groups=["ann", "ben", "ann"])
        assert facts["by_groups"] == want.per_group()
        by_name = {"0": "ann", "1": "ben", "2": "ann"}
        found = vesica.evaluate_segmentation(folder / "truth", folder / "guess", groups=by_name)
        assert found.per_group() == want.per_group()
        surfaces = vesica.evaluate_surfaces(folder / "truth", folder / "guess", categories=[1], groups=by_name)
        assert [row["images"] for row in surfaces.per_group()] == [2, 1]

    def test_groups_that_say_nothing(self, sides, capsys):
        folder, *_ = sides
        (folder / "groups.json").write_text('["ann", "ben"]')
        words = ["seg", f"{folder}/truth", f"{folder}/guess", "--groups", f"{folder}/groups.json"]
        assert main(words) == 3
        assert "must be an object of name" in capsys.readouterr().err
        (folder / "groups.json").write_text('{"0": "ann"}')
        assert main(words) == 3
        assert "none for '1'" in capsys.readouterr().err

    @pytest.mark.skipif(os.name != "posix", reason="pipes of POSIX")
    @pytest.mark.parametrize(("bound", "code"), [("mIoU>=0", 0), ("mIoU>=0.99", 1)])
    @pytest.mark.parametrize("more", [[], ["--json"]])
    def test_a_gate_behind_a_pipe(self, sides, bound, code, more):
        """Whoever reads has closed the pipe: what the gate says stays."""
        folder, *_ = sides
        reading, writing = os.pipe()
        os.close(reading)
        command = [sys.executable, "-m", "vesica", "seg", f"{folder}/truth", f"{folder}/guess", "--quiet"]
        done = subprocess.run([*command, "--gate", bound, *more], stdout=writing, stderr=subprocess.PIPE, check=False)
        os.close(writing)
        assert (done.returncode, done.stderr) == (code, b"")

    def test_like_and_map(self, sides, capsys):
        folder, truth, guess = sides
        (folder / "map.json").write_text('{"0": 0, "1": 1, "2": 1, "3": 255}')
        words = ["seg", f"{folder}/truth", f"{folder}/guess", "--json", "--map", f"{folder}/map.json"]
        assert main([*words, "--ignore", "255", "--like", "mmseg"]) == 0
        facts = json.loads(capsys.readouterr().out)
        table = np.array([0, 1, 1, 255])
        expected = vesica.evaluate_segmentation(table[truth], table[guess], ignore=255, like="mmseg")
        assert facts["summary"] == expected.numbers

    @pytest.mark.parametrize(
        "words",
        [
            ["--like", "nobody"],
            ["--ignore", "a"],
            ["--tau", "1"],
            ["--boundary", "2%"],
            ["--cldice"],
            ["--surface", "--boundary", "0"],
            ["--surface", "--boundary", "two"],
            ["--crowd", "sometimes"],
            ["--gate", "mIoU"],
            ["--gate", "AP>=0"],
            ["--threads", "0"],
            ["--like", "monai", "--average", "totals"],
        ],
    )
    def test_usage(self, sides, words, capsys):
        folder, *_ = sides
        with pytest.raises(SystemExit) as left:
            main(["seg", f"{folder}/truth", f"{folder}/guess", *words])
        assert left.value.code == 2
        assert capsys.readouterr().out == ""

    def test_classes(self, sides, capsys):
        folder, *_ = sides
        words = ["seg", f"{folder}/truth", f"{folder}/guess", "--json", "--classes"]
        assert main([*words, "4"]) == 0
        assert main([*words, "a,b,c,d"]) == 0
        assert main([*words, "3"]) == 3
        assert "label 3" in capsys.readouterr().out
        (folder / "names.txt").write_text("road\n\ncar\n")
        assert main([*words, f"{folder}/names.txt"]) == 3
        assert "line 2 is empty" in capsys.readouterr().out
