"""How much memory and time a decoder may take for one file."""

from __future__ import annotations

import os
import signal
import sys
from dataclasses import dataclass
from pathlib import Path

_MEMORY, _SECONDS = "FORENSICVIEWER_DECODER_MEMORY_MB", "FORENSICVIEWER_DECODER_SECONDS"
MEGABYTE = 1 << 20
_OPENCV_NO_MEMORY = -4


@dataclass(frozen=True, slots=True)
class Limits:
    """``memory_mb`` comes on top of the program itself; ``seconds`` pass without a sign of life.

    A long video that decodes frame after frame gives signs of life, a call that hangs does not.
    """

    memory_mb: int = 3072
    seconds: float = 60.0

    @classmethod
    def from_environment(cls) -> Limits:
        """What a process that started this one set, or the defaults."""
        try:
            return cls(
                int(os.environ.get(_MEMORY, cls().memory_mb)),
                float(os.environ.get(_SECONDS, cls().seconds)),
            )
        except ValueError:
            return cls()

    def pass_on(self) -> None:
        """Let the processes this one starts have the same limits."""
        os.environ[_MEMORY] = str(self.memory_mb)
        os.environ[_SECONDS] = str(self.seconds)


def limit_memory(memory_mb: int) -> None:
    """Refuse this process more memory than that on top of what it has, where the system can."""
    if sys.platform == "win32":
        return
    import resource  # not on Windows

    # Who writes too much is told so instead of being ended.
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    most = memory_mb * MEGABYTE
    # Pages of its own, written or not; then everything mapped, shared memory and libraries too.
    limits = {resource.RLIMIT_CORE: 0, resource.RLIMIT_FSIZE: most}
    if sys.platform == "linux":
        mapped, own = _used()
        limits |= {resource.RLIMIT_DATA: own + most, resource.RLIMIT_AS: mapped + 2 * most}
    for what, bytes_ in limits.items():
        hard = resource.getrlimit(what)[1]
        if hard == resource.RLIM_INFINITY or bytes_ < hard:
            resource.setrlimit(what, (bytes_, bytes_))


def _used() -> tuple[int, int]:
    """Bytes mapped in all, and those of them that are this process's own."""
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()
    page = os.sysconf("SC_PAGE_SIZE")
    return int(pages[0]) * page, int(pages[5]) * page


def is_out_of_memory(error: BaseException | None) -> bool:
    """Whether it all began with memory that was refused, whatever was made of that since."""
    while error is not None:
        if isinstance(error, MemoryError):
            return True
        if type(error).__module__ == "cv2" and getattr(error, "code", 0) == _OPENCV_NO_MEMORY:
            return True
        error = error.__cause__ or error.__context__
    return False
