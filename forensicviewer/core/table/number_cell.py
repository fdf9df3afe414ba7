"""Numbers in text cells; ``None`` for cells that are not numbers."""

from __future__ import annotations

import math

_MOST_DIGITS = 18


def number_in(cell: str) -> float | None:
    """The number a cell holds; ``nan`` and ``inf`` are numbers."""
    try:
        # Python also reads 1_000, which no other program takes for a number.
        return None if "_" in cell else float(cell)
    except ValueError:
        return None


def number_of(value: object) -> float | None:
    """The finite number a value of a JSON document is."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    try:
        number = float(value)
    except OverflowError:  # JSON has whole numbers of any length
        return None
    return number if math.isfinite(number) else None


def whole_in(cell: str) -> int | None:
    """The whole number a cell holds, also written as ``11.0``; a fraction is cut off."""
    number = number_in(cell)
    return None if number is None or not math.isfinite(number) else int(number)


def digits_in(cell: str) -> int | None:
    """The number of a cell that holds nothing but a few digits.

    ``str.isdigit`` alone is true of ² as well, and of more digits than Python reads.
    """
    is_number = cell.isascii() and cell.isdigit() and len(cell) <= _MOST_DIGITS
    return int(cell) if is_number else None
