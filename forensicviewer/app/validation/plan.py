"""What the evaluation plans ask of a submission and NIST's programs do not check."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from forensicviewer.app.validation.description import PLAN_SECTIONS, check_description
from forensicviewer.app.validation.finding import Findings
from forensicviewer.app.validation.profile import Profile, RuleFamily
from forensicviewer.core.model import Submission, TaskKind, TrainTest
from forensicviewer.core.problem import UsageError
from forensicviewer.core.table.number_cell import number_in
from forensicviewer.core.table.text_table import Table

# Statuses with which a system says that it gives no score.
_WITHOUT_SCORE = frozenset({"NonProcessed", "OptOutAll", "OptOutDetection", "OptOut"})


def check_by_plan(
    submission: Submission,
    profile: Profile,
    findings: Findings,
    *,
    condition: TrainTest | None,
) -> None:
    """Everything that needs no file of the dataset."""
    table = submission.table
    if profile.family is RuleFamily.MFC:
        _check_zero_scores(table, profile, findings)
    if profile.family is RuleFamily.NC17:
        _check_lowest_scores(table, profile, findings)
    _check_mask_folder(table, profile, findings)
    _check_description(submission, profile, findings)
    if profile.kind is TaskKind.CAMERA and condition is not None:
        _check_condition(submission, condition, findings)


def _check_zero_scores(table: Table, profile: Profile, findings: Findings) -> None:
    """MFC2019, 2.2 and 5.1.1.3: without a response the score must be 0."""
    if "ProbeStatus" not in table or profile.score not in table:
        return
    for row, (status, cell) in enumerate(
        zip(table["ProbeStatus"], table[profile.score], strict=True)
    ):
        score = number_in(cell)
        if status in _WITHOUT_SCORE and score is not None and score != 0:
            findings.error(
                "score.opted-out",
                f"The confidence score of a trial with status {status} is {cell}",
                row=table.line(row),
                expected="0",
                hint="write 0 for trials that were not processed or whose detection was opted out",
            )


def _check_lowest_scores(table: Table, profile: Profile, findings: Findings) -> None:
    """NC2017, 2.1.1.2: opted-out trials have one score, below those of all processed ones."""
    if "IsOptOut" not in table or profile.score not in table or profile.kind.is_provenance:
        return
    rows = list(enumerate(zip(table["IsOptOut"], table[profile.score], strict=True)))
    scored = [(row, word, number_in(cell)) for row, (word, cell) in rows]
    out = [(row, score) for row, word, score in scored if word == "Y" and score is not None]
    processed = [score for _, word, score in scored if word == "N" and score is not None]
    if not out:
        return
    constant, lowest = out[0][1], min(processed, default=None)
    for row, score in out:
        if score != constant:
            said, expected = (
                "differs from that of the others",
                f"{constant:g}, as in the first of them",
            )
        elif lowest is not None and score >= lowest:
            said, expected = "is not below all others", f"less than {lowest:g}, the smallest one"
        else:
            continue
        findings.error(
            "score.opted-out",
            f"The confidence score {score:g} of an opted-out trial {said}",
            row=table.line(row),
            expected=expected,
            hint="give all opted-out trials the same score, lower than every other",
        )


def _check_mask_folder(table: Table, profile: Profile, findings: Findings) -> None:
    for mask in profile.sides:
        for row in range(len(table) if mask.name in table else 0):
            name = table.cell(mask.name, row)
            if not name.strip() or PurePosixPath(name).parent == PurePosixPath("mask"):
                continue
            findings.error(
                "mask.folder",
                f"The mask {name} is not in the folder mask",
                row=table.line(row),
                expected=f"mask/{PurePosixPath(name).name}",
                hint="put masks into the folder mask beside the table",
            )


def _check_description(submission: Submission, profile: Profile, findings: Findings) -> None:
    """The system description: NC2016 asks for one without saying what is in it."""
    is_2016 = profile.family is RuleFamily.NC16
    if not submission.description:
        say = findings.note if is_2016 else findings.error
        say(
            "description.missing",
            "There is no system description beside the table",
            expected=f"{submission.name}.txt",
            hint=f"write {submission.name}.txt and put it into the folder of the table",
        )
        return
    if is_2016:
        return
    path = Path(submission.root) / submission.description
    try:
        found = check_description(path, PLAN_SECTIONS)
    except (UsageError, OSError) as error:
        findings.error(
            "description.readable",
            f"The system description {path.name} cannot be read: {error}",
            hint="save it as text in UTF-8",
        )
        return
    for finding in found:
        findings.add(finding)


def _check_condition(submission: Submission, condition: TrainTest, findings: Findings) -> None:
    """MFC2019, 2.1.6: the condition "must be indicated", though the plan does not say where."""
    words = {condition.training.value, condition.testing.value}
    if all(word in submission.name.lower() for word in words):
        return
    findings.note(
        "camera.condition",
        f"The name does not state the training-testing condition {condition}",
        expected=f"{condition.training.value}-{condition.testing.value} among its optional parts",
        hint="state it when you submit; the plan does not define a place for it",
    )
