"""The differences between the rule sets in scoring detection."""

from __future__ import annotations

from forensicviewer.core.rules import MEDISCORE, PLAN, VERBATIM, Switch


class Join(
    Switch,
    key="detection-join",
    title="The columns that join answers, reference and index",
    source="merging on all common columns; plans NC2017 and MFC2019, sections 3.5.1 and 4.1.1",
):
    KEY = (
        "key",
        "are those that identify the trial: probe, and donor, event or camera; other columns "
        "that submission and dataset share, such as TaskID or IsTarget, are ignored",
        MEDISCORE,
        PLAN,
    )
    COMMON = (
        "common",
        "are all columns the tables share, so a TaskID spelt differently, or an IsTarget "
        "column in the submission, drops trials",
        VERBATIM,
    )


class MissingScore(
    Switch,
    key="detection-missing-score",
    title="A trial without a score from the system",
    source="plan MFC2019, section 5.1.1.2; DetectionScorer, joining of reference and submission",
):
    MINIMUM = ("minimum", "gets the smallest score of the submission, and is reported", MEDISCORE)
    DROPPED = (
        "dropped",
        "is dropped silently, also from the response rate: NIST's code overwrites the whole "
        "row, which then matches no trial of the index",
        VERBATIM,
    )
    LOWEST = (
        "lowest",
        "counts like a trial that was not processed, as every trial must count",
        PLAN,
    )


class StatusScore(
    Switch,
    key="detection-status-score",
    title="The score of a trial that was not processed, opted out or failed validation",
    source="plan MFC2019, sections 2.2, 5.1.1.1 and 5.1.1.3; plan NC2017, section 2.1.1.2",
):
    AS_WRITTEN = ("as-written", "counts as the system wrote it", MEDISCORE, VERBATIM)
    LOWEST = (
        "lowest",
        "counts as 0 where the submission has ProbeStatus (MFC), and below every other"
        " score where it has IsOptOut (NC2017)",
        PLAN,
    )


class RepeatedTrials(
    Switch,
    key="detection-repeated-trials",
    title="A trial that is answered or listed more than once",
    source="DetectionScorer drops duplicates in query mode only",
):
    FIRST = ("first", "counts once, with its first row, and is reported", MEDISCORE, PLAN)
    ALL = ("all", "counts once per row without a query, and once with a query", VERBATIM)


class ResponseBase(
    Switch,
    key="detection-response-base",
    title="The trials that the response rate of a query is divided by",
    source="DetectionScorer passes the number of all trials to every partition",
):
    SELECTION = ("selection", "the trials the query selects", MEDISCORE, PLAN)
    EVERYTHING = (
        "everything",
        "all trials of the run, so a query without any opt-out has a response rate below 1",
        VERBATIM,
    )


class Responses(
    Switch,
    key="detection-responses",
    title="Which trials count as answered in the response rate",
    source="plan MFC2019, section 2.2; plan NC2017, section 2.1.1.2",
):
    SCORED = (
        "scored",
        "those that were scored: all of them without opt-out scoring, and NonProcessed"
        " and FailedValidation with it",
        MEDISCORE,
        VERBATIM,
    )
    PROCESSED = ("processed", "those whose status says that detection was performed", PLAN)


class OptOutTrials(
    Switch,
    key="detection-opt-out-trials",
    title="Which trials remain when opted-out trials are left out",
    source="plan MFC2019, section 2.2; plan NC2017, section 2.1.1.2",
):
    OPTED_IN = (
        "opted-in",
        "all that the system did not opt out of, including NonProcessed and FailedValidation",
        MEDISCORE,
        VERBATIM,
    )
    PROCESSED = (
        "processed",
        "those the system processed, as the response rate counts them",
        PLAN,
    )


class BothStatusColumns(
    Switch,
    key="detection-both-status-columns",
    title="A submission with both IsOptOut and ProbeStatus",
    source="DetectionScorer looks for IsOptOut first",
):
    PROBE_STATUS = ("probe-status", "opts out by ProbeStatus, as with masks", MEDISCORE, PLAN)
    IS_OPT_OUT = ("is-opt-out", "opts out by IsOptOut", VERBATIM)


class BlankStatus(
    Switch,
    key="detection-blank-status",
    title="An answer without a status, when opted-out trials are left out",
    source="DetectionScorer keeps the listed status words only",
):
    KEPT = ("kept", "is scored, and reported", MEDISCORE, PLAN)
    DROPPED = ("dropped", "is left out like an opted-out one", VERBATIM)


class OneClassResamples(
    Switch,
    key="detection-one-class-resamples",
    title="Resamples without targets or without non-targets in a confidence interval",
    source="detMetrics, the check is commented out",
):
    SKIPPED = ("skipped", "are skipped, as they do not have a curve", MEDISCORE, PLAN)
    KEPT = (
        "kept",
        "are kept, as 0 or NaN; where sorting puts NaN is undefined",
        VERBATIM,
    )


class OneClass(
    Switch,
    key="detection-one-class",
    title="The areas under the curve when there are no non-targets",
    source="detMetrics; NIST's own check file of such a run contains 0",
):
    ZERO = ("zero", "are printed as 0", MEDISCORE, VERBATIM)
    BLANK = ("blank", "are left blank, as there is no curve", PLAN)


class NearScores(
    Switch,
    key="detection-near-scores",
    title="Scores that differ by less than about 1e-8",
    source="scikit-learn 0.17.1 and 0.18 to 0.20, roc_curve",
):
    DISTINCT = ("distinct", "are different scores", MEDISCORE, VERBATIM, PLAN)
    MERGED = (
        "merged",
        "are one score, as in scikit-learn 0.17, the version that NIST's notes name",
    )


class CurveStart(
    Switch,
    key="detection-curve-start",
    title="The point of zero false alarms and zero detections at the start of the curve",
    source="roc_curve of scikit-learn; NIST's notes name 0.17.1",
):
    IF_NEEDED = (
        "if-needed",
        "is added only if the highest score has false alarms, so the rate at a false alarm "
        "stop of 0 is what the highest scores detect",
        MEDISCORE,
        VERBATIM,
        PLAN,
    )
    ALWAYS = (
        "always",
        "is always added, as in scikit-learn from 0.20 on, so the rate at a false alarm stop "
        "of 0 is 0",
    )


class ScoreRange(
    Switch,
    key="detection-score-range",
    title="A confidence score below 0 or above 1",
    source="plan MFC2019, sections 2.1.1 (footnote 1), 5.1.1.1 and 5.1.1.2",
):
    ANY = ("any", "is used like any other score", MEDISCORE, VERBATIM)
    REPORTED = (
        "reported",
        "is used, and reported as outside the range of MFC2018 and MFC2019",
        PLAN,
    )


class FarStop(
    Switch,
    key="detection-far-stop",
    title="The false alarm rate of AUC@FAR and CDR@FAR when none is given",
    source="plan MFC2019, sections 2.1.1 and 6.1.3; plan NC2017, Appendix D",
):
    TEN_PERCENT = ("ten-percent", "10 %", MEDISCORE, VERBATIM)
    BY_EDITION = (
        "by-edition",
        "is 5 % for MFC2018 and MFC2019, and 100 % for NC2016 and NC2017, whose plans use "
        "the area under the whole curve",
        PLAN,
    )


class PartialArea(
    Switch,
    key="detection-partial-area",
    title="The area up to the false alarm stop",
    source="plan MFC2019, section 6.1.2, figure 3, and Appendix D",
):
    WHOLE_STEPS = (
        "whole-steps",
        "uses only the steps of the curve that end at or before the stop",
        MEDISCORE,
        VERBATIM,
    )
    INTERPOLATED = ("interpolated", "ends exactly at the stop, where the curve is cut", PLAN)


class RateAtStop(
    Switch,
    key="detection-rate-at-stop",
    title="The detection rate where the curve is vertical at the false alarm stop",
    source="plan MFC2019, section 6.1.3",
):
    LOWEST = ("lowest", "is the lowest of the vertical segment", MEDISCORE, VERBATIM)
    HIGHEST = ("highest", "is the highest at this false alarm rate", PLAN)


class QueryCells(
    Switch,
    key="detection-query-cells",
    title="A blank cell or a text compared with a number in a query",
    source="DetectionScorer fills blanks with empty text before it queries",
):
    APART = (
        "apart",
        "does not satisfy a condition with <, <=, > or >= when blank; comparing a text "
        "column with a number is refused",
        MEDISCORE,
        PLAN,
    )
    PYTHON2 = (
        "python2",
        "is larger than every number, as text was for NIST's Python 2; and in a column"
        " with blanks, or when a trial has no score, a number in quotes equals no cell",
        VERBATIM,
    )


class JournalFiles(
    Switch,
    key="detection-journal-files",
    title="Journal tables a query can use",
    source="DetectionScorer makes their names from the reference's",
):
    FOUND = ("found", "are those that the dataset has for the task", MEDISCORE, PLAN)
    BY_NAME = (
        "by-name",
        "are only those named like the reference with -probejournaljoin and -journalmask "
        "added; others are skipped silently",
        VERBATIM,
    )


SWITCHES: tuple[type[Switch], ...] = (
    Join,
    MissingScore,
    StatusScore,
    RepeatedTrials,
    ResponseBase,
    Responses,
    OptOutTrials,
    BothStatusColumns,
    BlankStatus,
    OneClassResamples,
    OneClass,
    NearScores,
    CurveStart,
    ScoreRange,
    FarStop,
    PartialArea,
    RateAtStop,
    QueryCells,
    JournalFiles,
)
