"""The workbench while answers are on their way: overtaken by other wishes, or called off."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from forensicviewer.app.opening import open_dataset, open_submission
from forensicviewer.app.state import FOUR_PANES, Layer, Pane
from forensicviewer.app.trialview import Side
from forensicviewer.app.workbench import Workbench
from forensicviewer.core.mask import Kernels
from forensicviewer.core.model import TrialId
from tests.build import a_dataset, blurred, box, exact
from tests.hall import Hall

NARROW = Kernels(erode_px=3, dilate_px=3)


@pytest.fixture
def hall() -> Iterator[Hall]:
    made = Hall()
    yield made
    made.jobs.close()


@pytest.fixture
def bench(tmp_path: Path, hall: Hall) -> Workbench:
    built = (
        a_dataset(tmp_path)
        .with_trial("p1", manipulated=box(4, 4, 24, 24))
        .with_trial("p2", manipulated=box(10, 10, 50, 40))
        .with_answer("p1", blurred(5))
        .with_answer("p2", exact())
        .write()
    )
    dataset = open_dataset(built.root)
    submission = open_submission(built.submission, task=dataset.tasks[0])
    made = Workbench(hall.jobs)
    made.show_dataset(dataset, dataset.tasks[0], submissions=(submission,))
    return made


def scored_px(bench: Workbench) -> int:
    loaded = bench.state.loaded
    assert loaded is not None
    sweep = loaded.sweep(Side.PROBE, 0)
    assert sweep is not None
    return int(sweep.tp[0] + sweep.fp[0])


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


def test_reading_that_is_called_off_goes_back_to_the_trial_that_is_shown(
    bench: Workbench, hall: Hall
) -> None:
    hall.settle()
    bench.set_scoring(honours_opt_out=True)
    hall.settle()
    bench.select_trial(TrialId("p2"))

    hall.jobs.call_off("trial")
    hall.settle()

    assert (bench.state.trial_id, bench.state.is_loading) == ("p1", False)
    assert bench.state.is_current
    bench.select_trial(TrialId("p2"))
    hall.settle()
    assert bench.state.is_current
    assert bench.state.trial_id == "p2"


def test_the_first_trial_called_off_can_be_asked_for_again(bench: Workbench, hall: Hall) -> None:
    hall.jobs.call_off("trial")
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

    hall.jobs.call_off("score")
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

    hall.jobs.call_off("trial")
    hall.settle()

    assert (bench.state.trial_id, bench.state.loaded) == (None, None)
