"""How far a review is: progress, honeypots, agreement, and the conflicts to decide."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from forensicviewer.app.judging.review import ReviewStatus
from forensicviewer.app.judging.review_book import ReviewBook
from forensicviewer.app.judging.review_export import agreement_rows
from forensicviewer.app.language.words import to_translate, tr, tr_many
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.trials.trial_list import ListChange
from forensicviewer.core.model import TrialId
from forensicviewer.core.verdict import Standing
from forensicviewer.ui.widgets.dialog_size import open_in
from forensicviewer.ui.widgets.heading import Heading
from forensicviewer.ui.widgets.plain_text import PlainLabel
from forensicviewer.ui.widgets.table_copy import make_copyable, name_columns

_PROGRESS = (
    to_translate("Judge"),
    to_translate("Judged"),
    to_translate("Assigned"),
    to_translate("Honeypots found"),
)
_AGREEMENT = (to_translate("Agreement"), to_translate("Value"))
_CONFLICTS = (to_translate("Conflict"), to_translate("Verdicts of the judges"))


class ReviewDialog(QDialog):
    """Stays beside the window; Enter on a conflict shows the trial."""

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Review"))
        self._desk = desk
        self.title, self.about = Heading(), PlainLabel()
        self.about.setWordWrap(True)
        self.progress = _table(tr("Progress of the judges"), _PROGRESS)
        self.agreement = _table(tr("Agreement of the judges"), _AGREEMENT)
        self.conflicts = _table(tr("Conflicts to decide"), _CONFLICTS)
        self.conflicts.itemActivated.connect(lambda item: self._go_to(item))
        self._lay_out()
        self._stop = desk.trials.subscribe(self._follow)
        self._show()
        open_in(self, 640, 600)
        self.conflicts.setFocus()

    def _lay_out(self) -> None:
        box = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        box.rejected.connect(self.close)
        column = QVBoxLayout(self)
        column.setContentsMargins(18, 18, 18, 18)
        column.setSpacing(10)
        for widget in (self.title, self.about, self.progress, self.agreement, self.conflicts):
            column.addWidget(widget)
        column.addWidget(box)

    def _follow(self, change: ListChange) -> None:
        if change & (ListChange.CELLS | ListChange.COLUMNS):
            self._show()

    def _show(self) -> None:
        book = self._desk.judging.book
        for table in (self.progress, self.agreement, self.conflicts):
            table.clear()
        if not isinstance(book, ReviewBook):
            self.title.setText(tr("No review is open"))
            self.about.setText(tr("Create or open one in the File menu."))
            return
        status = book.status
        self.title.setText(book.review.folder.name)
        # A blind judge learns nothing here of what others said about trials not judged yet.
        sees_all = book.is_chair or not book.review.is_blind
        self.about.setText(self._describe(book, status))
        self._show_progress(book, status)
        for what, value in agreement_rows(status.agreement) if sees_all else ():
            self.agreement.addTopLevelItem(QTreeWidgetItem([what, value]))
        self.agreement.setVisible(sees_all)
        task = book.review.task.name
        seen = book.standings(task)
        for one in status.conflicts:
            if sees_all or (one.trial_id in seen and seen[one.trial_id].is_contested):
                self.conflicts.addTopLevelItem(_conflict(one))
        first = self.conflicts.topLevelItem(0)
        if first is not None:
            self.conflicts.setCurrentItem(first)

    def _describe(self, book: ReviewBook, status: ReviewStatus) -> str:
        words = [tr_many("{count} conflict decided", "{count} conflicts decided", status.decided)]
        if book.review.is_blind:
            words.append(tr("blind: systems and other judges are hidden until you have judged"))
        return ", ".join(words)

    def _show_progress(self, book: ReviewBook, status: ReviewStatus) -> None:
        for one in status.progress:
            hits = f"{one.caught} / {one.honeypots}" if one.honeypots and book.is_chair else ""
            cells = [one.judge, str(one.judged), str(one.assigned), hits]
            self.progress.addTopLevelItem(QTreeWidgetItem(cells))
        done = sum(one.judged for one in status.progress)
        wanted = sum(one.assigned for one in status.progress)
        self.progress.addTopLevelItem(QTreeWidgetItem([tr("All"), str(done), str(wanted), ""]))

    def _go_to(self, item: QTreeWidgetItem) -> None:
        self._desk.workbench.select_trial(TrialId(item.text(0)))
        parent = self.parentWidget()
        if parent is not None:
            parent.activateWindow()

    def closeEvent(self, event: QCloseEvent) -> None:
        self._stop()
        self._stop = lambda: None
        super().closeEvent(event)


def _conflict(standing: Standing) -> QTreeWidgetItem:
    said = ", ".join(f"{one.judge}: {tr(one.ruling.label)}" for one in standing.opinions)
    return QTreeWidgetItem([str(standing.trial_id), said])


def _table(name: str, titles: Sequence[str]) -> QTreeWidget:
    table = QTreeWidget()
    name_columns(table, titles)
    table.setRootIsDecorated(False)
    table.setAccessibleName(name)
    header = table.header()
    header.setStretchLastSection(True)
    header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
    make_copyable(table)
    return table
