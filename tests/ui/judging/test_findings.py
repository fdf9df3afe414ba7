"""Verdicts handed over with pictures of what they are about."""

import csv
import io
import re
import zipfile
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QFileDialog

from forensicviewer.app.judging.verdict_log import VerdictBook
from forensicviewer.app.workbench.state import Viewpoint
from forensicviewer.core.model import TrialId
from forensicviewer.core.verdict import Ruling
from forensicviewer.ui.shell.window import MainWindow
from forensicviewer.ui.widgets.plain_text import PlainMessageBox
from tests.build import Built, two_answered_trials

pytestmark = pytest.mark.ui


@pytest.fixture
def built(tmp_path: Path) -> Built:
    return two_answered_trials(tmp_path)


@pytest.fixture
def judged(opened: MainWindow, tmp_path: Path) -> MainWindow:
    """Two judges who disagree about the first trial; one of them pinned a place."""
    judging = opened.desk.judging
    opened.desk.workbench.set_viewpoint(0, Viewpoint(25.0, 25.0, 8.0))
    judging.say(Ruling.REFERENCE_WRONG, note="<b>cut</b> at the rim", pin=(12, 34))
    grace = VerdictBook(tmp_path / "hers", judge="Grace")
    grace.say(TrialId("p1"), Ruling.SOUND, facts={}, task="manipulation")
    grace.say(TrialId("p2"), Ruling.LEAVE_OUT, facts={}, task="manipulation")
    judging.add_log(grace.log_path)
    return opened


def exported(window: MainWindow, path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_a, **_k: (str(path), ""))
    window.commands.run("file.export_verdicts")
    return path


def test_an_archive_holds_table_pictures_decisions_and_logs(
    judged: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = exported(judged, tmp_path / "verdicts.zip", monkeypatch)

    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        rows = list(csv.DictReader(io.StringIO(archive.read("findings.csv").decode())))
        decided = list(csv.DictReader(io.StringIO(archive.read("decisions.csv").decode())))
        pictures = [QImage.fromData(archive.read(row["Image"])) for row in rows]
    assert [(row["Trial"], row["Verdict"]) for row in rows if row["Judge"] == "Grace"] == [
        ("p1", "Reference is correct"),
        ("p2", "Leave out"),
    ]
    assert {(row["Trial"], row["Decision"], row["Grace"]) for row in decided} == {
        ("p1", "Contested", "Reference is correct"),
        ("p2", "Leave out", "Leave out"),
    }
    assert all(picture.width() == 1280 for picture in pictures)
    own = next(row for row in rows if row["Place"] == "12, 34")
    assert (own["Zoom"], own["Task"]) == ("800.0 %", "manipulation")
    logs = {name for name in names if name.startswith("logs/") and name.endswith(".jsonl")}
    assert len(logs) == 2
    # Who gets the archive can check the ends of the logs, too.
    anchors = {f"{name}.anchor" for name in logs}
    assert {name for name in names if name.startswith("logs/")} == logs | anchors


def test_a_page_shows_each_finding_and_takes_notes_for_text(
    judged: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = exported(judged, tmp_path / "verdicts.html", monkeypatch).read_text(encoding="utf-8")

    assert text.count("<img ") == 3
    assert "&lt;b&gt;cut&lt;/b&gt; at the rim" in text
    assert "every line continues the chain" in text
    assert not re.search(r'(src|href)="(?!data:)', text)


def test_an_export_never_replaces_a_file_of_the_dataset(
    judged: MainWindow, built: Built, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = next(built.root.rglob("*-ref.csv"))
    before = table.read_bytes()

    def insist() -> None:
        box = judged.findChild(PlainMessageBox, "among-inputs")
        assert box is not None
        next(each for each in box.buttons() if each.text() == "Write there").click()

    QTimer.singleShot(0, judged, insist)
    exported(judged, table, monkeypatch)

    assert table.read_bytes() == before
    assert judged.desk.workbench.state.problems


def test_a_double_click_on_a_verdict_looks_where_it_was_given(judged: MainWindow) -> None:
    bench, panel = judged.desk.workbench, judged.docks.adjudicator
    bench.set_viewpoint(0, None)
    own = next(
        item
        for n in range(panel.history.topLevelItemCount())
        if (item := panel.history.topLevelItem(n)) is not None and item.text(1) != "Grace"
    )

    panel.history.itemActivated.emit(own, 0)

    assert bench.state.viewpoint(0) == Viewpoint(25.0, 25.0, 8.0)
    assert bench.state.cursor == (12, 34)


def test_a_finding_whose_files_are_gone_is_told_without_a_picture(
    judged: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = VerdictBook(tmp_path / "elsewhere", judge="Lin")
    elsewhere.say(TrialId("q9"), Ruling.SOUND, facts={}, task="no such task")
    judged.desk.judging.add_log(elsewhere.log_path)

    text = exported(judged, tmp_path / "verdicts.html", monkeypatch).read_text(encoding="utf-8")
    path = exported(judged, tmp_path / "verdicts.zip", monkeypatch)

    assert text.count("<img ") == 3
    assert "q9" in text
    with zipfile.ZipFile(path) as archive:
        rows = list(csv.DictReader(io.StringIO(archive.read("findings.csv").decode())))
    assert next(row["Image"] for row in rows if row["Trial"] == "q9") == ""


def test_a_page_says_that_a_log_was_changed(
    judged: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = judged.desk.judging.book
    assert book is not None
    judged.desk.judging.say(Ruling.UNCLEAR)
    log = book.log_path
    changed = log.read_text(encoding="utf-8").replace("at the rim", "in the middle")
    log.write_text(changed, encoding="utf-8")

    judged.desk.reload()

    text = exported(judged, tmp_path / "verdicts.html", monkeypatch).read_text(encoding="utf-8")
    assert "A log was changed after it was written" in text
