"""How images find their masks and which colour means manipulated: seen, then confirmed."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QCloseEvent, QImage, QPixmap
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QHeaderView,
    QListWidget,
    QPushButton,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from forensicviewer.app.imdl.preview import (
    Pairing,
    Preview,
    RowPictures,
    preview_of,
    row_pictures,
)
from forensicviewer.app.language.words import to_translate, tr, whole
from forensicviewer.app.runtime.jobs import Lane
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.session.settled import Settled
from forensicviewer.app.trials.definitions import describe_inversion, is_inverted, set_inverted
from forensicviewer.core.array import RgbImage
from forensicviewer.core.problem import ForensicViewerError
from forensicviewer.ui.imdl.pairing_table import DifferingRows, PairingModel
from forensicviewer.ui.widgets.dialog_size import open_in
from forensicviewer.ui.widgets.elided import WrappedLabel
from forensicviewer.ui.widgets.heading import Heading
from forensicviewer.ui.widgets.plain_text import PlainLabel

_LANE, _ROW_LANE = Lane("pairing", is_far=True), Lane("pairing-row", is_far=True)
_EDGE_PX = 200
_WORDS = {
    Pairing.STEM: to_translate("By name: {paired} of {images} images get a mask"),
    Pairing.POSITION: to_translate("By position: {paired} of {images} images get a mask"),
    Pairing.LIST: to_translate("By list: {paired} of {images} images get a mask"),
}
_COLORS = (
    ("", to_translate("As recognised")),
    ("white", to_translate("White means manipulated")),
    ("black", to_translate("Black means manipulated")),
)


class PairingDialog(QDialog):
    """Shows every way of pairing side by side; nothing changes before it is confirmed."""

    def __init__(self, desk: Desk, path: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Pairing and polarity"))
        self._desk, self.path = desk, path
        self.settled = desk.settled_about(path)
        self.preview: Preview | None = None
        self._make_choices()
        self._make_views()
        self._lay_out()
        open_in(self, 980, 660)
        self._look()

    # Building

    def _make_choices(self) -> None:
        self.about = WrappedLabel()
        self.pairing = QComboBox()
        self.pairing.setAccessibleName(tr("Pairing"))
        self.pairing.activated.connect(self._choose_pairing)
        self.polarity = _color_box(tr("Reference masks"), _COLORS)
        self.polarity.setCurrentIndex(self.polarity.findData(self.settled.polarity))
        self.polarity.activated.connect(self._choose_polarity)
        self.polarity_said = WrappedLabel()
        self.predictions = _color_box(tr("Predictions"), _COLORS[1:])
        inverted = is_inverted(self._desk.workbench.state)
        self.predictions.setCurrentIndex(1 if inverted else 0)
        self.predictions_said = WrappedLabel()
        self.predictions_said.setText(describe_inversion(self._desk.workbench.state))
        for label in (self.polarity_said, self.predictions_said):
            label.setProperty("role", "muted")

    def _make_views(self) -> None:
        self.model = PairingModel(self)
        self.table = QTableView()
        self.table.setModel(self.model)
        self.table.setItemDelegate(DifferingRows(self.table))
        self.table.setAccessibleName(tr("Images and their masks"))
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setTabKeyNavigation(False)
        self.table.verticalHeader().hide()
        self.table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.table.selectionModel().currentRowChanged.connect(self._show_row)
        self.only_differing = QCheckBox(tr("Only rows in which pairings differ"))
        self.only_differing.toggled.connect(self._fill)
        self.image, self.area = PlainLabel(), PlainLabel()
        self.image.setAccessibleName(tr("Image"))
        self.area.setAccessibleName(tr("Marked area"))
        self.row_said = WrappedLabel()
        self.outside = QListWidget()
        self.outside.setAccessibleName(tr("Folders that may not be read yet"))
        self.outside.setMaximumHeight(90)
        self.outside_said = WrappedLabel()
        self.add_folder = _button(tr("Add folder…"), self._ask_root)
        self.add_folder.setToolTip(tr("Allow reading a folder that contains files of the list"))
        self.map_folder = _button(tr("Replace folder…"), self._ask_map)
        self.map_folder.setToolTip(tr("State where the selected folder of the list is now"))

    def _lay_out(self) -> None:
        form = QFormLayout()
        form.addRow(tr("Pairing"), self.pairing)
        form.addRow(tr("Reference masks"), _above(self.polarity, self.polarity_said))
        has_answers = self._is_shown and self._desk.workbench.state.submission is not None
        predictions = _above(self.predictions, self.predictions_said)
        form.addRow(tr("Predictions"), predictions)
        form.setRowVisible(predictions, has_answers)
        side = QVBoxLayout()
        for shown in (self.image, self.area, self.row_said):
            side.addWidget(shown)
        side.addStretch()
        middle = QHBoxLayout()
        middle.addWidget(self.table, 1)
        middle.addLayout(side)
        self.image.setFixedWidth(_EDGE_PX)
        self._outside_part = QWidget()
        beside = QVBoxLayout()
        beside.addWidget(self.add_folder)
        beside.addWidget(self.map_folder)
        beside.addStretch()
        row = QHBoxLayout(self._outside_part)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.outside, 1)
        row.addLayout(beside)
        column = QVBoxLayout(self)
        column.setContentsMargins(18, 18, 18, 18)
        column.setSpacing(10)
        column.addWidget(Heading(tr("Pairing and polarity")))
        column.addWidget(self.about)
        column.addLayout(form)
        column.addWidget(self.only_differing)
        column.addLayout(middle, 1)
        column.addWidget(self.outside_said)
        column.addWidget(self._outside_part)
        column.addWidget(self._button_box())

    def _button_box(self) -> QDialogButtonBox:
        box = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.confirm = QPushButton(tr("Confirm"))
        self.confirm.setEnabled(False)
        self.confirm.clicked.connect(self._confirm)
        box.addButton(self.confirm, QDialogButtonBox.ButtonRole.AcceptRole)
        box.rejected.connect(self.close)
        return box

    @property
    def _is_shown(self) -> bool:
        return self._desk.shown_path == self.path

    # Looking

    def _look(self) -> None:
        """Find out in the background what the pairings would be as things are settled."""
        settled, path = self.settled, self.path
        self.about.setText(tr("Reading {name}", name=path.name))
        self._desk.jobs.submit(
            _LANE, lambda: preview_of(path, settled.choices()), self._take, on_error=self._fail
        )

    def _take(self, preview: Preview) -> None:
        self.preview = preview
        self.confirm.setEnabled(bool(preview.images))
        named = f"{preview.title} · " if preview.title else ""
        self.about.setText(
            tr(
                "{what}. Pairings differ for {count} of {images} images",
                count=whole(len(preview.differing)),
                what=f"{named}{preview.evidence}",
                images=whole(len(preview.images)),
            )
        )
        self._offer_pairings(preview)
        self.polarity_said.setText(_describe_polarity(preview))
        self._show_outside(preview)
        self.only_differing.setEnabled(bool(preview.differing))
        self._fill()

    def _fail(self, error: BaseException) -> None:
        if not isinstance(error, ForensicViewerError):
            raise error
        self.about.setText(str(error))

    def _offer_pairings(self, preview: Preview) -> None:
        chosen, is_list = self._pairing(preview), self.path.is_file()
        self.pairing.clear()
        for pairing in preview.pairings if not is_list else (Pairing.LIST,):
            words = tr(
                _WORDS[pairing],
                paired=whole(preview.paired(pairing)),
                images=whole(len(preview.images)),
            )
            self.pairing.addItem(words, pairing)
        if not is_list:
            self.pairing.addItem(tr("By a list…"), None)
        self.pairing.setCurrentIndex(max(0, self.pairing.findData(chosen)))

    def _pairing(self, preview: Preview) -> Pairing:
        """The pairing that is chosen now."""
        word = self.settled.pairing
        if not word or self.path.is_file():
            return preview.usual
        return Pairing(word) if word in ("stem", "position") else Pairing.LIST

    def _show_outside(self, preview: Preview) -> None:
        self.outside.clear()
        for folder, count in preview.outside:
            files = tr("files: {count}", count=whole(count))
            self.outside.addItem(f"{folder}  ({files})")
        self.outside.setCurrentRow(0)
        count = sum(number for _, number in preview.outside)
        self.outside_said.setVisible(bool(count))
        self._outside_part.setVisible(bool(count))
        self.outside_said.setText(
            tr(
                "Files of the list outside the allowed folders, not checked: {count}",
                count=whole(count),
            )
        )

    def _fill(self) -> None:
        preview = self.preview
        if preview is None:
            return
        only = self.only_differing.isChecked()
        self.model.show(preview, self._pairing(preview), only_differing=only)
        differing = next(iter(preview.differing), 0)
        first = 0 if only else differing
        if self.model.rowCount():
            self.table.setCurrentIndex(self.model.index(first, 0))

    def _show_row(self, current: QModelIndex, _before: QModelIndex) -> None:
        preview = self.preview
        if preview is None or not current.isValid():
            return
        image = self.model.image_at(current.row())
        mask = preview.mask_of(image, self._pairing(preview))
        self._desk.jobs.submit(
            _ROW_LANE,
            partial(row_pictures, preview, image, mask, edge_px=_EDGE_PX),
            partial(self._show_pictures, has_mask=bool(mask)),
        )

    def _show_pictures(self, found: RowPictures, *, has_mask: bool) -> None:
        _draw(self.image, found.image)
        _draw(self.area, found.area)
        said = found.problem or ("" if has_mask else tr("This image has no mask"))
        if found.share is not None:
            said = tr("The mask marks {share} % of the image", share=f"{100 * found.share:.1f}")
        self.row_said.setText(said)

    # Choosing

    def _choose_pairing(self, place: int) -> None:
        pairing = self.pairing.itemData(place)
        if pairing is None:
            name, _ = QFileDialog.getOpenFileName(
                self, tr("List of images and masks"), str(self.path)
            )
            if name:
                self.choose_list(Path(name))
            elif self.preview is not None:
                self._offer_pairings(self.preview)
        elif pairing is not Pairing.LIST:
            self._settle(replace(self.settled, pairing=pairing.value))

    def choose_list(self, path: Path) -> None:
        """Pair by a list of images and masks."""
        self._settle(replace(self.settled, pairing=str(path)))

    def _choose_polarity(self, place: int) -> None:
        self._settle(replace(self.settled, polarity=self.polarity.itemData(place)))

    def _ask_root(self) -> None:
        folder = QFileDialog.getExistingDirectory(self, tr("Folder of the files in the list"))
        if folder:
            self.add_root(Path(folder))

    def add_root(self, folder: Path) -> None:
        """Allow a folder; from now on it is read."""
        roots = tuple(dict.fromkeys((*self.settled.roots, str(folder))))
        self._settle(replace(self.settled, roots=roots))

    def _ask_map(self) -> None:
        folder = QFileDialog.getExistingDirectory(self, tr("Current location of the folder"))
        if folder and self.preview is not None and self.outside.currentRow() >= 0:
            self.add_map(self.preview.outside[self.outside.currentRow()][0], Path(folder))

    def add_map(self, old: str, folder: Path) -> None:
        """Say what became of a folder that the list names."""
        maps = tuple(dict.fromkeys((*self.settled.maps, f"{old}={folder}")))
        self._settle(replace(self.settled, maps=maps))

    def _settle(self, settled: Settled) -> None:
        self.settled = settled
        self._look()

    def _confirm(self) -> None:
        preview = self.preview
        if preview is None:
            return
        if self._is_shown:
            inverted = self.predictions.currentData() == "black"
            set_inverted(self._desk.workbench, inverted=inverted)
        # What was looked at and confirmed is certain, also where nothing was changed.
        pairing = self.settled.pairing or ("" if self.path.is_file() else preview.usual.value)
        settled = replace(self.settled, pairing=pairing)
        if preview.polarity.looked_at and not preview.title and not settled.polarity:
            settled = replace(settled, polarity="white")
        self._desk.settle(self.path, settled)
        self.close()

    def closeEvent(self, event: QCloseEvent) -> None:
        for lane in (_LANE, _ROW_LANE):
            self._desk.jobs.cancel(lane)
        super().closeEvent(event)


def _describe_polarity(preview: Preview) -> str:
    found = preview.polarity
    if not found.looked_at:
        return tr("No mask could be checked")
    evidence = tr(
        "{marked} of {count} checked masks mark more than half of their image",
        marked=whole(found.mostly_marked),
        count=whole(found.looked_at),
    )
    return f"{evidence}: {tr('they look inverted')}" if found.looks_inverted else evidence


def _color_box(name: str, words: tuple[tuple[str, str], ...]) -> QComboBox:
    box = QComboBox()
    box.setAccessibleName(name)
    for value, title in words:
        box.addItem(tr(title), value)
    return box


def _button(title: str, run: object) -> QPushButton:
    button = QPushButton(title)
    button.setAutoDefault(False)
    button.clicked.connect(run)
    return button


def _above(control: QWidget, said: QWidget) -> QWidget:
    """One field of the form: a control and what was found about it."""
    field = QWidget()
    column = QVBoxLayout(field)
    column.setContentsMargins(0, 0, 0, 0)
    column.addWidget(control)
    column.addWidget(said)
    return field


def _draw(label: PlainLabel, pixels: RgbImage | None) -> None:
    if pixels is None:
        label.clear()
        return
    height, width = pixels.shape[:2]
    kept = pixels.copy()
    image = QImage(kept.data, width, height, 3 * width, QImage.Format.Format_RGB888)
    label.setPixmap(QPixmap.fromImage(image.copy()))
