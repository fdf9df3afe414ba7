"""What a file could make a decoder do, as functions that a decoder is asked to call."""

from __future__ import annotations

import ctypes
import os
import socket
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from forensicviewer.core.array import RgbImage
from forensicviewer.core.problem import CodecError
from forensicviewer.core.progress import Progress
from forensicviewer.sources.decoders.door import decoded_apart
from forensicviewer.sources.files.deadline import Deadline
from forensicviewer.sources.files.media_file import open_media


@decoded_apart
def process_number() -> int:
    return os.getpid()


@decoded_apart
def loaded_modules() -> tuple[str, ...]:
    return tuple(sys.modules)


@decoded_apart
def read_bytes(path: Path) -> bytes:
    with open_media(path) as stream:
        return stream.read()


@decoded_apart
def open_by_name(name: str) -> str:
    """Open a file as a hostile one would have it done, without asking for it to be handed over."""
    return Path(name).read_text(encoding="utf-8")


@decoded_apart
def create(name: str) -> None:
    Path(name).write_text("here", encoding="utf-8")


@decoded_apart
def remove(name: str) -> None:
    Path(name).unlink()


@decoded_apart
def connect(port: int) -> None:
    socket.create_connection(("127.0.0.1", port)).close()


@decoded_apart
def send_to_door(name: str) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as door:
        door.connect(name)


@decoded_apart
def run_program() -> int:
    return os.spawnv(os.P_WAIT, "/bin/true", ["true"])


@decoded_apart
def signal_asker() -> None:
    os.kill(os.getppid(), 0)


@decoded_apart
def crash() -> None:
    ctypes.string_at(0)


@decoded_apart
def loop_for_ever() -> None:
    while True:
        pass


@decoded_apart
def allocate(gigabytes: int) -> int:
    return int(np.ones(gigabytes << 30, np.uint8).sum())


@decoded_apart
def refuse(where: Path) -> None:
    raise CodecError("The file is blue", where=where, hint="paint it", rule="test.blue")


@decoded_apart
def make_mistake() -> None:
    raise ZeroDivisionError("three pieces of nothing")


@decoded_apart
def leave() -> None:
    raise SystemExit(3)


@decoded_apart
def draw(height: int, width: int, level: int) -> RgbImage:
    return np.full((height, width, 3), level, np.uint8)


@decoded_apart
def work_on(steps: int, *, deadline: Deadline, progress: Progress) -> int:
    """Take 20 ms a step."""
    for step in range(steps):
        deadline.check(where="the work")
        progress(step, steps)
        time.sleep(0.02)
    return steps


@dataclass(frozen=True, slots=True)
class Page:
    number: int
    words: str


class Book:
    """A file that stays open, and a place in it that is lost with the process."""

    def __init__(self, path: Path) -> None:
        self._stream = open_media(path)
        self._ribbon = 0
        self._is_jammed = False

    def page(self, number: int) -> Page:
        self._stream.seek(4 * number)
        return Page(number, self._stream.read(4).decode())

    def put_ribbon(self, page: int) -> None:
        self._ribbon = page

    def ribbon(self) -> int:
        return self._ribbon

    def process_number(self) -> int:
        return os.getpid()

    def burn(self) -> None:
        ctypes.string_at(0)

    def jam(self) -> None:
        """Never close again."""
        self._is_jammed = True

    def close(self) -> None:
        while self._is_jammed:
            pass
        self._stream.close()
