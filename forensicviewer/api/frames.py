"""Tables of text as pandas tables, typed as pandas types NIST's files when it reads them.

Columns of whole numbers, numbers and truth values become such; blanks are missing values.
Identifiers and names stay text, also where they are made of digits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from enum import Enum
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from forensicviewer.core.problem import Problem
from forensicviewer.core.table.pandas_types import ColumnKind, PandasColumn
from forensicviewer.core.table.text_table import Column

if TYPE_CHECKING:
    import pandas as pd

_IDENTIFIERS = ("ID", "Name")


def table_of(columns: Mapping[str, Column]) -> pd.DataFrame:
    """The columns as a pandas table."""
    # Imported here, as everywhere: pandas takes half a second to load.
    import pandas as pd

    return pd.DataFrame({name: _typed(name, column) for name, column in columns.items()})


def problem_table(problems: Iterable[Problem]) -> pd.DataFrame:
    """Problems, one row each: how severe, what is wrong, where, and what to do about it."""
    import pandas as pd

    names = [field.name for field in fields(Problem)]
    rows = [[_plain(getattr(problem, name)) for name in names] for problem in problems]
    return pd.DataFrame(rows, columns=names)


def _plain(value: object) -> object:
    return value.value if isinstance(value, Enum) else value


def _typed(name: str, column: Column) -> NDArray[Any]:
    found = _guess(name, column)
    cells = [np.nan if value is None else value for value in found.values]
    # A gap among the values of whole numbers and truth values is one that no row has.
    match found.kind:
        case ColumnKind.DECIMAL:
            values: NDArray[Any] = np.array(cells, np.float64)
        case ColumnKind.TRUTH:
            values = np.array([bool(value) for value in found.values], np.bool_)
        case ColumnKind.WHOLE if all(abs(int(value or 0)) < 2**63 for value in found.values):
            values = np.array([int(value or 0) for value in found.values], np.int64)
        case _:
            values = np.empty(len(cells), dtype=object)
            values[:] = cells
    return values[found.codes]


def _guess(name: str, column: Column) -> PandasColumn:
    if not name.endswith(_IDENTIFIERS):
        return column.typed_as_pandas(blanks_are_gaps=True)
    codes, cells = column.dictionary
    return PandasColumn(ColumnKind.MIXED, codes, tuple(cell or None for cell in cells))
