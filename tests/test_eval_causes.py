"""`vesica eval --causes --confusion`, and the same of merged records."""

import json

import pytest

import vesica
from test_eval import BOTH, GUESS, TRUTH, part, write
from vesica.cli import main
from vesica.detection import Records


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write("truth.json", TRUTH)
    write("guess.json", GUESS)


def test_json(capsys):
    """What the result says, as plain values."""
    assert main([*BOTH, "--json", "--causes", "--confusion", "--min-score", "0.55"]) == 0
    told = json.loads(capsys.readouterr().out)
    result = vesica.evaluate("truth.json", "guess.json")
    assert told["causes"] == json.loads(json.dumps(result.causes().to_dict()))
    assert told["confusion"] == json.loads(json.dumps(result.confusion(min_score=0.55).to_dict()))


def test_tables(capsys):
    assert main([*BOTH, "--causes", "--confusion", "--per-class"]) == 0
    out = capsys.readouterr().out
    assert "why AP at IoU 0.5 is 0.917: what it would gain without each cause" in out
    assert "duplicate           1  0.083  of a truth that a better guess has found" in out
    assert "confusion at IoU 0.5: truths in rows, guesses in columns" in out
    assert "\x1b" not in out
    lines = out[out.index("confusion at") :].splitlines()
    assert [line.split()[0] for line in lines[1:4]] == ["truth", "cat", "dog"]
    assert lines[2].split()[1:] == ["3", "0", "0", "0"] and lines[5].split() == ["background", "1", "1", "0", "0"]


def test_many_classes(capsys):
    """Of more classes than a screen has room for, the most frequent confusions."""
    names = [{"id": k, "name": f"kind {k}"} for k in range(1, 31)]
    write("truth.json", {**TRUTH, "categories": names})
    write("guess.json", [{**row, "category_id": 7} for row in GUESS])
    assert main([*BOTH, "--confusion"]) == 0
    out = capsys.readouterr().out
    assert "confusion at IoU 0.5: the most frequent" in out
    assert "2 more guesses are where no truth is, 0 truths were not found" in out
    assert "kind 1 kind 7 3 1.000" in [" ".join(line.split()) for line in out.splitlines()]


def test_merge(capsys):
    """Records of two halves, with details, answer as one run."""
    for image in (1, 2):
        truth, guess = part(image)
        write(f"truth{image}.json", truth)
        write(f"guess{image}.json", guess)
        words = ("eval", f"truth{image}.json", f"guess{image}.json", "--quiet", "--details", "--records", f"{image}.r")
        assert main([*words]) == 0
    capsys.readouterr()
    answers = []
    for words in (BOTH, ("merge", "1.r", "2.r", "--quiet")):
        assert main([*words, "--json", "--causes", "--confusion"]) == 0
        answers.append(json.loads(capsys.readouterr().out))
    assert answers[0]["causes"] == answers[1]["causes"] and answers[0]["confusion"] == answers[1]["confusion"]
    with open("1.r", "rb") as file:
        assert Records.from_bytes(file.read()).details is not None


def test_without_details(capsys):
    assert main([*BOTH, "--records", "all.r"]) == 0
    capsys.readouterr()
    assert main(["merge", "all.r", "--quiet", "--causes"]) == 3
    error = capsys.readouterr().err
    again = "these records were made without them. Make them again with `vesica eval --details`."
    assert again in error and "In Python" not in error


@pytest.mark.parametrize(
    "words, message",
    [
        (["--details"], "--details goes with --records"),
        (["--causes", "--min-score", "0.5"], "--min-score goes with --counts"),
    ],
)
def test_usage(capsys, words, message):
    with pytest.raises(SystemExit) as stopped:
        main([*BOTH, *words])
    assert stopped.value.code == 2 and message in capsys.readouterr().err
