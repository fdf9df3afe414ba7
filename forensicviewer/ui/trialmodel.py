"""The trial list as Qt's tables see it: cells are made when they are drawn, never before."""

from __future__ import annotations

from collections import OrderedDict
from functools import partial
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor, QIcon, QImage, QPixmap

from forensicviewer.app.library import (
    CONFIDENCE,
    LEADING_COLUMNS,
    SCORE_COLUMNS,
    STATUS,
    TARGET,
    TRIAL,
    VERDICT,
)
from forensicviewer.app.thumbnails import thumbnails_of
from forensicviewer.app.triallist import TrialList
from forensicviewer.app.workbench import Workbench
from forensicviewer.core.array import RgbImage
from forensicviewer.core.model import TrialId
from forensicviewer.ui.theme import current_theme

Index = QModelIndex | QPersistentModelIndex
_AT_A_TIME = 6
_KEPT_THUMBNAILS = 4_000
_NUMBERS = {CONFIDENCE, *SCORE_COLUMNS}
HELP = {
    TRIAL: "The probe; for splices probe and donor",
    TARGET: "Whether the reference says it is manipulated",
    CONFIDENCE: "The system's confidence that it is manipulated",
    "MCC": "Matthews correlation at the optimum threshold; 1 is perfect, 0 is chance",
    "NMM": "NIST mask metric at the optimum threshold; 1 is perfect, -1 the lowest",
    "Threshold": "The optimum threshold in the dataset's own terms",
    STATUS: "What the submission says about its answer",
    VERDICT: "What the judges found",
}


class TrialModel(QAbstractTableModel):
    """Rows in the list's order; thumbnails arrive a few at a time for rows that are drawn."""

    def __init__(self, trials: TrialList, workbench: Workbench, *, edge_px: int) -> None:
        super().__init__()
        self._trials = trials
        self._workbench = workbench
        self._names: tuple[str, ...] = LEADING_COLUMNS
        self._pixmaps: OrderedDict[TrialId, QIcon | None] = OrderedDict()
        self._wanted: OrderedDict[TrialId, None] = OrderedDict()
        self.edge_px = edge_px
        self.has_thumbnails = True

    @property
    def names(self) -> tuple[str, ...]:
        return self._names

    def reset(self) -> None:
        """Show other trials or another order."""
        self.beginResetModel()
        library = self._trials.library
        self._names = library.names if library is not None else LEADING_COLUMNS
        self.endResetModel()

    def refresh_cells(self) -> None:
        """Draw the cells again: scores or verdicts came in."""
        if self.rowCount():
            corner = self.index(self.rowCount() - 1, self.columnCount() - 1)
            self.dataChanged.emit(self.index(0, 0), corner)

    def forget_thumbnails(self) -> None:
        self._pixmaps.clear()
        self._wanted.clear()

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._trials)

    def columnCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._names)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        library = self._trials.library
        if library is None or index.row() >= len(self._trials):
            return None
        name = self._names[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return library.column(name).text(int(self._trials.rows[index.row()]))
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{name}: {library.column(name).text(int(self._trials.rows[index.row()]))}"
        if role == Qt.ItemDataRole.TextAlignmentRole and name in _NUMBERS:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.DecorationRole and name == TRIAL and self.has_thumbnails:
            return self._thumbnail(self._trials.id_at(index.row()))
        if role == Qt.ItemDataRole.ForegroundRole and name not in (TRIAL, *_NUMBERS):
            return QColor(current_theme().muted)
        return None

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> Any:
        if orientation is not Qt.Orientation.Horizontal or section >= len(self._names):
            return None
        name = self._names[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return name
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{HELP.get(name, name)}\nClick to sort, right-click for columns"
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if name in _NUMBERS else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def _thumbnail(self, trial_id: TrialId) -> QIcon:
        found = self._pixmaps.get(trial_id)
        if found is None:
            found = _blank(self.edge_px)
            if trial_id not in self._pixmaps:
                self._want(trial_id)
        return found

    def _want(self, trial_id: TrialId) -> None:
        # Newest first: after a quick scroll the rows on the screen come before those passed by.
        self._wanted[trial_id] = None
        self._wanted.move_to_end(trial_id)
        while len(self._wanted) > 200:
            self._wanted.popitem(last=False)
        if not self._workbench.jobs.is_busy("thumb"):
            self._make_some()

    def _make_some(self) -> None:
        task = self._workbench.state.task
        some = [self._wanted.popitem()[0] for _ in range(min(_AT_A_TIME, len(self._wanted)))]
        if task is None or not some:
            return
        self._workbench.jobs.submit(
            "thumb", partial(thumbnails_of, task, some, edge_px=self.edge_px), self._keep
        )

    def _keep(self, made: dict[TrialId, RgbImage | None]) -> None:
        for trial_id, pixels in made.items():
            self._pixmaps[trial_id] = None if pixels is None else _centred(pixels, self.edge_px)
        while len(self._pixmaps) > _KEPT_THUMBNAILS:
            self._pixmaps.popitem(last=False)
        if self.rowCount():
            last = self.index(self.rowCount() - 1, 0)
            self.dataChanged.emit(self.index(0, 0), last, [Qt.ItemDataRole.DecorationRole])
        self._make_some()


def _blank(edge_px: int) -> QIcon:
    pixmap = QPixmap(edge_px, edge_px)
    pixmap.fill(QColor(current_theme().hover))
    return _icon(pixmap)


def _icon(pixmap: QPixmap) -> QIcon:
    """The same picture selected or not: Qt would tint it, and colours are evidence here."""
    icon = QIcon(pixmap)
    icon.addPixmap(pixmap, QIcon.Mode.Selected)
    return icon


def _centred(pixels: RgbImage, edge_px: int) -> QIcon:
    """The picture cut to a square, so that ids stand in one column."""
    height, width = pixels.shape[:2]
    edge = min(height, width)
    top, left = (height - edge) // 2, (width - edge) // 2
    square = pixels[top : top + edge, left : left + edge].copy()
    image = QImage(square.data, edge, edge, 3 * edge, QImage.Format.Format_RGB888)
    return _icon(
        QPixmap.fromImage(image).scaled(
            edge_px,
            edge_px,
            Qt.AspectRatioMode.IgnoreAspectRatio,
            Qt.TransformationMode.SmoothTransformation,
        )
    )
