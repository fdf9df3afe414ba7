"""Finds a word in very many short texts at once, ignoring case."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise, product

import numpy as np

from forensicviewer.core.array import Flags, Rows

_BLOCK_BYTES = 1 << 20
_MANY_PER_BLOCK = 2_000
_KNOWN_WORDS = 4
_END = b"\n"


class SearchedCells:
    """Texts in lower case, one after the other in one piece of memory.

    It is searched in blocks of whole cells: a search that holds Python's lock for longer than a
    millisecond would make the window stutter.
    """

    def __init__(self, cells: Sequence[str]) -> None:
        # Ends of lines divide the cells, because no word that is typed holds one.
        joined = "".join([f"{cell}\n" for cell in cells])
        self._text = _folded(joined)
        self._bytes = np.frombuffer(self._text, np.uint8)
        ends = np.flatnonzero(self._bytes == _END[0]) + 1
        if len(ends) != len(cells):
            ends = np.cumsum([len(_folded(cell)) + 1 for cell in cells], dtype=np.intp)
        self._known: dict[bytes, Flags] = {}
        self._starts: Rows = np.concatenate([np.zeros(1, np.intp), ends.astype(np.intp)])

    def __len__(self) -> int:
        return len(self._starts) - 1

    def containing(self, word: str) -> Flags:
        """Whether each cell contains the word; not to be changed."""
        sought = _folded(word)
        if sought not in self._known:
            if len(self._known) >= _KNOWN_WORDS:
                self._known.clear()
            self._known[sought] = self._found(sought)
        return self._known[sought]

    def beginning_with(self, word: str) -> Flags:
        sought = _folded(word)
        return self._standing_at(self._starts[:-1], sought, self._lengths >= len(sought))

    def ending_with(self, word: str) -> Flags:
        sought = _folded(word)
        places = self._starts[1:] - 1 - len(sought)
        return self._standing_at(places, sought, self._lengths >= len(sought))

    def being(self, word: str) -> Flags:
        sought = _folded(word)
        return self._standing_at(self._starts[:-1], sought, self._lengths == len(sought))

    def holding_letters(self, word: str, *, limit: int) -> Rows:
        """The first cells that contain the letters of a word in order.

        Looked for in the first megabyte of cells only: more would take longer than typing.
        """
        letters = (re.escape(_folded(letter)) for letter in word)
        pattern = re.compile(b"[^\n]*?".join(letters))
        found: list[int] = []
        start, end = 0, int(self._starts[next(self._blocks(), slice(0)).stop])
        while len(found) < limit and (hit := pattern.search(self._text, start, end)):
            found.append(int(np.searchsorted(self._starts, hit.start(), "right")) - 1)
            start = int(self._starts[found[-1] + 1])
        return np.array(found, dtype=np.intp)

    @property
    def _lengths(self) -> Rows:
        return np.diff(self._starts) - 1

    def _found(self, sought: bytes) -> Flags:
        flags = np.zeros(len(self), dtype=np.bool_)
        for block in self._blocks():
            start, end = int(self._starts[block.start]), int(self._starts[block.stop])
            hits = self._text.count(sought, start, end)
            if hits > _MANY_PER_BLOCK:
                flags[block] = self._crowded(sought, block)
            elif hits:
                places = np.fromiter(_places(self._text, sought, start, end), np.intp)
                flags[np.searchsorted(self._starts, places, "right") - 1] = True
        flags.setflags(write=False)
        return flags

    def _crowded(self, sought: bytes, block: slice) -> Flags:
        """As searching one by one, at a cost that does not grow with the number of hits."""
        start, end = int(self._starts[block.start]), int(self._starts[block.stop])
        text = self._bytes[start:end]
        begins = np.zeros(len(text), dtype=np.bool_)
        length = len(text) - len(sought) + 1
        begins[:length] = text[:length] == sought[0]
        for offset, sign in enumerate(sought[1:], start=1):
            begins[:length] &= text[offset : offset + length] == sign
        return np.logical_or.reduceat(begins, self._starts[block] - start)

    def _standing_at(self, places: Rows, sought: bytes, has_room: Flags) -> Flags:
        found = has_room.copy()
        for offset, sign in enumerate(sought):
            rows = np.flatnonzero(found)
            found[rows] = self._bytes[places[rows] + offset] == sign
        return found

    def _blocks(self) -> Iterator[slice]:
        wanted = np.arange(0, len(self._text), _BLOCK_BYTES)
        rows = np.unique(np.append(np.searchsorted(self._starts, wanted, "right") - 1, len(self)))
        return (slice(int(first), int(last)) for first, last in pairwise(rows))


class FramedCells:
    """Cells of another column with a fixed prefix and suffix, as file names made from ids.

    They need no memory of their own, and a word is looked for in them where it was looked for
    already.
    """

    def __init__(self, inner: SearchedCells, before: str, after: str) -> None:
        self._inner = inner
        self._before = before.casefold()
        self._after = after.casefold()

    @classmethod
    def of(
        cls, cells: Sequence[str], inner_cells: Sequence[str], inner: SearchedCells
    ) -> FramedCells | None:
        """``None`` where some cell is not the other's in the same frame as the first."""
        if not cells or len(cells) != len(inner_cells) or not inner_cells[0]:
            return None
        before, found, after = cells[0].partition(inner_cells[0])
        pairs = zip(cells, inner_cells, strict=True)
        if not found or any(cell != f"{before}{other}{after}" for cell, other in pairs):
            return None
        return cls(inner, before, after)

    def containing(self, word: str) -> Flags:
        sought = word.casefold()
        if sought in self._before or sought in self._after:
            return np.ones(len(self._inner), dtype=np.bool_)
        found = self._inner.containing(sought).copy()
        # What begins in the frame before a cell, or ends in the one after it, or both.
        places = range(1, len(sought))
        begun = [place for place in places if self._before.endswith(sought[:place])]
        ended = [place for place in places if self._after.startswith(sought[place:])]
        for place in begun:
            found |= self._inner.beginning_with(sought[place:])
        for place in ended:
            found |= self._inner.ending_with(sought[:place])
        for start, end in product(begun, ended):
            if start <= end:
                found |= self._inner.being(sought[start:end])
        return found


def _places(text: bytes, sought: bytes, start: int, end: int) -> Iterator[int]:
    at = text.find(sought, start, end)
    while at >= 0:
        yield at
        at = text.find(sought, at + 1, end)


def _folded(text: str) -> bytes:
    # Names of files may hold half a letter, which is nothing to stop at here.
    return text.casefold().encode(errors="surrogatepass")
