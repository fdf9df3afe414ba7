"""Verdicts that undo takes back, each way a line in the log."""

from collections.abc import Callable
from concurrent.futures import Executor, Future
from pathlib import Path

import pytest

from forensicviewer.app.judging.evidence import place_of, side_of, viewpoint_of
from forensicviewer.app.judging.judging import LANE
from forensicviewer.app.judging.verdict_log import VerdictBook
from forensicviewer.app.runtime.jobs import Arguments, Jobs, Returned, inline_jobs
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.settings import JUDGE, Settings
from forensicviewer.app.workbench.state import Viewpoint
from forensicviewer.core.model import Side, TrialId
from forensicviewer.core.verdict import Ruling, Verdict
from tests.build import two_answered_trials
from tests.hall import Hall


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    built = two_answered_trials(tmp_path)
    made = Desk(inline_jobs(), Settings(tmp_path / "settings.json"))
    made.open(OpenRequest(built.root, (built.submission,)))
    return made


def ruling(desk: Desk) -> Ruling | None:
    own = desk.judging.own
    return None if own is None else own.ruling


def test_undo_names_the_verdict_and_takes_it_back(desk: Desk) -> None:
    desk.judging.say(Ruling.SOUND, note="fine")
    label = desk.workbench.undo_label

    desk.workbench.undo()

    assert label == "verdict on p1"
    assert ruling(desk) is None
    assert len(desk.judging.history()) == 1
    assert desk.judging.book is not None
    assert len(desk.judging.book.entries) == 2


def test_redo_says_it_again_with_its_note(desk: Desk) -> None:
    desk.judging.say(Ruling.SOUND, note="fine")
    desk.workbench.undo()

    desk.workbench.redo()

    own = desk.judging.own
    assert own is not None
    assert (own.ruling, own.note) == (Ruling.SOUND, "fine")


def test_undo_of_a_changed_mind_brings_the_first_verdict_back(desk: Desk) -> None:
    desk.judging.say(Ruling.SOUND)
    desk.judging.say(Ruling.UNCLEAR)

    desk.workbench.undo()

    assert ruling(desk) is Ruling.SOUND


def test_undo_of_taking_back_lets_the_verdict_stand_again(desk: Desk) -> None:
    desk.judging.say(Ruling.LEAVE_OUT)
    desk.judging.retract()

    desk.workbench.undo()

    assert ruling(desk) is Ruling.LEAVE_OUT


def test_undo_goes_to_the_trial_the_verdict_was_about(desk: Desk) -> None:
    desk.judging.say(Ruling.SOUND)
    desk.workbench.select_trial(TrialId("p2"))

    desk.workbench.undo()

    assert desk.workbench.state.trial_id == "p1"
    assert ruling(desk) is None


def test_verdicts_and_view_edits_are_undone_in_their_order(desk: Desk) -> None:
    desk.workbench.set_threshold(100)
    desk.judging.say(Ruling.SOUND)
    desk.workbench.set_threshold(20)

    desk.workbench.undo()
    first = (desk.workbench.state.thresholds.main, ruling(desk))
    desk.workbench.undo()

    assert first == (100, Ruling.SOUND)
    assert (desk.workbench.undo_label, desk.workbench.redo_label) == ("threshold", "verdict on p1")
    assert ruling(desk) is None


def test_taking_back_what_was_never_said_is_no_step(desk: Desk) -> None:
    desk.judging.retract()

    assert desk.workbench.undo_label is None


def test_a_verdict_on_one_task_says_nothing_about_another_with_the_same_probe(
    tmp_path: Path,
) -> None:
    book = VerdictBook(tmp_path, judge="Ada")

    book.say(TrialId("p1"), Ruling.LEAVE_OUT, facts={}, task="manipulation")
    book.say(TrialId("p2"), Ruling.SOUND, facts={})

    assert set(book.standings("manipulation")) == {"p1", "p2"}
    assert set(book.standings("provenance")) == {"p2"}


def test_a_verdict_tells_its_place_view_and_files(desk: Desk) -> None:
    desk.workbench.set_viewpoint(0, Viewpoint(20.5, 18.0, 4.0))
    desk.judging.say(Ruling.REFERENCE_WRONG, pin=(12, 34))

    own = desk.judging.own
    assert own is not None
    assert place_of(own.facts) == (12, 34)
    assert side_of(own.facts) is Side.PROBE
    assert side_of({"Image of the place": "donor"}) is Side.DONOR
    assert viewpoint_of(own.facts) == Viewpoint(20.5, 18.0, 4.0)
    assert len(own.facts["Probe SHA-256"]) == len(own.facts["Reference SHA-256"]) == 64
    assert own.facts["Program"].startswith("forensicviewer ")


@pytest.mark.parametrize("zoom", ["", "huge", "999999 %", "100 % 200 %"])
def test_a_view_nobody_can_have_had_is_none(zoom: str) -> None:
    assert viewpoint_of({"Centre of view": "1, 2", "Zoom": zoom}) is None


def test_a_judge_who_says_their_name_later_judges_under_it(desk: Desk) -> None:
    desk.judging.say(Ruling.SOUND)
    desk.settings.change(JUDGE, "Grace")

    before = desk.judging.own
    desk.judging.say(Ruling.UNCLEAR)

    assert before is None
    own = desk.judging.own
    assert own is not None
    assert own.judge == "Grace"
    assert desk.judging.standing is not None
    assert desk.judging.standing.is_contested


class _Later(Executor):
    """Starts nothing until it is told to, as threads that are all busy do."""

    def __init__(self) -> None:
        self.waiting: list[Callable[[], object]] = []

    def submit(
        self,
        fn: Callable[Arguments, Returned],
        /,
        *args: Arguments.args,
        **kwargs: Arguments.kwargs,
    ) -> Future[Returned]:
        future: Future[Returned] = Future()
        self.waiting.append(lambda: future.set_result(fn(*args, **kwargs)))
        return future


def test_verdicts_said_faster_than_the_disk_writes_are_all_kept_in_their_order(
    desk: Desk,
) -> None:
    busy = _Later()
    desk.workbench.jobs = Jobs(busy, lambda thunk: thunk(), lambda *_: None)
    for ruling in (Ruling.SOUND, Ruling.UNCLEAR, Ruling.LEAVE_OUT):
        desk.judging.say(ruling)
    assert desk.judging.own is None

    busy.waiting.pop()()
    desk.judging.finish()

    book = desk.judging.book
    assert book is not None
    said = [entry.ruling for entry in book.entries if isinstance(entry, Verdict)]
    assert said == [Ruling.SOUND, Ruling.UNCLEAR, Ruling.LEAVE_OUT]
    assert VerdictBook(book.folder, judge="anybody").problems == ()


def test_nobody_is_offered_to_cancel_what_is_being_kept(tmp_path: Path) -> None:
    built = two_answered_trials(tmp_path)
    hall = Hall()
    desk = Desk(hall.jobs, Settings(tmp_path / "settings.json"))
    desk.open(OpenRequest(built.root))
    hall.settle()

    desk.judging.say(Ruling.SOUND)
    titles = [status.title for status in hall.jobs.statuses() if status.lane == LANE]
    hall.settle()
    desk.close()

    assert titles == [""]
    assert ruling(desk) is Ruling.SOUND
