"""The video under review: its files, playhead, lanes and numbers, without a screen.

Follows the workbench: when a video trial is opened there, its files are opened here, and the frame
under the playhead is shown there like any image. Listeners get the new :class:`VideoState` with
the flags of what changed.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Flag, auto

from forensicviewer.app.language.words import to_translate, tr, whole
from forensicviewer.app.runtime.jobs import Lane, OnError, Priority, Ticket
from forensicviewer.app.runtime.observed import Observed
from forensicviewer.app.temporal.trials import Extent, TemporalSettings
from forensicviewer.app.video.frames import (
    FrameStrip,
    MaskStretch,
    VideoMedia,
    counts_if_readable,
    load_frame,
    open_media,
)
from forensicviewer.app.video.playback import Playback
from forensicviewer.app.video.review import (
    FALLBACK_RATE,
    FrameClock,
    ReviewRequest,
    VideoReview,
    probe_rows,
    review_video,
)
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.loaded_trial import (
    CANCELLED_VIDEO,
    OPENING_VIDEO,
    LoadedTrial,
    TrialRequest,
    unread_trial,
)
from forensicviewer.app.workbench.state import Change, Layer, Moment, Snap, ViewState
from forensicviewer.core.model import TaskKind, TrialId
from forensicviewer.core.problem import ForensicViewerError, Problem, Severity
from forensicviewer.core.score import LevelCounts
from forensicviewer.core.table.text_table import Table
from forensicviewer.core.temporal import OutcomeStretch
from forensicviewer.sources.files.deadline import CalledOffError, Deadline
from forensicviewer.sources.video.audio import Waveform, read_waveform
from forensicviewer.sources.video.frame_index import FrameIndex
from forensicviewer.sources.video.frame_reader import VideoFacts

OPEN_LANE = Lane("video-open", Priority.WITH_PAGE)
_INDEX_LANE = Lane("video-index")
_SOUND_LANE = Lane("video-sound", Priority.DETAIL)
_STRIP_LANE = Lane("video-strip", Priority.DETAIL)

FRAME_LANE = Lane("video")  # of the jobs that read the frame under the playhead
_LONG_S = 0.3
# The strip is counted in pieces, so that another request never waits long for its turn.
_STRIP_PIECE = 24
_SOUND_SECONDS = 300.0
_REOPENED_BY = Change.DATASET | Change.TRIAL | Change.SUBMISSIONS


class VideoChange(Flag):
    """What differs between two states of the player."""

    MEDIA = auto()  # another video, or more is known of it
    FRAME = auto()  # the playhead moved
    TRANSPORT = auto()  # playing, speed, marks, loop
    JUMP = auto()  # the playhead went elsewhere than playing leads it
    REVIEW = auto()  # intervals, outcome, collar
    SOUND = auto()
    STRIP = auto()
    REASON = auto()  # why there is no picture


# What a review lacks as long as frames and sound of the file have not been counted.
_TOLD_BY_THE_FILE = frozenset({"temporal-length", "temporal-times"})
_NO_CHANGE = VideoChange(0)


@dataclass(frozen=True, slots=True, eq=False)
class VideoState:
    """Everything the video page shows besides the panes."""

    trial_id: TrialId | None = None
    facts: VideoFacts | None = None
    index: FrameIndex | None = None
    review: VideoReview | None = None
    playback: Playback = field(default_factory=lambda: Playback(FrameClock(FALLBACK_RATE), 1))
    sound: Waveform | None = None
    strip: FrameStrip = field(default_factory=FrameStrip)
    has_masks: bool = False
    masked: tuple[MaskStretch, ...] = ()
    shown: int | None = None  # the frame in the panes, which may lag behind the playhead
    reason: str = ""

    @property
    def frame(self) -> int:
        return self.playback.frame

    @property
    def moment(self) -> Moment:
        """The position in the video, as a verdict records it."""
        playback = self.playback
        is_marked = playback.mark_in is not None or playback.mark_out is not None
        stretch = (playback.stretch.first, playback.stretch.last) if is_marked else None
        mcc = None if self.review is None else self.review.video.mcc
        return Moment(self.shown or self.frame, stretch, mcc)

    @property
    def time_s(self) -> float:
        return self.playback.clock.ms(self.frame) / 1000

    @property
    def file_time_s(self) -> float:
        """The time the file itself gives the frame, by which its sound is found."""
        return self.time_s + (0.0 if self.index is None else self.index.begins_s)


class VideoPlayer(Observed[VideoState, VideoChange]):
    """Opens the trial's video, moves its playhead and keeps its review up to date.

    Where ``lets_numbers_wait``, a new frame is first shown in the panes alone, and the numbers
    beside them follow when :meth:`tell_numbers` is called: both at once would take too long for a
    video that plays.
    """

    def __init__(self, workbench: Workbench, *, lets_numbers_wait: bool = False) -> None:
        self._workbench = workbench
        self._lets_numbers_wait = lets_numbers_wait
        super().__init__(VideoState())
        self._media: VideoMedia | None = None
        self._rows: Table | None = None
        self._request: TrialRequest | None = None
        self._settings = TemporalSettings(rules=workbench.state.rules)
        self._is_read = False  # whether frames and sound have been counted
        self._reported: set[tuple[str, str]] = set()  # (rule, file) of what was wrong with frames
        self._unsubscribe = workbench.subscribe(self._follow)
        self._open()

    @property
    def media(self) -> VideoMedia | None:
        return self._media

    @property
    def settings(self) -> TemporalSettings:
        return self._settings

    def close(self) -> None:
        """Stop following and release the files."""
        self._unsubscribe()
        self._listeners.clear()
        if self._media is not None:
            self._media.close()
            self._media = None

    # The playhead

    def seek(self, frame: int) -> None:
        self._move(self._state.playback.at(frame))

    def step(self, frames: int) -> None:
        self._move(self._state.playback.stepped(frames), direction=1 if frames > 0 else -1)

    def move_s(self, seconds: float) -> None:
        self._move(self._state.playback.moved_s(seconds))

    def toggle_playing(self, *, now_s: float) -> None:
        self._transport(self._state.playback.toggled(now_s=now_s))

    def play_faster(self, direction: int, *, now_s: float) -> None:
        self._transport(self._state.playback.faster(direction, now_s=now_s))

    def pause(self) -> None:
        self._transport(replace(self._state.playback, speed=0.0))

    def set_speed(self, speed: float, *, now_s: float) -> None:
        """Play at this speed from now on."""
        self._transport(self._state.playback.playing(speed, now_s=now_s))

    def tick(self, *, now_s: float) -> None:
        """Show the frame that is due; called many times a second while playing."""
        before = self._state.playback
        due = before.due(now_s)
        if due.frame != before.frame:
            self._move(due, direction=before.direction)
        elif due.speed != before.speed:
            self._transport(due)
        elif due is not before:
            self._put(VideoChange(0), replace(self._state, playback=due))

    def mark_in(self) -> None:
        playback = self._state.playback
        self._transport(playback.marked(first=playback.frame, last=playback.mark_out))

    def mark_out(self) -> None:
        playback = self._state.playback
        self._transport(playback.marked(first=playback.mark_in, last=playback.frame))

    def clear_marks(self) -> None:
        self._transport(self._state.playback.marked(first=None, last=None))

    def mark(self, first: int, last: int) -> None:
        """Mark an interval, as for a loop of it."""
        self._transport(self._state.playback.marked(first=first, last=last))

    def toggle_loop(self) -> None:
        playback = self._state.playback
        self._transport(replace(playback, is_looping=not playback.is_looping))

    def go_to_error(self, direction: int) -> OutcomeStretch | None:
        """Go to the next or previous miss or false alarm."""
        review = self._state.review
        if review is None:
            return None
        frame = self._state.frame
        found = review.next_error(frame) if direction > 0 else review.previous_error(frame)
        if found is not None:
            self.seek(found.start)
        return found

    def tell_numbers(self) -> None:
        """Let every panel look at the frame in the panes, where numbers were to wait."""
        loaded = self._workbench.state.loaded
        if loaded is not None and self._media is not None:
            self._workbench.show_frame(loaded)

    def awaited(self) -> str:
        """What to say of a frame that takes long to decode, or was given up; mostly nothing."""
        state = self._state
        if state.shown in (None, state.frame) or state.reason:
            return ""
        running = [
            status
            for status in self._workbench.jobs.statuses()
            if status.lane is FRAME_LANE and status.is_running
        ]
        if not running:
            if state.playback.is_playing:
                return ""
            given_up = tr("Frame {frame} was not decoded", frame=state.frame)
            return _still(given_up, state.shown)
        job = running[0]
        if job.elapsed_s < _LONG_S:
            return ""
        decoding = tr("Decoding up to frame {frame}", frame=state.frame)
        if job.total:
            percent = round(100 * job.done / job.total)
            decoding = tr("{work}: {percent}%", work=decoding, percent=percent)
        return _still(decoding, state.shown)

    # Scoring

    def set_collar(self, collar: int) -> None:
        """Score with another collar; the numbers follow at once."""
        if collar != self._settings.collar and collar >= 0:
            self._settings = replace(self._settings, collar=collar)
            self._review(_NO_CHANGE, self._state)

    def snap_to_interval(self, first: int, last: int) -> int | None:
        """Set the threshold that is best for all frames of a stretch together; return it."""
        sweep = self._state.strip.over(first, last)
        best = None if sweep is None else sweep.optimum
        if best is not None:
            self._workbench.set_maximum(best)
            self._workbench.snap_threshold(Snap.MAXIMUM)
        return best

    # Following the workbench

    def _follow(self, state: ViewState, change: Change) -> None:
        if change & Change.RULES and state.rules != self._settings.rules:
            self._settings = replace(self._settings, rules=state.rules)
            self._review(_NO_CHANGE, self._state)
        is_about_files = bool(change & (_REOPENED_BY | Change.SCORING))
        if not is_about_files and not (change & Change.LOADED and _lacks_picture(state)):
            # Thirty times a second it is only the next frame.
            return
        request = self._wanted()
        if request is None:
            if self._request is not None:
                self._open()
            return
        if self._request is None or _is_other(request, self._request):
            if change & _REOPENED_BY:
                # A turn of its own: list and panes have just followed the same change.
                self._workbench.jobs.soon(self._open)
        elif request != self._request:
            self._request = request
            self._review(_NO_CHANGE, self._state)
            self._show()
            self._start_strip()
        elif change & Change.LOADED and _lacks_picture(state):
            # The workbench has read the trial anew, without an image: give it one again.
            self._show()

    def _open(self) -> None:
        request = self._wanted()
        if request is not None and request == self._request:
            return
        self._let_go()
        self._request = request
        trial_id = None if request is None else request.trial.id
        self._put(~VideoChange(0), VideoState(trial_id=trial_id))
        if request is None:
            return
        self._workbench.jobs.submit(
            OPEN_LANE,
            lambda: (open_media(request), _rows_or_none(request)),
            lambda opened: self._opened(request, *opened),
            title=tr("Opening {name}", name=request.trial.probe.name),
            on_error=self._blank,
            on_cancel=self._say_cancelled,
        )

    def _say_cancelled(self) -> None:
        """Nobody waits for the first image any more; one that is shown already stays."""
        if self._request is not None and self._state.shown is None:
            self._workbench.show_frame(unread_trial(self._request, CANCELLED_VIDEO))

    def _wanted(self) -> TrialRequest | None:
        """What the workbench wants read of a video; ``None`` while it looks at anything else."""
        task = self._workbench.state.task
        return self._workbench.request if task and task.kind is TaskKind.VIDEO else None

    def _let_go(self) -> None:
        media, self._media, self._rows, self._is_read = self._media, None, None, False
        self._reported.clear()
        if media is not None:
            # Not here: it waits for the frame that is being decoded.
            closing = Lane("video-close")
            self._workbench.jobs.submit(closing, media.close, _nothing, on_error=self._fail)

    def _opened(self, request: TrialRequest, media: VideoMedia, rows: Table | None) -> None:
        if self._request is None or _is_other(request, self._request):
            media.close()
            return
        self._media, self._rows = media, rows
        self._workbench.report(media.problems)
        video = media.video
        known = replace(
            self._state,
            facts=None if video is None else video.facts,
            has_masks=media.has_masks,
            masked=media.mask_runs(),
            reason=media.reason,
        )
        self._review(VideoChange.MEDIA, known)
        self._show_alone(is_alone=not media.has_masks)
        self._show()
        self._start_index(media)

    def _show_alone(self, *, is_alone: bool) -> None:
        """Without masks, only the image gets room."""
        panes = self._workbench.state.arrangement.panes
        picture = next((i for i, pane in enumerate(panes) if pane.layer is Layer.PICTURE), None)
        if picture is not None and len(panes) > 1:
            self._workbench.maximise_pane(picture if is_alone else None)

    def _start_index(self, media: VideoMedia) -> None:
        if media.video is None:
            self._start_strip()
            return

        def find_frames(ticket: Ticket) -> None:
            media.load_index(is_called_off=ticket.is_called_off)

        self._workbench.jobs.submit_long(
            _INDEX_LANE,
            find_frames,
            lambda _: self._indexed(media),
            title=tr("Finding the frames of the video"),
            on_error=self._failing_of(media),
        )

    def _indexed(self, media: VideoMedia) -> None:
        if media is not self._media or media.video is None or media.video.index is None:
            return
        self._is_read = not media.video.facts.has_audio
        known = replace(self._state, index=media.video.index)
        self._review(VideoChange.MEDIA, known)
        self._start_sound(media)
        self._start_strip()

    def _start_sound(self, media: VideoMedia) -> None:
        video = media.video
        if video is None or not video.facts.has_audio:
            return
        path = video.path

        def listen(ticket: Ticket) -> Waveform | None:
            deadline = Deadline(_SOUND_SECONDS, is_called_off=ticket.is_called_off)
            return read_waveform(path, deadline=deadline)

        self._workbench.jobs.submit_long(
            _SOUND_LANE,
            listen,
            lambda sound: self._heard(media, sound),
            title=tr("Reading the sound of the video"),
            on_error=self._failing_of(media),
        )

    def _heard(self, media: VideoMedia, sound: Waveform | None) -> None:
        if media is self._media:
            self._is_read = True
            self._review(VideoChange.SOUND, replace(self._state, sound=sound))

    # Reviewing

    def _review(self, change: VideoChange, known: VideoState) -> None:
        """Review anew, with what has become known; listeners hear of both at once."""
        self._state = known
        request = self._request
        if request is None:
            self._put(change, known)
            return
        review = review_video(self._review_request(request))
        self._workbench.report(self._certain(review))
        playback = self._state.playback
        frames = self._frame_count(review)
        kept = replace(playback, clock=review.clock, frames=frames)
        self._put(
            change | VideoChange.REVIEW,
            replace(
                self._state,
                review=review,
                playback=replace(kept, frame=min(playback.frame, frames)),
            ),
        )

    def _certain(self, review: VideoReview) -> tuple[Problem, ...]:
        """The review's problems, without those that may vanish once the file has been read."""
        if self._media is None or self._media.video is None or self._is_read:
            return review.problems
        return tuple(each for each in review.problems if each.rule not in _TOLD_BY_THE_FILE)

    def _frame_count(self, review: VideoReview) -> int:
        """Frames that can be shown: those of the file once they are known."""
        return len(self._state.index) if self._state.index is not None else review.frame_count

    def _review_request(self, request: TrialRequest) -> ReviewRequest:
        state, sound = self._workbench.state, self._state.sound
        index = self._state.index
        per_frame = sound.sample_rate / index.rate if sound and index and index.rate else None
        return ReviewRequest(
            task=request.task,
            trial=request.trial,
            submission=state.submission,
            rival=state.rival_submission,
            settings=self._settings,
            selected=request.selected,
            index=index,
            extent=Extent(
                frames=None if index is None else len(index),
                samples=None if sound is None else sound.samples,
                samples_per_frame=per_frame,
                sample_rate=None if sound is None else sound.sample_rate,
            ),
            rows=self._rows,
        )

    def _start_strip(self) -> None:
        media = self._media
        if media is None or self._request is None or media.reference is None:
            return
        frames = media.masked_frames()
        self._put(VideoChange.STRIP, replace(self._state, strip=FrameStrip(total=len(frames))))
        self._count_more(media, self._request, frames)

    def _count_more(
        self, media: VideoMedia, request: TrialRequest, frames: tuple[int, ...]
    ) -> None:
        if not frames:
            return
        piece, rest = frames[:_STRIP_PIECE], frames[_STRIP_PIECE:]

        def count() -> list[tuple[int, LevelCounts]]:
            found = [(frame, counts_if_readable(media, request, frame)) for frame in piece]
            return [(frame, counts) for frame, counts in found if counts is not None]

        def counted(pairs: list[tuple[int, LevelCounts]]) -> None:
            if media is self._media and request == self._request:
                self._put(
                    VideoChange.STRIP, replace(self._state, strip=self._state.strip.extended(pairs))
                )
                self._count_more(media, request, rest)

        self._workbench.jobs.submit(
            _STRIP_LANE,
            count,
            counted,
            title=tr("Scoring the frames"),
            on_error=self._failing_of(media),
        )

    # Showing

    def _move(self, playback: Playback, *, direction: int = 0) -> None:
        before = self._state.playback
        change = VideoChange.FRAME if playback.frame != before.frame else VideoChange(0)
        if playback.speed != before.speed:
            change |= VideoChange.TRANSPORT
        if (playback.anchor, playback.anchor_s) != (before.anchor, before.anchor_s):
            change |= VideoChange.JUMP
        self._put(change, replace(self._state, playback=playback))
        if change & VideoChange.FRAME:
            self._show(direction=direction)

    def _transport(self, playback: Playback) -> None:
        before = self._state.playback
        self._put(VideoChange.TRANSPORT, replace(self._state, playback=playback))
        if playback.frame != before.frame:
            self._put(VideoChange.FRAME, self._state)
            self._show()

    def _show(self, *, direction: int = 0) -> None:
        """Show the frame under the playhead; of many asked for quickly only the newest."""
        media, request, frame = self._media, self._request, self._state.frame
        if media is None or request is None:
            return
        self._workbench.jobs.submit_long(
            FRAME_LANE,
            lambda ticket: load_frame(media, request, frame, direction=direction, ticket=ticket),
            lambda loaded: self._shown(frame, loaded),
            title=tr("Decoding up to frame {frame}", frame=whole(frame)),
            on_error=self._failing_of(media, self._blank),
            on_cancel=self._say_cancelled,
        )

    def _shown(self, frame: int, loaded: LoadedTrial) -> None:
        self._put(_NO_CHANGE, replace(self._state, shown=frame))
        self._workbench.show_frame(loaded, is_passing=self._lets_numbers_wait)
        # Once for each kind: in a damaged video it may be so for thousands of frames.
        new = [each for each in loaded.problems if (each.rule, each.where) not in self._reported]
        self._reported.update((each.rule, each.where) for each in new)
        if new:
            self._workbench.report(new)
        lasting = loaded.probe.reason
        if self._state.reason != lasting:
            # It was about another frame.
            self._put(VideoChange.REASON, replace(self._state, reason=lasting))

    def _failing_of(self, media: VideoMedia, failing: OnError | None = None) -> OnError:
        """What to do when work on a video fails: nothing once another one is shown.

        Its files are closed while the last of its frames may still be read.
        """

        def fail(error: BaseException) -> None:
            is_gone = media is not self._media and isinstance(error, ForensicViewerError)
            if not is_gone:
                (failing or self._fail)(error)

        return fail

    def _blank(self, error: BaseException) -> None:
        """Show that there is nothing to show, rather than another frame or that one is awaited."""
        if self._request is not None and not isinstance(error, CalledOffError):
            is_known = isinstance(error, ForensicViewerError)
            why = str(error) if is_known else to_translate("Internal error; the log says more")
            self._put(_NO_CHANGE, replace(self._state, shown=self._state.frame))
            self._workbench.show_frame(unread_trial(self._request, why))
        self._fail(error)

    def _fail(self, error: BaseException) -> None:
        if isinstance(error, CalledOffError):
            return
        if not isinstance(error, ForensicViewerError):
            raise error
        self._workbench.report([error.as_problem(Severity.ERROR)])
        self._put(VideoChange.REASON, replace(self._state, reason=str(error)))


def _still(why: str, shown: int | None) -> str:
    return tr("{why}; frame {shown} is still shown", why=why, shown=shown)


def _lacks_picture(state: ViewState) -> bool:
    probe = None if state.loaded is None else state.loaded.probe
    return probe is not None and probe.reason == OPENING_VIDEO


def _is_other(one: TrialRequest, two: TrialRequest) -> bool:
    """Whether two requests are about different files."""
    names = [tuple(system.root for system in each.systems) for each in (one, two)]
    return one.task is not two.task or one.trial.id != two.trial.id or names[0] != names[1]


def _rows_or_none(request: TrialRequest) -> Table | None:
    try:
        return probe_rows(request.task, request.trial)
    except ForensicViewerError:
        return None


def _nothing(_answer: object) -> None:
    """Ignore the answer."""
