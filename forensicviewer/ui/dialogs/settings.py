"""The settings dialog, made from the declarations; a change counts at once."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import shiboken6
from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from forensicviewer.app.language.words import to_translate, tr
from forensicviewer.app.runtime.jobs import Jobs, Lane
from forensicviewer.app.runtime.json_file import Reading
from forensicviewer.app.settings import (
    SETTINGS,
    Choice,
    Setting,
    Settings,
    Text,
    Toggle,
    Whole,
    read_settings,
)
from forensicviewer.ui.widgets.dialog_size import open_in, text_scale
from forensicviewer.ui.widgets.heading import Heading
from forensicviewer.ui.widgets.number_box import NumberBox
from forensicviewer.ui.widgets.plain_text import PlainLabel
from forensicviewer.ui.widgets.save_dialog import ask_where

_FILE_LANE = Lane("settings-file")

_KIND = to_translate("Settings (*.json)")
_PAGE = Qt.ItemDataRole.UserRole
_ASIDE = (to_translate("Import…"), to_translate("Export…"))


def _say_nothing(_text: str) -> None:
    """Outside a window nobody listens."""


class SettingsDialog(QDialog):
    """Pages on the left, their settings on the right, a search box over both."""

    def __init__(
        self,
        settings: Settings,
        jobs: Jobs,
        parent: QWidget | None = None,
        *,
        tell: Callable[[str], None] = _say_nothing,
    ) -> None:
        """``tell`` hears what became of a file once nobody looks at the dialog any more."""
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Settings"))
        self._settings, self._jobs, self._tell = settings, jobs, tell
        self.box = QLineEdit()
        self.pages = QListWidget()
        self.message = PlainLabel()
        self._reset_button = QPushButton(tr("Reset this page"))
        self._area = QScrollArea()
        self._row = 0
        self.fields: dict[str, QWidget] = {}
        self._lay_out()
        self.pages.setCurrentRow(0)
        open_in(self, 720, 480)

    def _lay_out(self) -> None:
        self.box.setPlaceholderText(tr("Search settings"))
        self.box.setAccessibleName(tr("Search settings"))
        self.box.setClearButtonEnabled(True)
        self.box.textChanged.connect(lambda: self._search())
        self.pages.setAccessibleName(tr("Pages"))
        self.pages.setFixedWidth(round(160 * text_scale()))
        for page in dict.fromkeys(setting.page for setting in SETTINGS):
            item = QListWidgetItem(tr(page), self.pages)
            item.setData(_PAGE, page)
        self.pages.currentRowChanged.connect(lambda: self._turn_to_page())
        self._area.setWidgetResizable(True)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        aside = [self._reset_button, *(QPushButton(tr(text)) for text in _ASIDE)]
        for button, run in zip(aside, (self._reset, self._import, self._export), strict=True):
            button.setAutoDefault(False)
            button.clicked.connect(run)
        self.message.setProperty("role", "muted")
        self.message.setWordWrap(True)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.close)
        middle = QHBoxLayout()
        middle.setSpacing(12)
        middle.addWidget(self.pages)
        middle.addWidget(self._area, stretch=1)
        below = QHBoxLayout()
        for button in aside:
            below.addWidget(button)
        below.addWidget(self.message, stretch=1)
        below.addWidget(buttons)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 16, 16, 16)
        layout.setSpacing(12)
        layout.addWidget(self.box)
        layout.addLayout(middle, stretch=1)
        layout.addLayout(below)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        # Rows were measured before the style gave them room.
        self.pages.doItemsLayout()

    def _search(self) -> None:
        is_searching = bool(self._words)
        self._reset_button.setText(tr("Reset these") if is_searching else tr("Reset this page"))
        # What is found lies on several pages, none of which is shown.
        self.pages.setCurrentRow(-1 if is_searching else self._row)
        self._show()

    def _turn_to_page(self) -> None:
        if self.pages.currentRow() >= 0:
            self._row = self.pages.currentRow()
            self.box.clear()
            self._show()

    @property
    def _words(self) -> list[str]:
        return self.box.text().casefold().split()

    def _wanted(self) -> list[Setting[Any]]:
        if self._words:
            said = {setting.key: _everything(setting).casefold() for setting in SETTINGS}
            return [s for s in SETTINGS if all(word in said[s.key] for word in self._words)]
        page = self.pages.currentItem()
        return [s for s in SETTINGS if page is not None and s.page == page.data(_PAGE)]

    def _show(self) -> None:
        self.fields.clear()
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(4, 4, 12, 4)
        column.setSpacing(4)
        wanted = self._wanted()
        pages = dict.fromkeys(setting.page for setting in wanted)
        for page in pages:
            if self._words:
                column.addWidget(Heading(tr(page)))
                column.addSpacing(4)
            for setting in wanted:
                if setting.page == page:
                    self._add(setting, column)
        if not wanted:
            column.addWidget(PlainLabel(tr("No matching settings")))
        column.addStretch()
        self._area.setWidget(inside)
        # Made last, they would be reached last.
        order = (self.pages, *self.fields.values(), self._reset_button)
        for before, after in pairwise(order):
            QWidget.setTabOrder(before, after)

    def _add(self, setting: Setting[Any], column: QVBoxLayout) -> None:
        field = self._field(setting)
        field.setObjectName(setting.key)
        field.setAccessibleName(tr(setting.title))
        field.setToolTip(tr(setting.help))
        self.fields[setting.key] = field
        if not isinstance(field, QCheckBox):
            label = PlainLabel(tr(setting.title))
            label.setBuddy(field)
            column.addWidget(label)
        column.addWidget(field)
        if setting.help:
            about = PlainLabel(tr(setting.help))
            about.setProperty("role", "muted")
            about.setWordWrap(True)
            column.addWidget(about)
        column.addSpacing(12)

    def _field(self, setting: Setting[Any]) -> QWidget:
        value = self._settings.of(setting)

        def change(new: object) -> None:
            self._settings.change(setting, new)

        match setting.kind:
            case Toggle():
                check = QCheckBox(tr(setting.title))
                check.setChecked(bool(value))
                check.toggled.connect(change)
                return check
            case Choice(titles):
                return _choice_field(titles, str(value), change)
            case Whole() as kind:
                return _number_field(kind, int(value), change)
            case Text(placeholder):
                line = QLineEdit(str(value))
                line.setPlaceholderText(tr(placeholder))
                line.textEdited.connect(change)
                return line

    def _reset(self) -> None:
        self._settings.reset(self._wanted())
        self._show()

    def _export(self) -> None:
        path = ask_where(self, tr("Export settings"), "forensicviewer-settings.json", tr(_KIND))
        if path is None:
            return

        def fail(error: BaseException) -> None:
            if not isinstance(error, OSError):
                raise error
            self._say(tr("{name} cannot be written: {why}", name=path.name, why=error.strerror))

        self._jobs.submit(
            _FILE_LANE,
            self._settings.exporting(path),
            lambda _: self._say(tr("Wrote {name}", name=path.name)),
            title=tr("Writing {name}", name=path.name),
            on_error=fail,
        )

    def _import(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, tr("Import settings"), filter=tr(_KIND))
        if not name:
            return
        path = Path(name)

        def take(reading: Reading) -> None:
            messages = [problem.message for problem in self._settings.take_over(reading, path)]
            self._say(messages[0] if messages else tr("Imported {name}", name=path.name))
            if shiboken6.isValid(self):
                self._show()

        title = tr("Reading {name}", name=path.name)
        self._jobs.submit(_FILE_LANE, partial(read_settings, path), take, title=title)

    def _say(self, text: str) -> None:
        if shiboken6.isValid(self):
            self.message.setText(text)
        else:
            self._tell(text)


def _everything(setting: Setting[Any]) -> str:
    """What the search box finds a setting by: what the user reads, and its English name."""
    said = (tr(setting.title), tr(setting.help), tr(setting.page))
    kind = setting.kind
    choices = map(tr, kind.titles.values()) if isinstance(kind, Choice) else ()
    return " ".join((*said, *choices, setting.title))


def _choice_field(titles: Any, value: str, change: Any) -> QComboBox:
    box = QComboBox()
    for key, title in titles.items():
        box.addItem(tr(title), key)
    box.setCurrentIndex(box.findData(value))
    box.activated.connect(lambda row: change(box.itemData(row)))
    return box


def _number_field(kind: Whole, value: int, change: Any) -> NumberBox:
    box = NumberBox()
    box.setRange(kind.least, kind.most)
    box.setSuffix(f" {kind.unit}" if kind.unit else "")
    box.setValue(value)
    # Otherwise every digit typed would count: 1, 15, 150.
    box.setKeyboardTracking(False)
    box.valueChanged.connect(change)
    return box
