"""The charts of a GenAI run as figures, for pages and for separate files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from forensicviewer.app.genai.naming import DISCLAIMER
from forensicviewer.app.genai.review import drawn_curve, operating_point, versions_of
from forensicviewer.app.genai.scoring import SystemResult
from forensicviewer.app.report.svg_figure import (
    Curve,
    Figure,
    FigureAxis,
    NamedPoint,
    Point,
    det_figure,
    roc_figure,
    sheet,
)
from forensicviewer.core.array import Floats

_FPR, _TPR, _FNR = "False positive rate", "True positive rate", "False negative rate"
_TENTHS = tuple(n / 10 for n in range(11))


def figures_of(systems: Sequence[SystemResult], names: Mapping[str, str]) -> list[Figure]:
    """ROC and DET with every system's operating point, reliability, and versions over time."""
    drawn = [system for system in systems if system.whole.trials.has_both_classes]
    found = [_roc(drawn, names), _det(drawn, names)] if drawn else []
    calibrated = [system for system in systems if system.whole.reliability is not None]
    found += [_reliability(calibrated, names)] if calibrated else []
    return [*found, *_versions(systems, names)]


def chart_sheet(systems: Sequence[SystemResult], names: Mapping[str, str]) -> str:
    """The charts as one SVG file, with what the plan wants said beside them."""
    return sheet(figures_of(systems, names), notes=(DISCLAIMER,))


def _roc(systems: Sequence[SystemResult], names: Mapping[str, str]) -> Figure:
    curves = [Curve(names[each.name], _points(*drawn_curve(each))) for each in systems]
    points = [(each, operating_point(each)) for each in systems]
    marks = [NamedPoint(_cutoff(each), at) for each, at in points if at is not None]
    figure = roc_figure(curves, marks=marks)
    x, y = replace(figure.x, label=_FPR), replace(figure.y, label=_TPR)
    return replace(figure, x=x, y=y)


def _det(systems: Sequence[SystemResult], names: Mapping[str, str]) -> Figure:
    curves, marks = [], []
    for each in systems:
        fpr, tpr = drawn_curve(each)
        curves.append(Curve(names[each.name], _points(fpr, 1 - tpr)))
        point = operating_point(each)
        if point is not None:
            marks.append(NamedPoint(_cutoff(each), (point[0], 1 - point[1])))
    figure = det_figure(curves, marks=marks)
    x, y = replace(figure.x, label=_FPR), replace(figure.y, label=_FNR)
    return replace(figure, x=x, y=y)


def _reliability(systems: Sequence[SystemResult], names: Mapping[str, str]) -> Figure:
    curves = []
    for system in systems:
        found = system.whole.reliability
        assert found is not None
        filled = found.counts > 0
        label = f"{names[system.name]}: ECE {found.ece:.4f}"
        curves.append(Curve(label, _points(found.scores[filled], found.targets[filled])))
    calibrated = Curve("calibrated", ((0.0, 0.0), (1.0, 1.0)), is_guide=True)
    return Figure(
        "Reliability, ten bins of equal width",
        FigureAxis("Mean score of the bin", 0.0, 1.0, _TENTHS),
        FigureAxis("Share of AI-generated images", 0.0, 1.0, _TENTHS),
        (*curves, calibrated),
    )


def _versions(systems: Sequence[SystemResult], names: Mapping[str, str]) -> list[Figure]:
    figures = []
    for found in versions_of(systems):
        wholes = [result.whole for result in found.results]
        numbers = {
            "AUC": [whole.auc for whole in wholes],
            "TPR@FPR": [whole.tpr for whole in wholes],
            "EER": [whole.eer for whole in wholes],
            "BrierT": [whole.brier.targets for whole in wholes],
            "BrierN": [whole.brier.nontargets for whole in wholes],
        }
        places = range(1, len(wholes) + 1)
        curves = [
            Curve(name, tuple(zip(map(float, places), values, strict=True)))
            for name, values in numbers.items()
        ]
        said = ", ".join(names[result.name] for result in found.results)
        across = FigureAxis("Version", 0.5, len(wholes) + 0.5, tuple(map(float, places)))
        up = FigureAxis("", 0.0, 1.0, _TENTHS)
        figures.append(Figure(f"Versions of one system: {said}", across, up, tuple(curves)))
    return figures


def _points(x: Floats, y: Floats) -> tuple[Point, ...]:
    return tuple(zip(x.tolist(), y.tolist(), strict=True))


def _cutoff(system: SystemResult) -> str:
    return f"{system.cutoff:g}"
