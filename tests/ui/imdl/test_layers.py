"""Further maps of predictions: arrays of archives and folders of images, in panes and compared."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.workbench.state import CompareMode, Layer, Pane
from forensicviewer.core.array import Size
from forensicviewer.core.model import Side
from forensicviewer.core.palette import Outcome
from forensicviewer.ui.panes.drawing import offered_panes, title_of
from forensicviewer.ui.panes.layers import layer_facts
from forensicviewer.ui.score.legend import LegendPanel
from forensicviewer.ui.shell.window import MainWindow
from tests.desk_work import start_program
from tests.sources.imdl import build

pytestmark = pytest.mark.ui


def _truefor(folder: Path, *, size: tuple[int, int] = build.SIZE) -> Path:
    folder.mkdir(parents=True)
    values = np.where(build.area(size), 0.9, 0.1).astype(np.float32)
    confidence = np.full(size, 0.25, np.float32)
    noise = np.linspace(-3, 5, size[0] * size[1], dtype=np.float32).reshape(size)
    archive = {"map": values, "conf": confidence, "np++": noise, "score": np.float32(0.8)}
    np.savez(folder / "0.jpg.npz", **archive)  # type: ignore[arg-type] # names are not keywords
    return folder


def _opened(tmp_path: Path, qtbot: QtBot, *models: Path) -> MainWindow:
    window = start_program(qtbot)
    window.desk.open(OpenRequest(build.mani(tmp_path / "set", 1), models))
    return window


def _extra(name: str, system: int = 0) -> Pane:
    return Pane(Layer.EXTRA, system=system, extra=name)


def test_the_arrays_of_an_archive_are_offered_and_shown(tmp_path: Path, qtbot: QtBot) -> None:
    window = _opened(tmp_path, qtbot, _truefor(tmp_path / "trufor"))
    bench = window.desk.workbench
    offered = [pane for group in offered_panes(bench.state, tuple(Layer)) for pane in group]
    assert [pane.extra for pane in offered if pane.layer is Layer.EXTRA] == ["conf", "np++"]

    bench.set_panes((Pane(Layer.PICTURE), _extra("conf"), _extra("np++")), columns=3)

    loaded = bench.state.loaded
    assert loaded is not None
    confidence = loaded.probe.beside[_extra("conf").image_key]
    noise = loaded.probe.beside[_extra("np++").image_key]
    assert confidence.pixels is not None
    assert (confidence.pixels.levels[0] == 64).all()  # 0.25 of 255: as it is, not stretched
    assert noise.pixels is not None
    assert (noise.pixels.levels[0].min(), noise.pixels.levels[0].max()) == (0, 255)
    assert noise.note == "-3 … 5"
    assert layer_facts(bench.state, _extra("conf")).size == Size(64, 48)
    assert title_of(bench.state, _extra("conf"), with_side=False) == "conf"


def test_a_comparison_reads_the_layer_it_shows(tmp_path: Path, qtbot: QtBot) -> None:
    window = _opened(tmp_path, qtbot, _truefor(tmp_path / "trufor"))
    bench = window.desk.workbench

    for mode in (CompareMode.BLINK, CompareMode.SWIPE, CompareMode.LENS):
        bench.set_compare(mode=mode, first=Pane(Layer.REFERENCE), second=_extra("conf"))
        assert layer_facts(bench.state, _extra("conf")).size == Size(64, 48)

    assert window.grab().width() > 0


def test_folders_beside_the_maps_are_layers_too(tmp_path: Path, qtbot: QtBot) -> None:
    run = tmp_path / "run"
    build.write(run / "pred" / "0.png", np.full(build.SIZE, 200, np.uint8))
    build.image(run / "gradcam" / "0.png", seed=3)
    window = _opened(tmp_path, qtbot, run)
    bench = window.desk.workbench

    bench.set_panes((_extra("gradcam"), _extra("nothing")), columns=2)

    state = bench.state
    assert state.loaded is not None
    found = state.loaded.probe.beside[_extra("gradcam").image_key].pixels
    assert found is not None
    assert found.levels[0].shape == (48, 64, 3)  # colours of a heat map stay colours here
    assert (
        layer_facts(state, _extra("nothing")).reason
        == "This prediction does not contain the layer nothing"
    )


def test_a_cropped_layer_is_anchored_and_its_margin_named(tmp_path: Path, qtbot: QtBot) -> None:
    window = _opened(tmp_path, qtbot, _truefor(tmp_path / "run", size=(48, 50)))
    bench = window.desk.workbench
    bench.set_panes((Pane(Layer.SYSTEM), _extra("conf")), columns=2)

    state = bench.state
    # What lies beyond is hatched: neither layer is stretched, or filled with black.
    assert layer_facts(state, _extra("conf")).size == Size(50, 48)
    assert layer_facts(state, Pane(Layer.SYSTEM)).size == Size(50, 48)
    assert state.loaded is not None
    assert state.loaded.on(Side.PROBE).size == Size(64, 48)
    legend = window.docks.panel("legend")
    assert isinstance(legend, LegendPanel)
    assert "Unscored margin" in legend.lines[Outcome.OPT_OUT].button.text()


def test_a_resized_layer_is_stretched_and_says_so(tmp_path: Path, qtbot: QtBot) -> None:
    window = _opened(tmp_path, qtbot, _truefor(tmp_path / "run", size=(32, 32)))
    bench = window.desk.workbench
    bench.set_panes((_extra("conf"),), columns=1)

    assert bench.state.loaded is not None
    found = bench.state.loaded.probe.beside[_extra("conf").image_key]
    assert layer_facts(bench.state, _extra("conf")).size == Size(64, 48)
    assert "stretched from 32" in found.note
