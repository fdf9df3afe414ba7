"""A row that goes on in a further line keeps every widget at its width."""

import pytest
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from forensicviewer.ui.widgets.flow import FlowBox, FlowRow, together

pytestmark = pytest.mark.ui


class Block(QWidget):
    def sizeHint(self) -> QSize:  # noqa: N802 - Qt calls it so
        return QSize(60, 20)


def a_row(qtbot: QtBot, width: int) -> tuple[QWidget, list[Block]]:
    whole = QWidget()
    qtbot.addWidget(whole)
    row = FlowRow(whole)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(10)
    blocks = [Block() for _ in range(3)]
    row.addWidget(blocks[0])
    row.spring()
    row.addWidget(blocks[1])
    row.addWidget(blocks[2])
    whole.resize(width, 200)
    whole.show()
    qtbot.waitExposed(whole)
    return whole, blocks


def test_with_room_the_last_ones_stand_at_the_right_end(qtbot: QtBot) -> None:
    _, blocks = a_row(qtbot, 400)

    assert [block.x() for block in blocks] == [0, 270, 340]
    assert len({block.y() for block in blocks}) == 1


def test_without_room_they_go_on_below_at_the_left(qtbot: QtBot) -> None:
    whole, blocks = a_row(qtbot, 140)
    layout = whole.layout()
    assert layout is not None

    assert [(block.x(), block.y()) for block in blocks] == [(0, 0), (70, 0), (0, 30)]
    assert layout.heightForWidth(140) == 50
    assert layout.heightForWidth(60) == 80
    assert layout.minimumSize() == QSize(60, 20)
    assert layout.sizeHint().width() >= 200


def test_those_that_keep_right_do_so_in_a_further_line_too(qtbot: QtBot) -> None:
    whole, blocks = a_row(qtbot, 140)
    layout = whole.layout()
    assert isinstance(layout, FlowRow)
    layout.keeps_right = True

    whole.resize(130, 200)

    assert [(block.x(), block.y()) for block in blocks] == [(0, 0), (70, 0), (0, 30)]
    whole.resize(100, 200)
    assert [(block.x(), block.y()) for block in blocks] == [(0, 0), (40, 30), (0, 60)]


def test_hidden_ones_take_no_room_and_taken_ones_are_gone(qtbot: QtBot) -> None:
    whole, blocks = a_row(qtbot, 400)
    layout = whole.layout()
    assert isinstance(layout, FlowRow)
    blocks[1].hide()
    layout.activate()

    assert blocks[2].x() == 340
    assert layout.heightForWidth(130) == 20
    assert layout.count() == 3
    assert layout.takeAt(1) is not None
    assert layout.takeAt(7) is layout.itemAt(9) is None
    assert layout.count() == 2


def test_widgets_of_a_group_stay_together(qtbot: QtBot) -> None:
    group = together(Block(), Block())
    qtbot.addWidget(group)

    assert group.sizeHint().width() >= 120


def test_a_box_is_as_high_as_its_lines_and_leaves_others_their_room(qtbot: QtBot) -> None:
    box = FlowBox()
    qtbot.addWidget(box)
    box.row.setSpacing(10)
    for _ in range(3):
        box.row.addWidget(Block())
    box.resize(400, 20)
    box.show()
    qtbot.waitExposed(box)
    wide = box.height()

    box.resize(140, 20)

    assert (wide, box.height()) == (20, 50)
    assert not box.hasHeightForWidth()
    assert box.minimumSizeHint().width() == 60
