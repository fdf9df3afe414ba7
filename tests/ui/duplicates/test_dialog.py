"""Near-duplicates in the window: groups, ticks, the list of kept trials, export."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from forensicviewer.app.runtime.jobs import inline_jobs
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.settings import Settings
from forensicviewer.ui.duplicates.dialog import DuplicatesDialog
from tests.build import a_dataset, box


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    dataset = a_dataset(tmp_path / "data").nist("NC2017")
    for name in "abcd":
        dataset = dataset.with_trial(name, manipulated=box(10, 10, 40, 40))
    made = dataset.write()
    for file in (made.root / "probe").iterdir():
        coarse = np.random.default_rng(1 if file.stem in "abc" else 2).integers(0, 256, (6, 8, 3))
        cv2.imwrite(str(file), np.kron(coarse, np.ones((8, 8, 1))).astype(np.uint8))
    desk = Desk(inline_jobs(), Settings(tmp_path / "settings.json"))
    desk.open(OpenRequest(made.root))
    return desk


@pytest.fixture
def dialog(desk: Desk, qtbot: QtBot) -> DuplicatesDialog:
    dialog = DuplicatesDialog(desk.workbench, desk.trials, lambda _: None)
    qtbot.addWidget(dialog)
    with qtbot.waitExposed(dialog):
        dialog.show()
    return dialog


def test_the_groups_are_listed_with_their_images(dialog: DuplicatesDialog) -> None:
    assert dialog.groups.count() == 1
    assert dialog.groups.item(0).text() == "Group 1: 3 images"
    assert dialog.sheet.count() == 3
    assert not dialog.sheet.item(0).icon().isNull()
    # No image lies over the next one.
    hint = dialog.sheet.sizeHintForIndex(dialog.sheet.indexFromItem(dialog.sheet.item(0)))
    assert hint.boundedTo(dialog.sheet.gridSize()) == hint
    assert [dialog.sheet.item(i).checkState() for i in range(3)] == [
        Qt.CheckState.Checked,
        Qt.CheckState.Unchecked,
        Qt.CheckState.Unchecked,
    ]
    assert "4 images, 1 groups at SSIM 0.9 or more, 2 kept" in dialog.about.text()
    assert not dialog.map.pixmap().isNull()


def test_ticks_choose_what_is_kept_and_listed(dialog: DuplicatesDialog, desk: Desk) -> None:
    dialog.sheet.item(0).setCheckState(Qt.CheckState.Unchecked)
    dialog.sheet.item(2).setCheckState(Qt.CheckState.Checked)

    dialog.list_kept.click()

    assert "2 kept" in dialog.about.text()
    assert [desk.trials.id_at(n) for n in range(len(desk.trials))] == ["c", "d"]


def test_the_report_is_written_where_it_is_wanted(dialog: DuplicatesDialog, tmp_path: Path) -> None:
    dialog.export_to(tmp_path / "out")

    assert (tmp_path / "out" / "kept_trials.txt").read_text() == "a\nd\n"
    assert (tmp_path / "out" / "split.csv").exists()
