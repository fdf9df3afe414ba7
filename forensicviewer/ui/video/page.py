"""The page for video trials: panes, transport, timeline and the video's numbers."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QImage, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from forensicviewer.app.language.words import to_translate, tr
from forensicviewer.app.runtime.jobs import Lane
from forensicviewer.app.video.contact_sheet import SheetPicture, sheet_pictures
from forensicviewer.app.video.player import VideoChange, VideoPlayer, VideoState
from forensicviewer.app.video.sound import Listening, find_voices
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.scope import Scope
from forensicviewer.app.workbench.state import Change, ViewState
from forensicviewer.core.problem import UsageError
from forensicviewer.ui.panes.commands import PaneCommands
from forensicviewer.ui.panes.export import save_picture
from forensicviewer.ui.panes.grid import PaneGrid
from forensicviewer.ui.panes.inspector import InspectorStrip
from forensicviewer.ui.panes.lens_bar import LensBar
from forensicviewer.ui.video.export import SHEET_WIDTH_PX, annotated_frame, contact_sheet
from forensicviewer.ui.video.freed_memory import keep_freed_memory
from forensicviewer.ui.video.panel import VideoPanel
from forensicviewer.ui.video.timeline import Timeline
from forensicviewer.ui.video.transport import TransportBar
from forensicviewer.ui.widgets.explanation_strip import ExplanationStrip
from forensicviewer.ui.widgets.page import Handler, Page
from forensicviewer.ui.widgets.plain_text import PlainInputDialog, PlainLabel
from forensicviewer.ui.widgets.save_dialog import ask_where, opened_places, write_in_background

_SHEET_LANE = Lane("video-sheet")

_TICK_MS = 6
_HEARING_MS = 60
# When the numbers follow a frame: after a single step; once the playhead, which was dragged, rests;
# at the latest while it is dragged; and how often while the video plays.
_NUMBERS_MS, _RESTING_MS, _NUMBERS_MOVING_MS, _NUMBERS_PLAYING_MS = 15, 60, 250, 400
_AWAITING_MS = 300
_STILL_MS = 120  # without another frame: what comes next is a single step
_SHEET_PICTURES = 20
_EXPORTED = QSize(1600, 1000)
_NARROW_PX = 620  # of a page in which lanes and numbers have no room side by side
_PICTURES = to_translate("PNG image (*.png);;JPEG image (*.jpg)")


class VideoPage(Page):
    """A video under review."""

    def __init__(self, workbench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        keep_freed_memory()
        self.workbench = workbench
        self.player = VideoPlayer(workbench, lets_numbers_wait=True)
        self.listening = Listening(find_voices())
        self._heard_at = 0.0  # the speed
        self._ticking = QTimer(self, interval=_TICK_MS)
        self._ticking.timeout.connect(self._tick)
        self._hearing = QTimer(self, interval=_HEARING_MS, singleShot=True)
        self._hearing.timeout.connect(self._hear)
        self._numbering = QTimer(self, singleShot=True)
        self._numbering.timeout.connect(self.player.tell_numbers)
        self._numbered_s = self._moved_s = 0.0
        self._awaiting = QTimer(self, interval=_AWAITING_MS, singleShot=True)
        self._awaiting.timeout.connect(self._tell_awaited)
        self._frame_parts()
        parts = (self.inspector, self.lens_bar, self.panes, self.explanation)
        self._stop = [part.let_go for part in parts]
        self._unmade = deque(
            (
                self._make_transport,
                self._make_timeline,
                lambda: self._timeline.build(),
                self._make_panel,
                lambda: self._panel.make_intervals(),
                lambda: self._panel.make_stretch(),
                self._complete,
                self._polish,
            )
        )
        for _ in range(len(self._unmade)):
            workbench.jobs.soon(self._make_next)

    # Parts: whoever asks for one gets it, made or not

    @property
    def transport(self) -> TransportBar:
        self._make_all()
        return self._transport

    @property
    def timeline(self) -> Timeline:
        self._make_all()
        return self._timeline

    @property
    def panel(self) -> VideoPanel:
        self._make_all()
        return self._panel

    def showEvent(self, event: QShowEvent) -> None:
        """Lay out and paint the page first, the panes in the turn after it."""
        self.panes.setUpdatesEnabled(False)
        super().showEvent(event)
        # A timer waits for the painting, which everything posted goes before.
        QTimer.singleShot(0, self, self._show_panes)

    def _show_panes(self) -> None:
        self.panes.setUpdatesEnabled(True)

    def picture(self, size: QSize | None = None) -> QImage:
        self._show_panes()
        self.timeline.plot.bring_up_to_date()
        return super().picture(size)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        is_narrow = event.size().width() < _NARROW_PX
        self._beside.setOrientation(
            Qt.Orientation.Vertical if is_narrow else Qt.Orientation.Horizontal
        )

    def copy_pixel(self) -> None:
        self.inspector.copy()

    def let_go(self) -> None:
        self._ticking.stop()
        self._numbering.stop()
        self._awaiting.stop()
        self._hearing.stop()
        self.listening.close()
        self._make_all()
        while self._stop:
            self._stop.pop()()
        self.player.close()

    def show_place(self, place: int | None) -> None:
        """Go to a frame; without one, to the first manipulated one, which tells most."""
        review, frames = self.player.state.review, self.player.state.playback.frames
        if place is not None and not 1 <= place <= frames:
            raise UsageError(
                f"The video has no frame {place}", hint=f"choose a frame from 1 to {frames}"
            )
        truth = () if review is None else review.video.reference
        middle = (truth[0].first + truth[0].last) // 2 if truth else 1
        self.player.seek(middle if place is None else place)

    # Commands

    def handlers(self) -> Mapping[str, Handler]:
        shared = PaneCommands(self.workbench, self.panes).handlers()
        return {**shared, **self._moving(), **self._playing(), **self._reviewing()}

    def _moving(self) -> Mapping[str, Handler]:
        player = self.player
        return {
            "video.frame_back": Handler(lambda: player.step(-1)),
            "video.frame_forward": Handler(lambda: player.step(1)),
            "video.second_back": Handler(lambda: player.move_s(-1)),
            "video.second_forward": Handler(lambda: player.move_s(1)),
            "video.first": Handler(lambda: player.seek(1)),
            "video.last": Handler(lambda: player.seek(player.state.playback.frames)),
            "video.go_to": Handler(self.ask_frame),
            "video.next_error": Handler(lambda: self.go_to_error(1)),
            "video.previous_error": Handler(lambda: self.go_to_error(-1)),
        }

    def _playing(self) -> Mapping[str, Handler]:
        player = self.player
        return {
            "video.play": Handler(lambda: player.toggle_playing(now_s=time.monotonic())),
            "video.backward": Handler(lambda: player.play_faster(-1, now_s=time.monotonic())),
            "video.forward": Handler(lambda: player.play_faster(1, now_s=time.monotonic())),
            "video.pause": Handler(player.pause),
            "video.loop": Handler(player.toggle_loop, lambda: player.state.playback.is_looping),
            "video.mark_in": Handler(player.mark_in),
            "video.mark_out": Handler(player.mark_out),
            "video.clear_marks": Handler(player.clear_marks),
            "video.sound": Handler(lambda: self.transport.sound.click(), self._is_sound_on),
        }

    def _reviewing(self) -> Mapping[str, Handler]:
        # None of the parts may be made yet.
        return {
            "video.zoom_in": Handler(lambda: self.timeline.zoom_by(1.5)),
            "video.zoom_out": Handler(lambda: self.timeline.zoom_by(1 / 1.5)),
            "video.zoom_all": Handler(lambda: self.timeline.show_all()),
            "video.best_threshold": Handler(lambda: self.panel.stretch.use_best()),
            "video.contact_sheet": Handler(self.ask_contact_sheet),
            "video.annotated_frame": Handler(self.ask_annotated_frame),
        }

    def go_to_error(self, direction: int) -> None:
        """Go to the next or previous miss or false alarm, and bring it into view."""
        found = self.player.go_to_error(direction)
        if found is not None:
            left, right = self.timeline.shown_frames
            if found.end > right or found.start < left:
                margin = max(10.0, (right - left) / 4)
                self.timeline.show_frames(found.start - margin, found.end + margin)

    def ask_frame(self) -> None:
        playback = self.player.state.playback
        frame, is_given = PlainInputDialog.getInt(
            self,
            tr("Go to frame"),
            tr("Frame, counted from 1"),
            playback.frame,
            1,
            playback.frames,
        )
        if is_given:
            self.player.seek(frame)

    # Exports

    def ask_contact_sheet(self) -> None:
        name = f"{self.player.state.trial_id}-sheet.png"
        path = self._ask_where(tr("Export contact sheet"), name)
        if path is not None:
            self.export_contact_sheet(path)

    def ask_annotated_frame(self) -> None:
        name = f"{self.player.state.trial_id}-frame-{self.player.state.frame}.png"
        path = self._ask_where(tr("Export annotated frame"), name)
        if path is not None:
            self.export_annotated_frame(path)

    def _ask_where(self, title: str, name: str) -> Path | None:
        inputs = opened_places(self.workbench.state)
        return ask_where(self, title, name, tr(_PICTURES), inputs=inputs)

    def export_contact_sheet(self, path: Path) -> None:
        """Write a sheet of the marked stretch, or of the whole video, in the background."""
        media, review = self.player.media, self.player.state.review
        stretch = self.player.state.playback.stretch
        if media is None or review is None:
            return

        def save(pictures: list[SheetPicture]) -> None:
            self._save(contact_sheet(pictures, self.workbench.state, self.player.state), path)

        self.workbench.jobs.submit(
            _SHEET_LANE,
            lambda: sheet_pictures(
                media, review, stretch, count=_SHEET_PICTURES, width_px=SHEET_WIDTH_PX
            ),
            save,
            title=tr("Making the contact sheet"),
        )

    def export_annotated_frame(self, path: Path) -> None:
        self._save(annotated_frame(self.workbench.state, self.player.state, _EXPORTED), path)

    def _save(self, picture: QImage, path: Path) -> None:
        write = partial(save_picture, picture, path)
        write_in_background(self.workbench, path, write, self.tell)

    # Following

    def _follow(self, state: VideoState, change: VideoChange) -> None:
        self._say_moment()
        if change & VideoChange.TRANSPORT:
            self._keep_time(is_playing=state.playback.is_playing)
        if change & VideoChange.JUMP or state.playback.speed != self._heard_at:
            self._heard_at = state.playback.speed
            self._listen()
        if change & VideoChange.FRAME and not self._awaiting.isActive():
            self._awaiting.start()
        if change & (VideoChange.MEDIA | VideoChange.REASON):
            self._tell(self._describe_frame(state))
        if change & VideoChange.MEDIA:
            self._name_keys()
            self.transport.sound.setEnabled(self._can_listen(state))

    def _say_moment(self) -> None:
        state = self.player.state
        if state.trial_id is not None and state.trial_id == self.workbench.state.trial_id:
            self.workbench.set_moment(state.moment)

    def show_keys(self) -> None:
        if not self._unmade:
            self._name_keys()

    def _name_keys(self) -> None:
        reason = self.listening.reason
        self._transport.show_keys(self.keys, silence=tr(reason) if reason else "")

    def _tell_awaited(self) -> None:
        """Say how far the decoding is while the panes still show another frame."""
        state = self.player.state
        self._tell(self._describe_frame(state) or self.player.awaited())
        if state.shown not in (None, state.frame):
            self._awaiting.start()

    def _describe_frame(self, state: VideoState) -> str:
        """Why this frame cannot be seen; where none can, the pane itself says so."""
        media = self.player.media
        return "" if media is not None and state.reason == media.reason else state.reason

    def _tell(self, reason: str) -> None:
        """Say above the panes why they do not show the frame."""
        self.reason.setText(reason)
        self.reason.setVisible(bool(reason))

    def _follow_frames(self, state: ViewState, change: Change) -> None:
        """Have the numbers follow the shown frame; nobody reads thirty of them a second."""
        if change & Change.LOOK:
            self.transport.show_times_in(state.units.times)
        now_s = time.monotonic()
        if change & (Change.FRAME | Change.LOADED):
            self._say_moment()
        if change & Change.FRAME:
            self._numbering.start(self._numbers_in_ms(now_s))
            self._moved_s = now_s
        elif change & Change.LOADED:
            self._numbered_s = now_s
            self._numbering.stop()

    def _numbers_in_ms(self, now_s: float) -> int:
        """How long the numbers may wait: while frames come and go, images are what is looked at.

        Every panel, and the workers it asks, would otherwise keep the next frame waiting.
        """
        since_ms = 1000 * (now_s - self._numbered_s)
        if self.player.state.playback.is_playing:
            wait_ms = _NUMBERS_PLAYING_MS - since_ms
        elif 1000 * (now_s - self._moved_s) > _STILL_MS:
            wait_ms = _NUMBERS_MS
        else:
            wait_ms = min(_RESTING_MS, _NUMBERS_MOVING_MS - since_ms)
        return max(_NUMBERS_MS, round(wait_ms))

    def _keep_time(self, *, is_playing: bool) -> None:
        if not is_playing and self._numbering.isActive():
            self._numbering.start(_NUMBERS_MS)
        if is_playing and not self._ticking.isActive():
            self._ticking.start()
        elif not is_playing:
            self._ticking.stop()

    def _is_sound_on(self) -> bool:
        return not self._unmade and self.transport.sound.isChecked()

    def _can_listen(self, state: VideoState) -> bool:
        has_sound = state.facts is not None and state.facts.has_audio
        return has_sound and bool(self.listening.voices)

    def _listen(self) -> None:
        """Start or stop the sound; it is heard only forwards and at its own speed."""
        self.listening.stop()
        # Not at once: whoever drags the playhead jumps many times a second.
        if self._wants_sound():
            self._hearing.start()
        else:
            self._hearing.stop()

    def _wants_sound(self) -> bool:
        state = self.player.state
        is_wanted = self.transport.sound.isChecked() and state.playback.speed == 1.0
        return is_wanted and self._can_listen(state)

    def _hear(self) -> None:
        media = self.player.media
        if self._wants_sound() and media is not None and media.video is not None:
            self.listening.play(media.video.path, start_s=self.player.state.file_time_s)

    def _tick(self) -> None:
        self.player.tick(now_s=time.monotonic())
        if self.listening.reason and self.transport.sound.isChecked():
            self._tell_silence()

    def _tell_silence(self) -> None:
        """The sound was asked for and cannot be heard: say why, once."""
        self.transport.sound.setChecked(False)
        self._name_keys()
        self.workbench.report([self.listening.as_problem()])

    # Building, a part a turn of the event loop: together they would keep the window waiting

    def _frame_parts(self) -> None:
        """Everything that holds the parts, and the panes, which are seen first."""
        # From the outside in: whatever is put into something else later is styled once more.
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        self.splitter = QSplitter(Qt.Orientation.Vertical, self)
        whole.addWidget(self.splitter)
        pictures = QWidget(self.splitter)
        self._lower = QWidget(self.splitter)
        self._column = QVBoxLayout(self._lower)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(2)
        self._beside = QSplitter(Qt.Orientation.Horizontal, self._lower)
        self.explanation = ExplanationStrip(
            self.workbench, Scope.VIDEO, self.show_manual, self._lower
        )
        self._column.addWidget(self.explanation)
        self._column.addWidget(self._beside, 1)
        upper = QVBoxLayout(pictures)
        upper.setContentsMargins(6, 6, 6, 0)
        upper.setSpacing(2)
        self.reason = PlainLabel(parent=pictures)
        self.reason.setProperty("role", "warning")
        self.reason.setWordWrap(True)
        self.panes = PaneGrid(self.workbench, pictures)
        self.lens_bar = LensBar(self.workbench, pictures)
        self.inspector = InspectorStrip(self.workbench, pictures)
        upper.addWidget(self.reason)
        upper.addWidget(self.panes, 1)
        upper.addWidget(self.lens_bar)
        upper.addWidget(self.inspector)
        self.splitter.setStretchFactor(0, 3)
        self.splitter.setStretchFactor(1, 2)
        self.splitter.setSizes([560, 400])

    def _make_next(self) -> None:
        if self._unmade:
            self._unmade.popleft()()

    def _make_all(self) -> None:
        while self._unmade:
            self._make_next()

    def _make_transport(self) -> None:
        self._transport = TransportBar(self.player, self._lower)
        self._transport.sound.clicked.connect(self._listen)
        self._column.insertWidget(0, self._transport)

    def _make_timeline(self) -> None:
        self._timeline = Timeline(self.workbench, self.player, self._beside, is_built=False)

    def _make_panel(self) -> None:
        self._panel = VideoPanel(self.workbench, self.player, self._beside)
        self._beside.setStretchFactor(0, 3)
        self._beside.setStretchFactor(1, 1)
        self._beside.setSizes([860, 440])

    def _polish(self) -> None:
        """Style every part now: all at once they would take their time when the page is shown."""
        for part in self.findChildren(QWidget):
            part.ensurePolished()

    def _complete(self) -> None:
        self._stop += [
            self._panel.let_go,
            self._timeline.let_go,
            self._transport.let_go,
            self.player.subscribe(self._follow),
            self.workbench.subscribe(self._follow_frames),
        ]
        self._follow(self.player.state, ~VideoChange(0))
        self._transport.show_times_in(self.workbench.state.units.times)
