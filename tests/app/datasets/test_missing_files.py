"""Files that are not there are counted after a dataset was opened, without opening any."""

from pathlib import Path

import pytest

from forensicviewer.app.datasets import missing_files as filepresence
from forensicviewer.app.datasets.missing_files import missing_files
from forensicviewer.app.datasets.opening import open_dataset
from forensicviewer.app.runtime.jobs import Ticket, inline_jobs
from forensicviewer.app.session import announcement
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.settings import Settings
from forensicviewer.app.workbench.state import Change, ViewState
from forensicviewer.core.model import Task
from forensicviewer.sources.media.headers import MISSING
from tests.bench_build import put_row
from tests.build import Built, two_answered_trials


@pytest.fixture
def built(tmp_path: Path) -> Built:
    return two_answered_trials(tmp_path)


def task_of(built: Built) -> Task:
    return open_dataset(built.root).tasks[0]


def probe_of(built: Built, row: int) -> Path:
    return built.root / task_of(built).trials[row].probe.name


def test_nothing_is_missing_where_everything_is_there(built: Built) -> None:
    ticket = Ticket()

    assert missing_files(task_of(built), ticket) == ()
    assert (ticket.done, ticket.total) == (2, 2)


def test_a_missing_file_is_told_as_by_whoever_opens_the_trial(built: Built) -> None:
    task, probe = task_of(built), probe_of(built, 0)
    probe.unlink()

    (found,) = missing_files(task, Ticket())

    assert (found.message, found.rule) == ("The file does not exist", MISSING)
    assert found.where == str(probe)


def test_many_missing_files_are_counted(built: Built, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filepresence, "_NAMED", 1)
    task = task_of(built)
    for row in (0, 1):
        probe_of(built, row).unlink()

    found = missing_files(task, Ticket())

    assert [problem.message for problem in found][1:] == ["1 more file does not exist"]


def test_every_missing_file_counts_however_few_are_named(
    built: Built, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filepresence, "_NAMED", 0)
    task = task_of(built)
    for row in (0, 1):
        probe_of(built, row).unlink()

    (found,) = missing_files(task, Ticket())

    assert announcement.counted_problems([found]) == "2 errors"


def test_folders_that_cannot_be_listed_hold_nothing(built: Built) -> None:
    task = task_of(built)
    folder = probe_of(built, 0).parent
    folder.rename(folder.with_name("elsewhere"))

    assert len(missing_files(task, Ticket())) >= 2


def test_very_many_trials_are_not_looked_for(built: Built, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filepresence, "MOST_TRIALS", 1)
    probe_of(built, 0).unlink()

    assert missing_files(task_of(built), Ticket()) == ()


def test_what_was_recognised_counts_missing_files_once_they_are_known(built: Built) -> None:
    probe_of(built, 1).unlink()
    desk = Desk(inline_jobs(), Settings())
    said: list[str] = []

    def listen(state: ViewState, change: Change) -> None:
        if Change.ASIDE in change:
            told = announcement.opened(state, Change.DATASET)
            said.append("" if told is None else told.text.splitlines()[-1])

    desk.workbench.subscribe(listen)
    desk.open(OpenRequest(built.root))

    assert said
    assert said[-1] == "1 error"
    put_row(desk.workbench, 1)
    assert [problem.rule for problem in desk.workbench.state.problems] == [MISSING]
    desk.close()
