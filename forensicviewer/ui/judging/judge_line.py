"""Under which name verdicts are given, said before the first one is."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from forensicviewer.app.judging.review_book import ReviewBook
from forensicviewer.app.language.words import tr
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.settings import JUDGE
from forensicviewer.ui.widgets.elided import ElidedLabel
from forensicviewer.ui.widgets.plain_text import PlainInputDialog


class JudgeLine(QWidget):
    """The name of the judge and a button to change it; what was said before keeps its name."""

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._desk = desk
        self.name = ElidedLabel(parent=self)
        self.change = QToolButton(self)
        self.change.setText(tr("Change…"))
        self.change.setToolTip(tr("Judge under a different name"))
        self.change.clicked.connect(self._ask)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.name, 1)
        row.addWidget(self.change)
        self.show_name()

    def show_name(self) -> None:
        self.name.setText(tr("You judge as {name}", name=self._desk.judge))

    def _ask(self) -> None:
        dialog = PlainInputDialog(self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setWindowTitle(tr(JUDGE.title))
        dialog.setLabelText(
            tr(
                "Written into the verdicts you give from now on.\nLeave it empty to use your "
                "account name."
            )
        )
        book = self._desk.judging.book
        if isinstance(book, ReviewBook):
            dialog.setComboBoxItems([one.name for one in book.review.judges])
        dialog.setTextValue(self._desk.judge)
        dialog.textValueSelected.connect(self._take)
        dialog.open()

    def _take(self, name: str) -> None:
        self._desk.settings.change(JUDGE, name.strip())
        self.show_name()
