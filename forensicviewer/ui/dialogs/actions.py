"""Makes Qt's actions from the command table: menus, toolbar, context menus, shortcuts.

An action's keys work on its page only, because actions of other pages are disabled. Keys without
Ctrl or Alt never fire while a text field has the focus: Qt offers them to the field first.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu, QToolBar, QWidget

from forensicviewer.app.commands.command import Command, Need, missing
from forensicviewer.app.commands.table import COMMANDS, CONTEXT_MENUS, MENUS
from forensicviewer.app.language.words import tr
from forensicviewer.app.settings import Settings
from forensicviewer.app.workbench.scope import Scope
from forensicviewer.ui.widgets.key_names import keys_in, with_keys
from forensicviewer.ui.widgets.page import Handler
from forensicviewer.ui.widgets.theme import icon
from forensicviewer.ui.widgets.watch import COMMAND, WATCH

# From here on a key was held, not tapped; long enough that nobody holds one by accident.
_HELD_S = 0.35


class Actions(QObject):
    """One QAction per command; parts of the window bind what they do."""

    def __init__(self, window: QMainWindow, settings: Settings) -> None:
        super().__init__(window)
        self._window = window
        self._keys = keys_in(settings)
        self._handlers: dict[str, Handler] = {}
        self._found, self._scope = Need.NOTHING, Scope.STILLS
        self._actions = {command.id: self._make(command) for command in COMMANDS}
        self.menus: dict[str, QMenu] = {}
        self._pressed: tuple[Command, float] | None = None
        self.apply_shortcuts()

    def __getitem__(self, command_id: str) -> QAction:
        return self._actions[command_id]

    @property
    def bound(self) -> frozenset[str]:
        return frozenset(self._handlers)

    def bind(self, handlers: Mapping[str, Handler]) -> None:
        """Say what commands do; a later binding replaces an earlier one."""
        unknown = handlers.keys() - self._actions.keys()
        if unknown:
            raise KeyError(f"not in the command table: {sorted(unknown)}")
        self._handlers.update(handlers)

    def run(self, command_id: str) -> None:
        """Do it, if it can be done now."""
        action = self._actions[command_id]
        if action.isEnabled():
            action.trigger()

    def release(self, key: QKeySequence) -> None:
        """A key was let go; what it did while it was held is taken back."""
        if self._pressed is None:
            return
        command, since_s = self._pressed
        if key.toString() in (QKeySequence(own).toString() for own in self.keys(command)):
            self._pressed = None
            if time.monotonic() - since_s >= _HELD_S:
                self.run(command.id)
                self._pressed = None

    def is_available(self, command_id: str) -> bool:
        return self._actions[command_id].isEnabled()

    def why_not(self, command: Command) -> str:
        """What is missing for a command that cannot be done now; empty for one that can."""
        return missing(command, self._found, self._scope)

    def keys(self, command: Command) -> tuple[str, ...]:
        """The keys a command has, the user's own if there are any."""
        return tuple(self._keys(command.id))

    def apply_shortcuts(self) -> None:
        for command in COMMANDS:
            action = self._actions[command.id]
            action.setShortcuts([QKeySequence(key) for key in self.keys(command)])
            self._show_tip(command)

    def refresh(self, found: Need, scope: Scope) -> None:
        """Enable what can be done now and tick what is on."""
        self._found, self._scope = found, scope
        for command in COMMANDS:
            action = self._actions[command.id]
            handler = self._handlers.get(command.id)
            on_page = scope in command.scope.pages
            met = command.needs in found
            is_possible = handler is not None and on_page and met
            action.setEnabled(is_possible)
            if command.on_toolbar:
                self._show_tip(command)
            if handler is not None and handler.is_checked is not None:
                action.setChecked(is_possible and handler.is_checked())

    def fill_menus(self) -> None:
        """Make the menu bar: every command stands in a menu."""
        for title, shown in zip(MENUS, with_mnemonics(map(tr, MENUS)), strict=True):
            self.menus[title] = self._window.menuBar().addMenu(shown)
        group: dict[str, int] = {}
        for command in COMMANDS:
            menu = self._menu(command.menu)
            if group.setdefault(command.menu, command.group) != command.group:
                menu.addSeparator()
                group[command.menu] = command.group
            menu.addAction(self._actions[command.id])

    def fill_toolbar(self, toolbar: QToolBar) -> None:
        menu = ""
        for command in COMMANDS:
            if command.on_toolbar:
                if menu and menu != command.menu:
                    toolbar.addSeparator()
                menu = command.menu
                toolbar.addAction(self._actions[command.id])

    def context_menu(self, parent: QWidget) -> QMenu:
        """What a right click on the page offers."""
        menu = QMenu(parent)
        offered = [command for command in COMMANDS if command.in_context]
        offered.sort(key=lambda command: CONTEXT_MENUS.index(command.menu))
        for before, command in zip((None, *offered), offered, strict=False):
            if before is not None and before.menu != command.menu:
                menu.addSeparator()
            menu.addAction(self._actions[command.id])
        return menu

    def _make(self, command: Command) -> QAction:
        title, about = tr(command.title), tr(command.help)
        action = QAction(title, self._window)
        action.setObjectName(command.id)
        action.setCheckable(command.checkable)
        # A key held down must not switch something on and off thirty times a second.
        action.setAutoRepeat(not command.checkable)
        action.setStatusTip(about)
        action.setWhatsThis(f"{title}. {about}" if about else title)
        # Only on the toolbar: a menu full of images is harder to read, not easier.
        action.setIconVisibleInMenu(False)
        if command.icon:
            action.setIcon(icon(command.icon))
        action.triggered.connect(lambda _checked=False, what=command: self._trigger(what))
        self._window.addAction(action)
        return action

    def _show_tip(self, command: Command) -> None:
        title = with_keys(tr(command.title).rstrip("…"), self.keys(command)[:1])
        # A menu shows no tips: only a button says why it cannot be pressed.
        why_not = self.why_not(command) if command.on_toolbar else ""
        parts = (title, tr(command.help), why_not and tr("Not now: {why}", why=why_not))
        tip = "\n".join(part for part in parts if part)
        action = self._actions[command.id]
        if action.toolTip() != tip:
            action.setToolTip(tip)

    def _trigger(self, command: Command) -> None:
        handler = self._handlers[command.id]
        with WATCH.timing(COMMAND):
            handler.run()
        if command.is_momentary:
            self._pressed = (command, time.monotonic())
        if handler.is_checked is not None:
            # Qt has toggled the tick by itself; what counts is what the command made of it.
            self._actions[command.id].setChecked(handler.is_checked())

    def _menu(self, path: str) -> QMenu:
        if path not in self.menus:
            parent, _, title = path.rpartition("/")
            self.menus[path] = self._menu(parent).addMenu(tr(title))
        return self.menus[path]


def with_mnemonics(titles: Iterable[str]) -> list[str]:
    """The titles with the letter marked that opens each with Alt: its first one that is free.

    Only letters that every keyboard has: French menus begin with É.
    """
    taken: set[str] = set()
    marked = []
    for title in titles:
        letters = [(i, letter.casefold()) for i, letter in enumerate(title) if letter.isascii()]
        at = next((i for i, letter in letters if letter not in taken), None)
        taken.add("" if at is None else title[at].casefold())
        marked.append(title if at is None else f"{title[:at]}&{title[at:]}")
    return marked
