"""Plays the sound of a video through a program the system has, where it has one.

Qt's own player would triple the size of the installation and needs a sound server besides, so the
samples go to a small program that nearly every desktop comes with. It gets them through a pipe
while they are decoded: it starts at once, however long the video is, and ends with us.
"""

import contextlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import wave
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from forensicviewer.app.language.words import to_translate
from forensicviewer.core.problem import ForensicViewerError, Problem, Severity
from forensicviewer.sources.video.audio import stream_samples

_RATE = 44_100
_LONGEST_FILE_S = 300.0
_NO_VOICE = to_translate(
    "Sound cannot be played here: install pulseaudio-utils, pipewire-bin, alsa-utils or ffmpeg"
)

Samples = NDArray[np.int16]  # (samples, 2)


@dataclass(frozen=True, slots=True)
class Voice:
    """A program that plays and its arguments; ``latency_s`` is how late it is heard.

    It reads raw samples from its standard input, or else a WAV file whose name is added last.
    """

    program: str
    arguments: tuple[str, ...] = ()
    latency_s: float = 0.0
    reads_pipe: bool = True


_RAW = ("--format=s16le", f"--rate={_RATE}", "--channels=2")
_ALSA = ("-f", "S16_LE", "-r", str(_RATE), "-c", "2", "--buffer-time=100000")
_FFPLAY = ("-f", "s16le", "-ar", str(_RATE), "-ch_layout", "stereo", "-i", "-")
_PROGRAMS = (
    Voice("paplay", ("--raw", *_RAW, "--latency-msec=60"), 0.06),
    Voice("pw-cat", ("--playback", "--raw", "--format=s16", f"--rate={_RATE}", "-"), 0.05),
    Voice("aplay", ("-q", "-t", "raw", *_ALSA), 0.1),
    Voice("ffplay", ("-nodisp", "-autoexit", "-loglevel", "error", *_FFPLAY), 0.1),
    Voice("afplay", reads_pipe=False),
)


def find_voices() -> tuple[Voice, ...]:
    """What can play sound here, the best first."""
    if sys.platform == "win32":
        play = "(New-Object Media.SoundPlayer $args[0]).PlaySync()"
        shell = shutil.which("powershell")
        arguments = ("-NoProfile", "-Command", play)
        return (Voice(shell, arguments, reads_pipe=False),) if shell else ()
    there = [(shutil.which(voice.program), voice) for voice in _PROGRAMS]
    return tuple(
        Voice(found, voice.arguments, voice.latency_s, voice.reads_pipe)
        for found, voice in there
        if found is not None
    )


class Listening:
    """Plays a video's sound from a time on; a new one or :meth:`stop` ends the one before."""

    def __init__(self, voices: tuple[Voice, ...]) -> None:
        self.voices = voices
        self._playing: _Performance | None = None

    @property
    def reason(self) -> str:
        """Why nothing can be heard; blank where it can, as far as is known."""
        if not self.voices:
            return _NO_VOICE
        return "" if self._playing is None else self._playing.failure

    def as_problem(self) -> Problem:
        """What to tell the user who asked for the sound."""
        hint = "start the sound server, or play without sound"
        return Problem(Severity.WARNING, self.reason, hint=hint, rule="video-silent")

    def play(self, path: Path, *, start_s: float) -> None:
        """Have the sound heard from ``start_s`` on, as if it had begun now; returns at once."""
        self.stop()
        if self.voices:
            self._playing = _Performance(self.voices, path, start_s=start_s)

    def stop(self) -> None:
        """Silence at once; returns at once."""
        if self._playing is not None:
            self._playing.end()

    def close(self) -> None:
        """Silence, and wait until nothing is left running."""
        self.stop()
        if self._playing is not None:
            self._playing.wait()


class _Performance:
    """One sound being played on a separate thread: it decodes and feeds the program."""

    def __init__(self, voices: tuple[Voice, ...], path: Path, *, start_s: float) -> None:
        self._path = path
        self._start_s = start_s
        self._asked_s = time.monotonic()
        self._lock = threading.Lock()
        self._is_over = False
        self._program: subprocess.Popen[bytes] | None = None
        self.failure = ""
        self._thread = threading.Thread(target=self._perform, args=(voices,), name="sound")
        self._thread.start()

    def end(self) -> None:
        with self._lock:
            self._is_over = True
            if self._program is not None:
                self._program.kill()

    def wait(self) -> None:
        self._thread.join()

    def _perform(self, voices: tuple[Voice, ...]) -> None:
        failures = []
        for voice in voices:
            try:
                failure = self._play_with(voice)
            except (ForensicViewerError, OSError) as error:
                failure = str(error)
            if self._is_over or not failure:
                return
            failures.append(f"{Path(voice.program).name} says “{failure}”")
        self.failure = "Sound cannot be played here: " + ", ".join(failures)

    def _play_with(self, voice: Voice) -> str:
        """Play to the end or until ended; returns what the program says when it cannot."""
        with tempfile.TemporaryDirectory() as folder:
            arguments = voice.arguments
            if not voice.reads_pipe:
                wav = Path(folder) / "sound.wav"
                self._write_wav(wav)
                arguments = (*arguments, str(wav))
            program = self._started(voice, arguments)
            if program is None:
                return ""
            with program:
                assert program.stdin is not None
                assert program.stderr is not None
                if voice.reads_pipe:
                    self._feed(program.stdin, voice.latency_s)
                said = program.stderr.read().decode("utf-8", "replace").strip()
        has_failed = bool(program.returncode) and not self._is_over
        return said.splitlines()[-1] if has_failed and said else ("error" if has_failed else "")

    def _started(self, voice: Voice, arguments: tuple[str, ...]) -> subprocess.Popen[bytes] | None:
        with self._lock:
            if self._is_over:
                return None
            self._program = subprocess.Popen(
                [voice.program, *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
            )
            return self._program

    def _feed(self, pipe: IO[bytes], latency_s: float) -> None:
        try:
            for samples in self._samples(latency_s):
                if self._is_over:
                    break
                pipe.write(samples.tobytes())
            pipe.close()
        except OSError:
            # The program has ended; its exit code says whether that was in order. What it did not
            # take is still waiting in the pipe, so closing that fails once more.
            with contextlib.suppress(OSError):
                pipe.close()

    def _samples(self, latency_s: float) -> Iterator[Samples]:
        """The sound, without what would have been heard already by the time it is."""
        missed: int | None = None
        for samples in stream_samples(self._path, start_s=self._start_s, rate=_RATE):
            if missed is None:
                late_s = time.monotonic() - self._asked_s + latency_s
                missed = int(late_s * _RATE)
            if missed < len(samples):
                yield samples[missed:]
            missed = max(0, missed - len(samples))

    def _write_wav(self, path: Path) -> None:
        left = int(_LONGEST_FILE_S * _RATE)
        with wave.open(str(path), "wb") as out:
            out.setnchannels(2)
            out.setsampwidth(2)
            out.setframerate(_RATE)
            for samples in self._samples(0.0):
                out.writeframes(samples[:left].tobytes())
                left -= len(samples)
                if left <= 0 or self._is_over:
                    break
