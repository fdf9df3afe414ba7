"""Videos of datasets with only the columns of MFC2019's plan."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from forensicviewer.app.datasets.opening import open_submission, open_task
from forensicviewer.app.masks.run import score_masks
from forensicviewer.app.masks.settings import MaskSettings
from forensicviewer.app.report.score_output import ScoreOutput
from forensicviewer.app.runtime.jobs import inline_jobs
from forensicviewer.app.temporal.extents import extents_in
from forensicviewer.app.temporal.scoring import score_temporal
from forensicviewer.app.temporal.trials import TemporalSettings
from forensicviewer.app.video.player import VideoPlayer
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.core.model import Dataset, TrialId
from forensicviewer.core.rules import MEDISCORE, PLAN, RuleSet
from tests.plans.build import PlanDataset
from tests.plans.datasets import (
    DUB,
    FRAMES,
    PASTE_FRAMES,
    PASTE_OBJECT,
    VideoStep,
    add_videos,
    black_frames,
    video_answers,
)

by_rules = pytest.mark.parametrize("rules", [MEDISCORE, PLAN], ids=lambda rules: str(rules.name))
ONE = "MFC2019_0021"


def write(folder: Path, *steps: VideoStep, filmed: bool = True) -> tuple[Path, Path]:
    """(dataset, perfect submission); with steps, they are those of the only probe."""
    videos = {"0021": steps} if steps else None
    root = add_videos(PlanDataset.of(folder, "MFC2019"), videos, filmed=filmed).write()
    return root, video_answers(folder, "MFC2019").write()


def temporal(root: Path, submission: Path, rules: RuleSet, **settings: object) -> ScoreOutput:
    _, task = open_task(root, name="video")
    asked = replace(TemporalSettings(rules=rules), **settings)  # type: ignore[arg-type] # by name
    answers = open_submission(submission, task=task)
    return score_temporal(task, answers, asked, extents=extents_in(root))


def masks(root: Path, submission: Path) -> ScoreOutput:
    _, task = open_task(root, name="video")
    return score_masks(task, open_submission(submission, task=task), MaskSettings())


def probes(output: ScoreOutput, table: str) -> dict[str, str]:
    found = next((t for t in output.tables if t.name == table), None)
    return {row["ProbeFileID"]: row["MCC"] for row in (found.records() if found else ())}


def mask_mcc(output: ScoreOutput) -> dict[str, str]:
    rows = output.tables[0].records()
    return {row["ProbeFileID"]: row["OptimumMCC"] for row in rows}


@by_rules
def test_frames_are_counted_by_the_reference_where_the_video_is_missing(
    rules: RuleSet, tmp_path: Path
) -> None:
    root, submission = write(tmp_path, filmed=False)

    found = probes(temporal(root, submission, rules), "scores_probes.csv")

    assert found == {ONE: "1.0", "MFC2019_0022": "1.0"}


@by_rules
@pytest.mark.parametrize("samples", ["", "[]"])
def test_sound_is_found_by_its_times_where_the_journal_names_no_samples(
    samples: str, rules: RuleSet, tmp_path: Path
) -> None:
    root, submission = write(tmp_path, replace(DUB, samples=samples))

    output = temporal(root, submission, rules)

    assert probes(output, "scores_audio_probes.csv") == {ONE: "1.0"}
    assert "temporal-times" in {problem.rule for problem in output.problems}


def test_times_without_a_sample_rate_are_told(tmp_path: Path) -> None:
    root, submission = write(tmp_path, replace(DUB, samples=""), filmed=False)

    output = temporal(root, submission, MEDISCORE)

    assert any(problem.rule == "temporal-times" for problem in output.problems)


@by_rules
def test_sound_that_only_unselected_operations_changed_is_not_scored(
    rules: RuleSet, tmp_path: Path
) -> None:
    root, submission = write(tmp_path)

    output = temporal(root, submission, rules, queries=("Operation=='PasteFrames'",))

    assert probes(output, "scores_audio_probes.csv") == {}


def test_frames_that_only_unselected_operations_changed_are_not_scored_by_the_plan(
    tmp_path: Path,
) -> None:
    root, submission = write(tmp_path)
    query = ("Operation=='ReplaceAudioSample'",)

    assert probes(temporal(root, submission, PLAN, queries=query), "scores_probes.csv") == {}
    assert probes(temporal(root, submission, MEDISCORE, queries=query), "scores_probes.csv") == {
        ONE: "0.0"
    }


def test_a_probe_for_spatial_localization_only_has_no_temporal_score(tmp_path: Path) -> None:
    root, submission = write(tmp_path, replace(PASTE_OBJECT, designation="spatial"))

    output = temporal(root, submission, MEDISCORE)

    assert probes(output, "scores_probes.csv") == {}
    assert mask_mcc(masks(root, submission)) == {ONE: "1.0"}


def test_frames_of_a_spatial_operation_are_left_out_of_the_counts(tmp_path: Path) -> None:
    root, submission = write(tmp_path, PASTE_FRAMES, replace(PASTE_OBJECT, designation="spatial"))

    assert probes(temporal(root, submission, MEDISCORE), "scores_probes.csv") == {ONE: "1.0"}


def test_masks_do_not_belong_to_operations_for_temporal_localization(tmp_path: Path) -> None:
    """Selecting the temporal operation alone leaves no region to find."""
    both = (PASTE_FRAMES, replace(PASTE_OBJECT, frames="[[11,50]]"))
    root, submission = write(tmp_path, *both)
    _, task = open_task(root, name="video")
    answers = open_submission(submission, task=task)

    found = {
        step.name: mask_mcc(
            score_masks(
                task, answers, MaskSettings(manipulation_queries=(f"Operation=='{step.name}'",))
            )
        )
        for step in both
    }

    assert found == {"PasteFrames": {ONE: ""}, "PasteSplice": {ONE: "1.0"}}


@pytest.mark.parametrize("plane", ["", "1", "8"])
def test_black_and_white_masks_are_read_as_such_whatever_planes_are_named(
    plane: str, tmp_path: Path
) -> None:
    root, submission = write(tmp_path, replace(PASTE_OBJECT, plane=plane))

    output = masks(root, submission)

    assert mask_mcc(output) == {ONE: "1.0"}
    told = [problem.message for problem in output.problems if problem.rule == "mask.planes"]
    assert len(told) == bool(plane)
    assert window_mcc(root, submission, frame=45) == 1.0


def test_masks_with_planes_are_read_as_planes(tmp_path: Path) -> None:
    plan = PlanDataset.of(tmp_path, "MFC2019")
    steps = (PASTE_OBJECT, VideoStep("Blur", "[[41,50]]", plane="2"))
    root = add_videos(plan, {"0021": steps}).write()
    mask = "reference/manipulation-video/mask/MFC2019_0021.hdf5"
    levels = np.where(black_frames(10) == 0, 1, 0).astype(np.uint8)
    levels[:, 30:80, :40] = 2
    plan.frames(mask, {40: levels})
    submission = video_answers(tmp_path, "MFC2019").write()

    _, task = open_task(root, name="video")
    asked = MaskSettings(manipulation_queries=("Operation=='PasteSplice'",), distraction_px=0)
    output = score_masks(task, open_submission(submission, task=task), asked)

    row = output.tables[0].records()[0]
    assert row["OptimumMCC"] == "1.0"
    assert int(row["PixelSNS"]) == 10 * 50 * 40, "the other plane is not selected"
    assert not [problem for problem in output.problems if problem.rule == "mask.planes"]


def window_mcc(root: Path, submission: Path, *, frame: int) -> float:
    _, task = open_task(root, name="video")
    bench = Workbench(inline_jobs())
    bench.show_dataset(Dataset(task.root, "dataset", task.edition, (task,)), task)
    bench.add_submissions([open_submission(submission, task=task)])
    bench.select_trial(TrialId(ONE))
    player = VideoPlayer(bench)
    player.seek(frame)
    loaded = bench.state.loaded
    player.close()
    assert loaded is not None
    sweep = loaded.probe.systems[0].sweep
    assert sweep is not None
    assert sweep.optimum is not None
    assert loaded.trial.facts["FrameCount"] == str(FRAMES)
    return float(sweep.mcc[sweep.optimum])
