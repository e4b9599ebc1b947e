"""JSON: taken exactly where Python's json takes it."""

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trials import trials
from vesica import _native
from vesica._kernels.native.coco_file import json_fault

DEPTH = 64


@pytest.fixture(params=["baseline", "avx2", "avx512"])
def level(request):
    """Each instruction set in turn."""
    _native.limit_isa(request.param)
    yield request.param
    _native.limit_isa("avx512")


def python_takes(data):
    """Does Python's json take these bytes, as UTF-8 and without a byte-order mark?"""
    try:
        json.loads(data.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        return False
    return True


def agrees(data):
    fault, at = json_fault(data)
    assert (fault == "none") == python_takes(data), (data, fault, at)
    assert 0 <= at <= len(data)


TAKEN = [
    b"0",
    b"-0",
    b"1.5e-3",
    b'""',
    b"null",
    b"true",
    b"false",
    b"NaN",
    b"Infinity",
    b"-Infinity",
    b"[]",
    b"{}",
    b" [ ] ",
    b"\t{\r\n}\n",
    b"[[],[[]],{}]",
    b'{"a":1,"a":2}',
    b'{"":[]}',
    b'"\\u00e9\\uD83D\\uDE00\\ud800"',
    b'"\xed\xa0\x80"',
    '"é€😀\x7f"'.encode(),
    '"\x80\u07ff\u0800\uffff\U00010000\U0010ffff"'.encode(),
    b'["\\"\\\\\\/\\b\\f\\n\\r\\t"]',
    b"[1,-2.5,[3,[4.0]],0.5]",
    b"[1e5,2E-3,-0.0]",
    b"1" * 4300,
    b"[" * 64 + b"]" * 64,
    b"[[1.5, 2], [3, 4.25, -6]]",
    b"[" + b"1.25, " * 100 + b"7]",
    b"[ 1 , 2 ]",
    b'[{"a":[1,2]},[1,{"b":[[3]]}]]',
    b"[-1,-0.5,[-3]]",
    b'["],[", [1, 2], "\\\\"]',
]
REFUSED = [
    (b"", "end"),
    (b"  ", "end"),
    (b"[", "end"),
    (b"[1,", "end"),
    (b'{"a"', "end"),
    (b'{"a":', "end"),
    (b'{"a":1', "end"),
    (b'"abc', "end"),
    (b'"\\', "end"),
    (b'"\\u12', "end"),
    (b'"\xc3', "end"),
    (b"tru", "end"),
    (b"-", "end"),
    (b"1.", "end"),
    (b"1e", "end"),
    (b"Infin", "end"),
    (b"[1 2]", "character"),
    (b"[1,]", "character"),
    (b"[,1]", "character"),
    (b'{"a":1,}', "character"),
    (b"{1:2}", "character"),
    (b"{'a':1}", "character"),
    (b"[1}", "character"),
    (b'{"a" 1}', "character"),
    (b"trux", "character"),
    (b"+1", "character"),
    (b"\xff", "character"),
    (b"\x00", "character"),
    (b"[1.]", "number"),
    (b"[-]", "number"),
    (b"[1e]", "number"),
    (b"[-NaN]", "number"),
    (b"9" * 4301, "number"),
    (b"[" + b"9" * 5000 + b"]", "number"),
    (b"[01]", "character"),
    (b"[-01]", "character"),
    (b"[1.2.3]", "character"),
    (b"[" + b"1, " * 40 + b"02]", "character"),
    (b"[" + b"1, " * 40 + b"1.2.3]", "character"),
    (b"[[1] [2]]", "character"),
    (b"[" + b"[1,2]," * 30 + b"]", "character"),
    (b'"a\nb"', "control"),
    (b'"\x00"', "control"),
    (b'"\\x41"', "escape"),
    (b'"\\u12g4"', "escape"),
    (b'"\\U0041"', "escape"),
    (b'"\xff"', "utf8"),
    (b'"\xc0\x80"', "utf8"),
    (b'"\xe0\x9f\xbf"', "utf8"),
    (b'"\xf4\x90\x80\x80"', "utf8"),
    (b'"\xf5\x80\x80\x80"', "utf8"),
    (b'"\x80"', "utf8"),
    (b'"\xe2\x82"', "utf8"),
    (b"1 2", "extra"),
    (b"[] x", "extra"),
    (b"nullnull", "extra"),
    (b"\xef\xbb\xbf1", "character"),
]


@pytest.mark.usefixtures("level")
class TestText:
    @pytest.mark.parametrize("data", TAKEN)
    def test_taken(self, data):
        assert python_takes(data)
        assert json_fault(data) == ("none", 0)

    @pytest.mark.parametrize("data, fault", REFUSED)
    def test_refused(self, data, fault):
        assert not python_takes(data)
        assert json_fault(data)[0] == fault

    @pytest.mark.parametrize("opens, closes", [(b"[", b"]"), (b'{"a":', b"}"), (b'[{"":[', b"]}]"), (b"[1,[", b"]]")])
    def test_depth(self, opens, closes):
        """64 brackets may be open, 65 may not; Python would go on."""
        each = opens.count(b"[") + opens.count(b"{")
        for levels in (1, DEPTH // each, DEPTH // each + 1, 400):
            data = opens * levels + b"1" + closes * levels
            want = "none" if levels * each <= DEPTH else "depth"
            assert json_fault(data)[0] == want
        assert json_fault(opens * 100_000)[0] == "depth"

    @pytest.mark.parametrize("count", [1, 2, 31, 32, 61, 62, 63])
    @pytest.mark.parametrize("inside", [b"1", b'"a"', b"1, null, 2"])
    def test_lists_in_objects(self, count, inside):
        """Behind many brackets it is still known that an object is open."""
        lists = b"[" * count + inside + b"]" * count
        agrees(b'{"a":' + lists + b',"b":2}')
        agrees(b'{"a":' + lists + b",3}")
        agrees(b'{"a":' + lists + b"]")

    @given(
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
            lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
            max_leaves=40,
        ),
        st.sampled_from([{}, {"indent": 1}, {"separators": (",", ":")}, {"ensure_ascii": False}]),
    )
    def test_what_python_writes(self, value, form):
        data = json.dumps(value, **form).encode("utf-8", "surrogatepass")
        assert json_fault(data)[0] == "none"
        agrees(data[:-1])

    def test_mutations(self, level):
        """Bytes changed, left out, doubled: both take it, or neither."""
        rng = random.Random(level)
        seeds = [seed for seed in TAKEN if len(seed) < 1000] + [seed for seed, _ in REFUSED if len(seed) < 1000]
        alphabet = b'0123456789.-+eE,:[]{}"\\ \n\tntfNIuab/\x00\x1f\x7f\x80\xc3\xa9\xed\xa0\xf0\xff'
        for _ in trials(20_000):
            data = bytearray(rng.choice(seeds))
            for _ in range(rng.randint(1, 4)):
                at = rng.randrange(len(data) + 1)
                how = rng.randrange(4)
                if how == 0:
                    data[at:at] = bytes([rng.choice(alphabet)])
                elif how == 1:
                    data[at : at + 1] = bytes([rng.choice(alphabet)])
                elif how == 2:
                    del data[at : at + rng.randint(1, 5)]
                else:
                    other = rng.randrange(len(data) + 1)
                    data[at:at] = data[other : other + rng.randint(1, 90)]
            agrees(bytes(data))

    def test_lists_of_numbers(self, level):
        """Long lists, where each character stands at each place of a block of 64 once."""
        rng = random.Random(level)
        for _ in trials(3000):
            numbers = [
                rng.choice(["0", "-1", "12.5", "0.25", "1e5", "-0.0", "123456", "[]", "[1,2]", "[[3]]"])
                for _ in range(rng.randint(1, 60))
            ]
            data = bytearray(("[" + rng.choice([",", ", "]).join(numbers) + "]").encode())
            agrees(bytes(data))
            at = rng.randrange(len(data))
            data[at] = rng.choice(b"0123456789.-,[] e\n")
            agrees(bytes(data))
