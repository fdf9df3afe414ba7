"""Opens the real window on a provenance dataset and points at its graph with a real mouse."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from forensicviewer.app.runtime.jobs import inline_jobs
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.settings import Settings
from forensicviewer.ui.graph.geometry import GraphGeometry
from forensicviewer.ui.graph.page import GraphPage
from forensicviewer.ui.shell.window import MainWindow


def empty_window(qtbot: QtBot) -> MainWindow:
    """The window as it starts; the test's end closes it."""
    window = MainWindow(Desk(inline_jobs(), Settings()))
    qtbot.addWidget(window)
    window.resize(1500, 950)
    with qtbot.waitExposed(window):
        window.show()
    return window


def open_window(
    qtbot: QtBot, dataset: Path, system: Path, *, task: str = "provenance"
) -> MainWindow:
    """The window with its graph page shown."""
    window = empty_window(qtbot)
    window.desk.open(OpenRequest(dataset, (system,), task))
    window.show_opened()
    QApplication.processEvents()
    return window


def page_of(window: MainWindow) -> GraphPage:
    assert isinstance(window.page, GraphPage)
    return window.page


def picture_in(window: MainWindow) -> GraphGeometry:
    picture = page_of(window).canvas.picture
    assert picture is not None
    return picture


def node_point(window: MainWindow, file: str) -> QPoint:
    """Where a node is on the screen."""
    page = page_of(window)
    return page.canvas.mapFromScene(QPointF(*page.review.place_of(file)))


def link_point(window: MainWindow, source: str, target: str) -> QPoint:
    """Where the middle of a link is on the screen."""
    link = picture_in(window).link((source, target))
    return page_of(window).canvas.mapFromScene(link.curve.point_at(0.5))


def click(
    window: MainWindow,
    at: QPoint,
    modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier,
) -> None:
    view = page_of(window).canvas.viewport()
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, modifier, at)


def explanation(window: MainWindow) -> str:
    return page_of(window).desk.panel.facts.explanation.text()


def facts(window: MainWindow) -> dict[str, str]:
    """What the table beside the graph says of the selection."""
    table = page_of(window).desk.panel.facts.table
    found = {}
    for row in range(table.rowCount()):
        name, value = table.item(row, 0), table.item(row, 1)
        assert name is not None
        assert value is not None
        found[name.text()] = value.text()
    return found
