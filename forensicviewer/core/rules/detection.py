"""Where the rule sets differ when detection scores are judged."""

from __future__ import annotations

from forensicviewer.core.rules.switch import MEDISCORE, PLAN, VERBATIM, Switch


class Join(
    Switch,
    key="detection-join",
    title="The columns by which answers, reference and index find each other",
    source="merging on all common columns; plans NC2017 and MFC2019, sections 3.5.1 and 4.1.1",
):
    KEY = (
        "key",
        "are those that name the trial: probe, and donor, event or camera; other columns of a"
        " submission that the dataset has too, such as TaskID or IsTarget, are ignored",
        MEDISCORE,
        PLAN,
    )
    COMMON = (
        "common",
        "are all that two tables share, so that a TaskID in other letters, or the submission's own"
        " IsTarget, leaves trials out",
        VERBATIM,
    )


class MissingScore(
    Switch,
    key="detection-missing-score",
    title="A trial the system gave no score for",
    source="plan MFC2019, section 5.1.1.2; DetectionScorer, joining of reference and submission",
):
    MINIMUM = ("minimum", "gets the submission's smallest score, and is reported", MEDISCORE)
    DROPPED = (
        "dropped",
        "is left out silently, also from the response rate: NIST's code overwrites the"
        " whole row, which then matches no trial of the index",
        VERBATIM,
    )
    LOWEST = ("lowest", "counts like one that was not processed, as every trial must count", PLAN)


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
    title="What the response rate of a query is a share of",
    source="DetectionScorer passes the number of all trials to every partition",
):
    SELECTION = ("selection", "the trials the query selects", MEDISCORE, PLAN)
    EVERYTHING = (
        "everything",
        "all trials of the run, so a query without any opt-out shows less than 1",
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
    PROCESSED = ("processed", "those whose status says that detection was done", PLAN)


class OptOutTrials(
    Switch,
    key="detection-opt-out-trials",
    title="Which trials stay when opted-out ones are left out",
    source="plan MFC2019, section 2.2; plan NC2017, section 2.1.1.2",
):
    OPTED_IN = (
        "opted-in",
        "all the system did not opt out of, NonProcessed and FailedValidation included",
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
    SKIPPED = ("skipped", "are skipped, as they have no curve", MEDISCORE, PLAN)
    KEPT = (
        "kept",
        "are kept, as 0 or as no number, which the sorting leaves wherever it happens",
        VERBATIM,
    )


class OneClass(
    Switch,
    key="detection-one-class",
    title="The areas under the curve when there is no non-target",
    source="detMetrics; NIST's own check file of such a run holds 0",
):
    ZERO = ("zero", "are printed as 0", MEDISCORE, VERBATIM)
    BLANK = ("blank", "stay blank, as there is no curve", PLAN)


class NearScores(
    Switch,
    key="detection-near-scores",
    title="Scores that differ by less than about 1e-8",
    source="scikit-learn 0.17.1 and 0.18 to 0.20, roc_curve",
):
    DISTINCT = ("distinct", "are different scores", MEDISCORE, VERBATIM, PLAN)
    MERGED = ("merged", "are one score, as scikit-learn 0.17 took them, which NIST's notes name")


class CurveStart(
    Switch,
    key="detection-curve-start",
    title="The point without false alarms and detections at the start of the curve",
    source="roc_curve of scikit-learn; NIST's notes name 0.17.1",
):
    IF_NEEDED = (
        "if-needed",
        "stands in front only if the highest score has false alarms, so that the rate"
        " at a false alarm stop of 0 is what the highest scores detect",
        MEDISCORE,
        VERBATIM,
        PLAN,
    )
    ALWAYS = (
        "always",
        "always stands in front, as in scikit-learn from 0.20 on, so that the rate at a"
        " false alarm stop of 0 is 0",
    )


class ScoreRange(
    Switch,
    key="detection-score-range",
    title="A confidence score below 0 or above 1",
    source="plan MFC2019, sections 2.1.1 (footnote 1), 5.1.1.1 and 5.1.1.2",
):
    ANY = ("any", "is a score like any other", MEDISCORE, VERBATIM)
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
        "5 % for MFC2018 and MFC2019; 100 % for NC2016 and NC2017, whose plans take the area under"
        " the whole curve",
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
        "is made of the curve's steps that end at or before the stop",
        MEDISCORE,
        VERBATIM,
    )
    INTERPOLATED = ("interpolated", "ends exactly at the stop, the curve being cut there", PLAN)


class RateAtStop(
    Switch,
    key="detection-rate-at-stop",
    title="The detection rate where the curve rises vertically at the false alarm stop",
    source="plan MFC2019, section 6.1.3",
):
    LOWEST = ("lowest", "is the lowest of the vertical step", MEDISCORE, VERBATIM)
    HIGHEST = ("highest", "is the highest that this false alarm rate allows", PLAN)


class QueryCells(
    Switch,
    key="detection-query-cells",
    title="A blank cell or a text compared with a number in a query",
    source="DetectionScorer fills blanks with empty text before it queries",
):
    APART = (
        "apart",
        "fulfils no condition with <, <=, > or >= when blank; comparing a column of texts"
        " with a number is refused",
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
    FOUND = ("found", "are those the dataset holds for the task", MEDISCORE, PLAN)
    BY_NAME = (
        "by-name",
        "are only those whose name is the reference's with -probejournaljoin and"
        " -journalmask added; others are skipped silently",
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
