"""The files of one video trial: its frames with reference and system masks, ready to be shown."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from forensicviewer.app.language.words import to_translate, tr
from forensicviewer.app.masks.question import Question
from forensicviewer.app.masks.video_count import (
    VideoJob,
    black_and_white_note,
    counts_of_frame,
    reference_of_frame,
    scores_of_frame,
)
from forensicviewer.app.runtime.jobs import Ticket
from forensicviewer.app.workbench.loaded_trial import (
    LoadedSide,
    LoadedSystem,
    LoadedTrial,
    TrialRequest,
    empty_mask,
    side_scored,
)
from forensicviewer.app.workbench.trial_reader import as_scored
from forensicviewer.core.array import Floats, Rows, Size, U8Image
from forensicviewer.core.mask import ReferenceMask, Region
from forensicviewer.core.model import Side
from forensicviewer.core.overlay import OutcomePyramid
from forensicviewer.core.problem import (
    CodecError,
    ForensicViewerError,
    Problem,
    ProblemLog,
    Severity,
)
from forensicviewer.core.pyramid import Pyramid, Reduce
from forensicviewer.core.rules import mask as switches
from forensicviewer.core.score import LEVELS, LevelCounts, ThresholdSweep
from forensicviewer.sources.decoders.process import TOO_SLOW
from forensicviewer.sources.files.deadline import Deadline
from forensicviewer.sources.files.paths import resolve
from forensicviewer.sources.media.images import ImageFacts
from forensicviewer.sources.video.frame_reader import PICTURE_SECONDS, VideoPicture
from forensicviewer.sources.video.mask_reader import Block
from forensicviewer.sources.video.masks import VideoMask, open_video_mask
from forensicviewer.sources.video.video_file import INDEX_SECONDS, NO_FRAME, VideoFile

_UNHURRIED_S = 0.3


@dataclass(frozen=True, slots=True)
class MaskStretch:
    """A run of frames with masks, and whose they are; ``block`` counts frames from 0."""

    whose: str
    block: Block

    @property
    def first(self) -> int:
        return self.block.start + 1

    @property
    def last(self) -> int:
        return self.block.end


@dataclass(frozen=True, slots=True, eq=False)
class VideoMedia:
    """What of a trial's files could be opened; ``reason`` says why there is no image."""

    video: VideoFile | None = None
    reference: VideoMask | None = None
    systems: tuple[VideoMask | None, ...] = ()
    reason: str = ""
    problems: tuple[Problem, ...] = ()
    _asked: dict[TrialRequest, tuple[Question[VideoJob], ...]] = field(default_factory=dict)

    @property
    def has_masks(self) -> bool:
        return self.reference is not None or any(self.systems)

    def questions(self, request: TrialRequest) -> tuple[Question[VideoJob], ...]:
        """What is asked of each system; kept, for every frame asks the same."""
        if request not in self._asked:
            self._asked.clear()
            log = ProblemLog()
            self._asked[request] = tuple(
                as_scored(request, s.submission, log).video() for s in request.systems
            )
        return self._asked[request]

    def mask_runs(self) -> tuple[MaskStretch, ...]:
        """The runs of frames each mask speaks about, counted from 1."""
        found = [
            MaskStretch("Reference", b) for b in (self.reference.blocks if self.reference else ())
        ]
        for mask in self.systems:
            found += [MaskStretch("System", block) for block in (mask.blocks if mask else ())]
        return tuple(found)

    def masked_frames(self) -> tuple[int, ...]:
        """The frames, counted from 1, that reference or system masks speak about."""
        found: set[int] = set()
        for run in self.mask_runs():
            found.update(range(run.first, run.last + 1))
        return tuple(sorted(found))

    def load_index(self, *, is_called_off: Callable[[], bool]) -> None:
        if self.video is not None:
            deadline = Deadline(INDEX_SECONDS, is_called_off=is_called_off)
            self.video.load_index(deadline=deadline)

    def close(self) -> None:
        for opened in (self.video, self.reference, *self.systems):
            if opened is not None:
                opened.close()


def open_media(request: TrialRequest) -> VideoMedia:
    """Open the probe and its masks; what cannot be opened is a problem, and the rest is shown."""
    masks = _open_masks(request)
    try:
        video = VideoFile(resolve(Path(request.task.root), request.trial.probe.name))
    except ForensicViewerError as error:
        found = ProblemLog((error.as_problem(), *masks.problems), trial=request.trial.id)
        return replace(masks, reason=str(error), problems=found.freeze())
    return replace(masks, video=video)


def _open_masks(request: TrialRequest) -> VideoMedia:
    log = ProblemLog(trial=request.trial.id)
    asked = [as_scored(request, system.submission, log).video() for system in request.systems]
    job = (asked[0] if asked else as_scored(request, None, log).video()).job
    reference = None if job is None else _mask(job.reference, log)
    if job is not None and reference is not None:
        _note_planes(job, reference, log)
    systems: list[VideoMask | None] = []
    for one in asked:
        beside = next(filter(None, (reference, *systems)), None)
        systems.append(None if one.job is None else _mask(one.job.system, log, beside=beside))
    return VideoMedia(reference=reference, systems=tuple(systems), problems=log.freeze())


def _note_planes(job: VideoJob, mask: VideoMask, log: ProblemLog) -> None:
    try:
        note = black_and_white_note(mask, job.operations)
    except ForensicViewerError as error:
        log.add(error.as_problem())
        return
    if note:
        log.note(note, where=str(job.reference), rule="mask.planes")


def _mask(
    path: Path | None, log: ProblemLog, *, beside: VideoMask | None = None
) -> VideoMask | None:
    if path is None:
        return None
    try:
        mask = open_video_mask(path, beside=beside)
    except ForensicViewerError as error:
        log.add(error.as_problem())
        return None
    for note in mask.notes:
        log.note(note, where=str(path), rule="mask.frames")
    return mask


def load_frame(
    media: VideoMedia,
    request: TrialRequest,
    frame: int,
    *,
    direction: int = 0,
    ticket: Ticket | None = None,
) -> LoadedTrial:
    """One frame as a trial that panes, curves and metrics can show.

    ``ticket`` learns how far the decoding is, which may take a while where key frames are rare.
    """
    # Side by side: decoding the image takes as long as reading and scoring the masks.
    with ThreadPoolExecutor(1, thread_name_prefix="fv-frame") as pool:
        drawing = pool.submit(_picture, media, frame, direction, ticket or Ticket())
        loaded = _masks_scored(media, request, frame)
        drawn = drawing.result()
    problems = ProblemLog((*loaded.problems, *drawn.problems), trial=request.trial.id)
    side = replace(
        loaded.probe,
        facts=None if media.video is None else _facts(media.video, drawn),
        pictures=drawn.colours,
        greys=drawn.greys,
        reason=drawn.reason or loaded.probe.reason,
    )
    return replace(loaded, probe=side, problems=problems.freeze())


@dataclass(frozen=True, slots=True, eq=False)
class _DrawnFrame:
    """A frame's image, ready to be drawn, or the reason why it stays blank."""

    colours: Pyramid | None = None
    greys: Pyramid | None = None
    is_incomplete: bool = False
    reason: str = ""
    problems: tuple[Problem, ...] = ()


def _picture(media: VideoMedia, frame: int, direction: int, ticket: Ticket) -> _DrawnFrame:
    """The image of a frame; one that cannot be decoded is blank, never another one."""
    video = media.video
    if video is None:
        return _DrawnFrame()
    try:
        if frame == 1 and video.index is None:
            picture = video.first_picture()
        else:
            picture = video.picture(
                frame, direction=direction, deadline=_patience(ticket), progress=ticket.report
            )
    except CodecError as error:
        if error.rule == NO_FRAME:
            # The file is not at fault: there was never such a frame to show.
            raise
        return _DrawnFrame(reason=str(error), problems=(error.as_problem(Severity.ERROR),))
    colours, greys = (Pyramid.of(p, Reduce.MEAN) for p in (picture.pixels, _grey(picture)))
    return _DrawnFrame(colours, greys, picture.is_incomplete)


def _patience(ticket: Ticket) -> Deadline:
    """Wait for a frame as long as it is wanted.

    Of frames asked for in quick succession each is shown; one that takes long gives way.
    """
    hurries_from_s = time.monotonic() + _UNHURRIED_S

    def is_unwanted() -> bool:
        is_late = ticket.is_outdated and time.monotonic() > hurries_from_s
        return ticket.is_cancelled or is_late

    return Deadline(PICTURE_SECONDS, is_called_off=is_unwanted)


def _masks_scored(media: VideoMedia, request: TrialRequest, frame: int) -> LoadedTrial:
    """The frame's masks and their scores, without its image."""
    log, reason, reference = ProblemLog(trial=request.trial.id), "", None
    try:
        reference = reference_at(media, request, frame)
    except CodecError as error:
        log.add(error.as_problem(Severity.ERROR))
        reason = str(error)
    side = LoadedSide(
        side=Side.PROBE,
        media=request.trial.probe,
        reason=media.reason,
        reference=reference,
        scored=reference,
        selected=request.selected,
        operations=None
        if reference is None
        else Pyramid.of(reference.operation_index(), Reduce.MAX),
        reference_reason="" if reference is not None else reason or _without_reference(request),
        systems=tuple(_systems(media, request, frame, reference, log)),
    )
    side = side_scored(side, request)
    systems = tuple(map(_with_outcomes, side.systems))
    return LoadedTrial(request, replace(side, systems=systems), problems=log.freeze())


def reference_at(media: VideoMedia, request: TrialRequest, frame: int) -> ReferenceMask | None:
    """The reference of one frame; between its blocks nothing is manipulated."""
    if media.reference is None:
        return None
    return reference_of_frame(media.reference, request.trial.operations, frame)


def scores_at(
    media: VideoMedia, request: TrialRequest, frame: int, *, system: int = 0
) -> U8Image | None:
    """A system's scores of one frame; between its blocks it calls nothing."""
    mask = media.systems[system] if system < len(media.systems) else None
    job = media.questions(request)[system].job if mask is not None else None
    if mask is None or job is None:
        return None
    return scores_of_frame(mask, frame, manipulated_is=job.manipulated_is)


def counts_at(media: VideoMedia, request: TrialRequest, frame: int) -> LevelCounts | None:
    """How the first system's scores lie in the reference's regions.

    An answer that names no mask counts as an empty one, and by most rules one whose mask cannot be
    used; ``None`` where it is not scored.
    """
    reference = reference_at(media, request, frame)
    if reference is None or not request.systems:
        return None
    question = media.questions(request)[0]
    scores = scores_at(media, request, frame)
    is_usable = question.is_omitted if scores is None else Size.of(scores) == reference.size
    is_left_out = not is_usable and request.rules.chooses(switches.UnusableMask.UNSCORED)
    if question.why or is_left_out:
        return None
    counts = counts_of_frame(
        reference,
        scores if is_usable else None,
        selected=request.selected,
        kernels=request.kernels,
    )
    return question.without_opt_out(counts)


def counts_if_readable(media: VideoMedia, request: TrialRequest, frame: int) -> LevelCounts | None:
    """The same; ``None`` also for a frame whose masks cannot be read."""
    try:
        return counts_at(media, request, frame)
    except CodecError as error:
        if error.rule == TOO_SLOW:
            # Every other frame would take as long to give up.
            raise
        # The frame itself says what is wrong; the others are counted.
        return None


_SCORED_REGIONS = (Region.MANIPULATED, Region.BACKGROUND)


@dataclass(frozen=True, slots=True, eq=False)
class FrameStrip:
    """Pixel counts of every frame with masks, for any threshold and any stretch of the video.

    ``called`` holds, for each frame and threshold, how many manipulated and how many background
    pixels are called: (frames, 2, 257). A threshold that moves while the video plays then costs no
    more than a look.
    """

    frames: Rows = field(default_factory=lambda: np.zeros(0, np.intp))
    levels: NDArray[np.int32] = field(
        default_factory=lambda: np.zeros((0, len(Region), LEVELS), np.int32)
    )
    called: NDArray[np.int32] = field(
        default_factory=lambda: np.zeros((0, len(_SCORED_REGIONS), LEVELS + 1), np.int32)
    )
    total: int = 0

    @property
    def is_complete(self) -> bool:
        return len(self.frames) >= self.total

    def extended(self, counted: Iterable[tuple[int, LevelCounts]]) -> FrameStrip:
        pairs = list(counted)
        if not pairs:
            return self
        levels = np.stack([counts.table.astype(np.int32) for _, counts in pairs])
        numbers = np.array([frame for frame, _ in pairs], np.intp)
        return FrameStrip(
            np.concatenate([self.frames, numbers]),
            np.concatenate([self.levels, levels]),
            np.concatenate([self.called, _called(levels)]),
            self.total,
        )

    def mcc(self, threshold: int) -> Floats:
        """Each frame's MCC; NaN where nothing is manipulated, so that there is nothing to find."""
        tp, fp = self.called[:, 0, threshold].astype(float), self.called[:, 1, threshold]
        fn = self.called[:, 0, 0] - tp
        tn = self.called[:, 1, 0] - fp.astype(float)
        product = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
        with np.errstate(divide="ignore", invalid="ignore"):
            values = (tp * tn - fp * fn) / np.sqrt(product)
        found: Floats = np.where(product > 0, values, 0.0)
        return np.where(tp + fn > 0, found, np.nan)

    def over(self, first: int, last: int) -> ThresholdSweep | None:
        """All pixels of the frames from ``first`` to ``last`` together."""
        inside = (self.frames >= first) & (self.frames <= last)
        if not inside.any():
            return None
        table = self.levels[inside].sum(axis=0, dtype=np.int64)
        boundary, unselected = table[Region.BOUNDARY].sum(), table[Region.UNSELECTED].sum()
        return ThresholdSweep(LevelCounts(table, int(boundary), int(unselected)))


def _called(levels: NDArray[np.int32]) -> NDArray[np.int32]:
    """Pixels with a score of at least t, for t = 0 … 256, in the regions that are scored."""
    scored = levels[:, list(_SCORED_REGIONS)]
    called = np.zeros((*scored.shape[:2], LEVELS + 1), np.int32)
    called[:, :, :LEVELS] = scored[:, :, ::-1].cumsum(axis=2)[:, :, ::-1]
    return called


_NO_MASK = to_translate("The answer has no spatial mask")
_UNREADABLE = to_translate("The spatial mask cannot be read")


def _systems(
    media: VideoMedia,
    request: TrialRequest,
    frame: int,
    reference: ReferenceMask | None,
    log: ProblemLog,
) -> Iterable[LoadedSystem]:
    for number, system in enumerate(request.systems):
        question, scores, failure = media.questions(request)[number], None, ""
        try:
            scores = scores_at(media, request, frame, system=number)
        except CodecError as error:
            log.add(error.as_problem(Severity.ERROR))
            failure = str(error)
        stands_in = scores is None and question.is_omitted and reference is not None
        if stands_in and reference is not None:
            # As for images: an answer without a mask is scored as an empty one.
            scores = empty_mask(reference.size)
        if scores is None and not question.is_omitted:
            failure = failure or _UNREADABLE
        yield LoadedSystem(
            name=system.name,
            answer=system.answer,
            question=question,
            scores=scores,
            means=None if scores is None else Pyramid.of(scores, Reduce.MEAN),
            peaks=None if scores is None else Pyramid.of(scores, Reduce.MAX),
            is_stand_in=stands_in,
            failure=failure,
            reason=failure if failure or scores is not None else _NO_MASK,
        )


def _with_outcomes(system: LoadedSystem) -> LoadedSystem:
    """A system whose false alarms are shown even in a frame where there is nothing to find."""
    regions, scores = system.regions, system.scores
    if system.sweep is not None or regions is None or scores is None:
        return system
    if regions.has_selected or Size.of(scores) != regions.size:
        return system
    outcomes = OutcomePyramid.of(regions.codes, scores)
    reason = to_translate("Nothing is manipulated in this frame")
    return replace(system, outcomes=outcomes, reason=reason)


def _without_reference(request: TrialRequest) -> str:
    if request.trial.is_target is False:
        return to_translate("Not manipulated, so there is no reference mask")
    return to_translate("The dataset has no spatial reference mask for this video")


def _grey(picture: VideoPicture) -> U8Image:
    return np.asarray(cv2.cvtColor(picture.pixels, cv2.COLOR_RGB2GRAY), np.uint8)


def _facts(video: VideoFile, drawn: _DrawnFrame) -> ImageFacts:
    facts = video.facts
    coding = f"{facts.codec} in {facts.container}"
    return ImageFacts(
        format=tr("{coding}, incomplete frame", coding=coding) if drawn.is_incomplete else coding,
        size=facts.size,
        stored_size=facts.stored_size,
        byte_count=facts.byte_count,
    )
