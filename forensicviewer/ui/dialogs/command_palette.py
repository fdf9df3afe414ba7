"""The palette: type a few letters, press Enter. One for commands, one for trials."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, reduce

import shiboken6
from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QColor, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QFrame,
    QHeaderView,
    QLineEdit,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from forensicviewer.app.commands.command import Command, menu_path, ranked
from forensicviewer.app.commands.table import COMMANDS
from forensicviewer.app.language.words import labelled, tr
from forensicviewer.app.trials.trial_list import FoundTrial, TrialList
from forensicviewer.core.model import TrialId
from forensicviewer.ui.dialogs.actions import Actions
from forensicviewer.ui.widgets.plain_text import PlainLabel
from forensicviewer.ui.widgets.theme import current_theme

_MOST_TRIALS = 60
_MOST_USED = 8
_WALKING = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


@dataclass(frozen=True, slots=True)
class PaletteLine:
    """One line of a palette."""

    key: str
    title: str
    aside: str = ""
    is_enabled: bool = True


Show = Callable[[Sequence[PaletteLine]], None]
Find = Callable[[str, Show], None]


class ChoicePalette(QFrame):
    """Lists what the typed letters mean and runs the chosen line.

    Lies over the window instead of being one: nothing has to be grabbed, and it is where the eyes
    are. What ``find`` finds may come later; if Enter is pressed before, it runs then.
    """

    def __init__(
        self,
        parent: QWidget,
        *,
        name: str,
        hint: str,
        find: Find,
        choose: Callable[[str], None],
    ) -> None:
        super().__init__(parent)
        self._window = parent
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setProperty("role", "palette")
        self.setAccessibleName(name)
        self._focused_before = QApplication.focusWidget()
        self._find = find
        self._choose = choose
        self._listed_for: str | None = None
        self._is_awaited = False
        self.box = QLineEdit()
        self.box.setPlaceholderText(hint)
        self.box.setAccessibleName(name)
        self.box.installEventFilter(self)
        self.list = QTreeWidget()
        self.list.setAccessibleName(tr("{name}: matches", name=name))
        self._set_up_list()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 8)
        layout.addWidget(self.box)
        layout.addWidget(self.list)
        self.empty = PlainLabel(tr("No matches"), self.list)
        self.empty.setProperty("role", "muted")
        self.empty.setContentsMargins(8, 8, 8, 8)
        self.box.textChanged.connect(self._fill)
        self.box.returnPressed.connect(self._enter)
        self.list.itemClicked.connect(self._take)
        self._fill("")

    def open_over(self, window: QWidget) -> None:
        """Show the palette in the upper middle of the window."""
        width = min(640, window.width() - 80)
        self.resize(width, min(420, window.height() - 120))
        self.move((window.width() - width) // 2, 60)
        self.show()
        self.raise_()
        # Rows were measured before the style gave them room.
        self.list.doItemsLayout()
        self.box.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.FocusOut:
            self.close()
        if event.type() is QEvent.Type.ShortcutOverride:
            # While the palette is there, keys mean what they mean in it.
            event.accept()
            return True
        if event.type() is not QEvent.Type.KeyPress or not isinstance(event, QKeyEvent):
            return super().eventFilter(watched, event)
        if event.key() == Qt.Key.Key_Escape:
            self._leave()
            return True
        if event.key() in _WALKING:
            # The box keeps the focus, so that typing goes on while the arrows walk the list.
            self.list.keyPressEvent(event)
            return True
        return super().eventFilter(watched, event)

    def _leave(self) -> None:
        self.close()
        if self._focused_before is not None and shiboken6.isValid(self._focused_before):
            self._focused_before.setFocus()

    def _set_up_list(self) -> None:
        self.list.setColumnCount(2)
        self.list.setHeaderHidden(True)
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        header = self.list.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)

    def _fill(self, text: str) -> None:
        self._is_awaited = False
        self._find(text, partial(self._list, text))

    def _list(self, text: str, choices: Sequence[PaletteLine]) -> None:
        if not shiboken6.isValid(self):
            return
        self._listed_for = text
        self.list.clear()
        self.empty.setVisible(not choices)
        for choice in choices:
            item = QTreeWidgetItem([choice.title, choice.aside])
            item.setData(0, Qt.ItemDataRole.UserRole, choice.key)
            item.setTextAlignment(1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            item.setForeground(1, QColor(current_theme().muted))
            item.setDisabled(not choice.is_enabled)
            self.list.addTopLevelItem(item)
        first = self.list.topLevelItem(0)
        if first is not None:
            self.list.setCurrentItem(first)
        if self._is_awaited and self._is_up_to_date:
            self._enter()

    @property
    def _is_up_to_date(self) -> bool:
        return self._listed_for == self.box.text()

    def _enter(self) -> None:
        self._is_awaited = not self._is_up_to_date
        item = self.list.currentItem()
        if item is not None and not self._is_awaited:
            self._take(item)

    def _take(self, item: QTreeWidgetItem) -> None:
        if item.isDisabled():
            return
        key: str = item.data(0, Qt.ItemDataRole.UserRole)
        # Closed first, and the choice done later: it may open a window of its own and stay there,
        # while the click that chose it still goes on in a list that is gone by then.
        self._leave()
        QTimer.singleShot(0, self._window, partial(self._choose, key))


def command_palette(window: QWidget, actions: Actions, used: list[str]) -> ChoicePalette:
    """Every command; those that cannot run now are greyed and say why.

    ``used`` are the ids of those chosen before, the last one first: they stand above the others
    until something is typed.
    """

    def find(text: str, show: Show) -> None:
        def rank(found: tuple[int, Command]) -> tuple[int, bool, int]:
            distance, command = found
            is_used = not text.strip() and command.id in used
            place = used.index(command.id) if is_used else len(used)
            # What was meant stands first though it cannot be done: Enter must not do another thing.
            return distance, not actions.is_available(command.id), place

        found = sorted(ranked(COMMANDS, text), key=rank)
        show([_choice(command, actions) for _, command in found])

    def choose(command_id: str) -> None:
        used[:] = [command_id, *(one for one in used if one != command_id)][:_MOST_USED]
        actions.run(command_id)

    return ChoicePalette(
        window,
        name=tr("Find command"),
        hint=tr("What do you want to do?"),
        find=find,
        choose=choose,
    )


def _choice(command: Command, actions: Actions) -> PaletteLine:
    native = QKeySequence.SequenceFormat.NativeText
    keys = ", ".join(QKeySequence(key).toString(native) for key in actions.keys(command))
    is_enabled = actions.is_available(command.id)
    return PaletteLine(
        command.id,
        reduce(labelled, (*menu_path(command), tr(command.title).rstrip("…"))),
        keys if is_enabled else actions.why_not(command),
        is_enabled=is_enabled,
    )


def trial_palette(
    window: QWidget, trials: TrialList, select: Callable[[TrialId], None]
) -> ChoicePalette:
    """Go to a trial by a few letters of its id."""

    def find(text: str, show: Show) -> None:
        def listed(found: Sequence[FoundTrial]) -> None:
            show([PaletteLine(trial.id, trial.id, trial.text) for trial in found])

        trials.find(text, limit=_MOST_TRIALS, then=listed)

    return ChoicePalette(
        window,
        name=tr("Go to trial"),
        hint=tr("A few letters of the trial's id"),
        find=find,
        choose=lambda name: select(TrialId(name)),
    )
