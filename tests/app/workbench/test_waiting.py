"""The workbench while answers are on their way: overtaken by other wishes, or called off."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forensicviewer.app.datasets.opening import open_dataset, open_submission
from forensicviewer.app.runtime.jobs import InlineExecutor, Jobs
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.open_trial import SCORE_LANE, TRIAL_LANE
from forensicviewer.app.workbench.state import FOUR_PANES, Layer, Pane
from forensicviewer.core.kernel import Kernels
from forensicviewer.core.model import Dataset, Side, Submission, TrialId
from tests.build import a_dataset, blurred, box, exact
from tests.hall import Hall

NARROW = Kernels(erode_px=3, dilate_px=3)


@pytest.fixture
def hall() -> Iterator[Hall]:
    made = Hall()
    yield made
    made.jobs.close()


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> tuple[Dataset, Submission]:
    built = (
        a_dataset(tmp_path_factory.mktemp("data"))
        .with_trial("p1", manipulated=box(4, 4, 24, 24))
        .with_trial("p2", manipulated=box(10, 10, 50, 40))
        .with_answer("p1", blurred(5))
        .with_answer("p2", exact())
        .write()
    )
    dataset = open_dataset(built.root)
    return dataset, open_submission(built.submission, task=dataset.tasks[0])


@pytest.fixture
def bench(opened: tuple[Dataset, Submission], hall: Hall) -> Workbench:
    dataset, submission = opened
    made = Workbench(hall.jobs)
    made.show_dataset(dataset, dataset.tasks[0], submissions=(submission,))
    return made


def scored_px(bench: Workbench) -> int:
    loaded = bench.state.loaded
    assert loaded is not None
    sweep = loaded.sweep(Side.PROBE, 0)
    assert sweep is not None
    return int(sweep.tp[0] + sweep.fp[0])


def test_reading_called_off_after_the_trial_before_was_taken_away_goes_back_to_it(
    bench: Workbench, hall: Hall
) -> None:
    hall.settle()
    bench.select_trial(TrialId("p2"))
    bench.clear_outdated()
    assert bench.state.loaded is None

    hall.jobs.call_off(TRIAL_LANE)
    hall.settle()

    assert (bench.state.trial_id, bench.state.is_loading) == ("p1", False)
    assert bench.state.is_current


def test_what_is_shown_of_the_open_trial_is_never_taken_away(bench: Workbench, hall: Hall) -> None:
    hall.settle()
    bench.set_panes((*FOUR_PANES, Pane(Layer.BASE)))
    assert bench.state.is_loading

    bench.clear_outdated()

    assert bench.state.is_current


def test_a_pane_taken_back_before_it_is_read_is_not_awaited(bench: Workbench, hall: Hall) -> None:
    hall.settle()
    bench.set_panes((*FOUR_PANES, Pane(Layer.BASE)))
    assert bench.state.is_loading

    bench.undo()
    at_once = bench.state.is_loading
    hall.settle()

    assert (at_once, bench.state.is_loading) == (False, False)


def test_bit_planes_taken_back_before_they_are_read_are_not_awaited(
    bench: Workbench, hall: Hall
) -> None:
    hall.settle()
    bench.set_scoring(uses_bit_planes=True)
    assert bench.state.is_loading

    bench.undo()
    hall.settle()

    assert not bench.state.is_loading
    assert bench.state.loaded is not None
    assert bench.state.loaded.request == bench.request


def test_a_pane_added_while_the_first_trial_is_read_is_waited_for(
    bench: Workbench, hall: Hall
) -> None:
    assert bench.state.loaded is None
    bench.set_panes((*FOUR_PANES, Pane(Layer.BASE)))

    hall.settle()

    assert bench.state.is_current
    assert not bench.state.is_loading


def test_panes_moved_while_a_trial_is_read_do_not_read_it_twice(
    bench: Workbench, hall: Hall
) -> None:
    bench.set_panes(FOUR_PANES[:2])

    assert [status.lane for status in hall.jobs.statuses()].count(TRIAL_LANE) == 1


def test_reading_that_is_called_off_goes_back_to_the_trial_that_is_shown(
    bench: Workbench, hall: Hall
) -> None:
    hall.settle()
    bench.set_scoring(honours_opt_out=True)
    hall.settle()
    bench.select_trial(TrialId("p2"))

    hall.jobs.call_off(TRIAL_LANE)
    hall.settle()

    assert (bench.state.trial_id, bench.state.is_loading) == ("p1", False)
    assert bench.state.is_current
    bench.select_trial(TrialId("p2"))
    hall.settle()
    assert bench.state.is_current
    assert bench.state.trial_id == "p2"


def test_the_first_trial_called_off_can_be_asked_for_again(bench: Workbench, hall: Hall) -> None:
    hall.jobs.call_off(TRIAL_LANE)
    hall.settle()
    assert (bench.state.trial_id, bench.state.loaded) == (None, None)

    bench.select_trial(TrialId("p1"))
    hall.settle()

    assert bench.state.is_current


def test_scoring_that_is_called_off_leaves_the_kernels_of_the_numbers_shown(
    bench: Workbench, hall: Hall
) -> None:
    hall.settle()
    kernels, before = bench.state.scoring.kernels, scored_px(bench)
    bench.set_kernels(NARROW)

    hall.jobs.call_off(SCORE_LANE)
    hall.settle()

    assert (bench.state.scoring.kernels, scored_px(bench)) == (kernels, before)
    bench.set_kernels(NARROW)
    hall.settle()
    assert bench.state.scoring.kernels == NARROW
    assert scored_px(bench) != before


def test_masks_of_a_submission_put_away_are_not_kept_for_those_called_off(
    bench: Workbench, hall: Hall
) -> None:
    hall.settle()
    bench.remove_submission(0)

    hall.jobs.call_off(TRIAL_LANE)
    hall.settle()

    assert (bench.state.trial_id, bench.state.loaded) == (None, None)


def test_a_pane_that_is_gone_again_keeps_nobody_from_scoring(bench: Workbench, hall: Hall) -> None:
    hall.settle()
    before = scored_px(bench)
    bench.set_kernels(NARROW)
    bench.set_panes((*FOUR_PANES, Pane(Layer.BASE)))

    bench.set_panes(FOUR_PANES)
    hall.settle()

    assert not bench.state.is_loading
    assert scored_px(bench) != before


def nothing(_bench: Workbench, _jobs: Jobs) -> None:
    """Only fetch an answer."""


DEEDS: dict[str, Callable[[Workbench, Jobs], None]] = {
    "first": lambda bench, _: bench.select_trial(TrialId("p1")),
    "second": lambda bench, _: bench.select_trial(TrialId("p2")),
    "ahead": lambda bench, _: bench.set_neighbours([TrialId("p2"), TrialId("p1")]),
    "kernels": lambda bench, _: bench.set_kernels(NARROW),
    "operation": lambda bench, _: bench.set_selected_operations([0]),
    "planes": lambda bench, _: bench.set_scoring(uses_bit_planes=True),
    "base": lambda bench, _: bench.set_panes((*FOUR_PANES, Pane(Layer.BASE))),
    "four": lambda bench, _: bench.set_panes(FOUR_PANES),
    "undo": lambda bench, _: bench.undo(),
    "redo": lambda bench, _: bench.redo(),
    "close": lambda bench, _: bench.remove_submission(0),
    "no trial": lambda _, jobs: jobs.call_off(TRIAL_LANE),
    "no score": lambda _, jobs: jobs.call_off(SCORE_LANE),
    "fetch": nothing,
}


@settings(max_examples=60)
@given(deeds=st.lists(st.sampled_from([*DEEDS]), max_size=25), fetched=st.data())
def test_whatever_is_done_meanwhile_what_is_shown_is_what_is_asked_for(
    opened: tuple[Dataset, Submission], deeds: list[str], fetched: st.DataObject
) -> None:
    dataset, submission = opened
    answers: deque[Callable[[], None]] = deque()
    jobs = Jobs(InlineExecutor(), answers.append, _raise)
    bench = Workbench(jobs, cache_bytes=1)
    bench.show_dataset(dataset, dataset.tasks[0], submissions=(submission,))

    for deed in deeds:
        DEEDS[deed](bench, jobs)
        for _ in range(fetched.draw(st.integers(0, min(2, len(answers))))):
            answers.popleft()()
    while answers:
        answers.popleft()()

    loaded = bench.state.loaded
    assert not bench.state.is_loading
    assert bench.request == (None if loaded is None else loaded.request)


def _raise(error: BaseException) -> None:
    raise error
