"""The trial list as Qt's tables see it: cells are made when they are drawn, never before."""

from __future__ import annotations

from collections import OrderedDict
from functools import partial
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, QTimer
from PySide6.QtGui import QImage, QPixmap

from forensicviewer.app.language.words import NO_NUMBER, to_translate, tr
from forensicviewer.app.runtime.jobs import Lane, Priority
from forensicviewer.app.trials.library import (
    CONFIDENCE,
    STATUS,
    TARGET,
    TRIAL,
    VERDICT,
    Library,
    shown_cell,
    shown_name,
)
from forensicviewer.app.trials.thumbnails import thumbnails_of
from forensicviewer.app.trials.trial_list import TrialList
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.core.array import RgbImage
from forensicviewer.core.model import TrialId
from forensicviewer.core.query.grammar import name_in_query

_THUMB_LANE = Lane("thumb", Priority.DETAIL)

Index = QModelIndex | QPersistentModelIndex
_AT_A_TIME = 6
_REST_MS = 60
_KEPT_THUMBNAILS = 4_000
_WITHOUT_TASK = (TRIAL, TARGET, CONFIDENCE, STATUS, VERDICT)
_HELP = {
    TRIAL: to_translate("The probe; for splices probe and donor"),
    TARGET: to_translate("Whether the reference says it is manipulated"),
    CONFIDENCE: to_translate("The system's confidence that the probe is manipulated"),
    STATUS: to_translate("Status of the answer in the submission"),
    VERDICT: to_translate("Verdicts of the judges"),
}


class TrialModel(QAbstractTableModel):
    """Rows in the list's order; thumbnails arrive a few at a time for rows that are drawn."""

    def __init__(self, trials: TrialList, workbench: Workbench, *, edge_px: int) -> None:
        super().__init__()
        self._trials = trials
        self.rows = trials.rows
        self._workbench = workbench
        self._names: tuple[str, ...] = _WITHOUT_TASK
        self._numbers: dict[str, str] = {}
        self._pixmaps: OrderedDict[TrialId, QPixmap | None] = OrderedDict()
        self._wanted: OrderedDict[TrialId, None] = OrderedDict()
        # While rows fly by their images would only be in the way.
        self._resting = QTimer(self, singleShot=True, interval=_REST_MS)
        self._resting.timeout.connect(self._make_some)
        self.edge_px = edge_px
        self.density = 1.0
        self.has_thumbnails = True

    @property
    def names(self) -> tuple[str, ...]:
        return self._names

    def reset(self) -> None:
        """Show other trials or another order."""
        self.beginResetModel()
        self.rows = self._trials.rows
        library = self._trials.library
        self._names = library.names if library is not None else _WITHOUT_TASK
        scored = library.score_columns if library is not None else ()
        self._numbers = {column.name: column.meaning for column in scored}
        self.endResetModel()

    def refresh_cells(self) -> None:
        """Draw the cells again: scores or verdicts came in."""
        if self.rowCount():
            corner = self.index(self.rowCount() - 1, self.columnCount() - 1)
            self.dataChanged.emit(self.index(0, 0), corner)

    def let_go(self) -> None:
        """Ask for no more images; called before the window closes."""
        self._resting.stop()
        self.has_thumbnails = False

    def forget_thumbnails(self) -> None:
        self._pixmaps.clear()
        self._wanted.clear()

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._trials)

    def columnCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._names)

    def text(self, row: int, column: int) -> str:
        library = self._trials.library
        if library is None or row >= len(self.rows):
            return ""
        name, place = self._names[column], int(self.rows[row])
        found = library.column(name).text(place)
        is_without = not found and self.is_number(column) and self._has_none(library, name, place)
        return NO_NUMBER if is_without else shown_cell(name, found)

    @staticmethod
    def _has_none(library: Library, name: str, row: int) -> bool:
        """Whether a number will not come any more."""
        if library.submission is None:
            return False
        if name == CONFIDENCE:
            return True
        is_target = library.column(TARGET).text(row) != "N"
        return library.scores.is_complete or not is_target or bool(library.unanswered[row])

    def is_number(self, column: int) -> bool:
        name = self._names[column]
        return name == CONFIDENCE or name in self._numbers

    def is_aside(self, column: int) -> bool:
        """Whether a column only adds to what people read first."""
        return column > 0 and not self.is_number(column)

    def thumbnail(self, row: int) -> QPixmap | None:
        """The image of a row; ``None`` where there is none, or none yet."""
        trial_id = self._trials.id_at(row)
        if trial_id not in self._pixmaps:
            self._want(trial_id)
        return self._pixmaps.get(trial_id)

    def lacks_picture(self, row: int) -> bool:
        """Whether it is known that a row has no image."""
        trial_id = self._trials.id_at(row)
        return trial_id in self._pixmaps and self._pixmaps[trial_id] is None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """For those who do not draw: screen readers, tool tips, tests."""
        if not index.isValid() or self._trials.library is None:
            return None
        text = self.text(index.row(), index.column())
        if role == Qt.ItemDataRole.ToolTipRole:
            name = self._names[index.column()]
            row = int(self._trials.rows[index.row()])
            reason = self._trials.library.why_unscored(name, row) or text
            return tr("{column}: {cell}", column=shown_name(name), cell=reason)
        return text if role == Qt.ItemDataRole.DisplayRole else None

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
            return shown_name(name)
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._describe_column(name)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            is_number = self.is_number(section)
            side = Qt.AlignmentFlag.AlignRight if is_number else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def _describe_column(self, name: str) -> str:
        """What a column means, and what a query calls it where the user reads another name."""
        lines = [self._numbers.get(name) or (tr(_HELP[name]) if name in _HELP else name)]
        written = name_in_query(name)
        if shown_name(name) != written:
            lines.append(tr("In queries: {name}", name=written))
        return "\n".join((*lines, tr("Click to sort, right-click for columns")))

    def _want(self, trial_id: TrialId) -> None:
        # Newest first: after a quick scroll the rows on the screen come before those passed by.
        is_new = trial_id not in self._wanted
        self._wanted[trial_id] = None
        self._wanted.move_to_end(trial_id)
        while len(self._wanted) > 200:
            self._wanted.popitem(last=False)
        # Rows that are drawn again do not put off what waits for rest already.
        is_busy = self._workbench.jobs.is_busy(_THUMB_LANE)
        if not is_busy and (is_new or not self._resting.isActive()):
            self._resting.start()

    def _make_some(self) -> None:
        task = self._workbench.state.task
        some = [self._wanted.popitem()[0] for _ in range(min(_AT_A_TIME, len(self._wanted)))]
        if task is None or not some:
            return
        # Twice the edge: the longer side is cut off to make a square.
        work = partial(thumbnails_of, task, some, edge_px=2 * self._device_edge_px)
        self._workbench.jobs.submit(_THUMB_LANE, work, self._keep)

    @property
    def _device_edge_px(self) -> int:
        return round(self.edge_px * self.density)

    def _keep(self, made: dict[TrialId, RgbImage | None]) -> None:
        for trial_id, pixels in made.items():
            made_of = None if pixels is None else _squared(pixels, self._device_edge_px)
            self._pixmaps[trial_id] = made_of
        while len(self._pixmaps) > _KEPT_THUMBNAILS:
            self._pixmaps.popitem(last=False)
        if self.rowCount():
            last = self.index(self.rowCount() - 1, 0)
            self.dataChanged.emit(self.index(0, 0), last, [Qt.ItemDataRole.DecorationRole])
        self._make_some()


def _squared(pixels: RgbImage, edge_px: int) -> QPixmap:
    """The image cut to a square, so that ids stand in one column."""
    height, width = pixels.shape[:2]
    edge = min(height, width)
    top, left = (height - edge) // 2, (width - edge) // 2
    square = pixels[top : top + edge, left : left + edge].copy()
    image = QImage(square.data, edge, edge, 3 * edge, QImage.Format.Format_RGB888)
    return QPixmap.fromImage(image).scaled(
        edge_px,
        edge_px,
        Qt.AspectRatioMode.IgnoreAspectRatio,
        Qt.TransformationMode.SmoothTransformation,
    )
