"""What collections of regions of every kind have in common."""

from __future__ import annotations

from typing import Any


class Collection:
    """N regions of one kind: a value that never changes."""

    __slots__ = ()

    def __len__(self) -> int:
        raise NotImplementedError

    @property
    def shape(self) -> tuple[int, ...]:
        """(N,)"""
        return (len(self),)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{type(self).__name__} objects are frozen: make a new one instead of setting `{name}`.")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        # Without this, NumPy would take the collection for a nested list, and each region of it again, without end.
        raise TypeError(
            f"{type(self).__name__} objects are no arrays: ask for one of their attributes, such as `area`."
        )
