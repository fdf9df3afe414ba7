"""What belongs together: submissions to a dataset, named once or twice, to this task or another."""

import shutil
import tarfile
from pathlib import Path

import numpy as np
import pytest

from forensicviewer.app.datasets.opening import megabytes_of, open_submission
from forensicviewer.app.runtime.jobs import CancelledError, Ticket, inline_jobs
from forensicviewer.app.session import announcement
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.session.opener import open_together
from forensicviewer.app.settings import Settings
from forensicviewer.app.workbench.state import Change, ViewState
from forensicviewer.sources.files.paths import private_cache
from tests.build import Built, a_dataset, box, exact


def answered(folder: Path, trial: str) -> Built:
    made = a_dataset(folder).with_trial(trial, manipulated=box(10, 10, 40, 40))
    return made.with_answer(trial, exact()).write()


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


def test_the_look_up_of_answers_is_made_while_they_are_opened(tmp_path: Path) -> None:
    """With a million answers it takes a tenth of a second, which the window would wait for."""
    built = answered(tmp_path, "p1")

    opened = open_together(OpenRequest(built.root, (built.submission,)), None, "judge", Ticket())

    (submission,) = opened.submissions
    assert "_first_of_code" in vars(vars(submission.answers)["_index"])


def test_a_submission_to_another_dataset_says_that_it_answers_nothing(tmp_path: Path) -> None:
    built, other = answered(tmp_path / "one", "p1"), answered(tmp_path / "other", "q1")
    desk = Desk(inline_jobs(), Settings())
    said = announcements(desk)

    desk.open(OpenRequest(built.root, (other.submission,)))
    problem = desk.workbench.state.problems[0]
    assert (problem.rule, problem.where) == (announcement.STRANGER, str(other.submission))
    assert desk.workbench.state.submissions == ()

    desk.open_strangers([other.submission])

    assert "1 answer, for no trial of this task\n1 warning" in said[-1]
    assert len(desk.workbench.state.submissions) == 1
    desk.close()


def test_submissions_added_together_are_told_together(tmp_path: Path) -> None:
    built, other = answered(tmp_path / "one", "p1"), answered(tmp_path / "other", "q1")
    desk = Desk(inline_jobs(), Settings())
    desk.open_dataset(built.root)
    said = announcements(desk)

    desk.open_strangers([built.submission, other.submission])

    assert len(said) == 1
    assert [line.split(": ")[1] for line in said[0].splitlines()[:2]] == [
        "1 answer",
        "1 answer, for no trial of this task",
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
    assert origins == [built.submission, other.submission]
    assert (state.system, state.rival) == (0, 1)
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


def packed(built: Built, path: Path) -> Path:
    """The submission with a mask of three megabytes that cannot be packed smaller."""
    noise = np.random.default_rng(1).bytes(3 << 20)
    (built.submission / "noise.bin").write_bytes(noise)
    with tarfile.open(path, "w:gz") as tape:
        tape.add(built.submission, built.submission.name)
    return path


@pytest.mark.parametrize("packed_as", ["sub.tgz", "sub.zip"])
def test_unpacking_tells_how_far_it_is(tmp_path: Path, packed_as: str) -> None:
    built = answered(tmp_path / "one", "p1")
    archive = packed(built, tmp_path / "sub.tgz")
    if packed_as == "sub.zip":
        shutil.make_archive(str(tmp_path / "sub"), "zip", built.submission.parent)
        archive = tmp_path / "sub.zip"
    told: list[tuple[int, int]] = []

    open_submission(archive, progress=lambda done, total: told.append((done, total)))

    assert {total for _, total in told} == {megabytes_of(archive)}
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert told[-1][0] >= megabytes_of(archive) - 1


def test_unpacking_ends_in_the_middle_when_it_is_cancelled(tmp_path: Path) -> None:
    built = answered(tmp_path / "one", "p1")
    archive = packed(built, tmp_path / "sub.tgz")
    ticket = Ticket()

    def cancel_late(done: int, total: int) -> None:
        if done > total // 2:
            ticket.is_cancelled = True
        ticket.report(done, total)

    with pytest.raises(CancelledError):
        open_submission(archive, progress=cancel_late)

    assert not list(private_cache().rglob("noise.bin"))


def test_several_submissions_are_one_way_to_go(tmp_path: Path) -> None:
    built = answered(tmp_path / "one", "p1")
    second = built.copied_submission(tmp_path / "second")
    archive = packed(built, tmp_path / "sub.tgz")
    ticket = Heard()

    open_together(OpenRequest(built.root, (archive, second)), None, "judge", ticket)

    shares = [done / total for done, total in ticket.heard if total]
    assert shares == sorted(shares)
    assert shares[-1] > 0.7


class Heard(Ticket):
    """A ticket that remembers what was reported."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[tuple[int, int]] = []

    def report(self, done: int, total: int) -> None:
        self.heard.append((done, total))
        super().report(done, total)


def test_submissions_are_there_again_when_their_task_is(tmp_path: Path) -> None:
    stills = answered(tmp_path, "p1")
    second = stills.copied_submission(tmp_path / "second")
    made = a_dataset(tmp_path).with_trial("s1", donor="d1")
    splices = made.with_answer("s1+d1", exact()).write()
    desk = Desk(inline_jobs(), Settings())
    desk.open(OpenRequest(stills.root, (stills.submission, second)))

    desk.open_submissions([splices.submission])
    assert [one.origin for one in desk.workbench.state.submissions] == [splices.submission]
    desk.choose_task("manipulation")

    both = [stills.submission, second]
    assert [one.origin for one in desk.workbench.state.submissions] == both
    assert [place.path for place in desk.session().submissions] == both
    desk.choose_task("splice")
    assert [one.origin for one in desk.workbench.state.submissions] == [splices.submission]
    desk.open_submissions([second])
    assert [one.origin for one in desk.workbench.state.submissions] == both[::-1]
    desk.close()


def test_another_dataset_brings_no_submissions_along(tmp_path: Path) -> None:
    one, other = answered(tmp_path / "one", "p1"), answered(tmp_path / "other", "p1")
    made = a_dataset(tmp_path / "one").with_trial("s1", donor="d1")
    made.write()
    desk = Desk(inline_jobs(), Settings())
    desk.open(OpenRequest(one.root, (one.submission,)))
    desk.choose_task("splice")

    desk.open_dataset(other.root)

    assert desk.session().submissions == ()
    desk.open_dataset(one.root)
    desk.choose_task("splice")
    desk.choose_task("manipulation")
    (again,) = desk.workbench.state.submissions
    assert again.origin == one.submission
    desk.close()


def test_a_dataset_without_a_reference_says_so(tmp_path: Path) -> None:
    built = a_dataset(tmp_path).without_reference().with_trial("p1").write()
    desk = Desk(inline_jobs(), Settings())
    said = announcements(desk)

    desk.open_dataset(built.root)

    assert "manipulation, 1 trial, no reference\n" in said[0]
    desk.close()
