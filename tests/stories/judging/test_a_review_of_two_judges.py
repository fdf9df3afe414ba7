"""Two judges disagree blind and the chair closes the conflict, in the real window, by keys."""

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from forensicviewer.app.judging.review import open_review, status_of
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.settings import JUDGE
from forensicviewer.cli import main
from forensicviewer.core.verdict import Ruling
from forensicviewer.ui.judging.new_review import NewReviewDialog
from forensicviewer.ui.judging.review_dialog import ReviewDialog
from forensicviewer.ui.shell.window import MainWindow
from forensicviewer.ui.widgets.table_copy import table_of
from tests.build import Built, a_dataset, blurred, box
from tests.desk_work import CTRL, SHIFT, press, start_program, trial, write

pytestmark = pytest.mark.ui
Key = Qt.Key
TRIALS = ("p1", "p2", "p3", "p4")


@pytest.fixture
def built(tmp_path: Path) -> Built:
    made = a_dataset(tmp_path / "data").nist("NC2017")
    for number, name in enumerate(TRIALS, start=1):
        made = made.with_trial(name, manipulated=box(8 * number, 10, 8 * number + 8, 30))
        made = made.with_answer(name, blurred())
    return made.write()


def make_review(qtbot: QtBot, window: MainWindow, folder: Path) -> None:
    """Fill the dialog in by keys: every trial is judged twice, p4 is a honeypot."""
    window.commands.run("file.new_review")
    dialog = window.findChild(NewReviewDialog)
    assert dialog is not None
    qtbot.waitUntil(dialog.isVisible)
    dialog.activateWindow()
    qtbot.waitUntil(dialog.judges.hasFocus)
    write("Ada")
    press(Key.Key_Return)
    write("Grace")
    press(Key.Key_Tab)
    write("Carol")
    press(Key.Key_Tab)
    write("100")
    assert dialog.blind.isChecked()
    dialog.honeypots.setFocus()
    write("p4 = reference-wrong")
    dialog.folder.setFocus()
    dialog.folder.selectAll()
    write(str(folder))
    assert dialog.folder.text() == str(folder)
    press(Key.Key_Return)
    assert dialog.wrong.text() == ""
    qtbot.waitUntil(lambda: window.findChild(NewReviewDialog) is None)
    window.refresh()


def be_active(qtbot: QtBot, window: QWidget) -> None:
    window.activateWindow()
    qtbot.waitUntil(lambda: QApplication.activeWindow() is window)


def become(qtbot: QtBot, window: MainWindow, name: str) -> None:
    be_active(qtbot, window)
    window.desk.settings.change(JUDGE, name)
    window.show_panel("adjudicator")
    window.docks.browser.focus_table()


def give_reason(qtbot: QtBot, window: MainWindow, text: str) -> None:
    """Answer the question for a reason, as whoever has the keyboard does."""
    active = QApplication.activeModalWidget()
    assert active is not None
    be_active(qtbot, active)
    write(text)
    press(Key.Key_Return)
    be_active(qtbot, window)
    window.docks.browser.focus_table()


def judge(window: MainWindow, rulings: dict[str, Qt.Key]) -> None:
    """Go through the queue by Shift+N and Ctrl+number until it is empty."""
    for _ in rulings:
        press(rulings[trial(window)], CTRL)
        press(Key.Key_N, SHIFT)


def ada_judges(qtbot: QtBot, window: MainWindow) -> None:
    """Nothing of the system is shown before she has judged a trial."""
    panel, bench = window.docks.adjudicator, window.desk.workbench
    become(qtbot, window, "Ada")
    window.docks.browser.table.selectRow(0)
    assert bench.state.submission is None
    assert "mine 0 of 4, all 0 of 8" in panel.review.text()
    assert "systems are hidden" in panel.review.text()
    press(Key.Key_1, CTRL)
    assert bench.state.submission is not None
    assert "mine 1 of 4" in panel.review.text()
    press(Key.Key_N, SHIFT)
    assert trial(window) == "p2"
    assert bench.state.submission is None
    # She skips one and comes back to it last.
    press(Key.Key_N, CTRL | SHIFT)
    assert trial(window) == "p3"
    judge(window, {"p3": Key.Key_1, "p4": Key.Key_2})
    assert trial(window) == "p2"
    assert "skipped" in window.notice.text
    press(Key.Key_1, CTRL)
    press(Key.Key_N, SHIFT)
    assert "You have judged every listed trial" in window.notice.text


def grace_judges(qtbot: QtBot, window: MainWindow) -> None:
    """She sees neither Ada's verdicts nor the systems, and finds p2 wrong."""
    panel, judging = window.docks.adjudicator, window.desk.judging
    become(qtbot, window, "Grace")
    window.docks.browser.table.selectRow(0)
    assert judging.history() == ()
    assert panel._standing.text() == "No verdict yet"
    judge(window, {"p1": Key.Key_1, "p2": Key.Key_1, "p3": Key.Key_1, "p4": Key.Key_1})
    window.desk.trials.select_place(1)
    assert {one.judge for one, _ in judging.history()} == {"Ada", "Grace"}
    # She changes her mind: a review asks why.
    press(Key.Key_2, CTRL)
    give_reason(qtbot, window, "The mask is shifted by ten pixels")
    assert judging.own is not None
    assert judging.own.ruling is Ruling.REFERENCE_WRONG
    assert judging.own.reason == "The mask is shifted by ten pixels"


def carol_decides(qtbot: QtBot, window: MainWindow) -> None:
    """One conflict; the honeypot, on which both differ, is none."""
    panel, judging = window.docks.adjudicator, window.desk.judging
    become(qtbot, window, "Carol")
    press(Key.Key_J, CTRL | SHIFT)
    dialog = window.findChild(ReviewDialog)
    assert dialog is not None
    be_active(qtbot, dialog)
    assert dialog.conflicts.topLevelItemCount() == 1
    found = [table_of(one).splitlines() for one in (dialog.progress, dialog.agreement)]
    assert [line.split("\t")[3] for line in found[0][1:3]] == ["1 / 1", "0 / 1"]
    assert found[1][1].split("\t")[1] == "3"
    dialog.conflicts.setFocus()
    press(Key.Key_Return)
    dialog.close()
    be_active(qtbot, window)
    assert trial(window) == "p2"
    assert "you decide as the chair" in panel.review.text()
    window.docks.browser.focus_table()
    press(Key.Key_2, CTRL)
    give_reason(qtbot, window, "Grace is right: see the base image")
    assert judging.standing is not None
    assert judging.standing.decision is not None
    assert not judging.standing.is_contested


def test_two_judges_disagree_blind_and_the_chair_closes_it(
    qtbot: QtBot, built: Built, tmp_path: Path
) -> None:
    folder = tmp_path / "review"
    window = start_program(qtbot)
    window.desk.open(OpenRequest(built.root, (built.submission,)))
    window.refresh()
    make_review(qtbot, window, folder)
    assert "You are not a judge of this review" in window.docks.adjudicator.review.text()

    ada_judges(qtbot, window)
    grace_judges(qtbot, window)
    carol_decides(qtbot, window)
    window.close()

    review = open_review(folder)
    status = status_of(review, review.book())
    assert (status.conflicts, status.decided) == ((), 1)
    assert main(["review", "verify", str(folder)]) == 0
    out = tmp_path / "out"
    assert main(["review", "export", str(folder), "--out", str(out)]) == 0
    exported = "".join(path.read_text() for path in out.iterdir())
    assert "p4" not in exported
    assert "Grace is right: see the base image" in exported
    assert json.loads((folder / "review.json").read_text())["blind"] is True


def test_a_review_opens_again_with_its_session_and_elsewhere_with_its_dataset(
    qtbot: QtBot, built: Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "review"
    words = ["review", "init", str(folder), str(built.root), "--judge", "Ada"]
    assert main(words) == 0
    answers = iter((folder, built.root))
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_a, **_k: str(next(answers)))
    window = start_program(qtbot)
    window.commands.run("file.open_review")
    window.refresh()
    become(qtbot, window, "Ada")
    press(Key.Key_1, CTRL)
    assert "mine 1 of 4" in window.docks.adjudicator.review.text()
    window.close()

    window = start_program(qtbot)
    window.desk.restore_last()
    window.refresh()
    window.show_panel("adjudicator")

    assert "mine 1 of 4" in window.docks.adjudicator.review.text()
    assert not list((tmp_path / "data").rglob("*.verdicts.jsonl"))
    window.close()
