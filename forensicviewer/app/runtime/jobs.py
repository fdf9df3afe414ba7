"""Work in the background: lanes with one job running and one waiting, answers on one thread.

``Jobs`` knows no Qt. It gets an executor (threads in the window, :class:`InlineExecutor` in tests
and on the command line) and ``post``, which runs a callable on the thread that owns the state.
Everything except the work itself happens on that thread, so nothing here needs a lock.

    _TRIAL_LANE = Lane("trial", Priority.WITH_PAGE)
    jobs.submit(_TRIAL_LANE, lambda: load_trial(request), then=self._show)

A lane runs one job at a time. While it runs, one more may wait; a newer one replaces it and the
replaced one is never started. Its answer (``then``) is not called either.

Lanes nobody waits for share one turn among them, in the order of their :class:`Priority`: threads
that compete for the processor make the window wait for it too. For the same reason none of them
begins while the window still has something to do :meth:`Jobs.soon`.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Executor, Future, wait
from dataclasses import dataclass, field
from enum import IntEnum, auto
from operator import attrgetter
from typing import ParamSpec, TypeVar

from forensicviewer.core.problem import ForensicViewerError

AnswerT = TypeVar("AnswerT")
Returned = TypeVar("Returned")
Arguments = ParamSpec("Arguments")

Post = Callable[[Callable[[], None]], None]
OnError = Callable[[BaseException], None]

_GRACE_S = 1.0

# A thread whose library lets go of Python's lock only to take it back at once starves the others:
# they wake too late for it, however short the lock's turns are. A real pause lets the window go on.
_WORKS_S = 0.002
_RESTS_S = 0.0001


class Priority(IntEnum):
    """When the jobs of a lane start; lanes after ``WITH_PAGE`` are quiet and take turns."""

    NOW = auto()
    WITH_PAGE = auto()  # once the page that shows the answer is made
    AHEAD = auto()  # what the user is likely to ask for next
    DETAIL = auto()  # what completes the page that is shown
    UPKEEP = auto()
    IDLE = auto()
    BULK = auto()  # hours of work, in portions


@dataclass(frozen=True, slots=True, eq=False)
class Lane:
    """A queue in which jobs run one after another; those who submit jobs declare it.

    ``is_far`` lanes read what a user names, wherever it lies: their answer may never come.
    """

    name: str
    priority: Priority = Priority.NOW
    is_far: bool = False

    @property
    def is_quiet(self) -> bool:
        return self.priority > Priority.WITH_PAGE


class CancelledError(ForensicViewerError):
    """The user no longer wants the answer."""


class Ticket:
    """How long work reports progress and learns whether it is still wanted.

    The only object a worker shares with the main thread; its fields are single values, replaced
    whole.
    """

    def __init__(self) -> None:
        self.done = 0
        self.total = 0
        self.is_cancelled = False
        self.is_outdated = False  # a newer job of the lane waits for this one
        self._rested_s = 0.0

    def report(self, done: int, total: int) -> None:
        """Say how far the work is; raises :class:`CancelledError` once nobody waits for it."""
        self.done, self.total = done, total
        self.check()

    def check(self) -> None:
        if self.is_called_off():
            raise CancelledError("The work was cancelled")

    def is_called_off(self) -> bool:
        """Whether the work is no longer wanted; calling it often also lets the window go first."""
        if time.monotonic() - self._rested_s > _WORKS_S:
            time.sleep(_RESTS_S)
            self._rested_s = time.monotonic()
        return self.is_cancelled


@dataclass(frozen=True, slots=True)
class JobStatus:
    """One running or waiting job, as a list of jobs shows it."""

    lane: Lane
    title: str
    done: int
    total: int
    is_running: bool
    elapsed_s: float


@dataclass(frozen=True, slots=True)
class Portion:
    """Where a job goes on with what others began: one piece of work for those who wait for it."""

    since_s: float
    done: int
    total: int


@dataclass(slots=True, eq=False)
class _Job:
    lane: Lane
    title: str
    start: Callable[[Ticket], object]
    then: Callable[[object], None]
    on_error: OnError
    on_cancel: Callable[[], None]
    ticket: Ticket = field(default_factory=Ticket)
    started_s: float | None = None
    since_s: float | None = None
    future: Future[object] | None = None

    def status(self, now_s: float) -> JobStatus:
        begun_s = self.started_s if self.since_s is None else self.since_s
        elapsed_s = 0.0 if begun_s is None else now_s - begun_s
        return JobStatus(
            lane=self.lane,
            title=self.title,
            done=self.ticket.done,
            total=self.ticket.total,
            is_running=self.started_s is not None,
            elapsed_s=elapsed_s,
        )


class Jobs:
    """Runs jobs in lanes and delivers their answers on the main thread.

    ``on_error`` gets the error of every job that fails and was given no handler of its own; a
    cancelled job fails silently.
    """

    def __init__(self, executor: Executor, post: Post, on_error: OnError) -> None:
        self._executor = executor
        self._post = post
        self._on_error = on_error
        self._running: dict[Lane, _Job] = {}
        self._waiting: dict[Lane, _Job] = {}
        self._left_alone: list[_Job] = []
        self._watchers: list[Callable[[], None]] = []
        self._soon: deque[Callable[[], None]] = deque()
        self._is_closed = False

    def submit(
        self,
        lane: Lane,
        work: Callable[[], AnswerT],
        then: Callable[[AnswerT], None],
        *,
        title: str = "",
        on_error: OnError | None = None,
        on_cancel: Callable[[], None] = lambda: None,
    ) -> None:
        """Run ``work`` in the background and hand its answer to ``then`` on the main thread.

        ``on_cancel`` informs those who show that an answer is awaited: users may cancel it.
        """
        self.submit_long(
            lane, lambda _: work(), then, title=title, on_error=on_error, on_cancel=on_cancel
        )

    def submit_long(
        self,
        lane: Lane,
        work: Callable[[Ticket], AnswerT],
        then: Callable[[AnswerT], None],
        *,
        title: str = "",
        on_error: OnError | None = None,
        on_cancel: Callable[[], None] = lambda: None,
        portion: Portion | None = None,
    ) -> None:
        """As :meth:`submit`, for work that reports progress and asks whether it is cancelled."""
        if self._is_closed:
            return
        job = _Job(lane, title, work, _untyped(then), on_error or self._on_error, on_cancel)
        if portion is not None:
            job.since_s = portion.since_s
            job.ticket.done, job.ticket.total = portion.done, portion.total
        if lane in self._running:
            self._waiting[lane] = job
            self._running[lane].ticket.is_outdated = True
            self._tell_watchers()
        elif lane.is_quiet or (lane.priority is Priority.WITH_PAGE and self._soon):
            # Whoever asks is likely to ask the window for more in the same breath.
            self._waiting[lane] = job
            self._tell_watchers()
            self._post(self._start_waiting)
        else:
            self._start(job)

    def soon(self, work: Callable[[], None]) -> None:
        """Run something on the main thread in a separate turn: keys and mouse go first.

        Where jobs run inline it is done at once.
        """
        self._soon.append(work)
        if len(self._soon) == 1:
            self._post(self._do_next)

    def _do_next(self) -> None:
        if self._is_closed:
            self._soon.clear()
            return
        work = self._soon[0]
        try:
            work()
        finally:
            self._soon.popleft()
            self._post(self._do_next if self._soon else self._start_waiting)

    def call_off(self, lane: Lane) -> None:
        """Cancel the lane for the user; tell those who wait for its answer to stop waiting."""
        known = (self._running.get(lane), self._waiting.get(lane))
        self.cancel(lane)
        for job in known:
            if job is not None:
                job.on_cancel()

    def cancel(self, lane: Lane) -> None:
        """Forget the lane's waiting job and ask its running one to stop; neither answers.

        A far lane is free at once: what it waits for may never come.
        """
        self._waiting.pop(lane, None)
        running = self._running.get(lane)
        if running is not None:
            running.ticket.is_cancelled = True
            if lane.is_far:
                self._left_alone.append(self._running.pop(lane))
        self._tell_watchers()

    def is_busy(self, lane: Lane | None = None) -> bool:
        """Whether a lane's job is running; without a lane, whether anything is left to do."""
        return bool(self._running or self._waiting) if lane is None else lane in self._running

    def statuses(self) -> tuple[JobStatus, ...]:
        """Every running, then every waiting job; progress is current at each call."""
        now_s = time.monotonic()
        jobs = (*self._running.values(), *self._waiting.values())
        return tuple(job.status(now_s) for job in jobs)

    def watch(self, watcher: Callable[[], None]) -> Callable[[], None]:
        """Call ``watcher`` whenever a job starts, ends or is replaced; returns how to stop."""
        self._watchers.append(watcher)
        return lambda: self._watchers.remove(watcher)

    def close(self) -> None:
        """Cancel everything, accept nothing more and wait for the workers to end."""
        self._is_closed = True
        self._waiting.clear()
        for job in self._running.values():
            job.ticket.is_cancelled = True
        self._watchers.clear()
        self._executor.shutdown(wait=False, cancel_futures=True)
        far = [job for lane, job in self._running.items() if lane.is_far]
        near = [job for lane, job in self._running.items() if not lane.is_far]
        wait(_futures(near))
        if not wait(_futures([*far, *self._left_alone]), timeout=_GRACE_S).not_done:
            # Who waits for a disk that never answers is left behind; others end with their threads.
            self._executor.shutdown(wait=True)
        # Their answers are not taken any more, so nothing else would tell that they ended.
        self._running.clear()

    def _start(self, job: _Job) -> None:
        job.started_s = time.monotonic()
        self._running[job.lane] = job
        self._tell_watchers()
        future = job.future = self._executor.submit(job.start, job.ticket)
        if future.done():
            # Not by callback: a future logs what its callbacks raise instead of letting it through.
            self._post(lambda: self._finish(job, future))
        else:
            future.add_done_callback(lambda done: self._post(lambda: self._finish(job, done)))

    def _finish(self, job: _Job, future: Future[object]) -> None:
        if self._is_closed:
            return
        # The future knows the job by its callback: an answer would outlive everyone who holds it,
        # by minutes, until the garbage is searched.
        job.future = None
        if job in self._left_alone:
            self._left_alone.remove(job)
            return
        # The lane is free before anybody hears of the answer: who hears it may submit again.
        del self._running[job.lane]
        if job.lane in self._waiting and not job.lane.is_quiet:
            self._start(self._waiting.pop(job.lane))
        self._start_waiting()
        self._tell_watchers()
        self._deliver(job, future)

    def _start_waiting(self) -> None:
        """Start the jobs that wait for the window; of the quiet jobs only the first."""
        if self._is_closed or self._soon:
            return
        for lane in [each for each in self._waiting if each.priority is Priority.WITH_PAGE]:
            # Asked again each time: one that is done at once may have started the others.
            if lane in self._waiting and lane not in self._running:
                self._start(self._waiting.pop(lane))
        if any(lane.is_quiet for lane in self._running):
            return
        quiet = [lane for lane in self._waiting if lane.is_quiet]
        if quiet:
            self._start(self._waiting.pop(min(quiet, key=attrgetter("priority"))))

    def _deliver(self, job: _Job, future: Future[object]) -> None:
        if job.ticket.is_cancelled or future.cancelled():
            return
        error = future.exception()
        if error is not None:
            job.on_error(error)
        else:
            job.then(future.result())

    def _tell_watchers(self) -> None:
        for watcher in tuple(self._watchers):
            watcher()


class InlineExecutor(Executor):
    """Runs work where it is submitted: no threads, so tests and commands are repeatable."""

    def submit(
        self,
        fn: Callable[Arguments, Returned],
        /,
        *args: Arguments.args,
        **kwargs: Arguments.kwargs,
    ) -> Future[Returned]:
        future: Future[Returned] = Future()
        future.set_running_or_notify_cancel()
        try:
            answer = fn(*args, **kwargs)
        except Exception as error:  # noqa: BLE001 - a future carries what the work raised
            future.set_exception(error)
        else:
            future.set_result(answer)
        return future


def inline_jobs(on_error: OnError | None = None) -> Jobs:
    """Jobs that are done when :meth:`Jobs.submit` returns; errors are raised unless handled."""
    return Jobs(InlineExecutor(), lambda thunk: thunk(), on_error or _raise)


def _raise(error: BaseException) -> None:
    raise error


def _futures(jobs: Iterable[_Job]) -> list[Future[object]]:
    """The futures to wait for; ``wait`` would never see the end of those cancelled early."""
    return [job.future for job in jobs if job.future is not None and not job.future.cancelled()]


def _untyped(then: Callable[[AnswerT], None]) -> Callable[[object], None]:
    return then  # type: ignore[return-value]  # only its own work's answer ever reaches it
