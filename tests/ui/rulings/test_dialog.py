"""What a ruling would do, in the window: the numbers of the command, and nothing is changed."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import cv2
import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.cli import main
from forensicviewer.core.array import U8Image
from forensicviewer.core.kernel import Kernels, KernelShape
from forensicviewer.ui.rulings.dialog import RulingDialog
from forensicviewer.ui.shell.window import MainWindow
from forensicviewer.ui.widgets.table_copy import COPIED
from tests.build import Built, a_dataset, box, shifted, write_png
from tests.desk_work import ALT, CTRL, answer_dialog, press, start_program, write

pytestmark = pytest.mark.ui
Key = Qt.Key


@pytest.fixture
def built(tmp_path: Path) -> Built:
    made = a_dataset(tmp_path / "data").nist("NC2017")
    for name, by_px in (("p1", 9), ("p2", 2), ("p3", 3)):
        made = made.with_trial(name, manipulated=box(10, 10, 40, 40))
        made = made.with_answer(name, shifted(by_px))
    return made.write()


@pytest.fixture
def rival(built: Built, tmp_path: Path) -> Path:
    """Better on p1, worse elsewhere."""
    folder = built.copied_submission(tmp_path / "rival")
    renamed = folder.rename(folder.with_name("Rival_" + folder.name))
    next(renamed.glob("*.csv")).rename(renamed / f"{renamed.name}.csv")
    good, bad = (next((built.submission / "mask").glob(f"{name}*")) for name in ("p2", "p1"))
    for name, source in (("p1", good), ("p2", bad), ("p3", bad)):
        next((renamed / "mask").glob(f"{name}*")).write_bytes(source.read_bytes())
    return renamed


@pytest.fixture
def window(qtbot: QtBot, built: Built, rival: Path) -> MainWindow:
    opened = start_program(qtbot)
    opened.desk.open(OpenRequest(built.root, (built.submission, rival)))
    opened.refresh()
    return opened


def opened_dialog(qtbot: QtBot) -> RulingDialog:
    press(Key.Key_U, CTRL | ALT)
    (dialog,) = [w for w in QApplication.topLevelWidgets() if isinstance(w, RulingDialog)]
    qtbot.waitUntil(dialog.out.line.hasFocus)
    return dialog


def shown(dialog: RulingDialog) -> dict[str, list[str]]:
    cells = [
        [str(item.data(COPIED)) for column in range(7) if (item := dialog.table.item(row, column))]
        for row in range(dialog.table.rowCount())
    ]
    return {row[0]: row[1:] for row in cells}


def told_by_command(dialog: RulingDialog, capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    dialog.copy()
    words = shlex.split(QGuiApplication.clipboard().text())[1:]
    capsys.readouterr()
    assert main([*words, "--json", "--quiet"]) == 0
    found = json.loads(capsys.readouterr().out)
    metric = found["metric"]
    return {
        one["name"]: (
            *(one["rank_before"], one["rank_after"], one["before"][metric], one["after"][metric]),
        )
        for one in found["submissions"]
    }


def as_told(dialog: RulingDialog) -> dict[str, object]:
    return {
        name: (int(cells[0]), int(cells[1]), cells[2], cells[3])
        for name, cells in shown(dialog).items()
    }


def test_leaving_the_trial_out_is_shown_with_ranks_and_the_same_command(
    qtbot: QtBot, window: MainWindow, built: Built, rival: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {path: path.read_bytes() for path in built.root.rglob("*") if path.is_file()}

    dialog = opened_dialog(qtbot)
    write("p1")
    press(Key.Key_Return)

    assert dialog.effect is not None
    assert set(shown(dialog)) == {built.submission.name, rival.name}
    assert shown(dialog)[built.submission.name][5] == "1"
    assert as_told(dialog) == told_by_command(dialog, capsys)
    assert "p1" in dialog.asked().left_out
    assert {path: path.read_bytes() for path in before} == before
    dialog.close()
    window.close()


def test_a_corrected_mask_and_other_settings_are_shown(
    qtbot: QtBot,
    window: MainWindow,
    built: Built,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    mask = write_png(tmp_path / "corrected.png", _colour_mask(built))
    answer_dialog(monkeypatch, "getOpenFileName", mask)
    window.desk.workbench.set_kernels(Kernels(KernelShape.DISC, 3, 5, 15))

    dialog = opened_dialog(qtbot)
    assert dialog.reference.button is not None
    dialog.reference.button.click()
    dialog.again.setChecked(True)
    dialog.go.click()

    assert dialog.effect is not None
    assert dialog.reference.path == mask
    assert as_told(dialog) == told_by_command(dialog, capsys)
    assert all(cells[5] == "3" for cells in shown(dialog).values())
    out = answer_dialog(monkeypatch, "getSaveFileName", tmp_path / "effect.csv")
    dialog.buttons["export"].click()
    assert "OptimumMCC" in out.read_text("utf-8")
    dialog.close()
    window.close()


def test_no_ruling_and_unknown_trials_are_said(qtbot: QtBot, window: MainWindow) -> None:
    dialog = opened_dialog(qtbot)
    dialog.go.click()
    assert "The ruling is empty" in dialog.about.text()
    dialog.out.line.selectAll()
    write("p77")
    press(Key.Key_Return)
    assert "p77 is not a trial of manipulation" in dialog.about.text()
    assert not dialog.buttons["export"].isEnabled()
    dialog.close()
    window.close()


def _colour_mask(built: Built) -> U8Image:
    path = next((built.root / "reference").rglob("*p1*.png"))
    pixels = cv2.imread(str(path), cv2.IMREAD_COLOR)
    assert pixels is not None
    turned = np.roll(cv2.cvtColor(pixels, cv2.COLOR_BGR2RGB), 6, axis=1)
    return np.asarray(turned, np.uint8)
