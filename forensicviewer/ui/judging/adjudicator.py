"""The panel for verdicts: what the judges found about this trial, and what you find."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette, QTextCursor
from PySide6.QtWidgets import (
    QAbstractItemView,
    QGridLayout,
    QHeaderView,
    QPlainTextEdit,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from forensicviewer.app.judging.evidence import Pin, place_of, side_of, viewpoint_of
from forensicviewer.app.language.words import in_english, labelled, to_translate, tr
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.trials.trial_list import ListChange
from forensicviewer.app.workbench.state import Change, Viewpoint, ViewState
from forensicviewer.core.model import TrialId
from forensicviewer.core.verdict import Fate, Ruling, Verdict
from forensicviewer.ui.judging.judge_line import JudgeLine
from forensicviewer.ui.judging.review_line import ReviewLine
from forensicviewer.ui.widgets.heading import Heading
from forensicviewer.ui.widgets.key_names import keys_in, with_keys
from forensicviewer.ui.widgets.plain_text import PlainInputDialog
from forensicviewer.ui.widgets.table_copy import COPIED, make_copyable, name_columns

_NOTE_PX = 130
_TIPS = {
    Ruling.SOUND: to_translate("The reference mask shows what was manipulated"),
    Ruling.REFERENCE_WRONG: to_translate("The reference mask does not show what was manipulated"),
    Ruling.SCORE_AGAIN: to_translate("The reference is correct, but the score is not"),
    Ruling.LEAVE_OUT: to_translate("The trial should not count for any system"),
    Ruling.UNCLEAR: to_translate("Another judge should look at it"),
}
_TITLES = (
    to_translate("Verdict"),
    to_translate("Judge"),
    to_translate("Note"),
    to_translate("When (UTC)"),
)


class AdjudicatorPanel(QWidget):
    """One button per ruling, a note, and every verdict that stands or was taken back."""

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._desk = desk
        self._trial: TrialId | None = None
        self._pins: dict[TrialId | None, Pin] = {}
        self.buttons = {ruling: self._button(ruling) for ruling in Ruling}
        self.note = QPlainTextEdit()
        self.history = QTreeWidget()
        self._standing = Heading()
        self.judge = JudgeLine(desk)
        self.review = ReviewLine(desk)
        self._retract = QPushButton(tr("Retract"))
        self._lay_out()
        self._unsubscribe = (
            desk.workbench.subscribe(self._follow),
            desk.trials.subscribe(self._follow_list),
        )
        desk.settings.subscribe(self._name_keys)
        self._name_keys()
        self._show()

    def let_go(self) -> None:
        for unsubscribe in self._unsubscribe:
            unsubscribe()

    def focus_note(self, pin: Pin | None = None) -> None:
        """Write a note; ``pin`` is the pixel it is about."""
        if pin is not None:
            self._pins[self._trial] = pin
            self.note.appendPlainText(f"x {pin[0]}, y {pin[1]}: ")
            self.note.moveCursor(QTextCursor.MoveOperation.End)
        self.note.setFocus()

    def say(
        self,
        ruling: Ruling,
        trials: Sequence[TrialId] = (),
        then: Callable[[], None] = lambda: None,
    ) -> None:
        """Give the verdict, with the note and the place it is about; ``then``, once it is kept.

        Several trials get one each. A review asks why a verdict changes or a conflict is closed.
        """
        judging = self._desk.judging
        if len(trials) < 2:
            self._with_reason(tr("Why?"), lambda reason: self._say(ruling, reason, then))
            return
        note = self.note.toPlainText().strip()

        def say_each(reason: str) -> None:
            judging.say_each(trials, ruling, note=note, reason=reason, then=then)

        self._with_reason(tr("Why?"), say_each)

    def _say(self, ruling: Ruling, reason: str, then: Callable[[], None]) -> None:
        trial, note = self._trial, self.note.toPlainText()

        def kept() -> None:
            self._pins.pop(trial, None)
            if trial is not None and self._desk.judging.drafts.get(trial) == note:
                del self._desk.judging.drafts[trial]
                self._turn_to(self._trial)
            then()

        pin = self._pins.get(trial)
        self._desk.judging.say(ruling, note=note.strip(), pin=pin, reason=reason, then=kept)

    def retract(self) -> None:
        """Take the verdict back; a review asks why."""
        if self._desk.judging.own is not None:
            self._with_reason(tr("Why do you retract it?"), self._desk.judging.retract)

    def _with_reason(self, question: str, act: Callable[[str], None]) -> None:
        """Do something for a reason, which a review has to be told."""
        if not self._desk.judging.wants_reason:
            act("")
            return
        note = self.note.toPlainText().strip()
        dialog = PlainInputDialog(self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setWindowTitle(tr("Reason"))
        dialog.setLabelText(question)
        dialog.setTextValue(note)
        dialog.textValueSelected.connect(lambda reason: act(reason.strip()))
        dialog.open()
        self._show()

    def go_to(self, item: QTreeWidgetItem) -> None:
        """Look at the trial as the judge did who gave the verdict."""
        verdict: Verdict = item.data(0, Qt.ItemDataRole.UserRole)
        bench = self._desk.workbench
        pin, viewpoint = place_of(verdict.facts), viewpoint_of(verdict.facts)
        if pin is not None:
            bench.set_cursor(pin, side=side_of(verdict.facts))
            scale = 8.0 if viewpoint is None else viewpoint.scale
            viewpoint = viewpoint or Viewpoint(pin[0] + 0.5, pin[1] + 0.5, scale)
        bench.set_viewpoint(bench.state.arrangement.active, viewpoint)
        bench.show_marks(verdict.examined.marks)

    def _button(self, ruling: Ruling) -> QPushButton:
        button = QPushButton(tr(ruling.label))
        button.setCheckable(True)
        button.clicked.connect(lambda: self.say(ruling))
        return button

    def _name_keys(self, changed: str = "shortcuts") -> None:
        if changed == "shortcuts":
            keys = keys_in(self._desk.settings)
            for ruling, button in self.buttons.items():
                tip = with_keys(tr(_TIPS[ruling]), keys(f"verdict.{ruling.value}"))
                button.setToolTip(tip)

    def _lay_out(self) -> None:
        grid = QGridLayout()
        grid.setSpacing(6)
        # The two that reviews are about have a line each: their names are long in every language.
        places = ((0, 0, 2), (1, 0, 2), (2, 0, 1), (2, 1, 1), (3, 0, 1))
        for (row, column, width), button in zip(places, self.buttons.values(), strict=True):
            grid.addWidget(button, row, column, 1, width)
        grid.addWidget(self._retract, 3, 1)
        self._retract.setToolTip(tr("Retract your verdict; both entries stay in the log"))
        self._retract.clicked.connect(lambda: self.retract())
        self.note.setPlaceholderText(tr("Note for your verdict on this trial"))
        self.note.setAccessibleName(tr("Note"))
        self.note.setTabChangesFocus(True)
        self.note.textChanged.connect(self._keep_draft)
        self.note.setMaximumHeight(84)
        name_columns(self.history, _TITLES)
        self.history.setRootIsDecorated(False)
        self.history.setAccessibleName(tr("Verdicts on this trial"))
        self.history.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.history.setToolTip(tr("Double-click to see the view of the judge"))
        self.history.itemActivated.connect(lambda item: self.go_to(item))
        make_copyable(self.history)
        header = self.history.header()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(2, QHeaderView.ResizeMode.Interactive)
        header.resizeSection(2, _NOTE_PX)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 8)
        layout.setSpacing(8)
        layout.addWidget(self._standing)
        layout.addWidget(self.judge)
        layout.addWidget(self.review)
        layout.addLayout(grid)
        layout.addWidget(self.note)
        layout.addWidget(self.history, stretch=1)

    def _follow(self, _state: ViewState, change: Change) -> None:
        if change & (Change.TRIAL | Change.DATASET):
            self._show()

    def _follow_list(self, change: ListChange) -> None:
        if change & ListChange.CELLS:
            self._show()

    def _turn_to(self, trial: TrialId | None) -> None:
        """Show the note that was begun for a trial; it stays with the trial it is about."""
        begun = "" if trial is None else self._desk.judging.drafts.get(trial, "")
        self._trial = trial
        if self.note.toPlainText() != begun:
            self.note.setPlainText(begun)

    def _keep_draft(self) -> None:
        note, drafts = self.note.toPlainText(), self._desk.judging.drafts
        if self._trial is not None and drafts.get(self._trial, "") != note:
            drafts.pop(self._trial, None)
            if note:
                drafts[self._trial] = note
            self._desk.is_dirty = True

    def _show(self) -> None:
        self._turn_to(self._desk.workbench.state.trial_id)
        self.judge.show_name()
        self.review.show_progress()
        standing, own = self._desk.judging.standing, self._desk.judging.own
        has_trial = self._desk.workbench.state.trial_id is not None
        self._standing.setText(tr("No verdict yet") if standing is None else tr(standing.label))
        for ruling, button in self.buttons.items():
            button.setEnabled(has_trial)
            button.setChecked(own is not None and own.ruling is ruling)
        self._retract.setEnabled(own is not None)
        self.history.clear()
        for verdict, fate in reversed(self._desk.judging.history()):
            self.history.addTopLevelItem(_line(verdict, fate))


def _line(verdict: Verdict, fate: Fate) -> QTreeWidgetItem:
    when = verdict.said_at.replace("T", " ")[:16]
    examined = (": ".join(pair) for pair in verdict.examined.describe())
    words = "; ".join(part for part in (verdict.note, verdict.reason, *examined) if part)
    cells = [_label(verdict, fate), verdict.judge, " ".join(words.split()), when]
    item = QTreeWidgetItem(cells)
    with in_english():
        item.setData(0, COPIED, _label(verdict, fate))
    seen = "\n".join(labelled(name, value) for name, value in verdict.facts.items())
    item.setData(0, Qt.ItemDataRole.UserRole, verdict)
    if fate is not Fate.STANDS:
        # Pale, but still to be gone to.
        for column in range(item.columnCount()):
            item.setForeground(column, QPalette().placeholderText())
    for column in range(item.columnCount()):
        item.setToolTip(column, "\n".join(part for part in (verdict.note, seen) if part))
    return item


def _label(verdict: Verdict, fate: Fate) -> str:
    ruling = tr(verdict.ruling.label)
    if verdict.is_decision:
        ruling = tr("Decision: {ruling}", ruling=ruling)
    return ruling if fate is Fate.STANDS else f"{ruling} ({tr(fate.value)})"
