"""Help's self-test: checks the installation in a separate process and shows each result."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QProcess, QProcessEnvironment, Qt
from PySide6.QtGui import QCloseEvent, QGuiApplication, QTextCursor
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from forensicviewer.app.language.words import tr
from forensicviewer.app.selftest.program import command_line
from forensicviewer.ui.widgets.dialog_size import open_in
from forensicviewer.ui.widgets.plain_text import PlainLabel

_KILL_MS = 2_000


class SelftestDialog(QDialog):
    """Runs ``forensicviewer --selftest`` and shows what it prints, line by line."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Self-test"))
        self.state = PlainLabel(tr("Checking this installation. This takes about a minute."))
        self.state.setWordWrap(True)
        self.results = QPlainTextEdit()
        self.results.setReadOnly(True)
        self.results.setAccessibleName(tr("Results of the self-test"))
        self._cancel = QPushButton(tr("Cancel"))
        copy = QPushButton(tr("Copy"))
        copy.clicked.connect(
            lambda: QGuiApplication.clipboard().setText(self.results.toPlainText())
        )
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.addButton(copy, QDialogButtonBox.ButtonRole.ActionRole)
        buttons.addButton(self._cancel, QDialogButtonBox.ButtonRole.ActionRole)
        buttons.rejected.connect(self.close)
        layout = QVBoxLayout(self)
        for part in (self.state, self.results, buttons):
            layout.addWidget(part)
        open_in(self, 760, 480)
        self._process = self._start()
        self._cancel.clicked.connect(self._process.kill)

    def _start(self) -> QProcess:
        process = QProcess(self)
        environment = QProcessEnvironment.systemEnvironment()
        # Results come line by line, and in one encoding on every system.
        environment.insert("PYTHONUNBUFFERED", "1")
        environment.insert("PYTHONUTF8", "1")
        process.setProcessEnvironment(environment)
        process.setProcessChannelMode(QProcess.ProcessChannelMode.MergedChannels)
        process.readyReadStandardOutput.connect(self._take)
        process.finished.connect(self._finish)
        program, *arguments = command_line()
        process.start(program, [*arguments, "--selftest"])
        return process

    def _take(self) -> None:
        # A line may come in pieces.
        while self._process.canReadLine():
            self._show(self._process.readLine())

    def _show(self, line: QByteArray) -> None:
        self.results.appendPlainText(bytes(line.data()).decode("utf-8", "replace").rstrip())
        # The last line says whether the installation works.
        self.results.moveCursor(QTextCursor.MoveOperation.End)

    def _finish(self, code: int, status: QProcess.ExitStatus) -> None:
        if rest := self._process.readAllStandardOutput():
            self._show(rest)
        self._cancel.setEnabled(False)
        if status is QProcess.ExitStatus.CrashExit:
            self.state.setText(tr("The self-test was stopped"))
        elif code == 0:
            self.state.setText(tr("This installation works: every check passed"))
        else:
            self.state.setText(tr("This installation is incomplete: see the failed checks"))

    def closeEvent(self, event: QCloseEvent) -> None:
        if self._process.state() is not QProcess.ProcessState.NotRunning:
            self._process.kill()
            self._process.waitForFinished(_KILL_MS)
        super().closeEvent(event)
