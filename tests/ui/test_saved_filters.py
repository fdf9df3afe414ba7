"""A filter is kept under a name, and its own words are the first proposal."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QInputDialog

from forensicviewer.ui.window import MainWindow
from tests.build import Built, two_answered_trials

pytestmark = pytest.mark.ui


@pytest.fixture
def built(tmp_path: Path) -> Built:
    return two_answered_trials(tmp_path)


def test_a_filter_is_proposed_under_its_own_words(
    opened: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened.desk.trials.set_text("MCC < 0.5")

    def accept(*_question: object, text: str) -> tuple[str, bool]:
        return text, True

    monkeypatch.setattr(QInputDialog, "getText", accept)
    opened.docks.browser.save_filter()

    assert opened.desk.settings.filters["MCC < 0.5"]["text"] == "MCC < 0.5"
