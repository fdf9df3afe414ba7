"""Jobs on real threads, their answers in the hands of the test."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from queue import Queue

from forensicviewer.app.runtime.jobs import Jobs


class Hall:
    """Jobs on real threads whose answers wait until they are fetched."""

    def __init__(self) -> None:
        self.posted: Queue[Callable[[], None]] = Queue()
        self.errors: list[BaseException] = []
        self.jobs = Jobs(
            ThreadPoolExecutor(2),
            self.posted.put,
            self.errors.append,
        )

    def fetch(self) -> None:
        self.posted.get(timeout=10)()

    def fetch_until(self, condition: Callable[[], bool]) -> None:
        while not condition():
            self.fetch()

    def settle(self) -> None:
        """Fetch answers until nothing is left to do."""
        self.fetch_until(lambda: not self.jobs.is_busy() and self.posted.empty())
