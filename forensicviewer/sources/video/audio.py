"""The sound of a video: how long it is, and how loud it is when."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from forensicviewer.sources.decoders.door import KeptApart, decoded_apart
from forensicviewer.sources.files.deadline import Deadline
from forensicviewer.sources.video.container import opened_sound

if TYPE_CHECKING:
    from av import AudioFrame
    from av.audio.stream import AudioStream
    from av.container import InputContainer

AUDIO_SECONDS = 120.0
_PEAKS_PER_SECOND = 200
_PART_S = 0.1  # of sound that is listened to, read at once
_LONGEST_LISTENING_S = 24 * 3600.0


@dataclass(frozen=True, slots=True, eq=False)
class Waveform:
    """The lowest and highest sample, -1 to 1, of every ``block`` samples over all channels."""

    low: NDArray[np.float32]
    high: NDArray[np.float32]
    block: int
    sample_rate: int
    channels: int
    samples: int
    begins_s: float = 0.0  # the time of the file its first sample has

    @property
    def duration_s(self) -> float:
        return self.samples / self.sample_rate

    def between(self, start_s: float, end_s: float, *, columns: int) -> NDArray[np.float32]:
        """(columns, 2) lowest and highest values to draw the stretch with."""
        first = max(0, int(start_s * self.sample_rate / self.block))
        last = min(len(self.low), int(end_s * self.sample_rate / self.block) + 1)
        if last <= first:
            return np.zeros((0, 2), np.float32)
        edges = np.unique(np.linspace(first, last, min(columns, last - first) + 1).astype(int))[:-1]
        low = np.minimum.reduceat(self.low[:last], edges)
        return np.stack([low, np.maximum.reduceat(self.high[:last], edges)], axis=1)


def read_waveform(path: Path, *, deadline: Deadline | None = None) -> Waveform | None:
    """Decode the whole sound track; ``None`` where the file has none."""
    return _read_waveform(path, deadline=deadline or Deadline(AUDIO_SECONDS))


@decoded_apart
def _read_waveform(path: Path, *, deadline: Deadline) -> Waveform | None:
    with opened_sound(path) as (container, stream):
        if stream is None:
            return None
        rate, channels = stream.codec_context.sample_rate, stream.codec_context.channels
        peaks = _Peaks(max(1, rate // _PEAKS_PER_SECOND))
        begins_s: float | None = None
        for time_s, wave in _decoded(container, stream, deadline):
            begins_s = time_s if begins_s is None else begins_s
            peaks.add(wave)
    if not peaks.samples or not rate:
        return None
    low, high = peaks.ends()
    return Waveform(
        low=low,
        high=high,
        block=peaks.block,
        sample_rate=rate,
        channels=channels,
        samples=peaks.samples,
        begins_s=begins_s or 0.0,
    )


class _Peaks:
    """Lowest and highest values block by block, so that hours of sound need little memory."""

    def __init__(self, block: int) -> None:
        self.block = block
        self.samples = 0
        self._done: list[NDArray[np.float32]] = []
        self._rest = np.zeros((2, 0), np.float32)

    def add(self, wave: NDArray[np.float32]) -> None:
        """Take in sound as (channels, samples)."""
        self.samples += wave.shape[1]
        both = np.concatenate([self._rest, np.stack([wave.min(0), wave.max(0)])], axis=1)
        whole = both.shape[1] // self.block * self.block
        if whole:
            blocks = both[:, :whole].reshape(2, -1, self.block)
            self._done.append(np.stack([blocks[0].min(1), blocks[1].max(1)]))
        self._rest = both[:, whole:]

    def ends(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """(lowest, highest) of every block, the last one as far as it goes."""
        parts = list(self._done)
        if self._rest.shape[1]:
            parts.append(np.array([[self._rest[0].min()], [self._rest[1].max()]], np.float32))
        low, high = np.concatenate(parts, axis=1)
        return low, high


def stream_samples(path: Path, *, start_s: float, rate: int) -> Iterator[NDArray[np.int16]]:
    """The sound from a time of the file on as parts of (samples, 2), for listening to it.

    Decoded as it is asked for. Where there is no sound yet at ``start_s`` there is silence.
    """
    sound = KeptApart(partial(SoundReader, path, start_s=start_s, rate=rate))
    try:
        while len(part := sound.ask(SoundReader.read)):
            yield part
    finally:
        sound.close()


class SoundReader:
    """Reads the sound of a file part by part. Lives in a decoder process."""

    def __init__(self, path: Path, *, start_s: float, rate: int) -> None:
        self._rate = rate
        self._parts = _resampled(path, start_s=start_s, rate=rate)

    def read(self) -> NDArray[np.int16]:
        """The next part, as (samples, 2); empty at the end."""
        parts: list[NDArray[np.int16]] = []
        while sum(map(len, parts)) < _PART_S * self._rate:
            part = next(self._parts, None)
            if part is None:
                break
            parts.append(part)
        return np.concatenate(parts) if parts else np.zeros((0, 2), np.int16)

    def close(self) -> None:
        self._parts.close()


def _resampled(
    path: Path, *, start_s: float, rate: int
) -> Generator[NDArray[np.int16], None, None]:
    from av import AudioResampler
    from av.error import FFmpegError

    with opened_sound(path) as (container, stream):
        if stream is None:
            return
        if start_s > 0 and stream.time_base is not None:
            with suppress(FFmpegError):
                container.seek(int(start_s / stream.time_base), stream=stream)
        resampler = AudioResampler(format="s16", layout="stereo", rate=rate)
        skipped: int | None = None
        for frame in _frames(container, stream, Deadline(_LONGEST_LISTENING_S)):
            if skipped is None:
                skipped = round((start_s - (frame.time or 0.0)) * rate)
                if skipped < 0:
                    yield np.zeros((-skipped, 2), np.int16)
            for part in resampler.resample(frame):
                samples = part.to_ndarray().reshape(-1, 2).astype(np.int16, copy=False)
                if skipped < len(samples):
                    yield samples[max(0, skipped) :]
                skipped = max(0, skipped - len(samples))


def _decoded(
    container: InputContainer, stream: AudioStream, deadline: Deadline
) -> Iterator[tuple[float, NDArray[np.float32]]]:
    """(when it begins, sound as (channels, samples)) of every piece."""
    from av import AudioResampler

    resampler = AudioResampler(format="fltp")
    for frame in _frames(container, stream, deadline):
        for part in resampler.resample(frame):
            yield frame.time or 0.0, part.to_ndarray().astype(np.float32, copy=False)


def _frames(
    container: InputContainer, stream: AudioStream, deadline: Deadline
) -> Iterator[AudioFrame]:
    """Decoded sound; a damaged packet is left out and a damaged end ends it."""
    from av.error import FFmpegError

    packets = container.demux(stream)
    while True:
        deadline.check(where=container.name)
        try:
            packet = next(packets, None)
            frames = [] if packet is None else packet.decode()
        except FFmpegError:
            continue
        if packet is None:
            return
        yield from frames
