"""The files of every evaluation plan, copied from its text: section, name, columns in order.

Nothing here is taken from the program or from NIST's programs: tests built on these tables show
what the program makes of data that is exactly as the plans describe it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class PlanTable:
    """A table of a dataset: the section that lists its columns, its place, its columns."""

    section: str
    path: str
    columns: tuple[str, ...]


@dataclass(frozen=True)
class PlanOutput:
    """A system's output table: the section that lists its columns, and the columns."""

    section: str
    columns: tuple[str, ...]


@dataclass(frozen=True)
class Year:
    """What one evaluation plan says about files."""

    name: str
    tables: Mapping[str, PlanTable]
    outputs: Mapping[str, PlanOutput]


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_PROBE_INDEX = _words("TaskID ProbeFileID ProbeFileName ProbeWidth ProbeHeight")
_SPLICE_INDEX = (*_PROBE_INDEX, *_words("DonorFileID DonorFileName DonorWidth DonorHeight"))
_PROVENANCE_INDEX = _words(
    "TaskID ProvenanceProbeFileID ProvenanceProbeFileName"
    " ProvenanceProbeWidth ProvenanceProbeHeight"
)
_STEP = _words("JournalName StartNodeID EndNodeID")

# --- 002: NC2016 --------------------------------------------------------------------------------

_REFERENCE_16 = _words(
    "TaskID ProbeFileID ProbeFileName ProbeMaskFileName DonorFileID DonorFileName"
    " DonorMaskFileName IsTarget ProbePostProcessed DonorPostProcessed ManipulationQuality"
    " IsManipulationTypeRemoval IsManipulationTypeSplice IsManipulationTypeCopyClone Collection"
    " BaseFileName Lighting IsControl CorrespondingControlFileName SemanticConsistency"
)


def _tables_16() -> dict[str, PlanTable]:
    sections = {"manipulation": "4.1.1", "removal": "4.1.2", "splice": "4.1.3"}
    tables: dict[str, PlanTable] = {}
    for task, section in sections.items():
        columns = _SPLICE_INDEX if task == "splice" else _PROBE_INDEX
        index = f"indexes/NC2016-{task}-index.csv"
        reference = f"reference/{task}/NC2016-{task}-ref.csv"
        tables[f"{task}-index"] = PlanTable(section, index, columns)
        tables[f"{task}-ref"] = PlanTable("3.4.1", reference, _REFERENCE_16)
    return tables


_MDL_OUTPUT_16 = PlanOutput(
    "5.3.1.1", _words("ProbeFileID ConfidenceScore ProbeOutputMaskFileName")
)
NC2016 = Year(
    "NC2016",
    _tables_16(),
    {
        "manipulation": _MDL_OUTPUT_16,
        "removal": _MDL_OUTPUT_16,
        "splice": PlanOutput(
            "5.3.1.2",
            _words(
                "ProbeFileID DonorFileID ConfidenceScore ProbeOutputMaskFileName"
                " DonorOutputMaskFileName"
            ),
        ),
        # Table 1 lists IsTarget among what is collected for splices, in no column of 5.3.1.2.
        "splice-with-target": PlanOutput(
            "5.6",
            _words(
                "ProbeFileID DonorFileID ConfidenceScore IsTarget ProbeOutputMaskFileName"
                " DonorOutputMaskFileName"
            ),
        ),
    },
)

# --- 000: NC2017 and 001: MFC2019 ---------------------------------------------------------------

_REFERENCE = _words(
    "TaskID ProbeFileID ProbeFileName IsTarget ProbeMaskFileName BaseFileName JournalName"
)
_SPLICE_REFERENCE = (*_REFERENCE, *_words("DonorFileID DonorFileName DonorMaskFileName"))
_PROVENANCE_REFERENCE = _words(
    "TaskID ProvenanceProbeFileID ProvenanceProbeFileName BaseFileName BaseBrowserFileName"
    " JournalName JournalFileName JournalMD5"
)
_NODES = _words("ProvenanceProbeFileID WorldFileID WorldFileName JournalNodeID")
_STEPS_17 = (*_STEP, *_words("Operation Color Purpose OperationArgument"))


def _indexes(
    dataset: str, sections: Mapping[str, tuple[str, tuple[str, ...]]]
) -> dict[str, PlanTable]:
    return {
        f"{task}-index": PlanTable(section, f"indexes/{dataset}-{task}-index.csv", columns)
        for task, (section, columns) in sections.items()
    }


def _reference(
    dataset: str,
    task: str,
    section: str,
    *,
    main: tuple[str, ...],
    joins: tuple[str, ...] = (),
    steps: tuple[str, ...] = (),
    nodes: tuple[str, ...] = (),
) -> dict[str, PlanTable]:
    stem = f"reference/{task}/{dataset}-{task}-ref"
    parts = {"": main, "-probejournaljoin": joins, "-journalmask": steps, "-node": nodes}
    return {
        f"{task}-ref{part}": PlanTable(section, f"{stem}{part}.csv", columns)
        for part, columns in parts.items()
        if columns
    }


_JOINS_17 = ("ProbeFileID", *_STEP)
NC2017 = Year(
    "NC2017",
    {
        **_indexes(
            "NC2017",
            {
                "manipulation-image": ("4.1.1", _PROBE_INDEX),
                "manipulation-video": ("4.1.1", _PROBE_INDEX),
                "splice": ("4.1.2", _SPLICE_INDEX),
                "provenancefiltering": ("4.1.3", _PROVENANCE_INDEX),
                "provenance": ("4.1.4", _PROVENANCE_INDEX),
            },
        ),
        **_reference(
            *("NC2017", "manipulation-image", "3.5.1"),
            main=_REFERENCE,
            joins=_JOINS_17,
            steps=_STEPS_17,
        ),
        **_reference(
            *("NC2017", "manipulation-video", "3.5.1"),
            main=_REFERENCE,
            joins=_JOINS_17,
            steps=_STEPS_17,
        ),
        **_reference(
            *("NC2017", "splice", "3.5.1"),
            main=_SPLICE_REFERENCE,
            joins=_JOINS_17,
            steps=_STEPS_17,
        ),
        **_reference(
            "NC2017", "provenancefiltering", "3.5.3", main=_PROVENANCE_REFERENCE, nodes=_NODES
        ),
        **_reference("NC2017", "provenance", "3.5.3", main=_PROVENANCE_REFERENCE, nodes=_NODES),
    },
    {
        "manipulation": PlanOutput(
            "5.1.1", _words("ProbeFileID ConfidenceScore OutputProbeMaskFileName IsOptOut")
        ),
        "splice": PlanOutput(
            "5.1.1",
            _words(
                "ProbeFileID DonorFileID ConfidenceScore OutputProbeMaskFileName"
                " OutputDonorMaskFileName IsOptOut"
            ),
        ),
        "provenance": PlanOutput(
            "5.2",
            _words("ProvenanceProbeFileID ConfidenceScore ProvenanceOutputFileName IsOptOut"),
        ),
    },
)

_MEDIA_INDEX_19 = (*_PROBE_INDEX, "HPDeviceID", "HPSensorID")
_JOINS_19 = ("ProbeFileID", *_STEP, "BitPlane")
_STEPS_19 = (
    *_STEPS_17,
    *_words("AutoDesignName PlugInName PlugInArguments SubCategory"),
)
_TIMES_19 = _words("VideoTime VideoFrame AudioTime AudioSample FrameTimeAdjustment")
MFC2019 = Year(
    "MFC2019",
    {
        **_indexes(
            "MFC2019",
            {
                "manipulation-image": ("4.1.1", _MEDIA_INDEX_19),
                "manipulation-video": ("4.1.1", _MEDIA_INDEX_19),
                "splice": ("4.1.2", _SPLICE_INDEX),
                "provenancefiltering": ("4.1.3", _PROVENANCE_INDEX),
                "provenance": ("4.1.4", _PROVENANCE_INDEX),
                "eventverification": ("4.1.5", (*_PROBE_INDEX, "EventName")),
                "cameraverification": ("4.1.6", (*_PROBE_INDEX, "ProbeFileSize", "TrainCamID")),
            },
        ),
        "traindata": PlanTable(
            "4.1.6",
            "indexes/MFC2019-camera-traindata.csv",
            _words("TrainCamID FilePath FileName"),
        ),
        **_reference(
            *("MFC2019", "manipulation-image", "3.5.1"),
            main=_REFERENCE,
            joins=_JOINS_19,
            steps=_STEPS_19,
        ),
        **_reference(
            *("MFC2019", "manipulation-video", "3.5.1"),
            main=(*_REFERENCE, "FrameCount", "FrameRate"),
            joins=(*_JOINS_19, "VideoTaskDesignation"),
            steps=(*_STEPS_19, *_TIMES_19),
        ),
        **_reference(
            *("MFC2019", "splice", "3.5.1"),
            main=_SPLICE_REFERENCE,
            joins=_JOINS_19,
            steps=_STEPS_19,
        ),
        **_reference(
            "MFC2019", "provenancefiltering", "3.5.3", main=_PROVENANCE_REFERENCE, nodes=_NODES
        ),
        **_reference("MFC2019", "provenance", "3.5.3", main=_PROVENANCE_REFERENCE, nodes=_NODES),
        **_reference(
            *("MFC2019", "eventverification", "3.5.4"),
            main=_words("TaskID ProbeFileID ProbeFileName IsTarget EventName"),
        ),
        **_reference(
            *("MFC2019", "cameraverification", "3.5.5"),
            main=_words(
                "TaskID ProbeFileID ProbeFileName TrainCamID IsTarget IsManipulated"
                " ProbeMaskFileName BaseFileName JournalName"
            ),
            joins=_JOINS_19,
            steps=(*_STEPS_17, "AutoDesignName", *_TIMES_19),
        ),
    },
    {
        "manipulation": PlanOutput(
            "5.1.1",
            _words(
                "ProbeFileID ConfidenceScore OutputProbeMaskFileName ProbeStatus"
                " ProbeOptOutPixelValue"
            ),
        ),
        "video": PlanOutput(
            "5.1.1",
            _words(
                "ProbeFileID ConfidenceScore ProbeStatus VideoFrameSegments AudioSampleSegments"
                " VideoFrameOptOutSegments OutputProbeMaskFileName ProbeOptOutPixelValue"
            ),
        ),
        "splice": PlanOutput(
            "5.1.1",
            _words(
                "ProbeFileID DonorFileID ConfidenceScore OutputProbeMaskFileName"
                " OutputDonorMaskFileName ProbeStatus DonorStatus ProbeOptOutPixelValue"
                " DonorOptOutPixelValue"
            ),
        ),
        "provenance": PlanOutput(
            "5.2", _words("ProvenanceProbeFileID ProvenanceOutputFileName ProvenanceProbeStatus")
        ),
        "event": PlanOutput("5.3", _words("ProbeFileID EventName ConfidenceScore ProbeStatus")),
        "camera": PlanOutput(
            "5.4",
            _words(
                "ProbeFileID TrainCamID OutputProbeMaskFileName ConfidenceScore ProbeStatus"
                " ProbeOptOutPixelValue"
            ),
        ),
    },
)

YEARS = {year.name: year for year in (NC2016, NC2017, MFC2019)}
