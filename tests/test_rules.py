"""Rules: the facts of the protocols, and that one entry is all that a new protocol needs."""

import json
from pathlib import Path

import numpy as np
import pytest

import vesica
from scenes import Traits, datasets, job
from vesica.cli import main
from vesica.detection import Records, records_of, summarise
from vesica.detection.rules import PROTOCOLS, PYCOCOTOOLS, QUIRKS, Quirks

JOB = job(np.random.default_rng(0), Traits(images=5))


@pytest.fixture
def coco50(monkeypatch):
    """COCO's rules at an iou of 0.5 alone."""
    monkeypatch.setitem(PROTOCOLS, "coco50", PROTOCOLS["coco"]._replace(name="coco50", title="COCO50", iou=(0.5,)))


@pytest.mark.usefixtures("coco50")
class TestOneEntry:
    """A protocol that is registered, and nothing else."""

    def test_evaluate(self):
        result = vesica.evaluate(*datasets(*JOB), protocol="coco50")
        coco = vesica.evaluate(*datasets(*JOB))
        assert result.headline.startswith("coco50, boxes: ") and result.to_dict()["protocol"] == "coco50"
        assert result["AP"] == result["AP50"] == coco["AP50"] > 0
        assert list(result) == list(coco)

    def test_bytes(self):
        records = records_of(*datasets(*JOB), protocol="coco50")
        back = Records.from_bytes(records.to_bytes())
        assert back.protocol == records.protocol and back.to_bytes() == records.to_bytes()
        assert dict(summarise(back)) == dict(vesica.evaluate(*datasets(*JOB), protocol="coco50"))

    def test_command_line(self, tmp_path, monkeypatch, capsys):
        monkeypatch.chdir(tmp_path)
        for name, value in zip(("truth.json", "guess.json"), JOB, strict=True):
            Path(name).write_text(json.dumps(value))
        assert main(["eval", "truth.json", "guess.json", "--protocol", "coco50", "--records", "a.records"]) == 0
        assert capsys.readouterr().out.startswith("COCO50, boxes: 5 images")
        assert main(["merge", "a.records", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["protocol"] == "coco50"

    def test_unknown_names(self):
        with pytest.raises(ValueError, match='"voc-devkit", "coco50"; got .coco51.. Did you mean "coco50"'):
            vesica.evaluate(*datasets(*JOB), protocol="coco51")


class TestRegistry:
    @pytest.mark.parametrize("name", PROTOCOLS)
    def test_is_documented(self, name):
        page = (Path(__file__).parents[1] / "docs" / "scores.md").read_text()
        assert f'"{name}"' in vesica.evaluate.__doc__ and f'"{name}"' in page

    @pytest.mark.parametrize("name", PROTOCOLS)
    def test_stored_names_are_known(self, name):
        """Records store `Rules.name`, which must lead back to the same rules."""
        assert PROTOCOLS[PROTOCOLS[name].name] == PROTOCOLS[name]

    def test_quirks(self):
        """By default every fault is corrected; a tool that is asked for has all of its own."""
        flags = [name for name in Quirks._fields if name != "tool"]
        assert not any(getattr(QUIRKS[None], name) for name in flags)
        assert all(getattr(PYCOCOTOOLS, name) for name in flags)
        assert {tool for rules in PROTOCOLS.values() for tool in rules.tools} == QUIRKS.keys() - {None}
