"""Curves for the page of a provenance run."""

from __future__ import annotations

from collections.abc import Sequence

from forensicviewer.app.report.score_output import ScoreOutput
from forensicviewer.app.report.svg_figure import Curve, Figure, FigureAxis

_SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
_MEASURES = ("SimNLO", "SimNO", "SimLO", "NodeRecall")


def graph_figure(output: ScoreOutput) -> Figure:
    """Each measure over the trials, the worst first: where it is low, and how often."""
    rows = next(table for table in output.tables if table.name == "trial_scores.csv").records()
    curves = []
    for name in _MEASURES:
        values = sorted(float(row[name]) for row in rows if row[name])
        curves.append(Curve(name, _steps(values)))
    x = FigureAxis("Share of trials", 0.0, 1.0, _SHARES, is_percent=True)
    y = FigureAxis("Measure", 0.0, 1.0, _SHARES)
    return Figure("Scores of all trials, worst first", x, y, tuple(curves))


def recall_figure(output: ScoreOutput) -> Figure:
    """Mean recall over the length of the list, by type of image."""
    averages = next(table for table in output.tables if table.name == "scores.csv")
    lengths = [
        (name, int(name.removeprefix("NodeRecallAt")))
        for name in averages.columns
        if name.startswith("NodeRecallAt")
    ]
    curves = []
    for row in averages.records():
        points = [(0.0, 0.0), *((float(n), float(row[key])) for key, n in lengths if row[key])]
        curves.append(Curve(row["NodeType"], tuple(points)))
    longest = float(max((n for _, n in lengths), default=1))
    x = FigureAxis("List length", 0.0, longest, (0.0, *(float(n) for _, n in lengths)))
    y = FigureAxis("Mean recall", 0.0, 1.0, _SHARES)
    return Figure("Recall", x, y, tuple(curves))


def _steps(values: Sequence[float]) -> tuple[tuple[float, float], ...]:
    count = len(values)
    points = []
    for i, value in enumerate(values):
        points += [(i / count, value), ((i + 1) / count, value)]
    return tuple(points)
