"""The files a trial names, and whether links lead them out of the dataset."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from forensicviewer.core.model import Task, Trial
from forensicviewer.core.problem import LINKS, Problem, UnsafePathError
from forensicviewer.sources.files.paths import resolve

# The files of a dataset are linked all or by folders: a few of them tell.
_LOOKED_AT = 50


def link_problem(tasks: Iterable[Task]) -> Problem | None:
    """The problem of files of the first trials that lead outside through untrusted links."""
    for task in tasks:
        for row in range(min(len(task.trials), _LOOKED_AT)):
            for name in files_of(task.trials[row]):
                try:
                    resolve(Path(task.root), name)
                except UnsafePathError as error:
                    if error.rule == LINKS:
                        return error.as_problem()
    return None


def files_of(trial: Trial) -> Iterator[str]:
    """The files that are shown and scored; a journal or a base is nice to have."""
    donor = None if trial.donor is None else trial.donor.name
    masks = trial.reference, trial.bit_planes, trial.donor_reference
    for name in (trial.probe.name, donor, *masks):
        if name is not None and name.strip():
            yield name
