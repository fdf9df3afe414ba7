"""Asks what only the user knows about a GenAI set: whether they take part, and which column labels.

Nothing waits for the answers: without them images stay hidden, and trials are not scored.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QDialog, QPushButton, QWidget

from forensicviewer.app.language.words import tr
from forensicviewer.app.runtime.jobs import Lane
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.workbench.state import ViewState
from forensicviewer.core.model import Dataset, Task, Viewing
from forensicviewer.ui.widgets.page import Handler
from forensicviewer.ui.widgets.plain_text import PlainInputDialog, PlainMessageBox

if TYPE_CHECKING:
    from forensicviewer.app.genai.opening import LabelCandidate

_ANSWER_LANE = Lane("answer")
_NO_LABELS = "genai.no-labels"


class GenAIQuestions:
    """The questions of one window; at most one is open."""

    def __init__(self, window: QWidget, desk: Desk) -> None:
        self._window = window
        self._desk = desk
        self.open: QDialog | None = None

    def handlers(self) -> Mapping[str, Handler]:
        return {
            "file.open_genai_sample": Handler(self._desk.open_genai_sample),
            "file.participation": Handler(self.ask_participation),
            "file.labels": Handler(self.ask_labels),
        }

    def follow(self, state: ViewState) -> None:
        """Ask about what was opened, if there is something to ask."""
        if state.dataset is not None and any(
            task.viewing is Viewing.UNASKED for task in state.dataset.tasks
        ):
            self.ask_participation()
        else:
            self._ask_labels_if_unknown(state)

    def ask_participation(self) -> None:
        """Ask whether the user takes part in the evaluation of the test set that is open."""
        dataset = self._desk.workbench.state.dataset
        if dataset is None or all(task.viewing is Viewing.FREE for task in dataset.tasks):
            return
        box = PlainMessageBox(self._window)
        box.setObjectName("participation")
        box.setIcon(PlainMessageBox.Icon.Question)
        box.setWindowTitle(tr("Do you take part in this evaluation?"))
        box.setText(
            tr(
                "{name} is a test set. Participants in the evaluation agree not to look at "
                "its images before, during or after the evaluation (plan, section 2.2).",
                name=dataset.name,
            )
        )
        box.setInformativeText(
            tr("Your answer is saved with its date for this test set and printed in reports.")
        )
        takes_part = box.addButton(
            tr("I take part: hide the images"), PlainMessageBox.ButtonRole.YesRole
        )
        stands_by = box.addButton(
            tr("I do not take part: show the images"), PlainMessageBox.ButtonRole.NoRole
        )
        later = box.addButton(tr("Ask later"), PlainMessageBox.ButtonRole.RejectRole)
        box.setDefaultButton(takes_part)
        box.setEscapeButton(later)
        answers = {takes_part: True, stands_by: False}

        def finish() -> None:
            answer = _answer(box, answers)
            if answer is not None:
                self._keep(partial(_say_participation, dataset, is_participant=answer))
            else:
                self._ask_labels_if_unknown(self._desk.workbench.state)

        self._show(box, finish)

    def _ask_labels_if_unknown(self, state: ViewState) -> None:
        if any(problem.rule == _NO_LABELS for problem in state.problems):
            self.ask_labels()

    def ask_labels(self) -> None:
        """Ask which column of the reference says what is AI-generated."""
        task = self._desk.workbench.state.task
        if task is None or "reference" not in task.files:
            return
        self._desk.jobs.submit(
            _ANSWER_LANE,
            partial(_label_candidates, task),
            partial(self._offer_labels, task),
            on_error=self._desk.fail,
        )

    def _offer_labels(self, task: Task, found: tuple[LabelCandidate, ...]) -> None:
        if not found or self._desk.workbench.state.task is not task:
            return
        dialog = PlainInputDialog(self._window)
        dialog.setObjectName("labels")
        dialog.setWindowTitle(tr("Which column says which images are AI-generated?"))
        dialog.setLabelText(
            tr(
                "Column of {name} with Y/N, 1/0, ai/human or similar; the choice is remembered",
                name=task.files["reference"],
            )
        )
        lines = [f"{each.column}: {', '.join(each.examples)}" for each in found]
        dialog.setComboBoxItems(lines)

        def finish() -> None:
            if dialog.result() == QDialog.DialogCode.Accepted:
                chosen = found[lines.index(dialog.textValue())]
                names = tuple(each.column for each in found)
                self._keep(partial(_choose_label, names, chosen.column))

        self._show(dialog, finish)

    def _show(self, dialog: QDialog, finish: Callable[[], None]) -> None:
        if self.open is not None:
            self.open.reject()
        self.open = dialog

        def close(_result: int) -> None:
            self.open = None
            finish()
            dialog.deleteLater()

        dialog.finished.connect(close)
        dialog.open()

    def _keep(self, write: Callable[[], None]) -> None:
        """Keep an answer and show everything as it says."""
        self._desk.jobs.submit(
            _ANSWER_LANE, write, lambda _: self._desk.reload(), on_error=self._desk.fail
        )

    def let_go(self) -> None:
        if self.open is not None:
            self.open.finished.disconnect()
            self.open.close()
            self.open = None


# Imported late, in the background: readers of tables are not needed before something is open.


def _say_participation(dataset: Dataset, *, is_participant: bool) -> None:
    from forensicviewer.app.datasets.genai_choices import say_participation

    say_participation(dataset, is_participant=is_participant)


def _label_candidates(task: Task) -> tuple[LabelCandidate, ...]:
    from forensicviewer.app.genai.opening import label_candidates

    return label_candidates(task)


def _choose_label(columns: Sequence[str], chosen: str) -> None:
    from forensicviewer.app.genai.opening import choose_label

    choose_label(columns, chosen)


def _answer(box: PlainMessageBox, answers: dict[QPushButton, bool]) -> bool | None:
    clicked = box.clickedButton()
    return next((said for button, said in answers.items() if button is clicked), None)
