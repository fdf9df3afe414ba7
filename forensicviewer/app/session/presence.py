"""Counts in the background which files of an opened task are not there."""

from __future__ import annotations

from forensicviewer.app.language.words import tr
from forensicviewer.app.runtime.jobs import Jobs, Lane, Priority, Ticket
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.core.model import Task
from forensicviewer.core.problem import Problem

_LANE = Lane("presence", Priority.UPKEEP)


def look_for_files(task: Task, jobs: Jobs, workbench: Workbench) -> None:
    """Tell what is missing while the task is still looked at; problems of tables are known."""

    def look(ticket: Ticket) -> tuple[Problem, ...]:
        # The readers of images: not needed before a dataset is open.
        from forensicviewer.app.datasets.file_check import missing_files

        return missing_files(task, ticket)

    def tell(problems: tuple[Problem, ...]) -> None:
        if problems and workbench.state.task is task:
            workbench.report(problems, is_aside=True)

    title = tr("Looking for the files of {name}", name=task.name)
    jobs.submit_long(_LANE, look, tell, title=title)
