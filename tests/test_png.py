"""PNG label maps: stored values are labels, whatever their depth and colours."""

import builtins
import io
import json
import re
import struct
import sys
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

import vesica
from vesica import InputError, LabelMap, MissingExtra
from vesica.cli import main
from vesica.io.files import File, load
from vesica.io.png import labels_of

TRUTH = np.uint8([[1, 1, 0], [1, 2, 2], [0, 2, 2]])
GUESS = np.uint8([[1, 1, 0], [0, 2, 2], [0, 3, 2]])


def png(array, depth, colour_type, *, palette=b"", extra=b""):
    """A PNG written by hand, chunk by chunk: depth and type as the format numbers them."""

    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    def packed(row):
        if depth == 16:
            return row.astype(">u2").tobytes()
        bits = (row[:, None] >> np.arange(depth - 1, -1, -1)) & 1
        return np.packbits(bits.astype(np.uint8)).tobytes()

    height, width = array.shape
    header = struct.pack(">IIBBBBB", width, height, depth, colour_type, 0, 0, 0)
    rows = b"".join(b"\0" + packed(row) for row in array)
    colours = chunk(b"PLTE", palette) if palette else b""
    body = chunk(b"IHDR", header) + extra + colours + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def saved(image):
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


def labels(data):
    return labels_of(File("map.png", data, "png"))


GREY, PALETTE = 0, 3


class TestLabels:
    @pytest.mark.parametrize(
        "depth, colour_type", [*((depth, GREY) for depth in (1, 2, 4, 8, 16)), *((d, PALETTE) for d in (1, 2, 4, 8))]
    )
    def test_every_depth_keeps_its_values(self, depth, colour_type):
        values = np.arange(2**depth, dtype=np.int64).reshape(-1, 2) if depth < 16 else np.arange(2**16).reshape(256, -1)
        palette = bytes(range(255, -1, -1)) * 3 if colour_type == PALETTE else b""
        found = labels(png(values, depth, colour_type, palette=palette[: 3 * 2**depth]))
        assert found.shape == values.shape and np.array_equal(found, values)

    def test_colours_of_a_palette_do_not_matter(self):
        image = Image.fromarray(TRUTH).convert("P")
        image.putdata(TRUTH.ravel().tolist())
        image.putpalette([200, 10, 10] * 256)  # one colour for all
        assert np.array_equal(labels(saved(image)), TRUTH)

    @pytest.mark.parametrize("dtype, values", [(np.uint8, [0, 255]), (np.uint16, [0, 65535]), (bool, [False, True])])
    def test_as_pillow_writes_them(self, dtype, values):
        stored = np.array([values], dtype)
        assert np.array_equal(labels(saved(Image.fromarray(stored))), stored)

    @pytest.mark.parametrize("mode", ["RGB", "RGBA", "LA"])
    def test_channels(self, mode):
        with pytest.raises(InputError, match=f"map.png must have one channel, grey or a palette.*; it is {mode}."):
            labels(saved(Image.new(mode, (2, 2))))

    def test_other_pictures(self):
        buffer = io.BytesIO()
        Image.new("L", (2, 2)).save(buffer, "GIF")
        with pytest.raises(InputError, match="map.png is no PNG that can be read"):
            labels(buffer.getvalue())

    def test_too_large_a_picture(self):
        header = struct.pack(">IIBBBBB", 1 << 20, 1 << 20, 8, 0, 0, 0, 0)
        chunk = b"IHDR" + header
        data = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + chunk + struct.pack(">I", zlib.crc32(chunk))
        with pytest.raises(InputError, match="map.png is larger than Pillow reads"):
            labels(data + struct.pack(">I", 0) + b"IDAT" + struct.pack(">I", zlib.crc32(b"IDAT")))

    @given(st.data())
    def test_broken(self, data):
        """Cut or changed anywhere, a picture gives labels or an error that names the file."""
        whole = saved(Image.fromarray(np.arange(60, dtype=np.uint8).reshape(6, 10)))
        place = data.draw(st.integers(0, len(whole) - 1))
        byte = data.draw(st.integers(0, 255))
        content = data.draw(st.sampled_from([whole[:place], whole[:place] + bytes([byte]) + whole[place + 1 :]]))
        try:
            told = labels(content).shape
        except InputError as error:
            told = str(error)
        assert len(told) == 2 or "map.png" in told

    def test_without_pillow(self, monkeypatch):
        find = builtins.__import__

        def without(name, *rest):
            if name.partition(".")[0] == "PIL":
                raise ImportError(name)
            return find(name, *rest)

        monkeypatch.setattr(builtins, "__import__", without)
        with pytest.raises(MissingExtra, match=r'need Pillow: pip install "vesica\[all\]"'):
            labels(b"")


@pytest.fixture
def maps(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, array in (("truth", TRUTH), ("guess", GUESS), ("wide", np.zeros((3, 4), np.uint8))):
        Image.fromarray(array).save(f"{name}.png")
    Image.fromarray(np.where(TRUTH == 2, 1000, TRUTH.astype(np.uint16))).save("deep.png")
    Image.new("RGB", (3, 3)).save("colours.png")
    return tmp_path


def run(capsys, *words):
    try:
        code = main(["iou", *words])
    except SystemExit as leaving:
        code = leaving.code
    out, err = capsys.readouterr()
    return code, out, err


class TestCommand:
    def test_matrix(self, maps, capsys):
        want = "0.6666666666666666,0.0,0.0\n0.0,0.75,0.25\n"
        assert run(capsys, "truth.png", "guess.png") == (0, want, "")
        assert run(capsys, "deep.png", "guess.png") == (0, want, "")

    def test_json_names_the_labels(self, maps, capsys):
        answer = json.loads(run(capsys, "deep.png", "guess.png", "--json")[1])
        assert answer["ids_a"] == [1, 1000] and answer["ids_b"] == [1, 2, 3] and answer["shape"] == [2, 3]
        answer = json.loads(run(capsys, "deep.png", "guess.png", "--at-least", "0.5", "--json")[1])
        assert answer["ids_a"] == [1, 1000] and (answer["i"], answer["j"]) == ([0, 1], [0, 1])

    def test_background(self, maps, capsys):
        answer = json.loads(run(capsys, "truth.png", "guess.png", "--background", "none", "--json")[1])
        assert answer["ids_a"] == [0, 1, 2] and answer["values"][0] == [2 / 3, 0.0, 0.0, 0.0]
        answer = json.loads(run(capsys, "truth.png", "guess.png", "--background", "2", "--json")[1])
        assert answer["ids_a"] == [0, 1] and answer["ids_b"] == [0, 1, 3]

    def test_aligned_is_label_with_label(self, maps, capsys):
        answer = json.loads(run(capsys, "truth.png", "guess.png", "--aligned", "--json")[1])
        assert answer["ids_a"] == answer["ids_b"] == [1, 2, 3] and answer["values"] == [2 / 3, 0.75, 0.0]

    def test_labels_are_masks_for_boxes_and_masks(self, maps, capsys):
        (maps / "boxes.csv").write_text("0,0,2,2\n1,1,3,3\n")
        masks = LabelMap(TRUTH).to_masks()
        np.save("masks.npy", masks.array)
        want = vesica.iou(masks, [[0, 0, 2, 2], [1, 1, 3, 3]])
        answer = json.loads(run(capsys, "truth.png", "boxes.csv", "--json")[1])
        assert answer["values"] == want.tolist()
        answer = json.loads(run(capsys, "boxes.csv", "truth.png", "--json")[1])
        assert answer["values"] == want.T.tolist()
        assert (
            json.loads(run(capsys, "truth.png", "masks.npy", "--json")[1])["values"]
            == vesica.iou(masks, masks).tolist()
        )

    def test_ignore(self, maps, capsys):
        answer = json.loads(run(capsys, "truth.png", "guess.png", "--ignore", "1", "--json")[1])
        assert answer["ids_a"] == [2] and answer["ids_b"] == [2, 3] and answer["values"] == [[0.75, 0.25]]
        answer = json.loads(run(capsys, "truth.png", "guess.png", "--ignore", "3", "--json")[1])
        assert answer["ids_b"] == [1, 2] and answer["values"] == [[2 / 3, 0.0], [0.0, 1.0]]

    def test_equals_the_library(self, maps, capsys):
        answer = json.loads(run(capsys, "truth.png", "guess.png", "--measure", "dice", "--json")[1])
        assert answer["values"] == vesica.dice(LabelMap(TRUTH), LabelMap(GUESS)).tolist()

    def test_output(self, maps, capsys):
        assert run(capsys, "truth.png", "guess.png", "-o", "out.npy") == (0, "", "")
        assert np.load("out.npy").tolist() == [[2 / 3, 0.0, 0.0], [0.0, 0.75, 0.25]]

    def test_standard_input(self, maps, capsys, monkeypatch):
        data = io.TextIOWrapper(io.BytesIO((maps / "guess.png").read_bytes()))
        monkeypatch.setattr(sys, "stdin", data)
        assert run(capsys, "truth.png", "-")[1].count("\n") == 2

    def test_name_without_ending(self, maps):
        (maps / "guess.png").rename(maps / "guess")
        assert load("guess").kind == "png"

    def test_sizes_differ(self, maps, capsys):
        code, _, err = run(capsys, "truth.png", "wide.png")
        assert code == 3 and re.search(r"3\D+3\D+3\D+4", err)

    def test_colours(self, maps, capsys):
        code, _, err = run(capsys, "truth.png", "colours.png")
        assert code == 3 and "colours.png must have one channel" in err

    def test_missing_extra(self, maps, capsys, monkeypatch):
        monkeypatch.setitem(sys.modules, "PIL", None)
        code, _, err = run(capsys, "truth.png", "guess.png")
        assert code == 2 and 'pip install "vesica[all]"' in err
