"""Change: the same images before a review and after it."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vesica
from samples import drawn
from test_agree_cli import run
from vesica import AgreementPolicy


def result_of(seed, **more):
    data = drawn(seed, kinds=("box",), people=("ann", "ben"), rows=40, images=10)
    return vesica.evaluate_agreement(data, **more)


class TestSince:
    @given(st.integers(0, 10_000))
    def test_nothing_changed(self, seed):
        found = result_of(seed)
        change = found.since(found)
        assert change["change"] == 0 and set(change.images["gained"].tolist()) == {0.0}
        assert change["lo"] == change["hi"] == 0 or change["lo"] != change["lo"]

    @given(st.integers(0, 10_000))
    def test_there_and_back(self, seed):
        one, other = result_of(seed), result_of(seed + 1)
        there, back = other.since(one), one.since(other)
        assert there["change"] == pytest.approx(-back["change"]) and there["before"] == pytest.approx(one["agreement"])
        gained = dict(zip(there.images["image"].tolist(), there.images["gained"].tolist(), strict=True))
        lost = dict(zip(back.images["image"].tolist(), back.images["gained"].tolist(), strict=True))
        assert gained == pytest.approx({image: -value for image, value in lost.items()})

    def test_gains_are_what_was_lost(self):
        one, other = result_of(3), result_of(4)
        change = other.since(one)
        lost = [sum(row["amount"] for row in result.ledger()) for result in (one, other)]
        assert change.images["gained"].sum() == pytest.approx(lost[0] - lost[1])

    def test_other_images(self):
        data = drawn(3, kinds=("box",), people=("ann", "ben"), rows=40, images=10)
        images = replace(data.images, ids=data.images.ids + 5)
        shifted = vesica.evaluate_agreement(replace(data, images=images))
        change = shifted.since(vesica.evaluate_agreement(data))
        assert [note.count for note in change.notes] == [5, 5] and len(change.images) == 5
        far = vesica.evaluate_agreement(replace(data, images=replace(data.images, ids=data.images.ids + 50)))
        with pytest.raises(ValueError, match="No image is in both results"):
            far.since(shifted)

    def test_other_rules(self):
        with pytest.raises(ValueError, match="`match_at` is 0.5 before and 0.75 after"):
            result_of(3, policy=AgreementPolicy(match_at=0.75)).since(result_of(3))


class TestCommandLine:
    def test_before_and_after(self, tmp_path, monkeypatch, capsys):
        monkeypatch.chdir(tmp_path)
        sides = {"images": [1, 2], "sizes": (40, 50), "category": [1, 1], "categories": {1: "cat"}}
        good = np.array([[10, 10, 20, 20], [5, 5, 9, 9.0]])
        for name, boxes in (("ann", good), ("ben", good + [[0, 0, 0, 8], [0, 0, 0, 0]]), ("ben2", good)):
            vesica.write(f"{name}.json", vesica.Dataset.from_arrays(boxes, image=[1, 2], **sides))
        assert run(capsys, "ann.json", "ben.json", "--records", "monday.records")[0] == 0
        code, out, err = run(capsys, "ann.json", "ben=ben2.json", "--before", "monday.records")
        assert code == 0 and "1 of 2 images changed" in out, err
        code, out, _ = run(capsys, "ann=ann.json", "ben=ben2.json", "--before", "monday.records", "--json")
        since = json.loads(out)["since"]
        assert since["summary"]["after"] == 1 and since["images"][0]["image"] == 1

    def test_a_file_that_is_no_records(self, tmp_path, monkeypatch, capsys):
        monkeypatch.chdir(tmp_path)
        vesica.write("a.json", vesica.Dataset.from_arrays([[0, 0, 4, 4]], image=[1], category=[1], id=[1]))
        Path("b.json").write_bytes(Path("a.json").read_bytes())
        code, _, err = run(capsys, "a.json", "b.json", "--before", "a.json")
        assert code == 3 and "records" in err
