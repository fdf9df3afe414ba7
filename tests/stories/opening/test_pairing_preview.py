"""A user sees how images would find their masks, and confirms it before anything is scored."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from forensicviewer.app.runtime.jobs import inline_jobs
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.settings import Settings
from forensicviewer.app.trials.definitions import is_inverted
from forensicviewer.core.model import TrialId
from forensicviewer.ui.imdl.pairing_dialog import PairingDialog
from forensicviewer.ui.shell.window import MainWindow
from tests.desk_work import start_program
from tests.sources.imdl import build

pytestmark = pytest.mark.ui
Key = Qt.Key


def _preview(window: MainWindow, qtbot: QtBot) -> PairingDialog:
    qtbot.waitUntil(lambda: isinstance(window.pairing.dialog, PairingDialog))
    dialog = window.pairing.dialog
    assert isinstance(dialog, PairingDialog)
    return dialog


def _rules(window: MainWindow) -> set[str]:
    return {problem.rule for problem in window.desk.workbench.state.problems}


def _cells(dialog: PairingDialog) -> list[list[str]]:
    model = dialog.model
    rows, columns = range(model.rowCount()), range(model.columnCount())
    return [[model.data(model.index(row, column)) for column in columns] for row in rows]


def _masks(desk: Desk) -> dict[str, str]:
    task = desk.workbench.state.task
    assert task is not None
    return {row["ProbeFileID"]: row["ProbeMaskFileName"] for row in task.table.rows()}


def _unlike(root: Path) -> Path:
    for number in range(3):
        build.image(root / "Tp" / f"photo{number}.jpg", seed=number)
        build.mask(root / "Gt" / f"m{number + 7}.png")
    return root


def test_an_uncertain_folder_opens_the_preview_and_is_settled_by_keys(
    tmp_path: Path, qtbot: QtBot
) -> None:
    window = start_program(qtbot)
    window.desk.open_dataset(_unlike(tmp_path / "set"))
    dialog = _preview(window, qtbot)
    assert _cells(dialog)[0] == ["photo0.jpg", "no mask", "m7.png"]
    assert all(dialog.model.is_differing(row) for row in range(3))
    assert dialog.row_said.text() == "This image has no mask"

    dialog.pairing.setFocus()
    QTest.keyClick(dialog.pairing, Key.Key_Down)

    assert dialog.row_said.text().startswith("The mask marks ")
    assert not dialog.area.pixmap().isNull()
    QTest.keyClick(dialog.confirm, Key.Key_Space)
    qtbot.waitUntil(lambda: window.pairing.dialog is None)
    assert _masks(window.desk)["photo2.jpg"] == "Gt/m9.png"
    assert "imdl.pairing-uncertain" not in _rules(window)
    window.desk.workbench.select_trial(TrialId("photo1.jpg"))
    window.desk.reload()
    assert window.desk.workbench.state.trial_id == "photo1.jpg"
    assert _masks(window.desk)["photo2.jpg"] == "Gt/m9.png"


def test_what_was_confirmed_is_remembered_by_the_session(tmp_path: Path, qtbot: QtBot) -> None:
    root = _unlike(tmp_path / "set")
    pairs = tmp_path / "set" / "pairs.csv"
    pairs.write_text("Tp/photo0.jpg|Gt/m9.png\nTp/photo1.jpg|Gt/m8.png\n")
    window = start_program(qtbot)
    window.desk.open_dataset(root)
    dialog = _preview(window, qtbot)

    dialog.choose_list(pairs)

    assert _cells(dialog)[0] == ["photo0.jpg", "no mask", "m7.png", "m9.png"]
    dialog.confirm.click()
    assert _masks(window.desk)["photo0.jpg"] == "Gt/m9.png"
    window.desk.is_dirty = True
    window.desk.autosave()
    later = Desk(inline_jobs(), Settings())
    later.restore_last()
    assert _masks(later)["photo0.jpg"] == "Gt/m9.png"
    later.close()


def test_masks_that_look_inverted_are_shown_with_their_evidence(
    tmp_path: Path, qtbot: QtBot
) -> None:
    for number in range(3):
        build.image(tmp_path / "set" / "images" / f"{number}.jpg")
        build.mask(tmp_path / "set" / "masks" / f"{number}.png", white=0, black=255)
    window = start_program(qtbot)
    window.desk.open_dataset(tmp_path / "set")
    dialog = _preview(window, qtbot)
    assert dialog.polarity_said.text() == (
        "3 of 3 checked masks mark more than half of their image: they look inverted"
    )

    dialog.polarity.setFocus()
    QTest.keyClick(dialog.polarity, Key.Key_End)

    assert dialog.polarity_said.text().startswith("0 of 3 checked masks")
    dialog.confirm.click()
    task = window.desk.workbench.state.task
    assert task is not None
    assert task.table["MaskRule"].counts() == {"black": 3}


def test_a_known_layout_asks_nothing_and_the_command_shows_where_position_differs(
    tmp_path: Path, qtbot: QtBot
) -> None:
    window = start_program(qtbot)
    window.desk.open_dataset(build.casia1(tmp_path / "CASIA v1"))
    qtbot.waitUntil(window.commands["file.pairing"].isEnabled)
    assert window.pairing.dialog is None

    window.commands.run("file.pairing")

    dialog = _preview(window, qtbot)
    assert dialog.about.text().startswith("CASIA v1")
    every = dialog.model.rowCount()
    dialog.only_differing.setChecked(True)
    assert 0 < dialog.model.rowCount() < every + 1
    assert all(dialog.model.is_differing(row) for row in range(dialog.model.rowCount()))
    dialog.close()


def test_a_list_of_another_machine_reads_nothing_before_its_folder_is_added(
    tmp_path: Path, qtbot: QtBot
) -> None:
    images = build.mani(tmp_path / "data" / "IML")
    listed = tmp_path / "lists" / "list.json"
    listed.parent.mkdir()
    there = "/mnt/data0/public/IML"
    pairs = [[f"{there}/Tp/{n}.jpg", f"{there}/Gt/{n}.png"] for n in range(3)]
    listed.write_text(json.dumps(pairs))
    window = start_program(qtbot)
    window.desk.open_named(OpenRequest(listed))
    dialog = _preview(window, qtbot)
    assert (window.desk.workbench.state.dataset, dialog.model.rowCount()) == (None, 0)
    assert not dialog.confirm.isEnabled()
    assert dialog.outside.item(0).text() == f"{there}/Tp  (files: 3)"
    assert dialog.outside_said.text().endswith("not checked: 6")

    dialog.add_map(there, images)

    assert dialog.outside.count() == 0
    assert _cells(dialog)[0][:2] == ["0.jpg", "0.png"]
    dialog.confirm.click()
    assert window.desk.workbench.state.trial_id == "0.jpg"
    assert window.desk.settled_about(listed).maps == (f"{there}={images}",)


def test_a_folder_is_allowed_in_the_preview_of_a_list(tmp_path: Path, qtbot: QtBot) -> None:
    images = build.mani(tmp_path / "data" / "IML")
    listed = tmp_path / "lists" / "list.txt"
    listed.parent.mkdir()
    listed.write_text("".join(f"{images}/Tp/{n}.jpg,{images}/Gt/{n}.png\n" for n in range(3)))
    window = start_program(qtbot)
    window.desk.open_dataset(listed)
    dialog = _preview(window, qtbot)

    dialog.add_root(images)
    dialog.confirm.click()

    assert len(_masks(window.desk)) == 3


def test_inverted_predictions_are_turned_in_the_preview(tmp_path: Path, qtbot: QtBot) -> None:
    data = build.mani(tmp_path / "faces")
    for image in sorted((data / "Tp").iterdir()):
        levels = np.where(build.area(), 40, 200).astype(np.uint8)
        build.write(tmp_path / "model" / "pred" / f"{image.stem}.png", levels)
    window = start_program(qtbot)
    window.desk.open(OpenRequest(data, (tmp_path / "model",)))
    window.pairing.ask()
    dialog = _preview(window, qtbot)
    assert "look inverted: 3 of 3 maps" in dialog.predictions_said.text()

    dialog.predictions.setCurrentIndex(1)
    dialog.confirm.click()

    assert is_inverted(window.desk.workbench.state)
    window.desk.reload()
    assert is_inverted(window.desk.workbench.state)
