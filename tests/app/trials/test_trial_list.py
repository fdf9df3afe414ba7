"""The list of trials when it is long: everything through jobs, nothing at once."""

from collections.abc import Iterator
from pathlib import Path, PurePath

import numpy as np
import pytest

from forensicviewer.app.datasets.opening import open_dataset
from forensicviewer.app.runtime.jobs import inline_jobs
from forensicviewer.app.trials.score_columns import MCC, NMM, Scores
from forensicviewer.app.trials.trial_filter import Sort, TrialFilter
from forensicviewer.app.trials.trial_list import LIST_LANE, FoundTrial, ListChange, TrialList
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.core.model import Dataset, Edition, TrialId
from tests.app.trials.test_library import a_submission, a_task
from tests.build import a_dataset, box
from tests.hall import Hall

N = 6_000


@pytest.fixture
def bench() -> Workbench:
    return Workbench(inline_jobs())


@pytest.fixture
def trials(bench: Workbench) -> TrialList:
    listed = TrialList(bench)
    ids = [f"p{n:05d}" for n in range(N)]
    task = a_task({"ProbeFileID": ids, "IsTarget": ["Y", "N"] * (N // 2)})
    submission = a_submission({"ProbeFileID": ids[: N // 2], "ConfidenceScore": ["0.5"] * (N // 2)})
    dataset = Dataset(PurePath("data"), "big", Edition.NC2017, (task,))
    bench.show_dataset(dataset, task, submissions=(submission,))
    return listed


def test_a_long_list_is_prepared_filtered_and_sorted(bench: Workbench, trials: TrialList) -> None:
    trials.set_filter(TrialFilter("IsTarget == 'N'"))
    trials.set_sort(Sort("Trial", descending=True))

    assert len(trials) == N // 2
    assert trials.id_at(0) == f"p{N - 1:05d}"
    assert {facet.column for facet in trials.facets} >= {"Target", "Status"}
    assert bench.state.trial_id == "p00000"
    assert trials.place is None


def test_a_query_nobody_can_read_leaves_a_long_list_as_it_was(trials: TrialList) -> None:
    trials.set_text("IsTarget ==")

    assert trials.error is not None
    assert len(trials) == N


def test_walking_from_a_hidden_trial_begins_at_the_first(
    bench: Workbench, trials: TrialList
) -> None:
    trials.set_text("p00100 ")

    trials.step(1)

    assert bench.state.trial_id == "p00100"


def test_scores_that_came_in_change_the_order_that_depends_on_them(trials: TrialList) -> None:
    trials.set_sort(Sort(MCC))
    heard: list[ListChange] = []
    trials.subscribe(heard.append)
    scores = Scores.unknown(N)
    scores[MCC][[7, 9]] = [0.5, 0.25]

    trials.put_scores(scores)

    assert [trials.id_at(place) for place in (0, 1)] == ["p00009", "p00007"]
    assert ListChange.CELLS in heard[0]
    assert np.isnan(scores[NMM]).all()


def test_scores_of_another_task_are_refused(trials: TrialList) -> None:
    before = trials.library

    trials.put_scores(Scores.unknown(3))

    assert trials.library is before


def test_without_scores_or_open_trials_there_is_nowhere_to_go(
    bench: Workbench, trials: TrialList
) -> None:
    assert not trials.next_worst()
    every = [TrialId(f"p{n:05d}") for n in range(N)]
    assert not trials.next_among(done=every)
    assert not trials.next_among(done=(), only=())
    assert trials.next_among(done=every[:7], only=every[5:9])
    assert bench.state.trial_id == "p00007"


def test_an_empty_list_goes_nowhere(bench: Workbench) -> None:
    trials = TrialList(bench)

    trials.step(1)
    trials.set_text("anything")

    assert (trials.next_worst(), trials.next_among(done=()), trials.place) == (False, False, None)


def test_the_neighbours_in_the_order_are_read_ahead(bench: Workbench, trials: TrialList) -> None:
    trials.set_sort(Sort("Trial", descending=True))

    trials.select_place(10)

    assert bench.state.trial_id == f"p{N - 11:05d}"
    assert bench._neighbours == tuple(f"p{N - 11 + step:05d}" for step in (-1, 1, -2))


def test_letters_find_trials_of_a_long_list(trials: TrialList) -> None:
    found: list[FoundTrial] = []

    trials.find("5999", limit=3, then=found.extend)

    assert [trial.id for trial in found] == ["p05999"]
    assert found[0].text == "N"


def test_scores_that_move_no_row_leave_the_list_alone(trials: TrialList) -> None:
    trials.set_text("IsTarget == 'Y'")
    heard: list[ListChange] = []
    trials.subscribe(heard.append)

    trials.put_scores(Scores.unknown(N))

    assert not any(ListChange.ROWS in change for change in heard)


def test_a_verdict_that_hides_its_trial_does_not_send_the_judge_back_to_the_first(
    bench: Workbench, trials: TrialList
) -> None:
    trials.set_text("Verdict == ''")
    trials.select_place(100)

    trials.put_verdicts({TrialId("p00100"): "Sound"})
    assert trials.place is None
    trials.step(1)
    assert bench.state.trial_id == "p00101"

    trials.put_verdicts({TrialId("p00100"): "Sound", TrialId("p00101"): "Sound"})
    trials.step(-1)
    assert bench.state.trial_id == "p00099"


def test_from_a_hidden_trial_the_next_unreviewed_may_be_the_first(
    bench: Workbench, trials: TrialList
) -> None:
    trials.set_text("p00100 ")

    assert trials.next_among(done=())

    assert bench.state.trial_id == "p00100"


def a_dataset_of(names: list[str]) -> Dataset:
    task = a_task({"ProbeFileID": names, "IsTarget": ["Y"] * len(names)})
    return Dataset(PurePath("data"), names[0], Edition.NC2017, (task,))


def show(bench: Workbench, dataset: Dataset) -> None:
    bench.show_dataset(dataset, dataset.tasks[0])


@pytest.fixture
def hall() -> Iterator[Hall]:
    made = Hall()
    yield made
    made.jobs.close()


def test_rows_of_a_list_that_is_gone_are_not_shown_in_the_next(hall: Hall) -> None:
    bench = Workbench(hall.jobs)
    listed = TrialList(bench)
    show(bench, a_dataset_of([f"p{n:05d}" for n in range(N)]))
    hall.settle()
    listed.set_text("p0")

    show(bench, a_dataset_of(["a", "b"]))
    hall.settle()

    assert [str(listed.id_at(place)) for place in range(len(listed))] == ["a", "b"]


def test_nothing_is_listed_once_the_dataset_is_closed(hall: Hall) -> None:
    bench = Workbench(hall.jobs)
    listed = TrialList(bench)
    show(bench, a_dataset_of([f"p{n:05d}" for n in range(N)]))
    hall.settle()
    listed.set_text("p0")

    bench.close_dataset()
    hall.settle()

    assert (len(listed), listed.library) == (0, None)


def test_a_list_that_is_read_is_not_overtaken_by_a_filter_for_the_one_before(hall: Hall) -> None:
    bench = Workbench(hall.jobs)
    listed = TrialList(bench)
    show(bench, a_dataset_of([f"p{n:05d}" for n in range(N)]))
    hall.settle()
    listed.set_text("p0")

    show(bench, a_dataset_of([f"q{n:05d}" for n in range(N)]))
    listed.set_text("q00001")
    hall.settle()

    assert [str(listed.id_at(place)) for place in range(len(listed))] == ["q00001"]


def test_what_is_typed_early_does_not_keep_a_list_from_being_prepared(hall: Hall) -> None:
    bench = Workbench(hall.jobs)
    listed = TrialList(bench)
    show(bench, a_dataset_of([f"p{n:05d}" for n in range(N)]))
    hall.fetch_until(lambda: listed.library is not None)
    seen = set[str]()
    hall.jobs.watch(lambda: seen.update(status.title for status in hall.jobs.statuses()))

    listed.set_text("p00001")
    listed.set_text("p00002")
    hall.settle()

    assert [str(listed.id_at(place)) for place in range(len(listed))] == ["p00002"]
    assert "Preparing the filter" in seen


def test_an_answer_about_journals_does_not_come_after_the_filter_was_cleared(
    hall: Hall, tmp_path: Path
) -> None:
    built = a_dataset(tmp_path).with_trial("p1", manipulated={"Heal": box(1, 1, 9, 9)})
    dataset = open_dataset(built.with_trial("p2").write().root)
    bench = Workbench(hall.jobs)
    listed = TrialList(bench)
    show(bench, dataset)
    hall.settle()
    listed.set_text("Operation == 'Heal'")
    assert hall.jobs.is_busy(LIST_LANE)

    listed.set_text("")
    hall.settle()

    assert len(listed) == 2
