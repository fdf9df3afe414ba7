"""What dropped and named paths mean together: what is said before is what is done."""

import os
from pathlib import Path

import pytest

from forensicviewer.app.runtime.jobs import inline_jobs
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.session.recent import PlaceKind
from forensicviewer.app.session.recognise import as_meant, recognise, sort_out, what_will_happen
from forensicviewer.app.session.session_file import Session, write_session
from forensicviewer.app.settings import Settings
from forensicviewer.core.problem import UsageError
from tests.build import Built, a_dataset, exact, write_table


@pytest.fixture
def built(tmp_path: Path) -> Built:
    return answered(tmp_path / "one", "p1", "p2")


@pytest.fixture
def desk() -> Desk:
    return Desk(inline_jobs(), Settings())


def answered(folder: Path, *trials: str) -> Built:
    made = a_dataset(folder)
    for trial in trials:
        made = made.with_trial(trial).with_answer(trial, exact())
    return made.write()


def probe(built: Built, name: str) -> Path:
    return next((built.root / "probe").glob(f"{name}.*"))


def test_a_probe_opens_its_dataset_at_its_trial(desk: Desk, built: Built) -> None:
    picture = probe(built, "p2")
    assert what_will_happen([picture], desk.workbench.state) == (
        f"Open {built.root.name} and show {picture.name}"
    )

    desk.open_paths([picture])

    assert desk.workbench.state.trial_id == "p2"
    assert desk.workbench.state.problems == ()


def test_a_probe_beside_its_dataset_says_which_trial_is_meant(desk: Desk, built: Built) -> None:
    desk.open_paths([built.root, built.submission, probe(built, "p2")])

    state = desk.workbench.state
    assert (state.trial_id, len(state.submissions)) == ("p2", 1)


def test_a_splices_probe_and_donor_open_their_trial(desk: Desk, tmp_path: Path) -> None:
    built = a_dataset(tmp_path).with_trial("p1", donor="d1").with_trial("p2", donor="d2").write()

    desk.open_paths([next(built.root.rglob("d2.*"))])
    assert desk.workbench.state.trial_id == "p2+d2"
    desk.open_paths([probe(built, "p1")])

    assert desk.workbench.state.trial_id == "p1+d1"


def test_files_of_the_open_dataset_lead_to_the_first_ones_trial(desk: Desk, built: Built) -> None:
    desk.open(OpenRequest(built.root, (built.submission,)))
    mask = next(path for path in built.submission.rglob("*.png") if "p2" in path.name)

    desk.open_paths([mask, probe(built, "p1")])

    state = desk.workbench.state
    assert (state.trial_id, len(state.submissions)) == ("p2", 1)


def test_of_two_datasets_the_first_is_shown_and_the_second_waits(
    desk: Desk, built: Built, tmp_path: Path
) -> None:
    other = answered(tmp_path / "other", "q1")
    said = what_will_happen([built.root, other.root], desk.workbench.state)

    desk.open_paths([built.root, other.root])

    assert said.splitlines() == [
        f"Open {built.root.name} as dataset",
        f"Open {other.root.name} as dataset",
    ]
    assert desk.workbench.state.trial_id == "p1"
    desk.step_dataset(1)
    assert desk.workbench.state.trial_id == "q1"


def test_what_cannot_be_opened_beside_a_dataset_is_told_after_it(desk: Desk, built: Built) -> None:
    stray = built.root.parent / "letter.txt"
    stray.write_text("Dear judge")

    desk.open_paths([stray, built.root])

    assert desk.workbench.state.trial_id == "p1"
    assert "open-unknown" in [problem.rule for problem in desk.workbench.state.problems]


def test_a_session_is_opened_by_itself(desk: Desk, built: Built, tmp_path: Path) -> None:
    desk.open_dataset(built.root)
    saved = tmp_path / "saved.fvsession"
    write_session(desk.session(), saved)
    desk.close_dataset()

    desk.open_paths([built.submission, saved])

    state = desk.workbench.state
    assert (state.trial_id, state.submissions) == ("p1", ())
    assert "Open a session on its own" in [problem.message for problem in state.problems]


def test_what_is_named_after_a_session_stays_closed_and_is_told(
    desk: Desk, built: Built, tmp_path: Path
) -> None:
    desk.open_dataset(built.root)
    saved = tmp_path / "saved.fvsession"
    write_session(desk.session(), saved)
    desk.close_dataset()

    desk.open_named(OpenRequest(saved, (built.submission,), trial="p2"))

    state = desk.workbench.state
    assert (state.trial_id, state.submissions) == ("p2", ())
    assert [(problem.message, problem.where) for problem in state.problems] == [
        ("Open a session on its own", str(built.submission))
    ]


def test_a_session_is_no_submission(built: Built, tmp_path: Path) -> None:
    saved = tmp_path / "saved.fvsession"
    write_session(Session(), saved)

    meant = as_meant(OpenRequest(built.root, (saved, built.submission)))

    assert (meant.dataset, meant.submissions) == (built.root, (built.submission,))
    assert [problem.message for problem in meant.refused] == ["Open a session on its own"]


def test_a_probe_named_beside_its_own_dataset_refuses_nothing(built: Built) -> None:
    meant = as_meant(OpenRequest(probe(built, "p2"), (built.root, built.submission)))

    assert (meant.dataset, meant.submissions) == (built.root, (built.submission,))
    assert meant.refused == ()


def test_a_long_drop_is_told_in_few_lines(desk: Desk, built: Built, tmp_path: Path) -> None:
    copies = [built.copied_submission(tmp_path / str(number)) for number in range(12)]

    said = what_will_happen([built.root, *copies], desk.workbench.state).splitlines()

    assert (len(said), said[-1]) == (9, "… and 5 more")


def test_every_lone_submission_waits_for_its_dataset(
    desk: Desk, built: Built, tmp_path: Path
) -> None:
    second = built.copied_submission(tmp_path / "second")

    desk.open_named(OpenRequest(built.submission, (second,)))

    told = [problem.where for problem in desk.workbench.state.problems]
    assert told == [str(built.submission), str(second)]


def test_a_submission_named_before_its_dataset_is_opened_as_what_it_is(
    desk: Desk, built: Built
) -> None:
    desk.open_named(OpenRequest(built.submission, (built.root,)))

    assert [one.origin for one in desk.workbench.state.submissions] == [built.submission]


def test_a_submission_named_alone_answers_the_open_dataset(desk: Desk, built: Built) -> None:
    desk.open_dataset(built.root)

    desk.open_named(OpenRequest(built.submission))

    assert len(desk.workbench.state.submissions) == 1


def test_a_probe_named_from_outside_leads_to_its_trial(desk: Desk, built: Built) -> None:
    desk.open(OpenRequest(built.root, (built.submission,)))

    desk.open_named(OpenRequest(probe(built, "p2")))

    state = desk.workbench.state
    assert (state.trial_id, len(state.submissions)) == ("p2", 1)


def test_a_second_dataset_is_no_submission(built: Built, tmp_path: Path) -> None:
    other = answered(tmp_path / "other", "q1")

    meant = as_meant(OpenRequest(built.root, (other.root, built.submission)))

    assert (meant.dataset, meant.submissions) == (built.root, (built.submission,))
    assert (meant.others, meant.refused) == ((other.root,), ())


def test_a_picture_without_a_dataset_is_no_table(tmp_path: Path) -> None:
    picture = tmp_path / "holiday.jpg"
    picture.write_bytes(b"\xff\xd8\xff\xe0\0\x10JFIF\0")

    with pytest.raises(UsageError, match="forensicviewer cannot open this"):
        as_meant(OpenRequest(picture))


def test_a_trial_that_does_not_exist_is_told_and_the_first_is_shown(
    desk: Desk, built: Built
) -> None:
    desk.open_named(OpenRequest(built.root, trial="p9"))

    assert desk.workbench.state.trial_id == "p1"
    assert ("trial-unknown", "p9") in [(p.rule, p.where) for p in desk.workbench.state.problems]


def test_a_trial_brings_the_task_it_belongs_to(desk: Desk, tmp_path: Path) -> None:
    built = a_dataset(tmp_path).with_trial("p1").write()
    a_dataset(tmp_path).with_trial("s1", donor="d1").write()

    desk.open_named(OpenRequest(built.root, trial="s1+d1"))

    task = desk.workbench.state.task
    assert task is not None
    assert (task.name, desk.workbench.state.trial_id) == ("splice", "s1+d1")


@pytest.mark.parametrize("suffix", [".tsv", ".psv"])
def test_tables_with_other_separators_are_tables(tmp_path: Path, suffix: str) -> None:
    table = write_table(tmp_path / f"answers{suffix}", ["ProbeFileID", "ConfidenceScore"], [])

    intent = recognise(table)

    assert intent is not None
    assert intent.kind is PlaceKind.SUBMISSION


def test_a_session_and_nothing_else_asks_for_nothing_more(tmp_path: Path) -> None:
    saved = tmp_path / "saved.fvsession"
    write_session(Session(), saved)

    meant = sort_out([saved])

    assert meant.request == OpenRequest(saved)


def test_a_folder_of_submissions_says_what_it_is(desk: Desk, built: Built, tmp_path: Path) -> None:
    desk.open_dataset(built.copied_submission(tmp_path / "systems").parent)

    problem = desk.workbench.state.problems[-1]
    assert built.submission.name in problem.hint
    assert "open their dataset" in problem.hint


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_pipe_is_never_waited_for(tmp_path: Path) -> None:
    folder = tmp_path / "dropped"
    folder.mkdir()
    os.mkfifo(folder / "table.csv")
    os.mkfifo(tmp_path / "pipe")

    found = recognise(folder)

    assert found is not None
    assert found.kind is PlaceKind.DATASET
    assert recognise(tmp_path / "pipe") is None
    assert as_meant(OpenRequest(tmp_path / "pipe")) == OpenRequest(tmp_path / "pipe")


def test_a_folder_is_not_recognised_by_what_a_link_leads_to(built: Built, tmp_path: Path) -> None:
    table = next(built.submission.glob("*.csv"))
    folder = tmp_path / "dropped"
    folder.mkdir()
    (folder / "table.csv").symlink_to(table)

    found = recognise(folder)

    assert found is not None
    assert found.kind is PlaceKind.DATASET
