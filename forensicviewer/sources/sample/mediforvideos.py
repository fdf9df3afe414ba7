"""The videos of the sample's MFC2019 dataset: intervals, sound and masks of every frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from forensicviewer.core.array import Size
from forensicviewer.sources.sample.answers import MFC, Answerer
from forensicviewer.sources.sample.film import (
    RATE,
    SAMPLE_RATE,
    FilmFrame,
    Intruder,
    Script,
    play,
    record,
    write_film,
)
from forensicviewer.sources.sample.objects import Thing
from forensicviewer.sources.sample.photo import Shot
from forensicviewer.sources.sample.scenery import EVENING, MORNING, NOON
from forensicviewer.sources.sample.systems import Quality, System
from forensicviewer.sources.sample.terrain import Land
from forensicviewer.sources.sample.writing import Folder, Row, identity
from forensicviewer.sources.video.masks import write_video_mask

_INDEX = [
    "TaskID", "ProbeFileID", "ProbeFileName", "ProbeWidth", "ProbeHeight", "ProbeFileSize",
    "FrameCount", "FrameRate", "HPDeviceID", "HPSensorID",
]  # fmt: skip
_REF = [
    "TaskID", "ProbeFileID", "ProbeFileName", "IsTarget", "ProbeMaskFileName",
    "ProbeBitPlaneMaskFileName", "ProbeBrowserFileName", "BaseFileName", "BaseBrowserFileName",
    "JournalName", "ProjectDescription", "ProjectType", "SpatialSplice", "TemporalClone",
    "AudioSplice", "FrameCount", "FrameRate",
]  # fmt: skip
_JOIN = [
    "ProbeFileID", "JournalName", "StartNodeID", "EndNodeID", "Sequence", "BitPlane",
    "VideoTaskDesignation",
]  # fmt: skip
_JOURNALMASK = [
    "JournalName", "StartNodeID", "EndNodeID", "Operation", "Color", "Purpose",
    "OperationArgument", "AutoDesignName", "PlugInName", "PlugInArguments", "SubCategory",
    "VideoTime", "VideoFrame", "AudioTime", "AudioSample", "FrameTimeAdjustment",
]  # fmt: skip
_ANSWER = [
    "ProbeFileID", "ConfidenceScore", "ProbeStatus", "VideoFrameSegments", "AudioSampleSegments",
    "VideoFrameOptOutSegments", "OutputProbeMaskFileName", "ProbeOptOutPixelValue",
]  # fmt: skip

_SCRIPTS = (
    Script(
        Shot(16, Land.COAST, NOON, camera=1),
        Size(640, 360),
        300,
        intruder=Intruder(Thing.SAILBOAT, 90, 179, 0.26, 0.62),
        repeat=(210, 30, 30),
        beep_s=(3.0, 4.0),
    ),
    Script(Shot(5, Land.COAST, MORNING, camera=2), Size(400, 224), 120, 1, repeat=(60, 30, 15)),
    Script(Shot(22, Land.COAST, EVENING, camera=3), Size(400, 224), 90, 2),
)


@dataclass(frozen=True, slots=True)
class _Span:
    """What one step of a video's journal touched; frames and samples count from 1."""

    operation: str
    purpose: str
    frames: tuple[int, int] | None = None
    samples: tuple[int, int] | None = None
    designation: str = "temporal"


@dataclass(frozen=True, slots=True, eq=False)
class _Video:
    id: str
    script: Script
    frames: Sequence[FilmFrame]
    byte_count: int
    spans: tuple[_Span, ...]

    @property
    def journal(self) -> str:
        return identity("journal", self.id) if self.spans else ""

    @property
    def mask(self) -> str:
        """The spatial mask; blank where nothing was pasted in."""
        if self.script.intruder is None:
            return ""
        return f"reference/manipulation-video/mask/{self.id}.hdf5"

    def cells(self) -> Row:
        size, camera = self.script.size, f"PIN-{self.script.shot.camera}"
        return {
            "TaskID": "manipulation",
            "ProbeFileID": self.id,
            "ProbeFileName": f"probe/{self.id}.mp4",
            "ProbeBrowserFileName": f"{self.id}.mp4",
            "ProbeWidth": str(size.width),
            "ProbeHeight": str(size.height),
            "ProbeFileSize": str(self.byte_count),
            "FrameCount": str(self.script.frame_count),
            "FrameRate": str(RATE),
            "HPDeviceID": camera,
            "HPSensorID": f"{camera}_primary",
        }

    def reference_cells(self) -> Row:
        names = {span.operation for span in self.spans}
        return {
            **self.cells(),
            "IsTarget": "Y" if self.spans else "N",
            "ProbeMaskFileName": self.mask,
            "JournalName": self.journal,
            "ProjectType": "video",
            "SpatialSplice": "yes" if "PasteSplice" in names else "no",
            "TemporalClone": "yes" if "PasteFrames" in names else "no",
            "AudioSplice": "yes" if "ReplaceAudioSample" in names else "no",
        }


def write_mfc2019_videos(folder: Folder, submissions: Folder) -> None:
    videos = [_shoot(folder, script, number) for number, script in enumerate(_SCRIPTS)]
    word = "manipulation-video"
    folder.table(f"indexes/MFC2019-{word}-index.csv", _INDEX, [video.cells() for video in videos])
    stem = f"reference/{word}/MFC2019-{word}-ref"
    folder.table(f"{stem}.csv", _REF, [video.reference_cells() for video in videos])
    steps = [step for video in videos for step in _steps(video)]
    folder.table(f"{stem}-probejournaljoin.csv", _JOIN, steps)
    folder.table(f"{stem}-journalmask.csv", _JOURNALMASK, steps)
    for quality in (Quality.GOOD, Quality.NOISY):
        system = System(f"p-{quality.value}", quality)
        answerer = Answerer(submissions, f"{system.name}_1_MFC2019-video", system, MFC)
        answerer.table(_ANSWER, [_answer(answerer, video, n) for n, video in enumerate(videos)])


def _shoot(folder: Folder, script: Script, number: int) -> _Video:
    video_id = f"MFC2019_V{101 + number}"
    frames = play(script)
    path = folder.path(f"probe/{video_id}.mp4")
    write_film(path, frames, record(script))
    video = _Video(video_id, script, frames, path.stat().st_size, _spans(script))
    if script.intruder is not None:
        first, areas = _areas(video)
        # The plan's words: black is manipulated.
        write_video_mask(folder.path(video.mask), {first: np.where(areas, 0, 255).astype(np.uint8)})
    return video


def _spans(script: Script) -> tuple[_Span, ...]:
    spans = []
    if script.intruder is not None:
        frames = (script.intruder.first + 1, script.intruder.last + 1)
        spans.append(_Span("PasteSplice", "add", frames, designation="spatial-temporal"))
    if script.repeat is not None:
        first, count, _ = script.repeat
        spans.append(_Span("PasteFrames", "clone", (first + 1, first + count)))
    if script.beep_s is not None:
        first_s, last_s = script.beep_s
        samples = (round(first_s * SAMPLE_RATE) + 1, round(last_s * SAMPLE_RATE))
        spans.append(_Span("ReplaceAudioSample", "audio", samples=samples))
    return tuple(spans)


def _steps(video: _Video) -> list[Row]:
    return [
        {
            "ProbeFileID": video.id,
            "JournalName": video.journal,
            "StartNodeID": f"{video.journal}-{order:02d}",
            "EndNodeID": f"{video.journal}-{order + 1:02d}",
            "Sequence": str(len(video.spans) - order),
            "VideoTaskDesignation": span.designation,
            "Operation": span.operation,
            "Purpose": span.purpose,
            "PlugInArguments": "{}",
            "VideoTime": _milliseconds(span.frames, RATE),
            "VideoFrame": _interval(span.frames),
            "AudioTime": _milliseconds(span.samples, SAMPLE_RATE),
            "AudioSample": _interval(span.samples),
            "FrameTimeAdjustment": "0",
        }
        for order, span in enumerate(video.spans)
    ]


def _interval(ends: tuple[int, int] | None) -> str:
    return "[]" if ends is None else f"[[{ends[0]}, {ends[1]}]]"


def _milliseconds(ends: tuple[int, int] | None, rate: int) -> str:
    if ends is None:
        return "[]"
    return f"[[{1000 * (ends[0] - 1) // rate}, {1000 * ends[1] // rate}]]"


def _areas(video: _Video) -> tuple[int, NDArray[np.bool_]]:
    """The first frame (from 0) with something pasted in, and the areas from there on."""
    marked = [(index, frame.area) for index, frame in enumerate(video.frames)]
    present = [(index, area) for index, area in marked if area is not None]
    return present[0][0], np.stack([area for _, area in present])


def _answer(answerer: Answerer, video: _Video, number: int) -> Row:
    system = answerer.system
    is_good = system.quality is Quality.GOOD
    confidence = system.confidence(is_target=bool(video.spans), seed=number)
    late = 4 if is_good else 22
    frames = [_late(span.frames, late) for span in video.spans if span.frames]
    samples = [_late(span.samples, 1000 * late) for span in video.spans if span.samples]
    found = frames if is_good else [*frames[:1], (15, 40)]
    return {
        "ProbeFileID": video.id,
        "ConfidenceScore": f"{confidence:g}",
        "ProbeStatus": "Processed",
        "VideoFrameSegments": _segments(found),
        "AudioSampleSegments": _segments(samples if is_good else []),
        "VideoFrameOptOutSegments": _segments([(1, 10)] if not is_good else []),
        "OutputProbeMaskFileName": _write_mask(answerer, video, number),
    }


def _late(ends: tuple[int, int], delay: int) -> tuple[int, int]:
    """What a system finds of an interval: it notices late and forgets early."""
    noticed = min(delay, (ends[1] - ends[0]) // 3)
    return ends[0] + noticed, ends[1] - noticed // 2


def _segments(found: Sequence[tuple[int, int]]) -> str:
    ordered = sorted(found)
    return "[" + ", ".join(f"[{first}, {last}]" for first, last in ordered) + "]"


def _write_mask(answerer: Answerer, video: _Video, number: int) -> str:
    """The system's mask at half the detail, for the frames that it suspects."""
    if video.script.intruder is None:
        return ""
    first, areas = _areas(video)
    late = 4 if answerer.system.quality is Quality.GOOD else 22
    suspected = areas[late : len(areas) - late // 2]
    # Few levels and no specks: a film of masks would otherwise be larger than the film.
    levels = [
        cv2.medianBlur(answerer.system.levels(area, seed=number + 7) // 24 * 24, 5)
        for area in suspected
    ]
    name = f"mask/{video.id}-mask.hdf5"
    path = answerer.folder.path(f"{answerer.submission}/{name}")
    write_video_mask(path, {first + late: np.stack(levels).astype(np.uint8)})
    return name
