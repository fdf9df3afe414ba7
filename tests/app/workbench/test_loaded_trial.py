"""A trial read and scored by value: live numbers, selections, broken files, other sizes."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from forensicviewer.app.language.units import percent
from forensicviewer.app.masks.run import score_masks
from forensicviewer.app.masks.settings import MaskSettings
from forensicviewer.app.runtime.jobs import Ticket
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.inspection import file_digest, file_facts, inspect
from forensicviewer.app.workbench.legend_counts import legend_counts
from forensicviewer.app.workbench.loaded_trial import ALL_FALSE_ALARMS, score_operations
from forensicviewer.app.workbench.score_command import query_for
from forensicviewer.app.workbench.state import Layer, Pane
from forensicviewer.core.array import Size
from forensicviewer.core.model import Operation, Side
from forensicviewer.core.palette import Outcome
from tests.bench_build import loaded, opened, put_row, put_submission
from tests.build import a_dataset, blurred, box, exact, inverted, write_png

TWO = {"PasteSplice": box(4, 4, 24, 24), "Heal": box(36, 20, 60, 44)}


def per_image(bench: Workbench, settings: MaskSettings) -> dict[str, str]:
    task, submission = bench.state.task, bench.state.submission
    assert task is not None
    assert submission is not None
    output = score_masks(task, submission, settings)
    return next(t for t in output.tables if "perimage" in t.name).records()[0]


def test_live_numbers_are_those_of_the_batch(tmp_path: Path) -> None:
    built = a_dataset(tmp_path).with_trial("p1", manipulated=TWO).with_answer("p1", blurred(5))
    bench = opened(built.write())

    row = per_image(bench, MaskSettings())

    sweep = loaded(bench).sweep(Side.PROBE, 0)
    assert sweep is not None
    assert sweep.optimum is not None
    assert float(row["OptimumMCC"]) == sweep.mcc[sweep.optimum]
    assert float(row["OptimumNMM"]) == pytest.approx(sweep.nmm[sweep.optimum], rel=1e-12)
    assert int(row["OptimumThreshold"]) == 255 - sweep.optimum


def test_selected_operations_score_as_their_query_does(tmp_path: Path) -> None:
    built = a_dataset(tmp_path).with_trial("p1", manipulated=TWO).with_answer("p1", blurred(5))
    bench = opened(built.write())

    bench.set_selected_operations([1])
    query = query_for(loaded(bench).trial.operations, bench.state.scoring.selected)
    row = per_image(bench, MaskSettings(manipulation_queries=(query,)))

    sweep = loaded(bench).sweep(Side.PROBE, 0)
    assert query == "Operation==['Heal']"
    assert sweep is not None
    assert float(row["OptimumMCC"]) == sweep.mcc[bench.state.thresholds.main]
    assert int(row["PixelSNS"]) == sweep.counts.unselected_px > 0


def test_an_answer_without_a_mask_scores_as_an_empty_one(tmp_path: Path) -> None:
    built = a_dataset(tmp_path).with_trial("p1", manipulated=TWO).with_answer("p1")
    bench = opened(built.write())

    system = loaded(bench).system(Side.PROBE, 0)

    assert system is not None
    assert system.is_stand_in
    assert system.sweep is not None
    assert system.sweep.mcc.max() == 0


def test_a_mask_of_another_size_is_shown_as_it_is_and_scored_as_empty(tmp_path: Path) -> None:
    built = a_dataset(tmp_path).with_trial("p1", manipulated=TWO).with_answer("p1", exact()).write()
    write_png(built.submission / "mask" / "p1.png", np.zeros((30, 80), np.uint8))
    bench = opened(built)

    system = loaded(bench).system(Side.PROBE, 0)

    assert system is not None
    assert system.means is not None
    assert system.means.size == Size(80, 30)
    assert loaded(bench).probe.size == Size(80, 48)
    assert system.why == (
        f"Scored as an empty mask: The system mask is {Size(80, 30)}, "
        f"but the reference is {Size(64, 48)}"
    )
    row = per_image(bench, MaskSettings())
    assert system.sweep is not None
    assert int(row["OptimumPixelFN"]) == system.sweep.fn[256]


def test_a_broken_mask_is_a_problem_of_the_trial_and_nothing_else(tmp_path: Path) -> None:
    built = a_dataset(tmp_path).with_trial("p1", manipulated=TWO).with_answer("p1", exact()).write()
    (built.submission / "mask" / "p1.png").write_bytes(b"no picture")
    bench = opened(built)

    system = loaded(bench).system(Side.PROBE, 0)

    assert loaded(bench).probe.pictures is not None
    assert system is not None
    assert system.means is None
    assert system.sweep is not None
    assert system.why.startswith("Scored as an empty mask: ")
    assert loaded(bench).problems


def test_a_missing_probe_leaves_the_masks_to_look_at(tmp_path: Path) -> None:
    built = a_dataset(tmp_path).with_trial("p1", manipulated=TWO).with_answer("p1", exact()).write()
    (built.root / "probe" / "p1.png").unlink()
    bench = opened(built)

    assert loaded(bench).probe.pictures is None
    assert loaded(bench).probe.reason
    assert loaded(bench).sweep(Side.PROBE, 0) is not None
    assert ("Problem", loaded(bench).probe.reason) in file_facts(loaded(bench), Side.PROBE)
    assert file_digest(loaded(bench), Side.PROBE) == ""


def test_a_trial_that_is_no_target_has_no_reference(tmp_path: Path) -> None:
    built = a_dataset(tmp_path).with_trial("p1", manipulated=TWO).with_trial("p2")
    bench = opened(built.with_answer("p2", exact()).write())

    put_row(bench, 1)

    assert loaded(bench).probe.reference is None
    assert "Not manipulated" in loaded(bench).probe.reference_reason
    system = loaded(bench).system(Side.PROBE, 0)
    assert system is not None
    assert system.sweep is None
    assert system.outcomes is not None
    assert system.reason == ALL_FALSE_ALARMS


@pytest.mark.parametrize("threshold", [0, 1, 90, 200, 255, 256])
def test_what_a_system_calls_in_a_picture_nobody_manipulated_is_counted(
    tmp_path: Path, threshold: int
) -> None:
    built = a_dataset(tmp_path).with_trial("p1").with_answer("p1", inverted()).write()
    mask = next(built.submission.rglob("*.png"))
    levels = np.arange(64 * 48, dtype=np.int64).reshape(48, 64) % 256
    write_png(mask, levels.astype(np.uint8))
    bench = opened(built)

    bench.set_threshold(threshold)

    system = loaded(bench).system(Side.PROBE, 0)
    assert system is not None
    assert system.scores is not None
    alarms, rejected = legend_counts(bench.state)
    assert (alarms.outcome, rejected.outcome) == (Outcome.FALSE_ALARM, Outcome.CORRECT_REJECTION)
    assert alarms.pixels == np.count_nonzero(system.scores >= threshold)
    assert alarms.pixels + rejected.pixels == 64 * 48


def outcome_at(bench: Workbench, x: int, y: int) -> Outcome | None:
    bench.set_cursor((x, y))
    report = inspect(bench.state)
    assert report is not None
    return report.outcome


def test_a_pixel_of_a_picture_nobody_manipulated_is_a_false_alarm_if_called(
    tmp_path: Path,
) -> None:
    built = a_dataset(tmp_path).with_trial("p1").with_answer("p1", exact()).write()
    levels = np.full((48, 64), 255, np.uint8)
    levels[10:20, 10:20] = 0
    write_png(next(built.submission.rglob("*.png")), levels)
    bench = opened(built)
    bench.set_threshold(128)

    assert outcome_at(bench, 12, 12) is Outcome.FALSE_ALARM
    assert outcome_at(bench, 30, 30) is Outcome.CORRECT_REJECTION


def test_a_pixel_of_a_mask_that_does_not_fit_is_told_as_it_is_scored(tmp_path: Path) -> None:
    built = a_dataset(tmp_path).with_trial("p1", manipulated=box(4, 4, 60, 44))
    written = built.with_answer("p1", exact()).write()
    write_png(next(written.submission.rglob("*.png")), np.zeros((30, 40), np.uint8))
    bench = opened(written)
    bench.set_threshold(128)

    assert outcome_at(bench, 30, 22) is Outcome.MISS
    assert outcome_at(bench, 48, 34) is Outcome.MISS


def test_the_outcome_of_a_pixel_is_that_of_the_system_looked_at(tmp_path: Path) -> None:
    first = a_dataset(tmp_path).with_trial("p1", manipulated=box(4, 4, 60, 44))
    built = first.with_answer("p1", exact()).write()
    rival = tmp_path / "rival" / built.submission.name
    shutil.copytree(built.submission, rival)
    write_png(next(rival.rglob("*.png")), np.full((48, 64), 255, np.uint8))
    bench = opened(built)
    put_submission(bench, rival)
    bench.choose_systems(0, 1)
    bench.set_threshold(128)
    bench.set_threshold(128, system=1)
    bench.set_panes([Pane(Layer.COMPARISON), Pane(Layer.COMPARISON, system=1)])

    bench.activate_pane(0)
    assert outcome_at(bench, 30, 22) is Outcome.HIT
    bench.activate_pane(1)
    assert outcome_at(bench, 30, 22) is Outcome.MISS


def test_a_splice_has_two_sides_with_scores_of_their_own(tmp_path: Path) -> None:
    built = a_dataset(tmp_path).with_trial("p1", donor="d1", manipulated=box(10, 10, 40, 40))
    bench = opened(built.with_answer("p1+d1", blurred(4)).write())

    assert loaded(bench).donor is not None
    assert loaded(bench).sweep(Side.DONOR, 0) is not None
    bench.choose_side(Side.DONOR)

    assert bench.state.side is Side.DONOR
    assert legend_counts(bench.state)


def test_each_operation_is_scored_alone(tmp_path: Path) -> None:
    built = a_dataset(tmp_path).with_trial("p1", manipulated=TWO).with_answer("p1", exact())
    bench = opened(built.write())

    first, second = score_operations(loaded(bench), Side.PROBE, Ticket())

    assert (first.area_px, second.area_px) == (20 * 20, 24 * 24)
    assert first.sweep is not None
    bench.set_selected_operations([0])
    alone = loaded(bench).sweep(Side.PROBE, 0)
    assert alone is not None
    assert first.sweep.mcc.tolist() == alone.mcc.tolist()


def test_the_pixel_under_the_cursor_is_told_through_all_layers(tmp_path: Path) -> None:
    built = a_dataset(tmp_path).with_trial("p1", manipulated=TWO).with_answer("p1", exact())
    bench = opened(built.write())
    assert inspect(bench.state) is None

    bench.set_cursor((14, 14))
    hit = inspect(bench.state)
    bench.set_cursor((5, 5))
    rim = inspect(bench.state)

    assert hit is not None
    assert rim is not None
    assert (hit.outcome, hit.system, hit.reference) == (Outcome.HIT, (0,), "manipulated")
    assert [operation.name for operation in hit.operations] == ["PasteSplice"]
    assert rim.outcome is Outcome.BOUNDARY
    assert "boundary" in rim.reason
    assert "x 14, y 14" in hit.as_text()
    assert "hit" in hit.as_text()
    assert "reference manipulated (255 0 0)" in hit.as_text()


def test_the_legend_counts_what_the_sweep_counts(tmp_path: Path) -> None:
    built = a_dataset(tmp_path).with_trial("p1", manipulated=TWO).with_answer("p1", exact())
    bench = opened(built.write())

    found = {count.outcome: count.pixels for count in legend_counts(bench.state)}

    regions = loaded(bench).probe.systems[0].regions
    assert regions is not None
    assert sum(found[outcome] for outcome in list(Outcome)[:4]) == regions.scored_px
    assert found[Outcome.BOUNDARY] == regions.boundary_px
    assert Outcome.OPT_OUT not in found


def test_a_small_share_is_never_said_to_be_nothing() -> None:
    assert percent(0.0001) == "< 0.1 %"
    assert percent(0) == "0.0 %"


def test_facts_name_format_size_and_digest(tmp_path: Path) -> None:
    built = a_dataset(tmp_path).with_trial("p1", manipulated=TWO).with_answer("p1", exact())
    bench = opened(built.write())

    facts = dict(file_facts(loaded(bench), Side.PROBE))

    assert facts["Size"].startswith(f"{Size(64, 48)}, ")
    assert facts["Format"].startswith("PNG")
    assert len(file_digest(loaded(bench), Side.PROBE)) == 64


def step(number: int, name: str, purpose: str = "") -> Operation:
    return Operation("j", f"n{number}", f"n{number + 1}", name, purpose)


@pytest.mark.parametrize(
    ("selected", "query"),
    [
        (None, ""),
        ({0, 1, 2, 3}, ""),
        ({0, 2}, "Operation==['Blur', 'Paste']"),
        ({0, 2, 9}, "Operation==['Blur', 'Paste']"),
        ({1}, "(JournalName=='j' and StartNodeID=='n1' and EndNodeID=='n2')"),
        ({1, 3}, "Purpose==['remove']"),
        (set(), "Operation==[]"),
    ],
)
def test_a_selection_has_a_query(selected: set[int] | None, query: str) -> None:
    operations = [
        step(0, "Paste", "add"),
        step(1, "Heal", "remove"),
        step(2, "Blur", "add"),
        step(3, "Heal", "remove"),
    ]
    if selected == {1, 3}:
        operations[0] = step(0, "Heal", "add")

    assert query_for(operations, selected) == query


@pytest.mark.parametrize("name", ["Heal", "O'Hare", '12" crop', "O'Hare's 12\" crop", "C:\\new"])
def test_the_query_of_any_name_selects_its_operation_alone(tmp_path: Path, name: str) -> None:
    shapes = {name: TWO["Heal"], "PasteSplice": TWO["PasteSplice"]}
    built = a_dataset(tmp_path).with_trial("p1", manipulated=shapes).with_answer("p1", blurred(5))
    bench = opened(built.write())

    bench.set_selected_operations([0])
    query = query_for(loaded(bench).trial.operations, bench.state.scoring.selected)
    row = per_image(bench, MaskSettings(manipulation_queries=(query,)))

    sweep = loaded(bench).sweep(Side.PROBE, 0)
    assert sweep is not None
    assert int(row["PixelSNS"]) == sweep.counts.unselected_px > 0


def test_a_selection_remembered_before_its_trial_is_read_has_no_query_yet() -> None:
    assert query_for((), {1, 4}) == ""
