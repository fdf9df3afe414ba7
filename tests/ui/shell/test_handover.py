"""A second start hands its paths to the window that is open, safely and without waiting long."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from forensicviewer.app.session.handover import door, is_door_there, message_of, request_of
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.ui.shell import handover
from forensicviewer.ui.shell.handover import Doorkeeper, hand_over
from forensicviewer.ui.shell.window import MainWindow
from tests.build import Built, two_answered_trials

pytestmark = pytest.mark.ui


@pytest.fixture
def taken() -> list[OpenRequest]:
    return []


@pytest.fixture
def keeper(qapp: QObject, taken: list[OpenRequest]) -> Iterator[Doorkeeper]:
    made = Doorkeeper(taken.append, qapp)
    assert made.listen()
    yield made
    made.close()
    made.deleteLater()


def knock(qtbot: QtBot, message: bytes) -> bytes:
    """Say something at the door while this thread's window listens; its answer."""
    answers: list[bytes] = []

    def speak() -> None:
        with socket.socket(socket.AF_UNIX) as other:
            other.connect(door())
            assert other.recv(64) == b"ready\n"
            try:
                other.sendall(message)
                answers.append(other.recv(64))
            except ConnectionError:
                answers.append(b"")

    speaker = threading.Thread(target=speak)
    speaker.start()
    qtbot.waitUntil(lambda: bool(answers))
    speaker.join()
    return answers[0]


@pytest.mark.usefixtures("keeper")
def test_paths_given_to_a_second_start_reach_the_open_window(
    taken: list[OpenRequest], qtbot: QtBot, tmp_path: Path
) -> None:
    dataset, submission = tmp_path / "d", tmp_path / "ä b.tgz"
    for path in (dataset, submission):
        path.touch()
    command = ["open", str(dataset), str(submission), "--task", "manipulation", "--trial", "p1"]

    second = subprocess.Popen(
        [sys.executable, "-m", "forensicviewer", *command],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        stdout=subprocess.PIPE,
        text=True,
    )
    qtbot.waitUntil(lambda: second.poll() is not None, timeout=60_000)

    told, _ = second.communicate()
    assert second.returncode == 0
    assert "in the window that is already open" in told
    assert taken == [OpenRequest(dataset, (submission,), "manipulation", "p1")]


@pytest.mark.usefixtures("keeper")
def test_a_second_start_without_paths_asks_for_the_open_window(
    taken: list[OpenRequest], qtbot: QtBot
) -> None:
    second = subprocess.Popen(
        [sys.executable, "-m", "forensicviewer"],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        stdout=subprocess.PIPE,
        text=True,
    )
    qtbot.waitUntil(lambda: second.poll() is not None, timeout=60_000)

    told, _ = second.communicate()
    assert (second.returncode, taken) == (0, [OpenRequest()])
    assert "Showing the window that is already open" in told


def test_a_window_asked_for_alone_stays_as_it_is(
    window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    built: Built = two_answered_trials(tmp_path)
    window.take_over(OpenRequest(built.root, (built.submission,), trial="p2"))
    window.showMinimized()

    window.take_over(OpenRequest())

    assert window.desk.workbench.state.trial_id == "p2"
    qtbot.waitUntil(lambda: not window.isMinimized())


def test_the_window_opens_what_it_takes_over(
    window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    built: Built = two_answered_trials(tmp_path)
    window.showMinimized()

    window.take_over(OpenRequest(built.root, (built.submission,), trial="p2"))

    assert window.desk.workbench.state.trial_id == "p2"
    qtbot.waitUntil(lambda: not window.isMinimized())


@pytest.mark.usefixtures("qapp")
def test_without_a_window_nothing_is_handed_over(tmp_path: Path) -> None:
    assert not is_door_there()
    assert not hand_over(OpenRequest(tmp_path))


def test_a_door_left_behind_by_a_crash_is_opened_anew(
    qapp: QObject, taken: list[OpenRequest], qtbot: QtBot, tmp_path: Path
) -> None:
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(door())
    assert is_door_there()
    assert not hand_over(OpenRequest(tmp_path))
    keeper = Doorkeeper(taken.append, qapp)

    assert keeper.listen()
    assert knock(qtbot, message_of(OpenRequest(tmp_path))) == b"taken\n"
    keeper.close()
    keeper.deleteLater()


@pytest.mark.usefixtures("keeper")
def test_a_second_window_leaves_the_door_to_the_first(
    taken: list[OpenRequest], qapp: QObject, qtbot: QtBot, tmp_path: Path
) -> None:
    second = Doorkeeper(lambda _: None, qapp)

    assert not second.listen()
    assert knock(qtbot, message_of(OpenRequest(tmp_path))) == b"taken\n"
    assert len(taken) == 1
    second.deleteLater()


@pytest.mark.usefixtures("keeper")
def test_a_stuck_window_keeps_nobody_waiting_and_opens_nothing_later(
    taken: list[OpenRequest],
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(handover, "_ANSWER_MS", 50)

    # On the window's own thread: it cannot answer while this waits for it.
    assert not hand_over(OpenRequest(tmp_path))
    assert knock(qtbot, message_of(OpenRequest(tmp_path / "later"))) == b"taken\n"

    assert [request.dataset for request in taken] == [tmp_path / "later"]


@pytest.mark.parametrize(
    "message",
    [
        b"",
        b"no json\n",
        b"[1]\n",
        b"{}\n",
        json.dumps({"dataset": 7, "submissions": "x"}).encode(),
        json.dumps({"submissions": [None, 3]}).encode(),
    ],
)
def test_what_is_no_request_is_refused(message: bytes) -> None:
    assert request_of(message) is None


@pytest.mark.usefixtures("keeper")
def test_nonsense_at_the_door_is_sent_away(taken: list[OpenRequest], qtbot: QtBot) -> None:
    assert knock(qtbot, b"open the door\n") == b""
    assert knock(qtbot, b"x" * 100_000) == b""
    assert taken == []


def test_a_message_comes_out_as_it_went_in(tmp_path: Path) -> None:
    request = OpenRequest(None, (tmp_path / "a", tmp_path / "b"), None, None)

    assert request_of(message_of(request)) == request


def test_the_door_is_where_nobody_else_can_put_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    open_to_all = tmp_path / "open"
    open_to_all.mkdir(mode=0o777)
    open_to_all.chmod(0o777)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(open_to_all))

    assert not door().startswith(str(open_to_all))
    assert len(door().encode()) <= 100
