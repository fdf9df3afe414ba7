"""Files that are written in the background."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from forensicviewer.app.runtime.jobs import Jobs, Lane, inline_jobs
from forensicviewer.app.runtime.late_writer import LateWriter
from forensicviewer.core.problem import Problem, Severity


def _fail(error: BaseException) -> None:
    raise error


def _written(path: Path, text: str) -> Problem | None:
    path.write_text(text)
    return None


def test_without_jobs_it_is_written_at_once(tmp_path: Path) -> None:
    writer = LateWriter(Lane("test"))

    writer.write(partial(_written, tmp_path / "a", "one"))

    assert (tmp_path / "a").read_text() == "one"


def test_only_the_newest_content_is_written_and_never_lost() -> None:
    posted: list[Callable[[], None]] = []
    jobs = Jobs(ThreadPoolExecutor(1), posted.append, _fail)
    writer, begun, may_go_on = LateWriter(Lane("test")), threading.Event(), threading.Event()
    writer.use(jobs)
    written: list[str] = []

    def first() -> None:
        begun.set()
        assert may_go_on.wait(30)
        written.append("first")

    writer.write(first)
    assert begun.wait(30)
    for text in ("second", "third"):
        writer.write(partial(written.append, text))
    may_go_on.set()
    writer.finish()
    jobs.close()

    assert written == ["first", "third"]


def test_what_cannot_be_written_is_told() -> None:
    problem = Problem(Severity.WARNING, "full", "a")
    writer, told = LateWriter(Lane("test")), list[Problem]()
    writer.on_problem = told.append
    writer.use(inline_jobs())

    writer.write(lambda: problem)

    assert told == [problem]
