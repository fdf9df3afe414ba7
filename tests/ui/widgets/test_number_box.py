"""Fields for whole numbers."""

import pytest
from pytestqt.qtbot import QtBot

from forensicviewer.ui.widgets.number_box import NumberBox

pytestmark = pytest.mark.ui


def test_the_number_keeps_clear_of_the_edge(qtbot: QtBot) -> None:
    box = NumberBox()
    qtbot.addWidget(box)
    box.setPrefix("≤ ")
    box.setRange(0, 255)
    box.setValue(255)
    box.resize(box.sizeHint())
    box.show()

    field, words = box.lineEdit(), box.fontMetrics().horizontalAdvance("≤ 255")

    assert field.textMargins().left() > 0
    assert field.width() - field.textMargins().left() > words
