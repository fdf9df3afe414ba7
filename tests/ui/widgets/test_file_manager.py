"""Showing a folder where the system has a file manager, and where it has none."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, QUrl, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication, QMessageBox
from pytestqt.qtbot import QtBot

from forensicviewer.core.problem import Problem, Severity
from forensicviewer.ui.shell.problems import ProblemsPanel
from forensicviewer.ui.shell.window import MainWindow
from forensicviewer.ui.widgets.file_manager import show_folder

pytestmark = pytest.mark.ui


class Manager(QObject):
    """Stands where the system's file manager would."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: list[QUrl] = []

    @Slot(QUrl)
    def show_url(self, url: QUrl) -> None:
        self.shown.append(url)


@pytest.fixture
def manager(qapp: QApplication) -> Iterator[Manager]:
    made = Manager()
    made.setParent(qapp)
    # It takes the slot's name as text, whatever its types say.
    QDesktopServices.setUrlHandler("file", made, "show_url")  # type: ignore[arg-type]
    yield made
    QDesktopServices.unsetUrlHandler("file")
    made.deleteLater()


def boxes() -> list[QMessageBox]:
    return [w for w in QApplication.topLevelWidgets() if isinstance(w, QMessageBox)]


def test_the_file_manager_gets_the_folder(manager: Manager, tmp_path: Path) -> None:
    show_folder(tmp_path)

    assert [url.toLocalFile() for url in manager.shown] == [str(tmp_path)]
    assert boxes() == []


@pytest.mark.qt_log_ignore("QPlatformServices::openDocument", extend=True)
def test_without_a_file_manager_the_folder_is_named(qtbot: QtBot, tmp_path: Path) -> None:
    show_folder(tmp_path / "<b>odd</b>")

    (box,) = boxes()
    assert box.informativeText() == str(tmp_path / "<b>odd</b>")
    box.close()
    qtbot.waitUntil(lambda: boxes() == [])


def test_a_problem_about_no_trial_shows_the_folder_of_its_file(
    manager: Manager, window: MainWindow, tmp_path: Path
) -> None:
    (tmp_path / "notes.csv").write_text("a|b\n")
    (tmp_path / "mask").mkdir()
    wheres = (tmp_path / "notes.csv:7", tmp_path / "mask", tmp_path / "gone.csv")
    panel = window.docks.panel("problems")
    assert isinstance(panel, ProblemsPanel)
    bench = window.desk.workbench
    bench.report(Problem(Severity.NOTE, "odd", str(where)) for where in wheres)

    for row in range(len(wheres)):
        panel.tree.itemActivated.emit(panel.tree.topLevelItem(row), 0)

    shown = [url.toLocalFile() for url in manager.shown]
    assert shown == [str(tmp_path), str(tmp_path / "mask"), str(tmp_path)]


def test_a_problem_that_leads_nowhere_says_so(manager: Manager, window: MainWindow) -> None:
    window.desk.workbench.report([Problem(Severity.NOTE, "odd")])
    window.show_panel("problems")
    panel = window.docks.panel("problems")
    assert isinstance(panel, ProblemsPanel)

    panel.tree.itemActivated.emit(panel.tree.topLevelItem(0), 0)

    assert manager.shown == []
    assert panel.count.text() == "This problem does not belong to a trial or to an existing file"
