"""The parts of a parsed query and how each decides about all rows of a table at once."""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import TypeAlias

import numpy as np

from forensicviewer.core.array import Flags
from forensicviewer.core.problem import QueryError
from forensicviewer.core.table import Column, Table

Value: TypeAlias = str | float | bool

_ORDERINGS: dict[str, Callable[..., object]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_TRUTHS = {"True": True, "TRUE": True, "true": True, "False": False, "FALSE": False, "false": False}


@dataclass(frozen=True, slots=True)
class View:
    """A table as a query sees it."""

    table: Table
    text_columns: frozenset[str]
    query: str
    fills_blanks: bool = False

    def is_numeric(self, name: str) -> bool:
        return name not in self.text_columns and self.table[name].is_numeric

    def truths(self, name: str) -> Flags | None:
        """The column's cells as truth values; ``None`` when it holds anything else."""
        codes, distinct = self.table[name].dictionary
        if name in self.text_columns or not all(cell in _TRUTHS for cell in distinct):
            return None
        return np.array([_TRUTHS[cell] for cell in distinct], dtype=bool)[codes]

    def error(self, message: str, *, hint: str = "") -> QueryError:
        return QueryError(message, where=f"query {self.query!r}", hint=hint, rule="query-type")


class Node(ABC):
    """A part of a query: a condition, or a value that is compared."""

    @abstractmethod
    def flags(self, view: View) -> Flags:
        """Which rows fulfil this condition."""


@dataclass(frozen=True, slots=True)
class Literal(Node):
    """A text, number or truth value."""

    value: Value

    def flags(self, view: View) -> Flags:
        return np.full(len(view.table), self.value is True)


@dataclass(frozen=True, slots=True)
class Listed(Node):
    """A list of texts, numbers and truth values."""

    values: tuple[Value, ...]

    def flags(self, view: View) -> Flags:
        raise view.error("A list is no condition")


@dataclass(frozen=True, slots=True)
class Named(Node):
    """A column."""

    name: str

    def flags(self, view: View) -> Flags:
        truths = view.truths(self.name)
        if truths is None:
            raise view.error(
                f"Column {self.name!r} is no condition by itself",
                hint=f"compare it, for example {self.name}=='value'",
            )
        return truths


@dataclass(frozen=True, slots=True)
class Not(Node):
    """The opposite of a condition."""

    term: Node

    def flags(self, view: View) -> Flags:
        return ~self.term.flags(view)


@dataclass(frozen=True, slots=True)
class All(Node):
    """Holds where every term holds."""

    terms: tuple[Node, ...]

    def flags(self, view: View) -> Flags:
        return reduce(np.logical_and, (term.flags(view) for term in self.terms))


@dataclass(frozen=True, slots=True)
class Any(Node):
    """Holds where some term holds."""

    terms: tuple[Node, ...]

    def flags(self, view: View) -> Flags:
        return reduce(np.logical_or, (term.flags(view) for term in self.terms))


@dataclass(frozen=True, slots=True)
class Comparison(Node):
    """``left sign right`` of columns, values and lists."""

    left: Node
    sign: str
    right: Node

    def flags(self, view: View) -> Flags:
        if self.sign in ("!=", "not in"):
            return ~_equal(self.left, self.right, view)
        if self.sign in ("==", "in"):
            return _equal(self.left, self.right, view)
        return _ordered(self.left, self.sign, self.right, view)


def _equal(left: Node, right: Node, view: View) -> Flags:
    if isinstance(left, Named) and isinstance(right, Named):
        return _equal_columns(left.name, right.name, view)
    if isinstance(right, Named):
        left, right = right, left
    wanted = _values(right)
    if isinstance(left, Named):
        return _among(left.name, wanted, view)
    return np.full(len(view.table), any(value in wanted for value in _values(left)))


def _values(node: Node) -> tuple[Value, ...]:
    if isinstance(node, Literal):
        return (node.value,)
    assert isinstance(node, Listed)
    return node.values


def _among(name: str, wanted: tuple[Value, ...], view: View) -> Flags:
    """Rows whose cell equals one of the values.

    A number column equals a number in quotes too: the pandas NIST scored with converted such
    lists. A text never equals a number.
    """
    column = view.table[name]
    texts = {value for value in wanted if isinstance(value, str)}
    if view.is_numeric(name):
        numbers = [float(value) for value in wanted if not isinstance(value, str)]
        if not (view.fills_blanks and column.blank.any()):
            numbers += _numbers_in(texts)
        found = np.isin(column.numbers, numbers)
        return found | column.blank if "" in texts else found
    found = _by_cell(column, lambda cell: cell in texts)
    truth_values = {value for value in wanted if not isinstance(value, str) and value in (0, 1)}
    truths = view.truths(name) if truth_values else None
    if truths is not None:
        found |= np.isin(truths, [bool(value) for value in truth_values])
    return found


def _numbers_in(texts: set[str]) -> list[float]:
    numbers = Column.of(sorted(texts)).numbers
    return [float(number) for number in numbers if not np.isnan(number)]


def _by_cell(column: Column, holds: Callable[[str], bool]) -> Flags:
    """Decide once per distinct cell: a million rows rarely hold more than a few."""
    codes, distinct = column.dictionary
    decided = np.fromiter((holds(cell) for cell in distinct), dtype=bool, count=len(distinct))
    return decided[codes]


def _equal_columns(left: str, right: str, view: View) -> Flags:
    if view.is_numeric(left) != view.is_numeric(right):
        return np.zeros(len(view.table), dtype=bool)
    if view.is_numeric(left):
        return np.equal(view.table[left].numbers, view.table[right].numbers)
    return np.equal(view.table[left].cells, view.table[right].cells).astype(bool)


def _ordered(left: Node, sign: str, right: Node, view: View) -> Flags:
    if isinstance(left, Listed) or isinstance(right, Listed):
        raise view.error(f"A list cannot be compared with {sign}", hint="use == or in with a list")
    if isinstance(left, Named) and isinstance(right, Named):
        return _ordered_columns(left.name, sign, right.name, view)
    if isinstance(right, Named):
        left, sign, right = right, _MIRRORED[sign], left
    assert isinstance(right, Literal)
    if isinstance(left, Named):
        return _ordered_by_value(left.name, sign, right.value, view)
    assert isinstance(left, Literal)
    if isinstance(left.value, str) != isinstance(right.value, str):
        raise view.error(f"{left.value!r} and {right.value!r} cannot be compared with {sign}")
    return np.full(len(view.table), bool(_ORDERINGS[sign](left.value, right.value)))


def _ordered_by_value(name: str, sign: str, value: Value, view: View) -> Flags:
    compare = _ORDERINGS[sign]
    if not isinstance(value, str):
        return _ordered_by_number(name, sign, float(value), view)
    if view.is_numeric(name):
        raise view.error(
            f"Column {name!r} holds numbers and cannot be compared with a text by {sign}",
            hint=f"write the number without quotes: {name} {sign} {value}",
        )
    return _by_cell(view.table[name], lambda cell: bool(compare(cell, value)))


def _ordered_by_number(name: str, sign: str, value: float, view: View) -> Flags:
    column = view.table[name]
    if view.is_numeric(name):
        found = np.asarray(_ORDERINGS[sign](column.numbers, value), dtype=bool)
        return found | column.blank if view.fills_blanks and sign in (">", ">=") else found
    if view.fills_blanks:
        return np.full(len(column), sign in (">", ">="))
    raise view.error(
        f"Column {name!r} is text and cannot be compared with a number by {sign}",
        hint=_example(column),
    )


def _ordered_columns(left: str, sign: str, right: str, view: View) -> Flags:
    if view.is_numeric(left) != view.is_numeric(right):
        raise view.error(f"Columns {left!r} and {right!r} hold text and numbers")
    numeric = view.is_numeric(left)
    first, second = view.table[left], view.table[right]
    if numeric:
        return np.asarray(_ORDERINGS[sign](first.numbers, second.numbers), dtype=bool)
    return np.asarray(_ORDERINGS[sign](first.cells, second.cells), dtype=bool)


def _example(column: Column) -> str:
    return f"the first cell is {column[0]!r}" if len(column) else ""
