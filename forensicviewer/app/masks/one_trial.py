"""The question of a single trial: the batch scorer's, asked about tables of one trial.

What the window shows of a trial and what ``score mask`` writes about it are decided by the same
functions over the same tables, cut down to the rows of that trial.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from forensicviewer.app.masks.image_count import CountJob
from forensicviewer.app.masks.journal import STEP, StepKey, read_journal
from forensicviewer.app.masks.question import (
    NO_REFERENCE,
    NOT_TARGET,
    JobT,
    Question,
)
from forensicviewer.app.masks.question_maker import QuestionMaker
from forensicviewer.app.masks.selection import Selection
from forensicviewer.app.masks.settings import MaskSettings
from forensicviewer.app.masks.trials import TrialRow, join_trials, sides_of
from forensicviewer.app.masks.video_count import VideoJob
from forensicviewer.core.model import Side, Submission, Task, Trial, key_columns
from forensicviewer.core.problem import ProblemLog
from forensicviewer.core.table.text_table import Table
from forensicviewer.sources.tables.submissions import TableAnswers


@dataclass(frozen=True, slots=True)
class OneTrial:
    """One trial between a task and a submission, as the batch scorer sees it."""

    maker: QuestionMaker
    row: TrialRow
    selection: Selection
    is_in_reference: bool

    @classmethod
    def of(
        cls,
        task: Task,
        trial: Trial,
        submission: Submission | None,
        settings: MaskSettings,
        *,
        selected: Collection[StepKey] | None,
        log: ProblemLog,
    ) -> OneTrial:
        """Without a submission every mask is omitted; ``selected`` operations, or all of them."""
        alone = narrowed(task, trial)
        is_in_reference = alone.reference is not None and len(alone.reference) > 0
        if not is_in_reference:
            alone = replace(alone, reference=task.table.cut([trial.row]))
        answers = _answers(task, trial, submission)
        journal = read_journal(alone)
        # What is odd about the tables was said when they were opened, and scoring them says it.
        trials = join_trials(alone, answers, settings, journal=journal, log=ProblemLog())
        rows = () if journal is None else journal.rows
        asked = tuple(selected is None or step.step in selected for step in rows)
        maker = QuestionMaker(task, answers, settings, journal, trials.statuses, log)
        return cls(maker, trials.rows[0], Selection(trials.rows, asked), is_in_reference)

    def images(self) -> Mapping[Side, Question[CountJob]]:
        """The question of each side of an image trial."""
        sides = sides_of(self.maker.task.kind)
        asked = {side: self.maker.ask(self.row, side, self.selection) for side in sides}
        return {side: self._checked(question) for side, question in asked.items()}

    def video(self) -> Question[VideoJob]:
        return self._checked(self.maker.ask_video(self.row, Side.PROBE, self.selection))

    def _checked(self, question: Question[JobT]) -> Question[JobT]:
        """Only targets of the reference are scored."""
        if not self.is_in_reference:
            return question.unscored(NO_REFERENCE)
        return question if self.row.is_target else question.unscored(NOT_TARGET)


def narrowed(task: Task, trial: Trial) -> Task:
    """The task with only the rows of one trial in its tables."""
    keys = {name: trial.facts.get(name, "") for name in key_columns(task.kind)}
    steps = None if task.probe_journals is None else _steps(task.probe_journals, trial)
    return replace(
        task,
        reference=None if task.reference is None else _scored_row(task.reference, keys),
        index=None if task.index is None else _listing(task.index, trial),
        probe_journals=steps,
        journal_masks=_described(task.journal_masks, steps),
    )


def _scored_row(reference: Table, cells: Mapping[str, str]) -> Table:
    """The row of the reference that is scored: of several the first target, as in the files."""
    rows = [int(row) for row in reference.rows_with(cells)]
    if len(rows) > 1 and "IsTarget" in reference:
        rows = [row for row in rows if reference.cell("IsTarget", row) == "Y"] or rows
    return reference.cut(rows[:1])


def _listing(index: Table, trial: Trial) -> Table:
    """The rows of the index that declare the sizes of the trial's files: the first of each."""
    columns = {"ProbeFileID": trial.probe.id}
    if trial.donor is not None:
        columns["DonorFileID"] = trial.donor.id
    rows = [index.rows_with({name: cell})[:1] for name, cell in columns.items()]
    return index.cut(sorted({int(row) for found in rows for row in found}))


def _steps(joins: Table, trial: Trial) -> Table:
    """The journal rows of a trial; of its probe where journals know no donors."""
    cells = {"ProbeFileID": trial.probe.id}
    if trial.donor is not None and "DonorFileID" in joins:
        cells["DonorFileID"] = trial.donor.id
    return joins.cut(joins.rows_with(cells))


def _described(masks: Table | None, steps: Table | None) -> Table | None:
    """What the journals say about some steps."""
    if masks is None or steps is None or any(n not in t for n in STEP for t in (masks, steps)):
        return masks
    wanted = dict.fromkeys(zip(*(steps[name] for name in STEP), strict=True))
    found = [masks.rows_with(dict(zip(STEP, step, strict=True))) for step in wanted]
    return masks.cut(sorted({int(row) for rows in found for row in rows}))


def _answers(task: Task, trial: Trial, submission: Submission | None) -> Submission:
    """The submission with only its answer to the trial, or an empty one."""
    keys = key_columns(task.kind)
    if submission is None or any(name not in submission.table for name in keys):
        nothing = Table.of("", dict.fromkeys(keys, ()))
        return Submission(task.root, task.root, "", nothing, TableAnswers(nothing, ()))
    answer = submission.answers.get(trial.id)
    rows = () if answer is None else (answer.row,)
    return replace(submission, table=submission.table.cut(rows))
