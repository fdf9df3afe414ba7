"""Counts the spatial masks of videos: frame by frame, over every interval, and over the video.

The pixels of several frames are counted together, so that a frame in which little was changed
weighs no more than its pixels. Regions, metrics, queries and averages are those of pictures.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace

from forensicviewer.app.mask_counting import CountAnswer, Outcome, packed, unpacked
from forensicviewer.app.mask_jobs import Counted, Counter, JobMaker, SideWork
from forensicviewer.app.mask_metrics import MaskScorer
from forensicviewer.app.mask_selection import Selection
from forensicviewer.app.mask_settings import Side
from forensicviewer.app.mask_tables import is_count, number_columns, printed, printed_count
from forensicviewer.app.mask_trials import TrialRow
from forensicviewer.app.outputs import OutputTable
from forensicviewer.app.trialview import TrialRequest
from forensicviewer.app.video_frames import VideoMedia, counts_at, open_masks, reference_at
from forensicviewer.core.rules import mask as switches
from forensicviewer.core.score import LevelCounts, ThresholdSweep, threshold_from_nist
from forensicviewer.core.trialkey import trial_id

Progress = Callable[[int, int], None]
_NUMBERS = tuple(number_columns(is_splice=False))


@dataclass(frozen=True, slots=True)
class CountedVideo(Counted):
    """A video after counting: its frames (from 1) with their counts, and the reference's runs.

    Counts are held packed, so that thousands of frames need a few megabytes.
    """

    frames: tuple[tuple[int, bytes], ...] = ()
    intervals: tuple[tuple[int, int], ...] = ()

    def over(self, first: int, last: int) -> LevelCounts:
        return LevelCounts.total(
            counts for frame, counts in self.by_frame() if first <= frame <= last
        )

    def by_frame(self) -> Iterator[tuple[int, LevelCounts]]:
        for frame, payload in self.frames:
            answer = unpacked(payload)
            assert answer is not None
            assert answer.counts is not None
            yield frame, answer.counts


@dataclass(frozen=True, slots=True)
class VideoCounter(Counter):
    """Counts video after video in this process."""

    maker: JobMaker
    progress: Progress | None = None

    def count(
        self, rows: Sequence[TrialRow], sides: Sequence[Side], selection: Selection
    ) -> list[Mapping[Side, Counted]]:
        found: list[Mapping[Side, Counted]] = []
        for number, row in enumerate(rows):
            found.append({side: self._counted(row, side, selection) for side in sides})
            if self.progress is not None:
                self.progress(number + 1, len(rows))
        return found

    def counts(self, counted: Counted) -> LevelCounts:
        assert isinstance(counted, CountedVideo)
        return LevelCounts.total(counts for _, counts in counted.by_frame())

    def more_tables(
        self,
        rows: Sequence[TrialRow],
        counted: Sequence[Mapping[Side, Counted]],
        *,
        maximum: float,
    ) -> list[OutputTable]:
        """The same numbers over every interval of the reference, and for every frame."""
        writer = _Writer(MaskScorer(self.maker.settings, self.maker.task.edition), maximum)
        precision = self.maker.settings.precision
        intervals: list[tuple[str, ...]] = []
        frames: list[tuple[str, ...]] = []
        for row, sides in zip(rows, counted, strict=True):
            video = sides[Side.PROBE]
            assert isinstance(video, CountedVideo)
            probe, is_omitted = row.key[0], video.work.is_omitted
            for first, last in video.intervals if video.has_counts else ():
                cells = writer.cells(video.over(first, last), precision, is_omitted=is_omitted)
                intervals.append((probe, str(first), str(last), *cells))
            for frame, counts in video.by_frame() if video.has_counts else ():
                cells = writer.cells(counts, precision, is_omitted=is_omitted)
                frames.append((probe, str(frame), *cells))
        return [
            OutputTable(
                "mask_scores_perinterval.csv",
                ("ProbeFileID", "FirstFrame", "LastFrame", *_NUMBERS),
                tuple(intervals),
            ),
            OutputTable(
                "mask_scores_perframe.csv", ("ProbeFileID", "Frame", *_NUMBERS), tuple(frames)
            ),
        ]

    def _counted(self, row: TrialRow, side: Side, selection: Selection) -> CountedVideo:
        level, is_usable = self.maker.opt_out_score(row, side)
        request = self._request(row, side, selection)
        if request is None or not is_usable or not self.maker.is_asked(row, side):
            return CountedVideo(SideWork(None))
        media = open_masks(request)
        self.maker.log.extend(media.problems)
        with closing(media):
            if not _has_region(media, request):
                return CountedVideo(SideWork(None), has_no_region=True)
            intervals = tuple(
                (run.first, run.last) for run in media.mask_runs() if run.whose == "Reference"
            )
            frames = _frames(media, request, level)
            if frames is None:
                self._report_unusable(row, request, media)
                if self.maker.settings.chooses(switches.UNUSABLE_MASK, "unscored"):
                    return CountedVideo(SideWork(None))
                request = _without_mask(request)
                frames = _frames(replace(media, systems=(None,)), request, level)
        answer = request.systems[0].answer
        work = SideWork(None, is_omitted=answer is None or not answer.mask, opt_out_score=level)
        return CountedVideo(
            work, has_counts=bool(frames), frames=tuple(frames or ()), intervals=intervals
        )

    def _request(self, row: TrialRow, side: Side, selection: Selection) -> TrialRequest | None:
        task, settings = self.maker.task, self.maker.settings
        number = task.trials.row_of(trial_id(row.key))
        if number is None:
            return None
        trial = task.trials[number]
        asked = self._asked(row, selection)
        selected = None
        if trial.operations and asked is not None:
            steps = enumerate(trial.operations)
            selected = frozenset(place for place, step in steps if step.key in asked)
        request = TrialRequest.of(
            task,
            trial,
            (self.maker.submission,),
            kernels=settings.kernels(task.kind),
            selected=selected,
        )
        return (
            _without_mask(request) if self.maker.statuses.has_failed(row.cells, side) else request
        )

    def _asked(self, row: TrialRow, selection: Selection) -> set[tuple[str, ...]] | None:
        """The operations a query asks for; ``None`` without a journal."""
        journal = self.maker.journal
        if journal is None:
            return None
        numbers = journal.of_trial(row.key)
        return {journal.rows[number].step for number in numbers if selection.asked[number]}

    def _report_unusable(self, row: TrialRow, request: TrialRequest, media: VideoMedia) -> None:
        self.maker.log.error(
            f"{request.trial.id}: the system mask cannot be scored: {_why(media)}",
            where=row.answered_at,
            rule=switches.UNUSABLE_MASK.name,
        )


def _without_mask(request: TrialRequest) -> TrialRequest:
    """The same request for an answer that names no mask."""
    systems = tuple(
        system
        if system.answer is None
        else replace(system, answer=replace(system.answer, mask=None))
        for system in request.systems
    )
    return replace(request, systems=systems)


def _has_region(media: VideoMedia, request: TrialRequest) -> bool:
    for run in media.mask_runs() if media.reference is not None else ():
        for frame in range(run.first, run.last + 1) if run.whose == "Reference" else ():
            reference = reference_at(media, request, frame)
            if reference is not None and reference.split(request.selected)[0].any():
                return True
    return False


def _frames(
    media: VideoMedia, request: TrialRequest, level: int | None
) -> list[tuple[int, bytes]] | None:
    """Every frame that has a mask with its counts; ``None`` where the system's cannot be used."""
    found: list[tuple[int, bytes]] = []
    for frame in media.masked_frames():
        counts = counts_at(media, request, frame)
        if counts is None:
            return None
        if level is not None:
            counts = counts.without_level(level)
        found.append((frame, packed(CountAnswer(Outcome.COUNTED, counts))))
    return found


def _why(media: VideoMedia) -> str:
    system = media.systems[0]
    if system is None or media.reference is None:
        return "it cannot be read"
    return f"it is {system.size}, the reference {media.reference.size}"


@dataclass(frozen=True, slots=True)
class _Writer:
    """Turns counts into the cells of the files; ``maximum`` is NIST's threshold for all masks."""

    scorer: MaskScorer
    maximum: float

    def cells(self, counts: LevelCounts, precision: int, *, is_omitted: bool) -> list[str]:
        sweep = ThresholdSweep(counts)
        numbers = dict(self.scorer.metrics(sweep, is_omitted=is_omitted).numbers)
        if not math.isnan(self.maximum) and sweep.scored:
            t = threshold_from_nist(int(self.maximum))
            numbers |= self.scorer.at_common_threshold(sweep, t, is_omitted=is_omitted)
        return [_printed(name, numbers.get(name, math.nan), precision) for name in _NUMBERS]


def _printed(name: str, value: float, precision: int) -> str:
    return printed_count(value) if is_count(name) else printed(value, precision=precision)
