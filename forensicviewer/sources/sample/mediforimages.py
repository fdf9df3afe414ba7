"""The still images of the sample's MFC datasets: bit planes, events, cameras, splices."""

from __future__ import annotations

from collections.abc import Sequence

from forensicviewer.sources.media.masks import write_bit_planes, write_colour_reference
from forensicviewer.sources.sample.album import FULL, SMALL, THUMB, Album
from forensicviewer.sources.sample.answers import MFC, Answerer
from forensicviewer.sources.sample.editing import bit_planes, colour_mask
from forensicviewer.sources.sample.nimble import black, splice_pairs
from forensicviewer.sources.sample.probes import (
    CAMERAS,
    Collection,
    SampleProbe,
    SpliceProbe,
    camera_of,
    join_rows,
    kinds,
    step_rows,
)
from forensicviewer.sources.sample.systems import Quality, System
from forensicviewer.sources.sample.writing import Folder, Row

_INDEX = ["TaskID", "ProbeFileID", "ProbeFileName", "ProbeWidth", "ProbeHeight"]
_REF = [
    "TaskID", "ProbeFileID", "ProbeFileName", "IsTarget", "ProbeMaskFileName",
    "ProbeBitPlaneMaskFileName", "ProbeBrowserFileName", "BaseFileName", "BaseBrowserFileName",
    "JournalName", "ProjectDescription", "ProjectType", "PostprocessCompression",
    "ImageCompression", "AntiforensicNoiseRestoration", "SpatialSplice", "SpatialClone",
    "SpatialRemove", "ManipulationCategory", "Natural",
]  # fmt: skip
_STEP = ["JournalName", "StartNodeID", "EndNodeID"]
_STEP_FACTS = ["Operation", "Color", "Purpose", "OperationArgument"]
_PLUG_IN = ["AutoDesignName", "PlugInName", "PlugInArguments", "SubCategory"]


def write_mfc2018(folder: Folder, submissions: Folder) -> None:
    data = Collection(folder, "MFC2018", Album(SMALL))
    recipes = (
        "harbour", "boat-becomes-lighthouse", "two-boats", "boulder-in-the-valley", "empty-dunes",
    )  # fmt: skip
    probes = [data.manipulated(recipe) for recipe in recipes]
    probes += [data.untouched(shot) for shot in ("festival", "grove", "cape")]
    index = [*_INDEX, "ProbeFileSize"]
    _write_images(data, probes, index=index, join=[], steps=["BitPlane"])
    for quality in (Quality.GOOD, Quality.PARTIAL):
        system = System(f"p-{quality.value}", quality)
        name = f"{system.name}_1_MFC2018-image"
        Answerer(submissions, name, system, MFC).answer_probes(probes)
    _write_events(data, submissions)
    _write_cameras(data, probes, submissions)


def write_mfc2019_images(folder: Folder, submissions: Folder) -> Collection:
    data = Collection(folder, "MFC2019", Album(FULL))
    recipes = (
        "festival", "balloon-over-farm", "boat-becomes-lighthouse", "house-on-the-pass",
        "two-boats", "balloon-changes-colour", "no-tree",
    )  # fmt: skip
    probes = [data.manipulated(recipe) for recipe in recipes]
    # One image lies on its side and says so, as telephones write them.
    probes.append(data.manipulated("gulls", orientation=6))
    probes.append(data.manipulated("boat-on-the-fjord", suffix=".webp"))
    probes += [data.untouched(shot) for shot in ("alps", "bay", "caravan")]
    index = [*_INDEX, "HPDeviceID", "HPSensorID"]
    _write_images(data, probes, index=index, join=["BitPlane"], steps=_PLUG_IN)
    for quality in Quality:
        system = System(f"p-{quality.value}", quality)
        name = f"{system.name}_1_MFC2019-image"
        Answerer(submissions, name, system, MFC).answer_probes(probes)
    small = Collection(folder, "MFC2019", Album(SMALL), count=data.count)
    pairs = splice_pairs(small, ("empty-meadow", "house-on-the-pass"), ("regatta", "lake"))
    _write_splices(small, pairs)
    careful = System("p-careful", Quality.CAREFUL)
    Answerer(submissions, "p-careful_1_MFC2019-splice", careful, MFC).answer_pairs(pairs)
    return small


def _write_images(
    data: Collection,
    probes: Sequence[SampleProbe],
    *,
    index: Sequence[str],
    join: Sequence[str],
    steps: Sequence[str],
) -> None:
    folder, word = data.folder, "manipulation-image"
    rows = [
        {
            "TaskID": "manipulation",
            **probe.media.cells("Probe"),
            "HPDeviceID": probe.camera,
            "HPSensorID": f"{probe.camera}_primary",
        }
        for probe in probes
    ]
    folder.table(f"indexes/{data.name}-{word}-index.csv", index, rows)
    stem = f"reference/{word}/{data.name}-{word}-ref"
    folder.table(f"{stem}.csv", _REF, [_reference_row(data, probe, word) for probe in probes])
    _write_journals(folder, stem, probes, join=join, steps=steps)


def _write_journals(
    folder: Folder,
    stem: str,
    probes: Sequence[SampleProbe],
    *,
    join: Sequence[str],
    steps: Sequence[str],
) -> None:
    """``BitPlane`` stands in the join from 2019 on, and with the steps before."""
    joined = join_rows(probes, with_planes="BitPlane" in join)
    columns = ["ProbeFileID", *_STEP, "Sequence", *join]
    folder.table(f"{stem}-probejournaljoin.csv", columns, joined)
    columns = [*_STEP, *_STEP_FACTS, *steps]
    folder.table(f"{stem}-journalmask.csv", columns, step_rows(probes))


def _reference_row(data: Collection, probe: SampleProbe, word: str) -> Row:
    stem = f"reference/{word}/mask/{probe.media.id}"
    masks = {}
    if probe.edited:
        masks = {
            "ProbeMaskFileName": f"{stem}.ccm.png",
            "ProbeBitPlaneMaskFileName": f"{stem}.bpm.jp2",
        }
        write_colour_reference(data.folder.path(f"{stem}.ccm.png"), colour_mask(probe.edited))
        write_bit_planes(data.folder.path(f"{stem}.bpm.jp2"), bit_planes(probe.edited))
    return {"TaskID": "manipulation", **probe.reference_cells(), **kinds(probe), **masks}


def _write_splices(data: Collection, pairs: Sequence[SpliceProbe]) -> None:
    folder = data.folder
    donor = ["DonorFileID", "DonorFileName", "DonorWidth", "DonorHeight"]
    rows = [
        {"TaskID": "splice", **pair.probe.media.cells("Probe"), **pair.donor.cells("Donor")}
        for pair in pairs
    ]
    folder.table(f"indexes/{data.name}-splice-index.csv", [*_INDEX, *donor], rows)
    stem = f"reference/splice/{data.name}-splice-ref"
    columns = [*_REF[:5], "BinaryProbeMaskFileName", *donor[:2], "DonorMaskFileName", *_REF[5:]]
    folder.table(f"{stem}.csv", columns, [_splice_row(data, pair) for pair in pairs])
    targets = {pair.probe.media.id: pair.donor.id for pair in pairs if pair.is_target}
    probes = list({pair.probe.media.id: pair.probe for pair in pairs}.values())
    joined = [
        {**row, "DonorFileID": targets[row["ProbeFileID"]]}
        for row in join_rows(probes, with_planes=True)
    ]
    columns = ["ProbeFileID", "DonorFileID", *_STEP, "Sequence", "BitPlane"]
    folder.table(f"{stem}-probejournaljoin.csv", columns, joined)
    columns = [*_STEP, *_STEP_FACTS, *_PLUG_IN]
    folder.table(f"{stem}-journalmask.csv", columns, step_rows(probes))


def _splice_row(data: Collection, pair: SpliceProbe) -> Row:
    row = {
        "TaskID": "splice",
        **pair.probe.reference_cells(),
        **kinds(pair.probe),
        "DonorFileID": pair.donor.id,
        "DonorFileName": pair.donor.name,
        "IsTarget": "Y" if pair.is_target else "N",
    }
    if not pair.is_target or pair.probe.edited is None:
        return row
    stem = f"reference/splice/mask/{pair.probe.media.id}"
    data.folder.grey(f"{stem}-bin.png", black(pair.probe_area))
    data.folder.grey(f"{stem}-donor.png", black(pair.donor_area))
    write_colour_reference(data.folder.path(f"{stem}.ccm.png"), colour_mask(pair.probe.edited))
    write_bit_planes(data.folder.path(f"{stem}.bpm.jp2"), bit_planes(pair.probe.edited))
    return {
        **row,
        "ProbeMaskFileName": f"{stem}.ccm.png",
        "BinaryProbeMaskFileName": f"{stem}-bin.png",
        "DonorMaskFileName": f"{stem}-donor.png",
        "ProbeBitPlaneMaskFileName": f"{stem}.bpm.jp2",
    }


_EVENTS = {
    "balloon_festival": ("festival", "peak", "caravan"),
    "summer_regatta": ("regatta", "bay", "sunset", "fjord"),
}


def _write_events(data: Collection, submissions: Folder) -> None:
    thumbs = Collection(data.folder, data.name, Album(THUMB), count=data.count)
    shots = {shot: event for event, names in _EVENTS.items() for shot in names}
    probes = {shot: thumbs.untouched(shot) for shot in shots}
    data.count = thumbs.count
    trials = [
        {
            "TaskID": "eventverification",
            **probe.media.cells("Probe"),
            "EventName": event,
            "IsTarget": "Y" if shots[shot] == event else "N",
        }
        for shot, probe in probes.items()
        for event in _EVENTS
    ]
    name = f"{data.name}-eventverification"
    data.folder.table(f"indexes/{name}-index.csv", [*_INDEX, "EventName"], trials)
    columns = ["TaskID", "ProbeFileID", "ProbeFileName", "IsTarget", "EventName"]
    data.folder.table(f"reference/eventverification/{name}-ref.csv", columns, trials)
    for quality in (Quality.GOOD, Quality.NOISY):
        system = System(f"p-{quality.value}", quality)
        answers = [
            {
                **trial,
                "ConfidenceScore": f"{_confidence(system, trial, number):g}",
                "ProbeStatus": "Processed",
            }
            for number, trial in enumerate(trials)
        ]
        columns = ["ProbeFileID", "EventName", "ConfidenceScore", "ProbeStatus"]
        Answerer(submissions, f"{system.name}_1_MFC2018-event", system, MFC).table(columns, answers)


def _confidence(system: System, trial: Row, number: int) -> float:
    return system.confidence(is_target=trial["IsTarget"] == "Y", seed=number)


def _write_cameras(data: Collection, probes: Sequence[SampleProbe], submissions: Folder) -> None:
    thumbs = Collection(data.folder, data.name, Album(THUMB), count=data.count)
    _write_training(thumbs)
    data.count = thumbs.count
    word = "camera"
    references = {probe.media.id: _reference_row(data, probe, word) for probe in probes}
    trials = [
        {
            **probe.media.cells("Probe"),
            **references[probe.media.id],
            "TaskID": "camera",
            "TrainCamID": f"{camera}_primary_image",
            "IsTarget": "Y" if probe.camera == camera else "N",
            "IsManipulated": "Y" if probe.is_target else "N",
            "JournalSource": "",
            "HPDeviceID": probe.camera,
        }
        for probe in probes
        for camera in CAMERAS[1:]
    ]
    index = [*_INDEX, "ProbeFileSize", "TrainCamID"]
    data.folder.table(f"indexes/{data.name}-{word}-index.csv", index, trials)
    columns = [
        "TaskID", "ProbeFileID", "ProbeFileName", "TrainCamID", "IsTarget", "IsManipulated",
        "ProbeMaskFileName", "ProbeBitPlaneMaskFileName", "BaseFileName", "ProbeBrowserFileName",
        "JournalName", "JournalSource", "HPDeviceID",
    ]  # fmt: skip
    stem = f"reference/{word}/{data.name}-{word}-ref"
    data.folder.table(f"{stem}.csv", columns, trials)
    _write_journals(data.folder, stem, probes, join=["BitPlane"], steps=_PLUG_IN[:3])
    system = System("p-good", Quality.GOOD)
    answers = [
        {
            "ProbeFileID": trial["ProbeFileID"],
            "TrainCamID": trial["TrainCamID"],
            "ConfidenceScore": f"{_confidence(system, trial, number):g}",
            "ProbeStatus": "Processed",
        }
        for number, trial in enumerate(trials)
    ]
    columns = ["ProbeFileID", "TrainCamID", "OutputProbeMaskFileName", "ConfidenceScore"]
    columns += ["ProbeStatus", "ProbeOptOutPixelValue"]
    Answerer(submissions, "p-good_1_MFC2018-camera", system, MFC).table(columns, answers)


def _write_training(thumbs: Collection) -> None:
    """Images of each camera that are known to be its own."""
    rows = []
    for shot in ("farm", "regatta", "lake", "valley", "meadow", "shore"):
        camera = camera_of(shot)
        path, name = f"{camera}/Images/Primary", f"{shot}.jpg"
        pixels = thumbs.album.photo(shot).pixels
        thumbs.folder.picture(f"training/{path}/{name}", pixels, camera=camera)
        rows.append({"TrainCamID": f"{camera}_primary_image", "FilePath": path, "FileName": name})
    name = f"indexes/{thumbs.name}-camera-traindata.csv"
    thumbs.folder.table(name, ["TrainCamID", "FilePath", "FileName"], rows)
