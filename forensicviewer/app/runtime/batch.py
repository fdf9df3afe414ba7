"""Runs many small jobs on any executor: inline, a pool of processes, or a Dask cluster.

A job is a value that pickles (paths and options, never arrays), and so is its answer. A worker that
dies takes only its own job with it: the jobs in flight are tried again one at a time.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
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
from multiprocessing.context import SpawnContext, SpawnProcess
from types import ModuleType
from typing import Any, Generic, TypeVar

import cv2

from forensicviewer.app.runtime.jobs import InlineExecutor
from forensicviewer.core.problem import ForensicViewerError, UsageError

Job = TypeVar("Job")
Answer = TypeVar("Answer")
ExecutorFactory = Callable[[], Executor]

# Enough to keep every worker busy while an answer is handled, little enough to hold in memory.
_IN_FLIGHT_PER_WORKER = 4


class _Processes(ProcessPoolExecutor):
    """A pool that does not wait for running jobs when it is left: a long video takes minutes."""

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
class Done(Generic[Job, Answer]):
    """A job with its answer, or with what went wrong in the worker."""

    job: Job
    answer: Answer | None
    failure: str = ""


def inline_crew() -> Crew:
    return Crew(InlineExecutor, 1)


def process_crew(workers: int | None = None) -> Crew:
    """Processes started afresh, as many as there are cores unless told."""
    size = workers or os.cpu_count() or 1
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
    """Whether processes can share locks: not where /dev/shm is closed, as in a bare chroot."""
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
            "The cluster does not answer", where=address, hint="is its scheduler running?"
        ) from error
    try:
        size = max(1, sum(client.ncores().values()))
        yield Crew(lambda: client.get_executor(pure=False), size)
    finally:
        client.close()


def run_batch(
    work: Callable[[Job], Answer],
    jobs: Iterable[Job],
    crew: Crew,
    *,
    on_done: Callable[[Done[Job, Answer]], None],
) -> None:
    """Do every job and hand over each as it is done, in no particular order.

    Interrupted, it drops what is waiting and leaves; what was handed over stays done.
    """
    waiting = iter(jobs)
    while suspects := _run_until_broken(work, waiting, crew, on_done):
        while suspects:
            suspects = _run_one_by_one(work, suspects, crew, on_done)


def _run_until_broken(
    work: Callable[[Job], Answer],
    waiting: Iterator[Job],
    crew: Crew,
    on_done: Callable[[Done[Job, Answer]], None],
) -> list[Job]:
    """The jobs that were in flight when a worker died; empty when everything is done."""
    executor = crew.make()
    flying: dict[Future[Answer], Job] = {}
    suspects: list[Job] = []
    try:
        while True:
            suspects += _fill(executor, work, waiting, flying, limit=_limit(crew))
            if not flying:
                return suspects
            for future in wait(flying, return_when=FIRST_COMPLETED).done:
                job = flying.pop(future)
                if isinstance(future.exception(), BrokenExecutor):
                    suspects.append(job)
                else:
                    on_done(_done(job, future))
            if suspects:
                return suspects + list(_drained(flying, on_done))
    finally:
        _close(executor, flying)


def _limit(crew: Crew) -> int:
    # Inline, a submitted job is done before the next is taken.
    return 1 if crew.size == 1 else crew.size * _IN_FLIGHT_PER_WORKER


def _fill(
    executor: Executor,
    work: Callable[[Job], Answer],
    waiting: Iterator[Job],
    flying: dict[Future[Answer], Job],
    *,
    limit: int,
) -> list[Job]:
    while len(flying) < limit:
        job = next(waiting, _NOTHING)
        if job is _NOTHING:
            break
        try:
            flying[executor.submit(work, job)] = job
        except BrokenExecutor:
            return [job]
    return []


_NOTHING: Any = object()


def _drained(
    flying: dict[Future[Answer], Job], on_done: Callable[[Done[Job, Answer]], None]
) -> Iterator[Job]:
    """What a broken executor had in flight; answers that made it in time are kept."""
    for future, job in list(flying.items()):
        wait([future])
        if future.cancelled() or isinstance(future.exception(), BrokenExecutor):
            yield job
        else:
            on_done(_done(job, future))
    flying.clear()


def _run_one_by_one(
    work: Callable[[Job], Answer],
    suspects: list[Job],
    crew: Crew,
    on_done: Callable[[Done[Job, Answer]], None],
) -> list[Job]:
    """Do jobs one at a time until one kills its worker: that one failed; the rest is returned."""
    executor = crew.make()
    try:
        for number, job in enumerate(suspects):
            future = executor.submit(work, job)
            wait([future])
            on_done(_done(job, future))
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


def _done(job: Job, future: Future[Answer]) -> Done[Job, Answer]:
    error = future.exception()
    if error is None:
        return Done(job, future.result())
    return Done(job, None, _told(error))


def _told(error: BaseException) -> str:
    if isinstance(error, BrokenExecutor) or type(error).__name__ == "KilledWorker":
        return "the worker process died while scoring it"
    return str(error) or type(error).__name__


def _prepare_worker() -> None:
    # Ctrl-C goes to the whole process group; only the main process decides what to do about it.
    with suppress(ValueError):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    # The processes are the parallelism: threads inside each would only get in each other's way.
    cv2.setNumThreads(1)
