"""What a probe is compared with: images of its camera or event, and NC2016's control image."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.workbench.state import Layer, Pane
from forensicviewer.ui.panes.inspector import FactsPanel
from forensicviewer.ui.panes.page import StillsPage
from forensicviewer.ui.score.operations import OperationsPanel
from forensicviewer.ui.shell.window import MainWindow
from tests.plans.build import PlanDataset

pytestmark = pytest.mark.ui
CAMERA = "PAR_1234_primary_image"
LEFT = Qt.MouseButton.LeftButton


def a_camera(folder: Path) -> Path:
    """A probe of shade 40, and two training images of its camera of shades 90 and 160."""
    plan = PlanDataset.of(folder, "MFC2019")
    cells = {"ProbeFileID": "p1", "ProbeFileName": plan.photo("probe/p1.png", shade=40)}
    sizes = {"ProbeWidth": "120", "ProbeHeight": "90", "ProbeFileSize": "512"}
    plan.add("cameraverification-index", **cells, **sizes, TrainCamID=CAMERA)
    plan.add("cameraverification-ref", **cells, TrainCamID=CAMERA, IsTarget="Y", IsManipulated="N")
    for name, shade in (("a.png", 90), ("b.png", 160)):
        plan.photo(f"training/{name}", shade=shade)
        plan.add("traindata", TrainCamID=CAMERA, FilePath="", FileName=name)
    return plan.write()


def an_event(folder: Path) -> Path:
    plan = PlanDataset.of(folder, "MFC2019")
    for number, is_target in (("1", "Y"), ("2", "Y"), ("3", "N")):
        shown = plan.photo(f"probe/{number}.png", shade=40 * int(number))
        cells = {"ProbeFileID": number, "ProbeFileName": shown, "EventName": "marathon"}
        plan.add("eventverification-index", **cells, ProbeWidth="120", ProbeHeight="90")
        plan.add("eventverification-ref", **cells, IsTarget=is_target)
    return plan.write()


def open_only(window: MainWindow, root: Path) -> StillsPage:
    window.desk.open(OpenRequest(root))
    window.refresh()
    page = window.page
    assert isinstance(page, StillsPage)
    return page


def color_in(window: MainWindow, page: StillsPage, layer: Layer) -> QColor:
    """The colour in the middle of the pane that shows a layer."""
    panes = window.desk.workbench.state.arrangement.panes
    image = page.panes.canvases[panes.index(Pane(layer))].grab().toImage()
    return image.pixelColor(image.rect().center())


def test_training_images_of_the_camera_stand_beside_the_probe(
    window: MainWindow, tmp_path: Path
) -> None:
    page = open_only(window, a_camera(tmp_path))
    bench = window.desk.workbench

    assert bench.state.arrangement.panes[-1] == Pane(Layer.EXAMPLE)
    assert color_in(window, page, Layer.PICTURE).red() == pytest.approx(40, abs=3)
    assert color_in(window, page, Layer.EXAMPLE).red() == pytest.approx(90, abs=3)
    window.commands.run("view.next_example")
    assert color_in(window, page, Layer.EXAMPLE).red() == pytest.approx(160, abs=3)
    window.commands.run("view.next_example")
    assert color_in(window, page, Layer.EXAMPLE).red() == pytest.approx(90, abs=3)
    window.commands.run("view.previous_example")

    told = [label.toolTip() for label in page.findChildren(QLabel)]
    assert any("training/b.png, 2 of 2" in text for text in told)


def test_condition_and_source_of_the_training_images_are_said(
    window: MainWindow, tmp_path: Path
) -> None:
    open_only(window, a_camera(tmp_path))

    panel = window.docks.panel("picture")
    assert isinstance(panel, FactsPanel)
    told = {}
    for row in range(panel.table.rowCount()):
        title, value = panel.table.item(row, 0), panel.table.item(row, 1)
        assert title is not None
        assert value is not None
        told[title.text()] = value.text()
    assert told["Train-test condition"] == "image-image"
    source = "indexes/MFC2019-camera-traindata.csv"
    assert told["Compared with"] == f"{CAMERA}: 2 known examples from {source}"


def test_the_collection_of_an_event_stands_beside_the_probe(
    window: MainWindow, tmp_path: Path
) -> None:
    page = open_only(window, an_event(tmp_path))

    layers = [pane.layer for pane in window.desk.workbench.state.arrangement.panes]
    assert layers == [Layer.PICTURE, Layer.EXAMPLE]
    assert color_in(window, page, Layer.PICTURE).red() == pytest.approx(40, abs=3)
    # The probe is of the event, too, but no example of itself.
    assert color_in(window, page, Layer.EXAMPLE).red() == pytest.approx(80, abs=3)


def test_a_training_image_that_is_missing_is_said_in_its_pane(
    window: MainWindow, tmp_path: Path
) -> None:
    root = a_camera(tmp_path)
    (root / "training" / "b.png").unlink()
    page = open_only(window, root)

    window.commands.run("view.next_example")

    loaded = window.desk.workbench.state.loaded
    assert loaded is not None
    beside = loaded.probe.beside[Layer.EXAMPLE.value]
    assert beside.pixels is None
    assert "b.png" in beside.reason
    assert color_in(window, page, Layer.PICTURE).red() == pytest.approx(40, abs=3)


def test_other_tasks_have_no_pane_of_examples(window: MainWindow, tmp_path: Path) -> None:
    open_only(window, an_event(tmp_path / "event"))
    open_only(window, a_control(tmp_path / "control"))

    assert Pane(Layer.EXAMPLE) not in window.desk.workbench.state.arrangement.panes


def a_control(folder: Path) -> Path:
    plan = PlanDataset.of(folder, "NC2016")
    cells = {"TaskID": "manipulation", "ProbeFileID": "p1"}
    cells["ProbeFileName"] = plan.photo("probe/p1.png", shade=40)
    control = plan.photo("world/c1.png", shade=200)
    plan.add("manipulation-index", **cells, ProbeWidth="120", ProbeHeight="90")
    plan.add(
        "manipulation-ref",
        **cells,
        IsTarget="N",
        IsControl="N",
        CorrespondingControlFileName=control,
    )
    return plan.write()


def test_the_control_image_of_nc2016_is_a_pane(window: MainWindow, tmp_path: Path) -> None:
    page = open_only(window, a_control(tmp_path))
    panel = window.docks.panel("operations")
    assert isinstance(panel, OperationsPanel)
    window.show_panel("operations")

    QTest.mouseClick(panel.control, LEFT)

    assert color_in(window, page, Layer.CONTROL).red() == pytest.approx(200, abs=3)
    QTest.mouseClick(panel.control, LEFT)
    assert Pane(Layer.CONTROL) not in window.desk.workbench.state.arrangement.panes
