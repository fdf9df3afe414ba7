"""What other rule sets give a trial, asked for by key and compared with the command line."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QTableWidget, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from forensicviewer.app.language.words import use_language
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.settings import RULES
from forensicviewer.app.trials.rule_comparison import COMPARED, ComparedNumber, RuleComparison
from forensicviewer.cli import main
from forensicviewer.core.array import BoolImage, U8Image
from forensicviewer.core.model import Side, TrialId
from forensicviewer.core.rules import RULE_SETS
from forensicviewer.ui.dialogs.rules import RulesDialog
from forensicviewer.ui.shell.window import MainWindow
from forensicviewer.ui.widgets.table_copy import table_of
from tests.build import Built, a_dataset, box, nothing

pytestmark = pytest.mark.ui


def torn(area: BoolImage) -> U8Image:
    """Half the region surely; all of it, with a strip of the background, less surely."""
    rows = np.arange(area.shape[0])[:, np.newaxis]
    scores = np.where(area, 100, 0)
    scores[area & (rows < 26)] = 200
    scores[:, 60:] = 100
    return scores.astype(np.uint8)


@pytest.fixture
def built(tmp_path: Path) -> Built:
    return (
        a_dataset(tmp_path)
        .nist("NC2017")
        .with_trial("p1", manipulated=box(10, 10, 40, 40))
        .with_trial("p2")
        .with_answer("p1", torn)
        .with_answer("p2", nothing())
        .write()
    )


def asked(window: MainWindow, qtbot: QtBot) -> RulesDialog:
    QTest.keyClick(
        window, Qt.Key.Key_R, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
    )
    found = [w for w in QApplication.topLevelWidgets() if isinstance(w, RulesDialog)]
    assert len(found) == 1
    qtbot.waitExposed(found[0])
    return found[0]


def column(table: QTableWidget, name: str) -> dict[str, str]:
    titles = [table.horizontalHeaderItem(i) for i in range(table.columnCount())]
    at = next(i for i, item in enumerate(titles) if item is not None and item.text() == name)
    cells = {}
    for row in range(table.rowCount()):
        number, value = table.item(row, 0), table.item(row, at)
        assert number is not None
        assert value is not None
        cells[number.text()] = value.text()
    return cells


def on_the_command_line(built: Built, rules: str, out: Path) -> dict[str, str]:
    main(
        [
            *("score", "mask", str(built.root), str(built.submission), "--out", str(out)),
            *("--rules", rules, "--quiet", "--workers", "1"),
        ]
    )
    with (out / "mask_scores_perimage.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="|"))
    return next(row for row in rows if row["ProbeFileID"] == "p1")


def test_every_column_is_what_the_command_line_writes_by_these_rules(
    opened: MainWindow, built: Built, qtbot: QtBot, tmp_path: Path
) -> None:
    dialog = asked(opened, qtbot)

    for rules in RULE_SETS:
        title = f"{rules.name} (chosen)" if rules.name == "mediscore" else rules.name
        shown = column(dialog.table, title)
        written = on_the_command_line(built, rules.name, tmp_path / rules.name)
        assert {name: float(shown[name]) for name in COMPARED} == pytest.approx(
            {name: float(written[name]) for name in COMPARED}, rel=1e-9
        )
    marks = column(dialog.table, "")
    best = {rules.name: column(dialog.table, title_of(dialog, rules.name)) for rules in RULE_SETS}
    for name in COMPARED:
        values = {found[name] for found in best.values()}
        assert (marks[name] == "≠") is (len(values) > 1)
    # The plan takes the best NMM over all thresholds, the code that of the best MCC.
    assert marks["OptimumNMM"] == "≠"
    decisive, rest = dialog.differences.toPlainText().split("NO EFFECT ON THIS TRIAL")
    assert "[mask-optimum]" in decisive
    assert "[mask-marked-operations]" in rest
    dialog.close()


def title_of(dialog: RulesDialog, name: str) -> str:
    header = dialog.table.model()
    titles = [
        str(header.headerData(i, Qt.Orientation.Horizontal))
        for i in range(dialog.table.columnCount())
    ]
    return next(title for title in titles if title.split(" ")[0] == name)


def test_a_trial_without_a_mask_to_score_is_said_to_be_one(
    opened: MainWindow, qtbot: QtBot
) -> None:
    QTest.keyClick(opened, Qt.Key.Key_N)
    assert opened.desk.workbench.state.trial_id == "p2"

    dialog = asked(opened, qtbot)

    assert dialog.table.rowCount() == 0
    dialog.close()


def test_scores_of_the_list_follow_the_rule_set(opened: MainWindow) -> None:
    before = first_nmm(opened)

    opened.desk.settings.change(RULES, "plan")

    # The plan sums grey values, where the code cuts the mask at its best threshold.
    assert first_nmm(opened) < before


def first_nmm(window: MainWindow) -> float:
    library = window.desk.trials.library
    assert library is not None
    return float(library.column("NMM").text(0))


def test_answers_that_no_rule_set_can_score_are_told(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    stills = a_dataset(tmp_path / "stills").with_trial("s1").with_answer("s1").write()
    spliced = a_dataset(tmp_path).with_trial("s1", donor="d1").write()
    window.desk.open(OpenRequest(spliced.root, (stills.submission,), "splice"))
    while window.notice.isVisible():
        QTest.mouseClick(window.notice.findChildren(QToolButton)[0], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(window.commands["trial.rules"].isEnabled)

    QTest.keyClick(
        window, Qt.Key.Key_R, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
    )

    assert window.notice.text.startswith("These answers cannot be scored: ")
    assert not [w for w in QApplication.topLevelWidgets() if isinstance(w, RulesDialog)]


def test_a_german_dialog_copies_its_numbers_in_english(qtbot: QtBot) -> None:
    numbers = (
        ComparedNumber(Side.PROBE, "OptimumMCC", (0.5, 0.5, None)),
        ComparedNumber(Side.DONOR, "OptimumMCC", (0.25, 0.5, 0.5)),
    )
    comparison = RuleComparison(TrialId("p1"), "s", numbers)
    parent = QWidget()
    qtbot.addWidget(parent)

    use_language("de")
    dialog = RulesDialog(comparison, RULE_SETS[0], parent)
    use_language("en")

    shown = [dialog.table.model().index(row, 0).data() for row in range(2)]
    assert shown == ["OptimumMCC", "Spender OptimumMCC"]
    assert dialog.table.model().index(0, 3).data() == "nicht gewertet"
    assert [line.split("\t")[:4] for line in table_of(dialog.table).splitlines()] == [
        ["Number", "mediscore", "mediscore-verbatim", "plan"],
        ["OptimumMCC", "0.5", "0.5", "not scored"],
        ["Donor OptimumMCC", "0.25", "0.5", "0.5"],
    ]
