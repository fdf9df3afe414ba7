"""A blind judge finds neither systems nor other judges anywhere in the window before a verdict."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QAbstractItemModel, QAbstractListModel, QModelIndex, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QComboBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QWidget,
)
from pytestqt.qtbot import QtBot

from forensicviewer.app.reports.asked import About, ReportRequest, report_of
from forensicviewer.app.reports.html import html_of
from forensicviewer.app.reports.making import ReportHeading
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.settings import JUDGE
from forensicviewer.cli import main
from forensicviewer.ui.shell.window import MainWindow
from tests.build import Built, a_dataset, blurred, box
from tests.desk_work import CTRL, press, start_program

pytestmark = pytest.mark.ui
_ROLES = (
    Qt.ItemDataRole.DisplayRole,
    Qt.ItemDataRole.ToolTipRole,
    Qt.ItemDataRole.StatusTipRole,
    Qt.ItemDataRole.AccessibleTextRole,
)


def texts_of(window: MainWindow) -> list[str]:
    """Everything the window says, seen or behind a tab: names, tips, cells, commands, titles."""
    said = [window.windowTitle()]
    for widget in window.findChildren(QWidget):
        said += [widget.toolTip(), widget.accessibleName(), widget.accessibleDescription()]
        if isinstance(widget, QLabel | QAbstractButton | QLineEdit):
            said.append(widget.text())
        elif isinstance(widget, QComboBox):
            said += [widget.itemText(place) for place in range(widget.count())]
        elif isinstance(widget, QPlainTextEdit):
            said.append(widget.toPlainText())
        elif isinstance(widget, QAbstractItemView) and widget.model() is not None:
            said += cells(widget.model(), QModelIndex())
    for action in window.findChildren(QAction):
        said += [action.text(), action.toolTip(), action.statusTip()]
    return [one for one in said if one]


def cells(model: QAbstractItemModel, parent: QModelIndex) -> list[str]:
    said = []
    # Lists keep the number of their columns private.
    columns = 1 if isinstance(model, QAbstractListModel) else model.columnCount(parent)
    for row in range(model.rowCount(parent)):
        for column in range(columns):
            index = model.index(row, column, parent)
            said += [str(index.data(role) or "") for role in _ROLES]
            if column == 0:
                said += cells(model, index)
    return said


@pytest.fixture
def built(tmp_path: Path) -> Built:
    made = a_dataset(tmp_path / "data").nist("NC2017")
    for number, name in enumerate(("p1", "p2", "p3"), start=1):
        made = made.with_trial(name, manipulated=box(8 * number, 10, 8 * number + 8, 30))
        made = made.with_answer(name, blurred())
    return made.write()


def become(window: MainWindow, name: str) -> None:
    window.desk.settings.change(JUDGE, name)
    window.refresh()
    window.docks.browser.focus_table()
    window.docks.browser.table.selectRow(0)


def test_nothing_of_systems_and_other_judges_shows_before_a_verdict(
    qtbot: QtBot, built: Built, tmp_path: Path
) -> None:
    folder = tmp_path / "review"
    words = ["review", "init", str(folder), str(built.root), "--judge", "Ada", "--judge", "Grace"]
    assert main([*words, "--second", "1", "--blind", "--honeypot", "p3=reference-wrong"]) == 0
    window = start_program(qtbot)
    window.desk.open(OpenRequest(built.root, (built.submission,), review=folder))
    window.refresh()
    become(window, "Ada")
    for name in ("adjudicator", "checklist", "metrics", "detection", "legend", "score"):
        window.show_panel(name)
    window.docks.adjudicator.note.setPlainText("secretnote")
    window.docks.browser.focus_table()
    press(Qt.Key.Key_1, CTRL)
    window.refresh()
    assert any(built.submission.stem in one for one in texts_of(window))
    window.docks.browser.table.selectRow(1)
    window.docks.adjudicator.note.setPlainText("secretdraft")
    assert any("secretdraft" in one for one in texts_of(window))

    assert "secretnote" in report_on(window)
    # What she has judged is hers to see, runs over all trials are not yet.
    assert window.desk.workbench.state.run_submissions == ()
    for command in ("trial.results", "trial.ruling", "trial.next_disagreement"):
        action = window.findChild(QAction, command)
        assert action is not None
        assert not action.isEnabled(), command
    become(window, "Grace")
    for name in ("adjudicator", "checklist", "metrics", "detection", "legend", "score"):
        window.show_panel(name)
    for row in range(3):
        window.docks.browser.table.selectRow(row)
        window.refresh()
        said = texts_of(window)
        for secret in ("secretnote", "secretdraft", built.submission.stem, "erdict on p1"):
            assert [one for one in said if secret in one] == [], (row, secret)
        marks = [one for one in said if "Reference is correct" in one and "Ada" in one]
        assert marks == []
    assert window.desk.workbench.undo_label is None
    assert "secretnote" not in report_on(window)
    window.close()


def report_on(window: MainWindow) -> str:
    """The report of all verdicts, as File > Report writes it."""
    desk = window.desk
    request = ReportRequest(
        About.REVIEW, desk.workbench.state, ReportHeading(), book=desk.judging.book
    )
    return html_of(report_of(request))
