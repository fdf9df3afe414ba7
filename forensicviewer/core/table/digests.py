"""Finds equal cells by 64-bit digests of their bytes, a million at a time."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from forensicviewer.core.array import Rows

Words: TypeAlias = NDArray[np.uint64]  # (rows,) eight bytes of each cell

# Cells of up to seven bytes and their length fit into one word, which no other cell has.
SHORT = 7

_MIXER = np.uint64(0x9E3779B97F4A7C15)
_BLOCK_ROWS = 1 << 13
_FEW_BITS = 12


def row_blocks(count: int) -> list[slice]:
    """Rows in portions that fit the processor's cache, for speed."""
    return [slice(start, min(start + _BLOCK_ROWS, count)) for start in range(0, count, _BLOCK_ROWS)]


def digests_of(words: NDArray[np.uint64]) -> Words:
    """A digest of each column of ``words``: the length of a cell, then its bytes by eights."""
    digests = np.empty(words.shape[1], dtype=np.uint64)
    for block in row_blocks(len(digests)):
        mixed = words[0, block] * _MIXER
        for word in words[1:, block]:
            mixed ^= mixed >> np.uint64(32)
            mixed ^= word
            mixed *= _MIXER
        digests[block] = mixed
    return digests


def short_digests_of(words: NDArray[np.uint64]) -> Words:
    """As :func:`digests_of` for cells of up to ``SHORT`` bytes, all different."""
    digests: Words = words[0] << np.uint64(56)
    if len(words) > 1:
        digests |= words[1]
    # An odd number keeps them apart.
    digests *= _MIXER
    return digests


def number_digests(numbers: Rows) -> Words:
    """A digest of each number, all different."""
    digests: Words = numbers.astype(np.uint64) * _MIXER
    return digests


def first_rows(digests: Words) -> Rows:
    """For each row the first row of equal digest, without sorting.

    Row numbers are written into a table by a few bits of their digest, where the first to come
    stays. Rows that find another digest in their place go to the next round, with other bits.
    """
    first = np.empty(len(digests), dtype=np.intp)
    rows = np.arange(len(digests), dtype=np.intp)
    mixer = int(_MIXER)
    # A small table stays in the processor's cache; most columns say few things again and again.
    bits = _FEW_BITS if _says_little(digests) else _bits_for(len(digests))
    while len(rows):
        # Half as wide as row numbers elsewhere: no table of text has two thousand million rows.
        table = np.full(1 << bits, -1, dtype=np.int32)
        left = []
        for block in row_blocks(len(rows)):
            asked = rows[block]
            found = _placed(table, asked, digests[asked] * np.uint64(mixer), bits)
            first[asked] = found
            left.append(asked[digests[found] != digests[asked]])
        rows = np.concatenate(left)
        mixer = mixer * int(_MIXER) % 2**64
        bits = _bits_for(len(rows))
    return first


def numbered(first: Rows) -> tuple[Rows, Rows]:
    """(number of each row in order of appearance, rows that are the first of their number)."""
    is_first = first == np.arange(len(first))
    return (np.cumsum(is_first) - 1)[first], np.flatnonzero(is_first)


def first_of_each(codes: Rows, count: int) -> Rows:
    """The first row of each code; -1 for codes no row has."""
    first = np.full(count, -1, dtype=np.intp)
    # Of several rows with one code the last one assigned stays, so going backwards finds the first.
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1, dtype=np.intp)
    return first


def _says_little(digests: Words) -> bool:
    start = digests[:_BLOCK_ROWS]
    return len(digests) > len(start) and len(np.unique(start)) < len(start) // 16


def _bits_for(count: int) -> int:
    return max(8, (2 * count).bit_length())


def _placed(table: NDArray[np.int32], rows: Rows, mixed: Words, bits: int) -> NDArray[np.int32]:
    """The row that occupies the slot of each of these rows, after they took free slots."""
    places = (mixed >> np.uint64(64 - bits)).astype(np.intp)
    free = np.flatnonzero(table[places] < 0)[::-1]
    # Written from the end, so that of several rows with one place the first one stays.
    table[places[free]] = rows[free]
    return table[places]
