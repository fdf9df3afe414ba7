"""Decoding a document in parts equals decoding it at once."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forensicviewer.sources.files import json_parts
from forensicviewer.sources.files.json_parts import decode_in_parts

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner)
)


@pytest.fixture(autouse=True)
def everything_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_parts, "_AT_ONCE_BYTES", -1)


@given(
    content=st.dictionaries(st.text(), values) | values,
    indent=st.sampled_from([None, 1]),
    encoding=st.sampled_from(["utf-8", "utf-16"]),
)
def test_parts_make_the_whole(content: object, *, indent: int | None, encoding: str) -> None:
    document = json.dumps(content, indent=indent, ensure_ascii=False)

    assert decode_in_parts(document.encode(encoding, "surrogatepass")) == content


def test_of_a_repeated_name_the_last_counts() -> None:
    assert decode_in_parts(b'{"nodes": [1], "nodes": [2, 3]}') == {"nodes": [2, 3]}


@pytest.mark.parametrize(
    "document",
    [
        b"",
        b"{",
        b'{"nodes"',
        b'{"nodes": [1, 2',
        b'{"nodes": [1, 2,]}',
        b'{"nodes": [1 2]}',
        b'{"nodes": [,]}',
        b'{"nodes": [1]} more',
        b'{"nodes": [1],}',
        b"{1: [2]}",
        b'{"nodes": [1] "links": []}',
        b'{"nodes": "\xff"}',
    ],
)
def test_what_is_broken_is_told_in_the_same_words(document: bytes) -> None:
    assert _said_of(decode_in_parts, document) == _said_of(json.loads, document)


def _said_of(decode: Callable[[bytes], object], document: bytes) -> str:
    try:
        return f"decoded: {decode(document)}"
    except ValueError as error:
        return str(error)


def test_a_document_nested_too_deeply_is_refused_as_ever() -> None:
    deep: Any = b'{"nodes": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"

    with pytest.raises(RecursionError):
        decode_in_parts(deep)
