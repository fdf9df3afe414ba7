"""The transport of the player: buttons, the frame number, time, speed and what is special."""

from __future__ import annotations

import time

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QFontMetrics, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLayout,
    QSizePolicy,
    QSlider,
    QStyle,
    QStyleOptionSlider,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from forensicviewer.app.language.units import TimeUnit, format_moment
from forensicviewer.app.language.words import decimal, tr, tr_many
from forensicviewer.app.video.playback import SPEEDS
from forensicviewer.app.video.player import VideoChange, VideoPlayer, VideoState
from forensicviewer.ui.widgets.elided import ElidedLabel
from forensicviewer.ui.widgets.heading import digits_font
from forensicviewer.ui.widgets.key_names import Keys, with_keys
from forensicviewer.ui.widgets.number_box import NumberBox
from forensicviewer.ui.widgets.plain_text import PlainLabel
from forensicviewer.ui.widgets.theme import icon

_ICON = QSize(20, 20)
_NARROWEST_PX = 330
_SCRUBBER_PX = 20


class Scrubber(QSlider):
    """A slider that goes where it is pressed, as players do, and is dragged from there."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.setFixedHeight(_SCRUBBER_PX)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self.setValue(self.value_at(event.position().x()))
        super().mousePressEvent(event)

    def value_at(self, x: float) -> int:
        """The value whose handle has its middle there."""
        option, style = QStyleOptionSlider(), self.style()
        self.initStyleOption(option)
        slider = QStyle.ComplexControl.CC_Slider
        handle, groove = (
            style.subControlRect(slider, option, part, self)
            for part in (QStyle.SubControl.SC_SliderHandle, QStyle.SubControl.SC_SliderGroove)
        )
        place = round(x) - groove.left() - handle.width() // 2
        room = max(1, groove.width() - handle.width())
        return QStyle.sliderValueFromPosition(self.minimum(), self.maximum(), place, room)


class TransportBar(QWidget):
    """A scrubber over a row of buttons and facts."""

    def __init__(self, player: VideoPlayer, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._player = player
        self._unit = TimeUnit.CLOCK
        self._icons: dict[QToolButton, str] = {}
        self.scrubber = Scrubber()
        self.scrubber.setAccessibleName(tr("Position in the video"))
        self.scrubber.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.number = NumberBox()
        self.number.setKeyboardTracking(False)
        self.number.setAccessibleName(tr("Frame number, counted from 1"))
        self.number.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.number.setMinimumWidth(86)
        self.count, self.time, self.stamp = PlainLabel(), PlainLabel(), PlainLabel()
        self.badges = ElidedLabel()
        self.speed = QComboBox()
        self.speed.setAccessibleName(tr("Speed"))
        self.speed.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        for value in SPEEDS:
            self.speed.addItem(f"{_short(value)}×", value)  # noqa: RUF001 - the sign people read
        self.speed.setCurrentIndex(SPEEDS.index(1.0))
        self._build()
        self._connect()
        self._stop = player.subscribe(self._follow)
        self._follow(player.state, ~VideoChange(0))

    def let_go(self) -> None:
        self._stop()
        self._stop = _nothing

    def _build(self) -> None:
        self.first = self._button("to-start", tr("First frame"))
        self.back = self._button("step-back", tr("Previous frame"))
        self.play = self._button("play", tr("Play or pause"))
        self.forward = self._button("step-forward", tr("Next frame"))
        self.last = self._button("to-end", tr("Last frame"))
        self.loop = self._button("loop", tr("Loop between marks"))
        self.loop.setCheckable(True)
        self.sound = self._button("sound", tr("Play with sound"))
        self.sound.setCheckable(True)
        self.sound.setEnabled(False)
        digits = digits_font()
        for label in (self.time, self.stamp):
            label.setFont(digits)
        self.stamp.setProperty("role", "muted")
        self._row = row = QHBoxLayout()
        row.setSpacing(3)
        for button in (self.first, self.back, self.play, self.forward, self.last):
            row.addWidget(button)
        row.addSpacing(6)
        playing: tuple[QWidget, ...] = (self.loop, self.sound, self.speed)
        for part in playing:
            row.addWidget(part)
        row.addSpacing(10)
        place: tuple[QWidget, ...] = (self.number, self.count, self.time, self.stamp)
        for part in place:
            row.addWidget(part)
            row.addSpacing(3)
        # What is special about the file gives way first where there is little room.
        playing_parts = (self.sound, self.speed, self.loop)
        self._giving_way = (self.stamp, self.count, *playing_parts, self.first, self.last)
        self.badges.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        self.badges.setAlignment(right)
        row.addWidget(self.badges, 1)
        self.setMinimumWidth(_NARROWEST_PX)
        column = QVBoxLayout(self)
        column.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)
        column.setContentsMargins(4, 2, 4, 2)
        column.setSpacing(2)
        column.addWidget(self.scrubber)
        column.addLayout(row)

    def _button(self, name: str, tip: str) -> QToolButton:
        button = QToolButton(self)
        button.setAutoRaise(True)
        button.setIconSize(_ICON)
        button.setToolTip(tip)
        button.setAccessibleName(tip)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._icons[button] = name
        button.setIcon(icon(name))
        return button

    def show_keys(self, keys: Keys, *, silence: str = "") -> None:
        """Name the key of each button; ``silence`` says why there is no sound to play."""
        commands = {
            self.first: "video.first",
            self.back: "video.frame_back",
            self.play: "video.play",
            self.forward: "video.frame_forward",
            self.last: "video.last",
            self.loop: "video.loop",
            self.sound: "video.sound",
        }
        for button, command in commands.items():
            button.setToolTip(with_keys(button.accessibleName(), keys(command)))
        if silence:
            self.sound.setToolTip(silence)

    def _connect(self) -> None:
        player = self._player
        self.first.clicked.connect(lambda: player.seek(1))
        self.last.clicked.connect(lambda: player.seek(player.state.playback.frames))
        self.back.clicked.connect(lambda: player.step(-1))
        self.forward.clicked.connect(lambda: player.step(1))
        self.play.clicked.connect(lambda: player.toggle_playing(now_s=time.monotonic()))
        self.loop.clicked.connect(player.toggle_loop)
        self.scrubber.valueChanged.connect(self._scrub)
        self.number.valueChanged.connect(self._scrub)
        self.speed.activated.connect(self._choose_speed)

    def _scrub(self, frame: int) -> None:
        if frame != self._player.state.frame:
            self._player.seek(frame)

    def _choose_speed(self, position: int) -> None:
        self._player.set_speed(SPEEDS[position], now_s=time.monotonic())

    def _follow(self, state: VideoState, change: VideoChange) -> None:
        if change & (VideoChange.MEDIA | VideoChange.REVIEW):
            self._show_extent(state)
        if change & (VideoChange.FRAME | VideoChange.MEDIA | VideoChange.REVIEW):
            self._show_frame(state)
        if change & (VideoChange.TRANSPORT | VideoChange.MEDIA):
            self._show_transport(state)

    def _show_extent(self, state: VideoState) -> None:
        frames = state.playback.frames
        for part in (self.scrubber, self.number):
            part.blockSignals(True)  # noqa: FBT003
            part.setRange(1, max(1, frames))
            part.blockSignals(False)  # noqa: FBT003
        self.scrubber.setPageStep(max(1, frames // 20))
        self._make_room(state)
        is_known = state.index is not None
        self.count.setText(
            tr("of {frames}", frames=frames)
            if is_known
            else tr("of {frames} (as declared)", frames=frames)
        )
        self.badges.setText(_badges(state))
        self.badges.tip = _facts_tip(state)

    def _make_room(self, state: VideoState) -> None:
        """Give what changes with every frame the room its longest text needs.

        Otherwise the whole page would be laid out anew whenever a digit is added.
        """
        frames = () if state.index is None else (1, len(state.index))
        longest = max((_key_stamp(state, frame) for frame in frames), key=len, default="")
        end_s = state.playback.clock.ms(state.playback.frames) / 1000
        # Not the labels' own font: they learn of a new size after the bar does.
        written_px = QFontMetrics(digits_font().resolve(self.font())).horizontalAdvance
        for label, text in (
            (self.stamp, longest),
            (self.time, self._format_position(state, end_s)),
        ):
            label.setFixedWidth(written_px(text) + 4)
        self._drop_what_has_no_room()

    def _show_frame(self, state: VideoState) -> None:
        for part in (self.scrubber, self.number):
            part.blockSignals(True)  # noqa: FBT003
            part.setValue(state.frame)
            part.blockSignals(False)  # noqa: FBT003
        self.time.setText(self._format_position(state, state.time_s))
        index = state.index
        is_key = index is not None and state.frame <= len(index) and index.is_key(state.frame)
        self.stamp.setText((_key_stamp if is_key else _stamp)(state, state.frame))

    def show_times_in(self, unit: TimeUnit) -> None:
        """Say where the playhead is in another unit."""
        if unit is not self._unit:
            self._unit = unit
            self._make_room(self._player.state)
            self._show_frame(self._player.state)

    def _format_position(self, state: VideoState, seconds: float) -> str:
        clock, frames = state.playback.clock, state.playback.frames

        def frame_at(wanted_s: float) -> float:
            """The first frame that is not before a time: at most a second's frames away."""
            frame = state.frame if seconds == state.time_s else frames
            while frame > 1 and clock.ms(frame - 1) >= 1000 * wanted_s - 0.5:
                frame -= 1
            return frame

        return format_moment(seconds, self._unit, frame_at)

    def _show_transport(self, state: VideoState) -> None:
        playback = state.playback
        name = "pause" if playback.is_playing else "play"
        if self._icons[self.play] != name:
            self._icons[self.play] = name
            self.play.setIcon(icon(name))
        self.loop.setChecked(playback.is_looping)
        if playback.is_playing and abs(playback.speed) in SPEEDS:
            self.speed.setCurrentIndex(SPEEDS.index(abs(playback.speed)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._drop_what_has_no_room()

    def _drop_what_has_no_room(self) -> None:
        """In a narrow page the least telling parts go, rather than all of them being squeezed."""
        room = self.contentsRect().width() - 8
        for part in self._giving_way:
            part.show()
        for part in self._giving_way:
            self._row.invalidate()
            if self._row.minimumSize().width() <= room:
                return
            part.hide()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            for button, name in self._icons.items():
                button.setIcon(icon(name))
        elif event.type() is QEvent.Type.FontChange:
            self._make_room(self._player.state)


def _stamp(state: VideoState, frame: int) -> str:
    index = state.index
    return "" if index is None or frame > len(index) else f"PTS {index.pts_of(frame)}"


def _key_stamp(state: VideoState, frame: int) -> str:
    return tr("{stamp} key", stamp=_stamp(state, frame))


def _badges(state: VideoState) -> str:
    facts, index = state.facts, state.index
    if facts is None:
        return ""
    said = [facts.codec]
    if index is not None:
        rate = tr("{rate} fps", rate=_short(index.rate))
        said.append(tr("VFR {rate} mean", rate=rate) if index.is_variable else rate)
        if index.is_counted:
            said.append(tr("counted"))
        if index.hidden:
            hidden = tr_many(
                "{count} packet without a frame", "{count} packets without a frame", index.hidden
            )
            said.append(hidden)
    if facts.is_interlaced:
        said.append(tr("interlaced"))
    if facts.rotation:
        said.append(tr("rotated by {degrees}°", degrees=facts.rotation))
    if facts.is_mirrored:
        said.append(tr("mirrored"))
    if facts.is_oddly_turned:
        said.append(tr("rotation not applied"))
    if facts.streams > 1:
        said.append(
            tr("video stream {number} of {count}", number=facts.stream, count=facts.streams)
        )
    return " · ".join(said)


def _short(number: float) -> str:
    """With as many digits as are needed, at most six."""
    return decimal(number, len(f"{number:.6g}".partition(".")[2]))


def _facts_tip(state: VideoState) -> str:
    facts = state.facts
    if facts is None:
        return ""
    lines = [f"{facts.container}, {facts.codec}", tr("Stored as {size}", size=facts.stored_size)]
    if facts.rotation:
        lines.append(
            tr(
                "Rotated clockwise by {degrees}° for display, as the header says",
                degrees=facts.rotation,
            )
        )
    if facts.is_mirrored:
        lines.append(tr("Mirrored for display, as the header says"))
    if facts.is_oddly_turned:
        lines.append(
            tr(
                "The header declares a rotation that is not a multiple of 90°; frames are shown "
                "as stored"
            )
        )
    if facts.streams > 1:
        lines.append(
            tr(
                "The file has {count} video streams; the default stream is shown, or the largest",
                count=facts.streams,
            )
        )
    if facts.declared_frames:
        lines.append(
            tr_many(
                "The header declares {count} frame",
                "The header declares {count} frames",
                facts.declared_frames,
            )
        )
    if facts.declared_rate:
        lines.append(
            tr("The header declares {rate} frames per second", rate=_short(facts.declared_rate))
        )
    if facts.pixel_aspect != 1.0:
        lines.append(
            tr(
                "Pixels are {times} times as wide as high; shown square",
                times=_short(facts.pixel_aspect),
            )
        )
    return "\n".join(lines)


def _nothing() -> None:
    """What is left to stop once everything was stopped."""
