"""Builds a true, tiny video dataset: numbered frames, sound, intervals and HDF5 masks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from forensicviewer.core.array import U8Image
from forensicviewer.sources.videomasks import write_video_mask
from tests.build import write_table
from tests.filmmaking import HEIGHT, WIDTH, X264_GOP12, Film, make

FRAMES = 90
PROBE = "v1"


@dataclass(frozen=True)
class BuiltVideo:
    """Where the files were written."""

    root: Path
    submission: Path
    probe: Path


@dataclass(frozen=True)
class Step:
    """One journal operation: its frames as the tables write them, and where it changed them."""

    name: str
    frames: str
    samples: str = "[]"
    times: str = "[]"
    adjustment: str = ""


STEPS = (
    Step("PasteFrames", "[[10,30]]", times="[[300,966.7]]"),
    Step("Blur", "[[50,60]]", times="[[1633.3,1966.7]]"),
    Step("AudioDub", "[]", samples="[[8000,16000]]"),
)


def a_video_dataset(
    folder: Path,
    *,
    steps: Sequence[Step] = STEPS,
    system: str = "[[12,35],[70,75]]",
    audio: str = "[[9000,16000]]",
    opt_out: str = "[]",
    status: str = "Processed",
    frame_count: int = FRAMES,
    masks: bool = True,
    sound: bool = True,
    gaps: tuple[int, ...] = (1,),
) -> BuiltVideo:
    """Write the dataset and one submission."""
    root = folder / "MFC2019"
    (root / "probe").mkdir(parents=True)
    film = Film(f"{PROBE}.mp4", "libx264", frames=FRAMES, gaps=gaps, options=X264_GOP12)
    probe = make(film, root / "probe", sound=sound)
    stem = "MFC2019-manipulation-video"
    _write_index(root / "indexes" / f"{stem}-index.csv", frame_count)
    reference = root / "reference" / "manipulation-video"
    _write_reference(reference, stem, steps, masks=masks)
    submission = _write_submission(folder, system, audio, opt_out, status, masks=masks)
    return BuiltVideo(root, submission, probe)


def _write_index(path: Path, frame_count: int) -> None:
    columns = ["TaskID", "ProbeFileID", "ProbeFileName", "ProbeWidth", "ProbeHeight"]
    cells = ["manipulation", PROBE, f"probe/{PROBE}.mp4", str(WIDTH), str(HEIGHT)]
    write_table(
        path,
        [*columns, "ProbeFileSize", "FrameCount", "FrameRate"],
        [[*cells, "1000", str(frame_count), "30.0"]],
    )


def _write_reference(folder: Path, stem: str, steps: Sequence[Step], *, masks: bool) -> None:
    mask = f"reference/manipulation-video/mask/{PROBE}.hdf5" if masks else ""
    write_table(
        folder / f"{stem}-ref.csv",
        ["TaskID", "ProbeFileID", "ProbeFileName", "IsTarget", "ProbeMaskFileName", "JournalName"],
        [["manipulation", PROBE, f"probe/{PROBE}.mp4", "Y", mask, "j1"]],
    )
    columns = ["JournalName", "StartNodeID", "EndNodeID", "Operation", "Color", "Purpose"]
    timing = ["VideoTime", "VideoFrame", "AudioTime", "AudioSample", "FrameTimeAdjustment"]
    write_table(
        folder / f"{stem}-ref-journalmask.csv",
        [*columns, *timing],
        [
            [
                *("j1", f"n{i}", f"n{i + 1}", step.name, f"{40 * i} 200 90", "add"),
                *(step.times, step.frames, "[]", step.samples, step.adjustment),
            ]
            for i, step in enumerate(steps)
        ],
    )
    write_table(
        folder / f"{stem}-ref-probejournaljoin.csv",
        ["ProbeFileID", "JournalName", "StartNodeID", "EndNodeID", "Sequence"],
        [[PROBE, "j1", f"n{i}", f"n{i + 1}", str(i + 1)] for i in range(len(steps))],
    )
    if masks:
        (folder / "mask").mkdir(parents=True, exist_ok=True)
        write_video_mask(folder / "mask" / f"{PROBE}.hdf5", {9: moving_box(21, black=0)})


def moving_box(frames: int, *, black: int, shift: int = 0, noise: int = 0) -> U8Image:
    """(frames, height, width): a dark box on white that moves right, one pixel a frame."""
    stack = np.full((frames, HEIGHT, WIDTH), 255, np.uint8)
    for i in range(frames):
        stack[i, 30:70, 40 + i + shift : 100 + i + shift] = black
    if noise:
        chance = np.random.default_rng(2)
        stack = np.clip(stack - chance.integers(0, noise, stack.shape), 0, 255).astype(np.uint8)
    return stack


def _write_submission(
    folder: Path, system: str, audio: str, opt_out: str, status: str, *, masks: bool
) -> Path:
    name = "p-box_1"
    columns = ["ProbeFileID", "ConfidenceScore", "ProbeStatus", "VideoFrameSegments"]
    others = ["AudioSampleSegments", "VideoFrameOptOutSegments", "OutputProbeMaskFileName"]
    mask = f"mask/{PROBE}.hdf5" if masks else ""
    write_table(
        folder / name / f"{name}.csv",
        [*columns, *others, "ProbeOptOutPixelValue"],
        [[PROBE, "0.9", status, system, audio, opt_out, mask, ""]],
    )
    if masks:
        (folder / name / "mask").mkdir(parents=True, exist_ok=True)
        blocks = {11: moving_box(24, black=20, shift=6, noise=60)}
        write_video_mask(folder / name / "mask" / f"{PROBE}.hdf5", blocks)
    return folder / name
