"""A dialog opens as large as its text needs, on the screen there is."""

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from forensicviewer.ui.widgets.dialog_size import open_in
from forensicviewer.ui.widgets.theme import LIGHT, apply_theme

pytestmark = pytest.mark.ui


def opened(qtbot: QtBot, width_px: int, height_px: int) -> QSize:
    dialog = QWidget()
    qtbot.addWidget(dialog)
    open_in(dialog, width_px, height_px)
    return dialog.size()


def test_a_larger_text_opens_a_larger_dialog_and_a_smaller_one_no_smaller(
    qapp: QApplication, qtbot: QtBot
) -> None:
    sizes = {}
    for scale in (80, 100, 200):
        apply_theme(qapp, LIGHT, font_scale=scale)
        sizes[scale] = opened(qtbot, 300, 200)

    assert sizes[80] == sizes[100] == QSize(300, 200)
    assert sizes[200] == QSize(600, 400)


def test_no_dialog_is_larger_than_the_screen(qtbot: QtBot) -> None:
    room = QGuiApplication.primaryScreen().availableGeometry().size()

    size = opened(qtbot, 5000, 5000)

    assert size.width() <= room.width()
    # Its title is to be seen as well.
    assert size.height() < room.height()
