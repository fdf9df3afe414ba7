"""Walking through the trials two submissions disagree about."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.ui.shell.window import MainWindow
from tests.build import Built, a_dataset, blurred, box

pytestmark = pytest.mark.ui
FIRST = {"p1": "0.9", "p2": "0.8", "p3": "0.1", "p4": "0.2"}
SECOND = {"p1": "10", "p2": "30", "p3": "40", "p4": ""}


def answered(folder: Path, confidences: dict[str, str]) -> Built:
    made = a_dataset(folder).nist("NC2017")
    for name in FIRST:
        made = made.with_trial(name, manipulated=box(10, 10, 30, 30))
    for name, confidence in confidences.items():
        if confidence:
            made = made.with_answer(name, blurred(), confidence=confidence)
    return made.write()


@pytest.fixture
def built(tmp_path: Path) -> Built:
    return answered(tmp_path, FIRST)


def test_d_goes_to_the_most_disputed_trial_and_on_from_there(
    window: MainWindow, built: Built, tmp_path: Path
) -> None:
    other = answered(tmp_path / "other", SECOND)
    window.desk.open(OpenRequest(built.root, (built.submission, other.submission)))
    window.refresh()
    window.activateWindow()
    seen = []

    for _ in range(4):
        QTest.keyClick(window, Qt.Key.Key_D)
        seen.append(window.desk.workbench.state.trial_id)

    # By rank of three: p1 1 and 3, p3 3 and 1, p2 2 and 2; p4 has one answer only.
    assert seen == ["p1", "p3", "p2", "p1"]


def test_with_one_submission_there_is_nothing_to_disagree(opened: MainWindow) -> None:
    assert not opened.commands.is_available("trial.next_disagreement")
