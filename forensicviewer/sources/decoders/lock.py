"""Locks a process in: from then on it opens no file, changes none and talks to nobody new.

By Landlock and seccomp, which Linux offers to everyone. What is open already stays usable.
"""

from __future__ import annotations

import ctypes
import struct
import sys
from enum import Enum

from forensicviewer.sources.decoders.system_calls import forbid


class Lock(Enum):
    """What holds a decoder back from everything but decoding."""

    LANDLOCK_AND_SECCOMP = "Landlock and seccomp"
    SECCOMP = "seccomp"
    LANDLOCK = "Landlock"
    NONE = "none"


def lock_in() -> Lock:
    """Lock this process as well as the system can; call it while there is only one thread."""
    if sys.platform != "linux":
        return Lock.NONE
    libc = ctypes.CDLL(None)
    # Without it only root may lock itself; it also keeps programs from gaining rights.
    if libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0):
        return Lock.NONE
    has_landlock = _restrict_files(libc)
    has_seccomp = forbid(libc, opening=not has_landlock)
    if has_landlock:
        return Lock.LANDLOCK_AND_SECCOMP if has_seccomp else Lock.LANDLOCK
    return Lock.SECCOMP if has_seccomp else Lock.NONE


_NO_NEW_PRIVILEGES = 38
_CREATE_RULESET, _RESTRICT_SELF = 444, 446  # the same numbers on every machine
_VERSION = 1
# Version of Landlock → rights over files it knows.
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
_ALL_TCP = 0b11
_ALL_SCOPES = 0b11  # abstract sockets and signals


def _restrict_files(libc: ctypes.CDLL) -> bool:
    """Take away every right over files that Landlock knows, by a set of rules without a rule."""
    version: int = libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _VERSION)
    if version < 1:
        return False
    rights = (1 << _FILE_RIGHTS.get(version, max(_FILE_RIGHTS.values()))) - 1
    handled = struct.pack("Q", rights)
    if version >= 4:
        handled += struct.pack("Q", _ALL_TCP)
    if version >= 6:
        handled += struct.pack("Q", _ALL_SCOPES)
    rules: int = libc.syscall(_CREATE_RULESET, handled, ctypes.c_size_t(len(handled)), 0)
    return rules >= 0 and libc.syscall(_RESTRICT_SELF, rules, 0) == 0
