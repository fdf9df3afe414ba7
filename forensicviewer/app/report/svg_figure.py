"""Draws curves as small SVG images for pages on screen and on paper."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import pairwise
from statistics import NormalDist
from typing import TypeAlias

Point: TypeAlias = tuple[float, float]

# A curve of a million trials is drawn with this many points: more than the image has pixels.
MAX_POINTS = 1500
_WIDTH_PX, _HEIGHT_PX = 460, 400
_LEFT_PX, _RIGHT_PX, _TOP_PX, _BOTTOM_PX = 62, 14, 14, 52
_COLOURS = 6
_TITLE_PX, _LINE_PX, _MARGIN_PX = 26, 15, 12
# What a page's style says, for files that have no page: colours by name, not by variable.
_PAPER_STYLE = """
text { font-family: sans-serif; font-size: 11px; fill: #1b1f24; }
.paper { fill: #ffffff; } .frame { fill: none; stroke: #57606a; }
.grid { stroke: #d0d7de; stroke-width: 0.6; } .mark { fill: #1b1f24; }
.curve { fill: none; stroke-width: 2; } .guide { fill: none; stroke: #57606a; stroke-width: 1; }
.c0 { stroke: #0b5fa5; } .c1 { stroke: #c2410c; } .c2 { stroke: #15803d; }
.c3 { stroke: #7e22ce; } .c4 { stroke: #b45309; } .c5 { stroke: #0f766e; }
"""
_DASHES = ("", "7 4", "2 4", "9 3 2 3")


@dataclass(frozen=True, slots=True)
class FigureAxis:
    """One axis: what it says, where it starts and ends, and its ticks.

    A ``probit`` axis spaces shares as the normal distribution does, as on a DET plot.
    """

    label: str
    low: float
    high: float
    ticks: tuple[float, ...]
    is_percent: bool = False
    probit: bool = False

    def position(self, value: float) -> float:
        """Where a value lies between the axis' ends, 0 to 1; outside it, at the nearer end."""
        scale: Callable[[float], float] = _probit if self.probit else float
        low, high = scale(self.low), scale(self.high)
        return min(1.0, max(0.0, (scale(value) - low) / (high - low)))

    def say(self, value: float) -> str:
        return f"{100 * value:.6g} %" if self.is_percent else f"{value:.6g}"


@dataclass(frozen=True, slots=True)
class Curve:
    """One line of a figure; points that are not numbers break it."""

    label: str
    points: tuple[Point, ...]
    is_guide: bool = False


@dataclass(frozen=True, slots=True)
class NamedPoint:
    """A point worth naming."""

    label: str
    at: Point


@dataclass(frozen=True, slots=True)
class Figure:
    """Curves over two axes."""

    title: str
    x: FigureAxis
    y: FigureAxis
    curves: tuple[Curve, ...]
    marks: tuple[NamedPoint, ...] = ()


_TENTHS = tuple(n / 10 for n in range(11))
_DET_TICKS = (0.001, 0.01, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 0.99, 0.999)


def roc_figure(curves: Iterable[Curve], *, marks: Iterable[NamedPoint] = ()) -> Figure:
    """Correct detection rate over false alarm rate."""
    x = FigureAxis("False alarm rate", 0.0, 1.0, _TENTHS, is_percent=True)
    y = FigureAxis("Correct detection rate", 0.0, 1.0, _TENTHS, is_percent=True)
    chance = Curve("chance", ((0.0, 0.0), (1.0, 1.0)), is_guide=True)
    return Figure("ROC", x, y, (*curves, chance), tuple(marks))


def det_figure(curves: Iterable[Curve], *, marks: Iterable[NamedPoint] = ()) -> Figure:
    """Miss rate over false alarm rate on normal-deviate axes."""
    x = FigureAxis("False alarm rate", 5e-4, 1 - 5e-4, _DET_TICKS, is_percent=True, probit=True)
    y = FigureAxis("Miss rate", 5e-4, 1 - 5e-4, _DET_TICKS, is_percent=True, probit=True)
    equal = Curve("equal error", ((5e-4, 5e-4), (1 - 5e-4, 1 - 5e-4)), is_guide=True)
    bent = [replace(curve, points=_bent(curve.points)) for curve in curves]
    return Figure("DET", x, y, (*bent, equal), tuple(marks))


def _bent(points: Sequence[Point]) -> tuple[Point, ...]:
    """The points, with more between distant ones, because straight lines bend on these axes."""
    found: list[Point] = list(points[:1])
    for (x, y), (next_x, next_y) in pairwise(points):
        length = max(abs(next_x - x), abs(next_y - y))
        steps = 1 + (0 if math.isnan(length) else int(50 * length))
        found += [
            (x + (next_x - x) * step / steps, y + (next_y - y) * step / steps)
            for step in range(1, steps + 1)
        ]
    return tuple(found)


def threshold_figure(title: str, curves: Iterable[Curve], *, y_label: str) -> Figure:
    """A metric between -1 and 1 over the thresholds of NIST's masks, -1 to 255."""
    x = FigureAxis("Threshold", -1.0, 255.0, (0.0, 50.0, 100.0, 150.0, 200.0, 255.0))
    y = FigureAxis(y_label, -1.0, 1.0, (-1.0, -0.5, 0.0, 0.5, 1.0))
    return Figure(title, x, y, tuple(curves))


def draw(figure: Figure) -> str:
    """The figure as one SVG element; its colours come from the page's style."""
    parts = [
        f'<svg viewBox="0 0 {_WIDTH_PX} {_height(figure)}" role="img" '
        f'aria-label="{escape(figure.title)}">',
        *_grid(figure),
        *_lines(figure),
        *_marks(figure),
        *_legend(figure),
        "</svg>",
    ]
    return "\n".join(parts)


def sheet(figures: Sequence[Figure], *, notes: Sequence[str] = ()) -> str:
    """Figures side by side as one file, with lines of notes below; it needs no page's style."""
    columns = min(2, max(1, len(figures)))
    rows = [figures[start : start + columns] for start in range(0, len(figures), columns)]
    parts, top = [], 0
    for row in rows:
        height = max(_height(figure) for figure in row) + _TITLE_PX
        for place, figure in enumerate(row):
            parts.append(f'<g transform="translate({place * _WIDTH_PX} {top + _TITLE_PX})">')
            parts.append(_text(_LEFT_PX, -6, figure.title, anchor="start"))
            parts += [*_grid(figure), *_lines(figure), *_marks(figure), *_legend(figure), "</g>"]
        top += height
    lines = [line for note in notes for line in textwrap.wrap(note, 68 * columns)]
    for line in lines:
        top += _LINE_PX
        parts.append(_text(_MARGIN_PX, top, line, anchor="start", most=None))
    width, height = columns * _WIDTH_PX, top + _MARGIN_PX
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size}><style>{_PAPER_STYLE}</style>'
    paper = f'<rect class="paper" width="{width}" height="{height}"/>'
    return "\n".join([head, paper, *parts, "</svg>", ""])


def _height(figure: Figure) -> int:
    return _HEIGHT_PX + 18 * len(figure.curves)


def _x_px(figure: Figure, value: float) -> float:
    return _LEFT_PX + figure.x.position(value) * (_WIDTH_PX - _LEFT_PX - _RIGHT_PX)


def _y_px(figure: Figure, value: float) -> float:
    return _HEIGHT_PX - _BOTTOM_PX - figure.y.position(value) * (_HEIGHT_PX - _TOP_PX - _BOTTOM_PX)


def _grid(figure: Figure) -> list[str]:
    bottom, right = _HEIGHT_PX - _BOTTOM_PX, _WIDTH_PX - _RIGHT_PX
    parts = [
        f'<rect class="frame" x="{_LEFT_PX}" y="{_TOP_PX}" width="{right - _LEFT_PX}" '
        f'height="{bottom - _TOP_PX}"/>'
    ]
    for tick in figure.x.ticks:
        x = _x_px(figure, tick)
        parts.append(f'<path class="grid" d="M{x:.1f} {_TOP_PX}V{bottom}"/>')
        parts.append(_text(x, bottom + 16, figure.x.say(tick), anchor="middle"))
    for tick in figure.y.ticks:
        y = _y_px(figure, tick)
        parts.append(f'<path class="grid" d="M{_LEFT_PX} {y:.1f}H{right}"/>')
        parts.append(_text(_LEFT_PX - 6, y + 4, figure.y.say(tick), anchor="end"))
    parts.append(_text((_LEFT_PX + right) / 2, bottom + 36, figure.x.label, anchor="middle"))
    middle = (_TOP_PX + bottom) / 2
    turned = f'transform="rotate(-90 12 {middle})"'
    parts.append(_text(12, middle, figure.y.label, anchor="middle", extra=turned))
    return parts


def _lines(figure: Figure) -> list[str]:
    parts = []
    for number, curve in enumerate(figure.curves):
        path = _path(figure, _thinned(curve.points))
        parts.append(f'<path class="{_style(curve, number)}"{_dash(curve, number)} d="{path}"/>')
    return parts


def _path(figure: Figure, points: Sequence[Point]) -> str:
    steps: list[str] = []
    pen_down = False
    for x, y in points:
        if math.isnan(x) or math.isnan(y):
            pen_down = False
            continue
        steps.append(f"{'L' if pen_down else 'M'}{_x_px(figure, x):.1f} {_y_px(figure, y):.1f}")
        pen_down = True
    return "".join(steps)


def _thinned(points: Sequence[Point]) -> Sequence[Point]:
    if len(points) <= MAX_POINTS:
        return points
    step = (len(points) - 1) / (MAX_POINTS - 1)
    return [points[round(step * i)] for i in range(MAX_POINTS)]


def _marks(figure: Figure) -> list[str]:
    parts = []
    for mark in figure.marks:
        x, y = _x_px(figure, mark.at[0]), _y_px(figure, mark.at[1])
        near_right = x > _WIDTH_PX * 0.6
        parts.append(f'<circle class="mark" cx="{x:.1f}" cy="{y:.1f}" r="4"/>')
        parts.append(
            _text(
                x - 8 if near_right else x + 8,
                y + 4,
                mark.label,
                anchor="end" if near_right else "start",
            )
        )
    return parts


def _legend(figure: Figure) -> list[str]:
    parts = []
    for number, curve in enumerate(figure.curves):
        y = _HEIGHT_PX + 18 * number
        line = f'd="M{_LEFT_PX} {y - 4}h28"'
        parts.append(f'<path class="{_style(curve, number)}"{_dash(curve, number)} {line}/>')
        parts.append(_text(_LEFT_PX + 36, y, curve.label, anchor="start"))
    return parts


def _style(curve: Curve, number: int) -> str:
    return "guide" if curve.is_guide else f"curve c{number % _COLOURS}"


def _dash(curve: Curve, number: int) -> str:
    # Colour alone does not distinguish curves for everybody, nor on a grey print.
    dashes = "4 4" if curve.is_guide else _DASHES[number % len(_DASHES)]
    return f' stroke-dasharray="{dashes}"' if dashes else ""


def _text(
    x: float, y: float, text: str, *, anchor: str, extra: str = "", most: int | None = 70
) -> str:
    shown = text if most is None or len(text) <= most else text[: most - 1] + "…"
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {extra}>{escape(shown)}</text>'


def _probit(share: float) -> float:
    return NormalDist().inv_cdf(min(1 - 1e-9, max(1e-9, share)))
