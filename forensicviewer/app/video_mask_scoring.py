"""Scores the spatial masks of videos: frame by frame, over every interval, and over the video.

The pixels of several frames are counted together, so that a frame in which little was changed
weighs no more than its pixels; regions and metrics are those of pictures.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

import numpy as np

from forensicviewer.app.mask_metrics import MaskScorer
from forensicviewer.app.mask_settings import MaskSettings
from forensicviewer.app.mask_tables import (
    averaged_columns,
    is_count,
    number_columns,
    printed,
    printed_count,
)
from forensicviewer.app.outputs import OutputTable, ScoreOutput
from forensicviewer.app.trialview import TrialRequest
from forensicviewer.app.video_frames import VideoMedia, counts_at, open_masks
from forensicviewer.core.model import Submission, Task, Trial
from forensicviewer.core.problem import ProblemLog, UsageError
from forensicviewer.core.score import LevelCounts, ThresholdSweep

Progress = Callable[[int, int], None]
_NAMES = (
    "TaskID",
    "ProbeFileID",
    "ProbeFileName",
    "ProbeMaskFileName",
    "IsTarget",
    "OutputProbeMaskFileName",
    "ConfidenceScore",
)
_NUMBERS = tuple(name for name in number_columns(is_splice=False) if "Maximum" not in name)
_AVERAGED = tuple(name for name in averaged_columns(is_splice=False) if "Maximum" not in name)


@dataclass(frozen=True, slots=True, eq=False)
class ScoredVideo:
    """The counts of every frame of one video that has a mask; none where it is not scored."""

    trial: Trial
    names: tuple[str, ...]
    frames: tuple[tuple[int, LevelCounts], ...]
    intervals: tuple[tuple[int, int], ...]

    def over(self, first: int, last: int) -> ThresholdSweep | None:
        inside = [counts for frame, counts in self.frames if first <= frame <= last]
        return ThresholdSweep(LevelCounts.total(inside)) if inside else None

    def whole(self) -> ThresholdSweep | None:
        return self.over(1, self.frames[-1][0]) if self.frames else None


def score_video_masks(
    task: Task,
    submission: Submission,
    settings: MaskSettings,
    *,
    progress: Progress | None = None,
) -> ScoreOutput:
    """Score every manipulated video that has a reference mask."""
    if settings.queries or settings.manipulation_queries or settings.partition:
        raise UsageError(
            "Masks of videos are scored as a whole",
            hint="queries select trials and operations with score temporal",
        )
    log = ProblemLog()
    videos = list(_videos(task, submission, settings, log, progress or _silent))
    writer = _Writer(task, settings)
    return ScoreOutput(
        scorer="mask",
        tables=(
            writer.per_video(videos),
            writer.per_interval(videos),
            writer.per_frame(videos),
            writer.averages(videos),
        ),
        headline=writer.headline(videos),
        settings={"rules": settings.rules.name, "task": task.name, "masks": "video"},
        problems=log.freeze(),
    )


def _videos(
    task: Task,
    submission: Submission,
    settings: MaskSettings,
    log: ProblemLog,
    progress: Progress,
) -> Iterator[ScoredVideo]:
    total = len(task.trials)
    for row in range(total):
        progress(row, total)
        trial = task.trials[row]
        if trial.is_target is not False and (trial.reference or trial.bit_planes):
            yield _scored(task, trial, submission, settings, log)


def _scored(
    task: Task, trial: Trial, submission: Submission, settings: MaskSettings, log: ProblemLog
) -> ScoredVideo:
    request = TrialRequest.of(
        task,
        trial,
        (submission,),
        kernels=settings.kernels(task.kind),
        honours_opt_out=settings.opt_out_pixels,
    )
    answer = request.systems[0].answer
    mask = "" if answer is None else answer.mask or ""
    confidence = "" if answer is None else answer.facts.get("ConfidenceScore", "")
    facts = [trial.facts.get(name, "") for name in _NAMES[:5]]
    media = open_masks(request)
    log.extend(media.problems)
    with closing(media):
        return ScoredVideo(
            trial,
            (*facts, mask, confidence),
            tuple(_counted(media, request, settings, log)),
            tuple((run.first, run.last) for run in media.mask_runs() if run.whose == "Reference"),
        )


def _counted(
    media: VideoMedia, request: TrialRequest, settings: MaskSettings, log: ProblemLog
) -> Iterator[tuple[int, LevelCounts]]:
    if media.reference is None:
        return
    for frame in media.masked_frames():
        counts = counts_at(media, request, frame)
        if counts is None:
            log.warn(
                f"{request.trial.id} is not scored: {_why(media)}",
                where=request.systems[0].name,
                rule="video-mask-unscored",
            )
            return
        if settings.no_score_value is not None:
            counts = counts.without_level(255 - settings.no_score_value)
        yield frame, counts


def _why(media: VideoMedia) -> str:
    system = media.systems[0]
    if system is None or media.reference is None:
        return "its mask cannot be read"
    return f"its mask is {system.size}, the reference {media.reference.size}"


class _Writer:
    """Turns counts into the cells of the files."""

    def __init__(self, task: Task, settings: MaskSettings) -> None:
        self._settings = settings
        self._scorer = MaskScorer(settings, task.edition)

    def per_video(self, videos: Sequence[ScoredVideo]) -> OutputTable:
        rows = [
            (*video.names, "Y" if video.frames else "N", str(len(video.frames)), *cells)
            for video in videos
            for cells in [self._cells(video.whole())]
        ]
        columns = (*_NAMES, "Scored", "Frames", *_NUMBERS)
        return OutputTable("mask_scores_perimage.csv", columns, tuple(rows))

    def per_interval(self, videos: Sequence[ScoredVideo]) -> OutputTable:
        rows = [
            (video.trial.probe.id, str(first), str(last), *self._cells(video.over(first, last)))
            for video in videos
            for first, last in video.intervals
        ]
        columns = ("ProbeFileID", "FirstFrame", "LastFrame", *_NUMBERS)
        return OutputTable("mask_scores_perinterval.csv", columns, tuple(rows))

    def per_frame(self, videos: Sequence[ScoredVideo]) -> OutputTable:
        rows = [
            (video.trial.probe.id, str(frame), *self._cells(ThresholdSweep(counts)))
            for video in videos
            for frame, counts in video.frames
        ]
        columns = ("ProbeFileID", "Frame", *_NUMBERS)
        return OutputTable("mask_scores_perframe.csv", columns, tuple(rows))

    def averages(self, videos: Sequence[ScoredVideo]) -> OutputTable:
        columns = [cell for name in _AVERAGED for cell in (name, f"stddev_{name}")]
        cells: list[str] = []
        for name in _AVERAGED:
            cells += self._mean(name, self._values(videos, name))
        scored = sum(1 for video in videos if video.frames)
        return OutputTable(
            "mask_score.csv",
            ("TaskID", "Query", *columns, "totalTrials", "ScoreableTrials"),
            (("manipulation", "Full", *cells, str(len(videos)), str(scored)),),
        )

    def headline(self, videos: Sequence[ScoredVideo]) -> dict[str, str]:
        mean = self._mean("OptimumMCC", self._values(videos, "OptimumMCC"))[0]
        return {"OptimumMCC": mean, "videos": str(len(videos))}

    def _values(self, videos: Iterable[ScoredVideo], name: str) -> list[float]:
        sweeps = [sweep for video in videos for sweep in [video.whole()] if sweep is not None]
        found = [self._scorer.metrics(sweep, is_omitted=False).get(name) for sweep in sweeps]
        return [value for value in found if not math.isnan(value)]

    def _mean(self, name: str, values: Sequence[float]) -> list[str]:
        mean = float(np.mean(values)) if values else math.nan
        spread = float(np.std(values, ddof=1)) if len(values) > 1 else math.nan
        return [self._printed(name, mean), printed(spread, precision=self._settings.precision)]

    def _cells(self, sweep: ThresholdSweep | None) -> list[str]:
        if sweep is None:
            return [""] * len(_NUMBERS)
        found = self._scorer.metrics(sweep, is_omitted=False)
        return [self._printed(name, found.get(name)) for name in _NUMBERS]

    def _printed(self, name: str, value: float) -> str:
        if is_count(name):
            return printed_count(value)
        return printed(value, precision=self._settings.precision)


def _silent(_done: int, _total: int) -> None:
    """Nobody watches."""
