"""The key sheet: every command with its keys, searchable, and the place to change them."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QHeaderView,
    QKeySequenceEdit,
    QLineEdit,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from forensicviewer.app.commands.command import Command, conflicts, matching
from forensicviewer.app.commands.table import COMMANDS, MENUS
from forensicviewer.app.language.words import to_translate, tr
from forensicviewer.app.settings import Settings
from forensicviewer.ui.dialogs.actions import Actions
from forensicviewer.ui.widgets.dialog_size import open_in
from forensicviewer.ui.widgets.plain_text import PlainLabel, PlainMessageBox

_NATIVE = QKeySequence.SequenceFormat.NativeText
_MOUSE = (
    (to_translate("Zoom at the cursor"), to_translate("Wheel")),
    (to_translate("Move the image"), to_translate("Drag, or middle button")),
    (to_translate("Zoom to a rectangle"), to_translate("Shift + drag")),
    (to_translate("Maximise a pane, or show all"), to_translate("Double-click")),
    (to_translate("Change the threshold"), to_translate("Ctrl + wheel, or drag on the curve")),
    (to_translate("Show the context menu"), to_translate("Right click")),
)


class KeySheet(QDialog):
    """A table of keys; selecting a command lets its keys be changed."""

    def __init__(self, actions: Actions, settings: Settings, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Keyboard and mouse"))
        self._actions = actions
        self._settings = settings
        self.box = QLineEdit()
        self.tree = QTreeWidget()
        self.editor = QKeySequenceEdit()
        self.message = PlainLabel()
        self._set = QPushButton(tr("Set"))
        self._reset = QPushButton(tr("Default"))
        self._reset_all = QPushButton(tr("Reset all keys…"))
        self._lay_out()
        self._fill("")
        self._choose()
        # A file can give one key to two commands; this is where it is seen and mended.
        self.message.setText(next(iter(conflicts(settings.shortcuts, COMMANDS).values()), ""))
        open_in(self, 680, 620)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        is_press = event.type() is QEvent.Type.KeyPress
        if is_press and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Down:
            self._enter_list()
            return True
        return super().eventFilter(watched, event)

    def _enter_list(self) -> None:
        """Go from what was looked for to the first command found."""
        menu = self.tree.topLevelItem(0)
        first = None if menu is None else menu.child(0)
        self.tree.setFocus()
        if first is not None and self._chosen() is None:
            self.tree.setCurrentItem(first)

    def change_keys(self, command: Command, keys: tuple[str, ...]) -> bool:
        """Give a command other keys unless another one has them; whether it was done."""
        wanted = {**self._settings.shortcuts, command.id: keys}
        clash = conflicts(wanted, COMMANDS)
        before = conflicts(self._settings.shortcuts, COMMANDS)
        new = [text for key, text in clash.items() if key not in before]
        self.message.setText(new[0] if new else "")
        if new:
            return False
        if keys == command.keys:
            del wanted[command.id]
        self._settings.change_shortcuts(wanted)
        self._actions.apply_shortcuts()
        self._fill(self.box.text())
        return True

    def _lay_out(self) -> None:
        self.box.setPlaceholderText(tr("Search keys and commands"))
        self.box.setAccessibleName(tr("Search keys"))
        self.box.setClearButtonEnabled(True)
        self.box.textChanged.connect(self._fill)
        self.box.installEventFilter(self)
        self.tree.setAccessibleName(tr("Keys"))
        self.tree.setHeaderLabels([tr("Command"), tr("Keys"), tr("Works in")])
        header = self.tree.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        # Where the text has grown meanwhile, names stay and the rest is scrolled to.
        header.setMinimumSectionSize(110)
        self.tree.currentItemChanged.connect(lambda: self._choose())
        self.editor.setMaximumSequenceLength(1)
        self.editor.setAccessibleName(tr("New keys"))
        self.editor.setClearButtonEnabled(True)
        self.message.setProperty("role", "error")
        for button in (self._set, self._reset, self._reset_all):
            # Enter in the search box must not change keys.
            button.setAutoDefault(False)
        self._set.clicked.connect(self._take_keys)
        self._reset.clicked.connect(self._take_default)
        self._reset_all.clicked.connect(self._ask_to_reset)
        row = QHBoxLayout()
        for widget in (
            PlainLabel(tr("Keys of the selected command")),
            self.editor,
            self._set,
            self._reset,
        ):
            row.addWidget(widget)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.close)
        buttons.addButton(self._reset_all, QDialogButtonBox.ButtonRole.ResetRole)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 16, 16, 16)
        layout.setSpacing(10)
        layout.addWidget(self.box)
        layout.addWidget(self.tree)
        layout.addLayout(row)
        layout.addWidget(self.message)
        layout.addWidget(buttons)

    def _fill(self, text: str) -> None:
        chosen = self._chosen()
        self._reset_all.setEnabled(bool(self._settings.shortcuts))
        self.tree.clear()
        wanted = {command.id for command in matching(COMMANDS, text)} | self._with_key(text)
        for menu in MENUS:
            commands = [c for c in COMMANDS if c.menu.split("/")[0] == menu and c.id in wanted]
            if commands:
                top = QTreeWidgetItem([tr(menu)])
                self.tree.addTopLevelItem(top)
                top.addChildren([self._item(command) for command in commands])
        self._fill_mouse(text)
        self.tree.expandAll()
        if chosen is not None:
            self._select(chosen)

    def _fill_mouse(self, text: str) -> None:
        said = [(tr(title), tr(keys)) for title, keys in _MOUSE]
        lines = [pair for pair in said if text.casefold() in " ".join(pair).casefold()]
        if lines:
            top = QTreeWidgetItem([tr("Mouse")])
            self.tree.addTopLevelItem(top)
            top.addChildren([QTreeWidgetItem([title, keys]) for title, keys in lines])

    def _with_key(self, text: str) -> set[str]:
        wanted = text.strip().casefold()
        return {
            command.id
            for command in COMMANDS
            if wanted and any(wanted == key.casefold() for key in self._actions.keys(command))
        }

    def _item(self, command: Command) -> QTreeWidgetItem:
        keys = ", ".join(QKeySequence(key).toString(_NATIVE) for key in self._actions.keys(command))
        item = QTreeWidgetItem([_title(command), keys, tr(command.scope.value)])
        item.setData(0, Qt.ItemDataRole.UserRole, command.id)
        item.setToolTip(0, tr(command.help))
        return item

    def _chosen(self) -> Command | None:
        item = self.tree.currentItem()
        name = None if item is None else item.data(0, Qt.ItemDataRole.UserRole)
        return next((command for command in COMMANDS if command.id == name), None)

    def _select(self, command: Command) -> None:
        flags = Qt.MatchFlag.MatchRecursive | Qt.MatchFlag.MatchExactly
        for item in self.tree.findItems(_title(command), flags):
            if item.data(0, Qt.ItemDataRole.UserRole) == command.id:
                self.tree.setCurrentItem(item)

    def _choose(self) -> None:
        command = self._chosen()
        for widget in (self.editor, self._set, self._reset):
            widget.setEnabled(command is not None)
        keys = () if command is None else self._actions.keys(command)
        self.editor.setKeySequence(QKeySequence(keys[0] if keys else ""))

    def _take_keys(self) -> None:
        command = self._chosen()
        if command is not None:
            key = self.editor.keySequence().toString(QKeySequence.SequenceFormat.PortableText)
            self.change_keys(command, (key,) if key else ())

    def _take_default(self) -> None:
        command = self._chosen()
        if command is not None and self.change_keys(command, command.keys):
            self._choose()

    def _ask_to_reset(self) -> None:
        box = PlainMessageBox(self)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.setIcon(PlainMessageBox.Icon.Question)
        box.setWindowTitle(tr("Reset all keys?"))
        box.setText(tr("Every command gets its default key."))
        reset = box.addButton(tr("Reset"), PlainMessageBox.ButtonRole.AcceptRole)
        box.addButton(PlainMessageBox.StandardButton.Cancel)
        reset.clicked.connect(self.reset_keys)
        box.open()

    def reset_keys(self) -> None:
        """Give every command the keys it came with."""
        self._settings.change_shortcuts({})
        self._actions.apply_shortcuts()
        self.message.clear()
        self._fill(self.box.text())
        self._choose()


def _title(command: Command) -> str:
    return tr(command.title).rstrip("…")
