"""Words in files that want to be more than words: in the window, on the terminal, in exports."""

from __future__ import annotations

import csv
import re
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QDialog, QFileDialog, QLabel, QWidget
from pytestqt.qtbot import QtBot

from forensicviewer.app.commands.view_table import PANELS
from forensicviewer.app.judging.verdict_table import write_verdicts
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.cli import main
from forensicviewer.core.problem import Problem, Severity
from forensicviewer.core.verdict import Ruling
from forensicviewer.ui.shell.window import MainWindow
from tests.build import Built, a_dataset, blurred, box
from tests.desk_work import start_program

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such file names")
TALL_PX = 700
CONTROL = "\x1b]0;owned\x07\x1b[31m\u202edrowssap\u2066"
FORMULA = '=HYPERLINK("http://127.0.0.1")'


@pytest.fixture
def markup(tmp_path: Path) -> str:
    """Mark-up that shows an image taller than the window, if anybody renders it."""
    image = QImage(20, TALL_PX, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.red)
    assert image.save(str(tmp_path / "tall.png"))
    return f"<img src='{tmp_path / 'tall.png'}'>"


@pytest.fixture
def built(tmp_path: Path, markup: str) -> Built:
    """A dataset whose ids, columns, operations and cells are mark-up, controls and formulas."""
    builder = a_dataset(tmp_path / "data").nist("MFC2019")
    builder.with_trial(
        "p1",
        manipulated={f"Paste{markup}": box(5, 5, 30, 30), FORMULA: box(30, 30, 40, 40)},
        facts={markup: markup, "Note": CONTROL, "Sum": FORMULA},
    )
    builder.with_trial("p2", manipulated=box(5, 5, 20, 20), facts={"Sum": "+1"})
    built = builder.with_answer("p1", blurred()).with_answer("p2", blurred()).write()
    for table in (*built.root.rglob("*.csv"), *built.submission.glob("*.csv")):
        # The id of a trial; the files keep their names.
        changed = re.sub(
            r"(^|\|)p1(?=\|)", lambda m: f"{m[1]}{markup}", table.read_text(), flags=re.M
        )
        table.write_text(changed)
    hostile = built.submission.with_name("<h1>sub\u202e")
    built.submission.rename(hostile)
    return Built(built.root, hostile)


def rendered(window: QWidget) -> list[str]:
    """Labels that would take mark-up for more than text, and those that grew by it."""
    return [
        f"{type(label).__name__} {label.objectName()}: {label.text()[:80]}"
        for label in window.findChildren(QLabel)
        if ("<img" in label.text() or "<h1" in label.text())
        and (
            label.textFormat() is not Qt.TextFormat.PlainText
            or label.sizeHint().height() >= TALL_PX
        )
    ]


def show_everything(window: MainWindow, markup: str) -> None:
    desk = window.desk
    task = desk.workbench.state.task
    assert task is not None
    desk.workbench.select_trial(task.trials.ids()[0])
    desk.judging.book.say(  # type: ignore[union-attr]  # a dataset is open
        task.trials.ids()[0], Ruling.UNCLEAR, note=markup, facts={}, task=task.name
    )
    desk.judging.show()
    told = [Problem(severity, markup, markup, markup, "x") for severity in Severity]
    desk.workbench.report(told)
    for name in PANELS:
        window.show_panel(name)


def test_nothing_in_the_window_renders_words_of_files(
    qtbot: QtBot, built: Built, markup: str
) -> None:
    window = start_program(qtbot)
    window.desk.open(OpenRequest(built.root, (built.submission,)))
    window.refresh()

    show_everything(window, markup)
    window.refresh()

    shown = [label.text() for label in window.findChildren(QLabel)]
    assert any("<img" in text for text in shown), "the words are shown somewhere"
    assert rendered(window) == []
    assert window.desk.workbench.state.loaded is not None
    window.close()


ASKING = (
    *("edit.columns", "edit.settings", "file.export_case", "file.new_review", "file.report"),
    *("file.validate", "help.about", "help.palette", "trial.claim", "trial.duplicates"),
    *("trial.go_to", "trial.grid", "trial.results", "trial.review", "trial.rules", "trial.ruling"),
)


def test_no_dialog_renders_words_of_files(qtbot: QtBot, built: Built) -> None:
    window = start_program(qtbot)
    window.desk.open(OpenRequest(built.root, (built.submission,)))
    window.refresh()
    opened = set()

    for command in ASKING:
        window.commands.run(command)
        window.refresh()
        assert rendered(window) == [], command
        for dialog in window.findChildren(QDialog):
            if dialog.isVisible():
                opened.add(command)
                dialog.close()

    # The others open in a panel or in a line of the window.
    assert opened >= {"file.export_case", "file.new_review", "file.report", "file.validate"}
    assert opened >= {"trial.claim", "trial.grid", "trial.results", "trial.rules", "trial.ruling"}
    window.close()


def test_a_case_shows_words_of_files_as_they_are(
    qtbot: QtBot, built: Built, markup: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "c.fvcase"
    words = ["case", "write", str(built.root), str(built.submission), "--trial", markup]
    assert main([*words, "--out", str(path), "--who", markup, "--note", FORMULA, "--quiet"]) == 0
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_a, **_k: (str(path), ""))
    window = start_program(qtbot)

    window.commands.run("file.open_case")
    window.refresh()

    shown = [label.text() for label in window.findChildren(QLabel)]
    assert any("<img" in text for text in shown)
    assert rendered(window) == []
    window.close()


@pytest.mark.parametrize("command", ["info", "trials", "validate"])
def test_the_terminal_gets_no_control_characters(
    built: Built, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    answers = [] if command == "trials" else [str(built.submission)]

    main([command, str(built.root), *answers])

    told = capsys.readouterr()
    assert not re.search(
        r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", told.out + told.err
    )


def cells_of(path: Path, separator: str) -> list[str]:
    with path.open(newline="") as stream:
        return [cell for row in csv.reader(stream, delimiter=separator) for cell in row]


def test_verdicts_start_no_formulas_and_scores_stay_as_they_are(
    qtbot: QtBot, built: Built, tmp_path: Path
) -> None:
    window = start_program(qtbot)
    window.desk.open(OpenRequest(built.root, (built.submission,)))
    state, book = window.desk.workbench.state, window.desk.judging.book
    assert state.task is not None
    assert book is not None
    trial = state.task.trials.ids()[0]
    book.say(trial, Ruling.UNCLEAR, note=FORMULA, facts={"F": "-1"}, task=state.task.name)

    write_verdicts(book, tmp_path / "verdicts.csv")
    out = tmp_path / "out"
    main(["score", "mask", str(built.root), str(built.submission), "--out", str(out)])

    cells = cells_of(tmp_path / "verdicts.csv", ",")
    assert any(FORMULA in cell for cell in cells)
    assert [cell for cell in cells if re.match(r"[=@\t\r]|[+-](?![\d.])", cell)] == []
    # Score files are NIST's: an operation keeps the name it has.
    assert FORMULA in cells_of(out / "journalResults.csv", "|")
    window.close()
