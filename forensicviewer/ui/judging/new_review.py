"""Asks who judges what in a new review."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from forensicviewer.app.judging.review import Honeypot, ReviewPlan
from forensicviewer.app.language.words import tr
from forensicviewer.core.problem import UsageError
from forensicviewer.core.verdict import Ruling
from forensicviewer.ui.widgets.dialog_size import open_in
from forensicviewer.ui.widgets.heading import Heading
from forensicviewer.ui.widgets.plain_text import PlainLabel


class NewReviewDialog(QDialog):
    """Judges, chair, share judged twice, blind or not, known trials, and the folder."""

    def __init__(
        self,
        proposed: Path,
        begin: Callable[[Path, ReviewPlan], None],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("New review"))
        self._begin = begin
        self.judges = _lines(tr("Judges, one per line"))
        self.chair = QLineEdit()
        self.second = QSpinBox()
        self.second.setRange(0, 100)
        self.second.setValue(20)
        self.second.setSuffix(" %")
        self.blind = QCheckBox(
            tr("Blind: hide systems and other judges until the judge has judged")
        )
        self.blind.setChecked(True)
        self.full = QCheckBox(tr("Compute the digests of all media now (reads every file)"))
        self.honeypots = _lines(tr("Trials with known verdicts, for example p17 = reference-wrong"))
        self.folder = QLineEdit(str(proposed))
        self.wrong = PlainLabel()
        self.wrong.setWordWrap(True)
        self.wrong.setProperty("role", "warning")
        self._lay_out()
        open_in(self, 560, 520)
        self.judges.setFocus()

    def _lay_out(self) -> None:
        browse = QPushButton(tr("Browse…"))
        browse.setAutoDefault(False)
        browse.clicked.connect(self._browse)
        place = QHBoxLayout()
        place.addWidget(self.folder, 1)
        place.addWidget(browse)
        form = QFormLayout()
        form.addRow(tr("Judges"), self.judges)
        form.addRow(tr("Chair"), self.chair)
        form.addRow(tr("Judged twice"), self.second)
        form.addRow(self.blind)
        form.addRow(tr("Honeypots"), self.honeypots)
        form.addRow(self.full)
        form.addRow(tr("New folder"), place)
        box = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.make = QPushButton(tr("Create review"))
        self.make.setDefault(True)
        box.addButton(self.make, QDialogButtonBox.ButtonRole.AcceptRole)
        box.accepted.connect(self._accept)
        box.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(18, 18, 18, 18)
        column.setSpacing(10)
        column.addWidget(Heading(tr("New review")))
        column.addLayout(form, 1)
        column.addWidget(self.wrong)
        column.addWidget(box)

    def plan(self) -> ReviewPlan:
        """What was asked for; a line nobody can read raises ``UsageError``."""
        return ReviewPlan(
            tuple(dict.fromkeys(_written(self.judges))),
            self.chair.text().strip(),
            self.blind.isChecked(),
            self.second.value() / 100,
            tuple(map(_honeypot, _written(self.honeypots))),
            self.full.isChecked(),
        )

    def _accept(self) -> None:
        try:
            plan = self.plan()
        except UsageError as error:
            self.wrong.setText(str(error))
            return
        if not plan.judges:
            self.wrong.setText(tr("Name at least one judge"))
            return
        self._begin(Path(self.folder.text()).absolute(), plan)
        self.accept()

    def _browse(self) -> None:
        chosen = QFileDialog.getExistingDirectory(self, tr("New folder"), self.folder.text())
        if chosen:
            self.folder.setText(chosen)


def _lines(words: str) -> QPlainTextEdit:
    box = QPlainTextEdit()
    box.setPlaceholderText(words)
    box.setAccessibleName(words)
    box.setTabChangesFocus(True)
    box.setMaximumHeight(96)
    return box


def _written(box: QPlainTextEdit) -> list[str]:
    lines = (line.strip() for line in box.toPlainText().splitlines())
    return [line for line in lines if line]


def _honeypot(line: str) -> Honeypot:
    trial, _, ruling = (part.strip() for part in line.rpartition("="))
    for known in Ruling:
        if trial and ruling in (known.value, known.label, tr(known.label)):
            return Honeypot(trial, known)
    raise UsageError(tr("{line} is not TRIAL = VERDICT", line=line))
