"""Lists of choices open whole: nobody has to look for what is scrolled away."""

import pytest
from PySide6.QtWidgets import QApplication, QComboBox
from pytestqt.qtbot import QtBot

from forensicviewer.ui.theme import LIGHT, apply_theme

pytestmark = [pytest.mark.ui, pytest.mark.usefixtures("look_as_before")]


def test_every_choice_is_in_sight_when_a_list_opens(qapp: QApplication, qtbot: QtBot) -> None:
    apply_theme(qapp, LIGHT, font_scale=100)
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
