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

Value: TypeAlias = str | float | bool

ORDERINGS: dict[str, Callable[..., object]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


class TableView(ABC):
    """A table as a query sees it: the types of cells and how they compare."""

    query: str

    @abstractmethod
    def __len__(self) -> int:
        """The number of rows."""

    @abstractmethod
    def truths(self, name: str) -> Flags | None:
        """The column's cells as truth values; ``None`` when it holds anything else."""

    @abstractmethod
    def among(self, name: str, wanted: tuple[Value, ...], *, listed: bool) -> Flags:
        """Rows whose cell equals one of the values, which were given one by one or as a list."""

    @abstractmethod
    def equal_columns(self, left: str, right: str) -> Flags:
        """Rows whose cells in both columns are equal."""

    @abstractmethod
    def ordered(self, name: str, sign: str, value: Value) -> Flags:
        """Rows whose cell is smaller or larger than the value."""

    @abstractmethod
    def ordered_columns(self, left: str, sign: str, right: str) -> Flags:
        """Rows whose cell in one column is smaller or larger than in the other."""

    def error(self, message: str, *, hint: str = "") -> QueryError:
        return QueryError(message, where=f"query {self.query!r}", hint=hint, rule="query-type")


class Node:
    """A part of a query: a condition, or a value that is compared."""


class Condition(Node, ABC):
    """A condition on a row."""

    @abstractmethod
    def flags(self, view: TableView) -> Flags:
        """Which rows fulfil this condition."""


@dataclass(frozen=True, slots=True)
class Literal(Condition):
    """A text, number or truth value."""

    value: Value

    def flags(self, view: TableView) -> Flags:
        return np.full(len(view), self.value is True)


@dataclass(frozen=True, slots=True)
class Listed(Node):
    """A list of texts, numbers and truth values."""

    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class NamedColumn(Condition):
    """A column."""

    name: str

    def flags(self, view: TableView) -> Flags:
        truths = view.truths(self.name)
        if truths is None:
            raise view.error(
                f"Column {self.name!r} alone is not a condition",
                hint=f"compare it, for example {self.name}=='value'",
            )
        return truths


@dataclass(frozen=True, slots=True)
class Not(Condition):
    """The opposite of a condition."""

    term: Condition

    def flags(self, view: TableView) -> Flags:
        return ~self.term.flags(view)


@dataclass(frozen=True, slots=True)
class AllOf(Condition):
    """Holds where every term holds."""

    terms: tuple[Condition, ...]

    def flags(self, view: TableView) -> Flags:
        return reduce(np.logical_and, (term.flags(view) for term in self.terms))


@dataclass(frozen=True, slots=True)
class AnyOf(Condition):
    """Holds where some term holds."""

    terms: tuple[Condition, ...]

    def flags(self, view: TableView) -> Flags:
        return reduce(np.logical_or, (term.flags(view) for term in self.terms))


@dataclass(frozen=True, slots=True)
class CellComparison(Condition):
    """``left sign right`` of columns, values and lists."""

    left: Node
    sign: str
    right: Node

    def flags(self, view: TableView) -> Flags:
        if self.sign in ("!=", "not in"):
            return ~_equal(self.left, self.right, view)
        if self.sign in ("==", "in"):
            return _equal(self.left, self.right, view)
        return _ordered(self.left, self.sign, self.right, view)


def _equal(left: Node, right: Node, view: TableView) -> Flags:
    if isinstance(left, NamedColumn) and isinstance(right, NamedColumn):
        return view.equal_columns(left.name, right.name)
    if isinstance(right, NamedColumn):
        left, right = right, left
    wanted = _values(right)
    if isinstance(left, NamedColumn):
        return view.among(left.name, wanted, listed=isinstance(right, Listed))
    return np.full(len(view), any(value in wanted for value in _values(left)))


def _values(node: Node) -> tuple[Value, ...]:
    if isinstance(node, Literal):
        return (node.value,)
    assert isinstance(node, Listed)
    return node.values


def _ordered(left: Node, sign: str, right: Node, view: TableView) -> Flags:
    if isinstance(left, Listed) or isinstance(right, Listed):
        raise view.error(f"A list cannot be compared with {sign}", hint="use == or in with a list")
    if isinstance(left, NamedColumn) and isinstance(right, NamedColumn):
        return view.ordered_columns(left.name, sign, right.name)
    if isinstance(right, NamedColumn):
        left, sign, right = right, _MIRRORED[sign], left
    assert isinstance(right, Literal)
    if isinstance(left, NamedColumn):
        return view.ordered(left.name, sign, right.value)
    assert isinstance(left, Literal)
    if isinstance(left.value, str) != isinstance(right.value, str):
        raise view.error(f"{left.value!r} and {right.value!r} cannot be compared with {sign}")
    return np.full(len(view), bool(ORDERINGS[sign](left.value, right.value)))
