"""An analyst without a network: odd paths, no room at home, an archive, and a killed program."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from forensicviewer.app.runtime.crash import NativeCrashFile
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.session.session_file import autosave_path
from forensicviewer.core.verdict import Ruling
from forensicviewer.ui.dialogs.help import AboutDialog
from tests.build import Built, two_answered_trials
from tests.desk_work import start_program, trial

pytestmark = pytest.mark.ui


@pytest.fixture
def built(tmp_path: Path) -> Built:
    return two_answered_trials(tmp_path / "Fälle 2026 – Ünïcödé")  # noqa: RUF001 - a dash


def archive_of(built: Built) -> Path:
    path = built.submission.parent / f"{built.submission.name}.tgz"
    with tarfile.open(path, "w:gz") as archive:
        archive.add(built.submission, arcname=built.submission.name)
    return path


def test_odd_paths_archives_and_a_closed_home_work_or_are_told(
    qtbot: QtBot, built: Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = socket.socket

    def refuse(family: int = socket.AF_INET, *arguments: int, **options: int) -> socket.socket:
        # The program's own processes talk by sockets that lead nowhere else.
        assert family == socket.AF_UNIX, "somebody asked for the network"
        return real(family, *arguments, **options)

    monkeypatch.setattr(socket, "socket", refuse)
    closed = tmp_path / "closed"
    closed.write_text("")
    for variable in ("XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(variable, str(closed))
    window = start_program(qtbot)
    archive = archive_of(built)
    window.desk.open(OpenRequest(built.root, (archive,)))
    window.refresh()

    window.docks.adjudicator.note.setPlainText("kept until it is written")
    window.commands.run("verdict.reference-wrong")
    window.commands.run("help.about")
    about = window.findChild(AboutDialog)
    assert about is not None
    next(b for b in about.findChildren(QPushButton) if "bug report" in b.text()).click()

    assert window.docks.metrics.value("MCC")
    assert window.desk.judging.own is None
    assert window.docks.adjudicator.note.toPlainText() == "kept until it is written"
    assert "not saved" in window.notice.text
    assert "PySide6-Essentials" in QGuiApplication.clipboard().text()
    about.close()
    window.close()


def test_what_was_open_when_the_program_was_killed_is_offered(qtbot: QtBot, built: Built) -> None:
    program = [sys.executable, "-m", "forensicviewer", "open", "--new-window"]
    running = subprocess.Popen(
        [*program, str(built.root), "--trial", "p2"],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
    )
    qtbot.waitUntil(
        lambda: autosave_path().exists() and '"p2"' in autosave_path().read_text("utf-8"),
        timeout=60_000,
    )
    running.send_signal(signal.SIGKILL)
    running.wait(10)

    crash_file = NativeCrashFile()
    window = start_program(qtbot)
    window.offer_rescued()

    assert crash_file.was_cut_off
    assert window.offer is not None
    assert "did not exit cleanly" in window.offer.text.text()
    window.offer.take.click()
    assert trial(window) == "p2"
    crash_file.close()
    window.close()


def test_a_verdict_that_is_kept_clears_the_note(qtbot: QtBot, built: Built) -> None:
    window = start_program(qtbot)
    window.desk.open(OpenRequest(built.root))
    window.refresh()
    window.docks.adjudicator.note.setPlainText("cut at the rim")

    window.commands.run("verdict.unclear")

    own = window.desk.judging.own
    assert own is not None
    assert (own.ruling, own.note) == (Ruling.UNCLEAR, "cut at the rim")
    assert window.docks.adjudicator.note.toPlainText() == ""
    assert window.desk.judging.drafts == {}
    window.close()
