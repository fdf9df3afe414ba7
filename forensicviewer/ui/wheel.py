"""Which way the mouse wheel turns: a preference of the hand, the same wherever it is used."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication

_INVERTED = "forensicviewer wheel inverted"
_DEGREES_A_STEP = 120


def invert_wheel(*, is_inverted: bool) -> None:
    """Have the wheel enlarge and raise when it is turned towards the user."""
    application = QApplication.instance()
    assert application is not None
    application.setProperty(_INVERTED, is_inverted)


def wheel_steps(event: QWheelEvent) -> float:
    """How many notches the wheel was turned; positive enlarges and raises.

    Some systems turn the wheel sideways while Alt is held.
    """
    delta = event.angleDelta()
    turned = delta.y() or (delta.x() if event.modifiers() & Qt.KeyboardModifier.AltModifier else 0)
    application = QApplication.instance()
    is_inverted = application is not None and bool(application.property(_INVERTED))
    return (-turned if is_inverted else turned) / _DEGREES_A_STEP
