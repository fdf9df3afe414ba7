"""Reads trials: one that is asked for, and ahead of time those that are likely next."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING

from forensicviewer.app.runtime.byte_cache import ByteBudgetCache
from forensicviewer.app.runtime.jobs import Jobs, Lane, Priority
from forensicviewer.core.problem import ForensicViewerError

if TYPE_CHECKING:
    from forensicviewer.app.workbench.loaded_trial import LoadedTrial, TrialRequest


_PREFETCH_LANE = Lane("prefetch", Priority.AHEAD)


def load_trial(request: TrialRequest) -> LoadedTrial:
    # The readers of every format are a third of the program; the start page needs none of them.
    from forensicviewer.app.workbench import trial_reader

    return trial_reader.load_trial(request)


def rescored(loaded: LoadedTrial, request: TrialRequest) -> LoadedTrial:
    from forensicviewer.app.workbench import trial_reader

    return trial_reader.rescored(loaded, request)


class ReadAhead:
    """Fills a cache in the background with what is likely next, the best guess first.

    ``read`` are the requests answered since the trial was opened. One of them that is gone again
    shows that there is no room; asking for it once more would never end.
    """

    def __init__(
        self,
        jobs: Jobs,
        cache: ByteBudgetCache[TrialRequest, LoadedTrial],
        likely_next: Callable[[], Iterable[TrialRequest]],
    ) -> None:
        self._jobs = jobs
        self._cache = cache
        self._likely_next = likely_next
        self.read: set[TrialRequest] = set()
        self._failed: set[TrialRequest] = set()
        self._usual_bytes = 1

    def begin(self, opened: LoadedTrial) -> None:
        """Begin again, for another trial.

        Images of a dataset are often of one size: the next are taken to be as large.
        """
        self.read.clear()
        self._failed.clear()
        self._usual_bytes = opened.bytes_held
        self.go_on()

    def go_on(self) -> None:
        """Read the next one, if it fits beside those read before."""
        room, largest = self._cache.budget_bytes, self._usual_bytes
        for request in self._likely_next():
            kept = self._cache.get(request)
            if kept is None:
                if largest <= room and request not in self.read:
                    self._jobs.submit(
                        _PREFETCH_LANE,
                        partial(load_trial, request),
                        self._keep,
                        on_error=partial(self._pass_over, request),
                    )
                    return
                if request not in self._failed:
                    return
                continue
            room, largest = room - kept.bytes_held, max(largest, kept.bytes_held)

    def _keep(self, loaded: LoadedTrial) -> None:
        self.read.add(loaded.request)
        if loaded.is_worth_keeping:
            self._cache.put(loaded.request, loaded, size=loaded.bytes_held)
        else:
            self._failed.add(loaded.request)
        self.go_on()

    def _pass_over(self, request: TrialRequest, error: BaseException) -> None:
        """Go on to the next one: opening this one reports what is wrong with it."""
        self.read.add(request)
        self._failed.add(request)
        self.go_on()
        if not isinstance(error, ForensicViewerError):
            raise error
