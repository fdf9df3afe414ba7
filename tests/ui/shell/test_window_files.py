"""What the window does with files: the File menu, submissions, and where panels stood."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from forensicviewer.app.judging.verdict_log import VerdictBook
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.core.verdict import Ruling
from forensicviewer.ui.shell.window import MainWindow
from tests.bench_build import put_row
from tests.build import Built, a_dataset, blurred, box, nothing

pytestmark = pytest.mark.ui


@pytest.fixture
def built(tmp_path: Path) -> Built:
    return (
        a_dataset(tmp_path)
        .with_trial("p1", manipulated=box(10, 10, 40, 40))
        .with_trial("p2")
        .with_answer("p1", blurred(5))
        .with_answer("p2", nothing())
        .write()
    )


def answer(monkeypatch: pytest.MonkeyPatch, method: str, given: object) -> None:
    """Let the system's file dialog answer at once; it is not ours to test."""
    monkeypatch.setattr(QFileDialog, method, lambda *_arguments, **_options: given)


def test_the_file_menu_opens_saves_and_exports(
    window: MainWindow, built: Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(monkeypatch, "getExistingDirectory", str(built.root))
    window.commands.run("file.open_dataset")
    window.refresh()
    table = next(built.submission.glob("*.csv"))
    answer(monkeypatch, "getOpenFileNames", ([str(table)], ""))
    window.commands.run("file.open_submission")
    window.refresh()
    assert window.desk.workbench.state.submission is not None

    answer(monkeypatch, "getSaveFileName", (str(tmp_path / "mine"), ""))
    window.commands.run("file.save_session")
    answer(monkeypatch, "getSaveFileName", (str(tmp_path / "view.png"), ""))
    window.commands.run("file.export_view")
    answer(monkeypatch, "getSaveFileName", (str(tmp_path / "trials.tsv"), ""))
    window.commands.run("file.export_trials")
    window.commands.run("file.close_dataset")
    window.refresh()
    answer(monkeypatch, "getOpenFileName", (str(tmp_path / "mine.fvsession"), ""))
    window.commands.run("file.open_session")

    assert {path.name for path in tmp_path.iterdir()} >= {
        "mine.fvsession",
        "view.png",
        "trials.tsv",
    }
    assert window.desk.workbench.state.submission is not None


def test_a_cancelled_dialog_changes_nothing(
    opened: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(monkeypatch, "getExistingDirectory", "")
    answer(monkeypatch, "getOpenFileNames", ([], ""))
    answer(monkeypatch, "getOpenFileName", ("", ""))
    answer(monkeypatch, "getSaveFileName", ("", ""))
    before = opened.desk.session()

    for command in ("open_dataset", "open_submission", "open_session", "save_session"):
        opened.commands.run(f"file.{command}")

    assert opened.desk.session() == before


def test_submissions_are_switched_compared_and_closed(
    opened: MainWindow, built: Built, tmp_path: Path
) -> None:
    opened.desk.open_submissions([built.copied_submission(tmp_path / "second")])
    opened.refresh()
    state = opened.desk.workbench.state
    assert (state.system, state.rival) == (1, 0)

    opened.commands.run("system.next")
    opened.commands.run("system.rival")
    assert opened.desk.workbench.state.rival is None
    opened.refresh()
    opened.commands.run("file.close_submission")
    opened.refresh()

    assert len(opened.desk.workbench.state.submissions) == 1
    opened.commands.run("file.reload")
    assert len(opened.desk.session().submissions) == 1


def test_a_window_full_of_panels_remembers_where_they_stood(
    opened: MainWindow, qtbot: QtBot
) -> None:
    opened.docks.docks["legend"].close()
    opened.commands.run("layout.annotate")
    opened.commands.run("layout.inspect")

    assert opened.docks.docks["legend"].isHidden()
    opened.commands.run("layout.reset")
    assert not opened.docks.docks["legend"].isHidden()
    opened.commands.run("view.toolbar")
    assert not opened.toolbar.isVisible()
    qtbot.waitUntil(lambda: not opened.toolbar.isVisible())


def test_a_name_without_an_ending_gets_that_of_the_chosen_kind(
    opened: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(monkeypatch, "getSaveFileName", (str(tmp_path / "fig.v2"), "Drawings (*.svg)"))

    opened.commands.run("file.export_view")

    assert (tmp_path / "fig.v2.svg").read_bytes().startswith(b"<?xml")


def test_a_file_that_an_ending_would_hit_is_asked_about(
    opened: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "fig.png").write_text("mine")
    proposed = []
    given = iter([str(tmp_path / "fig"), ""])

    def ask(_parent: object, _title: str, name: str, _kinds: str) -> tuple[str, str]:
        proposed.append(name)
        return next(given), "Images (*.png)"

    monkeypatch.setattr(QFileDialog, "getSaveFileName", ask)

    opened.commands.run("file.export_view")

    assert proposed[1] == str(tmp_path / "fig.png")
    assert (tmp_path / "fig.png").read_text() == "mine"


def test_verdicts_are_exported_and_those_of_another_judge_added(
    opened: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trial = opened.desk.workbench.state.trial_id
    assert trial is not None
    grace = VerdictBook(tmp_path / "hers", judge="Grace")
    grace.say(trial, Ruling.LEAVE_OUT, facts={})
    answer(monkeypatch, "getOpenFileName", (str(grace.log_path), ""))
    answer(monkeypatch, "getSaveFileName", (str(tmp_path / "verdicts.csv"), ""))

    opened.commands.run("file.export_verdicts")
    assert "no verdict yet" in opened.notice.text
    opened.commands.run("verdict.sound")
    opened.commands.run("file.add_verdicts")
    opened.commands.run("file.export_verdicts")

    panel = opened.docks.adjudicator
    assert opened.desk.judging.standing is not None
    assert opened.desk.judging.standing.is_contested
    assert panel.history.topLevelItemCount() == 2
    assert len((tmp_path / "verdicts.csv").read_text().splitlines()) == 3


def test_a_note_stays_with_the_trial_it_was_begun_for(opened: MainWindow) -> None:
    panel = opened.docks.adjudicator
    panel.note.setPlainText("the edge is cut")

    opened.commands.run("trial.next")
    elsewhere = panel.note.toPlainText()
    opened.commands.run("verdict.sound")
    opened.commands.run("trial.previous")

    assert elsewhere == ""
    assert panel.note.toPlainText() == "the edge is cut"


def test_opening_begins_beside_what_was_opened_last(
    opened: MainWindow, built: Built, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[str] = []

    def ask(_parent: object, _title: str, near: str, *_more: object) -> str:
        begun.append(near)
        return ""

    monkeypatch.setattr(QFileDialog, "getExistingDirectory", ask)

    opened.commands.run("file.open_dataset")
    opened.desk.recent.clear()
    opened.commands.run("file.open_dataset")

    assert begun == [str(built.root.parent), ""]


def test_a_session_whose_dataset_moved_asks_where_it_is_now(
    window: MainWindow, built: Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.desk.open(OpenRequest(built.root, (built.submission,)))
    put_row(window.desk.workbench, 1)
    window.desk.save_session(tmp_path / "mine.fvsession")
    window.desk.close_dataset()
    moved = built.root.rename(tmp_path / "moved")
    window.desk.open_session(tmp_path / "mine.fvsession")
    assert window.notice._button.text() == "Locate it…"

    answer(monkeypatch, "getExistingDirectory", str(moved))
    window.notice._button.click()

    state = window.desk.workbench.state
    assert (state.trial_id, len(state.submissions)) == ("p2", 1)


def test_several_lone_submissions_are_opened_with_the_dataset_chosen(
    window: MainWindow, built: Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    second = built.copied_submission(tmp_path / "second")
    window.desk.open_paths([built.submission, second])

    answer(monkeypatch, "getExistingDirectory", str(built.root))
    window.notice._button.click()

    assert len(window.desk.workbench.state.submissions) == 2
