"""The curves of temporal scores: every probe's MCC, and what a wider collar would do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from forensicviewer.app.report.score_output import ScoreOutput
from forensicviewer.app.report.svg_figure import Curve, Figure, FigureAxis, NamedPoint
from forensicviewer.app.temporal.journal import journal_rows
from forensicviewer.app.temporal.scoring import score_stream
from forensicviewer.app.temporal.trials import (
    Extents,
    Stream,
    TemporalReader,
    TemporalSettings,
    no_extents,
)
from forensicviewer.core.model import Submission, Task
from forensicviewer.core.problem import ProblemLog

_MOST_QUERIES = 6
_COLLARS = (0, 1, 2, 3, 5, 8, 12, 16, 20, 25, 30)
_MCC_AXIS = FigureAxis("MCC", -1.0, 1.0, (-1.0, -0.5, 0.0, 0.5, 1.0))


def temporal_figures(
    output: ScoreOutput,
    task: Task,
    submission: Submission,
    settings: TemporalSettings,
    *,
    extents: Extents = no_extents,
) -> tuple[Figure, ...]:
    """Figures for the page of a run; none where nothing was scored."""
    tables = {table.name: table for table in output.tables}
    names = {row["id"]: row["query"] for row in tables["query_table_join.csv"].records()}
    values: dict[str, list[float]] = {}
    for row in tables["scores_probes.csv"].records():
        values.setdefault(row["query"], []).append(float(row["MCC"]))
    if not values:
        return ()
    return (
        _probes_figure({names[number]: found for number, found in values.items()}),
        _collar_figure(task, submission, settings, extents),
    )


def _probes_figure(values: Mapping[str, list[float]]) -> Figure:
    longest = max(map(len, values.values()))
    curves = [
        Curve(query, tuple((float(i), mcc) for i, mcc in enumerate(sorted(found), start=1)))
        for query, found in list(values.items())[:_MOST_QUERIES]
    ]
    x = FigureAxis("Probes, worst first", 1.0, max(2.0, float(longest)), _whole_ticks(longest))
    return Figure("MCC of every probe", x, _MCC_AXIS, tuple(curves))


def _collar_figure(
    task: Task, submission: Submission, settings: TemporalSettings, extents: Extents
) -> Figure:
    """The mean of the first query over the collar, with the collar of this run marked."""
    collars = sorted({*_COLLARS, settings.collar})
    rows = journal_rows(task)
    points = []
    for collar in collars:
        chosen = replace(settings, collar=collar, queries=settings.queries[:1])
        reader = TemporalReader(task, submission, chosen, ProblemLog(), extents)
        found = [result.confusion.mcc for result in score_stream(rows, reader, Stream.VIDEO)]
        points.append((float(collar), sum(found) / len(found) if found else float("nan")))
    x = FigureAxis("Collar in frames", 0.0, float(collars[-1]), _whole_ticks(collars[-1]))
    here = next(point for point in points if point[0] == settings.collar)
    curve = Curve(settings.queries[0], tuple(points))
    mark = NamedPoint(f"collar {settings.collar}", here)
    return Figure("Mean MCC over the collar", x, _MCC_AXIS, (curve,), (mark,))


def _whole_ticks(longest: int) -> tuple[float, ...]:
    step = max(1, -(-longest // 8))
    return tuple(float(tick) for tick in range(0, longest + 1, step))
