"""The differences between the rule sets in scoring intervals of frames and samples."""

from __future__ import annotations

from forensicviewer.core.rules import MEDISCORE, PLAN, VERBATIM, Switch

_CODE = "VideoTemporalLocalizationScorer"


class IntervalMeasure(
    Switch,
    key="temporal-measure",
    title="How much an interval covers",
    source=f"{_CODE}; plan MFC2019, sections 3.5.1 and 5.1.1",
):
    LINE = (
        "line",
        "[a, b] covers b − a of FrameCount − 1; a single frame covers nothing",  # noqa: RUF001
        MEDISCORE,
        VERBATIM,
    )
    FRAMES = ("frames", "[a, b] covers its b − a + 1 frames of FrameCount", PLAN)  # noqa: RUF001


class StatusScope(
    Switch,
    key="temporal-status",
    title="Which answers are scored",
    source=f"{_CODE}; plan MFC2019, section 5.1.1.3",
):
    PROCESSED_ONLY = (
        "processed-only",
        "only the status Processed; all others leave the trial out",
        VERBATIM,
    )
    BY_PART = (
        "by-part",
        "OptOutSpatial and OptOutDetection are scored, as their intervals count;"
        " NonProcessed and FailedValidation count as empty answers;"
        " the other opt-outs leave the trial out",
        MEDISCORE,
        PLAN,
    )


class BeyondEnd(
    Switch,
    key="temporal-beyond-end",
    title="System intervals that exceed the video",
    source=f"{_CODE}; plan MFC2019, section 5.1.1",
):
    ALWAYS_CUT = (
        "always-cut",
        "are cut at FrameCount in every case, as the option is always on; a start before "
        "frame 1 is cut, too (NIST's program stops there)",
        VERBATIM,
    )
    AS_ASKED = ("as-asked", "are cut and reported, or refused on request", MEDISCORE, PLAN)


class QueryCells(
    Switch,
    key="temporal-query-cells",
    title="A text or a blank cell in a query",
    source="VideoTemporalLocalizationScorer queries the joined journal with pandas",
):
    APART = (
        "apart",
        "is refused when compared with a number by <, <=, > or >=; a blank cell equals the "
        "empty text",
        MEDISCORE,
        PLAN,
    )
    PYTHON2 = (
        "python2",
        "is larger than every number, as text was for NIST's Python 2; a blank cell equals "
        "nothing, not even the empty text",
        VERBATIM,
    )


class Unselected(
    Switch,
    key="temporal-unselected",
    title="Operations that a query does not select",
    source="plan MFC2019, section 2.1.1.3 with Table 1",
):
    BACKGROUND = (
        "background",
        "count as not manipulated, so finding them is a false alarm",
        MEDISCORE,
        VERBATIM,
    )
    NO_SCORE = (
        "no-score",
        "are excluded from the counts, as for masks; a stream that only they changed is not scored",
        PLAN,
    )


class Designation(
    Switch,
    key="temporal-designation",
    title="Operations that VideoTaskDesignation calls spatial",
    source="plan MFC2019, section 3.5.1",
):
    RESPECTED = (
        "respected",
        "are excluded from the counts; a probe with only such operations is not scored",
        MEDISCORE,
        PLAN,
    )
    IGNORED = ("ignored", "count like all others, as the column is ignored", VERBATIM)


class Times(
    Switch,
    key="temporal-times",
    title="Operations with times, but without frames or samples",
    source=f"{_CODE}; plan MFC2019, section 3.5.1",
):
    CONVERTED = (
        "converted",
        "are used: VideoTime (shifted by FrameTimeAdjustment) or AudioTime is converted to "
        "frames or samples by FrameRate or the probe's file",
        MEDISCORE,
        PLAN,
    )
    IGNORED = ("ignored", "are ignored, as these columns are not read", VERBATIM)


class Audio(
    Switch,
    key="temporal-audio",
    title="Audio intervals",
    source=f"{_CODE}; plan MFC2019, sections 2.1.1.2 and 5.1.1",
):
    IGNORED = ("ignored", "are not scored", VERBATIM)
    SCORED = ("scored", "are scored like video, in separate files", MEDISCORE, PLAN)


SWITCHES: tuple[type[Switch], ...] = (
    IntervalMeasure,
    StatusScope,
    BeyondEnd,
    Unselected,
    Designation,
    Times,
    QueryCells,
    Audio,
)
