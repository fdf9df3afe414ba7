"""Counts, after a dataset was opened, which of the files its trials name are not there.

Folders are listed, no file is opened: where thousands of files lie far away, that is the difference
between seconds and hours. What is in the files, ``info --files`` checks.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator
from pathlib import Path

from forensicviewer.app.runtime.jobs import Ticket
from forensicviewer.core.model import Task, Trial
from forensicviewer.core.problem import Problem, ProblemLog, Severity, UnsafePathError
from forensicviewer.sources.files.paths import resolve
from forensicviewer.sources.media.headers import MISSING, missing_file

# Beyond that a user would wait longer for the answer than the answer is worth.
MOST_TRIALS = 20_000
_NAMED = 20


def missing_files(task: Task, ticket: Ticket) -> tuple[Problem, ...]:
    """A problem for each of the first files that are not there, and one that counts the rest."""
    log, folders = ProblemLog(), _Folders(Path(task.root))
    missing: set[str] = set()
    total = len(task.trials) if len(task.trials) <= MOST_TRIALS else 0
    for row in range(total):
        trial = task.trials[row]
        for name in _names_of(trial):
            if name in missing or folders.has(name):
                continue
            missing.add(name)
            if len(missing) <= _NAMED:
                # As whoever opens the trial is told, so that it is listed once.
                log.add(missing_file(folders.root / name).as_problem())
        ticket.report(row + 1, total)
    left = len(missing) - _NAMED
    if left > 0:
        told = "1 more file does not exist" if left == 1 else f"{left} more files do not exist"
        log.add(Problem(Severity.ERROR, told, where=task.table.name, rule=MISSING, times=left))
    return log.freeze()


def _names_of(trial: Trial) -> Iterator[str]:
    """The files that are shown and scored; a journal or a base is nice to have."""
    donor = None if trial.donor is None else trial.donor.name
    masks = trial.reference, trial.bit_planes, trial.donor_reference
    for name in (trial.probe.name, donor, *masks):
        if name is not None and name.strip():
            yield name


class _Folders:
    """What lies in the folders of a dataset, each listed once."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._listed: dict[str, frozenset[str]] = {}

    def has(self, name: str) -> bool:
        folder, base = posixpath.split(posixpath.normpath(name))
        if folder not in self._listed:
            self._listed[folder] = self._list(folder)
        return base in self._listed[folder] or self._is_file(name)

    def _list(self, folder: str) -> frozenset[str]:
        try:
            with os.scandir(resolve(self.root, folder or ".")) as found:
                return frozenset(each.name for each in found)
        except (OSError, UnsafePathError):
            return frozenset()

    def _is_file(self, name: str) -> bool:
        """Names are written in other ways, too; asked only for those that seem to be missing."""
        try:
            return resolve(self.root, name).is_file()
        except UnsafePathError:
            return False
