"""The view as a file: every pane, a caption with the numbers, and the legend."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from PySide6.QtCore import QBuffer, QIODevice, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QGuiApplication,
    QImage,
    QImageWriter,
    QPainter,
)
from PySide6.QtSvg import QSvgGenerator

from forensicviewer import __version__
from forensicviewer.app.language.units import AreaUnit
from forensicviewer.app.language.words import in_english
from forensicviewer.app.runtime.atomic import write_bytes
from forensicviewer.app.workbench.legend_counts import (
    Counted,
    LegendCount,
    describe_colors,
    describe_counted,
    is_margin,
    legend_counts,
    printed_counted,
)
from forensicviewer.app.workbench.loaded_trial import LoadedTrial
from forensicviewer.app.workbench.metric_values import ruled_scores
from forensicviewer.app.workbench.snapping import threshold_on
from forensicviewer.app.workbench.state import Layer, Pane, Viewpoint, ViewState
from forensicviewer.core.array import Size
from forensicviewer.core.layer_pixels import operation_color
from forensicviewer.core.model import Answer, Side
from forensicviewer.core.problem import ForensicViewerError
from forensicviewer.ui.panes.drawing import (
    PaneColors,
    PaneDrawing,
    describe_rotation,
    fitted,
    side_size,
    title_of,
    window_at,
)
from forensicviewer.ui.panes.layers import describe_lens, layer_facts
from forensicviewer.ui.panes.score_scale import LEVELS, ScoreScale, draw_scale, scale_of
from forensicviewer.ui.widgets.swatch import draw_swatch, outcome_hatch

_GAP = 10
_TITLE_PX = 15
_TEXT_PX = 12
_LINE_PX = 20
_BETWEEN = " · "
_SHORTEST_PX = 240
# The caption of a full-size export needs some width even where the image is a stamp.
_NARROWEST_FULL_PX = 720
_MOST_PIXELS = 250_000_000
_ACCENT = QColor("#1d5fd1")


@dataclass(frozen=True, slots=True)
class Sheet:
    """The colours of an exported sheet."""

    paper: QColor
    text: QColor
    canvas: QColor


LIGHT_SHEET = Sheet(QColor("#ffffff"), QColor("#181d27"), QColor("#e4e7ec"))
DARK_SHEET = Sheet(QColor("#15181d"), QColor("#e6e9ef"), QColor("#0e1013"))


def picture_of(
    state: ViewState,
    size: QSize,
    *,
    sheet: Sheet | None = None,
    pin: tuple[int, int] | None = None,
) -> QImage:
    """What the panes show, as an image of that size, with caption and legend.

    ``pin`` is a pixel to be marked.
    """
    wide = size.expandedTo(QSize(_SHORTEST_PX, _SHORTEST_PX))
    image = QImage(wide, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    _draw_sheet(painter, state, wide, sheet or sheet_now(), pin)
    painter.end()
    image.setText("Description", caption_of(state))
    image.setText("Software", f"forensicviewer {__version__}")
    return image


def svg_of(state: ViewState, size: QSize, *, sheet: Sheet | None = None) -> bytes:
    """The same as SVG: captions and legend stay text, images stay pixels."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(size)
    generator.setViewBox(QRect(0, 0, size.width(), size.height()))
    generator.setTitle("forensicviewer")
    generator.setDescription(caption_of(state))
    painter = QPainter(generator)
    _draw_sheet(painter, state, size, sheet or sheet_now())
    painter.end()
    return bytes(buffer.data().data())


def full_picture(state: ViewState, *, sheet: Sheet) -> QImage:
    """The active pane alone, one pixel of the file for each of its own, with caption and legend.

    Safe on any thread: it draws by itself from what the state holds.
    """
    active = state.arrangement.active
    pane = state.arrangement.panes[active]
    whole = side_size(state, pane)
    if whole.width * whole.height > _MOST_PIXELS:
        raise ForensicViewerError(
            f"{whole.width} × {whole.height} pixels exceed the limit of one file",  # noqa: RUF001
            hint="zoom to the part you need and export the view",
        )
    viewpoint = Viewpoint(whole.width / 2, whole.height / 2, 1.0)
    alone = replace(
        state,
        arrangement=replace(state.arrangement, maximised=active),
        is_linked=True,
        viewpoints={pane.side: viewpoint},
    )
    pane_size = QSize(max(whole.width, _NARROWEST_FULL_PX), whole.height)
    return picture_of(*sheet_for(alone, pane_size, columns=1), sheet=sheet)


def sheet_for(state: ViewState, pane: QSize, *, columns: int) -> tuple[ViewState, QSize]:
    """What to draw, and how large, so that every pane has the size and the place it is given."""
    arranged = replace(state, arrangement=replace(state.arrangement, columns=columns))
    rows = math.ceil(len(_positions(arranged)) / columns)
    width = columns * pane.width() + _GAP * (columns - 1)
    caption, legend = _Caption(arranged, width), _Legend(arranged, width)
    height = rows * (pane.height() + _LINE_PX) + _GAP * (rows - 1)
    height += round(caption.height) + _GAP + round(legend.height)
    return arranged, QSize(width + 2 * _GAP, height + 2 * _GAP)


def save_picture(picture: QImage, path: Path) -> None:
    """Write an image whole, or leave the old file as it was."""
    buffer = QBuffer()
    writer = QImageWriter(buffer, path.suffix.removeprefix(".").encode())
    if not writer.write(picture):
        raise ForensicViewerError(
            "The image cannot be written", where=path, hint=writer.errorString()
        )
    write_bytes(path, bytes(buffer.data().data()))


def caption_of(state: ViewState) -> str:
    """The trial, the submission, the threshold and what is scored, in one line."""
    return _BETWEEN.join(_caption_parts(state))


def _caption_parts(state: ViewState) -> list[str]:
    loaded = state.loaded
    if loaded is None:
        return ["No trial"]
    parts = [str(loaded.trial.id)]
    if loaded.donor is not None:
        parts.append(f"{state.side.word} side")
    parts += _scores_of(state, loaded, state.side, 0)
    if loaded.sweep(state.side, 0) is not None:
        kernels = loaded.request.kernels
        widths = (kernels.erode_px, kernels.dilate_px, kernels.distraction_px)
        parts.append(f"kernels {kernels.shape.value} " + "/".join(str(width) for width in widths))
    if state.scoring.selected is not None:
        parts.append(f"{len(state.scoring.selected)} of {len(loaded.trial.operations)} operations")
    return parts


def _scores_of(state: ViewState, loaded: LoadedTrial, side: Side, number: int) -> list[str]:
    """The name of a system, its threshold and what it scores there."""
    parts = []
    system = loaded.system(side, number)
    if system is not None:
        parts.append(system.name)
        parts += _describe_score(loaded, system.answer)
    threshold = threshold_on(state, side, system=number)
    scores = ruled_scores(state, side, number, threshold)
    if scores:
        parts.append(f"threshold {state.shown_threshold(threshold)}")
        known = ((name, scores[name]) for name in ("MCC", "NMM"))
        parts += [f"{name} {value:.4f}" for name, value in known if not math.isnan(value)]
    return parts


def _describe_score(loaded: LoadedTrial, answer: Answer | None) -> list[str]:
    """The score of a trial where a score is all a system says."""
    if loaded.request.task.kind.has_masks or answer is None or answer.confidence is None:
        return []
    return [f"score {answer.confidence:g}"]


def sheet_now() -> Sheet:
    """The colours of the theme in force."""
    window = QGuiApplication.palette().window().color()
    return DARK_SHEET if window.lightness() < 128 else LIGHT_SHEET


@in_english()
def _draw_sheet(
    painter: QPainter,
    state: ViewState,
    size: QSize,
    sheet: Sheet,
    pin: tuple[int, int] | None = None,
) -> None:
    # Where the mouse happens to be is nobody's business on paper.
    state = replace(state, cursor=pin, highlighted=None)
    painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
    area = QRectF(0, 0, size.width(), size.height())
    painter.fillRect(area, sheet.paper)
    inner = area.adjusted(_GAP, _GAP, -_GAP, -_GAP)
    caption, legend = _Caption(state, inner.width()), _Legend(state, inner.width())
    caption.draw(painter, inner.topLeft(), sheet)
    legend.draw(painter, inner.left(), inner.bottom() - legend.height, sheet)
    between = inner.adjusted(0, caption.height, 0, -legend.height - _GAP)
    _draw_panes(painter, state, between, sheet)


def _draw_panes(painter: QPainter, state: ViewState, area: QRectF, sheet: Sheet) -> None:
    positions = _positions(state)
    columns = state.arrangement.columns or _columns(len(positions), area, state)
    columns = min(columns, len(positions))
    rows = math.ceil(len(positions) / columns)
    width = (area.width() - _GAP * (columns - 1)) / columns
    height = (area.height() - _GAP * (rows - 1)) / rows
    for place, position in enumerate(positions):
        left = area.left() + (place % columns) * (width + _GAP)
        top = area.top() + (place // columns) * (height + _GAP)
        _draw_pane(painter, state, position, QRectF(left, top, width, height), sheet)


def _positions(state: ViewState) -> list[int]:
    """The panes on the screen, by their place in the arrangement."""
    alone = state.arrangement.maximised
    return list(range(len(state.arrangement.panes))) if alone is None else [alone]


def _columns(number: int, area: QRectF, state: ViewState) -> int:
    size = state.loaded.probe.size if state.loaded is not None else Size(4, 3)
    aspect = size.width / max(1, size.height)

    def scale(columns: int) -> float:
        rows = math.ceil(number / columns)
        return min(area.width() / columns / aspect, area.height() / rows)

    return max(range(1, number + 1), key=lambda columns: (round(scale(columns)), -columns))


def _draw_pane(
    painter: QPainter, state: ViewState, position: int, area: QRectF, sheet: Sheet
) -> None:
    pane = state.arrangement.panes[position]
    has_donor = state.loaded is not None and state.loaded.donor is not None
    painter.setFont(_font(_TEXT_PX, bold=True))
    painter.setPen(sheet.text)
    strip = QRectF(area.left(), area.top(), area.width(), _LINE_PX)
    parts = [title_of(state, pane, with_side=has_donor), *_oddities(state, pane)]
    is_captioned = (pane.side, pane.system) == (state.side, 0)
    if pane.layer is Layer.COMPARISON and state.loaded is not None and not is_captioned:
        # The caption tells one system on one side only.
        scores = _scores_of(state, state.loaded, pane.side, pane.system)
        parts += scores[0 if pane.system else 1 :]
    title = _whole_parts(parts, QFontMetricsF(painter.font()), strip.width())
    painter.drawText(strip, Qt.AlignmentFlag.AlignVCenter, title)
    screen = Size(max(1, int(area.width())), max(1, int(area.height() - _LINE_PX)))
    image = QImage(screen.width, screen.height, QImage.Format.Format_RGB32)
    inside = QPainter(image)
    viewpoint = state.viewpoint(position) or fitted(side_size(state, pane), screen)
    colors = PaneColors(paper=sheet.canvas, text=sheet.text, accent=_ACCENT)
    PaneDrawing().draw(inside, state, position, window_at(viewpoint, screen), colors)
    inside.end()
    painter.drawImage(QPointF(area.left(), area.top() + _LINE_PX), image)


def _whole_parts(parts: list[str], metrics: QFontMetricsF, width: float) -> str:
    """Those there is room for: half a number reads like a whole one. The legend has all."""
    title = parts[0]
    for part in parts[1:]:
        longer = f"{title}{_BETWEEN}{part}"
        title = longer if metrics.horizontalAdvance(longer) <= width else title
    return metrics.elidedText(title, Qt.TextElideMode.ElideRight, width)


def _oddities(state: ViewState, pane: Pane) -> list[str]:
    """What a reader must know of a layer that is turned, or smaller than what lies beside it."""
    size = layer_facts(state, pane).size
    if state.loaded is None or size is None:
        return []
    side = state.loaded.on(pane.side)
    oddities = (
        [describe_rotation(side)] if pane.layer is Layer.PICTURE and describe_rotation(side) else []
    )
    oddities += describe_lens(state, pane)[::-1] if pane.layer is Layer.LENS else []
    return (
        oddities
        if size == side.size
        else [*oddities, f"{size} of {side.size}; the rest is not covered"]
    )


class _Caption:
    """What the sheet shows and scores, in as many lines as it needs."""

    def __init__(self, state: ViewState, width: float) -> None:
        self._font = _font(_TITLE_PX, bold=True)
        self._width = width
        metrics = QFontMetricsF(self._font)
        self._lines: list[str] = []
        for part in _caption_parts(state):
            longer = f"{self._lines[-1]}{_BETWEEN}{part}" if self._lines else part
            if self._lines and metrics.horizontalAdvance(longer) <= width:
                self._lines[-1] = longer
            else:
                self._lines.append(metrics.elidedText(part, Qt.TextElideMode.ElideMiddle, width))
        self.height = float(_LINE_PX * len(self._lines) + 10)

    def draw(self, painter: QPainter, corner: QPointF, sheet: Sheet) -> None:
        painter.setFont(self._font)
        painter.setPen(sheet.text)
        for row, line in enumerate(self._lines):
            area = QRectF(corner.x(), corner.y() + row * _LINE_PX, self._width, _LINE_PX + 4)
            painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, line)


class _Legend:
    """Swatches with names and counts, as many to a line as fit."""

    def __init__(self, state: ViewState, width: float) -> None:
        self._font = _font(_TEXT_PX)
        self._entries = _entries(state)
        self._lines = self._broken(width)
        self.height = float(_LINE_PX * len(self._lines))

    def _broken(self, width: float) -> list[list[int]]:
        lines: list[list[int]] = [[]]
        used = 0.0
        for number, entry in enumerate(self._entries):
            needed = self._width(entry)
            begins = used + needed > width or isinstance(entry, _Words)
            if begins and lines[-1]:
                lines.append([])
                used = 0.0
            lines[-1].append(number)
            used += needed
        return lines

    def _width(self, entry: _Entry) -> float:
        return QFontMetricsF(self._font).horizontalAdvance(entry.text) + entry.sample_px + 32

    def draw(self, painter: QPainter, left: float, top: float, sheet: Sheet) -> None:
        painter.setFont(self._font)
        for row, line in enumerate(self._lines):
            x, y = left, top + row * _LINE_PX
            for number in line:
                entry = self._entries[number]
                entry.draw_sample(painter, QRectF(x, y, entry.sample_px, _LINE_PX), sheet)
                painter.setPen(sheet.text)
                width, before = self._width(entry), entry.sample_px + 6
                text = QRectF(x + before, y, width - before, _LINE_PX)
                painter.drawText(text, Qt.AlignmentFlag.AlignVCenter, entry.text)
                x += width


@dataclass(frozen=True, slots=True)
class _Swatch:
    """One colour and what it means."""

    color: tuple[int, int, int]
    text: str
    hatch: Qt.BrushStyle | None = None
    sample_px: int = 12

    def draw_sample(self, painter: QPainter, area: QRectF, _sheet: Sheet) -> None:
        square = area.adjusted(0, 4, 0, -4)
        draw_swatch(painter, square, self.color, hatch=self.hatch)


@dataclass(frozen=True, slots=True)
class _Scale:
    """All grey levels of a system mask between 0 and 255, and what becomes of them."""

    scale: ScoreScale
    text: str
    sample_px: int = 190

    def draw_sample(self, painter: QPainter, area: QRectF, sheet: Sheet) -> None:
        draw_scale(painter, area.adjusted(14, 4.5, -28, -4.5), self.scale, _ACCENT)
        painter.setPen(sheet.text)
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(area, middle | Qt.AlignmentFlag.AlignLeft, "0")
        painter.drawText(area, middle | Qt.AlignmentFlag.AlignRight, str(LEVELS - 1))


@dataclass(frozen=True, slots=True)
class _Words:
    """What the entries behind it are about; they begin a line with it."""

    text: str
    sample_px: int = -6  # no swatch, and nothing between it and the words

    def draw_sample(self, _painter: QPainter, _area: QRectF, _sheet: Sheet) -> None:
        """Words are enough."""


_Entry: TypeAlias = _Swatch | _Scale | _Words


def _entries(state: ViewState) -> list[_Entry]:
    panes = state.shown_panes
    unit = state.units.areas
    found: list[_Entry] = []
    for counted in printed_counted(state):
        counts = legend_counts(state, counted)
        found += _headed(state, counted) if counts else []
        found += [_outcome_entry(count, state, unit) for count in counts]
    if found:
        found.append(_Words(describe_colors(state)))
    shows_operations = state.look.has_marks or any(p.layer is Layer.REFERENCE for p in panes)
    if state.loaded is not None and shows_operations:
        reference = state.loaded.probe.reference
        operations = () if reference is None else reference.operations
        named: dict[tuple[tuple[int, int, int], str], None] = {}
        for number, operation in enumerate(operations):
            named[operation_color(number, operation.color), operation.name] = None
        found += [_Swatch(color, name) for color, name in named]
    scale = scale_of(state)
    return found if scale is None else [*found, _Scale(scale, f"system mask: {scale.describe()}")]


def _headed(state: ViewState, counted: Counted) -> list[_Entry]:
    """Whose counts follow, and the score they make: the title of a narrow pane has no room."""
    whose = describe_counted(state, counted)
    if not whose or state.loaded is None:
        return []
    _name, *scores = _scores_of(state, state.loaded, counted.side, counted.system)
    return [_Words(_BETWEEN.join([whose, *scores]) + ":")]


def _outcome_entry(count: LegendCount, state: ViewState, unit: AreaUnit) -> _Swatch:
    look, colors = state.look, state.colors
    name = "unscored margin" if is_margin(state, count.outcome) else count.outcome.value
    text = f"{count.outcome.short} {name}: {count.format(unit)}"
    if count.outcome in look.hidden or not look.has_overlays:
        # It counts all the same, and must not be looked for in vain.
        text += " (not shown)"
    return _Swatch(colors[count.outcome], text, outcome_hatch(count.outcome, colors))


def _font(size_px: int, *, bold: bool = False) -> QFont:
    font = QFont()
    font.setPixelSize(size_px)
    font.setBold(bold)
    return font
