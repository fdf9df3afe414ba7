"""A claimed number explained in the window, and the banner that tells foreign settings apart."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.settings import RULES
from forensicviewer.app.workbench.state import Snap
from forensicviewer.core.kernel import Kernels, KernelShape
from forensicviewer.core.rules import PLAN
from forensicviewer.ui.claims.dialog import ClaimDialog
from forensicviewer.ui.shell.window import MainWindow
from tests.build import a_dataset, box, shifted
from tests.desk_work import ALT, CTRL, press, start_program

pytestmark = pytest.mark.ui
Key = Qt.Key


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path) -> MainWindow:
    made = a_dataset(tmp_path / "data").nist("NC2017")
    made = made.with_trial("p1", manipulated=box(10, 10, 40, 40)).with_answer("p1", shifted(8))
    built = made.with_trial("p2", manipulated=box(5, 5, 30, 30)).write()
    opened = start_program(qtbot)
    opened.desk.open(OpenRequest(built.root, (built.submission,)))
    opened.refresh()
    return opened


def mcc_of(window: MainWindow) -> str:
    state = window.desk.workbench.state
    assert state.loaded is not None
    sweep = state.loaded.sweep(state.side, 0)
    assert sweep is not None
    return repr(sweep.at(state.thresholds.main).mcc)


def opened_dialog() -> ClaimDialog:
    press(Key.Key_E, CTRL | ALT)
    (dialog,) = [w for w in QApplication.topLevelWidgets() if isinstance(w, ClaimDialog)]
    dialog.activateWindow()
    dialog.claim.setFocus()
    return dialog


def test_a_claim_made_with_another_kernel_is_explained_and_shown(window: MainWindow) -> None:
    bench = window.desk.workbench
    bench.set_kernels(Kernels(KernelShape.BOX, 3, 11, 15))
    claimed = mcc_of(window)
    press(Key.Key_B, CTRL | ALT)
    assert mcc_of(window) != claimed

    dialog = opened_dialog()
    QTest.keyClicks(dialog.claim, claimed)
    QTest.keyClick(dialog.claim, Key.Key_Return)

    assert dialog.explained is not None
    assert dialog.table.item(0, 1) is not None
    assert "Erosion 3 px, not 15" in [
        item.text() for row in range(dialog.table.rowCount()) if (item := dialog.table.item(row, 1))
    ]
    assert claimed in dialog.about.text()
    dialog.copy()
    assert QGuiApplication.clipboard().text().startswith("forensicviewer score mask ")
    dialog.show_in_window()
    assert mcc_of(window) == claimed
    assert "erosion 3 px" in window.banner.text.text()
    dialog.close()
    window.close()


def test_what_is_no_number_is_said(window: MainWindow) -> None:
    dialog = opened_dialog()
    QTest.keyClicks(dialog.claim, "often")
    QTest.keyClick(dialog.claim, Key.Key_Return)

    assert "'often' is not a number" in dialog.about.text()
    assert dialog.explained is None
    dialog.close()
    window.close()


def test_the_banner_names_every_difference_and_one_key_leads_back(window: MainWindow) -> None:
    bench = window.desk.workbench
    assert not window.banner.is_shown

    bench.set_kernels(Kernels(KernelShape.DISC, 7, 9, 5))
    bench.set_threshold(40)
    bench.set_scoring(honours_opt_out=True)
    window.desk.settings.change(RULES, PLAN.name)

    assert window.banner.is_shown
    for words in (
        *("rule set plan", "kernel disc", "erosion 7 px", "dilation 9 px", "distraction 5 px"),
        *("without opted-out pixels", "threshold 215"),
    ):
        assert words in window.banner.text.text()
    press(Key.Key_B, CTRL | ALT)
    assert not window.banner.is_shown
    assert bench.state.scoring.kernels == Kernels()
    assert bench.state.thresholds.snap is Snap.OPTIMUM
    assert window.desk.settings.of(RULES) == "mediscore"
    window.close()
