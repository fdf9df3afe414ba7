"""An organizer rules on disputed trials, a second judge's log comes in, and the report goes out."""

import csv
import io
import json
import zipfile
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from forensicviewer.app.judging.verdict_log import VerdictBook
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.trials.library import VERDICT
from forensicviewer.core.model import TrialId
from forensicviewer.core.verdict import Ruling
from forensicviewer.ui.dialogs.rules import RulesDialog
from forensicviewer.ui.shell.window import MainWindow
from tests.build import Built, a_dataset, blurred, box
from tests.desk_work import CTRL, answer_dialog, press, start_program, trial, write

pytestmark = pytest.mark.ui
Key = Qt.Key
ALT = Qt.KeyboardModifier.AltModifier


@pytest.fixture
def built(tmp_path: Path) -> Built:
    made = a_dataset(tmp_path / "data").nist("NC2017")
    for number in range(1, 5):
        made = made.with_trial(f"p{number}", manipulated=box(10, 10, 40, 40))
        made = made.with_answer(f"p{number}", blurred(number))
    return made.write()


def other_judge(folder: Path) -> VerdictBook:
    grace = VerdictBook(folder, judge="Grace")
    grace.say(TrialId("p2"), Ruling.LEAVE_OUT, facts={}, task="manipulation", note="unusable")
    grace.say(TrialId("p4"), Ruling.SOUND, facts={}, task="manipulation")
    return grace


def rule_on_disputed(window: MainWindow) -> None:
    """Paste the list, look at every rule set, rule on both, take one ruling back and rule again."""
    press(Key.Key_F, CTRL)
    QGuiApplication.clipboard().setText("p2\np4, p99")
    press(Key.Key_V, CTRL)
    press(Key.Key_Return)
    assert len(window.desk.trials) == 2
    assert window.desk.trials.unknown_ids == ("p99",)
    assert trial(window) == "p2"
    press(Key.Key_R, CTRL | ALT)
    dialog = next(d for d in window.findChildren(RulesDialog) if d.isVisible())
    dialog.close()
    window.activateWindow()
    press(Key.Key_Return, CTRL)
    write("the reference misses a leaf")
    press(Key.Key_2, CTRL)
    press(Key.Key_N)
    assert trial(window) == "p4"
    press(Key.Key_4, CTRL)
    press(Key.Key_Z, CTRL)
    assert window.desk.judging.own is None
    press(Key.Key_1, CTRL)


def test_disputed_trials_from_the_list_to_the_report(
    qtbot: QtBot, built: Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = start_program(qtbot)
    window.desk.open(OpenRequest(built.root, (built.submission,)))
    window.refresh()
    window.commands.run("layout.adjudicate")

    rule_on_disputed(window)
    grace = other_judge(tmp_path / "hers")
    answer_dialog(monkeypatch, "getOpenFileName", grace.log_path)
    window.commands.run("file.add_verdicts")
    assert window.docks.browser.columns.shown[:3] == ("Trial", "MCC", VERDICT)
    library = window.desk.trials.library
    assert library is not None
    assert [library.column(VERDICT).text(row) for row in range(4)] == [
        *("", "Contested", "", "Reference is correct"),
    ]

    archive = answer_dialog(monkeypatch, "getSaveFileName", tmp_path / "rulings.zip")
    window.commands.run("file.export_verdicts")
    with zipfile.ZipFile(archive) as report:
        decided = csv.DictReader(io.StringIO(report.read("decisions.csv").decode()))
        rows = {row["Trial"]: row for row in decided}
        logs = [name for name in report.namelist() if name.endswith(".jsonl")]
        said = [json.loads(line) for line in report.read(logs[-1]).decode().splitlines()]
    assert (rows["p2"]["Decision"], rows["p4"]["Decision"]) == ("Contested", "Reference is correct")
    assert rows["p2"]["Grace"] == "Leave out: unusable"
    assert "the reference misses a leaf" in "".join(rows["p2"].values())
    assert len(logs) == 2
    assert all(line["previous"] or place == 0 for place, line in enumerate(said))
    window.close()


def test_a_log_that_was_tampered_with_is_told_and_not_taken_over(
    qtbot: QtBot, built: Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = start_program(qtbot)
    window.desk.open(OpenRequest(built.root, (built.submission,)))
    window.refresh()
    log = other_judge(tmp_path / "hers").log_path
    log.write_text(log.read_text(encoding="utf-8").replace("leave-out", "sound"), encoding="utf-8")

    answer_dialog(monkeypatch, "getOpenFileName", log)
    window.commands.run("file.add_verdicts")

    assert "the log was changed" in window.notice.text
    assert window.desk.judging.book is not None
    assert window.desk.judging.book.entries == ()
    window.close()
