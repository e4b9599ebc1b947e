"""Containers: what goes in comes out, and whatever happens to the bytes on the way is seen."""

import json
import struct
import zlib

import numpy as np
import pytest

from vesica.errors import InputError
from vesica.results.container import Kind, column_of, from_bytes, listed, opened, to_bytes

COUNTS = Kind("counts", b"VESICA counts\n", version=3)
COLUMNS = {"n": np.arange(6, dtype=np.int32).reshape(2, 3), "share": np.array([0.5, np.nan]), "none": np.empty((0, 4))}


def made(header=None, columns=COLUMNS):
    return to_bytes(COUNTS, {"who": "é", "images": [1, 2]} if header is None else header, columns)


class TestBytes:
    def test_layout(self):
        """Read by hand: magic, then blocks of length, checksum and content, the header first."""
        data, at, blocks = made(), len(COUNTS.magic), []
        assert data.startswith(COUNTS.magic)
        while at < len(data):
            length, checksum = struct.unpack_from("<QI", data, at)
            blocks.append(data[at + 12 : at + 12 + length])
            assert zlib.crc32(blocks[-1]) == checksum
            at += 12 + length
        listed = [["n", "<i4", [2, 3]], ["share", "<f8", [2]], ["none", "<f8", [0, 4]]]
        assert json.loads(blocks[0]) == {"who": "é", "images": [1, 2], "version": 3, "columns": listed}
        assert blocks[1:] == [column.tobytes() for column in COLUMNS.values()]

    def test_round_trip(self):
        header, columns = from_bytes(COUNTS, made())
        assert header["who"] == "é" and columns.keys() == COLUMNS.keys()
        for name, column in COLUMNS.items():
            assert columns[name].dtype == column.dtype and columns[name].shape == column.shape
            assert columns[name].tobytes() == column.tobytes()

    def test_equal_bytes(self):
        """Neither the order of the header's keys nor the memory of a column matters."""
        turned = {**COLUMNS, "n": np.asfortranarray(COLUMNS["n"])}
        assert made({"images": [1, 2], "who": "é"}, turned) == made()

    def test_every_flipped_bit_and_every_length(self):
        data = made()
        for at in range(len(data)):
            damaged = bytearray(data)
            damaged[at] ^= 1 << (at % 8)
            for broken in (bytes(damaged), data[:at]):
                with pytest.raises(InputError):
                    from_bytes(COUNTS, broken)

    def test_every_flipped_bit_of_what_is_opened(self):
        """All but the last column, whose checksums are for the caller to look at."""
        data = made(columns={name: COLUMNS[name] for name in ("none", "n", "share")})
        begin = opened(COUNTS, lambda at, count: data[at : at + count]).begin
        for at in range(begin - 12):
            damaged = bytearray(data)
            damaged[at] ^= 1 << (at % 8)
            with pytest.raises(InputError):
                opened(COUNTS, lambda at, count, damaged=damaged: bytes(damaged[at : at + count]))

    @pytest.mark.parametrize(
        "kind, message",
        [
            (COUNTS._replace(magic=b"VESICA records\n"), "These bytes are no counts of vesica"),
            (COUNTS._replace(version=4), "These counts have format 3; this version of vesica reads format 4"),
        ],
    )
    def test_another_kind(self, kind, message):
        with pytest.raises(InputError, match=message):
            from_bytes(kind, made())

    def test_a_header_that_does_not_fit(self):
        block = made()[len(COUNTS.magic) :]
        with pytest.raises(InputError, match="These counts cannot be read"):
            from_bytes(COUNTS, COUNTS.magic + block + b"\0" * 12)
        with pytest.raises(InputError, match="These counts end in the middle"):
            from_bytes(COUNTS, COUNTS.magic + block + b"\0")


@pytest.mark.parametrize("name", [1.5, None, True, 7])
def test_names_of_columns_are_texts(name):
    data = to_bytes(COUNTS, {}, {name: np.arange(3)})
    with pytest.raises(InputError, match="cannot be read: names of columns must be texts; got"):
        from_bytes(COUNTS, data)


@pytest.mark.parametrize("column", [None, np.array([3, 1]), np.array(["a", 1], object), np.array(["x"], object)])
def test_ids_in_a_header(column):
    back = column_of(json.loads(json.dumps(listed(column))))
    if column is None:
        assert back is None
    else:
        assert back.dtype == column.dtype and back.tolist() == column.tolist()
