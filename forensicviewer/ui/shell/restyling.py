"""Takes a window over into another theme, a piece in each turn of the event loop.

All at once it would keep the user waiting for a fifth of a second. While pieces are prepared the
window shows what it showed; then its parts change one after another, within a few frames.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial

import shiboken6
from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractButton, QApplication, QTableView, QWidget

from forensicviewer.ui.widgets.heading import Heading
from forensicviewer.ui.widgets.theme import current_theme, icon_for

_WIDGETS_IN_A_TURN = 60
_SPLIT_AREA_SHARE = 8


class Restyling(QObject):
    """The way of one window's widgets to the colours the application's palette has now."""

    def __init__(
        self, window: QWidget, *, recolor: Callable[[], Iterable[Callable[[], None]]]
    ) -> None:
        """``recolor`` tells what else draws with colours it has kept."""
        super().__init__(window)
        self._window = window
        self._recolor = recolor
        self._held: list[QWidget] = []
        self._steps: deque[Callable[[], None]] = deque()
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._step)

    def hold(self) -> None:
        """Keep on the screen what is there; call before the palette changes."""
        if not self._held:
            self._held = _held_parts(self._window)

    def start(self) -> None:
        """Begin, or begin anew when the theme has changed once more meanwhile."""
        everybody = _polished()
        shown = [widget for widget in everybody if widget.isVisible()]
        hidden = [widget for widget in everybody if not widget.isVisible()]
        self._steps = deque(
            [
                *_in_pieces(shown),
                _change_icons,
                *self._recolor(),
                *(partial(_show, part) for part in self._held),
                self._held.clear,
                *_in_pieces(hidden),
            ]
        )
        self._timer.start()

    def stop(self) -> None:
        """End now; the window is going."""
        self._timer.stop()
        self._steps.clear()

    def _step(self) -> None:
        if self._steps:
            self._steps.popleft()()
        else:
            self._timer.stop()


def scale_tables(window: QWidget, ratio: float) -> None:
    """Give lines and columns of all tables the room of a text so many times as large."""
    for table in window.findChildren(QTableView):
        lines, columns = table.verticalHeader(), table.horizontalHeader()
        lines.setDefaultSectionSize(round(lines.defaultSectionSize() * ratio))
        for section in range(columns.count()):
            columns.resizeSection(section, round(columns.sectionSize(section) * ratio))


def paint_by_parts(window: QWidget, soon: Callable[[Callable[[], None]], None]) -> None:
    """Have what changed all over a window painted a part a turn, instead of all at once."""
    for part in _held_parts(window):
        soon(partial(_show, part))


def _held_parts(window: QWidget) -> list[QWidget]:
    parts = [*_parts(window, window.width() * window.height())]
    for part in parts:
        part.setUpdatesEnabled(False)
    return parts


def _parts(widget: QWidget, whole: int) -> Iterator[QWidget]:
    """The visible parts of a widget, none of them so large that painting it takes long."""
    for child in widget.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly):
        if not child.isVisible() or child.isWindow():
            continue
        if child.width() * child.height() * _SPLIT_AREA_SHARE > whole:
            yield from _parts(child, whole)
        else:
            yield child


def _polished() -> list[QWidget]:
    """Every widget that has its style, parents first: children take their font from them."""
    made = Qt.WidgetAttribute.WA_WState_Polished
    found = [widget for widget in QApplication.allWidgets() if widget.testAttribute(made)]
    return sorted(found, key=_depth)


def _depth(widget: QWidget) -> int:
    depth, above = 0, widget.parentWidget()
    while above is not None:
        depth, above = depth + 1, above.parentWidget()
    return depth


def _in_pieces(widgets: list[QWidget]) -> Iterator[Callable[[], None]]:
    for start in range(0, len(widgets), _WIDGETS_IN_A_TURN):
        yield partial(_polish, widgets[start : start + _WIDGETS_IN_A_TURN])


def _polish(widgets: list[QWidget]) -> None:
    for widget in widgets:
        # Some are gone since the list was made: a notice, a menu.
        if shiboken6.isValid(widget):
            widget.style().polish(widget)
            if isinstance(widget, Heading):
                widget.take_size()
            widget.update()


def _show(part: QWidget) -> None:
    if shiboken6.isValid(part):
        part.setUpdatesEnabled(True)


def _change_icons() -> None:
    theme = current_theme()
    owners: list[QAction | QAbstractButton] = []
    for widget in QApplication.allWidgets():
        owners += widget.actions()
        if isinstance(widget, QAbstractButton):
            owners.append(widget)
    for owner in owners:
        renewed = icon_for(theme, owner.icon())
        if renewed is not None:
            owner.setIcon(renewed)
