"""Several selected rows get one verdict each, and the window says so."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QItemSelectionModel

from forensicviewer.core.model import TrialId
from forensicviewer.core.verdict import Ruling
from forensicviewer.ui.shell.window import MainWindow
from tests.build import Built, two_answered_trials

pytestmark = pytest.mark.ui


@pytest.fixture
def built(tmp_path: Path) -> Built:
    return two_answered_trials(tmp_path)


def test_each_selected_trial_gets_a_verdict_with_its_own_numbers(opened: MainWindow) -> None:
    table, state = opened.docks.browser.table, opened.desk.workbench.state
    chosen = QItemSelectionModel.SelectionFlag
    table.selectionModel().select(table.model().index(1, 0), chosen.Select | chosen.Rows)

    opened.commands.run("verdict.sound")

    book = opened.desk.judging.book
    assert book is not None
    assert state.task is not None
    assert opened.notice.text == "Verdict on each of 2 trials: Reference is correct"
    said = {
        one.trial_id: one
        for one, _ in (
            *book.history(TrialId("p1"), state.task.name),
            *book.history(TrialId("p2"), state.task.name),
        )
    }
    assert set(said) == {"p1", "p2"}
    assert {one.ruling for one in said.values()} == {Ruling.SOUND}
    for trial, verdict in said.items():
        (measured, *_) = verdict.measured
        assert measured.trial == trial
        assert "MCC" in measured.metrics
        assert all(file.sha256 for file in measured.files)
