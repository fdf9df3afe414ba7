"""The grid of results in the window: add runs, choose a metric, export."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from forensicviewer.app.grid.card import ModelCard, save_card, texts_of
from forensicviewer.app.grid.grid import (
    METRICS,
    WRITERS,
    Grid,
    GridCell,
    Run,
    make_grid,
    published_runs,
    read_runs,
    with_cards,
)
from forensicviewer.app.imdl.open_runs import open_runs
from forensicviewer.app.language.words import labelled, tr
from forensicviewer.app.runtime.atomic import write_atomically
from forensicviewer.app.runtime.jobs import Lane, Ticket
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.core.problem import ForensicViewerError, Problem, ProblemLog
from forensicviewer.ui.grid.card_dialog import FIELDS, CardDialog
from forensicviewer.ui.widgets.dialog_size import open_in
from forensicviewer.ui.widgets.flow import FlowBox
from forensicviewer.ui.widgets.heading import Heading
from forensicviewer.ui.widgets.plain_text import PlainLabel
from forensicviewer.ui.widgets.save_dialog import (
    ask_where,
    kinds_of,
    opened_places,
    write_in_background,
)
from forensicviewer.ui.widgets.table_copy import make_copyable

_LANE, _CARD_LANE = Lane("grid", is_far=True), Lane("model-card", is_far=True)
_OPEN_LANE = Lane("open-runs", is_far=True)


class GridDialog(QDialog):
    """Runs by datasets; the best of a column is bold, the second underlined."""

    def __init__(
        self, workbench: Workbench, tell: Callable[[str], None], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Results grid"))
        self._bench, self._tell = workbench, tell
        self._folders: list[Path] = []
        self._open: tuple[Run, ...] = ()
        self.grid: Grid | None = None
        self.chosen_metric = QComboBox()
        self.chosen_metric.setAccessibleName(tr("Metric"))
        self.chosen_metric.addItems(METRICS)
        self.chosen_metric.activated.connect(lambda _: self.fill())
        self.published = QCheckBox(tr("Figures of the IMDL-BenCo paper"))
        self.published.setChecked(True)
        self.published.clicked.connect(lambda _: self.fill())
        self.about = PlainLabel()
        self.about.setWordWrap(True)
        self.about.setProperty("role", "muted")
        self.table = QTableWidget()
        self.table.setAccessibleName(tr("Results grid"))
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.verticalHeader().hide()
        make_copyable(self.table)
        self._lay_out()
        self.table.currentCellChanged.connect(lambda *_: self._offer_card())
        open_in(self, 980, 620)
        self.fill()
        self._score_open()

    def _lay_out(self) -> None:
        choices = FlowBox()
        for widget in (PlainLabel(tr("Metric")), self.chosen_metric, self.published):
            choices.row.addWidget(widget)
        box = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        self.buttons: dict[str, QPushButton] = {}
        for name, text, act in (
            ("add", tr("Add run…"), self._ask_run),
            ("card", tr("Model card…"), self.edit_card),
            ("export", tr("Export…"), self._ask_export),
        ):
            button = self.buttons[name] = QPushButton(text)
            button.setAutoDefault(False)
            button.clicked.connect(act)
            box.addButton(button, QDialogButtonBox.ButtonRole.ActionRole)
        box.rejected.connect(self.close)
        column = QVBoxLayout(self)
        column.setContentsMargins(18, 18, 18, 18)
        column.setSpacing(10)
        column.addWidget(Heading(tr("Results grid")))
        column.addWidget(choices)
        column.addWidget(self.table, 1)
        column.addWidget(self.about)
        column.addWidget(box)

    def _ask_run(self) -> None:
        folder = QFileDialog.getExistingDirectory(self, tr("Folder of a run"))
        if folder:
            self.add_run(Path(folder))

    def add_run(self, folder: Path) -> None:
        """Read one run more, from its folder."""
        if folder not in self._folders:
            self._folders.append(folder)
        self.fill()

    def _score_open(self) -> None:
        """Add what is open in the window; the list of trials has scored most of it."""
        state = self._bench.state
        log = ProblemLog()

        def score(ticket: Ticket) -> tuple[Run, ...]:
            return open_runs(state.task, state.run_submissions, log, progress=ticket.report)

        def take(runs: tuple[Run, ...]) -> None:
            self._bench.report(log.freeze())
            self._open = runs
            if runs:
                self.fill()

        if state.run_submissions:
            title = tr("Scoring open submissions")
            self._bench.jobs.submit_long(_OPEN_LANE, score, take, title=title)

    def fill(self) -> None:
        """Read the runs in the background and show them."""
        folders, metric = tuple(self._folders), self.chosen_metric.currentText()
        is_published, opened = self.published.isChecked(), self._open

        def read() -> tuple[Grid, tuple[Problem, ...]]:
            log = ProblemLog()
            runs = read_runs(folders, log)
            others = published_runs(metric) if is_published else ()
            return make_grid([*with_cards(opened, log), *runs, *others], metric), log.freeze()

        self._bench.jobs.submit(_LANE, read, self._show)

    def _show(self, found: tuple[Grid, tuple[Problem, ...]]) -> None:
        self.grid, problems = found
        grid = self.grid
        self.table.setColumnCount(len(grid.columns))
        self.table.setHorizontalHeaderLabels(list(grid.columns))
        self.table.setRowCount(len(grid.runs))
        for row, (run, line) in enumerate(zip(grid.runs, grid.cells, strict=True)):
            titles = [QTableWidgetItem(text) for text in grid.titles(run)]
            for item in titles:
                item.setToolTip(_about(run))
            for column, item in enumerate([*titles, *map(_item, line)]):
                self.table.setItem(row, column, item)
        self.table.resizeColumnsToContents()
        notes = [*map(str, problems), *(f"×: {reason}" for reason in grid.reasons)]  # noqa: RUF001
        self.about.setText("\n".join(notes))
        self._bench.report(problems)
        self._offer_card()

    @property
    def _chosen_run(self) -> Run | None:
        """The user's own run on the current row; figures of the paper have no card to edit."""
        row = self.table.currentRow()
        if self.grid is None or not 0 <= row < len(self.grid.runs):
            return None
        run = self.grid.runs[row]
        return None if run.folder is None else run

    def _offer_card(self) -> None:
        self.buttons["card"].setEnabled(self._chosen_run is not None)

    def edit_card(self) -> None:
        """Show the card of the current run; what is typed is kept in the run's folder."""
        run = self._chosen_run
        if run is None or run.folder is None:
            return
        folder, dialog = run.folder, CardDialog(str(run.folder), run.card, self)
        dialog.accepted.connect(lambda: self._save_card(folder, dialog.card))
        dialog.open()

    def _save_card(self, folder: Path, card: ModelCard) -> None:
        def save() -> tuple[Problem, ...]:
            try:
                save_card(folder, card)
            except ForensicViewerError as error:
                return (error.as_problem(),)
            return ()

        self._bench.jobs.submit(_CARD_LANE, save, self._card_saved)

    def _card_saved(self, problems: tuple[Problem, ...]) -> None:
        self._bench.report(problems)
        if problems:
            self.about.setText("\n".join(map(str, problems)))
        else:
            self.fill()

    def _ask_export(self) -> None:
        kinds = kinds_of(("LaTeX", "*.tex"), ("HTML", "*.html"), ("CSV", "*.csv"))
        inputs = opened_places(self._bench.state)
        path = ask_where(self, tr("Export the grid"), "results.tex", kinds, inputs=inputs)
        if path is not None:
            self.export_to(path)

    def export_to(self, path: Path) -> None:
        """Write the grid as the ending of the name says."""
        grid = self.grid
        if grid is not None:
            text = WRITERS[path.suffix.lower()](grid)
            write_in_background(self._bench, path, lambda: write_atomically(path, text), self._tell)


def _about(run: Run) -> str:
    """What the card says, one line a field."""
    texts = texts_of(run.card)
    return "\n".join(
        labelled(tr(title), texts[name]) for name, title in FIELDS.items() if texts[name]
    )


def _item(cell: GridCell) -> QTableWidgetItem:
    item = QTableWidgetItem(cell.text)
    item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    item.setToolTip(cell.reason)
    font = item.font()
    font.setBold(cell.rank == 1)
    font.setUnderline(cell.rank == 2)
    item.setFont(font)
    return item
