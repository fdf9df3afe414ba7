"""Two pictures of a graph compared: side by side, blinking, under a swipe edge or a lens."""

from __future__ import annotations

from enum import Enum

from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPalette,
    QPen,
    QPixmap,
    QWheelEvent,
)
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from forensicviewer.app.graph_facts import short_name
from forensicviewer.app.graph_media import Pair, Shot
from forensicviewer.ui.graphthumbs import pixmap_of
from forensicviewer.ui.wheel import wheel_steps

# Twice a second each way is well under the three flashes a second that can provoke a seizure.
BLINK_MS = 400
_LENS_PX = 70.0
_MASK_OPACITY = 0.45
_INVITATION = "Select an image to see it beside the probe, or a link to see both its images"


class PairMode(Enum):
    """How the two pictures are shown."""

    BESIDE = "Side by side"
    BLINK = "Blink"
    SWIPE = "Swipe"
    LENS = "Lens"


class PairCanvas(QWidget):
    """Draws both pictures; wheel zooms, drag pans, the mouse moves the swipe edge or the lens."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.mode = PairMode.BESIDE
        self.has_mask = False
        self._shots: tuple[Shot, Shot] | None = None
        self._pixmaps: list[QPixmap | None] = [None, None]
        self._mask: QPixmap | None = None
        self._zoom = 1.0
        self._shift = QPointF()
        self._mouse = QPointF()
        self._pressed: QPoint | None = None
        self._shows_second = False
        self._blinking = QTimer(self)
        self._blinking.setInterval(BLINK_MS)
        self._blinking.timeout.connect(self._blink)
        self.setMouseTracking(True)
        self.setMinimumSize(160, 120)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("The two pictures of the selection")

    def sizeHint(self) -> QSize:
        return QSize(420, 240)

    @property
    def shows_second(self) -> bool:
        return self._shows_second

    def show_pair(self, pair: Pair | None) -> None:
        self._shots = None if pair is None else (pair.first, pair.second)
        self._pixmaps = [
            None if shot.pixels is None else pixmap_of(shot.pixels) for shot in self._shots or ()
        ] or [None, None]
        mask = None if pair is None else pair.mask
        self._mask = None if mask is None else pixmap_of(mask)
        self._zoom, self._shift = 1.0, QPointF()
        self.update()

    def set_mode(self, mode: PairMode) -> None:
        self.mode = mode
        self._shows_second = False
        self._mouse = QPointF(self.rect().center())
        if mode is PairMode.BLINK:
            self._blinking.start()
        else:
            self._blinking.stop()
        self.update()

    def set_mask(self, *, on: bool) -> None:
        self.has_mask = on
        self.update()

    def let_go(self) -> None:
        self._blinking.stop()

    def _blink(self) -> None:
        self._shows_second = not self._shows_second
        self.update()

    # Drawing

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(128, 128, 128, 40))
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        if self._shots is None:
            self._draw_words(painter, QRectF(self.rect()), _INVITATION)
        elif self.mode is PairMode.BESIDE:
            self._draw_beside(painter)
        else:
            self._draw_one(painter, QRectF(self.rect()), 1 if self._shows_second else 0)
            if self.mode in (PairMode.SWIPE, PairMode.LENS):
                self._draw_over(painter)

    def _draw_beside(self, painter: QPainter) -> None:
        half = self.width() / 2
        for i, left in enumerate((0.0, half)):
            area = QRectF(left, 0, half, self.height())
            painter.save()
            painter.setClipRect(area.adjusted(1, 0, -1, 0))
            self._draw_one(painter, area, i)
            painter.restore()

    def _draw_over(self, painter: QPainter) -> None:
        """The second picture right of the swipe edge or inside the lens."""
        whole = QRectF(self.rect())
        path = QPainterPath()
        if self.mode is PairMode.SWIPE:
            path.addRect(whole.adjusted(self._mouse.x(), 0, 0, 0))
        else:
            path.addEllipse(self._mouse, _LENS_PX, _LENS_PX)
        painter.save()
        painter.setClipPath(path)
        painter.fillRect(self.rect(), self.palette().color(QPalette.ColorRole.Window))
        self._draw_one(painter, whole, 1)
        painter.restore()
        painter.setPen(QPen(self.palette().color(QPalette.ColorRole.Text), 1.5))
        if self.mode is PairMode.SWIPE:
            x = self._mouse.x()
            painter.drawLine(QPointF(x, 0), QPointF(x, self.height()))
        else:
            painter.drawEllipse(self._mouse, _LENS_PX, _LENS_PX)

    def _draw_one(self, painter: QPainter, area: QRectF, which: int) -> None:
        assert self._shots is not None
        pixmap, shot = self._pixmaps[which], self._shots[which]
        if pixmap is None:
            self._draw_words(painter, area, f"{short_name(shot.file)}\n{shot.reason}")
            return
        target = self._placed(pixmap.size(), area)
        painter.drawPixmap(target, pixmap, QRectF(pixmap.rect()))
        if self.has_mask and self._mask is not None and which == 1:
            painter.setOpacity(_MASK_OPACITY)
            painter.drawPixmap(target, self._mask, QRectF(self._mask.rect()))
            painter.setOpacity(1.0)
        self._draw_name(painter, area, shot)

    def _placed(self, size: QSize, area: QRectF) -> QRectF:
        scale = min(area.width() / size.width(), area.height() / size.height()) * self._zoom
        placed = QRectF(0, 0, size.width() * scale, size.height() * scale)
        placed.moveCenter(area.center() + self._shift)
        return placed

    def _draw_name(self, painter: QPainter, area: QRectF, shot: Shot) -> None:
        words = short_name(shot.file)
        box = painter.fontMetrics().boundingRect(words).adjusted(-6, -3, 6, 3)
        place = QRectF(area.left() + 6, area.bottom() - box.height() - 6, box.width(), box.height())
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(0, 0, 0, 150))
        painter.drawRoundedRect(place, 4, 4)
        painter.setPen(QColor(255, 255, 255))
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, words)

    def _draw_words(self, painter: QPainter, area: QRectF, words: str) -> None:
        painter.setPen(self.palette().color(QPalette.ColorRole.PlaceholderText))
        flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
        painter.drawText(area.adjusted(12, 12, -12, -12), int(flags), words)

    # Mouse and keys

    def wheelEvent(self, event: QWheelEvent) -> None:
        factor = 1.2 ** wheel_steps(event)
        zoom = min(40.0, max(0.2, self._zoom * factor))
        about = event.position() - QPointF(self.rect().center())
        self._shift = about - (about - self._shift) * (zoom / self._zoom)
        self._zoom = zoom
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pressed = event.position().toPoint()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._mouse = event.position()
        if self._pressed is not None:
            self._shift += QPointF(event.position().toPoint() - self._pressed)
            self._pressed = event.position().toPoint()
        self.update()

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        self._pressed = None

    def mouseDoubleClickEvent(self, _event: QMouseEvent) -> None:
        self._zoom, self._shift = 1.0, QPointF()
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Left: -12, Qt.Key.Key_Right: 12}
        step = steps.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
            return
        self._mouse += QPointF(step, 0)
        self.update()


class ImagePair(QWidget):
    """The pair with its modes."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.canvas = PairCanvas()
        self.title = QLabel("")
        self.buttons: dict[PairMode, QToolButton] = {}
        row = QHBoxLayout()
        row.addWidget(self.title, 1)
        group = QButtonGroup(self)
        for mode in PairMode:
            button = QToolButton()
            button.setText(mode.value)
            button.setCheckable(True)
            button.setChecked(mode is PairMode.BESIDE)
            button.clicked.connect(lambda _on=False, mode=mode: self.canvas.set_mode(mode))
            group.addButton(button)
            row.addWidget(button)
            self.buttons[mode] = button
        self.mask_button = QToolButton()
        self.mask_button.setText("Mask")
        self.mask_button.setCheckable(True)
        self.mask_button.setToolTip("The mask of the operation, where the journal keeps one")
        self.mask_button.toggled.connect(lambda on: self.canvas.set_mask(on=on))
        row.addWidget(self.mask_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 4, 8, 8)
        column.setSpacing(4)
        column.addLayout(row)
        column.addWidget(self.canvas, 1)

    def show_pair(self, pair: Pair | None) -> None:
        self.canvas.show_pair(pair)
        self.mask_button.setEnabled(pair is not None and pair.mask is not None)
        names = () if pair is None else (short_name(pair.first.file), short_name(pair.second.file))
        self.title.setText("  →  ".join(names))

    def let_go(self) -> None:
        self.canvas.let_go()
