"""Runs many small jobs on any executor: inline, a pool of processes, or a Dask cluster.

A job is a value that pickles (paths and options, never arrays), and so is its answer. Jobs travel
in bundles that take a worker about a tenth of a second: the way there and back costs as much as
counting a tiny mask. A bundle that fails is tried again job by job, so one failure costs one job;
and a worker that dies takes only its own job with it: the jobs in flight are tried again one at a
time.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    wait,
)
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from multiprocessing.context import SpawnContext, SpawnProcess
from types import ModuleType
from typing import Any, Generic, TypeVar

import cv2

from forensicviewer.app.runtime.jobs import InlineExecutor
from forensicviewer.core.problem import ForensicViewerError, UsageError

Job = TypeVar("Job")
AnswerT = TypeVar("AnswerT")
ExecutorFactory = Callable[[], Executor]
# Answers several jobs in their order.
Work = Callable[[Sequence[Job]], Sequence[AnswerT]]

# Enough to keep every worker busy while an answer is handled, little enough to hold in memory.
_IN_FLIGHT_PER_WORKER = 4
_BUNDLE_S = 0.1
_LARGEST_BUNDLE = 256


class _Processes(ProcessPoolExecutor):
    """A pool that does not wait for running jobs on exit: a long video takes minutes."""

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 - as its parent says
        running = [] if wait else list((self._processes or {}).values())
        super().shutdown(wait=wait, cancel_futures=cancel_futures)
        for process in running:
            process.terminate()


class _Worker(SpawnProcess):
    """A process that does not run the caller's script again.

    A spawned process first imports the script it was started from. Jobs need nothing of it, and a
    script that is not guarded by ``if __name__ == "__main__"`` would start its own workers there.
    """

    def start(self) -> None:
        script = sys.modules["__main__"]
        sys.modules["__main__"] = ModuleType("__main__")
        try:
            super().start()
        finally:
            sys.modules["__main__"] = script


class _Workers(SpawnContext):
    """Starts processes afresh: no forked locks, no script run again."""

    Process = _Worker


@dataclass(frozen=True, slots=True)
class Crew:
    """Who does the work: how an executor is made, and how many jobs it can do at once."""

    make: ExecutorFactory
    size: int


@dataclass(frozen=True, slots=True)
class Done(Generic[Job, AnswerT]):
    """A job with its answer, or with what went wrong in the worker."""

    job: Job
    answer: AnswerT | None
    failure: str = ""


def inline_crew() -> Crew:
    return Crew(InlineExecutor, 1)


def process_crew(workers: int | None = None) -> Crew:
    """Newly started processes, by default one per core."""
    size = (os.cpu_count() or 1) if workers is None else workers
    if size < 1:
        raise UsageError("The number of workers must be at least 1")
    if size == 1:
        return inline_crew()
    context = _Workers()
    if not _has_locks(context):
        return inline_crew()
    return Crew(
        partial(_Processes, max_workers=size, mp_context=context, initializer=_prepare_worker),
        size,
    )


def _has_locks(context: SpawnContext) -> bool:
    """Whether processes can share locks; they cannot without /dev/shm, as in a bare chroot."""
    try:
        context.Lock()
    except OSError:
        return False
    return True


@contextmanager
def cluster_crew(address: str) -> Iterator[Crew]:
    """The workers of a Dask cluster; they must see the same files under the same paths."""
    try:
        # Only those who name a scheduler need the cluster extra.
        import distributed
    except ImportError as error:
        raise UsageError(
            "A cluster needs packages that are not installed",
            hint="install forensicviewer[cluster]",
        ) from error
    try:
        client = distributed.Client(address, timeout=30, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ForensicViewerError(
            "The cluster does not respond",
            where=address,
            hint="check that its scheduler is running",
        ) from error
    try:
        size = max(1, sum(client.ncores().values()))
        yield Crew(lambda: client.get_executor(pure=False), size)
    finally:
        client.close()


def run_batch(
    work: Work[Job, AnswerT],
    jobs: Iterable[Job],
    crew: Crew,
    *,
    on_done: Callable[[Sequence[Done[Job, AnswerT]]], None],
) -> None:
    """Do every job and hand over some at a time as they are done, in no particular order.

    Interrupted, it drops what is waiting and leaves; what was handed over stays done.
    """
    waiting = _Bundles(jobs)
    while suspects := _run_until_broken(work, waiting, crew, on_done):
        while suspects:
            suspects = _run_one_by_one(work, suspects, crew, on_done)


class _Bundles(Generic[Job]):
    """Divides jobs into bundles; the faster the jobs, the larger the bundles."""

    def __init__(self, jobs: Iterable[Job]) -> None:
        self._jobs = iter(jobs)
        self._size = 1

    def next(self) -> list[Job]:
        return list(islice(self._jobs, self._size))

    def tell(self, count: int, seconds: float) -> None:
        """How long some jobs took; the next bundle may be twice as large at most."""
        fitting = int(_BUNDLE_S * count / max(seconds, _BUNDLE_S / _LARGEST_BUNDLE))
        self._size = max(1, min(fitting, 2 * self._size, _LARGEST_BUNDLE))


@dataclass(frozen=True, slots=True)
class _Bundled(Generic[AnswerT]):
    """The answers of a bundle or their errors, and the total time."""

    answers: tuple[tuple[AnswerT | None, str], ...]
    seconds: float


def _do_bundle(work: Work[Job, AnswerT], jobs: Sequence[Job]) -> _Bundled[AnswerT]:
    started_s = time.monotonic()
    answers = tuple(_do(work, jobs))
    return _Bundled(answers, time.monotonic() - started_s)


def _do(work: Work[Job, AnswerT], jobs: Sequence[Job]) -> Iterator[tuple[AnswerT | None, str]]:
    try:
        answers = work(jobs)
    except Exception as error:  # noqa: BLE001 - one job's failure is told, the others go on
        if len(jobs) == 1:
            yield None, _describe(error)
            return
        for job in jobs:
            yield from _do(work, [job])
    else:
        yield from ((answer, "") for answer in answers)


def _run_until_broken(
    work: Work[Job, AnswerT],
    waiting: _Bundles[Job],
    crew: Crew,
    on_done: Callable[[Sequence[Done[Job, AnswerT]]], None],
) -> list[Job]:
    """The jobs that were in flight when a worker died; empty when everything is done."""
    executor = crew.make()
    flying: dict[Future[_Bundled[AnswerT]], list[Job]] = {}
    suspects: list[Job] = []
    try:
        while True:
            suspects += _fill(executor, work, waiting, flying, limit=_limit(crew))
            if not flying:
                return suspects
            for future in wait(flying, return_when=FIRST_COMPLETED).done:
                jobs = flying.pop(future)
                if isinstance(future.exception(), BrokenExecutor):
                    suspects += jobs
                else:
                    if future.exception() is None:
                        waiting.tell(len(jobs), future.result().seconds)
                    on_done(_done(jobs, future))
            if suspects:
                return suspects + list(_drained(flying, on_done))
    finally:
        _close(executor, flying)


def _limit(crew: Crew) -> int:
    # Inline, a submitted job is done before the next is taken.
    return 1 if crew.size == 1 else crew.size * _IN_FLIGHT_PER_WORKER


def _fill(
    executor: Executor,
    work: Work[Job, AnswerT],
    waiting: _Bundles[Job],
    flying: dict[Future[_Bundled[AnswerT]], list[Job]],
    *,
    limit: int,
) -> list[Job]:
    while len(flying) < limit:
        jobs = waiting.next()
        if not jobs:
            break
        try:
            flying[executor.submit(_do_bundle, work, jobs)] = jobs
        except BrokenExecutor:
            return jobs
    return []


def _drained(
    flying: dict[Future[_Bundled[AnswerT]], list[Job]],
    on_done: Callable[[Sequence[Done[Job, AnswerT]]], None],
) -> Iterator[Job]:
    """The jobs that a broken executor had in flight; finished answers are kept."""
    for future, jobs in list(flying.items()):
        wait([future])
        if future.cancelled() or isinstance(future.exception(), BrokenExecutor):
            yield from jobs
        else:
            on_done(_done(jobs, future))
    flying.clear()


def _run_one_by_one(
    work: Work[Job, AnswerT],
    suspects: list[Job],
    crew: Crew,
    on_done: Callable[[Sequence[Done[Job, AnswerT]]], None],
) -> list[Job]:
    """Do jobs one at a time until one kills its worker: that one failed; the rest is returned."""
    executor = crew.make()
    try:
        for number, job in enumerate(suspects):
            future = executor.submit(_do_bundle, work, [job])
            wait([future])
            on_done(_done([job], future))
            if isinstance(future.exception(), BrokenExecutor):
                return suspects[number + 1 :]
        return []
    finally:
        _close(executor, ())


def _close(executor: Executor, flying: Iterable[Future[Any]]) -> None:
    # Not shutdown(cancel_futures=True), which the executor of a cluster does not know.
    waiting = list(flying)
    for future in waiting:
        future.cancel()
    executor.shutdown(wait=not waiting)


def _done(jobs: Sequence[Job], future: Future[_Bundled[AnswerT]]) -> list[Done[Job, AnswerT]]:
    error = future.exception()
    if error is not None:
        return [Done(job, None, _describe(error)) for job in jobs]
    answers = future.result().answers
    return [Done(job, *answer) for job, answer in zip(jobs, answers, strict=True)]


def _describe(error: BaseException) -> str:
    if isinstance(error, BrokenExecutor) or type(error).__name__ == "KilledWorker":
        return "the worker process died while scoring it"
    return str(error) or type(error).__name__


def _prepare_worker() -> None:
    # Ctrl-C goes to the whole process group; only the main process decides what to do about it.
    with suppress(ValueError):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    # The processes are the parallelism: threads inside each would only get in each other's way.
    cv2.setNumThreads(1)
