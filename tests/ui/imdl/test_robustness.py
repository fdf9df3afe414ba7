"""The robustness page: panels from logs and summaries, and one image at all levels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot
from sklearn.metrics import f1_score

from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.cli import main
from forensicviewer.ui.imdl.robustness_dialog import RobustnessDialog
from forensicviewer.ui.shell.window import MainWindow
from tests.desk_work import start_program
from tests.sources.imdl import build
from tests.sources.tables.test_robustness_logs import write

pytestmark = pytest.mark.ui


def _logs(run: Path, *, loss: float) -> Path:
    """All levels of IMDL-BenCo's test_robust.py."""
    (run / "None").mkdir(parents=True)
    (run / "None" / "log.txt").write_text('{"test_pixel-level F1": 0.75, "epoch": 0}\n')
    for step, (level, quality) in enumerate(zip(range(3, 24, 4), range(100, 49, -10), strict=True)):
        f1 = 0.75 - loss * (step + 1)
        write(run, f"GaussianBlur(always_apply=False, blur_limit=({level}, {level}))", level, f1)
        write(run, f"GaussNoise(var_limit=({level}, {level}), mean=0)", level, f1 + 0.01)
        attack = f"JpegCompression(quality_lower={quality - 1}, quality_upper={quality})"
        write(run, attack, quality, f1 + 0.02)
    return run


def _maps(run: Path) -> Path:
    """Maps that lose a strip of the region with every level of blur."""
    for name, lost in (("none", 0), ("blur_3", 5), ("blur_7", 10)):
        kept = build.area(box=(8, 10, 28, 34 - lost))
        build.mask(run / name / "pred" / "0.png", kept)
        build.mask(run / name / "pred" / "1.png", kept)
    return run


@pytest.fixture
def window(tmp_path: Path, qtbot: QtBot) -> MainWindow:
    window = start_program(qtbot)
    window.desk.open(OpenRequest(build.mani(tmp_path / "set", 2), (_maps(tmp_path / "Net"),)))
    return window


@pytest.fixture
def dialog(tmp_path: Path, qtbot: QtBot) -> RobustnessDialog:
    window = start_program(qtbot)
    window.desk.open(OpenRequest(build.mani(tmp_path / "set", 2)))
    dialog = RobustnessDialog(window.desk.workbench, lambda _: None, window)
    with qtbot.waitExposed(dialog):
        dialog.show()
    return dialog


def test_every_run_is_a_line_in_each_panel(dialog: RobustnessDialog, tmp_path: Path) -> None:
    dialog.add_run(_logs(tmp_path / "Strong", loss=0.02))
    dialog.add_run(_logs(tmp_path / "Weak", loss=0.1))

    for chart in dialog.charts.values():
        assert [line.name for line in chart.series] == ["Strong", "Weak"]
        assert [list(line.x) for line in chart.series] == [list(range(7))] * 2
    weak = dialog.charts["blur"].series[1]
    assert list(weak.y) == pytest.approx([0.75, 0.65, 0.55, 0.45, 0.35, 0.25, 0.15])
    # From weak to strong: JPEG begins with the highest quality.
    assert dialog.charts["JPEG"].series[1].y[1] == pytest.approx(0.67)
    assert dialog.about.text() == ""


def test_one_image_is_shown_at_all_levels_and_follows_the_list(
    dialog: RobustnessDialog, tmp_path: Path
) -> None:
    dialog.add_run(_maps(tmp_path / "Net"))

    truth = build.area().ravel()
    expected = [
        f1_score(truth, build.area(box=(8, 10, 28, 34 - lost)).ravel()) for lost in (0, 5, 10)
    ]
    assert [(view.attack, view.level) for view in dialog.views] == [
        ("none", 0),
        ("blur", 3),
        ("blur", 7),
    ]
    assert [view.f1 for view in dialog.views] == pytest.approx(expected, abs=1e-6)
    assert dialog.sheet.count() == 3
    last = dialog.sheet.item(2)
    assert last.text().splitlines() == ["blur 7", f"F1 {expected[2]:.3f}"]
    assert not last.icon().isNull()
    first = dialog.views[0].image
    task = dialog._bench.state.task
    assert task is not None
    ids = [task.trials[row].id for row in range(len(task.trials))]

    dialog._bench.select_trial(next(each for each in ids if each != first))

    assert {view.image for view in dialog.views} == {str(each) for each in ids if each != first}


def test_levels_scored_by_this_program_are_read_and_exported(
    dialog: RobustnessDialog, tmp_path: Path
) -> None:
    run, data = _maps(tmp_path / "Net"), build.mani(tmp_path / "other", 2)
    for level in ("none", "blur_3", "blur_7"):
        options = ["--out", str(run / level / "scores"), "--quiet", "--workers", "1"]
        assert main(["score", "imdl", str(data), str(run / level / "pred"), *options]) == 0

    dialog.add_run(run)
    dialog.export_to(tmp_path / "points.csv")

    lines = (tmp_path / "points.csv").read_text().splitlines()
    assert lines[0] == "Run,Attack,Level,F1"
    assert [line.rsplit(",", 1)[0] for line in lines[1:]] == [
        "Net,blur,3",
        "Net,blur,7",
        "Net,none,0",
    ]
    blur = dialog.charts["blur"].series[0]
    assert list(blur.x) == [0, 1, 2]
    assert np.all(np.diff(blur.y) < 0)
    assert float(lines[1].rsplit(",", 1)[1]) == pytest.approx(blur.y[1])


def test_a_folder_that_is_no_robustness_test_is_told(
    dialog: RobustnessDialog, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()

    dialog.add_run(tmp_path / "empty")

    assert "The folder contains no robustness test" in dialog.about.text()
    assert dialog.charts["blur"].series == ()


def test_the_menu_opens_the_page(window: MainWindow) -> None:
    window.commands.run("trial.robustness")

    assert window.findChild(RobustnessDialog) is not None
