"""Keeps the drawn graph as pixels and draws it in pieces, so that nobody waits for it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, QPoint, QRect, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QPainter, QPixmap, QRegion

_SETTLE_MS = 90
_BUDGET_S = 0.008  # for drawing in one turn; the rest of the turn is needed for showing it
_PIECE_PX = QSize(240, 200)

Draw = Callable[[QPainter, QRectF], None]


@dataclass(slots=True)
class _Sheet:
    """A stretch of the scene as pixels; its pieces in ``missing`` are not drawn yet."""

    pixmap: QPixmap
    asked: QRectF
    area: QRectF
    scale: float
    missing: list[QRect]


class GraphBuffer(QObject):
    """What is seen of a graph as one pixmap.

    Moving the view copies what there is and draws what comes into sight. What takes longer than a
    part of a frame goes on in the next turn of the event loop, over what was seen before. While the
    view is zoomed the pixels there are stay on the screen, scaled; once it rests, they are sharp.
    """

    def __init__(self, update: Callable[[], None], parent: QObject) -> None:
        super().__init__(parent)
        self._sheet: _Sheet | None = None
        self._before: _Sheet | None = None
        self._is_valid = False
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(_SETTLE_MS)
        self._rest.timeout.connect(update)
        self._go_on = QTimer(self)
        self._go_on.setSingleShot(True)
        self._go_on.setInterval(0)
        self._go_on.timeout.connect(update)

    @property
    def is_finished(self) -> bool:
        """Whether everything that is seen is drawn as it is."""
        return self._is_valid and self._sheet is not None and not self._sheet.missing

    def forget(self) -> None:
        """Something looks different now."""
        self._is_valid = False

    def zoom(self) -> None:
        """The view is being zoomed: speed matters more than sharpness for a moment."""
        self._rest.start()

    def let_go(self) -> None:
        self._rest.stop()
        self._go_on.stop()

    def draw(
        self,
        painter: QPainter,
        area: QRectF,
        scale: float,
        *,
        sharply: Draw,
        roughly: Draw,
        at_once: bool,
    ) -> None:
        """Draw what lies in ``area`` (``scale`` device pixels per unit of the scene).

        ``roughly`` draws what was never drawn before, quickly; ``at_once`` is for little work.
        """
        is_zoomed = self._sheet is not None and self._sheet.scale != scale
        if is_zoomed and self._rest.isActive():
            roughly(painter, area)
            self._show(painter, self._sheet)
            return
        if not self._fits(area, scale):
            self._begin(area, scale)
        assert self._sheet is not None
        self._work(self._sheet, sharply, at_once=at_once)
        if self._sheet.missing:
            if self._before is None or not self._before.area.contains(area):
                roughly(painter, area)
            self._show(painter, self._before)
            self._go_on.start()
        self._show(painter, self._sheet)

    def _fits(self, area: QRectF, scale: float) -> bool:
        sheet = self._sheet
        return self._is_valid and sheet is not None and sheet.scale == scale and sheet.asked == area

    def _show(self, painter: QPainter, sheet: _Sheet | None) -> None:
        if sheet is not None:
            painter.drawPixmap(sheet.area, sheet.pixmap, QRectF(sheet.pixmap.rect()))

    def _begin(self, area: QRectF, scale: float) -> None:
        size = QSize(max(1, round(area.width() * scale)), max(1, round(area.height() * scale)))
        pixmap = QPixmap(size)
        pixmap.fill(Qt.GlobalColor.transparent)
        # Whole pixels, or the copy would be blurred.
        wide = QRectF(area.topLeft(), size.toSizeF() / scale)
        drawn = QRegion()
        old = self._sheet
        if self._is_valid and old is not None and old.scale == scale:
            drawn = self._copy(old, pixmap, wide)
        if old is not None and (self._before is None or not old.missing):
            self._before = old
        self._sheet = _Sheet(pixmap, area, wide, scale, _pieces(size, drawn))
        self._is_valid = True

    def _copy(self, old: _Sheet, onto: QPixmap, area: QRectF) -> QRegion:
        """Take over what is drawn already; answers where."""
        shift = (old.area.topLeft() - area.topLeft()) * old.scale
        offset = QPoint(round(shift.x()), round(shift.y()))
        drawn = QRegion(old.pixmap.rect())
        for piece in old.missing:
            drawn -= QRegion(piece)
        drawn = drawn.translated(offset) & QRegion(onto.rect())
        painter = QPainter(onto)
        painter.setClipRegion(drawn)
        painter.drawPixmap(offset, old.pixmap)
        painter.end()
        return drawn

    def _work(self, sheet: _Sheet, sharply: Draw, *, at_once: bool) -> None:
        if not sheet.missing:
            return
        if at_once:
            # In one: pieces would draw what lies on their borders twice.
            whole = QRect()
            for piece in sheet.missing:
                whole |= piece
            sheet.missing = [whole]
        ends_s = time.perf_counter() + _BUDGET_S
        painter = QPainter(sheet.pixmap)
        while sheet.missing and (at_once or time.perf_counter() < ends_s):
            piece = sheet.missing.pop()
            painter.save()
            painter.setClipRect(piece)
            painter.scale(sheet.scale, sheet.scale)
            painter.translate(-sheet.area.topLeft())
            corner = sheet.area.topLeft() + piece.topLeft().toPointF() / sheet.scale
            sharply(painter, QRectF(corner, piece.size().toSizeF() / sheet.scale))
            painter.restore()
        painter.end()


def _pieces(size: QSize, drawn: QRegion) -> list[QRect]:
    """What is not drawn yet, in pieces small enough for a part of a frame."""
    pieces = []
    for left in range(0, size.width(), _PIECE_PX.width()):
        for top in range(0, size.height(), _PIECE_PX.height()):
            piece = QRect(QPoint(left, top), _PIECE_PX) & QRect(QPoint(), size)
            pieces.append((QRegion(piece) - drawn).boundingRect())
    return [piece for piece in pieces if not piece.isEmpty()]
