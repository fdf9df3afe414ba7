"""The page of pictures: every command of its scope is answered, and what it exports."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from forensicviewer.app.commands.table import COMMANDS
from forensicviewer.app.runtime.jobs import InlineExecutor, Jobs
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.scope import Scope
from forensicviewer.app.workbench.state import (
    FOUR_PANES,
    CompareMode,
    Layer,
    OverlayStyle,
    Pane,
    Snap,
    SystemStyle,
    Viewpoint,
    usual_panes,
)
from forensicviewer.core.model import Side
from forensicviewer.core.palette import NO_SCORE, Outcome
from forensicviewer.ui.panes.export import DARK_SHEET, LIGHT_SHEET, caption_of, picture_of, svg_of
from forensicviewer.ui.panes.grid import PaneFrame
from forensicviewer.ui.panes.page import StillsPage
from tests.bench_build import SPLICE_PANES, put_row
from tests.build import Built, a_dataset, blurred, box, exact, two_answered_trials, write_png
from tests.ui.conftest import open_trial

pytestmark = pytest.mark.ui
TWO = {"PasteSplice": box(4, 4, 34, 34), "Heal": box(44, 10, 60, 40)}
Show = Callable[..., QWidget]


@pytest.fixture
def built(tmp_path: Path) -> Built:
    made = a_dataset(tmp_path).with_trial("p1", manipulated=TWO)
    return made.with_answer("p1", blurred(6)).write()


@pytest.fixture
def page(bench: Workbench, built: Built, show: Show) -> StillsPage:
    open_trial(bench, built)
    made = show(StillsPage(bench), 900, 700)
    assert isinstance(made, StillsPage)
    return made


def run(page: StillsPage, command: str) -> None:
    page.handlers()[command].run()


def is_on(page: StillsPage, command: str) -> bool:
    check = page.handlers()[command].is_checked
    assert check is not None
    return check()


def test_every_command_of_the_scope_is_answered(page: StillsPage) -> None:
    wanted = {command.id for command in COMMANDS if command.scope is Scope.STILLS}
    between_trials = {command.id for command in COMMANDS if command.menu == "Trial"}

    # Going from one trial to another is the window's affair, whatever page shows them.
    assert wanted - between_trials <= set(page.handlers())


def test_switches_turn_and_turn_back(page: StillsPage) -> None:
    names = [
        "view.overlays",
        "view.hatching",
        "view.minimap",
        "view.crosshair",
        "view.pixel_grid",
        "view.contour",
        "view.no_score",
        "view.link",
        "view.maximise_pane",
    ]
    for name in names:
        before = is_on(page, name)
        run(page, name)
        assert is_on(page, name) is not before
        run(page, name)
        assert is_on(page, name) is before


def test_zoom_commands(page: StillsPage) -> None:
    canvas = page.panes.active_canvas

    run(page, "view.actual_size")
    assert canvas.window_shown().scale == 1
    run(page, "view.zoom_in")
    assert canvas.window_shown().scale == 1.5
    run(page, "view.zoom_out")
    run(page, "view.fit")

    assert page.workbench.state.viewpoints == {}


def test_pane_commands(page: StillsPage) -> None:
    run(page, "view.solo_3")
    assert page.workbench.state.arrangement.maximised == 2
    run(page, "view.solo_3")
    run(page, "view.add_pane")
    assert len(page.panes.canvases) == 5
    run(page, "view.columns_1")
    assert is_on(page, "view.columns_1")
    run(page, "view.remove_pane")
    run(page, "view.reset_panes")

    assert len(page.panes.canvases) == 4


def test_threshold_commands(page: StillsPage) -> None:
    bench = page.workbench
    bench.set_threshold(100)

    for name in ("up", "up_10", "down", "down_10", "up"):
        run(page, f"threshold.{name}")
    assert bench.state.thresholds.main == 99
    run(page, "threshold.optimum")
    assert bench.state.thresholds.snap is Snap.OPTIMUM
    assert is_on(page, "threshold.optimum")
    run(page, "threshold.cycle")

    assert bench.state.thresholds.snap is Snap.OPTIMUM


def test_compare_commands(page: StillsPage) -> None:
    bench = page.workbench

    for name in ("blink", "swipe", "lens", "fade"):
        run(page, f"compare.{name}")
        assert is_on(page, f"compare.{name}")
    run(page, "compare.more")
    run(page, "compare.less")
    run(page, "compare.less")
    assert bench.state.compare.amount == pytest.approx(0.45)
    run(page, "compare.off")

    assert bench.state.compare.mode is CompareMode.OFF


def test_look_commands(page: StillsPage) -> None:
    bench = page.workbench

    run(page, "view.opacity_up")
    assert bench.state.look.opacity == 0.8
    run(page, "view.opacity_down")
    run(page, "view.system_style")
    assert bench.state.look.system is SystemStyle.HEAT
    run(page, "view.no_score")
    assert bench.state.look.hidden == frozenset(NO_SCORE)
    run(page, "view.contour")

    assert bench.state.look.overlay is OverlayStyle.CONTOUR


def test_the_donor_command_needs_a_donor(
    page: StillsPage, bench: Workbench, tmp_path: Path
) -> None:
    run(page, "trial.donor")
    assert not is_on(page, "trial.donor")
    made = a_dataset(tmp_path / "s").with_trial("p1", donor="d1", manipulated=box(10, 10, 40, 40))
    open_trial(bench, made.with_answer("p1+d1", exact()).write())

    run(page, "trial.donor")

    assert bench.state.side is Side.DONOR
    assert is_on(page, "trial.donor")


def test_a_splice_shows_probe_and_donor_and_the_numbers_of_the_active_pane(
    page: StillsPage, bench: Workbench, tmp_path: Path
) -> None:
    built = a_dataset(tmp_path / "m").with_trial("p1", manipulated=box(10, 10, 40, 40)).write()
    open_trial(bench, spliced(tmp_path))
    spliced_panes = bench.state.arrangement.panes
    sides = []
    for position in (5, 0):
        QTest.mouseClick(page.panes.canvases[position], Qt.MouseButton.LeftButton)
        sides.append(bench.state.side)
    assert sides == [Side.DONOR, Side.PROBE]
    open_trial(bench, built)

    assert (spliced_panes, bench.state.arrangement.panes) == (SPLICE_PANES, FOUR_PANES)


def test_a_donors_panes_go_with_the_splice(bench: Workbench, tmp_path: Path) -> None:
    built = a_dataset(tmp_path / "m").with_trial("p1", manipulated=box(10, 10, 40, 40)).write()
    open_trial(bench, spliced(tmp_path))
    bench.set_panes([Pane(Layer.PICTURE), Pane(Layer.PICTURE, Side.DONOR)])
    open_trial(bench, built)

    assert bench.state.arrangement.panes == (Pane(Layer.PICTURE),)


def test_layouts_without_a_comparison_show_the_donors_reference(
    bench: Workbench, tmp_path: Path
) -> None:
    open_trial(bench, spliced(tmp_path))
    panes = (Pane(Layer.PICTURE), Pane(Layer.REFERENCE))

    shown = usual_panes(panes, bench.state.task)

    assert shown[2:] == tuple(Pane(pane.layer, Side.DONOR) for pane in panes)
    assert usual_panes(shown, None) == panes


def test_the_donor_command_turns_panes_that_show_the_probe_alone(
    page: StillsPage, bench: Workbench, tmp_path: Path
) -> None:
    open_trial(bench, spliced(tmp_path))
    bench.set_panes([Pane(Layer.PICTURE), Pane(Layer.SYSTEM)])

    run(page, "trial.donor")

    assert {pane.side for pane in bench.state.arrangement.panes} == {Side.DONOR}
    run(page, "trial.donor")
    assert {pane.side for pane in bench.state.arrangement.panes} == {Side.PROBE}


def test_layers_of_the_donor_are_compared_in_a_pane_of_the_donor(
    page: StillsPage, bench: Workbench, tmp_path: Path
) -> None:
    open_trial(bench, spliced(tmp_path))
    run(page, "compare.fade")
    bench.activate_pane(5)

    bar = page.compare_bar
    assert bar.first.currentText() == "Reference · donor"
    bar.second.activated.emit(bar.second.findText("Probe"))

    compare = bench.state.compare
    assert compare.first == Pane(Layer.REFERENCE, Side.DONOR)
    assert compare.second == Pane(Layer.PICTURE)
    run(page, "compare.off")


def spliced(folder: Path) -> Built:
    made = a_dataset(folder / "s").with_trial("p1", donor="d1", manipulated=box(10, 10, 40, 40))
    return made.with_answer("p1+d1", exact()).write()


def colors(image: QImage) -> set[tuple[int, int, int]]:
    step = 3
    found = set()
    for y in range(0, image.height(), step):
        for x in range(0, image.width(), step):
            color = QColor(image.pixel(x, y))
            found.add((color.red(), color.green(), color.blue()))
    return found


def test_an_exported_picture_has_panes_caption_and_legend(page: StillsPage) -> None:
    image = page.picture(QSize(1000, 700))

    assert image.size() == QSize(1000, 700)
    assert "threshold" in image.text("Description")
    assert "MCC" in image.text("Description")
    found = colors(image)
    assert (0, 207, 0) in found
    assert (0, 247, 250) in found


def test_an_svg_keeps_the_legend_as_text(page: StillsPage) -> None:
    svg = (page.content(".svg") or b"").decode()

    assert svg.startswith("<?xml")
    assert "TP hit" in svg
    assert "PasteSplice" in svg


def test_an_exported_sheet_tells_of_turned_and_smaller_layers(
    bench: Workbench, built: Built
) -> None:
    turned = Image.Exif()
    turned[0x0112] = 3
    Image.new("RGB", (64, 48)).save(built.root / "probe" / "p1.png", "JPEG", exif=turned)
    write_png(built.submission / "mask" / "p1.png", np.zeros((20, 30), np.uint8))
    open_trial(bench, built)

    sheet = svg_of(bench.state, QSize(1400, 900)).decode()

    assert "Probe · EXIF 3, upright" in sheet
    assert "System · 30×20 of 64×48; the rest is not covered" in sheet  # noqa: RUF001 - as it is said


def test_a_trial_renders_in_every_size_and_colour(page: StillsPage) -> None:
    bench = page.workbench

    image = picture_of(bench.state, QSize(100, 100), sheet=DARK_SHEET)

    assert image.size() == QSize(240, 240)
    assert QColor(image.pixel(2, 2)).name() == "#15181d"


def test_an_exported_legend_says_what_is_hidden(page: StillsPage) -> None:
    bench = page.workbench
    bench.toggle_outcome(Outcome.HIT)

    told = svg_of(bench.state, QSize(1600, 900)).decode()

    assert told.count("(not shown)") == 1
    bench.set_look("overlays", has_overlays=False)
    assert svg_of(bench.state, QSize(1600, 900)).decode().count("(not shown)") > 3


def test_an_exported_view_shows_as_much_as_the_screen(page: StillsPage) -> None:
    bench = page.workbench
    bench.set_look("bare", has_minimap=False, has_pixel_grid=False)
    bench.set_viewpoint(0, Viewpoint(31.3, 23.9, 12.7))
    canvas = page.panes.canvases[1]
    seen = canvas.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)

    sheet = page.picture()

    assert page.panes.columns_shown == 2
    inside = QRect(
        4, 4, seen.width() - 8, seen.height() - 8
    )  # without the frame of the active pane
    left = seen.width() + 20
    places = (inside.translated(left, top) for top in range(sheet.height() - seen.height()))
    assert any(sheet.copy(place) == seen.copy(inside) for place in places)


def test_a_pane_alone_takes_the_whole_sheet(page: StillsPage) -> None:
    bench = page.workbench
    bench.set_panes([Pane(Layer.SYSTEM), Pane(Layer.REFERENCE)], columns=2)
    bench.maximise_pane(1)
    bench.set_look("bare", has_pixel_grid=False)

    image = picture_of(bench.state, QSize(1000, 600), sheet=LIGHT_SHEET)

    assert "#00f7fa" in {image.pixelColor(x, 300).name() for x in range(520, 980)}


def test_a_maximised_pane_is_exported_alone(page: StillsPage) -> None:
    bench = page.workbench
    bench.set_panes([Pane(Layer.PICTURE), Pane(Layer.COMPARISON)])
    bench.maximise_pane(0)

    assert b"Comparison" not in svg_of(bench.state, QSize(600, 500))


def test_the_caption_says_what_was_selected(page: StillsPage) -> None:
    bench = page.workbench
    bench.set_selected_operations([0])

    assert "1 of 2 operations" in caption_of(bench.state)
    assert "kernels box 15/11/15" in caption_of(bench.state)


def test_a_long_caption_loses_nothing(page: StillsPage) -> None:
    state = page.workbench.state

    told = svg_of(state, QSize(300, 400)).decode()

    for part in ("threshold ", "MCC ", "NMM ", "kernels box 15/11/15"):
        assert part in told


def test_each_side_of_a_splice_tells_its_own_score(bench: Workbench, tmp_path: Path) -> None:
    open_trial(bench, spliced(tmp_path))

    told = svg_of(bench.state, QSize(1200, 800)).decode()

    assert "probe side" in told
    assert "Comparison · donor · threshold" in told


def test_what_stands_beside_a_title_fits_what_the_title_leaves(
    bench: Workbench, page: StillsPage
) -> None:
    page.resize(420, 500)
    frame = page.findChild(PaneFrame)
    assert isinstance(frame, PaneFrame)
    column = frame.layout()
    assert column is not None

    for layer in (Layer.PICTURE, Layer.COMPARISON, Layer.SYSTEM, Layer.REFERENCE):
        bench.set_pane(0, Pane(layer))
        column.activate()

        assert frame.facts.text()
        room = frame.facts.contentsRect().width()
        assert frame.facts.fontMetrics().horizontalAdvance(frame.facts.text()) <= room


class Post:
    """Delivers what jobs found at once, or when it is told to."""

    def __init__(self) -> None:
        self.is_held = False
        self._held: list[Callable[[], None]] = []

    def __call__(self, thunk: Callable[[], None]) -> None:
        if self.is_held:
            self._held.append(thunk)
        else:
            thunk()

    def deliver(self) -> None:
        self.is_held = False
        while self._held:
            self._held.pop(0)()


def test_a_trial_that_takes_long_takes_the_one_before_away(
    tmp_path: Path, show: Show, qtbot: QtBot
) -> None:
    post = Post()
    bench = Workbench(Jobs(InlineExecutor(), post, _raise))
    open_trial(bench, two_answered_trials(tmp_path / "two"))
    page = show(StillsPage(bench))
    assert isinstance(page, StillsPage)
    canvas = page.panes.canvases[1]
    before = canvas.grab().toImage()
    post.is_held = True

    put_row(bench, 1)

    qtbot.waitUntil(lambda: bench.state.loaded is None)
    waiting = canvas.grab().toImage()
    assert waiting != before
    post.deliver()
    assert bench.state.is_current
    assert canvas.grab().toImage() != waiting


def _raise(error: BaseException) -> None:
    raise error
