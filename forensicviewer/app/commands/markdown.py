"""Turns the manual's pages, written in a small part of Markdown, into HTML with anchors.

Headings, paragraphs, lists, tables, pictures, links, **bold** and `code`: no more, so that a page
looks the same in every version of Qt.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

_CODE = re.compile(r"`([^`]+)`")
_BOLD = re.compile(r"\*\*([^*]+)\*\*")
_PICTURE = re.compile(r"!\[([^\]]*)\]\(([^)\s]+)\)")
_LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")
_NUMBER = re.compile(r"\d+\. ")
_HEADING = re.compile(r"(#{1,4}) (.+)")
_TAG = re.compile(r"</?kbd\b[^>]*>")
_CELL_END = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the words below it; ``anchor`` is how links name it."""

    title: str
    anchor: str
    level: int
    text: str


def to_html(text: str) -> list[str]:
    """A page as HTML, in parts that each begin with a heading: long pages are shown in turns."""
    parts: list[list[str]] = [[]]
    for block in _blocks(text):
        if block[0].startswith(("## ", "### ", "#### ")):
            parts.append([])
        parts[-1].append(_block(block))
    return ["\n".join(part) for part in parts if part]


def sections(text: str) -> list[Section]:
    """The headings of a page in order, each with its words as plain text."""
    found: list[Section] = []
    body: list[str] = []
    for line in text.splitlines():
        heading = _HEADING.match(line)
        if heading is None:
            body.append(line)
            continue
        found = _with_text(found, body)
        title = plain(heading[2])
        found.append(Section(title, anchor_of(title), len(heading[1]), ""))
        body = []
    return _with_text(found, body)


def anchor_of(title: str) -> str:
    """The name of a heading in links: ``Reading the panes`` → ``reading-the-panes``."""
    return re.sub(r"[^a-z0-9]+", "-", title.casefold()).strip("-")


def plain(text: str) -> str:
    """Words without their markup."""
    shown = _PICTURE.sub(r"\1", text.replace("\\|", "|"))
    shown = _LINK.sub(r"\1", shown)
    shown = _TAG.sub(" ", _BOLD.sub(r"\1", _CODE.sub(r"\1", shown)))
    return " ".join(shown.replace("|", " ").split())


def links(text: str) -> list[str]:
    """Where a page's links and pictures lead."""
    return [found[2] for found in (*_PICTURE.finditer(text), *_LINK.finditer(text))]


def link(words: str, target: str) -> str:
    """Words that lead somewhere, as HTML."""
    return f'<a href="{html.escape(target)}">{html.escape(words)}</a>'


def _with_text(found: list[Section], body: list[str]) -> list[Section]:
    if not found:
        return found
    last = found[-1]
    return [*found[:-1], Section(last.title, last.anchor, last.level, plain("\n".join(body)))]


def _blocks(text: str) -> list[list[str]]:
    """Lines that belong together: a heading alone, everything else until a blank line."""
    blocks: list[list[str]] = [[]]
    for line in text.splitlines():
        if not line.strip():
            blocks.append([])
        elif _HEADING.match(line):
            blocks += [[line], []]
        else:
            blocks[-1].append(line)
    return [block for block in blocks if block]


def _block(lines: list[str]) -> str:
    first = lines[0]
    heading = _HEADING.match(first)
    if heading is not None:
        level, title = len(heading[1]), heading[2]
        name = anchor_of(plain(title))
        return f'<h{level}><a name="{name}"></a>{_inline(title)}</h{level}>'
    if first.startswith("|"):
        return _table(lines)
    if first.startswith("- "):
        return _list("ul", _items(lines, lambda line: line.startswith("- ")))
    if _NUMBER.match(first):
        return _list("ol", _items(lines, lambda line: _NUMBER.match(line) is not None))
    if _PICTURE.fullmatch(first.strip()):
        # Lines as high as pictures must not be spread as lines of words are.
        return f'<p style="line-height:100%">{_inline(first.strip())}</p>'
    return f"<p>{_inline(' '.join(line.strip() for line in lines))}</p>"


def _items(lines: Iterable[str], begins: Callable[[str], bool]) -> list[str]:
    items: list[str] = []
    for line in lines:
        if begins(line):
            items.append(line.split(" ", 1)[1])
        else:
            items[-1] += f" {line.strip()}"
    return items


def _list(tag: str, items: list[str]) -> str:
    inner = "".join(f"<li>{_inline(item)}</li>" for item in items)
    return f"<{tag}>{inner}</{tag}>"


def _table(lines: list[str]) -> str:
    rows = [[cell.strip() for cell in _CELL_END.split(line.strip())[1:-1]] for line in lines]
    has_head = len(rows) > 1 and all(set(cell) <= set("-: ") for cell in rows[1])
    shown = []
    if has_head:
        shown.append("".join(f"<th>{_inline(cell)}</th>" for cell in rows[0]))
        rows = rows[2:]
    shown += ["".join(f"<td>{_inline(cell)}</td>" for cell in row) for row in rows]
    inner = "".join(f"<tr>{row}</tr>" for row in shown)
    return f'<table cellspacing="0" cellpadding="6">{inner}</table>'


def _inline(text: str) -> str:
    """Markup within a line; tags are those the manual's tables are filled with."""
    kept: list[str] = []

    def keep(found: re.Match[str]) -> str:
        kept.append(found[0])
        return f"\0{len(kept) - 1}\0"

    shown = html.escape(_TAG.sub(keep, text.replace("\\|", "|")), quote=False)
    shown = _CODE.sub(r"<code>\1</code>", shown)
    shown = _PICTURE.sub(r'<img src="\2" alt="\1">', shown)
    shown = _LINK.sub(r'<a href="\2">\1</a>', shown)
    shown = _BOLD.sub(r"<b>\1</b>", shown)
    return re.sub("\0(\\d+)\0", lambda found: kept[int(found[1])], shown)
