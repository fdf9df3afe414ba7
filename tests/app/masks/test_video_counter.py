"""Spatial masks of videos: per frame, interval and video, equal to what the window shows."""

import csv
from pathlib import Path

import numpy as np
import pytest

from forensicviewer.app.datasets.opening import open_dataset, open_submission, open_task
from forensicviewer.app.masks.run import score_masks
from forensicviewer.app.masks.settings import MaskSettings
from forensicviewer.app.report.score_output import ScoreOutput
from forensicviewer.app.runtime.jobs import inline_jobs
from forensicviewer.app.video.player import VideoPlayer
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.cli import main
from forensicviewer.core.rules import VERBATIM
from forensicviewer.sources.video.masks import write_video_mask
from tests.video_build import PROBE, BuiltVideo, Step, a_video_dataset


@pytest.fixture
def built(tmp_path: Path) -> BuiltVideo:
    return a_video_dataset(tmp_path, sound=False)


def score(built: BuiltVideo, settings: MaskSettings | None = None) -> ScoreOutput:
    _, task = open_task(built.root, name="video")
    submission = open_submission(built.submission, task=task)
    return score_masks(task, submission, settings or MaskSettings())


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
    assert (video["Scored"], len(frames)) == ("Y", 26)
    names = ("PixelN", "ActualPixelTP", "ActualPixelFP", "PixelBNS", "MaximumPixelTP")
    for name in names:
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
def test_a_mask_that_cannot_be_used_counts_as_empty_or_leaves_the_video_unscored(
    built: BuiltVideo, damage: str
) -> None:
    mask = built.submission / "mask" / f"{PROBE}.hdf5"
    if damage == "unreadable":
        mask.write_bytes(b"no hdf5")
    else:
        write_video_mask(mask, {9: np.zeros((3, 10, 12), np.uint8)})

    output, verbatim = score(built), score(built, MaskSettings(rules=VERBATIM))

    assert records(output, "mask_scores_perimage.csv")[0]["OptimumNMM"] == "-1.0"
    assert records(verbatim, "mask_scores_perimage.csv")[0]["Scored"] == "N"
    assert "mask-unusable" in {problem.rule for problem in output.problems}


def test_a_grey_level_can_be_left_out(built: BuiltVideo) -> None:
    everything = records(score(built), "mask_scores_perimage.csv")[0]

    without = records(score(built, MaskSettings(no_score_value=200)), "mask_scores_perimage.csv")

    assert int(without[0]["PixelN"]) < int(everything["PixelN"])
    assert int(without[0]["PixelPNS"]) > 0


def test_queries_select_videos(built: BuiltVideo) -> None:
    queries = ("IsTarget == 'Y'", "ConfidenceScore > 0.95")

    output = score(built, MaskSettings(queries=queries, threshold=100))

    assert records(output, "mask_scores_0.csv")[0]["MaximumMCC"]
    assert "mask_scores_1.csv" not in {table.name for table in output.tables}


def test_queries_select_the_operations_of_videos(tmp_path: Path) -> None:
    steps = (Step("Paste", "[[10,20]]"), Step("Blur", "[[21,30]]"))
    built = a_video_dataset(tmp_path, sound=False, steps=steps)
    queries = ("Operation=='Paste'", "Operation=='Blur'", "Operation=='Crop'")

    output = score(built, MaskSettings(manipulation_queries=queries))

    everything = records(score(built), "mask_scores_perimage.csv")[0]
    paste = records(output, "query_0/mask_scores_perimage.csv")[0]
    evaluated = [row["Evaluated"] for row in records(output, "query_0/journalResults.csv")]
    assert int(paste["PixelSNS"]) > 0
    assert int(paste["PixelN"]) < int(everything["PixelN"])
    assert evaluated == ["Y", "N"]
    assert not any(table.name.startswith("query_2") for table in output.tables)


def test_a_partition_has_a_row_for_each_part(built: BuiltVideo) -> None:
    output = score(built, MaskSettings(partition="IsTarget==['Y','N']"))

    assert [row["IsTarget"] for row in records(output, "mask_score.csv")] == ["'Y'"]


@pytest.mark.parametrize(("status", "scored"), [("OptOutSpatial", 0), ("OptOutTemporal", 1)])
def test_videos_opted_out_of_spatially_can_be_left_out(
    tmp_path: Path, status: str, scored: int
) -> None:
    built = a_video_dataset(tmp_path, sound=False, status=status)
    add_video(built, "v2")

    averages = records(score(built, MaskSettings(opt_out=True)), "mask_score.csv")[0]

    assert int(averages["ScoreableTrials"]) == scored + 1
    assert averages["totalOptOut"] == str(1 - scored)


def test_one_threshold_is_the_best_for_all_videos(built: BuiltVideo) -> None:
    add_video(built, "v2")

    output = score(built, MaskSettings(threshold=100))

    videos = records(output, "mask_scores_perimage.csv")
    averages = records(output, "mask_score.csv")[0]
    assert len(videos) == 2
    assert int(averages["MaximumThreshold"]) >= 0
    assert float(averages["MaximumMCC"]) <= float(averages["OptimumMCC"])
    assert averages["MaskAverageAUC"]


def add_video(built: BuiltVideo, probe: str) -> None:
    """The same video and answer once more under another name, with status Processed."""
    for table in (*built.root.rglob("*.csv"), *built.submission.glob("*.csv")):
        header, *rows = table.read_text().splitlines()
        if "ProbeFileID" not in header.split("|"):
            continue
        place = header.split("|").index("ProbeFileID")
        more = []
        for row in rows:
            cells = row.split("|")
            cells[place] = probe
            more.append(
                "|".join("Processed" if cell.startswith("OptOut") else cell for cell in cells)
            )
        table.write_text("\n".join([header, *rows, *more]) + "\n")


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
