"""Policies: the conventions that a score depends on, as a value with a digest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, TypeVar

P = TypeVar("P", bound="Policy")


@dataclass(frozen=True)
class Policy:
    """A frozen dataclass of plain values and tuples. Scores of different policies do not belong together.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Empty(Policy):
    ...     both_empty: str = "skip"
    ...     at: tuple[float, ...] = (0.5,)
    >>> Empty().hash, Empty("one").hash
    ('eb01576eecb8', '0f6dabde3969')
    >>> Empty().difference(Empty("one"))
    "both_empty is 'skip' here and 'one' there"
    >>> Empty.from_dict({"both_empty": "one", "at": [0.5]})
    Empty(both_empty='one', at=(0.5,))
    """

    @classmethod
    def from_dict(cls: type[P], fields: Mapping[str, Any], /) -> P:
        """What `asdict` gave, also by way of JSON, which has lists where the value has tuples."""
        return cls(**{name: _tuples(value) for name, value in fields.items()})

    @property
    def digest(self) -> str:
        """SHA-256 of the fields as JSON with sorted keys, 64 hexadecimal digits."""
        import hashlib  # late: most scores need neither
        import json

        return hashlib.sha256(json.dumps(_values(self), sort_keys=True).encode()).hexdigest()

    @property
    def hash(self) -> str:
        """The first twelve digits of the digest: enough to tell policies apart in print."""
        return self.digest[:12]

    def difference(self: P, other: P, /) -> str | None:
        """The first convention in which two policies differ, in words; None if they are equal."""
        mine, theirs = _values(self), _values(other)
        for name in mine:
            if mine[name] != theirs[name]:
                return f"{name} is {mine[name]!r} here and {theirs[name]!r} there"
        return None


def _values(policy: Policy) -> dict[str, Any]:
    """As `asdict`, without a copy of every number: records of a thousand parts are asked a thousand times."""
    return {field.name: getattr(policy, field.name) for field in fields(policy)}


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
