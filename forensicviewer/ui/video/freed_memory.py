"""Tells the C library to keep freed memory for the next frame instead of giving it back."""

from __future__ import annotations

import ctypes
import sys
from functools import lru_cache

# The numbers of the options in glibc's malloc.h.
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
_KEPT_BYTES = 256 << 20
_LARGEST_KEPT_BYTES = 32 << 20  # glibc takes no more


@lru_cache(maxsize=1)
def keep_freed_memory() -> None:
    """For pages that show thirty images a second; elsewhere than on Linux nothing happens.

    Every image and its masks are new memory. By default it goes back to the system with the
    image, and getting it again, page by page, takes a third of the time a frame has.
    """
    if sys.platform != "linux":
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_TRIM_THRESHOLD, _KEPT_BYTES)
        mallopt(_MMAP_THRESHOLD, _LARGEST_KEPT_BYTES)
