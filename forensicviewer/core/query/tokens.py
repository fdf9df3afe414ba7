"""Cuts the text of a query into tokens."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto

from forensicviewer.core.problem import QueryError

BACKTICKS = "write a name with spaces or signs in backticks: `My column`"


class TokenKind(Enum):
    """What a token is."""

    NAME = auto()
    TEXT = auto()
    NUMBER = auto()
    TRUTH = auto()
    SIGN = auto()
    END = auto()


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a query, and where it starts and ends in the text."""

    kind: TokenKind
    text: str
    start: int
    end: int
    number: float = 0.0

    def is_sign(self, *signs: str) -> bool:
        return self.kind is TokenKind.SIGN and self.text in signs


_WORDS = frozenset({"and", "or", "not", "in"})
_TRUTHS = frozenset({"True", "False"})
_PATTERN = re.compile(
    r"""(?P<space>\s+)
      | (?P<text>[uU]?(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"))
      | (?P<number>(?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:[eE][+-]?\d+)?(?![\w.]))
      | `(?P<quoted>[^`\n]+)`
      | (?P<word>[^\W\d]\w*)
      | (?P<sign>==|!=|<=|>=|[<>&|~()\[\],=+\-])
    """,
    re.VERBOSE,
)
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"'}


def tokens_of(text: str) -> list[Token]:
    """The tokens of a query, with an END token last."""
    found: list[Token] = []
    at = 0
    while at < len(text):
        match = _PATTERN.match(text, at)
        if match is None:
            raise _unreadable(text, at)
        at = match.end()
        if match.lastgroup != "space":
            found.append(_token(match))
    return [*found, Token(TokenKind.END, "", len(text), len(text))]


def _token(match: re.Match[str]) -> Token:
    start, end = match.span()
    piece = match[match.lastgroup or 0]
    if match.lastgroup == "text":
        return Token(TokenKind.TEXT, _unescaped(piece.lstrip("uU")[1:-1]), start, end)
    if match.lastgroup == "number":
        return Token(TokenKind.NUMBER, piece, start, end, number=float(piece.replace("_", "")))
    if match.lastgroup == "word" and piece in _WORDS:
        return Token(TokenKind.SIGN, piece, start, end)
    if match.lastgroup == "word" and piece in _TRUTHS:
        return Token(TokenKind.TRUTH, piece, start, end)
    kind = TokenKind.SIGN if match.lastgroup == "sign" else TokenKind.NAME
    return Token(kind, piece, start, end)


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(_escape, text) if "\\" in text else text


def _escape(match: re.Match[str]) -> str:
    code = match[1]
    if len(code) > 1:
        return chr(int(code[1:], 16))
    return _ESCAPED.get(code, match[0])


def _unreadable(text: str, at: int) -> QueryError:
    quote = text[at] in "'\"`"
    message = (
        "A quotation mark is not closed"
        if quote
        else f"{text[at]!r} is not part of the query language"
    )
    hint = "" if quote else f"queries do not compute anything; {BACKTICKS}"
    return QueryError(message, where=f"column {at + 1} of {text!r}", hint=hint, rule="query-syntax")
