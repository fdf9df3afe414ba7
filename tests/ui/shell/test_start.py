"""What starting the program sets up before anything is shown."""

from __future__ import annotations

import os
import threading

import pytest

from forensicviewer.ui.shell.start import background_threads


def test_a_program_closed_at_once_waits_for_no_thread_that_never_began(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    is_closed, known = threading.Event(), set(threading.enumerate())
    lower = os.setpriority if hasattr(os, "setpriority") else None

    def lower_late(which: int, who: int, priority: int) -> None:
        # A machine with much to do starts the last thread only when the program is closed.
        if threading.current_thread().name.endswith("_4"):
            is_closed.wait(10)
        assert lower is not None
        lower(which, who, priority)

    monkeypatch.setattr(os, "setpriority", lower_late, raising=False)
    executor = background_threads()
    executor.shutdown(wait=False, cancel_futures=True)
    is_closed.set()

    for thread in set(threading.enumerate()) - known:
        thread.join(10)
        assert not thread.is_alive()
