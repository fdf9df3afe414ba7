"""A German window reviews videos and scores in German; what leaves it is English."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from forensicviewer.app.language.units import format_time
from forensicviewer.app.language.words import use_language
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.core.metric import METRIC_NOTES
from forensicviewer.ui.score.metrics import explained
from forensicviewer.ui.video.export import annotated_frame
from forensicviewer.ui.video.page import VideoPage
from tests.bench_build import put_dataset, put_submission
from tests.video_build import FRAMES, a_video_dataset

pytestmark = pytest.mark.ui
Show = Callable[..., QWidget]


@pytest.fixture(autouse=True)
def _german() -> Iterator[None]:
    assert use_language("de") == ()
    yield
    use_language("en")


@pytest.fixture
def page(bench: Workbench, tmp_path: Path, show: Show) -> VideoPage:
    built = a_video_dataset(tmp_path, system="[[12,35],[70,500]]")
    put_dataset(bench, built.root)
    put_submission(bench, built.submission)
    made = show(VideoPage(bench), 1200, 900)
    assert isinstance(made, VideoPage)
    return made


def test_lanes_transport_and_numbers_are_german(page: VideoPage) -> None:
    titles = [lane.title for lane in page.timeline.item.contents.lanes]
    tips = [span.tip for lane in page.timeline.item.contents.lanes for span in lane.spans]

    assert {"Referenz", "System", "Ergebnis"} <= set(titles)
    assert any(tip.startswith("ausgelassen: Einzelbilder ") for tip in tips)
    assert any(tip.endswith("jenseits des Endes") for tip in tips)
    assert page.transport.count.text() == f"von {FRAMES}"
    assert page.transport.play.toolTip().startswith("Abspielen oder anhalten (")
    assert " oder " in page.transport.back.toolTip()
    assert page.panel.tabText(0) == "Wertung"
    assert page.panel.score.why.text().endswith(f"jenseits der {FRAMES} Einzelbilder des Videos")


def test_intervals_are_shown_in_german_and_copied_in_english(page: VideoPage) -> None:
    table = page.panel.intervals
    shown = {table.model().index(row, 0).data() for row in range(table.rowCount())}

    lines = table.as_text().splitlines()

    assert shown == {"gefunden", "ausgelassen", "Fehlalarm"}
    assert lines[0].startswith("Verdict\tReference\tSystem\tStart Δ")
    assert {line.split("\t")[0] for line in lines[1:]} == {"found", "missed", "false alarm"}
    assert "," not in "".join(lines[1:])


def test_the_score_is_shown_in_german_and_copied_in_english(page: VideoPage) -> None:
    table = page.panel.score.table
    heading = table.horizontalHeaderItem(0)
    assert heading is not None
    assert heading.text() == "Menge"
    page.activateWindow()
    table.setFocus()

    QTest.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)

    lines = [line.split("\t") for line in QGuiApplication.clipboard().text().splitlines()]
    review = page.player.state.review
    assert review is not None
    assert lines[0] == ["Amount", "Frames", "Samples"]
    assert lines[1][:2] == ["MCC", repr(review.video.mcc)]
    assert [line[0] for line in lines[6:]] == ["Collar", "Unselected", "Opted out"]


def test_exported_frames_keep_english_words(page: VideoPage) -> None:
    def exported() -> QImage:
        return annotated_frame(page.workbench.state, page.player.state, QSize(800, 600))

    page.player.seek(2)
    from_german = exported()
    use_language("en")

    assert from_german == exported()


def test_times_and_metrics_are_said_in_german() -> None:
    notes = {note.name: explained(note) for note in METRIC_NOTES}

    assert format_time(61.25) == "1:01,250"
    assert notes["AUC"].endswith("Bester Wert: 1\nHängt nicht von der Schwelle ab")
    assert notes["PixelTP"] == "PixelTP: Treffer: manipuliert und gemeldet\nPixel"
