"""What the window does with files: the File menu, submissions, and where panels stood."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from forensicviewer.ui.window import MainWindow
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


def test_submissions_are_switched_compared_and_closed(opened: MainWindow, built: Built) -> None:
    opened.desk.open_submissions([built.submission])
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
