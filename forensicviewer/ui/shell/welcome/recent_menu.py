"""The menu of places opened lately: what is gone is greyed, what is pinned stays in front."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QMenu

from forensicviewer.app.language.words import tr
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.session.recent import Recent
from forensicviewer.ui.widgets.key_names import as_menu_text
from forensicviewer.ui.widgets.theme import icon


class RecentMenu(QMenu):
    """Filled when it is opened: places come and go while the program runs."""

    def __init__(self, desk: Desk, parent: QMenu) -> None:
        super().__init__(tr("Open recent"), parent)
        self._desk = desk
        self.pins = QMenu(tr("Pin"), self)
        self.setToolTipsVisible(True)
        self.pins.setToolTipsVisible(True)
        self.aboutToShow.connect(self._open)

    def _open(self) -> None:
        """Offer what is known, and grey what is found to be gone while the menu is open."""
        self.fill()
        self._desk.recent.look(self._desk.jobs, self.fill)

    def fill(self) -> None:
        """Offer the places as they are now."""
        self.clear()
        self.pins.clear()
        places = self._desk.recent.places
        for place in places:
            self._offer(place)
            self._offer_pin(place)
        if not places:
            self.addAction(tr("Nothing opened yet")).setEnabled(False)
        self.addSeparator()
        self.addMenu(self.pins).setEnabled(bool(places))
        clear = self.addAction(tr("Clear"), self._desk.recent.clear)
        clear.setToolTip(tr("Forget all places that are not pinned"))
        clear.setEnabled(any(not place.is_pinned for place in places))

    def _offer(self, place: Recent) -> None:
        is_there = place.path not in self._desk.recent.missing
        action = self.addAction(_title(place), partial(self._desk.open_recent, place))
        gone = tr("No longer exists: {path}", path=place.path)
        action.setToolTip(place.path if is_there else gone)
        action.setEnabled(is_there)
        if place.is_pinned:
            action.setIcon(icon("pin"))

    def _offer_pin(self, place: Recent) -> None:
        action = self.pins.addAction(_title(place))
        action.setToolTip(place.path)
        action.setCheckable(True)
        action.setChecked(place.is_pinned)
        action.triggered.connect(lambda: self._desk.recent.toggle_pin(place.path))


def _title(place: Recent) -> str:
    path = Path(place.path)
    return as_menu_text(f"{path.name} ({path.parent.name})")
