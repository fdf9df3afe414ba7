"""What both provenance scorers begin with: the trials asked for, and a reader of their files."""

from __future__ import annotations

from dataclasses import dataclass

from forensicviewer.app.provenance.reading import ProvenanceReader
from forensicviewer.app.provenance.settings import AverageLines, ProvenanceSettings, select
from forensicviewer.app.provenance.trials import ProvenanceTrial, list_trials
from forensicviewer.core.graph.variation import variation_named, variation_of
from forensicviewer.core.model import Submission, Task
from forensicviewer.core.problem import ProblemLog, UsageError


@dataclass(frozen=True, slots=True)
class ProvenanceRun:
    """The trials that some line of the averages selects, in their order."""

    trials: tuple[ProvenanceTrial, ...]
    selections: AverageLines
    reader: ProvenanceReader
    log: ProblemLog

    @classmethod
    def of(
        cls,
        task: Task,
        submission: Submission,
        settings: ProvenanceSettings,
        *,
        needs_links: bool = True,
    ) -> ProvenanceRun:
        if not task.kind.is_provenance:
            raise UsageError(
                f"The task {task.name} has no provenance graphs",
                where=task.root,
                hint="choose a provenance or filtering task",
            )
        log = ProblemLog(submission.problems)
        _tell_variation(task, submission, log)
        listed = list_trials(
            task,
            submission,
            rules=settings.rules,
            log=log,
            leave_out_unprocessed=settings.leave_out_unprocessed,
        )
        selections = select(listed, settings)
        reader = ProvenanceReader(
            task, submission, rules=settings.rules, log=log, needs_links=needs_links
        )
        chosen = tuple(trial for trial in listed if trial in selections.trials)
        return cls(chosen, selections, reader, log)


def variation_in_words(task: Task) -> str:
    """What a system chose from (NC2017 and MFC2019 plans, 2.1.4): the world, or a pool."""
    variation = variation_of(task)
    return "" if variation is None else variation.value


def _tell_variation(task: Task, submission: Submission, log: ProblemLog) -> None:
    """Tell where a submission is called one variation and the task is another."""
    own, named = variation_of(task), variation_named(submission.name)
    if own is None or named is None or own.is_oracle == named.is_oracle:
        return
    log.warn(
        f"The name of the submission says {named.value}, but the task is {own.value}",
        where=submission.name,
        hint="name the pool with --pool" if named.is_oracle else "score it without the pool",
        rule="provenance.variation",
    )
