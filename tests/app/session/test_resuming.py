"""Work goes on where it was left: what is kept meanwhile, and what moved or went away."""

import os
import shutil
from pathlib import Path

import pytest

from forensicviewer.app.runtime.jobs import inline_jobs
from forensicviewer.app.session import announcement
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.session.session_file import autosave_path, read_session
from forensicviewer.app.settings import Settings
from forensicviewer.app.trials.score_columns import MCC
from forensicviewer.app.trials.trial_filter import Sort
from forensicviewer.app.workbench.problems import MISSING_PLACE
from forensicviewer.app.workbench.state import Change, ViewState
from forensicviewer.core.kernel import Kernels
from forensicviewer.core.model import TrialId
from forensicviewer.core.problem import Severity
from forensicviewer.core.rules import MEDISCORE, PLAN
from tests.build import Built, a_dataset, box, exact


@pytest.fixture
def built(tmp_path: Path) -> Built:
    made = a_dataset(tmp_path / "work")
    for trial in ("p1", "p2"):
        made = made.with_trial(trial, manipulated=box(10, 10, 40, 40)).with_answer(trial, exact())
    return made.write()


def a_desk() -> Desk:
    return Desk(inline_jobs(), Settings())


def opened(*submissions: Path, built: Built) -> Desk:
    desk = a_desk()
    desk.open(OpenRequest(built.root, submissions or (built.submission,)))
    return desk


def kept() -> str:
    return autosave_path().read_text()


def test_filter_order_and_layout_are_kept_as_soon_as_they_change(built: Built) -> None:
    desk = opened(built=built)
    desk.autosave()

    desk.trials.set_text("p2")
    desk.autosave()
    assert '"p2"' in kept()
    desk.trials.set_sort(Sort(MCC, descending=True))
    desk.autosave()
    session, _ = read_session(autosave_path())
    assert session is not None
    assert session.sort == Sort(MCC, descending=True)
    desk.choose_layout("adjudicate")
    desk.autosave()

    assert '"adjudicate"' in kept()


def test_a_run_that_opens_nothing_keeps_the_session_of_the_last(built: Built) -> None:
    opened(built=built).close()
    before = kept()
    away = built.root.rename(built.root.with_name("away"))

    desk = a_desk()
    desk.restore_last()
    assert desk.workbench.state.problems[0].rule == MISSING_PLACE
    desk.choose_layout("annotate")
    desk.autosave()
    desk.close()
    assert kept() == before

    away.rename(built.root)
    again = a_desk()
    again.restore_last()
    assert again.workbench.state.trial_id == "p1"


def test_closing_the_dataset_ends_its_session(built: Built) -> None:
    desk = opened(built=built)
    desk.close_dataset()
    desk.close()

    again = a_desk()
    again.restore_last()

    assert again.workbench.state.dataset is None


def test_a_session_goes_on_where_its_dataset_is_now(built: Built, tmp_path: Path) -> None:
    desk = opened(built=built)
    desk.workbench.select_trial(TrialId("p2"))
    desk.workbench.set_threshold(77)
    saved = tmp_path / "mine.fvsession"
    desk.save_session(saved)
    shutil.move(built.root.parent, tmp_path / "elsewhere")

    again = a_desk()
    again.open_session(saved)
    assert again.workbench.state.dataset is None
    assert again.lost_session == saved
    again.open_session(saved, dataset=tmp_path / "elsewhere" / built.root.name)

    state = again.workbench.state
    assert (state.trial_id, state.thresholds.main) == ("p2", 77)
    assert [one.origin for one in state.submissions] == [
        tmp_path / "elsewhere" / built.submission.name
    ]
    assert again.lost_session is None
    assert "session-changed" not in [problem.rule for problem in state.problems]


def test_the_system_looked_at_stays_the_same_when_another_is_gone(
    built: Built, tmp_path: Path
) -> None:
    systems = [built.copied_submission(tmp_path / name) for name in "abc"]
    desk = opened(*systems, built=built)
    desk.workbench.choose_systems(1, 2)
    desk.close()
    shutil.rmtree(systems[0])

    again = a_desk()
    again.restore_last()

    state = again.workbench.state
    assert state.submission is not None
    assert state.rival_submission is not None
    assert (state.submission.origin, state.rival_submission.origin) == (systems[1], systems[2])
    assert MISSING_PLACE in [problem.rule for problem in state.problems]


def test_the_system_looked_at_stays_the_same_when_another_cannot_be_read(
    built: Built, tmp_path: Path
) -> None:
    systems = [built.copied_submission(tmp_path / name) for name in "abc"]
    desk = opened(*systems, built=built)
    desk.workbench.choose_systems(2, None)
    desk.close()
    for table in systems[0].glob("*.csv"):
        table.unlink()

    again = a_desk()
    again.restore_last()

    submission = again.workbench.state.submission
    assert submission is not None
    assert submission.origin == systems[2]


def test_a_session_named_from_its_own_folder_notices_changes(
    built: Built, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = built.root.parent / "mine.fvsession"
    opened(built=built).save_session(saved)
    index = next(built.root.rglob("*index.csv"))
    index.write_text(f"{index.read_text()}\n")
    monkeypatch.chdir(saved.parent)

    desk = a_desk()
    desk.open_named(OpenRequest(Path(os.path.relpath(saved))))

    rules = [problem.rule for problem in desk.workbench.state.problems]
    assert "session-changed" in rules


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("{", "cannot be used"),
        ('{"kind": "notebook"}', "not a session file"),
        ('{"kind": "session", "version": 99}', "newer forensicviewer"),
        ('{"kind": "session", "version": 3}', "does not name a dataset"),
    ],
)
def test_a_session_somebody_names_is_never_passed_over(
    tmp_path: Path, content: str, told: str
) -> None:
    (tmp_path / "mine.fvsession").write_text(content)
    desk = a_desk()

    desk.open_paths([tmp_path / "mine.fvsession"])

    (problem,) = desk.workbench.state.problems
    assert problem.severity is Severity.ERROR
    assert told in problem.message


def test_a_session_is_known_by_its_name_in_capitals(built: Built, tmp_path: Path) -> None:
    opened(built=built).save_session(tmp_path / "MINE.FVSESSION")

    desk = a_desk()
    desk.open_named(OpenRequest(tmp_path / "MINE.FVSESSION"))

    assert desk.workbench.state.trial_id == "p1"


def test_a_session_of_a_task_that_has_gone_opens_the_dataset_all_the_same(
    built: Built, tmp_path: Path
) -> None:
    saved = tmp_path / "mine.fvsession"
    opened(built=built).save_session(saved)
    saved.write_text(saved.read_text().replace('"manipulation"', '"splice"'))
    desk = a_desk()
    said: list[str] = []

    def listen(state: ViewState, change: Change) -> None:
        told = announcement.opened(state, change) if Change.DATASET in change else None
        said.extend([] if told is None else told.text.splitlines()[-1:])

    desk.workbench.subscribe(listen)
    desk.open_session(saved)

    assert desk.workbench.state.trial_id == "p1"
    assert "task.absent" in [problem.rule for problem in desk.workbench.state.problems]
    assert said == ["1 warning"]


def test_a_session_of_another_rule_set_has_the_kernels_of_the_one_in_use(
    built: Built, tmp_path: Path
) -> None:
    desk = opened(built=built)
    desk.workbench.set_rules(PLAN)
    desk.save_session(tmp_path / "plan.fvsession")
    desk.workbench.set_kernels(Kernels(distraction_px=3))
    desk.save_session(tmp_path / "own.fvsession")
    desk.workbench.set_rules(MEDISCORE)
    found = []

    for name in ("plan", "own"):
        desk.open_session(tmp_path / f"{name}.fvsession")
        found.append(desk.workbench.state.scoring.kernels.distraction_px)

    assert found == [15, 3]
    assert desk.workbench.state.rules == MEDISCORE
