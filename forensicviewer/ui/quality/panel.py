"""The panel of suspects: checks all references, shows what is suspect and takes your verdict."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QImage, QPixmap, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QFileDialog,
    QPushButton,
    QSplitter,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from forensicviewer.app.language.words import to_translate, tr, whole
from forensicviewer.app.quality.evidence_image import evidence_image
from forensicviewer.app.quality.report import report_title, verdict_note, write_report
from forensicviewer.app.quality.search import CheckedReferences, search_suspects, tasks_to_check
from forensicviewer.app.report.overwrite import require_results_folder
from forensicviewer.app.runtime.jobs import Lane
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.trials.trial_list import ListChange
from forensicviewer.app.workbench.state import Change, Viewpoint, ViewState
from forensicviewer.core.array import RgbImage
from forensicviewer.core.model import Dataset, Task
from forensicviewer.core.problem import ForensicViewerError, Severity
from forensicviewer.core.quality.rule import RULE_OF, TrialSuspect
from forensicviewer.core.verdict import Ruling
from forensicviewer.ui.widgets.elided import ElidedLabel
from forensicviewer.ui.widgets.flow import FlowRow
from forensicviewer.ui.widgets.job_line import JobLine
from forensicviewer.ui.widgets.panel import Panel
from forensicviewer.ui.widgets.plain_text import PlainLabel
from forensicviewer.ui.widgets.problem_tree import SEVERITIES
from forensicviewer.ui.widgets.save_dialog import opened_places, write_in_background
from forensicviewer.ui.widgets.table_copy import make_copyable, name_columns
from forensicviewer.ui.widgets.theme import current_theme, icon

_LANE, _IMAGE_LANE = Lane("suspects"), Lane("suspects-image")
_REFRESH_MS = 200
_MOST_ROWS = 500
_PLACE_PX = 240  # of the screen, for the place that a suspect is about
_LARGEST_SCALE = 8.0
_LEAST_IMAGE_PX = (200, 110)
_WIDTHS_PX = (250, 120, 330, 200)
_SUSPECT = Qt.ItemDataRole.UserRole
_TITLES = (
    to_translate("Suspect"),
    to_translate("Trial"),
    to_translate("Evidence"),
    to_translate("What to do"),
    to_translate("Verdict"),
)


class SuspectsPanel(Panel):
    """Lists suspects, the gravest first; the one chosen is shown in the panes."""

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(desk.workbench, parent)
        self._desk = desk
        self._dataset: Dataset | None = None
        self._tasks: tuple[Task, ...] = ()
        self._awaited: TrialSuspect | None = None
        self._evidence: QPixmap | None = None
        self.findings: CheckedReferences | None = None
        self._make_parts()
        self._lay_out()
        self._timer = QTimer(self, interval=_REFRESH_MS)
        self._timer.timeout.connect(self._tell_progress)
        self._stop_list = desk.trials.subscribe(self._follow_list)
        self.listen()

    def let_go(self) -> None:
        self._timer.stop()
        self._stop_list()
        for lane in (_LANE, _IMAGE_LANE):
            self.workbench.jobs.cancel(lane)
        super().let_go()

    def _make_parts(self) -> None:
        self.check = QPushButton(tr("Check references"))
        self.check.setToolTip(tr("Check the reference of every trial by all rules"))
        self.check.clicked.connect(lambda: self.begin())
        self._least = QComboBox()
        self._least.addItems([tr("Include notes"), tr("Warnings and errors"), tr("Errors")])
        self._least.setCurrentIndex(1)
        self._least.setAccessibleName(tr("Which suspects are listed"))
        self._least.activated.connect(lambda: self._fill())
        self.count = ElidedLabel()
        self.count.setProperty("role", "muted")
        self.wrong = QPushButton(tr(Ruling.REFERENCE_WRONG.label))
        self.wrong.setToolTip(tr("Accept the suspect: your verdict gets its evidence as a note"))
        self.wrong.clicked.connect(lambda: self.say(Ruling.REFERENCE_WRONG))
        self.sound = QPushButton(tr(Ruling.SOUND.label))
        self.sound.setToolTip(
            tr("Reject the suspect: your verdict says that the reference is correct")
        )
        self.sound.clicked.connect(lambda: self.say(Ruling.SOUND))
        self.export = QPushButton(tr("Export…"))
        self.export.setToolTip(tr("Save all suspects as a table and as a page with images"))
        self.export.clicked.connect(lambda: self._ask_export())
        self.progress = JobLine(lambda: self.workbench.jobs.call_off(_LANE))
        self.progress.hide()
        self.tree = QTreeWidget()
        self.image = PlainLabel()

    def _lay_out(self) -> None:
        name_columns(self.tree, _TITLES)
        for column, width in enumerate(_WIDTHS_PX):
            self.tree.header().resizeSection(column, width)
        self.tree.setAccessibleName(tr("Suspects"))
        self.tree.setRootIsDecorated(False)
        self.tree.setUniformRowHeights(True)
        self.tree.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.tree.currentItemChanged.connect(lambda item: self._choose(item))
        make_copyable(self.tree)
        self.image.setAccessibleName(tr("Image of the evidence"))
        self.image.setToolTip(
            tr(
                "Probe and difference from the base image with the outline of the mask, and "
                "the mask"
            )
        )
        self.image.setMinimumSize(*_LEAST_IMAGE_PX)
        self.image.setAlignment(Qt.AlignmentFlag.AlignCenter)
        top = FlowRow()
        for widget in (self.check, self._least, self.count):
            top.addWidget(widget)
        top.spring()
        for button in (self.wrong, self.sound, self.export):
            top.addWidget(button)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.addWidget(self.tree)
        split.addWidget(self.image)
        split.setChildrenCollapsible(False)
        split.setSizes([900, 500])
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 2)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 4)
        layout.addLayout(top)
        layout.addWidget(self.progress)
        layout.addWidget(split, 1)

    # The search

    def begin(self) -> None:
        """Check the references of the open dataset."""
        dataset, submissions = self.workbench.state.dataset, self.workbench.state.run_submissions
        if dataset is None:
            return
        tasks = self._tasks = tasks_to_check(dataset)
        self.check.setEnabled(False)
        self._timer.start()
        self.workbench.jobs.submit_long(
            _LANE,
            lambda ticket: search_suspects(
                tasks, submissions, progress=ticket.report, check=ticket.check
            ),
            self.show_findings,
            title=tr("Checking the references of {name}", name=dataset.name),
            on_error=self._fail,
            on_cancel=lambda: self._rest(tr("Cancelled")),
        )

    def show_findings(self, findings: CheckedReferences) -> None:
        """List what a search found."""
        self.findings = findings
        self._rest("")
        self._fill()

    def _fail(self, error: BaseException) -> None:
        if not isinstance(error, ForensicViewerError):
            raise error
        self._rest(str(error))

    def _rest(self, text: str) -> None:
        self._timer.stop()
        self.progress.hide()
        self.check.setEnabled(self.workbench.state.dataset is not None)
        self.count.setText(text)

    def _tell_progress(self) -> None:
        statuses = self.workbench.jobs.statuses()
        status = next((job for job in statuses if job.lane is _LANE), None)
        self.progress.setVisible(status is not None)
        if status is not None:
            self.progress.tell(status)

    # The list

    def _listed(self) -> list[TrialSuspect]:
        shown = SEVERITIES[: len(SEVERITIES) - self._least.currentIndex()]
        found = () if self.findings is None else self.findings.suspects
        return [one for one in found if one.suspect.level in shown]

    def _fill(self) -> None:
        self.tree.clear()
        listed = self._listed()
        # More rows than anybody goes through would keep the window for long.
        self.tree.addTopLevelItems([self._item(one) for one in listed[:_MOST_ROWS]])
        self._show_image(None)
        if self.findings is None:
            self.count.setText(tr("Not checked yet"))
        else:
            text = tr(
                "Trials checked: {trials}, suspects: {found}",
                trials=whole(self.findings.trials),
                found=whole(len(listed)),
            )
            if len(listed) > _MOST_ROWS:
                text += ". " + tr("The first {count} are listed", count=whole(_MOST_ROWS))
            self.count.setText(text)
        self._enable()

    def _enable(self) -> None:
        has_chosen = self.tree.currentItem() is not None
        self.wrong.setEnabled(has_chosen)
        self.sound.setEnabled(has_chosen)
        self.export.setEnabled(self.findings is not None)

    def _item(self, one: TrialSuspect) -> QTreeWidgetItem:
        theme, suspect = current_theme(), one.suspect
        colors = {
            Severity.ERROR: theme.error,
            Severity.WARNING: theme.warning,
            Severity.NOTE: theme.muted,
        }
        title = RULE_OF[suspect.rule].title
        cells = [title, str(one.trial), suspect.evidence, suspect.mending, self._verdict(one)]
        item = QTreeWidgetItem(cells)
        item.setIcon(0, icon(suspect.level.value, color=colors[suspect.level]))
        item.setData(0, _SUSPECT, one)
        for column, text in enumerate(cells):
            item.setToolTip(column, text)
        return item

    def _verdict(self, one: TrialSuspect) -> str:
        book = self._desk.judging.book
        own = None if book is None else book.own(one.trial, one.task)
        return "" if own is None else tr(own.ruling.label)

    def _follow_list(self, change: ListChange) -> None:
        if change & ListChange.CELLS:
            for row in range(self.tree.topLevelItemCount()):
                item = self.tree.topLevelItem(row)
                if item is not None:
                    item.setText(len(_TITLES) - 1, self._verdict(item.data(0, _SUSPECT)))

    # The suspect that is looked at

    def _choose(self, item: QTreeWidgetItem | None) -> None:
        self._enable()
        if item is None:
            return
        one: TrialSuspect = item.data(0, _SUSPECT)
        self._awaited = one
        self._desk.choose_task(one.task)
        self.workbench.select_trial(one.trial)
        self._point_out(self.workbench.state)
        task = next(task for task in self._tasks if task.name == one.task)
        submissions = self.workbench.state.run_submissions
        self.workbench.jobs.submit(
            _IMAGE_LANE,
            lambda: evidence_image(task, one, submissions),
            self._show_image,
            on_error=lambda _error: self._show_image(None),
        )

    def follow(self, state: ViewState, change: Change) -> None:
        if change & Change.DATASET and state.dataset is not self._dataset:
            self._dataset = state.dataset
            self.workbench.jobs.cancel(_LANE)
            self.findings, self._awaited = None, None
            self._rest("")
            self._fill()
        if change & (Change.LOADED | Change.TRIAL):
            self._point_out(state)

    def _point_out(self, state: ViewState) -> None:
        """Look at the place a suspect is about, once its trial is there."""
        one, loaded = self._awaited, state.loaded
        if one is None or loaded is None or loaded.trial.id != one.trial:
            return
        self._awaited = None
        place, active = one.suspect.place, state.arrangement.active
        if place is None:
            self.workbench.set_viewpoint(active, None)
            return
        left, top, width, height = place
        x, y = left + width / 2, top + height / 2
        scale = min(_LARGEST_SCALE, _PLACE_PX / max(width, height))
        self.workbench.set_viewpoint(active, Viewpoint(x, y, scale))
        self.workbench.set_cursor((int(x), int(y)))

    def say(self, ruling: Ruling) -> None:
        """Give a verdict about the suspect's trial; the note says why."""
        item = self.tree.currentItem()
        one: TrialSuspect | None = None if item is None else item.data(0, _SUSPECT)
        state = self.workbench.state
        if one is None or state.task is None:
            return
        if (state.task.name, state.trial_id) != (one.task, one.trial):
            # Somebody went elsewhere meanwhile: show first what the verdict would be about.
            self._choose(item)
            return
        note = verdict_note(one, is_fault=ruling is Ruling.REFERENCE_WRONG)
        place = one.suspect.place
        pin = None if place is None else (place[0] + place[2] // 2, place[1] + place[3] // 2)
        self._desk.judging.say(ruling, note=note, pin=pin)

    def _show_image(self, pixels: RgbImage | None) -> None:
        self._evidence = None if pixels is None else _pixmap(pixels)
        self._fit_image()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_image()

    def _fit_image(self) -> None:
        if self._evidence is None:
            self.image.clear()
            return
        keep, smooth = (
            Qt.AspectRatioMode.KeepAspectRatio,
            Qt.TransformationMode.SmoothTransformation,
        )
        self.image.setPixmap(self._evidence.scaled(self.image.size(), keep, smooth))

    # What is handed over

    def _ask_export(self) -> None:
        folder = QFileDialog.getExistingDirectory(self, tr("Folder for the results"))
        if folder:
            self.export_to(Path(folder))

    def export_to(self, folder: Path) -> None:
        """Write the suspects into a folder, as the command line does."""
        findings, tasks, state = self.findings, self._tasks, self.workbench.state
        if findings is None or state.dataset is None:
            return
        inputs, submissions = opened_places(state), state.run_submissions
        title = report_title(state.dataset)

        def write() -> None:
            require_results_folder(folder, inputs=inputs)
            write_report(folder, findings, tasks, submissions, title=title)

        write_in_background(
            self.workbench, folder / "suspects.html", write, lambda text: self.count.setText(text)
        )


def _pixmap(pixels: RgbImage) -> QPixmap:
    height, width = pixels.shape[:2]
    pixels = pixels.copy()
    image = QImage(pixels.data, width, height, 3 * width, QImage.Format.Format_RGB888)
    return QPixmap.fromImage(image.copy())
