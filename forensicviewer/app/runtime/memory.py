"""How much memory the program uses, and when garbage is collected."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_STATM = Path("/proc/self/statm")
_LEAST_FOR_PICTURES_MB, _MOST_FOR_PICTURES_MB = 1024, 4096


def resident_bytes() -> int | None:
    """The memory held right now; ``None`` where there is no such file to ask."""
    try:
        pages = int(_STATM.read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError, IndexError):  # Wine shows /proc without sysconf
        return None


def memory_for_pictures_mb() -> int:
    """An eighth of the machine's memory, unless that is very little or very much."""
    try:
        installed_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):  # Windows knows no sysconf, others not every name
        return _LEAST_FOR_PICTURES_MB
    return min(max((installed_bytes >> 20) // 8, _LEAST_FOR_PICTURES_MB), _MOST_FOR_PICTURES_MB)


@contextmanager
def unsearched() -> Iterator[None]:
    """Pause garbage collection while something large is read.

    A search looks at all there is so far, again and again while it grows, and no thread can run
    meanwhile: with a million objects the window stands still for half a second each time.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def keep() -> None:
    """Exclude the current objects from garbage collection; they are freed by reference counts."""
    gc.freeze()
