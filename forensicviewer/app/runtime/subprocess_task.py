"""Runs one piece of work in a separate process, which can be stopped at any moment.

For work in pure Python: on a thread it would compete with the window for the
interpreter, and a step in the middle could not be interrupted.
"""

from __future__ import annotations

import multiprocessing
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Protocol

from forensicviewer.core.problem import ForensicViewerError
from forensicviewer.core.progress import Progress

_ASKING_S = 0.1


class Work(Protocol):
    """Something that pickles and tells how far it is."""

    def __call__(self, *, progress: Progress) -> None: ...


def run_in_subprocess(work: Work, *, progress: Progress | None = None) -> None:
    """Do ``work`` in a new process and wait for its end.

    ``progress`` is asked several times a second; when it raises, the process is ended at once.
    Our own errors are raised here again; any other is reported as a bug.
    """
    context = multiprocessing.get_context("spawn")
    heard, sender = context.Pipe(duplex=False)
    process = context.Process(target=_do, args=(work, sender), daemon=True)
    process.start()
    sender.close()
    try:
        _listen(heard, progress or _nobody)
        process.join()
    finally:
        process.terminate()
        process.join()
        heard.close()
    if process.exitcode != 0:
        raise RuntimeError(f"A process of the program ended with {process.exitcode}")


def _listen(heard: Connection, progress: Progress) -> None:
    done, total = 0, 0
    while True:
        try:
            if heard.poll(_ASKING_S):
                message = heard.recv()
                if isinstance(message, ForensicViewerError):
                    raise message
                done, total = message
        except EOFError:
            return
        progress(done, total)


def _do(work: Work, sender: Connection) -> None:
    try:
        work(progress=lambda done, total: sender.send((done, total)))
    except ForensicViewerError as error:
        # The program that listened may be gone, and the work have failed for that reason.
        with suppress(BrokenPipeError):
            sender.send(error)


def _nobody(_done: int, _total: int) -> None:
    """Ignore the progress."""
