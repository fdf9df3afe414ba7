"""Which side this process is on, and what connects the two."""

from __future__ import annotations

import sys
from multiprocessing import Pipe
from multiprocessing.connection import Connection

from forensicviewer.sources.decoders.messages import Channel

# A decoder gets open files where it can be locked in; elsewhere it opens paths like anyone.
HANDS_OVER = sys.platform == "linux"

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
