"""Where the rule sets score masks differently."""

from __future__ import annotations

from forensicviewer.core.rules.switch import Switch

_CODE = "MaskScorer of MediScore"
_PLAN = "evaluation plans NC2016, NC2017 and MFC2019, section 6.2"

UNUSABLE_MASK = Switch(
    name="mask-unusable",
    title="A named system mask that cannot be read or has another size",
    choices={
        "white": "counts as a mask that marks nothing, like one that failed validation",
        "unscored": "leaves the trial out of every average, so that it costs less than an honest"
        " blank; two masks of another size end NIST's run without a result",
    },
    mediscore="white",
    verbatim="unscored",
    plan="white",
    source=_CODE,
)

STAND_IN_SIZE = Switch(
    name="mask-stand-in-size",
    title="The size of the white mask that stands in for an omitted one",
    choices={
        "reference": "is the reference mask's",
        "index": "is the index's; where that differs from the reference the trial is left out",
    },
    mediscore="reference",
    verbatim="index",
    plan="reference",
    source=_CODE,
)

BROKEN_JOURNAL = Switch(
    name="mask-broken-journal",
    title="An operation of the probe that the journal masks do not describe",
    choices={
        "skipped": "is skipped and reported",
        "unscored": "leaves its trial out (two such trials end NIST's run)",
    },
    mediscore="skipped",
    verbatim="unscored",
    plan="skipped",
    source=_CODE,
)

OPT_OUT_VALUE = Switch(
    name="mask-opt-out-value",
    title="An opt-out pixel value that is no whole number",
    choices={
        "ignored": "is ignored and reported",
        "unscored": "leaves its trial out (two such trials end NIST's run)",
    },
    mediscore="ignored",
    verbatim="unscored",
    plan="ignored",
    source=_CODE,
)

NOT_IN_INDEX = Switch(
    name="mask-not-in-index",
    title="A trial of the reference that the index does not list",
    choices={
        "scored": "is scored and reported, as the index is needed for nothing but sizes",
        "unscored": "is left unscored without a word",
    },
    mediscore="scored",
    verbatim="unscored",
    plan="scored",
    source=_CODE,
)

BOTH_STATUS_COLUMNS = Switch(
    name="mask-both-status-columns",
    title="A submission with both IsOptOut and ProbeStatus",
    choices={
        "probe-status": "opts out by ProbeStatus",
        "confused": "compares IsOptOut with the words of ProbeStatus when counting, so that nobody"
        " is opted out of the response rate, and goes by IsOptOut afterwards",
    },
    mediscore="probe-status",
    verbatim="confused",
    plan="probe-status",
    source=_CODE,
)

MISSING_ANSWERS = Switch(
    name="mask-missing-answers",
    title="Trials the system does not list, when opted-out trials are left out",
    choices={
        "scored": "are scored as masks that mark nothing, as nobody opted out of them",
        "dropped": "are scored, count in the averages over thresholds and then vanish",
    },
    mediscore="scored",
    verbatim="dropped",
    plan="scored",
    source=_CODE,
)

MISSING_CONFIDENCE = Switch(
    name="mask-missing-confidence",
    title="The confidence of a trial the system does not list",
    choices={
        "smallest": "is the smallest number of the column",
        "first-as-text": "is the first of the column in the order of texts, where 10 precedes 9",
    },
    mediscore="smallest",
    verbatim="first-as-text",
    plan="smallest",
    source=_CODE,
)

PARTITION_TEXT = Switch(
    name="mask-partition-text",
    title="Where the text of a partition query is cut into terms",
    choices={
        "words": "at & and at the word and between terms",
        "letters": "at & and at the letters and wherever they stand, also inside a name or value;"
        " all spaces vanish, those of values too",
    },
    mediscore="words",
    verbatim="letters",
    plan="words",
    source=_CODE,
)

PARTITION_ROWS = Switch(
    name="mask-partition-rows",
    title="The rows of a partition query",
    choices={
        "each": "show every part with its own label and values",
        "last-repeated": "all repeat the label and values of the last part",
    },
    mediscore="each",
    verbatim="last-repeated",
    plan="each",
    source=_CODE,
)

SELECTION_AVERAGES = Switch(
    name="mask-selection-averages",
    title="PixelAverageAUC, MaskAverageAUC and scoreable trials in the row of a query",
    choices={
        "selection": "are those of the trials the query selects",
        "whole-run": "are those of the whole run",
    },
    mediscore="selection",
    verbatim="whole-run",
    plan="selection",
    source=_CODE,
)

QUERY_CELLS = Switch(
    name="mask-query-cells",
    title="A text compared with a number in a query",
    choices={
        "apart": "is refused (the reference's columns are texts whatever they hold); a number in"
        " quotes equals the number",
        "python2": "is larger than every number, as text was for NIST's Python 2, so that > selects"
        " every trial and < none; in a column of numbers that lacks some answers, a number in"
        " quotes equals no cell",
    },
    mediscore="apart",
    verbatim="python2",
    plan="apart",
    source=_CODE,
)

QUOTED_NAMES = Switch(
    name="mask-quoted-names",
    title="Columns of the reference whose names stand in quotes",
    choices={
        "texts": "are texts like those without quotes",
        "guessed": "lose their rule to be text: numbers and truth values are printed anew (007"
        " becomes 7) and compared as such in queries",
    },
    mediscore="texts",
    verbatim="guessed",
    plan="texts",
    source=_CODE,
)

QUERY_NUMBERS = Switch(
    name="mask-query-numbers",
    title="The number in the file name of a query's averages",
    choices={
        "as-given": "is the place of the query among those given",
        "non-empty": "counts only the queries that select something",
    },
    mediscore="as-given",
    verbatim="non-empty",
    plan="as-given",
    source=_CODE,
)

AVERAGE_NEEDS_ALL = Switch(
    name="mask-average-needs-all",
    title="Averages when no trial has every metric",
    choices={
        "no": "are still those of the metrics there are",
        "yes": "are not written at all",
    },
    mediscore="no",
    verbatim="yes",
    plan="no",
    source=_CODE,
)

ACTUAL_THRESHOLD_CELL = Switch(
    name="mask-actual-threshold-cell",
    title="ActualThreshold in the averages",
    choices={
        "as-given": "is the threshold given",
        "first-row": "is that of the first trial, blank when that one was not scored",
    },
    mediscore="as-given",
    verbatim="first-row",
    plan="as-given",
    source=_CODE,
)

SPLICE_TABLES = Switch(
    name="mask-splice-tables",
    title="Maximum and average AUC of splices when a probe or donor occurs in several trials",
    choices={
        "by-trial": "use every trial",
        "by-file": "keep one table per file: the last trial overwrites the others",
    },
    mediscore="by-trial",
    verbatim="by-file",
    plan="by-trial",
    source=_CODE,
)

REPEATED_TRIALS = Switch(
    name="mask-repeated-trials",
    title="A trial that comes up several times: answered twice, or a splice of several operations",
    choices={
        "once": "is scored once (of several answers the first counts)",
        "squared": "appears once for every pair of its occurrences, in the averages too",
    },
    mediscore="once",
    verbatim="squared",
    plan="once",
    source=_CODE,
)

SCOREABLE_SPLICES = Switch(
    name="mask-scoreable-splices",
    title="ScoreableProbeTrials and ScoreableDonorTrials",
    choices={
        "scored": "count the trials whose side was scored",
        "all": "are the number of all trials, non-targets included",
    },
    mediscore="scored",
    verbatim="all",
    plan="scored",
    source=_CODE,
)

ZERO_KERNELS = Switch(
    name="mask-zero-kernels",
    title="Colours other than black on the probe side of a splice, without erosion and dilation",
    choices={
        "background": "are background, as with any other kernels",
        "manipulated": "count as manipulated",
    },
    mediscore="background",
    verbatim="manipulated",
    plan="background",
    source=_CODE,
)

SINGLE_COMPONENT = Switch(
    name="mask-single-component",
    title="Bit planes above 8 in a reference of one component with 16 bits",
    choices={
        "kept": "are read like the others",
        "lost": "are lost, as the component is cut to eight bits",
    },
    mediscore="kept",
    verbatim="lost",
    plan="kept",
    source=_CODE,
)

FULL_PLANES = Switch(
    name="mask-full-planes",
    title="A reference of six or more components with (nearly) all bits of known planes set at a"
    " pixel",
    choices={
        "scored": "is scored like any other",
        "unscored": "leaves its trial out, as a rounded logarithm finds a bit above the highest"
        " (two such trials end NIST's run)",
    },
    mediscore="scored",
    verbatim="unscored",
    plan="scored",
    source=_CODE,
)

MARKED_OPERATIONS = Switch(
    name="mask-marked-operations",
    title="An operation that a query selects for one probe of a journal",
    choices={
        "journal": "is selected for every probe of that journal",
        "probe": "is selected for that probe only",
    },
    mediscore="journal",
    verbatim="journal",
    plan="probe",
    source=_CODE,
)

DISTRACTION = Switch(
    name="mask-distraction",
    title="How far unselected regions are widened unless told",
    choices={"15": "15 pixels", "11": "11 pixels"},
    mediscore="15",
    verbatim="15",
    plan="11",
    source=_PLAN,
)

OPTIMUM = Switch(
    name="mask-optimum",
    title="The best NMM and BWL1 of a mask",
    choices={
        "at-best-mcc": "are those at the threshold of the best MCC (Optimum here and in MFC2019's"
        " plan, Maximum in NC2017's)",
        "own": "are the best over all thresholds, each metric at its own",
    },
    mediscore="at-best-mcc",
    verbatim="at-best-mcc",
    plan="own",
    source=_PLAN,
)

GREY_NMM = Switch(
    name="mask-grey-nmm",
    title="NMM of a grey mask",
    choices={
        "thresholded": "is that of the mask cut at a threshold",
        "soft-in-2016": "is computed from the grey values themselves for NC2016, whose plan knows"
        " no thresholds, and from the cut mask afterwards",
    },
    mediscore="thresholded",
    verbatim="thresholded",
    plan="soft-in-2016",
    source=_PLAN,
)

WL1_DENOMINATOR = Switch(
    name="mask-wl1-denominator",
    title="What the weighted L1 losses are divided by",
    choices={
        "scored": "all scored pixels",
        "positives-in-2016": "the manipulated pixels for NC2016, all scored pixels afterwards",
    },
    mediscore="scored",
    verbatim="scored",
    plan="positives-in-2016",
    source=_PLAN,
)

OMITTED_MASK = Switch(
    name="mask-omitted",
    title="A trial without a system mask",
    choices={
        "white": "is scored like a white mask: NMM -1, MCC 0",
        "lowest": "gets the lowest score of each metric, NMM -1 and MCC -1",
    },
    mediscore="white",
    verbatim="white",
    plan="lowest",
    source=_PLAN,
)

SPLICE_REFERENCE = Switch(
    name="mask-splice-reference",
    title="The reference of the probe side of a splice",
    choices={
        "binary": "is black in the binary probe mask",
        "colour": "is the colours (with bit planes: the planes) of the splice's operations in the"
        " probe mask, all else being background, except for NC2016",
    },
    mediscore="binary",
    verbatim="binary",
    plan="colour",
    source="evaluation plans NC2017 and MFC2019, section 2.1.2",
)

COLOUR_MASKS = Switch(
    name="mask-colour-masks",
    title="A system mask with colours or an alpha channel",
    choices={
        "grey": "is turned into grey and scored",
        "refused": "is not evaluated, like one that cannot be read",
    },
    mediscore="grey",
    verbatim="grey",
    plan="refused",
    source="evaluation plans NC2016, NC2017 and MFC2019, section 5.1.2.1",
)

RESPONSE_RATE = Switch(
    name="mask-response-rate",
    title="Which trials count as answered in TRR",
    choices={
        "not-opted-out": "all that were not opted out of, NonProcessed and unlisted ones included",
        "answered": "those that were neither opted out of nor left unprocessed or unlisted",
    },
    mediscore="not-opted-out",
    verbatim="not-opted-out",
    plan="answered",
    source=_PLAN,
)

SWITCHES: tuple[Switch, ...] = (
    UNUSABLE_MASK,
    STAND_IN_SIZE,
    BROKEN_JOURNAL,
    OPT_OUT_VALUE,
    NOT_IN_INDEX,
    BOTH_STATUS_COLUMNS,
    MISSING_ANSWERS,
    MISSING_CONFIDENCE,
    PARTITION_TEXT,
    PARTITION_ROWS,
    SELECTION_AVERAGES,
    QUERY_CELLS,
    QUOTED_NAMES,
    QUERY_NUMBERS,
    AVERAGE_NEEDS_ALL,
    ACTUAL_THRESHOLD_CELL,
    SPLICE_TABLES,
    REPEATED_TRIALS,
    SCOREABLE_SPLICES,
    ZERO_KERNELS,
    SINGLE_COMPONENT,
    FULL_PLANES,
    MARKED_OPERATIONS,
    DISTRACTION,
    OPTIMUM,
    GREY_NMM,
    WL1_DENOMINATOR,
    OMITTED_MASK,
    SPLICE_REFERENCE,
    COLOUR_MASKS,
    RESPONSE_RATE,
)
