"""The files, headline and curves of a detection run, as NIST's program names and shapes them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from forensicviewer.app.detection.scoring import (
    DetectionResult,
    DetectionRun,
    DetectionSettings,
    run_detection,
)
from forensicviewer.app.detection.trials import DetectionTrials, journal_meta
from forensicviewer.app.report.score_output import OutputTable, ScoreOutput
from forensicviewer.app.report.svg_figure import Curve, Figure, NamedPoint, det_figure, roc_figure
from forensicviewer.core.detection import BrierScores
from forensicviewer.core.model import Submission, Task
from forensicviewer.core.progress import Progress
from forensicviewer.core.rules import RULE_SETS
from forensicviewer.core.rules.detection import SWITCHES
from forensicviewer.core.table.text_table import Table

DECIMALS = 6

_COLUMNS = (
    *("TRR", "SYS_RESPONSE", "AUC", "EER", "FAR_STOP", "AUC@FAR", "CDR@FAR", "CI_LEVEL"),
    *("AUC_CI_LOWER", "AUC_CI_UPPER", "AUC_CI_LOWER@FAR", "AUC_CI_UPPER@FAR"),
    *("CDR_CI_LOWER@FAR", "CDR_CI_UPPER@FAR"),
)
_MORE_COLUMNS = ("TARGETS", "NONTARGETS", "D_PRIME", "BRIER", "BRIER_T", "BRIER_N")


def score_detection(
    task: Task,
    submission: Submission,
    settings: DetectionSettings,
    *,
    progress: Progress | None = None,
) -> ScoreOutput:
    """NIST's report tables of a detection run."""
    return detection_output(run_detection(task, submission, settings, progress=progress))


def detection_output(run: DetectionRun) -> ScoreOutput:
    """The files of a run, its headline and its settings."""
    settings = run.settings
    return ScoreOutput(
        scorer="detection",
        tables=tuple(_tables(run)),
        headline=detection_headline(run),
        settings={
            "rules": settings.rules.label,
            "switches": settings.rules.choices(SWITCHES),
            "queries": list(settings.queries),
            "query-manipulation": list(settings.manipulation_queries),
            "query-partition": settings.partition,
            "opt-out": settings.opt_out,
            "far-stop": settings.stop,
            "ci": settings.with_intervals,
            "ci-level": settings.level,
            "precision": settings.precision,
            **({} if run.condition is None else {"training-testing": str(run.condition)}),
        },
        problems=run.log.freeze(),
    )


def detection_headline(run: DetectionRun) -> dict[str, str]:
    """The numbers a person wants to see first."""
    settings = run.settings
    if len(run.results) != 1:
        return {
            f"{number} {result.name} AUC": _printed(result.curve.auc, settings)
            for number, result in enumerate(run.results)
        }
    result = run.results[0]
    brier = BrierScores.of(result.trials)
    stop = f"{100 * settings.stop:g} %"
    numbers = {
        "AUC": result.curve.auc,
        "EER": result.curve.eer,
        f"AUC at FAR {stop}": result.curve.partial_auc(settings.stop),
        f"CDR at FAR {stop}": result.curve.cdr_at(settings.stop),
        "d′": result.curve.d_prime(),  # noqa: RUF001 - the prime the metric is named after
        "Brier": brier.overall,
        "BrierT": brier.targets,
        "BrierN": brier.nontargets,
        "TRR": result.response_rate,
    }
    printed = {name: _printed(value, settings) for name, value in numbers.items()}
    targets, nontargets = result.trials.target_count, result.trials.nontarget_count
    counted = f"{len(result.trials)} (targets {targets}, non-targets {nontargets})"
    return {**printed, "trials": counted}


def headlines_by_rules(
    task: Task, submission: Submission, settings: DetectionSettings
) -> dict[str, dict[str, str]]:
    """The headline under each rule set, for those who wonder what the rules change."""
    quick = replace(settings, with_intervals=False)
    return {
        rules.name: detection_headline(run_detection(task, submission, replace(quick, rules=rules)))
        for rules in RULE_SETS
    }


def detection_figures(run: DetectionRun) -> tuple[Figure, ...]:
    """ROC and DET of every line of the report."""
    drawn = [result for result in run.results if result.trials.has_both_classes]
    if not drawn:
        return ()
    single = len(drawn) == 1
    # NIST's name for numbers over the trials a system answered.
    kind = "tr" if run.settings.opt_out else ""
    roc = [
        Curve(
            f"{result.name} ({kind}AUC {result.curve.auc:.3f})",
            ((0.0, 0.0), *_points(result.curve.far, result.curve.cdr)),
        )
        for result in drawn
    ]
    det = [
        Curve(
            f"{result.name} ({kind}EER {result.curve.eer:.3f})",
            _points(result.curve.far, result.curve.miss),
        )
        for result in drawn
    ]
    stop, curve = run.settings.stop, drawn[0].curve
    at_stop = NamedPoint(
        f"{curve.cdr_at(stop):.3f} at {100 * stop:g} %", (stop, curve.cdr_at(stop))
    )
    at_eer = NamedPoint(f"EER {curve.eer:.3f}", (curve.eer, curve.eer))
    return (
        roc_figure(roc, marks=[at_stop] if single else []),
        det_figure(det, marks=[at_eer] if single else []),
    )


def _points(x: Iterable[float], y: Iterable[float]) -> tuple[tuple[float, float], ...]:
    return tuple((float(a), float(b)) for a, b in zip(x, y, strict=True))


def _tables(run: DetectionRun) -> list[OutputTable]:
    settings = run.settings
    by_query = bool(settings.queries or settings.manipulation_queries)
    tables = []
    if by_query:
        for number, result in enumerate(run.results):
            row = (result.query or "", *_row(result, settings))
            tables.append(OutputTable(f"query_{number}_report.csv", ("QUERY", *_COLUMNS), (row,)))
    else:
        rows = tuple((*result.labels, *_row(result, settings)) for result in run.results)
        tables.append(OutputTable("report.csv", (*run.factors, *_COLUMNS), rows))
    tables.append(_more_metrics(run))
    return tables + (_meta_tables(run) if settings.dumps_meta else [])


def _row(result: DetectionResult, settings: DetectionSettings) -> tuple[str, ...]:
    curve, intervals = result.curve, result.intervals
    numbers = [
        *(curve.auc, curve.eer, settings.stop),
        *(curve.partial_auc(settings.stop), curve.cdr_at(settings.stop), settings.level),
        *(intervals.auc.lower, intervals.auc.upper),
        *(intervals.partial_auc.lower, intervals.partial_auc.upper),
        *(intervals.cdr.lower, intervals.cdr.upper),
    ]
    response = "tr" if settings.opt_out else "all"
    cells = [_printed(number, settings) for number in numbers]
    return (_printed(result.response_rate, settings), response, *cells)


def _more_metrics(run: DetectionRun) -> OutputTable:
    """What NIST's report has no column for."""
    rows = []
    for result in run.results:
        brier = BrierScores.of(result.trials)
        counts = (str(result.trials.target_count), str(result.trials.nontarget_count))
        numbers = (result.curve.d_prime(), brier.overall, brier.targets, brier.nontargets)
        printed = (_printed(number, run.settings) for number in numbers)
        rows.append((result.query or "", *counts, *printed))
    return OutputTable("more_metrics.csv", ("QUERY", *_MORE_COLUMNS), tuple(rows))


def _meta_tables(run: DetectionRun) -> list[OutputTable]:
    trials, whole = run.all_trials, run.results[0]
    joined = []
    if whole.query is None:
        joined = [_meta("allmeta.csv", journal_meta(trials, whole.selection.rows), trials)]
    return [*joined, *scored_trials(run)]


def scored_trials(run: DetectionRun) -> list[OutputTable]:
    """The cells of the trials that were scored: one table, or one for each query or part."""
    trials, whole = run.all_trials, run.results[0]
    if whole.query is None:
        return [_meta("meta_scored.csv", whole.selection.meta, trials)]
    return [
        _meta(f"query_{number}_allmeta.csv", result.selection.meta, trials)
        for number, result in enumerate(run.results)
    ]


def _meta(name: str, table: Table, trials: DetectionTrials) -> OutputTable:
    columns = [column.printed() for column in trials.typed_as_pandas(table).values()]
    return OutputTable(name, table.names, tuple(zip(*columns, strict=True)))


def _printed(number: float, settings: DetectionSettings) -> str:
    """A number as the files hold it; blank when it is none."""
    if math.isnan(number):
        return ""
    if isinstance(number, int):
        return str(number)
    if settings.precision is not None:
        return repr(float(f"{number:.{settings.precision}g}"))
    return repr(float(np.round(number, DECIMALS)))
