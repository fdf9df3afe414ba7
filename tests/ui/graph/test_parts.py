"""The graph page is made a part at a time; nobody can tell."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPointF
from pytestqt.qtbot import QtBot

from forensicviewer.app.graph.drawing import LayoutKind
from forensicviewer.app.graph.review import GraphReview
from forensicviewer.app.runtime.jobs import InlineExecutor, Jobs, inline_jobs
from forensicviewer.ui.graph.page import GraphDesk
from tests.provenance_build import ProvenanceBuilder, a_provenance_dataset, file_of

pytestmark = pytest.mark.ui


class Turns:
    """What is to be done in turns of the event loop to come."""

    def __init__(self) -> None:
        self._waiting: deque[Callable[[], None]] = deque()
        self.jobs = Jobs(InlineExecutor(), self._waiting.append, _raise)

    def take(self) -> None:
        self._waiting.popleft()()

    def take_all(self) -> None:
        while self._waiting:
            self.take()


def _raise(error: BaseException) -> None:
    raise error


def some_answer(folder: Path) -> ProvenanceBuilder:
    built = a_provenance_dataset(folder).with_probe("probe", links=[("base", "probe")])
    return built.with_answer("probe", nodes=["base", "probe"], links=[("base", "probe")])


def tab_names(desk: GraphDesk) -> list[str]:
    return [desk.tabs.tabText(i) for i in range(desk.tabs.count())]


def test_each_part_is_made_in_a_turn_of_its_own(qtbot: QtBot) -> None:
    turns = Turns()
    desk = GraphDesk(GraphReview(turns.jobs))
    qtbot.addWidget(desk)

    seen = []
    for _ in range(4):
        turns.take()
        seen.append(tab_names(desk))
    turns.take_all()

    pictures, ranking, trials = "Images", "Ranking", "Trials"
    assert seen == [[], [pictures], [pictures, ranking], [pictures, ranking, trials]]
    desk.let_go()


def test_a_part_asked_for_before_its_turn_is_there_at_once(qtbot: QtBot, tmp_path: Path) -> None:
    turns = Turns()
    review = GraphReview(turns.jobs)
    desk = GraphDesk(review)
    qtbot.addWidget(desk)

    assert desk.panel.scores.values
    assert tab_names(desk) == ["Images", "Ranking", "Trials"]
    review.show(*some_answer(tmp_path).open(), "probe")
    turns.take_all()

    assert desk.panel.scores.values["SimNLO"].text() == "1.0000"
    assert len(desk.trials.lines.lines) == 1
    assert tab_names(desk) == ["Images", "Ranking", "Trials"]
    desk.let_go()


def test_parts_made_after_the_graph_came_show_it_too(qtbot: QtBot, tmp_path: Path) -> None:
    turns = Turns()
    review = GraphReview(turns.jobs)
    review.show(*some_answer(tmp_path).open(), "probe")
    desk = GraphDesk(review)
    qtbot.addWidget(desk)

    turns.take_all()

    assert desk.panel.scores.values["SimNLO"].text() == "1.0000"
    assert desk.ranking.model.rowCount() == 2
    desk.let_go()


def test_a_desk_closed_before_it_is_complete_hears_no_more(qtbot: QtBot, tmp_path: Path) -> None:
    turns = Turns()
    review = GraphReview(turns.jobs)
    desk = GraphDesk(review)
    qtbot.addWidget(desk)

    desk.let_go()
    review.show(*some_answer(tmp_path).open(), "probe")
    turns.take_all()

    assert review.state.table
    assert desk.trials.lines.lines == []


@pytest.mark.parametrize("kind", list(LayoutKind))
def test_a_link_of_an_image_to_itself_runs_beside_its_card(
    qtbot: QtBot, tmp_path: Path, kind: LayoutKind
) -> None:
    built = a_provenance_dataset(tmp_path).with_probe("probe", links=[("base", "probe")])
    built.with_answer("probe", nodes=["base", "probe"], links=[("base", "probe"), ("base", "base")])
    review = GraphReview(inline_jobs())
    desk = GraphDesk(review)
    qtbot.addWidget(desk)
    review.set_layout(kind)
    review.show(*built.open(), "probe")
    picture = desk.canvas.picture
    assert picture is not None
    own = (file_of("base"), file_of("base"))
    card = picture.nodes[picture.position[file_of("base")]].area

    curve = picture.link(own).curve
    beside = curve.point_at(0.5)

    assert not card.contains(beside)
    assert card.adjusted(-40, -40, 40, 40).contains(curve.path.boundingRect())
    assert picture.link_at(beside, 3.0) is picture.link(own)
    picture.drag(file_of("base"), card.center() + QPointF(300, 90))
    assert picture.link(own).curve.point_at(0.5) == beside + QPointF(300, 90)
    desk.let_go()
