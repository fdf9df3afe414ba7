"""Help's dialogs: about, performance, the log, and the report of a crash."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import shiboken6
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication, QTextCursor
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QHeaderView,
    QPlainTextEdit,
    QPushButton,
    QTableWidget,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from forensicviewer import __version__
from forensicviewer.app.language.words import decimal, to_translate, tr, whole
from forensicviewer.app.runtime.crash import report_folder, versions
from forensicviewer.app.runtime.decoders import describe_decoders
from forensicviewer.app.runtime.jobs import Jobs, Lane
from forensicviewer.app.runtime.resources import resource
from forensicviewer.app.session.logbook import Logbook, log_path
from forensicviewer.ui.widgets.dialog_size import open_in
from forensicviewer.ui.widgets.file_manager import show_folder
from forensicviewer.ui.widgets.heading import Heading, align_titles, digits_font
from forensicviewer.ui.widgets.plain_text import PlainLabel
from forensicviewer.ui.widgets.table_copy import make_copyable, translated_cell
from forensicviewer.ui.widgets.theme import application_icon
from forensicviewer.ui.widgets.watch import Pulse, Watch

_REFRESH_MS = 500
_MEASURED = (
    to_translate("What"),
    to_translate("Times"),
    to_translate("Median"),
    to_translate("Worst"),
    to_translate("Last"),
)


class AboutDialog(QDialog):
    """Versions and decoders to copy into a bug report, and the licences."""

    def __init__(self, jobs: Jobs, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("About forensicviewer"))
        picture = PlainLabel()
        picture.setPixmap(application_icon().pixmap(64, 64))
        title = Heading(f"forensicviewer {__version__}")
        about = PlainLabel(tr("Inspect, score and judge media-forensics results. Works offline."))
        about.setProperty("role", "muted")
        words = QVBoxLayout()
        words.addWidget(title)
        words.addWidget(about)
        head = QHBoxLayout()
        head.addWidget(picture)
        head.addLayout(words, stretch=1)
        self.versions = "\n".join(f"{name}: {found}" for name, found in versions().items())
        tabs = QTabWidget()
        self._decoders = _reading(tr("Looking…"))
        pages = {
            tr("Versions"): _reading(self.versions),
            tr("Decoders"): self._decoders,
            tr("Licences"): _reading(_licences()),
        }
        for name, page in pages.items():
            page.setAccessibleName(name)
            tabs.addTab(page, name)
        copy = QPushButton(tr("Copy for a bug report"))
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.versions))
        _finish(self, [head, tabs], [copy])
        open_in(self, 560, 460)
        jobs.submit(Lane("decoders"), describe_decoders, self._take_decoders)

    def _take_decoders(self, found: dict[str, str]) -> None:
        if shiboken6.isValid(self):
            listed = "\n".join(f"{kinds}: {library}" for kinds, library in found.items())
            self._decoders.setPlainText(listed)
            self.versions = f"{self.versions}\n{listed}"


class PerformanceDialog(QDialog):
    """How long things take, while they happen."""

    def __init__(self, watch: Watch, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Performance"))
        self._watch = watch
        self._pulse = Pulse(watch, self)
        self.table = QTableWidget(0, 5)
        for column, name in enumerate(_MEASURED):
            self.table.setHorizontalHeaderItem(column, translated_cell(tr(name), name))
        align_titles(self.table, range(1, len(_MEASURED)))
        self.table.setAccessibleName(tr("Timings"))
        make_copyable(self.table)
        self.table.verticalHeader().hide()
        self.table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        self.table.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        about = PlainLabel(
            tr(
                "Milliseconds. The window responds as long as nothing takes longer than 50 "
                "ms in it; longer work runs in the background."
            )
        )
        about.setProperty("role", "muted")
        about.setWordWrap(True)
        reset = QPushButton(tr("Reset"))
        reset.clicked.connect(watch.clear)
        _finish(self, [about, self.table], [reset])
        open_in(self, 620, 420)
        self._timer = QTimer(self, interval=_REFRESH_MS)
        self._timer.timeout.connect(self.refresh)
        self._timer.start()
        self.refresh()

    def refresh(self) -> None:
        timings = self._watch.timings()
        self.table.setRowCount(len(timings))
        for row, timing in enumerate(timings):
            numbers = (timing.median_ms, timing.worst_ms, timing.last_ms)
            cells = [
                translated_cell(tr(timing.name), timing.name),
                translated_cell(whole(timing.times), str(timing.times)),
                *(translated_cell(decimal(number, 1), f"{number:.1f}") for number in numbers),
            ]
            for column, item in enumerate(cells):
                if column:
                    item.setTextAlignment(
                        Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
                    )
                self.table.setItem(row, column, item)


class LogDialog(QDialog):
    """What happened since the start, line by line; follows while it is open."""

    def __init__(self, logbook: Logbook, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Log"))
        self._logbook = logbook
        self._shown = -1
        self.field = _reading("")
        self.field.setAccessibleName(tr("Log"))
        self.field.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        copy = QPushButton(tr("Copy"))
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(logbook.text))
        folder = QPushButton(tr("Show folder"))
        folder.clicked.connect(lambda: _show_own_folder(log_path().parent))
        _finish(self, [self.field], [copy, folder])
        open_in(self, 860, 460)
        self._timer = QTimer(self, interval=_REFRESH_MS)
        self._timer.timeout.connect(self.refresh)
        self._timer.start()
        self.refresh()

    def refresh(self) -> None:
        if self._logbook.count != self._shown:
            self._shown = self._logbook.count
            self.field.setPlainText(self._logbook.text)
            self.field.moveCursor(QTextCursor.MoveOperation.End)
            self.field.moveCursor(QTextCursor.MoveOperation.StartOfLine)


class CrashDialog(QDialog):
    """What happened, in full, to copy; the program goes on if it can."""

    def __init__(self, text: str, parent: QWidget | None, *, says: str) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Something went wrong"))
        about = PlainLabel(says)
        about.setWordWrap(True)
        self._report = _reading(text)
        copy = QPushButton(tr("Copy report"))
        copy.clicked.connect(
            lambda: QGuiApplication.clipboard().setText(self._report.toPlainText())
        )
        folder = QPushButton(tr("Show folder"))
        folder.clicked.connect(show_report_folder)
        _finish(self, [about, self._report], [copy, folder])
        open_in(self, 680, 460)

    def add(self, text: str) -> None:
        """Report another bug below: one seldom comes alone."""
        self._report.appendPlainText(f"\n{text}")


def show_report_folder() -> None:
    """Open the folder of reports in the file manager."""
    _show_own_folder(report_folder())


def _show_own_folder(folder: Path) -> None:
    """Show a folder of the program, making it where it is not there yet."""
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
    show_folder(folder)


def _licences() -> str:
    path = resource("licences.txt")
    return path.read_text(encoding="utf-8") if path.is_file() else tr("See the LICENSE file")


def _reading(text: str) -> QPlainTextEdit:
    field = QPlainTextEdit(text)
    field.setReadOnly(True)
    field.setFont(digits_font())
    return field


def _finish(
    dialog: QDialog, parts: list[QWidget | QHBoxLayout], buttons: list[QPushButton]
) -> None:
    layout = QVBoxLayout(dialog)
    layout.setContentsMargins(18, 18, 18, 18)
    layout.setSpacing(12)
    for part in parts:
        if isinstance(part, QWidget):
            layout.addWidget(part)
        else:
            layout.addLayout(part)
    box = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
    for button in buttons:
        box.addButton(button, QDialogButtonBox.ButtonRole.ActionRole)
        # Enter closes: it must not do what somebody only reads about.
        button.setAutoDefault(False)
    box.rejected.connect(dialog.close)
    layout.addWidget(box)
