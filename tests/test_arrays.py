"""Tables in files: what is read, what stays an integer, what is refused and how."""

import gzip
import io
import sys
import warnings
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vesica
from vesica import InputError
from vesica.cli import main
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
    ("a.csv", "# boxes\n\nx1,y1,x2,y2\n0,0,4,4\n", [[0, 0, 4, 4]], "int64"),
    ("a.csv", '"x1","y1","x2","y2"\n"0","0","4","4.5"\n', [[0, 0, 4, 4.5]], "float64"),
    ("a.csv", "0,\t0,\t4,\t4\n 6, 6 ,8,8\n", [[0, 0, 4, 4], [6, 6, 8, 8]], "int64"),
    ("a.csv", "0 0  4 1e-99999999999999999999999\n", [[0, 0, 4, 0]], "float64"),
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
    ("a.csv", b"1,\xff", "is not text: byte 2 is not UTF-8"),
    ("a.csv", b"\xff\xfe1,2", "is written in UTF-16; save it as UTF-8"),
    ("a.csv", "0,0,4,4O\n0,0,4,4\n", r"line 1: '4O' is not a number\. A header has no number in it"),
    ("a.csv", "# c\n\n0 0 4 x\n", r"line 3: 'x' is not a number\. A header has no number in it"),
    ("a.csv", "x1,y1,x2,y2\na,b,c,d\n", r"line 2: 'a' is not a number\.$"),
    ("a.csv", "0,0,4,4 # first\n", "line 1: '4 # first' is not a number"),
    ("a.csv", "0,,4,4,9\n", r"line 1: cell 2 is empty\. Write a number, or take the separator away"),
    ("a.csv", "0,0,4,4\n0,0,4,\n", "line 2: cell 4 is empty"),
    ("a.csv", "0,0,4,4,\n", "line 1: cell 5 is empty"),
    ("a.csv", "0,0,4,4\n,,,\n", "line 2: cell 1 is empty"),
    ("a.csv", "0\t\t4\t4\t9\n", "line 1: cell 2 is empty"),
    ("a.csv", '0,"",4,4,9\n', "line 1: cell 2 is empty"),
    ("a.csv", ",x1,y1,x2,y2\n0,0,0,4,4\n", "line 1: cell 1 is empty. A header names every column; .*without index"),
    ("a.csv", "0;0;4,5;4\n", "line 1: '4,5' is not a number"),
    ("a.csv", "0,0,4 4,4\n", "line 1: '4 4' is not a number"),
    ("a.csv", "0,0,4,1_0\n", "line 1: '1_0' is not a number"),
    ("a.csv", "0,0,4,\u0664\n", "line 1: '\u0664' is not a number"),
    ("a.csv", "0,0,4,--4\n", "line 1: '--4' is not a number"),
    ("a.csv", "0,0,4,0x10\n", "line 1: '0x10' is not a number"),
    ("a.csv", f"0,0,4,{'9' * 5000}\n", "line 1: a number must have at most 1,000 characters; got 5,000"),
    ("a.csv", f"0,0,4,{'9' * 900}\n", "a whole number beyond 64 bits"),
    ("a.json", f"[[0, 0, 4, {'9' * 5000}]]", "a whole number has more than 4,300 digits"),
    ("a.json", "[" * 900 + "]" * 900, "is nested deeper than 32 lists"),
    ("a.json", b'[[0, 0, 4, "\xff"]]', "is no JSON: byte 12 is not UTF-8"),
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


def bomb(bytes_, *, entries=1, **more):
    """Zeros, packed about a thousand to one."""
    return npz(**{f"a{k}": np.zeros(bytes_ // entries, np.uint8) for k in range(entries)}, **more)


class TestArchives:
    """What is packed may become 200 times its size, beyond the first 16 MiB."""

    def test_one_array(self, tmp_path):
        with pytest.raises(InputError, match=r"a\.npz expands more than 200:1 above 16 MiB, .*save it unpacked"):
            read(saved(tmp_path, "a.npz", bomb(20 << 20)))

    def test_the_named_one_counts(self, tmp_path):
        path = saved(tmp_path, "a.npz", bomb(20 << 20, small=np.zeros(4)))
        assert read(f"{path}:small").shape == (4,)
        with pytest.raises(InputError, match="expands more than 200:1"):
            read(f"{path}:a0")

    def test_all_of_many(self, tmp_path):
        """Each of them is small; a data set has them all."""
        path = saved(tmp_path, "a.npz", bomb(20 << 20, entries=4))
        assert read(f"{path}:a3").shape == (5 << 20,)
        with pytest.raises(InputError, match="expands more than 200:1"):
            vesica.read(path)

    def test_small(self, tmp_path):
        assert read(saved(tmp_path, "a.npz", bomb(15 << 20))).shape == (15 << 20,)

    def test_hardly_packed(self, tmp_path):
        array = np.arange(3 << 20)
        buffer = io.BytesIO()
        np.savez(buffer, array)
        assert np.array_equal(read(saved(tmp_path, "a.npz", buffer.getvalue())), array)

    @pytest.mark.parametrize("command", [["iou", "a.npz", "a.npz"], ["nms", "a.npz"], ["convert", "a.npz", "o.csv"]])
    def test_every_verb(self, tmp_path, monkeypatch, capsys, command):
        monkeypatch.chdir(tmp_path)
        saved(tmp_path, "a.npz", bomb(20 << 20))
        assert main(command) == 3 and "expands more than 200:1" in capsys.readouterr().err

    @pytest.mark.parametrize("ending", [".json.gz", ".csv.gz"])
    def test_gzip(self, tmp_path, ending):
        with pytest.raises(InputError, match="expands more than 200:1"):
            read(saved(tmp_path, f"a{ending}", gzip.compress(b" " * (20 << 20))))

    def test_two_of_one_name(self, tmp_path):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as made:
            for value in (1, 2):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    made.writestr("a.npy", npy(np.full((1, 4), value)))
        with pytest.raises(InputError, match="has two files of one name"):
            read(saved(tmp_path, "a.npz", buffer.getvalue()))

    def test_entries_of_no_bytes(self, tmp_path):
        """Their number costs nothing in the file, and a list of them would fill the memory."""
        content = npy(np.zeros(3, "U1")).replace(b"<U1", b"<U0").replace(b"(3,)" + b" " * 9, b"(10000000000,)"[:13])
        with pytest.raises(InputError, match="its [0-9,]+ entries have no bytes"):
            read(saved(tmp_path, "a.npy", content))

    @pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
    def test_no_room_is_made(self, tmp_path, version):
        """In whichever version of the format a header promises more than there is."""
        whole = io.BytesIO()
        np.lib.format.write_array(whole, np.zeros(3), version=version)
        content = whole.getvalue().replace(b"(3,), }" + b" " * 12, b"(9999999999999,), }"[:19])
        assert content != whole.getvalue() and len(content) == len(whole.getvalue())
        with pytest.raises(InputError, match="it speaks of [0-9,]+ bytes, and has"):
            read(saved(tmp_path, "a.npy", content))


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
