"""What a locked decoder must not ask the Linux kernel for, and the seccomp program that says so.

Opening files is left to Landlock where there is one: it tells a copy in memory, which libraries
may open by name, from a file. Without Landlock nothing is opened at all.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import socket
import struct
import sys
from collections.abc import Iterator

# name → its number on x86-64 and on 64-bit ARM; None where there is no such call.
_Numbers = dict[str, tuple[int | None, int | None]]

_NETWORK: _Numbers = {
    "socket": (41, 198),
    "socketpair": (53, 199),
    "bind": (49, 200),
    "listen": (50, 201),
    "accept": (43, 202),
    "connect": (42, 203),
    "accept4": (288, 242),
}
_OTHER_PROCESSES: _Numbers = {
    "fork": (57, None),
    "vfork": (58, None),
    "execve": (59, 221),
    "execveat": (322, 281),
    "kill": (62, 129),
    "tkill": (200, 130),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "pidfd_send_signal": (424, 424),
    "pidfd_open": (434, 434),
    "pidfd_getfd": (438, 438),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "shmget": (29, 194),
    "shmat": (30, 196),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
}
_SYSTEM: _Numbers = {
    "mount": (165, 40),
    "umount2": (166, 39),
    "chroot": (161, 51),
    "pivot_root": (155, 41),
    "unshare": (272, 97),
    "setns": (308, 268),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "mount_setattr": (442, 442),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "reboot": (169, 142),
}
# Also by descriptor: the files handed over belong to the user, who may change them.
_CHANGES_OF_FILES: _Numbers = {
    "creat": (85, None),
    "truncate": (76, 45),
    "mkdir": (83, None),
    "mkdirat": (258, 34),
    "rmdir": (84, None),
    "mknod": (133, None),
    "mknodat": (259, 33),
    "unlink": (87, None),
    "unlinkat": (263, 35),
    "rename": (82, None),
    "renameat": (264, 38),
    "renameat2": (316, 276),
    "link": (86, None),
    "linkat": (265, 37),
    "symlink": (88, None),
    "symlinkat": (266, 36),
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "chown": (92, None),
    "fchown": (93, 55),
    "lchown": (94, None),
    "fchownat": (260, 54),
    "utime": (132, None),
    "utimes": (235, None),
    "futimesat": (261, None),
    "utimensat": (280, 88),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "setxattrat": (463, 463),
    "removexattrat": (466, 466),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
}
_OPENING: _Numbers = {"open": (2, None), "openat": (257, 56), "openat2": (437, 437)}
# Allowed for the process's own sake only: threads, abort() and asking for its own limits.
_CLONE, _CLONE3, _TGKILL, _PRLIMIT = (56, 220), (435, 435), (234, 131), (302, 261)
_SECCOMP = (317, 277)

_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
_X32 = 0x40000000  # a second table of the same calls on x86-64
_CLONE_THREAD = 0x10000

# The virtual machine of seccomp: the few instructions that are needed.
_LOAD, _EQUAL, _AT_LEAST, _HAS_BITS, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER_AT, _MACHINE_AT, _ARGUMENT_AT = 0, 4, 16
_ALLOW, _KILL = 0x7FFF0000, 0x80000000
_REFUSE = 0x00050000 | errno.EPERM
_UNKNOWN = 0x00050000 | errno.ENOSYS

_SET_MODE_FILTER, _ALL_THREADS = 1, 1
_NO_NEW_PRIVILEGES = 38


def forbid(libc: ctypes.CDLL, *, opening: bool) -> bool:
    """Have the kernel refuse the calls from now on, ``opening`` of files among them.

    Whether it does; this cannot be undone. Threads that run already are bound, too.
    """
    machine = _MACHINES.get(platform.machine())
    if machine is None:
        return False
    column, audited = machine
    return _install(libc, column, b"".join(_program(column, audited, opening=opening)))


def kill_on_internet_socket() -> bool:
    """Have the kernel end this process, or a child, that makes an internet socket.

    Whether it does; this cannot be undone.
    """
    machine = _MACHINES.get(platform.machine()) if sys.platform == "linux" else None
    if machine is None:
        return False
    libc = ctypes.CDLL(None)
    # Without it only root may set a filter.
    if libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0):
        return False
    column, audited = machine
    return _install(libc, column, b"".join(_internet_program(column, audited)))


def _internet_program(column: int, audited: int) -> Iterator[bytes]:
    yield _step(_LOAD, _MACHINE_AT)
    yield _step(_EQUAL, audited, skip_if=1)
    yield _step(_RETURN, _KILL)
    yield _step(_LOAD, _NUMBER_AT)
    number = _NETWORK["socket"][column]
    assert number is not None
    yield _step(_EQUAL, number, skip_unless=5)
    yield _step(_LOAD, _ARGUMENT_AT)
    yield _step(_EQUAL, socket.AF_INET, skip_if=1)
    yield _step(_EQUAL, socket.AF_INET6, skip_unless=1)
    yield _step(_RETURN, _KILL)
    yield _step(_RETURN, _ALLOW)
    yield _step(_RETURN, _ALLOW)


def _install(libc: ctypes.CDLL, column: int, program: bytes) -> bool:
    code = ctypes.create_string_buffer(program, len(program))
    described = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(code))
    flags = ctypes.c_ulong(_ALL_THREADS)
    done: int = libc.syscall(_SECCOMP[column], _SET_MODE_FILTER, flags, described)
    return done == 0


def _program(column: int, audited: int, *, opening: bool) -> Iterator[bytes]:
    yield _step(_LOAD, _MACHINE_AT)
    yield _step(_EQUAL, audited, skip_if=1)
    yield _step(_RETURN, _KILL)
    yield _step(_LOAD, _NUMBER_AT)
    if column == 0:
        yield _step(_AT_LEAST, _X32, skip_unless=1)
        yield _step(_RETURN, _REFUSE)
    refused = _NETWORK | _OTHER_PROCESSES | _SYSTEM | _CHANGES_OF_FILES
    for numbers in (refused | _OPENING if opening else refused).values():
        number = numbers[column]
        if number is not None:
            yield _step(_EQUAL, number, skip_unless=1)
            yield _step(_RETURN, _REFUSE)
    # Its arguments lie in memory, out of sight. Who gets this answer uses the older call.
    yield _step(_EQUAL, _CLONE3[column], skip_unless=1)
    yield _step(_RETURN, _UNKNOWN)
    yield from _allowed_if(_CLONE[column], _HAS_BITS, _CLONE_THREAD)
    yield from _allowed_if(_TGKILL[column], _EQUAL, os.getpid())
    yield from _allowed_if(_PRLIMIT[column], _EQUAL, 0)
    yield _step(_RETURN, _ALLOW)


def _allowed_if(number: int, test: int, value: int) -> Iterator[bytes]:
    """Allow a call whose first argument passes the test; the accumulator keeps other numbers."""
    yield _step(_EQUAL, number, skip_unless=4)
    yield _step(_LOAD, _ARGUMENT_AT)
    yield _step(test, value, skip_unless=1)
    yield _step(_RETURN, _ALLOW)
    yield _step(_RETURN, _REFUSE)


def _step(code: int, value: int, *, skip_if: int = 0, skip_unless: int = 0) -> bytes:
    return struct.pack("HBBI", code, skip_if, skip_unless, value)
