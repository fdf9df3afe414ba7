"""Which way the mouse wheel turns, and what fingers do: the same wherever it is used."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QEvent, QObject, QPointF, Qt
from PySide6.QtGui import QNativeGestureEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QWidget

_INVERTED = "forensicviewer_wheel_inverted"
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


class Notches:
    """Whole notches of a wheel: touchpads turn it by small parts, which add up to one."""

    def __init__(self) -> None:
        self._rest = 0.0

    def take(self, event: QWheelEvent) -> int:
        """The notches that are full with this turn."""
        steps = wheel_steps(event)
        if steps * self._rest < 0:
            self._rest = 0.0  # the other way round: what was begun does not count any more
        whole = int(self._rest + steps)
        self._rest += steps - whole
        return whole


class WheelFilter(QObject):
    """Has parts of a widget do on a turn of the wheel what the widget does.

    Sliders and number fields would take steps of their own, the wrong way round where the user
    turned the wheel, and ten times as large with Ctrl.
    """

    def __init__(self, run: Callable[[QWheelEvent], None], parts: Iterable[QWidget]) -> None:
        super().__init__()
        self._run = run
        for part in parts:
            part.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QWheelEvent):
            self._run(event)
            return True
        return False


def pinch_of(event: QEvent) -> tuple[float, QPointF] | None:
    """How much larger two fingers on a touchpad want it, and the point between them."""
    pinch = Qt.NativeGestureType.ZoomNativeGesture
    if isinstance(event, QNativeGestureEvent) and event.gestureType() is pinch:
        return 1 + event.value(), event.position()
    return None
