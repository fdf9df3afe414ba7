"""A hand for tests of the window: wheel, fingers and drags as Qt gets them from the system."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import (
    QContextMenuEvent,
    QNativeGestureEvent,
    QPointingDevice,
    QWheelEvent,
)
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from forensicviewer.ui.video.lane_item import ROW_PX
from forensicviewer.ui.video.timeline import Timeline

LEFT, NO_KEYS = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
SHIFT, CTRL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier
NOTCH = 120


def lane_y(timeline: Timeline, title: str) -> float:
    """The widget row of a lane's middle, which is brought into view."""
    rows = timeline.item.contents.rows()
    top, lane = next((top, lane) for lane, top in rows if lane.title == title)
    lanes = timeline.scroller
    lowest = round((top + lane.height) * ROW_PX) - lanes.pageStep()
    lanes.setValue(max(lowest, min(lanes.value(), round(top * ROW_PX))))
    place = QPointF(timeline._view.mapViewToScene(QPointF(0, top + lane.height / 2)))
    return place.y()


def turn_wheel(
    widget: QWidget,
    degrees: int,
    keys: Qt.KeyboardModifier = NO_KEYS,
    *,
    at: QPoint | None = None,
) -> None:
    """Turn the wheel over a widget, in its middle unless said otherwise."""
    place = widget.rect().center() if at is None else at
    event = QWheelEvent(
        QPointF(place),
        QPointF(widget.mapToGlobal(place)),
        QPoint(),
        QPoint(0, degrees),
        Qt.MouseButton.NoButton,
        keys,
        Qt.ScrollPhase.NoScrollPhase,
        False,  # noqa: FBT003 - Qt's own signature
    )
    QApplication.sendEvent(widget, event)


def pinch(widget: QWidget, at: QPoint, value: float) -> None:
    """Move two fingers on the touchpad apart (above 0) or together."""
    place = QPointF(at)
    event = QNativeGestureEvent(
        Qt.NativeGestureType.ZoomNativeGesture,
        QPointingDevice.primaryPointingDevice(),
        2,
        place,
        place,
        QPointF(widget.mapToGlobal(at)),
        value,
        QPointF(),
    )
    QApplication.sendEvent(widget, event)


def press_and_drag(
    widget: QWidget,
    start: QPoint,
    end: QPoint,
    keys: Qt.KeyboardModifier = NO_KEYS,
    button: Qt.MouseButton = LEFT,
) -> None:
    """Drag without letting go."""
    QTest.mousePress(widget, button, keys, start)
    QTest.mouseMove(widget, (start + end) / 2)
    QTest.mouseMove(widget, end)


def drag(
    widget: QWidget,
    start: QPoint,
    end: QPoint,
    keys: Qt.KeyboardModifier = NO_KEYS,
    button: Qt.MouseButton = LEFT,
) -> None:
    press_and_drag(widget, start, end, keys, button)
    QTest.mouseRelease(widget, button, keys, end)


def right_click(widget: QWidget, at: QPoint) -> QMenu:
    """Ask for the menu of a place; whoever gets it closes it."""
    reason = QContextMenuEvent.Reason.Mouse
    QTest.mousePress(widget, Qt.MouseButton.RightButton, pos=at)
    QApplication.sendEvent(widget, QContextMenuEvent(reason, at, widget.mapToGlobal(at)))
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    return menu
