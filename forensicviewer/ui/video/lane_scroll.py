"""Which lanes of a timeline are seen where there is no room for all of them."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollBar, QWidget

from forensicviewer.app.language.words import tr
from forensicviewer.ui.video.lane_item import ROW_PX


class LaneScroll(QScrollBar):
    """A scroll bar beside the lanes, hidden while all of them are seen.

    The axes above and below stay where they are: a lane without its time tells nothing.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        self.setSingleStep(round(ROW_PX))
        self.setAccessibleName(tr("Lanes"))
        self.hide()

    def fit(self, rows: float, room_px: float) -> None:
        """Learn how many rows there are and how much room."""
        hidden_px = max(0, round(rows * ROW_PX - room_px))
        self.setPageStep(max(1, round(room_px)))
        self.setMaximum(hidden_px)
        self.setVisible(hidden_px > 0)

    def seen(self, rows: float, room_px: float) -> tuple[float, float]:
        """The rows at the upper and the lower edge; where all have room, they share it."""
        if not self.maximum():
            return 0.0, rows
        first = self.value() / ROW_PX
        return first, first + room_px / ROW_PX
