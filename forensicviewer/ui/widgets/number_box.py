"""A field for a whole number whose digits begin where those of other fields do."""

from __future__ import annotations

from PySide6.QtWidgets import QSpinBox, QWidget

_BESIDE_EDGE_PX = 5


class NumberBox(QSpinBox):
    """A spin box with room left of its number.

    WORKAROUND (seen with Qt 6.11): a style sheet that draws the arrows puts the number at the very
    edge, whatever padding it names. Remove when the padding counts.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.lineEdit().setTextMargins(_BESIDE_EDGE_PX, 0, 0, 0)
