"""Notices what a program must not do: files opened outside, sockets, memory, programs started."""

from __future__ import annotations

import ctypes
import os
import socket
import struct
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

_OPENED = 0x20  # IN_OPEN
_PROGRAMS = {"os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.startfile", "pty.spawn"}
_TALKING = {
    *("socket.connect", "socket.bind", "socket.sendto", "socket.getaddrinfo"),
    *("socket.gethostbyname", "urllib.Request", "ftplib.connect", "smtplib.connect"),
}


class Watch:
    """Hears of what Python opens by its audit events, and of what libraries open by the trap.

    Decoders are held back by their own lock, which has its own tests; here the trap would show
    that one of them opened the file.
    """

    def __init__(self, base: Path, trap: Path) -> None:
        self._given: Path = base
        self._home = base
        self.opened: list[str] = []
        self.talked: list[str] = []
        # A session names the dataset it is about, wherever that lies.
        self._programs = (*_program_folders(), str(base / "own"))
        self._notify = ctypes.CDLL(None).inotify_init1(os.O_NONBLOCK)
        for path in (trap, trap.parent):
            ctypes.CDLL(None).inotify_add_watch(self._notify, bytes(path), _OPENED)
        self.port = _listen(self.talked)
        sys.addaudithook(self._hear)

    def begin(self, given: Path) -> None:
        """From now on only this folder may be read, beside the program's own."""
        self._given = given
        self.opened.clear()
        self.talked.clear()
        self._read_trap()
        with Path("/proc/self/clear_refs").open("w", encoding="ascii") as peaks:
            peaks.write("5")

    def finish(self) -> None:
        """Add what libraries opened without Python."""
        if self._read_trap():
            self.opened.append("the trap")

    def _read_trap(self) -> bytes:
        try:
            return os.read(self._notify, 65_536)
        except BlockingIOError:
            return b""

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            self._hear_open(*arguments[:2])
        elif event == "socket.__new__" and arguments[1] != socket.AF_UNIX:
            self.talked.append(event)
        elif event in _TALKING or event in _PROGRAMS:
            self.talked.append(f"{event} {arguments!r:.200}")

    def _hear_open(self, opened: object, mode: object) -> None:
        if not isinstance(opened, str | bytes):
            return
        path = os.path.abspath(os.fsdecode(opened))  # noqa: PTH100 - no Path: it is called very often
        if not path.startswith((str(self._given), *self._programs)):
            self.opened.append(f"{path} ({mode})")


def peak_mb() -> int:
    """The most memory this process had since :meth:`Watch.begin`."""
    with Path("/proc/self/status").open(encoding="ascii") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) >> 10


def _program_folders() -> Sequence[str]:
    """Where the program itself reads: Python, libraries, and its own caches."""
    project = Path(__file__).resolve().parents[2]
    folders = {sys.prefix, sys.base_prefix, str(project), "/usr", "/lib", "/proc/self"}
    folders |= {
        "/dev/null",
        "/dev/urandom",
        "/etc/localtime",
        "/etc/mime.types",
        f"/proc/{os.getpid()}",
    }
    folders |= {os.environ[name] for name in ("XDG_CACHE_HOME", "XDG_STATE_HOME")}
    folders |= {os.environ[name] for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME")}
    scratch = tempfile.gettempdir()
    return tuple(folders | {f"{scratch}/fuzz-seeds", f"{scratch}/forensicviewer-case-"})


def _listen(talked: list[str]) -> int:
    """A port that files name; whoever connects is heard."""
    listener = socket.create_server(("127.0.0.1", 0))

    def accept() -> None:
        while True:
            connection, _ = listener.accept()
            talked.append("connected to the trap")
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.close()

    threading.Thread(target=accept, daemon=True).start()
    return int(listener.getsockname()[1])
