"""Refuses the network: where OFFLINE is set, the program and its children reach no other machine.

Python's own calls are refused with an error. Calls of native libraries end the process, where the
system can do so (Linux): a silent refusal would hide that they were made. Where OFFLINE names a
file, refused calls are also noted there: the caller may have ignored the error.
"""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from typing import Any

OFFLINE = "FORENSICVIEWER_OFFLINE"
_LOOK_UPS = frozenset(
    {"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr", "socket.getnameinfo"}
)


class NetworkRefusedError(PermissionError):
    """Raised when something uses the network although the program runs offline."""


def is_asked_to_stay_offline() -> bool:
    return bool(os.environ.get(OFFLINE))


def is_network_call(event: str, arguments: tuple[Any, ...]) -> bool:
    """Whether an audit event makes an internet socket or looks up a name."""
    if event != "socket.__new__":
        return event in _LOOK_UPS
    import socket

    return arguments[1] in (socket.AF_INET, socket.AF_INET6)


def refuse_network() -> None:
    """Refuse the network here and in every child from now on; this cannot be undone."""
    # Late: every command starts by asking whether it is to stay offline, and few are.
    from forensicviewer.sources.decoders.system_calls import kill_on_internet_socket

    notes = os.environ.setdefault(OFFLINE, "1")

    def refuse(event: str, arguments: tuple[Any, ...]) -> None:
        if is_network_call(event, arguments):
            _note(notes, f"{event} {arguments[1:]}")
            raise NetworkRefusedError(f"The program runs offline and refused {event}")

    sys.addaudithook(refuse)
    kill_on_internet_socket()


def _note(notes: str, call: str) -> None:
    # A decoder process can open no file; it could make no socket either.
    if Path(notes).is_absolute():
        with contextlib.suppress(OSError), Path(notes).open("a", encoding="utf-8") as stream:
            stream.write(f"{call}\n")
