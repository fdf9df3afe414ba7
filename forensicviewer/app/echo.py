"""Prints cells of a table as NIST's programs print them after reading.

They guess the type of every column they are not told about, so that ``007`` comes out as ``7`` and
whole numbers turn into decimals where the column has gaps.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

_WHOLE = re.compile(r"[+-]?\d+")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_TRUTHS = {"True": "True", "TRUE": "True", "true": "True"}
_TRUTHS |= {"False": "False", "FALSE": "False", "false": "False"}


def echoed(cells: Sequence[str | None]) -> list[str]:
    """The cells as printed; ``None`` marks a gap, which prints as nothing."""
    told = [cell for cell in cells if cell is not None]
    has_gaps = len(told) < len(cells)
    if not told:
        return [""] * len(cells)
    if all(_WHOLE.fullmatch(cell) for cell in told):
        return [_gap_or(cell, _as_decimal if has_gaps else _as_whole) for cell in cells]
    if all(_NUMBER.fullmatch(cell) for cell in told):
        return [_gap_or(cell, _as_decimal) for cell in cells]
    if all(cell in _TRUTHS for cell in told):
        return [_gap_or(cell, _TRUTHS.__getitem__) for cell in cells]
    return [cell or "" for cell in cells]


def _gap_or(cell: str | None, printed: Callable[[str], str]) -> str:
    return "" if cell is None else printed(cell)


def _as_whole(cell: str) -> str:
    return str(int(cell))


def _as_decimal(cell: str) -> str:
    return repr(float(cell))
