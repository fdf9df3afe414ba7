"""Shows what a ruling would do to every open submission, before anybody makes it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QGridLayout,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QPushButton,
    QTableWidget,
    QVBoxLayout,
    QWidget,
)

from forensicviewer.app.language.words import to_translate, tr, whole
from forensicviewer.app.masks.settings import MaskSettings
from forensicviewer.app.report.separated_text import write_table
from forensicviewer.app.rulings.asked import AskedRuling, trials_in
from forensicviewer.app.rulings.effect import COLUMNS, Affected, Effect, effect_of, rows_of
from forensicviewer.app.runtime.jobs import Lane, Ticket
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.evaluation import differences
from forensicviewer.app.workbench.state import Change, ViewState
from forensicviewer.core.problem import ForensicViewerError
from forensicviewer.ui.widgets.dialog_size import open_in
from forensicviewer.ui.widgets.heading import Heading
from forensicviewer.ui.widgets.plain_text import PlainLabel
from forensicviewer.ui.widgets.save_dialog import (
    ask_where,
    kinds_of,
    kinds_of_tables,
    opened_places,
    write_in_background,
)
from forensicviewer.ui.widgets.table_copy import dress_for_reading, translated_cell
from forensicviewer.ui.widgets.work_dialog import WorkDialog

_LANE = Lane("ruling")
_COLUMNS = (
    to_translate("Submission"),
    to_translate("Rank before"),
    to_translate("Rank after"),
    to_translate("Before"),
    to_translate("After"),
    to_translate("Change"),
    to_translate("Trials changed"),
)


class _Part:
    """One part of a ruling: a box to tick, and what is said about it."""

    def __init__(self, text: str, tip: str, *, choose: Callable[[], str] | None = None) -> None:
        self.box, self.line = QCheckBox(text), QLineEdit()
        self.box.setToolTip(tip)
        self.line.setAccessibleName(text)
        self.line.textEdited.connect(lambda words: self.box.setChecked(bool(words.strip())))
        self.button: QPushButton | None = None
        if choose is not None:
            self.button = QPushButton(tr("Choose…"))
            self.button.setAutoDefault(False)
            self.button.setAccessibleName(f"{text}: {tr('Choose…')}")
            self.button.clicked.connect(partial(self._choose, choose))

    def _choose(self, choose: Callable[[], str], _checked: object = None) -> None:
        if name := choose():
            self.line.setText(name)
            self.box.setChecked(True)

    @property
    def text(self) -> str:
        return self.line.text().strip() if self.box.isChecked() else ""

    @property
    def path(self) -> Path | None:
        return Path(self.text) if self.text else None


class RulingDialog(WorkDialog):
    """Asks which ruling is thought of, scores all submissions with and without, and compares."""

    def __init__(
        self, workbench: Workbench, tell: Callable[[str], None], parent: QWidget | None = None
    ) -> None:
        super().__init__(workbench, _LANE, title=tr("Effect of a ruling"), parent=parent)
        self._tell = tell
        self._ruling: AskedRuling | None = None
        self.effect: Effect | None = None
        self._make_parts()
        self._make_table()
        self._lay_out()
        self.listen()
        self._name_trial()
        self._fill(None)
        open_in(self, 900, 620)
        self.out.line.setFocus()
        self.out.line.selectAll()

    def _make_parts(self) -> None:
        self.title, self.about = Heading(), PlainLabel()
        self.about.setWordWrap(True)
        masks, tables = "*.png *.tif *.tiff *.jp2 *.jpg *.h5 *.hdf5", "*.csv"
        self.out = _Part(
            tr("Leave out"), tr("Trials to exclude for all systems, separated by commas")
        )
        self.reference = _Part(
            tr("Corrected reference mask"),
            tr("A mask that replaces the reference mask of this trial for all systems"),
            choose=partial(self._choose, masks),
        )
        self.other_mask = _Part(
            tr("Accept another mask"),
            tr("A mask that replaces the one this submission gave for this trial"),
            choose=partial(self._choose, masks),
        )
        self.table_part = _Part(
            tr("Corrected reference table"),
            tr("A reference table that replaces that of the dataset"),
            choose=partial(self._choose, tables),
        )
        self.again = QCheckBox(tr("Score again with the settings in the window"))
        self.ranked_by = QComboBox()
        self.ranked_by.setAccessibleName(tr("Ranked by"))
        self.ranked_by.setToolTip(tr("The average that decides the ranks"))
        self.ranked_by.activated.connect(lambda _: self.show_effect())
        self.go = QPushButton(tr("Show effect"))
        self.go.setAutoDefault(False)
        self.go.clicked.connect(self.show_effect)
        for part in self.parts:
            part.line.returnPressed.connect(self.show_effect)

    @property
    def parts(self) -> tuple[_Part, ...]:
        return self.out, self.reference, self.other_mask, self.table_part

    def _make_table(self) -> None:
        self.table = QTableWidget(0, len(_COLUMNS))
        self.table.setAccessibleName(tr("Every submission before and after the ruling"))
        dress_for_reading(self.table, _COLUMNS)
        self.table.setWordWrap(False)
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)

    def _lay_out(self) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(10)
        for row, part in enumerate(self.parts):
            grid.addWidget(part.box, row, 0)
            grid.addWidget(part.line, row, 1)
            if part.button is not None:
                grid.addWidget(part.button, row, 2)
        grid.addWidget(self.again, len(self.parts), 0, 1, 3)
        row_of = QHBoxLayout()
        label = PlainLabel(tr("Ranked by"))
        label.setBuddy(self.ranked_by)
        for widget in (label, self.ranked_by):
            row_of.addWidget(widget)
        row_of.addStretch(1)
        row_of.addWidget(self.go)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(18, 18, 18, 18)
        layout.setSpacing(10)
        layout.addWidget(self.title)
        layout.addLayout(grid)
        layout.addLayout(row_of)
        layout.addWidget(self.about)
        layout.addWidget(self.progress)
        layout.addWidget(self.table, stretch=1)
        layout.addWidget(
            self._button_box(
                ("copy", tr("Copy command"), "", self.copy),
                ("export", tr("Export table…"), "", self.export),
            )
        )

    def _choose(self, endings: str) -> str:
        kinds = kinds_of((tr("Files"), endings))
        return QFileDialog.getOpenFileName(self, tr("Choose…"), filter=kinds)[0]

    def _name_trial(self) -> None:
        state = self._bench.state
        name = "" if state.submission is None else state.submission.name
        self.title.setText(f"{state.trial_id}, {name}")
        if not self.out.box.isChecked():
            self.out.line.setText(str(state.trial_id or ""))
        differing = differences(state)
        self.again.setEnabled(bool(differing))
        self.again.setChecked(self.again.isChecked() and bool(differing))
        self.again.setToolTip(
            tr("Different: {what}", what=", ".join(differing))
            if differing
            else tr("The window uses the evaluation's settings: nothing would change")
        )

    def _follow(self, state: ViewState, change: Change) -> None:
        if state.task is None or state.submission is None or state.trial_id is None:
            self.close()
        elif change & (Change.TRIAL | Change.SUBMISSIONS | Change.SCORING | Change.RULES):
            self._drop_question()
            self._fill(None)
            self._name_trial()

    # Scoring

    def asked(self) -> AskedRuling:
        """The ruling as the boxes say it."""
        state = self._bench.state
        assert state.task is not None
        assert state.submission is not None
        assert state.trial_id is not None
        settings = None
        if self.again.isChecked():
            scoring = state.scoring
            settings = MaskSettings.as_shown(
                state.task,
                scoring.kernels,
                state.rules,
                uses_bit_planes=scoring.uses_bit_planes,
                honours_opt_out=scoring.honours_opt_out,
            )
        return AskedRuling(
            state.trial_id,
            state.submission.name,
            left_out=trials_in(self.out.text),
            reference_mask=self.reference.path,
            system_mask=self.other_mask.path,
            table=self.table_part.path,
            settings=settings,
        )

    def show_effect(self) -> None:
        """Score every open submission twice, in the background."""
        state = self._bench.state
        if state.task is None or state.dataset is None or state.submission is None:
            return
        ruling, task, metric = self.asked(), state.task, self.ranked_by.currentText()
        root, submissions = Path(state.dataset.root), state.submissions
        self._fill(None)
        self.about.setText(tr("Scoring…"))

        def work(ticket: Ticket) -> Effect:
            decision = ruling.decision(root, task)
            return effect_of(decision, task, submissions, metric=metric, progress=ticket.report)

        def show(effect: Effect) -> None:
            self._ruling = ruling
            self._fill(effect)

        self._begin(work, show, title=tr("Scoring with and without the ruling"))

    def _say_failed(self, error: ForensicViewerError) -> None:
        self.about.setText(f"{error.message}. {error.hint}".rstrip(". ") + ".")

    def _say_cancelled(self) -> None:
        self._fill(None)

    # What came out

    def _fill(self, effect: Effect | None) -> None:
        self.effect = effect
        found = () if effect is None else effect.submissions
        self.table.setRowCount(len(found))
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        for row, one in enumerate(found):
            for column, (shown, copied) in enumerate(_cells(one)):
                item = translated_cell(shown, copied)
                item.setToolTip(copied)
                if column:
                    item.setTextAlignment(right)
                self.table.setItem(row, column, item)
        if effect is not None:
            self.ranked_by.clear()
            self.ranked_by.addItems(list(effect.metrics))
            self.ranked_by.setCurrentText(effect.metric)
        self.ranked_by.setEnabled(self.ranked_by.count() > 0)
        self.about.setText(_summary(effect))
        for button in self.buttons.values():
            button.setEnabled(effect is not None)

    def copy(self) -> None:
        state = self._bench.state
        if self._ruling is not None and state.dataset is not None and state.task is not None:
            root = Path(state.dataset.root)
            command = self._ruling.command(root, state.task, state.submissions)
            QGuiApplication.clipboard().setText(command)

    def export(self) -> None:
        """Write every average of every submission before and after."""
        effect, inputs = self.effect, opened_places(self._bench.state)
        if effect is None:
            return
        kinds = kinds_of(*kinds_of_tables())
        path = ask_where(self, tr("Export table"), "ruling.csv", kinds, inputs=inputs)
        if path is not None:
            write = partial(write_table, path, COLUMNS, rows_of(effect))
            write_in_background(self._bench, path, write, self._tell)


def _cells(one: Affected) -> Iterator[tuple[str, str]]:
    """What is shown, with fewer digits, and what is copied."""
    yield one.name, one.name
    for rank in (one.before.rank, one.after.rank):
        yield (tr("none"), "") if rank is None else (whole(rank), str(rank))
    for placed in (one.before, one.after):
        number = placed.value
        yield (tr("none"), "") if math.isnan(number) else (f"{number:.6f}", placed.text)
    is_number = not math.isnan(one.change)
    yield (f"{one.change:+.6f}", repr(one.change)) if is_number else (tr("none"), "")
    yield whole(len(one.trials)), str(len(one.trials))


def _summary(effect: Effect | None) -> str:
    if effect is None:
        return tr(
            "Select the parts of the ruling. Every open submission is scored with and "
            "without it. Nothing is changed; a ruling is made with a verdict."
        )
    moved = [one.name for one in effect.submissions if one.before.rank != one.after.rank]
    if not moved:
        return tr("No rank changes.")
    return tr("Ranks change: {names}.", names=", ".join(moved))
