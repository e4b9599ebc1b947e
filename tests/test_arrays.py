"""Tables in files: what is read, what stays an integer, what is refused and how."""

import io
import sys
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vesica import InputError
from vesica.io.arrays import read, write


def saved(folder, name, content):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(path)


def npy(array):
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


def npz(*arrays, **named):
    buffer = io.BytesIO()
    np.savez_compressed(buffer, *arrays, **named)
    return buffer.getvalue()


READ = [
    ("a.csv", "0,0,4,4\n6,6,8,8\n", [[0, 0, 4, 4], [6, 6, 8, 8]], "int64"),
    ("a.csv", "x1,y1,x2,y2\n0,0,4,4.5\n", [[0, 0, 4, 4.5]], "float64"),
    ("a.csv", "0;0;4;4\r\n\r\n# a comment\r\n1\t2\t3\t4\r\n", [[0, 0, 4, 4], [1, 2, 3, 4]], "int64"),
    ("a.csv", "\ufeff1e3 0 2e3 nan\n", [[1000, 0, 2000, np.nan]], "float64"),
    ("a.txt", "1 2 3 4", [[1, 2, 3, 4]], "int64"),
    ("a.json", "[[0, 0, 4, 4], [1, 1, 2, 2.0]]", [[0, 0, 4, 4], [1, 1, 2, 2]], "float64"),
    ("a.json", '{"boxes": [[1, 2, 3, 4]]}', [[1, 2, 3, 4]], "int64"),
    ("a.json", "[[9007199254740993, 0, 0, 0]]", [[9007199254740993, 0, 0, 0]], "int64"),
    ("a.npy", npy(np.float32([[1, 2, 3, 4]])), [[1, 2, 3, 4]], "float32"),
    ("a.npz", npz(np.float32([[1, 2, 3, 4]])), [[1, 2, 3, 4]], "float32"),
    ("a.npz", npz(masks=np.ones((1, 2, 2), bool)), [[[1, 1], [1, 1]]], "bool"),
    ("no_ending", npz(np.float32([[1, 2, 3, 4]])), [[1, 2, 3, 4]], "float32"),
    ("no_ending", npy(np.float32([[1, 2, 3, 4]])), [[1, 2, 3, 4]], "float32"),
]


class TestRead:
    @pytest.mark.parametrize("name, content, want, dtype", READ)
    def test_value(self, tmp_path, name, content, want, dtype):
        table = read(saved(tmp_path, name, content))
        assert table.dtype == dtype and np.array_equal(table, np.array(want), equal_nan=dtype == "float64")

    @pytest.mark.parametrize("name, content", [("a.csv", ""), ("a.csv", "x1,y1,x2,y2\n"), ("a.json", "[]")])
    def test_empty(self, tmp_path, name, content):
        assert read(saved(tmp_path, name, content)).shape == (0,)

    def test_named(self, tmp_path):
        path = saved(tmp_path, "a.npz", npz(**{"a": np.zeros(1), "b:c": np.ones((2, 4)), "d/e": np.zeros(3)}))
        assert read(f"{path}:a").shape == (1,) and read(f"{path}:b:c").shape == (2, 4)
        assert read(f"{path}:d/e").shape == (3,)

    def test_a_colon_in_the_name_of_a_file(self, tmp_path):
        assert read(saved(tmp_path, "a.npz:b", npz(np.zeros(5)))).shape == (5,)

    @pytest.mark.parametrize("content", [b"[[1, 2, 3, 4]]", b"1,2,3,4", npy(np.int64([[1, 2, 3, 4]]))])
    def test_standard_input(self, monkeypatch, content):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        assert read("-").tolist() == [[1, 2, 3, 4]]


def archive(name, content):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as made:
        made.writestr(name, content)
    return buffer.getvalue()


# A header that promises more than any memory holds.
HUGE = npy(np.zeros((3, 4))).replace(b"(3, 4), }" + b" " * 13, b"(" + b"9" * 15 + b", 4), }")

REFUSED = [
    ("a.csv", "0,0,4,4\n1,2,3\n", "line 2: 3 columns, but the lines above have 4"),
    ("a.csv", "0,0,4,4\n1,2,x,3\n", "line 2: 'x' is not a number"),
    ("a.csv", b"\xff\xfe1,2", "is not text: byte 0 is not UTF-8"),
    ("a.csv", "99999999999999999999999,0,0,0", "a whole number beyond 64 bits"),
    ("a.json", "[[1, 2", "is no JSON"),
    ("a.json", "[" * 100_000, "is no JSON"),
    ("a.json", '{"rows": []}', 'has no "boxes"'),
    ("a.json", '[["1", 2, 3, 4]]', "is no table of numbers"),
    ("a.json", "[[1, 2, 3, 4], [1, 2]]", "rows of different lengths"),
    ("a.json", "[[true, 2, 3, 4]]", "is no table of numbers"),
    ("a.npy", b"\x93NUMPY", "is no .npy file"),
    ("a.npy", HUGE, "is no .npy file"),
    ("a.npz", b"PK\x03\x04", "is no .npz archive"),
    ("a.npz", npy(np.zeros(3)), r"is a single array, whose name should end in \.npy"),
    ("a.npz", npz(), r"must have one array; it has 0: none\.$"),
    ("a.npz", npz(a=np.zeros(1), b=np.zeros(1)), r"it has 2: a, b\. Name one: .*a\.npz:a\.$"),
    ("a.npz", npz(a=np.array([None])), "is no .npz archive of numbers"),
    ("a.npz", archive("a.npy", HUGE), "is no .npz archive of numbers"),
    ("a.npz", archive("a.txt", b"words"), "something else than an array"),
    ("a.png", b"\x89PNG", "is a picture"),
    ("a.npy", npy(np.array([[None]], object)), "is no .npy file of numbers"),
]


class TestRefused:
    @pytest.mark.parametrize("name, content, message", REFUSED)
    def test_message(self, tmp_path, name, content, message):
        with pytest.raises(InputError, match=message):
            read(saved(tmp_path, name, content))

    def test_archive(self, tmp_path):
        buffer = io.BytesIO()
        np.savez(buffer, a=np.zeros(3))
        with pytest.raises(InputError, match="an archive of several arrays"):
            read(saved(tmp_path, "a.npy", buffer.getvalue()))

    def test_absent(self):
        with pytest.raises(InputError, match=r"nowhere\.csv cannot be read: No such file"):
            read("nowhere.csv")


class TestWrite:
    @pytest.mark.parametrize("ending", ["npy", "csv", "json"])
    def test_round_trip(self, tmp_path, ending):
        table = np.array([[0.1, 1 / 3], [2.0, 1e-300]])
        path = str(tmp_path / f"a.{ending}")
        write(path, table)
        assert np.array_equal(read(path), table)

    def test_unknown_ending(self, tmp_path):
        with pytest.raises(InputError, match=r"the ending must be one of \.npy, \.csv, \.json"):
            write(str(tmp_path / "a.xlsx"), np.zeros((1, 4)))

    def test_no_folder(self, tmp_path):
        with pytest.raises(InputError, match="cannot be written: No such file"):
            write(str(tmp_path / "none" / "a.csv"), np.zeros((1, 4)))


class TestBroken:
    @given(st.data())
    def test_an_archive_is_read_or_refused(self, tmp_path_factory, data):
        """Cut or changed anywhere, an archive gives an array or an error that names it."""
        whole = npz(np.arange(12).reshape(3, 4))
        place = data.draw(st.integers(0, len(whole) - 1))
        byte = data.draw(st.integers(0, 255))
        content = data.draw(st.sampled_from([whole[:place], whole[:place] + bytes([byte]) + whole[place + 1 :]]))
        path = saved(tmp_path_factory.getbasetemp(), "broken.npz", content)
        try:
            told = read(path).shape
        except InputError as error:
            told = str(error)
        assert isinstance(told, tuple) or "broken.npz" in told
