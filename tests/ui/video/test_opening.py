"""A video page while it is being opened: what it says, and how its parts are made."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtWidgets import QWidget

from forensicviewer.app.runtime.jobs import InlineExecutor, Jobs, inline_jobs
from forensicviewer.app.video.player import OPEN_LANE, VideoPlayer
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.state import FOUR_PANES
from forensicviewer.ui.panes.layers import layer_facts
from forensicviewer.ui.video.page import VideoPage
from forensicviewer.ui.video.timeline import Timeline
from tests.bench_build import put_dataset, put_submission
from tests.hall import Hall
from tests.video_build import BuiltVideo, a_video_dataset

pytestmark = pytest.mark.ui
Show = Callable[..., QWidget]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> BuiltVideo:
    return a_video_dataset(tmp_path_factory.mktemp("opening"))


@pytest.fixture
def hall() -> Iterator[Hall]:
    made = Hall()
    yield made
    made.jobs.close()


def test_until_the_first_frame_panes_say_that_the_video_is_being_opened(
    built: BuiltVideo,
) -> None:
    bench = Workbench(inline_jobs())
    put_dataset(bench, built.root)
    put_submission(bench, built.submission)

    reasons = {layer_facts(bench.state, pane).reason for pane in FOUR_PANES}

    assert reasons == {"Opening the video…"}


def test_a_video_whose_opening_is_cancelled_is_not_said_to_be_opened(
    built: BuiltVideo, hall: Hall
) -> None:
    bench = Workbench(hall.jobs)
    player = VideoPlayer(bench)
    put_dataset(bench, built.root)
    hall.fetch_until(lambda: hall.jobs.is_busy(OPEN_LANE) and bench.state.loaded is not None)

    hall.jobs.call_off(OPEN_LANE)
    hall.settle()

    assert layer_facts(bench.state, FOUR_PANES[0]).reason == (
        "Cancelled: to open the video, go to another trial and back"
    )
    player.close()


def test_the_page_is_made_a_part_a_turn_and_at_once_for_who_needs_it(
    built: BuiltVideo, show: Show
) -> None:
    posted: list[Callable[[], None]] = []
    is_inline = True

    def post(thunk: Callable[[], None]) -> None:
        if is_inline:
            thunk()
        else:
            posted.append(thunk)

    bench = Workbench(Jobs(InlineExecutor(), post, _raise))
    put_dataset(bench, built.root)
    put_submission(bench, built.submission)
    is_inline = False
    patient, hasty = (show(VideoPage(bench), 1200, 900) for _ in range(2))
    assert isinstance(patient, VideoPage)
    assert isinstance(hasty, VideoPage)
    assert not hasty.findChildren(Timeline)

    hasty.handlers()["video.zoom_in"].run()
    while posted:
        posted.pop(0)()

    for page in (patient, hasty):
        assert len(page.findChildren(Timeline)) == 1
        assert page.panel.score.mcc.text().startswith("MCC 0.")
        assert page.timeline.item.contents.lanes
        page.let_go()


def _raise(error: BaseException) -> None:
    raise error
