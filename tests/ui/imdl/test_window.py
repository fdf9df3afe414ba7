"""A researcher looks at two models in the window: the worst image, an inverted one, definitions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from forensicviewer.app.language.words import NO_NUMBER
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.session.recent import PlaceKind
from forensicviewer.app.session.recognise import sort_out
from forensicviewer.app.session.session_file import write_session
from forensicviewer.app.trials.column import NumberColumn
from forensicviewer.app.trials.definitions import run_table
from forensicviewer.app.trials.trial_filter import Sort
from forensicviewer.app.workbench.state import Snap
from forensicviewer.core.mask import Region
from forensicviewer.core.model import Side
from forensicviewer.sources.imdl.masks import read_map
from forensicviewer.sources.imdl.pair import base
from forensicviewer.ui.imdl.panel import DefinitionsPanel
from forensicviewer.ui.score.threshold import ThresholdPanel
from forensicviewer.ui.shell.docks import DetectionStack
from forensicviewer.ui.shell.window import MainWindow
from tests.desk_work import CTRL, press, start_program, trial, write
from tests.sources.imdl import build

pytestmark = pytest.mark.ui
# One has no mask, the other one of another size.
UNSCORED = {"Sp_D_NRN_A_cha0011_sec0011_0542.jpg", "Sp_D_NRN_A_sec0069_ani0081_0400.jpg"}
WORST = "Sp_D_CNN_A_art0024_ani0032_0268"


def _predictions(folder: Path, data: Path, *, inverted: bool) -> Path:
    for number, image in enumerate(sorted(data.rglob("*.jpg"))):
        random = np.random.default_rng(number)
        box = (24, 30, 44, 54) if image.stem == WORST else (9, 11, 29, 35)
        centre = np.where(build.area(box=box) & (image.parent.name != "Au"), 0.8, 0.2)
        values = np.clip(random.normal(centre, 0.1), 0, 1)
        levels = np.floor((1 - values if inverted else values) * 255 + 0.5).astype(np.uint8)
        build.write(folder / "pred" / f"{image.stem}.png", levels)
    return folder


@pytest.fixture
def window(tmp_path: Path, qtbot: QtBot) -> MainWindow:
    data = build.casia1(tmp_path / "CASIA v1")
    models = [
        _predictions(tmp_path / "mvss", data, inverted=False),
        _predictions(tmp_path / "other", data, inverted=True),
    ]
    opened = start_program(qtbot)
    opened.desk.open(OpenRequest(data, tuple(models)))
    return opened


def _definitions(window: MainWindow) -> DefinitionsPanel:
    stack = window.docks.panel("detection")
    assert isinstance(stack, DetectionStack)
    assert stack.currentWidget() is stack.definitions
    return stack.definitions


def _cell(panel: DefinitionsPanel, title: str, column: int) -> str:
    rows = range(panel.table.rowCount())
    items = [(panel.table.item(row, 0), panel.table.item(row, column)) for row in rows]
    return next(
        cell.text() for name, cell in items if name and cell and name.text().startswith(title)
    )


def test_the_worst_image_is_found_by_the_metrics_of_the_field(window: MainWindow) -> None:
    press(Qt.Key.Key_F, CTRL)
    write("IsTarget == 'Y' and F1 < 0.3")
    press(Qt.Key.Key_Return)

    trials = window.desk.trials
    assert [trials.id_at(place) for place in range(len(trials))] == [f"{WORST}.jpg"]
    press(Qt.Key.Key_W)
    assert trial(window) == f"{WORST}.jpg"


def test_evaluators_that_are_not_shown_are_filtered_sorted_and_shown_when_asked_for(
    window: MainWindow,
) -> None:
    browser, trials = window.docks.browser, window.desk.trials
    assert "AUC_benco_permute" not in browser.columns.shown

    press(Qt.Key.Key_F, CTRL)
    write("F1_permute > 0 and IoU_inverse < 0.5")
    press(Qt.Key.Key_Return)
    trials.set_sort(Sort("F1_permute"))
    browser.columns.toggle("F1_permute", shown=True)

    library = trials.library
    assert library is not None
    column = library.column("F1_permute")
    assert isinstance(column, NumberColumn)
    shown = [float(column.numbers[row]) for row in trials.rows]
    assert shown
    assert shown == sorted(shown)
    assert "F1_permute" in browser.columns.shown


def test_no_reason_is_given_where_there_is_a_reference(window: MainWindow) -> None:
    window.desk.trials.select_place(0)
    loaded = window.desk.workbench.state.loaded

    assert loaded is not None
    assert loaded.on(Side.PROBE).reference is not None
    assert loaded.on(Side.PROBE).reference_reason == ""


def test_the_list_begins_with_the_score_of_the_image_instead_of_a_confidence(
    window: MainWindow,
) -> None:
    shown = window.docks.browser.columns.shown

    assert shown[:4] == ("Trial", "Target", "F1", "ImageScore")
    assert "Confidence" not in shown
    assert "Confidence" in window.docks.browser.columns.names


def test_an_authentic_image_without_a_map_is_unscored_for_that_reason(
    tmp_path: Path, qtbot: QtBot
) -> None:
    data = build.casia1(tmp_path / "CASIA v1")
    maps = _predictions(tmp_path / "mvss", data, inverted=False)
    gone = next((data / "Au").iterdir())
    (maps / "pred" / f"{gone.stem}.png").unlink()
    opened = start_program(qtbot)
    opened.desk.open(OpenRequest(data, (maps,)))

    library = opened.desk.trials.library
    assert library is not None
    row = library.task.trials.ids().index(gone.name)
    assert library.why_unscored("F1", row) == "the submission does not answer this trial"


def test_the_threshold_begins_at_one_half(window: MainWindow) -> None:
    panel = window.docks.panel("score")
    assert isinstance(panel, ThresholdPanel)

    assert window.desk.workbench.state.thresholds.main == 128
    assert panel.main.snaps[Snap.ACTUAL].text() == "0.5"
    assert panel.main.snaps[Snap.ACTUAL].isChecked()


def test_one_image_reads_differently_under_each_definition(window: MainWindow) -> None:
    panel = _definitions(window)
    window.desk.trials.select_place(0)

    binary, micro, permute = (
        float(_cell(panel, title, 2)) for title in ("Pixel F1", "F1, micro", "F1, better polarity")
    )
    assert binary <= permute <= micro
    panel.number.setText(f"{micro:.4f}")
    assert "F1, micro" in panel.said.text()
    panel.number.setText("0.99999")
    assert "No definition gives 0.99999" in panel.said.text()
    assert panel.derived.currentText() == "Image scores: the highest score of each map"


def test_the_definitions_follow_the_threshold(window: MainWindow) -> None:
    panel = _definitions(window)
    before = _cell(panel, "Pixel F1", 1)
    assert before == _cell(panel, "Pixel F1", 2)  # 8 bits say the same at 0.5

    window.desk.workbench.set_threshold(230)

    assert _cell(panel, "Pixel F1", 1) != before
    assert _cell(panel, "Pixel F1", 2) == before


def test_authentic_images_can_be_left_out_of_the_means(window: MainWindow) -> None:
    panel = _definitions(window)
    everything = float(_cell(panel, "Pixel F1", 3))

    panel.only.setChecked(True)

    # Three manipulated images are scored, and two authentic ones that count 0.
    assert float(_cell(panel, "Pixel F1", 3)) == pytest.approx(everything * 5 / 3, abs=2e-4)


def test_an_inverted_model_is_noticed_and_turned(window: MainWindow) -> None:
    bench = window.desk.workbench
    bench.choose_systems(1)
    told = [problem for problem in bench.state.problems if "look inverted" in problem.message]
    assert len(told) == 1
    panel = _definitions(window)
    before = float(_cell(panel, "Pixel AUC", 3))
    assert before < 0.4
    assert "look inverted: 2 of 3 maps" in panel.said.text()

    box = QPoint(8, panel.inverted.height() // 2)
    QTest.mouseClick(panel.inverted, Qt.MouseButton.LeftButton, pos=box)

    assert float(_cell(panel, "Pixel AUC", 3)) == pytest.approx(1 - before, abs=2e-4)
    assert "inverted" not in panel.said.text()


def test_a_cropped_prediction_leaves_an_unscored_margin(tmp_path: Path, qtbot: QtBot) -> None:
    root = build.mani(tmp_path / "set", 1)
    build.write(tmp_path / "run" / "0.png", np.full((48, 50), 200, np.uint8))
    opened = start_program(qtbot)
    opened.desk.open(OpenRequest(root, (tmp_path / "run",)))

    loaded = opened.desk.workbench.state.loaded
    assert loaded is not None
    system = loaded.system(Side.PROBE, 0)
    assert system is not None
    assert system.regions is not None
    assert (system.regions.codes[:, 50:] == Region.OPT_OUT).all()
    assert system.sweep is not None
    assert system.sweep.scored == 48 * 50
    assert "aligned at the upper left" in system.why


def test_a_dataset_and_predictions_dropped_together_are_told_apart(tmp_path: Path) -> None:
    data = build.casia1(tmp_path / "CASIA v1")
    maps = _predictions(tmp_path / "mvss", data, inverted=False)
    listed = build.json_list(tmp_path / "CASIA2.0")

    meant = sort_out([maps, data])

    assert meant.request is not None
    assert (meant.request.dataset, meant.request.submissions) == (data, (maps,))
    assert [intent.kind for intent in sort_out([listed]).intents] == [PlaceKind.DATASET]


def _run_image_scores(window: MainWindow) -> dict[str, float]:
    """The image score of each trial as the list has it."""
    trials = window.desk.trials
    column = trials.library and trials.library.column("ImageScore")
    assert isinstance(column, NumberColumn)
    return {
        trials.id_at(place): float(column.numbers[row]) for place, row in enumerate(trials.rows)
    }


def test_image_scores_of_a_model_without_a_head_are_derived_as_the_user_chooses(
    window: MainWindow, tmp_path: Path
) -> None:
    panel = _definitions(window)
    images = {path.name: path.stem for path in (tmp_path / "CASIA v1").rglob("*.jpg")}
    submission = window.desk.workbench.state.submission
    assert submission is not None
    maps = {
        name: read_map(Path(submission.root) / "pred" / f"{stem}.png", is_inverted=False).values
        for name, stem in images.items()
    }
    found = {}
    for at, how in enumerate(("max", "mean", "any")):
        panel.derived.setCurrentIndex(at)
        panel.derived.activated.emit(at)
        assert panel.derived.currentText().startswith("Image scores: ")
        listed = _run_image_scores(window)
        assert {name for name, score in listed.items() if np.isnan(score)} == UNSCORED
        for name in listed.keys() - UNSCORED:
            score = listed[name]
            levels = maps[base(name)].astype(float)
            wanted = {"max": levels.max(), "mean": levels.mean(), "any": 255 * (levels > 127).any()}
            assert score == pytest.approx(wanted[how] / 255, abs=1e-9)
        found[how] = _cell(panel, "Image accuracy", 3)
    assert len(set(found.values())) > 1, found
    assert panel.derived.currentText().endswith("1 if any pixel is above 0.5")


def test_a_session_keeps_how_image_scores_are_derived(
    window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    panel = _definitions(window)
    panel.derived.activated.emit(1)
    write_session(window.desk.session(), tmp_path / "kept.fvsession")

    again = start_program(qtbot)
    again.desk.open_session(tmp_path / "kept.fvsession")

    assert _definitions(again).derived.currentText().endswith("the mean score of each map")
    again.desk.workbench.choose_systems(1 - again.desk.workbench.state.system)
    assert _definitions(again).derived.currentText().endswith("the highest score of each map")


def test_the_scorers_with_a_border_band_follow_the_threshold(window: MainWindow) -> None:
    panel = _definitions(window)
    for title in ("F1 at t of TruFor", "F1 best of TruFor"):
        assert _cell(panel, title, 1) == _cell(panel, title, 2) != NO_NUMBER
    before = _cell(panel, "F1 at t of TruFor", 1)

    window.desk.workbench.set_threshold(230)

    assert _cell(panel, "F1 at t of TruFor", 1) != before
    assert _cell(panel, "F1 best of TruFor", 1) == _cell(panel, "F1 best of TruFor", 2)


def test_the_curve_of_the_dataset_has_the_numbers_of_the_run(window: MainWindow) -> None:
    panel = _definitions(window)
    (line,) = panel.chart.series
    best, _now = panel.chart.marks
    table = run_table(
        window.desk.workbench.state, window.desk.trials.answers, manipulated_only=False
    )

    assert "at 8 bits" in line.name
    assert max(line.y) == pytest.approx(table.best_f1)
    assert best.x == pytest.approx(table.threshold)
    assert float(line.y[128]) == pytest.approx(float(_cell(panel, "Pixel F1", 3)), abs=1e-4)

    panel.only.setChecked(True)
    (manipulated,) = panel.chart.series
    assert max(manipulated.y) == pytest.approx(max(line.y) * 5 / 3)
