"""The palette of the evaluation plans: by year, drawn, and named in the legend."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QImage

from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.core.array import BoolImage, U8Image
from forensicviewer.core.palette import Outcome, Rgb
from forensicviewer.ui.score.legend import LegendPanel
from forensicviewer.ui.shell.window import MainWindow
from tests.build import a_dataset, box

pytestmark = pytest.mark.ui


def half_right(area: BoolImage) -> U8Image:
    """The left half of the region, and as much beside it."""
    columns = np.arange(area.shape[1])
    return np.where((columns < 24) & (columns > 2), 255, 0).astype(np.uint8) * np.ones(
        (area.shape[0], 1), np.uint8
    )


def count_pixels(picture: QImage, color: Rgb) -> int:
    image = picture.convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1)
    pixels = rows[:, : 3 * image.width()].reshape(image.height(), image.width(), 3)
    return int((pixels == np.array(color)).all(axis=2).sum())


@pytest.mark.parametrize(
    ("edition", "false_alarm"),
    [("NC2016", (40, 70, 255)), ("NC2017", (255, 150, 0)), ("MFC2019", (255, 150, 0))],
)
def test_the_plans_colours_are_drawn_and_the_legend_says_whose_they_are(
    window: MainWindow, tmp_path: Path, edition: str, false_alarm: Rgb
) -> None:
    made = a_dataset(tmp_path).nist(edition).with_trial("p1", manipulated=box(14, 10, 44, 40))
    built = made.with_answer("p1", half_right).write()
    window.desk.open(OpenRequest(built.root, (built.submission,)))
    window.refresh()
    legend = window.docks.panel("legend")
    assert isinstance(legend, LegendPanel)
    assert legend.source.text() == "Colours of NIST's scorer"

    window.commands.run("view.palette_plan")
    window.desk.workbench.set_look("opacity", opacity=1.0)

    assert legend.source.text() == f"Colours of the {edition} plan, section 6.2.1"
    colors = window.desk.workbench.state.colors
    assert colors[Outcome.FALSE_ALARM] == false_alarm
    assert window.page is not None
    picture = window.page.picture()
    for outcome in (Outcome.HIT, Outcome.MISS, Outcome.FALSE_ALARM):
        assert count_pixels(picture, colors[outcome]) > 100
