"""Untrusted YAML: plain values, of a bounded number, and each key once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from vesica import _check as check
from vesica.errors import InputError, MissingExtra
from vesica.io.text_fields import beginning_of, text_of

LARGEST = 1 << 20
"""Bytes of a file."""
MOST_NODES = 100_000
"""Values, keys and lists of a file, those that an alias or a merge key (<<) repeats each time that it does."""

DEEPEST = 64
"""Lists and mappings within each other."""

_MERGE = "<<"


def value_of(path: Path, /) -> Any:
    """The value of a YAML file."""
    data = beginning_of(path, LARGEST + 1)
    if len(data) > LARGEST:
        raise InputError(f"{path} is larger than {LARGEST >> 20} MiB, and should be a list of names.")
    try:
        import yaml
    except ImportError as error:
        raise MissingExtra(f'{path.name} needs PyYAML: pip install "vesica[all]".') from error
    text = text_of(data, str(path))
    try:
        return _value(yaml, text)
    except InputError as error:
        raise InputError(f"{path} is no plain YAML: {error}") from error
    except (
        Exception
    ) as error:  # of tags and values that do not fit, such as !!int "", PyYAML raises whatever its parts do
        raise InputError(f"{path} is no plain YAML: {_reason(error)}.") from error


def _value(yaml: Any, text: str) -> Any:
    safe = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the same, compiled, where libyaml was found
    depth = 0
    for count, event in enumerate(yaml.parse(text, safe)):
        _look_at(count)
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > DEEPEST:
            raise InputError(f"it is nested too deeply, in more than {DEEPEST} lists.")
    loader = safe(text)
    try:
        root = loader.get_single_node()
        if root is None:
            return None
        _size(yaml, root, {})
        return loader.construct_document(root)
    finally:
        loader.dispose()


def _size(yaml: Any, node: Any, known: dict[int, int | None]) -> int:
    """How many nodes it is with all that it repeats. Raises for too many, for a node inside itself, for a key twice."""
    if id(node) in known:
        size = known[id(node)]
        if size is None:
            raise InputError("an alias repeats what it is in, without end.")
        return size
    known[id(node)] = None
    below: list[Any] = []
    if isinstance(node, yaml.MappingNode):
        _look_at_keys(yaml, node)
        below = [one for pair in node.value for one in pair]
    elif isinstance(node, yaml.SequenceNode):
        below = node.value
    size = 1 + sum(_size(yaml, one, known) for one in below)
    _look_at(size)
    known[id(node)] = size
    return size


def _look_at(count: int) -> None:
    if count > MOST_NODES:
        raise InputError(f"it has more than {MOST_NODES:,} values. Aliases and merge keys (<<) count as often as used.")


def _look_at_keys(yaml: Any, node: Any) -> None:
    seen = set()
    for key, _ in node.value:
        name = (key.tag, key.value) if isinstance(key, yaml.ScalarNode) and key.value != _MERGE else None
        if name is not None and name in seen:
            raise InputError(f"line {key.start_mark.line + 1} has the key {check.brief(key.value)} a second time.")
        seen.add(name)


def _reason(error: Exception) -> str:
    text = " ".join(str(error).split())
    return check.brief(text if text else type(error).__name__)
