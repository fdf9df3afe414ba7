"""The differences between the rule sets in scoring masks."""

from __future__ import annotations

from forensicviewer.core.rules import MEDISCORE, PLAN, VERBATIM, Switch

_CODE = "MaskScorer of MediScore"


class UnusableMask(
    Switch,
    key="mask-unusable",
    title="A named system mask that cannot be read or has another size",
    source=_CODE,
):
    WHITE = (
        "white",
        "counts as a mask without marked pixels, like one that failed validation",
        MEDISCORE,
        PLAN,
    )
    UNSCORED = (
        "unscored",
        "excludes the trial from every average, so it costs less than an honest blank mask; "
        "two masks of a different size end NIST's run without a result",
        VERBATIM,
    )


class StandInSize(
    Switch,
    key="mask-stand-in-size",
    title="The size of the white mask that replaces an omitted mask",
    source=_CODE,
):
    REFERENCE = ("reference", "is that of the reference mask", MEDISCORE, PLAN)
    INDEX = (
        "index",
        "is that in the index; where it differs from the reference, the trial is excluded",
        VERBATIM,
    )


class BrokenJournal(
    Switch,
    key="mask-broken-journal",
    title="An operation of the probe that is missing from the journal masks",
    source=_CODE,
):
    SKIPPED = ("skipped", "is skipped and reported", MEDISCORE, PLAN)
    UNSCORED = ("unscored", "excludes its trial (two such trials end NIST's run)", VERBATIM)


class OptOutValue(
    Switch,
    key="mask-opt-out-value",
    title="An opt-out pixel value that is not a whole number",
    source=_CODE,
):
    IGNORED = ("ignored", "is ignored and reported", MEDISCORE, PLAN)
    UNSCORED = ("unscored", "excludes its trial (two such trials end NIST's run)", VERBATIM)


class NotInIndex(
    Switch,
    key="mask-not-in-index",
    title="A trial of the reference that the index does not list",
    source=_CODE,
):
    SCORED = (
        "scored",
        "is scored and reported, as only sizes are read from the index",
        MEDISCORE,
        PLAN,
    )
    UNSCORED = ("unscored", "is left unscored silently", VERBATIM)


class BothStatusColumns(
    Switch,
    key="mask-both-status-columns",
    title="A submission with both IsOptOut and ProbeStatus",
    source=_CODE,
):
    PROBE_STATUS = ("probe-status", "opts out by ProbeStatus", MEDISCORE, PLAN)
    CONFUSED = (
        "confused",
        "compares IsOptOut with the values of ProbeStatus when counting, so no trial is "
        "counted as opted out, and uses IsOptOut afterwards",
        VERBATIM,
    )


class MissingAnswers(
    Switch,
    key="mask-missing-answers",
    title="Trials missing from the submission, when opted-out trials are left out",
    source=_CODE,
):
    SCORED = (
        "scored",
        "are scored as masks without marked pixels, as the system did not opt out of them",
        MEDISCORE,
        PLAN,
    )
    DROPPED = (
        "dropped",
        "are scored, count in the averages over thresholds and are then dropped",
        VERBATIM,
    )


class MissingConfidence(
    Switch,
    key="mask-missing-confidence",
    title="The confidence of a trial missing from the submission",
    source=_CODE,
):
    SMALLEST = ("smallest", "is the smallest number in the column", MEDISCORE, PLAN)
    FIRST_AS_TEXT = (
        "first-as-text",
        "is the first value in text order, where 10 precedes 9",
        VERBATIM,
    )


class PartitionText(
    Switch,
    key="mask-partition-text",
    title="How the text of a partition query is split into terms",
    source=_CODE,
):
    WORDS = ("words", 'at & and at the word "and" between terms', MEDISCORE, PLAN)
    LETTERS = (
        "letters",
        'at & and at the letters "and" anywhere, also inside a name or value; all spaces are '
        "removed, including those in values",
        VERBATIM,
    )


class PartitionRows(
    Switch, key="mask-partition-rows", title="The rows of a partition query", source=_CODE
):
    EACH = ("each", "show each part with its own label and values", MEDISCORE, PLAN)
    LAST_REPEATED = ("last-repeated", "all show the label and values of the last part", VERBATIM)


class SelectionAverages(
    Switch,
    key="mask-selection-averages",
    title="PixelAverageAUC, MaskAverageAUC and scoreable trials in the row of a query",
    source=_CODE,
):
    SELECTION = ("selection", "are those of the trials the query selects", MEDISCORE, PLAN)
    WHOLE_RUN = ("whole-run", "are those of the whole run", VERBATIM)


class QueryCells(
    Switch, key="mask-query-cells", title="A text compared with a number in a query", source=_CODE
):
    APART = (
        "apart",
        "is refused (the columns of the reference are always text); a quoted number equals "
        "the number",
        MEDISCORE,
        PLAN,
    )
    PYTHON2 = (
        "python2",
        "is larger than every number, as text was for NIST's Python 2, so > selects every "
        "trial and < none; in a column of numbers with missing answers, a quoted number "
        "equals no cell",
        VERBATIM,
    )


class QuotedNames(
    Switch,
    key="mask-quoted-names",
    title="Columns of the reference whose names are quoted",
    source=_CODE,
):
    TEXTS = ("texts", "are text like columns without quotes", MEDISCORE, PLAN)
    GUESSED = (
        "guessed",
        "are no longer read as text: numbers and truth values are reformatted (007 becomes "
        "7) and compared as such in queries",
        VERBATIM,
    )


class QueryNumbers(
    Switch,
    key="mask-query-numbers",
    title="The number in the file name of a query's averages",
    source=_CODE,
):
    AS_GIVEN = ("as-given", "is the position of the query on the command line", MEDISCORE, PLAN)
    NON_EMPTY = ("non-empty", "counts only the queries that select a trial", VERBATIM)


class AverageNeedsAll(
    Switch,
    key="mask-average-needs-all",
    title="Averages when no trial has every metric",
    source=_CODE,
):
    NO = ("no", "are computed from the metrics that exist", MEDISCORE, PLAN)
    YES = ("yes", "are not written", VERBATIM)


class ActualThresholdCell(
    Switch, key="mask-actual-threshold-cell", title="ActualThreshold in the averages", source=_CODE
):
    AS_GIVEN = ("as-given", "is the threshold given", MEDISCORE, PLAN)
    FIRST_ROW = (
        "first-row",
        "is that of the first trial, or blank if that trial was not scored",
        VERBATIM,
    )


class SpliceTables(
    Switch,
    key="mask-splice-tables",
    title="Maximum and average AUC of splices when a probe or donor occurs in several trials",
    source=_CODE,
):
    BY_TRIAL = ("by-trial", "use all trials", MEDISCORE, PLAN)
    BY_FILE = ("by-file", "keep one table per file: the last trial overwrites the others", VERBATIM)


class RepeatedTrials(
    Switch,
    key="mask-repeated-trials",
    title="A trial that occurs several times: answered twice, or a splice with several operations",
    source=_CODE,
):
    ONCE = ("once", "is scored once (the first of several answers counts)", MEDISCORE, PLAN)
    SQUARED = (
        "squared",
        "appears once for every pair of its occurrences, in the averages too",
        VERBATIM,
    )


class ScoreableSplices(
    Switch,
    key="mask-scoreable-splices",
    title="ScoreableProbeTrials and ScoreableDonorTrials",
    source=_CODE,
):
    SCORED = ("scored", "count the trials whose side was scored", MEDISCORE, PLAN)
    ALL = ("all", "are the number of all trials, including non-targets", VERBATIM)


class ZeroKernels(
    Switch,
    key="mask-zero-kernels",
    title="Colours other than black on the probe side of a splice, without erosion and dilation",
    source=_CODE,
):
    BACKGROUND = ("background", "are background, as with any other kernels", MEDISCORE, PLAN)
    MANIPULATED = ("manipulated", "count as manipulated", VERBATIM)


class SingleComponent(
    Switch,
    key="mask-single-component",
    title="Bit planes above 8 in a reference of one component with 16 bits",
    source=_CODE,
):
    KEPT = ("kept", "are read like the others", MEDISCORE, PLAN)
    LOST = ("lost", "are lost, as the component is cut to 8 bits", VERBATIM)


class FullPlanes(
    Switch,
    key="mask-full-planes",
    title="A reference of six or more components with (nearly) all bits of known planes set at a"
    " pixel",
    source=_CODE,
):
    SCORED = ("scored", "is scored like any other", MEDISCORE, PLAN)
    UNSCORED = (
        "unscored",
        "excludes its trial, as a rounded logarithm finds a bit above the highest (two such "
        "trials end NIST's run)",
        VERBATIM,
    )


class WhitePlanes(
    Switch,
    key="mask-white-planes",
    title="A JPEG 2000 reference that is completely white",
    source="plan MFC2019, sections 2.1.1.1 and 2.1.6",
):
    NO_REGION = (
        "no-region",
        "has no localized change, as the plan says, whatever planes the journal names",
        MEDISCORE,
        PLAN,
    )
    ALL_PLANES = (
        "all-planes",
        "has every bit set, so each operation covers the whole image",
        VERBATIM,
    )


class BlackAndWhite(
    Switch,
    key="mask-black-and-white",
    title="A black and white reference whose journal names colours or bit planes",
    source="plan MFC2019, sections 2.1.1.1 and 3.5.2, against the formula in 3.5.1",
):
    BLACK = ("black", "is black where any operation of the probe changed it", MEDISCORE, PLAN)
    MARKS = ("marks", "shows only the colours or bits of the journal", VERBATIM)


class LossyReference(
    Switch,
    key="mask-lossy-reference",
    title="A reference mask saved as JPEG, whose colours are only close to those of the journal",
    source="plan MFC2019, section 3.6, lists masks of splices and cameras as .jpg",
):
    NEAREST = (
        "nearest",
        "is read with every pixel in the nearest of white and the journal's colours",
        MEDISCORE,
        PLAN,
    )
    EXACT = (
        "exact",
        "is read unchanged; a colour that differs by 1 is a different colour",
        VERBATIM,
    )


class MarkedOperations(
    Switch,
    key="mask-marked-operations",
    title="An operation that a query selects for one probe of a journal",
    source=_CODE,
):
    JOURNAL = ("journal", "is selected for every probe of that journal", MEDISCORE, VERBATIM)
    PROBE = ("probe", "is selected for that probe only", PLAN)


class Distraction(
    Switch,
    key="mask-distraction",
    title="The default width of the no-score zone around unselected regions",
    source="plans NC2017, section 2.1.1.1, and MFC2019, section 2.1.1.3; NC2016 selects nothing",
):
    PX_15 = ("15", "is a kernel 15 pixels wide", MEDISCORE, VERBATIM)
    PX_11 = (
        "11",
        "is a kernel 11 pixels wide: MFC2019's plan says \"a dilation with a kernel of 11 "
        'pixels"; NC2017\'s says "a dilation by 11 pixels", which could also mean 11 to '
        "each side (--distraction 23)",
        PLAN,
    )


class Optimum(
    Switch,
    key="mask-optimum",
    title="The best NMM and BWL1 of a mask",
    source="plans NC2017 (where it is called Maximum and Minimum) and MFC2019, section 6.2.5",
):
    AT_BEST_MCC = (
        "at-best-mcc",
        "are those at the threshold of the best MCC (Optimum here and in MFC2019's"
        " plan, Maximum in NC2017's)",
        MEDISCORE,
        VERBATIM,
    )
    OWN = ("own", "are the best over all thresholds, each metric at its own", PLAN)


class Maximum(
    Switch,
    key="mask-maximum",
    title="The Maximum columns: one threshold for all masks",
    source="plan MFC2019, section 6.2.5; NC2016 and NC2017 have no threshold for all masks",
):
    AT_BEST_MCC = (
        "at-best-mcc",
        "are written with --threshold; every metric is taken at the threshold of the largest "
        "mean MCC",
        MEDISCORE,
        VERBATIM,
    )
    OWN = (
        "own",
        "are always written; each metric is taken at its own best threshold over all masks",
        PLAN,
    )


class GreyNmm(
    Switch,
    key="mask-grey-nmm",
    title="NMM of a grey mask",
    source="plans NC2016, NC2017 and MFC2019, section 6.2.2, and NC2017 and MFC2019, section 6.2.5",
):
    THRESHOLDED = (
        "thresholded",
        'is that of the mask cut at a threshold: "implicit in several mask metrics is the '
        'identification of a threshold" (6.2.5, which does not say which metrics)',
        MEDISCORE,
        VERBATIM,
    )
    SOFT = (
        "soft",
        'is computed from the grey values M(i) in [0,1]: "with non-binary grey-level masks, the'
        ' pixel-values indicate how certain a system is" (6.2.2, where the formula is a sum of'
        " them); Actual and Maximum, which name a threshold, cut the mask there",
        PLAN,
    )


class Wl1Denominator(
    Switch,
    key="mask-wl1-denominator",
    title="What the weighted L1 losses are divided by",
    source="plans NC2016, section 6.2.3, and NC2017 and MFC2019, section 6.2.4",
):
    SCORED = ("scored", "is all scored pixels", MEDISCORE, VERBATIM)
    POSITIVES_IN_2016 = (
        "positives-in-2016",
        "is the manipulated pixels for NC2016, and all scored pixels for later years",
        PLAN,
    )


class OmittedMask(
    Switch,
    key="mask-omitted",
    title="A trial without a system mask",
    source="plans NC2017 and MFC2019, sections 2.1.1, 6.2 and 6.3; NC2016, sections 5.4.1 and 6.2",
):
    WHITE = (
        "white",
        'is scored like a white mask, NMM -1 and MCC 0: it "is assumed to be empty" (2.1.1; NC2016'
        ' 5.4.1: "all pixel value equal to 255"), and Table 2 in 6.3 shows the "mask score of -1"'
        " of 6.2 to be the NMM",
        MEDISCORE,
        VERBATIM,
        PLAN,
    )
    LOWEST = (
        "lowest",
        'gets the lowest score of each metric, NMM -1 and MCC -1: "a mask score of -1 will be'
        ' given" (6.2) read as one for every metric (NC2016 6.2: "a lowest mask score")',
    )


class OptOutPixels(
    Switch,
    key="mask-opt-out-pixels",
    title="Pixels that have the opt-out value of their answer",
    source="plan MFC2019, sections 2.2, 5.1.1.3 and 5.1.2; NC2016 and NC2017 have no such value",
):
    IF_ASKED = ("if-asked", "are excluded only with --opt-out-pixels", MEDISCORE, VERBATIM)
    LEFT_OUT = ("left-out", 'are excluded: "will not be scored"', PLAN)


class OptOutTrials(
    Switch,
    key="mask-opt-out-trials",
    title="Which trials remain when opted-out trials are left out",
    source="plans MFC2019, section 2.2, and NC2017, section 2.1.1.2",
):
    OPTED_IN = (
        "opted-in",
        "all that the system did not opt out of, including NonProcessed and missing trials",
        MEDISCORE,
        VERBATIM,
    )
    PROCESSED = (
        "processed",
        "those the system processed, as the response rate counts them",
        PLAN,
    )


class SpliceReference(
    Switch,
    key="mask-splice-reference",
    title="The reference of the probe side of a splice",
    source="plans NC2017 and MFC2019, section 2.1.2",
):
    BINARY = (
        "binary",
        "is black in the binary probe mask; if the reference does not have this column, all "
        "pixels of the probe mask that are not white",
        MEDISCORE,
        VERBATIM,
    )
    COLOUR = (
        "colour",
        "is the colours (with bit planes: the planes) of the splice's operations in the "
        "probe mask, and everything else is background, if the journal distinguishes splices "
        "and the year is not NC2016; otherwise as with binary",
        PLAN,
    )


class DonorReference(
    Switch,
    key="mask-donor-reference",
    title="The reference of the donor side of a splice",
    source="plans NC2017 and MFC2019, section 2.1.2; NC2016, section 3.4.2",
):
    BLACK = ("black", "is black; other colours are excluded", VERBATIM)
    BLACK_ELSE_ANY = (
        "black-else-any",
        "is black, and other colours are excluded; if no pixel is black, all pixels that are "
        "not white",
        MEDISCORE,
    )
    ANY = ("any", "is all pixels that are not white, as the mask is restricted to the splice", PLAN)


class ColourMasks(
    Switch,
    key="mask-colour-masks",
    title="A system mask with colours or an alpha channel",
    source="plans NC2016, section 5.2, and NC2017 and MFC2019, section 5.1.2.1",
):
    GREY = ("grey", "is converted to grey and scored", MEDISCORE, VERBATIM)
    REFUSED = ("refused", "is not scored, like an unreadable mask", PLAN)


class ResponseRate(
    Switch,
    key="mask-response-rate",
    title="Which trials count as answered in TRR",
    source="plans NC2017, section 2.1.1.2, and MFC2019, section 2.2; NC2016 has no opting out",
):
    NOT_OPTED_OUT = (
        "not-opted-out",
        "all that were not opted out of, including NonProcessed and missing trials",
        MEDISCORE,
        VERBATIM,
    )
    ANSWERED = (
        "answered",
        "those that were processed: neither opted out of, nor missing, NonProcessed or "
        "FailedValidation",
        PLAN,
    )


SWITCHES: tuple[type[Switch], ...] = (
    UnusableMask,
    StandInSize,
    BrokenJournal,
    OptOutValue,
    NotInIndex,
    BothStatusColumns,
    MissingAnswers,
    MissingConfidence,
    PartitionText,
    PartitionRows,
    SelectionAverages,
    QueryCells,
    QuotedNames,
    QueryNumbers,
    AverageNeedsAll,
    ActualThresholdCell,
    SpliceTables,
    RepeatedTrials,
    ScoreableSplices,
    ZeroKernels,
    SingleComponent,
    FullPlanes,
    WhitePlanes,
    BlackAndWhite,
    LossyReference,
    MarkedOperations,
    Distraction,
    Optimum,
    Maximum,
    GreyNmm,
    Wl1Denominator,
    OmittedMask,
    OptOutPixels,
    OptOutTrials,
    SpliceReference,
    DonorReference,
    ColourMasks,
    ResponseRate,
)
