"""With two sides or two systems, panels say whose numbers they show."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from forensicviewer.app.openrequest import OpenRequest
from forensicviewer.ui.curves import ThresholdPanel
from forensicviewer.ui.stills import StillsPage
from forensicviewer.ui.window import MainWindow
from tests.build import Built, a_dataset, blurred, box

pytestmark = pytest.mark.ui
LEFT = Qt.MouseButton.LeftButton


def spliced(folder: Path) -> Built:
    made = a_dataset(folder).with_trial("p1", donor="d1", manipulated=box(10, 10, 40, 40))
    return made.with_answer("p1+d1", blurred()).write()


def click_pane(window: MainWindow, position: int) -> None:
    assert isinstance(window.page, StillsPage)
    QTest.mouseClick(window.page.panes.canvases[position], LEFT)


def test_thresholds_of_the_donor_are_said_to_be_so(window: MainWindow, tmp_path: Path) -> None:
    built = spliced(tmp_path)
    window.desk.open(OpenRequest(built.root, (built.submission,)))
    panel = window.docks.panel("score")
    assert isinstance(panel, ThresholdPanel)
    assert panel.side.isHidden()

    click_pane(window, 5)
    assert not panel.side.isHidden()
    assert panel.side.text() == "Donor side"

    click_pane(window, 0)
    assert panel.side.isHidden()
