"""What belongs together: submissions to a dataset, named once or twice, to this task or another."""

from pathlib import Path

from forensicviewer.app import announcement
from forensicviewer.app.desk import Desk
from forensicviewer.app.jobs import inline_jobs
from forensicviewer.app.openrequest import OpenRequest
from forensicviewer.app.settings import Settings
from forensicviewer.app.state import Change, ViewState
from tests.build import Built, a_dataset, exact


def answered(folder: Path, trial: str) -> Built:
    return a_dataset(folder).with_trial(trial).with_answer(trial, exact()).write()


def announcements(desk: Desk) -> list[str]:
    """What the window says of each change of what is open, from now on."""
    said: list[str] = []
    known = desk.workbench.state.submissions

    def listen(state: ViewState, change: Change) -> None:
        if change & (Change.DATASET | Change.SUBMISSIONS):
            told = announcement.opened(state, change, known)
            said.append("" if told is None else told.text)

    desk.workbench.subscribe(listen)
    return said


def test_a_submission_to_another_dataset_says_that_it_answers_nothing(tmp_path: Path) -> None:
    built, other = answered(tmp_path / "one", "p1"), answered(tmp_path / "other", "q1")
    desk = Desk(inline_jobs(), Settings())
    said = announcements(desk)

    desk.open(OpenRequest(built.root, (other.submission,)))

    assert "1 answer, to no trial of this task\n1 warning" in said[0]
    problem = desk.workbench.state.problems[0]
    assert (problem.rule, problem.where) == (announcement.STRANGER, str(other.submission))
    desk.close()


def test_submissions_added_together_are_told_together(tmp_path: Path) -> None:
    built, other = answered(tmp_path / "one", "p1"), answered(tmp_path / "other", "q1")
    desk = Desk(inline_jobs(), Settings())
    desk.open_dataset(built.root)
    said = announcements(desk)

    desk.open_submissions([built.submission, other.submission])

    assert len(said) == 1
    assert [line.split(": ")[1] for line in said[0].splitlines()[:2]] == [
        "1 answer",
        "1 answer, to no trial of this task",
    ]
    desk.close()


def test_a_submission_opened_again_is_there_once(tmp_path: Path) -> None:
    built, other = answered(tmp_path / "one", "p1"), answered(tmp_path / "other", "p1")
    desk = Desk(inline_jobs(), Settings())
    desk.open(OpenRequest(built.root, (built.submission, other.submission, built.submission)))
    assert len(desk.workbench.state.submissions) == 2

    desk.open_submissions([built.submission])

    state = desk.workbench.state
    origins = [submission.origin for submission in state.submissions]
    assert origins == [other.submission, built.submission]
    assert (state.system, state.rival) == (1, 0)
    assert [place.path for place in desk.session().submissions] == origins
    desk.close()


def test_a_submission_that_cannot_be_read_leaves_the_others_as_they_are(tmp_path: Path) -> None:
    built, other = answered(tmp_path / "one", "p1"), answered(tmp_path / "other", "p1")
    desk = Desk(inline_jobs(), Settings())
    desk.open(OpenRequest(built.root, (built.submission, other.submission)))
    (tmp_path / "broken.tgz").write_bytes(b"no archive")

    desk.open_submissions([tmp_path / "broken.tgz"])

    state = desk.workbench.state
    assert (len(state.submissions), state.system, state.rival) == (2, 0, 1)
    assert state.problems[-1].rule == "archive.broken"
    desk.close()
