"""Refuses the network: where OFFLINE is set, the program and its children reach no other machine.

Python's own calls are refused with an error. Calls of native libraries end the process, where the
system can do so (Linux): a silent refusal would hide that they were made.
"""

from __future__ import annotations

import os
import sys
from typing import Any

OFFLINE = "FORENSICVIEWER_OFFLINE"
_LOOK_UPS = frozenset(
    {"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr", "socket.getnameinfo"}
)


class NetworkRefusedError(PermissionError):
    """Something asked for the network although the program runs offline."""


def is_asked_to_stay_offline() -> bool:
    return bool(os.environ.get(OFFLINE))


def refuse_network() -> None:
    """Refuse the network here and in every child from now on; this cannot be undone."""
    # Late: every command starts by asking whether it is to stay offline, and few are.
    import socket

    from forensicviewer.sources.decoders.system_calls import kill_on_internet_socket

    families = (socket.AF_INET, socket.AF_INET6)

    def refuse(event: str, arguments: tuple[Any, ...]) -> None:
        is_internet = event == "socket.__new__" and arguments[1] in families
        if is_internet or event in _LOOK_UPS:
            raise NetworkRefusedError(f"The program runs offline and refused {event}")

    os.environ[OFFLINE] = "1"
    sys.addaudithook(refuse)
    kill_on_internet_socket()
