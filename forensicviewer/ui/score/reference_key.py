"""What the colours of the reference mean, for those who look at it without any answers."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from forensicviewer.app.language.words import tr
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.loaded_trial import LoadedSide
from forensicviewer.app.workbench.state import Change, ViewState
from forensicviewer.core.layer_pixels import UNEXPLAINED_COLOR
from forensicviewer.core.palette import Rgb
from forensicviewer.ui.panes.layers import is_white_on_black, operation_colors
from forensicviewer.ui.widgets.panel import Panel
from forensicviewer.ui.widgets.plain_text import PlainLabel
from forensicviewer.ui.widgets.swatch import draw_swatch

_EDGE_PX, _GAP_PX, _BETWEEN_PX, _FEWEST = 12, 5, 14, 3
_WHITE: Rgb = (255, 255, 255)
_BLACK: Rgb = (0, 0, 0)


@dataclass(frozen=True, slots=True)
class KeyLine:
    """A meaning and the colours that have it."""

    name: str
    colors: tuple[Rgb, ...]


def key_lines(side: LoadedSide, *, is_white_on_black: bool = False) -> tuple[KeyLine, ...]:
    """The operations that left a mark, those of one name together, then what is not theirs."""
    if side.reference is None:
        return ()
    if is_white_on_black:
        return (KeyLine(tr("Manipulated"), (_WHITE,)), KeyLine(tr("Unchanged"), (_BLACK,)))
    operations, colors = side.reference.operations, operation_colors(side)
    named: dict[str, dict[Rgb, None]] = {}
    for operation, color in zip(operations, colors, strict=False):
        if operation.color is not None or operation.bit_plane is not None:
            named.setdefault(operation.name or tr("unnamed"), {})[color] = None
    if not operations:
        named[tr("Manipulated")] = dict.fromkeys(colors)
    if side.has_unexplained:
        named[tr("Marked, but not by an operation of the journal")] = {UNEXPLAINED_COLOR: None}
    named[tr("Unchanged")] = {_WHITE: None}
    return tuple(KeyLine(name, tuple(found)) for name, found in named.items())


class ReferenceKey(Panel):
    """The colours of the reference of the current side, or why there is none."""

    def __init__(self, workbench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(workbench, parent)
        self.lines = _Lines(self)
        self.reason = PlainLabel(parent=self)
        self.reason.setWordWrap(True)
        hint = PlainLabel(tr("Open a submission to compare its answers with the reference"), self)
        hint.setWordWrap(True)
        hint.setProperty("role", "muted")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        for widget in (self.lines, self.reason, hint):
            column.addWidget(widget)
        self.listen()

    def follow(self, state: ViewState, change: Change) -> None:
        if not change & (Change.LOADED | Change.SCORES | Change.TRIAL):
            return
        side = None if state.loaded is None else state.loaded.on(state.side)
        lines = (
            ()
            if side is None
            else key_lines(side, is_white_on_black=is_white_on_black(state, side))
        )
        self.reason.setText("" if side is None else tr(side.reference_reason))
        self.reason.setVisible(bool(self.reason.text()))
        self.lines.show_lines(lines)


class _Lines(QWidget):
    """Names with their swatches beside them, as many as there is room for."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.shown: tuple[KeyLine, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)

    def show_lines(self, lines: tuple[KeyLine, ...]) -> None:
        if lines != self.shown:
            self.shown = lines
            self.setAccessibleName(
                tr(
                    "Colours of the reference: {names}",
                    names=", ".join(line.name for line in lines),
                )
            )
            self.updateGeometry()
            self.update()
        self.setVisible(bool(lines))

    @property
    def _line_px(self) -> int:
        return self.fontMetrics().height() + _GAP_PX

    def sizeHint(self) -> QSize:
        return QSize(160, self._line_px * len(self.shown))

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self._line_px * min(_FEWEST, len(self.shown)))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, metrics = QPainter(self), QFontMetricsF(self.font())
        widest = max((metrics.horizontalAdvance(line.name) for line in self.shown), default=0.0)
        room = min(widest, self.width() - 4 * (_EDGE_PX + _GAP_PX))
        fitting = max(1, self.height() // self._line_px)
        shown = self.shown if len(self.shown) <= fitting else self.shown[: fitting - 1]
        for row, line in enumerate(shown):
            area = QRectF(0, row * self._line_px, self.width(), self._line_px)
            self._draw(painter, line, area, room)
        left_off = len(self.shown) - len(shown)
        if left_off:
            area = QRectF(0, len(shown) * self._line_px, self.width(), self._line_px)
            painter.setPen(self.palette().color(QPalette.ColorRole.PlaceholderText))
            middle = Qt.AlignmentFlag.AlignVCenter
            painter.drawText(area, middle, tr("and {number} more", number=left_off))
        painter.end()

    def _draw(self, painter: QPainter, line: KeyLine, area: QRectF, room: float) -> None:
        metrics = QFontMetricsF(self.font())
        painter.setPen(self.palette().color(QPalette.ColorRole.WindowText))
        name = metrics.elidedText(line.name, Qt.TextElideMode.ElideMiddle, room)
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, name)
        x, top = room + _BETWEEN_PX, area.top() + (area.height() - _EDGE_PX) / 2
        for color in line.colors:
            if x + _EDGE_PX > area.right() - 1:
                break
            draw_swatch(painter, QRectF(x, top, _EDGE_PX, _EDGE_PX), color)
            x += _EDGE_PX + _GAP_PX
