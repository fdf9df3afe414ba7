"""The lines that head a report or case: case number, judge, checker, note."""

from __future__ import annotations

from PySide6.QtWidgets import QFormLayout, QLineEdit, QPlainTextEdit

from forensicviewer.app.language.words import tr
from forensicviewer.app.reports.making import ReportHeading
from forensicviewer.ui.widgets.dialog_size import text_scale
from forensicviewer.ui.widgets.plain_text import PlainLabel

_NOTE_PX = 64


class HeadingForm(QFormLayout):
    """Asks whose report it is; what is left blank is left out."""

    def __init__(self, judge: str) -> None:
        super().__init__()
        self.case, self.judge, self.checker = QLineEdit(), QLineEdit(judge), QLineEdit()
        self.note = QPlainTextEdit()
        self.note.setTabChangesFocus(True)
        self.note.setFixedHeight(round(_NOTE_PX * text_scale()))
        self.add(tr("Case number"), self.case)
        self.add(tr("Judge"), self.judge)
        self.add(tr("Checked by"), self.checker)
        self.add(tr("Note"), self.note)

    def add(self, name: str, field: QLineEdit | QPlainTextEdit) -> None:
        """A line with its name."""
        label = PlainLabel(name)
        label.setBuddy(field)
        field.setAccessibleName(name)
        row = self.rowCount()
        self.setWidget(row, QFormLayout.ItemRole.LabelRole, label)
        self.setWidget(row, QFormLayout.ItemRole.FieldRole, field)

    @property
    def heading(self) -> ReportHeading:
        return ReportHeading(
            case=self.case.text().strip(),
            judge=self.judge.text().strip(),
            checker=self.checker.text().strip(),
            note=self.note.toPlainText().strip(),
        )
