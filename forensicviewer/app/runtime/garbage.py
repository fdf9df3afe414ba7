"""Keeps garbage collection from blocking the window.

A search runs on whatever thread is at work, and no other thread does meanwhile.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_OLD_GARBAGE = 200  # searches of what is new for one of everything; Python's own choice is 10


def keep_what_stays() -> None:
    """Collect garbage from now on, but skip the objects that already exist and stay.

    The program's modules and widgets are hundreds of thousands of objects; looking through them
    again and again would stop the window each time for a tenth of a second. So would what is read
    from a large dataset: it is looked through more rarely, what is new as often as ever.
    """
    gc.freeze()
    gc.set_threshold(*gc.get_threshold()[:2], _OLD_GARBAGE)
    gc.enable()


@contextmanager
def making_what_stays() -> Iterator[None]:
    """Import or create permanent objects without collecting garbage."""
    gc.disable()
    try:
        yield
    finally:
        keep_what_stays()
