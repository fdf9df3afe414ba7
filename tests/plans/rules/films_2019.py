"""Videos and graphs of MFC2019's plan that single rules are shown on."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from forensicviewer.app.datasets.opening import choose_task, open_dataset
from forensicviewer.app.video.lanes import lanes_of
from forensicviewer.core.array import U8Image
from forensicviewer.core.problem import Severity
from forensicviewer.ui.video.page import VideoPage
from tests.filmmaking import HEIGHT, WIDTH
from tests.plans.build import PlanDataset, PlanSubmission
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
from tests.plans.graphs import JOURNAL, add_provenance, filtering_answers, graph_answers, nodes_of
from tests.plans.rules.checks import Bench
from tests.plans.rules.images_2019 import YEAR, headline, rows_of, score

ONE = f"{YEAR}_0021"
TASK = "manipulation-video"


def film(
    bench: Bench, *steps: VideoStep, filmed: bool = False, **cells: str
) -> tuple[PlanDataset, PlanSubmission]:
    """One video with these operations, and an answer with these cells."""
    plan = add_videos(PlanDataset.of(bench.folder, YEAR), {"0021": steps}, filmed=filmed)
    answers = PlanSubmission.of(bench.folder, YEAR, "video", "p-film_1")
    said = {"VideoFrameSegments": "[]", "AudioSampleSegments": "[]"}
    said |= {"VideoFrameOptOutSegments": "[]", "ProbeStatus": "Processed"}
    answers.answer(ProbeFileID=ONE, ConfidenceScore="0.9", **said | cells)
    return plan, answers


def temporal(bench: Bench, made: tuple[PlanDataset, PlanSubmission], *options: str) -> Path:
    plan, answers = made
    return score(
        *(bench, "temporal", plan.write(), answers.write(), "--rules", "plan"),
        *("--collar", "0", *options),
    )


def mcc(tp: int, fp: int, fn: int, tn: int) -> float:
    """6.2.3."""
    return (tp * tn - fp * fn) / math.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))


def probe_mcc(out: Path, table: str = "scores_probes.csv") -> float:
    (row,) = rows_of(out / table)
    return float(row["MCC"])


def frames_found(bench: Bench) -> None:
    """Frames 11 to 30 were pasted, 21 to 40 are found, of 60."""
    out = temporal(bench, film(bench, PASTE_FRAMES, VideoFrameSegments="[[21,40]]"))
    assert probe_mcc(out) == pytest.approx(mcc(10, 10, 10, 30))


def samples_found(bench: Bench) -> None:
    """Samples 8001 to 16000 of 32 000 were changed, 12001 to 20000 are found."""
    made = film(bench, DUB, filmed=True, AudioSampleSegments="[[12001,20000]]")
    out = temporal(bench, made)
    expected = mcc(4000, 4000, 4000, 32000 - 12000)
    assert probe_mcc(out, "scores_audio_probes.csv") == pytest.approx(expected, abs=0.02)


def omitted_intervals(bench: Bench) -> None:
    for number, cell in enumerate(("[]", "")):
        own = Bench(bench.whole, bench.folder / str(number), bench.capsys)
        own.folder.mkdir()
        assert probe_mcc(temporal(own, film(own, PASTE_FRAMES, VideoFrameSegments=cell))) == 0


def frames_left_out(bench: Bench) -> None:
    """Frames 1 to 10 are opted out of: the false alarm in them does not count."""
    made = film(bench, PASTE_FRAMES, VideoFrameSegments="[[1,30]]")
    assert probe_mcc(temporal(bench, made)) == pytest.approx(mcc(20, 10, 0, 30))
    made[1].rows[0]["VideoFrameOptOutSegments"] = "[[1,10]]"
    assert probe_mcc(temporal(bench, made)) == 1


def from_one(bench: Bench) -> None:
    """A video begins at frame 1: [[1,20]] are twenty frames."""
    out = temporal(
        bench, film(bench, replace(PASTE_FRAMES, frames="[[1,20]]"), VideoFrameSegments="[[1,10]]")
    )
    assert probe_mcc(out) == pytest.approx(mcc(10, 0, 10, 40))


def times_without_frames(bench: Bench, *, adjustment: str = "0", found: str) -> None:
    """Where the journal names no frames, its milliseconds tell them: 30 frames a second."""
    plan, answers = film(bench, PASTE_FRAMES, VideoFrameSegments=found)
    (step,) = plan.rows[f"{TASK}-ref-journalmask"]
    step |= {"VideoFrame": "", "VideoTime": "[[0,600]]", "FrameTimeAdjustment": adjustment}
    assert probe_mcc(temporal(bench, (plan, answers))) == 1


def video_times(bench: Bench) -> None:
    """0 to 600 ms are the frames 1 to 18: frame 19 begins at 600 ms."""
    times_without_frames(bench, found="[[1,18]]")


def adjusted_times(bench: Bench) -> None:
    """An adjustment of 100 ms moves them by three frames."""
    times_without_frames(bench, adjustment="100", found="[[4,21]]")


def sound_times(bench: Bench) -> None:
    """500 to 1000 ms of a sound of 16 000 samples a second."""
    made = film(bench, replace(DUB, samples=""), filmed=True, AudioSampleSegments="[[8001,16000]]")
    out = temporal(bench, made)
    assert probe_mcc(out, "scores_audio_probes.csv") == 1


def sound_is_not_seen(bench: Bench) -> None:
    """An operation on the sound has intervals to find and no mask."""
    plan, answers = film(bench, DUB, filmed=True, AudioSampleSegments="[[8001,16000]]")
    (cells,) = plan.rows[f"{TASK}-ref"]
    assert "ProbeMaskFileName" not in cells
    root, sub = plan.write(), answers.write()
    out = score(bench, "all", root, sub, "--rules", "plan")
    found = headline(out)
    assert found["temporal audio MCC"] == "1.0"
    assert "mask OptimumMCC" not in found


def lanes_of_sound(bench: Bench) -> None:
    """The timeline has a lane for every operation, those on the sound too."""
    plan, answers = film(bench, PASTE_FRAMES, DUB, filmed=True)
    window = bench.window(plan.write(), answers.write())
    page = window.page
    assert isinstance(page, VideoPage)
    lanes = lanes_of(page.player.state, window.desk.workbench.state.colors)
    titles = [lane.title for lane in lanes]
    assert any("PasteFrames" in title for title in titles)
    assert any("ReplaceAudioSample" in title for title in titles)


def sound_times_in_the_window(bench: Bench) -> None:
    """Times of sound are no problem while the file that tells the rate is still being read."""
    step = replace(DUB, samples="")
    plan, answers = film(bench, step, filmed=True, AudioSampleSegments="[[8001,16000]]")
    window = bench.window(plan.write(), answers.write())
    told = [each for each in window.desk.workbench.state.problems if each.rule == "temporal-times"]
    assert [each.severity for each in told] == [Severity.NOTE]


def reference_of(bench: Bench, blocks: dict[int, U8Image], found: dict[int, U8Image]) -> Path:
    """One video whose masks have these blocks."""
    plan, answers = film(bench, PASTE_OBJECT)
    plan.frames(f"reference/{TASK}/mask/{ONE}.hdf5", blocks)
    answers.rows[0]["OutputProbeMaskFileName"] = answers.frames(f"mask/{ONE}.hdf5", found)
    options = ("--rules", "plan", "--erode", "0", "--dilate", "0")
    return score(bench, "mask", plan.write(), answers.write(), *options)


def disjoint_blocks(bench: Bench) -> None:
    """Two intervals of one file are scored, each on its own and together."""
    both = {5: black_frames(4), 40: black_frames(10)}
    out = reference_of(bench, both, {40: black_frames(10)})
    parts = rows_of(out / "mask_scores_perinterval.csv")
    assert [float(row["OptimumMCC"]) for row in parts] == [0, 1]
    (whole,) = rows_of(out / "mask_scores_perimage.csv")
    assert int(whole["PixelN"]) == 14 * WIDTH * HEIGHT
    region = 50 * 60
    assert float(whole["OptimumMCC"]) == pytest.approx(
        mcc(10 * region, 0, 4 * region, 14 * (WIDTH * HEIGHT - region))
    )


def black_is_manipulated(bench: Bench) -> None:
    inverted = 255 - black_frames(10)
    out = reference_of(bench, {40: black_frames(10)}, {40: inverted})
    (row,) = rows_of(out / "mask_scores_perimage.csv")
    assert float(row["OptimumMCC"]) == 0


def start_from_zero(bench: Bench) -> None:
    """Group 40 begins at frame 41: an answer in group 41 misses the first of ten frames."""
    out = reference_of(bench, {40: black_frames(10)}, {41: black_frames(9)})
    rows = rows_of(out / "mask_scores_perframe.csv")
    assert [float(row["OptimumMCC"]) for row in rows] == [0, *[1] * 9]


def white_outside(bench: Bench) -> None:
    """Frames that the answer has no mask of are white: nothing is found there."""
    out = reference_of(bench, {40: black_frames(10)}, {0: black_frames(3)})
    (row,) = rows_of(out / "mask_scores_perimage.csv")
    assert float(row["OptimumMCC"]) == 0
    # What is found where nothing was manipulated is a false alarm.
    assert int(row["PixelN"]) == (10 + 3) * WIDTH * HEIGHT


def opt_out_value_of_a_video(bench: Bench) -> None:
    levels = black_frames(10)
    levels[:, :20] = 152
    plan, answers = film(bench, PASTE_OBJECT, ProbeOptOutPixelValue="152")
    answers.rows[0]["OutputProbeMaskFileName"] = answers.frames(f"mask/{ONE}.hdf5", {40: levels})
    options = ("--rules", "plan", "--erode", "0", "--dilate", "0")
    out = score(bench, "mask", plan.write(), answers.write(), *options)
    (row,) = rows_of(out / "mask_scores_perimage.csv")
    assert int(row["PixelPNS"]) == 10 * 20 * WIDTH
    assert float(row["GWL1"]) == 0


def opted_out_of_either(bench: Bench) -> None:
    """OptOutTemporal leaves the masks, OptOutSpatial the intervals, both the detection."""
    for status, has_masks, has_frames in (
        ("OptOutTemporal", True, False),
        ("OptOutSpatial", False, True),
        ("OptOutLocalization", False, False),
    ):
        own = bench.folder / status
        plan = add_videos(PlanDataset.of(own, YEAR), filmed=False)
        answers = video_answers(own, YEAR)
        answers.rows = [row | {"ProbeStatus": status} for row in answers.rows]
        out = score(bench, "all", plan.write(), answers.write(), "--rules", "plan", "--opt-out")
        found = headline(out)
        assert found["detection trials"].startswith("3"), status
        assert bool(found.get("mask OptimumMCC")) is has_masks, status
        assert bool(found.get("temporal MCC")) is has_frames, status


def selected_frames(bench: Bench) -> None:
    """Frames of unselected operations are left out; the video has both kinds."""
    made = film(bench, PASTE_FRAMES, PASTE_OBJECT, VideoFrameSegments="[[11,30]]")
    query = ("--query-manipulation", "Operation=='PasteFrames'")
    assert probe_mcc(temporal(bench, made, *query)) == 1
    assert probe_mcc(temporal(bench, made)) == pytest.approx(mcc(20, 0, 10, 30))


def lengths(bench: Bench) -> None:
    """FrameCount tells how long a video is that is not there."""
    plan, answers = film(bench, PASTE_FRAMES, VideoFrameSegments="[[21,40]]")
    plan.rows[f"{TASK}-ref"][0]["FrameCount"] = "120"
    assert probe_mcc(temporal(bench, (plan, answers))) == pytest.approx(mcc(10, 10, 10, 90))
    assert not [*plan.root.rglob("*.mp4")]
    assert FRAMES == 60


def planes_are_ignored(bench: Bench) -> None:
    """Whatever plane the journal names, black is manipulated in a mask of black and white."""
    for plane in ("", "1", "3", "8"):
        own = Bench(bench.whole, bench.folder / f"plane{plane}", bench.capsys)
        own.folder.mkdir()
        plan, answers = film(own, replace(PASTE_OBJECT, plane=plane))
        answers.rows[0]["OutputProbeMaskFileName"] = answers.frames(
            f"mask/{ONE}.hdf5", {40: black_frames(10)}
        )
        out = score(own, "mask", plan.write(), answers.write(), "--rules", "plan")
        (row,) = rows_of(out / "mask_scores_perimage.csv")
        assert row["OptimumMCC"] == "1.0", plane


# --- graphs -------------------------------------------------------------------------------------


def ranked(bench: Bench, place: int) -> dict[str, str]:
    """Filtering with the donor at this place of 500."""
    root = add_provenance(PlanDataset.of(bench.folder, YEAR), "provenancefiltering").write()
    answers = filtering_answers(bench.folder, YEAR)
    (path,) = answers.root.rglob("*.json")
    document = json.loads(path.read_text("utf-8"))
    nodes = document["nodes"]
    donor = nodes.pop(1)
    nodes.insert(place - 1, donor)
    for number, node in enumerate(nodes):
        node["nodeConfidenceScore"] = 1 - number / 1000
    path.write_text(json.dumps(document), "utf-8")
    out = score(bench, "filtering", root, answers.write(), "--rules", "plan")
    return headline(out)


def recall_at_300(bench: Bench) -> None:
    for place, recall in ((300, 1.0), (302, None)):
        own = Bench(bench.whole, bench.folder / str(place), bench.capsys)
        own.folder.mkdir()
        found = float(ranked(own, place)["NodeRecallAt300"])
        assert found == recall or (recall is None and found < 1)


def missing_from_the_world(bench: Bench) -> None:
    """The donor of the journal is not in the world: a graph without it is complete."""
    plan = add_provenance(PlanDataset.of(bench.folder, YEAR))
    nodes = plan.rows["provenance-ref-node"]
    plan.rows["provenance-ref-node"] = [row for row in nodes if "0202" not in row["WorldFileID"]]
    answers = graph_answers(bench.folder, YEAR)
    (path,) = answers.root.rglob("*.json")
    links = [
        {"source": 0, "target": 1, "relationshipConfidenceScore": 0.9},
        {"source": 1, "target": 2, "relationshipConfidenceScore": 0.9},
    ]
    left = nodes_of(YEAR, ("0201", "0203", "0204"))
    path.write_text(json.dumps({"directed": True, "nodes": left, "links": links}), "utf-8")
    found = headline(score(bench, "provenance", plan.write(), answers.write(), "--rules", "plan"))
    assert (found["MeanSimNLO"], found["MeanNodeRecall"]) == ("1.0", "1.0")


def unmodified_probe(bench: Bench) -> None:
    """A probe that nothing was made of: its graph is one node."""
    plan = add_provenance(PlanDataset.of(bench.folder, YEAR))
    plan.rows["provenance-ref-node"] = plan.rows["provenance-ref-node"][-1:]
    journal = {"directed": True, "nodes": [{"id": "node-0204", "file": "a.png"}], "links": []}
    (plan.root / JOURNAL).write_text(json.dumps(journal), "utf-8")
    for row in plan.rows["provenance-ref"]:
        row["JournalMD5"] = ""
    answers = graph_answers(bench.folder, YEAR)
    (path,) = answers.root.rglob("*.json")
    alone = {"directed": True, "nodes": nodes_of(YEAR, ("0204",)), "links": []}
    path.write_text(json.dumps(alone), "utf-8")
    found = headline(score(bench, "provenance", plan.write(), answers.write(), "--rules", "plan"))
    assert (found["MeanSimNO"], found["MeanSimNLO"]) == ("1.0", "1.0")


def both_conditions(bench: Bench) -> None:
    """The probe is the base: its donor is in the full graph, not in the direct one."""
    plan = add_provenance(PlanDataset.of(bench.folder, YEAR))
    answers = graph_answers(bench.folder, YEAR)
    for row in (*(row for rows in plan.rows.values() for row in rows), *answers.rows):
        row["ProvenanceProbeFileID"] = f"{YEAR}_0201"
        if "ProvenanceProbeFileName" in row:
            row["ProvenanceProbeFileName"] = f"world/{YEAR}_0201.jpg"
    root, sub = plan.write(), answers.write()
    for option, nodes in (((), "4"), (("--direct",), "3")):
        out = score(bench, "provenance", root, sub, "--rules", "plan", *option)
        assert headline(out)["MeanSimNLO"] == "1.0"
        (table,) = [path for path in out.glob("*.csv") if "NumRefNodes" in path.read_text("utf-8")]
        assert rows_of(table)[0]["NumRefNodes"] == nodes
    task = choose_task(open_dataset(root), "provenance")
    assert len(task.trials) == 1


def overlaps(bench: Bench) -> None:
    """Three of four nodes and one of three links, and one node and link that are not there."""
    root = add_provenance(PlanDataset.of(bench.folder, YEAR)).write()
    answers = graph_answers(bench.folder, YEAR)
    (path,) = answers.root.rglob("*.json")
    nodes = nodes_of(YEAR, ("0201", "0203", "0204", "0999"))
    links = [
        {"source": 0, "target": 1, "relationshipConfidenceScore": 0.9},
        {"source": 3, "target": 2, "relationshipConfidenceScore": 0.9},
    ]
    path.write_text(json.dumps({"directed": True, "nodes": nodes, "links": links}), "utf-8")
    found = headline(score(bench, "provenance", root, answers.write(), "--rules", "plan"))
    measured = [float(found[name]) for name in ("MeanSimNO", "MeanSimLO", "MeanSimNLO")]
    expected = [2 * 3 / 8, 2 * 1 / 5, 2 * 4 / 13]
    assert measured == pytest.approx(expected)
    assert np.isfinite(measured).all()
