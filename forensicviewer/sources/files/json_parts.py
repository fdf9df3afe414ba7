"""Decodes large JSON documents entry by entry, so that other threads get their turn in between."""

from __future__ import annotations

import json
import re
from typing import Any

# Python decodes this much in a few thousandths of a second, in which no other thread can run.
_AT_ONCE_BYTES = 200_000
_SPACE = re.compile(r"[ \t\n\r]*")
_entry = json.JSONDecoder().raw_decode


def count_values(document: bytes) -> int:
    """About how many values a document has: what it needs in memory, whatever its size."""
    return sum(map(document.count, (b",", b"{", b"[")))


def decode_in_parts(document: bytes) -> object:
    """The same as :func:`json.loads`, errors included."""
    if len(document) <= _AT_ONCE_BYTES:
        return json.loads(document)
    text = document.decode(json.detect_encoding(document), "surrogatepass")
    try:
        return _members(text)
    except (ValueError, IndexError):
        # Not an object with lists, or broken: that tells which, and where.
        return json.loads(text)


def _members(text: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    at = _after(text, 0, "{")
    while True:
        key, at = _entry(text, _after(text, at, '"') - 1)
        at = _begin(text, _after(text, at, ":"))
        found[key], at = _listed(text, at) if text[at] == "[" else _entry(text, at)
        at = _begin(text, at)
        if text[at] == "}":
            break
        at = _after(text, at, ",")
    if _begin(text, at + 1) != len(text):
        raise ValueError("There is text after the end of the document")
    return found


def _listed(text: str, at: int) -> tuple[list[Any], int]:
    """The entries of a list, and where it ends."""
    found: list[Any] = []
    at = _begin(text, _after(text, at, "["))
    while text[at] != "]":
        entry, at = _entry(text, at)
        found.append(entry)
        at = _begin(text, at)
        if text[at] != "]":
            at = _begin(text, _after(text, at, ","))
            if text[at] == "]":
                raise ValueError("An entry is missing")
    return found, at + 1


def _begin(text: str, at: int) -> int:
    """Where the next thing begins."""
    if text[at : at + 1] > " ":
        return at
    space = _SPACE.match(text, at)
    return at if space is None else space.end()


def _after(text: str, at: int, sign: str) -> int:
    at = _begin(text, at)
    if text[at] != sign:
        raise ValueError(f"Not a {sign}")
    return at + 1
