"""An organizer explains a claim made with another kernel, decides, and hands case and PDF over.

Keyboard only, in the real window; the case then opens in a home that never saw the dataset.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QDialog
from pytestqt.qtbot import QtBot

from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.cli import main
from forensicviewer.core.array import U8Image
from forensicviewer.core.verdict import Ruling
from forensicviewer.ui.cases.case_dialog import CaseDialog
from forensicviewer.ui.cases.export_dialog import ExportCaseDialog
from forensicviewer.ui.claims.dialog import ClaimDialog
from forensicviewer.ui.reports.dialog import ReportDialog
from forensicviewer.ui.rulings.dialog import RulingDialog
from forensicviewer.ui.shell.window import MainWindow
from tests.build import Built, a_dataset, blurred, box, shifted
from tests.desk_work import ALT, CTRL, answer_dialog, press, start_program, write

pytestmark = pytest.mark.ui
Key = Qt.Key


@pytest.fixture
def built(tmp_path: Path) -> Built:
    made = a_dataset(tmp_path / "data").nist("NC2017")
    made = made.with_trial("p1", manipulated=box(10, 10, 40, 40)).with_answer("p1", shifted(8))
    made = made.with_trial("p2", manipulated=box(5, 5, 30, 30)).with_answer("p2", blurred(3))
    return made.write()


def claimed_by_the_team(built: Built, out: Path) -> str:
    """The team scored with another kernel and printed six digits."""
    words = ["score", "mask", str(built.root), str(built.submission), "--erode", "3"]
    assert main([*words, "--out", str(out), "--quiet"]) == 0
    head, *rows = (
        line.split("|") for line in next(out.glob("*perimage.csv")).read_text("utf-8").splitlines()
    )
    records = [dict(zip(head, row, strict=True)) for row in rows]
    return f"{float(next(r['OptimumMCC'] for r in records if r['ProbeFileID'] == 'p1')):.6f}"


def shown_mcc(window: MainWindow) -> str:
    state = window.desk.workbench.state
    assert state.loaded is not None
    sweep = state.loaded.sweep(state.side, 0)
    assert sweep is not None
    return repr(sweep.at(state.thresholds.main).mcc)


def picture_of(window: MainWindow) -> U8Image:
    """What *Export view…* writes: panes and legend."""
    assert window.page is not None
    image = window.page.picture().convertToFormat(QImage.Format.Format_RGB888)
    pixels = np.frombuffer(image.constBits(), np.uint8)
    rows = pixels.reshape(image.height(), image.bytesPerLine())
    return rows[:, : image.width() * 3].copy()


def dialog_of(qtbot: QtBot, window: MainWindow, kind: type[QDialog]) -> QDialog:
    (dialog,) = [one for one in window.findChildren(kind) if one.isVisible()]
    qtbot.waitUntil(dialog.isActiveWindow)
    return dialog


def come_back(qtbot: QtBot, window: MainWindow) -> None:
    """Once a dialog is closed, the window manager hands the keyboard back to the window."""
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)


def leave(qtbot: QtBot, window: MainWindow, dialog: QDialog) -> None:
    press(Key.Key_Escape)
    assert not dialog.isVisible()
    come_back(qtbot, window)


def explain_the_claim(qtbot: QtBot, window: MainWindow, claimed: str) -> None:
    press(Key.Key_E, CTRL | ALT)
    dialog = dialog_of(qtbot, window, ClaimDialog)
    assert isinstance(dialog, ClaimDialog)
    qtbot.waitUntil(dialog.claim.hasFocus)
    write(claimed)
    press(Key.Key_Return)
    found = dialog.explained
    assert found is not None
    assert not found.is_correct
    assert [one.text for one in found.simplest[0].departures] == ["Erosion 3 px, not 15"]
    evaluation = shown_mcc(window)
    assert f"Claimed: MCC {claimed}" in dialog.about.text()
    assert evaluation in dialog.about.text()
    while QApplication.focusWidget() is not dialog.table:
        press(Key.Key_Tab)
    press(Key.Key_Return)  # show it in the window
    assert f"{float(shown_mcc(window)):.6f}" == claimed
    assert window.banner.is_shown
    leave(qtbot, window, dialog)
    press(Key.Key_B, CTRL | ALT)
    assert not window.banner.is_shown
    assert shown_mcc(window) == evaluation


def look_at_the_effect(qtbot: QtBot, window: MainWindow) -> None:
    press(Key.Key_U, CTRL | ALT)
    dialog = dialog_of(qtbot, window, RulingDialog)
    assert isinstance(dialog, RulingDialog)
    qtbot.waitUntil(dialog.out.line.hasFocus)
    write("p1")
    press(Key.Key_Return)
    assert dialog.effect is not None
    assert dialog.effect.submissions[0].before.rank == 1
    leave(qtbot, window, dialog)


def decide(window: MainWindow) -> None:
    press(Key.Key_Return, CTRL)
    write("claimed with erosion 3, the plan says 15; the score stands")
    press(Key.Key_1, CTRL)
    own = window.desk.judging.own
    assert own is not None
    assert own.ruling is Ruling.SOUND


def fill_in_and_save(qtbot: QtBot, window: MainWindow, kind: type[QDialog]) -> None:
    dialog = dialog_of(qtbot, window, kind)
    assert isinstance(dialog, ExportCaseDialog | ReportDialog)
    qtbot.waitUntil(dialog.form.case.hasFocus)
    write("NC17-004")
    press(Key.Key_Tab)
    press(Key.Key_Tab)
    write("Grace")
    press(Key.Key_Return)
    assert not dialog.isVisible()
    come_back(qtbot, window)


def test_from_the_claim_to_the_case_that_opens_elsewhere(
    qtbot: QtBot, built: Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    claimed = claimed_by_the_team(built, tmp_path / "theirs")
    window = start_program(qtbot)
    window.desk.open(OpenRequest(built.root, (built.submission,)))
    window.refresh()
    window.commands.run("layout.adjudicate")

    explain_the_claim(qtbot, window, claimed)
    look_at_the_effect(qtbot, window)
    decide(window)
    case = answer_dialog(monkeypatch, "getSaveFileName", tmp_path / "NC17-004.fvcase")
    press(Key.Key_X, CTRL | ALT)
    fill_in_and_save(qtbot, window, ExportCaseDialog)
    report = answer_dialog(monkeypatch, "getSaveFileName", tmp_path / "NC17-004.pdf")
    press(Key.Key_O, CTRL | ALT)
    fill_in_and_save(qtbot, window, ReportDialog)
    number, picture = shown_mcc(window), picture_of(window)
    window.close()

    assert report.read_bytes().startswith(b"%PDF")
    for place in (built.root, built.submission):
        shutil.rmtree(place)
    for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "clean home" / name))

    theirs = start_program(qtbot)
    theirs.desk.open_paths([case])
    theirs.refresh()

    dialog = dialog_of(qtbot, theirs, CaseDialog)
    assert isinstance(dialog, CaseDialog)
    assert dialog.summary.text() == "All files and numbers match the record"
    assert f"Claimed: MCC {claimed}" in dialog.about.text()
    verdict = dialog.verdicts.item(0, 3)
    assert verdict is not None
    assert "claimed with erosion 3" in verdict.text()
    leave(qtbot, theirs, dialog)
    dataset = theirs.desk.workbench.state.dataset
    assert dataset is not None
    assert tmp_path / "clean home" in Path(dataset.root).parents
    assert shown_mcc(theirs) == number
    assert np.array_equal(picture_of(theirs), picture)
    theirs.close()
