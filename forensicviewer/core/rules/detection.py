"""Where the rule sets differ when detection scores are judged."""

from __future__ import annotations

from forensicviewer.core.rules.switch import Switch

MISSING_SCORE = Switch(
    name="detection-missing-score",
    title="A trial the system gave no score for",
    choices={
        "minimum": "gets the submission's smallest score, and is reported",
        "dropped": "is left out silently, also from the response rate: NIST's code overwrites the"
        " whole row, which then matches no trial of the index",
        "lowest": "counts like one that was not processed, as every trial must count",
    },
    mediscore="minimum",
    verbatim="dropped",
    plan="lowest",
    source="MFC2019 plan 5.1.1; DetectionScorer, joining of reference and submission",
)

STATUS_SCORE = Switch(
    name="detection-status-score",
    title="The score of a trial that was not processed, opted out or failed validation",
    choices={
        "as-written": "counts as the system wrote it",
        "lowest": "counts as 0 where the submission has ProbeStatus (MFC), and below every other"
        " score where it has IsOptOut (NC2017)",
    },
    mediscore="as-written",
    verbatim="as-written",
    plan="lowest",
    source="MFC2019 plan 2.2 and 5.1.1.3; NC2017 plan 2.1.1.2",
)

REPEATED_TRIALS = Switch(
    name="detection-repeated-trials",
    title="A trial that is answered or listed more than once",
    choices={
        "first": "counts once, with its first row, and is reported",
        "all": "counts once per row without a query, and once with a query",
    },
    mediscore="first",
    verbatim="all",
    plan="first",
    source="DetectionScorer drops duplicates in query mode only",
)

RESPONSE_BASE = Switch(
    name="detection-response-base",
    title="What the response rate of a query is a share of",
    choices={
        "selection": "the trials the query selects",
        "everything": "all trials of the run, so a query without any opt-out shows less than 1",
    },
    mediscore="selection",
    verbatim="everything",
    plan="selection",
    source="DetectionScorer passes the number of all trials to every partition",
)

RESPONSES = Switch(
    name="detection-responses",
    title="Which trials count as answered in the response rate",
    choices={
        "scored": "those that were scored: all of them without opt-out scoring, and NonProcessed"
        " and FailedValidation with it",
        "processed": "those whose status says that detection was done",
    },
    mediscore="scored",
    verbatim="scored",
    plan="processed",
    source="MFC2019 plan 2.2",
)

BLANK_STATUS = Switch(
    name="detection-blank-status",
    title="An answer without a status, when opted-out trials are left out",
    choices={
        "kept": "is scored, and reported",
        "dropped": "is left out like an opted-out one",
    },
    mediscore="kept",
    verbatim="dropped",
    plan="kept",
    source="DetectionScorer keeps the listed status words only",
)

ONE_CLASS_RESAMPLES = Switch(
    name="detection-one-class-resamples",
    title="Resamples without targets or without non-targets in a confidence interval",
    choices={
        "skipped": "are skipped, as they have no curve",
        "kept": "are kept, as 0 or as no number, which the sorting leaves wherever it happens",
    },
    mediscore="skipped",
    verbatim="kept",
    plan="skipped",
    source="detMetrics, the check is commented out",
)

ONE_CLASS = Switch(
    name="detection-one-class",
    title="The areas under the curve when there is no non-target",
    choices={
        "zero": "are printed as 0",
        "blank": "stay blank, as there is no curve",
    },
    mediscore="zero",
    verbatim="zero",
    plan="blank",
    source="detMetrics; NIST's own check file of such a run holds 0",
)

NEAR_SCORES = Switch(
    name="detection-near-scores",
    title="Scores that differ by less than about 1e-8",
    choices={
        "distinct": "are different scores",
        "merged": "are one score, as scikit-learn 0.17 took them, which NIST's notes name",
    },
    mediscore="distinct",
    verbatim="distinct",
    plan="distinct",
    source="scikit-learn 0.17.1 and 0.18 to 0.20, roc_curve",
)

CURVE_START = Switch(
    name="detection-curve-start",
    title="The point without false alarms and detections at the start of the curve",
    choices={
        "if-needed": "stands in front only if the highest score has false alarms, so that the rate"
        " at a false alarm stop of 0 is what the highest scores detect",
        "always": "always stands in front, as in scikit-learn from 0.20 on, so that the rate at a"
        " false alarm stop of 0 is 0",
    },
    mediscore="if-needed",
    verbatim="if-needed",
    plan="if-needed",
    source="roc_curve of scikit-learn; NIST's notes name 0.17.1",
)

SCORE_RANGE = Switch(
    name="detection-score-range",
    title="A confidence score below 0 or above 1",
    choices={
        "any": "is a score like any other",
        "reported": "is used, and reported as outside the range of MFC2018 and MFC2019",
    },
    mediscore="any",
    verbatim="any",
    plan="reported",
    source="MFC2019 plan 5.1.1",
)

FAR_STOP = Switch(
    name="detection-far-stop",
    title="The false alarm rate of AUC@FAR and CDR@FAR when none is given",
    choices={"ten-percent": "10 %", "five-percent": "5 %"},
    mediscore="ten-percent",
    verbatim="ten-percent",
    plan="five-percent",
    source="MFC2019 plan 2.1.1 and 6.1.3",
)

PARTIAL_AREA = Switch(
    name="detection-partial-area",
    title="The area up to the false alarm stop",
    choices={
        "whole-steps": "is made of the curve's steps that end at or before the stop",
        "interpolated": "ends exactly at the stop, the curve being cut there",
    },
    mediscore="whole-steps",
    verbatim="whole-steps",
    plan="interpolated",
    source="MFC2019 plan, figure 3",
)

RATE_AT_STOP = Switch(
    name="detection-rate-at-stop",
    title="The detection rate where the curve rises vertically at the false alarm stop",
    choices={
        "lowest": "is the lowest of the vertical step",
        "highest": "is the highest that this false alarm rate allows",
    },
    mediscore="lowest",
    verbatim="lowest",
    plan="highest",
    source="MFC2019 plan 6.1.3",
)

QUERY_CELLS = Switch(
    name="detection-query-cells",
    title="A blank cell or a text compared with a number in a query",
    choices={
        "apart": "fulfils no condition with <, <=, > or >= when blank; comparing a column of texts"
        " with a number is refused",
        "python2": "is larger than every number, as text was for NIST's Python 2; and in a column"
        " with blanks, or when a trial has no score, a number in quotes equals no cell",
    },
    mediscore="apart",
    verbatim="python2",
    plan="apart",
    source="DetectionScorer fills blanks with empty text before it queries",
)

JOURNAL_FILES = Switch(
    name="detection-journal-files",
    title="Journal tables a query can use",
    choices={
        "found": "are those the dataset holds for the task",
        "by-name": "are only those whose name is the reference's with -probejournaljoin and"
        " -journalmask added; others are skipped silently",
    },
    mediscore="found",
    verbatim="by-name",
    plan="found",
    source="DetectionScorer makes their names from the reference's",
)

SWITCHES = (
    MISSING_SCORE,
    STATUS_SCORE,
    REPEATED_TRIALS,
    RESPONSE_BASE,
    RESPONSES,
    BLANK_STATUS,
    ONE_CLASS_RESAMPLES,
    ONE_CLASS,
    NEAR_SCORES,
    CURVE_START,
    SCORE_RANGE,
    FAR_STOP,
    PARTIAL_AREA,
    RATE_AT_STOP,
    QUERY_CELLS,
    JOURNAL_FILES,
)
