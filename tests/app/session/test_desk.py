"""The desk: opening whatever is named, sessions, the list and its scores, verdicts."""

import csv
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from forensicviewer.app.report.separated_text import write_table
from forensicviewer.app.runtime.jobs import InlineExecutor, Jobs, inline_jobs
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.session.locate import trial_named_by
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.session.recent import PlaceKind
from forensicviewer.app.session.recognise import recognise
from forensicviewer.app.session.session_file import (
    PaneView,
    Session,
    autosave_path,
    read_session,
    write_session,
)
from forensicviewer.app.settings import SCORE_IN_BACKGROUND, THUMBNAILS, Settings
from forensicviewer.app.trials.library import VERDICT
from forensicviewer.app.trials.score_columns import MCC, NMM
from forensicviewer.app.trials.trial_filter import Sort, TrialFilter
from forensicviewer.app.trials.trial_list import ListChange
from forensicviewer.app.workbench.state import CompareMode, ViewEdits, Viewpoint, ViewState
from forensicviewer.cli import main
from forensicviewer.core.model import TrialId
from forensicviewer.core.problem import Problem, Severity, Topic
from forensicviewer.core.verdict import Ruling
from tests.build import Built, a_dataset, blurred, box, exact, nothing
from tests.video_build import a_video_dataset


@pytest.fixture
def built(tmp_path: Path) -> Built:
    return (
        a_dataset(tmp_path)
        .nist("NC2017")
        .with_trial("p1", manipulated={"Paste": box(10, 10, 40, 40), "Clone": box(45, 5, 60, 20)})
        .with_trial("p2", manipulated=box(5, 5, 30, 30), facts={"Camera": "Nikon"})
        .with_trial("p3", manipulated=box(20, 8, 50, 40))
        .with_trial("p4")
        .with_answer("p1", blurred(5), confidence="0.9")
        .with_answer("p2", nothing(), confidence="0.2")
        .with_answer("p3", exact(), confidence="0.7")
        .with_answer("p4", nothing(), confidence="0.1")
        .write()
    )


@pytest.fixture
def desk() -> Desk:
    return Desk(inline_jobs(), Settings())


def opened(desk: Desk, built: Built) -> Desk:
    desk.open(OpenRequest(built.root, (built.submission,)))
    return desk


def no_error(error: BaseException) -> None:
    raise error


def read_table(path: Path, separator: str) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text().splitlines(), delimiter=separator))


def listed(desk: Desk) -> list[str]:
    return [desk.trials.id_at(place) for place in range(len(desk.trials))]


def test_a_dataset_and_a_submission_open_together(desk: Desk, built: Built) -> None:
    opened(desk, built)

    state = desk.workbench.state
    assert (state.trial_id, len(state.submissions)) == ("p1", 1)
    assert listed(desk) == ["p1", "p2", "p3", "p4"]
    kinds = [place.kind for place in desk.recent.places]
    assert kinds == [PlaceKind.SUBMISSION, PlaceKind.DATASET]


def test_whatever_is_dropped_is_opened_as_what_it_is(desk: Desk, built: Built) -> None:
    table = next(built.submission.glob("*.csv"))

    desk.open_paths([table, built.root])

    assert desk.workbench.state.submission is not None


def test_a_submission_alone_says_what_it_needs(desk: Desk, built: Built) -> None:
    desk.open_paths([built.submission])

    assert desk.workbench.state.dataset is None
    assert "needs its dataset" in desk.workbench.state.problems[0].message


def test_what_cannot_be_opened_is_a_problem_and_the_old_dataset_stays(
    desk: Desk, built: Built, tmp_path: Path
) -> None:
    opened(desk, built)
    (tmp_path / "holiday.jpg").write_bytes(b"\xff\xd8")
    (tmp_path / "empty").mkdir()

    desk.open_paths([tmp_path / "holiday.jpg"])
    desk.open_dataset(tmp_path / "empty")

    assert desk.workbench.state.trial_id == "p1"
    messages = [problem.message for problem in desk.workbench.state.problems]
    assert "forensicviewer cannot open this" in messages
    assert len(messages) >= 2


def test_answers_to_another_task_of_the_dataset_bring_that_task(desk: Desk, tmp_path: Path) -> None:
    stills = a_dataset(tmp_path).with_trial("p1").with_answer("p1").write()
    splices = (
        a_dataset(tmp_path).with_trial("s1", donor="d1").with_answer("s1+d1", nothing()).write()
    )
    desk.open(OpenRequest(stills.root, (stills.submission,)))
    assert desk.workbench.state.task is not None
    assert desk.workbench.state.task.name == "manipulation"

    desk.open_submissions([splices.submission])

    assert desk.workbench.state.task.name == "splice"
    assert [one.name for one in desk.workbench.state.submissions] == [splices.submission.name]
    assert len(desk.session().submissions) == 1


def test_the_list_holds_the_numbers_of_the_command_line(
    desk: Desk, built: Built, tmp_path: Path
) -> None:
    opened(desk, built)
    main(["score", "mask", str(built.root), str(built.submission), "--out", str(tmp_path / "o")])

    written = next((tmp_path / "o").glob("*perimage.csv"))
    rows = {row["ProbeFileID"]: row for row in read_table(written, "|")}
    library = desk.trials.library
    assert library is not None
    shown = {library.id_of(row): library.scores[MCC][row] for row in range(3)}
    assert shown == {name: float(row["OptimumMCC"]) for name, row in rows.items()}
    assert np.isnan(library.scores[MCC][3])
    assert library.column(NMM).text(2) == f"{float(rows['p3']['OptimumNMM']):.3f}"


def test_videos_are_listed_with_the_numbers_of_the_command_line(desk: Desk, tmp_path: Path) -> None:
    film = a_video_dataset(tmp_path)
    desk.open(OpenRequest(film.root, (film.submission,)))
    out = tmp_path / "o"
    main(["score", "temporal", str(film.root), str(film.submission), "--out", str(out)])

    (row,) = read_table(out / "scores_probes.csv", "|")
    assert desk.trials.library is not None
    assert desk.trials.library.scores[MCC][0] == float(row["MCC"])


def test_other_kernels_score_the_list_again(desk: Desk, built: Built) -> None:
    opened(desk, built)
    library = desk.trials.library
    assert library is not None
    before = library.scores[NMM].copy()

    kernels = desk.workbench.state.scoring.kernels
    desk.workbench.set_kernels(type(kernels)(kernels.shape, 3, 3, 3))

    assert desk.trials.library is not None
    assert not np.array_equal(before[:3], desk.trials.library.scores[NMM][:3])


def test_scoring_in_the_background_can_be_turned_off(built: Built) -> None:
    settings = Settings()
    settings.change(SCORE_IN_BACKGROUND, False)  # noqa: FBT003 - the value of a setting
    desk = opened(Desk(inline_jobs(), settings), built)

    assert desk.trials.library is not None
    assert np.isnan(desk.trials.library.scores[MCC]).all()


def test_the_worst_trial_comes_first_and_then_the_next_worse(desk: Desk, built: Built) -> None:
    opened(desk, built)

    desk.trials.next_worst()
    first = desk.workbench.state.trial_id
    desk.trials.next_worst()

    assert first == "p2"
    assert desk.workbench.state.trial_id in ("p1", "p3")


def test_walking_follows_the_order_and_the_filter(desk: Desk, built: Built) -> None:
    opened(desk, built)
    desk.trials.set_sort(Sort(MCC, descending=True))
    desk.trials.set_filter(TrialFilter("IsTarget == 'Y'"))

    desk.trials.select_place(0)
    desk.trials.step(1)
    desk.trials.step(5)

    assert listed(desk)[-1] == "p2"
    assert desk.workbench.state.trial_id == "p2"


def test_a_query_nobody_can_read_leaves_the_list_as_it_was(desk: Desk, built: Built) -> None:
    opened(desk, built)

    desk.trials.set_text("IsTarget = 'Y'")

    assert desk.trials.error is not None
    assert len(desk.trials) == 4
    desk.trials.set_text("")
    assert desk.trials.error is None


def test_a_verdict_stands_in_the_list_and_reviewed_trials_are_passed_over(
    desk: Desk, built: Built
) -> None:
    opened(desk, built)
    desk.judging.say(Ruling.REFERENCE_WRONG, note="moved")
    assert desk.trials.library is not None
    assert desk.trials.library.column(VERDICT).text(0) == "Reference is wrong"

    desk.workbench.select_trial(TrialId("p4"))
    desk.judging.next_unreviewed()

    assert desk.workbench.state.trial_id == "p2"


def test_taking_a_verdict_back_empties_the_cell(desk: Desk, built: Built) -> None:
    opened(desk, built)
    desk.judging.say(Ruling.SOUND)

    desk.judging.retract()

    assert desk.trials.library is not None
    assert desk.trials.library.column(VERDICT).text(0) == ""
    assert desk.judging.standing is None


def test_a_session_brings_back_what_was_looked_at(desk: Desk, built: Built) -> None:
    opened(desk, built)
    desk.workbench.select_trial(TrialId("p3"))
    desk.workbench.set_threshold(77)
    desk.workbench.set_compare(mode=CompareMode.FADE)
    desk.trials.set_sort(Sort(MCC))
    desk.trials.set_text("p")
    desk.close()

    restored = Desk(inline_jobs(), Settings())
    restored.restore_last()

    state = restored.workbench.state
    assert (state.trial_id, state.thresholds.main) == ("p3", 77)
    assert state.compare.mode is CompareMode.FADE
    assert (restored.trials.sort, restored.trials.filter.text) == (Sort(MCC), "p")
    assert restored.session() == desk.session()


def test_a_session_file_opens_in_the_place_of_a_dataset(
    desk: Desk, built: Built, tmp_path: Path
) -> None:
    opened(desk, built).workbench.select_trial(TrialId("p2"))
    desk.save_session(tmp_path / "mine.fvsession")

    again = Desk(inline_jobs(), Settings())
    again.open(OpenRequest(tmp_path / "mine.fvsession"))

    assert again.workbench.state.trial_id == "p2"
    assert again.recent.places[0].path == str(built.submission)


def test_a_dataset_that_changed_since_the_session_is_named(desk: Desk, built: Built) -> None:
    opened(desk, built).close()
    index = next(built.root.rglob("*index.csv"))
    index.write_text(index.read_text().rsplit("manipulation", 1)[0])

    restored = Desk(inline_jobs(), Settings())
    restored.restore_last()

    rules = [problem.rule for problem in restored.workbench.state.problems]
    assert "session-changed" in rules


def test_a_session_whose_dataset_is_gone_says_so_and_opens_nothing(
    desk: Desk, built: Built
) -> None:
    opened(desk, built).close()
    shutil.rmtree(built.root)

    restored = Desk(inline_jobs(), Settings())

    restored.restore_last()
    assert restored.workbench.state.problems[0].rule == "session-missing"


def test_changes_are_saved_by_themselves(desk: Desk, built: Built) -> None:
    opened(desk, built)

    desk.autosave()
    saved = autosave_path().read_text()
    desk.workbench.select_trial(TrialId("p2"))
    desk.autosave()

    assert '"trial": "p1"' in saved
    assert '"trial": "p2"' in autosave_path().read_text()


def test_closing_the_dataset_empties_the_list(desk: Desk, built: Built) -> None:
    opened(desk, built)
    heard: list[ListChange] = []
    desk.trials.subscribe(heard.append)

    desk.close_dataset()

    assert len(desk.trials) == 0
    assert desk.session().dataset is None
    assert any(ListChange.ROWS in change for change in heard)


def test_answers_to_a_dataset_closed_meanwhile_are_put_away(built: Built) -> None:
    held: list[Callable[[], None]] = []
    desk = Desk(Jobs(InlineExecutor(), held.append, no_error), Settings())

    def go_on() -> None:
        while held:
            held.pop(0)()

    desk.open(OpenRequest(built.root))
    go_on()
    desk.open_submissions([built.submission])
    desk.close_dataset()
    go_on()

    assert (desk.workbench.state.dataset, desk.workbench.state.submissions) == (None, ())
    assert [place.kind for place in desk.recent.places] == [PlaceKind.DATASET]


def test_a_recent_submission_brings_its_dataset(desk: Desk, built: Built) -> None:
    opened(desk, built)
    place = desk.recent.places[0]
    desk.close_dataset()

    desk.open_recent(place)

    assert desk.workbench.state.submission is not None


def test_the_listed_trials_are_written_in_their_order(
    desk: Desk, built: Built, tmp_path: Path
) -> None:
    opened(desk, built)
    desk.trials.set_sort(Sort("Trial", descending=True))
    library = desk.trials.library
    assert library is not None

    cells = library.cells(desk.trials.rows, library.names)
    write_table(tmp_path / "trials.tsv", library.names, cells)

    rows = read_table(tmp_path / "trials.tsv", "\t")
    assert [row["Trial"] for row in rows] == ["p4", "p3", "p2", "p1"]
    assert rows[2]["Camera"] == "Nikon"


@pytest.mark.parametrize(
    ("problem", "trial"),
    [
        (Problem(Severity.ERROR, "cannot be read", "mask/p3.png"), "p3"),
        (Problem(Severity.ERROR, "odd row", "NC2017-manipulation-index.csv:3"), "p2"),
        (Problem(Severity.ERROR, "odd row", "NC2017-manipulation-ref.csv:4"), "p3"),
        (Problem(Severity.ERROR, "odd row", "elsewhere.csv:3"), None),
        (Problem(Severity.ERROR, "like p1", "mask/p3.png", trial=TrialId("p2")), "p2"),
        (Problem(Severity.ERROR, "not listed", "mask/p3.png", trial=TrialId("other")), None),
        (Problem(Severity.ERROR, "The column p2 is not understood"), None),
    ],
)
def test_a_problem_leads_to_its_trial_and_not_to_one_its_words_happen_to_name(
    desk: Desk, built: Built, problem: Problem, trial: str | None
) -> None:
    state = opened(desk, built).workbench.state

    assert trial_named_by(problem, state) == trial


def test_a_file_named_by_a_table_alone_leads_to_its_trial(desk: Desk, built: Built) -> None:
    (table,) = built.submission.glob("*.csv")
    text = table.read_text(encoding="utf-8").replace("mask/p2.png", "mask/other.png")
    table.write_text(text, encoding="utf-8")
    state = opened(desk, built).workbench.state

    where = built.submission / "mask" / "other.png"

    assert trial_named_by(Problem(Severity.ERROR, "not there", str(where)), state) == "p2"
    assert trial_named_by(Problem(Severity.ERROR, "odd", "mask/none.png"), state) is None


def test_blank_lines_of_a_table_do_not_lead_to_the_trial_before(desk: Desk, built: Built) -> None:
    index = built.table("-index.csv")
    head, first, *rest = index.read_text(encoding="utf-8").splitlines()
    index.write_text("\n".join([head, first, "", "", *rest]), encoding="utf-8")
    state = opened(desk, built).workbench.state

    for line, trial in ((2, "p1"), (3, None), (5, "p2"), (6, "p3"), (99, None)):
        where = f"{index.name}:{line}"
        assert trial_named_by(Problem(Severity.ERROR, "odd row", where), state) == trial


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("system.csv", "ProbeFileID|ConfidenceScore\n", PlaceKind.SUBMISSION),
        ("x-index.csv", "TaskID|ProbeFileID\n", PlaceKind.DATASET),
        ("answers.tgz", "", PlaceKind.SUBMISSION),
        ("mine.fvsession", "", PlaceKind.SESSION),
        ("notes.txt", "", None),
    ],
)
def test_files_are_recognised_by_name_and_first_line(
    tmp_path: Path, name: str, content: str, kind: PlaceKind | None
) -> None:
    (tmp_path / name).write_text(content)

    intent = recognise(tmp_path / name)

    assert (None if intent is None else intent.kind) is kind


def test_folders_are_recognised_by_what_lies_in_them(built: Built) -> None:
    dataset, submission = recognise(built.root), recognise(built.submission)

    assert dataset is not None
    assert dataset.sentence == "Open NC2017 as dataset"
    assert submission is not None
    assert submission.kind is PlaceKind.SUBMISSION


@pytest.fixture
def closed_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No folder of the user can be made, because a file has its name."""
    taken = tmp_path / "taken"
    taken.write_text("")
    for variable in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(variable, str(taken))


@pytest.mark.usefixtures("closed_home")
def test_in_a_home_that_cannot_be_written_work_goes_on_and_losses_are_told(built: Built) -> None:
    desk = opened(Desk(inline_jobs(), Settings()), built)

    desk.judging.say(Ruling.SOUND)
    desk.settings.change(THUMBNAILS, not desk.settings.of(THUMBNAILS))
    desk.judging.retract()
    desk.autosave()
    desk.close()

    told = {problem.rule for problem in desk.workbench.state.problems}
    assert {"recent-unwritten", "settings-unwritten", "verdict.unwritten"} <= told
    assert listed(desk) == ["p1", "p2", "p3", "p4"]
    assert desk.judging.standing is None


def test_a_session_brings_back_the_zoom_and_the_note_that_was_begun(
    desk: Desk, built: Built
) -> None:
    opened(desk, built)
    desk.workbench.select_trial(TrialId("p3"))
    desk.workbench.set_viewpoint(1, Viewpoint(12.5, 8.0, 6.0))
    desk.judging.drafts[TrialId("p3")] = "the rim is"
    desk.close()

    restored = Desk(inline_jobs(), Settings())
    restored.restore_last()

    assert restored.workbench.state.viewpoint(1) == Viewpoint(12.5, 8.0, 6.0)
    assert restored.judging.drafts == {"p3": "the rim is"}


@pytest.mark.parametrize("scale", [0.0, 65.0, float("nan")])
def test_a_zoom_no_pane_can_have_is_left_out(tmp_path: Path, scale: float) -> None:
    path = tmp_path / "odd.fvsession"
    view = ViewEdits.of(ViewState())
    zooms = (PaneView(0, Viewpoint(1.0, 1.0, scale)),)
    write_session(Session(view=view, zooms=zooms), path)

    session, problems = read_session(path)

    assert session is not None
    assert session.zooms == ()
    assert [problem.rule for problem in problems] == ["session-view"]


def test_the_submission_that_answers_the_task_is_looked_at_first(
    desk: Desk, built: Built, tmp_path: Path
) -> None:
    other = a_dataset(tmp_path / "o").with_trial("q1", manipulated=box(5, 5, 30, 30))
    stranger = other.with_answer("q1", exact()).write().submission
    stranger = stranger.rename(tmp_path / "stranger")

    desk.open(OpenRequest(built.root, (stranger, built.submission)))

    state = desk.workbench.state
    assert state.submission is not None
    assert state.submission.name == built.submission.name
    assert [place.path for place in desk.session().submissions] == [built.submission]
    desk.open_strangers([stranger])
    assert [place.path for place in desk.session().submissions] == [built.submission, stranger]


def test_a_submission_that_cannot_be_opened_costs_nobody_the_rest(
    desk: Desk, built: Built, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.tgz"
    broken.write_bytes(b"no archive")

    desk.open(OpenRequest(built.root, (broken, built.submission)))

    state = desk.workbench.state
    assert [str(found.origin) for found in state.submissions] == [str(built.submission)]
    assert any(str(broken) in problem.where for problem in state.problems)
    assert [place.path for place in desk.session().submissions] == [built.submission]


def test_a_session_with_a_submission_that_is_broken_now_shows_the_other(
    desk: Desk, built: Built, tmp_path: Path
) -> None:
    second = tmp_path / "second"
    shutil.copytree(built.submission, second)
    desk.open(OpenRequest(built.root, (built.submission, second)))
    desk.close()
    shutil.rmtree(second)
    second.write_bytes(b"")

    restored = Desk(inline_jobs(), Settings())
    restored.restore_last()

    assert len(restored.workbench.state.submissions) == 1
    assert restored.workbench.state.rival_submission is None


def test_problems_that_were_mended_are_gone_after_reloading(desk: Desk, built: Built) -> None:
    table = next(built.root.rglob("*index.csv"))
    whole = table.read_text(encoding="utf-8")
    table.write_text(whole + "\n".join(whole.splitlines()[-1:]) + "\n", encoding="utf-8")
    opened(desk, built)
    before = desk.workbench.state.problems
    own = Problem(Severity.WARNING, "not written", "settings.json", topic=Topic.PROGRAM)
    desk.workbench.report([own])
    table.write_text(whole, encoding="utf-8")

    desk.reload()

    assert before
    assert not set(before) & set(desk.workbench.state.problems)
    assert own in desk.workbench.state.problems


def test_another_dataset_does_not_begin_with_the_verdicts_of_the_last(
    desk: Desk, built: Built, tmp_path: Path
) -> None:
    desk.open(OpenRequest(built.root))
    desk.judging.say(Ruling.UNCLEAR)
    other = a_dataset(tmp_path / "other").with_trial("p1").write()
    seen: list[int] = []

    def count(_change: ListChange) -> None:
        library = desk.trials.library
        seen.append(0 if library is None else len(library.verdicts))

    desk.trials.subscribe(count)
    desk.open(OpenRequest(other.root))

    assert set(seen) == {0}


def test_verdicts_follow_a_dataset_that_moved(desk: Desk, built: Built, tmp_path: Path) -> None:
    opened(desk, built)
    desk.judging.say(Ruling.UNCLEAR)
    session = tmp_path / "mine.fvsession"
    write_session(desk.session(), session)
    desk.close()
    moved = built.root.rename(tmp_path / "elsewhere")
    again = Desk(inline_jobs(), Settings())

    again.open_session(session)
    lost = [problem.rule for problem in again.workbench.state.problems]
    again.open_session(session, dataset=moved)

    assert lost == ["session-missing"]
    assert again.judging.standing is not None
    assert again.judging.standing.label == "Unclear"
    assert again.workbench.state.problems == ()
    again.judging.say(Ruling.SOUND)
    again.open_session(session, dataset=moved)
    assert again.judging.standing.label == "Reference is correct"
