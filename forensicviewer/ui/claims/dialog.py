"""Explains a claimed number: what the evaluation gives, and every setting that gives the claim."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from forensicviewer.app.claims.claim import parse_claims
from forensicviewer.app.claims.search import (
    Dispute,
    ExplainedClaim,
    Explanation,
    also_text,
    command_of,
    explain,
    texts_of,
    written,
)
from forensicviewer.app.claims.showing import show_explanation
from forensicviewer.app.language.words import to_translate, tr, whole
from forensicviewer.app.runtime.jobs import Lane, Ticket
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.state import Change, ViewState
from forensicviewer.core.problem import ForensicViewerError
from forensicviewer.ui.widgets.dialog_size import open_in
from forensicviewer.ui.widgets.heading import Heading, digits_font
from forensicviewer.ui.widgets.plain_text import PlainLabel
from forensicviewer.ui.widgets.table_copy import dress_for_reading
from forensicviewer.ui.widgets.work_dialog import WorkDialog

_LANE = Lane("claim")
_MOST_ROWS = 500
_COLUMNS = (
    to_translate("Differences"),
    to_translate("What differs from the evaluation"),
    to_translate("Numbers"),
)


class ClaimDialog(WorkDialog):
    """Searches near the evaluation's settings first and shows that at once, then further away."""

    def __init__(
        self,
        workbench: Workbench,
        tell: Callable[[str], None],
        parent: QWidget | None = None,
        *,
        keep: Callable[[ExplainedClaim], None] = lambda _: None,
    ) -> None:
        super().__init__(workbench, _LANE, title=tr("Explain a claimed number"), parent=parent)
        self._tell, self._keep = tell, keep
        self.explained: ExplainedClaim | None = None
        self._make_parts()
        self._lay_out()
        self.listen()
        self._name_trial()
        open_in(self, 860, 560)
        self.claim.setFocus()

    def _make_parts(self) -> None:
        self.title, self.about = Heading(), PlainLabel()
        self.about.setWordWrap(True)
        self.claim = QLineEdit("MCC ")
        self.claim.setFont(digits_font())
        self.claim.setAccessibleName(tr("Claimed numbers"))
        self.claim.setToolTip(
            tr("As printed, one or more: MCC 0.577, NMM 0.31. More digits match fewer settings")
        )
        self.claim.returnPressed.connect(self.search)
        self.go = QPushButton(tr("Search"))
        self.go.setAutoDefault(False)
        self.go.clicked.connect(self.search)
        self.table = QTableWidget(0, len(_COLUMNS))
        self.table.setAccessibleName(tr("Settings that give the claimed number"))
        dress_for_reading(self.table, _COLUMNS)
        self.table.setWordWrap(True)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        self.table.itemActivated.connect(lambda _: self.show_in_window())
        self.table.itemSelectionChanged.connect(self._refresh_buttons)

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(8)
        label = PlainLabel(tr("Claimed"))
        label.setBuddy(self.claim)
        row.addWidget(label)
        row.addWidget(self.claim, stretch=1)
        row.addWidget(self.go)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(18, 18, 18, 18)
        layout.setSpacing(10)
        layout.addWidget(self.title)
        layout.addLayout(row)
        layout.addWidget(self.about)
        layout.addWidget(self.progress)
        layout.addWidget(self.table, stretch=1)
        shown = tr("Score the trial with the settings of the claim")
        layout.addWidget(
            self._button_box(
                ("show", tr("Show in the window"), shown, self.show_in_window),
                ("copy", tr("Copy command"), "", self.copy),
            )
        )
        self._refresh_buttons()

    def _name_trial(self) -> None:
        state = self._bench.state
        name = "" if state.submission is None else state.submission.name
        self.title.setText(f"{state.trial_id}, {name}")
        self.about.setText(
            tr(
                "Enter the number as it was printed. Thresholds, kernels, rule sets and "
                "switches, operations, opt-out, polarity and other masks are searched."
            )
        )

    def _follow(self, state: ViewState, change: Change) -> None:
        if state.task is None or state.submission is None or state.trial_id is None:
            self.close()
        elif change & (Change.TRIAL | Change.SUBMISSIONS):
            self._drop_question()
            self._fill(None)
            self._name_trial()

    # Searching

    def search(self) -> None:
        """Search in the background: one difference first, then two at once."""
        state = self._bench.state
        if state.task is None or state.submission is None or state.trial_id is None:
            return
        try:
            claims = parse_claims(self.claim.text())
        except ForensicViewerError as error:
            self._fill(None)
            self.about.setText(f"{error.message}. {error.hint}")
            return
        dispute = Dispute(
            state.task, state.submission, state.trial_id, claims, others=state.submissions
        )
        self._fill(None)
        self.about.setText(tr("Searching…"))
        self._search(dispute, 1)

    def _search(self, dispute: Dispute, depth: int) -> None:
        def work(ticket: Ticket) -> ExplainedClaim:
            return explain(dispute, depth=depth, report=ticket.report)

        def show(found: ExplainedClaim) -> None:
            self._fill(found)
            self._keep(found)
            if depth < 2 and not found.is_correct:
                self._search(dispute, depth + 1)

        title = tr("Searching settings with {count} differences", count=depth)
        self._begin(work, show, title=title)

    def _say_failed(self, error: ForensicViewerError) -> None:
        self.about.setText(tr("The search cannot start: {why}", why=str(error)))

    # What was found

    def _fill(self, explained: ExplainedClaim | None) -> None:
        self.explained = explained
        found = () if explained is None else explained.found[:_MOST_ROWS]
        self.table.setRowCount(len(found))
        for row, one in enumerate(found):
            cells = (whole(one.steps), "; ".join(texts_of(one)), written(one.numbers))
            also = also_text(one)
            tip = tr("The number is also the same with: {what}", what=also)
            for column, text in enumerate(cells):
                item = QTableWidgetItem(text)
                item.setToolTip(tip if also else "")
                self.table.setItem(row, column, item)
        self.table.resizeRowsToContents()
        if explained is not None:
            self.about.setText(summary_of(explained))
        if found:
            self.table.selectRow(0)
        self._refresh_buttons()

    @property
    def chosen(self) -> Explanation | None:
        rows = self.table.selectionModel().selectedRows()
        if self.explained is None or not rows:
            return None
        return self.explained.found[rows[0].row()]

    @property
    def _command(self) -> str:
        one, dataset = self.chosen, self._bench.state.dataset
        if one is None or self.explained is None or dataset is None:
            return ""
        return command_of(self.explained.dispute, one, Path(dataset.root))

    def _refresh_buttons(self) -> None:
        self.buttons["show"].setEnabled(self.chosen is not None)
        self.buttons["copy"].setEnabled(bool(self._command))

    def show_in_window(self) -> None:
        """Score the trial in the window as the chosen explanation does."""
        if self.chosen is not None:
            left = show_explanation(self._bench, self.chosen)
            if left:
                self._tell(tr("The window cannot show this: {what}", what="; ".join(left)))

    def copy(self) -> None:
        QGuiApplication.clipboard().setText(self._command)


def summary_of(explained: ExplainedClaim) -> str:
    """The claim beside the recomputed number, and how many settings give it."""
    claimed = ", ".join(f"{claim.metric} {claim.text}" for claim in explained.dispute.claims)
    lines = []
    if explained.unscored:
        lines.append(tr("The evaluation does not score this trial"))
    for numbers in explained.recomputed.values():
        given = written(numbers)
        lines.append(
            tr("Claimed: {claimed}. The evaluation gives {given}.", claimed=claimed, given=given)
        )
    lines.append(
        tr(
            "Settings that give the claimed number: {count} of {total} tried.",
            count=whole(len(explained.found)),
            total=whole(explained.tried),
        )
    )
    if explained.wants_digits:
        lines.append(tr("Add digits or a second number to distinguish them."))
    return " ".join(lines)
