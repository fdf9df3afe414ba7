"""An annotator checks reference masks for two days, by keys alone, and hands over the findings."""

import csv
import io
import zipfile
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.core.verdict import Ruling
from forensicviewer.ui.panes.page import StillsPage
from tests.build import Built, a_dataset, box
from tests.desk_work import ALT, CTRL, SHIFT, answer_dialog, press, start_program, trial, write

pytestmark = pytest.mark.ui
Key = Qt.Key


@pytest.fixture
def built(tmp_path: Path) -> Built:
    made = a_dataset(tmp_path).nist("NC2017")
    for number in range(1, 5):
        made = made.with_trial(f"p{number}", manipulated=box(8 * number, 10, 8 * number + 8, 30))
    return made.write()


def test_two_days_of_checking_masks(
    qtbot: QtBot, built: Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = start_program(qtbot)
    window.desk.open(OpenRequest(built.root))
    window.refresh()
    assert window.desk.layout == "annotate"

    press(Key.Key_1, CTRL)
    press(Key.Key_N, SHIFT)
    assert trial(window) == "p2"
    assert len(window.docks.browser.table.selectionModel().selectedRows()) == 1
    press(Key.Key_K)
    press(Key.Key_Left, ALT)
    for _ in range(3):
        press(Key.Key_Plus)
    assert isinstance(window.page, StillsPage)
    pointed = window.desk.workbench.state.cursor
    assert pointed is not None
    assert f"{pointed[0]}" in window.page.inspector.position.text()
    press(Key.Key_Return, CTRL | SHIFT)
    write("the mask is shifted")
    press(Key.Key_2, CTRL)
    press(Key.Key_N, SHIFT)
    assert trial(window) == "p3"
    press(Key.Key_Return, CTRL)
    write("begun")
    zoom = window.desk.workbench.state.viewpoint(0)
    assert zoom is not None
    window.close()

    window = start_program(qtbot)
    window.desk.restore_last()
    window.refresh()
    assert trial(window) == "p3"
    assert window.desk.workbench.state.viewpoint(0) == zoom
    assert window.docks.adjudicator.note.toPlainText() == "begun"
    press(Key.Key_5, CTRL)
    press(Key.Key_N, SHIFT)
    assert trial(window) == "p4"
    press(Key.Key_1, CTRL)
    press(Key.Key_N, SHIFT)
    assert "You have judged every" in window.notice.text

    archive = answer_dialog(monkeypatch, "getSaveFileName", tmp_path / "findings.zip")
    window.commands.run("file.export_verdicts")
    with zipfile.ZipFile(archive) as handed_over:
        table = io.StringIO(handed_over.read("findings.csv").decode())
        rows = {row["Trial"]: row for row in csv.DictReader(table)}
        assert set(handed_over.namelist()) >= {row["Image"] for row in rows.values()}
    assert {name: row["Verdict"] for name, row in rows.items()} == {
        "p1": Ruling.SOUND.label,
        "p2": Ruling.REFERENCE_WRONG.label,
        "p3": Ruling.UNCLEAR.label,
        "p4": Ruling.SOUND.label,
    }
    assert rows["p2"]["Note"].endswith("the mask is shifted")
    assert rows["p2"]["Place"] == f"{pointed[0]}, {pointed[1]}"
    assert rows["p3"]["Note"] == "begun"
    window.close()
