"""An annotator checks reference masks for two days, by keys alone, and hands over the findings."""

import csv
import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from forensicviewer.app.desk import Desk
from forensicviewer.app.jobs import inline_jobs
from forensicviewer.app.openrequest import OpenRequest
from forensicviewer.app.settings import Settings
from forensicviewer.core.verdict import Ruling
from forensicviewer.ui.stills import StillsPage
from forensicviewer.ui.window import MainWindow
from tests.build import Built, a_dataset, box

pytestmark = pytest.mark.ui
Key = Qt.Key
CTRL, SHIFT, ALT = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.AltModifier,
)
StartDay = Callable[[], MainWindow]


@pytest.fixture
def built(tmp_path: Path) -> Built:
    made = a_dataset(tmp_path).nist("NC2017")
    for number in range(1, 5):
        made = made.with_trial(f"p{number}", manipulated=box(8 * number, 10, 8 * number + 8, 30))
    return made.write()


@pytest.fixture
def start_day(qtbot: QtBot) -> StartDay:
    """Start the program; what it remembers it remembers from the day before."""

    def start() -> MainWindow:
        window = MainWindow(Desk(inline_jobs(), Settings()))
        qtbot.addWidget(window)
        window.setWindowState(Qt.WindowState.WindowNoState)
        window.resize(1400, 900)
        with qtbot.waitActive(window):
            window.show()
        return window

    return start


def press(key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    QTest.keyClick(_focused(), key, modifiers)


def _focused() -> QWidget:
    focused = QApplication.focusWidget() or QApplication.activeWindow()
    assert focused is not None
    return focused


def trial(window: MainWindow) -> str:
    return str(window.desk.workbench.state.trial_id)


def test_two_days_of_checking_masks(
    start_day: StartDay, built: Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = start_day()
    window.desk.open(OpenRequest(built.root))
    window.refresh()
    assert window.desk.layout == "annotate"

    press(Key.Key_1, CTRL)
    press(Key.Key_N, SHIFT)
    assert trial(window) == "p2"
    assert len(window.docks.browser.table.selectionModel().selectedRows()) == 1
    press(Key.Key_K)
    press(Key.Key_Left, ALT)
    for _ in range(3):
        press(Key.Key_Plus)
    assert isinstance(window.page, StillsPage)
    pointed = window.desk.workbench.state.cursor
    assert pointed is not None
    assert f"{pointed[0]}" in window.page.inspector.position.text()
    press(Key.Key_Return, CTRL | SHIFT)
    QTest.keyClicks(_focused(), "the mask is shifted")
    press(Key.Key_2, CTRL)
    press(Key.Key_N, SHIFT)
    assert trial(window) == "p3"
    press(Key.Key_Return, CTRL)
    QTest.keyClicks(_focused(), "begun")
    zoom = window.desk.workbench.state.viewpoint(0)
    assert zoom is not None
    window.close()

    window = start_day()
    window.desk.restore_last()
    window.refresh()
    assert trial(window) == "p3"
    assert window.desk.workbench.state.viewpoint(0) == zoom
    assert window.docks.adjudicator.note.toPlainText() == "begun"
    press(Key.Key_5, CTRL)
    press(Key.Key_N, SHIFT)
    assert trial(window) == "p4"
    press(Key.Key_1, CTRL)
    press(Key.Key_N, SHIFT)
    assert "Every listed trial" in window.notice.text

    archive = tmp_path / "findings.zip"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_a, **_k: (str(archive), ""))
    window.commands.run("file.export_verdicts")
    with zipfile.ZipFile(archive) as handed_over:
        table = io.StringIO(handed_over.read("findings.csv").decode())
        rows = {row["Trial"]: row for row in csv.DictReader(table)}
        assert set(handed_over.namelist()) >= {row["Picture"] for row in rows.values()}
    assert {name: row["Verdict"] for name, row in rows.items()} == {
        "p1": Ruling.SOUND.label,
        "p2": Ruling.REFERENCE_WRONG.label,
        "p3": Ruling.UNCLEAR.label,
        "p4": Ruling.SOUND.label,
    }
    assert rows["p2"]["Note"].endswith("the mask is shifted")
    assert rows["p2"]["Place"] == f"{pointed[0]}, {pointed[1]}"
    assert rows["p3"]["Note"] == "begun"
    window.close()
