"""Checks of the provenance documents a submission names, against NIST's schemas."""

from __future__ import annotations

from pathlib import Path

from forensicviewer.app.validation.finding import Findings
from forensicviewer.app.validation.profile import Profile
from forensicviewer.core.model import Submission, TaskKind
from forensicviewer.core.problem import CodecError, Problem, ProblemLog, Severity, UnsafePathError
from forensicviewer.sources.files.paths import resolve
from forensicviewer.sources.tables.provenance_documents import read_system_graph

_OPTED_OUT = ("NonProcessed", "OptOut")


_REMEDY = {
    TaskKind.PROVENANCE: "write nodes (id, file, nodeConfidenceScore) and links (source, target, "
    "relationshipConfidenceScore); rankings without links are checked with --task filtering",
    TaskKind.FILTERING: "write nodes with id, file and nodeConfidenceScore",
}


def check_documents(
    submission: Submission, profile: Profile, findings: Findings, *, skip_opted_out: bool
) -> None:
    """Read every document that is named; graphs need links, rankings do not."""
    table = submission.table
    column = profile.documents
    assert column is not None
    for row, name in enumerate(table[column]):
        statuses = {table.cell(status, row) for status in profile.statuses}
        if not name.strip() or (skip_opted_out and statuses & set(_OPTED_OUT)):
            continue
        for problem in _problems_of(submission, name, profile):
            say = findings.error if problem.severity is Severity.ERROR else findings.warn
            say(
                problem.rule if problem.rule.startswith("document.") else "document.schema",
                f"{problem.where or name}: {problem.message}",
                row=table.line(row),
                expected="a document of NIST's provenance schema",
                hint=problem.hint or _remedy(problem, profile),
            )


def _remedy(problem: Problem, profile: Profile) -> str:
    if problem.rule == "document.readable":
        return "check the name in the table and that the file is complete JSON"
    return _REMEDY[profile.kind]


def _problems_of(submission: Submission, name: str, profile: Profile) -> tuple[Problem, ...]:
    log = ProblemLog()
    try:
        path = resolve(Path(submission.root), name)
        needs_links = profile.kind is TaskKind.PROVENANCE
        read_system_graph(path, name=name, log=log, needs_links=needs_links)
    except UnsafePathError as error:
        log.add(Problem(Severity.ERROR, error.message, name, error.hint, "document.path"))
    except CodecError as error:
        log.add(Problem(Severity.ERROR, error.message, name, error.hint, "document.readable"))
    return log.freeze()
