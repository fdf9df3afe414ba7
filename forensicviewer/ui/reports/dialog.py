"""Asks what a report is about and whose it is, and writes it as PDF or page in the background."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from forensicviewer.app.claims.search import ExplainedClaim
from forensicviewer.app.language.words import to_translate, tr
from forensicviewer.app.reports.asked import About, ReportRequest, report_of
from forensicviewer.app.reports.html import html_of
from forensicviewer.app.runtime.atomic import write_atomically
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.workbench.evaluation import differences
from forensicviewer.ui.reports.pdf import write_pdf
from forensicviewer.ui.widgets.dialog_size import open_in
from forensicviewer.ui.widgets.heading import Heading
from forensicviewer.ui.widgets.heading_form import HeadingForm
from forensicviewer.ui.widgets.plain_text import PlainLabel
from forensicviewer.ui.widgets.save_dialog import (
    ask_where,
    kinds_of,
    opened_places,
    write_in_background,
)

_TITLES = {
    About.DISPUTE: to_translate("This dispute"),
    About.TRIAL: to_translate("This trial"),
    About.SUBMISSION: to_translate("This submission"),
    About.SET: to_translate("All open submissions"),
    About.REVIEW: to_translate("All verdicts on this dataset"),
}


class ReportDialog(QDialog):
    """A report about what is open; with an explained claim, of the dispute."""

    def __init__(
        self,
        desk: Desk,
        tell: Callable[[str], None],
        *,
        explained: ExplainedClaim | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Report"))
        self._desk, self._tell, self._explained = desk, tell, explained
        self.form = HeadingForm(desk.judge)
        self.kind = QComboBox()
        self.kind.setAccessibleName(tr("About"))
        self._kinds = self._possible()
        self.kind.addItems([tr(_TITLES[about]) for about in self._kinds])
        self.kind.currentIndexChanged.connect(lambda _: self._describe())
        self.about = PlainLabel()
        self.about.setWordWrap(True)
        self._lay_out()
        self._describe()
        open_in(self, 580, 440)
        self.form.case.setFocus()

    def _possible(self) -> list[About]:
        state = self._desk.workbench.state
        book = self._desk.judging.book
        has_trial = state.loaded is not None and state.is_current
        found = {
            About.DISPUTE: has_trial and self._explained is not None,
            About.TRIAL: has_trial,
            About.SUBMISSION: state.submission is not None,
            About.SET: len(state.submissions) > 1,
            About.REVIEW: book is not None,
        }
        return [about for about, is_possible in found.items() if is_possible]

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(18, 18, 18, 18)
        layout.setSpacing(10)
        layout.addWidget(Heading(tr("Report")))
        label = PlainLabel(tr("About"))
        label.setBuddy(self.kind)
        self.form.insertRow(0, label, self.kind)
        layout.addLayout(self.form)
        layout.addWidget(self.about)
        layout.addStretch(1)
        box = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.save = QPushButton(tr("Save…"))
        self.save.setDefault(True)
        self.save.setEnabled(bool(self._kinds))
        self.save.clicked.connect(self.export)
        box.addButton(self.save, QDialogButtonBox.ButtonRole.ActionRole)
        box.rejected.connect(self.close)
        layout.addWidget(box)

    @property
    def chosen(self) -> About:
        return self._kinds[max(0, self.kind.currentIndex())]

    def _describe(self) -> None:
        state = self._desk.workbench.state
        text = ""
        if self._kinds and self.chosen in (About.DISPUTE, About.TRIAL):
            differing = differences(state)
            if differing:
                what = ", ".join(differing)
                text = tr(
                    "The numbers on screen are reported. Different from the evaluation: {what}",
                    what=what,
                )
            else:
                text = tr("The evaluation's numbers are reported")
        self.about.setText(text)

    def request(self) -> ReportRequest:
        """What the boxes say."""
        standing = self._desk.judging.standing
        return ReportRequest(
            self.chosen,
            self._desk.workbench.state,
            self.form.heading,
            verdicts=() if standing is None else standing.verdicts,
            explained=self._explained if self.chosen is About.DISPUTE else None,
            book=self._desk.judging.book,
        )

    def export(self) -> None:
        """Ask where to, and write."""
        bench, request = self._desk.workbench, self.request()
        named = (request.heading.case, request.name)
        stem = "-".join(part for part in named if part).replace("/", "_")
        kinds = kinds_of((tr("PDF"), "*.pdf"), (tr("HTML in one file"), "*.html"))
        inputs = opened_places(bench.state)
        path = ask_where(self, tr("Report"), f"{stem}.pdf", kinds, inputs=inputs)
        if path is not None:
            write_in_background(bench, path, partial(_write, request, path), self._tell)
            self.close()


def _write(request: ReportRequest, path: Path) -> None:
    report = report_of(request)
    if path.suffix.lower() == ".html":
        write_atomically(path, html_of(report))
    else:
        write_pdf(report, path)
