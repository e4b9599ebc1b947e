"""`vesica eval PARTS --memory --checkpoint`: the same answer; what does not go together is said at once."""

import json

import pytest

from vesica.cli import main

pytest.importorskip("pyarrow")
from shards import UNEVEN, parts, table_of, world


@pytest.fixture
def files(tmp_path):
    return [str(path) for path in sorted(parts(tmp_path / "parts", table_of(*world()), UNEVEN).iterdir())]


def told(capsys, *words):
    code = main([*words, "--json"])
    return code, capsys.readouterr().out


def test_the_same_answer(files, tmp_path, capsys):
    common = ("eval", *files, "--engine", "threads", "--as-is")
    code, whole = told(capsys, *common)
    assert code == 0 and json.loads(whole)["summary"]["AP"] > 0.005
    for more in (
        ("--memory", "100MB"),
        ("--memory", "100MB", "--scratch", str(tmp_path)),
        ("--checkpoint", str(tmp_path / "kept")),
        ("--checkpoint", str(tmp_path / "kept")),
        ("--memory", "100MB", "--checkpoint", str(tmp_path / "other")),
    ):
        assert told(capsys, *common, *more) == (0, whole)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kept", "other", "parts"]


@pytest.mark.parametrize("protocol", ["coco", "voc"])
def test_low_scores_are_looked_at(files, capsys, protocol):
    """With and without a budget the same is said."""
    common = ("eval", *files, "--engine", "threads", "--protocol", protocol)
    assert told(capsys, *common) == told(capsys, *common, "--memory", "100MB")


@pytest.mark.parametrize(
    "words, message",
    [
        (("--memory", "much"), "`memory` must be a number of bytes"),
        (("--memory", "1GB", "--counts"), "--counts does not go with --memory: it needs every guess"),
        (("--memory", "1GB", "--interval"), "--interval does not go with --memory"),
        (("--memory", "1GB", "--records", "x.records"), "--records does not go with --memory"),
        (("--memory", "1GB", "--report", "x.html"), "--report does not go with --memory"),
    ],
)
def test_usage(files, capsys, words, message):
    with pytest.raises(SystemExit) as ended:
        main(["eval", *files, "--engine", "threads", *words])
    assert ended.value.code == 2 and message in capsys.readouterr().err


def test_another_run(files, tmp_path, capsys):
    common = ("eval", *files, "--engine", "threads", "--as-is", "--checkpoint", str(tmp_path / "kept"))
    assert main([*common, "--quiet"]) == 0
    assert main([*common, "--iou", "0.5"]) == 3
    assert "is the checkpoint of another run" in capsys.readouterr().err
