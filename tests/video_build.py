"""Builds a true, tiny video dataset: numbered frames, sound, intervals and HDF5 masks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import h5py
import numpy as np

from forensicviewer.core.array import Size
from forensicviewer.sources.video.mask_reader import Block
from tests.build import write_table
from tests.filmmaking import HEIGHT, WIDTH, X264_GOP12, Film, make

FRAMES = 90
SIZE = Size(WIDTH, HEIGHT)
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
    frames: int = FRAMES,
    size: Size = SIZE,
    mask_blocks: tuple[Block, Block] = (Block(9, 21), Block(11, 24)),
) -> BuiltVideo:
    """Write the dataset and one submission; ``mask_blocks`` are reference's and system's."""
    root = folder / "MFC2019"
    (root / "probe").mkdir(parents=True)
    film = Film(
        f"{PROBE}.mp4",
        "libx264",
        frames=frames,
        gaps=gaps,
        options=X264_GOP12,
        width=size.width,
        height=size.height,
    )
    probe = make(film, root / "probe", sound=sound)
    stem = "MFC2019-manipulation-video"
    _write_index(root / "indexes" / f"{stem}-index.csv", frame_count, size)
    reference = root / "reference" / "manipulation-video"
    _write_reference(reference, stem, steps, masks=masks)
    submission = _write_submission(folder, system, audio, opt_out, status, masks=masks)
    if masks:
        truth, found = mask_blocks
        target = reference / "mask" / f"{PROBE}.hdf5"
        write_moving_box(target, truth, size=size, black=0)
        target = submission / "mask" / f"{PROBE}.hdf5"
        write_moving_box(target, found, size=size, black=20, shift=6, noise=60)
    return BuiltVideo(root, submission, probe)


def _write_index(path: Path, frame_count: int, size: Size) -> None:
    columns = ["TaskID", "ProbeFileID", "ProbeFileName", "ProbeWidth", "ProbeHeight"]
    cells = ["manipulation", PROBE, f"probe/{PROBE}.mp4", str(size.width), str(size.height)]
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


def write_moving_box(
    path: Path, block: Block, *, size: Size, black: int, shift: int = 0, noise: int = 0
) -> None:
    """Masks of a dark box on white that moves right, a little every frame."""
    path.parent.mkdir(parents=True, exist_ok=True)
    across, down = size.width / WIDTH, size.height / HEIGHT
    # Soft blobs, as systems make them.
    coarse = np.random.default_rng(2).integers(0, max(1, noise), (12, 24)).astype(np.float32)
    grain = cv2.resize(coarse, (size.width, size.height)).astype(np.int64)
    with h5py.File(path, "w") as file:
        masks = file.create_dataset(
            f"{block.start}/masks",
            (block.frame_count, size.height, size.width),
            np.uint8,
            chunks=(1, size.height, size.width),
            compression="gzip",
            compression_opts=1,
        )
        for i in range(block.frame_count):
            frame = np.full((size.height, size.width), 255, np.int64)
            left, right = int((40 + i % 60 + shift) * across), int((100 + i % 60 + shift) * across)
            frame[int(30 * down) : int(70 * down), left:right] = black
            masks[i] = np.clip(frame - np.roll(grain, i), 0, 255)


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
    return folder / name
