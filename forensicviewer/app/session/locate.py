"""Finds the trial a problem or a file is about, and where a problem's file lies."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path, PurePath

from forensicviewer.app.workbench.state import ViewState
from forensicviewer.core.model import Submission, Task, TrialId, key_columns, trial_id
from forensicviewer.core.problem import Problem
from forensicviewer.core.table.number_cell import digits_in
from forensicviewer.core.table.text_table import Table

_MOST_SEARCHED = 100_000
_MOST_FILES = 20


def trial_named_by(problem: Problem, state: ViewState) -> TrialId | None:
    """The trial a problem is about: its own, or the one in whose row or file it was found."""
    task, trial = state.task, problem.trial
    if task is None:
        return None
    if trial is not None:
        return trial if task.trials.row_of(trial) is not None else None
    found = _trial_of_line(problem.where, state)
    return found or _trial_of_file(problem.where, task, state.submission)


def folder_named_by(problem: Problem, state: ViewState) -> Path | None:
    """The folder of the file a problem names, or of where it should be; looks at the disk."""
    name = re.sub(r":\d+$", "", problem.where)
    if not name:
        return None
    path = Path(name)
    if path.is_absolute():
        candidates = [path, path.parent]
    else:
        candidates = [root / path for root in _roots(state)]
    found = next((each for each in candidates if each.exists()), None)
    return found.parent if found is not None and found.is_file() else found


def _roots(state: ViewState) -> list[Path]:
    """The folders that names are relative to."""
    roots = [] if state.dataset is None else [Path(state.dataset.root)]
    return roots + [Path(submission.root) for submission in state.submissions]


def is_about_open_trial(problem: Problem, state: ViewState) -> bool:
    """Whether the page of the current trial says it already, where its file would be."""
    if state.loaded is not None and problem in state.loaded.problems:
        return True
    return state.trial_id is not None and trial_named_by(problem, state) == state.trial_id


def trial_of_files(paths: Iterable[Path], state: ViewState) -> TrialId | None:
    """The trial that files belong to; of the first one, where they belong to several."""
    task, files = state.task, [*paths]
    if task is None or not all(path.is_file() for path in files):
        return None
    found = [trial_of_file(path, task, state.submission) for path in files[:_MOST_FILES]]
    return found[0] if found and None not in found else None


def trial_of_file(file: Path, task: Task, submission: Submission | None = None) -> TrialId | None:
    """The trial whose probe, donor or mask a file is; files of probes are named after their ids."""
    named = TrialId(file.stem)
    if task.trials.row_of(named) is not None:
        return named
    return _trial_of_file(str(file), task, submission)


def _trial_of_line(where: str, state: ViewState) -> TrialId | None:
    table, _, written = where.rpartition(":")
    task, line = state.task, digits_in(written)
    if task is None or line is None:
        return None
    submission = state.submission
    for listing in (task.index, task.reference):
        if listing is not None and _is_table(table, listing.name):
            row = listing.row_at(line)
            if row is None:
                return None
            named = trial_id(listing.cell(name, row) for name in key_columns(task.kind))
            return named if task.trials.row_of(named) is not None else None
    if submission is not None and _is_table(table, submission.table.name):
        rows = submission.answers.rows_for(task.trials.ids())
        places = (rows == submission.table.row_at(line)).nonzero()[0]
        return task.trials.ids()[int(places[0])] if len(places) else None
    return None


def _trial_of_file(where: str, task: Task, submission: Submission | None) -> TrialId | None:
    """The first trial a table gives that file; too long a search where there are very many."""
    if not where or len(task.trials) > _MOST_SEARCHED:
        return None
    ids = task.trials.ids()
    row = _row_naming(where, task.table)
    if row is not None:
        return ids[row]
    answer = None if submission is None else _row_naming(where, submission.table)
    if submission is None or answer is None:
        return None
    places = (submission.answers.rows_for(ids) == answer).nonzero()[0]
    return ids[int(places[0])] if len(places) else None


def _row_naming(where: str, table: Table) -> int | None:
    named = f"/{PurePath(where).as_posix()}"
    for name, column in table.columns.items():
        if name.endswith("FileName"):
            codes, distinct = column.dictionary
            found = (i for i, cell in enumerate(distinct) if cell and named.endswith(f"/{cell}"))
            code = next(found, None)
            if code is not None:
                return int((codes == code).nonzero()[0][0])
    return None


def _is_table(where: str, name: str) -> bool:
    """Messages name a table with more or less of the way to it."""
    return bool(where) and (where.endswith(name) or name.endswith(where))
