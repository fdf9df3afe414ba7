"""The documents of what is open: the dataset's README and papers, the systems' descriptions."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QListWidget,
    QPlainTextEdit,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from forensicviewer.app.language.words import tr
from forensicviewer.app.runtime.jobs import Jobs, Lane
from forensicviewer.app.validation.paperwork import Paper, papers_of
from forensicviewer.app.workbench.state import ViewState
from forensicviewer.ui.widgets.dialog_size import open_in
from forensicviewer.ui.widgets.file_manager import show_folder
from forensicviewer.ui.widgets.heading import digits_font

_LANE = Lane("documents", is_far=True)


class DocumentsDialog(QDialog):
    """A list of documents, and the text of the one chosen."""

    def __init__(self, papers: tuple[Paper, ...], parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Documents"))
        self._papers = papers
        self.titles = QListWidget()
        self.titles.setAccessibleName(tr("Documents"))
        self.titles.addItems([paper.title for paper in papers])
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setFont(digits_font())
        self.text.setAccessibleName(tr("Text of the document"))
        self.titles.currentRowChanged.connect(self._show)
        self._folder = QPushButton(tr("Show in file manager"))
        self._folder.setAutoDefault(False)
        self._folder.setEnabled(bool(papers))
        self._folder.clicked.connect(self._show_folder)
        sides = QSplitter()
        sides.addWidget(self.titles)
        sides.addWidget(self.text)
        sides.setStretchFactor(1, 1)
        box = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        box.addButton(self._folder, QDialogButtonBox.ButtonRole.ActionRole)
        box.rejected.connect(self.close)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(18, 18, 18, 18)
        layout.setSpacing(12)
        layout.addWidget(sides, stretch=1)
        layout.addWidget(box)
        if papers:
            self.titles.setCurrentRow(0)
        else:
            self.text.setPlainText(tr("The dataset has no documents, and no submission is open"))
        open_in(self, 860, 620)

    def _show(self, row: int) -> None:
        self.text.setPlainText(self._papers[row].text)

    def _show_folder(self) -> None:
        path = self._papers[self.titles.currentRow()].path
        show_folder(path if path.is_dir() else path.parent)


def show_documents(state: ViewState, jobs: Jobs, parent: QWidget) -> None:
    """Read the documents of what is open, and show them."""
    if state.dataset is None:
        return

    def show(papers: tuple[Paper, ...]) -> None:
        DocumentsDialog(papers, parent).show()

    jobs.submit(_LANE, partial(papers_of, state.dataset, state.submissions), show)
