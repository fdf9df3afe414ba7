"""An annotator has references checked, looks at each suspect and hands the result over."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from forensicviewer.app.language.words import whole
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.workbench.state import Layer, OverlayStyle, Pane
from forensicviewer.core.array import Size
from forensicviewer.core.model import TrialId
from forensicviewer.core.verdict import Ruling
from forensicviewer.ui.panes.page import StillsPage
from forensicviewer.ui.quality.panel import SuspectsPanel
from forensicviewer.ui.shell.window import MainWindow
from tests.build import a_dataset, box
from tests.desk_work import press, start_program, trial

pytestmark = pytest.mark.ui
Key = Qt.Key
SIZE = Size(240, 180)
INVERTED, MOVED, SPECKLED = "p2", "p4", "p6"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Ten probes with their bases, three of them with wrong references."""
    made = a_dataset(tmp_path / "data").nist("NC2017")
    for number in range(1, 11):
        area = box(10 + 9 * number, 30 + 4 * number, 70 + 9 * number, 80 + 4 * number)
        facts = {"BaseFileName": f"world/p{number}.png"}
        made = made.with_trial(f"p{number}", manipulated=area, size=SIZE, facts=facts)
    root = made.write().root
    masks = {path.stem: path for path in (root / "reference").rglob("*.png")}
    (root / "world").mkdir()
    for number in range(1, 11):
        mask = cv2.imread(str(masks[f"p{number}"]))
        assert mask is not None
        coarse = np.random.default_rng(number).integers(60, 140, (12, 16, 3), dtype=np.uint8)
        base = cv2.resize(coarse, (SIZE.width, SIZE.height), interpolation=cv2.INTER_CUBIC)
        probe = base.copy()
        probe[(mask != 255).any(axis=2)] += 70
        cv2.imwrite(str(root / "world" / f"p{number}.png"), base)
        (probe_path,) = (root / "probe").glob(f"p{number}.*")
        cv2.imwrite(str(probe_path), probe, [cv2.IMWRITE_JPEG_QUALITY, 98])
    _damage(masks)
    return root


def _damage(masks: dict[str, Path]) -> None:
    changes = {
        INVERTED: lambda mask: np.where((mask == 255).all(axis=2, keepdims=True), _ink(mask), 255),
        MOVED: lambda mask: np.roll(mask, 7, axis=1),
        SPECKLED: _speckled,
    }
    for name, change in changes.items():
        mask = cv2.imread(str(masks[name]))
        assert mask is not None
        cv2.imwrite(str(masks[name]), change(mask).astype(np.uint8))


def _ink(mask: np.ndarray) -> np.ndarray:
    return np.asarray(mask[(mask != 255).any(axis=2)][0])


def _speckled(mask: np.ndarray) -> np.ndarray:
    mask = mask.copy()
    mask[6:16:3, 200:230:6] = _ink(mask)
    mask[8:14, 210:214] = _ink(mask)
    return mask


def _panel(window: MainWindow) -> SuspectsPanel:
    window.show_panel("suspects")
    panel = window.docks.panel("suspects")
    assert isinstance(panel, SuspectsPanel)
    return panel


def _rows(panel: SuspectsPanel) -> list[tuple[str, ...]]:
    items = [panel.tree.topLevelItem(row) for row in range(panel.tree.topLevelItemCount())]
    return [tuple(item.text(column) for column in range(5)) for item in items if item is not None]


def test_suspects_are_checked_shown_judged_and_handed_over(
    qtbot: QtBot, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = start_program(qtbot)
    window.desk.open(OpenRequest(root))
    window.refresh()
    panel = _panel(window)
    assert panel.count.text() == "Not checked yet"

    panel.check.setFocus()
    press(Key.Key_Space)
    assert panel.count.text() == "Trials checked: 10, suspects: 3"
    assert {(row[1], row[0]) for row in _rows(panel)} == {
        (INVERTED, "The mask is inverted"),
        (MOVED, "The mask is moved, scaled, rotated, flipped or differs in thickness"),
        (SPECKLED, "The mask has specks"),
    }
    moved = next(row for row in _rows(panel) if row[1] == MOVED)
    assert "move it by -7, +0 pixels" in moved[2]

    panel.tree.setFocus()
    for _ in _rows(panel):
        press(Key.Key_Down)
    assert trial(window) == SPECKLED
    viewpoint = window.desk.workbench.state.viewpoint(0)
    assert viewpoint is not None
    assert (viewpoint.x, viewpoint.y) == pytest.approx((212, 11), abs=12)
    assert not panel.image.pixmap().isNull()

    panel.wrong.setFocus()
    press(Key.Key_Space)
    panel.tree.setFocus()
    press(Key.Key_Home)
    assert trial(window) == INVERTED
    panel.sound.setFocus()
    press(Key.Key_Space)
    book = window.desk.judging.book
    assert book is not None
    task = window.desk.workbench.state.task
    assert task is not None
    speckled, inverted = (book.own(TrialId(name), task.name) for name in (SPECKLED, INVERTED))
    assert speckled is not None
    assert speckled.ruling is Ruling.REFERENCE_WRONG
    assert speckled.note.startswith("specks: ")
    assert inverted is not None
    assert inverted.ruling is Ruling.SOUND
    verdicts = [Ruling.SOUND.label, "", Ruling.REFERENCE_WRONG.label]
    assert [row[4] for row in _rows(panel)] == verdicts

    out = tmp_path / "out"
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_a, **_k: str(out))
    panel.export.setFocus()
    press(Key.Key_Space)
    with (out / "suspects.csv").open(encoding="utf-8", newline="") as stream:
        assert [row["Trial"] for row in csv.DictReader(stream)] == [INVERTED, MOVED, SPECKLED]
    assert "data:image/png" in (out / "suspects.html").read_text("utf-8")
    window.close()


def test_of_very_many_suspects_the_gravest_are_listed(qtbot: QtBot, root: Path) -> None:
    window = start_program(qtbot)
    window.desk.open(OpenRequest(root))
    window.refresh()
    panel = _panel(window)
    panel.begin()
    assert panel.findings is not None
    first = panel.findings.suspects[0]

    panel.show_findings(replace(panel.findings, suspects=(first,) * 20_000))

    assert panel.tree.topLevelItemCount() == 500
    told = f"suspects: {whole(20_000)}. The first 500 are listed"
    assert panel.count.text().endswith(told)
    window.close()


def test_the_difference_from_the_base_is_a_layer_like_others(qtbot: QtBot, root: Path) -> None:
    window = start_program(qtbot)
    window.desk.open(OpenRequest(root))
    window.refresh()
    bench, page = window.desk.workbench, window.page
    assert isinstance(page, StillsPage)

    bench.set_panes((Pane(Layer.PICTURE), Pane(Layer.DIFFERENCE)))
    window.refresh()

    assert bench.state.loaded is not None
    pixels = bench.state.loaded.probe.image_of(Layer.DIFFERENCE.value)
    assert pixels is not None
    level = pixels.levels[0]
    assert level[55, 50, 0] == 255
    assert level[170, 230].max() < 60
    assert page.panes.canvases[1].grab().toImage().pixelColor(5, 5).isValid()
    window.close()


def test_the_contour_of_a_full_mask_runs_along_the_edge(
    qtbot: QtBot, root: Path, tmp_path: Path
) -> None:
    mask = next(path for path in (root / "reference").rglob("p1.png"))
    pixels = cv2.imread(str(mask))
    assert pixels is not None
    pixels[:] = _ink(pixels)
    cv2.imwrite(str(mask), pixels)
    window = start_program(qtbot)
    window.desk.open(OpenRequest(root))
    window.refresh()
    bench, page = window.desk.workbench, window.page
    assert isinstance(page, StillsPage)
    bench.set_panes((Pane(Layer.PICTURE),))

    def shown() -> np.ndarray:
        window.refresh()
        image = page.panes.canvases[0].grab().toImage()
        path = tmp_path / "shown.png"
        assert image.save(str(path))
        found = cv2.imread(str(path))
        assert found is not None
        return found.astype(np.int16)

    bench.set_look("marks", has_marks=False)
    bare = shown()
    bench.set_look("marks", has_marks=True, overlay=OverlayStyle.CONTOUR)
    changed = np.abs(shown() - bare).max(axis=2) > 20

    rows, columns = np.nonzero(changed)
    assert 0 < changed.mean() < 0.1
    assert np.ptp(rows) >= SIZE.height - 1
    assert np.ptp(columns) >= SIZE.width - 1
    window.close()
