"""The tables of the plan-exact samples: names and columns as the evaluation plans print them.

Each is filled from a table of the richer samples; a column that the plan does not name is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Exact:
    """One table of a plan: where it lies, its columns, and the sample's table it is filled from.

    ``cells`` are the same in every row, ``taken`` says which columns have another name there, and
    ``recoloured`` columns name grey masks that the plan wants in colour.
    """

    path: str
    columns: tuple[str, ...]
    source: str
    cells: Mapping[str, str] = field(default_factory=dict)
    taken: Mapping[str, str] = field(default_factory=dict)
    recoloured: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ExactAnswers:
    """One submission of a plan: its name and columns, and the sample's submission it is made of.

    ``results`` is the number of images a filtering document holds (Appendix C).
    """

    name: str
    columns: tuple[str, ...]
    source: str
    results: int = 0


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_INDEX = _words("TaskID ProbeFileID ProbeFileName ProbeWidth ProbeHeight")
_SPLICE_INDEX = (*_INDEX, *_words("DonorFileID DonorFileName DonorWidth DonorHeight"))
_PROVENANCE_INDEX = _words(
    "TaskID ProvenanceProbeFileID ProvenanceProbeFileName ProvenanceProbeWidth"
    " ProvenanceProbeHeight"
)
_STEP = _words("JournalName StartNodeID EndNodeID")
_REFERENCE_16 = _words(
    "TaskID ProbeFileID ProbeFileName ProbeMaskFileName DonorFileID DonorFileName DonorMaskFileName"
    " IsTarget ProbePostProcessed DonorPostProcessed ManipulationQuality IsManipulationTypeRemoval"
    " IsManipulationTypeSplice IsManipulationTypeCopyClone Collection BaseFileName Lighting"
    " IsControl CorrespondingControlFileName SemanticConsistency"
)
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
_STEPS_19 = (*_STEPS_17, *_words("AutoDesignName PlugInName PlugInArguments SubCategory"))
_TIMES_19 = _words("VideoTime VideoFrame AudioTime AudioSample FrameTimeAdjustment")
_JOINS = {"NC2017": ("ProbeFileID", *_STEP), "MFC2019": ("ProbeFileID", *_STEP, "BitPlane")}
_STEPS = {"NC2017": _STEPS_17, "MFC2019": _STEPS_19}
_BINARY = {"ProbeMaskFileName": "BinaryProbeMaskFileName"}
_PLANES = {"ProbeMaskFileName": "ProbeBitPlaneMaskFileName"}


def _tables_16() -> list[Exact]:
    """NC2016: sections 3.4.1, 3.5 and 4.1."""
    tables = []
    for task in ("manipulation", "removal", "splice"):
        index, reference = f"indexes/NC2016-{task}-index.csv", f"NC2016-{task}-ref.csv"
        columns = _SPLICE_INDEX if task == "splice" else _INDEX
        named = {"TaskID": task.title()}
        path = f"reference/{task}/{reference}"
        taken = _BINARY if task == "splice" else {}
        tables += [
            Exact(index, columns, f"NC2016_Sample/{index}", named),
            Exact(path, _REFERENCE_16, f"NC2016_Sample/{path}", named, taken),
        ]
    return tables


def _detection(year: str, task: str, source: str) -> list[Exact]:
    """Images or videos: index, reference and the two tables of journals (3.5.1, 4.1.1)."""
    index, stem = f"indexes/{year}-{task}-index.csv", f"reference/{task}/{year}-{task}-ref"
    more_index = _words("HPDeviceID HPSensorID") if year == "MFC2019" else ()
    is_timed = year == "MFC2019" and task.endswith("video")
    main = (*_REFERENCE, *(_words("FrameCount FrameRate") if is_timed else ()))
    joins = (*_JOINS[year], *(("VideoTaskDesignation",) if is_timed else ()))
    steps = (*_STEPS[year], *(_TIMES_19 if is_timed else ()))
    # Videos of NC2017 have no masks (2.1.1), images of MFC2019 bit planes (2.1.1.1).
    taken = {
        ("NC2017", "manipulation-video"): {"ProbeMaskFileName": ""},
        ("MFC2019", "manipulation-image"): _PLANES,
    }.get((year, task), {})
    folder, _, word = source.partition(":")
    rich = folder.removesuffix("_Sample")
    other = f"{folder}/reference/{word}/{rich}-{word}-ref"
    return [
        Exact(
            index,
            (*_INDEX, *more_index),
            f"{folder}/indexes/{rich}-{word}-index.csv",
            {"TaskID": "Manipulation"},
        ),
        Exact(f"{stem}.csv", main, f"{other}.csv", {"TaskID": "manipulation"}, taken),
        Exact(f"{stem}-probejournaljoin.csv", joins, f"{other}-probejournaljoin.csv"),
        Exact(f"{stem}-journalmask.csv", steps, f"{other}-journalmask.csv"),
    ]


def _splices(year: str) -> list[Exact]:
    """Splices: masks in colour, restricted to the splice (2.1.2)."""
    stem, folder = f"reference/splice/{year}-splice-ref", f"{year}_Sample"
    index = f"indexes/{year}-splice-index.csv"
    masks = ("ProbeMaskFileName", "DonorMaskFileName")
    named = {"TaskID": "splice"}
    return [
        Exact(index, _SPLICE_INDEX, f"{folder}/{index}", {"TaskID": "Splice"}),
        Exact(f"{stem}.csv", _SPLICE_REFERENCE, f"{folder}/{stem}.csv", named, _BINARY, masks),
        *(
            Exact(f"{stem}{part}.csv", columns[year], f"{folder}/{stem}{part}.csv")
            for part, columns in (("-probejournaljoin", _JOINS), ("-journalmask", _STEPS))
        ),
    ]


def _provenance(year: str) -> list[Exact]:
    """Graphs and filtering (3.5.3, 4.1.3, 4.1.4); no plan lists a world table."""
    tables = []
    words = {"provenance": "Provenance", "provenancefiltering": "ProvenanceFiltering"}
    for task, named in words.items():
        index, stem = f"indexes/{{}}-{task}-index.csv", f"reference/{task}/{{}}-{task}-ref"
        for path, columns in (
            (index, _PROVENANCE_INDEX),
            (f"{stem}.csv", _PROVENANCE_REFERENCE),
            (f"{stem}-node.csv", _NODES),
        ):
            rich = f"MFC2019_Sample/{path.format('MFC2019')}"
            tables.append(Exact(path.format(year), columns, rich, {"TaskID": named}))
    return tables


def _verification() -> list[Exact]:
    """Events and cameras of MFC2019 (3.5.4, 3.5.5, 4.1.5, 4.1.6)."""
    event, camera = "eventverification", "cameraverification"
    rich, of = "MFC2018_Sample", "MFC2018_Sample/reference/camera/MFC2018-camera-ref"
    stem = f"reference/{camera}/MFC2019-{camera}-ref"
    named = {"TaskID": "CameraVerification"}
    return [
        Exact(
            f"indexes/MFC2019-{event}-index.csv",
            (*_INDEX, "EventName"),
            f"{rich}/indexes/MFC2018-{event}-index.csv",
            {"TaskID": "EventVerification"},
        ),
        Exact(
            f"reference/{event}/MFC2019-{event}-ref.csv",
            _words("TaskID ProbeFileID ProbeFileName IsTarget EventName"),
            f"{rich}/reference/{event}/MFC2018-{event}-ref.csv",
            {"TaskID": "EventVerification"},
        ),
        Exact(
            f"indexes/MFC2019-{camera}-index.csv",
            (*_INDEX, "ProbeFileSize", "TrainCamID"),
            f"{rich}/indexes/MFC2018-camera-index.csv",
            named,
        ),
        Exact(
            "indexes/MFC2019-camera-traindata.csv",
            _words("TrainCamID FilePath FileName"),
            f"{rich}/indexes/MFC2018-camera-traindata.csv",
        ),
        Exact(
            f"{stem}.csv",
            _words(
                "TaskID ProbeFileID ProbeFileName TrainCamID IsTarget IsManipulated"
                " ProbeMaskFileName BaseFileName JournalName"
            ),
            f"{of}.csv",
            named,
            _PLANES,
        ),
        Exact(f"{stem}-probejournaljoin.csv", _JOINS["MFC2019"], f"{of}-probejournaljoin.csv"),
        Exact(
            f"{stem}-journalmask.csv",
            (*_STEPS_17, "AutoDesignName", *_TIMES_19),
            f"{of}-journalmask.csv",
        ),
    ]


TABLES: Mapping[str, tuple[Exact, ...]] = {
    "NC2016": tuple(_tables_16()),
    "NC2017": (
        *_detection("NC2017", "manipulation-image", "NC2017_Sample:manipulation"),
        *_detection("NC2017", "manipulation-video", "MFC2019_Sample:manipulation-video"),
        *_splices("NC2017"),
        *_provenance("NC2017"),
    ),
    "MFC2019": (
        *_detection("MFC2019", "manipulation-image", "MFC2019_Sample:manipulation-image"),
        *_detection("MFC2019", "manipulation-video", "MFC2019_Sample:manipulation-video"),
        *_splices("MFC2019"),
        *_provenance("MFC2019"),
        *_verification(),
    ),
}

_OUT_16 = _words("ProbeFileID ConfidenceScore ProbeOutputMaskFileName")
_OUT_17 = _words("ProbeFileID ConfidenceScore OutputProbeMaskFileName IsOptOut")
_GRAPH_17 = _words("ProvenanceProbeFileID ConfidenceScore ProvenanceOutputFileName IsOptOut")
_OUT_19 = _words(
    "ProbeFileID ConfidenceScore OutputProbeMaskFileName ProbeStatus ProbeOptOutPixelValue"
)
_GRAPH_19 = _words("ProvenanceProbeFileID ProvenanceOutputFileName ProvenanceProbeStatus")
_16, _17 = "Sample_NC2016_{}_ImgOnly_{}_1", "Sample_NC17_PLAN_{}_{}_{}_1"
_RICH_16, _RICH_17 = "Sample_NC2016_{}_ImgOnly_p-{}_1", "Sample_NC17_Sample_{}_ImgOnly_p-{}_1"
_PAIR_16 = _words(
    "ProbeFileID DonorFileID ConfidenceScore ProbeOutputMaskFileName DonorOutputMaskFileName"
)
_PAIR_17 = _words(
    "ProbeFileID DonorFileID ConfidenceScore OutputProbeMaskFileName OutputDonorMaskFileName"
    " IsOptOut"
)
ANSWERS: Mapping[str, tuple[ExactAnswers, ...]] = {
    "NC2016": (
        *(
            ExactAnswers(_16.format(task, name), _OUT_16, _RICH_16.format(task, name[2:]))
            for task in ("Manipulation", "Removal")
            for name in ("p-good", "c-noisy")
        ),
        ExactAnswers(_16.format("Splice", "p-good"), _PAIR_16, _RICH_16.format("Splice", "good")),
    ),
    "NC2017": (
        *(
            ExactAnswers(
                _17.format("Manipulation", "ImgOnly", name),
                _OUT_17,
                _RICH_17.format("Manipulation", name[2:]),
            )
            for name in ("p-good", "c-noisy")
        ),
        ExactAnswers(
            _17.format("Manipulation", "VidOnly", "p-good"), _OUT_17, "p-good_1_MFC2019-video"
        ),
        ExactAnswers(
            _17.format("Splice", "ImgOnly", "p-good"), _PAIR_17, _RICH_17.format("Splice", "good")
        ),
        ExactAnswers(
            _17.format("Provenance", "ImgOnly", "p-good"), _GRAPH_17, "p-good_1_MFC2019-provenance"
        ),
        ExactAnswers(
            _17.format("ProvenanceFiltering", "ImgOnly", "p-good"),
            _GRAPH_17,
            "p-good_1_MFC2019-provenancefiltering",
            200,
        ),
    ),
    "MFC2019": (
        ExactAnswers("p-good_1_image", _OUT_19, "p-good_1_MFC2019-image"),
        ExactAnswers("c-noisy_1_image", _OUT_19, "p-noisy_1_MFC2019-image"),
        ExactAnswers("c-careful_1_image", _OUT_19, "p-careful_1_MFC2019-image"),
        ExactAnswers(
            "p-good_1_video",
            _words(
                "ProbeFileID ConfidenceScore ProbeStatus VideoFrameSegments AudioSampleSegments"
                " VideoFrameOptOutSegments OutputProbeMaskFileName ProbeOptOutPixelValue"
            ),
            "p-good_1_MFC2019-video",
        ),
        ExactAnswers(
            "p-careful_1_splice",
            _words(
                "ProbeFileID DonorFileID ConfidenceScore OutputProbeMaskFileName"
                " OutputDonorMaskFileName ProbeStatus DonorStatus ProbeOptOutPixelValue"
                " DonorOptOutPixelValue"
            ),
            "p-careful_1_MFC2019-splice",
        ),
        ExactAnswers("p-good_1_provenance", _GRAPH_19, "p-good_1_MFC2019-provenance"),
        ExactAnswers(
            "p-good_1_provenancefiltering",
            _GRAPH_19,
            "p-good_1_MFC2019-provenancefiltering",
            500,
        ),
        ExactAnswers(
            "p-good_1_event",
            _words("ProbeFileID EventName ConfidenceScore ProbeStatus"),
            "p-good_1_MFC2018-event",
        ),
        ExactAnswers(
            "p-good_1_camera",
            _words(
                "ProbeFileID TrainCamID OutputProbeMaskFileName ConfidenceScore ProbeStatus"
                " ProbeOptOutPixelValue"
            ),
            "p-good_1_MFC2018-camera",
        ),
    ),
}
