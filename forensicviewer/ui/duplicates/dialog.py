"""Near-duplicates of the open task: which probes are alike, and which of them to keep."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, QSize, Qt
from PySide6.QtGui import QCloseEvent, QIcon, QImage, QPixmap
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QHBoxLayout,
    QListView,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from forensicviewer.app.duplicates.report import heat_map, write_report
from forensicviewer.app.duplicates.search import DuplicateSearch, search_duplicates
from forensicviewer.app.language.words import tr, tr_many
from forensicviewer.app.report.overwrite import require_results_folder
from forensicviewer.app.runtime.jobs import Lane
from forensicviewer.app.trials.thumbnails import thumbnails_of
from forensicviewer.app.trials.trial_list import TrialList
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.core.array import RgbImage
from forensicviewer.core.model import TrialId
from forensicviewer.core.problem import ForensicViewerError
from forensicviewer.ui.widgets.dialog_size import open_in
from forensicviewer.ui.widgets.heading import Heading
from forensicviewer.ui.widgets.job_line import LaneLine
from forensicviewer.ui.widgets.plain_text import PlainLabel
from forensicviewer.ui.widgets.save_dialog import opened_places, write_in_background

_LANE, _SHEET_LANE = Lane("duplicates"), Lane("duplicates-sheet")
_THUMB_PX, _MAP_PX, _GROUPS_PX = 132, 220, 220
_TICK_PX, _BELOW_PX = 44, 12  # beside and below an image of the sheet
_TRAINING_SHARE, _SEED = 0.8, 1
_NUMBER = Qt.ItemDataRole.UserRole


class DuplicatesDialog(QDialog):
    """Compares all probes when it opens; ticks say which are kept."""

    def __init__(
        self,
        workbench: Workbench,
        trials: TrialList,
        tell: Callable[[str], None],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Near-duplicates"))
        self._bench, self._trials, self._tell = workbench, trials, tell
        self._task = workbench.state.task
        self.search: DuplicateSearch | None = None
        self.keep: set[int] = set()
        self._make_parts()
        self._lay_out()
        open_in(self, 980, 640)
        self._begin()

    def _make_parts(self) -> None:
        self.about = PlainLabel()
        self.about.setWordWrap(True)
        self.progress = LaneLine(self._bench.jobs, _LANE)
        self.groups = QListWidget()
        self.groups.setAccessibleName(tr("Groups of near-duplicates"))
        self.groups.setFixedWidth(_GROUPS_PX)
        self.groups.currentRowChanged.connect(self._show_group)
        self.sheet = QListWidget()
        self.sheet.setAccessibleName(tr("Images of the group"))
        self.sheet.setViewMode(QListView.ViewMode.IconMode)
        self.sheet.setResizeMode(QListView.ResizeMode.Adjust)
        self.sheet.setMovement(QListView.Movement.Static)
        self.sheet.setIconSize(QSize(_THUMB_PX, _THUMB_PX))
        self.sheet.setWordWrap(True)
        # Known before the images are: they would be laid over each other otherwise.
        lines = 2 * self.sheet.fontMetrics().height()
        self.sheet.setGridSize(QSize(_THUMB_PX + _TICK_PX, _THUMB_PX + lines + _BELOW_PX))
        self.sheet.setToolTip(tr("Tick the images to keep; a double-click opens the trial"))
        self.sheet.itemChanged.connect(self._tick)
        self.sheet.itemActivated.connect(self._open)
        self.map = PlainLabel()
        self.map.setAccessibleName(tr("Heat map of similarities"))
        self.map.setToolTip(
            tr(
                "Every image compared with every other; brighter means more similar. Groups "
                "come first"
            )
        )

    def _lay_out(self) -> None:
        left = QVBoxLayout()
        left.addWidget(self.groups, 1)
        left.addWidget(self.map)
        middle = QHBoxLayout()
        middle.addLayout(left)
        middle.addWidget(self.sheet, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(18, 18, 18, 18)
        column.setSpacing(10)
        column.addWidget(Heading(tr("Near-duplicates")))
        column.addWidget(self.about)
        column.addWidget(self.progress)
        column.addLayout(middle, 1)
        column.addWidget(self._button_box())

    def _button_box(self) -> QDialogButtonBox:
        box = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        self.list_kept = QPushButton(tr("List kept trials"))
        self.list_kept.setToolTip(tr("Show only the kept trials in the trial list"))
        self.list_kept.clicked.connect(self._list_kept)
        self.export = QPushButton(tr("Export…"))
        self.export.setToolTip(
            tr("Write groups, pairs, the list of kept trials and a split without leakage")
        )
        self.export.clicked.connect(self._ask_export)
        for button in (self.list_kept, self.export):
            button.setAutoDefault(False)
            button.setEnabled(False)
            box.addButton(button, QDialogButtonBox.ButtonRole.ActionRole)
        box.rejected.connect(self.close)
        return box

    def _begin(self) -> None:
        task = self._task
        if task is None:
            return
        self.progress.start()
        self._bench.jobs.submit_long(
            _LANE,
            lambda ticket: search_duplicates(
                task, reading=ticket.report, comparing=ticket.report, check=ticket.check
            ),
            self._take,
            title=tr("Comparing the images of {name}", name=task.name),
            on_error=self._fail,
            on_cancel=lambda: self._say(tr("Cancelled")),
        )

    def _take(self, found: DuplicateSearch) -> None:
        self.search, self.keep = found, set(found.first_of_each())
        self._bench.report(found.problems)
        self._say_counts()
        for number, members in enumerate(found.found.groups, start=1):
            size = tr_many("{count} image", "{count} images", len(members))
            self.groups.addItem(tr("Group {number}: {size}", number=number, size=size))
        self._show_map(found)
        self.list_kept.setEnabled(True)
        self.export.setEnabled(True)
        self.groups.setCurrentRow(0)

    def _say_counts(self) -> None:
        if self.search is None:
            return
        found = self.search.found
        how = tr("all pairs were compared")
        if found.matrix is None:
            how = tr("only pairs with similar hashes were compared")
        self._say(
            tr(
                "{images} images, {groups} groups at SSIM {threshold} or more, {kept} kept; {how}",
                images=len(self.search.probes),
                groups=len(found.groups),
                threshold=f"{found.threshold:g}",
                kept=len(self.keep),
                how=how,
            )
        )

    def _say(self, text: str) -> None:
        self.progress.rest()
        self.about.setText(text)

    def _fail(self, error: BaseException) -> None:
        if not isinstance(error, ForensicViewerError):
            raise error
        self._say(str(error))

    def _show_map(self, found: DuplicateSearch) -> None:
        picture = heat_map(found)
        if picture is not None:
            shown = _pixmap(picture)
            self.map.setPixmap(shown.scaled(_MAP_PX, _MAP_PX, Qt.AspectRatioMode.KeepAspectRatio))

    # The sheet of one group

    def _show_group(self, number: int) -> None:
        if self.search is None or self._task is None or number < 0:
            return
        self.sheet.clear()
        probes = self.search.found.groups[number]
        first = {probe: self.search.probes[probe].trials[0] for probe in probes}
        for probe in probes:
            item = QListWidgetItem(self.search.probes[probe].name.rpartition("/")[2])
            item.setData(_NUMBER, probe)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            is_kept = probe in self.keep
            item.setCheckState(Qt.CheckState.Checked if is_kept else Qt.CheckState.Unchecked)
            self.sheet.addItem(item)
        task = self._task
        self._bench.jobs.submit(
            _SHEET_LANE,
            lambda: thumbnails_of(task, list(first.values()), edge_px=_THUMB_PX),
            self._show_thumbnails,
        )

    def _show_thumbnails(self, found: dict[TrialId, RgbImage | None]) -> None:
        if self.search is None:
            return
        blocker = QSignalBlocker(self.sheet)
        for row in range(self.sheet.count()):
            item = self.sheet.item(row)
            trials = self.search.probes[item.data(_NUMBER)].trials
            pixels = found.get(trials[0])
            if pixels is not None:
                item.setIcon(QIcon(_pixmap(pixels)))
        blocker.unblock()

    def _tick(self, item: QListWidgetItem) -> None:
        probe = item.data(_NUMBER)
        if item.checkState() is Qt.CheckState.Checked:
            self.keep.add(probe)
        else:
            self.keep.discard(probe)
        self._say_counts()

    def _open(self, item: QListWidgetItem) -> None:
        if self.search is not None:
            self._bench.select_trial(self.search.probes[item.data(_NUMBER)].trials[0])

    # What is done with it

    def _list_kept(self) -> None:
        if self.search is not None:
            self._trials.set_text(" ".join(self.search.trials_of(self.keep)))

    def _ask_export(self) -> None:
        folder = QFileDialog.getExistingDirectory(self, tr("Folder for the results"))
        if folder:
            self.export_to(Path(folder))

    def export_to(self, folder: Path) -> None:
        """Write the report, with a split, into a folder."""
        search, keep = self.search, frozenset(self.keep)
        if search is None:
            return
        inputs = opened_places(self._bench.state)

        def write() -> None:
            require_results_folder(folder, inputs=inputs)
            write_report(folder, search, keep, split=search.split(_TRAINING_SHARE, seed=_SEED))

        write_in_background(self._bench, folder / "duplicates.csv", write, self._tell)

    def closeEvent(self, event: QCloseEvent) -> None:
        self.progress.rest()
        for lane in (_LANE, _SHEET_LANE):
            self._bench.jobs.cancel(lane)
        super().closeEvent(event)


def _pixmap(pixels: RgbImage) -> QPixmap:
    height, width = pixels.shape[:2]
    pixels = pixels.copy()
    image = QImage(pixels.data, width, height, 3 * width, QImage.Format.Format_RGB888)
    return QPixmap.fromImage(image.copy())
