"""Checks whether a submission follows the rules of its evaluation."""

from __future__ import annotations

import codecs
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from forensicviewer.app.report.score_output import pipe_separated
from forensicviewer.app.runtime.atomic import write_atomically
from forensicviewer.app.validation.documents import check_documents
from forensicviewer.app.validation.finding import Finding, Findings
from forensicviewer.app.validation.genai import check_output
from forensicviewer.app.validation.intervals import (
    STRICT_INTERVALS,
    IntervalTolerance,
    check_intervals,
    frame_counts,
    sample_counts,
)
from forensicviewer.app.validation.maps import check_maps
from forensicviewer.app.validation.masks import WrongSize, check_masks, ignore_progress
from forensicviewer.app.validation.names import check_name
from forensicviewer.app.validation.plan import check_by_plan
from forensicviewer.app.validation.profile import (
    Profile,
    RuleFamily,
    detect_family,
    family_of,
    plan_profile,
    profile_for,
)
from forensicviewer.app.validation.rows import Key, check_columns, check_rows, keys_of
from forensicviewer.app.validation.sections import section_of
from forensicviewer.app.validation.video_masks import check_video_masks
from forensicviewer.core.genai import OUTPUT_COLUMNS
from forensicviewer.core.model import Submission, Task, TaskKind
from forensicviewer.core.problem import Severity
from forensicviewer.core.progress import Progress
from forensicviewer.core.table.text_table import Table

__all__ = [
    "Finding",
    "IntervalTolerance",
    "RuleFamily",
    "Validation",
    "ValidationOptions",
    "rejection",
    "validate",
]


@dataclass(frozen=True, slots=True)
class ValidationOptions:
    """What is checked, and how strictly.

    ``family`` is recognised by the table's columns unless given. ``ncid`` is the
    evaluation's short name, required in a submission's name. ``targets_only`` skips the masks
    of non-targets.
    """

    family: RuleFamily | None = None
    names: bool = False
    ncid: str | None = None
    masks: bool = True
    targets_only: bool = False
    skip_opted_out: bool = False
    strict: bool = False
    tolerance: IntervalTolerance = STRICT_INTERVALS


@dataclass(frozen=True, slots=True)
class Validation:
    """The verdict on one submission and everything that led to it.

    What cannot even be opened has neither a task nor rules.
    """

    submission: str
    task: str | None
    family: RuleFamily | None
    findings: tuple[Finding, ...]
    revised: str | None = None

    @property
    def is_accepted(self) -> bool:
        return not any(finding.severity is Severity.ERROR for finding in self.findings)

    def write_revised(self, path: Path) -> bool:
        """Write the table with masks of the wrong size marked as failed, if there are any."""
        if self.revised is None:
            return False
        write_atomically(path, self.revised)
        return True


def validate(
    task: Task,
    submission: Submission,
    options: ValidationOptions,
    *,
    progress: Progress = ignore_progress,
) -> Validation:
    """Check a submission against a task's index."""
    if task.kind is TaskKind.GENAI:
        return _validate_genai(task, submission, options)
    if task.kind is TaskKind.IMDL:
        return _validate_maps(task, submission, options, progress)
    profile = _profile(task, submission, options.family)
    findings = Findings(submission.table.name)
    if options.names or profile.by_plan:
        check_name(_table_path(submission), profile, findings, ncid=options.ncid)
    wrong: list[WrongSize] = []
    _pass_on(submission, findings)
    _check_text(submission, profile.required, findings)
    if check_columns(submission.table, profile, findings):
        check_rows(submission.table, _index_of(task, profile), profile, findings)
        wrong = _check_files(
            task, submission, profile, findings, options=options, progress=progress
        )
    if profile.by_plan:
        check_by_plan(submission, profile, findings, condition=task.condition)
    return Validation(
        submission=submission.name,
        task=task.name,
        family=RuleFamily.PLAN if profile.by_plan else profile.family,
        findings=tuple(_cited(one, profile) for one in _as_strict(findings, strict=options.strict)),
        revised=_revised(submission, wrong) if wrong else None,
    )


def _check_files(
    task: Task,
    submission: Submission,
    profile: Profile,
    findings: Findings,
    *,
    options: ValidationOptions,
    progress: Progress,
) -> list[WrongSize]:
    """Check the files that rows name; return the masks of the wrong size."""
    wrong: list[WrongSize] = []
    if profile.masks and options.masks:
        wrong = check_masks(
            submission.table,
            _index_of(task, profile),
            profile,
            findings,
            root=Path(submission.root),
            only=_targets(task, profile) if options.targets_only else None,
            progress=progress,
        )
    if profile.intervals:
        _check_video(task, submission, profile, findings, options=options, progress=progress)
    if profile.documents:
        check_documents(
            submission, profile, findings, task=task, skip_opted_out=options.skip_opted_out
        )
    return wrong


def _profile(task: Task, submission: Submission, family: RuleFamily | None) -> Profile:
    if family is RuleFamily.PLAN:
        return plan_profile(task.kind, family_of(task.edition, submission.table))
    return profile_for(task.kind, family or detect_family(submission.table))


def _cited(finding: Finding, profile: Profile) -> Finding:
    return (
        replace(finding, section=section_of(finding.rule, profile)) if profile.by_plan else finding
    )


def _check_video(
    task: Task,
    submission: Submission,
    profile: Profile,
    findings: Findings,
    *,
    options: ValidationOptions,
    progress: Progress,
) -> None:
    """The intervals, and the masks of frames."""
    counts = frame_counts(task, findings)
    check_intervals(
        submission.table,
        counts,
        profile,
        findings,
        tolerance=options.tolerance,
        sample_counts=sample_counts(task, submission.table) if profile.by_plan else {},
    )
    if options.masks:
        check_video_masks(
            submission.table,
            task.table,
            profile,
            findings,
            root=Path(submission.root),
            frame_counts=counts,
            progress=progress,
        )


def _validate_maps(
    task: Task, submission: Submission, options: ValidationOptions, progress: Progress
) -> Validation:
    findings = Findings(submission.table.name)
    for problem in submission.problems:
        findings.add(
            Finding(
                problem.rule, problem.severity, problem.message, problem.where, hint=problem.hint
            )
        )
    if options.masks:
        check_maps(task, submission, findings, progress=progress)
    found = _as_strict(findings, strict=options.strict)
    return Validation(submission.name, task.name, None, found)


def _validate_genai(task: Task, submission: Submission, options: ValidationOptions) -> Validation:
    findings = Findings(submission.table.name)
    _pass_on(submission, findings)
    _check_text(submission, OUTPUT_COLUMNS, findings)
    check_output(task, submission, findings)
    listed = _as_strict(findings, strict=options.strict)
    return Validation(submission.name, task.name, RuleFamily.GENAI, listed)


def rejection(submission: str, *, rule: str, message: str, where: str, hint: str) -> Validation:
    """The verdict on something that cannot even be opened as a submission."""
    finding = Finding(rule, Severity.ERROR, message, where, hint=hint)
    return Validation(submission, None, None, (finding,))


def _index_of(task: Task, profile: Profile) -> Table:
    """The index as read; for the column names of 2016, the trials made from it."""
    if task.index is not None and all(key in task.index for key in profile.keys):
        return task.index
    return task.table


def _table_path(submission: Submission) -> Path:
    return Path(submission.root) / Path(submission.table.name).name


def _pass_on(submission: Submission, findings: Findings) -> None:
    """Repeat the findings of reading: about the table as text, and about its archive."""
    for problem in submission.problems:
        if not problem.rule.startswith(("table.", "archive.")):
            continue
        file, _, row = problem.where.rpartition(":")
        is_row = file == findings.file and row.isdecimal()
        findings.add(
            Finding(
                problem.rule,
                problem.severity,
                problem.message,
                file if is_row else problem.where,
                row=int(row) if is_row else None,
                hint=problem.hint,
            )
        )


def _check_text(submission: Submission, columns: Sequence[str], findings: Findings) -> None:
    """Report what NIST's programs reject, although it is readable: encoding, separator, old id."""
    path = _table_path(submission)
    if not path.is_file():
        return
    with path.open("rb") as stream:
        header = stream.readline(1 << 16)
    if header.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        findings.error(
            "table.encoding",
            "The table is written in UTF-16",
            row=1,
            expected="UTF-8",
            hint="save the table as UTF-8; NIST's programs read only UTF-8",
        )
    elif b"ProbeFileID" not in header and "ProbeFileID" in submission.table:
        findings.error(
            "columns.required",
            "The required column ProbeFileID is missing",
            row=1,
            expected="|".join(columns),
            hint="rename the column FileID to ProbeFileID",
        )
    if b"|" not in header:
        findings.error(
            "table.separator",
            "The columns are not separated by |",
            row=1,
            expected="|".join(columns),
            hint="write the table with | between the columns",
        )


def _targets(task: Task, profile: Profile) -> Collection[Key]:
    if task.reference is None or "IsTarget" not in task.reference:
        return set(keys_of(task.table, profile.keys))
    flags = task.reference["IsTarget"]
    return {
        key
        for key, flag in zip(keys_of(task.reference, profile.keys), flags, strict=True)
        if flag == "Y"
    }


def _as_strict(findings: Findings, *, strict: bool) -> tuple[Finding, ...]:
    if not strict:
        return tuple(findings)
    return tuple(
        replace(finding, severity=Severity.ERROR)
        if finding.severity is Severity.WARNING
        else finding
        for finding in findings
    )


def _revised(submission: Submission, wrong: list[WrongSize]) -> str:
    table = submission.table
    rows = [list(table.row(row).values()) for row in range(len(table))]
    for item in wrong:
        status = item.mask.status if item.mask.status in table else "IsOptOut"
        if status in table:
            rows[item.row][table.names.index(status)] = "FailedValidation"
    return pipe_separated(table.names, rows)
