"""One row of columns that all rows share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

CellT = TypeVar("CellT")


class RowView(Mapping[str, CellT]):
    """Reads like a dictionary of one row's cells, and keeps none of its own.

    A dictionary per row costs more than the cells in it once there are many rows.
    """

    __slots__ = ("_columns", "_row")

    def __init__(self, columns: Mapping[str, Sequence[CellT]], row: int) -> None:
        self._columns, self._row = columns, row

    def __getitem__(self, name: str) -> CellT:
        return self._columns[name][self._row]

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __repr__(self) -> str:
        return repr(dict(self))

    def __reduce__(self) -> tuple[Any, ...]:
        # On its way to another process a row must not take all others along.
        return dict, (dict(self),)
