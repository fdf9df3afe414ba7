"""Which columns the list of trials shows, in which order and how wide; and how they are chosen."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from PySide6.QtCore import QPoint, QSignalBlocker, QSize, Qt
from PySide6.QtWidgets import (
    QFrame,
    QHeaderView,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from forensicviewer.app.language.words import tr
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.settings import FONT_SCALE
from forensicviewer.app.trials.column_choice import ColumnChoice
from forensicviewer.app.trials.library import CONFIDENCE, STATUS, TARGET, TRIAL, VERDICT, shown_name
from forensicviewer.ui.trials.model import TrialModel

_HEADER_ROOM_PX = 26  # padding and the sign of the order
_WIDTHS = {TRIAL: 168, TARGET: 58, CONFIDENCE: 96, STATUS: 96, VERDICT: 110}
_NUMBER_WIDTH, _OTHER_WIDTH = 68, 88


class TrialColumns:
    """The columns of the table's header as the list and the user want them."""

    def __init__(self, header: QHeaderView, model: TrialModel, desk: Desk) -> None:
        self._header = header
        self._model = model
        self._kept = desk.arrangements
        self._settings = desk.settings
        self._trials = desk.trials
        self._choice = ColumnChoice()
        self._is_placing = False
        self._has_verdicts_forward = False
        header.sectionMoved.connect(self._keep_order)
        header.sectionResized.connect(self._keep_width)

    @property
    def names(self) -> tuple[str, ...]:
        """Every column, in the order of the list."""
        return self._model.names

    @property
    def shown(self) -> tuple[str, ...]:
        """The columns in sight, from left to right."""
        header = self._header
        sections = (header.logicalIndex(place) for place in range(header.count()))
        return tuple(self.names[i] for i in sections if not header.isSectionHidden(i))

    @property
    def _usual(self) -> frozenset[str]:
        """The columns the list shows by itself."""
        library = self._trials.library
        return frozenset(self.names if library is None else library.shown_names)

    @property
    def _key(self) -> str:
        """What the choice is kept under: one for each kind of task."""
        library = self._trials.library
        return "" if library is None else f"columns/{library.task.kind.name.lower()}"

    def show(self) -> None:
        """Show the columns of other trials as they were left."""
        self._choice = ColumnChoice.from_bytes(self._kept.get(self._key))
        self._place()

    def toggle(self, name: str, *, shown: bool) -> None:
        """Show a column or hide it; the trial's own always shows."""
        if name != TRIAL:
            usually = name in self._usual
            self._keep(self._choice.toggled(name, shown=shown, usually=usually))
            with self._placing():
                self._header.setSectionHidden(self.names.index(name), not shown)

    def reset(self) -> None:
        """Show the columns the list shows by itself."""
        self._choice = ColumnChoice()
        self._kept.remove(self._key)
        self._place()

    def bring_verdicts_forward(self) -> None:
        """Judges need to see what is judged: once there is a verdict, it stands in sight.

        The score that ranks trials stays in sight before it. Only once, and not where the user has
        ordered the columns.
        """
        library = self._trials.library
        if library is None or not library.verdicts or VERDICT not in self.names:
            return
        if self._has_verdicts_forward or self._choice.order:
            return
        self._has_verdicts_forward = True
        leading = [name for name in (library.worst_first, VERDICT) if name in self.names]
        with self._placing():
            for place, name in enumerate(leading, start=1):
                self._header.moveSection(self._header.visualIndex(self.names.index(name)), place)

    def _place(self) -> None:
        header, names, choice, usual = self._header, self.names, self._choice, self._usual
        ordered = [name for name in choice.order if name in names]
        ordered += [name for name in names if name not in choice.order]
        with self._placing():
            for place, name in enumerate(ordered):
                now = header.visualIndex(names.index(name))
                if now != place:
                    header.moveSection(now, place)
            for section, name in enumerate(names):
                is_shown = choice.shows(name, usually=name in usual)
                header.setSectionHidden(section, name != TRIAL and not is_shown)
                header.resizeSection(section, self._width(section))
        self._has_verdicts_forward = False
        self.bring_verdicts_forward()

    def _width(self, section: int) -> int:
        name = self.names[section]
        if name in self._choice.widths:
            return round(self._choice.widths[name] * self._text_scale)
        usual = _NUMBER_WIDTH if self._model.is_number(section) else _OTHER_WIDTH
        title = self._header.fontMetrics().horizontalAdvance(shown_name(name)) + _HEADER_ROOM_PX
        return max(round(_WIDTHS.get(name, usual) * self._text_scale), title)

    @property
    def _text_scale(self) -> float:
        return self._settings.of(FONT_SCALE) / 100

    @contextmanager
    def _placing(self) -> Iterator[None]:
        """What moves meanwhile is not the user's doing."""
        before, self._is_placing = self._is_placing, True
        yield
        self._is_placing = before

    def _keep_order(self, _section: int, _before: int, _now: int) -> None:
        if not self._is_placing:
            places = range(self._header.count())
            order = tuple(self.names[self._header.logicalIndex(place)] for place in places)
            self._keep(replace(self._choice, order=order))

    def _keep_width(self, section: int, before: int, now: int) -> None:
        # Only what is dragged: text that grows resizes columns, too, but is nobody's wish. Nor is
        # the width of the last one, which takes whatever room the others leave.
        is_dragged = self._header.cursor().shape() is Qt.CursorShape.SplitHCursor
        if self._is_placing or not is_dragged or not before or not now:
            return
        if self.names[section] == self.shown[-1]:
            return
        # As it would be with letters of the usual size.
        widths = {**self._choice.widths, self.names[section]: round(now / self._text_scale)}
        self._keep(replace(self._choice, widths=widths))

    def _keep(self, choice: ColumnChoice) -> None:
        self._choice = choice
        if self._key:
            self._kept.put(self._key, choice.as_bytes())


class ColumnChooser(QFrame):
    """Columns to tick, found by a few letters of their names; goes with Escape or a click beside.

    A menu of forty columns would be as tall as the screen and close after every tick.
    """

    def __init__(self, columns: TrialColumns, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setProperty("role", "palette")
        self.setAccessibleName(tr("Columns"))
        self._columns = columns
        self.box = QLineEdit()
        self.box.setPlaceholderText(tr("A few letters of a column"))
        self.box.setAccessibleName(tr("Find a column"))
        self.list = QListWidget()
        self.list.setAccessibleName(tr("Columns"))
        self.usual = QPushButton(tr("Default columns"))
        self.usual.setToolTip(tr("Reset to the default columns, order and widths"))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 8)
        for widget in (self.box, self.list, self.usual):
            layout.addWidget(widget)
        self._fill()
        self.box.textChanged.connect(self._narrow)
        self.box.returnPressed.connect(self._toggle_first)
        self.list.itemChanged.connect(self._take)
        self.usual.clicked.connect(self._reset)

    def sizeHint(self) -> QSize:
        return QSize(280, 420)

    def open_at(self, place: QPoint) -> None:
        """Show the chooser at a place of the screen, all of it on the screen."""
        self.resize(self.sizeHint())
        room = self.screen().availableGeometry()
        self.move(
            max(room.left(), min(place.x(), room.right() - self.width())),
            max(room.top(), min(place.y(), room.bottom() - self.height())),
        )
        self.show()
        self.box.setFocus()

    def _fill(self) -> None:
        blocker = QSignalBlocker(self.list)
        self.list.clear()
        shown = self._columns.shown
        for name in self._columns.names[1:]:
            item = QListWidgetItem(shown_name(name), self.list)
            item.setData(Qt.ItemDataRole.UserRole, name)
            state = Qt.CheckState.Checked if name in shown else Qt.CheckState.Unchecked
            item.setCheckState(state)
        blocker.unblock()

    def _narrow(self, text: str) -> None:
        wanted = text.casefold().split()
        for item in self._items():
            title = item.text().casefold()
            item.setHidden(not all(word in title for word in wanted))

    def _toggle_first(self) -> None:
        item = next((item for item in self._items() if not item.isHidden()), None)
        if item is not None and self.box.text().strip():
            is_on = item.checkState() is Qt.CheckState.Checked
            item.setCheckState(Qt.CheckState.Unchecked if is_on else Qt.CheckState.Checked)

    def _take(self, item: QListWidgetItem) -> None:
        name: str = item.data(Qt.ItemDataRole.UserRole)
        self._columns.toggle(name, shown=item.checkState() is Qt.CheckState.Checked)

    def _reset(self) -> None:
        self._columns.reset()
        self._fill()
        self._narrow(self.box.text())

    def _items(self) -> list[QListWidgetItem]:
        return [self.list.item(row) for row in range(self.list.count())]
