"""Work in a process of its own."""

from __future__ import annotations

import os
import time
from functools import partial
from pathlib import Path

import pytest

from forensicviewer.app.runtime.jobs import CancelledError
from forensicviewer.app.runtime.subprocess_task import run_in_subprocess
from forensicviewer.core.problem import DatasetError
from forensicviewer.core.progress import Progress


def _note_process(path: Path, *, progress: Progress) -> None:
    progress(1, 2)
    path.write_text(str(os.getpid()))
    progress(2, 2)


def _refuse(path: Path, *, progress: Progress) -> None:
    raise DatasetError(f"There is nothing to do after {progress.__name__}", where=path, hint="rest")


def _never_end(path: Path, *, progress: Progress) -> None:
    path.write_text("begun")
    progress(1, 2)
    time.sleep(600)
    path.write_text("ended")


def _fall_over(*, progress: Progress) -> None:
    progress(1, 1)
    os._exit(7)


def test_work_is_done_in_another_process_and_tells_how_far_it_is(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []

    run_in_subprocess(
        partial(_note_process, tmp_path / "by"),
        progress=lambda done, total: told.append((done, total)),
    )

    assert int((tmp_path / "by").read_text()) != os.getpid()
    assert told[-1] == (2, 2)


def test_an_error_comes_home(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"nothing to do.*\(rest\)"):
        run_in_subprocess(partial(_refuse, tmp_path))


def test_work_nobody_waits_for_any_more_is_ended_at_once(tmp_path: Path) -> None:
    def cancel(done: int, _total: int) -> None:
        if done:
            raise CancelledError("The work was cancelled")

    with pytest.raises(CancelledError):
        run_in_subprocess(partial(_never_end, tmp_path / "state"), progress=cancel)

    assert (tmp_path / "state").read_text() == "begun"


def test_a_process_that_dies_is_a_bug() -> None:
    with pytest.raises(RuntimeError, match="ended with 7"):
        run_in_subprocess(_fall_over)
