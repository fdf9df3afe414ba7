"""Checks whether the journal of a probe is complete: connected steps, no missing numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from forensicviewer.core.model import Operation
from forensicviewer.core.quality.rule import Suspect


def parts_of(operations: Sequence[Operation]) -> int:
    """The number of unconnected parts of the steps."""
    parent: dict[str, str] = {}

    def root(node: str) -> str:
        while parent.setdefault(node, node) != node:
            node = parent[node]
        return node

    for operation in operations:
        parent[root(operation.start_node)] = root(operation.end_node)
    return len({root(node) for node in parent})


def check_journal(
    operations: Sequence[Operation],
    facts: Mapping[str, str],
    *,
    undescribed: int,
    are_chained: bool,
    has_journals: bool,
) -> Iterator[Suspect]:
    """Report missing rows of a journal.

    ``undescribed`` steps are in the join and not in the journal; ``are_chained`` where the journals
    of the dataset list every step, so that a gap is a missing row; ``has_journals`` where targets
    of the dataset have operations at all.
    """
    if not operations:
        if facts.get("JournalName", "").strip() and has_journals:
            text = f"The journal {facts['JournalName']} lists no operation"
            yield Suspect("journal", text, 0.9)
        return
    if undescribed:
        yield Suspect(
            "journal", f"{undescribed} of {len(operations)} steps are not described", 0.95
        )
    gaps = _gaps([op.sequence for op in operations])
    if gaps:
        yield Suspect("journal", f"Sequence numbers {gaps} are missing", 0.9)
    elif are_chained and parts_of(operations) > 1:
        text = f"The steps form {parts_of(operations)} separate parts: a connecting step is missing"
        yield Suspect("journal", text, 0.7)
    planes = _gaps([op.bit_plane for op in operations])
    if planes:
        yield Suspect("journal", f"Bit plane {planes} does not belong to an operation", 0.6)


def _gaps(numbers: Sequence[int | None]) -> str:
    """The numbers missing between 1 and the largest, in words; few numbers have no gaps."""
    known = {number for number in numbers if number is not None}
    if not known or 0 in known:
        return ""
    missing = [number for number in range(1, max(known)) if number not in known]
    if len(missing) > len(known):
        return ""
    return ", ".join(map(str, missing[:5]))
