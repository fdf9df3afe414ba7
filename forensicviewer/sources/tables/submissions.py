"""Reads what a system submitted: a folder, a bare table or an archive of either."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path

import numpy as np

from forensicviewer.core import genai
from forensicviewer.core.array import Rows
from forensicviewer.core.cached import cached_property
from forensicviewer.core.key_index import KeyIndex, repeated_rows
from forensicviewer.core.model import (
    Answer,
    Status,
    Submission,
    TaskKind,
    TrialId,
    key_columns,
    trial_id,
)
from forensicviewer.core.problem import CodecError, ProblemLog, SubmissionError
from forensicviewer.core.progress import Progress
from forensicviewer.core.table.text_table import Table
from forensicviewer.core.temporal import Intervals, parse_intervals
from forensicviewer.sources.tables.file_names import report_unsafe_names
from forensicviewer.sources.tables.genai_output import (
    GenAIAnswers,
    identity_of,
    parse_confidence,
    tidied,
)
from forensicviewer.sources.tables.packages import locate
from forensicviewer.sources.tables.separated_text import NAMED_ROWS, read_table

# NC2016's plan has the words in another order than every later year; its test data and its
# Appendix C abbreviate.
_MASKS = (
    "OutputProbeMaskFileName",
    "ProbeOutputMaskFileName",
    "OutputProbeMaskFName",
    "OutputMaskFName",
    "MaskFName",
)
_DONOR_MASKS = ("OutputDonorMaskFileName", "DonorOutputMaskFileName", "OutputDonorMaskFName")
_STATUSES = ("ProbeStatus", "ProvenanceProbeStatus", "IsOptOut")
_ID_SPELLINGS = {"FileID": "ProbeFileID", "Fileid": "ProbeFileID"}

_STATUS_WORDS: Mapping[str, Status] = {
    **{status.value.lower(): status for status in Status},
    # IsOptOut of NC2017, and the short word of the event and provenance tasks.
    "y": Status.OPT_OUT_ALL,
    "n": Status.PROCESSED,
    "detection": Status.OPT_OUT_DETECTION,
    "localization": Status.OPT_OUT_LOCALIZATION,
    "optout": Status.OPT_OUT_ALL,
}


def read_submission(
    path: Path, *, kind: TaskKind | None, progress: Progress | None = None
) -> Submission:
    """Open a submission; ``kind`` is the task it answers, guessed from its columns when unknown.

    ``progress`` counts megabytes of an archive while it is unpacked.
    """
    log = ProblemLog()
    root, table_path = locate(path, log=log, progress=progress)
    try:
        table = read_table(table_path, name=table_path.name, log=log)
    except CodecError as error:
        raise SubmissionError(
            error.message, where=path, hint=error.hint, rule=error.rule
        ) from error
    name = table_path.stem
    if _is_genai(table, name, kind):
        return _genai_output(path, root, tidied(table), name, log)
    table = _respelled(table)
    answered = kind_of_submission(table, name) if kind in (None, TaskKind.GENAI) else kind
    return Submission(
        root=root,
        origin=path,
        name=name,
        table=table,
        answers=_answers(table, answered, log=log),
        kind=answered,
        identity=parse_identity(name),
        description=_description(root, name),
        problems=log.freeze(),
    )


def _description(root: Path, name: str) -> str:
    """The name of the system description beside the table, named like the table."""
    path = root / f"{name}.txt"
    return path.name if path.is_file() and not path.is_symlink() else ""


def _is_genai(table: Table, name: str, kind: TaskKind | None) -> bool:
    """Whether a table answers a GenAI task: by its columns and, if these match, by the task."""
    as_asked = "genai" if kind is TaskKind.GENAI else ""
    return genai.is_output(table.names, name=name + as_asked)


def _genai_output(path: Path, root: Path, table: Table, name: str, log: ProblemLog) -> Submission:
    _report_repeats(table, (genai.FILE,), log=log)
    _check_column(table, genai.SCORE, rule="submission.confidence", log=log)
    # Of GenAI's archives only the content counts (5.2.2), not what they are called.
    problems = tuple(problem for problem in log if problem.rule != "submission.name")
    return Submission(
        root=root,
        origin=path,
        name=name,
        table=table,
        answers=GenAIAnswers(table),
        kind=TaskKind.GENAI,
        identity=identity_of(table, name),
        problems=problems,
    )


def kind_of_submission(table: Table, name: str) -> TaskKind:
    """The task a submission answers, by its columns and then by its name."""
    if "ProvenanceProbeFileID" in table:
        filtering = "filtering" in name.lower()
        return TaskKind.FILTERING if filtering else TaskKind.PROVENANCE
    telling = {
        "DonorFileID": TaskKind.SPLICE,
        "TrainCamID": TaskKind.CAMERA,
        "EventName": TaskKind.EVENT,
        "VideoFrameSegments": TaskKind.VIDEO,
    }
    found = next((kind for column, kind in telling.items() if column in table), None)
    if found is not None:
        return found
    removal = "removal" in name.lower().split("_")
    return TaskKind.REMOVAL if removal else TaskKind.MANIPULATION


_CONDITIONS = {word.lower(): word for word in ("ImgOnly", "ImgMeta", "VidOnly", "VidMeta")}


def parse_identity(name: str) -> dict[str, str]:
    """The parts of an experiment's name, as far as it follows one of the years' rules.

    NC2016 TEAM_NC2016_TASK_CONDITION_SYSTEM_VERSION; NC2017 has the data after the evaluation;
    MFC2018 and MFC2019 SYSTEM_VERSION[_more], where the system begins with ``p-`` or ``c-``.
    """
    parts = name.split("_")
    system = next((i for i, part in enumerate(parts) if re.match(r"[pc]-", part)), None)
    if system is None or system + 1 >= len(parts):
        return {}
    identity = {"system": parts[system], "version": parts[system + 1]}
    experiment, more = _experiment(parts[:system]), parts[system + 2 :]
    # MFC2019 has four conditions (2.3) and no part of the name for them; some teams add it.
    condition = next((word for word in more if word.lower() in _CONDITIONS), "")
    if condition and "condition" not in experiment:
        experiment["condition"] = _CONDITIONS[condition.lower()]
    if more:
        identity["suffix"] = "_".join(more)
    return {**experiment, **identity}


def _experiment(parts: Sequence[str]) -> dict[str, str]:
    """The parts before the system's name; empty if the rules of neither year match."""
    year = next((i for i, part in enumerate(parts) if _EVALUATION.fullmatch(part)), None)
    if year is None:
        return {}
    keys = _EXPERIMENT_PARTS.get(len(parts) - year, ())
    team = {"team": "_".join(parts[:year])} if year else {}
    return {**team, **dict(zip(keys, parts[year:], strict=False))}


_EXPERIMENT_PARTS: Mapping[int, tuple[str, ...]] = {
    3: ("evaluation", "task", "condition"),
    4: ("evaluation", "dataset", "task", "condition"),
}
_EVALUATION = re.compile(r"(NC|MFC)(20)?\d\d", flags=re.IGNORECASE)


class TableAnswers:
    """Answers over a submission's table (an :class:`~forensicviewer.core.model.Answers`)."""

    def __init__(self, table: Table, keys: Sequence[str]) -> None:
        self._table = table
        self._keys = keys
        self._mask = _present(table, _MASKS)
        self._donor_mask = _present(table, _DONOR_MASKS)
        self._status = _present(table, _STATUSES)

    def __len__(self) -> int:
        return len(self._table) if self._keys else 0

    def get(self, trial_id: TrialId) -> Answer | None:
        row = self._index.row_of(trial_id)
        return None if row is None else self._answer(row, trial_id)

    def rows_for(self, trial_ids: Sequence[TrialId]) -> Rows:
        return self._index.rows_of(trial_ids)

    @cached_property
    def _index(self) -> KeyIndex:
        return KeyIndex([self._table[name] for name in self._keys])

    def _answer(self, row: int, identifier: TrialId) -> Answer:
        facts = self._table.row(row)
        return Answer(
            trial_id=identifier,
            row=row,
            confidence=parse_confidence(facts.get("ConfidenceScore", "")),
            status=parse_status(facts.get(self._status, "")),
            mask=facts.get(self._mask, "").strip() or None,
            donor_mask=facts.get(self._donor_mask, "").strip() or None,
            opt_out_value=parse_pixel(facts.get("ProbeOptOutPixelValue", "")),
            donor_opt_out_value=parse_pixel(facts.get("DonorOptOutPixelValue", "")),
            facts=facts,
        )


def parse_status(cell: str) -> Status | None:
    """The status of a cell in the words of any year; ``None`` if blank or unknown."""
    return _STATUS_WORDS.get(cell.strip().lower())


def parse_pixel(cell: str) -> int | None:
    """A grey value from 0 to 255 that marks pixels the system does not answer for."""
    value = parse_confidence(cell)
    return int(value) if value is not None and value in range(256) else None


def _present(table: Table, names: Sequence[str]) -> str:
    return next((name for name in names if name in table), "")


def _respelled(table: Table) -> Table:
    """The table with the id column of the 2016 kick-off data renamed to its later name."""
    if "ProbeFileID" in table:
        return table
    columns = table.columns.items()
    return table.with_only({_ID_SPELLINGS.get(name, name): column for name, column in columns})


def _answers(table: Table, kind: TaskKind, *, log: ProblemLog) -> TableAnswers:
    keys = key_columns(kind)
    missing = [name for name in keys if name not in table]
    if missing:
        log.error(
            f"The submission has no column {' and no column '.join(missing)}",
            where=f"{table.name}:1",
            hint=_rename_hint(missing, table)
            or f"its answers cannot be matched with trials of task {kind.value}",
            rule="submission.column-missing",
        )
        return TableAnswers(table, ())
    _check_answer_columns(table, kind, log=log)
    _check_cells(table, keys, log=log)
    return TableAnswers(table, keys)


def _check_answer_columns(table: Table, kind: TaskKind, *, log: ProblemLog) -> None:
    answering = (*_MASKS, *_DONOR_MASKS, "VideoFrameSegments", "ProvenanceOutputFileName")
    if "ConfidenceScore" not in table and not any(name in table for name in answering):
        log.error(
            "The table contains no scores, masks, segments or graphs",
            where=f"{table.name}:1",
            hint=_rename_hint(["ConfidenceScore"], table)
            or "its columns are " + ", ".join(table.names[:6]),
            rule="submission.no-answers",
        )
    elif "ConfidenceScore" not in table and not kind.is_provenance:
        log.warn(
            "The submission has no column ConfidenceScore",
            where=f"{table.name}:1",
            hint=_rename_hint(["ConfidenceScore"], table) or "its detection cannot be scored",
            rule="submission.column-missing",
        )


def _rename_hint(missing: Sequence[str], table: Table) -> str:
    """A hint that names the columns that were probably meant."""
    by_lower = {name.lower(): name for name in table.names}
    near = [get_close_matches(name.lower(), by_lower, n=1, cutoff=0.75) for name in missing]
    return " and ".join(
        f"rename the column {by_lower[found[0]]} to {name}"
        for name, found in zip(missing, near, strict=True)
        if found
    )


def _report_repeats(table: Table, keys: Sequence[str], *, log: ProblemLog) -> None:
    for row in repeated_rows([table[name] for name in keys])[:NAMED_ROWS]:
        shown = trial_id(table.cell(name, int(row)) for name in keys)
        log.error(
            f"Trial {shown} is answered more than once",
            where=table.where(int(row)),
            hint="the first answer counts",
            rule="submission.id-twice",
        )


def _check_cells(table: Table, keys: Sequence[str], *, log: ProblemLog) -> None:
    _report_repeats(table, keys, log=log)
    report_unsafe_names(table, (*_MASKS, *_DONOR_MASKS, "ProvenanceOutputFileName"), log=log)
    _check_column(table, "ConfidenceScore", rule="submission.confidence", log=log)
    for name in (*_STATUSES, "DonorStatus"):
        _check_column(table, name, rule="submission.status", log=log)
    for name in ("ProbeOptOutPixelValue", "DonorOptOutPixelValue"):
        _check_column(table, name, rule="submission.opt-out-pixel", log=log)
    for name in ("VideoFrameSegments", "AudioSampleSegments", "VideoFrameOptOutSegments"):
        _check_column(table, name, rule="submission.segments", log=log)


def _check_column(table: Table, name: str, *, rule: str, log: ProblemLog) -> None:
    if name not in table:
        return
    parse, what, hint = _CELL_RULES[rule]
    codes, cells = table[name].numbered
    # Of a million scores only those are looked at that are not plainly numbers.
    numbers = cells.numbers()[0] if parse is parse_confidence else np.full(len(cells), np.nan)
    suspects = np.flatnonzero(np.isnan(numbers))
    wrong = np.zeros(len(cells), dtype=np.bool_)
    wrong[suspects] = [bool(cell.strip()) and parse(cell) is None for cell in cells.take(suspects)]
    if not wrong.any():
        return
    for row in np.flatnonzero(wrong[codes])[:NAMED_ROWS]:
        log.warn(
            f"{name} {_shown(table.cell(name, int(row)))} {what}",
            where=table.where(int(row)),
            hint=hint,
            rule=rule,
        )


def _shown(cell: str) -> str:
    return repr(cell if len(cell) <= 80 else cell[:79] + "…")


def _segments(cell: str) -> Intervals | None:
    try:
        return parse_intervals(cell)
    except CodecError:
        return None


_CELL_RULES: Mapping[str, tuple[Callable[[str], object], str, str]] = {
    "submission.segments": (
        _segments,
        "is not a list of intervals",
        "write pairs of whole numbers, as in [[1, 20], [40, 230]]",
    ),
    "submission.confidence": (
        parse_confidence,
        "is not a number",
        "give every trial a number, including opted-out trials",
    ),
    "submission.status": (
        parse_status,
        "is not a status of any evaluation",
        "use Y or N for IsOptOut, Processed or an OptOut word for statuses",
    ),
    "submission.opt-out-pixel": (
        parse_pixel,
        "is not a grey value from 0 to 255",
        "leave the cell blank if no pixel is opted out",
    ),
}
