"""`vesica check --fix`: what is repaired, what stays, and what is never written."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import vesica
from checked_files import CORNERS, SMALL, checked, files, made, run
from damages import damaged, ids_as, in_frame, sound, write
from vesica import InputError
from vesica.io.coco_rewrite import with_numbers
from vesica.io.json_spans import span_of

VALUES = st.recursive(
    st.none() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=5,
)


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


class TestFix:
    ODD = (
        '[ {"image_id":%d , "note":"a \\"bbox\\": [1] \\u00e9","bbox" : [1.50e1,  20.0, 55 ,70.25],"score":5e-1, '
        '"category_id":1},\n{"score":0.25,"bbox":[10,10,40,60],"x":{"bbox":[0,0]},"image_id":%d,"category_id": 1}\t]\n'
    )

    def test_all_else_stays_byte_for_byte(self):
        truth, _ = made()
        first = truth["images"][0]["id"]
        Path("guess.json").write_text(self.ODD % (first, first))
        found = vesica.check("guess.json", against=write(Path("truth.json"), truth))
        found.fix("fixed.json", assume="boxes=xyxy")
        want = (self.ODD % (first, first)).replace("55 ,70.25", "40 ,50.25").replace("40,60]", "30,50]")
        assert Path("fixed.json").read_text() == want

    def test_input_stays(self, capsys):
        truth, results = made()
        files(damaged(CORNERS, results, truth))
        before = Path("guess.json").read_bytes()
        for out in ("guess.json", "./guess.json", "truth.json"):
            code, _, err = run(capsys, "check", "guess.json", "--against", "truth.json", "--fix", out)
            assert code == 2 and "must not be FILE" in err
        os.symlink("guess.json", "link.json")
        assert run(capsys, "check", "guess.json", "--against", "truth.json", "--fix", "link.json")[0] == 2
        with pytest.raises(ValueError, match="another one"):
            vesica.check("guess.json", against="truth.json").fix("link.json")
        assert Path("guess.json").read_bytes() == before

    def test_words_and_codes(self, capsys):
        truth, results = made()
        files(damaged(CORNERS, results, truth))
        words = ("check", "guess.json", "--against", "truth.json", "--quiet")
        code, out, err = run(capsys, *words)
        assert (
            code == 3
            and err == ""
            and out.startswith("boxes-layout (error, certain): `bbox` in guess.json reads as xyxy")
        )
        assert out.splitlines()[1] == "    vesica check guess.json --against truth.json --fix guess_fixed.json"
        code, out, err = run(capsys, *words, "--fix", "guess_fixed.json")
        assert code == 0 and err == "" and out.splitlines()[-1] == "Wrote guess_fixed.json."
        assert "boxes=xyxy: " in out and "of guesses lie on a truth before" in out
        code, out, err = run(capsys, "check", "guess_fixed.json", "--against", "truth.json", "--quiet")
        assert code == 0 and "nothing was found" in out

    def test_json(self, capsys):
        truth, results = made()
        files(damaged(CORNERS, results, truth))
        code, out, err = run(
            capsys, "check", "guess.json", "--against", "truth.json", "--json", "--fix", "f.json", "--quiet"
        )
        found = json.loads(out)
        assert code == 0 and err == "" and out.count("\n") == 1
        assert found["findings"][0]["code"] == "boxes-layout" and found["findings"][0]["repairs"] == ["boxes=xyxy"]
        assert found["fixed"]["changes"][0]["assumed"] == "boxes=xyxy" and found["fixed"]["left"] == []
        assert found["fixed"]["changes"][0]["after"] > found["fixed"]["changes"][0]["before"]

    def test_unsure_offers_a_choice(self, capsys):
        """Few images, of which a square in two ways makes the same: nothing is written without a word."""
        truth, results = _unsure()
        files(results, truth)
        code, _, err = run(capsys, "check", "guess.json", "--against", "truth.json", "--fix", "out.json", "--quiet")
        commands = [line.strip() for line in err.splitlines() if line.startswith("    vesica check")]
        assert code == 3 and len(commands) == 2 and not Path("out.json").exists()
        assert all("--assume " in one and "--fix out.json" in one for one in commands)
        run(capsys, *commands[0].split()[1:], "--quiet")
        assert Path("out.json").exists()

    def test_wrong_assumption_is_not_written(self):
        truth, results = made()
        found = checked(damaged(CORNERS, results, truth))
        with pytest.raises(InputError, match="was not written"):
            found.fix("fixed.json", assume="boxes=ordered")
        assert not Path("fixed.json").exists()

    def test_nothing_to_repair(self):
        with pytest.raises(InputError, match="no file was written"):
            checked().fix("fixed.json")
        assert not Path("fixed.json").exists()

    @pytest.mark.parametrize(
        "assume, message",
        [
            ("boxes", "NAME=VALUE"),
            ("box=xyxy", "must be one of"),
            ("boxes=yyxx", "must be xyxy"),
            ("frame=letterbox:big", "letterbox:640"),
            ("frame=round:4", "must be one of"),
            ("categories=+2", "must be one of"),
        ],
    )
    def test_assumptions(self, assume, message):
        with pytest.raises(ValueError, match=message):
            checked().fix("fixed.json", assume=assume)
        assert not Path("fixed.json").exists()

    def test_standard_output_is_no_file(self, capsys):
        files()
        assert run(capsys, "check", "guess.json", "--fix", "-")[0] == 2 and not Path("-").exists()

    def test_assume_goes_with_fix(self, capsys):
        files()
        assert run(capsys, "check", "guess.json", "--assume", "boxes=xyxy")[0] == 2

    def test_an_earlier_file_is_replaced_whole(self):
        truth, results = made()
        Path("fixed.json").write_text("earlier")
        checked(damaged(CORNERS, results, truth)).fix("fixed.json")
        assert len(json.loads(Path("fixed.json").read_text())) == len(results)
        assert not [name for name in os.listdir() if name.startswith(".vesica")]

    def test_strict(self, capsys):
        truth, results = made()
        files(ids_as("image_id", lambda one, _: str(one))(results, truth))
        words = ("check", "guess.json", "--against", "truth.json", "--quiet")
        assert run(capsys, *words)[0] == 0 and run(capsys, *words, "--strict")[0] == 3

    def test_packed(self):
        import gzip

        truth, results = made()
        write(Path("truth.json"), truth)
        Path("guess.json.gz").write_bytes(gzip.compress(json.dumps(damaged(CORNERS, results, truth)).encode()))
        vesica.check("guess.json.gz", against="truth.json").fix("fixed.json")
        assert [one["bbox"] for one in json.loads(Path("fixed.json").read_text())] == [one["bbox"] for one in results]


def _unsure():
    """Results that two readings fit: half of the images letterboxed, half at the corner of the same square."""
    truth, results = sound(11, replace(SMALL, images=40, sizes=((480, 640),)))
    half = {one["id"] for one in truth["images"][::2]}
    middle, corner = (in_frame(kind, 416)(results, truth) for kind in ("letterbox", "corner"))
    return truth, [a if one["image_id"] in half else b for one, a, b in zip(results, middle, corner, strict=True)]


class TestSpans:
    @given(st.dictionaries(st.text(max_size=6), VALUES, min_size=1, max_size=5), st.data(), st.booleans())
    def test_is_what_json_reads(self, value, data, ascii):
        """Whatever stands beside it, the text at the span is the value of the key."""
        text = json.dumps(value, ensure_ascii=ascii, indent=data.draw(st.sampled_from([None, 0, 2])))
        key = data.draw(st.sampled_from(sorted(value)))
        begin, end = span_of(text, key)
        assert json.loads(text[begin:end]) == value[key]

    def test_absent(self):
        assert span_of('{"id": 7}', "score") == (0, 0)

    @given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=4, max_size=4), st.integers(0, 3))
    def test_numbers(self, old, place):
        new = [one if k != place else 0.5 for k, one in enumerate(old)]
        text = with_numbers(json.dumps(old), old, new)
        assert json.loads(text) == new
