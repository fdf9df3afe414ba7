"""Where the rule sets score intervals of frames and samples differently."""

from __future__ import annotations

from forensicviewer.core.rules.switch import Switch
from forensicviewer.core.temporal import Measure

_SOURCE = "VideoTemporalLocalizationScorer; MFC2019 evaluation plan, 3.5 and 5.1.1"

MEASURE = Switch(
    name="temporal-measure",
    title="How much an interval covers",
    choices={
        "line": "[a, b] covers b − a of FrameCount − 1; a single frame covers nothing",  # noqa: RUF001
        "frames": "[a, b] covers its b − a + 1 frames of FrameCount",  # noqa: RUF001
    },
    mediscore="line",
    verbatim="line",
    plan="frames",
    source=_SOURCE,
)

STATUS = Switch(
    name="temporal-status",
    title="Which answers are scored",
    choices={
        "processed-only": "only the status Processed; all others leave the trial out",
        "by-part": "OptOutSpatial and OptOutDetection are scored, as their intervals count;"
        " NonProcessed and FailedValidation count as empty answers;"
        " the other opt-outs leave the trial out",
    },
    mediscore="by-part",
    verbatim="processed-only",
    plan="by-part",
    source=_SOURCE,
)

BEYOND_END = Switch(
    name="temporal-beyond-end",
    title="System intervals that leave the video",
    choices={
        "always-cut": "are cut at FrameCount whatever was asked for, as the option to choose is"
        " always on; a start before frame 1 is cut too (NIST's program stops there)",
        "as-asked": "are cut and reported, or refused when asked for",
    },
    mediscore="as-asked",
    verbatim="always-cut",
    plan="as-asked",
    source=_SOURCE,
)

QUERY_CELLS = Switch(
    name="temporal-query-cells",
    title="A text or a blank cell in a query",
    choices={
        "apart": "is refused when it is compared with a number by <, <=, > or >=; a blank equals"
        " the empty text",
        "python2": "is larger than every number, as text was for NIST's Python 2; a blank equals"
        " nothing, not even the empty text",
    },
    mediscore="apart",
    verbatim="python2",
    plan="apart",
    source="VideoTemporalLocalizationScorer queries the joined journal with pandas",
)

UNSELECTED = Switch(
    name="temporal-unselected",
    title="Operations a query does not select",
    choices={
        "background": "count as not manipulated, so finding them is a false alarm",
        "no-score": "are taken out of the counts, as for masks",
    },
    mediscore="background",
    verbatim="background",
    plan="no-score",
    source="MFC2019 evaluation plan, selective scoring",
)

AUDIO = Switch(
    name="temporal-audio",
    title="Audio intervals",
    choices={
        "ignored": "are not scored at all",
        "scored": "are scored like video, in files of their own",
    },
    mediscore="scored",
    verbatim="ignored",
    plan="scored",
    source=_SOURCE,
)

SWITCHES = (MEASURE, STATUS, BEYOND_END, UNSELECTED, QUERY_CELLS, AUDIO)


def measure(choice: str) -> Measure:
    """The measure a choice of :data:`MEASURE` names."""
    return Measure(choice)
