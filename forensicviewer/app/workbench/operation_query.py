"""Selected operations as the query that selects them on the command line."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from forensicviewer.core.model import Operation


def query_for(operations: Sequence[Operation], selected: Collection[int] | None) -> str:
    """The shortest ``--query-manipulation`` that selects these of a trial's operations.

    By name where names tell them apart, else by purpose, else by their nodes in the journal. Blank
    when everything is selected, because then no query is needed, and while there are none: a
    session knows the selection before the trial is read.
    """
    if selected is None or not operations:
        return ""
    selected = {number for number in selected if number < len(operations)}
    if len(selected) == len(operations):
        return ""
    if not selected:
        return "Operation==[]"
    for column, key in _COLUMNS:
        values = _telling_apart(operations, selected, key)
        if values is not None:
            return f"{column}=={_listed(values)}"
    return " or ".join(_by_nodes(operations[i]) for i in sorted(selected))


_COLUMNS: tuple[tuple[str, Callable[[Operation], str]], ...] = (
    ("Operation", lambda operation: operation.name),
    ("Purpose", lambda operation: operation.purpose),
)


def _telling_apart(
    operations: Sequence[Operation], selected: Collection[int], key: Callable[[Operation], str]
) -> list[str] | None:
    """The values only selected operations have, if every selected one has such a value."""
    chosen = {key(operations[i]) for i in selected}
    others = {key(found) for i, found in enumerate(operations) if i not in selected}
    if chosen & others or "" in chosen:
        return None
    return sorted(chosen)


def _by_nodes(operation: Operation) -> str:
    parts = (
        ("JournalName", operation.journal),
        ("StartNodeID", operation.start_node),
        ("EndNodeID", operation.end_node),
    )
    return "(" + " and ".join(f"{name}=={_quoted(value)}" for name, value in parts) + ")"


def _listed(values: Sequence[str]) -> str:
    return "[" + ", ".join(_quoted(value) for value in values) + "]"


def _quoted(value: str) -> str:
    """The value as the query language writes texts, escaped only where that cannot be helped."""
    value = value.replace("\\", "\\\\")
    if "'" in value and '"' not in value:
        return f'"{value}"'
    escaped = value.replace("'", "\\'")
    return f"'{escaped}'"
