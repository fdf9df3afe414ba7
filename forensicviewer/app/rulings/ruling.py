"""What may be ruled about trials, and the task and submissions as they are under a ruling.

Nothing is written: a ruling is a task with fewer rows or other masks in place of some, which the
scorer is asked about as about any other.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath

from forensicviewer.app.masks.one_trial import OneTrial
from forensicviewer.app.masks.settings import MaskSettings, evaluation_settings
from forensicviewer.core.model import Side, Submission, Task, TrialId, key_columns, trial_id
from forensicviewer.core.problem import ProblemLog, UsageError
from forensicviewer.core.rules import MEDISCORE, RuleSet
from forensicviewer.core.table.text_table import Table
from forensicviewer.core.verdict import Ruling, Standing
from forensicviewer.sources.files.paths import resolve_inside


@dataclass(frozen=True, slots=True)
class Decision:
    """A ruling that may be made: any of its parts, or several at once.

    * ``left_out`` trials are not scored at all, for anybody.
    * ``references`` are masks in place of the reference masks of trials.
    * ``masks`` are masks accepted in place of a submission's own, by its name and trial.
    * ``reference`` is a whole reference task read from a corrected table.
    * ``settings`` score every trial of masks again; ``None`` are those of the evaluation.
    """

    left_out: frozenset[TrialId] = frozenset()
    references: Mapping[TrialId, Path] = field(default_factory=dict)
    masks: Mapping[tuple[str, TrialId], Path] = field(default_factory=dict)
    reference: Task | None = None
    settings: MaskSettings | None = None

    @property
    def is_empty(self) -> bool:
        parts = (self.left_out, self.references, self.masks, self.reference, self.settings)
        return not any(parts)

    def task(self, task: Task, rules: RuleSet = MEDISCORE) -> Task:
        """The task under the ruling."""
        ruled = task if self.reference is None else self.reference
        for trial in (*self.left_out, *self.references):
            ruled.require_trial(trial)
        corrected: dict[PurePath, PurePath] = {}
        for trial, path in self.references.items():
            corrected[_reference_of(ruled, trial, self._scored(ruled, rules))] = _file(path)
        return replace(without(ruled, self.left_out), corrected=corrected)

    def submission(self, submission: Submission, task: Task) -> Submission:
        """A submission under the ruling."""
        own = {trial: path for (name, trial), path in self.masks.items() if name == submission.name}
        for trial in own:
            task.require_trial(trial)
        corrected: dict[PurePath, PurePath] = {
            _mask_of(submission, trial): _file(path) for trial, path in own.items()
        }
        return replace(submission, corrected=corrected)

    def _scored(self, task: Task, rules: RuleSet) -> MaskSettings:
        return self.settings or evaluation_settings(task, rules)


def left_out_by(standings: Mapping[TrialId, Standing]) -> frozenset[TrialId]:
    """The trials all of whose judges say that they are left out."""
    return frozenset(
        trial
        for trial, standing in standings.items()
        if {verdict.ruling for verdict in standing.verdicts} == {Ruling.LEAVE_OUT}
    )


def without(task: Task, trials: Collection[TrialId]) -> Task:
    """The task whose reference says nothing about some trials: they are scored for nobody."""
    if not trials:
        return task
    if task.reference is None:
        raise UsageError(
            f"The task {task.name} has no reference, so no trial can be left out", where=task.root
        )
    return replace(task, reference=_kept(task.reference, key_columns(task.kind), trials))


def _kept(table: Table, keys: tuple[str, ...], trials: Collection[TrialId]) -> Table:
    cells = zip(*(table[name] for name in keys), strict=True)
    return table.cut(row for row, each in enumerate(cells) if trial_id(each) not in trials)


def _file(path: Path) -> Path:
    if not path.is_file():
        raise UsageError("The mask does not exist", where=path)
    return path.resolve()


def _reference_of(task: Task, trial: TrialId, settings: MaskSettings) -> Path:
    """The reference mask a probe is compared with."""
    found = task.require_trial(trial)
    one = OneTrial.of(task, found, None, settings, selected=None, log=ProblemLog())
    question = one.images()[Side.PROBE]
    if question.job is None or question.job.reference is None:
        raise UsageError(
            f"The trial {trial} has no reference mask to correct",
            hint="use a corrected reference table",
        )
    return question.job.reference


def _mask_of(submission: Submission, trial: TrialId) -> Path:
    answer = submission.answers.get(trial)
    if answer is None or not answer.mask:
        raise UsageError(f"{submission.name} has no mask of {trial} to replace")
    return resolve_inside(Path(submission.root), answer.mask)
