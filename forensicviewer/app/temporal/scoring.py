"""Scores temporal localisation: which frames and audio samples a system calls manipulated."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from forensicviewer.app.report.score_output import OutputTable, ScoreOutput
from forensicviewer.app.temporal.journal import journal_rows
from forensicviewer.app.temporal.trials import (
    COLUMNS,
    EVERYTHING,
    Extents,
    Stream,
    TemporalReader,
    TemporalSettings,
    TemporalTrial,
    has_intervals,
    no_extents,
)
from forensicviewer.core.array import Flags
from forensicviewer.core.model import Submission, Task
from forensicviewer.core.problem import ProblemLog, ScoringError, UsageError
from forensicviewer.core.query.grammar import parse
from forensicviewer.core.query.partition import partitions
from forensicviewer.core.rules import VERBATIM, RuleSet
from forensicviewer.core.rules import temporal as switches
from forensicviewer.core.table.text_table import Table
from forensicviewer.core.temporal import Measure, TemporalConfusion


@dataclass(frozen=True, slots=True)
class TemporalResult:
    """One probe under one query."""

    query: int
    trial: TemporalTrial
    confusion: TemporalConfusion
    mcc: float  # rounded


def score_temporal(
    task: Task,
    submission: Submission,
    settings: TemporalSettings,
    *,
    extents: Extents = no_extents,
) -> ScoreOutput:
    """Score every probe that has journal rows, for every query."""
    if settings.collar < 0:
        raise UsageError(
            "A collar cannot be negative", hint="state the number of frames on each side"
        )
    if settings.precision is not None and settings.precision < 1:
        raise UsageError("The precision must be at least one digit")
    _require_intervals(submission)
    log = ProblemLog(submission.problems)
    rows = journal_rows(task)
    settings = _with_partition(settings, rows, log)
    reader = TemporalReader(task, submission, settings, log, extents)
    video = score_stream(rows, reader, Stream.VIDEO)
    tables = [*_tables(video, settings, suffix=""), _query_table(settings.queries)]
    headline = {"MCC": _means(video, settings)[0], "probes": str(_probe_count(video))}
    if _scores_audio(rows, submission, settings):
        audio = score_stream(rows, reader, Stream.AUDIO)
        tables += _tables(audio, settings, suffix="_audio")
        headline["audio MCC"] = _means(audio, settings)[0]
    return ScoreOutput(
        scorer="temporal",
        tables=tuple(tables),
        headline=headline,
        settings=_settings_of(settings),
        problems=log.freeze(),
    )


def _require_intervals(submission: Submission) -> None:
    """Answers to another task would all be scored as finding nothing."""
    if not has_intervals(submission):
        names = [columns.system for columns in COLUMNS.values()]
        raise ScoringError(
            "The submission has no intervals",
            where=submission.table.name,
            hint=f"it needs a column {' or '.join(names)}",
            rule="temporal-no-intervals",
        )


def _with_partition(settings: TemporalSettings, rows: Table, log: ProblemLog) -> TemporalSettings:
    """The settings with one query for every part of the partition, where there is one."""
    if not settings.partition:
        return settings
    found = partitions(
        settings.partition,
        columns=rows.names,
        knows_greater=True,
        verbatim=settings.rules.name == VERBATIM.name,
    )
    for term in found.ignored:
        log.warn(f"The term {term!r} of the partition has no effect", rule="temporal-query")
    parts = tuple(part.query for part in found.parts)
    listed = settings.queries if settings.queries != (EVERYTHING,) else ()
    return replace(settings, queries=(*listed, *parts))


def score_stream(rows: Table, reader: TemporalReader, stream: Stream) -> list[TemporalResult]:
    """The outcome of every probe of these journal rows, query by query."""
    results: list[TemporalResult] = []
    measure = reader.settings.measure
    for number, query in enumerate(reader.settings.queries):
        chosen = selection(rows, query, reader.settings.rules)
        if not chosen.any():
            reader.log.warn(f"The query selects no operation: {query}", rule="temporal-query")
        for probe, (selected, others) in _by_probe(rows, chosen).items():
            trial = reader.trial(probe, stream, selected=selected, others=others)
            if trial is not None:
                confusion = trial.confusion(measure)
                mcc = reader.settings.rounded(confusion.mcc)
                results.append(TemporalResult(number, trial, confusion, mcc))
    if stream is Stream.VIDEO and _lacks_order(results, len(reader.settings.queries)):
        reader.note_stop("several queries of probes that are not listed in order")
    return results


def _lacks_order(results: Iterable[TemporalResult], queries: int) -> bool:
    """Whether NIST's program cannot look up its results, which must be sorted for that.

    They need not be where every query has the same probes.
    """
    scored: list[list[str]] = [[] for _ in range(queries)]
    for result in results:
        scored[result.query].append(result.trial.probe)
    return any(probes != scored[0] for probes in scored) and any(map(_is_unsorted, scored))


def _is_unsorted(probes: Sequence[str]) -> bool:
    keys = [int(probe) for probe in probes] if all(map(str.isdigit, probes)) else probes
    return list(keys) != sorted(keys)


def selection(rows: Table, query: str, rules: RuleSet) -> Flags:
    """Which journal rows a query selects; ``*`` selects all."""
    if query.strip() == EVERYTHING:
        return np.ones(len(rows), dtype=bool)
    if rules.chooses(switches.QueryCells.APART):
        return parse(query).matches(rows)
    columns = {name: rows[name].typed_as_pandas(blanks_are_gaps=True) for name in rows.names}
    return parse(query).matches_verbatim(columns)


def _by_probe(rows: Table, chosen: Flags) -> dict[str, tuple[Table, Table]]:
    """(selected rows, other rows) of every probe with a selected row, in table order."""
    selected: dict[str, list[int]] = {}
    others: dict[str, list[int]] = {}
    for row, (probe, is_chosen) in enumerate(zip(rows["ProbeFileID"], chosen, strict=True)):
        (selected if is_chosen else others).setdefault(probe, []).append(row)
    return {
        probe: (_taken(rows, listed), _taken(rows, others.get(probe, [])))
        for probe, listed in selected.items()
    }


def _taken(rows: Table, listed: Sequence[int]) -> Table:
    return rows.take(np.array(listed, dtype=np.intp))


def _scores_audio(rows: Table, submission: Submission, settings: TemporalSettings) -> bool:
    """Whether sound is scored: the rules say so, and somebody says something about it."""
    if settings.rules.chooses(switches.Audio.IGNORED):
        return False
    columns = COLUMNS[Stream.AUDIO]
    names = (*columns.reference, columns.times)
    cells: list[Iterable[str]] = [rows[name] for name in names if name is not None and name in rows]
    if columns.system in submission.table:
        cells.append(submission.table[columns.system])
    return any(cell.strip() not in ("", "[]") for column in cells for cell in column)


def _tables(
    results: Sequence[TemporalResult], settings: TemporalSettings, *, suffix: str
) -> list[OutputTable]:
    averages = tuple((str(i), mean) for i, mean in enumerate(_means(results, settings)))
    probes = tuple((str(each.query), each.trial.probe, _printed(each.mcc)) for each in results)
    return [
        OutputTable(f"scores{suffix}.csv", ("query", "MCC"), averages),
        OutputTable(f"scores{suffix}_probes.csv", ("query", "ProbeFileID", "MCC"), probes),
    ]


def _query_table(queries: Sequence[str]) -> OutputTable:
    rows = tuple((str(i), query) for i, query in enumerate(queries))
    return OutputTable("query_table_join.csv", ("id", "query"), rows)


def _means(results: Sequence[TemporalResult], settings: TemporalSettings) -> list[str]:
    """The mean of each query's rounded values; blank where it has none."""
    means = []
    for number in range(len(settings.queries)):
        values = [each.mcc for each in results if each.query == number]
        mean = math.fsum(values) / len(values) if values else None
        means.append("" if mean is None else _printed(settings.rounded(mean)))
    return means


def _printed(value: float) -> str:
    return repr(value + 0.0)  # the sum turns -0.0 into 0.0


def _probe_count(results: Sequence[TemporalResult]) -> int:
    return len({each.trial.probe for each in results})


def _settings_of(settings: TemporalSettings) -> dict[str, object]:
    return {
        "rules": settings.rules.label,
        "collar": settings.collar,
        "queries": list(settings.queries),
        "measure": "frames" if settings.measure is Measure.FRAMES else "line",
        "score_all": settings.score_all,
        "ignore_opt_out_segments": settings.ignore_opt_out_segments,
        "refuse_beyond_end": settings.refuse_beyond_end,
        "refuse_overlap": settings.refuse_overlap,
        "switches": settings.rules.choices(switches.SWITCHES),
    }
