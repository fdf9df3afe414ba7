"""Widgets that show text as it is, whatever signs it holds.

Qt takes text that looks like HTML for HTML, and reads the images it names. Names of trials,
submissions and files come from strangers, so no text is rendered. Tool tips get the same rule from
the style sheet (``qproperty-textFormat`` of ``QToolTip``).
"""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QInputDialog, QLabel, QMessageBox, QWidget


class PlainLabel(QLabel):
    """A label that never renders its text."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(text)


class PlainMessageBox(QMessageBox):
    """A message box that renders neither its text nor what it adds to it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)

    def setInformativeText(self, text: str) -> None:
        # The label is made with the first text, and only then can it be told to render none.
        super().setInformativeText(" ")
        _make_plain(self)
        super().setInformativeText(text)

    def asks(self, title: str, question: str) -> bool:
        """Whether the user answers a question with Yes; waits for the answer."""
        self.setIcon(QMessageBox.Icon.Question)
        self.setWindowTitle(title)
        self.setText(question)
        self.setStandardButtons(QMessageBox.StandardButton.Yes | QMessageBox.StandardButton.No)
        answer = self.exec()
        self.deleteLater()
        return answer == QMessageBox.StandardButton.Yes


class PlainInputDialog(QInputDialog):
    """A question for one value whose words are never rendered."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setLabelText(" ")  # makes the label
        _make_plain(self)


def _make_plain(dialog: QWidget) -> None:
    for label in dialog.findChildren(QLabel):
        label.setTextFormat(Qt.TextFormat.PlainText)
