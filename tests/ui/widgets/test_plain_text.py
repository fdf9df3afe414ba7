"""Text from users' files is shown as it is, wherever it appears in the window."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QHelpEvent, QImage
from PySide6.QtWidgets import QApplication, QLabel, QToolTip, QWidget
from pytestqt.qtbot import QtBot

from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.ui.shell.window import MainWindow
from forensicviewer.ui.widgets.explanation_strip import ExplanationStrip
from forensicviewer.ui.widgets.plain_text import PlainInputDialog, PlainLabel, PlainMessageBox
from forensicviewer.ui.widgets.theme import DARK, apply_theme
from tests.bench_build import put_row
from tests.build import a_dataset, blurred, box

pytestmark = pytest.mark.ui
TALL_PX = 400
ODD = "<h1>p1 <b>bold"  # without a slash, so that it can be the name of a file


@pytest.fixture
def tall_image(tmp_path: Path) -> str:
    """Mark-up that would show an image taller than any line of text."""
    image = QImage(20, TALL_PX, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.red)
    assert image.save(str(tmp_path / "tall.png"))
    return f"<img src='{tmp_path / 'tall.png'}'>"


def tip() -> QLabel:
    return next(
        widget
        for widget in QApplication.topLevelWidgets()
        if isinstance(widget, QLabel) and widget.metaObject().className() == "QTipLabel"
    )


def test_a_label_does_not_read_the_image_its_text_names(qtbot: QtBot, tall_image: str) -> None:
    label = PlainLabel(tall_image)
    qtbot.addWidget(label)

    assert label.sizeHint().height() < TALL_PX
    assert label.text() == tall_image


def test_a_message_box_renders_neither_of_its_texts(qtbot: QtBot, tall_image: str) -> None:
    shown = PlainMessageBox()
    qtbot.addWidget(shown)
    shown.setText(tall_image)
    shown.setInformativeText(tall_image)

    assert max(label.sizeHint().height() for label in shown.findChildren(QLabel)) < TALL_PX


def test_a_question_for_a_value_does_not_render_its_words(qtbot: QtBot, tall_image: str) -> None:
    dialog = PlainInputDialog()
    qtbot.addWidget(dialog)
    dialog.setLabelText(tall_image)

    assert max(label.sizeHint().height() for label in dialog.findChildren(QLabel)) < TALL_PX


@pytest.mark.parametrize("restyles", [False, True])
def test_no_tool_tip_is_rendered(
    qtbot: QtBot, qapp: QApplication, tall_image: str, *, restyles: bool
) -> None:
    widget = QWidget()
    qtbot.addWidget(widget)
    if restyles:
        apply_theme(qapp, DARK, font_scale=120)

    QToolTip.showText(QPoint(5, 5), tall_image, widget)

    assert tip().sizeHint().height() < TALL_PX
    assert tip().textFormat() is Qt.TextFormat.PlainText
    QToolTip.hideText()
    qtbot.waitUntil(lambda: not QToolTip.isVisible())


def test_a_trial_named_like_mark_up_is_plain_text_everywhere(
    window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    built = (
        a_dataset(tmp_path)
        .nist("NC2017")
        .with_trial(ODD, manipulated=box(10, 10, 30, 30))
        .with_answer(ODD, blurred())
        .write()
    )
    window.desk.open(OpenRequest(built.root, (built.submission,)))
    window.refresh()
    put_row(window.desk.workbench, 0)
    for panel in window.docks.docks:
        window.show_panel(panel)
    qtbot.wait(50)

    rendered = [
        f"{type(label.parent()).__name__}: {label.text()}"
        for label in window.findChildren(QLabel)
        if not isinstance(label, ExplanationStrip)
        and label.textFormat() is not Qt.TextFormat.PlainText
        and "<" in label.text()
    ]
    assert rendered == []

    table = window.docks.browser.table
    place = table.visualRect(table.model().index(0, 0)).center()
    event = QHelpEvent(QEvent.Type.ToolTip, place, table.viewport().mapToGlobal(place))
    QApplication.sendEvent(table.viewport(), event)

    assert ODD in tip().text()
    assert tip().textFormat() is Qt.TextFormat.PlainText
    QToolTip.hideText()
    qtbot.waitUntil(lambda: not QToolTip.isVisible())
