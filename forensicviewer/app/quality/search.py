"""Searches the references of a task for suspects."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from forensicviewer.app.quality.comparison import (
    Prints,
    masks_of_others,
    near_duplicates,
    same_files,
    take_prints,
)
from forensicviewer.app.quality.image_check import CheckedTrial, check_image
from forensicviewer.app.quality.video_check import check_video
from forensicviewer.core.model import Dataset, Submission, Task, TaskKind, Trial
from forensicviewer.core.problem import Severity, UsageError
from forensicviewer.core.progress import Progress
from forensicviewer.core.quality.journal import check_journal, parts_of
from forensicviewer.core.quality.levels import unlike_levels
from forensicviewer.core.quality.rule import RULE_OF, Suspect, TrialSuspect, ranked

_READERS = 2
_CHAINED_SHARE = 0.8
_MOST_ACCUSED = 0.3  # of the trials that systems are asked about
_KINDS = (
    TaskKind.MANIPULATION,
    TaskKind.REMOVAL,
    TaskKind.SPLICE,
    TaskKind.VIDEO,
    TaskKind.CAMERA,
    TaskKind.IMDL,
)
# Of two rules that say the same thing of a trial, the plainer one is told.
_HIDES = {
    "other-trial": ("transform", "unlike-change", "same-mask", "unmarked-change", "inverted"),
    "orientation": ("size",),
    "unreadable": ("levels",),
    "empty": ("other-trial",),
    "full": ("other-trial", "levels"),
    "cut": ("specks", "holes"),
    "torn": ("specks", "holes"),
    "unchanged-part": ("too-large", "boundary"),
    "too-large": ("boundary",),
    "unmarked-change": ("boundary",),
}


@dataclass(frozen=True, slots=True, eq=False)
class CheckedReferences:
    """The suspects of a dataset, the gravest first, and how many trials were checked."""

    suspects: tuple[TrialSuspect, ...]
    trials: int


def tasks_to_check(dataset: Dataset) -> tuple[Task, ...]:
    """The tasks that have references with masks; other versions of a table are not asked again."""
    return tuple(
        task
        for task in dataset.tasks
        if task.kind in _KINDS
        and not task.is_variant
        and (task.has_reference or task.kind is TaskKind.IMDL)
    )


def require_rules(names: Collection[str]) -> None:
    unknown = [name for name in names if name not in RULE_OF]
    if unknown:
        raise UsageError(
            f"{unknown[0]!r} is not a rule", hint="the rules are " + ", ".join(sorted(RULE_OF))
        )


Looked = tuple[CheckedTrial, Prints]


def check_trial(
    task: Task, trial: Trial, submissions: Sequence[Submission], off: Collection[str]
) -> Looked:
    """What one trial tells by itself, and what it is compared with others by."""
    if task.kind is TaskKind.VIDEO:
        result = CheckedTrial(check_video(task, trial, off))
    else:
        result = check_image(task, trial, submissions, off)
    # The pixels of a suspect are as many as those of its image: kept is only where they are.
    found = tuple(suspect.located() for suspect in result.suspects)
    return replace(result, suspects=found), take_prints(task, trial)


CheckTrial = Callable[[Task, Trial, Sequence[Submission], Collection[str]], Looked]


def search_suspects(
    tasks: Sequence[Task],
    submissions: Sequence[Submission] = (),
    *,
    off: Collection[str] = (),
    progress: Progress,
    check: Callable[[], None] = lambda: None,
    check_one: CheckTrial = check_trial,
) -> CheckedReferences:
    """Check every reference; ``check`` is called between trials, to stop by raising.

    ``check_one`` may remember trials that were checked before.
    """
    require_rules(off)
    total, done, found = sum(len(task.trials) for task in tasks), 0, []
    for task in tasks:
        search = _TaskSearch(task, submissions, off, check, check_one)

        def step(count: int, before: int = done) -> None:
            progress(before + count, total)

        found += search.run(step)
        done += len(task.trials)
    return CheckedReferences(ranked(found), done)


class _TaskSearch:
    def __init__(
        self,
        task: Task,
        submissions: Sequence[Submission],
        off: Collection[str],
        check: Callable[[], None],
        check_one: CheckTrial,
    ) -> None:
        self._task, self._off, self._check, self._check_one = task, off, check, check_one
        self._submissions = [s for s in submissions if s.kind in (None, task.kind)]
        self._trials = [task.trials[row] for row in range(len(task.trials))]
        self._found: dict[int, list[Suspect]] = {}

    def run(self, step: Callable[[int], None]) -> list[TrialSuspect]:
        checked: dict[int, CheckedTrial] = {}
        prints: dict[int, Prints] = {}
        with ThreadPoolExecutor(_READERS, thread_name_prefix="fv-quality") as pool:
            work = pool.map(self._one, range(len(self._trials)))
            try:
                for row, (result, taken) in enumerate(work):
                    step(row)
                    self._add(row, result.suspects)
                    checked[row], prints[row] = result, taken
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
        self._doubt_systems(sum(one.has_systems for one in checked.values()))
        self._compare(checked, prints)
        self._journals()
        return list(self._reported())

    def _one(self, row: int) -> Looked:
        self._check()
        trial = self._trials[row]
        if trial.probe.is_hidden:
            raise UsageError(
                "The images of this test set are hidden",
                where=self._task.root,
                hint="participants in the evaluation agree not to look at them",
            )
        return self._check_one(self._task, trial, self._submissions, self._off)

    def _add(self, row: int, suspects: Sequence[Suspect]) -> None:
        wanted = [one for one in suspects if one.rule not in self._off]
        self._found.setdefault(row, []).extend(wanted)

    def _doubt_systems(self, asked: int) -> None:
        """Systems that contradict many references are wrong themselves: that is a note."""
        accused = [row for row, found in self._found.items() if any(s.is_by_systems for s in found)]
        if len(accused) <= max(1, _MOST_ACCUSED * asked):
            return
        doubt = (
            f"; because {len(accused)} of {asked} trials are affected, the systems are more "
            "likely wrong"
        )
        for row in accused:
            self._found[row] = [
                replace(s, evidence=s.evidence + doubt, severity=Severity.NOTE, score=0.1)
                if s.is_by_systems
                else s
                for s in self._found[row]
            ]

    def _compare(self, checked: dict[int, CheckedTrial], prints: dict[int, Prints]) -> None:
        for row, suspect in same_files(self._trials, prints):
            self._add(row, [suspect])
        for row, suspect in masks_of_others(self._trials, checked):
            self._add(row, [suspect])
        levels = {row: one.levels for row, one in checked.items() if one.levels is not None}
        for row, suspect in unlike_levels(levels):
            self._add(row, [suspect])
        if "near-duplicate" not in self._off:
            for row, suspect in near_duplicates(self._task, self._trials, prints, self._check):
                self._add(row, [suspect])

    def _journals(self) -> None:
        if self._task.probe_journals is None:
            return
        with_steps = [trial for trial in self._trials if trial.operations]
        whole = sum(parts_of(trial.operations) == 1 for trial in with_steps)
        are_chained = bool(with_steps) and whole >= _CHAINED_SHARE * len(with_steps)
        described = self._described()
        for row, trial in enumerate(self._trials):
            found = check_journal(
                trial.operations,
                trial.facts,
                undescribed=sum(op.key not in described for op in trial.operations),
                are_chained=are_chained,
                has_journals=bool(with_steps) and trial.is_target is True,
            )
            self._add(row, list(found))

    def _described(self) -> set[tuple[str, str, str]]:
        table = self._task.journal_masks
        if table is None:
            return {op.key for trial in self._trials for op in trial.operations}
        columns = (table[name] for name in ("JournalName", "StartNodeID", "EndNodeID"))
        return set(zip(*columns, strict=True))

    def _reported(self) -> Iterator[TrialSuspect]:
        for row, suspects in self._found.items():
            trial: Trial = self._trials[row]
            rules = {suspect.rule for suspect in suspects}
            hidden = {rule for by in rules for rule in _HIDES.get(by, ())}
            for suspect in suspects:
                if suspect.rule not in hidden:
                    yield TrialSuspect(self._task.name, trial.id, row, suspect)
