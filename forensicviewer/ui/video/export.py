"""Video as files: a contact sheet of a stretch, and one frame with its facts."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QImage, QPainter

from forensicviewer.app.language.words import in_english
from forensicviewer.app.video.contact_sheet import (
    UNDECODED,
    SheetPicture,
    frame_heading,
    sheet_heading,
)
from forensicviewer.app.video.lanes import outcome_color
from forensicviewer.app.video.player import VideoState
from forensicviewer.app.workbench.state import ViewState
from forensicviewer.core.array import RgbImage
from forensicviewer.ui.panes.export import picture_of

SHEET_COLUMNS = 5
SHEET_WIDTH_PX = 320
_GAP_PX = 12
_CAPTION_PX = 26
_HEADING_PX = 34
_PAPER, _INK = QColor("#ffffff"), QColor("#181d27")


@in_english()
def contact_sheet(pictures: Sequence[SheetPicture], view: ViewState, video: VideoState) -> QImage:
    """Frames in rows, each framed in the colour of its outcome and saying it in words."""
    columns = min(SHEET_COLUMNS, max(1, len(pictures)))
    rows = math.ceil(len(pictures) / columns)
    height = max((p.pixels.shape[0] for p in pictures if p.pixels is not None), default=180)
    cell = QSize(SHEET_WIDTH_PX + _GAP_PX, height + _CAPTION_PX + _GAP_PX)
    image = QImage(
        columns * cell.width() + _GAP_PX,
        rows * cell.height() + _GAP_PX + _HEADING_PX,
        QImage.Format.Format_RGB32,
    )
    image.fill(_PAPER)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    heading = sheet_heading(pictures, video)
    _write(painter, QRectF(_GAP_PX, 4, image.width(), _HEADING_PX), heading, bold=True)
    for number, picture in enumerate(pictures):
        x = _GAP_PX + number % columns * cell.width()
        y = _HEADING_PX + _GAP_PX + number // columns * cell.height()
        _draw_picture(painter, picture, QPointF(x, y), height, view)
        below = QRectF(x, y + height + 6, SHEET_WIDTH_PX, _CAPTION_PX)
        _write(painter, below, picture.caption(video, view.units.times))
    painter.end()
    return image


@in_english()
def annotated_frame(view: ViewState, video: VideoState, size: QSize) -> QImage:
    """The panes as they are, with legend, under a line that says which frame it is."""
    panes = picture_of(view, size)
    image = QImage(panes.width(), panes.height() + _HEADING_PX, QImage.Format.Format_RGB32)
    image.fill(_PAPER)
    painter = QPainter(image)
    painter.drawImage(0, _HEADING_PX, panes)
    area = QRectF(_GAP_PX, 4, image.width(), _HEADING_PX - 6)
    _write(painter, area, frame_heading(video, view.units.times), bold=True)
    painter.end()
    return image


def _draw_picture(
    painter: QPainter, picture: SheetPicture, corner: QPointF, height: int, view: ViewState
) -> None:
    area = QRectF(corner.x(), corner.y(), SHEET_WIDTH_PX, height)
    if picture.pixels is None:
        painter.fillRect(area, QColor("#e4e7ec"))
        painter.setPen(_INK)
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, UNDECODED)
    else:
        painter.drawImage(corner, _image(picture.pixels))
    if picture.outcome is not None:
        color = QColor(*outcome_color(picture.outcome, view.colors))
        strip = QRectF(area.left(), area.bottom(), area.width(), 6)
        painter.fillRect(strip, color)
        painter.setPen(QColor("#8b93a3"))
        painter.drawRect(strip)


def _write(painter: QPainter, area: QRectF, text: str, *, bold: bool = False) -> None:
    font = QFont(painter.font())
    font.setPixelSize(15 if bold else 13)
    font.setBold(bold)
    painter.setFont(font)
    painter.setPen(_INK)
    painter.drawText(area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)


def _image(pixels: RgbImage) -> QImage:
    stored = np.ascontiguousarray(pixels)
    height, width = stored.shape[:2]
    return QImage(stored.data, width, height, 3 * width, QImage.Format.Format_RGB888).copy()
