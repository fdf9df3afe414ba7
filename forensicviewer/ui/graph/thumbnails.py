"""The small images of a graph's nodes: read when they are first seen, in the background."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QImage, QPixmap

from forensicviewer.app.graph.media import node_thumbnail
from forensicviewer.app.graph.review import GraphReview
from forensicviewer.app.language.words import tr
from forensicviewer.app.runtime.jobs import Lane, Priority
from forensicviewer.core.array import RgbImage
from forensicviewer.core.graph.provenance import FileName
from forensicviewer.ui.graph.style import THUMBNAIL_PX

_THUMB_LANE = Lane("graph-thumb", Priority.DETAIL)

_AT_ONCE = 16
_MOST_KEPT = 3000
_WAIT_MS = 30


class GraphThumbnails(QObject):
    """Pixmaps by file name; ``arrived`` tells which ones can now be drawn."""

    arrived = Signal(list)

    def __init__(self, review: GraphReview, parent: QObject) -> None:
        super().__init__(parent)
        self._review = review
        self._kept: dict[FileName, QPixmap | None] = {}
        self._wanted: dict[FileName, None] = {}
        self._ask_later = QTimer(self)
        self._ask_later.setSingleShot(True)
        self._ask_later.setInterval(_WAIT_MS)
        self._ask_later.timeout.connect(self._ask)

    def get(self, file: FileName) -> QPixmap | None:
        """The small image if it was read already; otherwise it is asked for."""
        if file not in self._kept:
            self._wanted[file] = None
            if not self._ask_later.isActive():
                self._ask_later.start()
        return self._kept.get(file)

    @property
    def kept(self) -> Mapping[FileName, QPixmap | None]:
        """All that were read so far; ``None`` where there is no image."""
        return self._kept

    def want_none(self) -> None:
        """Forget what was asked for: another graph is shown."""
        self._wanted.clear()

    def let_go(self) -> None:
        self._ask_later.stop()

    def _ask(self) -> None:
        task = self._review.task
        files = list(self._wanted)[:_AT_ONCE]
        if task is None or not files or self._review.jobs.is_busy(_THUMB_LANE):
            return
        self._review.jobs.submit(
            _THUMB_LANE,
            lambda: {file: node_thumbnail(task, file, edge_px=THUMBNAIL_PX) for file in files},
            self._take,
            title=tr("Reading thumbnails"),
        )

    def _take(self, found: dict[FileName, RgbImage | None]) -> None:
        for file, pixels in found.items():
            self._wanted.pop(file, None)
            self._keep(file, pixels)
        read = [file for file, pixels in found.items() if pixels is not None]
        if read:
            self.arrived.emit(read)
        if self._wanted:
            self._ask_later.start()

    def _keep(self, file: FileName, pixels: RgbImage | None) -> None:
        if len(self._kept) >= _MOST_KEPT:
            self._kept.clear()
        self._kept[file] = None if pixels is None else pixmap_of(pixels)


def pixmap_of(pixels: RgbImage) -> QPixmap:
    """The image for the screen; the pixels are copied."""
    height, width = pixels.shape[:2]
    stored = pixels.tobytes()
    image = QImage(stored, width, height, 3 * width, QImage.Format.Format_RGB888)
    return QPixmap.fromImage(image.copy())
