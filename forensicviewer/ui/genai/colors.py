"""One colour and one dash for each system, the same in every chart."""

from __future__ import annotations

from PySide6.QtGui import QColor

# Okabe and Ito's colours that are seen on light and dark ground, then darker and lighter ones.
_COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a6fd1", "#7f7f7f")


def color_of(system: int) -> QColor:
    """The colour of the system at a place among the open ones."""
    return QColor(_COLORS[system % len(_COLORS)])


def is_dashed(system: int) -> bool:
    """Colours come again after eight systems; then their lines are dashed."""
    return system // len(_COLORS) % 2 == 1


def faint(color: QColor) -> QColor:
    shade = QColor(color)
    shade.setAlpha(90)
    return shade
