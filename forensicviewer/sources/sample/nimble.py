"""The sample's Nimble Challenge datasets: NC2016 with grey masks, NC2017 with colours."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from forensicviewer.core.array import BoolImage, U8Image
from forensicviewer.sources.media.masks import write_colour_reference
from forensicviewer.sources.sample.album import RECIPES, SMALL, Album
from forensicviewer.sources.sample.answers import NC2016, NC2017, Answerer
from forensicviewer.sources.sample.editing import colour_mask
from forensicviewer.sources.sample.probes import (
    Collection,
    SampleProbe,
    SpliceProbe,
    join_rows,
    kinds,
    step_rows,
)
from forensicviewer.sources.sample.systems import Quality, System
from forensicviewer.sources.sample.writing import Folder, Row

_INDEX = ["TaskID", "ProbeFileID", "ProbeFileName", "ProbeWidth", "ProbeHeight"]
_DONOR_INDEX = ["DonorFileID", "DonorFileName", "DonorWidth", "DonorHeight"]
_REF_2016 = [
    "TaskID", "ProbeFileID", "ProbeFileName", "ProbeMaskFileName", "DonorFileID", "DonorFileName",
    "DonorMaskFileName", "IsTarget", "ProbePostProcessed", "DonorPostProcessed",
    "ManipulationQuality", "IsManipulationTypeRemoval", "IsManipulationTypeSplice",
    "IsManipulationTypeCopyClone", "Collection", "BaseFileName", "Lighting", "IsControl",
    "CorrespondingControlFileName", "SemanticConsistency",
]  # fmt: skip
_REF_2017 = [
    "TaskID", "ProbeFileID", "ProbeFileName", "IsTarget", "ProbeMaskFileName", "BaseFileName",
    "JournalName", "ProjectDescription", "ManipulationCategory", "Collection", "PostProcessing",
    "Remove", "Splice", "Clone", "BlurLocal",
]  # fmt: skip
_SPLICE_REF_2017 = [
    "TaskID", "ProbeFileID", "ProbeFileName", "ProbeMaskFileName", "BinaryProbeMaskFileName",
    "ProbeBrowserFileName", "DonorFileID", "DonorFileName", "DonorMaskFileName",
    "DonorBrowserFileName", "BaseFileName", "BaseBrowserFileName", "JournalName", "IsTarget",
    "ProjectDescription", "SpatialSplice", "SpatialClone", "SpatialRemove",
]  # fmt: skip
_JOURNALMASK = [
    "JournalName", "StartNodeID", "EndNodeID", "Operation", "Color", "Purpose",
    "OperationArgument",
]  # fmt: skip


def black(area: BoolImage) -> U8Image:
    """A grey reference mask: black where manipulated."""
    return np.where(area, 0, 255).astype(np.uint8)


def splice_pairs(
    data: Collection, recipes: Sequence[str], others: Sequence[str]
) -> list[SpliceProbe]:
    """Each recipe with its own donor, and with an image that gave nothing."""
    pairs = []
    for recipe, other in zip(recipes, others, strict=True):
        probe = data.manipulated(recipe)
        donor = data.untouched(RECIPES[recipe].donors[0], place="world").media
        stranger = data.untouched(other, place="world").media
        pairs += [
            SpliceProbe(probe, donor, is_target=True),
            SpliceProbe(probe, stranger, is_target=False),
        ]
    return pairs


def write_nc2016(folder: Folder, submissions: Folder) -> None:
    data = Collection(folder, "NC2016", Album(SMALL))
    recipes = ("two-boats", "house-on-the-pass", "boulder-in-the-valley", "gulls")
    probes = [data.manipulated(recipe) for recipe in recipes]
    probes += [data.untouched(shot) for shot in ("caravan", "lake")]
    _write_2016(data, "Manipulation", probes)
    removals = [data.manipulated(recipe) for recipe in ("empty-dunes", "no-tree", "no-house")]
    removals += [data.untouched("cape")]
    _write_2016(data, "Removal", removals)
    pairs = splice_pairs(data, ("house-on-the-pass", "boat-on-the-fjord"), ("dunes", "farm"))
    _write_splice_2016(data, pairs)
    for quality in (Quality.GOOD, Quality.NOISY):
        system = System(f"p-{quality.value}", quality)
        name = "Sample_NC2016_{}_ImgOnly_" + f"{system.name}_1"
        answer = {"Manipulation": probes, "Removal": removals}
        for task, trials in answer.items():
            Answerer(submissions, name.format(task), system, NC2016).answer_probes(trials)
        if quality is Quality.GOOD:
            Answerer(submissions, name.format("Splice"), system, NC2016).answer_pairs(pairs)


def _write_2016(data: Collection, task: str, probes: Sequence[SampleProbe]) -> None:
    word = task.lower()
    index = [{"TaskID": task, **probe.media.cells("Probe")} for probe in probes]
    data.folder.table(f"indexes/NC2016-{word}-index.csv", _INDEX, index)
    rows = []
    for probe in probes:
        mask = f"reference/{word}/mask/{probe.media.id}-mask.png" if probe.is_target else ""
        if mask:
            data.folder.grey(mask, black(probe.area))
        rows.append({"TaskID": task, "ProbeMaskFileName": mask, **_facts_2016(probe)})
    data.folder.table(f"reference/{word}/NC2016-{word}-ref.csv", _REF_2016, rows)


def _facts_2016(probe: SampleProbe) -> Row:
    done = kinds(probe)
    return {
        **probe.reference_cells(),
        "ProbePostProcessed": "rescale",
        "DonorPostProcessed": "none",
        "IsManipulationTypeRemoval": str(done["Remove"] == "yes"),
        "IsManipulationTypeSplice": str(done["Splice"] == "yes"),
        "IsManipulationTypeCopyClone": str(done["Clone"] == "yes"),
        "Collection": "Nimble-SAMPLE",
        "Lighting": "same",
        "IsControl": "False",
    }


def _write_splice_2016(data: Collection, pairs: Sequence[SpliceProbe]) -> None:
    index = [
        {"TaskID": "Splice", **pair.probe.media.cells("Probe"), **pair.donor.cells("Donor")}
        for pair in pairs
    ]
    data.folder.table("indexes/NC2016-splice-index.csv", [*_INDEX, *_DONOR_INDEX], index)
    rows = []
    for pair in pairs:
        rows.append(
            {
                "TaskID": "Splice",
                **_facts_2016(pair.probe),
                **_pair_masks(data, pair),
                "DonorFileID": pair.donor.id,
                "DonorFileName": pair.donor.name,
                "IsTarget": "Y" if pair.is_target else "N",
            }
        )
    columns = [*_REF_2016[:4], "BinaryProbeMaskFileName", *_REF_2016[4:]]
    data.folder.table("reference/splice/NC2016-splice-ref.csv", columns, rows)


def _pair_masks(data: Collection, pair: SpliceProbe) -> Row:
    """Write the masks of a splice trial: both sides black where something was taken over."""
    if not pair.is_target:
        return {"ProbeMaskFileName": "", "DonorMaskFileName": ""}
    stem = f"reference/splice/mask/{pair.probe.media.id}-{pair.donor.id}"
    data.folder.grey(f"{stem}-bin.png", black(pair.probe_area))
    data.folder.grey(f"{stem}-donor.png", black(pair.donor_area))
    return {
        "ProbeMaskFileName": f"{stem}-bin.png",
        "BinaryProbeMaskFileName": f"{stem}-bin.png",
        "DonorMaskFileName": f"{stem}-donor.png",
    }


def write_nc2017(folder: Folder, submissions: Folder) -> None:
    data = Collection(folder, "NC2017", Album(SMALL))
    recipes = (
        "balloon-over-farm", "boat-becomes-lighthouse", "balloon-changes-colour", "empty-meadow",
        "gulls", "no-house",
    )  # fmt: skip
    probes = [data.manipulated(recipe) for recipe in recipes]
    probes += [data.untouched(shot) for shot in ("valley", "fjord", "alps")]
    _write_2017(data, probes)
    pairs = splice_pairs(data, ("balloon-over-farm", "boulder-in-the-valley"), ("shore", "sunset"))
    _write_splice_2017(data, pairs)
    for quality in (Quality.GOOD, Quality.NOISY, Quality.INVERTED, Quality.PARTIAL):
        system = System(f"p-{quality.value}", quality)
        name = f"Sample_NC17_Sample_Manipulation_ImgOnly_{system.name}_1"
        Answerer(submissions, name, system, NC2017).answer_probes(probes)
    system = System("p-good", Quality.GOOD)
    name = "Sample_NC17_Sample_Splice_ImgOnly_p-good_1"
    Answerer(submissions, name, system, NC2017).answer_pairs(pairs)


def _write_2017(data: Collection, probes: Sequence[SampleProbe]) -> None:
    folder = data.folder
    index = [{"TaskID": "manipulation", **probe.media.cells("Probe")} for probe in probes]
    folder.table("indexes/NC2017-manipulation-index.csv", _INDEX, index)
    rows = []
    for probe in probes:
        mask = f"reference/manipulation/mask/{probe.media.id}.ccm.png" if probe.edited else ""
        if probe.edited:
            write_colour_reference(folder.path(mask), colour_mask(probe.edited))
        rows.append(
            {
                "TaskID": "manipulation",
                **probe.reference_cells(),
                **kinds(probe),
                "ProbeMaskFileName": mask,
                "Collection": "Nimble-SAMPLE",
            }
        )
    stem = "reference/manipulation/NC2017-manipulation-ref"
    folder.table(f"{stem}.csv", _REF_2017, rows)
    join = ["ProbeFileID", "JournalName", "StartNodeID", "EndNodeID"]
    folder.table(f"{stem}-probejournaljoin.csv", join, join_rows(probes, with_planes=False))
    folder.table(f"{stem}-journalmask.csv", _JOURNALMASK, step_rows(probes))


def _write_splice_2017(data: Collection, pairs: Sequence[SpliceProbe]) -> None:
    folder = data.folder
    index = [
        {"TaskID": "splice", **pair.probe.media.cells("Probe"), **pair.donor.cells("Donor")}
        for pair in pairs
    ]
    folder.table("indexes/NC2017-splice-index.csv", [*_INDEX, *_DONOR_INDEX], index)
    rows = [_splice_row(data, pair) for pair in pairs]
    stem = "reference/splice/NC2017-splice-ref"
    folder.table(f"{stem}.csv", _SPLICE_REF_2017, rows)
    probes = {pair.probe.media.id: pair.probe for pair in pairs}.values()
    targets = {pair.probe.media.id: pair.donor.id for pair in pairs if pair.is_target}
    joined = [
        {**row, "DonorFileID": targets[row["ProbeFileID"]]}
        for row in join_rows(probes, with_planes=False)
    ]
    join = ["ProbeFileID", "DonorFileID", "JournalName", "StartNodeID", "EndNodeID"]
    folder.table(f"{stem}-probejournaljoin.csv", join, joined)
    folder.table(f"{stem}-journalmask.csv", _JOURNALMASK, step_rows(probes))


def _splice_row(data: Collection, pair: SpliceProbe) -> Row:
    masks = dict(_pair_masks(data, pair))
    if pair.is_target and pair.probe.edited:
        masks["ProbeMaskFileName"] = f"reference/splice/mask/{pair.probe.media.id}.ccm.png"
        path = data.folder.path(masks["ProbeMaskFileName"])
        write_colour_reference(path, colour_mask(pair.probe.edited))
    return {
        "TaskID": "splice",
        **pair.probe.reference_cells(),
        **kinds(pair.probe),
        **masks,
        "DonorFileID": pair.donor.id,
        "DonorFileName": pair.donor.name,
        "DonorBrowserFileName": pair.donor.name.removeprefix("world/"),
        "IsTarget": "Y" if pair.is_target else "N",
    }
