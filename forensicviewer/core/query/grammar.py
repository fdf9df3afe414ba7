"""NIST's query language: conditions on the columns of a table, read by our own grammar.

The language is the part of ``pandas.DataFrame.query`` that MediScore's users write. Nothing of the
text is ever executed::

    condition  = conjunction {("or" | "|") conjunction}
    conjunction = negation {("and" | "&") negation}
    negation   = "not" negation | comparison
    comparison = operand {("==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "not in") operand}
    operand    = "~" operand | column | `column` | text | number | True | False
               | "[" literals "]" | "(" literals ")" | "(" condition ")"

As in pandas, ``&`` and ``|`` mean ``and`` and ``or`` with their precedence (not Python's), ``~``
binds tightly, ``==`` with a list means ``in``, and ``a <= Column <= b`` holds when both do. The
grammar of partition queries (``-qp``) is in :mod:`forensicviewer.core.query.partition`.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from forensicviewer.core.array import Flags
from forensicviewer.core.problem import QueryError
from forensicviewer.core.query.nodes import (
    AllOf,
    AnyOf,
    CellComparison,
    Condition,
    Listed,
    Literal,
    NamedColumn,
    Node,
    Not,
    TableView,
)
from forensicviewer.core.query.tokens import BACKTICKS, Token, TokenKind, tokens_of
from forensicviewer.core.query.views import TextView, VerbatimView
from forensicviewer.core.table.pandas_types import PandasColumn
from forensicviewer.core.table.text_table import Table

Queries: TypeAlias = str | Iterable[str] | None  # one, several or none, as a user gives them

# Deeper nesting is refused, so that no text can exhaust the interpreter's stack.
MAX_DEPTH = 100

_COMPARISONS = ("==", "!=", "<", "<=", ">", ">=", "in")


def queries_of(queries: Queries) -> tuple[str, ...]:
    """The queries one by one, as text."""
    if queries is None:
        return ()
    return (queries,) if isinstance(queries, str) else tuple(queries)


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query; ``columns`` are the names it uses, in order of first use."""

    text: str
    root: Condition
    columns: tuple[str, ...]

    def matches(self, table: Table, *, text_columns: Collection[str] = ()) -> Flags:
        """Which rows of the table fulfil the query.

        A column whose filled cells are all numbers is compared as numbers, blank cells then being
        no number; ``text_columns`` are compared as text whatever they hold, as MediScore's mask
        scorer does with the columns of the reference. Blanks fulfil no ordering.
        """
        self.check(table.names)
        return self._flags(TextView(table, frozenset(text_columns), self.text))

    def matches_verbatim(self, columns: Mapping[str, PandasColumn]) -> Flags:
        """Which rows fulfil the query for NIST's programs, which ran under Python 2."""
        self.check(columns)
        return self._flags(VerbatimView(columns, self.text))

    def _flags(self, view: TableView) -> Flags:
        if not len(view):
            return np.zeros(0, dtype=bool)
        return np.broadcast_to(self.root.flags(view), len(view)).copy()

    def check(self, names: Collection[str]) -> None:
        """Refuse the query when it uses a column that is not among ``names``."""
        for column in self.columns:
            if column not in names:
                raise _unknown_column(column, names, self.text)


def parse(text: str) -> Query:
    """Read a query; a QueryError says what is wrong and where."""
    if not text.strip():
        raise QueryError("The query is empty", rule="query-empty")
    parser = _Parser(text)
    root = parser.whole()
    return Query(text, root, tuple(parser.columns))


def name_in_query(column: str) -> str:
    """The name of a column as written in a query."""
    try:
        is_plain = parse(f"{column}==1").columns == (column,)
    except QueryError:
        is_plain = False
    return column if is_plain else f"`{column}`"


def _unknown_column(column: str, names: Collection[str], text: str) -> QueryError:
    near = difflib.get_close_matches(column, list(names), n=3, cutoff=0.6)
    folded = [name for name in names if name.lower() == column.lower()]
    close = list(dict.fromkeys([*folded, *near]))
    hint = "did you mean " + " or ".join(close) + "?" if close else "columns: " + _some(names)
    if re.search(rf"[=<>]\s*{re.escape(column)}\b", text):
        hint = f"write words in quotes: {column!r}; {hint}"
    return QueryError(
        f"There is no column {column!r}", where=f"query {text!r}", hint=hint, rule="query-column"
    )


def _some(names: Iterable[str], *, limit: int = 30) -> str:
    listed = list(names)
    rest = f" and {len(listed) - limit} more" if len(listed) > limit else ""
    return ", ".join(listed[:limit]) + rest


class _Parser:
    """Recursive descent over the tokens; collects the columns it meets."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens: Sequence[Token] = tokens_of(text)
        self._at = 0
        self._depth = 0
        self.columns: dict[str, None] = {}

    def whole(self) -> Condition:
        root = self._condition()
        if self._now.kind is not TokenKind.END:
            raise self._unexpected()
        return self._as_condition(root)

    @property
    def _now(self) -> Token:
        return self._tokens[self._at]

    def _take(self) -> Token:
        token = self._now
        self._at += 1
        return token

    def _skip(self, *signs: str) -> str | None:
        if self._now.kind is TokenKind.SIGN and self._now.text in signs:
            return self._take().text
        return None

    def _condition(self) -> Node:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise QueryError(
                "The query is nested too deeply",
                where=f"column {self._now.start + 1} of the query",
                hint=f"at most {MAX_DEPTH} levels of parentheses and 'not'",
                rule="query-depth",
            )
        terms = [self._conjunction()]
        while self._skip("or", "|"):
            terms.append(self._conjunction())
        self._depth -= 1
        return self._joined(AnyOf, terms)

    def _conjunction(self) -> Node:
        terms = [self._negation()]
        while self._skip("and", "&"):
            terms.append(self._negation())
        return self._joined(AllOf, terms)

    def _joined(self, kind: type[AllOf] | type[AnyOf], terms: list[Node]) -> Node:
        if len(terms) == 1:
            return terms[0]
        return kind(tuple(self._as_condition(term) for term in terms))

    def _negation(self) -> Node:
        negations = 0
        while self._skip("not"):
            negations += 1
        term = self._comparison()
        return self._negated(term, negations) if negations else term

    def _negated(self, node: Node, times: int) -> Condition:
        condition = self._as_condition(node)
        return Not(condition) if times % 2 else condition

    def _comparison(self) -> Node:
        operands = [self._operand()]
        signs: list[str] = []
        while sign := self._comparison_sign():
            signs.append(sign)
            operands.append(self._operand())
        if not signs:
            return operands[0]
        for operand in operands:
            self._require_value(operand)
        pairs = zip(operands, signs, operands[1:], strict=False)
        chain = tuple(CellComparison(left, sign, right) for left, sign, right in pairs)
        return chain[0] if len(chain) == 1 else AllOf(chain)

    def _comparison_sign(self) -> str | None:
        if self._now.is_sign("not") and self._tokens[self._at + 1].is_sign("in"):
            self._at += 2
            return "not in"
        return self._skip(*_COMPARISONS)

    def _operand(self) -> Node:
        inversions = 0
        while self._skip("~"):
            inversions += 1
        operand = self._atom()
        return self._negated(operand, inversions) if inversions else operand

    def _atom(self) -> Node:
        token = self._now
        if token.kind is TokenKind.NAME:
            self.columns[token.text] = None
            return NamedColumn(self._take().text)
        if token.kind in (TokenKind.TEXT, TokenKind.NUMBER, TokenKind.TRUTH) or token.is_sign(
            "+", "-"
        ):
            return Literal(self._literal())
        if self._skip("["):
            return Listed(self._literals("]"))
        if self._skip("("):
            return self._bracketed()
        raise self._unexpected()

    def _bracketed(self) -> Node:
        if self._skip(")"):
            return Listed(())
        inner = self._condition()
        if isinstance(inner, Literal) and self._skip(","):
            return Listed((inner.value, *self._literals(")")))
        if not self._skip(")"):
            raise self._unexpected("a closing parenthesis is missing")
        return inner

    def _literals(self, closing: str) -> tuple[str | float | bool, ...]:
        found: list[str | float | bool] = []
        while not self._skip(closing):
            found.append(self._literal())
            if not self._skip(","):
                if self._skip(closing):
                    break
                raise self._unexpected(f"expected ',' or {closing!r}")
        return tuple(found)

    def _literal(self) -> str | float | bool:
        sign = self._skip("+", "-")
        token = self._now
        if token.kind is TokenKind.NUMBER:
            return -self._take().number if sign == "-" else self._take().number
        if sign is None and token.kind is TokenKind.TEXT:
            return self._take().text
        if sign is None and token.kind is TokenKind.TRUTH:
            return self._take().text == "True"
        raise self._unexpected("expected a text in quotes or a number")

    def _as_condition(self, node: Node) -> Condition:
        is_value = isinstance(node, Literal) and not isinstance(node.value, bool)
        if isinstance(node, Condition) and not is_value:
            return node
        raise QueryError(
            "A value alone is not a condition",
            where=f"query {self._text!r}",
            hint="compare a column with it, for example Column=='value'",
            rule="query-syntax",
        )

    def _require_value(self, node: Node) -> None:
        if not isinstance(node, Literal | Listed | NamedColumn):
            raise QueryError(
                "A condition cannot be compared with a value",
                where=f"query {self._text!r}",
                hint="join conditions with 'and', 'or' and 'not'",
                rule="query-syntax",
            )

    def _unexpected(self, detail: str = "") -> QueryError:
        token = self._now
        ended = token.kind is TokenKind.END
        found = "The query ends too early" if ended else f"Unexpected {token.text!r} in the query"
        hints = {"=": "write == to compare", "": "write a comparison as IsTarget=='Y'"}
        if token.kind is TokenKind.NAME or token.text == "-":
            hints[token.text] = BACKTICKS
        return QueryError(
            found + (f": {detail}" if detail else ""),
            where=f"column {token.start + 1} of {self._text!r}",
            hint=hints.get(token.text, "") if not detail else "",
            rule="query-syntax",
        )
