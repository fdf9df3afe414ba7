"""Where there are no answers, the legend explains the reference instead of outcomes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import cv2
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.ui.score.legend import LegendPanel
from forensicviewer.ui.score.reference_key import KeyLine
from forensicviewer.ui.shell.window import MainWindow
from tests.bench_build import put_dataset, put_row
from tests.build import COLORS, Built, a_dataset, blurred, box

pytestmark = pytest.mark.ui
Show = Callable[..., QWidget]
WHITE = (255, 255, 255)


def annotated(folder: Path) -> Built:
    """Two regions pasted, one blurred; and a probe nobody manipulated."""
    shapes = {
        "PasteSplice": box(4, 4, 20, 20),
        "Blur": box(24, 4, 40, 20),
        "CopyMove": box(44, 4, 60, 20),
    }
    return (
        a_dataset(folder)
        .with_trial("p1", manipulated=shapes)
        .with_trial("p2")
        .with_answer("p1", blurred())
        .write()
    )


@pytest.fixture
def built(tmp_path: Path) -> Built:
    return annotated(tmp_path)


def legend_of(window: MainWindow) -> LegendPanel:
    panel = window.docks.panel("legend")
    assert isinstance(panel, LegendPanel)
    return panel


def panel_on(bench: Workbench, root: Path, show: Show) -> LegendPanel:
    put_dataset(bench, root)
    panel = show(LegendPanel(bench), 360, 480)
    assert isinstance(panel, LegendPanel)
    return panel


def test_an_annotator_sees_operations_until_there_is_something_to_compare(
    window: MainWindow, built: Built
) -> None:
    window.desk.open(OpenRequest(built.root))
    window.commands.run("layout.annotate")
    legend = legend_of(window)

    assert legend.outcomes.isHidden()
    assert legend.reference.lines.shown == (
        KeyLine("PasteSplice", (COLORS[0],)),
        KeyLine("Blur", (COLORS[1],)),
        KeyLine("CopyMove", (COLORS[2],)),
        KeyLine("Unchanged", (WHITE,)),
    )
    assert "PasteSplice, Blur" in legend.reference.lines.accessibleName()
    assert not legend.look.system_box.isVisible()

    window.desk.open_submissions([built.submission])

    assert not legend.outcomes.isHidden()
    assert legend.reference.isHidden()
    assert not legend.look.system_box.isHidden()


def test_every_colour_of_the_reference_is_drawn(bench: Workbench, built: Built, show: Show) -> None:
    lines = panel_on(bench, built.root, show).reference.lines
    drawn = lines.grab().toImage()

    found = {
        drawn.pixel(x, y) & 0xFFFFFF for x in range(drawn.width()) for y in range(drawn.height())
    }

    assert {red << 16 | green << 8 | blue for red, green, blue in COLORS[:3]} <= found


def test_what_the_journal_does_not_explain_is_named(
    bench: Workbench, built: Built, show: Show
) -> None:
    path = next(built.root.rglob("mask/p1.png"))
    mask = cv2.imread(str(path))
    assert mask is not None
    mask[40, 50] = (1, 2, 3)
    cv2.imwrite(str(path), mask)

    lines = panel_on(bench, built.root, show).reference.lines.shown

    assert lines[-2] == KeyLine(
        "Marked, but not by an operation of the journal", ((128, 128, 128),)
    )


def test_a_probe_without_a_reference_says_why(bench: Workbench, built: Built, show: Show) -> None:
    panel = panel_on(bench, built.root, show)
    put_row(bench, 1)

    assert panel.reference.lines.isHidden()
    assert panel.reference.reason.isVisible()
    assert "not manipulated" in panel.reference.reason.text().lower()


def test_the_reference_is_laid_over_the_probe_from_the_legend(
    bench: Workbench, built: Built, show: Show
) -> None:
    panel = panel_on(bench, built.root, show)

    QTest.mouseClick(panel.look.marks, Qt.MouseButton.LeftButton)

    assert bench.state.look.has_marks
    bench.undo()
    assert not panel.look.marks.isChecked()


def test_a_legend_without_room_says_how_many_it_leaves_off(
    bench: Workbench, built: Built, show: Show
) -> None:
    lines = panel_on(bench, built.root, show).reference.lines
    whole = lines.sizeHint().height()
    assert lines.minimumSizeHint().height() < whole

    lines.setFixedHeight(whole // 2)

    # Two lines are left: one operation, and that there are three more.
    drawn = lines.grab().toImage()
    named = {drawn.pixel(x, y) & 0xFFFFFF for x in range(drawn.width()) for y in range(whole // 2)}
    assert COLORS[0] == (255, 0, 0)
    assert 0xFF0000 in named
    assert 0x00F7FA not in named
