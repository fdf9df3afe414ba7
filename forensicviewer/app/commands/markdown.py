"""Turns the manual's pages, written in Markdown, into sections of HTML with anchors."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_PUNCTUATION = re.compile(r"[\\`*_\[\]<>&#~]")


@dataclass(frozen=True, slots=True)
class ManualSection:
    """A heading and what is below it, as plain words and as HTML that begins with the heading.

    ``anchor`` is how links name it.
    """

    title: str
    anchor: str
    level: int
    text: str
    html: str


@cache
def _parser() -> MarkdownIt:
    """Reads Markdown with tables; HTML inside it stays text."""
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).enable("table")


def sections(text: str) -> list[ManualSection]:
    """The sections of a page in order; a page begins with its title."""
    return [_section(tokens) for tokens in _cut_at_headings(_parser().parse(text))]


def anchor_of(title: str) -> str:
    """The name of a heading in links: ``Reading the panes`` → ``reading-the-panes``."""
    return re.sub(r"[^a-z0-9]+", "-", title.casefold()).strip("-")


def escaped(text: str) -> str:
    """Text for a page with special characters escaped."""
    return _PUNCTUATION.sub(r"\\\g<0>", text)


def code(text: str) -> str:
    """Words for a page that are shown as code is: commands, keys."""
    fence = "``" if "`" in text else "`"
    room = " " if "`" in text else ""
    return f"{fence}{room}{text}{room}{fence}"


def _cut_at_headings(tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
    starts = [i for i, token in enumerate(tokens) if token.type == "heading_open"]
    for start, end in zip(starts, [*starts[1:], len(tokens)], strict=True):
        yield tokens[start:end]


def _section(tokens: Sequence[Token]) -> ManualSection:
    heading, title, *below = tokens
    words = _words([title])
    heading.attrSet("id", anchor_of(words))
    for token, inner in pairwise(below):
        _lay_out(token, inner)
    return ManualSection(
        title=words,
        anchor=anchor_of(words),
        level=int(heading.tag[1]),
        text=_words(below),
        html=_parser().renderer.render(tokens, _parser().options, {}),
    )


def _lay_out(token: Token, inner: Token) -> None:
    """What Qt takes from attributes only."""
    if token.type == "table_open":
        token.attrs |= {"cellspacing": 0, "cellpadding": 6}
    elif token.type == "paragraph_open" and all(x.type == "image" for x in inner.children or ()):
        # Lines as high as images must not be spread as lines of words are.
        token.attrSet("style", "line-height:100%")


def _words(tokens: Sequence[Token]) -> str:
    """Words without their markup."""
    parts = (part for token in tokens for part in (*(token.children or ()), None))
    return " ".join("".join(" " if part is None else part.content or " " for part in parts).split())
