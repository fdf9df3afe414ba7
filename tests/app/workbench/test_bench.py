"""The workbench: one state, one notification for each change, undo, snaps and caches."""

from __future__ import annotations

from pathlib import Path

import pytest

from forensicviewer.app.language.units import AreaUnit, TimeUnit, Units
from forensicviewer.app.runtime.jobs import inline_jobs
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.state import (
    Change,
    Layer,
    OverlayStyle,
    Pane,
    Snap,
    Viewpoint,
    ViewState,
)
from forensicviewer.core.kernel import Kernels, KernelShape
from forensicviewer.core.model import Side, TrialId
from forensicviewer.core.palette import Outcome, PaletteName
from forensicviewer.core.problem import Problem, Severity
from tests.bench_build import put_dataset, put_submission
from tests.build import a_dataset, blurred, box, exact, inverted

TWO = {"PasteSplice": box(4, 4, 24, 24), "Heal": box(36, 20, 60, 44)}


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    built = (
        a_dataset(tmp_path)
        .with_trial("p1", manipulated=TWO)
        .with_trial("p2", manipulated=box(10, 10, 50, 40))
        .with_trial("p3")
        .with_answer("p1", blurred(5))
        .with_answer("p2", inverted())
        .with_answer("p3", exact())
        .write()
    )
    made = Workbench(inline_jobs())
    put_dataset(made, built.root)
    put_submission(made, built.submission)
    return made


def changes_of(bench: Workbench) -> list[Change]:
    heard: list[Change] = []
    bench.subscribe(lambda _state, change: heard.append(change))
    return heard


def test_opening_shows_the_first_trial_at_its_optimum(bench: Workbench) -> None:
    state = bench.state

    assert state.trial_id == "p1"
    assert state.loaded is not None
    assert state.is_current
    sweep = state.loaded.sweep(Side.PROBE, 0)
    assert sweep is not None
    assert state.thresholds.main == sweep.optimum


def test_dragging_the_threshold_asks_only_for_a_recolour(bench: Workbench) -> None:
    bench.set_threshold(1)
    heard = changes_of(bench)

    for threshold in (100, 101, 101, 201):
        bench.set_threshold(threshold)

    assert heard == [Change.THRESHOLD] * 3


def test_a_listener_that_stopped_hears_nothing(bench: Workbench) -> None:
    heard: list[Change] = []
    stop = bench.subscribe(lambda _state, change: heard.append(change))

    stop()
    bench.set_threshold(3)

    assert heard == []


def test_thresholds_stay_between_nothing_and_everything(bench: Workbench) -> None:
    bench.set_threshold(-5)
    assert bench.state.thresholds.main == 0

    bench.set_threshold(1000)
    assert bench.state.thresholds.main == 256


def test_for_nist_a_higher_threshold_calls_more(bench: Workbench) -> None:
    bench.set_threshold(128)

    bench.nudge_threshold(10)

    assert bench.state.thresholds.main == 118
    assert bench.state.shown_threshold(118) == 137


def test_a_snap_follows_from_trial_to_trial_until_the_threshold_is_set(bench: Workbench) -> None:
    bench.snap_threshold(Snap.OPTIMUM)
    first = bench.state.thresholds.main

    bench.select_trial(TrialId("p2"))
    assert bench.state.thresholds.main != first
    bench.set_threshold(77)
    bench.select_trial(TrialId("p1"))

    assert bench.state.thresholds.main == 77
    assert bench.state.thresholds.snap is None


def test_nobody_sees_another_trials_pixels_with_the_threshold_of_the_last(
    bench: Workbench,
) -> None:
    seen: list[tuple[TrialId | None, int, int | None]] = []

    def look(state: ViewState, change: Change) -> None:
        if change & (Change.LOADED | Change.SCORES) and state.loaded is not None:
            sweep = state.loaded.sweep(Side.PROBE, 0)
            best = None if sweep is None else sweep.optimum
            seen.append((state.loaded.trial.id, state.thresholds.main, best))

    bench.snap_threshold(Snap.OPTIMUM)
    bench.subscribe(look)
    bench.select_trial(TrialId("p2"))
    bench.select_trial(TrialId("p1"))
    bench.set_kernels(Kernels(erode_px=9, dilate_px=3))

    assert [trial for trial, _, _ in seen] == ["p2", "p1", "p1"]
    assert [threshold for _, threshold, _ in seen] == [best for _, _, best in seen]
    assert len({best for _, _, best in seen}) > 1


def test_snaps_are_those_that_exist(bench: Workbench) -> None:
    assert set(bench.snaps()) == {Snap.OPTIMUM}

    bench.set_actual(100)
    bench.set_maximum(90)

    assert bench.snaps()[Snap.ACTUAL] == 100
    bench.cycle_snap()
    assert bench.state.thresholds.main == 90
    bench.cycle_snap()
    assert bench.state.thresholds.main == 100


def test_undo_takes_back_a_whole_drag_and_redo_brings_it_again(bench: Workbench) -> None:
    before = bench.state.thresholds
    for threshold in (10, 20, 30):
        bench.set_threshold(threshold)
    bench.set_look("palette", palette=PaletteName.OKABE_ITO)

    assert bench.undo_label == "palette"
    bench.undo()
    bench.undo()
    assert bench.state.thresholds == before
    bench.redo()

    assert bench.state.thresholds.main == 30
    assert bench.redo_label == "palette"


def test_each_choice_is_a_step_of_its_own(bench: Workbench) -> None:
    bench.set_selected_operations([0])
    bench.set_selected_operations([1])
    bench.set_look("palette", palette=PaletteName.OKABE_ITO)
    bench.set_look("palette", palette=PaletteName.HIGH_CONTRAST)

    bench.undo()
    bench.undo()
    bench.undo()

    assert bench.state.look.palette is PaletteName.NIST
    assert bench.state.scoring.selected == frozenset([0])


def test_a_snap_is_a_step_of_its_own(bench: Workbench) -> None:
    bench.set_maximum(90)
    bench.nudge_threshold(5)
    bench.nudge_threshold(5)
    nudged = bench.state.thresholds
    bench.snap_threshold(Snap.MAXIMUM)
    assert bench.state.thresholds.main == 90

    bench.undo()

    assert bench.state.thresholds == nudged


def test_a_drag_that_begins_where_the_threshold_is_snapped_is_one_step(bench: Workbench) -> None:
    before = bench.state.thresholds
    assert before.snap is Snap.OPTIMUM

    for threshold in (before.main, 30, 20):
        bench.set_threshold(threshold)
    bench.undo()

    assert bench.state.thresholds == before


def test_the_two_thresholds_are_undone_one_by_one(bench: Workbench) -> None:
    bench.set_threshold(10)
    bench.set_threshold(20, system=1)
    assert bench.undo_label == "second threshold"

    bench.undo()

    assert bench.state.thresholds.main == 10
    assert bench.undo_label == "threshold"


def test_what_is_dragged_on_the_next_trial_is_another_step(bench: Workbench) -> None:
    bench.set_threshold(10)
    bench.select_trial(TrialId("p2"))
    bench.set_threshold(20)
    bench.set_threshold(30)

    bench.undo()

    assert bench.state.thresholds.main == 10


def test_two_gestures_are_two_steps(bench: Workbench) -> None:
    bench.set_threshold(10)
    bench.end_gesture()
    bench.set_threshold(20)

    bench.undo()

    assert bench.state.thresholds.main == 10


def test_undo_never_brings_another_trials_operations(bench: Workbench) -> None:
    bench.set_selected_operations([0])
    bench.set_threshold(9)
    bench.select_trial(TrialId("p2"))

    bench.undo()
    bench.undo()

    assert bench.state.scoring.selected is None


def test_undo_on_another_trial_leaves_the_threshold_at_its_optimum(bench: Workbench) -> None:
    first = bench.state.thresholds.main
    bench.set_look("opacity", opacity=0.1)
    bench.select_trial(TrialId("p2"))
    own = bench.state.thresholds.main

    bench.undo()

    assert own != first
    assert bench.state.thresholds.snap is Snap.OPTIMUM
    assert bench.state.thresholds.main == own
    bench.redo()
    assert bench.state.thresholds.main == own


def test_there_is_nothing_to_undo_at_first(bench: Workbench) -> None:
    bench.undo()
    bench.redo()

    assert (bench.undo_label, bench.redo_label) == (None, None)


def test_other_kernels_score_again_and_say_so(bench: Workbench) -> None:
    before = bench.state.loaded
    heard = changes_of(bench)

    bench.set_kernels(Kernels(shape=KernelShape.DISC, erode_px=3, dilate_px=3, distraction_px=3))

    assert before is not None
    assert bench.state.loaded is not None
    assert heard[0] == Change.SCORING | Change.HISTORY
    assert Change.SCORES in heard[1]
    old, new = before.sweep(Side.PROBE, 0), bench.state.loaded.sweep(Side.PROBE, 0)
    assert old is not None
    assert new is not None
    assert new.positives > old.positives


def test_selecting_every_operation_is_selecting_all(bench: Workbench) -> None:
    bench.set_selected_operations([0])
    assert bench.state.scoring.selected == frozenset({0})

    bench.set_selected_operations([0, 1])

    assert bench.state.scoring.selected is None


def test_a_second_submission_becomes_the_one_looked_at(bench: Workbench, tmp_path: Path) -> None:
    other = a_dataset(tmp_path / "other").with_trial("p1", manipulated=TWO)
    built = other.with_answer("p1", exact()).write()

    put_submission(bench, built.submission)

    assert (bench.state.system, bench.state.rival) == (1, 0)
    assert bench.state.loaded is not None
    assert bench.state.loaded.sweep(Side.PROBE, 1) is not None
    bench.set_threshold(40, system=1)
    assert (bench.state.threshold(1), bench.state.thresholds.rival_snap) == (40, None)
    bench.choose_systems(0)
    assert bench.state.rival is None
    bench.remove_submission(1)
    assert len(bench.state.submissions) == 1


def test_an_unknown_trial_changes_nothing(bench: Workbench) -> None:
    heard = changes_of(bench)

    bench.select_trial(TrialId("nobody"))

    assert heard == []


def test_neighbours_are_read_ahead(bench: Workbench) -> None:
    bench.set_neighbours([TrialId("p2"), TrialId("p3")])
    heard = changes_of(bench)

    bench.select_trial(TrialId("p2"))

    assert Change.LOADED in heard[1]
    assert bench.state.is_current


@pytest.mark.parametrize(
    ("room", "expected"), [(3.5, {"p2", "p3", "p4"}), (1.5, {"p2"}), (0.5, set()), (0, set())]
)
def test_neighbours_are_read_once_and_only_while_there_is_room(
    room: float, expected: set[str], tmp_path: Path
) -> None:
    dataset = a_dataset(tmp_path)
    for name in ("p1", "p2", "p3", "p4"):
        dataset = dataset.with_trial(name, manipulated=TWO)
    root = dataset.write().root
    size = bytes_of_a_trial(root)
    bench = Workbench(inline_jobs(), cache_bytes=int(room * size))
    put_dataset(bench, root)

    bench.set_neighbours([TrialId("p2"), TrialId("p3"), TrialId("p4")])

    assert {request.trial.id for request in bench._ahead.read} == expected


def bytes_of_a_trial(root: Path) -> int:
    bench = Workbench(inline_jobs())
    put_dataset(bench, root)
    assert bench.state.loaded is not None
    return bench.state.loaded.bytes_held


def test_linked_panes_share_a_viewpoint_and_unlinked_ones_keep_theirs(bench: Workbench) -> None:
    here = Viewpoint(5, 6, 2.0)
    bench.set_viewpoint(0, here)
    assert bench.state.viewpoint(3) == here

    bench.set_linked(linked=False)
    bench.set_viewpoint(0, Viewpoint(1, 1, 8.0))
    assert bench.state.viewpoint(3) == here
    bench.set_linked(linked=True)

    assert bench.state.viewpoint(3) == Viewpoint(1, 1, 8.0)
    bench.set_viewpoint(2, None)
    assert bench.state.viewpoint(0) is None


def test_one_to_six_panes_can_be_shown(bench: Workbench) -> None:
    bench.set_panes([Pane(Layer.SYSTEM)] * 8, columns=3)
    assert len(bench.state.arrangement.panes) == 6

    bench.set_panes([])
    assert len(bench.state.arrangement.panes) == 6
    bench.activate_pane(5)
    bench.maximise_pane(2)
    assert (bench.state.arrangement.active, bench.state.arrangement.maximised) == (2, 2)
    bench.set_panes([Pane(Layer.PICTURE)])

    assert bench.state.arrangement.active == 0
    assert bench.state.arrangement.maximised is None


def test_hiding_an_outcome_twice_shows_it_again(bench: Workbench) -> None:
    bench.toggle_outcome(Outcome.HIT)
    assert bench.state.look.hidden == {Outcome.HIT}

    bench.toggle_outcome(Outcome.HIT)

    assert bench.state.look.hidden == frozenset()


def test_the_look_changes_by_field(bench: Workbench) -> None:
    bench.set_look("contours", overlay=OverlayStyle.CONTOUR, opacity=0.4)

    assert bench.state.look.overlay is OverlayStyle.CONTOUR
    assert bench.state.look.opacity == 0.4


def test_the_area_pointed_at_goes_with_its_trial(bench: Workbench) -> None:
    bench.highlight_operation(1)
    found = bench.state.highlight

    bench.select_trial(TrialId("p2"))

    assert found is not None
    assert found.operation == 1
    assert (bench.state.highlighted, bench.state.highlight) == (None, None)


def test_no_area_is_shown_where_there_is_no_such_operation(bench: Workbench) -> None:
    bench.highlight_operation(9)

    assert bench.state.highlight is None


def test_problems_are_told_once(bench: Workbench) -> None:
    before = bench.state.problems
    problem = Problem(Severity.ERROR, "The mask cannot be read", "p1.png")

    for _ in range(2):
        bench.report([problem])

    assert bench.state.problems == (*before, problem)


def test_closing_leaves_nothing_but_the_look_and_the_units(bench: Workbench) -> None:
    bench.set_look("opacity", opacity=0.2)
    bench.set_units(Units(AreaUnit.PIXELS, TimeUnit.SECONDS))

    bench.close_dataset()

    assert bench.state.dataset is None
    assert bench.state.loaded is None
    assert bench.state.look.opacity == 0.2
    assert bench.state.units == Units(AreaUnit.PIXELS, TimeUnit.SECONDS)


def test_two_submissions_with_the_same_table_keep_their_own_masks(
    bench: Workbench, tmp_path: Path
) -> None:
    twin = a_dataset(tmp_path / "twin").with_trial("p1", manipulated=TWO)
    built = twin.with_answer("p1", exact()).write()
    first = bench.state.loaded
    put_submission(bench, built.submission)
    bench.choose_systems(1)
    assert bench.state.loaded is not None
    found = bench.state.loaded.sweep(Side.PROBE, 0)
    bench.set_kernels(Kernels(erode_px=3))
    bench.choose_systems(0)

    assert first is not None
    before, after = first.sweep(Side.PROBE, 0), bench.state.loaded.sweep(Side.PROBE, 0)
    assert before is not None
    assert after is not None
    assert found is not None
    assert found.gwl1 == 0
    assert after.gwl1 > 0


def test_a_selection_undone_on_another_trial_selects_nothing_there(bench: Workbench) -> None:
    bench.set_selected_operations([1])
    bench.set_selected_operations([0])
    bench.select_trial(TrialId("p2"))

    bench.undo()

    assert bench.request is not None
    assert bench.request.selected is None
    assert bench.state.is_current
