"""Verdicts that undo takes back, each way a line in the log."""

from pathlib import Path

import pytest

from forensicviewer.app.desk import Desk
from forensicviewer.app.jobs import inline_jobs
from forensicviewer.app.judging import own_verdict, retract_verdict, say_verdict
from forensicviewer.app.openrequest import OpenRequest
from forensicviewer.app.settings import Settings
from forensicviewer.core.model import TrialId
from forensicviewer.core.verdict import Ruling
from tests.build import two_answered_trials


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    built = two_answered_trials(tmp_path)
    made = Desk(inline_jobs(), Settings(tmp_path / "settings.json"))
    made.open(OpenRequest(built.root, (built.submission,)))
    return made


def ruling(desk: Desk) -> Ruling | None:
    own = own_verdict(desk)
    return None if own is None else own.ruling


def test_undo_names_the_verdict_and_takes_it_back(desk: Desk) -> None:
    say_verdict(desk, Ruling.SOUND, note="fine")
    label = desk.workbench.undo_label

    desk.workbench.undo()

    assert label == "verdict on p1"
    assert ruling(desk) is None
    assert len(desk.history()) == 1
    assert desk.verdicts is not None
    assert len(desk.verdicts.entries) == 2


def test_redo_says_it_again_with_its_note(desk: Desk) -> None:
    say_verdict(desk, Ruling.SOUND, note="fine")
    desk.workbench.undo()

    desk.workbench.redo()

    own = own_verdict(desk)
    assert own is not None
    assert (own.ruling, own.note) == (Ruling.SOUND, "fine")


def test_undo_of_a_changed_mind_brings_the_first_verdict_back(desk: Desk) -> None:
    say_verdict(desk, Ruling.SOUND)
    say_verdict(desk, Ruling.UNCLEAR)

    desk.workbench.undo()

    assert ruling(desk) is Ruling.SOUND


def test_undo_of_taking_back_lets_the_verdict_stand_again(desk: Desk) -> None:
    say_verdict(desk, Ruling.LEAVE_OUT)
    retract_verdict(desk)

    desk.workbench.undo()

    assert ruling(desk) is Ruling.LEAVE_OUT


def test_undo_goes_to_the_trial_the_verdict_was_about(desk: Desk) -> None:
    say_verdict(desk, Ruling.SOUND)
    desk.workbench.select_trial(TrialId("p2"))

    desk.workbench.undo()

    assert desk.workbench.state.trial_id == "p1"
    assert ruling(desk) is None


def test_verdicts_and_view_edits_are_undone_in_their_order(desk: Desk) -> None:
    desk.workbench.set_threshold(100)
    say_verdict(desk, Ruling.SOUND)
    desk.workbench.set_threshold(20)

    desk.workbench.undo()
    first = (desk.workbench.state.thresholds.main, ruling(desk))
    desk.workbench.undo()

    assert first == (100, Ruling.SOUND)
    assert (desk.workbench.undo_label, desk.workbench.redo_label) == ("threshold", "verdict on p1")
    assert ruling(desk) is None


def test_taking_back_what_was_never_said_is_no_step(desk: Desk) -> None:
    retract_verdict(desk)

    assert desk.workbench.undo_label is None
