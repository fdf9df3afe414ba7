"""A filter is kept under a name, and its own words are the first proposal."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QInputDialog, QMenu, QMessageBox

from forensicviewer.ui.shell.window import MainWindow
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


def test_a_name_with_an_ampersand_is_read_as_it_was_written(opened: MainWindow) -> None:
    opened.desk.settings.save_filter("faces & hands", {"text": "p1"})

    opened.docks.browser._offer_saved()

    menu = opened.docks.browser.findChildren(QMenu)[-1]
    assert menu.actions()[0].text() == "faces && hands"
    menu.close()


def test_a_filter_gets_another_name_and_replaces_none_unasked(
    opened: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = opened.desk.settings
    settings.save_filter("faces", {"text": "p1"})
    settings.save_filter("hands", {"text": "p2"})
    names = iter(["heads", "hands"])
    monkeypatch.setattr(QInputDialog, "getText", lambda *_, **__: (next(names), True))
    monkeypatch.setattr(QMessageBox, "exec", lambda _box: QMessageBox.StandardButton.No)

    opened.docks.browser._rename_filter("faces")
    opened.docks.browser._rename_filter("heads")

    assert {name: found["text"] for name, found in settings.filters.items()} == {
        "heads": "p1",
        "hands": "p2",
    }


def test_the_proposed_name_replaces_no_other_filter_unasked(
    opened: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = {"text": "p1", "chosen": {"Target": ["Y"]}}
    opened.desk.settings.save_filter("p1", kept)
    opened.desk.trials.set_text("p1")
    monkeypatch.setattr(QInputDialog, "getText", lambda *_, text: (text, True))
    monkeypatch.setattr(QMessageBox, "exec", lambda _box: QMessageBox.StandardButton.No)

    opened.docks.browser.save_filter()

    assert opened.desk.settings.filters["p1"] == kept
