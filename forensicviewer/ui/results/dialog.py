"""The results of the shown submission's whole run, with the commands that make the same numbers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtGui import QCloseEvent, QGuiApplication
from PySide6.QtWidgets import (
    QComboBox,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QTabWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from forensicviewer.app.language.words import to_translate, tr, tr_many
from forensicviewer.app.masks.run import SCORED_KINDS
from forensicviewer.app.report.separated_text import as_text, write_table
from forensicviewer.app.results.columns import (
    PARTITION_EXAMPLE,
    QUERY_EXAMPLE,
    partition_columns,
)
from forensicviewer.app.results.request import MIDDLE_THRESHOLD, Division, RunRequest
from forensicviewer.app.results.run_results import (
    TABLE_COLUMNS,
    RunResults,
    score_run,
    table_rows,
)
from forensicviewer.app.runtime.jobs import Lane
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.state import Change, ViewState
from forensicviewer.core.model import Task
from forensicviewer.core.problem import ForensicViewerError
from forensicviewer.ui.results.tables import ScorerPage
from forensicviewer.ui.widgets.dialog_size import open_in
from forensicviewer.ui.widgets.flow import FlowBox
from forensicviewer.ui.widgets.heading import Heading, digits_font
from forensicviewer.ui.widgets.key_names import as_menu_text
from forensicviewer.ui.widgets.number_box import NumberBox
from forensicviewer.ui.widgets.plain_text import PlainLabel
from forensicviewer.ui.widgets.save_dialog import (
    ask_where,
    kinds_of,
    kinds_of_tables,
    opened_places,
    write_in_background,
)
from forensicviewer.ui.widgets.work_dialog import WorkDialog

_LANE = Lane("results")
_COLUMNS_LANE = Lane("columns")
_SCORER_TITLES = {
    "mask": to_translate("Masks"),
    "detection": to_translate("Detection"),
    "temporal": to_translate("Intervals"),
    "provenance": to_translate("Graphs"),
    "filtering": to_translate("Filtering"),
    "genai": to_translate("Generated images"),
}
_QUERY_PX = 52
_MOST_TOLD = 20


class ResultsDialog(WorkDialog):
    """Follows the window: another submission, rule set or kernel is scored at once."""

    def __init__(
        self,
        workbench: Workbench,
        tell: Callable[[str], None],
        *,
        workers: int = 1,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(workbench, _LANE, title=tr("Run results"), parent=parent)
        self._tell, self._workers = tell, workers
        self.results: RunResults | None = None
        self._make_parts()
        self._lay_out()
        self.listen()
        open_in(self, 1000, 700)
        self.score()

    def _make_parts(self) -> None:
        state = self._bench.state
        self.title, self.about = Heading(), PlainLabel()
        self.about.setProperty("role", "muted")
        self.about.setWordWrap(True)
        self.threshold = NumberBox()
        self.threshold.setRange(-1, 255)
        actual = state.thresholds.actual
        self.threshold.setValue(
            MIDDLE_THRESHOLD if actual is None else state.shown_threshold(actual)
        )
        self.threshold.setKeyboardTracking(False)
        self.threshold.setAccessibleName(tr("Actual threshold"))
        self.threshold.setToolTip(
            tr(
                "The system's own threshold (--threshold): grey values at or below it are "
                "manipulated"
            )
        )
        self.threshold.valueChanged.connect(lambda _: self.score())
        self.division = QComboBox()
        self.division.setAccessibleName(tr("How the run is divided"))
        self.division.addItems([tr(each.title) for each in Division])
        self.division.activated.connect(self._choose_division)
        self.query = QPlainTextEdit()
        self.query.setFont(digits_font())
        self.query.setFixedHeight(_QUERY_PX)
        self.query.setTabChangesFocus(True)
        self.query.setAccessibleName(tr("Queries, one per line, or the partition"))
        self.column = QToolButton()
        self.column.setText(tr("Column"))
        self.column.setToolTip(tr("Divide by the values of a column"))
        self.column.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.column.setMenu(QMenu(self.column))
        self.apply = QPushButton(tr("Divide"))
        self.apply.setAutoDefault(False)
        self.apply.clicked.connect(self.score)
        self.pages = QTabWidget()
        self.pages.setDocumentMode(True)

    def _lay_out(self) -> None:
        choices = FlowBox(self)
        choices.row.setSpacing(8)
        self._actual = PlainLabel(tr("Actual threshold"))
        parts: tuple[QWidget, ...] = (
            self._actual,
            self.threshold,
            self.division,
            self.column,
            self.apply,
        )
        for part in parts:
            choices.row.addWidget(part)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(18, 18, 18, 18)
        layout.setSpacing(10)
        rows: tuple[QWidget, ...] = (self.title, self.about, choices, self.query, self.progress)
        for row in rows:
            layout.addWidget(row)
        layout.addWidget(self.pages, stretch=1)
        layout.addWidget(
            self._button_box(
                (
                    "copy",
                    tr("Copy"),
                    tr("Copy all numbers with all digits, and the commands that compute them"),
                    self.copy,
                ),
                (
                    "commands",
                    tr("Copy commands"),
                    tr("Copy the command lines that compute these numbers"),
                    self.copy_commands,
                ),
                ("export", tr("Export…"), tr("Write every number as CSV or TSV"), self._ask_export),
            )
        )
        self._show_division()

    # How the run is divided

    @property
    def _division(self) -> Division:
        return list(Division)[self.division.currentIndex()]

    def _choose_division(self, _place: int = 0) -> None:
        self._show_division()
        if self._division is Division.WHOLE:
            self.score()

    def _show_division(self) -> None:
        division = self._division
        for widget in (self.query, self.apply):
            widget.setVisible(division is not Division.WHOLE)
        self.column.setVisible(division is Division.PARTITION)
        self.query.setPlaceholderText(
            PARTITION_EXAMPLE
            if division is Division.PARTITION
            else tr("One query per line, for example {example}", example=QUERY_EXAMPLE)
        )
        if division is Division.PARTITION:
            self._list_columns()

    def _list_columns(self) -> None:
        """Offer the columns with few values, found in the background: trials may be a million."""
        menu, task = self.column.menu(), self._bench.state.task
        menu.clear()
        if task is None:
            return

        def fill(found: tuple[tuple[str, str], ...]) -> None:
            menu.clear()
            for name, text in found:
                menu.addAction(as_menu_text(name), partial(self.divide, Division.PARTITION, text))

        work = partial(_columns_of, task)
        self._bench.jobs.submit(_COLUMNS_LANE, work, fill)

    def divide(self, division: Division, text: str) -> None:
        """Divide the run as the text says."""
        self.division.setCurrentIndex(list(Division).index(division))
        self._show_division()
        self.query.setPlainText(text)
        self.score()

    # Scoring

    def _follow(self, state: ViewState, change: Change) -> None:
        if state.task is None or state.submission is None:
            self.close()
        elif change & (Change.DATASET | Change.SUBMISSIONS | Change.RULES | Change.SCORING):
            self.score()

    def request(self) -> RunRequest | None:
        """What is asked now."""
        return RunRequest.of(
            self._bench.state,
            threshold=self.threshold.value(),
            division=self._division,
            text=self.query.toPlainText(),
        )

    def score(self) -> None:
        """Score the run in the background, as it is asked for now."""
        request = self.request()
        if request is None:
            return
        self.results = None
        self.title.setText(f"{request.submission.name}, {request.task.name}")
        for widget in (self._actual, self.threshold):
            widget.setVisible(request.task.kind in SCORED_KINDS)
        self._show(tr("Scoring the run…"))
        self._begin(
            lambda ticket: score_run(request, workers=self._workers, progress=ticket.report),
            self._take,
            title=tr("Scoring the run of {name}", name=request.submission.name),
        )

    def _take(self, found: RunResults) -> None:
        self.results = found
        problems = {p for scorer in found.scorers for v in scorer.variants for p in v.problems}
        remarks = tr_many("{count} remark", "{count} remarks", len(problems))
        self._show(tr("Rule set {rules}; scorers: {remarks}", rules=found.rules, remarks=remarks))
        self.about.setToolTip("\n".join(sorted(map(str, problems))[:_MOST_TOLD]))
        if not found.scorers:
            self._show(tr("The submission contains nothing that can be scored"))

    def _say_failed(self, error: ForensicViewerError) -> None:
        self._show(tr("The run cannot be scored: {why}", why=str(error)))

    def _say_cancelled(self) -> None:
        self._show(tr("Cancelled"))

    def _show(self, about: str) -> None:
        self.about.setText(about)
        at = self.pages.currentIndex()
        while self.pages.count():
            page = self.pages.widget(0)
            self.pages.removeTab(0)
            assert page is not None
            page.deleteLater()
        for scorer in () if self.results is None else self.results.scorers:
            self.pages.addTab(ScorerPage(scorer), tr(_SCORER_TITLES[scorer.scorer]))
        self.pages.setCurrentIndex(max(0, min(at, self.pages.count() - 1)))
        for button in self.buttons.values():
            button.setEnabled(self.results is not None)

    def page(self, place: int) -> ScorerPage:
        page = self.pages.widget(place)
        assert isinstance(page, ScorerPage)
        return page

    # What is done with it

    def copy(self) -> None:
        """Put every number and the commands that compute them onto the clipboard."""
        if self.results is not None:
            table = as_text(TABLE_COLUMNS, table_rows(self.results), separator="\t")
            QGuiApplication.clipboard().setText("\n".join([*self.results.commands, "", table]))

    def copy_commands(self) -> None:
        if self.results is not None:
            QGuiApplication.clipboard().setText("\n".join(self.results.commands) + "\n")

    def _ask_export(self) -> None:
        proposed = f"{self.results.name if self.results else ''}-results.csv"
        kinds, inputs = kinds_of(*kinds_of_tables()), opened_places(self._bench.state)
        path = ask_where(self, tr("Export run results"), proposed, kinds, inputs=inputs)
        if path is not None:
            self.export(path)

    def export(self, path: Path) -> None:
        """Write every number with every digit."""
        if self.results is not None:
            write = partial(write_table, path, TABLE_COLUMNS, list(table_rows(self.results)))
            write_in_background(self._bench, path, write, self._tell)

    def closeEvent(self, event: QCloseEvent) -> None:
        self._bench.jobs.cancel(_COLUMNS_LANE)
        super().closeEvent(event)


def _columns_of(task: Task) -> tuple[tuple[str, str], ...]:
    return tuple(partition_columns(task))
