"""The distinct cells of a column."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Protocol

import numpy as np

from forensicviewer.core.array import Flags, Floats, Rows
from forensicviewer.core.cached import cached_property
from forensicviewer.core.table.number_cell import number_in


class Cells(Protocol):
    """Distinct cells by their code; they become text on demand."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[str]: ...

    def __getitem__(self, code: int) -> str: ...

    def code_of(self, text: str) -> int | None:
        """The code of the cell with this text."""

    def take(self, codes: Rows) -> Cells:
        """The cells of these codes; the code after the last one means blank."""

    def among(self, texts: Collection[str]) -> Flags:
        """Which cells equal one of these."""

    def blanks(self) -> Flags:
        """Which cells are empty or hold only white space."""

    def numbers(self) -> tuple[Floats, Flags]:
        """(the number of each cell, whether it is one); NaN where it is none."""


class TextCells:
    """Distinct cells that are text already."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = tuple(texts)

    def __len__(self) -> int:
        return len(self.texts)

    def __iter__(self) -> Iterator[str]:
        return iter(self.texts)

    def __getitem__(self, code: int) -> str:
        return self.texts[code]

    def code_of(self, text: str) -> int | None:
        return self._codes.get(text)

    def take(self, codes: Rows) -> TextCells:
        texts = (*self.texts, "")
        return TextCells([texts[code] for code in codes.tolist()])

    def among(self, texts: Collection[str]) -> Flags:
        return np.fromiter((text in texts for text in self.texts), np.bool_, len(self))

    def blanks(self) -> Flags:
        return np.fromiter((not text.strip() for text in self.texts), np.bool_, len(self))

    def numbers(self) -> tuple[Floats, Flags]:
        try:
            if not any("_" in text for text in self.texts):
                values = np.fromiter(map(float, self.texts), np.float64, len(self))
                return values, np.ones(len(self), dtype=np.bool_)
        except ValueError:
            pass
        parsed = [number_in(text) for text in self.texts]
        values = np.array([np.nan if value is None else value for value in parsed], np.float64)
        return values, np.array([value is not None for value in parsed], dtype=np.bool_)

    @cached_property
    def _codes(self) -> dict[str, int]:
        return {text: code for code, text in enumerate(self.texts)}
