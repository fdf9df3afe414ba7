"""Short films: a boat sails across a bay, and in some of them not everything is as it was."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np
from numpy.typing import NDArray

from forensicviewer.core.array import BoolImage, RgbImage, Size
from forensicviewer.sources.sample.noise import Colours, Field
from forensicviewer.sources.sample.objects import Sprite, Thing, put, sized, sprite_of
from forensicviewer.sources.sample.photo import Shot, take

if TYPE_CHECKING:
    import av

RATE = 30
SAMPLE_RATE = 44_100
_PAN = 1.22  # how much wider than the frame the painted scene is

AudioSamples = NDArray[np.float32]  # (samples,), -1..1


@dataclass(frozen=True, slots=True)
class Intruder:
    """A thing pasted into frames ``first`` to ``last`` (from 0, last included)."""

    thing: Thing
    first: int
    last: int
    tall: float
    y: float
    variant: int = 3


@dataclass(frozen=True, slots=True)
class Script:
    """What is filmed, and what is done to it afterwards.

    ``repeat`` is (first frame, frames, source): frames replaced by earlier ones, all from 0.
    """

    shot: Shot
    size: Size
    frame_count: int
    boat: int = 0
    intruder: Intruder | None = None
    repeat: tuple[int, int, int] | None = None
    beep_s: tuple[float, float] | None = None

    @property
    def duration_s(self) -> float:
        return self.frame_count / RATE


@dataclass(frozen=True, slots=True, eq=False)
class FilmFrame:
    """A frame as it comes out of the cutting room, and where something was pasted in."""

    pixels: RgbImage
    area: BoolImage | None


def play(script: Script) -> list[FilmFrame]:
    """All frames of a film in order."""
    stage = _Stage.of(script)
    frames = [stage.frame(index) for index in range(script.frame_count)]
    if script.repeat is not None:
        first, count, source = script.repeat
        frames[first : first + count] = frames[source : source + count]
    return [
        FilmFrame(_stamped(frame.pixels, index), frame.area) for index, frame in enumerate(frames)
    ]


_WHITE = np.ones((1, 1, 3), np.float32)
_GRAINS = 12


@dataclass(frozen=True, slots=True, eq=False)
class _Stage:
    """What stays the same from frame to frame."""

    script: Script
    scene: Colours
    boat: Sprite
    intruder: Sprite | None
    grains: tuple[Field, ...]

    @classmethod
    def of(cls, script: Script) -> _Stage:
        size = script.size
        wide = Size(round(size.width * _PAN), size.height)
        scene = np.asarray(take(script.shot, wide).pixels, np.float32) / np.float32(255)
        boat = sized(sprite_of(Thing.SAILBOAT, script.boat), 0.34 * size.height)
        other = None
        if script.intruder is not None:
            drawn = sprite_of(script.intruder.thing, script.intruder.variant)
            other = sized(drawn, script.intruder.tall * size.height)
        random = np.random.default_rng([script.shot.seed, 8])
        shape = (size.height // 2, size.width // 2)
        grains = tuple(
            np.asarray(
                cv2.resize(
                    random.standard_normal(shape, dtype=np.float32), (size.width, size.height)
                ),
                np.float32,
            )
            for _ in range(_GRAINS)
        )
        return cls(script, scene, boat, other, grains)

    def frame(self, index: int) -> FilmFrame:
        """The camera pans, the boat sails and rocks; the intruder comes the other way, behind."""
        size, share = self.script.size, index / self.script.frame_count
        shift = share * (self.scene.shape[1] - size.width)
        move = np.array([[1, 0, -shift], [0, 1, 0]], np.float32)
        moved = cv2.warpAffine(self.scene, move, (size.width, size.height))
        picture = np.asarray(moved, np.float32)
        area = self._put_intruder(picture, index)
        bob = 0.006 * np.sin(index / 9)
        covered = put(
            picture,
            self.boat,
            foot=((0.1 + 0.75 * share) * size.width, (0.78 + bob) * size.height),
            height_px=self.boat.shape[0],
            tint=_WHITE,
            reflection=0.35,
        )
        if area is not None and covered is not None:
            area &= covered < 0.5
        noisy = picture * 255 + self.grains[index % _GRAINS][..., np.newaxis] * 1.5
        return FilmFrame(np.asarray(np.clip(np.rint(noisy), 0, 255), np.uint8), area)

    def _put_intruder(self, picture: Colours, index: int) -> BoolImage | None:
        intruder = self.script.intruder
        if intruder is None or self.intruder is None:
            return None
        if not intruder.first <= index <= intruder.last:
            return None
        share = (index - intruder.first) / max(1, intruder.last - intruder.first)
        height, width = picture.shape[:2]
        opacity = put(
            picture,
            self.intruder,
            foot=((0.95 - 0.7 * share) * width, intruder.y * height),
            height_px=self.intruder.shape[0],
            tint=np.full((1, 1, 3), 0.9, np.float32),
            lit_from_left=True,
        )
        return None if opacity is None else np.asarray(opacity > 0.05)


def _stamped(pixels: RgbImage, index: int) -> RgbImage:
    """Frame number (from 1) and time burnt in, so that anyone can check a position by eye."""
    stamped = pixels.copy()
    text = f"{index + 1:04d}  {index / RATE:06.3f} s"
    for colour, width in (((16, 16, 16), 3), ((245, 245, 245), 1)):
        cv2.putText(
            stamped,
            text,
            (10, pixels.shape[0] - 12),
            cv2.FONT_HERSHEY_SIMPLEX,
            0.5,
            colour,
            width,
            cv2.LINE_AA,
        )
    return stamped


def record(script: Script) -> AudioSamples:
    """Waves on the shore, and a beep where the sound was replaced."""
    count = round(script.duration_s * SAMPLE_RATE)
    random = np.random.default_rng([script.shot.seed, 44])
    time_s = np.arange(count, dtype=np.float32) / SAMPLE_RATE
    noise = random.standard_normal(count).astype(np.float32)
    surf = np.convolve(noise, np.ones(32, np.float32) / 32, mode="same")
    sound = 0.35 * surf * (0.6 + 0.4 * np.sin(2 * np.pi * time_s / 3.7))
    if script.beep_s is not None:
        first, last = (round(second * SAMPLE_RATE) for second in script.beep_s)
        sound[first:last] = 0.2 * np.sin(2 * np.pi * 440 * time_s[first:last])
    return np.asarray(sound, np.float32)


def write_film(path: Path, frames: Sequence[FilmFrame], audio: AudioSamples) -> None:
    """H.264 with AAC; the same frames always give the same bytes.

    One thread is not enough for that: x264's fast paths round differently with the instruction
    set of the processor and with where in memory a frame happens to lie.
    """
    import av

    size = Size.of(frames[0].pixels)
    with av.open(str(path), "w", options={"fflags": "+bitexact"}) as container:
        video = container.add_stream("libx264", rate=RATE)
        video.width, video.height, video.pix_fmt = size.width, size.height, "yuv420p"
        video.options = {"preset": "veryfast", "crf": "24", "g": "30", "threads": "1"}
        video.options |= {"x264-params": "cpu-independent=1"}
        sound = container.add_stream("aac", rate=SAMPLE_RATE, layout="mono", bit_rate=64_000)
        for frame in frames:
            picture = av.VideoFrame.from_ndarray(frame.pixels, format="rgb24")
            container.mux(video.encode(picture))
        container.mux(video.encode(None))
        for block in _blocks(audio):
            container.mux(sound.encode(block))
        container.mux(sound.encode(None))


def _blocks(audio: AudioSamples) -> Iterator[av.AudioFrame]:
    import av

    for start in range(0, len(audio), 1024):
        part = np.ascontiguousarray(audio[np.newaxis, start : start + 1024])
        block = av.AudioFrame.from_ndarray(part, format="fltp", layout="mono")
        block.sample_rate = SAMPLE_RATE
        block.pts, block.time_base = start, Fraction(1, SAMPLE_RATE)
        yield block
