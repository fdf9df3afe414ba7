"""Files that do not exist, or are not as the tables say, are told."""

from pathlib import Path

import numpy as np
import pytest

from forensicviewer.app.datasets import file_check
from forensicviewer.app.datasets.file_check import check_files, missing_files
from forensicviewer.app.datasets.opening import choose_task, open_dataset
from forensicviewer.app.runtime.jobs import Ticket, inline_jobs
from forensicviewer.app.session import announcement
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.settings import Settings
from forensicviewer.app.workbench.state import Change, ViewState
from forensicviewer.cli import main
from forensicviewer.core.model import Task
from forensicviewer.core.problem import Problem
from forensicviewer.sources.files.media_file import MISSING
from tests.bench_build import put_row
from tests.build import Built, a_dataset, box, two_answered_trials, write_png


def _problems(root: Path) -> list[Problem]:
    task = choose_task(open_dataset(root), None)
    return list(check_files(task, progress=lambda *_: None))


def test_a_whole_dataset_has_no_problems(tmp_path: Path) -> None:
    built = a_dataset(tmp_path).with_trial("p1", manipulated=box(0, 0, 9, 9))

    assert _problems(built.with_trial("p2").write().root) == []


def test_a_whole_splice_dataset_has_no_problems(tmp_path: Path) -> None:
    built = a_dataset(tmp_path).with_trial("p1", donor="d1", manipulated=box(0, 0, 9, 9))

    assert _problems(built.with_trial("p1", donor="d2").write().root) == []


def test_missing_and_wrong_files_are_told_with_their_row(tmp_path: Path) -> None:
    built = a_dataset(tmp_path)
    for name in ("gone", "large", "broken", "odd", "good"):
        built = built.with_trial(name, manipulated=box(0, 0, 9, 9))
    root = built.write().root
    (root / "probe" / "gone.png").unlink()
    write_png(root / "probe" / "large.png", np.zeros((9, 9), dtype=np.uint8))
    (root / "probe" / "broken.png").write_bytes(b"not a picture")
    write_png(
        root / "reference" / "manipulation" / "mask" / "odd.png",
        np.full((48, 64, 3), (1, 2, 3), dtype=np.uint8),
    )

    told = [(problem.rule, problem.where.split(":")[1]) for problem in _problems(root)]

    assert told == [
        ("file.missing", "2"),
        ("file.size", "3"),
        ("file.mask-size", "3"),
        ("file.unreadable", "4"),
        ("mask.unknown-color", "5"),
    ]


def test_a_name_that_leaves_the_dataset_is_never_opened(tmp_path: Path) -> None:
    root = a_dataset(tmp_path).with_trial("p1").write().root
    (root / "probe" / "p1.png").unlink()
    (root / "probe" / "p1.png").symlink_to(write_png(tmp_path / "out.png", np.zeros((9, 9), "u1")))

    assert [problem.rule for problem in _problems(root)] == ["dataset.links"]


def test_many_missing_files_are_summed_up(tmp_path: Path) -> None:
    built = a_dataset(tmp_path)
    for number in range(30):
        built = built.with_trial(f"p{number}")
    root = built.write().root
    for path in (root / "probe").iterdir():
        path.unlink()

    told = _problems(root)

    assert len(told) == 21
    assert told[-1].message == "10 more problems of this kind"


def test_the_bit_planes_of_nists_masks_all_belong_to_operations(nist_suite: Path) -> None:
    dataset = open_dataset(nist_suite / "maskScorerTests")
    task = next(task for task in dataset.tasks if task.name == "manipulation:MFC18-sub")

    rules = {problem.rule for problem in check_files(task, progress=lambda *_: None)}

    assert "mask.unknown-plane" not in rules
    assert "file.unreadable" not in rules


def test_info_looks_at_the_files_when_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = a_dataset(tmp_path).with_trial("p1").write().root
    (root / "probe" / "p1.png").unlink()

    assert main(["info", str(root)]) == 0
    assert main(["info", str(root), "--files"]) == 1
    assert "probe/p1.png does not exist" in capsys.readouterr().err


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
    monkeypatch.setattr(file_check, "_NAMED", 1)
    task = task_of(built)
    for row in (0, 1):
        probe_of(built, row).unlink()

    found = missing_files(task, Ticket())

    assert [problem.message for problem in found][1:] == ["1 more file does not exist"]


def test_every_missing_file_counts_however_few_are_named(
    built: Built, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_check, "_NAMED", 0)
    task = task_of(built)
    for row in (0, 1):
        probe_of(built, row).unlink()

    (found,) = missing_files(task, Ticket())

    assert announcement.count_problems([found]) == "2 errors"


def test_folders_that_cannot_be_listed_hold_nothing(built: Built) -> None:
    task = task_of(built)
    folder = probe_of(built, 0).parent
    folder.rename(folder.with_name("elsewhere"))

    assert len(missing_files(task, Ticket())) >= 2


def test_very_many_trials_are_not_looked_for(built: Built, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_check, "MOST_TRIALS", 1)
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
