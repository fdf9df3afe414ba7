"""Searches the probes of a task for near-duplicates."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from forensicviewer.core.array import U8Image
from forensicviewer.core.model import Task, TaskKind, TrialId
from forensicviewer.core.problem import ForensicViewerError, Problem, ProblemLog, UsageError
from forensicviewer.core.progress import Progress
from forensicviewer.core.similarity import Duplicates, comparable, find_duplicates
from forensicviewer.sources.files.paths import resolve
from forensicviewer.sources.media.images import read_image

THRESHOLD = 0.9
_READERS = 2


@dataclass(frozen=True, slots=True)
class SearchedProbe:
    """A compared image and the trials that ask about it."""

    name: str
    trials: tuple[TrialId, ...]


@dataclass(frozen=True, slots=True, eq=False)
class DuplicateSearch:
    """The probes of a task, numbered as ``found`` numbers them, and which of them are alike."""

    probes: tuple[SearchedProbe, ...]
    found: Duplicates
    problems: tuple[Problem, ...]

    def group_of(self, probe: int) -> int | None:
        """The number of a probe's group, from 0; ``None`` for one that is like no other."""
        groups = enumerate(self.found.groups)
        return next((n for n, members in groups if probe in members), None)

    def first_of_each(self) -> frozenset[int]:
        """One probe of each group, and those that are like no other."""
        dropped = {probe for members in self.found.groups for probe in members[1:]}
        return frozenset(range(len(self.probes))) - dropped

    def trials_of(self, probes: Collection[int]) -> tuple[TrialId, ...]:
        """The trials of some probes, in the order of the dataset."""
        return tuple(t for n in sorted(probes) for t in self.probes[n].trials)

    def split(self, share: float, *, seed: int) -> tuple[frozenset[int], frozenset[int]]:
        """Probes to train and to validate with: alike ones are never on both sides.

        ``share`` of them are to train with, as nearly as whole groups allow.
        """
        grouped = {probe for members in self.found.groups for probe in members}
        units = [*self.found.groups, *((n,) for n in range(len(self.probes)) if n not in grouped)]
        random.Random(seed).shuffle(units)
        # Large groups first: what is left to fill in at the end are single images.
        units.sort(key=len, reverse=True)
        wanted, training = round(share * len(self.probes)), set[int]()
        for unit in units:
            if len(training) + len(unit) <= wanted:
                training |= {*unit}
        return frozenset(training), frozenset(range(len(self.probes))) - training


def search_duplicates(
    task: Task,
    *,
    threshold: float = THRESHOLD,
    reading: Progress,
    comparing: Progress,
    check: Callable[[], None] = lambda: None,
) -> DuplicateSearch:
    """Compare every probe of a task with every other; what cannot be read is a problem."""
    if task.kind is TaskKind.VIDEO:
        raise UsageError(
            f"The task {task.name} has videos as probes", hint="name a task with images"
        )
    if not 0 < threshold <= 1:
        raise UsageError(
            f"{threshold} is not a valid threshold (0 to 1)", hint="choose a value from 0 to 1"
        )
    log = ProblemLog()
    probes, images = [], []
    for probe, image in _read(task, log, reading, check):
        probes.append(probe)
        images.append(image)
    found = find_duplicates(images, threshold=threshold, progress=comparing)
    return DuplicateSearch(tuple(probes), found, log.freeze())


def _read(
    task: Task, log: ProblemLog, progress: Progress, check: Callable[[], None]
) -> Iterator[tuple[SearchedProbe, U8Image]]:
    trials: dict[str, list[TrialId]] = {}
    for row in range(len(task.trials)):
        trial = task.trials[row]
        if trial.probe.is_hidden:
            raise UsageError(
                "The images of this test set are hidden",
                where=task.root,
                hint="participants in the evaluation agree not to look at them",
            )
        trials.setdefault(trial.probe.name, []).append(trial.id)

    def read(name: str) -> U8Image | ForensicViewerError:
        check()
        try:
            return comparable(read_image(resolve(Path(task.root), name)).pixels)
        except ForensicViewerError as error:
            return error

    with ThreadPoolExecutor(_READERS, thread_name_prefix="fv-duplicates") as pool:
        for done, (name, image) in enumerate(zip(trials, pool.map(read, trials), strict=True)):
            progress(done, len(trials))
            if isinstance(image, ForensicViewerError):
                log.about(trials[name][0]).add(image.as_problem())
            else:
                yield SearchedProbe(name, tuple(trials[name])), image
