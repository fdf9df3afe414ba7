"""Splits a partition query into the queries of its parts (NIST's ``-qp``)."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from itertools import product

from forensicviewer.core.problem import QueryError
from forensicviewer.core.query.tokens import TokenKind, tokens_of


@dataclass(frozen=True, slots=True)
class Partition:
    """One part: the query that selects it, and its cell under each factor as NIST prints it."""

    query: str
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Partitions:
    """All parts in NIST's order; ``factors`` name the labels, ``ignored`` terms do nothing."""

    factors: tuple[str, ...]
    parts: tuple[Partition, ...]
    ignored: tuple[str, ...]


def partitions(
    text: str, *, columns: Collection[str], knows_greater: bool, verbatim: bool
) -> Partitions:
    """Read a partition query: ``Column==[values]`` terms and common conditions, joined by ``&``.

    Every combination of the listed values is one part, in the order of the lists; terms with ``<``
    are conditions of all parts. ``knows_greater`` says whether terms with ``>`` are conditions too
    (NIST's mask scorer) or ignored (its detection scorer), like any other term. ``verbatim`` cuts
    the text as NIST's code does: all spaces vanish, also those inside values, and ``and`` separates
    terms even in the middle of a word.
    """
    terms = re.split("&|and", text.replace(" ", "")) if verbatim else _terms(text)
    values: dict[str, list[str]] = {}
    conditions: list[str] = []
    factors: list[str] = []
    ignored: list[str] = []
    for term in terms:
        if "==" in term:
            name, _, listed = term.partition("==")
            values[name.strip()] = _listed_texts(listed, term)
            factors.append(name.strip())
        elif "<" in term or (knows_greater and ">" in term):
            conditions.append(term)
            factors.append(_compared(term, columns))
        else:
            ignored.append(term)
    if not factors:
        raise QueryError(
            f"{text!r} is not a column to partition by",
            hint="write Column==['first','second']",
            rule="query-partition",
        )
    return Partitions(tuple(factors), _parts(values, conditions, factors), tuple(ignored))


def _terms(text: str) -> list[str]:
    """The text between the top-level ``and`` and ``&``."""
    found: list[str] = []
    start = depth = 0
    for token in tokens_of(text):
        depth += token.is_sign("(", "[") - token.is_sign(")", "]")
        if token.kind is TokenKind.END or (not depth and token.is_sign("and", "&")):
            found.append(text[start : token.start].strip())
            start = token.end
    return found


def _listed_texts(listed: str, term: str) -> list[str]:
    tokens = tokens_of(listed)
    texts = [token.text for token in tokens if token.kind is TokenKind.TEXT]
    clean = all(
        token.kind in (TokenKind.TEXT, TokenKind.END) or token.is_sign("[", "]", "(", ")", ",")
        for token in tokens
    )
    if not texts or not clean:
        raise QueryError(
            f"A partition needs a list of texts, but has {term!r}",
            hint="write Column==['first','second']",
            rule="query-partition",
        )
    return texts


def _compared(term: str, columns: Collection[str]) -> str:
    """The column of a condition, written as ``a<=Column`` or ``Column<=b``."""
    sides = [side.strip() for side in re.split("[<>|=]+", term)]
    return sides[0] if sides[0] in columns or len(sides) == 1 else sides[1]


def _parts(
    values: dict[str, list[str]], conditions: list[str], factors: list[str]
) -> tuple[Partition, ...]:
    lists = [[(name, _quoted(value)) for value in listed] for name, listed in values.items()]
    found: list[Partition] = []
    for chosen in product(*lists):
        terms = [f"{name}=={value}" for name, value in chosen] + conditions
        labels = [_label(factor, dict(chosen), conditions) for factor in factors]
        found.append(Partition(" & ".join(terms), tuple(labels)))
    return tuple(found)


def _quoted(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _label(factor: str, chosen: dict[str, str], conditions: list[str]) -> str:
    if factor in chosen:
        return chosen[factor]
    return next(condition for condition in conditions if factor in condition)
