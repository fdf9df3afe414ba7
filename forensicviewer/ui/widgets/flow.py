"""A row of widgets that goes on in a further line where the room ends."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QHBoxLayout, QLayout, QLayoutItem, QWidget


class FlowRow(QLayout):
    """Keeps widgets at the width they ask for; those after ``spring`` stand at the right end.

    They do so while all fit into one line; otherwise everything begins at the left, unless
    ``keeps_right``.
    """

    keeps_right = False

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self._spring: int | None = None

    def spring(self) -> None:
        """What is added from now on stands at the right end."""
        self._spring = len(self._items)

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        margins = self.contentsMargins()
        inner = width - margins.left() - margins.right()
        lines = self._lines(inner)
        heights = sum(max(self._hint(item).height() for item in line) for line in lines)
        between = self.spacing() * max(0, len(lines) - 1)
        return heights + between + margins.top() + margins.bottom()

    def sizeHint(self) -> QSize:
        margins = self.contentsMargins()
        shown = self._shown()
        width = sum(self._hint(item).width() for item in shown) + self.spacing() * len(shown)
        height = max((self._hint(item).height() for item in shown), default=0)
        return QSize(
            width + margins.left() + margins.right(), height + margins.top() + margins.bottom()
        )

    def minimumSize(self) -> QSize:
        margins = self.contentsMargins()
        widest = max((self._hint(item).width() for item in self._shown()), default=0)
        highest = max((self._hint(item).height() for item in self._shown()), default=0)
        return QSize(
            widest + margins.left() + margins.right(), highest + margins.top() + margins.bottom()
        )

    def setGeometry(self, area: QRect) -> None:
        super().setGeometry(area)
        inner = area.marginsRemoved(self.contentsMargins())
        lines = self._lines(inner.width())
        top = inner.top()
        for line in lines:
            height = max(self._hint(item).height() for item in line)
            left = inner.left()
            rest = inner.width() - self._width(line)
            for item in line:
                stands_right = len(lines) == 1 or self.keeps_right
                is_spring = stands_right and self._is_first_after_spring(item)
                left += rest if is_spring else 0
                hint = self._hint(item)
                place = QPoint(left, top + (height - hint.height()) // 2)
                item.setGeometry(QRect(place, hint))
                left += hint.width() + self.spacing()
            top += height + self.spacing()

    def _is_first_after_spring(self, item: QLayoutItem) -> bool:
        after = [] if self._spring is None else self._items[self._spring :]
        return next((one for one in after if not one.isEmpty()), None) is item

    def _lines(self, width: int) -> list[list[QLayoutItem]]:
        lines: list[list[QLayoutItem]] = []
        for item in self._shown():
            if lines and self._width([*lines[-1], item]) <= width:
                lines[-1].append(item)
            else:
                lines.append([item])
        return lines

    def _width(self, line: list[QLayoutItem]) -> int:
        return sum(self._hint(item).width() for item in line) + self.spacing() * (len(line) - 1)

    def _shown(self) -> list[QLayoutItem]:
        return [item for item in self._items if not item.isEmpty()]

    @staticmethod
    def _hint(item: QLayoutItem) -> QSize:
        return item.sizeHint().boundedTo(item.maximumSize())


class FlowBox(QWidget):
    """A row of widgets that is as high as its lines, for panels whose other parts give way.

    It has a height, not a height for its width: a scroll area would give the whole panel the height
    it would like to have then, and nothing in it would give way any more.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.row = _PlainRow(self)
        self.row.setContentsMargins(0, 0, 0, 0)

    def event(self, event: QEvent) -> bool:
        is_done = super().event(event)
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            self.setFixedHeight(self.row.heightForWidth(self.width()))
        return is_done


class _PlainRow(FlowRow):
    def hasHeightForWidth(self) -> bool:
        return False


def together(*widgets: QWidget) -> QWidget:
    """Widgets of a bar that go to a further line all at once."""
    group = QWidget()
    row = QHBoxLayout(group)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(4)
    for widget in widgets:
        row.addWidget(widget)
    return group
