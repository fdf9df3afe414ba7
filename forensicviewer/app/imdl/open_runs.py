"""The submissions open in the window as runs of a grid."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from forensicviewer.app.imdl.question import settings_shown
from forensicviewer.app.imdl.run import ImdlRun, score_imdl
from forensicviewer.app.masks.result_store import ResultStore
from forensicviewer.core.model import Submission, Task, TaskKind
from forensicviewer.core.problem import ForensicViewerError, ProblemLog
from forensicviewer.core.progress import Progress
from forensicviewer.sources.tables.benchmark_runs import Run


def open_runs(
    task: Task | None,
    submissions: Sequence[Submission],
    log: ProblemLog,
    *,
    progress: Progress | None = None,
) -> tuple[Run, ...]:
    """Every submission to a dataset of images and masks, with the numbers of ``score imdl``.

    What the list of trials has scored is taken from the store. Pairing and polarity are what the
    window shows; a user who looks at them has settled both.
    """
    if task is None or task.kind is not TaskKind.IMDL:
        return ()
    found = []
    with ResultStore.of_user() as store:
        for submission in submissions:
            settings = settings_shown(submission)
            try:
                run = score_imdl(task, submission, settings, store=store, progress=progress)
            except ForensicViewerError as error:
                log.add(error.as_problem())
            else:
                found.append(_run_of(run))
    return tuple(found)


def _run_of(run: ImdlRun) -> Run:
    """The run; its card lies in the folder the user opened, beside or above the maps."""
    numbers = run.totals().numbers(run.image_scores())
    known = {name: value for name, value in numbers.items() if not math.isnan(value)}
    folder = Path(run.submission.origin)
    name, dataset = run.submission.name, run.task.table.name
    return Run(name, {dataset: known}, folder=folder if folder.is_dir() else None)
