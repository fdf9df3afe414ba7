"""The contact sheet of the images a system is most wrong about."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QIcon, QImage, QPainter, QPixmap
from PySide6.QtWidgets import (
    QHBoxLayout,
    QListView,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from forensicviewer.app.genai.review import GenAIReview
from forensicviewer.app.language.words import in_english, tr
from forensicviewer.app.runtime.jobs import Lane, Priority
from forensicviewer.app.trials.thumbnails import thumbnails_of
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.core.array import RgbImage
from forensicviewer.core.model import TrialId
from forensicviewer.ui.widgets.plain_text import PlainLabel

_SHEET_LANE = Lane("worst", Priority.DETAIL)
MOST_IMAGES = 24
_AT_A_TIME = 8
_THUMB = QSize(144, 96)
_COLUMNS, _GAP_PX, _CAPTION_PX, _HEADING_PX = 6, 12, 34, 34
_PAPER, _INK, _EMPTY = QColor("#ffffff"), QColor("#181d27"), QColor("#d5d9e0")


class WorstView(QWidget):
    """Small images with what each is and its score; a click opens the trial."""

    def __init__(
        self, workbench: Workbench, export: Callable[[], None], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self._ids: tuple[TrialId, ...] = ()
        self._images: dict[TrialId, RgbImage | None] = {}
        self._review: GenAIReview | None = None
        self._system = 0
        self.note = PlainLabel(parent=self)
        self.note.setWordWrap(True)
        self.note.setProperty("role", "muted")
        self.list = QListWidget(self)
        self.list.setAccessibleName(tr("The images on which the system is most wrong"))
        self.list.setViewMode(QListView.ViewMode.IconMode)
        self.list.setResizeMode(QListView.ResizeMode.Adjust)
        self.list.setMovement(QListView.Movement.Static)
        self.list.setIconSize(_THUMB)
        self.list.setSpacing(6)
        self.list.setUniformItemSizes(True)
        self.list.itemClicked.connect(self._open)
        self.list.itemActivated.connect(self._open)
        save = QPushButton(tr("Export contact sheet…"))
        save.clicked.connect(lambda: export())
        bottom = QHBoxLayout()
        bottom.addStretch(1)
        bottom.addWidget(save)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.addWidget(self.note)
        column.addWidget(self.list, 1)
        column.addLayout(bottom)

    def show_review(self, review: GenAIReview, system: int) -> None:
        if review.task is not (None if self._review is None else self._review.task):
            self._images.clear()
        self._review, self._system = review, system
        rows = review.worst(system)[:MOST_IMAGES].tolist()
        ids = review.task.trials.ids()
        self._ids = tuple(ids[row] for row in rows)
        self.list.clear()
        for row, trial in zip(rows, self._ids, strict=True):
            self.list.addItem(_item(trial, caption(review, system, row)))
        self.note.setText(_about(review))
        self.note.setVisible(bool(self.note.text()))
        for place, trial in enumerate(self._ids):
            self._put(place, self._images.get(trial))
        self._make_some()

    def _make_some(self) -> None:
        """Read some more thumbnails; hidden images have none."""
        waiting = [trial for trial in self._ids if trial not in self._images][:_AT_A_TIME]
        if self._review is None or not waiting or self._review.task.viewing.hides_media:
            return
        work = partial(thumbnails_of, self._review.task, waiting, edge_px=2 * max(_THUMB.toTuple()))
        self._workbench.jobs.submit(_SHEET_LANE, work, self._keep)

    def _keep(self, made: dict[TrialId, RgbImage | None]) -> None:
        self._images |= made
        for place, trial in enumerate(self._ids):
            if trial in made:
                self._put(place, made[trial])
        self._make_some()

    def _put(self, place: int, pixels: RgbImage | None) -> None:
        self.list.item(place).setIcon(QIcon(_small(pixels)))

    def _open(self, item: QListWidgetItem) -> None:
        self._workbench.select_trial(TrialId(item.data(Qt.ItemDataRole.UserRole)))

    @in_english()
    def sheet(self, heading: str, note: str) -> QImage | None:
        """The sheet as an image to be saved; ``None`` without a review."""
        review = self._review
        if review is None:
            return None
        rows = [row for row in map(review.row_of, self._ids) if row is not None]
        captions = [caption(review, self._system, row) for row in rows]
        images = [self._images.get(trial) for trial in self._ids]
        return draw_sheet(images, captions, heading, note)

    def let_go(self) -> None:
        self._workbench.jobs.cancel(_SHEET_LANE)


def caption(review: GenAIReview, system: int, row: int) -> str:
    """The file of an image, what it is and what the system says."""
    trials = review.systems[system].trials
    truth = tr("AI-generated") if trials.targets[row] else tr("human-made")
    return f"{review.task.trials.ids()[row]}\n{truth} · {trials.scores[row]:.3f}"


def draw_sheet(
    images: Sequence[RgbImage | None], captions: Sequence[str], heading: str, note: str
) -> QImage:
    """Images in rows under a heading, with a note below them."""
    columns = min(_COLUMNS, max(1, len(images)))
    rows = -(-len(images) // columns)
    cell = QSize(_THUMB.width() + _GAP_PX, _THUMB.height() + _CAPTION_PX + _GAP_PX)
    width = max(columns * cell.width() + _GAP_PX, 4 * cell.width())
    note_px = 16 * (2 + len(note) * 7 // width)
    height = _HEADING_PX + rows * cell.height() + _GAP_PX + note_px
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(_PAPER)
    painter = QPainter(image)
    _write(painter, QRectF(_GAP_PX, 4, width - 2 * _GAP_PX, _HEADING_PX), heading, bold=True)
    for number, (pixels, words) in enumerate(zip(images, captions, strict=True)):
        x = _GAP_PX + number % columns * cell.width()
        y = _HEADING_PX + _GAP_PX + number // columns * cell.height()
        painter.drawPixmap(x, y, _small(pixels))
        below = QRectF(x, y + _THUMB.height() + 2, _THUMB.width(), _CAPTION_PX)
        _write(painter, below, words)
    _write(painter, QRectF(_GAP_PX, height - note_px, width - 2 * _GAP_PX, note_px), note)
    painter.end()
    return image


def _about(review: GenAIReview) -> str:
    if review.task.viewing.hides_media:
        return tr("The images are hidden: participants must not look at the images of a test set")
    return ""


def _item(trial: TrialId, words: str) -> QListWidgetItem:
    item = QListWidgetItem(words)
    item.setData(Qt.ItemDataRole.UserRole, str(trial))
    item.setToolTip(words)
    item.setSizeHint(QSize(_THUMB.width() + 8, _THUMB.height() + 44))
    item.setTextAlignment(Qt.AlignmentFlag.AlignHCenter)
    return item


def _small(pixels: RgbImage | None) -> QPixmap:
    """An image in the middle of its place; a grey one where there is none to see."""
    place = QPixmap(_THUMB)
    place.fill(_EMPTY if pixels is None else Qt.GlobalColor.transparent)
    if pixels is not None:
        stored = np.ascontiguousarray(pixels)
        height, width = stored.shape[:2]
        image = QImage(stored.data, width, height, 3 * width, QImage.Format.Format_RGB888)
        fitted = image.scaled(
            _THUMB,
            Qt.AspectRatioMode.KeepAspectRatio,
            Qt.TransformationMode.SmoothTransformation,
        )
        painter = QPainter(place)
        left, top = (_THUMB.width() - fitted.width()) // 2, (_THUMB.height() - fitted.height()) // 2
        painter.drawImage(left, top, fitted)
        painter.end()
    return place


def _write(painter: QPainter, area: QRectF, text: str, *, bold: bool = False) -> None:
    font = QFont(painter.font())
    font.setPixelSize(15 if bold else 11)
    font.setBold(bold)
    painter.setFont(font)
    painter.setPen(_INK)
    flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap
    painter.drawText(area, flags, text)
