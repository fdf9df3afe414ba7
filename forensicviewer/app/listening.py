"""Plays the sound of a video through a program the system has, where it has one.

Qt's own player would triple the size of the installation and needs a sound server besides, so the
samples go to a small program that nearly every desktop comes with.
"""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
import tempfile
import wave
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from forensicviewer.sources.audio import read_samples

_RATE = 44_100
_LONGEST_S = 600.0
# Each reads a WAV file named last and ends by itself.
_PROGRAMS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("pw-play", ()),
    ("paplay", ()),
    ("aplay", ("-q",)),
    ("afplay", ()),
    ("ffplay", ("-nodisp", "-autoexit", "-loglevel", "quiet")),
)


@dataclass(frozen=True, slots=True)
class Voice:
    """The program that plays, and its arguments before the file's name."""

    program: str
    arguments: tuple[str, ...] = ()


def find_voice() -> Voice | None:
    """What can play sound here; ``None`` where nothing can."""
    if sys.platform == "win32":
        play = "(New-Object Media.SoundPlayer $args[0]).PlaySync()"
        found = shutil.which("powershell")
        return Voice(found, ("-NoProfile", "-Command", play)) if found else None
    for name, arguments in _PROGRAMS:
        found = shutil.which(name)
        if found:
            return Voice(found, arguments)
    return None


class Listening:
    """Plays a stretch of sound; a new one or :meth:`stop` ends the one before."""

    def __init__(self, voice: Voice | None) -> None:
        self.voice = voice
        self._playing: subprocess.Popen[bytes] | None = None
        self._file: Path | None = None

    @property
    def reason(self) -> str:
        """Why nothing can be heard; blank where it can."""
        if self.voice is not None:
            return ""
        return "Sound cannot be played here: none of pw-play, paplay, aplay or ffplay is installed"

    def play(self, wav: bytes) -> None:
        """Start playing; returns at once."""
        self.stop()
        if self.voice is None:
            return
        with tempfile.NamedTemporaryFile(suffix=".wav", delete=False) as out:
            out.write(wav)
        self._file = Path(out.name)
        self._playing = subprocess.Popen(
            [self.voice.program, *self.voice.arguments, str(self._file)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def stop(self) -> None:
        if self._playing is not None:
            self._playing.terminate()
            self._playing.wait()
            self._playing = None
        if self._file is not None:
            self._file.unlink(missing_ok=True)
            self._file = None


def samples_from(path: Path, *, start_s: float) -> NDArray[np.int16]:
    """A video's sound from a time on, as much as is listened to in one go."""
    return read_samples(path, start_s=start_s, end_s=start_s + _LONGEST_S, rate=_RATE)


def wav_of(samples: NDArray[np.int16], *, skipped_s: float = 0.0) -> bytes:
    """Samples as a WAV file; the first ``skipped_s`` have been missed already."""
    content = io.BytesIO()
    with wave.open(content, "wb") as out:
        out.setnchannels(2)
        out.setsampwidth(2)
        out.setframerate(_RATE)
        out.writeframes(samples[int(skipped_s * _RATE) :].tobytes())
    return content.getvalue()
