"""What collections of regions of every kind have in common."""

from __future__ import annotations

from typing import Any

from vesica._answer import Equal


class Collection(Equal):
    """N regions of one kind: a value that never changes."""

    __slots__ = ()

    def __len__(self) -> int:
        raise NotImplementedError

    def _content(self) -> tuple[Any, ...]:
        content: tuple[Any, ...] = self.__reduce__()[1]  # type: ignore[assignment]
        return content

    @property
    def shape(self) -> tuple[int, ...]:
        """(N,)"""
        return (len(self),)

    def _repr_html_(self) -> str:
        from vesica.regions.picture import html_of  # late: only notebooks ask for it

        return html_of(self)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{type(self).__name__} objects are frozen: make a new one instead of setting `{name}`.")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        # Without this, NumPy would take the collection for a nested list, and each region of it again, without end.
        raise TypeError(
            f"{type(self).__name__} objects are no arrays: ask for one of their attributes, such as `area`."
        )
