"""The settings of units change what legend, operations, facts and video page say, at once."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from forensicviewer.app.desk import Desk
from forensicviewer.app.jobs import inline_jobs
from forensicviewer.app.settings import AREAS, TIMES, Settings
from forensicviewer.app.units import AreaUnit, TimeUnit
from forensicviewer.core.overlay import Outcome
from forensicviewer.ui.inspector import FactsPanel
from forensicviewer.ui.legend import LegendPanel
from forensicviewer.ui.player import VideoPage
from forensicviewer.ui.window import MainWindow
from tests.build import Built, two_answered_trials
from tests.video_build import a_video_dataset

pytestmark = pytest.mark.ui


@pytest.fixture
def built(tmp_path: Path) -> Built:
    return two_answered_trials(tmp_path)


def test_areas_are_said_as_the_settings_want_them(opened: MainWindow) -> None:
    legend, facts = opened.docks.panel("legend"), opened.docks.panel("picture")
    assert isinstance(legend, LegendPanel)
    assert isinstance(facts, FactsPanel)
    tree = opened.docks.operations.tree

    def said() -> tuple[str, str, str]:
        for name in ("legend", "picture", "operations"):
            opened.docks.panel(name)
        cells = [facts.table.item(row, 1) for row in range(facts.table.rowCount())]
        sizes = [cell.text() for cell in cells if cell is not None and "×" in cell.text()]  # noqa: RUF001
        area = next(item.text(3) for item in tree.rows() if item.text(3))
        return legend.lines[Outcome.HIT].count.text(), area, sizes[-1]

    found = {}
    for unit in AreaUnit:
        opened.desk.settings.change(AREAS, unit.name)
        found[unit] = said()

    assert all("px ·" in text for text in found[AreaUnit.BOTH][:1])
    assert [text[-1] for text in found[AreaUnit.PERCENT][:2]] == ["%", "%"]
    assert [text[-2:] for text in found[AreaUnit.PIXELS]] == ["px", "px", "px"]
    assert [text[-2:] for text in found[AreaUnit.MEGAPIXELS]] == ["MP", "MP", "MP"]


def test_times_are_said_as_the_settings_want_them(qtbot: QtBot, tmp_path: Path) -> None:
    video = a_video_dataset(tmp_path)
    window = MainWindow(Desk(inline_jobs(), Settings()))
    qtbot.addWidget(window)
    window.resize(1400, 900)
    with qtbot.waitExposed(window):
        window.show()
    window.desk.open_paths([video.root, video.submission])
    page = window.page
    assert isinstance(page, VideoPage)
    page.player.seek(31)

    said, axis = {}, {}
    for unit in TimeUnit:
        window.desk.settings.change(TIMES, unit.name)
        said[unit] = page.transport.time.text()
        axis[unit] = page.timeline._times([1.0, 31.0], 1.0, 1.0)

    rate = page.player.state.playback.clock.rate
    assert said[TimeUnit.SECONDS] == f"{30 / rate:.3f} s"
    assert said[TimeUnit.FRAMES] == "31"
    assert said[TimeUnit.TIMECODE].startswith("00:00:0")
    assert axis[TimeUnit.FRAMES] == ["1", "31"]
    assert axis[TimeUnit.CLOCK][0] == "0:00"
    window.close()
