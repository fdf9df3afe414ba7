"""Validating a submission in the window: rules, findings, jumps, files and cancelling."""

from __future__ import annotations

import csv
import json
import shlex
import tarfile
from dataclasses import replace
from pathlib import Path
from threading import Event

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QTreeWidgetItem
from pytestqt.qtbot import QtBot

from forensicviewer.app.datasets.opening import open_dataset, open_submission
from forensicviewer.app.runtime.jobs import Lane
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.validation import RuleFamily
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.cli import main
from forensicviewer.core.problem import Topic
from forensicviewer.ui.shell.window import MainWindow
from forensicviewer.ui.validation.dialog import ValidationDialog
from forensicviewer.ui.widgets.plain_text import PlainMessageBox
from tests.build import Built, a_dataset, blurred, box, write_png
from tests.genai_build import GenAIBuilder, trials
from tests.hall import Hall
from tests.plans.build import PlanDataset
from tests.plans.datasets import add_images, image_answers
from tests.plans.submissions import describe

pytestmark = pytest.mark.ui


@pytest.fixture
def built(tmp_path: Path) -> Built:
    """Of three trials one has a mask of another size, and one is not answered."""
    made = a_dataset(tmp_path).with_trial("p1", manipulated=box(4, 4, 30, 30))
    made.with_trial("p2", manipulated=box(4, 4, 20, 20)).with_trial("=p3+1")
    built = made.with_answer("p1", blurred()).with_answer("p2", blurred()).write()
    write_png(built.submission / "mask" / "p2.png", np.zeros((9, 9), np.uint8))
    return built


def validated(window: MainWindow, qtbot: QtBot) -> ValidationDialog:
    """The dialog as the menu's key opens it."""
    keys = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    QTest.keyClick(window, Qt.Key.Key_V, keys)
    (dialog,) = [w for w in QApplication.topLevelWidgets() if isinstance(w, ValidationDialog)]
    qtbot.waitExposed(dialog)
    return dialog


def finding(dialog: ValidationDialog, rule: str) -> QTreeWidgetItem:
    items = [dialog.tree.topLevelItem(row) for row in range(dialog.tree.topLevelItemCount())]
    return next(item for item in items if item is not None and item.text(2) == rule)


def test_findings_say_rule_row_and_remedy_and_open_their_trial(
    opened: MainWindow, qtbot: QtBot
) -> None:
    dialog = validated(opened, qtbot)

    assert dialog.verdict.text() == "Rejected: 3 errors, 0 warnings"
    assert dialog.about.text().endswith("by the rules of nc17")
    size, missing = finding(dialog, "mask.size"), finding(dialog, "rows.missing")
    assert size.text(0) == "Mask mask/p2.png is 9\u00d79"
    assert (size.text(1), size.text(3)) == ("3", "64\u00d748, as the index declares")
    assert size.text(4) == "masks have the size of their image"
    dialog.tree.itemActivated.emit(size, 0)
    assert opened.desk.workbench.state.trial_id == "p2"
    dialog.tree.itemActivated.emit(missing, 0)
    assert opened.desk.workbench.state.trial_id == "=p3+1"
    dialog.close()


def test_errors_are_problems_until_the_next_validation(
    opened: MainWindow, built: Built, qtbot: QtBot
) -> None:
    dialog = validated(opened, qtbot)

    def told() -> list[str]:
        problems = opened.desk.workbench.state.problems
        return sorted(p.rule for p in problems if p.topic is Topic.VALIDATED)

    assert told() == ["mask.size", "rows.count", "rows.missing"]
    assert opened.status.problems.text() == "4 errors, 1 warning"  # and what opening told
    write_png(built.submission / "mask" / "p2.png", np.zeros((48, 64), np.uint8))
    QTest.mouseClick(dialog.buttons["check"], Qt.MouseButton.LeftButton)
    assert told() == ["rows.count", "rows.missing"]
    dialog.close()


@pytest.mark.parametrize("place", range(5))
@pytest.mark.parametrize("strict", [False, True])
def test_the_copied_command_finds_the_same(
    opened: MainWindow,
    qtbot: QtBot,
    place: int,
    *,
    strict: bool,
    capsys: pytest.CaptureFixture[str],
) -> None:
    dialog = validated(opened, qtbot)
    dialog.rules.setCurrentIndex(place)
    dialog.rules.activated.emit(place)
    for option, is_wanted in ((dialog.strict, strict), (dialog.names, True)):
        if option.isChecked() != is_wanted:
            option.click()

    QTest.mouseClick(dialog.buttons["command"], Qt.MouseButton.LeftButton)
    program, *words = shlex.split(QGuiApplication.clipboard().text())
    capsys.readouterr()
    main([*words, "--json"])
    found = json.loads(capsys.readouterr().out)

    assert program == "forensicviewer"
    (checked,) = dialog.checked
    assert [one.as_record() for one in checked.validation.findings] == found["findings"]
    assert dialog.verdict.text().startswith("Accepted" if found["accepted"] else "Rejected")
    dialog.close()


def test_findings_of_the_plan_cite_its_section(opened: MainWindow, qtbot: QtBot) -> None:
    dialog = validated(opened, qtbot)

    place = dialog.rules.findText("The evaluation plan of the dataset's year")
    dialog.rules.setCurrentIndex(place)
    dialog.rules.activated.emit(place)

    items = [dialog.tree.topLevelItem(row) for row in range(dialog.tree.topLevelItemCount())]
    cited = [item.text(2) for item in items if item is not None and ", plan " in item.text(2)]
    assert cited
    dialog.close()


def test_exported_findings_are_a_table_without_formulas(
    opened: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    dialog = validated(opened, qtbot)

    dialog.export(tmp_path / "findings.csv")
    QTest.mouseClick(dialog.buttons["copy"], Qt.MouseButton.LeftButton)

    text = (tmp_path / "findings.csv").read_text("utf-8")
    rows = list(csv.DictReader(text.splitlines()))
    assert [row["rule"] for row in rows] == ["rows.count", "rows.missing", "mask.size"]
    assert rows[1]["message"] == "'=p3+1 is not answered"
    copied = list(csv.DictReader(QGuiApplication.clipboard().text().splitlines(), delimiter="\t"))
    assert copied == rows
    dialog.close()


def test_a_file_that_is_not_open_can_be_checked_and_may_not_even_open(
    opened: MainWindow, built: Built, qtbot: QtBot, tmp_path: Path
) -> None:
    other = built.copied_submission(tmp_path / "other")
    table = next(other.glob("*.csv"))
    table.write_text(table.read_text("utf-8").replace("p1|", "p9|"), "utf-8")
    broken = tmp_path / "broken.zip"
    broken.write_bytes(b"PK\3\4 not an archive")
    dialog = validated(opened, qtbot)

    dialog.check_other(other)
    assert finding(dialog, "rows.unknown").text(0).startswith("p9 does not exist")
    dialog.check_other(broken)

    assert dialog.verdict.text() == "Rejected: 1 error, 0 warnings"
    assert dialog.about.text() == "broken.zip cannot be opened"
    assert finding(dialog, "submission.opens") is not None
    dialog.close()


def package_of_two(folder: Path, *systems: str) -> tuple[Path, Path]:
    """A plan-exact dataset, and a package whose name is not that of its experiments."""
    root = add_images(PlanDataset.of(folder, "NC2017")).write()
    package = folder / "Team_NC17_OTHER_1"
    for system in systems:
        name = f"Team_NC17_TEST_Manipulation_ImgOnly_{system}_1"
        answers = replace(image_answers(folder, "NC2017"), folder=package, name=name)
        for mask in image_answers(folder, "NC2017").root.glob("mask/*"):
            copy = answers.root / "mask" / mask.name
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(mask.read_bytes())
        describe(answers)
        answers.write()
    return root, package


def rules_found(dialog: ValidationDialog) -> list[str]:
    return [
        finding.rule
        for checked in dialog.checked
        for finding in checked.validation.findings
        if finding.rule.startswith("package.")
    ]


@pytest.mark.parametrize("is_packed", ["folder", "archive"])
def test_findings_about_a_whole_package_are_shown(
    is_packed: str,
    window: MainWindow,
    qtbot: QtBot,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    root, package = package_of_two(tmp_path, "p-one", "p-two")
    if is_packed == "archive":
        with tarfile.open(tmp_path / f"{package.name}.tgz", "w:gz") as tar:
            tar.add(package, arcname=package.name)
        package = tmp_path / f"{package.name}.tgz"
    window.desk.open(OpenRequest(root, (package,)))
    window.refresh()
    dialog = validated(window, qtbot)
    dialog.rules.setCurrentIndex(4)
    dialog.check()

    assert rules_found(dialog) == ["package.name", "package.primary"], "of the one shown"
    dialog.copy_command()
    words = shlex.split(QGuiApplication.clipboard().text())
    main([*words[1:], "--json"])
    told = json.loads(capsys.readouterr().out)["findings"]
    assert [each["rule"] for each in told if each["rule"].startswith("package.")] == rules_found(
        dialog
    )
    place = dialog.submission.findText(f"All of {package.name}")
    dialog.submission.setCurrentIndex(place)
    dialog.submission.activated.emit(place)

    assert len(dialog.checked) == 2
    assert rules_found(dialog) == ["package.name", "package.primary"] * 2
    assert dialog.verdict.text().startswith("Rejected: 4 errors")
    names = [checked.validation.submission for checked in dialog.checked]
    assert [line.split(",")[0] for line in dialog.about.text().splitlines()] == names
    dialog.close()


def test_a_place_where_systems_are_kept_is_not_a_package(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    root, package = package_of_two(tmp_path, "p-one", "p-two")
    kept = package.rename(tmp_path / "systems")
    window.desk.open(OpenRequest(root, (kept / "Team_NC17_TEST_Manipulation_ImgOnly_p-one_1",)))
    window.refresh()
    dialog = validated(window, qtbot)
    dialog.rules.setCurrentIndex(4)
    dialog.check()

    assert dialog.verdict.text() == "Accepted: 0 errors, 0 warnings"
    assert dialog.submission.count() == 1
    dialog.check_other(kept)
    assert rules_found(dialog) == ["package.name", "package.primary"] * 2, "asked for as one"
    dialog.close()


def test_the_revised_table_marks_wrong_masks(
    opened: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialog = validated(opened, qtbot)
    assert dialog.buttons["revised"].isVisible()
    monkeypatch.setattr(
        "forensicviewer.ui.widgets.save_dialog.QFileDialog.getSaveFileName",
        lambda *_a, **_k: (str(tmp_path / "revised.csv"), ""),
    )

    QTest.mouseClick(dialog.buttons["revised"], Qt.MouseButton.LeftButton)

    lines = (tmp_path / "revised.csv").read_text("utf-8").splitlines()
    assert [line.split("|")[0] for line in lines if "FailedValidation" in line] == ["p2"]
    dialog.close()


def test_closing_the_dataset_closes_the_dialog(opened: MainWindow, qtbot: QtBot) -> None:
    dialog = validated(opened, qtbot)

    opened.desk.close_dataset()

    assert not dialog.isVisible()


def test_a_system_output_of_genai_is_validated_by_its_plan(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    made = GenAIBuilder(tmp_path / "set", has_images=False).of(trials(3, 3))
    made.write()
    output = made.output([0.9, 0.8, 0.7, 0.1, 0.2, 0.3], name="sys_cutoff-50.csv")
    lines = output.read_text("utf-8").splitlines()
    output.write_text("\n".join(lines[:-1]) + "\n", "utf-8")
    window.desk.open(OpenRequest(made.folder, (output,)))
    window.refresh()
    for question in window.findChildren(PlainMessageBox):  # whether its images may be looked at
        question.reject()

    dialog = validated(window, qtbot)

    assert not dialog.rules.isEnabled()
    missing = finding(dialog, "rows.missing")
    dialog.tree.itemActivated.emit(missing, 0)
    assert str(window.desk.workbench.state.trial_id) in missing.text(0)
    (checked,) = dialog.checked
    assert checked.validation.family is RuleFamily.GENAI
    dialog.close()


def test_a_check_shows_its_progress_and_can_be_cancelled(qtbot: QtBot, built: Built) -> None:
    hall = Hall()
    bench = Workbench(hall.jobs)
    dataset = open_dataset(built.root)
    bench.show_dataset(dataset, dataset.tasks[0])
    bench.add_submissions([open_submission(built.submission, task=dataset.tasks[0])])
    hall.settle()
    is_free = Event()
    for lane in (Lane("one"), Lane("two")):  # both threads are busy: the check has to wait
        hall.jobs.submit(lane, is_free.wait, lambda _: None)
    dialog = ValidationDialog(bench, print)
    with qtbot.waitExposed(dialog):
        dialog.show()
    qtbot.waitUntil(dialog.progress.isVisible)
    (cancel,) = dialog.progress.findChildren(QPushButton)

    QTest.mouseClick(cancel, Qt.MouseButton.LeftButton)

    assert dialog.verdict.text() == "Cancelled"
    assert not dialog.progress.isVisible()
    is_free.set()
    hall.settle()
    assert dialog.checked == ()
    dialog.close()
    hall.jobs.close()
