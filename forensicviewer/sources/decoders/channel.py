"""Which side this process is on, and what connects the two."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Sequence
from multiprocessing import Pipe
from multiprocessing.connection import Connection

from forensicviewer.sources.decoders.messages import Channel

# A decoder gets open files where it can be locked in; elsewhere it opens paths like anyone.
HANDS_OVER = sys.platform == "linux"

_SENT_AT_ONCE = 250  # the system takes 253

_is_decoder = False


def is_decoder() -> bool:
    """Whether this process decodes files itself."""
    return _is_decoder


def enter_decoder() -> None:
    global _is_decoder
    _is_decoder = True


def make_channel() -> tuple[Channel, Channel]:
    """Both ends of a channel; the second is for a process that is yet to be started."""
    return Pipe()


def open_channel(handle: int) -> Channel:
    """The end a process was started with."""
    if sys.platform == "win32":
        from multiprocessing.connection import PipeConnection

        return PipeConnection(handle)
    return Connection(handle)


def send_files(channel: Channel, handles: Sequence[int]) -> None:
    """Send open files with few messages: one each costs as much as reading a small mask."""
    if not handles:
        return
    with _socket_of(channel) as sending:
        for start in range(0, len(handles), _SENT_AT_ONCE):
            socket.send_fds(sending, [b"f"], handles[start : start + _SENT_AT_ONCE])


def receive_files(channel: Channel, count: int) -> list[int]:
    """As many open files as were sent."""
    found: list[int] = []
    if not count:
        return found
    with _socket_of(channel) as receiving:
        while len(found) < count:
            some = min(count - len(found), _SENT_AT_ONCE)
            content, handles, flags, _ = socket.recv_fds(receiving, 1, some)
            found += handles
            if not content or len(handles) != some or flags & socket.MSG_CTRUNC:
                for handle in found:
                    os.close(handle)
                raise OSError("Fewer files arrived than were sent")
    return found


def _socket_of(channel: Channel) -> socket.socket:
    # Its kind is named: otherwise it is asked for, which looks like a socket to anywhere.
    return socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, fileno=os.dup(channel.fileno()))
