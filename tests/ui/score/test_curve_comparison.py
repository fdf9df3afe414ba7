"""Several detection curves in one plot, with the numbers of the command line."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QTreeWidget
from pytestqt.qtbot import QtBot

from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.cli import main
from forensicviewer.ui.score.curve_comparison import curve_color
from forensicviewer.ui.score.detection import DetectionPanel
from forensicviewer.ui.shell.window import MainWindow
from tests.build import Built, a_dataset, blurred, box

pytestmark = pytest.mark.ui
KINDS = {"a": ["0.9", "0.3", "0.6", "0.2"], "b": ["0.4", "0.5", "0.7", "0.1"]}


@pytest.fixture
def built(tmp_path: Path) -> Built:
    """Of each kind two targets and two others."""
    made = a_dataset(tmp_path)
    for kind, confidences in KINDS.items():
        for number, confidence in enumerate(confidences):
            area = box(4, 4, 30, 30) if number < 2 else None
            made.with_trial(f"{kind}{number}", manipulated=area, facts={"Kind": kind})
            made.with_answer(f"{kind}{number}", blurred(), confidence=confidence)
    return made.write()


@pytest.fixture
def panel(opened: MainWindow, qtbot: QtBot) -> DetectionPanel:
    opened.show_panel("detection")
    found = opened.docks.panel("detection").findChild(DetectionPanel)
    assert isinstance(found, DetectionPanel)
    qtbot.waitUntil(found.isVisible)
    return found


def rows_of(table: QTreeWidget) -> list[list[str]]:
    items = [table.topLevelItem(row) for row in range(table.topLevelItemCount())]
    return [[item.text(column) for column in range(4)] for item in items if item is not None]


def write(panel: DetectionPanel, division: int, text: str) -> None:
    """Choose a division and write its query, as hands do."""
    comparison = panel.comparison
    comparison.division.setCurrentIndex(division)
    comparison.division.activated.emit(division)
    comparison.query.setText(text)
    comparison.query.editingFinished.emit()


def test_the_parts_of_a_partition_have_the_numbers_of_the_command_line(
    panel: DetectionPanel, built: Built, tmp_path: Path
) -> None:
    write(panel, 2, "Kind==['a','b']")

    out = tmp_path / "out"
    words = ["score", "detection", str(built.root), str(built.submission), "--out", str(out)]
    main([*words, "--query-partition", "Kind==['a','b']", "--quiet"])
    text = (out / "report.csv").read_text("utf-8")
    written = list(csv.DictReader(text.splitlines(), delimiter="|"))
    assert rows_of(panel.comparison.table) == [
        [f"Kind {row['Kind']}", f"{float(row['AUC']):.3f}", f"{float(row['EER']):.3f}", "4"]
        for row in written
    ]
    assert written[0]["AUC"] != written[1]["AUC"]
    image = panel.curve.grab().toImage()
    for number in range(2):
        assert has_color(image, curve_color(number).rgb())


def has_color(image: QImage, rgb: int) -> bool:
    places = ((x, y) for x in range(image.width()) for y in range(image.height()))
    return any(image.pixel(x, y) == rgb for x, y in places)


def test_a_query_has_a_curve_beside_that_of_all_trials(panel: DetectionPanel) -> None:
    write(panel, 1, "Kind=='a'")

    assert [row[0] for row in rows_of(panel.comparison.table)] == ["Kind=='a'"]
    write(panel, 0, "")
    assert not panel.comparison.table.isVisible()
    assert panel.curves == ()


def test_every_open_submission_has_a_curve(
    panel: DetectionPanel, opened: MainWindow, built: Built, tmp_path: Path
) -> None:
    assert not panel.comparison.every.isVisible()
    other = built.copied_submission(tmp_path / "other")
    table = next(other.glob("*.csv"))
    table.write_text(table.read_text("utf-8").replace("|0.9|", "|0.05|"), "utf-8")
    opened.desk.open(OpenRequest(submissions=(other,)))

    panel.comparison.every.click()

    first, second = rows_of(panel.comparison.table)
    assert first[1] != second[1]
    assert float(first[1]) > float(second[1])


def test_a_query_that_cannot_be_read_is_said_in_its_row(panel: DetectionPanel) -> None:
    write(panel, 1, "Colour=='red'")

    (row,) = rows_of(panel.comparison.table)
    assert "Colour" in row[3]
    assert row[1] == "–"  # noqa: RUF001 - a dash
    assert panel.curve.isVisible()
