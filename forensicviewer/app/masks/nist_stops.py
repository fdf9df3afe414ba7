"""Where NIST's program would end without a result: said in its own rule set, beside our numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from forensicviewer.app.masks.settings import MaskSettings
from forensicviewer.app.masks.tables import ScoredTrial
from forensicviewer.app.report.score_output import OutputTable
from forensicviewer.core.model import Side, Submission, Task, TaskKind, key_columns
from forensicviewer.core.problem import ProblemLog
from forensicviewer.core.rules import VERBATIM
from forensicviewer.core.table.text_table import Table


def note_stop(what: str, settings: MaskSettings, *, log: ProblemLog) -> None:
    """Say, where NIST's program is imitated, that it would have ended without a result."""
    if settings.rules.name == VERBATIM.name:
        log.note(f"NIST's program stops without a result at {what}", rule="mask-nist-stops")


def stops_of_tables(task: Task, submission: Submission, settings: MaskSettings) -> Iterator[str]:
    """What of the tables and options alone stops NIST's program."""
    if task.kind not in (TaskKind.MANIPULATION, TaskKind.SPLICE):
        yield f"the task {task.name}"
    is_splice, queries = task.kind.has_donor, settings.manipulation_queries
    if is_splice and queries and "Operation" in submission.table:
        yield "a query of manipulations if the submission has a column Operation"
    index, reference = task.index, task.reference
    if is_splice and reference is not None:
        keys = key_columns(task.kind)
        asked = _keys(reference, keys)
        if settings.index_filter and index is not None:
            asked &= _keys(index, keys)
        if _lacks_donor_status(asked, submission.table, keys):
            yield "a blank DonorStatus"
    if settings.index_filter and index is not None and reference is not None:
        column = "ProbeFileID"
        if column in index and column in reference and set(index[column]) - set(reference[column]):
            yield "an index filter if the reference lacks a probe of the index"


def _keys(table: Table, names: Sequence[str]) -> set[tuple[str, ...]]:
    return set(zip(*(table[name] for name in names), strict=True))


def _lacks_donor_status(asked: set[tuple[str, ...]], answers: Table, keys: Sequence[str]) -> bool:
    if not {"ProbeStatus", "DonorStatus"} <= set(answers.names):
        return False
    is_blank = answers["DonorStatus"].blank
    return not asked <= _keys(answers.filter(~is_blank), keys) or bool(
        asked & _keys(answers.filter(is_blank), keys)
    )


def stops_of_results(
    scored: Sequence[ScoredTrial], averages: Sequence[OutputTable], settings: MaskSettings
) -> Iterator[str]:
    """What of the trials and their averages stops NIST's program."""
    is_selecting = bool(settings.queries) or settings.partition is not None
    tasks = {trial.row.cells.get("TaskID") for trial in scored}
    if is_selecting and not tasks <= {"manipulation", "splice"}:
        yield f"a query of the task {sorted(map(str, tasks))}"
    for table in averages:
        if len(set(table.columns)) < len(table.columns):
            yield "a partition that names a column twice"
    if scored and len(scored[0].sides) > 1:
        yield from _stops_of_splices(scored, averages, settings)


def _stops_of_splices(
    scored: Sequence[ScoredTrial], averages: Sequence[OutputTable], settings: MaskSettings
) -> Iterator[str]:
    empty = [all(side.has_no_region for side in trial.sides.values()) for trial in scored]
    if settings.scored_only and any(empty):
        yield "splices without a region on either side, with --scored-only"
    if not averages:
        return
    if settings.queries and settings.threshold is not None:
        yield "queries of splices with a threshold"
    kinds = ("Optimum", *(("Maximum", "Actual") if settings.threshold is not None else ()))
    names = [f"{side.prefix}{kind}Threshold" for side in Side for kind in kinds]
    rows = [row for table in averages for row in table.records()]
    if any(not row.get(name, "") for row in rows for name in names):
        yield "splices without any threshold to average"
