"""An annotator checks ten references by operation, with marks, by keys alone in the real window."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from forensicviewer.app.judging.verdict_table import write_verdicts
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.core.array import Size
from forensicviewer.core.examination import ChecklistQuestion, Mark, MarkShape, Reply
from forensicviewer.core.verdict import Ruling
from forensicviewer.ui.shell.window import MainWindow
from tests.build import a_dataset, box
from tests.desk_work import ALT, CTRL, SHIFT, press, start_program, trial, write

pytestmark = pytest.mark.ui
Key = Qt.Key
TRIALS = tuple(f"p{number:02d}" for number in range(1, 11))
WRONG, UNCLEAR = "p04", "p07"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = a_dataset(tmp_path / "data").nist("NC2017")
    for number, name in enumerate(TRIALS):
        areas = {
            "PasteSplice": box(8 + 9 * number, 20, 60 + 9 * number, 80),
            "Blur": box(150, 100, 200, 150),
        }
        made = made.with_trial(name, manipulated=areas, size=Size(240, 180))
    return made.write().root


def move(across: int, down: int) -> None:
    """Point at another pixel by keys."""
    for count, keys in (
        (across, (Key.Key_Right, Key.Key_Left)),
        (down, (Key.Key_Down, Key.Key_Up)),
    ):
        for _ in range(abs(count)):
            press(keys[count < 0], ALT)


def give_text(qtbot: QtBot, window: MainWindow, text: str, *, key: Qt.Key = Key.Key_Return) -> None:
    qtbot.waitUntil(lambda: QApplication.activeModalWidget() is not None)
    dialog = QApplication.activeModalWidget()
    assert dialog is not None
    dialog.activateWindow()
    qtbot.waitUntil(lambda: QApplication.activeWindow() is dialog)
    write(text)
    press(key)
    window.activateWindow()
    qtbot.waitUntil(lambda: QApplication.activeWindow() is window)


def mark_what_is_wrong(qtbot: QtBot, window: MainWindow) -> None:
    """A pin, a rectangle with a corner too many, and a polygon; one of them is taken back."""
    bench = window.desk.workbench
    press(Key.Key_A)
    give_text(qtbot, window, "speck outside")
    press(Key.Key_A, SHIFT)
    move(12, 7)
    assert bench.state.drawn is not None
    press(Key.Key_Return)
    give_text(qtbot, window, "=too large")
    press(Key.Key_Q)
    move(10, 0)
    press(Key.Key_Q)
    move(0, 10)
    press(Key.Key_Q)
    move(20, 20)
    press(Key.Key_Q)
    press(Key.Key_Backspace)
    press(Key.Key_Return)
    # The pixel pointed at is no corner of a polygon that is finished by Enter.
    give_text(qtbot, window, "ends here")
    press(Key.Key_A)
    give_text(qtbot, window, "not kept", key=Key.Key_Escape)
    assert bench.state.drawn is None
    assert [one.shape for one in bench.state.marks] == [
        MarkShape.PIN,
        MarkShape.RECTANGLE,
        MarkShape.POLYGON,
    ]


def check_all(qtbot: QtBot, window: MainWindow) -> None:
    panel, judging = window.docks.checklist, window.desk.judging
    for number, name in enumerate(TRIALS):
        assert trial(window) == name
        assert panel.questions.topLevelItemCount() == 5
        assert f"{0} of 5 answered" in panel.title.text()
        for row in range(5):
            assert panel.questions.row == row
            key = Key.Key_N if name == WRONG and row == 0 else Key.Key_Y
            press(Key.Key_U if name == UNCLEAR and row == 4 else key)
        if name == WRONG:
            mark_what_is_wrong(qtbot, window)
            press(Key.Key_K, CTRL)
        press(Key.Key_Return)
        assert judging.own is not None
        if number < len(TRIALS) - 1:
            press(Key.Key_N, SHIFT)


def test_ten_references_are_checked_by_operation(qtbot: QtBot, root: Path, tmp_path: Path) -> None:
    window = start_program(qtbot)
    window.desk.open(OpenRequest(root))
    window.refresh()
    window.docks.browser.focus_table()
    assert window.desk.workbench.state.highlighted is None, "before the checklist is used"
    press(Key.Key_K, CTRL)
    assert window.docks.checklist.questions.hasFocus()
    assert window.desk.workbench.state.highlighted == 0

    check_all(qtbot, window)

    book = window.desk.judging.book
    assert book is not None
    standings = book.read_again().standings("manipulation")
    rulings = {str(name): one.verdicts[0].ruling for name, one in standings.items()}
    expected = dict.fromkeys(TRIALS, Ruling.SOUND)
    expected |= {WRONG: Ruling.REFERENCE_WRONG, UNCLEAR: Ruling.UNCLEAR}
    assert rulings == expected
    examined = next(one.verdicts[0].examined for n, one in standings.items() if n == WRONG)
    assert [(one.name, one.question, one.reply) for one in examined.checks][:2] == [
        ("PasteSplice", ChecklistQuestion.MASK, Reply.WRONG),
        ("PasteSplice", ChecklistQuestion.OPERATION, Reply.RIGHT),
    ]
    assert examined.marks == (
        Mark(MarkShape.PIN, ((120, 90),), text="speck outside"),
        Mark(MarkShape.RECTANGLE, ((120, 90), (132, 97)), text="=too large"),
        Mark(MarkShape.POLYGON, ((132, 97), (142, 97), (142, 107)), text="ends here"),
    )
    table = tmp_path / "verdicts.csv"
    write_verdicts(book, table)
    with table.open(encoding="utf-8", newline="") as stream:
        rows = {row["Trial"]: row for row in csv.DictReader(stream)}
    assert "PasteSplice: Mask right?: Wrong" in rows[WRONG]["Examined"]
    assert "Mark 2: =too large (120, 90 to 132, 97)" in rows[WRONG]["Examined"]
    window.close()


def test_answers_and_marks_are_kept_with_the_session_and_undone(qtbot: QtBot, root: Path) -> None:
    window = start_program(qtbot)
    window.desk.open(OpenRequest(root))
    window.refresh()
    window.docks.browser.focus_table()
    press(Key.Key_K, CTRL)
    press(Key.Key_Y)
    press(Key.Key_N)
    press(Key.Key_A)
    give_text(qtbot, window, "here")
    window.refresh()
    press(Key.Key_Z, CTRL)
    assert window.desk.workbench.state.marks == ()
    window.refresh()
    press(Key.Key_Z, CTRL | SHIFT)
    window.docks.browser.focus_table()
    press(Key.Key_N)
    assert window.desk.workbench.state.marks == ()
    window.close()

    window = start_program(qtbot)
    window.desk.restore_last()
    window.refresh()
    window.docks.browser.focus_table()
    press(Key.Key_P)

    panel = window.docks.checklist
    assert trial(window) == TRIALS[0]
    assert [one.text for one in window.desk.workbench.state.marks] == ["here"]
    assert "2 of 5 answered" in panel.title.text()
    assert panel.marks.topLevelItem(0) is not None
    window.close()
