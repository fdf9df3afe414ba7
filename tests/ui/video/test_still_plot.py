"""The picture of a plot is made in a turn of its own, and at once for whoever grabs it."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from forensicviewer.ui.video.still_plot import StillPlot

pytestmark = pytest.mark.ui


def middle_of(plot: StillPlot) -> QColor:
    return QColor(plot.grab().toImage().pixelColor(60, 40))


def test_another_scene_is_painted_later_but_grabbed_at_once(qtbot: QtBot) -> None:
    waiting: list[Callable[[], None]] = []
    plot = StillPlot(waiting.append)
    qtbot.addWidget(plot)
    plot.resize(120, 80)
    plot.setBackground(QColor(Qt.GlobalColor.blue))
    plot.show()
    while waiting:
        waiting.pop(0)()
    assert middle_of(plot) == QColor(Qt.GlobalColor.blue)

    plot.setBackground(QColor(Qt.GlobalColor.red))
    plot.repaint_scene()
    before = middle_of(plot)
    plot.bring_up_to_date()

    assert before == QColor(Qt.GlobalColor.blue)
    assert middle_of(plot) == QColor(Qt.GlobalColor.red)
    plot.let_go()
    while waiting:
        waiting.pop(0)()
