"""The columns a run can be divided by."""

from __future__ import annotations

from collections.abc import Iterator

from forensicviewer.core.model import Task

_FEWEST, _MOST = 2, 20

PARTITION_EXAMPLE = "Column==['first','second']"
QUERY_EXAMPLE = "IsTarget=='Y' and ProbeWidth>1000"


def partition_columns(task: Task) -> Iterator[tuple[str, str]]:
    """Each column with few different cells, and the partition that lists them."""
    for name, column in task.table.columns.items():
        cells = sorted({cell for cell in column.dictionary[1] if cell})
        if _FEWEST <= len(cells) <= _MOST and name.isidentifier():
            listed = ",".join(_quoted(cell) for cell in cells)
            yield name, f"{name}==[{listed}]"


def _quoted(cell: str) -> str:
    escaped = cell.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
