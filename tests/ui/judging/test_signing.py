"""A judge signs verdicts from the window: creates a key, unlocks it, countersigns the others."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from forensicviewer.app.judging import signing
from forensicviewer.app.judging.review import open_review
from forensicviewer.app.judging.signing import KeyState
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.settings import JUDGE
from forensicviewer.cli import main
from forensicviewer.core.model import TrialId
from forensicviewer.ui.judging.signing_dialog import SigningDialog
from forensicviewer.ui.shell.window import MainWindow
from tests.build import Built, a_dataset, blurred, box
from tests.desk_work import CTRL, press, start_program, write

pytestmark = pytest.mark.ui
Key = Qt.Key
SECRET = "open sesame"


@pytest.fixture(autouse=True)
def locked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys stay unlocked as long as the program runs; each test is a run of its own."""
    monkeypatch.setattr(signing, "_unlocked", {})
    monkeypatch.delenv(signing.PASSPHRASE, raising=False)


@pytest.fixture
def built(tmp_path: Path) -> Built:
    made = a_dataset(tmp_path / "data").nist("NC2017")
    for number, name in enumerate(("p1", "p2"), start=1):
        made = made.with_trial(name, manipulated=box(8 * number, 10, 8 * number + 8, 30))
        made = made.with_answer(name, blurred())
    return made.write()


@pytest.fixture
def review(built: Built, tmp_path: Path) -> Path:
    folder = tmp_path / "review"
    words = ["review", "init", str(folder), str(built.root), "--judge", "Ada", "--judge", "Grace"]
    assert main([*words, "--second", "1"]) == 0
    return folder


def opened(qtbot: QtBot, built: Built, review: Path, judge: str = "Ada") -> MainWindow:
    window = start_program(qtbot)
    window.desk.settings.change(JUDGE, judge)
    window.desk.open(OpenRequest(built.root, (built.submission,), review=review))
    window.refresh()
    return window


def asked(qtbot: QtBot, window: MainWindow) -> SigningDialog:
    window.commands.run("trial.sign")
    dialog = window.findChild(SigningDialog)
    assert dialog is not None
    qtbot.waitUntil(dialog.isVisible)
    dialog.activateWindow()
    qtbot.waitUntil(lambda: QApplication.activeWindow() is dialog)
    return dialog


def back(qtbot: QtBot, window: MainWindow, dialog: SigningDialog) -> None:
    dialog.close()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    window.docks.browser.focus_table()


def judge(window: MainWindow, trial: str) -> None:
    window.desk.workbench.select_trial(TrialId(trial))
    press(Key.Key_1, CTRL)


def test_a_key_is_created_by_keys_alone_and_signs_what_follows(
    qtbot: QtBot, built: Built, review: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    window = opened(qtbot, built, review)
    dialog = asked(qtbot, window)
    qtbot.waitUntil(dialog.first.hasFocus)
    write(SECRET)
    press(Key.Key_Tab)
    write("another")
    press(Key.Key_Return)
    assert dialog.wrong.text() == "The two passphrases differ"
    dialog.second.selectAll()
    write(SECRET)
    press(Key.Key_Return)
    assert dialog.state is KeyState.OPEN
    (ada,) = [one for one in open_review(review).judges if one.name == "Ada"]
    shown = dialog.about.text()
    back(qtbot, window, dialog)
    judge(window, "p1")
    window.close()

    path = signing.key_folder() / f"{ada.id}.pem"
    assert b"ENCRYPTED" in path.read_bytes()
    if sys.platform != "win32":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [one for one in review.rglob("*") if "pem" in one.name] == []
    assert main(["review", "verify", str(review)]) == 0
    said = capsys.readouterr().out
    assert f"Signed: Ada (key {shown.rpartition(': ')[2]})" in said


def test_a_locked_key_keeps_the_note_and_is_unlocked_from_the_message(
    qtbot: QtBot, built: Built, review: Path
) -> None:
    (ada,) = [one for one in open_review(review).judges if one.name == "Ada"]
    signing.make_key(ada.id, passphrase=SECRET)
    signing._unlocked.clear()
    window = opened(qtbot, built, review)
    window.show_panel("adjudicator")
    window.docks.adjudicator.note.setPlainText("shifted by ten pixels")
    window.docks.browser.focus_table()
    judge(window, "p1")
    assert window.desk.judging.own is None
    assert window.docks.adjudicator.note.toPlainText() == "shifted by ten pixels"
    assert window.notice._button.text() == "Unlock the key…"

    window.notice._button.click()
    dialog = window.findChild(SigningDialog)
    assert dialog is not None
    qtbot.waitUntil(dialog.isVisible)
    dialog.activateWindow()
    qtbot.waitUntil(dialog.first.hasFocus)
    write("wrong")
    press(Key.Key_Return)
    assert dialog.wrong.text() == "The key cannot be read; check the passphrase"
    write(SECRET)
    press(Key.Key_Return)
    assert dialog.state is KeyState.OPEN
    back(qtbot, window, dialog)
    judge(window, "p1")
    assert window.desk.judging.own is not None
    assert window.desk.judging.own.note == "shifted by ten pixels"
    window.close()


def test_countersigning_names_the_logs_as_they_are_now(
    qtbot: QtBot, built: Built, review: Path
) -> None:
    window = opened(qtbot, built, review, "Grace")
    judge(window, "p1")
    window.close()
    window = opened(qtbot, built, review, "Ada")
    dialog = asked(qtbot, window)
    dialog.countersign.setFocus()
    press(Key.Key_Space)
    assert window.notice.text == "Your log now records the length of 1 other log"
    back(qtbot, window, dialog)
    judge(window, "p2")
    window.close()

    (grace,) = [path for path in (review / "logs").glob("*.jsonl") if b"Grace" in path.read_bytes()]
    anchor = grace.with_name(grace.name + ".anchor")
    grace.unlink()
    anchor.unlink()
    assert main(["review", "verify", str(review)]) == 1


def test_a_signed_log_without_its_key_takes_no_unsigned_line(
    qtbot: QtBot, built: Built, review: Path
) -> None:
    (ada,) = [one for one in open_review(review).judges if one.name == "Ada"]
    signing.make_key(ada.id)
    window = opened(qtbot, built, review)
    judge(window, "p1")
    (signing.key_folder() / f"{ada.id}.pem").unlink()
    signing._unlocked.clear()
    judge(window, "p2")
    problems = [one.message for one in window.desk.workbench.state.problems]
    window.close()

    assert any("which is not on this machine" in one for one in problems)
    assert main(["review", "verify", str(review)]) == 0


def test_without_a_review_the_dialog_says_what_is_missing(qtbot: QtBot, built: Built) -> None:
    window = start_program(qtbot)
    window.desk.open(OpenRequest(built.root))
    window.refresh()
    dialog = asked(qtbot, window)

    assert "Open a review" in dialog.about.text()
    assert not dialog.go.isVisible()
    window.close()
