"""Lists of choices open whole: nobody has to look for what is scrolled away."""

import pytest
from PySide6.QtWidgets import QComboBox
from pytestqt.qtbot import QtBot

pytestmark = pytest.mark.ui


def test_every_choice_is_in_sight_when_a_list_opens(qtbot: QtBot) -> None:
    box = QComboBox()
    qtbot.addWidget(box)
    box.addItems(["manipulation", "removal", "splice", "video"])
    box.setCurrentIndex(3)
    box.show()

    box.showPopup()

    view = box.view()
    rows = [view.visualRect(box.model().index(row, 0)) for row in range(box.count())]
    assert all(view.viewport().rect().contains(row) for row in rows)
    box.hidePopup()
