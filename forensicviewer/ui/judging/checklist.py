"""The panel to check a reference by operation: one key an answer, marks, and then the verdict."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QSignalBlocker, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from forensicviewer.app.judging.examining import WHOLE, AskedQuestion
from forensicviewer.app.language.words import in_english, to_translate, tr
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.workbench.state import Change, Viewpoint, ViewState
from forensicviewer.core.examination import Mark, Reply
from forensicviewer.core.verdict import Ruling
from forensicviewer.ui.widgets.panel import Panel
from forensicviewer.ui.widgets.plain_text import PlainInputDialog, PlainLabel
from forensicviewer.ui.widgets.table_copy import COPIED, make_copyable, name_columns

_QUESTIONS = (to_translate("Operation"), to_translate("Question"), to_translate("Answer"))
_MARKS = ("#", to_translate("Text"), to_translate("Place"))
_KEYS = {Qt.Key.Key_Y: Reply.RIGHT, Qt.Key.Key_N: Reply.WRONG, Qt.Key.Key_U: Reply.UNCLEAR}
_TIPS = {Reply.RIGHT: "Y", Reply.WRONG: "N", Reply.UNCLEAR: "U"}
_DELETING = (Qt.Key.Key_Backspace, Qt.Key.Key_Delete)
_DONE = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_PLACE_PX, _LARGEST_SCALE = 240, 8.0


class _KeyTree(QTreeWidget):
    """A list that offers single keys to its panel before the window takes them as commands."""

    def __init__(self, name: str, act: Callable[[Qt.Key], None], keys: tuple[Qt.Key, ...]) -> None:
        super().__init__()
        self._act, self._keys = act, keys
        self.setAccessibleName(name)
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setAllColumnsShowFocus(True)
        make_copyable(self)

    def event(self, event: QEvent) -> bool:
        is_offered = event.type() is QEvent.Type.ShortcutOverride
        if is_offered and isinstance(event, QKeyEvent) and self._wants(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._wants(event):
            self._act(Qt.Key(event.key()))
        else:
            super().keyPressEvent(event)

    @property
    def row(self) -> int:
        """The chosen row; -1 where none is."""
        return self.currentIndex().row()

    def _wants(self, event: QKeyEvent) -> bool:
        return not event.modifiers() and event.key() in self._keys


class ChecklistPanel(Panel):
    """Every operation with its questions, and the marks; Enter gives the verdict that follows."""

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(desk.workbench, parent)
        # The panel of verdicts takes this over: it knows the note, and asks for reasons.
        self.say: Callable[[Ruling], None] = desk.judging.say
        self._examining = desk.judging.examining
        self.title = PlainLabel()
        self.questions = _KeyTree(
            tr("Questions about the reference"), self._answer_by, (*_KEYS, *_DELETING, *_DONE)
        )
        self.marks = _KeyTree(tr("Marks"), self._change_mark, (*_DELETING, *_DONE))
        self.replies = {reply: self._button(reply) for reply in Reply}
        self.verdict = QPushButton()
        self.verdict.clicked.connect(lambda: self.give_verdict())
        self._asked: tuple[AskedQuestion, ...] = ()
        self._lay_out()
        self.listen()

    def begin(self) -> None:
        """Take the keyboard, at the first question that is open."""
        self._go_to_open(0)
        self.questions.setFocus()
        self._point_at()

    def reply(self, reply: Reply | None) -> None:
        """Answer the chosen question and go on to the next one."""
        row = self.questions.row
        if 0 <= row < len(self._asked):
            self._examining.reply(self._asked[row], reply)
            self._fill(self.workbench.state)
            if reply is not None:
                self._choose(min(row + 1, len(self._asked) - 1))

    def give_verdict(self) -> None:
        """Say what follows from the answers; while a question is open, go there."""
        ruling = self._examining.proposed()
        if ruling is None:
            self._go_to_open(0)
        else:
            self.say(ruling)

    def _answer_by(self, key: Qt.Key) -> None:
        if key in _DONE:
            self.give_verdict()
        else:
            self.reply(_KEYS.get(key))

    def _go_to_open(self, first: int) -> None:
        examined = self._examining.examined
        is_open = (examined.reply_to(one.key, one.question) is None for one in self._asked)
        rows = [row for row, one in enumerate(is_open) if one and row >= first]
        self._choose(rows[0] if rows else 0)

    def _choose(self, row: int) -> None:
        item = self.questions.topLevelItem(row)
        if item is not None:
            self.questions.setCurrentItem(item)

    def _button(self, reply: Reply) -> QPushButton:
        button = QPushButton(tr(reply.label))
        button.setToolTip(f"{tr(reply.label)} ({_TIPS[reply]})")
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(lambda: self.reply(reply))
        return button

    def _lay_out(self) -> None:
        name_columns(self.questions, _QUESTIONS)
        name_columns(self.marks, _MARKS)
        resize = QHeaderView.ResizeMode
        for tree, modes in (
            (self.questions, (resize.Stretch, resize.ResizeToContents, resize.ResizeToContents)),
            (self.marks, (resize.ResizeToContents, resize.Stretch, resize.ResizeToContents)),
        ):
            tree.header().setStretchLastSection(False)
            for place, mode in enumerate(modes):
                tree.header().setSectionResizeMode(place, mode)
        self.questions.currentItemChanged.connect(lambda: self._point_at())
        self.marks.currentItemChanged.connect(lambda: self._look_at())
        self.title.setProperty("role", "muted")
        self.title.setWordWrap(True)
        row = QHBoxLayout()
        for button in self.replies.values():
            row.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.setSpacing(6)
        column.addWidget(self.title)
        column.addWidget(self.questions, 3)
        column.addLayout(row)
        column.addWidget(self.marks, 1)
        column.addWidget(self.verdict)
        self.setFocusProxy(self.questions)

    # Following

    def follow(self, state: ViewState, change: Change) -> None:
        wanted = Change.TRIAL | Change.LOADED | Change.DATASET | Change.MARKS | Change.HISTORY
        if change & wanted:
            self._fill(state)

    def _fill(self, state: ViewState) -> None:
        asked, examined = self._examining.asked, self._examining.examined
        is_same = asked == self._asked and self.questions.topLevelItemCount() == len(asked)
        if not is_same:
            self._asked = asked
            self._list_questions()
        for row, one in enumerate(asked):
            item = self.questions.topLevelItem(row)
            reply = examined.reply_to(one.key, one.question)
            if item is not None:
                item.setText(2, "" if reply is None else tr(reply.label))
                item.setData(2, COPIED, "" if reply is None else reply.label)
        self._list_marks(state.marks)
        done = sum(examined.reply_to(one.key, one.question) is not None for one in asked)
        self.title.setText(
            tr("{done} of {all} answered: Y right, N wrong, U unclear", done=done, all=len(asked))
            if asked
            else tr("The trial has not been read yet")
        )
        self._show_verdict(state)

    def _show_verdict(self, state: ViewState) -> None:
        ruling = self._examining.proposed()
        words = tr("Next open question (Enter)")
        if ruling is not None:
            words = tr("Verdict: {ruling} (Enter)", ruling=tr(ruling.label))
        self.verdict.setText(words)
        has_trial = state.trial_id is not None and bool(self._asked)
        for button in (*self.replies.values(), self.verdict):
            button.setEnabled(has_trial)

    def _list_questions(self) -> None:
        blocker = QSignalBlocker(self.questions)
        self.questions.clear()
        before: object = None
        for one in self._asked:
            name = tr(WHOLE) if one.name == WHOLE else one.name
            item = QTreeWidgetItem(
                self.questions, [name if one.position != before else "", tr(one.question.label)]
            )
            item.setToolTip(0, name)
            with in_english():
                item.setData(0, COPIED, one.name)
                item.setData(1, COPIED, one.question.label)
            before = one.position if one.position is not None else -1
        self._go_to_open(0)
        blocker.unblock()
        # The panes keep all colours until the checklist is used.
        if self.questions.hasFocus():
            self._point_at()

    def _list_marks(self, marks: tuple[Mark, ...]) -> None:
        current = self.marks.row
        blocker = QSignalBlocker(self.marks)
        self.marks.clear()
        for number, mark in enumerate(marks, start=1):
            item = QTreeWidgetItem(self.marks, [str(number), mark.text, mark.place])
            item.setToolTip(1, mark.text)
        chosen = self.marks.topLevelItem(min(current, len(marks) - 1))
        if chosen is not None:
            self.marks.setCurrentItem(chosen)
        blocker.unblock()
        self.marks.setVisible(bool(marks))

    # The places

    def _point_at(self) -> None:
        """Highlight the operation that is asked about."""
        row = self.questions.row
        if 0 <= row < len(self._asked):
            self.workbench.highlight_operation(self._asked[row].position)

    def _chosen_mark(self) -> int | None:
        row = self.marks.row
        return row if 0 <= row < len(self._examining.examined.marks) else None

    def _look_at(self) -> None:
        """Show the place of the chosen mark."""
        row = self._chosen_mark()
        box = None if row is None else self._examining.examined.marks[row].box
        if box is not None:
            left, top, right, bottom = box
            scale = min(_LARGEST_SCALE, _PLACE_PX / max(right - left + 1, bottom - top + 1))
            view = Viewpoint((left + right + 1) / 2, (top + bottom + 1) / 2, scale)
            self.workbench.set_viewpoint(self.workbench.state.arrangement.active, view)

    def _change_mark(self, key: Qt.Key) -> None:
        row = self._chosen_mark()
        if row is None:
            return
        if key in _DELETING:
            self._examining.remove(row)
            return
        dialog = PlainInputDialog(self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setWindowTitle(tr("Mark"))
        dialog.setLabelText(tr("What is here?"))
        dialog.setTextValue(self._examining.examined.marks[row].text)
        dialog.textValueSelected.connect(lambda text: self._examining.change_text(row, text))
        dialog.open()
