"""Checks of the provenance documents a submission names, against NIST's schemas."""

from __future__ import annotations

from pathlib import Path

from forensicviewer.app.validation.finding import Findings
from forensicviewer.app.validation.planned_answers import PlannedAnswers
from forensicviewer.app.validation.profile import Profile
from forensicviewer.core.graph.provenance import SystemGraph
from forensicviewer.core.model import Submission, Task, TaskKind
from forensicviewer.core.problem import CodecError, Problem, ProblemLog, Severity, UnsafePathError
from forensicviewer.sources.files.paths import resolve_inside
from forensicviewer.sources.tables.provenance_documents import read_system_graph

_OPTED_OUT = ("NonProcessed", "OptOut", "Y")


_REMEDY = {
    TaskKind.PROVENANCE: "write nodes (id, file, nodeConfidenceScore) and links (source, target, "
    "relationshipConfidenceScore); rankings without links are checked with --task filtering",
    TaskKind.FILTERING: "write nodes with id, file and nodeConfidenceScore",
}


def check_documents(
    submission: Submission,
    profile: Profile,
    findings: Findings,
    *,
    task: Task,
    skip_opted_out: bool,
) -> None:
    """Read every document that is named; graphs need links, rankings do not."""
    table = submission.table
    column = profile.documents
    assert column is not None
    plan = PlannedAnswers(task, profile, findings) if profile.by_plan else None
    for row, name in enumerate(table[column]):
        statuses = {table.cell(status, row) for status in profile.statuses}
        is_opted_out = bool(statuses & set(_OPTED_OUT))
        if plan is not None and not name.strip() and not is_opted_out:
            plan.miss_document(table.line(row))
        if not name.strip() or (skip_opted_out and is_opted_out):
            continue
        graph, problems = _read(submission, name, profile)
        if plan is not None and graph is not None:
            plan.check(
                graph, probe=table.cell(profile.keys[0], row), name=name, row=table.line(row)
            )
        for problem in problems:
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


def _read(
    submission: Submission, name: str, profile: Profile
) -> tuple[SystemGraph | None, tuple[Problem, ...]]:
    """The document as far as it can be read, and what is wrong with it."""
    log = ProblemLog()
    graph = None
    try:
        path = resolve_inside(Path(submission.root), name)
        needs_links = profile.kind is TaskKind.PROVENANCE
        graph = read_system_graph(path, name=name, log=log, needs_links=needs_links)
    except UnsafePathError as error:
        log.add(Problem(Severity.ERROR, error.message, name, error.hint, "document.path"))
    except CodecError as error:
        log.add(Problem(Severity.ERROR, error.message, name, error.hint, "document.readable"))
    return graph, log.freeze()
