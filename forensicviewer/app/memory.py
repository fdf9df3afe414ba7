"""How much memory the program holds, and when it is searched for garbage."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_STATM = Path("/proc/self/statm")


def resident_bytes() -> int | None:
    """The memory held right now; ``None`` where there is no such file to ask."""
    try:
        pages = int(_STATM.read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return None
    return pages * os.sysconf("SC_PAGE_SIZE")


@contextmanager
def unsearched() -> Iterator[None]:
    """Search for no garbage while something large is read.

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
    """Look no more for garbage in what there is now; it is freed when nobody needs it."""
    gc.freeze()
