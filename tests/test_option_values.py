"""Values of options that nobody means: an unset variable of the shell, numbers beyond all bounds."""

import json
from pathlib import Path

import numpy as np
import pytest

import cli_world
import vesica
from vesica.cli import VERBS, demo, main
from vesica.cli.parsers import parser_of

BOX = {"image_id": 1, "category_id": 1, "bbox": [0, 0, 4, 4]}
TRUTH = {
    "images": [{"id": 1, "width": 10, "height": 10}],
    "categories": [{"id": 1, "name": "cat"}],
    "annotations": [{**BOX, "id": 1, "area": 16, "iscrowd": 0}],
}
COMMANDS = [
    ("iou", "a.csv", "a.csv"),
    ("iou", "soft.npy", "soft.npy", "--masks"),
    ("iou", "labels.npy", "labels.npy"),
    ("nms", "n.csv"),
    ("nms", "n.csv", "--soft", "gaussian"),
    ("eval", "t.json", "g.json", "--quiet"),
    ("eval", "labels", "labels", "--quiet"),
    ("records", "t.json", "g.json", "-o", "x.records", "--quiet"),
    ("merge", "one.records", "--quiet"),
    ("eval", "t.json", "g.json", "--engine", "threads", "--quiet"),
    ("convert", "labels", "o.json"),
    ("stats", "t.json", "--quiet"),
    ("demo", "-o", "demo", "--images", "2"),
]
# Where any number is a sound answer, or a file of any name may be written.
FREE = {"--empty", "--above", "--min-score", "--sigma", "--seed", "--ignore", "--background", "--gate", "--most"}


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(demo, "_report", cli_world.page)  # some seeds are sound, and a whole one takes seconds
    Path("a.csv").write_text("0,0,4,4\n1,1,5,5\n")
    Path("n.csv").write_text("0,0,4,4,0.5\n1,1,5,5,0.4\n")
    Path("t.json").write_text(json.dumps(TRUTH))
    Path("g.json").write_text(json.dumps([{**BOX, "score": 0.5}]))
    Path("labels").mkdir()
    Path("labels/a.txt").write_text("0 0.5 0.5 0.1 0.1\n")
    np.save("soft.npy", np.ones((1, 5, 5), np.float32))
    np.save("labels.npy", np.array([[0, 0, 4, 4]]))
    Path("one.records").write_bytes(vesica.evaluate("t.json", "g.json").records.to_bytes())


def options_of(verb):
    """The options of a verb that take a value."""
    parser = parser_of(VERBS, verb)[1][verb]
    return [one.option_strings[-1] for one in parser._actions if one.option_strings and one.nargs != 0]


def ended(capsys, *words):
    try:
        code = main([*words])
    except SystemExit as leaving:
        code = leaving.code
    return code, capsys.readouterr().err


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_nothing(files, capsys, words):
    """`--option "$VARIABLE"` of a variable that is not set is never passed over."""
    for option in options_of(words[0]):
        code, err = ended(capsys, *words, f"{option}=")
        assert code in (2, 3) and "vesica: " in err, option


@pytest.mark.parametrize("value", ["9" * 30, "-" + "9" * 30, "9" * 5000, "nan", "1e999", "{", "\udcff"])
@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_anything(files, capsys, words, value):
    """What no option means is an error of usage or of input, in words of the command line."""
    for option in options_of(words[0]):
        if option in ("--output", "--records", "--report", "--checkpoint", "-o"):
            continue
        code, err = ended(capsys, *words, f"{option}={value}")
        assert code in ((0, 1, 2, 3) if option in FREE else (2, 3)), (option, err)
        assert "Traceback" not in err and "Exceeds" not in err and "codec" not in err, option
