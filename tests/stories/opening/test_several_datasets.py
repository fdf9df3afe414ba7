"""A user works on several datasets in one window, each as it was left."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from forensicviewer.app.runtime.jobs import inline_jobs
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.session.session_file import autosave_path, read_session, write_session
from forensicviewer.app.settings import Settings
from forensicviewer.app.trials.trial_filter import TrialFilter
from forensicviewer.core.model import TaskKind, TrialId
from forensicviewer.core.verdict import Ruling
from tests.build import Built, a_dataset, blurred, box
from tests.desk_work import CTRL, press, start_program, trial
from tests.genai_build import DRY_RUN, GenAIBuilder, trials
from tests.sources.imdl import build

pytestmark = pytest.mark.ui
Key = Qt.Key


def _nist(folder: Path, *names: str) -> Built:
    made = a_dataset(folder).nist("NC2017")
    for name in names:
        made = made.with_trial(name, manipulated=box(5, 5, 30, 30)).with_answer(name, blurred(3))
    return made.write()


def _maps(folder: Path, data: Path) -> Path:
    for image in sorted((data / "Tp").iterdir()):
        values = np.where(build.area(), 200, 40).astype(np.uint8)
        build.write(folder / "pred" / f"{image.stem}.png", values)
    return folder


@pytest.fixture
def nist(tmp_path: Path) -> Built:
    return _nist(tmp_path / "nist", "p1", "p2", "p3")


@pytest.fixture
def mani(tmp_path: Path) -> Path:
    return build.mani(tmp_path / "faces")


@pytest.fixture
def genai(tmp_path: Path) -> Path:
    builder = GenAIBuilder(tmp_path / "genai", index_name=DRY_RUN).of(trials(2, 2))
    builder.write()
    builder.reference(name="genai25_Image-D_dryrun_ref.csv")
    return builder.folder


def test_three_kinds_of_datasets_stay_open_each_as_it_was_left(
    nist: Built, mani: Path, genai: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    window = start_program(qtbot)
    desk, chooser = window.desk, window.docks.browser.datasets
    desk.open(OpenRequest(nist.root, (nist.submission,)))
    assert chooser.isHidden()
    desk.workbench.select_trial(TrialId("p2"))
    desk.workbench.set_threshold(77)
    desk.trials.set_filter(TrialFilter("p2"))
    desk.judging.say(Ruling.SOUND)

    desk.open_named(OpenRequest(mani, (_maps(tmp_path / "mvss", mani),)))
    desk.workbench.select_trial(TrialId("2.jpg"))
    desk.workbench.set_threshold(128)
    desk.open_named(OpenRequest(genai))

    assert not chooser.isHidden()
    assert [chooser.box.itemText(i) for i in range(3)] == [nist.root.name, "faces", "genai"]
    assert desk.workbench.state.task is not None
    assert desk.workbench.state.task.kind is TaskKind.GENAI

    press(Key.Key_PageDown, CTRL)

    state = desk.workbench.state
    assert (trial(window), state.thresholds.main, len(state.submissions)) == ("p2", 77, 1)
    assert (desk.trials.filter.text, len(desk.trials)) == ("p2", 1)
    assert desk.judging.own is not None
    assert nist.root.name in window.windowTitle()

    press(Key.Key_PageDown, CTRL)

    assert (trial(window), desk.workbench.state.thresholds.main) == ("2.jpg", 128)
    assert (desk.trials.filter.text, len(desk.trials)) == ("", 3)
    assert desk.judging.own is None

    press(Key.Key_PageUp, CTRL)
    assert trial(window) == "p2"


def test_the_chooser_shows_another_and_closes_the_one_shown(
    nist: Built, mani: Path, qtbot: QtBot
) -> None:
    window = start_program(qtbot)
    desk, chooser = window.desk, window.docks.browser.datasets
    desk.open_dataset(nist.root)
    desk.open_dataset(mani)
    chooser.box.setFocus()

    QTest.keyClick(chooser.box, Key.Key_Up)

    assert trial(window) == "p1"
    QTest.mouseClick(chooser.closing, Qt.MouseButton.LeftButton)
    assert (trial(window), desk.dataset_names) == ("0.jpg", ("faces",))
    assert chooser.isHidden()
    qtbot.waitUntil(window.commands["file.close_dataset"].isEnabled)
    press(Key.Key_W, CTRL)
    assert (desk.workbench.state.dataset, desk.dataset_names) == (None, ())
    qtbot.waitUntil(lambda: window.stack.currentWidget() is window.start_page)


def test_a_dataset_that_is_open_is_shown_and_not_opened_twice(
    nist: Built, mani: Path, qtbot: QtBot
) -> None:
    desk = start_program(qtbot).desk
    desk.open_dataset(nist.root)
    desk.workbench.select_trial(TrialId("p3"))
    desk.open_dataset(mani)

    desk.open_named(OpenRequest(nist.root, (nist.submission,)))

    assert desk.dataset_names == (nist.root.name, "faces")
    state = desk.workbench.state
    assert (state.trial_id, len(state.submissions)) == ("p3", 1)
    desk.reload()
    assert desk.dataset_names == (nist.root.name, "faces")


def test_a_session_brings_all_of_them_back(nist: Built, mani: Path) -> None:
    before = Desk(inline_jobs(), Settings())
    before.open(OpenRequest(nist.root, (nist.submission,)))
    before.workbench.select_trial(TrialId("p2"))
    before.workbench.set_threshold(33)
    before.open_dataset(mani)
    before.workbench.select_trial(TrialId("2.jpg"))
    before.close()

    desk = Desk(inline_jobs(), Settings())
    desk.restore_last()

    assert desk.dataset_names == (nist.root.name, "faces")
    assert desk.workbench.state.trial_id == "2.jpg"
    desk.step_dataset(1)
    state = desk.workbench.state
    assert (state.trial_id, state.thresholds.main, len(state.submissions)) == ("p2", 33, 1)
    assert desk.dataset_names == (nist.root.name, "faces")
    desk.close()


def test_a_dataset_that_is_gone_costs_the_session_nothing_else(
    nist: Built, mani: Path, tmp_path: Path
) -> None:
    desk = Desk(inline_jobs(), Settings())
    desk.open_dataset(nist.root)
    desk.open_dataset(mani)
    saved = tmp_path / "saved.fvsession"
    write_session(desk.session(), saved)
    desk.close_dataset()
    desk.close_dataset()
    mani.rename(tmp_path / "elsewhere")

    desk.open_session(saved)

    assert desk.dataset_names == (nist.root.name,)
    assert "session-missing" in [problem.rule for problem in desk.workbench.state.problems]
    desk.close()


def test_a_session_of_one_dataset_is_brought_up(nist: Built, tmp_path: Path) -> None:
    path = tmp_path / "old.fvsession"
    place = {"absolute": str(nist.root), "path": str(nist.root), "digest": ""}
    path.write_text(json.dumps({"kind": "session", "version": 3, "dataset": place, "trial": "p2"}))

    session, problems = read_session(path)

    assert problems == ()
    assert session is not None
    assert (session.trial, session.others, session.position) == ("p2", (), 0)
    write_session(session, path)
    assert json.loads(path.read_text())["version"] == 4


def test_two_datasets_named_together_get_their_own_submissions(
    nist: Built, mani: Path, tmp_path: Path
) -> None:
    other = _nist(tmp_path / "second", "q1", "q2")
    maps = _maps(tmp_path / "mvss", mani)
    desk = Desk(inline_jobs(), Settings())

    desk.open_named(OpenRequest(mani, (other.root, nist.submission, maps, nist.root)))

    assert len(desk.dataset_names) == 3
    state = desk.workbench.state
    assert (state.trial_id, [one.name for one in state.submissions]) == ("0.jpg", ["mvss"])
    desk.step_dataset(1)
    assert (desk.workbench.state.trial_id, desk.workbench.state.submissions) == ("q1", ())
    desk.step_dataset(1)
    state = desk.workbench.state
    assert (state.trial_id, len(state.submissions)) == ("p1", 1)
    assert [problem.rule for problem in state.problems if problem.severity.name == "ERROR"] == []
    desk.close()
    session, _ = read_session(autosave_path())
    assert session is not None
    assert len(session.others) == 2


def test_hidden_datasets_hold_no_pixels(nist: Built, mani: Path) -> None:
    desk = Desk(inline_jobs(), Settings())
    desk.open(OpenRequest(nist.root, (nist.submission,)))
    loaded = desk.workbench.state.loaded
    assert loaded is not None

    desk.open_dataset(mani)

    (waiting,) = desk.shelf.waiting
    assert waiting.content is not None
    assert desk.workbench.state.loaded is not loaded
    assert not any(
        isinstance(getattr(waiting.content, name), np.ndarray | type(loaded))
        for name in waiting.content.__slots__
    )
    desk.close()
