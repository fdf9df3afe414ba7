"""Runs of a benchmark as pandas tables: results by dataset, and robustness by attack and level."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from forensicviewer.api.arguments import StrPath, paths_of, truth
from forensicviewer.app.grid import grid as grids
from forensicviewer.app.imdl import robustness as attacks
from forensicviewer.core.problem import ProblemLog, UsageError

if TYPE_CHECKING:
    import pandas as pd


def results_grid(
    runs: StrPath | Iterable[StrPath] = (), *, metric: str = "F1", published: bool = False
) -> pd.DataFrame:
    """Runs against datasets for one metric, as ``forensicviewer results-grid`` writes them.

    ``runs`` are folders; ``published`` adds the figures of the IMDL-BenCo paper. What cannot be
    read is listed in ``table.attrs["problems"]``.
    """
    import pandas as pd

    if metric not in grids.METRICS:
        raise UsageError(f"{metric!r} is not one of {', '.join(grids.METRICS)}")
    log = ProblemLog()
    found = grids.read_runs(paths_of(runs), log)
    figures = grids.published_runs(metric) if truth("published", published) else ()
    grid = grids.make_grid([*found, *figures], metric)
    rows = [
        (*grid.titles(run), *(cell.value for cell in line))
        for run, line in zip(grid.runs, grid.cells, strict=True)
    ]
    table = pd.DataFrame(rows, columns=list(grid.columns))
    numbers = list(grid.columns[3:])
    table[numbers] = table[numbers].astype(float)
    table.attrs["problems"] = [str(problem) for problem in log]
    return table


def robustness(runs: StrPath | Iterable[StrPath]) -> pd.DataFrame:
    """F1 by run, attack and level, from folders of robustness tests; attack ``none`` is without.

    What cannot be read is listed in ``table.attrs["problems"]``.
    """
    import pandas as pd

    log = ProblemLog()
    rows = [
        (run.name, point.attack, point.level, point.f1)
        for run in attacks.read_runs(paths_of(runs), log)
        for point in run.points
        if point.f1 is not None
    ]
    table = pd.DataFrame(rows, columns=list(attacks.COLUMNS))
    table.attrs["problems"] = [str(problem) for problem in log]
    return table
