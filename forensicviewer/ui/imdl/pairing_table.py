"""The table of a pairing preview: each image with the mask that every pairing gives it."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor, QFont, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from forensicviewer.app.imdl.preview import Pairing, Preview
from forensicviewer.app.language.words import to_translate, tr
from forensicviewer.ui.widgets.theme import icon

_NAMES = {
    Pairing.STEM: to_translate("Mask by name"),
    Pairing.POSITION: to_translate("Mask by position"),
    Pairing.LIST: to_translate("Mask by list"),
}
_DIFFERS = QColor(230, 160, 30, 70)
_Index = QModelIndex | QPersistentModelIndex


class DifferingRows(QStyledItemDelegate):
    """Tints the rows in which pairings disagree; the style sheet would paint over a brush."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | _Index
    ) -> None:
        model = index.model()
        if isinstance(model, PairingModel) and model.is_differing(index.row()):
            painter.fillRect(option.rect, _DIFFERS)
        super().paint(painter, option, index)


class PairingModel(QAbstractTableModel):
    """Rows of a preview, all of them or those in which pairings disagree."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._preview: Preview | None = None
        self._rows: tuple[int, ...] | range = range(0)
        self._differing: frozenset[int] = frozenset()
        self.chosen: Pairing | None = None

    def show(self, preview: Preview, chosen: Pairing, *, only_differing: bool) -> None:
        self.beginResetModel()
        self._preview, self.chosen = preview, chosen
        self._differing = frozenset(preview.differing)
        self._rows = preview.differing if only_differing else range(len(preview.images))
        self.endResetModel()

    def image_at(self, place: int) -> str:
        assert self._preview is not None
        return self._preview.images[self._rows[place]]

    def is_differing(self, place: int) -> bool:
        return self._rows[place] in self._differing

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() or self._preview is None else 1 + len(self._preview.pairings)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if role != Qt.ItemDataRole.DisplayRole or self._preview is None:
            return None
        if orientation is Qt.Orientation.Vertical:
            return None
        return tr("Image") if section == 0 else tr(_NAMES[self._preview.pairings[section - 1]])

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        preview = self._preview
        if preview is None or not index.isValid():
            return None
        pairing = None if index.column() == 0 else preview.pairings[index.column() - 1]
        if role == Qt.ItemDataRole.DisplayRole:
            image = self.image_at(index.row())
            name = image if pairing is None else preview.mask_of(image, pairing)
            return name.rpartition("/")[2] or tr("no mask")
        if pairing is None and self.is_differing(index.row()):
            if role == Qt.ItemDataRole.DecorationRole:
                return icon("warning")
            if role == Qt.ItemDataRole.AccessibleTextRole:
                return tr("{image}: pairings differ", image=self.image_at(index.row()))
        if role == Qt.ItemDataRole.FontRole and pairing is not None and pairing is self.chosen:
            font = QFont()
            font.setBold(True)
            return font
        return None
