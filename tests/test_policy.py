"""Policies: values that can be told apart, and that survive JSON."""

import dataclasses
import hashlib
import json
from dataclasses import dataclass

import pytest

from vesica.detection.protocol import protocol_of
from vesica.results.policy import Policy


@dataclass(frozen=True)
class Rule(Policy):
    at: tuple[float, ...] = (0.5, 0.75)
    areas: tuple[tuple[str, float], ...] = (("all", 1e10),)
    name: str | None = None


class TestDigest:
    def test_is_that_of_the_json(self):
        text = b'{"areas": [["all", 10000000000.0]], "at": [0.5, 0.75], "name": null}'
        assert Rule().digest == hashlib.sha256(text).hexdigest()
        assert Rule().hash == Rule().digest[:12]

    def test_of_protocols(self):
        """Records that were written before hold these."""
        assert protocol_of("coco").digest == "8d58928ce86954d42ed12155d8b265d72f11267242aa9f2bbefdc8598d1f63bb"
        assert protocol_of("lvis").digest == "4af4624fffb79db4ebb364a35e7474b80ce5920e8662e589b6c20b3e0537966c"
        assert protocol_of("voc").digest == "f5175db637845514edb0bbf3e2fa005d0d55dc12980cbbe72df31d48c96c7411"
        assert protocol_of("voc07").digest == "cbdc6420fe68133bb41bb9984b8f5a09c5e64c0ec131802b56627d79a1051a72"


@pytest.mark.parametrize("change", [{"at": (0.5,)}, {"areas": ()}, {"name": "x"}])
def test_difference(change):
    other = dataclasses.replace(Rule(), **change)
    (name,) = change
    assert Rule().difference(other) == f"{name} is {getattr(Rule(), name)!r} here and {change[name]!r} there"
    assert Rule().difference(Rule()) is None and Rule().digest != other.digest


@pytest.mark.parametrize("policy", [Rule(), Rule(at=(), name="x"), protocol_of("coco", areas={"all": (0, 9)})])
def test_json_and_back(policy):
    back = type(policy).from_dict(json.loads(json.dumps(dataclasses.asdict(policy))))
    assert back == policy and hash(back) == hash(policy)
