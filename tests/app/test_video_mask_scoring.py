"""Spatial masks of videos: per frame, interval and video, equal to what the window shows."""

import csv
from pathlib import Path

import numpy as np
import pytest

from forensicviewer.app.jobs import inline_jobs
from forensicviewer.app.mask_settings import MaskSettings
from forensicviewer.app.opening import open_dataset, open_submission, open_task
from forensicviewer.app.outputs import ScoreOutput
from forensicviewer.app.video_mask_scoring import score_video_masks
from forensicviewer.app.video_player import VideoPlayer
from forensicviewer.app.workbench import Workbench
from forensicviewer.cli import main
from forensicviewer.core.problem import UsageError
from forensicviewer.sources.videomasks import write_video_mask
from tests.video_build import PROBE, BuiltVideo, a_video_dataset


@pytest.fixture
def built(tmp_path: Path) -> BuiltVideo:
    return a_video_dataset(tmp_path, sound=False)


def score(built: BuiltVideo, settings: MaskSettings | None = None) -> ScoreOutput:
    _, task = open_task(built.root, name="video")
    submission = open_submission(built.submission, task=task)
    return score_video_masks(task, submission, settings or MaskSettings())


def records(output: ScoreOutput, name: str) -> list[dict[str, str]]:
    return next(table for table in output.tables if table.name == name).records()


def test_frames_and_intervals_have_the_numbers_the_window_shows(built: BuiltVideo) -> None:
    bench = Workbench(inline_jobs())
    dataset = open_dataset(built.root)
    task = dataset.tasks[0]
    submission = open_submission(built.submission, task=task)
    bench.show_dataset(dataset, task, submissions=(submission,))
    player = VideoPlayer(bench)
    player.seek(20)
    loaded, whole = bench.state.loaded, player.state.strip.over(10, 30)
    player.close()

    output = score(built)

    frames = {row["Frame"]: row for row in records(output, "mask_scores_perframe.csv")}
    interval = records(output, "mask_scores_perinterval.csv")[0]
    assert loaded is not None
    sweep = loaded.probe.systems[0].sweep
    assert sweep is not None
    assert sweep.optimum is not None
    assert float(frames["20"]["OptimumMCC"]) == pytest.approx(float(sweep.mcc[sweep.optimum]))
    assert int(frames["20"]["OptimumThreshold"]) == 255 - sweep.optimum
    assert whole is not None
    assert whole.optimum is not None
    assert (interval["FirstFrame"], interval["LastFrame"]) == ("10", "30")
    assert float(interval["OptimumMCC"]) == pytest.approx(float(whole.mcc[whole.optimum]))
    assert sorted(map(int, frames)) == list(range(10, 36))


def test_the_video_counts_all_its_frames_together(built: BuiltVideo) -> None:
    output = score(built, MaskSettings(threshold=100))

    video = records(output, "mask_scores_perimage.csv")[0]
    frames = records(output, "mask_scores_perframe.csv")
    assert (video["Scored"], video["Frames"]) == ("Y", "26")
    for name in ("PixelN", "ActualPixelTP", "ActualPixelFP", "PixelBNS"):
        assert int(video[name]) == sum(int(row[name]) for row in frames)
    assert output.headline["OptimumMCC"] == video["OptimumMCC"]
    assert records(output, "mask_score.csv")[0]["ScoreableTrials"] == "1"


def test_an_answer_without_mask_counts_as_empty(tmp_path: Path) -> None:
    built = a_video_dataset(tmp_path, sound=False)
    table = next(built.submission.glob("*.csv"))
    table.write_text(table.read_text().replace(f"mask/{PROBE}.hdf5", ""))

    video = records(score(built), "mask_scores_perimage.csv")[0]

    assert (video["OptimumMCC"], video["OptimumThreshold"]) == ("0.0", "-1")


@pytest.mark.parametrize("damage", ["unreadable", "another size"])
def test_a_mask_that_cannot_be_used_leaves_the_video_unscored(
    built: BuiltVideo, damage: str
) -> None:
    mask = built.submission / "mask" / f"{PROBE}.hdf5"
    if damage == "unreadable":
        mask.write_bytes(b"no hdf5")
    else:
        write_video_mask(mask, {9: np.zeros((3, 10, 12), np.uint8)})

    output = score(built)

    assert records(output, "mask_scores_perimage.csv")[0]["Scored"] == "N"
    assert "video-mask-unscored" in {problem.rule for problem in output.problems}


def test_a_grey_level_can_be_left_out(built: BuiltVideo) -> None:
    everything = records(score(built), "mask_scores_perimage.csv")[0]

    without = records(score(built, MaskSettings(no_score_value=200)), "mask_scores_perimage.csv")

    assert int(without[0]["PixelN"]) < int(everything["PixelN"])
    assert int(without[0]["PixelPNS"]) > 0


def test_queries_are_not_for_masks_of_videos(built: BuiltVideo) -> None:
    with pytest.raises(UsageError, match="as a whole"):
        score(built, MaskSettings(queries=("IsTarget == 'Y'",)))


def test_the_command_line_scores_them(built: BuiltVideo, tmp_path: Path) -> None:
    out = tmp_path / "out"

    code = main(
        [
            *("score", "mask", str(built.root), str(built.submission)),
            *("--task", "video", "--out", str(out), "--quiet"),
        ]
    )

    with (out / "mask_scores_perimage.csv").open(encoding="utf-8", newline="") as stream:
        row = next(csv.DictReader(stream, delimiter="|"))
    assert code == 0
    assert float(row["OptimumMCC"]) > 0.5
