"""“What am I seeing?”: every pane explained in words, and captions that fit their room."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from forensicviewer.app.workbench.explanation import NOTHING_OPEN, explain_pane
from forensicviewer.app.workbench.state import FOUR_PANES, Layer, Pane, SystemStyle
from forensicviewer.core.model import Side
from forensicviewer.core.palette import PaletteName
from forensicviewer.ui.dialogs.manual import ManualWindow
from forensicviewer.ui.panes.grid import PaneFrame, shortened
from forensicviewer.ui.shell.window import MainWindow
from forensicviewer.ui.widgets.explanation_strip import ExplanationStrip
from tests.build import Built, two_answered_trials

pytestmark = pytest.mark.ui


@pytest.fixture
def built(tmp_path: Path) -> Built:
    return two_answered_trials(tmp_path)


def captions(window: MainWindow) -> list[str]:
    frames = window.findChildren(PaneFrame)
    return [frame.caption.text() for frame in frames if frame.caption.isVisibleTo(window)]


def test_one_key_explains_every_pane_and_again_none(opened: MainWindow) -> None:
    shift = Qt.KeyboardModifier.ShiftModifier

    QTest.keyClick(opened, Qt.Key.Key_F1, shift)
    explained = captions(opened)
    opened.refresh()
    is_ticked = opened.commands["help.whats_this"].isChecked()
    QTest.keyClick(opened, Qt.Key.Key_F1, shift)

    assert len(explained) == len(FOUR_PANES)
    assert is_ticked
    assert captions(opened) == []


def test_the_comparison_is_explained_with_threshold_and_score(opened: MainWindow) -> None:
    bench = opened.desk.workbench
    bench.set_threshold(100)
    opened.commands.run("help.whats_this")
    before = captions(opened)[3]

    bench.set_threshold(20)

    shown = bench.state.shown_threshold(20)
    assert f"threshold {shown}: green is a hit" in captions(opened)[3] != before
    assert "MCC " in captions(opened)[3]


def test_nothing_open_is_explained_too(window: MainWindow) -> None:
    window.commands.run("help.whats_this")

    assert window.notice.text == NOTHING_OPEN


@pytest.mark.parametrize(
    ("style", "words"),
    [
        (SystemStyle.GREY, "black is certainly manipulated, white certainly not"),
        (SystemStyle.HEAT, "the warmer the colour"),
        (SystemStyle.THRESHOLDED, "black is called manipulated at threshold"),
    ],
)
def test_a_system_mask_is_explained_as_it_is_drawn(
    opened: MainWindow, style: SystemStyle, words: str
) -> None:
    opened.desk.workbench.set_look("system mask", system=style)

    assert words in explain_pane(opened.desk.workbench.state, Pane(Layer.SYSTEM))


def test_other_colours_are_left_to_the_legend(opened: MainWindow) -> None:
    opened.desk.workbench.set_look("palette", palette=PaletteName.OKABE_ITO)

    words = explain_pane(opened.desk.workbench.state, Pane(Layer.COMPARISON))

    assert "see the legend for the colours" in words


def test_donor_and_base_are_explained(opened: MainWindow) -> None:
    state = opened.desk.workbench.state

    assert explain_pane(state, Pane(Layer.PICTURE, Side.DONOR)).startswith("The donor")
    assert explain_pane(state, Pane(Layer.BASE)).endswith("before its manipulation")


def test_facts_that_do_not_fit_are_left_out_from_the_front(qapp: QApplication) -> None:
    metrics = QFontMetrics(qapp.font())
    facts = ["a system with a very long name", "960×640", "31 %"]  # noqa: RUF001 - a size

    def room(text: str) -> int:
        return metrics.horizontalAdvance(text)

    assert shortened(facts, metrics, room(" · ".join(facts))) == " · ".join(facts)
    cut = shortened(facts, metrics, room(" · ".join(facts[1:])) + 80)
    assert cut.startswith("a s")
    assert cut.endswith("me · 960×640 · 31 %")  # noqa: RUF001 - a size
    assert "…" in cut
    assert shortened(facts, metrics, room("31 %") + 2) == "31 %"
    assert shortened(facts, metrics, 3) == ""


def test_the_page_of_pictures_is_explained_and_leads_into_the_manual(
    opened: MainWindow, qtbot: QtBot
) -> None:
    opened.commands.run("help.whats_this")
    strip = opened.findChild(ExplanationStrip)
    assert isinstance(strip, ExplanationStrip)
    is_shown = strip.isVisible()
    strip.linkActivated.emit("panes")
    manual = opened.findChild(ManualWindow)
    assert isinstance(manual, ManualWindow)
    qtbot.waitUntil(lambda: manual.view.toPlainText().startswith("Reading the panes"))
    manual.close()
    opened.commands.run("help.whats_this")

    assert is_shown
    assert 'href="panes"' in strip.text()
    assert not strip.isVisible()
